#include "layers.h"

#include "part.h"
#include "runtime/numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Of a layer whose description leaves them open: measured for the schemes in examples/, docs/stencils.md has the results.
static const double default_order = 3, default_alpha = 0.03;

// 0.01 for 5 nodes, 0.001 for 10, 0.0001 for 20 (Collino and Tsogka, Geophysics 66, 2001): less lets conductivity grow so fast
// from node to node that the layer reflects.
static double default_reflection(size_t width) { return fmin(0.01, 1e-3 * pow(10, -log2((double)width / 10))); }

static bool absorbs(const mst_problem *p, int axis, int side) { return p->boundaries[axis][side].kind == MST_BOUNDARY_ABSORB; }

// Layers are left out of a scheme whose time step is open: its limit is that of the scheme without them.
static bool has_layers(const mst_problem *p, int axis) { return !p->is_open && (absorbs(p, axis, 0) || absorbs(p, axis, 1)); }

bool mst_layers_meet(const mst_problem *p) {
    int n = 0;
    for (int axis = 0; axis < N_AXES; axis++)
        n += has_layers(p, axis);
    return n > 1;
}

// ---- Faces

// The largest speed at which Yee's scheme is stable, and others of second order.
static double default_speed(const mst_problem *p) {
    double sum = 0;
    for (int k = p->has_run_planes; k < p->rank; k++)
        sum += pow(p->spacing[mst_problem_axis(p->rank, k)], -2);
    return 1 / (p->time_step * sqrt(sum));
}

static double value_or(double value, double otherwise) { return value != 0 ? value : otherwise; }

static mst_status read_layer(mst_problem *p, const mst_stencil_boundary *from, int k, int side, mst_error *error) {
    mst_status status = MST_OK;
    const int axis = mst_problem_axis(p->rank, k);
    mst_problem_boundary *to = &p->boundaries[axis][side];
    const uint64_t length = p->grid[axis];
    const bool any = from->speed != 0 || from->reflection != 0 || from->order != 0 || from->kappa != 0 || from->alpha != 0;
    MST_REQUIRE(from->kind == MST_BOUNDARY_ABSORB || !any, MST_ERROR_ARGUMENT,
                "axis %d has properties of an absorbing layer, but the boundary is none", k);
    if (from->kind != MST_BOUNDARY_ABSORB || p->is_open)
        return MST_OK;
    to->kind = from->kind;
    to->width = from->width;
    to->speed = value_or(from->speed, default_speed(p));
    to->reflection = value_or(from->reflection, default_reflection(from->width));
    to->order = value_or(from->order, default_order);
    to->kappa = value_or(from->kappa, 1);
    to->alpha = from->alpha < 0 ? 0 : value_or(from->alpha, default_alpha * to->speed / p->spacing[axis]);
    const uint64_t taken = (side == 1 && absorbs(p, axis, 0) ? p->boundaries[axis][0].width : 0) + MST_STENCIL_MAX_RADIUS;
    MST_REQUIRE(from->width >= 1 && taken < length && from->width <= length - taken, MST_ERROR_ARGUMENT,
                "the absorbing layer of axis %d is %zu nodes wide; the axis has %llu, and %d must lie outside layers", k,
                from->width, (unsigned long long)length, MST_STENCIL_MAX_RADIUS);
    MST_REQUIRE(isfinite(to->speed) && to->speed > 0, MST_ERROR_ARGUMENT,
                "the speed of the absorbing layer of axis %d is %g; it must be positive", k, from->speed);
    MST_REQUIRE(to->reflection > 0 && to->reflection < 1, MST_ERROR_ARGUMENT,
                "the reflection of the absorbing layer of axis %d is %g; it must lie between 0 and 1", k, from->reflection);
    MST_REQUIRE(isfinite(to->order) && to->order > 0, MST_ERROR_ARGUMENT,
                "the order of the absorbing layer of axis %d is %g; it must be positive", k, from->order);
    MST_REQUIRE(isfinite(to->kappa) && to->kappa >= 1, MST_ERROR_ARGUMENT,
                "kappa of the absorbing layer of axis %d is %g; it must be at least 1", k, from->kappa);
    MST_REQUIRE(isfinite(to->alpha), MST_ERROR_ARGUMENT, "alpha of the absorbing layer of axis %d is %g; it must be finite", k,
                from->alpha);
fail:
    return status;
}

mst_status mst_layers_read(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    for (int i = 0; desc->boundaries && i < 2 * p->rank; i++)
        MST_TRY(read_layer(p, &desc->boundaries[i], i / 2, i % 2, error));
fail:
    return status;
}

mst_status mst_layers_check(const mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    for (int k = 0; k < p->rank; k++) {
        const int axis = mst_problem_axis(p->rank, k);
        bool stretched = false;
        for (int i = 0; i < p->n_layers; i++)
            stretched = stretched || p->layers[i].axis == axis;
        MST_REQUIRE(stretched || !has_layers(p, axis), MST_ERROR_ARGUMENT,
                    "axis %d has an absorbing layer, but no update has stretch_%c(a derivative along it)", k,
                    'x' + p->rank - 1 - k);
    }
fail:
    return status;
}

// d is the depth in the layer as a part of its width, from the middle between its first node and the next one inside.
double mst_layers_value(const mst_problem *p, int k, int64_t i) {
    const mst_problem_layer *t = &p->layers[k / MST_LAYER_COEFFICIENTS];
    const mst_layer_coefficient coefficient = (mst_layer_coefficient)(k % MST_LAYER_COEFFICIENTS);
    const int64_t length = mst_problem_length(p, t->axis);
    i = mst_problem_node(p, t->axis, i);
    for (int side = 0; side < 2; side++) {
        const mst_problem_boundary *face = &p->boundaries[t->axis][side];
        const double width = (double)face->width, position = (double)i + t->shift;
        const double depth = (width - 0.5 - (side ? (double)(length - 1) - position : position)) / width;
        if (!absorbs(p, t->axis, side) || depth <= 0 || i < 0 || i >= length)
            continue;
        const double sigma_max = -(face->order + 1) * log(face->reflection) * face->speed / (2 * width * p->spacing[t->axis]);
        const double sigma = sigma_max * pow(depth, face->order), kappa = 1 + (face->kappa - 1) * pow(depth, face->order);
        const double rate = sigma / kappa + face->alpha;
        if (coefficient == MST_LAYER_SCALE)
            return 1 / kappa;
        return coefficient == MST_LAYER_DECAY ? exp(-rate * p->time_step)
                                              : sigma / (kappa * kappa * rate) * expm1(-rate * p->time_step);
    }
    return 0;
}

mst_layer_place mst_layers_place(const mst_problem *p, int k) {
    mst_layer_place place = {.more = 2 * k * MST_LAYER_TABLE_MARGIN};
    place.lengths[PLANES] = p->has_run_planes ? (int)p->n_varying : 0;
    for (int i = 0; i < k; i++)
        place.lengths[p->layers[i / MST_LAYER_COEFFICIENTS].axis]++;
    return place;
}

mst_layer_nodes mst_layers_all_nodes(const mst_problem *p, int axis) {
    const int64_t length = mst_problem_length(p, axis);
    int64_t width[2];
    for (int side = 0; side < 2; side++)
        width[side] = absorbs(p, axis, side) ? (int64_t)p->boundaries[axis][side].width : 0;
    if (width[0] + width[1] >= length)
        return (mst_layer_nodes){length, length};
    return (mst_layer_nodes){width[0], length - width[1]};
}

mst_layer_nodes mst_layers_nodes(const mst_problem *p, int axis) {
    const mst_layer_nodes all = mst_layers_all_nodes(p, axis);
    const int64_t first = p->first[axis], nodes = (int64_t)p->grid[axis];
    const int64_t low = mst_smaller(mst_larger(all.low - first, (int64_t)0), nodes);
    return (mst_layer_nodes){low, mst_smaller(mst_larger(all.high - first, low), nodes)};
}

// How far below and above a node updates read coefficients of layers along an axis.
static void find_reach(const mst_problem *p, int axis, int64_t reach[2]) {
    reach[0] = reach[1] = 0;
    for (int u = 0; u < p->n_updates; u++)
        for (size_t i = 0; i < p->updates[u].formula.n_leaves; i++) {
            const mst_leaf *leaf = &p->updates[u].formula.leaves[i];
            if (leaf->kind != MST_VALUE_LAYER || leaf->axis != axis)
                continue;
            reach[0] = mst_larger(reach[0], (int64_t)-leaf->offsets[axis]);
            reach[1] = mst_larger(reach[1], (int64_t)leaf->offsets[axis]);
        }
}

mst_layer_nodes mst_layers_clear(const mst_problem *p, int axis) {
    const mst_layer_nodes all = mst_layers_all_nodes(p, axis);
    const int64_t first = p->first[axis], nodes = (int64_t)p->grid[axis];
    int64_t reach[2];
    find_reach(p, axis, reach);
    const int64_t low = has_layers(p, axis) ? all.low + reach[0] - first : 0;
    const int64_t high = has_layers(p, axis) ? all.high - reach[1] - first : nodes;
    return (mst_layer_nodes){mst_larger(low, (int64_t)0), mst_smaller(high, nodes)};
}

mst_problem mst_layers_outside(const mst_problem *p) {
    mst_problem out = *p;
    out.n_updates = 0;
    for (int u = 0; u < p->n_updates; u++) {
        if (p->fields[p->updates[u].field].is_memory)
            continue;
        mst_problem_update *to = &out.updates[out.n_updates++];
        *to = p->updates[u];
        to->formula = to->outside.expr ? to->outside : to->formula;
    }
    out.n_fields -= p->n_memories; // the last ones, as their arrays are of the state's
    out.n_arrays -= p->n_memories;
    memmove(out.elements + out.n_arrays, p->elements + p->n_arrays, (size_t)p->n_coefficients * sizeof *out.elements);
    return out;
}

mst_problem mst_layers_without(const mst_problem *p) {
    mst_problem out = mst_layers_outside(p);
    for (int i = 0; i < 2 * N_AXES; i++)
        if (absorbs(p, i / 2, i % 2))
            out.boundaries[i / 2][i % 2] = (mst_problem_boundary){.kind = MST_BOUNDARY_DIRICHLET};
    out.state_node_bytes -= (uint64_t)p->n_memories * p->element;
    out.n_memories = out.n_layers = 0;
    return out;
}

void mst_layers_grid(const mst_problem *p, int array, uint64_t grid[N_AXES]) {
    memcpy(grid, p->grid, N_AXES * sizeof *grid);
    if (array < p->n_arrays && p->layer_axes[array] >= 0) {
        const mst_layer_nodes nodes = mst_layers_nodes(p, p->layer_axes[array]);
        grid[p->layer_axes[array]] -= (uint64_t)(nodes.high - nodes.low);
    }
    grid[PLANES] *= p->grids;
}

uint64_t mst_layers_array_nodes(const mst_problem *p, int array) {
    uint64_t grid[N_AXES];
    mst_layers_grid(p, array, grid);
    return grid[PLANES] * grid[ROWS] * grid[COLUMNS];
}

uint64_t mst_layers_state_bytes(const mst_problem *p) {
    uint64_t bytes = 0;
    for (int a = 0; a < p->n_arrays; a++)
        bytes += mst_layers_array_nodes(p, a) * p->elements[a];
    return bytes;
}

// ---- Stretches

// Symbols of layers: fields by number, then coefficients of tables.
static size_t symbol_of(int table, mst_layer_coefficient coefficient) {
    return MST_STENCIL_MAX_FIELDS + (size_t)table * MST_LAYER_COEFFICIENTS + coefficient;
}

mst_leaf mst_layers_leaf(const mst_problem *p, size_t symbol) {
    if (symbol < MST_STENCIL_MAX_FIELDS)
        return (mst_leaf){.kind = MST_VALUE_FIELD, .field = (int)symbol};
    const int k = (int)(symbol - MST_STENCIL_MAX_FIELDS);
    return (mst_leaf){.kind = MST_VALUE_LAYER, .axis = p->layers[k / MST_LAYER_COEFFICIENTS].axis, .table = k};
}

static int find_table(mst_problem *p, int axis, double shift) {
    int k = 0;
    while (k < p->n_layers && (p->layers[k].axis != axis || p->layers[k].shift != shift))
        k++;
    if (k == p->n_layers)
        p->layers[p->n_layers++] = (mst_problem_layer){axis, shift};
    return k;
}

static mst_status add_memory(mst_layer_reading *r, const mst_expr_stretch *stretch, int axis, mst_error *error) {
    mst_problem *p = r->problem;
    if (p->n_fields == MST_STENCIL_MAX_FIELDS)
        return mst_fail(error, MST_ERROR_ARGUMENT, "there are more than %d fields, of which %d are memory variables of stretches",
                        MST_STENCIL_MAX_FIELDS, r->n);
    mst_problem_field *field = &p->fields[p->n_fields];
    snprintf(field->name, sizeof field->name, "stretch_%c_%d", 'x' + p->rank - 1 - p->has_run_planes - stretch->axis, r->n + 1);
    while (mst_problem_find(p, field->name) >= 0) // a field of the scheme has that name
        strcat(field->name, "_");
    field->levels = 1;
    field->array = p->n_arrays++;
    field->is_memory = true;
    p->n_memories++;
    field->layer_axis = axis;
    r->memories[r->n++] = (mst_layer_memory){*stretch, p->n_fields++, find_table(p, axis, stretch->shift), r->substep};
    return MST_OK;
}

static mst_status find(void *user, const mst_expr_stretch *stretch, mst_expr_layer *layer, mst_error *error) {
    mst_layer_reading *r = user;
    const int axis = mst_problem_axis(r->problem->rank, stretch->axis + r->problem->has_run_planes); // no run's
    int k = 0, moved = 0;
    *layer = (mst_expr_layer){.exists = (r->axes >> axis & 1) && has_layers(r->problem, axis)};
    if (!layer->exists)
        return MST_OK;
    while (k < r->n &&
           (r->memories[k].substep != r->substep || !mst_expr_is_same_stretch(&r->memories[k].stretch, stretch, &moved)))
        k++;
    if (k == r->n) {
        mst_status status = add_memory(r, stretch, axis, error);
        if (status != MST_OK)
            return status;
        moved = 0;
    }
    const mst_layer_memory *memory = &r->memories[k];
    mst_expr_leaf leaf = {.symbol = r->first_symbol + (size_t)memory->field};
    leaf.offsets[stretch->axis] = mst_expr_stretch_offset(&memory->stretch) + moved;
    layer->memory = layer->decay = layer->gain = layer->scale = leaf;
    layer->decay.symbol = r->first_symbol + symbol_of(memory->table, MST_LAYER_DECAY);
    layer->gain.symbol = r->first_symbol + symbol_of(memory->table, MST_LAYER_GAIN);
    layer->scale.symbol = r->first_symbol + symbol_of(memory->table, MST_LAYER_SCALE);
    return MST_OK;
}

mst_status mst_layers_expand(mst_layer_reading *r, size_t update, size_t substep, const char *what, mst_expr **out,
                             mst_error *error) {
    r->substep = substep;
    r->axes = MST_LAYERS_ALL_AXES;
    if (mst_expr_has_stretch(r->parsed[update]))
        return mst_expr_expand(r->parsed[update], what, find, r, out, error);
    *out = r->parsed[update];
    r->parsed[update] = NULL;
    return MST_OK;
}

mst_status mst_layers_expand_along(mst_layer_reading *r, unsigned axes, size_t update, const char *what, mst_expr **out,
                                   mst_error *error) {
    *out = NULL;
    r->axes = axes;
    return r->parsed[update] ? mst_expr_expand(r->parsed[update], what, find, r, out, error) : MST_OK;
}

mst_status mst_layers_memory(mst_layer_reading *r, unsigned axes, const mst_layer_memory *memory, mst_expr **out,
                             mst_error *error) {
    r->substep = memory->substep;
    r->axes = axes;
    return mst_expr_expand_memory(&memory->stretch, -mst_expr_stretch_offset(&memory->stretch),
                                  r->problem->fields[memory->field].name, find, r, out, error);
}

int mst_layers_update(const mst_layer_reading *r, const mst_layer_memory *memory) {
    int k = 0;
    while (r->parsed[k] != memory->stretch.expr)
        k++;
    return r->updates[k];
}

void mst_layers_release(mst_layer_reading *r) {
    for (int k = 0; k < MST_STENCIL_MAX_FIELDS; k++)
        mst_expr_destroy(r->parsed[k]);
}
