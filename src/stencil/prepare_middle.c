// Sweeps around a middle (plan/middle.h): the scheme outside layers is prepared as one by itself, in core, which says how many
// steps to fuse at most, and its kernels are tried beside sweeps that leave out the middle.
#include "measure.h"
#include "scheme/layers.h"
#include "solver.h"
#include "stencil/plan/middle.h"

#include <stdlib.h>

// Runs are to last so many times as long as building kernels takes, and others are to be so many times as fast.
static const double LEAST_RUN_A_TRY = 5, LEAST_GAIN = 1.01;

static const double LARGE_STEP_SECONDS = 1e-4;

static void release_outside(mst_stencil *o) {
    if (!o)
        return;
    for (int k = 0; k < 2; k++)
        mst_stepper_release(&o->steppers[k]);
    mst_tables_release(&o->tables);
    mst_kernel_pair_release(&o->pair);
    mst_points_release(&o->points);
    free(o); // the problem is made of what the solver has
}

void mst_middle_release(mst_stencil *s) {
    release_outside(s->outside);
    s->outside = NULL;
    s->inputs.middle.m = 0;
}

// The kernels of so many steps (0: as is best without layers), and the middle of the grid that they suit. With a number that is
// given nothing is measured.
static mst_status prepare_outside(mst_stencil *s, unsigned wished, uint64_t steps, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil *o = NULL;
    MST_REQUIRE(o = calloc(1, sizeof *o), MST_ERROR_HOST_MEMORY, "out of memory making a solver");
    s->outside = o;
    o->context = s->context;
    o->problem = mst_layers_without(&s->problem);
    o->is_trial = wished > 0;
    MST_TRY(mst_points_make(&o->problem, &o->points, error));
    o->inputs = s->inputs;
    o->inputs.problem = &o->problem;
    o->inputs.wishes.schedule = MST_STENCIL_IN_CORE;
    o->inputs.wishes.shape = MST_STENCIL_SHAPE_GPU;
    o->inputs.wishes.fuse = wished;
    const mst_stencil_choice choice = {wished ? wished : mst_kernel_pair_rule(&o->problem, MST_STENCIL_SHAPE_GPU),
                                       mst_tile_rule(&o->problem, MST_STENCIL_SHAPE_GPU)};
    MST_TRY(mst_solver_prepare(o, choice, steps, error));
    mst_tables_release(&o->tables);
    for (int k = 0; k < 2; k++) { // from now on they read what sweeps do
        o->steppers[k].points = &s->points;
        o->steppers[k].tables = &s->tables.buffers;
    }
    MST_REQUIRE(
        mst_middle_make(&s->inputs, &s->pair.sweeps, &o->pair, &s->inputs.middle), MST_ERROR_UNSUPPORTED,
        "%u steps cannot be fused outside the absorbing layers: the grid is too small for it, or not one that this is for",
        o->pair.m);
fail:
    if (status != MST_OK)
        mst_middle_release(s);
    return status;
}

// Kernels of sweeps around it, in place of others, and the plan.
static mst_status prepare_around(mst_stencil *s, mst_sweeper *around, mst_plan *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_plan_inputs in = s->inputs;
    in.wishes.schedule = MST_STENCIL_SWEEPS;
    MST_TRY(mst_plan_choose(&in, &s->pair, plan, error));
    MST_TRY(mst_sweeper_create(s->context, &s->problem, &s->points, &s->tables.buffers, MST_STENCIL_SHAPE_GPU, MST_SWEEPER_AROUND,
                               0, around, error));
    MST_TRY(mst_tables_take(&s->tables, &plan->footprint, error));
fail:
    return status;
}

// What belongs to a number of steps in the middle. It is built, and no solver's yet.
typedef struct candidate {
    mst_stencil *outside;
    mst_middle middle;
    mst_sweeper around;
    mst_plan plan;
} candidate;

static void release(candidate *c) {
    release_outside(c->outside);
    mst_sweeper_release(&c->around);
    *c = (candidate){.outside = NULL};
}

static void take(mst_stencil *s, candidate *c) {
    mst_sweeper_release(&s->sweeper);
    s->outside = c->outside;
    s->inputs.middle = c->middle;
    s->sweeper = c->around;
    s->plan = c->plan;
    *c = (candidate){.outside = NULL};
}

static mst_status make(mst_stencil *s, unsigned m, uint64_t steps, candidate *c, mst_error *error) {
    mst_status status = MST_OK;
    *c = (candidate){.outside = NULL};
    MST_TRY(prepare_outside(s, m, steps, error));
    MST_TRY(prepare_around(s, &c->around, &c->plan, error));
fail:
    c->outside = s->outside;
    c->middle = s->inputs.middle;
    s->outside = NULL;
    s->inputs.middle.m = 0;
    if (status != MST_OK)
        release(c);
    return status;
}

mst_status mst_middle_wish(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    candidate c;
    MST_TRY(make(s, s->inputs.wishes.middle, 0, &c, error));
    take(s, &c);
fail:
    return status;
}

static mst_status measure(const mst_stencil *s, const candidate *c, double *rate) {
    const mst_schedule_desc with = {.context = s->context,
                                    .problem = &s->problem,
                                    .sweeper = &c->around,
                                    .outside = &c->outside->steppers[0],
                                    .plan = &c->plan};
    return mst_middle_measure(&with, rate, NULL);
}

// Whether a run is so long that building kernels for another number of steps is a small part of it.
static bool may_try(const mst_stencil *s, const candidate *c, double rate, uint64_t steps) {
    return steps == 0 ||
           (double)s->problem.nodes * (double)steps / rate > LEAST_RUN_A_TRY * mst_plan_build_seconds(&c->outside->pair);
}

// Fewer steps than are best without layers, as sweeps around them have less to do twice. Ends with the first that is no better;
// or that cannot be measured, which may be otherwise another time. Whether any was measured.
static bool fuse_fewer(mst_stencil *s, uint64_t steps, mst_middle_choice *choice, candidate *best) {
    bool measured = false;
    while (choice->next > 0 && may_try(s, best, choice->rate, steps)) {
        candidate c;
        double rate = 0;
        const unsigned m = choice->next;
        if (make(s, m, steps, &c, NULL) != MST_OK || measure(s, &c, &rate) != MST_OK) {
            release(&c);
            return measured;
        }
        measured = true;
        if (rate < LEAST_GAIN * choice->rate) {
            choice->next = 0;
            release(&c);
            return measured;
        }
        release(best);
        *best = c;
        *choice = (mst_middle_choice){m, m - 1, rate};
    }
    return measured;
}

// Sweeps alone are faster. On a large grid they are faster than fused kernels that know the layers, too, which are slow where
// these are; on a small one those have fewer launches.
static void settle(mst_stencil *s, const mst_plan *sweeps, bool *chosen) {
    *chosen = (double)s->problem.nodes / s->inputs.rates.sweep > LARGE_STEP_SECONDS;
    if (*chosen)
        s->plan = *sweeps;
}

void mst_middle_try(mst_stencil *s, uint64_t steps, const mst_plan *sweeps, bool *chosen) {
    candidate best;
    mst_middle_choice choice = {0};
    const double least = (1 + MST_PLAN_TOLERANCE) * s->inputs.rates.sweep;
    if (s->problem.n_layers == 0 || mst_plan_shape(&s->inputs) != MST_STENCIL_SHAPE_GPU)
        return;
    const bool known = mst_middle_recall(&s->sweeper, &choice);
    if (known && choice.next == 0 && choice.rate <= least) {
        settle(s, sweeps, chosen);
        return;
    }
    if (make(s, choice.m, steps, &best, NULL) != MST_OK)
        return;
    const bool measured = !known && measure(s, &best, &choice.rate) == MST_OK;
    if (measured) {
        choice.m = best.outside->pair.m;
        choice.next = choice.m - 1;
    }
    if (choice.m > 0 && (fuse_fewer(s, steps, &choice, &best) || measured)) // what is recalled stays as old as it is
        mst_middle_remember(&s->sweeper, &choice);
    if (choice.rate > least) {
        *chosen = true;
        s->inputs.rates.sweep = choice.rate;
        take(s, &best);
    } else if (choice.m > 0) {
        settle(s, sweeps, chosen);
    }
    release(&best);
}
