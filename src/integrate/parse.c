// The integrand and its bounds: parsed; how ranges are mapped to finite ones.
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Of bounds, symbols are the parameters, then the variables before theirs.
static mst_status parse_bound(const char *text, const char *what, const mst_expr_symbol *symbols, int n_symbols, mst_expr **out,
                              mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(text, MST_ERROR_ARGUMENT, "%s must not be NULL", what);
    MST_TRY(mst_expr_parse(text, what, symbols, (size_t)n_symbols, out, error));
fail:
    return status;
}

// Whether a text is an expression of all variables and parameters, though not of those before its own.
static bool reads_later(const mst_integral_desc *desc, const char *text) {
    mst_expr_symbol symbols[MST_INTEGRAL_MAX_SYMBOLS];
    mst_expr *expr = NULL;
    int n = 0;
    for (int k = 0; k < desc->n_parameters; k++)
        symbols[n++] = (mst_expr_symbol){desc->parameters[k], 0, 0};
    for (int k = 0; k < desc->n_variables && desc->ranges[k].name; k++)
        symbols[n++] = (mst_expr_symbol){desc->ranges[k].name, 0, 0};
    const bool reads = mst_expr_parse(text, "", symbols, (size_t)n, &expr, NULL) == MST_OK;
    mst_expr_destroy(expr);
    return reads;
}

static mst_status parse_range_end(const mst_integral_desc *desc, int k, bool upper, const mst_expr_symbol *symbols, int n_symbols,
                                  mst_expr **out, mst_error *error) {
    const mst_integral_range *r = &desc->ranges[k];
    const char *text = upper ? r->to : r->from;
    char what[128];
    snprintf(what, sizeof what, "the %s bound of %.60s", upper ? "upper" : "lower", r->name);
    const mst_status status = parse_bound(text, what, symbols, n_symbols, out, error);
    if (status == MST_ERROR_ARGUMENT && text && reads_later(desc, text))
        return mst_fail(error, status, "%s, '%.60s', reads a variable that comes after %s: name that one first", what, text,
                        r->name);
    return status;
}

// The value of a bound that is written as a number, inf among them; NaN for one that depends on parameters.
static double constant_value(const mst_expr *bound) {
    return mst_expr_n_leaves(bound) == 0 ? mst_expr_evaluate(bound, NULL) : NAN;
}

static bool bound_depends(const mst_integral *plan, const mst_expr *bound) {
    for (size_t i = 0; i < mst_expr_n_leaves(bound); i++)
        if (mst_expr_leaves(bound)[i].symbol >= (size_t)plan->desc.n_parameters)
            return true;
    return false;
}

// Whether a bound of variable k depends on variables before it.
static bool depends(const mst_integral *plan, int k) {
    return bound_depends(plan, plan->bounds[2 * k]) || bound_depends(plan, plan->bounds[2 * k + 1]);
}

static mst_status choose_kind(mst_integral *plan, int k, const char *name, mst_error *error) {
    mst_status status = MST_OK;
    double from = constant_value(plan->bounds[2 * k]), to = constant_value(plan->bounds[2 * k + 1]);
    MST_REQUIRE(!(isinf(from) && from == to), MST_ERROR_ARGUMENT, "both bounds of %s are %s", name, from > 0 ? "inf" : "-inf");
    plan->from_infinity[k] = isinf(from);
    if (isinf(from) && isinf(to))
        plan->kinds[k] = plan->method == &mst_integral_regions ? MST_RANGE_HALVES : MST_RANGE_WHOLE;
    else if (isinf(from) || isinf(to))
        plan->kinds[k] = (isinf(from) ? from : to) > 0 ? MST_RANGE_UPPER : MST_RANGE_LOWER;
    else if (depends(plan, k))
        plan->kinds[k] = MST_RANGE_BETWEEN;
    if (plan->kinds[k] == MST_RANGE_UPPER || plan->kinds[k] == MST_RANGE_LOWER)
        plan->anchors[k] = depends(plan, k) ? -1 : plan->n_row++;
fail:
    return status;
}

// Where each variable's cuts stand. One that is cut at breakpoints is cut at infinity, too, if that is inside.
static mst_status count_cuts(mst_integral *plan, const mst_integral_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    for (int k = 0; k < desc->n_variables; k++) {
        int n = 0;
        for (int b = 0; b < desc->n_breakpoints; b++)
            n += plan->breakpoint_variables[b] == k;
        MST_REQUIRE(n == 0 || !mst_range_depends(plan, k), MST_ERROR_ARGUMENT,
                    "%s has breakpoints and bounds that depend on other variables; give the parts of its range as integrals of "
                    "their own",
                    plan->names[k]);
        plan->first_cut[k + 1] = plan->first_cut[k] + 2 + n + (n > 0 && plan->kinds[k] == MST_RANGE_HALVES);
    }
    plan->n_cuts = plan->first_cut[desc->n_variables];
fail:
    return status;
}

static mst_status parse_bounds(mst_integral *plan, const mst_integral_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr_symbol symbols[MST_INTEGRAL_MAX_SYMBOLS];
    int n = desc->n_parameters;
    for (int k = 0; k < n; k++)
        symbols[k] = (mst_expr_symbol){desc->parameters[k], 0, 0};
    for (int k = 0; k < desc->n_breakpoints; k++) {
        const int variable = desc->breakpoint_variables ? desc->breakpoint_variables[k] : 0;
        MST_REQUIRE(variable >= 0 && variable < desc->n_variables, MST_ERROR_ARGUMENT,
                    "breakpoint_variables[%d] is %d; there are %d variables", k, variable, desc->n_variables);
        plan->breakpoint_variables[k] = variable;
        MST_TRY(parse_bound(desc->breakpoints[k], "a breakpoint", symbols, n, &plan->breakpoints[k], error));
    }
    for (int k = 0; k < desc->n_variables; k++) {
        const mst_integral_range *r = &desc->ranges[k];
        MST_REQUIRE(r->name, MST_ERROR_ARGUMENT, "variable %d has no name", k);
        snprintf(plan->names[k], sizeof plan->names[k], "%s", r->name);
        for (int end = 0; end < 2; end++)
            MST_TRY(parse_range_end(desc, k, end > 0, symbols, n, &plan->bounds[2 * k + end], error));
        MST_TRY(choose_kind(plan, k, r->name, error));
        symbols[n++] = (mst_expr_symbol){r->name, 0, 0};
    }
    MST_TRY(count_cuts(plan, desc, error));
fail:
    return status;
}

static mst_status parse_components(mst_integral *plan, const mst_integral_desc *desc, const mst_expr_symbol *symbols, size_t n,
                                   size_t n_ends, mst_error *error) {
    mst_status status = MST_OK;
    char what[32] = "the integrand";
    for (int c = 0; c < plan->n_components; c++) {
        const char *text = desc->n_components > 0 ? desc->components[c] : desc->integrand;
        if (desc->n_components > 1)
            snprintf(what, sizeof what, "component %d", c);
        MST_REQUIRE(text, MST_ERROR_ARGUMENT, "%s must not be NULL",
                    desc->n_components > 1   ? what
                    : desc->n_components > 0 ? "desc->components[0]"
                                             : "desc->integrand");
        MST_TRY(mst_expr_parse(text, what, symbols, n + n_ends, &plan->components[c], error));
        for (size_t i = 0; i < mst_expr_n_leaves(plan->components[c]); i++)
            plan->uses_ends = plan->uses_ends || mst_expr_leaves(plan->components[c])[i].symbol >= n;
    }
fail:
    return status;
}

mst_status mst_integrand_parse(mst_integral *plan, const mst_integral_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr_symbol symbols[MST_INTEGRAL_MAX_SYMBOLS];
    size_t n = 0;
    int d = desc->n_variables;
    plan->n_row = desc->n_parameters;
    for (int k = 0; k < desc->n_parameters; k++)
        MST_REQUIRE(desc->parameters[k], MST_ERROR_ARGUMENT, "parameter %d has no name", k);
    for (int k = 0; k < desc->n_parameters; k++)
        symbols[d + k] = (mst_expr_symbol){desc->parameters[k], 0, 0};
    for (int k = 0; k < desc->n_parameters; k++)
        snprintf(plan->parameter_names[k], sizeof plan->parameter_names[k], "%s", desc->parameters[k]);
    MST_TRY(parse_bounds(plan, desc, error));
    for (int k = 0; k < d; k++)
        symbols[k] = (mst_expr_symbol){desc->ranges[k].name, 0, 0};
    n = (size_t)(d + desc->n_parameters);
    bool free_names = d == 1 && plan->kinds[0] == MST_RANGE_FINITE;
    for (size_t i = 0; i < n; i++)
        free_names = free_names && strcmp(symbols[i].name, "left") != 0 && strcmp(symbols[i].name, "right") != 0;
    if (free_names) {
        symbols[n] = (mst_expr_symbol){"left", 0, 0};
        symbols[n + 1] = (mst_expr_symbol){"right", 0, 0};
    }
    MST_TRY(parse_components(plan, desc, symbols, n, free_names ? 2 : 0, error));
    if (plan->uses_ends)
        plan->n_row += 2;
fail:
    return status;
}
