#include "solver.h"

#include "runtime/description.h"
#include "stencil/scheme/description.h"

#include <stdlib.h>
#include <string.h>

const char *mst_stencil_schedule_name(mst_stencil_schedule schedule) {
    static const char *const names[] = {"auto", "in-core", "trivial", "pyramid-slabs", "pyramid-tiles", "skewed"};
    return (unsigned)schedule < sizeof names / sizeof names[0] ? names[schedule] : "unknown schedule";
}

mst_box mst_solver_grid(const mst_stencil *s) {
    const uint64_t *n = s->problem.grid;
    return (mst_box){{0, 0, 0}, {(int64_t)n[0], (int64_t)n[1], (int64_t)n[2]}};
}

mst_status mst_solver_barrier(cl_command_queue queue, const cl_event *event, mst_error *error) {
    mst_status status = MST_OK;
    if (*event)
        MST_TRY_CL(clEnqueueBarrierWithWaitList(queue, 1, event, NULL), "cannot queue a block");
fail:
    return status;
}

mst_status mst_solver_finish(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY_CL(clFinish(s->context->upload), "an upload failed");
    MST_TRY_CL(clFinish(s->context->compute), "the steps failed");
    for (int lane = 1; lane < s->lanes; lane++)
        if (s->queues[lane])
            MST_TRY_CL(clFinish(s->queues[lane]), "the steps failed");
    MST_TRY_CL(clFinish(s->context->download), "a download failed");
fail:
    return status;
}

static mst_status check(mst_context *context, const mst_stencil_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(desc->precision != MST_FLOAT64 || context->device.fp64, MST_ERROR_UNSUPPORTED,
                "%s has no float64; use float32 or another device", context->device.name);
fail:
    return status;
}

// Whether halos make more than half of the work.
static bool is_crowded(const mst_stencil *s) { return s->plan.schedule != MST_STENCIL_IN_CORE && s->plan.duplicated > 1; }

// Fewer steps are fused where the budget is too small for their halos, or just enough for them, unless their number is given.
static mst_status choose(mst_stencil *s, const mst_stencil_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    for (unsigned most = MST_STENCIL_MAX_FUSE;; most = (s->plan.fuse + 1) / 2) {
        mst_error small = {MST_OK, 0, "", ""};
        MST_TRY(mst_plan_kernels(s, desc, most, error));
        if (!s->is_trial) // in core whatever the rates are, which others that are being built would spoil
            MST_TRY(mst_rates_measure(s, &s->rates, error));
        status = mst_plan_choose(s, desc, &small);
        bool fewer = status == MST_ERROR_BUDGET || (status == MST_OK && is_crowded(s) && !desc->depth && !desc->block);
        if (!fewer || desc->fuse || s->plan.fuse == 1) {
            if (error && status != MST_OK)
                *error = small;
            return status;
        }
        for (int k = 0; k < 2; k++)
            mst_stepper_release(&s->steppers[k]);
    }
fail:
    return status;
}

// Problem, kernels and plan, without memory for the state.
static mst_status make_plan(mst_context *context, const mst_stencil_desc *desc, const mst_stencil_choice *choice,
                            mst_tune_chain *chain, mst_stencil **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil *s = NULL;
    *out = NULL;
    MST_TRY(check(context, desc, error));
    MST_REQUIRE(s = calloc(1, sizeof *s), MST_ERROR_HOST_MEMORY, "out of memory making a solver");
    *out = s;
    s->context = context;
    s->overlap = !desc->no_overlap;
    MST_TRY(mst_problem_read(desc, &s->problem, error));
    MST_TRY(mst_tables_create(context, &s->problem, &s->tables, error));
    s->is_trial = choice != NULL;
    if (choice)
        s->choice = *choice;
    else
        MST_TRY(mst_stencil_tune(s, desc, chain, error));
    MST_TRY(choose(s, desc, error));
fail:
    return status;
}

// A budget is too small whatever the values are, as fewer steps were tried already.
static bool goes_on(mst_context *context, mst_tune_chain *chain, mst_status status, mst_error *error) {
    if (status == MST_ERROR_BUDGET)
        chain->used = MST_TUNING_SAFE;
    return mst_tune_goes_on(context, chain, status, error);
}

#define PLAN MST_DESCRIPTION(mst_stencil_plan, MST_STENCIL_PLAN_INIT, shape)

static void write_figures(const mst_stencil *s, uint64_t steps, mst_stencil_plan *plan) {
    mst_stencil_plan full = MST_STENCIL_PLAN_INIT;
    mst_plan_figures(s, steps, &full);
    mst_description_write(PLAN, &full, plan);
}

mst_status mst_stencil_predict(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, mst_stencil_plan *plan,
                               mst_error *error) {
    mst_status status = MST_OK;
    mst_tune_chain chain = {.used = 0};
    mst_scheme_description given = {.arrays = {NULL}};
    MST_REQUIRE(context && desc && plan, MST_ERROR_ARGUMENT, "context, desc and plan must not be NULL");
    MST_TRY(mst_description_check(PLAN, plan, error));
    MST_TRY(mst_scheme_description_read(desc, &given, error));
    do {
        mst_stencil *s = NULL;
        status = make_plan(context, &given.desc, NULL, &chain, &s, &chain.why);
        if (status == MST_OK)
            write_figures(s, steps, plan);
        mst_stencil_destroy(s);
    } while (goes_on(context, &chain, status, error));
fail:
    mst_scheme_description_release(&given);
    return status;
}

// With a choice (chain is NULL), or with what tuning and rules choose (choice is NULL).
static mst_status create(mst_context *context, const mst_stencil_desc *desc, const mst_stencil_choice *choice,
                         mst_tune_chain *chain, mst_stencil **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil *s = NULL;
    *out = NULL;
    MST_REQUIRE(desc->store != MST_STENCIL_STORE_FILE || desc->file >= 0, MST_ERROR_ARGUMENT,
                "the backing store is a file, but file is %d", desc->file);
    MST_TRY(make_plan(context, desc, choice, chain, &s, error));
    MST_TRY(mst_tables_take(&s->tables, s->plan.depth, error));
    s->engine = s->plan.schedule == MST_STENCIL_IN_CORE  ? &mst_in_core_engine
                : s->plan.schedule == MST_STENCIL_SKEWED ? &mst_skewed_engine
                                                         : &mst_pyramid_engine;
    if (s->plan.schedule != MST_STENCIL_IN_CORE)
        MST_TRY(mst_store_create(context, &s->problem, s->plan.store, mst_plan_copies(s->plan.schedule), desc->file,
                                 desc->file_offset, &s->store, error));
    MST_TRY(s->engine->prepare(s, error));
    MST_TRY(mst_solver_initialise(s, desc, error));
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

mst_status mst_stencil_create(mst_context *context, const mst_stencil_desc *desc, mst_stencil **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_tune_chain chain = {.used = 0};
    mst_scheme_description given = {.arrays = {NULL}};
    if (out)
        *out = NULL;
    MST_REQUIRE(context && desc && out, MST_ERROR_ARGUMENT, "context, desc and out must not be NULL");
    MST_TRY(mst_scheme_description_read(desc, &given, error));
    do
        status = create(context, &given.desc, NULL, &chain, out, &chain.why);
    while (goes_on(context, &chain, status, error));
fail:
    mst_scheme_description_release(&given);
    return status;
}

void mst_stencil_destroy(mst_stencil *s) {
    if (!s)
        return;
    if (s->engine)
        s->engine->release(s);
    mst_store_release(&s->store);
    for (int k = 0; k < 2; k++)
        mst_stepper_release(&s->steppers[k]);
    mst_tables_release(&s->tables);
    mst_problem_release(&s->problem);
    free(s);
}

// Trips are queued while those before go on; schedules limit how many blocks, in core it is about a tenth of a second's work.
static uint64_t trips_at_once(const mst_stencil *s) {
    const uint64_t most = 10000;
    mst_stencil_plan plan = s->plan;
    if (s->plan.schedule != MST_STENCIL_IN_CORE)
        return 1;
    if (s->is_trial) // there are no rates, and it is not to wait where others do not
        return most;
    mst_model_predict(s, s->plan.depth, &plan);
    return plan.seconds > 1e-5 ? 1 + (uint64_t)(0.1 / plan.seconds) : most;
}

static mst_status report_progress(mst_run *run, mst_error *error) {
    if (run->how.progress && !run->how.progress(run->done, run->total, run->how.progress_user))
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled after %llu of %llu steps", (unsigned long long)run->done,
                        (unsigned long long)run->total);
    return MST_OK;
}

// As many steps as the tables on the device hold, trip by trip.
static mst_status run_segment(mst_stencil *s, uint64_t steps, mst_run *run, mst_error *error) {
    mst_status status = MST_OK, cancelled = MST_OK;
    uint64_t row = 0, at_once = trips_at_once(s), since = 0;
    MST_TRY(mst_tables_fill(&s->tables, s->step, steps, error));
    while (row < steps && cancelled == MST_OK) {
        uint64_t n = mst_plan_trip(&s->plan, steps - row);
        MST_TRY(s->engine->advance(s, n, row, run, error));
        row += n;
        run->done += n;
        if (++since < at_once)
            continue;
        since = 0;
        if (s->plan.schedule == MST_STENCIL_IN_CORE)
            MST_TRY(s->engine->settle(s, run, error));
        cancelled = report_progress(run, error);
    }
    MST_TRY(s->engine->settle(s, run, error));
    s->tables.filled = row;
    MST_TRY(mst_tables_collect(&s->tables, error));
    s->step += row;
    return cancelled;
fail:
    // The queues may still work on what is to be released.
    clFinish(s->context->upload);
    clFinish(s->context->compute);
    for (int lane = 1; lane < s->lanes; lane++)
        if (s->queues[lane])
            clFinish(s->queues[lane]);
    clFinish(s->context->download);
    s->store.failures++;
    s->missing = UINT64_MAX >> (MST_STENCIL_MAX_ARRAYS - s->problem.n_arrays);
    return status;
}

#define REPORT MST_DESCRIPTION(mst_stencil_report, MST_STENCIL_REPORT_INIT, seconds)

static void write_report(const mst_stencil *s, const mst_run *run, double seconds, mst_stencil_report *report) {
    const mst_stencil_report full = {.steps = run->done,
                                     .seconds = seconds,
                                     .node_steps_a_second = (double)s->problem.nodes * (double)run->done / seconds,
                                     .upload_bytes = run->upload_bytes,
                                     .download_bytes = run->download_bytes};
    mst_description_write(REPORT, &full, report);
}

mst_status mst_stencil_run(mst_stencil *s, uint64_t steps, const mst_execution *how, mst_stencil_report *report,
                           mst_error *error) {
    mst_status status = MST_OK;
    mst_run run = {.total = steps};
    double start = mst_now();
    MST_REQUIRE(s, MST_ERROR_ARGUMENT, "solver must not be NULL");
    MST_TRY(mst_execution_read(how, &run.how, error));
    if (report)
        MST_TRY(mst_description_check(REPORT, report, error));
    MST_REQUIRE(!run.how.event && run.how.n_wait == 0 && !run.how.report, MST_ERROR_ARGUMENT,
                "a run takes no events and no mst_report");
    MST_REQUIRE(!s->missing, MST_ERROR_ARGUMENT, "the state was lost in a run that failed; write every field again");
    while (run.done < steps)
        MST_TRY(run_segment(s, steps - run.done < s->tables.steps ? steps - run.done : s->tables.steps, &run, error));
    if (report)
        write_report(s, &run, mst_now() - start, report);
fail:
    return status;
}

uint64_t mst_stencil_step(const mst_stencil *s) { return s->step; }

mst_status mst_stencil_set_step(mst_stencil *s, uint64_t step, mst_error *error) {
    if (!s)
        return mst_fail(error, MST_ERROR_ARGUMENT, "solver must not be NULL");
    s->step = step;
    s->tables.recorded_from = step;
    s->tables.n_recorded = 0;
    return MST_OK;
}

mst_status mst_stencil_describe(const mst_stencil *s, uint64_t steps, mst_stencil_plan *plan, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(s && plan, MST_ERROR_ARGUMENT, "solver and plan must not be NULL");
    MST_TRY(mst_description_check(PLAN, plan, error));
    write_figures(s, steps, plan);
fail:
    return status;
}

mst_status mst_stencil_read_receiver(const mst_stencil *s, size_t receiver, uint64_t first, uint64_t count, double *values,
                                     mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(s && values, MST_ERROR_ARGUMENT, "solver and values must not be NULL");
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
        memcpy(values + k * r->n_points, t->recorded + (first - t->recorded_from - 1 + k) * s->problem.n_points + r->first,
               r->n_points * sizeof *values);
fail:
    return status;
}
