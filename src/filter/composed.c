// Filtering by plans of the FFT engine: real rows and columns (and, of volumes, what is across) forward, a kernel for the mask,
// and back. For any size that it has transforms for.
#include "composed.h"
#include "mask.h"

#include "fft/plan.h"
#include "runtime/numbers.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct mst_filter_composed {
    mst_fft *forward, *inverse;
    mst_kernel *mask;
    mst_wiener *wiener; // in place of it; NULL: none
    cl_mem spectra;
    uint64_t bytes; // of spectra
} composed;

static uint64_t spectrum_bytes(const mst_filter *plan) {
    return (uint64_t)plan->r * plan->p * mst_filter_spectrum_columns(plan) * (plan->cosine ? 1 : 2) * mst_filter_real_bytes(plan);
}

static mst_fft_desc describe(const mst_filter *plan, mst_fft_direction direction) {
    mst_fft_desc d = MST_FFT_DESC_INIT;
    const size_t n = plan->n_images * plan->colours, columns = mst_filter_spectrum_columns(plan);
    const mst_type type = plan->desc.type, pairs = plan->is_double ? MST_COMPLEX128 : MST_COMPLEX64;
    const int n_axes = plan->desc.volume ? 3 : 2;
    const size_t real[2][4] = {{n, plan->p, plan->q}, {n, plan->r, plan->p, plan->q}},
                 half[2][4] = {{n, plan->p, columns}, {n, plan->r, plan->p, columns}};
    mst_layout planes = mst_layout_dense(type, n_axes + 1, real[plan->desc.volume]);
    mst_layout spectra = mst_layout_dense(plan->cosine ? type : pairs, n_axes + 1, half[plan->desc.volume]);
    bool forward = direction == MST_FFT_FORWARD;
    d.input = forward ? planes : spectra;
    d.output = forward ? spectra : planes;
    d.n_axes = n_axes;
    for (int axis = 0; axis < n_axes; axis++)
        d.axes[axis] = axis + 1;
    d.direction = direction;
    d.scale = forward ? 1 : 1 / ((double)plan->r * (double)plan->p * (double)plan->q * (plan->cosine ? 1 << n_axes : 1));
    d.kind = plan->cosine ? MST_FFT_DCT2 : MST_FFT_FOURIER;
    d.shape = plan->desc.shape;
    return d;
}

static mst_status plan_transforms(mst_filter *plan, uint64_t *table_bytes, mst_error *error) {
    mst_status status = MST_OK;
    composed *c = plan->work = calloc(1, sizeof *c);
    const mst_fft_desc forward = describe(plan, MST_FFT_FORWARD), inverse = describe(plan, MST_FFT_INVERSE);
    MST_REQUIRE(c, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    MST_TRY(mst_fft_create_planned(plan->context, &forward, &c->forward, error));
    MST_TRY(mst_fft_create_planned(plan->context, &inverse, &c->inverse, error));
    *table_bytes = c->forward->table_bytes + c->inverse->table_bytes;
fail:
    return status;
}

static mst_status create(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    composed *c = plan->work = calloc(1, sizeof *c);
    const mst_fft_desc forward = describe(plan, MST_FFT_FORWARD), inverse = describe(plan, MST_FFT_INVERSE);
    mst_text text = {0};
    char options[100];
    const mst_program *program;
    MST_REQUIRE(c, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    MST_TRY(mst_fft_create_with(plan->context, &forward, NULL, &c->forward, error));
    MST_TRY(mst_fft_create_with(plan->context, &inverse, NULL, &c->inverse, error));
    if (plan->desc.kind == MST_FILTER_WIENER)
        return mst_wiener_create(plan, &c->wiener, error);
    MST_TRY(mst_program_add_file(plan->context, "any_mask.cl", &text, error));
    MST_TRY(mst_program_add_file(plan->context, "composed.cl", &text, error));
    snprintf(options, sizeof options, "%s -D NUMBER=%s", mst_program_precision(plan->context, plan->is_double),
             plan->cosine ? "real" : "real2");
    MST_TRY(mst_program_of_text(plan->context, "filter: the mask", &text, options, &program, error));
    MST_TRY(mst_kernel_create(program, "multiply_by_mask", &c->mask, error));
fail:
    mst_text_release(&text);
    return status;
}

static void count_work(const mst_filter *plan, mst_stream_desc *stream) {
    const composed *c = plan->work;
    stream->item_work_bytes +=
        plan->colours * (spectrum_bytes(plan) + mst_fft_work_bytes(c->forward) + mst_fft_work_bytes(c->inverse) +
                         (plan->desc.kind == MST_FILTER_WIENER ? mst_wiener_bytes(plan) : 0));
}

static mst_status prepare(mst_filter *plan, size_t n_images, mst_error *error) {
    mst_status status = MST_OK;
    composed *c = plan->work;
    size_t n_planes = n_images * plan->colours;
    mst_device_release(plan->context, c->spectra, c->bytes);
    c->spectra = NULL;
    if (c->forward)
        MST_TRY(mst_fft_prepare(c->forward, n_planes, error));
    if (c->inverse)
        MST_TRY(mst_fft_prepare(c->inverse, n_planes, error));
    if (c->wiener)
        MST_TRY(mst_wiener_prepare(plan, c->wiener, n_planes, error));
    c->bytes = n_planes * spectrum_bytes(plan);
    if (n_planes > 0)
        MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, c->bytes, "spectra", &c->spectra, error));
fail:
    return status;
}

static void destroy(mst_filter *plan) {
    composed *c = plan->work;
    if (!c)
        return;
    prepare(plan, 0, NULL);
    mst_fft_destroy(c->forward);
    mst_fft_destroy(c->inverse);
    mst_kernel_destroy(c->mask);
    mst_wiener_destroy(plan, c->wiener);
    free(c);
}

static mst_block fft_block(const mst_block *block, size_t n_planes, cl_mem from, cl_mem to) {
    return (mst_block){
        .count = n_planes, .queue = block->queue, .ports = {{.buffer = from, .packed = true}, {.buffer = to, .packed = true}}};
}

static mst_status multiply_by_mask(mst_filter *plan, const mst_block *block, size_t n_planes, mst_error *error) {
    composed *c = plan->work;
    cl_uint columns = (cl_uint)mst_filter_spectrum_columns(plan);
    cl_uint mask_rows = (cl_uint)mst_mask_rows(plan), mask_columns = (cl_uint)mst_mask_columns(plan);
    cl_ulong rows = (cl_ulong)plan->r * plan->p, n = n_planes * rows * columns;
    cl_int kind = (cl_int)mst_mask_kernel_kind(plan), rolloff = (cl_int)plan->desc.rolloff, order = plan->desc.order;
    cl_uint n_discs = (cl_uint)plan->mask.n_discs;
    const mst_argument arguments[] = {MST_BIND(spectra, c->spectra),
                                      MST_BIND(rows, rows),
                                      MST_BIND(columns, columns),
                                      MST_BIND(mask_rows, mask_rows),
                                      MST_BIND(mask_columns, mask_columns),
                                      MST_BIND(n, n),
                                      MST_BIND(mask, plan->mask.table),
                                      MST_BIND(kind, kind),
                                      MST_BIND(rolloff, rolloff),
                                      MST_BIND(order, order),
                                      MST_BIND(n_discs, n_discs)};
    return mst_kernel_launch(block->queue, c->mask, arguments, MST_COUNT(arguments), (size_t)n,
                             mst_kernel_group(plan->context, c->mask, (size_t)n), mst_filter_timing_command(plan, MST_PART_MASK),
                             error);
}

static mst_status run(mst_filter *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    composed *c = plan->work;
    size_t n_planes = block->count * plan->colours;
    mst_block there = fft_block(block, n_planes, plan->planes.buffer, c->spectra);
    mst_block back = fft_block(block, n_planes, c->spectra, plan->planes.buffer);
    if (c->wiener)
        MST_TRY(mst_wiener_look(plan, c->wiener, block->queue, n_planes, error));
    MST_TRY(mst_filter_timing_begin(plan, block->queue, error));
    MST_TRY(mst_fft_compute(c->forward, &there, error));
    MST_TRY(mst_filter_timing_end(plan, block->queue, MST_PART_FORWARD, error));
    if (c->wiener)
        MST_TRY(mst_wiener_apply(plan, c->wiener, block->queue, n_planes, c->spectra, error));
    else
        MST_TRY(multiply_by_mask(plan, block, n_planes, error));
    MST_TRY(mst_filter_timing_begin(plan, block->queue, error));
    MST_TRY(mst_fft_compute(c->inverse, &back, error));
    MST_TRY(mst_filter_timing_end(plan, block->queue, MST_PART_INVERSE, error));
fail:
    return status;
}

const mst_filter_method mst_composed_filter_method = {plan_transforms,      create, destroy, count_work, prepare, run,
                                                      .takes_images = false};
