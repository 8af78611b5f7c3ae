// The largest stable time step of a description: what the library's other rooms need of it, and no device.
#include "description.h"
#include "given.h"
#include "runtime/description.h"
#include "runtime/numbers.h"
#include "stability/limit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define STABILITY MST_DESCRIPTION(mst_stencil_stability, MST_STENCIL_STABILITY_INIT, growth_rate)

enum { CHUNK = 1 << 16 }; // values read together

// Calls `see` with all values of data, some at a time.
static mst_status visit(const mst_given *given, void (*see)(void *to, const double *values, size_t n), void *to,
                        mst_error *error) {
    mst_status status = MST_OK;
    const mst_transfer *from = &given->from;
    const size_t bytes = mst_type_bytes(from->layout.type), n = mst_layout_count(&from->layout);
    mst_pool *pool = NULL;
    void *read = malloc(CHUNK * bytes);
    double *values = malloc(CHUNK * sizeof *values);
    MST_REQUIRE(read && values, MST_ERROR_HOST_MEMORY, "out of memory reading %s", from->name);
    MST_TRY(mst_pool_create(0, &pool, error));
    for (size_t at = 0; at < n; at += CHUNK) {
        const size_t end = mst_smaller(n, at + CHUNK);
        MST_TRY(mst_transfer_read(pool, from, at * bytes, end * bytes, read, error));
        MST_TRY(mst_given_values(given, read, at, end - at, values, error));
        see(to, values, end - at);
    }
fail:
    mst_pool_destroy(pool);
    free(read);
    free(values);
    return status;
}

static void widen(void *to, const double *values, size_t n) {
    double *range = to;
    for (size_t i = 0; i < n; i++)
        if (isfinite(values[i])) {
            range[0] = fmin(range[0], values[i]);
            range[1] = fmax(range[1], values[i]);
        }
}

// The least and the largest value of data, NaN and infinite ones aside.
static mst_status find_range(const mst_given *given, double range[2], mst_error *error) {
    range[0] = INFINITY;
    range[1] = -INFINITY;
    const mst_status status = visit(given, widen, range, error);
    if (range[0] > range[1])
        range[0] = range[1] = 0;
    return status;
}

static void mark(void *to, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        ((bool *)to)[(size_t)values[i]] = true;
}

// Which rows of a table there are in the data.
static mst_status find_rows(const mst_given *given, bool *found, mst_error *error) {
    mst_status status = MST_OK;
    mst_given numbers = *given;
    double *table = malloc(given->n_table * sizeof *table);
    MST_REQUIRE(table, MST_ERROR_HOST_MEMORY, "out of memory reading %s", given->from.name);
    for (size_t k = 0; k < given->n_table; k++)
        table[k] = isnan(given->table[k]) ? NAN : (double)k;
    numbers.table = table;
    MST_TRY(visit(&numbers, mark, found, error));
fail:
    free(table);
    return status;
}

// The rows of a field's table in the data, with a group of its own or in that of an earlier field.
static mst_status read_rows(const mst_stencil_desc *desc, mst_open_scheme *s, int f, const mst_given *given, mst_error *error) {
    mst_status status = MST_OK;
    bool *found = calloc(given->n_table, sizeof *found);
    double *rows = s->rows[f] = malloc(given->n_table * sizeof *rows);
    size_t n = 0;
    MST_REQUIRE(found && rows, MST_ERROR_HOST_MEMORY, "out of memory reading %s", given->from.name);
    MST_TRY(find_rows(given, found, error));
    for (size_t k = 0; k < given->n_table; k++)
        if (found[k])
            rows[n++] = given->table[k];
    for (int other = 0; other < f && !s->group[f]; other++)
        if (s->group[other] && mst_given_is_tied(&desc->fields[other], &desc->fields[f]))
            s->group[f] = s->group[other];
    if (!s->group[f])
        s->group[f] = ++s->n_groups;
    s->n_rows[s->group[f]] = n;
fail:
    free(found);
    return status;
}

static mst_status read_coefficients(const mst_stencil_desc *desc, mst_open_scheme *scheme, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &scheme->problem;
    for (int f = 0; f < p->n_fields; f++) {
        char what[MST_EXPR_MAX_NAME + 30];
        mst_given given;
        if (!p->fields[f].coefficient)
            continue;
        const mst_stencil_initial *initial = &desc->fields[f].initial;
        snprintf(what, sizeof what, "the initial value of %s", p->fields[f].name);
        MST_TRY(mst_given_check(desc, &desc->fields[f], initial, what, &given, error));
        if (initial->expression)
            MST_TRY(mst_problem_initial(p, desc, initial->expression, what, &scheme->coefficients[f], error));
        else if (given.table)
            MST_TRY(read_rows(desc, scheme, f, &given, error));
        else if (initial->layout.rank > 0)
            MST_TRY(find_range(&given, scheme->range[f], error));
    }
fail:
    return status;
}

// The least of all runs.
static mst_status find_limit(mst_open_scheme *scheme, double time_step, mst_step_limit *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_step_limit of_run;
    MST_TRY(mst_step_limit_find(scheme, time_step, out, error));
    for (scheme->run = 1; scheme->run < (int64_t)scheme->problem.grids; scheme->run++) {
        MST_TRY(mst_step_limit_find(scheme, time_step, &of_run, error));
        if (of_run.time_step < out->time_step)
            *out = of_run;
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
    MST_TRY(find_limit(scheme, given.desc.time_step, &limit, error));
    mst_stencil_stability full = MST_STENCIL_STABILITY_INIT;
    full.time_step_limit = limit.time_step;
    full.growth_rate = limit.rate;
    const int rank = scheme->problem.rank;
    for (int k = 0; k < desc->rank; k++) // without that of runs
        full.wave[k] = limit.wave[mst_problem_axis(rank, rank - desc->rank + k)];
    mst_description_write(STABILITY, &full, stability);
fail:
    if (scheme)
        mst_open_release(scheme);
    free(scheme);
    mst_scheme_description_release(&given);
    return status;
}
