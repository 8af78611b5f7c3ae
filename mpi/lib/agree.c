#include "agree.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// Gives the processor to others: there may be more ranks than cores. One that is only yielded is not idle, and takes no work from
// another that has two. So after a while it sleeps, a small part of what it has waited, so that nothing comes much later for it.
static void pause_for(double waited) {
    const double spun = 5e-5, part = 0.125, longest = 5e-5;
    if (waited < spun)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * (part * waited < longest ? part * waited : longest))}, NULL);
}

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
        pause_for(MPI_Wtime() - last);
        REQUIRE(timeout <= 0 || MPI_Wtime() - last < timeout, MST_ERROR_IO,
                "waited %g s for other ranks; one of them has stopped, or they need longer: give a longer timeout", timeout);
    }
fail:
    return status;
}

// What ranks tell each other. It is left to MPI where waiting fails, so it is not on the stack, unless there is no memory.
typedef struct agreement {
    int failing, first; // ranks: this one, or their number if it did not fail, and the lowest of all
    mst_error told;
    MPI_Comm made;
} agreement;

static mst_status find_first(MPI_Comm communicator, agreement *a, double timeout, mst_error *error) {
    mst_status status = MST_OK;
    MPI_Request request;
    TRY_MPI(MPI_Iallreduce(&a->failing, &a->first, 1, MPI_INT, MPI_MIN, communicator, &request), "ranks that agree");
    TRY(mst_mpi_wait(1, &request, timeout, error));
fail:
    return status;
}

// The first rank's error goes to all.
static mst_status tell(MPI_Comm communicator, agreement *a, int rank, double timeout, mst_error *error) {
    mst_status status = MST_OK;
    MPI_Request request;
    if (rank == a->first) {
        a->told.status = error->status;
        snprintf(a->told.message, sizeof a->told.message, "rank %d: %.*s", rank, (int)sizeof a->told.message - 24,
                 error->message);
    }
    TRY_MPI(MPI_Ibcast(&a->told, (int)sizeof a->told, MPI_BYTE, a->first, communicator, &request), "ranks that agree");
    TRY(mst_mpi_wait(1, &request, timeout, error));
    *error = a->told;
fail:
    return status;
}

mst_status mst_mpi_agree(MPI_Comm communicator, mst_status mine, double timeout, bool *broken, mst_error *error) {
    mst_error own = {.status = mine}, *at = error ? error : &own;
    agreement without_memory, *a;
    int rank, n_ranks;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &n_ranks);
    if (n_ranks == 1)
        return mine;
    a = malloc(sizeof *a);
    a = a ? a : &without_memory;
    *a = (agreement){.failing = mine == MST_OK ? n_ranks : rank};
    if (mine != MST_OK)
        at->status = mine;
    mst_status status = find_first(communicator, a, timeout, at);
    if (status == MST_OK && a->first < n_ranks)
        status = tell(communicator, a, rank, timeout, at);
    if (status != MST_OK) {
        if (broken)
            *broken = true;
        return status; // without what MPI may still write to
    }
    status = a->first < n_ranks ? a->told.status : MST_OK;
    if (a != &without_memory)
        free(a);
    return status;
}

mst_status mst_mpi_duplicate(MPI_Comm communicator, double timeout, MPI_Comm *own, mst_error *error) {
    mst_status status = MST_OK;
    agreement without_memory, *a = malloc(sizeof *a);
    MPI_Request request;
    a = a ? a : &without_memory;
    TRY_MPI(MPI_Comm_idup(communicator, &a->made, &request), "duplicating the communicator");
    TRY(mst_mpi_wait(1, &request, timeout, error));
    *own = a->made;
    MPI_Comm_set_errhandler(*own, MPI_ERRORS_RETURN);
    if (a != &without_memory)
        free(a);
fail:
    return status;
}
