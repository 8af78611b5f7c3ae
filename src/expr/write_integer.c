// Expressions of integers as OpenCL C. Sums and products are taken of unsigned numbers, whose overflow is defined.
#include "tree.h"

#include <math.h>
#include <stdio.h>

#define LARGEST_EXACT 0x1p53 // whole numbers beyond were rounded when the text was read

typedef struct writer {
    const mst_expr *expr;
    bool promoted;                    // the device computes narrower scalars in int, where their products may overflow
    char type[12], unsigned_type[12]; // "int4", "uint4"
    const char *const *leaves;
    const char *name;
    mst_text *out;
} writer;

static void write_operand(const writer *w, unsigned index) {
    const mst_expr_node *node = &w->expr->nodes[index];
    if (node->operation == MST_EXPR_NUMBER)
        mst_text_add(w->out, "(%s)(%lldL)", w->type, (long long)node->value);
    else if (node->operation == MST_EXPR_LEAF)
        mst_text_add(w->out, "%s", w->leaves[node->operands[0]]);
    else
        mst_text_add(w->out, "%s_%u", w->name, index);
}

static void write_infix(const writer *w, const mst_expr_node *node, const char *sign) {
    write_operand(w, node->operands[0]);
    mst_text_add(w->out, " %s ", sign);
    write_operand(w, node->operands[1]);
}

// as_int(as_uint(a) + as_uint(b)), cast back first where a narrow scalar was promoted.
static void write_wrapping(const writer *w, const mst_expr_node *node, const char *sign) {
    mst_text_add(w->out, "as_%s((%s)(", w->type, w->unsigned_type);
    for (int k = 0; k < (node->operation == MST_EXPR_NEGATE ? 1 : 2); k++) {
        mst_text_add(w->out, "%s%sas_%s(", k > 0 || node->operation == MST_EXPR_NEGATE ? sign : "", w->promoted ? "(uint)" : "",
                     w->unsigned_type);
        write_operand(w, node->operands[k]);
        mst_text_add(w->out, ")");
    }
    mst_text_add(w->out, "))");
}

static void write_call(const writer *w, const mst_expr_node *node) {
    if (node->operation == MST_EXPR_ABS)
        mst_text_add(w->out, "as_%s(abs(", w->type);
    else
        mst_text_add(w->out, node->operation == MST_EXPR_MIN ? "min(" : "max(");
    write_operand(w, node->operands[0]);
    if (node->operation != MST_EXPR_ABS) {
        mst_text_add(w->out, ", ");
        write_operand(w, node->operands[1]);
    }
    mst_text_add(w->out, node->operation == MST_EXPR_ABS ? "))" : ")");
}

static void write_choice(const writer *w, const mst_expr_node *node) {
    write_operand(w, node->operands[0]);
    if (node->operation == MST_EXPR_AS_NUMBER) {
        mst_text_add(w->out, " ? (%s)(1) : (%s)(0)", w->type, w->type);
        return;
    }
    mst_text_add(w->out, " ? ");
    write_operand(w, node->operands[1]);
    mst_text_add(w->out, " : ");
    write_operand(w, node->operands[2]);
}

static void write_node(const writer *w, const mst_expr_node *node) {
    static const char *const between[] = {
        [MST_EXPR_LESS] = "<",   [MST_EXPR_LESS_EQUAL] = "<=", [MST_EXPR_GREATER] = ">", [MST_EXPR_GREATER_EQUAL] = ">=",
        [MST_EXPR_EQUAL] = "==", [MST_EXPR_NOT_EQUAL] = "!=",  [MST_EXPR_AND] = "&&",    [MST_EXPR_OR] = "||"};
    switch (node->operation) {
    case MST_EXPR_NEGATE:
    case MST_EXPR_SUBTRACT:
        write_wrapping(w, node, " - ");
        break;
    case MST_EXPR_ADD:
        write_wrapping(w, node, " + ");
        break;
    case MST_EXPR_MULTIPLY:
        write_wrapping(w, node, " * ");
        break;
    case MST_EXPR_CHOOSE:
    case MST_EXPR_AS_NUMBER:
        write_choice(w, node);
        break;
    case MST_EXPR_AS_CONDITION:
        write_operand(w, node->operands[0]);
        mst_text_add(w->out, " != (%s)(0)", w->type);
        break;
    case MST_EXPR_NOT:
        mst_text_add(w->out, "!");
        write_operand(w, node->operands[0]);
        break;
    case MST_EXPR_ABS:
    case MST_EXPR_MIN:
    case MST_EXPR_MAX:
        write_call(w, node);
        break;
    default:
        write_infix(w, node, between[node->operation]);
    }
}

bool mst_expr_is_integer(double value, unsigned bytes) {
    double limit = ldexp(1, (int)(8 * bytes - 1));
    return value == floor(value) && value >= -limit && value < limit && fabs(value) <= LARGEST_EXACT;
}

static int arity(mst_expr_operation operation) {
    switch (operation) {
    case MST_EXPR_NUMBER:
    case MST_EXPR_LEAF:
        return 0;
    case MST_EXPR_NEGATE:
    case MST_EXPR_NOT:
    case MST_EXPR_AS_NUMBER:
    case MST_EXPR_AS_CONDITION:
        return 1;
    case MST_EXPR_CHOOSE:
        return 3;
    default:
        return operation >= MST_EXPR_ABS ? mst_expr_functions[operation - MST_EXPR_ABS].arity : 2;
    }
}

// Which nodes the value depends on: constants that were computed while parsing have left theirs behind.
static void mark_used(const mst_expr *expr, bool *used) {
    used[expr->n_nodes - 1] = true;
    for (unsigned i = expr->n_nodes; i-- > 0;) {
        const mst_expr_node *node = &expr->nodes[i];
        for (int k = 0; used[i] && k < arity(node->operation); k++)
            used[node->operands[k]] = true;
    }
}

static mst_status check_node(const mst_expr_node *node, unsigned bytes, mst_error *error) {
    if (node->operation == MST_EXPR_NUMBER && !mst_expr_is_integer(node->value, bytes))
        return mst_fail(error, MST_ERROR_ARGUMENT, "%.17g is no integer of %u bits, or beyond 2^53; compute in a float type",
                        node->value, 8 * bytes);
    if (node->operation == MST_EXPR_DIVIDE)
        return mst_fail(error, MST_ERROR_ARGUMENT, "integers cannot be divided; compute in a float type");
    if (node->operation >= MST_EXPR_ABS && node->operation != MST_EXPR_ABS && node->operation != MST_EXPR_MIN &&
        node->operation != MST_EXPR_MAX)
        return mst_fail(error, MST_ERROR_ARGUMENT, "%s() of integers: compute in a float type",
                        mst_expr_functions[node->operation - MST_EXPR_ABS].name);
    return MST_OK;
}

static const char *name_of(unsigned bytes) { return bytes == 1 ? "char" : bytes == 2 ? "short" : bytes == 4 ? "int" : "long"; }

mst_status mst_expr_write_integer(const mst_expr *expr, unsigned bytes, unsigned width, const char *const *leaves,
                                  const char *name, mst_text *out, mst_error *error) {
    writer w = {.expr = expr, .promoted = width == 1 && bytes < 4, .leaves = leaves, .name = name, .out = out};
    bool used[MST_EXPR_MAX_NODES] = {false};
    char lanes[4] = "";
    if (width > 1)
        snprintf(lanes, sizeof lanes, "%u", width % 100);
    snprintf(w.type, sizeof w.type, "%s%s", name_of(bytes), lanes);
    snprintf(w.unsigned_type, sizeof w.unsigned_type, "u%s%s", name_of(bytes), lanes);
    mark_used(expr, used);
    for (unsigned i = 0; i < expr->n_nodes; i++) {
        const mst_expr_node *node = &expr->nodes[i];
        mst_status status = used[i] ? check_node(node, bytes, error) : MST_OK;
        if (status != MST_OK)
            return status;
        if (!used[i] || node->operation == MST_EXPR_NUMBER || node->operation == MST_EXPR_LEAF)
            continue;
        bool scalar_condition = width == 1 && mst_expr_is_condition(node->operation);
        mst_text_add(out, "const %s %s_%u = ", scalar_condition ? "int" : w.type, name, i);
        write_node(&w, node);
        mst_text_add(out, ";\n");
    }
    mst_text_add(out, "const %s %s = ", w.type, name);
    write_operand(&w, expr->n_nodes - 1);
    mst_text_add(out, ";\n");
    return MST_OK;
}
