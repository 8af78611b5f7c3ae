// What a part of a grid gives to each of its neighbours in an exchange of halos, and takes from it: those that it meets at a
// face, an edge or a corner, all at once, so that corners need no exchange of their own. Pure, as parts.h.
#ifndef MST_STENCIL_PLAN_LINKS_H
#define MST_STENCIL_PLAN_LINKS_H

#include "parts.h"

enum { MST_MOST_LINKS = 26 };

// Nodes from .. to - 1 of each axis of the whole grid; those of halos may lie beyond periodic faces.
typedef struct mst_link_box {
    int64_t from[N_AXES], to[N_AXES];
} mst_link_box;

// A neighbour lies at side -1, 0 or 1 along each axis. Of all arrays of the state, one behind the other, the nodes of a box are
// given, which are `given_bytes` at byte `given_at` of all that is given, and those of another taken.
typedef struct mst_link {
    int side[N_AXES];
    mst_link_box given, taken;
    uint64_t given_at, given_bytes, taken_at, taken_bytes;
} mst_link;

// The neighbours of a part, for halos of so many steps: those that something is given to or taken from, or (with `below`) the
// ones below and above along the slowest axis, whether they are there or not. Returns how many.
int mst_links_find(const mst_problem *problem, const mst_part part[N_AXES], const mst_halo halos[N_AXES], uint64_t steps,
                   bool below, mst_link links[MST_MOST_LINKS]);

// A number of a side, 0 to 26, that is its own only; the neighbour sees this part at the side of number 26 less that.
static inline int mst_link_number(const mst_link *link) {
    return ((link->side[0] + 1) * 3 + link->side[1] + 1) * 3 + link->side[2] + 1;
}

// Bytes of a box of all arrays of the state.
uint64_t mst_link_bytes(const mst_problem *problem, const mst_link_box *box);

#endif
