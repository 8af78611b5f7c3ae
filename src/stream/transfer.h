// Moves a part of an array between where it lies and packed memory: the array's elements in C order without gaps.
#ifndef MST_STREAM_TRANSFER_H
#define MST_STREAM_TRANSFER_H

#include "direct.h"

#include "runtime/layout.h"
#include "runtime/pool.h"

#include <mastaba/array.h>

// An array in host memory or in a file. One on the device needs no transfer: kernels work on it directly.
typedef struct mst_transfer {
    mst_layout layout;
    mst_location where;      // host or file
    const char *name;        // for messages
    mst_direct_file *direct; // the same file, past the cache; may be NULL
} mst_transfer;

// Reads packed bytes begin..end-1 of the array into `packed`, or writes them from there, sharing the work out over the pool.
// begin and end are multiples of the element's size. MST_ERROR_IO when a file fails or ends too early. Blocks.
mst_status mst_transfer_read(mst_pool *pool, const mst_transfer *t, size_t begin, size_t end, void *packed, mst_error *error);
mst_status mst_transfer_write(mst_pool *pool, const mst_transfer *t, size_t begin, size_t end, const void *packed,
                              mst_error *error);

// The same of a whole array, whose packed memory has gaps: rows of so many bytes, a whole number of elements, begin so far apart.
mst_status mst_transfer_read_rows(mst_pool *pool, const mst_transfer *t, uint64_t row_bytes, uint64_t pitch_bytes, void *packed,
                                  mst_error *error);
mst_status mst_transfer_write_rows(mst_pool *pool, const mst_transfer *t, uint64_t row_bytes, uint64_t pitch_bytes,
                                   const void *packed, mst_error *error);

// The same of bytes that lie side by side in a file, from `offset` behind the location on. On the caller's thread.
mst_status mst_transfer_read_bytes(const mst_transfer *t, int64_t offset, void *to, size_t bytes, mst_error *error);

// Moves n runs of bytes, `stride` bytes apart in host memory, from there to packed memory or back. Each is somewhere else, which
// no processor foresees, so they are asked for before.
void mst_transfer_move_runs(unsigned char *host, unsigned char *packed, size_t bytes, size_t n, int64_t stride, bool write);

#endif
