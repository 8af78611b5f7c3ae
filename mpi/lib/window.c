#include "window.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

static const char place[] = "/dev/shm"; // where Open MPI and MPICH have such memory
static const double most = 0.9;         // of what is free there
static const uintptr_t page = 4096;

static uint64_t room(void) {
    struct statvfs found;
    return statvfs(place, &found) == 0 ? (uint64_t)(most * (double)found.f_bavail * (double)found.f_frsize) : UINT64_MAX;
}

// Where memory begins with a page, which is the same place for all that see it: processes map whole pages. Open MPI has words of
// its own before it.
static void *aligned(void *memory) { return (char *)memory + (page - (uintptr_t)memory % page) % page; }

// Whether all ranks of the host find room for all of them. Each has to ask: what is not there is a signal later, not a status.
static mst_status has_room(MPI_Comm host, size_t bytes, bool *has, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t all = bytes, least = room();
    TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_UINT64_T, MPI_SUM, host), "asking for memory of a host");
    TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &least, 1, MPI_UINT64_T, MPI_MIN, host), "asking for memory of a host");
    *has = all <= least;
fail:
    return status;
}

static mst_status allocate(mst_mpi_window *w, size_t bytes, mst_error *error) {
    mst_status status = MST_OK;
    int done = MPI_Win_allocate_shared((MPI_Aint)bytes, 1, MPI_INFO_NULL, w->host, &w->own, &w->memory) == MPI_SUCCESS;
    if (done) {
        memset(w->own, 0, bytes); // what is not written to is still counted as free, by the next plan
        w->own = aligned(w->own);
        MPI_Win_set_errhandler(w->memory, MPI_ERRORS_RETURN);
    }
    TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &done, 1, MPI_INT, MPI_MIN, w->host), "allocating memory of a host");
    if (done) {
        TRY_MPI(MPI_Win_lock_all(MPI_MODE_NOCHECK, w->memory), "opening memory of a host");
    } else { // some ranks may have one, whose MPI_Win_free would wait for those that have none: MPI keeps it until it ends
        w->own = NULL;
        w->memory = MPI_WIN_NULL;
    }
fail:
    return status;
}

// Where the others of the host have theirs, by their numbers in the communicator.
static mst_status find_others(mst_mpi_window *w, MPI_Comm communicator, mst_error *error) {
    mst_status status = MST_OK;
    MPI_Group all = MPI_GROUP_NULL, here = MPI_GROUP_NULL;
    int n;
    MPI_Comm_size(w->host, &n);
    TRY_MPI(MPI_Comm_group(communicator, &all), "finding the ranks of a host");
    TRY_MPI(MPI_Comm_group(w->host, &here), "finding the ranks of a host");
    for (int i = 0; i < n; i++) {
        MPI_Aint bytes;
        int unit, number;
        void *base;
        TRY_MPI(MPI_Group_translate_ranks(here, 1, &i, all, &number), "finding the ranks of a host");
        TRY_MPI(MPI_Win_shared_query(w->memory, i, &bytes, &unit, &base), "finding memory of a host");
        w->of[number] = aligned(base);
    }
fail:
    if (all != MPI_GROUP_NULL)
        MPI_Group_free(&all);
    if (here != MPI_GROUP_NULL)
        MPI_Group_free(&here);
    return status;
}

mst_status mst_mpi_window_create(MPI_Comm communicator, size_t bytes, mst_mpi_window **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_mpi_window *w = *out = calloc(1, sizeof *w);
    MPI_Comm host = MPI_COMM_NULL;
    int n_ranks, n_here, has_memory;
    bool has = false;
    if (w)
        *w = (mst_mpi_window){MPI_COMM_NULL, MPI_WIN_NULL, NULL, NULL};
    bytes = (bytes + page - 1) / page * page + page; // some also for a rank without any: it is on the host
    MPI_Comm_size(communicator, &n_ranks);
    TRY_MPI(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), "finding the ranks of a host");
    MPI_Comm_set_errhandler(host, MPI_ERRORS_RETURN);
    MPI_Comm_size(host, &n_here);
    if (w)
        *w = (mst_mpi_window){host, MPI_WIN_NULL, NULL, calloc((size_t)n_ranks, sizeof *w->of)};
    has_memory = w && w->of;
    TRY_MPI(MPI_Allreduce(MPI_IN_PLACE, &has_memory, 1, MPI_INT, MPI_MIN, host), "asking for memory of a host");
    if (n_here > 1 && has_memory)
        TRY(has_room(host, bytes, &has, error));
    if (has && w)
        TRY(allocate(w, bytes, error));
    if (has && w && w->memory != MPI_WIN_NULL)
        return find_others(w, communicator, error);
    if (!w)
        MPI_Comm_free(&host);
    mst_mpi_window_destroy(w);
    *out = NULL;
fail:
    return status;
}

void mst_mpi_window_destroy(mst_mpi_window *w) {
    if (!w)
        return;
    if (w->memory != MPI_WIN_NULL) {
        MPI_Win_unlock_all(w->memory);
        MPI_Win_free(&w->memory);
    }
    if (w->host != MPI_COMM_NULL)
        MPI_Comm_free(&w->host);
    free(w->of);
    free(w);
}

void mst_mpi_window_sync(const mst_mpi_window *w) {
    if (w)
        MPI_Win_sync(w->memory);
}
