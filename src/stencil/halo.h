// Parts of a larger grid: the halos that callers, or the threads of a group, fill between runs.
#ifndef MST_STENCIL_HALO_H
#define MST_STENCIL_HALO_H

#include "solver.h"

// Cuts the solver's problem to the part or the brick that the description wants.
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

// What its neighbours are given, and what is needed of its steps at all, in nodes that it holds.
mst_cuts mst_part_cuts(const mst_stencil *s);

// Bytes that a neighbour is given, or gives (of a part that is no brick, side 0 is the one below, 1 that above); and they
// themselves: a box of all arrays of the state.
uint64_t mst_edge_bytes(const mst_stencil *s, int side);
uint64_t mst_halo_bytes(const mst_stencil *s, int side);
uint64_t mst_edge_down_bytes(const mst_stencil *s, int side); // those of an edge that do not lie in the host's memory
mst_status mst_edge_get(mst_stencil *s, int side, void *to, mst_error *error);
mst_status mst_halo_put(mst_stencil *s, int side, const void *from, mst_error *error);
uint64_t mst_halos_given(const mst_stencil *s); // of all neighbours
uint64_t mst_halos_taken(const mst_stencil *s);

// The same in pieces of about so many bytes, which may be on their way one behind the other: a box of the elements that the part
// holds of an array, and the byte at which it lies. Those that are given at a side are like those of as many bytes that the
// neighbour takes there. *pieces is the caller's to free.
enum { MST_HALO_PIECE = 1 << 21, MST_HOST_PIECE = 1 << 26 }; // through links; by threads that copy some of it each
typedef struct mst_halo_piece {
    int array;
    uint64_t from[N_AXES], count[N_AXES], at;
} mst_halo_piece;
mst_status mst_halo_cut(const mst_stencil *s, int side, bool gives, uint64_t bytes, mst_halo_piece **pieces, size_t *n,
                        mst_error *error);

// The number of its first element among those of the array.
uint64_t mst_piece_first(const mst_stencil *s, const mst_halo_piece *piece);

// Moves it between the state and packed memory. By a queue of uploads or downloads, without waiting, if the schedule moves pieces
// so; else the state is to be whole, and it is done at the end.
mst_status mst_piece_move(mst_stencil *s, mst_queue *queue, const mst_halo_piece *piece, bool up, void *host, mst_error *error);

#endif
