#include "passage.h"

#include "transfer.h"

static bool moves_through(const mst_passage *s, int p, mst_port_kind kind) {
    return s->ring->staged[p] && s->desc->ports[p].kind == kind;
}

static mst_transfer transfer_of(const mst_passage *s, int p) {
    const mst_port *port = &s->desc->ports[p];
    return (mst_transfer){port->layout, s->where[p], port->name};
}

void mst_release_event(cl_event *event) {
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

void mst_slot_release_events(mst_slot *slot) {
    mst_release_event(&slot->begun);
    mst_release_event(&slot->computed);
    for (int p = 0; p < MST_STREAM_MAX_PORTS; p++) {
        mst_release_event(&slot->uploaded[p]);
        mst_release_event(&slot->downloaded[p]);
    }
}

// The host memory from or to which the device copies an array's bytes from packed byte `begin` on: the caller's own if it is
// pinned, else the slot's.
static void *crossing(const mst_passage *s, const mst_slot *slot, int p, uint64_t begin) {
    return s->ring->pinned[p] ? (unsigned char *)s->where[p].host + begin : slot->ports[p].mapped;
}

// Reads packed bytes of one array into a slot and sends them to the device.
static mst_status fill(const mst_passage *s, mst_slot *slot, int p, uint64_t begin, uint64_t end, uint64_t *moved,
                       mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = s->desc->context;
    mst_transfer t = transfer_of(s, p);
    cl_mem staging = slot->ports[p].staging;
    size_t bytes = (size_t)(end - begin);
    cl_int code;
    if (context->device.unified_memory) {
        slot->ports[p].mapped =
            clEnqueueMapBuffer(context->upload, staging, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0, NULL, NULL, &code);
        MST_TRY_CL(code, "cannot map the staging memory of %s", t.name);
        MST_TRY(mst_transfer_read(context->pool, &t, (size_t)begin, (size_t)end, slot->ports[p].mapped, error));
        code = clEnqueueUnmapMemObject(context->upload, staging, slot->ports[p].mapped, 0, NULL, &slot->uploaded[p]);
        slot->ports[p].mapped = NULL;
        MST_TRY_CL(code, "cannot unmap the staging memory of %s", t.name);
    } else {
        if (!s->ring->pinned[p])
            MST_TRY(mst_transfer_read(context->pool, &t, (size_t)begin, (size_t)end, slot->ports[p].mapped, error));
        MST_TRY_CL(clEnqueueWriteBuffer(context->upload, slot->ports[p].device, CL_FALSE, 0, bytes, crossing(s, slot, p, begin),
                                        0, NULL, &slot->uploaded[p]),
                   "cannot upload %s", t.name);
    }
    *moved += bytes;
fail:
    return status;
}

static void describe_block(const mst_passage *s, mst_slot *slot, mst_block *block) {
    block->first = slot->first;
    block->count = slot->count;
    block->queue = &slot->queue;
    for (int p = 0; p < s->desc->n_ports; p++) {
        bool fixed = s->desc->ports[p].kind == MST_PORT_FIXED, staged = s->ring->staged[p];
        const mst_slot *at = fixed ? &s->ring->fixed : slot;
        size_t element = mst_type_bytes(s->desc->ports[p].layout.type);
        block->ports[p].buffer = staged ? at->ports[p].device : s->where[p].buffer;
        block->ports[p].packed = staged;
        block->ports[p].base = staged ? 0 : (int64_t)(s->where[p].offset / element);
        block->ports[p].first_item = staged || fixed ? 0 : slot->first;
    }
}

mst_status mst_block_upload(const mst_passage *s, mst_slot *slot, uint64_t *bytes, mst_error *error) {
    mst_status status = MST_OK;
    for (int p = 0; p < s->desc->n_ports; p++) {
        uint64_t item = mst_port_item_bytes(&s->desc->ports[p]);
        if (moves_through(s, p, MST_PORT_INPUT))
            MST_TRY(fill(s, slot, p, item * slot->first, item * (slot->first + slot->count), bytes, error));
    }
    if (slot->first == 0)
        for (int p = 0; p < s->desc->n_ports; p++)
            if (moves_through(s, p, MST_PORT_FIXED))
                MST_TRY(fill(s, &s->ring->fixed, p, 0, mst_port_item_bytes(&s->desc->ports[p]), bytes, error));
    MST_TRY_CL(clFlush(s->desc->context->upload), "cannot start an upload");
fail:
    return status;
}

mst_status mst_block_compute(const mst_passage *s, mst_slot *slot, bool carries, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = s->desc->context;
    mst_block block;
    cl_event waits[2 * MST_STREAM_MAX_PORTS];
    cl_uint n_waits = 0;
    for (int p = 0; p < s->desc->n_ports; p++) {
        if (slot->uploaded[p])
            waits[n_waits++] = slot->uploaded[p];
        if (s->ring->fixed.uploaded[p])
            waits[n_waits++] = s->ring->fixed.uploaded[p];
    }
    MST_TRY(mst_queue_barrier(&slot->queue, n_waits, waits, "an upload", error));
    if (context->profile)
        MST_TRY_CL(mst_stamp(context, slot->queue.opencl, 0, NULL, &slot->begun), "cannot mark the start of a block");
    describe_block(s, slot, &block);
    MST_TRY(s->desc->compute(s->desc->user, &block, error));
    MST_TRY(mst_queue_mark(&slot->queue, carries, &slot->computed, error));
    MST_TRY_CL(clFlush(slot->queue.opencl), "cannot start kernels");
    bool downloads = false;
    for (int p = 0; p < s->desc->n_ports && !context->device.unified_memory; p++) {
        if (!moves_through(s, p, MST_PORT_OUTPUT))
            continue;
        downloads = true;
        uint64_t item = mst_port_item_bytes(&s->desc->ports[p]);
        MST_TRY_CL(clEnqueueReadBuffer(context->download, slot->ports[p].device, CL_FALSE, 0, (size_t)(item * slot->count),
                                       crossing(s, slot, p, item * slot->first), 1, &slot->computed, &slot->downloaded[p]),
                   "cannot download %s", s->desc->ports[p].name);
    }
    if (downloads)
        MST_TRY_CL(clFlush(context->download), "cannot start a download");
fail:
    return status;
}

// Waits for one result of a block and writes it where it belongs.
static mst_status empty(const mst_passage *s, mst_slot *slot, int p, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = s->desc->context;
    mst_transfer t = transfer_of(s, p);
    uint64_t item = mst_port_item_bytes(&s->desc->ports[p]), begin = item * slot->first, end = begin + item * slot->count;
    cl_event mapped = NULL, unmapped = NULL;
    cl_int code;
    if (context->device.unified_memory) {
        slot->ports[p].mapped = clEnqueueMapBuffer(context->download, slot->ports[p].staging, CL_TRUE, CL_MAP_READ, 0,
                                                   (size_t)(end - begin), 1, &slot->computed, &mapped, &code);
        MST_TRY_CL(code, "cannot map the staging memory of %s", t.name);
        MST_TRY_CL(clWaitForEvents(1, &mapped), "cannot map the staging memory of %s", t.name);
    } else {
        MST_TRY_CL(clWaitForEvents(1, &slot->downloaded[p]), "computing or downloading %s failed", t.name);
    }
    if (!s->ring->pinned[p])
        MST_TRY(mst_transfer_write(context->pool, &t, (size_t)begin, (size_t)end, slot->ports[p].mapped, error));
    if (context->device.unified_memory) {
        code = clEnqueueUnmapMemObject(context->download, slot->ports[p].staging, slot->ports[p].mapped, 0, NULL, &unmapped);
        slot->ports[p].mapped = NULL;
        MST_TRY_CL(code, "cannot unmap the staging memory of %s", t.name);
        MST_TRY_CL(clWaitForEvents(1, &unmapped), "cannot unmap the staging memory of %s", t.name);
    }
fail:
    mst_release_event(&mapped);
    mst_release_event(&unmapped);
    return status;
}

mst_status mst_block_finish(const mst_passage *s, mst_slot *slot, mst_report *report, mst_error *error) {
    mst_status status = MST_OK;
    const mst_context *context = s->desc->context;
    MST_TRY(mst_queue_finish(&slot->queue, error));
    for (int p = 0; p < s->desc->n_ports; p++)
        if (moves_through(s, p, MST_PORT_OUTPUT)) {
            MST_TRY(empty(s, slot, p, error));
            report->download_bytes += mst_port_item_bytes(&s->desc->ports[p]) * slot->count;
        }
    for (int p = 0; p < s->desc->n_ports; p++) {
        report->upload_seconds += mst_command_seconds(context, slot->uploaded[p]);
        report->download_seconds += mst_command_seconds(context, slot->downloaded[p]);
    }
    report->compute_seconds += mst_seconds_between(context, slot->begun, slot->computed);
fail:
    mst_slot_release_events(slot);
    return status;
}
