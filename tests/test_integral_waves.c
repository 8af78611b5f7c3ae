// Integrals to infinity of integrands that oscillate for ever: closed forms with numbers drawn at random, what has no integral,
// and ranges of every kind. Thousands more are drawn by the campaign of false claims (tests/campaign/claims/waves.c).
#include "support_integral.h"

#include <math.h>

enum { EACH = 40, MOST_PARAMETERS = 3 };

static const long double pi = 3.14159265358979323846264338327950288L;

static double between(double low, double high) { return low + (high - low) * (0.5 + 0.5 * test_uniform()); }

static long double powers(double *p) { // x^(s - 1) cos(w x)
    p[0] = between(0.1, 0.85);
    p[1] = exp(between(-5, 5));
    return tgammal((long double)p[0]) * cosl(pi * (long double)p[0] / 2) * powl((long double)p[1], -(long double)p[0]);
}

static long double sinc(double *p) { // sin(w x) / x
    p[0] = exp(between(-5, 5));
    return pi / 2;
}

static long double poles(double *p) { // x sin(w x) / (x^2 + b^2)
    p[0] = exp(between(-2, 2));
    p[1] = exp(between(-2, 1)) / p[0];
    return pi / 2 * expl(-(long double)p[0] * (long double)p[1]);
}

static long double chirps(double *p) { // cos(w x^s)
    p[0] = between(1.3, 3);
    p[1] = exp(between(-2, 2));
    return tgammal(1 + 1 / (long double)p[0]) * cosl(pi / (2 * (long double)p[0])) *
           powl((long double)p[1], -1 / (long double)p[0]);
}

static long double bessel(double *p) { // j0(w x)
    p[0] = exp(between(-2, 2));
    return 1 / (long double)p[0];
}

static long double damped(double *p) { // exp(-a x) cos(w x)
    p[0] = between(0.1, 1);
    p[1] = between(1, 10);
    long double a = (long double)p[0], w = (long double)p[1];
    return a / (a * a + w * w);
}

static const struct {
    const char *integrand, *from, *to, *names[MOST_PARAMETERS];
    long double (*draw)(double *p);
    double sides; // the integral is so many times what draw says
} cases[] = {{"x^(s - 1)*cos(w*x)", "0", "inf", {"s", "w"}, powers, 1},
             {"x^(s - 1)*cos(w*x)", "inf", "0", {"s", "w"}, powers, -1},
             {"(-x)^(s - 1)*cos(w*x)", "-inf", "0", {"s", "w"}, powers, 1},
             {"(-x)^(s - 1)*cos(w*x)", "0", "-inf", {"s", "w"}, powers, -1},
             {"sin(w*x)/x", "0", "inf", {"w"}, sinc, 1},
             {"sin(w*x)/x", "-inf", "inf", {"w"}, sinc, 2},
             {"sin(w*x)/x", "inf", "-inf", {"w"}, sinc, -2},
             {"x*sin(w*x)/(x^2 + b^2)", "0", "inf", {"b", "w"}, poles, 1},
             {"cos(w*x^s)", "0", "inf", {"s", "w"}, chirps, 1},
             {"j0(w*x)", "0", "inf", {"w"}, bessel, 1},
             {"exp(-a*(x - 3))*cos(w*(x - 3))", "3", "inf", {"a", "w"}, damped, 1}};
enum { N_CASES = sizeof cases / sizeof cases[0] };

static int count_names(size_t c) {
    int n = 0;
    while (n < MOST_PARAMETERS && cases[c].names[n])
        n++;
    return n;
}

static void closed_forms(void **state) {
    for (size_t c = 0; c < N_CASES; c++) {
        const mst_integral_range range = {"x", cases[c].from, cases[c].to};
        const int n = count_names(c);
        mst_integral_desc d = test_integral_desc(cases[c].integrand, &range, n, cases[c].names);
        mst_integral_result r[EACH];
        double p[EACH * MOST_PARAMETERS];
        long double truth[EACH];
        size_t converged = 0;
        for (int i = 0; i < EACH; i++)
            truth[i] = (long double)cases[c].sides * cases[c].draw(&p[i * n]);
        d.rule = MST_INTEGRAL_OSCILLATORY;
        d.relative_tolerance = 1e-9;
        test_integral_run(*state, &d, p, EACH, r);
        for (int i = 0; i < EACH; i++) {
            CHECK(fabsl((long double)r[i].value - truth[i]) <= (long double)r[i].error, "%s, %g %g: %.17g +- %g, not %.17Lg",
                  d.integrand, p[i * n], n > 1 ? p[i * n + 1] : 0, r[i].value, r[i].error, truth[i]);
            converged += r[i].status == MST_INTEGRAL_CONVERGED;
        }
        CHECK(converged >= EACH * 9 / 10, "%s: %zu of %d have converged", d.integrand, converged, EACH);
    }
}

// Abel's sums, an envelope that keeps a part, two waves that beat: none has a value that is claimed.
static void no_integral(void **state) {
    static const char *const integrands[] = {
        "cos(a*x)",         "x*sin(a*x)",      "(1 + 1/(1 + x))*cos(a*x)", "(1 + 2*(1 + x)^-0.2)*cos(a*x)",
        "tan(a*x)/(1 + x)", "sqrt(x)*cos(a*x)"};
    static const char *const names[] = {"a"};
    const mst_integral_range range = {"x", "0", "inf"};
    for (size_t k = 0; k < sizeof integrands / sizeof *integrands; k++) {
        mst_integral_desc d = test_integral_desc(integrands[k], &range, 1, names);
        mst_integral_result r[3];
        const double p[] = {0.5, 1, 7};
        d.rule = MST_INTEGRAL_OSCILLATORY;
        d.relative_tolerance = 1e-3;
        d.max_evaluations = 1 << 18;
        test_integral_run(*state, &d, p, 3, r);
        for (int i = 0; i < 3; i++)
            CHECK(r[i].status != MST_INTEGRAL_CONVERGED, "%s, %g: %g +- %g", integrands[k], p[i], r[i].value, r[i].error);
    }
}

// Without zeros the adaptive rule takes the range, with its results.
static void no_zeros(void **state) {
    const mst_integral_range range = {"x", "1", "inf"};
    mst_integral_desc d = test_integral_desc("exp(-x)/x", &range, 0, NULL);
    mst_integral_result r[2];
    test_integral_run(*state, &d, NULL, 1, &r[0]);
    d.rule = MST_INTEGRAL_OSCILLATORY;
    test_integral_run(*state, &d, NULL, 1, &r[1]);
    assert_true(r[0].value == r[1].value && r[0].error == r[1].error && r[1].status == MST_INTEGRAL_CONVERGED);
    assert_true(r[1].evaluations > r[0].evaluations); // it was looked for
}

// Many sets are taken in parts, and know nothing of one another; float32 has its own tolerance.
static void many_sets(void **state) {
    enum { MANY = 1100 };
    static const char *const names[] = {"w", "next0"};
    static double p[2 * MANY];
    static mst_integral_result all[MANY], one;
    const mst_integral_range range = {"zero0", "0", "inf"};
    mst_integral_desc d = test_integral_desc("sin(w*zero0)/zero0 + 0*next0", &range, 2, names);
    d.rule = MST_INTEGRAL_OSCILLATORY;
    for (int i = 0; i < 2 * MANY; i++)
        p[i] = 1 + 0.01 * i;
    test_integral_run(*state, &d, p, MANY, all);
    for (int i = 0; i < MANY; i += 137) {
        test_integral_run(*state, &d, &p[2 * i], 1, &one);
        assert_memory_equal(&one.value, &all[i].value, sizeof one.value);
        assert_true(one.status == MST_INTEGRAL_CONVERGED && fabs(one.value - acos(-1) / 2) <= one.error);
    }
    d.type = MST_FLOAT32;
    d.relative_tolerance = 1e-4;
    test_integral_run(*state, &d, p, 1, &one);
    assert_true(one.status == MST_INTEGRAL_CONVERGED && fabs(one.value - acos(-1) / 2) <= one.error);
}

static void refusals(void **state) {
    const mst_integral_range finite[] = {{"x", "0", "1"}, {"y", "0", "inf"}};
    mst_integral_desc d = test_integral_desc("cos(x)", finite, 0, NULL);
    mst_integral *plan;
    mst_error e;
    d.rule = MST_INTEGRAL_OSCILLATORY;
    REFUSED(MST_ERROR_ARGUMENT, "is for ranges to infinity; use adaptive", mst_integral_create(*state, &d, &plan, &e));
    d.n_variables = 2;
    REFUSED(MST_ERROR_ARGUMENT, "is for one variable", mst_integral_create(*state, &d, &plan, &e));
    d.n_variables = 1;
    d.ranges = &finite[1];
    d.integrand = "cos(y)/y";
    d.points = 100;
    REFUSED(MST_ERROR_ARGUMENT, "not for oscillatory", mst_integral_create(*state, &d, &plan, &e));
    d.points = 0;
    d.rule = (mst_integral_rule)8;
    REFUSED(MST_ERROR_ARGUMENT, "no rule 8", mst_integral_create(*state, &d, &plan, &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms), cmocka_unit_test(no_integral), cmocka_unit_test(no_zeros),
                                       cmocka_unit_test(many_sets), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
