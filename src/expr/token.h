// An expression's text as tokens, and messages that point into it.
#ifndef MST_EXPR_TOKEN_H
#define MST_EXPR_TOKEN_H

#include "expr.h"
#include "text/c_locale.h"

typedef enum mst_token_kind { MST_TOKEN_END, MST_TOKEN_NUMBER, MST_TOKEN_NAME, MST_TOKEN_SIGN } mst_token_kind;

typedef struct mst_tokens {
    const char *text, *what;
    mst_c_locale locale; // from begin to end
    // the token that stands next
    mst_token_kind kind;
    const char *start;
    size_t length;
    double value; // of a number
} mst_tokens;

// Begins before the first token. mst_tokens_end follows in any case.
mst_status mst_tokens_begin(mst_tokens *tokens, const char *text, const char *what, mst_error *error);
void mst_tokens_end(mst_tokens *tokens);
void mst_tokens_next(mst_tokens *tokens);

bool mst_token_is(const mst_tokens *tokens, const char *text); // this sign or name

// Fails with "WHAT, column 7: MESSAGE" and an excerpt that shows the token that stands next.
mst_status mst_tokens_fail(const mst_tokens *tokens, mst_error *error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Among the symbols, functions and constants the one whose name is nearest to the token that stands next; NULL if none is near.
const char *mst_token_nearest(const mst_tokens *tokens, const mst_expr_symbol *symbols, size_t n_symbols);

// pi, e, inf.
typedef struct mst_expr_constant {
    const char *name;
    double value;
} mst_expr_constant;
extern const mst_expr_constant mst_expr_constants[]; // name NULL behind the last

#endif
