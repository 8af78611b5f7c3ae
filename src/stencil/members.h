// A grid that is shared out among the devices of a group: each member is a solver of a part of the grid on a device of its own,
// with its own kernels, plan and schedule, in core or streaming. They advance at once, so many steps, and then exchange halos.
// The solver that the caller has is one of the whole grid, whose schedule they are.
#ifndef MST_STENCIL_MEMBERS_H
#define MST_STENCIL_MEMBERS_H

#include "solver.h"

enum { MST_EXCHANGES = 2 }; // buffers for edges take turns, so that one meeting an exchange is enough

// One device's: its solver, and its edges on their way to the neighbours below and above.
typedef struct mst_member {
    mst_stencil *solver;
    size_t device; // its number in the group
    unsigned char *edges[MST_EXCHANGES][2];
    mst_traffic traffic;
    uint64_t counted;             // values that are infinite or NaN
    double computing, exchanging; // seconds
} mst_member;

typedef struct mst_members {
    mst_schedule base; // of the whole
    mst_stencil *whole;
    size_t n;
    mst_member *all;
    uint64_t steps;        // between exchanges
    uint64_t steps_left;   // for which halos hold
    uint64_t exchange;     // number of the next one
    size_t *owners;        // of the points of receivers
    uint64_t wanted;       // steps of a call
    pthread_mutex_t mutex; // guards what follows
    pthread_cond_t changed;
    size_t here; // members that have come to the next meeting
    uint64_t meetings;
    mst_status status; // the first failure
    mst_error error;
} mst_members;

// The solver of a whole grid that is shared out so: members.c makes them, members_run.c has what they do. Destroyed as a
// schedule.
mst_status mst_members_begin(mst_stencil *whole, mst_error *error);

// The bytes of the edges, taken when all members are there, and whose are the points of receivers.
mst_status mst_members_take(mst_members *members, mst_error *error);

// A solver of the description on the context: shared out if that is a group and there are planes enough, else the lead's alone.
mst_status mst_members_create(mst_context *context, const mst_stencil_desc *desc, mst_stencil **out, mst_error *error);
// The same as far as planning goes, for the figures of so many steps.
mst_status mst_members_plan(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, mst_stencil **out,
                            mst_error *error);

// Of any solver, one that is shared out or not.
void mst_members_figures(const mst_stencil *s, uint64_t steps, mst_stencil_plan *plan);

// How the planes of a description are shared out in n parts, of at most the steps (0: as a model finds best) between exchanges.
mst_status mst_members_divide(mst_context *context, const mst_stencil_desc *desc, const double *shares, size_t n, uint64_t steps,
                              mst_stencil_part *parts, mst_error *error);

#endif
