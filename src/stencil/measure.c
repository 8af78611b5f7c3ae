#include "measure.h"

#include "measure_parts.h"
#include "runtime/cache.h"
#include "runtime/numbers.h"
#include "stencil/kernels/cutting.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    PART_BYTES = 64 << 20, // of an array of the part of the grid
    KEPT_SECONDS = 24 * 3600,
    REVISION = 4 // of what rates mean
};

static uint64_t nodes_of(const mst_box *box) {
    return (uint64_t)((box->to[PLANES] - box->from[PLANES]) * (box->to[ROWS] - box->from[ROWS]) *
                      (box->to[COLUMNS] - box->from[COLUMNS]));
}

// Chooses a part of the grid that is as large as the blocks of schedules, since caches hold less of larger ones; the device holds
// it five times. It has fewer planes than the grid, away from the faces, and if that is not enough fewer columns and rows. False:
// not even a node fits.
static bool find_part(const mst_measurement *m, mst_box *box) {
    const mst_problem *p = m->problem;
    uint64_t arrays = (uint64_t)(5 * p->n_arrays + 2 * p->n_coefficients);
    uint64_t most = PART_BYTES / p->element * (m->context->device.type & CL_DEVICE_TYPE_GPU ? 4 : 1);
    uint64_t left = mst_budget_left(m->context, &m->context->device_memory) / arrays;
    uint64_t nodes = mst_smaller(most, mst_smaller(left, m->context->device.max_allocation_bytes) / p->element);
    uint64_t planes = mst_larger(mst_smaller(p->grid[PLANES], nodes / p->plane), (uint64_t)1);
    *box = mst_plan_grid(p);
    box->from[PLANES] = ((int64_t)p->grid[PLANES] - (int64_t)planes) / 2;
    box->to[PLANES] = box->from[PLANES] + (int64_t)planes;
    for (int axis = COLUMNS; axis >= ROWS; axis--)
        while (nodes_of(box) > nodes && box->to[axis] > 1)
            box->to[axis] = (box->to[axis] + 1) / 2;
    return nodes_of(box) <= nodes;
}

// The window's own edges stand for the grid's: what lies beyond wraps around in it.
static mst_status take(const mst_measurement *m, const mst_box *box, bool coefficients, mst_window *w, mst_error *error) {
    mst_status status = MST_OK;
    mst_queue queue = MST_QUEUE(m->context, m->context->compute);
    const uint64_t bytes = nodes_of(box) * m->problem->element;
    const int n = coefficients ? m->problem->n_coefficients : m->problem->n_arrays;
    const cl_uint pattern = coefficients ? MST_CLEAR_COEFFICIENTS : 0;
    w->planes = box->to[PLANES] - box->from[PLANES];
    w->rows = box->to[ROWS];
    w->columns = box->to[COLUMNS];
    for (int a = 0; a < n; a++) {
        MST_TRY(mst_device_allocate(m->context, CL_MEM_READ_WRITE, bytes, "the measurement of rates", &w->buffers[a], error));
        // Memory never written may not be backed by memory of its own yet.
        MST_TRY(mst_queue_fill(&queue, w->buffers[a], pattern, (size_t)bytes, "an array", error));
    }
    MST_TRY(mst_queue_finish(&queue, error));
fail:
    mst_queue_release(&queue);
    return status;
}

// ---- What the cache keeps of a measurement

typedef struct kept_rates {
    mst_rates rates;
    bool copies;
    double limit; // seconds that it had; INFINITY: as many as it should have
    int64_t when;
} kept_rates;

static bool key_of_copies(const mst_measurement *m, const mst_box *box, mst_cache_key *key) {
    char text[200];
    int length = snprintf(text, sizeof text, "rates of copies, revision %d, for %016llx%016llx, %llu nodes, store %d", REVISION,
                          (unsigned long long)m->sweeper->key.high, (unsigned long long)m->sweeper->key.low,
                          (unsigned long long)nodes_of(box), (int)m->store);
    return m->sweeper->has_key && mst_cache_make_key(m->context, text, (size_t)length, "rates", key);
}

static bool key_of(const mst_measurement *m, const mst_box *box, mst_cache_key *key) {
    const mst_stepper *stepper = m->steppers;
    char text[300];
    if (!stepper)
        return key_of_copies(m, box, key);
    int length = snprintf(
        text, sizeof text,
        "rates, revision %d, of %016llx%016llx by %u units on %lld to %lld of %lld x %lld x %lld of %lld, strips of %d, store %d",
        REVISION, (unsigned long long)stepper->key.high, (unsigned long long)stepper->key.low,
        mst_stepper_units(m->context, m->problem), (long long)box->from[0], (long long)box->to[0], (long long)m->problem->grid[0],
        (long long)box->to[1], (long long)box->to[2], (long long)m->problem->grid[2], stepper->tile.choice.planes, (int)m->store);
    return stepper->has_key && mst_cache_make_key(m->context, text, (size_t)length, "rates", key);
}

// Whether rates may be taken from the cache: if they are new, include copies where these matter, and were measured in at least as
// much time as there is now.
static bool suits(const mst_measurement *m, const kept_rates *kept) {
    const mst_stepper *stepper = m->steppers;
    const mst_box grid = mst_plan_grid(m->problem);
    const int64_t age = (int64_t)time(NULL) - kept->when;
    if (!stepper)
        return age >= 0 && age < KEPT_SECONDS && kept->copies && kept->limit >= mst_measure_limit(0);
    double longer, work = mst_cutting_work(&stepper->tile, &stepper->pipeline, &grid, 1, &longer);
    double run = work * longer / kept->rates.update[0] * (double)m->steps / stepper->pipeline.m;
    return age >= 0 && age < KEPT_SECONDS && (kept->copies || !m->copies) && kept->limit >= mst_measure_limit(run);
}

static bool load_rates(const mst_measurement *m, mst_cache_key key, mst_rates *rates) {
    size_t size = 0;
    const double sweep = rates->sweep, computing = rates->computing; // are kept on their own
    kept_rates kept;
    unsigned char *payload = mst_cache_load(m->context, key, &size);
    bool good = payload && size == sizeof kept;
    if (good)
        memcpy(&kept, payload, sizeof kept);
    free(payload);
    good = good && suits(m, &kept);
    if (good)
        *rates = kept.rates;
    rates->sweep = sweep;
    rates->computing = computing;
    return good;
}

static void keep_rates(const mst_measurement *m, mst_cache_key key, const mst_clock *clock, const mst_rates *rates) {
    kept_rates kept;
    memset(&kept, 0, sizeof kept);
    kept.rates = *rates;
    kept.copies = m->copies;
    kept.limit = clock->is_cut ? clock->end - clock->begin : INFINITY;
    kept.when = (int64_t)time(NULL);
    mst_cache_store(m->context, key, (const unsigned char *)&kept, sizeof kept);
}

static void say(const mst_measurement *m, const mst_box *box, const mst_rates *rates) {
    const mst_pipeline *pipeline = &m->steppers->pipeline;
    double longer, work = mst_cutting_work(&m->steppers->tile, pipeline, box, 1, &longer);
    mst_log(m->context, MST_LOG_DEBUG, "measured: %u fused step%s on %llu nodes: %.3g node-steps/s", (unsigned)pipeline->m,
            pipeline->m == 1 ? "" : "s", (unsigned long long)nodes_of(box),
            (double)nodes_of(box) * pipeline->m * rates->update[0] / (work * longer));
}

mst_status mst_rates_measure(const mst_measurement *m, mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    mst_box box;
    mst_cache_key key;
    mst_clock clock = {.is_cut = false};
    mst_window windows[MST_MEASURE_WINDOWS] = {{.planes = 0}};
    if (!find_part(m, &box))
        return MST_OK;
    const uint64_t bytes = nodes_of(&box) * m->problem->element;
    const bool keeps = key_of(m, &box, &key);
    if (keeps && load_rates(m, key, rates))
        return MST_OK;
    for (int k = 0; k < MST_MEASURE_WINDOWS; k++)
        MST_TRY(take(m, &box, k == MST_MEASURE_COEFFICIENTS, &windows[k], error));
    if (m->steppers) {
        MST_TRY(mst_measure_updates(m, windows, &box, &clock, rates, error));
    } else {
        clock.begin = mst_now();
        clock.end = clock.begin + mst_measure_limit(0);
    }
    if (m->steppers)
        say(m, &box, rates);
    if (m->copies)
        MST_TRY(mst_measure_copies(m, windows, bytes, &clock, rates, error));
    if (keeps)
        keep_rates(m, key, &clock, rates);
fail:
    for (int k = 0; k < MST_MEASURE_WINDOWS; k++)
        for (int a = 0; a < MST_STENCIL_MAX_ARRAYS; a++)
            mst_device_release(m->context, windows[k].buffers[a], bytes);
    return status;
}
