// Evaluations of the adaptive rule beside those of QUADPACK's QAGS and QAGI (GSL's), over the families of QUADPACK's book
// (Piessens et al. 1983, section 4.2), at equal true error: of all tolerances tried, the fewest evaluations that came so close.
#include "integration_families.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_bessel.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double pi = 3.14159265358979323846;

static double log_power(double x, double a) { return pow(x, a) * log(1 / x); }
static double log_power_exact(double a) { return 1 / ((a + 1) * (a + 1)); }
static double peak(double x, double a) { return pow(4, -a) / ((x - pi / 4) * (x - pi / 4) + pow(16, -a)); }
static double peak_exact(double a) { return atan((4 - pi) * pow(4, a - 1)) + atan(pi * pow(4, a - 1)); }
static double bessel(double x, double a) { return cos(pow(2, a) * sin(x)); }
static double bessel_exact(double a) { return pi * gsl_sf_bessel_J0(pow(2, a)); }
static double third(double x, double a) { return pow(fabs(x - 1.0 / 3), a); }
static double third_exact(double a) { return (pow(2.0 / 3, a + 1) + pow(1.0 / 3, a + 1)) / (a + 1); }
static double quarter(double x, double a) { return pow(fabs(x - pi / 4), a); }
static double quarter_exact(double a) { return (pow(1 - pi / 4, a + 1) + pow(pi / 4, a + 1)) / (a + 1); }
static double ends(double x, double a) { return 1 / (sqrt(1 - x * x) * (x + 1 + pow(2, -a))); }
static double ends_exact(double a) { return pi / sqrt((1 + pow(2, -a)) * (1 + pow(2, -a)) - 1); }
static double sine_power(double x, double a) { return pow(sin(x), a - 1); }
static double sine_power_exact(double a) { return pow(2, a - 2) * tgamma(a / 2) * tgamma(a / 2) / tgamma(a); }
static double power_of_log(double x, double a) { return pow(log(1 / x), a - 1); }
static double power_of_log_exact(double a) { return tgamma(a); }
static double rising(double x, double a) { return exp(20 * (x - 1)) * sin(pow(2, a) * x); }
static double rising_exact(double a) {
    double w = pow(2, a);
    return (20 * sin(w) - w * cos(w) + w * exp(-20)) / (400 + w * w);
}
static double two_ends(double x, double a) { return cos(pow(2, a) * x) / sqrt(x * (1 - x)); }
static double two_ends_exact(double a) { return pi * cos(pow(2, a - 1)) * gsl_sf_bessel_J0(pow(2, a - 1)); }
static double decay(double x, double a) { return x * x * exp(-pow(2, -a) * x); }
static double decay_exact(double a) { return pow(2, 3 * a + 1); }
static double half_line(double x, double a) { return pow(x, a - 1) / ((1 + 10 * x) * (1 + 10 * x)); }
static double half_line_exact(double a) { return pow(10, -a) * (1 - a) * pi / sin(pi * a); }

const bench_family bench_family_table[BENCH_FAMILIES] = {
    {"x^a*log(1/x)", "0", "1", -0.9, 2.6, log_power, log_power_exact, 0, 1},
    {"4^(-a)/((x - pi/4)^2 + 16^(-a))", "0", "1", 0, 10, peak, peak_exact, 0, 1},
    {"cos(2^a*sin(x))", "0", "pi", 0, 10, bessel, bessel_exact, 0, 3.14159265358979323846},
    {"abs(x - 1/3)^a", "0", "1", -0.8, 2.1, third, third_exact, 0, 1},
    {"abs(x - pi/4)^a", "0", "1", -0.8, 2.1, quarter, quarter_exact, 0, 1},
    {"1/(sqrt(1 - x^2)*(x + 1 + 2^(-a)))", "-1", "1", 1, 10, ends, ends_exact, -1, 1},
    {"sin(x)^(a - 1)", "0", "pi/2", 0.1, 2, sine_power, sine_power_exact, 0, 1.57079632679489661923},
    {"log(1/x)^(a - 1)", "0", "1", 0.1, 2, power_of_log, power_of_log_exact, 0, 1},
    {"exp(20*(x - 1))*sin(2^a*x)", "0", "1", 0, 9, rising, rising_exact, 0, 1},
    {"cos(2^a*x)/sqrt(x*(1 - x))", "0", "1", 0, 8, two_ends, two_ends_exact, 0, 1},
    {"x^2*exp(-2^(-a)*x)", "0", "inf", 0, 5, decay, decay_exact, 0, INFINITY},
    {"x^(a - 1)/(1 + 10*x)^2", "0", "inf", 0.1, 1.9, half_line, half_line_exact, 0, INFINITY},
};
enum { EACH = 30, TOLERANCES = 12, TARGETS = 5 };
static const double targets[TARGETS] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-11};

typedef struct called {
    const bench_family *family;
    double a;
    size_t evaluations;
} called;

static double call(double x, void *user) {
    called *c = user;
    c->evaluations++;
    return c->family->f(x, c->a);
}

static void note(double fewest[TARGETS], double evaluations, double off) {
    for (int t = 0; t < TARGETS; t++)
        if (off <= targets[t])
            fewest[t] = fmin(fewest[t], evaluations);
}

static void run_peer(const bench_family *f, const double *a, double tolerance, double (*fewest)[TARGETS],
                     gsl_integration_workspace *space) {
    for (int i = 0; i < EACH; i++) {
        called c = {f, a[i], 0};
        gsl_function g = {call, &c};
        double value = NAN, estimate, exact = f->exact(a[i]);
        if (isinf(f->high))
            gsl_integration_qagiu(&g, f->low, 0, tolerance, 2000, space, &value, &estimate);
        else
            gsl_integration_qags(&g, f->low, f->high, 0, tolerance, 2000, space, &value, &estimate);
        note(fewest[i], (double)c.evaluations, fabs(value - exact) / fabs(exact));
    }
}

static mst_status run_own(mst_context *context, const bench_family *f, const double *a, double tolerance,
                          double (*fewest)[TARGETS], mst_error *error) {
    static const char *const name = "a";
    const mst_integral_range range = {"x", f->from, f->to};
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    mst_integral *plan = NULL;
    mst_integral_result r[EACH];
    d.integrand = f->integrand;
    d.ranges = &range;
    d.n_parameters = 1;
    d.parameters = &name;
    d.relative_tolerance = tolerance;
    d.max_evaluations = 1 << 18;
    mst_status status = mst_integral_create(context, &d, &plan, error);
    if (status == MST_OK)
        status = mst_integral_execute(plan, a, EACH, r, NULL, error);
    mst_integral_destroy(plan);
    for (int i = 0; i < EACH && status == MST_OK; i++)
        note(fewest[i], (double)r[i].evaluations, fabs(r[i].value - f->exact(a[i])) / fabs(f->exact(a[i])));
    return status;
}

mst_status bench_families(mst_context *context, mst_error *error) {
    gsl_integration_workspace *space = gsl_integration_workspace_alloc(2000);
    double log_sum = 0, counted = 0;
    mst_status status = MST_OK;
    gsl_set_error_handler_off();
    printf("evaluations over QUADPACK's at equal true error, over QUADPACK's families\n");
    for (size_t k = 0; k < BENCH_FAMILIES && status == MST_OK; k++) {
        double a[EACH], own[EACH][TARGETS], peer[EACH][TARGETS], sum = 0;
        int both = 0, only_own = 0, only_peer = 0;
        for (int i = 0; i < EACH; i++) {
            a[i] = bench_family_table[k].first + (bench_family_table[k].last - bench_family_table[k].first) * (i + 0.37) / EACH;
            for (int t = 0; t < TARGETS; t++)
                own[i][t] = peer[i][t] = INFINITY;
        }
        for (int t = 0; t < TOLERANCES && status == MST_OK; t++) {
            run_peer(&bench_family_table[k], a, pow(10, -1 - t), peer, space);
            status = run_own(context, &bench_family_table[k], a, pow(10, -1 - t), own, error);
        }
        for (int i = 0; i < EACH * TARGETS; i++) {
            const double o = own[i / TARGETS][i % TARGETS], p = peer[i / TARGETS][i % TARGETS];
            both += isfinite(o) && isfinite(p);
            only_own += isfinite(o) && !isfinite(p);
            only_peer += isfinite(p) && !isfinite(o);
            sum += isfinite(o) && isfinite(p) ? log(o / p) : 0;
        }
        printf("  %-36s %5.2f   of %d, %d more by this library only, %d by QUADPACK only\n", bench_family_table[k].integrand,
               exp(sum / both), both, only_own, only_peer);
        log_sum += sum / both;
        counted++;
    }
    printf("  geometric mean of the families %.2f (wanted 1.1)\n", exp(log_sum / counted));
    gsl_integration_workspace_free(space);
    return status;
}
