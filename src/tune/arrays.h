// Test runs for capabilities whose plans compute one array from others: inputs are random and lie on the device, and results are
// compared with those of the safe values.
#ifndef MST_TUNE_ARRAYS_H
#define MST_TUNE_ARRAYS_H

#include "tune.h"

enum { MST_TUNE_INPUTS = 8 };

typedef struct mst_tune_arrays {
    // Set by the capability. Layouts are dense; execute is one of the public functions.
    mst_context *context;
    int n_inputs;
    mst_layout inputs[MST_TUNE_INPUTS], output;
    double tolerance; // of the relative difference, in the L2 norm; integers have to be equal
    // From several threads at once.
    mst_status (*create)(void *user, const int64_t *values, void **plan, mst_error *error);
    mst_status (*execute)(void *plan, const mst_location *inputs, mst_location output, const mst_execution *how,
                          mst_error *error);
    void (*destroy)(void *plan);
    void (*timed)(void *user, const int64_t *values, double seconds); // may be NULL
    void *user;
    // arrays.c's own, zero before.
    cl_mem buffers[MST_TUNE_INPUTS + 1]; // inputs, then the output
    void *expected, *got;
    bool has_expected;
} mst_tune_arrays;

// For mst_tune_problem, whose user is the mst_tune_arrays.
extern const mst_tune_work mst_tune_arrays_work;

// A random number in [0, 1) for test runs; the state is not 0.
double mst_tune_uniform(uint64_t *state);

// Bytes that a test array may have: more than caches hold, within the budget with `arrays` of them and as much work memory.
uint64_t mst_tune_array_bytes(mst_context *context, int arrays);

#endif
