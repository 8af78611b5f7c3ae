// The largest time step at which no wave grows, over all wave numbers.
#ifndef MST_STENCIL_LIMIT_H
#define MST_STENCIL_LIMIT_H

#include "frozen.h"

typedef struct mst_step_limit {
    double time_step;    // INFINITY: stable at any; 0: at none
    double wave[N_AXES]; // radians a node, of the wave that grows first beyond
    double rate;         // well resolved waves grow by exp(rate t) at any small time step, which the limit allows all
} mst_step_limit;

// MST_ERROR_UNSUPPORTED, with the reason: the limit is not known. The search begins at `time_step`.
mst_status mst_step_limit_find(const mst_open_scheme *scheme, double time_step, mst_step_limit *out, mst_error *error);

#endif
