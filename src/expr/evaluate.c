// The interpreter: the reference for what the kernels compute.
#include "tree.h"

#include <math.h>

const mst_expr_function mst_expr_functions[] = {
#define FUNCTION(operation, name, arity, opencl, c) {name, arity, opencl},
    MST_EXPR_FUNCTIONS(FUNCTION)
#undef FUNCTION
        {NULL, 0, NULL}};

double mst_expr_sign(double x) { return isnan(x) ? 0.0 : x == 0 ? x : copysign(1.0, x); }
float mst_expr_signf(float x) { return (float)mst_expr_sign((double)x); }

double mst_expr_lgamma(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

float mst_expr_lgammaf(float x) {
    int sign;
    return lgammaf_r(x, &sign);
}

#define REAL double
#define NAME(f) f
#include "evaluate.h"
#undef REAL
#undef NAME

#define REAL float
#define JOIN(name) name##f
#define NAME(f) JOIN(f)
#define mst_expr_evaluatef mst_expr_evaluate_float
#include "evaluate.h"

double mst_expr_apply(mst_expr_operation operation, double a, double b, double c) { return apply(operation, a, b, c); }
