// The order in which several launches over a part of a grid do what neighbours are given first: the nodes beside the cuts, then
// the rest, which is a box. Each launch reads what the one before has written around its own nodes, and replaces what that one
// has read. So the nodes beside a cut that are done first are more, launch by launch from the last one back, by as many as a
// launch reaches, and the rest is left for all of them behind (time skewing from all sides).
#ifndef MST_STENCIL_CUTS_H
#define MST_STENCIL_CUTS_H

#include "stencil/kernels/tile.h"

// Along an axis of so many nodes those from .. to - 1 are wanted when all is done; those before `low` and from `high` on first. A
// side without a neighbour: from and low are 0, high and to the number of nodes.
typedef struct mst_cuts_axis {
    int64_t nodes, from, low, high, to;
} mst_cuts_axis;

typedef struct mst_cuts {
    mst_cuts_axis axes[N_AXES];
} mst_cuts;

// A launch, by how many nodes those behind it reach together along each axis.
typedef struct mst_cuts_launch {
    int64_t beyond[N_AXES];
} mst_cuts_launch;

// What a launch does in all, and what of it comes last.
mst_box mst_cuts_wanted(const mst_cuts *cuts, const mst_cuts_launch *launch);
mst_box mst_cuts_rest(const mst_cuts *cuts, const mst_cuts_launch *launch);

// Whether something is left for the first launch, which does most of the nodes beside cuts.
bool mst_cuts_leave_rest(const mst_cuts *cuts, const mst_cuts_launch *first);

// Whether another axis than that of the planes is cut.
bool mst_cuts_sideways(const mst_cuts *cuts);

// Enqueues launch k over a box; and what follows when all that neighbours are given is queued.
typedef mst_status mst_cuts_enqueue_box(void *user, size_t k, const mst_box *box, mst_error *error);
typedef mst_status mst_cuts_given(void *user, mst_error *error);

// All of n launches: first what neighbours are given, then `given`, then the rest.
mst_status mst_cuts_enqueue(const mst_cuts *cuts, const mst_cuts_launch *launches, size_t n, mst_cuts_enqueue_box *enqueue,
                            void *user, mst_cuts_given *given, void *given_user, mst_error *error);

#endif
