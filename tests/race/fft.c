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

// From rows to columns and back: lines are handed over at the first exchange, in two or four parts.
static void there_and_back(mst_context *context, int c) {
    enum { LONGEST = 1000 };
    static const size_t lengths[] = {60, 60, LONGEST};
    static double complex in[BATCH * LONGEST], out[BATCH * LONGEST];
    const mst_type type = c == 0 ? MST_COMPLEX128 : MST_COMPLEX64;
    const size_t n = lengths[c], shape[] = {BATCH, n};
    mst_error error;
    mst_fft *there = NULL, *back = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    cl_int code;
    cl_mem columns = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE, sizeof in, NULL, &code);
    fill(in, type, n * BATCH, 0.1);
    desc.input = desc.output = mst_layout_dense(type, 2, shape);
    desc.output.strides[0] = 1, desc.output.strides[1] = BATCH;
    desc.shape = MST_FFT_SHAPE_GPU;
    check(code == CL_SUCCESS ? mst_fft_create(context, &desc, &there, &error) : MST_ERROR_OPENCL, &error);
    desc.input = desc.output, desc.output = mst_layout_dense(type, 2, shape);
    desc.direction = MST_FFT_INVERSE, desc.scale = 1.0 / (double)n;
    check(mst_fft_create(context, &desc, &back, &error), &error);
    check(mst_fft_execute(there, mst_at_host(in), mst_at_device(columns, 0), NULL, &error), &error);
    check(mst_fft_execute(back, mst_at_device(columns, 0), mst_at_host(out), NULL, &error), &error);
    for (size_t i = 0; i < n * BATCH; i++)
        expect("fft there and back", type, get(out, type, i), get(in, type, i));
    mst_fft_destroy(there);
    mst_fft_destroy(back);
    clReleaseMemObject(columns);
}

// One step and several, every small radix, convolution by Rader (37) and Bluestein (74), lines that share a work-group and not.
static const size_t lengths[] = {2, 4, 9, 16, 22, 26, 32, 35, 37, 58, 60, 64, 74};

enum { N_LENGTHS = sizeof lengths / sizeof lengths[0], N_TURNED = 3, N_ONE_WAY = N_LENGTHS * 2 * 3 * 2 };

static void run(mst_context *context, int c) {
    if (c < N_TURNED) {
        there_and_back(context, c);
        return;
    }
    c -= N_TURNED;
    const int kind = c / N_LENGTHS % 3;
    one_way(context, kind == 2 ? MST_COMPLEX128 : MST_COMPLEX64, lengths[c % N_LENGTHS], c / N_LENGTHS / 3 % 2,
            kind == 1 ? MST_FFT_INVERSE : MST_FFT_FORWARD, c < N_ONE_WAY / 2 ? MST_FFT_SHAPE_GPU : MST_FFT_SHAPE_CPU);
}

const race_cases race_fft = {N_TURNED + N_ONE_WAY, run};
