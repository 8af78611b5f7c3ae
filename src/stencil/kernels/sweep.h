// A step as sweeps: every sub-step is one pass of a plain kernel over the whole grid, a node (or a few) a work-item. The arrays
// have margins that hold the nodes beyond faces, so that updates read neighbours straight from memory and know of no face. Made
// from the scheme alone, without a device.
#ifndef MST_STENCIL_SWEEP_H
#define MST_STENCIL_SWEEP_H

#include "stencil/scheme/pipeline.h"

enum { MST_SWEEPS_TRIP = 8 }; // steps that are queued at once, and staggered at most

// Where the nodes of an array lie: node (plane, row, column) at element first + plane x plane_pitch + row x pitch + column, with
// so many nodes before the first and behind the last of each axis, and room for a vector around all of them.
typedef struct mst_padded {
    int64_t before[N_AXES], behind[N_AXES];
    int64_t pitch, plane_pitch, first;
    uint64_t elements; // UINT64_MAX: too many to be counted
} mst_padded;

typedef struct mst_sweeps {
    const mst_problem *problem;
    mst_stencil_shape shape;
    size_t element;                        // bytes of the smallest elements of all arrays
    int width;                             // elements of a vector
    int n;                                 // sweeps of a step, one a sub-step:
    int first[MST_STENCIL_MAX_FIELDS + 1]; // sweep k does updates first[k] to first[k + 1] - 1
    // Of an update: its values replace those of the field's oldest array in place, as nothing reads that but at the node itself.
    // Else they go to a spare array, in whose place the oldest one becomes spare.
    bool in_place[MST_STENCIL_MAX_FIELDS];
    // Spare arrays. Those of arrays with larger elements come first, and an array takes turns only with those like it.
    int n_spares;
    size_t spare_elements[2 * MST_STENCIL_MAX_FIELDS]; // bytes
    bool has_margin[MST_STENCIL_MAX_FIELDS];           // of a field: updates read neighbours
    bool margins_change;                               // from step to step
    bool copies_margins;                               // and sweeps fill them as they go
    mst_padded padded;
} mst_sweeps;

mst_sweeps mst_sweeps_make(const mst_problem *problem, mst_stencil_shape shape);

// The array of the state that an update replaces.
int mst_sweeps_replaced(const mst_problem *problem, int update);

// Whether a part of the state, or a coefficient field, has elements of float16, or of the scheme.
bool mst_sweeps_has(const mst_sweeps *sweeps, bool half, bool coefficient);

// The spare arrays that the updates of a sweep take in turn, by the elements of the update's field. Begins as zeros.
typedef struct mst_spare_turn {
    int taken[2]; // of those with the scheme's elements, and with float16
} mst_spare_turn;
int mst_sweeps_next_spare(const mst_sweeps *sweeps, int update, mst_spare_turn *turn);

// Nodes of the margins of an array.
uint64_t mst_sweeps_margin_nodes(const mst_sweeps *sweeps);

#endif
