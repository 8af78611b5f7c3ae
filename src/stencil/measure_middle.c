// The rate of sweeps around a middle, by steps of the whole grid.
#include "measure.h"
#include "measure_parts.h"
#include "runtime/numbers.h"
#include "stencil/scheme/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEPT_SECONDS = 24 * 3600, REVISION = 2, SAMPLES = 5, MOST_TRIPS = 512 };

static const double SAMPLE_SECONDS = 1e-2, MOST_SECONDS = 1;

typedef struct kept_choice {
    mst_middle_choice choice;
    int64_t when;
} kept_choice;

static bool key_of(const mst_sweeper *s, mst_cache_key *key) {
    char text[300];
    const mst_problem *p = s->sweeps.problem;
    uint64_t in_layers[N_AXES];
    for (int axis = 0; axis < N_AXES; axis++) {
        const mst_layer_nodes nodes = mst_layers_nodes(p, axis);
        in_layers[axis] = p->grid[axis] - (uint64_t)(nodes.high - nodes.low);
    }
    const int length =
        snprintf(text, sizeof text,
                 "steps around a middle, revision %d, of %016llx%016llx on %llu x %llu x %llu, %llu x %llu x %llu in layers",
                 REVISION, (unsigned long long)s->key.high, (unsigned long long)s->key.low, (unsigned long long)p->grid[PLANES],
                 (unsigned long long)p->grid[ROWS], (unsigned long long)p->grid[COLUMNS], (unsigned long long)in_layers[PLANES],
                 (unsigned long long)in_layers[ROWS], (unsigned long long)in_layers[COLUMNS]);
    return s->has_key && mst_cache_make_key(s->context, text, (size_t)length, "rate", key);
}

bool mst_middle_recall(const mst_sweeper *s, mst_middle_choice *out) {
    size_t size = 0;
    mst_cache_key key;
    kept_choice kept = {.when = 0};
    unsigned char *payload = key_of(s, &key) ? mst_cache_load(s->context, key, &size) : NULL;
    if (payload && size == sizeof kept)
        memcpy(&kept, payload, sizeof kept);
    free(payload);
    const int64_t age = (int64_t)time(NULL) - kept.when;
    if (kept.choice.m == 0 || age < 0 || age >= KEPT_SECONDS)
        return false;
    *out = kept.choice;
    return true;
}

void mst_middle_remember(const mst_sweeper *s, const mst_middle_choice *choice) {
    mst_cache_key key;
    kept_choice kept;
    if (!key_of(s, &key))
        return;
    memset(&kept, 0, sizeof kept);
    kept.choice = *choice;
    kept.when = (int64_t)time(NULL);
    mst_cache_store(s->context, key, (const unsigned char *)&kept, sizeof kept);
}

static mst_status clear(mst_schedule *schedule, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = schedule->with.problem;
    mst_loan loan;
    for (int a = 0; a < p->n_arrays + p->n_coefficients; a++) {
        schedule->kind->view(schedule, a, &loan);
        MST_TRY(mst_queue_fill(&schedule->queue, loan.buffer, a < p->n_arrays ? 0 : MST_CLEAR_COEFFICIENTS,
                               (size_t)loan.elements * p->elements[a], "an array", error));
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
    MST_TRY(mst_sweeping_create(with, &schedule, error));
    MST_TRY(measure(schedule, rate, error));
    mst_log(with->context, MST_LOG_DEBUG,
            "measured: sweeps around %u fused step%s outside layers, on %llu nodes: %.3g node-steps/s", with->plan->fuse,
            with->plan->fuse == 1 ? "" : "s", (unsigned long long)with->problem->nodes, *rate);
fail:
    if (schedule)
        schedule->kind->destroy(schedule);
    return status;
}
