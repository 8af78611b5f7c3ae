// bare-opencl: what any program pays for OpenCL before it computes: platforms, devices, a context and a queue of the first
// device. bench/first_answer.py holds the start of commands against it.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>

int main(void) {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context = NULL;
    cl_command_queue queue = NULL;
    cl_int code = clGetPlatformIDs(1, &platform, NULL);
    if (code == CL_SUCCESS)
        code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    if (code == CL_SUCCESS)
        context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code == CL_SUCCESS)
        queue = clCreateCommandQueue(context, device, 0, &code);
    if (queue)
        clReleaseCommandQueue(queue);
    if (context)
        clReleaseContext(context);
    if (code != CL_SUCCESS)
        fprintf(stderr, "bare-opencl: OpenCL error %d\n", code);
    return code == CL_SUCCESS ? 0 : 1;
}
