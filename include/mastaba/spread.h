// Mastaba: arrays that are spread over the devices of a context, and their transforms.
//
// One array of one to three axes lies on all devices of a group, a part on each, so that it may be larger than any of them. In
// natural order device d has a range of the array as it stands in C order: rows of the first axis, or, of one axis, elements. In
// transposed order it has a range of the columns of a matrix: of two or three axes, indices of axis 1; of one axis of n = r c
// elements, r its largest divisor up to sqrt(n), columns of r rows of c elements each before a forward transform, of c rows of r
// elements behind one, row by row as the elements follow one another. Ranges are as equal as can be, those of the first devices
// one longer, and may be empty: a prime number of elements is one column behind a forward transform, which one device has.
//
// What devices give one another goes through pinned memory of the host. A transform of two or three axes between natural and
// transposed order takes one such exchange, and two if both ends have the same order; of one axis, one from transposed to
// transposed order, and one more for each end that is natural.
#ifndef MASTABA_SPREAD_H
#define MASTABA_SPREAD_H

#include <mastaba/fft.h>

#ifdef __cplusplus
extern "C" {
#endif

// An array on all devices of a context.
typedef struct mst_spread mst_spread;

// The two orders of an array on its devices, as said above.
typedef enum mst_spread_order { MST_SPREAD_NATURAL = 0, MST_SPREAD_TRANSPOSED = 1 } mst_spread_order;

// A spread array, dense in C order: element (i0, i1, i2) is number (i0 shape[1] + i1) shape[2] + i2 of it.
typedef struct mst_spread_desc {
    size_t struct_size;
    mst_type type; // complex64 or complex128
    int rank;      // 1..MST_MAX_AXES
    size_t shape[MST_MAX_AXES];
} mst_spread_desc;

#define MST_SPREAD_DESC_INIT                                                                                                     \
    {                                                                                                                            \
        sizeof(mst_spread_desc), (mst_type)0, 0, { 0 }                                                                           \
    }

// Takes memory for the array, twice its part on each device, which counts against the budgets. The array is in natural order, and
// what it holds is undefined. *out is the caller's, freed by mst_spread_destroy before the context; NULL on failure.
// MST_ERROR_ARGUMENT: type, rank or shape, an axis without elements among them; MST_ERROR_UNSUPPORTED: complex128 where a device
// has no float64; MST_ERROR_BUDGET; MST_ERROR_DEVICE_MEMORY; MST_ERROR_HOST_MEMORY. Thread-safe on one context. What follows uses
// an array by one thread at a time.
MST_API mst_status mst_spread_create(mst_context *context, const mst_spread_desc *desc, mst_spread **out, mst_error *error);
MST_API void mst_spread_destroy(mst_spread *array);

// Copies the whole array, dense, in C order, between host memory and the devices. It is in natural order after an upload; a
// download gives C order whatever the order on the devices, which it leaves. Pinned memory moves at the links' rate. Blocks.
// MST_ERROR_ARGUMENT: also a download of what a transform that failed has left; MST_ERROR_OPENCL; MST_ERROR_HOST_MEMORY.
MST_API mst_status mst_spread_upload(mst_spread *array, const void *from, mst_error *error);
MST_API mst_status mst_spread_download(mst_spread *array, void *to, mst_error *error);

// What one device has of an array, for kernels of the caller's.
typedef struct mst_spread_part {
    size_t struct_size;
    cl_mem buffer;              // belongs to the device's own OpenCL context (CL_MEM_CONTEXT), not to the lead's
    mst_spread_order order;     // of the array now
    mst_layout layout;          // of the part, dense from the buffer's first byte on; of one axis in transposed order a matrix
    size_t whole[MST_MAX_RANK]; // the shape of the array, or of the matrix, that it is a part of
    int axis;                   // of layout and whole, which is cut
    size_t start;               // the part's first index there
} mst_spread_part;

#define MST_SPREAD_PART_INIT                                                                                                     \
    { sizeof(mst_spread_part), NULL, MST_SPREAD_NATURAL, MST_LAYOUT_INIT, {0}, 0, 0 }

// Of device `device` (mst_context_device_at). What it says, the buffer among it, holds until the array is transformed. Before
// transforms the caller's commands have to have ended. MST_ERROR_ARGUMENT: no such device.
MST_API mst_status mst_spread_describe_part(const mst_spread *array, size_t device, mst_spread_part *part, mst_error *error);

// A transform of all axes of spread arrays of one shape.
typedef struct mst_spread_fft mst_spread_fft;

// Which arrays are transformed, in which direction, times what, and the order that they have before and behind.
typedef struct mst_spread_fft_desc {
    size_t struct_size;
    mst_type type; // and rank and shape: of the arrays
    int rank;
    size_t shape[MST_MAX_AXES];
    mst_fft_direction direction; // and scale: as in mst_fft_desc
    double scale;
    mst_spread_order input, output;
} mst_spread_fft_desc;

#define MST_SPREAD_FFT_DESC_INIT                                                                                                 \
    { sizeof(mst_spread_fft_desc), (mst_type)0, 0, {0}, MST_FFT_FORWARD, 1.0, MST_SPREAD_NATURAL, MST_SPREAD_NATURAL }

// Makes the plan, its kernels on each device, their work memory, and memory for exchanges, up to 56 MiB a device of pinned host
// memory, which counts against no budget. *out is the caller's, freed by mst_spread_fft_destroy before the context; NULL on
// failure. Errors are those of mst_fft_create and mst_spread_create. Blocks while kernels compile. Thread-safe on one context.
// Methods: transforms of whole axes with exchanges between them (Foster, Worley, Parallel algorithms for the spectral transform
// method, 1997); of one axis Bailey's four-step method (FFTs in external or hierarchical memory, 1990).
MST_API mst_status mst_spread_fft_create(mst_context *context, const mst_spread_fft_desc *desc, mst_spread_fft **out,
                                         mst_error *error);
MST_API void mst_spread_fft_destroy(mst_spread_fft *plan);

// What one execution moves through the host.
typedef struct mst_spread_fft_needs {
    size_t struct_size;
    uint64_t exchanges;
    uint64_t upload_bytes; // of all devices and exchanges, and as many down
} mst_spread_fft_needs;

#define MST_SPREAD_FFT_NEEDS_INIT                                                                                                \
    { sizeof(mst_spread_fft_needs), 0, 0 }

// Thread-safe.
MST_API mst_status mst_spread_fft_plan_needs(const mst_spread_fft *plan, mst_spread_fft_needs *needs, mst_error *error);

// Transforms an array of the plan's context and shape in place: it has the plan's order of input before and that of output after.
// What is transformed to transposed order by a plan of one direction is taken in transposed order by one of the other. Blocks, so
// `how` gives no event and does not queue; its progress counts passes and exchanges. On failure the array is lost, until it is
// uploaded again. MST_ERROR_ARGUMENT: another context, shape or order; MST_ERROR_CANCELLED; MST_ERROR_OPENCL;
// MST_ERROR_HOST_MEMORY; where kernels are made, MST_ERROR_BUILD. Threads that execute one plan take turns.
MST_API mst_status mst_spread_fft_execute(mst_spread_fft *plan, mst_spread *array, const mst_execution *how, mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
