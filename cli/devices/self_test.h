// A small piece of work of each capability on one device, compared with what must come out: closed forms and direct sums.
#ifndef MASTABA_CLI_SELF_TEST_H
#define MASTABA_CLI_SELF_TEST_H

#include <mastaba/mastaba.h>

typedef struct self_test {
    const char *name; // of the capability
    double tolerance; // largest error of any value, all being about 1
    // Does the work and leaves the largest error of the results.
    mst_status (*run)(mst_context *context, double *largest, mst_error *error);
} self_test;

// The test with the number; NULL: there are no more.
const self_test *self_test_at(size_t number);

// Runs one, in a child (child.h): its answer is the seconds and the largest error. Returns an exit code. `device` as
// mst_context_desc has it.
int self_test_child(const char *name, const char *device);

#endif
