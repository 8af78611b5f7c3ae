// The clock, waits, medians of times, and times of commands.
#include "context.h"

#include <stdlib.h>
#include <time.h>

#define PROGRESS_INTERVAL_NS 50000000L

double mst_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool mst_wait_a_while(pthread_cond_t *changed, pthread_mutex_t *mutex) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PROGRESS_INTERVAL_NS;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    return pthread_cond_timedwait(changed, mutex, &until) == 0;
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

double mst_median(double *seconds, int n) {
    qsort(seconds, (size_t)n, sizeof *seconds, by_value);
    return seconds[n / 2];
}

cl_int mst_stamp(const mst_context *context, cl_command_queue queue, cl_uint n_waits, const cl_event *waits, cl_event *event) {
    static const cl_int zero = 0;
    return clEnqueueFillBuffer(queue, context->stamp, &zero, sizeof zero, 0, sizeof zero, n_waits, waits, event);
}

static double event_seconds(const mst_context *context, cl_event from, cl_profiling_info from_what, cl_event to,
                            cl_profiling_info to_what) {
    cl_ulong begin, end;
    if (!context->profile || !from || !to || clGetEventProfilingInfo(from, from_what, sizeof begin, &begin, NULL) != CL_SUCCESS ||
        clGetEventProfilingInfo(to, to_what, sizeof end, &end, NULL) != CL_SUCCESS || end < begin)
        return 0;
    return 1e-9 * (double)(end - begin);
}

double mst_seconds_between(const mst_context *context, cl_event stamp, cl_event next) {
    return event_seconds(context, stamp, CL_PROFILING_COMMAND_END, next, CL_PROFILING_COMMAND_START);
}

double mst_command_seconds(const mst_context *context, cl_event command) {
    return event_seconds(context, command, CL_PROFILING_COMMAND_START, command, CL_PROFILING_COMMAND_END);
}
