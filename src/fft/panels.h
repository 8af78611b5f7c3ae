// Transforms of arrays of which one item exceeds the budgets: passes over the whole array, each of which moves it through the
// device in panels. What a panel is and how passes are planned is here, in numbers alone; panels.c makes and runs them.
//
// A pass transforms some axes, which a panel holds whole. Of one of the other axes it has a part, so many indices wide; of those
// that lie closer together it has all, and of the rest one index. An axis that is too long for a panel takes two passes (Bailey,
// FFTs in external or hierarchical memory, 1990): its index j = j1 n2 + j2 is two axes, of which the first pass transforms j1 to
// k1, multiplies by exp(-2 pi i k1 j2 / n) and leaves (j2, k1) where (j1, j2) would be, so that the second one, which transforms
// j2 to k2, leaves k = k2 n1 + k1 in order, at the place from which it took it. So the array of results is the only store.
#ifndef MST_FFT_PANELS_H
#define MST_FFT_PANELS_H

#include "runtime/error.h"
#include "stream/stream.h"

#include <mastaba/fft.h>

#define MST_FFT_PANELS_MAX_AXES (MST_MAX_RANK + 1)
#define MST_FFT_PANELS_MAX_PASSES (MST_MAX_AXES + 1)

// The sides of a pass, as indices; and the arrays that they are.
enum { MST_FROM, MST_TO, MST_SIDES };
typedef enum mst_fft_panels_array { MST_FFT_PANELS_INPUT, MST_FFT_PANELS_OUTPUT } mst_fft_panels_array;

typedef struct mst_fft_panel_axis {
    int axis;            // of the caller's arrays
    size_t n[MST_SIDES]; // they differ on the axis of real numbers only
    int64_t stride[MST_SIDES];
} mst_fft_panel_axis;

// A long axis of n = 2 m real numbers is transformed as m complex ones. What turns the spectrum of those into that of the real
// numbers takes elements k and m - k, so panels of the pass with the spectrum on one side hold columns and their mirrors.
typedef enum mst_fft_mirror { MST_FFT_MIRROR_NONE, MST_FFT_MIRROR_COMBINE, MST_FFT_MIRROR_SPLIT } mst_fft_mirror;

// Real results by several axes: the pass of the other axes leaves half the spectrum in the array of the results, where there is
// room for n / 2 complex numbers a row, and not for the n / 2 + 1 that there are. Of the first and the last only the real parts
// count by then, so they make one number there, which the pass of the real axis takes apart. Packed panels hold both.
typedef enum mst_fft_fold { MST_FFT_FOLD_NONE, MST_FFT_FOLD_TOGETHER, MST_FFT_FOLD_APART } mst_fft_fold;

typedef struct mst_fft_panel_pass {
    mst_fft_panels_array array[MST_SIDES];
    mst_type type[MST_SIDES];
    int n_axes;
    mst_fft_panel_axis axes[MST_FFT_PANELS_MAX_AXES];
    unsigned transformed, inside; // bits: axes that it transforms, and those of a panel, which they and `cut` are among
    int real;                     // the axis of real numbers, if it is transformed here; else -1
    int cut;                      // the axis of which a panel has `width` indices; -1: it has all of all
    size_t width, n_cuts, n_panels;
    int n_inside, order[MST_SIDES][MST_FFT_PANELS_MAX_AXES]; // axes of a packed panel, the outermost first
    uint64_t bytes[MST_SIDES];                               // of a panel
    size_t twiddle_n;                                        // of the first pass of a long axis, its length; else 0
    int row, column;                                         // the axes k1 and j2 of the twiddles
    double scale;
    mst_fft_mirror mirror; // combine: of results, split: of what is transformed
    size_t n_columns;      // with a mirror: of all, of which `cut` counts the first half and the middle one
    mst_fft_fold fold;     // together: of results, apart: of what is transformed
    int folded;            // the axis that is folded: along it a packed panel holds one more, of results that are complex
} mst_fft_panel_pass;

typedef struct mst_fft_panels_problem {
    const mst_fft_desc *desc; // read; no array is empty
    uint64_t device, host;    // what is left of the budgets
    uint64_t largest;         // allocation on the device
    uint64_t wanted;          // bytes of a panel that keep the device busy
    uint64_t most;            // beyond which larger ones are no better
    uint64_t row;             // bytes side by side that move at full rate
    // What a pass's transforms take on the device beside the panels: work memory for one panel, and tables.
    mst_status (*cost)(void *user, const mst_fft_panel_pass *pass, uint64_t *work, uint64_t *tables, mst_error *error);
    void *user;
} mst_fft_panels_problem;

typedef struct mst_fft_panels_plan {
    int n_passes;
    mst_fft_panel_pass passes[MST_FFT_PANELS_MAX_PASSES];
    int slots;                       // that the plan has room for
    uint64_t panel_bytes[MST_SIDES]; // the most that a pass has
    uint64_t device_bytes, host_bytes;
} mst_fft_panels_plan;

// Chooses passes and panels: as few passes as panels allow whose rows are not too short to read, with room for several panels at
// once. If nothing fits, *out is what takes the least and *fits is false. MST_ERROR_UNSUPPORTED: there is no such way.
mst_status mst_fft_panels_choose(const mst_fft_panels_problem *problem, mst_fft_panels_plan *out, bool *fits, mst_error *error);

// panel.c: takes as much into a panel as fits so many bytes; false if the transformed axes alone do not. Counts the panels of a
// width, and what each holds. And the bytes that lie side by side in a caller's array, or those of the side where they are fewer.
bool mst_fft_panel_choose(mst_fft_panel_pass *pass, uint64_t capacity);
void mst_fft_panel_count(mst_fft_panel_pass *pass);
uint64_t mst_fft_panel_run(const mst_fft_panel_pass *pass, int side);
uint64_t mst_fft_panel_shortest_run(const mst_fft_panel_pass *pass);

// Where panel `item` of a pass lies, in how many pieces, and the index of `axis` at which it begins.
int mst_fft_panel_place(const mst_fft_panel_pass *pass, int side, size_t item, mst_panel_piece *pieces);
size_t mst_fft_panel_begin(const mst_fft_panel_pass *pass, size_t item, int axis);

// How many indices of an axis a packed panel holds, and how far elements along it are apart there.
size_t mst_fft_panel_indices(const mst_fft_panel_pass *pass, int side, int axis);
size_t mst_fft_panel_stride(const mst_fft_panel_pass *pass, int side, int axis);

// The real numbers of an axis with mirrors.
size_t mst_fft_panel_mirrored(const mst_fft_panel_pass *pass);

// What transforms a panel: packed arrays, strides on the side of the results.
void mst_fft_panel_describe(const mst_fft_panel_pass *pass, const mst_fft_desc *whole, mst_fft_desc *out);

// The tables of twiddles of n points: 2^shift of one kind, so many of the other, whose products they are.
unsigned mst_fft_panel_twiddle_shift(size_t n);
size_t mst_fft_panel_twiddle_count(size_t n);

// panels_cost.c: the items of a panel's transform, and the work memory of one.
size_t mst_fft_items(const mst_fft *fft);
uint64_t mst_fft_item_work(const mst_fft *fft);

// `cost` of a problem, with one of these as `user`. The last question is kept with its answer: panels of many sizes may hold the
// same transform, and one of a length with a large prime factor takes long to plan.
typedef struct mst_fft_panels_coster {
    mst_context *context;
    const mst_fft_desc *desc;
    mst_fft_desc last;
    uint64_t work, tables; // of it
} mst_fft_panels_coster;
mst_status mst_fft_panels_cost(void *user, const mst_fft_panel_pass *pass, uint64_t *work, uint64_t *tables, mst_error *error);

// What an execution of a plan takes.
void mst_fft_panels_needs(const mst_fft_desc *desc, const mst_fft_panels_plan *plan, mst_fft_needs *out);

// How arrays pass: staged; copied by the device itself, which takes nothing of the host's; or files, most of whose budget is
// trays'.
typedef enum mst_fft_panels_way { MST_FFT_PANELS_STAGED, MST_FFT_PANELS_CROSSING, MST_FFT_PANELS_FILED } mst_fft_panels_way;
// panels.c: the plan for what is left of a context's budgets: *out and *fits as above.
mst_status mst_fft_panels_look(mst_context *context, const mst_fft_desc *desc, mst_fft_panels_way way, mst_fft_panels_plan *out,
                               bool *fits, mst_error *error);
bool mst_fft_panels_cross(const mst_fft_panels_plan *plan); // rows of all passes are long enough for such copies

// The passes of a plan that fits on a device. Blocks while kernels compile.
typedef struct mst_fft_panels mst_fft_panels;
mst_status mst_fft_panels_create(mst_context *context, const mst_fft_desc *desc, const mst_fft_panels_plan *plan,
                                 mst_fft_panels **out, mst_error *error);
void mst_fft_panels_destroy(mst_fft_panels *panels); // also half-built ones

// Gives back staging and work memory, which the next run takes anew.
mst_status mst_fft_panels_give_back(mst_fft_panels *panels, mst_error *error);

// The plan of a pass's transforms; NULL: there is no such pass.
const mst_fft *mst_fft_panels_transform(const mst_fft_panels *panels, int pass);
const mst_fft_panels_plan *mst_fft_panels_planned(const mst_fft_panels *panels);

// As mst_fft_execute, for arrays of which none is on the device.
mst_status mst_fft_panels_run(mst_fft_panels *panels, mst_location input, mst_location output, const mst_execution *how,
                              mst_error *error);

#endif
