// From an axis to passes.
#ifndef MST_FFT_AXIS_H
#define MST_FFT_AXIS_H

#include "plan.h"

#define MST_AXIS_DIGITS 4

// The index along an axis in mixed-radix digits, of which each pass transforms one. Of a real axis' spectrum, one digit `k` is
// kept up to k = f / 2 only, since the rest mirrors it (axis_real.c).
typedef struct mst_digits {
    int n;
    size_t f[MST_AXIS_DIGITS], kept[MST_AXIS_DIGITS];
} mst_digits;

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
    bool folded;                      // a real axis in several passes, gpu: one digit is kept by half
    bool several;                     // in more than one pass, as lines are too few to fill lanes
    size_t row, row_there; // gpu, of other axes than the last one: lines of its length there, counted as so many; 0: they are all
} mst_axis_job;

// Can passes be made for the length itself: has it no prime factor above MST_PASS_MAX_PRIME?
bool mst_axis_is_smooth(size_t n);

// The least length from `least` on that transforms well: a power of two, three or five times one.
size_t mst_axis_quick_length(size_t least);

// The number of passes that an axis of length n takes; 0 if no number does.
int mst_axis_passes(const mst_fft *plan, size_t n);

// Whether passes can be made for a length itself: a smooth one, or one whose large primes are steps (prime.h).
bool mst_axis_takes(const mst_fft *plan, size_t n);

// GPU-shaped: one pass takes the axis, and not with so few columns side by side that several passes are faster.
bool mst_axis_takes_one(mst_fft *plan, const mst_axis_job *job);

// Adds the passes of an axis, of a length that they can be made for, to the plan. first and last: where to say which they are, or
// NULL.
mst_status mst_axis_plan(mst_fft *plan, const mst_axis_job *job, mst_fft_pass **first, mst_fft_pass **last, mst_error *error);

// The same for any other length, by cyclic convolution (cyclic.c): a chirp, its spectrum and a chirp around two transforms, or
// all of it in one pass where that fits.
bool mst_axis_convolves(const mst_fft *plan, size_t n); // whether it is short enough for that
mst_status mst_axis_plan_convolution(mst_fft *plan, const mst_axis_job *job, mst_error *error);

// axis_real.c: a real axis of even length n as one of n / 2 complex numbers, in one pass, or, where a plan's passes know no
// sizes, with a pass of its own that combines or splits; GPU-shaped, any axis that takes several passes with half of its spectrum
// from the first pass to the last. *done: the passes were added.
mst_status mst_axis_plan_real(mst_fft *plan, const mst_axis_job *job, const mst_layout *spectrum, bool *done, mst_error *error);

// Adds a pass of its own that combines or splits; job->n is the half length.
mst_fft_pass *mst_axis_add_alone(mst_fft *plan, const mst_axis_job *job, int from, int to, const mst_layout *from_layout,
                                 const mst_layout *to_layout, mst_pass_half half);

// For all.
// The lines of pass i in an array; `whole`: it has places for all of the digits' numbers, also for those that are not kept.
mst_view mst_axis_view(const mst_layout *layout, int axis, const mst_digits *digits, int i, bool result, bool whole,
                       int *column_dim);
mst_layout mst_axis_layout(const mst_layout *layout, mst_type type, int axis, size_t n); // dense, n along the axis
void mst_axis_need_factors(const mst_fft *plan, const mst_axis_job *job, mst_fft_pass *first, mst_fft_pass *last); // their tables
void mst_axis_need(mst_fft *plan, int buffer, const mst_layout *layout);                                           // work memory

#endif
