// Plans of transforms for other plans of this library.
#ifndef MST_MPI_FFT_H
#define MST_MPI_FFT_H

#include "fail.h"

// mst_mpi_fft_create, which says whether it failed so that nothing collective can be done any more: an error that all ranks
// agree on may be MST_ERROR_IO, too.
mst_status mst_mpi_fft_make(MPI_Comm communicator, mst_context *context, const mst_mpi_fft_desc *desc, mst_mpi_fft **out,
                            bool *broken, mst_error *error);

#endif
