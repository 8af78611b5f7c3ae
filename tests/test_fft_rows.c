// FFT: rows of real numbers in GPU-shaped kernels, whose lines go through local memory where few work-items share them.
#include "support.h"

#include <math.h>

// Of `rank` axes with these lengths, the last of which is transformed: dense, or with gaps and dimensions out of order.
static void check(mst_context *context, mst_type type, int rank, const size_t *shape, bool inverse, bool dense) {
    const bool is_double = type == MST_FLOAT64;
    const mst_type complex_type = is_double ? MST_COMPLEX128 : MST_COMPLEX64;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    size_t spectrum[MST_MAX_RANK];
    memcpy(spectrum, shape, (size_t)rank * sizeof *shape);
    spectrum[rank - 1] = shape[rank - 1] / 2 + 1;
    mst_layout numbers = dense ? mst_layout_dense(type, rank, shape) : test_layout_random(type, rank, shape, false);
    mst_layout spectra =
        dense ? mst_layout_dense(complex_type, rank, spectrum) : test_layout_random(complex_type, rank, spectrum, false);
    desc.input = inverse ? spectra : numbers;
    desc.output = inverse ? numbers : spectra;
    desc.direction = inverse ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    desc.scale = inverse ? 0.5 : 1;
    desc.axes[0] = rank - 1;
    desc.n_axes = 1;
    desc.shape = MST_FFT_SHAPE_GPU;
    test_fft_check(context, &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
}

// Fewer lines than a work-group has, and more; one work-item a line, several, and too many for local memory; even lengths by the
// parts of half as many complex numbers.
static void rows(void **state) {
    static const size_t lengths[] = {3, 9, 15, 28, 75, 99, 56, 147, 243, 1125, 360};
    for (size_t k = 0; k < sizeof lengths / sizeof lengths[0]; k++) {
        const bool inverse = test_between(0, 1), is_double = mst_context_device(*state)->fp64 && test_between(0, 2) == 0;
        const size_t flat[] = {(size_t)test_between(1, 70), lengths[k]}, several[] = {3, (size_t)test_between(1, 9), lengths[k]};
        if (!test_turn(k, 3))
            continue;
        check(*state, is_double ? MST_FLOAT64 : MST_FLOAT32, 2, flat, inverse, true);
        check(*state, is_double ? MST_FLOAT64 : MST_FLOAT32, 2, flat, !inverse, true);
        check(*state, MST_FLOAT32, 3, several, inverse, false);
    }
}

// A line that is not a number leaves its neighbours as they are.
static void lines_apart(void **state) {
    enum { LINES = 21, N = 45, HALF = N / 2 + 1 };
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){LINES, N});
    desc.shape = MST_FFT_SHAPE_GPU;
    test_array input = test_array_random(&desc.input);
    float *values = test_array_at(&input, 0);
    test_array before = test_fft_run(*state, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    values[4 * N + 7] = NAN;
    values[9 * N] = INFINITY;
    test_array after = test_fft_run(*state, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    const float *one = test_array_at(&before, 0), *other = test_array_at(&after, 0);
    for (size_t l = 0; l < LINES; l++)
        CHECK(l == 4 || l == 9 || memcmp(one + l * 2 * HALF, other + l * 2 * HALF, 2 * HALF * sizeof *one) == 0,
              "line %zu changes", l);
    test_array_free(&input), test_array_free(&before), test_array_free(&after);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows), cmocka_unit_test(lines_apart)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
