// Files that are read and written past the system's page cache (O_DIRECT), where that is worth it: for those that its memory
// would not hold until they are read again. What a file system, or the alignment of a request, does not allow goes through the
// cache.
#ifndef MST_STREAM_DIRECT_H
#define MST_STREAM_DIRECT_H

#include "runtime/context.h"

#include <mastaba/array.h>

#include <sys/uio.h>

#define MST_DIRECT_REQUESTS 64 // in flight at once, unless copy_threads are fewer: what short ones take to keep a disk busy

typedef struct mst_direct_file mst_direct_file;

// The threads that have requests in flight beside the one that waits for them.
unsigned mst_direct_threads(const mst_context *context);

// Whether files of so many bytes in all should go so: those above half of the memory that the system could give now, or as
// MASTABA_DIRECT_IO says: 1, all; 0, none.
bool mst_direct_suits(uint64_t bytes);

// Opens the file of a location once more. NULL: it cannot be, or the host's budget has no room for what requests are copied
// through, so the file goes through the cache. Close accepts NULL.
mst_direct_file *mst_direct_open(mst_context *context, mst_location where, bool writes);
void mst_direct_close(mst_direct_file *direct);

// Moves what of these bytes of the file can go directly: *begin and *end are the part that is done, empty if none is. What fails
// is not done, and left to the caller to do through the cache, which says why. Thread-safe. Blocks.
void mst_direct_read(mst_direct_file *direct, uint64_t offset, void *to, size_t bytes, size_t *begin, size_t *end);
void mst_direct_write(mst_direct_file *direct, uint64_t offset, const void *from, size_t bytes, size_t *begin, size_t *end);

// Reads bytes that go to several parts of memory by one request; false: not all of them were read.
bool mst_direct_scatter(mst_direct_file *direct, uint64_t offset, const struct iovec *to, int n_parts);

#endif
