// Failures to order: linked with the --wrap flags of test_faults.flags, every allocation, OpenCL call and file operation of the
// library comes by here and may be made to fail.
#ifndef MST_TESTS_SUPPORT_FAULTS_H
#define MST_TESTS_SUPPORT_FAULTS_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct test_faults {
    atomic_bool on;
    bool discrete;                    // the device claims memory of its own, whatever it has
    atomic_int left;                  // calls until one fails; negative: none does
    atomic_int calls;                 // so far
    const char *failed;               // the call that was made to fail
    atomic_int objects, blocks, maps; // alive: OpenCL objects, memory, mapped buffers
} test_faults;

extern test_faults faults;

#endif
