#include "piece.h"

// Whether a box in a part lies there without gaps, in that order of axes.
static bool lies_dense(const mst_layout *part, const mst_mpi_box *box, const int *order) {
    ptrdiff_t stride = 1;
    for (int i = part->rank - 1; i >= 0; i--) {
        int k = order[i];
        if (box->count[k] > 1 && part->strides[k] != stride)
            return false;
        stride *= (ptrdiff_t)box->count[k];
    }
    return true;
}

bool mst_mpi_piece_make(const mst_mpi_steps *s, int step, bool out, int rank, int peer, mst_mpi_piece *p) {
    mst_layout part = mst_mpi_step_layout(s, out ? step : step + 1, out, rank);
    mst_mpi_box mine = mst_mpi_step_box(s, out ? step : step + 1, out, rank);
    mst_mpi_box theirs = mst_mpi_step_box(s, out ? step + 1 : step, !out, peer);
    ptrdiff_t offset = 0;
    *p = (mst_mpi_piece){.peer = peer};
    if (!mst_mpi_common(&mine, &theirs, s->rank, &p->box))
        return false;
    for (int k = 0; k < s->rank; k++)
        offset += (ptrdiff_t)(p->box.start[k] - mine.start[k]) * part.strides[k];
    p->offset = (size_t)offset;
    p->bytes = mst_mpi_elements(&p->box, s->rank) * mst_type_bytes(part.type);
    p->in_place = lies_dense(&part, &p->box, s->message_order[step]);
    return true;
}

size_t mst_mpi_piece_messages(const mst_mpi_piece *p) {
    return p->bytes / MST_MPI_MOST_BYTES + (p->bytes % MST_MPI_MOST_BYTES != 0);
}
