// Lines of cosine and sine transforms in memory: the real numbers of an axis to the complex ones that are transformed, and back.
// What even.cl says of values on the device is said here of those in memory, for any length.
#include "even.h"
#include "lines.h"

#include "runtime/numbers.h"

typedef struct even_line {
    const mst_fft_lines_run *run;
    mst_pass_op op;
    bool wide;
    size_t n, there, width;
    const void *from; // real numbers, or results of the transform
    void *to;         // numbers to transform, or results
} even_line;

static double real_at(const even_line *e, size_t i, size_t c) {
    const size_t at = i * e->there + c;
    return e->wide ? ((const double *)e->from)[at] : (double)((const float *)e->from)[at];
}

static void put_real(const even_line *e, size_t i, size_t c, bool negative, double value) {
    mst_table_put_real(e->to, e->wide, i * e->there + c, negative ? -value : value);
}

// Which number is at a position: 0, 2, 4, .., 5, 3, 1.
static size_t spread(size_t n, size_t p) { return 2 * p < n ? 2 * p : 2 * (n - p) - 1; }

// The number at a position of a transform of line c, before it is multiplied.
static mst_root gather(const even_line *e, size_t p, size_t c) {
    const size_t n = e->n;
    const bool sine = e->op.sine;
    size_t i, copy;
    switch (e->op.even) {
    case EVEN_SPREAD:
        i = spread(n, p);
        return (mst_root){real_at(e, i, c) * (sine && i % 2 ? -1 : 1), 0};
    case EVEN_ROTATED:
        return (mst_root){real_at(e, sine ? n - 1 - p : p, c), p == 0 ? 0 : -real_at(e, sine ? p - 1 : n - p, c)};
    case EVEN_MIRRORED:
        if (!sine)
            return (mst_root){real_at(e, p < n ? p : 2 * (n - 1) - p, c), 0};
        return (mst_root){p == 0 || p == n + 1 ? 0 : p <= n ? real_at(e, p - 1, c) : -real_at(e, 2 * n + 1 - p, c), 0};
    case EVEN_STRIDED:
        i = (n / 2 + 4 * p) % (4 * n);
        copy = i / n;
        i = copy % 2 ? n - 1 - i % n : i % n;
        return (mst_root){real_at(e, sine ? n - 1 - i : i, c) * (copy == 1 || copy == 2 ? -1 : 1), 0};
    default: { // EVEN_FOLDED
        const double first = real_at(e, 2 * p, c), last = real_at(e, n - 1 - 2 * p, c);
        return (mst_root){sine ? last : first, sine ? first : last};
    }
    }
}

// (-1)^(m / 2) value
static double quarter(double value, size_t m) { return m / 2 % 2 ? -value : value; }

// The results of an odd length n of which result k of the transform is the only part.
static void scatter_strided(const even_line *e, size_t k, size_t c, double x, double y) {
    const size_t n = e->n, middle = n / 2, steps = k / 2, i = k % 2 ? steps : middle - steps, j = n - 1 - i;
    const bool sine = e->op.sine;
    if (k > middle)
        return;
    double at_i = quarter(x, i + 1) + (k % 2 ? 1 : -1) * quarter(y, i),
           at_j = k % 2 ? quarter(x, n - i) - quarter(y, n - i - 1) : quarter(x, j + 1) + quarter(y, j);
    if (k == 0)
        at_i = quarter(x, middle + 1);
    put_real(e, i, c, sine && i % 2, at_i);
    if (i != j)
        put_real(e, j, c, sine && j % 2, at_j);
}

// The results of line c of which result p of the transform, x + i y when it was multiplied, is a part.
static void scatter(const even_line *e, size_t p, size_t c, double x, double y) {
    const size_t n = e->n;
    const bool sine = e->op.sine;
    switch (e->op.even) {
    case EVEN_SPREAD: {
        const size_t i = spread(n, p);
        put_real(e, i, c, sine && i % 2, x);
        break;
    }
    case EVEN_ROTATED:
        if (2 * p <= n)
            put_real(e, sine ? n - 1 - p : p, c, false, x);
        if (p > 0 && 2 * p < n)
            put_real(e, sine ? p - 1 : n - p, c, true, y);
        break;
    case EVEN_MIRRORED:
        if (sine && p > 0 && p <= n)
            put_real(e, p - 1, c, true, y);
        else if (!sine && p < n)
            put_real(e, p, c, false, x);
        break;
    case EVEN_STRIDED:
        scatter_strided(e, p, c, x, y);
        break;
    default: // EVEN_FOLDED
        put_real(e, 2 * p, c, false, x);
        put_real(e, n - 1 - 2 * p, c, !sine, y);
    }
}

static even_line line_of(const mst_fft_lines_run *r, bool load) {
    const mst_fft_lines *l = r->lines;
    return (even_line){.run = r,
                       .op = mst_even_op(&l->desc, l->n, load),
                       .wide = mst_type_is_double(l->desc.input.type),
                       .n = l->n,
                       .there = mst_fft_lines_there(r),
                       .width = l->width,
                       .from = r->transform,
                       .to = r->values};
}

static mst_root factor_of(const even_line *e, bool load, size_t p) {
    return e->op.multiply ? mst_even_factor(&e->run->lines->desc, &e->op, load, e->run->roots, p) : (mst_root){1, 0};
}

// ---- Chunks of positions

// Between the caller's array and the numbers in memory.
static mst_status move(size_t chunk, mst_fft_lines_run *r, bool write, mst_error *error) {
    const mst_fft_lines *l = r->lines;
    const size_t size = mst_fft_lines_chunk(l), begin = chunk * size, end = mst_smaller(begin + size, l->n),
                 row = mst_fft_lines_there(r) * mst_type_bytes(l->sides[0].type);
    const mst_transfer t = mst_fft_lines_part(r, write, begin, end - begin);
    unsigned char *memory = (unsigned char *)(write ? r->values : r->transform) + begin * row;
    return write ? mst_transfer_write(l->context->pool, &t, 0, (end - begin) * row, memory, error)
                 : mst_transfer_read(l->context->pool, &t, 0, (end - begin) * row, memory, error);
}

static mst_status read_chunk(size_t chunk, void *user, mst_error *error) { return move(chunk, user, false, error); }
static mst_status write_chunk(size_t chunk, void *user, mst_error *error) { return move(chunk, user, true, error); }

static mst_status gather_chunk(size_t chunk, void *user, mst_error *error) {
    const mst_fft_lines_run *r = user;
    const even_line e = line_of(r, true);
    const size_t size = mst_fft_lines_chunk(r->lines), begin = chunk * size, end = mst_smaller(begin + size, r->lines->m);
    (void)error;
    for (size_t p = begin; p < end; p++) {
        const mst_root factor = factor_of(&e, true, p);
        for (size_t c = 0; c < e.width; c++)
            mst_table_put(e.to, e.wide, p * e.width + c,
                          c < e.there ? mst_root_multiply(gather(&e, p, c), factor) : (mst_root){0, 0});
    }
    return MST_OK;
}

static mst_status scatter_chunk(size_t chunk, void *user, mst_error *error) {
    const mst_fft_lines_run *r = user;
    const even_line e = line_of(r, false);
    const size_t size = mst_fft_lines_chunk(r->lines), begin = chunk * size, end = mst_smaller(begin + size, r->lines->m);
    (void)error;
    for (size_t p = begin; p < end; p++) {
        const mst_root factor = factor_of(&e, false, p);
        for (size_t c = 0; c < e.there; c++) {
            const size_t at = 2 * (p * e.width + c);
            const mst_root value = e.wide ? (mst_root){((const double *)e.from)[at], ((const double *)e.from)[at + 1]}
                                          : (mst_root){((const float *)e.from)[at], ((const float *)e.from)[at + 1]};
            const mst_root result = mst_root_multiply(value, factor);
            scatter(&e, p, c, (double)result.re, (double)result.im);
        }
    }
    return MST_OK;
}

mst_status mst_fft_lines_load_even(mst_fft_lines_run *r, mst_error *error) {
    mst_status status = mst_fft_lines_each(r, r->lines->n, read_chunk, error);
    return status == MST_OK ? mst_fft_lines_each(r, r->lines->m, gather_chunk, error) : status;
}

mst_status mst_fft_lines_store_even(mst_fft_lines_run *r, mst_error *error) {
    mst_status status = mst_fft_lines_each(r, r->lines->m, scatter_chunk, error);
    return status == MST_OK ? mst_fft_lines_each(r, r->lines->n, write_chunk, error) : status;
}
