// Finite differences: exact coefficients, and expressions made of them.
#ifndef MST_EXPR_DIFFERENCE_H
#define MST_EXPR_DIFFERENCE_H

#include "tree.h"

#include <stdint.h>

enum { MST_DIFFERENCE_MAX_ORDER = 16 };

// Of f at nodes i, derivatives at node i or between two nodes.
typedef enum mst_difference_kind {
    MST_DIFFERENCE_FIRST,  // at i, from the nodes i - p .. i + p without i
    MST_DIFFERENCE_SECOND, // at i, from the nodes i - p .. i + p
    MST_DIFFERENCE_MINUS,  // the first at i - 1/2, from the nodes i - p .. i + p - 1
    MST_DIFFERENCE_PLUS    // the first at i + 1/2, from the nodes i - p + 1 .. i + p
} mst_difference_kind;

typedef struct mst_fraction {
    int64_t numerator, denominator; // without a common divisor, denominator > 0
} mst_fraction;

// The coefficient of the pair number k = 1 .. p of nodes, counted from the middle, for unit spacing and the even order 2 p; of
// MST_DIFFERENCE_SECOND also of the middle node, k = 0. In the other kinds the lower node of a pair is subtracted.
mst_fraction mst_difference_coefficient(mst_difference_kind kind, int order, int k);

// What is moved by so many nodes along each axis, slowest first: fields by their offsets, coordinates by so many spacings.
// MST_EXPR_FULL when there is no room.
unsigned mst_expr_add_shifted(mst_expr *expr, const mst_expr_scheme *scheme, unsigned node, const int offsets[MST_EXPR_MAX_AXES]);

// The derivative of a node along axis 0 = x, 1 = y, 2 = z: from the outermost pair to the middle, divided by the spacing, or its
// square, at the end.
unsigned mst_expr_add_difference(mst_expr *expr, const mst_expr_scheme *scheme, mst_difference_kind kind, int axis, int order,
                                 unsigned node);

// The same expression with nothing but what its value needs, in the order in which the text of its operations would be read, and
// coordinates that were moved as sums. *copy becomes its value, which
// may be MST_EXPR_FULL. NULL when out of memory.
mst_expr *mst_expr_rebuilt(const mst_expr *expr, const mst_expr_scheme *scheme, unsigned node, unsigned *copy);

#endif
