// The geometry of reductions: parts of the array in which the reduced axes are whole, and what becomes of a part's elements from
// one level of partial results to the next. Numbers in, numbers out.
#include "boxes.h"

#include "runtime/lines.h"
#include "runtime/numbers.h"

#include <string.h>

enum { PARTS_OF_BUDGET = 4 };

// Runs of adjacent axes that are reduced, or not, from the last one on: `axis` becomes the first of the run that ends before it.
static bool next_run(const mst_map *plan, const mst_map_box *box, int *axis, bool *reduced, size_t *length) {
    int k = *axis - 1;
    while (k >= 0 && box->shape[k] == 1)
        k--;
    if (k < 0)
        return false;
    *reduced = plan->reduce->reduced[k];
    *length = 1;
    for (; k >= 0 && (plan->reduce->reduced[k] == *reduced || box->shape[k] == 1); k--)
        *length *= box->shape[k];
    *axis = k + 1;
    return true;
}

static size_t before(const mst_map_box *box, int axis) {
    size_t n = 1;
    for (int k = 0; k < axis; k++)
        n *= box->shape[k];
    return n;
}

static bool find_span(const mst_map *plan, const mst_map_box *box, int *axis, mst_map_span *span) {
    bool reduced;
    size_t length;
    while (next_run(plan, box, axis, &reduced, &length)) {
        if (!reduced) {
            span->inner *= length;
            continue;
        }
        span->length = length;
        span->outer = before(box, *axis);
        span->total = span->each * length;
        return true;
    }
    return false;
}

static mst_map_span begin_spans(const mst_map *plan, const mst_map_box *box, int *axis) {
    mst_map_span span = {1, 1, 1, 1, 1};
    *axis = plan->shape.rank;
    if (find_span(plan, box, axis, &span))
        return span;
    span = (mst_map_span){before(box, plan->shape.rank), 1, 1, 1, 1}; // nothing but axes of one element are reduced
    if (plan->reduce->columns) {
        span.inner = span.outer;
        span.outer = 1;
    }
    return span;
}

mst_map_span mst_map_first_span(const mst_map *plan, const mst_map_box *box) {
    int axis;
    return begin_spans(plan, box, &axis);
}

size_t mst_map_span_tiles(const mst_map *plan, const mst_map_span *span) {
    const size_t tile = plan->reduce->columns ? MST_MAP_COLUMN_TILE : MST_MAP_TILE;
    return span->length == 0 ? 0 : (span->length - 1) / tile + 1;
}

// From partial results [outer][length][inner] to what is to be done with these.
bool mst_map_next_span(const mst_map *plan, const mst_map_box *box, mst_map_span *span, int *axis) {
    if (*axis > plan->shape.rank) {
        const size_t tiles = mst_map_span_tiles(plan, span);
        mst_map_span first = begin_spans(plan, box, axis);
        *span = first;
        span->length = tiles;
        span->each = plan->reduce->columns ? MST_MAP_COLUMN_TILE : MST_MAP_TILE;
    } else {
        span->each *= MST_MAP_COLUMN_TILE;
        span->length = (span->length - 1) / MST_MAP_COLUMN_TILE + 1;
    }
    if (span->length > 1)
        return true;
    span->each = span->total;
    return find_span(plan, box, axis, span);
}

// ---- Boxes

static uint64_t first_partials(const mst_map *plan, const mst_map_box *box) {
    const mst_map_span span = mst_map_first_span(plan, box);
    return (uint64_t)span.outer * mst_map_span_tiles(plan, &span) * span.inner;
}

// Items of the stream that a block holds at least.
static uint64_t least_block(const mst_map *plan, const mst_map_box *box) {
    const mst_map_span span = mst_map_first_span(plan, box);
    const uint64_t tile = plan->reduce->columns ? MST_MAP_COLUMN_TILE : MST_MAP_TILE;
    return mst_smaller(span.length, tile) * span.inner;
}

static uint64_t element_bytes(const mst_map *plan) {
    uint64_t bytes = 0;
    for (int k = 0; k < plan->n_inputs; k++)
        bytes += mst_type_bytes(plan->types[k]);
    return bytes;
}

// One element of every output.
static uint64_t output_bytes(const mst_map *plan) {
    uint64_t bytes = 0;
    for (int k = 0; k < plan->n_outputs; k++)
        bytes += mst_type_bytes(plan->outputs[k].type);
    return bytes;
}

static uint64_t bytes_beside(const mst_map *plan, const mst_map_box *box) {
    return mst_map_box_outputs(plan, box) * output_bytes(plan) +
           (uint64_t)(plan->n_inputs + plan->n_outputs + 1) * MST_LINES_BYTES;
}

static mst_map_box whole_box(const mst_map *plan) {
    mst_map_box box = {.begin = {0}};
    memcpy(box.shape, plan->reduce->box, sizeof box.shape);
    return box;
}

size_t mst_map_reduce_least(const mst_map *plan) {
    const mst_map_box box = whole_box(plan);
    return (size_t)least_block(plan, &box);
}

uint64_t mst_map_reduce_bytes(const mst_map *plan) {
    const mst_map_box box = whole_box(plan);
    return bytes_beside(plan, &box);
}

static uint64_t part_bytes(const mst_map *plan) { return 8 * (uint64_t)mst_map_all_parts(plan->reduce); }

static void partial_bytes(const mst_map *plan, const mst_map_box *box, uint64_t bytes[2]) {
    mst_map_span span = mst_map_first_span(plan, box);
    int axis = plan->shape.rank + 1;
    bytes[0] = first_partials(plan, box) * part_bytes(plan);
    bytes[1] = 0;
    if (plan->reduce->count == 0)
        bytes[1] = mst_map_box_outputs(plan, box) * part_bytes(plan);
    else if (mst_map_next_span(plan, box, &span, &axis))
        bytes[1] = mst_map_combined(&span) * part_bytes(plan);
}

void mst_map_partial_bytes(const mst_map *plan, uint64_t bytes[2]) {
    const mst_map_box box = whole_box(plan);
    partial_bytes(plan, &box, bytes);
}

static uint64_t needs(const mst_map *plan, const mst_map_box *box) {
    uint64_t partials[2];
    partial_bytes(plan, box, partials);
    return partials[0] + partials[1] + bytes_beside(plan, box) + least_block(plan, box) * element_bytes(plan);
}

uint64_t mst_map_reduce_needs(const mst_map *plan) {
    const mst_map_box box = whole_box(plan);
    return needs(plan, &box);
}

static bool fits(const mst_map *plan, const mst_map_box *box) {
    const mst_context *context = plan->context;
    const uint64_t left = mst_budget_left(plan->context, &context->device_memory), device = left / PARTS_OF_BUDGET;
    const uint64_t host = mst_budget_left(plan->context, &context->host_memory) / PARTS_OF_BUDGET;
    const uint64_t parts = part_bytes(plan) + output_bytes(plan);
    const uint64_t pieces = context->device.max_allocation_bytes;
    return first_partials(plan, box) <= mst_smaller(device, pieces) / parts &&
           least_block(plan, box) <= mst_smaller(mst_smaller(device, host) / 2, pieces) / element_bytes(plan) &&
           needs(plan, box) <= left;
}

// Halves kept axes, the slowest first, until the partial results and a block's least elements fit a part of the budgets, and all
// of it the device's.
void mst_map_choose_box(mst_map *plan) {
    mst_map_box box = {.begin = {0}};
    memcpy(box.shape, plan->shape.shape, sizeof box.shape);
    for (int axis = 0; axis < plan->shape.rank; axis++)
        while (!plan->reduce->reduced[axis] && box.shape[axis] > 1 && !fits(plan, &box))
            box.shape[axis] = (box.shape[axis] + 1) / 2;
    memcpy(plan->reduce->box, box.shape, sizeof box.shape);
}

bool mst_map_next_box(const mst_map *plan, mst_map_box *box) {
    const size_t *most = plan->reduce->box;
    const bool is_first = !box->begun;
    box->begun = true;
    int axis = plan->shape.rank - 1;
    for (; axis >= 0 && !is_first; axis--) {
        box->begin[axis] += most[axis];
        if (box->begin[axis] < plan->shape.shape[axis])
            break;
        box->begin[axis] = 0;
    }
    for (int k = 0; k < plan->shape.rank; k++)
        box->shape[k] = (size_t)mst_smaller(most[k], plan->shape.shape[k] - box->begin[k]);
    return is_first || axis >= 0;
}
