// One call of a plan, from parameters to results.
#ifndef MST_INTEGRATE_CALL_H
#define MST_INTEGRATE_CALL_H

#include "plan.h"

// The integrals of one call, on the host: row i of `rows` has the n_row numbers that integral i gives to the kernels (its
// parameters, then the anchors of half-infinite ranges or, for left and right, the bounds), row i of `cuts` the n_cuts values of
// t between which to integrate: of each variable from, breakpoints (and, beside them, the 0 of MST_RANGE_HALVES), to. Where the
// plan says that bounds are the same for all, there is one row of cuts, and rows are the parameters.
struct mst_integral_call {
    size_t n_sets;
    size_t n_all; // of the call that the caller made, of which this may be a part
    const double *rows, *cuts;
    double *memory;               // of rows and cuts, for the owner of the call to free
    const double *parameters;     // the caller's, of which rows are made
    mst_integral_result *results; // as many a set as there are components
    mst_integral_result *copies;  // for the caller, in elements of its size; NULL: `results` are the caller's
    bool shares_memory;           // others work on the device: a lack of memory is an error, not what became of the integrals
    const mst_execution *how;
    mst_report *report;
};

// ---- results.c

// Integrals first .. first + count - 1 of a call.
mst_integral_call mst_integral_part(const mst_integral *plan, const mst_integral_call *call, size_t first, size_t count);

// What a method computed of integrals first .. end - 1 becomes what the caller gets, and is copied if it is to be. The second
// does so for all, by the threads of the pool.
void mst_integral_finish_some(const mst_integral *plan, const mst_integral_call *call, size_t first, size_t end);
mst_status mst_integral_finish(const mst_integral *plan, const mst_integral_call *call, mst_error *error);

// ---- share.c

// A call's integrals, from rows to results, by the plan and its twins.
mst_status mst_integral_run(mst_integral *plan, const mst_integral_call *call, mst_error *error);

#endif
