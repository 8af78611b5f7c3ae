// Skewed slabs: slabs of b planes come up in order, and level l of the n/m fused kernels of a trip computes the b planes that lie
// S_l = (l + 1) x (reach of m steps) behind. What the next slab needs of a level stays in the level's ring on the device, so
// every plane crosses the bus once each way a trip, and the home is updated in place.
//
// Slab j of level l computes planes [j b - S_l, (j + 1) b - S_l), clipped to the grid, from the ring of level l - 1, which holds
// b + low + high planes; that of the uploads holds b more, so that slab j + 1 comes up while slab j is computed.
#include "runtime/program.h"
#include "solver.h"

#include <stdlib.h>

enum {
    SLOTS = 4, // slabs that are queued at once
    BEHIND = 2 // of these, how many slabs a slab's room was used before
};

typedef struct mst_skewed {
    int n_levels; // of a full trip
    mst_window *rings;
    mst_window held, down;
    uint64_t *ring_bytes; // of one array
    uint64_t held_bytes, down_bytes;
    // Of a slab, by its number since the beginning.
    uint64_t slab;
    mst_slot_memory up[SLOTS], held_up[SLOTS], out[SLOTS];
    cl_event read[SLOTS]; // its uploads are not needed any more
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

// S of level l, l = -1 for the uploads, of a trip of n steps.
static int64_t shift(const mst_stencil *s, uint64_t n, int level) {
    int64_t full = (int64_t)(n / s->plan.fuse), l = level + 1;
    int64_t big = s->steppers[0].pipeline.high[PLANES], small = s->steppers[1].pipeline.high[PLANES];
    return l <= full ? l * big : full * big + (l - full) * small;
}

// How far beyond what level 0 computes constant fields are needed, and behind what the last level does.
static int64_t held_ahead(const mst_stencil *s) {
    const mst_pipeline *p = &s->steppers[0].pipeline;
    return larger(0, p->fixed_high[PLANES] - p->high[PLANES]) + MST_STENCIL_MAX_RADIUS;
}

static int64_t most_shift(const mst_stencil *s, uint64_t height) {
    // A shorter trip of single steps may have more levels, but not a larger shift than one of as many steps.
    return (int64_t)height * larger(s->steppers[1].pipeline.high[PLANES], 1) + s->steppers[0].pipeline.high[PLANES];
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
    int64_t b = (int64_t)s->plan.block;
    const mst_pipeline *p = &s->steppers[0].pipeline;
    uint64_t slab_bytes = (uint64_t)b * s->problem.plane * s->problem.element;
    mst_skewed *k = s->skewed = calloc(1, sizeof *k);
    MST_REQUIRE(k, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    k->n_levels = levels_of(s, s->plan.height);
    MST_REQUIRE((k->rings = calloc((size_t)k->n_levels, sizeof *k->rings)) &&
                    (k->ring_bytes = calloc((size_t)k->n_levels, sizeof(uint64_t))) &&
                    (k->home = calloc((size_t)n_slabs(s), sizeof *k->home)),
                MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    for (int l = 0; l < k->n_levels; l++)
        MST_TRY(take(s, s->problem.n_arrays, b + p->low[PLANES] + p->high[PLANES] + (l == 0 ? b : 0), "the slabs of a schedule",
                     &k->rings[l], &k->ring_bytes[l], error));
    MST_TRY(take(s, s->problem.n_arrays, BEHIND * b, "the slabs of a schedule", &k->down, &k->down_bytes, error));
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
        drop(&k->read[i]);
        drop(&k->computed[i]);
    }
    for (int64_t j = 0; k->home && j < n_slabs(s); j++)
        drop(&k->home[j]);
    for (int l = 0; l < k->n_levels && k->rings; l++)
        give(s, &k->rings[l], k->ring_bytes[l]);
    give(s, &k->held, k->held_bytes);
    give(s, &k->down, k->down_bytes);
    free(k->rings);
    free(k->ring_bytes);
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
    // A ring has room for a slab beside the one that is computed; planes of different trips may share places.
    MST_TRY(mst_solver_barrier(queue, &k->read[(k->slab + SLOTS - (j == 0 ? 1 : BEHIND)) % SLOTS], error));
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
    uint64_t slot = k->slab % SLOTS;
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
            for (uint64_t back = from == 0 ? 1 : BEHIND; back <= (from == 0 ? SLOTS - 1 : BEHIND); back++)
                MST_TRY(mst_solver_barrier(queue, &k->out[(k->slab + SLOTS - back) % SLOTS].moved, error));
        MST_TRY(mst_stepper_enqueue(stepper, queue, &k->rings[l], l + 1 < levels ? &k->rings[l + 1] : &k->down, &k->held, &box,
                                    row, error));
        row += (uint64_t)stepper->pipeline.m;
        if (l == (s->problem.n_constants > 0 ? levels - 1 : 0)) // all levels read the constant fields
            MST_TRY(mark(s, &k->read[slot], error));
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

// One trip of n steps, of no more levels than there are rings.
static mst_status trip(mst_stencil *s, uint64_t n, uint64_t row, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    int64_t b = (int64_t)s->plan.block, z = (int64_t)s->problem.grid[PLANES], last = shift(s, n, levels_of(s, n) - 1);
    int64_t slabs = (z + last + b - 1) / b, before = k->n_home;
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

static mst_status advance(mst_stencil *s, uint64_t n, uint64_t row, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t rings = (uint64_t)s->skewed->n_levels;
    while (n > 0) {
        uint64_t part = n;
        if ((uint64_t)levels_of(s, n) > rings) // single steps at the end may be more levels than a whole trip has
            part = n >= s->plan.fuse ? n / s->plan.fuse * s->plan.fuse : rings;
        MST_TRY(trip(s, part, row, run, error));
        row += part;
        n -= part;
    }
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
