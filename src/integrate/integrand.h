// The integrand in kernels: byte code, or compiled; and tables beside it.
#ifndef MST_INTEGRATE_INTEGRAND_H
#define MST_INTEGRATE_INTEGRAND_H

#include "call.h"

#include "runtime/description.h"

// ---- mapped.c

// The integrand times dx/dt as an expression of t.
mst_status mst_integrand_map(mst_integral *plan, mst_error *error);

// ---- form.c

// From what the description asks for to what is possible, and makes the byte code.
mst_status mst_integral_choose_form(mst_integral *plan, mst_error *error);
void mst_integral_tell_form(const mst_integral *plan); // in the log

// Says how many evaluations are to come, before they are launched: where byte code makes so many that compiling is repaid,
// kernels are compiled here and take over. Finishes the queue then.
mst_status mst_integral_expect(mst_integral *plan, uint64_t evaluations, mst_error *error);

// ---- integrand.c

// The rows and cuts of all integrals, from their parameters, by the threads of the pool. call->memory is the caller's to free,
// whatever is returned.
mst_status mst_integrand_take_rows(const mst_integral *plan, mst_integral_call *call, mst_error *error);

// The first component on the host, in double, at one t of one variable, which is x where the range is not mapped.
double mst_integrand_value(const mst_integral *plan, double t, const double *row, const double *cuts);

// The byte code, whose inputs are the row, t, and its distances from the ends. code->words is the caller's to free.
mst_status mst_integrand_code(const mst_integral *plan, mst_expr_code *code, mst_error *error);

// Builds a kernel file behind vector.cl, given.cl and the integrand times dx/dt: `realv integrand(const realv *t, given *in)` or,
// of a method that gives the ends, `realv integrand_at(const realv *t, realv left, realv right, given *in)`, where left and right
// are the distances of the one variable t from where its range begins and ends. `tables` is more text to put in front of the
// file, or NULL. Where the plan's form is ANY, it becomes that of the program: compiled if that is in the cache, else byte code.
mst_status mst_integrand_build(mst_integral *plan, const mst_text *tables, const char *file, const mst_program **out,
                               mst_error *error);

// The same with the integrand's byte code in any case, for a file that does with it what it wants.
mst_status mst_integrand_build_code(mst_integral *plan, const mst_text *tables, const char *file, const mst_program **out,
                                    mst_error *error);

// Adds `__constant const real NAME[] = {...};`.
void mst_integral_write_table(const mst_integral *plan, const char *name, const double *values, unsigned n, mst_text *out);

// ---- hidden.c

// The kernel `hidden` of a file on bounds_box.cl.
mst_status mst_integral_build_hidden(mst_integral *plan, const char *file, mst_kernel **out, mst_error *error);

// ---- regions_tables.c

// Nodes and weights of the rules on regions, as kronrod.cl and genz_malik.cl want them.
void mst_integral_write_kronrod(const mst_integral *plan, mst_text *out);
void mst_integral_write_genz_malik(const mst_integral *plan, unsigned n_points, mst_text *out);

// Results in a caller's array (runtime/description.h).
#define MST_INTEGRAL_RESULT                                                                                                      \
    MST_ELEMENTS(mst_integral_result, result_size, MST_INTEGRAL_DESC_INIT, offsetof(mst_integral_result, evaluations))

#endif
