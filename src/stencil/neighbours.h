// A part of a grid that exchanges halos with its neighbours on the way of a run, by a function of the caller's.
#ifndef MST_STENCIL_NEIGHBOURS_H
#define MST_STENCIL_NEIGHBOURS_H

#include "halo.h"

#include <mastaba/stencil.h>

typedef struct mst_part_run {
    mst_stencil *solver;
    mst_stencil_neighbours with;
    uint64_t left; // steps until the next exchange
    bool beside;   // it goes on while the interior is computed
    mst_cuts cuts;
    mst_queue up, down;
    mst_halo_piece *gives[MST_MOST_LINKS], *takes[MST_MOST_LINKS];
    size_t n_gives[MST_MOST_LINKS], n_takes[MST_MOST_LINKS];
} mst_part_run;

// Release accepts a run that is all 0, and half-begun ones.
mst_status mst_part_run_begin(mst_stencil *solver, const mst_stencil_neighbours *with, mst_part_run *out, mst_error *error);
void mst_part_run_release(mst_part_run *run);

// Advances by *n steps, `most` at most, a trip whose first step has that row of the tables, after an exchange if one is due; or
// queues it. Of the run `to_come` steps are left, `most` or more: beyond its last one nothing is exchanged.
mst_status mst_part_run_advance(mst_part_run *run, uint64_t row, uint64_t most, uint64_t to_come, uint64_t *n,
                                mst_traffic *traffic, mst_error *error);

// Behind the schedule's settle: waits for halos on their way. And after a failure, for whatever is queued.
mst_status mst_part_run_settle(mst_part_run *run, mst_error *error);
void mst_part_run_abandon(mst_part_run *run);

#endif
