// Values that are infinite or NaN.
#ifndef MST_STENCIL_NONFINITE_H
#define MST_STENCIL_NONFINITE_H

#include "runtime/kernel.h"
#include "stencil/scheme/problem.h"

// How many of n values of 2, 4 or 8 bytes (float16, float, double) are.
uint64_t mst_nonfinite_count(const void *values, uint64_t n, size_t bytes);

// Counts on the device.
typedef struct mst_counter {
    mst_context *context;
    const mst_problem *problem;
    mst_kernel *kernels[2]; // for elements of the scheme's precision, and of float16; NULL: not needed
} mst_counter;
mst_status mst_counter_create(mst_context *context, const mst_problem *problem, mst_counter *out, mst_error *error);
void mst_counter_release(mst_counter *counter); // accepts half-built ones, and zeros

// The count of an array of the state, which is laid out by `grid`, as in nonfinite.cl. It takes MST_NONFINITE_ITEMS numbers of 32
// bits, or as many as there are nodes, of `counts`. Blocks.
enum { MST_NONFINITE_ITEMS = 1 << 16 };
mst_status mst_counter_count(const mst_counter *counter, int array, cl_mem values, const cl_long8 *grid, cl_mem counts,
                             uint64_t *count, mst_error *error);

#endif
