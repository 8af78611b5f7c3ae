// Taking and giving back the allocations of a footprint.
#ifndef MST_STENCIL_MEMORY_H
#define MST_STENCIL_MEMORY_H

#include "stencil/kernels/stepper.h"
#include "stencil/plan/footprint.h"

// The first n pieces of an allocation on the device; giving accepts buffers that are NULL, and makes them so. `elements` has the
// bytes of an element of each piece, where pieces are for arrays of the problem; else NULL.
mst_status mst_memory_take(mst_context *context, const mst_allocation *part, const size_t *elements, uint64_t n, cl_mem *buffers,
                           mst_error *error);
void mst_memory_give(mst_context *context, const mst_allocation *part, const size_t *elements, uint64_t n, cl_mem *buffers);

// Events that may be NULL: releasing them, and letting what is queued behind wait for one. A barrier carries its errors on.
void mst_events_drop(cl_event *events, size_t n); // events may be NULL
mst_status mst_event_keep(cl_event *place, cl_event event,
                          mst_error *error); // one more reference to it, in place of what was there
mst_status mst_event_barrier(mst_queue *queue, const cl_event *event, mst_error *error);
// One behind all that was enqueued, which begins at once.
mst_status mst_event_mark(mst_queue *queue, cl_event *event, mst_error *error);

#endif
