#include "around.h"

#include "memory.h"
#include "runtime/numbers.h"
#include "stencil/kernels/sweep_around.h"
#include "stencil/plan/middle.h"

static int state_arrays(const mst_problem *p) { return p->n_arrays - p->n_memories; } // those of layers are sweeps' alone

static const size_t *coefficient_elements(const mst_problem *p) { return p->elements + p->n_arrays; }

static void set_window(const mst_middle *m, mst_window *w) {
    w->planes = m->window.to[PLANES] - m->window.from[PLANES];
    w->rows = m->window.to[ROWS] - m->window.from[ROWS];
    w->columns = m->window.to[COLUMNS] - m->window.from[COLUMNS];
    w->first_plane = m->window.from[PLANES];
    w->first_row = m->window.from[ROWS];
    w->first_column = m->window.from[COLUMNS];
}

mst_status mst_around_take(const mst_schedule_desc *with, mst_around *a, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = with->problem;
    const mst_allocation *part = &with->plan->footprint.parts[MST_FOOTPRINT_LEVELS];
    *a = (mst_around){.current = 0};
    if (with->plan->middle.m == 0)
        return MST_OK;
    MST_TRY(mst_queue_create(with->context, &a->beside, error));
    for (int k = 0; k < 2; k++) {
        set_window(&with->plan->middle, &a->windows[k]);
        MST_TRY(mst_memory_take(with->context, part, p->elements, (uint64_t)state_arrays(p), a->windows[k].buffers, error));
    }
    set_window(&with->plan->middle, &a->coefficients);
    MST_TRY(mst_memory_take(with->context, part, coefficient_elements(p), (uint64_t)p->n_coefficients, a->coefficients.buffers,
                            error));
fail:
    return status;
}

void mst_around_give(const mst_schedule_desc *with, mst_around *a) {
    const mst_problem *p = with->problem;
    const mst_allocation *part = &with->plan->footprint.parts[MST_FOOTPRINT_LEVELS];
    if (with->plan->middle.m == 0)
        return;
    mst_queue_release(&a->beside);
    for (int k = 0; k < 2; k++)
        mst_memory_give(with->context, part, p->elements, (uint64_t)state_arrays(p), a->windows[k].buffers);
    mst_memory_give(with->context, part, coefficient_elements(p), (uint64_t)p->n_coefficients, a->coefficients.buffers);
}

// ---- Copies between the arrays and a window

static cl_long4 layout_of(const mst_window *w) {
    const int64_t plane = w->rows * w->columns;
    return (cl_long4){{plane, w->columns, -(w->first_plane * plane + w->first_row * w->columns + w->first_column)}};
}

// Of arrays, which have elements of so many bytes, what lies in a box without a hole.
static mst_status copy(const mst_schedule_desc *with, mst_queue *queue, const cl_mem *arrays, const size_t *elements, int n,
                       const mst_window *window, bool to_window, const mst_box *box, const mst_box *hole, mst_error *error) {
    mst_status status = MST_OK;
    const mst_padded *padded = &with->sweeper->sweeps.padded;
    const cl_long4 own = layout_of(window), other = {{padded->plane_pitch, padded->pitch, padded->first}};
    for (int half = 0; half < 2; half++) {
        mst_sweep_copy c = {.from_layout = to_window ? other : own, .to_layout = to_window ? own : other};
        for (int k = 0; k < n; k++) {
            if ((elements[k] == 2) != half)
                continue;
            c.from[c.n] = to_window ? arrays[k] : window->buffers[k];
            c.to[c.n++] = to_window ? window->buffers[k] : arrays[k];
            if (c.n < MST_SWEEP_COPIED)
                continue;
            MST_TRY(mst_sweeper_copy(with->sweeper, queue, half, &c, box, hole, error));
            c.n = 0;
        }
        MST_TRY(mst_sweeper_copy(with->sweeper, queue, half, &c, box, hole, error));
    }
fail:
    return status;
}

static mst_status copy_state(const mst_schedule_desc *with, mst_queue *queue, const mst_sweep_state *state,
                             const mst_window *window, bool to_window, const mst_box *box, const mst_box *hole,
                             mst_error *error) {
    const mst_problem *p = with->problem;
    return copy(with, queue, state->arrays, p->elements, state_arrays(p), window, to_window, box, hole, error);
}

static const mst_box nothing = {{0}, {0}};

static mst_status load(const mst_schedule_desc *with, mst_around *a, mst_queue *queue, const mst_sweep_state *state,
                       mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = with->problem;
    const mst_middle *m = &with->plan->middle;
    MST_TRY(copy_state(with, queue, state, &a->windows[a->current], true, &m->grown, &nothing, error));
    MST_TRY(copy(with, queue, state->coefficients, coefficient_elements(p), p->n_coefficients, &a->coefficients, true, &m->held,
                 &nothing, error));
    a->is_there = true;
    a->is_newer = false;
fail:
    return status;
}

// Of the middle what the sweeps of the next pass read, and around it what its kernel does.
static mst_status exchange(const mst_schedule_desc *with, const mst_around *a, mst_queue *queue, const mst_sweep_state *state,
                           mst_error *error) {
    mst_status status = MST_OK;
    const mst_middle *m = &with->plan->middle;
    const mst_box hole = mst_middle_hole(m, m->sweeps);
    const mst_window *window = &a->windows[a->current];
    MST_TRY(copy_state(with, queue, state, window, true, &m->grown, &m->box, error));
    MST_TRY(copy_state(with, queue, state, window, false, &m->box, &hole, error));
fail:
    return status;
}

// ---- Steps

static mst_status sweep(const mst_schedule_desc *with, mst_queue *queue, mst_sweep_state *state, uint64_t row, mst_error *error) {
    mst_status status = MST_OK;
    const mst_middle *m = &with->plan->middle;
    const mst_sweeper *s = with->sweeper;
    for (int k = 0; k < m->sweeps; k++) {
        mst_sweep_state after = *state;
        mst_sweep_part part = mst_sweeps_whole(&s->sweeps);
        part.hole = mst_middle_hole(m, m->sweeps - 1 - k);
        part.recorded = m->box;
        mst_sweeper_rotate(s, k % s->sweeps.n, &after);
        MST_TRY(mst_sweeper_sweep(s, queue, k % s->sweeps.n, state, &after, row + (uint64_t)(k / s->sweeps.n), &part, error));
        *state = after;
    }
fail:
    return status;
}

// The kernel of the middle is queued first, so that sweeps take what room it leaves, and all of it at its end.
mst_status mst_around_pass(const mst_schedule_desc *with, mst_around *a, mst_queue *queue, mst_sweep_state *state, uint64_t row,
                           mst_error *error) {
    mst_status status = MST_OK;
    cl_event ready = NULL, done = NULL;
    if (!a->is_there)
        MST_TRY(load(with, a, queue, state, error));
    MST_TRY(mst_event_mark(queue, &ready, error));
    MST_TRY(mst_event_barrier(&a->beside, &ready, error));
    MST_TRY(mst_stepper_enqueue(with->outside, &a->beside, &a->windows[a->current], &a->windows[!a->current],
                                with->problem->n_coefficients > 0 ? &a->coefficients : NULL, &with->plan->middle.box, 1, row,
                                error));
    MST_TRY(mst_event_mark(&a->beside, &done, error));
    MST_TRY(sweep(with, queue, state, row, error));
    MST_TRY(mst_event_barrier(queue, &done, error));
    a->current = !a->current;
    a->is_newer = true;
    MST_TRY(exchange(with, a, queue, state, error));
fail:
    mst_event_drop(&ready);
    mst_event_drop(&done);
    return status;
}

void mst_around_abandon(mst_around *a) { mst_queue_abandon(&a->beside); }

mst_status mst_around_settle(const mst_schedule_desc *with, mst_around *a, mst_queue *queue, const mst_sweep_state *state,
                             mst_error *error) {
    mst_status status = MST_OK;
    if (a->is_newer)
        MST_TRY(copy_state(with, queue, state, &a->windows[a->current], false, &with->plan->middle.box, &nothing, error));
    a->is_newer = false;
fail:
    return status;
}
