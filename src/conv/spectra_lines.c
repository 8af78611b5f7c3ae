#include "spectra.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"
#include "stream/transfer.h"

#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)1 << 14) // numbers that one thread moves at a time

// Where the positions of a padded operand from one on come from, along an axis: so many elements, from the lowest one on, in
// their order or, of what is reversed, against it.
typedef struct source_run {
    size_t lowest, count;
    bool down, zeros;
} source_run;

static source_run run_at(const mst_spectra_line *l, const mst_padded_axis *a, size_t position, size_t most) {
    const size_t n = mst_convolution_layout(l->plan, l->array)->shape[a->axis], extent = a->extent[l->array];
    source_run r = {.count = mst_smaller(most, a->n - position), .zeros = position >= extent};
    if (r.zeros)
        return r;
    r.count = mst_smaller(most, extent - position);
    if (l->array == X && a->periodic) {
        r.lowest = (position + 1) % n;
        r.count = mst_smaller(r.count, n - r.lowest);
    } else if (l->array == X || !a->reversal) {
        r.lowest = position;
    } else if (a->reversal == 2 && position == 0) {
        r.count = 1;
    } else {
        r.down = true;
        r.lowest = (a->reversal == 2 ? n + 1 : n) - position - r.count;
    }
    return r;
}

// Element 0 of the line's own vector, image or volume, in elements.
static int64_t line_offset(const mst_spectra_line *l) {
    const mst_layout *own = mst_convolution_layout(l->plan, l->array), *z = &l->plan->desc.z;
    int64_t offset = 0;
    size_t number = l->number;
    for (int k = z->rank - 1; k >= 0; k--) {
        if (mst_convolution_is_along(l->plan, k))
            continue;
        if (own->shape[k] > 1)
            offset += (int64_t)(number % z->shape[k]) * own->strides[k];
        number /= z->shape[k];
    }
    return offset;
}

// `count` elements along the last axis, from one that lies so many elements from [0]...[0] on.
static mst_transfer row_of(const mst_spectra_line *l, int64_t at, size_t count) {
    static const char *const names[N_ARRAYS] = {"x", "y", "z"};
    const mst_convolution_desc *d = &l->plan->desc;
    const mst_layout *own = mst_convolution_layout(l->plan, l->array);
    const int64_t bytes = at * (int64_t)mst_type_bytes(own->type);
    mst_transfer t = {{own->type, 1, {count}, {own->strides[d->axes[d->n_axes - 1]]}}, l->where[l->array], names[l->array], NULL};
    if (t.where.place == MST_PLACE_HOST)
        t.where.host = (unsigned char *)t.where.host + bytes;
    else
        t.where.offset = (uint64_t)((int64_t)t.where.offset + bytes);
    return t;
}

// ---- Numbers of one type as those of another

static mst_type part_of(mst_type type) {
    return type == MST_COMPLEX64 ? MST_FLOAT32 : type == MST_COMPLEX128 ? MST_FLOAT64 : type;
}

static void put_number(mst_type part, void *values, size_t i, double number) {
    if (part == MST_FLOAT32)
        ((float *)values)[i] = (float)number;
    else
        ((double *)values)[i] = number;
}

// The numbers of a run, in the result's type; what is reversed is conjugate.
static void convert(const mst_spectra_line *l, const source_run *r, const void *from, void *to) {
    const mst_type own = mst_convolution_layout(l->plan, l->array)->type, result = l->plan->desc.z.type;
    const size_t in = mst_type_is_complex(own) ? 2 : 1, out = mst_type_is_complex(result) ? 2 : 1;
    const bool conjugate = l->array == Y && l->plan->desc.correlate;
    for (size_t i = 0; i < r->count; i++) {
        const size_t k = r->down ? r->count - 1 - i : i;
        put_number(part_of(result), to, out * i, mst_type_number(part_of(own), from, in * k));
        if (out == 1)
            continue;
        const double imaginary = in == 2 ? mst_type_number(part_of(own), from, in * k + 1) : 0;
        put_number(part_of(result), to, out * i + 1, conjugate ? -imaginary : imaginary);
    }
}

// ---- Chunks

static const mst_padded_axis *last_axis(const mst_spectra_line *l) { return &l->plan->spectra->axes[l->plan->desc.n_axes - 1]; }

static mst_status load_run(const mst_spectra_line *l, int64_t at, const source_run *r, void *to, mst_error *error) {
    mst_status status = MST_OK;
    mst_pool *pool = l->plan->context->pool;
    const mst_convolution_desc *d = &l->plan->desc;
    const mst_layout *own = mst_convolution_layout(l->plan, l->array);
    const mst_transfer t = row_of(l, at + (int64_t)r->lowest * own->strides[d->axes[d->n_axes - 1]], r->count);
    const size_t bytes = r->count * mst_type_bytes(own->type);
    if (own->type == d->z.type && !(l->array == Y && d->correlate))
        return mst_transfer_read(pool, &t, 0, bytes, to, error);
    void *packed = malloc(bytes);
    MST_REQUIRE(packed, MST_ERROR_HOST_MEMORY, "out of memory for a row of %s", t.name);
    MST_TRY(mst_transfer_read(pool, &t, 0, bytes, packed, error));
    convert(l, r, packed, to);
fail:
    free(packed);
    return status;
}

static mst_status load_chunk(size_t chunk, void *user, mst_error *error) {
    mst_status status = MST_OK;
    const mst_spectra_line *l = user;
    const mst_layout *own = mst_convolution_layout(l->plan, l->array);
    const mst_padded_axis *last = last_axis(l);
    const size_t chunks = mst_divide_up(last->n, CHUNK), begin = chunk % chunks * CHUNK,
                 end = mst_smaller(begin + CHUNK, last->n), number = mst_type_bytes(l->plan->desc.z.type);
    size_t row = chunk / chunks;
    unsigned char *to = (unsigned char *)l->padded + (row * last->n + begin) * number;
    int64_t at = line_offset(l);
    bool zeros = false;
    for (const mst_padded_axis *a = last; a-- > l->plan->spectra->axes; row /= a->n) {
        const source_run r = run_at(l, a, row % a->n, 1);
        zeros = zeros || r.zeros;
        at += (int64_t)r.lowest * own->strides[a->axis];
    }
    for (size_t p = begin; p < end;) {
        const source_run r = run_at(l, last, p, end - p);
        if (zeros || r.zeros)
            memset(to, 0, r.count * number);
        else
            MST_TRY(load_run(l, at, &r, to, error));
        to += r.count * number;
        p += r.count;
    }
fail:
    return status;
}

// Rows of the result along its last axis.
static mst_status store_chunk(size_t chunk, void *user, mst_error *error) {
    const mst_spectra_line *l = user;
    const mst_layout *own = &l->plan->desc.z;
    const mst_padded_axis *last = last_axis(l);
    const size_t chunks = mst_divide_up(last->kept, CHUNK), begin = chunk % chunks * CHUNK,
                 end = mst_smaller(begin + CHUNK, last->kept), number = mst_type_bytes(own->type);
    size_t row = chunk / chunks, from = last->start + begin, pitch = last->n;
    int64_t at = line_offset(l) + (int64_t)begin * own->strides[last->axis];
    for (const mst_padded_axis *a = last; a-- > l->plan->spectra->axes; row /= a->kept) {
        from += (a->start + row % a->kept) * pitch;
        at += (int64_t)(row % a->kept) * own->strides[a->axis];
        pitch *= a->n;
    }
    const mst_transfer t = row_of(l, at, end - begin);
    return mst_transfer_write(l->plan->context->pool, &t, 0, (end - begin) * number,
                              (const unsigned char *)l->padded + from * number, error);
}

mst_status mst_spectra_load(mst_spectra_line *l, mst_error *error) {
    const mst_padded_axis *last = last_axis(l);
    const size_t rows = l->plan->spectra->numbers / last->n;
    return mst_pool_run(l->plan->context->pool, rows * mst_divide_up(last->n, CHUNK), load_chunk, l, error);
}

mst_status mst_spectra_store(mst_spectra_line *l, mst_error *error) {
    const mst_padded_axis *last = last_axis(l);
    size_t rows = 1;
    for (const mst_padded_axis *a = l->plan->spectra->axes; a < last; a++)
        rows *= a->kept;
    return mst_pool_run(l->plan->context->pool, rows * mst_divide_up(last->kept, CHUNK), store_chunk, l, error);
}
