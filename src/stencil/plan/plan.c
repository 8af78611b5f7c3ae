// Choosing: shape and m by rule, then schedule, n, block and store by what fits and what the model says.
#include "stencil/kernels/cutting.h"
#include "stencil/solver.h"

#include <string.h>

enum {
    MOST_DEPTH = 1 << 20, // of a trip
    LONG_RUN = 10000,     // steps
    LINE = 32             // nodes
};

// Of the rates of copies. What delays one counts for more where there are more slabs, each a part as thick.
static const double CAUTION = 0.85, CAUTION_BESIDE = 0.65;

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }
static uint64_t larger(uint64_t a, uint64_t b) { return a > b ? a : b; }

int mst_plan_copies(mst_stencil_schedule schedule) { return schedule == MST_STENCIL_SKEWED ? 1 : 2; }

mst_stencil_shape mst_plan_shape(const mst_stencil *s, const mst_stencil_desc *desc) {
    bool gpu = s->context->device.type & CL_DEVICE_TYPE_GPU;
    return desc->shape ? desc->shape : gpu ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
}

// Steps that pay: as many as rings or registers hold, fewer for schemes with many arrays.
unsigned mst_plan_fuse(const mst_stencil *s, const mst_stencil_desc *desc) {
    static const unsigned cpu[] = {32, 16, 4}, gpu[] = {16, 8, 3};
    const mst_problem *p = &s->problem;
    mst_stencil_shape shape = mst_plan_shape(s, desc);
    unsigned m = shape == MST_STENCIL_SHAPE_CPU ? cpu[p->rank - 1] : gpu[p->rank - 1];
    unsigned weight = (unsigned)(p->n_arrays + p->n_updates) / 2;
    m /= weight > 1 ? weight : 1;
    return m > 1 ? m : 1;
}

static mst_stencil_store choose_store(const mst_stencil *s, const mst_stencil_desc *desc) {
    if (desc->store)
        return desc->store;
    bool pinned =
        !s->context->device.unified_memory && s->problem.nodes * s->problem.element <= s->context->device.max_allocation_bytes;
    return pinned ? MST_STENCIL_STORE_PINNED : MST_STENCIL_STORE_MEMORY;
}

mst_status mst_plan_kernels(mst_stencil *s, const mst_stencil_desc *desc, unsigned most, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(desc->fuse <= MST_STENCIL_MAX_FUSE, MST_ERROR_ARGUMENT, "%u steps are to be fused; at most %d", desc->fuse,
                MST_STENCIL_MAX_FUSE);
    MST_REQUIRE((unsigned)desc->shape <= MST_STENCIL_SHAPE_CPU, MST_ERROR_ARGUMENT, "shape %d is none", (int)desc->shape);
    MST_REQUIRE((unsigned)desc->schedule <= MST_STENCIL_SKEWED, MST_ERROR_ARGUMENT, "schedule %d is none", (int)desc->schedule);
    MST_REQUIRE((unsigned)desc->store <= MST_STENCIL_STORE_FILE, MST_ERROR_ARGUMENT, "store %d is none", (int)desc->store);
    s->plan.shape = mst_plan_shape(s, desc);
    s->plan.store = choose_store(s, desc);
    const mst_tile_choice rule = mst_tile_rule(&s->problem, s->plan.shape);
    unsigned m = desc->fuse ? desc->fuse : s->choice.fuse;
    if (desc->schedule == MST_STENCIL_TRIVIAL)
        m = 1;
    else if (desc->depth && m > desc->depth && !desc->fuse)
        m = (unsigned)desc->depth;
    m = m < most ? m : most;
    for (;;) {
        mst_error first = {MST_OK, 0, "", ""};
        status = mst_stepper_create(s->context, &s->problem, &s->tables, (int)m, s->plan.shape, s->choice.tile, &s->steppers[0],
                                    &first);
        if (status == MST_OK)
            break;
        if (status == MST_ERROR_UNSUPPORTED && !s->is_trial && memcmp(&s->choice.tile, &rule, sizeof rule) != 0) {
            s->choice.tile = rule; // what was found for another scheme does not suit this one
            continue;
        }
        if (status != MST_ERROR_UNSUPPORTED || desc->fuse || m == 1) {
            if (error)
                *error = first;
            goto fail;
        }
        m = (m + 1) / 2;
    }
    s->plan.fuse = m;
    s->lanes = s->overlap ? mst_cutting_queues(&s->steppers[0].tile) : 1;
    MST_TRY(mst_stepper_create_single(&s->steppers[0], &s->steppers[1], error));
fail:
    return status;
}

static uint64_t reach(const mst_stencil *s, int axis, uint64_t n, bool both) {
    const mst_pipeline *m = &s->steppers[0].pipeline, *one = &s->steppers[1].pipeline;
    uint64_t full = n / s->plan.fuse, single = n % s->plan.fuse;
    uint64_t high = full * (uint64_t)m->high[axis] + single * (uint64_t)one->high[axis];
    return high + (both ? full * (uint64_t)m->low[axis] + single * (uint64_t)one->low[axis] : 0);
}

uint64_t mst_plan_device_bytes(const mst_stencil *s, const mst_stencil_plan *plan) {
    const mst_problem *p = &s->problem;
    uint64_t arrays = (uint64_t)p->n_arrays, constants = (uint64_t)p->n_coefficients, b = plan->block;
    if (plan->schedule == MST_STENCIL_IN_CORE)
        return (2 * arrays + constants) * p->nodes * p->element;
    if (plan->schedule == MST_STENCIL_SKEWED) {
        uint64_t rings = mst_skewed_ring_planes(s, plan, 0) + mst_skewed_ring_planes(s, plan, 1);
        uint64_t planes = arrays * (rings + mst_skewed_down_planes(s, plan));
        if (constants > 0)
            planes += constants * mst_skewed_held_planes(s, plan);
        return planes * p->plane * p->element;
    }
    uint64_t big = 1, held = 1, own = 1;
    for (int axis = 0, cuts = plan->schedule == MST_STENCIL_PYRAMID_TILES ? 2 : 1; axis < N_AXES; axis++) {
        uint64_t n = p->grid[axis], side = n, wide = n, wider = n;
        bool exists = p->rank == 3 || axis == COLUMNS || (p->rank == 2 && axis == PLANES);
        if (exists && cuts-- > 0 && b < n) {
            bool periodic = mst_problem_periodic(p, axis);
            side = b;
            wide = b + reach(s, axis, plan->depth, true) + mst_pyramid_pad(s, axis);
            wider = wide + 2 * MST_STENCIL_MAX_RADIUS;
            wide = periodic ? wide : smaller(wide, n);
            wider = periodic ? wider : smaller(wider, n);
        }
        own *= side;
        big *= wide;
        held *= wider;
    }
    return (arrays * (3 * big + 2 * own) + 2 * constants * held) * p->element;
}

static uint64_t left(const mst_stencil *s) { return mst_budget_left(s->context, &s->context->device_memory); }

// Host memory for staging, where the device does not copy from and to the store by itself: see the schedules.
static uint64_t staging_bytes(const mst_stencil *s, const mst_stencil_plan *plan) {
    const mst_problem *p = &s->problem;
    if (mst_store_is_direct(s->context, plan->store) || plan->schedule == MST_STENCIL_IN_CORE)
        return 0;
    if (plan->schedule == MST_STENCIL_SKEWED)
        return mst_skewed_staging_planes(s, plan) * p->plane * p->element;
    return 3 * mst_plan_device_bytes(s, plan);
}

static bool fits(const mst_stencil *s, const mst_stencil_plan *plan) {
    const mst_problem *p = &s->problem;
    if (staging_bytes(s, plan) > mst_budget_left(s->context, &s->context->host_memory))
        return false;
    if (plan->schedule == MST_STENCIL_IN_CORE && p->nodes * p->element > s->context->device.max_allocation_bytes)
        return false;
    if (plan->schedule == MST_STENCIL_SKEWED) {
        uint64_t most = mst_skewed_ring_planes(s, plan, 0); // in one piece
        if (p->n_coefficients > 0)
            most = larger(most, mst_skewed_held_planes(s, plan));
        if (most * p->plane * p->element > s->context->device.max_allocation_bytes)
            return false;
    }
    return mst_plan_device_bytes(s, plan) <= left(s) / 64 * 63; // the tables of steps need some
}

// The largest block that fits, but not so large that there are few to overlap; 0 if none does. Columns are cut between cache
// lines, unless the block has all planes.
static size_t choose_block(const mst_stencil *s, mst_stencil_plan plan) {
    bool tiles = plan.schedule == MST_STENCIL_PYRAMID_TILES, columns = s->problem.rank <= (tiles ? 2 : 1);
    uint64_t n = s->problem.grid[s->problem.rank == 1 ? COLUMNS : PLANES], low = 1, high = n;
    if (s->overlap && !tiles)
        high = larger(1, n / 8);
    plan.block = low;
    if (!fits(s, &plan))
        return 0;
    while (low < high) {
        plan.block = (low + high + 1) / 2;
        if (fits(s, &plan))
            low = plan.block;
        else
            high = plan.block - 1;
    }
    return columns && low < n && low >= 2 * LINE ? low - low % LINE : low;
}

static bool can_skew(const mst_stencil *s) { return s->problem.rank > 1 && !mst_problem_periodic(&s->problem, PLANES); }

// The best n and block of a schedule, in *best if the model finds them faster than what is there. Long runs are compared, with
// copies that are slower than measured: where they take as long as the kernels, each delay of one holds up the other, and longer
// trips cost little.
static void try_schedule(mst_stencil *s, const mst_stencil_desc *desc, mst_stencil_schedule schedule, mst_stencil_plan *best) {
    const unsigned most = 96;
    const mst_rates measured = s->rates;
    const double caution = schedule == MST_STENCIL_SKEWED && s->lanes > 1 ? CAUTION_BESIDE : CAUTION;
    s->rates.upload *= caution;
    s->rates.download *= caution;
    s->rates.host *= caution;
    for (int down = 0; down < 2; down++)
        s->rates.row[down] /= caution;
    for (unsigned k = 1; k <= most; k++) {
        mst_stencil_plan plan = s->plan;
        plan.schedule = schedule;
        plan.depth = desc->depth ? desc->depth : schedule == MST_STENCIL_TRIVIAL ? 1 : (size_t)k * plan.fuse;
        plan.block = desc->block ? desc->block : schedule == MST_STENCIL_IN_CORE ? 0 : choose_block(s, plan);
        if (plan.block > 0 || schedule == MST_STENCIL_IN_CORE) {
            mst_model_predict(s, LONG_RUN, &plan);
            if (fits(s, &plan) && (best->schedule == MST_STENCIL_AUTO || plan.seconds < best->seconds))
                *best = plan;
        }
        if (desc->depth || schedule == MST_STENCIL_IN_CORE || schedule == MST_STENCIL_TRIVIAL)
            break;
    }
    s->rates = measured;
}

// The least device memory with which a schedule works.
static uint64_t least_bytes(const mst_stencil *s, const mst_stencil_desc *desc, mst_stencil_schedule schedule) {
    mst_stencil_plan plan = s->plan;
    plan.schedule = schedule;
    plan.depth = desc->depth ? desc->depth : schedule == MST_STENCIL_TRIVIAL ? 1 : plan.fuse;
    plan.block = desc->block ? desc->block : 1;
    return (mst_plan_device_bytes(s, &plan) + 63) / 63 * 64 + mst_context_device_memory_used(s->context);
}

mst_status mst_plan_choose(mst_stencil *s, const mst_stencil_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_plan best = {.schedule = MST_STENCIL_AUTO};
    mst_stencil_schedule wanted = desc->schedule, fallback = can_skew(s) ? MST_STENCIL_SKEWED : MST_STENCIL_PYRAMID_SLABS;
    MST_REQUIRE(wanted != MST_STENCIL_SKEWED || can_skew(s), MST_ERROR_ARGUMENT,
                s->problem.rank == 1 ? "the skewed schedule needs a grid of two or three axes; use pyramid-slabs"
                                     : "the skewed schedule cannot have the slowest axis periodic; use pyramid-slabs");
    MST_REQUIRE(!desc->depth || desc->depth >= s->plan.fuse, MST_ERROR_ARGUMENT,
                "the depth is %zu steps, less than the %u that are fused", desc->depth, s->plan.fuse);
    MST_REQUIRE(desc->depth <= MOST_DEPTH, MST_ERROR_ARGUMENT, "the depth is %zu steps; at most %d", desc->depth, MOST_DEPTH);
    if (wanted != MST_STENCIL_AUTO)
        try_schedule(s, desc, wanted, &best);
    else
        try_schedule(s, desc, MST_STENCIL_IN_CORE, &best);
    // Tiles last: where slabs fit they compute less twice, and skewed ones need the state only once on the host.
    if (wanted == MST_STENCIL_AUTO && best.schedule == MST_STENCIL_AUTO)
        try_schedule(s, desc, fallback, &best);
    while ((wanted ? wanted : fallback) == MST_STENCIL_SKEWED && best.schedule == MST_STENCIL_AUTO && s->lanes > 1) {
        s->lanes /= 2; // which takes less memory
        try_schedule(s, desc, MST_STENCIL_SKEWED, &best);
    }
    if (wanted == MST_STENCIL_AUTO && best.schedule == MST_STENCIL_AUTO)
        try_schedule(s, desc, MST_STENCIL_PYRAMID_TILES, &best);
    if (best.schedule == MST_STENCIL_AUTO) {
        uint64_t least = least_bytes(s, desc, wanted ? wanted : fallback);
        if (wanted == MST_STENCIL_AUTO)
            least = smaller(least, least_bytes(s, desc, MST_STENCIL_PYRAMID_TILES));
        status = mst_fail(error, MST_ERROR_BUDGET,
                          "the budget of %llu bytes of device memory is too small for %s; %llu bytes would do",
                          (unsigned long long)s->context->device_memory.limit,
                          wanted ? mst_stencil_schedule_name(wanted) : "any schedule", (unsigned long long)least);
        goto fail;
    }
    s->plan = best;
fail:
    return status;
}

uint64_t mst_plan_trip(const mst_stencil_plan *plan, uint64_t steps) {
    if (steps <= plan->depth || plan->schedule != MST_STENCIL_SKEWED)
        return smaller(steps, plan->depth);
    uint64_t trips = (steps + plan->depth - 1) / plan->depth, n = (steps + trips - 1) / trips;
    return smaller((n + plan->fuse - 1) / plan->fuse * plan->fuse, plan->depth);
}

void mst_plan_figures(const mst_stencil *s, uint64_t steps, mst_stencil_plan *plan) {
    *plan = s->plan;
    mst_model_predict(s, steps, plan);
}
