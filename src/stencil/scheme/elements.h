// How arrays lie in memory.
#ifndef MST_STENCIL_ELEMENTS_H
#define MST_STENCIL_ELEMENTS_H

#include "problem.h"

// Sets fields' is_half, `elements` and the bytes of a node. All else of the fields has been read.
mst_status mst_problem_read_elements(const mst_stencil_desc *desc, mst_problem *problem, mst_error *error);

#endif
