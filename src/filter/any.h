// The fused filter on CPUs by a kernel that knows no sizes: one program takes every image size, type of pixels, mask and kind of
// result.
#ifndef MST_FILTER_ANY_H
#define MST_FILTER_ANY_H

#include "fused.h"

#include "fft/any_steps.h"

#include "any_filter.cl"

typedef struct mst_any_filter {
    mst_text text;
    mst_kernel *kernel;
    mst_device_table sizes, odd, places, rotations;
} mst_any_filter;

// Points a side at most.
size_t mst_any_filter_longest(void);

// Device memory of the tables.
uint64_t mst_any_filter_table_bytes(const mst_filter *plan, const mst_filter_pass passes[N_FILTER_PASSES]);

// Makes the kernel and tables of a plan whose passes, whose step twiddles it uses, are planned. *out accepts a half-built one.
mst_status mst_any_filter_make(const mst_filter *plan, const mst_filter_pass passes[N_FILTER_PASSES], mst_any_filter **out,
                               mst_error *error);
void mst_any_filter_destroy(const mst_filter *plan, mst_any_filter *any);

// Enqueues one pass over so many lines of the images of one side of a block; `image` in place of the side's buffer.
mst_status mst_any_filter_enqueue(mst_filter *plan, const mst_filter_fused *f, int which, const mst_block *block,
                                  const mst_image_side *side, cl_mem image, uint64_t n_lines, cl_event *event, mst_error *error);

#endif
