// The plans that are considered: schedules, in how many queues, with which blocks and depths. None of it depends on a budget, so
// that a larger budget allows what a smaller one does, and more.
#ifndef MST_STENCIL_PLAN_CANDIDATES_H
#define MST_STENCIL_PLAN_CANDIDATES_H

#include "footprint.h"

enum { MST_PLAN_MOST_TRIPS = 96 }; // depths that are considered: up to so many times m

typedef struct mst_candidates {
    const mst_plan_inputs *in;
    const mst_kernel_pair *pair;
    int most_queues;
    mst_plan plan; // the one that is looked at
} mst_candidates;

typedef void (*mst_visit_fn)(const mst_candidates *candidates, void *user);

// MST_ERROR_ARGUMENT: a wish that no plan can fulfil.
mst_status mst_plan_check(const mst_plan_inputs *in, mst_error *error);

// Whether sweeps are considered without being wished for.
bool mst_plan_may_sweep(const mst_plan_inputs *in);

// Whether time skewing is possible: by fused kernels, and by sweeps; and whether the latter is considered without being wished
// for, which it is when sweeps have been measured.
bool mst_plan_can_skew(const mst_problem *problem);
bool mst_plan_can_skew_sweeps(const mst_problem *problem);
bool mst_plan_may_skew_sweeps(const mst_plan_inputs *in);

mst_candidates mst_candidates_make(const mst_plan_inputs *in, const mst_kernel_pair *pair);

// Visits all candidates of a schedule: more queues first, in these larger blocks, and with these shorter trips; or those of the
// schedule that is wished for, or of all but in-core runs.
void mst_candidates_visit(mst_candidates *c, mst_stencil_schedule schedule, mst_visit_fn visit, void *user);
void mst_candidates_visit_all(mst_candidates *c, mst_visit_fn visit, void *user);

#endif
