// Byte code of integrands: every operation against the interpreter on the host, and the same bits as compiled kernels, also where
// these take over in the middle.
#include "support_integral.h"

#include "expr/tree.h"
#include "integrate/plan.h"

#include <math.h>

static const double values[] = {-2.5, -1, -0.5, -0.0, 0, 0.25, 0.5, 1, 1.75, 2, 3, 40};
enum { VALUES = sizeof values / sizeof values[0], PAIRS = VALUES * VALUES };

// The integral of the expression, which does not depend on x, over [0, 1] for every pair of values a, b.
static void check_operation(mst_context *context, const char *text, mst_type type) {
    static const char *const names[] = {"a", "b"};
    static const mst_expr_symbol symbols[] = {{"a", 0, 0}, {"b", 0, 0}};
    const mst_integral_range range = {"x", "0", "1"};
    mst_integral_desc desc = test_integral_desc(text, &range, 2, names);
    mst_integral_result results[PAIRS];
    double pairs[2 * PAIRS];
    mst_expr *expr;
    mst_error e;
    for (size_t i = 0; i < PAIRS; i++) {
        pairs[2 * i] = values[i / VALUES];
        pairs[2 * i + 1] = values[i % VALUES];
    }
    desc.compile_from = UINT64_MAX;
    desc.type = type;
    desc.shape = MST_INTEGRAL_SHAPE_CPU;
    desc.max_evaluations = 46; // of a constant
    test_integral_run(context, &desc, pairs, PAIRS, results);
    OK(mst_expr_parse(text, text, symbols, 2, &expr, &e));
    for (size_t i = 0; i < PAIRS; i++) {
        double leaves[2], allowed = type == MST_FLOAT64 ? 1e-12 : 1e-5;
        for (size_t k = 0; k < mst_expr_n_leaves(expr); k++)
            leaves[k] = pairs[2 * i + mst_expr_leaves(expr)[k].symbol];
        double wanted = mst_expr_evaluate(expr, leaves), got = results[i].value;
        bool overflows = fabs(wanted) > (type == MST_FLOAT64 ? 1e300 : 1e35);
        CHECK(overflows || (isnan(wanted) ? isnan(got) : fabs(got - wanted) <= allowed * (1 + fabs(wanted))),
              "%s of a = %g, b = %g in %s is %.17g, not %.17g", text, pairs[2 * i], pairs[2 * i + 1], mst_type_name(type), got,
              wanted);
    }
    mst_expr_destroy(expr);
}

static void operations(void **state) {
    static const char *const texts[] = {
        "-a",           "a + b",  "a - b",  "a*b", "a/b",    "a < b",  "a <= b",    "a > b",
        "a >= b",       "a == b", "a != b", "!a",  "a && b", "a || b", "a ? b : 3", "a < b && b < 1 || !(a > 2)",
        "a^5 - b^(-3)", "7"};
    const bool fp64 = mst_context_device(*state)->fp64;
    const mst_type type = fp64 && test_turn(0, 2) ? MST_FLOAT64 : MST_FLOAT32;
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++)
        check_operation(*state, texts[k], type);
    for (const mst_expr_function *f = mst_expr_functions; f->name; f++) {
        char text[40];
        snprintf(text, sizeof text, f->arity == 1 ? "%s(a)" : "%s(a, b)", f->name);
        check_operation(*state, text, type);
    }
}

// ---- compiled kernels

typedef struct form_case {
    const char *integrand;
    int n_variables;
    mst_integral_range ranges[8];
    mst_integral_rule rule;
    mst_type type;
} form_case;

static const form_case cases[] = {
    {"exp(-a*x)*(cos(3*x)/(1 + x^2) + (x < 0.3 ? sqrt(x) : atan2(x, a)) + pow(x, a)*mod(x, 2) + erf(x)*min(x, a))",
     1,
     {{"x", "0", "inf"}},
     MST_INTEGRAL_ADAPTIVE,
     MST_FLOAT64},
    {"sin(a*x) + tanh(x) - log(1 + x^2)", 1, {{"x", "-1", "a"}}, MST_INTEGRAL_ADAPTIVE, MST_FLOAT32},
    {"exp(-x^2)*a*cos(x)", 1, {{"x", "-inf", "inf"}}, MST_INTEGRAL_ADAPTIVE, MST_FLOAT64},
    {"log(left)*right^0.3 + a*x", 1, {{"x", "1", "2"}}, MST_INTEGRAL_TANH_SINH, MST_FLOAT64},
    {"exp(-x^2)/(a + x^2)", 1, {{"x", "-inf", "inf"}}, MST_INTEGRAL_TANH_SINH, MST_FLOAT64},
    {"exp(-x^2)*cos(a*x)", 1, {{"x", "-inf", "0"}}, MST_INTEGRAL_GAUSS, MST_FLOAT32},
    {"x^3 - a*x + sqrt(x)", 1, {{"x", "0", "2"}}, MST_INTEGRAL_SIMPSON, MST_FLOAT64},
    {"x*sin(y) + a", 2, {{"x", "0", "1"}, {"y", "x", "2*x"}}, MST_INTEGRAL_ADAPTIVE, MST_FLOAT64},
    {"exp(-x*y - a*z)", 3, {{"x", "1", "2"}, {"y", "x", "inf"}, {"z", "0", "inf"}}, MST_INTEGRAL_ADAPTIVE, MST_FLOAT32},
    {"cos(x + y*z) + q*r*s*t*u*a",
     8,
     {{"x", "0", "1"},
      {"y", "0", "1"},
      {"z", "0", "1"},
      {"q", "0", "1"},
      {"r", "0", "1"},
      {"s", "0", "1"},
      {"t", "0", "1"},
      {"u", "0", "x"}},
     MST_INTEGRAL_ADAPTIVE,
     MST_FLOAT64},
};
enum { SETS = 19 };

static void run_case(mst_context *context, const form_case *c, mst_integral_shape shape, uint64_t compile_from,
                     mst_integral_result *results) {
    static const char *const name = "a";
    mst_integral_desc desc = test_integral_desc(c->integrand, c->ranges, 1, &name);
    mst_integral *plan;
    mst_error e;
    double parameters[SETS];
    for (size_t i = 0; i < SETS; i++)
        parameters[i] = 0.5 + (double)i / 8;
    desc.n_variables = c->n_variables;
    desc.rule = c->rule;
    desc.type = c->type;
    desc.compile_from = compile_from;
    desc.shape = shape;
    desc.relative_tolerance = c->n_variables > 1 ? 1e-4 : c->type == MST_FLOAT64 ? 1e-12 : 1e-5;
    desc.max_evaluations = c->rule >= MST_INTEGRAL_RECTANGLE ? 0 : 100000;
    desc.points = c->rule >= MST_INTEGRAL_RECTANGLE ? 12345 : 0;
    OK(mst_integral_create(context, &desc, &plan, &e));
    OK(mst_integral_execute(plan, parameters, SETS, results, NULL, &e));
    CHECK((compile_from == UINT64_MAX) == (plan->form == MST_INTEGRAL_FORM_BYTE_CODE),
          "%s: compiled kernels did not take over, or did", c->integrand);
    mst_integral_destroy(plan);
}

static void check_same(const form_case *c, const mst_integral_result *a, const mst_integral_result *b, const char *what) {
    for (size_t i = 0; i < SETS; i++)
        CHECK(memcmp(&a[i].value, &b[i].value, sizeof(double)) == 0 && memcmp(&a[i].error, &b[i].error, sizeof(double)) == 0 &&
                  a[i].evaluations == b[i].evaluations && a[i].status == b[i].status,
              "%s, set %zu: %.17g +- %.17g by byte code, %.17g +- %.17g %s", c->integrand, i, a[i].value, a[i].error, b[i].value,
              b[i].error, what);
}

// Byte code first: nothing is compiled then, which it would use.
static void check_bits(mst_context *context, const form_case *c, mst_integral_shape shape) {
    mst_integral_result code[SETS], both[SETS], compiled[SETS];
    if (c->type == MST_FLOAT64 && !mst_context_device(context)->fp64)
        return;
    run_case(context, c, shape, UINT64_MAX, code);
    run_case(context, c, shape, 500, both);
    run_case(context, c, shape, 1, compiled);
    check_same(c, code, both, "where compiled kernels took over");
    check_same(c, code, compiled, "by compiled kernels");
}

// The first case in every run, as the device is; the others, and the other shape, at night.
static void same_bits(void **state) {
    const bool at_night = test_many(1) > 1;
    for (size_t k = 0; k < (at_night ? sizeof cases / sizeof cases[0] : 1); k++) {
        check_bits(*state, &cases[k], MST_INTEGRAL_SHAPE_AUTO);
        if (at_night && mst_context_device(*state)->type == CL_DEVICE_TYPE_CPU)
            check_bits(*state, &cases[k], MST_INTEGRAL_SHAPE_GPU);
    }
}

static void refused(void **state) {
    const mst_integral_range range = {"x", "0", "1"};
    char text[4000] = "x";
    mst_integral_desc desc = test_integral_desc("x", &range, 0, NULL);
    mst_integral *plan = NULL;
    mst_error e;
    desc.compile_from = UINT64_MAX;
    for (int k = 0; k < 300; k++) // as many constants
        snprintf(text + strlen(text), sizeof text - strlen(text), "*x+%d.5", k);
    desc.integrand = text;
    REFUSED(MST_ERROR_UNSUPPORTED, "slots", mst_integral_create(*state, &desc, &plan, &e));
    desc.integrand = "x";
    desc.rule = MST_INTEGRAL_RECTANGLE;
    desc.relative_tolerance = 0;
    desc.work_items = desc.group_size = 1;
    REFUSED(MST_ERROR_UNSUPPORTED, "work_items", mst_integral_create(*state, &desc, &plan, &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations), cmocka_unit_test(same_bits), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
