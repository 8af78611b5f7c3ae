#include "agree.h"
#include "box.h"

#include <stdlib.h>

// Bytes of each rank's share, and where they begin.
static mst_status find_shares(int n_ranks, size_t n_sets, size_t each, int *bytes, int *starts, mst_error *error) {
    if (n_sets > INT32_MAX / sizeof(mst_integral_result) / each)
        return mst_mpi_fail(error, MST_ERROR_ARGUMENT, "%zu results are more than a message holds; give fewer at once", n_sets);
    for (int rank = 0; rank < n_ranks; rank++) {
        size_t start, count;
        mst_mpi_share(n_sets, n_ranks, rank, &start, &count);
        bytes[rank] = (int)(count * each * sizeof(mst_integral_result));
        starts[rank] = (int)(start * each * sizeof(mst_integral_result));
    }
    return MST_OK;
}

mst_status mst_mpi_integral_execute(MPI_Comm communicator, mst_integral *plan, const double *parameters, size_t n_parameters,
                                    size_t n_sets, mst_integral_result *results, double timeout, mst_error *error) {
    int rank, n_ranks;
    MPI_Request request;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &n_ranks);
    int *shares = calloc(2 * (size_t)n_ranks, sizeof *shares);
    double wait = mst_mpi_check_timeout(timeout, NULL) == MST_OK ? timeout : MST_MPI_DEFAULT_TIMEOUT;
    size_t start, count, each = plan ? (size_t)mst_integral_n_components(plan) : 1;
    mst_mpi_share(n_sets, n_ranks, rank, &start, &count);
    mst_status status = shares ? find_shares(n_ranks, n_sets, each, shares, shares + n_ranks, error)
                               : mst_mpi_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for the shares of %d ranks", n_ranks);
    if (status == MST_OK)
        status = mst_mpi_check_timeout(timeout, error);
    if (status == MST_OK && !results)
        status = mst_mpi_fail(error, MST_ERROR_ARGUMENT, "results must not be NULL");
    if (status == MST_OK && count > 0)
        status = mst_integral_execute(plan, parameters ? parameters + start * n_parameters : NULL, count, results + start * each,
                                      NULL, error);
    TRY(mst_mpi_agree(communicator, status, wait, NULL, error));
    TRY_MPI(
        MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, results, shares, shares + n_ranks, MPI_BYTE, communicator, &request),
        "gathering results");
    status = mst_mpi_wait(1, &request, wait, error);
    if (status != MST_OK)
        return status; // NOLINT(clang-analyzer-unix.Malloc): MPI may still read the shares
fail:
    free(shares);
    return status;
}
