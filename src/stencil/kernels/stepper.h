// The kernels for m fused steps of a problem, and their launch on a box of the grid.
#ifndef MST_STENCIL_STEPPER_H
#define MST_STENCIL_STEPPER_H

#include "runtime/cache.h"
#include "stencil/scheme/tables.h"

enum { MST_STENCIL_LANES = 4 }; // launches that go on at once, at most

// A part of all arrays of the state (or of all coefficient fields) on the device: see write.h.
typedef struct mst_window {
    cl_mem buffers[MST_STENCIL_MAX_ARRAYS];
    int64_t planes, first_row, rows, first_column, columns, first_plane;
} mst_window;

typedef struct mst_box {
    int64_t from[N_AXES], to[N_AXES];
} mst_box;

// What tuning may choose of a tile: most nodes along its columns and rows for CPU-shaped kernels, work-items along the columns
// and nodes along the rows, with halos, for GPU-shaped ones; and the planes that one streams through (at most so many on a
// GPU), 0: as many as the grid suggests.
typedef struct mst_stepper_choice {
    int columns, rows, planes;
} mst_stepper_choice;

typedef struct mst_stepper {
    const mst_problem *problem;
    const mst_tables *tables;
    mst_context *context;
    mst_pipeline pipeline;
    mst_stencil_shape shape;
    mst_stepper_choice choice;
    int tile[N_AXES], group;
    int before[N_AXES], whole[N_AXES]; // of a GPU's kernel: nodes before the tile, and all that a work-group computes,
    int item[N_AXES];                  // and a work-item
    size_t local_bytes;
    bool single;          // one step by the kernel of m
    cl_program program;   // the context's
    bool has_key;         // there is a cache
    mst_cache_key key;    // of the kernels' text
    cl_kernel kernels[2]; // a GPU has a second one for plain tiles (write_gpu_choice.c), which the first leaves
} mst_stepper;

mst_stepper_choice mst_stepper_rule(const mst_problem *problem, mst_stencil_shape shape);

// Writes and builds. MST_ERROR_UNSUPPORTED: so many steps do not fit the device.
mst_status mst_stepper_create(mst_context *context, const mst_problem *problem, const mst_tables *tables, int m,
                              mst_stencil_shape shape, mst_stepper_choice choice, mst_stepper *out, mst_error *error);
// For a single step, with the kernel of `fused` if that can do it. `fused` may go before it.
mst_status mst_stepper_create_single(const mst_stepper *fused, mst_stepper *out, mst_error *error);
void mst_stepper_release(mst_stepper *stepper);

// Enqueues m steps: the box of `to` is computed from `from`, which must hold the box and `pipeline.low` and `.high` nodes around
// it, as far as there are any; where it holds the rest of a GPU's work-items that these are of, too (item[axis] nodes each, of
// any value, `before` and behind the box), the faster kernel does the tiles at its sides. `row` is that of the first step in the
// tables; so many launches as `lanes` go on at once.
mst_status mst_stepper_enqueue(const mst_stepper *stepper, cl_command_queue queue, const mst_window *from, const mst_window *to,
                               const mst_window *held, const mst_box *box, int lanes, uint64_t row, mst_error *error);

// Node-steps that are computed for a box, with those that tiles and strips compute again; m x its nodes without them.
// *longer: what they take, over that, since there are too few work-groups for the device, or the last round does not fill it, and
// since a GPU's work-items go through nodes that nobody needs, too.
double mst_stepper_work(const mst_stepper *stepper, const mst_box *box, int lanes, double *longer);

#endif
