// What the parts of the writer of GPU-shaped kernels share: see write_gpu.c.
#ifndef MST_STENCIL_WRITE_GPU_H
#define MST_STENCIL_WRITE_GPU_H

#include "write.h"

// A plane of a version that work-items give one another. Of each work-item's nodes others read those in `used`, bit lane x rows +
// row; each has a slot of local memory, one place a work-item.
typedef struct mst_gpu_line {
    uint64_t used;
    int first_slot;
} mst_gpu_line;

typedef struct mst_gpu_writer {
    mst_writer *w;
    bool border;                                  // writing `advance`
    int items, group;                             // work-items along the columns, and in all
    int width, deep;                              // columns and rows of a work-item
    int left, above;                              // nodes of the tile before what it owns
    int first, last;                              // iterations, from the first of the strip's planes and from behind it
    int halves;                                   // of local memory
    mst_gpu_line (*lines)[MST_STENCIL_MAX_DEPTH]; // of a version, by age
    int n_slots;
    int end; // of the slots: what work-items at the tile's edge read beyond them, and drop
} mst_gpu_writer;

// Which nodes of which planes of which versions go through local memory.
void mst_gpu_find_lines(mst_gpu_writer *g);
// Planes of a version in registers: those that are read, and those that go to lines.
int mst_gpu_registers(const mst_gpu_writer *g, int version);

// Local memory and the work-item's place in the tile; with fewer local bytes than the lines take twice, they are there once.
void mst_gpu_write_geometry(mst_gpu_writer *g);
// Puts planes into the lines, for all to read.
void mst_gpu_write_exchange(const mst_gpu_writer *g);

// Selects a lane of a vector: ".s3".
void mst_gpu_lane_text(const mst_gpu_writer *g, int lane, char *out, size_t size);
// The vector that leaf i of a version's formula reads of another version, for one of the work-item's rows.
void mst_gpu_neighbour_text(const mst_gpu_writer *g, const mst_stage *v, size_t i, int row, char *out, size_t size);

#endif
