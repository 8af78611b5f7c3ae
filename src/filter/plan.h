// What a filter plan holds.
#ifndef MST_FILTER_PLAN_H
#define MST_FILTER_PLAN_H

#include "fft/pass.h"
#include "runtime/kernel.h"
#include "runtime/layout.h"
#include "runtime/turn.h"
#include "stream/stream.h"
#include "timing.h"
#include "tune/tune.h"

#include <mastaba/filter.h>

// The mask as kernels evaluate it: a function real mask_at(__global const real *mask, uint k, uint l) for the frequency
// k / period_p along the height and l / period_q along the width, l <= period_q / 2, and the table that it reads.
typedef struct mst_mask {
    char *text;
    void *values; // the table, of the plan's reals, until it is on the device; NULL: not filled yet
    bool keeps_mean;
    size_t n_discs;
    cl_mem table;
    uint64_t table_bytes;
} mst_mask;

// Real planes on their way, of `slices` each: plane p of a block starts at p * pitch * rows * slices, row y of slice z at
// (z * rows + y) * pitch.
typedef struct mst_planes {
    cl_mem buffer;
    size_t pitch, rows, slices;
} mst_planes;

enum { KERNEL_LOAD, KERNEL_RANGE, KERNEL_REDUCE, KERNEL_STORE, KERNEL_ALPHA, N_PLANE_KERNELS };

// What tuning may choose: no result depends on it but for rounding.
typedef struct mst_filter_choice {
    bool cpu;             // shape
    mst_pass_choice pass; // of the fused filter
} mst_filter_choice;

struct mst_filter {
    mst_context *context;
    mst_turn *turn;
    mst_filter_desc desc;                             // layouts complete, output and white decided
    mst_filter_notch notches[MST_FILTER_MAX_NOTCHES]; // of desc
    float *own_mask;                                  // of desc, if images go by panels
    bool cpu, is_double;
    mst_pass_choice choice;                // of the fused filter
    size_t n_images, depth, height, width; // depth: 1 but for volumes
    size_t channels, colours;              // colours: channels that are filtered
    size_t r, p, q;                        // what is transformed: r x p x q points; r is 1 but for volumes
    bool cosine;                           // by cosine transforms, that of the image mirrored (extent.c)
    size_t period_r, period_p, period_q;   // frequencies m / period_r, k / period_p along the height, and l / period_q
    mst_mask mask;
    mst_stream *stream;
    cl_mem lines[2][2]; // [input, output][packed, own]: tables of mst_lines_create along the width
    mst_kernel *kernels[N_PLANE_KERNELS];
    mst_planes planes; // p x q; height x width for the fused filter, where the range has to be found
    uint64_t planes_bytes;
    cl_mem ranges[2]; // partial least and greatest values, reduced from one into the other and back
    uint64_t range_bytes[2];
    const struct mst_filter_method *method; // NULL for images without pixels
    void *work;                             // the method's
    mst_filter_times times;
    bool panels;                    // images in host memory and files go by panels.c, as one is too large for the device
    struct mst_filter_tiles *tiles; // in place of them, if they were asked for: tiles.c
    mst_error refusal;              // of other images, where nothing else is left
    mst_error least;                // of images in host memory and files, where not even panels have room
};

// A way to filter. create sets plan->work, which destroy frees (half-built, or NULL); plan sets it without taking anything of the
// device, as far as count_work asks for, and tells what create would take. NULL: that is not known.
typedef struct mst_filter_method {
    mst_status (*plan)(mst_filter *plan, uint64_t *table_bytes, mst_error *error);
    mst_status (*create)(mst_filter *plan, mst_error *error);
    void (*destroy)(mst_filter *plan);
    void (*count_work)(const mst_filter *plan, mst_stream_desc *stream);        // adds device memory that it needs
    mst_status (*prepare)(mst_filter *plan, size_t n_images, mst_error *error); // for blocks of up to n; 0: releases
    mst_status (*run)(mst_filter *plan, const mst_block *block, mst_error *error);
    bool takes_images; // run goes from images to images, or where the range has to be found to planes; else from planes of
                       // p x q to filtered planes, in place
} mst_filter_method;

extern const mst_filter_method mst_fused_filter_method; // fused.c
extern const mst_filter_method mst_paper_filter_method; // paper.c: as published

// Whether it is for the composed method alone, with three axes, in double precision, or with a mask from the image itself.
static inline bool mst_filter_is_general(const mst_filter *plan) {
    return plan->desc.volume || plan->is_double || plan->desc.kind == MST_FILTER_WIENER;
}

// Rows of pixels of an image.
static inline size_t mst_filter_image_rows(const mst_filter *plan) { return plan->depth * plan->height; }

static inline size_t mst_filter_real_bytes(const mst_filter *plan) { return plan->is_double ? sizeof(double) : sizeof(float); }

// Whether results are scaled by the range of all of an image, which is found first.
static inline bool mst_filter_ranged(const mst_filter *plan) {
    return plan->desc.output_as == MST_FILTER_STRETCH || plan->desc.output_as == MST_FILTER_MAGNITUDE;
}

// Whether results are planes before they are images.
static inline bool mst_filter_has_planes(const mst_filter *plan) {
    return !plan->method->takes_images || mst_filter_ranged(plan);
}

// Whether the median of three pixels of each colour is taken off it (of one alone, a dead one would spoil all). Where the mask is
// 0 at frequency 0 that changes no result, as the edges continue a constant, and what is left is as small as the differences in
// the image: rounding is not stretched to full range.
static inline bool mst_filter_levels(const mst_filter *plan) {
    return !plan->mask.keeps_mean && plan->desc.edges != MST_FILTER_ZERO;
}

// OpenCL C's conversion of results to pixels: integers to nearest, saturated.
static inline const char *mst_filter_conversion(mst_type type) {
    return type == MST_UINT8     ? "convert_uchar_sat_rte"
           : type == MST_UINT16  ? "convert_ushort_sat_rte"
           : type == MST_FLOAT64 ? "convert_double"
                                 : "convert_float";
}

// ---- filter.c: makes a plan. `choose` changes plan->cpu and plan->choice of one whose description is read, with `user`.
// mst_filter_create_as takes a given choice, mst_filter_create (tune.c) one by tuning or rule.
typedef mst_status mst_filter_chooser(mst_filter *plan, void *user, mst_error *error);
mst_status mst_filter_make(mst_context *context, const mst_filter_desc *desc, mst_filter_chooser *choose, void *user,
                           mst_filter **out, mst_error *error);
mst_status mst_filter_create_as(mst_context *context, const mst_filter_desc *desc, const mst_filter_choice *choice,
                                mst_filter **out, mst_error *error);

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

// ---- fused.c
bool mst_fused_filter_can(const mst_filter *plan, bool cpu);

#endif
