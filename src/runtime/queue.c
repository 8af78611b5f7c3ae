#include "queue.h"

#include <stdlib.h>

enum { LEAST_ROOM = 64 };

static bool checks_each(const mst_queue *q) { return !(q->context->device.type & CL_DEVICE_TYPE_GPU); }

static void note_failure(mst_queue *q, cl_int code, const char *name) {
    if (q->failed != CL_SUCCESS || code == CL_SUCCESS)
        return;
    q->failed = code;
    q->failed_name = name;
}

// The state of a command: CL_COMPLETE, more while it has not ended, or the code of an error.
static cl_int state_of(cl_event event) {
    cl_int state = CL_COMPLETE;
    cl_int code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    return code == CL_SUCCESS ? state : code;
}

static cl_int wait_for(cl_event event) {
    cl_int code = clWaitForEvents(1, &event), state = state_of(event);
    return state < 0 ? state : code;
}

// All that runs, a launch included that was shared and could not be waited for.
static cl_int finish(mst_queue *q) {
    if (q->shares && q->context->joint)
        clFinish(q->context->joint);
    return clFinish(q->opencl);
}

cl_int mst_wait_for_events(cl_uint n, const cl_event *events) {
    cl_int code = clWaitForEvents(n, events);
    for (cl_uint i = 0; i < n && code == CL_SUCCESS; i++)
        code = state_of(events[i]) < 0 ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
    return code;
}

void mst_event_drop(cl_event *event) {
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

// Looks at all commands and lets go of those that have ended, with `wait` all.
static void sweep(mst_queue *q, bool wait) {
    size_t left = 0;
    for (size_t i = 0; i < q->n; i++) {
        cl_int state = state_of(q->events[i]);
        if (state > CL_COMPLETE && !wait) {
            q->events[left] = q->events[i];
            q->names[left++] = q->names[i];
            continue;
        }
        note_failure(q, state > CL_COMPLETE ? wait_for(q->events[i]) : state, q->names[i]);
        clReleaseEvent(q->events[i]);
    }
    q->n = left;
    q->is_joined = q->is_joined && left > 0;
}

// By letting go of what has ended, and if that is less than half by taking more memory, if there is.
static void make_room(mst_queue *q) {
    sweep(q, false);
    if (2 * q->n < q->room)
        return;
    size_t room = q->room ? 2 * q->room : LEAST_ROOM;
    cl_event *events = realloc(q->events, room * sizeof *events);
    q->events = events ? events : q->events;
    const char **names = realloc(q->names, room * sizeof *names);
    q->names = names ? names : q->names;
    q->room = events && names ? room : q->room;
}

mst_status mst_queue_create(mst_context *context, mst_queue *out, mst_error *error) {
    *out = (mst_queue)MST_QUEUE(context, NULL);
    out->is_own = true;
    return mst_opencl_queue_create(context, &out->opencl, error);
}

mst_status mst_queue_begin(mst_queue *q, cl_uint *n_waits, const cl_event **waits, cl_event *own, cl_event **event,
                           mst_error *error) {
    const bool each = checks_each(q);
    const cl_int last = each && q->n > 0 ? state_of(q->events[q->n - 1]) : CL_COMPLETE;
    note_failure(q, last < 0 ? last : CL_SUCCESS, q->n > 0 ? q->names[q->n - 1] : NULL);
    *n_waits = last > CL_COMPLETE ? 1 : 0;
    *waits = *n_waits > 0 ? &q->events[q->n - 1] : NULL;
    *event = each || q->is_ending ? own : NULL;
    q->is_open = !*event && (q->is_open || !each);
    q->is_ended = q->is_ending;
    q->is_ending = false;
    return mst_queue_check(q, error);
}

mst_status mst_queue_add(mst_queue *q, cl_event event, const char *name, cl_event *copy, mst_error *error) {
    mst_status status = MST_OK;
    if (!event)
        return MST_OK;
    if (copy) {
        cl_int code = clRetainEvent(event);
        *copy = code == CL_SUCCESS ? event : NULL;
        note_failure(q, code, name);
    }
    if (q->n == q->room)
        make_room(q);
    if (q->n == q->room) { // no memory for it
        note_failure(q, wait_for(event), name);
        clReleaseEvent(event);
    } else {
        q->events[q->n] = event;
        q->names[q->n++] = name;
    }
    MST_TRY(mst_queue_check(q, error));
    return MST_OK;
fail:
    if (copy && *copy)
        clReleaseEvent(*copy);
    if (copy)
        *copy = NULL;
    return status;
}

mst_status mst_queue_barrier(mst_queue *q, cl_uint n, const cl_event *events, const char *name, mst_error *error) {
    mst_status status = MST_OK;
    if (n == 0)
        return MST_OK;
    for (cl_uint i = 0; i < n; i++) { // a wait for one that has failed may never end
        cl_int state = state_of(events[i]);
        note_failure(q, state < 0 ? state : CL_SUCCESS, name);
        MST_TRY(mst_queue_check(q, error));
        MST_TRY_CL(clRetainEvent(events[i]), "cannot wait for %s", name);
        MST_TRY(mst_queue_add(q, events[i], name, NULL, error));
        q->is_joined = q->is_joined || q->n > 1;
    }
    MST_TRY_CL(clEnqueueBarrierWithWaitList(q->opencl, n, events, NULL), "cannot wait for %s", name);
fail:
    return status;
}

mst_status mst_queue_mark(mst_queue *q, bool carries, cl_event *event, mst_error *error) {
    mst_status status = MST_OK;
    cl_event made = NULL;
    const bool tells_all = !carries || !q->is_joined; // the last one's event: it is behind all others in any case
    if (q->is_ended && q->n > 0 && !q->is_open && tells_all && !q->context->profile) {
        if (checks_each(q)) {
            const cl_int last = state_of(q->events[q->n - 1]);
            note_failure(q, last < 0 ? last : CL_SUCCESS, q->names[q->n - 1]);
        }
        MST_TRY(mst_queue_check(q, error));
        MST_TRY_CL(clRetainEvent(q->events[q->n - 1]), "cannot mark the end of commands");
        *event = q->events[q->n - 1];
        return MST_OK;
    }
    if (carries)
        sweep(q, false);
    MST_TRY(mst_queue_check(q, error));
    const cl_uint n = carries ? (cl_uint)q->n : 0;
    const cl_event *waits = n > 0 ? q->events : NULL;
    MST_TRY_CL(q->context->profile ? mst_stamp(q->context, q->opencl, n, waits, &made)
                                   : clEnqueueMarkerWithWaitList(q->opencl, n, waits, &made),
               "cannot mark the end of commands");
    MST_TRY(mst_queue_add(q, made, "a mark behind commands", event, error));
    q->is_open = false;
fail:
    return status;
}

mst_status mst_queue_write(mst_queue *q, cl_bool blocks, cl_mem buffer, size_t at, size_t bytes, const void *from,
                           const char *name, mst_error *error) {
    mst_status status = MST_OK;
    cl_event event = NULL, *place;
    cl_uint n_waits;
    const cl_event *waits;
    MST_TRY(mst_queue_begin(q, &n_waits, &waits, &event, &place, error));
    MST_TRY_CL(clEnqueueWriteBuffer(q->opencl, buffer, blocks, at, bytes, from, n_waits, waits, place), "cannot upload %s", name);
    MST_TRY(mst_queue_add(q, event, name, NULL, error));
fail:
    return status;
}

mst_status mst_queue_read(mst_queue *q, cl_mem buffer, size_t at, size_t bytes, void *to, const char *name, mst_error *error) {
    mst_status status = MST_OK;
    cl_event event = NULL, *place;
    cl_uint n_waits;
    const cl_event *waits;
    MST_TRY(mst_queue_begin(q, &n_waits, &waits, &event, &place, error));
    MST_TRY_CL(clEnqueueReadBuffer(q->opencl, buffer, CL_TRUE, at, bytes, to, n_waits, waits, &event), "cannot download %s",
               name);
    MST_TRY(mst_queue_add(q, event, name, NULL, error));
    q->is_open = false;
    MST_TRY(mst_queue_finish(q, error));
fail:
    return status;
}

mst_status mst_queue_fill(mst_queue *q, cl_mem buffer, cl_uint pattern, size_t bytes, const char *name, mst_error *error) {
    mst_status status = MST_OK;
    cl_event event = NULL, *place;
    cl_uint n_waits;
    const cl_event *waits;
    MST_TRY(mst_queue_begin(q, &n_waits, &waits, &event, &place, error));
    MST_TRY_CL(clEnqueueFillBuffer(q->opencl, buffer, &pattern, sizeof pattern, 0, bytes, n_waits, waits, place),
               "cannot fill %s", name);
    MST_TRY(mst_queue_add(q, event, name, NULL, error));
fail:
    return status;
}

mst_status mst_device_write(mst_context *context, cl_command_queue queue, cl_mem buffer, size_t bytes, const void *data,
                            const char *name, mst_error *error) {
    mst_status status = MST_OK;
    mst_queue q = MST_QUEUE(context, queue);
    MST_TRY(mst_queue_write(&q, CL_TRUE, buffer, 0, bytes, data, name, error));
    MST_TRY(mst_queue_finish(&q, error));
fail:
    mst_queue_release(&q);
    return status;
}

mst_status mst_queue_check(mst_queue *q, mst_error *error) {
    if (q->failed == CL_SUCCESS)
        return MST_OK;
    bool lost = finish(q) != CL_SUCCESS; // a queue that is only behind an error can be finished
    return mst_fail_opencl(error, q->failed, "%s%s ended with an error on %.60s",
                           lost ? "the device is lost, start again with a new context: " : "", q->failed_name,
                           q->context->device.name);
}

mst_status mst_queue_finish(mst_queue *q, mst_error *error) {
    mst_status status = MST_OK;
    cl_event mark = NULL;
    if (q->is_open) {
        MST_TRY_CL(clEnqueueMarkerWithWaitList(q->opencl, 0, NULL, &mark), "cannot wait for commands");
        MST_TRY(mst_queue_add(q, mark, "a command", NULL, error));
        q->is_open = false;
    }
    if (q->n > 0) { // one wait, for the last, and few or none for the others
        const char *name = q->names[q->n - 1];
        cl_int code = clWaitForEvents(1, &q->events[q->n - 1]);
        sweep(q, true);
        note_failure(q, code, name);
    }
    MST_TRY(mst_queue_check(q, error));
fail:
    return status;
}

void mst_queue_forget(mst_queue *q) {
    for (size_t i = 0; i < q->n; i++)
        clReleaseEvent(q->events[i]);
    q->n = 0;
    q->is_open = q->is_ending = q->is_ended = q->is_joined = q->is_left = false;
    q->failed = CL_SUCCESS;
}

void mst_queue_leave(mst_queue *q) {
    q->is_left = false;
    if (!checks_each(q))
        mst_queue_forget(q);
}

void mst_queue_abandon(mst_queue *q) {
    if (q->opencl)
        finish(q);
    mst_queue_forget(q);
}

void mst_queue_release(mst_queue *q) {
    mst_queue_forget(q);
    free(q->events);
    free(q->names);
    if (q->is_own && q->opencl)
        clReleaseCommandQueue(q->opencl);
    *q = (mst_queue)MST_QUEUE(NULL, NULL);
}
