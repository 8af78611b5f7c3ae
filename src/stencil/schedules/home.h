// The working copy of a state that does not stay on the device: all arrays one behind the other, the state's (once or twice),
// then the constant fields'; and its way to the device's windows and back.
#ifndef MST_STENCIL_HOME_H
#define MST_STENCIL_HOME_H

#include "stencil/kernels/stepper.h"

typedef struct mst_home {
    mst_context *context;
    const mst_problem *problem;
    mst_stencil_home kind;
    int copies; // of the state
    bool direct;
    unsigned char **arrays; // pinned or ordinary memory
    int n_arrays;
    int file;
    uint64_t file_offset;
    unsigned failures; // of runs: what they have queued does not come home later
} mst_home;

uint64_t mst_home_bytes(const mst_problem *problem, int copies);
// Whether the device copies from and to such a home without staging.
bool mst_home_is_direct(const mst_context *context, mst_stencil_home kind);

mst_status mst_home_create(mst_context *context, const mst_problem *problem, mst_stencil_home kind, int copies, int file,
                           uint64_t file_offset, mst_home *out, mst_error *error);
void mst_home_release(mst_home *home);

// Elements of an array to or from packed memory. Arrays of the state's copy c are those from c * n_arrays on. Blocks.
mst_status mst_home_get(mst_home *home, int array, uint64_t first, uint64_t count, void *to, mst_error *error);
mst_status mst_home_put(mst_home *home, int array, uint64_t first, uint64_t count, const void *from, mst_error *error);

// Staging for one block on its way in one direction, where the home is not direct; and what has been queued.
typedef struct mst_slot_memory {
    cl_mem buffer;
    unsigned char *mapped;
    uint64_t bytes;
    cl_event moved; // the last copy of it, NULL if none is under way
    // A download that has to be put home yet.
    bool pending;
    unsigned failures; // there had been when it was queued
    mst_box box;
    mst_window window;
    int first_array, n_arrays;
} mst_slot_memory;

mst_status mst_slot_create(const mst_home *home, uint64_t bytes, mst_slot_memory *slot, mst_error *error);
void mst_slot_release(const mst_home *home, mst_slot_memory *slot);

// Queues copies of a box of arrays first .. first + n - 1 of the home to the windows, which have room for it, or back. The box
// may reach beyond a periodic grid. The slot must be settled; wait may be NULL. slot->moved becomes the event. *bytes is raised.
mst_status mst_home_upload(mst_home *home, int first, int n, const mst_box *box, const mst_window *window, mst_slot_memory *slot,
                           const cl_event *wait, mst_error *error, uint64_t *bytes);
mst_status mst_home_download(mst_home *home, int first, int n, const mst_box *box, const mst_window *window,
                             mst_slot_memory *slot, const cl_event *wait, mst_error *error, uint64_t *bytes);

// Waits for what was queued; a download is at home then.
mst_status mst_home_settle(mst_home *home, mst_slot_memory *slot, mst_error *error);

#endif
