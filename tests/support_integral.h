// What tests of integrals share.
#ifndef MST_TESTS_SUPPORT_INTEGRAL_H
#define MST_TESTS_SUPPORT_INTEGRAL_H

#include "support.h"

// Of one variable and to the default tolerances, in float64; arguments are kept by reference.
mst_integral_desc test_integral_desc(const char *integrand, const mst_integral_range *ranges, int n_parameters,
                                     const char *const *parameters);

// Makes a plan and n results by it, one for each row of parameters.
void test_integral_run(mst_context *context, const mst_integral_desc *desc, const double *parameters, size_t n,
                       mst_integral_result *results);

// The integral of (1 + a[0] x0 + ...)^-(n + 1) over the unit cube of n dimensions (Genz 1984): the sum over its corners.
long double test_corner_peak(int n, const double *a);

// `format` for each of n variables, with the variable's number in place of #, and `between` between them.
const char *test_join(char *list, int n, const char *format, const char *between);

#endif
