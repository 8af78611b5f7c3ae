#include "strips.h"

#include "transfer.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

#define TRAYS 2         // that have blocks: one is taken from while the next is read
#define ROWS_AT_ONCE 16 // that one thread reads

// Blocks of a tray: [strip][range], the panels of each strip that are still to be taken, and the bytes of a row in the file, of
// which the last strip and the last panel may have fewer than others.
typedef struct strips_tray {
    unsigned char *blocks[MST_TRAY_STRIPS][MST_TRAY_STRIPS];
    size_t n, left[MST_TRAY_STRIPS], row;
} strips_tray;

struct mst_strips {
    size_t n, rows, range_rows, panels; // strips and rows of a tray, rows of a range, panels of a strip
    size_t strip_row, panel_row;        // bytes
    void *memory;
    size_t bytes, n_free;
    unsigned char *free[MST_TRAY_STRIPS * (MST_TRAY_STRIPS + 1)];
    strips_tray trays[TRAYS];
};

static size_t range_rows(const mst_tray_shape *s, int port) { return mst_divide_up(s->rows[port], s->strips[port]); }
static size_t row_of_strip(const mst_tray_shape *s, int port) {
    return (size_t)(s->bytes[port] / s->rows[port] / s->strips[port]);
}
static size_t block_bytes(const mst_strips *s) { return s->range_rows * s->strip_row; }

uint64_t mst_strips_bytes(const mst_tray_shape *s, int port) {
    return (uint64_t)(s->strips[port] + s->spare[port]) * s->strips[port] * range_rows(s, port) * row_of_strip(s, port);
}

mst_status mst_strips_create(const mst_tray_shape *shape, int port, mst_strips **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_strips *s = calloc(1, sizeof *s);
    *out = NULL;
    MST_REQUIRE(s, MST_ERROR_HOST_MEMORY, "out of memory");
    s->n = shape->strips[port];
    s->rows = shape->rows[port];
    s->range_rows = range_rows(shape, port);
    s->panels = shape->items[port] / s->n;
    s->strip_row = row_of_strip(shape, port);
    s->panel_row = s->strip_row / s->panels;
    s->bytes = (size_t)mst_strips_bytes(shape, port);
    s->memory = mmap(NULL, s->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (s->memory == MAP_FAILED) {
        free(s);
        return MST_OK;
    }
#ifdef MADV_HUGEPAGE
    madvise(s->memory, s->bytes, MADV_HUGEPAGE); // a wish
#endif
    for (size_t at = 0; at < s->bytes; at += block_bytes(s))
        s->free[s->n_free++] = (unsigned char *)s->memory + at;
    *out = s;
fail:
    return status;
}

void mst_strips_destroy(mst_strips *s) {
    if (!s)
        return;
    munmap(s->memory, s->bytes);
    free(s);
}

size_t mst_strips_ranges(const mst_strips *s) { return mst_divide_up(s->rows, s->range_rows); }

bool mst_strips_take(mst_strips *s, size_t tray, size_t panels, size_t range) {
    strips_tray *t = &s->trays[tray % TRAYS];
    const size_t n = mst_divide_up(panels, s->panels);
    if (s->n_free < n)
        return false;
    t->n = n;
    for (size_t k = 0; k < n; k++) {
        t->blocks[k][range] = s->free[--s->n_free];
        t->left[k] = mst_smaller(s->panels, panels - k * s->panels);
    }
    return true;
}

bool mst_strips_give(mst_strips *s, size_t tray, size_t panel) {
    strips_tray *t = &s->trays[tray % TRAYS];
    const size_t strip = panel / s->panels;
    if (--t->left[strip] > 0)
        return false;
    for (size_t range = 0; range < mst_strips_ranges(s); range++)
        s->free[s->n_free++] = t->blocks[strip][range];
    return true;
}

// ---- Reading

typedef struct strip_read {
    const mst_strips *strips;
    const strips_tray *tray;
    size_t range;
    const mst_panel_piece *piece;
    mst_transfer from;
} strip_read;

// Where a row begins in the array, in bytes.
static int64_t offset_of_row(const strip_read *r, size_t row) {
    const mst_layout *layout = &r->piece->layout;
    const size_t element = mst_type_bytes(layout->type);
    size_t at = row * (r->tray->row / element);
    int64_t offset = r->piece->offset;
    for (int k = layout->rank - 1; k >= 0; k--) {
        offset += (int64_t)(at % layout->shape[k]) * layout->strides[k];
        at /= layout->shape[k];
    }
    return offset * (int64_t)element;
}

static mst_status read_row(const strip_read *r, size_t row, mst_error *error) {
    const mst_strips *s = r->strips;
    const int64_t offset = offset_of_row(r, row);
    const size_t at = row % s->range_rows * s->strip_row;
    mst_status status = MST_OK;
    struct iovec parts[MST_TRAY_STRIPS];
    for (size_t k = 0; k < r->tray->n; k++)
        parts[k] = (struct iovec){r->tray->blocks[k][r->range] + at, mst_smaller(s->strip_row, r->tray->row - k * s->strip_row)};
    if (mst_direct_scatter(r->from.direct, r->from.where.offset + (uint64_t)offset, parts, (int)r->tray->n))
        return MST_OK;
    for (size_t k = 0; k < r->tray->n && status == MST_OK; k++)
        status =
            mst_transfer_read_bytes(&r->from, offset + (int64_t)(k * s->strip_row), parts[k].iov_base, parts[k].iov_len, error);
    return status;
}

static mst_status read_rows(size_t i, void *user, mst_error *error) {
    const strip_read *r = user;
    const mst_strips *s = r->strips;
    const size_t end = mst_smaller((r->range + 1) * s->range_rows, s->rows), first = r->range * s->range_rows + i * ROWS_AT_ONCE;
    mst_status status = MST_OK;
    for (size_t row = first; row < mst_smaller(first + ROWS_AT_ONCE, end) && status == MST_OK; row++)
        status = read_row(r, row, error);
    return status;
}

mst_status mst_strips_read(mst_strips *s, size_t tray, size_t range, const mst_panel_place *from, const mst_panel_piece *piece,
                           mst_error *error) {
    strips_tray *t = &s->trays[tray % TRAYS];
    strip_read r = {s, t, range, piece, {piece->layout, from->where, from->name, from->direct}};
    t->row = mst_layout_count(&piece->layout) / s->rows * mst_type_bytes(piece->layout.type);
    const size_t rows = mst_smaller(s->range_rows, s->rows - range * s->range_rows);
    return mst_pool_run(from->pool, mst_divide_up(rows, ROWS_AT_ONCE), read_rows, &r, error);
}

// ---- Taking

typedef struct strip_copy {
    const mst_strips *strips;
    const strips_tray *tray;
    size_t panel;
    unsigned char *to;
} strip_copy;

static mst_status copy_range(size_t range, void *user, mst_error *error) {
    const strip_copy *c = user;
    const mst_strips *s = c->strips;
    const size_t first = range * s->range_rows, rows = mst_smaller(s->range_rows, s->rows - first),
                 bytes = mst_smaller(s->panel_row, c->tray->row - c->panel * s->panel_row);
    unsigned char *from = c->tray->blocks[c->panel / s->panels][range] + c->panel % s->panels * s->panel_row,
                  *to = c->to + first * s->panel_row;
    (void)error;
    if (bytes == s->panel_row)
        mst_transfer_move_runs(from, to, bytes, rows, (int64_t)s->strip_row, false);
    else
        for (size_t row = 0; row < rows; row++)
            memcpy(to + row * s->panel_row, from + row * s->strip_row, bytes);
    return MST_OK;
}

mst_status mst_strips_copy(const mst_strips *s, size_t tray, size_t panel, mst_pool *pool, void *to, mst_error *error) {
    strip_copy c = {s, &s->trays[tray % TRAYS], panel, to};
    return mst_pool_run(pool, mst_strips_ranges(s), copy_range, &c, error);
}
