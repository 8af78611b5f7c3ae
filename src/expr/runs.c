// One expression for many runs that differ in numbers: the text is read once for every run, with the run's numbers, so that parts
// of numbers are computed as for that run alone. Numbers in which the trees differ become leaves.
#include "build.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>

typedef struct runs_reading {
    const char *text, *what;
    const mst_expr_symbol *symbols;
    size_t n_symbols;
    const mst_expr_scheme *scheme;
    const size_t *strides;
    size_t n_runs;
    mst_expr *first;  // of run 0
    double *values;   // [node of it][run], of nodes that are numbers
    size_t n_varying; // leaves made so far
    unsigned leaves[MST_EXPR_MAX_NODES], nodes[MST_EXPR_MAX_NODES];
} runs_reading;

static mst_status read_run(const runs_reading *r, size_t run, mst_expr **out, mst_error *error) {
    mst_status status = MST_OK;
    const double **numbers = malloc((r->n_symbols + 1) * sizeof *numbers);
    MST_REQUIRE(numbers, MST_ERROR_HOST_MEMORY, "out of memory reading an expression");
    for (size_t i = 0; i < r->n_symbols; i++)
        numbers[i] = r->scheme->numbers[i] ? r->scheme->numbers[i] + run * r->strides[i] : NULL;
    mst_expr_scheme scheme = *r->scheme;
    scheme.numbers = numbers;
    MST_TRY(mst_expr_parse_apart(r->text, r->what, r->symbols, r->n_symbols, &scheme, out, error));
fail:
    free(numbers);
    return status;
}

static bool same_shape(const mst_expr *a, const mst_expr *b) {
    bool same = a->n_nodes == b->n_nodes;
    for (unsigned i = 0; i < a->n_nodes && same; i++)
        same = a->nodes[i].operation == b->nodes[i].operation &&
               memcmp(a->nodes[i].operands, b->nodes[i].operands, sizeof a->nodes[i].operands) == 0;
    return same;
}

static mst_status read_all(runs_reading *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_expr *expr = NULL;
    size_t bytes;
    MST_TRY(read_run(r, 0, &r->first, error));
    MST_REQUIRE(mst_multiply(r->first->n_nodes, r->n_runs * sizeof *r->values, &bytes) && (r->values = malloc(bytes)),
                MST_ERROR_HOST_MEMORY, "out of memory reading %s for %zu runs", r->what, r->n_runs);
    for (size_t run = 0; run < r->n_runs; run++) {
        MST_TRY(read_run(r, run, &expr, error));
        MST_REQUIRE(same_shape(r->first, expr), MST_ERROR_ARGUMENT,
                    "%s does something else in run %zu than in run 0, as it does for whole exponents and for divisors near 0 "
                    "or infinity",
                    r->what, run);
        for (unsigned i = 0; i < expr->n_nodes; i++)
            r->values[i * r->n_runs + run] = expr->nodes[i].value;
        mst_expr_destroy(expr);
        expr = NULL;
    }
fail:
    mst_expr_destroy(expr);
    return status;
}

// The leaf for a number that varies; one for all of the same values.
static unsigned add_varying(runs_reading *r, mst_expr *out, unsigned node) {
    const double *values = r->values + node * r->n_runs;
    for (size_t k = 0; k < r->n_varying; k++)
        if (memcmp(r->values + r->leaves[k] * r->n_runs, values, r->n_runs * sizeof *values) == 0)
            return mst_expr_add_leaf(out, &(mst_expr_leaf){.symbol = MST_EXPR_VARYING, .level = (int)k}, false);
    r->leaves[r->n_varying] = node;
    return mst_expr_add_leaf(out, &(mst_expr_leaf){.symbol = MST_EXPR_VARYING, .level = (int)r->n_varying++}, false);
}

static bool varies(const runs_reading *r, unsigned node) {
    const double *values = r->values + node * r->n_runs;
    for (size_t run = 1; run < r->n_runs; run++)
        if (memcmp(values, values + run, sizeof *values) != 0)
            return true;
    return false;
}

static void find_live(const mst_expr *expr, bool live[MST_EXPR_MAX_NODES]) {
    memset(live, 0, expr->n_nodes * sizeof *live);
    live[expr->n_nodes - 1] = true;
    for (unsigned i = expr->n_nodes; i-- > 0;)
        for (int k = 0; live[i] && k < mst_expr_arity(expr->nodes[i].operation); k++)
            live[expr->nodes[i].operands[k]] = true;
}

// The tree of run 0 once more, equal nodes once, with leaves for numbers that vary.
static bool rebuild(runs_reading *r, mst_expr *out) {
    bool live[MST_EXPR_MAX_NODES];
    find_live(r->first, live);
    for (unsigned i = 0; i < r->first->n_nodes; i++) {
        mst_expr_node node = r->first->nodes[i];
        if (!live[i])
            continue;
        for (int k = 0; k < mst_expr_arity(node.operation); k++)
            node.operands[k] = r->nodes[node.operands[k]];
        if (node.operation == MST_EXPR_LEAF)
            r->nodes[i] = mst_expr_add_leaf(out, &r->first->leaves[node.operands[0]], node.of_field);
        else if (node.operation == MST_EXPR_NUMBER && varies(r, i))
            r->nodes[i] = add_varying(r, out, i);
        else
            r->nodes[i] = mst_expr_add_copy(out, &node);
        if (r->nodes[i] == MST_EXPR_FULL)
            return false;
    }
    out->n_nodes = r->nodes[r->first->n_nodes - 1] + 1; // the value is the last
    return true;
}

mst_status mst_expr_parse_runs(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols,
                               const mst_expr_scheme *scheme, const size_t *strides, size_t n_runs, mst_expr **out,
                               double **varying, mst_error *error) {
    mst_status status = MST_OK;
    runs_reading *r = calloc(1, sizeof *r);
    *out = NULL;
    *varying = NULL;
    MST_REQUIRE(r, MST_ERROR_HOST_MEMORY, "out of memory reading an expression");
    *r = (runs_reading){text, what, symbols, n_symbols, scheme, strides, n_runs, NULL, NULL, 0, {0}, {0}};
    MST_TRY(read_all(r, error));
    MST_REQUIRE(*out = mst_expr_create(true, false), MST_ERROR_HOST_MEMORY, "out of memory reading an expression");
    MST_REQUIRE(rebuild(r, *out), MST_ERROR_HOST_MEMORY, "out of memory reading an expression");
    MST_REQUIRE(*varying = malloc((r->n_varying * n_runs + 1) * sizeof **varying), MST_ERROR_HOST_MEMORY,
                "out of memory reading an expression");
    for (size_t k = 0; k < r->n_varying; k++)
        memcpy(*varying + k * n_runs, r->values + r->leaves[k] * n_runs, n_runs * sizeof **varying);
fail:
    if (status != MST_OK) {
        mst_expr_destroy(*out);
        *out = NULL;
    }
    if (r) {
        mst_expr_destroy(r->first);
        free(r->values);
    }
    free(r);
    return status;
}
