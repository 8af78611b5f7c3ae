// Mastaba: deconvolution of images and volumes: what an instrument with a known point spread function looked at.
//
// The image y is modelled as y = h * x + b: the object x convolved with the point spread function h (its sum taken as 1), and a
// background b that is the same everywhere. Along each of two or three axes, with m samples of h and its centre at sample c,
//     (h * x)[k] = sum_i h[i] x[k - i + c]
// Methods:
//     Richardson-Lucy  x <- x / a . h' * (w y / (h * x + b)),  a = h' * w  (h' is h mirrored at its centre), from a flat x: the
//                      likeliest x that is not negative, for counts of photons (Richardson, J. Opt. Soc. Am. 62, 55, 1972; Lucy,
//                      Astron. J. 79, 745, 1974). w is 1 where the detector saw something and 0 elsewhere.
//         accelerated  the same from x + alpha (x - the x before), not below 0, with alpha from the last two steps (Biggs and
//                      Andrews, Appl. Opt. 36, 1766, 1997): 20 iterations come as far as some 80 without
//         total variation  each step divided by 1 - lambda div(grad x / |grad x|) (Dey et al., Microsc. Res. Tech. 69, 260, 2006)
//                      with forward differences; |grad x| is at least 1e-4 of the image's mean
//     Wiener           X = conj(H) Y / (|H|^2 + balance), balance being the power of the noise over that of the object
//     Tikhonov         X = conj(H) Y / (|H|^2 + balance L^order), L = sum over the axes of 2 - 2 cos(2 pi k / n): order 0 keeps
//                      the object's values small, 1 its differences, 2 its second differences
#ifndef MASTABA_DECONVOLUTION_H
#define MASTABA_DECONVOLUTION_H

#include <mastaba/fft.h>

#ifdef __cplusplus
extern "C" {
#endif

// A plan: how images of one layout are deconvolved.
typedef struct mst_deconvolution mst_deconvolution;

// The methods, as above.
typedef enum mst_deconvolution_method {
    MST_DECONVOLUTION_RICHARDSON_LUCY = 1,
    MST_DECONVOLUTION_WIENER = 2,
    MST_DECONVOLUTION_TIKHONOV = 3
} mst_deconvolution_method;

// What lies beyond the image's edges.
typedef enum mst_deconvolution_edges {
    // The object goes on, as far as its light reaches the image: it is estimated there, too, where the detector sees at least
    // 1 % of what it emits (Bertero and Boccacci, Astron. Astrophys. 437, 369, 2005). For Wiener and Tikhonov, which know no
    // detector, the image goes on mirrored at each edge, one fading into the other.
    MST_DECONVOLUTION_OBSERVED = 0,
    MST_DECONVOLUTION_CIRCULAR = 1, // the image is repeated: what leaves it on one side comes in on the other
    MST_DECONVOLUTION_ZERO = 2      // the object is 0 beyond the image; Richardson-Lucy with a = 1, as scikit-image has it
} mst_deconvolution_edges;

// What an iteration of Richardson-Lucy came to, for each item of a block.
typedef struct mst_deconvolution_state {
    size_t struct_size;
    size_t item;     // of the image's batch, or brick
    int iteration;   // from 1
    int iterations;  // in all, unless the tolerance is met before
    double residual; // ||y - h * x - b|| / ||y|| where the detector saw something, of the x that the iteration began with
    double change;   // ||x - the x before|| / ||x||
} mst_deconvolution_state;

// Return false to cancel: the execution ends with MST_ERROR_CANCELLED.
typedef bool (*mst_deconvolution_watch_fn)(const mst_deconvolution_state *state, void *user);

// What mst_deconvolution_create makes a plan of.
typedef struct mst_deconvolution_desc {
    size_t struct_size;
    mst_layout image;  // y: uint8, uint16, int16, float32 or float64; Richardson-Lucy: not negative. Any other axes are batch
    mst_layout result; // x: float32, or float64, in which everything is computed then; the image's shape, strides of its own;
                       // rank 0: dense, float64 if the image is, else float32
    int n_axes;        // 2 or 3 (1 is taken, too)
    int axes[MST_MAX_AXES]; // NumPy's axis numbers, ascending: -2 and -1 are the last two
    const double *psf;      // h, in C order, along axes[0], axes[1] ..; read by mst_deconvolution_create only
    size_t psf_shape[MST_MAX_AXES];
    int centred;                      // 1: psf_centre holds the centre; 0: it is sample psf_shape / 2, rounded down
    int64_t psf_centre[MST_MAX_AXES]; // may lie outside
    int keep_sum;                     // 1: h as it is; 0: divided by its sum, which must be above 0
    mst_deconvolution_method method;
    mst_deconvolution_edges edges;
    mst_fft_shape shape; // of the kernels of transforms
    // Richardson-Lucy:
    int iterations;         // at most
    double tolerance;       // an item is done when an iteration changes it by less: see change above; 0: never
    int accelerate;         // 1: as Biggs and Andrews
    double total_variation; // lambda, 0 .. 0.1; 0: none
    double background;      // b
    double start_value;     // of the flat x; 0: the image's mean
    mst_layout start;       // of an x to start from: the image's shape and any of its types; strides may be 0; rank 0: flat
    mst_layout weights;     // of w, 0 .. 1: the same; what the image holds where w is 0 is not read; rank 0: 1 everywhere
    mst_deconvolution_watch_fn watch; // called after each iteration, by the thread that executes; NULL: not
    void *watch_user;
    // Wiener and Tikhonov:
    int order;      // 0, 1 or 2
    double balance; // at least 0
    // Of an image that does not fit the device, in bricks:
    double seam; // the most that two bricks may differ by along their seam; 0: any; see mst_deconvolution_seam
    // 1: Richardson-Lucy in bricks goes through all of them in each iteration, so the result is that of the whole but for
    // rounding. Between, the object is in RAM, twice, and accelerated four times, or in a file (MASTABA_SCRATCH).
    // `watch` is told of the whole of an image. Other methods refuse it, whether or not the image fits.
    int64_t exact;
} mst_deconvolution_desc;

#define MST_DECONVOLUTION_DESC_INIT                                                                                              \
    {                                                                                                                            \
        sizeof(mst_deconvolution_desc), MST_LAYOUT_INIT, MST_LAYOUT_INIT, 2, {-2, -1, 0}, NULL, {0, 0, 0}, 0, {0, 0, 0}, 0,      \
            MST_DECONVOLUTION_RICHARDSON_LUCY, MST_DECONVOLUTION_OBSERVED, MST_FFT_SHAPE_AUTO, 25, 0.0, 0, 0.0, 0.0, 0.0,        \
            MST_LAYOUT_INIT, MST_LAYOUT_INIT, NULL, NULL, 1, 0.001, 0.0, 0                                                       \
    }

// Makes a plan: checks everything, builds the kernels, computes the spectrum of h. *out is the caller's, freed by
// mst_deconvolution_destroy before the context; NULL on failure. MST_ERROR_ARGUMENT: layouts, axes, a psf whose values are not
// finite, are negative (Richardson-Lucy) or have no sum; MST_ERROR_UNSUPPORTED: float64 on a device without it, or sides that no
// transform covers; MST_ERROR_BUDGET; MST_ERROR_DEVICE_MEMORY; MST_ERROR_BUILD; MST_ERROR_OPENCL; MST_ERROR_HOST_MEMORY. Blocks
// while kernels compile. Thread-safe on one context.
MST_API mst_status mst_deconvolution_create(mst_context *context, const mst_deconvolution_desc *desc, mst_deconvolution **out,
                                            mst_error *error);
MST_API void mst_deconvolution_destroy(mst_deconvolution *plan);

// How images in host memory or files pass through the device, in numbers: nothing is computed or allocated.
typedef struct mst_deconvolution_forecast {
    size_t struct_size;
    uint64_t bricks;                    // overlapping pieces, of all images; 0: images pass whole
    uint64_t brick_shape[MST_MAX_AXES]; // points that are a brick's own, along each of the axes,
    uint64_t halo[MST_MAX_AXES];        // and what it has around them, to either side
    uint64_t read_bytes; // of all inputs, with what bricks share: they read the image twice; exact, once an iteration and twice
                         // before
    uint64_t written_bytes;
    uint64_t device_bytes; // that one brick, or image, takes on the device
} mst_deconvolution_forecast;

#define MST_DECONVOLUTION_FORECAST_INIT                                                                                          \
    { sizeof(mst_deconvolution_forecast), 0, {0, 0, 0}, {0, 0, 0}, 0, 0, 0 }

// MST_ERROR_ARGUMENT; MST_ERROR_BUDGET: only arrays on the device have room. An execution that meets a smaller budget than there
// was, or seams that differ by too much, may take others.
MST_API mst_status mst_deconvolution_predict(const mst_deconvolution *plan, mst_deconvolution_forecast *out, mst_error *error);

// By how much bricks differed along their seams in the plan's last execution, the most of all seams, with circular edges also
// of those between the last bricks and the first ones: the root of the mean square
// of the differences along one, over that of the image. About as large as the result's difference to that of the whole at once
// there, and far larger than the difference elsewhere. 0: there are no bricks.
MST_API double mst_deconvolution_seam(const mst_deconvolution *plan);

// The dense layout of what is written. Thread-safe.
MST_API mst_layout mst_deconvolution_result(const mst_deconvolution *plan);

// Where arrays lie. `start` and `weights` are looked at only if the description has them.
typedef struct mst_deconvolution_arrays {
    size_t struct_size;
    mst_location image, result, start, weights;
} mst_deconvolution_arrays;

#define MST_DECONVOLUTION_ARRAYS_INIT                                                                                            \
    {                                                                                                                            \
        sizeof(mst_deconvolution_arrays), {(mst_place)0, NULL, NULL, -1, 0}, {(mst_place)0, NULL, NULL, -1, 0},                  \
            {(mst_place)0, NULL, NULL, -1, 0}, {                                                                                 \
            (mst_place)0, NULL, NULL, -1, 0                                                                                      \
        }                                                                                                                        \
    }

// Deconvolves all items, anywhere: any mix of host, device and file; the result must not overlap what is read. Host and file
// arrays pass through the device in blocks of whole items; between the iterations nothing leaves the device. An item's values are
// the same bit for bit whatever its neighbours. Where one item does not fit, arrays in host memory
// and files go in bricks: windows with halos, each of which runs all its iterations alone, from the mean of the whole; the result
// then differs from that of the whole at once, most along the seams: see `seam` and mst_deconvolution_seam. Progress counts
// iterations of items. On failure inputs are intact and the result's content is undefined. Blocks until all is done.
// MST_ERROR_ARGUMENT: the image has values that are not finite or, for Richardson-Lucy, negative, with the first one's place;
// else as mst_fft_execute. Threads take turns.
MST_API mst_status mst_deconvolution_execute(mst_deconvolution *plan, const mst_deconvolution_arrays *arrays,
                                             const mst_execution *how, mst_error *error);

// ---- Point spread functions by formula, with their centre at sample shape / 2 (rounded down) and a sum of 1: psf[..] in C
// order, the caller's. Thread-safe. MST_ERROR_ARGUMENT: numbers that are not positive and finite; MST_ERROR_HOST_MEMORY.

// exp(-sum over the axes of x^2 / (2 sigma^2)), sigma in samples.
MST_API mst_status mst_psf_gaussian(int n_axes, const double *sigma, const size_t *shape, double *psf, mst_error *error);

// Of a microscope without aberrations, by scalar diffraction: with k = 2 pi / wavelength, at distance r from the axis and z from
// the focus, |integral over 0 .. 1 of J0(k NA r t) exp(-i k z NA^2 t^2 / (2 index)) t dt|^2 (Born and Wolf, Principles of Optics,
// section 8.8). Lengths are in any one unit.
typedef struct mst_born_wolf {
    size_t struct_size;
    double aperture;   // NA, below `index`
    double wavelength; // in vacuum
    double index;      // of refraction, of what is between object and lens
    double pixel;      // between samples along the last two axes, in the object
    double step;       // between samples along the first of three axes
} mst_born_wolf;

#define MST_BORN_WOLF_INIT                                                                                                       \
    { sizeof(mst_born_wolf), 0.0, 0.0, 1.0, 0.0, 0.0 }

// n_axes: 2, in focus, or 3.
MST_API mst_status mst_psf_born_wolf(const mst_born_wolf *optics, int n_axes, const size_t *shape, double *psf, mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
