// Plans of transforms as parts of other plans of this library, whose team is broken where one of theirs is, and the other way
// round.
#ifndef MST_MPI_FFT_H
#define MST_MPI_FFT_H

#include "team.h"

// mst_mpi_fft_create, mst_mpi_fft_execute and mst_mpi_fft_destroy.
mst_status mst_mpi_fft_make(mst_mpi_team *owner, mst_context *context, const mst_mpi_fft_desc *desc, mst_mpi_fft **out,
                            mst_error *error);
mst_status mst_mpi_fft_run(mst_mpi_team *owner, mst_mpi_fft *plan, void *input, void *output, mst_error *error);
void mst_mpi_fft_drop(const mst_mpi_team *owner, mst_mpi_fft *plan);

#endif
