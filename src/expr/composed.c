#include "composed.h"

#include "bessel.h"

#include <math.h>
#include <string.h>

typedef struct composed {
    mst_expr_function function; // the first member: what mst_composed_find returns is one of these
    unsigned (*build)(mst_expr *expr, const unsigned *x);
    mst_expr_operation operation; // without `build`
    bool of_map;
} composed;

static unsigned choose(mst_expr *expr, unsigned condition, unsigned a, unsigned b) {
    return mst_expr_add(expr, MST_EXPR_CHOOSE, (unsigned[]){condition, a, b}, 3);
}

static unsigned number(mst_expr *expr, double value) { return mst_expr_add_number(expr, value); }

static unsigned ricker(mst_expr *expr, const unsigned *x) { return mst_expr_add_ricker(expr, x[0], x[1]); }

static unsigned power(mst_expr *expr, const unsigned *x) { return mst_expr_add_power(expr, x[0], x[1]); }

static unsigned where(mst_expr *expr, const unsigned *x) { return choose(expr, x[0], x[1], x[2]); }

// A NaN stays one, and of ends in the wrong order the upper one counts, as in NumPy.
static unsigned clip(mst_expr *expr, const unsigned *x) {
    unsigned raised = choose(expr, mst_expr_add_two(expr, MST_EXPR_LESS, x[0], x[1]), x[1], x[0]);
    return choose(expr, mst_expr_add_two(expr, MST_EXPR_GREATER, raised, x[2]), x[2], raised);
}

static unsigned is_nan(mst_expr *expr, const unsigned *x) { return mst_expr_add_two(expr, MST_EXPR_NOT_EQUAL, x[0], x[0]); }

// Of half a complex number of a map, as its magnitude is finite where its parts are.
static unsigned compare_with_infinity(mst_expr *expr, mst_expr_operation operation, unsigned x) {
    if (expr->of_map)
        x = mst_expr_add_two(expr, MST_EXPR_MULTIPLY, x, mst_expr_add_decimal(expr, 0.5));
    return mst_expr_add_two(expr, operation, mst_expr_add(expr, MST_EXPR_ABS, &x, 1), mst_expr_add_decimal(expr, INFINITY));
}

static unsigned is_infinite(mst_expr *expr, const unsigned *x) { return compare_with_infinity(expr, MST_EXPR_EQUAL, x[0]); }
static unsigned is_finite(mst_expr *expr, const unsigned *x) { return compare_with_infinity(expr, MST_EXPR_LESS, x[0]); }

static unsigned sign_bit(mst_expr *expr, const unsigned *x) {
    unsigned sign = mst_expr_add_two(expr, MST_EXPR_COPYSIGN, number(expr, 1), x[0]);
    return mst_expr_add_two(expr, MST_EXPR_LESS, sign, number(expr, 0));
}

// Of a map in the type of x, which a bool that is true takes; elsewhere all is of one type.
static unsigned ones_like(mst_expr *expr, const unsigned *x) {
    if (!expr->of_map)
        return number(expr, 1);
    unsigned always = mst_expr_add_two(expr, MST_EXPR_OR, is_nan(expr, x), mst_expr_add_two(expr, MST_EXPR_EQUAL, x[0], x[0]));
    return choose(expr, always, always, x[0]);
}

// sin(pi x) / (pi x), 1 at 0.
static unsigned sinc(mst_expr *expr, const unsigned *x) {
    unsigned angle = mst_expr_add_two(expr, MST_EXPR_MULTIPLY, mst_expr_add_decimal(expr, acos(-1.0)), x[0]);
    unsigned quotient = mst_expr_add_two(expr, MST_EXPR_DIVIDE, mst_expr_add(expr, MST_EXPR_SIN, &angle, 1), angle);
    return choose(expr, mst_expr_add_two(expr, MST_EXPR_EQUAL, angle, number(expr, 0)), number(expr, 1), quotient);
}

static unsigned j0_of(mst_expr *expr, const unsigned *x) { return mst_bessel_add(expr, 0, x[0]); }
static unsigned j1_of(mst_expr *expr, const unsigned *x) { return mst_bessel_add(expr, 1, x[0]); }

// 0 below 0, 1 above, `middle` at 0, NaN for NaN.
static unsigned stepped(mst_expr *expr, unsigned x, unsigned middle) {
    unsigned zero = number(expr, 0), one = number(expr, 1);
    unsigned right = choose(expr, mst_expr_add_two(expr, MST_EXPR_GREATER, x, zero), one,
                            choose(expr, mst_expr_add_two(expr, MST_EXPR_EQUAL, x, zero), middle, x));
    return choose(expr, mst_expr_add_two(expr, MST_EXPR_LESS, x, zero), zero, right);
}

static unsigned heaviside(mst_expr *expr, const unsigned *x) { return stepped(expr, x[0], x[1]); }
static unsigned step(mst_expr *expr, const unsigned *x) { return stepped(expr, x[0], number(expr, 1)); }

// The larger or smaller one; a NaN if there is one, which max and min ignore.
static unsigned extreme(mst_expr *expr, mst_expr_operation operation, const unsigned *x) {
    unsigned first = mst_expr_add_two(expr, MST_EXPR_OR, mst_expr_add_two(expr, operation, x[0], x[1]), is_nan(expr, x));
    return choose(expr, first, x[0], x[1]);
}

static unsigned maximum(mst_expr *expr, const unsigned *x) { return extreme(expr, MST_EXPR_GREATER, x); }
static unsigned minimum(mst_expr *expr, const unsigned *x) { return extreme(expr, MST_EXPR_LESS, x); }

static unsigned add(mst_expr *expr, unsigned a, unsigned b) { return mst_expr_add_two(expr, MST_EXPR_ADD, a, b); }
static unsigned multiply(mst_expr *expr, unsigned a, unsigned b) { return mst_expr_add_two(expr, MST_EXPR_MULTIPLY, a, b); }
static unsigned of_one(mst_expr *expr, mst_expr_operation operation, unsigned x) { return mst_expr_add(expr, operation, &x, 1); }

// Of a map integers in the real type that functions make of them; copysign is one that changes nothing.
static unsigned as_real(mst_expr *expr, unsigned x) { return expr->of_map ? mst_expr_add_two(expr, MST_EXPR_COPYSIGN, x, x) : x; }

static unsigned real_magnitude(mst_expr *expr, const unsigned *x) { return of_one(expr, MST_EXPR_ABS, as_real(expr, x[0])); }
static unsigned itself(mst_expr *expr, const unsigned *x) { return mst_expr_add_as_number(expr, x[0]); }
static unsigned square(mst_expr *expr, const unsigned *x) { return mst_expr_add_power(expr, x[0], number(expr, 2)); }

static unsigned reciprocal(mst_expr *expr, const unsigned *x) {
    return mst_expr_add_two(expr, MST_EXPR_DIVIDE, number(expr, 1), x[0]);
}

static unsigned scaled(mst_expr *expr, unsigned x, double factor) {
    return multiply(expr, as_real(expr, x), mst_expr_add_decimal(expr, factor));
}

static unsigned to_radians(mst_expr *expr, const unsigned *x) { return scaled(expr, x[0], acos(-1.0) / 180); }
static unsigned to_degrees(mst_expr *expr, const unsigned *x) { return scaled(expr, x[0], 180 / acos(-1.0)); }

static unsigned is_end(mst_expr *expr, unsigned x, double end) {
    return mst_expr_add_two(expr, MST_EXPR_EQUAL, x, mst_expr_add_decimal(expr, end));
}

static unsigned is_above_all(mst_expr *expr, const unsigned *x) { return is_end(expr, x[0], INFINITY); }
static unsigned is_below_all(mst_expr *expr, const unsigned *x) { return is_end(expr, x[0], -INFINITY); }

// 0 of a NaN, and of infinity the number next to it.
static unsigned nan_to_number(mst_expr *expr, const unsigned *x) {
    unsigned largest = mst_expr_add_two(expr, MST_EXPR_NEXTAFTER, x[0], number(expr, 0));
    return choose(expr, is_nan(expr, x), number(expr, 0), choose(expr, is_infinite(expr, x), largest, x[0]));
}

static unsigned differ(mst_expr *expr, const unsigned *x) {
    unsigned first = of_one(expr, MST_EXPR_NOT, x[0]), second = of_one(expr, MST_EXPR_NOT, x[1]);
    return mst_expr_add_two(expr, MST_EXPR_NOT_EQUAL, first, second);
}

// The logarithm of exp(a) + exp(b), or of 2^a + 2^b, from the larger one on. Two infinities of one sign have no difference.
static unsigned add_logarithms(mst_expr *expr, const unsigned *x, mst_expr_operation exponential, double to_base) {
    unsigned a = as_real(expr, x[0]), b = as_real(expr, x[1]);
    unsigned apart = of_one(expr, MST_EXPR_ABS, mst_expr_add_two(expr, MST_EXPR_SUBTRACT, a, b));
    unsigned less = of_one(expr, exponential, of_one(expr, MST_EXPR_NEGATE, apart));
    unsigned rest = multiply(expr, of_one(expr, MST_EXPR_LOG1P, less), mst_expr_add_decimal(expr, to_base));
    unsigned equal = mst_expr_add_two(expr, MST_EXPR_EQUAL, a, b);
    unsigned larger = choose(expr, mst_expr_add_two(expr, MST_EXPR_GREATER, a, b), a, b);
    return add(expr, larger, choose(expr, equal, mst_expr_add_decimal(expr, to_base * log(2.0)), rest));
}

static unsigned log_add_exp(mst_expr *expr, const unsigned *x) { return add_logarithms(expr, x, MST_EXPR_EXP, 1); }
static unsigned log_add_exp2(mst_expr *expr, const unsigned *x) { return add_logarithms(expr, x, MST_EXPR_EXP2, 1 / log(2.0)); }

#define COMPOSED(name, arity, build)                                                                                             \
    { {name, arity, NULL}, build, (mst_expr_operation)0, false }
#define OTHER(name, arity, operation)                                                                                            \
    { {name, arity, NULL}, NULL, (operation), MST_EXPR_FLOOR_DIVIDE <= (operation) && (operation) <= MST_EXPR_CONVERT }

static const composed functions[] = {
    COMPOSED("ricker", 2, ricker),
    COMPOSED("where", 3, where),
    COMPOSED("clip", 3, clip),
    COMPOSED("isnan", 1, is_nan),
    COMPOSED("isinf", 1, is_infinite),
    COMPOSED("isfinite", 1, is_finite),
    COMPOSED("signbit", 1, sign_bit),
    COMPOSED("ones_like", 1, ones_like),
    COMPOSED("sinc", 1, sinc),
    COMPOSED("j0", 1, j0_of),
    COMPOSED("j1", 1, j1_of),
    COMPOSED("heaviside", 2, heaviside),
    COMPOSED("step", 1, step),
    COMPOSED("maximum", 2, maximum),
    COMPOSED("minimum", 2, minimum),
    COMPOSED("power", 2, power),
    COMPOSED("fabs", 1, real_magnitude),
    COMPOSED("positive", 1, itself),
    COMPOSED("square", 1, square),
    COMPOSED("reciprocal", 1, reciprocal),
    COMPOSED("deg2rad", 1, to_radians),
    COMPOSED("radians", 1, to_radians),
    COMPOSED("rad2deg", 1, to_degrees),
    COMPOSED("degrees", 1, to_degrees),
    COMPOSED("isposinf", 1, is_above_all),
    COMPOSED("isneginf", 1, is_below_all),
    COMPOSED("nan_to_num", 1, nan_to_number),
    COMPOSED("logical_xor", 2, differ),
    COMPOSED("logaddexp", 2, log_add_exp),
    COMPOSED("logaddexp2", 2, log_add_exp2),
    OTHER("absolute", 1, MST_EXPR_ABS),
    OTHER("negative", 1, MST_EXPR_NEGATE),
    OTHER("fix", 1, MST_EXPR_TRUNC),
    OTHER("around", 1, MST_EXPR_ROUND),
    OTHER("gammaln", 1, MST_EXPR_LGAMMA),
    OTHER("add", 2, MST_EXPR_ADD),
    OTHER("subtract", 2, MST_EXPR_SUBTRACT),
    OTHER("multiply", 2, MST_EXPR_MULTIPLY),
    OTHER("divide", 2, MST_EXPR_DIVIDE),
    OTHER("true_divide", 2, MST_EXPR_DIVIDE),
    OTHER("less", 2, MST_EXPR_LESS),
    OTHER("less_equal", 2, MST_EXPR_LESS_EQUAL),
    OTHER("greater", 2, MST_EXPR_GREATER),
    OTHER("greater_equal", 2, MST_EXPR_GREATER_EQUAL),
    OTHER("equal", 2, MST_EXPR_EQUAL),
    OTHER("not_equal", 2, MST_EXPR_NOT_EQUAL),
    OTHER("logical_not", 1, MST_EXPR_NOT),
    OTHER("logical_and", 2, MST_EXPR_AND),
    OTHER("logical_or", 2, MST_EXPR_OR),
    OTHER("bitwise_not", 1, MST_EXPR_BIT_NOT),
    OTHER("invert", 1, MST_EXPR_BIT_NOT),
    OTHER("bitwise_and", 2, MST_EXPR_BIT_AND),
    OTHER("bitwise_or", 2, MST_EXPR_BIT_OR),
    OTHER("bitwise_xor", 2, MST_EXPR_BIT_XOR),
    OTHER("left_shift", 2, MST_EXPR_SHIFT_LEFT),
    OTHER("right_shift", 2, MST_EXPR_SHIFT_RIGHT),
    OTHER("conjugate", 1, MST_EXPR_CONJUGATE),
    OTHER("arcsin", 1, MST_EXPR_ASIN),
    OTHER("arccos", 1, MST_EXPR_ACOS),
    OTHER("arctan", 1, MST_EXPR_ATAN),
    OTHER("arctan2", 2, MST_EXPR_ATAN2),
    OTHER("arcsinh", 1, MST_EXPR_ASINH),
    OTHER("arccosh", 1, MST_EXPR_ACOSH),
    OTHER("arctanh", 1, MST_EXPR_ATANH),
    OTHER("rint", 1, MST_EXPR_ROUND),
    OTHER("fmod", 2, MST_EXPR_MOD),
    OTHER("fmin", 2, MST_EXPR_MIN),
    OTHER("fmax", 2, MST_EXPR_MAX),
    OTHER("complex", 2, MST_EXPR_COMPLEX),
    OTHER("real", 1, MST_EXPR_REAL),
    OTHER("imag", 1, MST_EXPR_IMAGINARY),
    OTHER("conj", 1, MST_EXPR_CONJUGATE),
    OTHER("arg", 1, MST_EXPR_ARGUMENT),
    OTHER("angle", 1, MST_EXPR_ARGUMENT),
    OTHER("xor", 2, MST_EXPR_BIT_XOR),
    OTHER("floor_divide", 2, MST_EXPR_FLOOR_DIVIDE),
    OTHER("remainder", 2, MST_EXPR_REMAINDER),
};
enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

const mst_expr_function *mst_composed_find(const mst_tokens *name, bool of_map) {
    for (size_t k = 0; k < N_FUNCTIONS; k++)
        if (mst_token_is(name, functions[k].function.name) && (of_map || !functions[k].of_map))
            return &functions[k].function;
    return NULL;
}

unsigned mst_composed_add(mst_expr *expr, const mst_expr_function *function, const unsigned *operands) {
    const composed *c = (const composed *)function;
    expr->written = function->name;
    const unsigned made = c->build ? c->build(expr, operands) : mst_expr_add(expr, c->operation, operands, function->arity);
    expr->written = NULL;
    return made;
}

bool mst_composed_is_continuous(const char *name) {
    static const char *const names[] = {"j0", "j1", "logaddexp", "logaddexp2"};
    for (size_t k = 0; name && k < sizeof names / sizeof names[0]; k++)
        if (strcmp(name, names[k]) == 0)
            return true;
    return false;
}

void mst_composed_offer(const mst_tokens *name, bool of_map, mst_nearest *nearest) {
    for (size_t k = 0; k < N_FUNCTIONS; k++)
        if (of_map || !functions[k].of_map)
            mst_nearest_offer(nearest, name, (mst_token_text){functions[k].function.name, strlen(functions[k].function.name)});
}
