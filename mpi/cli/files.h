// Files that all ranks read and write their parts of.
#ifndef MASTABA_MPI_FILES_H
#define MASTABA_MPI_FILES_H

#include "array/operand.h"
#include "array/output.h"
#include "ranks.h"

// All of these are called by all ranks, and return the same exit code on all of them.

// Opens an input everywhere and sees that it is the same one.
int ranks_open_input(const char *command, const char *path, cli_operand *input);

// A result of all ranks: one file, which the first rank makes and gives its name when all have written.
typedef struct ranks_output {
    cli_output output; // of the first rank
    int file;          // this rank's descriptor
    bool open;
    mst_location location; // where the array begins
} ranks_output;

int ranks_output_open(const char *command, const char *path, bool force, const char *const *inputs, ranks_output *o);
int ranks_output_begin(const char *command, const mst_layout *layout, ranks_output *o);
int ranks_output_commit(const char *command, ranks_output *o);
void ranks_output_close(ranks_output *o); // any rank by itself

// Of this rank alone: reads a part of an array into memory without gaps, as `type`; what is beyond the array is 0. *out is the
// caller's, of malloc. Returns an exit code.
int ranks_read_part(const char *command, const cli_operand *input, const mst_mpi_part *part, void **out);

// Where a part begins in a file that holds the whole array of a dense layout, whose strides it has there.
mst_location ranks_part_location(mst_location whole, const mst_layout *layout, const mst_mpi_part *part);

#endif
