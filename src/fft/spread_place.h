// Where the elements of a spread array lie, in numbers alone. The array is a matrix of rows, whose columns are `unit` elements
// that lie side by side. Flat, a device has a range of elements as they follow one another; by columns, a range of columns of all
// rows, row by row.
#ifndef MST_FFT_SPREAD_PLACE_H
#define MST_FFT_SPREAD_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct mst_spread_place {
    size_t rows, columns, unit;
    bool by_columns;
    size_t grain; // flat: ranges are of so many elements at least
} mst_spread_place;

// Where device k of n begins among so many things, of which the first devices have one more where n does not divide them; n has
// all of them before it.
static inline size_t mst_spread_begin(size_t things, size_t k, size_t n) {
    return things / n * k + (k < things % n ? k : things % n);
}

static inline size_t mst_spread_row(const mst_spread_place *p) { return p->columns * p->unit; } // its elements

// Device k of n has elements first .. first + count - 1: of the array, or of each row.
typedef struct mst_spread_range {
    size_t first, count;
} mst_spread_range;
mst_spread_range mst_spread_range_of(const mst_spread_place *p, size_t k, size_t n);

// Its elements in all.
size_t mst_spread_elements(const mst_spread_place *p, size_t k, size_t n);

// An exchange between two places of the same matrix, one flat and one by columns, in pieces: groups of rows of what a device has
// in flat order, times chunks of the columns that another one has. They go in turn by groups, then chunks, then the devices that
// stand one, two and so on behind the one with the rows, so that at each turn each device gives one piece and takes one.
typedef struct mst_spread_exchange {
    mst_spread_place flat, columns;
    size_t n;                                     // devices
    size_t group_rows, chunk, n_groups, n_chunks; // chunk: elements of a row
} mst_spread_exchange;

// Pieces of so many elements at most, but of one at least.
mst_spread_exchange mst_spread_exchange_plan(const mst_spread_place *flat, const mst_spread_place *columns, size_t n,
                                             size_t most);

// The number of turns, and the elements that go from one device to others in all.
size_t mst_spread_turns(const mst_spread_exchange *x);
uint64_t mst_spread_exchanged(const mst_spread_exchange *x);

// Elements `column` .. column + count - 1 of rows row .. row + rows - 1: what `from` has in flat order and `to` by columns.
typedef struct mst_spread_piece {
    size_t from, to;
    size_t row, rows, column, count;
} mst_spread_piece;

// What device k gives, or takes, at a turn: rows or count may be 0.
mst_spread_piece mst_spread_given(const mst_spread_exchange *x, bool to_columns, size_t k, size_t turn);
mst_spread_piece mst_spread_taken(const mst_spread_exchange *x, bool to_columns, size_t k, size_t turn);

// What a device keeps, in so many pieces.
enum { MST_SPREAD_KEPT = 3 };
mst_spread_piece mst_spread_kept(const mst_spread_exchange *x, size_t k, int number);

// The first element of a piece in the memory of the device that has it flat, or by columns, and elements from row to row.
typedef struct mst_spread_spot {
    size_t at, pitch;
} mst_spread_spot;
mst_spread_spot mst_spread_spot_of(const mst_spread_exchange *x, const mst_spread_piece *piece, bool by_columns);

#endif
