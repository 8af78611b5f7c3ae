// From an axis to passes.
#ifndef MST_FFT_AXIS_H
#define MST_FFT_AXIS_H

#include "plan.h"

// The transform along one axis: from one buffer to another.
typedef struct mst_axis_job {
    int axis;
    size_t n; // length, of transforms as they are done
    int from, to;
    mst_layout from_layout, to_layout, work_layout; // packed; work: complex, n along the axis
    mst_pass_op load, store;                        // at the first and the last pass
    bool scale;
    mst_pass_convolution convolution; // of length n, in one pass
    mst_pass_half half;               // n is half of a real axis, in one pass
} mst_axis_job;

// Can passes be made for the length itself: has it no prime factor above MST_PASS_MAX_PRIME?
bool mst_axis_is_smooth(size_t n);

// The number of passes that an axis of length n takes; 0 if no number does.
int mst_axis_passes(const mst_fft *plan, size_t n);

// Adds the passes of an axis, of a smooth length, to the plan. first and last: where to say which they are, or NULL.
mst_status mst_axis_plan(mst_fft *plan, const mst_axis_job *job, mst_fft_pass **first, mst_fft_pass **last, mst_error *error);

// The same for any other length, by cyclic convolution (cyclic.c): a chirp, its spectrum and a chirp around two transforms, or
// all of it in one pass where that fits.
mst_status mst_axis_plan_convolution(mst_fft *plan, const mst_axis_job *job, mst_error *error);

// axis_real.c: where a plan's passes know no sizes, a real axis of even length n as one of n / 2 complex numbers, which a pass of
// its own combines or splits where the axis takes several. *done: the passes were added.
mst_status mst_axis_plan_real(mst_fft *plan, const mst_axis_job *job, const mst_layout *spectrum, bool *done, mst_error *error);

// Adds a pass of its own that combines or splits; job->n is the half length.
mst_fft_pass *mst_axis_add_alone(mst_fft *plan, const mst_axis_job *job, int from, int to, const mst_layout *from_layout,
                                 const mst_layout *to_layout, mst_pass_half half);

// For all.
mst_view mst_axis_view(const mst_layout *layout, int axis, const size_t *f, int nf, int i, bool result, int *column_dim);
mst_layout mst_axis_layout(const mst_layout *layout, mst_type type, int axis, size_t n); // dense, n along the axis
void mst_axis_need_factors(const mst_fft *plan, const mst_axis_job *job, mst_fft_pass *first, mst_fft_pass *last); // their tables
void mst_axis_need(mst_fft *plan, int buffer, const mst_layout *layout);                                           // work memory

#endif
