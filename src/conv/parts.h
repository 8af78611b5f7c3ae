// One level of a partitioned convolution: parts of a kernel of one length, the spectra of as many blocks of the input, and the
// transforms between.
#ifndef MST_CONV_PARTS_H
#define MST_CONV_PARTS_H

#include "runtime/kernel.h"

#include <mastaba/fft.h>

typedef struct mst_parts {
    mst_context *context;
    mst_type type;             // of samples: MST_FLOAT32 or MST_FLOAT64
    size_t channels, block, n; // frames of a block; parts, 0: there is none
    size_t bins;               // complex numbers a channel has in a spectrum, with those that fill up its last vector
    mst_fft *forward, *backward;
    mst_kernel *accumulate;
    cl_mem samples, history, spectra, product;
    uint64_t samples_bytes, history_bytes, product_bytes;
    size_t newest; // block in the history
    void *window;  // channel by channel, two blocks: the one before and the present one
    void *results; // the same, the results in its second half
} mst_parts;

static inline double mst_parts_get(mst_type type, const void *samples, size_t at) {
    return type == MST_FLOAT64 ? ((const double *)samples)[at] : (double)((const float *)samples)[at];
}
static inline void mst_parts_put(mst_type type, void *samples, size_t at, double value) {
    if (type == MST_FLOAT64)
        ((double *)samples)[at] = value;
    else
        ((float *)samples)[at] = (float)value;
}

// For parts tap `first` to `first` + n block - 1 of a kernel of `taps` frames with one or `channels` channels, of the same type.
// `queue` is of the context's compute queue. mst_parts_release also takes half-made ones, and zeros.
mst_status mst_parts_create(mst_parts *parts, mst_queue *queue, const void *kernel, size_t kernel_channels, size_t taps,
                            size_t first, mst_error *error);
void mst_parts_release(mst_parts *parts);

// Convolves the window's present block, which becomes the one before; the results are there when it returns.
mst_status mst_parts_run(mst_parts *parts, mst_queue *queue, mst_error *error);
mst_status mst_parts_clear(mst_parts *parts, mst_queue *queue, mst_error *error); // no input was before

#endif
