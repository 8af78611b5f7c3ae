// tanh-sinh against closed forms: end-point singularities; fixed rules: sums that round one way, powers, the time reported.
#include "support_integral.h"

#include <math.h>

// ---- the time of kernels, of fixed rules on a context that profiles

static void test_time_of_kernels(void **state) {
    (void)state;
    mst_error e;
    const mst_integral_range range = {"x", "0", "1"};
    for (int k = 0; k < 4; k++) {
        bool profile = k % 2, published = k / 2;
        mst_context_desc wanted = MST_CONTEXT_DESC_INIT;
        mst_execution how = MST_EXECUTION_INIT;
        mst_report report = MST_REPORT_INIT;
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
        mst_integral_desc d = test_integral_desc(singular, &range, 2, names);
        int within = 0, converged = 0;
        d.rule = MST_INTEGRAL_TANH_SINH;
        d.type = kind == 2 ? MST_FLOAT32 : MST_FLOAT64;
        d.shape = kind == 1 ? MST_INTEGRAL_SHAPE_GPU : MST_INTEGRAL_SHAPE_CPU;
        test_integral_run(*state, &d, &parameters[0][0], N, r);
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

// Bounds that are no floats, near 0 and far from it: what rounding them and the nodes changes is in the error, in float32 too.
static void test_bounds(void **state) {
    enum { N = 1000 };
    static const char *const names[] = {"a", "b", "k"};
    static double parameters[N][3];
    static mst_integral_result r[N];
    const mst_integral_range range = {"x", "a", "b"};
    mst_integral_desc d = test_integral_desc("k == 0 ? cos(3*x) : k == 1 ? 1 : 3*x^2", &range, 3, names);
    int within = 0;
    d.rule = MST_INTEGRAL_TANH_SINH;
    d.type = MST_FLOAT32;
    for (int i = 0; i < N; i++) {
        parameters[i][0] = pow(10, 1 + 2 * test_uniform()) * (i % 2 ? -1 : 1);
        parameters[i][1] = parameters[i][0] + pow(10, test_uniform());
        parameters[i][2] = i % 3;
    }
    test_integral_run(*state, &d, &parameters[0][0], N, r);
    for (int i = 0; i < N; i++) {
        const double a = parameters[i][0], b = parameters[i][1];
        const double wanted = i % 3 == 0 ? (sin(3 * b) - sin(3 * a)) / 3 : i % 3 == 1 ? b - a : b * b * b - a * a * a;
        within += fabs(r[i].value - wanted) <= r[i].error;
        double most = (1e-4 * (b - a) + 1e-6 * fmax(fabs(a), fabs(b))) * (i % 3 == 2 ? 3 * fmax(a * a, b * b) : 1);
        CHECK(r[i].error <= most, "integral %d from %g to %g: %g +- %g", i % 3, a, b, r[i].value, r[i].error);
    }
    print_message("bounds in float32: %.2f %% within\n", 100.0 * within / N);
    CHECK(within >= 0.99 * N, "%d of %d within", within, N);
}

static void test_half_infinite(void **state) {
    const mst_integral_range range = {"x", "0", "inf"};
    mst_integral_desc d = test_integral_desc("exp(-x)/sqrt(x)", &range, 0, NULL);
    mst_integral_result r;
    d.rule = MST_INTEGRAL_TANH_SINH;
    test_integral_run(*state, &d, NULL, 1, &r);
    CHECK(fabs(r.value - sqrt(acos(-1))) <= fmin(r.error, 1e-10), "%.17g +- %g, %s", r.value, r.error,
          mst_integral_status_name(r.status));
    d.max_evaluations = 150; // the first level only
    d.relative_tolerance = 1e-14;
    test_integral_run(*state, &d, NULL, 1, &r);
    CHECK(r.status == MST_INTEGRAL_BUDGET && r.evaluations <= 150, "%s after %llu", mst_integral_status_name(r.status),
          (unsigned long long)r.evaluations);
    d.integrand = "log(x - 2)";
    test_integral_run(*state, &d, NULL, 1, &r);
    assert_true(r.status == MST_INTEGRAL_NON_FINITE && isnan(r.value) && isinf(r.error));
}

static void test_far_out(void **state) {
    // x^2 overflows at nodes where exp(-x) is 0.
    const mst_integral_range range = {"x", "0", "inf"};
    mst_integral_desc d = test_integral_desc("x^3*exp(-x)", &range, 0, NULL);
    mst_integral_result r;
    d.rule = MST_INTEGRAL_TANH_SINH;
    for (int type = MST_FLOAT32; type <= MST_FLOAT64; type++) {
        d.type = (mst_type)type;
        test_integral_run(*state, &d, NULL, 1, &r);
        CHECK(fabs(r.value - 6) <= r.error && r.status == MST_INTEGRAL_CONVERGED, "%.17g +- %g", r.value, r.error);
    }
}

// Singular at both ends, in x: as near as x comes to 1, and the error of that end has nothing to do with values at the other.
static void test_both_ends(void **state) {
    const mst_integral_range range = {"x", "0", "1"};
    static const char *const k = "k";
    mst_integral_desc d = test_integral_desc("k == 0 ? 1/sqrt(x*(1 - x)) : log(1/x)^(-0.9)", &range, 1, &k);
    mst_integral_result r[2];
    const double sets[] = {0, 1}, wanted[] = {acos(-1), tgamma(0.1)};
    d.rule = MST_INTEGRAL_TANH_SINH;
    test_integral_run(*state, &d, sets, 2, r);
    for (int i = 0; i < 2; i++)
        CHECK(fabs(r[i].value - wanted[i]) <= r[i].error && r[i].error < (i == 0 ? 1e-6 : 1), "%d: %.17g +- %g", i, r[i].value,
              r[i].error);
}

// ---- fixed rules

// A constant is the worst case of a long sum: all roundings go the same way.
static void test_constant(void **state) {
    const mst_integral_range range = {"x", "0", "10"};
    mst_integral_desc d = test_integral_desc("0.1 + 0*x", &range, 0, NULL);
    mst_integral_result r;
    d.points = 1 << 20;
    for (int k = 0; k < 4; k++) {
        d.type = k % 2 ? MST_FLOAT64 : MST_FLOAT32;
        d.rule = k % 2 ? MST_INTEGRAL_GAUSS : MST_INTEGRAL_RECTANGLE;
        d.shape = k / 2 ? MST_INTEGRAL_SHAPE_GPU : MST_INTEGRAL_SHAPE_CPU;
        test_integral_run(*state, &d, NULL, 1, &r);
        CHECK(fabs(r.value - 1) <= r.error && r.error < (k % 2 ? 2e-15 : 1e-6), "case %d: %.17g +- %g", k, r.value, r.error);
    }
}

// Powers of vectors with a 0 among the components.
static void test_powers(void **state) {
    const mst_integral_range range = {"x", "0", "8"};
    mst_integral_desc d = test_integral_desc("abs(x - 6)^1.5", &range, 0, NULL);
    mst_integral_result r;
    double wanted = 0;
    for (int i = 0; i < 8; i++)
        wanted += pow(abs(i - 6), 1.5);
    d.rule = MST_INTEGRAL_RECTANGLE;
    d.points = 8;
    d.shape = MST_INTEGRAL_SHAPE_CPU;
    test_integral_run(*state, &d, NULL, 1, &r);
    CHECK(fabs(r.value - wanted) < 1e-13 * wanted, "%.17g, should be %.17g", r.value, wanted);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_time_of_kernels), cmocka_unit_test(test_tanh_sinh),
                                       cmocka_unit_test(test_bounds),          cmocka_unit_test(test_half_infinite),
                                       cmocka_unit_test(test_far_out),         cmocka_unit_test(test_both_ends),
                                       cmocka_unit_test(test_constant),        cmocka_unit_test(test_powers)};
    return cmocka_run_group_tests_name("integral_rules", tests, test_setup, test_teardown);
}
