#include "kernel.h"
#include "numbers.h"

#define REPEATS 5
#define LAUNCHES 4 // a sample, so that the cost of a launch does not count,
#define LONG 5e-3  // unless one takes so many seconds

mst_status mst_context_copy_rate(mst_context *context, double *bytes_per_second, mst_error *error) {
    mst_status status = MST_OK;
    const mst_program *program;
    mst_kernel *kernel = NULL;
    mst_queue queue = MST_QUEUE(context, NULL);
    cl_mem from = NULL, to = NULL;
    double seconds[REPEATS];
    uint64_t bytes = (uint64_t)256 << 20;
    MST_REQUIRE(context && bytes_per_second, MST_ERROR_ARGUMENT, "context and bytes_per_second must not be NULL");
    queue.opencl = context->compute;
    while (bytes > 4096 &&
           (2 * bytes > mst_budget_left(context, &context->device_memory) || bytes > context->device.max_allocation_bytes))
        bytes /= 2;
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, bytes, "the copy test", &from, error));
    MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, bytes, "the copy test", &to, error));
    // Memory that was never written may not be backed by pages of its own yet, and would be read too fast.
    MST_TRY(mst_queue_fill(&queue, from, 1, (size_t)bytes, "the copy test", error));
    MST_TRY(mst_program_of_file(context, "copy rate", "copy.cl", "-D PRECISION=32", &program, error));
    MST_TRY(mst_kernel_create(program, "copy", &kernel, error));
    cl_ulong n = bytes / 16;
    const mst_argument arguments[] = {MST_BIND(from, from), MST_BIND(to, to), MST_BIND(n, n)};
    size_t group = mst_kernel_group(context, kernel, (size_t)n);
    int launches = 1;
    for (int i = -2; i < REPEATS; i++) { // two runs to warm up, the second of which says how long a launch takes
        const double start = mst_now();
        for (int k = 0; k < launches; k++)
            MST_TRY(mst_kernel_launch(&queue, kernel, arguments, MST_COUNT(arguments), (size_t)n, group, NULL, error));
        MST_TRY(mst_queue_finish(&queue, error));
        const double taken = mst_now() - start;
        if (i >= 0)
            seconds[i] = taken;
        else if (i == -1 && taken < LONG)
            launches = LAUNCHES;
    }
    *bytes_per_second = 2.0 * launches * (double)bytes / mst_median(seconds, REPEATS);
fail:
    mst_queue_release(&queue);
    mst_kernel_destroy(kernel);
    mst_device_release(context, from, bytes);
    mst_device_release(context, to, bytes);
    return status;
}
