// Tables of FFTs: roots of unity, and the spectra of Bluestein's and Rader's convolutions.
#include "support.h"

#include "fft/plan.h"
#include "fft/twiddle.h"

#include <float.h>
#include <math.h>

static void roots_are_exact_to_the_last_places(void **state) {
    (void)state;
    static const size_t orders[] = {1,    2,    3,     4,     5,       7,       8,       9,       12,        1000,
                                    1009, 4096, 46080, 65537, 1 << 20, 2000376, 1 << 24, 4194301, 1073741824};
    for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
        size_t n = orders[i], step = n < 5000 ? 1 : n / 4999;
        mst_roots roots;
        assert_true(mst_roots_create(&roots, n));
        for (size_t k = 0; k < n; k += step) {
            mst_root fast = mst_roots_get(&roots, k), direct = mst_twiddle(k, n);
            long double off = hypotl(fast.re - direct.re, fast.im - direct.im);
            CHECK(off <= 3 * LDBL_EPSILON, "root %zu of %zu is off by %Lg", k, n, off);
            off = hypotl(direct.re - cosl(-2 * acosl(-1) * (long double)k / (long double)n),
                         direct.im - sinl(-2 * acosl(-1) * (long double)k / (long double)n));
            CHECK(off <= 10 * LDBL_EPSILON, "%zu of %zu itself is off by %Lg", k, n, off);
            if (4 * k % n == 0)
                CHECK(fabsl(fast.re) + fabsl(fast.im) == 1, "root %zu of %zu is not exact", k, n);
        }
        mst_roots_destroy(&roots);
    }
}

// sum_j v[j] exp(-2 pi i j k / m) / m against the tables, in double and in float. Frees them.
static void check_spectrum(const char *name, const test_wide *v, size_t m, double *table, float *single) {
    assert_non_null(table);
    assert_non_null(single);
    for (size_t k = 0; k < m; k++) {
        test_wide sum = 0;
        for (size_t j = 0; j < m; j++) {
            mst_root w = mst_twiddle(j * k % m, m);
            sum += v[j] * test_complex(w.re, w.im);
        }
        sum /= (long double)m;
        long double off = hypotl(creall(sum) - table[2 * k], cimagl(sum) - table[2 * k + 1]);
        CHECK(off <= 1e-16L, "%s, %zu: number %zu is off by %Lg", name, m, k, off);
        off = hypotl(creall(sum) - single[2 * k], cimagl(sum) - single[2 * k + 1]);
        CHECK(off <= 6e-8L * cabsl(sum), "%s, %zu: number %zu is off by %Lg in float", name, m, k, off);
    }
    free(table);
    free(single);
}

static void spectra_are_those_of_the_definition(void **state) {
    (void)state;
    static const size_t lengths[][2] = {{37, 75}, {41, 81}, {59, 128}, {67, 140}, {101, 210}, {127, 256}};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        size_t n = lengths[i][0], m = lengths[i][1];
        test_wide *v = calloc(m, sizeof *v);
        for (int inverse = 0; inverse < 2; inverse++) {
            for (size_t p = 0; p < n; p++) {
                mst_root c = mst_twiddle(p * p % (2 * n), 2 * n);
                v[p] = v[(m - p) % m] = test_complex(c.re, inverse ? c.im : -c.im);
            }
            check_spectrum("chirp", v, m, mst_chirp_spectrum(n, m, inverse, true), mst_chirp_spectrum(n, m, inverse, false));
        }
        uint32_t *order = mst_rader_order(n);
        for (size_t p = 0; p < n - 1; p++) {
            mst_root w = mst_twiddle(order[(n - 1 - p) % (n - 1)], n);
            v[p] = test_complex(w.re, w.im);
        }
        check_spectrum("Rader", v, n - 1, mst_rader_spectrum(n, true), mst_rader_spectrum(n, false));
        free(order);
        free(v);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roots_are_exact_to_the_last_places),
        cmocka_unit_test(spectra_are_those_of_the_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
