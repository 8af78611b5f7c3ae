// What callers give to be filled in, of older and newer programs.
#ifndef MST_MPI_PART_H
#define MST_MPI_PART_H

#include <mastaba/mpi.h>

#include <stdbool.h>

// What plans work in, a kind of memory each: what steps read and write between the ends, and messages.
enum { MST_MPI_BEFORE, MST_MPI_BEHIND, MST_MPI_PACKED, MST_MPI_WORK };

mst_status mst_mpi_part_check(const mst_mpi_part *part, mst_error *error); // NULL: there is none to fill in
void mst_mpi_part_write(const mst_mpi_part *from, mst_mpi_part *to);       // to one that was checked

mst_status mst_mpi_needs_check(const mst_mpi_needs *needs, mst_error *error);
void mst_mpi_needs_write(const mst_mpi_needs *from, mst_mpi_needs *to);

// mst_mpi_fft_parts, and mst_mpi_fft_needs without host_bytes, of one that may be made partly (steps.h). *needs is added to; of
// bytes of work the most is taken of those given and its own.
mst_status mst_mpi_fft_parts_of(const mst_mpi_fft_desc *desc, bool partly, int n_ranks, int rank, mst_mpi_part *input,
                                mst_mpi_part *output, mst_error *error);
mst_status mst_mpi_fft_needs_of(const mst_mpi_fft_desc *desc, bool partly, int n_ranks, int rank, mst_mpi_needs *needs,
                                size_t bytes[MST_MPI_WORK], mst_error *error);

#endif
