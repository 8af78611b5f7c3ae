// A program with a data race in its kernel: tests/race/run must find it, or it would find nothing elsewhere either.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

static const char *const source = "kernel void racy(global int *sum) { sum[0] += (int)get_global_id(0) + 1; }";

static int run(cl_context context, cl_device_id device) {
    cl_int code;
    int sum = 0;
    size_t n_items = 8;
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &code);
    cl_program program = clCreateProgramWithSource(context, 1, (const char **)&source, NULL, &code);
    if (!queue || !program || clBuildProgram(program, 1, &device, "", NULL, NULL) != CL_SUCCESS)
        return 1;
    cl_kernel kernel = clCreateKernel(program, "racy", &code);
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof sum, &sum, &code);
    if (!kernel || !buffer || clSetKernelArg(kernel, 0, sizeof buffer, &buffer) != CL_SUCCESS ||
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &n_items, NULL, 0, NULL, NULL) != CL_SUCCESS ||
        clFinish(queue) != CL_SUCCESS)
        return 1;
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    return 0;
}

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
        clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
        return 1;
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
    if (!context)
        return 1;
    int failed = run(context, device);
    clReleaseContext(context);
    return failed;
}
