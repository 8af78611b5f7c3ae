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
