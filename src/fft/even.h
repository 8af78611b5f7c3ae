// Transforms of even and odd data: cosine and sine transforms of types I to IV, as SciPy defines them (fft.h of the public
// headers). An axis is one Fourier transform of length m, in the passes that such a length takes; what is particular happens to
// values while they are loaded and stored (even.cl).
#ifndef MST_FFT_EVEN_H
#define MST_FFT_EVEN_H

#include "axis.h"
#include "twiddle.h"

// Of a kind other than MST_FFT_FOURIER.
static inline int mst_even_type(mst_fft_kind kind) { return ((int)kind - 1) % 4 + 1; } // I to IV
static inline bool mst_even_is_sine(mst_fft_kind kind) { return kind >= MST_FFT_DST1; }

// Checks what is particular to these kinds in a description whose axes are read, and completes it. An inverse transform becomes
// the forward one of the kind that undoes it; `direction` is that of the Fourier transforms from here on.
mst_status mst_even_read(mst_fft_desc *d, mst_error *error);

// The length of the Fourier transform of an axis of n numbers.
size_t mst_even_length(mst_fft_kind kind, size_t n);

// What happens to values at either end of it; and what the one at position p is multiplied by, if any is (`multiply`): it takes
// roots of so many points.
mst_pass_op mst_even_op(const mst_fft_desc *d, size_t n, bool load);
size_t mst_even_roots(const mst_pass_op *op);
mst_root mst_even_factor(const mst_fft_desc *d, const mst_pass_op *op, bool load, const mst_roots *roots, size_t p);

// Plans the passes of all axes.
mst_status mst_even_plan_passes(mst_fft *plan, mst_error *error);

// What values of a pass are multiplied by, at each position, while they are loaded or stored; where a convolution takes the
// transform, the chirp is a factor of it. The caller's to free; NULL: out of memory.
void *mst_even_factors(const mst_fft *plan, const mst_fft_pass *p, mst_table_kind kind);

// MST_HALF_EVEN: the slot (any_even.cl) of each number of a line, coming and, behind these, going; results of the transform are
// at `places`.
void mst_even_slots(const mst_pass *pass, const cl_uint *places, cl_uint *slots);

// MST_HALF_EVEN_COMBINE_ALONE and SPLIT_ALONE: what numbers 0 and n/2 weigh, a pair. The caller's to free; NULL: out of memory.
void *mst_even_end_weights(const mst_fft *plan, const mst_pass *pass);

// The functions even_load and even_store, for kernels of any shape.
mst_status mst_even_write(mst_context *context, mst_text *out, mst_error *error);

#endif
