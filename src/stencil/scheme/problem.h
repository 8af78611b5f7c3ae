// A checked description of a scheme. Inside the module every grid has three axes: planes (slowest), rows and columns; a grid of
// two axes has one row a plane, of one axis one plane of one row.
#ifndef MST_STENCIL_PROBLEM_H
#define MST_STENCIL_PROBLEM_H

#include "formula.h"
#include "runtime/error.h"

#include <mastaba/stencil.h>

typedef struct mst_problem_field {
    char name[MST_EXPR_MAX_NAME + 1];
    int levels;
    bool coefficient;
    bool is_half;   // lies in memory as float16
    int array;      // the first of its arrays among those of the state, or among the coefficient fields
    int faces;      // the set of its boundaries
    bool is_memory; // a memory variable of the absorbing layers of an axis, `layer_axis`, which counts in these only
    int layer_axis;
} mst_problem_field;

typedef struct mst_problem_update {
    int field;
    size_t substep;
    mst_formula formula;
    // With the same varying numbers, that where no node is in a layer, and that where nodes are in layers of one axis alone. No
    // expression: it is `formula`, or there is none, as of a memory variable outside the layers of its axis.
    mst_formula outside, alone[N_AXES];
} mst_problem_update;

typedef struct mst_problem_boundary {
    mst_boundary_kind kind;
    mst_formula value; // Dirichlet; no expression: 0
    size_t width;
    bool mirrors, negates;                         // nodes outside are those inside, or minus those:
    int shift;                                     // node -k is node k - shift, counted from the face inwards
    bool is_own;                                   // of the set: it is not that of set 0
    double speed, reflection, order, kappa, alpha; // of absorbing layers
} mst_problem_boundary;

// Fields with the same boundaries share a set of them. Set 0 is that of fields that have none of their own; coefficient fields,
// which are mirrored, have MST_COEFFICIENT_FACES.
enum { MST_COEFFICIENT_FACES = -1 };

typedef struct mst_problem {
    int rank;
    uint64_t grid[N_AXES];
    double spacing[N_AXES];
    double time_step;
    bool is_open; // dt is left open
    // Of a part of a larger grid (part.h): its first node there, the nodes of that, and whether it is cut where that is periodic.
    int64_t first[N_AXES];
    uint64_t whole[N_AXES];
    bool is_ring[N_AXES];
    // An ensemble; 0: none. Runs are planes, across which no field is read, or `grids` (else 1), one behind the other in arrays.
    size_t n_runs, grids, n_varying;
    bool has_run_planes, has_grids;
    bool is_double, is_flushed; // float64; subnormal numbers become 0
    size_t element;             // bytes of a value in kernels
    // Bytes of an element of each array, those of the state and then the coefficient fields; and of a node of all of either.
    size_t elements[MST_STENCIL_MAX_ARRAYS];
    uint64_t state_node_bytes, coefficient_node_bytes;
    int layer_axes[MST_STENCIL_MAX_ARRAYS]; // of an array of the state that is a memory variable, its axis; else -1
    uint64_t nodes, plane;                  // of all grids; of a plane
    int n_fields, n_updates, n_arrays, n_coefficients;
    int n_memories;                          // of the arrays of the state, the last ones: memory variables of absorbing layers
    size_t n_sources, n_receivers, n_points; // n_points: of all receivers
    size_t n_feeds;                          // columns of all sources
    size_t n_regions;                        // sources that are regions
    size_t n_records;                        // nodes that kernels record, by field and then by place
    mst_problem_field fields[MST_STENCIL_MAX_FIELDS];
    mst_problem_update updates[MST_STENCIL_MAX_FIELDS];
    mst_problem_boundary boundaries[N_AXES][2]; // set 0
    int n_sets;
    mst_problem_boundary (*own_sets)[N_AXES][2]; // the others
    int n_layers;
    mst_problem_layer layers[3 * N_AXES];
    // Of problem_points.h.
    struct mst_problem_source *sources;
    struct mst_problem_receiver *receivers;
    struct mst_problem_record *records;
    struct mst_problem_share *shares; // of the points, one after the other
    size_t *shares_begin;             // of each point, and behind the last
    bool uses_time;                   // some update or face
    int coefficient_reach;            // the largest offset at which an update reads a coefficient field
    struct mst_observations *observations;
} mst_problem;

// Checks everything in desc but the plan, and the initial data. Half-built problems are to be released too.
mst_status mst_problem_read(const mst_stencil_desc *desc, mst_problem *problem, mst_error *error);
void mst_problem_release(mst_problem *problem);
// The same with dt left open.
mst_status mst_problem_read_open(const mst_stencil_desc *desc, mst_problem *problem, mst_error *error);

// Their part for the fields, the updates and the faces. It takes a problem that is empty but for is_open.
mst_status mst_problem_read_scheme(const mst_stencil_desc *desc, mst_problem *problem, mst_error *error);
void mst_problem_release_scheme(mst_problem *problem);

// An expression of coordinates and numbers, for initial values.
mst_status mst_problem_initial(const mst_problem *problem, const mst_stencil_desc *desc, const char *text, const char *what,
                               mst_formula *out, mst_error *error);
// One of all that updates may read, too.
mst_status mst_problem_reading(const mst_problem *problem, const mst_stencil_desc *desc, const char *text, const char *what,
                               mst_formula *out, mst_error *error);

// The same of the time, for series.
mst_status mst_problem_series(const mst_problem *problem, const mst_stencil_desc *desc, const char *text, const char *what,
                              mst_formula *out, mst_error *error);

// Its value on the host. `at` are node numbers, which may lie outside the grid (planes: those of all grids); no fields are read.
double mst_formula_value(const mst_problem *problem, const mst_formula *formula, const int64_t at[N_AXES], double time);

// The same of n nodes along the columns, from node `at` on, at time 0.
mst_status mst_formula_row(const mst_problem *problem, const mst_formula *formula, const int64_t at[N_AXES], size_t n,
                           double *out, mst_error *error);

// What differs from run to run, in one of the problem's own (mst_problem_runs).
double mst_formula_varying(const mst_problem *problem, const mst_formula *formula, size_t column, int64_t run);

// All formulas of kernels, to number what varies in them: updates, then faces. NULL behind the last.
const mst_formula *mst_problem_formula(const mst_problem *problem, int number);

// The axis inside for an axis of the description.
static inline int mst_problem_axis(int rank, int k) { return rank == 1 ? COLUMNS : rank == 2 ? 2 * k : k; }

static inline bool mst_problem_periodic(const mst_problem *p, int axis) {
    return p->boundaries[axis][0].kind == MST_BOUNDARY_PERIODIC;
}

// Whether an array lies in memory as float16; whether any of the state does.
static inline bool mst_problem_is_half(const mst_problem *p, int array) { return p->elements[array] == 2; }
bool mst_problem_has_half_state(const mst_problem *problem);

// Whether an update finds a field as an earlier sub-step of the same step wrote it.
bool mst_problem_is_newer(const mst_problem *problem, int field, int update);

// Whether kernels need tables by the step: of times, for sources or for receivers.
static inline bool mst_problem_needs_rows(const mst_problem *p) { return p->uses_time || p->n_feeds > 0 || p->n_records > 0; }

// Index of a field by its name, -1 if there is none.
int mst_problem_find(const mst_problem *problem, const char *name);

// What is beyond a face for the fields of a set.
const mst_problem_boundary *mst_problem_face(const mst_problem *problem, int set, int axis, int side);

// The factor of a sponge at node i of an axis; 1 outside of it (Cerjan et al. 1985).
double mst_problem_damping(const mst_problem *problem, int axis, uint64_t i);
bool mst_problem_is_damped(const mst_problem *problem, int axis);

#endif
