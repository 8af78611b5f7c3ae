// Results of the adaptive rule on their way to the caller: some integrals at a time through memory that stays with the plan, as
// new memory costs the system more than the copy, and from there by the threads of the pool.
#include "buffers.h"
#include "regions.h"

#include "runtime/numbers.h"
#include "runtime/pinned.h"
#include "runtime/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 4 << 20, LEAST_PINNED = 1 << 15 }; // integrals for which memory is pinned: that costs some 0.1 ms

void mst_collected_release(mst_context *context, mst_collected *c) {
    if (c->pinned)
        mst_pinned_unmap(context, c->pinned, c->memory);
    else
        free(c->memory);
    *c = (mst_collected){NULL, 0, NULL};
}

static mst_status reserve(mst_context *context, mst_collected *c, uint64_t bytes, bool pins, mst_error *error) {
    mst_status status = MST_OK;
    pins = pins && !context->device.unified_memory;
    if (c->bytes >= bytes && (c->pinned || !pins))
        return MST_OK;
    mst_collected_release(context, c);
    if (pins && mst_pinned_map(context, bytes, "results", &c->pinned, &c->memory, NULL) != MST_OK)
        mst_collected_release(context, c); // other memory does
    if (!c->memory)
        MST_REQUIRE(c->memory = malloc((size_t)bytes), MST_ERROR_HOST_MEMORY, "out of memory for results");
    c->bytes = bytes;
fail:
    return status;
}

static size_t result_bytes(const mst_integral *plan) {
    const size_t components = (size_t)plan->n_components;
    return MST_REGIONS_RESULTS * components * mst_integral_number_bytes(plan) + (components + 1) * sizeof(cl_uint);
}

mst_status mst_collected_reserve(mst_integral *plan, size_t n_sets, mst_error *error) {
    mst_status status = MST_OK;
    mst_regions *r = plan->work;
    const size_t each = mst_larger(result_bytes(plan), (size_t)plan->n_row * mst_integral_number_bytes(plan));
    const bool pins = n_sets >= LEAST_PINNED || r->collected.pinned;
    MST_TRY(reserve(plan->context, &r->collected, mst_larger(each, mst_smaller(n_sets * each, (size_t)MOST_BYTES)), pins, error));
    MST_TRY(reserve(plan->context, &r->counts, MST_REGIONS_COUNTS * sizeof(cl_uint), pins, error));
fail:
    return status;
}

// The driver takes long to copy from memory that is not pinned, and other threads of the process wait for it.
mst_status mst_regions_upload_rows(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    mst_regions *r = plan->work;
    const size_t n = call->n_sets * (size_t)plan->n_row, piece = (size_t)r->collected.bytes / sizeof(double);
    if (!plan->is_double || !r->collected.pinned)
        return mst_integral_upload(plan, &r->rows, call->rows, n, "parameters", error);
    MST_TRY(mst_integral_reserve(plan, &r->rows, mst_larger(n, (size_t)1) * sizeof(double), "parameters", error));
    for (size_t first = 0; first < n; first += piece) {
        const size_t bytes = mst_smaller(piece, n - first) * sizeof(double);
        memcpy(r->collected.memory, call->rows + first, bytes);
        MST_TRY(mst_queue_write(&plan->queue, CL_TRUE, r->rows.memory, first * sizeof(double), bytes, r->collected.memory,
                                "parameters", error));
    }
fail:
    return status;
}

typedef struct collecting {
    const mst_integral *plan;
    const mst_integral_call *call;
    const unsigned char *numbers; // of integrals from `first` on
    const cl_uint *states;
    size_t first, end;
} collecting;

static double number(const mst_integral *plan, const unsigned char *numbers, size_t i) {
    double wide;
    float narrow;
    if (plan->is_double)
        return memcpy(&wide, numbers + i * sizeof wide, sizeof wide), wide;
    return memcpy(&narrow, numbers + i * sizeof narrow, sizeof narrow), (double)narrow;
}

static mst_status make_results(size_t part, void *user, mst_error *error) {
    enum { RUNNING = 4 }; // as regions.cl has it, or more
    const collecting *c = user;
    const mst_integral *plan = c->plan;
    const mst_regions *r = plan->work;
    const size_t components = (size_t)plan->n_components;
    const size_t begin = c->first + part * MST_INTEGRAL_SETS, end = mst_smaller(begin + MST_INTEGRAL_SETS, c->end);
    (void)error;
    for (size_t i = begin; i < end; i++) {
        const cl_uint *states = c->states + (i - c->first) * (components + 1);
        for (size_t k = 0; k < components; k++) {
            const size_t at = MST_REGIONS_RESULTS * ((i - c->first) * components + k);
            mst_integral_result *out = &c->call->results[i * components + k];
            out->value = number(plan, c->numbers, at);
            out->error = number(plan, c->numbers, at + 1);
            out->evaluations = (uint64_t)states[components] * r->n_points;
            out->status = states[k] >= RUNNING ? MST_INTEGRAL_BUDGET : (mst_integral_status)states[k];
            if (isinf(out->error)) // a region in which the integrand is not finite is still there
                out->status = MST_INTEGRAL_NON_FINITE;
        }
    }
    mst_integral_finish_some(plan, c->call, begin, end);
    return MST_OK;
}

mst_status mst_regions_collect(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    mst_regions *r = plan->work;
    const size_t components = (size_t)plan->n_components;
    const size_t numbers = MST_REGIONS_RESULTS * components * mst_integral_number_bytes(plan), states = components + 1;
    const size_t piece = (size_t)r->collected.bytes / result_bytes(plan);
    for (size_t first = 0; first < call->n_sets; first += piece) {
        const size_t count = mst_smaller(piece, call->n_sets - first);
        unsigned char *memory = r->collected.memory;
        cl_uint *state = (cl_uint *)(void *)(memory + count * numbers);
        collecting c = {plan, call, memory, state, first, first + count};
        MST_TRY(mst_queue_read(&plan->queue, r->results.memory, first * numbers, count * numbers, memory, "results", error));
        MST_TRY(mst_integral_download_counts(plan, r->state.memory, first * states, state, count * states, error));
        MST_TRY(mst_pool_run(plan->context->pool, mst_divide_up(count, (size_t)MST_INTEGRAL_SETS), make_results, &c, error));
    }
fail:
    return status;
}
