// The mask of a plan.
#ifndef MST_FILTER_MASK_H
#define MST_FILTER_MASK_H

#include "plan.h"

#include <math.h>

// ---- mask.c: text and table of the mask; no OpenCL call but for the upload.
static inline size_t mst_mask_rows(const mst_filter *plan) { return plan->cosine && !plan->desc.volume ? plan->p + 1 : plan->p; }
static inline size_t mst_mask_columns(const mst_filter *plan) { return plan->period_q / 2 + 1; }
mst_status mst_mask_make(mst_filter *plan, mst_error *error); // tables of all frequencies are filled when they are uploaded

// A frequency between -1/2 and 1/2; all are periodic.
static inline double mst_mask_around(double frequency) { return frequency - rint(frequency); }

// ---- table.c: masks that kernels read from a table of all frequencies, [r][mask rows][mask columns].
static inline bool mst_mask_is_table(const mst_filter *plan) {
    return plan->desc.kind >= MST_FILTER_MASK || mst_filter_is_general(plan);
}
static inline mst_filter_kind mst_mask_kernel_kind(const mst_filter *plan) {
    return mst_mask_is_table(plan) ? MST_FILTER_MASK : plan->desc.kind;
}
mst_status mst_mask_fill_table(const mst_filter *plan, void *values, mst_error *error);
// Of masks that are no tables, too: at one frequency, and at a row of r x mask rows.
double mst_mask_value(const mst_filter *plan, size_t m, size_t k, size_t l);
void mst_mask_fill_row(const mst_filter *plan, size_t row, void *values);
mst_status mst_mask_upload(mst_filter *plan, mst_error *error);
void mst_mask_release(mst_filter *plan);

// Whether the caller's own mask is one, and whether sums of an image of integers by it, none of them scaled yet, stay within the
// precision, as they do by other masks.
mst_status mst_mask_check(const mst_filter_desc *desc, mst_error *error);
mst_status mst_mask_check_range(const mst_filter *plan, mst_error *error);

#endif
