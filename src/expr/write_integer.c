// Expressions of integers as OpenCL C. Sums and products are taken of unsigned numbers, whose overflow is defined, and converted
// back where something else reads them.
#include "write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define LARGEST_EXACT 0x1p53 // whole numbers beyond were rounded when the text was read

// Scalars narrower than int: OpenCL C computes them in int, where products of two may overflow.
static bool is_promoted(const mst_expr_writer *w) { return strcmp(w->type, "char") == 0 || strcmp(w->type, "short") == 0; }
static bool is_scalar(const mst_expr_writer *w) { return strpbrk(w->type, "0123456789") == NULL; }

static int write_literal(const mst_expr_writer *w, double value, bool typed, mst_text *out) {
    bool is_plain = is_scalar(w) && (!is_promoted(w) || !typed) && fabs(value) < 0x1p31;
    if (!is_plain)
        mst_text_add(out, "(%s)(%lld%s)", w->type, (long long)value, fabs(value) < 0x1p31 ? "" : "L");
    else
        mst_text_add(out, "%lld%s", (long long)value, w->type[0] == 'l' ? "L" : "");
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
        mst_text_add(out, "%lldu%s", (long long)operand->value, w->type[0] == 'l' ? "l" : "");
    else if (is_small)
        mst_text_add(out, "(u%s)(%lld)", w->type, (long long)operand->value);
    if (part->wrapping || is_small)
        return;
    mst_text_add(out, "%sas_u%s(", is_promoted(w) ? "(uint)" : "", w->type);
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
    if (is_promoted(w))
        mst_text_add(out, "as_%s((u%s)(%s))", w->type, w->type, text.text);
    else
        mst_text_add(out, "as_%s(%s)", w->type, text.text);
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
            write_literal(w, k == 1, true, out);
    }
    return MST_EXPR_BINDS_CHOICE;
}

static int write_operation(mst_expr_writer *w, unsigned index, mst_text *out) {
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
        write_literal(w, 0, true, out);
        return MST_EXPR_BINDS_EQUALITY;
    case MST_EXPR_NOT:
        mst_text_add(out, "!");
        mst_expr_write_operand(w, node, 0, MST_EXPR_BINDS_NAME, false, out);
        return MST_EXPR_BINDS_SIGN;
    case MST_EXPR_ABS:
    case MST_EXPR_MIN:
    case MST_EXPR_MAX:
        return write_call(w, node, out);
    default:
        mst_expr_write_operand(w, node, 0, binds == MST_EXPR_BINDS_AND ? binds : MST_EXPR_BINDS_COMPARISON, false, out);
        mst_text_add(out, " %s ", sign);
        mst_expr_write_operand(w, node, 1, MST_EXPR_BINDS_COMPARISON, false, out);
        return binds;
    }
}

// Either side of a choice is computed, chosen or not; and a choice between narrow scalars is an int unless it has a name.
static bool needs_name(const mst_expr_writer *w, const mst_expr_node *node, int k) {
    mst_expr_operation operand = w->expr->nodes[node->operands[k]].operation;
    bool is_optional = node->operation == MST_EXPR_CHOOSE || node->operation == MST_EXPR_AND || node->operation == MST_EXPR_OR;
    return (is_optional && k > 0) || (is_promoted(w) && (operand == MST_EXPR_CHOOSE || operand == MST_EXPR_AS_NUMBER));
}

bool mst_expr_is_integer(double value, unsigned bytes) {
    double limit = ldexp(1, (int)(8 * bytes - 1));
    return value == floor(value) && value >= -limit && value < limit && fabs(value) <= LARGEST_EXACT;
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
    mst_status status = MST_OK;
    char lanes[4] = "";
    mst_expr_writer *w = mst_expr_writer_create(expr, leaves, name, out);
    MST_REQUIRE(w, MST_ERROR_HOST_MEMORY, "out of memory writing a kernel");
    if (width > 1)
        snprintf(lanes, sizeof lanes, "%u", width % 100);
    snprintf(w->type, sizeof w->type, "%s%s", name_of(bytes), lanes);
    snprintf(w->condition_type, sizeof w->condition_type, "%s", width == 1 ? "int" : w->type);
    w->write_operation = write_operation;
    w->write_literal = write_literal;
    w->needs_name = needs_name;
    mst_expr_writer_count(w);
    for (unsigned i = 0; i < expr->n_nodes; i++)
        if (w->n_readers[i] > 0)
            MST_TRY(check_node(&expr->nodes[i], bytes, error));
    mst_expr_writer_run(w);
fail:
    mst_expr_writer_destroy(w);
    return status;
}
