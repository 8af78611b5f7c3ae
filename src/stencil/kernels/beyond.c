#include "beyond.h"

#include "boundary.h"

static const char *const names[] = {"plane", "row", "column"}, *const counts[] = {"n_planes", "n_rows", "n_columns"};

static void write_value(const mst_writer *w, const mst_problem_boundary *face, int axis, const char *before, const char *behind) {
    mst_number_text row = "row", column = "column";
    if (face->value.expr) {
        if (axis == PLANES)
            mst_map_text(w->problem, ROWS, false, "row", row);
        if (axis != COLUMNS)
            mst_map_text(w->problem, COLUMNS, false, "column", column);
        mst_write_place(w, &face->value, "plane", row, "0");
        mst_write_column(w, &face->value, column, 1);
        mst_write_formula(w, &face->value, 1, NULL, "value");
    }
    mst_text_put(w->out, "$before$value$behind", MST_SET(before, before), MST_SET(value, face->value.expr ? "value" : "0"),
                 MST_SET(behind, behind));
}

void mst_write_beyond(const mst_writer *w, int axis, bool coefficient, const char *before, const char *behind) {
    const mst_problem *p = w->problem;
    if (mst_problem_periodic(p, axis)) {
        mst_text_put(w->out, "$name = wrap($name, $count);\n", MST_SET(name, names[axis]), MST_SET(count, counts[axis]));
        return;
    }
    for (int side = 0; side < 2; side++) {
        const mst_problem_boundary *face = &p->boundaries[axis][side];
        mst_text_put(w->out, side ? "if ($name >= $count) {\n" : "if ($name < 0) {\n", MST_SET(name, names[axis]),
                     MST_SET(count, counts[axis]));
        if (!coefficient && mst_boundary_is_valued(face))
            write_value(w, face, axis, before, behind);
        else
            mst_text_put(w->out, "$name = $mirror($name, $count);\n", MST_SET(name, names[axis]),
                         MST_SET(mirror, side ? "mirror_upper" : "mirror_lower"), MST_SET(count, counts[axis]));
        mst_text_put(w->out, "}\n");
    }
}
