// The working copy of a state that does not stay on the device: all arrays one behind the other, the state's (once or twice),
// then the coefficient fields'; and its way to the device's windows and back.
#ifndef MST_STENCIL_STORE_H
#define MST_STENCIL_STORE_H

#include "stencil/kernels/stepper.h"

typedef struct mst_store {
    mst_context *context;
    const mst_problem *problem;
    mst_stencil_store kind;
    int copies; // of the state
    bool direct;
    unsigned char **arrays; // pinned or ordinary memory
    int n_arrays;
    int file;
    uint64_t file_offset;
    unsigned failures; // of runs: what they have queued does not reach the store later
} mst_store;

uint64_t mst_store_bytes(const mst_problem *problem, int copies);
// Whether the device copies from and to such a store without staging.
bool mst_store_is_direct(const mst_context *context, mst_stencil_store kind);

mst_status mst_store_create(mst_context *context, const mst_problem *problem, mst_stencil_store kind, int copies, int file,
                            uint64_t file_offset, mst_store *out, mst_error *error);
void mst_store_release(mst_store *store);

// Elements of an array to or from packed memory. Arrays of the state's copy c are those from c * n_arrays on. Blocks.
mst_status mst_store_get(mst_store *store, int array, uint64_t first, uint64_t count, void *to, mst_error *error);
mst_status mst_store_put(mst_store *store, int array, uint64_t first, uint64_t count, const void *from, mst_error *error);

// Staging for one block on its way in one direction, where the store is not direct; and what has been queued.
typedef struct mst_slot_memory {
    cl_mem buffer;
    unsigned char *mapped;
    uint64_t bytes;
    cl_event moved; // the last copy of it, NULL if none is under way
    // A download that has yet to be put into the store.
    bool pending;
    unsigned failures; // there had been when it was queued
    mst_box box;
    mst_window window;
    int first_array, n_arrays;
} mst_slot_memory;

mst_status mst_slot_create(const mst_store *store, uint64_t bytes, mst_slot_memory *slot, mst_error *error);
void mst_slot_release(const mst_store *store, mst_slot_memory *slot);

// Queues copies of a box of arrays first .. first + n - 1 of the store to the windows, which have room for it, or back. The box
// may reach beyond a periodic grid. The slot must be settled; wait may be NULL. slot->moved becomes the event. *bytes is raised.
mst_status mst_store_upload(mst_store *store, int first, int n, const mst_box *box, const mst_window *window,
                            mst_slot_memory *slot, const cl_event *wait, mst_error *error, uint64_t *bytes);
mst_status mst_store_download(mst_store *store, int first, int n, const mst_box *box, const mst_window *window,
                              mst_slot_memory *slot, const cl_event *wait, mst_error *error, uint64_t *bytes);

// Waits for what was queued; a download is in the store then.
mst_status mst_store_settle(mst_store *store, mst_slot_memory *slot, mst_error *error);

#endif
