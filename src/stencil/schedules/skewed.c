// Skewed slabs: slabs of b planes come up in order, and level l of the n/m fused kernels of a trip computes the b planes that lie
// S_l = (l + 1) x (reach of m steps) behind, so every plane crosses the bus once each way a trip, and the store is updated in
// place.
//
// Slab j of level l computes planes [j b - S_l, (j + 1) b - S_l), clipped to the grid. Levels go from one of two rings to the
// other by turns, the first from that of the uploads: level l + 1 overwrites what level l - 1 left, up to the planes that level
// l still needs for the next slab, as S_(l+1) - S_l is at least what level l reads below its own planes. So the rings hold what
// slab j reads, from j b - S - low on; that of the uploads b more, so that slab j + 1 comes up while slab j is computed. The last
// level writes to a third ring, of one slab where a trip of the plan's depth has many levels: slab j - 1 goes to the store while
// the others of slab j are computed (shorter trips of such a plan wait for it). Slabs are counted on from trip to trip, and
// planes have places in the rings by that number, so that a trip begins while the one before ends, if it is as long.
//
// Level l of slab j + 1 touches nothing that levels beyond l of slab j do: it lies above them. So as many slabs as there are
// lanes can be computed at once, each in its lane's queue, if level l waits for that of the slab before; slab j comes behind the
// slab whose room in the rings it takes, as they hold b more for each lane. Then the end of a launch, when its last work-groups
// leave the device half idle, is filled by those of another. Commands of all queues are enqueued in the order in which they can
// be done, level by level of slabs that lie evenly apart, at least one level: drivers may hold up what comes behind a command
// that waits, in whatever queue.
#include "runtime/program.h"
#include "stencil/solver.h"

#include <stdlib.h>

enum {
    SLOTS = MST_STENCIL_QUEUES + 3, // slabs that are queued at once, at most
    MANY_LEVELS = 8                 // of a trip
};

// A slab on its way through the levels.
typedef struct slab_state {
    uint64_t slab, n, row; // its number since the beginning; the steps of its trip, and the first one's row in the tables
    int64_t j, first_plane;
    int level; // the next
} slab_state;

typedef struct mst_skewed {
    mst_window rings[2], held, down;
    uint64_t ring_bytes[2], held_bytes, down_bytes; // of one array
    slab_state active[MST_STENCIL_QUEUES + 1];      // the oldest first; that may be done but for its download
    int n_active;
    // Of a slab, by its number since the beginning.
    uint64_t slab; // the next
    mst_slot_memory up[SLOTS], held_up[SLOTS], out[SLOTS];
    cl_event computed[SLOTS];
    cl_event *passed;     // levels of the slab before
    uint64_t steps;       // of its trip
    cl_event *stored;     // of the trip before: when each slab's planes were back
    int64_t n_stored;     // slabs of it
    int64_t stored_shift; // its S of the last level
} mst_skewed;

static int64_t clip(int64_t i, int64_t n) { return i < 0 ? 0 : i > n ? n : i; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }

// Slabs that are queued at once.
static uint64_t slots_of(const mst_stencil *s) { return (uint64_t)s->lanes + 3; }

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

// How far beyond what level 0 computes coefficient fields are needed, and behind what the last level does.
static int64_t held_ahead(const mst_stencil *s) {
    const mst_pipeline *p = &s->steppers[0].pipeline;
    return larger(0, p->fixed_high[PLANES] - p->high[PLANES]) + MST_STENCIL_MAX_RADIUS;
}

// At most, of a trip.
static size_t most_levels(const mst_stencil *s) { return (size_t)(s->plan.depth / s->plan.fuse + s->plan.fuse); }

// S of the last level of any trip of at most so many steps.
static int64_t most_shift(const mst_stencil *s, uint64_t depth) {
    uint64_t m = s->plan.fuse, shorter = depth < m ? depth : depth - depth % m - 1;
    return larger(shift(s, depth, levels_of(s, depth) - 1), shift(s, shorter, levels_of(s, shorter) - 1));
}

uint64_t mst_skewed_ring_planes(const mst_stencil *s, const mst_stencil_plan *plan, int ring) {
    return ((uint64_t)s->lanes + (ring == 0)) * plan->block + (uint64_t)(most_shift(s, plan->depth) + reach(&s->steppers[0]));
}

uint64_t mst_skewed_staging_planes(const mst_stencil *s, const mst_stencil_plan *plan) {
    const mst_problem *p = &s->problem;
    uint64_t slots = slots_of(s);
    return 2 * slots * (uint64_t)p->n_arrays * plan->block +
           slots * (uint64_t)p->n_coefficients * (plan->block + (uint64_t)held_ahead(s));
}

static int down_slabs(const mst_stencil *s, uint64_t depth) { return levels_of(s, depth) < MANY_LEVELS ? 2 : 1; }

uint64_t mst_skewed_down_planes(const mst_stencil *s, const mst_stencil_plan *plan) {
    return (uint64_t)down_slabs(s, plan->depth) * plan->block;
}

uint64_t mst_skewed_held_planes(const mst_stencil *s, const mst_stencil_plan *plan) {
    return ((uint64_t)s->lanes + 1) * plan->block +
           (uint64_t)(most_shift(s, plan->depth) + s->steppers[0].pipeline.fixed_low[PLANES] + held_ahead(s));
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
    return ((int64_t)s->problem.grid[PLANES] + most_shift(s, s->plan.depth)) / (int64_t)s->plan.block + 2;
}

static mst_status prepare(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t slab_bytes = s->plan.block * s->problem.plane * s->problem.element;
    mst_skewed *k = s->skewed = calloc(1, sizeof *k);
    MST_REQUIRE(k, MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    MST_REQUIRE(k->passed = calloc(most_levels(s), sizeof *k->passed), MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    MST_REQUIRE(k->stored = calloc((size_t)n_slabs(s), sizeof *k->stored), MST_ERROR_HOST_MEMORY, "out of memory for a schedule");
    for (int r = 0; r < 2; r++)
        MST_TRY(take(s, s->problem.n_arrays, (int64_t)mst_skewed_ring_planes(s, &s->plan, r), "the slabs of a schedule",
                     &k->rings[r], &k->ring_bytes[r], error));
    MST_TRY(take(s, s->problem.n_arrays, (int64_t)mst_skewed_down_planes(s, &s->plan), "the slabs of a schedule", &k->down,
                 &k->down_bytes, error));
    if (s->problem.n_coefficients > 0)
        MST_TRY(take(s, s->problem.n_coefficients, (int64_t)mst_skewed_held_planes(s, &s->plan), "the coefficient fields",
                     &k->held, &k->held_bytes, error));
    s->queues[0] = s->context->compute;
    for (int lane = 1; lane < s->lanes; lane++)
        MST_TRY(mst_queue_create(s->context, &s->queues[lane], error));
    for (uint64_t i = 0; i < slots_of(s); i++) {
        MST_TRY(mst_slot_create(&s->store, slab_bytes * (uint64_t)s->problem.n_arrays, &k->up[i], error));
        MST_TRY(mst_slot_create(&s->store, slab_bytes * (uint64_t)s->problem.n_arrays, &k->out[i], error));
        if (s->problem.n_coefficients > 0)
            MST_TRY(mst_slot_create(&s->store,
                                    (slab_bytes + (uint64_t)held_ahead(s) * s->problem.plane * s->problem.element) *
                                        (uint64_t)s->problem.n_coefficients,
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
        mst_slot_release(&s->store, &k->up[i]);
        mst_slot_release(&s->store, &k->held_up[i]);
        mst_slot_release(&s->store, &k->out[i]);
        drop(&k->computed[i]);
    }
    for (int64_t j = 0; k->stored && j < n_slabs(s); j++)
        drop(&k->stored[j]);
    for (size_t l = 0; k->passed && l < most_levels(s); l++)
        drop(&k->passed[l]);
    for (int r = 0; r < 2; r++)
        give(s, &k->rings[r], k->ring_bytes[r]);
    give(s, &k->held, k->held_bytes);
    give(s, &k->down, k->down_bytes);
    for (int lane = 1; lane < s->lanes; lane++)
        if (s->queues[lane])
            clReleaseCommandQueue(s->queues[lane]);
    free(k->passed);
    free(k->stored);
    free(k);
    s->skewed = NULL;
}

static mst_box planes_box(const mst_stencil *s, int64_t from, int64_t to) {
    mst_box box = mst_solver_grid(s);
    box.from[PLANES] = from;
    box.to[PLANES] = to;
    return box;
}

// The slab of the last trip after which planes below `end` are in the store, and its event.
static int64_t stored_slab(const mst_skewed *k, int64_t end, int64_t b) {
    int64_t j = (end + k->stored_shift + b - 1) / b - 1;
    return j < k->n_stored ? j : k->n_stored - 1;
}

static const cl_event *stored_event(const mst_skewed *k, int64_t end, int64_t b) {
    int64_t j = stored_slab(k, end, b);
    return j >= 0 && k->stored[j] ? &k->stored[j] : NULL;
}

// Stores what was queued last, for a store that is read by the host, if planes below `end` may be among it.
static mst_status wait_stored(mst_stencil *s, int64_t end, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    int64_t b = (int64_t)s->plan.block;
    const cl_event *stored = stored_event(k, end, b);
    if (s->store.direct || !stored)
        return MST_OK;
    if (stored_slab(k, end, b) >= k->n_stored - (int64_t)slots_of(s))
        for (uint64_t i = 0; i < slots_of(s); i++)
            MST_TRY(mst_store_settle(&s->store, &k->out[i], error));
    MST_TRY_CL(clWaitForEvents(1, stored), "a download failed");
fail:
    return status;
}

// Where the planes of a slab's trip have their places.
static void place(mst_skewed *k, int64_t first_plane) {
    k->rings[0].first_plane = k->rings[1].first_plane = k->held.first_plane = k->down.first_plane = first_plane;
}

static mst_status mark(cl_command_queue queue, cl_event *event, mst_error *error) {
    mst_status status = MST_OK;
    drop(event);
    MST_TRY_CL(clEnqueueMarkerWithWaitList(queue, 0, NULL, event), "cannot queue a slab");
fail:
    return status;
}

// The planes that a level of a slab computes.
static mst_box level_box(const mst_stencil *s, const slab_state *at, int level) {
    int64_t behind = shift(s, at->n, level), b = (int64_t)s->plan.block, z = (int64_t)s->problem.grid[PLANES];
    return planes_box(s, clip(at->j * b - behind, z), clip((at->j + 1) * b - behind, z));
}

// The oldest slab goes to the store.
static mst_status store_slab(mst_stencil *s, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    const slab_state at = k->active[0];
    uint64_t slot = at.slab % slots_of(s);
    const mst_box box = level_box(s, &at, levels_of(s, at.n) - 1);
    for (int i = 1; i < k->n_active; i++)
        k->active[i - 1] = k->active[i];
    k->n_active--;
    place(k, at.first_plane);
    if (!s->overlap)
        MST_TRY(mst_solver_finish(s, error));
    MST_TRY(mst_store_download(&s->store, 0, s->problem.n_arrays, &box, &k->down, &k->out[slot], &k->computed[slot], error,
                               &run->download_bytes));
    drop(&k->stored[at.j]);
    k->stored[at.j] = k->out[slot].moved;
    if (k->stored[at.j])
        MST_TRY_CL(clRetainEvent(k->stored[at.j]), "cannot keep an event");
    if (!s->overlap)
        MST_TRY(mst_solver_finish(s, error));
fail:
    return status;
}

static cl_command_queue queue_of(const mst_stencil *s, const slab_state *at) { return s->queues[at->slab % (uint64_t)s->lanes]; }

// The next level of a slab. The first waits for its upload, the last for room in the ring of downloads, and each for the same of
// the slab before.
static mst_status enqueue_level(mst_stencil *s, slab_state *at, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    uint64_t slots = slots_of(s), slot = at->slab % slots, room = (uint64_t)down_slabs(s, s->plan.depth);
    cl_command_queue queue = queue_of(s, at);
    int l = at->level, levels = levels_of(s, at->n);
    const mst_box box = level_box(s, at, l);
    const mst_stepper *stepper = stepper_of(s, at->n, l);
    if (l == 0) {
        MST_TRY(mst_solver_barrier(queue, &k->up[slot].moved, error));
        MST_TRY(mst_solver_barrier(queue, &k->held_up[slot].moved, error));
    }
    if (s->lanes > 1)
        MST_TRY(mst_solver_barrier(queue, &k->passed[l], error));
    if (l + 1 == levels && box.to[PLANES] > box.from[PLANES]) {
        // The first planes of a trip may share places with any that the trip before left.
        bool first = box.from[PLANES] == 0;
        for (uint64_t back = first ? 1 : room; back <= (first ? slots - 1 : room); back++)
            MST_TRY(mst_solver_barrier(queue, &k->out[(at->slab + slots - back) % slots].moved, error));
    }
    place(k, at->first_plane);
    MST_TRY(mst_stepper_enqueue(stepper, queue, &k->rings[l % 2], l + 1 < levels ? &k->rings[(l + 1) % 2] : &k->down, &k->held,
                                &box, s->lanes, at->row, error));
    if (s->lanes > 1)
        MST_TRY(mark(queue, &k->passed[l], error));
    if (l + 1 == levels)
        MST_TRY(mark(queue, &k->computed[slot], error));
    MST_TRY_CL(clFlush(queue), "cannot queue a slab");
    at->row += (uint64_t)stepper->pipeline.m;
    at->level++;
fail:
    return status;
}

static bool is_done(const mst_stencil *s, const slab_state *at) { return at->level == levels_of(s, at->n); }

// A level of each slab, the oldest first. What was done before goes to the store behind most of them, but not behind a level that
// waits for its room or for an upload.
static mst_status enqueue_round(mst_stencil *s, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    bool waits = k->n_active > 0 && is_done(s, &k->active[0]);
    for (int i = waits; i < k->n_active; i++) {
        int level = k->active[i].level;
        if (waits && (level == 0 || level + 1 == levels_of(s, k->active[i].n))) {
            MST_TRY(store_slab(s, run, error));
            waits = false;
            i--;
        }
        MST_TRY(enqueue_level(s, &k->active[i], error));
    }
    if (waits)
        MST_TRY(store_slab(s, run, error));
fail:
    return status;
}

static mst_status store_all_slabs(mst_stencil *s, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    while (s->skewed->n_active > 0)
        MST_TRY(enqueue_round(s, run, error));
fail:
    return status;
}

// Puts down what a run that failed has left.
static mst_status give_up(mst_stencil *s, mst_status status) {
    if (status != MST_OK)
        s->skewed->n_active = 0;
    return status;
}

// Until the planes of the trip before that a slab's upload takes are on their way to the store.
static mst_status make_current(mst_stencil *s, const slab_state *next, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    int64_t b = (int64_t)s->plan.block, z = (int64_t)s->problem.grid[PLANES];
    int64_t needed = stored_slab(k, clip((next->j + 1) * b, z), b);
    while (k->n_active > 0 && k->active[0].first_plane != next->first_plane && k->active[0].j <= needed)
        MST_TRY(enqueue_round(s, run, error));
fail:
    return status;
}

static mst_status upload(mst_stencil *s, const slab_state *at, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    uint64_t slots = slots_of(s), slot = at->slab % slots, before = (at->slab + 2) % slots; // whose room it takes
    int64_t b = (int64_t)s->plan.block, z = (int64_t)s->problem.grid[PLANES], ahead = held_ahead(s), j = at->j;
    const mst_box box = planes_box(s, clip(j * b, z), clip((j + 1) * b, z));
    const mst_box held = planes_box(s, j == 0 ? 0 : clip(j * b + ahead, z), clip((j + 1) * b + ahead, z));
    cl_command_queue queue = s->context->upload;
    MST_TRY(make_current(s, at, run, error));
    if (!s->overlap)
        MST_TRY(store_all_slabs(s, run, error));
    place(k, at->first_plane);
    MST_TRY(mst_store_settle(&s->store, &k->out[slot], error)); // that the last level need not wait for
    MST_TRY(mst_store_settle(&s->store, &k->up[slot], error));
    MST_TRY(mst_store_settle(&s->store, &k->held_up[slot], error));
    MST_TRY(wait_stored(s, box.to[PLANES], error));
    MST_TRY(mst_solver_barrier(queue, &k->computed[before], error));
    const cl_event *stored = stored_event(k, box.to[PLANES], b);
    if (stored)
        MST_TRY(mst_solver_barrier(queue, stored, error));
    MST_TRY(mst_store_upload(&s->store, s->problem.n_arrays * s->store.copies, s->problem.n_coefficients, &held, &k->held,
                             &k->held_up[slot], NULL, error, &run->upload_bytes));
    MST_TRY(
        mst_store_upload(&s->store, 0, s->problem.n_arrays, &box, &k->rings[0], &k->up[slot], NULL, error, &run->upload_bytes));
    if (!s->overlap)
        MST_TRY(mst_solver_finish(s, error));
fail:
    return status;
}

// All slabs of a trip of n steps. As many are on their way at once as there are lanes, as many levels apart as can be.
static mst_status advance(mst_stencil *s, uint64_t n, uint64_t row, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    int levels = levels_of(s, n), apart = (levels + s->lanes - 1) / s->lanes;
    int64_t b = (int64_t)s->plan.block, z = (int64_t)s->problem.grid[PLANES], last = shift(s, n, levels - 1);
    int64_t slabs = (z + last + b - 1) / b, before = k->n_stored;
    slab_state next = {.slab = k->slab, .n = n, .row = row, .first_plane = -(int64_t)k->slab * b};
    if (n != k->steps) { // its levels lie elsewhere
        MST_TRY(store_all_slabs(s, run, error));
        for (size_t l = 0; l < most_levels(s); l++)
            drop(&k->passed[l]);
        MST_TRY(mst_solver_barrier(queue_of(s, &next), &k->computed[(k->slab + slots_of(s) - 1) % slots_of(s)], error));
        k->steps = n;
    }
    MST_TRY(upload(s, &next, run, error));
    while (next.j < slabs) {
        k->active[k->n_active++] = next;
        k->slab = ++next.slab;
        next.j++;
        for (int i = 1; i <= apart; i++) {
            MST_TRY(enqueue_round(s, run, error));
            // The host's own copies would hold up what is queued behind them.
            if (i == (s->store.direct ? 1 : apart) && next.j < slabs)
                MST_TRY(upload(s, &next, run, error));
        }
    }
    for (int64_t j = slabs; j < before; j++)
        drop(&k->stored[j]);
    k->n_stored = slabs;
    k->stored_shift = last;
fail:
    return give_up(s, status);
}

static mst_status settle(mst_stencil *s, mst_run *run, mst_error *error) {
    mst_status status = MST_OK;
    mst_skewed *k = s->skewed;
    MST_TRY(store_all_slabs(s, run, error));
    for (uint64_t i = 0; i < slots_of(s); i++) {
        MST_TRY(mst_store_settle(&s->store, &k->up[i], error));
        MST_TRY(mst_store_settle(&s->store, &k->held_up[i], error));
        MST_TRY(mst_store_settle(&s->store, &k->out[i], error));
    }
    MST_TRY(mst_solver_finish(s, error));
fail:
    return give_up(s, status);
}

const mst_engine mst_skewed_engine = {prepare, release, advance, settle};
