// The points of sources and receivers in the order in which kernels find them: field by field, in each by place. Behind them are
// boxes: around every MST_POINTS_GROUP of them, by which kernels pass over many points at once, and the regions of sources.
#ifndef MST_STENCIL_POINTS_H
#define MST_STENCIL_POINTS_H

#include "pipeline.h"
#include "problem_points.h"

enum { MST_POINTS_GROUP = 64 };

typedef struct mst_points {
    size_t first[MST_STENCIL_MAX_FIELDS + 1]; // point of each field, and the one behind the last
} mst_points;

// A box is two of them, the first of its nodes and the one behind the last along each axis.
typedef struct mst_point {
    int64_t plane, row, column, number; // number: of the source's column, or of the record
} mst_point;

typedef struct mst_point_list {
    mst_points sources, receivers; // the receivers' points come behind the sources'
    size_t n;                      // points
    size_t first_region;           // the first point of the regions' boxes
    size_t n_all;                  // with the boxes
    mst_point *points;             // one more than n_all, so that there is one
} mst_point_list;

mst_status mst_points_make(const mst_problem *problem, mst_point_list *out, mst_error *error);
void mst_points_release(mst_point_list *list);

// All that the list of a problem holds.
uint64_t mst_points_count(const mst_problem *problem);

// The sources that are regions, by number of their box.
const mst_problem_source *mst_points_region(const mst_problem *problem, size_t box);

// What a source adds after a step, before weights and amplitudes.
double mst_points_source_value(const mst_problem *problem, const mst_problem_source *source, uint64_t step);

#endif
