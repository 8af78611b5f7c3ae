// Expressions of floating-point numbers as OpenCL C, the same text for scalars and vectors.
#include "text/c_locale.h"
#include "write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct format {
    bool is_double;
    unsigned width;
} format;

static format format_of(const mst_expr_writer *w) {
    const char *digits = w->type + strcspn(w->type, "0123456789");
    return (format){w->type[0] == 'd', *digits ? (unsigned)strtoul(digits, NULL, 10) : 1};
}

// The fewest digits that give the value again, in the way of 1.25e+02; false when out of memory.
static bool write_shortest(double value, bool is_double, char text[32]) {
    mst_c_locale c;
    bool entered = mst_c_locale_enter(&c);
    for (int precision = 0; entered && precision < 17; precision++) {
        snprintf(text, 32, "%.*e", precision, value);
        if (is_double ? strtod(text, NULL) == value : strtof(text, NULL) == (float)value)
            break;
    }
    mst_c_locale_leave(&c);
    return entered;
}

// Takes such a number apart: its digits without the decimal point, and the exponent of ten of the first one.
static int take_apart(const char *text, char digits[20]) {
    int n = 0;
    const char *exponent = strchr(text, 'e');
    for (const char *at = text; at < exponent; at++)
        if (*at != '.')
            digits[n++] = *at;
    digits[n] = '\0';
    return (int)strtol(exponent + 1, NULL, 10);
}

static void write_finite(double value, bool is_double, mst_text *out) {
    char text[32], digits[20];
    out->failed = out->failed || !write_shortest(value, is_double, text);
    if (out->failed)
        return;
    int exponent = take_apart(text, digits), n = (int)strlen(digits);
    if (exponent < -4 || exponent > 15)
        mst_text_add(out, "%c%s%se%d", digits[0], n > 1 ? "." : "", digits + 1, exponent);
    else if (exponent < 0)
        mst_text_add(out, "0.%.*s%s", -exponent - 1, "0000", digits);
    else if (n <= exponent + 1)
        mst_text_add(out, "%s%.*s.0", digits, exponent + 1 - n, "0000000000000000");
    else
        mst_text_add(out, "%.*s.%s", exponent + 1, digits, digits + exponent + 1);
    mst_text_add(out, is_double ? "" : "f");
}

void mst_expr_write_number(double value, bool is_double, mst_text *out) {
    if (!is_double)
        value = (double)(float)value;
    const char *sign = signbit(value) ? "-" : "";
    if (isnan(value) || isinf(value)) {
        mst_text_add(out, is_double ? "(%s(double)%s)" : "(%s%s)", isinf(value) ? sign : "", isnan(value) ? "NAN" : "INFINITY");
        return;
    }
    mst_text_add(out, "%s", sign);
    write_finite(fabs(value), is_double, out);
}

int mst_expr_write_float_literal(const mst_expr_writer *w, double value, bool typed, mst_text *out) {
    const format f = format_of(w);
    bool cast = typed && f.width > 1;
    if (cast)
        mst_text_add(out, "(%s)(", w->type);
    mst_expr_write_number(value, f.is_double, out);
    mst_text_add(out, cast ? ")" : "");
    return !cast && isfinite(value) && signbit(value) ? MST_EXPR_BINDS_SUM : MST_EXPR_BINDS_NAME;
}

static bool is_number(const mst_expr_writer *w, const mst_expr_node *node, int k) {
    return w->expr->nodes[node->operands[k]].operation == MST_EXPR_NUMBER;
}

static bool is_angle_function(const mst_expr_node *node) {
    return node->operation == MST_EXPR_SIN || node->operation == MST_EXPR_COS || node->operation == MST_EXPR_TAN;
}

// Components of a vector that are given to a function at a time, all of them where it may take the vector. In schemes every
// function of the device with an error goes one by one: a node has the same bits wherever it is computed, and devices compute
// vectors in other ways than scalars. PoCL 3.1 has pow of double8 and double16 wrong beside a base of 0, and fmod beside a
// divisor of 0: by fours.
static unsigned components_of_call(const mst_expr_writer *w, const mst_expr_node *node) {
    const format f = format_of(w);
    if (mst_elementary_has(w->own, node->operation))
        return f.width;
    bool powers = node->operation == MST_EXPR_POW || node->operation == MST_EXPR_MOD;
    if (w->expr->of_scheme && mst_expr_has_error(node->operation))
        return 1;
    return powers && f.is_double && f.width > 4 ? 4 : f.width;
}

static bool goes_in_parts(const mst_expr_writer *w, const mst_expr_node *node) {
    return node->operation >= MST_EXPR_ABS && components_of_call(w, node) < format_of(w).width;
}

// PoCL 3.1 has the functions of small angles wrong in vectors of float beside one of 2^23 and more, an infinity or a NaN.
static bool goes_by_size(const mst_expr_writer *w, const mst_expr_node *node) {
    const format f = format_of(w);
    return is_angle_function(node) && !mst_elementary_has(w->own, node->operation) && !f.is_double && f.width > 1 &&
           !goes_in_parts(w, node);
}

static const char *call_name(const mst_expr_node *node) { return mst_expr_functions[node->operation - MST_EXPR_ABS].opencl; }

static void write_parts(const mst_expr_writer *w, const mst_expr_node *node, mst_text *out) {
    const unsigned n = components_of_call(w, node);
    mst_text_add(out, "(%s)(", w->type);
    for (unsigned first = 0; first < format_of(w).width; first += n) {
        mst_text_add(out, "%s%s(", first > 0 ? ", " : "", call_name(node));
        for (int k = 0; k < mst_expr_arity(node->operation); k++) {
            mst_text_add(out, k > 0 ? ", (" : "(");
            mst_expr_write_operand(w, node, k, 0, true, out);
            mst_text_add(out, ").s%.*s", (int)n, &"0123456789abcdef"[first]);
        }
        mst_text_add(out, ")");
    }
    mst_text_add(out, ")");
}

// The small angles with zeros in place of the large ones, and only where there are any, the large ones.
static void write_angle_call(const mst_expr_writer *w, const mst_expr_node *node, mst_text *out) {
    mst_text angle = {0};
    mst_expr_write_operand(w, node, 0, MST_EXPR_BINDS_NAME, true, &angle);
    out->failed = out->failed || angle.failed;
    const mst_text_value values[] = {
        MST_SET(f, call_name(node)), MST_SET(type, w->type), MST_SET(x, angle.failed ? "" : angle.text), {0}};
    mst_text_put_values(out,
                        "fabs($x) < 0x1p22f ? $f(fabs($x) < 0x1p22f ? $x : ($type)(0.0f)) : "
                        "all(fabs($x) < 0x1p22f) ? ($type)(0.0f) : $f($x)",
                        values);
    mst_text_release(&angle);
}

static void write_call(const mst_expr_writer *w, const mst_expr_node *node, mst_text *out) {
    if (mst_elementary_has(w->own, node->operation))
        mst_text_add(out, "own_%s_%s(", call_name(node), w->type);
    else
        mst_text_add(out, "%s(", call_name(node));
    for (int k = 0; k < mst_expr_arity(node->operation); k++) {
        mst_text_add(out, k > 0 ? ", " : "");
        mst_expr_write_operand(w, node, k, 0, true, out);
    }
    mst_text_add(out, ")");
}

static int write_between(const mst_expr_writer *w, const mst_expr_node *node, const char *sign, int binds, mst_text *out) {
    bool chains = binds >= MST_EXPR_BINDS_SUM || binds == MST_EXPR_BINDS_AND; // from the left
    int least = chains ? binds : binds + 1;
    if (binds == MST_EXPR_BINDS_OR) // && within || reads better in parentheses
        least = MST_EXPR_BINDS_EQUALITY;
    mst_expr_write_operand(w, node, 0, least, is_number(w, node, 1), out);
    mst_text_add(out, " %s ", sign);
    mst_expr_write_operand(w, node, 1, binds + 1, false, out);
    return binds;
}

int mst_expr_write_float_operation(mst_expr_writer *w, unsigned index, mst_text *out) {
    const mst_expr_node *node = &w->expr->nodes[index];
    int binds;
    const char *sign = mst_expr_sign_between(node->operation, &binds);
    if (sign)
        return write_between(w, node, sign, binds, out);
    switch (node->operation) {
    case MST_EXPR_NEGATE:
    case MST_EXPR_NOT:
        mst_text_add(out, node->operation == MST_EXPR_NOT ? "!" : "-");
        mst_expr_write_operand(w, node, 0, MST_EXPR_BINDS_NAME, false, out);
        return MST_EXPR_BINDS_SIGN;
    case MST_EXPR_AS_CONDITION:
        mst_expr_write_operand(w, node, 0, MST_EXPR_BINDS_COMPARISON, true, out);
        mst_text_add(out, " != ");
        mst_expr_write_float_literal(w, 0, false, out);
        return MST_EXPR_BINDS_EQUALITY;
    case MST_EXPR_CHOOSE:
    case MST_EXPR_AS_NUMBER:
        mst_expr_write_operand(w, node, 0, MST_EXPR_BINDS_OR, false, out);
        for (int k = 1; k < 3; k++) {
            mst_text_add(out, k == 1 ? " ? " : " : ");
            if (node->operation == MST_EXPR_CHOOSE)
                mst_expr_write_operand(w, node, k, MST_EXPR_BINDS_OR, true, out);
            else
                mst_expr_write_float_literal(w, k == 1, true, out);
        }
        return MST_EXPR_BINDS_CHOICE;
    default:
        if (goes_by_size(w, node)) {
            write_angle_call(w, node, out);
            return MST_EXPR_BINDS_CHOICE;
        }
        if (goes_in_parts(w, node))
            write_parts(w, node, out);
        else
            write_call(w, node, out);
        return MST_EXPR_BINDS_NAME;
    }
}

// Either side of a choice is computed, chosen or not: branches are slower than what they would spare, and keep compilers from
// making vectors.
bool mst_expr_float_needs_name(const mst_expr_writer *w, const mst_expr_node *node, int k) {
    bool is_optional = node->operation == MST_EXPR_CHOOSE || node->operation == MST_EXPR_AND || node->operation == MST_EXPR_OR;
    return (is_optional && k > 0) || goes_in_parts(w, node) || goes_by_size(w, node);
}

void mst_expr_write_values(const mst_expr *expr, const mst_elementary *own, bool is_double, unsigned width,
                           const char *const *leaves, const char *name, const char *const *values, mst_text *out) {
    mst_expr_writer *w = mst_expr_writer_create(expr, leaves, name, out);
    if (!w)
        return;
    w->values = values;
    char lanes[4] = "";
    if (width > 1)
        snprintf(lanes, sizeof lanes, "%u", width % 100);
    snprintf(w->type, sizeof w->type, "%s%s", is_double ? "double" : "float", lanes);
    snprintf(w->condition_type, sizeof w->condition_type, "%s%s", is_double && width > 1 ? "long" : "int", lanes);
    w->own = own;
    w->write_operation = mst_expr_write_float_operation;
    w->write_literal = mst_expr_write_float_literal;
    w->needs_name = mst_expr_float_needs_name;
    mst_expr_writer_count(w);
    mst_expr_writer_run(w);
    mst_expr_writer_destroy(w);
}

void mst_expr_write(const mst_expr *expr, const mst_elementary *own, bool is_double, unsigned width, const char *const *leaves,
                    const char *name, mst_text *out) {
    mst_expr_write_values(expr, own, is_double, width, leaves, name, NULL, out);
}
