// The fused algorithm: padding, both transforms, the product, the inverse and cropping in one kernel, so that every value crosses
// memory once. For padded lengths that one work-group holds.
#include "plan.h"

#include "fft/device_table.h"
#include "runtime/program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mst_fused {
    mst_convolution *plan;
    mst_stream *stream;
    size_t n; // padded length
    mst_pass pass, back;
    size_t lines_an_item;
    mst_device_table tables[2];       // of pass and back
    cl_kernel kernels[1 << N_ARRAYS]; // by which arrays have the caller's layout, not packed
} mst_fused;

// Circular convolution of any length that the FFT has radices for needs no padding; else the padded length is a power of two.
static size_t fused_length(const mst_convolution *plan) { return plan->period ? plan->period : (size_t)1 << plan->log_n; }

bool mst_fused_can(const mst_convolution *plan) {
    unsigned radices[MST_PASS_RADICES];
    int count;
    size_t n = fused_length(plan);
    return n <= mst_pass_longest(&plan->context->device, false, plan->work_type == MST_COMPLEX128) &&
           mst_pass_factor(n, false, radices, &count);
}

// The lines of an array along the axis; one vector that goes with all has them all in the same place.
static mst_view view_of(const mst_convolution *plan, int array, bool own) {
    const mst_layout *layout = mst_convolution_layout(plan, array), *z = mst_convolution_layout(plan, Z);
    mst_layout packed = mst_layout_dense(layout->type, layout->rank, layout->shape);
    bool one = plan->n_lines[array] < plan->n_lines[Z];
    const ptrdiff_t *strides = own ? layout->strides : packed.strides;
    mst_view v = {.axis_stride = strides[plan->desc.axis], .step = 1};
    for (int k = 0; k < z->rank; k++)
        if (k != plan->desc.axis) {
            v.counts[v.n_dims] = z->shape[k];
            v.outer[v.n_dims++] = one ? 0 : strides[k];
        }
    mst_view_merge(&v, NULL);
    return v;
}

static bool is_complex(mst_type type) { return type == MST_COMPLEX64 || type == MST_COMPLEX128; }

static void write_load(const mst_convolution *plan, int array, const mst_view *v, mst_text *out) {
    mst_type type = mst_convolution_layout(plan, array)->type;
    char name = array == X ? 'x' : 'y';
    int reversal = array == Y ? plan->reversal : 0;
    const char *index = reversal == 1 ? "length - 1 - p" : reversal == 2 ? "(p > 0 ? length - p : 0)" : "p";
    mst_text_add(out,
                 "real2 load_%c(__global const %c_ELEMENT *%c, long outer, uint p) {\n    const uint length = %zuu;\n"
                 "    if (p >= length)\n        return (real2)(0, 0);\n    const long at = outer + (long)(%s) * %lld;\n",
                 name, name - 'x' + 'X', name, plan->lengths[array], index, (long long)v->axis_stride);
    if (is_complex(type))
        mst_text_add(out, "    return (real2)((real)%c[2 * at], %s(real)%c[2 * at + 1]);\n}\n\n", name, reversal ? "-" : "",
                     name);
    else
        mst_text_add(out, "    return (real2)((real)%c[at], 0);\n}\n\n", name);
}

static void write_store(const mst_fused *fused, const mst_view *v, mst_text *out) {
    const mst_convolution *plan = fused->plan;
    size_t start = plan->period ? 0 : plan->start;
    mst_text_add(out,
                 "void store_z(__global Z_ELEMENT *z, long outer, uint p, real2 value) {\n    const uint k = p - %zuu;\n"
                 "    if (k >= %zuu) // below the start, it wraps around\n        return;\n"
                 "    const long at = outer + (long)k * %lld;\n    value *= (real)1 / %zu;\n",
                 start, plan->lengths[Z], (long long)v->axis_stride, fused->n);
    if (is_complex(plan->desc.z.type))
        mst_text_add(out, "    z[2 * at] = value.x;\n    z[2 * at + 1] = value.y;\n}\n\n");
    else
        mst_text_add(out, "    z[at] = value.x;\n}\n\n");
}

static mst_status make_kernel(mst_fused *fused, int own, cl_kernel *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_convolution *plan = fused->plan;
    static const char *const sides[N_ARRAYS] = {"x", "y", "z"};
    mst_text text = {0};
    cl_program program;
    *out = fused->kernels[own];
    if (*out)
        return MST_OK;
    mst_text_add(&text, "// Convolution of vectors of %zu and %zu, padded to %zu.\n\ntypedef real vreal;\n\n", plan->lengths[X],
                 plan->lengths[Y], fused->n);
    mst_butterflies_write(fused->pass.radices, fused->pass.n_radices, &text);
    for (int a = 0; a < N_ARRAYS; a++) {
        mst_view v = view_of(plan, a, own >> a & 1);
        mst_text_add(&text, "#define %c_ELEMENT %s\n", sides[a][0] - 'x' + 'X',
                     mst_convolution_element(mst_convolution_layout(plan, a)->type));
        mst_view_write(&v, sides[a], &text);
        if (a == Z)
            write_store(fused, &v, &text);
        else
            write_load(plan, a, &v, &text);
    }
    const mst_fusion fusion = {
        .head = "convolve(__global const X_ELEMENT *x, long x_base, ulong x_first, __global const Y_ELEMENT *y, long y_base,\n"
                "         ulong y_first, __global Z_ELEMENT *z, long z_base, ulong z_first, ulong n_lines,\n"
                "         __global const real2 *table, __global const real2 *back_table)",
        .locate = "    const long x_at = x_base + x_outer(x_first + line), y_at = y_base + y_outer(y_first + line);\n"
                  "    const long z_at = z_base + z_outer(z_first + line);\n",
        .loads = {"load_x(x, x_at, e)", "load_y(y, y_at, e)"},
        .forward = {true, true},
        .backward = true,
        .store = "store_z(z, z_at, e, value)"};
    mst_pass_write_fusion(&fused->pass, &fused->back, &fusion, &text);
    MST_REQUIRE(!text.failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    MST_TRY(mst_program_build(plan->context, text.text, fused->pass.is_double ? "-D PRECISION=64" : "-D PRECISION=32", &program,
                              error));
    MST_TRY(mst_kernel_create(program, "convolve", &fused->kernels[own], error));
    *out = fused->kernels[own];
fail:
    mst_text_release(&text);
    return status;
}

static mst_status prepare(void *user, size_t n_items, mst_error *error) {
    (void)user;
    (void)n_items;
    (void)error;
    return MST_OK; // no work memory
}

static mst_status compute(void *user, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    mst_fused *fused = user;
    cl_kernel kernel;
    cl_long bases[N_ARRAYS];
    cl_ulong first[N_ARRAYS], n_lines = block->count * fused->lines_an_item;
    int own = 0;
    for (int a = 0; a < N_ARRAYS; a++) {
        const mst_layout *layout = mst_convolution_layout(fused->plan, a);
        bases[a] = block->ports[a].base;
        first[a] = block->ports[a].first_item * fused->lines_an_item;
        if (!block->ports[a].packed && !mst_layout_is_dense(layout))
            own |= 1 << a;
    }
    MST_TRY(make_kernel(fused, own, &kernel, error));
    const mst_argument arguments[] = {MST_ARGUMENT(block->ports[X].buffer),
                                      MST_ARGUMENT(bases[X]),
                                      MST_ARGUMENT(first[X]),
                                      MST_ARGUMENT(block->ports[Y].buffer),
                                      MST_ARGUMENT(bases[Y]),
                                      MST_ARGUMENT(first[Y]),
                                      MST_ARGUMENT(block->ports[Z].buffer),
                                      MST_ARGUMENT(bases[Z]),
                                      MST_ARGUMENT(first[Z]),
                                      MST_ARGUMENT(n_lines),
                                      MST_ARGUMENT(fused->tables[0].buffer),
                                      MST_ARGUMENT(fused->tables[1].buffer)};
    size_t group = (size_t)fused->pass.threads * fused->pass.lines;
    size_t groups = (size_t)((n_lines + fused->pass.lines - 1) / fused->pass.lines);
    MST_TRY(mst_kernel_enqueue(block->queue, kernel, arguments, sizeof arguments / sizeof arguments[0], groups * group, group,
                               error));
fail:
    return status;
}

static mst_status plan_passes(mst_fused *fused, mst_error *error) {
    const mst_convolution *plan = fused->plan;
    mst_pass *pass = &fused->pass;
    pass->is_double = plan->work_type == MST_COMPLEX128;
    pass->n = fused->n;
    pass->source = view_of(plan, X, true);
    pass->target = view_of(plan, Z, true);
    if (!mst_pass_choose_radices(pass))
        return mst_fail(error, MST_ERROR_UNSUPPORTED, "the fused algorithm has no radices for length %zu", pass->n);
    mst_status status = mst_pass_shape(pass, &plan->context->device, error);
    pass->staged = false;
    fused->back = *pass;
    for (int k = 0; k < pass->n_radices; k++)
        fused->back.radices[k] = pass->radices[pass->n_radices - 1 - k];
    for (int k = 0; k < 2; k++)
        fused->tables[k].bytes = mst_pass_table_count(k ? &fused->back : pass) * mst_type_bytes(plan->work_type);
    return status;
}

mst_status mst_fused_create(mst_convolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    const mst_convolution_desc *d = &plan->desc;
    int split = d->axis;
    cl_kernel kernel;
    mst_fused *fused = plan->fused = calloc(1, sizeof *fused);
    MST_REQUIRE(fused, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    fused->plan = plan;
    fused->n = fused_length(plan);
    MST_REQUIRE(mst_fused_can(plan), MST_ERROR_UNSUPPORTED,
                "padded length %zu is too long for the fused algorithm on %s; use auto or paper-e", fused->n,
                plan->context->device.name);
    fused->lines_an_item = 1;
    for (int k = d->axis + 1; k < d->z.rank; k++)
        fused->lines_an_item *= d->z.shape[k];
    MST_TRY(plan_passes(fused, error));
    mst_stream_desc stream = {
        .context = plan->context,
        .n_items = plan->n_lines[Z] / fused->lines_an_item,
        .n_ports = N_ARRAYS,
        .ports = {{MST_PORT_INPUT, d->x, split, "x"}, {MST_PORT_INPUT, d->y, split, "y"}, {MST_PORT_OUTPUT, d->z, split, "z"}},
        .table_bytes = fused->tables[0].bytes + fused->tables[1].bytes,
        .prepare = prepare,
        .compute = compute,
        .user = fused};
    for (int a = X; a <= Y; a++)
        if (plan->n_lines[a] < plan->n_lines[Z])
            stream.ports[a].kind = MST_PORT_FIXED;
    MST_TRY(mst_stream_create(&stream, &fused->stream, error));
    for (int k = 0; k < 2; k++)
        MST_TRY(mst_table_make_steps(plan->context, &fused->tables[k], k ? &fused->back : &fused->pass, error));
    MST_TRY(make_kernel(fused, 0, &kernel, error));
fail:
    return status;
}

void mst_fused_destroy(mst_fused *fused) {
    if (!fused)
        return;
    mst_stream_destroy(fused->stream);
    for (int k = 0; k < 2; k++)
        mst_table_release(fused->plan->context, &fused->tables[k]);
    for (int k = 0; k < 1 << N_ARRAYS; k++)
        mst_kernel_release(fused->kernels[k]);
    free(fused);
}

mst_status mst_fused_execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error) {
    return mst_stream_run(plan->context, plan->fused->stream, where, how, error);
}
