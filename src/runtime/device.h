// Choosing and describing devices.
#ifndef MST_RUNTIME_DEVICE_H
#define MST_RUNTIME_DEVICE_H

#include <mastaba/device.h>

// Everything the device reports of itself; index and is_default are left 0 and false.
mst_status mst_device_describe(cl_device_id device, mst_device_info *info, mst_error *error);

// The device by index or part of its name; NULL or "": MASTABA_DEVICE, else the default.
mst_status mst_device_choose(const char *wanted, mst_device_info *chosen, mst_error *error);

#endif
