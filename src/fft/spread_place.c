#include "spread_place.h"

#include "runtime/numbers.h"

mst_spread_range mst_spread_range_of(const mst_spread_place *p, size_t k, size_t n) {
    const size_t things = p->by_columns ? p->columns : p->rows * mst_spread_row(p) / p->grain;
    const size_t each = p->by_columns ? p->unit : p->grain;
    const size_t first = mst_spread_begin(things, k, n) * each;
    return (mst_spread_range){first, mst_spread_begin(things, k + 1, n) * each - first};
}

size_t mst_spread_elements(const mst_spread_place *p, size_t k, size_t n) {
    const size_t count = mst_spread_range_of(p, k, n).count;
    return p->by_columns ? p->rows * count : count;
}

// Of a device's range in flat order: the whole rows, and a part of one before them and behind them, of which either may be empty.
typedef struct flat_rows {
    mst_spread_range head, tail; // elements of a row
    size_t head_row, tail_row, first, end;
} flat_rows;

static flat_rows rows_of(const mst_spread_exchange *x, size_t k) {
    const size_t row = mst_spread_row(&x->flat);
    const mst_spread_range own = mst_spread_range_of(&x->flat, k, x->n);
    const size_t end = own.first + own.count;
    flat_rows r = {.head_row = own.first / row, .tail_row = end / row, .first = mst_divide_up(own.first, row), .end = end / row};
    if (own.first % row != 0)
        r.head = (mst_spread_range){own.first % row, mst_smaller(end, r.first * row) - own.first};
    if (r.first <= r.end)
        r.tail = (mst_spread_range){0, end % row};
    r.end = mst_larger(r.first, r.end);
    return r;
}

mst_spread_exchange mst_spread_exchange_plan(const mst_spread_place *flat, const mst_spread_place *columns, size_t n,
                                             size_t most) {
    mst_spread_exchange x = {.flat = *flat, .columns = *columns, .n = n};
    size_t widest = 1, rows = 0;
    for (size_t k = 0; k < n; k++) {
        const flat_rows r = rows_of(&x, k);
        widest = mst_larger(widest, mst_spread_range_of(columns, k, n).count);
        rows = mst_larger(rows, r.end - r.first);
    }
    x.chunk = mst_smaller(widest, mst_larger(most, (size_t)1));
    x.n_chunks = mst_divide_up(widest, x.chunk);
    x.group_rows = mst_larger(mst_smaller(most / x.chunk, rows), (size_t)1);
    x.n_groups = 2 + mst_divide_up(rows, x.group_rows);
    return x;
}

size_t mst_spread_turns(const mst_spread_exchange *x) { return x->n_groups * x->n_chunks * (x->n - 1); }

// Group 0 is the head, 1 the tail.
static mst_spread_piece piece_of(const mst_spread_exchange *x, size_t from, size_t to, size_t group, size_t chunk) {
    const flat_rows r = rows_of(x, from);
    const mst_spread_range has = mst_spread_range_of(&x->columns, to, x->n);
    mst_spread_range of = group == 0 ? r.head : group == 1 ? r.tail : (mst_spread_range){0, mst_spread_row(&x->flat)};
    mst_spread_piece p = {.from = from, .to = to, .row = group == 0 ? r.head_row : r.tail_row, .rows = 1};
    if (group >= 2) {
        p.row = mst_smaller(r.first + (group - 2) * x->group_rows, r.end);
        p.rows = mst_smaller(x->group_rows, r.end - p.row);
    }
    const size_t first = mst_larger(of.first, has.first + chunk * x->chunk);
    const size_t end = mst_smaller(of.first + of.count, mst_smaller(has.first + (chunk + 1) * x->chunk, has.first + has.count));
    p.column = first;
    p.count = end > first ? end - first : 0;
    return p;
}

static mst_spread_piece at_turn(const mst_spread_exchange *x, bool has_rows, size_t k, size_t turn) {
    const size_t behind = 1 + turn % (x->n - 1), part = turn / (x->n - 1);
    const size_t other = has_rows ? (k + behind) % x->n : (k + x->n - behind) % x->n;
    return piece_of(x, has_rows ? k : other, has_rows ? other : k, part / x->n_chunks, part % x->n_chunks);
}

mst_spread_piece mst_spread_given(const mst_spread_exchange *x, bool to_columns, size_t k, size_t turn) {
    return at_turn(x, to_columns, k, turn);
}

mst_spread_piece mst_spread_taken(const mst_spread_exchange *x, bool to_columns, size_t k, size_t turn) {
    return at_turn(x, !to_columns, k, turn);
}

mst_spread_piece mst_spread_kept(const mst_spread_exchange *x, size_t k, int number) {
    mst_spread_exchange whole = *x;
    whole.chunk = mst_spread_row(&x->flat);
    whole.group_rows = x->flat.rows;
    return piece_of(&whole, k, k, (size_t)number, 0);
}

uint64_t mst_spread_exchanged(const mst_spread_exchange *x) {
    uint64_t all = (uint64_t)x->flat.rows * mst_spread_row(&x->flat);
    for (size_t k = 0; k < x->n; k++)
        for (int i = 0; i < MST_SPREAD_KEPT; i++) {
            const mst_spread_piece kept = mst_spread_kept(x, k, i);
            all -= (uint64_t)kept.rows * kept.count;
        }
    return all;
}

mst_spread_spot mst_spread_spot_of(const mst_spread_exchange *x, const mst_spread_piece *p, bool by_columns) {
    if (by_columns) {
        const mst_spread_range has = mst_spread_range_of(&x->columns, p->to, x->n);
        return (mst_spread_spot){p->row * has.count + p->column - has.first, has.count};
    }
    const size_t row = mst_spread_row(&x->flat);
    return (mst_spread_spot){p->row * row + p->column - mst_spread_range_of(&x->flat, p->from, x->n).first, row};
}
