// Expressions that users write, "sin(x^2) + a" or "u + c * (u[-1] - 2*u + u[1])": text to a checked tree, which is written as
// OpenCL C or evaluated on the host. Of the user's text nothing but names may reach a compiler.
//
//     numbers    2  0.5  1e-3          operators, loosest first:  c ? a : b    ||    &&    < <= > >= == !=    + -    * /
//     names      x  pi  e  inf                                    - ! (signs)    ^ or ** (from the right; -x^2 = -(x^2))
//     functions  sin(x)  atan2(y, x)  ricker(t, f)   fields:  u  u[-1,0]  u.prev  u.prev[0,1]  (offsets in elements, slowest axis
//     first)
//     in schemes also definitions' names, lap(u, c), offsets behind parentheses, (c*u)[0,1], and operators, laplace(u, 8)
//
// Comparisons give 1 or 0 where a number is wanted; where a condition is wanted a number counts as "differs from 0".
// Parts without names are computed once, in double. Powers with whole exponents up to 16 are products (by repeated squaring),
// x^0.5 is sqrt(x). Everything else happens in the order written: + - * comparisons and ?: give the same bits on the host
// and on a device that does not contract them, and so does / in double; in float OpenCL allows a quotient 2.5 units in the last
// place, which GPUs take, as correctly rounded ones are a third to a half slower.
#ifndef MST_EXPR_EXPR_H
#define MST_EXPR_EXPR_H

#include "runtime/error.h"
#include "text/text.h"

enum {
    MST_EXPR_MAX_TEXT = 4096,
    MST_EXPR_MAX_NAME = 63,
    MST_EXPR_MAX_OFFSET = 127,
    MST_EXPR_MAX_AXES = 3,
    MST_EXPR_MAX_NODES = 6000
};

typedef struct mst_expr mst_expr;

// What a name in the text may stand for: a number given from outside (n_axes = 0), or a field on a grid. An array of these
// belongs to the caller and is not needed after parsing.
typedef struct mst_expr_symbol {
    const char *name;
    int n_axes;   // 0: a plain value; 1..3: a field
    int n_levels; // of a field: 1, or 2 if name.prev may be read
} mst_expr_symbol;

// One of the values that an expression reads, each listed once.
typedef struct mst_expr_leaf {
    size_t symbol;                  // index into the symbols
    int level;                      // 0, or 1 for .prev
    int offsets[MST_EXPR_MAX_AXES]; // slowest axis first; those beyond n_axes are 0
} mst_expr_leaf;

// Parses text. `what` names it in messages ("the integrand"). *out is the caller's, freed by mst_expr_destroy; NULL on failure.
// MST_ERROR_ARGUMENT: the text is wrong, error->excerpt shows where; or a symbol's name is none, a function's, or given twice.
// MST_ERROR_HOST_MEMORY.
mst_status mst_expr_parse(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols, mst_expr **out,
                          mst_error *error);

// The same for maps: numbers with a point or without one, integers and their bits, complex numbers. What comes of it depends on
// the types of the symbols: it is only good for mst_expr_lower (types.h).
mst_status mst_expr_parse_map(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols,
                              mst_expr **out, mst_error *error);

// A name, with names of arguments or without, that stands for an expression: "lap(f, c)". The expression may use those before it.
typedef struct mst_expr_definition {
    const char *head, *text;
} mst_expr_definition;

// What expressions know that are computed at every node of a grid.
typedef struct mst_expr_scheme {
    // NULL, or for each symbol NULL or the number that it stands for, which is read now, so that parts made of such numbers are
    // computed once, too.
    const double *const *numbers;
    int n_axes;                            // 0: no grid, so neither offsets behind parentheses nor operators
    size_t coordinates[MST_EXPR_MAX_AXES]; // the symbols of x, y, z, which vary along the last axis, the one before it ..;
                                           // SIZE_MAX where there is none
    double spacings[MST_EXPR_MAX_AXES];    // dx, dy, dz
    const mst_expr_definition *definitions;
    size_t n_definitions;
} mst_expr_scheme;

// The same for such an expression; scheme NULL: without numbers, grid and definitions. Definitions and operators are put in as
// they are read, arguments as what they are, not as text. What is made of fields and divided by a number is multiplied by its
// reciprocal, as division is many times slower on some devices: about a unit in the last place apart. Functions that devices
// compute with an error go component by component in vectors, so that a node has the same bits wherever it is computed.
mst_status mst_expr_parse_scheme(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols,
                                 const mst_expr_scheme *scheme, mst_expr **out, mst_error *error);
// Checks definition k: its head, that its name is free, and its expression with arguments of which nothing is known. Calls show
// what else may be wrong.
mst_status mst_expr_check_definition(const mst_expr_symbol *symbols, size_t n_symbols, const mst_expr_scheme *scheme, size_t k,
                                     mst_error *error);
void mst_expr_destroy(mst_expr *expr);

// The same for runs that differ in numbers: symbol i stands in run r for scheme->numbers[i][r * strides[i]]. Parts made of
// numbers are computed for each run as for that run alone, and become leaves where runs differ: of symbol MST_EXPR_VARYING, their
// number as `level`. (*varying)[level * n_runs + r] is the value in run r; free() it. MST_ERROR_ARGUMENT also: the tree has
// another form in some run, as exponents that are whole in one have.
#define MST_EXPR_VARYING SIZE_MAX
mst_status mst_expr_parse_runs(const char *text, const char *what, const mst_expr_symbol *symbols, size_t n_symbols,
                               const mst_expr_scheme *scheme, const size_t *strides, size_t n_runs, mst_expr **out,
                               double **varying, mst_error *error);

// Copies an expression of a scheme, with 0 in place of a value whose size is below `least`. Errors as of parsing.
mst_status mst_expr_flush(const mst_expr *expr, double least, const char *what, mst_expr **out, mst_error *error);

// In the order of their first use. Valid as long as the expression.
size_t mst_expr_n_leaves(const mst_expr *expr);
const mst_expr_leaf *mst_expr_leaves(const mst_expr *expr);

// Writes declarations in OpenCL C, the last of which is `const TYPE name = ...;`, the value; those before it are called name_1,
// name_2 and so on. TYPE is float or double, or a vector of `width` 2, 4, 8 or 16 of them: then all happens component by
// component. leaves[i] is C text for leaf i, a name or the like of that TYPE; it may appear more than once. What is called of
// `own` is defined by mst_elementary_define when the program's text is complete.
struct mst_elementary;
void mst_expr_write(const mst_expr *expr, const struct mst_elementary *own, bool is_double, unsigned width,
                    const char *const *leaves, const char *name, mst_text *out);

// The same for several values: those of the nodes that have a name in `values`, an entry a node.
void mst_expr_write_values(const mst_expr *expr, const struct mst_elementary *own, bool is_double, unsigned width,
                           const char *const *leaves, const char *name, const char *const *values, mst_text *out);

// The same for expressions of the same operations on the same symbols, whatever the names of these are.
uint64_t mst_expr_hash(const mst_expr *expr);

// A number as the shortest literal in OpenCL C that gives the same value again: "2.0f", "0.1", "1e-12".
void mst_expr_write_number(double value, bool is_double, mst_text *out);

// The value on the host, every operation in double or in float. leaves[i] is the value of leaf i. Thread-safe.
double mst_expr_evaluate(const mst_expr *expr, const double *leaves);
float mst_expr_evaluate_float(const mst_expr *expr, const float *leaves);

// out[k], k < n, becomes what mst_expr_evaluate gives, in every bit, if leaf number `varying` is x[k]; without a leaf of that
// number none varies. What does not depend on that leaf is computed once. x and out may be the same. False without memory.
bool mst_expr_evaluate_many(const mst_expr *expr, const double *leaves, size_t varying, const double *x, size_t n, double *out);

// ---- What is a sum of some leaves, those that vary, times factors made of the others. `varying` has an entry a leaf.

// The operation that stands in the way, "*" or "sqrt" say, and the first varying leaf of what it takes (a product: of both).
typedef struct mst_expr_obstacle {
    const char *operation;
    size_t leaves[2];
} mst_expr_obstacle;

// Whether the value is such a sum. All that follows expects that it is.
bool mst_expr_is_affine(const mst_expr *expr, const bool *varying, mst_expr_obstacle *obstacle);

// derivatives[i] becomes that of the value by leaf i, 0 if it does not vary. leaves[i] is the value of leaf i; of one that varies
// 0 does.
void mst_expr_derivatives(const mst_expr *expr, const double *leaves, const bool *varying, double *derivatives);

// The factors, as numbers of nodes of the tree; returns how many. `nodes` has room for MST_EXPR_MAX_NODES, as has `values`, which
// becomes the values of all nodes.
size_t mst_expr_factors(const mst_expr *expr, const bool *varying, unsigned *nodes);
bool mst_expr_node_reads(const mst_expr *expr, unsigned node, size_t leaf);
void mst_expr_evaluate_nodes(const mst_expr *expr, const double *leaves, double *values);

#endif
