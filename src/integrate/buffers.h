// What the methods share: memory of a plan on the device, numbers on their way there and back, work-items and -groups, sums.
#ifndef MST_INTEGRATE_BUFFERS_H
#define MST_INTEGRATE_BUFFERS_H

#include "call.h"

mst_status mst_integral_reserve(mst_integral *plan, mst_integral_buffer *buffer, uint64_t bytes, const char *what,
                                mst_error *error);
void mst_integral_release(mst_integral *plan, mst_integral_buffer *buffer);

// Uploads n numbers as the plan's type, growing the buffer.
mst_status mst_integral_upload(mst_integral *plan, mst_integral_buffer *buffer, const double *values, size_t n, const char *what,
                               mst_error *error);
// The same as pairs hi + lo, so that nothing is lost in float32.
mst_status mst_integral_upload_pairs(mst_integral *plan, mst_integral_buffer *buffer, const double *values, size_t n,
                                     const char *what, mst_error *error);
// Uploads n numbers without waiting; n > 0. Overwrites the values, which have to stay until the queue is done with them.
mst_status mst_integral_send(mst_integral *plan, mst_integral_buffer *buffer, double *values, size_t n, const char *what,
                             mst_error *error);
// Downloads n numbers of the plan's type, or counts, from number `first` on. Waits for what was enqueued before.
mst_status mst_integral_download(mst_integral *plan, cl_mem buffer, size_t first, double *values, size_t n, mst_error *error);
mst_status mst_integral_download_counts(mst_integral *plan, cl_mem buffer, size_t first, cl_uint *counts, size_t n,
                                        mst_error *error);

// Progress, and whether the caller cancels: MST_ERROR_CANCELLED.
mst_status mst_integral_progress(const mst_integral_call *call, size_t done, mst_error *error);

// The work-group to use of a kernel: 1 on a CPU, else `wanted` or the largest power of two below it that the kernel takes. Sums
// over a group are trees, so that it decides the bits of results.
size_t mst_integral_group(const mst_integral *plan, const mst_kernel *kernel, size_t wanted);

// The same for so many items of a kernel `hidden`.
size_t mst_integral_hidden_group(const mst_integral *plan, const mst_kernel *kernel, size_t n_items);

// Work-items of a launch on a CPU; and integrals that a work-group takes one after the other where each could have its own.
size_t mst_integral_cpu_items(const mst_integral *plan);
cl_uint mst_integral_sets_a_group(const mst_integral *plan, cl_uint n_sets);

// A sum without loss.
double mst_integral_sum(const double *values, size_t n);

#endif
