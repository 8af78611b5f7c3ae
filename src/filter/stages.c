#include "plan.h"

#include "runtime/description.h"

#include <stdlib.h>

static const char *const names[N_STAGES] = {
    "load",      "spin factors", "forward transform", "bit reverse", "butterfly", "normalise",
    "transpose", "mask",         "inverse transform", "store"};

static const mst_elements elements = {"stage_size", "MST_FILTER_DESC_INIT", offsetof(mst_filter_stage, seconds),
                                      sizeof(mst_filter_stage)};

mst_status mst_stages_check(const mst_filter_desc *desc, mst_error *error) {
    return mst_elements_check(&elements, desc->stage_size, error);
}

static mst_stage_event *add_event(mst_filter *plan, int stage) {
    if (plan->n_events == plan->most_events) {
        size_t most = plan->most_events ? 2 * plan->most_events : 64;
        mst_stage_event *more = realloc(plan->events, most * sizeof *more);
        if (!more)
            return NULL; // a time is missing then, and the work is not
        plan->events = more;
        plan->most_events = most;
    }
    plan->events[plan->n_events] = (mst_stage_event){.stage = stage};
    return &plan->events[plan->n_events++];
}

cl_event *mst_stage_command(mst_filter *plan, int stage) {
    mst_stage_event *e = plan->desc.time_stages && plan->context->profile ? add_event(plan, stage) : NULL;
    return e ? &e->event : NULL;
}

static mst_status stamp(const mst_filter *plan, const mst_block *block, cl_event *event, mst_error *error) {
    cl_int code = mst_stamp(plan->context, block->queue, event);
    return code == CL_SUCCESS ? MST_OK : mst_fail_opencl(error, code, "cannot mark the time of a stage");
}

mst_status mst_stage_begin(mst_filter *plan, const mst_block *block, mst_error *error) {
    if (!plan->desc.time_stages || !plan->context->profile)
        return MST_OK;
    return stamp(plan, block, &plan->last, error);
}

mst_status mst_stage_end(mst_filter *plan, const mst_block *block, int stage, mst_error *error) {
    mst_stage_event *e = plan->last ? add_event(plan, stage) : NULL;
    if (!e)
        return MST_OK;
    e->before = plan->last;
    plan->last = NULL;
    return stamp(plan, block, &e->event, error);
}

void mst_stages_clear(mst_filter *plan) {
    for (size_t i = 0; i < plan->n_events; i++) {
        if (plan->events[i].before)
            clReleaseEvent(plan->events[i].before);
        if (plan->events[i].event)
            clReleaseEvent(plan->events[i].event);
    }
    if (plan->last)
        clReleaseEvent(plan->last);
    plan->last = NULL;
    plan->n_events = 0;
}

static mst_status seconds_of(const mst_stage_event *e, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    cl_ulong begin = 0, end = 0;
    MST_TRY_CL(clWaitForEvents(1, &e->event), "a stage of the filter failed");
    MST_TRY_CL(clGetEventProfilingInfo(e->before ? e->before : e->event,
                                       e->before ? CL_PROFILING_COMMAND_END : CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                       NULL),
               "the time of a stage is not known");
    MST_TRY_CL(clGetEventProfilingInfo(e->event, e->before ? CL_PROFILING_COMMAND_START : CL_PROFILING_COMMAND_END, sizeof end,
                                       &end, NULL),
               "the time of a stage is not known");
    *seconds = end > begin ? 1e-9 * (double)(end - begin) : 0;
fail:
    return status;
}

mst_status mst_filter_stages(mst_filter *plan, mst_filter_stage *stages, size_t most, size_t *count, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(plan && stages && count, MST_ERROR_ARGUMENT, "plan, stages and count must not be NULL");
    *count = 0;
    for (int s = 0; s < N_STAGES && *count < most; s++) {
        mst_filter_stage stage = {.name = names[s]};
        for (size_t i = 0; i < plan->n_events; i++) {
            double seconds = 0;
            if (plan->events[i].stage != s || !plan->events[i].event)
                continue;
            MST_TRY(seconds_of(&plan->events[i], &seconds, error));
            stage.seconds += seconds;
            stage.launches++;
        }
        if (stage.launches > 0)
            mst_elements_write(&elements, &stage, (*count)++, plan->desc.stage_size, stages);
    }
fail:
    return status;
}
