// How a grid is shared out: a part of its slowest axis for each device of a group, a part or a brick for each rank of a job.
// Pure: it takes a problem and numbers, and is all that a caller needs who runs parts itself. It finds how far a step reaches
// along an axis (mst_halo_find), cuts the axis by shares (mst_parts_cut), and says how many steps may pass between two exchanges
// (mst_parts_steps). Then each part is a problem of its own (mst_problem_cut, scheme/part.h), which advances by so many steps,
// whatever its schedule; then its first planes go to the upper halo of the part below, its last ones to the lower halo of the one
// above, and so on. Ranks have the same by the public mst_stencil_divide, mst_stencil_desc.part, and mst_stencil_read_halo and
// mst_stencil_write_halo; and cut along several axes by mst_stencil_brick_of and mst_stencil_desc.brick.
//
// What is computed near a cut is wrong as far as a step reaches, then as far as two do; so halos of n steps are n times as deep,
// and what is wrong never gets to the part's own planes before halos are filled again.
#ifndef MST_STENCIL_PLAN_PARTS_H
#define MST_STENCIL_PLAN_PARTS_H

#include "stencil/scheme/part.h"

// Along an axis, the nodes below and above that a step of a node reads of the state, and of coefficient fields; and how far on
// either side of a node its part reads after every step: where the nodes of receivers' points lie beside their home, and what
// monitors and spectra read.
typedef struct mst_halo {
    int64_t state[2], fixed[2], beside;
} mst_halo;

mst_status mst_halo_find(const mst_problem *problem, mst_halo out[N_AXES], mst_error *error);

// The depth of the halo below (side 0) or above a part for so many steps.
int64_t mst_halo_depth(const mst_halo *halo, int side, uint64_t steps);
// The least planes of a part whose neighbours have their halos in it alone, and which has what a mirror at its face shows.
int64_t mst_halo_least(const mst_halo *halo, bool is_ring, uint64_t steps);

// Cuts an axis by shares (positive numbers or 0; NULL: equal ones) into at most n parts; a share of 0, or one that there are not
// enough nodes for, has none. Returns how many parts have nodes: 1, without halos, if there are not enough for two.
size_t mst_parts_cut(const mst_problem *problem, int axis, const mst_halo *halo, uint64_t steps, const double *shares, size_t n,
                     mst_part *parts);

// Seconds of the launches that nodes beside cuts take beside those of the rest.
#define MST_PARTS_LAUNCHES 3e-5

// What the time between exchanges depends on.
typedef struct mst_parts_rates {
    double updates;  // nodes a second that one part's device computes
    double exchange; // bytes a second that go from part to part
    double latency;  // seconds of an exchange of next to nothing
    double trip;     // seconds of a trip of a part through its device, where it does not stay there; else 0
    uint64_t unit;   // steps of a pass of the kernels
    bool beside;     // exchanges go on while what neighbours are not given is computed
} mst_parts_rates;

// The steps between two exchanges with which n parts are fastest by the model, whole passes if that many are possible; more steps
// exchange less often, and compute more of the halos. 0: not even halos of one step fit n parts. And the seconds of a step.
uint64_t mst_parts_steps(const mst_problem *problem, const mst_halo *halo, const mst_parts_rates *rates, size_t n);
double mst_parts_seconds(const mst_problem *problem, const mst_halo *halo, const mst_parts_rates *rates, uint64_t steps,
                         size_t n);

// The bytes that a part is given in one exchange of halos for so many steps, from below (side 0) or from above.
uint64_t mst_parts_bytes(const mst_problem *problem, const mst_halo *halo, int side, uint64_t steps);

#endif
