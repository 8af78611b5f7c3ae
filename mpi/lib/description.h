// Structs of older and newer programs (src/runtime/description.h, for a library that sees the public headers of Mastaba only).
#ifndef MST_MPI_DESCRIPTION_H
#define MST_MPI_DESCRIPTION_H

#include "fail.h"

#include <stddef.h>

typedef struct mst_mpi_description {
    const char *what, *init; // the argument, and the macro that begins it, as messages name them
    size_t least;            // bytes before the first member that may be missing
    size_t size;
    const void *defaults;
} mst_mpi_description;

// `optional` is the first member that may be missing.
#define MST_MPI_DESCRIPTION(type, what, init, optional)                                                                          \
    (&(const mst_mpi_description){what, #init, offsetof(type, optional), sizeof(type), &(const type)init})

// Copies a caller's struct into `to`, which is full: members that are missing have their defaults. MST_ERROR_ARGUMENT: NULL, a
// size that no version of the struct has, or members set that this library does not know.
mst_status mst_mpi_description_read(const mst_mpi_description *kind, const void *from, void *to, mst_error *error);

// The same for the size alone, of a struct that will be written.
mst_status mst_mpi_description_check(const mst_mpi_description *kind, const void *given, mst_error *error);

// Fills a caller's struct, which was checked, with a full one but for struct_size, as far as it reaches.
void mst_mpi_description_write(const mst_mpi_description *kind, const void *from, void *to);

#endif
