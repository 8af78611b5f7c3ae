// The points of sources and receivers, and the regions of sources, of a grid that is swept.
#ifndef MST_STENCIL_SWEEPER_POINTS_H
#define MST_STENCIL_SWEEPER_POINTS_H

#include "arguments.h"
#include "sweeper.h"

// Whether a field has sources, which change what a sweep has copied to margins.
bool mst_sweeper_feeds(const mst_sweeper *sweeper, int field);

// Enqueues what the sources of a field add to its array in a part, which lies as `grid` says, and then what its receivers get
// there.
mst_status mst_sweeper_points(const mst_sweeper *sweeper, mst_queue *queue, int field, cl_mem array, uint64_t row,
                              const mst_sweep_part *part, const cl_long8 *grid, mst_error *error);

// Adds the arguments by which tiles find points, whose values are in `ranges`.
typedef struct mst_point_ranges {
    cl_long4 strides, fields[MST_STENCIL_MAX_FIELDS];
} mst_point_ranges;
void mst_sweeper_bind_points(const mst_sweeper *sweeper, mst_point_ranges *ranges, const mst_signature *names,
                             mst_argument_list *list);

#endif
