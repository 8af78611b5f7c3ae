#include "plan.h"

#include "least.h"
#include "runtime/numbers.h"
#include "stencil/kernels/cutting.h"

#include <string.h>

enum { LONG_RUN = 10000 }; // steps

// The part of the measured rates of copies that is counted on. Where copies take as long as the kernels, each delay of one holds
// up the other; where kernels run in several queues there are more slabs, each thinner, and a delay counts for more.
static const double CAUTION = 0.85, CAUTION_BESIDE = 0.65;

// Seconds that building kernels takes whatever they do, and for each value that their expressions read.
static const double BUILD_SECONDS = 1, BUILD_SECONDS_A_READ = 0.01;

// What fusing more steps would save if moving the state were all that takes time, over what it takes to try, so that a try that
// fails is not more than about a tenth of a run.
static const double MOST_SAVED_A_TRY = 5;

// The part of another's rate that is slower whatever measurements are off by.
static const double TOO_SLOW = 0.9;

typedef struct fastest {
    mst_plan_inputs cautious;
    mst_forecast_boxes boxes;
    mst_plan plan, usual;
    bool found;
    bool has_block[MST_PLAN_MOST_TRIPS + 1]; // of the usual plans with so many kernels a trip, the largest block was found
} fastest;

// Whether a candidate that fits is of the first schedule and queues of which any does, with the largest block for its trips.
static bool is_usual(fastest *best, const mst_plan *plan) {
    const uint64_t kernels = mst_smaller(plan->depth / plan->fuse, (uint64_t)MST_PLAN_MOST_TRIPS);
    if (best->found && (plan->schedule != best->usual.schedule || plan->queues != best->usual.queues))
        return false;
    const bool is_first = !best->has_block[kernels];
    best->has_block[kernels] = true;
    return is_first;
}

static void visit_fastest(const mst_candidates *c, void *user) {
    fastest *best = user;
    mst_plan plan = c->plan;
    if (!mst_footprint_fits(c->in, &plan.footprint))
        return;
    plan.seconds = mst_model_forecast(&best->cautious, c->pair, &plan, LONG_RUN, &best->boxes).seconds;
    if (is_usual(best, &plan) && (!best->found || plan.seconds < best->usual.seconds))
        best->usual = plan;
    if (!best->found || plan.seconds < best->plan.seconds)
        best->plan = plan;
    best->found = true;
}

static void be_cautious(const mst_candidates *c, mst_rates *rates) {
    const mst_stencil_schedule wanted = c->in->wishes.schedule;
    const bool skews = wanted == MST_STENCIL_SKEWED || (!wanted && mst_plan_can_skew(c->in->problem));
    const double part = skews && c->most_queues > 1 ? CAUTION_BESIDE : CAUTION;
    rates->upload *= part;
    rates->download *= part;
    rates->host *= part;
    for (int way = 0; way < 2; way++)
        rates->row[way] /= part;
}

static bool find_plan(const mst_plan_inputs *in, const mst_kernel_pair *pair, fastest *best) {
    mst_candidates c = mst_candidates_make(in, pair);
    best->found = false;
    memset(best->has_block, 0, sizeof best->has_block);
    best->cautious = *in;
    be_cautious(&c, &best->cautious.rates);
    memset(&best->boxes, 0, sizeof best->boxes);
    if (!in->wishes.schedule)
        mst_candidates_visit(&c, MST_STENCIL_IN_CORE, visit_fastest, best);
    if (mst_plan_may_sweep(in) && (!best->found || in->rates.sweep > 0))
        mst_candidates_visit(&c, MST_STENCIL_SWEEPS, visit_fastest, best);
    if (!best->found)
        mst_candidates_visit_all(&c, visit_fastest, best);
    if (best->found && best->usual.seconds <= (1 + MST_PLAN_TOLERANCE) * best->plan.seconds)
        best->plan = best->usual;
    return best->found;
}

mst_status mst_plan_choose(const mst_plan_inputs *in, const mst_kernel_pair *pair, mst_plan *out, mst_error *error) {
    fastest best;
    mst_plan_least least = mst_plan_least_start();
    if (find_plan(in, pair, &best)) {
        *out = best.plan;
        return MST_OK;
    }
    mst_plan_find_least(in, pair, &least);
    return mst_plan_fail(in, &least, error);
}

bool mst_plan_is_crowded(const mst_plan_inputs *in, const mst_kernel_pair *pair, const mst_plan *plan) {
    mst_forecast_boxes boxes = {.boxes = {{.work = 0}}};
    if (mst_plan_in_core(plan->schedule) || mst_plan_sweeps(plan->schedule) || in->wishes.depth || in->wishes.block)
        return false;
    return mst_model_forecast(in, pair, plan, LONG_RUN, &boxes).duplicated > 1;
}

// The first m that is considered; wishes are taken as they are.
static unsigned first_fuse(const mst_plan_inputs *in, unsigned most) {
    const uint64_t interval = mst_plan_interval(in);
    if (in->wishes.schedule == MST_STENCIL_TRIVIAL)
        return 1;
    if (in->wishes.fuse)
        return in->wishes.fuse;
    if (in->wishes.depth)
        most = (unsigned)mst_smaller((uint64_t)most, in->wishes.depth);
    most = (unsigned)mst_smaller((uint64_t)most, interval);
    for (unsigned m = most; m > most / 2 && interval < UINT64_MAX; m--) // what is left over is done step by step
        if (interval % m == 0)
            return m;
    return most;
}

// Whether fewer steps should be fused although something fits: halos are more than half of the work of the usual plan, or cost
// more than fusing saves.
static bool should_fuse_fewer(const mst_plan_inputs *in, const mst_kernel_pair *pair, const mst_plan *usual) {
    mst_kernel_pair fewer;
    if (mst_plan_is_crowded(in, pair, usual))
        return true;
    if (mst_kernel_pair_make(in, (pair->m + 1) / 2, &fewer, NULL) != MST_OK)
        return false;
    bool slower = mst_kernel_pair_cost(pair) > mst_kernel_pair_cost(&fewer);
    mst_kernel_pair_release(&fewer);
    return slower;
}

mst_status mst_plan_choose_fused(const mst_plan_inputs *in, unsigned most, mst_kernel_pair *pair, mst_plan *out,
                                 mst_error *error) {
    mst_status status;
    mst_plan_least least = mst_plan_least_start();
    fastest best;
    unsigned fitting = 0; // the smallest m with which something fits
    for (unsigned m = first_fuse(in, most);; m = (m + 1) / 2) {
        const bool is_last = m == 1 || in->wishes.fuse;
        mst_error why = {MST_OK, 0, "", ""};
        status = mst_kernel_pair_make(in, m, pair, &why);
        if (status == MST_OK && find_plan(in, pair, &best)) {
            *out = best.plan;
            if (is_last || !should_fuse_fewer(in, pair, &best.usual))
                return MST_OK;
            fitting = m;
        } else if (status == MST_OK) {
            mst_plan_find_least(in, pair, &least);
        } else if (status != MST_ERROR_UNSUPPORTED || (is_last && !fitting && !mst_plan_has_least(&least))) {
            if (error)
                *error = why;
            return status;
        }
        mst_kernel_pair_release(pair);
        if (is_last)
            break;
    }
    if (!fitting)
        return mst_plan_fail(in, &least, error);
    status = mst_kernel_pair_make(in, fitting, pair, error);
    return status == MST_OK ? mst_plan_choose(in, pair, out, error) : status;
}

// The rate of kernels for another m, estimated from those measured: they differ by what fusing saves of reading and writing the
// device's memory.
static double update_rate(const mst_rates *rates, unsigned measured, unsigned m) {
    const double fused = 1 / rates->update[0], single = 1 / rates->update[1];
    return measured == 1 ? rates->update[0] : 1 / (single + (fused - single) * (1 - 1.0 / m) / (1 - 1.0 / measured));
}

static double build_seconds(const mst_problem *p, unsigned times) {
    double reads = 0;
    for (int u = 0; u < p->n_updates; u++)
        reads += (double)p->updates[u].formula.n_leaves;
    return BUILD_SECONDS + BUILD_SECONDS_A_READ * reads * times;
}

double mst_plan_build_seconds(const mst_kernel_pair *pair) { return build_seconds(pair->pipelines[0].problem, 1 + pair->m); }

double mst_plan_sweeps_build_seconds(const mst_kernel_pair *pair) { return build_seconds(pair->pipelines[0].problem, 1); }

bool mst_plan_repays(const mst_plan_inputs *in, const mst_kernel_pair *pair, const mst_plan *plan,
                     const mst_kernel_pair *other_fused, const mst_plan *other, uint64_t steps) {
    mst_forecast_boxes boxes = {.boxes = {{.work = 0}}}, other_boxes = boxes;
    mst_plan_inputs in_other = *in;
    in_other.rates.update[0] = update_rate(&in->rates, pair->m, other_fused->m);
    steps = steps > 0 ? steps : LONG_RUN;
    double saved = mst_model_forecast(in, pair, plan, steps, &boxes).seconds -
                   mst_model_forecast(&in_other, other_fused, other, steps, &other_boxes).seconds;
    return saved > mst_plan_build_seconds(other_fused);
}

static double node_steps(const mst_kernel_pair *pair, double *computed) {
    const mst_problem *p = pair->pipelines[0].problem;
    const mst_box grid = mst_plan_grid(p);
    double longer;
    *computed = mst_cutting_work(&pair->tiles[0], &pair->pipelines[0], &grid, 1, &longer);
    return (double)p->nodes * pair->m;
}

bool mst_plan_computes_too_much(const mst_plan_inputs *in, const mst_kernel_pair *pair) {
    double computed, needed = node_steps(pair, &computed);
    return in->rates.computing > 0 && in->rates.sweep > 0 && in->rates.computing * needed / computed < TOO_SLOW * in->rates.sweep;
}

bool mst_plan_may_overtake(const mst_plan_inputs *in, const mst_kernel_pair *pair) {
    double computed, needed = node_steps(pair, &computed);
    const double rate = in->rates.update[0] * needed / computed;
    return rate * (pair->m + 1) / pair->m > in->rates.sweep;
}

bool mst_plan_may_try(const mst_plan_inputs *in, const mst_kernel_pair *pair, const mst_plan *plan, const mst_kernel_pair *more,
                      uint64_t steps) {
    mst_forecast_boxes boxes = {.boxes = {{.work = 0}}};
    const double seconds = mst_model_forecast(in, pair, plan, steps > 0 ? steps : LONG_RUN, &boxes).seconds;
    return seconds * (more->m - pair->m) / more->m > MOST_SAVED_A_TRY * mst_plan_build_seconds(more);
}
