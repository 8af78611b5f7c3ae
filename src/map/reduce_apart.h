// Reductions by byte code: it computes what is reduced, a chunk of elements after the other, kernels that are the same for all
// expressions reduce that, and byte code computes the outputs from the results. All give the bits of the kernels that are
// compiled for an expression.
#ifndef MST_MAP_REDUCE_APART_H
#define MST_MAP_REDUCE_APART_H

#include "reduce.h"

#include "stream/stream.h"

typedef struct mst_map_apart {
    mst_map *each[MST_MAP_MAX_REDUCTIONS];          // plans of one reduction of an array, which is byte code's temporary one
    int outputs[MST_MAP_MAX_REDUCTIONS];            // that is the result of each one
    mst_map *finish;                                // outputs from the results; NULL: they are the results
    uint64_t places[MST_MAP_MAX_REDUCTIONS], bytes; // of these in their memory
    cl_mem results;
    bool computes; // in this box
} mst_map_apart;

// Once the box is chosen: plan->code and plan->reduce->apart, until compiling kernels is repaid, or the kernels, if these are in
// the cache, or byte code is not possible.
mst_status mst_map_apart_prepare(mst_map *plan, const mst_map_desc *desc, mst_error *error);
void mst_map_apart_destroy(mst_map *plan);

mst_status mst_map_apart_begin(mst_map *plan, const mst_map_box *box, uint64_t n, mst_error *error);
mst_status mst_map_apart_compute(mst_map *plan, const mst_block *block, mst_error *error);
mst_status mst_map_apart_finish(mst_map *plan, const mst_map_box *box, mst_map_box_output *out, mst_queue *queue,
                                mst_error *error);

#endif
