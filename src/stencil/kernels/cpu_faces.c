// What CPU-shaped kernels do at faces and where there are sources and receivers. Nodes beyond faces are written beside a plane's
// own, so that no inner loop knows of faces.
#include "boundary.h"
#include "write_cpu.h"
#include "write_region.h"

#include <stdio.h>

static const mst_problem_boundary *face_of(const mst_stencil_cpu_writer *c, int axis, int side) {
    return &c->problem->boundaries[axis][side];
}

// A loop over j, columns counted from column_begin, that sets ring_row[j] to the value of a face.
static void write_fill(const mst_stencil_cpu_writer *c, const mst_problem_boundary *face, const char *low, const char *high,
                       const char *row) {
    mst_number_text column;
    mst_text_put(c->out, "for (int j = (int)($low - column_begin), end = (int)($high - column_begin);\nj < end; j++) {\n",
                 MST_SET(low, low), MST_SET(high, high));
    if (face->value.expr) {
        mst_map_text(c->problem, COLUMNS, false, "column_begin + j", column);
        mst_write_place(c->w, &face->value, "plane", row, "step + 1");
        mst_write_column(c->w, &face->value, column, 1);
        mst_write_formula(c->w, &face->value, 1, NULL, "value");
        mst_text_put(c->out, c->n_half > 0 ? "ring_row[j] = round_if_half(value, is_half);\n}\n" : "ring_row[j] = value;\n}\n");
    } else {
        mst_text_put(c->out, "ring_row[j] = 0;\n}\n");
    }
}

void mst_stencil_cpu_write_side_columns(const mst_stencil_cpu_writer *c) {
    const mst_stencil_cpu_range rows = mst_stencil_cpu_range_of(c, ROWS, false),
                                columns = mst_stencil_cpu_range_of(c, COLUMNS, true);
    if (mst_problem_periodic(c->problem, COLUMNS))
        return;
    mst_text_put(c->out,
                 "// Columns beyond faces.\n"
                 "if (column_begin - low_columns < 0 || column_end + high_columns > n_columns)\n"
                 "for (long row = $low, rows_end = $high;\nrow < rows_end; row++) {\n",
                 MST_SET(low, rows.low), MST_SET(high, rows.high));
    mst_stencil_cpu_write_row(c);
    for (int side = 0; side < 2; side++) {
        const mst_problem_boundary *face = face_of(c, COLUMNS, side);
        if (mst_boundary_is_valued(face))
            write_fill(c, face, side ? "max(column_begin, n_columns)" : columns.low,
                       side ? columns.high : "min(column_end, (long)0)", "row");
        else if (side == 0)
            mst_text_put(c->out,
                         "for (int j = (int)($first - column_begin);\nj < -column_begin; j++) {\n"
                         "ring_row[j] = ring_row[(int)(-1 - j - 2 * column_begin)];\n}\n",
                         MST_SET(first, columns.low));
        else
            mst_text_put(c->out,
                         "for (int j = (int)(n_columns - column_begin), end = (int)($last - column_begin);\nj < end; j++) {\n"
                         "ring_row[j] = ring_row[(int)(2 * (n_columns - column_begin) - 1 - j)];\n}\n",
                         MST_SET(last, columns.high));
    }
    mst_text_put(c->out, "}\n");
}

void mst_stencil_cpu_write_side_rows(const mst_stencil_cpu_writer *c) {
    const mst_stencil_cpu_range rows = mst_stencil_cpu_range_of(c, ROWS, true),
                                columns = mst_stencil_cpu_range_of(c, COLUMNS, true);
    mst_number_text row;
    for (int side = 0; side < 2 && !mst_problem_periodic(c->problem, ROWS) && c->problem->rank == 3; side++) {
        const mst_problem_boundary *face = face_of(c, ROWS, side);
        mst_text_put(c->out, "// Rows beyond a face.\nfor (long row = $low; row < $high; row++) {\n",
                     MST_SET(low, side ? "max(row_begin, n_rows)" : (const char *)rows.low),
                     MST_SET(high, side ? (const char *)rows.high : "min(row_end, (long)0)"));
        mst_stencil_cpu_write_row(c);
        if (mst_boundary_is_valued(face)) {
            write_fill(c, face, columns.low, columns.high, "row");
        } else {
            mst_map_text(c->problem, ROWS, false, "row", row);
            mst_text_put(c->out,
                         "const __local real *mirrored_row = ring_plane + (int)($row - row_begin + $above) * $pitch + $left;\n"
                         "for (int j = (int)($first - column_begin), end = (int)($last - column_begin);\nj < end; j++) {\n"
                         "ring_row[j] = mirrored_row[j];\n}\n",
                         MST_SET(row, row), MST_SET(above, c->rings.above), MST_SET(pitch, c->rings.pitch),
                         MST_SET(left, c->rings.left), MST_SET(first, columns.low), MST_SET(last, columns.high));
        }
        mst_text_put(c->out, "}\n");
    }
}

void mst_stencil_cpu_write_side_planes(const mst_stencil_cpu_writer *c) {
    const mst_stencil_cpu_range rows = mst_stencil_cpu_range_of(c, ROWS, true),
                                columns = mst_stencil_cpu_range_of(c, COLUMNS, true);
    mst_number_text row;
    for (int side = 0; side < 2 && !mst_problem_periodic(c->problem, PLANES) && c->problem->rank > 1; side++) {
        const mst_problem_boundary *face = face_of(c, PLANES, side);
        if (!mst_boundary_is_valued(face))
            continue;
        mst_text_put(c->out,
                     side ? "// A plane behind the last one.\n"
                            "if (plane >= n_planes && plane < n_planes + behind_planes && plane < plane_end + high_planes)\n"
                          : "// A plane before the first one.\n"
                            "if (plane < 0 && plane >= -before_planes && plane >= plane_begin - low_planes)\n");
        mst_text_put(c->out, "for (long row = $low; row < $high; row++) {\n", MST_SET(low, rows.low), MST_SET(high, rows.high));
        mst_stencil_cpu_write_row(c);
        mst_map_text(c->problem, ROWS, false, "row", row);
        write_fill(c, face, columns.low, columns.high, row);
        mst_text_put(c->out, "}\n");
    }
}

// Every image of a source in the periodic surroundings of the tile.
static void write_sources(const mst_stencil_cpu_writer *c, const char *element) {
    char adds[sizeof(mst_number_text) + 40] = "+=";
    if (c->n_half > 0)
        snprintf(adds, sizeof adds, "=\nround_if_half(%s +", element);
    const mst_stencil_cpu_range rows = mst_stencil_cpu_range_of(c, ROWS, false),
                                columns = mst_stencil_cpu_range_of(c, COLUMNS, false);
    mst_text_put(c->out,
                 "const long plane_inside = wrap(plane, n_planes);\n"
                 "for (long k = of[1] > of[0] ? first_point(points, of[0], of[1], plane_inside) : of[1];\n"
                 "k < of[1] && points[k].s0 == plane_inside; k++) {\n"
                 "for (long row = points[k].s1$first_row;\nrow < $rows_end; row += n_rows) {\n"
                 "for (long column = points[k].s2$first_column;\ncolumn < $columns_end; column += n_columns) {\n"
                 "if (row >= $rows_begin\n&& column >= $columns_begin)\n"
                 "$element $adds\ntable[(first_step + step + 1) * $stride + 1 + points[k].s3]$end;\n"
                 "}\n}\n}\n",
                 MST_SET(first_row, mst_problem_periodic(c->problem, ROWS)
                                        ? " - n_rows * ((points[k].s1 - row_begin + 64 * 64) / n_rows)"
                                        : ""),
                 MST_SET(first_column, mst_problem_periodic(c->problem, COLUMNS)
                                           ? " - n_columns * ((points[k].s2 - column_begin + 64 * 64) / n_columns)"
                                           : ""),
                 MST_SET(rows_begin, rows.low), MST_SET(rows_end, rows.high), MST_SET(columns_begin, columns.low),
                 MST_SET(columns_end, columns.high), MST_SET(element, element), MST_SET(stride, c->problem->n_feeds + 1),
                 MST_SET(adds, adds), MST_SET(end, c->n_half > 0 ? ", is_half)" : ""));
}

static void write_regions(const mst_stencil_cpu_writer *c, const char *element) {
    const mst_stencil_cpu_range rows = mst_stencil_cpu_range_of(c, ROWS, false),
                                columns = mst_stencil_cpu_range_of(c, COLUMNS, false);
    mst_write_regions_cpu(c->w, (mst_region_range){rows.low, rows.high}, (mst_region_range){columns.low, columns.high}, element);
}

void mst_stencil_cpu_write_points(const mst_stencil_cpu_writer *c) {
    const mst_problem *p = c->problem;
    mst_number_text element;
    if (p->n_feeds + p->n_records == 0)
        return;
    snprintf(element, sizeof element, "ring_plane[(int)(row - row_begin + %d) * %d + %d + (int)(column - column_begin)]",
             c->rings.above, c->rings.pitch, c->rings.left);
    mst_text_put(c->out,
                 "// Sources and receivers.\n"
                 "if (operation >= $n_arrays) {\n"
                 "__constant const long *of = points_of + 4 * version[1];\n",
                 MST_SET(n_arrays, p->n_arrays));
    if (p->n_feeds > p->n_regions)
        write_sources(c, element);
    write_regions(c, element);
    if (p->n_records > 0)
        mst_text_put(c->out,
                     "if (of[3] > of[2] && plane >= plane_begin && plane < plane_end)\n"
                     "for (long k = first_point(points, of[2], of[3], plane);\nk < of[3] && points[k].s0 == plane; k++) {\n"
                     "const long row = points[k].s1, column = points[k].s2;\n"
                     "if (row >= row_begin && row < row_end && column >= column_begin && column < column_end)\n"
                     "records[(first_step + step) * $n_points + points[k].s3] =\n$element;\n"
                     "}\n",
                     MST_SET(n_points, p->n_records), MST_SET(element, element));
    mst_text_put(c->out, "}\n");
}
