// The geometry of time skewing. Slabs of b planes come up in order, and level l of a trip of n steps (one launch of a kernel for
// m steps or for one) computes the b planes that lie S_l, its *shift*, behind them: slab j of level l has the planes j b - S_l to
// (j + 1) b - S_l, as far as the grid has them. So every plane crosses the bus once each way a trip.
//
// Levels go from one of two rings of planes to the other by turns, the first from the ring of the uploads. Level l + 1 overwrites
// what level l - 1 left, up to the planes that level l still needs for the next slab: S_(l+1) - S_l is at least as many planes as
// level l reads below its own. So a ring holds what slab j reads, from j b - S - radius on. The ring of the uploads holds b
// planes more, so that slab j + 1 comes up while slab j is computed, and both hold b more for each further queue, as that many
// slabs are computed at once. The last level writes to a third ring, of what goes down.
#ifndef MST_STENCIL_PLAN_SLABS_H
#define MST_STENCIL_PLAN_SLABS_H

#include "pair.h"

typedef struct mst_slabs {
    int64_t planes; // of the grid
    int64_t block;  // b
    uint64_t depth; // the most steps of a trip
    uint64_t m;
    int queues;
    int64_t radius[2];     // planes by which a level of m steps, or of one, lies behind the level before
    int64_t ahead, behind; // coefficient planes needed beyond those that level 0 computes, and behind the last level's
} mst_slabs;

mst_slabs mst_slabs_make(const mst_kernel_pair *pair, uint64_t depth, uint64_t block, int queues);

// Of a trip of n steps: its levels, the shift of one, and whether that is a level of m steps (0) or of one step (1).
int mst_slabs_levels(const mst_slabs *s, uint64_t n);
int64_t mst_slabs_shift(const mst_slabs *s, uint64_t n, int level);
int mst_slabs_kernel(const mst_slabs *s, uint64_t n, int level);

// Of any trip, at most: levels, and slabs.
uint64_t mst_slabs_most_levels(const mst_slabs *s);
int64_t mst_slabs_most(const mst_slabs *s);

// Slabs that are queued at once, and slabs that the ring of what goes down holds.
uint64_t mst_slabs_slots(const mst_slabs *s);
uint64_t mst_slabs_room(const mst_slabs *s);

// Planes of the rings: of the uploads (0), of the other levels (1), of what goes down, and of the coefficient fields.
uint64_t mst_slabs_ring_planes(const mst_slabs *s, int ring);
uint64_t mst_slabs_down_planes(const mst_slabs *s);
uint64_t mst_slabs_coefficient_planes(const mst_slabs *s);

#endif
