// FFT: columns of planes that fill no vectors. What planes have left over behind their whole tiles goes into tiles together on
// CPUs.
#include "support.h"

static const mst_place place = MST_PLACE_DEVICE;

static mst_fft_desc describe(mst_type type, size_t planes, size_t n, size_t width, bool rows_too, bool dense) {
    const size_t shape[] = {planes, n, width};
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = dense ? mst_layout_dense(type, 3, shape) : test_layout_random(type, 3, shape, false);
    desc.axes[0] = 1;
    desc.axes[1] = 2;
    desc.n_axes = rows_too ? 2 : 1;
    desc.scale = 0.5;
    return desc;
}

// All widths up to two vectors and what is behind, by numbers of planes that fill tiles and that do not; columns alone, planes,
// and planes of real numbers.
static void widths(void **state) {
    const bool fp64 = mst_context_device(*state)->fp64;
    for (size_t width = 1; width < 20; width++) {
        const size_t planes = (size_t)test_between(1, 19), n = (size_t)test_between(2, 60);
        const bool is_double = fp64 && test_between(0, 1);
        if (!test_turn(width, 2))
            continue;
        mst_fft_desc desc = describe(is_double ? MST_COMPLEX128 : MST_COMPLEX64, planes, n, width, false, test_between(0, 2));
        test_fft_check(*state, &desc, place, place);
        desc = describe(is_double ? MST_COMPLEX128 : MST_COMPLEX64, planes, 16 * n, width, true, true);
        test_fft_check(*state, &desc, place, place);
        desc = describe(is_double ? MST_FLOAT64 : MST_FLOAT32, planes, 16 * n, width, true, true);
        test_fft_check(*state, &desc, place, place);
    }
}

// A column has the same bits whatever stands beside it.
static void neighbours(void **state) {
    enum { PLANES = 13, N = 600, WIDTH = 11, PLANE = N * WIDTH };
    mst_fft_desc desc = describe(MST_COMPLEX64, PLANES, N, WIDTH, true, true), one = desc;
    test_array x = test_array_random(&desc.input);
    test_array all = test_fft_run(*state, &desc, &x, place, place, NULL);
    for (size_t p = 0; p < PLANES; p += 4) {
        one.input = mst_layout_dense(MST_COMPLEX64, 3, (const size_t[]){9, N, WIDTH});
        test_array some = test_array_new(&one.input);
        for (size_t i = 0; i < 9 * (size_t)PLANE; i++)
            test_array_set(&some, i, test_array_get(&x, (p * (size_t)PLANE + i) % x.elements));
        test_array z = test_fft_run(*state, &one, &some, place, place, NULL);
        for (size_t i = 0; i < PLANE; i++)
            CHECK(test_array_get(&z, i) == test_array_get(&all, p * (size_t)PLANE + i), "plane %zu: element %zu differs", p, i);
        test_array_free(&some), test_array_free(&z);
    }
    test_array_free(&x), test_array_free(&all);
}

// Short columns, of up to 128 numbers, which go by strips of many: right, and of the same bits as by a single tile.
static void strips(void **state) {
    enum { NARROW = 3 };
    const bool fp64 = mst_context_device(*state)->fp64;
    for (size_t k = 1; k < 45; k++) {
        const size_t n = k < 34 ? k : (size_t)test_between(34, 140);
        const mst_type type = fp64 && test_between(0, 1) ? MST_COMPLEX128 : MST_COMPLEX64;
        const size_t width = (size_t)test_between(2 * NARROW, 150), planes = (size_t)test_between(1, 3);
        mst_fft_desc desc = describe(type, planes, n, width, false, test_between(0, 2)), few = desc;
        desc.direction = few.direction = test_between(0, 1) ? MST_FFT_INVERSE : MST_FFT_FORWARD;
        test_fft_check(*state, &desc, place, place);
        desc.input = mst_layout_dense(type, 3, (const size_t[]){planes, n, width});
        few.input = mst_layout_dense(type, 3, (const size_t[]){1, n, NARROW});
        test_array x = test_array_random(&desc.input), y = test_array_new(&few.input);
        for (size_t i = 0; i < n * NARROW; i++)
            test_array_set(&y, i, test_array_get(&x, i / NARROW * width + i % NARROW));
        test_array all = test_fft_run(*state, &desc, &x, place, place, NULL);
        test_array some = test_fft_run(*state, &few, &y, place, place, NULL);
        for (size_t i = 0; i < n * NARROW; i++)
            CHECK(test_array_get(&some, i) == test_array_get(&all, i / NARROW * width + i % NARROW),
                  "%zu of %zu: number %zu differs", width, n, i);
        test_array_free(&x), test_array_free(&y), test_array_free(&all), test_array_free(&some);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(widths), cmocka_unit_test(neighbours), cmocka_unit_test(strips)};
    return cmocka_run_group_tests(tests, test_setup_on_cpu, test_teardown);
}
