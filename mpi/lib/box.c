#include "box.h"

void mst_mpi_share(size_t n, int p, int i, size_t *start, size_t *count) {
    size_t block = n / (size_t)p + (n % (size_t)p != 0);
    *start = (size_t)i < n / (block ? block : 1) + 1 ? block * (size_t)i : n; // no product beyond n + block
    *start = *start < n ? *start : n;
    *count = n - *start < block ? n - *start : block;
}

bool mst_mpi_is_cut(const mst_mpi_grid *g, int axis) {
    return (g->ranks[0] > 1 && g->axis[0] == axis) || (g->ranks[1] > 1 && g->axis[1] == axis);
}

bool mst_mpi_same_grid(const mst_mpi_grid *a, const mst_mpi_grid *b) {
    bool same = true;
    for (int i = 0; i < 2; i++)
        same &= a->ranks[i] == b->ranks[i] && (a->ranks[i] == 1 || a->axis[i] == b->axis[i]);
    return same;
}

mst_mpi_box mst_mpi_box_of(const mst_mpi_grid *g, int rank, int n_axes, const size_t *shape) {
    mst_mpi_box box = {{0}, {0}};
    const int place[2] = {rank / g->ranks[1], rank % g->ranks[1]};
    for (int k = 0; k < n_axes; k++)
        box.count[k] = shape[k];
    for (int i = 0; i < 2; i++)
        if (g->ranks[i] > 1) {
            int k = g->axis[i];
            mst_mpi_share(shape[k], g->ranks[i], place[i], &box.start[k], &box.count[k]);
        }
    return box;
}

bool mst_mpi_common(const mst_mpi_box *a, const mst_mpi_box *b, int n_axes, mst_mpi_box *common) {
    bool some = true;
    for (int k = 0; k < n_axes; k++) {
        size_t a_end = a->start[k] + a->count[k], b_end = b->start[k] + b->count[k], end = a_end < b_end ? a_end : b_end;
        common->start[k] = a->start[k] > b->start[k] ? a->start[k] : b->start[k];
        common->count[k] = end > common->start[k] ? end - common->start[k] : 0;
        some &= common->count[k] > 0;
    }
    return some;
}

size_t mst_mpi_elements(const mst_mpi_box *box, int n_axes) {
    size_t n = 1;
    for (int k = 0; k < n_axes; k++)
        n *= box->count[k];
    return n;
}

void mst_mpi_dense(const mst_mpi_box *box, int n_axes, const int *order, ptrdiff_t *strides) {
    ptrdiff_t stride = 1;
    for (int i = n_axes - 1; i >= 0; i--) {
        strides[order[i]] = stride;
        stride *= (ptrdiff_t)box->count[order[i]];
    }
}
