#include "opencl_peer.h"

#include <stdio.h>
#include <time.h>

opencl_peer opencl_peer_for(const bench_job *job) { return (opencl_peer){job, mst_context_queue(job->context)}; }

bool opencl_peer_load(void *state) {
    const opencl_peer *p = state;
    const bench_job *job = p->job;
    cl_int code;

    if (job->what.in_place)
        code = clEnqueueCopyBuffer(p->queue, job->x, job->output, 0, 0, job->bytes, 0, NULL, NULL);
    else
        code = clEnqueueFillBuffer(p->queue, job->output, &(cl_uint){0xffffffff}, sizeof(cl_uint), 0, job->output_bytes, 0, NULL,
                                   NULL);
    return code == CL_SUCCESS && clFinish(p->queue) == CL_SUCCESS;
}

bool opencl_peer_read(void *state, size_t offset, size_t n_bytes, void *to) {
    const opencl_peer *p = state;
    return clEnqueueReadBuffer(p->queue, p->job->output, CL_TRUE, offset, n_bytes, to, 0, NULL, NULL) == CL_SUCCESS;
}

cl_mem opencl_peer_buffer(const bench_job *job) {
    cl_int code;
    cl_mem buffer = clCreateBuffer(mst_context_opencl(job->context), CL_MEM_READ_WRITE, job->bytes, NULL, &code);
    return code == CL_SUCCESS ? buffer : NULL;
}

static cl_kernel build_kernel(mst_context *context, const char *source, const char *options, const char *name) {
    cl_device_id device = mst_context_device(context)->device;
    cl_int code;
    cl_kernel kernel = NULL;
    cl_program program = clCreateProgramWithSource(mst_context_opencl(context), 1, &source, NULL, &code);

    if (code == CL_SUCCESS)
        code = clBuildProgram(program, 1, &device, options, NULL, NULL);
    if (code == CL_SUCCESS)
        kernel = clCreateKernel(program, name, &code);
    if (program)
        clReleaseProgram(program);
    return code == CL_SUCCESS ? kernel : NULL;
}

double opencl_launch_seconds(mst_context *context) {
    enum { MANY = 2000 };
    cl_kernel kernel = build_kernel(context, "kernel void nothing(void) {}", "", "nothing");
    cl_command_queue queue = mst_context_queue(context);
    struct timespec start, end;
    size_t one = 1;
    bool done = kernel != NULL;

    for (int i = -100; done && i < MANY; i++) { // the first ones warm up
        if (i == 0) {
            done = clFinish(queue) == CL_SUCCESS;
            clock_gettime(CLOCK_MONOTONIC, &start);
        }
        done = done && clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, &one, 0, NULL, NULL) == CL_SUCCESS;
    }
    done = clFinish(queue) == CL_SUCCESS && done;
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (kernel)
        clReleaseKernel(kernel);
    return done ? ((double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec)) / MANY : 0;
}

cl_kernel opencl_product_create(const bench_job *job, char why[PEER_TEXT]) {
    static const char *const source = "#ifdef DOUBLE\n"
                                      "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n"
                                      "typedef double real;\n"
                                      "typedef double2 complex;\n"
                                      "#else\n"
                                      "typedef float real;\n"
                                      "typedef float2 complex;\n"
                                      "#endif\n"
                                      "kernel void product(global complex *a, global const complex *b, real scale) {\n"
                                      "    size_t i = get_global_id(0);\n"
                                      "    complex u = a[i] * scale, v = b[i];\n"
                                      "    a[i] = (complex)(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);\n"
                                      "}\n";
    cl_kernel product = build_kernel(job->context, source, job->what.is_double ? "-DDOUBLE" : "", "product");

    if (!product)
        snprintf(why, PEER_TEXT, "the product kernel does not build");
    return product;
}

bool opencl_product_enqueue(const bench_job *job, cl_kernel product, cl_mem a, cl_mem b, double scale) {
    size_t count = job->what.n * job->what.n_vectors;
    cl_float scale_float = (cl_float)scale;

    return clSetKernelArg(product, 0, sizeof a, &a) == CL_SUCCESS && clSetKernelArg(product, 1, sizeof b, &b) == CL_SUCCESS &&
           (job->what.is_double ? clSetKernelArg(product, 2, sizeof scale, &scale)
                                : clSetKernelArg(product, 2, sizeof scale_float, &scale_float)) == CL_SUCCESS &&
           clEnqueueNDRangeKernel(mst_context_queue(job->context), product, 1, NULL, &count, NULL, 0, NULL, NULL) == CL_SUCCESS;
}
