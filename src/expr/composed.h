// Functions that become several operations while parsing, and other names of functions.
#ifndef MST_EXPR_COMPOSED_H
#define MST_EXPR_COMPOSED_H

#include "build.h"
#include "token.h"

// The one of the name that stands next, which has no name in OpenCL C; NULL if there is none, or in maps only.
const mst_expr_function *mst_composed_find(const mst_tokens *name, bool of_map);
// A call of it.
unsigned mst_composed_add(mst_expr *expr, const mst_expr_function *function, const unsigned *operands);
// Whether comparisons in it, `name` being NULL or what nodes were written for, make no jumps.
bool mst_composed_is_continuous(const char *name);
void mst_composed_offer(const mst_tokens *name, bool of_map, mst_nearest *nearest);

#endif
