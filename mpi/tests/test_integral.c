// Integrals by shares: on every rank the bits of one process, and the closed form; fewer integrals than ranks, and none.
#include "support.h"

#include <math.h>
#include <string.h>

enum { MOST = 40 };

static void run_case(mst_integral *plan, size_t n) {
    static mst_integral_result ours[MOST], one[MOST];
    double parameters[MOST];
    mst_error e;
    for (size_t i = 0; i < n; i++)
        parameters[i] = 0.5 + (double)i;
    memset(ours, 0, sizeof ours);
    OK(mst_integral_execute(plan, parameters, n, one, NULL, &e));
    OK(mst_mpi_integral_execute(MPI_COMM_WORLD, plan, parameters, 1, n, ours, 60, &e));
    for (size_t i = 0; i < n; i++) {
        double a = parameters[i], exact = (1 - cos(a)) / a;
        CHECK(memcmp(&ours[i].value, &one[i].value, sizeof one[i].value) == 0 && ours[i].status == one[i].status,
              "integral %zu of %zu is %.17g, by one process %.17g", i, n, ours[i].value, one[i].value);
        CHECK(fabs(ours[i].value - exact) < 1e-5, "integral %zu of %zu is %.17g, not %.17g", i, n, ours[i].value, exact);
    }
}

int main(int argc, char **argv) {
    static const size_t counts[] = {1, 2, 7, MOST};
    const char *const names[] = {"a"};
    const mst_integral_range range = {"x", "0", "1"};
    mst_integral_desc d = MST_INTEGRAL_DESC_INIT;
    mst_integral *plan = NULL;
    mst_error e;
    mst_context *context = test_begin(&argc, &argv);
    d.integrand = "sin(a*x)";
    d.ranges = &range;
    d.n_parameters = 1;
    d.parameters = names;
    d.relative_tolerance = 1e-6;
    OK(mst_integral_create(context, &d, &plan, &e));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        run_case(plan, counts[i]);
    mst_status status = mst_mpi_integral_execute(MPI_COMM_WORLD, plan, NULL, 1, 3, NULL, 60, &e);
    CHECK(status == MST_ERROR_ARGUMENT, "no results give %s", mst_status_name(status));
    mst_integral_destroy(plan);
    test_end(context);
    return 0;
}
