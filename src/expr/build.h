// Making nodes while parsing: coercion between numbers and conditions, folding, powers, equal nodes once.
#ifndef MST_EXPR_BUILD_H
#define MST_EXPR_BUILD_H

#include "tree.h"

// Without nodes; freed by mst_expr_destroy. NULL when out of memory.
mst_expr *mst_expr_create(bool of_scheme, bool numbers_apart);

bool mst_expr_wants_condition(mst_expr_operation operation, int k); // whether it takes a condition in place k

// Each returns the index of a node, or MST_EXPR_FULL when there is no room for another.
#define MST_EXPR_FULL ((unsigned)-1)
unsigned mst_expr_add_copy(mst_expr *expr, const mst_expr_node *node); // equal nodes once
unsigned mst_expr_add_number(mst_expr *expr, double value);
unsigned mst_expr_add_decimal(mst_expr *expr, double value);            // with a point, which tells it from integers in maps
unsigned mst_expr_find_leaf(mst_expr *expr, const mst_expr_leaf *leaf); // its number; MST_EXPR_FULL when memory is out
unsigned mst_expr_add_leaf(mst_expr *expr, const mst_expr_leaf *leaf, bool of_field); // also MST_EXPR_FULL when memory is out
unsigned mst_expr_add(mst_expr *expr, mst_expr_operation operation, const unsigned *operands, int n);
static inline unsigned mst_expr_add_two(mst_expr *expr, mst_expr_operation operation, unsigned a, unsigned b) {
    return mst_expr_add(expr, operation, (unsigned[]){a, b}, 2);
}
unsigned mst_expr_add_power(mst_expr *expr, unsigned base, unsigned exponent);
// The operation of `node` on other operands.
unsigned mst_expr_add_like(mst_expr *expr, const mst_expr_node *node, const unsigned *operands);
unsigned mst_expr_add_stretch(mst_expr *expr, unsigned argument, int axis, double shift);
unsigned mst_expr_add_ricker(mst_expr *expr, unsigned time, unsigned frequency);
// The value of another expression, with a node for each of its leaves.
unsigned mst_expr_add_tree(mst_expr *expr, const mst_expr *tree, const unsigned *leaves);
unsigned mst_expr_add_as_number(mst_expr *expr, unsigned node); // the node, or what makes a number of a condition
unsigned mst_expr_add_value(mst_expr *expr, unsigned node);     // makes the node a number, and the last one

// mst_expr_parse_scheme with every number of the text as a node of its own, so that the tree has one shape for all numbers that
// names may stand for, but for the rules that look at numbers.
mst_status mst_expr_parse_apart(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols,
                                const mst_expr_scheme *scheme, mst_expr **out, mst_error *error);

#endif
