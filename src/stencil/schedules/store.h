// The backing store of a state that does not stay on the device: all arrays one behind the other, those of the state (once or
// twice), then the coefficient fields.
#ifndef MST_STENCIL_STORE_H
#define MST_STENCIL_STORE_H

#include "runtime/queue.h"
#include "stencil/plan/footprint.h"
#include "stream/transfer.h"

typedef struct mst_store {
    mst_context *context;
    const mst_problem *problem;
    mst_allocation memory;
    int copies;             // of the state
    bool is_direct;         // the device copies from and to it without staging
    unsigned char **arrays; // NULL: a file
    int file;
    uint64_t file_offset;
    mst_queue up, down; // the context's for uploads and downloads
} mst_store;

// As the plan says. Release accepts half-built ones.
mst_status mst_store_create(mst_context *context, const mst_problem *problem, const mst_plan *plan, int file,
                            uint64_t file_offset, mst_store *out, mst_error *error);
void mst_store_release(mst_store *store);

// Elements of an array (those of the state, in one of its copies, then the coefficient fields) to or from packed memory. They
// block.
mst_status mst_store_get(mst_store *store, int copy, int array, uint64_t first, uint64_t count, void *to, mst_error *error);
mst_status mst_store_put(mst_store *store, int copy, int array, uint64_t first, uint64_t count, const void *from,
                         mst_error *error);

// Where they lie in memory from `first` on; NULL: the store is a file.
const void *mst_store_see(const mst_store *store, int copy, int array, uint64_t first);

// How many values of an array are infinite or NaN. Blocks.
mst_status mst_store_count_nonfinite(const mst_store *store, int copy, int array, uint64_t *count, mst_error *error);

// An array of the store, counted with all copies of the state; which of the problem's it is, its nodes, in its own shape
// (mst_layers_grid), and the bytes of its elements.
mst_transfer mst_store_transfer(const mst_store *store, int array);
int mst_store_array(const mst_store *store, int array);
uint64_t mst_store_nodes(const mst_store *store, int array);
size_t mst_store_element(const mst_store *store, int array);

#endif
