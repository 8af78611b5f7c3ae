// The whole state stays on the device, twice: m steps go from one copy to the other.
#include "boxes.h"
#include "memory.h"
#include "nonfinite.h"
#include "runtime/context.h"
#include "schedule.h"

#include <stdlib.h>

typedef struct in_core {
    mst_schedule base;
    mst_window state[2], coefficients;
    int current;         // of the copies, the one that holds the state
    cl_mem counts;       // where values that are infinite or NaN are counted, if not where the next step goes
    mst_counter counter; // of values that are infinite or NaN
} in_core;

static mst_status take(const in_core *c, mst_footprint_part part, int n, mst_window *window, mst_error *error) {
    const mst_problem *p = c->base.with.problem;
    window->planes = (int64_t)p->grid[PLANES];
    window->rows = (int64_t)p->grid[ROWS];
    window->columns = (int64_t)p->grid[COLUMNS];
    return mst_memory_take(c->base.with.context, &c->base.with.plan->footprint.parts[part],
                           p->elements + (part == MST_FOOTPRINT_STATE ? 0 : p->n_arrays), (uint64_t)n, window->buffers, error);
}

static void destroy(mst_schedule *schedule) {
    in_core *c = (in_core *)schedule;
    const mst_allocation *parts = c->base.with.plan->footprint.parts;
    const mst_problem *p = c->base.with.problem;
    for (int k = 0; k < 2; k++)
        mst_memory_give(c->base.with.context, &parts[MST_FOOTPRINT_STATE], p->elements, (uint64_t)p->n_arrays,
                        c->state[k].buffers);
    mst_memory_give(c->base.with.context, &parts[MST_FOOTPRINT_COEFFICIENTS], p->elements + p->n_arrays,
                    (uint64_t)p->n_coefficients, c->coefficients.buffers);
    mst_memory_give(c->base.with.context, &parts[MST_FOOTPRINT_RESULT], NULL, 1, &c->counts);
    mst_counter_release(&c->counter);
    mst_queue_release(&c->base.queue);
    free(c);
}

static mst_status advance(mst_schedule *schedule, uint64_t n, uint64_t row, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    in_core *c = (in_core *)schedule;
    const mst_schedule_desc *with = &c->base.with;
    const mst_box grid = mst_plan_grid(with->problem);
    (void)traffic;
    while (n > 0) {
        const mst_stepper *stepper = &with->steppers[n >= with->plan->fuse ? 0 : 1];
        MST_TRY(mst_stepper_enqueue(stepper, &schedule->queue, &c->state[c->current], &c->state[!c->current], &c->coefficients,
                                    &grid, 1, row, error));
        c->current = !c->current;
        row += (uint64_t)stepper->pipeline.m;
        n -= (uint64_t)stepper->pipeline.m;
    }
fail:
    return status;
}

// ---- Nodes beside cuts first

enum { MOST_PASSES = 16 };

// Passes over the nodes beside cuts and the rest, from one of the copies on.
typedef struct passes {
    in_core *schedule;
    int from;
    size_t n;
    const mst_stepper *steppers[MOST_PASSES];
    uint64_t rows[MOST_PASSES];
    mst_cuts_launch launches[MOST_PASSES];
} passes;

static int64_t reach_of(const mst_stepper *stepper, int axis) {
    return mst_larger((int64_t)stepper->pipeline.low[axis], (int64_t)stepper->pipeline.high[axis]);
}

// The passes of n steps; none if there are too many.
static passes list_passes(in_core *c, uint64_t n, uint64_t row) {
    const mst_schedule_desc *with = &c->base.with;
    passes p = {.schedule = c, .from = c->current};
    for (; n > 0 && p.n < MOST_PASSES; p.n++) {
        const mst_stepper *stepper = p.steppers[p.n] = &with->steppers[n >= with->plan->fuse ? 0 : 1];
        p.rows[p.n] = row;
        row += (uint64_t)stepper->pipeline.m;
        n -= (uint64_t)stepper->pipeline.m;
    }
    for (size_t k = p.n; k-- > 1;)
        for (int axis = 0; axis < N_AXES; axis++)
            p.launches[k - 1].beyond[axis] =
                p.launches[k].beyond[axis] + mst_larger(reach_of(p.steppers[k], axis), reach_of(p.steppers[k - 1], axis));
    p.n = n > 0 ? 0 : p.n;
    return p;
}

static mst_status enqueue_pass(void *user, size_t k, const mst_box *box, mst_error *error) {
    const passes *p = user;
    in_core *c = p->schedule;
    const int from = (p->from + (int)k) % 2;
    return mst_stepper_enqueue(p->steppers[k], &c->base.queue, &c->state[from], &c->state[!from], &c->coefficients, box, 1,
                               p->rows[k], error);
}

static mst_status advance_cuts(mst_schedule *schedule, uint64_t n, uint64_t row, const mst_cuts *cuts, mst_cuts_given *given,
                               void *user, mst_error *error) {
    mst_status status = MST_OK;
    in_core *c = (in_core *)schedule;
    passes p = list_passes(c, n, row);
    if (p.n == 0 || !mst_cuts_leave_rest(cuts, &p.launches[0])) {
        MST_TRY(advance(schedule, n, row, NULL, error));
        return given(user, error);
    }
    c->current = (c->current + (int)p.n) % 2;
    MST_TRY(mst_cuts_enqueue(cuts, p.launches, p.n, enqueue_pass, &p, given, user, error));
fail:
    return status;
}

mst_status mst_in_core_settle(mst_schedule *schedule, mst_traffic *traffic, mst_error *error) {
    (void)traffic;
    return mst_queue_finish(&schedule->queue, error);
}

void mst_in_core_abandon(mst_schedule *schedule) { mst_queue_abandon(&schedule->queue); }

static cl_mem buffer_of(const in_core *c, int array) {
    int n = c->base.with.problem->n_arrays;
    return array < n ? c->state[c->current].buffers[array] : c->coefficients.buffers[array - n];
}

static bool is_memory(const mst_problem *p, int array) { return array < p->n_arrays && p->layer_axes[array] >= 0; }

static mst_boxes lie(const mst_schedule *schedule, int array) {
    const mst_problem *p = schedule->with.problem;
    const mst_padded whole = {.pitch = (int64_t)p->grid[COLUMNS], .plane_pitch = (int64_t)p->plane};
    return mst_boxes_make(p, array, &whole, 0);
}

// A memory variable has elements for all nodes.
static mst_status copy_memory(in_core *c, int array, uint64_t first, uint64_t count, bool up, void *host, mst_error *error) {
    const mst_boxes boxes = lie(&c->base, array);
    return mst_boxes_copy(&boxes, &c->base.queue, buffer_of(c, array), first, count, up, host, error);
}

static mst_status get(mst_schedule *schedule, int array, uint64_t first, uint64_t count, void *to, mst_error *error) {
    mst_status status = MST_OK;
    if (is_memory(schedule->with.problem, array))
        return copy_memory((in_core *)schedule, array, first, count, false, to, error);
    size_t e = schedule->with.problem->elements[array];
    MST_TRY(mst_queue_read(&schedule->queue, buffer_of((in_core *)schedule, array), (size_t)first * e, (size_t)count * e, to,
                           "the state", error));
    return MST_OK;
fail:
    mst_queue_abandon(&schedule->queue);
    return status;
}

static mst_status put(mst_schedule *schedule, int array, uint64_t first, uint64_t count, const void *from, mst_error *error) {
    mst_status status = MST_OK;
    if (is_memory(schedule->with.problem, array))
        return copy_memory((in_core *)schedule, array, first, count, true, (void *)from, error);
    size_t e = schedule->with.problem->elements[array];
    MST_TRY(mst_queue_write(&schedule->queue, CL_TRUE, buffer_of((in_core *)schedule, array), (size_t)first * e,
                            (size_t)count * e, from, "the state", error));
    MST_TRY(mst_queue_finish(&schedule->queue, error));
    return MST_OK;
fail:
    mst_queue_abandon(&schedule->queue);
    return status;
}

static cl_long8 grid_of(const mst_problem *p) {
    return (cl_long8){{(cl_long)p->grid[PLANES], (cl_long)p->grid[ROWS], (cl_long)p->grid[COLUMNS], (cl_long)p->grid[COLUMNS],
                       (cl_long)p->plane, 0}};
}

static mst_status move(mst_schedule *schedule, mst_queue *queue, int array, const uint64_t from[N_AXES],
                       const uint64_t count[N_AXES], bool up, void *host, mst_error *error) {
    const mst_boxes boxes = lie(schedule, array);
    return mst_boxes_enqueue(&boxes, queue, buffer_of((in_core *)schedule, array), from, count, up, host, error);
}

static mst_status count_nonfinite(mst_schedule *schedule, int array, uint64_t *count, mst_error *error) {
    const in_core *c = (in_core *)schedule;
    const mst_problem *p = schedule->with.problem;
    const cl_long8 grid = grid_of(p);
    return mst_counter_count(&c->counter, array, buffer_of(c, array), &grid,
                             c->counts ? c->counts : c->state[!c->current].buffers[0], count, error);
}

static void view(const mst_schedule *schedule, int array, mst_loan *out) {
    const mst_problem *p = schedule->with.problem;
    *out = (mst_loan){buffer_of((const in_core *)schedule, array), p->nodes, true, grid_of(p)};
}

static void lend(mst_schedule *schedule, int array, mst_loan *out) { view(schedule, array, out); }

static const mst_schedule_kind kind = {
    destroy, advance, mst_in_core_settle, mst_in_core_abandon, get, put, count_nonfinite, view, lend, NULL, move, advance_cuts,
    lie,     NULL};

// Nothing is put to nodes outside layers, and kernels may leave them as they are.
static mst_status clear_memories(in_core *c, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = c->base.with.problem;
    mst_queue *queue = &c->base.queue;
    for (int a = 0; a < p->n_arrays; a++)
        if (is_memory(p, a))
            for (int k = 0; k < 2; k++)
                MST_TRY(mst_queue_fill(queue, c->state[k].buffers[a], 0, (size_t)p->nodes * p->elements[a], "the state", error));
fail:
    return status;
}

mst_status mst_in_core_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error) {
    mst_status status = MST_OK;
    in_core *c = calloc(1, sizeof *c);
    MST_REQUIRE(c, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    c->base = mst_schedule_base(&kind, desc);
    *out = &c->base;
    for (int k = 0; k < 2; k++)
        MST_TRY(take(c, MST_FOOTPRINT_STATE, desc->problem->n_arrays, &c->state[k], error));
    MST_TRY(clear_memories(c, error));
    MST_TRY(take(c, MST_FOOTPRINT_COEFFICIENTS, desc->problem->n_coefficients, &c->coefficients, error));
    const mst_allocation *counts = &desc->plan->footprint.parts[MST_FOOTPRINT_RESULT];
    MST_TRY(mst_memory_take(desc->context, counts, NULL, counts->count, &c->counts, error));
    if (desc->counts)
        MST_TRY(mst_counter_create(desc->context, desc->problem, &c->counter, error));
fail:
    return status;
}
