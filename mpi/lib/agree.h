// Ranks that wait for one another, with an end to it, and that end with one status.
#ifndef MST_MPI_AGREE_H
#define MST_MPI_AGREE_H

#include "fail.h"

// Waits until all requests are done; MST_ERROR_IO after `timeout` seconds (0: never) without one that ended. The processor is
// given to others meanwhile: there may be more ranks than cores. After a failure MPI may still write to what the requests name,
// until the job has ended: it must not be freed, nor lie on a stack.
mst_status mst_mpi_wait(int n, MPI_Request *requests, double timeout, mst_error *error);

// The status of the lowest rank that failed, everywhere, with its message; `error` holds this rank's where `mine` is not MST_OK.
// *broken (unless NULL) is set where waiting for the others failed, after which nothing collective can be done.
mst_status mst_mpi_agree(MPI_Comm communicator, mst_status mine, double timeout, bool *broken, mst_error *error);

// A communicator of the library's own, with MPI_ERRORS_RETURN, for MPI_Comm_free.
mst_status mst_mpi_duplicate(MPI_Comm communicator, double timeout, MPI_Comm *own, mst_error *error);

#endif
