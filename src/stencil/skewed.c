// Skewed slabs: slabs of b planes come up in order, and level l of the n/m fused kernels of a trip computes the b planes that lie
// S_l = (l + 1) x (reach of m steps) behind, so every plane crosses the bus once each way a trip, and the home is updated in
// place.
//
// Slab j of level l computes planes [j b - S_l, (j + 1) b - S_l), clipped to the grid. Levels go from one of two rings to the
// other by turns, the first from that of the uploads: level l + 1 overwrites what level l - 1 left, up to the planes that level
// l still needs for the next slab, as S_(l+1) - S_l is at least what level l reads below its own planes. So the rings hold what
// slab j reads, from j b - S - low on; that of the uploads b more, so that slab j + 1 comes up while slab j is computed. The last
// level writes to a third ring, of one slab where a trip of the plan's height has many levels: slab j - 1 goes home while the
// others of slab j are computed (shorter trips of such a plan wait for it). Slabs are counted on from trip to trip, and planes
// have places in the rings by that number, so that a trip begins while the one before ends.
#include "runtime/program.h"
#include "solver.h"

#include <stdlib.h>

enum {
    SLOTS = 4,      // slabs that are queued at once
    BEHIND = 2,     // of these, how many slabs a slab's room for its upload was used before
    MANY_LEVELS = 8 // of a trip
};

typedef struct mst_skewed {
    mst_window rings[2], held, down;
    uint64_t ring_bytes[2], held_bytes, down_bytes; // of one array
    // Of a slab, by its number since the beginning.
    uint64_t slab;
    mst_slot_memory up[SLOTS], held_up[SLOTS], out[SLOTS];
    cl_event computed[SLOTS];
    cl_event *home;     // of the trip before: when each slab's planes were back
    int64_t n_home;     // slabs of it
    int64_t home_shift; // its S of the last level
} mst_skewed;

static int64_t clip(int64_t i, int64_t n) { return i < 0 ? 0 : i > n ? n : i; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

static int levels_of(const mst_stencil *s, uint64_t n) { return (int)(n / s->plan.fuse + n % s->plan.fuse); }

static const mst_stepper *stepper_of(const mst_stencil *s, uint64_t n, int level) {
    return &s->steppers[(uint64_t)level < n / s->plan.fuse ? 0 : 1];
}

static int64_t reach(const mst_stepper *stepper) { return larger(stepper->pipeline.low[PLANES], stepper->pipeline.high[PLANES]); }

// S of level l of a trip of n steps. The first level of one step comes behind one of m.
static int64_t shift(const mst_stencil *s, uint64_t n, int level) {
    int64_t far = larger(0, level - (int64_t)(n / s->plan.fuse));
    return (level + 1 - far) * reach(&s->steppers[0]) + far * reach(&s->steppers[1]);
}

// How far beyond what level 0 computes constant fields are needed, and behind what the last level does.
static int64_t held_ahead(const mst_stencil *s) {
    const mst_pipeline *p = &s->steppers[0].pipeline;
    return larger(0, p->fixed_high[PLANES] - p->high[PLANES]) + MST_STENCIL_MAX_RADIUS;
}

// S of the last level of any trip of at most so many steps.
static int64_t most_shift(const mst_stencil *s, uint64_t height) {
    uint64_t m = s->plan.fuse, shorter = height < m ? height : height - height % m - 1;
    return larger(shift(s, height, levels_of(s, height) - 1), shift(s, shorter, levels_of(s, shorter) - 1));
}

uint64_t mst_skewed_ring_planes(const mst_stencil *s, const mst_stencil_plan *plan, int ring) {
    return (ring == 0 ? 2 : 1) * plan->block + (uint64_t)(most_shift(s, plan->height) + reach(&s->steppers[0]));
}

static int down_slabs(const mst_stencil *s, uint64_t height) { return levels_of(s, height) < MANY_LEVELS ? 2 : 1; }

uint64_t mst_skewed_down_planes(const mst_stencil *s, const mst_stencil_plan *plan) {
    return (uint64_t)down_slabs(s, plan->height) * plan->block;
}

uint64_t mst_skewed_held_planes(const mst_stencil *s, const mst_stencil_plan *plan) {
    return 2 * plan->block + (uint64_t)(most_shift(s, plan->height) + s->steppers[0].pipeline.fixed_low[PLANES] + held_ahead(s));
}

static mst_status take(mst_stencil *s, int n, int64_t planes, const char *what, mst_window *w, uint64_t *bytes,
                       mst_error *error) {
    mst_status status = MST_OK;
    w->planes = planes;
    w->rows = (int64_t)s->problem.grid[ROWS];
    w->columns = (int64_t)s->problem.grid[COLUMNS];
    *bytes = (uint64_t)planes * s->problem.plane * s->problem.element;
    for (int a = 0; a < n; a++)
        MST_TRY(mst_device_allocate(s->context, CL_MEM_READ_WRITE, *bytes, what, &w->buffers[a], error));
fail:
    return status;
}

// At most, of a trip.
static int64_t n_slabs(const mst_stencil *s) {
    return ((int64_t)s->problem.grid[PLANES] + most_shift(s, s->plan.height)) / (int64_t)s->plan.block + 2;
}

static mst_status prepare(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t slab_bytes = s->plan.block * s->problem.plane * s->problem.element;
    mst_skewed *k = s->skewed = calloc(1, sizeof *k);
    MST_REQUIRE(k, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    MST_REQUIRE(k->home = calloc((size_t)n_slabs(s), sizeof *k->home), MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    for (int r = 0; r < 2; r++)
        MST_TRY(take(s, s->problem.n_arrays, (int64_t)mst_skewed_ring_planes(s, &s->plan, r), "the slabs of a schedule",
                     &k->rings[r], &k->ring_bytes[r], error));
    MST_TRY(take(s, s->problem.n_arrays, (int64_t)mst_skewed_down_planes(s, &s->plan), "the slabs of a schedule", &k->down,
                 &k->down_bytes, error));
    if (s->problem.n_constants > 0)
        MST_TRY(take(s, s->problem.n_constants, (int64_t)mst_skewed_held_planes(s, &s->plan), "the constant fields", &k->held,
                     &k->held_bytes, error));
    for (int i = 0; i < SLOTS; i++) {
        MST_TRY(mst_slot_create(&s->home, slab_bytes * (uint64_t)s->problem.n_arrays, &k->up[i], error));
        MST_TRY(mst_slot_create(&s->home, slab_bytes * (uint64_t)s->problem.n_arrays, &k->out[i], error));
        if (s->problem.n_constants > 0)
            MST_TRY(mst_slot_create(&s->home,
                                    (slab_bytes + (uint64_t)held_ahead(s) * s->problem.plane * s->problem.element) *
                                        (uint64_t)s->problem.n_constants,
                                    &k->held_up[i], error));
    }
fail:
    return status;
}

static void drop(cl_event *event) {
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

static void give(mst_stencil *s, mst_window *w, uint64_t bytes) {
    for (int a = 0; a < MST_STENCIL_MAX_ARRAYS; a++)
        mst_device_release(s->context, w->buffers[a], bytes);
}

static void release(mst_stencil *s) {
    mst_skewed *k = s->skewed;
    if (!k)
        return;
    for (int i = 0; i < SLOTS; i++) {
        mst_slot_release(&s->home, &k->up[i]);
        mst_slot_release(&s->home, &k->held_up[i]);
        mst_slot_release(&s->home, &k->out[i]);
        drop(&k->computed[i]);
    }
    for (int64_t j = 0; k->home && j < n_slabs(s); j++)
        drop(&k->home[j]);
    for (int r = 0; r < 2; r++)
        give(s, &k->rings[r], k->ring_bytes[r]);
    give(s, &k->held, k->held_bytes);
    give(s, &k->down, k->down_bytes);
    free(k->home);
    free(k);
    s->skewed = NULL;
}

static mst_box planes_box(const mst_stencil *s, int64_t from, int64_t to) {
    mst_box box = mst_solver_grid(s);
    box.from[PLANES] = from;
    box.to[PLANES] = to;
    return box;
}

// The event of the last trip after which planes below `end` are home.
static const cl_event *home_event(const mst_skewed *k, int64_t end, int64_t b) {
    int64_t j = (end + k->home_shift + b - 1) / b - 1;
    j = j < k->n_home ? j : k->n_home - 1;
    return j >= 0 && k->home[j] ? &k->home[j] : NULL;
}

// Puts home what was queued last, for a home that is read by the host, if planes below `end` may be among it.
static mst_status wait_home(mst_stencil *s, int64_t end, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    int64_t b = (int64_t)s->plan.block;
    const cl_event *home = home_event(k, end, b);
    if (s->home.direct || !home)
        return MST_OK;
    if (home >= k->home + k->n_home - SLOTS)
        for (int i = 0; i < SLOTS; i++)
            MST_TRY(mst_home_settle(&s->home, &k->out[i], error));
    MST_TRY_CL(clWaitForEvents(1, home), "a download failed");
fail:
    return status;
}

static mst_status upload(mst_stencil *s, int64_t j, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    uint64_t slot = k->slab % SLOTS;
    int64_t b = (int64_t)s->plan.block, z = (int64_t)s->problem.grid[PLANES], ahead = held_ahead(s);
    const mst_box box = planes_box(s, clip(j * b, z), clip((j + 1) * b, z));
    const mst_box held = planes_box(s, j == 0 ? 0 : clip(j * b + ahead, z), clip((j + 1) * b + ahead, z));
    cl_command_queue queue = s->context->upload;
    MST_TRY(mst_home_settle(&s->home, &k->up[slot], error));
    MST_TRY(mst_home_settle(&s->home, &k->held_up[slot], error));
    MST_TRY(wait_home(s, box.to[PLANES], error));
    MST_TRY(mst_solver_barrier(queue, &k->computed[(k->slab + SLOTS - BEHIND) % SLOTS], error));
    const cl_event *home = home_event(k, box.to[PLANES], b);
    if (home)
        MST_TRY(mst_solver_barrier(queue, home, error));
    MST_TRY(mst_home_upload(&s->home, s->problem.n_arrays * s->home.copies, s->problem.n_constants, &held, &k->held,
                            &k->held_up[slot], NULL, error, &run->upload_bytes));
    MST_TRY(mst_home_upload(&s->home, 0, s->problem.n_arrays, &box, &k->rings[0], &k->up[slot], NULL, error, &run->upload_bytes));
fail:
    return status;
}

static mst_status mark(mst_stencil *s, cl_event *event, mst_error *error) {
    mst_status status = MST_OK;
    drop(event);
    MST_TRY_CL(clEnqueueMarkerWithWaitList(s->context->compute, 0, NULL, event), "cannot queue a slab");
fail:
    return status;
}

// All levels of slab j; the compute queue waits for its upload, and the last level for room in the ring of downloads.
static mst_status compute(mst_stencil *s, uint64_t n, int64_t j, uint64_t row, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    int levels = levels_of(s, n);
    uint64_t slot = k->slab % SLOTS, room = (uint64_t)down_slabs(s, s->plan.height);
    int64_t b = (int64_t)s->plan.block, z = (int64_t)s->problem.grid[PLANES];
    cl_command_queue queue = s->context->compute;
    MST_TRY(mst_solver_barrier(queue, &k->up[slot].moved, error));
    MST_TRY(mst_solver_barrier(queue, &k->held_up[slot].moved, error));
    for (int l = 0; l < levels; l++) {
        int64_t behind = shift(s, n, l), from = clip(j * b - behind, z), to = clip((j + 1) * b - behind, z);
        const mst_box box = planes_box(s, from, to);
        const mst_stepper *stepper = stepper_of(s, n, l);
        if (l + 1 == levels && to > from)
            // The first planes of a trip may share places with any that the trip before left.
            for (uint64_t back = from == 0 ? 1 : room; back <= (from == 0 ? SLOTS - 1 : room); back++)
                MST_TRY(mst_solver_barrier(queue, &k->out[(k->slab + SLOTS - back) % SLOTS].moved, error));
        MST_TRY(mst_stepper_enqueue(stepper, queue, &k->rings[l % 2], l + 1 < levels ? &k->rings[(l + 1) % 2] : &k->down,
                                    &k->held, &box, row, error));
        row += (uint64_t)stepper->pipeline.m;
    }
    MST_TRY(mark(s, &k->computed[slot], error));
    MST_TRY_CL(clFlush(queue), "cannot queue a slab");
fail:
    return status;
}

static mst_status download(mst_stencil *s, uint64_t n, int64_t j, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    uint64_t slot = k->slab % SLOTS;
    int64_t b = (int64_t)s->plan.block, z = (int64_t)s->problem.grid[PLANES], behind = shift(s, n, levels_of(s, n) - 1);
    const mst_box box = planes_box(s, clip(j * b - behind, z), clip((j + 1) * b - behind, z));
    MST_TRY(mst_home_download(&s->home, 0, s->problem.n_arrays, &box, &k->down, &k->out[slot], &k->computed[slot], error,
                              &run->download_bytes));
    drop(&k->home[j]);
    k->home[j] = k->out[slot].moved;
    if (k->home[j])
        MST_TRY_CL(clRetainEvent(k->home[j]), "cannot keep an event");
fail:
    return status;
}

// All slabs of a trip of n steps.
static mst_status advance(mst_stencil *s, uint64_t n, uint64_t row, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    int64_t b = (int64_t)s->plan.block, z = (int64_t)s->problem.grid[PLANES], last = shift(s, n, levels_of(s, n) - 1);
    int64_t slabs = (z + last + b - 1) / b, before = k->n_home, first_plane = -(int64_t)k->slab * b;
    k->rings[0].first_plane = k->rings[1].first_plane = k->held.first_plane = k->down.first_plane = first_plane;
    for (int64_t j = 0; j < slabs; j++, k->slab++) {
        MST_TRY(mst_home_settle(&s->home, &k->out[k->slab % SLOTS], error));
        MST_TRY(upload(s, j, run, error));
        if (!s->overlap)
            MST_TRY(mst_solver_finish(s, error));
        MST_TRY(compute(s, n, j, row, error));
        if (!s->overlap)
            MST_TRY(mst_solver_finish(s, error));
        MST_TRY(download(s, n, j, run, error));
        if (!s->overlap)
            MST_TRY(mst_solver_finish(s, error));
    }
    for (int64_t j = slabs; j < before; j++)
        drop(&k->home[j]);
    k->n_home = slabs;
    k->home_shift = last;
fail:
    return status;
}

static mst_status settle(mst_stencil *s, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    (void)run;
    for (int i = 0; i < SLOTS; i++) {
        MST_TRY(mst_home_settle(&s->home, &k->up[i], error));
        MST_TRY(mst_home_settle(&s->home, &k->held_up[i], error));
        MST_TRY(mst_home_settle(&s->home, &k->out[i], error));
    }
    MST_TRY(mst_solver_finish(s, error));
fail:
    return status;
}

const mst_engine mst_skewed_engine = {prepare, release, advance, settle};
