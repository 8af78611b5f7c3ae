// The kernels of a plan as planning sees them: of m fused steps, of one step, and sweeps.
#ifndef MST_STENCIL_PLAN_PAIR_H
#define MST_STENCIL_PLAN_PAIR_H

#include "inputs.h"
#include "stencil/kernels/sweep.h"

typedef struct mst_kernel_pair {
    unsigned m;
    mst_pipeline pipelines[2];
    mst_tile tiles[2];
    mst_sweeps sweeps;
} mst_kernel_pair;

// The shape of kernels that suits the device, unless one is wished for.
mst_stencil_shape mst_plan_shape(const mst_plan_inputs *in);

// The steps that it pays to fuse, by the shape and the number of arrays.
unsigned mst_kernel_pair_rule(const mst_problem *problem, mst_stencil_shape shape);

// What a step of the whole grid costs by a rough count that needs no measurement, to compare different m on one device: for what
// is computed, halos included, for reading and writing memory once every m steps, and for the launch.
double mst_kernel_pair_cost(const mst_kernel_pair *pair);

// MST_ERROR_UNSUPPORTED: the device has too little memory for a work-group of such kernels. Release accepts half-built ones.
mst_status mst_kernel_pair_make(const mst_plan_inputs *in, unsigned m, mst_kernel_pair *out, mst_error *error);
void mst_kernel_pair_release(mst_kernel_pair *pair);

#endif
