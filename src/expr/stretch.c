// Stretched derivatives: a convolutional perfectly matched layer replaces d by d / kappa + psi, where the memory variable psi
// becomes b psi + a d in each step (Roden and Gedney, Microwave and Optical Technology Letters 27, 2000).
#include "stretch.h"

#include "build.h"
#include "write.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool mst_expr_has_stretch(const mst_expr *expr) {
    for (unsigned i = 0; i < expr->n_nodes; i++)
        if (expr->nodes[i].operation == MST_EXPR_STRETCH)
            return true;
    return false;
}

typedef struct expansion {
    const mst_expr *from;
    mst_expr *to;
    int axis, offset; // by which everything is moved
    mst_expr_find_layer *find;
    void *user;
    unsigned copies[MST_EXPR_MAX_NODES]; // of nodes, one more than their numbers; 0: not yet
} expansion;

static unsigned read(expansion *e, const mst_expr_leaf *leaf, bool of_field) {
    mst_expr_leaf moved = *leaf;
    moved.offsets[e->axis] += of_field ? e->offset : 0;
    return mst_expr_add_leaf(e->to, &moved, of_field);
}

static unsigned binary(expansion *e, mst_expr_operation operation, unsigned a, unsigned b) {
    return mst_expr_add(e->to, operation, (unsigned[]){a, b}, 2);
}

static unsigned new_memory(expansion *e, const mst_expr_layer *layer, unsigned argument) {
    return binary(e, MST_EXPR_ADD, binary(e, MST_EXPR_MULTIPLY, read(e, &layer->decay, true), read(e, &layer->memory, true)),
                  binary(e, MST_EXPR_MULTIPLY, read(e, &layer->gain, true), argument));
}

// scale != 0 ? inside : outside
static unsigned choose(expansion *e, const mst_expr_layer *layer, unsigned inside, unsigned outside) {
    unsigned is_inside = binary(e, MST_EXPR_NOT_EQUAL, read(e, &layer->scale, true), mst_expr_add_number(e->to, 0));
    return mst_expr_add(e->to, MST_EXPR_CHOOSE, (unsigned[]){is_inside, inside, outside}, 3);
}

static mst_status copy(expansion *e, unsigned index, unsigned *out, mst_error *error);

static mst_status copy_stretch(expansion *e, const mst_expr_node *node, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    unsigned argument;
    mst_expr_layer layer = {.exists = false};
    const mst_expr_stretch stretch = {e->from, node->operands[0], (int)node->operands[1], node->value};
    MST_TRY(copy(e, stretch.argument, &argument, error));
    MST_TRY(e->find(e->user, &stretch, &layer, error));
    *out = argument;
    if (layer.exists)
        *out = choose(e, &layer,
                      binary(e, MST_EXPR_ADD, binary(e, MST_EXPR_MULTIPLY, argument, read(e, &layer.scale, true)),
                             new_memory(e, &layer, argument)),
                      argument);
fail:
    return status;
}

// MST_EXPR_FULL goes through all of build.c.
static mst_status copy(expansion *e, unsigned index, unsigned *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_expr_node *node = &e->from->nodes[index];
    mst_expr_node same = *node;
    *out = e->copies[index] - 1;
    if (e->copies[index] != 0)
        return MST_OK;
    if (node->operation == MST_EXPR_STRETCH) {
        MST_TRY(copy_stretch(e, node, out, error));
    } else if (node->operation == MST_EXPR_LEAF) {
        *out = read(e, &e->from->leaves[node->operands[0]], node->of_field);
    } else {
        bool full = false;
        for (int k = 0; k < mst_expr_arity(node->operation); k++) {
            MST_TRY(copy(e, node->operands[k], &same.operands[k], error));
            full = full || same.operands[k] == MST_EXPR_FULL;
        }
        *out = full ? MST_EXPR_FULL : mst_expr_add_copy(e->to, &same);
    }
    e->copies[index] = *out + 1;
fail:
    return status;
}

static mst_status begin(expansion **out, const mst_expr *from, const char *what, mst_expr_find_layer *find, void *user,
                        mst_error *error) {
    mst_status status = MST_OK;
    expansion *e = *out = calloc(1, sizeof *e);
    MST_REQUIRE(e && (e->to = mst_expr_create(true, false)), MST_ERROR_HOST_MEMORY, "out of memory reading %s", what);
    e->from = from;
    e->find = find;
    e->user = user;
fail:
    return status;
}

static mst_status end(expansion *e, unsigned value, const char *what, mst_expr **out, mst_error *error) {
    if (mst_expr_add_value(e->to, value) == MST_EXPR_FULL) {
        if (e->to->n_nodes < MST_EXPR_MAX_NODES)
            return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory reading %s", what);
        return mst_fail(error, MST_ERROR_ARGUMENT,
                        "%s is too long with its absorbing layers; %d different operations and numbers are the most", what,
                        MST_EXPR_MAX_NODES);
    }
    *out = e->to;
    e->to = NULL;
    return MST_OK;
}

static void release(expansion *e) {
    if (e)
        mst_expr_destroy(e->to);
    free(e);
}

mst_status mst_expr_expand(const mst_expr *expr, const char *what, mst_expr_find_layer *find, void *user, mst_expr **out,
                           mst_error *error) {
    mst_status status = MST_OK;
    expansion *e;
    unsigned value;
    *out = NULL;
    MST_TRY(begin(&e, expr, what, find, user, error));
    MST_TRY(copy(e, expr->n_nodes - 1, &value, error));
    MST_TRY(end(e, value, what, out, error));
fail:
    release(e);
    return status;
}

mst_status mst_expr_expand_memory(const mst_expr_stretch *stretch, int offset, const char *what, mst_expr_find_layer *find,
                                  void *user, mst_expr **out, mst_error *error) {
    mst_status status = MST_OK;
    expansion *e;
    unsigned argument;
    mst_expr_layer layer;
    *out = NULL;
    MST_TRY(begin(&e, stretch->expr, what, find, user, error));
    e->axis = stretch->axis;
    e->offset = offset;
    MST_TRY(copy(e, stretch->argument, &argument, error));
    MST_TRY(find(user, stretch, &layer, error));
    MST_TRY(end(e, choose(e, &layer, new_memory(e, &layer, argument), mst_expr_add_number(e->to, 0)), what, out, error));
fail:
    release(e);
    return status;
}

// ---- The same stretch elsewhere

typedef struct extent {
    const mst_expr_stretch *stretch;
    int low, high; // offsets along the axis
    bool any, fixed;
    bool seen[MST_EXPR_MAX_NODES];
} extent;

static void extend(extent *x, unsigned index) {
    const mst_expr *expr = x->stretch->expr;
    const mst_expr_node *node = &expr->nodes[index];
    if (x->seen[index])
        return;
    x->seen[index] = true;
    if (node->operation == MST_EXPR_LEAF) {
        const mst_expr_leaf *leaf = &expr->leaves[node->operands[0]];
        const int offset = leaf->offsets[x->stretch->axis];
        x->fixed = x->fixed || (!node->of_field && leaf->symbol != MST_EXPR_VARYING);
        if (!node->of_field)
            return;
        x->low = x->any && x->low < offset ? x->low : offset;
        x->high = x->any && x->high > offset ? x->high : offset;
        x->any = true;
    }
    if (node->operation == MST_EXPR_STRETCH && (int)node->operands[1] != x->stretch->axis)
        x->fixed = true;
    for (int k = 0; k < mst_expr_arity(node->operation); k++)
        extend(x, node->operands[k]);
}

static extent extent_of(const mst_expr_stretch *stretch) {
    extent x = {.stretch = stretch};
    extend(&x, stretch->argument);
    return x;
}

int mst_expr_stretch_offset(const mst_expr_stretch *stretch) {
    const extent x = extent_of(stretch);
    const double middle = 0.5 * (x.low + x.high) - stretch->shift;
    return x.fixed ? 0 : (int)(middle > 0 ? ceil(middle - 0.5) : floor(middle + 0.5));
}

typedef struct comparison {
    const mst_expr *a, *b;
    int axis, offset;
    unsigned partners[MST_EXPR_MAX_NODES]; // of nodes of a, one more than their numbers in b; 0: not yet
} comparison;

static bool is_same_leaf(const comparison *c, const mst_expr_leaf *a, const mst_expr_leaf *b, bool of_field) {
    int offsets[MST_EXPR_MAX_AXES];
    memcpy(offsets, a->offsets, sizeof offsets);
    offsets[c->axis] += of_field ? c->offset : 0;
    if (a->symbol == MST_EXPR_VARYING && c->a != c->b) // each has a table of its own
        return false;
    return a->symbol == b->symbol && a->level == b->level && memcmp(offsets, b->offsets, sizeof offsets) == 0;
}

static bool is_same(comparison *c, unsigned i, unsigned j) {
    const mst_expr_node *a = &c->a->nodes[i], *b = &c->b->nodes[j];
    if (c->partners[i] != 0)
        return c->partners[i] == j + 1;
    c->partners[i] = j + 1;
    if (a->operation != b->operation || memcmp(&a->value, &b->value, sizeof a->value) != 0)
        return false;
    if (a->operation == MST_EXPR_STRETCH && a->operands[1] != b->operands[1])
        return false;
    if (a->operation == MST_EXPR_LEAF)
        return is_same_leaf(c, &c->a->leaves[a->operands[0]], &c->b->leaves[b->operands[0]], a->of_field);
    for (int k = 0; k < mst_expr_arity(a->operation); k++)
        if (!is_same(c, a->operands[k], b->operands[k]))
            return false;
    return true;
}

bool mst_expr_is_same_stretch(const mst_expr_stretch *a, const mst_expr_stretch *b, int *offset) {
    const extent x = extent_of(a), y = extent_of(b);
    comparison c = {.a = a->expr, .b = b->expr, .axis = a->axis, .offset = y.low - x.low};
    *offset = c.offset;
    return a->axis == b->axis && ((!x.fixed && !y.fixed) || c.offset == 0) &&
           (a->shift == b->shift || a->shift + c.offset == b->shift) && is_same(&c, a->argument, b->argument);
}
