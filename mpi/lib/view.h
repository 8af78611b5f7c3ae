// A local transform or convolution. Where the device works in the host's memory, it is lent the arrays there as they are: they
// would otherwise be copied to blocks of the device's and back.
#ifndef MST_MPI_VIEW_H
#define MST_MPI_VIEW_H

#include <mastaba/mpi.h>

enum { MST_MPI_MOST_VIEWED = 3 };

typedef struct mst_mpi_view {
    mst_context *context;
    // One of these is NULL. The other one is the caller's plan, which outlives the view.
    mst_fft *fft;
    mst_convolution *convolution;
    int n;                             // This is the number of arrays, of which the last one is the result.
    size_t bytes[MST_MPI_MOST_VIEWED]; // Each array ends behind so many. They are all 0 where none is lent.
} mst_mpi_view;

// Nothing is lent where arrays on the host would pass through the device in panels: the plan then holds what these take.
mst_mpi_view mst_mpi_view_make(mst_context *context, mst_fft *fft, const mst_layout *input, const mst_layout *output);
mst_mpi_view mst_mpi_view_convolution(mst_context *context, mst_convolution *convolution, const mst_convolution_desc *desc);

// This is mst_fft_execute or mst_convolution_execute of the view's n arrays. Operands may be the same memory.
mst_status mst_mpi_view_execute(const mst_mpi_view *v, const mst_location *at, mst_error *error);

#endif
