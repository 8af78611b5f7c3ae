#include "arrays.h"

#include "runtime/layout.h"
#include "runtime/numbers.h"
#include "runtime/queue.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_BYTES ((uint64_t)64 << 20)

uint64_t mst_tune_array_bytes(mst_context *context, int arrays) {
    uint64_t share = mst_budget_left(context, &context->device_memory) / (2 * (uint64_t)arrays);
    share = mst_smaller(share, context->device.max_allocation_bytes);
    return mst_smaller(share, MOST_BYTES);
}

static uint64_t bytes_of(const mst_layout *layout) {
    return (mst_layout_count(layout) * mst_type_bytes(layout->type) + 3) / 4 * 4; // filled by fours
}

static const mst_layout *layout_of(const mst_tune_arrays *a, int k) { return k < a->n_inputs ? &a->inputs[k] : &a->output; }

// Marsaglia's xorshift64.
double mst_tune_uniform(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

// Numbers in (0, 1), so that few functions meet what they have no value for; integers up to 100.
static void fill_random(const mst_layout *layout, uint64_t *state, void *data) {
    size_t n = mst_layout_count(layout);
    bool is_complex = mst_type_is_complex(layout->type);
    if (layout->type == MST_FLOAT32 || layout->type == MST_COMPLEX64)
        for (size_t i = 0; i < n * (is_complex ? 2 : 1); i++)
            ((float *)data)[i] = (float)mst_tune_uniform(state);
    else if (mst_type_is_double(layout->type))
        for (size_t i = 0; i < n * (is_complex ? 2 : 1); i++)
            ((double *)data)[i] = mst_tune_uniform(state);
    else {
        size_t size = mst_type_bytes(layout->type);
        memset(data, 0, n * size);
        for (size_t i = 0; i < n; i++) // little or big endian, a byte of it is a small number
            ((unsigned char *)data)[i * size] = (unsigned char)(100 * mst_tune_uniform(state));
    }
}

static mst_status prepare(void *user, uint64_t seed, mst_error *error) {
    mst_status status = MST_OK;
    mst_tune_arrays *a = user;
    uint64_t state = seed * 2 + 1;
    void *data = NULL;
    for (int k = 0; k <= a->n_inputs; k++) {
        const mst_layout *layout = layout_of(a, k);
        uint64_t bytes = bytes_of(layout);
        MST_TRY(mst_device_allocate(a->context, CL_MEM_READ_WRITE, bytes, "test runs", &a->buffers[k], error));
        if (k == a->n_inputs)
            break;
        free(data);
        MST_REQUIRE(data = malloc((size_t)bytes), MST_ERROR_HOST_MEMORY, "out of memory for test runs");
        fill_random(layout, &state, data);
        MST_TRY(mst_device_write(a->context, a->context->compute, a->buffers[k], (size_t)bytes, data, "an array for test runs",
                                 error));
    }
    a->expected = malloc((size_t)bytes_of(&a->output));
    a->got = malloc((size_t)bytes_of(&a->output));
    MST_REQUIRE(a->expected && a->got, MST_ERROR_HOST_MEMORY, "out of memory for test runs");
fail:
    free(data);
    return status;
}

static void finish(void *user) {
    mst_tune_arrays *a = user;
    for (int k = 0; k <= a->n_inputs; k++)
        mst_device_release(a->context, a->buffers[k], bytes_of(layout_of(a, k)));
    free(a->expected);
    free(a->got);
}

static mst_status build(void *user, const int64_t *values, void **candidate, mst_error *error) {
    const mst_tune_arrays *a = user;
    return a->create(a->user, values, candidate, error);
}

static mst_status clear(void *user, mst_error *error) {
    mst_status status = MST_OK;
    mst_tune_arrays *a = user;
    mst_queue queue = MST_QUEUE(a->context, a->context->compute);
    MST_TRY(mst_queue_fill(&queue, a->buffers[a->n_inputs], 0xffffffffu, (size_t)bytes_of(&a->output), "an array for test runs",
                           error));
    MST_TRY(mst_queue_finish(&queue, error));
fail:
    mst_queue_release(&queue);
    return status;
}

static void discard(void *user, void *candidate) { ((mst_tune_arrays *)user)->destroy(candidate); }

static mst_status run(void *user, void *candidate, int times, const mst_execution *go_on, mst_error *error) {
    mst_status status = MST_OK;
    mst_tune_arrays *a = user;
    (void)go_on; // MOST_BYTES do not take long
    mst_queue queue = MST_QUEUE(a->context, a->context->compute);
    mst_location inputs[MST_TUNE_INPUTS], output = mst_at_device(a->buffers[a->n_inputs], 0);
    for (int k = 0; k < a->n_inputs; k++)
        inputs[k] = mst_at_device(a->buffers[k], 0);
    for (int i = 0; i < times; i++) {
        cl_event event = NULL;
        mst_execution how = MST_EXECUTION_INIT;
        how.event = &event;
        status = a->execute(candidate, inputs, output, &how, error);
        MST_TRY(status);
        MST_TRY(mst_queue_add(&queue, event, "a test run", NULL, error));
    }
    MST_TRY(mst_queue_finish(&queue, error));
fail:
    mst_queue_release(&queue);
    return status;
}

// Adds the squares of a number and of its difference to another; false if only one of them is a number.
static bool add_difference(double expected, double got, double *all, double *difference) {
    if (expected == got || (isnan(expected) && isnan(got))) {
        *all += isfinite(expected) ? expected * expected : 0;
        return true;
    }
    if (!isfinite(expected) || !isfinite(got))
        return false;
    *all += expected * expected;
    *difference += (expected - got) * (expected - got);
    return true;
}

static bool is_close(const mst_tune_arrays *a) {
    const mst_layout *layout = &a->output;
    bool is_double = mst_type_is_double(layout->type);
    bool is_complex = mst_type_is_complex(layout->type);
    size_t n = mst_layout_count(layout) * (is_complex ? 2 : 1);
    double all = 0, difference = 0;
    if (!is_double && !is_complex && layout->type != MST_FLOAT32)
        return memcmp(a->expected, a->got, n * mst_type_bytes(layout->type)) == 0;
    for (size_t i = 0; i < n; i++) {
        double expected = is_double ? ((const double *)a->expected)[i] : ((const float *)a->expected)[i];
        double got = is_double ? ((const double *)a->got)[i] : ((const float *)a->got)[i];
        if (!add_difference(expected, got, &all, &difference))
            return false;
    }
    return sqrt(difference) <= a->tolerance * sqrt(all);
}

static mst_status check(void *user, void *candidate, bool *right, mst_error *error) {
    mst_status status = MST_OK;
    mst_tune_arrays *a = user;
    mst_queue queue = MST_QUEUE(a->context, a->context->compute);
    (void)candidate;
    MST_TRY(mst_queue_read(&queue, a->buffers[a->n_inputs], 0, (size_t)bytes_of(&a->output),
                           a->has_expected ? a->got : a->expected, "the result of a test run", error));
    *right = !a->has_expected || is_close(a);
    a->has_expected = true;
fail:
    mst_queue_release(&queue);
    return status;
}

static void timed(void *user, const int64_t *values, double seconds) {
    const mst_tune_arrays *a = user;
    if (a->timed)
        a->timed(a->user, values, seconds);
}

const mst_tune_work mst_tune_arrays_work = {prepare, finish, build, clear, discard, run, check, timed, NULL};
