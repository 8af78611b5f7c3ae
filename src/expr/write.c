// Expressions as OpenCL C: one declaration an operation, the same text for scalars and vectors.
#include "tree.h"

#include <math.h>
#include <stdio.h>

typedef struct writer {
    const mst_expr *expr;
    bool is_double;
    unsigned width;
    const char *const *leaves;
    const char *name;
    mst_text *out;
} writer;

// Between two operands; NULL for what is none.
static const char *infix(mst_expr_operation operation) {
    switch (operation) {
    case MST_EXPR_ADD:
        return "+";
    case MST_EXPR_SUBTRACT:
        return "-";
    case MST_EXPR_MULTIPLY:
        return "*";
    case MST_EXPR_DIVIDE:
        return "/";
    case MST_EXPR_LESS:
        return "<";
    case MST_EXPR_LESS_EQUAL:
        return "<=";
    case MST_EXPR_GREATER:
        return ">";
    case MST_EXPR_GREATER_EQUAL:
        return ">=";
    case MST_EXPR_EQUAL:
        return "==";
    case MST_EXPR_NOT_EQUAL:
        return "!=";
    case MST_EXPR_AND:
        return "&&";
    case MST_EXPR_OR:
        return "||";
    default:
        return NULL;
    }
}

// By whole mantissa and exponent: exact, and without the decimal point, which depends on the locale.
void mst_expr_write_number(double value, bool is_double, mst_text *out) {
    const char *suffix = is_double ? "" : "f";
    if (!is_double)
        value = (double)(float)value;
    int exponent;
    double mantissa = frexp(fabs(value), &exponent);
    const char *sign = signbit(value) ? "-" : "";
    if (isnan(value) || isinf(value))
        mst_text_add(out, is_double ? "(%s(double)%s)" : "(%s%s)", isinf(value) ? sign : "", isnan(value) ? "NAN" : "INFINITY");
    else if (value == floor(value) && fabs(value) < 1e6)
        mst_text_add(out, "%s%.0f.0%s", sign, fabs(value), suffix);
    else
        mst_text_add(out, "%s0x%llxp%d%s", sign, (unsigned long long)ldexp(mantissa, 53), exponent - 53, suffix);
}

static void write_type(const writer *w, bool condition) {
    const char *base = condition ? (w->is_double && w->width > 1 ? "long" : "int") : w->is_double ? "double" : "float";
    mst_text_add(w->out, w->width > 1 ? "%s%u" : "%s", base, w->width);
}

static void write_literal(const writer *w, double value) {
    mst_text_add(w->out, "(");
    write_type(w, false);
    mst_text_add(w->out, ")(");
    mst_expr_write_number(value, w->is_double, w->out);
    mst_text_add(w->out, ")");
}

static void write_operand(const writer *w, unsigned index) {
    const mst_expr_node *node = &w->expr->nodes[index];
    if (node->operation == MST_EXPR_NUMBER)
        write_literal(w, node->value);
    else if (node->operation == MST_EXPR_LEAF)
        mst_text_add(w->out, "%s", w->leaves[node->operands[0]]);
    else
        mst_text_add(w->out, "%s_%u", w->name, index);
}

static void write_choice(const writer *w, unsigned condition, unsigned yes, unsigned no) {
    write_operand(w, condition);
    mst_text_add(w->out, " ? ");
    write_operand(w, yes);
    mst_text_add(w->out, " : ");
    write_operand(w, no);
}

// A power of double8 or double16 by parts of four: that of PoCL 3.1 is wrong beside a component whose base is 0.
static void write_power(const writer *w, const unsigned *operands) {
    static const char *const parts[] = {".s0123", ".s4567", ".s89ab", ".scdef"};
    mst_text_add(w->out, "(double%u)(", w->width);
    for (unsigned part = 0; part < w->width / 4; part++) {
        mst_text_add(w->out, part > 0 ? ", pow((" : "pow((");
        write_operand(w, operands[0]);
        mst_text_add(w->out, ")%s, (", parts[part]);
        write_operand(w, operands[1]);
        mst_text_add(w->out, ")%s)", parts[part]);
    }
    mst_text_add(w->out, ")");
}

static void write_function(const writer *w, const mst_expr_node *node) {
    const mst_expr_function *function = &mst_expr_functions[node->operation - MST_EXPR_ABS];
    if (node->operation == MST_EXPR_POW && w->is_double && w->width > 4) {
        write_power(w, node->operands);
        return;
    }
    mst_text_add(w->out, "%s(", function->opencl);
    for (int k = 0; k < function->arity; k++) {
        mst_text_add(w->out, k > 0 ? ", " : "");
        write_operand(w, node->operands[k]);
    }
    mst_text_add(w->out, ")");
}

static void write_node(const writer *w, const mst_expr_node *node) {
    const unsigned *o = node->operands;
    const char *sign = infix(node->operation);
    if (sign) {
        write_operand(w, o[0]);
        mst_text_add(w->out, " %s ", sign);
        write_operand(w, o[1]);
    } else if (node->operation == MST_EXPR_NEGATE || node->operation == MST_EXPR_NOT) {
        mst_text_add(w->out, node->operation == MST_EXPR_NOT ? "!" : "-");
        write_operand(w, o[0]);
    } else if (node->operation == MST_EXPR_CHOOSE) {
        write_choice(w, o[0], o[1], o[2]);
    } else if (node->operation == MST_EXPR_AS_NUMBER) {
        write_operand(w, o[0]);
        mst_text_add(w->out, " ? ");
        write_literal(w, 1);
        mst_text_add(w->out, " : ");
        write_literal(w, 0);
    } else if (node->operation == MST_EXPR_AS_CONDITION) {
        write_operand(w, o[0]);
        mst_text_add(w->out, " != ");
        write_literal(w, 0);
    } else {
        write_function(w, node);
    }
}

void mst_expr_write(const mst_expr *expr, bool is_double, unsigned width, const char *const *leaves, const char *name,
                    mst_text *out) {
    const writer w = {expr, is_double, width, leaves, name, out};
    for (unsigned i = 0; i < expr->n_nodes; i++) {
        const mst_expr_node *node = &expr->nodes[i];
        if (node->operation == MST_EXPR_NUMBER || node->operation == MST_EXPR_LEAF)
            continue;
        mst_text_add(out, "const ");
        write_type(&w, mst_expr_is_condition(node->operation));
        mst_text_add(out, " %s_%u = ", name, i);
        write_node(&w, node);
        mst_text_add(out, ";\n");
    }
    mst_text_add(out, "const ");
    write_type(&w, false);
    mst_text_add(out, " %s = ", name);
    write_operand(&w, expr->n_nodes - 1);
    mst_text_add(out, ";\n");
}
