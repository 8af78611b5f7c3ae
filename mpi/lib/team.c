#include "team.h"

#include <stdlib.h>

static mst_status prepare(mst_mpi_team *half_made, double timeout, bool wanted, const mst_mpi_kind *kind, void *request,
                          mst_error *error) {
    mst_status status = MST_OK;
    REQUIRE(half_made, MST_ERROR_HOST_MEMORY, "out of memory");
    TRY(kind->prepare(half_made, request, error));
    TRY(mst_mpi_check_timeout(timeout, error));
    REQUIRE(wanted, MST_ERROR_ARGUMENT, "out must not be NULL");
fail:
    return status;
}

// For a team whose ranks are there. After a failure nothing is left of it, and *out is NULL still.
static mst_status make(mst_mpi_team *team, double timeout, bool wanted, const mst_mpi_kind *kind, void *request, void **out,
                       mst_error *error) {
    mst_mpi_team *made = calloc(1, kind->bytes);
    if (made)
        *made = *team;
    mst_status status = mst_mpi_team_agree(team, prepare(made, timeout, wanted, kind, request, error), error);
    if (made)
        made->broken = team->broken;
    if (status == MST_OK && made)
        status = kind->complete(made, request, error);
    team->broken = made ? made->broken : team->broken;
    if (status == MST_OK)
        *out = made;
    else if (made)
        kind->destroy(made);
    else if (!team->broken)
        MPI_Comm_free(&team->communicator);
    return status;
}

mst_status mst_mpi_make(MPI_Comm communicator, double timeout, const mst_mpi_kind *kind, void *request, void *out, bool *broken,
                        mst_error *error) {
    mst_mpi_team team = {.timeout = mst_mpi_check_timeout(timeout, NULL) == MST_OK ? timeout : MST_MPI_DEFAULT_TIMEOUT};
    void *made = NULL;
    mst_status status = mst_mpi_duplicate(communicator, team.timeout, &team.communicator, error);
    team.broken = status != MST_OK; // nothing can be agreed on
    if (status == MST_OK) {
        MPI_Comm_rank(team.communicator, &team.rank);
        MPI_Comm_size(team.communicator, &team.n_ranks);
        status = make(&team, timeout, out != NULL, kind, request, &made, error);
    }
    if (out)
        *(void **)out = made;
    if (broken)
        *broken = team.broken;
    return status;
}

mst_status mst_mpi_team_agree(mst_mpi_team *team, mst_status mine, mst_error *error) {
    return mst_mpi_agree(team->communicator, mine, team->timeout, &team->broken, error);
}
