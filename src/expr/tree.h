// The tree behind an expression: nodes in an array, operands before what uses them, equal nodes only once.
#ifndef MST_EXPR_TREE_H
#define MST_EXPR_TREE_H

#include "expr.h"

#include <mastaba/array.h>

enum { MST_EXPR_N_SLOTS = 1 << 14 }; // more than twice MST_EXPR_MAX_NODES

// F(operation, name in expressions, number of arguments, name in OpenCL C, name in C without the f of float)
#define MST_EXPR_FUNCTIONS(F)                                                                                                    \
    F(ABS, "abs", 1, "fabs", fabs)                                                                                               \
    F(SIGN, "sign", 1, "sign", mst_expr_sign)                                                                                    \
    F(FLOOR, "floor", 1, "floor", floor)                                                                                         \
    F(CEIL, "ceil", 1, "ceil", ceil)                                                                                             \
    F(ROUND, "round", 1, "rint", rint)                                                                                           \
    F(TRUNC, "trunc", 1, "trunc", trunc)                                                                                         \
    F(SQRT, "sqrt", 1, "sqrt", sqrt)                                                                                             \
    F(CBRT, "cbrt", 1, "cbrt", cbrt)                                                                                             \
    F(EXP, "exp", 1, "exp", exp)                                                                                                 \
    F(EXP2, "exp2", 1, "exp2", exp2)                                                                                             \
    F(EXPM1, "expm1", 1, "expm1", expm1)                                                                                         \
    F(LOG, "log", 1, "log", log)                                                                                                 \
    F(LOG2, "log2", 1, "log2", log2)                                                                                             \
    F(LOG10, "log10", 1, "log10", log10)                                                                                         \
    F(LOG1P, "log1p", 1, "log1p", log1p)                                                                                         \
    F(SIN, "sin", 1, "sin", sin)                                                                                                 \
    F(COS, "cos", 1, "cos", cos)                                                                                                 \
    F(TAN, "tan", 1, "tan", tan)                                                                                                 \
    F(ASIN, "asin", 1, "asin", asin)                                                                                             \
    F(ACOS, "acos", 1, "acos", acos)                                                                                             \
    F(ATAN, "atan", 1, "atan", atan)                                                                                             \
    F(SINH, "sinh", 1, "sinh", sinh)                                                                                             \
    F(COSH, "cosh", 1, "cosh", cosh)                                                                                             \
    F(TANH, "tanh", 1, "tanh", tanh)                                                                                             \
    F(ASINH, "asinh", 1, "asinh", asinh)                                                                                         \
    F(ACOSH, "acosh", 1, "acosh", acosh)                                                                                         \
    F(ATANH, "atanh", 1, "atanh", atanh)                                                                                         \
    F(ERF, "erf", 1, "erf", erf)                                                                                                 \
    F(ERFC, "erfc", 1, "erfc", erfc)                                                                                             \
    F(GAMMA, "gamma", 1, "tgamma", tgamma)                                                                                       \
    F(LGAMMA, "lgamma", 1, "lgamma", mst_expr_lgamma)                                                                            \
    F(ATAN2, "atan2", 2, "atan2", atan2)                                                                                         \
    F(HYPOT, "hypot", 2, "hypot", hypot)                                                                                         \
    F(MIN, "min", 2, "fmin", fmin)                                                                                               \
    F(MAX, "max", 2, "fmax", fmax)                                                                                               \
    F(MOD, "mod", 2, "fmod", fmod)                                                                                               \
    F(POW, "pow", 2, "pow", pow)                                                                                                 \
    F(COPYSIGN, "copysign", 2, "copysign", copysign)                                                                             \
    F(NEXTAFTER, "nextafter", 2, "nextafter", nextafter)

typedef enum mst_expr_operation {
    // leaves
    MST_EXPR_NUMBER,
    MST_EXPR_LEAF,
    // numbers to number
    MST_EXPR_NEGATE,
    MST_EXPR_ADD,
    MST_EXPR_SUBTRACT,
    MST_EXPR_MULTIPLY,
    MST_EXPR_DIVIDE,
    MST_EXPR_CHOOSE, // condition ? number : number
    MST_EXPR_AS_NUMBER,
    MST_EXPR_STRETCH, // see mst_expr_stretch: operands[1] is the axis, value the shift; mst_expr_expand leaves none
    // only where mst_expr_parse_map reads
    MST_EXPR_FLOOR_DIVIDE, // rounds downwards
    MST_EXPR_REMAINDER,    // has the sign of the divisor
    MST_EXPR_SHIFT_LEFT,
    MST_EXPR_SHIFT_RIGHT,
    MST_EXPR_BIT_AND,
    MST_EXPR_BIT_XOR,
    MST_EXPR_BIT_OR,
    MST_EXPR_BIT_NOT,
    MST_EXPR_COMPLEX, // from its parts
    MST_EXPR_REAL,
    MST_EXPR_IMAGINARY,
    MST_EXPR_CONJUGATE,
    MST_EXPR_ARGUMENT,
    MST_EXPR_CONVERT, // to the node's type
    // to a condition: from numbers, then from conditions
    MST_EXPR_LESS,
    MST_EXPR_LESS_EQUAL,
    MST_EXPR_GREATER,
    MST_EXPR_GREATER_EQUAL,
    MST_EXPR_EQUAL,
    MST_EXPR_NOT_EQUAL,
    MST_EXPR_AS_CONDITION,
    MST_EXPR_NOT,
    MST_EXPR_AND,
    MST_EXPR_OR,
    MST_EXPR_RESIZE, // in vectors: to elements of the size of the node's type
#define OPERATION(operation, name, arity, opencl, c) MST_EXPR_##operation,
    MST_EXPR_FUNCTIONS(OPERATION)
#undef OPERATION
        MST_EXPR_N_OPERATIONS
} mst_expr_operation;

static inline bool mst_expr_is_condition(mst_expr_operation o) { return o >= MST_EXPR_LESS && o <= MST_EXPR_RESIZE; }

static inline bool mst_expr_is_of_map(mst_expr_operation o) { return o >= MST_EXPR_FLOOR_DIVIDE && o <= MST_EXPR_CONVERT; }

// Functions that devices compute with an error, or in other ways in vectors than alone.
static inline bool mst_expr_has_error(mst_expr_operation o) {
    return o > MST_EXPR_SQRT && o < MST_EXPR_N_OPERATIONS && o != MST_EXPR_MIN && o != MST_EXPR_MAX;
}

typedef struct mst_expr_node {
    mst_expr_operation operation;
    unsigned
        operands[3];     // indices of nodes; of a leaf: its index; of a number in a map: 1 if it has a point, which makes it real
    double value;        // of a number
    bool of_field;       // reads one
    mst_type type;       // 0, or after mst_expr_lower what it is computed in: no complex numbers, no bool and no float16. A
                         // condition has that of what it compares, of whose size it is in vectors
    const char *written; // the function of the text that it was made for, if that is composed of others
} mst_expr_node;

struct mst_expr {
    unsigned n_nodes;    // the last one is the value
    bool of_scheme;      // see mst_expr_parse_scheme
    bool numbers_apart;  // see mst_expr_parse_apart
    bool of_map;         // see mst_expr_parse_map
    const char *written; // of the nodes that are made
    unsigned n_leaves, max_leaves;
    mst_expr_leaf *leaves;
    unsigned *slots; // where a node is looked for by what it is: its index and 1, or 0
    mst_expr_node nodes[MST_EXPR_MAX_NODES];
};

// The functions of expressions by index; name NULL behind the last one.
typedef struct mst_expr_function {
    const char *name;
    int arity;
    const char *opencl;
} mst_expr_function;
extern const mst_expr_function mst_expr_functions[];

// OpenCL's sign (0 for NaN), and lgamma without its global variable.
double mst_expr_sign(double x);
float mst_expr_signf(float x);
double mst_expr_lgamma(double x);
float mst_expr_lgammaf(float x);

// One operation on numbers (conditions are 1 and 0), as mst_expr_evaluate does it; not for leaves.
double mst_expr_apply(mst_expr_operation operation, double a, double b, double c);

#endif
