// Filtering by plans of the FFT engine: on the device (composed.c), and of images of which one does not fit it (panels.c).
#ifndef MST_FILTER_COMPOSED_H
#define MST_FILTER_COMPOSED_H

#include "plan.h"

// composed.c: a kernel for the mask between the transforms.
extern const mst_filter_method mst_composed_filter_method;

// panels.c: whether the budgets have room for it, which compiles kernels; and mst_filter_execute of arrays of which none is on
// the device.
bool mst_filter_panels_can(const mst_filter *plan);
mst_status mst_filter_panels_run(mst_filter *plan, const mst_location *where, const mst_execution *how, mst_error *error);

// Complex numbers of half a spectrum, or real ones of a cosine transform.
static inline size_t mst_filter_spectrum_columns(const mst_filter *plan) { return plan->cosine ? plan->q : plan->q / 2 + 1; }

#endif
