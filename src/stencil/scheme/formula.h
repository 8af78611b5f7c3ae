// An expression of a scheme, and what it reads.
#ifndef MST_STENCIL_FORMULA_H
#define MST_STENCIL_FORMULA_H

#include "expr/expr.h"

#include <mastaba/stencil.h>

enum { PLANES, ROWS, COLUMNS, N_AXES = 3 };
enum { MST_STENCIL_MAX_PARAMETERS = 104 };
enum { MST_STENCIL_MAX_ARRAYS = 2 * MST_STENCIL_MAX_FIELDS };
enum { MST_STENCIL_MAX_LEAVES = 512 }; // values that one expression may read

// What an expression reads. Parameters, steps and spacings are numbers in it; dt is a value where it is left open.
typedef enum mst_value_kind {
    MST_VALUE_FIELD,
    MST_VALUE_COORDINATE,
    MST_VALUE_TIME,
    MST_VALUE_STEP,
    MST_VALUE_RUN,
    MST_VALUE_LAYER
} mst_value_kind;

typedef struct mst_leaf {
    mst_value_kind kind;
    int axis;            // of a coordinate, or a layer's coefficient
    size_t column;       // of what differs from run to run: in the table of the formula's varying numbers
    int field, level;    // of a field
    int table;           // of a layer's coefficient: see layers.h
    int offsets[N_AXES]; // of a field or a layer's coefficient
} mst_leaf;

// Coefficients of absorbing layers by node, for derivatives that lie `shift` nodes behind the nodes.
typedef struct mst_problem_layer {
    int axis;
    double shift;
} mst_problem_layer;

typedef struct mst_formula {
    mst_expr *expr;
    size_t n_leaves;
    mst_leaf *leaves;
    size_t n_varying, first_varying; // numbers that differ from run to run, and how many there are in formulas before this one
    double *varying;                 // [number][run]
} mst_formula;

void mst_formula_release(mst_formula *formula);

#endif
