// The middle of a grid with absorbing layers, where fused kernels of the scheme outside layers do m steps at once; sweeps do the
// same steps around it, one by one. The middle reaches m steps neither into a layer nor beyond a face.
#ifndef MST_STENCIL_PLAN_MIDDLE_H
#define MST_STENCIL_PLAN_MIDDLE_H

#include "pair.h"

// `outside` are the kernels for m fused steps of the scheme outside layers (mst_layers_without). False: the grid has no middle,
// or kernels around it would have more arguments than the device takes.
bool mst_middle_make(const mst_plan_inputs *in, const mst_sweeps *sweeps, const mst_kernel_pair *outside, mst_middle *out);

// The nodes that a sweep need not compute if so many sweeps of the m steps follow it. Empty: it computes all.
mst_box mst_middle_hole(const mst_middle *middle, int following);

uint64_t mst_middle_window_nodes(const mst_middle *middle); // UINT64_MAX: too many to be counted

#endif
