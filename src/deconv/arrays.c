// Between a block's arrays, of any strides, and padded ones.
#include "bricks.h"

#include "runtime/numbers.h"

#include <stdio.h>

// Which points of a brick are loaded: deconv.cl says what they are.
enum { POINTS_OF_WHOLE, POINTS_OWN, POINTS_ALL, POINTS_INNER };

typedef struct loading {
    const int *ports;     // of the block
    int array, to;        // ARRAY_..., WORK_...
    bool goes_on;         // beyond the edges; else there is
    double outside;       // beyond them
    bool is_image;        // as opposed to what goes with it: not read where nothing was seen
    const char *negative; // what values below 0 are not for; NULL: they are taken
    int points;           // POINTS_...
} loading;

static mst_status enqueue_load(mst_deconvolution *plan, const mst_block *block, const loading *l, mst_error *error) {
    cl_int points = l->points;
    cl_ulong first_item = block->first;
    const mst_layout *layouts[] = {
        [ARRAY_IMAGE] = &plan->desc.image, [ARRAY_START] = &plan->desc.start, [ARRAY_WEIGHTS] = &plan->desc.weights};
    const mst_block_port *port = &block->ports[l->ports[l->array]];
    cl_mem lines = plan->lines[l->array][port->packed ? 0 : 1];
    cl_int type = (cl_int)layouts[l->array]->type, goes_on = l->goes_on,
           checks = l->array == ARRAY_WEIGHTS ? 2 : l->negative != NULL;
    cl_int weighted = l->is_image && plan->desc.weights.rank > 0;
    cl_long base = port->base;
    cl_uint depth = (cl_uint)plan->extent[Z], height = (cl_uint)plan->extent[Y], width = (cl_uint)plan->extent[X];
    cl_uint padded_z = (cl_uint)plan->padded[Z], padded_y = (cl_uint)plan->padded[Y], padded_x = (cl_uint)plan->padded[X];
    cl_ulong first_line = (cl_ulong)port->first_item * depth * height, n = (cl_ulong)block->count * padded_z * padded_y;
    const mst_argument arguments[] = {MST_BIND_AS("array", port->buffer),
                                      MST_BIND(type, type),
                                      MST_BIND(base, base),
                                      MST_BIND(first_line, first_line),
                                      MST_BIND(first_item, first_item),
                                      MST_BIND_AS("frame", plan->frame.buffer),
                                      MST_BIND(lines, lines),
                                      MST_BIND(depth, depth),
                                      MST_BIND(height, height),
                                      MST_BIND(width, width),
                                      MST_BIND(padded_z, padded_z),
                                      MST_BIND(padded_y, padded_y),
                                      MST_BIND(padded_x, padded_x),
                                      MST_BIND(goes_on, goes_on),
                                      MST_BIND_AS("outside", l->outside),
                                      MST_BIND(points, points),
                                      MST_BIND(checks, checks),
                                      MST_BIND(weighted, weighted),
                                      MST_BIND_AS("weights", plan->work[WORK_WEIGHTS].buffer),
                                      MST_BIND(n, n),
                                      MST_BIND_AS("to", plan->work[l->to].buffer),
                                      MST_BIND_AS("faults", plan->work[WORK_FAULTS].buffer)};
    return mst_deconvolution_launch(plan, block->queue, KERNEL_LOAD, arguments, MST_COUNT(arguments),
                                    mst_deconvolution_row_items(plan, (size_t)n), error);
}

// The place, along the axes of the whole, of the value at a position in an item.
static const char *place_text(const mst_deconvolution *plan, size_t item, size_t at, char *text, size_t size) {
    size_t places[N_SIDES];
    int n = 0;
    for (int side = X; side >= Z; side--) {
        const int64_t whole = (int64_t)plan->whole[side];
        places[side] = (size_t)(((int64_t)(at % plan->extent[side]) + mst_brick_origin(plan, item, side) + whole) % whole);
        at /= plan->extent[side];
    }
    text[0] = '\0';
    for (int side = N_SIDES - plan->desc.n_axes; side < N_SIDES && n >= 0 && (size_t)n < size; side++)
        n += snprintf(text + n, size - (size_t)n, "%s%zu", n ? ", " : "", places[side]);
    return text;
}

// Says which value of which item is the first that is not allowed.
static mst_status check_values(mst_deconvolution *plan, const mst_block *block, const loading *l, const char *name,
                               mst_error *error) {
    mst_status status = MST_OK;
    char place[80];
    cl_uint faults[MST_DECONVOLUTION_FAULTS];
    for (size_t k = 0; k < block->count; k++) {
        const size_t item = block->first + k, number = plan->cut.is_cut ? plan->bricks->image : item;
        MST_TRY(mst_queue_read(block->queue, plan->work[WORK_FAULTS].buffer, k * sizeof faults, sizeof faults, faults,
                               "the check of values", error));
        MST_REQUIRE(faults[0] == CL_UINT_MAX, MST_ERROR_ARGUMENT, "%s has a value that is not finite: at [%s] of item %zu", name,
                    place_text(plan, item, faults[0], place, sizeof place), number);
        MST_REQUIRE(faults[1] == CL_UINT_MAX, MST_ERROR_ARGUMENT, "%s is below 0 at [%s] of item %zu; %s", name,
                    place_text(plan, item, faults[1], place, sizeof place), number, l->negative);
        MST_REQUIRE(faults[2] == CL_UINT_MAX, MST_ERROR_ARGUMENT, "%s is above 1 at [%s] of item %zu; %s", name,
                    place_text(plan, item, faults[2], place, sizeof place), number, l->negative);
    }
fail:
    return status;
}

static mst_status load(mst_deconvolution *plan, const mst_block *block, const loading *l, const char *name, mst_error *error) {
    mst_status status = MST_OK;
    if (l->ports[l->array] < 0)
        return MST_OK;
    MST_TRY(mst_queue_fill(block->queue, plan->work[WORK_FAULTS].buffer, CL_UINT_MAX,
                           block->count * MST_DECONVOLUTION_FAULTS * sizeof(cl_uint), "the check of values", error));
    MST_TRY(enqueue_load(plan, block, l, error));
    MST_TRY(check_values(plan, block, l, name, error));
fail:
    return status;
}

mst_status mst_deconvolution_load(mst_deconvolution *plan, const mst_block *block, bool look, mst_error *error) {
    const bool goes_on = plan->desc.edges == MST_DECONVOLUTION_OBSERVED && !look;
    const int *ports = look ? plan->look_ports : plan->ports;
    const int all = look ? POINTS_OWN : POINTS_OF_WHOLE;
    const loading smooth = {ports, ARRAY_IMAGE, WORK_REAL, goes_on, 0, true, NULL, all};
    // What an exact brick's ends show comes from points beyond it, too: beside the little that its own give of it the ratio would
    // be huge, and its rounding everywhere in the brick.
    const int known = plan->desc.exact && plan->cut.is_cut && !look ? POINTS_INNER : all;
    const loading counts = {
        ports, ARRAY_IMAGE, WORK_SEEN, false, -1, true, "Richardson-Lucy takes counts of light: subtract less, or clip", known};
    const loading weights = {ports, ARRAY_WEIGHTS, WORK_WEIGHTS, false, 0, false, "weights are 0 to 1", POINTS_OF_WHOLE};
    const loading start = {ports,
                           ARRAY_START,
                           WORK_X,
                           false,
                           -1,
                           false,
                           "an object has no negative light",
                           plan->desc.exact ? POINTS_ALL : POINTS_OF_WHOLE};
    mst_status status = MST_OK;
    if (!mst_deconvolution_iterates(plan))
        return load(plan, block, &smooth, "the image", error);
    MST_TRY(load(plan, block, &weights, "weights", error));
    MST_TRY(load(plan, block, &counts, "the image", error));
    if (!look)
        MST_TRY(load(plan, block, &start, "start", error));
fail:
    return status;
}

mst_status mst_deconvolution_store(mst_deconvolution *plan, const mst_block *block, int from, mst_error *error) {
    const mst_block_port *port = &block->ports[ARRAY_RESULT];
    cl_mem lines = plan->lines[ARRAY_RESULT][port->packed ? 0 : 1];
    cl_long base = port->base;
    const size_t *shape = plan->cut.is_cut ? plan->cut.step : plan->extent;
    cl_uint depth = (cl_uint)shape[Z], height = (cl_uint)shape[Y], width = (cl_uint)shape[X];
    cl_uint padded_z = (cl_uint)plan->padded[Z], padded_y = (cl_uint)plan->padded[Y], padded_x = (cl_uint)plan->padded[X];
    cl_ulong first_line = (cl_ulong)port->first_item * depth * height, n = (cl_ulong)block->count * depth * height;
    const mst_argument arguments[] = {MST_BIND_AS("from", plan->work[from].buffer),
                                      MST_BIND_AS("frame", plan->frame.buffer),
                                      MST_BIND(depth, depth),
                                      MST_BIND(height, height),
                                      MST_BIND(width, width),
                                      MST_BIND(padded_z, padded_z),
                                      MST_BIND(padded_y, padded_y),
                                      MST_BIND(padded_x, padded_x),
                                      MST_BIND(n, n),
                                      MST_BIND_AS("result", port->buffer),
                                      MST_BIND(base, base),
                                      MST_BIND(first_line, first_line),
                                      MST_BIND(lines, lines)};
    mst_queue_expect_mark(block->queue);
    return mst_deconvolution_launch(plan, block->queue, KERNEL_STORE, arguments, MST_COUNT(arguments),
                                    mst_deconvolution_row_items(plan, (size_t)n), error);
}
