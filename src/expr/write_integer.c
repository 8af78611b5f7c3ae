// Operations on integers as OpenCL C. Sums and products are taken of unsigned numbers, whose overflow is defined, and converted
// back where something else reads them.
#include "write.h"

#include <math.h>
#include <string.h>

// Scalars narrower than int: OpenCL C computes them in int, where products of two may overflow.
static bool is_unsigned(const mst_expr_writer *w) { return w->type[0] == 'u'; }
static const char *signless(const mst_expr_writer *w) { return w->type + (is_unsigned(w) ? 1 : 0); }
static bool is_promoted(const mst_expr_writer *w) {
    return strcmp(signless(w), "char") == 0 || strcmp(signless(w), "short") == 0;
}
static bool is_long(const mst_expr_writer *w) { return signless(w)[0] == 'l'; }
static bool is_scalar(const mst_expr_writer *w) { return strpbrk(w->type, "0123456789") == NULL; }

int mst_expr_write_integer_literal(const mst_expr_writer *w, double value, bool typed, mst_text *out) {
    bool is_plain = is_scalar(w) && (!is_promoted(w) || !typed) && fabs(value) < 0x1p31;
    if (!is_plain)
        mst_text_add(out, "(%s)(%lld%s)", w->type, (long long)value, fabs(value) < 0x1p31 ? "" : "L");
    else
        mst_text_add(out, "%lld%s", (long long)value, is_long(w) ? "L" : "");
    return is_plain && value < 0 ? MST_EXPR_BINDS_SUM : MST_EXPR_BINDS_NAME;
}

static bool is_wrapping(mst_expr_operation operation) {
    return operation == MST_EXPR_NEGATE || operation == MST_EXPR_ADD || operation == MST_EXPR_SUBTRACT ||
           operation == MST_EXPR_MULTIPLY;
}

// An operand as an unsigned number: what is one already, or of the same bits. Narrow scalars have theirs in uint.
static void write_unsigned(const mst_expr_writer *w, const mst_expr_node *node, int k, int least, mst_text *out) {
    const mst_expr_node *operand = &w->expr->nodes[node->operands[k]];
    const mst_expr_part *part = &w->parts[node->operands[k]];
    bool is_small = operand->operation == MST_EXPR_NUMBER && operand->value >= 0 && operand->value < 0x1p31;
    if (part->wrapping)
        mst_text_add(out, part->wrapping_binds < least ? "(%s)" : "%s", part->wrapping);
    else if (is_small && is_scalar(w))
        mst_text_add(out, "%lldu%s", (long long)operand->value, is_long(w) ? "l" : "");
    else if (is_small)
        mst_text_add(out, "(u%s)(%lld)", signless(w), (long long)operand->value);
    if (part->wrapping || is_small)
        return;
    mst_text_add(out, is_promoted(w) ? "(uint)" : "");
    if (is_unsigned(w)) {
        mst_expr_write_operand(w, node, k, is_promoted(w) ? MST_EXPR_BINDS_NAME : least, true, out);
        return;
    }
    mst_text_add(out, "as_u%s(", w->type);
    mst_expr_write_operand(w, node, k, 0, true, out);
    mst_text_add(out, ")");
}

// Sets the node's `wrapping`, and adds it as a signed number.
static int write_wrapping(mst_expr_writer *w, unsigned index, mst_text *out) {
    const mst_expr_node *node = &w->expr->nodes[index];
    mst_expr_part *part = &w->parts[index];
    mst_text text = {0};
    int binds;
    const char *sign = mst_expr_sign_between(node->operation, &binds);
    if (!sign)
        binds = MST_EXPR_BINDS_SIGN;
    else
        write_unsigned(w, node, 0, binds, &text);
    mst_text_add(&text, sign ? " %s " : "-", sign);
    write_unsigned(w, node, sign ? 1 : 0, binds + 1, &text);
    if (text.failed) {
        out->failed = true;
        mst_text_release(&text);
        return binds;
    }
    part->wrapping = text.text;
    part->wrapping_binds = binds;
    if (is_unsigned(w) && !is_promoted(w)) {
        mst_text_add(out, "%s", text.text);
        return binds;
    }
    if (is_unsigned(w))
        mst_text_add(out, "(%s)(%s)", w->type, text.text);
    else if (is_promoted(w))
        mst_text_add(out, "as_%s((u%s)(%s))", w->type, w->type, text.text);
    else
        mst_text_add(out, "as_%s(%s)", w->type, text.text);
    return MST_EXPR_BINDS_NAME;
}

// What OpenCL C has a sign for and does not overflow. Narrow scalars are computed in int.
static int write_plain(const mst_expr_writer *w, const mst_expr_node *node, const char *sign, mst_text *out) {
    mst_text_add(out, is_promoted(w) ? "(%s)(" : "(", w->type);
    mst_expr_write_operand(w, node, 0, MST_EXPR_BINDS_NAME, true, out);
    mst_text_add(out, " %s ", sign);
    mst_expr_write_operand(w, node, 1, MST_EXPR_BINDS_NAME, true, out);
    mst_text_add(out, ")");
    return MST_EXPR_BINDS_NAME;
}

// Bits that are moved out at the left are lost, whatever the sign.
static int write_shift_left(const mst_expr_writer *w, const mst_expr_node *node, mst_text *out) {
    mst_text_add(out, is_unsigned(w) ? "(" : "as_%s(", w->type);
    mst_text_add(out, is_promoted(w) ? "(u%s)(" : "(", signless(w));
    write_unsigned(w, node, 0, MST_EXPR_BINDS_NAME, out);
    mst_text_add(out, " << ");
    write_unsigned(w, node, 1, MST_EXPR_BINDS_NAME, out);
    mst_text_add(out, "))");
    return MST_EXPR_BINDS_NAME;
}

static int write_power(const mst_expr_writer *w, const mst_expr_node *node, mst_text *out) {
    mst_text_add(out, "power_%s(", w->type);
    mst_expr_write_operand(w, node, 0, 0, true, out);
    mst_text_add(out, ", ");
    mst_expr_write_operand(w, node, 1, 0, true, out);
    mst_text_add(out, ")");
    return MST_EXPR_BINDS_NAME;
}

static int write_call(const mst_expr_writer *w, const mst_expr_node *node, mst_text *out) {
    if (node->operation == MST_EXPR_ABS)
        mst_text_add(out, "as_%s(abs(", w->type);
    else
        mst_text_add(out, node->operation == MST_EXPR_MIN ? "min(" : "max(");
    mst_expr_write_operand(w, node, 0, 0, true, out);
    if (node->operation != MST_EXPR_ABS) {
        mst_text_add(out, ", ");
        mst_expr_write_operand(w, node, 1, 0, true, out);
    }
    mst_text_add(out, node->operation == MST_EXPR_ABS ? "))" : ")");
    return MST_EXPR_BINDS_NAME;
}

static int write_choice(const mst_expr_writer *w, const mst_expr_node *node, mst_text *out) {
    mst_expr_write_operand(w, node, 0, MST_EXPR_BINDS_OR, false, out);
    for (int k = 1; k < 3; k++) {
        mst_text_add(out, k == 1 ? " ? " : " : ");
        if (node->operation == MST_EXPR_CHOOSE)
            mst_expr_write_operand(w, node, k, MST_EXPR_BINDS_OR, true, out);
        else
            mst_expr_write_integer_literal(w, k == 1, true, out);
    }
    return MST_EXPR_BINDS_CHOICE;
}

int mst_expr_write_integer_operation(mst_expr_writer *w, unsigned index, mst_text *out) {
    const mst_expr_node *node = &w->expr->nodes[index];
    int binds;
    if (is_wrapping(node->operation))
        return write_wrapping(w, index, out);
    const char *sign = mst_expr_sign_between(node->operation, &binds);
    switch (node->operation) {
    case MST_EXPR_CHOOSE:
    case MST_EXPR_AS_NUMBER:
        return write_choice(w, node, out);
    case MST_EXPR_AS_CONDITION:
        mst_expr_write_operand(w, node, 0, MST_EXPR_BINDS_COMPARISON, true, out);
        mst_text_add(out, " != ");
        mst_expr_write_integer_literal(w, 0, true, out);
        return MST_EXPR_BINDS_EQUALITY;
    case MST_EXPR_NOT:
        mst_text_add(out, "!");
        mst_expr_write_operand(w, node, 0, MST_EXPR_BINDS_NAME, false, out);
        return MST_EXPR_BINDS_SIGN;
    case MST_EXPR_ABS:
    case MST_EXPR_MIN:
    case MST_EXPR_MAX:
        return write_call(w, node, out);
    case MST_EXPR_POW:
        return write_power(w, node, out);
    case MST_EXPR_DIVIDE:
        return write_plain(w, node, "/", out);
    case MST_EXPR_SHIFT_LEFT:
        return write_shift_left(w, node, out);
    case MST_EXPR_SHIFT_RIGHT:
        return write_plain(w, node, ">>", out);
    case MST_EXPR_BIT_AND:
        return write_plain(w, node, "&", out);
    case MST_EXPR_BIT_XOR:
        return write_plain(w, node, "^", out);
    case MST_EXPR_BIT_OR:
        return write_plain(w, node, "|", out);
    case MST_EXPR_BIT_NOT:
        mst_text_add(out, is_promoted(w) ? "(%s)~" : "~", w->type);
        mst_expr_write_operand(w, node, 0, MST_EXPR_BINDS_NAME, true, out);
        return MST_EXPR_BINDS_SIGN;
    default:
        mst_expr_write_operand(w, node, 0, binds == MST_EXPR_BINDS_AND ? binds : MST_EXPR_BINDS_COMPARISON, false, out);
        mst_text_add(out, " %s ", sign);
        mst_expr_write_operand(w, node, 1, MST_EXPR_BINDS_COMPARISON, false, out);
        return binds;
    }
}

// Either side of a choice is computed, chosen or not; and a choice between narrow scalars is an int unless it has a name.
bool mst_expr_integer_needs_name(const mst_expr_writer *w, const mst_expr_node *node, int k) {
    mst_expr_operation operand = w->expr->nodes[node->operands[k]].operation;
    bool is_optional = node->operation == MST_EXPR_CHOOSE || node->operation == MST_EXPR_AND || node->operation == MST_EXPR_OR;
    return (is_optional && k > 0) || (is_promoted(w) && (operand == MST_EXPR_CHOOSE || operand == MST_EXPR_AS_NUMBER));
}
