#include "twiddle.h"

#include "runtime/queue.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

// A root brought into the first octant, where sine and cosine are at their best: its angle is 2 pi j / 4n there, j <= n/2, and 0
// at multiples of a quarter turn, which are exact.
typedef struct octant {
    size_t j;
    bool negative, obtuse, steep;
} octant;

static octant octant_of(size_t k, size_t n) {
    octant o;
    o.negative = 2 * k > n; // exp(-i(2 pi - a)) = conj(exp(-i a))
    if (o.negative)
        k = n - k;
    o.obtuse = 4 * k > n;                        // cos(pi - a) = -cos a, sin(pi - a) = sin a
    size_t twice = o.obtuse ? n - 2 * k : 2 * k; // the angle is pi * twice / n now, at most a quarter turn
    o.steep = 4 * twice > n;                     // cos(pi/2 - a) = sin a
    o.j = o.steep ? n - 2 * twice : 2 * twice;
    return o;
}

static mst_root unfold(octant o, mst_root first) {
    long double c = o.steep ? -first.im : first.re, s = o.steep ? first.re : -first.im;
    return (mst_root){o.obtuse ? -c : c, o.negative ? s : -s};
}

// exp(-2 pi i j / 4n), j <= n/2.
static mst_root evaluate(size_t j, size_t n) {
    const long double two_pi = 6.283185307179586476925286766559005768L;
    long double angle = two_pi * (long double)j / (4 * (long double)n);
    return (mst_root){cosl(angle), -sinl(angle)};
}

mst_root mst_twiddle(size_t k, size_t n) {
    octant o = octant_of(k, n);
    return unfold(o, evaluate(o.j, n));
}

bool mst_roots_create(mst_roots *roots, size_t n) {
    size_t last = n / 2, n_low, n_high;
    unsigned log_low = 0;
    *roots = (mst_roots){.n = n};
    if (LDBL_MANT_DIG <= DBL_MANT_DIG) // a product would lose what double has to have: each one is computed
        return true;
    while (2 * log_low < 64 && last >> 2 * log_low)
        log_low++;
    n_low = (size_t)1 << log_low;
    n_high = (last >> log_low) + 1;
    *roots = (mst_roots){.n = n, .log_low = log_low, .low = malloc((n_low + n_high) * sizeof(mst_root))};
    if (!roots->low)
        return false;
    roots->high = roots->low + n_low;
    for (size_t j = 0; j < n_low; j++)
        roots->low[j] = evaluate(j, n);
    for (size_t j = 0; j < n_high; j++)
        roots->high[j] = evaluate(j << log_low, n);
    return true;
}

mst_root mst_roots_get(const mst_roots *roots, size_t k) {
    octant o = octant_of(k, roots->n);
    if (!roots->low)
        return unfold(o, evaluate(o.j, roots->n));
    size_t mask = ((size_t)1 << roots->log_low) - 1;
    return unfold(o, mst_root_multiply(roots->low[o.j & mask], roots->high[o.j >> roots->log_low]));
}

void mst_roots_destroy(mst_roots *roots) {
    free(roots->low);
    *roots = (mst_roots){0};
}

mst_status mst_twiddles_create(mst_context *context, mst_type type, size_t n, size_t step, size_t count, cl_mem *out,
                               uint64_t *bytes, mst_error *error) {
    mst_status status = MST_OK;
    size_t size = count * mst_type_bytes(type);
    void *table = malloc(size);
    mst_roots roots = {0};
    *out = NULL;
    *bytes = size;
    MST_REQUIRE(table && mst_roots_create(&roots, n), MST_ERROR_HOST_MEMORY, "out of memory for %zu twiddles", count);
    for (size_t k = 0; k < count; k++)
        mst_table_put(table, type == MST_COMPLEX128, k, mst_roots_get(&roots, k * step % n));
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_ONLY, size, "the twiddle table", out, error));
    MST_TRY(mst_device_write(context, context->upload, *out, size, table, "the twiddle table", error));
    mst_roots_destroy(&roots);
    free(table);
    return MST_OK;
fail:
    mst_roots_destroy(&roots);
    free(table);
    mst_device_release(context, *out, size);
    *out = NULL;
    return status;
}
