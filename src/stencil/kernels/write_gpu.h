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
    bool open;                                    // writing `inner`, whose tiles may reach beyond some faces
    int first, last;                              // iterations, from the first of the strip's planes and from behind it
    int halves;                                   // of local memory
    mst_gpu_line (*lines)[MST_STENCIL_MAX_DEPTH]; // of a version, by age
    int n_slots, pitch; // the places of a slot: of all work-items, then, in `inner` where it is open, of what lies beyond faces:
                        // before and behind the columns, before and behind the rows
    bool near[2 * MST_STENCIL_MAX_RADIUS + 1][2 * MST_STENCIL_MAX_RADIUS + 1]; // read, by work-items along the rows and columns
    int end; // of the slots: what work-items at the tile's edge read beyond them, and drop
} mst_gpu_writer;

bool mst_gpu_is_valued(const mst_problem_boundary *face);

// The tile of a work-group of `advance`: of all tiles in the strips at faces, then of those at the sides in the others.
void mst_gpu_write_side_tile(const mst_gpu_writer *g);
// Whether the tile is plain, which decides between the two kernels; then the part of the strip.
void mst_gpu_write_choice(const mst_gpu_writer *g);

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
