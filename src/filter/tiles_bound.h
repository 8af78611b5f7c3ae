// How far from the whole's results those of tiles may be.
#ifndef MST_FILTER_TILES_BOUND_H
#define MST_FILTER_TILES_BOUND_H

#include "plan.h"

// Of windows of so many pixels along depth, height and width: the least halo, of up to `most` pixels, whose bound is at most
// plan->desc.tiles, else `most`, and of its bound as much as shows that it is more. Goes over all frequencies of the whole, on
// the plan's pool.
mst_status mst_tiles_bound(const mst_filter *plan, const size_t window[3], size_t most, size_t *halo, double *bound,
                           mst_error *error);

#endif
