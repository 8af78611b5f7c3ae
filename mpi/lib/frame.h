// A convolution over ranks as transforms along some of its axes, for which arrays are padded, and a convolution along the others,
// which each rank has whole between them. Knows neither MPI nor devices.
#ifndef MST_MPI_FRAME_H
#define MST_MPI_FRAME_H

#include "part.h"

enum { MST_MPI_X, MST_MPI_Y, MST_MPI_Z, MST_MPI_OPERANDS };

// What a rank has of a side.
typedef struct mst_mpi_operand {
    mst_mpi_part part, padded, spectrum; // padded: without gaps
    size_t at[MST_MAX_RANK];             // where it begins in the padded one
} mst_mpi_operand;

// What there is to know without MPI.
typedef struct mst_mpi_frame {
    int n_ranks, rank;
    mst_layout whole[MST_MPI_OPERANDS];
    mst_mpi_fft_desc transforms[MST_MPI_OPERANDS]; // made partly (steps.h), the last one back; there are none if it is local
    mst_convolution_desc middle;                   // of this rank's spectra; if it is local, of its parts of the arrays
    bool is_along[MST_MAX_RANK];                   // convolved along
    bool is_middle[MST_MAX_RANK];                  // in the middle, without being transformed before
    size_t kept[MST_MAX_RANK];                     // where the result begins in the padded one
    bool is_backwards;                             // y is turned round when it is read, and conjugated
    bool is_local;                                 // no rank needs what another one has
    bool is_empty;                                 // the result is
    mst_mpi_operand operands[MST_MPI_OPERANDS];    // of an empty result only the parts
} mst_mpi_frame;

// Of this rank of so many.
mst_status mst_mpi_frame_make(const mst_convolution_desc *desc, mst_mpi_cut cut, double timeout, int n_ranks, int rank,
                              mst_mpi_frame *f, mst_error *error);

// What its transforms take, as mst_mpi_fft_needs_of: bytes of those of operands, and of the one back. Spectra of operands lie
// where that reads when they are no longer needed, and that of y behind that of x.
size_t mst_mpi_frame_second(const mst_mpi_frame *f);
mst_status mst_mpi_frame_needs(const mst_mpi_frame *f, mst_mpi_needs *needs, size_t there[MST_MPI_WORK],
                               size_t back[MST_MPI_WORK], mst_error *error);

// An axis along which an operand has one element, which goes with all of the other's; and one that is turned round.
bool mst_mpi_frame_repeats(const mst_mpi_frame *f, int side, int axis);
bool mst_mpi_frame_turns(const mst_mpi_frame *f, int side, int axis);

size_t mst_mpi_layout_elements(const mst_layout *layout);
size_t mst_mpi_part_bytes(const mst_mpi_part *part);

#endif
