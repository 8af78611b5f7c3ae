// The interpreter: the reference for what the kernels compute.
#include "tree.h"

#include <math.h>
#include <stdlib.h>

const mst_expr_function mst_expr_functions[] = {
#define FUNCTION(operation, name, arity, opencl, c) {name, arity, opencl},
    MST_EXPR_FUNCTIONS(FUNCTION)
#undef FUNCTION
        {NULL, 0, NULL}};

double mst_expr_sign(double x) { return isnan(x) ? 0.0 : x == 0 ? x : copysign(1.0, x); }
float mst_expr_signf(float x) { return (float)mst_expr_sign((double)x); }

double mst_expr_lgamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

float mst_expr_lgammaf(float x) {
    int sign;
    return lgammaf_r(x, &sign);
}

#define REAL double
#define NAME(f) f
#include "evaluate.h"
#undef REAL
#undef NAME

#define REAL float
#define JOIN(name) name##f
#define NAME(f) JOIN(f)
#define mst_expr_evaluatef mst_expr_evaluate_float
#include "evaluate.h"

enum { TOGETHER = 64 };

typedef struct row {
    bool varies; // else values[0] is all
    double values[TOGETHER];
} row;

static void evaluate_node(const mst_expr_node *node, const row *rows, size_t n, row *out) {
    const row *a = &rows[node->operands[0]], *b = &rows[node->operands[1]], *c = &rows[node->operands[2]];
    out->varies = a->varies || b->varies || c->varies;
    for (size_t k = 0; k < (out->varies ? n : 1); k++)
        out->values[k] =
            apply(node->operation, a->values[a->varies ? k : 0], b->values[b->varies ? k : 0], c->values[c->varies ? k : 0]);
}

bool mst_expr_evaluate_many(const mst_expr *expr, const double *leaves, size_t varying, const double *x, size_t n, double *out) {
    row *rows = calloc(expr->n_nodes, sizeof *rows);
    if (!rows)
        return false;
    for (size_t at = 0; at < n; at += TOGETHER) {
        size_t m = n - at < TOGETHER ? n - at : TOGETHER;
        const row *last = rows;
        for (unsigned i = 0; i < expr->n_nodes; i++) {
            const mst_expr_node *node = &expr->nodes[i];
            last = &rows[i];
            bool is_leaf = node->operation == MST_EXPR_LEAF;
            if (is_leaf && node->operands[0] == varying) {
                rows[i].varies = true;
                for (size_t k = 0; k < m; k++)
                    rows[i].values[k] = x[at + k];
            } else if (is_leaf || node->operation == MST_EXPR_NUMBER) {
                rows[i].values[0] = is_leaf ? leaves[node->operands[0]] : node->value;
            } else if (at == 0 || rows[i].varies) {
                evaluate_node(node, rows, m, &rows[i]);
            }
        }
        for (size_t k = 0; k < m; k++)
            out[at + k] = last->values[last->varies ? k : 0];
    }
    free(rows);
    return true;
}

double mst_expr_apply(mst_expr_operation operation, double a, double b, double c) { return apply(operation, a, b, c); }
