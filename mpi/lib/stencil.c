#include "agree.h"
#include "piece.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct mst_mpi_stencil {
    MPI_Comm communicator;
    mst_context *context;
    mst_stencil *solver; // of this rank's part; NULL: it has none
    mst_stencil_part part;
    int neighbours[2]; // the ranks below and above; this one itself: none
    void *given[2], *taken[2];
    MPI_Request *requests; // persistent: those of an exchange, the receiving ones first
    int n_requests;
    uint64_t left;      // steps until the next exchange: as many on all ranks, whatever fails on some of them
    uint64_t exchanges; // of the run so far
    int lack;           // whether a rank has no halos
    size_t *points;     // of each receiver, those of all runs
    size_t n_receivers;
    mst_mpi_pulse *pulse; // where some rank has no halos, and would hear nothing; else NULL
    double timeout;
    bool broken;
    mst_error lost; // how, where no caller was told
};

// ---- Making one

// The ranks on both sides that have planes.
static void find_neighbours(mst_mpi_stencil *s, const mst_stencil_part *parts, int n_ranks, int rank) {
    for (int side = 0; side < 2; side++) {
        int step = side ? 1 : n_ranks - 1, other = (rank + step) % n_ranks;
        while (other != rank && parts[other].planes == 0)
            other = (other + step) % n_ranks;
        s->neighbours[side] = other;
    }
}

static mst_status make_requests(mst_mpi_stencil *s, int side, void *at, uint64_t bytes, bool send, mst_error *error) {
    mst_status status = MST_OK;
    for (uint64_t begin = 0; begin < bytes; begin += MST_MPI_MOST_BYTES) {
        const int n = (int)(bytes - begin < MST_MPI_MOST_BYTES ? bytes - begin : MST_MPI_MOST_BYTES);
        MPI_Request *request = &s->requests[s->n_requests];
        // What goes up from one rank is its neighbour's halo below: a message has the number of the side that it leaves by.
        if (send)
            TRY_MPI(MPI_Send_init((char *)at + begin, n, MPI_BYTE, s->neighbours[side], side, s->communicator, request),
                    "sending a halo");
        else
            TRY_MPI(MPI_Recv_init((char *)at + begin, n, MPI_BYTE, s->neighbours[side], 1 - side, s->communicator, request),
                    "receiving a halo");
        s->n_requests++;
    }
fail:
    return status;
}

static mst_status take_memory(mst_mpi_stencil *s, uint64_t bytes, void **memory, mst_error *error) {
    return bytes ? mst_pinned_create(s->context, bytes, memory, error) : MST_OK;
}

static mst_status take_halos(mst_mpi_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
    size_t most = 0;
    TRY(mst_stencil_describe_halo(s->solver, &halo, error));
    for (int side = 0; side < 2; side++) {
        TRY(take_memory(s, halo.given_bytes[side], &s->given[side], error));
        TRY(take_memory(s, halo.taken_bytes[side], &s->taken[side], error));
        most += (size_t)(halo.given_bytes[side] / MST_MPI_MOST_BYTES + halo.taken_bytes[side] / MST_MPI_MOST_BYTES + 2);
    }
    s->requests = calloc(most, sizeof(MPI_Request));
    REQUIRE(s->requests, MST_ERROR_HOST_MEMORY, "out of memory for halos");
    for (int side = 0; side < 2; side++)
        TRY(make_requests(s, side, s->taken[side], halo.taken_bytes[side], false, error));
    for (int side = 0; side < 2; side++)
        TRY(make_requests(s, side, s->given[side], halo.given_bytes[side], true, error));
fail:
    return status;
}

// Exchanges go on beside the interior where copies are not the work of the processors that compute.
static mst_stencil_halo_exchange choose_exchange(mst_context *context, const mst_stencil_desc *desc) {
    const mst_device_info *device = mst_context_device(context);
    const bool apart = device->type == CL_DEVICE_TYPE_GPU && !device->unified_memory && !desc->no_overlap;
    return desc->exchange != MST_STENCIL_EXCHANGE_AUTO ? desc->exchange
           : apart                                     ? MST_STENCIL_EXCHANGE_BESIDE
                                                       : MST_STENCIL_EXCHANGE_WAITS;
}

static mst_status count_points(mst_mpi_stencil *s, const mst_stencil_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    s->points = calloc(d->n_receivers + 1, sizeof *s->points);
    REQUIRE(s->points, MST_ERROR_HOST_MEMORY, "out of memory for receivers");
    for (size_t i = 0; i < d->n_receivers; i++) {
        const char *at = (const char *)d->receivers + i * d->receiver_size;
        memcpy(&s->points[i], at + offsetof(mst_stencil_receiver, n_points), sizeof s->points[i]);
        s->points[i] *= d->n_runs > 0 ? d->n_runs : 1;
    }
    s->n_receivers = d->n_receivers;
fail:
    return status;
}

static mst_status fill(mst_mpi_stencil *s, mst_context *context, const mst_stencil_desc *given, uint64_t steps,
                       mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_part *parts = NULL;
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    int rank, n_ranks;
    MPI_Comm_rank(s->communicator, &rank);
    MPI_Comm_size(s->communicator, &n_ranks);
    REQUIRE(given && given->struct_size == sizeof desc, MST_ERROR_ARGUMENT,
            "desc is NULL or has another struct_size; begin with "
            "MST_STENCIL_DESC_INIT");
    desc = *given;
    parts = calloc((size_t)n_ranks, sizeof *parts);
    REQUIRE(parts, MST_ERROR_HOST_MEMORY, "out of memory for the parts of %d ranks", n_ranks);
    TRY(mst_stencil_divide(&desc, NULL, (size_t)n_ranks, steps, parts, error));
    TRY(count_points(s, &desc, error)); // the description is a good one
    s->part = parts[rank];
    find_neighbours(s, parts, n_ranks, rank);
    bool alone = s->neighbours[0] == rank;
    s->left = alone || s->part.planes == 0 ? UINT64_MAX : s->part.steps;
    if (s->part.planes == 0)
        goto fail;
    desc.part = alone ? NULL : &s->part;
    desc.exchange = choose_exchange(context, &desc);
    TRY(mst_stencil_create(context, &desc, &s->solver, error));
    if (!alone)
        TRY(take_halos(s, error));
fail:
    free(parts);
    return status;
}

// All ranks give signs of life if one of several has no halos, and there is a time to hear them in.
static mst_status make_pulse(mst_mpi_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    MPI_Request request;
    int n_ranks;
    MPI_Comm_size(s->communicator, &n_ranks);
    s->lack = s->n_requests == 0 && n_ranks > 1 && s->timeout > 0;
    TRY_MPI(MPI_Iallreduce(MPI_IN_PLACE, &s->lack, 1, MPI_INT, MPI_MAX, s->communicator, &request), "ranks that agree");
    TRY(mst_mpi_wait(1, &request, s->timeout, error));
    if (!s->lack)
        return MST_OK;
    return mst_mpi_agree(s->communicator, mst_mpi_pulse_create(s->communicator, s->timeout, &s->pulse, error), s->timeout,
                         &s->broken, error);
fail:
    s->broken = true;
    return status;
}

mst_status mst_mpi_stencil_create(MPI_Comm communicator, mst_context *context, const mst_stencil_desc *desc, uint64_t steps,
                                  double timeout, mst_mpi_stencil **out, mst_error *error) {
    double wait = mst_mpi_check_timeout(timeout, NULL) == MST_OK ? timeout : MST_MPI_DEFAULT_TIMEOUT;
    bool broken = false;
    MPI_Comm own;
    mst_status status = mst_mpi_duplicate(communicator, wait, &own, error);
    if (out)
        *out = NULL;
    if (status != MST_OK) // nothing can be agreed on
        return status;
    mst_mpi_stencil *s = calloc(1, sizeof *s);
    if (!s || !out || !context)
        status = mst_mpi_fail(error, s ? MST_ERROR_ARGUMENT : MST_ERROR_HOST_MEMORY, s ? "NULL is given" : "out of memory");
    if (status == MST_OK)
        status = mst_mpi_check_timeout(timeout, error);
    if (s)
        *s = (mst_mpi_stencil){.communicator = own, .context = context, .timeout = wait};
    if (status == MST_OK && s)
        status = fill(s, context, desc, steps, error);
    status = mst_mpi_agree(own, status, wait, &broken, error);
    if (s)
        s->broken = broken;
    if (status == MST_OK && s)
        status = make_pulse(s, error);
    if (status == MST_OK && s && out) {
        *out = s;
    } else if (s) {
        mst_mpi_stencil_destroy(s);
    } else if (!broken) {
        MPI_Comm_free(&own);
    }
    return status;
}

void mst_mpi_stencil_destroy(mst_mpi_stencil *s) {
    if (!s)
        return;
    mst_stencil_destroy(s->solver);
    for (int i = 0; i < s->n_requests && !s->broken; i++)
        MPI_Request_free(&s->requests[i]);
    for (int side = 0; side < 2 && !s->broken; side++) { // else MPI may still write there
        mst_pinned_destroy(s->context, s->given[side]);
        mst_pinned_destroy(s->context, s->taken[side]);
    }
    if (s->broken)
        return;
    mst_mpi_pulse_destroy(s->pulse);
    free(s->requests);
    free(s->points);
    MPI_Comm_free(&s->communicator);
    free(s);
}

// ---- Running it

static mst_status exchange(void *user, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_stencil *s = user;
    s->exchanges++;
    if (s->n_requests > 0)
        TRY_MPI(MPI_Startall(s->n_requests, s->requests), "exchanging halos");
    TRY(mst_mpi_wait_beating(s->n_requests, s->requests, s->timeout, s->pulse, error));
    return MST_OK;
fail:
    s->broken = true;
    return status;
}

static bool beat(uint64_t done, uint64_t total, void *user) {
    mst_mpi_stencil *s = user;
    (void)done;
    (void)total;
    s->broken = s->broken || mst_mpi_pulse_beat(s->pulse, &s->lost) != MST_OK;
    return !s->broken;
}

// Steps with the exchanges between them, as many of these as on all other ranks.
static mst_status advance(mst_mpi_stencil *s, uint64_t steps, const mst_execution *how, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_neighbours with = MST_STENCIL_NEIGHBOURS_INIT;
    const uint64_t between = s->part.steps, due = steps > s->left ? (steps - s->left - 1) / between + 1 : 0;
    for (int side = 0; side < 2; side++) {
        with.given[side] = s->given[side];
        with.taken[side] = s->taken[side];
    }
    with.first = s->left;
    with.exchange = exchange;
    with.user = s;
    s->exchanges = 0;
    s->left += due * between - steps;
    status = mst_stencil_run_part(s->solver, steps, &with, how, NULL, error);
    while (s->exchanges < due && !s->broken) // a rank that failed lets the others go on
        exchange(s, &s->lost);
    return status;
}

static mst_status advance_own(mst_mpi_stencil *s, uint64_t steps, mst_error *error) {
    mst_execution how = MST_EXECUTION_INIT;
    how.progress = s->pulse ? beat : NULL;
    how.progress_user = s;
    if (!s->solver)
        return MST_OK;
    return s->left == UINT64_MAX ? mst_stencil_run(s->solver, steps, &how, NULL, error) : advance(s, steps, &how, error);
}

mst_status mst_mpi_stencil_run(mst_mpi_stencil *s, uint64_t steps, mst_error *error) {
    if (!s)
        return mst_mpi_fail(error, MST_ERROR_ARGUMENT, "there is no solver");
    mst_status status = mst_mpi_check_unbroken(s->broken, error);
    if (status != MST_OK)
        return status;
    status = mst_mpi_pulse_begin(s->pulse, error);
    s->broken = status != MST_OK;
    if (status == MST_OK)
        status = advance_own(s, steps, error);
    if (s->lost.status != MST_OK) {
        if (error)
            *error = s->lost;
        return s->lost.status;
    }
    if (!s->broken)
        status = mst_mpi_agree_beating(s->communicator, status, s->timeout, s->pulse, &s->broken, error);
    if (!s->broken) {
        const mst_status ended = mst_mpi_pulse_end(s->pulse, status == MST_OK ? error : NULL);
        s->broken = ended != MST_OK;
        status = status == MST_OK ? ended : status;
    }
    return status;
}

// Halos hold when all arrays were written.
static mst_status resume(mst_mpi_stencil *s, uint64_t step, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
    if (!s->solver)
        return MST_OK;
    if (s->left != UINT64_MAX) {
        TRY(mst_stencil_describe_halo(s->solver, &halo, error));
        REQUIRE(halo.steps_left == s->part.steps, MST_ERROR_ARGUMENT,
                "not every array of the state was written since it ran (mst_stencil_write_whole)");
        s->left = s->part.steps;
    }
    TRY(mst_stencil_set_step(s->solver, step, error));
fail:
    return status;
}

mst_status mst_mpi_stencil_resume(mst_mpi_stencil *s, uint64_t step, mst_error *error) {
    if (!s)
        return mst_mpi_fail(error, MST_ERROR_ARGUMENT, "there is no solver");
    if (s->broken)
        return mst_mpi_check_unbroken(s->broken, error);
    return mst_mpi_agree(s->communicator, resume(s, step, error), s->timeout, &s->broken, error);
}

// ---- Receivers

enum { AT_ONCE = 1 << 20 }; // values of a reduction

// What a rank does not know is NaN there: it gives 0, and others their bits less those of NaN, so that the bits of the one that
// knows are left, and NaN where all have that.
static const uint64_t UNKNOWN = 0x7ff8000000000000;

static void encode(double *values, size_t n, uint64_t *bits) {
    for (size_t i = 0; i < n; i++) {
        memcpy(&bits[i], &values[i], sizeof bits[i]);
        bits[i] = isnan(values[i]) ? 0 : bits[i] ^ UNKNOWN;
    }
}

static mst_status combine(mst_mpi_stencil *s, double *values, size_t n, uint64_t *bits, mst_error *error) {
    mst_status status = MST_OK;
    MPI_Request request;
    for (size_t begin = 0, m; begin < n; begin += m) {
        m = n - begin < AT_ONCE ? n - begin : AT_ONCE;
        encode(values + begin, m, bits);
        TRY_MPI(MPI_Iallreduce(MPI_IN_PLACE, bits, (int)m, MPI_UINT64_T, MPI_BXOR, s->communicator, &request), "receivers");
        TRY(mst_mpi_wait(1, &request, s->timeout, error));
        for (size_t i = 0; i < m; i++) {
            bits[i] ^= UNKNOWN;
            memcpy(&values[begin + i], &bits[i], sizeof bits[i]);
        }
    }
    free(bits);
    return MST_OK;
fail:
    s->broken = true; // MPI may still write to what was given
    return status;
}

static mst_status read_own(const mst_mpi_stencil *s, size_t receiver, uint64_t first, uint64_t count, double *values, size_t *n,
                           mst_error *error) {
    mst_status status = MST_OK;
    REQUIRE(values, MST_ERROR_ARGUMENT, "values must not be NULL");
    REQUIRE(receiver < s->n_receivers, MST_ERROR_ARGUMENT, "there is no receiver %zu; there are %zu", receiver, s->n_receivers);
    *n = (size_t)count * s->points[receiver];
    for (size_t i = 0; i < *n && !s->solver; i++)
        values[i] = NAN;
    if (s->solver)
        TRY(mst_stencil_read_receiver(s->solver, receiver, first, count, values, error));
fail:
    return status;
}

mst_status mst_mpi_stencil_read_receiver(mst_mpi_stencil *s, size_t receiver, uint64_t first, uint64_t count, double *values,
                                         mst_error *error) {
    mst_status status = MST_OK;
    size_t n = 0;
    if (!s)
        return mst_mpi_fail(error, MST_ERROR_ARGUMENT, "there is no solver");
    if (s->broken)
        return mst_mpi_check_unbroken(s->broken, error);
    uint64_t *bits = malloc(AT_ONCE * sizeof *bits);
    status = bits ? read_own(s, receiver, first, count, values, &n, error)
                  : mst_mpi_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for receivers");
    status = mst_mpi_agree(s->communicator, status, s->timeout, &s->broken, error);
    if (status == MST_OK)
        return combine(s, values, n, bits, error);
    free(bits);
    return status;
}

mst_stencil *mst_mpi_stencil_solver(const mst_mpi_stencil *s, mst_stencil_part *part) {
    if (part && s)
        *part = s->part;
    return s ? s->solver : NULL;
}

int mst_mpi_stencil_is_broken(const mst_mpi_stencil *s) { return s && s->broken; }
