// Mastaba: expressions of named numbers and fields, as the other headers take them in text.
//
// Numbers 2, 0.5, 1e-3, pi, e, inf; + - * /; ^ or ** (from the right); comparisons, &&, ||, !, c ? a : b; functions such as
// sin(x), sqrt(x), exp(x), min(x, y), atan2(y, x); fields with offsets: u[-1,0], u.prev.
#ifndef MASTABA_EXPRESSION_H
#define MASTABA_EXPRESSION_H

#include <mastaba/status.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// What a name stands for.
typedef struct mst_symbol {
    const char *name;
    int n_axes;   // 0: a number; 1..3: a field on a grid
    int n_levels; // of a field: 1, or 2 if name.prev may be read
    double value; // of a number
} mst_symbol;

// Computes an expression in double precision. `what` names the text in messages. value NULL: only checks the text. Strings and
// tables are not needed afterwards. MST_ERROR_ARGUMENT: the text is wrong (error->excerpt shows where), or reads a field though a
// value is wanted; or a name is none, a function's, or given twice. MST_ERROR_HOST_MEMORY. Thread-safe.
MST_API mst_status mst_expression_value(const char *text, const char *what, const mst_symbol *symbols, size_t n_symbols,
                                        double *value, mst_error *error);

#ifdef __cplusplus
}
#endif
#endif
