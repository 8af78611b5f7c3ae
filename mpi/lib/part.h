// What callers give to be filled in, of older and newer programs.
#ifndef MST_MPI_PART_H
#define MST_MPI_PART_H

#include <mastaba/mpi.h>

mst_status mst_mpi_part_check(const mst_mpi_part *part, mst_error *error); // NULL: there is none to fill in
void mst_mpi_part_write(const mst_mpi_part *from, mst_mpi_part *to);       // to one that was checked

mst_status mst_mpi_needs_check(const mst_mpi_needs *needs, mst_error *error);
void mst_mpi_needs_write(const mst_mpi_needs *from, mst_mpi_needs *to);

#endif
