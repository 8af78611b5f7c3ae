// The pyramid method (Golovashkin and Kochurov): every block of the grid comes up with a halo that shrinks to the block in the n
// steps of a trip, so that what lies at the seams is computed twice. Slabs are cut along the slowest axis, tiles along the two
// slowest. A trip goes from one copy of the state in the store to the other. With n = 1 it is the trivial schedule.
#include "runtime/program.h"
#include "stencil/solver.h"

#include <stdlib.h>

enum {
    SLOTS = 4,  // blocks that are queued at once
    WINDOWS = 2 // that have room on the device
};

typedef struct mst_pyramid {
    mst_window up[WINDOWS], work, held[WINDOWS], down[WINDOWS];
    uint64_t bytes[4]; // of one array of these
    mst_slot_memory in[SLOTS], held_in[SLOTS], out[SLOTS];
    cl_event computed[SLOTS];
    uint64_t block;   // number since the beginning
    cl_event *stored; // of the trip before: when each block was back
    int64_t n_stored;
    int64_t counts[N_AXES], sides[N_AXES]; // blocks along each axis, and their nodes
} mst_pyramid;

static void drop(cl_event *event) {
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

static bool is_cut(const mst_stencil *s, int axis) { return s->pyramid->counts[axis] > 1; }

// Along the slowest axis, and tiles along the next one.
static void cut(mst_stencil *s) {
    mst_pyramid *k = s->pyramid;
    for (int axis = 0; axis < N_AXES; axis++) {
        k->sides[axis] = (int64_t)s->problem.grid[axis];
        k->counts[axis] = 1;
    }
    for (int i = 0; i < (s->plan.schedule == MST_STENCIL_PYRAMID_TILES ? 2 : 1) && i < s->problem.rank; i++) {
        int axis = mst_problem_axis(s->problem.rank, i);
        int64_t n = (int64_t)s->problem.grid[axis];
        k->sides[axis] = (int64_t)s->plan.block < n ? (int64_t)s->plan.block : n;
        k->counts[axis] = (n + k->sides[axis] - 1) / k->sides[axis];
    }
}

// The box that a number of fused and of single steps need around a box.
static mst_box grown_freely(const mst_stencil *s, const mst_box *box, uint64_t full, uint64_t single, bool constants) {
    mst_box out = *box;
    for (int axis = 0; axis < N_AXES; axis++) {
        const mst_pipeline *m = &s->steppers[0].pipeline, *one = &s->steppers[1].pipeline;
        int64_t low = (int64_t)full * m->low[axis] + (int64_t)single * one->low[axis];
        int64_t high = (int64_t)full * m->high[axis] + (int64_t)single * one->high[axis];
        out.from[axis] -= low + (constants ? MST_STENCIL_MAX_RADIUS : 0);
        out.to[axis] += high + (constants ? MST_STENCIL_MAX_RADIUS : 0);
    }
    return out;
}

// The same where the grid is cut, as far as there are nodes.
static mst_box grown(const mst_stencil *s, const mst_box *box, uint64_t full, uint64_t single, bool constants) {
    mst_box out = *box, free_box = grown_freely(s, box, full, single, constants);
    for (int axis = 0; axis < N_AXES; axis++) {
        int64_t n = (int64_t)s->problem.grid[axis];
        bool periodic = mst_problem_periodic(&s->problem, axis);
        if (!is_cut(s, axis))
            continue;
        out.from[axis] = !periodic && free_box.from[axis] < 0 ? 0 : free_box.from[axis];
        out.to[axis] = !periodic && free_box.to[axis] > n ? n : free_box.to[axis];
    }
    return out;
}

static int64_t item_of(const mst_stencil *s, int axis) {
    const int *m = s->steppers[0].tile.item, *one = s->steppers[1].tile.item;
    return s->plan.shape != MST_STENCIL_SHAPE_GPU || axis == PLANES ? 1 : m[axis] > one[axis] ? m[axis] : one[axis];
}

// A GPU's kernels want all nodes of the work-items that compute something, and columns in whole vectors.
uint64_t mst_pyramid_pad(const mst_stencil *s, int axis) {
    int64_t item = item_of(s, axis);
    return item > 1 ? (uint64_t)(axis == COLUMNS ? 4 * item : item) : 0;
}

// So many nodes on either side of a box along an axis, as far as there are any.
static void extend(const mst_stencil *s, int axis, int64_t below, int64_t above, mst_box *box) {
    int64_t n = (int64_t)s->problem.grid[axis];
    bool periodic = mst_problem_periodic(&s->problem, axis);
    box->from[axis] = !periodic && box->from[axis] < below ? 0 : box->from[axis] - below;
    box->to[axis] = !periodic && box->to[axis] + above > n ? n : box->to[axis] + above;
}

// Columns in whole vectors.
static mst_box aligned(const mst_stencil *s, const mst_box *box) {
    mst_box out = *box;
    int64_t item = item_of(s, COLUMNS), from = box->from[COLUMNS], to = box->to[COLUMNS];
    if (is_cut(s, COLUMNS))
        extend(s, COLUMNS, (from % item + item) % item, (item - to % item) % item, &out);
    return out;
}

static mst_box padded(const mst_stencil *s, const mst_box *box) {
    mst_box out = aligned(s, box);
    if (is_cut(s, ROWS) && item_of(s, ROWS) > 1)
        extend(s, ROWS, 0, item_of(s, ROWS), &out);
    if (is_cut(s, COLUMNS) && item_of(s, COLUMNS) > 1)
        extend(s, COLUMNS, item_of(s, COLUMNS), item_of(s, COLUMNS), &out);
    return out;
}

static mst_box block_box(const mst_stencil *s, int64_t number) {
    const mst_pyramid *k = s->pyramid;
    mst_box box;
    for (int axis = N_AXES - 1; axis >= 0; axis--) {
        int64_t i = number % k->counts[axis], n = (int64_t)s->problem.grid[axis];
        number /= k->counts[axis];
        box.from[axis] = i * k->sides[axis];
        box.to[axis] = box.from[axis] + k->sides[axis] < n ? box.from[axis] + k->sides[axis] : n;
    }
    return box;
}

static int64_t n_blocks(const mst_pyramid *k) { return k->counts[0] * k->counts[1] * k->counts[2]; }

// A window just for a box.
static void fit(mst_window *w, const mst_box *box) {
    w->planes = box->to[PLANES] - box->from[PLANES];
    w->first_row = box->from[ROWS];
    w->rows = box->to[ROWS] - box->from[ROWS];
    w->first_column = box->from[COLUMNS];
    w->columns = box->to[COLUMNS] - box->from[COLUMNS];
}

// The most nodes of a block that is grown, in its window.
static uint64_t most_nodes(const mst_stencil *s, uint64_t full, uint64_t single, bool constants) {
    uint64_t nodes = 1;
    for (int axis = 0; axis < N_AXES; axis++) {
        // Somewhere in a periodic grid nothing is cut off.
        mst_box box = {{0, 0, 0}, {s->pyramid->sides[0], s->pyramid->sides[1], s->pyramid->sides[2]}};
        int64_t side = box.to[axis];
        box.from[axis] += INT32_MAX;
        box.to[axis] += INT32_MAX;
        const mst_box big = grown_freely(s, &box, full, single, constants);
        int64_t n = big.to[axis] - big.from[axis], whole = (int64_t)s->problem.grid[axis];
        n += full + single > 0 ? (int64_t)mst_pyramid_pad(s, axis) : 0;
        if (!is_cut(s, axis))
            n = side;
        else if (!mst_problem_periodic(&s->problem, axis) && n > whole)
            n = whole;
        nodes *= (uint64_t)n;
    }
    return nodes;
}

static mst_status take(mst_stencil *s, int n, uint64_t bytes, mst_window *w, mst_error *error) {
    mst_status status = MST_OK;
    for (int a = 0; a < n; a++)
        MST_TRY(mst_device_allocate(s->context, CL_MEM_READ_WRITE, bytes, "the blocks of a schedule", &w->buffers[a], error));
fail:
    return status;
}

static mst_status prepare(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_pyramid *k = s->pyramid = calloc(1, sizeof *k);
    MST_REQUIRE(k, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    cut(s);
    const mst_problem *p = &s->problem;
    uint64_t full = s->plan.depth / s->plan.fuse, single = s->plan.depth % s->plan.fuse, n = (uint64_t)p->n_arrays;
    uint64_t big = most_nodes(s, full, single, false) * p->element, held = most_nodes(s, full, single, true) * p->element;
    uint64_t own = most_nodes(s, 0, 0, false) * p->element;
    MST_REQUIRE(k->stored = calloc((size_t)n_blocks(k), sizeof *k->stored), MST_ERROR_HOST_MEMORY,
                "out of memory for a schedule");
    const uint64_t bytes[] = {big, big, held, own};
    for (int i = 0; i < 4; i++)
        k->bytes[i] = bytes[i];
    MST_TRY(take(s, p->n_arrays, big, &k->work, error));
    for (int i = 0; i < WINDOWS; i++) {
        MST_TRY(take(s, p->n_arrays, big, &k->up[i], error));
        MST_TRY(take(s, p->n_coefficients, held, &k->held[i], error));
        MST_TRY(take(s, p->n_arrays, own, &k->down[i], error));
    }
    for (int i = 0; i < SLOTS; i++) {
        MST_TRY(mst_slot_create(&s->store, big * n, &k->in[i], error));
        MST_TRY(mst_slot_create(&s->store, own * n, &k->out[i], error));
        if (p->n_coefficients > 0)
            MST_TRY(mst_slot_create(&s->store, held * (uint64_t)p->n_coefficients, &k->held_in[i], error));
    }
fail:
    return status;
}

static void give(mst_stencil *s, mst_window *w, uint64_t bytes) {
    for (int a = 0; a < MST_STENCIL_MAX_ARRAYS; a++)
        mst_device_release(s->context, w->buffers[a], bytes);
}

static void release(mst_stencil *s) {
    mst_pyramid *k = s->pyramid;
    if (!k)
        return;
    for (int i = 0; i < SLOTS; i++) {
        mst_slot_release(&s->store, &k->in[i]);
        mst_slot_release(&s->store, &k->held_in[i]);
        mst_slot_release(&s->store, &k->out[i]);
        drop(&k->computed[i]);
    }
    for (int64_t i = 0; k->stored && i < n_blocks(k); i++)
        drop(&k->stored[i]);
    for (int i = 0; i < WINDOWS; i++) {
        give(s, &k->up[i], k->bytes[0]);
        give(s, &k->held[i], k->bytes[2]);
        give(s, &k->down[i], k->bytes[3]);
    }
    give(s, &k->work, k->bytes[1]);
    free(k->stored);
    free(k);
    s->pyramid = NULL;
}

// Waits until what a box reads is in the store: the last of its blocks, since downloads are in order.
static mst_status wait_stored(mst_stencil *s, const mst_box *box, mst_error *error) {
    mst_status status = MST_OK;
    mst_pyramid *k = s->pyramid;
    int64_t last = 0;
    bool wraps = false;
    for (int axis = 0; axis < N_AXES; axis++) {
        int64_t n = (int64_t)s->problem.grid[axis];
        wraps = wraps || box->from[axis] < 0 || box->to[axis] > n;
        last = last * k->counts[axis] + (box->to[axis] - 1) / k->sides[axis];
    }
    if (wraps || last >= k->n_stored)
        last = k->n_stored - 1;
    if (last < 0 || !k->stored[last])
        return MST_OK;
    if (s->store.direct)
        return mst_solver_barrier(s->context->upload, &k->stored[last], error);
    if (last >= k->n_stored - SLOTS)
        for (int i = 0; i < SLOTS; i++)
            MST_TRY(mst_store_settle(&s->store, &k->out[i], error));
    MST_TRY_CL(clWaitForEvents(1, &k->stored[last]), "a download failed");
fail:
    return status;
}

static mst_status upload(mst_stencil *s, uint64_t n, const mst_box *box, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_pyramid *k = s->pyramid;
    uint64_t slot = k->block % SLOTS, window = k->block % WINDOWS, full = n / s->plan.fuse, single = n % s->plan.fuse;
    int arrays = s->problem.n_arrays;
    const mst_box big = grown(s, box, full, single, false), held = grown(s, box, full, single, true);
    MST_TRY(mst_store_settle(&s->store, &k->in[slot], error));
    MST_TRY(mst_store_settle(&s->store, &k->held_in[slot], error));
    MST_TRY(wait_stored(s, &big, error));
    MST_TRY(mst_solver_barrier(s->context->upload, &k->computed[(k->block + SLOTS - WINDOWS) % SLOTS], error));
    const mst_box wide = padded(s, &big), held_wide = padded(s, &held);
    fit(&k->up[window], &wide);
    fit(&k->work, &wide);
    fit(&k->held[window], &held_wide);
    fit(&k->down[window], box);
    MST_TRY(mst_store_upload(&s->store, s->store.copies * arrays, s->problem.n_coefficients, &held, &k->held[window],
                             &k->held_in[slot], NULL, error, &run->upload_bytes));
    MST_TRY(mst_store_upload(&s->store, s->current * arrays, arrays, &big, &k->up[window], &k->in[slot], NULL, error,
                             &run->upload_bytes));
fail:
    return status;
}

static mst_status compute(mst_stencil *s, uint64_t n, const mst_box *box, uint64_t row, mst_error *error) {
    mst_status status = MST_OK;
    mst_pyramid *k = s->pyramid;
    uint64_t slot = k->block % SLOTS, window = k->block % WINDOWS, full = n / s->plan.fuse, single = n % s->plan.fuse;
    cl_command_queue queue = s->context->compute;
    const mst_window *from = &k->up[window], *other = &k->work;
    MST_TRY(mst_solver_barrier(queue, &k->in[slot].moved, error));
    MST_TRY(mst_solver_barrier(queue, &k->held_in[slot].moved, error));
    MST_TRY(mst_solver_barrier(queue, &k->out[(k->block + SLOTS - WINDOWS) % SLOTS].moved, error));
    while (full + single > 0) {
        const mst_stepper *stepper = &s->steppers[full > 0 ? 0 : 1];
        full -= full > 0 ? 1 : 0;
        single -= stepper == &s->steppers[1] ? 1 : 0;
        mst_box target = grown(s, box, full, single, false);
        const mst_window *to = full + single > 0 ? other : &k->down[window];
        // What is computed beyond the box, to align it, has no meaning, so receivers must not see it.
        if (full + single > 0 && s->problem.n_points == 0)
            target = aligned(s, &target);
        MST_TRY(mst_stepper_enqueue(stepper, queue, from, to, &k->held[window], &target, 1, row, error));
        other = from;
        from = to;
        row += (uint64_t)stepper->pipeline.m;
    }
    drop(&k->computed[slot]);
    MST_TRY_CL(clEnqueueMarkerWithWaitList(queue, 0, NULL, &k->computed[slot]), "cannot queue a block");
    MST_TRY_CL(clFlush(queue), "cannot queue a block");
fail:
    return status;
}

static mst_status advance(mst_stencil *s, uint64_t n, uint64_t row, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_pyramid *k = s->pyramid;
    int arrays = s->problem.n_arrays;
    for (int64_t i = 0; i < n_blocks(k); i++, k->block++) {
        const mst_box box = block_box(s, i);
        uint64_t slot = k->block % SLOTS;
        MST_TRY(mst_store_settle(&s->store, &k->out[slot], error));
        MST_TRY(upload(s, n, &box, run, error));
        if (!s->overlap)
            MST_TRY(mst_solver_finish(s, error));
        MST_TRY(compute(s, n, &box, row, error));
        if (!s->overlap)
            MST_TRY(mst_solver_finish(s, error));
        MST_TRY(mst_store_download(&s->store, !s->current * arrays, arrays, &box, &k->down[k->block % WINDOWS], &k->out[slot],
                                   &k->computed[slot], error, &run->download_bytes));
        drop(&k->stored[i]);
        k->stored[i] = k->out[slot].moved;
        MST_TRY_CL(clRetainEvent(k->stored[i]), "cannot keep an event");
        if (!s->overlap)
            MST_TRY(mst_solver_finish(s, error));
    }
    k->n_stored = n_blocks(k);
    s->current = !s->current;
fail:
    return status;
}

static mst_status settle(mst_stencil *s, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_pyramid *k = s->pyramid;
    (void)run;
    for (int i = 0; i < SLOTS; i++) {
        MST_TRY(mst_store_settle(&s->store, &k->in[i], error));
        MST_TRY(mst_store_settle(&s->store, &k->held_in[i], error));
        MST_TRY(mst_store_settle(&s->store, &k->out[i], error));
    }
    MST_TRY(mst_solver_finish(s, error));
fail:
    return status;
}

const mst_engine mst_pyramid_engine = {prepare, release, advance, settle};
