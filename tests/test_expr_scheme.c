// What expressions of schemes know besides: definitions, offsets behind parentheses, operators. Each is held against the same
// thing written out by hand, and operators against exact derivatives.
#include "support.h"

#include "expr/difference.h"

#include <math.h>

static const mst_expr_symbol symbols[] = {{"u", 2, 2}, {"k", 2, 1},  {"x", 0, 0},  {"y", 0, 0},
                                          {"t", 0, 0}, {"dx", 0, 0}, {"dy", 0, 0}, {"a", 0, 0}};
enum { U, K, X, Y, T, N_SYMBOLS = sizeof symbols / sizeof symbols[0] };
static const double dx = 0.3, dy = 0.7, a = 6;
static const double *const numbers[N_SYMBOLS] = {NULL, NULL, NULL, NULL, NULL, &dx, &dy, &a};
static const mst_expr_definition definitions[] = {
    {"second(f)", "f[0,-1] - 2*f + f[0,1]"},
    {"lap(f, c)", "c*(second(f) + dyy(f))"},
    {"dt(f)", "f - f.prev"},
    {"spread", "u[0,1] - u"},
    {"order", "a - 2"},
    {" wide ( u , n ) ", "dx(u, n) + spread"},
    {"twice(f)", "second(second(f))"},
    {"fourth(f)", "twice(twice(f))"},
};

static mst_expr_scheme scheme_of(void) {
    return (mst_expr_scheme){.numbers = numbers,
                             .n_axes = 2,
                             .coordinates = {X, Y},
                             .spacings = {dx, dy},
                             .definitions = definitions,
                             .n_definitions = sizeof definitions / sizeof definitions[0]};
}

static mst_expr *parsed(const char *text) {
    const mst_expr_scheme scheme = scheme_of();
    mst_error e;
    mst_expr *expr;
    CHECK(mst_expr_parse_scheme(text, "f", symbols, N_SYMBOLS, &scheme, &expr, &e) == MST_OK, "%s: %s", text, e.message);
    return expr;
}

// The same operations in the same order: as kernels are written, so in every bit.
static void test_same_as_by_hand(void **state) {
    static const char *const table[][2] = {
        {"(k*u)[0,1]", "k[0,1]*u[0,1]"},
        {"(k*u)[1,-2] + u", "k[1,-2]*u[1,-2] + u"},
        {"((u[0,1] - u)[-1,0] + a)[2,1]", "u[1,2] - u[1,1] + a"},
        {"(x*y*t)[2,-3]", "(x + -3*dx)*(y + 2*dy)*t"},
        {"((x)[0,1])[0,1]", "x + 2*dx"},
        {"((x*u)[0,1])[0,-1]", "x*u"},
        {"(u > k ? u : 2)[0,1]", "u[0,1] > k[0,1] ? u[0,1] : 2"},
        {"(u.prev)[1,1]", "u.prev[1,1]"},
        {"(a)[0,1]", "a"},
        {"second(u)", "u[0,-1] - 2*u + u[0,1]"},
        {"second(u[1,1])", "u[1,0] - 2*u[1,1] + u[1,2]"},
        {"second(k*u)", "k[0,-1]*u[0,-1] - 2*(k*u) + k[0,1]*u[0,1]"},
        {"second(2)", "0"},
        {"second(u)[1,0]", "u[1,-1] - 2*u[1,0] + u[1,1]"},
        {"lap(u, k)", "k*(u[0,-1] - 2*u + u[0,1] + (u[-1,0] + u[1,0] + -2*u)/dy^2)"},
        {"lap(u, a/2)", "a/2*(u[0,-1] - 2*u + u[0,1] + (u[-1,0] + u[1,0] + -2*u)/dy^2)"},
        {"dt(u)", "u - u.prev"},
        {"dt(u[0,1])", "u[0,1] - u.prev[0,1]"},
        {"spread", "u[0,1] - u"},
        {"-spread^2", "-(u[0,1] - u)^2"},
        {"spread[1,0]/dx", "(u[1,1] - u[1,0])/dx"},
        {"wide(k, 4)", "(1/-12*(k[0,2] - k[0,-2]) + 2/3*(k[0,1] - k[0,-1]))/dx + (u[0,1] - u)"},
        {"twice(u)", "u[0,-2] - 2*u[0,-1] + u - 2*(u[0,-1] - 2*u + u[0,1]) + (u - 2*u[0,1] + u[0,2])"},
        {"dx(u)", "0.5*(u[0,1] - u[0,-1])/dx"},
        {"dy(u, 2)", "0.5*(u[1,0] - u[-1,0])/dy"},
        {"dx(u, order)", "(1/-12*(u[0,2] - u[0,-2]) + 2/3*(u[0,1] - u[0,-1]))/dx"},
        {"dx(k*u)", "0.5*(k[0,1]*u[0,1] - k[0,-1]*u[0,-1])/dx"},
        {"dxx(u)", "(u[0,-1] + u[0,1] + -2*u)/dx^2"},
        {"dyy(u, 4)", "(1/-12*(u[-2,0] + u[2,0]) + 4/3*(u[-1,0] + u[1,0]) + -5/2*u)/dy^2"},
        {"dx_minus(u)", "(u - u[0,-1])/dx"},
        {"dy_plus(u)", "(u[1,0] - u)/dy"},
        {"dx_plus(u, 4)", "(1/-24*(u[0,2] - u[0,-1]) + 9/8*(u[0,1] - u))/dx"},
        {"dx_minus(u, 4)", "(1/-24*(u[0,1] - u[0,-2]) + 9/8*(u - u[0,-1]))/dx"},
        {"laplace(u)", "(u[0,-1] + u[0,1] + -2*u)/dx^2 + (u[-1,0] + u[1,0] + -2*u)/dy^2"},
        {"dx_minus(k*dx_plus(u))", "(k*((u[0,1] - u)/dx) - k[0,-1]*((u - u[0,-1])/dx))/dx"},
        {"dx(dy(u))", "0.5*(0.5*(u[1,1] - u[-1,1])/dy - 0.5*(u[1,-1] - u[-1,-1])/dy)/dx"},
        {"dx(u)[1,0]*dx", "0.5*(u[1,1] - u[1,-1])/dx*dx"},
        {"dx(x^2)", "0.5*((x + dx)^2 - (x + -1*dx)^2)/dx"},
        {"dx_plus(t)", "(t - t)/dx"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mst_text written[2] = {{0}, {0}};
        for (int side = 0; side < 2; side++) {
            mst_expr *expr = parsed(table[i][side]);
            const char *leaves[64];
            char names[64][40];
            for (size_t k = 0; k < mst_expr_n_leaves(expr); k++) {
                const mst_expr_leaf *leaf = &mst_expr_leaves(expr)[k];
                snprintf(names[k], sizeof names[k], "%s%d[%d,%d]", symbols[leaf->symbol].name, leaf->level, leaf->offsets[0],
                         leaf->offsets[1]);
                leaves[k] = names[k];
            }
            mst_expr_write(expr, NULL, true, 1, leaves, "value", &written[side]);
            mst_expr_destroy(expr);
        }
        CHECK(strcmp(written[0].text, written[1].text) == 0, "%s is\n%s\nand not %s\n%s", table[i][0], written[0].text,
              table[i][1], written[1].text);
        mst_text_release(&written[0]);
        mst_text_release(&written[1]);
    }
}

// Each neighbour once, and nothing that is not needed.
static void test_leaves(void **state) {
    static const struct {
        const char *text;
        size_t n;
    } table[] = {{"dx(u)", 2},
                 {"laplace(u, 8)", 17},
                 {"laplace(u, 16)", 33},
                 {"laplace(u, 8) + u - dxx(u, 8)", 17},
                 {"fourth(u)", 9},
                 {"laplace(laplace(u))", 13},
                 {"dx_minus(u, 8) + dx_plus(u, 8)", 9},
                 {"dx(dy(u, 8), 8)", 64},
                 {"(u[0,1] - u)[0,0]*0 + 1", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mst_expr *expr = parsed(table[i].text);
        CHECK(mst_expr_n_leaves(expr) == table[i].n, "%s reads %zu values, not %zu", table[i].text, mst_expr_n_leaves(expr),
              table[i].n);
        mst_expr_destroy(expr);
    }
}

// ---- Derivatives

typedef double (*function)(double x, double y, const void *how);

// The value of an expression of u alone at (x, y), where u is a function sampled at nodes that far apart.
static double value_at(const mst_expr *expr, double x, double y, double h, function u, const void *how) {
    double values[1100];
    for (size_t i = 0; i < mst_expr_n_leaves(expr); i++) {
        const mst_expr_leaf *leaf = &mst_expr_leaves(expr)[i];
        assert_int_equal(leaf->symbol, U);
        values[i] = u(x + h * leaf->offsets[1], y + h * leaf->offsets[0], how);
    }
    return mst_expr_evaluate(expr, values);
}

static const struct {
    const char *name;
    mst_difference_kind kind;
    int axis;     // 0: x, 1: y, 2: both
    double shift; // of the place along it, in spacings
} operators[] = {
    {"dx", MST_DIFFERENCE_FIRST, 0, 0},          {"dy", MST_DIFFERENCE_FIRST, 1, 0},
    {"dxx", MST_DIFFERENCE_SECOND, 0, 0},        {"dyy", MST_DIFFERENCE_SECOND, 1, 0},
    {"dx_minus", MST_DIFFERENCE_MINUS, 0, -0.5}, {"dy_minus", MST_DIFFERENCE_MINUS, 1, -0.5},
    {"dx_plus", MST_DIFFERENCE_PLUS, 0, 0.5},    {"dy_plus", MST_DIFFERENCE_PLUS, 1, 0.5},
    {"laplace", MST_DIFFERENCE_SECOND, 2, 0},
};
enum { N_OPERATORS = sizeof operators / sizeof operators[0] };

static mst_expr *operator_of(size_t k, int order, double h) {
    mst_expr_scheme scheme = scheme_of();
    const double *own[N_SYMBOLS];
    char text[40];
    mst_error e;
    mst_expr *expr;
    memcpy(own, numbers, sizeof own);
    scheme.numbers = own;
    scheme.spacings[0] = scheme.spacings[1] = h;
    snprintf(text, sizeof text, "%s(u, %d)", operators[k].name, order);
    OK(mst_expr_parse_scheme(text, "f", symbols, N_SYMBOLS, &scheme, &expr, &e));
    return expr;
}

// ((z - 1/4)/4)^n along one axis, which is of the size of 1 over all that an operator reads; `n` is of x, then of y.
static double power(double x, double y, const void *how) {
    const int *n = how;
    return pow((x - 0.25) / 4, n[0]) * pow((y - 0.25) / 4, n[1]);
}

// The derivative of ((z - 1/4)/4)^n.
static double power_derivative(double z, int n, int times) {
    double factor = 1;
    for (int i = 0; i < times; i++)
        factor *= (n - i) / 4.0;
    return n < times ? 0 : factor * pow((z - 0.25) / 4, n - times);
}

// Differences of order 2 p are exact for polynomials of degree 2 p, second ones for those of degree 2 p + 1; and no further.
static void test_polynomials(void **state) {
    (void)state;
    for (size_t k = 0; k < N_OPERATORS; k++)
        for (int order = 2; order <= MST_DIFFERENCE_MAX_ORDER; order += 2) {
            const double h = 0.5;
            mst_expr *expr = operator_of(k, order, h);
            const bool second = operators[k].kind == MST_DIFFERENCE_SECOND;
            for (int degree = 0; degree <= order + 2; degree++)
                for (int axis = 0; axis < 2; axis++) {
                    const int n[] = {axis == 0 ? degree : 0, axis == 1 ? degree : 0};
                    const double place = operators[k].shift * h, along = operators[k].axis == axis ? place : 0;
                    const double exact =
                        operators[k].axis == axis || operators[k].axis == 2 ? power_derivative(along, degree, second ? 2 : 1) : 0;
                    const double got = value_at(expr, 0, 0, h, power, n), error = fabs(got - exact);
                    const bool is_beyond = degree > order + second && operators[k].axis != !axis;
                    CHECK(is_beyond || error < 4e-14, "%s of order %d of a power %d: %.17g, not %.17g", operators[k].name, order,
                          degree, got, exact);
                    if (degree == order + 1 + second && (operators[k].axis == axis || operators[k].axis == 2))
                        CHECK(error > 1e-13, "%s of order %d is exact for a power %d, too", operators[k].name, order, degree);
                }
            mst_expr_destroy(expr);
        }
}

static double smooth(double x, double y, const void *how) {
    (void)how;
    return exp(sin(x) + sin(y + 0.3));
}

static double smooth_derivative(size_t k, double x, double y) {
    const double f = smooth(x, y, NULL), z[] = {x, y + 0.3};
    double second[2];
    for (int axis = 0; axis < 2; axis++)
        second[axis] = f * (cos(z[axis]) * cos(z[axis]) - sin(z[axis]));
    if (operators[k].kind != MST_DIFFERENCE_SECOND)
        return f * cos(z[operators[k].axis]);
    return operators[k].axis == 2 ? second[0] + second[1] : second[operators[k].axis];
}

// Halving the spacing divides the error by 2^order; at the place of a staggered difference, half a spacing beside the node.
static void test_convergence(void **state) {
    static const double spacings[] = {0, 0.02, 0.02, 0.05, 0.05, 0.05, 0.08, 0.1, 0.1}; // where errors exceed rounding
    (void)state;
    for (size_t k = 0; k < N_OPERATORS; k++)
        for (int order = 2; order <= MST_DIFFERENCE_MAX_ORDER; order += 2) {
            double errors[2] = {0, 0};
            for (int half = 0; half < 2; half++) {
                const double h = spacings[order / 2] * (half ? 1 : 2);
                mst_expr *expr = operator_of(k, order, h);
                for (double x = 0.2; x < 1; x += 0.1) {
                    const double shift = operators[k].shift * h;
                    const double y = x - 0.3,
                                 at[] = {x + (operators[k].axis == 0 ? shift : 0), y + (operators[k].axis == 1 ? shift : 0)};
                    const double error = value_at(expr, x, y, h, smooth, NULL) - smooth_derivative(k, at[0], at[1]);
                    errors[half] += error * error;
                }
                mst_expr_destroy(expr);
            }
            const double measured = log2(errors[0] / errors[1]) / 2;
            CHECK(fabs(measured - order) < 0.09 * order + 0.1, "%s of order %d converges by order %.3f", operators[k].name, order,
                  measured);
        }
}

// Published fractions (Fornberg 1988, tables 1 and 2), and sums that hold for all: of k c = 1/2 or 1, of k^2 c = 1.
static void test_coefficients(void **state) {
    static const struct {
        mst_difference_kind kind;
        int order, k;
        int64_t numerator, denominator;
    } table[] = {
        {MST_DIFFERENCE_FIRST, 8, 1, 4, 5},         {MST_DIFFERENCE_FIRST, 8, 2, -1, 5},
        {MST_DIFFERENCE_FIRST, 8, 3, 4, 105},       {MST_DIFFERENCE_FIRST, 8, 4, -1, 280},
        {MST_DIFFERENCE_SECOND, 8, 0, -205, 72},    {MST_DIFFERENCE_SECOND, 8, 1, 8, 5},
        {MST_DIFFERENCE_SECOND, 8, 2, -1, 5},       {MST_DIFFERENCE_SECOND, 8, 3, 8, 315},
        {MST_DIFFERENCE_SECOND, 8, 4, -1, 560},     {MST_DIFFERENCE_PLUS, 8, 1, 1225, 1024},
        {MST_DIFFERENCE_PLUS, 8, 2, -245, 3072},    {MST_DIFFERENCE_PLUS, 8, 3, 49, 5120},
        {MST_DIFFERENCE_PLUS, 8, 4, -5, 7168},      {MST_DIFFERENCE_MINUS, 6, 3, 3, 640},
        {MST_DIFFERENCE_MINUS, 6, 2, -25, 384},     {MST_DIFFERENCE_MINUS, 6, 1, 75, 64},
        {MST_DIFFERENCE_SECOND, 16, 8, -1, 411840}, {MST_DIFFERENCE_FIRST, 16, 8, -1, 102960},
    };
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mst_fraction f = mst_difference_coefficient(table[i].kind, table[i].order, table[i].k);
        CHECK(f.numerator == table[i].numerator && f.denominator == table[i].denominator, "coefficient %zu is %lld/%lld", i,
              (long long)f.numerator, (long long)f.denominator);
    }
    for (int kind = MST_DIFFERENCE_FIRST; kind <= MST_DIFFERENCE_PLUS; kind++)
        for (int order = 2; order <= MST_DIFFERENCE_MAX_ORDER; order += 2) {
            double sum = 0;
            for (int k = kind == MST_DIFFERENCE_SECOND ? 0 : 1; k <= order / 2; k++) {
                mst_fraction f = mst_difference_coefficient((mst_difference_kind)kind, order, k);
                assert_true(llabs(f.numerator) < (int64_t)1 << 53 &&
                            f.denominator < (int64_t)1 << 53); // so the quotient is rounded once
                double c = (double)f.numerator / (double)f.denominator;
                sum += c * (kind == MST_DIFFERENCE_FIRST ? 2 * k : kind == MST_DIFFERENCE_SECOND ? k * k : 2 * k - 1);
            }
            assert_true(fabs(sum - 1) < 1e-14);
        }
}

// ---- Refusals

static void test_refusals(void **state) {
    static const struct {
        const char *text, *message;
    } table[] = {
        {"second()", "f, column 8: expected a number"},
        {"second(u, u)", "f, column 9: expected ')': second(f) takes 1 argument"},
        {"lap(u)", "f, column 6: expected ',': lap(f, c) takes 2 arguments"},
        {"lap(u, 1, 2)", "f, column 9: expected ')': lap(f, c) takes 2 arguments"},
        {"lap + 1", "f, column 5: expected '(': lap(f, c) takes 2 arguments"},
        {"spread(u)", "f, column 7: expected an operator: spread has no arguments"},
        {"lap(u, 1", "f, column 9: expected ')'"},
        {"dt(k)", "the definition of dt, column 7: f has no value of the step before"},
        {"dt(2*u)", "the definition of dt, column 7: f has no value of the step before"},
        {"dt(u.prev)", "the definition of dt, column 7: f has no value of the step before"},
        {"secnd(u)", "f, column 1: 'secnd' is not known; did you mean 'second'?"},
        {"laplce(u)", "f, column 1: 'laplce' is not known; did you mean 'laplace'?"},
        {"laplace + 1", "f, column 9: expected '(' after the name of an operator"},
        {"dx(u, 3)", "f, column 7: expected the order of dx, an even number from 2 to 16"},
        {"dx(u, 18)", "f, column 7: expected the order of dx, an even number from 2 to 16"},
        {"dx(u, 0)", "f, column 7: expected the order"},
        {"dx(u, 2.5)", "f, column 7: expected the order"},
        {"dx(u, u)", "f, column 7: expected the order"},
        {"dx(u, 2, 3)", "f, column 8: expected ')': dx takes an expression and, if it is not 2, an order, as in dx(u, 4)"},
        {"dz(u)", "f, column 1: dz needs a grid of 3 axes; this one has 2"},
        {"dxx_plus(u)", "f, column 1: 'dxx_plus' is not known; did you mean 'dx_plus'?"},
        {"(u)[1]", "f, column 6: expected ',': (..) has 2 axes, as in (..)[0,0]"},
        {"(u)[0,0][0,0]", "f, column 9: expected an operator"},
        {"a[0,1]", "f, column 2: expected an operator: a is a number"},
        {"x[0,1]", "f, column 2: expected an operator: x is a number"},
        {"sin[0,1](u)", "f, column 4: expected '(' after the name of a function"},
    };
    static const struct {
        const char *head, *text, *message;
    } wrong[] = {
        {"", "1", "'' is no name"},
        {"2a", "1", "'2a' is no name"},
        {"f(", "1", "'f(' is no name with arguments"},
        {"f()", "1", "'f()' is no name with arguments"},
        {"f(a b)", "1", "'f(a b)' is no name with arguments"},
        {"f(b) c", "1", "'f(b) c' has something behind its arguments"},
        {"f(b, c, b)", "1", "'f(b, c, b)' has the argument b twice"},
        {"f(f)", "1", "'f(f)' has its own name as an argument"},
        {"f(a,b,c,d,e,g,h,i,j)", "1", "has more than 8 arguments"},
        {"f(sin)", "1", "the argument 'sin' is a function"},
        {"sin(b)", "1", "'sin' is a function; choose another name"},
        {"u(b)", "1", "'u' has a meaning already"},
        {"dx(b)", "1", "'dx' has a meaning already"},
        {"lap", "1", "'lap' is defined twice"},
        {"f(b)", "b + f(b)", "the definition of f, column 5: 'f' cannot be used here"},
        {"f(b)", "later(b)", "the definition of f, column 1: 'later' cannot be used here"},
        {"f(b)", "b[0]", "the definition of f, column 4: expected ','"},
        {"f(b)", "b(0)", "the definition of f, column 2: expected an operator: b is an argument"},
        {"f(b)", "b c", "the definition of f, column 3: expected an operator; a product is written x*y"},
        {"f(b)", "dt(2*b)", "the definition of dt, column 7: f has no value of the step before"},
        {"f(b)", "dx(b, 3)", "the definition of f, column 7: expected the order"},
    };
    mst_expr_definition all[sizeof definitions / sizeof definitions[0] + 2];
    mst_expr_scheme scheme = scheme_of();
    mst_error e;
    mst_expr *expr;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        REFUSED(MST_ERROR_ARGUMENT, table[i].message,
                mst_expr_parse_scheme(table[i].text, "f", symbols, N_SYMBOLS, &scheme, &expr, &e));
    for (size_t k = 0; k < scheme.n_definitions; k++)
        OK(mst_expr_check_definition(symbols, N_SYMBOLS, &scheme, k, &e));
    memcpy(all, definitions, sizeof definitions);
    const size_t last = scheme.n_definitions;
    scheme.definitions = all;
    scheme.n_definitions += 2;
    all[last + 1] = (mst_expr_definition){"later(b)", "b"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        all[last] = (mst_expr_definition){wrong[i].head, wrong[i].text};
        REFUSED(MST_ERROR_ARGUMENT, wrong[i].message, mst_expr_check_definition(symbols, N_SYMBOLS, &scheme, last, &e));
    }
    all[last] = (mst_expr_definition){"free(f, n)", "dx(f, n) + dx(f, 2*n + 2) + f.prev + dt(f)"}; // what calls decide
    OK(mst_expr_check_definition(symbols, N_SYMBOLS, &scheme, last, &e));
    REFUSED(MST_ERROR_ARGUMENT, "expected an operator",
            mst_expr_parse("(alpha)[0,1]", "f", &(mst_expr_symbol){"alpha", 0, 0}, 1, &expr, &e));
    REFUSED(MST_ERROR_ARGUMENT, "'laplace' is not known", mst_expr_parse("laplace(2)", "f", NULL, 0, &expr, &e));
}

// Definitions that double what they stand for take neither time nor room, as equal parts are one; others end at a limit.
static void test_doubling(void **state) {
    enum { N = 60 };
    char heads[N][20], texts[N][80];
    mst_expr_definition all[N];
    mst_expr_scheme scheme = scheme_of();
    mst_error e;
    mst_expr *expr;
    (void)state;
    for (int distinct = 0; distinct < 2; distinct++) {
        for (int i = 0; i < N; i++) {
            snprintf(heads[i], sizeof heads[i], "d%d(f)", i);
            if (i == 0)
                snprintf(texts[i], sizeof texts[i], "f");
            else
                snprintf(texts[i], sizeof texts[i], distinct ? "d%d(f) + d%d(f*f + %d)" : "d%d(f)*d%d(f)", i - 1, i - 1, i);
            all[i] = (mst_expr_definition){heads[i], texts[i]};
        }
        scheme.definitions = all;
        scheme.n_definitions = N;
        if (distinct) {
            REFUSED(MST_ERROR_ARGUMENT, "too", mst_expr_parse_scheme("d59(u)", "f", symbols, N_SYMBOLS, &scheme, &expr, &e));
            continue;
        }
        OK(mst_expr_parse_scheme("d59(u)", "f", symbols, N_SYMBOLS, &scheme, &expr, &e));
        const double one = 1;
        assert_true(mst_expr_evaluate(expr, &one) == 1);
        mst_expr_destroy(expr);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_by_hand), cmocka_unit_test(test_leaves),      cmocka_unit_test(test_coefficients),
        cmocka_unit_test(test_polynomials),     cmocka_unit_test(test_convergence), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_doubling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
