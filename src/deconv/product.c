// The middle of a convolution, GPU-shaped: lines of the half spectra along the last axis that is transformed go forward, are
// multiplied with the transfer, and go back, in one pass over memory in place of three.
#include "passes.h"

#include "fft/write.h"
#include "runtime/numbers.h"

#include <stdio.h>

// Elements of a spectrum from one of a line to the next, which is also how many lines begin beside one another.
static size_t stride_of(const mst_deconvolution *plan) {
    const size_t columns = plan->padded[X] / 2 + 1;
    return plan->product_side == Z ? plan->padded[Y] * columns : columns;
}

static void describe(const mst_device_pass *d, mst_signature *signature) {
    mst_signature_begin(signature, d->name);
    mst_signature_add(signature, "__global real2 *", "spectra");
    mst_signature_add(signature, "__global const real2 *", "transfer");
    mst_signature_add(signature, "int", "conjugate");
    mst_device_pass_add_parameters(d, signature);
}

// There are no ports, and the pass is as it is.
static mst_status write(void *owner, unsigned ports, mst_pass *pass, mst_text *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_deconvolution *plan = owner;
    mst_signature signature;
    char radices[100];
    (void)ports;
    const mst_fusion fusion = {.signature = &signature,
                               .locate = "const ulong own_line = active ? line : 0;\n"
                                         "const ulong at = own_line % STRIDE;\n"
                                         "__global real2 *elements = spectra + own_line / STRIDE * POINTS + at;\n",
                               .loads = {"elements[(ulong)e * STRIDE]"},
                               .forward = {true},
                               .change = "value = complex_multiply(value, factor(transfer[at + (ulong)e * STRIDE], conjugate))",
                               .backward = true,
                               .store = "elements[(ulong)e * STRIDE] = value"};
    describe(&plan->product, &signature);
    mst_pass_radices_text(pass, radices, sizeof radices);
    mst_text_put(out, "// Radix $radices.\n\n", MST_SET(radices, (const char *)radices));
    MST_TRY(mst_butterflies_write(plan->context, pass, out, error));
    mst_text_put(out,
                 "#define STRIDE ${stride}ul // from an element of a line to the next\n"
                 "#define POINTS ${points}ul // of an item's spectrum\n\n"
                 "real2 factor(real2 h, int conjugate) { return (real2)(h.x, conjugate ? -h.y : h.y); }\n\n",
                 MST_SET(stride, stride_of(plan)), MST_SET(points, plan->spectrum_points));
    mst_pass_write_fusion(pass, &fusion, out);
    MST_REQUIRE(!out->failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
fail:
    mst_signature_release(&signature);
    return status;
}

// The slowest axis, if one pass takes it there and back.
static int choose_side(const mst_deconvolution *plan) {
    unsigned radices[MST_PASS_RADICES];
    int count, side = plan->padded[Z] > 1 ? Z : Y;
    const size_t n = plan->padded[side], longest = mst_pass_longest(&plan->context->device, false, plan->is_double);
    return !plan->cpu && n > 1 && n <= longest && mst_pass_factor(n, false, 0, radices, &count) ? side : N_SIDES;
}

void mst_deconvolution_plan_product(mst_deconvolution *plan) {
    mst_device_pass *d = &plan->product;
    mst_pass *pass = &d->pass;
    plan->product_side = choose_side(plan);
    if (plan->product_side == N_SIDES)
        return;
    d->context = plan->context;
    d->owner = plan;
    d->write = write;
    pass->n = plan->padded[plan->product_side];
    pass->is_double = plan->is_double;
    pass->fused = true;
    pass->source = pass->target =
        (mst_view){.n_dims = 1, .counts = {1}, .outer = {1}, .axis_stride = (int64_t)stride_of(plan), .step = 1};
    if (!mst_pass_choose_radices(pass) || mst_pass_shape(pass, &plan->context->device, NULL) != MST_OK) {
        plan->product_side = N_SIDES;
        return;
    }
    mst_pass_tables_plan(&d->tables, pass, true);
    snprintf(d->name, sizeof d->name, "convolve_%zu", pass->n);
    snprintf(d->title, sizeof d->title, "deconvolution: forward, times the transfer, and back, %zu points", pass->n);
}

mst_status mst_deconvolution_make_product(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    if (plan->product_side == N_SIDES)
        return MST_OK;
    MST_TRY(mst_device_pass_make(&plan->product, 0, error));
    MST_TRY(mst_device_pass_make_tables(&plan->product, error));
fail:
    return status;
}

void mst_deconvolution_unmake_product(mst_deconvolution *plan) {
    if (plan->product.context)
        mst_device_pass_release(&plan->product);
    plan->product = (mst_device_pass){.context = NULL};
}

static mst_status multiply(mst_deconvolution *plan, mst_queue *queue, bool conjugate, size_t n_items, mst_error *error) {
    cl_int conjugates = conjugate;
    cl_ulong n = plan->spectrum_points, chunks = mst_deconvolution_chunks(plan, plan->spectrum_points), items = n_items;
    const mst_argument arguments[] = {MST_BIND_AS("spectra", plan->work[WORK_SPECTRA].buffer),
                                      MST_BIND_AS("transfer", plan->transfer.buffer),
                                      MST_BIND_AS("conjugate", conjugates),
                                      MST_BIND(n, n),
                                      MST_BIND(chunks, chunks),
                                      MST_BIND_AS("n_items", items)};
    return mst_deconvolution_launch(plan, queue, KERNEL_PRODUCT, arguments, MST_COUNT(arguments), (size_t)(chunks * items),
                                    error);
}

mst_status mst_deconvolution_filter(mst_deconvolution *plan, mst_queue *queue, bool conjugate, size_t n_items, mst_error *error) {
    cl_int conjugates = conjugate;
    const uint64_t lines = (uint64_t)n_items * (plan->spectrum_points / plan->padded[plan->product_side]);
    const mst_argument arguments[] = {MST_BIND_AS("spectra", plan->work[WORK_SPECTRA].buffer),
                                      MST_BIND_AS("transfer", plan->transfer.buffer), MST_BIND_AS("conjugate", conjugates)};
    return mst_device_pass_enqueue(&plan->product, 0, queue, arguments, MST_COUNT(arguments), lines, NULL, error);
}

mst_status mst_deconvolution_transform(mst_deconvolution *plan, mst_queue *queue, int which, cl_mem from, size_t n_items,
                                       mst_error *error) {
    cl_mem spectra = plan->work[WORK_SPECTRA].buffer;
    const mst_block block = {.count = n_items * mst_deconvolution_transforms(plan),
                             .queue = queue,
                             .ports = {{.buffer = which == ALL_THERE ? from : spectra, .packed = true},
                                       {.buffer = which == ALL_BACK ? plan->work[WORK_REAL].buffer : spectra, .packed = true}}};
    return plan->transforms[which] ? mst_fft_compute(plan->transforms[which], &block, error) : MST_OK;
}

mst_status mst_deconvolution_convolve(mst_deconvolution *plan, mst_queue *queue, cl_mem from, bool mirrored, size_t n_items,
                                      mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_deconvolution_transform(plan, queue, ALL_THERE, from, n_items, error));
    MST_TRY(plan->product_side < N_SIDES ? mst_deconvolution_filter(plan, queue, mirrored, n_items, error)
                                         : multiply(plan, queue, mirrored, n_items, error));
    MST_TRY(mst_deconvolution_transform(plan, queue, ALL_BACK, NULL, n_items, error));
fail:
    return status;
}
