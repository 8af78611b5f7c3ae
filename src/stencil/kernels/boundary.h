// What the boundary conditions at the faces of the grid mean for tiles and kernels.
#ifndef MST_STENCIL_BOUNDARY_H
#define MST_STENCIL_BOUNDARY_H

#include "stencil/scheme/problem.h"

// Whether nodes beyond a face have a value of their own: that of a Dirichlet face, or 0 beyond a sponge.
bool mst_boundary_is_valued(const mst_problem_boundary *face);

// Nodes around all that a tile of a GPU's kernel computes that must lie in the grid, too, for the interior kernel: as far as
// coefficient fields may be read. Along rows and columns it counts only for schemes that have such fields.
int mst_boundary_margin(const mst_problem *problem, int axis);

// Whether the interior kernel may do tiles that reach beyond a face, if the face lies between two work-items: its value is a
// number, the same for all fields (0 if only some are of float16, to which it would be rounded), and the scheme reads coefficient
// fields at the nodes themselves alone.
bool mst_boundary_is_open(const mst_problem *problem, int axis, int side);

#endif
