// A convolution over ranks as transforms of padded arrays. Knows neither MPI nor devices.
#ifndef MST_MPI_FRAME_H
#define MST_MPI_FRAME_H

#include <mastaba/mpi.h>

#include <stdbool.h>

enum { MST_MPI_X, MST_MPI_Y, MST_MPI_Z };

// What there is to know without MPI.
typedef struct mst_mpi_frame {
    mst_layout whole[3];
    mst_mpi_fft_desc forward, inverse;
    bool is_along[MST_MAX_RANK]; // convolved along
    size_t kept[MST_MAX_RANK];   // where the result begins in the padded one
    bool is_backwards;           // y is turned round when it is read, and conjugated
    bool is_conjugated;          // its spectrum is: of a correlation in a circle
    bool is_empty;               // the result is
} mst_mpi_frame;

// What a rank has of a side.
typedef struct mst_mpi_operand {
    mst_mpi_part part;
    size_t at[MST_MAX_RANK]; // in its padded array
} mst_mpi_operand;

mst_status mst_mpi_frame_make(const mst_convolution_desc *desc, mst_mpi_cut cut, double timeout, mst_mpi_frame *f,
                              mst_error *error);

// What a rank has of the padded array, without gaps, of its spectrum, and of operands and result. Both transforms get the strides
// of the first two. Of an empty result only the last.
mst_status mst_mpi_frame_parts(mst_mpi_frame *f, int n_ranks, int rank, mst_mpi_part *padded, mst_mpi_part *spectrum,
                               mst_mpi_operand *operands, mst_error *error);

// An axis along which an operand has one element, which goes with all of the other's; and one that is turned round.
bool mst_mpi_frame_repeats(const mst_mpi_frame *f, int side, int axis);
bool mst_mpi_frame_turns(const mst_mpi_frame *f, int side, int axis);

size_t mst_mpi_layout_elements(const mst_layout *layout);
size_t mst_mpi_part_bytes(const mst_mpi_part *part);

#endif
