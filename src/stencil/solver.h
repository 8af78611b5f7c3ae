// A solver, whose parts are made once, by mst_solver_prepare, and do not change but for the state, the tables and the step.
#ifndef MST_STENCIL_SOLVER_H
#define MST_STENCIL_SOLVER_H

#include "observer.h"
#include "runtime/context.h"
#include "runtime/turn.h"
#include "stencil/plan/links.h"
#include "stencil/plan/plan.h"
#include "stencil/schedules/schedule.h"
#include "stencil/schedules/tables.h"

// What tuning may choose.
typedef struct mst_stencil_choice {
    unsigned fuse; // m
    mst_tile_choice tile;
} mst_stencil_choice;

struct mst_stencil {
    mst_context *context;
    struct mst_members *members; // the schedule of a grid that is shared out among the devices of a group (members.h); else NULL
    // Of a part of a larger grid, an axis: its nodes, and how far a step reads; its neighbours, for how many steps its halos are,
    // and still hold (0: they are to be filled first), and the arrays of the state that were written since it ran, or the
    // neighbours whose halos were. Else 0.
    mst_part part[N_AXES];
    mst_halo halos[N_AXES];
    bool is_brick; // cut along any axis, else along the slowest
    mst_link links[MST_MOST_LINKS];
    int n_links;
    uint64_t halo_steps, steps_left, written, filled;
    mst_turn *turn;
    mst_problem problem;
    uint64_t scheme; // what its runs are remembered under
    mst_point_list points;
    mst_plan_inputs inputs; // with the rates that were measured
    bool is_trial;          // nothing was measured, and the choice was taken as it is
    mst_kernel_pair pair;
    mst_plan plan;
    mst_stepper steppers[2]; // of m fused steps, and of one
    mst_sweeper sweeper;     // if sweeps are considered
    // Of sweeps around a middle: the scheme outside layers, of which the steppers of several steps count; else NULL.
    struct mst_stencil *outside;
    mst_tables tables;
    mst_schedule *schedule;      // holds the state
    mst_observer observer;       // looks at it
    struct mst_packing *packing; // of the halos of a brick (packing.h); NULL: pieces are copied
    uint64_t step;
    uint64_t missing; // arrays of the state that were lost
    // Values that are infinite or NaN are looked for after so many steps; 0: never. When they were last, and how many each array
    // of the state began with.
    uint64_t check_every, checked_step, nonfinite[MST_STENCIL_MAX_ARRAYS];
};

// A bit for each array of the state.
static inline uint64_t mst_solver_all_arrays(const mst_stencil *s) {
    return UINT64_MAX >> (MST_STENCIL_MAX_ARRAYS - s->problem.n_arrays);
}

// Chooses the plan for runs of so many steps (0: not known), builds the kernels, and makes the tables. The context, the problem,
// the points, the inputs and is_trial are there.
mst_status mst_solver_prepare(mst_stencil *solver, mst_stencil_choice choice, uint64_t steps, mst_error *error);

// For sweeps, which are there and measured: has several steps done at once outside layers if that is measured to be faster, or,
// without a measurement, because it is wished for. *chosen: so it is, or sweeps alone, whose plan is `sweeps`, are best. What is
// tried and fails changes nothing.
void mst_middle_try(mst_stencil *s, uint64_t steps, const mst_plan *sweeps, bool *chosen);
mst_status mst_middle_wish(mst_stencil *s, mst_error *error);
void mst_middle_release(mst_stencil *s);

// The plan with the model's figures for so many steps.
void mst_solver_figures(const mst_stencil *solver, uint64_t steps, mst_stencil_plan *plan);

// Initial values of all fields.
mst_status mst_solver_initialise(mst_stencil *solver, const mst_stencil_desc *desc, mst_error *error);

// Elements first .. first + count - 1 of an array (of the state, then the coefficient fields), on their way from the caller, in
// the scheme's precision.
mst_status mst_solver_put(mst_stencil *solver, int array, uint64_t first, uint64_t count, const void *from, mst_error *error);

// What reading and writing the state share: elements moved at a time, the type of numbers, the array that a field's level is, and
// the caller's turn.
enum { MST_STATE_CHUNK = 1 << 20 };
static inline mst_type mst_solver_precision(const mst_stencil *s) { return s->problem.is_double ? MST_FLOAT64 : MST_FLOAT32; }
mst_status mst_solver_find(const mst_stencil *s, const char *name, int level, int *array, mst_error *error);
mst_status mst_solver_take_turn(mst_stencil *s, mst_error *error);

// MST_ERROR_DIVERGED if a field has more values that are infinite or NaN than it began with. The state must be whole.
mst_status mst_solver_check(mst_stencil *solver, mst_error *error);

// How many values of an array of the state are infinite or NaN; of a part of a grid, in its own planes.
mst_status mst_solver_count(mst_stencil *s, int array, uint64_t *count, mst_error *error);

// Problem, kernels and plan, and (but for `create`) all that a solver holds, by what tuning and rules choose. Neither the turn is
// taken nor the devices of a group are looked at.
mst_status mst_solver_create(mst_context *context, const mst_stencil_desc *desc, mst_stencil **out, mst_error *error);
mst_status mst_solver_plan(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, mst_stencil **out,
                           mst_error *error);

// What planning may know of the context and the description.
mst_status mst_solver_inputs(mst_context *context, const mst_problem *problem, const mst_stencil_desc *desc, mst_plan_inputs *in,
                             mst_error *error);

// Advances by n steps, and looks at nothing. The state is whole after it; after a failure it is lost.
mst_status mst_solver_advance(mst_stencil *s, uint64_t n, mst_traffic *traffic, mst_error *error);

// The public function, with a choice made.
mst_status mst_stencil_create_as(mst_context *context, const mst_stencil_desc *desc, const mst_stencil_choice *choice,
                                 mst_stencil **out, mst_error *error);

#endif
