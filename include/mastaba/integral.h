// Mastaba: definite integrals of expressions, one or thousands at a time, with an error estimate and an honest status.
//
//     I(p) = integral over x_0 from a_0(p) to b_0(p), ..., x_{d-1} from a_{d-1}(p) to b_{d-1}(p)  of  f(x_0 .. x_{d-1}; p)
//
// for every row p of a table of parameters; bounds may depend on variables before theirs, too. The grammar of expressions:
// docs/expressions.md. Bounds may be inf and -inf; from above to below changes the sign. Results are the same bit for bit on one
// device whenever the call is the same.
#ifndef MASTABA_INTEGRAL_H
#define MASTABA_INTEGRAL_H

#include <mastaba/context.h>

#ifdef __cplusplus
extern "C" {
#endif

// A plan: how one integrand is integrated, for any values of its parameters.
typedef struct mst_integral mst_integral;

// The fixed rules, RECTANGLE to GAUSS, cut the range into equal panels; they are for one variable.
typedef enum mst_integral_rule {
    MST_INTEGRAL_ADAPTIVE = 0,  // 1 variable: Kronrod, 21 nodes; 2 to 7: Genz-Malik 7/5; 8 and more: shifted lattices
    MST_INTEGRAL_TANH_SINH = 1, // 1 variable: for singularities at the ends (Takahasi and Mori 1974)
    MST_INTEGRAL_RECTANGLE = 2, // left ends: h sum_k f(a + k h), k = 0 .. points - 1, h = (b - a) / points
    MST_INTEGRAL_MIDPOINT = 3,
    MST_INTEGRAL_TRAPEZOID = 4,  // points panels
    MST_INTEGRAL_SIMPSON = 5,    // points / 2 panels, rounded up
    MST_INTEGRAL_GAUSS = 6,      // points / 8 panels, rounded up, with 8 Gauss-Legendre nodes each
    MST_INTEGRAL_OSCILLATORY = 7 // 1 variable, to infinity: adaptive between zeros, the sums extrapolated (Sidi 1988)
} mst_integral_rule;

// How an integral ended.
typedef enum mst_integral_status {
    MST_INTEGRAL_CONVERGED = 0, // the error estimate is within the tolerance, or there was none (fixed rules)
    MST_INTEGRAL_BUDGET = 1,    // evaluations, points or memory were spent before
    MST_INTEGRAL_ROUND_OFF = 2, // more evaluations do not help: rounding, a divergent integral, or a singularity inside
    MST_INTEGRAL_NON_FINITE = 3 // the integrand was NaN or infinite inside the range; value is NaN, error infinity
} mst_integral_status;

// An integral: its value, and what is known of it.
typedef struct mst_integral_result {
    double value;
    double error; // estimate of |value - I|; NaN where the rule has none (RECTANGLE with work_items, fixed rules of one panel)
    uint64_t evaluations;
    mst_integral_status status;
} mst_integral_result;

// How kernels use the device: either runs anywhere. CPU: vectors, work-groups of one.
typedef enum mst_integral_shape {
    MST_INTEGRAL_SHAPE_AUTO = 0, // by the device's type
    MST_INTEGRAL_SHAPE_GPU = 1,
    MST_INTEGRAL_SHAPE_CPU = 2
} mst_integral_shape;

// A variable and its bounds, expressions of the parameters and of the variables before it: {"x", "0", "1"}, {"y", "0", "x"} is a
// triangle.
typedef struct mst_integral_range {
    const char *name;
    const char *from, *to;
} mst_integral_range;

// The most variables of an integrand.
#define MST_INTEGRAL_MAX_VARIABLES 32

// The most components of an integrand.
#define MST_INTEGRAL_MAX_COMPONENTS 32

// What mst_integral_create makes a plan of.
typedef struct mst_integral_desc {
    size_t struct_size;
    const char *integrand; // an expression of variables and parameters; with one variable and finite bounds also of `left` and
                           // `right`, its distances from the bounds, which tanh-sinh gives without cancellation
    int n_variables;       // 1..MST_INTEGRAL_MAX_VARIABLES
    const mst_integral_range *ranges;
    size_t range_size; // sizeof(mst_integral_range)
    int n_parameters;
    const char *const *parameters; // their names
    int n_breakpoints;             // ADAPTIVE, up to 7 variables: where to cut at the beginning; expressions of the parameters
    const char *const *breakpoints;
    mst_integral_rule rule;
    uint64_t points;           // of the fixed rules; 0: 2^20
    double relative_tolerance; // 0 with absolute_tolerance 0: 1e-10 in float64, from 2 variables on 1e-6; 1e-4 in float32; fixed
                               // rules: none
    double absolute_tolerance; // what is met is the larger of the two
    uint64_t max_evaluations;  // an integral, beside the first round; 0: 2^22 for 1 variable, 2^28 for more
    mst_type type;             // MST_FLOAT64 or MST_FLOAT32; 0: float64 where the device has it
    size_t work_items;         // RECTANGLE: as published, with so many work-items in groups of group_size, each summing
    size_t group_size;         // consecutive points in a row; 0: as many as fill the device, in a fixed tree
    mst_integral_shape shape;
    size_t result_size; // sizeof(mst_integral_result)
    // Kernels run any integrand as byte code, or are compiled for this one, which takes 1 to 3 processor seconds and gives the
    // same bits. From how many evaluations on they are compiled, of all executions together, which happens in the execution that
    // asks for them. 1: at once; UINT64_MAX: never; 0: if they are in the cache, or when compiling is repaid.
    uint64_t compile_from;
    // A vector-valued integrand, ADAPTIVE: its components, expressions as `integrand`, which is NULL then. All are evaluated at
    // the same nodes, what they have in common once; regions are halved, points added, until each has met its tolerance.
    int n_components; // 0: `integrand` alone; else 1..MST_INTEGRAL_MAX_COMPONENTS
    const char *const *components;
    // Which variable each breakpoint cuts, 0..n_variables - 1; NULL: all the first. The bounds of that variable must not depend
    // on others. Each cut goes through the whole range: with two breakpoints of x and one of y there are six boxes.
    const int *breakpoint_variables;
} mst_integral_desc;

#define MST_INTEGRAL_DESC_INIT                                                                                                   \
    {                                                                                                                            \
        sizeof(mst_integral_desc), NULL, 1, NULL, sizeof(mst_integral_range), 0, NULL, 0, NULL, MST_INTEGRAL_ADAPTIVE, 0, 0.0,   \
            0.0, 0, (mst_type)0, 0, 0, MST_INTEGRAL_SHAPE_AUTO, sizeof(mst_integral_result), 0, 0, NULL, NULL                    \
    }

// Makes a plan: checks everything, builds the kernels. Strings are not needed afterwards. *out is the caller's, freed by
// mst_integral_destroy before the context; NULL on failure. MST_ERROR_ARGUMENT: a combination that makes no sense, or a mistake
// in an expression (error->excerpt shows where); MST_ERROR_UNSUPPORTED: float64 on a device without it,
// or byte code of an integrand that is too long for it or of rectangle with work_items, where compile_from asks for it;
// MST_ERROR_BUILD; MST_ERROR_OPENCL; MST_ERROR_HOST_MEMORY. Blocks while kernels compile. Thread-safe on one context. Sources:
// Piessens et al., QUADPACK, 1983 (nodes, error estimate, half-infinite ranges); Berntsen and Espelid 1991 (null rules); Genz and
// Malik 1980; Arumugam et al., PAGANI, 2021 (breadth-first refinement on a device); Cranley and Patterson 1976 (shifted
// lattices).
MST_API mst_status mst_integral_create(mst_context *context, const mst_integral_desc *desc, mst_integral **out, mst_error *error);
MST_API void mst_integral_destroy(mst_integral *plan);

// How many results an integral has: n_components, 1 of a plain integrand. Thread-safe.
MST_API int mst_integral_n_components(const mst_integral *plan);
// What the plan computes in: MST_FLOAT32 or MST_FLOAT64. Thread-safe.
MST_API mst_type mst_integral_type(const mst_integral *plan);
MST_API const char *mst_integral_rule_name(mst_integral_rule rule);       // "tanh-sinh"; static storage
MST_API const char *mst_integral_status_name(mst_integral_status status); // "converged"; static storage

// Computes n_sets integrals: results[i], desc.result_size bytes apart, for parameters[i * n_parameters .. (i + 1) * n_parameters
// - 1] (NULL without parameters); of a vector-valued integrand results[i * n_components + c] is that of component c, with the
// evaluations of all together. A tolerance that is missed is a status of its result, not a failure of the call. Blocks;
// how->wait_list is waited for, how->event is not taken; progress counts integrals, is called at least once a round, level or
// launch (a quarter of a second of a fixed rule on most devices), and can cancel there: results are undefined then. Of a report's
// times of commands, only compute_seconds of fixed rules is given, if the context profiles. MST_ERROR_ARGUMENT: no plan, results
// or parameters; an event; a bound that is NaN, or infinite without being written as inf; a breakpoint that is not finite;
// MST_ERROR_BUDGET; MST_ERROR_DEVICE_MEMORY; MST_ERROR_OPENCL; MST_ERROR_HOST_MEMORY; MST_ERROR_CANCELLED. Threads
// take turns.
MST_API mst_status mst_integral_execute(mst_integral *plan, const double *parameters, size_t n_sets, mst_integral_result *results,
                                        const mst_execution *how, mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
