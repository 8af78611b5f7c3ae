// Measuring what the model goes by.
#ifndef MST_STENCIL_MEASURE_H
#define MST_STENCIL_MEASURE_H

#include "runtime/context.h"
#include "stencil/kernels/sweeper.h"
#include "stencil/plan/model.h"
#include "stencil/schedules/schedule.h"

typedef struct mst_measurement {
    mst_context *context;
    const mst_problem *problem;
    const mst_stepper *steppers; // of m steps and of one, whose tables hold m steps; NULL: copies alone are measured
    const mst_sweeper *sweeper;  // if steppers is NULL
    mst_stencil_store store;
    bool is_direct; // the device copies from and to it without staging
    bool copies;    // their rates matter
    uint64_t steps; // of the run that is planned; 0: not known
} mst_measurement;

// Measures the rates on a part of the grid, or takes those that the cache of kernels keeps for a day. Takes about two seconds or
// a twentieth of the run's time, whichever is more, at most; rates that are not measured, for which there may be too little
// memory too, stay as they are in *rates.
mst_status mst_rates_measure(const mst_measurement *measurement, mst_rates *rates, mst_error *error);

// The same for sweeps, in two seconds at most; and whether to stagger them. Their tables hold a step.
mst_status mst_sweeps_measure(mst_sweeper *sweeper, mst_rates *rates, mst_error *error);

// The rate of sweeps around a middle, on the whole grid, in a second at most.
mst_status mst_middle_measure(const mst_schedule_desc *with, double *rate, mst_error *error);

// What was found of these, kept by the cache of kernels for a day: the number of steps in the middle that was fastest, its rate,
// and the number to be tried next, 0 if there is none.
typedef struct mst_middle_choice {
    unsigned m, next;
    double rate;
} mst_middle_choice;

// `sweeper`: of the whole grid.
bool mst_middle_recall(const mst_sweeper *sweeper, mst_middle_choice *out);
void mst_middle_remember(const mst_sweeper *sweeper, const mst_middle_choice *choice);

#endif
