#include "write.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_PART = 72 }; // letters of an operation that stands within another

int mst_expr_arity(mst_expr_operation operation) {
    switch (operation) {
    case MST_EXPR_NUMBER:
    case MST_EXPR_LEAF:
        return 0;
    case MST_EXPR_NEGATE:
    case MST_EXPR_NOT:
    case MST_EXPR_AS_NUMBER:
    case MST_EXPR_AS_CONDITION:
    case MST_EXPR_STRETCH:
    case MST_EXPR_BIT_NOT:
    case MST_EXPR_REAL:
    case MST_EXPR_IMAGINARY:
    case MST_EXPR_CONJUGATE:
    case MST_EXPR_ARGUMENT:
    case MST_EXPR_CONVERT:
    case MST_EXPR_RESIZE:
        return 1;
    case MST_EXPR_CHOOSE:
        return 3;
    default:
        return operation >= MST_EXPR_ABS ? mst_expr_functions[operation - MST_EXPR_ABS].arity : 2;
    }
}

const char *mst_expr_sign_between(mst_expr_operation operation, int *binds) {
    static const struct {
        const char *sign;
        int binds;
    } signs[MST_EXPR_N_OPERATIONS] = {[MST_EXPR_ADD] = {"+", MST_EXPR_BINDS_SUM},
                                      [MST_EXPR_SUBTRACT] = {"-", MST_EXPR_BINDS_SUM},
                                      [MST_EXPR_MULTIPLY] = {"*", MST_EXPR_BINDS_PRODUCT},
                                      [MST_EXPR_DIVIDE] = {"/", MST_EXPR_BINDS_PRODUCT},
                                      [MST_EXPR_LESS] = {"<", MST_EXPR_BINDS_COMPARISON},
                                      [MST_EXPR_LESS_EQUAL] = {"<=", MST_EXPR_BINDS_COMPARISON},
                                      [MST_EXPR_GREATER] = {">", MST_EXPR_BINDS_COMPARISON},
                                      [MST_EXPR_GREATER_EQUAL] = {">=", MST_EXPR_BINDS_COMPARISON},
                                      [MST_EXPR_EQUAL] = {"==", MST_EXPR_BINDS_EQUALITY},
                                      [MST_EXPR_NOT_EQUAL] = {"!=", MST_EXPR_BINDS_EQUALITY},
                                      [MST_EXPR_AND] = {"&&", MST_EXPR_BINDS_AND},
                                      [MST_EXPR_OR] = {"||", MST_EXPR_BINDS_OR}};
    *binds = signs[operation].binds;
    return signs[operation].sign;
}

mst_expr_writer *mst_expr_writer_create(const mst_expr *expr, const char *const *leaves, const char *name, mst_text *out) {
    mst_expr_writer *w = calloc(1, sizeof *w);
    out->failed = out->failed || !w;
    if (w) {
        w->expr = expr;
        w->leaves = leaves;
        w->name = name;
        w->out = out;
    }
    return w;
}

void mst_expr_writer_destroy(mst_expr_writer *w) {
    for (unsigned i = 0; w && i < w->expr->n_nodes; i++) {
        free(w->parts[i].text);
        free(w->parts[i].wrapping);
    }
    free(w);
}

void mst_expr_write_operand(const mst_expr_writer *w, const mst_expr_node *node, int k, int least, bool typed, mst_text *out) {
    const mst_expr_node *operand = &w->expr->nodes[node->operands[k]];
    const mst_expr_part *part = &w->parts[node->operands[k]];
    mst_text text = {0};
    int binds = part->binds;
    if (operand->operation == MST_EXPR_NUMBER)
        binds = w->write_literal(w, operand->value, typed, &text);
    const char *letters = operand->operation == MST_EXPR_NUMBER ? text.text : part->text;
    if (letters)
        mst_text_add(out, binds < least ? "(%s)" : "%s", letters);
    out->failed = out->failed || !letters;
    mst_text_release(&text);
}

// The name of a node that is a value; NULL for others.
static const char *value_name(const mst_expr_writer *w, unsigned index) {
    if (w->values)
        return w->values[index];
    return index == w->expr->n_nodes - 1 ? w->name : NULL;
}

static void look_at(mst_expr_writer *w, const mst_expr_node *node) {
    if (w->look_at)
        w->look_at(w, node);
}

// Constants that were computed while parsing have left what they were made of behind, which nothing reads.
void mst_expr_writer_count(mst_expr_writer *w) {
    for (unsigned i = 0; i < w->expr->n_nodes; i++)
        w->n_readers[i] = value_name(w, i) ? 1 : 0;
    for (unsigned i = w->expr->n_nodes; i-- > 0;) {
        const mst_expr_node *node = &w->expr->nodes[i];
        look_at(w, node);
        for (int k = 0; w->n_readers[i] > 0 && k < mst_expr_arity(node->operation); k++)
            w->n_readers[node->operands[k]] += w->needs_name(w, node, k) ? 2 : 1;
    }
}

// Takes over the text. What has a name is declared here.
static void place_operation(mst_expr_writer *w, unsigned index, mst_text *text, unsigned *n_names) {
    mst_expr_part *part = &w->parts[index];
    const char *value = value_name(w, index);
    bool condition = mst_expr_is_condition(w->expr->nodes[index].operation);
    if (text->failed || !text->text) {
        w->out->failed = true;
    } else if (!value && w->n_readers[index] == 1 && text->length <= LONGEST_PART) {
        part->text = text->text;
        *text = (mst_text){0};
    } else {
        mst_text name = {0};
        if (value)
            mst_text_add(&name, "%s", value);
        else
            mst_text_add(&name, "%s_%u", w->name, ++*n_names);
        if (!name.failed)
            mst_text_add(w->out, "const %s %s = %s;\n", condition ? w->condition_type : w->type, name.text, text->text);
        w->out->failed = w->out->failed || name.failed;
        part->text = name.text;
        part->binds = MST_EXPR_BINDS_NAME;
        free(part->wrapping);
        part->wrapping = NULL;
    }
    mst_text_release(text);
}

void mst_expr_writer_run(mst_expr_writer *w) {
    unsigned n_names = 0;
    for (unsigned i = 0; i < w->expr->n_nodes && !w->out->failed; i++) {
        const mst_expr_node *node = &w->expr->nodes[i];
        mst_text text = {0};
        if (w->n_readers[i] == 0)
            continue;
        bool is_value = value_name(w, i) != NULL;
        look_at(w, node);
        if (node->operation == MST_EXPR_LEAF && !is_value) {
            w->parts[i] = (mst_expr_part){.text = strdup(w->leaves[node->operands[0]]), .binds = MST_EXPR_BINDS_NAME};
        } else if (node->operation == MST_EXPR_LEAF) {
            mst_text_add(&text, "%s", w->leaves[node->operands[0]]);
            place_operation(w, i, &text, &n_names);
        } else if (node->operation == MST_EXPR_NUMBER && is_value) {
            w->write_literal(w, node->value, true, &text);
            place_operation(w, i, &text, &n_names);
        } else if (node->operation != MST_EXPR_NUMBER) {
            w->parts[i].binds = w->write_operation(w, i, &text);
            place_operation(w, i, &text, &n_names);
        }
    }
}
