#include "expressions.h"

#include "layers.h"
#include "runtime/numbers.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add_name(mst_names *n, const char *name, mst_leaf leaf, int n_axes, int n_levels) {
    n->leaves[n->count] = leaf;
    n->numbers[n->count] = NULL;
    n->strides[n->count] = 0;
    n->symbols[n->count++] = (mst_expr_symbol){name, n_axes, n_levels};
}

static void add_number(mst_names *n, const char *name, const double *value) {
    add_name(n, name, (mst_leaf){0}, 0, 1);
    n->numbers[n->count - 1] = value;
}

bool mst_parameter_varies(const mst_stencil_desc *desc, const char *name) {
    for (size_t k = 0; k < desc->n_run_parameters; k++)
        if (strcmp(desc->run_parameters[k], name) == 0)
            return true;
    return false;
}

void mst_names_list(const mst_problem *p, const mst_stencil_desc *desc, unsigned reads, mst_names *n) {
    static const char *const coordinate[] = {"x", "y", "z"}, *const spacing[] = {"dx", "dy", "dz"};
    const int rank = p->rank - p->has_run_planes;
    n->count = 0;
    n->scheme = (mst_expr_scheme){.numbers = n->numbers, .n_axes = rank, .definitions = n->definitions};
    for (int k = 0; k < rank; k++) {
        int axis = mst_problem_axis(p->rank, p->rank - 1 - k);
        n->scheme.spacings[k] = p->spacing[axis];
        n->scheme.coordinates[k] = reads & MST_STENCIL_READS_PLACES ? n->count : SIZE_MAX;
        if (reads & MST_STENCIL_READS_PLACES)
            add_name(n, coordinate[k], (mst_leaf){.kind = MST_VALUE_COORDINATE, .axis = axis}, 0, 1);
        add_number(n, spacing[k], &p->spacing[axis]);
    }
    if (p->is_open)
        add_name(n, "dt", (mst_leaf){.kind = MST_VALUE_STEP}, 0, 1);
    else
        add_number(n, "dt", &p->time_step);
    if (reads & MST_STENCIL_READS_TIME)
        add_name(n, "t", (mst_leaf){.kind = MST_VALUE_TIME}, 0, 1);
    for (size_t k = 0; k < desc->n_parameters; k++)
        if (!mst_parameter_varies(desc, desc->parameters[k].name))
            add_number(n, desc->parameters[k].name, &desc->parameters[k].value);
    for (size_t k = 0; k < desc->n_run_parameters; k++) {
        add_number(n, desc->run_parameters[k], &desc->run_values[k]);
        n->strides[n->count - 1] = desc->n_run_parameters;
    }
    for (int f = 0; (reads & MST_STENCIL_READS_FIELDS) && f < p->n_fields && !p->fields[f].is_memory; f++)
        add_name(n, p->fields[f].name, (mst_leaf){.kind = MST_VALUE_FIELD, .field = f}, rank, p->fields[f].levels);
    for (; n->scheme.n_definitions < desc->n_definitions; n->scheme.n_definitions++) {
        const mst_stencil_definition *from = &desc->definitions[n->scheme.n_definitions];
        n->definitions[n->scheme.n_definitions] = (mst_expr_definition){from->name, from->expression};
    }
}

mst_status mst_problem_check_definitions(const mst_problem *p, const mst_stencil_desc *desc, size_t first, size_t end,
                                         mst_error *error) {
    mst_status status = MST_OK;
    mst_names n;
    mst_names_list(p, desc, MST_STENCIL_READS_ALL, &n);
    for (size_t k = first; k < end; k++)
        MST_TRY(mst_expr_check_definition(n.symbols, n.count, &n.scheme, k, error));
fail:
    return status;
}

void mst_formula_release(mst_formula *formula) {
    mst_expr_destroy(formula->expr);
    free(formula->leaves);
    free(formula->varying);
    *formula = (mst_formula){0};
}

mst_status mst_formula_tree(const mst_problem *p, const mst_names *n, const char *text, const char *what, mst_expr **out,
                            double **varying, mst_error *error) {
    *varying = NULL;
    return p->n_runs > 0
               ? mst_expr_parse_runs(text, what, n->symbols, n->count, &n->scheme, n->strides, p->n_runs, out, varying, error)
               : mst_expr_parse_scheme(text, what, n->symbols, n->count, &n->scheme, out, error);
}

mst_status mst_formula_make(const mst_problem *p, const mst_names *n, mst_expr *expr, double *varying, const char *what,
                            mst_formula *out, mst_error *error) {
    mst_status status = MST_OK;
    *out = (mst_formula){.expr = expr, .varying = varying};
    out->n_leaves = mst_expr_n_leaves(out->expr);
    MST_REQUIRE(out->n_leaves <= MST_STENCIL_MAX_LEAVES, MST_ERROR_ARGUMENT, "%s reads %zu values; at most %d", what,
                out->n_leaves, MST_STENCIL_MAX_LEAVES);
    const mst_expr_leaf *leaves = mst_expr_leaves(out->expr);
    MST_REQUIRE(out->leaves = calloc(out->n_leaves + 1, sizeof *out->leaves), MST_ERROR_HOST_MEMORY,
                "out of memory reading an expression");
    for (size_t i = 0; i < out->n_leaves; i++) {
        mst_leaf *leaf = &out->leaves[i];
        if (leaves[i].symbol == MST_EXPR_VARYING) {
            *leaf = (mst_leaf){.kind = MST_VALUE_RUN, .column = (size_t)leaves[i].level};
            out->n_varying = mst_larger(out->n_varying, leaf->column + 1);
            continue;
        }
        *leaf = leaves[i].symbol < n->count ? n->leaves[leaves[i].symbol] : mst_layers_leaf(p, leaves[i].symbol - n->count);
        leaf->level = leaves[i].level;
        for (int k = p->has_run_planes; k < p->rank && leaf->kind == MST_VALUE_LAYER; k++)
            leaf->offsets[mst_problem_axis(p->rank, k)] = leaves[i].offsets[k - p->has_run_planes];
        for (int k = p->has_run_planes; k < p->rank && leaf->kind == MST_VALUE_FIELD; k++) {
            int offset = leaves[i].offsets[k - p->has_run_planes];
            MST_REQUIRE(abs(offset) <= MST_STENCIL_MAX_RADIUS, MST_ERROR_ARGUMENT, "%s reads %s at an offset of %d; at most %d",
                        what, p->fields[leaf->field].name, offset, MST_STENCIL_MAX_RADIUS);
            MST_REQUIRE((uint64_t)abs(offset) <= p->grid[mst_problem_axis(p->rank, k)], MST_ERROR_ARGUMENT,
                        "%s reads %s at an offset of %d along axis %d, which has only %llu nodes", what,
                        p->fields[leaf->field].name, offset, k, (unsigned long long)p->grid[mst_problem_axis(p->rank, k)]);
            leaf->offsets[mst_problem_axis(p->rank, k)] = offset;
        }
    }
fail:
    return status;
}

double mst_problem_rounded(const mst_problem *p, double value) {
    const double rounded = p->is_double ? value : (double)(float)value;
    return p->is_flushed && fabs(rounded) < (p->is_double ? DBL_MIN : (double)FLT_MIN) ? 0 : rounded;
}

mst_status mst_formula_flush(const mst_problem *p, mst_formula *formula, const char *what, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr *flushed;
    MST_TRY(mst_expr_flush(formula->expr, p->is_double ? DBL_MIN : (double)FLT_MIN, what, &flushed, error));
    mst_expr_destroy(formula->expr);
    formula->expr = flushed;
fail:
    return status;
}

mst_status mst_formula_parse(const mst_problem *p, const mst_names *n, const char *text, const char *what, mst_formula *out,
                             mst_error *error) {
    mst_status status = MST_OK;
    mst_expr *expr;
    double *varying;
    *out = (mst_formula){0};
    MST_TRY(mst_formula_tree(p, n, text, what, &expr, &varying, error));
    MST_TRY(mst_formula_make(p, n, expr, varying, what, out, error));
fail:
    return status;
}

mst_status mst_problem_initial(const mst_problem *problem, const mst_stencil_desc *desc, const char *text, const char *what,
                               mst_formula *out, mst_error *error) {
    mst_names n;
    mst_names_list(problem, desc, MST_STENCIL_READS_PLACES, &n);
    return mst_formula_parse(problem, &n, text, what, out, error);
}

// A stretch is its argument wherever nothing is advanced.
static mst_status find_no_layer(void *user, const mst_expr_stretch *stretch, mst_expr_layer *layer, mst_error *error) {
    (void)user;
    (void)stretch;
    (void)error;
    *layer = (mst_expr_layer){.exists = false};
    return MST_OK;
}

mst_status mst_problem_reading(const mst_problem *problem, const mst_stencil_desc *desc, const char *text, const char *what,
                               mst_formula *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_names n;
    mst_expr *expr = NULL, *plain = NULL;
    double *varying = NULL;
    mst_names_list(problem, desc, MST_STENCIL_READS_ALL, &n);
    MST_TRY(mst_formula_tree(problem, &n, text, what, &expr, &varying, error));
    if (mst_expr_has_stretch(expr)) {
        MST_TRY(mst_expr_expand(expr, what, find_no_layer, NULL, &plain, error));
        mst_expr_destroy(expr);
        expr = plain;
    }
    return mst_formula_make(problem, &n, expr, varying, what, out, error);
fail:
    mst_expr_destroy(expr);
    free(varying);
    return status;
}

mst_status mst_problem_series(const mst_problem *problem, const mst_stencil_desc *desc, const char *text, const char *what,
                              mst_formula *out, mst_error *error) {
    mst_names n;
    mst_names_list(problem, desc, MST_STENCIL_READS_TIME, &n);
    return mst_formula_parse(problem, &n, text, what, out, error);
}
