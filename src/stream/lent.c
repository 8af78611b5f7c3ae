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
    if (!(device->type & CL_DEVICE_TYPE_CPU) || !device->unified_memory || desc->context->is_limited || desc->panel || is_off())
        return false;
    for (int p = 0; p < desc->n_ports; p++) {
        if (mst_port_has_windows(desc, p) || where[p].place == MST_PLACE_FILE)
            return false;
        if (where[p].place != MST_PLACE_HOST)
            continue;
        if ((uintptr_t)where[p].host % mst_type_bytes(desc->ports[p].layout.type) != 0)
            return false;
    }
    return true;
}

// Stretches of pages that arrays share are one: what several buffers on the same memory hold is not defined. The port that the
// buffer of port p is made for, the first of those whose stretches are joined, whose stretch is *s.
static int join(const mst_stream_desc *desc, const mst_location *where, int p, stretch *s) {
    int first = p;
    *s = stretch_of(&desc->ports[p], &where[p]);
    for (bool grown = true; grown;) {
        grown = false;
        for (int k = 0; k < desc->n_ports; k++) {
            if (where[k].place != MST_PLACE_HOST)
                continue;
            const stretch other = stretch_of(&desc->ports[k], &where[k]);
            const uintptr_t end = s->begin + s->bytes, other_end = other.begin + other.bytes;
            if (other.begin >= end || s->begin >= other_end)
                continue;
            first = k < first ? k : first;
            if (other.begin < s->begin || other_end > end) {
                s->begin = other.begin < s->begin ? other.begin : s->begin;
                s->bytes = (other_end > end ? other_end : end) - s->begin;
                grown = true;
            }
        }
    }
    return first;
}

bool mst_lent_has_room(const mst_stream_desc *desc, const mst_location *where, uint64_t more) {
    uint64_t bytes = desc->fixed_work_bytes + desc->item_work_bytes * (desc->least_items ? desc->least_items : 1);
    for (int p = 0; p < desc->n_ports; p++) {
        stretch s;
        if (where[p].place != MST_PLACE_HOST || join(desc, where, p, &s) < p)
            continue;
        if (s.bytes > desc->context->device.max_allocation_bytes)
            return false;
        bytes += s.bytes;
    }
    return bytes <= mst_budget_left(desc->context, &desc->context->device_memory) + more;
}

// The array's own bytes, in the buffer `of`.
static void place(const mst_stream_desc *desc, const mst_location *where, int p, int of, uintptr_t begin, mst_lent *lent) {
    const stretch own = stretch_of(&desc->ports[p], &where[p]);
    lent->owners[p] = of;
    lent->first[p] = own.begin - begin + own.skipped;
    lent->size[p] = own.bytes - own.skipped;
    lent->where[p] = mst_at_device(lent->buffers[of], (uint64_t)((uintptr_t)where[p].host - begin));
}

static bool take_one(const mst_stream_desc *desc, const mst_location *where, int p, mst_lent *lent) {
    mst_context *context = desc->context;
    stretch s;
    cl_int code = CL_SUCCESS;
    const int of = join(desc, where, p, &s);
    if (of == p) {
        if (!mst_budget_take(context, &context->device_memory, s.bytes))
            return false;
        lent->bytes += s.bytes;
        lent->buffers[p] =
            clCreateBuffer(context->opencl, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, s.bytes, (void *)s.begin, &code);
        if (code != CL_SUCCESS)
            lent->buffers[p] = NULL;
    }
    place(desc, where, p, of, s.begin, lent);
    return code == CL_SUCCESS;
}

bool mst_lent_take(const mst_stream_desc *desc, const mst_location *where, mst_lent *lent) {
    bool taken = true;
    for (int p = 0; p < desc->n_ports && taken; p++) {
        lent->where[p] = where[p];
        lent->owners[p] = -1;
        if (where[p].place == MST_PLACE_HOST)
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
    cl_mem buffer = lent->buffers[lent->owners[p]];
    void *mapped = clEnqueueMapBuffer(context->download, buffer, CL_TRUE, CL_MAP_READ, (size_t)lent->first[p],
                                      (size_t)lent->size[p], 0, NULL, NULL, &code);
    MST_TRY_CL(code, "%s: cannot map its buffer", name);
    MST_TRY_CL(clEnqueueUnmapMemObject(context->download, buffer, mapped, 0, NULL, &unmapped), "%s: cannot unmap its buffer",
               name);
    MST_TRY_CL(mst_wait_for_events(1, &unmapped), "%s: cannot unmap its buffer", name);
fail:
    if (unmapped)
        clReleaseEvent(unmapped);
    return status;
}

mst_status mst_lent_show(const mst_stream_desc *desc, const mst_lent *lent, mst_error *error) {
    mst_status status = MST_OK;
    for (int p = 0; p < desc->n_ports; p++)
        if (lent->owners[p] >= 0 && desc->ports[p].kind == MST_PORT_OUTPUT)
            MST_TRY(show(desc->context, lent, p, desc->ports[p].name, error));
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
