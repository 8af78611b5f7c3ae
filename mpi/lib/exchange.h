// An exchange: each rank sends what it holds of other ranks' boxes.
#ifndef MST_MPI_EXCHANGE_H
#define MST_MPI_EXCHANGE_H

#include "agree.h"
#include "steps.h"
#include "window.h"

typedef struct mst_mpi_exchange mst_mpi_exchange;

// What a rank sends in the exchange behind a step, without what it keeps: added to *messages and *bytes.
void mst_mpi_exchange_count(const mst_mpi_steps *s, int step, int rank, uint64_t *messages, uint64_t *bytes);

// Bytes that packed messages of a rank take at most: those that do not lie in one piece where they come from or go to.
size_t mst_mpi_exchange_bytes(const mst_mpi_steps *s, int step, int rank);

// The exchange behind a step. `packed` is of that many bytes at least, and the caller's. With a window, which outlives it, parts
// behind the step lie there, and ranks of a host read each other's in place of messages with them; NULL: there is none.
mst_status mst_mpi_exchange_create(MPI_Comm communicator, const mst_mpi_steps *s, int step, const mst_mpi_window *window,
                                   void *packed, double timeout, mst_mpi_exchange **out, mst_error *error);
void mst_mpi_exchange_destroy(mst_mpi_exchange *x);

// From this rank's part behind the step to its part before the next one. All ranks take part, whatever happened to them.
mst_status mst_mpi_exchange_run(mst_mpi_exchange *x, const void *from, void *to, mst_error *error);

#endif
