// What CPU-shaped kernels do at faces and where there are sources and receivers. Nodes beyond faces are written beside a plane's
// own, so that no inner loop knows of faces.
#include "boundary.h"
#include "write_cpu.h"
#include "write_region.h"

#include <stdio.h>

// Where fields have different boundaries: a condition, for those of a set, a bit a field.
static void begin_set(const mst_stencil_cpu_writer *c, int set) {
    uint32_t fields = 0;
    for (int f = 0; f < c->problem->n_fields; f++)
        fields |= (uint32_t)(c->problem->fields[f].faces == set) << f;
    if (c->problem->n_sets > 1)
        mst_text_put(c->out, "if (${fields}u >> version[1] & 1) {\n", MST_SET(fields, fields));
}

static void end_set(const mst_stencil_cpu_writer *c) {
    if (c->problem->n_sets > 1)
        mst_text_put(c->out, "}\n");
}

// A loop over j, columns counted from column_begin, that sets ring_row[j] to the value of a face, times a sign where the row lies
// beyond a mirror.
static void write_fill(const mst_stencil_cpu_writer *c, int set, const mst_problem_boundary *face, const char *low,
                       const char *high, const char *row, const char *row_sign) {
    mst_number_text column, sign;
    mst_text_put(c->out, "for (int j = (int)($low - column_begin), end = (int)($high - column_begin);\nj < end; j++) {\n",
                 MST_SET(low, low), MST_SET(high, high));
    mst_sign_text(c->problem, set, COLUMNS, "column_begin + j", sign);
    if (face->value.expr) {
        mst_map_text(c->problem, set, COLUMNS, "column_begin + j", column);
        mst_write_place(c->w, &face->value, "plane", row, "step + 1");
        mst_write_column(c->w, &face->value, column, 1);
        mst_write_formula(c->w, &face->value, 1, NULL, "value");
    } else {
        mst_text_put(c->out, "const real value = 0;\n");
    }
    mst_text_put(c->out, "ring_row[j] = $row_sign$sign$value;\n}\n", MST_SET(row_sign, row_sign), MST_SET(sign, sign),
                 MST_SET(value, face->value.expr && c->n_half > 0 ? "round_if_half(value, is_half)" : "value"));
}

// The columns beyond a face, which mirrors or has values.
static void write_side_columns(const mst_stencil_cpu_writer *c, int set, int side) {
    const mst_stencil_cpu_range columns = mst_stencil_cpu_range_of(c, COLUMNS, true);
    const mst_problem_boundary *face = mst_problem_face(c->problem, set, COLUMNS, side);
    const char *sign = face->negates ? "-" : "";
    begin_set(c, set);
    if (mst_boundary_is_valued(face))
        write_fill(c, set, face, side ? "max(column_begin, n_columns)" : columns.low,
                   side ? columns.high : "min(column_end, (long)0)", "row", "");
    else if (side == 0)
        mst_text_put(c->out,
                     "for (int j = (int)($first - column_begin);\nj < -column_begin; j++) {\n"
                     "ring_row[j] = ${sign}ring_row[(int)(-$shift - j - 2 * column_begin)];\n}\n",
                     MST_SET(first, columns.low), MST_SET(sign, sign), MST_SET(shift, face->shift));
    else
        mst_text_put(c->out,
                     "for (int j = (int)(n_columns - column_begin), end = (int)($last - column_begin);\nj < end; j++) {\n"
                     "ring_row[j] = ${sign}ring_row[(int)(2 * (n_columns - column_begin) - $back - j)];\n}\n",
                     MST_SET(last, columns.high), MST_SET(sign, sign), MST_SET(back, 2 - face->shift));
    end_set(c);
}

void mst_stencil_cpu_write_side_columns(const mst_stencil_cpu_writer *c) {
    const mst_stencil_cpu_range rows = mst_stencil_cpu_range_of(c, ROWS, false);
    if (mst_problem_periodic(c->problem, COLUMNS))
        return;
    mst_text_put(c->out,
                 "// Columns beyond faces.\n"
                 "if (column_begin - low_columns < 0 || column_end + high_columns > n_columns)\n"
                 "for (long row = $low, rows_end = $high;\nrow < rows_end; row++) {\n",
                 MST_SET(low, rows.low), MST_SET(high, rows.high));
    mst_stencil_cpu_write_row(c);
    for (int side = 0; side < 2; side++)
        for (int set = 0; set < c->problem->n_sets; set++)
            write_side_columns(c, set, side);
    mst_text_put(c->out, "}\n");
}

static void write_side_row(const mst_stencil_cpu_writer *c, int set, int side) {
    const mst_stencil_cpu_range columns = mst_stencil_cpu_range_of(c, COLUMNS, true);
    const mst_problem_boundary *face = mst_problem_face(c->problem, set, ROWS, side);
    mst_number_text row;
    begin_set(c, set);
    if (mst_boundary_is_valued(face)) {
        write_fill(c, set, face, columns.low, columns.high, "row", "");
    } else {
        mst_map_text(c->problem, set, ROWS, "row", row);
        mst_text_put(c->out,
                     "const __local real *mirrored_row = ring_plane + (int)($row - row_begin + $above) * $pitch + $left;\n"
                     "for (int j = (int)($first - column_begin), end = (int)($last - column_begin);\nj < end; j++) {\n"
                     "ring_row[j] = ${sign}mirrored_row[j];\n}\n",
                     MST_SET(row, row), MST_SET(above, c->rings.above), MST_SET(pitch, c->rings.pitch),
                     MST_SET(left, c->rings.left), MST_SET(first, columns.low), MST_SET(last, columns.high),
                     MST_SET(sign, face->negates ? "-" : ""));
    }
    end_set(c);
}

void mst_stencil_cpu_write_side_rows(const mst_stencil_cpu_writer *c) {
    const mst_stencil_cpu_range rows = mst_stencil_cpu_range_of(c, ROWS, true);
    for (int side = 0; side < 2 && !mst_problem_periodic(c->problem, ROWS) && c->problem->rank == 3; side++) {
        mst_text_put(c->out, "// Rows beyond a face.\nfor (long row = $low; row < $high; row++) {\n",
                     MST_SET(low, side ? "max(row_begin, n_rows)" : (const char *)rows.low),
                     MST_SET(high, side ? (const char *)rows.high : "min(row_end, (long)0)"));
        mst_stencil_cpu_write_row(c);
        for (int set = 0; set < c->problem->n_sets; set++)
            write_side_row(c, set, side);
        mst_text_put(c->out, "}\n");
    }
}

// Where this plane mirrors in the first one, or is mirrored in the last one: the other plane, which the ring still holds, since
// the field is read as far.
static void write_mirrored_plane(const mst_stencil_cpu_writer *c, const mst_problem_boundary *face, int side) {
    const mst_stencil_cpu_range rows = mst_stencil_cpu_range_of(c, ROWS, true),
                                columns = mst_stencil_cpu_range_of(c, COLUMNS, true);
    mst_text_put(c->out,
                 side ? "const long outside = plane, inside = 2 * n_planes - $back - plane;\n"
                        "if (outside >= n_planes && outside < n_planes + behind_planes && outside < plane_end + high_planes)\n"
                      : "const long inside = plane, outside = -$shift - plane;\n"
                        "if (inside >= 0 && outside < 0 && outside >= -before_planes && outside >= plane_begin - low_planes)\n",
                 MST_SET(back, 2 - face->shift), MST_SET(shift, face->shift));
    mst_text_put(c->out, "for (long row = $low; row < $high; row++) {\n", MST_SET(low, rows.low), MST_SET(high, rows.high));
    mst_stencil_cpu_write_row(c);
    mst_text_put(c->out,
                 "__local real *other_row = ring_row\n"
                 "+ ((int)($other - first_ring_plane) % field[2] - (int)(plane - first_ring_plane) % field[2]) * $elements;\n"
                 "for (int j = (int)($first - column_begin), end = (int)($last - column_begin);\nj < end; j++) {\n"
                 "$to[j] = $sign$from[j];\n}\n}\n",
                 MST_SET(other, side ? "inside" : "outside"), MST_SET(elements, c->rings.plane), MST_SET(first, columns.low),
                 MST_SET(last, columns.high), MST_SET(to, side ? "ring_row" : "other_row"),
                 MST_SET(sign, face->negates ? "-" : ""), MST_SET(from, side ? "other_row" : "ring_row"));
}

static void write_side_plane(const mst_stencil_cpu_writer *c, int set, int side) {
    const mst_stencil_cpu_range rows = mst_stencil_cpu_range_of(c, ROWS, true),
                                columns = mst_stencil_cpu_range_of(c, COLUMNS, true);
    const mst_problem_boundary *face = mst_problem_face(c->problem, set, PLANES, side);
    mst_number_text row, sign;
    mst_text_put(c->out, "{\n");
    begin_set(c, set);
    if (mst_boundary_is_valued(face)) {
        mst_text_put(c->out,
                     side ? "if (plane >= n_planes && plane < n_planes + behind_planes && plane < plane_end + high_planes)\n"
                          : "if (plane < 0 && plane >= -before_planes && plane >= plane_begin - low_planes)\n");
        mst_text_put(c->out, "for (long row = $low; row < $high; row++) {\n", MST_SET(low, rows.low), MST_SET(high, rows.high));
        mst_stencil_cpu_write_row(c);
        mst_map_text(c->problem, set, ROWS, "row", row);
        mst_sign_text(c->problem, set, ROWS, "row", sign);
        write_fill(c, set, face, columns.low, columns.high, row, sign);
        mst_text_put(c->out, "}\n");
    } else {
        write_mirrored_plane(c, face, side);
    }
    end_set(c);
    mst_text_put(c->out, "}\n");
}

void mst_stencil_cpu_write_side_planes(const mst_stencil_cpu_writer *c) {
    for (int side = 0; side < 2 && !mst_problem_periodic(c->problem, PLANES) && c->problem->rank > 1; side++) {
        mst_text_put(c->out, side ? "// Planes behind the last one.\n" : "// Planes before the first one.\n");
        for (int set = 0; set < c->problem->n_sets; set++)
            write_side_plane(c, set, side);
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
