// What a convolution plan holds.
#ifndef MST_CONV_PLAN_H
#define MST_CONV_PLAN_H

#include "fft/pass.h"
#include "runtime/layout.h"
#include "runtime/turn.h"
#include "stream/stream.h"
#include "tune/tune.h"

#include <mastaba/convolution.h>

enum { X, Y, Z, N_ARRAYS };

struct mst_convolution_method;
struct mst_panels;
struct mst_spectra;
typedef struct mst_convolution_panel mst_convolution_panel;

// What tuning chooses of the fused algorithm; zeros: by rule.
typedef struct mst_convolution_choice {
    mst_fft_shape shape; // where the description leaves it open
    mst_pass_choice pass;
    uint64_t work_bytes; // between stages, at once
    bool specialised;    // cpu: kernels that are written for the sizes, although those of any.h would do
} mst_convolution_choice;

struct mst_convolution {
    mst_context *context;
    mst_turn *turn;
    mst_convolution_desc desc; // axes 0-based and ascending, layouts complete, algorithm decided
    mst_type work_type;        // complex64 or complex128
    size_t lengths[N_ARRAYS];  // along the (first) axis
    size_t n_lines[N_ARRAYS];  // vectors (images) in all; 1 for an operand that goes with every vector of the other
    unsigned log_n;            // padded length N = 2^log_n
    // What is kept of the padded vectors: z[i] = v[start + i], plus v[i + period] up to index `last` (period 0: no fold).
    size_t start, period, last;
    mst_convolution_choice choice;
    char why[96];                                // auto chose its algorithm; empty where one was asked for
    int reversal;                                // of y, for correlation: 0 none, 1 linear, 2 circular
    const struct mst_convolution_method *method; // NULL when there is nothing to do
    void *work;                                  // the method's; NULL also where the budgets have no room for the whole
    struct mst_panels *panels;                   // of a long operand (panels.h); NULL: not for this plan
    struct mst_spectra *spectra;                 // where there is no room for panels (spectra.h); NULL: there is
    const mst_convolution_panel *panel;          // of an inner plan of these; NULL: not
    mst_stream *stream;                          // the method's, in its work; NULL: it shares nothing out
};

// How convolutions are computed. create sets plan->work, which destroy frees (half-built, or NULL).
typedef struct mst_convolution_method {
    mst_status (*create)(mst_convolution *plan, mst_error *error);
    void (*destroy)(void *work);
    mst_status (*execute)(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error);
    size_t (*padded_length)(const mst_convolution *plan); // real numbers count as such; NULL: 2^log_n
} mst_convolution_method;

extern const mst_convolution_method mst_fused_method;        // fused.c
extern const mst_convolution_method mst_direct_method;       // direct.c
extern const mst_convolution_method mst_overlap_save_method; // overlap_save.c
extern const mst_convolution_method mst_paper_method;        // paper.c: the published variants on the device
extern const mst_convolution_method mst_reference_method;    // reference.c: sequential, on the host

static inline const mst_layout *mst_convolution_layout(const mst_convolution *plan, int array) {
    return array == X ? &plan->desc.x : array == Y ? &plan->desc.y : &plan->desc.z;
}

// Whether an axis is one of those that are convolved along.
static inline bool mst_convolution_axis_is_along(const mst_convolution_desc *d, int axis) {
    for (int a = 0; a < d->n_axes; a++)
        if (axis == d->axes[a])
            return true;
    return false;
}

static inline bool mst_convolution_is_along(const mst_convolution *plan, int axis) {
    return mst_convolution_axis_is_along(&plan->desc, axis);
}

// ---- convolution.c: makes a plan. `choose` sets plan->choice of one that is otherwise complete, with `user`; it is asked for
// the fused method only. mst_convolution_create_as takes a given choice, mst_convolution_create (tune.c) one by tuning or rule.
typedef mst_status mst_convolution_chooser(mst_convolution *plan, void *user, mst_error *error);
mst_status mst_convolution_make(mst_context *context, const mst_convolution_desc *desc, mst_convolution_chooser *choose,
                                void *user, mst_convolution **out, mst_error *error);
mst_status mst_convolution_create_as(mst_context *context, const mst_convolution_desc *desc, const mst_convolution_choice *choice,
                                     mst_convolution **out, mst_error *error);
// The inner plan of panels. `panel` must live as long as the plan.
mst_status mst_convolution_create_panel(mst_context *context, const mst_convolution_desc *desc,
                                        const mst_convolution_choice *choice, const mst_convolution_panel *panel,
                                        mst_convolution **out, mst_error *error);

// ---- panels.c: makes plan->work, or what goes in its place where the budgets have no room for it; and executes the plan by what
// suits places and budgets.
mst_status mst_ways_make(mst_convolution *plan, mst_error *error);
mst_status mst_ways_execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error);

// ---- choice.c: direct or fused, or auto where neither suits. Sets plan->why.
mst_convolution_algorithm mst_convolution_choose(mst_convolution *plan);

// ---- fused.c
uint64_t mst_fused_work(bool cpu); // bytes between stages by rule

#endif
