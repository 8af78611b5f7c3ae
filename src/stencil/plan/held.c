#include "held.h"

#include "runtime/numbers.h"

// Nodes of an axis that some nodes of the region along it, one behind the other, and their neighbours take: at most all there
// are.
static uint64_t span(const mst_problem *p, const mst_observation *o, int axis, uint64_t nodes) {
    return mst_smaller((nodes - 1) * o->region.step[axis] + 1 + 2 * (uint64_t)o->reach[axis], p->grid[axis]);
}

static uint64_t line_bytes(const mst_problem *p) { return p->grid[COLUMNS] * p->element; }

uint64_t mst_held_least(const mst_problem *p, const mst_observation *o) {
    return span(p, o, PLANES, 1) * span(p, o, ROWS, 1) * line_bytes(p);
}

// The most nodes of the region that take no more than `most` of the axis.
static uint64_t nodes_in(const mst_problem *p, const mst_observation *o, int axis, uint64_t most) {
    const uint64_t all = o->region.count[axis], least = span(p, o, axis, 1);
    return span(p, o, axis, all) <= most ? all : 1 + (most - least) / o->region.step[axis];
}

mst_held mst_held_make(const mst_problem *p, const mst_observation *o, uint64_t bytes) {
    const uint64_t room = bytes / line_bytes(p), rows = span(p, o, ROWS, o->region.count[ROWS]), least = span(p, o, PLANES, 1);
    const bool whole = room >= rows * least;
    mst_held held;
    held.lines[ROWS] = whole ? o->region.count[ROWS] : nodes_in(p, o, ROWS, room / least);
    held.lines[PLANES] = whole ? nodes_in(p, o, PLANES, room / rows) : 1;
    for (int axis = PLANES; axis <= ROWS; axis++)
        held.count[axis] = span(p, o, axis, held.lines[axis]);
    return held;
}
