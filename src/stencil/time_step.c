// The largest stable time step of a description: what the library's other rooms need of it, and no device.
#include "description.h"
#include "runtime/description.h"
#include "runtime/numbers.h"
#include "stability/limit.h"
#include "stream/transfer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STABILITY MST_DESCRIPTION(mst_stencil_stability, MST_STENCIL_STABILITY_INIT, growth_rate)

enum { CHUNK = 1 << 16 }; // values read together

static void widen(double range[2], double value) {
    if (isfinite(value)) {
        range[0] = fmin(range[0], value);
        range[1] = fmax(range[1], value);
    }
}

// The least and the largest value of data, NaN and infinite ones aside.
static mst_status find_range(const mst_transfer *from, double range[2], mst_error *error) {
    mst_status status = MST_OK;
    const size_t bytes = mst_type_bytes(from->layout.type), n = mst_layout_count(&from->layout);
    mst_pool *pool = NULL;
    void *values = malloc(CHUNK * bytes);
    range[0] = INFINITY;
    range[1] = -INFINITY;
    MST_REQUIRE(values, MST_ERROR_HOST_MEMORY, "out of memory reading %s", from->name);
    MST_TRY(mst_pool_create(0, &pool, error));
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t end = mst_smaller(n, at + CHUNK);
        MST_TRY(mst_transfer_read(pool, from, at * bytes, end * bytes, values, error));
        for (size_t i = 0; i < end - at; i++)
            widen(range, bytes == 8 ? ((double *)values)[i] : (double)((float *)values)[i]);
    }
    if (range[0] > range[1])
        range[0] = range[1] = 0;
fail:
    mst_pool_destroy(pool);
    free(values);
    return status;
}

static mst_status read_coefficients(const mst_stencil_desc *desc, mst_open_scheme *scheme, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &scheme->problem;
    for (int f = 0; f < p->n_fields; f++) {
        const mst_stencil_initial *initial = &desc->fields[f].initial;
        char what[MST_EXPR_MAX_NAME + 30];
        if (!p->fields[f].coefficient)
            continue;
        snprintf(what, sizeof what, "the initial value of %s", p->fields[f].name);
        MST_TRY(mst_initial_check(desc, initial, what, error));
        const mst_transfer from = {initial->layout, initial->data, what};
        if (initial->expression)
            MST_TRY(mst_problem_initial(p, desc, initial->expression, what, &scheme->coefficients[f], error));
        else if (initial->layout.rank > 0)
            MST_TRY(find_range(&from, scheme->range[f], error));
    }
fail:
    return status;
}

mst_status mst_stencil_time_step_limit(const mst_stencil_desc *desc, mst_stencil_stability *stability, mst_error *error) {
    mst_status status = MST_OK;
    mst_scheme_description given = {.arrays = {NULL}};
    mst_open_scheme *scheme = NULL;
    mst_step_limit limit;
    MST_REQUIRE(desc && stability, MST_ERROR_ARGUMENT, "desc and stability must not be NULL");
    MST_TRY(mst_description_check(STABILITY, stability, error));
    MST_REQUIRE(scheme = calloc(1, sizeof *scheme), MST_ERROR_HOST_MEMORY, "out of memory for the largest stable time step");
    MST_TRY(mst_scheme_description_read(desc, &given, error));
    MST_TRY(mst_problem_read_open(&given.desc, &scheme->problem, error));
    MST_TRY(read_coefficients(&given.desc, scheme, error));
    MST_TRY(mst_step_limit_find(scheme, given.desc.time_step, &limit, error));
    mst_stencil_stability full = MST_STENCIL_STABILITY_INIT;
    full.time_step_limit = limit.time_step;
    full.growth_rate = limit.rate;
    for (int k = 0; k < given.desc.rank; k++)
        full.wave[k] = limit.wave[mst_problem_axis(given.desc.rank, k)];
    mst_description_write(STABILITY, &full, stability);
fail:
    if (scheme)
        mst_open_release(scheme);
    free(scheme);
    mst_scheme_description_release(&given);
    return status;
}
