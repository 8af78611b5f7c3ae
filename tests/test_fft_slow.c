// FFT: the longest transforms and large images.
#include "support.h"

static void check(mst_context *context, mst_type type, int rank, const size_t *shape, int n_axes, mst_fft_direction direction) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(type, rank, shape);
    desc.n_axes = n_axes;
    for (int a = 0; a < n_axes; a++)
        desc.axes[a] = rank - n_axes + a;
    desc.direction = direction;
    test_fft_check(context, &desc, MST_PLACE_HOST, MST_PLACE_HOST);
}

static void long_transforms(void **state) {
    for (int log_n = 17; log_n <= 24; log_n++)
        for (int t = MST_COMPLEX64; t <= MST_COMPLEX128; t++) {
            size_t shape[] = {log_n < 22 ? 3 : 1, (size_t)1 << log_n};
            check(*state, (mst_type)t, 2, shape, 1, log_n % 2 ? MST_FFT_INVERSE : MST_FFT_FORWARD);
        }
}

// Of twiddles by column and not, between two passes and three.
static void long_gpu_shaped(void **state) {
    for (int log_n = 19; log_n <= 21; log_n++) {
        size_t shape[] = {(size_t)1 << log_n};
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.input = mst_layout_dense(MST_COMPLEX64, 1, shape);
        desc.shape = MST_FFT_SHAPE_GPU;
        test_fft_check(*state, &desc, MST_PLACE_HOST, MST_PLACE_HOST);
    }
}

static void long_columns(void **state) {
    size_t shape[] = {(size_t)1 << 20, 3};
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    desc.axes[0] = 0;
    test_fft_check(*state, &desc, MST_PLACE_HOST, MST_PLACE_HOST);
}

static void images_and_volumes(void **state) {
    static const size_t image[] = {2048, 4096}, volume[] = {128, 256, 128};
    check(*state, MST_COMPLEX64, 2, image, 2, MST_FFT_FORWARD);
    check(*state, MST_COMPLEX128, 3, volume, 3, MST_FFT_INVERSE);
}

static void many_vectors(void **state) {
    static const size_t shape[] = {1000000, 8};
    check(*state, MST_COMPLEX64, 2, shape, 1, MST_FFT_FORWARD);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(long_transforms),    cmocka_unit_test(long_gpu_shaped), cmocka_unit_test(long_columns),
        cmocka_unit_test(images_and_volumes), cmocka_unit_test(many_vectors),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
