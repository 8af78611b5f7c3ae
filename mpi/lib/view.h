// A local transform. Where the device works in the host's memory, arrays there are the device's as they are: the blocks that
// they otherwise go in would be copied there and back.
#ifndef MST_MPI_VIEW_H
#define MST_MPI_VIEW_H

#include <mastaba/mpi.h>

typedef struct mst_mpi_view {
    mst_context *context;
    mst_fft *fft;    // the caller's
    size_t bytes[2]; // of input and output, up to the last element of each; 0: they go in blocks
} mst_mpi_view;

mst_mpi_view mst_mpi_view_make(mst_context *context, mst_fft *fft, const mst_layout *input, const mst_layout *output);

// mst_fft_execute.
mst_status mst_mpi_view_execute(const mst_mpi_view *v, mst_location input, mst_location output, mst_error *error);

#endif
