// Margins that a CPU's sweeps fill as they go, in place of a pass of their own behind each: whoever has computed a line copies it
// to where the nodes beyond mirroring and periodic faces are like its own. Behind the last line the margin is what `margin`
// makes.
#include "boundary.h"
#include "write_sweep.h"

// Node beyond a face of the axis that is like node i, or minus it; i if there is none.
static void write_image(const mst_writer *w, const mst_sweeps *s, int set, int axis, int side, const char *i, const char *n) {
    const mst_problem_boundary *face = mst_problem_face(w->problem, set, axis, side);
    const bool periodic = mst_problem_periodic(w->problem, axis);
    const int64_t reach = (side ? s->padded.behind : s->padded.before)[axis];
    if (reach == 0 || mst_boundary_is_valued(face))
        mst_text_put(w->out, "$i", MST_SET(i, i));
    else if (periodic)
        mst_text_put(w->out, side ? "$i < $reach ? $i + $n : $i" : "$i >= $n - $reach ? $i - $n : $i", MST_SET(i, i),
                     MST_SET(n, n), MST_SET(reach, reach));
    else
        mst_text_put(w->out, side ? "$i >= $n - $last ? 2 * $n - $back - $i : $i" : "$i < $last ? -$shift - $i : $i",
                     MST_SET(i, i), MST_SET(n, n), MST_SET(last, reach + 1 - face->shift), MST_SET(back, 2 - face->shift),
                     MST_SET(shift, face->shift));
}

static void write_images(const mst_writer *w, const mst_sweeps *s, int set, bool half, int axis, const char *i, const char *n) {
    mst_text_put(w->out, "const long ${i}s[] = {$i, ", MST_SET(i, i));
    write_image(w, s, set, axis, 0, i, n);
    mst_text_put(w->out, ", ");
    write_image(w, s, set, axis, 1, i, n);
    const bool lower = mst_problem_face(w->problem, set, axis, 0)->negates,
               upper = mst_problem_face(w->problem, set, axis, 1)->negates;
    const char *one = half ? "0" : "1", *other = half ? "0x8000" : "-1";
    mst_text_put(w->out, "};\nconst $type ${i}_signs[] = {$one, $lower, $upper};\n", MST_SET(type, half ? "ushort" : "real"),
                 MST_SET(i, i), MST_SET(one, one), MST_SET(lower, lower ? other : one), MST_SET(upper, upper ? other : one));
}

static void write_columns(const mst_writer *w, const mst_sweeps *s, int set, bool half, int side) {
    const mst_problem_boundary *face = mst_problem_face(w->problem, set, COLUMNS, side);
    const bool periodic = mst_problem_periodic(w->problem, COLUMNS);
    const int64_t reach = (side ? s->padded.behind : s->padded.before)[COLUMNS];
    const char *sign = !face->negates ? "" : half ? "0x8000 ^ " : "-";
    if (reach == 0 || mst_boundary_is_valued(face))
        return;
    mst_text_put(w->out, "for (long k = 0; k < $reach; k++)\n", MST_SET(reach, reach));
    if (side)
        mst_text_put(w->out, "array[line + n_columns + k] = ${sign}array[line + $like];\n", MST_SET(sign, sign),
                     MST_SET(like, periodic      ? "k"
                                   : face->shift ? "n_columns - 1 - k"
                                                 : "n_columns - 2 - k"));
    else
        mst_text_put(w->out, "array[line - 1 - k] = ${sign}array[line + $like];\n", MST_SET(sign, sign),
                     MST_SET(like, periodic      ? "n_columns - 1 - k"
                                   : face->shift ? "k"
                                                 : "k + 1"));
}

// Those of float16 as bits, of which the first is the sign.
static void write_copies(const mst_writer *w, const mst_sweeps *s, int set, bool half) {
    mst_text_put(w->out,
                 "\n// Copies a line of an array to the nodes beyond faces that are like its own.\n"
                 "void copy_to_margins$set$half(__global $type *array, long8 grid, long plane, long row) {\n"
                 "const long inner = grid.s7, n_planes = grid.s0, n_rows = grid.s1, n_columns = grid.s2;\n"
                 "const long line = grid.s5 + plane * grid.s4 + row * grid.s3;\n",
                 MST_SET(set, set), MST_SET(half, half ? "_half" : ""), MST_SET(type, half ? "ushort" : "real"));
    write_images(w, s, set, half, PLANES, "plane", "n_planes");
    write_images(w, s, set, half, ROWS, "row", "n_rows");
    write_columns(w, s, set, half, 0);
    write_columns(w, s, set, half, 1);
    mst_text_put(w->out,
                 "for (int p = 0; p < 3; p++)\nfor (int r = 0; r < 3; r++) {\n"
                 "if (p + r == 0 || (p > 0 && (planes[p] == plane || inner)) || (r > 0 && rows[r] == row))\ncontinue;\n"
                 "const long to = grid.s5 + planes[p] * grid.s4 + rows[r] * grid.s3;\n"
                 "for (long k = -$before; k < n_columns + $behind; k++)\n"
                 "array[to + k] = plane_signs[p] $with row_signs[r] $with array[line + k];\n}\n}\n",
                 MST_SET(with, half ? "^" : "*"), MST_SET(before, s->padded.before[COLUMNS]),
                 MST_SET(behind, s->padded.behind[COLUMNS]));
}

void mst_write_copies(const mst_writer *w, const mst_sweeps *s) {
    for (int half = 0; half < 2; half++)
        for (int set = 0; set < w->problem->n_sets && mst_sweeps_has(s, half, false); set++)
            write_copies(w, s, set, half);
}

bool mst_sweep_copies(const mst_sweeps *s, int k) {
    bool any = false;
    for (int u = s->first[k]; u < s->first[k + 1]; u++)
        any = any || s->has_margin[s->problem->updates[u].field];
    return any && s->copies_margins;
}

void mst_write_copies_of_line(const mst_writer *w, const mst_sweeps *s, int k) {
    mst_name name;
    for (int u = s->first[k]; u < s->first[k + 1] && s->copies_margins; u++) {
        mst_sweep_name_target(s, k, u, name);
        const mst_problem_field *field = &w->problem->fields[w->problem->updates[u].field];
        if (s->has_margin[w->problem->updates[u].field])
            mst_text_put(w->out,
                         field->is_half ? "copy_to_margins${set}_half((__global ushort *)$name, grid, plane, row);\n"
                                        : "copy_to_margins$set($name, grid, plane, row);\n",
                         MST_SET(set, field->faces), MST_SET(name, name));
    }
}
