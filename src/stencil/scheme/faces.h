// Reading the boundaries of a scheme.
#ifndef MST_STENCIL_FACES_H
#define MST_STENCIL_FACES_H

#include "problem.h"

// Reads the boundaries, after everything that has offsets, and the expressions of their values by `read`.
typedef mst_status (*mst_face_value_reader)(mst_problem *problem, const mst_stencil_desc *desc, const char *text,
                                            const char *what, mst_formula *out, mst_error *error);
mst_status mst_problem_read_faces(const mst_stencil_desc *desc, mst_problem *problem, mst_face_value_reader read,
                                  mst_error *error);

#endif
