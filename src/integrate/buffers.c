// What the methods share (buffers.h).
#include "buffers.h"

#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 15 }; // numbers that are made ready for the device at once, in memory that the C library has again soon

mst_status mst_integral_reserve(mst_integral *plan, mst_integral_buffer *buffer, uint64_t bytes, const char *what,
                                mst_error *error) {
    if (buffer->memory && buffer->bytes >= bytes)
        return MST_OK;
    mst_integral_release(plan, buffer);
    mst_status status = mst_device_allocate(plan->context, CL_MEM_READ_WRITE, bytes, what, &buffer->memory, error);
    buffer->bytes = status == MST_OK ? bytes : 0;
    return status;
}

void mst_integral_release(mst_integral *plan, mst_integral_buffer *buffer) {
    mst_device_release(plan->context, buffer->memory, buffer->bytes);
    *buffer = (mst_integral_buffer){NULL, 0};
}

mst_status mst_integral_upload(mst_integral *plan, mst_integral_buffer *buffer, const double *values, size_t n, const char *what,
                               mst_error *error) {
    mst_status status = MST_OK;
    float *narrow = NULL;
    const size_t number = mst_integral_number_bytes(plan), piece = plan->is_double ? n : mst_smaller(n, (size_t)PIECE);
    MST_TRY(mst_integral_reserve(plan, buffer, n > 0 ? n * number : sizeof(double), what, error));
    if (!plan->is_double)
        MST_REQUIRE(narrow = malloc(piece * sizeof *narrow + 1), MST_ERROR_HOST_MEMORY, "out of memory for %s", what);
    for (size_t first = 0; first < n; first += piece) {
        const size_t count = mst_smaller(piece, n - first);
        for (size_t i = 0; i < count && narrow; i++)
            narrow[i] = (float)values[first + i];
        MST_TRY(mst_queue_write(&plan->queue, CL_TRUE, buffer->memory, first * number, count * number,
                                narrow ? (const void *)narrow : values + first, what, error));
    }
fail:
    free(narrow);
    return status;
}

// A double as two numbers of the plan's type.
static void split_number(const mst_integral *plan, double value, void *pair) {
    const double high = plan->is_double ? value : (double)(float)value;
    if (plan->is_double)
        memcpy(pair, (const double[]){high, value - high}, 2 * sizeof(double));
    else
        memcpy(pair, (const float[]){(float)high, (float)(value - high)}, 2 * sizeof(float));
}

mst_status mst_integral_upload_pairs(mst_integral *plan, mst_integral_buffer *buffer, const double *values, size_t n,
                                     const char *what, mst_error *error) {
    mst_status status = MST_OK;
    const size_t pair = 2 * mst_integral_number_bytes(plan), piece = mst_smaller(n, (size_t)PIECE);
    unsigned char *pairs = malloc(piece * pair + 1);
    MST_REQUIRE(pairs, MST_ERROR_HOST_MEMORY, "out of memory for %s", what);
    MST_TRY(mst_integral_reserve(plan, buffer, n > 0 ? n * pair : pair, what, error));
    for (size_t first = 0; first < n; first += piece) {
        const size_t count = mst_smaller(piece, n - first);
        for (size_t i = 0; i < count; i++)
            split_number(plan, values[first + i], pairs + i * pair);
        MST_TRY(mst_queue_write(&plan->queue, CL_TRUE, buffer->memory, first * pair, count * pair, pairs, what, error));
    }
fail:
    free(pairs);
    return status;
}

mst_status mst_integral_send(mst_integral *plan, mst_integral_buffer *buffer, double *values, size_t n, const char *what,
                             mst_error *error) {
    mst_status status = MST_OK;
    size_t bytes = n * mst_integral_number_bytes(plan);
    MST_TRY(mst_integral_reserve(plan, buffer, bytes, what, error));
    for (size_t i = plan->is_double ? n : 0; i < n; i++) { // narrowed in place, from the front
        float narrow = (float)values[i];
        memcpy((char *)values + i * sizeof narrow, &narrow, sizeof narrow);
    }
    MST_TRY(mst_queue_write(&plan->queue, CL_FALSE, buffer->memory, 0, bytes, values, what, error));
fail:
    return status;
}

mst_status mst_integral_download(mst_integral *plan, cl_mem buffer, size_t first, double *values, size_t n, mst_error *error) {
    mst_status status = MST_OK;
    const size_t number = mst_integral_number_bytes(plan);
    MST_TRY(mst_queue_read(&plan->queue, buffer, first * number, n * number, values, "results", error));
    for (size_t i = plan->is_double ? 0 : n; i-- > 0;) { // widened in place, from behind
        float narrow;
        memcpy(&narrow, (const char *)values + i * sizeof narrow, sizeof narrow);
        values[i] = (double)narrow;
    }
fail:
    return status;
}

mst_status mst_integral_download_counts(mst_integral *plan, cl_mem buffer, size_t first, cl_uint *counts, size_t n,
                                        mst_error *error) {
    return mst_queue_read(&plan->queue, buffer, first * sizeof *counts, n * sizeof *counts, counts, "results", error);
}

mst_status mst_integral_progress(const mst_integral_call *call, size_t done, mst_error *error) {
    const mst_execution *how = call->how;
    if (how->progress && !how->progress(done, call->n_sets, how->progress_user))
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled after %zu of %zu integrals", done, call->n_sets);
    return MST_OK;
}

size_t mst_integral_cpu_items(const mst_integral *plan) {
    enum { ITEMS_A_UNIT = 8 };
    size_t units = plan->context->device.compute_units ? plan->context->device.compute_units : 1;
    return units * ITEMS_A_UNIT;
}

cl_uint mst_integral_sets_a_group(const mst_integral *plan, cl_uint n_sets) {
    size_t items = mst_integral_cpu_items(plan);
    return plan->cpu ? (cl_uint)(mst_divide_up(n_sets, items)) : 1;
}

// Neumaier's compensated sum (1974).
double mst_integral_sum(const double *values, size_t n) {
    double sum = 0, rest = 0;
    for (size_t i = 0; i < n; i++) {
        double v = values[i], t = sum + v;
        rest += fabs(sum) >= fabs(v) ? (sum - t) + v : (v - t) + sum;
        sum = t;
    }
    return isfinite(rest) ? sum + rest : sum;
}

size_t mst_integral_group(const mst_integral *plan, const mst_kernel *kernel, size_t wanted) {
    size_t group = plan->cpu ? 1 : wanted;
    while (group > kernel->most_items)
        group /= 2;
    return group;
}

// A box's values take 128 KiB on CPUs, and PoCL sets them aside for each item of a work-group: 64 overflow a thread's stack.
size_t mst_integral_hidden_group(const mst_integral *plan, const mst_kernel *kernel, size_t n_items) {
    return mst_integral_group(plan, kernel, mst_kernel_group(plan->context, kernel, n_items));
}
