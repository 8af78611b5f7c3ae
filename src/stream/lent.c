#include "lent.h"

#include "window.h"

#include "runtime/layout.h"

#include <stdlib.h>
#include <string.h>

#define PAGE ((uintptr_t)4096) // at whose multiples buffers begin; OpenCL implementations copy what is aligned to less

// The bytes of host memory from the page on that an array's lowest element is in.
typedef struct stretch {
    uintptr_t begin;
    uint64_t bytes, skipped; // before that element
} stretch;

static stretch stretch_of(const mst_port *port, const mst_location *where) {
    int64_t low, high, element = (int64_t)mst_type_bytes(port->layout.type);
    mst_layout_extent(&port->layout, &low, &high);
    const uintptr_t first = (uintptr_t)where->host + (uintptr_t)(low * element), begin = first / PAGE * PAGE;
    const uint64_t skipped = (uint64_t)(first - begin);
    return (stretch){begin, skipped + (uint64_t)((high - low) * element), skipped};
}

static bool is_off(void) {
    const char *asked = getenv("MASTABA_HOST_ARRAYS");
    return asked && strcmp(asked, "copy") == 0;
}

bool mst_lent_serves(const mst_stream_desc *desc, const mst_location *where) {
    const mst_device_info *device = &desc->context->device;
    uint64_t bytes = desc->fixed_work_bytes + desc->item_work_bytes * (desc->least_items ? desc->least_items : 1);
    if (!(device->type & CL_DEVICE_TYPE_CPU) || !device->unified_memory || desc->context->is_limited || desc->panel || is_off())
        return false;
    for (int p = 0; p < desc->n_ports; p++) {
        if (mst_port_has_windows(desc, p) || where[p].place == MST_PLACE_FILE)
            return false;
        if (where[p].place != MST_PLACE_HOST)
            continue;
        const stretch s = stretch_of(&desc->ports[p], &where[p]);
        if (s.bytes > device->max_allocation_bytes || (uintptr_t)where[p].host % mst_type_bytes(desc->ports[p].layout.type) != 0)
            return false;
        bytes += s.bytes;
    }
    return bytes <= mst_budget_left(desc->context, &desc->context->device_memory);
}

// In place, the output's buffer is the input's: what several buffers on the same memory hold is not defined.
static bool is_first_again(const mst_stream_desc *desc, const mst_location *where, int p) {
    return desc->in_place && p == 1 && where[0].place == MST_PLACE_HOST && where[0].host == where[1].host;
}

static bool take_one(const mst_stream_desc *desc, const mst_location *where, int p, mst_lent *lent) {
    mst_context *context = desc->context;
    const stretch s = stretch_of(&desc->ports[p], &where[p]);
    cl_int code;
    if (!mst_budget_take(context, &context->device_memory, s.bytes))
        return false;
    lent->bytes += s.bytes;
    lent->buffers[p] = clCreateBuffer(context->opencl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, s.bytes, (void *)s.begin, &code);
    if (code != CL_SUCCESS)
        lent->buffers[p] = NULL;
    lent->first[p] = s.skipped;
    lent->size[p] = s.bytes - s.skipped;
    lent->where[p] = mst_at_device(lent->buffers[p], (uint64_t)((uintptr_t)where[p].host - s.begin));
    return code == CL_SUCCESS;
}

bool mst_lent_take(const mst_stream_desc *desc, const mst_location *where, mst_lent *lent) {
    bool taken = true;
    for (int p = 0; p < desc->n_ports && taken; p++) {
        lent->where[p] = where[p];
        if (is_first_again(desc, where, p))
            lent->where[p] = lent->where[0];
        else if (where[p].place == MST_PLACE_HOST)
            taken = take_one(desc, where, p, lent);
    }
    if (!taken) {
        mst_log(desc->context, MST_LOG_DEBUG, "arrays in the host's memory are copied: it cannot be taken as buffers");
        mst_lent_give_back(desc, lent);
    }
    return taken;
}

static mst_status show(mst_context *context, const mst_lent *lent, int p, const char *name, mst_error *error) {
    mst_status status = MST_OK;
    cl_event unmapped = NULL;
    cl_int code;
    void *mapped = clEnqueueMapBuffer(context->download, lent->buffers[p], CL_TRUE, CL_MAP_READ, (size_t)lent->first[p],
                                      (size_t)lent->size[p], 0, NULL, NULL, &code);
    MST_TRY_CL(code, "%s: cannot map its buffer", name);
    MST_TRY_CL(clEnqueueUnmapMemObject(context->download, lent->buffers[p], mapped, 0, NULL, &unmapped),
               "%s: cannot unmap its buffer", name);
    MST_TRY_CL(mst_wait_for_events(1, &unmapped), "%s: cannot unmap its buffer", name);
fail:
    if (unmapped)
        clReleaseEvent(unmapped);
    return status;
}

mst_status mst_lent_show(const mst_stream_desc *desc, const mst_lent *lent, mst_error *error) {
    mst_status status = MST_OK;
    for (int p = 0; p < desc->n_ports; p++) {
        const bool in_place = desc->in_place && p == 0 && !lent->buffers[1];
        if (lent->buffers[p] && (desc->ports[p].kind == MST_PORT_OUTPUT || in_place))
            MST_TRY(show(desc->context, lent, p, desc->ports[p].name, error));
    }
fail:
    return status;
}

void mst_lent_give_back(const mst_stream_desc *desc, mst_lent *lent) {
    for (int p = 0; p < desc->n_ports; p++)
        if (lent->buffers[p])
            clReleaseMemObject(lent->buffers[p]);
    mst_budget_give(desc->context, &desc->context->device_memory, lent->bytes);
    *lent = (mst_lent){.bytes = 0};
}
