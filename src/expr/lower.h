// What the files share that lower expressions of maps: lower.c the types and the walk, lower_integer.c and lower_complex.c what
// such numbers have, lower_node.c the nodes.
#ifndef MST_EXPR_LOWER_H
#define MST_EXPR_LOWER_H

#include "build.h"
#include "types.h"

// A value in the tree that is made: of type bool a condition, of a complex type two nodes.
typedef struct mst_value {
    mst_type type;
    unsigned part[2];
} mst_value;

typedef struct mst_lowering {
    const mst_expr *from;
    const mst_expr_typing *typing;
    mst_expr *to;
    mst_error *error;
    mst_expr_kind *kinds; // of the nodes of `from`
    mst_value *made;      // of theirs, in the type that it has; type 0: not yet
    mst_status status;    // the first failure: what follows makes nothing
    unsigned work;        // nodes that were visited
    const char *written;  // of the operation that is made: see mst_expr_node
} mst_lowering;

// Keeps the first failure. The node that is returned is none to be used.
unsigned mst_lower_fail(mst_lowering *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

// What was made, unless there was no room or memory.
unsigned mst_lower_keep(mst_lowering *l, unsigned node);

// ---- lower_node.c. Nodes of a type that is held (mst_type_held).
unsigned mst_lower_add(mst_lowering *l, mst_expr_operation operation, mst_type type, unsigned a, unsigned b, unsigned c);
static inline unsigned mst_lower_one(mst_lowering *l, mst_expr_operation operation, mst_type type, unsigned a) {
    return mst_lower_add(l, operation, type, a, 0, 0);
}
static inline unsigned mst_lower_two(mst_lowering *l, mst_expr_operation operation, mst_type type, unsigned a, unsigned b) {
    return mst_lower_add(l, operation, type, a, b, 0);
}
unsigned mst_lower_number(mst_lowering *l, mst_type type, double value);
bool mst_lower_is_number(const mst_lowering *l, unsigned node, double *value);
unsigned mst_lower_choose(mst_lowering *l, mst_type type, unsigned condition, unsigned yes, unsigned no);
unsigned mst_lower_and(mst_lowering *l, mst_expr_operation operation, unsigned a, unsigned b); // of conditions of any size
unsigned mst_lower_not(mst_lowering *l, unsigned condition);
unsigned mst_lower_compare_number(mst_lowering *l, mst_expr_operation operation, mst_type type, unsigned a, double b);
mst_value mst_lower_value(mst_type type, unsigned part);
mst_value mst_lower_known(mst_lowering *l, bool value);                 // a condition
mst_value mst_lower_real(mst_lowering *l, mst_type type, double value); // of a complex type, too
// The value in another type; from floats to integers only where `rounds`.
mst_value mst_lower_convert(mst_lowering *l, mst_value value, mst_type type, bool rounds);
unsigned mst_lower_next_half(mst_lowering *l, unsigned x, unsigned y); // nextafter(x, y) of float16, which is held in float32

// ---- lower_integer.c. Operands of one type of integers, or of bool, which integer operations except powers have, too.
mst_value mst_lower_integer(mst_lowering *l, mst_expr_operation operation, mst_type type, const mst_value *x);
mst_value mst_lower_truth(mst_lowering *l, mst_expr_operation operation, const mst_value *x);
// NumPy's floor_divide and remainder of floats.
mst_value mst_lower_floor(mst_lowering *l, mst_expr_operation operation, mst_type type, const mst_value *x);
// x^exponent by repeated squaring; exponent >= 1.
mst_value mst_lower_product(mst_lowering *l, mst_value x, unsigned exponent);
mst_value mst_lower_multiply(mst_lowering *l, mst_value a, mst_value b);

// ---- lower_complex.c. Operands and result of one complex type.
mst_value mst_lower_complex(mst_lowering *l, mst_expr_operation operation, mst_type type, const mst_value *x);
// |x| and the angle, which are real.
unsigned mst_lower_magnitude(mst_lowering *l, mst_value x);
unsigned mst_lower_angle(mst_lowering *l, mst_value x);

#endif
