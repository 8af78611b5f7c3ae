// Preloaded into the program (LD_PRELOAD), makes every device say that it is a GPU, so that kernels for GPUs run anywhere.
#include <CL/cl.h>
#include <dlfcn.h>

typedef cl_int get_info(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed);

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed) {
    get_info *real;
    *(void **)&real = dlsym(RTLD_NEXT, "clGetDeviceInfo"); // the only way that ISO C and POSIX agree upon
    if (!real)
        return CL_INVALID_OPERATION;
    cl_int code = real(device, what, size, value, needed);
    if (code == CL_SUCCESS && value && what == CL_DEVICE_TYPE)
        *(cl_device_type *)value = CL_DEVICE_TYPE_GPU;
    return code;
}
