// FFT: one array a call along one axis, which CPU-shaped passes take in two: complex and real ones, both ways, with gaps; and one
// number that is an array by a stride of 0.
#include "support.h"

#include <math.h>

static mst_layout layout_of(mst_type type, size_t n, int64_t stride) {
    mst_layout layout = mst_layout_dense(type, 1, &n);
    layout.strides[0] = stride;
    return layout;
}

static void check(mst_context *context, size_t n, bool wide, bool real, bool inverse, int64_t stride) {
    const mst_type real_type = wide ? MST_FLOAT64 : MST_FLOAT32, complex_type = wide ? MST_COMPLEX128 : MST_COMPLEX64;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = layout_of(real && !inverse ? real_type : complex_type, real && inverse ? n / 2 + 1 : n, stride);
    if (real && inverse)
        desc.output = layout_of(real_type, n, stride);
    desc.direction = inverse ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    desc.scale = inverse ? 1 / (double)n : 1;
    desc.shape = MST_FFT_SHAPE_CPU;
    test_fft_check(context, &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
}

static void lengths(void **state) {
    static const size_t n[] = {95, 96, 97, 100, 128, 135, 175, 192, 210, 256, 961, 1000, 1009, 1024, 1728, 2310, 4096, 8190};
    for (size_t k = 0; k < 6 * sizeof n / sizeof n[0]; k++) {
        const bool wide = test_between(0, 1) && mst_context_device(*state)->fp64;
        check(*state, n[k / 6], wide, k % 3 > 0, k % 3 == 2 || (k % 3 == 0 && k % 2), k % 2 ? 1 : 3);
    }
    for (int k = 0; k < 40; k++)
        check(*state, test_between(64, 5000), test_between(0, 1) && mst_context_device(*state)->fp64, test_between(0, 1),
              test_between(0, 1), test_between(0, 3) ? 1 : 2);
}

// Its spectrum is n times the number, and zeros.
static void one_number(void **state) {
    static const size_t lengths[] = {8, 9, 12, 74, 1000, 16384};
    static const mst_type types[][2] = {{MST_FLOAT32, MST_COMPLEX64}, {MST_COMPLEX64, MST_COMPLEX64}};
    for (size_t k = 0; k < 4 * sizeof lengths / sizeof lengths[0]; k++) {
        const size_t n = lengths[k / 4];
        const bool real = k % 2 == 0;
        const mst_fft_shape shape = k % 4 < 2 ? MST_FFT_SHAPE_CPU : MST_FFT_SHAPE_GPU;
        if (shape == MST_FFT_SHAPE_GPU && !test_turn(k / 4, 3))
            continue;
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.input = layout_of(types[!real][0], n, 0);
        desc.output = layout_of(types[!real][1], real ? n / 2 + 1 : n, 1);
        desc.shape = shape;
        mst_fft *plan;
        mst_error e;
        OK(mst_fft_create(*state, &desc, &plan, &e));
        const float x[2] = {3, 0};
        float *z = malloc(2 * n * sizeof *z);
        assert_non_null(z);
        OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), NULL, &e));
        for (size_t i = 0; i < desc.output.shape[0]; i++) {
            const float wanted = i == 0 ? 3 * (float)n : 0, far = hypotf(z[2 * i] - wanted, z[2 * i + 1]);
            CHECK(far <= 1e-5F * (float)n, "%zu %s numbers: %g + %gi at %zu", n, real ? "real" : "complex", (double)z[2 * i],
                  (double)z[2 * i + 1], i);
        }
        free(z);
        mst_fft_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(lengths), cmocka_unit_test(one_number)};
    return cmocka_run_group_tests(tests, test_setup_on_cpu, test_teardown);
}
