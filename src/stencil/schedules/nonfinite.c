#include "nonfinite.h"

#include "runtime/context.h"
#include "runtime/numbers.h"
#include "stencil/kernels/stepper.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

static uint64_t count_floats(const float *values, uint64_t n) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++)
        count += !(fabsf(values[i]) <= FLT_MAX);
    return count;
}

static uint64_t count_doubles(const double *values, uint64_t n) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++)
        count += !(fabs(values[i]) <= DBL_MAX);
    return count;
}

static uint64_t count_halves(const uint16_t *values, uint64_t n) {
    uint64_t count = 0;
    for (uint64_t i = 0; i < n; i++)
        count += (values[i] & 0x7c00) == 0x7c00;
    return count;
}

uint64_t mst_nonfinite_count(const void *values, uint64_t n, size_t bytes) {
    return bytes == 8 ? count_doubles(values, n) : bytes == 4 ? count_floats(values, n) : count_halves(values, n);
}

mst_status mst_counter_create(mst_context *context, const mst_problem *problem, mst_counter *c, mst_error *error) {
    mst_status status = MST_OK;
    const mst_program *program;
    *c = (mst_counter){.context = context, .problem = problem};
    MST_TRY(mst_program_of_file(context, "stencil: values that are not finite", "nonfinite.cl",
                                problem->is_double ? "-D PRECISION=64" : "-D PRECISION=32", &program, error));
    for (int a = 0; a < problem->n_arrays; a++) {
        const bool half = mst_problem_is_half(problem, a);
        if (!c->kernels[half])
            MST_TRY(mst_kernel_create(program, half ? "count_nonfinite_half" : "count_nonfinite", &c->kernels[half], error));
    }
fail:
    return status;
}

void mst_counter_release(mst_counter *c) {
    for (int half = 0; half < 2; half++)
        mst_kernel_destroy(c->kernels[half]);
    *c = (mst_counter){.context = NULL};
}

mst_status mst_counter_count(const mst_counter *c, int array, cl_mem values, const cl_long8 *grid, cl_mem counts, uint64_t *count,
                             mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = c->context;
    const mst_kernel *kernel = c->kernels[mst_problem_is_half(c->problem, array)];
    const cl_ulong items = mst_smaller(c->problem->nodes, (uint64_t)MST_NONFINITE_ITEMS);
    const size_t group = mst_kernel_group(context, kernel, (size_t)items);
    const mst_argument arguments[] = {MST_BIND(values, values), MST_BIND(grid, *grid), MST_BIND(counts, counts),
                                      MST_BIND(items, items)};
    mst_queue queue = mst_stepper_queue(context, c->problem);
    cl_uint *read = malloc((size_t)items * sizeof *read);
    *count = 0;
    MST_REQUIRE(read, MST_ERROR_HOST_MEMORY, "out of memory looking at a field");
    MST_TRY(mst_kernel_launch(&queue, kernel, arguments, MST_COUNT(arguments), (size_t)items, group, NULL, error));
    MST_TRY(mst_queue_read(&queue, counts, 0, (size_t)items * sizeof *read, read, "the look at a field", error));
    for (size_t i = 0; i < items; i++)
        *count += read[i];
fail:
    mst_queue_release(&queue);
    free(read);
    return status;
}
