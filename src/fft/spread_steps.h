// The steps of a transform of spread arrays, in numbers alone. A step transforms what every device has by itself, and then moves
// the array to another place, or does one of the two.
//
// Of two or three axes: all axes but the first, rows being whole in natural order; to columns; the first axis. And back, if
// natural order is wanted. From transposed order: the first axis, to flat order, the others. Of one axis, of n = r c elements,
// seen as r rows of c: columns are transformed (j = j1 c + j2, j1 to k1), multiplied by exp(-2 pi i k1 j2 / n), and written as
// rows, so that there are c rows of r; these are transformed along columns (j2 to k2), which leaves k = k2 r + k1 in its place.
#ifndef MST_FFT_SPREAD_STEPS_H
#define MST_FFT_SPREAD_STEPS_H

#include "spread.h"

enum { MST_SPREAD_STEPS = 4 };

typedef enum mst_spread_local {
    MST_SPREAD_NOTHING,
    MST_SPREAD_ROWS,   // all axes but the first, of rows
    MST_SPREAD_TURNED, // columns, times twiddles, which become rows of the other buffer
    MST_SPREAD_COLUMNS // the first axis
} mst_spread_local;

typedef struct mst_spread_step {
    mst_spread_local local;
    bool exchanges;
    mst_spread_place from, between, to; // before, behind the transform, behind the exchange
    mst_spread_exchange exchange;
} mst_spread_step;

// Fills in the steps on n devices, all but how exchanges are cut, and returns their number.
int mst_spread_plan(const mst_spread_fft_desc *desc, size_t n, mst_spread_step *steps);

// Cuts the exchanges into pieces, and returns the bytes of the largest; 0: there is no exchange.
uint64_t mst_spread_plan_pieces(mst_spread_step *steps, int n_steps, size_t n, size_t element);

#endif
