// Where OpenCL's loader looks for drivers, and the caches of kernels.
#ifndef MASTABA_CLI_DRIVERS_H
#define MASTABA_CLI_DRIVERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DRIVERS_MOST = 32 };

typedef struct driver_file {
    char path[512];    // of the file that names a driver
    char library[512]; // what it names
    char problem[512]; // why the library cannot be loaded, as far as that can be told without running it; ""
} driver_file;

// The directory of these files: $OCL_ICD_VENDORS, $OPENCL_VENDOR_PATH, or /etc/OpenCL/vendors.
const char *drivers_place(void);

// Those that are there, by name; how many.
size_t drivers_list(driver_file files[DRIVERS_MOST]);

typedef struct cache_look {
    size_t kernels;
    uint64_t bytes;
    bool writable; // or can be made
} cache_look;

// The directory of the user's cache. False: there is none to be had.
bool cache_place(char *place, size_t size);

void cache_look_at(const char *place, cache_look *look);

#endif
