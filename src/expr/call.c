// What stands before parentheses in schemes, but for functions: definitions, their arguments, and operators.
#include "composed.h"
#include "difference.h"
#include "hints.h"
#include "parser.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 4000, MOST_WORK = 20000000 };

static bool is_name(const mst_tokens *name, const mst_token_text *text) {
    return mst_token_text_is(&(mst_token_text){name->start, name->length}, text);
}

mst_status mst_parser_count(mst_parser *p, size_t work, mst_error *error) {
    p->work += work;
    if (p->work <= MOST_WORK && p->n_calls <= MOST_CALLS)
        return MST_OK;
    return mst_tokens_fail(&p->tokens, error,
                           "too much to put in for definitions and operators; use fewer of them in one another");
}

mst_status mst_parser_shifted(mst_parser *p, unsigned *node, mst_error *error) {
    static const mst_token_text parentheses = {"(..)", 4};
    mst_status status = MST_OK;
    int offsets[MST_EXPR_MAX_AXES] = {0};
    if (!p->scheme || p->scheme->n_axes == 0 || !mst_parser_accept(p, "["))
        return MST_OK;
    MST_TRY(mst_parser_offsets(p, parentheses, p->scheme->n_axes, offsets, error));
    MST_TRY(mst_parser_count(p, *node, error));
    MST_TRY(mst_parser_keep(p, mst_expr_add_shifted(p->expr, p->scheme, *node, offsets), node, error));
fail:
    return status;
}

// ---- Arguments

// f.prev, where f is a field that has two levels, or nothing is known of it yet.
static mst_status read_previous(mst_parser *p, const mst_token_text *name, unsigned *node, mst_error *error) {
    mst_status status = MST_OK;
    const mst_expr_node *n = &p->expr->nodes[*node];
    if (!mst_token_is(&p->tokens, "prev"))
        MST_PARSER_REFUSE("expected 'prev': %.*s.prev is the value of the step before", (int)name->length, name->start);
    const mst_expr_leaf *leaf = n->operation == MST_EXPR_LEAF && n->of_field ? &p->expr->leaves[n->operands[0]] : NULL;
    if (!leaf || leaf->level > 0 || (leaf->symbol < p->n_symbols && p->symbols[leaf->symbol].n_levels < 2))
        MST_PARSER_REFUSE("%.*s has no value of the step before: give it a field of two levels", (int)name->length, name->start);
    mst_tokens_next(&p->tokens);
    mst_expr_leaf previous = *leaf;
    previous.level = 1;
    MST_TRY(mst_parser_keep(p, mst_expr_add_leaf(p->expr, &previous, true), node, error));
fail:
    return status;
}

static mst_status read_argument(mst_parser *p, int k, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_token_text *name = &p->frame->head->arguments[k];
    *out = p->frame->arguments[k];
    if (mst_parser_accept(p, "."))
        MST_TRY(read_previous(p, name, out, error));
    MST_TRY(mst_parser_shifted(p, out, error));
    if (mst_token_is(&p->tokens, "(") || mst_token_is(&p->tokens, "[") || mst_token_is(&p->tokens, "."))
        MST_PARSER_REFUSE("expected an operator: %.*s is an argument", (int)name->length, name->start);
fail:
    return status;
}

// ---- Definitions

static bool is_same_call(const mst_parser_call *a, const mst_parser_call *b) {
    return a->definition == b->definition && memcmp(a->arguments, b->arguments, sizeof a->arguments) == 0;
}

static mst_status remember(mst_parser *p, const mst_parser_call *call, mst_error *error) {
    mst_status status = MST_OK;
    if ((p->n_calls & (p->n_calls - 1)) == 0) { // a power of two, or none
        mst_parser_call *more = realloc(p->calls, (2 * p->n_calls + 1) * sizeof *more);
        MST_REQUIRE(more, MST_ERROR_HOST_MEMORY, "out of memory reading %s", p->tokens.what);
        p->calls = more;
    }
    p->calls[p->n_calls++] = *call;
fail:
    return status;
}

// The node of a call: one that was met before, or that of the definition's text.
static mst_status put_in(mst_parser *p, mst_parser_call *call, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_definition_head *head = &p->heads[call->definition];
    const mst_parser_frame *outer = p->frame;
    mst_parser_frame frame = {.head = head, .n_definitions = call->definition};
    const mst_tokens tokens = p->tokens;
    char what[MST_EXPR_MAX_NAME + 30];
    MST_TRY(mst_parser_count(p, strlen(p->scheme->definitions[call->definition].text) + p->n_calls / 8, error));
    for (size_t i = 0; i < p->n_calls; i++)
        if (is_same_call(&p->calls[i], call)) {
            *out = p->calls[i].node;
            return MST_OK;
        }
    memcpy(frame.arguments, call->arguments, sizeof frame.arguments);
    snprintf(what, sizeof what, "the definition of %.*s", (int)head->name.length, head->name.start);
    p->frame = &frame;
    status = mst_tokens_begin(&p->tokens, p->scheme->definitions[call->definition].text, what, error);
    if (status == MST_OK)
        status = mst_parser_read_all(p, out, error);
    mst_tokens_end(&p->tokens);
    p->tokens = tokens;
    p->frame = outer;
    call->node = *out;
    if (status == MST_OK)
        status = remember(p, call, error);
fail:
    return status;
}

static mst_status read_call(mst_parser *p, size_t k, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_definition_head *head = &p->heads[k];
    const int n = head->n_arguments;
    mst_parser_call call = {.definition = k};
    if (n == 0 && mst_token_is(&p->tokens, "("))
        MST_PARSER_REFUSE("expected an operator: %.*s has no arguments", (int)head->name.length, head->name.start);
    if (n > 0 && !mst_parser_accept(p, "("))
        MST_PARSER_REFUSE("expected '(': %s takes %d argument%s", head->text, n, n == 1 ? "" : "s");
    for (int i = 0; i < n; i++) {
        if (i > 0 && !mst_parser_accept(p, ","))
            MST_PARSER_REFUSE("expected ',': %s takes %d arguments", head->text, n);
        MST_TRY(mst_parser_read(p, 0, &call.arguments[i], error));
    }
    if (n > 0 && !mst_parser_accept(p, ")"))
        MST_PARSER_REFUSE("expected ')': %s takes %d argument%s", head->text, n, n == 1 ? "" : "s");
    MST_TRY(put_in(p, &call, out, error));
    MST_TRY(mst_parser_shifted(p, out, error));
fail:
    return status;
}

mst_status mst_parser_defined(mst_parser *p, const mst_tokens *name, bool *found, unsigned *out, mst_error *error) {
    const size_t n = p->scheme ? p->scheme->n_definitions : 0, usable = p->frame ? p->frame->n_definitions : n;
    *found = true;
    for (int k = 0; p->frame && k < p->frame->head->n_arguments; k++)
        if (is_name(name, &p->frame->head->arguments[k]))
            return read_argument(p, k, out, error);
    for (size_t k = 0; k < n; k++)
        if (is_name(name, &p->heads[k].name))
            return k < usable ? read_call(p, k, out, error)
                              : mst_tokens_fail(name, error,
                                                "'%.*s' cannot be used here: a definition may use those before it, "
                                                "so that none uses itself",
                                                (int)name->length, name->start);
    *found = false;
    return MST_OK;
}

// ---- Operators

enum { ALL_AXES = -1 };

static const struct {
    const char *name;
    mst_difference_kind kind;
    int axis;
} operators[] = {
    {"dx", MST_DIFFERENCE_FIRST, 0},
    {"dy", MST_DIFFERENCE_FIRST, 1},
    {"dz", MST_DIFFERENCE_FIRST, 2},
    {"dxx", MST_DIFFERENCE_SECOND, 0},
    {"dyy", MST_DIFFERENCE_SECOND, 1},
    {"dzz", MST_DIFFERENCE_SECOND, 2},
    {"dx_minus", MST_DIFFERENCE_MINUS, 0},
    {"dy_minus", MST_DIFFERENCE_MINUS, 1},
    {"dz_minus", MST_DIFFERENCE_MINUS, 2},
    {"dx_plus", MST_DIFFERENCE_PLUS, 0},
    {"dy_plus", MST_DIFFERENCE_PLUS, 1},
    {"dz_plus", MST_DIFFERENCE_PLUS, 2},
    {"laplace", MST_DIFFERENCE_SECOND, ALL_AXES},
};
enum { N_OPERATORS = sizeof operators / sizeof operators[0] };

// A constant expression; in a definition that is only checked it may be an argument, of which nothing is known.
static mst_status read_order(mst_parser *p, const char *operator_name, int *order, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tokens at = p->tokens;
    unsigned node;
    MST_TRY(mst_parser_read(p, 0, &node, error));
    const mst_expr_node *n = &p->expr->nodes[node];
    if (n->operation != MST_EXPR_NUMBER && p->is_check)
        return MST_OK;
    if (n->operation != MST_EXPR_NUMBER || !(n->value >= 2 && n->value <= MST_DIFFERENCE_MAX_ORDER) || fmod(n->value, 2) != 0)
        return mst_tokens_fail(&at, error, "expected the order of %s, an even number from 2 to %d", operator_name,
                               MST_DIFFERENCE_MAX_ORDER);
    *order = (int)n->value;
fail:
    return status;
}

static unsigned add_operator(mst_parser *p, size_t k, int order, unsigned node) {
    unsigned sum = node;
    if (operators[k].axis != ALL_AXES)
        return mst_expr_add_difference(p->expr, p->scheme, operators[k].kind, operators[k].axis, order, node);
    for (int axis = 0; axis < p->scheme->n_axes; axis++) {
        unsigned term = mst_expr_add_difference(p->expr, p->scheme, MST_DIFFERENCE_SECOND, axis, order, node);
        sum = axis == 0 ? term : mst_expr_add(p->expr, MST_EXPR_ADD, (unsigned[]){sum, term}, 2);
    }
    return sum;
}

static mst_status read_operator(mst_parser *p, const mst_tokens *name, size_t k, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    const int axes = p->scheme->n_axes;
    unsigned node;
    int order = 2;
    if (operators[k].axis >= axes)
        return mst_tokens_fail(name, error, "%s needs a grid of %d axes; this one has %d", operators[k].name,
                               operators[k].axis + 1, axes);
    MST_TRY(mst_parser_expect(p, "(", "after the name of an operator", error));
    MST_TRY(mst_parser_read(p, 0, &node, error));
    if (mst_parser_accept(p, ","))
        MST_TRY(read_order(p, operators[k].name, &order, error));
    if (!mst_parser_accept(p, ")"))
        MST_PARSER_REFUSE("expected ')': %s takes an expression and, if it is not 2, an order, as in %s(u, 4)", operators[k].name,
                          operators[k].name);
    MST_TRY(mst_parser_count(p, (size_t)node * (size_t)(order * axes), error));
    MST_TRY(mst_parser_keep(p, add_operator(p, k, order, node), out, error));
    MST_TRY(mst_parser_shifted(p, out, error));
fail:
    return status;
}

// The name of a spacing is an operator's only where it is called.
mst_status mst_parser_operator(mst_parser *p, const mst_tokens *name, bool *found, unsigned *out, mst_error *error) {
    bool is_symbol = false;
    *found = false;
    for (size_t i = 0; i < p->n_symbols; i++)
        is_symbol = is_symbol || mst_token_is(name, p->symbols[i].name);
    if (!p->scheme || p->scheme->n_axes == 0 || (is_symbol && !mst_token_is(&p->tokens, "(")))
        return MST_OK;
    for (size_t k = 0; k < N_OPERATORS; k++)
        if (mst_token_is(name, operators[k].name)) {
            *found = true;
            return read_operator(p, name, k, out, error);
        }
    return MST_OK;
}

static void offer(const char *text, const mst_tokens *name, mst_nearest *nearest) {
    mst_nearest_offer(nearest, name, (mst_token_text){text, strlen(text)});
}

static void offer_names(const mst_parser *p, const mst_tokens *name, mst_nearest *nearest) {
    for (int k = 0; p->frame && k < p->frame->head->n_arguments; k++)
        mst_nearest_offer(nearest, name, p->frame->head->arguments[k]);
    for (size_t k = 0; p->scheme && k < (p->frame ? p->frame->n_definitions : p->scheme->n_definitions); k++)
        mst_nearest_offer(nearest, name, p->heads[k].name);
    for (size_t i = 0; i < p->n_symbols; i++)
        offer(p->symbols[i].name, name, nearest);
    for (const mst_expr_function *f = mst_expr_functions; f->name; f++)
        offer(f->name, name, nearest);
    mst_composed_offer(name, p->of_map, nearest);
    for (size_t k = 0; p->scheme && p->scheme->n_axes > 0 && k < N_OPERATORS; k++)
        offer(operators[k].name, name, nearest);
}

mst_status mst_parser_refuse_name(const mst_parser *p, const mst_tokens *name, mst_error *error) {
    mst_nearest nearest = mst_nearest_begin(name);
    int shown = name->length < 40 ? (int)name->length : 40;
    offer_names(p, name, &nearest);
    const char *hint = mst_hint_for_name(name, p->of_map);
    if (hint)
        return mst_tokens_fail(name, error, "'%.*s' is not known; %s", shown, name->start, hint);
    if (nearest.name.length > 0)
        return mst_tokens_fail(name, error, "'%.*s' is not known; did you mean '%.*s'?", shown, name->start,
                               (int)nearest.name.length, nearest.name.start);
    return mst_tokens_fail(name, error, "'%.*s' is not known; expected a variable, a parameter or a function", shown,
                           name->start);
}

// ---- Stretches

// The axis of stretch_x, stretch_y or stretch_z in offsets, from the fields' axes: x is the last one. -1: there are no fields,
// -2: it is another name.
static int stretched_axis(const mst_parser *p, const mst_tokens *name) {
    static const char *const names[] = {"stretch_x", "stretch_y", "stretch_z"};
    int letter = 0, n_axes = 0;
    while (letter < 3 && !mst_token_is(name, names[letter]))
        letter++;
    for (size_t i = 0; i < p->n_symbols; i++)
        n_axes = p->symbols[i].n_axes > n_axes ? p->symbols[i].n_axes : n_axes;
    return letter == 3 || n_axes == 0 ? -2 : letter < n_axes ? n_axes - 1 - letter : -1;
}

static mst_status parse_stretch(mst_parser *p, int axis, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    unsigned argument;
    double shift = 0;
    MST_TRY(mst_parser_expect(p, "(", "after the name of a function", error));
    MST_TRY(mst_parser_read(p, 0, &argument, error));
    if (mst_parser_accept(p, ",")) {
        bool minus = mst_parser_accept(p, "-");
        if (p->tokens.kind != MST_TOKEN_NUMBER || (p->tokens.value != 0 && p->tokens.value != 0.5))
            MST_PARSER_REFUSE("expected -0.5, 0 or 0.5, the position between nodes");
        shift = minus && p->tokens.value > 0 ? -p->tokens.value : p->tokens.value;
        mst_tokens_next(&p->tokens);
    }
    MST_TRY(mst_parser_expect(p, ")", "after the argument of a stretch and its position", error));
    MST_TRY(mst_parser_keep(p, mst_expr_add_stretch(p->expr, argument, axis, shift), out, error));
fail:
    return status;
}

mst_status mst_parser_stretch(mst_parser *p, const mst_tokens *name, bool *found, unsigned *out, mst_error *error) {
    const int axis = stretched_axis(p, name);
    *found = axis > -2;
    if (axis == -1)
        return mst_tokens_fail(name, error, "the fields have no such axis");
    return *found ? parse_stretch(p, axis, out, error) : MST_OK;
}
