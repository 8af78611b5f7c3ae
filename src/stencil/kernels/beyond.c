#include "beyond.h"

#include "boundary.h"

static const char *const names[] = {"plane", "row", "column"}, *const counts[] = {"n_planes", "n_rows", "n_columns"};

// The factor of the value that was found so far, which antisymmetric mirrors change.
static const char *sign_of(const mst_writer *w, int set) {
    for (int i = 0; i < 2 * N_AXES; i++)
        if (mst_problem_face(w->problem, set, i / 2, i % 2)->negates)
            return "sign * ";
    return "";
}

const char *mst_begin_beyond(const mst_writer *w, int set) {
    const char *sign = sign_of(w, set);
    mst_text_put(w->out, *sign ? "int sign = 1;\n" : "");
    return sign;
}

static void write_value(const mst_writer *w, int set, const mst_problem_boundary *face, int axis, const char *before,
                        const char *behind) {
    mst_number_text row = "row", column = "column", row_sign = "", column_sign = "";
    if (axis == PLANES) {
        mst_map_text(w->problem, set, ROWS, "row", row);
        mst_sign_text(w->problem, set, ROWS, "row", row_sign);
    }
    if (axis != COLUMNS) {
        mst_map_text(w->problem, set, COLUMNS, "column", column);
        mst_sign_text(w->problem, set, COLUMNS, "column", column_sign);
    }
    if (face->value.expr) {
        mst_write_place(w, &face->value, "plane", row, "0");
        mst_write_column(w, &face->value, column, 1);
        mst_write_formula(w, &face->value, 1, NULL, "value");
    } else {
        mst_text_put(w->out, "const real value = 0;\n");
    }
    mst_text_put(w->out, "$before$sign$row_sign${column_sign}value$behind", MST_SET(before, before),
                 MST_SET(sign, sign_of(w, set)), MST_SET(row_sign, row_sign), MST_SET(column_sign, column_sign),
                 MST_SET(behind, behind));
}

void mst_write_beyond(const mst_writer *w, int set, int axis, const char *before, const char *behind) {
    const mst_problem *p = w->problem;
    if (mst_problem_periodic(p, axis)) {
        mst_text_put(w->out, "$name = wrap($name, $count);\n", MST_SET(name, names[axis]), MST_SET(count, counts[axis]));
        return;
    }
    for (int side = 0; side < 2; side++) {
        const mst_problem_boundary *face = mst_problem_face(p, set, axis, side);
        mst_text_put(w->out, side ? "if ($name >= $count) {\n" : "if ($name < 0) {\n", MST_SET(name, names[axis]),
                     MST_SET(count, counts[axis]));
        if (mst_boundary_is_valued(face))
            write_value(w, set, face, axis, before, behind);
        else
            mst_text_put(w->out, "$name = $mirror$node($name, $count);\n", MST_SET(name, names[axis]),
                         MST_SET(mirror, side ? "mirror_upper" : "mirror_lower"), MST_SET(node, face->shift ? "" : "_node"),
                         MST_SET(count, counts[axis]));
        mst_text_put(w->out, face->negates ? "sign = -sign;\n}\n" : "}\n");
    }
}
