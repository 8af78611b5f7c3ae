// Mastaba: convolution of streams without an end, sound say, with a kernel of seconds, with bounded latency and constant memory.
//
// Samples go in and come out as they are there: result k = sum_i kernel[i] x[k - i] comes out `latency` samples after x[k] went
// in at the latest. The kernel is cut into parts whose spectra are kept, as are those of the input's last blocks (overlap-save):
// parts as long as the latency for its beginning, longer ones for the rest, so that the work a sample grows with the square root
// of the kernel's length. W. G. Gardner, Efficient convolution without input-output delay, J. Audio Eng. Soc. 43, 127 (1995).
#ifndef MASTABA_CONVOLVER_H
#define MASTABA_CONVOLVER_H

#include <mastaba/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// A stream that is being convolved.
typedef struct mst_convolver mst_convolver;

// What mst_convolver_create makes a convolver of.
typedef struct mst_convolver_desc {
    size_t struct_size;
    size_t channels;             // of the stream, 1 to 1024
    size_t kernel_channels;      // `channels`, one kernel for each, or 1: one for all
    size_t taps;                 // length of the kernel, at least 1, at most 2^30
    const float *kernel;         // taps frames of kernel_channels samples each; copied
    size_t latency;              // samples, a power of two from 16 to 2^20; 0: 256
    mst_type type;               // of samples and kernel, in which all is computed: MST_FLOAT32 or MST_FLOAT64
    const double *kernel_double; // the kernel of MST_FLOAT64, `kernel` being NULL
} mst_convolver_desc;

#define MST_CONVOLVER_DESC_INIT                                                                                                  \
    { sizeof(mst_convolver_desc), 1, 1, 0, NULL, 0, MST_FLOAT32, NULL }

// Makes kernels and the kernel's spectra. *out is the caller's, freed by mst_convolver_destroy before the context; NULL on
// failure. MST_ERROR_ARGUMENT; MST_ERROR_BUDGET: spectra of kernel and input, 16 bytes a tap and channel (32 in double) and
// blocks on their way, do not fit; MST_ERROR_UNSUPPORTED: float64 on a device that has none; MST_ERROR_DEVICE_MEMORY;
// MST_ERROR_BUILD; MST_ERROR_OPENCL; MST_ERROR_HOST_MEMORY. Blocks. Thread-safe on one context.
MST_API mst_status mst_convolver_create(mst_context *context, const mst_convolver_desc *desc, mst_convolver **out,
                                        mst_error *error);
MST_API void mst_convolver_destroy(mst_convolver *convolver);

// Takes some of n frames of the stream: *taken, which is less than n where `latency` results wait to be pulled. Computes, and
// blocks, when `latency` frames have come together. Each type of samples has a function. MST_ERROR_ARGUMENT: the stream is of the
// other type; after a flush, or when a push or pull has failed with another error than this one; MST_ERROR_OPENCL. One thread at
// a time.
MST_API mst_status mst_convolver_push(mst_convolver *convolver, const float *frames, size_t n, size_t *taken, mst_error *error);
MST_API mst_status mst_convolver_push_double(mst_convolver *convolver, const double *frames, size_t n, size_t *taken,
                                             mst_error *error);

// Gives up to n frames of the result, in order: *given, 0 where more has to be pushed, or after a flush at the result's end.
// There may be fewer than n and more after them. Errors as push.
MST_API mst_status mst_convolver_pull(mst_convolver *convolver, float *frames, size_t n, size_t *given, mst_error *error);
MST_API mst_status mst_convolver_pull_double(mst_convolver *convolver, double *frames, size_t n, size_t *given, mst_error *error);

// Says that the input has ended: what is left of the full result, taps - 1 frames longer than the input, can be pulled.
MST_API mst_status mst_convolver_flush(mst_convolver *convolver, mst_error *error);

// Forgets all input, and a failure, for another stream with the same kernel.
MST_API mst_status mst_convolver_restart(mst_convolver *convolver, mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
