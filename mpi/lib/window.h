// Memory that the ranks of a host see of one another: an exchange within a host is one copy, from where one rank's transform
// left its result to where the other's reads it.
#ifndef MST_MPI_WINDOW_H
#define MST_MPI_WINDOW_H

#include "agree.h"

typedef struct mst_mpi_window {
    MPI_Comm host;
    MPI_Win memory;
    void *own;
    void **of; // of each rank of the communicator, itself too; NULL: on another host
} mst_mpi_window;

// Of so many bytes of this rank's. *out is the caller's; NULL where the host has no other rank, or no room for it (Docker, say,
// leaves its containers 64 MiB), which is no failure. Collective over the communicator, also where it fails: *out is then to be
// destroyed when all ranks know that one of them failed.
mst_status mst_mpi_window_create(MPI_Comm communicator, size_t bytes, mst_mpi_window **out, mst_error *error);
void mst_mpi_window_destroy(mst_mpi_window *w); // collective over the ranks of the host; accepts NULL

// What this rank wrote is there for others, and what they wrote for it, when they have told each other so by messages.
void mst_mpi_window_sync(const mst_mpi_window *w);

#endif
