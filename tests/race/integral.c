#include "race.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N_METHODS = 6 };

// x^2 + a over [0, a] for a = 1, 2, 3 by every method, and x y over [0, 1]^n.
static void integrate(mst_context *context, int method, mst_integral_shape shape) {
    static const struct {
        mst_integral_rule rule;
        size_t work_items;
        int n_variables;
    } methods[N_METHODS] = {{MST_INTEGRAL_SIMPSON, 0, 1},   {MST_INTEGRAL_RECTANGLE, 8, 1}, {MST_INTEGRAL_ADAPTIVE, 0, 1},
                            {MST_INTEGRAL_TANH_SINH, 0, 1}, {MST_INTEGRAL_ADAPTIVE, 0, 2},  {MST_INTEGRAL_ADAPTIVE, 0, 8}};
    static const char *const names[] = {"a"}, *const variables[] = {"x", "y", "c", "d", "e", "f", "g", "h"};
    const double sets[] = {1, 2, 3};
    mst_integral_range ranges[8] = {{"x", "0", "a"}};
    mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    mst_integral_result results[3];
    mst_integral *plan;
    mst_error error;
    const int n = methods[method].n_variables;
    for (int k = 0; k < n && n > 1; k++)
        ranges[k] = (mst_integral_range){variables[k], "0", "1"};
    desc.integrand = n == 1 ? "abs(x - 0.7) < 0 ? 0 : x^2 + a" : "abs(x - 0.3)*y*a";
    desc.ranges = ranges;
    desc.n_variables = n;
    desc.n_parameters = 1;
    desc.parameters = names;
    desc.rule = methods[method].rule;
    desc.work_items = methods[method].work_items;
    desc.group_size = desc.work_items / 2;
    desc.points = method < 2 ? 500 : 0;
    desc.shape = shape;
    desc.absolute_tolerance = desc.work_items > 0 ? 0 : n == 1 ? 1e-6 : 3e-3;
    desc.max_evaluations = method < 2 ? 0 : 16 << 10;
    check(mst_integral_create(context, &desc, &plan, &error), &error);
    check(mst_integral_execute(plan, sets, 3, results, NULL, &error), &error);
    mst_integral_destroy(plan);
    for (int i = 0; i < 3; i++) {
        const double a = sets[i], want = n == 1 ? a * a * a / 3 + a * a : 0.29 * a / 2, off = fabs(results[i].value - want);
        if (!(off <= (methods[method].work_items ? 0.1 : 1e-2))) {
            fprintf(stderr, "integral, method %d: %.9g, expected %.9g\n", method, results[i].value, want);
            exit(1);
        }
    }
}

static void run(mst_context *context, int c) {
    integrate(context, c % N_METHODS, c < N_METHODS ? MST_INTEGRAL_SHAPE_GPU : MST_INTEGRAL_SHAPE_CPU);
}

const race_cases race_integral = {2 * N_METHODS, run};
