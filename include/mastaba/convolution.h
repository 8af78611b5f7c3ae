// Mastaba: batched convolution and correlation along one, two or three axes, by FFT.
//
// With x of length n and y of length m along the axis, and all other axes batch:
//     convolution   full[k] = sum_i x[i] y[k - i],                  k = 0 .. n + m - 2
//     correlation   full[k] = sum_i x[i] conj(y[i - (k - (m - 1))]), k = 0 .. n + m - 2   (lag k - (m - 1))
// and what is kept is, as in SciPy,
//     full      all of it, n + m - 1
//     same      n values from k = floor((m - 1) / 2)
//     valid     |n - m| + 1 values from k = min(n, m) - 1: those that need no zero padding
//     circular  n values (n = m):  z[k] = sum_i x[i] y[(k - i) mod n], or z[k] = sum_i x[(i + k) mod n] conj(y[i])
// Along two axes each of them is treated so: full[k, l] = sum_ij x[i, j] y[k - i, l - j], and the mode is that of both;
// along three it is the same.
// A NaN or infinity stays in the vectors computed from it.
#ifndef MASTABA_CONVOLUTION_H
#define MASTABA_CONVOLUTION_H

#include <mastaba/fft.h>

#ifdef __cplusplus
extern "C" {
#endif

// A plan: how arrays of one layout are convolved.
typedef struct mst_convolution mst_convolution;

// Which part of a convolution is computed, as above.
typedef enum mst_convolution_mode {
    MST_CONVOLUTION_FULL = 0,
    MST_CONVOLUTION_SAME = 1,
    MST_CONVOLUTION_VALID = 2,
    MST_CONVOLUTION_CIRCULAR = 3
} mst_convolution_mode;

// The published algorithms (Burtsev: batched fast convolution of complex vectors on OpenCL), all radix 2 on vectors padded to
// a power of two N: reference is sequential C on the host; A, B and C take one work-item per pair of vectors, D and E one per
// element or butterfly; A and D carry every intermediate result to the host and back, C is one fused kernel.
typedef enum mst_convolution_algorithm {
    MST_CONVOLUTION_AUTO = 0, // the fastest by a measured rule: docs/convolution.md
    MST_CONVOLUTION_REFERENCE = 1,
    MST_CONVOLUTION_PAPER_A = 2,
    MST_CONVOLUTION_PAPER_B = 3,
    MST_CONVOLUTION_PAPER_C = 4,
    MST_CONVOLUTION_PAPER_D = 5,
    MST_CONVOLUTION_PAPER_E = 6,
    // By the FFT engine: padding, both transforms, the product, the inverse and cropping in one kernel while a padded vector fits
    // a work-group (on CPUs, the cache), so that every value crosses memory once; long signals with short kernels in
    // overlapping blocks; else columns first, then fused rows, and columns back. Any length, one axis to three.
    MST_CONVOLUTION_FUSED = 7,
    // Sums over the shorter operand, without transforms, in one pass: for short ones. Any sizes, one or two axes.
    MST_CONVOLUTION_DIRECT = 8,
    // Of images, by transforms of overlapping tiles of 64 x 64 points in one kernel, for kernels of up to 63 x 63 on GPUs.
    MST_CONVOLUTION_OVERLAP_SAVE = 9
} mst_convolution_algorithm;

// The most axes that a convolution goes along.
#define MST_CONVOLUTION_MAX_AXES 3

// What mst_convolution_create makes a plan of.
typedef struct mst_convolution_desc {
    size_t struct_size;
    mst_layout x;           // any type
    mst_layout y;           // any type; the same rank, and off the axes the same shape as x, or all ones in one of the two (then
                            // its one vector, or image, goes with each of the other's)
    mst_layout z;           // as mst_convolution_result says, strides of its own; rank 0: dense
    int n_axes;             // 1 to 3 (two: auto, fused, direct and overlap-save only; three: auto and fused)
    int axes[MST_MAX_AXES]; // NumPy's axis numbers, in any order: -1 is the last
    mst_convolution_mode mode;
    bool correlate;
    mst_convolution_algorithm algorithm;
    mst_fft_shape shape; // of fused and direct kernels
} mst_convolution_desc;

#define MST_CONVOLUTION_DESC_INIT                                                                                                \
    {                                                                                                                            \
        sizeof(mst_convolution_desc), MST_LAYOUT_INIT, MST_LAYOUT_INIT, MST_LAYOUT_INIT, 1, {-1, 0, 0}, MST_CONVOLUTION_FULL,    \
            false, MST_CONVOLUTION_AUTO, MST_FFT_SHAPE_AUTO                                                                      \
    }

// The dense layout of the result: real if both operands are, complex otherwise; float64 or complex128 unless both operands are
// float32 or complex64 (integers count as float64, as numpy.fft has it). An operand of length 0 makes the result empty
// along that axis. MST_ERROR_ARGUMENT: shapes that do not match; unequal lengths for circular; valid along several axes when x is
// longer along one and y along the other. Thread-safe.
MST_API mst_status mst_convolution_result(const mst_convolution_desc *desc, mst_layout *z, mst_error *error);

// Makes a plan: checks everything, builds the kernels. For the published algorithms the padded length N is the least power of two
// that keeps the wanted values free of wrap-around, at most 2^24; for fused it is the one that is estimated to take the least
// time. *out is the caller's, freed by mst_convolution_destroy before the context; NULL on failure. MST_ERROR_ARGUMENT;
// MST_ERROR_UNSUPPORTED: double precision on a device without float64, lengths that do not fit, fused kernels of the shape cpu on
// a GPU; MST_ERROR_BUDGET; MST_ERROR_DEVICE_MEMORY; MST_ERROR_BUILD; MST_ERROR_OPENCL; MST_ERROR_HOST_MEMORY. Blocks while
// kernels compile. For fused, kernels for arrays that are not packed in C order depend on whether data are on the device or not:
// the first execution for each way makes them. Thread-safe on one context.
MST_API mst_status mst_convolution_create(mst_context *context, const mst_convolution_desc *desc, mst_convolution **out,
                                          mst_error *error);
MST_API void mst_convolution_destroy(mst_convolution *plan);

// What the plan chose. Thread-safe.
MST_API mst_convolution_algorithm mst_convolution_algorithm_used(const mst_convolution *plan);
// Why auto chose it, as "9 products a number, sums take up to 121"; empty where an algorithm was asked for. The plan's.
MST_API const char *mst_convolution_explain(const mst_convolution *plan);
MST_API const char *mst_convolution_algorithm_name(mst_convolution_algorithm algorithm); // "paper-a"; static storage
// N, of a block; of both axes; 0 when there is nothing to do. Of direct, so many products are summed for a value.
MST_API size_t mst_convolution_padded_length(const mst_convolution *plan);

// How arrays on the host or in files would pass through the device, in numbers: nothing is computed or allocated.
typedef struct mst_convolution_forecast {
    size_t struct_size;
    uint64_t panels;       // overlapping pieces of the longer operand, of all vectors; 0: vectors pass whole
    uint64_t panel_length; // results of one
    uint64_t read_bytes;   // of x and y, with what neighbouring panels share
    uint64_t written_bytes;
    uint64_t device_bytes;              // that one panel, or vector, takes on the device, about: several at a time keep it busy
    uint64_t panel_shape[MST_MAX_AXES]; // results of one along each of the axes, in the arrays' order
    uint64_t spectra_bytes; // of RAM, beside the staging: neither vectors nor panels have room, but transforms of the whole,
                            // whose own panels are counted then (fft.h); 0: there are none
} mst_convolution_forecast;

#define MST_CONVOLUTION_FORECAST_INIT                                                                                            \
    { sizeof(mst_convolution_forecast), 0, 0, 0, 0, 0, {0, 0, 0}, 0 }

// MST_ERROR_ARGUMENT. An execution that meets a smaller budget than there was when the plan was made may take smaller panels.
MST_API mst_status mst_convolution_predict(const mst_convolution *plan, mst_convolution_forecast *out, mst_error *error);

// Convolves x with y into z, anywhere: any mix of host, device and file. z must not overlap x or y. Host and file arrays pass
// through the device in blocks of whole vectors, or unless circular, of overlapping panels of the larger operand (along several
// axes, tiles), which may then exceed the device's memory. Where both operands are too long for that, or circular, spectra of the
// whole lie in the host's memory, three times the padded operand, and pass through the device in panels (mst_fft_execute). Every
// value is the same bit for bit whatever the blocks, while the budget has room for one of those that the transforms of the whole
// take, or of a tile as large as suits it (docs/streaming.md). On failure the inputs are intact and z's content is undefined.
// Blocks unless how->event is set and all data are on the device (the reference, A and D always block). Errors as
// mst_fft_execute. Threads take turns.
MST_API mst_status mst_convolution_execute(mst_convolution *plan, mst_location x, mst_location y, mst_location z,
                                           const mst_execution *how, mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
