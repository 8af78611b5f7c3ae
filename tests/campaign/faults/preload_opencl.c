// Preloaded between a program and OpenCL's loader (LD_PRELOAD): makes one call fail, as FAULT says (run has the protocol). Kinds:
//     call  the call returns an error
//     end   it is taken, but the command ends with an error: what it was to write stays as it is, the event's status is negative;
//           commands behind it in the queue go on, those that wait for its event fail
//     pass  the same, and all commands behind it in the queue fail, until the queue is finished
//     lost  like a device that is gone: from this call on, all fail
// FAULT_DISCRETE: the device says that it has memory of its own, so that other paths are taken.
#define CL_TARGET_OPENCL_VERSION 120
#include "fault.h"

#include <CL/cl.h>
#include <dlfcn.h>

typedef enum kind { NONE, CALL, END, PASS, LOST } kind;
static const char *const kind_names[] = {"", "call", "end", "pass", "lost", NULL};

static bool is_lost;
static bool passed;
static cl_command_queue failing; // where an error reaches the commands behind it, until the queue is finished

static kind begin(entry *e, const char *name, unsigned kinds) {
    pthread_mutex_lock(&mutex);
    kind k = (kind)count_call(e, name, kinds);
    k = is_lost ? LOST : k;
    is_lost = k == LOST;
    pthread_mutex_unlock(&mutex);
    return k;
}

static void *real(const char *name) {
    void *at = dlsym(RTLD_NEXT, name);
    if (!at)
        abort();
    return at;
}

enum { CAN_CALL = 1 << CALL | 1 << LOST, CAN_END = CAN_CALL | 1 << END | 1 << PASS };

#define WRAP(type, name, parameters, can)                                                                                        \
    type name parameters {                                                                                                       \
        static entry me;                                                                                                         \
        type(*next) parameters;                                                                                                  \
        *(void **)&next = real(#name);                                                                                           \
        const kind fault = begin(&me, #name, can);

#define QUERY(name, parameters, arguments)                                                                                       \
    WRAP(cl_int, name, parameters, CAN_CALL) return fault ? CL_OUT_OF_RESOURCES : next arguments;                                \
    }
#define CREATE(type, name, parameters, arguments)                                                                                \
    WRAP(type, name, parameters, CAN_CALL)                                                                                       \
    if (!fault)                                                                                                                  \
        return next arguments;                                                                                                   \
    if (code)                                                                                                                    \
        *code = CL_OUT_OF_RESOURCES;                                                                                             \
    return NULL;                                                                                                                 \
    }
#define INFO(name, type)                                                                                                         \
    QUERY(name, (type object, cl_uint what, size_t size, void *value, size_t *needed), (object, what, size, value, needed))

// ---- what has no commands ----

QUERY(clGetPlatformIDs, (cl_uint n, cl_platform_id *platforms, cl_uint *count), (n, platforms, count))
QUERY(clGetDeviceIDs, (cl_platform_id platform, cl_device_type type, cl_uint n, cl_device_id *devices, cl_uint *count),
      (platform, type, n, devices, count))
INFO(clGetPlatformInfo, cl_platform_id)
INFO(clGetContextInfo, cl_context)
INFO(clGetCommandQueueInfo, cl_command_queue)
INFO(clGetMemObjectInfo, cl_mem)
INFO(clGetProgramInfo, cl_program)
INFO(clGetEventProfilingInfo, cl_event)
QUERY(clGetProgramBuildInfo,
      (cl_program program, cl_device_id device, cl_program_build_info what, size_t size, void *value, size_t *needed),
      (program, device, what, size, value, needed))
QUERY(clGetKernelWorkGroupInfo,
      (cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what, size_t size, void *value, size_t *needed),
      (kernel, device, what, size, value, needed))
QUERY(clBuildProgram,
      (cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
       void(CL_CALLBACK *notify)(cl_program, void *), void *user),
      (program, n, devices, options, notify, user))
QUERY(clSetKernelArg, (cl_kernel kernel, cl_uint index, size_t size, const void *value), (kernel, index, size, value))
QUERY(clSetUserEventStatus, (cl_event event, cl_int status), (event, status))
QUERY(clFlush, (cl_command_queue queue), (queue))
QUERY(clRetainContext, (cl_context context), (context))
QUERY(clRetainCommandQueue, (cl_command_queue queue), (queue))
QUERY(clRetainEvent, (cl_event event), (event))
QUERY(clCreateKernelsInProgram, (cl_program program, cl_uint n, cl_kernel *kernels, cl_uint *count), (program, n, kernels, count))
CREATE(cl_context, clCreateContext,
       (const cl_context_properties *properties, cl_uint n, const cl_device_id *devices,
        void(CL_CALLBACK *notify)(const char *, const void *, size_t, void *), void *user, cl_int *code),
       (properties, n, devices, notify, user, code))
CREATE(cl_command_queue, clCreateCommandQueue,
       (cl_context context, cl_device_id device, cl_command_queue_properties properties, cl_int *code),
       (context, device, properties, code))
CREATE(cl_mem, clCreateBuffer, (cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code),
       (context, flags, size, host, code))
CREATE(cl_event, clCreateUserEvent, (cl_context context, cl_int *code), (context, code))
CREATE(cl_program, clCreateProgramWithSource,
       (cl_context context, cl_uint n, const char **texts, const size_t *lengths, cl_int *code),
       (context, n, texts, lengths, code))
CREATE(cl_program, clCreateProgramWithBinary,
       (cl_context context, cl_uint n, const cl_device_id *devices, const size_t *sizes, const unsigned char **binaries,
        cl_int *loaded, cl_int *code),
       (context, n, devices, sizes, binaries, loaded, code))
CREATE(cl_kernel, clCreateKernel, (cl_program program, const char *name, cl_int *code), (program, name, code))

WRAP(cl_int, clGetDeviceInfo, (cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed), CAN_CALL)
cl_int code = fault ? CL_OUT_OF_RESOURCES : next(device, what, size, value, needed);
if (code == CL_SUCCESS && what == CL_DEVICE_HOST_UNIFIED_MEMORY && value && getenv("FAULT_DISCRETE"))
    *(cl_bool *)value = CL_FALSE;
return code;
}

// ---- waiting: the commands do run, and then the call tells of an error ----

WRAP(cl_int, clFinish, (cl_command_queue queue), CAN_CALL)
cl_int code = next(queue);
pthread_mutex_lock(&mutex);
if (queue == failing)
    failing = NULL;
pthread_mutex_unlock(&mutex);
return fault ? CL_INVALID_COMMAND_QUEUE : code;
}

WRAP(cl_int, clWaitForEvents, (cl_uint n, const cl_event *events), CAN_CALL)
cl_int code = next(n, events);
return fault == LOST ? -9999 : fault ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : code;
}

WRAP(cl_int, clGetEventInfo, (cl_event event, cl_event_info what, size_t size, void *value, size_t *needed), CAN_CALL | 1 << END)
if (fault != NONE && fault != END)
    return -9999;
cl_int code = next(event, what, size, value, needed);
if (fault == END && what == CL_EVENT_COMMAND_EXECUTION_STATUS)
    *(cl_int *)value = CL_OUT_OF_RESOURCES;
return code;
}

// ---- commands ----

// An event of a command that ended with an error, in place of the command.
static cl_int fail_command(cl_command_queue queue, kind fault, cl_event *event) {
    cl_context context;
    cl_int code;
    cl_int (*get)(cl_command_queue, cl_command_queue_info, size_t, void *, size_t *), (*set)(cl_event, cl_int);
    cl_event (*create)(cl_context, cl_int *);
    *(void **)&get = real("clGetCommandQueueInfo");
    *(void **)&create = real("clCreateUserEvent");
    *(void **)&set = real("clSetUserEventStatus");
    pthread_mutex_lock(&mutex);
    failing = fault == PASS ? queue : failing;
    passed = passed || fault == PASS;
    pthread_mutex_unlock(&mutex);
    if (!event)
        return CL_SUCCESS;
    code = get(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL);
    *event = code == CL_SUCCESS ? create(context, &code) : NULL;
    return code == CL_SUCCESS ? set(*event, CL_OUT_OF_RESOURCES) : code;
}

// What becomes of a command: the fault that is wanted, or what those bring that it waits for.
static kind outcome(cl_command_queue queue, kind fault, cl_uint n, const cl_event *waits) {
    cl_int (*get)(cl_event, cl_event_info, size_t, void *, size_t *), status = CL_COMPLETE;
    *(void **)&get = real("clGetEventInfo");
    if (fault != NONE)
        return fault;
    pthread_mutex_lock(&mutex);
    bool passes = passed, fails = queue == failing;
    pthread_mutex_unlock(&mutex);
    for (cl_uint i = 0; i < n; i++)
        fails =
            fails || (get(waits[i], CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL) == CL_SUCCESS && status < 0);
    return !fails ? NONE : passes ? PASS : END;
}

#define COMMAND(name, parameters, arguments)                                                                                     \
    WRAP(cl_int, name, parameters, CAN_END)                                                                                      \
    const kind how = outcome(queue, fault, n, waits);                                                                            \
    if (how == END || how == PASS)                                                                                               \
        return fail_command(queue, how, event);                                                                                  \
    return how ? CL_OUT_OF_RESOURCES : next arguments;                                                                           \
    }

COMMAND(clEnqueueNDRangeKernel,
        (cl_command_queue queue, cl_kernel kernel, cl_uint axes, const size_t *offset, const size_t *global, const size_t *local,
         cl_uint n, const cl_event *waits, cl_event *event),
        (queue, kernel, axes, offset, global, local, n, waits, event))
COMMAND(clEnqueueReadBuffer,
        (cl_command_queue queue, cl_mem from, cl_bool blocks, size_t at, size_t size, void *to, cl_uint n, const cl_event *waits,
         cl_event *event),
        (queue, from, blocks, at, size, to, n, waits, event))
COMMAND(clEnqueueWriteBuffer,
        (cl_command_queue queue, cl_mem to, cl_bool blocks, size_t at, size_t size, const void *from, cl_uint n,
         const cl_event *waits, cl_event *event),
        (queue, to, blocks, at, size, from, n, waits, event))
COMMAND(clEnqueueReadBufferRect,
        (cl_command_queue queue, cl_mem from, cl_bool blocks, const size_t *origin, const size_t *host, const size_t *region,
         size_t row, size_t slice, size_t host_row, size_t host_slice, void *to, cl_uint n, const cl_event *waits,
         cl_event *event),
        (queue, from, blocks, origin, host, region, row, slice, host_row, host_slice, to, n, waits, event))
COMMAND(clEnqueueWriteBufferRect,
        (cl_command_queue queue, cl_mem to, cl_bool blocks, const size_t *origin, const size_t *host, const size_t *region,
         size_t row, size_t slice, size_t host_row, size_t host_slice, const void *from, cl_uint n, const cl_event *waits,
         cl_event *event),
        (queue, to, blocks, origin, host, region, row, slice, host_row, host_slice, from, n, waits, event))
COMMAND(clEnqueueFillBuffer,
        (cl_command_queue queue, cl_mem to, const void *pattern, size_t width, size_t at, size_t size, cl_uint n,
         const cl_event *waits, cl_event *event),
        (queue, to, pattern, width, at, size, n, waits, event))
COMMAND(clEnqueueMarkerWithWaitList, (cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event),
        (queue, n, waits, event))

// Where an error does not reach the commands behind it, those behind a barrier that waits for it go on, too.
WRAP(cl_int, clEnqueueBarrierWithWaitList, (cl_command_queue queue, cl_uint n, const cl_event *waits, cl_event *event), CAN_CALL)
const kind how = outcome(queue, fault, n, waits);
if (how == CALL || how == LOST)
    return CL_OUT_OF_RESOURCES;
return how ? fail_command(queue, how, event) : next(queue, n, waits, event);
}

WRAP(void *, clEnqueueMapBuffer,
     (cl_command_queue queue, cl_mem buffer, cl_bool blocks, cl_map_flags flags, size_t at, size_t size, cl_uint n,
      const cl_event *waits, cl_event *event, cl_int *code),
     CAN_CALL)
if (!fault)
    return next(queue, buffer, blocks, flags, at, size, n, waits, event, code);
*code = CL_MAP_FAILURE;
return NULL;
}

// What is mapped is unmapped in any case, or nobody could.
WRAP(cl_int, clEnqueueUnmapMemObject,
     (cl_command_queue queue, cl_mem buffer, void *mapped, cl_uint n, const cl_event *waits, cl_event *event), CAN_END)
if (fault == NONE)
    return next(queue, buffer, mapped, n, waits, event);
cl_int code = next(queue, buffer, mapped, 0, NULL, NULL);
if (code != CL_SUCCESS || fault == CALL || fault == LOST)
    return CL_OUT_OF_RESOURCES;
return fail_command(queue, fault, event);
}
