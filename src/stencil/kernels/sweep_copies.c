// Margins that a CPU's sweeps fill as they go, in place of a pass of their own behind each: whoever has computed a line copies it
// to where the nodes beyond mirroring and periodic faces are like its own. Behind the last line the margin is what `margin`
// makes.
#include "boundary.h"
#include "write_sweep.h"

// Node beyond a face of the axis that is like node i; i if there is none.
static void write_image(const mst_writer *w, const mst_sweeps *s, int axis, int side, const char *i, const char *n) {
    const bool periodic = mst_problem_periodic(w->problem, axis);
    const int64_t reach = (side ? s->padded.behind : s->padded.before)[axis];
    if (reach == 0 || mst_boundary_is_valued(&w->problem->boundaries[axis][side]))
        mst_text_put(w->out, "$i", MST_SET(i, i));
    else if (periodic)
        mst_text_put(w->out, side ? "$i < $reach ? $i + $n : $i" : "$i >= $n - $reach ? $i - $n : $i", MST_SET(i, i),
                     MST_SET(n, n), MST_SET(reach, reach));
    else
        mst_text_put(w->out, side ? "$i >= $n - $reach ? 2 * $n - 1 - $i : $i" : "$i < $reach ? -1 - $i : $i", MST_SET(i, i),
                     MST_SET(n, n), MST_SET(reach, reach));
}

static void write_images(const mst_writer *w, const mst_sweeps *s, int axis, const char *i, const char *n) {
    mst_text_put(w->out, "const long ${i}s[] = {$i, ", MST_SET(i, i));
    write_image(w, s, axis, 0, i, n);
    mst_text_put(w->out, ", ");
    write_image(w, s, axis, 1, i, n);
    mst_text_put(w->out, "};\n");
}

static void write_columns(const mst_writer *w, const mst_sweeps *s, int side) {
    const bool periodic = mst_problem_periodic(w->problem, COLUMNS);
    const int64_t reach = (side ? s->padded.behind : s->padded.before)[COLUMNS];
    if (reach == 0 || mst_boundary_is_valued(&w->problem->boundaries[COLUMNS][side]))
        return;
    mst_text_put(w->out, "for (long k = 0; k < $reach; k++)\n", MST_SET(reach, reach));
    if (side)
        mst_text_put(w->out, "array[line + n_columns + k] = array[line + $like];\n",
                     MST_SET(like, periodic ? "k" : "n_columns - 1 - k"));
    else
        mst_text_put(w->out, "array[line - 1 - k] = array[line + $like];\n", MST_SET(like, periodic ? "n_columns - 1 - k" : "k"));
}

// Those of float16 as bits.
static void write_copy(const mst_writer *w, const mst_sweeps *s, bool half) {
    mst_text_put(w->out,
                 "\n// Copies a line of an array to the nodes beyond faces that are like its own.\n"
                 "void copy_to_margins$half(__global $type *array, long8 grid, long plane, long row) {\n"
                 "const long n_planes = grid.s0, n_rows = grid.s1, n_columns = grid.s2;\n"
                 "const long line = grid.s5 + plane * grid.s4 + row * grid.s3;\n",
                 MST_SET(half, half ? "_half" : ""), MST_SET(type, half ? "ushort" : "real"));
    write_images(w, s, PLANES, "plane", "n_planes");
    write_images(w, s, ROWS, "row", "n_rows");
    write_columns(w, s, 0);
    write_columns(w, s, 1);
    mst_text_put(w->out,
                 "for (int p = 0; p < 3; p++)\nfor (int r = 0; r < 3; r++) {\n"
                 "if (p + r == 0 || (p > 0 && planes[p] == plane) || (r > 0 && rows[r] == row))\ncontinue;\n"
                 "const long to = grid.s5 + planes[p] * grid.s4 + rows[r] * grid.s3;\n"
                 "for (long k = -$before; k < n_columns + $behind; k++)\narray[to + k] = array[line + k];\n}\n}\n",
                 MST_SET(before, s->padded.before[COLUMNS]), MST_SET(behind, s->padded.behind[COLUMNS]));
}

void mst_write_copies(const mst_writer *w, const mst_sweeps *s) {
    for (int half = 0; half < 2; half++)
        if (mst_sweeps_has(s, half, false))
            write_copy(w, s, half);
}

void mst_write_copies_of_line(const mst_writer *w, const mst_sweeps *s, int k) {
    mst_name name;
    for (int u = s->first[k]; u < s->first[k + 1] && s->copies_margins; u++) {
        mst_sweep_name_target(s, k, u, name);
        if (s->has_margin[w->problem->updates[u].field])
            mst_text_put(w->out,
                         w->problem->fields[w->problem->updates[u].field].is_half
                             ? "copy_to_margins_half((__global ushort *)$name, grid, plane, row);\n"
                             : "copy_to_margins($name, grid, plane, row);\n",
                         MST_SET(name, name));
    }
}
