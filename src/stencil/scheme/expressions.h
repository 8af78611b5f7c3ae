// Expressions of a scheme: the names that they may use, and what they read.
#ifndef MST_STENCIL_EXPRESSIONS_H
#define MST_STENCIL_EXPRESSIONS_H

#include "problem.h"

enum { MST_STENCIL_MAX_SYMBOLS = MST_STENCIL_MAX_PARAMETERS + MST_STENCIL_MAX_FIELDS + 8 };

// The names an expression may use, and what they stand for.
typedef struct mst_names {
    mst_expr_symbol symbols[MST_STENCIL_MAX_SYMBOLS];
    const double *numbers[MST_STENCIL_MAX_SYMBOLS]; // NULL: not a number but a leaf
    size_t strides[MST_STENCIL_MAX_SYMBOLS];        // from a run's number to the next one's
    mst_leaf leaves[MST_STENCIL_MAX_SYMBOLS];
    size_t count;
    mst_expr_definition definitions[MST_STENCIL_MAX_DEFINITIONS];
    mst_expr_scheme scheme;
} mst_names;

// Whether a parameter has a value of its own in each run of an ensemble.
bool mst_parameter_varies(const mst_stencil_desc *desc, const char *name);

// Spacings of the axes there are, dt, parameters, definitions, and of the rest what `reads` says (mst_stencil_reads). Points into
// itself, the problem and the description.
void mst_names_list(const mst_problem *problem, const mst_stencil_desc *desc, unsigned reads, mst_names *out);

// Of a problem that is empty, or but for is_open, the grid and the fields, which is what expressions need.
mst_status mst_problem_begin(const mst_stencil_desc *desc, mst_problem *problem, mst_error *error);

// Checks definitions first .. end - 1.
mst_status mst_problem_check_definitions(const mst_problem *problem, const mst_stencil_desc *desc, size_t first, size_t end,
                                         mst_error *error);

// The tree of an expression, with what varies in it from run to run, the caller's both; and the formula, which takes over these.
mst_status mst_formula_tree(const mst_problem *problem, const mst_names *names, const char *text, const char *what,
                            mst_expr **out, double **varying, mst_error *error);
mst_status mst_formula_make(const mst_problem *problem, const mst_names *names, mst_expr *expr, double *varying, const char *what,
                            mst_formula *out, mst_error *error);

// A number of the scheme's precision, 0 in place of a subnormal one where these are flushed.
double mst_problem_rounded(const mst_problem *problem, double value);

// Has it give 0 in place of a subnormal number. It reads what it did.
mst_status mst_formula_flush(const mst_problem *problem, mst_formula *formula, const char *what, mst_error *error);

// Both, with stretches as they are: for an expression without, or one that is only checked.
mst_status mst_formula_parse(const mst_problem *problem, const mst_names *names, const char *text, const char *what,
                             mst_formula *out, mst_error *error);

#endif
