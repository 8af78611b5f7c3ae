// What the parts of the writer of GPU-shaped kernels share: see write_gpu.c.
#ifndef MST_STENCIL_WRITE_GPU_H
#define MST_STENCIL_WRITE_GPU_H

#include "exchange.h"
#include "write.h"

typedef struct mst_gpu_writer {
    const mst_writer *w;
    const mst_tile *tile;
    bool border;     // writing the boundary kernel
    int width, deep; // columns and rows of a work-item
    int first, last; // iterations, from the first of the strip's planes and from behind it
    mst_stencil_exchange exchange;
} mst_gpu_writer;

// The tile of a work-group of `advance`: of all tiles in the strips at faces, then of those at the sides in the others.
void mst_gpu_write_side_tile(const mst_gpu_writer *g);
// Whether the tile is plain, which decides between the two kernels; then the part of the strip.
void mst_gpu_write_choice(const mst_gpu_writer *g);

// Local memory and the work-item's place in the tile.
void mst_gpu_write_geometry(const mst_gpu_writer *g);
// Puts planes into the lines, for all to read.
void mst_gpu_write_exchange(const mst_gpu_writer *g);

// Selects a lane of a vector: ".s3".
void mst_gpu_lane_text(const mst_gpu_writer *g, int lane, char *out, size_t size);
// The vector that leaf i of a version's formula reads of another version, for one of the work-item's rows.
void mst_gpu_neighbour_text(const mst_gpu_writer *g, const mst_stage *v, size_t i, int row, char *out, size_t size);

#endif
