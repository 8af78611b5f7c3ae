// A grid that is shared out among the devices of a group: each member is a solver of a part of the grid on a device of its own,
// with its own kernels, plan and schedule, in core or streaming. They advance at once, so many steps, and then exchange halos.
// The solver that the caller has is one of the whole grid, whose schedule they are.
#ifndef MST_STENCIL_MEMBERS_H
#define MST_STENCIL_MEMBERS_H

#include "halo.h"

// What goes to a neighbour, or comes from it, and of the former the marks behind each piece's download.
typedef struct mst_member_side {
    mst_halo_piece *pieces;
    size_t n;
    cl_event *marks;
} mst_member_side;

// One device's: its solver, and its edges on their way to the neighbours below and above.
typedef struct mst_member {
    mst_stencil *solver;
    size_t device; // its number in the group
    mst_queue up, down;
    unsigned char *edges[2]; // NULL where neighbours read all of them in the host's memory
    mst_member_side gives[2], takes[2];
    mst_cuts cuts;
    uint64_t steps_left, exchange; // as the group's, behind what it has done
    uint64_t given[2];             // pieces of all exchanges that have come to `edges`; guarded by the mutex
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
    bool beside;           // they go on while the interior is computed
    bool hosted;           // a member's state lies in a backing store, which its neighbours may read
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

// The memory of exchanges, taken when all members are there, and whose are the points of receivers.
mst_status mst_members_take(mst_members *members, mst_error *error);

// members_exchange.c: fails for all members; gives edges to the neighbours and takes theirs, *met being false if a member has
// failed. `given` NULL: the state is whole, before and after. Else edges are there behind that event, and halos when the next
// command of the member's runs. And what that takes: release accepts half of it.
void mst_members_fail(mst_members *members, mst_status status, const mst_error *error);
mst_status mst_members_exchange(mst_members *members, size_t member, uint64_t number, const cl_event *given, bool *met,
                                mst_error *error);
mst_status mst_member_take(mst_member *member, uint64_t piece_bytes, mst_error *error);
void mst_member_release(mst_member *member);

// A solver of the description on the context: shared out if that is a group and there are planes enough, else the lead's alone.
mst_status mst_members_create(mst_context *context, const mst_stencil_desc *desc, mst_stencil **out, mst_error *error);
// The same as far as planning goes, for the figures of so many steps.
mst_status mst_members_plan(mst_context *context, const mst_stencil_desc *desc, uint64_t steps, mst_stencil **out,
                            mst_error *error);

// Of any solver, one that is shared out or not.
void mst_members_figures(const mst_stencil *s, uint64_t steps, mst_stencil_plan *plan);

// Shares are numbers that are not negative, nor all 0.
mst_status mst_shares_check(const double *shares, size_t n, mst_error *error);

// How the planes of a description are shared out in n parts, of so many steps (0: as a model finds best) between exchanges, and
// whether these are to go on beside the interior. `beside` NULL: the caller exchanges.
mst_status mst_members_divide(mst_context *context, const mst_stencil_desc *desc, const double *shares, size_t n, uint64_t steps,
                              mst_stencil_part *parts, bool *beside, mst_error *error);

#endif
