#include "stream.h"

#include "passage.h"
#include "places.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define PROGRESS_INTERVAL_NS 50000000L

struct mst_stream {
    mst_stream_desc desc;
    mst_ring ring;
};

// One execution: the caller's thread reads, uploads and launches; a second thread waits for results and writes them.
typedef struct stream_run {
    mst_stream *stream;
    mst_passage passage;
    mst_execution how;
    mst_report report;
    size_t n_blocks;

    pthread_mutex_t mutex; // guards what follows, and the writer's part of the report
    pthread_cond_t changed;
    size_t launched, written; // blocks
    bool stop;                // set by whichever thread fails first
    mst_status status;
    mst_error error;
} stream_run;

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

bool mst_stream_fits(const mst_stream_desc *desc, uint64_t *device, uint64_t *host) { return mst_ring_fits(desc, device, host); }

void mst_stream_turn_to(mst_stream *stream, size_t n_items, const mst_port *ports, bool in_place) {
    stream->desc.n_items = n_items;
    stream->desc.in_place = in_place;
    memcpy(stream->desc.ports, ports, (size_t)stream->desc.n_ports * sizeof *ports);
}

void mst_stream_destroy(mst_stream *stream) {
    if (!stream)
        return;
    mst_ring_release(&stream->ring, stream->desc.context);
    free(stream);
}

// Keeps the first failure of either thread and stops both.
static void fail_run(stream_run *r, mst_status status, const mst_error *error) {
    pthread_mutex_lock(&r->mutex);
    if (r->status == MST_OK) {
        r->status = status;
        r->error = *error;
    }
    r->stop = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
}

static mst_status finish_block(stream_run *r, mst_slot *slot, mst_error *error) {
    mst_report block = {.seconds = 0};
    mst_status status = mst_block_finish(&r->passage, slot, &block, error);
    if (status != MST_OK)
        return status;
    pthread_mutex_lock(&r->mutex);
    r->report.upload_seconds += block.upload_seconds;
    r->report.compute_seconds += block.compute_seconds;
    r->report.download_seconds += block.download_seconds;
    r->report.download_bytes += block.download_bytes;
    pthread_mutex_unlock(&r->mutex);
    return MST_OK;
}

static void *writer(void *argument) {
    stream_run *r = argument;
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

static mst_status report_progress(stream_run *r, size_t blocks, mst_error *error) {
    size_t items = r->stream->desc.n_items, done = blocks * r->stream->ring.block_items;
    if (r->how.progress && !r->how.progress(done < items ? done : items, items, r->how.progress_user))
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
    return MST_OK;
}

// Waits until `blocks` are written, reporting progress; false when the run is to stop.
static bool wait_written(stream_run *r, size_t blocks) {
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

static void launch_blocks(stream_run *r) {
    mst_ring *ring = &r->stream->ring;
    mst_error error = {.status = MST_OK};
    size_t slots = (size_t)ring->n_slots, n_items = r->stream->desc.n_items;
    for (size_t b = 0; b < r->n_blocks; b++) {
        mst_slot *slot = &ring->slots[b % slots];
        if (!wait_written(r, b < slots ? 0 : b - slots + 1))
            return;
        slot->first = b * ring->block_items;
        slot->count = n_items - slot->first < ring->block_items ? n_items - slot->first : ring->block_items;
        mst_status status = mst_block_upload(&r->passage, slot, &r->report.upload_bytes, &error);
        if (status == MST_OK)
            status = mst_block_compute(&r->passage, slot, false, &error);
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
static void abandon(stream_run *r) {
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
    clFinish(context->download);
    for (int s = 0; s < ring->n_slots; s++) {
        mst_queue_abandon(&ring->slots[s].queue);
        mst_slot_release_events(&ring->slots[s]);
    }
}

// Host or file data: two threads and the ring.
static mst_status run_staged(stream_run *r, mst_error *error) {
    pthread_t thread;
    if (r->how.n_wait > 0) {
        cl_int code = mst_wait_for_events(r->how.n_wait, r->how.wait_list);
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
    mst_slot_release_events(&r->stream->ring.fixed);
    return r->status;
}

// Everything on the device: one queue, no copies. Blocks only bound the work memory.
static mst_status run_resident(stream_run *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_stream *s = r->stream;
    mst_context *context = s->desc.context;
    mst_slot *slot = &s->ring.slots[0];
    if (r->how.event)
        r->how.progress = NULL; // it could only be called by waiting
    MST_TRY(mst_queue_barrier(&slot->queue, r->how.n_wait, r->how.wait_list, "a command of how->wait_list", error));
    for (size_t b = 0; b < r->n_blocks; b++) {
        if (r->how.progress)
            MST_TRY(report_progress(r, b, error));
        slot->first = b * s->ring.block_items;
        slot->count = s->desc.n_items - slot->first < s->ring.block_items ? s->desc.n_items - slot->first : s->ring.block_items;
        MST_TRY(mst_block_compute(&r->passage, slot, r->how.event && b + 1 == r->n_blocks, error));
        if (r->how.progress || (r->how.report && context->profile)) {
            MST_TRY(mst_queue_finish(&slot->queue, error));
            r->report.compute_seconds += mst_seconds_between(context, slot->begun, slot->computed);
        }
        if (r->how.event && b + 1 == r->n_blocks) {
            *r->how.event = slot->computed;
            slot->computed = NULL;
        }
        mst_slot_release_events(slot);
    }
    if (r->how.progress)
        MST_TRY(report_progress(r, r->n_blocks, error));
    if (!r->how.event)
        MST_TRY(mst_queue_finish(&slot->queue, error));
    mst_queue_forget(&slot->queue);
    return MST_OK;
fail:
    mst_slot_release_events(slot);
    if (r->how.event)
        mst_release_event(r->how.event);
    mst_queue_abandon(&slot->queue);
    return status;
}

static mst_status completed_event(mst_context *context, cl_event *event, mst_error *error) {
    cl_int code;
    *event = clCreateUserEvent(context->opencl, &code);
    if (code == CL_SUCCESS && (code = clSetUserEventStatus(*event, CL_COMPLETE)) != CL_SUCCESS)
        mst_release_event(event);
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
    stream_run r = {.stream = stream, .passage = {&stream->desc, &stream->ring, where}};
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
