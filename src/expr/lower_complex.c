#include "lower.h"

#include <math.h>

// Operations on parts, all of one real type.
typedef struct parts {
    mst_lowering *l;
    mst_type held;
} parts;

static unsigned one(parts p, mst_expr_operation operation, unsigned a) { return mst_lower_one(p.l, operation, p.held, a); }
static unsigned two(parts p, mst_expr_operation operation, unsigned a, unsigned b) {
    return mst_lower_two(p.l, operation, p.held, a, b);
}
static unsigned times(parts p, unsigned a, unsigned b) { return two(p, MST_EXPR_MULTIPLY, a, b); }
static unsigned plus(parts p, unsigned a, unsigned b) { return two(p, MST_EXPR_ADD, a, b); }
static unsigned minus(parts p, unsigned a, unsigned b) { return two(p, MST_EXPR_SUBTRACT, a, b); }
static unsigned over(parts p, unsigned a, unsigned b) { return two(p, MST_EXPR_DIVIDE, a, b); }
static unsigned number(parts p, double value) { return mst_lower_number(p.l, p.held, value); }
static unsigned choose(parts p, unsigned condition, unsigned a, unsigned b) {
    return mst_lower_choose(p.l, p.held, condition, a, b);
}
static unsigned is_zero(parts p, unsigned a) { return two(p, MST_EXPR_EQUAL, a, number(p, 0)); }

static bool is_real(parts p, const mst_value *x) {
    double imaginary;
    return mst_lower_is_number(p.l, x->part[1], &imaginary) && imaginary == 0;
}

unsigned mst_lower_magnitude(mst_lowering *l, mst_value x) {
    return mst_lower_two(l, MST_EXPR_HYPOT, mst_type_held(x.type), x.part[0], x.part[1]);
}

unsigned mst_lower_angle(mst_lowering *l, mst_value x) {
    return mst_lower_two(l, MST_EXPR_ATAN2, mst_type_held(x.type), x.part[1], x.part[0]);
}

static void multiply(parts p, const mst_value *a, const mst_value *b, unsigned *out) {
    if (is_real(p, a) && !is_real(p, b)) {
        multiply(p, b, a, out);
        return;
    }
    const unsigned direct = times(p, a->part[0], b->part[0]), cross = times(p, a->part[1], b->part[0]);
    out[0] = is_real(p, b) ? direct : minus(p, direct, times(p, a->part[1], b->part[1]));
    out[1] = is_real(p, b) ? cross : plus(p, times(p, a->part[0], b->part[1]), cross);
}

// Smith, Algorithm 116: Complex division, Communications of the ACM 5 (1962): the divisor's smaller part over the larger one.
static void divide(parts p, const mst_value *a, const mst_value *b, unsigned *out) {
    const unsigned re = b->part[0], im = b->part[1];
    for (int k = 0; k < 2 && is_real(p, b); k++)
        out[k] = over(p, a->part[k], re);
    if (is_real(p, b))
        return;
    const unsigned swap = two(p, MST_EXPR_LESS, one(p, MST_EXPR_ABS, re), one(p, MST_EXPR_ABS, im));
    const unsigned large = choose(p, swap, im, re), small = choose(p, swap, re, im), ratio = over(p, small, large);
    const unsigned scale = plus(p, large, times(p, small, ratio)), none = is_zero(p, large);
    const unsigned first = choose(p, swap, a->part[1], a->part[0]), second = choose(p, swap, a->part[0], a->part[1]);
    const unsigned sum = plus(p, first, times(p, second, ratio));
    const unsigned plain = minus(p, a->part[1], times(p, a->part[0], ratio));
    const unsigned turned = minus(p, times(p, a->part[1], ratio), a->part[0]);
    out[0] = choose(p, none, over(p, a->part[0], large), over(p, sum, scale));
    out[1] = choose(p, none, over(p, a->part[1], large), over(p, choose(p, swap, turned, plain), scale));
}

static void exponential(parts p, const mst_value *x, unsigned *out) {
    const unsigned size = one(p, MST_EXPR_EXP, x->part[0]);
    out[0] = times(p, size, one(p, MST_EXPR_COS, x->part[1]));
    out[1] = choose(p, is_zero(p, x->part[1]), x->part[1], times(p, size, one(p, MST_EXPR_SIN, x->part[1])));
}

// Near |x| = 1 the logarithm is small beside what |x| was rounded by: log1p of |x|^2 - 1 = (m - 1)(m + 1) + n^2 there, with the
// larger part m and the smaller n.
static void logarithm(parts p, const mst_value *x, unsigned *out) {
    const unsigned re = one(p, MST_EXPR_ABS, x->part[0]), im = one(p, MST_EXPR_ABS, x->part[1]);
    const unsigned size = mst_lower_magnitude(p.l, *x);
    const unsigned m = two(p, MST_EXPR_MAX, re, im), n = two(p, MST_EXPR_MIN, re, im), unit = number(p, 1);
    const unsigned excess = plus(p, times(p, minus(p, m, unit), plus(p, m, unit)), times(p, n, n));
    const unsigned close = mst_lower_and(p.l, MST_EXPR_AND, two(p, MST_EXPR_GREATER, size, number(p, 0.75)),
                                         two(p, MST_EXPR_LESS, size, number(p, 1.5)));
    const unsigned near = times(p, number(p, 0.5), one(p, MST_EXPR_LOG1P, choose(p, close, excess, number(p, 0))));
    out[0] = choose(p, close, near, one(p, MST_EXPR_LOG, size));
    out[1] = mst_lower_angle(p.l, *x);
}

// The root in the right half-plane. Its larger part is t = sqrt((|re| + |x|) / 2), the other |im| / (2 t).
static void root(parts p, const mst_value *x, unsigned *out) {
    const unsigned re = x->part[0], im = x->part[1], half = number(p, 0.5);
    const unsigned sum = plus(p, times(p, half, one(p, MST_EXPR_ABS, re)), times(p, half, mst_lower_magnitude(p.l, *x)));
    const unsigned t = one(p, MST_EXPR_SQRT, sum), none = is_zero(p, t);
    const unsigned other = choose(p, none, number(p, 0), over(p, times(p, half, one(p, MST_EXPR_ABS, im)), t));
    const unsigned right = two(p, MST_EXPR_GREATER_EQUAL, re, number(p, 0));
    out[0] = choose(p, right, t, other);
    out[1] = two(p, MST_EXPR_COPYSIGN, choose(p, right, other, t), im);
}

// A sine of 0 stays 0 where the other factor is infinite, as in C99's csinh.
static unsigned sine_times(parts p, unsigned sine, unsigned factor) {
    const unsigned sign = two(p, MST_EXPR_COPYSIGN, number(p, 1), factor);
    return choose(p, is_zero(p, sine), times(p, sine, sign), times(p, sine, factor));
}

// sin(a + ib) = sin a cosh b + i cos a sinh b, and so on.
static void wave(parts p, mst_expr_operation operation, const mst_value *x, unsigned *out) {
    const bool is_circular = operation == MST_EXPR_SIN || operation == MST_EXPR_COS;
    const unsigned angle = x->part[is_circular ? 0 : 1], size = x->part[is_circular ? 1 : 0];
    const unsigned sine = one(p, MST_EXPR_SIN, angle), cosine = one(p, MST_EXPR_COS, angle);
    const unsigned odd = one(p, MST_EXPR_SINH, size), even = one(p, MST_EXPR_COSH, size);
    if (operation == MST_EXPR_SIN) {
        out[0] = sine_times(p, sine, even), out[1] = times(p, cosine, odd);
    } else if (operation == MST_EXPR_COS) {
        out[0] = times(p, cosine, even), out[1] = one(p, MST_EXPR_NEGATE, sine_times(p, sine, odd));
    } else if (operation == MST_EXPR_SINH) {
        out[0] = times(p, odd, cosine), out[1] = sine_times(p, sine, even);
    } else {
        out[0] = times(p, even, cosine), out[1] = sine_times(p, sine, odd);
    }
}

// tanh(a + ib) = (T (1 + t^2) + i t / cosh(a)^2) / (1 + T^2 t^2) with T = tanh a, t = tan b.
static void tangent(parts p, unsigned a, unsigned b, unsigned *out) {
    const unsigned large = one(p, MST_EXPR_TANH, a), t = one(p, MST_EXPR_TAN, b), unit = number(p, 1);
    const unsigned flat = over(p, unit, one(p, MST_EXPR_COSH, a)), square = times(p, t, t);
    const unsigned divisor = plus(p, unit, times(p, times(p, large, large), square));
    out[0] = over(p, times(p, large, plus(p, unit, square)), divisor);
    out[1] = over(p, times(p, times(p, t, flat), flat), divisor);
}

// exp(y log x); 0^y is 0, and 1 where y is 0.
static void power(parts p, const mst_value *x, const mst_value *y, unsigned *out) {
    mst_value log = {x->type, {0, 0}}, product = log;
    logarithm(p, x, log.part);
    multiply(p, y, &log, product.part);
    exponential(p, &product, out);
    const unsigned none = mst_lower_and(p.l, MST_EXPR_AND, is_zero(p, x->part[0]), is_zero(p, x->part[1]));
    const unsigned flat = mst_lower_and(p.l, MST_EXPR_AND, is_zero(p, y->part[0]), is_zero(p, y->part[1]));
    out[0] = choose(p, none, choose(p, flat, number(p, 1), number(p, 0)), out[0]);
    out[1] = choose(p, none, number(p, 0), out[1]);
}

static void by_parts(parts p, mst_expr_operation operation, const mst_value *x, unsigned *out) {
    for (int k = 0; k < 2; k++)
        out[k] = operation == MST_EXPR_NEGATE ? one(p, operation, x[0].part[k]) : two(p, operation, x[0].part[k], x[1].part[k]);
}

// From MST_EXPR_FLOOR_DIVIDE on.
static const char *const operators[] = {"//", "%", "<<", ">>", "&", "xor", "|", "~"};

mst_value mst_lower_complex(mst_lowering *l, mst_expr_operation operation, mst_type type, const mst_value *x) {
    const bool is_function = operation >= MST_EXPR_ABS;
    const char *name;
    const parts p = {l, mst_type_held(type)};
    mst_value result = {type, {x[0].part[0], x[0].part[1]}};
    unsigned turned[2];
    switch (operation) {
    case MST_EXPR_NEGATE:
    case MST_EXPR_ADD:
    case MST_EXPR_SUBTRACT:
        by_parts(p, operation, x, result.part);
        break;
    case MST_EXPR_MULTIPLY:
        multiply(p, &x[0], &x[1], result.part);
        break;
    case MST_EXPR_DIVIDE:
        divide(p, &x[0], &x[1], result.part);
        break;
    case MST_EXPR_POW:
        power(p, &x[0], &x[1], result.part);
        break;
    case MST_EXPR_CONJUGATE:
        result.part[1] = one(p, MST_EXPR_NEGATE, x[0].part[1]);
        break;
    case MST_EXPR_EXP:
        exponential(p, x, result.part);
        break;
    case MST_EXPR_LOG:
        logarithm(p, x, result.part);
        break;
    case MST_EXPR_SQRT:
        root(p, x, result.part);
        break;
    case MST_EXPR_SIN:
    case MST_EXPR_COS:
    case MST_EXPR_SINH:
    case MST_EXPR_COSH:
        wave(p, operation, x, result.part);
        break;
    case MST_EXPR_TANH:
        tangent(p, x[0].part[0], x[0].part[1], result.part);
        break;
    case MST_EXPR_TAN: // -i tanh(i x)
        tangent(p, one(p, MST_EXPR_NEGATE, x[0].part[1]), x[0].part[0], turned);
        result.part[0] = turned[1];
        result.part[1] = one(p, MST_EXPR_NEGATE, turned[0]);
        break;
    default:
        name = l->written    ? l->written
               : is_function ? mst_expr_functions[operation - MST_EXPR_ABS].name
                             : operators[operation - MST_EXPR_FLOOR_DIVIDE];
        mst_lower_fail(
            l,
            "%s%s of complex numbers is not known; there are abs, arg, real, imag, conj, exp, log, sqrt, pow, sin, cos, "
            "tan, sinh, cosh and tanh",
            name, l->written || is_function ? "()" : "");
    }
    return result;
}
