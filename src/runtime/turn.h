// What a plan, or a solver, works with belongs to one execution at a time: two threads that execute the same one take turns.
#ifndef MST_RUNTIME_TURN_H
#define MST_RUNTIME_TURN_H

#include "error.h"

typedef struct mst_turn mst_turn;

mst_status mst_turn_create(mst_turn **out, mst_error *error);
void mst_turn_destroy(mst_turn *turn); // NULL is allowed

// Waits until no other thread has the turn. MST_ERROR_ARGUMENT: this one has it, as it calls from its execution's progress
// function.
mst_status mst_turn_take(mst_turn *turn, mst_error *error);
mst_status mst_turn_give(mst_turn *turn, mst_status status); // of what was done; returned

#endif
