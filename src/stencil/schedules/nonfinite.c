#include "nonfinite.h"

#include "runtime/context.h"
#include "runtime/numbers.h"

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

uint64_t mst_nonfinite_count(const void *values, uint64_t n, bool is_double) {
    return is_double ? count_doubles(values, n) : count_floats(values, n);
}

mst_status mst_nonfinite_build(mst_context *context, bool is_double, mst_kernel **out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_program *program;
    MST_TRY(mst_program_of_file(context, "stencil: values that are not finite", "nonfinite.cl",
                                is_double ? "-D PRECISION=64" : "-D PRECISION=32", &program, error));
    MST_TRY(mst_kernel_create(program, "count_nonfinite", out, error));
fail:
    return status;
}

mst_status mst_nonfinite_count_on_device(mst_context *context, const mst_kernel *kernel, cl_mem values, const cl_long8 *grid,
                                         uint64_t nodes, cl_mem counts, uint64_t *count, mst_error *error) {
    mst_status status = MST_OK;
    const cl_ulong items = mst_smaller(nodes, (cl_ulong)MST_NONFINITE_ITEMS);
    const size_t group = mst_kernel_group(context, kernel, (size_t)items);
    const mst_argument arguments[] = {MST_BIND(values, values), MST_BIND(grid, *grid), MST_BIND(counts, counts),
                                      MST_BIND(items, items)};
    mst_queue queue = MST_QUEUE(context, context->compute);
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
