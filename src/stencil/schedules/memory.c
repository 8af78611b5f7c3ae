#include "memory.h"

#include "runtime/context.h"

static uint64_t piece_of(const mst_allocation *part, const size_t *elements, uint64_t k) {
    return elements ? mst_allocation_piece(part, elements[k]) : part->bytes;
}

mst_status mst_memory_take(mst_context *context, const mst_allocation *part, const size_t *elements, uint64_t n, cl_mem *buffers,
                           mst_error *error) {
    mst_status status = MST_OK;
    for (uint64_t k = 0; k < n; k++)
        MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, piece_of(part, elements, k), part->what, &buffers[k], error));
fail:
    return status;
}

void mst_memory_give(mst_context *context, const mst_allocation *part, const size_t *elements, uint64_t n, cl_mem *buffers) {
    for (uint64_t k = 0; k < n; k++) {
        if (buffers[k])
            mst_device_release(context, buffers[k], piece_of(part, elements, k));
        buffers[k] = NULL;
    }
}

void mst_events_drop(cl_event *events, size_t n) {
    for (size_t i = 0; events && i < n; i++)
        mst_event_drop(&events[i]);
}

mst_status mst_event_keep(cl_event *place, cl_event event, mst_error *error) {
    mst_status status = MST_OK;
    mst_event_drop(place);
    if (event)
        MST_TRY_CL(clRetainEvent(event), "cannot keep an event");
    *place = event;
fail:
    return status;
}

mst_status mst_event_barrier(mst_queue *queue, const cl_event *event, mst_error *error) {
    return mst_queue_barrier(queue, *event ? 1 : 0, event, "a part of a step", error);
}

mst_status mst_event_mark(mst_queue *queue, cl_event *event, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_queue_mark(queue, false, event, error));
    MST_TRY_CL(clFlush(queue->opencl), "cannot begin a part of a step");
fail:
    return status;
}
