// Boxes copied between memory of any strides.
#ifndef MST_MPI_COPY_H
#define MST_MPI_COPY_H

#include <mastaba/array.h>
#include <stdbool.h>

// Copies count[0] x ... x count[rank - 1] elements of `bytes` bytes (4, 8 or 16); strides in elements.
void mst_mpi_copy(int rank, const size_t *count, size_t bytes, void *to, const ptrdiff_t *to_strides, const void *from,
                  const ptrdiff_t *from_strides);

#endif
