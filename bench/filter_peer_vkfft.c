// VkFFT's OpenCL backend: real to complex from the image, a kernel for the mask, complex to real into the result: 40 bytes a
// point.
#define VKFFT_BACKEND 3
#include "filter_peers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vkFFT.h>

static const char source[] =
    "__kernel void multiply(__global float2 *spectrum, __global const float *factors, uint n, uint half_n) {\n"
    "    const uint l = get_global_id(0), k = get_global_id(1);\n"
    "    if (l < half_n)\n"
    "        spectrum[(ulong)k * half_n + l] *= factors[k] * factors[l];\n}\n";

typedef struct state {
    const filter_peer_job *job;
    cl_context context; // VkFFT keeps pointers to what it is given
    cl_device_id device;
    cl_command_queue queue;
    cl_mem image, result, spectrum, factors;
    uint64_t image_bytes, spectrum_bytes;
    VkFFTApplication application;
    bool has_application;
    cl_program program;
    cl_kernel kernel;
} state;

static void destroy(void *user) {
    state *s = user;
    if (s->has_application)
        deleteVkFFT(&s->application);
    if (s->spectrum)
        clReleaseMemObject(s->spectrum);
    if (s->factors)
        clReleaseMemObject(s->factors);
    if (s->kernel)
        clReleaseKernel(s->kernel);
    if (s->program)
        clReleaseProgram(s->program);
    free(s);
}

static bool make_kernel(state *s) {
    const char *text = source;
    cl_int code;
    cl_uint n = (cl_uint)s->job->n, half = n / 2 + 1;
    s->program = clCreateProgramWithSource(s->context, 1, &text, NULL, &code);
    if (code != CL_SUCCESS || clBuildProgram(s->program, 1, &s->device, "", NULL, NULL) != CL_SUCCESS)
        return false;
    s->kernel = clCreateKernel(s->program, "multiply", &code);
    return code == CL_SUCCESS && clSetKernelArg(s->kernel, 0, sizeof s->spectrum, &s->spectrum) == CL_SUCCESS &&
           clSetKernelArg(s->kernel, 1, sizeof s->factors, &s->factors) == CL_SUCCESS &&
           clSetKernelArg(s->kernel, 2, sizeof n, &n) == CL_SUCCESS &&
           clSetKernelArg(s->kernel, 3, sizeof half, &half) == CL_SUCCESS;
}

static bool make_buffers(state *s) {
    size_t n = s->job->n;
    cl_int code;
    float *factors = malloc(n * sizeof *factors);
    for (size_t k = 0; factors && k < n; k++) {
        double f = (double)(k < n - k ? k : n - k) / (double)n / FILTER_PEER_RADIUS;
        factors[k] = (float)(exp(-f * f / 2) / (double)n);
    }
    s->spectrum = clCreateBuffer(s->context, CL_MEM_READ_WRITE, s->spectrum_bytes, NULL, &code);
    if (factors && code == CL_SUCCESS)
        s->factors = clCreateBuffer(s->context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, n * sizeof *factors, factors, &code);
    free(factors);
    return s->factors && code == CL_SUCCESS;
}

static void *create(const filter_peer_job *job, char why[PEER_TEXT]) {
    size_t n = job->n;
    state *s = calloc(1, sizeof *s);
    VkFFTConfiguration c = {0};
    snprintf(why, PEER_TEXT, "out of memory, or its kernel does not build");
    if (!s)
        return NULL;
    s->job = job;
    s->context = mst_context_opencl(job->context);
    s->device = mst_context_device(job->context)->device;
    s->queue = mst_context_queue(job->context);
    s->image = job->image;
    s->result = job->result;
    s->image_bytes = n * n * sizeof(float);
    s->spectrum_bytes = n * (n / 2 + 1) * 2 * sizeof(float);
    if (!make_buffers(s) || !make_kernel(s)) {
        destroy(s);
        return NULL;
    }
    c.FFTdim = 2;
    c.size[0] = c.size[1] = n;
    c.performR2C = 1;
    c.device = &s->device;
    c.context = &s->context;
    c.buffer = &s->spectrum;
    c.bufferSize = &s->spectrum_bytes;
    c.isInputFormatted = 1; // the real side, both ways
    c.inverseReturnToInputBuffer = 1;
    c.inputBuffer = &s->image;
    c.inputBufferSize = &s->image_bytes;
    c.inputBufferStride[0] = n;
    c.inputBufferStride[1] = n * n;
    VkFFTResult result = initializeVkFFT(&s->application, c);
    s->has_application = result == VKFFT_SUCCESS;
    if (s->has_application)
        return s;
    snprintf(why, PEER_TEXT, "VkFFT error %d", (int)result);
    destroy(s);
    return NULL;
}

static bool append(state *s, int direction, cl_mem *real) {
    VkFFTLaunchParams launch = {0};
    launch.commandQueue = &s->queue;
    launch.buffer = &s->spectrum;
    launch.inputBuffer = real;
    return VkFFTAppend(&s->application, direction, &launch) == VKFFT_SUCCESS;
}

static bool run(void *user, int times) {
    state *s = user;
    size_t group[] = {64, 1}, global[] = {(s->job->n / 2 + 64) / 64 * 64, s->job->n};
    for (int i = 0; i < times; i++)
        if (!append(s, -1, &s->image) ||
            clEnqueueNDRangeKernel(s->queue, s->kernel, 2, NULL, global, group, 0, NULL, NULL) != CL_SUCCESS ||
            !append(s, 1, &s->result))
            return false;
    return clFinish(s->queue) == CL_SUCCESS;
}

static bool read_result(void *user, float *to) {
    state *s = user;
    return clEnqueueReadBuffer(s->queue, s->result, CL_TRUE, 0, s->image_bytes, to, 0, NULL, NULL) == CL_SUCCESS;
}

const filter_peer peer_vkfft_filter = {"vkfft", create, run, read_result, destroy};
