// The whole state stays on the device, in arrays with margins, and every sub-step is a pass over it.
#include "memory.h"
#include "nonfinite.h"
#include "runtime/context.h"
#include "runtime/numbers.h"
#include "schedule.h"
#include "stencil/kernels/sweeper.h"

#include <stdlib.h>

typedef struct sweeping {
    mst_schedule base;
    mst_sweep_state state;
    bool has_margins;    // they are filled
    mst_counter counter; // of values that are infinite or NaN,
    cl_mem counts;       // and its counts
} sweeping;

static const mst_sweeps *sweeps_of(const sweeping *c) { return &c->base.with.sweeper->sweeps; }

static void destroy(mst_schedule *schedule) {
    sweeping *c = (sweeping *)schedule;
    const mst_allocation *parts = c->base.with.plan->footprint.parts;
    mst_context *context = c->base.with.context;
    const mst_problem *p = c->base.with.problem;
    mst_memory_give(context, &parts[MST_FOOTPRINT_STATE], p->elements, (uint64_t)p->n_arrays, c->state.arrays);
    mst_memory_give(context, &parts[MST_FOOTPRINT_STATE], sweeps_of(c)->spare_elements, (uint64_t)sweeps_of(c)->n_spares,
                    c->state.spares);
    mst_memory_give(context, &parts[MST_FOOTPRINT_COEFFICIENTS], p->elements + p->n_arrays, (uint64_t)p->n_coefficients,
                    c->state.coefficients);
    mst_memory_give(context, &parts[MST_FOOTPRINT_RESULT], NULL, 1, &c->counts);
    mst_counter_release(&c->counter);
    mst_queue_release(&c->base.queue);
    free(c);
}

static mst_status advance(mst_schedule *schedule, uint64_t n, uint64_t row, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    sweeping *c = (sweeping *)schedule;
    const mst_schedule_desc *with = &c->base.with;
    mst_queue *queue = &schedule->queue;
    (void)traffic;
    if (!c->has_margins)
        MST_TRY(mst_sweeper_fill_margins(with->sweeper, queue, &c->state, row, error));
    c->has_margins = true;
    MST_TRY(mst_sweeper_steps(with->sweeper, queue, &c->state, n, row, error));
fail:
    return status;
}

// ---- Packed elements from and to padded arrays

typedef struct copy_to {
    sweeping *c;
    cl_mem buffer;
    size_t element; // bytes
    bool up;
    unsigned char *host;
} copy_to;

// A box of nodes, from node `from` on, from or to packed memory.
static mst_status copy_box(const copy_to *t, const uint64_t from[N_AXES], const uint64_t count[N_AXES], mst_error *error) {
    const mst_padded *a = &sweeps_of(t->c)->padded;
    const size_t e = t->element, pitch = (size_t)a->pitch * e, plane = (size_t)a->plane_pitch * e;
    const size_t at =
        (size_t)(a->first + (int64_t)from[PLANES] * a->plane_pitch + (int64_t)from[ROWS] * a->pitch + (int64_t)from[COLUMNS]) * e;
    const size_t region[] = {(size_t)count[COLUMNS] * e, (size_t)count[ROWS], (size_t)count[PLANES]}, zero[] = {0, 0, 0};
    const size_t place[] = {at % pitch, at % plane / pitch, at / plane};
    const size_t packed_row = region[0], packed_plane = packed_row * region[1];
    mst_queue *queue = &t->c->base.queue;
    cl_event event = NULL;
    const cl_int code = t->up ? clEnqueueWriteBufferRect(queue->opencl, t->buffer, CL_TRUE, place, zero, region, pitch, plane,
                                                         packed_row, packed_plane, t->host, 0, NULL, &event)
                              : clEnqueueReadBufferRect(queue->opencl, t->buffer, CL_TRUE, place, zero, region, pitch, plane,
                                                        packed_row, packed_plane, t->host, 0, NULL, &event);
    mst_status status = MST_OK;
    MST_TRY_CL(code, t->up ? "cannot upload the state" : "cannot download the state");
    MST_TRY(mst_queue_add(queue, event, "a copy of the state", NULL, error));
fail:
    return status;
}

// Elements first.. of the grid in boxes: whole planes, whole rows of a plane, or a part of a row at a time.
static mst_status copy_range(copy_to *t, uint64_t first, uint64_t count, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = t->c->base.with.problem;
    const uint64_t columns = p->grid[COLUMNS], plane = p->plane;
    while (count > 0) {
        const uint64_t from[] = {first / plane, first / columns % p->grid[ROWS], first % columns};
        uint64_t box[] = {1, 1, mst_smaller(count, columns - from[COLUMNS])};
        if (from[COLUMNS] == 0 && count >= columns)
            box[ROWS] = mst_smaller(count / columns, p->grid[ROWS] - from[ROWS]);
        if (from[COLUMNS] == 0 && from[ROWS] == 0 && count >= plane)
            box[PLANES] = count / plane;
        const uint64_t n = box[PLANES] * box[ROWS] * box[COLUMNS];
        MST_TRY(copy_box(t, from, box, error));
        t->host += n * t->element;
        first += n;
        count -= n;
    }
    MST_TRY(mst_queue_finish(&t->c->base.queue, error));
    return MST_OK;
fail:
    mst_queue_abandon(&t->c->base.queue);
    return status;
}

static cl_mem buffer_of(const sweeping *c, int array) {
    const int n = c->base.with.problem->n_arrays;
    return array < n ? c->state.arrays[array] : c->state.coefficients[array - n];
}

static mst_status get(mst_schedule *schedule, int array, uint64_t first, uint64_t count, void *to, mst_error *error) {
    sweeping *c = (sweeping *)schedule;
    copy_to t = {c, buffer_of(c, array), schedule->with.problem->elements[array], false, to};
    return copy_range(&t, first, count, error);
}

static mst_status put(mst_schedule *schedule, int array, uint64_t first, uint64_t count, const void *from, mst_error *error) {
    sweeping *c = (sweeping *)schedule;
    copy_to t = {c, buffer_of(c, array), schedule->with.problem->elements[array], true, (unsigned char *)from};
    c->has_margins = false;
    return copy_range(&t, first, count, error);
}

static mst_status count_nonfinite(mst_schedule *schedule, int array, uint64_t *count, mst_error *error) {
    const sweeping *c = (sweeping *)schedule;
    const cl_long8 grid = mst_sweeps_grid(sweeps_of(c));
    return mst_counter_count(&c->counter, array, buffer_of(c, array), &grid, c->counts, count, error);
}

static void view(const mst_schedule *schedule, int array, mst_loan *out) {
    const sweeping *c = (const sweeping *)schedule;
    *out = (mst_loan){buffer_of(c, array), sweeps_of(c)->padded.elements, true, mst_sweeps_grid(sweeps_of(c))};
}

static void lend(mst_schedule *schedule, int array, mst_loan *out) {
    view(schedule, array, out);
    ((sweeping *)schedule)->has_margins = false;
}

static const mst_schedule_kind kind = {destroy, advance, mst_in_core_settle, mst_in_core_abandon, get, put, count_nonfinite,
                                       view,    lend};

mst_status mst_sweeping_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_allocation *parts = desc->plan->footprint.parts;
    sweeping *c = calloc(1, sizeof *c);
    MST_REQUIRE(c, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    c->base = (mst_schedule){&kind, *desc, MST_QUEUE(desc->context, desc->context->compute)};
    *out = &c->base;
    const mst_problem *p = desc->problem;
    MST_TRY(
        mst_memory_take(desc->context, &parts[MST_FOOTPRINT_STATE], p->elements, (uint64_t)p->n_arrays, c->state.arrays, error));
    MST_TRY(mst_memory_take(desc->context, &parts[MST_FOOTPRINT_STATE], sweeps_of(c)->spare_elements,
                            (uint64_t)sweeps_of(c)->n_spares, c->state.spares, error));
    MST_TRY(mst_memory_take(desc->context, &parts[MST_FOOTPRINT_COEFFICIENTS], p->elements + p->n_arrays,
                            (uint64_t)p->n_coefficients, c->state.coefficients, error));
    MST_TRY(mst_memory_take(desc->context, &parts[MST_FOOTPRINT_RESULT], NULL, 1, &c->counts, error));
    if (desc->counts)
        MST_TRY(mst_counter_create(desc->context, p, &c->counter, error));
fail:
    return status;
}
