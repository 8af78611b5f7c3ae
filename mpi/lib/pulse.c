#include "pulse.h"

#include "agree.h"

#include <stdlib.h>

enum { PULSES = 8, TAG = 2 }; // in the time that a rank waits; of their messages

mst_status mst_mpi_pulse_create(MPI_Comm communicator, double timeout, mst_mpi_pulse **out, mst_error *error) {
    mst_status status = MST_OK;
    int rank, n_ranks;
    mst_mpi_pulse *p = calloc(1, sizeof *p);
    REQUIRE(p, MST_ERROR_HOST_MEMORY, "out of memory for signs of life");
    *p = (mst_mpi_pulse){.timeout = timeout, .send = MPI_REQUEST_NULL, .receive = MPI_REQUEST_NULL};
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &n_ranks);
    TRY_MPI(MPI_Send_init(&p->out, 1, MPI_INT, (rank + n_ranks - 1) % n_ranks, TAG, communicator, &p->send), "a sign of life");
    TRY_MPI(MPI_Recv_init(&p->in, 1, MPI_INT, (rank + 1) % n_ranks, TAG, communicator, &p->receive), "a sign of life");
    *out = p;
    return MST_OK;
fail:
    mst_mpi_pulse_destroy(p);
    return status;
}

void mst_mpi_pulse_destroy(mst_mpi_pulse *p) {
    if (!p)
        return;
    if (p->send != MPI_REQUEST_NULL)
        MPI_Request_free(&p->send);
    if (p->receive != MPI_REQUEST_NULL)
        MPI_Request_free(&p->receive);
    free(p);
}

mst_status mst_mpi_pulse_begin(mst_mpi_pulse *p, mst_error *error) {
    mst_status status = MST_OK;
    if (!p)
        return MST_OK;
    p->sent = p->heard = MPI_Wtime();
    p->out = 0;
    p->ended = false;
    TRY_MPI(MPI_Start(&p->receive), "a sign of life");
fail:
    return status;
}

// What has been received, which MPI may have written to `in` before: the last one of the next rank's run, or another one follows.
static mst_status take(mst_mpi_pulse *p, mst_error *error) {
    mst_status status = MST_OK;
    p->ended = p->in == 1;
    if (!p->ended)
        TRY_MPI(MPI_Start(&p->receive), "a sign of life");
fail:
    return status;
}

static mst_status hear(mst_mpi_pulse *p, double now, mst_error *error) {
    mst_status status = MST_OK;
    int done = 0;
    if (p->ended)
        return MST_OK;
    TRY_MPI(MPI_Test(&p->receive, &done, MPI_STATUS_IGNORE), "a sign of life");
    if (!done)
        return MST_OK;
    p->heard = now;
    TRY(take(p, error));
fail:
    return status;
}

mst_status mst_mpi_pulse_beat(mst_mpi_pulse *p, mst_error *error) {
    mst_status status = MST_OK;
    if (!p)
        return MST_OK;
    const double now = MPI_Wtime();
    int done = 0;
    TRY(hear(p, now, error));
    if (p->sending)
        TRY_MPI(MPI_Test(&p->send, &done, MPI_STATUS_IGNORE), "a sign of life");
    p->sending = p->sending && !done;
    if (p->sending || now - p->sent < p->timeout / PULSES)
        return MST_OK;
    TRY_MPI(MPI_Start(&p->send), "a sign of life");
    p->sending = true;
    p->sent = now;
fail:
    return status;
}

mst_status mst_mpi_pulse_end(mst_mpi_pulse *p, mst_error *error) {
    mst_status status = MST_OK;
    if (!p)
        return MST_OK;
    if (p->sending)
        TRY(mst_mpi_wait(1, &p->send, p->timeout, error));
    p->out = 1;
    TRY_MPI(MPI_Start(&p->send), "a sign of life");
    while (!p->ended) {
        TRY(mst_mpi_wait(1, &p->receive, p->timeout, error));
        TRY(take(p, error));
    }
    TRY(mst_mpi_wait(1, &p->send, p->timeout, error));
    p->sending = false;
fail:
    return status;
}
