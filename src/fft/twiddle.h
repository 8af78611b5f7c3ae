// Roots of unity, tabulated on the host in long double and rounded once.
#ifndef MST_FFT_TWIDDLE_H
#define MST_FFT_TWIDDLE_H

#include "runtime/context.h"

// A device table of exp(-2 pi i k step / n) for k = 0 .. count - 1, as pairs of floats (MST_COMPLEX64) or doubles
// (MST_COMPLEX128). n is a power of two. Released by mst_device_release with *bytes.
mst_status mst_twiddles_create(mst_context *context, mst_type type, size_t n, size_t step, size_t count, cl_mem *out,
                               uint64_t *bytes, mst_error *error);

typedef struct mst_root {
    long double re, im;
} mst_root;

// One of them, of any n: exp(-2 pi i k / n), k < n.
mst_root mst_twiddle(size_t k, size_t n);

static inline mst_root mst_root_multiply(mst_root a, mst_root b) {
    return (mst_root){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline mst_root mst_root_conjugate_if(bool conjugate, mst_root a) { return (mst_root){a.re, conjugate ? -a.im : a.im}; }

// Many of one n: each the product of two that are tabulated, of some sqrt(n) each. In long double, so that a table in double is
// as good; where long double is no wider, all are tabulated.
typedef struct mst_roots {
    size_t n;
    unsigned log_low;
    mst_root *low, *high; // exp(-2 pi i j / 4n) of j < 2^log_low, and of multiples of that
} mst_roots;
bool mst_roots_create(mst_roots *roots, size_t n); // false: out of memory
mst_root mst_roots_get(const mst_roots *roots, size_t k);
void mst_roots_destroy(mst_roots *roots); // also a zero one

// Real number `at` of a host table of float or double, and pair `at` of one of pairs.
static inline void mst_table_put_real(void *table, bool is_double, size_t at, long double value) {
    if (is_double)
        ((double *)table)[at] = (double)value;
    else
        ((float *)table)[at] = (float)value;
}
static inline void mst_table_put(void *table, bool is_double, size_t at, mst_root value) {
    mst_table_put_real(table, is_double, 2 * at, value.re);
    mst_table_put_real(table, is_double, 2 * at + 1, value.im);
}

#endif
