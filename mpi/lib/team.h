// What all ranks make together, run together and give back together: plans and solvers.
#ifndef MST_MPI_TEAM_H
#define MST_MPI_TEAM_H

#include "agree.h"

// Plans and solvers begin with it.
typedef struct mst_mpi_team {
    MPI_Comm communicator; // their own,
    int rank, n_ranks;     // of it
    double timeout;
    bool broken; // ranks were lost: nothing collective can be done any more, and MPI may still write to memory
} mst_mpi_team;

// How one kind of them is made of `bytes` zeros behind the team.
typedef struct mst_mpi_kind {
    size_t bytes;
    mst_status (*prepare)(void *half_made, void *request, mst_error *error);  // what needs no other rank
    mst_status (*complete)(void *half_made, void *request, mst_error *error); // then what all do, with one status for all
    void (*destroy)(void *half_made);                                         // also if it was prepared in part only
} mst_mpi_kind;

// Makes one, which is the caller's, into *out, a pointer to the kind; NULL on failure, of which nothing is left. Without `out`
// that is MST_ERROR_ARGUMENT, as is a timeout that is none. *broken (or NULL): the ranks were lost meanwhile. Collective.
mst_status mst_mpi_make(MPI_Comm communicator, double timeout, const mst_mpi_kind *kind, void *request, void *out, bool *broken,
                        mst_error *error);

// mst_mpi_agree of a team.
mst_status mst_mpi_team_agree(mst_mpi_team *team, mst_status mine, mst_error *error);

#endif
