// How the devices of a group give one another parts of spread arrays: down to pinned memory of the host in pieces, from where the
// other device takes each up as soon as it is there, so that both directions of all links are in use at once. A thread a device.
#ifndef MST_FFT_SPREAD_EXCHANGE_H
#define MST_FFT_SPREAD_EXCHANGE_H

#include "spread.h"

// Of each device, pieces on their way down, given but not yet up, and those that both wait for.
enum { MST_SPREAD_AHEAD = 3, MST_SPREAD_BEHIND = 3, MST_SPREAD_SLOTS = MST_SPREAD_AHEAD + MST_SPREAD_BEHIND + 1 };

typedef struct mst_spread_member {
    mst_context *context;
    mst_queue compute, up, down;
    cl_mem pinned[MST_SPREAD_SLOTS];
    void *slots[MST_SPREAD_SLOTS];
    cl_event downs[MST_SPREAD_SLOTS], ups[MST_SPREAD_SLOTS];
    uint64_t given, taken; // pieces that have come down, and that are up; guarded by the team's mutex
} mst_spread_member;

typedef struct mst_spread_team {
    size_t n;
    mst_spread_member *all;
    uint64_t slot_bytes;
    pthread_mutex_t mutex; // guards what follows, and has been made
    pthread_cond_t changed;
    mst_status status; // the first failure
    mst_error error;
} mst_spread_team;

// Makes the team of a group, with slots for pieces of so many bytes; 0: nothing will be exchanged. Release accepts half of it.
mst_status mst_spread_team_make(mst_context *context, uint64_t slot_bytes, mst_spread_team *team, mst_error *error);
void mst_spread_team_release(mst_spread_team *team);

// Lets all members work at once, each by `work`, which calls mst_spread_team_fail where it fails; and gives the first failure,
// when no command of theirs runs any more.
mst_status mst_spread_team_run(mst_spread_team *team, void (*work)(size_t k, void *user), void *user, mst_error *error);
void mst_spread_team_fail(mst_spread_team *team, mst_status status, const mst_error *error);

typedef struct mst_spread_call {
    const mst_spread_exchange *plan;
    bool to_columns;
    size_t element;
    cl_mem from, to; // the member's buffers
    // Computes what is to be in `from`, at least what the rows before `row` of flat order have; NULL: it is there. Returns an
    // event behind that, to be released, or NULL if nothing was left to compute. Called with rows that grow, to the end.
    mst_status (*compute)(void *user, size_t row, cl_event *computed, mst_error *error);
    void *user;
} mst_spread_call;

// A member's part of an exchange; when all members' have returned it is done, unless one has failed.
mst_status mst_spread_pass(mst_spread_team *team, size_t k, const mst_spread_call *call, mst_error *error);

#endif
