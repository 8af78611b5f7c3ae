// Time skewing, as plan/slabs.h says, and the backing store is updated in place. Slabs are counted on from trip to trip, and
// planes have places in the rings by that number, so that a trip begins while the one before ends, if it is as long. Where the
// third ring holds one slab, slab j - 1 goes down while the first levels of slab j are computed (shorter trips of such a plan
// wait for it).
//
// Level l of slab j + 1 touches nothing that levels beyond l of slab j do: it lies above them. So as many slabs as there are
// queues can be computed at once, each in its own queue, if level l waits for that of the slab before; slab j comes behind the
// slab whose room in the rings it takes. Then the end of a launch, when its last work-groups leave the device half idle, is
// filled by those of another. Commands of all queues are enqueued in the order in which they can be done, level by level of slabs
// that lie evenly apart, at least one level: drivers may hold up what comes behind a command that waits, in whatever queue.
#include "memory.h"
#include "runtime/context.h"
#include "runtime/numbers.h"
#include "schedule.h"
#include "staging.h"

#include <stdlib.h>

enum { SLOTS = MST_STENCIL_QUEUES + 3 }; // slabs that are queued at once, at most

// A slab on its way through the levels.
typedef struct slab_state {
    uint64_t slab, n, row; // its number since the beginning; the steps of its trip, and the first one's row in the tables
    int64_t j, first_plane;
    int level; // the next
} slab_state;

typedef struct skewed {
    mst_schedule base;
    const mst_schedule_desc *with; // base.with
    mst_slabs slabs;
    mst_store store;
    mst_queue queues[MST_STENCIL_QUEUES]; // the first is the context's
    mst_window rings[2], coefficients, down;
    slab_state active[MST_STENCIL_QUEUES + 1]; // the oldest first; that may be done but for its download
    int n_active;
    uint64_t slab; // the number of the next one since the beginning
    // Of a slab, by its number modulo `slots`.
    uint64_t slots;
    mst_staging up[SLOTS], coefficients_up[SLOTS], out[SLOTS];
    cl_event computed[SLOTS];
    cl_event *passed;     // levels of the slab before
    uint64_t steps;       // of its trip
    cl_event *stored;     // of the trip before: when each slab's planes were in the store
    int64_t n_stored;     // slabs of it
    int64_t stored_shift; // its S of the last level
} skewed;

static int64_t clip(int64_t i, int64_t n) { return i < 0 ? 0 : mst_smaller(i, n); }

static mst_status finish(skewed *k, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_queue_finish(&k->store.up, error));
    for (int q = 0; q < k->slabs.queues; q++)
        MST_TRY(mst_queue_finish(&k->queues[q], error));
    MST_TRY(mst_queue_finish(&k->store.down, error));
fail:
    return status;
}

static mst_box planes_box(const skewed *k, int64_t from, int64_t to) {
    mst_box box = mst_plan_grid(k->with->problem);
    box.from[PLANES] = from;
    box.to[PLANES] = to;
    return box;
}

// The slab of the last trip after which planes below `end` are in the store, and its event.
static int64_t stored_slab(const skewed *k, int64_t end, int64_t b) {
    int64_t j = (end + k->stored_shift + b - 1) / b - 1;
    return j < k->n_stored ? j : k->n_stored - 1;
}

static const cl_event *stored_event(const skewed *k, int64_t end, int64_t b) {
    int64_t j = stored_slab(k, end, b);
    return j >= 0 && k->stored[j] ? &k->stored[j] : NULL;
}

// Stores what was queued last, for a store that is read by the host, if planes below `end` may be among it.
static mst_status wait_stored(skewed *k, int64_t end, mst_error *error) {
    mst_status status = MST_OK;
    const cl_event *stored = stored_event(k, end, k->slabs.block);
    if (k->store.is_direct || !stored)
        return MST_OK;
    if (stored_slab(k, end, k->slabs.block) >= k->n_stored - (int64_t)k->slots)
        for (uint64_t i = 0; i < k->slots; i++)
            MST_TRY(mst_store_settle(&k->store, &k->out[i], error));
    MST_TRY_CL(clWaitForEvents(1, stored), "a download failed");
fail:
    return status;
}

// Where the planes of a slab's trip have their places.
static void place(skewed *k, int64_t first_plane) {
    k->rings[0].first_plane = k->rings[1].first_plane = k->coefficients.first_plane = k->down.first_plane = first_plane;
}

static mst_status mark(mst_queue *queue, cl_event *event, mst_error *error) {
    mst_event_drop(event);
    return mst_queue_mark(queue, false, event, error);
}

// The planes that a level of a slab computes.
static mst_box level_box(const skewed *k, const slab_state *at, int level) {
    int64_t behind = mst_slabs_shift(&k->slabs, at->n, level), b = k->slabs.block, z = k->slabs.planes;
    return planes_box(k, clip(at->j * b - behind, z), clip((at->j + 1) * b - behind, z));
}

// The oldest slab goes to the store.
static mst_status store_slab(skewed *k, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    const slab_state at = k->active[0];
    uint64_t slot = at.slab % k->slots;
    const mst_box box = level_box(k, &at, mst_slabs_levels(&k->slabs, at.n) - 1);
    for (int i = 1; i < k->n_active; i++)
        k->active[i - 1] = k->active[i];
    k->n_active--;
    place(k, at.first_plane);
    if (!k->with->plan->overlap)
        MST_TRY(finish(k, error));
    MST_TRY(mst_store_download(&k->store, 0, k->with->problem->n_arrays, &box, &k->down, &k->out[slot], &k->computed[slot], error,
                               &traffic->download_bytes));
    MST_TRY(mst_event_keep(&k->stored[at.j], k->out[slot].moved, error));
    if (!k->with->plan->overlap)
        MST_TRY(finish(k, error));
fail:
    return status;
}

static mst_queue *queue_of(skewed *k, const slab_state *at) { return &k->queues[at->slab % (uint64_t)k->slabs.queues]; }

// The next level of a slab. The first waits for its upload, the last for room in the ring of downloads, and each for the same of
// the slab before.
static mst_status enqueue_level(skewed *k, slab_state *at, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t slots = k->slots, slot = at->slab % slots, room = mst_slabs_room(&k->slabs);
    mst_queue *queue = queue_of(k, at);
    int l = at->level, levels = mst_slabs_levels(&k->slabs, at->n);
    const mst_box box = level_box(k, at, l);
    const mst_stepper *stepper = &k->with->steppers[mst_slabs_kernel(&k->slabs, at->n, l)];
    if (l == 0) {
        MST_TRY(mst_event_barrier(queue, &k->up[slot].moved, error));
        MST_TRY(mst_event_barrier(queue, &k->coefficients_up[slot].moved, error));
    }
    if (k->slabs.queues > 1)
        MST_TRY(mst_event_barrier(queue, &k->passed[l], error));
    if (l + 1 == levels && box.to[PLANES] > box.from[PLANES]) {
        // The first planes of a trip may share places with any that the trip before left.
        bool first = box.from[PLANES] == 0;
        for (uint64_t back = first ? 1 : room; back <= (first ? slots - 1 : room); back++)
            MST_TRY(mst_event_barrier(queue, &k->out[(at->slab + slots - back) % slots].moved, error));
    }
    place(k, at->first_plane);
    MST_TRY(mst_stepper_enqueue(stepper, queue, &k->rings[l % 2], l + 1 < levels ? &k->rings[(l + 1) % 2] : &k->down,
                                &k->coefficients, &box, k->slabs.queues, at->row, error));
    if (k->slabs.queues > 1)
        MST_TRY(mark(queue, &k->passed[l], error));
    if (l + 1 == levels)
        MST_TRY(mark(queue, &k->computed[slot], error));
    MST_TRY_CL(clFlush(queue->opencl), "cannot queue a slab");
    at->row += (uint64_t)stepper->pipeline.m;
    at->level++;
fail:
    return status;
}

static bool is_done(const skewed *k, const slab_state *at) { return at->level == mst_slabs_levels(&k->slabs, at->n); }

// A level of each slab, the oldest first. What was done before goes to the store behind most of them, but not behind a level that
// waits for its room or for an upload.
static mst_status enqueue_round(skewed *k, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    bool waits = k->n_active > 0 && is_done(k, &k->active[0]);
    for (int i = waits; i < k->n_active; i++) {
        int level = k->active[i].level;
        if (waits && (level == 0 || level + 1 == mst_slabs_levels(&k->slabs, k->active[i].n))) {
            MST_TRY(store_slab(k, traffic, error));
            waits = false;
            i--;
        }
        MST_TRY(enqueue_level(k, &k->active[i], error));
    }
    if (waits)
        MST_TRY(store_slab(k, traffic, error));
fail:
    return status;
}

static mst_status store_all_slabs(skewed *k, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    while (k->n_active > 0)
        MST_TRY(enqueue_round(k, traffic, error));
fail:
    return status;
}

// Until the planes of the trip before that a slab's upload takes are on their way to the store.
static mst_status make_current(skewed *k, const slab_state *next, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    int64_t b = k->slabs.block, z = k->slabs.planes;
    int64_t needed = stored_slab(k, clip((next->j + 1) * b, z), b);
    while (k->n_active > 0 && k->active[0].first_plane != next->first_plane && k->active[0].j <= needed)
        MST_TRY(enqueue_round(k, traffic, error));
fail:
    return status;
}

static mst_status upload(skewed *k, const slab_state *at, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t slots = k->slots, slot = at->slab % slots, before = (at->slab + 2) % slots; // whose room it takes
    int64_t b = k->slabs.block, z = k->slabs.planes, ahead = k->slabs.ahead, j = at->j;
    const mst_box box = planes_box(k, clip(j * b, z), clip((j + 1) * b, z));
    const mst_box coefficients = planes_box(k, j == 0 ? 0 : clip(j * b + ahead, z), clip((j + 1) * b + ahead, z));
    MST_TRY(make_current(k, at, traffic, error));
    if (!k->with->plan->overlap)
        MST_TRY(store_all_slabs(k, traffic, error));
    place(k, at->first_plane);
    MST_TRY(mst_store_settle(&k->store, &k->out[slot], error)); // that the last level need not wait for
    MST_TRY(mst_store_settle(&k->store, &k->up[slot], error));
    MST_TRY(mst_store_settle(&k->store, &k->coefficients_up[slot], error));
    MST_TRY(wait_stored(k, box.to[PLANES], error));
    MST_TRY(mst_event_barrier(&k->store.up, &k->computed[before], error));
    const cl_event *stored = stored_event(k, box.to[PLANES], b);
    if (stored)
        MST_TRY(mst_event_barrier(&k->store.up, stored, error));
    MST_TRY(mst_store_upload(&k->store, k->with->problem->n_arrays * k->store.copies, k->with->problem->n_coefficients,
                             &coefficients, &k->coefficients, &k->coefficients_up[slot], NULL, error, &traffic->upload_bytes));
    MST_TRY(mst_store_upload(&k->store, 0, k->with->problem->n_arrays, &box, &k->rings[0], &k->up[slot], NULL, error,
                             &traffic->upload_bytes));
    if (!k->with->plan->overlap)
        MST_TRY(finish(k, error));
fail:
    return status;
}

// All slabs of a trip of n steps. As many are on their way at once as there are queues, as many levels apart as can be.
static mst_status advance(mst_schedule *schedule, uint64_t n, uint64_t row, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    skewed *k = (skewed *)schedule;
    int levels = mst_slabs_levels(&k->slabs, n), apart = (levels + k->slabs.queues - 1) / k->slabs.queues;
    int64_t b = k->slabs.block, z = k->slabs.planes, last = mst_slabs_shift(&k->slabs, n, levels - 1);
    int64_t slabs = (z + last + b - 1) / b, before = k->n_stored;
    slab_state next = {.slab = k->slab, .n = n, .row = row, .first_plane = -(int64_t)k->slab * b};
    if (n != k->steps) { // its levels lie elsewhere
        MST_TRY(store_all_slabs(k, traffic, error));
        mst_events_drop(k->passed, mst_slabs_most_levels(&k->slabs));
        MST_TRY(mst_event_barrier(queue_of(k, &next), &k->computed[(k->slab + k->slots - 1) % k->slots], error));
        k->steps = n;
    }
    MST_TRY(upload(k, &next, traffic, error));
    while (next.j < slabs) {
        k->active[k->n_active++] = next;
        k->slab = ++next.slab;
        next.j++;
        for (int i = 1; i <= apart; i++) {
            MST_TRY(enqueue_round(k, traffic, error));
            // The host's own copies would hold up what is queued behind them.
            if (i == (k->store.is_direct ? 1 : apart) && next.j < slabs)
                MST_TRY(upload(k, &next, traffic, error));
        }
    }
    for (int64_t j = slabs; j < before; j++)
        mst_event_drop(&k->stored[j]);
    k->n_stored = slabs;
    k->stored_shift = last;
fail:
    return status;
}

static mst_status settle(mst_schedule *schedule, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    skewed *k = (skewed *)schedule;
    MST_TRY(store_all_slabs(k, traffic, error));
    for (uint64_t i = 0; i < k->slots; i++) {
        MST_TRY(mst_store_settle(&k->store, &k->up[i], error));
        MST_TRY(mst_store_settle(&k->store, &k->coefficients_up[i], error));
        MST_TRY(mst_store_settle(&k->store, &k->out[i], error));
    }
    MST_TRY(finish(k, error));
fail:
    return status;
}

static void drop_marks(skewed *k) {
    mst_events_drop(k->computed, SLOTS);
    mst_events_drop(k->stored, (size_t)mst_slabs_most(&k->slabs));
    mst_events_drop(k->passed, mst_slabs_most_levels(&k->slabs));
}

// After a run that failed; the queues may still work on what is to be released.
static void abandon(mst_schedule *schedule) {
    skewed *k = (skewed *)schedule;
    mst_queue_abandon(&k->store.up);
    for (int q = 0; q < k->slabs.queues; q++)
        mst_queue_abandon(&k->queues[q]);
    mst_queue_abandon(&k->store.down);
    for (int i = 0; i < SLOTS; i++) {
        mst_staging_abandon(&k->up[i]);
        mst_staging_abandon(&k->coefficients_up[i]);
        mst_staging_abandon(&k->out[i]);
    }
    drop_marks(k);
    k->n_active = 0;
}

static mst_status get(mst_schedule *schedule, int array, uint64_t first, uint64_t count, void *to, mst_error *error) {
    return mst_store_get(&((skewed *)schedule)->store, 0, array, first, count, to, error);
}

static mst_status put(mst_schedule *schedule, int array, uint64_t first, uint64_t count, const void *from, mst_error *error) {
    return mst_store_put(&((skewed *)schedule)->store, 0, array, first, count, from, error);
}

static const void *see(const mst_schedule *schedule, int array, uint64_t first) {
    return mst_store_see(&((const skewed *)schedule)->store, 0, array, first);
}

static mst_status count_nonfinite(mst_schedule *schedule, int array, uint64_t *count, mst_error *error) {
    return mst_store_count_nonfinite(&((skewed *)schedule)->store, 0, array, count, error);
}

static void lend(mst_schedule *schedule, int array, mst_loan *out) {
    (void)array;
    *out = mst_schedule_loan(schedule, ((skewed *)schedule)->rings[0].buffers[0]);
}

static void destroy(mst_schedule *schedule) {
    skewed *k = (skewed *)schedule;
    mst_context *context = k->with->context;
    const mst_allocation *parts = k->with->plan->footprint.parts;
    for (int i = 0; i < SLOTS; i++) {
        mst_staging_release(&k->store, &k->up[i]);
        mst_staging_release(&k->store, &k->coefficients_up[i]);
        mst_staging_release(&k->store, &k->out[i]);
    }
    drop_marks(k);
    const mst_problem *p = k->with->problem;
    mst_memory_give(context, &parts[MST_FOOTPRINT_STATE], p->elements, (uint64_t)p->n_arrays, k->rings[0].buffers);
    mst_memory_give(context, &parts[MST_FOOTPRINT_LEVELS], p->elements, (uint64_t)p->n_arrays, k->rings[1].buffers);
    mst_memory_give(context, &parts[MST_FOOTPRINT_RESULT], p->elements, (uint64_t)p->n_arrays, k->down.buffers);
    mst_memory_give(context, &parts[MST_FOOTPRINT_COEFFICIENTS], p->elements + p->n_arrays, (uint64_t)p->n_coefficients,
                    k->coefficients.buffers);
    for (int q = 0; q < MST_STENCIL_QUEUES; q++)
        mst_queue_release(&k->queues[q]);
    mst_store_release(&k->store);
    free(k->passed);
    free(k->stored);
    free(k);
}

static const mst_schedule_kind kind = {destroy, advance, settle, abandon, get,  put,  count_nonfinite,
                                       NULL,    lend,    NULL,   NULL,    NULL, NULL, see};

static mst_status take_ring(const skewed *k, mst_footprint_part part, uint64_t planes, mst_window *w, mst_error *error) {
    const mst_allocation *a = &k->with->plan->footprint.parts[part];
    w->planes = (int64_t)planes;
    w->rows = (int64_t)k->with->problem->grid[ROWS];
    w->columns = (int64_t)k->with->problem->grid[COLUMNS];
    return mst_memory_take(k->with->context, a,
                           k->with->problem->elements + (part == MST_FOOTPRINT_COEFFICIENTS ? k->with->problem->n_arrays : 0),
                           a->count, w->buffers, error);
}

static mst_status take(skewed *k, mst_error *error) {
    mst_status status = MST_OK;
    const mst_slabs *s = &k->slabs;
    const mst_allocation *parts = k->with->plan->footprint.parts;
    k->passed = calloc(mst_slabs_most_levels(s), sizeof *k->passed);
    k->stored = calloc((size_t)mst_slabs_most(s), sizeof *k->stored);
    MST_REQUIRE(k->passed && k->stored, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    MST_TRY(take_ring(k, MST_FOOTPRINT_STATE, mst_slabs_ring_planes(s, 0), &k->rings[0], error));
    MST_TRY(take_ring(k, MST_FOOTPRINT_LEVELS, mst_slabs_ring_planes(s, 1), &k->rings[1], error));
    MST_TRY(take_ring(k, MST_FOOTPRINT_RESULT, mst_slabs_down_planes(s), &k->down, error));
    MST_TRY(take_ring(k, MST_FOOTPRINT_COEFFICIENTS, mst_slabs_coefficient_planes(s), &k->coefficients, error));
    for (int q = 1; q < s->queues; q++)
        MST_TRY(mst_queue_create(k->with->context, &k->queues[q], error));
    for (uint64_t i = 0; i < k->slots; i++) {
        MST_TRY(mst_staging_create(&k->store, &parts[MST_FOOTPRINT_STAGING_UP], &k->up[i], error));
        MST_TRY(mst_staging_create(&k->store, &parts[MST_FOOTPRINT_STAGING_DOWN], &k->out[i], error));
        MST_TRY(mst_staging_create(&k->store, &parts[MST_FOOTPRINT_STAGING_COEFFICIENTS], &k->coefficients_up[i], error));
    }
fail:
    return status;
}

mst_status mst_skewed_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error) {
    mst_status status = MST_OK;
    skewed *k = calloc(1, sizeof *k);
    MST_REQUIRE(k, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    k->base = mst_schedule_base(&kind, desc);
    k->with = &k->base.with;
    k->slabs = desc->plan->slabs;
    k->slots = mst_slabs_slots(&k->slabs);
    k->queues[0] = k->base.queue;
    *out = &k->base;
    MST_TRY(mst_store_create(desc->context, desc->problem, desc->plan, desc->file, desc->file_offset, &k->store, error));
    MST_TRY(take(k, error));
fail:
    return status;
}
