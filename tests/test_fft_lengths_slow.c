// FFT: a sample of the lengths to 2048 (another one every time) and of larger ones, in either shape of kernels.
#include "support.h"

static void check(void **state, size_t rows, size_t n) {
    size_t extents[] = {rows, n};
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(test_between(0, 1) ? MST_COMPLEX64 : MST_COMPLEX128, 2, extents);
    desc.direction = test_between(0, 1) ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    desc.shape = (mst_fft_shape)test_between(MST_FFT_SHAPE_GPU, MST_FFT_SHAPE_CPU);
    test_fft_check(desc.shape == MST_FFT_SHAPE_CPU ? test_cpu(state) : *state, &desc, MST_PLACE_HOST, MST_PLACE_HOST);
}

static void lengths_to_2048(void **state) {
    for (int i = 0; i < 200; i++)
        check(state, 20, test_between(1, 2048));
}

static void larger_lengths(void **state) {
    static const size_t table[] = {46080, 100000, 65537, 131071, 177147, 390625, 823543, 1000000, 999983, 1048573, 3000000};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        check(state, 2, table[i]);
    for (int i = 0; i < 12; i++)
        check(state, 2, test_between(2049, 500000));
}

// Beyond what arrays in host memory take as whole items: the chirp's spectrum is a transform of the plan's precision.
static void long_primes_on_a_device(void **state) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(test_between(0, 1) ? MST_COMPLEX64 : MST_COMPLEX128, 1, (const size_t[]){2097169});
    desc.direction = test_between(0, 1) ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    test_fft_check(test_cpu(state), &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
    desc.direction = MST_FFT_FORWARD;
    desc.input.type = MST_FLOAT32;
    test_fft_check(*state, &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_to_2048),
        cmocka_unit_test(larger_lengths),
        cmocka_unit_test(long_primes_on_a_device),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
