// Lines: local memory in which the work-items of a group give one another planes of versions.
#include "boundary.h"
#include "write_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADD(...) mst_text_add(g->w->out, __VA_ARGS__)

static void near_name(int stack, int items, char out[32]) {
    snprintf(out, 32, "near_%c%d_%c%d", stack < 0 ? 'm' : 'p', abs(stack), items < 0 ? 'm' : 'p', abs(items));
}

// Where the nodes of a neighbour are in a slot: behind those of all work-items if they lie beyond a face.
static void write_near(const mst_gpu_writer *g, int stack, int items) {
    char name[32];
    near_name(stack, items, name);
    ADD("const int %s = top + %d < 0 ? %d : top + %d >= n_rows ? %d : column + %d < 0 ? %d : column + %d >= n_columns ? %d : lid "
        "+ "
        "%d;\n",
        name, stack * g->deep, g->tile->group + 2, stack * g->deep, g->tile->group + 3, items * g->width, g->tile->group,
        items * g->width, g->tile->group + 1, stack * g->tile->items + items);
}

// There, all slots have the faces' values, which nobody overwrites.
static void write_values_beyond(const mst_gpu_writer *g, int half) {
    for (int axis = ROWS; axis <= COLUMNS; axis++)
        for (int side = 0; side < 2; side++)
            if (mst_boundary_is_open(g->w->problem, axis, side) && g->w->problem->boundaries[axis][side].value.expr) {
                ADD("for (int k = lid; k < %d; k += %d) {\n", g->exchange.n_slots, g->tile->group);
                mst_write_formula(g->w, &g->w->problem->boundaries[axis][side].value, 1, NULL, "outer");
                for (int k = 0; k < g->exchange.copies; k++)
                    ADD("lines[%d + k * %d] = outer;\n",
                        k * half + g->exchange.ends + g->tile->group + (axis == ROWS ? 2 : 0) + side, g->exchange.pitch);
                ADD("}\n");
            }
}

void mst_gpu_write_geometry(const mst_gpu_writer *g) {
    const int half = mst_exchange_copy_elements(&g->exchange);
    ADD("const int lid = (int)get_local_id(0), lx = lid %% %d, ly = lid / %d;\n", g->tile->items, g->tile->items);
    ADD("const long top = r0 - %d + ly * %d, column = c0 - %d + lx * %d;\n", g->tile->before[ROWS], g->deep,
        g->tile->before[COLUMNS], g->width);
    if (g->exchange.n_slots == 0)
        return;
    ADD("__local real lines[%d];\nint turn = %d;\n", g->exchange.copies * half, g->exchange.ends);
    ADD("for (int k = lid; k < %d; k += %d) // the ends are read, not used\nlines[k] = 0;\nbarrier(CLK_LOCAL_MEM_FENCE);\n",
        g->exchange.copies * half, g->tile->group);
    if (!g->exchange.is_open)
        return;
    write_values_beyond(g, half);
    for (int stack = -MST_STENCIL_MAX_RADIUS; stack <= MST_STENCIL_MAX_RADIUS; stack++)
        for (int items = -MST_STENCIL_MAX_RADIUS; items <= MST_STENCIL_MAX_RADIUS; items++)
            if (g->exchange.is_near[stack + MST_STENCIL_MAX_RADIUS][items + MST_STENCIL_MAX_RADIUS])
                write_near(g, stack, items);
}

void mst_gpu_lane_text(const mst_gpu_writer *g, int lane, char *out, size_t size) {
    if (g->width > 1)
        snprintf(out, size, ".s%x", (unsigned)lane & 15);
    else
        snprintf(out, size, "%s", "");
}

static void write_used(const mst_gpu_writer *g, int version, int age) {
    char name[8];
    for (int lane = 0; lane < g->width; lane++)
        for (int row = 0; row < g->deep; row++)
            if (mst_exchange_has(&g->exchange, version, age, row, lane)) {
                mst_gpu_lane_text(g, lane, name, sizeof name);
                ADD("lines[turn + lid + %d] = q_%d_%d_%d%s;\n", mst_exchange_slot(&g->exchange, version, age, row, lane), version,
                    age, row, name);
            }
}

static void each_line(const mst_gpu_writer *g, void (*write)(const mst_gpu_writer *g, int version, int age)) {
    for (int k = 0; k < g->w->pipeline->n_versions; k++)
        for (int age = 0; age < MST_STENCIL_MAX_DEPTH; age++)
            if (g->exchange.planes[k][age].used)
                write(g, k, age);
}

// Nodes beyond a mirroring face take their value from the line, where all nodes are then, by lane and row.
static void write_mirrored(const mst_gpu_writer *g, int version, int age) {
    char lane[8], row[80], column[100], number[40];
    int rows = g->tile->group / g->tile->items * g->deep;
    for (int r = 0; r < g->deep; r++)
        for (int k = 0; k < g->width; k++) {
            snprintf(number, sizeof number, "top + %d", r);
            mst_map_text(g->w->problem, ROWS, false, number, row, sizeof row);
            snprintf(number, sizeof number, "column + %d", k);
            mst_map_text(g->w->problem, COLUMNS, false, number, column, sizeof column);
            mst_gpu_lane_text(g, k, lane, sizeof lane);
            ADD("{\nconst int y = (int)clamp(%s - r0 + %d, (long)0, (long)%d), x = (int)clamp(%s - c0 + %d, (long)0, (long)%d);\n"
                "q_%d_%d_%d%s = lines[turn + %d + (x %% %d * %d + y %% %d) * %d + y / %d * %d + x / %d];\n}\n",
                row, g->tile->before[ROWS], rows - 1, column, g->tile->before[COLUMNS], g->tile->items * g->width - 1, version,
                age, r, lane, g->exchange.planes[version][age].first_slot * g->tile->group, g->width, g->deep, g->deep,
                g->tile->group, g->deep, g->tile->items, g->width);
        }
}

void mst_gpu_write_exchange(const mst_gpu_writer *g) {
    if (g->exchange.n_slots == 0)
        return;
    if (g->exchange.copies == 2)
        ADD("turn = %d - turn;\n", mst_exchange_copy_elements(&g->exchange) + 2 * g->exchange.ends);
    else
        ADD("barrier(CLK_LOCAL_MEM_FENCE);\n");
    each_line(g, write_used);
    ADD("barrier(CLK_LOCAL_MEM_FENCE);\n");
    if (!g->exchange.is_mirrored)
        return;
    ADD("if (outside) {\n");
    each_line(g, write_mirrored);
    ADD("}\nbarrier(CLK_LOCAL_MEM_FENCE);\nif (outside) {\n");
    each_line(g, write_used);
    ADD("}\nbarrier(CLK_LOCAL_MEM_FENCE);\n");
}

// Of this work-item's registers and of others' in a line.
void mst_gpu_neighbour_text(const mst_gpu_writer *g, const mst_stage *v, size_t i, int row, char *out, size_t size) {
    const mst_pipeline *p = g->w->pipeline;
    const mst_leaf *leaf = &p->problem->updates[v->update].formula.leaves[i];
    int from = v->reads[i], age = v->lag - p->versions[from].lag - leaf->offsets[PLANES];
    size_t used = 0;
    if (!mst_exchange_is_lateral(leaf)) {
        snprintf(out, size, "q_%d_%d_%d", from, age, row);
        return;
    }
    used += (size_t)snprintf(out, size, g->width > 1 ? "(vreal)(" : "(");
    for (int k = 0; k < g->width && used < size; k++) {
        mst_node_place n = mst_exchange_place(g->tile, leaf, row, k);
        char text[80], name[8], near[32];
        near_name(n.rows_of_items, n.items, near);
        mst_gpu_lane_text(g, n.column, name, sizeof name);
        if (n.items == 0 && n.rows_of_items == 0)
            snprintf(text, sizeof text, "q_%d_%d_%d%s", from, age, n.row, name);
        else if (g->exchange.is_open)
            snprintf(text, sizeof text, "lines[turn + %s + %d]", near,
                     mst_exchange_slot(&g->exchange, from, age - 1, n.row, n.column));
        else
            snprintf(text, sizeof text, "lines[turn + lid + %d]",
                     mst_exchange_slot(&g->exchange, from, age - 1, n.row, n.column) + n.rows_of_items * g->tile->items +
                         n.items);
        used += (size_t)snprintf(out + used, size - used, "%s%s", k ? ", " : "", text);
    }
    if (used < size)
        snprintf(out + used, size - used, ")");
}
