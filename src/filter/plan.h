// What a filter plan holds.
#ifndef MST_FILTER_PLAN_H
#define MST_FILTER_PLAN_H

#include "fft/pass.h"
#include "runtime/error.h"
#include "runtime/layout.h"
#include "stream/stream.h"
#include "text/text.h"
#include "tune/tune.h"

#include <mastaba/filter.h>

struct mst_filter_composed;
struct mst_filter_fused;
struct mst_filter_paper;

// The mask as kernels evaluate it: a function real mask_at(__global const real *mask, uint k, uint l) for the frequency k / P
// along the height and l / Q along the width, l <= Q / 2, and the table that it reads.
typedef struct mst_mask {
    char *text;
    float *values; // the table, until it is on the device
    bool keeps_mean;
    cl_mem table;
    uint64_t table_bytes;
} mst_mask;

// Parts of the work that are timed. (Read and write, the transfers, are in mst_report.)
enum {
    STAGE_LOAD,
    STAGE_SPIN,
    STAGE_FORWARD,
    STAGE_REVERSE,
    STAGE_BUTTERFLY,
    STAGE_NORMALISE,
    STAGE_TRANSPOSE,
    STAGE_MASK,
    STAGE_INVERSE,
    STAGE_STORE,
    N_STAGES
};

// A command that belongs to a stage; with `before`, all that ran between the two.
typedef struct mst_stage_event {
    int stage;
    cl_event before, event;
} mst_stage_event;

// Real planes on their way: plane p of a block starts at p * pitch * rows, row y at y * pitch.
typedef struct mst_planes {
    cl_mem buffer;
    size_t pitch, rows;
} mst_planes;

enum { KERNEL_LOAD, KERNEL_RANGE, KERNEL_REDUCE, KERNEL_STORE, KERNEL_ALPHA, N_PLANE_KERNELS };

// What tuning may choose: no result depends on it but for rounding.
typedef struct mst_filter_choice {
    bool cpu;             // shape
    mst_pass_choice pass; // of the fused filter
} mst_filter_choice;

struct mst_filter {
    mst_context *context;
    mst_filter_desc desc; // layouts complete, output and white decided
    bool cpu;
    mst_pass_choice choice;                            // of the fused filter
    size_t n_images, height, width, channels, colours; // colours: channels that are filtered
    size_t p, q;                                       // what is transformed: p x q points
    mst_mask mask;
    mst_stream *stream;
    cl_mem lines[2][2]; // [input, output][packed, own]: tables of mst_lines_create along the width
    cl_kernel kernels[N_PLANE_KERNELS];
    mst_planes planes; // p x q; height x width for the fused filter, where the range has to be found
    uint64_t planes_bytes;
    cl_mem ranges[2]; // partial least and greatest values, reduced from one into the other and back
    uint64_t range_bytes[2];
    struct mst_filter_fused *fused; // one of these
    struct mst_filter_composed *composed;
    struct mst_filter_paper *paper;
    mst_stage_event *events;
    size_t n_events, most_events;
    cl_event last; // the stamp before what comes
};

static inline bool mst_filter_ranged(const mst_filter *plan) {
    return plan->desc.output_as == MST_FILTER_STRETCH || plan->desc.output_as == MST_FILTER_MAGNITUDE;
}

// Whether the median of three pixels of each colour is taken off it (of one alone, a dead one would spoil all). Where the mask is
// 0 at frequency 0 that changes no result, as the edges continue a constant, and what is left is as small as the differences in
// the image: rounding is not stretched to full range.
static inline bool mst_filter_levels(const mst_filter *plan) {
    return !plan->mask.keeps_mean && plan->desc.edges != MST_FILTER_ZERO;
}

// ---- filter.c: the public function, with a choice made.
mst_status mst_filter_create_as(mst_context *context, const mst_filter_desc *desc, const mst_filter_choice *choice,
                                mst_filter **out, mst_error *error);

// ---- tune.c: from the rules' choice to what is known of the device.
mst_status mst_filter_tune(mst_filter *plan, const mst_filter_desc *desc, mst_tune_chain *chain, mst_error *error);

// ---- mask.c: text and table of the mask; no OpenCL call but for the upload.
mst_status mst_mask_make(mst_filter *plan, mst_error *error);
mst_status mst_mask_upload(mst_filter *plan, mst_error *error);
void mst_mask_release(mst_filter *plan);

// ---- planes.c: images to real planes, continued beyond their edges, and back.
mst_status mst_planes_create(mst_filter *plan, mst_error *error);
void mst_planes_destroy(mst_filter *plan);
uint64_t mst_planes_image_bytes(const mst_filter *plan); // device memory that an image needs
mst_status mst_planes_prepare(mst_filter *plan, size_t n_images, mst_error *error);
// Where a kernel finds one side of a block, 0 the input and 1 the output.
typedef struct mst_image_side {
    cl_mem buffer, lines;
    cl_long base;
    cl_ulong first_line;
} mst_image_side;
mst_image_side mst_image_side_of(const mst_filter *plan, const mst_block *block, int side);
mst_status mst_planes_load(mst_filter *plan, const mst_block *block, mst_error *error);
mst_status mst_planes_store(mst_filter *plan, const mst_block *block, mst_error *error);
mst_status mst_planes_copy_alpha(mst_filter *plan, const mst_block *block, mst_error *error);

// ---- stages.c: times of stages, where they are wanted.
// The place for a command's event, NULL if it is not wanted; what follows belongs to `stage`.
cl_event *mst_stage_command(mst_filter *plan, int stage);
// Marks where a stage of several commands begins, and where it ends.
mst_status mst_stage_begin(mst_filter *plan, const mst_block *block, mst_error *error);
mst_status mst_stage_end(mst_filter *plan, const mst_block *block, int stage, mst_error *error);
void mst_stages_clear(mst_filter *plan);
mst_status mst_stages_check(const mst_filter_desc *desc, mst_error *error); // the size of what is written of them

// ---- fused.c: from images to images, or where the range has to be found to planes; for blocks of up to n planes.
bool mst_fused_filter_can(const mst_filter *plan, bool cpu);
mst_status mst_fused_filter_create(mst_filter *plan, mst_error *error);
void mst_fused_filter_destroy(mst_filter *plan);
uint64_t mst_fused_filter_plane_bytes(const mst_filter *plan);
mst_status mst_fused_filter_prepare(mst_filter *plan, size_t n_planes, mst_error *error);
mst_status mst_fused_filter_run(mst_filter *plan, const mst_block *block, mst_error *error);

// ---- The ways from planes to filtered planes, in place, for blocks of up to n planes.
// composed.c: by plans of the FFT engine, and a kernel for the mask.
mst_status mst_composed_create(mst_filter *plan, mst_error *error);
void mst_composed_destroy(mst_filter *plan);
uint64_t mst_composed_plane_bytes(const mst_filter *plan);
mst_status mst_composed_prepare(mst_filter *plan, size_t n_planes, mst_error *error);
mst_status mst_composed_run(mst_filter *plan, const mst_block *block, mst_error *error);
// paper.c: as published.
mst_status mst_paper_filter_create(mst_filter *plan, mst_error *error);
void mst_paper_filter_destroy(mst_filter *plan);
uint64_t mst_paper_filter_bytes(const mst_filter *plan); // whatever the block
mst_status mst_paper_filter_prepare(mst_filter *plan, bool release, mst_error *error);
mst_status mst_paper_filter_run(mst_filter *plan, const mst_block *block, mst_error *error);

#endif
