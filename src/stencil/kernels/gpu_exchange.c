// How the work-items of a group exchange planes of versions through local memory: see exchange.h.
#include "boundary.h"
#include "write_gpu.h"

#include <stdio.h>
#include <stdlib.h>

// The name of the place of a work-item so many further along rows and columns: place_above1_left2.
typedef char place_name[40];

static void name_place(int rows_of_items, int items, place_name out) {
    int used = snprintf(out, sizeof(place_name), "place");
    if (rows_of_items != 0)
        used += snprintf(out + used, sizeof(place_name) - (size_t)used, "_%s%d", rows_of_items < 0 ? "above" : "below",
                         abs(rows_of_items));
    if (items != 0)
        snprintf(out + used, sizeof(place_name) - (size_t)used, "_%s%d", items < 0 ? "left" : "right", abs(items));
}

// Where a slot has the nodes of a neighbour: behind those of all work-items if they lie beyond a face.
static void write_near(const mst_stencil_gpu_writer *g, int rows_of_items, int items) {
    const int group = g->tile->group;
    place_name name;
    name_place(rows_of_items, items, name);
    mst_text_put(g->out,
                 "const int $name = $row < 0 ? $above\n"
                 ": $row >= n_rows ? $below\n"
                 ": $column < 0 ? $left\n"
                 ": $column >= n_columns ? $right\n"
                 ": $item;\n",
                 MST_SET(name, name), MST_SET(row, MST_SUM("first_row", rows_of_items * g->deep)),
                 MST_SET(column, MST_SUM("first_column", items * g->width)), MST_SET(left, group), MST_SET(right, group + 1),
                 MST_SET(above, group + 2), MST_SET(below, group + 3),
                 MST_SET(item, MST_SUM("item", rows_of_items * g->tile->items + items)));
}

// There, all slots have the faces' values, which nobody overwrites.
static void write_values_beyond(const mst_stencil_gpu_writer *g) {
    const mst_stencil_exchange *x = &g->exchange;
    for (int axis = ROWS; axis <= COLUMNS; axis++)
        for (int side = 0; side < 2; side++) {
            const mst_formula *value = &g->w->problem->boundaries[axis][side].value;
            if (!mst_boundary_is_open(g->w->problem, axis, side) || !value->expr)
                continue;
            mst_text_put(g->out, "for (int k = item; k < $n_slots; k += $group) {\n", MST_SET(n_slots, x->n_slots),
                         MST_SET(group, g->tile->group));
            mst_write_formula(g->w, value, 1, NULL, "outer");
            for (int copy = 0; copy < x->copies; copy++)
                mst_text_put(g->out,
                             mst_problem_has_half_state(g->w->problem) ? "shared[$place + k * $pitch] = round_to_half(outer);\n"
                                                                       : "shared[$place + k * $pitch] = outer;\n",
                             MST_SET(place, copy * mst_exchange_copy_elements(x) + x->ends + g->tile->group +
                                                (axis == ROWS ? 2 : 0) + side),
                             MST_SET(pitch, x->pitch));
            mst_text_put(g->out, "}\n");
        }
}

static void write_nears(const mst_stencil_gpu_writer *g) {
    mst_text_put(g->out, "// Where the nodes of neighbours lie in a slot; there are places for what lies beyond faces, too.\n");
    for (int stack = -MST_STENCIL_MAX_RADIUS; stack <= MST_STENCIL_MAX_RADIUS; stack++)
        for (int items = -MST_STENCIL_MAX_RADIUS; items <= MST_STENCIL_MAX_RADIUS; items++)
            if (g->exchange.is_near[stack + MST_STENCIL_MAX_RADIUS][items + MST_STENCIL_MAX_RADIUS])
                write_near(g, stack, items);
}

void mst_stencil_gpu_write_place(const mst_stencil_gpu_writer *g) {
    const mst_stencil_exchange *x = &g->exchange;
    const mst_tile *t = g->tile;
    mst_text_put(g->out,
                 "\n// The work-item's place in the tile, and the first of its nodes: $deep x $width of them, rows x columns.\n"
                 "const int item = (int)get_local_id(0), item_column = item % $items, item_row = item / $items;\n"
                 "const long first_row = row_begin - $above + item_row * $deep;\n"
                 "const long first_column = column_begin - $left + item_column * $width;\n",
                 MST_SET(items, t->items), MST_SET(above, t->before[ROWS]), MST_SET(deep, g->deep),
                 MST_SET(left, t->before[COLUMNS]), MST_SET(width, g->width));
    if (x->n_slots == 0)
        return;
    mst_text_put(
        g->out,
        "\n// Nodes that other work-items read, each in a slot with a place for every work-item. Places before and behind\n"
        "// all slots are read, but not used.\n"
        "__local real shared[$elements];\n"
        "int copy = $ends; // where the slots begin that are written\n"
        "for (int k = item; k < $elements; k += $group)\n"
        "shared[k] = 0;\n"
        "barrier(CLK_LOCAL_MEM_FENCE);\n",
        MST_SET(elements, x->copies * mst_exchange_copy_elements(x)), MST_SET(ends, x->ends), MST_SET(group, t->group));
    if (!x->is_open)
        return;
    write_values_beyond(g);
    write_nears(g);
}

static void write_shared(const mst_stencil_gpu_writer *g, int version, int age) {
    mst_number_text place;
    mst_register_name name;
    mst_component_name component;
    for (int column = 0; column < g->width; column++)
        for (int row = 0; row < g->deep; row++) {
            if (!mst_exchange_has(&g->exchange, version, age, row, column))
                continue;
            mst_stencil_gpu_name_register(g, version, age, row, name);
            mst_stencil_gpu_name_component(column, component);
            mst_sum_text("copy + item", mst_exchange_slot(&g->exchange, version, age, row, column), place);
            mst_text_put(g->out, "shared[$place] = $name.$component;\n", MST_SET(place, place), MST_SET(name, name),
                         MST_SET(component, component));
        }
}

// Nodes beyond a mirroring face take their values from local memory, where all nodes are then, by column and row.
static void write_mirrored(const mst_stencil_gpu_writer *g, int version, int age) {
    const mst_tile *t = g->tile;
    const mst_problem *p = g->w->problem;
    const int set = p->fields[g->w->pipeline->versions[version].field].faces;
    mst_number_text row, column, row_sign, column_sign;
    mst_register_name name;
    mst_component_name component;
    for (int r = 0; r < g->deep; r++)
        for (int c = 0; c < g->width; c++) {
            mst_map_text(p, set, ROWS, MST_SUM("first_row", r), row);
            mst_map_text(p, set, COLUMNS, MST_SUM("first_column", c), column);
            mst_sign_text(p, set, ROWS, MST_SUM("first_row", r), row_sign);
            mst_sign_text(p, set, COLUMNS, MST_SUM("first_column", c), column_sign);
            mst_stencil_gpu_name_register(g, version, age, r, name);
            mst_stencil_gpu_name_component(c, component);
            mst_text_put(g->out,
                         "{\n"
                         "const int row = (int)clamp($row - row_begin + $above, (long)0, (long)$last_row);\n"
                         "const int column = (int)clamp($column - column_begin + $left, (long)0, (long)$last_column);\n"
                         "$name.$component = $row_sign${column_sign}shared[copy + $slot + (column % $width * $deep + row % "
                         "$deep) * $group\n"
                         "+ row / $deep * $items + column / $width];\n"
                         "}\n",
                         MST_SET(row, row), MST_SET(column, column), MST_SET(row_sign, row_sign),
                         MST_SET(column_sign, column_sign), MST_SET(above, t->before[ROWS]), MST_SET(left, t->before[COLUMNS]),
                         MST_SET(last_row, t->whole[ROWS] - 1), MST_SET(last_column, t->whole[COLUMNS] - 1), MST_SET(name, name),
                         MST_SET(component, component), MST_SET(slot, g->exchange.planes[version][age].first_slot * t->group),
                         MST_SET(width, g->width), MST_SET(deep, g->deep), MST_SET(group, t->group), MST_SET(items, t->items));
        }
}

static void each_plane(const mst_stencil_gpu_writer *g, void (*write)(const mst_stencil_gpu_writer *g, int version, int age)) {
    for (int k = 0; k < g->w->pipeline->n_versions; k++)
        for (int age = 0; age < MST_STENCIL_MAX_DEPTH; age++)
            if (g->exchange.planes[k][age].used)
                write(g, k, age);
}

void mst_stencil_gpu_write_exchange(const mst_stencil_gpu_writer *g) {
    const mst_stencil_exchange *x = &g->exchange;
    if (x->n_slots == 0)
        return;
    mst_text_put(g->out, "// What neighbours read goes to local memory.\n");
    if (x->copies == 2)
        mst_text_put(g->out, "copy = $both - copy;\n", MST_SET(both, mst_exchange_copy_elements(x) + 2 * x->ends));
    else
        mst_text_put(g->out, "barrier(CLK_LOCAL_MEM_FENCE);\n");
    each_plane(g, write_shared);
    mst_text_put(g->out, "barrier(CLK_LOCAL_MEM_FENCE);\n");
    if (!x->is_mirrored)
        return;
    mst_text_put(g->out, "if (is_beyond) { // beyond mirroring faces nodes are as those inside\n");
    each_plane(g, write_mirrored);
    mst_text_put(g->out, "}\nbarrier(CLK_LOCAL_MEM_FENCE);\nif (is_beyond) {\n");
    each_plane(g, write_shared);
    mst_text_put(g->out, "}\nbarrier(CLK_LOCAL_MEM_FENCE);\n");
}

// A node of a neighbour's, from local memory, or of this work-item's own registers.
static void write_node(const mst_stencil_gpu_writer *g, int version, int age, mst_node_place n) {
    const mst_stencil_exchange *x = &g->exchange;
    mst_register_name name;
    mst_component_name component;
    place_name near;
    mst_number_text place;
    if (n.items == 0 && n.rows_of_items == 0) {
        mst_stencil_gpu_name_register(g, version, age, n.row, name);
        mst_stencil_gpu_name_component(n.column, component);
        mst_text_put(g->out, "$name.$component", MST_SET(name, name), MST_SET(component, component));
        return;
    }
    const int slot = mst_exchange_slot(x, version, age - 1, n.row, n.column);
    name_place(n.rows_of_items, n.items, near);
    if (x->is_open)
        mst_sum_text(near, slot, place);
    else
        mst_sum_text("item", slot + n.rows_of_items * g->tile->items + n.items, place);
    mst_text_put(g->out, "shared[copy + $place]", MST_SET(place, place));
}

void mst_stencil_gpu_write_neighbour(const mst_stencil_gpu_writer *g, const mst_field_version *v, size_t i, int row) {
    const mst_pipeline *p = g->w->pipeline;
    const mst_leaf *leaf = &p->problem->updates[v->update].formula.leaves[i];
    const int from = v->reads[i], age = v->lag - p->versions[from].lag - leaf->offsets[PLANES];
    mst_name name;
    mst_name_leaf(p->problem, leaf, name);
    mst_text_put(g->out, "const vreal $name = ", MST_SET(name, name));
    if (!mst_exchange_is_lateral(leaf)) {
        mst_register_name own;
        mst_stencil_gpu_name_register(g, from, age, row, own);
        mst_text_put(g->out, "$own;\n", MST_SET(own, own));
        return;
    }
    mst_text_put(g->out, "(vreal)(");
    for (int column = 0; column < g->width; column++) {
        mst_text_put(g->out, column > 0 ? ", " : "");
        write_node(g, from, age, mst_exchange_place(g->tile, leaf, row, column));
    }
    mst_text_put(g->out, ");\n");
}
