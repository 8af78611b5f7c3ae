// Memory variables of absorbing layers that stay on the device, as sweeps have them, while the rest of the state goes through it:
// the last arrays of the state, and the last spare ones.
#ifndef MST_STENCIL_RESIDENT_H
#define MST_STENCIL_RESIDENT_H

#include "stencil/kernels/sweeper.h"

// How many arrays of the state, and spare ones, are none of those.
static inline int mst_moved_arrays(const mst_problem *p) { return p->n_arrays - p->n_memories; }
int mst_moved_spares(const mst_sweeps *sweeps);
static inline bool mst_is_resident(const mst_problem *p, int array) {
    return array >= mst_moved_arrays(p) && array < p->n_arrays;
}

// Their memory, which is cleared. Giving accepts buffers that are NULL, and makes them so.
mst_status mst_resident_take(mst_context *context, const mst_sweeps *sweeps, mst_queue *queue, const char *what,
                             mst_sweep_state *state, mst_error *error);
void mst_resident_give(mst_context *context, const mst_sweeps *sweeps, mst_sweep_state *state);

// Makes those of *state what the last sweep of a trip left.
void mst_resident_keep(const mst_sweeps *sweeps, mst_sweep_state *state, const mst_sweep_state *last);

// Elements of one to or, if `up`, from packed memory; and how many are infinite or NaN. They block.
mst_status mst_resident_copy(const mst_sweeps *sweeps, mst_queue *queue, const mst_sweep_state *state, int array, uint64_t first,
                             uint64_t count, bool up, void *host, mst_error *error);
mst_status mst_resident_count_nonfinite(const mst_sweeps *sweeps, mst_queue *queue, const mst_sweep_state *state, int array,
                                        uint64_t *count, mst_error *error);

#endif
