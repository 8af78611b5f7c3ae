// Blocks of arrays in host memory or files, from one queue of work to whichever device has room for one.
#include "execution.h"

#include "runtime/group.h"
#include "runtime/numbers.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS_UNTIL_KNOWN 2 // that a device of a group takes before it is known how long one takes
#define SMALLER_BLOCKS 2     // at the beginning, each twice as large as the one before, up to a whole one

struct staged_run;

// One device's part: a thread reads, uploads and launches, a second one waits for results and writes them.
typedef struct device_part {
    struct staged_run *run;
    mst_stream *stream;
    mst_passage passage;
    uint64_t upload_bytes; // the launching thread's

    // Guarded by the run's mutex.
    size_t launched, written; // blocks
    size_t taken, done;       // items
    bool over;                // it takes no more blocks
    double seconds;           // from the start of the run to the end of the block that was written last
} device_part;

typedef struct staged_run {
    mst_execution how;
    size_t n_items;
    double start;
    bool alone; // one device and one block: nothing to overlap
    bool alike; // devices of one make: how fast they are need not be known from the beginning
    device_part *parts;
    size_t n_parts;
    mst_trays *trays;
    mst_stream_watch watch;  // of the caller's thread
    mst_stream_watch others; // of those of further devices
    mst_files files;

    pthread_mutex_t mutex; // guards what follows
    pthread_cond_t changed;
    size_t next, done; // items that were taken, and that are where they belong
    mst_report *report;
    bool stop; // set by whichever thread fails first
    mst_status status;
    mst_error error;
} staged_run;

// Keeps the first failure of any thread and stops all.
static void fail_run(staged_run *r, mst_status status, const mst_error *error) {
    pthread_mutex_lock(&r->mutex);
    if (r->status == MST_OK) {
        r->status = status;
        r->error = *error;
    }
    r->stop = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    if (r->trays)
        mst_trays_stop(r->trays);
}

// ---- the writing threads

static void count_block(device_part *d, const mst_report *block, size_t items) {
    staged_run *r = d->run;
    pthread_mutex_lock(&r->mutex);
    r->report->upload_seconds += block->upload_seconds;
    r->report->compute_seconds += block->compute_seconds;
    r->report->download_seconds += block->download_seconds;
    r->report->download_bytes += block->download_bytes;
    r->done += items;
    d->done += items;
    d->written++;
    d->seconds = mst_now() - r->start;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
}

static void *writer(void *argument) {
    device_part *d = argument;
    staged_run *r = d->run;
    mst_error error = {.status = MST_OK};
    mst_ring *ring = &d->stream->ring;
    for (size_t b = 0;; b++) {
        mst_report block = {.seconds = 0};
        mst_slot *slot = &ring->slots[b % (size_t)ring->n_slots];
        pthread_mutex_lock(&r->mutex);
        while (d->launched <= b && !d->over && !r->stop)
            pthread_cond_wait(&r->changed, &r->mutex);
        bool ends = r->stop || d->launched <= b;
        pthread_mutex_unlock(&r->mutex);
        if (ends)
            break;
        size_t items = slot->count;
        mst_status status = mst_block_finish(&d->passage, slot, &block, &error);
        if (status != MST_OK) {
            fail_run(r, status, &error);
            break;
        }
        count_block(d, &block, items);
    }
    return NULL;
}

// ---- the launching threads

static mst_status report_progress(const staged_run *r, size_t done, mst_error *error) {
    if (r->how.progress && !r->how.progress(done, r->n_items, r->how.progress_user))
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
    return MST_OK;
}

// The caller's thread reports progress.
static bool is_callers(const device_part *d) { return d == d->run->parts; }

// Whether no thread has failed or been told to stop, asked while a thread waits for a tray or computes a block that takes long.
static bool is_not_stopped(void *user) {
    staged_run *r = user;
    pthread_mutex_lock(&r->mutex);
    const bool stop = r->stop;
    pthread_mutex_unlock(&r->mutex);
    return !stop;
}

// The same of the caller's thread, which asks the caller, too.
static bool goes_on(void *user) {
    staged_run *r = user;
    mst_error error = {.status = MST_OK};
    if (!is_not_stopped(r))
        return false;
    pthread_mutex_lock(&r->mutex);
    const size_t done = r->done;
    pthread_mutex_unlock(&r->mutex);
    mst_status status = report_progress(r, done, &error);
    if (status != MST_OK)
        fail_run(r, status, &error);
    return status == MST_OK;
}

// Whether what is waited for is there.
typedef bool arrived_fn(const device_part *d);

// Waits for it, reporting progress; false when the run is to stop.
static bool wait_for(device_part *d, arrived_fn *arrived) {
    staged_run *r = d->run;
    mst_error error = {.status = MST_OK};
    for (;;) {
        pthread_mutex_lock(&r->mutex);
        if (!arrived(d) && !r->stop)
            mst_wait_a_while(&r->changed, &r->mutex);
        size_t done = r->done;
        bool stop = r->stop, here = arrived(d);
        pthread_mutex_unlock(&r->mutex);
        if (stop)
            return false;
        mst_status status = is_callers(d) ? report_progress(r, done, &error) : MST_OK;
        if (status != MST_OK) {
            fail_run(r, status, &error);
            return false;
        }
        if (here)
            return true;
    }
}

// Whether its rate is: first blocks are smaller, and have waited for the pipeline to fill.
static bool is_known(const device_part *d) { return d->written > (d->run->alike ? SMALLER_BLOCKS : 0) && d->seconds > 0; }

// Whether a block has a slot to go to, or there is no more block.
static bool has_room(const device_part *d) {
    size_t slots = (size_t)d->stream->ring.n_slots;
    if (!d->run->alike && !is_known(d))
        slots = mst_smaller(slots, BLOCKS_UNTIL_KNOWN);
    return d->launched - d->written < slots || d->run->next == d->run->n_items;
}

static bool all_done(const device_part *d) { return d->run->done == d->run->n_items; }

// Items a second, 0 as long as nothing is known.
static double rate_of(const device_part *d) { return is_known(d) ? (double)d->done / d->seconds : 0; }

// Whether the other devices would have done all that is left, with what they have taken, before this one had done one more
// block of so many items: then a slow device would keep all others waiting at the end.
static bool others_are_sooner(const device_part *d, size_t items) {
    const staged_run *r = d->run;
    double rate = rate_of(d), others = 0, theirs = (double)(r->n_items - r->next);
    for (size_t k = 0; k < r->n_parts; k++) {
        const device_part *o = &r->parts[k];
        if (o == d || o->over)
            continue;
        others += rate_of(o);
        theirs += (double)(o->taken - o->done);
    }
    return rate > 0 && others > 0 && (double)(d->taken - d->done + items) / rate > theirs / others;
}

// Room of the next block. Nothing goes on beside the first upload and the last download, so there blocks are smaller, unless
// copies are work of the device's own or there is nobody to wait for.
static size_t room_for(const device_part *d) {
    const staged_run *r = d->run;
    const mst_stream_desc *desc = &d->stream->desc;
    const size_t whole = d->stream->ring.block_items,
                 least = mst_larger(whole >> SMALLER_BLOCKS, mst_larger(desc->least_items, 1));
    if (r->alone || (desc->context->device.unified_memory && r->n_parts == 1))
        return whole;
    const size_t begin = whole >> (d->launched < SMALLER_BLOCKS ? SMALLER_BLOCKS - d->launched : 0);
    const size_t end = (r->n_items - r->next) / (2 * r->n_parts);
    return mst_smaller(whole, mst_larger(mst_smaller(begin, end), least));
}

// The next block for a device; false if there is none.
static bool take_block(device_part *d, mst_slot *slot) {
    staged_run *r = d->run;
    pthread_mutex_lock(&r->mutex);
    size_t items = mst_stream_cut(&d->stream->desc, r->next, room_for(d));
    bool takes = items > 0 && !others_are_sooner(d, items);
    if (takes) {
        slot->first = r->next;
        slot->count = items;
        r->next += items;
        d->taken += items;
    }
    pthread_mutex_unlock(&r->mutex);
    return takes;
}

static void launch_blocks(device_part *d) {
    mst_ring *ring = &d->stream->ring;
    mst_error error = {.status = MST_OK};
    for (size_t b = 0;; b++) {
        mst_slot *slot = &ring->slots[b % (size_t)ring->n_slots];
        if (!wait_for(d, has_room) || !take_block(d, slot))
            return;
        slot->is_first = b == 0;
        mst_status status = mst_block_upload(&d->passage, slot, &d->upload_bytes, &error);
        if (status == MST_OK)
            status = mst_block_compute(&d->passage, slot, false, &error);
        if (status != MST_OK) {
            fail_run(d->run, status, &error);
            return;
        }
        pthread_mutex_lock(&d->run->mutex);
        d->launched++;
        pthread_cond_broadcast(&d->run->changed);
        pthread_mutex_unlock(&d->run->mutex);
    }
}

// ---- a device's part, and all of them

// After a failure, buffers may still be mapped and commands under way.
static void abandon(mst_stream *stream) {
    mst_context *context = stream->desc.context;
    mst_ring *ring = &stream->ring;
    for (int s = 0; s <= ring->n_slots; s++) {
        mst_slot *slot = s < ring->n_slots ? &ring->slots[s] : &ring->fixed;
        for (int p = 0; p < stream->desc.n_ports; p++)
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

static void work(size_t k, void *user) {
    staged_run *r = user;
    device_part *d = &r->parts[k];
    pthread_t thread;
    if (!r->alone && pthread_create(&thread, NULL, writer, d) != 0) {
        mst_error error;
        fail_run(r, mst_fail(&error, MST_ERROR_HOST_MEMORY, "cannot start the writing thread"), &error);
        return;
    }
    launch_blocks(d);
    pthread_mutex_lock(&r->mutex);
    d->over = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->mutex);
    if (r->alone)
        writer(d);
    if (is_callers(d))
        wait_for(d, all_done);
    if (!r->alone)
        pthread_join(thread, NULL);
}

static void begin(staged_run *r, mst_stream *lead, const mst_location *where) {
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->changed, NULL);
    const size_t n = r->n_parts;
    r->n_parts = 0;
    r->alike = true;
    for (size_t k = 0; k < n; k++) {
        mst_stream *s = mst_stream_member(lead, k);
        if (s->ring.configured) {
            r->parts[r->n_parts] = (device_part){.run = r,
                                                 .stream = s,
                                                 .passage = {.desc = &s->desc,
                                                             .ring = &s->ring,
                                                             .where = mst_stream_where(s, where),
                                                             .trays = r->trays,
                                                             .files = &r->files,
                                                             .shares = n == 1,
                                                             .watch = r->n_parts == 0 ? &r->watch : &r->others}};
            r->alike = r->alike && strcmp(s->desc.context->device.name, lead->desc.context->device.name) == 0;
            r->n_parts++;
        }
    }
}

static void end(staged_run *r) {
    for (size_t k = 0; k < r->n_parts; k++) {
        device_part *d = &r->parts[k];
        mst_context *context = d->stream->desc.context;
        if (r->status != MST_OK)
            abandon(d->stream);
        mst_slot_release_events(&d->stream->ring.fixed);
        r->report->upload_bytes += d->upload_bytes;
        r->report->blocks += d->written;
        if (r->n_parts > 1)
            mst_log(context, MST_LOG_DEBUG, "device %zu of %zu, %s: %zu of %zu items in %zu blocks, %.1f ms", k + 1, r->n_parts,
                    context->device.name, d->done, r->n_items, d->written, 1e3 * d->seconds);
    }
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->mutex);
}

mst_status mst_stream_run_staged(mst_stream *lead, const mst_location *where, const mst_execution *how, bool shared,
                                 mst_report *report, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n_items = lead->desc.n_items;
    const bool one_block = n_items <= lead->ring.block_items;
    device_part first, *parts = &first;
    staged_run r = {.how = *how,
                    .n_items = n_items,
                    .start = mst_now(),
                    .n_parts = one_block || !shared ? 1 : lead->n_twins + 1,
                    .report = report};
    r.watch = (mst_stream_watch){goes_on, &r};
    r.others = (mst_stream_watch){is_not_stopped, &r};
    r.alone = one_block;
    if (r.n_parts > 1)
        MST_REQUIRE(parts = calloc(r.n_parts, sizeof *parts), MST_ERROR_HOST_MEMORY, "out of memory sharing out blocks");
    r.parts = parts;
    if (how->n_wait > 0)
        MST_TRY_CL(mst_wait_for_events(how->n_wait, how->wait_list), "waiting for how->wait_list failed");
    mst_files_open(&lead->desc, where, &r.files);
    if (!one_block)
        MST_TRY(mst_trays_create(&lead->desc, where, &r.files, &r.trays, error));
    begin(&r, lead, where);
    mst_error threads;
    if (mst_group_run(r.n_parts, work, &r, &threads) != MST_OK && r.status == MST_OK) {
        r.status = threads.status;
        r.error = threads;
    }
    if (r.trays && r.status == MST_OK)
        r.status = mst_trays_finish(r.trays, &r.watch, &r.error);
    end(&r);
    status = r.status;
    if (status != MST_OK && error)
        *error = r.error;
fail:
    mst_trays_destroy(r.trays);
    mst_files_close(&r.files);
    if (parts != &first)
        free(parts);
    return status;
}
