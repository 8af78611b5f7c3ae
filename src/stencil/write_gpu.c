// GPU-shaped kernels: a work-group takes a tile of rows and columns, a vector of columns a work-item, through a strip of planes.
// Each work-item keeps the last planes of its own nodes of every version in registers (q_version_age); neighbours to the sides
// come from lines in local memory, where the work-items put a plane of each version once it is a plane old, so there is one
// barrier a plane (two where local memory does not hold the lines twice). What a tile computes beyond what it owns goes wrong
// from its edge inwards, a radius a step, and is not stored.
//
// The kernel `inner` does tiles that touch neither faces nor points; `advance`, with all the care, does the others.
#include "write_gpu.h"

#include <stdio.h>
#include <stdlib.h>

#define ADD(...) mst_text_add(g->w->out, __VA_ARGS__)

static bool periodic(const mst_gpu_writer *g, int axis) { return mst_problem_periodic(g->w->problem, axis); }
static bool is_valued(const mst_problem_face *f) { return f->kind == MST_BOUNDARY_DIRICHLET || f->kind == MST_BOUNDARY_SPONGE; }
static int larger(int a, int b) { return a > b ? a : b; }
static int round_up(int n, int to) { return (n + to - 1) / to * to; }

// Whether the tile touches neither a face nor a point, `plain`, which decides between the two kernels.
static void write_choice(const mst_gpu_writer *g) {
    const mst_pipeline *p = g->w->pipeline;
    size_t n_points = g->w->problem->n_sources + g->w->problem->n_points;
    int rows = g->above + g->w->tile[ROWS] + p->high[ROWS];
    ADD("const long row_0 = r0 - %d, column_0 = c0 - %d;\n"
        "bool plain = row_0 >= max(from.s1, (long)0) && row_0 + %d <= min(from.s1 + from.s2, n_rows) && column_0 >= max(from.s3, "
        "(long)0) && column_0 + %d <= min(from.s3 + from.s4, n_columns)",
        g->above, g->left, rows, g->items * g->width);
    if (!periodic(g, PLANES))
        ADD(" && p0 - %d >= 0 && p1 + %d <= n_planes", p->low[PLANES] + MST_STENCIL_MAX_RADIUS,
            p->high[PLANES] + MST_STENCIL_MAX_RADIUS);
    if (g->w->problem->n_constants > 0)
        ADD(" && row_0 - 4 >= max(held.s1, (long)0) && row_0 + %d <= min(held.s1 + held.s2, n_rows) && column_0 - 4 >= "
            "max(held.s3, "
            "(long)0) && column_0 + %d <= min(held.s3 + held.s4, n_columns)",
            rows + 4, g->items * g->width + 4);
    ADD(";\n");
    if (n_points > 0) {
        ADD("for (long k = 0; k < %zu && plain; k++) {\nconst long q = points[k].s0;\n", n_points);
        if (periodic(g, PLANES))
            ADD("plain = !(points[k].s1 >= row_0 && points[k].s1 < row_0 + %d && points[k].s2 >= column_0 && points[k].s2 < "
                "column_0 "
                "+ %d) && q >= 0;\n}\n",
                rows, g->items * g->width);
        else
            ADD("plain = !(q >= p0 - %d && q < p1 + %d && points[k].s1 >= row_0 && points[k].s1 < row_0 + %d && points[k].s2 >= "
                "column_0 && points[k].s2 < column_0 + %d);\n}\n",
                p->low[PLANES], p->high[PLANES], rows, g->items * g->width);
    }
    ADD(g->border ? "if (plain)\nreturn;\n" : "if (!plain)\nreturn;\n");
}

// Masks of the work-item's columns beyond the faces.
static void write_masks(const mst_gpu_writer *g) {
    const char *type = g->w->problem->is_double ? "long" : "int";
    if (g->width > 1)
        ADD("typedef %s%d vmask;\nconst vlong columns = (vlong)(column) + LANES;\n"
            "const vmask before = convert_%s%d(columns < 0), behind = convert_%s%d(columns >= n_columns);\n",
            type, g->width, type, g->width, type, g->width);
    else
        ADD("typedef int vmask;\nconst vmask before = column < 0, behind = column >= n_columns;\n");
}

// Replaces `value` where plane p, the row or columns lie beyond faces that have values; the slowest axis counts.
static void write_faces(const mst_gpu_writer *g, int step) {
    static const char *const where[N_AXES][2] = {{"p < 0", "p >= n_planes"}, {"row < 0", "row >= n_rows"}, {"before", "behind"}};
    char at[N_AXES][80], time[20];
    mst_map_text(g->w->problem, ROWS, false, "row", at[ROWS], sizeof at[ROWS]);
    snprintf(time, sizeof time, "%d", step + 1);
    for (int axis = N_AXES - 1; axis >= 0; axis--)
        for (int side = 0; side < 2; side++) {
            const mst_problem_face *face = &g->w->problem->faces[axis][side];
            if (!is_valued(face) || (axis == ROWS && g->w->problem->rank < 3) || (axis == PLANES && g->w->problem->rank < 2))
                continue;
            ADD("{\n");
            if (face->value.expr) {
                mst_write_place(g->w, &face->value, "p", axis == ROWS ? "row" : at[ROWS], time);
                mst_write_column(g->w, &face->value, "column", g->width);
                mst_write_formula(g->w, &face->value, g->width, NULL, "outer");
            } else {
                ADD("const vreal outer = 0;\n");
            }
            if (axis == COLUMNS)
                ADD("value = %s ? outer : value;\n}\n", where[axis][side]);
            else
                ADD("if (%s)\nvalue = outer;\n}\n", where[axis][side]);
        }
}

// Makes `value` the newest plane of a version, number p; planes beyond mirroring faces follow from those inside.
static void write_push(const mst_gpu_writer *g, int version) {
    const mst_problem_face *face = g->w->problem->faces[PLANES];
    int n = mst_gpu_registers(g, version);
    for (int k = n - 1; k > 0; k--)
        ADD("q_%d_%d = q_%d_%d;\n", version, k, version, k - 1);
    ADD("q_%d_0 = value;\n", version);
    if (!g->border)
        return;
    for (int k = 0; face[0].kind == MST_BOUNDARY_NEUMANN && 2 * k + 1 < n; k++)
        ADD("if (p == %d)\nq_%d_%d = q_%d_0;\n", k, version, 2 * k + 1, version);
    for (int k = 0; face[1].kind == MST_BOUNDARY_NEUMANN && 2 * k + 1 < n; k++)
        ADD("if (p == n_planes + %d)\nq_%d_0 = q_%d_%d;\n", k, version, version, 2 * k + 1);
}

static void write_store(const mst_gpu_writer *g, const mst_stage *v) {
    char lane[8];
    if (v->output < 0)
        return;
    ADD("if (p >= p0 && p < p1 && row >= r0 && row < r1 && column >= c0 && column < c1) {\n"
        "__global real *target = out_%d + (wrap(p, to.s0) * to.s2 + row - to.s1) * to.s4 + column - to.s3;\n",
        v->output);
    if (g->width > 1) {
        ADD("if (column + %d <= c1 && to_aligned)\n*(__global vreal *)target = value;\nelse {\n", g->width);
        for (int k = 0; k < g->width; k++) {
            mst_gpu_lane_text(g, k, lane, sizeof lane);
            ADD("if (column + %d < c1)\ntarget[%d] = value%s;\n", k, k, lane);
        }
        ADD("}\n}\n");
    } else {
        ADD("*target = value;\n}\n");
    }
}

// The plane of an input as `value`.
static void write_load(const mst_gpu_writer *g, int version) {
    const mst_stage *v = &g->w->pipeline->versions[version];
    char lane[8];
    ADD("{ // %s\nconst long p = i;\nvreal value = 0;\nif (p >= p0 - %d && p < p1 + %d%s) {\n",
        g->w->problem->fields[v->field].name, v->low[PLANES], v->high[PLANES],
        periodic(g, PLANES) ? "" : " && p >= 0 && p < n_planes");
    if (g->border) {
        ADD("if (%s) {\n__global const real *source = in_%d + (wrap(p, from.s0) * from.s2 + within(row, from.s1, from.s2)) * "
            "from.s4;\n",
            periodic(g, ROWS) ? "true" : "row >= 0 && row < n_rows", version);
        for (int k = 0; k < g->width; k++) {
            mst_gpu_lane_text(g, k, lane, sizeof lane);
            if (!periodic(g, COLUMNS))
                ADD("if (column + %d >= 0 && column + %d < n_columns)\n", k, k);
            ADD("value%s = source[within(column + %d, from.s3, from.s4)];\n", lane, k);
        }
        ADD("}\n");
    } else {
        ADD("__global const real *source = in_%d + (wrap(p, from.s0) * from.s2 + row - from.s1) * from.s4 + column - from.s3;\n"
            "value = from_aligned ? *(__global const vreal *)source : LOAD_GLOBAL(source);\n",
            version);
    }
    ADD("}\n");
    if (g->border)
        write_faces(g, v->step);
    write_store(g, v);
    write_push(g, version);
    ADD("}\n");
}

// A vector of a constant field.
static void write_constant(const mst_gpu_writer *g, const mst_leaf *leaf, size_t i) {
    char number[60], plane[100], row[100], column[120];
    snprintf(number, sizeof number, "p + %d", leaf->offsets[PLANES]);
    mst_map_text(g->w->problem, PLANES, true, number, plane, sizeof plane);
    snprintf(number, sizeof number, "row + %d", leaf->offsets[ROWS]);
    mst_map_text(g->w->problem, ROWS, true, number, row, sizeof row);
    ADD("__global const real *g_%zu = fixed_%d + (wrap(%s, held.s0) * held.s2", i, g->w->problem->fields[leaf->field].array,
        plane);
    if (!g->border) {
        ADD(" + row + %d - held.s1) * held.s4 + column + %d - held.s3;\nconst vreal n_%zu = LOAD_GLOBAL(g_%zu);\n",
            leaf->offsets[ROWS], leaf->offsets[COLUMNS], i, i);
        return;
    }
    // Nodes beyond what the update computes are read somewhere.
    ADD(" + within(%s, held.s1, held.s2)) * held.s4;\nvreal n_%zu;\n", row, i);
    for (int k = 0; k < g->width; k++) {
        char lane[8];
        mst_gpu_lane_text(g, k, lane, sizeof lane);
        snprintf(number, sizeof number, "column + %d", k + leaf->offsets[COLUMNS]);
        mst_map_text(g->w->problem, COLUMNS, true, number, column, sizeof column);
        ADD("n_%zu%s = g_%zu[within(%s, held.s3, held.s4)];\n", i, lane, i, column);
    }
}

static void write_damping(const mst_gpu_writer *g) {
    if (mst_problem_is_damped(g->w->problem, PLANES))
        ADD("value *= damping[clamp(p, (long)0, n_planes - 1)];\n");
    if (mst_problem_is_damped(g->w->problem, ROWS))
        ADD("value *= damping[n_planes + clamp(row, (long)0, n_rows - 1)];\n");
    if (!mst_problem_is_damped(g->w->problem, COLUMNS))
        return;
    for (int k = 0; k < g->width; k++) {
        char lane[8];
        mst_gpu_lane_text(g, k, lane, sizeof lane);
        ADD("value%s *= damping[n_planes + n_rows + clamp(column + %d, (long)0, n_columns - 1)];\n", lane, k);
    }
}

// Sources and receivers of a field in plane p.
static void write_points(const mst_gpu_writer *g, const mst_stage *v) {
    const size_t *s = &g->w->sources.first[v->field], *r = &g->w->receivers.first[v->field];
    char lane[8];
    if (s[1] > s[0]) {
        ADD("for (long q = wrap(p, n_planes), k = first_point(points, %zu, %zu, q); k < %zu && points[k].s0 == q; k++)\n"
            "if (wrap(row, n_rows) == points[k].s1) {\nconst real more_k = table[(more.s7 + %d) * %zu + 1 + points[k].s3];\n",
            s[0], s[1], s[1], v->step + 1, g->w->problem->n_sources + 1);
        for (int k = 0; k < g->width; k++) {
            mst_gpu_lane_text(g, k, lane, sizeof lane);
            ADD("if (wrap(column + %d, n_columns) == points[k].s2)\nvalue%s += more_k;\n", k, lane);
        }
        ADD("}\n");
    }
    if (r[1] > r[0]) {
        ADD("if (p >= p0 && p < p1 && row >= r0 && row < r1 && column >= c0)\n"
            "for (long k = first_point(points, %zu, %zu, p); k < %zu && points[k].s0 == p; k++)\nif (row == points[k].s1) {\n"
            "__global real *record = records + (more.s7 + %d) * %zu + points[k].s3;\n",
            r[0], r[1], r[1], v->step, g->w->problem->n_points);
        for (int k = 0; k < g->width; k++) {
            mst_gpu_lane_text(g, k, lane, sizeof lane);
            ADD("if (column + %d == points[k].s2 && column + %d < c1)\n*record = value%s;\n", k, k, lane);
        }
        ADD("}\n");
    }
}

static void write_update(const mst_gpu_writer *g, int version) {
    const mst_problem *p = g->w->problem;
    const mst_stage *v = &g->w->pipeline->versions[version];
    const mst_formula *f = &p->updates[v->update].formula;
    char texts[MST_STENCIL_MAX_LEAVES][96], step[20], text[2000];
    snprintf(step, sizeof step, "%d", v->step);
    ADD("{ // %s, step %d\nconst long p = i - %d;\nvreal value = 0;\nif (p >= p0 - %d && p < p1 + %d%s) {\n",
        p->fields[v->field].name, v->step, v->lag, v->low[PLANES], v->high[PLANES],
        g->border && !periodic(g, PLANES) ? " && p >= 0 && p < n_planes" : "");
    mst_write_place(g->w, f, "p", "row", step);
    mst_write_column(g->w, f, "column", g->width);
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        snprintf(texts[i], sizeof texts[i], "n_%zu", i);
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        if (p->fields[leaf->field].constant) {
            write_constant(g, leaf, i);
            continue;
        }
        mst_gpu_neighbour_text(g, v, i, text, sizeof text);
        ADD("const vreal n_%zu = %s;\n", i, text);
    }
    mst_write_formula(g->w, f, g->width, texts, "result");
    ADD("value = result;\n");
    write_damping(g);
    if (g->border)
        write_points(g, v);
    ADD("}\n");
    if (g->border)
        write_faces(g, v->step);
    write_store(g, v);
    write_push(g, version);
    ADD("}\n");
}

static void write_kernel(mst_gpu_writer *g, const char *name) {
    const mst_pipeline *p = g->w->pipeline;
    int first = 0, last = 0;
    for (int k = 0; k < p->n_versions; k++) {
        const mst_stage *v = &p->versions[k];
        first = v->lag - v->low[PLANES] < first ? v->lag - v->low[PLANES] : first;
        last = larger(last, v->lag + v->high[PLANES]);
    }
    mst_write_start(g->w, name, g->items * (g->above + g->w->tile[ROWS] + p->high[ROWS]));
    write_choice(g);
    mst_gpu_write_geometry(g);
    if (g->border)
        write_masks(g);
    ADD("const bool from_aligned = from.s4 %% %d == 0 && (column - from.s3) %% %d == 0;\n"
        "const bool to_aligned = to.s4 %% %d == 0 && (column - to.s3) %% %d == 0;\n",
        g->width, g->width, g->width, g->width);
    for (int k = 0; k < p->n_versions; k++)
        for (int age = 0; age < mst_gpu_registers(g, k); age++)
            ADD("vreal q_%d_%d = 0;\n", k, age);
    if (g->w->problem->rank == 1) // one plane: every version has its turn, and the others' work is dropped
        ADD("%sfor (int i = %d; i < %d; i++) {\n", g->w->unroll ? "#pragma unroll\n" : "", first, 1 + last);
    else
        ADD("%sfor (long i = p0 + %d; i < p1 + %d; i++) {\n", g->w->unroll ? "#pragma unroll 2\n" : "", first, last);
    mst_gpu_write_exchange(g);
    for (int k = 0; k < p->n_versions; k++)
        if (p->versions[k].update < 0)
            write_load(g, k);
        else
            write_update(g, k);
    ADD("}\n}\n");
}

void mst_write_gpu(mst_writer *w) {
    mst_gpu_writer state = {.w = w, .width = w->width};
    const mst_pipeline *p = w->pipeline;
    size_t room = w->local_bytes;
    state.left = round_up(p->low[COLUMNS], w->width);
    state.above = p->low[ROWS];
    state.items = (state.left + w->tile[COLUMNS] + round_up(p->high[COLUMNS], w->width)) / w->width;
    state.line_of = calloc((size_t)p->n_versions, sizeof *state.line_of);
    if (!state.line_of) {
        w->out->failed = true;
        return;
    }
    mst_gpu_find_lines(&state);
    mst_write_helpers(w);
    write_kernel(&state, "inner");
    w->local_bytes = room;
    state.border = true;
    write_kernel(&state, "advance");
    free(state.line_of);
}
