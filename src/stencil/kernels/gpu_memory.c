// How the work-items of a GPU-shaped kernel read and write windows of the state. Planes are read an iteration ahead.
#include "boundary.h"
#include "write_gpu.h"

#include <stdio.h>

bool mst_stencil_gpu_loads_late(const mst_stencil_gpu_writer *g, int input) {
    const mst_pipeline *p = g->w->pipeline;
    bool late = !g->is_boundary && p->versions[input].output < 0;
    for (int k = p->problem->n_arrays; k < p->n_versions && late; k++) {
        const mst_field_version *v = &p->versions[k];
        const mst_formula *f = &p->problem->updates[v->update].formula;
        for (size_t i = 0; i < f->n_leaves; i++)
            late = late && (v->reads[i] != input || v->lag - f->leaves[i].offsets[PLANES] > 0);
    }
    return late;
}

// A row of an input at the grid's edge, column by column. What is read beyond the grid does not count.
static void write_edge_row(const mst_stencil_gpu_writer *g, const char *array, bool half, int row) {
    mst_component_name component;
    for (int column = 0; column < g->width; column++) {
        mst_stencil_gpu_name_component(column, component);
        mst_text_put(g->out,
                     half ? "${array}_next_row$row.$component =\n"
                            "vload_half(from_plane + from_row$row + from_column$column, ${array}_in);\n"
                          : "${array}_next_row$row.$component = ${array}_in[from_plane + from_row$row + from_column$column];\n",
                     MST_SET(array, array), MST_SET(row, row), MST_SET(component, component), MST_SET(column, column));
    }
}

// Where a row of an input is loaded to: its newest plane, or what becomes that in the next iteration.
static void name_loaded(const mst_stencil_gpu_writer *g, int input, int row, mst_register_name out) {
    mst_name array;
    mst_name_state(g->w->problem, input, array);
    if (mst_stencil_gpu_loads_late(g, input))
        mst_stencil_gpu_name_register(g, input, 0, row, out);
    else
        snprintf(out, sizeof(mst_register_name), "%s_next_row%d", array, row);
}

// The rows of an input, as aligned vectors or not. The mask changes nothing; without it compilers see that both kinds of rows are
// loaded from one place, and make of them a load a column.
static void write_rows(const mst_stencil_gpu_writer *g, int input, bool aligned) {
    const bool half = mst_problem_is_half(g->w->problem, input);
    mst_register_name loaded;
    mst_name array;
    mst_name_state(g->w->problem, input, array);
    if (aligned && half)
        mst_text_put(g->out, "__global const half *${array}_vectors = ${array}_in + ((from_plane + from_item) & -$width);\n",
                     MST_SET(array, array), MST_SET(width, g->width));
    else if (aligned)
        mst_text_put(g->out,
                     "__global const vreal *${array}_vectors =\n"
                     "(__global const vreal *)(${array}_in + ((from_plane + from_item) & -$width));\n",
                     MST_SET(array, array), MST_SET(width, g->width));
    for (int row = 0; row < g->deep; row++) {
        name_loaded(g, input, row, loaded);
        mst_text_put(g->out,
                     aligned && half ? "$loaded = LOAD_VECTOR_HALF(${array}_vectors + $row * from_columns);\n"
                     : aligned       ? "$loaded = ${array}_vectors[$row * from_vectors];\n"
                                     : "$loaded = LOAD_GLOBAL$half(${array}_in + from_plane + from_item"
                                       " + $row * from_columns);\n",
                     MST_SET(loaded, loaded), MST_SET(array, array), MST_SET(row, row), MST_SET(half, mst_element_suffix(half)));
    }
}

// Loads the plane that begins at element `from_plane`, of the inputs that are loaded late or of the others.
static void write_load(const mst_stencil_gpu_writer *g, bool late) {
    const mst_problem *p = g->w->problem;
    mst_name array;
    mst_text_put(g->out, g->is_boundary ? "if (is_inside) {\n" : "");
    mst_text_put(g->out, "if (from_aligned) {\n");
    for (int aligned = 1; aligned >= 0; aligned--) {
        for (int a = 0; a < p->n_arrays; a++)
            if (mst_stencil_gpu_loads_late(g, a) == late)
                write_rows(g, a, aligned);
        mst_text_put(g->out, aligned ? "} else {\n" : "}\n");
    }
    if (!g->is_boundary)
        return;
    mst_text_put(g->out, "} else {\n");
    for (int a = 0; a < p->n_arrays; a++) {
        mst_name_state(p, a, array);
        for (int row = 0; row < g->deep; row++)
            write_edge_row(g, array, mst_problem_is_half(p, a), row);
    }
    mst_text_put(g->out, "}\n");
}

// The boundary kernel's places of rows and columns, which may lie beyond the window or on its other side.
static void write_edge_places(const mst_stencil_gpu_writer *g) {
    for (int row = 0; row < g->deep; row++)
        mst_text_put(g->out, "const long from_row$row = within($place, from_first_row, from_rows) * from_columns;\n",
                     MST_SET(row, row), MST_SET(place, MST_SUM("first_row", row)));
    for (int column = 0; column < g->width; column++)
        mst_text_put(g->out, "const long from_column$column = within($place, from_first_column, from_columns);\n",
                     MST_SET(column, column), MST_SET(place, MST_SUM("first_column", column)));
    mst_text_put(g->out,
                 "const bool is_inside = !is_beyond && first_row >= from_first_row\n"
                 "&& first_row + $deep <= from_first_row + from_rows && first_column >= from_first_column\n"
                 "&& first_column + $width <= from_first_column + from_columns;\n",
                 MST_SET(deep, g->deep), MST_SET(width, g->width));
}

void mst_stencil_gpu_write_first_load(const mst_stencil_gpu_writer *g) {
    const mst_problem *p = g->w->problem;
    mst_register_name loaded;
    mst_text_put(g->out,
                 "\n// Planes are loaded an iteration ahead; from_planes_left of them are left to the end of the ring.\n"
                 "const long from_vectors = from_columns / $width;\n"
                 "const bool from_aligned = from_columns % $width == 0 && (first_column - from_first_column) % $width == 0;\n"
                 "int from_planes_left = (int)wrap($first - from_first_plane, from_planes);\n"
                 "long from_plane = from_planes_left * from_rows * from_columns;\n"
                 "from_planes_left = (int)from_planes - from_planes_left;\n",
                 MST_SET(width, g->width), MST_SET(first, MST_SUM("part_begin", g->first)));
    if (g->is_boundary)
        mst_text_put(g->out, "const long from_item =\n"
                             "(first_row - from_first_row) * from_columns + first_column - from_first_column;\n");
    else // work-items beyond the window read what is not used
        mst_text_put(g->out,
                     "const long from_item = clamp(first_row - from_first_row, (long)0, from_rows - $deep) * from_columns\n"
                     "+ clamp(first_column - from_first_column, (long)0, from_columns - $width);\n",
                     MST_SET(deep, g->deep), MST_SET(width, g->width));
    if (g->is_boundary)
        write_edge_places(g);
    for (int a = 0; a < p->n_arrays; a++)
        for (int row = 0; row < g->deep && !mst_stencil_gpu_loads_late(g, a); row++) {
            name_loaded(g, a, row, loaded);
            mst_text_put(g->out, "vreal $loaded;\n", MST_SET(loaded, loaded));
        }
    write_load(g, false);
}

void mst_stencil_gpu_write_late_load(const mst_stencil_gpu_writer *g) {
    bool any = false;
    for (int a = 0; a < g->w->problem->n_arrays; a++)
        any |= mst_stencil_gpu_loads_late(g, a);
    if (any) // behind the last plane it is loaded again, and not used
        write_load(g, true);
}

void mst_stencil_gpu_write_next_load(const mst_stencil_gpu_writer *g) {
    mst_text_put(g->out,
                 "// The next plane of the state is on its way while this one is worked on.\n"
                 "if (i + 1 < $end) {\n"
                 "from_plane += from_rows * from_columns;\n"
                 "if (--from_planes_left == 0) {\n"
                 "from_planes_left = (int)from_planes;\n"
                 "from_plane = 0;\n"
                 "}\n",
                 MST_SET(end, MST_SUM("part_planes", g->tile->high[PLANES])));
    write_load(g, false);
    mst_text_put(g->out, "}\n");
}

// Outputs of one lag go to the same place of their windows. Whether a version is the first of them.
static bool is_first_of_lag(const mst_pipeline *p, int version) {
    bool first = p->versions[version].output >= 0;
    for (int k = 0; k < version; k++)
        first = first && (p->versions[k].output < 0 || p->versions[k].lag != p->versions[version].lag);
    return first;
}

void mst_stencil_gpu_write_targets(const mst_stencil_gpu_writer *g) {
    mst_text_put(
        g->out,
        "\n// Where results go that are so many planes behind the loading, with so many of room to the end of the ring.\n"
        "const bool owns_columns = first_column >= column_begin && first_column < column_end;\n"
        "const bool stores_vectors = owns_columns && first_column + $width <= column_end && to_columns % $width == 0\n"
        "&& (first_column - to_first_column) % $width == 0;\n",
        MST_SET(width, g->width));
    for (int row = 0; row < g->deep; row++)
        mst_text_put(g->out, "const bool owns_row$row = $place >= row_begin && $place < row_end;\n", MST_SET(row, row),
                     MST_SET(place, MST_SUM("first_row", row)));
    for (int k = 0; k < g->w->pipeline->n_versions; k++)
        if (is_first_of_lag(g->w->pipeline, k))
            mst_text_put(g->out,
                         "int room$lag = (int)wrap(part_begin - to_first_plane, to_planes);\n"
                         "long target$lag =\n"
                         "(room$lag * to_rows + first_row - to_first_row) * to_columns + first_column - to_first_column;\n"
                         "room$lag = (int)to_planes - room$lag;\n",
                         MST_SET(lag, g->w->pipeline->versions[k].lag));
}

void mst_stencil_gpu_write_store(const mst_stencil_gpu_writer *g, const mst_field_version *v, int row) {
    mst_component_name component;
    mst_name array;
    if (v->output < 0)
        return;
    const bool half = mst_problem_is_half(g->w->problem, v->output);
    mst_name_state(g->w->problem, v->output, array);
    mst_text_put(g->out,
                 half ? "if (i >= $lag && i < $end && owns_row$row) {\n"
                        "__global half *target = ${array}_out + target$lag + $row * to_columns;\n"
                        "if (stores_vectors)\n"
                        "STORE_VECTOR_HALF(value, target);\n"
                        "else if (owns_columns) {\n"
                      : "if (i >= $lag && i < $end && owns_row$row) {\n"
                        "__global real *target = ${array}_out + target$lag + $row * to_columns;\n"
                        "if (stores_vectors)\n"
                        "*(__global vreal *)target = value;\n"
                        "else if (owns_columns) {\n",
                 MST_SET(lag, v->lag), MST_SET(end, MST_SUM("part_planes", v->lag)), MST_SET(array, array), MST_SET(row, row));
    for (int k = 0; k < g->width; k++) {
        mst_stencil_gpu_name_component(k, component);
        mst_text_put(g->out,
                     half ? "if ($column < column_end)\nvstore_half_rte(value.$component, $k, target);\n"
                          : "if ($column < column_end)\ntarget[$k] = value.$component;\n",
                     MST_SET(k, k), MST_SET(column, MST_SUM("first_column", k)), MST_SET(component, component));
    }
    mst_text_put(g->out, "}\n}\n");
}

void mst_stencil_gpu_write_next_targets(const mst_stencil_gpu_writer *g) {
    for (int k = 0; k < g->w->pipeline->n_versions; k++)
        if (is_first_of_lag(g->w->pipeline, k))
            mst_text_put(g->out,
                         "if (i >= $lag) {\n"
                         "target$lag += to_rows * to_columns;\n"
                         "if (--room$lag == 0) {\n"
                         "room$lag = (int)to_planes;\n"
                         "target$lag -= to_planes * to_rows * to_columns;\n"
                         "}\n}\n",
                         MST_SET(lag, g->w->pipeline->versions[k].lag));
}
