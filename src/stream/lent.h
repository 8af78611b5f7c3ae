// Arrays in the host's memory as buffers of a device that works in it: kernels read and write them where they lie, and nothing is
// copied. CPUs only: what GPUs in the processor make of such buffers differs, and is not measured. OpenCL would let an
// implementation keep a copy of such memory; what is relied on is that those for CPUs read and write the memory itself: nothing
// is written to an input, which may be read-only memory, or between the elements of an output.
//
// Arrays of one run that share a page are in one buffer. Of runs in two threads whose neighbouring arrays share one, each makes a
// buffer of its own on it: that neither disturbs the other rests on the same reliance, as neither writes the other's elements.
#ifndef MST_STREAM_LENT_H
#define MST_STREAM_LENT_H

#include "stream.h"

typedef struct mst_lent {
    cl_mem buffers[MST_STREAM_MAX_PORTS]; // those that were made; one for arrays that share pages
    int owners[MST_STREAM_MAX_PORTS];     // the buffer that an array is in; -1: it is on the device already
    mst_location where[MST_STREAM_MAX_PORTS];
    uint64_t first[MST_STREAM_MAX_PORTS], size[MST_STREAM_MAX_PORTS]; // the array's own bytes in its buffer
    uint64_t bytes; // taken of the budget of device memory, as if the arrays were copied there
} mst_lent;

// Whether a run with its arrays at `where`, which are checked, goes so: none is in a file or in windows or panels, each begins at
// a multiple of its elements' bytes, and no budget was given: that says how much of the arrays is to be staged
// or on the device at a time. MASTABA_HOST_ARRAYS=copy: none does.
bool mst_lent_serves(const mst_stream_desc *desc, const mst_location *where);

// Whether what is left of the device's memory, and `more` bytes that are to be given back, have room for them and the work on
// them.
bool mst_lent_has_room(const mst_stream_desc *desc, const mst_location *where, uint64_t more);

// Makes the buffers, and lent->where: every array on the device. No command writes the arrays any more. False, and nothing is
// taken, where another thread has taken the budget meanwhile or the device refuses the memory: the run goes by staging memory.
bool mst_lent_take(const mst_stream_desc *desc, const mst_location *where, mst_lent *lent);

// Makes the host see the outputs, when the run has ended.
mst_status mst_lent_show(const mst_stream_desc *desc, const mst_lent *lent, mst_error *error);

// Accepts what is half taken.
void mst_lent_give_back(const mst_stream_desc *desc, mst_lent *lent);

#endif
