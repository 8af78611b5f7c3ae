// Initial values by the device.
#ifndef MST_STENCIL_INITIAL_H
#define MST_STENCIL_INITIAL_H

#include "solver.h"

// Fills an array (of the state, then the coefficient fields) with a formula's values, if that repays compiling a kernel; *done:
// it did. `formula` may be NULL, which is never done.
mst_status mst_initial_fill(mst_stencil *solver, int array, const mst_formula *formula, bool *done, mst_error *error);

#endif
