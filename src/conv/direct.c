// The direct algorithm: every value of the result is summed over the shorter operand, the kernel, in one pass over the other one,
// the signal. Programs know types and the number of axes but no sizes, so that a new size compiles nothing. What they share is in
// direct.cl; direct_cpu.cl and direct_gpu.cl hold the two shapes of the kernel.
#include "direct.h"
#include "ports.h"

#include "runtime/kernel.h"
#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Numbers that a work-item of a GPU has on their way to local memory at once.
#define BATCH_OF_ROWS 9u
#define BATCH_OF_LINES 4u

#define LAUNCH_SECONDS 0.2

// direct.cl has it, too.
typedef struct direct_call {
    cl_long8 sizes, tiles;
    cl_long4 signal_at, taps_at, result_at;
    cl_int8 tile;
} direct_call;

typedef struct mst_direct {
    mst_convolution *plan;
    mst_direct_tiling tiling;
    mst_stream *stream;
    mst_kernel *kernel;
    mst_ports ports;
} mst_direct;

static void print_window(const mst_direct *direct, char *out, size_t size) {
    const mst_direct_tiling *t = &direct->tiling;
    const mst_layout *signal = mst_convolution_layout(direct->plan, t->signal);
    const mst_port_lines *taps = &direct->ports.arrays[t->taps];
    const char *real = direct->plan->work_type == MST_COMPLEX128 ? "double" : "float";
    int n = snprintf(out, size,
                     " -D V=%u -D SHIFT=%u -D ITEM=%u -D LANES=%u -D GROUP=%u -D TAP_ROWS=%zu -D TAP_COLUMNS=%zu -D HOLD_ROWS=%d "
                     "-D LOCAL_TAPS=%d",
                     t->vector, t->shift, t->item, t->lanes, t->group, t->tap_rows, t->tap_columns, t->hold_rows, t->local_taps);
    if (!taps->has_gaps)
        n += snprintf(out + n, size - (size_t)n, " -D TAP_ROW=%lld -D TAP_COLUMN=%lld", (long long)taps->packed_row,
                      (long long)taps->packed_column);
    if (t->vector > 1)
        snprintf(out + n, size - (size_t)n, " -D VLOAD=vload%u -D VSTORE=vstore%u -D SIGNAL_VECTOR=%s%u -D RESULT_VECTOR=%s%u",
                 t->vector, t->vector, mst_type_element(signal->type), t->vector, real, t->vector);
}

static void print_line(const mst_direct *direct, char *out, size_t size) {
    const mst_direct_tiling *t = &direct->tiling;
    const char *signal = mst_type_element(mst_convolution_layout(direct->plan, t->signal)->type);
    const char *real = direct->plan->work_type == MST_COMPLEX128 ? "double" : "float";
    int n = snprintf(out, size, " -D V=%u -D W=%u -D SHIFT=%u -D ITEM=%u -D GROUP=%u", t->vector, t->result_vector, t->shift,
                     t->item, t->group);
    if (t->vector > 1)
        n += snprintf(out + n, size - (size_t)n, " -D SIGNAL_VECTOR=%s%u -D SIGNAL_LOAD=vload%u -D SIGNAL_STORE=vstore%u", signal,
                      t->vector, t->vector, t->vector);
    if (t->result_vector > 1)
        snprintf(out + n, size - (size_t)n, " -D RESULT_VECTOR=%s%u -D RESULT_LOAD=vload%u -D RESULT_STORE=vstore%u", real,
                 t->result_vector, t->result_vector, t->result_vector);
}

int mst_direct_print_types(const mst_convolution *plan, const mst_direct_tiling *t, char *out, size_t size) {
    const mst_convolution_desc *d = &plan->desc;
    const mst_layout *signal = mst_convolution_layout(plan, t->signal), *taps = mst_convolution_layout(plan, t->taps);
    bool turned = d->correlate && t->taps == Y;
    return snprintf(out, size,
                    "%s -D SIGNAL=%s -D SIGNAL_COMPLEX=%d -D KERNEL=%s -D KERNEL_COMPLEX=%d -D RESULT=%s "
                    "-D RESULT_COMPLEX=%d -D AXES=%d -D CIRCULAR=%d -D TURN_SIGNAL=%d -D TURN_KERNEL=%d -D CONJUGATE_KERNEL=%d",
                    mst_program_precision(plan->context, plan->work_type == MST_COMPLEX128), mst_type_element(signal->type),
                    mst_type_is_complex(signal->type), mst_type_element(taps->type), mst_type_is_complex(taps->type),
                    mst_type_element(d->z.type), mst_type_is_complex(d->z.type), t->n_axes, d->mode == MST_CONVOLUTION_CIRCULAR,
                    d->correlate && t->taps == X, !turned, turned);
}

static void print_options(const mst_direct *direct, char *out, size_t size) {
    const mst_direct_tiling *t = &direct->tiling;
    bool is_double = direct->plan->work_type == MST_COMPLEX128;
    int n = mst_direct_print_types(direct->plan, t, out, size);
    if (t->cpu)
        snprintf(out + n, size - (size_t)n, " -D LANES=%u -D VECTOR=%s%u -D VLOAD=vload%u -D VSTORE=vstore%u -D SEPARABLE=%d",
                 t->lanes, is_double ? "double" : "float", t->lanes, t->lanes, t->lanes, t->separable);
    else if (t->line)
        print_line(direct, out + n, size - (size_t)n);
    else if (t->vector)
        print_window(direct, out + n, size - (size_t)n);
    else
        snprintf(out + n, size - (size_t)n, " -D ITEM=%u -D GROUP=%u -D BATCH=%u", t->item, t->group,
                 t->n_axes > 1 ? BATCH_OF_ROWS : BATCH_OF_LINES);
}

static const char *file_of(const mst_direct_tiling *t) {
    return t->cpu ? "direct_cpu.cl" : t->line ? "direct_line.cl" : t->vector ? "direct_window.cl" : "direct_gpu.cl";
}

static mst_status make_kernel(mst_direct *direct, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = direct->plan->context;
    char options[800];
    const mst_program *program;
    mst_text text = {0};
    print_options(direct, options, sizeof options);
    MST_TRY(mst_program_add_file(context, "direct.cl", &text, error));
    MST_TRY(mst_program_add_file(context, file_of(&direct->tiling), &text, error));
    MST_TRY(mst_program_of_text(context, "convolution: direct sums", &text, options, &program, error));
    MST_TRY(mst_kernel_create(program, "direct", &direct->kernel, error));
fail:
    mst_text_release(&text);
    return status;
}

static mst_status prepare(void *user, size_t n_items, mst_error *error) {
    (void)user;
    (void)n_items;
    (void)error;
    return MST_OK;
}

// One launch.
static mst_status compute_tiles(const mst_direct *direct, const mst_block *block, size_t first, size_t n_tiles,
                                mst_error *error) {
    const mst_direct_tiling *t = &direct->tiling;
    const size_t n_lines = block->count * direct->ports.lines_an_item;
    const mst_port_place s = mst_port_place_of(&direct->ports, block, t->signal),
                         k = mst_port_place_of(&direct->ports, block, t->taps), z = mst_port_place_of(&direct->ports, block, Z);
    const mst_direct_launch launch = mst_direct_share_out(t, n_lines, first, n_tiles);
    const direct_call call = {mst_direct_sizes(t), launch.tiles, s.at, k.at, z.at, launch.tile};
    const mst_argument arguments[] = {MST_BIND(signal, s.buffer),
                                      MST_BIND(signal_lines, s.lines),
                                      MST_BIND(taps, k.buffer),
                                      MST_BIND(taps_lines, k.lines),
                                      MST_BIND(result, z.buffer),
                                      MST_BIND(result_lines, z.lines),
                                      MST_BIND(call, call),
                                      MST_BIND_LOCAL(values, t->values_bytes),
                                      MST_BIND_LOCAL(weights, t->weights_bytes),
                                      MST_BIND_LOCAL(totals, t->totals_bytes)};
    size_t n = MST_COUNT(arguments) - (t->cpu                  ? 0
                                       : t->vector && !t->line ? 3
                                                               : 1); // GPUs keep sums in registers, windows all the rest
    mst_queue_expect_mark(block->queue);
    return mst_kernel_launch(block->queue, direct->kernel, arguments, n, launch.items, t->cpu ? 1 : t->group, NULL, error);
}

// Tiles of so many products that they surely take less than LAUNCH_SECONDS.
static size_t few_tiles(const mst_direct_tiling *t) {
    const double tiles = (t->device->type & CL_DEVICE_TYPE_CPU ? 2e7 : 1e10) / mst_direct_tile_products(t);
    return tiles < 1 ? 1 : (size_t)tiles;
}

// No command that runs can be cancelled, and a single item may take hours: so where somebody is asked whether to go on, a block
// that may take long goes by launches, each as long as the one before says that LAUNCH_SECONDS are.
static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    const mst_direct *direct = user;
    const size_t all = mst_direct_tiles(&direct->tiling, block->count * direct->ports.lines_an_item);
    size_t count = block->watch ? few_tiles(&direct->tiling) : all;
    size_t first = 0;
    while (first < all) {
        const double begun = mst_now();
        count = mst_smaller(count, all - first);
        MST_TRY(compute_tiles(direct, block, first, count, error));
        first += count;
        if (first == all)
            break;
        MST_TRY(mst_queue_finish(block->queue, error));
        const double took = mst_now() - begun, more = took < LAUNCH_SECONDS / 16 ? 16 : LAUNCH_SECONDS / took;
        MST_REQUIRE(block->watch->goes_on(block->watch->user), MST_ERROR_CANCELLED, "cancelled"); // however long that takes
        count = mst_larger((size_t)((double)count * more), (size_t)1);
    }
fail:
    return status;
}

static mst_status create(mst_convolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    mst_stream_desc stream;
    mst_direct *direct = plan->work = calloc(1, sizeof *direct);
    MST_REQUIRE(direct, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    direct->plan = plan;
    mst_direct_plan(plan, &direct->tiling);
    mst_ports_plan(plan, &direct->ports);
    stream = mst_ports_stream(&direct->ports);
    stream.prepare = prepare, stream.compute = compute, stream.user = direct;
    MST_TRY(mst_stream_create(&stream, &direct->stream, error));
    plan->stream = direct->stream;
    MST_TRY(mst_ports_create(&direct->ports, error));
    MST_TRY(make_kernel(direct, error));
fail:
    return status;
}

static void destroy(void *work) {
    mst_direct *direct = work;
    if (!direct)
        return;
    mst_stream_destroy(direct->stream);
    mst_kernel_destroy(direct->kernel);
    mst_ports_release(&direct->ports);
    free(direct);
}

static mst_status execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    const mst_direct *direct = plan->work;
    return mst_stream_run(plan->context, direct->stream, where, how, error);
}

// Rounding errors grow with the number of products in a sum as those of transforms do with their length.
static size_t padded_length(const mst_convolution *plan) {
    const mst_direct *direct = plan->work;
    return direct->tiling.n_taps;
}

const mst_convolution_method mst_direct_method = {create, destroy, execute, padded_length};
