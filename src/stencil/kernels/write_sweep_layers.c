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

void mst_sweep_write_outside(const mst_writer *w, const mst_sweeps *s, int k, int columns, int rows) {
    const bool gpu = s->shape == MST_STENCIL_SHAPE_GPU;
    const char *const first[] = {"plane", gpu ? "group_row" : "row", gpu ? "group_column" : "column"};
    const int lengths[] = {1, gpu ? rows : 1, gpu ? columns : s->width};
    int reach[2];
    mst_text_put(w->out, "true");
    for (int axis = gpu ? ROWS : PLANES; axis < N_AXES; axis++)
        if (mst_sweeps_layer_reach(s, k, axis, reach))
            mst_text_put(w->out, " && $low >= $layers.s0 && $high <= $layers.s1", MST_SET(low, MST_SUM(first[axis], reach[0])),
                         MST_SET(high, MST_SUM(first[axis], lengths[axis] + reach[1])),
                         MST_SET(layers, mst_sweep_layers_name(axis)));
}

void mst_sweep_write_part(const mst_writer *w, const mst_sweeps *s, int k, mst_sweep_of part) {
    const int items = mst_sweep_items(s->problem, part);
    int reach[2];
    if (part == MST_SWEEP_ALL)
        return;
    mst_text_put(w->out, "const bool beside = !(");
    mst_sweep_write_outside(w, s, k, items * s->width, MST_SWEEP_GROUP / items);
    mst_text_put(w->out, ");\n");
    if (mst_sweeps_layer_reach(s, k, PLANES, reach))
        mst_text_put(w->out, "const long lower_end = $low, upper_begin = $high;\n",
                     MST_SET(low, MST_SUM("plane_layers.s0", -reach[0])), MST_SET(high, MST_SUM("plane_layers.s1", -reach[1])));
    else
        mst_text_put(w->out, "const long lower_end = plane_begin, upper_begin = plane_end;\n");
    if (part == MST_SWEEP_OUTSIDE)
        mst_text_put(w->out, "plane_begin = max(plane_begin, lower_end);\n"
                             "plane_end = min(plane_end, upper_begin);\n"
                             "if (beside || plane_begin >= plane_end)\nreturn;\n");
    else
        mst_text_put(w->out, "if (!beside && plane_begin >= lower_end)\nplane_begin = max(plane_begin, upper_begin);\n"
                             "else if (!beside && plane_end <= upper_begin)\nplane_end = min(plane_end, lower_end);\n"
                             "if (plane_begin >= plane_end)\nreturn;\n");
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

void mst_sweep_write_places(const mst_writer *w, const mst_sweeps *s, int k) {
    for (int axis = 0; axis < N_AXES; axis++) {
        if (!mst_sweeps_layer_reach(s, k, axis, (int[2]){0}))
            continue;
        mst_text_put(w->out, "const long $at = ", MST_SET(at, mst_sweep_memory_place(axis)));
        write_place(w, axis, 0);
        mst_text_put(w->out, ";\n");
    }
}

void mst_sweep_write_memory(const mst_writer *w, const mst_sweeps *s, const mst_leaf *leaf, const char *array, const char *name) {
    const int axis = s->problem->fields[leaf->field].layer_axis, offset = leaf->offsets[axis];
    mst_text_put(w->out, "vreal $name = 0;\nif (", MST_SET(name, name));
    mst_sweep_write_is_layer(w, axis, offset);
    mst_text_put(w->out, ")\n$name = LOAD_GLOBAL($array + ", MST_SET(name, name), MST_SET(array, array));
    if (offset == 0)
        mst_text_put(w->out, "$at", MST_SET(at, mst_sweep_memory_place(axis)));
    else
        write_place(w, axis, offset);
    mst_text_put(w->out, ");\n");
}
