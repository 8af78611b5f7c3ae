// The outputs of a box, from its last partial results.
#include "bind.h"
#include "reduce.h"
#include "room.h"

#include "runtime/layout.h"
#include "runtime/lines.h"
#include "stream/transfer.h"

#include "runtime/numbers.h"

mst_location mst_map_moved(mst_location where, int64_t bytes) {
    if (where.place == MST_PLACE_HOST)
        where.host = (unsigned char *)where.host + bytes;
    else
        where.offset = (uint64_t)((int64_t)where.offset + bytes);
    return where;
}

void mst_map_describe_output(const mst_map *plan, int k, const mst_map_box *box, const mst_location *where,
                             mst_map_box_output *out) {
    const mst_layout *whole = &plan->outputs[k];
    int64_t offset = 0;
    int own = 0;
    *out = (mst_map_box_output){.layout = {.type = whole->type}};
    for (int axis = 0; axis < plan->shape.rank; axis++) {
        if (plan->reduce->reduced[axis]) {
            own += plan->reduce->keep_axes;
            continue;
        }
        out->layout.shape[out->layout.rank] = box->shape[axis];
        out->layout.strides[out->layout.rank++] = whole->strides[own];
        offset += (int64_t)box->begin[axis] * whole->strides[own++];
    }
    out->layout.shape[out->layout.rank++] = 1;
    out->where = mst_map_moved(*where, offset * (int64_t)mst_type_bytes(whole->type));
}

mst_status mst_map_place_output(mst_map *plan, uint64_t n, mst_map_box_output *out, mst_error *error) {
    mst_status status = MST_OK;
    const size_t element = mst_type_bytes(out->layout.type);
    mst_layout at = out->layout;
    if (out->where.place == MST_PLACE_DEVICE) {
        out->buffer = out->where.buffer;
        out->base = (cl_long)(out->where.offset / element);
    } else {
        out->bytes = n * element;
        at = mst_layout_dense(at.type, at.rank, at.shape);
        MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, out->bytes, "results", &out->buffer, error));
    }
    MST_TRY(mst_lines_create(plan->context, &at, at.rank - 1, &out->lines, error));
fail:
    return status;
}

mst_status mst_map_launch_finish(mst_map *plan, int in, uint64_t outputs, mst_map_box_output *out, mst_queue *queue,
                                 mst_error *error) {
    mst_argument arguments[MST_MAP_MOST_ARGUMENTS];
    mst_map_number_binding numbers;
    const mst_map_reduce *r = plan->reduce;
    const mst_kernel *kernel;
    const cl_ulong n_parts = outputs, count = r->count, n = outputs;
    const cl_ulong divisor = r->ddof < 0                    ? r->count + (uint64_t)-r->ddof
                             : r->count > (uint64_t)r->ddof ? r->count - (uint64_t)r->ddof
                                                            : 0;
    mst_status status = mst_map_reducer_build(plan, MST_MAP_FINISH, &kernel, error);
    if (status != MST_OK)
        return status;
    size_t a = 0;
    arguments[a++] = MST_BIND_AS("parts", r->partials[in]);
    arguments[a++] = MST_BIND(n_parts, n_parts);
    for (int k = 0; k < plan->n_outputs; k++) {
        const mst_map_words *words = &plan->words[plan->n_inputs + k];
        arguments[a++] = MST_BIND_AS(words->array, out[k].buffer);
        arguments[a++] = MST_BIND_AS(words->base, out[k].base);
        arguments[a++] = MST_BIND_AS(words->lines, out[k].lines);
    }
    a += mst_map_bind_numbers(plan, r->finish, &numbers, &arguments[a]);
    arguments[a++] = MST_BIND(count, count);
    arguments[a++] = MST_BIND(divisor, divisor);
    arguments[a++] = MST_BIND(n, n);
    return mst_kernel_launch(queue, kernel, arguments, a, (size_t)n, mst_kernel_group(plan->context, kernel, (size_t)n), NULL,
                             error);
}

mst_status mst_map_bring_output(mst_map *plan, const mst_map_box_output *out, mst_queue *queue, mst_error *error) {
    mst_status status = MST_OK;
    const mst_transfer transfer = {out->layout, out->where, "output", NULL};
    mst_map_room room;
    MST_TRY(mst_map_room_take(plan->context, out->bytes, &room, error));
    for (uint64_t at = 0, n; at < out->bytes && status == MST_OK; at += n) {
        n = mst_smaller(room.bytes, out->bytes - at);
        status = mst_queue_read(queue, out->buffer, (size_t)at, (size_t)n, room.data, "results", error);
        if (status == MST_OK)
            status = mst_transfer_write(plan->context->pool, &transfer, (size_t)at, (size_t)(at + n), room.data, error);
    }
    mst_map_room_give(plan->context, &room);
fail:
    return status;
}
