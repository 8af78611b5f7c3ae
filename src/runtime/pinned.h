// Host memory that the device reaches by itself.
#ifndef MST_RUNTIME_PINNED_H
#define MST_RUNTIME_PINNED_H

#include "context.h"

// A buffer of pinned host memory that stays mapped: the device copies from and to it at the speed of the link, without holding up
// the caller. It counts against no budget. Unmap accepts NULL and buffers that were only half made.
mst_status mst_pinned_map(mst_context *context, uint64_t bytes, const char *what, cl_mem *buffer, void **mapped,
                          mst_error *error);
void mst_pinned_unmap(mst_context *context, cl_mem buffer, void *mapped);

// Whether all these bytes are of one array from mst_pinned_create that the device copies by itself; never on a device that works
// in the host's memory. Thread-safe.
bool mst_pinned_holds(mst_context *context, const void *memory, uint64_t bytes);

// The same of an array without gaps, wherever it lies.
bool mst_pinned_holds_array(mst_context *context, const mst_layout *layout, mst_location where);

#endif
