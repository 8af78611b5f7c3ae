// Transforms along an axis that is too long for a panel and has no two factors that are not, or of real numbers whose lines are
// no pairs: line by line by way of memory beside the budgets, as complex numbers, and there by a plan that takes panels. Where
// such a plan has no passes for the length itself, a line of n numbers is a cyclic convolution with a chirp (Bluestein,
// cyclic.c), whose transforms are of a length from 2 n - 1 on that goes well. So do the long axes of cosine and sine transforms,
// as the complex numbers that even.h makes of them. Lines that lie side by side go together.
#ifndef MST_FFT_LINES_H
#define MST_FFT_LINES_H

#include "plan.h"
#include "twiddle.h"

#include "runtime/pool.h"
#include "stream/scratch.h"
#include "stream/transfer.h"

typedef struct mst_fft_lines {
    mst_context *context;
    mst_fft_desc desc; // of the whole, read
    int axis;
    size_t n, m;         // the length of the axis, and of the transforms in memory
    bool chirped;        // m is that of the convolution
    bool even;           // a cosine or sine transform
    mst_layout sides[2]; // what lines are read from and written to: the caller's arrays, or `middle`
    int beside;          // the axis of the lines that go together, so many; -1: each goes alone
    size_t width;
    size_t groups;           // of all lines
    mst_fft_desc line, rest; // the transforms in memory, and those of the other axes, if there are any
    bool has_rest, rest_first, has_middle;
    mst_layout middle; // between the two where results are real, in memory, too
    mst_fft_needs needs;
    // Of a plan, not of a look at one:
    int n_passes; // over all of the data, in their order
    char **kernels;
    mst_scratch chirp; // its spectrum of m numbers, which the first execution makes; without memory until then
    mst_fft *held;     // the plan of the last transform that an execution made, of `line` or `rest`; NULL: none
    const mst_fft_desc *held_of;
} mst_fft_lines;

// What an execution has: where the two sides are, and the lines that run.
typedef struct mst_fft_lines_run {
    mst_fft_lines *lines;
    mst_location where[2];
    size_t group;
    const mst_roots *roots;   // of 2 n; of cosine and sine transforms, of what mst_even_roots says
    void *values, *transform; // m numbers of each line, and their transform
    const void *results;      // one of the two
} mst_fft_lines_run;

// lines_move.c: part of an array, elements first .. first + count - 1 along the axis, of all lines of the group: those of one
// index side by side, of so many lines.
mst_transfer mst_fft_lines_part(const mst_fft_lines_run *run, int side, size_t first, size_t count);
size_t mst_fft_lines_there(const mst_fft_lines_run *run);

// Calls body(chunk, run, error) for chunks of so many positions, by the context's threads.
size_t mst_fft_lines_chunk(const mst_fft_lines *lines);
mst_status mst_fft_lines_each(mst_fft_lines_run *run, size_t positions, mst_pool_fn body, mst_error *error);

// The lines of a group into `values`, padded, and out of them; with their chirps. All by the context's threads.
mst_status mst_fft_lines_load(mst_fft_lines_run *run, mst_error *error);
mst_status mst_fft_lines_store(mst_fft_lines_run *run, mst_error *error);
// The chirp that convolves, into the first of the lines in `values`, others being 0, and from their transform to the plan's.
mst_status mst_fft_lines_put_chirp(mst_fft_lines_run *run, mst_error *error);
mst_status mst_fft_lines_get_multiplier(mst_fft_lines_run *run, mst_error *error);
// What the second transform takes: conj(transform times multiplier).
mst_status mst_fft_lines_multiply(mst_fft_lines_run *run, mst_error *error);

// lines_even.c: the same two of a cosine or sine transform. What was read lies in `transform` first, and what is to be written in
// `values`.
mst_status mst_fft_lines_load_even(mst_fft_lines_run *run, mst_error *error);
mst_status mst_fft_lines_store_even(mst_fft_lines_run *run, mst_error *error);

// lines.c: how a transform goes so, in numbers. *out has no axis (-1) if it does not; *fits: what is left of the budgets has
// room.
mst_status mst_fft_lines_plan(mst_context *context, const mst_fft_desc *desc, mst_fft_lines *out, bool *fits, mst_error *error);

// A plan for what was looked at: the kernels that executions take are built, and known.
mst_status mst_fft_lines_create(const mst_fft_lines *looked_at, mst_fft_lines **out, mst_error *error);
void mst_fft_lines_destroy(mst_fft_lines *lines);
void mst_fft_lines_give_back(mst_fft_lines *lines); // of the budgets, until the next execution

// As mst_fft_execute, for arrays of which none is on the device.
mst_status mst_fft_lines_execute(mst_fft_lines *lines, mst_location input, mst_location output, const mst_execution *how,
                                 mst_error *error);

#endif
