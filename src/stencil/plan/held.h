// What the device holds of the arrays that an expression reads while the state is in a backing store.
#ifndef MST_STENCIL_PLAN_HELD_H
#define MST_STENCIL_PLAN_HELD_H

#include "stencil/scheme/observations.h"

// So many planes and rows of each array at a time: all that neighbours lie in of `lines` lines of the region along each of the
// two axes. Where all rows of the region are held, boxes follow one another along the planes, else along the rows of a plane.
typedef struct mst_held {
    uint64_t count[2], lines[2]; // of planes and of rows
} mst_held;

// What fits so many bytes an array, of which there are as many as the least takes.
mst_held mst_held_make(const mst_problem *problem, const mst_observation *observation, uint64_t bytes);
uint64_t mst_held_least(const mst_problem *problem, const mst_observation *observation);

#endif
