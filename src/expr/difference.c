#include "difference.h"

#include "build.h"

#include <stdlib.h>

// ---- Coefficients: the closed forms of Fornberg's weights (SIAM Review 40, 1998) on evenly spaced nodes around the middle. All
// of the products below are less than 2^63 up to order 16.

static int64_t factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }

static mst_fraction reduced(int64_t numerator, int64_t denominator) {
    int64_t a = llabs(numerator), b = denominator;
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return (mst_fraction){numerator / a, denominator / a};
}

// (-1)^(k+1) p!^2 / (k (p - k)! (p + k)!), and for the second derivative 2 / k times that.
static mst_fraction between_nodes(int p, int k, bool second) {
    int64_t top = factorial(p) * factorial(p) * (second ? 2 : 1);
    return reduced(k % 2 ? top : -top, (second ? k * k : k) * factorial(p - k) * factorial(p + k));
}

// -2 (1 + 1/4 + .. + 1/p^2): a constant has no second derivative.
static mst_fraction at_middle(int p) {
    const int64_t common = (int64_t)840 * 840; // 840 is a multiple of 1 .. 8
    int64_t sum = 0;
    for (int k = 1; k <= p; k++)
        sum += common / (k * k);
    return reduced(-2 * sum, common);
}

// (-1)^(k+1) (1 3 5 .. 2p-1)^2 / (2^(2p-2) (2k - 1)^2 (p - k)! (p + k - 1)!)
static mst_fraction staggered(int p, int k) {
    int64_t odd = 1;
    for (int i = 3; i < 2 * p; i += 2)
        odd *= i;
    int64_t bottom = ((int64_t)1 << (2 * p - 2)) * (2 * k - 1) * (2 * k - 1) * factorial(p - k) * factorial(p + k - 1);
    return reduced(k % 2 ? odd * odd : -odd * odd, bottom);
}

mst_fraction mst_difference_coefficient(mst_difference_kind kind, int order, int k) {
    const int p = order / 2;
    if (kind == MST_DIFFERENCE_MINUS || kind == MST_DIFFERENCE_PLUS)
        return staggered(p, k);
    return k == 0 ? at_middle(p) : between_nodes(p, k, kind == MST_DIFFERENCE_SECOND);
}

// ---- Differences of expressions

static unsigned along(mst_expr *expr, const mst_expr_scheme *scheme, int axis, int offset, unsigned node) {
    int offsets[MST_EXPR_MAX_AXES] = {0};
    offsets[scheme->n_axes - 1 - axis] = offset;
    return mst_expr_add_shifted(expr, scheme, node, offsets);
}

static unsigned add_two(mst_expr *expr, mst_expr_operation operation, unsigned a, unsigned b) {
    return mst_expr_add(expr, operation, (unsigned[]){a, b}, 2);
}

static unsigned times(mst_expr *expr, mst_fraction factor, unsigned node) {
    if (factor.numerator == 1 && factor.denominator == 1)
        return node;
    return add_two(expr, MST_EXPR_MULTIPLY, mst_expr_add_number(expr, (double)factor.numerator / (double)factor.denominator),
                   node);
}

unsigned mst_expr_add_difference(mst_expr *expr, const mst_expr_scheme *scheme, mst_difference_kind kind, int axis, int order,
                                 unsigned node) {
    const bool second = kind == MST_DIFFERENCE_SECOND;
    const int up = kind == MST_DIFFERENCE_MINUS ? -1 : 0, down = kind == MST_DIFFERENCE_PLUS ? 1 : 0;
    unsigned sum = 0;
    for (int k = order / 2; k > 0; k--) {
        unsigned upper = along(expr, scheme, axis, k + up, node), lower = along(expr, scheme, axis, down - k, node);
        unsigned pair = second ? add_two(expr, MST_EXPR_ADD, lower, upper) : add_two(expr, MST_EXPR_SUBTRACT, upper, lower);
        unsigned term = times(expr, mst_difference_coefficient(kind, order, k), pair);
        sum = k == order / 2 ? term : add_two(expr, MST_EXPR_ADD, sum, term);
    }
    if (second)
        sum = add_two(expr, MST_EXPR_ADD, sum, times(expr, mst_difference_coefficient(kind, order, 0), node));
    unsigned step = mst_expr_add_number(expr, scheme->spacings[axis]);
    return add_two(expr, MST_EXPR_DIVIDE, sum, second ? mst_expr_add_power(expr, step, mst_expr_add_number(expr, 2)) : step);
}
