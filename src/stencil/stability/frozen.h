// A linear scheme with its coefficients frozen: as if the coefficient fields and coordinates had everywhere the values that they
// have at one node. Stability is looked at in each of a few such cases, in which every factor of the scheme has its extremes.
#ifndef MST_STENCIL_FROZEN_H
#define MST_STENCIL_FROZEN_H

#include "stencil/scheme/problem.h"

// A scheme with dt left open.
typedef struct mst_open_scheme {
    mst_problem problem;
    mst_formula coefficients[MST_STENCIL_MAX_FIELDS]; // of coefficient fields that are given by an expression
    double range[MST_STENCIL_MAX_FIELDS][2];          // least and largest value of those that are given as data
    // Of those that are rows of tables: the group of fields that are at the same row together, counted from 1 on (0: none), how
    // many rows each group has in its data, and the field's values in these.
    int n_groups, group[MST_STENCIL_MAX_FIELDS];
    size_t n_rows[MST_STENCIL_MAX_FIELDS + 1];
    double *rows[MST_STENCIL_MAX_FIELDS];
    int64_t run; // that is looked at, where planes are no runs
} mst_open_scheme;

typedef struct mst_frozen {
    int64_t at[N_AXES];                  // the node at which coordinates are taken
    double data[MST_STENCIL_MAX_FIELDS]; // values of coefficient fields that are given as data
} mst_frozen;

typedef struct mst_frozen_list {
    size_t n, n_all;
    mst_frozen *cases; // n at extremes, then nodes all over the grid, whose data are to be set
} mst_frozen_list;

// Which of a formula's leaves are fields that the scheme advances.
void mst_open_varying(const mst_open_scheme *scheme, const mst_formula *formula, bool varying[MST_STENCIL_MAX_LEAVES]);

// The values of a formula's leaves; 0 of those fields.
void mst_open_leaves(const mst_open_scheme *scheme, const mst_formula *formula, const mst_frozen *frozen, double time_step,
                     double leaves[MST_STENCIL_MAX_LEAVES]);

// MST_ERROR_UNSUPPORTED, with the reason: an update is not linear, or a factor depends on time.
mst_status mst_open_check(const mst_open_scheme *scheme, mst_error *error);

// The cases to look at, by the factors at one time step. MST_ERROR_UNSUPPORTED: too many.
mst_status mst_frozen_make(const mst_open_scheme *scheme, double time_step, mst_frozen_list *out, mst_error *error);
void mst_frozen_release(mst_frozen_list *list);

void mst_open_release(mst_open_scheme *scheme);

#endif
