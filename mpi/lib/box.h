// How an array is cut into boxes, one a rank. Knows neither MPI nor devices.
#ifndef MST_MPI_BOX_H
#define MST_MPI_BOX_H

#include <mastaba/array.h>
#include <stdbool.h>

// Two slots, each an axis and the ranks that share it: 1 where the slot cuts nothing.
typedef struct mst_mpi_grid {
    int axis[2], ranks[2];
} mst_mpi_grid;

typedef struct mst_mpi_box {
    size_t start[MST_MAX_RANK], count[MST_MAX_RANK];
} mst_mpi_box;

// The part of an axis of length n that share `i` of p has: ceil(n / p) indices, as long as there are some.
void mst_mpi_share(size_t n, int p, int i, size_t *start, size_t *count);

bool mst_mpi_is_cut(const mst_mpi_grid *g, int axis);
bool mst_mpi_same_grid(const mst_mpi_grid *a, const mst_mpi_grid *b); // the same boxes of every shape
mst_mpi_box mst_mpi_box_of(const mst_mpi_grid *g, int rank, int n_axes, const size_t *shape);

// What two boxes have in common; false: nothing.
bool mst_mpi_common(const mst_mpi_box *a, const mst_mpi_box *b, int n_axes, mst_mpi_box *common);
size_t mst_mpi_elements(const mst_mpi_box *box, int n_axes);

// Strides of a box without gaps whose axes lie in memory in that order, the slowest first.
void mst_mpi_dense(const mst_mpi_box *box, int n_axes, const int *order, ptrdiff_t *strides);

#endif
