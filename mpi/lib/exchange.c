#include "exchange.h"

#include "copy.h"
#include "piece.h"

#include <stdlib.h>
#include <string.h>

enum { DATA, READ }; // tags of messages: a piece, or the word that it can be read; that it has been read

// Where a piece lies in another rank's memory.
typedef struct source {
    const char *at;
    ptrdiff_t strides[MST_MAX_RANK];
} source;

struct mst_mpi_exchange {
    MPI_Comm communicator;
    const mst_mpi_window *window; // NULL: all pieces go by messages
    mst_layout from, to;
    size_t element_bytes;
    int rank, n_axes, n_sends, n_receives, n_requests;
    int order[MST_MAX_RANK]; // of the axes in a message
    bool reused;             // the window's memory is written again before all ranks agree
    double timeout;
    mst_mpi_piece self_from, self_to; // of no bytes: it keeps nothing
    mst_mpi_piece *sends, *receives;
    source *sources; // of receives from this host
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

// Whether the piece between this rank and that one is read where it lies.
static bool is_read(const mst_mpi_exchange *x, int peer) { return x->window && x->window->of[peer]; }

static int messages_of(const mst_mpi_exchange *x, const mst_mpi_piece *p) {
    return is_read(x, p->peer) ? 1 : (int)mst_mpi_piece_messages(p);
}

// The pieces of one direction, beginning with the rank behind this one, so that not all send to the same one first.
static int collect(mst_mpi_exchange *x, const mst_mpi_steps *s, int step, bool out, char **packed) {
    int n = 0;
    for (int i = 1; i < s->n_ranks; i++) {
        mst_mpi_piece *p = out ? &x->sends[n] : &x->receives[n];
        int peer = out ? (x->rank + i) % s->n_ranks : (x->rank + s->n_ranks - i) % s->n_ranks;
        if (!mst_mpi_piece_make(s, step, out, x->rank, peer, p))
            continue;
        n++;
        x->n_requests += messages_of(x, p) + (is_read(x, peer) && x->reused);
        if (!p->in_place && !is_read(x, peer)) {
            p->packed = *packed;
            *packed += p->bytes;
        }
    }
    return n;
}

// Where what this rank reads lies in the others' parts.
static void find_sources(mst_mpi_exchange *x, const mst_mpi_steps *s, int step) {
    for (int i = 0; i < x->n_receives; i++) {
        mst_mpi_piece theirs;
        int peer = x->receives[i].peer;
        if (!is_read(x, peer) || !mst_mpi_piece_make(s, step, true, peer, x->rank, &theirs))
            continue;
        mst_layout part = mst_mpi_step_layout(s, step, true, peer);
        x->sources[i].at = (const char *)x->window->of[peer] + theirs.offset * x->element_bytes;
        memcpy(x->sources[i].strides, part.strides, sizeof part.strides);
    }
}

mst_status mst_mpi_exchange_create(MPI_Comm communicator, const mst_mpi_steps *s, int step, const mst_mpi_window *window,
                                   void *packed, double timeout, mst_mpi_exchange **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_exchange *x = calloc(1, sizeof *x);
    char *at = packed;
    REQUIRE(x, MST_ERROR_HOST_MEMORY, "out of memory for an exchange between ranks");
    *x = (mst_mpi_exchange){.communicator = communicator, .window = window, .n_axes = s->rank, .timeout = timeout};
    x->reused = step + 2 < s->n;
    MPI_Comm_rank(communicator, &x->rank);
    x->from = mst_mpi_step_layout(s, step, true, x->rank);
    x->to = mst_mpi_step_layout(s, step + 1, false, x->rank);
    x->element_bytes = mst_type_bytes(x->from.type);
    memcpy(x->order, s->message_order[step], sizeof x->order);
    x->sends = calloc((size_t)s->n_ranks, sizeof *x->sends);
    x->receives = calloc((size_t)s->n_ranks, sizeof *x->receives);
    x->sources = calloc((size_t)s->n_ranks, sizeof *x->sources);
    REQUIRE(x->sends && x->receives && x->sources, MST_ERROR_HOST_MEMORY, "out of memory for an exchange of %d ranks",
            s->n_ranks);
    x->n_sends = collect(x, s, step, true, &at);
    x->n_receives = collect(x, s, step, false, &at);
    find_sources(x, s, step);
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
    free(x->sources);
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

// Starts the messages of one piece: one without bytes where it is read.
static mst_status start(mst_mpi_exchange *x, const mst_mpi_piece *p, bool send, char *at, int *n, mst_error *error) {
    mst_status status = MST_OK;
    const size_t all = is_read(x, p->peer) ? 0 : p->bytes;
    size_t begin = 0;
    do {
        int bytes = (int)(all - begin < MST_MPI_MOST_BYTES ? all - begin : MST_MPI_MOST_BYTES);
        MPI_Request *request = &x->requests[(*n)++];
        if (send)
            TRY_MPI(MPI_Isend(at + begin, bytes, MPI_BYTE, p->peer, DATA, x->communicator, request), "sending to a rank");
        else
            TRY_MPI(MPI_Irecv(at + begin, bytes, MPI_BYTE, p->peer, DATA, x->communicator, request), "receiving of a rank");
        begin += MST_MPI_MOST_BYTES;
    } while (begin < all);
fail:
    return status;
}

// That a piece has been read: said, or waited for.
static mst_status start_read(mst_mpi_exchange *x, const mst_mpi_piece *p, bool send, int *n, mst_error *error) {
    mst_status status = MST_OK;
    if (!is_read(x, p->peer) || !x->reused)
        return MST_OK;
    MPI_Request *request = &x->requests[(*n)++];
    if (send)
        TRY_MPI(MPI_Isend(NULL, 0, MPI_BYTE, p->peer, READ, x->communicator, request), "sending to a rank");
    else
        TRY_MPI(MPI_Irecv(NULL, 0, MPI_BYTE, p->peer, READ, x->communicator, request), "receiving of a rank");
fail:
    return status;
}

static void copy_piece(const mst_mpi_exchange *x, const mst_mpi_piece *p, char *to, const char *from, const ptrdiff_t *strides) {
    mst_mpi_copy(x->n_axes, p->box.count, x->element_bytes, to + p->offset * x->element_bytes, x->to.strides, from, strides);
}

// Piece by piece as they come.
static mst_status receive(mst_mpi_exchange *x, char *to, int *n, mst_error *error) {
    mst_status status = MST_OK;
    int at = 0;
    for (int i = 0; i < x->n_receives; i++) {
        const mst_mpi_piece *p = &x->receives[i];
        TRY(mst_mpi_wait(messages_of(x, p), x->requests + at, x->timeout, error));
        at += messages_of(x, p);
        if (is_read(x, p->peer)) {
            mst_mpi_window_sync(x->window);
            copy_piece(x, p, to, x->sources[i].at, x->sources[i].strides);
        } else if (!p->in_place) {
            unpack(x, p, to);
        }
        TRY(start_read(x, p, true, n, error));
    }
fail:
    return status;
}

mst_status mst_mpi_exchange_run(mst_mpi_exchange *x, const void *from, void *to, mst_error *error) {
    mst_status status = MST_OK;
    char *const own = (char *)(uintptr_t)from;
    int n = 0, n_received = 0;
    for (int i = 0; i < x->n_receives; i++)
        TRY(start(x, &x->receives[i], false, place(x, &x->receives[i], to), &n, error));
    n_received = n;
    mst_mpi_window_sync(x->window);
    for (int i = 0; i < x->n_sends; i++) {
        const mst_mpi_piece *p = &x->sends[i];
        if (!p->in_place && !is_read(x, p->peer))
            pack(x, p, from);
        TRY(start(x, p, true, place(x, p, own), &n, error));
        TRY(start_read(x, p, false, &n, error));
    }
    if (x->self_from.bytes)
        copy_piece(x, &x->self_to, to, own + x->self_from.offset * x->element_bytes, x->from.strides);
    TRY(receive(x, to, &n, error));
    TRY(mst_mpi_wait(n - n_received, x->requests + n_received, x->timeout, error));
fail:
    return status;
}
