#include "twiddle.h"

#include <math.h>
#include <stdlib.h>

// Evaluated in the first octant only, where sine and cosine are at their best, and exact at multiples of an eighth turn's axes.
void mst_twiddle(size_t k, size_t n, long double *re, long double *im) {
    const long double two_pi = 6.283185307179586476925286766559005768L;
    bool negative = 2 * k > n; // exp(-i(2 pi - a)) = conj(exp(-i a))
    if (negative)
        k = n - k;
    bool obtuse = 4 * k > n;                   // cos(pi - a) = -cos a, sin(pi - a) = sin a
    size_t twice = obtuse ? n - 2 * k : 2 * k; // the angle is pi * twice / n now, at most a quarter turn
    bool steep = 4 * twice > n;                // cos(pi/2 - a) = sin a
    long double angle = two_pi * (long double)(steep ? n - 2 * twice : 2 * twice) / (4 * (long double)n);
    long double c = steep ? sinl(angle) : cosl(angle), s = steep ? cosl(angle) : sinl(angle);
    *re = obtuse ? -c : c;
    *im = negative ? s : -s;
}

void mst_table_put(void *table, bool is_double, size_t at, long double re, long double im) {
    if (is_double) {
        ((double *)table)[2 * at] = (double)re;
        ((double *)table)[2 * at + 1] = (double)im;
    } else {
        ((float *)table)[2 * at] = (float)re;
        ((float *)table)[2 * at + 1] = (float)im;
    }
}

mst_status mst_twiddles_create(mst_context *context, mst_type type, size_t n, size_t step, size_t count, cl_mem *out,
                               uint64_t *bytes, mst_error *error) {
    mst_status status = MST_OK;
    size_t size = count * mst_type_bytes(type);
    void *table = malloc(size);
    *out = NULL;
    *bytes = size;
    MST_REQUIRE(table, MST_ERROR_HOST_MEMORY, "out of memory for %zu twiddles", count);
    for (size_t k = 0; k < count; k++) {
        long double re, im;
        mst_twiddle(k * step % n, n, &re, &im);
        mst_table_put(table, type == MST_COMPLEX128, k, re, im);
    }
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_ONLY, size, "the twiddle table", out, error));
    MST_TRY_CL(clEnqueueWriteBuffer(context->upload, *out, CL_TRUE, 0, size, table, 0, NULL, NULL),
               "cannot upload the twiddle table");
    free(table);
    return MST_OK;
fail:
    free(table);
    mst_device_release(context, *out, size);
    *out = NULL;
    return status;
}
