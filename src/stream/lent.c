#include "lent.h"

#include "window.h"

#include "runtime/layout.h"

#include <stdlib.h>
#include <string.h>

#define PAGE ((uintptr_t)4096) // at whose multiples buffers begin; OpenCL implementations copy what is aligned to less

// The bytes of host memory from the page on that an array's lowest element is in.
typedef struct stretch {
    uintptr_t begin;
    uint64_t bytes;
} stretch;

static stretch stretch_of(const mst_port *port, const mst_location *where) {
    int64_t low, high, element = (int64_t)mst_type_bytes(port->layout.type);
    mst_layout_extent(&port->layout, &low, &high);
    const uintptr_t first = (uintptr_t)where->host + (uintptr_t)(low * element), begin = first / PAGE * PAGE;
    return (stretch){begin, (uint64_t)(first - begin) + (uint64_t)((high - low) * element)};
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

static mst_status buffer_on(mst_context *context, const char *name, stretch s, cl_mem *out, mst_error *error) {
    mst_status status = MST_OK;
    cl_int code;
    *out = clCreateBuffer(context->opencl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, s.bytes, (void *)s.begin, &code);
    MST_TRY_CL(code, "%s: cannot use host memory as a buffer", name);
fail:
    return status;
}

// In place, the output's buffer is the input's: what several buffers on the same memory hold is not defined.
static bool is_first_again(const mst_stream_desc *desc, const mst_location *where, int p) {
    return desc->in_place && p == 1 && where[0].place == MST_PLACE_HOST && where[0].host == where[1].host;
}

mst_status mst_lent_take(const mst_stream_desc *desc, const mst_location *where, mst_lent *lent, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = desc->context;
    for (int p = 0; p < desc->n_ports; p++) {
        lent->where[p] = where[p];
        if (where[p].place != MST_PLACE_HOST)
            continue;
        if (is_first_again(desc, where, p)) {
            lent->where[p] = lent->where[0];
            continue;
        }
        const stretch s = stretch_of(&desc->ports[p], &where[p]);
        MST_REQUIRE(mst_budget_take(context, &context->device_memory, s.bytes), MST_ERROR_BUDGET,
                    "%s: another thread has taken the device memory budget meanwhile", desc->ports[p].name);
        lent->bytes += s.bytes;
        MST_TRY(buffer_on(context, desc->ports[p].name, s, &lent->buffers[p], error));
        lent->where[p] = mst_at_device(lent->buffers[p], (uint64_t)((uintptr_t)where[p].host - s.begin));
    }
fail:
    return status;
}

mst_status mst_lent_show(const mst_stream_desc *desc, const mst_lent *lent, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = desc->context;
    for (int p = 0; p < desc->n_ports; p++) {
        const bool in_place = desc->in_place && p == 0 && !lent->buffers[1];
        if (!lent->buffers[p] || (desc->ports[p].kind != MST_PORT_OUTPUT && !in_place))
            continue;
        size_t bytes = 0;
        cl_int code;
        MST_TRY_CL(clGetMemObjectInfo(lent->buffers[p], CL_MEM_SIZE, sizeof bytes, &bytes, NULL), "%s: cannot query its buffer",
                   desc->ports[p].name);
        void *mapped =
            clEnqueueMapBuffer(context->download, lent->buffers[p], CL_TRUE, CL_MAP_READ, 0, bytes, 0, NULL, NULL, &code);
        MST_TRY_CL(code, "%s: cannot map its buffer", desc->ports[p].name);
        MST_TRY_CL(clEnqueueUnmapMemObject(context->download, lent->buffers[p], mapped, 0, NULL, NULL),
                   "%s: cannot unmap its buffer", desc->ports[p].name);
        MST_TRY_CL(clFinish(context->download), "%s: cannot unmap its buffer", desc->ports[p].name);
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
