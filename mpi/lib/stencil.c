#include "agree.h"

#include <stdlib.h>
#include <string.h>

struct mst_mpi_stencil {
    MPI_Comm communicator;
    mst_stencil *solver; // of this rank's part; NULL: it has none
    mst_stencil_part part;
    int neighbours[2]; // the ranks below and above; -1: none
    void *given[2], *taken[2];
    uint64_t bytes[2][2]; // of those, by side
    uint64_t left;        // steps until the next exchange: as many on all ranks, whatever fails on some of them
    double timeout;
    bool broken;
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

static mst_status take_halos(mst_mpi_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
    TRY(mst_stencil_describe_halo(s->solver, &halo, error));
    for (int side = 0; side < 2; side++) {
        s->bytes[side][0] = halo.given_bytes[side];
        s->bytes[side][1] = halo.taken_bytes[side];
        s->given[side] = malloc((size_t)halo.given_bytes[side] + 1);
        s->taken[side] = malloc((size_t)halo.taken_bytes[side] + 1);
        REQUIRE(s->given[side] && s->taken[side], MST_ERROR_HOST_MEMORY, "out of memory for halos");
        REQUIRE(halo.given_bytes[side] <= INT32_MAX && halo.taken_bytes[side] <= INT32_MAX, MST_ERROR_UNSUPPORTED,
                "a halo has more than 2^31 bytes; take fewer steps between exchanges, or more ranks");
    }
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
    s->part = parts[rank];
    find_neighbours(s, parts, n_ranks, rank);
    bool alone = s->neighbours[0] == rank;
    s->left = alone || s->part.planes == 0 ? UINT64_MAX : s->part.steps;
    if (s->part.planes == 0)
        goto fail;
    desc.part = alone ? NULL : &s->part;
    TRY(mst_stencil_create(context, &desc, &s->solver, error));
    if (!alone)
        TRY(take_halos(s, error));
fail:
    free(parts);
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
        *s = (mst_mpi_stencil){.communicator = own, .timeout = wait};
    if (status == MST_OK && s)
        status = fill(s, context, desc, steps, error);
    status = mst_mpi_agree(own, status, wait, &broken, error);
    if (status == MST_OK && s && out) {
        *out = s;
    } else if (s) {
        s->broken = broken;
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
    for (int side = 0; side < 2 && !s->broken; side++) { // else MPI may still write there
        free(s->given[side]);
        free(s->taken[side]);
    }
    if (!s->broken)
        MPI_Comm_free(&s->communicator);
    free(s);
}

// ---- Running it

// What goes up from one rank is its neighbour's halo below: a message has the number of the side that it leaves by.
static mst_status exchange(mst_mpi_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    MPI_Request requests[4];
    int n = 0;
    for (int side = 0; side < 2; side++)
        if (s->bytes[side][1])
            TRY_MPI(MPI_Irecv(s->taken[side], (int)s->bytes[side][1], MPI_BYTE, s->neighbours[side], 1 - side, s->communicator,
                              &requests[n++]),
                    "receiving a halo");
    for (int side = 0; side < 2; side++)
        if (s->bytes[side][0])
            TRY_MPI(MPI_Isend(s->given[side], (int)s->bytes[side][0], MPI_BYTE, s->neighbours[side], side, s->communicator,
                              &requests[n++]),
                    "sending a halo");
    TRY(mst_mpi_wait(n, requests, s->timeout, error));
fail:
    return status;
}

static mst_status read_halos(mst_mpi_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    for (int side = 0; side < 2 && status == MST_OK; side++)
        if (s->bytes[side][0])
            status = mst_stencil_read_halo(s->solver, side, s->given[side], error);
    return status;
}

static mst_status write_halos(mst_mpi_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    for (int side = 0; side < 2 && status == MST_OK; side++)
        if (s->bytes[side][1])
            status = mst_stencil_write_halo(s->solver, side, s->taken[side], error);
    return status;
}

// How long a rank waits at the end of a run. One without halos has met nobody on the way, and may have far less to compute.
static double last_wait(const mst_mpi_stencil *s) {
    return s->bytes[0][0] || s->bytes[0][1] || s->bytes[1][0] || s->bytes[1][1] ? s->timeout : 0;
}

mst_status mst_mpi_stencil_run(mst_mpi_stencil *s, uint64_t steps, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t n;
    if (!s)
        return mst_mpi_fail(error, MST_ERROR_ARGUMENT, "there is no solver");
    for (uint64_t done = 0; done < steps; done += n, s->left -= n) {
        if (s->left == 0) {
            if (status == MST_OK)
                status = read_halos(s, error);
            mst_status exchanged = exchange(s, status == MST_OK ? error : NULL); // a rank that failed lets the others go on
            s->broken = exchanged != MST_OK;
            if (s->broken)
                return exchanged;
            if (status == MST_OK)
                status = write_halos(s, error);
            s->left = s->part.steps;
        }
        n = steps - done < s->left ? steps - done : s->left;
        if (status == MST_OK && s->solver)
            status = mst_stencil_run(s->solver, n, NULL, NULL, error);
    }
    return mst_mpi_agree(s->communicator, status, last_wait(s), &s->broken, error);
}

mst_stencil *mst_mpi_stencil_solver(const mst_mpi_stencil *s, mst_stencil_part *part) {
    if (part && s)
        *part = s->part;
    return s ? s->solver : NULL;
}

int mst_mpi_stencil_is_broken(const mst_mpi_stencil *s) { return s && s->broken; }
