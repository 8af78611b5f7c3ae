// Transforms of real numbers by VkFFT, in place in rows that have room for n / 2 + 1 complex numbers, and plain kernels between
// them: the ratio and the update each read and write what they must, one work-item an element.
#define VKFFT_BACKEND 3
#include "deconvolution_peer.h"
#include "say.h"

#include <vkFFT.h>

enum { START, PRODUCT, RATIO, UPDATE, N_STEPS };
static const char *const names[N_STEPS] = {"start", "product", "ratio", "update"};
static const char source[] =
    "kernel void start(global float *rows, global float *x, float value, ulong n, uint width, uint pitch) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i < n)\n"
    "        x[i] = rows[i / width * pitch + i % width] = value;\n"
    "}\n"
    "kernel void product(global float2 *rows, global const float2 *transfer, float scale, int conjugate, ulong n) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    float2 a = rows[i] * scale, h = transfer[i];\n"
    "    h.y = conjugate ? -h.y : h.y;\n"
    "    rows[i] = (float2)(a.x * h.x - a.y * h.y, a.x * h.y + a.y * h.x);\n"
    "}\n"
    "kernel void ratio(global float *rows, global const float *seen, ulong n, uint width, uint pitch) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    global float *model = rows + i / width * pitch + i % width;\n"
    "    *model = *model > 0 ? seen[i] / *model : 0;\n"
    "}\n"
    "kernel void update(global float *rows, global float *x, ulong n, uint width, uint pitch) {\n"
    "    size_t i = get_global_id(0);\n"
    "    if (i >= n)\n"
    "        return;\n"
    "    global float *factor = rows + i / width * pitch + i % width;\n"
    "    x[i] = *factor = fmax(x[i] * *factor, 0.0f);\n"
    "}\n";

struct deconvolution_peer {
    cl_context context; // VkFFT keeps pointers to what it is given
    cl_device_id device;
    cl_command_queue queue;
    cl_mem rows, transfer;
    uint64_t bytes;
    cl_ulong points, numbers; // numbers: complex ones of a spectrum
    cl_uint width, pitch;
    VkFFTApplication transform;
    bool has_transform;
    cl_kernel steps[N_STEPS];
};

void deconvolution_peer_destroy(deconvolution_peer *p) {
    if (!p)
        return;
    if (p->has_transform)
        deleteVkFFT(&p->transform);
    for (int k = 0; k < N_STEPS; k++)
        if (p->steps[k])
            clReleaseKernel(p->steps[k]);
    if (p->rows)
        clReleaseMemObject(p->rows);
    if (p->transfer)
        clReleaseMemObject(p->transfer);
    free(p);
}

static bool make_steps(deconvolution_peer *p) {
    cl_int code;
    const char *text = source;
    cl_program program = clCreateProgramWithSource(p->context, 1, &text, NULL, &code);
    if (code == CL_SUCCESS)
        code = clBuildProgram(program, 1, &p->device, "-cl-mad-enable", NULL, NULL);
    for (int k = 0; k < N_STEPS && code == CL_SUCCESS; k++)
        p->steps[k] = clCreateKernel(program, names[k], &code);
    if (program)
        clReleaseProgram(program);
    return bench_opencl(code, "building kernels");
}

static bool make_transform(deconvolution_peer *p, const size_t shape[3]) {
    VkFFTConfiguration c = {0};
    for (c.FFTdim = 0; c.FFTdim < 3 && shape[2 - c.FFTdim] > 1; c.FFTdim++)
        c.size[c.FFTdim] = shape[2 - c.FFTdim];
    c.device = &p->device;
    c.context = &p->context;
    c.performR2C = 1;
    c.buffer = &p->rows;
    c.bufferSize = &p->bytes;
    const VkFFTResult result = initializeVkFFT(&p->transform, c); // cleans up if it fails
    p->has_transform = result == VKFFT_SUCCESS;
    return bench_opencl((cl_int)result, "planning");
}

static bool transform(deconvolution_peer *p, cl_mem *buffer, int direction) {
    VkFFTLaunchParams launch = {0};
    launch.commandQueue = &p->queue;
    launch.buffer = buffer;
    return bench_opencl((cl_int)VkFFTAppend(&p->transform, direction, &launch), "transforming");
}

static bool enqueue(deconvolution_peer *p, int step, cl_ulong n) {
    const size_t group = 256, items = (size_t)(n + group - 1) / group * group;
    return bench_opencl(clEnqueueNDRangeKernel(p->queue, p->steps[step], 1, NULL, &items, &group, 0, NULL, NULL), names[step]);
}

static bool set(cl_kernel kernel, cl_uint k, size_t bytes, const void *value) {
    return bench_opencl(clSetKernelArg(kernel, k, bytes, value), "an argument");
}

// The number of points, and how rows lie.
static bool set_points(const deconvolution_peer *p, int step, cl_uint first) {
    cl_kernel kernel = p->steps[step];
    return set(kernel, first, sizeof p->points, &p->points) && set(kernel, first + 1, sizeof p->width, &p->width) &&
           set(kernel, first + 2, sizeof p->pitch, &p->pitch);
}

static bool upload_psf(deconvolution_peer *p, const size_t shape[3], const float *psf) {
    const size_t zero[3] = {0}, region[3] = {shape[2] * sizeof(float), shape[1], shape[0]};
    const size_t pitch = p->pitch * sizeof(float), row = shape[2] * sizeof(float);
    return bench_opencl(clEnqueueWriteBufferRect(p->queue, p->transfer, CL_TRUE, zero, zero, region, pitch, pitch * shape[1], row,
                                                 row * shape[1], psf, 0, NULL, NULL),
                        "uploading") &&
           transform(p, &p->transfer, -1) && bench_opencl(clFinish(p->queue), "the transfer");
}

static bool make_buffers(deconvolution_peer *p) {
    cl_int code;
    p->rows = clCreateBuffer(p->context, CL_MEM_READ_WRITE, (size_t)p->bytes, NULL, &code);
    if (code == CL_SUCCESS)
        p->transfer = clCreateBuffer(p->context, CL_MEM_READ_WRITE, (size_t)p->bytes, NULL, &code);
    return bench_opencl(code, "memory");
}

deconvolution_peer *deconvolution_peer_create(mst_context *context, const size_t shape[3], const float *psf) {
    deconvolution_peer *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->context = mst_context_opencl(context);
    p->device = mst_context_device(context)->device;
    p->queue = mst_context_queue(context);
    p->points = shape[0] * shape[1] * shape[2];
    p->numbers = shape[0] * shape[1] * (shape[2] / 2 + 1);
    p->width = (cl_uint)shape[2];
    p->pitch = 2 * (p->width / 2 + 1);
    p->bytes = p->numbers * sizeof(float[2]);
    if (make_buffers(p) && make_steps(p) && make_transform(p, shape) && upload_psf(p, shape, psf))
        return p;
    deconvolution_peer_destroy(p);
    return NULL;
}

static bool convolve(deconvolution_peer *p, cl_int conjugate) {
    return transform(p, &p->rows, -1) && set(p->steps[PRODUCT], 3, sizeof conjugate, &conjugate) &&
           enqueue(p, PRODUCT, p->numbers) && transform(p, &p->rows, 1);
}

bool deconvolution_peer_run(deconvolution_peer *p, cl_mem seen, cl_mem x, float start, int iterations) {
    const float scale = 1 / (float)p->points;
    bool done = set(p->steps[START], 0, sizeof p->rows, &p->rows) && set(p->steps[START], 1, sizeof x, &x) &&
                set(p->steps[START], 2, sizeof start, &start) && set_points(p, START, 3) &&
                set(p->steps[PRODUCT], 0, sizeof p->rows, &p->rows) &&
                set(p->steps[PRODUCT], 1, sizeof p->transfer, &p->transfer) && set(p->steps[PRODUCT], 2, sizeof scale, &scale) &&
                set(p->steps[PRODUCT], 4, sizeof p->numbers, &p->numbers) && set(p->steps[RATIO], 0, sizeof p->rows, &p->rows) &&
                set(p->steps[RATIO], 1, sizeof seen, &seen) && set_points(p, RATIO, 2) &&
                set(p->steps[UPDATE], 0, sizeof p->rows, &p->rows) && set(p->steps[UPDATE], 1, sizeof x, &x) &&
                set_points(p, UPDATE, 2) && enqueue(p, START, p->points);
    for (int k = 0; k < iterations && done; k++)
        done = convolve(p, 0) && enqueue(p, RATIO, p->points) && convolve(p, 1) && enqueue(p, UPDATE, p->points);
    return bench_opencl(clFinish(p->queue), "iterations") && done;
}
