// FFT: passes over boxes, two or three axes at once, in GPU-shaped kernels, and a box a lane in those of CPUs that know no sizes.
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

// Complex numbers, or between real ones and their spectrum, of the last axes of shape.
static mst_fft_desc describe(mst_type type, int rank, const size_t *shape, int n_axes, bool real, bool inverse) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    const mst_type complex_type = type == MST_FLOAT32 ? MST_COMPLEX64 : MST_COMPLEX128;
    size_t spectrum[MST_MAX_RANK];
    memcpy(spectrum, shape, (size_t)rank * sizeof *shape);
    if (real)
        spectrum[rank - 1] = shape[rank - 1] / 2 + 1;
    desc.input = mst_layout_dense(real && !inverse ? type : complex_type, rank, real && !inverse ? shape : spectrum);
    if (real && inverse)
        desc.output = mst_layout_dense(type, rank, shape);
    desc.direction = inverse ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    desc.scale = inverse ? 0.5 : 1;
    desc.n_axes = n_axes;
    for (int a = 0; a < n_axes; a++)
        desc.axes[a] = rank - n_axes + a;
    desc.shape = MST_FFT_SHAPE_CPU;
    return desc;
}

static void check(mst_context *context, const mst_fft_desc *desc, int passes) {
    mst_fft *plan;
    mst_error e;
    test_fft_check(context, desc, test_between(0, 1) ? MST_PLACE_HOST : MST_PLACE_DEVICE, MST_PLACE_DEVICE);
    OK(mst_fft_create(context, desc, &plan, &e));
    CHECK(passes == 0 || mst_fft_n_passes(plan) == passes, "%s takes %d passes, not %d", test_layout_text(&desc->input),
          mst_fft_n_passes(plan), passes);
    mst_fft_destroy(plan);
}

// Real numbers on GPUs.
static void real_boxes(void **state) {
    static const struct {
        int rank, n_axes, forward, inverse; // passes
        size_t shape[4];
    } table[] = {
        {3, 2, 1, 1, {3, 32, 32}},     // two boxes a work-group, and one more
        {3, 2, 1, 1, {2, 30, 14}},     // rows of an odd number of pairs
        {4, 3, 1, 1, {2, 8, 9, 10}},   // three axes, the middle one odd,
        {4, 3, 1, 1, {3, 5, 6, 12}},   // or the first
        {3, 2, 2, 2, {2, 12, 15}},     // an odd last axis
        {4, 3, 2, 2, {2, 40, 12, 60}}, // a box of the last two, then columns; back, these first,
        {4, 3, 2, 2, {1, 600, 8, 64}}, // long ones, too
        {3, 2, 2, 2, {2, 200, 128}},   // too large
    };
    for (size_t i = 0; i < 4 * sizeof table / sizeof table[0]; i++) {
        const size_t k = i / 4;
        const bool wide = i % 2, inverse = i % 4 >= 2;
        if (!test_turn(i, 4) || (wide && !mst_context_device(*state)->fp64))
            continue;
        mst_fft_desc desc =
            describe(wide ? MST_FLOAT64 : MST_FLOAT32, table[k].rank, table[k].shape, table[k].n_axes, true, inverse);
        desc.shape = MST_FFT_SHAPE_GPU;
        desc.scale = i % 3 == 0 ? 1 : 0.25;
        check(*state, &desc, inverse ? table[k].inverse : table[k].forward);
    }
}

static void lanes(void **state) {
    mst_context *context = test_cpu(state);
    static const struct {
        int rank, n_axes, passes;
        size_t shape[4];
    } table[] = {
        {3, 2, 1, {19, 5, 12}},    // the last tile has fewer boxes
        {4, 3, 1, {17, 5, 7, 9}},  // odd rows of real numbers
        {3, 2, 1, {40, 2, 3}},     // several tiles at a time
        {3, 2, 1, {16, 16, 16}},   // rows that are stored by way of a buffer
        {4, 3, 2, {3, 20, 9, 14}}, // 60 boxes, then columns: too few of all three axes
        {3, 2, 2, {7, 6, 10}},     // too few
        {3, 2, 2, {16, 80, 60}},   // too large
        {3, 2, 1, {16, 22, 13}},   // steps of large primes
        {3, 2, 1, {18, 4, 37}},    // a prime that convolves in the tile, along rows,
        {3, 2, 1, {18, 83, 3}},    // and along columns
        {3, 2, 1, {33, 1, 6}},     // an axis of one
        {3, 2, 1, {33, 6, 1}},
    };
    for (size_t i = 0; i < 6 * sizeof table / sizeof table[0]; i++) {
        const size_t k = i / 6;
        const bool wide = i % 2, real = i % 6 >= 2;
        if (wide && !mst_context_device(context)->fp64)
            continue;
        mst_fft_desc desc = describe(wide ? MST_FLOAT64 : MST_FLOAT32, table[k].rank, table[k].shape, table[k].n_axes, real,
                                     real ? i % 6 >= 4 : test_between(0, 1));
        check(context, &desc, table[k].passes);
    }
}

static void random_boxes(void **state) {
    mst_context *context = test_cpu(state);
    for (int i = 0; i < 60; i++) {
        size_t shape[4] = {(size_t)test_between(1, 40), (size_t)test_between(1, 20), (size_t)test_between(1, 30),
                           (size_t)test_between(1, 20)};
        const int rank = (int)test_between(3, 4), n_axes = (int)test_between(2, rank == 4 ? 3 : 2);
        const bool wide = mst_context_device(context)->fp64 && test_between(0, 1);
        mst_fft_desc desc =
            describe(wide ? MST_FLOAT64 : MST_FLOAT32, rank, shape, n_axes, test_between(0, 2) > 0, test_between(0, 1));
        check(context, &desc, 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes), cmocka_unit_test(real_boxes), cmocka_unit_test(lanes),
                                       cmocka_unit_test(random_boxes)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
