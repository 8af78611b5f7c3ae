// A Pratt parser: an operand, then operators as long as they bind more tightly than what stands before it.
#include "build.h"
#include "token.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 200 };

// How tightly operators bind. Comparisons do not chain.
enum { BIND_CHOOSE = 1, BIND_OR, BIND_AND, BIND_COMPARE, BIND_SUM, BIND_PRODUCT, BIND_SIGN, BIND_POWER };

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
};

typedef struct parser {
    mst_tokens tokens;
    const mst_expr_symbol *symbols;
    size_t n_symbols;
    const double *const *numbers; // that symbols stand for; NULL: none
    mst_expr *expr;
    int depth;
} parser;

static mst_status parse(parser *p, int binding, unsigned *out, mst_error *error);

// Fails at the token that stands next.
#define REFUSE(...)                                                                                                              \
    do {                                                                                                                         \
        status = mst_tokens_fail(&p->tokens, error, __VA_ARGS__);                                                                \
        goto fail;                                                                                                               \
    } while (0)

static bool accept(parser *p, const char *sign) {
    bool is = mst_token_is(&p->tokens, sign);
    if (is)
        mst_tokens_next(&p->tokens);
    return is;
}

static mst_status expect(parser *p, const char *sign, const char *where, mst_error *error) {
    return accept(p, sign) ? MST_OK : mst_tokens_fail(&p->tokens, error, "expected '%s' %s", sign, where);
}

// The node that was made, unless there was no room.
static mst_status keep(parser *p, unsigned node, unsigned *out, mst_error *error) {
    *out = node;
    if (node != MST_EXPR_FULL)
        return MST_OK;
    if (p->expr->n_nodes < MST_EXPR_MAX_NODES)
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory reading an expression");
    return mst_tokens_fail(&p->tokens, error, "too long; %d different operations and numbers are the most", MST_EXPR_MAX_NODES);
}

static mst_status parse_offsets(parser *p, const mst_expr_symbol *symbol, int *offsets, mst_error *error) {
    static const char *const examples[] = {"[0]", "[0,0]", "[0,0,0]"};
    mst_status status = MST_OK;
    const mst_tokens *t = &p->tokens;
    for (int k = 0; k < symbol->n_axes; k++) {
        if (k > 0 && !accept(p, ","))
            REFUSE("expected ',': %s has %d axes, as in %s%s", symbol->name, symbol->n_axes, symbol->name,
                   examples[symbol->n_axes - 1]);
        bool minus = accept(p, "-");
        if (!minus)
            accept(p, "+");
        if (t->kind != MST_TOKEN_NUMBER || t->value != floor(t->value) || t->value > MST_EXPR_MAX_OFFSET)
            REFUSE("expected an offset, a whole number from -%d to %d", MST_EXPR_MAX_OFFSET, MST_EXPR_MAX_OFFSET);
        offsets[k] = minus ? -(int)t->value : (int)t->value;
        mst_tokens_next(&p->tokens);
    }
    if (!accept(p, "]"))
        REFUSE("expected ']' after %d offset%s, as in %s%s", symbol->n_axes, symbol->n_axes == 1 ? "" : "s", symbol->name,
               examples[symbol->n_axes - 1]);
fail:
    return status;
}

static mst_status parse_symbol(parser *p, size_t index, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_expr_symbol *symbol = &p->symbols[index];
    mst_expr_leaf leaf = {.symbol = index};
    if (symbol->n_axes > 0 && accept(p, ".")) {
        if (!mst_token_is(&p->tokens, "prev"))
            REFUSE("expected 'prev': %s.prev is the value of the step before", symbol->name);
        if (symbol->n_levels < 2)
            REFUSE("%s has no value of the step before here", symbol->name);
        mst_tokens_next(&p->tokens);
        leaf.level = 1;
    }
    if (symbol->n_axes > 0 && accept(p, "["))
        MST_TRY(parse_offsets(p, symbol, leaf.offsets, error));
    if (mst_token_is(&p->tokens, "(") || mst_token_is(&p->tokens, "[") || mst_token_is(&p->tokens, "."))
        REFUSE("expected an operator: %s is %s", symbol->name, symbol->n_axes == 0 ? "a number" : "a field");
    const double *number = p->numbers ? p->numbers[index] : NULL;
    MST_TRY(keep(p, number ? mst_expr_add_number(p->expr, *number) : mst_expr_add_leaf(p->expr, &leaf, symbol->n_axes > 0), out,
                 error));
fail:
    return status;
}

// A function that becomes several operations while parsing.
static const mst_expr_function ricker = {"ricker", 2, NULL};

static unsigned add_call(mst_expr *expr, const mst_expr_function *function, const unsigned *operands) {
    if (function == &ricker)
        return mst_expr_add_ricker(expr, operands[0], operands[1]);
    mst_expr_operation operation = (mst_expr_operation)(MST_EXPR_ABS + (function - mst_expr_functions));
    return operation == MST_EXPR_POW ? mst_expr_add_power(expr, operands[0], operands[1])
                                     : mst_expr_add(expr, operation, operands, function->arity);
}

static mst_status parse_call(parser *p, const mst_expr_function *function, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    unsigned operands[3];
    MST_TRY(expect(p, "(", "after the name of a function", error));
    for (int k = 0; k < function->arity; k++) {
        if (k > 0 && !accept(p, ","))
            REFUSE("expected ',': %s takes %d arguments", function->name, function->arity);
        MST_TRY(parse(p, 0, &operands[k], error));
    }
    if (mst_token_is(&p->tokens, ","))
        REFUSE("expected ')': %s takes %d argument%s", function->name, function->arity, function->arity == 1 ? "" : "s");
    MST_TRY(expect(p, ")", "after the arguments", error));
    MST_TRY(keep(p, add_call(p->expr, function, operands), out, error));
fail:
    return status;
}

// Symbols first, so that a variable may be called e.
static mst_status parse_name(parser *p, unsigned *out, mst_error *error) {
    mst_tokens name = p->tokens;
    mst_tokens_next(&p->tokens);
    for (size_t i = 0; i < p->n_symbols; i++)
        if (mst_token_is(&name, p->symbols[i].name))
            return parse_symbol(p, i, out, error);
    for (const mst_expr_function *f = mst_expr_functions; f->name; f++)
        if (mst_token_is(&name, f->name))
            return parse_call(p, f, out, error);
    if (mst_token_is(&name, ricker.name))
        return parse_call(p, &ricker, out, error);
    for (const mst_expr_constant *c = mst_expr_constants; c->name; c++)
        if (mst_token_is(&name, c->name))
            return keep(p, mst_expr_add_number(p->expr, c->value), out, error);
    const char *nearest = mst_token_nearest(&name, p->symbols, p->n_symbols);
    int shown = name.length < 40 ? (int)name.length : 40;
    if (nearest)
        return mst_tokens_fail(&name, error, "'%.*s' is not known; did you mean '%s'?", shown, name.start, nearest);
    return mst_tokens_fail(&name, error, "'%.*s' is not known; expected a variable, a parameter or a function", shown,
                           name.start);
}

static mst_status parse_operand(parser *p, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tokens *t = &p->tokens;
    unsigned operand;
    if (t->kind == MST_TOKEN_NAME)
        return parse_name(p, out, error);
    if (t->kind == MST_TOKEN_NUMBER) {
        double value = t->value;
        mst_tokens_next(&p->tokens);
        return keep(p, mst_expr_add_number(p->expr, value), out, error);
    }
    if (accept(p, "(")) {
        MST_TRY(parse(p, 0, out, error));
        return expect(p, ")", "to close '('", error);
    }
    if (accept(p, "+"))
        return parse(p, BIND_SIGN, out, error);
    bool minus = mst_token_is(t, "-");
    if (minus || mst_token_is(t, "!")) {
        mst_tokens_next(&p->tokens);
        MST_TRY(parse(p, BIND_SIGN, &operand, error));
        return keep(p, mst_expr_add(p->expr, minus ? MST_EXPR_NEGATE : MST_EXPR_NOT, &operand, 1), out, error);
    }
    REFUSE("expected a number, a name or '('");
fail:
    return status;
}

static const operator* find_operator(const parser *p) {
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
        if (mst_token_is(&p->tokens, operators[i].text))
            return &operators[i];
    return NULL;
}

// What stands right of an operator, of which *left is the left operand and then the result. Powers and ?: associate from the
// right.
static mst_status parse_right(parser *p, const operator* o, unsigned *left, mst_error *error) {
    mst_status status = MST_OK;
    unsigned operands[3] = {*left, 0, 0};
    mst_tokens_next(&p->tokens);
    if (o->operation == MST_EXPR_CHOOSE) {
        MST_TRY(parse(p, 0, &operands[1], error));
        MST_TRY(expect(p, ":", "after '?' and a value", error));
        MST_TRY(parse(p, BIND_CHOOSE - 1, &operands[2], error));
        return keep(p, mst_expr_add(p->expr, o->operation, operands, 3), left, error);
    }
    MST_TRY(parse(p, o->operation == MST_EXPR_POW ? BIND_SIGN - 1 : o->binding, &operands[1], error));
    if (o->operation == MST_EXPR_POW)
        return keep(p, mst_expr_add_power(p->expr, operands[0], operands[1]), left, error);
    const operator* next = find_operator(p);
    if (o->binding == BIND_COMPARE && next && next->binding == BIND_COMPARE)
        REFUSE("comparisons do not chain; write a < b && b < c");
    MST_TRY(keep(p, mst_expr_add(p->expr, o->operation, operands, 2), left, error));
fail:
    return status;
}

// Everything that binds more tightly than `binding`.
static mst_status parse(parser *p, int binding, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    if (++p->depth > MAX_DEPTH)
        REFUSE("nested too deeply; %d levels are the most", MAX_DEPTH);
    MST_TRY(parse_operand(p, out, error));
    for (const operator* o; (o = find_operator(p)) != NULL && o->binding > binding;)
        MST_TRY(parse_right(p, o, out, error));
fail:
    p->depth--;
    return status;
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
        for (const mst_expr_function *f = mst_expr_functions; f->name; f++)
            MST_REQUIRE(strcmp(f->name, name) != 0, MST_ERROR_ARGUMENT, "'%s' is a function; choose another name", name);
        for (size_t k = 0; k < i; k++)
            MST_REQUIRE(strcmp(symbols[k].name, name) != 0, MST_ERROR_ARGUMENT, "'%s' is named twice", name);
    }
fail:
    return status;
}

static mst_status parse_whole(parser *p, const char *text, const char *what, bool of_scheme, bool apart, mst_expr **out,
                              mst_error *error) {
    mst_status status = MST_OK;
    unsigned node;
    *out = NULL;
    MST_TRY(check_symbols(p->symbols, p->n_symbols, error));
    MST_TRY(mst_tokens_begin(&p->tokens, text, what, error));
    MST_REQUIRE(p->expr = calloc(1, sizeof *p->expr), MST_ERROR_HOST_MEMORY, "out of memory reading %s", what);
    p->expr->of_scheme = of_scheme;
    p->expr->numbers_apart = apart;
    MST_TRY(parse(p, 0, &node, error));
    if (p->tokens.kind != MST_TOKEN_END)
        REFUSE("expected an operator or the end");
    MST_TRY(keep(p, mst_expr_add_value(p->expr, node), &node, error));
    *out = p->expr;
    p->expr = NULL;
fail:
    mst_expr_destroy(p->expr);
    mst_tokens_end(&p->tokens);
    return status;
}

mst_status mst_expr_parse(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols, mst_expr **out,
                          mst_error *error) {
    parser p = {.symbols = symbols, .n_symbols = n_symbols};
    return parse_whole(&p, text, what, false, false, out, error);
}

mst_status mst_expr_parse_scheme(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols,
                                 const double *const *numbers, mst_expr **out, mst_error *error) {
    parser p = {.symbols = symbols, .n_symbols = n_symbols, .numbers = numbers};
    return parse_whole(&p, text, what, true, false, out, error);
}

mst_status mst_expr_parse_apart(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols,
                                const double *const *numbers, mst_expr **out, mst_error *error) {
    parser p = {.symbols = symbols, .n_symbols = n_symbols, .numbers = numbers};
    return parse_whole(&p, text, what, true, true, out, error);
}

void mst_expr_destroy(mst_expr *expr) {
    if (expr)
        free(expr->leaves);
    free(expr);
}

size_t mst_expr_n_leaves(const mst_expr *expr) { return expr->n_leaves; }
const mst_expr_leaf *mst_expr_leaves(const mst_expr *expr) { return expr->leaves; }
