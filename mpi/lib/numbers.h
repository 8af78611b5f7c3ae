// The lesser and the greater of two sizes, for a library that sees the public headers of Mastaba only.
#ifndef MST_MPI_NUMBERS_H
#define MST_MPI_NUMBERS_H

#include <stddef.h>

static inline size_t mst_mpi_smaller(size_t a, size_t b) { return a < b ? a : b; }
static inline size_t mst_mpi_larger(size_t a, size_t b) { return a > b ? a : b; }

#endif
