// A plain implementation of what mastaba/stencil.h promises, by the interpreter of expressions: the reference of the tests.
#ifndef MST_TESTS_SUPPORT_STENCIL_H
#define MST_TESTS_SUPPORT_STENCIL_H

#include "support.h"

typedef struct test_scheme {
    size_t nodes;
    double *levels[MST_STENCIL_MAX_FIELDS][2]; // of each field; values of the scheme's precision
    double *recorded;                          // by all receivers, a row a step
    size_t n_points;
} test_scheme;

// A number rounded to float16, to nearest even.
double test_half(double value);

// The initial state advanced by `steps` steps. Released by test_scheme_free.
test_scheme test_scheme_run(const mst_stencil_desc *desc, size_t steps);
void test_scheme_free(test_scheme *scheme);

// Runs the solver in the given portions of steps and compares every field, level and recorded value with the reference, bit by
// bit. `text` says in messages what was run.
void test_scheme_check(mst_context *context, const mst_stencil_desc *desc, const size_t *portions, size_t n_portions,
                       const test_scheme *reference, const char *text);

// Hicks' weight at a distance (Geophysics 67, 2002).
double test_kaiser_sinc(double distance, int radius);

// One of the problems of support_stencil_problems.c by its name, in all schedules, with kernels of the CPU's shape, the GPU's, or
// both.
void test_scheme_check_ways(mst_context *context, const char *name, bool cpu, bool gpu);

// The same for any description, whose reference made so many steps. It may be that of another scheme that begins with its fields.
enum { TEST_SCHEME_STEPS = 20 };
void test_scheme_check_all_ways(mst_context *context, const char *name, mst_stencil_desc desc, const test_scheme *reference,
                                bool cpu, bool gpu);

// An ensemble of a scheme of one field, whose runs differ in the parameter `a`; it has no grid yet.
mst_stencil_desc test_ensemble(const mst_stencil_field *field, const mst_stencil_update *update, const double *a, size_t n_runs);

#endif
