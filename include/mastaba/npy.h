// Mastaba: .npy files as locations (NumPy's format, versions 1.0 to 3.0), so that arrays larger than RAM can be worked on.
#ifndef MASTABA_NPY_H
#define MASTABA_NPY_H

#include <mastaba/array.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// An open .npy file.
typedef struct mst_npy mst_npy;

// Opens a file for reading and checks its header against its size. Arrays of the types of mst_type are taken (a 0-d array becomes
// shape [1]); anything else is refused with a message that says what it is and how to convert it. An array in Fortran order, or
// with bytes in the other order than this machine's, is read whole into memory of its own, in RAM or, with MASTABA_SCRATCH, the
// name of a directory, in a file there that has no name; its location is in host memory then. *out is the caller's; NULL on
// failure. MST_ERROR_IO: cannot be opened or read; MST_ERROR_FORMAT: not a .npy file, a damaged or truncated one, or of a kind
// that is not taken; MST_ERROR_ARGUMENT; MST_ERROR_HOST_MEMORY. Blocks. Thread-safe.
MST_API mst_status mst_npy_open(const char *path, mst_npy **out, mst_error *error);

// Creates a file for a dense C-order array under a temporary name beside `path` and reserves its space, so that a full
// disk is found out here. Nothing is seen under `path` before mst_npy_commit. An existing `path` is refused unless
// `overwrite` (MST_ERROR_IO, as for what the disk refuses); MST_ERROR_ARGUMENT: a layout that is not dense, or NULL;
// MST_ERROR_HOST_MEMORY. *out is the caller's, closed by mst_npy_close; NULL on failure. Blocks. Thread-safe.
MST_API mst_status mst_npy_create(const char *path, const mst_layout *layout, bool overwrite, mst_npy **out, mst_error *error);

// Moves a created file to its final name, whole. On failure nothing is left under `path` that was not there before.
// (Call once; then only mst_npy_close.) MST_ERROR_IO; MST_ERROR_ARGUMENT: a file that was opened for reading. Blocks.
MST_API mst_status mst_npy_commit(mst_npy *npy, mst_error *error);

// Closes; a created file that was not committed is removed. NULL is allowed.
MST_API void mst_npy_close(mst_npy *npy);

// Valid as long as the file is open. A location for reading if opened, for reading and writing if created.
MST_API const mst_layout *mst_npy_layout(const mst_npy *npy);
MST_API mst_location mst_npy_location(const mst_npy *npy);

// The same on a descriptor, which stays the caller's: for files that are opened, named and put in place in another way than by
// the functions above. Messages do not name the file. All block and are thread-safe, and set nothing but *out where they fail.
//
// Opens what mst_npy_open does. *out is the caller's, to be closed before the descriptor is.
MST_API mst_status mst_npy_open_file(int file, mst_npy **out, mst_error *error);

// Reads the header of a file that is open for reading and checks it against the file's size; *layout is what the file holds, and
// *data where. Errors are those of mst_npy_open, and MST_ERROR_FORMAT for an array in another order than C's or of other bytes.
MST_API mst_status mst_npy_read_header(int file, mst_layout *layout, mst_location *data, mst_error *error);

// Reads the header alone, in whatever order the array is: *layout is that of what mst_npy_open_file would give.
MST_API mst_status mst_npy_read_layout(int file, mst_layout *layout, mst_error *error);

// Makes a .npy file of an empty one that is open for reading and writing: reserves its space and writes the header. *data is
// where the array belongs. Errors are those of mst_npy_create.
MST_API mst_status mst_npy_write_header(int file, const mst_layout *layout, mst_location *data, mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
