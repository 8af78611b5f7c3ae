// Transforms by a kernel that knows no sizes: one program a precision takes every CPU-shaped pass, whose sizes, strides, radices
// and operations are its arguments (any_pass.cl). A length that was never seen costs its tables, and no compiling.
#ifndef MST_FFT_ANY_H
#define MST_FFT_ANY_H

#include "any_steps.h"
#include "plan.h"

#include "any_pass.cl"

#define MST_ANY_LAYOUTS 4 // which of the caller's arrays are not packed: MST_FFT_SOURCE, MST_FFT_TARGET, both or none

// Passes through which a work-item takes one piece after the other. A piece is what lies at one index of all axes before those
// that these passes transform, so pieces do not depend on one another. Work-items share the lines of a single pass instead.
typedef struct mst_any_group {
    int first, count;
    size_t pieces_an_item;
    size_t joint;                      // pieces that a work-item takes together, so that their lines fill its lanes
    size_t work_items;                 // of a launch, at most
    size_t scratch_reals;              // of memory that a work-item keeps a piece in between passes
    size_t passes_at[MST_ANY_LAYOUTS]; // where in the tables: an any_pass each
} mst_any_group;

// Consecutive passes of a plan, one for each of its last axes, that are done as one, with a whole box of numbers a lane.
typedef struct mst_any_box {
    int at, count; // which pass of the plan they have become; 0: there is none
    mst_fft_pass passes[MST_MAX_AXES];
} mst_any_box;

// Values of tables on their way to the device.
typedef struct mst_any_values {
    unsigned char *bytes;
    size_t length, capacity;
    bool failed; // out of memory
} mst_any_values;

typedef struct mst_any {
    mst_text text;
    mst_kernel *kernel;
    int n_groups;
    mst_any_group groups[MST_FFT_MAX_PASSES];
    mst_any_box box;
    any_pass described[MST_ANY_LAYOUTS][MST_FFT_MAX_PASSES];
    mst_any_values number_values, place_values;
    size_t places_at; // where in the tables, behind the numbers
    mst_device_table tables, scratch;
} mst_any;

// Whether a plan's passes, which are planned next, go by these kernels.
bool mst_any_suits(const mst_fft *plan);

// Puts the axes into the order that leaves the most passes in one group: the last ones together.
void mst_any_order_axes(mst_fft *plan);

// any_box.c: joins the passes of a box, if there is one; and describes it, tables included.
void mst_any_join_box(mst_fft *plan);
void mst_any_describe_box(const mst_fft *plan, any_pass *out);

// any_group.c: puts passes into groups, and describes which buffers are a work-item's own in them.
void mst_any_group_passes(mst_fft *plan);
size_t mst_any_items_at_once(const mst_fft *plan); // of a launch, where there are several groups

// Groups the planned passes and computes their tables: no OpenCL call. Sets plan->any and plan->table_bytes.
mst_status mst_any_plan(mst_fft *plan, mst_error *error);

// Makes tables and kernel of a planned plan; and enqueues a block.
mst_status mst_any_make(mst_fft *plan, mst_error *error);
mst_status mst_any_compute(mst_fft *plan, const mst_block *block, mst_error *error);
void mst_any_destroy(mst_fft *plan); // also half-built ones, or none

// any_write.c: the text of the kernel; even: also of cosine and sine transforms.
mst_status mst_any_write(mst_context *context, bool is_double, bool even, mst_text *out, mst_error *error);

// any_describe.c: a pass as the kernel reads it, without places in tables and scratch memory; own: sides that are not packed.
void mst_any_describe(const mst_fft_pass *p, bool own_source, bool own_target, any_pass *out);

// Tiles of short rows at a time: where these are evenly apart, and nothing happens to them but the transform and factors.
cell mst_any_several(const any_pass *p);

// any_tables.c: computes the tables of a described pass and says where they are.
void mst_any_add_tables(const mst_fft *plan, const mst_fft_pass *p, any_pass *out);

// Parts of that: the steps of a pass behind those that are there already, of numbers of which `inner` lie side by side; the roots
// of unity for n + 1 results of 2n real numbers; the plan's scale; and room for places, which the caller fills, NULL: out of
// memory.
void mst_any_add_steps(const mst_fft *plan, const mst_fft_pass *p, size_t inner, any_pass *out);
void mst_any_add_prime(const mst_fft *plan, any_pass *out); // the last of the steps' and places' tables: what a prime step needs
cell mst_any_add_half_roots(const mst_fft *plan, size_t n);
cell mst_any_add_scale(const mst_fft *plan);
cl_uint *mst_any_new_places(const mst_fft *plan, size_t count, cell *at);
void mst_any_values_release(mst_any_values *values);

#endif
