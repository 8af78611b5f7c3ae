// What a convolution plan holds.
#ifndef MST_CONV_PLAN_H
#define MST_CONV_PLAN_H

#include "fft/pass.h"
#include "runtime/layout.h"
#include "stream/stream.h"
#include "tune/tune.h"

#include <mastaba/convolution.h>

enum { X, Y, Z, N_ARRAYS };

struct mst_paper;
struct mst_reference;
struct mst_fused;

// What tuning chooses of the fused algorithm; zeros: by rule.
typedef struct mst_convolution_choice {
    mst_fft_shape shape; // where the description leaves it open
    mst_pass_choice pass;
    uint64_t work_bytes; // between stages, at once
} mst_convolution_choice;

struct mst_convolution {
    mst_context *context;
    mst_convolution_desc desc; // axes 0-based and ascending, layouts complete, algorithm decided
    mst_type work_type;        // complex64 or complex128
    size_t lengths[N_ARRAYS];  // along the (first) axis
    size_t n_lines[N_ARRAYS];  // vectors (images) in all; 1 for an operand that goes with every vector of the other
    unsigned log_n;            // padded length N = 2^log_n
    // What is kept of the padded vectors: z[i] = v[start + i], plus v[i + period] up to index `last` (period 0: no fold).
    size_t start, period, last;
    mst_convolution_choice choice;
    int reversal;            // of y, for correlation: 0 none, 1 linear, 2 circular
    struct mst_paper *paper; // one of the three, or none when there is nothing to do
    struct mst_fused *fused;
    struct mst_reference *reference;
};

static inline const mst_layout *mst_convolution_layout(const mst_convolution *plan, int array) {
    return array == X ? &plan->desc.x : array == Y ? &plan->desc.y : &plan->desc.z;
}

// OpenCL C's name of an array's real type.
const char *mst_convolution_element(mst_type type);

// mst_convolution_create with the choice for the fused algorithm (NULL: by tuning or rule), and what chooses it (tune.c).
mst_status mst_convolution_create_as(mst_context *context, const mst_convolution_desc *desc, const mst_convolution_choice *choice,
                                     mst_convolution **out, mst_error *error);
mst_status mst_convolution_tune(mst_convolution *plan, mst_tune_chain *chain, mst_error *error);

// The algorithms on the device (paper.c, fused.c) and the sequential one (reference.c).
mst_status mst_paper_create(mst_convolution *plan, mst_error *error);
void mst_paper_destroy(struct mst_paper *paper);
mst_status mst_paper_execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error);
size_t mst_fused_padded_length(const struct mst_fused *fused); // real numbers count as such
uint64_t mst_fused_work(bool cpu);                             // bytes between stages by rule
bool mst_fused_can(const mst_convolution *plan);               // whether some padded length fits the device
mst_status mst_fused_create(mst_convolution *plan, mst_error *error);
void mst_fused_destroy(struct mst_fused *fused);
mst_status mst_fused_execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error);
mst_status mst_reference_create(mst_convolution *plan, mst_error *error);
void mst_reference_destroy(struct mst_reference *reference);
mst_status mst_reference_execute(mst_convolution *plan, const mst_location *where, const mst_execution *how, mst_error *error);

#endif
