// Tables for lengths that go by a cyclic convolution, computed in long double.
// Bluestein (1970), any n, with w = exp(-2 pi i / n):
//     X[k] = c[k] sum_p (x[p] c[p]) conj(c[k - p]),   c[p] = w^(p^2 / 2),
// a cyclic convolution of length m >= 2n - 1.
// Rader (1968), n prime, with a generator g of the numbers 1 .. n - 1 under multiplication:
//     X[g^-q] = x[0] + sum_p x[g^p] w^(g^(p - q)),
// a cyclic convolution of length n - 1.
#include "plan.h"
#include "twiddle.h"

#include <stdlib.h>

typedef struct number {
    long double re, im;
} number;

static number multiply(number a, number b) { return (number){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }

static number chirp(size_t p, size_t n, bool inverse) {
    number c;
    mst_twiddle((size_t)((unsigned __int128)p * p % (2 * n)), 2 * n, &c.re, &c.im);
    if (inverse)
        c.im = -c.im;
    return c;
}

static size_t number_bytes(bool is_double) { return is_double ? 16 : 8; }

void *mst_chirp(size_t n, bool inverse, bool is_double) {
    void *table = malloc(n * number_bytes(is_double));
    for (size_t p = 0; p < n && table; p++) {
        number c = chirp(p, n, inverse);
        mst_table_put(table, is_double, p, c.re, c.im);
    }
    return table;
}

// out[k] = sum_j in[j stride] w^(j k / n), n a product of primes up to MST_PASS_MAX_PRIME: run once a plan, so clarity before
// speed. w[u] = exp(-2 pi i u / whole).
static void transform(number *out, const number *in, size_t stride, size_t n, const number *w, size_t whole) {
    size_t r = 2;
    if (n == 1) {
        *out = *in;
        return;
    }
    while (n % r != 0)
        r++;
    size_t m = n / r;
    for (size_t q = 0; q < r; q++)
        transform(out + q * m, in + q * stride, stride * r, m, w, whole);
    for (size_t k = 0; k < m; k++) {
        number x[MST_PASS_MAX_PRIME];
        for (size_t q = 0; q < r; q++)
            x[q] = multiply(out[q * m + k], w[q * k * (whole / n)]);
        for (size_t p = 0; p < r; p++) {
            number y = x[0];
            for (size_t q = 1; q < r; q++) {
                number t = multiply(x[q], w[p * q % r * (whole / r)]);
                y.re += t.re;
                y.im += t.im;
            }
            out[p * m + k] = y;
        }
    }
}

// The spectrum of v[m] over m; frees v, which may be NULL.
static void *spectrum_of(number *v, size_t m, bool is_double) {
    number *w = calloc(m, sizeof *w), *f = malloc(m * sizeof *f);
    void *table = malloc(m * number_bytes(is_double));
    if (v && w && f && table) {
        for (size_t u = 0; u < m; u++)
            mst_twiddle(u, m, &w[u].re, &w[u].im);
        transform(f, v, 1, m, w, m);
        for (size_t k = 0; k < m; k++)
            mst_table_put(table, is_double, k, f[k].re / (long double)m, f[k].im / (long double)m);
    } else {
        free(table);
        table = NULL;
    }
    free(v);
    free(w);
    free(f);
    return table;
}

void *mst_chirp_spectrum(size_t n, size_t m, bool inverse, bool is_double) {
    number *v = calloc(m, sizeof *v);
    for (size_t p = 0; p < n && v; p++) {
        v[p] = chirp(p, n, !inverse);
        if (p > 0)
            v[m - p] = v[p];
    }
    return spectrum_of(v, m, is_double);
}

static size_t power(size_t g, size_t e, size_t n) {
    size_t result = 1;
    for (; e > 0; e /= 2, g = g * g % n)
        if (e % 2)
            result = result * g % n;
    return result;
}

// Does g generate all of 1 .. n - 1? Not if it does so in a divisor of n - 1 steps.
static bool is_generator(size_t g, size_t n) {
    size_t rest = n - 1;
    for (size_t f = 2; f <= rest; f++) {
        if (rest % f != 0)
            continue;
        if (power(g, (n - 1) / f, n) == 1)
            return false;
        while (rest % f == 0)
            rest /= f;
    }
    return true;
}

uint32_t *mst_rader_order(size_t n) {
    uint32_t *order = malloc((n - 1) * sizeof *order);
    size_t g = 2;
    while (!is_generator(g, n))
        g++;
    for (size_t p = 0, at = 1; p < n - 1 && order; p++, at = at * g % n)
        order[p] = (uint32_t)at;
    return order;
}

void *mst_rader_spectrum(size_t n, bool is_double) {
    size_t m = n - 1;
    number *v = malloc(m * sizeof *v);
    uint32_t *order = mst_rader_order(n);
    for (size_t p = 0; p < m && v && order; p++)
        mst_twiddle(order[(m - p) % m], n, &v[p].re, &v[p].im);
    if (!order) {
        free(v);
        v = NULL;
    }
    free(order);
    return spectrum_of(v, m, is_double);
}
