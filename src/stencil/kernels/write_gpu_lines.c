// Lines: local memory in which the work-items of a group give one another planes of versions.
#include "write_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADD(...) mst_text_add(g->w->out, __VA_ARGS__)

static int larger(int a, int b) { return a > b ? a : b; }

// a = quotient * b + remainder, 0 <= remainder < b.
static int floor_divide(int a, int b, int *remainder) {
    *remainder = (a % b + b) % b;
    return (a - *remainder) / b;
}

static bool mirrored(const mst_gpu_writer *g, int axis) {
    const mst_problem_boundary *f = g->w->problem->boundaries[axis];
    return f[0].kind == MST_BOUNDARY_NEUMANN || f[1].kind == MST_BOUNDARY_NEUMANN;
}

static bool is_mirrored(const mst_gpu_writer *g) { return g->border && (mirrored(g, ROWS) || mirrored(g, COLUMNS)); }

static bool is_lateral(const mst_leaf *leaf) { return leaf->offsets[ROWS] != 0 || leaf->offsets[COLUMNS] != 0; }

// The age, at the beginning of a plane, of the plane of a version that a leaf reads to the side.
static int line_age(const mst_pipeline *p, const mst_stage *v, size_t leaf) {
    const mst_leaf *l = &p->problem->updates[v->update].formula.leaves[leaf];
    return v->lag - p->versions[v->reads[leaf]].lag - l->offsets[PLANES] - 1;
}

// Where a node that a leaf reads, for a work-item's own node, lies: work-items further along columns and rows, lane and row of
// it.
typedef struct node_place {
    int items, stack, lane, row;
} node_place;

static node_place place_of(const mst_gpu_writer *g, const mst_leaf *leaf, int lane, int row) {
    node_place n;
    n.items = floor_divide(lane + leaf->offsets[COLUMNS], g->width, &n.lane);
    n.stack = floor_divide(row + leaf->offsets[ROWS], g->deep, &n.row);
    return n;
}

static uint64_t bit_of(const mst_gpu_writer *g, int lane, int row) { return (uint64_t)1 << (lane * g->deep + row); }

static void add_reads(mst_gpu_writer *g, const mst_leaf *leaf, mst_gpu_line *line) {
    for (int lane = 0; lane < g->width; lane++)
        for (int row = 0; row < g->deep; row++) {
            node_place n = place_of(g, leaf, lane, row);
            if (n.items != 0 || n.stack != 0 || is_mirrored(g))
                line->used |= bit_of(g, n.lane, n.row);
            if (n.items != 0 || n.stack != 0)
                g->near[n.stack + MST_STENCIL_MAX_RADIUS][n.items + MST_STENCIL_MAX_RADIUS] = true;
            if (is_mirrored(g))
                line->used |= bit_of(g, lane, row);
            int stack = n.stack < 0 ? -n.stack : n.stack, items = n.items < 0 ? -n.items : n.items;
            g->end = larger(g->end, stack * g->items + items);
        }
}

void mst_gpu_find_lines(mst_gpu_writer *g) {
    const mst_pipeline *p = g->w->pipeline;
    g->end = g->n_slots = 0;
    g->pitch = g->group + (g->open ? 4 : 0);
    memset(g->near, 0, sizeof g->near);
    for (int k = 0; k < p->n_versions; k++)
        for (int age = 0; age < MST_STENCIL_MAX_DEPTH; age++)
            g->lines[k][age] = (mst_gpu_line){0};
    for (int k = p->problem->n_arrays; k < p->n_versions; k++) {
        const mst_stage *v = &p->versions[k];
        const mst_formula *f = &p->problem->updates[v->update].formula;
        for (size_t i = 0; i < f->n_leaves; i++)
            if (f->leaves[i].kind == MST_VALUE_FIELD && v->reads[i] >= 0 && is_lateral(&f->leaves[i]))
                add_reads(g, &f->leaves[i], &g->lines[v->reads[i]][line_age(p, v, i)]);
    }
    for (int k = 0; k < p->n_versions; k++)
        for (int age = 0; age < MST_STENCIL_MAX_DEPTH; age++) {
            g->lines[k][age].first_slot = g->n_slots;
            for (uint64_t left = g->lines[k][age].used; left; left &= left - 1)
                g->n_slots++;
        }
}

int mst_gpu_registers(const mst_gpu_writer *g, int version) {
    int n = larger(g->w->pipeline->versions[version].depth, 1);
    for (int age = 0; age < MST_STENCIL_MAX_DEPTH; age++)
        if (g->lines[version][age].used)
            n = larger(n, age + 1);
    return n;
}

static int half_size(const mst_gpu_writer *g) { return g->n_slots * g->pitch + 2 * g->end; }

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
        name, stack * g->deep, g->group + 2, stack * g->deep, g->group + 3, items * g->width, g->group, items * g->width,
        g->group + 1, stack * g->items + items);
}

// There, all slots have the faces' values, which nobody overwrites.
static void write_values_beyond(const mst_gpu_writer *g, int half) {
    for (int axis = ROWS; axis <= COLUMNS; axis++)
        for (int side = 0; side < 2; side++)
            if (mst_gpu_is_open(g->w->problem, axis, side) && g->w->problem->boundaries[axis][side].value.expr) {
                ADD("for (int k = lid; k < %d; k += %d) {\n", g->n_slots, g->group);
                mst_write_formula(g->w, &g->w->problem->boundaries[axis][side].value, 1, NULL, "outer");
                for (int k = 0; k < g->halves; k++)
                    ADD("lines[%d + k * %d] = outer;\n", k * half + g->end + g->group + (axis == ROWS ? 2 : 0) + side, g->pitch);
                ADD("}\n");
            }
}

void mst_gpu_write_geometry(mst_gpu_writer *g) {
    size_t item = g->w->problem->element;
    int half = half_size(g);
    g->halves = (size_t)(2 * half) * item <= g->w->local_bytes ? 2 : 1;
    g->w->local_bytes = (size_t)(g->halves * half) * item;
    ADD("const int lid = (int)get_local_id(0), lx = lid %% %d, ly = lid / %d;\n", g->items, g->items);
    ADD("const long top = r0 - %d + ly * %d, column = c0 - %d + lx * %d;\n", g->above, g->deep, g->left, g->width);
    if (g->n_slots == 0)
        return;
    ADD("__local real lines[%d];\nint turn = %d;\n", g->halves * half, g->end);
    ADD("for (int k = lid; k < %d; k += %d) // the ends are read, not used\nlines[k] = 0;\nbarrier(CLK_LOCAL_MEM_FENCE);\n",
        g->halves * half, g->group);
    if (!g->open)
        return;
    write_values_beyond(g, half);
    for (int stack = -MST_STENCIL_MAX_RADIUS; stack <= MST_STENCIL_MAX_RADIUS; stack++)
        for (int items = -MST_STENCIL_MAX_RADIUS; items <= MST_STENCIL_MAX_RADIUS; items++)
            if (g->near[stack + MST_STENCIL_MAX_RADIUS][items + MST_STENCIL_MAX_RADIUS])
                write_near(g, stack, items);
}

void mst_gpu_lane_text(const mst_gpu_writer *g, int lane, char *out, size_t size) {
    if (g->width > 1)
        snprintf(out, size, ".s%x", (unsigned)lane & 15);
    else
        snprintf(out, size, "%s", "");
}

static int slot_of(const mst_gpu_writer *g, const mst_gpu_line *line, int lane, int row) {
    int slot = line->first_slot;
    for (uint64_t before = line->used & (bit_of(g, lane, row) - 1); before; before &= before - 1)
        slot++;
    return slot;
}

static void write_used(const mst_gpu_writer *g, int version, int age) {
    const mst_gpu_line *line = &g->lines[version][age];
    char name[8];
    for (int lane = 0; lane < g->width; lane++)
        for (int row = 0; row < g->deep; row++)
            if (line->used & bit_of(g, lane, row)) {
                mst_gpu_lane_text(g, lane, name, sizeof name);
                ADD("lines[turn + lid + %d] = q_%d_%d_%d%s;\n", slot_of(g, line, lane, row) * g->pitch, version, age, row, name);
            }
}

static void each_line(const mst_gpu_writer *g, void (*write)(const mst_gpu_writer *g, int version, int age)) {
    for (int k = 0; k < g->w->pipeline->n_versions; k++)
        for (int age = 0; age < MST_STENCIL_MAX_DEPTH; age++)
            if (g->lines[k][age].used)
                write(g, k, age);
}

// Nodes beyond a mirroring face take their value from the line, where all nodes are then, by lane and row.
static void write_mirrored(const mst_gpu_writer *g, int version, int age) {
    char lane[8], row[80], column[100], number[40];
    int rows = g->group / g->items * g->deep;
    for (int r = 0; r < g->deep; r++)
        for (int k = 0; k < g->width; k++) {
            snprintf(number, sizeof number, "top + %d", r);
            mst_map_text(g->w->problem, ROWS, false, number, row, sizeof row);
            snprintf(number, sizeof number, "column + %d", k);
            mst_map_text(g->w->problem, COLUMNS, false, number, column, sizeof column);
            mst_gpu_lane_text(g, k, lane, sizeof lane);
            ADD("{\nconst int y = (int)clamp(%s - r0 + %d, (long)0, (long)%d), x = (int)clamp(%s - c0 + %d, (long)0, (long)%d);\n"
                "q_%d_%d_%d%s = lines[turn + %d + (x %% %d * %d + y %% %d) * %d + y / %d * %d + x / %d];\n}\n",
                row, g->above, rows - 1, column, g->left, g->items * g->width - 1, version, age, r, lane,
                g->lines[version][age].first_slot * g->group, g->width, g->deep, g->deep, g->group, g->deep, g->items, g->width);
        }
}

void mst_gpu_write_exchange(const mst_gpu_writer *g) {
    if (g->n_slots == 0)
        return;
    if (g->halves == 2)
        ADD("turn = %d - turn;\n", half_size(g) + 2 * g->end);
    else
        ADD("barrier(CLK_LOCAL_MEM_FENCE);\n");
    each_line(g, write_used);
    ADD("barrier(CLK_LOCAL_MEM_FENCE);\n");
    if (!is_mirrored(g))
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
    if (!is_lateral(leaf)) {
        snprintf(out, size, "q_%d_%d_%d", from, age, row);
        return;
    }
    used += (size_t)snprintf(out, size, g->width > 1 ? "(vreal)(" : "(");
    for (int k = 0; k < g->width && used < size; k++) {
        node_place n = place_of(g, leaf, k, row);
        char text[80], name[8], near[32];
        near_name(n.stack, n.items, near);
        mst_gpu_lane_text(g, n.lane, name, sizeof name);
        if (n.items == 0 && n.stack == 0)
            snprintf(text, sizeof text, "q_%d_%d_%d%s", from, age, n.row, name);
        else if (g->open)
            snprintf(text, sizeof text, "lines[turn + %s + %d]", near,
                     slot_of(g, &g->lines[from][age - 1], n.lane, n.row) * g->pitch);
        else
            snprintf(text, sizeof text, "lines[turn + lid + %d]",
                     slot_of(g, &g->lines[from][age - 1], n.lane, n.row) * g->pitch + n.stack * g->items + n.items);
        used += (size_t)snprintf(out + used, size - used, "%s%s", k ? ", " : "", text);
    }
    if (used < size)
        snprintf(out + used, size - used, ")");
}
