// Values as sums of some of their leaves times factors of the others. The factors are derivatives, from the value back to its
// leaves (reverse accumulation), which are exact as the value is affine in them.
#include "write.h"

// Which nodes depend on the leaves that vary.
static void mark(const mst_expr *expr, const bool *varying, bool depends[MST_EXPR_MAX_NODES]) {
    for (unsigned i = 0; i < expr->n_nodes; i++) {
        const mst_expr_node *node = &expr->nodes[i];
        depends[i] = node->operation == MST_EXPR_LEAF && varying[node->operands[0]];
        for (int k = 0; k < mst_expr_arity(node->operation); k++)
            depends[i] = depends[i] || depends[node->operands[k]];
    }
}

// Of the operands of a node that depends on them, those that may not.
static unsigned fixed_operands(mst_expr_operation operation) {
    switch (operation) {
    case MST_EXPR_LEAF:
    case MST_EXPR_NEGATE:
    case MST_EXPR_ADD:
    case MST_EXPR_SUBTRACT:
        return 0;
    case MST_EXPR_DIVIDE:
        return 2; // the divisor
    case MST_EXPR_CHOOSE:
        return 1; // the condition
    case MST_EXPR_MULTIPLY:
        return 3; // one of them
    default:
        return 7;
    }
}

static size_t first_leaf(const mst_expr *expr, unsigned node, const bool depends[MST_EXPR_MAX_NODES]) {
    while (expr->nodes[node].operation != MST_EXPR_LEAF)
        for (int k = 0; k < mst_expr_arity(expr->nodes[node].operation); k++)
            if (depends[expr->nodes[node].operands[k]]) {
                node = expr->nodes[node].operands[k];
                break;
            }
    return expr->nodes[node].operands[0];
}

static const char *name_of(mst_expr_operation operation) {
    if (operation >= MST_EXPR_ABS)
        return mst_expr_functions[operation - MST_EXPR_ABS].name;
    return operation == MST_EXPR_MULTIPLY ? "*" : operation == MST_EXPR_DIVIDE ? "/" : operation == MST_EXPR_CHOOSE ? "?:" : "<";
}

bool mst_expr_is_affine(const mst_expr *expr, const bool *varying, mst_expr_obstacle *obstacle) {
    bool depends[MST_EXPR_MAX_NODES];
    mark(expr, varying, depends);
    for (unsigned i = 0; i < expr->n_nodes; i++) {
        const mst_expr_node *node = &expr->nodes[i];
        const unsigned *o = node->operands, fixed = fixed_operands(node->operation);
        const bool is_product = node->operation == MST_EXPR_MULTIPLY;
        int wrong = -1; // an operand that may not depend on them, and does
        for (int k = 0; k < mst_expr_arity(node->operation); k++)
            wrong = fixed >> k & 1 && depends[o[k]] && !(is_product && !depends[o[1 - k]]) ? k : wrong;
        if (wrong < 0)
            continue;
        const size_t last = first_leaf(expr, o[wrong], depends);
        *obstacle = (mst_expr_obstacle){name_of(node->operation), {is_product ? first_leaf(expr, o[0], depends) : last, last}};
        return false;
    }
    return true;
}

void mst_expr_evaluate_nodes(const mst_expr *expr, const double *leaves, double *values) {
    for (unsigned i = 0; i < expr->n_nodes; i++) {
        const mst_expr_node *node = &expr->nodes[i];
        const unsigned *o = node->operands;
        if (node->operation == MST_EXPR_NUMBER)
            values[i] = node->value;
        else if (node->operation == MST_EXPR_LEAF)
            values[i] = leaves[o[0]];
        else
            values[i] = mst_expr_apply(node->operation, values[o[0]], values[o[1]], values[o[2]]);
    }
}

void mst_expr_derivatives(const mst_expr *expr, const double *leaves, const bool *varying, double *derivatives) {
    double values[MST_EXPR_MAX_NODES], sums[MST_EXPR_MAX_NODES] = {0};
    bool depends[MST_EXPR_MAX_NODES];
    mark(expr, varying, depends);
    mst_expr_evaluate_nodes(expr, leaves, values);
    sums[expr->n_nodes - 1] = 1;
    for (unsigned i = expr->n_nodes; i-- > 0;) {
        const mst_expr_node *node = &expr->nodes[i];
        const unsigned *o = node->operands;
        if (node->operation == MST_EXPR_LEAF)
            derivatives[o[0]] = varying[o[0]] ? sums[i] : 0;
        if (!depends[i] || sums[i] == 0)
            continue;
        if (node->operation == MST_EXPR_MULTIPLY) {
            unsigned moving = depends[o[0]] ? 0 : 1;
            sums[o[moving]] += sums[i] * values[o[1 - moving]];
        } else if (node->operation == MST_EXPR_DIVIDE) {
            sums[o[0]] += sums[i] / values[o[1]];
        } else if (node->operation == MST_EXPR_CHOOSE) {
            sums[values[o[0]] != 0 ? o[1] : o[2]] += sums[i];
        } else if (node->operation == MST_EXPR_NEGATE) {
            sums[o[0]] -= sums[i];
        } else if (node->operation != MST_EXPR_LEAF) { // a sum or a difference
            sums[o[0]] += sums[i];
            sums[o[1]] += node->operation == MST_EXPR_ADD ? sums[i] : -sums[i];
        }
    }
}

// Whether a node does not depend on them but multiplies, divides or chooses what does.
static bool scales(const mst_expr_node *node, int k, const bool depends[MST_EXPR_MAX_NODES]) {
    bool summed = node->operation == MST_EXPR_ADD || node->operation == MST_EXPR_SUBTRACT;
    return !summed && !depends[node->operands[k]] && !(node->operation == MST_EXPR_CHOOSE && k > 0);
}

size_t mst_expr_factors(const mst_expr *expr, const bool *varying, unsigned *nodes) {
    bool depends[MST_EXPR_MAX_NODES], listed[MST_EXPR_MAX_NODES] = {false};
    size_t n = 0;
    mark(expr, varying, depends);
    for (unsigned i = 0; i < expr->n_nodes; i++)
        for (int k = 0; depends[i] && k < mst_expr_arity(expr->nodes[i].operation); k++) {
            unsigned operand = expr->nodes[i].operands[k];
            if (!scales(&expr->nodes[i], k, depends) || listed[operand] || expr->nodes[operand].operation == MST_EXPR_NUMBER)
                continue;
            listed[operand] = true;
            nodes[n++] = operand;
        }
    return n;
}

bool mst_expr_node_reads(const mst_expr *expr, unsigned node, size_t leaf) {
    bool depends[MST_EXPR_MAX_NODES], only[MST_EXPR_MAX_NODES] = {false};
    only[leaf] = true;
    mark(expr, only, depends);
    return depends[node];
}
