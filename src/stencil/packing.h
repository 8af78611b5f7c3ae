// Halos of a brick, packed on the device: a kernel an array gathers what all neighbours are given, and one copy takes it to the
// host; another one brings what they give, which a kernel an array spreads. Without it each box of each array is a rectangular
// copy, whose rows are as short as halos are deep where columns are cut: it takes a GPU's link much longer than its bytes.
#ifndef MST_STENCIL_PACKING_H
#define MST_STENCIL_PACKING_H

#include "halo.h"

typedef struct mst_packing mst_packing;

// Device memory that a solver's packing takes; 0: it has none, as its copies have long rows, or the processors do them.
uint64_t mst_packing_bytes(const mst_stencil *solver);

// *out is NULL where there is none. Destroy accepts that.
mst_status mst_packing_create(mst_stencil *solver, mst_packing **out, mst_error *error);
void mst_packing_destroy(mst_packing *packing);

// Enqueues the gathering by the schedule's queue; and behind it, by a queue of downloads, blocking, the copy.
mst_status mst_packing_gather(mst_packing *packing, mst_error *error);
mst_status mst_packing_download(mst_packing *packing, mst_queue *down, void *given, mst_error *error);

// Enqueues the copy, by a queue of uploads; and the spreading, by the schedule's queue, which has to wait for it.
mst_status mst_packing_upload(mst_packing *packing, mst_queue *up, const void *taken, mst_error *error);
mst_status mst_packing_spread(mst_packing *packing, mst_error *error);

#endif
