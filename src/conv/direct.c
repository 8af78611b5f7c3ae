// The direct algorithm: every value of the result is summed over the shorter operand, the kernel, in one pass over the other one,
// the signal. Programs know types and the number of axes but no sizes, so that a new size compiles nothing. What they share is in
// direct.cl; direct_cpu.cl and direct_gpu.cl hold the two shapes of the kernel.
#include "direct.h"

#include "runtime/kernel.h"
#include "runtime/lines.h"
#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Numbers that a work-item of a GPU has on their way to local memory at once.
#define BATCH_OF_ROWS 9u
#define BATCH_OF_LINES 4u

typedef struct direct_array {
    cl_mem packed_lines, lines; // tables of mst_lines_create; the second only where there are gaps
    bool has_gaps;
    cl_long row, column, packed_row, packed_column; // strides
} direct_array;

typedef struct mst_direct {
    mst_convolution *plan;
    mst_direct_tiling tiling;
    mst_stream *stream;
    mst_kernel *kernel;
    size_t lines_an_item;
    direct_array arrays[N_ARRAYS];
} mst_direct;

static int first_axis(const mst_convolution_desc *d) { return d->axes[0]; }
static int last_axis(const mst_convolution_desc *d) { return d->axes[d->n_axes - 1]; }

// The lines (images) of an array: along two axes, the first one does not count either.
static mst_status make_lines(const mst_convolution *plan, const mst_layout *layout, cl_mem *out, mst_error *error) {
    mst_layout rest = *layout;
    if (plan->desc.n_axes > 1)
        rest.shape[first_axis(&plan->desc)] = 1;
    return mst_lines_create(plan->context, &rest, last_axis(&plan->desc), out, error);
}

static mst_status make_array(mst_direct *direct, int a, mst_error *error) {
    mst_status status = MST_OK;
    const mst_convolution *plan = direct->plan;
    const mst_convolution_desc *d = &plan->desc;
    const mst_layout *layout = mst_convolution_layout(plan, a);
    const mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    direct_array *array = &direct->arrays[a];
    array->has_gaps = !mst_layout_is_dense(layout);
    array->row = d->n_axes > 1 ? layout->strides[first_axis(d)] : 0;
    array->packed_row = d->n_axes > 1 ? packed.strides[first_axis(d)] : 0;
    array->column = layout->strides[last_axis(d)];
    array->packed_column = packed.strides[last_axis(d)];
    MST_TRY(make_lines(plan, &packed, &array->packed_lines, error));
    if (array->has_gaps)
        MST_TRY(make_lines(plan, layout, &array->lines, error));
fail:
    return status;
}

static void print_options(const mst_direct *direct, char *out, size_t size) {
    const mst_convolution_desc *d = &direct->plan->desc;
    const mst_direct_tiling *t = &direct->tiling;
    const mst_layout *signal = mst_convolution_layout(direct->plan, t->signal),
                     *taps = mst_convolution_layout(direct->plan, t->taps);
    bool is_double = direct->plan->work_type == MST_COMPLEX128, turned = d->correlate && t->taps == Y;
    int n = snprintf(out, size,
                     "-D PRECISION=%d -D SIGNAL=%s -D SIGNAL_COMPLEX=%d -D KERNEL=%s -D KERNEL_COMPLEX=%d -D RESULT=%s "
                     "-D RESULT_COMPLEX=%d -D AXES=%d -D CIRCULAR=%d -D TURN_SIGNAL=%d -D TURN_KERNEL=%d -D CONJUGATE_KERNEL=%d",
                     is_double ? 64 : 32, mst_type_element(signal->type), mst_type_is_complex(signal->type),
                     mst_type_element(taps->type), mst_type_is_complex(taps->type), mst_type_element(d->z.type),
                     mst_type_is_complex(d->z.type), t->n_axes, d->mode == MST_CONVOLUTION_CIRCULAR, d->correlate && t->taps == X,
                     !turned, turned);
    if (t->cpu)
        snprintf(out + n, size - (size_t)n, " -D LANES=%u -D VECTOR=%s%u -D VLOAD=vload%u -D VSTORE=vstore%u", t->lanes,
                 is_double ? "double" : "float", t->lanes, t->lanes, t->lanes);
    else
        snprintf(out + n, size - (size_t)n, " -D ITEM=%u -D GROUP=%u -D BATCH=%u", t->item, t->group,
                 t->n_axes > 1 ? BATCH_OF_ROWS : BATCH_OF_LINES);
}

static mst_status make_kernel(mst_direct *direct, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = direct->plan->context;
    char options[400];
    const mst_program *program;
    mst_text text = {0};
    print_options(direct, options, sizeof options);
    MST_TRY(mst_program_add_file(context, "direct.cl", &text, error));
    MST_TRY(mst_program_add_file(context, direct->tiling.cpu ? "direct_cpu.cl" : "direct_gpu.cl", &text, error));
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

typedef struct place {
    cl_mem buffer, lines;
    cl_long4 at;
} place;

static place place_of(const mst_direct *direct, const mst_block *block, int a) {
    const direct_array *array = &direct->arrays[a];
    const mst_block_port *port = &block->ports[a];
    bool packed = port->packed || !array->has_gaps;
    // With one line for all, line 0 is read for each: its table has no dimensions.
    return (place){port->buffer,
                   packed ? array->packed_lines : array->lines,
                   {.s = {port->base, (cl_long)(port->first_item * direct->lines_an_item),
                          packed ? array->packed_row : array->row, packed ? array->packed_column : array->column}}};
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    const mst_direct *direct = user;
    const mst_direct_tiling *t = &direct->tiling;
    const place s = place_of(direct, block, t->signal), k = place_of(direct, block, t->taps), z = place_of(direct, block, Z);
    const mst_direct_launch launch = mst_direct_share_out(t, block->count * direct->lines_an_item);
    const cl_long8 sizes = mst_direct_sizes(t);
    const mst_argument arguments[] = {MST_BIND(signal, s.buffer),
                                      MST_BIND(signal_at, s.at),
                                      MST_BIND(signal_lines, s.lines),
                                      MST_BIND(taps, k.buffer),
                                      MST_BIND(taps_at, k.at),
                                      MST_BIND(taps_lines, k.lines),
                                      MST_BIND(result, z.buffer),
                                      MST_BIND(result_at, z.at),
                                      MST_BIND(result_lines, z.lines),
                                      MST_BIND(sizes, sizes),
                                      MST_BIND(tiles, launch.tiles),
                                      MST_BIND(tile, launch.tile),
                                      MST_BIND_LOCAL(values, t->values_bytes),
                                      MST_BIND_LOCAL(weights, t->weights_bytes),
                                      MST_BIND_LOCAL(totals, t->totals_bytes)};
    size_t n = MST_COUNT(arguments) - (t->cpu ? 0 : 1); // GPUs keep sums in registers
    return mst_kernel_launch(block->queue, direct->kernel, arguments, n, launch.items, t->cpu ? 1 : t->group, NULL, error);
}

static mst_status make_stream(mst_direct *direct, mst_error *error) {
    const mst_convolution *plan = direct->plan;
    const mst_convolution_desc *d = &plan->desc;
    int split = first_axis(d);
    mst_stream_desc stream = {
        .context = plan->context,
        .n_items = plan->n_lines[Z] / direct->lines_an_item,
        .n_ports = N_ARRAYS,
        .ports = {{MST_PORT_INPUT, d->x, split, "x"}, {MST_PORT_INPUT, d->y, split, "y"}, {MST_PORT_OUTPUT, d->z, split, "z"}},
        .table_bytes = 2 * N_ARRAYS * MST_LINES_BYTES,
        .prepare = prepare,
        .compute = compute,
        .user = direct};
    for (int a = X; a <= Y; a++)
        if (plan->n_lines[a] < plan->n_lines[Z])
            stream.ports[a].kind = MST_PORT_FIXED;
    return mst_stream_create(&stream, &direct->stream, error);
}

static mst_status create(mst_convolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_convolution_desc *d = &plan->desc;
    mst_direct *direct = plan->work = calloc(1, sizeof *direct);
    MST_REQUIRE(direct, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    direct->plan = plan;
    direct->lines_an_item = 1;
    for (int k = first_axis(d) + 1; k < d->z.rank; k++)
        if (k != last_axis(d))
            direct->lines_an_item *= d->z.shape[k];
    mst_direct_plan(plan, &direct->tiling);
    MST_TRY(make_stream(direct, error));
    for (int a = 0; a < N_ARRAYS; a++)
        MST_TRY(make_array(direct, a, error));
    MST_TRY(make_kernel(direct, error));
fail:
    return status;
}

static void destroy(void *work) {
    mst_direct *direct = work;
    if (!direct)
        return;
    mst_context *context = direct->plan->context;
    mst_stream_destroy(direct->stream);
    mst_kernel_destroy(direct->kernel);
    for (int a = 0; a < N_ARRAYS; a++) {
        mst_lines_release(context, direct->arrays[a].packed_lines);
        mst_lines_release(context, direct->arrays[a].lines);
    }
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
