// How a box of the grid is cut into tiles and strips, which are what work-groups do; how many of them a launch has, and how long
// it takes.
#ifndef MST_STENCIL_CUTTING_H
#define MST_STENCIL_CUTTING_H

#include "tile.h"

// The rows and columns that a window of arrays on the device holds.
typedef struct mst_extent {
    int64_t first_row, rows, first_column, columns;
} mst_extent;

// Tiles along rows and columns, and strips of `length` planes, of which the last is as long as is left. On a GPU there may be
// shorter strips at the faces of the slowest axis, of edges[0] and edges[1] planes. Tiles along an axis before sides[axis][0] and
// from sides[axis][1] on are for the boundary kernel, which does a strip of them in `parts`.
typedef struct mst_cutting {
    int64_t rows, columns, planes, length, edges[2], parts, sides[N_AXES][2];
} mst_cutting;

// For a launch beside which others run, in so many queues together. `from` is what the windows of the state hold, `held` those of
// the coefficient fields; NULL: all that there is.
mst_cutting mst_cutting_make(const mst_tile *tile, const mst_box *box, int queues, const mst_extent *from,
                             const mst_extent *held);

// How many launches at once fill a GPU if each has one strip a tile; at most MST_STENCIL_QUEUES.
int mst_cutting_queues(const mst_tile *tile);

// The planes from a face of the slowest axis on that are for the boundary kernel.
int64_t mst_cutting_edge(const mst_tile *tile, int side);

// Work-groups of the boundary kernel, and of the interior kernel, which leaves the tiles of the other. CPUs have the latter only.
int64_t mst_cutting_boundary_groups(const mst_cutting *cutting);
int64_t mst_cutting_interior_groups(const mst_cutting *cutting);

// Node-steps that are computed for a box, with those that tiles and strips compute again; without them it is m x its nodes.
// *longer: how many times as long they take, because there are too few work-groups for the device or the last round does not fill
// it, and because a GPU's work-items go through nodes that nobody needs.
double mst_cutting_work(const mst_tile *tile, const mst_pipeline *pipeline, const mst_box *box, int queues, double *longer);

#endif
