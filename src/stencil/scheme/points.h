// The points of sources and receivers in the order in which kernels find them: field by field, in each by place.
#ifndef MST_STENCIL_POINTS_H
#define MST_STENCIL_POINTS_H

#include "pipeline.h"

typedef struct mst_points {
    size_t first[MST_STENCIL_MAX_FIELDS + 1]; // point of each field, and the one behind the last
} mst_points;

typedef struct mst_point {
    int64_t plane, row, column, number; // number: of the source, or of the point among those of all receivers
} mst_point;

typedef struct mst_point_list {
    mst_points sources, receivers; // the receivers' points come behind the sources'
    size_t n;
    mst_point *points; // one more than n, so that there is one
} mst_point_list;

mst_status mst_points_make(const mst_problem *problem, mst_point_list *out, mst_error *error);
void mst_points_release(mst_point_list *list);

// What a source adds after a step.
double mst_points_source_value(const mst_problem *problem, const mst_problem_source *source, uint64_t step);

#endif
