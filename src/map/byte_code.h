// Maps by byte code: one kernel for all expressions of a type, so that a new one answers without compiling.
#ifndef MST_MAP_BYTE_CODE_H
#define MST_MAP_BYTE_CODE_H

#include "plan.h"

// Makes plan->code where that is asked for, or may be worth it: of maps on CPUs, where the operations of each output are
// all of one type. MST_ERROR_UNSUPPORTED where it is asked for and not possible.
mst_status mst_map_code_create(mst_map *plan, const mst_map_desc *desc, mst_error *error);
void mst_map_code_destroy(mst_map *plan);

// Counts n elements, and says whether the byte code `computes` them, as what it costs more does not repay compiling yet; then its
// kernel is there.
mst_status mst_map_code_expect(mst_map *plan, uint64_t n, bool *computes, mst_error *error);

// Computes n elements from number `element` of the shape on; the arrays by number of their ports.
mst_status mst_map_code_launch(mst_map *plan, mst_queue *queue, const mst_map_operand *ports, uint64_t element, uint64_t n,
                               mst_error *error);

#endif
