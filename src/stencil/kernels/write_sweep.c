// Kernels of sweeps. A GPU's work-item goes along the planes with a vector of columns: it keeps the values of the planes around
// in registers, so that each is loaded once, and reads neighbours in its plane straight from memory, which the first cache holds.
// On a CPU a work-item goes along rows, with vectors from any column on. Neither uses local memory, and nothing is computed
// twice.
#include "write_sweep.h"

#include "runtime/program.h"
#include "write_region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// An aligned vector that a GPU's work-item has: of an array, so many planes, rows and vectors of columns away.
typedef struct sweep_vector {
    int field, level, place[N_AXES];
    bool is_newest, is_kept; // in registers from plane to plane
} sweep_vector;

typedef struct sweep_writer {
    const mst_writer *w;
    const mst_sweeps *s;
    mst_text *out;
    int first, end; // updates
    mst_sweep_of part;
    sweep_vector *vectors;
    size_t n_vectors;
} sweep_writer;

static bool is_gpu(const sweep_writer *g) { return g->s->shape == MST_STENCIL_SHAPE_GPU; }

// ---- Vectors of a GPU's work-item

static void name_vector(const sweep_writer *g, const sweep_vector *v, mst_name out) {
    mst_leaf leaf = {.kind = MST_VALUE_FIELD, .field = v->field, .level = v->level};
    mst_name array;
    mst_name_array(g->s->problem, leaf.field, leaf.level, array);
    int used = snprintf(out, MST_NAME_SIZE, "%.*s_vector", MST_NAME_SIZE - 40, array);
    for (int axis = 0; axis < N_AXES; axis++)
        used += snprintf(out + used, MST_NAME_SIZE - (size_t)used, "_%s%d",
                         v->place[axis] < 0   ? "m"
                         : v->place[axis] > 0 ? "p"
                                              : "",
                         abs(v->place[axis]));
}

static void add_vector(sweep_writer *g, const mst_leaf *leaf, int plane, int vector) {
    const sweep_vector v = {leaf->field, leaf->level, {plane, leaf->offsets[ROWS], vector}, false, false};
    for (size_t i = 0; i < g->n_vectors; i++) {
        const sweep_vector *o = &g->vectors[i];
        if (o->field == v.field && o->level == v.level && memcmp(o->place, v.place, sizeof v.place) == 0)
            return;
    }
    g->vectors[g->n_vectors++] = v;
}

// The vector, counted from the own one, in which the column lies that is `offset` from the own first.
static int vector_of(const sweep_writer *g, int offset) {
    const int width = g->s->width;
    return offset >= 0 ? offset / width : -((width - 1 - offset) / width);
}

static bool is_same_line(const sweep_vector *a, const sweep_vector *b) {
    return a->field == b->field && a->level == b->level && a->place[ROWS] == 0 && a->place[COLUMNS] == 0 && b->place[ROWS] == 0 &&
           b->place[COLUMNS] == 0;
}

// Vectors of the own columns are kept from plane to plane if several planes of them are read; then all planes between are, too.
static void keep_planes(sweep_writer *g) {
    const size_t n = g->n_vectors;
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
    for (size_t i = n; i < g->n_vectors; i++) // between those that are read
        g->vectors[i].is_kept = true;
}

static mst_status find_vectors(sweep_writer *g, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = g->s->problem;
    size_t most = 0;
    for (int u = g->first; u < g->end; u++)
        most += p->updates[u].formula.n_leaves;
    g->n_vectors = 0;
    g->vectors = calloc(2 * most + (size_t)(2 * MST_STENCIL_MAX_RADIUS + 1) * MST_STENCIL_MAX_ARRAYS, sizeof *g->vectors);
    MST_REQUIRE(g->vectors, MST_ERROR_HOST_MEMORY, "out of memory making a kernel");
    for (int u = g->first; u < g->end; u++) {
        const mst_formula *f = &p->updates[u].formula;
        for (size_t i = 0; i < f->n_leaves; i++) {
            const mst_leaf *leaf = &f->leaves[i];
            const int column = leaf->offsets[COLUMNS];
            if (leaf->kind != MST_VALUE_FIELD || p->fields[leaf->field].is_memory)
                continue;
            add_vector(g, leaf, leaf->offsets[PLANES], vector_of(g, column));
            add_vector(g, leaf, leaf->offsets[PLANES], vector_of(g, column + g->s->width - 1));
        }
    }
    keep_planes(g);
fail:
    return status;
}

static void write_load(const sweep_writer *g, int k, const sweep_vector *v, const char *declaration) {
    mst_name name, array;
    mst_number_text place = "", row, plane;
    name_vector(g, v, name);
    mst_sweep_name_argument(g->s, k, v->field, v->level, array);
    if (v->place[PLANES] != 0)
        snprintf(plane, sizeof plane, " %c %d * plane_pitch", v->place[PLANES] < 0 ? '-' : '+', abs(v->place[PLANES]));
    else
        plane[0] = '\0';
    if (v->place[ROWS] != 0)
        snprintf(row, sizeof row, " %c %d * pitch", v->place[ROWS] < 0 ? '-' : '+', abs(v->place[ROWS]));
    else
        row[0] = '\0';
    if (v->place[COLUMNS] != 0)
        snprintf(place, sizeof place, " %c %d", v->place[COLUMNS] < 0 ? '-' : '+', abs(v->place[COLUMNS]) * g->s->width);
    mst_text_put(g->out,
                 g->s->problem->fields[v->field].is_half
                     ? "$declaration$name = LOAD_VECTOR_HALF($array + i$plane$row$place);\n"
                     : "$declaration$name = *(__global const vreal *)($array + i$plane$row$place);\n",
                 MST_SET(declaration, declaration), MST_SET(name, name), MST_SET(array, array), MST_SET(plane, plane),
                 MST_SET(row, row), MST_SET(place, place));
}

// Before the loop: registers for all planes that are kept, filled but for the last ones.
static void write_kept(const sweep_writer *g, int k) {
    mst_name name;
    for (size_t i = 0; i < g->n_vectors; i++) {
        const sweep_vector *v = &g->vectors[i];
        name_vector(g, v, name);
        if (v->is_kept && v->is_newest)
            mst_text_put(g->out, "vreal $name;\n", MST_SET(name, name));
        else if (v->is_kept)
            write_load(g, k, v, "vreal ");
    }
}

static void write_loads(const sweep_writer *g, int k) {
    for (size_t i = 0; i < g->n_vectors; i++)
        if (g->vectors[i].is_newest && g->vectors[i].is_kept)
            write_load(g, k, &g->vectors[i], "");
        else if (!g->vectors[i].is_kept)
            write_load(g, k, &g->vectors[i], "const vreal ");
}

// Behind it: each plane takes the place of the one before.
static void write_shifts(const sweep_writer *g) {
    mst_name to, from;
    for (int plane = -MST_STENCIL_MAX_RADIUS; plane < MST_STENCIL_MAX_RADIUS; plane++)
        for (size_t i = 0; i < g->n_vectors; i++) {
            sweep_vector v = g->vectors[i];
            if (!v.is_kept || v.is_newest || v.place[PLANES] != plane)
                continue;
            name_vector(g, &v, to);
            v.place[PLANES]++;
            name_vector(g, &v, from);
            mst_text_put(g->out, "$to = $from;\n", MST_SET(to, to), MST_SET(from, from));
        }
}

// ---- Updates

// The vector that leaf i reads, under the leaf's name.
static void write_leaf_gpu(const sweep_writer *g, const mst_leaf *leaf, const char *name) {
    const int width = g->s->width, column = leaf->offsets[COLUMNS];
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

static void write_leaf_cpu(const sweep_writer *g, const mst_leaf *leaf, const char *array, const char *name) {
    static const char *const pitches[] = {" * plane_pitch", " * pitch", ""};
    mst_text_put(g->out, "const vreal $name = LOAD_GLOBAL$half($array + i", MST_SET(name, name),
                 MST_SET(half, mst_element_suffix(g->s->problem->fields[leaf->field].is_half)), MST_SET(array, array));
    for (int axis = 0; axis < N_AXES; axis++)
        if (leaf->offsets[axis] != 0)
            mst_text_put(g->out, leaf->offsets[axis] < 0 ? " - $offset$pitch" : " + $offset$pitch",
                         MST_SET(offset, abs(leaf->offsets[axis])), MST_SET(pitch, pitches[axis]));
    mst_text_put(g->out, ");\n");
}

static void write_leaf(const sweep_writer *g, int k, const mst_leaf *leaf, const char *name) {
    mst_name array;
    mst_sweep_name_argument(g->s, k, leaf->field, leaf->level, array);
    if (g->s->problem->fields[leaf->field].is_memory)
        mst_sweep_write_memory(g->w, g->s, leaf, array, name);
    else if (is_gpu(g))
        write_leaf_gpu(g, leaf, name);
    else
        write_leaf_cpu(g, leaf, array, name);
}

static void write_damping(const sweep_writer *g) {
    const mst_problem *p = g->s->problem;
    if (mst_problem_is_damped(p, PLANES))
        mst_text_put(g->out, "value *= damping[plane];\n");
    if (mst_problem_is_damped(p, ROWS))
        mst_text_put(g->out, "value *= damping[n_planes + row];\n");
    if (mst_problem_is_damped(p, COLUMNS))
        mst_text_put(g->out, "value *= LOAD_GLOBAL(damping + n_planes + n_rows + column);\n");
}

static void write_update(const sweep_writer *g, int k, int update, const mst_formula *f) {
    const mst_problem *p = g->s->problem;
    mst_number_text values[MST_STENCIL_MAX_LEAVES];
    mst_name name;
    const char *field = p->fields[p->updates[update].field].name;
    mst_text_put(g->out, "vreal new_value$n; // of $field\n{\n", MST_SET(n, update), MST_SET(field, field));
    mst_write_place(g->w, f, "plane", "row", "0");
    mst_write_column(g->w, f, "column", g->s->width);
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        mst_name_leaf(p, leaf, name);
        snprintf(values[i], sizeof values[i], "%s", name);
        write_leaf(g, k, leaf, name);
    }
    mst_write_formula(g->w, f, g->s->width, (const mst_number_text *)values, "result");
    mst_text_put(g->out, "vreal value = result;\n");
    write_damping(g);
    mst_text_put(g->out, "new_value$n = value;\n}\n", MST_SET(n, update)); // that of float16 is rounded as it is stored
}

// Of all components of an update's new value, or of one.
static void write_store(const sweep_writer *g, int k, int update, int component) {
    const mst_problem_field *field = &g->s->problem->fields[g->s->problem->updates[update].field];
    const char *at = field->is_memory ? mst_sweep_memory_place(field->layer_axis) : "i";
    mst_name name;
    mst_sweep_name_target(g->s, k, update, name);
    if (field->is_memory) {
        mst_text_put(g->out, "if (");
        mst_sweep_write_is_layer(g->w, field->layer_axis, 0);
        mst_text_put(g->out, ")\n");
    }
    const char *text = component >= 0   ? field->is_half ? "vstore_half_rte(new_value$u.s$component, $at + $component, $name);\n"
                                                         : "$name[$at + $component] = new_value$u.s$component;\n"
                       : !is_gpu(g)     ? "STORE_GLOBAL$half(new_value$u, $name + $at);\n"
                       : field->is_half ? "STORE_VECTOR_HALF(new_value$u, $name + $at);\n"
                                        : "*(__global vreal *)($name + $at) = new_value$u;\n";
    mst_text_put(g->out, text, MST_SET(half, mst_element_suffix(field->is_half)), MST_SET(name, name), MST_SET(u, update),
                 MST_SET(at, at), MST_SET(component, component));
}

static void write_all_stores(const sweep_writer *g, int k, bool memories, int component) {
    for (int u = g->first; u < g->end; u++)
        if (memories || !mst_sweeps_is_memory(g->s, u))
            write_store(g, k, u, component);
}

// Behind the last column are nodes beyond the face, which are not to be overwritten.
static void write_stores(const sweep_writer *g, int k, bool memories) {
    mst_text_put(g->out, "if (column + WIDTH <= n_columns) {\n");
    write_all_stores(g, k, memories, -1);
    mst_text_put(g->out, "} else {\n");
    for (int component = 0; component < g->s->width - 1; component++) {
        mst_text_put(g->out, "if (column + $component < n_columns) {\n", MST_SET(component, component));
        write_all_stores(g, k, memories, component);
        mst_text_put(g->out, "}\n");
    }
    mst_text_put(g->out, "}\n");
}

// Outside all layers there are no memory variables to be read or written, nor stretches to be computed.
static void write_updates(const sweep_writer *g, int k, bool in_layers) {
    if (in_layers)
        mst_sweep_write_places(g->w, g->s, k);
    for (int u = g->first; u < g->end; u++) {
        const mst_problem_update *update = &g->s->problem->updates[u];
        if (in_layers || !mst_sweeps_is_memory(g->s, u))
            write_update(g, k, u, !in_layers && update->outside.expr ? &update->outside : &update->formula);
    }
    write_stores(g, k, in_layers);
}

static void write_nodes(const sweep_writer *g, int k) {
    if (is_gpu(g) || !mst_sweeps_has_layers(g->s, k)) {
        write_updates(g, k, g->part != MST_SWEEP_OUTSIDE);
        return;
    }
    mst_text_put(g->out, "if (");
    mst_sweep_write_outside(g->w, g->s, k, 0, 0);
    mst_text_put(g->out, ") {\n");
    write_updates(g, k, false);
    mst_text_put(g->out, "} else {\n");
    write_updates(g, k, true);
    mst_text_put(g->out, "}\n");
}

// Waves of order 8 take a sixth longer on an H100 with the text for parts of the planes.
static void write_gpu(const sweep_writer *g, int k) {
    const int items = mst_sweep_items(g->s->problem, g->part), in_parts = g->s->in_parts;
    mst_text_put(g->out,
                 "long tile = get_group_id(0);\n"
                 "const long group_column = tile % work.s1 * $items * WIDTH;\n"
                 "const long column = group_column + get_local_id(0) % $items * WIDTH;\n"
                 "tile /= work.s1;\n"
                 "const long group_row = tile % work.s2 * $rows, row = group_row + get_local_id(0) / $items;\n"
                 "tile /= work.s2;\n"
                 "long plane_begin = ${first}tile * work.s0, plane_end = min(plane_begin + work.s0, $end);\n"
                 "if (column >= n_columns || row >= n_rows)\nreturn;\n",
                 MST_SET(items, items), MST_SET(rows, MST_SWEEP_GROUP / items), MST_SET(first, in_parts ? "grid.s6 + " : ""),
                 MST_SET(end, in_parts ? "grid.s6 + grid.s7" : "n_planes"));
    mst_sweep_write_part(g->w, g->s, k, g->part);
    mst_text_put(g->out, "long i = grid.s5 + plane_begin * plane_pitch + row * pitch + column;\n");
    write_kept(g, k);
    mst_text_put(g->out, "for (long plane = plane_begin; plane < plane_end; plane++, i += plane_pitch) {\n");
    write_loads(g, k);
    mst_text_put(g->out, g->part == MST_SWEEP_LAYERS ? "if (beside || plane < lower_end || plane >= upper_begin) {\n" : "{\n");
    write_nodes(g, k);
    mst_text_put(g->out, "}\n");
    write_shifts(g);
    mst_text_put(g->out, "}\n");
}

static void write_cpu(const sweep_writer *g, int k) {
    mst_text_put(g->out,
                 "// Parts of lines, of work.s1 nodes but for the last of a line.\n"
                 "const long part_begin = get_group_id(0) * work.s0, part_end = min(part_begin + work.s0, work.s2);\n"
                 "const long parts_of_line = (n_columns + work.s1 - 1) / work.s1, line = part_begin / parts_of_line;\n"
                 "long plane = grid.s6 + line / n_rows, row = line % n_rows, part_of_line = part_begin % parts_of_line;\n"
                 "for (long part = part_begin; part < part_end; part++) {\n"
                 "const long column_begin = part_of_line * work.s1, column_end = min(column_begin + work.s1, n_columns);\n"
                 "const long line_at = grid.s5 + plane * plane_pitch + row * pitch;\n"
                 "for (long column = column_begin; column < column_end; column += WIDTH) {\n"
                 "const long i = line_at + column;\n");
    write_nodes(g, k);
    mst_text_put(g->out, "}\n");
    mst_write_copies_of_line(g->w, g->s, k);
    mst_text_put(g->out, "if (++part_of_line == parts_of_line) {\npart_of_line = 0;\nrow++;\n}\n"
                         "if (row == n_rows) {\nrow = 0;\nplane++;\n}\n"
                         "}\n");
}

static mst_status write_sweep(const mst_writer *w, const mst_sweeps *s, int k, mst_sweep_of part, mst_error *error) {
    mst_status status = MST_OK;
    sweep_writer g = {.w = w, .s = s, .out = w->out, .first = s->first[k], .end = s->first[k + 1], .part = part};
    mst_signature signature;
    char attributes[80];
    snprintf(attributes, sizeof attributes, "__attribute__((reqd_work_group_size(%d, 1, 1)))", is_gpu(&g) ? MST_SWEEP_GROUP : 1);
    mst_text_put(g.out, "\n// Sub-step $substep of the step.\n", MST_SET(substep, s->problem->updates[g.first].substep));
    mst_sweep_describe(s, k, part, &signature);
    mst_signature_write(&signature, attributes, g.out);
    mst_signature_release(&signature);
    mst_text_put(g.out, "const long n_planes = grid.s0, n_rows = grid.s1, n_columns = grid.s2, pitch = grid.s3;\n"
                        "const long plane_pitch = grid.s4, first_step = work.s3;\n");
    if (is_gpu(&g)) {
        MST_TRY(find_vectors(&g, error));
        write_gpu(&g, k);
    } else {
        write_cpu(&g, k);
    }
    mst_text_put(g.out, "}\n");
fail:
    free(g.vectors);
    return status;
}

mst_status mst_write_sweeps(const mst_writer *w, const mst_sweeps *s, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_write_helpers(w, s->width, error));
    if (mst_sweeps_has_points(s))
        MST_TRY(mst_program_add_file(w->context, "stencil_sweep.cl", w->out, error));
    if (mst_sweeps_has_points(s) && mst_sweeps_has(s, true, false))
        MST_TRY(mst_program_add_file(w->context, "stencil_sweep_half.cl", w->out, error));
    if (s->problem->n_layers > 0)
        MST_TRY(mst_program_add_file(w->context, "stencil_sweep_layers.cl", w->out, error));
    if (s->copies_margins)
        mst_write_copies(w, s);
    for (int k = 0; k < s->n; k++)
        for (int part = 0; part < MST_SWEEP_PARTS; part++)
            if (mst_sweep_has_part(s, k, (mst_sweep_of)part))
                MST_TRY(write_sweep(w, s, k, (mst_sweep_of)part, error));
    mst_write_margins(w, s);
    mst_write_regions_sweep(w);
fail:
    return status;
}
