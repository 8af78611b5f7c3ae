#include "bounds.h"
#include "composed.h"
#include "tree.h"
#include "write.h"

static bool jumps(const mst_expr_node *node) {
    switch (node->operation) {
    case MST_EXPR_LESS:
    case MST_EXPR_LESS_EQUAL:
    case MST_EXPR_GREATER:
    case MST_EXPR_GREATER_EQUAL:
        return !mst_composed_is_continuous(node->written);
    case MST_EXPR_SIGN:
    case MST_EXPR_FLOOR:
    case MST_EXPR_CEIL:
    case MST_EXPR_ROUND:
    case MST_EXPR_TRUNC:
    case MST_EXPR_MOD:
    case MST_EXPR_COPYSIGN:
        return true;
    case MST_EXPR_MIN: // a derivative does, and a peak may stand where one overtakes the other
    case MST_EXPR_MAX:
        return true;
    default:
        return false;
    }
}

bool mst_expr_may_jump(const mst_expr *expr, size_t n) {
    bool varies[MST_EXPR_MAX_NODES];
    for (unsigned i = 0; i < expr->n_nodes; i++) {
        const mst_expr_node *node = &expr->nodes[i];
        varies[i] = node->operation == MST_EXPR_LEAF && expr->leaves[node->operands[0]].symbol < n;
        for (int k = 0; k < mst_expr_arity(node->operation); k++)
            varies[i] = varies[i] || varies[node->operands[k]];
        if (varies[i] && jumps(node))
            return true;
    }
    return false;
}

void mst_expr_write_operations(mst_text *out) {
    static const struct {
        const char *name;
        mst_expr_operation operation;
    } others[] = {
#define OTHER(operation) {#operation, MST_EXPR_##operation},
        OTHER(NEGATE) OTHER(ADD) OTHER(SUBTRACT) OTHER(MULTIPLY) OTHER(DIVIDE) OTHER(CHOOSE) OTHER(AS_NUMBER) OTHER(LESS)
            OTHER(LESS_EQUAL) OTHER(GREATER) OTHER(GREATER_EQUAL) OTHER(EQUAL) OTHER(NOT_EQUAL) OTHER(AS_CONDITION) OTHER(NOT)
                OTHER(AND) OTHER(OR)
#undef OTHER
#define FUNCTION(operation, name, arity, opencl, c) {#operation, MST_EXPR_##operation},
                    MST_EXPR_FUNCTIONS(FUNCTION)
#undef FUNCTION
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        mst_text_put(out, "#define OF_$name $operation\n", MST_SET(name, others[i].name),
                     MST_SET(operation, (int)others[i].operation));
}
