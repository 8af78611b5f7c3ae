// Every allocation of a plan. It is computed once, here; the schedules, the backing store and the tables allocate exactly this.
// (The few bytes of bookkeeping on the host are left out.)
#ifndef MST_STENCIL_PLAN_FOOTPRINT_H
#define MST_STENCIL_PLAN_FOOTPRINT_H

#include "blocks.h"
#include "ring.h"
#include "slabs.h"

typedef enum mst_memory {
    MST_MEMORY_DEVICE,  // counts against the device's budget
    MST_MEMORY_STAGING, // pinned, counts against the host's budget
    MST_MEMORY_PINNED,
    MST_MEMORY_ORDINARY,
    MST_MEMORY_FILE
} mst_memory;

typedef enum mst_footprint_part {
    // Tables for the kernels: the points of sources and receivers, factors of sponges, the times and sources of the coming steps,
    // what receivers get, and the host's copy of the larger of these two.
    MST_FOOTPRINT_POINTS,
    MST_FOOTPRINT_DAMPING,
    MST_FOOTPRINT_STEPS,
    MST_FOOTPRINT_RECORDS,
    MST_FOOTPRINT_ROWS,
    // For monitors and spectra: the partial results of a reduction; the sums of all spectra, and what values are multiplied by;
    // numbers in their expressions that differ from run to run; and the parts of the arrays that an expression reads, where these
    // are in a backing store.
    MST_FOOTPRINT_PARTIALS,
    MST_FOOTPRINT_SUMS,
    MST_FOOTPRINT_PHASES,
    MST_FOOTPRINT_NUMBERS,
    MST_FOOTPRINT_HELD,
    // Halos of a brick that is in core, packed, and their places.
    MST_FOOTPRINT_PACKED,
    // Arrays on the device: the state (in core twice, or of sweeps once, with the spare arrays; of skewed sweeps a ring of planes
    // of these; of overlapped tiling what blocks come up to, twice, and another; of time skewing the ring of the uploads), the
    // ring of the other levels (of skewed sweeps memory variables of layers, of sweeps around a middle its windows), what goes
    // down, the coefficient fields.
    MST_FOOTPRINT_STATE,
    MST_FOOTPRINT_LEVELS,
    MST_FOOTPRINT_RESULT,
    MST_FOOTPRINT_COEFFICIENTS,
    // For blocks on their way: staging, where the device cannot copy from and to the backing store; and that.
    MST_FOOTPRINT_STAGING_UP,
    MST_FOOTPRINT_STAGING_COEFFICIENTS,
    MST_FOOTPRINT_STAGING_DOWN,
    MST_FOOTPRINT_STORE,
    MST_FOOTPRINT_PARTS
} mst_footprint_part;

typedef struct mst_allocation {
    const char *what; // for messages
    mst_memory memory;
    uint64_t bytes; // of one piece, the largest; UINT64_MAX: too many to be counted
    uint64_t count; // pieces
    uint64_t nodes; // of a piece that is for an array of the problem, and has as many bytes as the array's elements; else 0
    uint64_t total; // bytes of all pieces
} mst_allocation;

// Bytes of a piece for an array with elements of so many bytes.
static inline uint64_t mst_allocation_piece(const mst_allocation *part, size_t element) {
    return part->nodes > 0 ? part->nodes * element : part->bytes;
}

typedef struct mst_footprint {
    mst_allocation parts[MST_FOOTPRINT_PARTS];
    uint64_t rows; // steps that the tables hold; UINT64_MAX if there is nothing to be held
} mst_footprint;

// What is chosen. It does not change once it is made.
typedef struct mst_plan {
    mst_stencil_schedule schedule;
    mst_stencil_store store;
    unsigned fuse;         // m
    uint64_t depth, block; // n, b; 0 for an in-core run
    int queues;            // in which kernels run at once
    bool overlap;          // uploads, kernels and downloads go on at once
    bool is_direct;        // the device copies from and to the backing store without staging
    mst_slabs slabs;       // of time skewing
    mst_blocks blocks;     // of overlapped tiling
    mst_plane_ring ring;   // of skewed sweeps
    mst_middle middle;     // of sweeps
    mst_footprint footprint;
    double seconds; // of a long run, by which plans are compared: copies are taken to be slower than measured
} mst_plan;

// Whether the whole state stays on the device.
static inline bool mst_plan_in_core(mst_stencil_schedule schedule) {
    return schedule == MST_STENCIL_IN_CORE || schedule == MST_STENCIL_SWEEPS;
}

// Copies of the state in the backing store: time skewing works in place.
int mst_plan_copies(const mst_plan *plan);

// Blocks of overlapped tiling that are queued at once, and that have room on the device.
enum { MST_BLOCKS_SLOTS = 4, MST_BLOCKS_WINDOWS = 2 };
enum { MST_RING_SLOTS = 3 }; // the same of skewed sweeps' slabs

// Makes the geometry and the footprint of the choices in *plan. The tables hold many steps if the budget leaves room for them.
void mst_footprint_make(const mst_plan_inputs *in, const mst_kernel_pair *pair, mst_plan *plan);

// What monitors and spectra take, alone.
void mst_footprint_observe(const mst_plan_inputs *in, mst_plan *plan);

// All bytes of a kind of memory; UINT64_MAX if they cannot be counted.
uint64_t mst_footprint_bytes(const mst_footprint *footprint, mst_memory memory);
// Bytes on the device without the tables.
uint64_t mst_footprint_state_bytes(const mst_footprint *footprint);
// The largest piece of memory that the device must allow: its own, staging, or pinned.
uint64_t mst_footprint_largest(const mst_footprint *footprint);

// Whether the budgets and the device allow it. And the least budget of device memory that does, by the footprint that is made for
// a budget of nothing, in which the tables hold one trip.
bool mst_footprint_fits(const mst_plan_inputs *in, const mst_footprint *footprint);
uint64_t mst_footprint_least_device(const mst_footprint *least);

#endif
