// What follows from the point spread function alone: its spectrum or the inverse filter, and how much of what a point of the
// object emits the detector sees.
#include "passes.h"

#include "runtime/numbers.h"

#include <stdlib.h>

// Points of which less is seen are not estimated: dividing by so little makes noise of it.
#define LEAST_SEEN 0.01

static void *psf_values(const mst_deconvolution *plan, uint64_t bytes) {
    size_t count = (size_t)(bytes / mst_deconvolution_real_bytes(plan));
    void *values = malloc((size_t)bytes);
    for (size_t i = 0; i < count && values; i++) {
        if (plan->is_double)
            ((double *)values)[i] = plan->psf[i];
        else
            ((float *)values)[i] = (float)plan->psf[i];
    }
    return values;
}

static mst_status place_psf(mst_deconvolution *plan, mst_queue *queue, cl_mem psf, mst_error *error) {
    cl_uint depth = (cl_uint)plan->psf_shape[Z], height = (cl_uint)plan->psf_shape[Y], width = (cl_uint)plan->psf_shape[X];
    cl_uint padded_z = (cl_uint)plan->padded[Z], padded_y = (cl_uint)plan->padded[Y], padded_x = (cl_uint)plan->padded[X];
    cl_uint centres[N_SIDES];
    cl_ulong n = plan->points;
    for (int side = 0; side < N_SIDES; side++) {
        int64_t period = (int64_t)plan->padded[side];
        centres[side] = (cl_uint)((plan->psf_centre[side] % period + period) % period);
    }
    const mst_argument arguments[] = {MST_BIND(psf, psf),
                                      MST_BIND(depth, depth),
                                      MST_BIND(height, height),
                                      MST_BIND(width, width),
                                      MST_BIND(padded_z, padded_z),
                                      MST_BIND(padded_y, padded_y),
                                      MST_BIND(padded_x, padded_x),
                                      MST_BIND_AS("centre_z", centres[Z]),
                                      MST_BIND_AS("centre_y", centres[Y]),
                                      MST_BIND_AS("centre_x", centres[X]),
                                      MST_BIND(n, n),
                                      MST_BIND_AS("to", plan->work[WORK_REAL].buffer)};
    return mst_deconvolution_launch(plan, queue, KERNEL_PSF, arguments, MST_COUNT(arguments), (size_t)n, error);
}

static mst_status invert(mst_deconvolution *plan, mst_queue *queue, mst_error *error) {
    cl_uint padded_z = (cl_uint)plan->padded[Z], padded_y = (cl_uint)plan->padded[Y], padded_x = (cl_uint)plan->padded[X];
    cl_uint columns = padded_x / 2 + 1;
    cl_int order = plan->desc.method == MST_DECONVOLUTION_WIENER ? 0 : plan->desc.order;
    cl_ulong n = plan->spectrum_points;
    const mst_argument arguments[] = {MST_BIND_AS("transfer", plan->transfer.buffer),
                                      MST_BIND(padded_z, padded_z),
                                      MST_BIND(padded_y, padded_y),
                                      MST_BIND(padded_x, padded_x),
                                      MST_BIND(columns, columns),
                                      MST_BIND_AS("balance", plan->desc.balance),
                                      MST_BIND(order, order),
                                      MST_BIND(n, n)};
    return mst_deconvolution_launch(plan, queue, KERNEL_INVERSE, arguments, MST_COUNT(arguments), (size_t)n, error);
}

static mst_status transform_psf(mst_deconvolution *plan, mst_queue *queue, cl_mem psf, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_deconvolution_prepare(plan, 1, error));
    MST_TRY(place_psf(plan, queue, psf, error));
    const mst_block block = {
        .count = mst_deconvolution_transforms(plan),
        .queue = queue,
        .ports = {{.buffer = plan->work[WORK_REAL].buffer, .packed = true}, {.buffer = plan->transfer.buffer, .packed = true}}};
    MST_TRY(mst_fft_compute(plan->transforms[ALL_THERE], &block, error));
    MST_TRY(mst_queue_finish(queue, error));
fail:
    return status;
}

// Along the axis that the plan's transforms leave to its convolutions. Work memory is given back meanwhile, so that this takes no
// more of the device than an execution.
static mst_status transform_rest(mst_deconvolution *plan, mst_queue *queue, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft *rest = NULL;
    const size_t shape[] = {1, plan->padded[Z], plan->padded[Y], plan->padded[X] / 2 + 1};
    mst_fft_desc d = MST_FFT_DESC_INIT;
    const mst_block block = {
        .count = 1,
        .queue = queue,
        .ports = {{.buffer = plan->transfer.buffer, .packed = true}, {.buffer = plan->transfer.buffer, .packed = true}}};
    d.input = d.output = mst_layout_dense(plan->is_double ? MST_COMPLEX128 : MST_COMPLEX64, 4, shape);
    d.n_axes = 1;
    d.axes[0] = 1 + plan->product_side;
    d.shape = plan->desc.shape;
    MST_TRY(mst_deconvolution_prepare(plan, 0, error));
    MST_TRY(mst_fft_create_with(plan->context, &d, NULL, &rest, error));
    MST_TRY(mst_fft_prepare(rest, 1, error));
    MST_TRY(mst_fft_compute(rest, &block, error));
    MST_TRY(mst_queue_finish(queue, error));
fail:
    if (status != MST_OK)
        mst_queue_abandon(queue);
    mst_fft_destroy(rest);
    return status == MST_OK ? mst_deconvolution_prepare(plan, 1, error) : status;
}

// What iterations, or the filter, take of the spectrum.
static mst_status take_transfer(mst_deconvolution *plan, mst_queue *queue, mst_error *error) {
    mst_status status = MST_OK;
    if (!mst_deconvolution_iterates(plan))
        MST_TRY(invert(plan, queue, error));
    else if (plan->gain.buffer)
        MST_TRY(mst_deconvolution_make_gain(plan, queue, 0, 1, plan->gain.buffer, error));
    MST_TRY(mst_queue_finish(queue, error));
fail:
    return status;
}

mst_status mst_deconvolution_make_transfer(mst_deconvolution *plan, mst_error *error) {
    mst_status status = MST_OK;
    void *values = NULL;
    mst_device_table psf = {.bytes = plan->psf_shape[Z] * plan->psf_shape[Y] * plan->psf_shape[X] *
                                     mst_deconvolution_real_bytes(plan)};
    mst_queue queue = MST_QUEUE(plan->context, plan->context->compute);
    MST_REQUIRE(values = psf_values(plan, psf.bytes), MST_ERROR_HOST_MEMORY, "out of memory for a copy of psf");
    MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_ONLY, psf.bytes, "the psf", &psf.buffer, error));
    MST_TRY(mst_device_write(plan->context, plan->context->upload, psf.buffer, (size_t)psf.bytes, values, "the psf", error));
    MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, plan->transfer.bytes, "the psf's spectrum",
                                &plan->transfer.buffer, error));
    if (plan->gain.bytes)
        MST_TRY(mst_device_allocate(plan->context, CL_MEM_READ_WRITE, plan->gain.bytes, "what the detector sees",
                                    &plan->gain.buffer, error));
    MST_TRY(transform_psf(plan, &queue, psf.buffer, error));
    if (plan->product_side < N_SIDES)
        MST_TRY(transform_rest(plan, &queue, error));
    MST_TRY(take_transfer(plan, &queue, error));
fail:
    if (status != MST_OK)
        mst_queue_abandon(&queue);
    mst_queue_release(&queue);
    mst_table_release(plan->context, &psf);
    free(values);
    mst_status released = mst_deconvolution_prepare(plan, 0, NULL);
    return status != MST_OK ? status : released;
}

// 1 / a from a in WORK_REAL; or with `whole` 1 within the image and 0 outside.
static mst_status enqueue_gain(mst_deconvolution *plan, mst_queue *queue, size_t first, size_t n_items, bool whole, cl_mem gain,
                               mst_error *error) {
    cl_uint depth = (cl_uint)plan->extent[Z], height = (cl_uint)plan->extent[Y], width = (cl_uint)plan->extent[X];
    cl_uint padded_z = (cl_uint)plan->padded[Z], padded_y = (cl_uint)plan->padded[Y], padded_x = (cl_uint)plan->padded[X];
    double least = LEAST_SEEN * plan->psf_sum;
    cl_int mask = whole, within = plan->desc.edges == MST_DECONVOLUTION_ZERO;
    cl_int dark = plan->cut.is_cut && plan->desc.edges == MST_DECONVOLUTION_ZERO;
    cl_ulong n = (cl_ulong)n_items * plan->points, first_item = first;
    const mst_argument arguments[] = {MST_BIND_AS("seen", plan->work[WORK_REAL].buffer),
                                      MST_BIND(least, least),
                                      MST_BIND(mask, mask),
                                      MST_BIND(within, within),
                                      MST_BIND(dark, dark),
                                      MST_BIND(first_item, first_item),
                                      MST_BIND_AS("frame", plan->frame.buffer),
                                      MST_BIND(depth, depth),
                                      MST_BIND(height, height),
                                      MST_BIND(width, width),
                                      MST_BIND(padded_z, padded_z),
                                      MST_BIND(padded_y, padded_y),
                                      MST_BIND(padded_x, padded_x),
                                      MST_BIND(n, n),
                                      MST_BIND(gain, gain)};
    return mst_deconvolution_launch(plan, queue, KERNEL_GAIN, arguments, MST_COUNT(arguments), (size_t)n, error);
}

mst_status mst_deconvolution_make_gain(mst_deconvolution *plan, mst_queue *queue, size_t first, size_t n_items, cl_mem gain,
                                       mst_error *error) {
    mst_status status = MST_OK;
    const bool weighted = plan->desc.weights.rank > 0;
    cl_mem mask = plan->work[weighted ? WORK_WEIGHTS : WORK_REAL].buffer;
    if (plan->desc.edges == MST_DECONVOLUTION_ZERO && !weighted && !plan->cut.is_cut)
        return enqueue_gain(plan, queue, first, n_items, true, gain, error);
    if (!weighted)
        MST_TRY(enqueue_gain(plan, queue, first, n_items, true, mask, error));
    MST_TRY(mst_deconvolution_convolve(plan, queue, mask, true, n_items, error));
    MST_TRY(enqueue_gain(plan, queue, first, n_items, false, gain, error));
fail:
    return status;
}
