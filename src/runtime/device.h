// Choosing and describing devices.
#ifndef MST_RUNTIME_DEVICE_H
#define MST_RUNTIME_DEVICE_H

#include <mastaba/device.h>

// Everything the device reports of itself; index and is_default are left 0 and false.
mst_status mst_device_describe(cl_device_id device, mst_device_info *info, mst_error *error);

// All devices, in one array, the caller's to free.
mst_status mst_devices_describe(mst_device_info **list, size_t *count, mst_error *error);

// Whether work-items may have hundreds of KiB of private memory. A GPU takes it from the device's memory, for every work-item
// that it can hold: of an H100 71 GB where one has 256 KiB, which nothing else then has, other processes included; or its launch
// fails. A simulator of devices is of both types.
bool mst_device_has_private_memory(const mst_device_info *info);

// GPUs before other accelerators before CPUs, then compute units times clock; negative: not available.
double mst_device_score(const mst_device_info *info);

// The devices that a text asks for (selection.c says how); NULL or "": those of MASTABA_DEVICE, else the default. With several
// texts, those of all of them. Each is there once, and those that were cut into parts have the index of the whole; they stay as
// long as the process. *chosen is the caller's, to free.
mst_status mst_devices_choose(const char *const *wanted, size_t n_wanted, mst_device_info **chosen, size_t *n, mst_error *error);

#endif
