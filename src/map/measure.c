// Test runs of a map's own kernel at every vector width: no rule foresees the best one, and what a device says that it prefers
// often is not (Burtsev, parallel templates for vector and scalar devices).
#include "plan.h"

#include "runtime/layout.h"
#include "runtime/program.h"

#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((uint64_t)64 << 20) // of the largest array, far more than caches hold
#define LEAST_ELEMENTS 4096
#define REPEATS 7
#define LEAST_SECONDS 1e-3 // of a sample: launching it must not count

static const unsigned widths[MST_MAP_N_WIDTHS] = {1, 2, 4, 8, 16};

typedef struct trial {
    const mst_map *plan;
    mst_map_operand ports[MST_MAP_MAX_PORTS];
    uint64_t bytes[MST_MAP_MAX_PORTS];
    uint64_t n;
} trial;

// As many elements as the plan has, within the budget.
static uint64_t elements(const mst_map *plan) {
    uint64_t n = mst_layout_count(&plan->layouts[1]), largest = 1, all = 0, left;
    for (int p = 0; p <= plan->n_inputs; p++) {
        uint64_t bytes = mst_type_bytes(plan->layouts[p].type);
        largest = bytes > largest ? bytes : largest;
        all += bytes;
    }
    left = mst_budget_left(plan->context, &plan->context->device_memory) / all;
    n = n < LEAST_ELEMENTS ? LEAST_ELEMENTS : n;
    n = n > MOST_BYTES / largest ? MOST_BYTES / largest : n;
    return n > left ? left : n;
}

// Zeros, so that no expression meets what is no number.
static mst_status make_arrays(trial *t, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = t->plan->context;
    const cl_int zero = 0;
    for (int p = 0; p <= t->plan->n_inputs; p++) {
        t->bytes[p] = (t->n * mst_type_bytes(t->plan->layouts[p].type) + 3) / 4 * 4;
        MST_TRY(mst_device_allocate(context, CL_MEM_READ_WRITE, t->bytes[p], "test runs", &t->ports[p].buffer, error));
        MST_TRY_CL(
            clEnqueueFillBuffer(context->compute, t->ports[p].buffer, &zero, sizeof zero, 0, (size_t)t->bytes[p], 0, NULL, NULL),
            "cannot fill an array for test runs");
    }
fail:
    return status;
}

static mst_status sample(const trial *t, cl_kernel kernel, unsigned width, int launches, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    cl_command_queue queue = t->plan->context->compute;
    double start = mst_now();
    for (int k = 0; k < launches; k++)
        MST_TRY(mst_map_launch(t->plan, kernel, MST_MAP_ALIGNED, width, queue, t->ports, t->n, error));
    MST_TRY_CL(clFinish(queue), "a test run failed");
    *seconds = (mst_now() - start) / launches;
fail:
    return status;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The median of some runs after a first one, which may have to move pages or compile.
static mst_status time_width(const trial *t, unsigned width, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    char *text = NULL;
    cl_kernel kernel = NULL;
    double samples[REPEATS], once = 0;
    MST_TRY(mst_map_write(t->plan, MST_MAP_ALIGNED, width, &text, error));
    MST_TRY(mst_map_build(t->plan, text, &kernel, error));
    MST_TRY(sample(t, kernel, width, 1, &once, error));
    MST_TRY(sample(t, kernel, width, 1, &once, error));
    int launches = once < LEAST_SECONDS ? 1 + (int)(LEAST_SECONDS / (once + 1e-7)) : 1;
    for (int k = 0; k < REPEATS; k++)
        MST_TRY(sample(t, kernel, width, launches, &samples[k], error));
    qsort(samples, REPEATS, sizeof samples[0], by_value);
    *seconds = samples[REPEATS / 2] / (double)t->n;
fail:
    mst_kernel_release(kernel);
    free(text);
    return status;
}

mst_status mst_map_measure(mst_map *plan, mst_error *error) {
    mst_status status = MST_OK;
    trial t = {.plan = plan, .n = elements(plan)};
    double best = 0;
    MST_REQUIRE(t.n > 0, MST_ERROR_BUDGET, "the device memory budget of %llu bytes leaves nothing for test runs",
                (unsigned long long)plan->context->device_memory.limit);
    MST_TRY(make_arrays(&t, error));
    for (int w = 0; w < MST_MAP_N_WIDTHS; w++) {
        MST_TRY(time_width(&t, widths[w], &plan->measured[w], error));
        if (w == 0 || plan->measured[w] < best) {
            best = plan->measured[w];
            plan->width = widths[w];
        }
    }
fail:
    for (int p = 0; p <= plan->n_inputs; p++)
        mst_device_release(plan->context, t.ports[p].buffer, t.bytes[p]);
    return status;
}
