// CPU-shaped kernels: one work-item takes a tile of rows and columns through a strip of planes. The planes of each version that
// are still needed lie in a ring of local memory, which is the cache there; a plane is computed with vectors along the columns,
// and its neighbours outside the grid are written beside it, so that no inner loop knows of boundaries. The steps are a loop, k,
// since compilers take long for the same code m times; what differs between them is in tables.
#include "write.h"

#include <stdio.h>

typedef struct cpu_writer {
    mst_writer *w;
    int left, pitch, above, plane; // of a tile in the ring: columns before c0, elements a row, rows before r0, elements a plane
    struct {                       // the rings of a field: of its inputs, then of every step
        int base, depth, reach[N_AXES][2];
    } fields[MST_STENCIL_MAX_FIELDS];
} cpu_writer;

#define ADD(...) mst_text_add(c->w->out, __VA_ARGS__)

static bool periodic(const cpu_writer *c, int axis) { return mst_problem_periodic(c->w->problem, axis); }
static const mst_problem_face *face_of(const cpu_writer *c, int axis, int side) { return &c->w->problem->faces[axis][side]; }
static bool is_valued(const mst_problem_face *f) { return f->kind == MST_BOUNDARY_DIRICHLET || f->kind == MST_BOUNDARY_SPONGE; }

static int larger(int a, int b) { return a > b ? a : b; }
static int round_up(int n, int to) { return (n + to - 1) / to * to; }

static void lay_out_rings(cpu_writer *c) {
    const mst_pipeline *p = c->w->pipeline;
    int right = 0, below = 0, total = 0;
    for (int k = 0; k < p->n_versions; k++) {
        const mst_stage *v = &p->versions[k];
        c->fields[v->field].depth = larger(c->fields[v->field].depth, larger(v->depth, 1));
        for (int i = 0; i < 2 * N_AXES; i++)
            c->fields[v->field].reach[i / 2][i % 2] = larger(c->fields[v->field].reach[i / 2][i % 2], v->reach[i / 2][i % 2]);
        c->left = larger(c->left, v->low[COLUMNS]);
        right = larger(right, v->high[COLUMNS]);
        c->above = larger(c->above, v->low[ROWS]);
        below = larger(below, v->high[ROWS]);
    }
    c->left = round_up(c->left, c->w->width);
    c->pitch = round_up(c->left + c->w->tile[COLUMNS] + right, c->w->width) + c->w->width;
    c->plane = c->pitch * (c->above + c->w->tile[ROWS] + below);
    for (int f = 0; f < c->w->problem->n_fields; f++) {
        c->fields[f].base = total;
        total += c->fields[f].depth * c->plane * (c->w->problem->fields[f].levels + p->m);
    }
    ADD("__local real ring[%d] __attribute__((aligned(64)));\nconst long p_first = p0 - %d;\n", total,
        p->low[PLANES] + MST_STENCIL_MAX_RADIUS);
    c->w->local_bytes = (size_t)total * c->w->problem->element;
}

// The ring's plane with number `plane` of a field, `back` steps before step k.
static void ring_text(const cpu_writer *c, int field, int back, const char *plane, char *out, size_t size) {
    int depth = c->fields[field].depth;
    snprintf(out, size, "ring + %d + (k + %d) * %d + (int)(%s - p_first) %% %d * %d", c->fields[field].base,
             c->w->problem->fields[field].levels - back, depth * c->plane, plane, depth, c->plane);
}

// The first and the one behind the last number that a version of a field needs along an axis. `outside`: with the neighbours
// beyond the faces, else only nodes of the grid.
static void range_text(const cpu_writer *c, int field, int axis, bool outside, char *low, char *high, size_t size) {
    static const char *const from[] = {"p0", "r0", "c0"}, *const to[] = {"p1", "r1", "c1"};
    static const char *const length[] = {"n_planes", "n_rows", "n_columns"};
    if (periodic(c, axis)) {
        snprintf(low, size, "(%s - low_%d)", from[axis], axis);
        snprintf(high, size, "(%s + high_%d)", to[axis], axis);
    } else {
        snprintf(low, size, "max(%s - low_%d, (long)%d)", from[axis], axis, outside ? -c->fields[field].reach[axis][0] : 0);
        snprintf(high, size, "min(%s + high_%d, %s + %d)", to[axis], axis, length[axis],
                 outside ? c->fields[field].reach[axis][1] : 0);
    }
}

// A loop over j, columns counted from c0, that sets row[j] to the value of a face.
static void write_fill(const cpu_writer *c, const mst_problem_face *face, const char *low, const char *high, const char *plane,
                       const char *row) {
    char column[80];
    ADD("for (int j = (int)(%s - c0), to = (int)(%s - c0); j < to; j++) {\n", low, high);
    if (face->value.expr) {
        mst_map_text(c->w->problem, COLUMNS, false, "c0 + j", column, sizeof column);
        mst_write_place(c->w, &face->value, plane, row, "k + 1");
        mst_write_column(c->w, &face->value, column, 1);
        mst_write_formula(c->w, &face->value, 1, NULL, "value");
        ADD("row[j] = value;\n}\n");
    } else {
        ADD("row[j] = 0;\n}\n");
    }
}

// The columns outside the grid of `row`, plane p, row r.
static void write_side_columns(const cpu_writer *c, int field) {
    char low[80], high[80];
    range_text(c, field, COLUMNS, true, low, high, sizeof low);
    for (int side = 0; side < 2 && !periodic(c, COLUMNS); side++) {
        const mst_problem_face *face = face_of(c, COLUMNS, side);
        if (c->fields[field].reach[COLUMNS][side] == 0)
            continue;
        if (is_valued(face))
            write_fill(c, face, side ? "max(c0, n_columns)" : low, side ? high : "min(c1, (long)0)", "p", "r");
        else if (side == 0)
            ADD("for (int j = (int)(%s - c0); j < -c0; j++)\nrow[j] = row[(int)(-1 - j - 2 * c0)];\n", low);
        else
            ADD("for (int j = (int)(n_columns - c0), to = (int)(%s - c0); j < to; j++)\n"
                "row[j] = row[(int)(2 * (n_columns - c0) - 1 - j)];\n",
                high);
    }
}

static void write_row(const cpu_writer *c) {
    ADD("__local real *row = plane + (int)(r - r0 + %d) * %d + %d;\n", c->above, c->pitch, c->left);
}

// The rows outside the grid of `plane`, with their side columns.
static void write_side_rows(const cpu_writer *c, int field) {
    char low[80], high[80], first[80], last[80], column[80];
    range_text(c, field, ROWS, true, low, high, sizeof low);
    range_text(c, field, COLUMNS, true, first, last, sizeof first);
    for (int side = 0; side < 2 && !periodic(c, ROWS); side++) {
        const mst_problem_face *face = face_of(c, ROWS, side);
        if (c->fields[field].reach[ROWS][side] == 0)
            continue;
        ADD("for (long r = %s; r < %s; r++) {\n", side ? "max(r0, n_rows)" : low, side ? high : "min(r1, (long)0)");
        write_row(c);
        if (is_valued(face)) {
            write_fill(c, face, first, last, "p", "r");
        } else {
            mst_map_text(c->w->problem, ROWS, false, "r", column, sizeof column);
            ADD("const __local real *from_row = plane + (int)(%s - r0 + %d) * %d + %d;\n", column, c->above, c->pitch, c->left);
            ADD("for (int j = (int)(%s - c0), to = (int)(%s - c0); j < to; j++)\nrow[j] = from_row[j];\n", first, last);
        }
        ADD("}\n");
    }
}

// A plane outside the grid that has values of a face.
static void write_side_planes(const cpu_writer *c, int field, int back) {
    char low[80], high[80], first[80], last[80], plane[160], row[80];
    if (periodic(c, PLANES))
        return;
    range_text(c, field, ROWS, true, low, high, sizeof low);
    range_text(c, field, COLUMNS, true, first, last, sizeof first);
    ring_text(c, field, back, "p", plane, sizeof plane);
    for (int side = 0; side < 2; side++) {
        const mst_problem_face *face = face_of(c, PLANES, side);
        if (c->fields[field].reach[PLANES][side] == 0 || !is_valued(face))
            continue;
        if (side)
            ADD("if (p >= n_planes && p < n_planes + %d && p < p1 + high_0) {\n", c->fields[field].reach[PLANES][1]);
        else
            ADD("if (p < 0 && p >= %d && p >= p0 - low_0) {\n", -c->fields[field].reach[PLANES][0]);
        ADD("__local real *plane = %s;\nfor (long r = %s; r < %s; r++) {\n", plane, low, high);
        write_row(c);
        mst_map_text(c->w->problem, ROWS, false, "r", row, sizeof row);
        write_fill(c, face, first, last, "p", row);
        ADD("}\n}\n");
    }
}

// The part of plane p that ends in an output array, copied from the ring.
static void write_output(const cpu_writer *c, int array) {
    ADD("if (p >= p0 && p < p1)\nfor (long r = r0; r < r1; r++) {\n");
    write_row(c);
    ADD("__global real *to_row = out_%d + (wrap(p, to.s0) * to.s2 + r - to.s1) * to.s4 + c0 - to.s3;\n"
        "int j = 0;\nconst int end = (int)(c1 - c0);\n"
        "for (; j + %d <= end; j += %d)\nSTORE_GLOBAL(LOAD_LOCAL(row + j), to_row + j);\nfor (; j < end; j++)\nto_row[j] = "
        "row[j];\n}\n",
        array, c->w->width, c->w->width);
}

static void write_load(const cpu_writer *c, int array) {
    const mst_stage *v = &c->w->pipeline->versions[array];
    int field = v->field, back = -v->step - 1;
    char low[80], high[80], first[80], last[80], plane[160];
    range_text(c, field, ROWS, false, low, high, sizeof low);
    range_text(c, field, COLUMNS, false, first, last, sizeof first);
    ring_text(c, field, back, "p", plane, sizeof plane);
    ADD("__local real *plane = %s;\nfor (long r = %s, end = %s; r < end; r++) {\n", plane, low, high);
    write_row(c);
    ADD("__global const real *from_row = in_%d + (wrap(p, from.s0) * from.s2 + within(r, from.s1, from.s2)) * from.s4;\n"
        "long x = %s;\nconst long x_end = %s;\n"
        "for (; x < min(x_end, from.s3); x++)\nrow[(int)(x - c0)] = from_row[within(x, from.s3, from.s4)];\n"
        "for (; x + %d <= min(x_end, from.s3 + from.s4); x += %d)\nSTORE_LOCAL(LOAD_GLOBAL(from_row + (x - from.s3)), row + "
        "(int)(x - c0));\n"
        "for (; x < x_end; x++)\nrow[(int)(x - c0)] = from_row[within(x, from.s3, from.s4)];\n",
        array, first, last, c->w->width, c->w->width);
    write_side_columns(c, field);
    ADD("}\n");
    write_side_rows(c, field);
    if (v->output >= 0)
        write_output(c, v->output);
}

// Pointers to the rows that the formula reads, by leaf: l_i of a ring, g_i of a constant field, to column c0.
static void write_rows_read(const cpu_writer *c, int update) {
    const mst_problem *p = c->w->problem;
    const mst_formula *f = &p->updates[update].formula;
    char number[60], mapped[100], ring[200];
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        bool constant = p->fields[leaf->field].constant;
        snprintf(number, sizeof number, "p + %d", leaf->offsets[PLANES]);
        mst_map_text(c->w->problem, PLANES, constant, number, mapped, sizeof mapped);
        if (!constant) {
            ring_text(c, leaf->field, leaf->level + !mst_problem_is_newer(p, leaf->field, update), mapped, ring, sizeof ring);
            ADD("const __local real *l_%zu = %s + (int)(r + %d - r0 + %d) * %d + %d;\n", i, ring, leaf->offsets[ROWS], c->above,
                c->pitch, c->left + leaf->offsets[COLUMNS]);
            continue;
        }
        ADD("__global const real *g_%zu = fixed_%d + (wrap(%s, held.s0) * held.s2", i, p->fields[leaf->field].array, mapped);
        snprintf(number, sizeof number, "r + %d", leaf->offsets[ROWS]);
        mst_map_text(c->w->problem, ROWS, true, number, mapped, sizeof mapped);
        ADD(" + within(%s, held.s1, held.s2)) * held.s4 + c0 - held.s3;\n", mapped);
    }
}

// One vector or number of a row.
static void write_value(const cpu_writer *c, const mst_formula *f, int width) {
    char texts[MST_STENCIL_MAX_LEAVES][96], mapped[100], number[60];
    static const char *const names[] = {"p", "r", "c0 + j"};
    mst_write_column(c->w, f, "c0 + j", width);
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        if (!c->w->problem->fields[leaf->field].constant) {
            snprintf(texts[i], sizeof texts[i], width > 1 ? "LOAD_LOCAL(l_%zu + j)" : "l_%zu[j]", i);
        } else if (width > 1) {
            snprintf(texts[i], sizeof texts[i], "LOAD_GLOBAL(g_%zu + j + %d)", i, leaf->offsets[COLUMNS]);
        } else {
            snprintf(number, sizeof number, "c0 + j + %d", leaf->offsets[COLUMNS]);
            mst_map_text(c->w->problem, COLUMNS, true, number, mapped, sizeof mapped);
            ADD("const real f_%zu = g_%zu[within(%s, held.s3, held.s4) - c0 + held.s3];\n", i, i, mapped);
            snprintf(texts[i], sizeof texts[i], "f_%zu", i);
        }
    }
    mst_write_formula(c->w, f, width, texts, "value");
    ADD(width > 1 ? "STORE_LOCAL(value" : "row[j] = value");
    for (int axis = 0; axis < N_AXES; axis++)
        if (mst_problem_is_damped(c->w->problem, axis)) {
            const char *base = axis == PLANES ? "" : axis == ROWS ? " + n_planes" : " + n_planes + n_rows";
            if (axis == COLUMNS && width > 1)
                ADD(" * LOAD_GLOBAL(damping%s + %s)", base, names[axis]);
            else
                ADD(" * damping[%s%s]", names[axis], base);
        }
    ADD(width > 1 ? ", row + j);\n" : ";\n");
}

static bool reads_constants(const cpu_writer *c, const mst_formula *f) {
    for (size_t i = 0; i < f->n_leaves; i++)
        if (f->leaves[i].kind == MST_VALUE_FIELD && c->w->problem->fields[f->leaves[i].field].constant)
            return true;
    return false;
}

// What sources add to the plane, and what receivers get of it.
static void write_points(const cpu_writer *c, int field) {
    const mst_writer *w = c->w;
    const size_t *s = &w->sources.first[field], *g = &w->receivers.first[field];
    char r_low[80], r_high[80], c_low[80], c_high[80], element[160];
    snprintf(element, sizeof element, "plane[(int)(r - r0 + %d) * %d + %d + (int)(x - c0)]", c->above, c->pitch, c->left);
    range_text(c, field, ROWS, false, r_low, r_high, sizeof r_low);
    range_text(c, field, COLUMNS, false, c_low, c_high, sizeof c_low);
    if (s[1] > s[0]) {
        ADD("for (long q = wrap(p, n_planes), i = first_point(points, %zu, %zu, q); i < %zu && points[i].s0 == q; i++)\n", s[0],
            s[1], s[1]);
        // Every image of the point in the periodic surroundings of the tile.
        ADD("for (long r = points[i].s1%s; r < %s; r += n_rows)\nfor (long x = points[i].s2%s; x < %s; x += n_columns)\n",
            periodic(c, ROWS) ? " - n_rows * ((points[i].s1 - r0 + 64 * 64) / n_rows)" : "", r_high,
            periodic(c, COLUMNS) ? " - n_columns * ((points[i].s2 - c0 + 64 * 64) / n_columns)" : "", c_high);
        ADD("if (r >= %s && x >= %s)\n%s += table[(more.s7 + k + 1) * %zu + 1 + points[i].s3];\n", r_low, c_low, element,
            w->problem->n_sources + 1);
    }
    if (g[1] > g[0])
        ADD("if (p >= p0 && p < p1)\nfor (long i = first_point(points, %zu, %zu, p); i < %zu && points[i].s0 == p; i++) {\n"
            "const long r = points[i].s1, x = points[i].s2;\nif (r >= r0 && r < r1 && x >= c0 && x < c1)\n"
            "records[(more.s7 + k) * %zu + points[i].s3] = %s;\n}\n",
            g[0], g[1], g[1], w->problem->n_points, element);
}

static void write_row_of_values(const cpu_writer *c, int update, const char *first, const char *last) {
    const mst_formula *f = &c->w->problem->updates[update].formula;
    write_row(c);
    write_rows_read(c, update);
    mst_write_place(c->w, f, "p", "r", "k");
    ADD("int j = (int)(%s - c0);\nconst int end = (int)(%s - c0);\n", first, last);
    if (reads_constants(c, f)) {
        int margin = MST_STENCIL_MAX_RADIUS;
        ADD("const int vector_end = min(end, (int)(held.s3 + held.s4 - c0 - %d));\n"
            "for (const int begin = min(end, (int)(held.s3 - c0 + %d)); j < begin; j++) {\n",
            margin, margin);
        write_value(c, f, 1);
        ADD("}\n");
    } else {
        // Rows of the ring have room for a last vector beyond the end.
        bool over = !mst_problem_is_damped(c->w->problem, COLUMNS);
        ADD("const int vector_end = end + %d;\n", over ? c->w->width - 1 : 0);
    }
    ADD("for (; j + %d <= vector_end; j += %d) {\n", c->w->width, c->w->width);
    write_value(c, f, c->w->width);
    ADD("}\nfor (; j < end; j++) {\n");
    write_value(c, f, 1);
    ADD("}\n");
}

static void write_update(const cpu_writer *c, int update) {
    const mst_problem *p = c->w->problem;
    int field = p->updates[update].field, array = p->fields[field].array, m = c->w->pipeline->m;
    char low[80], high[80], first[80], last[80], plane[160];
    range_text(c, field, ROWS, false, low, high, sizeof low);
    range_text(c, field, COLUMNS, false, first, last, sizeof first);
    ring_text(c, field, 0, "p", plane, sizeof plane);
    ADD("__local real *plane = %s;\nfor (long r = %s, r_end = %s; r < r_end; r++) {\n", plane, low, high);
    write_row_of_values(c, update, first, last);
    ADD("}\n");
    write_points(c, field);
    ADD("for (long r = %s, r_end = %s; r < r_end; r++) {\n", low, high);
    write_row(c);
    write_side_columns(c, field);
    ADD("}\n");
    write_side_rows(c, field);
    ADD("if (k == %d) {\n", m - 1);
    write_output(c, array);
    ADD("}\n");
    if (p->fields[field].levels == 2 && m > 1) {
        ADD("if (k == %d) {\n", m - 2);
        write_output(c, array + 1);
        ADD("}\n");
    }
}

// lag, low_0, high_0, .. of the versions that an update writes, by step.
static void write_needs(const cpu_writer *c, int update) {
    const mst_pipeline *p = c->w->pipeline;
    mst_text_add(c->w->out, "__constant int needs_%d[] = {", update);
    for (int k = 0; k < p->m; k++) {
        const mst_stage *v = &p->versions[p->problem->n_arrays + k * p->problem->n_updates + update];
        mst_text_add(c->w->out, "%d, %d, %d, %d, %d, %d, %d, ", v->lag, v->low[0], v->high[0], v->low[1], v->high[1], v->low[2],
                     v->high[2]);
    }
    mst_text_add(c->w->out, "};\n");
}

static void write_loads(const cpu_writer *c) {
    for (int a = 0; a < c->w->problem->n_arrays; a++) {
        const mst_stage *v = &c->w->pipeline->versions[a];
        char low[80], high[80];
        if (v->depth == 0)
            continue;
        range_text(c, v->field, PLANES, false, low, high, sizeof low);
        ADD("{\nconst int k = -1; // %s\nconst long p = i - %d;\nconst int low_0 = %d, high_0 = %d, low_1 = %d, high_1 = %d, "
            "low_2 = %d, high_2 = %d;\nif (p >= %s && p < %s) {\n",
            c->w->problem->fields[v->field].name, v->lag, v->low[0], v->high[0], v->low[1], v->high[1], v->low[2], v->high[2],
            low, high);
        write_load(c, a);
        ADD("}\n");
        write_side_planes(c, v->field, -v->step - 1);
        ADD("}\n");
    }
}

static void write_steps(const cpu_writer *c) {
    ADD("for (int k = 0; k < %d; k++) {\n", c->w->pipeline->m);
    for (int u = 0; u < c->w->problem->n_updates; u++) {
        int field = c->w->problem->updates[u].field;
        char low[80], high[80];
        range_text(c, field, PLANES, false, low, high, sizeof low);
        ADD("{\n__constant const int *needs = needs_%d + 7 * k; // %s\nconst long p = i - needs[0];\n"
            "const int low_0 = needs[1], high_0 = needs[2], low_1 = needs[3], high_1 = needs[4], low_2 = needs[5], high_2 = "
            "needs[6];\nif (p >= %s && p < %s) {\n",
            u, c->w->problem->fields[field].name, low, high);
        write_update(c, u);
        ADD("}\n");
        write_side_planes(c, field, 0);
        ADD("}\n");
    }
    ADD("}\n");
}

void mst_write_cpu(mst_writer *writer) {
    cpu_writer state = {.w = writer};
    const mst_pipeline *p = writer->pipeline;
    int first = 0, last = 0;
    for (int k = 0; k < p->n_versions; k++) {
        const mst_stage *v = &p->versions[k];
        first = v->lag - v->low[PLANES] < first ? v->lag - v->low[PLANES] : first;
        last = larger(last, v->lag + v->high[PLANES]);
    }
    for (int u = 0; u < p->problem->n_updates; u++)
        write_needs(&state, u);
    mst_write_helpers(writer);
    mst_write_start(writer, "advance", 1);
    lay_out_rings(&state);
    mst_text_add(writer->out, "for (long i = p0 + %d; i < p1 + %d; i++) {\n", first, last);
    write_loads(&state);
    write_steps(&state);
    mst_text_add(writer->out, "}\n}\n");
}
