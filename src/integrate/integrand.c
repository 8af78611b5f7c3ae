// The integrand and its bounds: written as OpenCL C over finite ranges, evaluated on the host.
#include "integrand.h"
#include "buffers.h"
#include "expr/elementary.h"
#include "runtime/device.h"
#include "runtime/numbers.h"
#include "runtime/pool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAF_NAME = 24, LEAST_SLOTS = 16 };

// ---- for kernels

// What reads the integrand's leaves in a kernel.
static void name_leaf(const mst_integral *plan, size_t symbol, char name[LEAF_NAME]) {
    size_t d = (size_t)plan->desc.n_variables;
    if (symbol < d)
        snprintf(name, LEAF_NAME, "t[%zu]", symbol);
    else if (symbol < d + 2)
        snprintf(name, LEAF_NAME, "%s", symbol == d ? "left" : "right");
    else
        snprintf(name, LEAF_NAME, "in->row[%zu]", symbol - d - 2);
}

static void write_compiled(const mst_integral *plan, mst_text *out) {
    const mst_expr *mapped = plan->mapped;
    char names[MST_MAPPED_SYMBOLS][LEAF_NAME], values[MST_INTEGRAL_MAX_COMPONENTS][LEAF_NAME];
    const char *list[MST_MAPPED_SYMBOLS], *value_names[MST_EXPR_MAX_NODES] = {NULL};
    for (size_t i = 0; i < mst_expr_n_leaves(mapped); i++) {
        name_leaf(plan, mst_expr_leaves(mapped)[i].symbol, names[i]);
        list[i] = names[i];
    }
    for (int c = plan->n_components - 1; c >= 0; c--) {
        snprintf(values[c], LEAF_NAME, c == 0 ? "f" : "f%d", c);
        value_names[plan->values[c]] = values[c];
    }
    mst_text_put(out,
                 "// The integrand at t, times dx/dt.\n"
                 "realv integrand$parameters {\n",
                 MST_SET(parameters, plan->method->gives_ends ? "_at(const realv *t, realv left, realv right, given *in)"
                                                              : "(const realv *t, given *in)"));
    mst_expr_write_values(mapped, mst_elementary_of(&plan->context->device), plan->is_double, plan->choice.width, list, "f",
                          value_names, out);
    for (int c = 1; c < plan->n_components; c++)
        mst_text_put(out, "in->further[$k] = $value;\n", MST_SET(k, c - 1), MST_SET(value, value_names[plan->values[c]]));
    mst_text_put(out, "return f;\n"
                      "}\n\n");
}

mst_status mst_integrand_code(const mst_integral *plan, mst_expr_code *code, mst_error *error) {
    const mst_expr *mapped = plan->mapped;
    unsigned leaves[MST_MAPPED_SYMBOLS], d = (unsigned)plan->desc.n_variables, n_row = (unsigned)plan->n_row;
    for (size_t i = 0; i < mst_expr_n_leaves(mapped); i++) {
        unsigned symbol = (unsigned)mst_expr_leaves(mapped)[i].symbol;
        leaves[i] = symbol < d + 2 ? n_row + symbol : symbol - d - 2;
    }
    const mst_type type = plan->is_double ? MST_FLOAT64 : MST_FLOAT32;
    return mst_expr_code_make(mapped, type, leaves, n_row + d + 2, plan->values, (unsigned)plan->n_components, code, error);
}

void mst_integral_write_table(const mst_integral *plan, const char *name, const double *values, unsigned n, mst_text *out) {
    mst_text_put(out, "__constant const real $name[] = {", MST_SET(name, name));
    for (unsigned k = 0; k < n; k++) {
        mst_expr_write_number(values[k], plan->is_double, out);
        mst_text_put(out, k + 1 < n ? ", " : "};\n");
    }
}

// Of programs on CPUs as many as there may be, so that all integrands share one. GPUs, whatever the shape, set memory aside for
// every work-item that may run at once, which is gigabytes of it for 14 KB a work-item: there are programs of fewer slots.
static int slots_of(const mst_integral *plan) {
    const bool has_room = plan->cpu && mst_device_has_private_memory(&plan->context->device);
    unsigned slots = has_room ? MST_EXPR_CODE_SLOTS : LEAST_SLOTS;
    while (slots < plan->n_slots)
        slots *= 2;
    return (int)slots;
}

static mst_status write_program(const mst_integral *plan, bool compiled, const mst_text *tables, const char *file, mst_text *text,
                                mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = plan->context;
    mst_text_put(text, "#define WIDTH $width\n#define DIM $dim\n#define COMPONENTS $n\n", MST_SET(width, plan->choice.width),
                 MST_SET(dim, plan->desc.n_variables), MST_SET(n, plan->n_components));
    if (compiled)
        mst_text_put(text, "#define N_ROW $n // numbers of an integral beside its bounds\n", MST_SET(n, plan->n_row));
    else
        mst_text_put(text, "#define SLOTS $slots\n", MST_SET(slots, slots_of(plan)));
    MST_TRY(mst_program_add_file(context, "vector.cl", text, error));
    if (plan->choice.width == 1 && !mst_elementary_of(&context->device)) // vectors have OpenCL's, which are as fast on CPUs
        MST_TRY(mst_program_add_file(context, "sine.cl", text, error));
    if (!compiled) {
        mst_expr_write_apply(mst_elementary_of(&context->device), plan->is_double, plan->choice.width, text);
        MST_TRY(mst_program_add_file(context, "interpret.cl", text, error));
    }
    MST_TRY(mst_program_add_file(context, "given.cl", text, error));
    if (compiled)
        write_compiled(plan, text);
    if (tables)
        mst_text_add_verbatim(text, tables->text ? tables->text : "");
    text->failed = text->failed || (tables && tables->failed);
    MST_TRY(mst_program_add_file(context, file, text, error));
    MST_TRY(mst_elementary_define(context, text, error));
fail:
    return status;
}

// Byte code and compiled kernels have the same bits; CPUs round quotients correctly in any case.
static const char *options_of(const mst_integral *plan) {
    if (plan->is_double)
        return "-D PRECISION=64";
    return !plan->cpu && mst_program_rounds_quotients(plan->context) ? "-D PRECISION=32 -cl-fp32-correctly-rounded-divide-sqrt"
                                                                     : "-D PRECISION=32";
}

// *out is NULL if that is `cached` and not there.
static mst_status build_form(mst_integral *plan, bool compiled, bool cached, const mst_text *tables, const char *file,
                             const mst_program **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_text text = {0};
    char title[100];
    int d = plan->desc.n_variables;
    const char *options = options_of(plan);
    MST_TRY(write_program(plan, compiled, tables, file, &text, error));
    snprintf(title, sizeof title, "integrate: %s, %d variable%s, %d component%s, vectors of %u%s",
             mst_integral_rule_name(plan->desc.rule), d, d == 1 ? "" : "s", plan->n_components,
             plan->n_components == 1 ? "" : "s", plan->choice.width, compiled ? "" : ", byte code");
    MST_TRY(cached ? mst_program_find_text(plan->context, title, &text, options, out, error)
                   : mst_program_of_text(plan->context, title, &text, options, out, error));
fail:
    mst_text_release(&text);
    return status;
}

mst_status mst_integrand_build(mst_integral *plan, const mst_text *tables, const char *file, const mst_program **out,
                               mst_error *error) {
    mst_status status = MST_OK;
    bool compiled = plan->form == MST_INTEGRAL_FORM_COMPILED;
    *out = NULL;
    if (plan->form == MST_INTEGRAL_FORM_ANY) {
        MST_TRY(build_form(plan, true, true, tables, file, out, error));
        plan->form = *out ? MST_INTEGRAL_FORM_COMPILED : MST_INTEGRAL_FORM_BYTE_CODE;
    }
    if (!*out)
        MST_TRY(build_form(plan, compiled, false, tables, file, out, error));
fail:
    return status;
}

mst_status mst_integrand_build_code(mst_integral *plan, const mst_text *tables, const char *file, const mst_program **out,
                                    mst_error *error) {
    return build_form(plan, false, false, tables, file, out, error);
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

static double map_breakpoint(const mst_integral *plan, int k, double x, const double *row) {
    mst_range_kind kind = plan->kinds[k];
    return map_to_t(kind, kind == MST_RANGE_UPPER || kind == MST_RANGE_LOWER ? row[plan->anchors[k]] : 0, x);
}

// t among the n cuts behind `from` that are there, in the direction of the range; what is outside falls on its ends, where it
// cuts off nothing.
static void add_cut(double *cuts, int n, double to, double t) {
    const double from = cuts[0], low = fmin(from, to), high = fmax(from, to);
    t = fmin(fmax(t, low), high);
    int at = n + 1;
    for (; at > 1 && (from <= to ? cuts[at - 1] > t : cuts[at - 1] < t); at--)
        cuts[at] = cuts[at - 1];
    cuts[at] = t;
}

// Breakpoints of variable k, and infinity where it is not an end of its range.
static mst_status fill_breakpoints(const mst_integral *plan, int k, size_t set, const double *parameters, const double *row,
                                   double *cuts, mst_error *error) {
    mst_status status = MST_OK;
    const int n = plan->first_cut[k + 1] - plan->first_cut[k] - 2;
    const double to = cuts[n + 1];
    int added = 0;
    for (int b = 0; b < plan->desc.n_breakpoints; b++) {
        if (plan->breakpoint_variables[b] != k)
            continue;
        double x = evaluate(plan->breakpoints[b], parameters);
        MST_REQUIRE(isfinite(x), MST_ERROR_ARGUMENT, "breakpoint %d is %g for parameter set %zu", b, x, set);
        add_cut(cuts, added++, to, map_breakpoint(plan, k, x, row));
    }
    if (added < n)
        add_cut(cuts, added, to, 0);
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
        MST_TRY(fill_range(plan, k, set, parameters, row, &cuts[plan->first_cut[k]], &cuts[plan->first_cut[k + 1] - 1], error));
    if (plan->uses_ends) {
        row[plan->n_row - 2] = cuts[0];
        row[plan->n_row - 1] = cuts[plan->n_cuts - 1];
    }
    for (int k = 0; k < d && plan->desc.n_breakpoints > 0; k++)
        MST_TRY(fill_breakpoints(plan, k, set, parameters, row, &cuts[plan->first_cut[k]], error));
fail:
    return status;
}

typedef struct row_filling {
    const mst_integral *plan;
    const mst_integral_call *call;
    double *rows, *cuts;
} row_filling;

static mst_status fill_rows(size_t part, void *user, mst_error *error) {
    mst_status status = MST_OK;
    const row_filling *f = user;
    const size_t n_parameters = (size_t)f->plan->desc.n_parameters, begin = part * MST_INTEGRAL_SETS;
    const size_t end = mst_smaller(begin + MST_INTEGRAL_SETS, f->call->n_sets);
    for (size_t i = begin; i < end; i++) {
        const double *own = n_parameters > 0 ? f->call->parameters + i * n_parameters : NULL;
        MST_TRY(fill_row(f->plan, i, own, f->rows + i * (size_t)f->plan->n_row, f->cuts + i * (size_t)f->plan->n_cuts, error));
    }
fail:
    return status;
}

mst_status mst_integrand_take_rows(const mst_integral *plan, mst_integral_call *call, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = plan->same_bounds ? 1 : call->n_sets, n_row = (size_t)plan->n_row, n_cuts = (size_t)plan->n_cuts;
    row_filling f = {.plan = plan, .call = call};
    MST_REQUIRE(call->memory = calloc(n * (n_row + n_cuts) + 1, sizeof *call->memory), MST_ERROR_HOST_MEMORY,
                "out of memory for %zu integrals", call->n_sets);
    f.rows = call->memory;
    f.cuts = call->memory + n * n_row;
    call->rows = plan->same_bounds && n_row > 0 ? call->parameters : f.rows;
    call->cuts = f.cuts;
    if (plan->same_bounds)
        MST_TRY(fill_row(plan, 0, call->parameters, f.rows, f.cuts, error));
    else
        MST_TRY(mst_pool_run(plan->context->pool, mst_divide_up(n, (size_t)MST_INTEGRAL_SETS), fill_rows, &f, error));
fail:
    return status;
}

double mst_integrand_value(const mst_integral *plan, double t, const double *row, const double *cuts) {
    double values[MST_INTEGRAL_MAX_SYMBOLS];
    size_t d = (size_t)plan->desc.n_variables, first_end = d + (size_t)plan->desc.n_parameters;
    const mst_expr *integrand = plan->components[0];
    for (size_t i = 0; i < mst_expr_n_leaves(integrand); i++) {
        size_t s = mst_expr_leaves(integrand)[i].symbol;
        values[i] = s < d            ? t
                    : s < first_end  ? row[s - d]
                    : s == first_end ? fabs(t - cuts[0])
                                     : fabs(cuts[plan->n_cuts - 1] - t);
    }
    return mst_expr_evaluate(integrand, values);
}
