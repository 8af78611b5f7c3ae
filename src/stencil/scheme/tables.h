// What kernels find on the device beside the state: factors of sponges, the times and sources of the coming steps, the points of
// sources and receivers, and what receivers get.
#ifndef MST_STENCIL_TABLES_H
#define MST_STENCIL_TABLES_H

#include "pipeline.h"

// Where the points of each field begin in a list of sources, then of receivers.
typedef struct mst_points {
    size_t first[MST_STENCIL_MAX_FIELDS + 1];
} mst_points;

typedef struct mst_tables {
    mst_context *context;
    const mst_problem *problem;
    bool needed;     // by the step: times, sources or receivers
    uint64_t steps;  // that the tables on the device hold
    uint64_t first;  // the step of their first row
    uint64_t filled; // rows of them
    cl_mem damping, table, records, points;
    uint64_t bytes[4]; // of these, in that order
    mst_points sources, receivers;
    void *staging;
    // What receivers got since `recorded_from`, n_points values a step.
    double *recorded;
    uint64_t recorded_from, n_recorded, recorded_capacity;
} mst_tables;

mst_status mst_tables_create(mst_context *context, const mst_problem *problem, mst_tables *out, mst_error *error);
// Takes memory for as many steps as go up at once: a multiple of `depth`, the steps of a trip, if that is possible.
mst_status mst_tables_take(mst_tables *tables, uint64_t depth, mst_error *error);
void mst_tables_release(mst_tables *tables);

// Makes ready for steps first .. first + n - 1, n at most `steps`. Waits for the compute queue if rows have to be replaced.
mst_status mst_tables_fill(mst_tables *tables, uint64_t first, uint64_t n, mst_error *error);

// Takes what receivers got in the rows filled last; the kernels must have ended.
mst_status mst_tables_collect(mst_tables *tables, mst_error *error);

#endif
