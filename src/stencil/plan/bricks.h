// How a grid is cut along several axes, for ranks: how many bricks there are along each, by a model of the messages and bytes of
// an exchange and of what is computed twice, and the steps between exchanges. Pure, as parts.h.
#ifndef MST_STENCIL_PLAN_BRICKS_H
#define MST_STENCIL_PLAN_BRICKS_H

#include "links.h"

// The seconds of a step of a brick with neighbours on all sides, where there are so many bricks along each axis.
double mst_bricks_seconds(const mst_problem *problem, const mst_halo halos[N_AXES], const mst_parts_rates *rates,
                          const size_t bricks[N_AXES], uint64_t steps);

// Whether all axes have nodes enough; *axis is one that has not, of which each brick is to have `least`.
bool mst_bricks_fit(const mst_problem *problem, const mst_halo halos[N_AXES], const size_t bricks[N_AXES], uint64_t steps,
                    int *axis, int64_t *least);

// The steps between two exchanges with which they are fastest; 0: halos of one step do not fit.
uint64_t mst_bricks_steps(const mst_problem *problem, const mst_halo halos[N_AXES], const mst_parts_rates *rates,
                          const size_t bricks[N_AXES]);

// The best n of them, for so many steps (0: any). The slowest axis alone is cut if that takes no longer, or if others would have
// too few nodes for it to matter.
void mst_bricks_choose(const mst_problem *problem, const mst_halo halos[N_AXES], const mst_parts_rates *rates, size_t n,
                       uint64_t steps, size_t bricks[N_AXES]);

#endif
