// Definitions: names with or without arguments that stand for expressions.
#ifndef MST_EXPR_DEFINITION_H
#define MST_EXPR_DEFINITION_H

#include "token.h"

enum { MST_EXPR_MAX_ARGUMENTS = 8 };

// What stands left of a definition: "lap(f, c)".
typedef struct mst_definition_head {
    const char *text;
    mst_token_text name;
    int n_arguments;
    mst_token_text arguments[MST_EXPR_MAX_ARGUMENTS];
} mst_definition_head;

// MST_ERROR_ARGUMENT: it is neither a name nor a name with names as arguments in parentheses. The head points into the text.
mst_status mst_definition_read_head(const char *text, mst_definition_head *out, mst_error *error);

#endif
