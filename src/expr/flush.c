// Subnormal numbers as 0, by operations of the expression itself, so that kernels and the interpreter do the same.
#include "build.h"

mst_status mst_expr_flush(const mst_expr *expr, double least, const char *what, mst_expr **out, mst_error *error) {
    mst_status status = MST_OK;
    const unsigned value = expr->n_nodes - 1;
    mst_expr *to = mst_expr_create(true, expr->numbers_apart);
    *out = NULL;
    MST_REQUIRE(to, MST_ERROR_HOST_MEMORY, "out of memory reading %s", what);
    for (unsigned k = 0; k < expr->n_leaves; k++)
        MST_REQUIRE(mst_expr_find_leaf(to, &expr->leaves[k]) == k, MST_ERROR_HOST_MEMORY, "out of memory reading %s", what);
    for (unsigned i = 0; i < expr->n_nodes; i++) // none is there already, so they keep their numbers
        mst_expr_add_copy(to, &expr->nodes[i]);
    const unsigned size = mst_expr_add(to, MST_EXPR_ABS, &value, 1);
    const unsigned is_small = mst_expr_add_two(to, MST_EXPR_LESS, size, mst_expr_add_number(to, least));
    const unsigned flushed = mst_expr_add(to, MST_EXPR_CHOOSE, (unsigned[]){is_small, mst_expr_add_number(to, 0), value}, 3);
    MST_REQUIRE(mst_expr_add_value(to, flushed) != MST_EXPR_FULL, MST_ERROR_ARGUMENT,
                "%s is too long with subnormal numbers flushed; %d different operations and numbers are the most", what,
                MST_EXPR_MAX_NODES);
    *out = to;
    to = NULL;
fail:
    mst_expr_destroy(to);
    return status;
}
