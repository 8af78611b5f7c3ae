// The integrand and its bounds: parsed, mapped to finite ranges, written as OpenCL C.
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Symbols of the integrand: variables, parameters, and left and right where they make sense and the names are free.
enum { MAX_SYMBOLS = MST_INTEGRAL_MAX_VARIABLES + MST_INTEGRAL_MAX_PARAMETERS + 2 };

static mst_status parse_bound(mst_integral *plan, const char *text, const char *what, const mst_expr_symbol *parameters,
                              mst_expr **out, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(text, MST_ERROR_ARGUMENT, "%s must not be NULL", what);
    MST_TRY(mst_expr_parse(text, what, parameters, (size_t)plan->desc.n_parameters, out, error));
fail:
    return status;
}

// The value of a bound that is written as a number, inf among them; NaN for one that depends on parameters.
static double constant_value(const mst_expr *bound) {
    return mst_expr_n_leaves(bound) == 0 ? mst_expr_evaluate(bound, NULL) : NAN;
}

static mst_status choose_kind(mst_integral *plan, int k, const char *name, mst_error *error) {
    mst_status status = MST_OK;
    double from = constant_value(plan->bounds[2 * k]), to = constant_value(plan->bounds[2 * k + 1]);
    MST_REQUIRE(!(isinf(from) && from == to), MST_ERROR_ARGUMENT, "both bounds of %s are %s", name, from > 0 ? "inf" : "-inf");
    if (isinf(from) && isinf(to))
        plan->kinds[k] = plan->method == &mst_integral_regions ? MST_RANGE_HALVES : MST_RANGE_WHOLE;
    else if (isinf(from) || isinf(to))
        plan->kinds[k] = (isinf(from) ? from : to) > 0 ? MST_RANGE_UPPER : MST_RANGE_LOWER;
    if (plan->kinds[k] == MST_RANGE_UPPER || plan->kinds[k] == MST_RANGE_LOWER)
        plan->anchors[k] = plan->n_row++;
fail:
    return status;
}

static mst_status parse_bounds(mst_integral *plan, const mst_integral_desc *desc, const mst_expr_symbol *parameters,
                               mst_error *error) {
    mst_status status = MST_OK;
    char what[128];
    for (int k = 0; k < desc->n_variables; k++) {
        const mst_integral_range *r = &desc->ranges[k];
        MST_REQUIRE(r->name, MST_ERROR_ARGUMENT, "variable %d has no name", k);
        snprintf(plan->names[k], sizeof plan->names[k], "%s", r->name);
        snprintf(what, sizeof what, "the lower bound of %.60s", r->name);
        MST_TRY(parse_bound(plan, r->from, what, parameters, &plan->bounds[2 * k], error));
        snprintf(what, sizeof what, "the upper bound of %.60s", r->name);
        MST_TRY(parse_bound(plan, r->to, what, parameters, &plan->bounds[2 * k + 1], error));
        MST_TRY(choose_kind(plan, k, r->name, error));
    }
    for (int k = 0; k < desc->n_breakpoints; k++)
        MST_TRY(parse_bound(plan, desc->breakpoints[k], "a breakpoint", parameters, &plan->breakpoints[k], error));
    if (desc->n_breakpoints > 0 && plan->kinds[0] == MST_RANGE_HALVES)
        plan->n_cuts++;
fail:
    return status;
}

mst_status mst_integrand_parse(mst_integral *plan, const mst_integral_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr_symbol symbols[MAX_SYMBOLS];
    size_t n = 0;
    int d = desc->n_variables;
    plan->n_row = desc->n_parameters;
    plan->n_cuts = d == 1 ? 2 + desc->n_breakpoints : 2 * d;
    for (int k = 0; k < desc->n_parameters; k++)
        MST_REQUIRE(desc->parameters[k], MST_ERROR_ARGUMENT, "parameter %d has no name", k);
    for (int k = 0; k < desc->n_parameters; k++)
        symbols[d + k] = (mst_expr_symbol){desc->parameters[k], 0, 0};
    for (int k = 0; k < desc->n_parameters; k++)
        snprintf(plan->parameter_names[k], sizeof plan->parameter_names[k], "%s", desc->parameters[k]);
    MST_TRY(parse_bounds(plan, desc, symbols + d, error));
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
    MST_REQUIRE(desc->integrand, MST_ERROR_ARGUMENT, "desc->integrand must not be NULL");
    MST_TRY(mst_expr_parse(desc->integrand, "the integrand", symbols, n + (free_names ? 2 : 0), &plan->integrand, error));
    for (size_t i = 0; i < mst_expr_n_leaves(plan->integrand); i++)
        plan->uses_ends = plan->uses_ends || mst_expr_leaves(plan->integrand)[i].symbol >= n;
    if (plan->uses_ends)
        plan->n_row += 2;
fail:
    return status;
}

// ---- as OpenCL C

// A variable NAME is NAME_at in the kernel, and NAME_rest or NAME_scale what its map needs besides; a parameter is NAME_value. No
// word of OpenCL C ends that way.
static void write_variable(const mst_integral *plan, int k, mst_text *out) {
    bool single = plan->desc.n_variables == 1;
    const mst_text_value values[] = {MST_SET(x, plan->names[k]),
                                     MST_SET(k, k),
                                     MST_SET(anchor, plan->anchors[k]),
                                     MST_SET(sign, plan->kinds[k] == MST_RANGE_UPPER ? "+" : "-"),
                                     MST_SET(distance, single && isinf(constant_value(plan->bounds[0])) ? "right" : "left"),
                                     {0}};
    switch (plan->kinds[k]) {
    case MST_RANGE_FINITE:
        mst_text_put_values(out, "const realv ${x}_at = t[$k];\n", values);
        break;
    case MST_RANGE_UPPER:
    case MST_RANGE_LOWER:
        // Of one variable, 1 - t is its distance from the finite bound, which tanh-sinh gives without cancellation.
        mst_text_put_values(out, "// $x = its finite bound $sign (1 - t) / t\n", values);
        mst_text_put_values(out, single ? "const realv ${x}_rest = fabs($distance);\n" : "const realv ${x}_rest = 1 - t[$k];\n",
                            values);
        mst_text_put_values(out, "const realv ${x}_at = p[$anchor] $sign ${x}_rest / t[$k];\n", values);
        break;
    case MST_RANGE_WHOLE:
        mst_text_put_values(out, "// $x = t / (1 - t^2)\n", values);
        mst_text_put_values(out,
                            single ? "const realv ${x}_scale = left * right, ${x}_at = t[0] / ${x}_scale;\n"
                                   : "const realv ${x}_scale = (1 - t[$k]) * (1 + t[$k]), ${x}_at = t[$k] / ${x}_scale;\n",
                            values);
        break;
    case MST_RANGE_HALVES:
        mst_text_put_values(out, "// $x = (1 - |t|) / t\n", values);
        mst_text_put_values(out, "const realv ${x}_at = (1 - fabs(t[$k])) / t[$k];\n", values);
        break;
    }
}

static void write_scale(const mst_integral *plan, int k, mst_text *out) {
    const mst_text_value values[] = {
        MST_SET(x, plan->names[k]), MST_SET(k, k), MST_SET(sign, plan->kinds[k] == MST_RANGE_UPPER ? "-" : ""), {0}};
    if (plan->kinds[k] == MST_RANGE_WHOLE)
        mst_text_put_values(out,
                            "scaled = scaled * (1 + t[$k] * t[$k]) / ${x}_scale / ${x}_scale, "
                            "far = fmin(far, fabs(${x}_scale));\n",
                            values);
    else if (plan->kinds[k] != MST_RANGE_FINITE)
        mst_text_put_values(out, "scaled = ${sign}scaled / t[$k] / t[$k], far = fmin(far, fabs(t[$k]));\n", values);
}

// `const realv f = ...;`, the integrand of the variables.
static void write_value(const mst_integral *plan, mst_text *out) {
    const mst_expr_leaf *leaves = mst_expr_leaves(plan->integrand);
    char names[MAX_SYMBOLS][MST_EXPR_MAX_NAME + 10];
    const char *list[MAX_SYMBOLS];
    size_t d = (size_t)plan->desc.n_variables, first_end = d + (size_t)plan->desc.n_parameters;
    for (size_t i = 0; i < mst_expr_n_leaves(plan->integrand); i++) {
        size_t s = leaves[i].symbol;
        list[i] = names[i];
        if (s < d) {
            snprintf(names[i], sizeof names[i], "%s_at", plan->names[s]);
        } else if (s < first_end) {
            snprintf(names[i], sizeof names[i], "%s_value", plan->parameter_names[s - d]);
            mst_text_put(out, "const realv $name = p[$k];\n", MST_SET(name, list[i]), MST_SET(k, s - d));
        } else {
            list[i] = s == first_end ? "left" : "right";
        }
    }
    mst_expr_write(plan->integrand, plan->is_double, plan->choice.width, list, "f", out);
}

// f times dx/dt, by divisions that overflow only where the product does.
static void write_mapped(const mst_integral *plan, mst_text *out) {
    mst_text_put(out, "// times dx/dt\n"
                      "realv scaled = f, far = 1;\n");
    for (int k = 0; k < plan->desc.n_variables; k++)
        write_scale(plan, k, out);
    mst_text_put(out,
                 "// Far out, where x^10 (in float x^3) overflows, f may be a product of 0 and infinity.\n"
                 "return f == 0 || (f != f && far < REAL($limit)) ? (realv)0 : scaled;\n",
                 MST_SET(limit, plan->is_double ? "1e-30" : "1e-12"));
}

static void write_integrand(const mst_integral *plan, mst_text *out) {
    bool mapped = false;
    mst_text_put(out, "// The integrand at t, times dx/dt. left and right are the distances of the one variable t from the ends\n"
                      "// of its range; p holds the parameters, then what the maps of the ranges need.\n"
                      "realv integrand_at(const realv *t, realv left, realv right, const realv *p) {\n");
    for (int k = 0; k < plan->desc.n_variables; k++) {
        write_variable(plan, k, out);
        mapped = mapped || plan->kinds[k] != MST_RANGE_FINITE;
    }
    write_value(plan, out);
    if (mapped)
        write_mapped(plan, out);
    else
        mst_text_put(out, "return f;\n");
    mst_text_put(out, "}\n"
                      "\n"
                      "realv integrand(const realv *t, const realv *p) {\n");
    if (plan->uses_ends)
        mst_text_put(out, "return integrand_at(t, fabs(t[0] - p[$from]), fabs(p[$to] - t[0]), p);\n",
                     MST_SET(from, plan->n_row - 2), MST_SET(to, plan->n_row - 1));
    else // of half-infinite ranges, either is the one from t = 1
        mst_text_put(out, "return integrand_at(t, $left, 1 - t[0], p);\n",
                     MST_SET(left, plan->kinds[0] == MST_RANGE_WHOLE ? "1 + t[0]" : "1 - t[0]"));
    mst_text_put(out, "}\n\n");
}

void mst_integral_write_table(const mst_integral *plan, const char *name, const double *values, unsigned n, mst_text *out) {
    mst_text_put(out, "__constant const real $name[] = {", MST_SET(name, name));
    for (unsigned k = 0; k < n; k++) {
        mst_expr_write_number(values[k], plan->is_double, out);
        mst_text_put(out, k + 1 < n ? ", " : "};\n");
    }
}

mst_status mst_integrand_build(mst_integral *plan, const mst_text *tables, const char *file, const mst_program **out,
                               mst_error *error) {
    mst_status status = MST_OK;
    mst_text text = {0};
    char title[100];
    int d = plan->desc.n_variables;
    mst_text_put(&text,
                 "#define WIDTH $width\n"
                 "#define N_ROW $n_row\n"
                 "#define DIM $dim\n",
                 MST_SET(width, plan->choice.width), MST_SET(n_row, plan->n_row), MST_SET(dim, d));
    MST_TRY(mst_program_add_file(plan->context, "vector.cl", &text, error));
    if (plan->choice.width == 1) // vectors have OpenCL's, which are as fast on CPUs
        MST_TRY(mst_program_add_file(plan->context, "sine.cl", &text, error));
    write_integrand(plan, &text);
    if (tables)
        mst_text_add_verbatim(&text, tables->text ? tables->text : "");
    text.failed = text.failed || (tables && tables->failed);
    MST_TRY(mst_program_add_file(plan->context, file, &text, error));
    snprintf(title, sizeof title, "integrate: %s, %d variable%s, vectors of %u", mst_integral_rule_name(plan->desc.rule), d,
             d == 1 ? "" : "s", plan->choice.width);
    MST_TRY(
        mst_program_of_text(plan->context, title, &text, plan->is_double ? "-D PRECISION=64" : "-D PRECISION=32", out, error));
fail:
    mst_text_release(&text);
    return status;
}

// ---- on the host

static double evaluate(const mst_expr *expr, const double *parameters) {
    double values[MST_INTEGRAL_MAX_PARAMETERS];
    for (size_t i = 0; i < mst_expr_n_leaves(expr); i++)
        values[i] = parameters[mst_expr_leaves(expr)[i].symbol];
    return mst_expr_evaluate(expr, values);
}

static double map_to_t(mst_range_kind kind, double anchor, double x) {
    switch (kind) {
    case MST_RANGE_UPPER:
        return 1 / (1 + (x - anchor));
    case MST_RANGE_LOWER:
        return 1 / (1 + (anchor - x));
    case MST_RANGE_WHOLE:
        return isinf(x) ? copysign(1.0, x) : 2 * x / (1 + sqrt(1 + 4 * x * x));
    case MST_RANGE_HALVES:
        return copysign(isinf(x) ? 1 : 1 / (1 + fabs(x)), x);
    case MST_RANGE_FINITE:
        break;
    }
    return x;
}

static mst_status fill_range(const mst_integral *plan, int k, size_t set, const double *parameters, double *row, double *from,
                             double *to, mst_error *error) {
    mst_status status = MST_OK;
    mst_range_kind kind = plan->kinds[k];
    double bounds[2], anchor = 0;
    for (int s = 0; s < 2; s++) {
        const mst_expr *bound = plan->bounds[2 * k + s];
        bounds[s] = evaluate(bound, parameters);
        MST_REQUIRE(!isnan(bounds[s]), MST_ERROR_ARGUMENT, "the %s bound of %s is NaN for parameter set %zu",
                    s ? "upper" : "lower", plan->names[k], set);
        MST_REQUIRE(!isinf(bounds[s]) || mst_expr_n_leaves(bound) == 0, MST_ERROR_ARGUMENT,
                    "the %s bound of %s is infinite for parameter set %zu; an infinite bound is written as inf itself",
                    s ? "upper" : "lower", plan->names[k], set);
    }
    if (kind == MST_RANGE_UPPER || kind == MST_RANGE_LOWER)
        row[plan->anchors[k]] = anchor = isinf(bounds[0]) ? bounds[1] : bounds[0];
    *from = map_to_t(kind, anchor, bounds[0]);
    *to = map_to_t(kind, anchor, bounds[1]);
fail:
    return status;
}

static double map_breakpoint(const mst_integral *plan, double x, const double *row) {
    mst_range_kind kind = plan->kinds[0];
    return map_to_t(kind, kind == MST_RANGE_UPPER || kind == MST_RANGE_LOWER ? row[plan->anchors[0]] : 0, x);
}

// Breakpoints in the direction of the range, and infinity where it is not an end of it; those outside fall on its ends, where
// they cut off nothing.
static mst_status fill_breakpoints(const mst_integral *plan, size_t set, const double *parameters, const double *row,
                                   double *cuts, mst_error *error) {
    mst_status status = MST_OK;
    int n = plan->n_cuts - 2;
    double from = cuts[0], to = cuts[n + 1], low = fmin(from, to), high = fmax(from, to);
    for (int k = 0; k < n; k++) {
        double x = k < plan->desc.n_breakpoints ? evaluate(plan->breakpoints[k], parameters) : 0;
        MST_REQUIRE(isfinite(x), MST_ERROR_ARGUMENT, "breakpoint %d is %g for parameter set %zu", k, x, set);
        double t = k < plan->desc.n_breakpoints ? map_breakpoint(plan, x, row) : 0;
        t = fmin(fmax(t, low), high);
        int at = k + 1;
        for (; at > 1 && (from <= to ? cuts[at - 1] > t : cuts[at - 1] < t); at--)
            cuts[at] = cuts[at - 1];
        cuts[at] = t;
    }
fail:
    return status;
}

static mst_status fill_row(const mst_integral *plan, size_t set, const double *parameters, double *row, double *cuts,
                           mst_error *error) {
    mst_status status = MST_OK;
    int d = plan->desc.n_variables;
    if (plan->desc.n_parameters > 0)
        memcpy(row, parameters, (size_t)plan->desc.n_parameters * sizeof *row);
    for (int k = 0; k < d; k++)
        MST_TRY(fill_range(plan, k, set, parameters, row, &cuts[2 * k], &cuts[d == 1 ? plan->n_cuts - 1 : 2 * k + 1], error));
    if (plan->uses_ends) {
        row[plan->n_row - 2] = cuts[0];
        row[plan->n_row - 1] = cuts[plan->n_cuts - 1];
    }
    if (plan->desc.n_breakpoints > 0)
        MST_TRY(fill_breakpoints(plan, set, parameters, row, cuts, error));
fail:
    return status;
}

mst_status mst_integrand_rows(const mst_integral *plan, const double *parameters, mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    size_t n_row = (size_t)plan->n_row, n_cuts = (size_t)plan->n_cuts, n_parameters = (size_t)plan->desc.n_parameters;
    call->rows = calloc(call->n_sets * n_row + 1, sizeof *call->rows);
    call->cuts = calloc(call->n_sets * n_cuts, sizeof *call->cuts);
    MST_REQUIRE(call->rows && call->cuts, MST_ERROR_HOST_MEMORY, "out of memory for %zu integrals", call->n_sets);
    for (size_t i = 0; i < call->n_sets; i++) {
        const double *own = n_parameters > 0 ? parameters + i * n_parameters : NULL;
        MST_TRY(fill_row(plan, i, own, call->rows + i * n_row, call->cuts + i * n_cuts, error));
    }
fail:
    return status;
}

double mst_integrand_value(const mst_integral *plan, double t, const double *row, const double *cuts) {
    double values[MAX_SYMBOLS];
    size_t d = (size_t)plan->desc.n_variables, first_end = d + (size_t)plan->desc.n_parameters;
    for (size_t i = 0; i < mst_expr_n_leaves(plan->integrand); i++) {
        size_t s = mst_expr_leaves(plan->integrand)[i].symbol;
        values[i] = s < d            ? t
                    : s < first_end  ? row[s - d]
                    : s == first_end ? fabs(t - cuts[0])
                                     : fabs(cuts[plan->n_cuts - 1] - t);
    }
    return mst_expr_evaluate(plan->integrand, values);
}
