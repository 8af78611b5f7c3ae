// What a deconvolution plan holds.
#ifndef MST_DECONV_PLAN_H
#define MST_DECONV_PLAN_H

#include "work.h"

#include "fft/device_pass.h"
#include "fft/plan.h"
#include "runtime/kernel.h"
#include "runtime/layout.h"
#include "runtime/turn.h"
#include "stream/stream.h"

#include <mastaba/deconvolution.h>

enum { Z, Y, X, N_SIDES }; // axes as kernels see them: shapes of fewer begin with ones

// The arrays that a caller gives: port numbers for those that there are.
enum { ARRAY_IMAGE, ARRAY_RESULT, ARRAY_START, ARRAY_WEIGHTS, N_ARRAYS };

// How one image, or volume, is cut into bricks: windows that overlap, each of which has points of its own, and a halo around
// them.
typedef struct mst_brick_cut {
    bool is_cut;                      // else an item is the whole
    bool goes_round;                  // circular edges: windows go on at the other end
    size_t n[N_SIDES], step[N_SIDES]; // bricks, and points that are a brick's own
    size_t halo[N_SIDES];             // before them, and behind; 0 along a side that is not cut
    size_t pad[N_SIDES];              // exact: points of the object before the image, which bricks own, too
    size_t padded[N_SIDES];           // what a window is transformed in
} mst_brick_cut;

// Transforms of an item, of all axes but the one of `product`: from real numbers to half spectra, and from these back. Of
// columns: half spectra that are transformed along rows already, in place, along the axis between these and `product`'s, if there
// is one.
enum { ALL_THERE, ALL_BACK, COLUMNS_THERE, COLUMNS_BACK, N_TRANSFORMS };

// Passes along rows of half spectra, to real numbers and back to half spectra.
enum { ROWS_RATIO, ROWS_SCALE, N_ROWS };

struct mst_bricks; // bricks.h

struct mst_deconvolution {
    mst_context *context;
    mst_turn *turn;
    mst_deconvolution_desc desc; // layouts complete, axes the last ones in these
    mst_layout result;           // as the caller sees it
    bool is_double, cpu;
    size_t n_items;
    size_t extent[N_SIDES], padded[N_SIDES]; // of an item
    size_t whole[N_SIDES];                   // of what items are windows on
    mst_brick_cut cut;
    struct mst_bricks *bricks; // in which the plan works where one item does not fit; or, of a cut plan, that it is of
    size_t psf_shape[N_SIDES];
    int64_t psf_centre[N_SIDES];
    double psf_sum; // after it was divided, or not
    double *psf;    // a cut plan's: of the plan that is cut
    size_t points, spectrum_points;
    mst_stream *stream, *look; // look: of a cut plan, for sums over the whole before
    int product_side;          // the axis that `product` transforms there and back; N_SIDES: there is none
    mst_device_pass product;
    bool by_rows; // iterations are joined by `rows`
    mst_device_pass rows[N_ROWS];
    mst_fft *transforms[N_TRANSFORMS]; // columns: NULL unless by rows
    mst_kernel *kernels[N_KERNELS];
    int ports[N_ARRAYS], look_ports[N_ARRAYS]; // of streams; -1: not given
    cl_mem lines[N_ARRAYS][2];                 // packed, own: tables of mst_lines_create along the last axis
    mst_device_table frame;                    // where items are in the whole: deconv.cl
    mst_work transfer, gain;                   // H or the inverse filter; 1 / a where it is the same for all items
    mst_work work[N_WORK];
    size_t block_items;  // that work is for
    uint64_t item_bytes; // that one takes on the device with its arrays,
    bool fits;           // which there is room for, and in RAM
    mst_error lacks;     // what bricks wanted where only arrays on the device have room; status MST_OK: others have
    // Of the execution.
    mst_execution how;
    uint64_t done, total; // iterations of items
};

static inline bool mst_deconvolution_iterates(const mst_deconvolution *plan) {
    return plan->desc.method == MST_DECONVOLUTION_RICHARDSON_LUCY;
}
// Whether sums over the points of an item are taken in each iteration.
static inline bool mst_deconvolution_judges(const mst_deconvolution *plan) {
    return plan->desc.accelerate || plan->desc.tolerance > 0 || plan->desc.watch;
}
// Whether an iteration writes its x beside the one that it reads.
static inline bool mst_deconvolution_alternates(const mst_deconvolution *plan) {
    return mst_deconvolution_judges(plan) || plan->desc.total_variation > 0;
}
// Whether passes along rows, of a multiple of so many points, may join iterations: sums over points, neighbours of points and
// more than one estimate are left to the kernels of deconv.cl.
enum { MST_DECONVOLUTION_ROW = 16 };
static inline bool mst_deconvolution_may_join(const mst_deconvolution *plan) {
    return !plan->cpu && mst_deconvolution_iterates(plan) && !mst_deconvolution_alternates(plan) && plan->desc.iterations > 1;
}
// Whether there is an axis between rows and the one of `product`.
static inline bool mst_deconvolution_has_columns(const mst_deconvolution *plan) {
    return plan->product_side != Y && plan->padded[Y] > 1;
}
// Whether each item has 1 / a of its own.
static inline bool mst_deconvolution_has_gains(const mst_deconvolution *plan) {
    return mst_deconvolution_iterates(plan) && (plan->desc.weights.rank > 0 || plan->cut.is_cut);
}
// What transforms take for items: all of an item, or one of its planes, or rows, where `product` is to transform the others.
static inline size_t mst_deconvolution_transforms(const mst_deconvolution *plan) {
    return plan->product_side < N_SIDES ? plan->padded[plan->product_side] : 1;
}
static inline size_t mst_deconvolution_real_bytes(const mst_deconvolution *plan) { return plan->is_double ? 8 : 4; }

// ---- description.c: reads and checks a description, and chooses padded lengths: no OpenCL call.
mst_status mst_deconvolution_read(mst_deconvolution *plan, const mst_deconvolution_desc *desc, mst_error *error);
// The least from n on of which transforms along that side are fast; a little more where passes along rows want it.
size_t mst_deconvolution_fast_length(const mst_deconvolution *plan, size_t n, int side);
// How far h reaches beyond a point of the image to either side: what is convolved is as much longer.
size_t mst_deconvolution_reach(const mst_deconvolution *plan, int side);

// ---- make.c
// Makes what a plan that has been read works with, and unmakes it.
mst_status mst_deconvolution_make(mst_deconvolution *plan, mst_error *error);
void mst_deconvolution_unmake(mst_deconvolution *plan);
bool mst_deconvolution_is_too_small(mst_status status); // the budget or the device, and nothing has been read or written

// ---- work.c: what a block works in.
uint64_t mst_deconvolution_work_bytes(const mst_deconvolution *plan, int which); // of an item
mst_status mst_deconvolution_prepare(void *user, size_t n_items, mst_error *error);

// ---- launch.c: kernels, and their launches.
mst_status mst_deconvolution_make_kernels(mst_deconvolution *plan, mst_error *error);
size_t mst_deconvolution_chunks(const mst_deconvolution *plan, size_t points); // work-items for so many points of an item
mst_status mst_deconvolution_launch(mst_deconvolution *plan, mst_queue *queue, int which, const mst_argument *arguments,
                                    size_t n_arguments, size_t items, mst_error *error);
size_t mst_deconvolution_row_items(const mst_deconvolution *plan, size_t rows); // work-items for so many rows

// ---- arrays.c: between a block's arrays and padded ones. Fails where values are not allowed. With `look`, image and weights
// only, and only a brick's own points of the image.
mst_status mst_deconvolution_load(mst_deconvolution *plan, const mst_block *block, bool look, mst_error *error);
mst_status mst_deconvolution_store(mst_deconvolution *plan, const mst_block *block, int from, mst_error *error);

// ---- spectrum.c: H, or the inverse filter, and a.
mst_status mst_deconvolution_make_transfer(mst_deconvolution *plan, mst_error *error);
// 1 / a of n items from the first on into `gain`; of the same mask for all, if no weights are given and items are no bricks.
mst_status mst_deconvolution_make_gain(mst_deconvolution *plan, mst_queue *queue, size_t first, size_t n_items, cl_mem gain,
                                       mst_error *error);

// ---- richardson_lucy.c: from the loaded block to WORK_X; *which: or WORK_BEFORE.
mst_status mst_deconvolution_iterate(mst_deconvolution *plan, const mst_block *block, int *which, mst_error *error);
// Sums over what was seen, in WORK_SUMS_2 and WORK_SCALARS.
mst_status mst_deconvolution_sum(mst_deconvolution *plan, const mst_block *block, mst_error *error);

#endif
