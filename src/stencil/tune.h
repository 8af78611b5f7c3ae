// What tuning chooses of a solver: m and the tile.
#ifndef MST_STENCIL_TUNE_H
#define MST_STENCIL_TUNE_H

#include "solver.h"
#include "tune/tune.h"

// By what is known of the device; the rule's choice where that is nothing.
mst_status mst_stencil_tune(mst_context *context, const mst_plan_inputs *in, const mst_stencil_desc *desc, mst_tune_chain *chain,
                            mst_stencil_choice *out, mst_error *error);

#endif
