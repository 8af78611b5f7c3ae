// Mastaba: filtering of images in the frequency domain.
//
// An image of height h and width w is continued beyond its edges to P x Q pixels (mst_filter_edges), its two-dimensional Fourier
// transform F is multiplied by a real mask, and transformed back:
//     F[k][l] = sum_yx image[y][x] exp(-2 pi i (k y / P + l x / Q))
//     result[y][x] = 1 / (P Q) sum_kl mask(l / Q, k / P) F[k][l] exp(+2 pi i (k y / P + l x / Q)),   y < h, x < w
// Frequencies are in cycles per pixel, from -1/2 to 1/2 and periodic, so a circle in frequency is a circle whatever the shape of
// the image. Each channel of each image is filtered alone. Arithmetic is in single precision, or in double on request
// (mst_filter_desc.type). A volume (mst_filter_desc.volume) of depth d is transformed along all three axes, to R x P x Q points,
// and its masks are functions of frequencies (l / Q, k / P, m / R).
//
// With L(d, r), the roll-off at distance d from the centre of a circle of radius r, and D the distance from frequency 0:
//     ideal         L = 1 where d^2 < r^2 (1 - 1e-12), else 0 (so rounding does not move what lies on the circle)
//     Gaussian      L = exp(-d^2 / (2 r^2))
//     Butterworth   L = 1 / (1 + (d / r)^(2 order))
// the masks are
//     low pass   L(D, radius)                          high pass   1 - L(D, radius)
//     band pass  L(D, radius2) (1 - L(D, radius))      band stop   1 - band pass
//     notches    the product over all of (1 - L(d, r)) (1 - L(d', r)), d and d' the distances from (x, y) and from (-x, -y)
//     sharpen    1 + amount (1 - L(D, radius)): the image and `amount` times what a low pass takes off it (unsharp masking)
//     Laplacian  e/2 (D / radius)^2 exp(-D^2 / (2 radius^2)): minus the Laplacian of the Gaussian low pass, scaled to 1 at its
//                greatest, D = sqrt(2) radius (Marr and Hildreth, Proc. R. Soc. B 207, 1980)
//     stripes    1 - L(a, angle_width) (1 - L(D, radius)), a the degrees between the directions of a frequency and across
//     `angle`;
//                1 at frequency 0
// (Gonzalez and Woods, Digital Image Processing, chapter 4). A Wiener filter's mask comes from the image itself:
//     Wiener     max(S - N, 0) / S, 1 at frequency 0, where S is the mean of |F|^2, 0 at frequency 0, over a square (a volume: a
//                cube) of 9 frequencies a side about each, and N what white noise of standard deviation `noise` has there:
//                h w noise^2. With mirrored edges F is the cosine transform (DCT-II, orthogonal: N = noise^2), of which the
//                square is mirrored at frequencies 0 and h - 1/2, w - 1/2. If noise is 0 it is estimated for each channel of each
//                image, as the median of |a - b - c + d| / 2 over 4096 squares of four pixels a, b, c, d all over it, divided by
//                0.67449
// (Wiener, Extrapolation, Interpolation, and Smoothing of Stationary Time Series, 1949; the spectrum smoothed as in Welch, IEEE
// Trans. AU 15, 1967; the noise from the finest diagonal Haar coefficients: Donoho and Johnstone, Biometrika 81, 1994).
#ifndef MASTABA_FILTER_H
#define MASTABA_FILTER_H

#include <mastaba/fft.h>

#ifdef __cplusplus
extern "C" {
#endif

// A plan: how images of one layout are filtered.
typedef struct mst_filter mst_filter;

// Which frequencies a filter keeps, as above.
typedef enum mst_filter_kind {
    MST_FILTER_HIGH_PASS = 1,
    MST_FILTER_LOW_PASS = 2,
    MST_FILTER_BAND_PASS = 3,
    MST_FILTER_BAND_STOP = 4,
    MST_FILTER_NOTCH = 5,
    MST_FILTER_MASK = 6, // the caller's own
    MST_FILTER_SHARPEN = 7,
    MST_FILTER_LAPLACIAN = 8,
    MST_FILTER_STRIPES = 9, // of one direction, removed
    MST_FILTER_WIENER = 10  // white noise, removed
} mst_filter_kind;

// How a mask falls from 1 to 0 at its radius.
typedef enum mst_filter_rolloff { MST_FILTER_IDEAL = 0, MST_FILTER_GAUSSIAN = 1, MST_FILTER_BUTTERWORTH = 2 } mst_filter_rolloff;

// How the image goes on beyond its edges.
typedef enum mst_filter_edges {
    MST_FILTER_REFLECT = 0, // as if mirrored at each edge, again and again: P = 2 h, Q = 2 w; by cosine transforms of the image
                            // itself where the mask is even along both axes (Makhoul, IEEE Trans. ASSP 28, 1980)
    MST_FILTER_WRAP = 1,    // as if repeated: P = h, Q = w
    MST_FILTER_ZERO = 2     // with zeros, P = 2 h, Q = 2 w
} mst_filter_edges;         // P and Q may be other where the mask's response is short: what is left out is 2e-7 of it

// What is written of the result r. With low and high the least and the greatest of 0 and all r of an image (its colours
// together), and white the largest value an element is to have:
typedef enum mst_filter_output {
    MST_FILTER_AUTO_OUTPUT =
        0,               // magnitude for high and band passes, the Laplacian and an own mask that is 0 at frequency 0, else clip
    MST_FILTER_CLIP = 1, // r limited to 0 .. white (float32 without white: r)
    MST_FILTER_STRETCH = 2,   // (r - low) white / (high - low)
    MST_FILTER_MAGNITUDE = 3, // |r| white / the greatest |r|
    MST_FILTER_RAW = 4        // r; the output is float32
} mst_filter_output;          // integers are rounded to nearest; a division by 0 gives 0

// How the filtered image is computed.
typedef enum mst_filter_algorithm {
    MST_FILTER_AUTO = 0,
    MST_FILTER_PAPER = 1 // the separate kernels of The OpenCL Programming Book, section 6.1: P = Q, a power of two
} mst_filter_algorithm;

enum { MST_FILTER_MAX_NOTCHES = 64, MST_FILTER_MAX_STAGES = 10 };

// A frequency that is taken out, with what is around it.
typedef struct mst_filter_notch {
    double x, y, radius; // cycles per pixel; x along the width
    double z;            // of a volume, along the depth; its opposite is (-x, -y, -z)
} mst_filter_notch;

// A part of the work on the device, in the last execution: how often it was launched, and for how long it ran in all.
typedef struct mst_filter_stage {
    const char *name; // static storage
    uint64_t launches;
    double seconds;
} mst_filter_stage;

// What mst_filter_create makes a plan of.
typedef struct mst_filter_desc {
    size_t struct_size;
    mst_layout input;  // uint8, uint16, float32 or float64; shape [batch...][height][width][channels], rank 3 or more
    mst_layout output; // the same shape; `type` for raw, else of input's type; strides of its own; rank 0: dense
    bool alpha;        // the last channel is copied, not filtered
    mst_filter_kind kind;
    mst_filter_rolloff rolloff;
    int order;                       // of Butterworth's, 1 .. 100
    double radius, radius2;          // cycles per pixel, positive; radius2 > radius is for bands
    const mst_filter_notch *notches; // read by mst_filter_create only
    size_t n_notches;                // 1 .. MST_FILTER_MAX_NOTCHES
    size_t notch_size;               // sizeof(mst_filter_notch)
    const float *mask;               // MST_FILTER_MASK: mask[i][j] is for the frequency (j - mask_width / 2) / mask_width
                                     // along the width and likewise along the height (halves rounded down), in between
    // it is interpolated linearly; finite; read by mst_filter_create only. As the result is real, what
    // counts is the mean of the values at a frequency and at its opposite
    size_t mask_height, mask_width;
    mst_filter_edges edges;
    mst_filter_output output_as;
    double white; // 0: 255, 65535, or for float32 1
    mst_filter_algorithm algorithm;
    mst_fft_shape shape; // of the kernels
    size_t work_group;   // paper: work-items of a work-group; 0: chosen
    bool time_stages;    // for mst_filter_stages; the context has to profile
    size_t stage_size;   // sizeof(mst_filter_stage)
    double amount;       // MST_FILTER_SHARPEN: above 0, up to 1e6
    double angle; // MST_FILTER_STRIPES: degrees anticlockwise from horizontal, as the image is seen with its first row on top
    double angle_width; // degrees, above 0, up to 90
    mst_type type;      // of arithmetic and raw results: MST_FLOAT32 or MST_FLOAT64; 0: float64 for images of it, else float32
    bool volume;        // input is [batch...][depth][height][width][channels]: transformed along three axes; not for stripes
    size_t mask_depth;  // of a volume's mask, mask[mask_depth][mask_height][mask_width]; 0: 1, the same at all depths
    double noise;       // MST_FILTER_WIENER: the standard deviation, in values of pixels; 0: estimated
    double tiles;       // of an image that does not fit the device: the most by which results may differ from those of the whole,
                        // as a part of the largest |pixel|; then it goes in tiles (mst_filter_forecast), and images on the device
                        // are refused; 0: no tiles
} mst_filter_desc;

#define MST_FILTER_DESC_INIT                                                                                                     \
    {                                                                                                                            \
        sizeof(mst_filter_desc), MST_LAYOUT_INIT, MST_LAYOUT_INIT, false, MST_FILTER_LOW_PASS, MST_FILTER_GAUSSIAN, 2, 0.0, 0.0, \
            NULL, 0, sizeof(mst_filter_notch), NULL, 0, 0, MST_FILTER_REFLECT, MST_FILTER_AUTO_OUTPUT, 0.0, MST_FILTER_AUTO,     \
            MST_FFT_SHAPE_AUTO, 0, false, sizeof(mst_filter_stage), 1.0, 0.0, 5.0, (mst_type)0, false, 0, 0.0, 0.0               \
    }

// Makes a plan: checks everything, computes the mask, builds the kernels. *out is the caller's, freed by mst_filter_destroy
// before the context; NULL on failure. MST_ERROR_ARGUMENT: layouts, radii, masks, or for the paper's algorithm a shape that is
// not square and a power of two; MST_ERROR_UNSUPPORTED: sides that no transform covers, or float64 on a device without it;
// MST_ERROR_BUDGET, also where the largest tiles that have room are not known to come as near as desc.tiles says;
// MST_ERROR_DEVICE_MEMORY; MST_ERROR_BUILD; MST_ERROR_OPENCL; MST_ERROR_HOST_MEMORY. Blocks while kernels compile, and for tiles
// while the mask is computed at all frequencies of the whole, for which it takes, beside the budgets, memory of the host until it
// returns: 16 bytes a pixel of a tile, 8 without double precision, and up to 9 MB. Thread-safe on one context.
MST_API mst_status mst_filter_create(mst_context *context, const mst_filter_desc *desc, mst_filter **out, mst_error *error);
MST_API void mst_filter_destroy(mst_filter *plan);

// The output that MST_FILTER_AUTO_OUTPUT became, and the dense layout of what is written. Thread-safe.
MST_API mst_filter_output mst_filter_output_used(const mst_filter *plan);
MST_API mst_layout mst_filter_result(const mst_filter *plan);

// The tiles that images in host memory and files go in, as desc.tiles asked for, where one does not fit the device.
typedef struct mst_filter_forecast {
    size_t struct_size;
    uint64_t tiles;         // of one image; 0: none
    uint64_t tile_shape[3]; // pixels that are a tile's own, along depth, height and width,
    uint64_t halo[3];       // and what it has around them, to either side
    double bound; // the most by which a result r may differ from that of the whole, but for rounding, as a part of the largest
                  // |pixel|, whatever the mask and the pixels: twice the sum of |response| of a tile beyond the halo, and the
                  // root of the sum, over all frequencies of the whole, of the squares by which the mask differs from what the
                  // tile's response has there (Cauchy and Schwarz, and Parseval)
} mst_filter_forecast;

#define MST_FILTER_FORECAST_INIT                                                                                                 \
    { sizeof(mst_filter_forecast), 0, {0, 0, 0}, {0, 0, 0}, 0.0 }

// MST_ERROR_ARGUMENT. Thread-safe.
MST_API mst_status mst_filter_predict(const mst_filter *plan, mst_filter_forecast *out, mst_error *error);

// Filters all images of `input` into `output`, anywhere: any mix of host, device and file; the two must not overlap. Host and
// file arrays pass through the device in blocks of whole images, or where one does not fit the budgets, in panels of its spectrum
// (docs/filter.md), for which memory of the host is taken that host_memory does not count, two numbers a transformed point (a
// Wiener filter of volumes: up to three) and one a pixel and channel: MST_ERROR_HOST_MEMORY. Every image has the same values bit
// for bit whatever its neighbours. On failure the input is intact and the output's content is undefined. Blocks unless how->event
// is set and all data are on the device. Errors as mst_fft_execute. Threads take turns.
MST_API mst_status mst_filter_execute(mst_filter *plan, mst_location input, mst_location output, const mst_execution *how,
                                      mst_error *error);

// Fills stages[0 .. *count - 1], desc.stage_size bytes apart, in the order of the work; *count, at most `most`, is 0 unless
// desc.time_stages was set, on a context that profiles. Waits for an execution that is still under way. MST_ERROR_ARGUMENT: NULL;
// MST_ERROR_OPENCL. Threads take turns.
MST_API mst_status mst_filter_stages(mst_filter *plan, mst_filter_stage *stages, size_t most, size_t *count, mst_error *error);

// What the results of a description are, for those who compute them in another way: over the ranks of a job, say (docs/mpi.md).
typedef struct mst_filter_frame {
    size_t struct_size;
    size_t points[3];  // that are transformed, along depth, height and width; the depth is 1 but for volumes
    size_t periods[3]; // number k of a spectrum along an axis is of the frequency k / period
    bool cosine;       // the pixels themselves are transformed by DCT2 (mst_fft_kind); else what they are continued to (edges)
    bool is_levelled;  // a constant changes no result, as the mask is 0 at frequency 0: it can be taken off for less rounding
    mst_filter_output output_as; // what auto became
    mst_type type;               // of arithmetic
    mst_type output;             // of results
    double white;                // 0: results are not limited
} mst_filter_frame;

#define MST_FILTER_FRAME_INIT                                                                                                    \
    { sizeof(mst_filter_frame), {0, 0, 0}, {0, 0, 0}, false, false, MST_FILTER_CLIP, MST_FLOAT32, (mst_type)0, 0.0 }

// Needs no device. MST_ERROR_ARGUMENT; MST_ERROR_HOST_MEMORY. Thread-safe.
MST_API mst_status mst_filter_describe(const mst_filter_desc *desc, mst_filter_frame *out, mst_error *error);

// The mask at numbers first[k] .. first[k] + count[k] - 1 of the spectrum along depth, height and width, as
// values[count[0]][count[1]][count[2]] of the frame's type. MST_ERROR_UNSUPPORTED: a Wiener filter, whose mask is not known
// before the image. Needs no device. Errors as mst_filter_describe. Thread-safe.
MST_API mst_status mst_filter_mask_values(const mst_filter_desc *desc, const size_t first[3], const size_t count[3], void *values,
                                          mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
