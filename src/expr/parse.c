// A Pratt parser: an operand, then operators as long as they bind more tightly than what stands before it.
#include "composed.h"
#include "difference.h"
#include "hints.h"
#include "parser.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

// How tightly operators bind. Comparisons do not chain.
enum {
    BIND_CHOOSE = 1,
    BIND_OR,
    BIND_AND,
    BIND_COMPARE,
    BIND_BIT_OR,
    BIND_BIT_AND,
    BIND_SHIFT,
    BIND_SUM,
    BIND_PRODUCT,
    BIND_SIGN,
    BIND_POWER
};

typedef struct operator{
    const char *text;
    int binding;
    mst_expr_operation operation;
}
operator;

static const operator operators[] = {
    {"||", BIND_OR, MST_EXPR_OR},
    {"&&", BIND_AND, MST_EXPR_AND},
    {"<=", BIND_COMPARE, MST_EXPR_LESS_EQUAL},
    {">=", BIND_COMPARE, MST_EXPR_GREATER_EQUAL},
    {"==", BIND_COMPARE, MST_EXPR_EQUAL},
    {"!=", BIND_COMPARE, MST_EXPR_NOT_EQUAL},
    {"<", BIND_COMPARE, MST_EXPR_LESS},
    {">", BIND_COMPARE, MST_EXPR_GREATER},
    {"+", BIND_SUM, MST_EXPR_ADD},
    {"-", BIND_SUM, MST_EXPR_SUBTRACT},
    {"*", BIND_PRODUCT, MST_EXPR_MULTIPLY},
    {"/", BIND_PRODUCT, MST_EXPR_DIVIDE},
    {"^", BIND_POWER, MST_EXPR_POW},
    {"**", BIND_POWER, MST_EXPR_POW},
    {"?", BIND_CHOOSE, MST_EXPR_CHOOSE},
    // in maps only
    {"|", BIND_BIT_OR, MST_EXPR_BIT_OR},
    {"&", BIND_BIT_AND, MST_EXPR_BIT_AND},
    {"<<", BIND_SHIFT, MST_EXPR_SHIFT_LEFT},
    {">>", BIND_SHIFT, MST_EXPR_SHIFT_RIGHT},
    {"//", BIND_PRODUCT, MST_EXPR_FLOOR_DIVIDE},
    {"%", BIND_PRODUCT, MST_EXPR_REMAINDER},
};

static mst_status parse_symbol(mst_parser *p, size_t index, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_expr_symbol *symbol = &p->symbols[index];
    mst_expr_leaf leaf = {.symbol = index};
    if (symbol->n_axes > 0 && mst_parser_accept(p, ".")) {
        if (!mst_token_is(&p->tokens, "prev"))
            MST_PARSER_REFUSE("expected 'prev': %s.prev is the value of the step before", symbol->name);
        if (symbol->n_levels < 2)
            MST_PARSER_REFUSE("%s has no value of the step before here", symbol->name);
        mst_tokens_next(&p->tokens);
        leaf.level = 1;
    }
    if (symbol->n_axes > 0 && mst_parser_accept(p, "["))
        MST_TRY(mst_parser_offsets(p, (mst_token_text){symbol->name, strlen(symbol->name)}, symbol->n_axes, leaf.offsets, error));
    if (mst_token_is(&p->tokens, "(") || mst_token_is(&p->tokens, "[") || mst_token_is(&p->tokens, "."))
        MST_PARSER_REFUSE("expected an operator: %s is %s", symbol->name,
                          symbol->n_axes > 0 ? "a field"
                          : p->of_map        ? "an array or a number; parts of arrays, and what they can do, have no place here"
                                             : "a number");
    const double *number = p->scheme && p->scheme->numbers ? p->scheme->numbers[index] : NULL;
    MST_TRY(mst_parser_keep(
        p, number ? mst_expr_add_number(p->expr, *number) : mst_expr_add_leaf(p->expr, &leaf, symbol->n_axes > 0), out, error));
fail:
    return status;
}

static unsigned add_call(mst_expr *expr, const mst_expr_function *function, const unsigned *operands) {
    if (function->opencl == NULL)
        return mst_composed_add(expr, function, operands);
    mst_expr_operation operation = (mst_expr_operation)(MST_EXPR_ABS + (function - mst_expr_functions));
    return operation == MST_EXPR_POW ? mst_expr_add_power(expr, operands[0], operands[1])
                                     : mst_expr_add(expr, operation, operands, function->arity);
}

static mst_status parse_call(mst_parser *p, const mst_expr_function *function, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    unsigned operands[3];
    MST_TRY(mst_parser_expect(p, "(", "after the name of a function", error));
    for (int k = 0; k < function->arity; k++) {
        if (k > 0 && !mst_parser_accept(p, ","))
            MST_PARSER_REFUSE("expected ',': %s takes %d arguments", function->name, function->arity);
        MST_TRY(mst_parser_read(p, 0, &operands[k], error));
    }
    if (mst_token_is(&p->tokens, ","))
        MST_PARSER_REFUSE("expected ')': %s takes %d argument%s", function->name, function->arity,
                          function->arity == 1 ? "" : "s");
    MST_TRY(mst_parser_expect(p, ")", "after the arguments", error));
    MST_TRY(mst_parser_keep(p, add_call(p->expr, function, operands), out, error));
fail:
    return status;
}

// Symbols before constants, so that a variable may be called e; definitions before operators, so that one may have its name.
static mst_status parse_name(mst_parser *p, unsigned *out, mst_error *error) {
    mst_status status;
    mst_tokens name = p->tokens;
    bool found;
    mst_tokens_next(&p->tokens);
    status = mst_parser_defined(p, &name, &found, out, error);
    if (!found)
        status = mst_parser_operator(p, &name, &found, out, error);
    if (found)
        return status;
    for (size_t i = 0; i < p->n_symbols; i++)
        if (mst_token_is(&name, p->symbols[i].name))
            return parse_symbol(p, i, out, error);
    for (const mst_expr_function *f = mst_expr_functions; f->name; f++)
        if (mst_token_is(&name, f->name))
            return parse_call(p, f, out, error);
    const mst_expr_function *composed = mst_composed_find(&name, p->expr->of_map);
    if (composed)
        return parse_call(p, composed, out, error);
    status = mst_parser_stretch(p, &name, &found, out, error);
    if (found)
        return status;
    for (const mst_expr_constant *c = mst_expr_constants; c->name; c++)
        if (mst_token_is(&name, c->name))
            return mst_parser_keep(p, mst_expr_add_decimal(p->expr, c->value), out, error);
    return mst_parser_refuse_name(p, &name, error);
}

// 2, 2.5, and 2j of a map.
static mst_status parse_number(mst_parser *p, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tokens number = p->tokens, *t = &p->tokens;
    const bool whole = strcspn(number.start, ".eE") >= number.length;
    mst_tokens_next(&p->tokens);
    const bool is_imaginary = t->start == number.start + number.length && (mst_token_is(t, "j") || mst_token_is(t, "J"));
    if (is_imaginary && !p->of_map)
        MST_PARSER_REFUSE("complex numbers are for maps; take real and imaginary parts apart");
    if (is_imaginary) {
        mst_tokens_next(&p->tokens);
        *out = mst_expr_add_two(p->expr, MST_EXPR_COMPLEX, mst_expr_add_decimal(p->expr, 0),
                                mst_expr_add_decimal(p->expr, number.value));
    } else {
        *out = whole ? mst_expr_add_number(p->expr, number.value) : mst_expr_add_decimal(p->expr, number.value);
    }
    MST_TRY(mst_parser_keep(p, *out, out, error));
fail:
    return status;
}

static mst_status parse_operand(mst_parser *p, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tokens *t = &p->tokens;
    unsigned operand;
    if (t->kind == MST_TOKEN_NAME)
        return parse_name(p, out, error);
    if (t->kind == MST_TOKEN_NUMBER)
        return parse_number(p, out, error);
    if (mst_parser_accept(p, "(")) {
        MST_TRY(mst_parser_read(p, 0, out, error));
        MST_TRY(mst_parser_expect(p, ")", "to close '('", error));
        return mst_parser_shifted(p, out, error);
    }
    if (mst_parser_accept(p, "+"))
        return mst_parser_read(p, BIND_SIGN, out, error);
    if (p->expr->of_map && mst_parser_accept(p, "~")) {
        MST_TRY(mst_parser_read(p, BIND_SIGN, &operand, error));
        return mst_parser_keep(p, mst_expr_add(p->expr, MST_EXPR_BIT_NOT, &operand, 1), out, error);
    }
    bool minus = mst_token_is(t, "-");
    if (minus || mst_token_is(t, "!")) {
        mst_tokens_next(&p->tokens);
        MST_TRY(mst_parser_read(p, BIND_SIGN, &operand, error));
        return mst_parser_keep(p, mst_expr_add(p->expr, minus ? MST_EXPR_NEGATE : MST_EXPR_NOT, &operand, 1), out, error);
    }
    MST_PARSER_REFUSE("expected a number, a name or '('");
fail:
    return status;
}

static const operator* find_operator(const mst_parser *p) {
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (mst_token_is(&p->tokens, operators[i].text) && (p->expr->of_map || !mst_expr_is_of_map(operators[i].operation)))
            return &operators[i];
    return NULL;
}

// What stands right of an operator, of which *left is the left operand and then the result. Powers and ?: associate from the
// right.
static mst_status parse_right(mst_parser *p, const operator* o, unsigned *left, mst_error *error) {
    mst_status status = MST_OK;
    unsigned operands[3] = {*left, 0, 0};
    mst_tokens_next(&p->tokens);
    if (o->operation == MST_EXPR_CHOOSE) {
        MST_TRY(mst_parser_read(p, 0, &operands[1], error));
        MST_TRY(mst_parser_expect(p, ":", "after '?' and a value", error));
        MST_TRY(mst_parser_read(p, BIND_CHOOSE - 1, &operands[2], error));
        return mst_parser_keep(p, mst_expr_add(p->expr, o->operation, operands, 3), left, error);
    }
    MST_TRY(mst_parser_read(p, o->operation == MST_EXPR_POW ? BIND_SIGN - 1 : o->binding, &operands[1], error));
    if (o->operation == MST_EXPR_POW)
        return mst_parser_keep(p, mst_expr_add_power(p->expr, operands[0], operands[1]), left, error);
    const operator* next = find_operator(p);
    if (o->binding == BIND_COMPARE && next && next->binding == BIND_COMPARE)
        MST_PARSER_REFUSE("comparisons do not chain; write a < b && b < c");
    MST_TRY(mst_parser_keep(p, mst_expr_add(p->expr, o->operation, operands, 2), left, error));
fail:
    return status;
}

// Everything that binds more tightly than `binding`.
mst_status mst_parser_read(mst_parser *p, int binding, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    if (++p->depth > MAX_DEPTH)
        MST_PARSER_REFUSE("nested too deeply; %d levels are the most", MAX_DEPTH);
    MST_TRY(parse_operand(p, out, error));
    for (const operator* o; (o = find_operator(p)) != NULL && o->binding > binding;)
        MST_TRY(parse_right(p, o, out, error));
    const char *hint = find_operator(p) ? NULL : mst_hint_for_operator(&p->tokens, p->of_map);
    if (hint)
        MST_PARSER_REFUSE("expected an operator; %s", hint);
fail:
    p->depth--;
    return status;
}

static bool is_function(const char *name, size_t length) {
    for (const mst_expr_function *f = mst_expr_functions; f->name; f++)
        if (strlen(f->name) == length && memcmp(f->name, name, length) == 0)
            return true;
    return false;
}

static mst_status check_symbols(const mst_expr_symbol *symbols, size_t n, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t i = 0; i < n; i++) {
        const char *name = symbols[i].name;
        size_t length = strlen(name);
        bool valid = length > 0 && length <= MST_EXPR_MAX_NAME && !(name[0] >= '0' && name[0] <= '9') &&
                     strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == length;
        MST_REQUIRE(valid, MST_ERROR_ARGUMENT, "'%.80s' is no name; use up to %d letters, digits and underscores, no digit first",
                    name, MST_EXPR_MAX_NAME);
        MST_REQUIRE(!is_function(name, length), MST_ERROR_ARGUMENT, "'%s' is a function; choose another name", name);
        for (size_t k = 0; k < i; k++)
            MST_REQUIRE(strcmp(symbols[k].name, name) != 0, MST_ERROR_ARGUMENT, "'%s' is named twice", name);
    }
fail:
    return status;
}

// mst_parser_end follows in any case.
static mst_status begin(mst_parser *p, const char *text, const char *what, bool of_scheme, bool apart, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = p->scheme ? p->scheme->n_definitions : 0;
    MST_TRY(check_symbols(p->symbols, p->n_symbols, error));
    MST_TRY(mst_tokens_begin(&p->tokens, text, what, error));
    MST_REQUIRE(p->expr = mst_expr_create(of_scheme, apart), MST_ERROR_HOST_MEMORY, "out of memory reading %s", what);
    MST_REQUIRE(p->heads = calloc(n + 1, sizeof *p->heads), MST_ERROR_HOST_MEMORY, "out of memory reading %s", what);
    for (size_t k = 0; k < n; k++)
        if (mst_definition_read_head(p->scheme->definitions[k].head, &p->heads[k], NULL) != MST_OK)
            p->heads[k] = (mst_definition_head){.text = ""};
fail:
    return status;
}

static void end(mst_parser *p) {
    mst_expr_destroy(p->expr);
    free(p->heads);
    free(p->calls);
    mst_tokens_end(&p->tokens);
}

mst_status mst_parser_read_all(mst_parser *p, unsigned *node, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_parser_read(p, 0, node, error));
    if (p->tokens.kind != MST_TOKEN_END)
        MST_PARSER_REFUSE("expected an operator or the end");
fail:
    return status;
}

static mst_status parse_whole(mst_parser *p, const char *text, const char *what, bool of_scheme, bool apart, mst_expr **out,
                              mst_error *error) {
    mst_status status = MST_OK;
    unsigned node;
    *out = NULL;
    MST_TRY(begin(p, text, what, of_scheme, apart, error));
    p->expr->of_map = p->of_map;
    MST_TRY(mst_parser_read_all(p, &node, error));
    if (of_scheme) {
        mst_expr *parsed = p->expr;
        p->expr = mst_expr_rebuilt(parsed, p->scheme, node, &node);
        mst_expr_destroy(parsed);
        MST_REQUIRE(p->expr, MST_ERROR_HOST_MEMORY, "out of memory reading %s", what);
    }
    if (p->of_map)
        p->expr->n_nodes = node + 1;
    else
        MST_TRY(mst_parser_keep(p, mst_expr_add_value(p->expr, node), &node, error));
    free(p->expr->slots);
    p->expr->slots = NULL;
    *out = p->expr;
    p->expr = NULL;
fail:
    end(p);
    return status;
}

mst_status mst_expr_parse(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols, mst_expr **out,
                          mst_error *error) {
    mst_parser p = {.symbols = symbols, .n_symbols = n_symbols};
    return parse_whole(&p, text, what, false, false, out, error);
}

mst_status mst_expr_parse_map(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols,
                              mst_expr **out, mst_error *error) {
    mst_parser p = {.symbols = symbols, .n_symbols = n_symbols, .of_map = true};
    return parse_whole(&p, text, what, false, false, out, error);
}

mst_status mst_expr_parse_scheme(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols,
                                 const mst_expr_scheme *scheme, mst_expr **out, mst_error *error) {
    mst_parser p = {.symbols = symbols, .n_symbols = n_symbols, .scheme = scheme};
    return parse_whole(&p, text, what, true, false, out, error);
}

mst_status mst_expr_parse_apart(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols,
                                const mst_expr_scheme *scheme, mst_expr **out, mst_error *error) {
    mst_parser p = {.symbols = symbols, .n_symbols = n_symbols, .scheme = scheme};
    return parse_whole(&p, text, what, true, true, out, error);
}

// Arguments hide what else has their names, but functions.
static mst_status check_names(const mst_parser *p, const mst_definition_head *head, size_t k, mst_error *error) {
    mst_status status = MST_OK;
    const mst_token_text *name = &head->name;
    MST_REQUIRE(!is_function(name->start, name->length), MST_ERROR_ARGUMENT, "'%.*s' is a function; choose another name",
                (int)name->length, name->start);
    for (size_t i = 0; i < p->n_symbols; i++)
        MST_REQUIRE(!mst_token_text_is(name, &(mst_token_text){p->symbols[i].name, strlen(p->symbols[i].name)}),
                    MST_ERROR_ARGUMENT, "'%.*s' has a meaning already; choose another name", (int)name->length, name->start);
    for (size_t i = 0; i < k; i++)
        MST_REQUIRE(!mst_token_text_is(name, &p->heads[i].name), MST_ERROR_ARGUMENT, "'%.*s' is defined twice", (int)name->length,
                    name->start);
    for (int i = 0; i < head->n_arguments; i++)
        MST_REQUIRE(!is_function(head->arguments[i].start, head->arguments[i].length), MST_ERROR_ARGUMENT,
                    "the argument '%.*s' is a function; choose another name", (int)head->arguments[i].length,
                    head->arguments[i].start);
fail:
    return status;
}

mst_status mst_expr_check_definition(const mst_expr_symbol *symbols, size_t n_symbols, const mst_expr_scheme *scheme, size_t k,
                                     mst_error *error) {
    mst_status status = MST_OK;
    mst_parser p = {.symbols = symbols, .n_symbols = n_symbols, .scheme = scheme, .is_check = true};
    mst_definition_head head;
    mst_parser_frame frame = {.head = &head, .n_definitions = k};
    char what[MST_EXPR_MAX_NAME + 30];
    unsigned node;
    MST_TRY(mst_definition_read_head(scheme->definitions[k].head, &head, error));
    snprintf(what, sizeof what, "the definition of %.*s", (int)head.name.length, head.name.start);
    MST_TRY(begin(&p, scheme->definitions[k].text, what, true, false, error));
    MST_TRY(check_names(&p, &head, k, error));
    p.frame = &frame;
    for (int i = 0; i < head.n_arguments; i++) // fields that are none of the symbols
        MST_TRY(mst_parser_keep(&p, mst_expr_add_leaf(p.expr, &(mst_expr_leaf){.symbol = SIZE_MAX - 1 - (size_t)i}, true),
                                &frame.arguments[i], error));
    MST_TRY(mst_parser_read_all(&p, &node, error));
fail:
    end(&p);
    return status;
}

void mst_expr_destroy(mst_expr *expr) {
    if (expr) {
        free(expr->leaves);
        free(expr->slots);
    }
    free(expr);
}

size_t mst_expr_n_leaves(const mst_expr *expr) { return expr->n_leaves; }
const mst_expr_leaf *mst_expr_leaves(const mst_expr *expr) { return expr->leaves; }
