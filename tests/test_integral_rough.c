// Integrals of one variable with jumps, kinks and roots at random places, and of large oscillating values that cancel: true
// errors lie within those reported, and what rounding puts out of reach has a status that says so.
#include "support.h"

#include <math.h>

enum { KINDS = 14, EACH = 200, N = KINDS * EACH, FIRST_CANCELLING = 12 };

static const char rough[] = "k == 0 ? floor(a*x)"
                            ": k == 1 ? (x < c ? 1 : 2)"
                            ": k == 2 ? abs(x - c)"
                            ": k == 3 ? (x < c ? exp(a*x) : cos(a*x))"
                            ": k == 4 ? sqrt(abs(x - c))"
                            ": k == 5 ? (x < c ? 0 : (x - c)^2)"
                            ": k == 6 ? (sin(a*x) > 0 ? 1 : -1)"
                            ": k == 7 ? abs(sin(a*x))"
                            ": k == 8 ? a*x - floor(a*x)"
                            ": k == 9 ? sin(3*x) + (x < c ? 0 : w)" // jumps and kinks that hardly show
                            ": k == 10 ? exp(x) + w*abs(x - c)"
                            ": k == 11 ? cos(10*a*x)*exp(-a*x)"
                            ": k == 12 ? 1000000*sin(a*(x - 1/2))"
                            ": 1000000*(abs(x - 1/2) - 1/4)";

static double exact(int k, double a, double c, double w) {
    const double pi = acos(-1);
    double n, rest;
    switch (k) {
    case 0:
        n = floor(a);
        return n - n * (n + 1) / (2 * a);
    case 1:
        return 2 - c;
    case 2:
        return (c * c + (1 - c) * (1 - c)) / 2;
    case 3:
        return expm1(a * c) / a + (sin(a) - sin(a * c)) / a;
    case 4:
        return 2 * (pow(c, 1.5) + pow(1 - c, 1.5)) / 3;
    case 5:
        return pow(1 - c, 3) / 3;
    case 6: // n whole half-periods, and a rest
        n = floor(a / pi), rest = a - n * pi;
        return fmod(n, 2) > 0 ? (pi - rest) / a : rest / a;
    case 7:
        n = floor(a / pi);
        return (2 * n + 1 - cos(a - n * pi)) / a;
    case 8:
        n = floor(a);
        return (n + (a - n) * (a - n)) / (2 * a);
    case 9:
        return (1 - cos(3)) / 3 + w * (1 - c);
    case 10:
        return expm1(1) + w * (c * c + (1 - c) * (1 - c)) / 2;
    case 11:
        return (a + exp(-a) * (10 * a * sin(10 * a) - a * cos(10 * a))) / (101 * a * a);
    default:
        return 0;
    }
}

static void draw(double *p, int k) {
    static const double lows[KINDS] = {1, 0, 0, 0.2, 0, 0, 1, 1, 1, 0, 0, 0.1, 1, 0},
                        highs[KINDS] = {30, 1, 1, 4.2, 1, 1, 60, 60, 30, 1, 1, 10, 300, 1};
    const double values[] = {k, lows[k] + (highs[k] - lows[k]) * fabs(test_uniform()), fabs(test_uniform()),
                             pow(10, -12 * fabs(test_uniform()))};
    for (int i = 0; i < 4; i++)
        p[i] = (double)(float)values[i]; // the same in float32
}

static void check(mst_context *context, mst_type type, double tolerance) {
    static const char *const names[] = {"k", "a", "c", "w"};
    static double parameters[N][4];
    static mst_integral_result r[N];
    const mst_integral_range range = {"x", "0", "1"};
    mst_error e;
    mst_integral *plan;
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    int within = 0, converged = 0, unreachable = 0;
    d.integrand = rough;
    d.ranges = &range;
    d.n_parameters = 4;
    d.parameters = names;
    d.type = type;
    d.relative_tolerance = tolerance;
    for (int i = 0; i < N; i++)
        draw(parameters[i], i % KINDS);
    memset(r, 0xff, sizeof r);
    OK(mst_integral_create(context, &d, &plan, &e));
    OK(mst_integral_execute(plan, &parameters[0][0], N, r, NULL, &e));
    mst_integral_destroy(plan);
    for (int i = 0; i < N; i++) {
        const double *p = parameters[i], wanted = exact(i % KINDS, p[1], p[2], p[3]), error = fabs(r[i].value - wanted);
        within += error <= r[i].error + 1e-15 * fabs(wanted);
        converged += i % KINDS < FIRST_CANCELLING && r[i].status == MST_INTEGRAL_CONVERGED;
        unreachable += i % KINDS == FIRST_CANCELLING && r[i].status == MST_INTEGRAL_ROUND_OFF;
        CHECK(i % KINDS < FIRST_CANCELLING || error <= r[i].error, "kind %d, a = %.17g: %.17g +- %.3g", i % KINDS, p[1],
              r[i].value, r[i].error);
    }
    print_message("%s, tolerance %g: %.2f %% of the true errors within those reported\n", mst_type_name(type), tolerance,
                  100.0 * within / N);
    CHECK(within >= 0.99 * N, "only %d of %d true errors are within those reported", within, N);
    CHECK(converged >= (type == MST_FLOAT64 ? 0.99 : 0.8) * FIRST_CANCELLING * EACH, "only %d converged", converged);
    CHECK(unreachable >= 0.99 * EACH, "only %d of %d that rounding puts out of reach say so", unreachable, EACH);
}

static void test_rough(void **state) {
    check(*state, MST_FLOAT64, 1e-3);
    check(*state, MST_FLOAT64, 1e-6);
    check(*state, MST_FLOAT64, 1e-10);
    check(*state, MST_FLOAT32, 1e-4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rough)};
    return cmocka_run_group_tests_name("integral_rough", tests, test_setup, test_teardown);
}
