// Sources and receivers of a problem: the nodes that they feed and record, with weights, or regions.
#ifndef MST_STENCIL_PROBLEM_POINTS_H
#define MST_STENCIL_PROBLEM_POINTS_H

#include "problem.h"

typedef struct mst_weighted_node {
    uint64_t node[N_AXES];
    double weight;
} mst_weighted_node;

typedef struct mst_node_list {
    mst_weighted_node *nodes;
    size_t n, capacity;
} mst_node_list;

// A source at a place feeds its nodes, each by a column of its own in the table that kernels read, as numbers on the device are
// rounded once. A source of a region has one column.
typedef struct mst_problem_source {
    int field;
    size_t first; // of its columns, without that of the time
    mst_node_list list;
    bool is_region;
    uint64_t from[N_AXES], to[N_AXES]; // nodes of the region, and those behind them
    mst_formula amplitude, delay;      // of a region; no expression: 1 and 0
    mst_formula series;
    double *samples;
    size_t n_samples;
} mst_problem_source;

typedef struct mst_problem_receiver {
    int field;
    size_t n_points, first; // number of its first point among those of all receivers
} mst_problem_receiver;

// A node that kernels record, for one or several receivers, and what a receiver's point takes of it.
typedef struct mst_problem_record {
    int field;
    uint64_t node[N_AXES];
} mst_problem_record;

typedef struct mst_problem_share {
    size_t record;
    double weight;
} mst_problem_share;

// The node with the largest weight of a point of receivers, as a record: in a part of a grid, the part that has this node among
// its own has the point.
size_t mst_problem_home(const mst_problem *problem, size_t point);

// The part of mst_problem_read and mst_problem_release for them.
mst_status mst_problem_read_points(const mst_stencil_desc *desc, mst_problem *problem, mst_error *error);
void mst_problem_release_points(mst_problem *problem);

#endif
