// The tables that kernels find on the device beside the state: factors of sponges, the times and sources of the coming steps, the
// points of sources and receivers, and what receivers get.
#ifndef MST_STENCIL_TABLES_H
#define MST_STENCIL_TABLES_H

#include "stencil/kernels/stepper.h"
#include "stencil/plan/footprint.h"

typedef struct mst_tables {
    mst_context *context;
    const mst_problem *problem;
    mst_footprint footprint;
    mst_stepper_tables buffers;
    uint64_t first;  // the step of the first row
    uint64_t filled; // rows
    void *staging;
    // What receivers got since `recorded_from`, n_points values a step: sums over the nodes that kernels record. Of a part of a
    // grid, which may have some of these alone: what kernels recorded, n_records values a step, those of other parts not known.
    bool is_part;
    double *recorded;
    uint64_t recorded_from, n_recorded, recorded_capacity;
} mst_tables;

// Makes those that do not depend on the steps.
mst_status mst_tables_create(mst_context *context, const mst_problem *problem, const mst_point_list *points,
                             const mst_footprint *footprint, mst_tables *out, mst_error *error);
// Takes memory for footprint->rows steps, in place of what was taken before. UINT64_MAX rows: nothing depends on the step.
mst_status mst_tables_take(mst_tables *tables, const mst_footprint *footprint, mst_error *error);
void mst_tables_release(mst_tables *tables);

// Makes ready for steps first .. first + n - 1, n at most the rows. Waits for the compute queue if rows have to be replaced.
mst_status mst_tables_fill(mst_tables *tables, uint64_t first, uint64_t n, mst_error *error);

// The sum of a point of a receiver of the records of a step; the values of a step in `recorded`; and room for more steps there.
double mst_tables_received(const mst_problem *problem, const double *records, size_t point);
size_t mst_tables_width(const mst_tables *tables);
mst_status mst_tables_make_room(mst_tables *tables, uint64_t rows, mst_error *error);

// Takes what receivers got in the rows filled last; the kernels must have ended.
mst_status mst_tables_collect(mst_tables *tables, mst_error *error);

#endif
