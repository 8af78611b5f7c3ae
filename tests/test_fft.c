// FFT: results against FFTW, and properties that need no reference. Powers of two and mixed axes; other lengths, and both shapes
// of kernels, are in fft_lengths. Of lengths and types, whose kernels are written by the same functions, a run takes one in two
// to four.
#include "support.h"

#include <math.h>

static const mst_type types[] = {MST_COMPLEX64, MST_COMPLEX128};
static const mst_fft_direction directions[] = {MST_FFT_FORWARD, MST_FFT_INVERSE};
static const mst_place all_places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};

static mst_fft_desc describe(mst_type type, int rank, const size_t *shape) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(type, rank, shape);
    return desc;
}

static void every_length(void **state) {
    for (size_t n = 1; n <= 65536; n *= 2)
        for (int t = 0; t < 2; t++) {
            size_t shape[] = {3, n};
            int d = (int)test_between(0, 1);
            if (!test_turn((size_t)t + (size_t)__builtin_ctzll(n), 3))
                continue;
            mst_fft_desc desc = describe(types[t], 2, shape);
            desc.direction = directions[d];
            desc.scale = d ? 1 / (double)n : 1;
            test_fft_check(*state, &desc, MST_PLACE_HOST, MST_PLACE_HOST);
            test_fft_check(*state, &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
        }
}

static void batches(void **state) {
    static const size_t shapes[][2] = {{1, 2}, {1, 16}, {1, 2048}, {1000, 2}, {1000, 4}, {1000, 8}, {1000, 64}, {1000, 512}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int t = 0; t < 2; t++) {
            mst_fft_desc desc = describe(types[t], 2, shapes[i]);
            if (!test_turn(i + (size_t)t, 3))
                continue;
            if (shapes[i][1] >= 512) // a scale that is rounded, and rounds again: short transforms have no room for that
                desc.scale = 1.0 / 3;
            test_fft_check(*state, &desc, all_places[test_between(0, 2)], all_places[test_between(0, 2)]);
        }
}

static void axes(void **state) {
    static const struct {
        int rank;
        size_t shape[5];
        int n_axes, axes[3];
    } table[] = {
        {1, {64}, 1, {0}},
        {1, {64}, 1, {-1}},
        {2, {32, 7}, 1, {0}},
        {2, {1, 1}, 1, {-1}},
        {2, {1, 1}, 2, {0, 1}},
        {2, {1, 32}, 2, {0, 1}},
        {2, {32, 1}, 2, {0, 1}},
        {2, {16, 64}, 2, {0, 1}},
        {2, {16, 64}, 2, {-1, -2}},
        {3, {3, 16, 5}, 1, {1}},
        {3, {16, 3, 8}, 2, {0, 2}},
        {3, {16, 3, 8}, 2, {2, 0}},
        {3, {8, 4, 16}, 3, {0, 1, 2}},
        {3, {8, 4, 16}, 3, {2, -3, 1}},
        {3, {2, 256, 256}, 2, {-1, -2}},
        {4, {2, 8, 3, 32}, 2, {1, 3}},
        {5, {2, 4, 8, 3, 16}, 3, {1, 2, 4}},
        {5, {3, 1, 2048, 1, 2}, 1, {2}},
        {4, {1, 1, 8192, 3}, 1, {2}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mst_fft_desc desc = describe(types[test_between(0, 1)], table[i].rank, table[i].shape);
        if (!test_turn(i, 4))
            continue;
        desc.n_axes = table[i].n_axes;
        memcpy(desc.axes, table[i].axes, sizeof desc.axes);
        desc.direction = directions[test_between(0, 1)];
        desc.scale = -0.5;
        test_fft_check(*state, &desc, all_places[test_between(0, 2)], all_places[test_between(0, 2)]);
    }
}

static void random_layouts(void **state) {
    for (int i = 0; i < test_many(3); i++) {
        mst_type type = types[test_between(0, 1)];
        int rank = (int)test_between(1, 5);
        size_t shape[MST_MAX_RANK];
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        int order[MST_MAX_RANK] = {0};
        for (int k = 0; k < rank; k++) {
            int at = (int)test_between(0, (size_t)k);
            shape[k] = test_between(1, 5);
            order[k] = order[at];
            order[at] = k;
        }
        desc.n_axes = (int)test_between(1, (size_t)(rank < 3 ? rank : 3));
        for (int a = 0; a < desc.n_axes; a++) {
            shape[order[a]] = (size_t)1 << test_between(0, desc.n_axes == 1 ? 10 : 4);
            desc.axes[a] = order[a] - (test_between(0, 1) ? rank : 0);
        }
        desc.input = test_layout_random(type, rank, shape, true);
        desc.output = test_layout_random(type, rank, shape, false);
        desc.direction = directions[test_between(0, 1)];
        desc.scale = ldexp(test_between(0, 1) ? 1 : -1, (int)test_between(0, 20) - 10);
        test_fft_check(*state, &desc, all_places[test_between(0, 2)], all_places[test_between(0, 2)]);
    }
}

// Every mix of places gives the same bits, also in place.
static void places_agree(void **state) {
    static const size_t shapes[][3] = {{5, 3, 64}, {2, 2, 8192}, {3, 1, 32768}};
    mst_error e;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int t = 0; t < 2; t++)
            for (int strided = 0; strided < 2; strided++) {
                mst_fft_desc desc = describe(types[t], 3, shapes[i]);
                if (!test_turn(i + (size_t)t, 3))
                    continue;
                if (strided)
                    desc.input = test_layout_random(types[t], 3, shapes[i], false);
                desc.output = desc.input;
                test_array input = test_array_random(&desc.input);
                test_array first = test_fft_run(*state, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
                for (int a = 0; a < 3; a++)
                    for (int b = 0; b < 3; b++) {
                        test_array other = test_fft_run(*state, &desc, &input, all_places[a], all_places[b], NULL);
                        CHECK(test_array_same(&first, &other), "%s: %s -> %s differs from host -> host",
                              test_layout_text(&desc.input), test_place_name(all_places[a]), test_place_name(all_places[b]));
                        test_array_free(&other);
                    }
                for (int a = 0; a < 3; a++) {
                    mst_fft *plan = NULL;
                    test_array same = input;
                    same.image = malloc(input.bytes);
                    assert_non_null(same.image);
                    test_placed both = test_place(*state, all_places[a], &input);
                    OK(mst_fft_create(*state, &desc, &plan, &e));
                    OK(mst_fft_execute(plan, both.at, both.at, NULL, &e));
                    mst_fft_destroy(plan);
                    test_collect(&both, &same);
                    CHECK(test_array_same(&first, &same) && test_array_gaps_intact(&same),
                          "%s in place in %s differs from out of place", test_layout_text(&desc.input),
                          test_place_name(all_places[a]));
                    test_array_free(&same);
                }
                test_array_free(&first);
                test_array_free(&input);
            }
}

static void several_axes_in_place(void **state) {
    mst_error e;
    size_t shape[] = {3, 8, 16, 32};
    for (int t = 0; t < 2; t++) {
        mst_fft_desc desc = describe(types[t], 4, shape);
        if (!test_turn((size_t)t, 2))
            continue;
        desc.n_axes = 3;
        desc.axes[0] = 1, desc.axes[1] = 2, desc.axes[2] = 3;
        test_array input = test_array_random(&desc.input), same = input;
        test_array first = test_fft_run(*state, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
        same.image = malloc(input.bytes);
        assert_non_null(same.image);
        for (int a = 0; a < 3; a++) {
            mst_fft *plan = NULL;
            test_placed both = test_place(*state, all_places[a], &input);
            OK(mst_fft_create(*state, &desc, &plan, &e));
            OK(mst_fft_execute(plan, both.at, both.at, NULL, &e));
            mst_fft_destroy(plan);
            test_collect(&both, &same);
            CHECK(test_array_same(&first, &same), "3-D in place in %s differs", test_place_name(all_places[a]));
        }
        test_array_free(&same);
        test_array_free(&first);
        test_array_free(&input);
    }
}

// A plan is used again and again, on other places and other data.
static void plan_is_reusable(void **state) {
    mst_error e;
    mst_fft *plan = NULL;
    size_t shape[] = {4, 256};
    mst_fft_desc desc = describe(MST_COMPLEX64, 2, shape);
    OK(mst_fft_create(*state, &desc, &plan, &e));
    for (int i = 0; i < 12; i++) {
        test_array input = test_array_random(&desc.input), output = test_array_new(&desc.input);
        test_placed in = test_place(*state, all_places[i % 3], &input);
        test_placed out = test_place(*state, all_places[i / 3 % 3], &output);
        OK(mst_fft_execute(plan, in.at, out.at, NULL, &e));
        test_collect(&in, &input);
        test_collect(&out, &output);
        test_wide *reference = test_fft_reference(&desc, &input);
        double error = test_fft_error(&desc, &output, reference);
        CHECK(error <= test_gate(&desc.input, 256), "use %d of the plan: error %.3g", i, error);
        free(reference);
        test_array_free(&input);
        test_array_free(&output);
    }
    mst_fft_destroy(plan);
}

static void empty_arrays(void **state) {
    static const size_t shapes[][3] = {{0, 4, 8}, {3, 0, 8}, {0, 0, 8}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        for (int a = 0; a < 3; a++)
            for (int b = 0; b < 3; b++) {
                mst_fft_desc desc = describe(MST_COMPLEX64, 3, shapes[i]);
                test_fft_check(*state, &desc, all_places[a], all_places[b]);
            }
}

// ---- properties ----

// An impulse at j has the spectrum exp(-2 pi i j k / n): closed form, no FFTW.
static void impulse(void **state) {
    static const long double two_pi = 6.283185307179586476925286766559L;
    for (size_t n = 2; n <= 16384; n *= 2)
        for (int t = 0; t < 2; t++) {
            if (!test_turn((size_t)t + (size_t)__builtin_ctzll(n), 6)) // half of those of every_length
                continue;
            size_t shape[] = {4, n}, at[4] = {0, 1, n - 1, test_between(0, n - 1)};
            mst_fft_desc desc = describe(types[t], 2, shape);
            test_array input = test_array_new(&desc.input);
            test_wide *expected = malloc(4 * n * sizeof *expected);
            assert_non_null(expected);
            for (size_t b = 0; b < 4; b++)
                for (size_t k = 0; k < n; k++) {
                    long double angle = -two_pi * (long double)(at[b] * k % n) / (long double)n;
                    test_array_set(&input, b * n + k, k == at[b]);
                    expected[b * n + k] = test_complex(cosl(angle), sinl(angle));
                }
            test_array output = test_fft_run(*state, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
            double error = test_fft_error(&desc, &output, expected);
            CHECK(error <= test_gate(&desc.input, n), "impulse, %s: error %.3g", test_layout_text(&desc.input), error);
            free(expected);
            test_array_free(&input);
            test_array_free(&output);
        }
}

// F(2 a - b) = 2 F(a) - F(b), and the energy of a spectrum is n times that of the data; a shift by s multiplies by a phase.
static void linearity_shift_energy(void **state) {
    static const long double two_pi = 6.283185307179586476925286766559L;
    enum { N = 4096 };
    for (int t = 0; t < 2; t++) {
        size_t shape[] = {4, N}, s = test_between(1, N - 1);
        mst_fft_desc desc = describe(types[t], 2, shape);
        test_array a = test_array_random(&desc.input);
        for (size_t k = 0; k < N; k++) {
            test_array_set(&a, 2 * N + k, 2 * test_array_get(&a, k) - test_array_get(&a, N + k));
            test_array_set(&a, 3 * N + (k + s) % N, test_array_get(&a, k));
        }
        test_array f = test_fft_run(*state, &desc, &a, MST_PLACE_DEVICE, MST_PLACE_HOST, NULL);
        long double linear = 0, shift = 0, energy = 0, spectrum = 0,
                    rounding = test_layout_is_double(&desc.input) ? 0x1p-53L : 0x1p-24L;
        for (size_t k = 0; k < N; k++) {
            long double angle = -two_pi * (long double)(s * k % N) / N;
            test_wide f0 = test_array_get(&f, k);
            linear += powl(cabsl(test_array_get(&f, 2 * N + k) - (2 * f0 - test_array_get(&f, N + k))), 2);
            shift += powl(cabsl(test_array_get(&f, 3 * N + k) - f0 * test_complex(cosl(angle), sinl(angle))), 2);
            energy += powl(cabsl(test_array_get(&a, k)), 2);
            spectrum += powl(cabsl(f0), 2) / N;
        }
        long double gate = test_gate(&desc.input, N);
        // each side carries its own error: 2 F(a), F(b) and the rounded input 2 a - b, all within a factor 3 of F(a)
        CHECK(sqrtl(linear / N / energy) <= 6 * gate + 3 * rounding, "linearity: %.3Lg", sqrtl(linear / N / energy));
        CHECK(sqrtl(shift / N / energy) <= 2 * gate, "shift by %zu: %.3Lg", s, sqrtl(shift / N / energy));
        CHECK(fabsl(spectrum / energy - 1) <= 2 * gate + gate * gate, "Parseval: %.3Lg", spectrum / energy - 1);
        test_array_free(&a);
        test_array_free(&f);
    }
}

// A NaN stays in its own transform.
static void not_a_number_stays(void **state) {
    size_t shape[] = {33, 128};
    for (int t = 0; t < 2; t++) {
        mst_fft_desc desc = describe(types[t], 2, shape);
        test_array clean = test_array_random(&desc.input), dirty = clean;
        dirty.image = malloc(clean.bytes);
        assert_non_null(dirty.image);
        memcpy(dirty.image, clean.image, clean.bytes);
        test_array_set(&dirty, 7 * 128 + 50, test_complex(NAN, 0));
        test_array_set(&dirty, 20 * 128, test_complex(0, INFINITY));
        test_array a = test_fft_run(*state, &desc, &clean, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
        test_array b = test_fft_run(*state, &desc, &dirty, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
        for (size_t i = 0; i < a.elements; i++) {
            bool hit = i / 128 == 7 || i / 128 == 20;
            bool finite = isfinite(creall(test_array_get(&b, i))) && isfinite(cimagl(test_array_get(&b, i)));
            bool same = memcmp(test_array_at(&a, i), test_array_at(&b, i), mst_type_bytes(types[t])) == 0;
            CHECK(hit ? !finite : same, "element %zu of vector %zu is %s", i % 128, i / 128, hit ? "finite" : "changed");
        }
        test_array_free(&clean);
        test_array_free(&dirty);
        test_array_free(&a);
        test_array_free(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(batches),
        cmocka_unit_test(axes),
        cmocka_unit_test(random_layouts),
        cmocka_unit_test(places_agree),
        cmocka_unit_test(several_axes_in_place),
        cmocka_unit_test(plan_is_reusable),
        cmocka_unit_test(empty_arrays),
        cmocka_unit_test(impulse),
        cmocka_unit_test(linearity_shift_energy),
        cmocka_unit_test(not_a_number_stays),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
