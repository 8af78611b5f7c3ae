#include "build.h"
#include "difference.h"
#include "write.h"

#include <stdlib.h>
#include <string.h>

enum { FAR = 1000 }; // beyond what anything reads: offsets do not grow further

static int coordinate_axis(const mst_expr_scheme *scheme, size_t symbol) {
    for (int k = 0; k < scheme->n_axes; k++)
        if (scheme->coordinates[k] == symbol)
            return k;
    return -1;
}

static int sum_of(int offset, int more) {
    int sum = offset + more;
    return sum > FAR ? FAR : sum < -FAR ? -FAR : sum;
}

// A coordinate has offsets, too, until the expression is rebuilt, so that it is moved as far as fields are in one step.
static unsigned shifted_leaf(mst_expr *expr, const mst_expr_scheme *scheme, const mst_expr_node *node, const int *offsets) {
    mst_expr_leaf leaf = expr->leaves[node->operands[0]];
    int axis = coordinate_axis(scheme, leaf.symbol);
    for (int k = 0; k < scheme->n_axes; k++)
        if (node->of_field || (axis >= 0 && k == scheme->n_axes - 1 - axis))
            leaf.offsets[k] = sum_of(leaf.offsets[k], offsets[k]);
    return mst_expr_add_leaf(expr, &leaf, node->of_field);
}

unsigned mst_expr_add_shifted(mst_expr *expr, const mst_expr_scheme *scheme, unsigned node,
                              const int offsets[MST_EXPR_MAX_AXES]) {
    unsigned moved[MST_EXPR_MAX_NODES];
    bool needed[MST_EXPR_MAX_NODES];
    memset(needed, 0, (node + 1) * sizeof needed[0]);
    needed[node] = true;
    for (unsigned i = node + 1; i-- > 0;)
        for (int k = 0; needed[i] && k < mst_expr_arity(expr->nodes[i].operation); k++)
            needed[expr->nodes[i].operands[k]] = true;
    for (unsigned i = 0; i <= node; i++) {
        const mst_expr_node from = expr->nodes[i];
        unsigned operands[3] = {0};
        moved[i] = i; // a number stays
        if (!needed[i] || from.operation == MST_EXPR_NUMBER)
            continue;
        for (int k = 0; k < mst_expr_arity(from.operation); k++)
            operands[k] = moved[from.operands[k]];
        moved[i] = from.operation == MST_EXPR_LEAF ? shifted_leaf(expr, scheme, &from, offsets)
                                                   : mst_expr_add_like(expr, &from, operands);
        if (moved[i] == MST_EXPR_FULL)
            return MST_EXPR_FULL;
    }
    return moved[node];
}

// ---- Rebuilding

static unsigned copied_leaf(const mst_expr *from, const mst_expr_scheme *scheme, const mst_expr_node *node, mst_expr *to) {
    mst_expr_leaf leaf = from->leaves[node->operands[0]];
    int axis = scheme && !node->of_field ? coordinate_axis(scheme, leaf.symbol) : -1;
    int offset = axis < 0 ? 0 : leaf.offsets[scheme->n_axes - 1 - axis];
    if (offset == 0)
        return mst_expr_add_leaf(to, &leaf, node->of_field);
    memset(leaf.offsets, 0, sizeof leaf.offsets);
    unsigned operands[] = {mst_expr_add_leaf(to, &leaf, false), mst_expr_add_number(to, offset * scheme->spacings[axis])};
    return mst_expr_add(to, MST_EXPR_ADD, operands, 2);
}

static unsigned copied(const mst_expr *from, const mst_expr_scheme *scheme, unsigned index, mst_expr *to, unsigned *copies) {
    const mst_expr_node *node = &from->nodes[index];
    unsigned operands[3] = {0};
    if (copies[index] != MST_EXPR_FULL)
        return copies[index];
    for (int k = 0; k < mst_expr_arity(node->operation); k++)
        if ((operands[k] = copied(from, scheme, node->operands[k], to, copies)) == MST_EXPR_FULL)
            return MST_EXPR_FULL;
    if (node->operation == MST_EXPR_NUMBER)
        copies[index] = mst_expr_add_number(to, node->value);
    else if (node->operation == MST_EXPR_LEAF)
        copies[index] = copied_leaf(from, scheme, node, to);
    else
        copies[index] = mst_expr_add_like(to, node, operands);
    return copies[index];
}

mst_expr *mst_expr_rebuilt(const mst_expr *expr, const mst_expr_scheme *scheme, unsigned node, unsigned *copy) {
    unsigned copies[MST_EXPR_MAX_NODES];
    mst_expr *out = mst_expr_create(expr->of_scheme, expr->numbers_apart);
    memset(copies, 0xff, sizeof copies);
    if (out)
        *copy = copied(expr, scheme, node, out, copies);
    return out;
}
