// An expression's text as tokens, and messages that point into it.
#ifndef MST_EXPR_TOKEN_H
#define MST_EXPR_TOKEN_H

#include "expr.h"
#include "text/c_locale.h"

#include <string.h>

// A part of a text.
typedef struct mst_token_text {
    const char *start;
    size_t length;
} mst_token_text;

static inline bool mst_token_text_is(const mst_token_text *a, const mst_token_text *b) {
    return a->length == b->length && memcmp(a->start, b->start, a->length) == 0;
}

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

// The name, among those that were offered, that differs least from the token that stands next: by two slips at most, one in a
// short name. Begin with mst_nearest_begin; name.length is 0 where none is near.
typedef struct mst_nearest {
    mst_token_text name;
    size_t least;
} mst_nearest;
mst_nearest mst_nearest_begin(const mst_tokens *tokens);
void mst_nearest_offer(mst_nearest *nearest, const mst_tokens *tokens, mst_token_text name);

// pi, e, inf.
typedef struct mst_expr_constant {
    const char *name;
    double value;
} mst_expr_constant;
extern const mst_expr_constant mst_expr_constants[]; // name NULL behind the last

#endif
