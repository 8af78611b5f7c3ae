#include "agree.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>

mst_status mst_mpi_wait(int n, MPI_Request *requests, double timeout, mst_error *error) {
    mst_status status = MST_OK;
    double last = MPI_Wtime();
    for (int at = 0; at < n;) {
        int done = 0;
        TRY_MPI(MPI_Test(&requests[at], &done, MPI_STATUS_IGNORE), "an exchange between ranks");
        if (done) {
            at++;
            last = MPI_Wtime();
            continue;
        }
        sched_yield();
        REQUIRE(timeout <= 0 || MPI_Wtime() - last < timeout, MST_ERROR_IO,
                "waited %g s for other ranks; one of them has stopped, or they need longer: give a longer timeout", timeout);
    }
fail:
    return status;
}

mst_status mst_mpi_agree(MPI_Comm communicator, mst_status mine, double timeout, bool *broken, mst_error *error) {
    mst_status status = MST_OK;
    mst_error own = {.status = mine}, *at = error ? error : &own, told = {0};
    int rank, n_ranks, first = 0;
    MPI_Request request;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &n_ranks);
    if (n_ranks == 1)
        return mine;
    int failing = mine == MST_OK ? n_ranks : rank;
    TRY_MPI(MPI_Iallreduce(&failing, &first, 1, MPI_INT, MPI_MIN, communicator, &request), "ranks that agree");
    TRY(mst_mpi_wait(1, &request, timeout, at));
    if (first == n_ranks)
        return MST_OK;
    if (rank == first) {
        told = *at;
        told.status = mine;
        snprintf(told.message, sizeof told.message, "rank %d: %.*s", rank, (int)sizeof told.message - 24, at->message);
    }
    TRY_MPI(MPI_Ibcast(&told, (int)sizeof told, MPI_BYTE, first, communicator, &request), "ranks that agree");
    TRY(mst_mpi_wait(1, &request, timeout, at));
    *at = told;
    return told.status;
fail:
    if (broken)
        *broken = true;
    return status;
}
