#include "exchange.h"

#include "copy.h"
#include "piece.h"

#include <stdlib.h>
#include <string.h>

struct mst_mpi_exchange {
    MPI_Comm communicator;
    mst_layout from, to;
    size_t element_bytes;
    int rank, n_axes, n_sends, n_receives, n_requests;
    int order[MST_MAX_RANK]; // of the axes in a message
    double timeout;
    mst_mpi_piece self_from, self_to; // of no bytes: it keeps nothing
    mst_mpi_piece *sends, *receives;
    MPI_Request *requests;
};

// ---- What there is to know without MPI

void mst_mpi_exchange_count(const mst_mpi_steps *s, int step, int rank, uint64_t *messages, uint64_t *bytes) {
    mst_mpi_piece p;
    for (int peer = 0; peer < s->n_ranks; peer++)
        if (peer != rank && mst_mpi_piece_make(s, step, true, rank, peer, &p)) {
            *messages += mst_mpi_piece_messages(&p);
            *bytes += p.bytes;
        }
}

size_t mst_mpi_exchange_bytes(const mst_mpi_steps *s, int step, int rank) {
    size_t bytes = 0;
    mst_mpi_piece p;
    for (int peer = 0; peer < s->n_ranks; peer++)
        for (int out = 0; out < 2; out++)
            if (peer != rank && mst_mpi_piece_make(s, step, out, rank, peer, &p) && !p.in_place)
                bytes += p.bytes;
    return bytes;
}

// ---- Making one

// The pieces of one direction, beginning with the rank behind this one, so that not all send to the same one first.
static int collect(const mst_mpi_steps *s, int step, bool out, int rank, mst_mpi_piece *pieces, char **packed, int *n_messages) {
    int n = 0;
    for (int i = 1; i < s->n_ranks; i++) {
        mst_mpi_piece *p = &pieces[n];
        int peer = out ? (rank + i) % s->n_ranks : (rank + s->n_ranks - i) % s->n_ranks;
        if (!mst_mpi_piece_make(s, step, out, rank, peer, p))
            continue;
        n++;
        *n_messages += (int)mst_mpi_piece_messages(p);
        if (!p->in_place) {
            p->packed = *packed;
            *packed += p->bytes;
        }
    }
    return n;
}

mst_status mst_mpi_exchange_create(MPI_Comm communicator, const mst_mpi_steps *s, int step, void *packed, double timeout,
                                   mst_mpi_exchange **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_exchange *x = calloc(1, sizeof *x);
    char *at = packed;
    REQUIRE(x, MST_ERROR_HOST_MEMORY, "out of memory for an exchange between ranks");
    *x = (mst_mpi_exchange){.communicator = communicator, .n_axes = s->rank, .timeout = timeout};
    MPI_Comm_rank(communicator, &x->rank);
    x->from = mst_mpi_step_layout(s, step, true, x->rank);
    x->to = mst_mpi_step_layout(s, step + 1, false, x->rank);
    x->element_bytes = mst_type_bytes(x->from.type);
    memcpy(x->order, s->message_order[step], sizeof x->order);
    x->sends = calloc((size_t)s->n_ranks, sizeof *x->sends);
    x->receives = calloc((size_t)s->n_ranks, sizeof *x->receives);
    REQUIRE(x->sends && x->receives, MST_ERROR_HOST_MEMORY, "out of memory for an exchange of %d ranks", s->n_ranks);
    x->n_sends = collect(s, step, true, x->rank, x->sends, &at, &x->n_requests);
    x->n_receives = collect(s, step, false, x->rank, x->receives, &at, &x->n_requests);
    mst_mpi_piece_make(s, step, true, x->rank, x->rank, &x->self_from);
    mst_mpi_piece_make(s, step, false, x->rank, x->rank, &x->self_to);
    x->requests = calloc((size_t)x->n_requests + 1, sizeof(MPI_Request));
    REQUIRE(x->requests, MST_ERROR_HOST_MEMORY, "out of memory for an exchange of %d messages", x->n_requests);
    *out = x;
    return MST_OK;
fail:
    mst_mpi_exchange_destroy(x);
    return status;
}

void mst_mpi_exchange_destroy(mst_mpi_exchange *x) {
    if (!x)
        return;
    free(x->requests);
    free(x->sends);
    free(x->receives);
    free(x);
}

// ---- Running it

static char *place(const mst_mpi_exchange *x, const mst_mpi_piece *p, char *part) {
    return p->in_place ? part + p->offset * x->element_bytes : p->packed;
}

static void pack(const mst_mpi_exchange *x, const mst_mpi_piece *p, const char *part) {
    ptrdiff_t dense[MST_MAX_RANK];
    mst_mpi_dense(&p->box, x->n_axes, x->order, dense);
    mst_mpi_copy(x->n_axes, p->box.count, x->element_bytes, p->packed, dense, part + p->offset * x->element_bytes,
                 x->from.strides);
}

static void unpack(const mst_mpi_exchange *x, const mst_mpi_piece *p, char *part) {
    ptrdiff_t dense[MST_MAX_RANK];
    mst_mpi_dense(&p->box, x->n_axes, x->order, dense);
    mst_mpi_copy(x->n_axes, p->box.count, x->element_bytes, part + p->offset * x->element_bytes, x->to.strides, p->packed, dense);
}

// Starts the messages of one piece.
static mst_status start(mst_mpi_exchange *x, const mst_mpi_piece *p, bool send, char *at, int *n, mst_error *error) {
    mst_status status = MST_OK;
    for (size_t begin = 0; begin < p->bytes; begin += MST_MPI_MOST_BYTES) {
        int bytes = (int)(p->bytes - begin < MST_MPI_MOST_BYTES ? p->bytes - begin : MST_MPI_MOST_BYTES);
        if (send)
            TRY_MPI(MPI_Isend(at + begin, bytes, MPI_BYTE, p->peer, 0, x->communicator, &x->requests[*n]), "sending to a rank");
        else
            TRY_MPI(MPI_Irecv(at + begin, bytes, MPI_BYTE, p->peer, 0, x->communicator, &x->requests[*n]), "receiving of a rank");
        ++*n;
    }
fail:
    return status;
}

mst_status mst_mpi_exchange_run(mst_mpi_exchange *x, const void *from, void *to, mst_error *error) {
    mst_status status = MST_OK;
    char *const source = (char *)(uintptr_t)from;
    int n = 0, n_received = 0, at = 0;
    for (int i = 0; i < x->n_receives; i++)
        TRY(start(x, &x->receives[i], false, place(x, &x->receives[i], to), &n, error));
    n_received = n;
    for (int i = 0; i < x->n_sends; i++) {
        const mst_mpi_piece *p = &x->sends[i];
        if (!p->in_place)
            pack(x, p, from);
        TRY(start(x, p, true, place(x, p, source), &n, error));
    }
    if (x->self_from.bytes)
        mst_mpi_copy(x->n_axes, x->self_from.box.count, x->element_bytes, (char *)to + x->self_to.offset * x->element_bytes,
                     x->to.strides, source + x->self_from.offset * x->element_bytes, x->from.strides);
    for (int i = 0; i < x->n_receives; i++) {
        int messages = (int)mst_mpi_piece_messages(&x->receives[i]);
        TRY(mst_mpi_wait(messages, x->requests + at, x->timeout, error));
        at += messages;
        if (!x->receives[i].in_place)
            unpack(x, &x->receives[i], to);
    }
    TRY(mst_mpi_wait(n - n_received, x->requests + n_received, x->timeout, error));
fail:
    return status;
}
