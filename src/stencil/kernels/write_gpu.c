// GPU-shaped kernels: a work-group takes a tile of rows and columns, a block of them a work-item, through a strip of planes.
// Each work-item keeps the last planes of its own nodes of every version in registers (q_version_age_row, vectors of columns);
// neighbours beyond its block come from lines in local memory, where the work-items put the nodes that others read once their
// plane is a plane old, so there is one barrier a plane (two where local memory does not hold the lines twice). What a tile
// computes beyond what it owns goes wrong from its edge inwards, a radius a step, and is not stored.
//
// The kernel `inner` does plain tiles (write_gpu_choice.c); `advance`, with all the care, does the others, in shorter parts of
// strips, as they are slow and few. They load a plane ahead, and update all versions in all iterations, also beyond the
// planes that are needed: what comes of it is not read.
#include "write_gpu.h"
#include "boundary.h"

#include <stdio.h>

#define ADD(...) mst_text_add(g->w->out, __VA_ARGS__)

// Whether nodes of the work-item lie beyond faces (or the seam of a periodic axis), and masks of its columns.
static void write_masks(const mst_gpu_writer *g) {
    const char *type = g->w->problem->is_double ? "long" : "int";
    ADD("const bool outside = top < 0 || top + %d > n_rows || column < 0 || column + %d > n_columns;\n", g->deep, g->width);
    if (g->width > 1)
        ADD("typedef %s%d vmask;\nconst vlong columns = (vlong)(column) + LANES;\n"
            "const vmask before = convert_%s%d(columns < 0), behind = convert_%s%d(columns >= n_columns);\n",
            type, g->width, type, g->width, type, g->width);
    else
        ADD("typedef int vmask;\nconst vmask before = column < 0, behind = column >= n_columns;\n");
}

static void write_face(const mst_gpu_writer *g, int axis, int side, int step) {
    static const char *const where[N_AXES][2] = {{"p < 0", "p >= n_planes"}, {"row < 0", "row >= n_rows"}, {"before", "behind"}};
    const mst_problem_boundary *face = &g->w->problem->boundaries[axis][side];
    char at[80], time[20];
    if (!mst_boundary_is_valued(face) || (axis == ROWS && g->w->problem->rank < 3) || (axis == PLANES && g->w->problem->rank < 2))
        return;
    mst_map_text(g->w->problem, ROWS, false, "row", at, sizeof at);
    snprintf(time, sizeof time, "%d", step + 1);
    ADD(axis == COLUMNS ? "{\n" : "if (%s) {\n", where[axis][side]);
    if (face->value.expr) {
        mst_write_place(g->w, &face->value, "p", axis == ROWS ? "row" : at, time);
        mst_write_column(g->w, &face->value, "column", g->width);
        mst_write_formula(g->w, &face->value, g->width, NULL, "outer");
    } else {
        ADD("const vreal outer = 0;\n");
    }
    ADD(axis == COLUMNS ? "value = %s ? outer : value;\n}\n" : "value = outer;\n}\n", where[axis][side]);
}

// Replaces `value` where plane p, the row or columns lie beyond faces that have values; the slowest axis counts.
static void write_faces(const mst_gpu_writer *g, int step) {
    ADD("if (outside) {\n");
    for (int axis = COLUMNS; axis >= PLANES; axis--) {
        if (axis == PLANES)
            ADD("}\n");
        write_face(g, axis, 0, step);
        write_face(g, axis, 1, step);
    }
}

// Makes `value` the newest plane of a version, number p; planes beyond mirroring faces follow from those inside.
static void write_push(const mst_gpu_writer *g, int version, int row) {
    const mst_problem_boundary *face = g->w->problem->boundaries[PLANES];
    int n = mst_exchange_registers(&g->exchange, version);
    for (int k = n - 1; k > 0; k--)
        ADD("q_%d_%d_%d = q_%d_%d_%d;\n", version, k, row, version, k - 1, row);
    ADD("q_%d_0_%d = value;\n", version, row);
    if (!g->border)
        return;
    for (int k = 0; face[0].kind == MST_BOUNDARY_NEUMANN && 2 * k + 1 < n; k++)
        ADD("if (p == %d)\nq_%d_%d_%d = q_%d_0_%d;\n", k, version, 2 * k + 1, row, version, row);
    for (int k = 0; face[1].kind == MST_BOUNDARY_NEUMANN && 2 * k + 1 < n; k++)
        ADD("if (p == n_planes + %d)\nq_%d_0_%d = q_%d_%d_%d;\n", k, version, row, version, 2 * k + 1, row);
}

// Where an output's next plane goes: `target`, with `room` planes to the end of the window.
static void write_targets(const mst_gpu_writer *g) {
    ADD("const bool owned = column >= c0 && column < c1, whole = owned && column + %d <= c1 && to.s4 %% %d == 0 && (column - "
        "to.s3) "
        "%% %d == 0;\n",
        g->width, g->width, g->width);
    for (int a = 0; a < g->w->problem->n_arrays; a++)
        ADD("long room_%d = wrap(part_0 - to.s5, to.s0), target_%d = (room_%d * to.s2 + top - to.s1) * to.s4 + column - to.s3;\n"
            "room_%d = to.s0 - room_%d;\n",
            a, a, a, a, a);
}

static void write_store(const mst_gpu_writer *g, const mst_stage *v, int row) {
    char lane[8];
    if (v->output < 0)
        return;
    ADD("if (i >= %d && i < n + %d && row >= r0 && row < r1) {\n__global real *target = out_%d + target_%d + %d * to.s4;\n",
        v->lag, v->lag, v->output, v->output, row);
    if (g->width > 1) {
        ADD("if (whole)\n*(__global vreal *)target = value;\nelse if (owned) {\n");
        for (int k = 0; k < g->width; k++) {
            mst_gpu_lane_text(g, k, lane, sizeof lane);
            ADD("if (column + %d < c1)\ntarget[%d] = value%s;\n", k, k, lane);
        }
        ADD("}\n}\n");
    } else {
        ADD("if (owned)\n*target = value;\n}\n");
    }
}

static void write_next_target(const mst_gpu_writer *g, const mst_stage *v) {
    if (v->output >= 0)
        ADD("if (i >= %d) {\ntarget_%d += to.s2 * to.s4;\nif (--room_%d == 0) {\nroom_%d = to.s0;\ntarget_%d -= to.s0 * to.s2 * "
            "to.s4;\n}\n}\n",
            v->lag, v->output, v->output, v->output, v->output);
}

// A row of an input at the grid's edge, lane by lane. What is read beyond the grid does not count.
static void write_edge_row(const mst_gpu_writer *g, int array, int row) {
    char lane[8];
    for (int k = 0; k < g->width; k++) {
        mst_gpu_lane_text(g, k, lane, sizeof lane);
        ADD("next_%d_%d%s = in_%d[above + along_%d + across_%d];\n", array, row, lane, array, row, k);
    }
}

// Loads the plane that begins at `above` of all inputs, for the next iteration. The mask changes nothing; without it compilers
// see that both kinds of rows are loaded from one place, and make of them a load a column.
static void write_ahead(const mst_gpu_writer *g) {
    const int n = g->w->problem->n_arrays;
    ADD(g->border ? "if (easy) {\n" : "{\n");
    ADD("if (from_aligned) {\n");
    for (int k = 0; k < n; k++) {
        ADD("__global const vreal *source_%d = (__global const vreal *)(in_%d + ((above + beside) & -%d));\n", k, k, g->width);
        for (int r = 0; r < g->deep; r++)
            ADD("next_%d_%d = source_%d[%d * from_vectors];\n", k, r, k, r);
    }
    ADD("} else {\n");
    for (int k = 0; k < n; k++)
        for (int r = 0; r < g->deep; r++)
            ADD("next_%d_%d = LOAD_GLOBAL(in_%d + above + beside + %d * from.s4);\n", k, r, k, r);
    ADD("}\n}\n");
    if (!g->border)
        return;
    ADD("else {\n");
    for (int k = 0; k < g->w->problem->n_arrays; k++)
        for (int r = 0; r < g->deep; r++)
            write_edge_row(g, k, r);
    ADD("}\n");
}

static void write_first_ahead(const mst_gpu_writer *g) {
    char place[160] = "(top - from.s1) * from.s4 + column - from.s3";
    if (!g->border) // work-items beyond the window read what is not used
        snprintf(place, sizeof place,
                 "clamp(top - from.s1, (long)0, from.s2 - %d) * from.s4 + clamp(column - from.s3, (long)0, from.s4 - %d)",
                 g->deep, g->width);
    ADD("const long from_vectors = from.s4 / %d;\nconst bool from_aligned = from.s4 %% %d == 0 && (column - from.s3) %% %d == "
        "0;\n"
        "long after = wrap(part_0 + %d - from.s5, from.s0), above = after * from.s2 * from.s4;\nafter = from.s0 - after;\n"
        "const long beside = %s;\n",
        g->width, g->width, g->width, g->first, place);
    for (int r = 0; g->border && r < g->deep; r++)
        ADD("const long along_%d = within(top + %d, from.s1, from.s2) * from.s4;\n", r, r);
    for (int k = 0; g->border && k < g->width; k++)
        ADD("const long across_%d = within(column + %d, from.s3, from.s4);\n", k, k);
    if (g->border)
        ADD("const bool easy = !outside && top >= from.s1 && top + %d <= from.s1 + from.s2 && column >= from.s3 && column + %d "
            "<= "
            "from.s3 + from.s4;\n",
            g->deep, g->width);
    for (int k = 0; k < g->w->problem->n_arrays; k++)
        for (int r = 0; r < g->deep; r++)
            ADD("vreal next_%d_%d;\n", k, r);
    write_ahead(g);
}

static void write_next_ahead(const mst_gpu_writer *g) {
    ADD("if (i + 1 < n + %d) {\nabove += from.s2 * from.s4;\nif (--after == 0) {\nafter = from.s0;\nabove = 0;\n}\n",
        g->w->pipeline->high[PLANES]);
    write_ahead(g);
    ADD("}\n");
}

// A plane of an input.
static void write_load(const mst_gpu_writer *g, int version) {
    const mst_stage *v = &g->w->pipeline->versions[version];
    ADD("{ // %s\nconst long p = part_0 + i;\n", g->w->problem->fields[v->field].name);
    for (int r = 0; r < g->deep; r++) {
        ADD("{\nconst long row = top + %d;\nvreal value = next_%d_%d;\n", r, version, r);
        if (g->border)
            write_faces(g, v->step);
        write_store(g, v, r);
        write_push(g, version, r);
        ADD("}\n");
    }
    write_next_target(g, v);
    ADD("}\n");
}

// Where in the windows of coefficient fields `inner` reads what belongs to the work-item's first row and column.
static void write_held_place(const mst_gpu_writer *g) {
    int along = mst_boundary_margin(g->w->problem, ROWS), across = mst_boundary_margin(g->w->problem, COLUMNS);
    ADD("const long held_row = clamp(top - held.s1, (long)%d, held.s2 - %d), held_column = clamp(column - held.s3, (long)%d, "
        "held.s4 - %d);\n",
        along, along + g->deep, across, across + g->width);
}

// A vector of a coefficient field.
static void write_constant(const mst_gpu_writer *g, const mst_leaf *leaf, size_t i) {
    char number[60], plane[100], row[100], column[120];
    snprintf(number, sizeof number, "p + %d", leaf->offsets[PLANES]);
    mst_map_text(g->w->problem, PLANES, true, number, plane, sizeof plane);
    snprintf(number, sizeof number, "row + %d", leaf->offsets[ROWS]);
    mst_map_text(g->w->problem, ROWS, true, number, row, sizeof row);
    ADD("__global const real *g_%zu = fixed_%d + (wrap(%s - held.s5, held.s0) * held.s2", i,
        g->w->problem->fields[leaf->field].array, plane);
    if (!g->border) {
        ADD(" + held_row + row - top + %d) * held.s4 + held_column + %d;\nconst vreal n_%zu = LOAD_GLOBAL(g_%zu);\n",
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
        ADD("if (p >= part_0 && p < part_1 && row >= r0 && row < r1 && column >= c0)\n"
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

// One of the work-item's rows.
static void write_update_row(const mst_gpu_writer *g, int version, int row) {
    const mst_problem *p = g->w->problem;
    const mst_stage *v = &g->w->pipeline->versions[version];
    const mst_formula *f = &p->updates[v->update].formula;
    char texts[MST_STENCIL_MAX_LEAVES][96], step[20], text[2000];
    snprintf(step, sizeof step, "%d", v->step);
    ADD("{\nconst long row = top + %d;\nvreal value = 0;\n", row);
    if (p->rank == 1) // most iterations have nothing to do
        ADD("if (i >= %d && i < n + %d) {\n", v->lag - v->low[PLANES], v->lag + v->high[PLANES]);
    else
        ADD("{\n");
    mst_write_place(g->w, f, "p", "row", step);
    mst_write_column(g->w, f, "column", g->width);
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        snprintf(texts[i], sizeof texts[i], "n_%zu", i);
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        if (p->fields[leaf->field].coefficient) {
            write_constant(g, leaf, i);
            continue;
        }
        mst_gpu_neighbour_text(g, v, i, row, text, sizeof text);
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
    write_store(g, v, row);
    write_push(g, version, row);
    ADD("}\n");
}

static void write_update(const mst_gpu_writer *g, int version) {
    const mst_stage *v = &g->w->pipeline->versions[version];
    ADD("{ // %s, step %d\nconst long p = part_0 + i - %d;\n", g->w->problem->fields[v->field].name, v->step, v->lag);
    for (int r = 0; r < g->deep; r++)
        write_update_row(g, version, r);
    write_next_target(g, v);
    ADD("}\n");
}

static void write_loop(const mst_gpu_writer *g) {
    if (g->w->problem->rank == 1) // one plane: every version has its turn, and the others' work is dropped
        ADD("%sfor (int i = %d; i < %d; i++) {\n", g->w->unroll ? "#pragma unroll\n" : "", g->first, 1 + g->last);
    else // not unrolled, which would spare registers' moves, but is too long for caches of instructions
        ADD("for (int i = %d; i < n + %d; i++) {\n", g->first, g->last);
    mst_gpu_write_exchange(g);
    for (int k = 0; k < g->w->pipeline->n_versions; k++) {
        if (g->w->pipeline->versions[k].update < 0)
            write_load(g, k);
        else
            write_update(g, k);
        if (k == g->w->problem->n_arrays - 1)
            write_next_ahead(g);
    }
    ADD("}\n");
}

static void write_kernel(const mst_gpu_writer *g, const char *name) {
    mst_write_start(g->w, name, g->tile->group, g->border ? "side_tile(get_group_id(0), box, more, sides)" : "get_group_id(0)");
    mst_gpu_write_choice(g);
    mst_gpu_write_geometry(g);
    write_targets(g);
    if (g->border)
        write_masks(g);
    write_first_ahead(g);
    if (!g->border && g->w->problem->n_coefficients > 0)
        write_held_place(g);
    for (int k = 0; k < g->w->pipeline->n_versions; k++)
        for (int age = 0; age < mst_exchange_registers(&g->exchange, k); age++)
            for (int r = 0; r < g->deep; r++)
                ADD("vreal q_%d_%d_%d = 0;\n", k, age, r);
    write_loop(g);
    ADD("}\n");
}

mst_status mst_write_gpu(const mst_writer *w, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tile *t = w->tile;
    mst_gpu_writer g = {.w = w, .tile = t, .width = t->item[COLUMNS], .deep = t->item[ROWS]};
    mst_tile_iterations(w->pipeline, &g.first, &g.last);
    mst_write_helpers(w);
    mst_gpu_write_side_tile(&g);
    for (int boundary = 0; boundary < 2; boundary++) {
        g.border = boundary;
        MST_TRY(mst_exchange_make(t, w->pipeline, boundary, w->local_bytes, &g.exchange, error));
        write_kernel(&g, boundary ? "boundary" : "interior");
        mst_exchange_release(&g.exchange);
    }
fail:
    return status;
}
