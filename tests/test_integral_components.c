// Vector-valued integrands: each component against its closed form, beside others that are harder, that end in another way, and
// by itself; several parameter sets; 1 to 8 variables, both shapes, byte code and compiled kernels.
// Long: a program for each number of components and method, which a processor compiles for a second.
#include "support_integral.h"

#include <math.h>

enum { MOST = MST_INTEGRAL_MAX_COMPONENTS };

// Kernels for GPUs have many barriers where there are several components: optimising one takes PoCL four seconds.
static void build_quickly(mst_integral_shape shape) { test_all_quick_builds = shape == MST_INTEGRAL_SHAPE_GPU; }

static mst_integral_desc desc_of(const char *const *components, int n, const mst_integral_range *ranges, int n_variables) {
    mst_integral_desc d = test_integral_desc(NULL, ranges, 0, NULL);
    d.n_components = n;
    d.components = components;
    d.n_variables = n_variables;
    return d;
}

static void check_within(const mst_integral_result *r, const double *wanted, int n, const char *what) {
    for (int c = 0; c < n; c++)
        CHECK(fabs(r[c].value - wanted[c]) <= r[c].error + 1e-15 * fabs(wanted[c]) && r[c].status == MST_INTEGRAL_CONVERGED &&
                  r[c].evaluations == r[0].evaluations,
              "%s, component %d: %.17g +- %g after %llu, %s; should be %.17g", what, c, r[c].value, r[c].error,
              (unsigned long long)r[c].evaluations, mst_integral_status_name(r[c].status), wanted[c]);
}

// In every bit but those between members.
static void check_same(const mst_integral_result *a, const mst_integral_result *b, const char *what) {
    CHECK(memcmp(&a->value, &b->value, sizeof a->value) == 0 && memcmp(&a->error, &b->error, sizeof a->error) == 0 &&
              a->evaluations == b->evaluations && a->status == b->status,
          "%s: %.17g +- %.17g after %llu, and %.17g +- %.17g after %llu", what, a->value, a->error,
          (unsigned long long)a->evaluations, b->value, b->error, (unsigned long long)b->evaluations);
}

// Smooth ones beside ends and places that are singular, jumps and zeros: each is within its error, and no sharing makes more
// evaluations than all of them take alone.
static void test_one_variable(void **state) {
    static const char *const components[] = {"exp(a*x)",  "x^(-0.5)", "abs(x - 1/3)^(-0.3)", "x < 0.7 ? 1 : a",
                                             "sin(30*x)", "0*x",      "exp(a*x)*x",          "log(x)"};
    static const char *const a = "a";
    enum { N = sizeof components / sizeof components[0] };
    const mst_integral_range unit = {"x", "0", "1"};
    const double sets[] = {0.5, 2};
    mst_integral_result r[2][N], alone[2];
    for (int shape = MST_INTEGRAL_SHAPE_GPU; shape <= MST_INTEGRAL_SHAPE_CPU; shape++) {
        uint64_t together = 0, separate = 0;
        if (!test_turn((size_t)shape, 2))
            continue;
        build_quickly((mst_integral_shape)shape);
        mst_integral_desc d = desc_of(components, N, &unit, 1);
        d.n_parameters = 1;
        d.parameters = &a;
        d.shape = (mst_integral_shape)shape;
        d.relative_tolerance = 1e-8;
        test_integral_run(*state, &d, sets, 2, r[0]);
        for (int i = 0; i < 2; i++) {
            const double s = sets[i], wanted[N] = {expm1(s) / s,
                                                   2,
                                                   (pow(1.0 / 3, 0.7) + pow(2.0 / 3, 0.7)) / 0.7,
                                                   0.7 + 0.3 * s,
                                                   (1 - cos(30)) / 30,
                                                   0,
                                                   (exp(s) * (s - 1) + 1) / (s * s),
                                                   -1};
            check_within(r[i], wanted, N, shape == MST_INTEGRAL_SHAPE_GPU ? "gpu" : "cpu");
            together += r[i][0].evaluations;
        }
        d.n_components = 0;
        d.components = NULL;
        for (int c = 0; c < N; c++) {
            d.integrand = components[c];
            test_integral_run(*state, &d, sets, 2, alone);
            separate += alone[0].evaluations + alone[1].evaluations;
        }
        CHECK(together < separate, "%llu evaluations together, %llu alone", (unsigned long long)together,
              (unsigned long long)separate);
    }
    build_quickly(MST_INTEGRAL_SHAPE_CPU);
}

// One component is what `integrand` is, in every bit; compiled kernels and byte code give the same bits; results in elements of
// another size are the same.
static void test_same_bits(void **state) {
    static const char *const components[] = {"sqrt(abs(x - y))", "exp(-x*y)", "x", "x"};
    const mst_integral_range ranges[] = {{"x", "0", "1"}, {"y", "0", "x"}};
    enum { N = 4 };
    mst_integral_result r[2][N], one[2];
    char wide[N][sizeof(mst_integral_result) + 8];
    mst_integral_desc d = desc_of(components, N, ranges, 2);
    d.relative_tolerance = 1e-5;
    d.shape = MST_INTEGRAL_SHAPE_CPU;
    for (int k = 0; k < 2; k++) {
        d.compile_from = k == 0 ? 1 : UINT64_MAX;
        test_integral_run(*state, &d, NULL, 1, r[k]);
    }
    for (int c = 0; c < N; c++)
        check_same(&r[0][c], &r[1][c], "byte code");
    check_same(&r[0][2], &r[0][3], "the same twice");
    mst_integral *plan;
    mst_error e;
    d.result_size = sizeof wide[0];
    memset(wide, 0x5a, sizeof wide);
    OK(mst_integral_create(*state, &d, &plan, &e));
    assert_int_equal(mst_integral_n_components(plan), N);
    OK(mst_integral_execute(plan, NULL, 1, (mst_integral_result *)(void *)wide, NULL, &e));
    mst_integral_destroy(plan);
    for (int c = 0; c < N; c++) {
        mst_integral_result narrow;
        memcpy(&narrow, wide[c], sizeof narrow);
        check_same(&narrow, &r[1][c], "wider elements");
    }
    d.result_size = sizeof(mst_integral_result);
    d.n_components = 1;
    test_integral_run(*state, &d, NULL, 1, &one[0]);
    d.n_components = 0;
    d.components = NULL;
    d.integrand = components[0];
    test_integral_run(*state, &d, NULL, 1, &one[1]);
    check_same(&one[0], &one[1], "one component");
}

// Boxes, in 3 variables, and lattices, in 8.
static void test_several(void **state) {
    static const char *const three[] = {"x*y*z", "exp(x + y + z)", "1/(1 + x)", "abs(x - 0.3)*y"},
                             *const eight[] = {"x0 + x7", "1", "exp(x0)*x1*x2*x3*x4*x5*x6*x7"};
    static const char *const names[] = {"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7"};
    const mst_integral_range box[] = {{"x", "0", "1"}, {"y", "0", "1"}, {"z", "0", "1"}};
    const double e1 = exp(1), of_three[] = {1.0 / 8, pow(e1 - 1, 3), log(2), (0.09 + 0.49) / 4},
                 of_eight[] = {1, 1, (e1 - 1) / 128};
    mst_integral_range cube[8];
    mst_integral_result r[4];
    for (int shape = MST_INTEGRAL_SHAPE_GPU; shape <= MST_INTEGRAL_SHAPE_CPU; shape++) {
        if (!test_turn((size_t)shape + 1, 2))
            continue;
        build_quickly((mst_integral_shape)shape);
        mst_integral_desc d = desc_of(three, 4, box, 3);
        d.shape = (mst_integral_shape)shape;
        test_integral_run(*state, &d, NULL, 1, r);
        check_within(r, of_three, 4, "3 variables");
        for (int k = 0; k < 8; k++)
            cube[k] = (mst_integral_range){names[k], "0", "1"};
        d.components = eight;
        d.n_components = 3;
        d.n_variables = 8;
        d.ranges = cube;
        d.relative_tolerance = 1e-3;
        test_integral_run(*state, &d, NULL, 1, r);
        check_within(r, of_eight, 3, "8 variables");
    }
    build_quickly(MST_INTEGRAL_SHAPE_CPU);
}

// What one component cannot, others do: NaN on a part of the range, a divergent one, evaluations that are spent.
static void test_statuses(void **state) {
    static const char *const components[] = {"exp(x)", "x > 0.7 ? sqrt(-x) : 1", "1/x", "cos(x)"};
    const mst_integral_range unit = {"x", "0", "1"};
    mst_integral_result r[4];
    mst_integral_desc d = desc_of(components, 4, &unit, 1);
    d.max_evaluations = 100000;
    test_integral_run(*state, &d, NULL, 1, r);
    CHECK(fabs(r[0].value - expm1(1)) <= r[0].error && r[0].status == MST_INTEGRAL_CONVERGED, "%.17g", r[0].value);
    CHECK(fabs(r[3].value - sin(1)) <= r[3].error && r[3].status == MST_INTEGRAL_CONVERGED, "%.17g", r[3].value);
    CHECK(isnan(r[1].value) && r[1].status == MST_INTEGRAL_NON_FINITE, "%g, %s", r[1].value,
          mst_integral_status_name(r[1].status));
    CHECK(r[2].status != MST_INTEGRAL_CONVERGED, "1/x is %g +- %g", r[2].value, r[2].error);
    CHECK(r[0].evaluations <= 100000, "%llu evaluations", (unsigned long long)r[0].evaluations);
}

static void test_refusals(void **state) {
    static const char *const components[] = {"x", "x +", NULL};
    const char *many[MOST];
    const mst_integral_range unit = {"x", "0", "1"};
    mst_integral *plan;
    mst_error e;
    mst_integral_result r[MOST];
    mst_integral_desc d = desc_of(components, 2, &unit, 1);
    REFUSED(MST_ERROR_ARGUMENT, "component 1", mst_integral_create(*state, &d, &plan, &e));
    d.components = components + 1;
    REFUSED(MST_ERROR_ARGUMENT, "component 0", mst_integral_create(*state, &d, &plan, &e));
    d.n_components = MOST + 1;
    REFUSED(MST_ERROR_ARGUMENT, "n_components is 33", mst_integral_create(*state, &d, &plan, &e));
    d.n_components = -1;
    REFUSED(MST_ERROR_ARGUMENT, "n_components is -1", mst_integral_create(*state, &d, &plan, &e));
    d.n_components = 1;
    d.integrand = "x";
    REFUSED(MST_ERROR_ARGUMENT, "integrand must be NULL", mst_integral_create(*state, &d, &plan, &e));
    d.integrand = NULL;
    d.components = NULL;
    REFUSED(MST_ERROR_ARGUMENT, "components must not be NULL", mst_integral_create(*state, &d, &plan, &e));
    for (int c = 0; c < MOST; c++)
        many[c] = c % 2 ? "x" : "1 - x";
    d.components = many;
    d.n_components = 2;
    d.rule = MST_INTEGRAL_GAUSS;
    REFUSED(MST_ERROR_ARGUMENT, "use adaptive for 2", mst_integral_create(*state, &d, &plan, &e));
    d.rule = MST_INTEGRAL_ADAPTIVE;
    d.n_components = MOST; // and the most that there may be
    d.shape = MST_INTEGRAL_SHAPE_CPU;
    test_integral_run(*state, &d, NULL, 1, r);
    for (int c = 0; c < MOST; c++)
        CHECK(fabs(r[c].value - 0.5) <= r[c].error, "component %d: %.17g", c, r[c].value);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_variable), cmocka_unit_test(test_same_bits),
                                       cmocka_unit_test(test_several), cmocka_unit_test(test_statuses),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests_name("integral_components", tests, test_setup, test_teardown);
}
