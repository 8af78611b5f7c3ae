// tanh-sinh, Genz-Malik and lattices against closed forms: end-point singularities, and Genz's six families (1984) in 2 to 10
// dimensions with random parameters.
#include "support.h"

#include <math.h>

static void run(mst_context *context, const mst_integral_desc *desc, const double *parameters, size_t n,
                mst_integral_result *results) {
    mst_error e;
    mst_integral *plan;
    mst_execution how = MST_EXECUTION_INIT;
    mst_report report = {0};
    how.report = &report;
    memset(results, 0xff, n * sizeof *results);
    OK(mst_integral_create(context, desc, &plan, &e));
    OK(mst_integral_execute(plan, parameters, n, results, &how, &e));
    assert_true(report.seconds > 0);
    mst_integral_destroy(plan);
}

// ---- the time of kernels, of fixed rules on a context that profiles

static void test_time_of_kernels(void **state) {
    (void)state;
    mst_error e;
    const mst_integral_range range = {"x", "0", "1"};
    for (int k = 0; k < 4; k++) {
        bool profile = k % 2, published = k / 2;
        mst_context_desc wanted = MST_CONTEXT_DESC_INIT;
        mst_execution how = MST_EXECUTION_INIT;
        mst_report report = {.compute_seconds = -1};
        mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
        mst_integral_result result;
        mst_integral *plan;
        wanted.profile = profile, how.report = &report;
        mst_context *context = test_context(&wanted);
        desc.integrand = "x", desc.ranges = &range, desc.rule = MST_INTEGRAL_RECTANGLE, desc.type = MST_FLOAT32;
        desc.points = 100003;
        if (published)
            desc.work_items = 64, desc.group_size = 16;
        OK(mst_integral_create(context, &desc, &plan, &e));
        OK(mst_integral_execute(plan, NULL, 1, &result, &how, &e));
        CHECK(profile ? report.compute_seconds > 0 && report.compute_seconds <= report.seconds : report.compute_seconds == 0,
              "kernels took %g s of %g s", report.compute_seconds, report.seconds);
        mst_integral_destroy(plan);
        mst_context_destroy(context);
    }
}

// ---- tanh-sinh

static const char singular[] = "k == 0 ? x^a"                  // 1 / (1 + a)
                               ": k == 1 ? right^a*log(right)" // -1 / (1 + a)^2
                               ": k == 2 ? left^a*right^a"     // gamma(1 + a)^2 / gamma(2 + 2 a)
                               ": exp(a*x)";
static double singular_exact(int k, double a) {
    return k == 0   ? 1 / (1 + a)
           : k == 1 ? -1 / ((1 + a) * (1 + a))
           : k == 2 ? tgamma(1 + a) * tgamma(1 + a) / tgamma(2 + 2 * a)
                    : expm1(a) / a;
}

static void test_tanh_sinh(void **state) {
    enum { N = 400 };
    static const char *const names[] = {"k", "a"};
    static double parameters[N][2];
    static mst_integral_result r[N];
    const mst_integral_range range = {"x", "0", "1"};
    for (int i = 0; i < N; i++) {
        parameters[i][0] = i % 4;
        parameters[i][1] = i % 4 == 3 ? 0.1 + 5 * fabs(test_uniform()) : -0.8 + 2 * fabs(test_uniform());
    }
    for (int kind = 0; kind < 3; kind++) { // CPU and GPU shape in float64, CPU shape in float32
        mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
        int within = 0, converged = 0;
        d.integrand = singular;
        d.ranges = &range;
        d.n_parameters = 2;
        d.parameters = names;
        d.rule = MST_INTEGRAL_TANH_SINH;
        d.type = kind == 2 ? MST_FLOAT32 : MST_FLOAT64;
        d.shape = kind == 1 ? MST_INTEGRAL_SHAPE_GPU : MST_INTEGRAL_SHAPE_CPU;
        run(*state, &d, &parameters[0][0], N, r);
        for (int i = 0; i < N; i++) {
            double wanted = singular_exact(i % 4, parameters[i][1]), error = fabs(r[i].value - wanted);
            within += error <= r[i].error + 1e-15 * fabs(wanted);
            converged += r[i].status == MST_INTEGRAL_CONVERGED;
            CHECK(error <= (kind == 2 ? 1e-3 : 1e-9) * fabs(wanted), "kind %d, a = %g: %.17g +- %g, should be %.17g", i % 4,
                  parameters[i][1], r[i].value, r[i].error, wanted);
        }
        print_message("tanh-sinh %d: %.2f %% within, %.2f %% converged\n", kind, 100.0 * within / N, 100.0 * converged / N);
        CHECK(within >= 0.99 * N && converged >= 0.85 * N, "%d within, %d converged, of %d", within, converged, N);
    }
}

static void test_half_infinite(void **state) {
    const mst_integral_range range = {"x", "0", "inf"};
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    mst_integral_result r;
    d.integrand = "exp(-x)/sqrt(x)";
    d.ranges = &range;
    d.rule = MST_INTEGRAL_TANH_SINH;
    run(*state, &d, NULL, 1, &r);
    CHECK(fabs(r.value - sqrt(acos(-1))) <= fmin(r.error, 1e-10), "%.17g +- %g, %s", r.value, r.error,
          mst_integral_status_name(r.status));
    d.max_evaluations = 150; // the first level only
    d.relative_tolerance = 1e-14;
    run(*state, &d, NULL, 1, &r);
    CHECK(r.status == MST_INTEGRAL_BUDGET && r.evaluations <= 150, "%s after %llu", mst_integral_status_name(r.status),
          (unsigned long long)r.evaluations);
    d.integrand = "log(x - 2)";
    run(*state, &d, NULL, 1, &r);
    assert_true(r.status == MST_INTEGRAL_NON_FINITE && isnan(r.value) && isinf(r.error));
}

// ---- Genz's families, the same a and u in every dimension

enum { FAMILIES = 6, MOST_VARIABLES = 10 };

static void write_family(int n, char *text, size_t bytes) {
    char sum[400] = "", product[600] = "", squares[400] = "", distances[400] = "";
    for (int i = 0; i < n; i++) {
        size_t s = strlen(sum), p = strlen(product), q = strlen(squares), t = strlen(distances);
        snprintf(sum + s, sizeof sum - s, "%sx%d", i ? "+" : "", i);
        snprintf(product + p, sizeof product - p, "%s(1/(a^-2 + (x%d - u)^2))", i ? "*" : "", i);
        snprintf(squares + q, sizeof squares - q, "%s(x%d - u)^2", i ? "+" : "", i);
        snprintf(distances + t, sizeof distances - t, "%sabs(x%d - u)", i ? "+" : "", i);
    }
    snprintf(text, bytes,
             "f == 0 ? cos(2*pi*u + a*(%s)) : f == 1 ? %s : f == 2 ? (1 + a*(%s))^(-%d) : f == 3 ? exp(-a^2*(%s))"
             " : f == 4 ? exp(-a*(%s)) : x0 > u || x1 > u ? 0 : exp(a*(%s))",
             sum, product, sum, n + 1, squares, distances, sum);
}

static double family_exact(int family, int n, double a, double u) {
    const double pi = acos(-1);
    double sum = 0, sign = 1;
    switch (family) {
    case 0:
        return creal(cexp(2 * pi * u * I) * cpow((cexp(a * I) - 1) / (a * I), n));
    case 1:
        return pow(a * (atan(a * (1 - u)) + atan(a * u)), n);
    case 2:
        for (int k = 0; k <= n; k++, sign = -sign)
            sum += sign * exp(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)) / (1 + a * k);
        return sum / (pow(a, n) * tgamma(n + 1));
    case 3:
        return pow(sqrt(pi) / (2 * a) * (erf(a * (1 - u)) + erf(a * u)), n);
    case 4:
        return pow((2 - exp(-a * u) - exp(-a * (1 - u))) / a, n);
    default:
        return pow(expm1(a * u) / a, 2) * pow(expm1(a) / a, n - 2);
    }
}

static void check_families(mst_context *context, int n, size_t n_sets, mst_integral_shape shape) {
    static const char *const names[] = {"f", "a", "u"};
    static double parameters[600][3];
    static mst_integral_result r[600];
    mst_integral_range ranges[MOST_VARIABLES];
    char text[3000], variables[MOST_VARIABLES][16];
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    size_t within = 0, smooth = 0, converged = 0;
    for (int k = 0; k < n; k++) {
        snprintf(variables[k], sizeof variables[k], "x%d", k);
        ranges[k] = (mst_integral_range){variables[k], "0", "1"};
    }
    write_family(n, text, sizeof text);
    d.integrand = text;
    d.n_variables = n;
    d.ranges = ranges;
    d.n_parameters = 3;
    d.parameters = names;
    d.relative_tolerance = n < 4 ? 1e-5 : 1e-3;
    d.max_evaluations = n < 8 ? 60000 : 16 << 12;
    d.shape = shape;
    for (size_t i = 0; i < n_sets; i++) {
        parameters[i][0] = (double)(i % FAMILIES);
        parameters[i][1] = 0.5 + (n < 4 ? 4 : 1.5) * fabs(test_uniform());
        parameters[i][2] = 0.3 + 0.4 * fabs(test_uniform());
    }
    run(context, &d, &parameters[0][0], n_sets, r);
    for (size_t i = 0; i < n_sets; i++) {
        double wanted = family_exact((int)(i % FAMILIES), n, parameters[i][1], parameters[i][2]),
               error = fabs(r[i].value - wanted);
        bool is_within = error <= r[i].error + 1e-14 * fabs(wanted);
        within += is_within;
        smooth += i % FAMILIES < 4 && is_within;
        converged += r[i].status == MST_INTEGRAL_CONVERGED;
        // A discontinuity or kink closer to the side of a first region than its outermost nodes is not seen.
        CHECK(i % FAMILIES >= 4 || error <= 3 * r[i].error + 1e-12,
              "%d variables, family %zu, a = %g, u = %g: %.12g +- %g, should be %.12g", n, i % FAMILIES, parameters[i][1],
              parameters[i][2], r[i].value, r[i].error, wanted);
        CHECK(r[i].evaluations > 0 && r[i].evaluations <= d.max_evaluations, "%llu evaluations",
              (unsigned long long)r[i].evaluations);
    }
    print_message("%d variables: %.1f %% of the true errors within those reported, %.1f %% converged\n", n,
                  100.0 * (double)within / (double)n_sets, 100.0 * (double)converged / (double)n_sets);
    CHECK((double)smooth >= 0.99 * (double)(n_sets / FAMILIES * 4) && (double)within >= 0.92 * (double)n_sets &&
              (double)converged >= 0.4 * (double)n_sets,
          "%d variables: of %zu are %zu within, %zu of the smooth ones, and %zu converged", n, n_sets, within, smooth, converged);
}

static void test_families(void **state) {
    check_families(*state, 2, 600, MST_INTEGRAL_SHAPE_CPU);
    check_families(*state, 3, 120, MST_INTEGRAL_SHAPE_GPU);
    check_families(*state, 5, 60, MST_INTEGRAL_SHAPE_CPU);
    check_families(*state, 8, 120, MST_INTEGRAL_SHAPE_CPU);
    check_families(*state, 10, 30, MST_INTEGRAL_SHAPE_GPU);
}

// Box integrals are known exactly; infinite ranges in several dimensions; reversed ones.
static void test_several(void **state) {
    const mst_integral_range box[] = {{"x", "0", "1"}, {"y", "1", "0"}}, whole[] = {{"x", "-inf", "inf"}, {"y", "0", "inf"}};
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    mst_integral_result r;
    d.n_variables = 2;
    d.ranges = box;
    d.integrand = "sqrt(x^2 + y^2)";
    run(*state, &d, NULL, 1, &r);
    CHECK(fabs(r.value + (sqrt(2) + asinh(1)) / 3) <= r.error && r.status == MST_INTEGRAL_CONVERGED, "%.17g", r.value);
    d.ranges = whole;
    d.integrand = "exp(-x^2 - 2*y^2)";
    run(*state, &d, NULL, 1, &r);
    CHECK(fabs(r.value - acos(-1) / (2 * sqrt(2))) <= r.error && r.status == MST_INTEGRAL_CONVERGED, "%.17g", r.value);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_of_kernels), cmocka_unit_test(test_tanh_sinh),
                                       cmocka_unit_test(test_half_infinite), cmocka_unit_test(test_families),
                                       cmocka_unit_test(test_several)};
    return cmocka_run_group_tests_name("integral_rules", tests, test_setup, test_teardown);
}
