// The least budgets that would do.
#ifndef MST_STENCIL_PLAN_LEAST_H
#define MST_STENCIL_PLAN_LEAST_H

#include "candidates.h"

typedef struct mst_plan_least {
    uint64_t device;           // of the candidates that fit the host's budget
    uint64_t host;             // of those that fit the device's budget
    uint64_t both, host_of_it; // of all for which the device has large enough pieces: the least of its memory, and of the host's
    uint64_t piece;            // the largest piece of the candidate for which that is smallest
    uint64_t device_left;
} mst_plan_least;

// Of no candidate.
mst_plan_least mst_plan_least_start(void);

// Whether there was any.
static inline bool mst_plan_has_least(const mst_plan_least *least) { return least->piece != UINT64_MAX; }

// Adds the candidates with these kernels.
void mst_plan_find_least(const mst_plan_inputs *in, const mst_kernel_pair *pair, mst_plan_least *least);

// Says that nothing fits, and what would.
mst_status mst_plan_fail(const mst_plan_inputs *in, const mst_plan_least *least, mst_error *error);

#endif
