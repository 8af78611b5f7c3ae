// The geometry of overlapped tiling: every block of the grid comes up with a halo as deep as the steps of a trip reach, and the
// part that is computed shrinks to the block step by step. Slabs are cut along the slowest axis, tiles along the two slowest.
#ifndef MST_STENCIL_PLAN_BLOCKS_H
#define MST_STENCIL_PLAN_BLOCKS_H

#include "pair.h"

typedef struct mst_blocks {
    int64_t grid[N_AXES];
    bool periodic[N_AXES];
    int64_t sides[N_AXES], counts[N_AXES];   // nodes of a block along each axis, and blocks
    int64_t low[2][N_AXES], high[2][N_AXES]; // the halo of m steps, and of one
    int64_t item[N_AXES];                    // nodes of a work-item
    int64_t coefficient_reach;               // of the problem
} mst_blocks;

mst_blocks mst_blocks_make(const mst_kernel_pair *pair, mst_stencil_schedule schedule, uint64_t block);

int64_t mst_blocks_count(const mst_blocks *b);
mst_box mst_blocks_box(const mst_blocks *b, int64_t number);

// What so many launches of m steps and so many of one step need around a box, where the grid is cut and as far as it has nodes;
// `coefficients`: of coefficient fields.
mst_box mst_blocks_grown(const mst_blocks *b, const mst_box *box, uint64_t full, uint64_t single, bool coefficients);

// The same box with columns in whole vectors; and with all nodes of the work-items that compute some of it, for its window.
mst_box mst_blocks_aligned(const mst_blocks *b, const mst_box *box);
mst_box mst_blocks_padded(const mst_blocks *b, const mst_box *box);

// The most nodes of a window for a block of a trip of up to `depth` steps, with as many launches of m steps as fit and the rest
// one by one; of none: for the block itself. UINT64_MAX if they cannot be counted.
uint64_t mst_blocks_most_nodes(const mst_blocks *b, uint64_t depth, uint64_t m, bool coefficients);

#endif
