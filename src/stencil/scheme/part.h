// A part of a grid: a box of it, which is a device's of a group or a rank's of a job, with halos of nodes of its neighbours on
// the sides on which it is cut off. A problem that is cut to a part is one of a grid of its own, with the halos as its first and
// last planes, rows or columns: places, sponges, layers, sources and runs are those of the whole grid, and what lies beyond a
// face that is a cut does not matter, as halos are as deep as what is wrong there gets in the steps until they are filled again.
#ifndef MST_STENCIL_SCHEME_PART_H
#define MST_STENCIL_SCHEME_PART_H

#include "problem.h"

// Nodes of an axis of the whole grid: those of the part itself, and those that it holds, with halos. Where the axis is periodic,
// the first of these may lie before the grid, and the last behind it. A part has one an axis.
typedef struct mst_part {
    int64_t first, count;
    int64_t held_first, held_count;
} mst_part;

// The nodes of an axis of the whole grid, and which of them a node is.
static inline int64_t mst_problem_length(const mst_problem *p, int axis) { return (int64_t)p->whole[axis]; }
static inline int64_t mst_problem_node(const mst_problem *p, int axis, int64_t i) {
    const int64_t n = (int64_t)p->whole[axis];
    i += p->first[axis];
    return p->is_ring[axis] ? (i % n + n) % n : i;
}

// Whether the problem holds a part of an axis only.
static inline bool mst_problem_is_cut(const mst_problem *p, int axis) {
    return p->is_ring[axis] || p->grid[axis] < p->whole[axis];
}

// The runs that tables have numbers of, the problem's own; 1 of what is no ensemble.
static inline uint64_t mst_problem_runs(const mst_problem *p) { return p->has_run_planes ? p->grid[PLANES] : p->grids; }
// Whether a description that mst_ensemble_expand made has grids of three axes.
static inline bool mst_ensemble_has_grids(const mst_stencil_desc *desc) { return desc->n_runs > 0 && desc->rank > MST_MAX_AXES; }

// Cuts it along the axes along which the part does not hold all nodes. MST_ERROR_UNSUPPORTED: a source's region lies in a
// periodic part in two pieces.
mst_status mst_problem_cut(mst_problem *problem, const mst_part part[N_AXES], mst_error *error);

// Whether there is more of the grid elsewhere.
static inline bool mst_problem_is_part(const mst_problem *p) {
    for (int axis = 0; axis < N_AXES; axis++)
        if (p->is_ring[axis] || p->grid[axis] != p->whole[axis])
            return true;
    return false;
}

// Whether a part of an axis of the whole grid has the region of a source in two pieces.
bool mst_part_splits(const mst_problem *problem, int axis, const mst_part *part);

// Of one of its arrays, what lies in the nodes from .. to - 1 of an axis of the whole grid, as elements along that axis. (A
// memory variable has nodes in layers only.)
typedef struct mst_part_range {
    uint64_t first, count;
} mst_part_range;
mst_part_range mst_part_along(const mst_problem *problem, int array, int axis, int64_t from, int64_t to);

// The same of whole planes, as elements one behind the other.
mst_part_range mst_part_elements(const mst_problem *problem, int array, int64_t from, int64_t to);

// The elements of an array of the whole grid.
uint64_t mst_part_whole_elements(const mst_problem *problem, int array);

// What the problem has of an array of the whole grid: from its own element `first` on, `count` lie one behind the other in the
// whole array, too, where the first is element `at`.
typedef struct mst_part_piece {
    uint64_t first, count, at;
} mst_part_piece;
mst_part_piece mst_part_piece_at(const mst_problem *problem, int array, uint64_t first);

#endif
