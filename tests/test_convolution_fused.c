// The fused algorithm in both shapes: padded lengths of one digit and of several, overlapping blocks, spectra that are kept, two
// axes, against direct sums and FFTW. Every case has kernels of its own, each of which takes a while to build: a run takes one
// case in two of every table.
#include "support_convolution.h"

static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};
static const mst_place device[3] = {MST_PLACE_DEVICE, MST_PLACE_DEVICE, MST_PLACE_DEVICE};
static const mst_place file[3] = {MST_PLACE_FILE, MST_PLACE_FILE, MST_PLACE_FILE};

typedef struct fused_case {
    mst_fft_shape shape;
    mst_type tx, ty;
    size_t bx, n, by, m;
    mst_convolution_mode mode;
    bool correlate;
} fused_case;

#define GPU MST_FFT_SHAPE_GPU
#define CPU MST_FFT_SHAPE_CPU
#define FULL MST_CONVOLUTION_FULL
#define SAME MST_CONVOLUTION_SAME
#define VALID MST_CONVOLUTION_VALID
#define CIRCULAR MST_CONVOLUTION_CIRCULAR

static mst_convolution_desc describe(const fused_case *c) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.x = mst_layout_dense(c->tx, 2, (const size_t[]){c->bx, c->n});
    desc.y = mst_layout_dense(c->ty, 2, (const size_t[]){c->by, c->m});
    desc.mode = c->mode, desc.correlate = c->correlate, desc.shape = c->shape, desc.algorithm = MST_CONVOLUTION_FUSED;
    return desc;
}

// The shape for CPUs is for devices with their memory.
static bool is_refused(mst_context *context, mst_fft_shape shape) {
    return shape == CPU && mst_context_device(context)->type & CL_DEVICE_TYPE_GPU;
}

static void run(mst_context *context, const fused_case *cases, size_t n_cases, const mst_place places[3]) {
    for (size_t i = 0; i < n_cases; i++) {
        if (!test_turn(i, 2) || is_refused(context, cases[i].shape))
            continue;
        mst_convolution_desc desc = describe(&cases[i]);
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
        test_convolution_check(context, &desc, &x, &y, places);
        test_array_free(&x);
        test_array_free(&y);
    }
}

static void one_kernel(void **state) {
    static const fused_case cases[] = {
        {GPU, MST_FLOAT32, MST_FLOAT32, 5, 19, 5, 12, FULL, false},
        {GPU, MST_COMPLEX64, MST_COMPLEX64, 3, 27, 1, 27, CIRCULAR, true},
        {GPU, MST_FLOAT64, MST_UINT8, 2, 37, 2, 37, CIRCULAR, true}, // a prime: goes round
        {GPU, MST_FLOAT32, MST_COMPLEX64, 1, 20, 4, 13, SAME, true},
        {CPU, MST_FLOAT32, MST_FLOAT32, 21, 100, 21, 30, SAME, true},
        {CPU, MST_COMPLEX128, MST_FLOAT64, 9, 40, 1, 50, VALID, false},
        {CPU, MST_FLOAT32, MST_FLOAT32, 11, 45, 11, 45, CIRCULAR, true},
        {CPU, MST_INT16, MST_FLOAT32, 3, 41, 3, 41, CIRCULAR, false},
        {CPU, MST_FLOAT32, MST_COMPLEX64, 17, 3, 17, 2, FULL, true},
    };
    run(*state, cases, sizeof cases / sizeof cases[0], device);
}

// Long signals with short kernels, either way round.
static void overlapping_blocks(void **state) {
    static const fused_case cases[] = {
        {GPU, MST_FLOAT32, MST_FLOAT32, 2, 5000, 1, 7, SAME, true},
        {GPU, MST_COMPLEX64, MST_FLOAT32, 3, 9, 3, 3001, FULL, false},
        {CPU, MST_FLOAT32, MST_FLOAT32, 2, 100003, 2, 33, FULL, false},
        {CPU, MST_FLOAT64, MST_COMPLEX128, 1, 30, 3, 20011, VALID, true},
        {CPU, MST_FLOAT32, MST_FLOAT32, 1, 40009, 4, 50, SAME, false},
    };
    run(*state, cases, sizeof cases / sizeof cases[0], file);
}

// Several digits: columns, fused rows, columns back.
static void long_vectors(void **state) {
    static const fused_case cases[] = {
        {GPU, MST_COMPLEX64, MST_COMPLEX64, 2, 9000, 2, 8500, FULL, false},
        {GPU, MST_FLOAT64, MST_FLOAT64, 1, 6100, 2, 5000, SAME, true},
        {CPU, MST_FLOAT32, MST_FLOAT32, 3, 20011, 3, 15000, FULL, true},
        {CPU, MST_COMPLEX128, MST_COMPLEX128, 1, 30000, 2, 30000, CIRCULAR, false},
        {CPU, MST_FLOAT32, MST_COMPLEX64, 1, 1500, 1, 1200, SAME, false}, // a single vector: lanes are columns
    };
    run(*state, cases, sizeof cases / sizeof cases[0], host);
}

// ---- two axes ----

// Images in overlapping blocks along both axes: modes, and several images by one kernel or each by its own. The kernel comes
// first, as the sums that results are held against go through all of the first operand.
static void image_blocks(void **state) {
    static const test_image_case cases[] = {
        {GPU, MST_FLOAT32, MST_FLOAT32, 1, {9, 14}, 2, {330, 420}, FULL, false, {1, 2}},
        {GPU, MST_FLOAT32, MST_COMPLEX64, 1, {8, 3}, 2, {300, 260}, FULL, true, {0, 2}},
        {GPU, MST_COMPLEX64, MST_COMPLEX64, 2, {12, 12}, 2, {290, 310}, VALID, true, {1, 2}},
    };
    static const mst_place *const places[] = {host, device, file};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (test_turn(i, 3))
            test_image_check(*state, &cases[i], MST_CONVOLUTION_FUSED, places[i % 3]);
}

static void images(void **state) {
    static const test_image_case cases[] = {
        {GPU, MST_FLOAT32, MST_FLOAT32, 2, {9, 11}, 2, {4, 5}, FULL, true, {1, 2}},
        {GPU, MST_COMPLEX64, MST_FLOAT32, 2, {7, 6}, 1, {7, 6}, CIRCULAR, true, {0, 2}},
        {CPU, MST_FLOAT32, MST_FLOAT32, 3, {21, 33}, 1, {5, 7}, SAME, false, {1, 2}},
        {CPU, MST_FLOAT64, MST_FLOAT64, 2, {18, 17}, 2, {18, 17}, CIRCULAR, true, {0, 1}},
        {CPU, MST_FLOAT32, MST_FLOAT32, 1, {5, 4}, 2, {13, 22}, VALID, true, {0, 2}},
        {CPU, MST_COMPLEX64, MST_COMPLEX64, 2, {12, 16}, 2, {12, 16}, CIRCULAR, false, {1, 2}},
    };
    static const mst_place *const places[] = {host, device, file};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (test_turn(i, 2) && !is_refused(*state, cases[i].shape))
            test_image_check(*state, &cases[i], MST_CONVOLUTION_FUSED, places[i % 3]);
}

// Blocks of a small budget leave spectra that are kept where they are: the same bits as in one block.
static void kept_spectra_in_blocks(void **state) {
    const fused_case c = {is_refused(*state, CPU) ? GPU : CPU, MST_FLOAT32, MST_FLOAT32, 90, 300, 1, 40, FULL, true};
    mst_convolution_desc desc = describe(&c);
    mst_context_desc budget = MST_CONTEXT_DESC_INIT;
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    how.report = &report;
    budget.device_memory = 150000;
    mst_context *small = test_context(&budget);
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    test_array whole = test_convolution_run(*state, &desc, &x, &y, host, NULL);
    test_array parts = test_convolution_run(small, &desc, &x, &y, host, &how);
    CHECK(report.blocks > 1, "%llu blocks", (unsigned long long)report.blocks);
    CHECK(test_array_same(&whole, &parts), "blocks differ from one");
    mst_context_destroy(small);
    test_array_free(&whole), test_array_free(&parts), test_array_free(&x), test_array_free(&y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_kernel), cmocka_unit_test(overlapping_blocks), cmocka_unit_test(long_vectors),
        cmocka_unit_test(images),     cmocka_unit_test(image_blocks),       cmocka_unit_test(kept_spectra_in_blocks),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
