#include "support_launch.h"

#include <string.h>

test_breakage test_broken;
test_items test_counted;

cl_device_id test_whole_of(const mst_context *context) {
    cl_device_id whole = NULL;
    clGetDeviceInfo(mst_context_device(context)->device, CL_DEVICE_PARENT_DEVICE, sizeof whole, &whole, NULL);
    return whole;
}

static void count(cl_kernel kernel, cl_uint dimensions, const size_t *global) {
    char name[100] = "";
    size_t items = 1;
    if (!test_counted.kernels)
        return;
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    for (cl_uint k = 0; k < dimensions; k++)
        items *= global[k];
    if (strncmp(name, test_counted.kernels, strlen(test_counted.kernels)) == 0)
        atomic_fetch_add(&test_counted.count, items);
}

cl_int __real_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n, const cl_event *waits,
                                     cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n, const cl_event *waits,
                                     cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n, const cl_event *waits,
                                     cl_event *event) {
    cl_device_id device = NULL;
    clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL);
    if (test_broken.other && device == test_broken.other && atomic_fetch_sub(&test_broken.left, 1) == 0)
        return CL_OUT_OF_RESOURCES;
    count(kernel, dimensions, global);
    return __real_clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, n, waits, event);
}
