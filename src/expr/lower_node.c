#include "lower.h"

#include "runtime/error.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

unsigned mst_lower_fail(mst_lowering *l, const char *format, ...) {
    char message[300];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (l->status == MST_OK)
        l->status = mst_fail(l->error, MST_ERROR_ARGUMENT, "%s", message);
    return 0;
}

unsigned mst_lower_keep(mst_lowering *l, unsigned node) {
    if (node != MST_EXPR_FULL)
        return node;
    if (l->to->n_nodes < MST_EXPR_MAX_NODES && l->status == MST_OK)
        l->status = mst_fail(l->error, MST_ERROR_HOST_MEMORY, "out of memory reading an expression");
    return mst_lower_fail(l, "too long; %d different operations and numbers are the most", MST_EXPR_MAX_NODES);
}

unsigned mst_lower_add(mst_lowering *l, mst_expr_operation operation, mst_type type, unsigned a, unsigned b, unsigned c) {
    if (l->status != MST_OK)
        return 0;
    return mst_lower_keep(
        l, mst_expr_add_copy(l->to, &(mst_expr_node){.operation = operation, .operands = {a, b, c}, .type = type}));
}

static unsigned add_number(mst_lowering *l, mst_type type, double value) {
    if (l->status != MST_OK)
        return 0;
    if (mst_type_is_float(type))
        value = type == MST_FLOAT64 ? value : (double)(float)value;
    return mst_lower_keep(l,
                          mst_expr_add_copy(l->to, &(mst_expr_node){.operation = MST_EXPR_NUMBER, .value = value, .type = type}));
}

// Numbers that were rounded when they were read, and those beyond a type, are none of its integers.
unsigned mst_lower_number(mst_lowering *l, mst_type type, double value) {
    const unsigned bits = 8 * (unsigned)mst_type_bytes(type);
    const double top = ldexp(1, (int)(mst_type_is_signed(type) ? bits - 1 : bits)), bottom = mst_type_is_signed(type) ? -top : 0;
    if (mst_type_is_integer(type) && (value != floor(value) || value < bottom || value >= top || fabs(value) > 0x1p53))
        return mst_lower_fail(l, "%.17g is no integer that %s holds exactly, or beyond 2^53; compute in a float type", value,
                              mst_type_name(type));
    return add_number(l, type, value);
}

bool mst_lower_is_number(const mst_lowering *l, unsigned node, double *value) {
    const mst_expr_node *n = &l->to->nodes[node];
    *value = n->value;
    return l->status == MST_OK && n->operation == MST_EXPR_NUMBER;
}

// Conditions are as large as what they compare; what reads several wants them of one size.
static unsigned resize(mst_lowering *l, unsigned condition, mst_type type) {
    if (l->status != MST_OK || mst_type_bytes(l->to->nodes[condition].type) == mst_type_bytes(type))
        return condition;
    return mst_lower_one(l, MST_EXPR_RESIZE, type, condition);
}

// Whether a condition is one of numbers alone, and what it is. None is written: PoCL 3.1 has comparisons of constant vectors
// wrong.
static bool is_known(const mst_lowering *l, unsigned condition, bool *value) {
    const mst_expr_node *node = &l->to->nodes[condition];
    double a, b;
    const bool is_comparison = node->operation >= MST_EXPR_LESS && node->operation <= MST_EXPR_NOT_EQUAL;
    if (l->status != MST_OK || !is_comparison || !mst_lower_is_number(l, node->operands[0], &a) ||
        !mst_lower_is_number(l, node->operands[1], &b))
        return false;
    *value = mst_expr_apply(node->operation, a, b, 0) != 0;
    return true;
}

unsigned mst_lower_choose(mst_lowering *l, mst_type type, unsigned condition, unsigned yes, unsigned no) {
    bool known;
    if (is_known(l, condition, &known))
        return known ? yes : no;
    return yes == no ? yes : mst_lower_add(l, MST_EXPR_CHOOSE, type, resize(l, condition, type), yes, no);
}

unsigned mst_lower_and(mst_lowering *l, mst_expr_operation operation, unsigned a, unsigned b) {
    bool known;
    if (l->status != MST_OK)
        return 0;
    if (is_known(l, a, &known))
        return known == (operation == MST_EXPR_AND) ? b : a;
    if (is_known(l, b, &known))
        return known == (operation == MST_EXPR_AND) ? a : b;
    mst_type of_a = l->to->nodes[a].type, of_b = l->to->nodes[b].type;
    mst_type type = mst_type_bytes(of_a) <= mst_type_bytes(of_b) ? of_a : of_b;
    return mst_lower_two(l, operation, type, resize(l, a, type), resize(l, b, type));
}

unsigned mst_lower_not(mst_lowering *l, unsigned condition) {
    bool known;
    if (l->status != MST_OK)
        return 0;
    if (is_known(l, condition, &known))
        return mst_lower_two(l, known ? MST_EXPR_NOT_EQUAL : MST_EXPR_EQUAL, MST_INT8, mst_lower_number(l, MST_INT8, 0),
                             mst_lower_number(l, MST_INT8, 0));
    return mst_lower_one(l, MST_EXPR_NOT, l->to->nodes[condition].type, condition);
}

unsigned mst_lower_compare_number(mst_lowering *l, mst_expr_operation operation, mst_type type, unsigned a, double b) {
    return mst_lower_two(l, operation, type, a, mst_lower_number(l, type, b));
}

mst_value mst_lower_value(mst_type type, unsigned part) { return (mst_value){type, {part, part}}; }

mst_value mst_lower_known(mst_lowering *l, bool value) {
    const unsigned truth = mst_lower_number(l, MST_INT8, value);
    return mst_lower_value(MST_BOOL, mst_lower_compare_number(l, MST_EXPR_NOT_EQUAL, MST_INT8, truth, 0));
}

mst_value mst_lower_real(mst_lowering *l, mst_type type, double value) {
    mst_value result = mst_lower_value(type, mst_lower_number(l, mst_type_held(type), value));
    if (mst_type_has_parts(type))
        result.part[1] = mst_lower_number(l, mst_type_held(type), 0);
    return result;
}

static unsigned number_of_condition(mst_lowering *l, unsigned condition, mst_type held) {
    bool known;
    if (is_known(l, condition, &known))
        return add_number(l, held, known);
    return mst_lower_one(l, MST_EXPR_AS_NUMBER, held, resize(l, condition, held));
}

static unsigned convert_part(mst_lowering *l, unsigned node, mst_type to) {
    double value;
    if (l->status != MST_OK || l->to->nodes[node].type == to)
        return node;
    if (mst_lower_is_number(l, node, &value) && mst_type_is_float(to))
        return add_number(l, to, value);
    return mst_lower_one(l, MST_EXPR_CONVERT, to, node);
}

// The number that float16 holds and that is nearest to one. Below 2^-14 float16 is a grid of 2^-24, to which the sum with a large
// number rounds; above it has 11 bits, which Veltkamp's splitting leaves (Dekker, Numer. Math. 18, 1971). That may break a tie
// to either side, and knows no largest number.
static unsigned round_to_half(mst_lowering *l, mst_type type, unsigned x) {
    const bool is_double = type == MST_FLOAT64;
    const unsigned size = mst_lower_one(l, MST_EXPR_ABS, type, x);
    const unsigned large = mst_lower_number(l, type, is_double ? 0x1.8p28 : 0x1.8p-1);
    const unsigned grid = mst_lower_two(l, MST_EXPR_SUBTRACT, type, mst_lower_two(l, MST_EXPR_ADD, type, x, large), large);
    const unsigned product =
        mst_lower_two(l, MST_EXPR_MULTIPLY, type, x, mst_lower_number(l, type, is_double ? 0x1p42 + 1 : 0x1p13 + 1));
    const unsigned split =
        mst_lower_two(l, MST_EXPR_SUBTRACT, type, product, mst_lower_two(l, MST_EXPR_SUBTRACT, type, product, x));
    return mst_lower_choose(l, type, mst_lower_compare_number(l, MST_EXPR_LESS, type, size, 0x1p-14), grid, split);
}

// Of a float64, so that the way there by float32 does not round again. A tie is a float32; and what is beyond float16 needs no
// splitting.
static unsigned nearest_half(mst_lowering *l, unsigned x) {
    const mst_type type = MST_FLOAT64;
    const unsigned size = mst_lower_one(l, MST_EXPR_ABS, type, x), rounded = round_to_half(l, type, x);
    const unsigned single = mst_lower_one(l, MST_EXPR_CONVERT, type, mst_lower_one(l, MST_EXPR_CONVERT, MST_FLOAT32, x));
    const unsigned rounds = mst_lower_and(l, MST_EXPR_AND, mst_lower_compare_number(l, MST_EXPR_LESS, type, size, 0x1p17),
                                          mst_lower_two(l, MST_EXPR_NOT_EQUAL, type, single, x));
    return mst_lower_choose(l, type, rounds, mst_lower_two(l, MST_EXPR_COPYSIGN, type, rounded, x), x);
}

// What is from a half to one and a half of the distance to the next float16 further on rounds to that.
unsigned mst_lower_next_half(mst_lowering *l, unsigned x, unsigned y) {
    const mst_type type = MST_FLOAT32;
    const unsigned size = mst_lower_one(l, MST_EXPR_ABS, type, x), top = mst_lower_number(l, type, 65504);
    const unsigned step = mst_lower_two(l, MST_EXPR_MAX, type,
                                        mst_lower_two(l, MST_EXPR_MULTIPLY, type, size, mst_lower_number(l, type, 0x1.004p-11)),
                                        mst_lower_number(l, type, 0x1.02p-25));
    const unsigned up = mst_lower_two(l, MST_EXPR_LESS, type, x, y);
    const unsigned moved = mst_lower_choose(l, type, up, mst_lower_two(l, MST_EXPR_ADD, type, x, step),
                                            mst_lower_two(l, MST_EXPR_SUBTRACT, type, x, step));
    unsigned next = round_to_half(l, type, moved);
    const unsigned beyond = mst_lower_two(l, MST_EXPR_GREATER, type, mst_lower_one(l, MST_EXPR_ABS, type, next), top);
    next = mst_lower_choose(l, type, beyond, mst_lower_number(l, type, INFINITY), next);
    next = mst_lower_choose(l, type, mst_lower_compare_number(l, MST_EXPR_EQUAL, type, size, INFINITY), top, next);
    const unsigned sign = mst_lower_choose(l, type, mst_lower_compare_number(l, MST_EXPR_EQUAL, type, size, 0), moved, x);
    next = mst_lower_two(l, MST_EXPR_COPYSIGN, type, next, sign);
    next = mst_lower_choose(l, type, mst_lower_two(l, MST_EXPR_EQUAL, type, x, y), y, next);
    const unsigned is_nan = mst_lower_and(l, MST_EXPR_OR, mst_lower_two(l, MST_EXPR_NOT_EQUAL, type, x, x),
                                          mst_lower_two(l, MST_EXPR_NOT_EQUAL, type, y, y));
    return mst_lower_choose(l, type, is_nan, mst_lower_two(l, MST_EXPR_ADD, type, x, y), next);
}

mst_value mst_lower_convert(mst_lowering *l, mst_value value, mst_type type, bool rounds) {
    const mst_type held = mst_type_held(type);
    mst_value result = {type, {0, 0}};
    if (l->status != MST_OK || value.type == type)
        return value;
    if (mst_type_has_parts(value.type) && type == MST_BOOL) {
        const mst_type part = mst_type_held(value.type);
        unsigned parts[2];
        for (int k = 0; k < 2; k++)
            parts[k] = mst_lower_compare_number(l, MST_EXPR_NOT_EQUAL, part, value.part[k], 0);
        result.part[0] = mst_lower_and(l, MST_EXPR_OR, parts[0], parts[1]);
    } else if (mst_type_has_parts(value.type) && !mst_type_has_parts(type)) {
        mst_lower_fail(l, "%s cannot become %s: take real(), imag() or abs()", mst_type_name(value.type), mst_type_name(type));
    } else if (type == MST_BOOL) {
        result.part[0] = mst_lower_compare_number(l, MST_EXPR_NOT_EQUAL, mst_type_held(value.type), value.part[0], 0);
    } else if (value.type == MST_BOOL) {
        result.part[0] = number_of_condition(l, value.part[0], held);
    } else if (mst_type_is_float(value.type) && mst_type_is_integer(type) && !rounds) {
        mst_lower_fail(l, "%s is not converted to %s, which would round", mst_type_name(value.type), mst_type_name(type));
    } else {
        double known;
        const bool twice = type == MST_FLOAT16 && value.type == MST_FLOAT64 && l->status == MST_OK &&
                           l->to->nodes[value.part[0]].type == MST_FLOAT64 && !mst_lower_is_number(l, value.part[0], &known);
        result.part[0] = convert_part(l, twice ? nearest_half(l, value.part[0]) : value.part[0], held);
    }
    result.part[1] = result.part[0];
    if (mst_type_has_parts(type))
        result.part[1] = mst_type_has_parts(value.type) ? convert_part(l, value.part[1], held) : add_number(l, held, 0);
    return result;
}
