#include "pyramid.h"

#include <math.h>

const double pyramid_ratios[PYRAMID_N_RATIOS] = {1, 5, 10, 15};

const pyramid_row pyramid_rows[PYRAMID_N_ROWS] = {
    {"128 MB", 1, 1 / 32.0, 1, 1 / 32.0, 1, {2.74, 8.95, 15.63, 21.53}},
    {"128 MB", 2, 1 / 32.0, 1, 1 / 32.0, 1, {2.84, 9.77, 17.75, 25.22}},
    {"128 MB", 2, 1 / 32.0, 1.2, 1 / 32.0, 2.2, {2.77, 9.22, 16.36, 22.84}},
    {"512 MB", 1, 1 / 8.0, 1, 1 / 8.0, 1, {2.87, 9.94, 18.18, 25.95}},
    {"512 MB", 2, 1 / 8.0, 1, 1 / 8.0, 1, {2.89, 10.12, 18.65, 26.80}},
    {"512 MB", 2, 1 / 8.0, 1.2, 1 / 8.0, 2.2, {2.83, 9.70, 17.60, 24.97}},
    {"1024 MB", 1, 1 / 4.0, 1, 1 / 2.0, 1, {2.93, 10.46, 19.56, 28.41}},
    {"1024 MB", 2, 1 / 4.0, 1, 1 / 2.0, 1, {2.92, 10.36, 19.31, 27.97}},
    {"1024 MB", 2, 1 / 4.0, 1.2, 1 / 2.0, 2.2, {2.88, 10.07, 18.54, 26.60}},
};

// Time of a node-step in units of t_a, with slabs of R rows: (R - n) / (R - 2n) (2 t_c / n + 1).
static double slab_time(double r, double n, double ratio) { return (r - n) / (r - 2 * n) * (2 * ratio / n + 1); }

// With tiles of B x B: [ (2/n) ((B - n)^2 + n^2) t_c + ((B - n)^2 + n^2 / 3) ] / (B - 2n)^2.
static double tile_time(double b, double n, double ratio) {
    double inner = (b - n) * (b - n);
    return (2 / n * (inner + n * n) * ratio + inner + n * n / 3) / ((b - 2 * n) * (b - 2 * n));
}

double pyramid_speedup(double share, int axes, double ratio, double slower) {
    double r = share * PYRAMID_SIDE, b = sqrt(share) * PYRAMID_SIDE, best = INFINITY;
    for (double n = 1; 2 * n < (axes == 1 ? r : b); n++)
        best = fmin(best, axes == 1 ? slab_time(r, n, ratio) : tile_time(b, n, ratio * slower));
    return slab_time(r, 1, ratio) / best; // the trivial way is slabs with n = 1
}
