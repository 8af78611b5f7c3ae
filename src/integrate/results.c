// What the host does behind a method: results as the caller gets them.
#include "integrand.h"

#include "runtime/numbers.h"
#include "runtime/pool.h"

#include <math.h>

// Whether a range has no width: then the integral is 0, whatever the integrand is there.
static bool is_empty(const mst_integral *plan, const double *cuts) {
    bool empty = plan->desc.n_variables == 1 && cuts[0] == cuts[plan->n_cuts - 1];
    for (int k = 0; k < plan->desc.n_variables && plan->desc.n_variables > 1; k++)
        empty = empty || cuts[2 * k] == cuts[2 * k + 1];
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

typedef struct finishing {
    const mst_integral *plan;
    const mst_integral_call *call;
    const mst_integral_result *computed; // from `first` on
    size_t first, end;
} finishing;

static mst_status finish_results(size_t part, void *user, mst_error *error) {
    const finishing *f = user;
    const mst_integral *plan = f->plan;
    const size_t n_components = (size_t)plan->n_components;
    const size_t begin = f->first + part * MST_INTEGRAL_SETS, end = mst_smaller(begin + MST_INTEGRAL_SETS, f->end);
    (void)error;
    for (size_t i = begin; i < end; i++) {
        const bool empty = is_empty(plan, f->call->cuts + i * (size_t)plan->n_cuts);
        for (size_t k = i * n_components; k < (i + 1) * n_components; k++) {
            mst_integral_result r = f->computed[k - f->first * n_components];
            if (empty)
                r = (mst_integral_result){0, 0, r.evaluations, MST_INTEGRAL_CONVERGED};
            mark_non_finite(&r);
            f->call->results[k] = r;
            if (f->call->copies)
                mst_elements_write(MST_INTEGRAL_RESULT, &r, k, plan->desc.result_size, f->call->copies);
        }
    }
    return MST_OK;
}

mst_status mst_integral_finish(const mst_integral *plan, const mst_integral_call *call, const mst_integral_result *computed,
                               size_t first, size_t count, mst_error *error) {
    finishing f = {plan, call, computed, first, first + count};
    return mst_pool_run(plan->context->pool, mst_divide_up(count, (size_t)MST_INTEGRAL_SETS), finish_results, &f, error);
}
