// Files that all ranks read their parts of.
#ifndef MASTABA_MPI_FILES_H
#define MASTABA_MPI_FILES_H

#include "array/operand.h"
#include "array/output.h"
#include "ranks.h"

// Opens an input everywhere and sees that it is the same one. Called by all ranks, with one exit code.
int ranks_open_input(const char *command, const char *path, cli_operand *input);

// Of this rank alone: reads a part of an array into memory without gaps, as `type`; what is beyond the array is 0. *out is the
// caller's, of malloc. Returns an exit code.
int ranks_read_part(const char *command, const cli_operand *input, const mst_mpi_part *part, void **out);

// Where a part begins in a file that holds the whole array of a dense layout, whose strides it has there.
mst_location ranks_part_location(mst_location whole, const mst_layout *layout, const mst_mpi_part *part);

#endif
