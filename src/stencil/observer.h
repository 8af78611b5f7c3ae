// Looking at the state: the kernels of monitors and spectra, and what these have found.
#ifndef MST_STENCIL_OBSERVER_H
#define MST_STENCIL_OBSERVER_H

#include "runtime/kernel.h"

#include <mastaba/stencil.h>

#include "schedules/schedule.h"
#include "stencil/scheme/observations.h"

// What a monitor recorded, and what it found last.
typedef struct mst_record {
    double *values;       // of each look one a run
    uint64_t n, capacity; // looks
    double *latest;
    uint64_t measured; // the step of `latest`; UINT64_MAX: there is none
} mst_record;

typedef struct mst_observer {
    mst_context *context;
    const mst_problem *problem;
    const mst_footprint *footprint;
    mst_schedule *schedule; // that keeps the state, which must be whole
    mst_queue queue;
    mst_kernel **monitors, **spectra;
    cl_mem partials, sums, phases, numbers, held[MST_STENCIL_MAX_LEAVES];
    void *staging; // for one of `held`
    double *found; // what a monitor's launch found
    mst_record *records;
    uint64_t recorded_from;          // the step since which they record
    uint64_t looked;                 // the last step whose due is done
    const mst_stencil_meeting *with; // the other parts of the grid, while this one looks at its own; else NULL
    mst_status own;                  // the first failure of this part's own work in that look
} mst_observer;

// All of it outlives the observer, which does nothing if there is nothing to be looked at. Release accepts half-built ones.
mst_status mst_observer_create(mst_schedule *schedule, mst_observer *out, mst_error *error);
void mst_observer_release(mst_observer *observer);

// What became of a part's own work. The others would wait for a part that failed, so it goes on meeting them, with whatever
// numbers: while parts look together the first failure is kept in `own`, and only a meeting that fails ends the look.
static inline mst_status mst_observer_keep(mst_observer *o, mst_status status) {
    if (!o->with)
        return status;
    o->own = o->own == MST_OK ? status : o->own;
    return MST_OK;
}
// Where the next failure tells of itself.
static inline mst_error *mst_observer_error(const mst_observer *o, mst_error *error) { return o->own == MST_OK ? error : NULL; }

// A monitor's value, or values of all runs, after a step, the one that the state has reached. They are the observer's. (reduce.c)
mst_status mst_observer_measure(mst_observer *observer, size_t monitor, uint64_t step, const double **values, mst_error *error);

// Runs of an ensemble; 1 of what is none.
static inline size_t mst_observer_runs(const mst_observer *o) { return o->problem->n_runs > 0 ? o->problem->n_runs : 1; }

// Adds to a spectrum's sums.
mst_status mst_observer_add(mst_observer *observer, size_t spectrum, uint64_t step, mst_error *error);

// Everything that is due after a step and not done yet; *ended: the condition `until` was looked at and holds.
mst_status mst_observer_look(mst_observer *observer, uint64_t step, bool *ended, mst_error *error);
// The condition alone, which is false where it is not due.
mst_status mst_observer_until(mst_observer *observer, uint64_t step, bool *ended, mst_error *error);

// The step, from that one on, behind which something is due that is not done yet.
uint64_t mst_observer_next(const mst_observer *observer, uint64_t step);

// Forgets what was found before, as the state is another one; or what was recorded, too, which goes on from a step.
void mst_observer_forget(mst_observer *observer);
void mst_observer_restart(mst_observer *observer, uint64_t step);

#endif
