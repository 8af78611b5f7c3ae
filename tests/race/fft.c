#include "race.h"

#include <math.h>

static const double tau = 6.283185307179586;

// Transforms along axis 1 of an array [BATCH][n], or along axis 0 of [n][BATCH].
static void one_way(mst_context *context, mst_type type, size_t n, int axis, mst_fft_direction direction,
                    mst_fft_shape kernel_shape) {
    static double complex in[MAX_VALUES], out[MAX_VALUES];
    mst_error error;
    mst_fft *plan;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    const size_t shape[] = {axis == 0 ? n : BATCH, axis == 0 ? BATCH : n};
    desc.input = mst_layout_dense(type, 2, shape);
    desc.axes[0] = axis;
    desc.direction = direction;
    desc.scale = 0.5;
    desc.shape = kernel_shape;
    fill(in, type, n * BATCH, 0.1);
    check(mst_fft_create(context, &desc, &plan, &error), &error);
    check(mst_fft_execute(plan, mst_at_host(in), mst_at_host(out), NULL, &error), &error);
    mst_fft_destroy(plan);

    const size_t along = axis == 0 ? BATCH : 1, across = axis == 0 ? 1 : n;
    const double sign = direction == MST_FFT_FORWARD ? -1.0 : 1.0;
    for (size_t b = 0; b < BATCH; b++)
        for (size_t k = 0; k < n; k++) {
            number sum = 0.0;
            for (size_t j = 0; j < n; j++)
                sum += get(in, type, b * across + j * along) * cexp(I * sign * tau * (double)(j * k % n) / (double)n);
            expect("fft", type, get(out, type, b * across + k * along), 0.5 * sum);
        }
}

// There and back: rows to columns, where lines are handed over at the first exchange, in two or four parts; and rows to rows, in
// parts in a single pass, and in two passes with twiddles between.
static const struct {
    size_t n;
    mst_type type;
    bool columns;
} returns[] = {{60, MST_COMPLEX128, true},  {60, MST_COMPLEX64, true},    {1000, MST_COMPLEX64, true},
               {1024, MST_COMPLEX64, true}, {8192, MST_COMPLEX64, false}, {8000, MST_COMPLEX64, false}};

static void there_and_back(mst_context *context, int c) {
    enum { LONGEST = 8192 };
    static double complex in[BATCH * LONGEST], out[BATCH * LONGEST];
    const mst_type type = returns[c].type;
    const size_t n = returns[c].n, batch = returns[c].columns ? BATCH : 1, shape[] = {batch, n};
    mst_error error;
    mst_fft *there = NULL, *back = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    cl_int code;
    cl_mem between = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE, sizeof in, NULL, &code);
    fill(in, type, n * batch, 0.1);
    desc.input = desc.output = mst_layout_dense(type, 2, shape);
    if (returns[c].columns)
        desc.output.strides[0] = 1, desc.output.strides[1] = BATCH;
    desc.shape = MST_FFT_SHAPE_GPU;
    check(code == CL_SUCCESS ? mst_fft_create(context, &desc, &there, &error) : MST_ERROR_OPENCL, &error);
    desc.input = desc.output, desc.output = mst_layout_dense(type, 2, shape);
    desc.direction = MST_FFT_INVERSE, desc.scale = 1.0 / (double)n;
    check(mst_fft_create(context, &desc, &back, &error), &error);
    check(mst_fft_execute(there, mst_at_host(in), mst_at_device(between, 0), NULL, &error), &error);
    check(mst_fft_execute(back, mst_at_device(between, 0), mst_at_host(out), NULL, &error), &error);
    for (size_t i = 0; i < n * batch; i++)
        expect("fft there and back", type, get(out, type, i), get(in, type, i));
    mst_fft_destroy(there);
    mst_fft_destroy(back);
    clReleaseMemObject(between);
}

// One step and several, convolution by Rader (37) and Bluestein (74), lines that share a work-group and not: in every type and
// direction, along rows and columns, in both shapes.
static const size_t lengths[] = {2, 4, 9, 16, 22, 26, 32, 35, 37, 58, 60, 64, 74};

// The radices that are not among those: 17, 19, 23, 31; and on GPUs 12, 14, 15, 16, 18, 20, 21, 22, 24, 25.
static const size_t other_lengths[] = {38, 46, 51, 62, 75, 128, 98, 147, 216, 220, 242, 600};

enum {
    N_LENGTHS = sizeof lengths / sizeof lengths[0],
    N_RETURNS = sizeof returns / sizeof returns[0],
    N_OTHER = sizeof other_lengths / sizeof other_lengths[0],
    N_OTHER_CPU = 4,
    N_ONE_WAY = N_LENGTHS * 2 * 3 * 2
};

static void run(mst_context *context, int c) {
    if (c < N_RETURNS) {
        there_and_back(context, c);
        return;
    }
    c -= N_RETURNS;
    if (c >= N_ONE_WAY) {
        c -= N_ONE_WAY;
        one_way(context, c % 4 < 2 ? MST_COMPLEX64 : MST_COMPLEX128, other_lengths[c % N_OTHER], (c + 1) % 2,
                c % 3 ? MST_FFT_FORWARD : MST_FFT_INVERSE, c < N_OTHER ? MST_FFT_SHAPE_GPU : MST_FFT_SHAPE_CPU);
        return;
    }
    const int kind = c / N_LENGTHS % 3;
    one_way(context, kind == 2 ? MST_COMPLEX128 : MST_COMPLEX64, lengths[c % N_LENGTHS], c / N_LENGTHS / 3 % 2,
            kind == 1 ? MST_FFT_INVERSE : MST_FFT_FORWARD, c < N_ONE_WAY / 2 ? MST_FFT_SHAPE_GPU : MST_FFT_SHAPE_CPU);
}

const race_cases race_fft = {N_RETURNS + N_ONE_WAY + N_OTHER + N_OTHER_CPU, run};
