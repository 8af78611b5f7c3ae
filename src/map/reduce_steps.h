// The steps of reducing a box, which plans for an expression and plans of one reduction (reduce_apart.h) share.
#ifndef MST_MAP_REDUCE_STEPS_H
#define MST_MAP_REDUCE_STEPS_H

#include "reduce.h"

// reduce_tiles.c. The inputs of a block by number, without tables of those that have no gaps.
mst_status mst_map_reduce_operands(mst_map *plan, const mst_block *block, mst_map_operand *ports, mst_map_form *form,
                                   mst_error *error);
mst_status mst_map_reduce_compute(mst_map *plan, const mst_block *block, mst_error *error);
size_t mst_map_reduce_cut(const void *plan, size_t first, size_t count);

// reduce_combine.c: until each output has one partial result, which are in partials[*in] then.
mst_status mst_map_combine_all(mst_map *plan, const mst_map_box *box, mst_queue *queue, int *in, mst_error *error);

#endif
