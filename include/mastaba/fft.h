// Mastaba: batched fast Fourier transforms.
//
// Along each of the given axes, of length n:
//     forward   Z[k] = sum_j X[j] exp(-2 pi i j k / n)
//     inverse   Z[k] = sum_j X[j] exp(+2 pi i j k / n)
// and every result is multiplied by `scale` once, so an inverse that undoes a forward needs scale = 1 / (the product of the
// n). All axes that are not transformed are batch.
//
// Real input (forward): results k = 0 .. n/2 along the last of `axes`, which determine the others. Real output (inverse): the
// way back, from k = 0 .. n/2 along the last of `axes`, n being the real side's length; that axis is transformed last, and the
// imaginary parts of k = 0 and, for even n, k = n/2, which are 0 in the spectrum of real numbers, do not count.
#ifndef MASTABA_FFT_H
#define MASTABA_FFT_H

#include <mastaba/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// A plan: how arrays of one layout are transformed.
typedef struct mst_fft mst_fft;

// Cosine transforms (of even data) and sine transforms (of odd data) of types I to IV along each of the axes, from real numbers
// to as many real numbers of the same type, as scipy.fft.dct and dst define them, j and k counted from 0:
//     DCT1  x[0] + (-1)^k x[n-1] + 2 sum_(0<j<n-1) x[j] cos(pi j k / (n-1)), n >= 2
//     DCT2  2 sum_j x[j] cos(pi k (2j+1) / 2n)
//     DCT3  x[0] + 2 sum_(j>0) x[j] cos(pi (2k+1) j / 2n)
//     DCT4  2 sum_j x[j] cos(pi (2k+1) (2j+1) / 4n)
//     DST1  2 sum_j x[j] sin(pi (k+1) (j+1) / (n+1))
//     DST2  2 sum_j x[j] sin(pi (k+1) (2j+1) / 2n)
//     DST3  (-1)^k x[n-1] + 2 sum_(j<n-1) x[j] sin(pi (2k+1) (j+1) / 2n)
//     DST4  2 sum_j x[j] sin(pi (2k+1) (2j+1) / 4n)
// times `scale`. The inverse is the same kind, or type III for II and II for III; it undoes a forward transform with a scale of 1
// / (the product over the axes of 2n; 2 (n - 1) for DCT1, 2 (n + 1) for DST1).
typedef enum mst_fft_kind {
    MST_FFT_FOURIER = 0,
    MST_FFT_DCT1 = 1,
    MST_FFT_DCT2 = 2,
    MST_FFT_DCT3 = 3,
    MST_FFT_DCT4 = 4,
    MST_FFT_DST1 = 5,
    MST_FFT_DST2 = 6,
    MST_FFT_DST3 = 7,
    MST_FFT_DST4 = 8
} mst_fft_kind;

// The sign in the exponent: - forward, + inverse.
typedef enum mst_fft_direction { MST_FFT_FORWARD = 1, MST_FFT_INVERSE = 2 } mst_fft_direction;

// How kernels use the device. GPU: the work-items of a group hold a transform in registers and exchange it through local memory.
// CPU: a work-item keeps a tile of transforms in its cache and works on them with vectors, for which a GPU lacks the
// private memory.
typedef enum mst_fft_shape {
    MST_FFT_SHAPE_AUTO = 0, // by the device's type, or as tuned (tune.h)
    MST_FFT_SHAPE_GPU = 1,
    MST_FFT_SHAPE_CPU = 2
} mst_fft_shape;

// What mst_fft_create makes a plan of.
typedef struct mst_fft_desc {
    size_t struct_size;
    mst_layout input;       // float32, float64, complex64 or complex128; real: forward only
    mst_layout output;      // same precision and shape, but n/2 + 1 on the complex side where the other is real and has n;
                            // strides of its own; real: inverse only; rank 0: dense and complex
    int n_axes;             // 1..MST_MAX_AXES
    int axes[MST_MAX_AXES]; // NumPy's axis numbers: -1 is the last; no axis twice
    mst_fft_direction direction;
    mst_fft_shape shape;
    double scale;
    mst_fft_kind kind; // other than MST_FFT_FOURIER: float32 or float64, input and output of one type and shape
    int orthogonal;    // 1: cosine and sine transforms whose matrix, times sqrt(the scale of the inverse), is orthogonal: the
                       // first and last terms and results, those with no factor 2, weigh sqrt 2 or its inverse (as SciPy's
                       // `orthogonalize`); 0: as above
} mst_fft_desc;

#define MST_FFT_DESC_INIT                                                                                                        \
    {                                                                                                                            \
        sizeof(mst_fft_desc), MST_LAYOUT_INIT, MST_LAYOUT_INIT, 1, {-1, 0, 0}, MST_FFT_FORWARD, MST_FFT_SHAPE_AUTO, 1.0,         \
            MST_FFT_FOURIER, 0                                                                                                   \
    }

// Makes a plan: checks everything, writes and builds the kernels. Transformed axes may have any length from 1 to 2^30, and, of
// arrays on the host or in files, to 2^48, of cosine and sine transforms 2^47; an array without elements is allowed and does
// nothing. *out is the caller's, freed by mst_fft_destroy before the context; NULL on failure. MST_ERROR_ARGUMENT: layouts, axes,
// types; MST_ERROR_UNSUPPORTED: double precision on a device without float64, a length that does not fit the device, the shape
// CPU on a GPU; MST_ERROR_BUDGET; MST_ERROR_DEVICE_MEMORY; MST_ERROR_BUILD; MST_ERROR_OPENCL; MST_ERROR_HOST_MEMORY. Blocks while
// kernels compile. Kernels for arrays that are not packed in C order depend on whether data are on the device or not: the first
// execution for each way makes them, and takes as long as the compiler does. Thread-safe on one context. Methods: Stockham's
// self-sorting FFT on GPUs, decimation in frequency on CPUs (Van Loan, Computational Frameworks for the Fast Fourier Transform,
// 1992), radices up to 32 and primes up to 31; Bailey's four-step method for lengths beyond one pass; cyclic convolutions (Rader,
// Bluestein) for prime factors above 31. Their error may be twice that of the others. Where one item exceeds what the budgets
// leave, passes over panels (Bailey, FFTs in external or hierarchical memory, 1990), or over lines in memory beside the budgets:
// docs/fft.md says what they take.
MST_API mst_status mst_fft_create(mst_context *context, const mst_fft_desc *desc, mst_fft **out, mst_error *error);
MST_API void mst_fft_destroy(mst_fft *plan);

// The passes over memory that a plan takes, and the OpenCL C of the kernel of one (of a plan for host data; NULL if there is no
// such pass). Valid as long as the plan. Thread-safe.
MST_API int mst_fft_n_passes(const mst_fft *plan);
MST_API const char *mst_fft_pass_kernel(const mst_fft *plan, int pass);

// What an execution takes between arrays in host memory or files.
typedef struct mst_fft_needs {
    size_t struct_size;
    uint64_t passes;         // how often every element goes to the device and back: 1, but for panels
    uint64_t panels;         // of all passes; 0: items go as a whole
    uint64_t device_bytes;   // tables, work memory and staging: all of it for panels, else with one item, the least that works
    uint64_t host_bytes;     // of staging, the same
    uint64_t upload_bytes;   // moved from host or file to the device
    uint64_t download_bytes; // and back
    uint64_t in_place;       // 1: input and output may be the same location if their layouts are equal
    // Besides the budgets, in RAM, or with MASTABA_SCRATCH, the name of a directory, in a file there:
    uint64_t scratch_bytes;  // what every execution takes
    uint64_t in_place_bytes; // what one in place takes instead; 0: no more than others
} mst_fft_needs;

#define MST_FFT_NEEDS_INIT                                                                                                       \
    { sizeof(mst_fft_needs), 0, 0, 0, 0, 0, 0, 0, 0, 0 }

// MST_ERROR_BUDGET: an execution would be refused so; MST_ERROR_ARGUMENT: NULL, or a struct_size that is none. Thread-safe.
MST_API mst_status mst_fft_plan_needs(const mst_fft *plan, mst_fft_needs *needs, mst_error *error);

// Transforms input into output, anywhere: any mix of host, device and file. The two may be the same location when the two
// layouts are equal (in place; complex to complex only); otherwise they must not overlap. Host and file arrays pass through the
// device in blocks cut along the axes before the first transformed one, so they may be larger than the device; where one item is
// larger than the budgets, in panels, by several passes over the whole array, the output being the store between them: it is
// read, too, and a file must be open for both. In place, an axis that is too long for a panel takes memory besides. On failure
// the input is intact (unless in place) and the output's content is undefined. Blocks unless how->event is set and all data are
// on the device. MST_ERROR_ARGUMENT: a location that does not hold the layout; MST_ERROR_BUDGET: a block does not fit;
// MST_ERROR_CANCELLED; MST_ERROR_IO; MST_ERROR_DEVICE_MEMORY; MST_ERROR_OPENCL; where kernels are made, MST_ERROR_BUILD,
// MST_ERROR_UNSUPPORTED and MST_ERROR_HOST_MEMORY. Threads take turns.
MST_API mst_status mst_fft_execute(mst_fft *plan, mst_location input, mst_location output, const mst_execution *how,
                                   mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
