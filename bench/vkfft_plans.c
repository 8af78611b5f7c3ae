// vkfft-plans: what VkFFT takes until a length that it has not seen is transformed.
//
//     vkfft-plans N...    on the first OpenCL device, 8 vectors of each N complex numbers: prints a line `PROCESSOR WALL` for
//                         each, seconds of making the plan and of the first transform, in which PoCL compiles what it runs
#define VKFFT_BACKEND 3
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <vkFFT.h>

enum { N_VECTORS = 8 };

typedef struct opencl {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
} opencl;

static double now(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool open_device(opencl *o) {
    cl_int code = clGetPlatformIDs(1, &o->platform, NULL);
    if (code == CL_SUCCESS)
        code = clGetDeviceIDs(o->platform, CL_DEVICE_TYPE_ALL, 1, &o->device, NULL);
    if (code == CL_SUCCESS)
        o->context = clCreateContext(NULL, 1, &o->device, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        o->queue = clCreateCommandQueue(o->context, o->device, 0, &code);
    return code == CL_SUCCESS;
}

static bool transform(opencl *o, cl_mem *buffer, uint64_t n) {
    VkFFTConfiguration c = {.FFTdim = 1, .device = &o->device, .context = &o->context, .numberBatches = N_VECTORS};
    VkFFTApplication application = {0};
    VkFFTLaunchParams launch = {.commandQueue = &o->queue, .buffer = buffer};
    uint64_t bytes = N_VECTORS * n * sizeof(float[2]);
    c.size[0] = n;
    c.buffer = buffer;
    c.bufferSize = &bytes;
    c.makeForwardPlanOnly = 1;
    if (initializeVkFFT(&application, c) != VKFFT_SUCCESS)
        return false;
    bool done = VkFFTAppend(&application, -1, &launch) == VKFFT_SUCCESS && clFinish(o->queue) == CL_SUCCESS;
    deleteVkFFT(&application);
    return done;
}

static bool measure(opencl *o, const char *text) {
    const uint64_t n = strtoull(text, NULL, 10);
    cl_int code;
    cl_mem buffer = clCreateBuffer(o->context, CL_MEM_READ_WRITE, N_VECTORS * n * sizeof(float[2]), NULL, &code);
    if (code != CL_SUCCESS)
        return false;
    const double processor = now(CLOCK_PROCESS_CPUTIME_ID), wall = now(CLOCK_MONOTONIC);
    const bool done = transform(o, &buffer, n);
    if (done)
        printf("%.6f %.6f\n", now(CLOCK_PROCESS_CPUTIME_ID) - processor, now(CLOCK_MONOTONIC) - wall);
    fflush(stdout);
    clReleaseMemObject(buffer);
    return done;
}

int main(int argc, char **argv) {
    opencl o = {0};
    bool done = open_device(&o);
    for (int i = 1; i < argc && done; i++)
        if (!(done = measure(&o, argv[i])))
            fprintf(stderr, "vkfft-plans: %s points cannot be transformed\n", argv[i]);
    if (o.queue)
        clReleaseCommandQueue(o.queue);
    if (o.context)
        clReleaseContext(o.context);
    return done ? 0 : 1;
}
