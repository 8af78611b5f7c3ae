// Skewed sweeps, as plan/ring.h says. A ring of planes is to the kernels a grid of which they do a part at a time: behind the
// ring's last plane and before its first one there is room for the planes by which updates reach, where what is written there is
// copied. Memory variables of absorbing layers are on the device as plain sweeps have them. While slab j is computed, the next
// one comes up and the one before goes down; a trip ends before the next one begins.
#include "memory.h"
#include "resident.h"
#include "runtime/context.h"
#include "runtime/numbers.h"
#include "schedule.h"
#include "staging.h"

#include <stdlib.h>

enum { SLOTS = MST_RING_SLOTS };

typedef struct skewed_sweeps {
    mst_schedule base;
    const mst_schedule_desc *with; // base.with
    const mst_sweeps *sweeps;
    mst_plane_ring ring;
    mst_store store;
    int current;                                               // of the copies in the store, the one that holds the state
    int64_t first;                                             // the plane that lies first in the ring, in this trip
    mst_sweep_state *states;                                   // before a trip, and behind each of its sweeps
    mst_staging up[SLOTS], coefficients_up[SLOTS], out[SLOTS]; // of a slab, by its number modulo SLOTS
    cl_event computed[SLOTS];
} skewed_sweeps;

// ---- Planes in the ring

// What of some planes lies in one piece, from the first on.
static mst_sweep_part part_of(const skewed_sweeps *k, mst_plane_range planes) {
    const mst_plane_ring *r = &k->ring;
    const int64_t slot = mst_ring_slot(r, k->first, planes.from);
    const int64_t plane = mst_ring_plane(r, planes.from);
    int64_t count = mst_smaller(planes.to - planes.from, r->planes - slot);
    if (r->periodic)
        count = mst_smaller(count, r->n - plane);
    return (mst_sweep_part){.from = plane,
                            .to = plane + count,
                            .first = k->sweeps->padded.first + (slot - plane) * k->sweeps->padded.plane_pitch,
                            .inner = r->periodic};
}

static mst_status copy_planes(skewed_sweeps *k, cl_mem buffer, size_t element, mst_plane_range slots, int64_t by,
                              mst_error *error) {
    mst_status status = MST_OK;
    const mst_padded *a = &k->sweeps->padded;
    const int64_t begin = a->first - a->before[ROWS] * a->pitch - a->before[COLUMNS];
    const size_t from = (size_t)(begin + slots.from * a->plane_pitch) * element;
    const size_t to = (size_t)(begin + (slots.from + by) * a->plane_pitch) * element;
    cl_event event = NULL;
    if (slots.to <= slots.from)
        return MST_OK;
    MST_TRY_CL(clEnqueueCopyBuffer(k->base.queue.opencl, buffer, buffer, from, to,
                                   (size_t)((slots.to - slots.from) * a->plane_pitch) * element, 0, NULL, &event),
               "cannot copy planes");
    MST_TRY(mst_queue_add(&k->base.queue, event, "a copy of planes", NULL, error));
fail:
    return status;
}

// Copies what of a part that was written, with its margins, lies at an end of the ring to the other end's outside.
static mst_status close_ring(skewed_sweeps *k, cl_mem buffer, size_t element, const mst_sweep_part *part, mst_error *error) {
    mst_status status = MST_OK;
    const mst_padded *a = &k->sweeps->padded;
    const mst_plane_ring *r = &k->ring;
    const int64_t shift = (part->first - a->first) / a->plane_pitch; // from a plane to its place
    mst_plane_range slots = {part->from + shift, part->to + shift};
    if (!part->inner && part->from < mst_sweeps_reach(k->sweeps, 0))
        slots.from = shift - r->before;
    if (!part->inner && part->to > r->n - mst_sweeps_reach(k->sweeps, 1))
        slots.to = shift + r->n + r->behind;
    const mst_plane_range low = {mst_larger(slots.from, (int64_t)0), mst_smaller(slots.to, r->behind)};
    const mst_plane_range high = {mst_larger(slots.from, r->planes - r->before), mst_smaller(slots.to, r->planes)};
    MST_TRY(copy_planes(k, buffer, element, low, r->planes, error));
    MST_TRY(copy_planes(k, buffer, element, high, -r->planes, error));
fail:
    return status;
}

static mst_status close_all(skewed_sweeps *k, const mst_sweep_part *part, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = k->with->problem;
    for (int f = 0; f < p->n_fields; f++)
        for (int level = 0; level < p->fields[f].levels && k->sweeps->has_margin[f]; level++) {
            const int array = p->fields[f].array + level;
            const bool held = p->fields[f].coefficient;
            MST_TRY(close_ring(k, held ? k->states[0].coefficients[array] : k->states[0].arrays[array],
                               p->elements[held ? p->n_arrays + array : array], part, error));
        }
    // Spare arrays have margins and nothing else.
    for (int i = 0; i < mst_moved_spares(k->sweeps); i++)
        MST_TRY(close_ring(k, k->states[0].spares[i], mst_sweeps_spare_element(k->sweeps, i), part, error));
fail:
    return status;
}

// ---- Slabs

static mst_status finish(skewed_sweeps *k, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_queue_finish(&k->store.up, error));
    MST_TRY(mst_queue_finish(&k->base.queue, error));
    MST_TRY(mst_queue_finish(&k->store.down, error));
fail:
    return status;
}

static mst_window window_of(const skewed_sweeps *k, const cl_mem *buffers, int n) {
    const mst_padded *a = &k->sweeps->padded;
    mst_window w = {.planes = k->ring.planes,
                    .rows = a->plane_pitch / a->pitch,
                    .columns = a->pitch,
                    .first_plane = k->first,
                    .begin = a->first};
    for (int i = 0; i < n; i++)
        w.buffers[i] = buffers[i];
    return w;
}

static mst_box box_of(const skewed_sweeps *k, mst_plane_range planes) {
    mst_box box = mst_plan_grid(k->with->problem);
    box.from[PLANES] = planes.from;
    box.to[PLANES] = planes.to;
    return box;
}

// Slab j takes the place of slab j - 3, and of what slab j - 2 read last.
static mst_status upload(skewed_sweeps *k, int64_t sweeps, int64_t j, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    const int64_t slot = j % SLOTS;
    const mst_problem *p = k->with->problem;
    const mst_box box = box_of(k, mst_ring_up(&k->ring, sweeps, j));
    const mst_window state = window_of(k, k->states[0].arrays, mst_moved_arrays(k->with->problem));
    const mst_window coefficients = window_of(k, k->states[0].coefficients, p->n_coefficients);
    MST_TRY(mst_store_settle(&k->store, &k->up[slot], error));
    MST_TRY(mst_store_settle(&k->store, &k->coefficients_up[slot], error));
    MST_TRY(mst_event_barrier(&k->store.up, &k->computed[(j + 1) % SLOTS], error));
    MST_TRY(mst_event_barrier(&k->store.up, &k->out[slot].moved, error));
    MST_TRY(mst_store_upload(&k->store, k->store.copies * p->n_arrays, p->n_coefficients, &box, &coefficients,
                             &k->coefficients_up[slot], NULL, error, &traffic->upload_bytes));
    MST_TRY(mst_store_upload(&k->store, k->current * p->n_arrays, mst_moved_arrays(k->with->problem), &box, &state, &k->up[slot],
                             NULL, error, &traffic->upload_bytes));
    if (!k->with->plan->overlap)
        MST_TRY(finish(k, error));
fail:
    return status;
}

// The margins of what has come up.
static mst_status complete(skewed_sweeps *k, mst_plane_range planes, uint64_t row, mst_error *error) {
    mst_status status = MST_OK;
    while (planes.from < planes.to) {
        const mst_sweep_part part = part_of(k, planes);
        MST_TRY(mst_sweeper_fill_margins(k->with->sweeper, &k->base.queue, &k->states[0], row, &part, error));
        MST_TRY(close_all(k, &part, error));
        planes.from += part.to - part.from;
    }
fail:
    return status;
}

static mst_status sweep(skewed_sweeps *k, int64_t number, mst_plane_range planes, uint64_t row, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = k->with->problem;
    const int s = (int)(number % k->sweeps->n);
    while (planes.from < planes.to) {
        const mst_sweep_part part = part_of(k, planes);
        MST_TRY(mst_sweeper_sweep(k->with->sweeper, &k->base.queue, s, &k->states[number], &k->states[number + 1], row, &part,
                                  error));
        for (int u = k->sweeps->first[s]; u < k->sweeps->first[s + 1]; u++) {
            const mst_problem_field *field = &p->fields[p->updates[u].field];
            if (k->sweeps->has_margin[p->updates[u].field])
                MST_TRY(close_ring(k, k->states[number + 1].arrays[field->array], p->elements[field->array], &part, error));
        }
        planes.from += part.to - part.from;
    }
fail:
    return status;
}

static mst_status compute(skewed_sweeps *k, int64_t sweeps, int64_t j, uint64_t row, mst_error *error) {
    mst_status status = MST_OK;
    mst_queue *queue = &k->base.queue;
    MST_TRY(mst_event_barrier(queue, &k->up[j % SLOTS].moved, error));
    MST_TRY(mst_event_barrier(queue, &k->coefficients_up[j % SLOTS].moved, error));
    MST_TRY(complete(k, mst_ring_up(&k->ring, sweeps, j), row, error));
    for (int64_t s = 0; s < sweeps; s++)
        MST_TRY(sweep(k, s, mst_ring_sweep(&k->ring, sweeps, j, s), row + (uint64_t)(s / k->sweeps->n), error));
    mst_event_drop(&k->computed[j % SLOTS]);
    MST_TRY(mst_queue_mark(queue, false, &k->computed[j % SLOTS], error));
    MST_TRY_CL(clFlush(queue->opencl), "cannot queue a slab");
    if (!k->with->plan->overlap)
        MST_TRY(finish(k, error));
fail:
    return status;
}

static mst_status download(skewed_sweeps *k, int64_t sweeps, int64_t j, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = k->with->problem;
    const mst_box box = box_of(k, mst_ring_down(&k->ring, sweeps, j));
    const mst_window state = window_of(k, k->states[sweeps].arrays, mst_moved_arrays(k->with->problem));
    const int to = k->store.copies > 1 ? !k->current : 0;
    mst_staging *slot = &k->out[j % SLOTS];
    MST_TRY(mst_store_settle(&k->store, slot, error));
    MST_TRY(mst_event_barrier(&k->store.down, &k->computed[j % SLOTS], error));
    MST_TRY(mst_store_download(&k->store, to * p->n_arrays, mst_moved_arrays(k->with->problem), &box, &state, slot, NULL, error,
                               &traffic->download_bytes));
    if (!k->with->plan->overlap)
        MST_TRY(finish(k, error));
fail:
    return status;
}

static mst_status settle(mst_schedule *schedule, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    skewed_sweeps *k = (skewed_sweeps *)schedule;
    (void)traffic;
    for (int i = 0; i < SLOTS; i++) {
        MST_TRY(mst_store_settle(&k->store, &k->up[i], error));
        MST_TRY(mst_store_settle(&k->store, &k->coefficients_up[i], error));
        MST_TRY(mst_store_settle(&k->store, &k->out[i], error));
    }
    MST_TRY(finish(k, error));
    mst_events_drop(k->computed, SLOTS);
fail:
    return status;
}

static mst_status advance(mst_schedule *schedule, uint64_t n, uint64_t row, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    skewed_sweeps *k = (skewed_sweeps *)schedule;
    const int64_t sweeps = (int64_t)n * k->sweeps->n, slabs = mst_ring_slabs(&k->ring, sweeps);
    k->first = mst_ring_first(&k->ring, sweeps);
    for (int64_t s = 0; s < sweeps; s++) {
        k->states[s + 1] = k->states[s];
        mst_sweeper_rotate(k->with->sweeper, (int)(s % k->sweeps->n), &k->states[s + 1]);
    }
    MST_TRY(upload(k, sweeps, 0, traffic, error));
    for (int64_t j = 0; j < slabs; j++) {
        MST_TRY(compute(k, sweeps, j, row, error));
        if (j + 1 < slabs)
            MST_TRY(upload(k, sweeps, j + 1, traffic, error));
        MST_TRY(download(k, sweeps, j, traffic, error));
    }
    MST_TRY(settle(schedule, traffic, error));
    mst_resident_keep(k->sweeps, &k->states[0], &k->states[sweeps]);
    k->current = k->store.copies > 1 ? !k->current : 0;
fail:
    return status;
}

// After a run that failed; the queues may still work on what is to be released.
static void abandon(mst_schedule *schedule) {
    skewed_sweeps *k = (skewed_sweeps *)schedule;
    mst_queue_abandon(&k->store.up);
    mst_queue_abandon(&k->base.queue);
    mst_queue_abandon(&k->store.down);
    for (int i = 0; i < SLOTS; i++) {
        mst_staging_abandon(&k->up[i]);
        mst_staging_abandon(&k->coefficients_up[i]);
        mst_staging_abandon(&k->out[i]);
    }
    mst_events_drop(k->computed, SLOTS);
}

// ---- The state in the store

static mst_status get(mst_schedule *schedule, int array, uint64_t first, uint64_t count, void *to, mst_error *error) {
    skewed_sweeps *k = (skewed_sweeps *)schedule;
    if (mst_is_resident(k->with->problem, array))
        return mst_resident_copy(k->sweeps, &k->base.queue, &k->states[0], array, first, count, false, to, error);
    return mst_store_get(&k->store, k->current, array, first, count, to, error);
}

static mst_status put(mst_schedule *schedule, int array, uint64_t first, uint64_t count, const void *from, mst_error *error) {
    skewed_sweeps *k = (skewed_sweeps *)schedule;
    if (mst_is_resident(k->with->problem, array))
        return mst_resident_copy(k->sweeps, &k->base.queue, &k->states[0], array, first, count, true, (void *)from, error);
    return mst_store_put(&k->store, k->current, array, first, count, from, error);
}

static const void *see(const mst_schedule *schedule, int array, uint64_t first) {
    const skewed_sweeps *k = (const skewed_sweeps *)schedule;
    return mst_is_resident(k->with->problem, array) ? NULL : mst_store_see(&k->store, k->current, array, first);
}

static mst_status count_nonfinite(mst_schedule *schedule, int array, uint64_t *count, mst_error *error) {
    skewed_sweeps *k = (skewed_sweeps *)schedule;
    if (mst_is_resident(k->with->problem, array))
        return mst_resident_count_nonfinite(k->sweeps, &k->base.queue, &k->states[0], array, count, error);
    return mst_store_count_nonfinite(&k->store, k->current, array, count, error);
}

static void lend(mst_schedule *schedule, int array, mst_loan *out) {
    (void)array;
    *out = mst_schedule_loan(schedule, ((skewed_sweeps *)schedule)->states[0].arrays[0]);
}

static mst_status take_memory(skewed_sweeps *k, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = k->with->problem;
    const mst_allocation *state = &k->with->plan->footprint.parts[MST_FOOTPRINT_STATE];
    const mst_allocation *held = &k->with->plan->footprint.parts[MST_FOOTPRINT_COEFFICIENTS];
    mst_sweep_state *all = &k->states[0];
    MST_TRY(
        mst_memory_take(k->with->context, state, p->elements, (uint64_t)mst_moved_arrays(k->with->problem), all->arrays, error));
    MST_TRY(mst_resident_take(k->with->context, k->sweeps, &k->base.queue,
                              k->with->plan->footprint.parts[MST_FOOTPRINT_LEVELS].what, all, error));
    for (int i = 0; i < mst_moved_spares(k->sweeps); i++) {
        const size_t element = mst_sweeps_spare_element(k->sweeps, i);
        MST_TRY(mst_memory_take(k->with->context, state, &element, 1, &all->spares[i], error));
    }
    MST_TRY(mst_memory_take(k->with->context, held, p->elements + p->n_arrays, (uint64_t)p->n_coefficients, all->coefficients,
                            error));
fail:
    return status;
}

static void give(skewed_sweeps *k) {
    const mst_problem *p = k->with->problem;
    const mst_allocation *state = &k->with->plan->footprint.parts[MST_FOOTPRINT_STATE];
    const mst_allocation *held = &k->with->plan->footprint.parts[MST_FOOTPRINT_COEFFICIENTS];
    mst_sweep_state *all = &k->states[0];
    mst_memory_give(k->with->context, state, p->elements, (uint64_t)mst_moved_arrays(k->with->problem), all->arrays);
    mst_resident_give(k->with->context, k->sweeps, all);
    for (int i = 0; i < mst_moved_spares(k->sweeps); i++) {
        const size_t element = mst_sweeps_spare_element(k->sweeps, i);
        mst_memory_give(k->with->context, state, &element, 1, &all->spares[i]);
    }
    mst_memory_give(k->with->context, held, p->elements + p->n_arrays, (uint64_t)p->n_coefficients, all->coefficients);
}

static void destroy(mst_schedule *schedule) {
    skewed_sweeps *k = (skewed_sweeps *)schedule;
    for (int i = 0; i < SLOTS; i++) {
        mst_staging_release(&k->store, &k->up[i]);
        mst_staging_release(&k->store, &k->coefficients_up[i]);
        mst_staging_release(&k->store, &k->out[i]);
    }
    mst_events_drop(k->computed, SLOTS);
    if (k->states)
        give(k);
    mst_queue_release(&k->base.queue);
    mst_store_release(&k->store);
    free(k->states);
    free(k);
}

static const mst_schedule_kind kind = {destroy, advance, settle, abandon, get,  put,  count_nonfinite,
                                       NULL,    lend,    NULL,   NULL,    NULL, NULL, see};

static mst_status take(skewed_sweeps *k, mst_error *error) {
    mst_status status = MST_OK;
    const mst_allocation *parts = k->with->plan->footprint.parts;
    MST_REQUIRE(k->states = calloc((size_t)k->ring.most + 1, sizeof *k->states), MST_ERROR_HOST_MEMORY,
                "out of memory for a schedule");
    MST_TRY(take_memory(k, error));
    for (int i = 0; i < SLOTS; i++) {
        MST_TRY(mst_staging_create(&k->store, &parts[MST_FOOTPRINT_STAGING_UP], &k->up[i], error));
        MST_TRY(mst_staging_create(&k->store, &parts[MST_FOOTPRINT_STAGING_DOWN], &k->out[i], error));
        MST_TRY(mst_staging_create(&k->store, &parts[MST_FOOTPRINT_STAGING_COEFFICIENTS], &k->coefficients_up[i], error));
    }
fail:
    return status;
}

mst_status mst_skewed_sweeping_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error) {
    mst_status status = MST_OK;
    skewed_sweeps *k = calloc(1, sizeof *k);
    MST_REQUIRE(k, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    k->base = mst_schedule_base(&kind, desc);
    k->with = &k->base.with;
    k->sweeps = &desc->sweeper->sweeps;
    k->ring = desc->plan->ring;
    *out = &k->base;
    MST_TRY(mst_store_create(desc->context, desc->problem, desc->plan, desc->file, desc->file_offset, &k->store, error));
    MST_TRY(take(k, error));
fail:
    return status;
}
