// A local transform or convolution. Where the device works in the host's memory, arrays there are the device's as they are: the
// blocks that they otherwise go in would be copied there and back.
#ifndef MST_MPI_VIEW_H
#define MST_MPI_VIEW_H

#include <mastaba/mpi.h>

enum { MST_MPI_MOST_VIEWED = 3 };

typedef struct mst_mpi_view {
    mst_context *context;
    mst_fft *fft;                      // the caller's;
    mst_convolution *convolution;      // one of both
    int n;                             // arrays, the result last,
    size_t bytes[MST_MPI_MOST_VIEWED]; // up to the last element of each; 0: all go in blocks
} mst_mpi_view;

mst_mpi_view mst_mpi_view_make(mst_context *context, mst_fft *fft, const mst_layout *input, const mst_layout *output);
mst_mpi_view mst_mpi_view_convolution(mst_context *context, mst_convolution *convolution, const mst_convolution_desc *desc);

// mst_fft_execute or mst_convolution_execute of the n arrays.
mst_status mst_mpi_view_execute(const mst_mpi_view *v, const mst_location *at, mst_error *error);

#endif
