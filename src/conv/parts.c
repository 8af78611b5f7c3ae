#include "parts.h"

#include "runtime/numbers.h"

#include <stdlib.h>
#include <string.h>

#define VECTOR 8u // complex numbers that a work-item of convolver.cl takes

static mst_layout samples_layout(const mst_parts *p) {
    return mst_layout_dense(p->type, 2, (const size_t[]){p->channels, 2 * p->block});
}

static mst_layout spectrum_layout(const mst_parts *p) {
    mst_layout layout =
        mst_layout_dense(p->type == MST_FLOAT64 ? MST_COMPLEX128 : MST_COMPLEX64, 2, (const size_t[]){p->channels, p->block + 1});
    layout.strides[0] = (ptrdiff_t)p->bins;
    return layout;
}

static mst_status make_transforms(mst_parts *p, mst_error *error) {
    mst_status status = MST_OK;
    mst_fft_desc forward = MST_FFT_DESC_INIT, backward = MST_FFT_DESC_INIT;
    forward.input = backward.output = samples_layout(p);
    forward.output = backward.input = spectrum_layout(p);
    backward.direction = MST_FFT_INVERSE;
    backward.scale = 1.0 / (double)(2 * p->block);
    MST_TRY(mst_fft_create(p->context, &forward, &p->forward, error));
    MST_TRY(mst_fft_create(p->context, &backward, &p->backward, error));
fail:
    return status;
}

static mst_status make_memory(mst_parts *p, mst_error *error) {
    mst_status status = MST_OK;
    const size_t numbers = 2 * p->block * p->channels, bytes = mst_type_bytes(p->type);
    p->samples_bytes = numbers * bytes;
    p->product_bytes = p->channels * p->bins * 2 * bytes;
    p->history_bytes = p->product_bytes * p->n;
    MST_TRY(mst_device_allocate(p->context, CL_MEM_READ_WRITE, p->samples_bytes, "samples", &p->samples, error));
    MST_TRY(mst_device_allocate(p->context, CL_MEM_READ_WRITE, p->product_bytes, "a product", &p->product, error));
    MST_TRY(mst_device_allocate(p->context, CL_MEM_READ_WRITE, p->history_bytes, "the input's spectra", &p->history, error));
    MST_TRY(mst_device_allocate(p->context, CL_MEM_READ_WRITE, p->history_bytes, "the kernel's spectra", &p->spectra, error));
    p->window = calloc(numbers, bytes);
    p->results = calloc(numbers, bytes);
    MST_REQUIRE(p->window && p->results, MST_ERROR_HOST_MEMORY, "out of memory making a convolver");
fail:
    return status;
}

// Launches a transform behind what is in the context's queue.
static mst_status transform(mst_fft *plan, cl_mem from, uint64_t from_at, cl_mem to, uint64_t to_at, mst_queue *queue,
                            const char *name, mst_error *error) {
    mst_execution how = MST_EXECUTION_INIT;
    cl_event done = NULL;
    how.event = &done;
    mst_status status = mst_fft_execute(plan, mst_at_device(from, from_at), mst_at_device(to, to_at), &how, error);
    return status == MST_OK ? mst_queue_add(queue, done, name, NULL, error) : status;
}

// Each part with as many zeros behind it.
static mst_status transform_kernel(mst_parts *p, mst_queue *queue, const void *kernel, size_t kernel_channels, size_t taps,
                                   size_t first, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t part = 0; part < p->n; part++) {
        size_t begin = first + part * p->block, end = mst_smaller(begin + p->block, taps);
        memset(p->window, 0, (size_t)p->samples_bytes);
        for (size_t c = 0; c < p->channels; c++)
            for (size_t t = begin; t < end; t++)
                mst_parts_put(p->type, p->window, 2 * p->block * c + t - begin,
                              mst_parts_get(p->type, kernel, t * kernel_channels + (kernel_channels > 1 ? c : 0)));
        MST_TRY(mst_queue_write(queue, CL_TRUE, p->samples, 0, (size_t)p->samples_bytes, p->window, "the kernel", error));
        MST_TRY(
            transform(p->forward, p->samples, 0, p->spectra, part * p->product_bytes, queue, "the kernel's transform", error));
        MST_TRY(mst_queue_finish(queue, error));
    }
fail:
    return status;
}

static mst_status accumulate(mst_parts *p, mst_queue *queue, mst_error *error) {
    const cl_uint n = (cl_uint)(p->channels * p->bins / VECTOR), parts = (cl_uint)p->n, newest = (cl_uint)p->newest;
    const mst_argument arguments[] = {MST_BIND_AS("history", p->history),
                                      MST_BIND_AS("spectra", p->spectra),
                                      MST_BIND_AS("product", p->product),
                                      MST_BIND(n, n),
                                      MST_BIND(parts, parts),
                                      MST_BIND(newest, newest)};
    size_t group = mst_kernel_group(p->context, p->accumulate, n);
    return mst_kernel_launch(queue, p->accumulate, arguments, MST_COUNT(arguments), n, group, NULL, error);
}

// The way back of a block of silence: what its plan takes at its first execution is there before the stream begins.
static mst_status rehearse(mst_parts *p, mst_queue *queue, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(accumulate(p, queue, error));
    MST_TRY(transform(p->backward, p->product, 0, p->samples, 0, queue, "a transform back", error));
    MST_TRY(mst_queue_finish(queue, error));
fail:
    return status;
}

mst_status mst_parts_create(mst_parts *p, mst_queue *queue, const void *kernel, size_t kernel_channels, size_t taps, size_t first,
                            mst_error *error) {
    mst_status status = MST_OK;
    const mst_program *program;
    p->bins = mst_round_up(p->block + 1, (size_t)VECTOR);
    MST_TRY(make_memory(p, error));
    MST_TRY(make_transforms(p, error));
    MST_TRY(mst_program_of_file(p->context, "convolver: sums over parts", "convolver.cl",
                                mst_program_precision(p->context, p->type == MST_FLOAT64), &program, error));
    MST_TRY(mst_kernel_create(program, "accumulate", &p->accumulate, error));
    MST_TRY(transform_kernel(p, queue, kernel, kernel_channels, taps, first, error));
    MST_TRY(mst_parts_clear(p, queue, error));
    MST_TRY(rehearse(p, queue, error));
fail:
    return status;
}

mst_status mst_parts_clear(mst_parts *p, mst_queue *queue, mst_error *error) {
    memset(p->window, 0, (size_t)p->samples_bytes);
    memset(p->results, 0, (size_t)p->samples_bytes);
    p->newest = 0;
    mst_status status = mst_queue_fill(queue, p->history, 0, (size_t)p->history_bytes, "the input's spectra", error);
    return status == MST_OK ? mst_queue_finish(queue, error) : status;
}

mst_status mst_parts_run(mst_parts *p, mst_queue *queue, mst_error *error) {
    mst_status status = MST_OK;
    p->newest = (p->newest + 1) % p->n;
    MST_TRY(mst_queue_write(queue, CL_FALSE, p->samples, 0, (size_t)p->samples_bytes, p->window, "samples", error));
    MST_TRY(transform(p->forward, p->samples, 0, p->history, p->newest * p->product_bytes, queue, "a transform", error));
    MST_TRY(accumulate(p, queue, error));
    MST_TRY(transform(p->backward, p->product, 0, p->samples, 0, queue, "a transform back", error));
    MST_TRY(mst_queue_read(queue, p->samples, 0, (size_t)p->samples_bytes, p->results, "results", error));
    const size_t bytes = p->block * mst_type_bytes(p->type);
    for (size_t c = 0; c < p->channels; c++)
        memcpy((char *)p->window + 2 * bytes * c, (char *)p->window + 2 * bytes * c + bytes, bytes);
fail:
    return status;
}

void mst_parts_release(mst_parts *p) {
    mst_fft_destroy(p->forward);
    mst_fft_destroy(p->backward);
    mst_kernel_destroy(p->accumulate);
    if (p->context) {
        mst_device_release(p->context, p->samples, p->samples_bytes);
        mst_device_release(p->context, p->product, p->product_bytes);
        mst_device_release(p->context, p->history, p->history_bytes);
        mst_device_release(p->context, p->spectra, p->history_bytes);
    }
    free(p->window);
    free(p->results);
}
