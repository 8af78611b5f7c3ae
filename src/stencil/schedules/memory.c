#include "memory.h"

#include "runtime/context.h"

mst_status mst_memory_take(mst_context *context, const mst_allocation *part, uint64_t n, cl_mem *buffers, mst_error *error) {
    mst_status status = MST_OK;
    for (uint64_t k = 0; k < n; k++)
        MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, part->bytes, part->what, &buffers[k], error));
fail:
    return status;
}

void mst_memory_give(mst_context *context, const mst_allocation *part, uint64_t n, cl_mem *buffers) {
    for (uint64_t k = 0; k < n; k++) {
        mst_device_release(context, buffers[k], part->bytes);
        buffers[k] = NULL;
    }
}

void mst_event_drop(cl_event *event) {
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

mst_status mst_event_barrier(cl_command_queue queue, const cl_event *event, mst_error *error) {
    mst_status status = MST_OK;
    if (*event)
        MST_TRY_CL(clEnqueueBarrierWithWaitList(queue, 1, event, NULL), "cannot queue a block");
fail:
    return status;
}
