// A part of a grid: some planes of its slowest axis, which are a device's of a group or a rank's of a job, with halos of planes
// of its neighbours on both sides. A problem that is cut to a part is one of a grid of its own, with the halos as its first and
// last planes: places, sponges, layers, sources and runs are those of the whole grid, and what lies beyond a face that is a cut
// does not matter, as halos are as deep as what is wrong there gets in the steps until they are filled again.
#ifndef MST_STENCIL_SCHEME_PART_H
#define MST_STENCIL_SCHEME_PART_H

#include "problem.h"

// Planes of the whole grid: those of the part itself, and those that it holds, with halos. Where the slowest axis is periodic,
// the first of these may lie before the grid, and the last behind it.
typedef struct mst_part {
    int64_t first, planes;
    int64_t held_first, held_planes;
} mst_part;

// The nodes of an axis of the whole grid, and which of them a node is.
static inline int64_t mst_problem_length(const mst_problem *p, int axis) {
    return (int64_t)(axis == PLANES ? p->all_planes : p->grid[axis]);
}
static inline int64_t mst_problem_node(const mst_problem *p, int axis, int64_t i) {
    const int64_t n = (int64_t)p->all_planes;
    if (axis != PLANES)
        return i;
    i += p->first_plane;
    return p->is_ring ? (i % n + n) % n : i;
}

// MST_ERROR_UNSUPPORTED: the grid has one axis, or a source's region lies in a periodic part in two pieces.
mst_status mst_problem_cut(mst_problem *problem, const mst_part *part, mst_error *error);

// Of one of its arrays, what lies on planes from .. to - 1 of the whole grid, as elements. (A memory variable has planes in
// layers only.)
typedef struct mst_part_range {
    uint64_t first, count;
} mst_part_range;
mst_part_range mst_part_elements(const mst_problem *problem, int array, int64_t from, int64_t to);

// What the problem has of an array of the whole grid, in order: elements first .. first + count - 1 of its own are those of the
// whole array from `at` on. Several pieces where planes lie around a ring.
typedef struct mst_part_piece {
    uint64_t first, count, at;
} mst_part_piece;
enum { MST_PART_PIECES = 3 };
int mst_part_pieces(const mst_problem *problem, int array, mst_part_piece pieces[MST_PART_PIECES]);

#endif
