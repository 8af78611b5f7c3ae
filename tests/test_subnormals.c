// Numbers smaller than the smallest normal one, as CPUs compute with them a hundred times as slowly: transforms and convolutions
// take them for 0 there. So results are those of data in which they are 0, in every bit.
#include "support.h"

#include <float.h>

static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};

// A signal that fades: one vector of ordinary numbers, one whose later half is subnormal, and subnormal ones. The other array has
// zeros of the same sign there.
static void fade(test_array *kept, test_array *flushed, size_t vectors) {
    const size_t n = kept->elements / vectors;
    const long double tiny = test_layout_is_double(&kept->layout) ? DBL_MIN : FLT_MIN;
    for (size_t i = 0; i < kept->elements; i++) {
        const bool fades = i >= 2 * n || (i >= n && i % n >= n / 2);
        const test_wide value = test_array_get(kept, i);
        test_array_set(kept, i, fades ? value * (tiny / 2) : value);
        test_array_set(flushed, i, fades ? value * 0.0L : value);
    }
}

static test_array copy_of(const test_array *a) {
    test_array copy = test_array_new(&a->layout);
    for (size_t i = 0; i < a->elements; i++)
        test_array_set(&copy, i, test_array_get(a, i));
    return copy;
}

static void transform(mst_context *context, mst_type type, size_t n, int n_axes, mst_fft_kind kind) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(type, 3, (const size_t[]){9, 12, n});
    desc.n_axes = n_axes;
    desc.axes[0] = n_axes == 2 ? 1 : 2;
    desc.axes[1] = n_axes == 2 ? 2 : 0;
    desc.kind = kind;
    test_array x = test_array_random(&desc.input), y = copy_of(&x);
    fade(&x, &y, 9);
    test_array kept = test_fft_run(context, &desc, &x, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    test_array flushed = test_fft_run(context, &desc, &y, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    CHECK(test_array_same(&kept, &flushed), "%s, %zu, %d axes, kind %d: subnormal numbers are no zeros", mst_type_name(type), n,
          n_axes, (int)kind);
    test_array_free(&x), test_array_free(&y), test_array_free(&kept), test_array_free(&flushed);
}

// Of one pass, of a large prime factor, of several passes; planes; cosines.
static void transforms(void **state) {
    mst_context *cpu = test_cpu(state);
    for (int t = MST_FLOAT32; t <= MST_COMPLEX128; t++) {
        transform(cpu, (mst_type)t, 96, 1, MST_FFT_FOURIER);
        transform(cpu, (mst_type)t, 2 * 1009, 1, MST_FFT_FOURIER);
        transform(cpu, (mst_type)t, 10000, 1, MST_FFT_FOURIER);
        transform(cpu, (mst_type)t, 35, 2, MST_FFT_FOURIER);
    }
    transform(cpu, MST_FLOAT32, 40, 1, MST_FFT_DCT2);
}

static void convolve(mst_context *context, mst_type type, size_t n, size_t taps, mst_convolution_algorithm algorithm) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.x = mst_layout_dense(type, 2, (const size_t[]){9, n});
    desc.y = mst_layout_dense(type, 2, (const size_t[]){1, taps});
    desc.algorithm = algorithm;
    test_array x = test_array_random(&desc.x), flushed_x = copy_of(&x), y = test_array_random(&desc.y);
    fade(&x, &flushed_x, 9);
    test_array kept = test_convolution_run(context, &desc, &x, &y, host, NULL);
    test_array flushed = test_convolution_run(context, &desc, &flushed_x, &y, host, NULL);
    CHECK(test_array_same(&kept, &flushed), "%s, %zu by %zu, %s: subnormal numbers are no zeros", mst_type_name(type), n, taps,
          mst_convolution_algorithm_name(algorithm));
    test_array_free(&x), test_array_free(&flushed_x), test_array_free(&y), test_array_free(&kept), test_array_free(&flushed);
}

static void convolutions(void **state) {
    mst_context *cpu = test_cpu(state);
    for (int t = MST_FLOAT32; t <= MST_COMPLEX128; t++) {
        convolve(cpu, (mst_type)t, 1000, 31, MST_CONVOLUTION_DIRECT);
        convolve(cpu, (mst_type)t, 1000, 301, MST_CONVOLUTION_FUSED);
        convolve(cpu, (mst_type)t, 9000, 3001, MST_CONVOLUTION_FUSED);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(transforms), cmocka_unit_test(convolutions)};
    return cmocka_run_group_tests(tests, test_setup_on_cpu, test_teardown);
}
