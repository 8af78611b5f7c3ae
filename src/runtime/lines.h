// How a kernel finds the lines along one axis of an array.
#ifndef MST_RUNTIME_LINES_H
#define MST_RUNTIME_LINES_H

#include "context.h"

// What one takes of the device budget.
#define MST_LINES_BYTES ((2 + 2 * MST_MAX_RANK) * sizeof(int64_t))

// A device table for prelude.cl's line_offset: line l, counted in C order over the other axes, starts at
// sum_k l_k * strides[k] elements. Axes that continue one another are merged. Released by mst_lines_release, which accepts NULL.
mst_status mst_lines_create(mst_context *context, const mst_layout *layout, int axis, cl_mem *out, mst_error *error);
void mst_lines_release(mst_context *context, cl_mem lines);

#endif
