// Choosing a plan. Pure: see inputs.h.
#ifndef MST_STENCIL_PLAN_PLAN_H
#define MST_STENCIL_PLAN_PLAN_H

#include "candidates.h"
#include "model.h"

// A plan is not held to be better for less than this part of its time, which is less than the model can tell.
#define MST_PLAN_TOLERANCE 0.05

// Schedule, n, b and queues for given kernels: in core if the state fits, by sweeps if they were measured and are faster, or if
// only they fit. Else the usual plan, which is the first schedule that
// fits, in the most queues and with the largest blocks that fit: time skewing, which has the state on the host only once, before
// tiles, which compute more twice. Unless another candidate is faster by the model; so a larger budget never makes a run slower
// by more than the tolerance. MST_ERROR_BUDGET: nothing fits; the message has the least budget that does.
// MST_ERROR_DEVICE_MEMORY: none would do.
mst_status mst_plan_choose(const mst_plan_inputs *in, const mst_kernel_pair *pair, mst_plan *out, mst_error *error);

// The same, and m: `most`, or, halving it, the first with which something fits, halos are not more than half of the work, and
// half as many steps would not be faster by a rough count.
// *pair is to be released by the caller, whatever is returned. MST_ERROR_UNSUPPORTED: the device is too small for any.
mst_status mst_plan_choose_fused(const mst_plan_inputs *in, unsigned most, mst_kernel_pair *pair, mst_plan *out,
                                 mst_error *error);

// Whether halos are more than half of the work, so that it may be better to fuse fewer steps.
bool mst_plan_is_crowded(const mst_plan_inputs *in, const mst_kernel_pair *pair, const mst_plan *plan);

// Whether it is better to change to `other`, for a run of so many steps (0: not known, and taken to be many), if its kernels
// must be built, although those of `plan` are there.
bool mst_plan_repays(const mst_plan_inputs *in, const mst_kernel_pair *pair, const mst_plan *plan,
                     const mst_kernel_pair *other_fused, const mst_plan *other, uint64_t steps);

// Whether kernels of more fused steps, `more`, are to be built and measured in a run of so many steps (0: as above).
bool mst_plan_may_try(const mst_plan_inputs *in, const mst_kernel_pair *pair, const mst_plan *plan, const mst_kernel_pair *more,
                      uint64_t steps);

// Of sweeps that are measured: whether what fused kernels compute, with what tiles compute twice, would take clearly longer than
// all that sweeps do, by the rate of these without memory; and whether fused kernels, which are measured and slower, could be
// faster with another step, if moving the state were all that takes time.
bool mst_plan_computes_too_much(const mst_plan_inputs *in, const mst_kernel_pair *pair);
bool mst_plan_may_overtake(const mst_plan_inputs *in, const mst_kernel_pair *pair);

// About the seconds that building kernels takes: those of fused steps, and those of sweeps.
double mst_plan_build_seconds(const mst_kernel_pair *pair);
double mst_plan_sweeps_build_seconds(const mst_kernel_pair *pair);

#endif
