// What receivers and monitors of a grid that ranks share have found, for all of them.
#include "stencil.h"

#include <math.h>
#include <string.h>

// What a rank does not know is NaN there: it gives 0, and others their bits less those of NaN, so that the bits of the one that
// knows are left, and NaN where all have that.
static const uint64_t UNKNOWN = 0x7ff8000000000000;

static void turn(double *values, size_t n, bool encode) {
    for (size_t i = 0; i < n; i++) {
        uint64_t word;
        memcpy(&word, &values[i], sizeof word);
        word = encode && isnan(values[i]) ? 0 : word ^ UNKNOWN;
        memcpy(&values[i], &word, sizeof word);
    }
}

mst_status mst_mpi_stencil_share(mst_mpi_stencil *s, MPI_Comm communicator, bool of_first, void *numbers, size_t n,
                                 mst_error *error) {
    mst_status status = MST_OK;
    MPI_Request request;
    for (size_t begin = 0, m; begin < n; begin += m) {
        char *at = (char *)numbers + 8 * begin;
        m = n - begin < MST_MPI_AT_ONCE ? n - begin : MST_MPI_AT_ONCE;
        memcpy(s->bits, at, 8 * m);
        if (of_first)
            TRY_MPI(MPI_Ibcast(s->bits, (int)m, MPI_UINT64_T, 0, communicator, &request), "what the first rank found");
        else
            TRY_MPI(MPI_Iallreduce(MPI_IN_PLACE, s->bits, (int)m, MPI_UINT64_T, MPI_BXOR, communicator, &request),
                    "what ranks found");
        TRY(mst_mpi_wait(1, &request, s->team.timeout, error));
        memcpy(at, s->bits, 8 * m);
    }
    return MST_OK;
fail:
    s->team.broken = true; // MPI may still read or write `bits`
    return status;
}

static mst_status combine(mst_mpi_stencil *s, double *values, size_t n, mst_error *error) {
    turn(values, n, true);
    const mst_status status = mst_mpi_stencil_share(s, s->team.communicator, false, values, n, error);
    turn(values, n, false);
    return status;
}

static mst_status read_own(const mst_mpi_stencil *s, size_t receiver, uint64_t first, uint64_t count, double *values, size_t *n,
                           mst_error *error) {
    mst_status status = MST_OK;
    REQUIRE(values, MST_ERROR_ARGUMENT, "values must not be NULL");
    REQUIRE(receiver < s->n_receivers, MST_ERROR_ARGUMENT, "there is no receiver %zu; there are %zu", receiver, s->n_receivers);
    *n = (size_t)count * s->points[receiver];
    for (size_t i = 0; i < *n && !s->solver; i++)
        values[i] = NAN;
    if (s->solver)
        TRY(mst_stencil_read_receiver(s->solver, receiver, first, count, values, error));
fail:
    return status;
}

mst_status mst_mpi_stencil_read_receiver(mst_mpi_stencil *s, size_t receiver, uint64_t first, uint64_t count, double *values,
                                         mst_error *error) {
    size_t n = 0;
    mst_status status = mst_mpi_stencil_check(s, error);
    if (status != MST_OK)
        return status;
    status = read_own(s, receiver, first, count, values, &n, error);
    status = mst_mpi_team_agree(&s->team, status, error);
    return status == MST_OK ? combine(s, values, n, error) : status;
}

// ---- Monitors, whose values all ranks with planes have

static mst_status tell(mst_mpi_stencil *s, double *values, size_t n, mst_error *error) {
    return s->idle ? mst_mpi_stencil_share(s, s->team.communicator, true, values, n, error) : MST_OK;
}

static mst_status check(const mst_mpi_stencil *s, size_t monitor, const double *values, mst_error *error) {
    mst_status status = MST_OK;
    REQUIRE(values, MST_ERROR_ARGUMENT, "values must not be NULL");
    REQUIRE(monitor < s->n_monitors, MST_ERROR_ARGUMENT, "there is no monitor %zu; there are %zu", monitor, s->n_monitors);
fail:
    return status;
}

mst_status mst_mpi_stencil_read_monitor(mst_mpi_stencil *s, size_t monitor, uint64_t first, uint64_t count, double *values,
                                        mst_error *error) {
    mst_status status = mst_mpi_stencil_check(s, error);
    if (status != MST_OK)
        return status;
    status = check(s, monitor, values, error);
    if (status == MST_OK && s->solver)
        status = mst_stencil_read_monitor(s->solver, monitor, first, count, values, error);
    status = mst_mpi_team_agree(&s->team, status, error);
    return status == MST_OK ? tell(s, values, (size_t)count * s->n_runs, error) : status;
}

mst_status mst_mpi_stencil_measure(mst_mpi_stencil *s, size_t monitor, double *values, mst_error *error) {
    mst_status status = mst_mpi_stencil_check(s, error);
    if (status != MST_OK)
        return status;
    const mst_stencil_meeting with = mst_mpi_stencil_meeting(s);
    status = check(s, monitor, values, error);
    if (status == MST_OK && s->is_lost)
        status =
            mst_mpi_fail(error, MST_ERROR_ARGUMENT, "the state was lost in a run that failed; write every field, and resume");
    status = mst_mpi_team_agree(&s->team, status, error);
    if (status != MST_OK)
        return status;
    if (s->solver)
        status = s->is_part ? mst_stencil_measure_part(s->solver, monitor, &with, values, error)
                            : mst_stencil_measure(s->solver, monitor, values, error);
    if (!s->team.broken)
        status = mst_mpi_team_agree(&s->team, status, error);
    return status == MST_OK ? tell(s, values, s->n_runs, error) : status;
}
