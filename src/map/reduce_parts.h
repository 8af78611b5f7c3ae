// Writing statements on partial results, for the kernels of reductions.
#ifndef MST_MAP_REDUCE_PARTS_H
#define MST_MAP_REDUCE_PARTS_H

#include "reduce.h"

// Statements on slots: variables r0_0, r0_1 ... with something behind, "_lane[v]". `index` is the place of an element.
void mst_map_write_slots(const mst_map_reduce *reduce, const char *lanes, const char *suffix, mst_text *t);
void mst_map_write_empty(const mst_map_reduce *reduce, const char *slot, mst_text *t);
void mst_map_write_take(const mst_map *plan, unsigned width, const char *slot, const char *index, mst_text *t);
void mst_map_write_merge(const mst_map_reduce *reduce, unsigned width, const char *slot, const char *other, const char *n,
                         const char *n_other, mst_text *t);
void mst_map_write_keep(const mst_map_reduce *reduce, unsigned width, const char *slot, const char *to, const char *index,
                        mst_text *t);
void mst_map_write_fetch(const mst_map_reduce *reduce, const char *slot, const char *from, const char *index, mst_text *t);
// Lanes from vectors: slot _lane[v * width + k] from component k of _row[v].
void mst_map_write_unfold(const mst_map_reduce *reduce, unsigned width, mst_text *t);
const char *
mst_map_spread_type(const mst_map_reduce *reduce); // of the reciprocal numbers that taking needs; double where any does
bool mst_map_counts(const mst_map_reduce *reduce); // merging needs to know how many elements a slot stands for
bool mst_map_places(const mst_map_reduce *reduce); // taking needs an element's index

#endif
