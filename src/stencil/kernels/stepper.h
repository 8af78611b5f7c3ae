// The kernels for m fused steps of a problem, and their launch on a box of the grid.
#ifndef MST_STENCIL_STEPPER_H
#define MST_STENCIL_STEPPER_H

#include "runtime/cache.h"
#include "runtime/kernel.h"
#include "stencil/scheme/part.h"
#include "stencil/scheme/points.h"
#include "tile.h"

// A part of all arrays of the state, or of all coefficient fields, on the device: a ring of planes, in which plane p lies at
// (p - first_plane) modulo `planes`, with so many rows and columns from the first ones on. Copies find the first of them at
// element `begin`; kernels take only windows that begin with it.
typedef struct mst_window {
    cl_mem buffers[MST_STENCIL_MAX_ARRAYS];
    int64_t planes, first_row, rows, first_column, columns, first_plane, begin;
} mst_window;

// What kernels find on the device beside the state; NULL: nothing of it is needed.
typedef struct mst_stepper_tables {
    cl_mem damping, steps, records, points;
} mst_stepper_tables;

typedef struct mst_stepper {
    const mst_point_list *points;
    const mst_stepper_tables *tables;
    mst_context *context;
    mst_pipeline pipeline;
    mst_tile tile;
    bool is_single;             // launches do one step with a kernel for m
    const mst_program *program; // the context's
    bool has_key;               // there is a cache
    mst_cache_key key;          // of the kernels' text
    mst_signature arguments;    // of the kernels
    mst_kernel *interior;       // the only kernel of a CPU
    mst_kernel *boundary;       // of a GPU: for the tiles that the interior kernel leaves
} mst_stepper;

// Bytes of the vectors of a CPU's kernels.
size_t mst_stepper_vector_bytes(const mst_context *context);

// Launches on a whole grid, unless that is small, go to all parts of a processor that work in the context, those on a part of a
// grid to its own device.
static inline bool mst_stepper_shares(const mst_context *context, const mst_problem *problem) {
    static const uint64_t least = 1 << 14; // nodes
    return context->joint && problem->nodes >= least && !mst_problem_is_part(problem);
}
static inline unsigned mst_stepper_units(const mst_context *context, const mst_problem *problem) {
    return mst_stepper_shares(context, problem) ? context->units : context->device.compute_units;
}
static inline mst_queue mst_stepper_queue(mst_context *context, const mst_problem *problem) {
    mst_queue queue = MST_QUEUE(context, context->compute);
    queue.shares = mst_stepper_shares(context, problem);
    return queue;
}

// What the device offers, as far as tiles go by it.
mst_status mst_stepper_limits(const mst_context *context, const mst_problem *problem, mst_tile_limits *out, mst_error *error);

// With which kernels of stencils are built. A float32 quotient may be 2.5 ulp off by default (OpenCL C 1.2, 7.4), and then
// differs from that of other kernels and devices.
const char *mst_stepper_build_options(const mst_context *context, const mst_problem *problem);

// Writes and builds. `tables` are first looked at when steps are enqueued. MST_ERROR_UNSUPPORTED: so many steps do not fit the
// device.
mst_status mst_stepper_create(mst_context *context, const mst_problem *problem, const mst_point_list *points,
                              const mst_stepper_tables *tables, int m, mst_stencil_shape shape, mst_tile_choice choice,
                              mst_stepper *out, mst_error *error);
// For a single step, with the kernel of `fused` if that can do it. `fused` may go before it.
mst_status mst_stepper_create_single(const mst_stepper *fused, mst_stepper *out, mst_error *error);
void mst_stepper_release(mst_stepper *stepper);

// Enqueues m steps: the box of `to` is computed from `from`, which must hold the box and its halo, as far as there are such
// nodes. If it also holds the rest of the work-items that these belong to (of any value; tile.item[axis] nodes each, beginning
// tile.before[axis] nodes before the box), a GPU's interior kernel does the tiles at the box's sides. `held` holds the
// coefficient fields, NULL if there are none. `row` is that of the first step in the tables; kernels run in so many queues at
// once.
mst_status mst_stepper_enqueue(const mst_stepper *stepper, mst_queue *queue, const mst_window *from, const mst_window *to,
                               const mst_window *held, const mst_box *box, int queues, uint64_t row, mst_error *error);

#endif
