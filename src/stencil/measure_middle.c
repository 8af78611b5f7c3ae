// The rate of sweeps around a middle, by steps of the whole grid.
#include "measure.h"
#include "measure_parts.h"
#include "runtime/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEPT_SECONDS = 24 * 3600, REVISION = 1, SAMPLES = 5, MOST_TRIPS = 512 };

static const double SAMPLE_SECONDS = 1e-2, MOST_SECONDS = 1;

typedef struct middle_rate {
    double rate;
    int64_t when;
} middle_rate;

static bool key_of(const mst_schedule_desc *with, mst_cache_key *key) {
    char text[500];
    const mst_cache_key *around = &with->sweeper->key, *outside = &with->outside->key;
    const mst_middle *m = &with->plan->middle;
    const mst_box *box = &m->box;
    const uint64_t *n = with->problem->grid;
    const int length = snprintf(
        text, sizeof text,
        "rate around a middle, revision %d, of %016llx%016llx, %016llx%016llx on %llu x %llu x %llu, of %u steps and %d sweeps "
        "from %lld, %lld, %lld to %lld, %lld, %lld, which reach %lld, %lld, %lld",
        REVISION, (unsigned long long)around->high, (unsigned long long)around->low, (unsigned long long)outside->high,
        (unsigned long long)outside->low, (unsigned long long)n[PLANES], (unsigned long long)n[ROWS],
        (unsigned long long)n[COLUMNS], m->m, m->sweeps, (long long)box->from[PLANES], (long long)box->from[ROWS],
        (long long)box->from[COLUMNS], (long long)box->to[PLANES], (long long)box->to[ROWS], (long long)box->to[COLUMNS],
        (long long)m->lag[PLANES], (long long)m->lag[ROWS], (long long)m->lag[COLUMNS]);
    return with->sweeper->has_key && with->outside->has_key &&
           mst_cache_make_key(with->context, text, (size_t)length, "rate", key);
}

static bool load(mst_context *context, mst_cache_key key, double *rate) {
    size_t size = 0;
    middle_rate kept = {.rate = 0};
    unsigned char *payload = mst_cache_load(context, key, &size);
    if (payload && size == sizeof kept)
        memcpy(&kept, payload, sizeof kept);
    free(payload);
    const int64_t age = (int64_t)time(NULL) - kept.when;
    if (!(kept.rate > 0) || age < 0 || age >= KEPT_SECONDS)
        return false;
    *rate = kept.rate;
    return true;
}

static void keep(mst_context *context, mst_cache_key key, double rate) {
    middle_rate kept;
    memset(&kept, 0, sizeof kept);
    kept.rate = rate;
    kept.when = (int64_t)time(NULL);
    mst_cache_store(context, key, (const unsigned char *)&kept, sizeof kept);
}

static mst_status clear(mst_schedule *schedule, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = schedule->with.problem;
    mst_loan loan;
    for (int a = 0; a < p->n_arrays + p->n_coefficients; a++) {
        schedule->kind->view(schedule, a, &loan);
        MST_TRY(mst_queue_fill(&schedule->queue, loan.buffer, 0, (size_t)loan.elements * p->elements[a], "an array", error));
    }
fail:
    return status;
}

static mst_status time_trips(mst_schedule *schedule, int n, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    mst_traffic traffic = {0};
    const uint64_t steps = schedule->with.plan->depth;
    const double start = mst_now();
    for (int k = 0; k < n; k++)
        MST_TRY(schedule->kind->advance(schedule, steps, 0, &traffic, error));
    MST_TRY(mst_queue_finish(&schedule->queue, error));
    *seconds = (mst_now() - start) / ((double)n * (double)steps);
fail:
    return status;
}

static mst_status measure(mst_schedule *schedule, double *rate, mst_error *error) {
    mst_status status = MST_OK;
    double seconds[SAMPLES], start, each;
    int n = 1, k = 0;
    MST_TRY(clear(schedule, error));
    MST_TRY(time_trips(schedule, 1, &each, error)); // drivers compile at the first launch
    start = mst_now();
    do {
        MST_TRY(time_trips(schedule, n, &each, error));
        each *= (double)schedule->with.plan->depth;
        n = (int)fmin(MOST_TRIPS, ceil(SAMPLE_SECONDS / each));
    } while (each * n < SAMPLE_SECONDS / 2 && n < MOST_TRIPS && mst_now() - start < MOST_SECONDS);
    for (; k < SAMPLES && (k == 0 || mst_now() - start < MOST_SECONDS); k++)
        MST_TRY(time_trips(schedule, n, &seconds[k], error));
    *rate = (double)schedule->with.problem->nodes / mst_measure_usual(seconds, k);
fail:
    return status;
}

mst_status mst_middle_measure(const mst_schedule_desc *with, double *rate, mst_error *error) {
    mst_status status = MST_OK;
    mst_schedule *schedule = NULL;
    mst_cache_key key;
    const bool keeps = key_of(with, &key);
    if (keeps && load(with->context, key, rate))
        return MST_OK;
    MST_TRY(mst_sweeping_create(with, &schedule, error));
    MST_TRY(measure(schedule, rate, error));
    mst_log(with->context, MST_LOG_DEBUG,
            "measured: sweeps around %u fused steps outside layers, on %llu nodes: %.3g node-steps/s", with->plan->fuse,
            (unsigned long long)with->problem->nodes, *rate);
    if (keeps)
        keep(with->context, key, *rate);
fail:
    if (schedule)
        schedule->kind->destroy(schedule);
    return status;
}
