// The interpreter, included once for double and once for float: REAL is the type, NAME(f) the name of a function for it.
static REAL NAME(apply)(mst_expr_operation operation, REAL a, REAL b, REAL c) {
    switch (operation) {
    case MST_EXPR_NEGATE:
        return -a;
    case MST_EXPR_ADD:
        return a + b;
    case MST_EXPR_SUBTRACT:
        return a - b;
    case MST_EXPR_MULTIPLY:
        return a * b;
    case MST_EXPR_DIVIDE:
        return a / b;
    case MST_EXPR_CHOOSE:
        return a != 0 ? b : c;
    case MST_EXPR_AS_NUMBER:
    case MST_EXPR_STRETCH: // outside the layers
        return a;
    case MST_EXPR_LESS:
        return a < b;
    case MST_EXPR_LESS_EQUAL:
        return a <= b;
    case MST_EXPR_GREATER:
        return a > b;
    case MST_EXPR_GREATER_EQUAL:
        return a >= b;
    case MST_EXPR_EQUAL:
        return a == b;
    case MST_EXPR_NOT_EQUAL:
        return a != b;
    case MST_EXPR_AS_CONDITION:
        return a != 0;
    case MST_EXPR_NOT:
        return a == 0;
    case MST_EXPR_AND:
        return a != 0 && b != 0;
    case MST_EXPR_OR:
        return a != 0 || b != 0;
#define ARGUMENTS_1 (a)
#define ARGUMENTS_2 (a, b)
#define FUNCTION(id, text, arity, opencl, c)                                                                                     \
    case MST_EXPR_##id:                                                                                                          \
        return NAME(c) ARGUMENTS_##arity;
        MST_EXPR_FUNCTIONS(FUNCTION)
#undef FUNCTION
#undef ARGUMENTS_1
#undef ARGUMENTS_2
    case MST_EXPR_NUMBER:
    case MST_EXPR_LEAF:
    case MST_EXPR_FLOOR_DIVIDE: // and what else is in maps only
    case MST_EXPR_REMAINDER:
    case MST_EXPR_SHIFT_LEFT:
    case MST_EXPR_SHIFT_RIGHT:
    case MST_EXPR_BIT_AND:
    case MST_EXPR_BIT_XOR:
    case MST_EXPR_BIT_OR:
    case MST_EXPR_BIT_NOT:
    case MST_EXPR_COMPLEX:
    case MST_EXPR_REAL:
    case MST_EXPR_IMAGINARY:
    case MST_EXPR_CONJUGATE:
    case MST_EXPR_ARGUMENT:
    case MST_EXPR_CONVERT:
    case MST_EXPR_RESIZE:
    case MST_EXPR_N_OPERATIONS:
        break;
    }
    return (REAL)NAN;
}

REAL NAME(mst_expr_evaluate)(const mst_expr *expr, const REAL *leaves) {
    REAL values[MST_EXPR_MAX_NODES];
    for (unsigned i = 0; i < expr->n_nodes; i++) {
        const mst_expr_node *node = &expr->nodes[i];
        const unsigned *o = node->operands;
        if (node->operation == MST_EXPR_NUMBER)
            values[i] = (REAL)node->value;
        else if (node->operation == MST_EXPR_LEAF)
            values[i] = leaves[o[0]];
        else
            values[i] = NAME(apply)(node->operation, values[o[0]], values[o[1]], values[o[2]]);
    }
    return values[expr->n_nodes - 1];
}
