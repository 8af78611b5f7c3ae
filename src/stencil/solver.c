#include "solver.h"

#include "halo.h"
#include "history.h"
#include "packing.h"
#include "runtime/numbers.h"
#include "stream/ram.h"
#include "tune.h"

#include <stdlib.h>
#include <string.h>

static mst_status check(mst_context *context, const mst_stencil_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(desc->precision != MST_FLOAT64 || context->device.fp64, MST_ERROR_UNSUPPORTED,
                "%s has no float64; use float32 or another device", context->device.name);
fail:
    return status;
}

static mst_plan_budget budget_of(mst_context *context, const mst_budget *budget) {
    const uint64_t left = mst_budget_left(context, budget);
    return (mst_plan_budget){left, budget->limit - left};
}

mst_status mst_solver_inputs(mst_context *context, const mst_problem *problem, const mst_stencil_desc *desc, mst_plan_inputs *in,
                             mst_error *error) {
    const mst_device_info *device = &context->device;
    *in = (mst_plan_inputs){.problem = problem,
                            .limits = {.max_allocation_bytes = device->max_allocation_bytes,
                                       .is_gpu = device->type & CL_DEVICE_TYPE_GPU,
                                       .unified_memory = device->unified_memory},
                            .device = budget_of(context, &context->device_memory),
                            .host = budget_of(context, &context->host_memory),
                            .wishes = {.schedule = problem->has_grids && !desc->schedule ? MST_STENCIL_SWEEPS : desc->schedule,
                                       .store = desc->store,
                                       .shape = desc->shape,
                                       .depth = desc->depth,
                                       .block = desc->block,
                                       .fuse = mst_plan_sweeps(desc->schedule) ? 0 : desc->fuse,
                                       .middle = mst_plan_sweeps(desc->schedule) ? desc->fuse : 0,
                                       .overlap = !desc->no_overlap,
                                       .beside = (desc->part || desc->brick) && desc->exchange == MST_STENCIL_EXCHANGE_BESIDE}};
    if (desc->part || desc->brick) { // the members of a group have one host's memory
        in->host.left /= context->lead->n_peers + 1;
        in->part_steps = desc->part ? desc->part->steps : desc->brick->steps;
    }
    return mst_stepper_limits(context, problem, &in->tile_limits, error);
}

// Memory that the machine lacks is given all the same, until it is written.
static mst_status check_store(const mst_allocation *store, mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t all = mst_ram_bytes("");
    MST_REQUIRE(store->count == 0 || store->memory == MST_MEMORY_FILE || store->total <= all, MST_ERROR_HOST_MEMORY,
                "the state takes %llu bytes, more than the %llu of this machine's RAM; the backing store can be a file",
                (unsigned long long)store->total, (unsigned long long)all);
fail:
    return status;
}

// Problem, kernels and plan, without memory for the state. `choice` NULL: what tuning and rules choose.
static mst_status make_plan(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, const mst_stencil_choice *choice,
                            mst_tune_chain *chain, mst_stencil **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_choice chosen;
    mst_stencil *s = NULL;
    *out = NULL;
    MST_TRY(check(context, desc, error));
    MST_REQUIRE(s = calloc(1, sizeof *s), MST_ERROR_HOST_MEMORY, "out of memory making a solver");
    *out = s;
    s->context = context;
    MST_TRY(mst_turn_create(&s->turn, error));
    s->is_trial = choice != NULL;
    s->check_every = desc->check_every;
    MST_TRY(mst_problem_read(desc, &s->problem, error));
    MST_TRY(mst_part_take(s, desc, error));
    MST_TRY(mst_points_make(&s->problem, &s->points, error));
    MST_TRY(mst_solver_inputs(context, &s->problem, desc, &s->inputs, error));
    s->inputs.packed_bytes = mst_packing_bytes(s);
    MST_TRY(mst_plan_check(&s->inputs, error));
    if (choice)
        chosen = *choice;
    else
        MST_TRY(mst_stencil_tune(context, &s->inputs, desc, chain, &chosen, error));
    s->scheme = mst_scheme_hash(desc, &s->problem, s->problem.element);
    const uint64_t before = steps > 0 && !choice ? mst_history_steps(context, s->scheme) : 0;
    MST_TRY(mst_solver_prepare(s, chosen, steps < UINT64_MAX - before ? steps + before : UINT64_MAX, error));
    MST_TRY(check_store(&s->plan.footprint.parts[MST_FOOTPRINT_STORE], error));
fail:
    return status;
}

// A budget is too small whatever the values are, as fewer steps were tried already.
static bool goes_on(mst_context *context, mst_tune_chain *chain, mst_status status, mst_error *error) {
    if (status == MST_ERROR_BUDGET)
        chain->used = MST_TUNING_SAFE;
    return mst_tune_goes_on(context, chain, status, error);
}

mst_status mst_solver_plan(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, mst_stencil **out,
                           mst_error *error) {
    mst_tune_chain chain = {.used = 0};
    mst_status status;
    do {
        status = make_plan(context, desc, steps, NULL, &chain, out, &chain.why);
        if (status == MST_OK)
            break;
        mst_stencil_destroy(*out);
        *out = NULL;
    } while (goes_on(context, &chain, status, error));
    return status;
}

static mst_status make_schedule(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error) {
    switch (desc->plan->schedule) {
    case MST_STENCIL_IN_CORE:
        return mst_in_core_create(desc, out, error);
    case MST_STENCIL_SWEEPS:
        return mst_sweeping_create(desc, out, error);
    case MST_STENCIL_SKEWED_SWEEPS:
        return mst_skewed_sweeping_create(desc, out, error);
    case MST_STENCIL_SKEWED:
        return mst_skewed_create(desc, out, error);
    default:
        return mst_overlapped_create(desc, out, error);
    }
}

// With a choice (chain is NULL), or with what tuning and rules choose (choice is NULL).
static mst_status create(mst_context *context, const mst_stencil_desc *desc, const mst_stencil_choice *choice,
                         mst_tune_chain *chain, mst_stencil **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil *s = NULL;
    *out = NULL;
    MST_REQUIRE(desc->store != MST_STENCIL_STORE_FILE || desc->file >= 0, MST_ERROR_ARGUMENT,
                "the backing store is a file, but file is %d", desc->file);
    MST_TRY(make_plan(context, desc, desc->expected_steps, choice, chain, &s, error));
    const mst_schedule_desc with = {.context = context,
                                    .problem = &s->problem,
                                    .steppers = s->steppers,
                                    .sweeper = &s->sweeper,
                                    .outside = s->outside ? &s->outside->steppers[0] : NULL,
                                    .plan = &s->plan,
                                    .file = desc->file,
                                    .file_offset = desc->file_offset,
                                    .counts = desc->check_every > 0};
    MST_TRY(make_schedule(&with, &s->schedule, error));
    MST_TRY(mst_packing_create(s, &s->packing, error));
    MST_TRY(mst_observer_create(s->schedule, &s->observer, error));
    MST_TRY(mst_solver_initialise(s, desc, error));
    if (!choice)
        mst_history_add(context, s->scheme, desc->expected_steps);
    *out = s;
    return MST_OK;
fail:
    mst_stencil_destroy(s);
    return status;
}

mst_status mst_stencil_create_as(mst_context *context, const mst_stencil_desc *desc, const mst_stencil_choice *choice,
                                 mst_stencil **out, mst_error *error) {
    return create(context, desc, choice, NULL, out, error);
}

mst_status mst_solver_create(mst_context *context, const mst_stencil_desc *desc, mst_stencil **out, mst_error *error) {
    mst_tune_chain chain = {.used = 0};
    mst_status status;
    do
        status = create(context, desc, NULL, &chain, out, &chain.why);
    while (goes_on(context, &chain, status, error));
    return status;
}

void mst_stencil_destroy(mst_stencil *s) {
    if (!s)
        return;
    mst_turn_destroy(s->turn);
    mst_observer_release(&s->observer);
    mst_packing_destroy(s->packing);
    if (s->schedule)
        s->schedule->kind->destroy(s->schedule);
    for (int k = 0; k < 2; k++)
        mst_stepper_release(&s->steppers[k]);
    mst_sweeper_release(&s->sweeper);
    mst_middle_release(s);
    mst_tables_release(&s->tables);
    mst_kernel_pair_release(&s->pair);
    mst_points_release(&s->points);
    mst_problem_release(&s->problem);
    free(s);
}

uint64_t mst_stencil_step(const mst_stencil *s) {
    const bool waited = mst_turn_take(s->turn, NULL) == MST_OK; // else a run's progress function asks, which may
    const uint64_t step = s->step;
    if (waited)
        mst_turn_give(s->turn, MST_OK);
    return step;
}

mst_status mst_stencil_set_step(mst_stencil *s, uint64_t step, mst_error *error) {
    if (!s)
        return mst_fail(error, MST_ERROR_ARGUMENT, "solver must not be NULL");
    mst_status status = mst_turn_take(s->turn, error);
    if (status != MST_OK)
        return status;
    s->step = s->checked_step = step;
    s->tables.recorded_from = step;
    s->tables.n_recorded = 0;
    mst_observer_restart(&s->observer, step);
    return mst_turn_give(s->turn, MST_OK);
}

// Of a part of a grid, those points whose nodes are all in its own planes; others are NaN.
static void copy_received(const mst_stencil *s, const mst_problem_receiver *r, const double *row, double *values) {
    if (!s->tables.is_part)
        memcpy(values, row + r->first, r->n_points * sizeof *values);
    for (size_t i = 0; i < r->n_points && s->tables.is_part; i++)
        values[i] = mst_part_received(s, row, r->first + i);
}

mst_status mst_stencil_read_receiver(const mst_stencil *s, size_t receiver, uint64_t first, uint64_t count, double *values,
                                     mst_error *error) {
    mst_status status = MST_OK;
    bool waited = false;
    MST_REQUIRE(s && values, MST_ERROR_ARGUMENT, "solver and values must not be NULL");
    waited = mst_turn_take(s->turn, NULL) == MST_OK; // else a run's progress function asks, which may
    MST_REQUIRE(receiver < s->problem.n_receivers, MST_ERROR_ARGUMENT, "there is no receiver %zu; there are %zu", receiver,
                s->problem.n_receivers);
    const mst_problem_receiver *r = &s->problem.receivers[receiver];
    const mst_tables *t = &s->tables;
    MST_REQUIRE(count == 0 ||
                    (first > t->recorded_from && count <= t->n_recorded && first - t->recorded_from - 1 <= t->n_recorded - count),
                MST_ERROR_ARGUMENT, "steps %llu to %llu are not among those recorded, %llu to %llu", (unsigned long long)first,
                (unsigned long long)(first + count - 1), (unsigned long long)t->recorded_from + 1,
                (unsigned long long)(t->recorded_from + t->n_recorded));
    for (uint64_t k = 0; k < count; k++)
        copy_received(s, r, t->recorded + (first - t->recorded_from - 1 + k) * mst_tables_width(t), values + k * r->n_points);
fail:
    return waited ? mst_turn_give(s->turn, status) : status;
}
