// Large pages under arrays of a device that computes in the host's memory. Kernels that read many rows at once miss the
// processor's table of pages less often.
#ifndef MST_RUNTIME_LARGE_PAGES_H
#define MST_RUNTIME_LARGE_PAGES_H

#include <mastaba/array.h>
#include <stdint.h>

// Makes a buffer in memory of the library's own for which the system is asked for large pages, and which goes when the buffer
// does. NULL: it is too small for these, or there are none; take memory of the driver's.
cl_mem mst_large_pages_create(cl_context context, cl_mem_flags flags, uint64_t bytes);

#endif
