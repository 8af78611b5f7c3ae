#include "stream.h"

#include "places.h"
#include "ring.h"
#include "transfer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROGRESS_INTERVAL_NS 50000000L

struct mst_stream {
    mst_stream_desc desc;
    mst_ring ring;
};

// One execution: the caller's thread reads, uploads and launches; a second thread waits for results and writes them.
typedef struct run {
    mst_stream *stream;
    const mst_location *where;
    mst_execution how;
    mst_report report;
    size_t n_blocks;

    pthread_mutex_t mutex; // guards what follows, and the writer's part of the report
    pthread_cond_t changed;
    size_t launched, written; // blocks
    bool stop;                // set by whichever thread fails first
    mst_status status;
    mst_error error;
} run;

mst_status mst_stream_create(const mst_stream_desc *desc, mst_stream **out, mst_error *error) {
    mst_status status = mst_ring_check_budget(desc, error);
    *out = status == MST_OK ? calloc(1, sizeof **out) : NULL;
    if (status != MST_OK)
        return status;
    if (!*out)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    (*out)->desc = *desc;
    return MST_OK;
}

void mst_stream_destroy(mst_stream *stream) {
    if (!stream)
        return;
    mst_ring_release(&stream->ring, stream->desc.context);
    free(stream);
}

static bool moves_through(const mst_stream *s, int p, mst_port_kind kind) {
    return s->ring.staged[p] && s->desc.ports[p].kind == kind;
}

static mst_transfer transfer_of(const run *r, int p) {
    const mst_port *port = &r->stream->desc.ports[p];
    return (mst_transfer){port->layout, r->where[p], port->name};
}

static void release_event(cl_event *event) {
    if (*event)
        clReleaseEvent(*event);
    *event = NULL;
}

static void release_slot_events(mst_slot *slot) {
    release_event(&slot->begun);
    release_event(&slot->computed);
    for (int p = 0; p < MST_STREAM_MAX_PORTS; p++) {
        release_event(&slot->uploaded[p]);
        release_event(&slot->downloaded[p]);
    }
}

// Where the bytes of an array that begin with packed byte `begin` cross to the device: in the caller's pinned memory, else in a
// slot's.
static void *crossing(const run *r, const mst_slot *slot, int p, uint64_t begin) {
    return r->stream->ring.pinned[p] ? (unsigned char *)r->where[p].host + begin : slot->ports[p].mapped;
}

// Reads packed bytes of one array into a slot and sends them to the device.
static mst_status fill(run *r, mst_slot *slot, int p, uint64_t begin, uint64_t end, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = r->stream->desc.context;
    mst_transfer t = transfer_of(r, p);
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
        if (!r->stream->ring.pinned[p])
            MST_TRY(mst_transfer_read(context->pool, &t, (size_t)begin, (size_t)end, slot->ports[p].mapped, error));
        MST_TRY_CL(clEnqueueWriteBuffer(context->upload, slot->ports[p].device, CL_FALSE, 0, bytes, crossing(r, slot, p, begin),
                                        0, NULL, &slot->uploaded[p]),
                   "cannot upload %s", t.name);
    }
    r->report.upload_bytes += bytes;
fail:
    return status;
}

static void describe_block(const run *r, const mst_slot *slot, mst_block *block) {
    const mst_stream *s = r->stream;
    block->first = slot->first;
    block->count = slot->count;
    block->queue = s->desc.context->compute;
    for (int p = 0; p < s->desc.n_ports; p++) {
        bool fixed = s->desc.ports[p].kind == MST_PORT_FIXED, staged = s->ring.staged[p];
        const mst_slot *at = fixed ? &s->ring.fixed : slot;
        size_t element = mst_type_bytes(s->desc.ports[p].layout.type);
        block->ports[p].buffer = staged ? at->ports[p].device : r->where[p].buffer;
        block->ports[p].packed = staged;
        block->ports[p].base = staged ? 0 : (int64_t)(r->where[p].offset / element);
        block->ports[p].first_item = staged || fixed ? 0 : slot->first;
    }
}

static mst_status upload_block(run *r, mst_slot *slot, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stream *s = r->stream;
    for (int p = 0; p < s->desc.n_ports; p++) {
        uint64_t item = mst_port_item_bytes(&s->desc.ports[p]);
        if (moves_through(s, p, MST_PORT_INPUT))
            MST_TRY(fill(r, slot, p, item * slot->first, item * (slot->first + slot->count), error));
    }
    if (slot->first == 0)
        for (int p = 0; p < s->desc.n_ports; p++)
            if (moves_through(s, p, MST_PORT_FIXED))
                MST_TRY(fill(r, &r->stream->ring.fixed, p, 0, mst_port_item_bytes(&s->desc.ports[p]), error));
    MST_TRY_CL(clFlush(s->desc.context->upload), "cannot start an upload");
fail:
    return status;
}

// An event after all that was enqueued for compute; when profiling, one whose times can be trusted.
static cl_int mark(const mst_context *context, cl_event *event) {
    return context->profile ? mst_stamp(context, context->compute, event)
                            : clEnqueueMarkerWithWaitList(context->compute, 0, NULL, event);
}

static mst_status compute_block(run *r, mst_slot *slot, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stream *s = r->stream;
    mst_context *context = s->desc.context;
    mst_block block;
    cl_event waits[2 * MST_STREAM_MAX_PORTS];
    cl_uint n_waits = 0;
    for (int p = 0; p < s->desc.n_ports; p++) {
        if (slot->uploaded[p])
            waits[n_waits++] = slot->uploaded[p];
        if (s->ring.fixed.uploaded[p])
            waits[n_waits++] = s->ring.fixed.uploaded[p];
    }
    if (n_waits > 0)
        MST_TRY_CL(clEnqueueBarrierWithWaitList(context->compute, n_waits, waits, NULL), "cannot order kernels behind uploads");
    if (context->profile)
        MST_TRY_CL(mark(context, &slot->begun), "cannot mark the start of a block");
    describe_block(r, slot, &block);
    MST_TRY(s->desc.compute(s->desc.user, &block, error));
    MST_TRY_CL(mark(context, &slot->computed), "cannot mark the end of a block");
    MST_TRY_CL(clFlush(context->compute), "cannot start kernels");
    for (int p = 0; p < s->desc.n_ports && !context->device.unified_memory; p++) {
        if (!moves_through(s, p, MST_PORT_OUTPUT))
            continue;
        uint64_t item = mst_port_item_bytes(&s->desc.ports[p]);
        MST_TRY_CL(clEnqueueReadBuffer(context->download, slot->ports[p].device, CL_FALSE, 0, (size_t)(item * slot->count),
                                       crossing(r, slot, p, item * slot->first), 1, &slot->computed, &slot->downloaded[p]),
                   "cannot download %s", s->desc.ports[p].name);
    }
    MST_TRY_CL(clFlush(context->download), "cannot start a download");
fail:
    return status;
}

// Waits for one result of a block and writes it where it belongs.
static mst_status empty(run *r, mst_slot *slot, int p, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stream *s = r->stream;
    mst_context *context = s->desc.context;
    mst_transfer t = transfer_of(r, p);
    uint64_t item = mst_port_item_bytes(&s->desc.ports[p]), begin = item * slot->first, end = begin + item * slot->count;
    cl_event unmapped = NULL;
    cl_int code;
    if (context->device.unified_memory) {
        slot->ports[p].mapped = clEnqueueMapBuffer(context->download, slot->ports[p].staging, CL_TRUE, CL_MAP_READ, 0,
                                                   (size_t)(end - begin), 1, &slot->computed, NULL, &code);
        MST_TRY_CL(code, "cannot map the staging memory of %s", t.name);
    } else {
        MST_TRY_CL(clWaitForEvents(1, &slot->downloaded[p]), "computing or downloading %s failed", t.name);
    }
    if (!s->ring.pinned[p])
        MST_TRY(mst_transfer_write(context->pool, &t, (size_t)begin, (size_t)end, slot->ports[p].mapped, error));
    if (context->device.unified_memory) {
        code = clEnqueueUnmapMemObject(context->download, slot->ports[p].staging, slot->ports[p].mapped, 0, NULL, &unmapped);
        slot->ports[p].mapped = NULL;
        MST_TRY_CL(code, "cannot unmap the staging memory of %s", t.name);
        MST_TRY_CL(clWaitForEvents(1, &unmapped), "cannot unmap the staging memory of %s", t.name);
    }
fail:
    release_event(&unmapped);
    return status;
}

static mst_status finish_block(run *r, mst_slot *slot, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stream *s = r->stream;
    const mst_context *context = s->desc.context;
    double upload = 0, download = 0;
    uint64_t bytes = 0;
    MST_TRY_CL(clWaitForEvents(1, &slot->computed), "computing a block failed");
    for (int p = 0; p < s->desc.n_ports; p++)
        if (moves_through(s, p, MST_PORT_OUTPUT)) {
            MST_TRY(empty(r, slot, p, error));
            bytes += mst_port_item_bytes(&s->desc.ports[p]) * slot->count;
        }
    for (int p = 0; p < s->desc.n_ports; p++) {
        upload += mst_command_seconds(context, slot->uploaded[p]);
        download += mst_command_seconds(context, slot->downloaded[p]);
    }
    pthread_mutex_lock(&r->mutex);
    r->report.upload_seconds += upload;
    r->report.download_seconds += download;
    r->report.download_bytes += bytes;
    r->report.compute_seconds += mst_seconds_between(context, slot->begun, slot->computed);
    pthread_mutex_unlock(&r->mutex);
fail:
    release_slot_events(slot);
    return status;
}

// Keeps the first failure of either thread and stops both.
static void fail_run(run *r, mst_status status, const mst_error *error) {
    pthread_mutex_lock(&r->mutex);
    if (r->status == MST_OK) {
        r->status = status;
        r->error = *error;
    }
    r->stop = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
}

static void *writer(void *argument) {
    run *r = argument;
    mst_error error = {.status = MST_OK};
    for (size_t b = 0; b < r->n_blocks; b++) {
        pthread_mutex_lock(&r->mutex);
        while (r->launched <= b && !r->stop)
            pthread_cond_wait(&r->changed, &r->mutex);
        bool stop = r->stop;
        pthread_mutex_unlock(&r->mutex);
        if (stop)
            break;
        mst_status status = finish_block(r, &r->stream->ring.slots[b % (size_t)r->stream->ring.n_slots], &error);
        if (status != MST_OK) {
            fail_run(r, status, &error);
            break;
        }
        pthread_mutex_lock(&r->mutex);
        r->written++;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->mutex);
    }
    return NULL;
}

static mst_status report_progress(run *r, size_t blocks, mst_error *error) {
    size_t items = r->stream->desc.n_items, done = blocks * r->stream->ring.block_items;
    if (r->how.progress && !r->how.progress(done < items ? done : items, items, r->how.progress_user))
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
    return MST_OK;
}

// Waits until `blocks` are written, reporting progress; false when the run is to stop.
static bool wait_written(run *r, size_t blocks) {
    mst_error error = {.status = MST_OK};
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += PROGRESS_INTERVAL_NS;
        until.tv_sec += until.tv_nsec / 1000000000L;
        until.tv_nsec %= 1000000000L;
        pthread_mutex_lock(&r->mutex);
        if (r->written < blocks && !r->stop)
            pthread_cond_timedwait(&r->changed, &r->mutex, &until);
        size_t written = r->written;
        bool stop = r->stop;
        pthread_mutex_unlock(&r->mutex);
        if (stop)
            return false;
        mst_status status = report_progress(r, written, &error);
        if (status != MST_OK) {
            fail_run(r, status, &error);
            return false;
        }
        if (written >= blocks)
            return true;
    }
}

static void launch_blocks(run *r) {
    mst_ring *ring = &r->stream->ring;
    mst_error error = {.status = MST_OK};
    size_t slots = (size_t)ring->n_slots, n_items = r->stream->desc.n_items;
    for (size_t b = 0; b < r->n_blocks; b++) {
        mst_slot *slot = &ring->slots[b % slots];
        if (!wait_written(r, b < slots ? 0 : b - slots + 1))
            return;
        slot->first = b * ring->block_items;
        slot->count = n_items - slot->first < ring->block_items ? n_items - slot->first : ring->block_items;
        mst_status status = upload_block(r, slot, &error);
        if (status == MST_OK)
            status = compute_block(r, slot, &error);
        if (status != MST_OK) {
            fail_run(r, status, &error);
            return;
        }
        pthread_mutex_lock(&r->mutex);
        r->launched++;
        pthread_cond_broadcast(&r->changed);
        pthread_mutex_unlock(&r->mutex);
    }
}

// After a failure, buffers may still be mapped and commands under way.
static void abandon(run *r) {
    mst_context *context = r->stream->desc.context;
    mst_ring *ring = &r->stream->ring;
    for (int s = 0; s <= ring->n_slots; s++) {
        mst_slot *slot = s < ring->n_slots ? &ring->slots[s] : &ring->fixed;
        for (int p = 0; p < r->stream->desc.n_ports; p++)
            if (context->device.unified_memory && slot->ports[p].mapped) {
                clEnqueueUnmapMemObject(context->upload, slot->ports[p].staging, slot->ports[p].mapped, 0, NULL, NULL);
                slot->ports[p].mapped = NULL;
            }
    }
    clFinish(context->upload);
    clFinish(context->compute);
    clFinish(context->download);
    for (int s = 0; s < ring->n_slots; s++)
        release_slot_events(&ring->slots[s]);
}

// Host or file data: two threads and the ring.
static mst_status run_staged(run *r, mst_error *error) {
    pthread_t thread;
    if (r->how.n_wait > 0) {
        cl_int code = clWaitForEvents(r->how.n_wait, r->how.wait_list);
        if (code != CL_SUCCESS)
            return mst_fail_opencl(error, code, "waiting for how->wait_list failed");
    }
    bool alone = r->n_blocks == 1; // nothing to overlap
    if (!alone && pthread_create(&thread, NULL, writer, r) != 0)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "cannot start the writing thread");
    launch_blocks(r);
    if (alone)
        writer(r);
    wait_written(r, r->n_blocks);
    if (!alone)
        pthread_join(thread, NULL);
    if (r->status != MST_OK) {
        abandon(r);
        if (error)
            *error = r->error;
    }
    release_slot_events(&r->stream->ring.fixed);
    return r->status;
}

// Everything on the device: one queue, no copies. Blocks only bound the work memory.
static mst_status run_resident(run *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_stream *s = r->stream;
    mst_context *context = s->desc.context;
    mst_slot slot = {.first = 0};
    if (r->how.event)
        r->how.progress = NULL; // it could only be called by waiting
    if (r->how.n_wait > 0)
        MST_TRY_CL(clEnqueueBarrierWithWaitList(context->compute, r->how.n_wait, r->how.wait_list, NULL),
                   "cannot wait for how->wait_list");
    for (size_t b = 0; b < r->n_blocks; b++) {
        if (r->how.progress)
            MST_TRY(report_progress(r, b, error));
        slot.first = b * s->ring.block_items;
        slot.count = s->desc.n_items - slot.first < s->ring.block_items ? s->desc.n_items - slot.first : s->ring.block_items;
        MST_TRY(compute_block(r, &slot, error));
        if (r->how.progress || (r->how.report && context->profile)) {
            MST_TRY_CL(clFinish(context->compute), "computing failed");
            r->report.compute_seconds += mst_seconds_between(context, slot.begun, slot.computed);
        }
        if (r->how.event && b + 1 == r->n_blocks) {
            *r->how.event = slot.computed;
            slot.computed = NULL;
        }
        release_slot_events(&slot);
    }
    if (r->how.progress)
        MST_TRY(report_progress(r, r->n_blocks, error));
    if (!r->how.event)
        MST_TRY_CL(clFinish(context->compute), "computing failed");
    return MST_OK;
fail:
    release_slot_events(&slot);
    if (r->how.event)
        release_event(r->how.event);
    clFinish(context->compute);
    return status;
}

static mst_status completed_event(mst_context *context, cl_event *event, mst_error *error) {
    cl_int code;
    *event = clCreateUserEvent(context->opencl, &code);
    if (code == CL_SUCCESS && (code = clSetUserEventStatus(*event, CL_COMPLETE)) != CL_SUCCESS)
        release_event(event);
    if (code == CL_SUCCESS)
        return MST_OK;
    *event = NULL;
    return mst_fail_opencl(error, code, "cannot make an event");
}

static mst_status run_nothing(mst_context *context, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    mst_execution e;
    MST_TRY(mst_execution_read(how, &e, error));
    if (e.event)
        MST_TRY(completed_event(context, e.event, error));
    mst_execution_report(&e, &(mst_report){0});
fail:
    return status;
}

mst_status mst_stream_run(mst_context *context, mst_stream *stream, const mst_location *where, const mst_execution *how,
                          mst_error *error) {
    mst_status status = MST_OK;
    double start = mst_now();
    bool staged = false;
    if (!stream)
        return run_nothing(context, how, error);
    run r = {.stream = stream, .where = where};
    pthread_mutex_init(&r.mutex, NULL);
    pthread_cond_init(&r.changed, NULL);
    MST_TRY(mst_execution_read(how, &r.how, error));
    MST_TRY(mst_places_check(&stream->desc, where, error));
    MST_TRY(mst_ring_configure(&stream->ring, &stream->desc, where, error));
    r.n_blocks = (stream->desc.n_items - 1) / stream->ring.block_items + 1;
    for (int p = 0; p < stream->desc.n_ports; p++)
        staged = staged || stream->ring.staged[p];
    if (staged) {
        MST_TRY(run_staged(&r, error));
        if (r.how.event)
            MST_TRY(completed_event(context, r.how.event, error));
    } else {
        MST_TRY(run_resident(&r, error));
    }
    r.report.blocks = r.n_blocks;
    r.report.seconds = mst_now() - start;
    mst_execution_report(&r.how, &r.report);
fail:
    pthread_cond_destroy(&r.changed);
    pthread_mutex_destroy(&r.mutex);
    return status;
}
