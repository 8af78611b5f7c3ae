// A step as sweeps: every sub-step is one pass of a plain kernel over the whole grid, a node (or a few) a work-item. The arrays
// have margins that hold the nodes beyond faces, so that updates read neighbours straight from memory and know of no face. Made
// from the scheme alone, without a device.
#ifndef MST_STENCIL_SWEEP_H
#define MST_STENCIL_SWEEP_H

#include "stencil/scheme/pipeline.h"

enum { MST_SWEEPS_TRIP = 16 };     // steps that are queued at once, and staggered at most
enum { MST_TIME_TILE_PLANES = 4 }; // of a tile that a sweep does together, at most

// Where the nodes of an array lie: node (plane, row, column) at element first + plane x plane_pitch + row x pitch + column, with
// so many nodes before the first and behind the last of each axis, and room for a vector around all of them.
typedef struct mst_padded {
    int64_t before[N_AXES], behind[N_AXES];
    int64_t pitch, plane_pitch, first;
    uint64_t elements; // UINT64_MAX: too many to be counted
} mst_padded;

// Arrays of one kind may take one another's place: whole grids of the scheme's elements, or of float16, and memory variables of
// the layers of an axis, which have elements for the nodes in these only. MST_SWEEPS_LAYERS + axis is the kind of the latter.
typedef enum mst_sweeps_kind { MST_SWEEPS_WHOLE, MST_SWEEPS_HALF, MST_SWEEPS_LAYERS, MST_SWEEPS_KINDS = 5 } mst_sweeps_kind;

// Memory variables of the layers of an axis. Nodes before `low` of the axis lie at their number, and those from `high` on, less
// `skipped`. Along the columns these begin and end between vectors, and between and around them is room for a vector and the
// largest offset.
typedef struct mst_folded {
    int64_t low, high, skipped;
    mst_padded array;
    int64_t lengths[N_AXES]; // of what holds all nodes, from element `first` on
} mst_folded;

typedef struct mst_sweeps {
    const mst_problem *problem;
    mst_stencil_shape shape;
    size_t element;                        // bytes of the smallest elements of all arrays
    int width;                             // elements of a vector
    size_t vector_bytes;                   // of a CPU
    int n;                                 // sweeps of a step, one a sub-step:
    int first[MST_STENCIL_MAX_FIELDS + 1]; // sweep k does updates first[k] to first[k + 1] - 1
    // Of an update: its values replace those of the field's oldest array in place, as nothing reads that but at the node itself.
    // Else they go to a spare array, in whose place the oldest one becomes spare.
    bool in_place[MST_STENCIL_MAX_FIELDS];
    // Spare arrays. An array takes turns only with those of its kind, which is the order that they have.
    int n_spares;
    mst_sweeps_kind spare_kinds[MST_STENCIL_MAX_FIELDS];
    bool has_margin[MST_STENCIL_MAX_FIELDS]; // of a field: updates read neighbours
    bool margins_change;                     // from step to step
    bool copies_margins;                     // and sweeps fill them as they go
    bool points_of[MST_STENCIL_MAX_FIELDS];  // of a field: it has sources at nodes, or receivers
    bool in_parts;                           // sweeps may be over a part of the planes
    bool undivided;                          // a GPU has one kernel for nodes outside layers and in them
    bool around;                             // a GPU's sweeps may leave out a box of nodes outside layers
    bool has_fixed_pitch;                    // the pitch is a number in the kernels, which are for grids of these columns alone
    bool has_fixed_lines;                    // the same on a CPU, of planes, too; and lines are done as a whole
    bool in_tiles;                           // a kernel does several steps of a part of the planes
    mst_padded padded;
    mst_folded folded[N_AXES];
} mst_sweeps;

// Columns of a CPU's tiles of several steps, which take longer lines in parts.
enum { MST_SWEEPS_PART_COLUMNS = 1 << 10 };

mst_sweeps mst_sweeps_make(const mst_problem *problem, mst_stencil_shape shape, size_t vector_bytes);
void mst_sweeps_fold(mst_sweeps *sweeps); // its part for `folded`: sweep_layers.c
// Has kernels that are to do so many steps (0: not known) made for these lines alone, if that repays building them.
void mst_sweeps_fix_lines(mst_sweeps *sweeps, uint64_t steps);

// Elements of an array that holds so many planes (of each run), and those of its margins; UINT64_MAX: too many to be counted.
uint64_t mst_sweeps_elements(const mst_sweeps *sweeps, uint64_t planes);

// Planes between the last one of a run and the first one of the next; and elements from run to run of all grids.
int64_t mst_sweeps_gap(const mst_sweeps *sweeps);
int64_t mst_sweeps_of_run(const mst_sweeps *sweeps);

// The planes by which a sweep has to lie behind the one before.
int64_t mst_sweeps_lag(const mst_sweeps *sweeps);
int64_t mst_sweeps_row_lag(const mst_sweeps *sweeps); // and rows

// The array of the state that an update replaces.
int mst_sweeps_replaced(const mst_problem *problem, int update);

mst_sweeps_kind mst_sweeps_kind_of(const mst_sweeps *sweeps, int field);
// Bytes of an array, by its number among those of the state and then the coefficient fields; of spare array k; and of all.
// UINT64_MAX: they cannot be counted.
uint64_t mst_sweeps_bytes(const mst_sweeps *sweeps, int array);
uint64_t mst_sweeps_spare_bytes(const mst_sweeps *sweeps, int k);
size_t mst_sweeps_spare_element(const mst_sweeps *sweeps, int k); // its bytes
uint64_t mst_sweeps_all_bytes(const mst_sweeps *sweeps);
// Where the nodes of an array lie.
const mst_padded *mst_sweeps_layout(const mst_sweeps *sweeps, int array);

// Offsets along an axis at which the updates of sweep k read the memory variables of its layers: the least and the largest. False
// if none does. And the axes of which any does, a bit each.
bool mst_sweeps_layer_reach(const mst_sweeps *sweeps, int k, int axis, int reach[2]);
unsigned mst_sweeps_layer_axes(const mst_sweeps *sweeps, int k);

// Whether a part of the state, or a coefficient field, has elements of float16, or of the scheme.
bool mst_sweeps_has(const mst_sweeps *sweeps, bool half, bool coefficient);

// Whether there are sources or receivers, for which there are kernels beside the sweeps.
static inline bool mst_sweeps_has_points(const mst_sweeps *sweeps) {
    return sweeps->problem->n_sources > 0 || sweeps->problem->n_receivers > 0;
}

// The spare arrays that the updates of a sweep take in turn, by the kind of the update's field. Begins as zeros.
typedef struct mst_spare_turn {
    int taken[MST_SWEEPS_KINDS];
} mst_spare_turn;
int mst_sweeps_next_spare(const mst_sweeps *sweeps, int update, mst_spare_turn *turn);

// Arrays of the state, coefficient fields and spare arrays have slots, in this order.
enum { MST_SWEEPS_SLOTS = MST_STENCIL_MAX_ARRAYS + 3 * MST_STENCIL_MAX_FIELDS };
int mst_sweeps_n_slots(const mst_sweeps *sweeps);
bool mst_sweeps_is_half_slot(const mst_sweeps *sweeps, int slot);
int mst_sweeps_target(const mst_sweeps *sweeps, int update, mst_spare_turn *turn); // the slot that its values go to
// Changes which array is in which slot as sweep k does: new values become the field's newest array, and the others a level older.
void mst_sweeps_rotate(const mst_sweeps *sweeps, int k, int arrays[MST_SWEEPS_SLOTS]);

// Whether the rows of a tile, which are periodic, may be done in blocks. Points are found in the order of rows.
bool mst_sweeps_split_rows(const mst_sweeps *sweeps);

// Whether `in_tiles` is possible: nothing but sweeps and points happens between steps.
bool mst_sweeps_can_tile(const mst_sweeps *sweeps);

#endif
