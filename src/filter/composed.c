// Filtering by plans of the FFT engine: real rows and columns forward, a kernel for the mask, and back. For any size that it has
// transforms for.
#include "plan.h"

#include "fft/plan.h"
#include "runtime/program.h"

#include <stdlib.h>

typedef struct mst_filter_composed {
    mst_fft *forward, *inverse;
    cl_kernel mask;
    cl_mem spectra;
    uint64_t bytes; // of spectra
} composed;

static uint64_t spectrum_bytes(const mst_filter *plan) { return (uint64_t)plan->p * (plan->q / 2 + 1) * sizeof(cl_float2); }

static mst_status make_fft(const mst_filter *plan, mst_fft_direction direction, mst_fft **out, mst_error *error) {
    mst_fft_desc d = MST_FFT_DESC_INIT;
    const size_t real[] = {plan->n_images * plan->colours, plan->p, plan->q}, half[] = {real[0], plan->p, plan->q / 2 + 1};
    mst_layout planes = mst_layout_dense(MST_FLOAT32, 3, real), spectra = mst_layout_dense(MST_COMPLEX64, 3, half);
    bool forward = direction == MST_FFT_FORWARD;
    d.input = forward ? planes : spectra;
    d.output = forward ? spectra : planes;
    d.n_axes = 2;
    d.axes[0] = 1;
    d.axes[1] = 2;
    d.direction = direction;
    d.scale = forward ? 1 : 1 / ((double)plan->p * (double)plan->q);
    d.shape = plan->desc.shape;
    return mst_fft_create(plan->context, &d, out, error);
}

mst_status mst_composed_create(mst_filter *plan, mst_error *error) {
    mst_status status = MST_OK;
    composed *c = plan->composed = calloc(1, sizeof *c);
    mst_text text = {0};
    cl_program program;
    MST_REQUIRE(c, MST_ERROR_HOST_MEMORY, "out of memory making a plan");
    MST_TRY(make_fft(plan, MST_FFT_FORWARD, &c->forward, error));
    MST_TRY(make_fft(plan, MST_FFT_INVERSE, &c->inverse, error));
    mst_text_add(&text, "%s", plan->mask.text);
    MST_TRY(mst_program_add_file(plan->context, "composed.cl", &text, error));
    MST_REQUIRE(!text.failed, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    MST_TRY(mst_program_build(plan->context, text.text, "-D PRECISION=32", &program, error));
    MST_TRY(mst_kernel_create(program, "multiply_by_mask", &c->mask, error));
fail:
    mst_text_release(&text);
    return status;
}

void mst_composed_destroy(mst_filter *plan) {
    composed *c = plan->composed;
    if (!c)
        return;
    mst_composed_prepare(plan, 0, NULL);
    mst_fft_destroy(c->forward);
    mst_fft_destroy(c->inverse);
    mst_kernel_release(c->mask);
    free(c);
}

static uint64_t work_bytes(const mst_fft *fft) {
    uint64_t bytes = 0;
    for (int b = WORK; b < N_BUFFERS; b++)
        bytes += fft->item_bytes[b];
    return bytes;
}

uint64_t mst_composed_plane_bytes(const mst_filter *plan) {
    return spectrum_bytes(plan) + work_bytes(plan->composed->forward) + work_bytes(plan->composed->inverse);
}

mst_status mst_composed_prepare(mst_filter *plan, size_t n_planes, mst_error *error) {
    mst_status status = MST_OK;
    composed *c = plan->composed;
    mst_device_release(plan->context, c->spectra, c->bytes);
    c->spectra = NULL;
    if (c->forward)
        MST_TRY(mst_fft_prepare(c->forward, n_planes, error));
    if (c->inverse)
        MST_TRY(mst_fft_prepare(c->inverse, n_planes, error));
    c->bytes = n_planes * spectrum_bytes(plan);
    if (n_planes > 0)
        MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, c->bytes, "spectra", &c->spectra, error));
fail:
    return status;
}

static mst_block fft_block(const mst_block *block, size_t n_planes, cl_mem from, cl_mem to) {
    return (mst_block){
        .count = n_planes, .queue = block->queue, .ports = {{.buffer = from, .packed = true}, {.buffer = to, .packed = true}}};
}

mst_status mst_composed_run(mst_filter *plan, const mst_block *block, mst_error *error) {
    mst_status status = MST_OK;
    composed *c = plan->composed;
    size_t n_planes = block->count * plan->colours;
    mst_block there = fft_block(block, n_planes, plan->planes.buffer, c->spectra);
    mst_block back = fft_block(block, n_planes, c->spectra, plan->planes.buffer);
    cl_uint p = (cl_uint)plan->p, half = (cl_uint)(plan->q / 2 + 1);
    cl_ulong n = (cl_ulong)n_planes * p * half;
    const mst_argument arguments[] = {MST_ARGUMENT(c->spectra), MST_ARGUMENT(p), MST_ARGUMENT(half), MST_ARGUMENT(n),
                                      MST_ARGUMENT(plan->mask.table)};
    MST_TRY(mst_stage_begin(plan, block, error));
    MST_TRY(mst_fft_compute(c->forward, &there, error));
    MST_TRY(mst_stage_end(plan, block, STAGE_FORWARD, error));
    MST_TRY(mst_kernel_enqueue_event(block->queue, c->mask, arguments, 5, (size_t)n,
                                     mst_kernel_group(plan->context, c->mask, (size_t)n), mst_stage_command(plan, STAGE_MASK),
                                     error));
    MST_TRY(mst_stage_begin(plan, block, error));
    MST_TRY(mst_fft_compute(c->inverse, &back, error));
    MST_TRY(mst_stage_end(plan, block, STAGE_INVERSE, error));
fail:
    return status;
}
