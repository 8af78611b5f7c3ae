#include "race.h"

#include <math.h>

enum { N_CASES = 5, TAPS = 3 };

static const double psf[TAPS] = {0.2, 0.5, 0.3};

// The sum over taps k of h[k] x[i + (1 - k) way] along circular rows: a convolution, or with what is mirrored.
static void convolve(const double *x, double *to, size_t rows, size_t m, int way) {
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < m; i++) {
            double sum = 0;
            for (int k = 0; k < TAPS; k++)
                sum += psf[k] * x[r * m + (i + m + (size_t)((1 - k) * way)) % m];
            to[r * m + i] = sum;
        }
}

static void iterate(const float *seen, double *x, size_t rows, size_t m, int iterations) {
    static double model[MAX_VALUES], factor[MAX_VALUES];
    double mean = 0;
    for (size_t i = 0; i < rows * m; i++)
        mean += (double)seen[i] / (double)(rows * m);
    for (size_t i = 0; i < rows * m; i++)
        x[i] = mean;
    for (int k = 0; k < iterations; k++) {
        convolve(x, model, rows, m, 1);
        for (size_t i = 0; i < rows * m; i++)
            model[i] = (double)seen[i] / model[i];
        convolve(model, factor, rows, m, -1);
        for (size_t i = 0; i < rows * m; i++)
            x[i] *= factor[i];
    }
}

// Richardson-Lucy in both shapes: iterations joined by rows of one step and of several, along an axis between them, too; apart,
// with sums over all points, in both shapes. These are accelerated, and only what all light comes to is known of them.
static void run(mst_context *context, int c) {
    static const struct {
        size_t depth, height, width;
        mst_fft_shape shape;
        int accelerate;
    } cases[N_CASES] = {{1, 4, 16, MST_FFT_SHAPE_GPU, 0},
                        {2, 3, 96, MST_FFT_SHAPE_GPU, 0},
                        {1, 6, 18, MST_FFT_SHAPE_GPU, 1},
                        {1, 5, 12, MST_FFT_SHAPE_CPU, 0},
                        {1, 5, 12, MST_FFT_SHAPE_CPU, 1}};
    static float in[MAX_VALUES], out[MAX_VALUES];
    static double want[MAX_VALUES];
    mst_error error;
    mst_deconvolution *plan;
    mst_deconvolution_desc desc = MST_DECONVOLUTION_DESC_INIT;
    mst_deconvolution_arrays arrays = MST_DECONVOLUTION_ARRAYS_INIT;
    const size_t rows = cases[c].depth * cases[c].height, n = rows * cases[c].width;
    const size_t shape[] = {cases[c].depth, cases[c].height, cases[c].width};
    double light = 0, seen = 0;
    desc.image = desc.result = mst_layout_dense(MST_FLOAT32, 3, shape);
    desc.n_axes = 3;
    for (int a = 0; a < 3; a++) {
        desc.axes[a] = a - 3;
        desc.psf_shape[a] = a == 2 ? TAPS : 1;
    }
    desc.psf = psf;
    desc.edges = MST_DECONVOLUTION_CIRCULAR;
    desc.shape = cases[c].shape;
    desc.iterations = 3;
    desc.accelerate = cases[c].accelerate;
    for (size_t i = 0; i < n; i++)
        in[i] = (float)(2 + cos((double)(i * i)));
    arrays.image = mst_at_host(in);
    arrays.result = mst_at_host(out);
    check(mst_deconvolution_create(context, &desc, &plan, &error), &error);
    check(mst_deconvolution_execute(plan, &arrays, NULL, &error), &error);
    mst_deconvolution_destroy(plan);
    iterate(in, want, rows, cases[c].width, desc.iterations);
    for (size_t i = 0; i < n; i++) {
        light += (double)out[i];
        seen += (double)in[i];
        if (!cases[c].accelerate)
            expect("deconvolution", MST_FLOAT32, (number)out[i], want[i]);
    }
    expect("light", MST_FLOAT32, light / seen, 1);
}

const race_cases race_deconvolution = {N_CASES, run};
