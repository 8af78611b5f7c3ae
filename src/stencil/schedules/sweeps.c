// The whole state stays on the device, in arrays with margins, and every sub-step is a pass over it.
#include "around.h"
#include "boxes.h"
#include "memory.h"
#include "nonfinite.h"
#include "runtime/context.h"
#include "runtime/numbers.h"
#include "schedule.h"
#include "stencil/kernels/sweeper.h"

#include <stdlib.h>
#include <string.h>

typedef struct sweeping {
    mst_schedule base;
    mst_sweep_state state;
    bool has_margins;    // they are filled, but beside halos that were filled since: planes of the two sides,
    int64_t halos[2][2]; // from .. to - 1
    mst_counter counter; // of values that are infinite or NaN,
    cl_mem counts;       // and its counts
    mst_around around;   // of a middle
} sweeping;

static const mst_sweeps *sweeps_of(const sweeping *c) { return &c->base.with.sweeper->sweeps; }

static cl_mem *place_of(mst_sweep_state *state, const mst_sweeps *s, int k) {
    const int n = s->problem->n_arrays, all = n + s->problem->n_coefficients;
    return k < n ? &state->arrays[k] : k < all ? &state->coefficients[k - n] : &state->spares[k - all];
}

static int count_arrays(const mst_sweeps *s) { return s->problem->n_arrays + s->problem->n_coefficients + s->n_spares; }

static uint64_t bytes_of(const mst_sweeps *s, int k) {
    const int all = s->problem->n_arrays + s->problem->n_coefficients;
    return k < all ? mst_sweeps_bytes(s, k) : mst_sweeps_spare_bytes(s, k - all);
}

// Nobody writes to what lies between layers, and it is looked at together with these.
static bool has_gaps(const mst_sweeps *s, int k) {
    const int all = s->problem->n_arrays + s->problem->n_coefficients;
    return k < all ? mst_sweeps_layout(s, k) != &s->padded : s->spare_kinds[k - all] >= MST_SWEEPS_LAYERS;
}

mst_status mst_sweeping_take(mst_context *context, const mst_sweeps *s, const char *what, bool clear, mst_sweep_state *state,
                             mst_error *error) {
    mst_status status = MST_OK;
    mst_queue queue = MST_QUEUE(context, context->compute);
    for (int k = 0; k < count_arrays(s); k++) {
        const size_t bytes = (size_t)bytes_of(s, k);
        cl_mem *memory = place_of(state, s, k);
        MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, bytes, what, memory, error));
        const bool coefficient = k >= s->problem->n_arrays && k < s->problem->n_arrays + s->problem->n_coefficients;
        if (clear || has_gaps(s, k))
            MST_TRY(mst_queue_fill(&queue, *memory, coefficient ? MST_CLEAR_COEFFICIENTS : 0, bytes, "an array", error));
    }
    MST_TRY(mst_queue_finish(&queue, error));
fail:
    mst_queue_release(&queue);
    return status;
}

void mst_sweeping_give(mst_context *context, const mst_sweeps *s, mst_sweep_state *state) {
    for (int k = 0; k < count_arrays(s); k++) {
        cl_mem *memory = place_of(state, s, k);
        if (*memory)
            mst_device_release(context, *memory, (size_t)bytes_of(s, k));
        *memory = NULL;
    }
}

static void destroy(mst_schedule *schedule) {
    sweeping *c = (sweeping *)schedule;
    const mst_allocation *parts = c->base.with.plan->footprint.parts;
    mst_context *context = c->base.with.context;
    mst_sweeping_give(context, sweeps_of(c), &c->state);
    mst_around_give(&c->base.with, &c->around);
    mst_memory_give(context, &parts[MST_FOOTPRINT_RESULT], NULL, 1, &c->counts);
    mst_counter_release(&c->counter);
    mst_queue_release(&c->base.queue);
    free(c);
}

// Of a part of a grid, what lies beyond a cut does not matter: margins of planes that are written, in a halo or elsewhere, are
// those beside them, unless they come within reach of a face, whose margins they are copied to.
static bool is_apart(const sweeping *c, int64_t from, int64_t to) {
    const mst_problem *p = c->base.with.problem;
    const int64_t n = (int64_t)p->grid[PLANES];
    const bool is_ring = p->is_ring[PLANES];
    const bool has_face[] = {!is_ring && p->first[PLANES] == 0,
                             !is_ring && p->first[PLANES] + n == mst_problem_length(p, PLANES)};
    return mst_problem_is_cut(p, PLANES) && (!has_face[0] || from > mst_sweeps_reach(sweeps_of(c), 0)) &&
           (!has_face[1] || to < n - mst_sweeps_reach(sweeps_of(c), 1));
}

// The arrays of the sweeps are all that counts from now on.
static void forget_middle(sweeping *c) { c->around.is_there = c->around.is_newer = false; }

// The planes of an array were written. Halos come in pieces, each of which joins those of the nearer side.
static void note_written(sweeping *c, int array, uint64_t first, uint64_t count) {
    const mst_problem *p = c->base.with.problem;
    forget_middle(c);
    if (array < p->n_arrays && p->layer_axes[array] >= 0)
        return;
    const int64_t from = (int64_t)(first / p->plane), to = (int64_t)mst_divide_up(first + count, p->plane);
    if (!is_apart(c, from, to)) {
        c->has_margins = false;
        return;
    }
    int64_t *halo = c->halos[from + to > (int64_t)p->grid[PLANES]];
    halo[0] = halo[1] > 0 ? mst_smaller(halo[0], from) : from;
    halo[1] = mst_larger(halo[1], to);
}

// Anything may be written.
static void note_lent(sweeping *c) {
    forget_middle(c);
    c->has_margins = false;
}

static mst_status fill_margins(sweeping *c, uint64_t row, mst_error *error) {
    mst_status status = MST_OK;
    mst_sweep_part part = mst_sweeps_whole(sweeps_of(c));
    if (!c->has_margins)
        MST_TRY(mst_sweeper_fill_margins(c->base.with.sweeper, &c->base.queue, &c->state, row, &part, error));
    for (int side = 0; side < 2 && c->has_margins; side++) {
        part.from = c->halos[side][0];
        part.to = c->halos[side][1];
        if (part.to > part.from)
            MST_TRY(mst_sweeper_fill_margins(c->base.with.sweeper, &c->base.queue, &c->state, row, &part, error));
    }
    c->has_margins = true;
    memset(c->halos, 0, sizeof c->halos);
fail:
    return status;
}

static mst_status advance(mst_schedule *schedule, uint64_t n, uint64_t row, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    sweeping *c = (sweeping *)schedule;
    (void)traffic;
    MST_TRY(fill_margins(c, row, error));
    for (const uint64_t m = schedule->with.plan->middle.m; m > 0 && n >= m; n -= m, row += m)
        MST_TRY(mst_around_pass(&schedule->with, &c->around, &schedule->queue, &c->state, row, error));
    if (n == 0)
        return MST_OK;
    MST_TRY(mst_around_settle(&schedule->with, &c->around, &schedule->queue, &c->state, error));
    forget_middle(c);
    MST_TRY(mst_sweeper_steps(schedule->with.sweeper, &schedule->queue, &c->state, n, row, error));
fail:
    return status;
}

static mst_status settle(mst_schedule *schedule, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    sweeping *c = (sweeping *)schedule;
    MST_TRY(mst_around_settle(&schedule->with, &c->around, &schedule->queue, &c->state, error));
    MST_TRY(mst_in_core_settle(schedule, traffic, error));
fail:
    return status;
}

static void abandon(mst_schedule *schedule) {
    forget_middle((sweeping *)schedule);
    mst_around_abandon(&((sweeping *)schedule)->around);
    mst_in_core_abandon(schedule);
}

// ---- Planes beside cuts first; where rows or columns are cut, too, the whole

// Sweeps of steps from a row on; states[k] is that before sweep k.
typedef struct turned_sweeps {
    sweeping *schedule;
    uint64_t row;
    mst_sweep_state states[MST_SWEEPER_MOST_SWEEPS + 1];
    mst_cuts_launch launches[MST_SWEEPER_MOST_SWEEPS];
} turned_sweeps;

static mst_status enqueue_sweep(void *user, size_t k, const mst_box *box, mst_error *error) {
    turned_sweeps *t = user;
    sweeping *c = t->schedule;
    const mst_sweeps *s = sweeps_of(c);
    mst_sweep_part part = mst_sweeps_whole(s);
    part.from = box->from[PLANES];
    part.to = box->to[PLANES];
    return mst_sweeper_sweep(c->base.with.sweeper, &c->base.queue, (int)k % s->n, &t->states[k], &t->states[k + 1],
                             t->row + k / (size_t)s->n, &part, error);
}

static mst_status advance_cuts(mst_schedule *schedule, uint64_t n, uint64_t row, const mst_cuts *cuts, mst_cuts_given *given,
                               void *user, mst_error *error) {
    mst_status status = MST_OK;
    sweeping *c = (sweeping *)schedule;
    const mst_sweeps *s = sweeps_of(c);
    turned_sweeps t = {.schedule = c, .row = row};
    const int n_sweeps = n <= MST_SWEEPER_MOST_SWEEPS / (uint64_t)s->n ? (int)n * s->n : 0;
    for (int k = 0; k < n_sweeps; k++)
        t.launches[k].beyond[PLANES] = (n_sweeps - 1 - k) * mst_sweeps_lag(s);
    if (n_sweeps == 0 || mst_cuts_sideways(cuts) || !mst_cuts_leave_rest(cuts, &t.launches[0])) {
        MST_TRY(advance(schedule, n, row, NULL, error));
        MST_TRY(mst_around_settle(&schedule->with, &c->around, &schedule->queue, &c->state, error));
        return given(user, error);
    }
    MST_TRY(fill_margins(c, row, error));
    t.states[0] = c->state;
    for (int k = 0; k < n_sweeps; k++) {
        t.states[k + 1] = t.states[k];
        mst_sweeper_rotate(schedule->with.sweeper, k % s->n, &t.states[k + 1]);
    }
    c->state = t.states[n_sweeps];
    MST_TRY(mst_cuts_enqueue(cuts, t.launches, (size_t)n_sweeps, enqueue_sweep, &t, given, user, error));
fail:
    return status;
}

static cl_mem buffer_of(const sweeping *c, int array) {
    const int n = c->base.with.problem->n_arrays;
    return array < n ? c->state.arrays[array] : c->state.coefficients[array - n];
}

// The layout of an array, as kernels take it.
static cl_long8 grid_of(const sweeping *c, int array) {
    const mst_problem *p = c->base.with.problem;
    if (array >= p->n_arrays || p->layer_axes[array] < 0) {
        cl_long8 grid = mst_sweeps_grid(sweeps_of(c));
        grid.s[6] = p->has_grids ? grid.s[0] : 0; // of a run, and those between two
        grid.s[7] = mst_sweeps_gap(sweeps_of(c));
        return grid;
    }
    const mst_folded *f = &sweeps_of(c)->folded[p->layer_axes[array]];
    return (cl_long8){
        {f->lengths[PLANES], f->lengths[ROWS], f->lengths[COLUMNS], f->array.pitch, f->array.plane_pitch, f->array.first}};
}

static mst_boxes lie(const mst_schedule *schedule, int array) {
    return mst_boxes_of(sweeps_of((const sweeping *)schedule), array);
}

static mst_status get(mst_schedule *schedule, int array, uint64_t first, uint64_t count, void *to, mst_error *error) {
    sweeping *c = (sweeping *)schedule;
    const mst_boxes boxes = lie(schedule, array);
    return mst_boxes_copy(&boxes, &schedule->queue, buffer_of(c, array), first, count, false, to, error);
}

static mst_status put(mst_schedule *schedule, int array, uint64_t first, uint64_t count, const void *from, mst_error *error) {
    sweeping *c = (sweeping *)schedule;
    const mst_boxes boxes = lie(schedule, array);
    note_written(c, array, first, count);
    return mst_boxes_copy(&boxes, &schedule->queue, buffer_of(c, array), first, count, true, (void *)from, error);
}

static mst_status move(mst_schedule *schedule, mst_queue *queue, int array, const uint64_t from[N_AXES],
                       const uint64_t count[N_AXES], bool up, void *host, mst_error *error) {
    sweeping *c = (sweeping *)schedule;
    const mst_problem *p = schedule->with.problem;
    const mst_boxes boxes = lie(schedule, array);
    if (up && count[ROWS] == p->grid[ROWS] && count[COLUMNS] == p->grid[COLUMNS])
        note_written(c, array, from[PLANES] * p->plane, count[PLANES] * p->plane);
    else if (up)
        note_lent(c);
    return mst_boxes_enqueue(&boxes, queue, buffer_of(c, array), from, count, up, host, error);
}

static mst_status count_nonfinite(mst_schedule *schedule, int array, uint64_t *count, mst_error *error) {
    const sweeping *c = (sweeping *)schedule;
    cl_long8 grid = grid_of(c, array);
    grid.s[0] *= (cl_long)schedule->with.problem->grids;
    return mst_counter_count(&c->counter, array, buffer_of(c, array), &grid, c->counts, count, error);
}

static void view(const mst_schedule *schedule, int array, mst_loan *out) {
    const sweeping *c = (const sweeping *)schedule;
    *out = (mst_loan){buffer_of(c, array), mst_sweeps_layout(sweeps_of(c), array)->elements, true, grid_of(c, array)};
}

static void lend(mst_schedule *schedule, int array, mst_loan *out) {
    view(schedule, array, out);
    note_lent((sweeping *)schedule);
}

static const mst_schedule_kind kind = {destroy, advance, settle, abandon, get,          put, count_nonfinite,
                                       view,    lend,    NULL,   move,    advance_cuts, lie, NULL};

mst_status mst_sweeping_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_allocation *parts = desc->plan->footprint.parts;
    sweeping *c = calloc(1, sizeof *c);
    MST_REQUIRE(c, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    c->base = mst_schedule_base(&kind, desc);
    *out = &c->base;
    MST_TRY(mst_sweeping_take(desc->context, sweeps_of(c), parts[MST_FOOTPRINT_STATE].what, false, &c->state, error));
    MST_TRY(mst_memory_take(desc->context, &parts[MST_FOOTPRINT_RESULT], NULL, 1, &c->counts, error));
    MST_TRY(mst_around_take(desc, &c->around, error));
    if (desc->counts)
        MST_TRY(mst_counter_create(desc->context, desc->problem, &c->counter, error));
fail:
    return status;
}
