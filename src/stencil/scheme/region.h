// A region of the grid: which nodes of each axis belong to it.
#ifndef MST_STENCIL_REGION_H
#define MST_STENCIL_REGION_H

#include "problem.h"

// Along each axis of the three inside the nodes start, start + step, .., so many.
typedef struct mst_region {
    uint64_t start[N_AXES], step[N_AXES], count[N_AXES], nodes; // nodes: in all
} mst_region;

// Of a grid of so many axes, or another array. All of it for NULL. MST_ERROR_ARGUMENT: not all nodes are in the grid.
mst_status mst_region_read(int rank, const uint64_t grid[N_AXES], const mst_stencil_region *region, mst_region *out,
                           mst_error *error);

#endif
