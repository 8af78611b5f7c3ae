// The kernels of a deconvolution plan, and what a block of it works in.
#ifndef MST_DECONV_WORK_H
#define MST_DECONV_WORK_H

#include "runtime/context.h"

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
    KERNEL_MISS,    // exact bricks: sums of what that misses
    KERNEL_VARY,    // total variation
    KERNEL_SCALE,   // x in place
    KERNEL_UPDATE,  // x from another one, with what sums are of
    KERNEL_SEEN,    // sums of y and w
    KERNEL_REDUCE,
    KERNEL_JUDGE,
    KERNEL_FACE, // of a brick
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
    WORK_SCALARS, // of an item: S_...
    WORK_FAULTS,
    WORK_FACES, // of a brick, toward its neighbours
    N_WORK
};

// Numbers of an item in WORK_SCALARS, as deconv.cl has them.
enum { S_MEAN, S_ALPHA, S_CHANGE, S_RESIDUAL, S_DONE, S_COUNT, S_LEAST, S_UNIT };

enum {
    MST_DECONVOLUTION_PARTS = 64,  // sums of an item before the last one
    MST_DECONVOLUTION_NUMBERS = 8, // N_SUMS and N_SCALARS of deconv.cl
    MST_DECONVOLUTION_FAULTS = 3
};

typedef struct mst_work {
    cl_mem buffer;
    uint64_t bytes;
} mst_work;

#endif
