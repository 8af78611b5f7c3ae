// The order in which several launches over the planes of a part of a grid do what neighbours are given first: the planes beside
// the cuts, then the rest. Each launch reads what the one before has written beside its own planes, and replaces what that one
// has read. So the planes beside a cut that are done first are more, launch by launch from the last one back, by as many as a
// launch reaches, and the rest is left for all of them behind (time skewing from both sides).
#ifndef MST_STENCIL_CUTS_H
#define MST_STENCIL_CUTS_H

#include "runtime/numbers.h"
#include "runtime/queue.h"

#include <stdbool.h>

// Of so many planes those from .. to - 1 are wanted when all is done; those before `low` and from `high` on first. A side without
// a neighbour: from and low are 0, high and to the number of planes.
typedef struct mst_cuts {
    int64_t planes, from, low, high, to;
} mst_cuts;

typedef enum mst_cuts_turn { MST_CUTS_LOW, MST_CUTS_HIGH, MST_CUTS_REST } mst_cuts_turn;

typedef struct mst_cuts_range {
    int64_t from, to;
} mst_cuts_range;

// What a launch does in its turn, if those behind it reach `beyond` planes together.
static inline mst_cuts_range mst_cuts_planes(const mst_cuts *c, mst_cuts_turn turn, int64_t beyond) {
    const int64_t low = c->low > 0 ? c->low + beyond : 0, high = c->high < c->planes ? c->high - beyond : c->planes;
    return turn == MST_CUTS_LOW    ? (mst_cuts_range){mst_smaller(mst_larger(c->from - beyond, (int64_t)0), low), low}
           : turn == MST_CUTS_HIGH ? (mst_cuts_range){high, mst_larger(mst_smaller(c->to + beyond, c->planes), high)}
                                   : (mst_cuts_range){low, high};
}

// Whether something is left for the first launch, which does most of the planes beside cuts.
static inline bool mst_cuts_leave_rest(const mst_cuts *c, int64_t beyond) {
    const mst_cuts_range rest = mst_cuts_planes(c, MST_CUTS_REST, beyond);
    return rest.from < rest.to;
}

// Enqueues launch k over a range of planes.
typedef mst_status mst_cuts_launch(void *user, size_t k, mst_cuts_range range, mst_error *error);

// All of n launches in their turns; those behind launch k reach beyond[k] planes together. *given is behind what neighbours are
// given, the caller's to release.
mst_status mst_cuts_enqueue(const mst_cuts *cuts, const int64_t *beyond, size_t n, mst_cuts_launch *launch, void *user,
                            mst_queue *queue, cl_event *given, mst_error *error);

#endif
