#include "spread_steps.h"

#include "runtime/numbers.h"

// A piece on its way is so large that its copies take far longer than to begin them, and smaller in small arrays.
#define MOST_PIECE_BYTES ((uint64_t)8 << 20)
#define LEAST_PIECE_BYTES ((uint64_t)64 << 10)
#define PIECES_A_PART 64

// Returns the step behind it.
static mst_spread_step *put(mst_spread_step *s, mst_spread_local local, const mst_spread_place *from,
                            const mst_spread_place *between, const mst_spread_place *to) {
    *s = (mst_spread_step){.local = local, .from = *from, .between = *between, .to = *to};
    return s + 1;
}

static mst_spread_step *plan_line(const mst_spread_fft_desc *d, mst_spread_step *s) {
    const bool inverse = d->direction == MST_FFT_INVERSE;
    const mst_spread_place before = mst_spread_transposed(d->rank, d->shape, inverse),
                           behind = mst_spread_transposed(d->rank, d->shape, !inverse);
    mst_spread_place turned = behind, natural = mst_spread_natural(d->rank, d->shape);
    turned.by_columns = false;
    turned.grain = mst_spread_row(&behind);
    if (d->input == MST_SPREAD_NATURAL) { // the same elements, seen as rows
        natural.rows = before.rows;
        natural.columns = before.columns;
        s = put(s, MST_SPREAD_NOTHING, &natural, &natural, &before);
    }
    s = put(s, MST_SPREAD_TURNED, &before, &turned, &behind);
    s = put(s, MST_SPREAD_COLUMNS, &behind, &behind, &behind);
    natural.rows = behind.rows;
    natural.columns = behind.columns;
    return d->output == MST_SPREAD_NATURAL ? put(s, MST_SPREAD_NOTHING, &behind, &behind, &natural) : s;
}

static mst_spread_step *plan_axes(const mst_spread_fft_desc *d, mst_spread_step *s) {
    const mst_spread_place natural = mst_spread_natural(d->rank, d->shape),
                           columns = mst_spread_transposed(d->rank, d->shape, true);
    if (d->input == MST_SPREAD_NATURAL) {
        s = put(s, MST_SPREAD_ROWS, &natural, &natural, &columns);
        s = put(s, MST_SPREAD_COLUMNS, &columns, &columns, &columns);
        return d->output == MST_SPREAD_NATURAL ? put(s, MST_SPREAD_NOTHING, &columns, &columns, &natural) : s;
    }
    s = put(s, MST_SPREAD_COLUMNS, &columns, &columns, &columns);
    s = put(s, MST_SPREAD_NOTHING, &columns, &columns, &natural);
    return put(s, MST_SPREAD_ROWS, &natural, &natural, d->output == MST_SPREAD_NATURAL ? &natural : &columns);
}

int mst_spread_plan(const mst_spread_fft_desc *desc, size_t n, mst_spread_step *steps) {
    const int n_steps = (int)((desc->rank == 1 ? plan_line : plan_axes)(desc, steps) - steps);
    for (int i = 0; i < n_steps; i++)
        steps[i].exchanges = n > 1 && steps[i].between.by_columns != steps[i].to.by_columns;
    return n_steps;
}

uint64_t mst_spread_plan_pieces(mst_spread_step *steps, int n_steps, size_t n, size_t element) {
    uint64_t most = 0, part = 0;
    for (int i = 0; i < n_steps; i++)
        for (size_t k = 0; k < n; k++)
            part = mst_larger(part, (uint64_t)mst_spread_elements(&steps[i].between, k, n) * element);
    const uint64_t bytes = mst_larger(mst_smaller(part / PIECES_A_PART, MOST_PIECE_BYTES), LEAST_PIECE_BYTES);
    for (int i = 0; i < n_steps; i++) {
        mst_spread_step *s = &steps[i];
        const mst_spread_place *flat = s->between.by_columns ? &s->to : &s->between,
                               *columns = s->between.by_columns ? &s->between : &s->to;
        if (!s->exchanges)
            continue;
        s->exchange = mst_spread_exchange_plan(flat, columns, n, (size_t)bytes / element);
        most = mst_larger(most, (uint64_t)s->exchange.group_rows * s->exchange.chunk * element);
    }
    return most;
}
