// Lowered expressions whose operations are all of one type.
#include "build.h"
#include "code.h"
#include "write.h"

#include <stdlib.h>

enum { NONE = MST_EXPR_FULL };

typedef struct maker {
    const mst_expr *from;
    mst_expr *to;
    mst_type type;
    const double *const *numbers;
    unsigned made[MST_EXPR_MAX_NODES]; // the node in `to` and 1, or 0
    bool is_possible, is_out_of_memory;
} maker;

static unsigned make(maker *m, unsigned index);

static unsigned fail(maker *m) {
    m->is_possible = false;
    return 0;
}

static unsigned add(maker *m, const mst_expr_node *node) {
    const unsigned made = m->is_possible ? mst_expr_add_copy(m->to, node) : 0;
    return made == NONE ? fail(m) : made;
}

// Whether every number of one type is one of the other.
static bool holds(mst_type type, mst_type other) {
    const size_t bytes = mst_type_bytes(type), of_other = mst_type_bytes(other);
    if (type == other)
        return true;
    if (mst_type_is_float(type))
        return mst_type_is_float(other) ? bytes > of_other : bytes > 2 * of_other || (bytes == 8 && of_other == 4);
    return mst_type_is_integer(other) && bytes > of_other && (mst_type_is_signed(type) || !mst_type_is_signed(other));
}

static unsigned make_number(maker *m, double value, mst_type from) {
    const mst_expr_node node = {
        .operation = MST_EXPR_NUMBER, .value = from == MST_FLOAT32 ? (double)(float)value : value, .type = m->type};
    return add(m, &node);
}

// A leaf, or a number, that is converted to the type when it is read.
static unsigned make_read(maker *m, unsigned index) {
    const mst_expr_node *node = &m->from->nodes[index];
    if (node->operation == MST_EXPR_NUMBER)
        return make_number(m, node->value, node->type);
    if (m->numbers[node->operands[0]])
        return make_number(m, *m->numbers[node->operands[0]], node->type);
    const unsigned leaf = mst_expr_find_leaf(m->to, &m->from->leaves[node->operands[0]]);
    if (leaf == NONE) {
        m->is_out_of_memory = true;
        return fail(m);
    }
    return add(m, &(mst_expr_node){.operation = MST_EXPR_LEAF, .operands = {leaf}, .type = m->type});
}

static bool is_read(const mst_expr_node *node) { return node->operation == MST_EXPR_LEAF || node->operation == MST_EXPR_NUMBER; }

// Of floats to integers only kernels that are compiled have: it saturates.
static bool converts_as_c(mst_type from, mst_type to) { return mst_type_is_float(to) || mst_type_is_integer(from); }

// An operand that is compared, which may be read in a narrower type.
static unsigned make_compared(maker *m, unsigned index) {
    const mst_expr_node *node = &m->from->nodes[index];
    if (node->type == m->type)
        return make(m, index);
    return is_read(node) && holds(m->type, node->type) ? make_read(m, index) : fail(m);
}

static unsigned make_operation(maker *m, const mst_expr_node *node) {
    mst_expr_node copy = {.operation = node->operation, .type = m->type};
    const bool compares = node->operation >= MST_EXPR_LESS && node->operation <= MST_EXPR_AS_CONDITION;
    for (int k = 0; k < mst_expr_arity(node->operation) && m->is_possible; k++)
        copy.operands[k] = compares ? make_compared(m, node->operands[k]) : make(m, node->operands[k]);
    return add(m, &copy);
}

static unsigned make_new(maker *m, unsigned index) {
    const mst_expr_node *node = &m->from->nodes[index];
    const mst_expr_node *operand = &m->from->nodes[node->operands[0]];
    if (node->operation == MST_EXPR_RESIZE || (node->operation == MST_EXPR_AS_NUMBER && node->type == m->type))
        return make(m, node->operands[0]);
    if (node->operation == MST_EXPR_CONVERT && node->type == m->type)
        return is_read(operand) && converts_as_c(operand->type, m->type) ? make_read(m, node->operands[0]) : fail(m);
    if (node->operation == MST_EXPR_CONVERT || (node->type != m->type && !mst_expr_is_condition(node->operation)))
        return fail(m);
    return is_read(node) ? make_read(m, index) : make_operation(m, node);
}

static unsigned make(maker *m, unsigned index) {
    if (!m->is_possible)
        return 0;
    if (m->made[index] == 0)
        m->made[index] = 1 + make_new(m, index);
    return m->made[index] - 1;
}

// What the value is rounded or written as when it is stored is left out.
static unsigned value_of(const maker *m, const mst_expr_root *root, int part) {
    const unsigned index = root->nodes[mst_type_has_parts(root->type) ? part : 0];
    const mst_expr_node *node = &m->from->nodes[index];
    const bool rounds = node->operation == MST_EXPR_CONVERT && node->type != m->type && mst_type_is_float(node->type) &&
                        mst_type_is_float(m->type) && m->from->nodes[node->operands[0]].type == m->type;
    return rounds || (node->operation == MST_EXPR_AS_NUMBER && root->type == MST_BOOL) ? node->operands[0] : index;
}

mst_status mst_expr_in_one_type(const mst_expr *lowered, const mst_expr_root *root, const double *const *numbers, mst_expr **out,
                                unsigned values[2], mst_type *type, mst_error *error) {
    const mst_type types[] = {mst_type_held(root->type), MST_FLOAT32, MST_FLOAT64, MST_INT32, MST_INT64};
    mst_status status = MST_OK;
    maker *m = NULL;
    *out = NULL;
    for (size_t k = 0; k < sizeof types / sizeof *types && !*out; k++) {
        MST_REQUIRE((m = calloc(1, sizeof *m)) && (m->to = mst_expr_create_lowered()), MST_ERROR_HOST_MEMORY,
                    "out of memory for byte code");
        m->from = lowered;
        m->numbers = numbers;
        m->type = *type = types[k];
        m->is_possible = true;
        for (int part = 0; part < 2; part++)
            values[part] = make(m, value_of(m, root, part));
        MST_REQUIRE(!m->is_out_of_memory, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
        if (m->is_possible) {
            *out = m->to;
            m->to = NULL;
        }
        mst_expr_destroy(m->to);
        free(m);
        m = NULL;
    }
fail:
    if (m)
        mst_expr_destroy(m->to);
    free(m);
    return status;
}
