// What kernels of sweeps do with memory variables of absorbing layers, which have elements for the nodes in layers only.
#include "write_sweep.h"

static const char *const numbers[] = {"plane", "row", "column"}, *const counts[] = {"n_planes", "n_rows", "n_columns"};

const char *mst_sweep_layers_name(int axis) {
    static const char *const names[] = {"plane_layers", "row_layers", "column_layers"};
    return names[axis];
}

const char *mst_sweep_memory_place(int axis) {
    static const char *const names[] = {"plane_at", "row_at", "column_at"};
    return names[axis];
}

void mst_sweep_write_outside(const mst_writer *w, const mst_sweeps *s, int k, unsigned axes) {
    int reach[2];
    mst_text_put(w->out, "true");
    for (int axis = PLANES; axis < N_AXES; axis++)
        if ((axes >> axis & 1) && mst_sweeps_layer_reach(s, k, axis, reach))
            mst_text_put(w->out, " && $low >= $layers.s0 && $high <= $layers.s1", MST_SET(low, MST_SUM(numbers[axis], reach[0])),
                         MST_SET(high, MST_SUM(numbers[axis], (axis == COLUMNS ? s->width : 1) + reach[1])),
                         MST_SET(layers, mst_sweep_layers_name(axis)));
}

void mst_sweep_write_axes(const mst_writer *w, const mst_sweeps *s, int k) {
    for (int axis = 0; axis < N_AXES; axis++)
        if (!(mst_sweeps_layer_axes(s, k) >> axis & 1))
            mst_text_put(w->out, "const long8 $layers = (long8)(0, 0, 0, 0, 0, 0, $begin, $end);\n",
                         MST_SET(layers, mst_sweep_layers_name(axis)), MST_SET(begin, axis == PLANES ? "grid.s6" : "0"),
                         MST_SET(end, axis == PLANES ? "grid.s6 + grid.s7" : counts[axis]));
}

void mst_sweep_write_tile(const mst_writer *w, const mst_sweeps *s, mst_sweep_of part, const char *first,
                          const char *const in[N_AXES]) {
    const mst_problem *p = s->problem;
    mst_text_put(w->out,
                 "uint tile = get_group_id(0) - $first; // divisions of long take a GPU long\n"
                 "const int items = $in_columns ? $narrow : $wide, items_across = $group / items;\n"
                 "const int item = get_local_id(0) % items, item_across = get_local_id(0) / items;\n"
                 "const long tile_columns = nodes_of($in_columns, column_layers, n_columns);\n"
                 "const uint vectors = (uint)((tile_columns + WIDTH - 1) / WIDTH); // columns may be more than 2^32\n"
                 "const uint tiles_of_row = (vectors + items - 1) / items;\n"
                 "const long tile_column = (long)(tile % tiles_of_row * items + item) * WIDTH;\n"
                 "tile /= tiles_of_row;\n",
                 MST_SET(first, first), MST_SET(in_columns, in[COLUMNS]), MST_SET(group, mst_sweep_group(part)),
                 MST_SET(narrow, mst_sweep_items(s, part, true)), MST_SET(wide, mst_sweep_items(s, part, false)));
    if (p->rank == MST_MAX_AXES)
        mst_text_put(w->out,
                     "const long tile_rows = nodes_of($in_rows, row_layers, n_rows);\n"
                     "const uint tiles_of_plane = (uint)(tile_rows + items_across - 1) / items_across;\n"
                     "const long tile_row = tile % tiles_of_plane * items_across + item_across, strip = tile / tiles_of_plane;\n"
                     "if (tile_column >= tile_columns || tile_row >= tile_rows)\nreturn;\n"
                     "const long row = node_of(tile_row, $in_rows, row_layers);\n",
                     MST_SET(in_rows, in[ROWS]));
    else
        mst_text_put(w->out, "const long row = 0, strip = tile * items_across + item_across;\n"
                             "if (tile_column >= tile_columns)\nreturn;\n");
    mst_text_put(w->out,
                 "const long column = node_of(tile_column, $in_columns, column_layers);\n"
                 "const long2 planes = planes_of_strip(strip, work.s0, $in_planes, plane_layers, grid.s6, grid.s6 + grid.s7);\n"
                 "const long plane_begin = planes.s0, plane_end = planes.s1;\n"
                 "if (plane_begin >= plane_end)\nreturn;\n",
                 MST_SET(in_columns, in[COLUMNS]), MST_SET(in_planes, in[PLANES]));
}

// Beyond faces there is none.
void mst_sweep_write_is_layer(const mst_writer *w, int axis, int offset) {
    mst_number_text number;
    mst_sum_text(numbers[axis], offset, number);
    mst_text_put(w->out, "($number < $layers.s0 || $number + $more > $layers.s1)", MST_SET(number, number),
                 MST_SET(layers, mst_sweep_layers_name(axis)), MST_SET(more, axis == COLUMNS ? "WIDTH" : "1"));
    if (offset < 0 && axis != COLUMNS)
        mst_text_put(w->out, " && $number >= 0", MST_SET(number, number));
    if (offset > 0 && axis != COLUMNS)
        mst_text_put(w->out, " && $number < $count", MST_SET(number, number), MST_SET(count, counts[axis]));
}

static void write_place(const mst_writer *w, int axis, int offset) {
    mst_number_text number;
    mst_sum_text(numbers[axis], offset, number);
    mst_text_put(w->out, "$layers.s5 + ", MST_SET(layers, mst_sweep_layers_name(axis)));
    for (int other = 0; other < N_AXES; other++) {
        static const char *const times[] = {" * $layers.s4 + ", " * $layers.s3 + ", ""};
        mst_text_put(w->out, other == axis ? "folded($number, $layers)" : "$own", MST_SET(number, number),
                     MST_SET(own, numbers[other]), MST_SET(layers, mst_sweep_layers_name(axis)));
        mst_text_put(w->out, times[other], MST_SET(layers, mst_sweep_layers_name(axis)));
    }
}

void mst_sweep_write_places(const mst_writer *w, const mst_sweeps *s, int k, unsigned axes) {
    for (int axis = 0; axis < N_AXES; axis++) {
        if ((mst_sweeps_layer_axes(s, k) & axes & 1u << axis) == 0)
            continue;
        mst_text_put(w->out, "const long $at = ", MST_SET(at, mst_sweep_memory_place(axis)));
        write_place(w, axis, 0);
        mst_text_put(w->out, ";\n");
    }
}

void mst_sweep_write_memory(const mst_writer *w, const mst_sweeps *s, const mst_leaf *leaf, const char *array, const char *name) {
    const int axis = s->problem->fields[leaf->field].layer_axis, offset = leaf->offsets[axis];
    const bool is_aligned = s->shape == MST_STENCIL_SHAPE_GPU && (axis != COLUMNS || offset % s->width == 0);
    mst_text_put(w->out, "$name = 0;\nif (", MST_SET(name, name));
    mst_sweep_write_is_layer(w, axis, offset);
    mst_text_put(w->out, is_aligned ? ")\n$name = *(__global const vreal *)($array + " : ")\n$name = LOAD_GLOBAL($array + ",
                 MST_SET(name, name), MST_SET(array, array));
    if (offset == 0)
        mst_text_put(w->out, "$at", MST_SET(at, mst_sweep_memory_place(axis)));
    else
        write_place(w, axis, offset);
    mst_text_put(w->out, ");\n");
}
