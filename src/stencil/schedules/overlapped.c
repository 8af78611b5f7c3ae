// Overlapped tiling, as plan/blocks.h says: the pyramid method of Golovashkin and Kochurov. What lies where blocks meet is
// computed twice. A trip goes from one copy of the state in the backing store to the other. With n = 1 it is the trivial
// schedule.
#include "memory.h"
#include "runtime/context.h"
#include "schedule.h"
#include "staging.h"

#include <stdlib.h>

enum { SLOTS = MST_BLOCKS_SLOTS, WINDOWS = MST_BLOCKS_WINDOWS };

typedef struct overlapped {
    mst_schedule base;
    const mst_schedule_desc *with; // base.with
    mst_blocks blocks;
    mst_store store;
    int current; // of the copies in the store, the one that holds the state
    mst_window up[WINDOWS], work, coefficients[WINDOWS], down[WINDOWS];
    mst_staging in[SLOTS], coefficients_in[SLOTS], out[SLOTS];
    cl_event computed[SLOTS];
    uint64_t block;   // its number since the beginning
    cl_event *stored; // of the trip before: when each block was in the store
    int64_t n_stored;
} overlapped;

static mst_status finish(overlapped *k, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_queue_finish(&k->store.up, error));
    MST_TRY(mst_queue_finish(&k->base.queue, error));
    MST_TRY(mst_queue_finish(&k->store.down, error));
fail:
    return status;
}

// Makes a window hold just a box.
static void fit(mst_window *w, const mst_box *box) {
    w->planes = box->to[PLANES] - box->from[PLANES];
    w->first_row = box->from[ROWS];
    w->rows = box->to[ROWS] - box->from[ROWS];
    w->first_column = box->from[COLUMNS];
    w->columns = box->to[COLUMNS] - box->from[COLUMNS];
}

// Waits until what a box reads is in the store: the last of its blocks, since downloads are in order.
static mst_status wait_stored(overlapped *k, const mst_box *box, mst_error *error) {
    mst_status status = MST_OK;
    int64_t last = 0;
    bool wraps = false;
    for (int axis = 0; axis < N_AXES; axis++) {
        int64_t n = k->blocks.grid[axis];
        wraps = wraps || box->from[axis] < 0 || box->to[axis] > n;
        last = last * k->blocks.counts[axis] + (box->to[axis] - 1) / k->blocks.sides[axis];
    }
    if (wraps || last >= k->n_stored)
        last = k->n_stored - 1;
    if (last < 0 || !k->stored[last])
        return MST_OK;
    if (k->store.is_direct)
        return mst_event_barrier(&k->store.up, &k->stored[last], error);
    if (last >= k->n_stored - SLOTS)
        for (int i = 0; i < SLOTS; i++)
            MST_TRY(mst_store_settle(&k->store, &k->out[i], error));
    MST_TRY_CL(clWaitForEvents(1, &k->stored[last]), "a download failed");
fail:
    return status;
}

static mst_status upload(overlapped *k, uint64_t n, const mst_box *box, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t slot = k->block % SLOTS, window = k->block % WINDOWS;
    const uint64_t full = n / k->with->plan->fuse, single = n % k->with->plan->fuse;
    int arrays = k->with->problem->n_arrays;
    const mst_box big = mst_blocks_grown(&k->blocks, box, full, single, false);
    const mst_box coefficients = mst_blocks_grown(&k->blocks, box, full, single, true);
    MST_TRY(mst_store_settle(&k->store, &k->in[slot], error));
    MST_TRY(mst_store_settle(&k->store, &k->coefficients_in[slot], error));
    MST_TRY(wait_stored(k, &big, error));
    MST_TRY(mst_event_barrier(&k->store.up, &k->computed[(k->block + SLOTS - WINDOWS) % SLOTS], error));
    const mst_box wide = mst_blocks_padded(&k->blocks, &big), wide_coefficients = mst_blocks_padded(&k->blocks, &coefficients);
    fit(&k->up[window], &wide);
    fit(&k->work, &wide);
    fit(&k->coefficients[window], &wide_coefficients);
    fit(&k->down[window], box);
    MST_TRY(mst_store_upload(&k->store, k->store.copies * arrays, k->with->problem->n_coefficients, &coefficients,
                             &k->coefficients[window], &k->coefficients_in[slot], NULL, error, &traffic->upload_bytes));
    MST_TRY(mst_store_upload(&k->store, k->current * arrays, arrays, &big, &k->up[window], &k->in[slot], NULL, error,
                             &traffic->upload_bytes));
fail:
    return status;
}

static mst_status compute(overlapped *k, uint64_t n, const mst_box *box, uint64_t row, mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t slot = k->block % SLOTS, window = k->block % WINDOWS;
    uint64_t full = n / k->with->plan->fuse, single = n % k->with->plan->fuse;
    mst_queue *queue = &k->base.queue;
    const mst_window *from = &k->up[window], *other = &k->work;
    MST_TRY(mst_event_barrier(queue, &k->in[slot].moved, error));
    MST_TRY(mst_event_barrier(queue, &k->coefficients_in[slot].moved, error));
    MST_TRY(mst_event_barrier(queue, &k->out[(k->block + SLOTS - WINDOWS) % SLOTS].moved, error));
    while (full + single > 0) {
        const mst_stepper *stepper = &k->with->steppers[full > 0 ? 0 : 1];
        full -= full > 0 ? 1 : 0;
        single -= stepper == &k->with->steppers[1] ? 1 : 0;
        mst_box target = mst_blocks_grown(&k->blocks, box, full, single, false);
        const mst_window *to = full + single > 0 ? other : &k->down[window];
        // What is computed beyond the box, to align it, has no meaning, so receivers must not see it.
        if (full + single > 0 && k->with->problem->n_records == 0)
            target = mst_blocks_aligned(&k->blocks, &target);
        MST_TRY(mst_stepper_enqueue(stepper, queue, from, to, &k->coefficients[window], &target, 1, row, error));
        other = from;
        from = to;
        row += (uint64_t)stepper->pipeline.m;
    }
    mst_event_drop(&k->computed[slot]);
    MST_TRY(mst_queue_mark(queue, false, &k->computed[slot], error));
    MST_TRY_CL(clFlush(queue->opencl), "cannot queue a block");
fail:
    return status;
}

static mst_status advance(mst_schedule *schedule, uint64_t n, uint64_t row, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    overlapped *k = (overlapped *)schedule;
    int arrays = k->with->problem->n_arrays;
    for (int64_t i = 0; i < mst_blocks_count(&k->blocks); i++, k->block++) {
        const mst_box box = mst_blocks_box(&k->blocks, i);
        uint64_t slot = k->block % SLOTS;
        MST_TRY(mst_store_settle(&k->store, &k->out[slot], error));
        MST_TRY(upload(k, n, &box, traffic, error));
        if (!k->with->plan->overlap)
            MST_TRY(finish(k, error));
        MST_TRY(compute(k, n, &box, row, error));
        if (!k->with->plan->overlap)
            MST_TRY(finish(k, error));
        MST_TRY(mst_store_download(&k->store, !k->current * arrays, arrays, &box, &k->down[k->block % WINDOWS], &k->out[slot],
                                   &k->computed[slot], error, &traffic->download_bytes));
        MST_TRY(mst_event_keep(&k->stored[i], k->out[slot].moved, error));
        if (!k->with->plan->overlap)
            MST_TRY(finish(k, error));
    }
    k->n_stored = mst_blocks_count(&k->blocks);
    k->current = !k->current;
fail:
    return status;
}

static mst_status settle(mst_schedule *schedule, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    overlapped *k = (overlapped *)schedule;
    (void)traffic;
    for (int i = 0; i < SLOTS; i++) {
        MST_TRY(mst_store_settle(&k->store, &k->in[i], error));
        MST_TRY(mst_store_settle(&k->store, &k->coefficients_in[i], error));
        MST_TRY(mst_store_settle(&k->store, &k->out[i], error));
    }
    MST_TRY(finish(k, error));
fail:
    return status;
}

// After a run that failed; the queues may still work on what is to be released.
static void abandon(mst_schedule *schedule) {
    overlapped *k = (overlapped *)schedule;
    mst_queue_abandon(&k->store.up);
    mst_queue_abandon(&k->base.queue);
    mst_queue_abandon(&k->store.down);
    for (int i = 0; i < SLOTS; i++) {
        mst_staging_abandon(&k->in[i]);
        mst_staging_abandon(&k->coefficients_in[i]);
        mst_staging_abandon(&k->out[i]);
    }
    mst_events_drop(k->computed, SLOTS);
    mst_events_drop(k->stored, (size_t)mst_blocks_count(&k->blocks));
}

static mst_status get(mst_schedule *schedule, int array, uint64_t first, uint64_t count, void *to, mst_error *error) {
    overlapped *k = (overlapped *)schedule;
    return mst_store_get(&k->store, k->current, array, first, count, to, error);
}

static mst_status put(mst_schedule *schedule, int array, uint64_t first, uint64_t count, const void *from, mst_error *error) {
    overlapped *k = (overlapped *)schedule;
    return mst_store_put(&k->store, k->current, array, first, count, from, error);
}

static const void *see(const mst_schedule *schedule, int array, uint64_t first) {
    const overlapped *k = (const overlapped *)schedule;
    return mst_store_see(&k->store, k->current, array, first);
}

static mst_status count_nonfinite(mst_schedule *schedule, int array, uint64_t *count, mst_error *error) {
    overlapped *k = (overlapped *)schedule;
    return mst_store_count_nonfinite(&k->store, k->current, array, count, error);
}

static void lend(mst_schedule *schedule, int array, mst_loan *out) {
    (void)array;
    *out = mst_schedule_loan(schedule, ((overlapped *)schedule)->up[0].buffers[0]);
}

static void destroy(mst_schedule *schedule) {
    overlapped *k = (overlapped *)schedule;
    mst_context *context = k->with->context;
    const mst_allocation *parts = k->with->plan->footprint.parts;
    const mst_problem *p = k->with->problem;
    const uint64_t arrays = (uint64_t)p->n_arrays, coefficients = (uint64_t)p->n_coefficients;
    for (int i = 0; i < SLOTS; i++) {
        mst_staging_release(&k->store, &k->in[i]);
        mst_staging_release(&k->store, &k->coefficients_in[i]);
        mst_staging_release(&k->store, &k->out[i]);
    }
    mst_events_drop(k->computed, SLOTS);
    mst_events_drop(k->stored, (size_t)mst_blocks_count(&k->blocks));
    mst_memory_give(context, &parts[MST_FOOTPRINT_STATE], p->elements, arrays, k->work.buffers);
    for (int i = 0; i < WINDOWS; i++) {
        mst_memory_give(context, &parts[MST_FOOTPRINT_STATE], p->elements, arrays, k->up[i].buffers);
        mst_memory_give(context, &parts[MST_FOOTPRINT_RESULT], p->elements, arrays, k->down[i].buffers);
        mst_memory_give(context, &parts[MST_FOOTPRINT_COEFFICIENTS], p->elements + p->n_arrays, coefficients,
                        k->coefficients[i].buffers);
    }
    mst_store_release(&k->store);
    free(k->stored);
    mst_queue_release(&k->base.queue);
    free(k);
}

static const mst_schedule_kind kind = {destroy, advance, settle, abandon, get,  put,  count_nonfinite,
                                       NULL,    lend,    NULL,   NULL,    NULL, NULL, see};

static mst_status take(overlapped *k, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = k->with->context;
    const mst_allocation *parts = k->with->plan->footprint.parts;
    const mst_problem *p = k->with->problem;
    const uint64_t arrays = (uint64_t)p->n_arrays, coefficients = (uint64_t)p->n_coefficients;
    MST_REQUIRE(k->stored = calloc((size_t)mst_blocks_count(&k->blocks), sizeof *k->stored), MST_ERROR_HOST_MEMORY,
                "out of memory for a schedule");
    MST_TRY(mst_memory_take(context, &parts[MST_FOOTPRINT_STATE], p->elements, arrays, k->work.buffers, error));
    for (int i = 0; i < WINDOWS; i++) {
        MST_TRY(mst_memory_take(context, &parts[MST_FOOTPRINT_STATE], p->elements, arrays, k->up[i].buffers, error));
        MST_TRY(mst_memory_take(context, &parts[MST_FOOTPRINT_RESULT], p->elements, arrays, k->down[i].buffers, error));
        MST_TRY(mst_memory_take(context, &parts[MST_FOOTPRINT_COEFFICIENTS], p->elements + p->n_arrays, coefficients,
                                k->coefficients[i].buffers, error));
    }
    for (int i = 0; i < SLOTS; i++) {
        MST_TRY(mst_staging_create(&k->store, &parts[MST_FOOTPRINT_STAGING_UP], &k->in[i], error));
        MST_TRY(mst_staging_create(&k->store, &parts[MST_FOOTPRINT_STAGING_DOWN], &k->out[i], error));
        MST_TRY(mst_staging_create(&k->store, &parts[MST_FOOTPRINT_STAGING_COEFFICIENTS], &k->coefficients_in[i], error));
    }
fail:
    return status;
}

mst_status mst_overlapped_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error) {
    mst_status status = MST_OK;
    overlapped *k = calloc(1, sizeof *k);
    MST_REQUIRE(k, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    k->base = mst_schedule_base(&kind, desc);
    k->with = &k->base.with;
    k->blocks = desc->plan->blocks;
    *out = &k->base;
    MST_TRY(mst_store_create(desc->context, desc->problem, desc->plan, desc->file, desc->file_offset, &k->store, error));
    MST_TRY(take(k, error));
fail:
    return status;
}
