// Running sums of a block, in place of the elements that the map has stored.
#include "scan.h"

#include "runtime/layout.h"
#include "runtime/lines.h"
#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>

enum { TILE = MST_MAP_SCAN_TILE, SPAN = MST_MAP_SCAN_SPAN };

// ---- Kernels

static mst_status make_kernels(mst_map *plan, int output, mst_error *error) {
    static const char *const names[] = {"scan_tiles", "scan_parts", "scan_write"};
    mst_status status = MST_OK;
    mst_map_scanned *s = &plan->scan->outputs[output];
    const mst_type type = plan->outputs[output].type;
    const bool parts = mst_type_has_parts(type), half = type == MST_FLOAT16;
    const char *real = half ? "half" : mst_type_opencl(mst_type_part(type)), *lanes = parts ? "2" : "";
    const mst_program *program;
    mst_text text = {0};
    char options[200];
    snprintf(options, sizeof options,
             "-D PRECISION=%d -D TYPE=%s%s -D SUM=%s%s -D HALF=%d -D PRODUCT=%d -D COMPLEX=%d -D TILE=%dUL -D SPAN=%dUL",
             mst_type_part(type) == MST_FLOAT64 ? 64 : 32, real, lanes, half ? "float" : real, lanes, half,
             s->kind == MST_MAP_PRODUCT, parts, TILE, SPAN);
    mst_text_put(&text, "#pragma OPENCL FP_CONTRACT OFF\n\n");
    MST_TRY(mst_program_add_file(plan->context, "scan.cl", &text, error));
    MST_TRY(mst_program_of_text(plan->context, "map: running sums", &text, options, &program, error));
    for (int k = 0; k < MST_MAP_N_SCANNERS; k++)
        MST_TRY(mst_kernel_create(program, names[k], &s->kernels[k], error));
fail:
    mst_text_release(&text);
    return status;
}

// ---- Memory

static size_t sum_bytes(mst_type type) { return type == MST_FLOAT16 ? sizeof(cl_float) : mst_type_bytes(type); }

static size_t largest_sum(const mst_map *plan) {
    size_t bytes = 0;
    for (int k = 0; k < plan->n_outputs; k++)
        if (plan->scan->outputs[k].scanned)
            bytes = (size_t)mst_larger(bytes, sum_bytes(plan->outputs[k].type));
    return bytes;
}

// Parts, of 2^8 or 2^16 rows, that a block of n elements touches in all lanes: lines longer than a part have at most twice as
// many as their length has; those that the block begins or ends in, up to two more, and of rows that it has in part one.
static uint64_t parts_of(const mst_map *plan, uint64_t n, uint64_t size) { return 2 * n / size + 5 * plan->scan->inner; }

mst_status mst_map_scan_create(mst_map *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_scan *scan = plan->scan;
    scan->carry_bytes = (uint64_t)scan->levels * scan->inner * largest_sum(plan);
    for (int k = 0; k < plan->n_outputs; k++)
        if (scan->outputs[k].scanned)
            MST_TRY(make_kernels(plan, k, error));
fail:
    return status;
}

uint64_t mst_map_scan_fixed_bytes(const mst_map *plan) {
    uint64_t bytes = MST_LINES_BYTES + (uint64_t)(plan->scan->levels - 1) * parts_of(plan, 0, 1) * largest_sum(plan);
    for (int k = 0; k < plan->n_outputs; k++)
        bytes += plan->scan->outputs[k].scanned ? 2 * plan->scan->carry_bytes : 0;
    return bytes;
}

// Two or three of TILE elements have a total, of 16 bytes at most.
uint64_t mst_map_scan_item_bytes(const mst_map *plan) { return plan->scan->levels > 1; }

static mst_status prepare_carries(mst_map *plan, int output, bool wanted, mst_error *error) {
    mst_status status = MST_OK;
    const uint64_t bytes = plan->scan->carry_bytes;
    mst_map_scanned *s = &plan->scan->outputs[output];
    for (int side = 0; side < 2 && s->scanned; side++) {
        mst_device_release(plan->context, s->carries[side], bytes);
        s->carries[side] = NULL;
        if (wanted)
            MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, bytes, "what running sums carry on", &s->carries[side],
                                        error));
    }
fail:
    return status;
}

mst_status mst_map_scan_prepare(mst_map *plan, size_t n, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_scan *scan = plan->scan;
    const mst_layout dense = mst_layout_dense(MST_FLOAT32, 1, (const size_t[]){1});
    mst_lines_release(plan->context, scan->lines);
    scan->lines = NULL;
    if (n > 0)
        MST_TRY(mst_lines_create(plan->context, &dense, 0, &scan->lines, error));
    for (int k = 0; k < plan->n_outputs; k++)
        MST_TRY(prepare_carries(plan, k, n > 0, error));
    for (int level = 0; level < 2; level++) {
        mst_device_release(plan->context, scan->work[level], scan->work_bytes[level]);
        scan->work[level] = NULL;
        if (n == 0 || level + 1 >= scan->levels)
            continue;
        scan->work_bytes[level] = parts_of(plan, n, level == 0 ? TILE : TILE * SPAN) * largest_sum(plan);
        MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, scan->work_bytes[level], "running sums of tiles",
                                    &scan->work[level], error));
    }
fail:
    return status;
}

void mst_map_scan_destroy(mst_map *plan) {
    mst_map_scan *scan = plan->scan;
    if (!scan)
        return;
    mst_map_scan_prepare(plan, 0, NULL);
    for (int k = 0; k < MST_MAP_MAX_OUTPUTS; k++)
        for (int i = 0; i < MST_MAP_N_SCANNERS; i++)
            mst_kernel_destroy(scan->outputs[k].kernels[i]);
    free(scan);
}

// ---- A block

// The first part of so many rows that a block touches, and how many.
typedef struct scan_parts {
    cl_ulong first, n;
} scan_parts;

static scan_parts find_parts(const mst_map_scan *s, uint64_t first, uint64_t end, uint64_t size) {
    const uint64_t a = first / s->inner, b = (end - 1) / s->inner, a_line = (s->length - 1) / size + 1;
    const uint64_t begin = a / s->length * a_line + a % s->length / size, last = b / s->length * a_line + b % s->length / size;
    return (scan_parts){begin, last + 1 - begin};
}

// What the kernels know of the block, and of an output in it.
typedef struct scan_block {
    cl_mem buffer, lines, carried, carry, totals, wholes;
    cl_long base;
    cl_ulong row, first_item, first, end, length, inner;
} scan_block;

static mst_status launch(mst_map *plan, const mst_block *block, const mst_kernel *kernel, const mst_argument *arguments, size_t n,
                         uint64_t items, mst_error *error) {
    return mst_kernel_launch(block->queue, kernel, arguments, n, (size_t)items,
                             mst_kernel_group(plan->context, kernel, (size_t)items), NULL, error);
}

static mst_status launch_tiles(mst_map *plan, const mst_block *block, const mst_kernel *kernel, const scan_block *b,
                               scan_parts tiles, mst_error *error) {
    const cl_ulong n = tiles.n * b->inner;
    const mst_argument arguments[] = {MST_BIND_AS("out", b->buffer),
                                      MST_BIND_AS("base", b->base),
                                      MST_BIND_AS("lines", b->lines),
                                      MST_BIND_AS("row", b->row),
                                      MST_BIND_AS("first_item", b->first_item),
                                      MST_BIND_AS("first", b->first),
                                      MST_BIND_AS("end", b->end),
                                      MST_BIND_AS("length", b->length),
                                      MST_BIND_AS("inner", b->inner),
                                      MST_BIND_AS("first_tile", tiles.first),
                                      MST_BIND_AS("carried", b->carried),
                                      MST_BIND_AS("totals", b->totals),
                                      MST_BIND(n, n)};
    return launch(plan, block, kernel, arguments, sizeof arguments / sizeof *arguments, n, error);
}

// Level 1: tiles to groups; 2: groups to lines.
static mst_status launch_parts(mst_map *plan, const mst_block *block, const mst_kernel *kernel, const scan_block *b,
                               cl_ulong level, mst_error *error) {
    const cl_ulong size = level == 1 ? TILE : TILE * SPAN, of = level == 1 ? SPAN : UINT64_MAX / 4;
    const scan_parts own = find_parts(plan->scan, b->first, b->end, size);
    const scan_parts whole = find_parts(plan->scan, b->first, b->end, level == 1 ? (uint64_t)TILE * SPAN : b->length);
    cl_mem totals = level == 1 ? b->totals : b->wholes;
    const cl_uint keeps = level == 1 && plan->scan->levels == 3;
    const cl_ulong n = whole.n * b->inner;
    const mst_argument arguments[] = {MST_BIND_AS("first", b->first),
                                      MST_BIND_AS("end", b->end),
                                      MST_BIND_AS("length", b->length),
                                      MST_BIND_AS("inner", b->inner),
                                      MST_BIND(size, size),
                                      MST_BIND(of, of),
                                      MST_BIND_AS("first_part", own.first),
                                      MST_BIND_AS("first_whole", whole.first),
                                      MST_BIND(level, level),
                                      MST_BIND_AS("carried", b->carried),
                                      MST_BIND_AS("carry", b->carry),
                                      MST_BIND(totals, totals),
                                      MST_BIND_AS("wholes", b->wholes),
                                      MST_BIND(keeps, keeps),
                                      MST_BIND(n, n)};
    return launch(plan, block, kernel, arguments, sizeof arguments / sizeof *arguments, n, error);
}

static mst_status launch_write(mst_map *plan, const mst_block *block, const mst_kernel *kernel, const scan_block *b,
                               scan_parts tiles, mst_error *error) {
    const cl_ulong n = tiles.n * b->inner;
    const cl_uint levels = (cl_uint)plan->scan->levels;
    const scan_parts groups = find_parts(plan->scan, b->first, b->end, (uint64_t)TILE * SPAN);
    const mst_argument arguments[] = {MST_BIND_AS("out", b->buffer),
                                      MST_BIND_AS("base", b->base),
                                      MST_BIND_AS("lines", b->lines),
                                      MST_BIND_AS("row", b->row),
                                      MST_BIND_AS("first_item", b->first_item),
                                      MST_BIND_AS("first", b->first),
                                      MST_BIND_AS("end", b->end),
                                      MST_BIND_AS("length", b->length),
                                      MST_BIND_AS("inner", b->inner),
                                      MST_BIND_AS("first_tile", tiles.first),
                                      MST_BIND_AS("first_group", groups.first),
                                      MST_BIND(levels, levels),
                                      MST_BIND_AS("carried", b->carried),
                                      MST_BIND_AS("carry", b->carry),
                                      MST_BIND_AS("totals", b->totals),
                                      MST_BIND_AS("wholes", b->wholes),
                                      MST_BIND(n, n)};
    return launch(plan, block, kernel, arguments, sizeof arguments / sizeof *arguments, n, error);
}

static scan_block describe(const mst_map *plan, const mst_block *block, int output) {
    const mst_map_scan *s = plan->scan;
    const mst_map_scanned *o = &s->outputs[output];
    const mst_block_port *port = &block->ports[1 + output];
    const mst_layout *layout = &plan->outputs[output];
    const bool gaps = !port->packed && !mst_layout_is_dense(layout);
    cl_mem carried = o->carries[o->last]; // in place of memory that there is no need for, too
    return (scan_block){.buffer = port->buffer,
                        .lines = gaps ? plan->lines[1 + output] : s->lines,
                        .carried = carried,
                        .carry = o->carries[1 - o->last],
                        .totals = s->levels > 1 ? s->work[0] : carried,
                        .wholes = s->levels > 2 ? s->work[1] : carried,
                        .base = port->base,
                        .row = gaps ? layout->shape[layout->rank - 1] : 0,
                        .first_item = port->first_item,
                        .first = block->first,
                        .end = block->first + block->count,
                        .length = s->length,
                        .inner = s->inner};
}

static mst_status scan_output(mst_map *plan, const mst_block *block, int output, mst_error *error) {
    mst_status status = MST_OK;
    mst_map_scanned *o = &plan->scan->outputs[output];
    const scan_block b = describe(plan, block, output);
    const scan_parts tiles = find_parts(plan->scan, b.first, b.end, TILE);
    if (plan->scan->levels > 1)
        MST_TRY(launch_tiles(plan, block, o->kernels[MST_MAP_SCAN_TILES], &b, tiles, error));
    for (cl_ulong level = 1; level < (cl_ulong)plan->scan->levels; level++)
        MST_TRY(launch_parts(plan, block, o->kernels[MST_MAP_SCAN_PARTS], &b, level, error));
    mst_queue_expect_mark(block->queue);
    MST_TRY(launch_write(plan, block, o->kernels[MST_MAP_SCAN_WRITE], &b, tiles, error));
    o->last = 1 - o->last;
fail:
    return status;
}

mst_status mst_map_scan_compute(mst_map *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    for (int k = 0; k < plan->n_outputs; k++)
        if (plan->scan->outputs[k].scanned)
            MST_TRY(scan_output(plan, block, k, error));
fail:
    return status;
}
