// Transforms over ranks; and turns: the copies of an exchange and the local transforms behind it, and a word.
#include "rank_rates.h"

#include "copy.h"
#include "exchange.h"
#include "piece.h"
#include "view.h"

#include <stdlib.h>
#include <string.h>

// Of this rank's part of the plan; bytes are those of the largest part.
typedef struct parts {
    rank_run *run;
    const mst_mpi_steps *steps;
    int number, step;
    bool apart;
    mst_fft *fft[MST_MPI_MOST_STEPS];
    mst_mpi_view view[MST_MPI_MOST_STEPS];
    void *from, *to, *packed;
} parts;

static mst_status transform(void *user, mst_error *error) {
    parts *p = user;
    const mst_location both[] = {mst_at_host(p->from), mst_at_host(p->to)};
    return mst_mpi_view_execute(&p->view[p->step], both, error);
}

static size_t elements(const mst_layout *l) {
    size_t n = 1;
    for (int k = 0; k < l->rank; k++)
        n *= l->shape[k];
    return n;
}

// Elements from the first of a box to its last.
static size_t extent(const mst_mpi_box *box, const mst_layout *part) {
    size_t last = 0;
    for (int k = 0; k < part->rank; k++)
        last += (box->count[k] - 1) * (size_t)part->strides[k];
    return last + 1;
}

// What an exchange copies: pieces to messages and from them, and what is kept; or, within a host, all pieces from where they lie,
// for which this rank's own memory stands in.
static mst_status copy_pieces(void *user, mst_error *error) {
    parts *p = user;
    const mst_mpi_steps *s = p->steps;
    const mst_layout from = mst_mpi_step_layout(s, p->step, true, p->number),
                     to = mst_mpi_step_layout(s, p->step + 1, false, p->number);
    const size_t bytes = mst_type_bytes(from.type);
    mst_mpi_piece sent, taken;
    char *packed = p->packed;
    ptrdiff_t dense[MST_MAX_RANK];
    (void)error;
    for (int peer = 0; peer < s->n_ranks; peer++) {
        bool sends = mst_mpi_piece_make(s, p->step, true, p->number, peer, &sent);
        bool takes = mst_mpi_piece_make(s, p->step, false, p->number, peer, &taken);
        char *source = (char *)p->from + (sends ? sent.offset * bytes : 0), *target = (char *)p->to + taken.offset * bytes;
        if (takes && !p->apart && sent.offset + extent(&taken.box, &from) > elements(&from)) // another rank's part is larger
            source = p->from;
        if (peer == p->number || !p->apart) {
            if (takes)
                mst_mpi_copy(s->rank, taken.box.count, bytes, target, to.strides, source, from.strides);
            continue;
        }
        if (sends && !sent.in_place) {
            mst_mpi_dense(&sent.box, s->rank, s->message_order[p->step], dense);
            mst_mpi_copy(s->rank, sent.box.count, bytes, packed, dense, source, from.strides);
            packed += sent.bytes;
        }
        if (takes && !taken.in_place) {
            mst_mpi_dense(&taken.box, s->rank, s->message_order[p->step], dense);
            mst_mpi_copy(s->rank, taken.box.count, bytes, target, to.strides, packed, dense);
            packed += taken.bytes;
        }
    }
    return MST_OK;
}

// Of the first rank's part, the largest: pieces of other ranks are copied from a place in this one's own.
static size_t most_bytes(const mst_mpi_steps *s) {
    size_t most = 0;
    for (int i = 0; i < s->n; i++)
        for (int out = 0; out < 2; out++) {
            mst_layout l = mst_mpi_step_layout(s, i, out, 0);
            size_t bytes = elements(&l) * mst_type_bytes(l.type);
            most = bytes > most ? bytes : most;
        }
    return most;
}

static void *filled(size_t bytes) {
    char *memory = aligned_alloc(4096, (bytes / 4096 + 1) * 4096);
    for (size_t i = 0; memory && i < bytes / sizeof(float); i++)
        ((float *)memory)[i] = (float)(i * 2654435761u % 1000) / 1000 - 0.5f;
    return memory;
}

static mst_status make_parts(rank_run *run, const mst_mpi_fft_desc *d, const mst_mpi_steps *s, parts *p, mst_error *error) {
    mst_status status = MST_OK;
    size_t bytes = most_bytes(s), packed = 0;
    for (int i = 0; i + 1 < s->n; i++) {
        size_t needed = mst_mpi_exchange_bytes(s, i, run->number);
        packed = needed > packed ? needed : packed;
    }
    *p = (parts){.run = run,
                 .steps = s,
                 .number = run->number,
                 .apart = run->apart,
                 .from = filled(bytes),
                 .to = filled(bytes),
                 .packed = filled(packed)};
    if (!p->from || !p->to || !p->packed)
        return rank_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for parts");
    for (int i = 0; i < s->n && status == MST_OK; i++) {
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.input = mst_mpi_step_layout(s, i, false, run->number);
        desc.output = mst_mpi_step_layout(s, i, true, run->number);
        desc.n_axes = s->step[i].n_axes;
        memcpy(desc.axes, s->step[i].axes, sizeof desc.axes);
        desc.direction = d->direction;
        if (desc.n_axes)
            status = mst_fft_create(run->context, &desc, &p->fft[i], error);
        if (desc.n_axes && status == MST_OK)
            p->view[i] = mst_mpi_view_make(run->context, p->fft[i], &desc.input, &desc.output);
    }
    return status;
}

static void destroy_parts(parts *p) {
    for (int i = 0; i < MST_MPI_MOST_STEPS; i++)
        mst_fft_destroy(p->fft[i]);
    free(p->from);
    free(p->to);
    free(p->packed);
}

// ---- The whole

typedef struct whole {
    mst_mpi_fft *plan;
    void *in, *out;
} whole;

static mst_status execute(void *user, mst_error *error) {
    whole *w = user;
    return mst_mpi_fft_execute(w->plan, mst_at_host(w->in), mst_at_host(w->out), error);
}

// What a rank does from one word of all to the next: it copies what the others have for it, and transforms that.
static mst_status take_turn(void *user, mst_error *error) {
    parts *p = user;
    mst_status status = MST_OK;
    const int step = p->step;
    if (step > 0) {
        p->step--; // whose exchange it is
        status = copy_pieces(p, error);
        p->step = step;
    }
    if (status == MST_OK && p->fft[step])
        status = transform(p, error);
    return status == MST_OK ? rank_tell_all(p->run, error) : status;
}

typedef struct times {
    rank_timing turns[MST_MPI_MOST_STEPS], whole, peer;
} times;

// One after the other: the turns, the whole, and the peer's.
static mst_status measure_rounds(rank_run *run, parts *p, whole *w, rank_peer *peer, times *t, mst_error *error) {
    mst_status status = MST_OK;
    for (int round = 0; round < run->rounds && status == MST_OK; round++) {
        for (p->step = 0; p->step < p->steps->n && status == MST_OK; p->step++)
            status = rank_time(MPI_COMM_WORLD, take_turn, p, &t->turns[p->step], error);
        if (status == MST_OK)
            status = rank_time(MPI_COMM_WORLD, execute, w, &t->whole, error);
        if (status == MST_OK && peer)
            status = rank_time(MPI_COMM_WORLD, rank_peer_run, peer, &t->peer, error);
    }
    return status;
}

static void report(const rank_run *run, const mst_mpi_steps *s, const times *t, json_t *to) {
    json_t *turns = json_array(), *exchanges = json_array();
    for (int i = 0; i < s->n; i++) {
        uint64_t messages = 0, bytes = 0;
        json_array_append_new(turns, rank_seconds(&t->turns[i]));
        if (i + 1 == s->n)
            break;
        mst_mpi_exchange_count(s, i, run->number, &messages, &bytes);
        json_array_append_new(exchanges,
                              json_pack("{s:I, s:I}", "messages", (json_int_t)messages, "sent_bytes", (json_int_t)bytes));
    }
    json_object_set_new(to, "turn_seconds", turns);
    json_object_set_new(to, "exchanges", exchanges);
    json_object_set_new(to, "seconds", rank_seconds(&t->whole));
    if (t->peer.n)
        json_object_set_new(to, "peer_seconds", rank_seconds(&t->peer));
}

static mst_status compare(rank_peer *peer, const whole *w, const mst_mpi_part *out, json_t *to, mst_error *error) {
    double difference = rank_peer_compare(peer, w->in, w->out, elements(&out->layout));
    json_object_set_new(to, "peer_difference", json_real(difference));
    return difference < 1e-5 ? MST_OK : rank_fail(error, MST_ERROR_FORMAT, "the result is not that of FFTW-MPI");
}

static mst_status run_case(rank_run *run, const mst_mpi_fft_desc *d, rank_peer *peer, json_t *to, mst_error *error) {
    mst_status status;
    mst_mpi_steps steps;
    parts p = {0};
    times t = {0};
    whole w = {0};
    mst_mpi_part in = MST_MPI_PART_INIT, out = MST_MPI_PART_INIT;
    status = mst_mpi_steps_make(d, false, run->count, &steps, error);
    if (status == MST_OK)
        status = mst_mpi_fft_parts(d, run->count, run->number, &in, &out, error);
    if (status == MST_OK)
        status = make_parts(run, d, &steps, &p, error);
    w.in = filled(elements(&in.layout) * 8);
    w.out = filled(elements(&out.layout) * 8);
    if (status == MST_OK && (!w.in || !w.out))
        status = rank_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for a rank's array");
    if (status == MST_OK)
        status = mst_mpi_fft_create(MPI_COMM_WORLD, run->context, d, &w.plan, error);
    if (status == MST_OK)
        status = execute(&w, error);
    if (status == MST_OK && peer)
        status = compare(peer, &w, &out, to, error);
    if (status == MST_OK)
        status = measure_rounds(run, &p, &w, peer, &t, error);
    if (status == MST_OK)
        report(run, &steps, &t, to);
    mst_mpi_fft_destroy(w.plan);
    destroy_parts(&p);
    free(w.in);
    free(w.out);
    return status;
}

static mst_status read_case(const char *text, mst_mpi_fft_desc *d, mst_error *error) {
    const char *layout = strchr(text, ':');
    size_t shape[3];
    if (rank_parse_shape(text, shape) != 3 || !layout)
        return rank_fail(error, MST_ERROR_ARGUMENT, "a transform is given as fft:256x256x256:slabs");
    *d = (mst_mpi_fft_desc)MST_MPI_FFT_DESC_INIT;
    d->input = MST_COMPLEX64;
    d->rank = d->n_axes = 3;
    for (int k = 0; k < 3; k++) {
        d->shape[k] = shape[k];
        d->axes[k] = k;
    }
    d->cut = strcmp(layout, ":pencils") == 0 ? MST_MPI_CUT_PENCILS : MST_MPI_CUT_SLABS;
    d->transposed_output = 1;
    return MST_OK;
}

mst_status rank_plan_fft(int n_ranks, const char *text, json_t *to, mst_error *error) {
    mst_mpi_fft_desc d;
    mst_mpi_needs needs = MST_MPI_NEEDS_INIT;
    mst_status status = read_case(text, &d, error);
    if (status == MST_OK)
        status = mst_mpi_fft_needs(&d, n_ranks, 0, &needs, error);
    json_object_set_new(to, "plan",
                        json_pack("{s:i, s:I, s:I, s:I, s:I}", "ranks", n_ranks, "exchanges", (json_int_t)needs.exchanges,
                                  "messages", (json_int_t)needs.messages, "sent_bytes", (json_int_t)needs.sent_bytes,
                                  "host_bytes", (json_int_t)needs.host_bytes));
    return status;
}

mst_status rank_measure_fft(rank_run *run, const char *text, json_t *to, mst_error *error) {
    mst_mpi_fft_desc d;
    rank_peer *peer = NULL;
    mst_status status = read_case(text, &d, error);
    if (status == MST_OK && run->peer && d.cut == MST_MPI_CUT_SLABS)
        status = rank_peer_create(d.shape, &peer, error);
    if (status == MST_OK)
        status = run_case(run, &d, peer, to, error);
    rank_peer_destroy(peer);
    return status;
}
