// What an integral's plan holds. integral.c reads the description and runs a call; integrand.c writes the integrand;
// tune.c chooses what no result depends on but for rounding; fixed.c, regions.c, tanh_sinh.c, lattice.c and oscillatory.c are the
// methods.
#ifndef MST_INTEGRATE_PLAN_H
#define MST_INTEGRATE_PLAN_H

#include "expr/code.h"
#include "runtime/group.h"
#include "runtime/kernel.h"
#include "runtime/turn.h"
#include "tune/tune.h"

#include <mastaba/integral.h>

enum { MST_INTEGRAL_PARTS = 2, MST_INTEGRAL_SETS = 4096 }; // a thread of the host reads or finishes so many integrals at a time
enum { MST_INTEGRAL_MAX_PARAMETERS = 64, MST_INTEGRAL_MAX_BREAKPOINTS = 64 };
enum { MST_INTEGRAL_MOST_IN_BOXES = 7 }; // variables of the adaptive rule; more go by lattices
// Variables, parameters, and left and right where they make sense and the names are free.
enum { MST_INTEGRAL_MAX_SYMBOLS = MST_INTEGRAL_MAX_VARIABLES + MST_INTEGRAL_MAX_PARAMETERS + 2 };
// What the mapped integrand reads: t of every variable, the one variable's distances from the ends, the numbers of a row.
enum { MST_MAPPED_SYMBOLS = MST_INTEGRAL_MAX_VARIABLES + 2 + MST_INTEGRAL_MAX_PARAMETERS + MST_INTEGRAL_MAX_VARIABLES + 2 };

// How a variable's range is mapped to that of t, over which the kernels integrate.
typedef enum mst_range_kind {
    MST_RANGE_FINITE, // x = t
    MST_RANGE_UPPER,  // one bound is inf:  x = anchor + (1 - t) / t, t from 1 (the anchor) to 0 (QUADPACK's map)
    MST_RANGE_LOWER,  // one is -inf:       x = anchor - (1 - t) / t
    MST_RANGE_WHOLE,  // both:              x = t / (1 - t^2), t from -1 to 1
    MST_RANGE_HALVES, // both:              x = (1 - |t|) / t, t from -1 (0) by 0 (-inf, inf) to 1 (0); so numbers are dense at
                      // inf
    MST_RANGE_BETWEEN // a bound depends on variables before it:  x = from + (to - from) t, t from 0 to 1
} mst_range_kind;

// How kernels compute the integrand.
typedef enum mst_integral_form {
    MST_INTEGRAL_FORM_ANY, // until they are made: compiled, if they are in the cache, else by byte code
    MST_INTEGRAL_FORM_BYTE_CODE,
    MST_INTEGRAL_FORM_COMPILED
} mst_integral_form;

// A buffer that stays with the plan and grows.
typedef struct mst_integral_buffer {
    cl_mem memory;
    uint64_t bytes;
} mst_integral_buffer;

typedef struct mst_integral_call mst_integral_call; // call.h

// What tuning may choose.
typedef struct mst_integral_choice {
    unsigned width; // cpu: of the vectors in kernels; 1 otherwise
    size_t group;   // gpu: most work-items of a work-group that evaluates; 1 otherwise
    uint64_t items; // most work-items that share a fixed rule; 1 for others
} mst_integral_choice;

typedef struct mst_integral_method {
    bool gives_ends;               // the distances of nodes from the ends of the range, without cancellation
    size_t gpu_group;              // by rule
    uint64_t gpu_items, cpu_items; // by rule
    mst_status (*create)(mst_integral *plan, mst_error *error);
    mst_status (*build)(mst_integral *plan, mst_error *error); // makes the kernels; after create in place of others
    mst_status (*run)(mst_integral *plan, const mst_integral_call *call, mst_error *error);
    void (*destroy)(mst_integral *plan);
    // NULL, or gives the memory of its integrals back: two of the kind can work on a GPU at once. It finishes results itself.
    void (*shrink)(mst_integral *plan);
} mst_integral_method;

struct mst_integral {
    mst_context *context;
    mst_turn *turn;
    mst_queue queue;
    mst_integral_desc desc; // defaults filled in; no pointers of the caller's
    bool is_double, cpu;
    mst_integral_choice choice;
    bool uses_ends;   // the integrand reads left or right
    bool same_bounds; // rows and cuts need nothing of a set but its parameters, and the method can do with that
    bool may_jump;    // comparisons or steps may hide between nodes: the byte code tells where (hidden.cl)
    int n_components; // of the integrand, one result each
    mst_expr *components[MST_INTEGRAL_MAX_COMPONENTS], *bounds[2 * MST_INTEGRAL_MAX_VARIABLES],
        *breakpoints[MST_INTEGRAL_MAX_BREAKPOINTS];
    int breakpoint_variables[MST_INTEGRAL_MAX_BREAKPOINTS];
    int first_cut[MST_INTEGRAL_MAX_VARIABLES + 1]; // of each variable: from, breakpoints and, beside them, infinity inside, to
    char names[MST_INTEGRAL_MAX_VARIABLES][MST_EXPR_MAX_NAME + 1],
        parameter_names[MST_INTEGRAL_MAX_PARAMETERS][MST_EXPR_MAX_NAME + 1];
    mst_range_kind kinds[MST_INTEGRAL_MAX_VARIABLES];
    bool from_infinity[MST_INTEGRAL_MAX_VARIABLES];
    int anchors[MST_INTEGRAL_MAX_VARIABLES]; // column of the rows; -1 where it depends on variables
    int n_row, n_cuts;
    mst_expr *mapped;                             // the components times dx/dt, see MST_MAPPED_SYMBOLS
    unsigned values[MST_INTEGRAL_MAX_COMPONENTS]; // their nodes in it
    mst_integral_form form;                       // of the kernels
    mst_integral_buffer code;
    unsigned n_instructions, n_slots; // of the byte code
    uint64_t evaluations, break_even; // by byte code so far, and from how many on compiling is repaid
    const mst_integral_method *method;
    void *work;                              // the method's
    mst_integral *parts[MST_INTEGRAL_PARTS]; // plans that the method works with (oscillatory.h)
    mst_integral *second;                    // beside it on its device (share.c); NULL until there are integrals enough,
    size_t twice_from;                       // so many of a call on the device; a test may change it
    void **twins;                            // plans of the group's further devices
    size_t n_twins;
};

// Of a number of the plan's type.
static inline size_t mst_integral_number_bytes(const mst_integral *plan) {
    return plan->is_double ? sizeof(double) : sizeof(float);
}

// Whether a bound of variable k depends on variables before it.
static inline bool mst_range_depends(const mst_integral *plan, int k) {
    return plan->kinds[k] == MST_RANGE_BETWEEN || plan->anchors[k] < 0;
}

extern const mst_integral_method mst_integral_fixed, mst_integral_regions, mst_integral_tanh_sinh, mst_integral_lattice,
    mst_integral_oscillatory;

// Whether it has no tolerance to meet but by its points.
static inline bool mst_integral_is_fixed(mst_integral_rule rule) {
    return rule >= MST_INTEGRAL_RECTANGLE && rule <= MST_INTEGRAL_GAUSS;
}

enum { MST_INTEGRALS_TWICE = 1 << 19 }; // twice_from (docs/performance-log.md)

// ---- second.c

// A plan like this one on the same device, with its own queue, kernels and memory. All else is the plan's, which outlives it.
mst_status mst_integral_create_second(const mst_integral *plan, mst_integral **out, mst_error *error);
void mst_integral_destroy_second(mst_integral *second);

// ---- integral.c

// The public function, with a choice made.
mst_status mst_integral_create_as(mst_context *context, const mst_integral_desc *desc, const mst_integral_choice *choice,
                                  mst_integral **out, mst_error *error);

// ---- tune.c

// From the rules' choice to what is known of the device.
mst_status mst_integral_tune(mst_integral *plan, const mst_integral_desc *desc, mst_tune_chain *chain, mst_error *error);

// ---- parse.c

// Parses all expressions of a description and decides how ranges are mapped.
mst_status mst_integrand_parse(mst_integral *plan, const mst_integral_desc *desc, mst_error *error);

#endif
