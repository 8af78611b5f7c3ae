#include "opencl_peer.h"

#include <stdio.h>

opencl_peer opencl_peer_for(const bench_job *job) { return (opencl_peer){job, mst_context_queue(job->context)}; }

bool opencl_peer_load(void *state) {
    const opencl_peer *p = state;
    const bench_job *job = p->job;
    cl_int code;

    if (job->in_place)
        code = clEnqueueCopyBuffer(p->queue, job->x, job->output, 0, 0, job->bytes, 0, NULL, NULL);
    else
        code = clEnqueueFillBuffer(p->queue, job->output, &(cl_uint){0xffffffff}, sizeof(cl_uint), 0, job->bytes, 0, NULL, NULL);
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
    cl_device_id device = mst_context_device(job->context)->device;
    cl_int code;
    cl_kernel product = NULL;
    cl_program program = clCreateProgramWithSource(mst_context_opencl(job->context), 1, (const char **)&source, NULL, &code);

    if (code == CL_SUCCESS)
        code = clBuildProgram(program, 1, &device, job->is_double ? "-DDOUBLE" : "", NULL, NULL);
    if (code == CL_SUCCESS)
        product = clCreateKernel(program, "product", &code);
    if (code != CL_SUCCESS)
        snprintf(why, PEER_TEXT, "the product kernel does not build (OpenCL error %d)", code);
    if (program)
        clReleaseProgram(program);
    return product;
}

bool opencl_product_enqueue(const bench_job *job, cl_kernel product, cl_mem a, cl_mem b, double scale) {
    size_t count = job->n * job->n_vectors;
    cl_float scale_float = (cl_float)scale;

    return clSetKernelArg(product, 0, sizeof a, &a) == CL_SUCCESS && clSetKernelArg(product, 1, sizeof b, &b) == CL_SUCCESS &&
           (job->is_double ? clSetKernelArg(product, 2, sizeof scale, &scale)
                           : clSetKernelArg(product, 2, sizeof scale_float, &scale_float)) == CL_SUCCESS &&
           clEnqueueNDRangeKernel(mst_context_queue(job->context), product, 1, NULL, &count, NULL, 0, NULL, NULL) == CL_SUCCESS;
}
