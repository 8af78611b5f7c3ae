#include "plan.h"

#include "runtime/description.h"

#include <stdlib.h>

static const char *const names[MST_N_PARTS] = {
    "load",      "spin factors", "forward transform", "bit reverse", "butterfly", "normalise",
    "transpose", "mask",         "inverse transform", "store"};

static const mst_elements elements = {"stage_size", "MST_FILTER_DESC_INIT", offsetof(mst_filter_stage, seconds),
                                      sizeof(mst_filter_stage)};

mst_status mst_filter_timing_check(const mst_filter_desc *desc, mst_error *error) {
    return mst_elements_check(&elements, desc->stage_size, error);
}

static mst_filter_event *add_event(mst_filter *plan, mst_filter_part part) {
    if (plan->times.n_events == plan->times.most_events) {
        size_t most = plan->times.most_events ? 2 * plan->times.most_events : 64;
        mst_filter_event *more = realloc(plan->times.events, most * sizeof *more);
        if (!more)
            return NULL; // a time is missing then, and the work is not
        plan->times.events = more;
        plan->times.most_events = most;
    }
    plan->times.events[plan->times.n_events] = (mst_filter_event){.part = part};
    return &plan->times.events[plan->times.n_events++];
}

cl_event *mst_filter_timing_command(mst_filter *plan, mst_filter_part part) {
    mst_filter_event *e = plan->desc.time_stages && plan->context->profile ? add_event(plan, part) : NULL;
    return e ? &e->event : NULL;
}

static mst_status stamp(const mst_filter *plan, mst_queue *queue, cl_event *event, mst_error *error) {
    cl_int code = mst_stamp(plan->context, queue->opencl, 0, NULL, event);
    return code == CL_SUCCESS ? MST_OK : mst_fail_opencl(error, code, "cannot mark the time of a stage");
}

mst_status mst_filter_timing_begin(mst_filter *plan, mst_queue *queue, mst_error *error) {
    if (!plan->desc.time_stages || !plan->context->profile)
        return MST_OK;
    return stamp(plan, queue, &plan->times.last, error);
}

mst_status mst_filter_timing_end(mst_filter *plan, mst_queue *queue, mst_filter_part part, mst_error *error) {
    mst_filter_event *e = plan->times.last ? add_event(plan, part) : NULL;
    if (!e)
        return MST_OK;
    e->before = plan->times.last;
    plan->times.last = NULL;
    return stamp(plan, queue, &e->event, error);
}

void mst_filter_timing_clear(mst_filter *plan) {
    for (size_t i = 0; i < plan->times.n_events; i++) {
        if (plan->times.events[i].before)
            clReleaseEvent(plan->times.events[i].before);
        if (plan->times.events[i].event)
            clReleaseEvent(plan->times.events[i].event);
    }
    if (plan->times.last)
        clReleaseEvent(plan->times.last);
    plan->times.last = NULL;
    plan->times.n_events = 0;
}

void mst_filter_timing_release(mst_filter *plan) {
    mst_filter_timing_clear(plan);
    free(plan->times.events);
}

static mst_status seconds_of(const mst_filter_event *e, double *seconds, mst_error *error) {
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

static mst_status add_up(mst_filter *plan, mst_filter_stage *stages, size_t most, size_t *count, mst_error *error) {
    mst_status status = MST_OK;
    *count = 0;
    for (int s = 0; s < MST_N_PARTS && *count < most; s++) {
        mst_filter_stage stage = {.name = names[s]};
        for (size_t i = 0; i < plan->times.n_events; i++) {
            double seconds = 0;
            if (plan->times.events[i].part != (mst_filter_part)s || !plan->times.events[i].event)
                continue;
            MST_TRY(seconds_of(&plan->times.events[i], &seconds, error));
            stage.seconds += seconds;
            stage.launches++;
        }
        if (stage.launches > 0)
            mst_elements_write(&elements, &stage, (*count)++, plan->desc.stage_size, stages);
    }
fail:
    return status;
}

mst_status mst_filter_stages(mst_filter *plan, mst_filter_stage *stages, size_t most, size_t *count, mst_error *error) {
    if (!plan || !stages || !count)
        return mst_fail(error, MST_ERROR_ARGUMENT, "plan, stages and count must not be NULL");
    mst_status status = mst_turn_take(plan->turn, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(plan->turn, add_up(plan, stages, most, count, error));
}
