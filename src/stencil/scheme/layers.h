// Absorbing layers: convolutional perfectly matched layers (Roden and Gedney, Microwave and Optical Technology Letters 27, 2000).
// Each derivative d that a scheme marks by stretch_x(d) has a memory variable, a field of its own that is 0 outside the layers of
// the axis; in them its update in the same sub-step is psi = b psi + a d, and in place of d stands d / kappa + the new psi.
#ifndef MST_STENCIL_LAYERS_H
#define MST_STENCIL_LAYERS_H

#include "expr/stretch.h"
#include "problem.h"

typedef enum mst_layer_coefficient {
    MST_LAYER_DECAY, // b
    MST_LAYER_GAIN,  // a
    MST_LAYER_SCALE, // 1 / kappa, 0 outside the layers
    MST_LAYER_COEFFICIENTS
} mst_layer_coefficient;

typedef struct mst_layer_memory {
    mst_expr_stretch stretch; // as it was first met
    int field, table;
    size_t substep;
} mst_layer_memory;

// What is known while updates are read.
typedef struct mst_layer_reading {
    mst_problem *problem;
    size_t first_symbol; // of those that are no names of the scheme's
    size_t substep;
    unsigned axes;                            // whose stretches are more than their arguments, a bit each
    mst_expr *parsed[MST_STENCIL_MAX_FIELDS]; // updates as they were parsed,
    int updates[MST_STENCIL_MAX_FIELDS];      // and their numbers in the problem
    int n, n_updated;
    mst_layer_memory memories[MST_STENCIL_MAX_FIELDS];
} mst_layer_reading;

// Checks and takes the layers at faces, before updates and faces are read. The grid is known.
mst_status mst_layers_read(const mst_stencil_desc *desc, mst_problem *problem, mst_error *error);
// Whether axes with layers are those along which something is stretched.
mst_status mst_layers_check(const mst_problem *problem, mst_error *error);

// Update number `update` with its stretches carried out, which adds the fields of memory variables; and the update of one of
// these. *out is the caller's.
mst_status mst_layers_expand(mst_layer_reading *reading, size_t update, size_t substep, const char *what, mst_expr **out,
                             mst_error *error);
// The same with the stretches along some axes alone, a bit each; NULL if there is none at all.
mst_status mst_layers_expand_along(mst_layer_reading *reading, unsigned axes, size_t update, const char *what, mst_expr **out,
                                   mst_error *error);
mst_status mst_layers_memory(mst_layer_reading *reading, unsigned axes, const mst_layer_memory *memory, mst_expr **out,
                             mst_error *error);
enum { MST_LAYERS_ALL_AXES = (1 << N_AXES) - 1 };
// Whether nodes can be in layers of more than one axis.
bool mst_layers_meet(const mst_problem *problem);
// The number of the update in which its stretch was first met.
int mst_layers_update(const mst_layer_reading *reading, const mst_layer_memory *memory);
void mst_layers_release(mst_layer_reading *reading);

// The tables lie one behind the other, behind the factors of sponges, what varies from run to run, and so many places, each with
// places for nodes beyond faces that offsets and vectors reach: so many before the first node, and behind the last. Table k (of
// one coefficient) begins at the sum of lengths[axis] times the nodes of each axis and `more`.
enum { MST_LAYER_TABLE_BEGIN = 16, MST_LAYER_TABLE_MARGIN = MST_STENCIL_MAX_RADIUS + 16 };
typedef struct mst_layer_place {
    int lengths[N_AXES], more;
} mst_layer_place;
mst_layer_place mst_layers_place(const mst_problem *problem, int k);
static inline int mst_layers_count(const mst_problem *p) { return p->n_layers * MST_LAYER_COEFFICIENTS; }

// The leaf of a symbol by its number behind the first.
mst_leaf mst_layers_leaf(const mst_problem *problem, size_t symbol);

// The nodes of an axis that lie in its layers are those before `low` and those from `high` on. All do where layers meet.
typedef struct mst_layer_nodes {
    int64_t low, high;
} mst_layer_nodes;
mst_layer_nodes mst_layers_nodes(const mst_problem *problem, int axis);
mst_layer_nodes mst_layers_all_nodes(const mst_problem *problem, int axis); // of the whole grid, of which the problem is a part
// The nodes whose updates read no coefficient of a layer of the axis, which are those from `low` on and before `high`; all, if it
// has none.
mst_layer_nodes mst_layers_clear(const mst_problem *problem, int axis);
// The scheme that these nodes have: without memory variables. It points to what the problem does, which is to outlive it.
mst_problem mst_layers_outside(const mst_problem *problem);
mst_problem mst_layers_without(const mst_problem *problem); // and everywhere, with 0 beyond the faces

// The shape of an array, those of the state and then the coefficient fields: the grid, or of a memory variable the nodes in the
// layers of its axis, those of the lower layer first. And the nodes of that.
void mst_layers_grid(const mst_problem *problem, int array, uint64_t grid[N_AXES]);
uint64_t mst_layers_array_nodes(const mst_problem *problem, int array);
// The bytes of all arrays of the state.
uint64_t mst_layers_state_bytes(const mst_problem *problem);

// What stands in table k for node i of its axis, which may lie beyond faces.
double mst_layers_value(const mst_problem *problem, int k, int64_t i);

#endif
