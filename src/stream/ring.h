// The memory of a stream: a ring of slots, each with staging for one block of every array that is not on the device.
//
// On a device with its own memory a slot has pinned host memory (CL_MEM_ALLOC_HOST_PTR, mapped for good) and a device buffer
// for each array; on one that works in the host's memory the pinned buffer serves as both, mapped while the host fills or empties
// it. A contiguous array in pinned memory of the caller's needs the device buffer only, as the device copies from and to it.
#ifndef MST_STREAM_RING_H
#define MST_STREAM_RING_H

#include "stream.h"

#define MST_RING_SLOTS 5 // one a stage: read, upload, compute, download, write

typedef struct mst_slot {
    struct {
        cl_mem device, staging; // the same on unified memory
        void *mapped;           // NULL while a unified buffer is the device's
        uint64_t bytes;
    } ports[MST_STREAM_MAX_PORTS];
    size_t first, count;      // the block in it
    bool is_first;            // of the execution
    mst_queue queue;          // of kernels, for this block
    cl_event begun, computed; // around the compute of the block
    cl_event uploaded[MST_STREAM_MAX_PORTS], downloaded[MST_STREAM_MAX_PORTS];
} mst_slot;

typedef struct mst_ring {
    bool configured;
    bool staged[MST_STREAM_MAX_PORTS]; // which arrays go through the ring
    bool pinned[MST_STREAM_MAX_PORTS]; // which of them the device copies from and to where they lie
    size_t block_items;
    int n_slots;
    mst_slot slots[MST_RING_SLOTS];
    mst_slot fixed;      // MST_PORT_FIXED arrays, whole
    uint64_t host_bytes; // taken of the host budget
} mst_ring;

// Bytes of one item of a port, packed; of the whole array for a fixed one.
uint64_t mst_port_item_bytes(const mst_stream_desc *desc, int port);

// Whether the plan's tables and the work memory of one block fit the budget.
mst_status mst_ring_check_budget(const mst_stream_desc *desc, mst_error *error);

// Whether one block of one item fits the budgets and the device, if every array goes through the ring, and what it takes of them.
bool mst_ring_fits(const mst_stream_desc *desc, uint64_t *device, uint64_t *host);

// Chooses the block size and the number of slots by the budgets, has the capability prepare its work memory, and makes the slots;
// nothing to do if the ring already serves these places. MST_ERROR_BUDGET says the least that would work.
mst_status mst_ring_configure(mst_ring *ring, const mst_stream_desc *desc, const mst_location *where, mst_error *error);
void mst_ring_release(mst_ring *ring, mst_context *context);

// What a configured ring and the work memory of its blocks take of the budget of device memory; 0 of one that is not.
uint64_t mst_ring_device_bytes(const mst_ring *ring, const mst_stream_desc *desc);

#endif
