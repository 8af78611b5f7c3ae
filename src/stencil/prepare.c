// From a checked description to kernels and a plan: what planning says is built, measured, and planned again by what was
// measured.
#include "measure.h"
#include "scheme/layers.h"
#include "solver.h"

#include <string.h>

static mst_status build(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tile *tile = &s->pair.tiles[0];
    MST_TRY(mst_stepper_create(s->context, &s->problem, &s->points, &s->tables.buffers, (int)s->pair.m, tile->shape, tile->choice,
                               &s->steppers[0], error));
    MST_TRY(mst_stepper_create_single(&s->steppers[0], &s->steppers[1], error));
fail:
    return status;
}

static void discard(mst_stencil *s) {
    for (int k = 0; k < 2; k++)
        mst_stepper_release(&s->steppers[k]);
    mst_kernel_pair_release(&s->pair);
}

// Copies do not matter to a run in core.
static mst_status measure(mst_stencil *s, uint64_t steps, mst_error *error) {
    const mst_measurement m = {.context = s->context,
                               .problem = &s->problem,
                               .steppers = mst_plan_sweeps(s->inputs.wishes.schedule) ? NULL : s->steppers,
                               .sweeper = &s->sweeper,
                               .store = s->plan.store,
                               .is_direct = s->plan.is_direct,
                               .copies = s->plan.schedule != MST_STENCIL_IN_CORE,
                               .steps = steps};
    return mst_rates_measure(&m, &s->inputs.rates, error);
}

// The values that tuning found for a similar scheme may not suit this one.
static void suit_tile(mst_plan_inputs *in, unsigned m) {
    const mst_tile_choice rule = mst_tile_rule(in->problem, mst_plan_shape(in));
    mst_kernel_pair pair;
    if (memcmp(&in->tile, &rule, sizeof rule) == 0)
        return;
    mst_status status = mst_kernel_pair_make(in, m, &pair, NULL);
    mst_kernel_pair_release(&pair);
    if (status == MST_ERROR_UNSUPPORTED)
        in->tile = rule;
}

// If halos turn out to be most of the work, and what fewer fused steps save repays building them.
static mst_status fuse_fewer(mst_stencil *s, uint64_t steps, mst_error *error) {
    mst_status status = MST_OK;
    const mst_plan_inputs *in = &s->inputs;
    while (!in->wishes.fuse && s->pair.m > 1 && mst_plan_is_crowded(in, &s->pair, &s->plan)) {
        mst_kernel_pair fewer;
        mst_plan plan;
        if (mst_plan_choose_fused(in, (s->pair.m + 1) / 2, &fewer, &plan, NULL) != MST_OK ||
            !mst_plan_repays(in, &s->pair, &s->plan, &fewer, &plan, steps)) {
            mst_kernel_pair_release(&fewer);
            break;
        }
        discard(s);
        s->pair = fewer;
        MST_TRY(build(s, error));
        MST_TRY(measure(s, steps, error));
        MST_TRY(mst_plan_choose(in, &s->pair, &s->plan, error));
    }
fail:
    return status;
}

// What belongs to a number of fused steps.
typedef struct fused {
    mst_kernel_pair pair;
    mst_plan plan;
    mst_stepper steppers[2];
    mst_rates rates;
} fused;

static fused take_fused(mst_stencil *s) {
    const fused f = {s->pair, s->plan, {s->steppers[0], s->steppers[1]}, s->inputs.rates};
    memset(s->steppers, 0, sizeof s->steppers);
    return f;
}

static void put_fused(mst_stencil *s, const fused *f) {
    discard(s);
    s->pair = f->pair;
    s->plan = f->plan;
    memcpy(s->steppers, f->steppers, sizeof s->steppers);
    s->inputs.rates = f->rates;
}

static void release_fused(fused *f) {
    for (int k = 0; k < 2; k++)
        mst_stepper_release(&f->steppers[k]);
    mst_kernel_pair_release(&f->pair);
}

static mst_status build_and_measure(mst_stencil *s, uint64_t steps, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(build(s, error));
    MST_TRY(mst_tables_take(&s->tables, &s->plan.footprint, error));
    MST_TRY(measure(s, steps, error));
    MST_TRY(mst_plan_choose(&s->inputs, &s->pair, &s->plan, error));
fail:
    return status;
}

// Whether the steps between two exchanges of a part are whole passes of so many.
static bool suits_exchanges(const mst_stencil *s, unsigned m) { return s->halo_steps == 0 || s->halo_steps % m == 0; }

// In core a step more is fused as long as that is faster by measurement, where a run is so long that a try is a small part of it.
static void fuse_more(mst_stencil *s, uint64_t steps) {
    bool faster = !s->inputs.wishes.fuse;
    while (faster && mst_plan_in_core(s->plan.schedule) && s->pair.m < MST_STENCIL_MAX_FUSE &&
           suits_exchanges(s, s->pair.m + 1)) {
        mst_plan_inputs in = s->inputs;
        mst_kernel_pair pair;
        mst_plan plan;
        in.wishes.fuse = s->pair.m + 1;
        in.wishes.schedule = MST_STENCIL_IN_CORE;
        if (s->plan.schedule == MST_STENCIL_SWEEPS && !mst_plan_may_overtake(&s->inputs, &s->pair))
            return;
        if (mst_plan_choose_fused(&in, s->pair.m + 1, &pair, &plan, NULL) != MST_OK)
            return;
        if (!mst_plan_may_try(&s->inputs, &s->pair, &s->plan, &pair, steps)) {
            mst_kernel_pair_release(&pair);
            return;
        }
        fused before = take_fused(s);
        s->pair = pair;
        s->plan = plan;
        faster = build_and_measure(s, steps, NULL) == MST_OK && s->plan.seconds < (1 - MST_PLAN_TOLERANCE) * before.plan.seconds;
        if (faster)
            release_fused(&before);
        else
            put_fused(s, &before);
    }
}

static mst_status make_sweeper(mst_stencil *s, uint64_t steps, const mst_plan *plan, mst_error *error) {
    mst_status status = MST_OK;
    const bool gpu = mst_plan_shape(&s->inputs) == MST_STENCIL_SHAPE_GPU;
    const bool in_parts = plan->schedule == MST_STENCIL_SKEWED_SWEEPS || (s->inputs.wishes.beside && gpu);
    MST_TRY(mst_sweeper_create(s->context, &s->problem, &s->points, &s->tables.buffers, mst_plan_shape(&s->inputs),
                               in_parts ? MST_SWEEPER_PARTS : MST_SWEEPER_WHOLE, steps, &s->sweeper, error));
    MST_TRY(mst_tables_take(&s->tables, &plan->footprint, error));
    if (plan->footprint.rows < MST_SWEEPS_TRIP) { // the tables hold no more
        s->sweeper.n_ways = 1;
        s->sweeper.stagger = s->sweeper.ways[0];
    }
    MST_TRY(mst_sweeps_measure(&s->sweeper, &s->inputs.rates, error));
fail:
    return status;
}

// Whether to build fused kernels, too, when those of sweeps are there and measured: in a run of so many steps they must save at
// least what building takes, even if they took no time at all; and what they compute must not alone take longer than sweeps.
static bool may_repay(const mst_stencil *s, uint64_t steps) {
    const double seconds = (double)s->problem.nodes * (double)steps / s->inputs.rates.sweep;
    return !(s->inputs.rates.sweep > 0) ||
           ((steps == 0 || seconds > mst_plan_build_seconds(&s->pair)) && !mst_plan_computes_too_much(&s->inputs, &s->pair));
}

// Sweeps are considered where the state stays on the device: they are built and measured first, as that takes little. *chosen:
// they are all that is needed.
static mst_status try_sweeps(mst_stencil *s, uint64_t steps, bool *chosen, mst_error *error) {
    mst_status status = MST_OK;
    const bool wished = s->plan.schedule == MST_STENCIL_SWEEPS;
    mst_plan_inputs in = s->inputs;
    mst_plan plan;
    *chosen = wished;
    in.wishes.schedule = MST_STENCIL_SWEEPS;
    if (!wished && !(mst_plan_may_sweep(&s->inputs) && mst_plan_in_core(s->plan.schedule)))
        return MST_OK;
    if (wished && s->inputs.wishes.middle > 1)
        return mst_middle_wish(s, error);
    if (mst_plan_choose(&in, &s->pair, &plan, NULL) != MST_OK) // they do not fit
        return MST_OK;
    MST_TRY(make_sweeper(s, steps, &plan, error));
    if (!wished && may_repay(s, steps)) {
        mst_middle_try(s, steps, &plan, chosen);
        return MST_OK;
    }
    *chosen = true;
    s->plan = plan;
fail:
    return status;
}

// Where the state does not stay on the device: their kernels are built behind the others, if what these take is worth it.
static mst_status try_skewed_sweeps(mst_stencil *s, uint64_t steps, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_plan figures = MST_STENCIL_PLAN_INIT;
    mst_plan_inputs in = s->inputs;
    mst_plan plan;
    in.wishes.schedule = MST_STENCIL_SKEWED_SWEEPS;
    if (!mst_plan_may_sweep(&s->inputs) || mst_plan_in_core(s->plan.schedule) || !mst_plan_can_skew_sweeps(&s->problem) ||
        mst_plan_choose(&in, &s->pair, &plan, NULL) != MST_OK)
        return MST_OK;
    mst_solver_figures(s, steps, &figures);
    if (steps > 0 && figures.seconds < mst_plan_sweeps_build_seconds(&s->pair))
        return MST_OK;
    MST_TRY(make_sweeper(s, steps, &plan, error));
    MST_TRY(mst_plan_choose(&s->inputs, &s->pair, &s->plan, error));
fail:
    return status;
}

// Those that are wished for. Nothing is to be measured where nothing is to be chosen.
static mst_status wish_skewed_sweeps(mst_stencil *s, uint64_t steps, mst_error *error) {
    mst_status status = MST_OK;
    const mst_plan_wishes *wishes = &s->inputs.wishes;
    MST_TRY(mst_sweeper_create(s->context, &s->problem, &s->points, &s->tables.buffers, mst_plan_shape(&s->inputs),
                               MST_SWEEPER_PARTS, steps, &s->sweeper, error));
    MST_TRY(mst_tables_take(&s->tables, &s->plan.footprint, error));
    if (wishes->depth && wishes->block)
        return MST_OK;
    if (s->plan.footprint.rows < MST_SWEEPS_TRIP)
        s->sweeper.n_ways = 1;
    MST_TRY(mst_sweeps_measure(&s->sweeper, &s->inputs.rates, error));
    MST_TRY(measure(s, steps, error));
    MST_TRY(mst_plan_choose(&s->inputs, &s->pair, &s->plan, error));
fail:
    return status;
}

// Where a scheme reaches so far that not even kernels of one step suit the device: sweeps, if the state fits and nothing else was
// asked for, else kernels of a CPU's shape, which need no more than its cache of a work-group.
static mst_status choose(mst_stencil *s, unsigned fuse, mst_error *error) {
    const mst_plan_inputs asked = s->inputs;
    const mst_status status = mst_plan_choose_fused(&s->inputs, fuse, &s->pair, &s->plan, error);
    if (status != MST_ERROR_UNSUPPORTED || s->is_trial)
        return status;
    if (mst_plan_may_sweep(&asked)) {
        s->inputs.wishes.schedule = MST_STENCIL_SWEEPS;
        if (mst_plan_choose_fused(&s->inputs, 1, &s->pair, &s->plan, NULL) == MST_OK)
            return MST_OK;
    }
    s->inputs = asked;
    if (asked.wishes.shape)
        return status;
    s->inputs.wishes.shape = MST_STENCIL_SHAPE_CPU;
    s->inputs.tile = mst_tile_rule(&s->problem, MST_STENCIL_SHAPE_CPU);
    return mst_plan_choose_fused(&s->inputs, mst_kernel_pair_rule(&s->problem, MST_STENCIL_SHAPE_CPU), &s->pair, &s->plan,
                                 NULL) == MST_OK
               ? MST_OK
               : status;
}

mst_status mst_solver_prepare(mst_stencil *s, mst_stencil_choice choice, uint64_t steps, mst_error *error) {
    mst_status status = MST_OK;
    bool sweeps = false;
    s->inputs.tile = choice.tile;
    s->inputs.rates = mst_rates_assumed(&s->inputs);
    if (!s->is_trial)
        suit_tile(&s->inputs, choice.fuse);
    MST_TRY(choose(s, choice.fuse, error));
    MST_TRY(mst_tables_create(s->context, &s->problem, &s->points, &s->plan.footprint, &s->tables, error));
    s->tables.is_part = s->halo_steps > 0;
    if (s->plan.schedule == MST_STENCIL_SKEWED_SWEEPS) {
        sweeps = true;
        MST_TRY(wish_skewed_sweeps(s, steps, error));
    } else if (!s->is_trial) {
        MST_TRY(try_sweeps(s, steps, &sweeps, error));
    }
    if (s->is_trial && !sweeps)
        MST_TRY(build(s, error));
    if (!s->is_trial && !sweeps) { // in core whatever the rates are, which others that are being built would spoil
        MST_TRY(build_and_measure(s, steps, error));
        MST_TRY(fuse_fewer(s, steps, error));
        fuse_more(s, steps);
        MST_TRY(try_skewed_sweeps(s, steps, error));
    }
    MST_TRY(mst_tables_take(&s->tables, &s->plan.footprint, error));
fail:
    return status;
}

void mst_solver_figures(const mst_stencil *s, uint64_t steps, mst_stencil_plan *plan) {
    mst_forecast_boxes boxes = {.boxes = {{.work = 0}}};
    const mst_problem *p = &s->problem;
    const mst_allocation *store = &s->plan.footprint.parts[MST_FOOTPRINT_STORE];
    const mst_forecast f = mst_model_forecast(&s->inputs, &s->pair, &s->plan, steps, &boxes);
    const uint64_t once = mst_layers_state_bytes(p) + p->coefficient_node_bytes * p->nodes;
    plan->schedule = s->plan.schedule;
    plan->shape = mst_plan_sweeps(s->plan.schedule) ? mst_plan_shape(&s->inputs) : s->pair.tiles[0].shape;
    plan->store = s->plan.store;
    plan->depth = s->plan.depth;
    plan->fuse = s->plan.fuse;
    plan->block = s->plan.block;
    plan->state_bytes = store->count > 0 ? store->total : once;
    plan->device_bytes = mst_footprint_bytes(&s->plan.footprint, MST_MEMORY_DEVICE);
    plan->host_bytes = store->count > 0 && store->memory != MST_MEMORY_FILE ? plan->state_bytes : 0;
    plan->seconds = f.seconds;
    plan->upload_bytes = (uint64_t)f.upload_bytes;
    plan->download_bytes = (uint64_t)f.download_bytes;
    plan->duplicated = f.duplicated;
}
