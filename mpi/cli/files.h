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

// What a rank has of n arrays, and what it needs, for --dry-run: a line on stdout, or an object more in the list. names: of an
// array in the line, and in the object. Returns 0, or -1 when out of memory.
typedef const char *ranks_array_name[2];
int ranks_add_plan(json_t *list, int rank, int n, const ranks_array_name *names, const mst_mpi_part *parts,
                   const mst_mpi_needs *needs);

// Where a part begins in a file that holds the whole array of a dense layout, whose strides it has there.
mst_location ranks_part_location(mst_location whole, const mst_layout *layout, const mst_mpi_part *part);

#endif
