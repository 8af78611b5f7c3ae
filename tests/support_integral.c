#include "support_integral.h"

mst_integral_desc test_integral_desc(const char *integrand, const mst_integral_range *ranges, int n_parameters,
                                     const char *const *parameters) {
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    d.integrand = integrand;
    d.ranges = ranges;
    d.n_parameters = n_parameters;
    d.parameters = parameters;
    return d;
}

void test_integral_run(mst_context *context, const mst_integral_desc *desc, const double *parameters, size_t n,
                       mst_integral_result *results) {
    mst_error e;
    mst_integral *plan;
    mst_execution how = MST_EXECUTION_INIT;
    mst_report report = MST_REPORT_INIT;
    how.report = &report;
    memset(results, 0xff, n * sizeof *results);
    OK(mst_integral_create(context, desc, &plan, &e));
    OK(mst_integral_execute(plan, parameters, n, results, &how, &e));
    assert_true(report.seconds > 0);
    mst_integral_destroy(plan);
}

long double test_corner_peak(int n, const double *a) {
    long double sum = 0, factor = 1;
    for (unsigned corner = 0; corner < 1u << n; corner++) {
        long double at = 1, sign = 1;
        for (int i = 0; i < n; i++)
            if (corner >> i & 1) {
                at += (long double)a[i];
                sign = -sign;
            }
        sum += sign / at;
    }
    for (int i = 0; i < n; i++)
        factor *= (long double)a[i] * (i + 1);
    return sum / factor;
}

const char *test_join(char *list, int n, const char *format, const char *between) {
    char *end = list;
    for (int i = 0; i < n; i++) {
        if (i > 0)
            end = stpcpy(end, between);
        for (const char *c = format; *c; c++)
            *c == '#' ? (void)(*end++ = (char)('0' + i)) : (void)(*end++ = *c);
    }
    *end = 0;
    return list;
}
