#include "candidates.h"

#include "runtime/numbers.h"
#include "stencil/kernels/cutting.h"
#include "stencil/kernels/sweep.h"
#include "stencil/scheme/observations.h"

enum {
    MOST_DEPTH = 1 << 20, // of a trip
    LINE = 32,            // nodes of a cache line
    PARTS_OF_GRID = 8,    // blocks, at least, for uploads, kernels and downloads to overlap
    FINE = 64             // blocks that are considered differ by one of so many parts of their nodes
};

bool mst_plan_may_sweep(const mst_plan_inputs *in) { return !in->wishes.schedule && !in->wishes.fuse && !in->wishes.depth; }

bool mst_plan_may_skew_sweeps(const mst_plan_inputs *in) {
    return mst_plan_may_sweep(in) && mst_plan_can_skew_sweeps(in->problem) && in->rates.sweep > 0;
}

bool mst_plan_can_skew_sweeps(const mst_problem *p) {
    return p->rank > 1 && (p->n_layers == 0 || !mst_problem_periodic(p, PLANES));
}

bool mst_plan_can_skew(const mst_problem *p) { return p->rank > 1 && !mst_problem_periodic(p, PLANES); }

mst_status mst_plan_check(const mst_plan_inputs *in, mst_error *error) {
    mst_status status = MST_OK;
    const mst_plan_wishes *w = &in->wishes;
    MST_REQUIRE(mst_larger(w->fuse, w->middle) <= MST_STENCIL_MAX_FUSE, MST_ERROR_ARGUMENT,
                "%u steps are to be fused; at most %d", mst_larger(w->fuse, w->middle), MST_STENCIL_MAX_FUSE);
    MST_REQUIRE((unsigned)w->shape <= MST_STENCIL_SHAPE_CPU, MST_ERROR_ARGUMENT, "shape %d is none", (int)w->shape);
    MST_REQUIRE((unsigned)w->schedule <= MST_STENCIL_SKEWED_SWEEPS, MST_ERROR_ARGUMENT, "schedule %d is none", (int)w->schedule);
    MST_REQUIRE((unsigned)w->store <= MST_STENCIL_STORE_FILE, MST_ERROR_ARGUMENT, "store %d is none", (int)w->store);
    MST_REQUIRE(w->schedule != MST_STENCIL_SKEWED || mst_plan_can_skew(in->problem), MST_ERROR_ARGUMENT,
                in->problem->rank == 1 ? "the skewed schedule needs a grid of two or three axes; use pyramid-slabs"
                                       : "the skewed schedule cannot have the slowest axis periodic; use pyramid-slabs");
    MST_REQUIRE(w->schedule != MST_STENCIL_SKEWED_SWEEPS || mst_plan_can_skew_sweeps(in->problem), MST_ERROR_ARGUMENT,
                in->problem->rank == 1
                    ? "the skewed-sweeps schedule needs a grid of two or three axes; use pyramid-slabs"
                    : "the skewed-sweeps schedule cannot have absorbing layers and the slowest axis periodic; use pyramid-slabs");
    MST_REQUIRE(w->schedule != MST_STENCIL_SKEWED_SWEEPS || w->middle <= 1, MST_ERROR_ARGUMENT,
                "sweeps do one step each; %u are to be fused", w->middle);
    MST_REQUIRE(w->middle <= 1 || (in->problem->n_layers > 0 && mst_plan_shape(in) == MST_STENCIL_SHAPE_GPU), MST_ERROR_ARGUMENT,
                "sweeps do one step each, but on a GPU outside absorbing layers; %u are to be fused", w->middle);
    MST_REQUIRE(!in->problem->has_grids || w->schedule == MST_STENCIL_SWEEPS, MST_ERROR_ARGUMENT,
                "an ensemble of grids of three axes is computed by sweeps, not by %s", mst_stencil_schedule_name(w->schedule));
    MST_REQUIRE(w->depth <= MOST_DEPTH, MST_ERROR_ARGUMENT, "the depth is %llu steps; at most %d", (unsigned long long)w->depth,
                MOST_DEPTH);
    MST_REQUIRE(!w->depth || w->depth >= mst_larger(w->fuse, w->middle) || w->schedule == MST_STENCIL_TRIVIAL, MST_ERROR_ARGUMENT,
                "the depth is %llu steps, less than the %u that are fused", (unsigned long long)w->depth,
                mst_larger(w->fuse, w->middle));
fail:
    return status;
}

static mst_stencil_store choose_store(const mst_plan_inputs *in) {
    if (in->wishes.store)
        return in->wishes.store;
    bool pinned = !in->limits.unified_memory && in->problem->nodes * in->problem->element <= in->limits.max_allocation_bytes;
    return pinned ? MST_STENCIL_STORE_PINNED : MST_STENCIL_STORE_MEMORY;
}

mst_candidates mst_candidates_make(const mst_plan_inputs *in, const mst_kernel_pair *pair) {
    mst_candidates c = {.in = in, .pair = pair, .most_queues = in->wishes.overlap ? mst_cutting_queues(&pair->tiles[0]) : 1};
    c.plan.store = choose_store(in);
    c.plan.overlap = in->wishes.overlap;
    return c;
}

static void visit_depths(mst_candidates *c, mst_visit_fn visit, void *user) {
    const mst_stencil_schedule schedule = c->plan.schedule;
    const uint64_t fused = mst_larger(c->in->middle.m, 1U);
    const uint64_t fixed = schedule == MST_STENCIL_TRIVIAL  ? 1
                           : schedule == MST_STENCIL_SWEEPS ? mst_round_up((uint64_t)MST_SWEEPS_TRIP, fused)
                                                            : 0;
    const bool one = c->in->wishes.depth || schedule == MST_STENCIL_IN_CORE || fixed > 0;
    const uint64_t interval = mst_plan_interval(c->in); // beyond which no trip goes
    const uint64_t m = mst_plan_sweeps(schedule) ? 1 : c->pair->m;
    for (unsigned k = 1; k <= (one ? 1 : MST_PLAN_MOST_TRIPS) && (k == 1 || k * m <= interval); k++) {
        c->plan.depth = c->in->wishes.depth ? c->in->wishes.depth : fixed ? fixed : k * m;
        mst_footprint_make(c->in, c->pair, &c->plan);
        visit(c, user);
    }
}

// The largest block that is tried. Slabs are at most so thick that there are several, whose copies and kernels overlap.
static uint64_t most_block(const mst_candidates *c) {
    uint64_t most = 1;
    for (int k = 0; k < (c->plan.schedule == MST_STENCIL_PYRAMID_TILES ? 2 : 1) && k < c->in->problem->rank; k++)
        most = mst_larger(most, c->in->problem->grid[mst_problem_axis(c->in->problem->rank, k)]);
    bool tiles = c->plan.schedule == MST_STENCIL_PYRAMID_TILES;
    return c->in->wishes.overlap && !tiles ? mst_larger(most / PARTS_OF_GRID, (uint64_t)1) : most;
}

// Columns are cut between cache lines, unless a block has all of them, or few.
static bool is_block(const mst_candidates *c, uint64_t block, uint64_t most) {
    int cut = c->plan.schedule == MST_STENCIL_PYRAMID_TILES ? 2 : 1;
    return c->in->problem->rank > cut || block < 2 * LINE || block == most || block % LINE == 0;
}

// The blocks do not depend on the budget, so that a larger one only adds candidates. Larger blocks come first.
static void visit_blocks(mst_candidates *c, mst_visit_fn visit, void *user) {
    const uint64_t most = most_block(c);
    if (c->in->wishes.block || mst_plan_in_core(c->plan.schedule)) {
        c->plan.block = mst_plan_in_core(c->plan.schedule) ? 0 : mst_smaller(c->in->wishes.block, (uint64_t)1 << 48);
        visit_depths(c, visit, user);
        return;
    }
    for (uint64_t block = most; block > 0; block -= mst_larger(block / FINE, (uint64_t)1)) {
        block -= is_block(c, block, most) ? 0 : block % LINE;
        c->plan.block = block;
        visit_depths(c, visit, user);
    }
}

void mst_candidates_visit(mst_candidates *c, mst_stencil_schedule schedule, mst_visit_fn visit, void *user) {
    c->plan.schedule = schedule;
    for (c->plan.queues = schedule == MST_STENCIL_SKEWED ? c->most_queues : 1; c->plan.queues > 0; c->plan.queues /= 2)
        visit_blocks(c, visit, user);
}

// All but in-core runs, if there is no wish.
void mst_candidates_visit_all(mst_candidates *c, mst_visit_fn visit, void *user) {
    if (c->in->wishes.schedule) {
        mst_candidates_visit(c, c->in->wishes.schedule, visit, user);
        return;
    }
    mst_candidates_visit(c, mst_plan_can_skew(c->in->problem) ? MST_STENCIL_SKEWED : MST_STENCIL_PYRAMID_SLABS, visit, user);
    mst_candidates_visit(c, MST_STENCIL_PYRAMID_TILES, visit, user);
    if (mst_plan_may_skew_sweeps(c->in))
        mst_candidates_visit(c, MST_STENCIL_SKEWED_SWEEPS, visit, user);
}
