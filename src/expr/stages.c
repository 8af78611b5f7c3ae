// Lowered expressions in stages, the operations of each of which are all of one type.
#include "build.h"
#include "code.h"
#include "write.h"

#include <stdlib.h>

enum { NONE = MST_EXPR_FULL };

typedef enum answer { UNKNOWN, YES, NO } answer;

typedef struct maker {
    const mst_expr *from;
    const double *const *numbers;
    mst_expr_stage *stages;
    unsigned n_stages;
    mst_expr *to;
    mst_type type;
    unsigned root;                          // of the stage
    unsigned made[MST_EXPR_MAX_NODES];      // the node in `to` and 1, or 0
    unsigned char fits[MST_EXPR_MAX_NODES]; // whether a condition can be made in the type
    bool is_possible, is_out_of_memory;
} maker;

static unsigned make(maker *m, unsigned index);

static unsigned fail(maker *m) {
    m->is_possible = false;
    return 0;
}

static unsigned run_out(maker *m) {
    m->is_out_of_memory = true;
    return fail(m);
}

static unsigned add(maker *m, const mst_expr_node *node) {
    const unsigned made = m->is_possible ? mst_expr_add_copy(m->to, node) : 0;
    return made == NONE ? fail(m) : made;
}

static unsigned add_leaf(maker *m, const mst_expr_leaf *leaf) {
    const unsigned k = mst_expr_find_leaf(m->to, leaf);
    return k == NONE ? run_out(m) : add(m, &(mst_expr_node){.operation = MST_EXPR_LEAF, .operands = {k}, .type = m->type});
}

// ---- Values of other stages

static maker *begin(const maker *parent, mst_type type, unsigned root) {
    maker *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->from = parent->from;
    m->numbers = parent->numbers;
    m->stages = parent->stages;
    m->n_stages = parent->n_stages;
    m->type = type;
    m->root = root;
    m->is_possible = (m->to = mst_expr_create_lowered()) != NULL;
    m->is_out_of_memory = !m->is_possible;
    return m;
}

static void end(maker *m) {
    if (m)
        mst_expr_destroy(m->to);
    free(m);
}

// Takes over the tree as the next stage.
static void push(maker *m, mst_type stored, const unsigned values[2]) {
    if (m->n_stages == MST_EXPR_MAX_STAGES)
        fail(m);
    if (!m->is_possible)
        return;
    m->stages[m->n_stages++] = (mst_expr_stage){m->to, m->type, stored, {values[0], values[1]}, m->root};
    m->to = NULL;
}

// The value of a stage of its own.
static unsigned cut(maker *m, unsigned index) {
    const mst_expr_node *node = &m->from->nodes[index];
    unsigned k = 0;
    while (k < m->n_stages && m->stages[k].node != index)
        k++;
    if (k == m->n_stages && index != m->root && m->is_possible) {
        maker *other = begin(m, node->type, index);
        if (!other)
            return run_out(m);
        const unsigned value = make(other, index);
        push(other, mst_expr_is_condition(node->operation) ? MST_BOOL : node->type, (const unsigned[]){value, value});
        m->n_stages = other->n_stages;
        m->is_out_of_memory = m->is_out_of_memory || other->is_out_of_memory;
        k = other->is_possible ? m->n_stages - 1 : m->n_stages;
        end(other);
    }
    if (k == m->n_stages)
        return fail(m);
    return add_leaf(m, &(mst_expr_leaf){.symbol = MST_EXPR_STAGE + k, .offsets = {(int)m->stages[k].stored}});
}

// ---- Reading

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
    const bool is_number = node->operation == MST_EXPR_NUMBER || m->numbers[node->operands[0]];
    if (is_number && mst_type_is_float(node->type) && mst_type_is_integer(m->type))
        return cut(m, index);
    if (node->operation == MST_EXPR_NUMBER)
        return make_number(m, node->value, node->type);
    if (m->numbers[node->operands[0]])
        return make_number(m, *m->numbers[node->operands[0]], node->type);
    return add_leaf(m, &m->from->leaves[node->operands[0]]);
}

static bool is_read(const mst_expr_node *node) { return node->operation == MST_EXPR_LEAF || node->operation == MST_EXPR_NUMBER; }

// ---- Conditions

static bool compares(const mst_expr_node *node) {
    return node->operation >= MST_EXPR_LESS && node->operation <= MST_EXPR_AS_CONDITION;
}

// An operand that is compared may be read in a narrower type.
static bool can_compare(const maker *m, const mst_expr_node *node) {
    bool can = true;
    for (int k = 0; k < mst_expr_arity(node->operation); k++) {
        const mst_expr_node *operand = &m->from->nodes[node->operands[k]];
        can = can && (operand->type == m->type || (is_read(operand) && holds(m->type, operand->type)));
    }
    return can;
}

static bool fits(maker *m, unsigned index) {
    const mst_expr_node *node = &m->from->nodes[index];
    if (m->fits[index] == UNKNOWN) {
        bool fit = !compares(node) || can_compare(m, node);
        for (int k = 0; k < mst_expr_arity(node->operation) && fit && !compares(node); k++)
            fit = fits(m, node->operands[k]);
        m->fits[index] = fit ? YES : NO;
    }
    return m->fits[index] == YES;
}

// One that does not fit is computed apart; of several that are combined what fits is computed here.
static unsigned make_condition(maker *m, unsigned index) {
    const mst_expr_node *node = &m->from->nodes[index];
    mst_expr_node copy = {.operation = node->operation, .type = m->type};
    if (node->operation == MST_EXPR_RESIZE)
        return make(m, node->operands[0]);
    if (compares(node) && !fits(m, index))
        return cut(m, index);
    for (int k = 0; k < mst_expr_arity(node->operation) && m->is_possible; k++) {
        const mst_expr_node *operand = &m->from->nodes[node->operands[k]];
        copy.operands[k] =
            compares(node) && operand->type != m->type ? make_read(m, node->operands[k]) : make(m, node->operands[k]);
    }
    return add(m, &copy);
}

// ---- Numbers

// Conditions are 1 and 0 in any type.
static unsigned make_converted(maker *m, unsigned index) {
    const mst_expr_node *node = &m->from->nodes[index], *operand = &m->from->nodes[node->operands[0]];
    if (operand->operation == MST_EXPR_AS_NUMBER)
        return make(m, operand->operands[0]);
    if (operand->type == m->type)
        return make(m, node->operands[0]);
    return is_read(operand) ? make_read(m, node->operands[0]) : cut(m, node->operands[0]);
}

static unsigned make_new(maker *m, unsigned index) {
    const mst_expr_node *node = &m->from->nodes[index];
    mst_expr_node copy = {.operation = node->operation, .type = m->type};
    if (mst_expr_is_condition(node->operation))
        return make_condition(m, index);
    if (node->type != m->type)
        return fail(m);
    if (node->operation == MST_EXPR_AS_NUMBER)
        return make(m, node->operands[0]);
    if (node->operation == MST_EXPR_CONVERT)
        return make_converted(m, index);
    if (is_read(node))
        return make_read(m, index);
    for (int k = 0; k < mst_expr_arity(node->operation) && m->is_possible; k++)
        copy.operands[k] = make(m, node->operands[k]);
    return add(m, &copy);
}

static unsigned make(maker *m, unsigned index) {
    if (!m->is_possible)
        return 0;
    if (m->made[index] == 0)
        m->made[index] = 1 + make_new(m, index);
    return m->made[index] - 1;
}

// ---- All of it

// What the value is rounded or written as when it is stored is left out.
static unsigned value_of(const maker *m, const mst_expr_root *root, int part) {
    const unsigned index = root->nodes[mst_type_has_parts(root->type) ? part : 0];
    const mst_expr_node *node = &m->from->nodes[index];
    const bool rounds = node->operation == MST_EXPR_CONVERT && node->type != m->type && mst_type_is_float(node->type) &&
                        mst_type_is_float(m->type) && m->from->nodes[node->operands[0]].type == m->type;
    return rounds || (node->operation == MST_EXPR_AS_NUMBER && root->type == MST_BOOL) ? node->operands[0] : index;
}

// With the last stage in that type; *n is 0 if there are none.
static mst_status in_stages_to(const mst_expr *lowered, const mst_expr_root *root, const double *const *numbers, mst_type type,
                               mst_expr_stage *stages, unsigned *n, mst_error *error) {
    mst_status status = MST_OK;
    unsigned values[2];
    const maker whole = {.from = lowered, .numbers = numbers, .stages = stages};
    maker *m = begin(&whole, type, NONE);
    MST_REQUIRE(m, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
    for (int part = 0; part < 2; part++)
        values[part] = make(m, value_of(m, root, part));
    push(m, type, values);
    *n = m->n_stages;
    MST_REQUIRE(!m->is_out_of_memory, MST_ERROR_HOST_MEMORY, "out of memory for byte code");
fail:
    if (m && !m->is_possible) {
        mst_expr_stages_release(stages, m->n_stages);
        *n = 0;
    }
    end(m);
    return status;
}

void mst_expr_stages_release(mst_expr_stage *stages, unsigned n) {
    for (unsigned k = 0; k < n; k++) {
        mst_expr_destroy(stages[k].expression);
        stages[k] = (mst_expr_stage){.expression = NULL};
    }
}

mst_status mst_expr_in_stages(const mst_expr *lowered, const mst_expr_root *root, const double *const *numbers,
                              mst_expr_stage *stages, unsigned *n, mst_error *error) {
    const unsigned last = root->nodes[0];
    const mst_type types[] = {mst_type_held(root->type),
                              lowered->nodes[last].operation == MST_EXPR_AS_NUMBER
                                  ? lowered->nodes[lowered->nodes[last].operands[0]].type
                                  : lowered->nodes[last].type,
                              MST_FLOAT32,
                              MST_FLOAT64,
                              MST_INT32,
                              MST_INT64};
    mst_expr_stage found[MST_EXPR_MAX_STAGES] = {{.expression = NULL}};
    mst_status status = MST_OK;
    unsigned n_found = 0;
    *n = 0;
    for (size_t k = 0; k < sizeof types / sizeof *types && *n != 1; k++) {
        MST_TRY(in_stages_to(lowered, root, numbers, types[k], found, &n_found, error));
        const bool is_better = n_found > 0 && (*n == 0 || n_found < *n);
        if (is_better) {
            mst_expr_stages_release(stages, *n);
            for (unsigned s = 0; s < n_found; s++)
                stages[s] = found[s];
            *n = n_found;
        } else {
            mst_expr_stages_release(found, n_found);
        }
    }
fail:
    if (status != MST_OK) {
        mst_expr_stages_release(stages, *n);
        *n = 0;
    }
    return status;
}
