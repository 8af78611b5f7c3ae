#include "npy_order.h"

#include "runtime/layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A file in Fortran order is a matrix in C order whose rows are its last axis, and whose columns all other axes, the first the
// fastest. It is transposed a tile at a time: so many rows, read in pieces of so many bytes, give so many neighbours in the
// result. Pieces are a cache line more than a power of two apart in memory, so that those of a column fall into different sets of
// the cache.
enum { TILE_ROWS = 64, PIECE_BYTES = 64 << 10, PITCH = PIECE_BYTES + 64 };

typedef struct matrix {
    size_t rows, columns, bytes;                    // of an element
    int rank;                                       // of the axes that make the columns
    size_t shape[MST_MAX_RANK], step[MST_MAX_RANK]; // and how far apart, in the result's rows, their neighbours are
} matrix;

mst_status mst_npy_read(int file, void *data, size_t bytes, uint64_t offset, size_t *got, mst_error *error) {
    mst_status status = MST_OK;

    for (*got = 0; *got < bytes;) {
        ssize_t n = pread(file, (char *)data + *got, bytes - *got, (off_t)(offset + *got));
        MST_REQUIRE(n >= 0 || errno == EINTR, MST_ERROR_IO, "cannot be read: %s", strerror(errno));
        if (n == 0)
            break;
        if (n > 0)
            *got += (size_t)n;
    }
fail:
    return status;
}

// An array in C order is a matrix of one row.
static matrix describe(const mst_layout *layout, bool fortran) {
    matrix m = {1, 1, mst_type_bytes(layout->type), 1, {0}, {1}};
    for (int k = 0; k < layout->rank; k++)
        m.columns *= layout->shape[k];
    m.shape[0] = m.columns;
    if (fortran) {
        m.rows = layout->shape[layout->rank - 1];
        m.columns /= m.rows;
        m.rank = layout->rank - 1;
        size_t step = 1;
        for (int k = m.rank - 1; k >= 0; k--) {
            m.shape[k] = layout->shape[k];
            m.step[k] = step;
            step *= layout->shape[k];
        }
    }
    return m;
}

static void swap_bytes(unsigned char *at, size_t n, size_t word) {
    for (unsigned char *end = at + n * word; at < end; at += word)
        for (size_t i = 0; i < word / 2; i++) {
            unsigned char byte = at[i];
            at[i] = at[word - 1 - i];
            at[word - 1 - i] = byte;
        }
}

// The place of a column of the file among the result's rows, and the next one's.
typedef struct column_place {
    size_t at, index[MST_MAX_RANK];
} column_place;

static void advance(column_place *p, const matrix *m) {
    for (int k = 0; k < m->rank; k++) {
        p->at += m->step[k];
        if (++p->index[k] < m->shape[k])
            return;
        p->at -= m->step[k] * m->shape[k];
        p->index[k] = 0;
    }
}

// With `bytes` known when compiling, each element is one load and one store.
static inline void scatter_of(const unsigned char *tile, size_t rows, size_t columns, const matrix *m, column_place p, size_t row,
                              unsigned char *to, size_t bytes) {
    for (size_t c = 0; c < columns; c++, advance(&p, m))
        for (size_t r = 0; r < rows; r++)
            memcpy(to + (p.at * m->rows + row + r) * bytes, tile + r * PITCH + c * bytes, bytes);
}

static void scatter(const unsigned char *tile, size_t rows, size_t columns, const matrix *m, column_place p, size_t row,
                    unsigned char *to) {
    switch (m->bytes) {
    case 1:
        scatter_of(tile, rows, columns, m, p, row, to, 1);
        break;
    case 2:
        scatter_of(tile, rows, columns, m, p, row, to, 2);
        break;
    case 4:
        scatter_of(tile, rows, columns, m, p, row, to, 4);
        break;
    case 8:
        scatter_of(tile, rows, columns, m, p, row, to, 8);
        break;
    default:
        scatter_of(tile, rows, columns, m, p, row, to, 16);
    }
}

static mst_status read_tile(int file, uint64_t offset, const matrix *m, size_t row, size_t rows, size_t column, size_t columns,
                            unsigned char *tile, mst_error *error) {
    mst_status status = MST_OK;
    const size_t bytes = columns * m->bytes;
    size_t got;

    for (size_t r = 0; r < rows; r++) {
        MST_TRY(mst_npy_read(file, tile + r * PITCH, bytes, offset + ((row + r) * m->columns + column) * m->bytes, &got, error));
        MST_REQUIRE(got == bytes, MST_ERROR_IO, "cannot be read: it ends too early");
    }
fail:
    return status;
}

mst_status mst_npy_reorder(int file, uint64_t offset, const mst_layout *layout, mst_npy_order order, mst_scratch *out,
                           mst_error *error) {
    mst_status status = MST_OK;
    const matrix m = describe(layout, order.fortran);
    const size_t most = PIECE_BYTES / m.bytes, words = mst_type_is_complex(layout->type) ? 2 : 1;
    mst_scratch made = {0};
    unsigned char *tile = NULL;
    column_place p = {0};

    MST_TRY(mst_scratch_take(m.rows * m.columns * m.bytes, "elements in C order", &made, error));
    MST_REQUIRE(tile = malloc((size_t)TILE_ROWS * PITCH), MST_ERROR_HOST_MEMORY, "out of memory");
    for (size_t column = 0, columns; column < m.columns; column += columns) {
        columns = m.columns - column < most ? m.columns - column : most;
        for (size_t row = 0, rows; row < m.rows; row += rows) {
            rows = m.rows - row < TILE_ROWS ? m.rows - row : TILE_ROWS;
            MST_TRY(read_tile(file, offset, &m, row, rows, column, columns, tile, error));
            for (size_t r = 0; order.swapped && r < rows; r++)
                swap_bytes(tile + r * PITCH, columns * words, m.bytes / words);
            scatter(tile, rows, columns, &m, p, row, made.memory);
        }
        for (size_t c = 0; c < columns; c++)
            advance(&p, &m);
    }
    *out = made;
    made = (mst_scratch){0};
fail:
    mst_scratch_release(&made);
    free(tile);
    return status;
}
