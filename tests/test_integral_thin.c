// Comparisons and steps that all nodes see one side of: what is thinner than nodes are apart is found, or the integral is not
// claimed.
// Long: forty functions, and both shapes of what is thin.
#include "support_integral.h"

#include "expr/expr.h"

#include <math.h>

// Where a function comes to a value within 1e-7, for every function whose bounds are known: a step that is far narrower than
// nodes are apart is found, or not claimed to be nowhere. The reference is the slope of the function, on the host.
static void test_narrow_steps(void **state) {
    enum { SETS_A_FUNCTION = 8 };
    static const char *const functions[] = {"x",
                                            "x^2",
                                            "x^3",
                                            "1/(x + 0.1)",
                                            "-x/(x - 1.2)",
                                            "sqrt(x)",
                                            "cbrt(x)",
                                            "exp(x)",
                                            "exp2(x)",
                                            "expm1(x)",
                                            "log(x)",
                                            "log2(x)",
                                            "log10(x)",
                                            "log1p(x)",
                                            "sin(5*x)",
                                            "cos(7*x)",
                                            "tan(x)",
                                            "asin(x)",
                                            "acos(x)",
                                            "atan(3*x)",
                                            "sinh(x)",
                                            "cosh(x)",
                                            "tanh(x)",
                                            "asinh(x)",
                                            "acosh(1+x)",
                                            "atanh(x)",
                                            "erf(x)",
                                            "erfc(x)",
                                            "atan2(x, 0.5)",
                                            "atan2(0.5, x-0.5)",
                                            "hypot(x,1)",
                                            "pow(x, 1.7)",
                                            "pow(1.5, x)",
                                            "max(x, x^2)",
                                            "min(x, 2*x - 0.9)",
                                            "mod(3*x, 1)",
                                            "abs(x-0.4)",
                                            "3*x - floor(3*x)",
                                            "ceil(3*x) - 3*x",
                                            "x - round(x)",
                                            "copysign(x, 1)",
                                            "2*x - trunc(2*x)"};
    static const char *const names[] = {"c", "w", "b"};
    static const mst_integral_range range = {"x", "0", "1"};
    const mst_expr_symbol x = {.name = "x"};
    char text[200];
    double sets[SETS_A_FUNCTION][3];
    mst_integral_result r[SETS_A_FUNCTION];
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        mst_expr *function;
        mst_error e;
        double slopes[SETS_A_FUNCTION];
        OK(mst_expr_parse(functions[i], "function", &x, 1, &function, &e));
        for (int k = 0; k < SETS_A_FUNCTION; k++) {
            const double at = 0.05 + 0.9 * fabs(test_uniform()), before = at - 1e-5, after = at + 1e-5;
            sets[k][0] = mst_expr_evaluate(function, &at);
            slopes[k] = (mst_expr_evaluate(function, &after) - mst_expr_evaluate(function, &before)) / 2e-5;
            sets[k][1] = 1e-7;
            sets[k][2] = k % 2;
        }
        mst_expr_destroy(function);
        snprintf(text, sizeof text, "b*exp(x) + (abs(%s - c) < w ? 1000 : 0)", functions[i]);
        mst_integral_desc d = test_integral_desc(text, &range, 3, names);
        d.relative_tolerance = 1e-9;
        test_integral_run(*state, &d, sets[0], SETS_A_FUNCTION, r);
        for (int k = 0; k < SETS_A_FUNCTION; k++) {
            const double least = sets[k][2] * expm1(1) + 0.999 * 2e-4 / fabs(slopes[k]); // a function may come there twice
            CHECK(r[k].status != MST_INTEGRAL_CONVERGED || r[k].value >= least,
                  "%s to %.17g: %.9g +- %g, should be %g or more; %llu", functions[i], sets[k][0], r[k].value, r[k].error, least,
                  (unsigned long long)r[k].evaluations);
        }
    }
}

// Strips, shells and small boxes far thinner than nodes are apart, on nothing and beside what is seen: none is claimed without
// them. In both shapes.
static void test_thin(void **state) {
    static const mst_integral_range box[] = {{"x", "0", "1"}, {"y", "0", "1"}, {"z", "0", "1"}};
    static const struct {
        const char *integrand;
        int n;
        double tolerance, exact;
        bool converges;
    } cases[] = {
        {"abs(x - y - 0.137) < 1e-3 ? 1 : 0", 2, 0.1, 1.726e-3, true},
        {"1 + (abs(x - y - 0.137) < 1e-3 ? 100 : 0)", 2, 0.03, 1.1726, true},
        {"1 + (x - y > 0.13 && x - y < 0.132 ? 100 : 0)", 2, 0.03, 1.1738, true},
        {"(x - y)^2 < 1e-6 ? 3 : 2", 2, 3e-4, 2.001999, true},
        {"x*y + (x > 0.3 && x < 0.301 && y > 0.7 && y < 0.701 ? 1000 : 0)", 2, 1e-4, 0.251, true},
        {"x > 0.3 && x < 0.3001 && y > 0.7 && y < 0.7001 ? 1 : 0", 2, 1e-2, 1e-8, true},
        {"x <= 0.3 || x >= 0.301 || y <= 0.7 || y >= 0.701 || z < 0.1 || z > 0.1007 ? 1 : 100", 3, 1e-6, 1.0000000693, true},
        {"1 + (mod(x + y, 0.5) < 1e-3 ? 100 : 0)", 2, 0.03, 1.2005, true},
        {"1 + (x > 0.3141 ? 100 : 0) - (x > 0.31412 ? 100 : 0)", 1, 1e-6, 1.002, true},
        {"100*(floor(x + 0.7321) - floor(x + 0.7320))", 1, 1e-6, 0.01, true},
        {"1 + (abs(x - 0.3141) < 1e-5 ? 1e7*sqrt(1e-10 - (x - 0.3141)^2) : 0)", 1, 1e-6, 1.00157079633, true},
        {"(x - 0.3141)^4 < 1e-20 ? 1e5 : 1", 1, 1e-6, 2.99998, true},
        {"2 + max(0, 1 - abs(x - 0.123)*1e5)*1e4", 1, 1e-6, 2.1, true},
        {"mod(7*x - 3.3, 1)", 1, 1e-6, 0.2 / 7, true},
        {"(x*x - x + 0.27)*(abs(x - 0.32) - 1e-6) < 0 ? 1e5 : 1", 1, 1e-6, 1.199998, true},
        {"(x - 0.32)*(x - 0.32001) < 0 ? 1e5 : 1", 1, 1e-6, 1.99999, true},
        {"x*x - 0.64*x + 0.1024 < 1e-8 ? 1000 : 1", 1, 1e-6, 1.1998, true},
        {"max(x - 0.3001, 0.3 - x) < 0 ? 1000 : 1", 1, 1e-6, 1.0999, true},
        {"log(abs(x - 0.3)) < -14 ? 1e6 : 1", 1, 1e-6, 2.663055775150, true},
        {"1/abs(x - 0.3) > 1e6 ? 1e6 : 1", 1, 1e-6, 2.999998, true},
        {"(y - x)*(abs(y - 0.7) - 1e-3)*(y - x) < 0 ? 1000 : 1", 2, 0.03, 2.998, true},
        {"(x - 0.5)*(x - 0.501) < 0 ? 1000 : 1", 2, 0.03, 1.999, true},
        {"hypot(x - 0.31, y - 0.62) < 1e-4 ? 1e7 : 1", 2, 1e-2, 1.31415916, true},
        {"mod(7*x - 3.3, y - 2)", 2, 1e-2, 0.0449021164, true},
        {"abs((x - 0.5)^2 + (y - 0.5)^2 + (z - 0.5)^2 - 0.1) < 1e-4 ? 1 : 0", 3, 0.1, 3.9738e-4, false}};
    mst_integral_result r;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int shape = 0; shape < (cases[i].tolerance < 0.03 ? 2 : 1); shape++) {
            if (shape && test_spared(i, 4)) // these are compiled
                continue;
            mst_integral_desc d = test_integral_desc(cases[i].integrand, box, 0, NULL);
            d.n_variables = cases[i].n;
            d.relative_tolerance = cases[i].tolerance;
            d.max_evaluations = 4000000;
            d.shape = shape ? MST_INTEGRAL_SHAPE_GPU : MST_INTEGRAL_SHAPE_CPU;
            test_integral_run(*state, &d, NULL, 1, &r);
            CHECK(r.status == (cases[i].converges ? MST_INTEGRAL_CONVERGED : MST_INTEGRAL_BUDGET) &&
                      fabs(r.value - cases[i].exact) <= fmax(r.error, cases[i].tolerance * cases[i].exact),
                  "%s: %.9g +- %g, should be %.9g; %s after %llu", cases[i].integrand, r.value, r.error, cases[i].exact,
                  mst_integral_status_name(r.status), (unsigned long long)r.evaluations);
        }
}

// Where limits depend on other variables: what is compared is 0 along a limit and decided beside it, a strip beside one is found,
// and a kink that goes through axes askew is halved across, not along.
static void test_beside_limits(void **state) {
    static const struct {
        const char *integrand;
        mst_integral_range ranges[3];
        int n;
        double tolerance, exact;
    } cases[] = {{"1", {{"x", "0", "2"}, {"y", "-1", "1"}, {"z", "x - 1", "max(x - 1, 0.1 - 1.7*y)"}}, 3, 1e-5, 536.0 / 255},
                 {"1 + sin(y) + z*x^2 + (z + y > 0 ? 1 : 0)",
                  {{"x", "0", "2"}, {"y", "x - 1", "x + 1"}, {"z", "max(x - 1, -y)", "x + 1"}},
                  3,
                  1e-6,
                  35.600212477417070},
                 {"1 + (y - x < 1e-3 ? 100 : 0)", {{"x", "0", "1"}, {"y", "x", "1"}}, 2, 1e-3, 0.59995},
                 {"(y - x)*(y - x - 1e-3) < 0 ? 100 : 1", {{"x", "0", "1"}, {"y", "x", "1"}}, 2, 1e-3, 0.5989505},
                 {"1 + ((y - x)*(abs(x - 0.3) - 1e-3) < 0 ? 1000 : 0)", {{"x", "0", "1"}, {"y", "x", "1"}}, 2, 1e-3, 1.9},
                 {"1 + ((y - x)*(abs(y - 0.7) - 1e-3) < 0 ? 1000 : 0)", {{"x", "0", "1"}, {"y", "x", "1"}}, 2, 0.1, 1.9},
                 {"exp(x)*(z - y < 1e-2 ? 100 : 1)*(y > x ? 1 : 2)",
                  {{"x", "0", "1"}, {"y", "x", "1"}, {"z", "y", "y + 1"}},
                  3,
                  1e-2,
                  1.4293808386334996},
                 {"1 + (y - x < (abs(x - 0.3) < 1e-3 ? 0.01 : 0) ? 1e5 : 0)", {{"x", "0", "1"}, {"y", "x", "1"}}, 2, 1e-3, 2.5}};
    mst_integral_result r;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mst_integral_desc d = test_integral_desc(cases[i].integrand, cases[i].ranges, 0, NULL);
        d.n_variables = cases[i].n;
        d.relative_tolerance = cases[i].tolerance;
        d.max_evaluations = 4000000;
        test_integral_run(*state, &d, NULL, 1, &r);
        CHECK(r.status == MST_INTEGRAL_CONVERGED &&
                  fabs(r.value - cases[i].exact) <= fmax(r.error, cases[i].tolerance * cases[i].exact),
              "%s: %.9g +- %g, should be %.9g; %s after %llu", cases[i].integrand, r.value, r.error, cases[i].exact,
              mst_integral_status_name(r.status), (unsigned long long)r.evaluations);
    }
}

// Regions of several integrals share vectors, and what is found in one of them says nothing of another.
static void test_in_company(void **state) {
    static const char *const names[] = {"a"};
    static const mst_integral_range ranges[] = {{"x", "0", "1"}, {"y", "x", "1"}};
    static const double all[] = {0.35, 0.7, 0.52, 0.11};
    enum { N = sizeof all / sizeof all[0] };
    mst_integral_result together[N], alone;
    mst_integral_desc d = test_integral_desc("1 + ((y - x)*(abs(y - a) - 1e-3) < 0 ? 1000 : 0)", ranges, 1, names);
    d.n_variables = 2;
    d.relative_tolerance = 1e-2;
    d.max_evaluations = 60000;
    test_integral_run(*state, &d, all, N, together);
    for (size_t k = 0; k < N; k++) {
        test_integral_run(*state, &d, &all[k], 1, &alone);
        CHECK(memcmp(&alone.value, &together[k].value, sizeof(double)) == 0 && alone.evaluations == together[k].evaluations,
              "a = %g: %.17g after %llu, with others %.17g after %llu", all[k], alone.value,
              (unsigned long long)alone.evaluations, together[k].value, (unsigned long long)together[k].evaluations);
    }
}

// What is true inside its own limits takes no more evaluations than they do, however it is compared, and in whatever unit.
static void test_own_limits(void **state) {
    static const mst_integral_range disc[] = {{"x", "-1", "1"}, {"y", "-sqrt(1 - x^2)", "sqrt(1 - x^2)"}};
    static const mst_integral_range large[] = {{"x", "-1e5", "1e5"}, {"y", "-sqrt(1e10 - x^2)", "sqrt(1e10 - x^2)"}};
    static const char *const integrands[] = {"x^2 + y^2 < 1 ? 1 : 0", "hypot(x, y) < 1 ? 1 : 0", "(x^2 + y^2)^0.7 < 1 ? 1 : 0",
                                             "log(x^2 + y^2) < 0 ? 1 : 0"};
    mst_integral_result r;
    for (size_t i = 0; i < 1 + sizeof integrands / sizeof integrands[0]; i++) {
        const char *integrand = i > 0 ? integrands[i - 1] : "x^2 + y^2 < 1e10 ? 1 : 0";
        const double area = i > 0 ? acos(-1) : acos(-1) * 1e10;
        mst_integral_desc d = test_integral_desc(integrand, i > 0 ? disc : large, 0, NULL);
        d.n_variables = 2;
        d.relative_tolerance = 1e-6;
        d.max_evaluations = 8000;
        test_integral_run(*state, &d, NULL, 1, &r);
        CHECK(r.status == MST_INTEGRAL_CONVERGED && fabs(r.value / area - 1) <= 1.3e-6, "%s: %.9g +- %g; %s after %llu",
              integrand, r.value, r.error, mst_integral_status_name(r.status), (unsigned long long)r.evaluations);
    }
}

// Which axis a box is halved along depends on no unit, and where the kink is one that no axis shows, on no other thing that the
// integrand does.
static void test_axes(void **state) {
    static const char *const radius = "r";
    static const mst_integral_range disc[] = {{"x", "-r", "r"}, {"y", "-1", "1"}},
                                    box[] = {{"x", "0", "1"}, {"y", "0", "1"}, {"z", "0", "1"}};
    static const double radii[] = {1, 1000};
    mst_integral_result r[2];
    mst_integral_desc d = test_integral_desc("y^2*r^2 + x^2 < r^2 ? 1 : 0", disc, 1, &radius);
    d.n_variables = 2;
    d.relative_tolerance = 1e-2;
    test_integral_run(*state, &d, radii, 2, r);
    CHECK(r[0].status == MST_INTEGRAL_CONVERGED && r[0].evaluations == r[1].evaluations, "%llu and %llu evaluations",
          (unsigned long long)r[0].evaluations, (unsigned long long)r[1].evaluations);
    d = test_integral_desc("exp(x)*max(x, y + z)", box, 0, NULL);
    d.n_variables = 3;
    d.relative_tolerance = 1e-4;
    d.max_evaluations = 100000;
    test_integral_run(*state, &d, NULL, 1, r);
    CHECK(r[0].status == MST_INTEGRAL_CONVERGED && fabs(r[0].value - 1.8121879) <= r[0].error, "%.9g +- %g; %s", r[0].value,
          r[0].error, mst_integral_status_name(r[0].status));
}

// A peak beside 0 in float32, where numbers lie far closer than in the regions about it: what ends at its edges does not reach
// into it, and what begins there ends where it is to end.
static void test_beside_zero(void **state) {
    enum { SETS = 64 };
    static const char *const names[] = {"w", "h"};
    static const mst_integral_range ranges[] = {{"x", "-1", "1"}, {"x", "1", "-1"}, {"x", "-0.3", "1"}};
    static const double lengths[] = {2, -2, 1.3};
    double sets[SETS][2];
    mst_integral_result r[SETS];
    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        mst_integral_desc d = test_integral_desc("abs(x) < w ? h : 1", &ranges[i], 2, names);
        d.type = MST_FLOAT32;
        d.relative_tolerance = 1e-4;
        for (int k = 0; k < SETS; k++) {
            sets[k][0] = (float)pow(10, -7.5 + 4 * fabs(test_uniform()));
            sets[k][1] = (float)(0.1 / sets[k][0]);
        }
        test_integral_run(*state, &d, sets[0], SETS, r);
        for (int k = 0; k < SETS; k++) {
            const double exact = lengths[i] + (lengths[i] > 0 ? 2 : -2) * sets[k][0] * (sets[k][1] - 1);
            CHECK(r[k].status != MST_INTEGRAL_CONVERGED || fabs(r[k].value - exact) <= fmax(r[k].error, 1e-4 * fabs(exact)),
                  "%g wide from %s: %.9g +- %g, should be %.9g", sets[k][0], ranges[i].from, r[k].value, r[k].error, exact);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_narrow_steps),  cmocka_unit_test(test_thin),
                                       cmocka_unit_test(test_beside_limits), cmocka_unit_test(test_in_company),
                                       cmocka_unit_test(test_own_limits),    cmocka_unit_test(test_axes),
                                       cmocka_unit_test(test_beside_zero)};
    return cmocka_run_group_tests_name("integral_thin", tests, test_setup, test_teardown);
}
