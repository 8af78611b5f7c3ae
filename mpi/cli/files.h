// Files that all ranks read their parts of.
#ifndef MASTABA_MPI_FILES_H
#define MASTABA_MPI_FILES_H

#include "array/operand.h"
#include "array/output.h"
#include "ranks.h"

#include "core/json.h"

// Opens an input everywhere and sees that it is the same one. Called by all ranks, with one exit code.
int ranks_open_input(const char *command, const char *path, cli_operand *input);

// Of this rank alone: reads a part of an array into memory without gaps, as `type`; what is beyond the array is 0. *out is the
// caller's, of malloc. Returns an exit code. Both say that they go on (ranks_go_on).
int ranks_read_part(const char *command, const cli_operand *input, const mst_mpi_part *part, void **out);

// The same the other way: writes a part without gaps to where it lies in a file that holds the whole array.
int ranks_write_part(const char *command, const char *path, mst_location whole, const mst_layout *layout,
                     const mst_mpi_part *part, const void *values);

// Who has what, for --dry-run: "0:3,0:10,0:9", and the same as an object.
void ranks_print_part(const mst_mpi_part *part, char *text, size_t bytes);
json_t *ranks_part_json(const mst_mpi_part *part);

// Where a part begins in a file that holds the whole array of a dense layout, whose strides it has there.
mst_location ranks_part_location(mst_location whole, const mst_layout *layout, const mst_mpi_part *part);

#endif
