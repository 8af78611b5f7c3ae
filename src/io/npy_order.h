// Elements of a .npy file that lie in another order than C's and this machine's.
#ifndef MST_IO_NPY_ORDER_H
#define MST_IO_NPY_ORDER_H

#include "npy_header.h"
#include "stream/scratch.h"

// Reads an array whose data begin at `offset` into memory of its own, in C order and native bytes. MST_ERROR_IO: the file ends or
// fails; else as mst_scratch_take. *out stays as it is where this fails.
mst_status mst_npy_reorder(int file, uint64_t offset, const mst_layout *layout, mst_npy_order order, mst_scratch *out,
                           mst_error *error);

// Reads until `bytes` are there or the file ends, at which *got is less.
mst_status mst_npy_read(int file, void *data, size_t bytes, uint64_t offset, size_t *got, mst_error *error);

#endif
