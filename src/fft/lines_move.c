// The lines of an array on their way to memory, as complex numbers, and back.
#include "lines.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)1 << 14) // numbers that one thread moves at a time

static inline double number_at(bool wide, const void *values, size_t i) {
    return wide ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

static inline void put_pair(bool wide, void *values, size_t i, double re, double im) {
    mst_table_put(values, wide, i, (mst_root){re, im});
}

// How many of the group's lines there are, and where element 0 of the first one is, in elements.
size_t mst_fft_lines_there(const mst_fft_lines_run *r) {
    const mst_fft_lines *l = r->lines;
    if (l->beside < 0)
        return 1;
    const size_t n = l->sides[0].shape[l->beside], groups = mst_divide_up(n, l->width);
    return mst_smaller(l->width, n - r->group % groups * l->width);
}

static int64_t group_offset(const mst_fft_lines_run *r, int side) {
    const mst_fft_lines *l = r->lines;
    const mst_layout *own = &l->sides[side];
    size_t number = r->group;
    int64_t offset = 0;
    if (l->beside >= 0) {
        const size_t groups = mst_divide_up(own->shape[l->beside], l->width);
        offset = (int64_t)(number % groups * l->width) * own->strides[l->beside];
        number /= groups;
    }
    for (int k = own->rank - 1; k >= 0; k--) {
        if (k == l->axis || k == l->beside)
            continue;
        offset += (int64_t)(number % own->shape[k]) * own->strides[k];
        number /= own->shape[k];
    }
    return offset;
}

mst_transfer mst_fft_lines_part(const mst_fft_lines_run *r, int side, size_t first, size_t count) {
    static const char *const names[] = {"input", "output"};
    const mst_fft_lines *l = r->lines;
    const mst_layout *own = &l->sides[side];
    const int64_t at = group_offset(r, side) + (int64_t)first * own->strides[l->axis],
                  bytes = at * (int64_t)mst_type_bytes(own->type);
    mst_transfer t = {
        {own->type, 2, {count, mst_fft_lines_there(r)}, {own->strides[l->axis], l->beside < 0 ? 1 : own->strides[l->beside]}},
        r->where[side],
        names[side],
        NULL};
    if (t.where.place == MST_PLACE_HOST)
        t.where.host = (unsigned char *)t.where.host + bytes;
    else
        t.where.offset = (uint64_t)((int64_t)t.where.offset + bytes);
    return t;
}

static bool is_wide(const mst_fft_lines *l) { return mst_type_is_double(l->desc.input.type); }
static size_t number_bytes(const mst_fft_lines *l) { return is_wide(l) ? 16 : 8; }

// p^2 mod 2 n
static size_t square_of(size_t p, size_t n) { return (size_t)((unsigned __int128)p * p % (2 * (unsigned __int128)n)); }

// The chirp exp(-+ pi i p^2 / n) (upper sign: forward).
static mst_root chirp_at(const mst_fft_lines_run *r, size_t p) {
    return mst_root_conjugate_if(r->lines->desc.direction == MST_FFT_INVERSE, mst_roots_get(r->roots, square_of(p, r->lines->n)));
}

// ---- Loading

// Positions first .. first + count - 1 of lines, whose numbers lie in `packed` from element `from` of the axis on, or, of those
// in the upper half of a real line's spectrum, against their order, as conjugates.
static void put_run(const mst_fft_lines_run *r, size_t first, size_t count, bool mirrored, const void *packed) {
    const mst_fft_lines *l = r->lines;
    const bool wide = is_wide(l), is_complex = mst_type_is_complex(l->sides[0].type),
               hermitian = is_complex && !mst_type_is_complex(l->sides[1].type);
    const size_t there = mst_fft_lines_there(r);
    for (size_t i = 0; i < count; i++) {
        const size_t p = first + i, from = (mirrored ? count - 1 - i : i) * there;
        const mst_root chirp = l->chirped ? chirp_at(r, p) : (mst_root){1, 0};
        const bool is_real = !is_complex || (hermitian && (p == 0 || 2 * p == l->n));
        for (size_t c = 0; c < there; c++) {
            const double re = is_complex ? number_at(wide, packed, 2 * (from + c)) : number_at(wide, packed, from + c),
                         im = is_real ? 0 : number_at(wide, packed, 2 * (from + c) + 1) * (mirrored ? -1 : 1);
            const double x = (double)chirp.re, y = (double)chirp.im;
            put_pair(wide, r->values, p * l->width + c, re * x - im * y, re * y + im * x);
        }
        for (size_t c = there; c < l->width; c++)
            put_pair(wide, r->values, p * l->width + c, 0, 0);
    }
}

size_t mst_fft_lines_chunk(const mst_fft_lines *l) { return mst_larger(CHUNK / l->width, (size_t)1); }

static mst_status load_chunk(size_t chunk, void *user, mst_error *error) {
    mst_status status = MST_OK;
    const mst_fft_lines_run *r = user;
    const mst_fft_lines *l = r->lines;
    const size_t size = mst_fft_lines_chunk(l), begin = chunk * size, end = mst_smaller(begin + size, l->m),
                 stored = l->sides[0].shape[l->axis]; // fewer than n of half a spectrum
    const size_t row = mst_fft_lines_there(r) * mst_type_bytes(l->sides[0].type);
    void *packed = malloc(size * row);
    MST_REQUIRE(packed, MST_ERROR_HOST_MEMORY, "out of memory for a part of a line");
    for (size_t p = begin, count; p < end; p += count) {
        const size_t limit = p < stored ? stored : p < l->n ? l->n : end;
        const bool mirrored = p >= stored;
        count = mst_smaller(limit, end) - p;
        if (p >= l->n) {
            memset((unsigned char *)r->values + p * l->width * number_bytes(l), 0, count * l->width * number_bytes(l));
            continue;
        }
        const mst_transfer t = mst_fft_lines_part(r, 0, mirrored ? l->n - p - count + 1 : p, count);
        MST_TRY(mst_transfer_read(l->context->pool, &t, 0, count * row, packed, error));
        put_run(r, p, count, mirrored, packed);
    }
fail:
    free(packed);
    return status;
}

mst_status mst_fft_lines_each(mst_fft_lines_run *r, size_t positions, mst_pool_fn body, mst_error *error) {
    return mst_pool_run(r->lines->context->pool, mst_divide_up(positions, mst_fft_lines_chunk(r->lines)), body, r, error);
}

mst_status mst_fft_lines_load(mst_fft_lines_run *r, mst_error *error) {
    return mst_fft_lines_each(r, r->lines->m, load_chunk, error);
}

// ---- Storing

static mst_status store_chunk(size_t chunk, void *user, mst_error *error) {
    mst_status status = MST_OK;
    const mst_fft_lines_run *r = user;
    const mst_fft_lines *l = r->lines;
    const bool wide = is_wide(l), is_complex = mst_type_is_complex(l->sides[1].type);
    const size_t size = mst_fft_lines_chunk(l), begin = chunk * size, end = mst_smaller(begin + size, l->sides[1].shape[l->axis]),
                 there = mst_fft_lines_there(r);
    const size_t row = there * mst_type_bytes(l->sides[1].type);
    const double scale = l->chirped ? l->desc.scale / (double)l->m : 1;
    void *packed = malloc(size * row);
    MST_REQUIRE(packed, MST_ERROR_HOST_MEMORY, "out of memory for a part of a line");
    for (size_t p = begin; p < end; p++) {
        const mst_root chirp = l->chirped ? chirp_at(r, p) : (mst_root){1, 0};
        const double x = (double)chirp.re * scale, y = (double)chirp.im * scale;
        for (size_t c = 0; c < there; c++) {
            const size_t from = 2 * (p * l->width + c), to = (p - begin) * there + c;
            const double re = number_at(wide, r->results, from),
                         im = number_at(wide, r->results, from + 1) * (l->chirped ? -1 : 1);
            if (is_complex)
                put_pair(wide, packed, to, re * x - im * y, re * y + im * x);
            else
                mst_table_put_real(packed, wide, to, re * x - im * y);
        }
    }
    const mst_transfer t = mst_fft_lines_part(r, 1, begin, end - begin);
    MST_TRY(mst_transfer_write(l->context->pool, &t, 0, (end - begin) * row, packed, error));
fail:
    free(packed);
    return status;
}

mst_status mst_fft_lines_store(mst_fft_lines_run *r, mst_error *error) {
    return mst_fft_lines_each(r, r->lines->sides[1].shape[r->lines->axis], store_chunk, error);
}

// ---- The convolution

static mst_status chirp_chunk(size_t chunk, void *user, mst_error *error) {
    const mst_fft_lines_run *r = user;
    const mst_fft_lines *l = r->lines;
    const size_t size = mst_fft_lines_chunk(l), begin = chunk * size, end = mst_smaller(begin + size, l->m);
    (void)error;
    memset((unsigned char *)r->values + begin * l->width * number_bytes(l), 0, (end - begin) * l->width * number_bytes(l));
    for (size_t p = begin; p < end; p++) {
        const size_t distance = mst_smaller(p, l->m - p); // the chirp goes round
        if (distance < l->n)
            mst_table_put(r->values, is_wide(l), p * l->width, mst_root_conjugate_if(true, chirp_at(r, distance)));
    }
    return MST_OK;
}

mst_status mst_fft_lines_put_chirp(mst_fft_lines_run *r, mst_error *error) {
    return mst_fft_lines_each(r, r->lines->m, chirp_chunk, error);
}

static mst_status multiplier_chunk(size_t chunk, void *user, mst_error *error) {
    const mst_fft_lines_run *r = user;
    const mst_fft_lines *l = r->lines;
    const size_t size = mst_fft_lines_chunk(l), begin = chunk * size, end = mst_smaller(begin + size, l->m),
                 bytes = number_bytes(l);
    (void)error;
    for (size_t p = begin; p < end; p++)
        memcpy((unsigned char *)l->chirp.memory + p * bytes, (unsigned char *)r->transform + p * l->width * bytes, bytes);
    return MST_OK;
}

mst_status mst_fft_lines_get_multiplier(mst_fft_lines_run *r, mst_error *error) {
    return mst_fft_lines_each(r, r->lines->m, multiplier_chunk, error);
}

static void multiply_single(float *v, const float *by, size_t n, size_t width) {
    for (size_t p = 0; p < n; p++, by += 2)
        for (size_t c = 0; c < width; c++, v += 2) {
            const float re = v[0] * by[0] - v[1] * by[1];
            v[1] = -(v[0] * by[1] + v[1] * by[0]);
            v[0] = re;
        }
}

static void multiply_double(double *v, const double *by, size_t n, size_t width) {
    for (size_t p = 0; p < n; p++, by += 2)
        for (size_t c = 0; c < width; c++, v += 2) {
            const double re = v[0] * by[0] - v[1] * by[1];
            v[1] = -(v[0] * by[1] + v[1] * by[0]);
            v[0] = re;
        }
}

static mst_status multiply_chunk(size_t chunk, void *user, mst_error *error) {
    const mst_fft_lines_run *r = user;
    const mst_fft_lines *l = r->lines;
    const size_t size = mst_fft_lines_chunk(l), begin = chunk * size, n = mst_smaller(size, l->m - begin);
    (void)error;
    if (is_wide(l))
        multiply_double((double *)r->transform + 2 * begin * l->width, (const double *)l->chirp.memory + 2 * begin, n, l->width);
    else
        multiply_single((float *)r->transform + 2 * begin * l->width, (const float *)l->chirp.memory + 2 * begin, n, l->width);
    return MST_OK;
}

mst_status mst_fft_lines_multiply(mst_fft_lines_run *r, mst_error *error) {
    return mst_fft_lines_each(r, r->lines->m, multiply_chunk, error);
}
