// Sweeps around a middle (plan/middle.h): the scheme outside layers is prepared as one by itself, in core, which says how many
// steps to fuse, and its kernels are tried beside sweeps that leave out the middle.
#include "measure.h"
#include "scheme/layers.h"
#include "solver.h"
#include "stencil/plan/middle.h"

#include <stdlib.h>

void mst_middle_release(mst_stencil *s) {
    mst_stencil *o = s->outside;
    if (!o)
        return;
    for (int k = 0; k < 2; k++)
        mst_stepper_release(&o->steppers[k]);
    mst_tables_release(&o->tables);
    mst_kernel_pair_release(&o->pair);
    mst_points_release(&o->points);
    free(o); // the problem is made of what s has
    s->outside = NULL;
    s->inputs.middle.m = 0;
}

// The kernels, and the middle of the grid that they suit. With a number of steps that is wished for nothing is measured.
static mst_status prepare_outside(mst_stencil *s, uint64_t steps, mst_error *error) {
    mst_status status = MST_OK;
    const unsigned wished = s->inputs.wishes.middle;
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
        o->pair.m > 1 && mst_middle_make(&s->inputs, &s->pair.sweeps, &o->pair, &s->inputs.middle), MST_ERROR_UNSUPPORTED,
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
                               around, error));
    MST_TRY(mst_tables_take(&s->tables, &plan->footprint, error));
fail:
    return status;
}

static void take(mst_stencil *s, mst_sweeper *around, const mst_plan *plan) {
    mst_sweeper_release(&s->sweeper);
    s->sweeper = *around;
    *around = (mst_sweeper){0};
    s->plan = *plan;
}

mst_status mst_middle_wish(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_sweeper around = {0};
    mst_plan plan;
    MST_TRY(prepare_outside(s, 0, error));
    MST_TRY(prepare_around(s, &around, &plan, error));
    take(s, &around, &plan);
fail:
    mst_sweeper_release(&around);
    return status;
}

// By what was measured of either alone, and without what it takes to bring them together.
static double promised_rate(const mst_stencil *s) {
    const mst_rates *r = &s->outside->inputs.rates;
    const double part = (double)s->inputs.middle.fused_nodes / (double)s->problem.nodes;
    return 1 / (part / r->update[0] + (1 - part) / s->inputs.rates.sweep);
}

void mst_middle_try(mst_stencil *s, uint64_t steps, bool *chosen) {
    mst_sweeper around = {0};
    mst_plan plan;
    double rate = 0;
    if (s->problem.n_layers == 0 || mst_plan_shape(&s->inputs) != MST_STENCIL_SHAPE_GPU ||
        prepare_outside(s, steps, NULL) != MST_OK)
        return;
    const double least = (1 + MST_PLAN_TOLERANCE) * s->inputs.rates.sweep;
    if (promised_rate(s) > least && prepare_around(s, &around, &plan, NULL) == MST_OK) {
        const mst_schedule_desc with = {.context = s->context,
                                        .problem = &s->problem,
                                        .sweeper = &around,
                                        .outside = &s->outside->steppers[0],
                                        .plan = &plan};
        if (mst_middle_measure(&with, &rate, NULL) != MST_OK)
            rate = 0;
    }
    *chosen = rate > least;
    if (*chosen) {
        s->inputs.rates.sweep = rate;
        take(s, &around, &plan);
    } else {
        mst_middle_release(s);
    }
    mst_sweeper_release(&around);
}
