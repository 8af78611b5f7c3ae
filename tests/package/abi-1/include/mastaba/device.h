// Mastaba: the OpenCL devices of this machine.
#ifndef MASTABA_DEVICE_H
#define MASTABA_DEVICE_H

#include <mastaba/array.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Index into the tables of vector widths.
enum { MST_WIDTH_CHAR, MST_WIDTH_SHORT, MST_WIDTH_INT, MST_WIDTH_LONG, MST_WIDTH_FLOAT, MST_WIDTH_DOUBLE, MST_N_WIDTHS };

// What a device reports of itself. Strings are cut to fit and always terminated.
typedef struct mst_device_info {
    size_t struct_size; // the library's sizeof(mst_device_info)
    size_t index;       // position in mst_devices_list, as --device and MASTABA_DEVICE take it
    cl_platform_id platform;
    cl_device_id device;
    cl_device_type type;
    char name[256];
    char vendor[128];
    char platform_name[128];
    char driver_version[128];
    char device_version[128]; // "OpenCL 3.0 CUDA"
    char c_version[64];       // "OpenCL C 1.2"
    uint64_t memory_bytes;
    uint64_t max_allocation_bytes;
    uint64_t local_memory_bytes;
    uint32_t compute_units;
    uint32_t clock_mhz;
    size_t max_work_group_size;
    size_t max_work_item_sizes[3];
    uint32_t preferred_width[MST_N_WIDTHS]; // 0: the type is not supported
    uint32_t native_width[MST_N_WIDTHS];
    bool fp64;
    bool local_memory_dedicated; // false: local memory is ordinary memory, as on CPUs
    bool unified_memory;         // the device works in the host's memory
    bool available;              // online, with a compiler
    bool is_default;             // the one that a context takes when none is asked for
} mst_device_info;

// Lists every device of every platform, in the order of the platforms: (*list)[0 .. *count - 1] point to what there is to know of
// them. *list is the caller's, with all it points to, freed by mst_devices_free, which accepts NULL. The default is an available
// device with the highest score: GPUs before other accelerators before CPUs, then compute units times clock. MST_ERROR_NO_DEVICE:
// no platform or no device; MST_ERROR_OPENCL, MST_ERROR_HOST_MEMORY. A platform that fails is passed over as long as another
// answers. Thread-safe.
MST_API mst_status mst_devices_list(mst_device_info ***list, size_t *count, mst_error *error);
MST_API void mst_devices_free(mst_device_info **list);

#ifdef __cplusplus
}
#endif
#endif
