// What planning goes by. Planning is pure: everything here is a value or is never changed, and neither a device nor a context is
// needed for it.
#ifndef MST_STENCIL_PLAN_INPUTS_H
#define MST_STENCIL_PLAN_INPUTS_H

#include "runtime/numbers.h"
#include "stencil/kernels/tile.h"
#include "stencil/scheme/observations.h"

// What a device offers beside what mst_tile_limits says of its work-groups.
typedef struct mst_plan_limits {
    uint64_t max_allocation_bytes;
    bool is_gpu;
    bool unified_memory; // the device works in the host's memory
} mst_plan_limits;

// Bytes of a budget that are left, and those that others have taken of it.
typedef struct mst_plan_budget {
    uint64_t left, used;
} mst_plan_budget;

// The description's wishes; 0 (AUTO) leaves a choice to the planner.
typedef struct mst_plan_wishes {
    mst_stencil_schedule schedule;
    mst_stencil_store store;
    mst_stencil_shape shape;
    uint64_t depth, block;
    unsigned fuse;
    unsigned middle; // steps that are fused in the middle of the grid, of sweeps
    bool overlap;
    bool beside; // planes beside the cuts of a part are to be computed first
} mst_plan_wishes;

// What the model goes by. Arrays of two for the ways: up and down; or for the kernels: of m fused steps and of one step.
typedef struct mst_rates {
    double upload, download; // bytes a second over the bus, while nothing goes the other way
    double host;             // bytes a second between the backing store and staging
    double row[2];           // additional seconds of a rectangular copy for each of its rows, on either way
    // When copies go both ways at once they take as long as the longer one, and this part of the shorter one: plain copies, and
    // rectangular ones.
    double beside[2];
    double sweep;     // node-steps a second of sweeps; 0: not measured
    double computing; // what it would be if memory took no time; 0: not known
    double copy;      // seconds of a copy of a few bytes when others are queued before and behind it
    double update[2]; // node-steps a second of the kernels
    double launch[2]; // seconds of a launch of the kernels beside those of its node-steps
    double wait;      // additional seconds when the host waits for a kernel or a copy
} mst_rates;

// Where several steps are done at once beside sweeps: middle.h.
typedef struct mst_middle {
    unsigned m;           // 0: there is none, and sweeps do all
    int sweeps;           // of m steps
    mst_box box;          // the middle
    mst_box grown, held;  // what m steps read of the state, and of coefficient fields
    mst_box window;       // what arrays on the device hold for the kernels: whole work-items
    int64_t lag[N_AXES];  // how far a sweep reaches
    uint64_t fused_nodes; // of the middle
} mst_middle;

typedef struct mst_plan_inputs {
    const mst_problem *problem;
    mst_tile_choice tile; // what tuning or a rule chose for the kernels
    mst_tile_limits tile_limits;
    mst_plan_limits limits;
    mst_plan_budget device, host;
    mst_rates rates;
    mst_plan_wishes wishes;
    mst_middle middle;     // of sweeps
    uint64_t part_steps;   // between exchanges of a part of a grid; 0: it is all of it
    uint64_t packed_bytes; // of the halos of a brick, where it is in core
} mst_plan_inputs;

// Steps beyond which no trip goes: to the next look at the fields, or exchange.
static inline uint64_t mst_plan_interval(const mst_plan_inputs *in) {
    const uint64_t looks = mst_observations_interval(in->problem->observations);
    return in->part_steps > 0 ? mst_smaller(looks, in->part_steps) : looks;
}

// Whether sweeps do all steps.
static inline bool mst_plan_sweeps(mst_stencil_schedule schedule) {
    return schedule == MST_STENCIL_SWEEPS || schedule == MST_STENCIL_SKEWED_SWEEPS;
}

// The whole grid.
static inline mst_box mst_plan_grid(const mst_problem *p) {
    return (mst_box){{0, 0, 0}, {(int64_t)p->grid[PLANES], (int64_t)p->grid[ROWS], (int64_t)p->grid[COLUMNS]}};
}

#endif
