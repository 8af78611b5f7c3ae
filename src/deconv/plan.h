// What a deconvolution plan holds.
#ifndef MST_DECONV_PLAN_H
#define MST_DECONV_PLAN_H

#include "fft/plan.h"
#include "runtime/kernel.h"
#include "runtime/layout.h"
#include "runtime/turn.h"
#include "stream/stream.h"

#include <mastaba/deconvolution.h>

enum { Z, Y, X, N_SIDES }; // axes as kernels see them: shapes of fewer begin with ones

// The arrays that a caller gives: port numbers for those that there are.
enum { ARRAY_IMAGE, ARRAY_RESULT, ARRAY_START, ARRAY_WEIGHTS, N_ARRAYS };

enum {
    KERNEL_PSF,     // h into a padded array
    KERNEL_LOAD,    // one of the caller's arrays into one
    KERNEL_STORE,   // and back
    KERNEL_PRODUCT, // of spectra
    KERNEL_INVERSE, // H into the spectrum of the inverse filter
    KERNEL_GAIN,    // 1 / a
    KERNEL_FLAT,    // the x to start from
    KERNEL_PREDICT, // x + alpha (x - the x before)
    KERNEL_RATIO,   // w y / (h * x + b)
    KERNEL_VARY,    // total variation
    KERNEL_SCALE,   // x in place
    KERNEL_UPDATE,  // x from another one, with what sums are of
    KERNEL_SEEN,    // sums of y and w
    KERNEL_REDUCE,
    KERNEL_JUDGE,
    N_KERNELS
};

// Arrays of the plan's real numbers, of padded points, an item of a block each.
enum {
    WORK_SEEN,      // y, -1 where nothing was seen
    WORK_X,         // the estimate
    WORK_BEFORE,    // the one before, where it is needed
    WORK_PREDICTED, // accelerated: where a step begins
    WORK_STEP,      // accelerated: the last step
    WORK_REAL,      // what is transformed, and what comes back
    WORK_SPECTRA,   // complex
    WORK_WEIGHTS,   // w, if it is given
    WORK_GAIN,      // 1 / a, then
    WORK_SUMS,      // by chunks of points
    WORK_SUMS_2,
    WORK_SCALARS, // of an item: enum in deconv.cl
    WORK_FAULTS,
    N_WORK
};

enum {
    MST_DECONVOLUTION_PARTS = 64,  // sums of an item before the last one
    MST_DECONVOLUTION_NUMBERS = 8, // N_SUMS and N_SCALARS of deconv.cl
    MST_DECONVOLUTION_FAULTS = 2
};

typedef struct mst_work {
    cl_mem buffer;
    uint64_t bytes;
} mst_work;

struct mst_deconvolution {
    mst_context *context;
    mst_turn *turn;
    mst_deconvolution_desc desc; // layouts complete, axes the last ones in these
    mst_layout result;           // as the caller sees it
    bool is_double, cpu;
    size_t n_items;
    size_t extent[N_SIDES], padded[N_SIDES]; // of an item
    size_t psf_shape[N_SIDES];
    int64_t psf_centre[N_SIDES];
    double psf_sum; // after it was divided, or not
    double *psf;    // until its spectrum is made
    size_t points, spectrum_points;
    mst_stream *stream;
    mst_fft *forward, *inverse; // of an item, real numbers and half spectra
    mst_kernel *kernels[N_KERNELS];
    int ports[N_ARRAYS];       // -1: not given
    cl_mem lines[N_ARRAYS][2]; // packed, own: tables of mst_lines_create along the last axis
    mst_work transfer, gain;   // H or the inverse filter; 1 / a where it is the same for all items
    mst_work work[N_WORK];
    size_t block_items; // that work is for
    // Of the execution.
    mst_execution how;
    uint64_t done; // iterations of items
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
static inline size_t mst_deconvolution_real_bytes(const mst_deconvolution *plan) { return plan->is_double ? 8 : 4; }

// ---- description.c: reads and checks a description, and chooses padded lengths: no OpenCL call.
mst_status mst_deconvolution_read(mst_deconvolution *plan, const mst_deconvolution_desc *desc, mst_error *error);

// ---- work.c: what a block works in.
uint64_t mst_deconvolution_work_bytes(const mst_deconvolution *plan, int which); // of an item
mst_status mst_deconvolution_prepare(void *user, size_t n_items, mst_error *error);

// ---- launch.c: kernels, and their launches.
mst_status mst_deconvolution_make_kernels(mst_deconvolution *plan, mst_error *error);
size_t mst_deconvolution_chunks(const mst_deconvolution *plan, size_t points); // work-items for so many points of an item
mst_status mst_deconvolution_launch(mst_deconvolution *plan, mst_queue *queue, int which, const mst_argument *arguments,
                                    size_t n_arguments, size_t items, mst_error *error);
size_t mst_deconvolution_row_items(const mst_deconvolution *plan, size_t rows); // work-items for so many rows
// Real numbers in `from` to spectra; or, from WORK_SPECTRA, spectra to WORK_REAL.
mst_status mst_deconvolution_transform(mst_deconvolution *plan, mst_queue *queue, cl_mem from, size_t n_items, mst_error *error);
mst_status mst_deconvolution_multiply(mst_deconvolution *plan, mst_queue *queue, bool conjugate, size_t n_items,
                                      mst_error *error);

// ---- arrays.c: between a block's arrays and padded ones. Fails where values are not allowed.
mst_status mst_deconvolution_load(mst_deconvolution *plan, const mst_block *block, mst_error *error);
mst_status mst_deconvolution_store(mst_deconvolution *plan, const mst_block *block, int from, mst_error *error);

// ---- spectrum.c: H, or the inverse filter, and a.
mst_status mst_deconvolution_make_transfer(mst_deconvolution *plan, mst_error *error);
// 1 / a of n items into `gain`; of the same mask for all, if no weights are given.
mst_status mst_deconvolution_make_gain(mst_deconvolution *plan, mst_queue *queue, size_t n_items, cl_mem gain, mst_error *error);

// ---- richardson_lucy.c: from the loaded block to WORK_X.
mst_status mst_deconvolution_iterate(mst_deconvolution *plan, const mst_block *block, mst_error *error);

#endif
