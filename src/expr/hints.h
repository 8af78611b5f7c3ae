// What other languages write, and how it is written here.
#ifndef MST_EXPR_HINTS_H
#define MST_EXPR_HINTS_H

#include "token.h"

// Of a name that is none here, where a function, a variable or a number is expected; NULL if there is nothing to say.
const char *mst_hint_for_name(const mst_tokens *name, bool of_map);
// Of what stands where an operator is expected; NULL if there is nothing to say.
const char *mst_hint_for_operator(const mst_tokens *token, bool of_map);

#endif
