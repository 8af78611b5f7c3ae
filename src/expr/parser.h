// What the files that parse share: parse.c the grammar, call.c what stands before parentheses, parser.c what both need.
#ifndef MST_EXPR_PARSER_H
#define MST_EXPR_PARSER_H

#include "build.h"
#include "definition.h"

// The text of a definition while it is put in place of its name.
typedef struct mst_parser_frame {
    const mst_definition_head *head;
    unsigned arguments[MST_EXPR_MAX_ARGUMENTS]; // nodes
    size_t n_definitions;                       // those that may be used: the ones before it
} mst_parser_frame;

// A definition that was put in, and what came of it.
typedef struct mst_parser_call {
    size_t definition;
    unsigned arguments[MST_EXPR_MAX_ARGUMENTS], node;
} mst_parser_call;

typedef struct mst_parser {
    mst_tokens tokens;
    const mst_expr_symbol *symbols;
    size_t n_symbols;
    const mst_expr_scheme *scheme; // NULL: none
    mst_definition_head *heads;    // of the scheme's definitions; without a name where one is none
    bool of_map;                   // reads what maps have
    bool is_check;                 // of a definition, of whose arguments nothing is known
    mst_expr *expr;
    const mst_parser_frame *frame; // NULL: the expression itself
    mst_parser_call *calls;
    size_t n_calls;
    int depth;
    size_t work; // letters of definitions and nodes that were shifted
} mst_parser;

// Everything that binds more tightly than `binding`; 0: an expression.
mst_status mst_parser_read(mst_parser *p, int binding, unsigned *out, mst_error *error);

// The whole text.
mst_status mst_parser_read_all(mst_parser *p, unsigned *out, mst_error *error);

bool mst_parser_accept(mst_parser *p, const char *sign);
mst_status mst_parser_expect(mst_parser *p, const char *sign, const char *where, mst_error *error);

// The node that was made, unless there was no room.
mst_status mst_parser_keep(mst_parser *p, unsigned node, unsigned *out, mst_error *error);

// Behind an accepted '[': one offset an axis, and ']'. `name` is what they are offsets of.
mst_status mst_parser_offsets(mst_parser *p, mst_token_text name, int n_axes, int *offsets, mst_error *error);

// Counts work against its limit, as definitions may multiply what a short text asks for.
mst_status mst_parser_count(mst_parser *p, size_t work, mst_error *error);

// ---- call.c. `name` is the token that was read; *found says whether it is one of these.

// An argument of the definition that is being put in, or another definition, with or without arguments.
mst_status mst_parser_defined(mst_parser *p, const mst_tokens *name, bool *found, unsigned *out, mst_error *error);

// An operator before its parentheses: laplace(u), dx(u, 4).
mst_status mst_parser_operator(mst_parser *p, const mst_tokens *name, bool *found, unsigned *out, mst_error *error);

// stretch_x and its like before their parentheses.
mst_status mst_parser_stretch(mst_parser *p, const mst_tokens *name, bool *found, unsigned *out, mst_error *error);

// Offsets behind something in parentheses, if there are any: (c*u)[0,1].
mst_status mst_parser_shifted(mst_parser *p, unsigned *node, mst_error *error);

// A name that nothing has, with what is meant perhaps.
mst_status mst_parser_refuse_name(const mst_parser *p, const mst_tokens *name, mst_error *error);

// Fails at the token that stands next.
#define MST_PARSER_REFUSE(...)                                                                                                   \
    do {                                                                                                                         \
        status = mst_tokens_fail(&p->tokens, error, __VA_ARGS__);                                                                \
        goto fail;                                                                                                               \
    } while (0)

#endif
