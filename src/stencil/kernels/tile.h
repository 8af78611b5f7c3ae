// The geometry of a tile: what a work-group computes of a box of the grid, how its work-items share it, and what it takes of the
// device. Planning, the writers of kernels and their launch go by it. It is made from plain numbers, without a device.
//
// A work-group takes a tile of rows and columns through a strip of planes. Of what it computes it *owns* a part, the result; what
// is computed around it (the halo) goes wrong from the edge inwards, a radius a step, and is dropped. Work-groups of CPU-shaped
// kernels have one work-item; the work-items of GPU-shaped ones have a few rows and columns each.
#ifndef MST_STENCIL_TILE_H
#define MST_STENCIL_TILE_H

#include "stencil/scheme/pipeline.h"

enum { MST_STENCIL_QUEUES = 4 }; // in which kernels run at once, at most

typedef struct mst_box {
    int64_t from[N_AXES], to[N_AXES];
} mst_box;

static inline int64_t mst_box_side(const mst_box *box, int axis) { return box->to[axis] - box->from[axis]; }

// What a device offers to a work-group.
typedef struct mst_tile_limits {
    const char *device;      // its name, for messages
    uint64_t local_bytes;    // of local memory; on a CPU, of the cache that it stands for
    uint64_t argument_bytes; // of all arguments of a kernel together
    uint64_t items;          // work-items of a work-group
    int64_t units;           // compute units
    size_t vector_bytes;     // of a CPU's vectors
} mst_tile_limits;

// What tuning may choose of a tile: most nodes along its columns and rows for CPU-shaped kernels, work-items along the columns
// and nodes along the rows, with halos, for GPU-shaped ones; and the planes of a strip (at most so many on a GPU), 0: as many as
// the grid suggests.
typedef struct mst_tile_choice {
    int columns, rows, planes;
} mst_tile_choice;

typedef struct mst_tile {
    const mst_problem *problem;
    mst_stencil_shape shape;
    mst_tile_choice choice;
    int m;                         // fused steps
    int n_computed;                // versions that they compute
    int low[N_AXES], high[N_AXES]; // the halo of m steps: nodes before and behind a box that its result depends on
    int width;                     // elements of a vector
    int own[N_AXES];               // rows and columns of the result that a work-group owns,
    int before[N_AXES];            // that it computes before these,
    int whole[N_AXES];             // and that it computes in all
    int item[N_AXES];              // rows and columns of a work-item of a GPU
    int items, group;              // work-items along the columns, and in all
    size_t local_bytes;            // of local memory that a work-group takes
    int64_t units;                 // compute units of the device
} mst_tile;

mst_tile_choice mst_tile_rule(const mst_problem *problem, mst_stencil_shape shape);

// MST_ERROR_UNSUPPORTED: so many steps do not fit the device, or the scheme has too many arrays for it.
mst_status mst_tile_make(const mst_pipeline *pipeline, mst_stencil_shape shape, mst_tile_choice choice,
                         const mst_tile_limits *limits, mst_tile *out, mst_error *error);
// Of the kernel for `fused` where a launch does a single step, which CPU-shaped kernels can.
mst_tile mst_tile_single(const mst_tile *fused, const mst_pipeline *single);

// Iterations of the loop along the planes, one a plane of the input that is loaded: from the strip's first plane + *first to the
// one behind its last + *last.
void mst_tile_iterations(const mst_pipeline *pipeline, int *first, int *last);

#endif
