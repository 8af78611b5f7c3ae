// The files of one execution, past the system's cache where that is worth it, and the threads that have requests of them in
// flight.
#ifndef MST_STREAM_FILES_H
#define MST_STREAM_FILES_H

#include "direct.h"
#include "stream.h"

typedef struct mst_files {
    mst_pool *pool;                                // of the context, or of as many threads as requests
    mst_direct_file *direct[MST_STREAM_MAX_PORTS]; // of each port; NULL: it is no file, or goes through the cache
    mst_pool *own;
} mst_files;

// Never fails: what cannot be opened so goes through the cache, by the context's threads. Close accepts one that is all 0.
void mst_files_open(const mst_stream_desc *desc, const mst_location *where, mst_files *files);
void mst_files_close(mst_files *files);

#endif
