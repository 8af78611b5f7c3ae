// Plans of transforms as parts of other plans of this library, whose team is broken where one of theirs is, and the other way
// round.
#ifndef MST_MPI_FFT_H
#define MST_MPI_FFT_H

#include "part.h"
#include "team.h"
#include "window.h"

// Memory that plans work in, one at a time.
typedef struct mst_mpi_work {
    void *memory[MST_MPI_WORK];
    mst_mpi_window *window; // NULL, or that of what steps write
} mst_mpi_work;

// Collective, and so is its end, which is only for ranks that were not lost.
mst_status mst_mpi_work_make(mst_mpi_team *team, const size_t bytes[MST_MPI_WORK], mst_mpi_work *work, mst_error *error);
void mst_mpi_work_free(mst_mpi_work *work);

// mst_mpi_fft_create, mst_mpi_fft_execute and mst_mpi_fft_destroy, in the owner's work memory, which outlives the plan. An
// inverse transform that is made partly (steps.h) takes its input from where steps write.
mst_status mst_mpi_fft_make(mst_mpi_team *owner, mst_context *context, const mst_mpi_fft_desc *desc, bool partly,
                            const mst_mpi_work *work, mst_mpi_fft **out, mst_error *error);
mst_status mst_mpi_fft_run(mst_mpi_team *owner, mst_mpi_fft *plan, void *input, void *output, mst_error *error);
void mst_mpi_fft_drop(const mst_mpi_team *owner, mst_mpi_fft *plan);

#endif
