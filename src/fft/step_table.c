// The twiddles inside a pass.
#include "pass_tables.h"
#include "twiddle.h"

// The largest divisor of r whose square is at most r, for fewest rows; products of two round once more.
unsigned mst_pass_low_powers(const mst_pass *pass, unsigned r) {
    unsigned low = r;
    for (unsigned d = 2; pass->few_twiddles && d * d <= r; d++)
        if (r % d == 0)
            low = d;
    return low;
}

unsigned mst_pass_table_rows(const mst_pass *pass, unsigned r) {
    unsigned low = mst_pass_low_powers(pass, r);
    return low - 1 + r / low - 1;
}

static unsigned row_power(unsigned row, unsigned low) { return row < low - 1 ? row + 1 : (row - low + 2) * low; }

// GPU-shaped (Stockham), step with span > 1: entry row span + k = exp(-2 pi i k q / (span r)), q of mst_pass_low_powers.
// In boxes the axes follow one another, each with its own spans.
// CPU-shaped (decimation in frequency), step on blocks of m > r: entry j (r - 1) + q - 1 = exp(-2 pi i j q / m).
static size_t walk(const mst_pass *pass, const mst_roots *roots, void *table) {
    size_t at = 0, span = 1, m = pass->n;
    int axis = 0;
    for (int s = 0; s < pass->n_radices; s++) {
        unsigned r = pass->radices[s], low = mst_pass_low_powers(pass, r), rows = mst_pass_table_rows(pass, r);
        size_t count = pass->cpu ? m / r : span, apart = pass->n / (pass->cpu ? m : span * r);
        for (size_t j = 0; j < count && count > 1 && table; j++)
            for (unsigned row = 0; row < rows; row++)
                mst_table_put(table, pass->is_double, at + (pass->cpu ? j * rows + row : row * span + j),
                              mst_roots_get(roots, j * row_power(row, low) * apart));
        at += count > 1 ? count * rows : 0;
        span *= r;
        m /= r;
        if (axis < pass->n_box && span == pass->box[axis]) {
            span = 1;
            axis++;
        }
    }
    return at;
}

size_t mst_pass_table_count(const mst_pass *pass) {
    size_t count = walk(pass, NULL, NULL);
    return count ? count : 1;
}

bool mst_pass_fill_table(const mst_pass *pass, void *table) {
    mst_roots roots;
    if (!mst_roots_create(&roots, pass->n))
        return false;
    walk(pass, &roots, table);
    mst_roots_destroy(&roots);
    return true;
}
