// Roots of unity, tabulated on the host in long double and rounded once.
#ifndef MST_FFT_TWIDDLE_H
#define MST_FFT_TWIDDLE_H

#include "runtime/context.h"

// A device table of exp(-2 pi i k step / n) for k = 0 .. count - 1, as pairs of floats (MST_COMPLEX64) or doubles
// (MST_COMPLEX128). n is a power of two. Released by mst_device_release with *bytes.
mst_status mst_twiddles_create(mst_context *context, mst_type type, size_t n, size_t step, size_t count, cl_mem *out,
                               uint64_t *bytes, mst_error *error);

// One of them, of any n: *re + i *im = exp(-2 pi i k / n), k < n.
void mst_twiddle(size_t k, size_t n, long double *re, long double *im);

// Number `at` of a host table of pairs of float or double.
void mst_table_put(void *table, bool is_double, size_t at, long double re, long double im);

#endif
