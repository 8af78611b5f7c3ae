// How the work-items of a GPU-shaped kernel read and write windows of arrays. Planes of the state are read an iteration ahead.
#include "boundary.h"
#include "write_gpu.h"

#include <stdio.h>

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

// The rows of an input, as aligned vectors or not. The mask changes nothing; without it compilers see that both kinds of rows are
// loaded from one place, and make of them a load a column.
static void write_rows(const mst_stencil_gpu_writer *g, const char *array, bool half, bool aligned) {
    if (aligned && half)
        mst_text_put(g->out, "__global const half *${array}_vectors = ${array}_in + ((from_plane + from_item) & -$width);\n",
                     MST_SET(array, array), MST_SET(width, g->width));
    else if (aligned)
        mst_text_put(g->out,
                     "__global const vreal *${array}_vectors =\n"
                     "(__global const vreal *)(${array}_in + ((from_plane + from_item) & -$width));\n",
                     MST_SET(array, array), MST_SET(width, g->width));
    for (int row = 0; row < g->deep; row++)
        mst_text_put(g->out,
                     aligned && half ? "${array}_next_row$row = LOAD_VECTOR_HALF(${array}_vectors + $row * from_columns);\n"
                     : aligned       ? "${array}_next_row$row = ${array}_vectors[$row * from_vectors];\n"
                                     : "${array}_next_row$row = LOAD_GLOBAL$half(${array}_in + from_plane + from_item"
                                       " + $row * from_columns);\n",
                     MST_SET(array, array), MST_SET(row, row), MST_SET(half, mst_element_suffix(half)));
}

// Loads the plane that begins at element `from_plane` of all inputs.
static void write_load(const mst_stencil_gpu_writer *g) {
    const mst_problem *p = g->w->problem;
    mst_name array;
    mst_text_put(g->out, g->is_boundary ? "if (is_inside) {\n" : "");
    mst_text_put(g->out, "if (from_aligned) {\n");
    for (int aligned = 1; aligned >= 0; aligned--) {
        for (int a = 0; a < p->n_arrays; a++) {
            mst_name_state(p, a, array);
            write_rows(g, array, mst_problem_is_half(p, a), aligned);
        }
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
    mst_name array;
    mst_text_put(g->out,
                 "\n// Planes are loaded an iteration ahead; from_planes_left of them are left to the end of the ring.\n"
                 "const long from_vectors = from_columns / $width;\n"
                 "const bool from_aligned = from_columns % $width == 0 && (first_column - from_first_column) % $width == 0;\n"
                 "long from_planes_left = wrap($first - from_first_plane, from_planes);\n"
                 "long from_plane = from_planes_left * from_rows * from_columns;\n"
                 "from_planes_left = from_planes - from_planes_left;\n",
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
    for (int a = 0; a < g->w->problem->n_arrays; a++) {
        mst_name_state(g->w->problem, a, array);
        for (int row = 0; row < g->deep; row++)
            mst_text_put(g->out, "vreal ${array}_next_row$row;\n", MST_SET(array, array), MST_SET(row, row));
    }
    write_load(g);
    if (!g->is_boundary && g->w->problem->n_coefficients > 0)
        mst_text_put(g->out,
                     "// The work-item's first row and column in the windows of coefficient fields.\n"
                     "const long coefficient_row =\n"
                     "clamp(first_row - coefficient_first_row, (long)$rows, coefficient_rows - $rows_end);\n"
                     "const long coefficient_column =\n"
                     "clamp(first_column - coefficient_first_column, (long)$columns, coefficient_columns - $columns_end);\n",
                     MST_SET(rows, mst_boundary_margin(g->w->problem, ROWS)),
                     MST_SET(rows_end, mst_boundary_margin(g->w->problem, ROWS) + g->deep),
                     MST_SET(columns, mst_boundary_margin(g->w->problem, COLUMNS)),
                     MST_SET(columns_end, mst_boundary_margin(g->w->problem, COLUMNS) + g->width));
}

void mst_stencil_gpu_write_next_load(const mst_stencil_gpu_writer *g) {
    mst_text_put(g->out,
                 "// The next plane of the state is on its way while this one is worked on.\n"
                 "if (i + 1 < $end) {\n"
                 "from_plane += from_rows * from_columns;\n"
                 "if (--from_planes_left == 0) {\n"
                 "from_planes_left = from_planes;\n"
                 "from_plane = 0;\n"
                 "}\n",
                 MST_SET(end, MST_SUM("part_planes", g->tile->high[PLANES])));
    write_load(g);
    mst_text_put(g->out, "}\n");
}

void mst_stencil_gpu_write_coefficient(const mst_stencil_gpu_writer *g, const mst_leaf *leaf) {
    const mst_problem *p = g->w->problem;
    const bool half = p->fields[leaf->field].is_half;
    mst_number_text plane, row, column;
    mst_component_name component;
    mst_name name;
    mst_name_leaf(p, leaf, name);
    mst_map_text(p, MST_COEFFICIENT_FACES, PLANES, MST_SUM("plane", leaf->offsets[PLANES]), plane);
    mst_map_text(p, MST_COEFFICIENT_FACES, ROWS, MST_SUM("row", leaf->offsets[ROWS]), row);
    mst_text_put(g->out,
                 "__global const $type *${name}_row = ${field}_coefficient\n"
                 "+ (wrap($plane - coefficient_first_plane, coefficient_planes) * coefficient_rows",
                 MST_SET(type, mst_element_type(half)), MST_SET(name, name), MST_SET(field, p->fields[leaf->field].name),
                 MST_SET(plane, plane));
    if (!g->is_boundary) {
        mst_text_put(g->out,
                     "\n+ coefficient_row + $row - first_row) * coefficient_columns + $column;\n"
                     "const vreal $name = LOAD_GLOBAL$half(${name}_row);\n",
                     MST_SET(name, name), MST_SET(half, mst_element_suffix(half)),
                     MST_SET(row, MST_SUM("row", leaf->offsets[ROWS])),
                     MST_SET(column, MST_SUM("coefficient_column", leaf->offsets[COLUMNS])));
        return;
    }
    // Nodes beyond what the update computes are read somewhere.
    mst_text_put(g->out,
                 "\n+ within($row, coefficient_first_row, coefficient_rows)) * coefficient_columns;\n"
                 "vreal $name;\n",
                 MST_SET(row, row), MST_SET(name, name));
    for (int k = 0; k < g->width; k++) {
        mst_stencil_gpu_name_component(k, component);
        mst_map_text(p, MST_COEFFICIENT_FACES, COLUMNS, MST_SUM("first_column", k + leaf->offsets[COLUMNS]), column);
        mst_text_put(g->out,
                     half ? "$name.$component =\n"
                            "vload_half(within($column, coefficient_first_column, coefficient_columns), ${name}_row);\n"
                          : "$name.$component = ${name}_row[within($column, coefficient_first_column, coefficient_columns)];\n",
                     MST_SET(name, name), MST_SET(component, component), MST_SET(column, column));
    }
}

void mst_stencil_gpu_write_targets(const mst_stencil_gpu_writer *g) {
    mst_name array;
    mst_text_put(g->out,
                 "\n// Where results go: a plane's begin in each output, with so many planes of room to the end of the ring.\n"
                 "const bool owns_columns = first_column >= column_begin && first_column < column_end;\n"
                 "const bool stores_vectors = owns_columns && first_column + $width <= column_end && to_columns % $width == 0\n"
                 "&& (first_column - to_first_column) % $width == 0;\n",
                 MST_SET(width, g->width));
    for (int a = 0; a < g->w->problem->n_arrays; a++) {
        mst_name_state(g->w->problem, a, array);
        mst_text_put(g->out,
                     "long ${array}_room = wrap(part_begin - to_first_plane, to_planes);\n"
                     "long ${array}_target =\n"
                     "(${array}_room * to_rows + first_row - to_first_row) * to_columns + first_column - to_first_column;\n"
                     "${array}_room = to_planes - ${array}_room;\n",
                     MST_SET(array, array));
    }
}

void mst_stencil_gpu_write_store(const mst_stencil_gpu_writer *g, const mst_field_version *v, int row) {
    mst_component_name component;
    mst_name array;
    if (v->output < 0)
        return;
    const bool half = mst_problem_is_half(g->w->problem, v->output);
    mst_name_state(g->w->problem, v->output, array);
    mst_text_put(g->out,
                 half ? "if (i >= $lag && i < $end && row >= row_begin && row < row_end) {\n"
                        "__global half *target = ${array}_out + ${array}_target + $row * to_columns;\n"
                        "if (stores_vectors)\n"
                        "STORE_VECTOR_HALF(value, target);\n"
                        "else if (owns_columns) {\n"
                      : "if (i >= $lag && i < $end && row >= row_begin && row < row_end) {\n"
                        "__global real *target = ${array}_out + ${array}_target + $row * to_columns;\n"
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

void mst_stencil_gpu_write_next_target(const mst_stencil_gpu_writer *g, const mst_field_version *v) {
    mst_name array;
    if (v->output < 0)
        return;
    mst_name_state(g->w->problem, v->output, array);
    mst_text_put(g->out,
                 "if (i >= $lag) {\n"
                 "${array}_target += to_rows * to_columns;\n"
                 "if (--${array}_room == 0) {\n"
                 "${array}_room = to_planes;\n"
                 "${array}_target -= to_planes * to_rows * to_columns;\n"
                 "}\n}\n",
                 MST_SET(lag, v->lag), MST_SET(array, array));
}
