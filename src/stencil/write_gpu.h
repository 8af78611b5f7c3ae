// What the parts of the writer of GPU-shaped kernels share: see write_gpu.c.
#ifndef MST_STENCIL_WRITE_GPU_H
#define MST_STENCIL_WRITE_GPU_H

#include "write.h"

typedef struct mst_gpu_writer {
    mst_writer *w;
    bool border;      // writing `advance`
    int items, width; // along the columns; of a vector
    int left, above;  // nodes of the tile before what it owns
    int halves;
    int (*line_of)[MST_STENCIL_MAX_DEPTH]; // number + 1 of a version's line, by age
    int n_lines, line_size;
    int end; // of the lines: what work-items at the tile's edge read beyond them, and drop
} mst_gpu_writer;

// Which planes of which versions go through lines.
void mst_gpu_find_lines(mst_gpu_writer *g);
// Planes of a version in registers: those that are read, and those that go to lines.
int mst_gpu_registers(const mst_gpu_writer *g, int version);

// Local memory and the work-item's place in the tile; with fewer local bytes than the lines take twice, they are there once.
void mst_gpu_write_geometry(mst_gpu_writer *g);
// Puts planes into the lines, for all to read.
void mst_gpu_write_exchange(const mst_gpu_writer *g);

// Selects a lane of a vector: ".s3".
void mst_gpu_lane_text(const mst_gpu_writer *g, int lane, char *out, size_t size);
// The vector that leaf i of a version's formula reads of another version.
void mst_gpu_neighbour_text(const mst_gpu_writer *g, const mst_stage *v, size_t i, char *out, size_t size);

#endif
