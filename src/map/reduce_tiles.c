// The tiles of a block: elements to partial results.
#include "bind.h"
#include "boxes.h"
#include "reduce_steps.h"

#include "runtime/layout.h"
#include "runtime/lines.h"
#include "runtime/numbers.h"
#include "stream/execution.h"

#include <stdlib.h>
#include <string.h>

// The tile that element `e` of the box is in, or with `up` the number of tiles that lie before it.
static uint64_t tile_of(const mst_map *plan, uint64_t e, bool up) {
    const mst_map_span *s = &plan->reduce->span;
    const uint64_t tile = plan->reduce->columns ? MST_MAP_COLUMN_TILE : MST_MAP_TILE;
    const uint64_t row = e % ((uint64_t)s->length * s->inner) / s->inner;
    return e / ((uint64_t)s->length * s->inner) * mst_map_span_tiles(plan, s) + (up ? mst_divide_up(row, tile) : row / tile);
}

size_t mst_map_reduce_cut(const void *user, size_t first, size_t count) {
    const mst_map *plan = user;
    const mst_map_span *s = &plan->reduce->span;
    const uint64_t tile = plan->reduce->columns ? MST_MAP_COLUMN_TILE : MST_MAP_TILE, whole = (uint64_t)s->length * s->inner;
    const uint64_t end = (uint64_t)first + count, row = end % whole / s->inner;
    const uint64_t cut = end / whole * whole + row / tile * tile * s->inner;
    return cut > first ? (size_t)(cut - first) : count;
}

static mst_status remember(mst_map_reduce *r, uint64_t first, uint64_t n, mst_error *error) {
    mst_status status = MST_OK;
    if (r->n_done == r->room_done) {
        const size_t room = 2 * r->room_done + 64;
        mst_map_done *grown = realloc(r->done, room * sizeof *grown);
        MST_REQUIRE(grown, MST_ERROR_HOST_MEMORY, "out of memory reducing an array");
        r->done = grown;
        r->room_done = room;
    }
    r->done[r->n_done++] = (mst_map_done){first, n};
fail:
    return status;
}

static mst_status lines_of(mst_map *plan, int p, const mst_layout *layout, cl_mem *out, mst_error *error) {
    mst_status status = MST_OK;
    cl_mem *lines = &plan->reduce->lines[p];
    if (!*lines)
        status = mst_lines_create(plan->context, layout, layout->rank - 1, lines, error);
    *out = *lines;
    return status;
}

mst_status mst_map_reduce_operands(mst_map *plan, const mst_block *block, mst_map_operand *ports, mst_map_form *form,
                                   mst_error *error) {
    mst_status status = MST_OK;
    *form = MST_MAP_PACKED;
    for (int p = 0; p < plan->n_inputs; p++) {
        const mst_block_port *port = &block->ports[p];
        ports[p] = (mst_map_operand){port->buffer, NULL, port->base, port->first_item};
        if (port->packed || mst_layout_is_dense(&plan->stream->desc.ports[p].layout))
            continue;
        *form = MST_MAP_STRIDED;
        MST_TRY(lines_of(plan, p, &plan->stream->desc.ports[p].layout, &ports[p].lines, error));
    }
fail:
    return status;
}

// Kernels of arrays with gaps find all by tables.
static mst_status dense_lines(mst_map *plan, mst_map_operand *ports, mst_error *error) {
    mst_status status = MST_OK;
    const mst_layout dense = mst_layout_dense(MST_FLOAT32, plan->shape.rank, plan->reduce->now.shape);
    for (int p = 0; p < plan->n_inputs; p++)
        if (!ports[p].lines)
            MST_TRY(lines_of(plan, MST_MAP_MAX_PORTS, &dense, &ports[p].lines, error));
fail:
    return status;
}

mst_status mst_map_reduce_compute(mst_map *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_reduce *r = plan->reduce;
    mst_map_operand ports[MST_MAP_MAX_PORTS];
    mst_argument arguments[MST_MAP_MOST_ARGUMENTS];
    mst_map_number_binding numbers;
    mst_map_index_binding indices;
    cl_long bases[MST_MAP_MAX_PORTS];
    mst_map_form form;
    const mst_kernel *kernel;
    const cl_ulong first_tile = tile_of(plan, block->first, false), tiles = mst_map_span_tiles(plan, &r->span);
    const cl_ulong n_tiles = tile_of(plan, block->first + block->count, true) - first_tile;
    const cl_ulong n_partials = r->span.outer * tiles * r->span.inner, reduced = r->span.length, inner = r->span.inner;
    const cl_ulong from = block->first, length = r->now.shape[plan->shape.rank - 1];
    MST_TRY(remember(r, first_tile, n_tiles, error));
    MST_TRY(mst_map_reduce_operands(plan, block, ports, &form, error));
    if (form == MST_MAP_STRIDED)
        MST_TRY(dense_lines(plan, ports, error));
    MST_TRY(mst_map_reducer_build(plan, form == MST_MAP_STRIDED ? MST_MAP_TILES_STRIDED : MST_MAP_TILES, &kernel, error));
    const cl_ulong sets = r->columns ? mst_divide_up(r->span.inner, (size_t)mst_map_column_step(plan, form)) : 1,
                   n = n_tiles * sets;
    size_t a = mst_map_bind_arrays(plan, form, plan->n_inputs, ports, bases, arguments);
    a += mst_map_bind_numbers(plan, plan->expression, &numbers, &arguments[a]);
    a += mst_map_bind_indices(plan, r->now.begin, r->now.shape, &indices, &arguments[a]);
    const mst_argument rest[] = {MST_BIND_AS("partials", r->partials[0]),
                                 MST_BIND(n_partials, n_partials),
                                 MST_BIND(first_tile, first_tile),
                                 MST_BIND(tiles, tiles),
                                 MST_BIND(reduced, reduced),
                                 MST_BIND(inner, inner),
                                 MST_BIND(from, from),
                                 MST_BIND(n, n),
                                 MST_BIND(length, length)};
    const size_t n_rest = sizeof rest / sizeof rest[0] - (form == MST_MAP_STRIDED ? 0 : 1);
    memcpy(&arguments[a], rest, n_rest * sizeof *rest);
    mst_queue_expect_mark(block->queue);
    MST_TRY(mst_kernel_launch(block->queue, kernel, arguments, a + n_rest, (size_t)n,
                              mst_kernel_group(plan->context, kernel, (size_t)n), NULL, error));
fail:
    return status;
}
