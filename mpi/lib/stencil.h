// A grid that ranks share, within: stencil.c makes it, stencil_run.c runs it, stencil_found.c gives what it found.
#ifndef MST_MPI_STENCIL_H
#define MST_MPI_STENCIL_H

#include "team.h"

// What ranks agree on between pieces of a run: the largest of what each says.
enum { MST_MPI_FAILED, MST_MPI_STOP, MST_MPI_ENDED, MST_MPI_LOOK, MST_MPI_NEXT, MST_MPI_STEP, MST_MPI_WORDS };

struct mst_mpi_stencil {
    mst_mpi_team team;
    MPI_Comm parts; // of the ranks that have planes
    mst_context *context;
    mst_stencil *solver; // of this rank's brick; NULL: it has none
    int rank;            // axes of the grid, with that of an ensemble's runs
    mst_stencil_brick brick;
    bool is_part;          // false: it has the whole grid, or nothing
    int n_slowest;         // bricks along the slowest axis that have nodes
    bool idle;             // some rank has no nodes
    int beside[2];         // the ranks below and above, where the slowest axis alone is cut; this one itself: none
    void *given, *taken;   // what all neighbours are given, and give
    MPI_Request *requests; // persistent: those of an exchange, the receiving ones first
    int n_requests;
    uint64_t left;        // steps until the next exchange: as many on all ranks, whatever fails on some of them
    uint64_t exchanges;   // of the piece so far
    uint64_t step;        // that all have reached
    uint64_t until_every; // 0: there is no condition
    bool ended;           // it holds
    bool is_lost;         // the state, in a run that failed
    uint64_t nodes;       // of the whole grid
    uint64_t mine[MST_MPI_WORDS], all[MST_MPI_WORDS];
    uint64_t trip;       // steps that the solver does at once, of a part with halos those between two exchanges
    double step_seconds; // of the first rank, by its last piece; 0: not known
    size_t n_runs, n_monitors, n_receivers;
    size_t *points; // of each receiver, those of all runs
    uint64_t *bits; // room for MST_MPI_AT_ONCE numbers on their way
    mst_error lost; // how, where no caller was told
};

// Numbers of a message or a reduction; tags of halos, which are numbers of sides, and of what monitors find.
enum { MST_MPI_AT_ONCE = 1 << 17, MST_MPI_SIDES = 27, MST_MPI_TAG_LOOK = MST_MPI_SIDES };

// Puts numbers of 8 bytes in place of what each rank of the communicator gives: those of the first one, or the exclusive or of
// all.
mst_status mst_mpi_stencil_share(mst_mpi_stencil *s, MPI_Comm communicator, bool of_first, void *numbers, size_t n,
                                 mst_error *error);

// How this rank's part looks at the grid together with the others (mst_stencil_meeting).
mst_stencil_meeting mst_mpi_stencil_meeting(mst_mpi_stencil *s);

// MST_ERROR_ARGUMENT, MST_ERROR_IO: there is no solver, or none with which anything collective can be done.
mst_status mst_mpi_stencil_check(const mst_mpi_stencil *s, mst_error *error);

#endif
