// Bounds of expressions in boxes, by byte code (bounds.cl).
#ifndef MST_EXPR_BOUNDS_H
#define MST_EXPR_BOUNDS_H

#include "expr.h"

// Whether comparisons or steps (floor, sign) depend on leaves of symbols below n, so that the value may jump where those vary.
bool mst_expr_may_jump(const mst_expr *expr, size_t n);

// Adds the names of operations, OF_FLOOR say, by which bounds.cl knows them.
void mst_expr_write_operations(mst_text *out);

#endif
