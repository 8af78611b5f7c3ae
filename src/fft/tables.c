// The twiddles inside a pass.
#include "pass.h"
#include "twiddle.h"

static void put(void *table, bool is_double, size_t at, size_t k, size_t n) {
    long double re, im;
    mst_twiddle(k % n, n, &re, &im);
    mst_table_put(table, is_double, at, re, im);
}

// GPU-shaped (Stockham), step with span > 1: entry (q - 1) span + k = exp(-2 pi i k q / (span r)).
// CPU-shaped (decimation in frequency), step on blocks of m > r: entry j (r - 1) + q - 1 = exp(-2 pi i j q / m).
static size_t walk(const mst_pass *pass, void *table) {
    size_t at = 0, span = 1, m = pass->n;
    for (int s = 0; s < pass->n_radices; s++) {
        unsigned r = pass->radices[s];
        size_t rows = pass->cpu ? m / r : span;
        for (size_t j = 0; j < rows && rows > 1 && table; j++)
            for (size_t q = 1; q < r; q++)
                put(table, pass->is_double, at + (pass->cpu ? j * (r - 1) + q - 1 : (q - 1) * span + j), j * q,
                    pass->cpu ? m : span * r);
        at += rows > 1 ? rows * (r - 1) : 0;
        span *= r;
        m /= r;
    }
    return at;
}

size_t mst_pass_table_count(const mst_pass *pass) {
    size_t count = walk(pass, NULL);
    return count ? count : 1;
}

void mst_pass_fill_table(const mst_pass *pass, void *table) { walk(pass, table); }
