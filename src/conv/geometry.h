// What the fused algorithm pads, cuts into blocks, and transforms in which order: numbers only, no OpenCL.
//
// Real operands of a linear convolution are transformed as complex vectors of half the length: with h complex points, elements p
// and p + h are the parts of number p, times exp(i pi p / 2h). That is convolution modulo t^2h + 1, whose wrapped values change
// sign, and they are not kept (the right-angle transform of Crandall and Fagin, Discrete weighted transforms and large-integer
// arithmetic, Math. Comp. 62, 1994). No index is mirrored, so it suits any order of the spectrum.
#ifndef MST_CONV_GEOMETRY_H
#define MST_CONV_GEOMETRY_H

#include "plan.h"

#define MST_CONV_DIGITS 9 // of all axes

// Transforms of length n over elements `rest` apart along the axis: the product of the axis' later digits.
typedef struct mst_digit {
    int axis; // of the geometry
    size_t n, rest;
} mst_digit;

typedef struct mst_padded_axis {
    int axis;         // of the arrays
    size_t extent[2]; // of x and y: positions from here on are zero. Of the rows of an image in blocks, this and what is kept are
                      // those of a block, and rows beyond the array are left out
    bool periodic;    // x goes round: position p is element (p + 1) mod its length
    int reversal;     // of y: 0 none, 1 linear, 2 circular
    size_t start;     // z[k] is at position k + start,
    size_t kept;      // k < kept
    size_t n;         // complex points
} mst_padded_axis;

// Overlap-save along an axis: block b of the longer operand begins at its position b step + offset, and gives z from b step on.
typedef struct mst_axis_blocks {
    size_t count, step;
    int64_t offset;
} mst_axis_blocks;

typedef struct mst_geometry {
    bool cpu, right_angle;
    unsigned lanes; // transforms at once; 1 where the shape has no vectors
    int n_axes;
    mst_padded_axis axes[MST_CONVOLUTION_MAX_AXES]; // in the arrays' order; right angles along the last
    size_t points;                                  // of all axes

    int blocked;     // the operand that goes by overlapping blocks, X or Y; -1: one block
    size_t n_blocks; // of all axes, in C order
    mst_axis_blocks blocks[MST_CONVOLUTION_MAX_AXES];

    int n_digits;
    mst_digit digits[MST_CONV_DIGITS]; // in the order of the forward passes: axes from the last, digits from the most significant
} mst_geometry;

// MST_ERROR_UNSUPPORTED: no padded length fits the device.
mst_status mst_geometry_choose(const mst_convolution *plan, mst_geometry *out, mst_error *error);
// The quickest one along one axis by overlapping blocks of at most `most` complex points, however much quicker one transform of
// all may be; false if there is none.
bool mst_geometry_choose_blocks(const mst_convolution *plan, size_t most, mst_geometry *out);
bool mst_geometry_exists(const mst_convolution *plan); // whether one does

// What an axis needs whatever its padded length: all of *axis but n. Circular convolution goes without padding if `cyclic`, else
// x goes round. And the least padded length, but of what is cyclic.
void mst_geometry_measure_axis(const mst_convolution *plan, mst_padded_axis *axis, bool cyclic);
size_t mst_geometry_needed_length(const mst_padded_axis *axis);

#endif
