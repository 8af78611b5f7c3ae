#include "build.h"

#include "write.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_PRODUCT = 16 }; // exponents up to here become products

mst_expr *mst_expr_create(bool of_scheme, bool numbers_apart) {
    mst_expr *expr = calloc(1, sizeof *expr);
    if (expr && !(expr->slots = calloc(MST_EXPR_N_SLOTS, sizeof *expr->slots))) {
        free(expr);
        return NULL;
    }
    if (expr) {
        expr->of_scheme = of_scheme;
        expr->numbers_apart = numbers_apart;
    }
    return expr;
}

static bool same_number(double a, double b) { return memcmp(&a, &b, sizeof a) == 0; }

static bool same_node(const mst_expr_node *a, const mst_expr_node *b) {
    return a->operation == b->operation && a->type == b->type && memcmp(a->operands, b->operands, sizeof a->operands) == 0 &&
           same_number(a->value, b->value);
}

static uint64_t hash_of(const mst_expr_node *node) {
    uint64_t hash = 0;
    memcpy(&hash, &node->value, sizeof hash);
    const uint64_t parts[] = {(uint64_t)node->operation, node->operands[0], node->operands[1], node->operands[2]};
    for (int k = 0; k < 4; k++)
        hash = (hash ^ hash >> 29 ^ parts[k]) * UINT64_C(0x9E3779B97F4A7C15);
    return hash >> 32;
}

static unsigned add_node(mst_expr *expr, const mst_expr_node *node) {
    const bool apart = expr->numbers_apart && node->operation == MST_EXPR_NUMBER;
    uint64_t slot = hash_of(node) % MST_EXPR_N_SLOTS;
    for (; expr->slots[slot] > 0; slot = (slot + 1) % MST_EXPR_N_SLOTS)
        if (!apart && same_node(&expr->nodes[expr->slots[slot] - 1], node))
            return expr->slots[slot] - 1;
    if (expr->n_nodes == MST_EXPR_MAX_NODES)
        return MST_EXPR_FULL;
    expr->nodes[expr->n_nodes++] = *node;
    expr->slots[slot] = expr->n_nodes;
    return expr->n_nodes - 1;
}

unsigned mst_expr_add_copy(mst_expr *expr, const mst_expr_node *node) { return add_node(expr, node); }

unsigned mst_expr_add_number(mst_expr *expr, double value) {
    return add_node(expr, &(mst_expr_node){.operation = MST_EXPR_NUMBER, .value = value});
}

unsigned mst_expr_add_decimal(mst_expr *expr, double value) {
    return add_node(expr, &(mst_expr_node){.operation = MST_EXPR_NUMBER, .operands = {expr->of_map ? 1 : 0}, .value = value});
}

unsigned mst_expr_find_leaf(mst_expr *expr, const mst_expr_leaf *leaf) {
    unsigned k = 0;
    while (k < expr->n_leaves && (expr->leaves[k].symbol != leaf->symbol || expr->leaves[k].level != leaf->level ||
                                  memcmp(expr->leaves[k].offsets, leaf->offsets, sizeof leaf->offsets) != 0))
        k++;
    if (k == expr->max_leaves) {
        unsigned more = 2 * expr->max_leaves + 8;
        mst_expr_leaf *grown = realloc(expr->leaves, more * sizeof *grown);
        if (!grown)
            return MST_EXPR_FULL;
        expr->leaves = grown;
        expr->max_leaves = more;
    }
    if (k == expr->n_leaves)
        expr->leaves[expr->n_leaves++] = *leaf;
    return k;
}

unsigned mst_expr_add_leaf(mst_expr *expr, const mst_expr_leaf *leaf, bool of_field) {
    const unsigned k = mst_expr_find_leaf(expr, leaf);
    if (k == MST_EXPR_FULL)
        return MST_EXPR_FULL;
    return add_node(expr, &(mst_expr_node){.operation = MST_EXPR_LEAF, .operands = {k}, .of_field = of_field});
}

bool mst_expr_wants_condition(mst_expr_operation operation, int k) {
    switch (operation) {
    case MST_EXPR_NOT:
    case MST_EXPR_AND:
    case MST_EXPR_OR:
    case MST_EXPR_AS_NUMBER:
        return true;
    case MST_EXPR_CHOOSE:
        return k == 0;
    default:
        return false;
    }
}

// Whether a node is a number whose reciprocal neither overflows nor loses digits, in single precision too.
static bool has_reciprocal(const mst_expr_node *node) {
    return node->operation == MST_EXPR_NUMBER && fabs(node->value) > 1e-37 && fabs(node->value) < 1e37;
}

// Whether an operation of a map on numbers without points gives one with a point.
static bool makes_decimal(mst_expr_operation operation) {
    switch (operation) {
    case MST_EXPR_NEGATE:
    case MST_EXPR_ADD:
    case MST_EXPR_SUBTRACT:
    case MST_EXPR_MULTIPLY:
    case MST_EXPR_CHOOSE:
    case MST_EXPR_ABS:
    case MST_EXPR_MIN:
    case MST_EXPR_MAX:
    case MST_EXPR_MOD:
        return false;
    default:
        return true;
    }
}

unsigned mst_expr_add(mst_expr *expr, mst_expr_operation operation, const unsigned *operands, int n) {
    mst_expr_node node = {.operation = operation, .written = expr->written};
    double values[3] = {0};
    bool constant = !mst_expr_is_condition(operation) && !mst_expr_is_of_map(operation), decimal = makes_decimal(operation);
    for (int k = 0; k < n; k++) {
        if (operands[k] == MST_EXPR_FULL)
            return MST_EXPR_FULL;
        bool wanted = mst_expr_wants_condition(operation, k), is = mst_expr_is_condition(expr->nodes[operands[k]].operation);
        node.operands[k] =
            wanted == is ? operands[k] : mst_expr_add(expr, wanted ? MST_EXPR_AS_CONDITION : MST_EXPR_AS_NUMBER, &operands[k], 1);
        if (node.operands[k] == MST_EXPR_FULL)
            return MST_EXPR_FULL;
        values[k] = expr->nodes[node.operands[k]].value;
        node.of_field = node.of_field || expr->nodes[node.operands[k]].of_field;
        constant = constant && expr->nodes[node.operands[k]].operation == MST_EXPR_NUMBER;
        decimal = decimal || expr->nodes[node.operands[k]].operands[0] != 0;
    }
    if (expr->of_scheme && operation == MST_EXPR_DIVIDE && node.of_field && has_reciprocal(&expr->nodes[node.operands[1]])) {
        node.operation = MST_EXPR_MULTIPLY;
        node.operands[1] = mst_expr_add_number(expr, 1 / values[1]);
        if (node.operands[1] == MST_EXPR_FULL)
            return MST_EXPR_FULL;
    }
    // By 0 a remainder is 0 of integers, NaN of others: which of them these numbers are is not known yet.
    if (expr->of_map && operation == MST_EXPR_MOD && values[1] == 0)
        constant = false;
    if (constant) {
        const double value = mst_expr_apply(operation, values[0], values[1], values[2]);
        return decimal ? mst_expr_add_decimal(expr, value) : mst_expr_add_number(expr, value);
    }
    return add_node(expr, &node);
}

unsigned mst_expr_add_stretch(mst_expr *expr, unsigned argument, int axis, double shift) {
    if (argument != MST_EXPR_FULL && mst_expr_is_condition(expr->nodes[argument].operation))
        argument = mst_expr_add(expr, MST_EXPR_AS_NUMBER, &argument, 1);
    if (argument == MST_EXPR_FULL)
        return MST_EXPR_FULL;
    return add_node(expr, &(mst_expr_node){.operation = MST_EXPR_STRETCH,
                                           .operands = {argument, (unsigned)axis},
                                           .value = shift,
                                           .of_field = expr->nodes[argument].of_field});
}

unsigned mst_expr_add_like(mst_expr *expr, const mst_expr_node *node, const unsigned *operands) {
    return node->operation == MST_EXPR_STRETCH ? mst_expr_add_stretch(expr, operands[0], (int)node->operands[1], node->value)
                                               : mst_expr_add(expr, node->operation, operands, mst_expr_arity(node->operation));
}

static unsigned multiply(mst_expr *expr, unsigned a, unsigned b) {
    return mst_expr_add(expr, MST_EXPR_MULTIPLY, (unsigned[]){a, b}, 2);
}

unsigned mst_expr_add_power(mst_expr *expr, unsigned base, unsigned exponent) {
    if (base == MST_EXPR_FULL || exponent == MST_EXPR_FULL)
        return MST_EXPR_FULL;
    const mst_expr_node *e = &expr->nodes[exponent];
    if (expr->of_map && expr->nodes[base].operation == MST_EXPR_NUMBER && e->operation == MST_EXPR_NUMBER &&
        !expr->nodes[base].operands[0] && !e->operands[0] && e->value >= 0)
        return mst_expr_add_number(expr, pow(expr->nodes[base].value, e->value));
    if (expr->of_map)
        return mst_expr_add(expr, MST_EXPR_POW, (unsigned[]){base, exponent}, 2);
    bool whole = e->operation == MST_EXPR_NUMBER && e->value == floor(e->value) && fabs(e->value) <= LARGEST_PRODUCT;
    if (e->operation == MST_EXPR_NUMBER && e->value == 0.5)
        return mst_expr_add(expr, MST_EXPR_SQRT, &base, 1);
    if (!whole || expr->nodes[base].operation == MST_EXPR_NUMBER)
        return mst_expr_add(expr, MST_EXPR_POW, (unsigned[]){base, exponent}, 2);
    int n = (int)e->value;
    unsigned result = 0;
    bool begun = false;
    if (n == 0)
        return mst_expr_add_number(expr, 1.0);
    for (int left = abs(n); left > 0; left /= 2) {
        if (left % 2)
            result = begun ? multiply(expr, result, base) : base;
        begun = begun || left % 2;
        if (left > 1)
            base = multiply(expr, base, base);
    }
    if (n < 0)
        result = mst_expr_add(expr, MST_EXPR_DIVIDE, (unsigned[]){mst_expr_add_number(expr, 1.0), result}, 2);
    return result;
}

// (1 - 2 a) exp(-a) with a = (pi (frequency * time - 1.5))^2: the wavelet (Ricker, Geophysics 18, 1953) with its peak at
// time = 1.5 / frequency, so that it begins near 0.
unsigned mst_expr_add_ricker(mst_expr *expr, unsigned time, unsigned frequency) {
    unsigned cycles = multiply(expr, frequency, time),
             constants[] = {mst_expr_add_number(expr, 1.5), mst_expr_add_number(expr, 1), mst_expr_add_number(expr, acos(-1.0))};
    unsigned late = mst_expr_add(expr, MST_EXPR_SUBTRACT, (unsigned[]){cycles, constants[0]}, 2);
    unsigned phase = multiply(expr, constants[2], late), a = multiply(expr, phase, phase);
    unsigned twice = mst_expr_add(expr, MST_EXPR_ADD, (unsigned[]){a, a}, 2);
    unsigned falling = mst_expr_add(expr, MST_EXPR_EXP, (unsigned[]){mst_expr_add(expr, MST_EXPR_NEGATE, &a, 1)}, 1);
    return multiply(expr, mst_expr_add(expr, MST_EXPR_SUBTRACT, (unsigned[]){constants[1], twice}, 2), falling);
}

unsigned mst_expr_add_tree(mst_expr *expr, const mst_expr *tree, const unsigned *leaves) {
    unsigned copies[MST_EXPR_MAX_NODES];
    bool needed[MST_EXPR_MAX_NODES] = {false};
    needed[tree->n_nodes - 1] = true;
    for (unsigned i = tree->n_nodes; i-- > 0;)
        for (int k = 0; needed[i] && k < mst_expr_arity(tree->nodes[i].operation); k++)
            needed[tree->nodes[i].operands[k]] = true;
    for (unsigned i = 0; i < tree->n_nodes; i++) {
        const mst_expr_node *node = &tree->nodes[i];
        unsigned operands[3] = {0};
        if (!needed[i])
            continue;
        for (int k = 0; k < mst_expr_arity(node->operation); k++)
            operands[k] = copies[node->operands[k]];
        copies[i] = node->operation == MST_EXPR_NUMBER ? mst_expr_add_number(expr, node->value)
                    : node->operation == MST_EXPR_LEAF ? leaves[node->operands[0]]
                                                       : mst_expr_add_like(expr, node, operands);
        if (copies[i] == MST_EXPR_FULL)
            return MST_EXPR_FULL;
    }
    return copies[tree->n_nodes - 1];
}

unsigned mst_expr_add_as_number(mst_expr *expr, unsigned node) {
    if (node == MST_EXPR_FULL || !mst_expr_is_condition(expr->nodes[node].operation))
        return node;
    return mst_expr_add(expr, MST_EXPR_AS_NUMBER, &node, 1);
}

unsigned mst_expr_add_value(mst_expr *expr, unsigned node) {
    node = mst_expr_add_as_number(expr, node);
    if (node != MST_EXPR_FULL)
        expr->n_nodes = node + 1; // what stands behind it was folded away: operands come first
    return node;
}
