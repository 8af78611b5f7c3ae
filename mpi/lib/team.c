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

void *mst_mpi_make(MPI_Comm communicator, double timeout, bool wanted, const mst_mpi_kind *kind, void *request, bool *broken,
                   mst_status *status, mst_error *error) {
    mst_mpi_team team = {.timeout = mst_mpi_check_timeout(timeout, NULL) == MST_OK ? timeout : MST_MPI_DEFAULT_TIMEOUT};
    *status = mst_mpi_duplicate(communicator, team.timeout, &team.communicator, error);
    *broken = *status != MST_OK;
    if (*status != MST_OK) // nothing can be agreed on
        return NULL;
    mst_mpi_team *made = calloc(1, kind->bytes);
    if (made)
        *made = team;
    *status = mst_mpi_team_agree(&team, prepare(made, timeout, wanted, kind, request, error), error);
    if (made)
        made->broken = team.broken;
    if (*status == MST_OK && made)
        *status = kind->complete(made, request, error);
    *broken = made ? made->broken : team.broken;
    if (*status == MST_OK)
        return made;
    if (made)
        kind->destroy(made);
    else if (!team.broken)
        MPI_Comm_free(&team.communicator);
    return NULL;
}

mst_status mst_mpi_team_agree(mst_mpi_team *team, mst_status mine, mst_error *error) {
    return mst_mpi_agree(team->communicator, mine, team->timeout, &team->broken, error);
}
