// How the direct algorithm divides its work.
#ifndef MST_CONV_DIRECT_H
#define MST_CONV_DIRECT_H

#include "plan.h"

typedef struct mst_direct_tiling {
    bool cpu;         // shape
    int signal, taps; // which operand is which: X or Y
    int n_axes;
    size_t signal_rows, signal_columns, tap_rows, tap_columns, result_rows, result_columns; // one row where there is one axis
    int64_t offset_row, offset_column;                                                      // z[j] = sum_q w[q] s[j + offset + q]
    size_t n_taps;
    unsigned parts;                     // real numbers an element of the result
    unsigned lanes;                     // cpu: numbers a vector; gpu: work-items side by side
    unsigned item, group;               // gpu: results a work-item, work-items a work-group
    unsigned rows, columns;             // of a tile of the result, in real numbers; gpu, one axis: lines and numbers
    unsigned block_rows, block_columns; // the most taps at once
    unsigned pitch, height;             // of the signal's tile in local memory
    bool small;                         // images and taps of less than 2^30 numbers, wherever they lie
    bool one_kernel;                    // for all lines
    bool separable;                     // cpu: kernels are looked at for products of a column and a row
    unsigned room;                      // for the taps of one kernel
    unsigned vector, shift;             // gpu, images and small kernels: direct_window.cl's V and SHIFT; else 0
    bool hold_rows, local_taps;         // its HOLD_ROWS and LOCAL_TAPS
    bool line;                          // gpu, signals and short kernels: direct_line.cl, with vector and shift as above
    unsigned result_vector;             // its W
    const mst_device_info *device;
    size_t values_bytes, weights_bytes, totals_bytes; // of local memory
} mst_direct_tiling;

typedef struct mst_direct_launch {
    size_t items;
    cl_long8 tiles;
    cl_int8 tile;
} mst_direct_launch;

// overlap_save.c: whether it takes such arrays, and the share of the points of its tiles that are results.
bool mst_overlap_save_fits(const mst_convolution *plan, const mst_direct_tiling *tiling);
double mst_overlap_save_share(const mst_direct_tiling *tiling);

void mst_direct_plan(const mst_convolution *plan, mst_direct_tiling *tiling);
cl_long8 mst_direct_sizes(const mst_direct_tiling *tiling);
int mst_direct_print_types(const mst_convolution *plan, const mst_direct_tiling *tiling, char *out, size_t size); // options
size_t mst_direct_tiles(const mst_direct_tiling *tiling, size_t n_lines);
double mst_direct_tile_products(const mst_direct_tiling *tiling); // of real numbers, about
// A launch that computes some of these.
mst_direct_launch mst_direct_share_out(const mst_direct_tiling *tiling, size_t n_lines, size_t first_tile, size_t n_tiles);

#endif
