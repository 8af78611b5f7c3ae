// What a stage needs on the device.
#include "stage_text.h"

#include "fft/twiddle.h"
#include "runtime/program.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_BY_COLUMN ((size_t)1 << 21) // transforms with twiddles by column; of longer ones they are too large

size_t mst_stage_blocks(const mst_geometry *g, int array) { return array == Z || array == g->blocked ? g->n_blocks : 1; }

bool mst_stage_has_port(const mst_stage *s, int port) { return port != WITH || s->kind == MST_STAGE_FUSED; }

size_t mst_stage_lines(const mst_stage *s) { return s->rows * s->before * s->inner; }

// The caller's lines; one vector that goes with all has them all in the same place.
mst_view mst_stage_view(const mst_stage *s, int array, bool own) {
    const mst_convolution *plan = s->plan;
    const mst_layout *layout = mst_convolution_layout(plan, array), *z = mst_convolution_layout(plan, Z);
    mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    const ptrdiff_t *strides = own ? layout->strides : packed.strides;
    mst_view v = {.axis_stride = strides[s->g->axes[s->g->n_axes - 1].axis], .step = 1};
    for (int k = 0; k < z->rank; k++) {
        bool transformed = k == s->g->axes[0].axis || k == s->g->axes[s->g->n_axes - 1].axis;
        if (transformed)
            continue;
        v.counts[v.n_dims] = z->shape[k];
        v.outer[v.n_dims++] = mst_stage_one(plan, array) ? 0 : strides[k];
    }
    mst_view_merge(&v, NULL);
    return v;
}

// Rows of a two-axis plan: what comes before the last axis. Only those that hold something, or are kept, are transformed.
size_t mst_stage_load_limit(const mst_stage *s, int port) {
    const mst_digit *d = &s->g->digits[s->digit];
    bool first = s->g->n_axes > 1 && d->axis == 0 && s->before == 1;
    return first && s->kind != MST_STAGE_BACKWARD && s->ports[port].forward ? s->g->axes[0].extent[s->ports[port].array] : 0;
}

bool mst_stage_store_limited(const mst_stage *s) {
    const mst_digit *d = &s->g->digits[s->digit];
    return s->g->n_axes > 1 && d->axis == 0 && s->before == 1 && s->kind != MST_STAGE_FORWARD;
}

static void place_lines(mst_stage *s) {
    const mst_geometry *g = s->g;
    const mst_digit *d = &g->digits[s->digit];
    s->column = 1;
    for (int a = d->axis + 1; a < g->n_axes; a++)
        s->column *= g->axes[a].n;
    s->inner = d->rest * s->column;
    s->before = g->axes[d->axis].n / d->n / d->rest;
    s->rows = 1;
    s->first_row = 0;
    if (d->axis > 0) {
        s->rows = s->kind == MST_STAGE_BACKWARD ? g->axes[0].kept : g->axes[0].extent[s->ports[FROM].array];
        s->first_row = s->kind == MST_STAGE_BACKWARD ? g->axes[0].start : 0;
    }
}

static int64_t element_stride(const mst_stage *s, int port) {
    return s->ports[port].work ? (int64_t)s->inner : mst_stage_view(s, s->ports[port].array, true).axis_stride;
}

mst_status mst_stage_plan(mst_stage *s, mst_error *error) {
    mst_status status = MST_OK;
    const mst_digit *d = &s->g->digits[s->digit];
    const mst_device_info *device = &s->plan->context->device;
    mst_pass *pass = &s->pass;
    uint64_t size = mst_type_bytes(s->plan->work_type);
    place_lines(s);
    pass->choice = s->plan->choice.pass;
    pass->cpu = s->g->cpu;
    pass->fused = true;
    pass->two_operands = s->kind == MST_STAGE_FUSED && s->ports[FROM].forward && s->ports[WITH].forward;
    pass->is_double = s->plan->work_type == MST_COMPLEX128;
    pass->n = d->n;
    pass->source = (mst_view){.axis_stride = element_stride(s, FROM), .step = 1};
    pass->target = (mst_view){.axis_stride = element_stride(s, TO), .step = 1};
    pass->twiddle_n = d->rest > 1 ? d->n * d->rest : 0;
    pass->twiddle_by_column = !pass->cpu && pass->twiddle_n <= LONGEST_BY_COLUMN;
    MST_REQUIRE(mst_pass_choose_radices(pass), MST_ERROR_UNSUPPORTED, "the fused algorithm has no radices for length %zu", d->n);
    MST_TRY(mst_pass_shape(pass, device, error));
    s->back = mst_pass_back(pass);
    mst_stage_tables *tables = &s->own;
    s->tables = tables;
    tables->steps[0].bytes = mst_pass_table_count(pass) * size;
    if (s->kind == MST_STAGE_FUSED && !pass->cpu)
        tables->steps[1].bytes = mst_pass_table_count(&s->back) * size;
    bool caller = !s->ports[FROM].work || !s->ports[TO].work || (s->kind == MST_STAGE_FUSED && !s->ports[WITH].work);
    if (s->g->right_angle && caller)
        tables->weights.bytes = s->g->axes[s->g->n_axes - 1].n * size;
    // Backwards they are taken while loading, by the first radix there, else while storing, by the last one here: the same.
    tables->bytes = mst_twiddle_tables_plan(&tables->twiddles, s->kind == MST_STAGE_BACKWARD ? &s->back : pass);
    tables->bytes += tables->steps[0].bytes + tables->steps[1].bytes + tables->weights.bytes;
fail:
    return status;
}

static bool has_table(const mst_device_table *there, const mst_device_table *wanted) {
    return wanted->bytes == 0 || wanted->bytes == there->bytes;
}

// Stages of one digit differ in radices where their elements lie differently.
static bool has_tables(const mst_stage *there, const mst_stage *s) {
    const mst_stage_tables *t = &there->own, *wanted = &s->own;
    return there->digit == s->digit && there->pass.n_radices == s->pass.n_radices &&
           memcmp(there->pass.radices, s->pass.radices, sizeof s->pass.radices) == 0 &&
           has_table(&t->steps[0], &wanted->steps[0]) && has_table(&t->steps[1], &wanted->steps[1]) &&
           has_table(&t->twiddles.low, &wanted->twiddles.low) && has_table(&t->twiddles.high, &wanted->twiddles.high) &&
           has_table(&t->twiddles.lanes, &wanted->twiddles.lanes) && has_table(&t->weights, &wanted->weights);
}

void mst_stage_share_tables(mst_stage *s, mst_stage *earlier, int n_earlier) {
    for (int k = 0; k < n_earlier; k++)
        if (earlier[k].tables == &earlier[k].own && has_tables(&earlier[k], s)) {
            s->tables = &earlier[k].own;
            s->own = (mst_stage_tables){0};
            return;
        }
}

// exp(i pi p / 2h) for p < h.
static mst_status make_weights(mst_stage *s, mst_error *error) {
    size_t h = s->g->axes[s->g->n_axes - 1].n;
    mst_roots roots;
    void *values = mst_roots_create(&roots, 4 * h) ? malloc((size_t)s->own.weights.bytes) : NULL;
    for (size_t p = 0; p < h && values; p++) {
        mst_root w = mst_roots_get(&roots, p);
        mst_table_put(values, s->pass.is_double, p, (mst_root){w.re, -w.im});
    }
    mst_roots_destroy(&roots);
    return mst_table_upload(s->plan->context, &s->own.weights, values, error);
}

mst_status mst_stage_make_tables(mst_stage *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = s->plan->context;
    if (s->tables != &s->own)
        return MST_OK;
    MST_TRY(mst_table_make_steps(context, &s->own.steps[0], &s->pass, error));
    if (s->own.steps[1].bytes)
        MST_TRY(mst_table_make_steps(context, &s->own.steps[1], &s->back, error));
    MST_TRY(mst_twiddle_tables_make(context, &s->own.twiddles, error));
    if (s->own.weights.bytes)
        MST_TRY(make_weights(s, error));
fail:
    return status;
}

mst_status mst_stage_kernel(mst_stage *s, int own, cl_kernel *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_text text = {0};
    cl_program program;
    *out = s->kernels[own];
    if (*out)
        return MST_OK;
    mst_stage_write(s, own, &text);
    MST_REQUIRE(!text.failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    MST_TRY(mst_program_build(s->plan->context, text.text, s->pass.is_double ? "-D PRECISION=64" : "-D PRECISION=32", &program,
                              error));
    MST_TRY(mst_kernel_create(program, "stage", &s->kernels[own], error));
    *out = s->kernels[own];
fail:
    mst_text_release(&text);
    return status;
}

mst_status mst_stage_enqueue(mst_stage *s, cl_command_queue queue, const mst_stage_array arrays[N_STAGE_PORTS], size_t vectors,
                             mst_error *error) {
    mst_status status = MST_OK;
    cl_kernel kernel;
    cl_ulong n_lines = (cl_ulong)vectors * mst_stage_lines(s);
    const mst_stage_tables *tables = s->tables;
    const mst_pass_launch launch = mst_pass_share_out(&s->pass, &s->plan->context->device, n_lines);
    cl_uint log_low = tables->twiddles.log_low;
    int own = 0;
    for (int port = 0; port < N_STAGE_PORTS; port++)
        own |= arrays[port].own ? 1 << port : 0;
    MST_TRY(mst_stage_kernel(s, own, &kernel, error));
    // Tables that a stage does not use are any buffer.
    cl_mem table = tables->steps[0].buffer, back = tables->steps[1].buffer ? tables->steps[1].buffer : table;
    cl_mem low = tables->twiddles.low.buffer ? tables->twiddles.low.buffer : table;
    cl_mem high = tables->twiddles.high.buffer ? tables->twiddles.high.buffer : table;
    cl_mem lanes = tables->twiddles.lanes.buffer ? tables->twiddles.lanes.buffer : table;
    cl_mem weights = tables->weights.buffer ? tables->weights.buffer : table;
    const mst_argument arguments[] = {MST_ARGUMENT(arrays[FROM].buffer),
                                      MST_ARGUMENT(arrays[FROM].base),
                                      MST_ARGUMENT(arrays[FROM].first_line),
                                      MST_ARGUMENT(arrays[WITH].buffer),
                                      MST_ARGUMENT(arrays[WITH].base),
                                      MST_ARGUMENT(arrays[WITH].first_line),
                                      MST_ARGUMENT(arrays[TO].buffer),
                                      MST_ARGUMENT(arrays[TO].base),
                                      MST_ARGUMENT(arrays[TO].first_line),
                                      MST_ARGUMENT(n_lines),
                                      MST_ARGUMENT(table),
                                      MST_ARGUMENT(back),
                                      MST_ARGUMENT(low),
                                      MST_ARGUMENT(high),
                                      MST_ARGUMENT(log_low),
                                      MST_ARGUMENT(lanes),
                                      MST_ARGUMENT(weights),
                                      MST_ARGUMENT(launch.tiles_an_item)};
    MST_TRY(mst_kernel_enqueue(queue, kernel, arguments, s->pass.cpu ? 18 : 17, launch.items, launch.group, error));
fail:
    return status;
}

void mst_stage_release(mst_stage *s) {
    mst_context *context = s->plan->context;
    mst_table_release(context, &s->own.steps[0]);
    mst_table_release(context, &s->own.steps[1]);
    mst_table_release(context, &s->own.weights);
    mst_twiddle_tables_release(context, &s->own.twiddles);
    for (int k = 0; k < 1 << N_STAGE_PORTS; k++)
        mst_kernel_release(s->kernels[k]);
}
