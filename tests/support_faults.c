#include "support_faults.h"

#include <errno.h>
#include <fcntl.h>
#include <mastaba/array.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>

test_faults faults;

static bool fails(const char *name) {
    if (!faults.on)
        return false;
    faults.calls++;
    if (atomic_fetch_sub(&faults.left, 1) != 0)
        return false;
    faults.failed = name;
    return true;
}

static void born(atomic_int *what, const void *made) { *what += faults.on && made; }
static void died(atomic_int *what, const void *gone) { *what -= faults.on && gone; }

#define WRAP(type, name, parameters)                                                                                             \
    type __real_##name parameters;                                                                                               \
    type __wrap_##name parameters;                                                                                               \
    type __wrap_##name parameters

// ---- memory, threads and files ----

#define ALLOCATOR(name, parameters, arguments)                                                                                   \
    WRAP(void *, name, parameters) {                                                                                             \
        void *made = fails(#name) ? NULL : __real_##name arguments;                                                              \
        born(&faults.blocks, made);                                                                                              \
        return made;                                                                                                             \
    }
ALLOCATOR(malloc, (size_t n), (n))
ALLOCATOR(calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *old, size_t n)) {
    void *made = fails("realloc") ? NULL : __real_realloc(old, n);
    if (!old)
        born(&faults.blocks, made);
    return made;
}
WRAP(char *, strdup, (const char *text)) {
    char *made = fails("strdup") ? NULL : __real_strdup(text);
    born(&faults.blocks, made);
    return made;
}
WRAP(void, free, (void *block)) {
    died(&faults.blocks, block);
    __real_free(block);
}
WRAP(int, vasprintf, (char **out, const char *format, va_list arguments)) {
    if (fails("vasprintf"))
        return -1;
    int n = __real_vasprintf(out, format, arguments);
    born(&faults.blocks, n >= 0 ? *out : NULL);
    return n;
}
int __wrap_asprintf(char **out, const char *format, ...);
int __wrap_asprintf(char **out, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = __wrap_vasprintf(out, format, arguments);
    va_end(arguments);
    return n;
}
// What _FORTIFY_SOURCE, which some compilers define by themselves, makes of the two.
int __wrap___vasprintf_chk(char **out, int flag, const char *format, va_list arguments);
int __wrap___vasprintf_chk(char **out, int flag, const char *format, va_list arguments) {
    (void)flag;
    return __wrap_vasprintf(out, format, arguments);
}
int __wrap___asprintf_chk(char **out, int flag, const char *format, ...);
int __wrap___asprintf_chk(char **out, int flag, const char *format, ...) {
    va_list arguments;
    (void)flag;
    va_start(arguments, format);
    int n = __wrap_vasprintf(out, format, arguments);
    va_end(arguments);
    return n;
}
WRAP(int, pthread_create, (pthread_t * thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)) {
    return fails("pthread_create") ? EAGAIN : __real_pthread_create(thread, attributes, body, argument);
}

#define FILE_CALL(type, name, parameters, arguments)                                                                             \
    WRAP(type, name, parameters) {                                                                                               \
        if (!fails(#name))                                                                                                       \
            return __real_##name arguments;                                                                                      \
        errno = EIO;                                                                                                             \
        return -1;                                                                                                               \
    }
FILE_CALL(ssize_t, pread64, (int file, void *data, size_t n, off_t at), (file, data, n, at))
FILE_CALL(ssize_t, pwrite64, (int file, const void *data, size_t n, off_t at), (file, data, n, at))
FILE_CALL(ssize_t, read, (int file, void *data, size_t n), (file, data, n))
FILE_CALL(ssize_t, write, (int file, const void *data, size_t n), (file, data, n))
FILE_CALL(int, rename, (const char *from, const char *to), (from, to))
FILE_CALL(int, mkostemp64, (char *path, int flags), (path, flags))
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, mode_t mode);
int __wrap_open64(const char *path, int flags, mode_t mode) {
    if (!fails("open"))
        return __real_open64(path, flags, mode);
    errno = EIO;
    return -1;
}

// ---- OpenCL ----

#define QUERY(name, parameters, arguments)                                                                                       \
    WRAP(cl_int, name, parameters) { return fails(#name) ? CL_OUT_OF_RESOURCES : __real_##name arguments; }
#define INFO(name, object)                                                                                                       \
    QUERY(name, (object o, cl_uint what, size_t size, void *value, size_t *needed), (o, what, size, value, needed))
#define RETAIN(name, object)                                                                                                     \
    WRAP(cl_int, name, (object o)) {                                                                                             \
        cl_int code = fails(#name) ? CL_OUT_OF_RESOURCES : __real_##name(o);                                                     \
        born(&faults.objects, code == CL_SUCCESS ? o : NULL);                                                                    \
        return code;                                                                                                             \
    }
#define RELEASE(name, object)                                                                                                    \
    WRAP(cl_int, name, (object o)) {                                                                                             \
        died(&faults.objects, o);                                                                                                \
        return __real_##name(o);                                                                                                 \
    }
#define CREATE(object, name, parameters, arguments)                                                                              \
    WRAP(object, name, parameters) {                                                                                             \
        object made = NULL;                                                                                                      \
        if (fails(#name))                                                                                                        \
            *code = CL_OUT_OF_HOST_MEMORY;                                                                                       \
        else                                                                                                                     \
            made = __real_##name arguments;                                                                                      \
        born(&faults.objects, made);                                                                                             \
        return made;                                                                                                             \
    }
#define ENQUEUE(name, parameters, arguments)                                                                                     \
    WRAP(cl_int, name, parameters) {                                                                                             \
        cl_int code = fails(#name) ? CL_OUT_OF_RESOURCES : __real_##name arguments;                                              \
        born(&faults.objects, code == CL_SUCCESS && event ? *event : NULL);                                                      \
        return code;                                                                                                             \
    }

QUERY(clGetPlatformIDs, (cl_uint n, cl_platform_id *platforms, cl_uint *count), (n, platforms, count))
QUERY(clGetDeviceIDs, (cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *devices, cl_uint *count),
      (p, type, n, devices, count))
INFO(clGetPlatformInfo, cl_platform_id)
WRAP(cl_int, clGetDeviceInfo, (cl_device_id d, cl_device_info what, size_t size, void *value, size_t *needed)) {
    cl_int code = fails("clGetDeviceInfo") ? CL_OUT_OF_RESOURCES : __real_clGetDeviceInfo(d, what, size, value, needed);
    if (code == CL_SUCCESS && what == CL_DEVICE_HOST_UNIFIED_MEMORY && value && faults.discrete)
        *(cl_bool *)value = CL_FALSE;
    return code;
}
INFO(clGetContextInfo, cl_context)
INFO(clGetCommandQueueInfo, cl_command_queue)
INFO(clGetMemObjectInfo, cl_mem)
INFO(clGetProgramInfo, cl_program)
INFO(clGetEventProfilingInfo, cl_event)
INFO(clGetEventInfo, cl_event)
QUERY(clGetProgramBuildInfo, (cl_program p, cl_device_id d, cl_uint what, size_t size, void *value, size_t *needed),
      (p, d, what, size, value, needed))
QUERY(clGetKernelWorkGroupInfo, (cl_kernel k, cl_device_id d, cl_uint what, size_t size, void *value, size_t *needed),
      (k, d, what, size, value, needed))
QUERY(clSetKernelArg, (cl_kernel k, cl_uint i, size_t size, const void *value), (k, i, size, value))
QUERY(clSetUserEventStatus, (cl_event event, cl_int status), (event, status))
QUERY(clFlush, (cl_command_queue queue), (queue))
QUERY(clBuildProgram,
      (cl_program p, cl_uint n, const cl_device_id *devices, const char *options, void (*notify)(cl_program, void *), void *user),
      (p, n, devices, options, notify, user))
WRAP(cl_int, clFinish, (cl_command_queue queue)) { // the commands do run; one of them failed
    cl_int code = __real_clFinish(queue);
    return fails("clFinish") ? CL_OUT_OF_RESOURCES : code;
}
WRAP(cl_int, clWaitForEvents, (cl_uint n, const cl_event *events)) {
    cl_int code = __real_clWaitForEvents(n, events);
    return fails("clWaitForEvents") ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : code;
}
RETAIN(clRetainContext, cl_context)
RETAIN(clRetainCommandQueue, cl_command_queue)
RETAIN(clRetainEvent, cl_event)
RELEASE(clReleaseContext, cl_context)
RELEASE(clReleaseCommandQueue, cl_command_queue)
RELEASE(clReleaseMemObject, cl_mem)
RELEASE(clReleaseProgram, cl_program)
RELEASE(clReleaseKernel, cl_kernel)
RELEASE(clReleaseEvent, cl_event)
CREATE(cl_context, clCreateContext,
       (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
        void (*notify)(const char *, const void *, size_t, void *), void *user, cl_int *code),
       (properties, n, devices, notify, user, code))
CREATE(cl_command_queue, clCreateCommandQueue,
       (cl_context c, cl_device_id device, cl_command_queue_properties properties, cl_int *code), (c, device, properties, code))
CREATE(cl_mem, clCreateBuffer, (cl_context c, cl_mem_flags flags, size_t size, void *host, cl_int *code),
       (c, flags, size, host, code))
CREATE(cl_event, clCreateUserEvent, (cl_context c, cl_int *code), (c, code))
CREATE(cl_program, clCreateProgramWithSource, (cl_context c, cl_uint n, const char **texts, const size_t *lengths, cl_int *code),
       (c, n, texts, lengths, code))
CREATE(cl_program, clCreateProgramWithBinary,
       (cl_context c, cl_uint n, const cl_device_id *devices, const size_t *sizes, const unsigned char **binaries, cl_int *loaded,
        cl_int *code),
       (c, n, devices, sizes, binaries, loaded, code))
CREATE(cl_kernel, clCreateKernel, (cl_program p, const char *name, cl_int *code), (p, name, code))
WRAP(cl_int, clCreateKernelsInProgram, (cl_program p, cl_uint n, cl_kernel *kernels, cl_uint *count)) {
    cl_int code = fails("clCreateKernelsInProgram") ? CL_OUT_OF_RESOURCES : __real_clCreateKernelsInProgram(p, n, kernels, count);
    if (code == CL_SUCCESS && faults.on && kernels)
        faults.objects += (int)(*count < n ? *count : n);
    return code;
}
ENQUEUE(clEnqueueNDRangeKernel,
        (cl_command_queue q, cl_kernel k, cl_uint dims, const size_t *offset, const size_t *global, const size_t *local,
         cl_uint n, const cl_event *waits, cl_event *event),
        (q, k, dims, offset, global, local, n, waits, event))
ENQUEUE(clEnqueueReadBuffer,
        (cl_command_queue q, cl_mem b, cl_bool block, size_t at, size_t size, void *host, cl_uint n, const cl_event *waits,
         cl_event *event),
        (q, b, block, at, size, host, n, waits, event))
ENQUEUE(clEnqueueWriteBuffer,
        (cl_command_queue q, cl_mem b, cl_bool block, size_t at, size_t size, const void *host, cl_uint n, const cl_event *waits,
         cl_event *event),
        (q, b, block, at, size, host, n, waits, event))
ENQUEUE(clEnqueueReadBufferRect,
        (cl_command_queue q, cl_mem b, cl_bool block, const size_t *at, const size_t *from, const size_t *size, size_t row,
         size_t slice, size_t host_row, size_t host_slice, void *host, cl_uint n, const cl_event *waits, cl_event *event),
        (q, b, block, at, from, size, row, slice, host_row, host_slice, host, n, waits, event))
ENQUEUE(clEnqueueWriteBufferRect,
        (cl_command_queue q, cl_mem b, cl_bool block, const size_t *at, const size_t *from, const size_t *size, size_t row,
         size_t slice, size_t host_row, size_t host_slice, const void *host, cl_uint n, const cl_event *waits, cl_event *event),
        (q, b, block, at, from, size, row, slice, host_row, host_slice, host, n, waits, event))
ENQUEUE(clEnqueueCopyBufferRect,
        (cl_command_queue q, cl_mem b, cl_mem to, const size_t *at, const size_t *place, const size_t *size, size_t row,
         size_t slice, size_t to_row, size_t to_slice, cl_uint n, const cl_event *waits, cl_event *event),
        (q, b, to, at, place, size, row, slice, to_row, to_slice, n, waits, event))
ENQUEUE(clEnqueueFillBuffer,
        (cl_command_queue q, cl_mem b, const void *pattern, size_t width, size_t at, size_t size, cl_uint n,
         const cl_event *waits, cl_event *event),
        (q, b, pattern, width, at, size, n, waits, event))
ENQUEUE(clEnqueueBarrierWithWaitList, (cl_command_queue q, cl_uint n, const cl_event *waits, cl_event *event),
        (q, n, waits, event))
ENQUEUE(clEnqueueMarkerWithWaitList, (cl_command_queue q, cl_uint n, const cl_event *waits, cl_event *event),
        (q, n, waits, event))
WRAP(void *, clEnqueueMapBuffer,
     (cl_command_queue q, cl_mem b, cl_bool block, cl_map_flags flags, size_t at, size_t size, cl_uint n, const cl_event *waits,
      cl_event *event, cl_int *code)) {
    if (fails("clEnqueueMapBuffer")) {
        *code = CL_MAP_FAILURE;
        return NULL;
    }
    void *mapped = __real_clEnqueueMapBuffer(q, b, block, flags, at, size, n, waits, event, code);
    born(&faults.maps, mapped);
    born(&faults.objects, mapped && event ? *event : NULL);
    return mapped;
}
WRAP(cl_int, clEnqueueUnmapMemObject,
     (cl_command_queue q, cl_mem b, void *mapped, cl_uint n, const cl_event *waits, cl_event *event)) {
    died(&faults.maps, mapped);
    cl_int code =
        fails("clEnqueueUnmapMemObject") ? CL_OUT_OF_RESOURCES : __real_clEnqueueUnmapMemObject(q, b, mapped, n, waits, event);
    born(&faults.objects, code == CL_SUCCESS && event ? *event : NULL);
    return code;
}
