// Sources of regions in kernels: their boxes are in the list of points, their amplitudes and delays are computed where they are.
#ifndef MST_STENCIL_WRITE_REGION_H
#define MST_STENCIL_WRITE_REGION_H

#include "write.h"

// Where a node is, by the texts of its numbers, which may lie beyond periodic faces, and the fused step. width above 1: so many
// nodes from that column on.
typedef struct mst_region_place {
    const char *plane, *row, *column, *step;
    int width;
} mst_region_place;

// Declares low and high, the region's box.
void mst_write_region_box(const mst_writer *w, size_t region);

// Declares `added`, what the source adds to a node.
void mst_write_region_value(const mst_writer *w, const mst_problem_source *source, const mst_region_place *place);

// All that GPU-shaped tiles and CPU-shaped ones do after an update of the field, of which `step` is the fused step; and the
// condition that a GPU's tile touches none of them. The text `rows` and `columns` hold the nodes of the plane that a CPU's tile
// has.
void mst_write_regions_gpu(const mst_writer *w, int field, int width, const char *step);
void mst_write_regions_gpu_choice(const mst_writer *w);
typedef struct mst_region_range {
    const char *low, *high;
} mst_region_range;
void mst_write_regions_cpu(const mst_writer *w, mst_region_range rows, mst_region_range columns, const char *element);

// The kernels add_region0, add_region1.. of sweeps:
//     array, table, points, grid  as those of add_sources
//     work                        s0, s1: planes from, to; s2: the point where the box is; s3: row of the step in the table
void mst_write_regions_sweep(const mst_writer *w);

#endif
