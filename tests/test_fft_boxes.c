// FFT: passes over boxes, two or three axes at once, in GPU-shaped kernels.
#include "support.h"

static void boxes(void **state) {
    static const struct {
        int rank, n_axes, passes;
        size_t shape[4];
        mst_type type;
    } table[] = {
        {3, 2, 1, {3, 32, 32}, MST_COMPLEX64},     // two boxes a work-group, and one more
        {3, 2, 1, {2, 30, 14}, MST_COMPLEX128},    // work-items that have no butterfly
        {4, 3, 1, {2, 8, 9, 10}, MST_COMPLEX64},   // three axes, the middle one odd
        {4, 3, 1, {1, 20, 20, 18}, MST_COMPLEX64}, // real and imaginary parts one after the other
        {4, 3, 2, {2, 40, 12, 60}, MST_COMPLEX64}, // a box of the last two, then columns
        {3, 2, 2, {2, 200, 64}, MST_COMPLEX64},    // too large
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        mst_fft *plan;
        mst_error e;
        if (!test_turn(i, 2))
            continue;
        desc.input = mst_layout_dense(table[i].type, table[i].rank, table[i].shape);
        desc.n_axes = table[i].n_axes;
        for (int a = 0; a < desc.n_axes; a++)
            desc.axes[a] = table[i].rank - 1 - a;
        desc.direction = test_between(0, 1) ? MST_FFT_FORWARD : MST_FFT_INVERSE;
        desc.scale = 0.5;
        desc.shape = MST_FFT_SHAPE_GPU;
        test_fft_check(*state, &desc, test_between(0, 1) ? MST_PLACE_HOST : MST_PLACE_DEVICE, MST_PLACE_DEVICE);
        OK(mst_fft_create(*state, &desc, &plan, &e));
        CHECK(mst_fft_n_passes(plan) == table[i].passes, "case %zu takes %d passes, not %d", i, mst_fft_n_passes(plan),
              table[i].passes);
        mst_fft_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
