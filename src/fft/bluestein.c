// Lengths with large prime factors, by convolution with a chirp (Bluestein 1970): with w = exp(-2 pi i / n),
//     X[k] = c[k] sum_p (x[p] c[p]) conj(c[k - p]),   c[p] = w^(p^2 / 2),
// a circular convolution of length m >= 2n - 1.
#include "plan.h"
#include "twiddle.h"

#include <stdlib.h>

typedef struct number {
    long double re, im;
} number;

static number chirp(size_t p, size_t n, bool inverse) {
    number c;
    mst_twiddle((size_t)((unsigned __int128)p * p % (2 * n)), 2 * n, &c.re, &c.im);
    if (inverse)
        c.im = -c.im;
    return c;
}

static void put(void *table, bool is_double, size_t at, number value) {
    if (is_double) {
        ((double *)table)[2 * at] = (double)value.re;
        ((double *)table)[2 * at + 1] = (double)value.im;
    } else {
        ((float *)table)[2 * at] = (float)value.re;
        ((float *)table)[2 * at + 1] = (float)value.im;
    }
}

static size_t number_bytes(bool is_double) { return is_double ? 16 : 8; }

void *mst_chirp(size_t n, bool inverse, bool is_double) {
    void *table = malloc(n * number_bytes(is_double));
    for (size_t p = 0; p < n && table; p++)
        put(table, is_double, p, chirp(p, n, inverse));
    return table;
}

// Radix-2 in long double: run once a plan, so clarity before speed. w[u] = exp(-2 pi i u / m).
static void transform(number *v, const number *w, size_t m) {
    for (size_t i = 0, r = 0; i < m; i++) {
        if (i < r) {
            number t = v[i];
            v[i] = v[r];
            v[r] = t;
        }
        size_t bit = m >> 1;
        for (; bit > 0 && r & bit; bit >>= 1)
            r ^= bit;
        r |= bit;
    }
    for (size_t half = 1; half < m; half *= 2)
        for (size_t first = 0; first < m; first += 2 * half)
            for (size_t k = 0; k < half; k++) {
                number *a = &v[first + k], *b = a + half, t = w[k * (m / 2 / half)];
                number p = {b->re * t.re - b->im * t.im, b->re * t.im + b->im * t.re};
                *b = (number){a->re - p.re, a->im - p.im};
                *a = (number){a->re + p.re, a->im + p.im};
            }
}

void *mst_chirp_spectrum(size_t n, size_t m, bool inverse, bool is_double) {
    number *v = calloc(m, sizeof *v), *w = calloc(m / 2 + 1, sizeof *w);
    void *table = malloc(m * number_bytes(is_double));
    if (v && w && table) {
        for (size_t p = 0; p < n; p++) {
            v[p] = chirp(p, n, !inverse);
            if (p > 0)
                v[m - p] = v[p];
        }
        for (size_t u = 0; u < m / 2; u++)
            mst_twiddle(u, m, &w[u].re, &w[u].im);
        transform(v, w, m);
        for (size_t k = 0; k < m; k++)
            put(table, is_double, k, (number){v[k].re / (long double)m, v[k].im / (long double)m});
    } else {
        free(table);
        table = NULL;
    }
    free(v);
    free(w);
    return table;
}
