// The steps of a transform over several ranks: local transforms along whole axes, with an exchange between one step and the next.
// Knows neither MPI nor devices.
#ifndef MST_MPI_STEPS_H
#define MST_MPI_STEPS_H

#include "box.h"

#include <mastaba/mpi.h>

enum { MST_MPI_MOST_STEPS = 10 };

// One side of a step: what the array is there.
typedef struct mst_mpi_side {
    mst_type type;
    size_t shape[MST_MAX_RANK]; // of the whole array
    int order[MST_MAX_RANK];    // of the axes in a part's memory, the slowest first
} mst_mpi_side;

typedef struct mst_mpi_step {
    mst_mpi_grid grid;
    mst_mpi_side in, out;
    int n_axes; // 0: nothing is transformed, and `in` and `out` are one
    int axes[MST_MAX_AXES];
} mst_mpi_step;

typedef struct mst_mpi_steps {
    int rank, n_ranks, n;
    mst_mpi_step step[MST_MPI_MOST_STEPS];
    int message_order[MST_MPI_MOST_STEPS][MST_MAX_RANK]; // of the axes in the messages of the exchange behind step i
    ptrdiff_t strides[2][MST_MAX_RANK];                  // of the caller's parts at both ends; zeros: not given
} mst_mpi_steps;

// Partly: what is transformed in the last step of a forward transform, or the first one of an inverse, is left to the caller,
// whose part is exchanged there, with these axes the fastest: its strides are not given, as other ranks of the host read it where
// it lies, each of which has its own. Where there is one step, that is all.
mst_status mst_mpi_steps_make(const mst_mpi_fft_desc *desc, bool partly, int n_ranks, mst_mpi_steps *steps, mst_error *error);

mst_type mst_mpi_complex_of(mst_type type); // of the same precision

// A rank's box before or behind a step, and its layout.
mst_mpi_box mst_mpi_step_box(const mst_mpi_steps *s, int step, bool out, int rank);
mst_layout mst_mpi_step_layout(const mst_mpi_steps *s, int step, bool out, int rank);

// The description as this library knows it, whatever the size of the caller's struct.
mst_status mst_mpi_fft_desc_read(const mst_mpi_fft_desc *given, mst_mpi_fft_desc *desc, mst_error *error);

#endif
