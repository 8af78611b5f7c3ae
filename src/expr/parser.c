#include "parser.h"

#include <math.h>

bool mst_parser_accept(mst_parser *p, const char *sign) {
    bool is = mst_token_is(&p->tokens, sign);
    if (is)
        mst_tokens_next(&p->tokens);
    return is;
}

mst_status mst_parser_expect(mst_parser *p, const char *sign, const char *where, mst_error *error) {
    return mst_parser_accept(p, sign) ? MST_OK : mst_tokens_fail(&p->tokens, error, "expected '%s' %s", sign, where);
}

mst_status mst_parser_keep(mst_parser *p, unsigned node, unsigned *out, mst_error *error) {
    *out = node;
    if (node != MST_EXPR_FULL)
        return MST_OK;
    if (p->expr->n_nodes < MST_EXPR_MAX_NODES)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory reading an expression");
    return mst_tokens_fail(&p->tokens, error, "too long; %d different operations and numbers are the most", MST_EXPR_MAX_NODES);
}

mst_status mst_parser_offsets(mst_parser *p, mst_token_text name, int n_axes, int *offsets, mst_error *error) {
    static const char *const examples[] = {"[0]", "[0,0]", "[0,0,0]"};
    mst_status status = MST_OK;
    const mst_tokens *t = &p->tokens;
    const int length = (int)name.length;
    for (int k = 0; k < n_axes; k++) {
        if (k > 0 && !mst_parser_accept(p, ","))
            MST_PARSER_REFUSE("expected ',': %.*s has %d axes, as in %.*s%s", length, name.start, n_axes, length, name.start,
                              examples[n_axes - 1]);
        bool minus = mst_parser_accept(p, "-");
        if (!minus)
            mst_parser_accept(p, "+");
        if (t->kind != MST_TOKEN_NUMBER || t->value != floor(t->value) || t->value > MST_EXPR_MAX_OFFSET)
            MST_PARSER_REFUSE("expected an offset, a whole number from -%d to %d", MST_EXPR_MAX_OFFSET, MST_EXPR_MAX_OFFSET);
        offsets[k] = minus ? -(int)t->value : (int)t->value;
        mst_tokens_next(&p->tokens);
    }
    if (!mst_parser_accept(p, "]"))
        MST_PARSER_REFUSE("expected ']' after %d offset%s, as in %.*s%s", n_axes, n_axes == 1 ? "" : "s", length, name.start,
                          examples[n_axes - 1]);
fail:
    return status;
}
