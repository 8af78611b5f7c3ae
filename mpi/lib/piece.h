// What two ranks have for one another in an exchange. Knows neither MPI nor devices.
#ifndef MST_MPI_PIECE_H
#define MST_MPI_PIECE_H

#include "steps.h"

enum { MST_MPI_MOST_BYTES = 1 << 30 }; // of one message

// Seen from one of the two.
typedef struct mst_mpi_piece {
    int peer;
    mst_mpi_box box;
    size_t offset; // in elements: where the box begins in this rank's part
    size_t bytes;
    bool in_place; // it lies in one piece there, in the order of the message
    char *packed;  // where it goes otherwise
} mst_mpi_piece;

// What `rank` sends to `peer` in the exchange behind a step (out), or gets from it; false: nothing. What it keeps is for itself.
bool mst_mpi_piece_make(const mst_mpi_steps *s, int step, bool out, int rank, int peer, mst_mpi_piece *p);

size_t mst_mpi_piece_messages(const mst_mpi_piece *p);

#endif
