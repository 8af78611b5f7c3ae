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

// (p + 1)^2 mod 2n from p^2 mod 2n, for p < n.
static size_t next_square(size_t square, size_t p, size_t n) {
    square += 2 * p + 1;
    return square < 2 * n ? square : square - 2 * n;
}

static size_t number_bytes(bool is_double) { return is_double ? 16 : 8; }

void *mst_chirp(size_t n, bool inverse, bool is_double) {
    mst_roots roots;
    void *table = mst_roots_create(&roots, 2 * n) ? malloc(n * number_bytes(is_double)) : NULL;
    for (size_t p = 0, square = 0; p < n && table; square = next_square(square, p++, n))
        mst_table_put(table, is_double, p, mst_root_conjugate_if(inverse, mst_roots_get(&roots, square)));
    mst_roots_destroy(&roots);
    return table;
}

static unsigned radix_of(size_t n) {
    unsigned r = 2;
    while (n % r != 0)
        r++;
    return n % 4 == 0 ? 4 : r;
}

// y[k apart] = sum_q x[q] w[q k mod r]; w is not needed for r = 4.
static void butterfly(mst_root *y, size_t apart, const mst_root *x, unsigned r, const mst_root *w) {
    if (r == 4) {
        mst_root even[] = {{x[0].re + x[2].re, x[0].im + x[2].im}, {x[0].re - x[2].re, x[0].im - x[2].im}};
        mst_root odd[] = {{x[1].re + x[3].re, x[1].im + x[3].im}, {x[1].im - x[3].im, x[3].re - x[1].re}};
        for (unsigned k = 0; k < 2; k++) {
            y[k * apart] = (mst_root){even[k].re + odd[k].re, even[k].im + odd[k].im};
            y[(k + 2) * apart] = (mst_root){even[k].re - odd[k].re, even[k].im - odd[k].im};
        }
        return;
    }
    for (unsigned k = 0; k < r; k++) {
        mst_root sum = x[0];
        for (unsigned q = 1, at = k; q < r; q++) {
            mst_root t = mst_root_multiply(x[q], w[at]);
            sum.re += t.re;
            sum.im += t.im;
            at = at + k < r ? at + k : at + k - r;
        }
        y[k * apart] = sum;
    }
}

// out[k] = sum_j in[j stride] exp(-2 pi i j k / n), n a product of primes up to MST_PASS_MAX_PRIME. `roots` are of the first n.
static void transform(mst_root *out, const mst_root *in, size_t stride, size_t n, const mst_roots *roots) {
    unsigned r = n > 1 ? radix_of(n) : 1;
    size_t m = n / r;
    mst_root x[MST_PASS_MAX_PRIME], w[MST_PASS_MAX_PRIME];
    for (unsigned q = 0; q < r && r != 4; q++)
        w[q] = mst_roots_get(roots, q * (roots->n / r));
    if (m == 1) {
        for (unsigned q = 0; q < r; q++)
            x[q] = in[q * stride];
        butterfly(out, 1, x, r, w);
        return;
    }
    for (unsigned q = 0; q < r; q++)
        transform(out + q * m, in + q * stride, stride * r, m, roots);
    for (size_t k = 0; k < m; k++) {
        x[0] = out[k];
        for (unsigned q = 1; q < r; q++)
            x[q] = mst_root_multiply(out[q * m + k], mst_roots_get(roots, q * k * (roots->n / n)));
        butterfly(out + k, m, x, r, w);
    }
}

// The spectrum of v[m] over m; frees v, which may be NULL.
static void *spectrum_of(mst_root *v, size_t m, bool is_double) {
    mst_root *f = malloc(m * sizeof *f);
    void *table = malloc(m * number_bytes(is_double));
    mst_roots roots = {0};
    if (v && f && table && mst_roots_create(&roots, m)) {
        transform(f, v, 1, m, &roots);
        for (size_t k = 0; k < m; k++)
            mst_table_put(table, is_double, k, (mst_root){f[k].re / (long double)m, f[k].im / (long double)m});
    } else {
        free(table);
        table = NULL;
    }
    mst_roots_destroy(&roots);
    free(v);
    free(f);
    return table;
}

static void put_root(void *v, size_t bytes, size_t at, mst_root value) {
    if (bytes == sizeof value)
        ((mst_root *)v)[at] = value;
    else
        mst_table_put(v, bytes == number_bytes(true), at, value);
}

// conj(c[p]) for p = 1 - n .. n - 1, going round m numbers of so many bytes: those of a table, or of roots.
static void *conjugates_around(size_t n, size_t m, bool inverse, size_t bytes) {
    mst_roots roots;
    void *v = mst_roots_create(&roots, 2 * n) ? calloc(m, bytes) : NULL;
    for (size_t p = 0, square = 0; p < n && v; square = next_square(square, p++, n)) {
        const mst_root chirp = mst_root_conjugate_if(!inverse, mst_roots_get(&roots, square));
        put_root(v, bytes, p, chirp);
        if (p > 0)
            put_root(v, bytes, m - p, chirp);
    }
    mst_roots_destroy(&roots);
    return v;
}

void *mst_chirp_around(size_t n, size_t m, bool inverse, bool is_double) {
    return conjugates_around(n, m, inverse, number_bytes(is_double));
}

void *mst_chirp_spectrum(size_t n, size_t m, bool inverse, bool is_double) {
    return spectrum_of(conjugates_around(n, m, inverse, sizeof(mst_root)), m, is_double);
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
    mst_root *v = malloc(m * sizeof *v);
    uint32_t *order = mst_rader_order(n);
    for (size_t p = 0; p < m && v && order; p++)
        v[p] = mst_twiddle(order[(m - p) % m], n);
    if (!order) {
        free(v);
        v = NULL;
    }
    free(order);
    return spectrum_of(v, m, is_double);
}
