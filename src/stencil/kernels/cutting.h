// How a box is cut into the parts that work-groups do.
#ifndef MST_STENCIL_CUTTING_H
#define MST_STENCIL_CUTTING_H

#include "stepper.h"

// Tiles along rows and columns, and strips of `length` planes, of which the last is as long as is left, with others at faces.
// Tiles at the sides of a box may need a GPU's kernel for faces and points: those before sides[axis][0] and from sides[axis][1]
// on, which do a strip in parts.
typedef struct mst_cutting {
    int64_t rows, columns, planes, length, edges[2], parts, sides[N_AXES][2];
} mst_cutting;

// `lanes`: of so many launches that go on at once. `from` and `held`: NULL for windows that hold all that there is.
mst_cutting mst_cutting_make(const mst_stepper *stepper, const mst_box *box, int lanes, const mst_window *from,
                             const mst_window *held);
// How many launches, one strip a tile each, fill a GPU, at most MST_STENCIL_LANES.
int mst_cutting_lanes(const mst_stepper *stepper);
int64_t mst_cutting_strips(const mst_cutting *cutting);
int64_t mst_cutting_all_strips(const mst_cutting *cutting); // with those at faces

// Work-groups of a GPU's kernels: the careful one's, and the plain one's, which leaves those of the other.
int64_t mst_cutting_careful(const mst_cutting *cutting);
int64_t mst_cutting_groups(const mst_cutting *cutting);

// By how much longer the work takes because it does not fill the device to the end.
double mst_cutting_idle(const mst_stepper *stepper, const mst_cutting *cutting, int lanes);

#endif
