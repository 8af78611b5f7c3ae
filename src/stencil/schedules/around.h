// The middle of a grid, where several steps are done at once beside sweeps around it (plan/middle.h). It lies in two windows on
// the device, between which fused kernels go, in a queue of their own beside the sweeps; after each pass these and the arrays of
// the sweeps take from one another what the next pass reads of the other.
#ifndef MST_STENCIL_AROUND_H
#define MST_STENCIL_AROUND_H

#include "schedule.h"

typedef struct mst_around {
    mst_window windows[2], coefficients;
    mst_queue beside;
    int current;   // of the windows, the one that holds the state
    bool is_there; // it does,
    bool is_newer; // and the arrays do not have it
} mst_around;

// Takes what the plan's footprint says, which is nothing without a middle; give accepts what is half taken.
mst_status mst_around_take(const mst_schedule_desc *with, mst_around *out, mst_error *error);
void mst_around_give(const mst_schedule_desc *with, mst_around *around);

// Enqueues m steps, the first of which has that row of the tables. The margins of the arrays are filled, before and after.
mst_status mst_around_pass(const mst_schedule_desc *with, mst_around *around, mst_queue *queue, mst_sweep_state *state,
                           uint64_t row, mst_error *error);

// After a failure: waits for what is queued beside the sweeps.
void mst_around_abandon(mst_around *around);

// Enqueues what makes the arrays whole.
mst_status mst_around_settle(const mst_schedule_desc *with, mst_around *around, mst_queue *queue, const mst_sweep_state *state,
                             mst_error *error);

#endif
