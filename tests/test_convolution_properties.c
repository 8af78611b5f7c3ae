// Convolution: properties that need no reference, and values that are hard: wide ranges, denormals, NaN and infinity.
#include "support.h"

#include <float.h>
#include <math.h>

static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};

static mst_convolution_desc describe(mst_type type, size_t bx, size_t n, size_t by, size_t m) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    size_t x[] = {bx, n}, y[] = {by, m};
    desc.x = mst_layout_dense(type, 2, x);
    desc.y = mst_layout_dense(type, 2, y);
    return desc;
}

static long double norm(const test_array *a, size_t first, size_t count) {
    long double sum = 0;
    for (size_t k = 0; k < count; k++)
        sum += powl(cabsl(test_array_get(a, first + k)), 2);
    return sqrtl(sum);
}

// Every test here runs over all algorithms and floating-point types; fused and direct, which have kernels for each, over one type
// a run.
typedef void (*property)(mst_context *context, mst_type type, mst_convolution_algorithm algorithm);

static void over_all(mst_context *context, property body) {
    for (int a = MST_CONVOLUTION_REFERENCE; a <= MST_CONVOLUTION_DIRECT; a++)
        for (int t = MST_FLOAT32; t <= MST_COMPLEX128; t++)
            if (a < MST_CONVOLUTION_FUSED || test_turn((size_t)(t + a), 4))
                body(context, (mst_type)t, (mst_convolution_algorithm)a);
}

// Convolving with an impulse at j shifts by j; correlating shifts back.
static void impulse_of(mst_context *context, mst_type type, mst_convolution_algorithm algorithm) {
    enum { N = 100, M = 29 };
    size_t at[3] = {0, M - 1, test_between(0, M - 1)};
    for (int correlate = 0; correlate < 2; correlate++) {
        mst_convolution_desc desc = describe(type, 1, N, 3, M);
        desc.algorithm = algorithm, desc.correlate = correlate;
        test_array x = test_array_random(&desc.x), y = test_array_new(&desc.y);
        for (size_t i = 0; i < 3 * M; i++)
            test_array_set(&y, i, i % M == at[i / M]);
        test_array z = test_convolution_run(context, &desc, &x, &y, host, NULL);
        for (size_t b = 0; b < 3; b++) {
            long double sum = 0;
            size_t shift = correlate ? M - 1 - at[b] : at[b];
            for (size_t k = 0; k < N + M - 1; k++) {
                test_wide expected = k >= shift && k - shift < N ? test_array_get(&x, k - shift) : 0;
                sum += powl(cabsl(test_array_get(&z, b * (N + M - 1) + k) - expected), 2);
            }
            long double error = sqrtl(sum) / norm(&x, 0, N);
            CHECK(error <= 2 * test_gate(&z.layout, 128), "%s, %s: impulse at %zu: %.3Lg", mst_type_name(type),
                  mst_convolution_algorithm_name(algorithm), at[b], error);
        }
        test_array_free(&x);
        test_array_free(&y);
        test_array_free(&z);
    }
}

static void impulse(void **state) { over_all(*state, impulse_of); }

// x * y = y * x; (2 x0 - x1) * y = 2 (x0 * y) - x1 * y; shifting x shifts the result.
static void algebra_of(mst_context *context, mst_type type, mst_convolution_algorithm algorithm) {
    enum { N = 61, M = 61, L = N + M - 1, SHIFT = 9 };
    mst_convolution_desc desc = describe(type, 4, N, 1, M);
    desc.algorithm = algorithm;
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    for (size_t k = 0; k < N; k++) {
        if (k >= N - SHIFT)
            test_array_set(&x, k, 0);
        test_array_set(&x, 2 * N + k, 2 * test_array_get(&x, k) - test_array_get(&x, N + k));
        test_array_set(&x, 3 * N + k, k < SHIFT ? 0 : test_array_get(&x, k - SHIFT));
    }
    test_array z = test_convolution_run(context, &desc, &x, &y, host, NULL);
    mst_convolution_desc swapped = desc;
    swapped.x = desc.y, swapped.y = desc.x;
    test_array w = test_convolution_run(context, &swapped, &y, &x, host, NULL);
    long double swap = 0, linear = 0, shift = 0, unit = norm(&y, 0, M), gate = 2 * test_gate(&z.layout, 128);
    for (size_t b = 0; b < 4; b++)
        for (size_t k = 0; k < L; k++)
            swap += powl(cabsl(test_array_get(&z, b * L + k) - test_array_get(&w, b * L + k)), 2);
    for (size_t k = 0; k < L; k++) {
        test_wide z0 = test_array_get(&z, k);
        linear += powl(cabsl(test_array_get(&z, 2 * L + k) - (2 * z0 - test_array_get(&z, L + k))), 2);
        shift += powl(cabsl(test_array_get(&z, 3 * L + k) - (k < SHIFT ? 0 : test_array_get(&z, k - SHIFT))), 2);
    }
    long double x0 = norm(&x, 0, N), x1 = norm(&x, N, N), x2 = norm(&x, 2 * N, N),
                rounding = test_layout_is_double(&z.layout) ? 0x1p-53L : 0x1p-24L;
    const char *who = mst_convolution_algorithm_name(algorithm);
    // each result brings its own error, at most the gate times the norms of its operands; 2 x0 - x1 was rounded
    CHECK(sqrtl(swap) <= 2 * gate * norm(&x, 0, 4 * N) * unit, "%s, %s: commutes to %.3Lg", mst_type_name(type), who,
          sqrtl(swap));
    CHECK(sqrtl(linear) <= (gate * (2 * x0 + x1 + x2) + sqrtl(N) * rounding * x2) * unit, "%s, %s: linear to %.3Lg",
          mst_type_name(type), who, sqrtl(linear));
    CHECK(sqrtl(shift) <= 2 * gate * x0 * unit, "%s, %s: shifts to %.3Lg", mst_type_name(type), who, sqrtl(shift));
    test_array_free(&x);
    test_array_free(&y);
    test_array_free(&z);
    test_array_free(&w);
}

static void commutativity_linearity_shift(void **state) { over_all(*state, algebra_of); }

// Vectors, and the two operands of a pair, of very different size must not spoil one another.
static void ranges_of(mst_context *context, mst_type type, mst_convolution_algorithm algorithm) {
    enum { B = 8, N = 50, M = 33 };
    mst_convolution_desc desc = describe(type, B, N, B, M);
    desc.algorithm = algorithm;
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    for (size_t b = 0; b < B; b++) {
        long double sx = b % 2 ? 1e12L : 1e-12L, sy = b & 2 ? 1e12L : b & 4 ? 1 : 1e-12L;
        for (size_t k = 0; k < N; k++)
            test_array_set(&x, b * N + k, test_array_get(&x, b * N + k) * sx);
        for (size_t k = 0; k < M; k++)
            test_array_set(&y, b * M + k, test_array_get(&y, b * M + k) * sy);
    }
    for (int mode = MST_CONVOLUTION_FULL; mode <= MST_CONVOLUTION_VALID; mode++) {
        desc.mode = (mst_convolution_mode)mode;
        test_convolution_check(context, &desc, &x, &y, host);
    }
    test_array_free(&x);
    test_array_free(&y);
}

static void wide_ranges(void **state) { over_all(*state, ranges_of); }

// Denormals among ordinary values stay within the gate; vectors of nothing but denormals may be flushed to zero by the
// device, which costs at most the smallest normal number a value.
static void denormals_of(mst_context *context, mst_type type, mst_convolution_algorithm algorithm) {
    enum { N = 40, M = 24 };
    bool wide = type == MST_FLOAT64 || type == MST_COMPLEX128;
    long double tiny = wide ? DBL_MIN : FLT_MIN;
    mst_convolution_desc desc = describe(type, 2, N, 2, M);
    desc.algorithm = algorithm;
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    for (size_t k = 0; k < 2 * N; k += 3)
        test_array_set(&x, k, test_array_get(&x, k) * tiny);
    for (size_t k = 0; k < 2 * M; k += 4)
        test_array_set(&y, k, test_array_get(&y, k) * tiny / 8);
    test_convolution_check(context, &desc, &x, &y, host);
    for (size_t k = 0; k < N; k++)
        test_array_set(&x, N + k, test_complex(test_uniform(), test_uniform()) * tiny);
    test_array z = test_convolution_run(context, &desc, &x, &y, host, NULL);
    test_wide *reference = test_convolution_reference(&desc, &x, &y, &z.layout, NULL);
    for (size_t k = N + M - 1; k < 2 * (N + M - 1); k++) {
        long double off = cabsl(test_array_get(&z, k) - reference[k]);
        CHECK(off <= 128 * tiny, "%s, %s: a sum of denormals is off by %.3Lg smallest normal numbers", mst_type_name(type),
              mst_convolution_algorithm_name(algorithm), off / tiny);
    }
    free(reference);
    test_array_free(&x);
    test_array_free(&y);
    test_array_free(&z);
}

static void denormals(void **state) { over_all(*state, denormals_of); }

// Bad values in x of vector 3 and y of vector 6 leave all other vectors as they were, bit for bit.
static void not_finite_of(mst_context *context, mst_type type, mst_convolution_algorithm algorithm) {
    enum { B = 9, N = 45, M = 20 };
    const long double bad[3] = {(long double)NAN, (long double)INFINITY, -(long double)INFINITY};
    mst_convolution_desc desc = describe(type, B, N, B, M);
    desc.algorithm = algorithm, desc.mode = MST_CONVOLUTION_SAME;
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    test_array clean = test_convolution_run(context, &desc, &x, &y, host, NULL);
    for (int v = 0; v < 3; v++) {
        test_array_set(&x, 3 * N + N / 2, bad[v]);
        test_array_set(&y, 6 * M + M / 2, bad[v]);
        test_array dirty = test_convolution_run(context, &desc, &x, &y, host, NULL);
        for (size_t i = 0; i < dirty.elements; i++) {
            size_t b = i / N;
            bool same = memcmp(test_array_at(&clean, i), test_array_at(&dirty, i), mst_type_bytes(dirty.layout.type)) == 0;
            bool finite = isfinite(cabsl(test_array_get(&dirty, i)));
            // the bad value meets element N/2 of both results directly, whatever the algorithm
            CHECK(b == 3 || b == 6 ? !finite || i % N != N / 2 : same, "%s, %s: %Lg: vector %zu element %zu is %s",
                  mst_type_name(type), mst_convolution_algorithm_name(algorithm), bad[v], b, i % N, finite ? "finite" : "not");
        }
        test_array_free(&dirty);
    }
    test_array_free(&x);
    test_array_free(&y);
    test_array_free(&clean);
}

static void not_finite(void **state) { over_all(*state, not_finite_of); }

// One bad kernel for all spoils all, one bad vector of many only its own result.
static void not_finite_broadcast(void **state) {
    enum { B = 5, N = 30, M = 7 };
    mst_convolution_desc desc = describe(MST_FLOAT32, B, N, 1, M);
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    test_array clean = test_convolution_run(*state, &desc, &x, &y, host, NULL);
    test_array_set(&x, 2 * N, (long double)NAN);
    test_array dirty = test_convolution_run(*state, &desc, &x, &y, host, NULL);
    for (size_t i = 0; i < dirty.elements; i++)
        CHECK(i / (N + M - 1) == 2 || test_array_get(&clean, i) == test_array_get(&dirty, i), "element %zu changed", i);
    assert_true(isnan(creall(test_array_get(&dirty, 2 * (N + M - 1)))));
    test_array_free(&x);
    test_array_free(&y);
    test_array_free(&clean);
    test_array_free(&dirty);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulse),     cmocka_unit_test(commutativity_linearity_shift),
        cmocka_unit_test(wide_ranges), cmocka_unit_test(denormals),
        cmocka_unit_test(not_finite),  cmocka_unit_test(not_finite_broadcast),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
