// Kernels that fill margins: nodes beyond faces get the value that the face gives them, a work-item a node. The slowest axis
// counts where a node lies beyond several faces; beyond a mirroring or periodic face a node is like another one of the same or a
// less slow axis' face, and the next axis is looked at for that.
#include "beyond.h"
#include "write_sweep.h"

#include <stdio.h>

static const char *const names[] = {"plane", "row", "column"}, *const counts[] = {"n_planes", "n_rows", "n_columns"};

// Number `k` of the nodes of a box with `rows` rows of `columns` nodes is node (plane, row, column); those inside the grid along
// the axis are left out. Of planes the box has those of `part` alone.
static void write_slab(const mst_writer *w, const mst_sweeps *s, int axis) {
    const mst_padded *a = &s->padded;
    mst_number_text lengths[N_AXES], from[N_AXES];
    for (int other = 0; other < N_AXES; other++) {
        const int margin = (int)(a->before[other] + a->behind[other]);
        if (other == axis)
            snprintf(lengths[other], sizeof lengths[other], "%d", margin);
        else
            mst_sum_text(counts[other], other > axis ? margin : 0, lengths[other]);
        snprintf(from[other], sizeof from[other], "%d", other < axis ? 0 : (int)-a->before[other]);
        if (other == PLANES && axis == PLANES) {
            snprintf(lengths[other], sizeof lengths[other], "part.s3 - part.s2");
            snprintf(from[other], sizeof from[other], "part.s2");
        } else if (other == PLANES) {
            snprintf(lengths[other], sizeof lengths[other], "part.s1 - part.s0");
            snprintf(from[other], sizeof from[other], "part.s0");
        }
    }
    if (a->before[axis] + a->behind[axis] == 0)
        return;
    mst_text_put(w->out,
                 "{\n// Beyond the faces of the axis of ${name}s.\n"
                 "const long slab_rows = $rows, slab_columns = $columns, slab = ($planes) * slab_rows * slab_columns;\n"
                 "if (k >= 0 && k < slab) {\n"
                 "plane = k / slab_columns / slab_rows + $from_plane;\n"
                 "row = k / slab_columns % slab_rows + $from_row;\n"
                 "column = k % slab_columns + $from_column;\n"
                 "if ($name >= 0)\n$name += $count;\n}\n"
                 "k -= slab;\n}\n",
                 MST_SET(name, names[axis]), MST_SET(count, counts[axis]), MST_SET(planes, lengths[PLANES]),
                 MST_SET(rows, lengths[ROWS]), MST_SET(columns, lengths[COLUMNS]), MST_SET(from_plane, from[PLANES]),
                 MST_SET(from_row, from[ROWS]), MST_SET(from_column, from[COLUMNS]));
}

static void write_margin(const mst_writer *w, const mst_sweeps *s, int set, bool half) {
    const bool coefficient = set == MST_COEFFICIENT_FACES;
    char kernel[20] = "coefficient_margin";
    if (!coefficient)
        snprintf(kernel, sizeof kernel, "margin%d", set);
    mst_text_put(w->out,
                 "\n// The margin of $what: of planes s0 to s1 - 1 of `part`, and beyond the\n"
                 "// planes' faces of s2 to s3 - 1, where those from 0 on lie behind the last plane.\n"
                 "__kernel void $kernel$half(__global $type *array, __global const real *damping, __global const real *table, "
                 "long8 grid,\n"
                 "long4 part, long first_step$runs) {\n"
                 "${own_run}const long n_planes = grid.s0, n_rows = grid.s1, n_columns = grid.s2;\n"
                 "long k = get_global_id(0), plane = 0, row = 0, column = 0;\n",
                 MST_SET(what, coefficient ? "a coefficient field, which is mirrored at all faces" : "a field"),
                 MST_SET(kernel, kernel), MST_SET(half, half ? "_half" : ""), MST_SET(type, mst_element_type(half)),
                 MST_SET(runs, s->problem->has_grids ? ", long8 runs" : ""),
                 MST_SET(own_run, s->problem->has_grids ? "runs.s0 = get_global_id(1);\ngrid.s5 += runs.s0 * runs.s2;\n" : ""));
    for (int axis = 0; axis < N_AXES; axis++)
        write_slab(w, s, axis);
    mst_text_put(w->out, "if (k >= 0)\nreturn;\n"
                         "const long at = grid.s5 + plane * grid.s4 + row * grid.s3 + column;\n");
    const char *sign = mst_begin_beyond(w, set);
    for (int axis = 0; axis < N_AXES; axis++)
        if (s->padded.before[axis] + s->padded.behind[axis] > 0)
            mst_write_beyond(w, set, axis, half ? "vstore_half_rte((real)(" : "array[at] = ",
                             half ? "), at, array);\nreturn;\n" : ";\nreturn;\n");
    mst_text_put(
        w->out,
        half ? "vstore_half_rte(${sign}vload_half(grid.s5 + plane * grid.s4 + row * grid.s3 + column, array), at, array);\n}\n"
             : "array[at] = ${sign}array[grid.s5 + plane * grid.s4 + row * grid.s3 + column];\n}\n",
        MST_SET(sign, sign));
}

void mst_write_margins(const mst_writer *w, const mst_sweeps *s) {
    for (int half = 0; half < 2; half++) {
        for (int set = 0; set < s->problem->n_sets && mst_sweeps_has(s, half, false); set++)
            write_margin(w, s, set, half);
        if (mst_sweeps_has(s, half, true))
            write_margin(w, s, MST_COEFFICIENT_FACES, half);
    }
}
