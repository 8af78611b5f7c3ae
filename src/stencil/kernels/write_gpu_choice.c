// Which of the two GPU-shaped kernels does a tile. `inner` does those that are plain: they touch no point and no face, or reach
// beyond faces whose value is a number, between work-items. What work-items beyond such a face compute is lost; others, who would
// read it, read the face's value instead. Work-items that compute nothing the tile needs may lie beyond the window.
#include "boundary.h"
#include "write_gpu.h"

#include <stdio.h>

#define ADD(...) mst_text_add(g->w->out, __VA_ARGS__)

// The condition under which a tile may reach beyond a face: the window ends there too, and work-items lie on either side.
static void open_text(const mst_gpu_writer *g, int axis, int side, const char *window, const char *distance, char *out,
                      size_t size) {
    if (mst_boundary_is_open(g->w->problem, axis, side))
        snprintf(out, size, " | ((%s) & (%s %% %d == 0))", window, distance, axis == ROWS ? g->deep : g->width);
    else
        snprintf(out, size, "%s", "");
}

void mst_gpu_write_side_tile(const mst_gpu_writer *g) {
    ADD("long side_tile(long q, long8 box, long8 more, long8 sides) {\n"
        "    const long rows = more.s1, columns = more.s2, all = rows * columns, first = box.s7 > 0;\n"
        "    const long strips = (more.s0 + box.s6 - 1) / box.s6;\n"
        "    const long across = sides.s0 + columns - sides.s1, along = sides.s2 + rows - sides.s3;\n"
        "    const long each = along * columns + (rows - along) * across;\n"
        "    if (q < (first + sides.s4) * all)\n"
        "        return q < first * all ? q : q %% all + (first + strips) * all;\n"
        "    q = (q - (first + sides.s4) * all) / more.s3;\n"
        "    const long strip = first + q / each;\n"
        "    long row, column;\n"
        "    q %%= each;\n"
        "    if (q < along * columns) {\n"
        "        row = q / columns;\n"
        "        row += row < sides.s2 ? 0 : sides.s3 - sides.s2;\n"
        "        column = q %% columns;\n"
        "    } else {\n"
        "        q -= along * columns;\n"
        "        row = sides.s2 + q / across;\n"
        "        column = q %% across;\n"
        "        column += column < sides.s0 ? 0 : sides.s1 - sides.s0;\n"
        "    }\n"
        "    return (strip * rows + row) * columns + column;\n}\n");
}

void mst_gpu_write_choice(const mst_gpu_writer *g) {
    const mst_pipeline *p = g->w->pipeline;
    size_t n_points = g->w->problem->n_sources + g->w->problem->n_points;
    int rows = g->tile->group / g->tile->items * g->deep;
    int along = mst_boundary_margin(g->w->problem, ROWS), across = mst_boundary_margin(g->w->problem, COLUMNS);
    char open[4][100];
    open_text(g, ROWS, 0, "from.s1 == 0", "row_0", open[0], sizeof open[0]);
    open_text(g, ROWS, 1, "from.s1 + from.s2 == n_rows", "(n_rows - row_0)", open[1], sizeof open[1]);
    open_text(g, COLUMNS, 0, "from.s3 == 0", "column_0", open[2], sizeof open[2]);
    open_text(g, COLUMNS, 1, "from.s3 + from.s4 == n_columns", "(n_columns - column_0)", open[3], sizeof open[3]);
    // Without branches: with them, the loop takes 20 registers more.
    ADD("const long row_0 = r0 - %d, row_1 = row_0 + (r1 - row_0 + %d) / %d * %d;\n"
        "const long column_0 = c0 - %d, column_1 = column_0 + (c1 - column_0 + %d) / %d * %d;\n",
        g->tile->before[ROWS], p->high[ROWS] + g->deep - 1, g->deep, g->deep, g->tile->before[COLUMNS],
        p->high[COLUMNS] + g->width - 1, g->width, g->width);
    ADD("bool plain = (row_0 >= max(from.s1, (long)0)%s) & (row_1 <= min(from.s1 + from.s2, n_rows)%s) & "
        "(column_0 >= max(from.s3, (long)0)%s) & (column_1 <= min(from.s3 + from.s4, n_columns)%s)",
        open[0], open[1], open[2], open[3]);
    if (!mst_problem_periodic(g->w->problem, PLANES))
        ADD(" & (p0 - %d >= 0) & (p1 + %d <= n_planes)", p->low[PLANES] + mst_boundary_margin(g->w->problem, PLANES),
            p->high[PLANES] + mst_boundary_margin(g->w->problem, PLANES));
    if (g->w->problem->n_coefficients > 0)
        ADD(" & (row_0 - %d >= max(held.s1, (long)0)) & (row_1 + %d <= min(held.s1 + held.s2, n_rows)) & (column_0 - %d >= "
            "max(held.s3, (long)0)) & (column_1 + %d <= min(held.s3 + held.s4, n_columns))",
            along, along, across, across);
    ADD(";\n");
    if (n_points > 0) {
        ADD("for (long k = 0; k < %zu && plain; k++) {\nconst long q = points[k].s0;\n", n_points);
        if (mst_problem_periodic(g->w->problem, PLANES))
            ADD("plain = !(points[k].s1 >= row_0 && points[k].s1 < row_0 + %d && points[k].s2 >= column_0 && points[k].s2 < "
                "column_0 "
                "+ %d) && q >= 0;\n}\n",
                rows, g->tile->items * g->width);
        else
            ADD("plain = !(q >= p0 - %d && q < p1 + %d && points[k].s1 >= row_0 && points[k].s1 < row_0 + %d && points[k].s2 >= "
                "column_0 && points[k].s2 < column_0 + %d);\n}\n",
                p->low[PLANES], p->high[PLANES], rows, g->tile->items * g->width);
    }
    ADD("if (%splain)\nreturn;\n", g->border ? "" : "!");
    if (g->border)
        ADD("const long at_faces = ((box.s7 > 0) + sides.s4) * more.s1 * more.s2, group = get_group_id(0);\n"
            "const long parts = group < at_faces ? 1 : more.s3, part = group < at_faces ? 0 : (group - at_faces) %% parts;\n");
    else
        ADD("const long parts = 1, part = 0;\n");
    ADD("const long part_0 = p0 + part * (p1 - p0) / parts, part_1 = p0 + (part + 1) * (p1 - p0) / parts;\n"
        "const int n = (int)(part_1 - part_0);\n");
}
