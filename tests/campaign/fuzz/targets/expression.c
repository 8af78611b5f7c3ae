// Expressions: what is accepted is printed from its tree, with all parentheses, and parsed again to the same values; it is
// evaluated in three ways; and it is written as OpenCL C, whose numbers must be the same again.
#include "fuzz.h"

#include "expr/types.h"
#include "expr/write.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const mst_expr_symbol symbols[] = {{"x", 0, 0}, {"t", 0, 0}, {"a", 0, 0}, {"u", 2, 2}, {"v", 2, 1}};
enum { N_SYMBOLS = sizeof symbols / sizeof symbols[0], MOST_NESTED = 60 };

// Definitions and a grid, so that operators and offsets behind parentheses are known.
static const mst_expr_definition definitions[] = {{"second(f)", "f[0,-1] - 2*f + f[0,1]"},
                                                  {"flux(f, c)", "dx_minus(c*dx_plus(f, 4))"},
                                                  {"change(f)", "f - f.prev"},
                                                  {"spread", "second(u*x)"}};
static const mst_expr_scheme grid = {.n_axes = 2,
                                     .coordinates = {0, SIZE_MAX},
                                     .spacings = {0.5, 0.25},
                                     .definitions = definitions,
                                     .n_definitions = sizeof definitions / sizeof definitions[0]};

// An expression's text, as far as it fits.
typedef struct printed {
    char text[MST_EXPR_MAX_TEXT + 1];
    size_t length;
    bool whole;
} printed;

__attribute__((format(printf, 2, 3))) static void add(printed *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(p->text + p->length, sizeof p->text - p->length, format, arguments);
    va_end(arguments);
    p->whole = p->whole && n >= 0 && p->length + (size_t)n < sizeof p->text;
    p->length += p->whole ? (size_t)n : 0;
}

static void print_leaf(printed *p, const mst_expr_leaf *leaf) {
    const mst_expr_symbol *symbol = &symbols[leaf->symbol];
    add(p, "%s%s", symbol->name, leaf->level ? ".prev" : "");
    for (int k = 0; k < symbol->n_axes; k++)
        add(p, "%s%d%s", k ? "," : "[", leaf->offsets[k], k == symbol->n_axes - 1 ? "]" : "");
}

// No text gives NaN back with its sign, so an expression that holds one is not printed.
static void print_number(printed *p, double value) {
    p->whole = p->whole && !isnan(value);
    if (isinf(value))
        add(p, value < 0 ? "(-inf)" : "inf");
    else
        add(p, signbit(value) ? "(-%.17g)" : "%.17g", fabs(value));
}

static void print_node(printed *p, const mst_expr *expr, unsigned index, int depth) {
    const mst_expr_node *node = &expr->nodes[index];
    int binds;
    const char *sign = mst_expr_sign_between(node->operation, &binds), *between = sign ? sign : ",";
    p->whole = p->whole && depth < MOST_NESTED;
    if (!p->whole)
        return;
    if (node->operation == MST_EXPR_LEAF)
        print_leaf(p, &expr->leaves[node->operands[0]]);
    if (node->operation == MST_EXPR_NUMBER)
        print_number(p, node->value);
    if (node->operation == MST_EXPR_LEAF || node->operation == MST_EXPR_NUMBER)
        return;
    if (node->operation >= MST_EXPR_ABS)
        add(p, "%s", mst_expr_functions[node->operation - MST_EXPR_ABS].name);
    add(p, "(%s", node->operation == MST_EXPR_NEGATE ? "-" : node->operation == MST_EXPR_NOT ? "!" : "");
    for (int k = 0; k < mst_expr_arity(node->operation); k++) {
        if (k > 0)
            add(p, "%s", node->operation != MST_EXPR_CHOOSE ? between : k == 1 ? "?" : ":");
        print_node(p, expr, node->operands[k], depth + 1);
    }
    add(p, ")");
}

// The same value for the same leaf, wherever it stands among the leaves.
static void fill(const mst_expr *expr, double *values) {
    for (size_t i = 0; i < mst_expr_n_leaves(expr); i++) {
        const mst_expr_leaf *leaf = &mst_expr_leaves(expr)[i];
        double value = 0.75 + (double)leaf->symbol - 3.25 * leaf->level;
        for (int k = 0; k < MST_EXPR_MAX_AXES; k++)
            value = value * 1.1875 + leaf->offsets[k] / 64.0;
        values[i] = value;
    }
}

static bool same_value(double a, double b) { return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b)); }

static void print_and_parse(const mst_expr *expr, bool scheme, double value) {
    printed first = {.whole = true}, second = {.whole = true};
    mst_expr *again = NULL;
    mst_error error;
    print_node(&first, expr, expr->n_nodes - 1, 0);
    if (!first.whole)
        return;
    if (scheme)
        FUZZ_CHECK(mst_expr_parse_scheme(first.text, "the text", symbols, N_SYMBOLS, &grid, &again, &error) == MST_OK);
    else
        FUZZ_CHECK(mst_expr_parse(first.text, "the text", symbols, N_SYMBOLS, &again, &error) == MST_OK);
    print_node(&second, again, again->n_nodes - 1, 0);
    FUZZ_CHECK(second.whole && strcmp(first.text, second.text) == 0);
    double *values = malloc((mst_expr_n_leaves(again) + 1) * sizeof *values);
    FUZZ_CHECK(values);
    fill(again, values);
    FUZZ_CHECK(same_value(mst_expr_evaluate(again, values), value));
    free(values);
    mst_expr_destroy(again);
}

static double evaluate(const mst_expr *expr) {
    size_t n = mst_expr_n_leaves(expr);
    double *values = malloc((n + 1) * sizeof *values);
    float *singles = malloc((n + 1) * sizeof *singles);
    FUZZ_CHECK(values && singles);
    fill(expr, values);
    for (size_t i = 0; i < n; i++)
        singles[i] = (float)values[i];
    double value = mst_expr_evaluate(expr, values), many[3] = {0};
    const double x[] = {n > 0 ? values[0] : 0, 2, n > 0 ? values[0] : 0};
    (void)mst_expr_evaluate_float(expr, singles);
    FUZZ_CHECK(mst_expr_evaluate_many(expr, values, 0, x, 3, many));
    FUZZ_CHECK(same_value(many[0], value) && same_value(many[2], value));
    free(values);
    free(singles);
    return value;
}

static void write_numbers(const mst_expr *expr) {
    for (unsigned i = 0; i < expr->n_nodes && i < 8; i++) {
        mst_text text = {0};
        double value = expr->nodes[i].value;
        if (expr->nodes[i].operation != MST_EXPR_NUMBER || !isfinite(value))
            continue;
        mst_expr_write_number(value, true, &text);
        FUZZ_CHECK(text.text && same_value(strtod(text.text, NULL), value));
        mst_text_release(&text);
    }
}

static void write_kernels(const mst_expr *expr) {
    size_t n = mst_expr_n_leaves(expr);
    const char **leaves = malloc((n + 1) * sizeof *leaves);
    mst_text text = {0};
    FUZZ_CHECK(leaves);
    for (size_t i = 0; i < n; i++)
        leaves[i] = "leaf";
    mst_expr_write(expr, NULL, n % 2 == 0, n % 3 == 0 ? 4 : 1, leaves, "value", &text);
    FUZZ_CHECK(!text.failed && strstr(text.text, " value = "));
    mst_text_release(&text);
    free(leaves);
}

// As a map of arrays of types that follow from the text, in vectors and not.
static void write_map(const char *text, mst_type first) {
    enum { MANY = 64 };
    mst_expr_kind kinds[N_SYMBOLS];
    mst_expr *from = NULL, *lowered = mst_expr_create_lowered();
    mst_expr_root root;
    mst_error error;
    mst_text out = {0};
    const char *leaves[MANY], *const names[] = {"value", "imaginary"};
    for (size_t k = 0; k < N_SYMBOLS; k++)
        kinds[k] = (mst_expr_kind){.type = (mst_type)(1 + ((size_t)first + k) % MST_FLOAT16), .weak = false};
    const mst_expr_typing typing = {.symbols = kinds, .common = kinds[0].type};
    for (int k = 0; k < MANY; k++)
        leaves[k] = "leaf";
    FUZZ_CHECK(lowered);
    mst_status status = mst_expr_parse_map(text, "the text", symbols, N_SYMBOLS, &from, &error);
    if (status == MST_OK)
        status = mst_expr_lower(from, &typing, lowered, &root, &error);
    FUZZ_CHECK(status == MST_OK || (status == MST_ERROR_ARGUMENT && fuzz_is_message(error.message)));
    if (status == MST_OK && mst_expr_n_leaves(lowered) <= MANY) {
        FUZZ_CHECK(mst_expr_write_lowered(lowered, NULL, root.nodes, names, mst_type_has_parts(root.type) ? 2 : 1, 4, leaves,
                                          &out, &error) == MST_OK);
        FUZZ_CHECK(!out.failed && strstr(out.text, " value = "));
    }
    mst_text_release(&out);
    mst_expr_destroy(from);
    mst_expr_destroy(lowered);
}

static void try_text(const char *text, bool scheme) {
    mst_expr *expr;
    mst_error error;
    if (!scheme)
        write_map(text, (mst_type)strlen(text));
    mst_status status = scheme ? mst_expr_parse_scheme(text, "the text", symbols, N_SYMBOLS, &grid, &expr, &error)
                               : mst_expr_parse(text, "the text", symbols, N_SYMBOLS, &expr, &error);
    if (status != MST_OK) {
        FUZZ_CHECK(status == MST_ERROR_ARGUMENT && !expr && fuzz_is_message(error.message));
        return;
    }
    print_and_parse(expr, scheme, evaluate(expr));
    write_numbers(expr);
    write_kernels(expr);
    mst_expr_destroy(expr);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    FUZZ_CHECK(text);
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    try_text(text, size % 2 == 0);
    free(text);
    return 0;
}
