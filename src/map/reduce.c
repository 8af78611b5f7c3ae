// Executing reductions: box by box, the tiles of a box in the stream's blocks, then partial results until one is left, and the
// outputs from these.
#include "bind.h"
#include "boxes.h"
#include "reduce_apart.h"
#include "reduce_steps.h"
#include "room.h"

#include "runtime/layout.h"
#include "runtime/lines.h"
#include "runtime/numbers.h"
#include "stream/execution.h"
#include "stream/places.h"
#include "stream/transfer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t box_count(const mst_map *plan, const mst_map_box *box) {
    size_t n = 1;
    for (int axis = 0; axis < plan->shape.rank; axis++)
        n *= box->shape[axis];
    return n;
}

// ---- A box

static mst_layout box_layout(const mst_map *plan, int port, const mst_map_box *box, int64_t *offset) {
    mst_layout layout = plan->layouts[port];
    *offset = 0;
    for (int axis = 0; axis < layout.rank; axis++) {
        layout.shape[axis] = box->shape[axis];
        *offset += (int64_t)box->begin[axis] * layout.strides[axis];
    }
    return layout;
}

static void begin_box(mst_map *plan, const mst_map_box *box, const mst_location *inputs, mst_location *where) {
    mst_port ports[MST_MAP_MAX_PORTS];
    for (int p = 0; p < plan->n_inputs; p++) {
        int64_t offset;
        ports[p] = plan->stream->desc.ports[p];
        ports[p].layout = box_layout(plan, p, box, &offset);
        where[p] = mst_map_moved(inputs[p], offset * (int64_t)mst_type_bytes(ports[p].layout.type));
    }
    for (size_t k = 0; k <= plan->stream->n_twins; k++) {
        mst_stream *stream = mst_stream_member(plan->stream, k);
        mst_map *member = stream->desc.user;
        member->reduce->now = *box;
        member->reduce->span = mst_map_first_span(plan, box);
        member->reduce->n_done = 0;
        mst_map_reduce_release_lines(member);
        mst_stream_turn_to(stream, box_count(plan, box), ports, false);
    }
}

// What another device of the group has reduced goes to the lead's partial results.
static mst_status gather_from(mst_map *plan, const mst_map *twin, mst_queue *queue, mst_error *error) {
    mst_status status = MST_OK;
    const mst_map_span *s = &plan->reduce->span;
    const uint64_t n_partials = (uint64_t)s->outer * mst_map_span_tiles(plan, s) * s->inner;
    mst_queue from = MST_QUEUE(twin->context, twin->context->compute);
    mst_map_room room = {.data = room.few};
    MST_TRY(mst_map_room_take(plan->context, 8 * n_partials, &room, error));
    for (size_t k = 0; k < twin->reduce->n_done; k++) {
        const mst_map_done *done = &twin->reduce->done[k];
        const uint64_t bytes = 8 * done->n * s->inner;
        for (int p = 0; p < mst_map_all_parts(plan->reduce); p++) {
            const uint64_t begin = 8 * ((uint64_t)p * n_partials + done->first * s->inner);
            for (uint64_t at = 0, n; at < bytes; at += n) {
                n = mst_smaller(room.bytes, bytes - at);
                MST_TRY(mst_queue_read(&from, twin->reduce->partials[0], (size_t)(begin + at), (size_t)n, room.data,
                                       "partial results", error));
                MST_TRY(mst_queue_write(queue, CL_TRUE, plan->reduce->partials[0], (size_t)(begin + at), (size_t)n, room.data,
                                        "partial results", error));
            }
        }
    }
fail:
    mst_map_room_give(plan->context, &room);
    mst_queue_release(&from);
    return status;
}

static mst_status finish_box(mst_map *plan, const mst_map_box *box, const mst_location *where, mst_queue *queue,
                             mst_error *error) {
    mst_status status = MST_OK;
    mst_map_box_output out[MST_MAP_MAX_OUTPUTS] = {{.bytes = 0}};
    const uint64_t n = mst_map_box_outputs(plan, box);
    int in;
    for (int k = 0; k < plan->n_outputs; k++) {
        mst_map_describe_output(plan, k, box, &where[k], &out[k]);
        MST_TRY(mst_map_place_output(plan, n, &out[k], error));
    }
    for (size_t k = 1; plan->stream && k <= plan->stream->n_twins; k++)
        MST_TRY(gather_from(plan, mst_stream_member(plan->stream, k)->desc.user, queue, error));
    if (plan->reduce->apart && plan->reduce->apart->computes) {
        MST_TRY(mst_map_apart_finish(plan, box, out, queue, error));
    } else {
        MST_TRY(mst_map_combine_all(plan, box, queue, &in, error));
        MST_TRY(mst_map_launch_finish(plan, in, n, out, queue, error));
    }
    MST_TRY(mst_queue_finish(queue, error));
    for (int k = 0; k < plan->n_outputs; k++)
        if (out[k].bytes > 0)
            MST_TRY(mst_map_bring_output(plan, &out[k], queue, error));
fail:
    for (int k = 0; k < plan->n_outputs; k++) {
        mst_lines_release(plan->context, out[k].lines);
        if (out[k].bytes > 0)
            mst_device_release(plan->context, out[k].buffer, out[k].bytes);
    }
    return status;
}

// ---- All boxes

typedef struct reduce_run {
    mst_execution how;
    double before, all; // items of boxes that are done, and of all
} reduce_run;

static bool tell(uint64_t done, uint64_t total, void *user) {
    const reduce_run *r = user;
    (void)total;
    return r->how.progress((uint64_t)(r->before + (double)done), (uint64_t)r->all, r->how.progress_user);
}

static mst_status check_places(const mst_map *plan, const mst_location *inputs, const mst_location *outputs, mst_error *error) {
    mst_stream_desc desc = {.context = plan->context, .n_ports = plan->n_inputs + plan->n_outputs};
    mst_location where[MST_MAP_MAX_PORTS];
    for (int p = 0; p < desc.n_ports; p++) {
        const int k = p - plan->n_inputs;
        desc.ports[p] = k < 0 ? (mst_port){MST_PORT_INPUT, plan->layouts[p], 0, "an input"}
                              : (mst_port){MST_PORT_OUTPUT, plan->outputs[k], 0, "output"};
        where[p] = k < 0 ? inputs[p] : outputs[k];
    }
    return mst_places_check(&desc, where, error);
}

static mst_status run_boxes(mst_map *plan, const mst_location *inputs, const mst_location *outputs, reduce_run *r,
                            mst_report *report, mst_error *error) {
    mst_status status = MST_OK;
    mst_queue queue = MST_QUEUE(plan->context, plan->context->compute);
    mst_location where[MST_MAP_MAX_PORTS];
    mst_execution how = r->how;
    how.progress = r->how.progress ? tell : NULL;
    how.progress_user = r;
    how.event = NULL;
    for (mst_map_box box = {.begin = {0}}; mst_map_next_box(plan, &box);) {
        mst_report part = MST_REPORT_INIT;
        how.report = &part;
        if (plan->stream) {
            begin_box(plan, &box, inputs, where);
            if (plan->reduce->apart)
                MST_TRY(mst_map_apart_begin(plan, &box, box_count(plan, &box), error));
            MST_TRY(mst_stream_run(plan->context, plan->stream, where, &how, error));
            r->before += (double)box_count(plan, &box);
        }
        how.n_wait = 0;
        mst_report_add(report, &part);
        MST_TRY(finish_box(plan, &box, outputs, &queue, error));
    }
fail:
    if (status != MST_OK)
        clFinish(queue.opencl);
    if (status != MST_OK)
        mst_queue_abandon(&queue);
    mst_queue_release(&queue);
    return status;
}

mst_status mst_map_reduce_execute(mst_map *plan, const mst_location *inputs, const mst_location *outputs,
                                  const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    reduce_run r = {.all = (double)mst_layout_count(&plan->shape)};
    mst_report report = MST_REPORT_INIT;
    const double start = mst_now();
    MST_TRY(mst_execution_read(how, &r.how, error));
    if (mst_layout_count(&plan->outputs[0]) > 0) {
        MST_TRY(check_places(plan, inputs, outputs, error));
        MST_TRY(run_boxes(plan, inputs, outputs, &r, &report, error));
    }
    MST_TRY(mst_stream_run(plan->context, NULL, NULL, how, error)); // gives the event, if one is asked for
    report.seconds = mst_now() - start;
    mst_execution_report(&r.how, &report);
fail:
    return status;
}
