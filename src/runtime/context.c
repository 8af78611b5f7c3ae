#include "context.h"

#include "cache.h"
#include "description.h"
#include "device.h"
#include "group.h"
#include "loader.h"
#include "pool.h"
#include "program.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_COPY_THREADS 16

static unsigned default_copy_threads(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    long most = cores * 3 / 4; // the driver and whoever waits for the copies need some
    return most < 1 ? 1 : most > MAX_COPY_THREADS ? MAX_COPY_THREADS : (unsigned)most;
}

static mst_status make_queue(mst_context *context, cl_device_id device, cl_command_queue *queue, mst_error *error) {
    cl_int code;
    *queue = clCreateCommandQueue(context->opencl, device, context->profile ? CL_QUEUE_PROFILING_ENABLE : 0, &code);
    return code == CL_SUCCESS ? MST_OK : mst_fail_opencl(error, code, "cannot make a command queue on %s", context->device.name);
}

mst_status mst_opencl_queue_create(mst_context *context, cl_command_queue *queue, mst_error *error) {
    return make_queue(context, context->device.device, queue, error);
}

// The caller's device and queue must be of the caller's context.
static mst_status check_membership(const mst_context_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    cl_device_id devices[64], device = NULL;
    cl_context owner = NULL;
    size_t bytes = 0;
    bool found = false;
    MST_TRY_CL(clGetContextInfo(desc->opencl_context, CL_CONTEXT_DEVICES, sizeof devices, devices, &bytes),
               "cannot list the devices of opencl_context");
    for (size_t i = 0; i < bytes / sizeof devices[0]; i++)
        found = found || devices[i] == desc->opencl_device;
    MST_REQUIRE(found, MST_ERROR_ARGUMENT, "opencl_device is not a device of opencl_context");
    if (!desc->opencl_queue)
        return MST_OK;
    MST_TRY_CL(clGetCommandQueueInfo(desc->opencl_queue, CL_QUEUE_CONTEXT, sizeof owner, &owner, NULL),
               "cannot read the context of opencl_queue");
    MST_TRY_CL(clGetCommandQueueInfo(desc->opencl_queue, CL_QUEUE_DEVICE, sizeof device, &device, NULL),
               "cannot read the device of opencl_queue");
    MST_REQUIRE(owner == desc->opencl_context && device == desc->opencl_device, MST_ERROR_ARGUMENT,
                "opencl_queue belongs to another context or device than opencl_context and opencl_device");
fail:
    return status;
}

// Takes the caller's OpenCL objects.
static mst_status take_opencl(mst_context *context, const mst_context_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(desc->opencl_device, MST_ERROR_ARGUMENT, "opencl_context is set but opencl_device is not");
    MST_TRY(mst_opencl_load(error));
    MST_TRY(mst_device_describe(desc->opencl_device, &context->device, error));
    MST_TRY(check_membership(desc, error));
    MST_TRY_CL(clRetainContext(desc->opencl_context), "cannot retain the caller's OpenCL context");
    context->opencl = desc->opencl_context;
fail:
    return status;
}

// Makes an OpenCL context on a device and what it is a part of.
static mst_status make_opencl(mst_context *context, const mst_device_info *device, cl_device_id whole, mst_error *error) {
    mst_status status = MST_OK;
    cl_int code;
    cl_uint units;
    context->device = *device;
    context->units = device->compute_units;
    const cl_context_properties properties[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)device->platform, 0};
    const cl_device_id devices[] = {device->device, whole};
    context->opencl = clCreateContext(properties, whole ? 2 : 1, devices, NULL, NULL, &code);
    MST_TRY_CL(code, "cannot make an OpenCL context on %s", device->name);
    if (!whole)
        return MST_OK;
    MST_TRY_CL(clGetDeviceInfo(whole, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
               "cannot ask for the compute units of %s", device->name);
    context->whole = whole;
    context->units = units;
    MST_TRY(make_queue(context, whole, &context->joint, error));
fail:
    return status;
}

static mst_status take_queues(mst_context *context, const mst_context_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    if (desc->opencl_queue) {
        cl_command_queue_properties properties = 0;
        MST_TRY_CL(clGetCommandQueueInfo(desc->opencl_queue, CL_QUEUE_PROPERTIES, sizeof properties, &properties, NULL),
                   "cannot read the properties of opencl_queue");
        MST_REQUIRE(!(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE), MST_ERROR_ARGUMENT,
                    "opencl_queue executes out of order; an in-order queue is needed");
        context->profile = context->profile && (properties & CL_QUEUE_PROFILING_ENABLE);
        MST_TRY_CL(clRetainCommandQueue(desc->opencl_queue), "cannot retain opencl_queue");
        context->compute = desc->opencl_queue;
    } else {
        MST_TRY(mst_opencl_queue_create(context, &context->compute, error));
    }
    if (context->profile) {
        cl_int code;
        context->stamp = clCreateBuffer(context->opencl, CL_MEM_READ_WRITE, sizeof(cl_int), NULL, &code);
        MST_TRY_CL(code, "cannot make the buffer for time stamps");
    }
    MST_TRY(mst_opencl_queue_create(context, &context->upload, error));
    MST_TRY(mst_opencl_queue_create(context, &context->download, error));
fail:
    return status;
}

static mst_status copy_string(const char *text, char **out, mst_error *error) {
    *out = text ? strdup(text) : NULL;
    return text && !*out ? mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory making a context") : MST_OK;
}

mst_status mst_context_make(const mst_context_desc *desc, const mst_device_info *device, cl_device_id whole, mst_context *lead,
                            mst_context **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = NULL;
    *out = NULL;
    MST_REQUIRE(context = calloc(1, sizeof *context), MST_ERROR_HOST_MEMORY, "out of memory making a context");
    context->lead = lead ? lead : context;
    context->system_cache = -1;
    pthread_mutex_init(&context->mutex, NULL);
    pthread_mutex_init(&context->log_mutex, NULL);
    pthread_mutex_init(&context->tuner_mutex, NULL);
    context->log = desc->log;
    context->log_user = desc->log_user;
    context->on_program = desc->on_program;
    context->on_program_user = desc->on_program_user;
    context->profile = desc->profile;
    MST_TRY(device ? make_opencl(context, device, whole, error) : take_opencl(context, desc, error));
    if (!device)
        context->units = context->device.compute_units;
    context->units += context->units == 0;
    MST_TRY(take_queues(context, desc, error));
    context->is_limited = desc->device_memory != 0 || desc->host_memory != 0;
    context->device_memory.limit = desc->device_memory ? desc->device_memory : context->device.memory_bytes / 4 * 3;
    context->host_memory.limit = desc->host_memory ? desc->host_memory : MST_DEFAULT_HOST_MEMORY;
    const char *kernels = desc->kernel_directory ? desc->kernel_directory : getenv("MASTABA_KERNEL_DIR");
    MST_TRY(copy_string(kernels && *kernels ? kernels : NULL, &context->kernel_directory, error));
    if (!desc->no_cache)
        MST_TRY(mst_cache_directory(desc->cache_directory, &context->cache_directory, error));
    if (!desc->no_cache)
        context->system_cache = mst_cache_system_directory(context);
    context->pool = lead ? lead->pool : NULL;
    context->copy_threads = desc->copy_threads;
    if (!lead)
        MST_TRY(mst_pool_create(desc->copy_threads ? desc->copy_threads : default_copy_threads(), &context->pool, error));
    mst_log(context, MST_LOG_INFO, "device %s (%s), driver %s", context->device.name, context->device.platform_name,
            context->device.driver_version);
    *out = context;
    return MST_OK;
fail:
    mst_context_destroy(context);
    return status;
}

mst_status mst_context_create(const mst_context_desc *desc, mst_context **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_context_desc full = MST_CONTEXT_DESC_INIT;
    MST_REQUIRE(out, MST_ERROR_ARGUMENT, "out must not be NULL");
    *out = NULL;
    if (desc)
        MST_TRY(mst_description_read(MST_DESCRIPTION(mst_context_desc, MST_CONTEXT_DESC_INIT, device), desc, &full, error));
    if (full.opencl_context) {
        MST_REQUIRE(!full.devices && full.n_devices == 0, MST_ERROR_ARGUMENT, "devices are given beside opencl_context");
        return mst_context_make(&full, NULL, NULL, NULL, out, error);
    }
    MST_REQUIRE(!full.opencl_device && !full.opencl_queue, MST_ERROR_ARGUMENT,
                "opencl_device or opencl_queue is set but opencl_context is not");
    MST_TRY(mst_group_create(&full, out, error));
fail:
    return status;
}

static void release_queue(cl_command_queue queue) {
    if (queue) {
        clFinish(queue);
        clReleaseCommandQueue(queue);
    }
}

void mst_context_destroy(mst_context *context) {
    if (!context)
        return;
    for (size_t k = 0; k < context->n_peers; k++)
        mst_context_destroy(context->peers[k]);
    free(context->peers);
    if (context->tuner)
        context->tuner_destroy(context->tuner);
    if (context->lead == context)
        mst_pool_destroy(context->pool);
    mst_programs_destroy(context->programs);
    mst_cache_destroy(context->kept);
    release_queue(context->joint);
    release_queue(context->upload);
    release_queue(context->compute);
    release_queue(context->download);
    if (context->stamp)
        clReleaseMemObject(context->stamp);
    if (context->opencl)
        clReleaseContext(context->opencl);
    free(context->cache_directory);
    if (context->system_cache >= 0)
        close(context->system_cache);
    free(context->kernel_directory);
    pthread_mutex_destroy(&context->mutex);
    pthread_mutex_destroy(&context->log_mutex);
    pthread_mutex_destroy(&context->tuner_mutex);
    free(context);
}

const mst_device_info *mst_context_device(const mst_context *context) { return &context->device; }
cl_context mst_context_opencl(const mst_context *context) { return context->opencl; }
cl_command_queue mst_context_queue(const mst_context *context) { return context->compute; }
uint64_t mst_context_device_memory_budget(const mst_context *context) { return context->device_memory.limit; }

uint64_t mst_context_device_memory_used(mst_context *context) {
    pthread_mutex_lock(&context->mutex);
    uint64_t used = context->device_memory.used;
    pthread_mutex_unlock(&context->mutex);
    for (size_t k = 0; k < context->n_peers; k++)
        used += mst_context_device_memory_used(context->peers[k]);
    return used;
}

#define REPORT MST_DESCRIPTION(mst_report, MST_REPORT_INIT, upload_seconds)

mst_status mst_execution_read(const mst_execution *how, mst_execution *out, mst_error *error) {
    mst_status status = MST_OK;
    *out = (mst_execution)MST_EXECUTION_INIT;
    if (how)
        MST_TRY(mst_description_read(MST_DESCRIPTION(mst_execution, MST_EXECUTION_INIT, n_wait), how, out, error));
    MST_REQUIRE((out->n_wait == 0) == (out->wait_list == NULL), MST_ERROR_ARGUMENT, "how->n_wait is %u but how->wait_list is %s",
                (unsigned)out->n_wait, out->wait_list ? "set" : "NULL");
    MST_REQUIRE(!out->report || !(out->event || out->queued), MST_ERROR_ARGUMENT,
                "how->report cannot be asked for together with how->%s", out->event ? "event" : "queued");
    if (out->report)
        MST_TRY(mst_description_check(REPORT, out->report, error));
    if (out->event)
        *out->event = NULL;
fail:
    return status;
}

void mst_execution_report(const mst_execution *how, const mst_report *report) {
    if (how->report)
        mst_description_write(REPORT, report, how->report);
}

void mst_report_add(mst_report *sum, const mst_report *part) {
    sum->seconds += part->seconds;
    sum->upload_seconds += part->upload_seconds;
    sum->compute_seconds += part->compute_seconds;
    sum->download_seconds += part->download_seconds;
    sum->upload_bytes += part->upload_bytes;
    sum->download_bytes += part->download_bytes;
    sum->blocks += part->blocks;
}
