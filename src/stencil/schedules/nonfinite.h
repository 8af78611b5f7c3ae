// Values that are infinite or NaN.
#ifndef MST_STENCIL_NONFINITE_H
#define MST_STENCIL_NONFINITE_H

#include "runtime/kernel.h"

// How many of n values of float, or of double, are.
uint64_t mst_nonfinite_count(const void *values, uint64_t n, bool is_double);

// The kernel that counts on the device, to be destroyed by the caller; and the count of an array of so many nodes that is laid
// out by `grid`, as in nonfinite.cl. It takes MST_NONFINITE_ITEMS numbers of 32 bits, or as many as there are nodes, of `counts`.
// Blocks.
enum { MST_NONFINITE_ITEMS = 1 << 16 };
mst_status mst_nonfinite_build(mst_context *context, bool is_double, mst_kernel **out, mst_error *error);
mst_status mst_nonfinite_count_on_device(mst_context *context, const mst_kernel *kernel, cl_mem values, const cl_long8 *grid,
                                         uint64_t nodes, cl_mem counts, uint64_t *count, mst_error *error);

#endif
