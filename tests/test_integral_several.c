// Several variables, by Genz-Malik and lattices, against closed forms: Genz's six families (1984) with random parameters, the
// fixed cases of PAGANI (Arumugam et al. 2021), boxes. Of the numbers of variables in which
// the families are tried, a run takes one in two.
// Long: programs of up to ten variables, each of which a processor compiles for a second or two; `integral` has those of two.
#include "support_integral.h"

#include <math.h>

// ---- Genz's families, with a and u of its own for every variable

enum { FAMILIES = 6, MOST_VARIABLES = 10, MOST_SETS = 3000 };

static void write_family(int n, char *text, size_t bytes) {
    char lists[5][400];
    snprintf(text, bytes,
             "f == 0 ? cos(2*pi*u0 + %s) : f == 1 ? %s : f == 2 ? (1 + %s)^(-%d) : f == 3 ? exp(-(%s)) : f == 4 ? exp(-(%s))"
             " : x0 > u0 || x1 > u1 ? 0 : exp(%s)",
             test_join(lists[0], n, "a#*x#", " + "), test_join(lists[1], n, "1/(a#^-2 + (x# - u#)^2)", "*"), lists[0], n + 1,
             test_join(lists[2], n, "a#^2*(x# - u#)^2", " + "), test_join(lists[3], n, "a#*abs(x# - u#)", " + "), lists[0]);
}

static double family_exact(int family, int n, const double *a, const double *u) {
    const double pi = acos(-1);
    double complex turned = cexp(2 * pi * u[0] * I);
    double product = 1;
    for (int i = 0; i < n; i++) {
        turned *= (cexp(a[i] * I) - 1) / (a[i] * I);
        product *= family == 1   ? a[i] * (atan(a[i] * (1 - u[i])) + atan(a[i] * u[i]))
                   : family == 3 ? sqrt(pi) / (2 * a[i]) * (erf(a[i] * (1 - u[i])) + erf(a[i] * u[i]))
                   : family == 4 ? (2 - exp(-a[i] * u[i]) - exp(-a[i] * (1 - u[i]))) / a[i]
                                 : expm1(i < 2 ? a[i] * u[i] : a[i]) / a[i];
    }
    return family == 0 ? creal(turned) : family == 2 ? (double)test_corner_peak(n, a) : product;
}

// f, then every a, then every u.
static void draw(int n, int family, double *p) {
    *p++ = family;
    for (int k = 0; k < n; k++) {
        p[k] = 0.5 + (n < 4 ? 4 : 1.5) * fabs(test_uniform());
        p[n + k] = 0.3 + 0.4 * fabs(test_uniform());
    }
}

static void check_families(mst_context *context, int n, size_t n_sets, mst_integral_shape shape) {
    static double parameters[MOST_SETS * (1 + 2 * MOST_VARIABLES)];
    static mst_integral_result r[MOST_SETS];
    mst_integral_range ranges[MOST_VARIABLES];
    char text[3000], texts[1 + 3 * MOST_VARIABLES][16] = {"f"};
    const char *names[1 + 2 * MOST_VARIABLES] = {texts[0]};
    size_t within = 0, converged = 0, row = 1 + 2 * (size_t)n;
    for (int k = 0; k < n; k++) {
        snprintf(texts[1 + k], sizeof texts[0], "a%d", k);
        snprintf(texts[1 + n + k], sizeof texts[0], "u%d", k);
        snprintf(texts[1 + 2 * n + k], sizeof texts[0], "x%d", k);
        names[1 + k] = texts[1 + k];
        names[1 + n + k] = texts[1 + n + k];
        ranges[k] = (mst_integral_range){texts[1 + 2 * n + k], "0", "1"};
    }
    write_family(n, text, sizeof text);
    mst_integral_desc d = test_integral_desc(text, ranges, (int)row, names);
    d.n_variables = n;
    d.relative_tolerance = n < 4 ? 1e-5 : n == 6 || n == 7 ? 1e-2 : 1e-3;
    d.max_evaluations = n < 6 ? 60000 : n < 8 ? 240000 : 16 << 12;
    d.shape = shape;
    for (size_t i = 0; i < n_sets; i++)
        draw(n, (int)(i % FAMILIES), &parameters[i * row]);
    test_integral_run(context, &d, parameters, n_sets, r);
    for (size_t i = 0; i < n_sets; i++) {
        const double *p = &parameters[i * row];
        double wanted = family_exact((int)p[0], n, p + 1, p + 1 + n), error = fabs(r[i].value - wanted);
        bool is_within = error <= r[i].error + 1e-14 * fabs(wanted);
        within += is_within;
        converged += r[i].status == MST_INTEGRAL_CONVERGED;
        // One in thousands is beyond what is reported, by a few times; only a discontinuity in a corner that no node reaches may
        // hide.
        CHECK(is_within || p[0] == 5 || error <= 20 * r[i].error,
              "%d variables, family %g, number %zu: %.12g +- %g, should be %.12g", n, p[0], i, r[i].value, r[i].error, wanted);
        CHECK(r[i].evaluations > 0 && r[i].evaluations <= d.max_evaluations, "%llu evaluations",
              (unsigned long long)r[i].evaluations);
    }
    print_message("%d variables: %.2f %% of the true errors within those reported, %.1f %% converged\n", n,
                  100.0 * (double)within / (double)n_sets, 100.0 * (double)converged / (double)n_sets);
    CHECK((double)within >= 0.99 * (double)n_sets - 3 && (double)converged >= (n < 7 ? 0.6 : 0.3) * (double)n_sets,
          "%d variables: of %zu are %zu within and %zu converged", n, n_sets, within, converged);
}

static void test_families(void **state) {
    static const struct {
        int n_variables;
        size_t n_sets;
        mst_integral_shape shape;
    } table[] = {{2, MOST_SETS, MST_INTEGRAL_SHAPE_CPU}, {3, 1500, MST_INTEGRAL_SHAPE_GPU}, {4, 300, MST_INTEGRAL_SHAPE_CPU},
                 {5, 600, MST_INTEGRAL_SHAPE_CPU},       {6, 120, MST_INTEGRAL_SHAPE_GPU},  {7, 60, MST_INTEGRAL_SHAPE_CPU},
                 {8, 60, MST_INTEGRAL_SHAPE_CPU},        {10, 120, MST_INTEGRAL_SHAPE_GPU}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++)
        if (test_turn(k + k / 2, 2))
            check_families(*state, table[k].n_variables, table[k].n_sets, table[k].shape);
}

// ---- PAGANI's cases, with fewer evaluations than they need

// Two integrands of n variables, chosen by k.
static void check_pagani(mst_context *context, int n, const char *first, const char *second, const double wanted[2],
                         const mst_integral_status statuses[2]) {
    static const char *const names[] = {"k"};
    const double sets[] = {1, 2};
    char text[1500], variables[MOST_VARIABLES][16];
    mst_integral_range ranges[MOST_VARIABLES];
    mst_integral_result r[2];
    for (int k = 0; k < n; k++) {
        snprintf(variables[k], sizeof variables[k], "x%d", k);
        ranges[k] = (mst_integral_range){variables[k], "0", "1"};
    }
    snprintf(text, sizeof text, "k == 1 ? %s : %s", first, second);
    mst_integral_desc d = test_integral_desc(text, ranges, 1, names);
    d.n_variables = n;
    d.relative_tolerance = 1e-3;
    d.max_evaluations = n == 5 ? 4000000 : 3000000;
    test_integral_run(context, &d, sets, 2, r);
    for (int k = 0; k < 2; k++)
        CHECK(fabs(r[k].value - wanted[k]) <= r[k].error && r[k].status == statuses[k] &&
                  r[k].error < (n == 6 ? 5000 : 50) * wanted[k], // at a peak in a corner the null rule there says more
              "%d variables, integrand %d: %.12g +- %g, should be %.12g; %s after %llu", n, k, r[k].value, r[k].error, wanted[k],
              mst_integral_status_name(r[k].status), (unsigned long long)r[k].evaluations);
}

static void test_pagani(void **state) {
    const double pi = acos(-1);
    char lists[2][200], texts[2][300];
    double steps = 1;
    for (int i = 1; i <= 6; i++)
        steps *= expm1((i + 4) * (3 + i) / 10.0) / (i + 4);
    // F4, a Gaussian, and F5, a ridge in every variable.
    snprintf(texts[0], sizeof texts[0], "exp(-625*(%s))", test_join(lists[0], 5, "(x# - 1/2)^2", " + "));
    snprintf(texts[1], sizeof texts[1], "exp(-10*(%s))", test_join(lists[1], 5, "abs(x# - 1/2)", " + "));
    check_pagani(*state, 5, texts[0], texts[1], (const double[]){pow(sqrt(pi) / 25 * erf(12.5), 5), pow((1 - exp(-5)) / 5, 5)},
                 (const mst_integral_status[]){MST_INTEGRAL_CONVERGED, MST_INTEGRAL_CONVERGED});
    // F2, a peak that is found late, and F6, jumps across every axis.
    check_pagani(*state, 6, test_join(lists[0], 6, "1/(50^-2 + (x# - 1/2)^2)", "*"),
                 "x0 < 0.4 && x1 < 0.5 && x2 < 0.6 && x3 < 0.7 && x4 < 0.8 && x5 < 0.9 ? "
                 "exp(5*x0 + 6*x1 + 7*x2 + 8*x3 + 9*x4 + 10*x5) : 0",
                 (const double[]){pow(100 * atan(25), 6), steps},
                 (const mst_integral_status[]){MST_INTEGRAL_BUDGET, MST_INTEGRAL_BUDGET});
    // F1, of which nearly all cancels, and the integral of the sum of squares over a box.
    check_pagani(*state, 8, "cos(x0 + 2*x1 + 3*x2 + 4*x3 + 5*x4 + 6*x5 + 7*x6 + 8*x7)", test_join(lists[0], 8, "x#^2", " + "),
                 (const double[]){3.439557952183252e-05, 8 / 3.0},
                 (const mst_integral_status[]){MST_INTEGRAL_BUDGET, MST_INTEGRAL_CONVERGED});
}

// Box integrals are known exactly; infinite ranges in several dimensions; reversed ones.
static void test_several(void **state) {
    const mst_integral_range box[] = {{"x", "0", "1"}, {"y", "1", "0"}}, whole[] = {{"x", "-inf", "inf"}, {"y", "0", "inf"}};
    mst_integral_desc d = test_integral_desc("sqrt(x^2 + y^2)", box, 0, NULL);
    mst_integral_result r;
    d.n_variables = 2;
    test_integral_run(*state, &d, NULL, 1, &r);
    CHECK(fabs(r.value + (sqrt(2) + asinh(1)) / 3) <= r.error && r.status == MST_INTEGRAL_CONVERGED, "%.17g", r.value);
    d.ranges = whole;
    d.integrand = "exp(-x^2 - 2*y^2)";
    test_integral_run(*state, &d, NULL, 1, &r);
    CHECK(fabs(r.value - acos(-1) / (2 * sqrt(2))) <= r.error && r.status == MST_INTEGRAL_CONVERGED, "%.17g", r.value);
}

// Bounds that depend on variables before theirs: over a disc, of what is 1 over a half line that begins at y.
static void test_variable_bounds(void **state) {
    static const char *const r = "r";
    const mst_integral_range disc[] = {{"x", "-r", "r"}, {"y", "-sqrt(r^2 - x^2)", "sqrt(r^2 - x^2)"}, {"z", "y", "inf"}},
                             late[] = {{"x", "0", "y"}, {"y", "0", "1"}};
    const double radii[] = {0.5, 2};
    mst_integral_desc d = test_integral_desc("exp(y - z)", disc, 1, &r);
    mst_integral_result results[2];
    mst_integral *plan;
    mst_error e;
    d.n_variables = 3;
    d.relative_tolerance = 1e-3;
    test_integral_run(*state, &d, radii, 2, results);
    for (int i = 0; i < 2; i++)
        CHECK(fabs(results[i].value - acos(-1) * radii[i] * radii[i]) <= results[i].error &&
                  results[i].status == MST_INTEGRAL_CONVERGED,
              "radius %g: %.12g +- %g", radii[i], results[i].value, results[i].error);
    d.integrand = "x*y";
    d.ranges = late;
    d.n_variables = 2;
    REFUSED(MST_ERROR_ARGUMENT, "the upper bound of x, 'y', reads a variable that comes after x",
            mst_integral_create(*state, &d, &plan, &e));
}

// Kinks across both axes, one of which a parameter moves, are cut away, on finite ranges and on the whole line.
static void test_breakpoints(void **state) {
    static const char *const c = "c", *const places[] = {"c", "3", "1/4", "5/8"};
    static const int variables[] = {1, 0, 0, 1}, beyond[] = {0, 2};
    const mst_integral_range box[] = {{"x", "0", "1"}, {"y", "1", "0"}}, whole[] = {{"x", "0", "1"}, {"y", "-inf", "inf"}},
                             triangle[] = {{"x", "0", "1"}, {"y", "0", "x"}};
    const double moved[] = {0.1, 0.9};
    mst_integral_desc d = test_integral_desc("abs(x - 1/4) + (y < c ? 1 : y < 5/8 ? 2 : 4)", box, 1, &c);
    mst_integral_result r[2];
    mst_integral *plan;
    mst_error e;
    d.n_variables = 2;
    d.n_breakpoints = 4;
    d.breakpoints = places;
    d.breakpoint_variables = variables;
    test_integral_run(*state, &d, moved, 2, r);
    const double kink = (1 + 9) / 32.0, sums[] = {kink + 0.1 + 2 * (0.625 - 0.1) + 4 * 0.375, kink + 0.9 + 4 * 0.1};
    for (int i = 0; i < 2; i++) // all boxes are resolved but for those of no width
        CHECK(fabs(r[i].value + sums[i]) < 1e-12 && r[i].status == MST_INTEGRAL_CONVERGED && r[i].evaluations < 10000,
              "%.17g +- %g, should be %.17g, after %llu", r[i].value, r[i].error, -sums[i], (unsigned long long)r[i].evaluations);
    d.integrand = "(x < 1/4 ? 1 : 3)*exp(-abs(y - c))";
    d.ranges = whole;
    test_integral_run(*state, &d, moved, 2, r);
    for (int i = 0; i < 2; i++)
        CHECK(fabs(r[i].value - 5) < 1e-5 && r[i].status == MST_INTEGRAL_CONVERGED && r[i].evaluations < 40000,
              "%.17g +- %g, should be 5, after %llu", r[i].value, r[i].error, (unsigned long long)r[i].evaluations);
    d.ranges = triangle;
    REFUSED(MST_ERROR_ARGUMENT, "y has breakpoints and bounds that depend", mst_integral_create(*state, &d, &plan, &e));
    d.breakpoint_variables = beyond;
    REFUSED(MST_ERROR_ARGUMENT, "breakpoint_variables[1] is 2", mst_integral_create(*state, &d, &plan, &e));
}

// By lattices in float32: bounds that are no floats, and values that cancel.
static void test_narrow(void **state) {
    static const char *const names[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"};
    mst_integral_range ranges[8];
    mst_integral_result r[2];
    static const char *const c = "c";
    const double sets[] = {0, 1}, volume = 1e-8;
    for (int k = 0; k < 8; k++)
        ranges[k] = (mst_integral_range){names[k], "1000", "1000.1"};
    mst_integral_desc d = test_integral_desc("1 + c*(1000*(x0 - x1) - 1)", ranges, 1, &c);
    d.n_variables = 8;
    d.type = MST_FLOAT32;
    d.max_evaluations = 1 << 16;
    test_integral_run(*state, &d, sets, 2, r);
    CHECK(fabs(r[0].value - volume) <= r[0].error && r[0].error < 1e-4 * volume, "%.9g +- %g", r[0].value, r[0].error);
    CHECK(fabs(r[1].value) <= r[1].error && r[1].error < 50 * volume, "%.9g +- %g", r[1].value, r[1].error);
}

// Lattices of what is singular at sides, the product of x^-a: what no point sees is in the errors.
static void test_singular_sides(void **state) {
    enum { N = 300, VARIABLES = 8 };
    static double a[N][VARIABLES];
    static mst_integral_result r[N];
    char texts[2][VARIABLES][13], product[200];
    const char *names[VARIABLES];
    mst_integral_range ranges[VARIABLES];
    size_t claimed = 0, wrong = 0;
    for (int k = 0; k < VARIABLES; k++) {
        snprintf(texts[0][k], sizeof texts[0][k], "x%d", k);
        snprintf(texts[1][k], sizeof texts[1][k], "a%d", k);
        ranges[k] = (mst_integral_range){texts[0][k], "0", "1"};
        names[k] = texts[1][k];
    }
    for (int i = 0; i < N * VARIABLES; i++)
        a[i / VARIABLES][i % VARIABLES] = 0.9 * fabs(test_uniform() * test_uniform());
    mst_integral_desc d = test_integral_desc(test_join(product, VARIABLES, "x#^(-a#)", "*"), ranges, VARIABLES, names);
    d.n_variables = VARIABLES;
    d.relative_tolerance = 0.1;
    d.max_evaluations = 1 << 17;
    d.shape = MST_INTEGRAL_SHAPE_CPU;
    test_integral_run(*state, &d, a[0], N, r);
    for (int i = 0; i < N; i++) {
        double wanted = 1;
        for (int k = 0; k < VARIABLES; k++)
            wanted /= 1 - a[i][k];
        claimed += r[i].status == MST_INTEGRAL_CONVERGED;
        wrong += r[i].status == MST_INTEGRAL_CONVERGED && fabs(r[i].value - wanted) > fmax(r[i].error, 0.1 * wanted);
    }
    CHECK(wrong <= 2 && claimed >= N / 6, "%zu of %d have converged, %zu of them falsely", claimed, N, wrong);
}

// What needs few regions must not take all: a peak in a corner that an error larger than the value hides, and divergent
// integrals, at a point, along a line and on surfaces, beside others or alone, which no number of evaluations makes converge.
static void test_hopeless(void **state) {
    static const struct {
        const char *integrand, *beside, *to;
        int n;
        bool diverges;
        double exact;
        uint64_t most;
    } cases[] = {{"(1 + 1000*(x0 + x1 + x2 + x3))^(-5)", NULL, "1", 4, false, 4.15799810513e-14, 3000000},
                 {"(1 + 100*(x0 + x1 + x2 + x3 + x4))^(-6)", NULL, "1", 5, false, 8.14580434892e-13, 6000000},
                 {"1/abs(x0 - x1)", NULL, "1", 2, true, 0, 8000000},
                 {"(x0 + x1)^(-3)", "exp(x0)", "1", 2, true, 0, 1000000},
                 {"x0*x1", NULL, "inf", 2, true, 0, 8000000},
                 {"(x0 + x1 + x2)^(-4)", NULL, "1", 3, true, 0, 8000000},
                 {"1/abs(x0 - x1 - x2)", "x1", "1", 3, true, 0, 8000000},
                 {"1/x0", "cos(x1)", "1", 6, true, 0, 20000000},
                 {"1/x0", "x1", "1", 8, true, 0, 8000000}};
    static const char *const names[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mst_integral_range ranges[8];
        mst_integral_result r[2];
        const char *const components[] = {cases[i].integrand, cases[i].beside};
        if (!test_turn(i, 3))
            continue;
        for (int k = 0; k < 8; k++)
            ranges[k] = (mst_integral_range){names[k], "0", cases[i].to};
        mst_integral_desc d = test_integral_desc(NULL, ranges, 0, NULL);
        d.n_components = cases[i].beside ? 2 : 1;
        d.components = components;
        d.n_variables = cases[i].n;
        d.relative_tolerance = 1e-3;
        test_integral_run(*state, &d, NULL, 1, r);
        CHECK((r[0].status == MST_INTEGRAL_CONVERGED) != cases[i].diverges && r[0].evaluations <= cases[i].most &&
                  (cases[i].diverges || fabs(r[0].value - cases[i].exact) <= r[0].error),
              "%s in %d: %g +- %g, %s after %llu", cases[i].integrand, cases[i].n, r[0].value, r[0].error,
              mst_integral_status_name(r[0].status), (unsigned long long)r[0].evaluations);
        CHECK(!cases[i].beside || r[1].status == MST_INTEGRAL_CONVERGED, "%s beside %s: %s", cases[i].beside, cases[i].integrand,
              mst_integral_status_name(r[1].status));
    }
}

// Narrow peaks in the interior, which are found late, and dipoles, whose parts cancel, so that values are long no larger than
// their errors: none may be given up.
static void test_found_late(void **state) {
    enum { N = 40 };
    static const char *const names[] = {"f", "s", "u", "v", "w"};
    static const mst_integral_range box[] = {{"x", "0", "1"}, {"y", "0", "1"}, {"z", "0", "1"}};
    static double sets[N][5];
    static mst_integral_result r[N];
    const double pi = acos(-1);
    for (int n = 2; n <= 3; n++) {
        mst_integral_desc d = test_integral_desc(n == 2 ? "f == 0 ? exp(-s^2*((x - u)^2 + (y - v)^2)) :"
                                                          "f == 1 ? (x - u)/((x - u)^2 + s^-2) :"
                                                          "f == 2 ? (x - y)/((x - y)^2 + s^-2) + x :"
                                                          "1/((s^-2 + (x - u)^2)*(s^-2 + (y - v)^2))"
                                                        : "exp(-s^2*((x - u)^2 + (y - v)^2 + (z - w)^2))",
                                                 box, 5, names);
        d.n_variables = n;
        d.relative_tolerance = n == 2 ? 1e-4 : 1e-3;
        for (int i = 0; i < N; i++) {
            sets[i][0] = n == 2 ? i % 4 : 0;
            sets[i][1] = pow(10, (n == 2 ? 1.5 : 1) + 1.2 * fabs(test_uniform())); // up to 500 and 160
            for (int k = 2; k < 5; k++)
                sets[i][k] = 0.1 + 0.8 * fabs(test_uniform());
        }
        test_integral_run(*state, &d, sets[0], n == 2 ? N : N / 4, r);
        for (int i = 0; i < (n == 2 ? N : N / 4); i++) {
            const double *p = sets[i], s = p[1];
            double peak = 1;
            for (int k = 0; k < n; k++)
                peak *= p[0] == 0 ? sqrt(pi) / (2 * s) * (erf(s * p[2 + k]) + erf(s * (1 - p[2 + k])))
                                  : s * (atan(s * p[2 + k]) + atan(s * (1 - p[2 + k])));
            const double dipole = log((pow(1 - p[2], 2) + 1 / (s * s)) / (p[2] * p[2] + 1 / (s * s))) / 2;
            const double wanted = p[0] == 1 ? dipole : p[0] == 2 ? 0.5 : peak;
            CHECK(r[i].status == MST_INTEGRAL_CONVERGED && fabs(r[i].value - wanted) <= r[i].error,
                  "%d variables, integrand %g, s %.5g at (%.3f, %.3f, %.3f): %g +- %g, should be %g; %s after %llu", n, p[0], s,
                  p[2], p[3], p[4], r[i].value, r[i].error, wanted, mst_integral_status_name(r[i].status),
                  (unsigned long long)r[i].evaluations);
        }
    }
}

// What is 0 nearly everywhere, a peak and a shell between the nodes of 64 boxes, is not claimed to be 0; many that are take no
// longer look.
static void test_sparse(void **state) {
    enum { MANY = 20000 };
    static const char *const k = "k";
    static const mst_integral_range box[] = {{"x", "0", "1"}, {"y", "0", "1"}, {"z", "0", "1"}};
    static const struct {
        const char *integrand;
        int n;
        double tolerance, exact;
    } cases[] = {{"exp(-1e8*((x - 0.3)^2 + (y - 0.6)^2))", 2, 1e-4, 3.14159265358979e-8},
                 {"abs((x - 0.5)^2 + (y - 0.5)^2 + (z - 0.5)^2 - 0.1) < 1e-3 ? 1 : 0", 3, 0.1, 3.97381e-3}};
    static double sets[MANY];
    static mst_integral_result r[MANY];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        mst_integral_desc d = test_integral_desc(cases[i].integrand, box, 0, NULL);
        d.n_variables = cases[i].n;
        d.relative_tolerance = cases[i].tolerance;
        d.max_evaluations = 40000000;
        test_integral_run(*state, &d, NULL, 1, r);
        CHECK(
            (r[0].status != MST_INTEGRAL_CONVERGED || fabs(r[0].value - cases[i].exact) <= cases[i].tolerance * cases[i].exact) &&
                r[0].value > 0,
            "%s: %g +- %g, should be %g; %s after %llu", cases[i].integrand, r[0].value, r[0].error, cases[i].exact,
            mst_integral_status_name(r[0].status), (unsigned long long)r[0].evaluations);
    }
    mst_integral_desc d = test_integral_desc("k*x*y", box, 1, &k);
    uint64_t evaluations = 0;
    d.n_variables = 2;
    for (size_t i = 0; i < MANY; i++)
        sets[i] = (double)(i % 2);
    test_integral_run(*state, &d, sets, MANY, r);
    for (size_t i = 0; i < MANY; i++) {
        evaluations += r[i].evaluations;
        CHECK(fabs(r[i].value - sets[i] / 4) <= 1e-12 && r[i].status == MST_INTEGRAL_CONVERGED, "%zu: %g", i, r[i].value);
    }
    CHECK(evaluations < 4000u * MANY, "%llu evaluations", (unsigned long long)evaluations);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_families),    cmocka_unit_test(test_pagani),
                                       cmocka_unit_test(test_several),     cmocka_unit_test(test_variable_bounds),
                                       cmocka_unit_test(test_narrow),      cmocka_unit_test(test_singular_sides),
                                       cmocka_unit_test(test_breakpoints), cmocka_unit_test(test_hopeless),
                                       cmocka_unit_test(test_found_late),  cmocka_unit_test(test_sparse)};
    return cmocka_run_group_tests_name("integral_several", tests, test_setup, test_teardown);
}
