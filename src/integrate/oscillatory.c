// Integrals to infinity of integrands that oscillate for ever (Longman 1956): a plan of its own, adaptive and of parameters
// beside the caller's, integrates between zeros, a few more of them for all integrals in each round. Where there are none, the
// adaptive rule takes the range as it is.
#include "oscillatory.h"

#include "buffers.h"
#include "integrand.h"

#include "runtime/numbers.h"
#include "runtime/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS_AT_ONCE = 512, FIRST_WAVES = 16, MOST_SIDES = 2, MOST_BETWEEN = 1 << 15 }; // evaluations between two zeros

#define INNER_SHARE 0.02 // of the tolerance, for the integral between two zeros

// ---- The plan

// Names that the description does not have.
static void choose_names(const mst_integral_desc *d, char names[2][16]) {
    bool taken = true;
    for (unsigned i = 0; taken; i++) {
        snprintf(names[0], sizeof names[0], "zero%u", i);
        snprintf(names[1], sizeof names[1], "next%u", i);
        taken = strcmp(d->ranges[0].name, names[0]) == 0 || strcmp(d->ranges[0].name, names[1]) == 0;
        for (int k = 0; k < d->n_parameters; k++)
            taken = taken || strcmp(d->parameters[k], names[0]) == 0 || strcmp(d->parameters[k], names[1]) == 0;
    }
}

static void describe_between(const mst_integral *plan, mst_oscillatory_part *out) {
    mst_integral_desc *d = &out->desc;
    choose_names(d, out->ends);
    out->range = (mst_integral_range){d->ranges[0].name, out->ends[0], out->ends[1]};
    for (int k = 0; k < d->n_parameters; k++)
        out->parameters[k] = d->parameters[k];
    for (int k = 0; k < 2; k++)
        out->parameters[d->n_parameters++] = out->ends[k];
    d->ranges = &out->range;
    d->range_size = sizeof out->range;
    d->parameters = out->parameters;
    d->relative_tolerance = fmax(INNER_SHARE * plan->desc.relative_tolerance, plan->is_double ? 1e-13 : 1e-5);
    d->absolute_tolerance = INNER_SHARE * plan->desc.absolute_tolerance;
    d->max_evaluations = MOST_BETWEEN;
}

mst_status mst_oscillatory_describe(const mst_integral *plan, const mst_integral_desc *desc, int part, mst_oscillatory_part *out,
                                    mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(plan->kinds[0] != MST_RANGE_FINITE, MST_ERROR_ARGUMENT,
                "the rule oscillatory is for ranges to infinity; use adaptive");
    MST_REQUIRE(desc->n_parameters + 2 <= MST_INTEGRAL_MAX_PARAMETERS, MST_ERROR_ARGUMENT,
                "n_parameters is %d; the rule oscillatory takes up to %d", desc->n_parameters, MST_INTEGRAL_MAX_PARAMETERS - 2);
    *out = (mst_oscillatory_part){.desc = *desc};
    out->desc.rule = MST_INTEGRAL_ADAPTIVE;
    out->desc.type = plan->desc.type;
    out->desc.result_size = sizeof(mst_integral_result);
    if (part == MST_PART_BETWEEN)
        describe_between(plan, out);
fail:
    return status;
}

static mst_status run_part(mst_integral *plan, int which, const double *parameters, size_t n, mst_integral_result *results,
                           mst_error *error) {
    mst_status status = MST_OK;
    mst_integral *part = plan->parts[which];
    mst_report report = MST_REPORT_INIT;
    const mst_execution how = MST_EXECUTION_INIT;
    mst_integral_call call = {
        .n_sets = n, .n_all = n, .parameters = parameters, .results = results, .how = &how, .report = &report};
    if (n == 0)
        return MST_OK;
    MST_TRY(mst_integrand_take_rows(part, &call, error));
    MST_TRY(mst_integral_run(part, &call, error));
fail:
    if (status != MST_OK)
        mst_queue_abandon(&part->queue);
    free(call.memory);
    return status;
}

// ---- A call, some integrals of it at a time

typedef struct integral {
    mst_waves *sides; // n_sides of them
    const double *row, *cuts;
    mst_integral_result *result;
    bool is_over, is_plain;
} integral;

typedef struct oscillation {
    mst_integral *plan;
    const mst_integral_call *call;
    unsigned n_sides, wanted; // places of each
    size_t n_integrals;
    integral integrals[SETS_AT_ONCE];
    mst_waves *sides;
    double *parameters; // of integrals between zeros
    mst_integral_result *results;
} oscillation;

static void begin(const oscillation *run, size_t first, size_t i, integral *out) {
    const mst_integral *plan = run->plan;
    *out = (integral){.sides = run->sides + i * run->n_sides,
                      .row = run->call->rows + (first + i) * (size_t)plan->n_row,
                      .cuts = run->call->cuts + (first + i) * (size_t)plan->n_cuts,
                      .result = &run->call->results[first + i]};
    for (unsigned k = 0; k < run->n_sides; k++) {
        out->sides[k] = (mst_waves){.n_places = 1};
        out->sides[k].direction = plan->kinds[0] == MST_RANGE_LOWER || k == 1 ? -1 : 1;
        out->sides[k].places[0] = run->n_sides == 1 ? out->row[plan->anchors[0]] : 0;
    }
    *out->result = (mst_integral_result){0, INFINITY, 0, MST_INTEGRAL_ROUND_OFF};
}

static mst_status walk(size_t i, void *user, mst_error *error) {
    oscillation *run = user;
    integral *of = &run->integrals[i];
    (void)error;
    for (unsigned k = 0; k < run->n_sides && !of->is_over; k++) {
        mst_waves *w = &of->sides[k];
        const bool found = mst_waves_walk(run->plan, of->row, of->cuts, w, run->wanted);
        of->is_plain = of->is_plain || (!found && w->n_places <= FIRST_WAVES);
        of->result->evaluations += w->evaluations;
        w->evaluations = 0;
    }
    of->is_over = of->is_over || of->is_plain;
    return MST_OK;
}

// All new integrals between zeros, in one call.
static mst_status integrate_between(oscillation *run, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n_own = (size_t)run->plan->desc.n_parameters, n_row = n_own + 2;
    size_t n = 0;
    for (size_t i = 0; i < run->n_integrals; i++)
        for (unsigned k = 0; k < run->n_sides && !run->integrals[i].is_over; k++) {
            const mst_waves *w = &run->integrals[i].sides[k];
            for (unsigned term = w->n_terms; term + 1 < w->n_places; term++, n++) {
                double *row = run->parameters + n * n_row;
                for (size_t p = 0; p < n_own; p++)
                    row[p] = run->integrals[i].row[p];
                row[n_own] = w->places[term];
                row[n_own + 1] = w->places[term + 1];
            }
        }
    MST_TRY(run_part(run->plan, MST_PART_BETWEEN, run->parameters, n, run->results, error));
    n = 0;
    for (size_t i = 0; i < run->n_integrals; i++)
        for (unsigned k = 0; k < run->n_sides && !run->integrals[i].is_over; k++) {
            mst_waves *w = &run->integrals[i].sides[k];
            for (; w->n_terms + 1 < w->n_places; w->n_terms++, n++) {
                w->terms[w->n_terms] = w->direction * run->results[n].value;
                w->errors[w->n_terms] = run->results[n].error;
                run->integrals[i].result->evaluations += run->results[n].evaluations;
                if (run->results[n].status == MST_INTEGRAL_NON_FINITE)
                    run->integrals[i].result->status = MST_INTEGRAL_NON_FINITE;
            }
        }
fail:
    return status;
}

static bool is_backward(const integral *of) { return of->cuts[0] > of->cuts[1]; }

// The kernels' t falls towards inf where one bound is finite.
static double sign_of(const mst_integral *plan, const integral *of) {
    return is_backward(of) == (plan->kinds[0] == MST_RANGE_UPPER) ? 1 : -1;
}

static void judge(const mst_integral *plan, unsigned n_sides, integral *of) {
    const mst_integral_desc *d = &plan->desc;
    mst_integral_result *r = of->result;
    double value = 0, error = 0, least = 0;
    if (r->status == MST_INTEGRAL_NON_FINITE) {
        r->value = NAN;
        of->is_over = true;
        return;
    }
    for (unsigned k = 0; k < n_sides; k++) {
        double own, off, stays;
        mst_waves_extrapolate(&of->sides[k], &own, &off, &stays);
        value += own;
        error += off;
        least += stays;
    }
    r->value = sign_of(plan, of) * value;
    r->error = error;
    const double tolerance = fmax(d->absolute_tolerance, d->relative_tolerance * fmax(fabs(value) - error, 0));
    if (error <= tolerance)
        r->status = MST_INTEGRAL_CONVERGED;
    else if (r->evaluations >= d->max_evaluations)
        r->status = MST_INTEGRAL_BUDGET;
    of->is_over = r->status != MST_INTEGRAL_ROUND_OFF || (error < 2 * least && isfinite(error));
}

static bool is_done(const oscillation *run) {
    for (size_t i = 0; i < run->n_integrals; i++)
        if (!run->integrals[i].is_over)
            return false;
    return true;
}

// Those without zeros, by the adaptive rule.
static mst_status integrate_plain(oscillation *run, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n_own = (size_t)run->plan->desc.n_parameters;
    size_t n = 0;
    for (size_t i = 0; i < run->n_integrals; i++)
        if (run->integrals[i].is_plain) {
            memcpy(run->parameters + n * n_own, run->integrals[i].row, n_own * sizeof(double));
            n++;
        }
    MST_TRY(run_part(run->plan, MST_PART_PLAIN, run->parameters, n, run->results, error));
    n = 0;
    for (size_t i = 0; i < run->n_integrals; i++)
        if (run->integrals[i].is_plain) {
            const uint64_t before = run->integrals[i].result->evaluations;
            *run->integrals[i].result = run->results[n++];
            run->integrals[i].result->evaluations += before;
        }
fail:
    return status;
}

static mst_status run_some(oscillation *run, size_t first, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t i = 0; i < run->n_integrals; i++)
        begin(run, first, i, &run->integrals[i]);
    for (run->wanted = FIRST_WAVES + 1; run->wanted <= MST_WAVES_MOST + 1 && !is_done(run); run->wanted = 2 * run->wanted - 1) {
        MST_TRY(mst_integral_progress(run->call, first, error));
        MST_TRY(mst_pool_run(run->plan->context->pool, run->n_integrals, walk, run, error));
        MST_TRY(integrate_between(run, error));
        for (size_t i = 0; i < run->n_integrals; i++)
            if (!run->integrals[i].is_over)
                judge(run->plan, run->n_sides, &run->integrals[i]);
    }
    MST_TRY(integrate_plain(run, error));
fail:
    return status;
}

static mst_status run(mst_integral *plan, const mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    oscillation *run = calloc(1, sizeof *run);
    const size_t at_once = mst_smaller(call->n_sets, (size_t)SETS_AT_ONCE), n_row = (size_t)plan->desc.n_parameters + 2;
    MST_REQUIRE(run, MST_ERROR_HOST_MEMORY, "out of memory for integrals between zeros");
    run->plan = plan;
    run->call = call;
    run->n_sides = plan->kinds[0] == MST_RANGE_WHOLE ? MOST_SIDES : 1;
    const size_t most = at_once * run->n_sides * MST_WAVES_MOST;
    run->sides = calloc(at_once * run->n_sides, sizeof *run->sides);
    run->parameters = malloc(most * n_row * sizeof(double));
    run->results = malloc(most * sizeof *run->results);
    MST_REQUIRE(run->sides && run->parameters && run->results, MST_ERROR_HOST_MEMORY,
                "out of memory for integrals between zeros");
    for (size_t first = 0; first < call->n_sets; first += at_once) {
        run->n_integrals = mst_smaller(at_once, call->n_sets - first);
        MST_TRY(run_some(run, first, error));
    }
fail:
    if (run) {
        free(run->sides);
        free(run->parameters);
        free(run->results);
    }
    free(run);
    return status;
}

// Its parts do the rest.
const mst_integral_method mst_integral_oscillatory = {.run = run};
