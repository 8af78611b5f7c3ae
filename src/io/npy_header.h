// The header of a .npy file: a Python dictionary in text, behind a magic string, a version and a length.
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef MST_IO_NPY_HEADER_H
#define MST_IO_NPY_HEADER_H

#include "runtime/error.h"

enum {
    MST_NPY_PREFIX_BYTES = 12,     // magic, version and the longest form of the length
    MST_NPY_TEXT_LIMIT = 64 << 10, // NumPy itself evaluates at most 10,000 bytes
    MST_NPY_HEADER_BYTES = 64 * 4, // enough for what mst_npy_header_write makes at MST_MAX_RANK
    MST_NPY_PAGE = 4096
};

// Reads the first `available` bytes of a file, MST_NPY_PREFIX_BYTES unless the file is shorter, and gives where the dictionary
// begins and how long it is. MST_ERROR_FORMAT.
mst_status mst_npy_prefix_read(const unsigned char *bytes, size_t available, size_t *text_offset, size_t *text_bytes,
                               mst_error *error);

// How the elements of a file lie, where that makes a difference: the first axis is the fastest; bytes are in the other order than
// this machine's.
typedef struct mst_npy_order {
    bool fortran, swapped;
} mst_npy_order;

// Reads the dictionary into a dense C-order layout of rank 1..MST_MAX_RANK, and gives the bytes of the data, at most
// PTRDIFF_MAX, and their order. MST_ERROR_FORMAT: damaged, or an array that mst_npy_open does not take.
mst_status mst_npy_text_read(const char *text, size_t text_bytes, mst_layout *layout, size_t *data_bytes, mst_npy_order *order,
                             mst_error *error);

// Bytes of the data of a valid type and shape; false if more than PTRDIFF_MAX, even where another length is zero (NumPy
// refuses those too).
bool mst_npy_data_bytes(const mst_layout *layout, size_t *data_bytes);

// Writes the header that NumPy (1.24) writes for a valid dense layout, version 1.0, a multiple of 64 bytes, and returns its
// length.
size_t mst_npy_header_write(const mst_layout *layout, char header[MST_NPY_HEADER_BYTES]);

// Adds spaces to a header of `length` bytes until it has those of a page, which it returns.
size_t mst_npy_header_pad(char header[MST_NPY_PAGE], size_t length);

#endif
