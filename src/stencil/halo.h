// Parts of a larger grid: the halos that callers, or the threads of a group, fill between runs.
#ifndef MST_STENCIL_HALO_H
#define MST_STENCIL_HALO_H

#include "solver.h"

// Cuts the solver's problem to the part that the description wants.
mst_status mst_part_take(mst_stencil *s, const mst_stencil_desc *desc, mst_error *error);

// The nodes of an array that a region of the whole grid means, counted from the first that the part holds.
mst_status mst_part_region(const mst_stencil *s, int array, const mst_stencil_region *region, mst_region *out, mst_error *error);

// An array of the state, with halos, is another one. When all are, halos hold.
mst_status mst_part_written(mst_stencil *s, int array, mst_error *error);

// Whether halos still hold for so many steps.
bool mst_part_may_run(const mst_stencil *s, uint64_t steps);

// Whether a point of receivers is the part's, as its home is in the part's own planes (mst_problem_home); and what it gets of the
// records of a step, NaN if it is another's.
bool mst_part_has_point(const mst_stencil *s, size_t point);
double mst_part_received(const mst_stencil *s, const double *records, size_t point);

// What its neighbours are given, and what is needed of its steps at all, in planes that it holds.
mst_cuts mst_part_cuts(const mst_stencil *s);

// Bytes that the neighbour below (side 0) or above is given, or gives; and they themselves: planes of all arrays of the state.
uint64_t mst_edge_bytes(const mst_stencil *s, int side);
uint64_t mst_halo_bytes(const mst_stencil *s, int side);
uint64_t mst_edge_down_bytes(const mst_stencil *s, int side); // those of an edge that do not lie in the host's memory
mst_status mst_edge_get(mst_stencil *s, int side, void *to, mst_error *error);
mst_status mst_halo_put(mst_stencil *s, int side, const void *from, mst_error *error);

// The same in pieces of about so many bytes, which may be on their way one behind the other: elements of an array, and the byte
// at which they lie. Those that are given at a side are like those of as many bytes that the neighbour takes there. *pieces is
// the caller's to free.
enum { MST_HALO_PIECE = 1 << 21, MST_HOST_PIECE = 1 << 26 }; // through links; by threads that copy some of it each
typedef struct mst_halo_piece {
    int array;
    uint64_t first, count, at;
} mst_halo_piece;
mst_status mst_halo_cut(const mst_stencil *s, int side, bool gives, uint64_t bytes, mst_halo_piece **pieces, size_t *n,
                        mst_error *error);

#endif
