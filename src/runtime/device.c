#include "device.h"
#include "error.h"
#include "loader.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_PLATFORMS 64
#define MAX_DEVICES 256

// Asks for a string of any length and keeps what fits.
static void device_string(cl_device_id device, cl_device_info what, char *out, size_t size) {
    size_t length = 0;
    out[0] = '\0';
    if (clGetDeviceInfo(device, what, 0, NULL, &length) != CL_SUCCESS || length == 0)
        return;
    char *text = malloc(length + 1);
    if (!text)
        return;
    if (clGetDeviceInfo(device, what, length, text, NULL) == CL_SUCCESS) {
        text[length] = '\0';
        snprintf(out, size, "%s", text);
    }
    free(text);
}

static void platform_string(cl_platform_id platform, char *out, size_t size) {
    size_t length = 0;
    char *text = NULL;
    out[0] = '\0';
    if (clGetPlatformInfo(platform, CL_PLATFORM_NAME, 0, NULL, &length) == CL_SUCCESS && (text = malloc(length + 1)) != NULL &&
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, length, text, NULL) == CL_SUCCESS) {
        text[length] = '\0';
        snprintf(out, size, "%s", text);
    }
    free(text);
}

static bool device_bool(cl_device_id device, cl_device_info what) {
    cl_bool value = CL_FALSE;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS && value;
}

static uint32_t device_uint(cl_device_id device, cl_device_info what) {
    cl_uint value = 0;
    return clGetDeviceInfo(device, what, sizeof value, &value, NULL) == CL_SUCCESS ? value : 0;
}

// Plans go by these: without one of them, another algorithm would be taken silently.
static mst_status read_sizes(mst_device_info *info, mst_error *error) {
    mst_status status = MST_OK;
    cl_ulong memory, allocation, local;
    cl_uint units;
    cl_device_id device = info->device;
    MST_TRY_CL(clGetDeviceInfo(device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL),
               "cannot read how much memory %s has", info->name);
    MST_TRY_CL(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof allocation, &allocation, NULL),
               "cannot read the largest allocation of %s", info->name);
    MST_TRY_CL(clGetDeviceInfo(device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof local, &local, NULL),
               "cannot read how much local memory %s has", info->name);
    MST_TRY_CL(clGetDeviceInfo(device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
               "cannot read the compute units of %s", info->name);
    MST_TRY_CL(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof info->max_work_group_size,
                               &info->max_work_group_size, NULL),
               "cannot read the work-group limit of %s", info->name);
    info->memory_bytes = memory;
    info->max_allocation_bytes = allocation;
    info->local_memory_bytes = local;
    info->compute_units = units;
fail:
    return status;
}

static void read_widths(mst_device_info *info) {
    static const cl_device_info preferred[MST_N_WIDTHS] = {
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE};
    static const cl_device_info native[MST_N_WIDTHS] = {
        CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE};
    for (int k = 0; k < MST_N_WIDTHS; k++) {
        info->preferred_width[k] = device_uint(info->device, preferred[k]);
        info->native_width[k] = device_uint(info->device, native[k]);
    }
}

mst_status mst_device_describe(cl_device_id device, mst_device_info *info, mst_error *error) {
    mst_status status = MST_OK;
    memset(info, 0, sizeof *info);
    info->struct_size = sizeof *info;
    info->device = device;
    MST_TRY_CL(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof info->platform, &info->platform, NULL),
               "cannot read the device's platform");
    MST_TRY_CL(clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof info->type, &info->type, NULL), "cannot read the device's type");
    device_string(device, CL_DEVICE_NAME, info->name, sizeof info->name);
    device_string(device, CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    platform_string(info->platform, info->platform_name, sizeof info->platform_name);
    device_string(device, CL_DRIVER_VERSION, info->driver_version, sizeof info->driver_version);
    device_string(device, CL_DEVICE_VERSION, info->device_version, sizeof info->device_version);
    device_string(device, CL_DEVICE_OPENCL_C_VERSION, info->c_version, sizeof info->c_version);
    info->clock_mhz = device_uint(device, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    MST_TRY(read_sizes(info, error));
    size_t sizes[16] = {0};
    if (clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof sizes, sizes, NULL) == CL_SUCCESS)
        memcpy(info->max_work_item_sizes, sizes, sizeof info->max_work_item_sizes);
    read_widths(info);
    cl_device_fp_config fp64 = 0;
    const cl_int code = clGetDeviceInfo(device, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof fp64, &fp64, NULL);
    if (code != CL_INVALID_VALUE) // which a driver without float64 may answer; else a lower precision would be taken silently
        MST_TRY_CL(code, "cannot read whether %s has float64", info->name);
    info->fp64 = code == CL_SUCCESS && fp64 != 0;
    info->local_memory_dedicated = device_uint(device, CL_DEVICE_LOCAL_MEM_TYPE) == CL_LOCAL;
    info->unified_memory = device_bool(device, CL_DEVICE_HOST_UNIFIED_MEMORY);
    info->available = device_bool(device, CL_DEVICE_AVAILABLE) && device_bool(device, CL_DEVICE_COMPILER_AVAILABLE);
    return MST_OK;
fail:
    return status;
}

bool mst_device_has_private_memory(const mst_device_info *info) {
    return (info->type & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU)) != CL_DEVICE_TYPE_GPU;
}

double mst_device_score(const mst_device_info *info) {
    double kind = info->type & CL_DEVICE_TYPE_GPU ? 2 : info->type & CL_DEVICE_TYPE_ACCELERATOR ? 1 : 0;
    double rate = (double)info->compute_units * (info->clock_mhz ? info->clock_mhz : 1);
    return info->available ? kind * 1e12 + rate : -1;
}

// Drivers are loaded and started by the first calls that ask for platforms and devices, and some do not stand two of these at
// once: PoCL 3 crashes, or says that it has no device. A context could not guard what comes before it.
static pthread_mutex_t first_calls = PTHREAD_MUTEX_INITIALIZER;

// All devices, in one array.
static mst_status describe_alone(mst_device_info **list, size_t *count, mst_error *error) {
    mst_status status = MST_OK;
    cl_platform_id platforms[MAX_PLATFORMS];
    cl_device_id devices[MAX_DEVICES];
    cl_uint n_platforms = 0;
    mst_device_info *infos = NULL;
    size_t n = 0;
    mst_error trouble = {.status = MST_OK};
    cl_int code = clGetPlatformIDs(MAX_PLATFORMS, platforms, &n_platforms);
    MST_REQUIRE(code == CL_SUCCESS && n_platforms > 0, MST_ERROR_NO_DEVICE,
                "no OpenCL platform found; install the GPU vendor's OpenCL driver, or PoCL to compute on the CPU "
                "(Debian package pocl-opencl-icd)");
    if (n_platforms > MAX_PLATFORMS)
        n_platforms = MAX_PLATFORMS;
    MST_REQUIRE(infos = calloc(MAX_DEVICES, sizeof *infos), MST_ERROR_HOST_MEMORY, "out of memory listing devices");
    for (cl_uint p = 0; p < n_platforms; p++) {
        cl_uint n_devices = 0;
        code = clGetDeviceIDs(platforms[p], CL_DEVICE_TYPE_ALL, MAX_DEVICES, devices, &n_devices);
        if (code != CL_SUCCESS) {
            if (code != CL_DEVICE_NOT_FOUND)
                mst_fail_opencl(&trouble, code, "cannot list the devices of OpenCL platform %u", (unsigned)p);
            continue;
        }
        for (cl_uint d = 0; d < n_devices && d < MAX_DEVICES && n < MAX_DEVICES; d++) {
            if (mst_device_describe(devices[d], &infos[n], &trouble) != MST_OK)
                continue;
            infos[n].index = n;
            n++;
        }
    }
    MST_REQUIRE(n > 0, MST_ERROR_NO_DEVICE, "no OpenCL device found on %u platform%s%s%s", (unsigned)n_platforms,
                n_platforms == 1 ? "" : "s", trouble.status ? "; " : "", trouble.message);
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (mst_device_score(&infos[i]) > mst_device_score(&infos[best]))
            best = i;
    infos[best].is_default = infos[best].available;
    *list = infos;
    *count = n;
    return MST_OK;
fail:
    free(infos);
    return status;
}

mst_status mst_devices_describe(mst_device_info **list, size_t *count, mst_error *error) {
    mst_status status = mst_opencl_load(error);
    if (status != MST_OK)
        return status;
    pthread_mutex_lock(&first_calls);
    status = describe_alone(list, count, error);
    pthread_mutex_unlock(&first_calls);
    return status;
}

mst_status mst_devices_list(mst_device_info ***list, size_t *count, mst_error *error) {
    mst_status status = MST_OK;
    mst_device_info *infos = NULL;
    size_t n = 0;
    MST_REQUIRE(list && count, MST_ERROR_ARGUMENT, "list and count must not be NULL");
    *list = NULL;
    *count = 0;
    MST_TRY(mst_devices_describe(&infos, &n, error));
    MST_REQUIRE(*list = calloc(n, sizeof **list), MST_ERROR_HOST_MEMORY, "out of memory listing devices");
    for (size_t i = 0; i < n; i++)
        (*list)[i] = &infos[i];
    *count = n;
    return MST_OK;
fail:
    free(infos);
    return status;
}

void mst_devices_free(mst_device_info **list) {
    if (list)
        free(list[0]);
    free(list);
}
