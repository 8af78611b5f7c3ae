// Overlap-save along two axes, in one kernel: tiles of 64 x 64 points in local memory, which overlap by the kernel's size less
// one. Programs know types but no sizes. A launch before it makes the kernels' spectra.
#include "direct.h"
#include "ports.h"

#include "fft/twiddle.h"
#include "runtime/kernel.h"
#include "runtime/numbers.h"

#include <stdlib.h>

enum { TILE = 64, GROUP = 256 };

typedef struct mst_overlap_save {
    mst_convolution *plan;
    mst_direct_tiling tiling; // the sizes
    mst_ports ports;
    mst_stream *stream;
    mst_kernel *spectrum, *tiles;
    cl_mem roots, spectra;
    uint64_t roots_bytes, spectrum_bytes, spectra_bytes;
} mst_overlap_save;

static size_t spectra_of(const mst_overlap_save *o, size_t n_items) {
    return o->tiling.one_kernel ? 1 : n_items * o->ports.lines_an_item;
}

static mst_status prepare(void *user, size_t n_items, mst_error *error) {
    mst_overlap_save *o = user;
    mst_context *context = o->plan->context;
    mst_device_release(context, o->spectra, o->spectra_bytes);
    o->spectra = NULL;
    if (n_items == 0)
        return MST_OK;
    o->spectra_bytes = spectra_of(o, n_items) * o->spectrum_bytes;
    return mst_device_allocate(context, CL_MEM_READ_WRITE, o->spectra_bytes, "spectra", &o->spectra, error);
}

typedef struct tile_counts {
    cl_int valid_rows, valid_columns; // results of a tile
    size_t down, across, groups;      // tiles and work-groups of an image
} tile_counts;

static tile_counts count_tiles(const mst_direct_tiling *t) {
    tile_counts c = {.valid_rows = (cl_int)(TILE + 1 - t->tap_rows), .valid_columns = (cl_int)(TILE + 1 - t->tap_columns)};
    c.down = mst_divide_up(t->result_rows, (size_t)c.valid_rows);
    c.across = mst_divide_up(t->result_columns, (size_t)c.valid_columns);
    c.groups = mst_divide_up(c.down * c.across, t->parts == 1 ? (size_t)2 : (size_t)1); // real ones go in pairs
    return c;
}

double mst_overlap_save_share(const mst_direct_tiling *t) {
    double points = (double)count_tiles(t).groups * TILE * TILE * (t->parts == 1 ? 2 : 1);
    return (double)t->result_rows * (double)t->result_columns / points;
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    const mst_overlap_save *o = user;
    const mst_direct_tiling *t = &o->tiling;
    const mst_port_place s = mst_port_place_of(&o->ports, block, t->signal), k = mst_port_place_of(&o->ports, block, t->taps),
                         z = mst_port_place_of(&o->ports, block, Z);
    const cl_long8 sizes = mst_direct_sizes(t);
    const tile_counts c = count_tiles(t);
    size_t n_lines = block->count * o->ports.lines_an_item, n_spectra = spectra_of(o, block->count);
    const cl_int8 tiles = {
        .s = {(cl_int)c.down, (cl_int)c.across, c.valid_rows, c.valid_columns, (cl_int)c.groups, t->one_kernel ? 1 : 2}};
    const mst_argument before[] = {MST_BIND(taps, k.buffer),  MST_BIND(taps_at, k.at), MST_BIND(taps_lines, k.lines),
                                   MST_BIND(roots, o->roots), MST_BIND(sizes, sizes),  MST_BIND(spectra, o->spectra)};
    const mst_argument arguments[] = {
        MST_BIND(signal, s.buffer),     MST_BIND(signal_at, s.at),     MST_BIND(signal_lines, s.lines),
        MST_BIND(result, z.buffer),     MST_BIND(result_at, z.at),     MST_BIND(result_lines, z.lines),
        MST_BIND(sizes, sizes),         MST_BIND(spectra, o->spectra), MST_BIND(roots, o->roots),
        MST_BIND(roots_back, o->roots), MST_BIND(tiles, tiles)};
    MST_TRY(mst_kernel_launch(block->queue, o->spectrum, before, MST_COUNT(before), n_spectra * GROUP, GROUP, NULL, error));
    mst_queue_expect_mark(block->queue);
    MST_TRY(mst_kernel_launch(block->queue, o->tiles, arguments, MST_COUNT(arguments), n_lines * c.groups * GROUP, GROUP, NULL,
                              error));
fail:
    return status;
}

static mst_status make_kernels(mst_overlap_save *o, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = o->plan->context;
    static const char *const files[] = {"butterflies.cl", "dft16.cl", "direct.cl", "overlap_save.cl"};
    char options[400];
    const mst_program *program;
    mst_text text = {0};
    mst_direct_print_types(o->plan, &o->tiling, options, sizeof options);
    mst_text_add(&text, "typedef real vreal;\n\n");
    MST_TRY(mst_program_add_files(context, files, MST_COUNT(files), &text, error));
    MST_TRY(mst_program_of_text(context, "convolution: overlap-save", &text, options, &program, error));
    MST_TRY(mst_kernel_create(program, "kernel_spectrum", &o->spectrum, error));
    MST_TRY(mst_kernel_create(program, "overlap_save", &o->tiles, error));
fail:
    mst_text_release(&text);
    return status;
}

static mst_status make_stream(mst_overlap_save *o, mst_error *error) {
    mst_stream_desc stream = mst_ports_stream(&o->ports);
    stream.prepare = prepare, stream.compute = compute, stream.user = o;
    stream.table_bytes += TILE * mst_type_bytes(o->plan->work_type);
    if (o->tiling.one_kernel)
        stream.fixed_work_bytes = o->spectrum_bytes;
    else
        stream.item_work_bytes = stream.item_work_piece = o->ports.lines_an_item * o->spectrum_bytes;
    return mst_stream_create(&stream, &o->stream, error);
}

bool mst_overlap_save_fits(const mst_convolution *plan, const mst_direct_tiling *t) {
    const mst_device_info *device = &plan->context->device;
    return t->n_axes == 2 && t->tap_rows < TILE && t->tap_columns < TILE && device->max_work_group_size >= GROUP &&
           device->local_memory_bytes >= TILE * TILE * sizeof(cl_float2) && t->small;
}

static mst_status create(mst_convolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_overlap_save *o = plan->work = calloc(1, sizeof *o);
    MST_REQUIRE(o, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    o->plan = plan;
    mst_direct_plan(plan, &o->tiling);
    MST_REQUIRE(
        mst_overlap_save_fits(plan, &o->tiling), MST_ERROR_UNSUPPORTED,
        "a kernel of %zu x %zu does not go through overlap-save here, which takes kernels of less than %d x %d, images of less "
        "than 2^29 numbers with the gaps between rows, work-groups of %d and 32 KiB of local memory; use fused",
        o->tiling.tap_rows, o->tiling.tap_columns, TILE, TILE, GROUP);
    o->spectrum_bytes = TILE * TILE * mst_type_bytes(plan->work_type);
    mst_ports_plan(plan, &o->ports);
    MST_TRY(make_stream(o, error));
    plan->stream = o->stream;
    MST_TRY(mst_ports_create(&o->ports, error));
    MST_TRY(mst_twiddles_create(plan->context, plan->work_type, TILE, 1, TILE, &o->roots, &o->roots_bytes, error));
    MST_TRY(make_kernels(o, error));
fail:
    return status;
}

static void destroy(void *work) {
    mst_overlap_save *o = work;
    if (!o)
        return;
    if (o->stream)
        prepare(o, 0, NULL);
    mst_stream_destroy(o->stream);
    mst_kernel_destroy(o->spectrum);
    mst_kernel_destroy(o->tiles);
    mst_device_release(o->plan->context, o->roots, o->roots_bytes);
    mst_ports_release(&o->ports);
    free(o);
}

static mst_status execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    const mst_overlap_save *o = plan->work;
    return mst_stream_run(plan->context, o->stream, where, how, error);
}

static size_t padded_length(const mst_convolution *plan) {
    (void)plan;
    return (size_t)TILE * TILE;
}

const mst_convolution_method mst_overlap_save_method = {create, destroy, execute, padded_length};
