// What a description means without a device.
#ifndef MST_FILTER_DESCRIPTION_H
#define MST_FILTER_DESCRIPTION_H

#include "plan.h"

// Fills in what a plan that is zeros otherwise knows of it.
mst_status mst_filter_read(mst_filter *plan, const mst_filter_desc *desc, mst_error *error);

// ---- extent.c: how many points are transformed, and how; and without shortening what is padded.
void mst_filter_choose_extent(mst_filter *plan);
void mst_filter_define_extent(mst_filter *plan);
// Whether the mask is even along each axis by itself.
bool mst_filter_mask_is_even(const mst_filter_desc *desc);

#endif
