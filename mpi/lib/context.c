#include "agree.h"
#include "build.h"
#include "description.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INDEX_BYTES = 24 };

// The ranks of this host, and the devices that they share.
typedef struct host {
    int rank, n_ranks; // among those of the host
    size_t *devices;   // their places in mst_devices_list
    size_t n;
} host;

static mst_status count_ranks(MPI_Comm communicator, host *h, mst_error *error) {
    mst_status status = MST_OK;
    MPI_Comm here;
    TRY_MPI(MPI_Comm_split_type(communicator, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here), "finding the ranks of a host");
    MPI_Comm_rank(here, &h->rank);
    MPI_Comm_size(here, &h->n_ranks);
    MPI_Comm_free(&here);
fail:
    return status;
}

// Ranks of unlike builds might choose unlike layouts, and wait for what none sends.
static mst_status compare_builds(MPI_Comm communicator, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t mine = mst_mpi_build(), first = mine;
    TRY_MPI(MPI_Bcast(&first, 1, MPI_UINT64_T, 0, communicator), "comparing builds of ranks");
    REQUIRE(first == mine, MST_ERROR_ARGUMENT,
            "this rank has another build of Mastaba (%s here) than rank 0; give all hosts the same one", mst_version());
fail:
    return status;
}

static mst_status allocate(size_t n, host *h, mst_error *error) {
    h->devices = calloc(n + 1, sizeof *h->devices);
    return h->devices ? MST_OK : mst_mpi_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for a list of devices");
}

// All available devices of the default's type, the default first.
static mst_status find_alike(host *h, mst_error *error) {
    mst_status status = MST_OK;
    mst_device_info **list = NULL;
    size_t n = 0, first = 0;
    TRY(mst_devices_list(&list, &n, error));
    TRY(allocate(n, h, error));
    while (first < n && !list[first]->is_default)
        first++;
    for (size_t i = first; i < n + first; i++)
        if (list[i % n]->available && list[i % n]->type == list[first % n]->type)
            h->devices[h->n++] = i % n;
fail:
    mst_devices_free(list);
    return status;
}

// The devices that a description names, by way of a context; none where one of them is cut into parts, which have no names.
static mst_status find_named(const mst_context_desc *desc, host *h, mst_error *error) {
    mst_status status = MST_OK;
    mst_context *context = NULL;
    TRY(mst_context_create(desc, &context, error));
    TRY(allocate(mst_context_n_devices(context), h, error));
    for (size_t i = 0; i < mst_context_n_devices(context); i++) {
        h->devices[i] = mst_context_device_at(context, i)->index;
        if (i > 0 && h->devices[i] == h->devices[i - 1])
            goto fail;
    }
    h->n = mst_context_n_devices(context);
fail:
    mst_context_destroy(context);
    return status;
}

// What the ranks that share a device leave each other, where the description leaves it open.
static mst_status divide(const host *h, size_t device, mst_context_desc *desc, mst_error *error) {
    mst_device_info **list = NULL;
    size_t n = 0;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    mst_status status = mst_devices_list(&list, &n, error);
    if (status != MST_OK)
        return status;
    uint64_t sharers = ((uint64_t)h->n_ranks + h->n - 1) / h->n;
    if (!desc->device_memory && sharers > 1 && device < n)
        desc->device_memory = list[device]->memory_bytes / 4 * 3 / sharers;
    if (!desc->host_memory)
        desc->host_memory = ((uint64_t)1 << 30) / (uint64_t)h->n_ranks;
    if (!desc->copy_threads)
        desc->copy_threads = cores * 3 / 4 > h->n_ranks ? (unsigned)(cores * 3 / 4 / h->n_ranks) : 1;
    mst_devices_free(list);
    return MST_OK;
}

// A description with this rank's devices in place of all.
static mst_status create_own(const host *h, mst_context_desc desc, bool one, mst_context **out, mst_error *error) {
    size_t first = (size_t)h->rank % h->n, n = 1;
    if (!one && h->n >= (size_t)h->n_ranks) {
        first = h->n * (size_t)h->rank / (size_t)h->n_ranks;
        n = h->n * ((size_t)h->rank + 1) / (size_t)h->n_ranks - first;
    }
    mst_status status = divide(h, h->devices[first], &desc, error);
    char(*texts)[INDEX_BYTES] = calloc(n, sizeof *texts);
    const char **names = calloc(n, sizeof *names);
    if (status == MST_OK && (!texts || !names))
        status = mst_mpi_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for a list of devices");
    for (size_t i = 0; i < n && names && status == MST_OK; i++) {
        snprintf(texts[i], sizeof texts[i], "%zu", h->devices[first + i]);
        names[i] = texts[i];
    }
    desc.device = NULL;
    desc.devices = names;
    desc.n_devices = n;
    if (status == MST_OK)
        status = mst_context_create(&desc, out, error);
    free(texts);
    free(names);
    return status;
}

static mst_status create(MPI_Comm communicator, const mst_context_desc *given, mst_context **out, mst_error *error) {
    mst_status status = MST_OK;
    host h = {.n_ranks = 1};
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    const bool environment = getenv("MASTABA_DEVICE") != NULL;
    TRY(count_ranks(communicator, &h, error)); // collective: before anything that can fail on one rank alone
    TRY(compare_builds(communicator, error));
    REQUIRE(out, MST_ERROR_ARGUMENT, "out must not be NULL");
    *out = NULL;
    if (given)
        TRY(mst_mpi_description_read(MST_MPI_DESCRIPTION(mst_context_desc, "desc", MST_CONTEXT_DESC_INIT, device), given, &desc,
                                     error));
    const bool named = desc.device || desc.n_devices;
    if (desc.opencl_context || (h.n_ranks == 1 && !named)) {
        TRY(mst_context_create(&desc, out, error));
        return MST_OK;
    }
    if (named || environment)
        TRY(find_named(&desc, &h, error));
    else
        TRY(find_alike(&h, error));
    if (h.n)
        TRY(create_own(&h, desc, !named && !environment, out, error));
    else
        TRY(mst_context_create(&desc, out, error));
fail:
    free(h.devices);
    return status;
}

mst_status mst_mpi_context_create(MPI_Comm communicator, const mst_context_desc *desc, mst_context **out, mst_error *error) {
    mst_status mine = create(communicator, desc, out, error), status = mst_mpi_agree(communicator, mine, 0, NULL, error);
    if (status != MST_OK && out) {
        mst_context_destroy(*out);
        *out = NULL;
    }
    return status;
}
