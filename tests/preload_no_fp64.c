// Preloaded into the program (LD_PRELOAD), makes every device say that it has no float64.
#include <CL/cl.h>
#include <dlfcn.h>
#include <string.h>

typedef cl_int get_info(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed);

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed) {
    get_info *real;
    *(void **)&real = dlsym(RTLD_NEXT, "clGetDeviceInfo"); // the only way that ISO C and POSIX agree upon
    if (!real)
        return CL_INVALID_OPERATION;
    cl_int code = real(device, what, size, value, needed);
    if (code == CL_SUCCESS && value &&
        (what == CL_DEVICE_DOUBLE_FP_CONFIG || what == CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE ||
         what == CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE))
        memset(value, 0, size);
    return code;
}
