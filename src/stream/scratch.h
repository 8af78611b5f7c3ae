// Memory for what is as large as the caller's arrays and lies between passes over them. It counts against no budget.
#ifndef MST_STREAM_SCRATCH_H
#define MST_STREAM_SCRATCH_H

#include "runtime/error.h"

typedef struct mst_scratch {
    void *memory;
    uint64_t bytes;
    bool is_file;
} mst_scratch;

// In RAM; with MASTABA_SCRATCH, the name of a directory, in a file there that has no name, whose space is reserved and whose
// pages the system writes out as it needs their RAM. `what` is "spectra of ...", for messages. MST_ERROR_HOST_MEMORY: more than
// there is; MST_ERROR_IO. Release accepts one that is all 0.
mst_status mst_scratch_take(uint64_t bytes, const char *what, mst_scratch *out, mst_error *error);
void mst_scratch_release(mst_scratch *scratch);

#endif
