// How the state advances: a schedule keeps it, on the device or in a backing store, and takes it through the kernels.
#ifndef MST_STENCIL_SCHEDULE_H
#define MST_STENCIL_SCHEDULE_H

#include "boxes.h"
#include "cuts.h"
#include "stencil/kernels/stepper.h"
#include "stencil/kernels/sweeper.h"
#include "stencil/plan/footprint.h"

// What a schedule works with. All of it outlives the schedule, and none of it changes.
typedef struct mst_schedule_desc {
    mst_context *context;
    const mst_problem *problem;
    const mst_stepper *steppers; // of m fused steps, and of one
    const mst_sweeper *sweeper;  // for sweeps, in place of these
    const mst_stepper *outside;  // of m fused steps outside layers, of sweeps around a middle
    const mst_plan *plan;
    int file; // of a backing store in a file, and where in it that begins
    uint64_t file_offset;
    bool counts; // whether count_nonfinite will be called
} mst_schedule_desc;

// Bytes that went over the bus.
typedef struct mst_traffic {
    uint64_t upload_bytes, download_bytes;
} mst_traffic;

typedef struct mst_schedule mst_schedule;

// Memory of the device that a schedule does not need while the state is whole: if is_array, the array itself, whose node
// (plane, row, column) lies at element s5 + plane s4 + row s3 + column of `grid`; else any.
typedef struct mst_loan {
    cl_mem buffer;
    uint64_t elements; // that it has room for, of kernels' precision
    bool is_array;
    cl_long8 grid;
} mst_loan;

typedef struct mst_schedule_kind {
    void (*destroy)(mst_schedule *schedule); // accepts half-built ones
    // Advances by n steps, a trip, whose first has that row of the tables; or queues it. The state is whole after `settle`.
    mst_status (*advance)(mst_schedule *schedule, uint64_t n, uint64_t row, mst_traffic *traffic, mst_error *error);
    mst_status (*settle)(mst_schedule *schedule, mst_traffic *traffic, mst_error *error);
    // After a failure: waits for what is queued, of which nothing counts any more.
    void (*abandon)(mst_schedule *schedule);
    // Elements first .. first + count - 1 of an array (those of the state, then the coefficient fields) to or from packed memory,
    // while the state is whole. They are counted in the array's own shape (mst_layers_grid). They block.
    mst_status (*get)(mst_schedule *schedule, int array, uint64_t first, uint64_t count, void *to, mst_error *error);
    mst_status (*put)(mst_schedule *schedule, int array, uint64_t first, uint64_t count, const void *from, mst_error *error);
    // How many values of an array are infinite or NaN, while the state is whole. Blocks.
    mst_status (*count_nonfinite)(mst_schedule *schedule, int array, uint64_t *count, mst_error *error);
    // Where an array lies on the device, to be read while the state is whole; NULL: the state is in a backing store.
    void (*view)(const mst_schedule *schedule, int array, mst_loan *out);
    // Memory for what is to become an array. What is in it is the schedule's again with the next call.
    void (*lend)(mst_schedule *schedule, int array, mst_loan *out);
    // Takes what receivers got in the rows filled last, if these are not in the solver's tables; else NULL.
    mst_status (*collect)(mst_schedule *schedule, mst_error *error);
    // As get, or put if `up`, of a box of the array's elements, by commands of a queue of uploads or downloads, for which it does
    // not wait, while no other runs. NULL: the state is in a backing store.
    mst_status (*move)(mst_schedule *schedule, mst_queue *queue, int array, const uint64_t from[N_AXES],
                       const uint64_t count[N_AXES], bool up, void *host, mst_error *error);
    // As advance, of a part of a grid: what neighbours are given is computed first. `given` is called when that is queued, and
    // finds it in the arrays; halos may be put behind it, too, while the rest goes on. NULL: the state is in a backing store.
    mst_status (*advance_cuts)(mst_schedule *schedule, uint64_t n, uint64_t row, const mst_cuts *cuts, mst_cuts_given *given,
                               void *user, mst_error *error);
    // How the elements of an array lie on the device; NULL: the state is in a backing store.
    mst_boxes (*lie)(const mst_schedule *schedule, int array);
    // Where elements of an array of the state lie in the host's memory, one behind the other from `first` on, while the state is
    // whole; NULL, or gives that: they don't.
    const void *(*see)(const mst_schedule *schedule, int array, uint64_t first);
} mst_schedule_kind;

struct mst_schedule {
    const mst_schedule_kind *kind;
    mst_schedule_desc with;
    mst_queue queue; // the context's for kernels
};

static inline mst_schedule mst_schedule_base(const mst_schedule_kind *kind, const mst_schedule_desc *desc) {
    return (mst_schedule){kind, *desc, mst_stepper_queue(desc->context, desc->problem)};
}

// A piece of the device's state, that of array 0, which is empty while the state is in a backing store.
static inline mst_loan mst_schedule_loan(const mst_schedule *schedule, cl_mem piece) {
    const mst_problem *p = schedule->with.problem;
    const uint64_t bytes = mst_allocation_piece(&schedule->with.plan->footprint.parts[MST_FOOTPRINT_STATE], p->elements[0]);
    return (mst_loan){.buffer = piece, .elements = bytes / p->element};
}

// Of both schedules that keep the state on the device.
mst_status mst_in_core_settle(mst_schedule *schedule, mst_traffic *traffic, mst_error *error);
void mst_in_core_abandon(mst_schedule *schedule);

// What coefficient fields hold in measurements: numbers of any precision that are neither 0, since division by that goes a slow
// way on GPUs, nor denormal.
enum { MST_CLEAR_COEFFICIENTS = 0x3c003c00 };

// The memory of a state for sweeps, cleared for a measurement if that is wanted; `what` is for messages. `give` accepts
// half-taken ones.
mst_status mst_sweeping_take(mst_context *context, const mst_sweeps *sweeps, const char *what, bool clear, mst_sweep_state *state,
                             mst_error *error);
void mst_sweeping_give(mst_context *context, const mst_sweeps *sweeps, mst_sweep_state *state);

// Takes what the plan's footprint says. *out is to be destroyed after a failure, too.
mst_status mst_in_core_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error);
mst_status mst_sweeping_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error);
mst_status mst_skewed_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error);
mst_status mst_skewed_sweeping_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error);
mst_status mst_overlapped_create(const mst_schedule_desc *desc, mst_schedule **out, mst_error *error);

#endif
