// A place between nodes as nodes and weights: Kaiser-windowed sincs (Hicks, Geophysics 67, 2002) or hat functions, along each
// axis separately.
#ifndef MST_STENCIL_SPREAD_H
#define MST_STENCIL_SPREAD_H

#include "problem_points.h"

enum { MST_SPREAD_MOST_RADIUS = 10 };

// How a place is spread. radius 0 is the usual one.
typedef struct mst_place_spread {
    mst_stencil_interpolation interpolation;
    unsigned radius;
    int faces; // the set of boundaries of the field that it belongs to
} mst_place_spread;

// Appends the nodes of a place, in the order of their places. `position` is in nodes, in the order of the description's axes;
// `what` names it in messages.
mst_status mst_place_add(const mst_problem *problem, mst_place_spread spread, const double *position, const char *what,
                         mst_node_list *list, mst_error *error);

// The same of a node, whose weight is 1.
mst_status mst_place_add_node(const mst_problem *problem, const size_t *point, const char *what, mst_node_list *list,
                              mst_error *error);

#endif
