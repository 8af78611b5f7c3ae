#include "boxes.h"

#include "runtime/numbers.h"
#include "stencil/scheme/layers.h"

#include <string.h>

mst_boxes mst_boxes_make(const mst_problem *p, int array, const mst_padded *layout, int64_t folded) {
    mst_boxes b = {.array = *layout, .axis = PLANES, .element = p->elements[array]};
    mst_layers_grid(p, array, b.lengths);
    b.low = b.run_planes = b.lengths[PLANES];
    if (array < p->n_arrays && p->layer_axes[array] >= 0) {
        b.axis = p->layer_axes[array];
        const mst_layer_nodes nodes = mst_layers_nodes(p, b.axis);
        b.low = (uint64_t)nodes.low;
        b.skipped = (uint64_t)(nodes.high - nodes.low - folded);
    }
    return b;
}

// Layers that a vector would reach both of are not folded: see mst_sweeps_fold.
mst_boxes mst_boxes_of(const mst_sweeps *s, int array) {
    const int axis = array < s->problem->n_arrays ? s->problem->layer_axes[array] : -1;
    int64_t folded = 0;
    if (axis >= 0 && mst_layers_nodes(s->problem, axis).high >= s->folded[axis].high)
        folded = s->folded[axis].skipped;
    mst_boxes b = mst_boxes_make(s->problem, array, mst_sweeps_layout(s, array), folded);
    if (s->problem->has_grids && axis < 0) {
        b.run_planes = s->problem->grid[PLANES];
        b.gap = (uint64_t)mst_sweeps_gap(s);
    }
    if (axis == PLANES) // without a place for the nodes between
        b.skipped = 0;
    return b;
}

typedef struct copying {
    const mst_boxes *boxes;
    mst_queue *queue;
    cl_mem buffer;
    bool up;
    unsigned char *host;
} copying;

// A part of a box of packed memory, on one side of `low`.
static mst_status copy_part(const copying *t, const uint64_t box[N_AXES], const uint64_t box_from[N_AXES],
                            const uint64_t from[N_AXES], const uint64_t count[N_AXES], mst_error *error) {
    mst_status status = MST_OK;
    const mst_padded *a = &t->boxes->array;
    const size_t e = t->boxes->element, pitch = (size_t)a->pitch * e, plane = (size_t)a->plane_pitch * e;
    const size_t region[] = {(size_t)count[COLUMNS] * e, (size_t)count[ROWS], (size_t)count[PLANES]};
    const size_t packed_row = (size_t)box[COLUMNS] * e, packed_plane = packed_row * (size_t)box[ROWS];
    uint64_t node[N_AXES];
    memcpy(node, from, sizeof node);
    node[t->boxes->axis] += from[t->boxes->axis] >= t->boxes->low ? t->boxes->skipped : 0;
    node[PLANES] += from[PLANES] / t->boxes->run_planes * t->boxes->gap;
    const size_t at =
        (size_t)a->first * e + (size_t)node[PLANES] * plane + (size_t)node[ROWS] * pitch + (size_t)node[COLUMNS] * e;
    const size_t place[] = {at % pitch, at % plane / pitch, at / plane};
    const size_t packed[] = {(size_t)(from[COLUMNS] - box_from[COLUMNS]) * e, (size_t)(from[ROWS] - box_from[ROWS]),
                             (size_t)(from[PLANES] - box_from[PLANES])};
    cl_event event = NULL, *own;
    cl_uint n_waits;
    const cl_event *waits;
    mst_queue_expect_mark(t->queue); // each may be the last one
    MST_TRY(mst_queue_begin(t->queue, &n_waits, &waits, &event, &own, error));
    const cl_int code = t->up ? clEnqueueWriteBufferRect(t->queue->opencl, t->buffer, CL_FALSE, place, packed, region, pitch,
                                                         plane, packed_row, packed_plane, t->host, n_waits, waits, own)
                              : clEnqueueReadBufferRect(t->queue->opencl, t->buffer, CL_FALSE, place, packed, region, pitch,
                                                        plane, packed_row, packed_plane, t->host, n_waits, waits, own);
    MST_TRY_CL(code, t->up ? "cannot upload the state" : "cannot download the state");
    MST_TRY(mst_queue_add(t->queue, event, "a copy of the state", NULL, error));
fail:
    return status;
}

// Up to where elements from `at` on along the box's axis lie as they do in packed memory.
static uint64_t end_of_part(const mst_boxes *b, uint64_t at, uint64_t end) {
    if (at < b->low)
        end = mst_smaller(b->low, end);
    return b->axis == PLANES && b->gap > 0 ? mst_smaller((at / b->run_planes + 1) * b->run_planes, end) : end;
}

static mst_status copy_box(const copying *t, const uint64_t from[N_AXES], const uint64_t count[N_AXES], mst_error *error) {
    mst_status status = MST_OK;
    const int axis = t->boxes->axis;
    const uint64_t end = from[axis] + count[axis];
    for (uint64_t at = from[axis], next; at < end; at = next) {
        uint64_t part_from[N_AXES], part[N_AXES];
        next = end_of_part(t->boxes, at, end);
        memcpy(part_from, from, sizeof part_from);
        memcpy(part, count, sizeof part);
        part_from[axis] = at;
        part[axis] = next - at;
        MST_TRY(copy_part(t, count, from, part_from, part, error));
    }
fail:
    return status;
}

// In boxes: whole planes, whole rows of a plane, or a part of a row at a time.
static mst_status copy_range(copying *t, uint64_t first, uint64_t count, mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t *lengths = t->boxes->lengths, columns = lengths[COLUMNS], plane = lengths[ROWS] * columns;
    while (count > 0) {
        const uint64_t from[] = {first / plane, first / columns % lengths[ROWS], first % columns};
        uint64_t box[] = {1, 1, mst_smaller(count, columns - from[COLUMNS])};
        if (from[COLUMNS] == 0 && count >= columns)
            box[ROWS] = mst_smaller(count / columns, lengths[ROWS] - from[ROWS]);
        if (from[COLUMNS] == 0 && from[ROWS] == 0 && count >= plane)
            box[PLANES] = count / plane;
        const uint64_t n = box[PLANES] * box[ROWS] * box[COLUMNS];
        MST_TRY(copy_box(t, from, box, error));
        t->host += n * t->boxes->element;
        first += n;
        count -= n;
    }
fail:
    return status;
}

mst_status mst_boxes_enqueue(const mst_boxes *boxes, mst_queue *queue, cl_mem buffer, const uint64_t from[N_AXES],
                             const uint64_t count[N_AXES], bool up, void *host, mst_error *error) {
    const copying t = {boxes, queue, buffer, up, host};
    return copy_box(&t, from, count, error);
}

mst_status mst_boxes_copy(const mst_boxes *boxes, mst_queue *queue, cl_mem buffer, uint64_t first, uint64_t count, bool up,
                          void *host, mst_error *error) {
    mst_status status = MST_OK;
    copying t = {boxes, queue, buffer, up, host};
    MST_TRY(copy_range(&t, first, count, error));
    MST_TRY(mst_queue_finish(queue, error));
    return MST_OK;
fail:
    mst_queue_abandon(queue);
    return status;
}
