// The vectors of fields that a GPU's work-item has while it goes along the planes: see write_sweep.h.
#include "write_sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An aligned vector that a GPU's work-item has: of an array, so many planes, rows and vectors of columns away.
typedef struct mst_sweep_vector {
    int field, level, place[N_AXES];
    bool is_newest, is_kept; // in registers from plane to plane
} sweep_vector;

static void name_vector(const mst_sweep_vectors *g, const sweep_vector *v, mst_name out) {
    mst_leaf leaf = {.kind = MST_VALUE_FIELD, .field = v->field, .level = v->level};
    mst_name array;
    mst_name_array(g->sweeps->problem, leaf.field, leaf.level, array);
    int used = snprintf(out, MST_NAME_SIZE, "%.*s_vector", MST_NAME_SIZE - 40, array);
    for (int axis = 0; axis < N_AXES; axis++)
        used += snprintf(out + used, MST_NAME_SIZE - (size_t)used, "_%s%d",
                         v->place[axis] < 0   ? "m"
                         : v->place[axis] > 0 ? "p"
                                              : "",
                         abs(v->place[axis]));
}

static void add_vector(mst_sweep_vectors *g, const mst_leaf *leaf, int plane, int vector) {
    const sweep_vector v = {leaf->field, leaf->level, {plane, leaf->offsets[ROWS], vector}, false, false};
    for (size_t i = 0; i < g->n; i++) {
        const sweep_vector *o = &g->vectors[i];
        if (o->field == v.field && o->level == v.level && memcmp(o->place, v.place, sizeof v.place) == 0)
            return;
    }
    g->vectors[g->n++] = v;
}

// The vector, counted from the own one, in which the column lies that is `offset` from the own first.
static int vector_of(const mst_sweep_vectors *g, int offset) {
    const int width = g->sweeps->width;
    return offset >= 0 ? offset / width : -((width - 1 - offset) / width);
}

static bool is_same_line(const sweep_vector *a, const sweep_vector *b) {
    return a->field == b->field && a->level == b->level && a->place[ROWS] == 0 && a->place[COLUMNS] == 0 && b->place[ROWS] == 0 &&
           b->place[COLUMNS] == 0;
}

// Vectors of the own columns are kept from plane to plane if several planes of them are read; then all planes between are, too.
static void keep_planes(mst_sweep_vectors *g) {
    const size_t n = g->n;
    for (size_t i = 0; i < n; i++) {
        int low = g->vectors[i].place[PLANES], high = low;
        for (size_t k = 0; k < n; k++)
            if (is_same_line(&g->vectors[i], &g->vectors[k])) {
                low = g->vectors[k].place[PLANES] < low ? g->vectors[k].place[PLANES] : low;
                high = g->vectors[k].place[PLANES] > high ? g->vectors[k].place[PLANES] : high;
            }
        const mst_leaf leaf = {.kind = MST_VALUE_FIELD, .field = g->vectors[i].field, .level = g->vectors[i].level};
        for (int plane = low; plane <= high && is_same_line(&g->vectors[i], &g->vectors[i]); plane++)
            add_vector(g, &leaf, plane, 0);
        g->vectors[i].is_kept = high > low;
        g->vectors[i].is_newest = g->vectors[i].place[PLANES] == high;
    }
    for (size_t i = n; i < g->n; i++) // between those that are read
        g->vectors[i].is_kept = true;
}

mst_status mst_sweep_vectors_find(mst_sweep_vectors *g, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = g->sweeps->problem;
    const int *first = &g->sweeps->first[g->k];
    size_t most = 0;
    for (int u = first[0]; u < first[1]; u++)
        most += p->updates[u].formula.n_leaves;
    g->n = 0;
    g->vectors = calloc(2 * most + (size_t)(2 * MST_STENCIL_MAX_RADIUS + 1) * MST_STENCIL_MAX_ARRAYS, sizeof *g->vectors);
    MST_REQUIRE(g->vectors, MST_ERROR_HOST_MEMORY, "out of memory making a kernel");
    for (int u = first[0]; u < first[1]; u++) {
        const mst_formula *f = &p->updates[u].formula;
        for (size_t i = 0; i < f->n_leaves; i++) {
            const mst_leaf *leaf = &f->leaves[i];
            const int column = leaf->offsets[COLUMNS];
            if (leaf->kind != MST_VALUE_FIELD || p->fields[leaf->field].is_memory)
                continue;
            add_vector(g, leaf, leaf->offsets[PLANES], vector_of(g, column));
            add_vector(g, leaf, leaf->offsets[PLANES], vector_of(g, column + g->sweeps->width - 1));
        }
    }
    keep_planes(g);
fail:
    return status;
}

static void write_load(const mst_sweep_vectors *g, const sweep_vector *v, const char *declaration) {
    mst_name name, array;
    mst_number_text place = "", row, plane;
    name_vector(g, v, name);
    mst_sweep_name_argument(g->sweeps, g->k, v->field, v->level, array);
    if (v->place[PLANES] != 0)
        snprintf(plane, sizeof plane, " %c %d * plane_pitch", v->place[PLANES] < 0 ? '-' : '+', abs(v->place[PLANES]));
    else
        plane[0] = '\0';
    if (v->place[ROWS] != 0)
        snprintf(row, sizeof row, " %c %d * pitch", v->place[ROWS] < 0 ? '-' : '+', abs(v->place[ROWS]));
    else
        row[0] = '\0';
    if (v->place[COLUMNS] != 0)
        snprintf(place, sizeof place, " %c %d", v->place[COLUMNS] < 0 ? '-' : '+', abs(v->place[COLUMNS]) * g->sweeps->width);
    mst_text_put(g->out,
                 g->sweeps->problem->fields[v->field].is_half
                     ? "$declaration$name = LOAD_VECTOR_HALF($array + i$plane$row$place);\n"
                     : "$declaration$name = *(__global const vreal *)($array + i$plane$row$place);\n",
                 MST_SET(declaration, declaration), MST_SET(name, name), MST_SET(array, array), MST_SET(plane, plane),
                 MST_SET(row, row), MST_SET(place, place));
}

// Registers for all planes that are kept, filled but for the last ones.
void mst_sweep_vectors_write_kept(const mst_sweep_vectors *g) {
    mst_name name;
    for (size_t i = 0; i < g->n; i++) {
        const sweep_vector *v = &g->vectors[i];
        name_vector(g, v, name);
        if (v->is_kept && v->is_newest)
            mst_text_put(g->out, "vreal $name;\n", MST_SET(name, name));
        else if (v->is_kept)
            write_load(g, v, "vreal ");
    }
}

void mst_sweep_vectors_write_loads(const mst_sweep_vectors *g) {
    for (size_t i = 0; i < g->n; i++)
        if (g->vectors[i].is_newest && g->vectors[i].is_kept)
            write_load(g, &g->vectors[i], "");
        else if (!g->vectors[i].is_kept)
            write_load(g, &g->vectors[i], "const vreal ");
}

// Each plane takes the place of the one before.
void mst_sweep_vectors_write_shifts(const mst_sweep_vectors *g) {
    mst_name to, from;
    for (int plane = -MST_STENCIL_MAX_RADIUS; plane < MST_STENCIL_MAX_RADIUS; plane++)
        for (size_t i = 0; i < g->n; i++) {
            sweep_vector v = g->vectors[i];
            if (!v.is_kept || v.is_newest || v.place[PLANES] != plane)
                continue;
            name_vector(g, &v, to);
            v.place[PLANES]++;
            name_vector(g, &v, from);
            mst_text_put(g->out, "$to = $from;\n", MST_SET(to, to), MST_SET(from, from));
        }
}

void mst_sweep_vectors_write_leaf(const mst_sweep_vectors *g, const mst_leaf *leaf, const char *name) {
    const int width = g->sweeps->width, column = leaf->offsets[COLUMNS];
    mst_name vector;
    mst_text_put(g->out, "const vreal $name = ", MST_SET(name, name));
    for (int k = 0; k < width; k++) {
        const int at = vector_of(g, column + k), component = column + k - at * width;
        const sweep_vector v = {leaf->field, leaf->level, {leaf->offsets[PLANES], leaf->offsets[ROWS], at}, false, false};
        name_vector(g, &v, vector);
        if (column % width == 0) {
            mst_text_put(g->out, "$vector;\n", MST_SET(vector, vector));
            return;
        }
        mst_text_put(g->out, k == 0 ? "(vreal)($vector.s$component" : ", $vector.s$component", MST_SET(vector, vector),
                     MST_SET(component, component));
    }
    mst_text_put(g->out, ");\n");
}

void mst_sweep_vectors_release(mst_sweep_vectors *g) { free(g->vectors); }
