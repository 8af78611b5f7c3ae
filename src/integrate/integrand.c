// The integrand and its bounds: written as OpenCL C over finite ranges, evaluated on the host.
#include "plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- as OpenCL C

// A variable NAME is NAME_at in the kernel, and NAME_rest, NAME_scale, NAME_from or NAME_to what its map needs besides; a
// parameter is NAME_value, declared once. No word of OpenCL C ends that way.
enum { KERNEL_NAME = MST_EXPR_MAX_NAME + 10 };

static void write_parameter(const mst_integral *plan, size_t k, bool *written, char name[KERNEL_NAME], mst_text *out) {
    snprintf(name, KERNEL_NAME, "%s_value", plan->parameter_names[k]);
    if (!written[k])
        mst_text_put(out, "const realv $name = p[$k];\n", MST_SET(name, (const char *)name), MST_SET(k, k));
    written[k] = true;
}

// `const realv NAME = ...;`, a bound of the parameters and the variables before it.
static void write_bound(const mst_integral *plan, const mst_expr *bound, const char *name, bool *written, mst_text *out) {
    const mst_expr_leaf *leaves = mst_expr_leaves(bound);
    char names[MST_INTEGRAL_MAX_SYMBOLS][KERNEL_NAME];
    const char *list[MST_INTEGRAL_MAX_SYMBOLS];
    size_t n = (size_t)plan->desc.n_parameters;
    for (size_t i = 0; i < mst_expr_n_leaves(bound); i++) {
        size_t s = leaves[i].symbol;
        list[i] = names[i];
        if (s < n)
            write_parameter(plan, s, written, names[i], out);
        else
            snprintf(names[i], KERNEL_NAME, "%s_at", plan->names[s - n]);
    }
    mst_expr_write(bound, plan->is_double, plan->choice.width, list, name, out);
}

// The bounds that depend on variables, as NAME_from and NAME_to; of a half-infinite range the finite one, as NAME_from.
static void write_bounds(const mst_integral *plan, int k, bool *written, mst_text *out) {
    char name[KERNEL_NAME];
    bool between = plan->kinds[k] == MST_RANGE_BETWEEN, from_infinity = plan->from_infinity[k];
    snprintf(name, sizeof name, "%s_from", plan->names[k]);
    write_bound(plan, plan->bounds[2 * k + (from_infinity ? 1 : 0)], name, written, out);
    snprintf(name, sizeof name, "%s_to", plan->names[k]);
    if (between)
        write_bound(plan, plan->bounds[2 * k + 1], name, written, out);
}

static void write_variable(const mst_integral *plan, int k, mst_text *out) {
    bool single = plan->desc.n_variables == 1;
    char anchor[KERNEL_NAME];
    if (plan->anchors[k] < 0)
        snprintf(anchor, sizeof anchor, "%s_from", plan->names[k]);
    else
        snprintf(anchor, sizeof anchor, "p[%d]", plan->anchors[k]);
    const mst_text_value values[] = {MST_SET(x, plan->names[k]),
                                     MST_SET(k, k),
                                     MST_SET(anchor, (const char *)anchor),
                                     MST_SET(sign, plan->kinds[k] == MST_RANGE_UPPER ? "+" : "-"),
                                     MST_SET(distance, single && plan->from_infinity[0] ? "right" : "left"),
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
        mst_text_put_values(out, "const realv ${x}_at = $anchor $sign ${x}_rest / t[$k];\n", values);
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
    case MST_RANGE_BETWEEN:
        mst_text_put_values(out, "const realv ${x}_scale = ${x}_to - ${x}_from, ${x}_at = ${x}_from + ${x}_scale * t[$k];\n",
                            values);
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
    else if (plan->kinds[k] == MST_RANGE_BETWEEN)
        mst_text_put_values(out, "scaled = ${x}_scale == 0 ? (realv)0 : scaled * ${x}_scale;\n", values);
    else if (plan->kinds[k] != MST_RANGE_FINITE)
        mst_text_put_values(out, "scaled = ${sign}scaled / t[$k] / t[$k], far = fmin(far, fabs(t[$k]));\n", values);
}

// `const realv f = ...;`, the integrand of the variables.
static void write_value(const mst_integral *plan, bool *written, mst_text *out) {
    const mst_expr_leaf *leaves = mst_expr_leaves(plan->integrand);
    char names[MST_INTEGRAL_MAX_SYMBOLS][KERNEL_NAME];
    const char *list[MST_INTEGRAL_MAX_SYMBOLS];
    size_t d = (size_t)plan->desc.n_variables, first_end = d + (size_t)plan->desc.n_parameters;
    for (size_t i = 0; i < mst_expr_n_leaves(plan->integrand); i++) {
        size_t s = leaves[i].symbol;
        list[i] = names[i];
        if (s < d) {
            snprintf(names[i], sizeof names[i], "%s_at", plan->names[s]);
        } else if (s < first_end) {
            write_parameter(plan, s - d, written, names[i], out);
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
    bool mapped = false, written[MST_INTEGRAL_MAX_PARAMETERS] = {false};
    mst_text_put(out, "// The integrand at t, times dx/dt. left and right are the distances of the one variable t from the ends\n"
                      "// of its range; p holds the parameters, then what the maps of the ranges need.\n"
                      "realv integrand_at(const realv *t, realv left, realv right, const realv *p) {\n");
    for (int k = 0; k < plan->desc.n_variables; k++) {
        if (mst_range_depends(plan, k))
            write_bounds(plan, k, written, out);
        write_variable(plan, k, out);
        mapped = mapped || plan->kinds[k] != MST_RANGE_FINITE;
    }
    write_value(plan, written, out);
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
    case MST_RANGE_BETWEEN:
        break;
    }
    return x;
}

static mst_status fill_range(const mst_integral *plan, int k, size_t set, const double *parameters, double *row, double *from,
                             double *to, mst_error *error) {
    mst_status status = MST_OK;
    mst_range_kind kind = plan->kinds[k];
    double bounds[2], anchor = 0;
    if (mst_range_depends(plan, k)) { // of infinity, t is 0
        *from = kind == MST_RANGE_BETWEEN || plan->from_infinity[k] ? 0 : 1;
        *to = 1 - *from;
        return MST_OK;
    }
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
    double values[MST_INTEGRAL_MAX_SYMBOLS];
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
