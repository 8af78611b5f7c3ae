#include "passage.h"

#include "rectangles.h"
#include "transfer.h"
#include "window.h"

#include "runtime/layout.h"

#include <string.h>

static bool moves_through(const mst_passage *s, int p, mst_port_kind kind) {
    return s->ring->staged[p] && s->desc->ports[p].kind == kind;
}

static mst_transfer transfer_of(const mst_passage *s, int p) {
    const mst_port *port = &s->desc->ports[p];
    return (mst_transfer){port->layout, s->where[p], port->name, s->files->direct[p]};
}

void mst_slot_release_events(mst_slot *slot) {
    mst_event_drop(&slot->begun);
    mst_event_drop(&slot->computed);
    for (int p = 0; p < MST_STREAM_MAX_PORTS; p++) {
        mst_event_drop(&slot->uploaded[p]);
        mst_event_drop(&slot->downloaded[p]);
    }
}

// The host memory from or to which the device copies an array's bytes from packed byte `begin` on: the caller's own if it is
// pinned, else the slot's.
static void *crossing(const mst_passage *s, const mst_slot *slot, int p, uint64_t begin) {
    return s->ring->pinned[p] ? (unsigned char *)s->where[p].host + begin : slot->ports[p].mapped;
}

// A piece of an item on its way between the caller's array and the slot of its block.
typedef struct carrying {
    const mst_passage *passage;
    mst_slot *slot;
    int port;
    uint64_t item; // packed bytes before it
    bool write;
} carrying;

static mst_status carry_piece(const mst_piece *piece, void *user, mst_error *error) {
    const carrying *c = user;
    mst_pool *pool = c->passage->files->pool;
    const mst_transfer t = {piece->layout, mst_piece_location(&c->passage->where[c->port], piece),
                            c->passage->desc->ports[c->port].name, c->passage->files->direct[c->port]};
    unsigned char *packed = (unsigned char *)c->slot->ports[c->port].mapped + c->item + piece->begin;
    return c->write ? mst_transfer_write_rows(pool, &t, piece->row_bytes, piece->pitch_bytes, packed, error)
                    : mst_transfer_read_rows(pool, &t, piece->row_bytes, piece->pitch_bytes, packed, error);
}

// Between the mapped memory of a slot and the array that its panel is of, or the tray that it is in.
static mst_status carry_panel(const mst_passage *s, const mst_slot *slot, int p, bool write, mst_error *error) {
    mst_status status = MST_OK;
    const mst_panel_place place = {s->files->pool, s->where[p], s->desc->ports[p].name, s->files->direct[p]};
    mst_panel_piece pieces[MST_PANEL_PIECES];
    if (mst_trays_has(s->trays, p))
        return mst_trays_carry(s->trays, p, slot->first, write, write ? NULL : s->watch, slot->ports[p].mapped, error);
    int n = s->desc->panel(s->desc->user, MST_PANEL_IN_ARRAY, p, slot->first, pieces);
    for (int i = 0; i < n && status == MST_OK; i++)
        status = mst_panel_move(&place, &pieces[i], slot->ports[p].mapped, write, error);
    return status;
}

// Bytes of a block that belong to the caller's array.
static uint64_t bytes_of_block(const mst_passage *s, const mst_slot *slot, int p) {
    mst_panel_piece pieces[MST_PANEL_PIECES];
    uint64_t bytes = 0;
    if (!s->desc->panel)
        return mst_port_item_bytes(s->desc, p) * slot->count;
    for (int i = s->desc->panel(s->desc->user, MST_PANEL_IN_ARRAY, p, slot->first, pieces) - 1; i >= 0; i--)
        bytes += mst_layout_count(&pieces[i].layout) * mst_type_bytes(pieces[i].layout.type);
    return bytes;
}

// Between the mapped memory of a slot and an array of the caller's.
static mst_status carry(const mst_passage *s, mst_slot *slot, int p, bool write, mst_error *error) {
    mst_pool *pool = s->files->pool;
    mst_status status = MST_OK;
    uint64_t item = mst_port_item_bytes(s->desc, p), begin = item * slot->first, end = begin + item * slot->count;
    if (s->desc->panel)
        return carry_panel(s, slot, p, write, error);
    if (!mst_port_has_windows(s->desc, p)) {
        const mst_transfer t = transfer_of(s, p);
        return write ? mst_transfer_write(pool, &t, (size_t)begin, (size_t)end, slot->ports[p].mapped, error)
                     : mst_transfer_read(pool, &t, (size_t)begin, (size_t)end, slot->ports[p].mapped, error);
    }
    for (size_t k = 0; k < slot->count; k++) {
        carrying c = {s, slot, p, item * k, write};
        if (!write && !mst_window_is_whole(s->desc, p, slot->first + k))
            memset((unsigned char *)slot->ports[p].mapped + c.item, 0, (size_t)item);
        MST_TRY(mst_window_visit(s->desc, p, slot->first + k, carry_piece, &c, error));
    }
fail:
    return status;
}

// Enqueues a copy between pinned memory and the device's buffer of a slot. The event is that of the last one.
static mst_status cross(const mst_passage *s, mst_slot *slot, int p, bool write, mst_crossing *crossing, mst_error *error) {
    const mst_context *context = s->desc->context;
    cl_event *event = write ? &slot->downloaded[p] : &slot->uploaded[p];
    crossing->device = slot->ports[p].device;
    crossing->wait = write ? slot->computed : NULL;
    mst_event_drop(event);
    cl_int code = write ? mst_rectangles_download(context, crossing, event) : mst_rectangles_upload(context, crossing, event);
    return code == CL_SUCCESS
               ? MST_OK
               : mst_fail_opencl(error, code, "cannot %s %s", write ? "download" : "upload", s->desc->ports[p].name);
}

static mst_status cross_piece(const mst_piece *piece, void *user, mst_error *error) {
    const carrying *c = user;
    mst_crossing crossing = {.layout = &piece->layout,
                             .host = mst_piece_location(&c->passage->where[c->port], piece).host,
                             .at = c->item + piece->begin,
                             .row_bytes = piece->row_bytes,
                             .pitch_bytes = piece->pitch_bytes};
    return cross(c->passage, c->slot, c->port, c->write, &crossing, error);
}

static mst_status cross_panel(const mst_passage *s, mst_slot *slot, int p, bool write, mst_error *error) {
    mst_status status = MST_OK;
    mst_panel_piece pieces[MST_PANEL_PIECES];
    int n = s->desc->panel(s->desc->user, MST_PANEL_IN_ARRAY, p, slot->first, pieces);
    for (int i = 0; i < n && status == MST_OK; i++) {
        mst_crossing crossing = {.layout = &pieces[i].layout,
                                 .host = (unsigned char *)s->where[p].host +
                                         pieces[i].offset * (int64_t)mst_type_bytes(pieces[i].layout.type),
                                 .at = pieces[i].at,
                                 .row_bytes = pieces[i].row_bytes,
                                 .pitch_bytes = pieces[i].pitch_bytes};
        status = cross(s, slot, p, write, &crossing, error);
    }
    return status;
}

static mst_status cross_windows(const mst_passage *s, mst_slot *slot, int p, bool write, mst_error *error) {
    static const cl_uchar zero = 0;
    const mst_port *port = &s->desc->ports[p];
    uint64_t item = mst_port_item_bytes(s->desc, p);
    mst_status status = MST_OK;
    for (size_t k = 0; k < slot->count; k++) {
        carrying c = {s, slot, p, item * k, write};
        if (!write && !mst_window_is_whole(s->desc, p, slot->first + k)) {
            mst_event_drop(&slot->uploaded[p]);
            MST_TRY_CL(clEnqueueFillBuffer(s->desc->context->upload, slot->ports[p].device, &zero, sizeof zero, (size_t)c.item,
                                           (size_t)item, 0, NULL, &slot->uploaded[p]),
                       "cannot clear the memory of %s", port->name);
        }
        MST_TRY(mst_window_visit(s->desc, p, slot->first + k, cross_piece, &c, error));
    }
fail:
    return status;
}

static mst_status upload(const mst_passage *s, mst_slot *slot, int p, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t item = mst_port_item_bytes(s->desc, p);
    if (s->ring->pinned[p] && s->desc->panel)
        return cross_panel(s, slot, p, false, error);
    if (s->ring->pinned[p] && mst_port_has_windows(s->desc, p))
        return cross_windows(s, slot, p, false, error);
    if (!s->ring->pinned[p])
        MST_TRY(carry(s, slot, p, false, error));
    MST_TRY_CL(clEnqueueWriteBuffer(s->desc->context->upload, slot->ports[p].device, CL_FALSE, 0, (size_t)(item * slot->count),
                                    crossing(s, slot, p, item * slot->first), 0, NULL, &slot->uploaded[p]),
               "cannot upload %s", s->desc->ports[p].name);
fail:
    return status;
}

// Enqueues the download of a result behind its block's computation.
static mst_status download(const mst_passage *s, mst_slot *slot, int p, mst_error *error) {
    uint64_t item = mst_port_item_bytes(s->desc, p);
    if (s->ring->pinned[p] && s->desc->panel)
        return cross_panel(s, slot, p, true, error);
    if (s->ring->pinned[p] && mst_port_has_windows(s->desc, p))
        return cross_windows(s, slot, p, true, error);
    cl_int code =
        clEnqueueReadBuffer(s->desc->context->download, slot->ports[p].device, CL_FALSE, 0, (size_t)(item * slot->count),
                            crossing(s, slot, p, item * slot->first), 1, &slot->computed, &slot->downloaded[p]);
    return code == CL_SUCCESS ? MST_OK : mst_fail_opencl(error, code, "cannot download %s", s->desc->ports[p].name);
}

// Reads a block's items of one array, or a fixed array, into a slot and sends them to the device.
static mst_status fill(const mst_passage *s, mst_slot *slot, int p, uint64_t *moved, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = s->desc->context;
    const char *name = s->desc->ports[p].name;
    size_t bytes = (size_t)mst_port_item_bytes(s->desc, p) * slot->count;
    cl_int code;
    if (context->device.unified_memory) {
        slot->ports[p].mapped = clEnqueueMapBuffer(context->upload, slot->ports[p].staging, CL_TRUE,
                                                   CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes, 0, NULL, NULL, &code);
        MST_TRY_CL(code, "cannot map the staging memory of %s", name);
        MST_TRY(carry(s, slot, p, false, error));
        code =
            clEnqueueUnmapMemObject(context->upload, slot->ports[p].staging, slot->ports[p].mapped, 0, NULL, &slot->uploaded[p]);
        slot->ports[p].mapped = NULL;
        MST_TRY_CL(code, "cannot unmap the staging memory of %s", name);
    } else {
        MST_TRY(upload(s, slot, p, error));
    }
    *moved += bytes_of_block(s, slot, p);
fail:
    return status;
}

// A launch that several devices take in parts begins and ends some 20 us later, and a block has several of them, which of less
// take hardly longer.
static bool is_worth_sharing(const mst_passage *s, const mst_slot *slot) {
    static const uint64_t least = (uint64_t)2 << 20; // bytes of inputs and outputs
    uint64_t bytes = 0;
    for (int p = 0; p < s->desc->n_ports; p++)
        if (s->desc->ports[p].kind != MST_PORT_FIXED)
            bytes += mst_port_item_bytes(s->desc, p) * slot->count;
    return s->shares && bytes >= least;
}

static void describe_block(const mst_passage *s, mst_slot *slot, mst_block *block) {
    block->first = slot->first;
    block->count = slot->count;
    block->is_first = slot->is_first;
    block->queue = &slot->queue;
    block->watch = s->watch;
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
        if (moves_through(s, p, MST_PORT_INPUT))
            MST_TRY(fill(s, slot, p, bytes, error));
    }
    if (slot->is_first)
        for (int p = 0; p < s->desc->n_ports; p++)
            if (moves_through(s, p, MST_PORT_FIXED))
                MST_TRY(fill(s, &s->ring->fixed, p, bytes, error));
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
    slot->queue.shares = is_worth_sharing(s, slot);
    MST_TRY(s->desc->compute(s->desc->user, &block, error));
    if (slot->queue.is_left)
        return MST_OK;
    MST_TRY(mst_queue_mark(&slot->queue, carries, &slot->computed, error));
    MST_TRY_CL(clFlush(slot->queue.opencl), "cannot start kernels");
    bool downloads = false;
    for (int p = 0; p < s->desc->n_ports && !context->device.unified_memory; p++) {
        if (!moves_through(s, p, MST_PORT_OUTPUT))
            continue;
        downloads = true;
        MST_TRY(download(s, slot, p, error));
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
    const char *name = s->desc->ports[p].name;
    size_t bytes = (size_t)mst_port_item_bytes(s->desc, p) * slot->count;
    cl_event mapped = NULL, unmapped = NULL;
    cl_int code;
    if (context->device.unified_memory) {
        slot->ports[p].mapped = clEnqueueMapBuffer(context->download, slot->ports[p].staging, CL_TRUE, CL_MAP_READ, 0, bytes, 1,
                                                   &slot->computed, &mapped, &code);
        MST_TRY_CL(code, "cannot map the staging memory of %s", name);
        MST_TRY_CL(clWaitForEvents(1, &mapped), "cannot map the staging memory of %s", name);
    } else {
        MST_TRY_CL(clWaitForEvents(1, &slot->downloaded[p]), "computing or downloading %s failed", name);
    }
    if (!s->ring->pinned[p])
        MST_TRY(carry(s, slot, p, true, error));
    if (context->device.unified_memory) {
        code = clEnqueueUnmapMemObject(context->download, slot->ports[p].staging, slot->ports[p].mapped, 0, NULL, &unmapped);
        slot->ports[p].mapped = NULL;
        MST_TRY_CL(code, "cannot unmap the staging memory of %s", name);
        MST_TRY_CL(clWaitForEvents(1, &unmapped), "cannot unmap the staging memory of %s", name);
    }
fail:
    mst_event_drop(&mapped);
    mst_event_drop(&unmapped);
    return status;
}

mst_status mst_block_finish(const mst_passage *s, mst_slot *slot, mst_report *report, mst_error *error) {
    mst_status status = MST_OK;
    const mst_context *context = s->desc->context;
    MST_TRY(mst_queue_finish(&slot->queue, error));
    for (int p = 0; p < s->desc->n_ports; p++)
        if (moves_through(s, p, MST_PORT_OUTPUT)) {
            MST_TRY(empty(s, slot, p, error));
            report->download_bytes += bytes_of_block(s, slot, p);
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
