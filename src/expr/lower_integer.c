#include "lower.h"

static const mst_expr_operation AND = MST_EXPR_AND;

typedef struct pair {
    unsigned quotient, remainder;
} pair;

// The quotient towards 0, and what it leaves. Devices stop the program at a divisor of 0, and at the least number divided by -1,
// so that neither is one: 0 // 0 and 0 % 0 are 0, as in NumPy, and the quotient by -1 wraps around.
static pair divide(mst_lowering *l, mst_type type, unsigned a, unsigned b) {
    double known;
    const bool is_known = mst_lower_is_number(l, b, &known), has_sign = mst_type_is_signed(type);
    const unsigned zero = mst_lower_number(l, type, 0), one = mst_lower_number(l, type, 1);
    unsigned divisor = b, is_zero = 0, is_minus = 0;
    if (is_known && known == 0)
        return (pair){zero, zero};
    if (is_known && known == -1)
        return (pair){mst_lower_one(l, MST_EXPR_NEGATE, type, a), zero};
    if (!is_known) {
        is_zero = mst_lower_two(l, MST_EXPR_EQUAL, type, b, zero);
        divisor = mst_lower_choose(l, type, is_zero, one, b);
    }
    if (!is_known && has_sign) {
        is_minus = mst_lower_compare_number(l, MST_EXPR_EQUAL, type, b, -1);
        divisor = mst_lower_choose(l, type, is_minus, one, divisor);
    }
    const unsigned quotient = mst_lower_two(l, MST_EXPR_DIVIDE, type, a, divisor);
    const unsigned whole = mst_lower_two(l, MST_EXPR_MULTIPLY, type, quotient, divisor);
    pair p = {quotient, mst_lower_two(l, MST_EXPR_SUBTRACT, type, a, whole)};
    if (is_known)
        return p;
    p = (pair){mst_lower_choose(l, type, is_zero, zero, p.quotient), mst_lower_choose(l, type, is_zero, zero, p.remainder)};
    if (has_sign)
        p.quotient = mst_lower_choose(l, type, is_minus, mst_lower_one(l, MST_EXPR_NEGATE, type, a), p.quotient);
    return p;
}

// Where a remainder and the divisor differ in sign, the quotient was rounded upwards.
static pair divide_downwards(mst_lowering *l, mst_type type, unsigned a, unsigned b) {
    const pair p = divide(l, type, a, b);
    if (!mst_type_is_signed(type))
        return p;
    const unsigned zero = mst_lower_number(l, type, 0), one = mst_lower_number(l, type, 1);
    const unsigned differ = mst_lower_two(l, MST_EXPR_LESS, type, mst_lower_two(l, MST_EXPR_BIT_XOR, type, p.remainder, b), zero);
    const unsigned upwards = mst_lower_and(l, AND, mst_lower_two(l, MST_EXPR_NOT_EQUAL, type, p.remainder, zero), differ);
    return (pair){
        mst_lower_choose(l, type, upwards, mst_lower_two(l, MST_EXPR_SUBTRACT, type, p.quotient, one), p.quotient),
        mst_lower_choose(l, type, upwards, mst_lower_two(l, MST_EXPR_ADD, type, p.remainder, b), p.remainder),
    };
}

// A shift by the type's bits or more moves all of them out; a negative one counts as that.
static unsigned shift(mst_lowering *l, mst_expr_operation operation, mst_type type, unsigned a, unsigned b) {
    const double bits = 8 * (double)mst_type_bytes(type);
    const unsigned zero = mst_lower_number(l, type, 0);
    unsigned gone = zero, inside = mst_lower_compare_number(l, MST_EXPR_LESS, type, b, bits);
    if (mst_type_is_signed(type))
        inside = mst_lower_and(l, AND, inside, mst_lower_two(l, MST_EXPR_GREATER_EQUAL, type, b, zero));
    if (operation == MST_EXPR_SHIFT_RIGHT && mst_type_is_signed(type))
        gone = mst_lower_choose(l, type, mst_lower_two(l, MST_EXPR_LESS, type, a, zero), mst_lower_number(l, type, -1), zero);
    const unsigned count = mst_lower_choose(l, type, inside, b, zero);
    return mst_lower_choose(l, type, inside, mst_lower_two(l, operation, type, a, count), gone);
}

static unsigned sign(mst_lowering *l, mst_type type, unsigned a) {
    const unsigned zero = mst_lower_number(l, type, 0), one = mst_lower_number(l, type, 1);
    const unsigned positive = mst_lower_choose(l, type, mst_lower_two(l, MST_EXPR_GREATER, type, a, zero), one, zero);
    if (!mst_type_is_signed(type))
        return positive;
    return mst_lower_choose(l, type, mst_lower_two(l, MST_EXPR_LESS, type, a, zero), mst_lower_number(l, type, -1), positive);
}

mst_value mst_lower_integer(mst_lowering *l, mst_expr_operation operation, mst_type type, const mst_value *x) {
    const unsigned a = x[0].part[0], b = x[1].part[0];
    switch (operation) {
    case MST_EXPR_FLOOR_DIVIDE:
        return mst_lower_value(type, divide_downwards(l, type, a, b).quotient);
    case MST_EXPR_REMAINDER:
        return mst_lower_value(type, divide_downwards(l, type, a, b).remainder);
    case MST_EXPR_MOD:
        return mst_lower_value(type, divide(l, type, a, b).remainder);
    case MST_EXPR_SHIFT_LEFT:
    case MST_EXPR_SHIFT_RIGHT:
        return mst_lower_value(type, shift(l, operation, type, a, b));
    case MST_EXPR_SIGN:
        return mst_lower_value(type, sign(l, type, a));
    case MST_EXPR_FLOOR:
    case MST_EXPR_CEIL:
    case MST_EXPR_ROUND:
    case MST_EXPR_TRUNC:
    case MST_EXPR_REAL:
    case MST_EXPR_CONJUGATE:
        return x[0];
    case MST_EXPR_IMAGINARY:
        return mst_lower_value(type, mst_lower_number(l, type, 0));
    case MST_EXPR_ABS:
        return mst_type_is_signed(type) ? mst_lower_value(type, mst_lower_one(l, operation, type, a)) : x[0];
    default:
        return mst_lower_value(type, mst_lower_two(l, operation, type, a, b));
    }
}

// a + b and max are "or", a * b and min "and".
mst_value mst_lower_truth(mst_lowering *l, mst_expr_operation operation, const mst_value *x) {
    const unsigned a = x[0].part[0], b = x[1].part[0];
    const mst_expr_operation both = MST_EXPR_AND, any = MST_EXPR_OR;
    switch (operation) {
    case MST_EXPR_ADD:
    case MST_EXPR_MAX:
    case MST_EXPR_BIT_OR:
        return mst_lower_value(MST_BOOL, mst_lower_and(l, any, a, b));
    case MST_EXPR_MULTIPLY:
    case MST_EXPR_MIN:
    case MST_EXPR_BIT_AND:
        return mst_lower_value(MST_BOOL, mst_lower_and(l, both, a, b));
    case MST_EXPR_BIT_NOT:
        return mst_lower_value(MST_BOOL, mst_lower_not(l, a));
    case MST_EXPR_BIT_XOR: {
        const mst_value v[] = {mst_lower_convert(l, x[0], MST_UINT8, false), mst_lower_convert(l, x[1], MST_UINT8, false)};
        return mst_lower_value(MST_BOOL, mst_lower_two(l, MST_EXPR_NOT_EQUAL, MST_UINT8, v[0].part[0], v[1].part[0]));
    }
    case MST_EXPR_SUBTRACT:
    case MST_EXPR_NEGATE:
        mst_lower_fail(l, "'-' of bool; != or xor() tells where two differ, ! or ~ where one is not");
        return x[0];
    case MST_EXPR_IMAGINARY:
        return mst_lower_convert(l, mst_lower_value(MST_UINT8, mst_lower_number(l, MST_UINT8, 0)), MST_BOOL, false);
    default: // |x|, real and conjugate
        return x[0];
    }
}

// As NumPy computes them: what fmod leaves, moved to the sign of the divisor, and the quotient rounded to the next whole number.
mst_value mst_lower_floor(mst_lowering *l, mst_expr_operation operation, mst_type type, const mst_value *x) {
    const mst_type held = mst_type_held(type);
    const unsigned a = x[0].part[0], b = x[1].part[0], zero = mst_lower_number(l, held, 0);
    const unsigned left = mst_lower_two(l, MST_EXPR_MOD, held, a, b);
    const unsigned some = mst_lower_two(l, MST_EXPR_NOT_EQUAL, held, left, zero);
    const unsigned differ = mst_lower_and(
        l, AND, some,
        mst_lower_add(l, MST_EXPR_NOT_EQUAL, held, // of signs, as numbers of the type
                      mst_lower_one(l, MST_EXPR_AS_NUMBER, held, mst_lower_two(l, MST_EXPR_LESS, held, b, zero)),
                      mst_lower_one(l, MST_EXPR_AS_NUMBER, held, mst_lower_two(l, MST_EXPR_LESS, held, left, zero)), 0));
    if (operation == MST_EXPR_REMAINDER) {
        const unsigned moved = mst_lower_choose(l, held, differ, mst_lower_two(l, MST_EXPR_ADD, held, left, b), left);
        return mst_lower_value(type, mst_lower_choose(l, held, some, moved, mst_lower_two(l, MST_EXPR_COPYSIGN, held, left, b)));
    }
    const unsigned one = mst_lower_number(l, held, 1), quotient = mst_lower_two(l, MST_EXPR_DIVIDE, held, a, b);
    unsigned whole = mst_lower_two(l, MST_EXPR_DIVIDE, held, mst_lower_two(l, MST_EXPR_SUBTRACT, held, a, left), b);
    whole = mst_lower_choose(l, held, differ, mst_lower_two(l, MST_EXPR_SUBTRACT, held, whole, one), whole);
    const unsigned down = mst_lower_one(l, MST_EXPR_FLOOR, held, whole);
    const unsigned far =
        mst_lower_compare_number(l, MST_EXPR_GREATER, held, mst_lower_two(l, MST_EXPR_SUBTRACT, held, whole, down), 0.5);
    const unsigned near = mst_lower_choose(l, held, far, mst_lower_two(l, MST_EXPR_ADD, held, down, one), down);
    const unsigned signed_zero = mst_lower_two(l, MST_EXPR_COPYSIGN, held, zero, quotient);
    const unsigned result = mst_lower_choose(l, held, mst_lower_two(l, MST_EXPR_NOT_EQUAL, held, whole, zero), near, signed_zero);
    return mst_lower_value(type, mst_lower_choose(l, held, mst_lower_two(l, MST_EXPR_EQUAL, held, b, zero), quotient, result));
}

mst_value mst_lower_multiply(mst_lowering *l, mst_value a, mst_value b) {
    const mst_value x[] = {a, b};
    if (mst_type_has_parts(a.type))
        return mst_lower_complex(l, MST_EXPR_MULTIPLY, a.type, x);
    return mst_lower_value(a.type, mst_lower_two(l, MST_EXPR_MULTIPLY, mst_type_held(a.type), a.part[0], b.part[0]));
}

mst_value mst_lower_product(mst_lowering *l, mst_value x, unsigned exponent) {
    mst_value result = x;
    bool begun = false;
    for (unsigned left = exponent; left > 0; left /= 2) {
        if (left % 2)
            result = begun ? mst_lower_multiply(l, result, x) : x;
        begun = begun || left % 2;
        if (left > 1)
            x = mst_lower_multiply(l, x, x);
    }
    return result;
}
