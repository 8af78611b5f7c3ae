// Parts of a call, and what the host does behind a method: results as the caller gets them.
#include "integrand.h"

#include "runtime/numbers.h"
#include "runtime/pool.h"

#include <math.h>

mst_integral_call mst_integral_part(const mst_integral *plan, const mst_integral_call *call, size_t first, size_t count) {
    mst_integral_call part = *call;
    const size_t results = first * (size_t)plan->n_components;
    part.n_sets = count;
    part.rows += first * (size_t)plan->n_row;
    part.cuts += plan->same_bounds ? 0 : first * (size_t)plan->n_cuts;
    part.results += results;
    if (part.copies)
        part.copies = (mst_integral_result *)(void *)((char *)part.copies + results * plan->desc.result_size);
    return part;
}

// Whether a range has no width: then the integral is 0, whatever the integrand is there.
static bool is_empty(const mst_integral *plan, const double *cuts) {
    bool empty = false;
    for (int k = 0; k < plan->desc.n_variables; k++)
        empty = empty || cuts[plan->first_cut[k]] == cuts[plan->first_cut[k + 1] - 1];
    return empty;
}

// A value that is not finite decides the status, whatever the method said.
static void mark_non_finite(mst_integral_result *r) {
    if (isfinite(r->value) && r->status != MST_INTEGRAL_NON_FINITE)
        return;
    r->value = NAN;
    r->error = INFINITY;
    r->status = MST_INTEGRAL_NON_FINITE;
}

void mst_integral_finish_some(const mst_integral *plan, const mst_integral_call *call, size_t first, size_t end) {
    const size_t n_components = (size_t)plan->n_components, cuts_a_set = plan->same_bounds ? 0 : (size_t)plan->n_cuts;
    for (size_t i = first; i < end; i++) {
        const bool empty = is_empty(plan, call->cuts + i * cuts_a_set);
        for (size_t k = i * n_components; k < (i + 1) * n_components; k++) {
            mst_integral_result *r = &call->results[k];
            if (empty)
                *r = (mst_integral_result){0, 0, r->evaluations, MST_INTEGRAL_CONVERGED};
            mark_non_finite(r);
            if (call->copies)
                mst_elements_write(MST_INTEGRAL_RESULT, r, k, plan->desc.result_size, call->copies);
        }
    }
}

typedef struct finishing {
    const mst_integral *plan;
    const mst_integral_call *call;
} finishing;

static mst_status finish_results(size_t part, void *user, mst_error *error) {
    const finishing *f = user;
    const size_t first = part * MST_INTEGRAL_SETS;
    (void)error;
    mst_integral_finish_some(f->plan, f->call, first, mst_smaller(first + MST_INTEGRAL_SETS, f->call->n_sets));
    return MST_OK;
}

mst_status mst_integral_finish(const mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    finishing f = {plan, call};
    return mst_pool_run(plan->context->pool, mst_divide_up(call->n_sets, (size_t)MST_INTEGRAL_SETS), finish_results, &f, error);
}
