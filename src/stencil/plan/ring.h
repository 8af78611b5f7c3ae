// The geometry of skewed sweeps: time skewing by the kernels of sweeps, which put new values in the place of old ones. The planes
// of a trip go through one ring of planes on the device, with all arrays of the state, the spare ones and the coefficient fields.
// Slabs of b planes come up in order, and sweep k of a trip of S sweeps (of several steps, numbered on) does the b planes that
// lie (k + 1) times the lag behind them, the last S times; those go down. So a slab has what it reads, nothing that it replaces
// is read any more, every plane crosses the bus once each way a trip, and one copy in the backing store is enough.
//
// Memory variables of absorbing layers stay on the device as a whole, since these are few nodes.
//
// Where the slowest axis is periodic a trip begins and ends S times the lag beyond the grid, with planes of its other end, of
// which each sweep loses a lag; what they become there has no meaning. Then there are two copies in the backing store.
#ifndef MST_STENCIL_PLAN_RING_H
#define MST_STENCIL_PLAN_RING_H

#include "stencil/kernels/sweep.h"

typedef struct mst_plane_ring {
    int64_t n; // planes of the grid
    bool periodic;
    int64_t block; // b
    int64_t lag, before, behind;
    int64_t most;   // sweeps of a trip
    int64_t planes; // of the ring
} mst_plane_ring;

// Planes from .. to - 1, none if to <= from. Those before 0 and from n on are beyond a periodic face.
typedef struct mst_plane_range {
    int64_t from, to;
} mst_plane_range;

// Bytes of a node of the arrays that go through a ring, coefficient fields not counted.
static inline uint64_t mst_ring_node_bytes(const mst_problem *p) {
    return p->state_node_bytes - (uint64_t)p->n_memories * p->element;
}

mst_plane_ring mst_ring_make(const mst_sweeps *sweeps, uint64_t depth, uint64_t block);

// Of a trip of so many sweeps: its slabs, and of slab j the planes that come up, that sweep k does, and that go down.
int64_t mst_ring_slabs(const mst_plane_ring *ring, int64_t sweeps);
mst_plane_range mst_ring_up(const mst_plane_ring *ring, int64_t sweeps, int64_t j);
mst_plane_range mst_ring_sweep(const mst_plane_ring *ring, int64_t sweeps, int64_t j, int64_t k);
mst_plane_range mst_ring_down(const mst_plane_ring *ring, int64_t sweeps, int64_t j);

// The plane that lies first in the ring, in a trip of so many sweeps. Planes near a face that are like those beyond it lie in one
// piece with them.
int64_t mst_ring_first(const mst_plane_ring *ring, int64_t sweeps);

// The place of a plane in a ring that begins with plane `first`, and which plane of the grid it is.
int64_t mst_ring_slot(const mst_plane_ring *ring, int64_t first, int64_t plane);
int64_t mst_ring_plane(const mst_plane_ring *ring, int64_t plane);

#endif
