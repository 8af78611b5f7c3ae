// Reading an expression at the nodes of its region, wherever the state lies.
#ifndef MST_STENCIL_LOOK_H
#define MST_STENCIL_LOOK_H

#include "observer.h"

typedef struct mst_look {
    mst_observer *o;
    const mst_observation *what;
    const mst_kernel *kernel;
    const cl_mem *result;        // of a monitor the partials, of a spectrum the sums
    mst_region region;           // its planes are numbered as the state's; of a monitor of an ensemble that of its first run
    uint64_t from, to;           // units or nodes of the region that are looked at
    uint64_t runs;               // of a monitor, at once; of a state in a backing store 1
    uint64_t first_run;          // of those, where planes are no runs
    bool is_spectrum, is_values; // by nodes: of the latter, partials[0] gets the value of node `from`
    uint64_t of_line;            // units of a line of the region, or nodes
    uint64_t step;               // that the state has reached
} mst_look;

// Queues it; of a state in a backing store, one part behind the other, using the observer's staging.
mst_status mst_look_at(const mst_look *look, mst_error *error);

#endif
