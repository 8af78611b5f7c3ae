// The way of blocks between a backing store and windows on the device.
#ifndef MST_STENCIL_STAGING_H
#define MST_STENCIL_STAGING_H

#include "stencil/kernels/stepper.h"
#include "store.h"

// One block on its way in one direction: pinned memory for it, where the store is not direct, and what has been queued.
typedef struct mst_staging {
    cl_mem buffer;
    unsigned char *mapped;
    uint64_t bytes;
    cl_event moved; // the last copy of it, NULL if none is under way
    // A download that has yet to be put into the store.
    bool pending;
    mst_box box;
    mst_window window;
    int first_array, n_arrays;
} mst_staging;

// A piece of the allocation, which has none if the store is direct.
mst_status mst_staging_create(const mst_store *store, const mst_allocation *part, mst_staging *slot, mst_error *error);
void mst_staging_release(const mst_store *store, mst_staging *slot);

// After a failure, when nothing is under way any more: a download does not reach the store.
void mst_staging_abandon(mst_staging *slot);

// Queues copies of a box of arrays first .. first + n - 1 of the store to the windows, which have room for it, or back. The box
// may reach beyond a periodic grid. The slot must be settled; wait may be NULL. slot->moved becomes the event. *bytes is raised.
mst_status mst_store_upload(mst_store *store, int first, int n, const mst_box *box, const mst_window *window, mst_staging *slot,
                            const cl_event *wait, mst_error *error, uint64_t *bytes);
mst_status mst_store_download(mst_store *store, int first, int n, const mst_box *box, const mst_window *window, mst_staging *slot,
                              const cl_event *wait, mst_error *error, uint64_t *bytes);

// Waits for what was queued; a download is in the store then.
mst_status mst_store_settle(mst_store *store, mst_staging *slot, mst_error *error);

#endif
