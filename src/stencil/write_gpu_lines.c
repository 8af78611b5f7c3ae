// Lines: local memory in which the work-items of a group give one another planes of versions.
#include "write_gpu.h"

#include <stdio.h>

#define ADD(...) mst_text_add(g->w->out, __VA_ARGS__)

static int larger(int a, int b) { return a > b ? a : b; }

static bool mirrored(const mst_gpu_writer *g, int axis) {
    const mst_problem_face *f = g->w->problem->faces[axis];
    return f[0].kind == MST_BOUNDARY_NEUMANN || f[1].kind == MST_BOUNDARY_NEUMANN;
}

static bool is_lateral(const mst_leaf *leaf) { return leaf->offsets[ROWS] != 0 || leaf->offsets[COLUMNS] != 0; }

// The age, at the beginning of a plane, of the plane of a version that a leaf reads to the side.
static int line_age(const mst_pipeline *p, const mst_stage *v, size_t leaf) {
    const mst_leaf *l = &p->problem->updates[v->update].formula.leaves[leaf];
    return v->lag - p->versions[v->reads[leaf]].lag - l->offsets[PLANES] - 1;
}

void mst_gpu_find_lines(mst_gpu_writer *g) {
    const mst_pipeline *p = g->w->pipeline;
    g->end = g->items;
    for (int k = p->problem->n_arrays; k < p->n_versions; k++) {
        const mst_stage *v = &p->versions[k];
        const mst_formula *f = &p->problem->updates[v->update].formula;
        for (size_t i = 0; i < f->n_leaves; i++)
            if (f->leaves[i].kind == MST_VALUE_FIELD && v->reads[i] >= 0 && is_lateral(&f->leaves[i])) {
                int *line = &g->line_of[v->reads[i]][line_age(p, v, i)];
                *line = *line ? *line : ++g->n_lines;
                int row = f->leaves[i].offsets[ROWS];
                g->end = larger(g->end, (1 + (row < 0 ? -row : row)) * g->items);
            }
    }
}

int mst_gpu_registers(const mst_gpu_writer *g, int version) {
    int n = larger(g->w->pipeline->versions[version].depth, 1);
    for (int age = 0; age < MST_STENCIL_MAX_DEPTH; age++)
        if (g->line_of[version][age])
            n = larger(n, age + 1);
    return n;
}

void mst_gpu_write_geometry(mst_gpu_writer *g) {
    const mst_pipeline *p = g->w->pipeline;
    size_t item = g->w->problem->element;
    int group = g->items * (g->above + g->w->tile[ROWS] + p->high[ROWS]);
    g->line_size = g->width * group;
    int half = g->n_lines * g->line_size + 2 * g->end;
    g->halves = (size_t)(2 * half) * item <= g->w->local_bytes ? 2 : 1;
    g->w->local_bytes = (size_t)(g->halves * half) * item;
    ADD("__local real lines[%d];\nconst int lid = (int)get_local_id(0), lx = lid %% %d, ly = lid / %d;\n", g->halves * half,
        g->items, g->items);
    ADD("const long row = r0 - %d + ly, column = c0 - %d + lx * %d;\n", g->above, g->left, g->width);
    ADD("for (int k = lid; k < %d; k += %d) // the ends are read, not used\nlines[k] = 0;\nbarrier(CLK_LOCAL_MEM_FENCE);\n",
        g->halves * half, group);
}

void mst_gpu_lane_text(const mst_gpu_writer *g, int lane, char *out, size_t size) {
    if (g->width > 1)
        snprintf(out, size, ".s%x", (unsigned)lane & 15);
    else
        snprintf(out, size, "%s", "");
}

// The place in a line of lane `lane` of the work-item `items` further along the columns and `rows` along the rows.
static void place_text(const mst_gpu_writer *g, int line, int lane, int items, int rows, char *out, size_t size) {
    int group = g->line_size / g->width;
    snprintf(out, size, "lines[turn + lid + %d]", g->end + (line - 1) * g->line_size + lane * group + rows * g->items + items);
}

static bool lane_is_read(const mst_gpu_writer *g, int version, int lane) {
    const mst_stage *v = &g->w->pipeline->versions[version];
    bool all = v->reach[ROWS][0] > 0 || v->reach[ROWS][1] > 0 || (g->border && (mirrored(g, ROWS) || mirrored(g, COLUMNS)));
    return all || lane >= g->width - v->reach[COLUMNS][0] || lane < v->reach[COLUMNS][1];
}

static void write_lanes(const mst_gpu_writer *g, int version, int age) {
    char place[80], lane[8];
    for (int k = 0; k < g->width; k++)
        if (lane_is_read(g, version, k)) {
            place_text(g, g->line_of[version][age], k, 0, 0, place, sizeof place);
            mst_gpu_lane_text(g, k, lane, sizeof lane);
            ADD("%s = q_%d_%d%s;\n", place, version, age, lane);
        }
}

static void each_line(const mst_gpu_writer *g, void (*write)(const mst_gpu_writer *g, int version, int age)) {
    for (int k = 0; k < g->w->pipeline->n_versions; k++)
        for (int age = 0; age < MST_STENCIL_MAX_DEPTH; age++)
            if (g->line_of[k][age])
                write(g, k, age);
}

// Nodes beyond a mirroring face take their value from the line.
static void write_mirrored(const mst_gpu_writer *g, int version, int age) {
    char lane[8], row[80], column[100], number[40];
    int group = g->line_size / g->width, start = g->end + (g->line_of[version][age] - 1) * g->line_size;
    mst_map_text(g->w->problem, ROWS, false, "row", row, sizeof row);
    for (int k = 0; k < g->width; k++) {
        snprintf(number, sizeof number, "column + %d", k);
        mst_map_text(g->w->problem, COLUMNS, false, number, column, sizeof column);
        mst_gpu_lane_text(g, k, lane, sizeof lane);
        ADD("{\nconst int y = (int)clamp(%s - r0 + %d, (long)0, (long)%d), x = (int)clamp(%s - c0 + %d, (long)0, (long)%d);\n"
            "q_%d_%d%s = lines[turn + %d + x %% %d * %d + y * %d + x / %d];\n}\n",
            row, g->above, group / g->items - 1, column, g->left, g->items * g->width - 1, version, age, lane, start, g->width,
            group, g->items, g->width);
    }
}

void mst_gpu_write_exchange(const mst_gpu_writer *g) {
    if (g->n_lines == 0)
        return;
    if (g->halves == 2)
        ADD("const int turn = (int)(i & 1) * %d;\n", g->n_lines * g->line_size + 2 * g->end);
    else
        ADD("const int turn = 0;\nbarrier(CLK_LOCAL_MEM_FENCE);\n");
    each_line(g, write_lanes);
    ADD("barrier(CLK_LOCAL_MEM_FENCE);\n");
    if (!g->border || !(mirrored(g, ROWS) || mirrored(g, COLUMNS)))
        return;
    ADD("const bool outside = row < 0 || row >= n_rows || column < 0 || column + %d > n_columns;\nif (outside) {\n", g->width);
    each_line(g, write_mirrored);
    ADD("}\nbarrier(CLK_LOCAL_MEM_FENCE);\nif (outside) {\n");
    each_line(g, write_lanes);
    ADD("}\nbarrier(CLK_LOCAL_MEM_FENCE);\n");
}

// Lanes of this work-item's registers and of others' in a line.
void mst_gpu_neighbour_text(const mst_gpu_writer *g, const mst_stage *v, size_t i, char *out, size_t size) {
    const mst_pipeline *p = g->w->pipeline;
    const mst_leaf *leaf = &p->problem->updates[v->update].formula.leaves[i];
    int from = v->reads[i], age = v->lag - p->versions[from].lag - leaf->offsets[PLANES], d = leaf->offsets[COLUMNS];
    size_t used = 0;
    if (!is_lateral(leaf)) {
        snprintf(out, size, "q_%d_%d", from, age);
        return;
    }
    int line = g->line_of[from][age - 1];
    used += (size_t)snprintf(out, size, g->width > 1 ? "(vreal)(" : "(");
    for (int k = 0; k < g->width && used < size; k++) {
        int column = k + d, lane = (column % g->width + g->width) % g->width, items = (column - lane) / g->width;
        char text[80], name[8];
        if (items == 0 && leaf->offsets[ROWS] == 0) {
            mst_gpu_lane_text(g, lane, name, sizeof name);
            snprintf(text, sizeof text, "q_%d_%d%s", from, age, name);
        } else {
            place_text(g, line, lane, items, leaf->offsets[ROWS], text, sizeof text);
        }
        used += (size_t)snprintf(out + used, size - used, "%s%s", k ? ", " : "", text);
    }
    if (used < size)
        snprintf(out + used, size - used, ")");
}
