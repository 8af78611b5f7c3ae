// CPU-shaped kernels: one work-item takes a tile of rows and columns through a strip of planes. The planes of each version that
// are still needed lie in a ring of local memory, which is the cache there; a plane is computed with vectors along the columns,
// and its neighbours outside the grid are written beside it, so that no inner loop knows of boundaries. Compilers take long for
// the same code again and again, so there is one loop over all versions, with tables of what differs between them; only the
// updates' expressions are written out. The same kernel does m steps and one: it has the tables of both, and more.s3 is 1 for
// one.
#include "boundary.h"
#include "rings.h"
#include "write.h"

#include <stdio.h>

typedef struct cpu_writer {
    const mst_writer *w;
    mst_stencil_rings rings;
} cpu_writer;

#define ADD(...) mst_text_add(c->w->out, __VA_ARGS__)

static bool periodic(const cpu_writer *c, int axis) { return mst_problem_periodic(c->w->problem, axis); }
static const mst_problem_boundary *face_of(const cpu_writer *c, int axis, int side) {
    return &c->w->problem->boundaries[axis][side];
}

// The ring's plane with number `plane` of a field, `back` steps before step k.
static void ring_text(const cpu_writer *c, int field, int back, const char *plane, char *out, size_t size) {
    int depth = c->rings.fields[field].depth;
    snprintf(out, size, "ring + %zu + (k + %d) * %d + (int)(%s - p_first) %% %d * %d", c->rings.fields[field].base,
             c->w->problem->fields[field].levels - back, depth * c->rings.plane, plane, depth, c->rings.plane);
}

// The first and the one behind the last number that the version needs along an axis. `outside`: with the neighbours beyond the
// faces, else only nodes of the grid.
static void range_text(const cpu_writer *c, int axis, bool outside, char *low, char *high, size_t size) {
    static const char *const from[] = {"p0", "r0", "c0"}, *const to[] = {"p1", "r1", "c1"};
    static const char *const length[] = {"n_planes", "n_rows", "n_columns"};
    if (periodic(c, axis)) {
        snprintf(low, size, "(%s - low_%d)", from[axis], axis);
        snprintf(high, size, "(%s + high_%d)", to[axis], axis);
    } else if (outside) {
        snprintf(low, size, "max(%s - low_%d, (long)-before_%d)", from[axis], axis, axis);
        snprintf(high, size, "min(%s + high_%d, %s + behind_%d)", to[axis], axis, length[axis], axis);
    } else {
        snprintf(low, size, "max(%s - low_%d, (long)0)", from[axis], axis);
        snprintf(high, size, "min(%s + high_%d, %s)", to[axis], axis, length[axis]);
    }
}

// A loop over j, columns counted from c0, that sets row[j] to the value of a face.
static void write_fill(const cpu_writer *c, const mst_problem_boundary *face, const char *low, const char *high,
                       const char *plane, const char *row) {
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

static void write_row(const cpu_writer *c) {
    ADD("__local real *row = plane + (int)(r - r0 + %d) * %d + %d;\n", c->rings.above, c->rings.pitch, c->rings.left);
}

// The columns outside the grid of the plane's rows.
static void write_side_columns(const cpu_writer *c) {
    char low[80], high[80], first[80], last[80];
    if (periodic(c, COLUMNS))
        return;
    range_text(c, ROWS, false, low, high, sizeof low);
    range_text(c, COLUMNS, true, first, last, sizeof first);
    ADD("if (c0 - low_2 < 0 || c1 + high_2 > n_columns)\nfor (long r = %s, r_end = %s; r < r_end; r++) {\n", low, high);
    write_row(c);
    for (int side = 0; side < 2; side++) {
        const mst_problem_boundary *face = face_of(c, COLUMNS, side);
        if (mst_boundary_is_valued(face))
            write_fill(c, face, side ? "max(c0, n_columns)" : first, side ? last : "min(c1, (long)0)", "p", "r");
        else if (side == 0)
            ADD("for (int j = (int)(%s - c0); j < -c0; j++)\nrow[j] = row[(int)(-1 - j - 2 * c0)];\n", first);
        else
            ADD("for (int j = (int)(n_columns - c0), to = (int)(%s - c0); j < to; j++)\n"
                "row[j] = row[(int)(2 * (n_columns - c0) - 1 - j)];\n",
                last);
    }
    ADD("}\n");
}

// The rows outside the grid of the plane, with their side columns.
static void write_side_rows(const cpu_writer *c) {
    char low[80], high[80], first[80], last[80], column[80];
    range_text(c, ROWS, true, low, high, sizeof low);
    range_text(c, COLUMNS, true, first, last, sizeof first);
    for (int side = 0; side < 2 && !periodic(c, ROWS) && c->w->problem->rank == 3; side++) {
        const mst_problem_boundary *face = face_of(c, ROWS, side);
        ADD("for (long r = %s; r < %s; r++) {\n", side ? "max(r0, n_rows)" : low, side ? high : "min(r1, (long)0)");
        write_row(c);
        if (mst_boundary_is_valued(face)) {
            write_fill(c, face, first, last, "p", "r");
        } else {
            mst_map_text(c->w->problem, ROWS, false, "r", column, sizeof column);
            ADD("const __local real *from_row = plane + (int)(%s - r0 + %d) * %d + %d;\n", column, c->rings.above, c->rings.pitch,
                c->rings.left);
            ADD("for (int j = (int)(%s - c0), to = (int)(%s - c0); j < to; j++)\nrow[j] = from_row[j];\n", first, last);
        }
        ADD("}\n");
    }
}

// The plane, if it lies outside the grid and has values of a face.
static void write_side_planes(const cpu_writer *c) {
    char low[80], high[80], first[80], last[80], row[80];
    range_text(c, ROWS, true, low, high, sizeof low);
    range_text(c, COLUMNS, true, first, last, sizeof first);
    for (int side = 0; side < 2 && !periodic(c, PLANES) && c->w->problem->rank > 1; side++) {
        const mst_problem_boundary *face = face_of(c, PLANES, side);
        if (!mst_boundary_is_valued(face))
            continue;
        ADD(side ? "if (p >= n_planes && p < n_planes + behind_0 && p < p1 + high_0)\n"
                 : "if (p < 0 && p >= -before_0 && p >= p0 - low_0)\n");
        ADD("for (long r = %s; r < %s; r++) {\n", low, high);
        write_row(c);
        mst_map_text(c->w->problem, ROWS, false, "r", row, sizeof row);
        write_fill(c, face, first, last, "p", row);
        ADD("}\n");
    }
}

// The part of the plane that ends in an output array, copied from the ring.
static void write_output(const cpu_writer *c) {
    ADD("if (output >= 0 && p >= p0 && p < p1)\nfor (long r = r0; r < r1; r++) {\n");
    write_row(c);
    ADD("__global real *to_row = outputs[output] + (wrap(p - to.s5, to.s0) * to.s2 + r - to.s1) * to.s4 + c0 - to.s3;\n"
        "int j = 0;\nconst int end = (int)(c1 - c0);\n"
        "for (; j + %d <= end; j += %d)\nSTORE_GLOBAL(LOAD_LOCAL(row + j), to_row + j);\nfor (; j < end; j++)\nto_row[j] = "
        "row[j];\n}\n",
        c->w->tile->width, c->w->tile->width);
}

// A row of an input.
static void write_load(const cpu_writer *c, const char *first, const char *last) {
    ADD("__global const real *from_row = inputs[what] + (wrap(p - from.s5, from.s0) * from.s2 + within(r, from.s1, from.s2)) * "
        "from.s4;\n"
        "long x = %s;\nconst long x_end = %s;\n"
        "for (; x < min(x_end, from.s3); x++)\nrow[(int)(x - c0)] = from_row[within(x, from.s3, from.s4)];\n"
        "for (; x + %d <= min(x_end, from.s3 + from.s4); x += %d)\nSTORE_LOCAL(LOAD_GLOBAL(from_row + (x - from.s3)), row + "
        "(int)(x - c0));\n"
        "for (; x < x_end; x++)\nrow[(int)(x - c0)] = from_row[within(x, from.s3, from.s4)];\n",
        first, last, c->w->tile->width, c->w->tile->width);
}

// Pointers to the rows that the formula reads, by leaf: l_i of a ring, g_i of a coefficient field, to column c0.
static void write_rows_read(const cpu_writer *c, int update) {
    const mst_problem *p = c->w->problem;
    const mst_formula *f = &p->updates[update].formula;
    char number[60], mapped[100], ring[200];
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        bool constant = p->fields[leaf->field].coefficient;
        snprintf(number, sizeof number, "p + %d", leaf->offsets[PLANES]);
        mst_map_text(c->w->problem, PLANES, constant, number, mapped, sizeof mapped);
        if (!constant) {
            ring_text(c, leaf->field, leaf->level + !mst_problem_is_newer(p, leaf->field, update), mapped, ring, sizeof ring);
            ADD("const __local real *l_%zu = %s + (int)(r + %d - r0 + %d) * %d + %d;\n", i, ring, leaf->offsets[ROWS],
                c->rings.above, c->rings.pitch, c->rings.left + leaf->offsets[COLUMNS]);
            continue;
        }
        ADD("__global const real *g_%zu = fixed_%d + (wrap(%s - held.s5, held.s0) * held.s2", i, p->fields[leaf->field].array,
            mapped);
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
        if (!c->w->problem->fields[leaf->field].coefficient) {
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
        if (f->leaves[i].kind == MST_VALUE_FIELD && c->w->problem->fields[f->leaves[i].field].coefficient)
            return true;
    return false;
}

// What sources add to the plane, and what receivers get of it.
static void write_points(const cpu_writer *c) {
    const mst_problem *p = c->w->problem;
    char r_low[80], r_high[80], c_low[80], c_high[80], element[160];
    if (p->n_sources + p->n_points == 0)
        return;
    snprintf(element, sizeof element, "plane[(int)(r - r0 + %d) * %d + %d + (int)(x - c0)]", c->rings.above, c->rings.pitch,
             c->rings.left);
    range_text(c, ROWS, false, r_low, r_high, sizeof r_low);
    range_text(c, COLUMNS, false, c_low, c_high, sizeof c_low);
    ADD("if (what >= %d) {\n__constant const long *of = points_of + 4 * version[1];\n", p->n_arrays);
    if (p->n_sources > 0) {
        ADD("if (of[1] > of[0])\nfor (long q = wrap(p, n_planes), i = first_point(points, of[0], of[1], q); i < of[1] && "
            "points[i].s0 == q; i++)\n");
        // Every image of the point in the periodic surroundings of the tile.
        ADD("for (long r = points[i].s1%s; r < %s; r += n_rows)\nfor (long x = points[i].s2%s; x < %s; x += n_columns)\n",
            periodic(c, ROWS) ? " - n_rows * ((points[i].s1 - r0 + 64 * 64) / n_rows)" : "", r_high,
            periodic(c, COLUMNS) ? " - n_columns * ((points[i].s2 - c0 + 64 * 64) / n_columns)" : "", c_high);
        ADD("if (r >= %s && x >= %s)\n%s += table[(more.s7 + k + 1) * %zu + 1 + points[i].s3];\n", r_low, c_low, element,
            p->n_sources + 1);
    }
    if (p->n_points > 0)
        ADD("if (of[3] > of[2] && p >= p0 && p < p1)\nfor (long i = first_point(points, of[2], of[3], p); i < of[3] && "
            "points[i].s0 == p; i++) {\n"
            "const long r = points[i].s1, x = points[i].s2;\nif (r >= r0 && r < r1 && x >= c0 && x < c1)\n"
            "records[(more.s7 + k) * %zu + points[i].s3] = %s;\n}\n",
            p->n_points, element);
    ADD("}\n");
}

static void write_row_of_values(const cpu_writer *c, int update, const char *first, const char *last) {
    const mst_formula *f = &c->w->problem->updates[update].formula;
    int width = c->w->tile->width, margin = MST_STENCIL_MAX_RADIUS;
    write_rows_read(c, update);
    mst_write_place(c->w, f, "p", "r", "k");
    ADD("int j = (int)(%s - c0);\nconst int end = (int)(%s - c0);\n", first, last);
    if (!reads_constants(c, f)) { // rows of the ring have room for a last vector beyond the end
        ADD("for (; j < end; j += %d) {\n", width);
        write_value(c, f, width);
        ADD("}\n");
        return;
    }
    ADD("const int begin = min(end, (int)(held.s3 - c0 + %d)), vector_end = min(end, (int)(held.s3 + held.s4 - c0 - %d));\n"
        "for (int stop = begin;; stop = end) { // the same code before and behind the vectors\nfor (; j < stop; j++) {\n",
        margin, margin);
    write_value(c, f, 1);
    ADD("}\nif (j >= end)\nbreak;\nfor (; j + %d <= vector_end; j += %d) {\n", width, width);
    write_value(c, f, width);
    ADD("}\n}\n");
}

// Everything of a version in plane p.
static void write_version(const cpu_writer *c) {
    const mst_problem *p = c->w->problem;
    char low[80], high[80], first[80], last[80];
    range_text(c, PLANES, false, low, high, sizeof low);
    ADD("if (p >= %s && p < %s) {\n", low, high);
    range_text(c, ROWS, false, low, high, sizeof low);
    range_text(c, COLUMNS, false, first, last, sizeof first);
    ADD("for (long r = %s, r_end = %s; r < r_end; r++) {\n", low, high);
    write_row(c);
    ADD("if (what < %d) {\n", p->n_arrays);
    write_load(c, first, last);
    for (int u = 0; u < p->n_updates; u++) {
        ADD("} else if (what == %d) { // %s\n", p->n_arrays + u, p->fields[p->updates[u].field].name);
        write_row_of_values(c, u, first, last);
    }
    ADD("}\n}\n");
    write_points(c);
    write_side_columns(c);
    write_side_rows(c);
    write_output(c);
    ADD("}\n");
    write_side_planes(c);
}

// A row of the table of versions: what (an array to load, or n_arrays + an update), field, step, output, lag, low, high, ..
// Returns their number.
static int write_rows_of_table(const cpu_writer *c, const mst_pipeline *p) {
    int n = 0;
    for (int k = 0; k < p->n_versions; k++) {
        const mst_stage *v = &p->versions[k];
        if (v->update < 0 && v->depth == 0)
            continue;
        ADD("%d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d,\n", v->update < 0 ? k : p->problem->n_arrays + v->update, v->field,
            v->step, v->output, v->lag, v->low[0], v->high[0], v->low[1], v->high[1], v->low[2], v->high[2]);
        n++;
    }
    return n;
}

// Tables: of versions; of fields: base, steps, depth, before and behind along each axis; of points: sources, receivers.
static void write_tables(const cpu_writer *c, int n_versions[2]) {
    const mst_problem *p = c->w->problem;
    ADD("__constant int versions[] = {\n");
    n_versions[0] = write_rows_of_table(c, c->w->pipeline);
    n_versions[1] = write_rows_of_table(c, c->w->single);
    ADD("};\n__constant int fields[] = {\n");
    for (int f = 0; f < p->n_fields; f++) {
        ADD("%zu, %d, %d, ", c->rings.fields[f].base, p->fields[f].levels, c->rings.fields[f].depth);
        for (int i = 0; i < 2 * N_AXES; i++)
            ADD("%d, ", c->rings.fields[f].reach[i / 2][i % 2]);
        ADD("\n");
    }
    ADD("};\n__constant long points_of[] = {\n");
    for (int f = 0; f < p->n_fields; f++)
        ADD("%zu, %zu, %zu, %zu,\n", c->w->sources.first[f], c->w->sources.first[f + 1], c->w->receivers.first[f],
            c->w->receivers.first[f + 1]);
    ADD("};\n");
}

void mst_write_cpu(const mst_writer *writer) {
    const mst_tile *t = writer->tile;
    const cpu_writer state = {.w = writer, .rings = mst_rings_make(writer->pipeline, t->own[ROWS], t->own[COLUMNS], t->width)};
    const cpu_writer *c = &state;
    const mst_problem *p = writer->problem;
    int first[2], last[2], n[2];
    mst_tile_iterations(writer->pipeline, &first[0], &last[0]);
    mst_tile_iterations(writer->single, &first[1], &last[1]);
    write_tables(c, n);
    mst_write_helpers(writer);
    mst_write_start(writer, "advance", 1, "get_group_id(0)");
    ADD("__local real ring[%zu] __attribute__((aligned(64)));\nconst long p_first = p0 - %d;\n", c->rings.elements,
        writer->pipeline->low[PLANES] + MST_STENCIL_MAX_RADIUS);
    ADD("__global const real *inputs[] = {");
    for (int a = 0; a < p->n_arrays; a++)
        ADD("in_%d, ", a);
    ADD("};\n__global real *outputs[] = {");
    for (int a = 0; a < p->n_arrays; a++)
        ADD("out_%d, ", a);
    ADD("};\nconst int single = (int)more.s3, begin = single ? %d : 0, end = single ? %d : %d;\n"
        "const long first = p0 + (single ? %d : %d), last = p1 + (single ? %d : %d);\n",
        n[0], n[0] + n[1], n[0], first[1], first[0], last[1], last[0]);
    ADD("for (long i = first; i < last; i++)\nfor (int v = begin; v < end; v++) {\n"
        "__constant const int *version = versions + 11 * v, *field = fields + 9 * version[1];\n"
        "const int what = version[0], k = version[2], output = version[3], low_0 = version[5], high_0 = version[6], "
        "low_1 = version[7], high_1 = version[8], low_2 = version[9], high_2 = version[10];\n"
        "const int before_0 = field[3], behind_0 = field[4], before_1 = field[5], behind_1 = field[6], before_2 = field[7], "
        "behind_2 = field[8];\nconst long p = i - version[4];\n"
        "__local real *plane = ring + field[0] + ((k + field[1]) * field[2] + (int)(p - p_first) %% field[2]) * %d;\n",
        c->rings.plane);
    write_version(c);
    ADD("}\n}\n");
}
