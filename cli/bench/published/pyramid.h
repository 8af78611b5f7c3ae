// The pyramid method's own figures (Golovashkin and Kochurov): its formulas for the time of a run, and what was published.
#ifndef MASTABA_PAPER_PYRAMID_H
#define MASTABA_PAPER_PYRAMID_H

#include <stddef.h>

// Predicted speed-ups over the trivial way on a grid of 32768 x 32768, for transfer times t_c / t_a of 1, 5, 10 and 15.
enum { PYRAMID_N_RATIOS = 4, PYRAMID_N_ROWS = 9, PYRAMID_SIDE = 32768 };
extern const double pyramid_ratios[PYRAMID_N_RATIOS];

typedef struct pyramid_row {
    const char *memory;                 // "128 MB"
    int axes;                           // cut: 1 is slabs, 2 tiles
    double share, slower;               // the part of the grid that the device holds; how much longer transfers of tiles take
    double fitted_share, fitted_slower; // with which the formulas give the published figures
    double published[PYRAMID_N_RATIOS];
} pyramid_row;
extern const pyramid_row pyramid_rows[PYRAMID_N_ROWS];

// The speed-up of the formulas, at the best depth.
double pyramid_speedup(double share, int axes, double ratio, double slower);

#endif
