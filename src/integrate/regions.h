// What the adaptive rule keeps on the device, and the launches of its rounds (regions.cl, locate.cl).
#ifndef MST_INTEGRATE_REGIONS_H
#define MST_INTEGRATE_REGIONS_H

#include "plan.h"

enum { MST_REGIONS_COUNTS = 3 };    // of a round: regions to come, suspects of even and of odd rounds
enum { MST_REGIONS_PLACED = 1024 }; // integrals whose regions a work-group of a GPU places
enum { MST_REGIONS_RESULTS = 2 };   // numbers of a component of an integral that the host reads, as regions.cl has them

typedef struct mst_generation {                          // regions before a round, or after it
    mst_integral_buffer lo, len, id, ends, run, parents; // parents: what a pair comes from
    cl_uint capacity;
} mst_generation;

typedef struct mst_regions_kernels {
    mst_kernel *begin, *evaluate, *compare, *judge, *tally, *place, *split, *locate; // locate: of one variable
    mst_kernel *hidden;                                                              // of integrands that may jump
} mst_regions_kernels;

// What the host reads of some integrals: numbers of the plan's type, and behind them states. Pinned where the device copies.
typedef struct mst_collected {
    void *memory;
    uint64_t bytes;
    cl_mem pinned; // NULL: from the C library
} mst_collected;

typedef struct mst_regions {
    mst_regions_kernels kernels;
    size_t evaluate_group, judge_group, place_group, split_group;
    unsigned first_regions, n_points; // a region
    mst_generation generations[2];
    mst_integral_buffer values, errors, magnitudes, marks;        // a component of a region
    mst_integral_buffer rows, cuts, sums, results, state, splits; // an integral
    bool same_cuts;                                               // all integrals have those of one
    mst_integral_buffer total, tallies;                           // counts of a round; of work-groups that place
    mst_collected collected, counts;                              // numbers of integrals, of a round
} mst_regions;

// How many parts breakpoints leave of the range of variable k.
static inline unsigned mst_regions_intervals(const mst_integral *plan, int k) {
    return (unsigned)(plan->first_cut[k + 1] - plan->first_cut[k] - 1);
}

// ---- regions_launch.c: a round, in this order, of the n regions of one generation or the n_sets integrals

mst_status mst_regions_begin(mst_integral *plan, cl_uint n_sets, const mst_generation *s, mst_error *error);
mst_status mst_regions_evaluate(mst_integral *plan, cl_uint n, const mst_generation *s, mst_error *error);
mst_status mst_regions_hidden(mst_integral *plan, cl_uint n, const mst_generation *s, mst_error *error);
mst_status mst_regions_compare(mst_integral *plan, cl_uint n, cl_uint round, const mst_generation *s, mst_error *error);
mst_status mst_regions_judge(mst_integral *plan, cl_uint n_sets, cl_uint sets_a_group, cl_uint look, cl_uint round,
                             const mst_generation *s, mst_error *error);
mst_status mst_regions_place(mst_integral *plan, cl_uint n_sets, cl_uint round, const mst_generation *next, mst_error *error);
mst_status mst_regions_locate(mst_integral *plan, cl_uint n, const mst_generation *s, mst_error *error);
mst_status mst_regions_split(mst_integral *plan, cl_uint n_sets, cl_uint sets_a_group, const mst_generation *s,
                             const mst_generation *next, mst_error *error);

// ---- regions_collect.c

// Results of all integrals of a call, whose rounds are over, as the caller gets them.
mst_status mst_regions_collect(mst_integral *plan, const mst_integral_call *call, mst_error *error);
// Room for the numbers of as many integrals as are worth it, up or down, and of a round's counts.
mst_status mst_collected_reserve(mst_integral *plan, size_t n_sets, mst_error *error);
// The rows of all integrals of a call.
mst_status mst_regions_upload_rows(mst_integral *plan, const mst_integral_call *call, mst_error *error);
void mst_collected_release(mst_context *context, mst_collected *collected);

#endif
