// Kernels that fail on one device of several, and how much some compute. For tests that are linked with
// --wrap=clEnqueueNDRangeKernel.
#ifndef MASTABA_TESTS_SUPPORT_LAUNCH_H
#define MASTABA_TESTS_SUPPORT_LAUNCH_H

#include <mastaba/mastaba.h>
#include <stdatomic.h>

typedef struct test_breakage {
    cl_device_id other; // NULL: none fails
    atomic_int left;    // launches on that device before the one that fails
} test_breakage;

extern test_breakage test_broken;

// What takes the launches that the parts of a processor share.
cl_device_id test_whole_of(const mst_context *context);

// Work-items of kernels whose names begin so; NULL: none are counted.
typedef struct test_items {
    const char *kernels;
    atomic_ulong count;
} test_items;

extern test_items test_counted;

#endif
