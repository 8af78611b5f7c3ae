// What the cache of kernels remembers of runs.
#ifndef MST_STENCIL_HISTORY_H
#define MST_STENCIL_HISTORY_H

#include "runtime/context.h"
#include "stencil/scheme/problem.h"

// A scheme on a grid.
uint64_t mst_scheme_hash(const mst_stencil_desc *desc, const mst_problem *problem, uint64_t seed);

// The steps that solvers of a scheme were made for, with less than a day between one and the next; 0 without a cache. Of
// processes that add at the same time, one may count alone. Building kernels is weighed against these and the run's own: who
// rents until that has cost what buying costs, and then buys, pays at most twice what somebody pays who knows how often it is
// needed (Karlin, Manasse, Rudolph and Sleator, Algorithmica 3, 1988).
uint64_t mst_history_steps(mst_context *context, uint64_t scheme);
void mst_history_add(mst_context *context, uint64_t scheme, uint64_t steps);

#endif
