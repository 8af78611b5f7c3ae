// The geometry of reductions.
#ifndef MST_MAP_BOXES_H
#define MST_MAP_BOXES_H

#include "reduce.h"

// Which parts of the array are worked on one after the other, and what a part's first span is and the next one.
void mst_map_choose_box(mst_map *plan);
size_t mst_map_reduce_least(const mst_map *plan);   // elements that a block has room for
uint64_t mst_map_reduce_bytes(const mst_map *plan); // of the device, beside partial results and blocks
void mst_map_partial_bytes(const mst_map *plan, uint64_t bytes[2]);
uint64_t mst_map_reduce_needs(const mst_map *plan);           // of the device, with partial results and the smallest block
bool mst_map_next_box(const mst_map *plan, mst_map_box *box); // begin with zeros
mst_map_span mst_map_first_span(const mst_map *plan, const mst_map_box *box);
size_t mst_map_span_tiles(const mst_map *plan, const mst_map_span *span); // along the length
bool mst_map_next_span(const mst_map *plan, const mst_map_box *box, mst_map_span *span, int *axis);

#endif
