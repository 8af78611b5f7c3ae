// A solver, and what a schedule has to do.
#ifndef MST_STENCIL_SOLVER_H
#define MST_STENCIL_SOLVER_H

#include "stencil/kernels/stepper.h"
#include "stencil/schedules/store.h"

#include "tune/tune.h"

// What a run asks on the way, and counts.
typedef struct mst_run {
    mst_execution how;
    uint64_t done, total; // steps
    uint64_t upload_bytes, download_bytes;
} mst_run;

// A schedule: how the state advances. The state lies in solver->store, or for in-core runs in solver->state on the device.
typedef struct mst_engine {
    // Takes device memory, as solver->plan says.
    mst_status (*prepare)(mst_stencil *solver, mst_error *error);
    void (*release)(mst_stencil *solver);
    // Advances by n steps of the plan's depth or fewer, a whole trip, or queues it; the state is whole after `settle`.
    mst_status (*advance)(mst_stencil *solver, uint64_t n, uint64_t row, mst_run *run, mst_error *error);
    mst_status (*settle)(mst_stencil *solver, mst_run *run, mst_error *error);
} mst_engine;

// What the model goes by.
typedef struct mst_rates {
    double upload, download; // bytes a second over the bus, each alone
    double host;             // and between the store and staging
    double row[2];           // seconds more for each row of a rectangular copy, up and down
    double beside[2]; // of copies both ways at once, and of rectangular ones: the time beyond the longer's, of the shorter's
    double copy;      // seconds of a copy of next to nothing, one behind the other
    double update[2]; // node-steps a second of the kernels of m and of one step
    double launch[2]; // seconds that they take whatever they do
    double wait;      // seconds more where the host waits for a kernel, or for copies
} mst_rates;

struct mst_skewed;
struct mst_pyramid;

typedef struct mst_stencil_choice {
    unsigned fuse; // m
    mst_tile_choice tile;
} mst_stencil_choice;

struct mst_stencil {
    mst_context *context;
    mst_problem problem;
    mst_stencil_plan plan;
    bool overlap;
    mst_stencil_choice choice;
    bool is_trial; // the choice is taken as it is, or refused
    mst_tables tables;
    mst_stepper steppers[2]; // of m fused steps, and of one
    mst_rates rates;
    const mst_engine *engine;
    int lanes;                                   // queues of kernels that a schedule beyond the device has
    cl_command_queue queues[MST_STENCIL_QUEUES]; // the first is the context's
    uint64_t step;
    uint64_t missing; // arrays of the state that were lost

    mst_window state[2], held; // in core: the state, and where the next one goes; the coefficient fields
    int current;

    mst_store store; // otherwise
    struct mst_skewed *skewed;
    struct mst_pyramid *pyramid;
};

extern const mst_engine mst_in_core_engine, mst_skewed_engine, mst_pyramid_engine;

// The stepper for the next of n steps that are left: m at a time, then one.
static inline const mst_stepper *mst_solver_stepper(const mst_stencil *solver, uint64_t left) {
    return &solver->steppers[left >= solver->plan.fuse ? 0 : 1];
}

// What is queued behind it waits for an event, if there is one; and waiting for all queues.
mst_status mst_solver_barrier(cl_command_queue queue, const cl_event *event, mst_error *error);
mst_status mst_solver_finish(mst_stencil *solver, mst_error *error);

// The whole grid.
mst_box mst_solver_grid(const mst_stencil *solver);

// The public function, with a choice made.
mst_status mst_stencil_create_as(mst_context *context, const mst_stencil_desc *desc, const mst_stencil_choice *choice,
                                 mst_stencil **out, mst_error *error);

// Shape and m by the device's type and the scheme; and, in tune.c, solver->choice by what is known of the device.
mst_stencil_shape mst_plan_shape(const mst_stencil *solver, const mst_stencil_desc *desc);
unsigned mst_plan_fuse(const mst_stencil *solver, const mst_stencil_desc *desc);
mst_status mst_stencil_tune(mst_stencil *solver, const mst_stencil_desc *desc, mst_tune_chain *chain, mst_error *error);

// Chooses shape and m, at most `most`, and makes the kernels; then schedule, n, block and store, by what fits and the model's
// times.
mst_status mst_plan_kernels(mst_stencil *solver, const mst_stencil_desc *desc, unsigned most, mst_error *error);
mst_status mst_plan_choose(mst_stencil *solver, const mst_stencil_desc *desc, mst_error *error);
int mst_plan_copies(mst_stencil_schedule schedule); // of the state in the store
// Device memory that a plan takes for the state.
uint64_t mst_plan_device_bytes(const mst_stencil *solver, const mst_stencil_plan *plan);
// The steps of the next trip of so many that are left. Pyramids' are as high as they can be, as published; skewed slabs, each
// trip of which takes as long as the copies do, share the steps evenly.
uint64_t mst_plan_trip(const mst_stencil_plan *plan, uint64_t steps);
// Fills the plan's figures that depend on the number of steps.
void mst_plan_figures(const mst_stencil *solver, uint64_t steps, mst_stencil_plan *plan);

// Nodes more along an axis, at most, of the windows of the pyramid method's blocks where the grid is cut.
uint64_t mst_pyramid_pad(const mst_stencil *solver, int axis);

// Planes of the state in the two rings of a skewed plan and in that of the downloads, and of the coefficient fields on the
// device.
uint64_t mst_skewed_ring_planes(const mst_stencil *solver, const mst_stencil_plan *plan, int ring);
uint64_t mst_skewed_down_planes(const mst_stencil *solver, const mst_stencil_plan *plan);
uint64_t mst_skewed_held_planes(const mst_stencil *solver, const mst_stencil_plan *plan);
// Planes of all arrays in the host's staging, where the store is not direct.
uint64_t mst_skewed_staging_planes(const mst_stencil *solver, const mst_stencil_plan *plan);

// Measures the rates on a part of the grid, or takes those that the cache of kernels keeps for a day.
mst_status mst_rates_measure(mst_stencil *solver, mst_rates *rates, mst_error *error);
// Seconds, bytes and duplicated work of so many steps.
void mst_model_predict(const mst_stencil *solver, uint64_t steps, mst_stencil_plan *plan);

// Elements first .. first + count - 1 of an array (those of the state, then the coefficient fields), to or from packed memory.
mst_status mst_solver_get(mst_stencil *solver, int array, uint64_t first, uint64_t count, void *to, mst_error *error);
mst_status mst_solver_put(mst_stencil *solver, int array, uint64_t first, uint64_t count, const void *from, mst_error *error);

// Initial values of all fields.
mst_status mst_solver_initialise(mst_stencil *solver, const mst_stencil_desc *desc, mst_error *error);

#endif
