#include "plan.h"

const char *mst_integral_rule_name(mst_integral_rule rule) {
    static const char *const names[] = {"adaptive",  "tanh-sinh", "rectangle", "midpoint",
                                        "trapezoid", "simpson",   "gauss",     "oscillatory"};
    return rule >= MST_INTEGRAL_ADAPTIVE && rule <= MST_INTEGRAL_OSCILLATORY ? names[rule] : "unknown rule";
}

const char *mst_integral_status_name(mst_integral_status status) {
    static const char *const names[] = {"converged", "budget", "round-off", "non-finite"};
    return status >= MST_INTEGRAL_CONVERGED && status <= MST_INTEGRAL_NON_FINITE ? names[status] : "unknown status";
}
