#include "stream.h"

#include "execution.h"
#include "lent.h"
#include "places.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <stdlib.h>
#include <string.h>

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

bool mst_stream_has_room(const mst_stream *stream) {
    uint64_t device, host;
    return mst_ring_fits(&stream->desc, &device, &host);
}

void mst_stream_turn_to(mst_stream *stream, size_t n_items, const mst_port *ports, bool in_place) {
    for (size_t k = 0; k <= stream->n_twins; k++) {
        mst_stream_desc *d = &mst_stream_member(stream, k)->desc;
        d->n_items = n_items;
        d->in_place = in_place;
        memcpy(d->ports, ports, (size_t)d->n_ports * sizeof *ports);
    }
}

mst_status mst_stream_give_back(mst_stream *stream, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t k = 0; k <= stream->n_twins; k++) {
        mst_stream *s = mst_stream_member(stream, k);
        mst_ring_release(&s->ring, s->desc.context);
        MST_TRY(s->desc.prepare(s->desc.user, 0, error));
    }
fail:
    return status;
}

void mst_stream_destroy(mst_stream *stream) {
    if (!stream)
        return;
    if (stream->kind)
        mst_twins_destroy(&stream->kind->twin, stream->twins, stream->n_twins);
    mst_ring_release(&stream->ring, stream->desc.context);
    free(stream);
}

// Whether two plans of one description work on the same arrays: a device without float64 may have taken another type, and one
// with smaller budgets another way (NULL).
static bool same_arrays(const mst_stream_desc *a, const mst_stream_desc *b) {
    bool same = a->n_items == b->n_items && a->n_ports == b->n_ports;
    for (int p = 0; same && p < a->n_ports; p++)
        same = mst_layout_equal(&a->ports[p].layout, &b->ports[p].layout);
    return same;
}

static void leave_out_others(mst_stream *stream) {
    size_t n = 0;
    for (size_t k = 0; k < stream->n_twins; k++) {
        const mst_stream *s = mst_stream_member(stream, k + 1);
        if (s && same_arrays(&stream->desc, &s->desc)) {
            stream->twins[n++] = stream->twins[k];
            continue;
        }
        mst_log(stream->desc.context, MST_LOG_WARNING, "a device of the group takes no part: %s",
                s ? "it computes in another type" : "its budgets have no room for a block");
        stream->kind->twin.destroy(stream->twins[k]);
    }
    stream->n_twins = n;
}

mst_status mst_stream_share(mst_stream *stream, const mst_share_kind *kind, const void *desc, mst_error *error) {
    if (!stream || stream->desc.n_items == 1)
        return MST_OK;
    stream->kind = kind;
    mst_status status = mst_twins_create(stream->desc.context, &kind->twin, desc, &stream->twins, &stream->n_twins, error);
    if (status == MST_OK)
        leave_out_others(stream);
    return status;
}

#define REPORTED_SECONDS 0.2

// An execution with everything on the device.
typedef struct resident_run {
    mst_stream *stream;
    mst_passage passage;
    mst_execution how;
    mst_report report;
} resident_run;

static mst_status report_progress(const resident_run *r, size_t done, mst_error *error) {
    if (r->how.progress && !r->how.progress(done, r->stream->desc.n_items, r->how.progress_user))
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
    return MST_OK;
}

// Whether the run goes on, asked within a block; reports tell of whole ones.
static bool goes_on(void *user) {
    const resident_run *r = user;
    return report_progress(r, r->stream->ring.slots[0].first, NULL) == MST_OK;
}

// So many items at most between two reports of progress: about REPORTED_SECONDS of them by what they took last, of unknown ones
// few.
static size_t items_between_reports(const mst_stream *s) {
    const double unknown = s->desc.context->device.type & CL_DEVICE_TYPE_CPU ? 4e6 : 1e9; // elements, of the largest array
    size_t elements = 1;
    for (int p = 0; p < s->desc.n_ports; p++)
        if (s->desc.ports[p].kind != MST_PORT_FIXED)
            elements = mst_larger(elements, mst_layout_count(&s->desc.ports[p].layout));
    const double items =
        s->item_seconds > 0 ? REPORTED_SECONDS / s->item_seconds : unknown / (double)elements * (double)s->desc.n_items;
    const size_t least = mst_larger(s->desc.least_items, (size_t)1);
    return items < (double)s->ring.block_items ? mst_larger((size_t)items, mst_smaller(least, s->ring.block_items))
                                               : s->ring.block_items;
}

// One queue, no copies. Blocks bound the work memory, and the time between reports of progress.
static mst_status run_resident(resident_run *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_stream *s = r->stream;
    mst_context *context = s->desc.context;
    mst_slot *slot = &s->ring.slots[0];
    const bool leaves = r->how.queued && !r->how.event;
    if (r->how.event || leaves)
        r->how.progress = NULL; // it could only be called by waiting
    const mst_stream_watch watch = {goes_on, r};
    r->passage.watch = r->how.progress ? &watch : NULL;
    r->passage.shares = true;
    slot->queue.is_left = leaves;
    MST_TRY(mst_queue_barrier(&slot->queue, r->how.n_wait, r->how.wait_list, "a command of how->wait_list", error));
    for (size_t first = 0; first < s->desc.n_items; first += slot->count) {
        if (r->how.progress)
            MST_TRY(report_progress(r, first, error));
        slot->first = first;
        slot->is_first = first == 0;
        slot->count = mst_stream_cut(&s->desc, first, r->how.progress ? items_between_reports(s) : s->ring.block_items);
        const double begun = mst_now();
        const bool marks = r->how.event && first + slot->count == s->desc.n_items;
        r->report.blocks++;
        MST_TRY(mst_block_compute(&r->passage, slot, marks, error));
        if (r->how.progress || (r->how.report && context->profile)) {
            MST_TRY(mst_queue_finish(&slot->queue, error));
            r->report.compute_seconds += mst_seconds_between(context, slot->begun, slot->computed);
            s->item_seconds = (mst_now() - begun) / (double)slot->count;
        }
        if (marks) {
            *r->how.event = slot->computed;
            slot->computed = NULL;
        }
        mst_slot_release_events(slot);
    }
    if (r->how.progress)
        MST_TRY(report_progress(r, s->desc.n_items, error));
    if (!r->how.event && !leaves)
        MST_TRY(mst_queue_finish(&slot->queue, error));
    if (leaves)
        mst_queue_leave(&slot->queue);
    else
        mst_queue_forget(&slot->queue);
    return MST_OK;
fail:
    mst_slot_release_events(slot);
    if (r->how.event)
        mst_event_drop(r->how.event);
    mst_queue_abandon(&slot->queue);
    return status;
}

static mst_status run_nothing(mst_context *context, const mst_execution *how, mst_error *error) {
    mst_execution e;
    mst_status status = mst_execution_read(how, &e, error);
    return status == MST_OK ? mst_host_run_end(context, &e, &(mst_report){0}, error) : status;
}

static mst_status configure_one(mst_stream *s, const mst_location *where, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_ring_configure(&s->ring, &s->desc, where, error));
    if (!s->desc.begin || (status = s->desc.begin(s->desc.user, error)) == MST_OK)
        return MST_OK;
    mst_ring_release(&s->ring, s->desc.context);
    s->desc.prepare(s->desc.user, 0, NULL);
fail:
    return status;
}

// Makes ready the lead and, if blocks are to be shared and it takes more than one, the other members. These take no part in the
// run where the budgets, or what their devices allow or have, leave no room for a block of theirs: their rings are not configured
// then.
static mst_status configure(mst_stream *lead, const mst_location *where, bool shared, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(configure_one(lead, mst_stream_where(lead, where), error));
    if (!shared || lead->desc.n_items <= lead->ring.block_items)
        return MST_OK;
    for (size_t k = 1; k <= lead->n_twins; k++) {
        mst_error why;
        status = configure_one(mst_stream_member(lead, k), mst_stream_where(mst_stream_member(lead, k), where), &why);
        if (status == MST_ERROR_BUDGET || status == MST_ERROR_DEVICE_MEMORY) {
            mst_log(lead->desc.context, MST_LOG_DEBUG, "a device of the group takes no part: %s", why.message);
            status = MST_OK;
        }
        if (status != MST_OK && error)
            *error = why;
        MST_TRY(status);
    }
fail:
    return status;
}

// What the stream itself holds of the budget is free for the same run. It is given back only where that makes room: else every
// run would make it again.
static bool lends(mst_stream *s, const mst_location *where) {
    if ((s->n_twins > 0 && !s->desc.context->joint) || !mst_lent_serves(&s->desc, where))
        return false;
    if (mst_lent_has_room(&s->desc, where, 0))
        return true;
    const uint64_t held = mst_ring_device_bytes(&s->ring, &s->desc);
    return held > 0 && mst_lent_has_room(&s->desc, where, held) && mst_stream_give_back(s, NULL) == MST_OK &&
           mst_lent_has_room(&s->desc, where, 0);
}

static void give_back_lent(mst_stream *lead) {
    for (size_t k = 0; k <= lead->n_twins; k++) {
        mst_stream *s = mst_stream_member(lead, k);
        if (s->is_lent)
            mst_lent_give_back(&s->desc, &s->lent);
        s->is_lent = false;
    }
}

// Whether the arrays are buffers of all members, which those on the device cannot be: they are of the lead's OpenCL context. With
// few blocks a member it is better that these share each launch.
static bool is_lent_to_all(mst_stream *lead, const mst_location *where) {
    enum { BLOCKS_A_MEMBER = 4 };
    const size_t n = lead->n_twins + 1;
    size_t k = 1;
    for (int p = 0; p < lead->desc.n_ports; p++)
        if (where[p].place != MST_PLACE_HOST)
            return false;
    if (n == 1 || mst_divide_up(lead->desc.n_items, lead->ring.block_items) < BLOCKS_A_MEMBER * n)
        return false;
    for (mst_stream *s; k < n; k++) {
        s = mst_stream_member(lead, k);
        s->is_lent = lends(s, where) && mst_lent_take(&s->desc, where, &s->lent);
        if (!s->is_lent)
            return false;
    }
    return true;
}

// With host arrays where they lie, on devices that work in the host's memory; *runs is false, and nothing has run, where they
// cannot be taken so.
static mst_status run_lent(resident_run *r, bool *runs, mst_error *error) {
    mst_status status = MST_OK;
    mst_stream *lead = r->stream;
    const mst_location *where = r->passage.where;
    *runs = false;
    if (r->how.n_wait > 0) // they may write the arrays
        MST_TRY_CL(mst_wait_for_events(r->how.n_wait, r->how.wait_list), "waiting for how->wait_list failed");
    *runs = lead->is_lent = mst_lent_take(&lead->desc, where, &lead->lent);
    if (!*runs)
        return MST_OK;
    r->passage.where = lead->lent.where;
    r->how.n_wait = 0;
    r->how.wait_list = NULL;
    r->how.event = NULL;
    r->how.queued = 0;
    MST_TRY(configure(lead, where, false, error));
    if (is_lent_to_all(lead, where)) {
        MST_TRY(configure(lead, where, true, error));
        MST_TRY(mst_stream_run_staged(lead, where, &r->how, true, &r->report, error));
    } else {
        MST_TRY(run_resident(r, error));
    }
    for (size_t k = 0; k <= lead->n_twins; k++)
        if (mst_stream_member(lead, k)->is_lent)
            MST_TRY(mst_lent_show(&mst_stream_member(lead, k)->desc, &mst_stream_member(lead, k)->lent, error));
fail:
    give_back_lent(lead);
    return status;
}
mst_status mst_stream_run(mst_context *context, mst_stream *stream, const mst_location *where, const mst_execution *how,
                          mst_error *error) {
    mst_status status = MST_OK;
    double start = mst_now();
    size_t on_device = 0;
    if (!stream)
        return run_nothing(context, how, error);
    resident_run r = {.stream = stream, .passage = {.desc = &stream->desc, .ring = &stream->ring, .where = where}};
    MST_TRY(mst_execution_read(how, &r.how, error));
    MST_TRY(mst_places_check(&stream->desc, where, error));
    for (int p = 0; p < stream->desc.n_ports; p++)
        on_device += where[p].place == MST_PLACE_DEVICE;
    const bool resident = on_device == (size_t)stream->desc.n_ports;
    bool lent = !resident && lends(stream, where);
    if (lent) {
        const mst_execution full = r.how;
        MST_TRY(run_lent(&r, &lent, error));
        r.how = full;
    }
    if (!lent) {
        MST_TRY(configure(stream, where, on_device == 0, error));
        MST_TRY(resident ? run_resident(&r, error)
                         : mst_stream_run_staged(stream, where, &r.how, on_device == 0, &r.report, error));
    }
    r.report.seconds = mst_now() - start;
    if (!resident)
        MST_TRY(mst_host_run_end(context, &r.how, &r.report, error));
    else
        mst_execution_report(&r.how, &r.report);
fail:
    return status;
}
