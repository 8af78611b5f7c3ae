// Signs of life that each rank gives the one before it, around a ring, while it computes or waits. A rank may then wait for
// others whatever they compute, and no longer: if one of them stops, the rank before it hears nothing any more.
#ifndef MST_MPI_PULSE_H
#define MST_MPI_PULSE_H

#include "fail.h"

#include <stdbool.h>

typedef struct mst_mpi_pulse {
    double timeout, sent, heard; // seconds; the latter two as MPI_Wtime counts them
    int out, in;                 // of the messages: 1: the last one of a run
    MPI_Request send, receive;
    bool sending, ended; // ended: the last one has been received, and `receive` is not active
} mst_mpi_pulse;

// Collective. *out is the caller's; destroy accepts NULL. Where MPI may still write to it, it is left.
mst_status mst_mpi_pulse_create(MPI_Comm communicator, double timeout, mst_mpi_pulse **out, mst_error *error);
void mst_mpi_pulse_destroy(mst_mpi_pulse *pulse);

// At the beginning of what all ranks do; then as often as possible; and at the end, when all have come there. A pulse that is
// NULL needs none of it.
mst_status mst_mpi_pulse_begin(mst_mpi_pulse *pulse, mst_error *error);
mst_status mst_mpi_pulse_beat(mst_mpi_pulse *pulse, mst_error *error);
mst_status mst_mpi_pulse_end(mst_mpi_pulse *pulse, mst_error *error);

#endif
