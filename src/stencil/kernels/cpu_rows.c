// The rows of a version's plane in a CPU-shaped kernel: loading an input, and updates.
#include "write_cpu.h"

#include <stdio.h>

static void write_load(const mst_stencil_cpu_writer *c, bool half) {
    const mst_stencil_cpu_range columns = mst_stencil_cpu_range_of(c, COLUMNS, false);
    const char *alone =
        half ? "ring_row[(int)(column - column_begin)] = vload_half(within(column, from_first_column, from_columns), from_row);\n"
             : "ring_row[(int)(column - column_begin)] = from_row[within(column, from_first_column, from_columns)];\n";
    mst_text_put(
        c->out,
        "__global const $type *from_row = $inputs[operation]\n"
        "+ (wrap(plane - from_first_plane, from_planes) * from_rows + within(row, from_first_row, from_rows)) * from_columns;\n"
        "long column = $first;\n"
        "const long end = $last;\n"
        "for (; column < min(end, from_first_column); column++)\n",
        MST_SET(type, mst_element_type(half)), MST_SET(inputs, half ? "half_inputs" : "inputs"), MST_SET(first, columns.low),
        MST_SET(last, columns.high));
    mst_text_put(c->out, alone);
    mst_text_put(
        c->out,
        "for (; column + $width <= min(end, from_first_column + from_columns); column += $width)\n"
        "STORE_LOCAL(LOAD_GLOBAL$half(from_row + (column - from_first_column)), ring_row + (int)(column - column_begin));\n"
        "for (; column < end; column++)\n",
        MST_SET(width, c->width), MST_SET(half, mst_element_suffix(half)));
    mst_text_put(c->out, alone);
}

// Declares a pointer to column column_begin of the row that a leaf reads, by the leaf's name.
static void write_ring_row(const mst_stencil_cpu_writer *c, const mst_leaf *leaf, int update, const char *plane,
                           const char *name) {
    const mst_field_rings *r = &c->rings.fields[leaf->field];
    const int back = leaf->level + !mst_problem_is_newer(c->problem, leaf->field, update);
    mst_text_put(c->out,
                 "const __local real *$name =\n"
                 "ring + $base + ($step) * $ring + (int)($plane - first_ring_plane) % $depth * $plane_elements\n"
                 "+ (int)($row - row_begin + $above) * $pitch + $left;\n",
                 MST_SET(name, name), MST_SET(base, r->base),
                 MST_SET(step, MST_SUM("step", c->problem->fields[leaf->field].levels - back)),
                 MST_SET(ring, r->depth * c->rings.plane), MST_SET(plane, plane), MST_SET(depth, r->depth),
                 MST_SET(plane_elements, c->rings.plane), MST_SET(row, MST_SUM("row", leaf->offsets[ROWS])),
                 MST_SET(above, c->rings.above), MST_SET(pitch, c->rings.pitch),
                 MST_SET(left, c->rings.left + leaf->offsets[COLUMNS]));
}

static void write_rows_read(const mst_stencil_cpu_writer *c, int update) {
    const mst_formula *f = &c->problem->updates[update].formula;
    mst_number_text plane, row;
    mst_name name;
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        const mst_problem_field *field = &c->problem->fields[leaf->field];
        mst_name_leaf(c->problem, leaf, name);
        if (!field->coefficient) {
            write_ring_row(c, leaf, update, MST_SUM("plane", leaf->offsets[PLANES]), name);
            continue;
        }
        mst_map_text(c->problem, MST_COEFFICIENT_FACES, PLANES, MST_SUM("plane", leaf->offsets[PLANES]), plane);
        mst_map_text(c->problem, MST_COEFFICIENT_FACES, ROWS, MST_SUM("row", leaf->offsets[ROWS]), row);
        mst_text_put(c->out,
                     "__global const $type *$name = ${field}_coefficient\n"
                     "+ (wrap($plane - coefficient_first_plane, coefficient_planes) * coefficient_rows\n"
                     "+ within($row, coefficient_first_row, coefficient_rows)) * coefficient_columns\n"
                     "+ column_begin - coefficient_first_column;\n",
                     MST_SET(type, mst_element_type(field->is_half)), MST_SET(name, name), MST_SET(field, field->name),
                     MST_SET(plane, plane), MST_SET(row, row));
    }
}

// The text of a leaf's value at column column_begin + j, and before it what has to be declared for it.
static void write_leaf(const mst_stencil_cpu_writer *c, const mst_leaf *leaf, int width, mst_number_text value) {
    const bool coefficient = c->problem->fields[leaf->field].coefficient, half = c->problem->fields[leaf->field].is_half;
    mst_number_text column;
    mst_name name;
    mst_name_leaf(c->problem, leaf, name);
    if (!coefficient) {
        snprintf(value, sizeof(mst_number_text), width > 1 ? "LOAD_LOCAL(%s + j)" : "%s[j]", name);
    } else if (width > 1) {
        snprintf(value, sizeof(mst_number_text), "LOAD_GLOBAL%s(%s + %s)", mst_element_suffix(half), name,
                 MST_SUM("j", leaf->offsets[COLUMNS]));
    } else {
        mst_map_text(c->problem, MST_COEFFICIENT_FACES, COLUMNS, MST_SUM("column_begin + j", leaf->offsets[COLUMNS]), column);
        mst_text_put(
            c->out,
            half ? "const real ${name}_value = vload_half(within($column, coefficient_first_column, coefficient_columns)\n"
                   "- column_begin + coefficient_first_column, $name);\n"
                 : "const real ${name}_value = $name[within($column, coefficient_first_column, coefficient_columns)\n"
                   "- column_begin + coefficient_first_column];\n",
            MST_SET(name, name), MST_SET(column, column));
        snprintf(value, sizeof(mst_number_text), "%s_value", name);
    }
}

// Stores one vector or number of a row, times the factors of sponges.
static void write_result(const mst_stencil_cpu_writer *c, int width, bool half) {
    static const char *const number[] = {"plane", "row", "column_begin + j"}, *const base[] = {"", " + n_planes",
                                                                                               " + n_planes + n_rows"};
    mst_text_put(c->out, width > 1 ? "STORE_LOCAL($round" : "ring_row[j] = $round",
                 MST_SET(round, !half       ? "value"
                                : width > 1 ? "vround_to_half(value"
                                            : "round_to_half(value"));
    for (int axis = 0; axis < N_AXES; axis++)
        if (mst_problem_is_damped(c->problem, axis))
            mst_text_put(c->out,
                         axis == COLUMNS && width > 1 ? " * LOAD_GLOBAL(damping$base + $number)" : " * damping[$number$base]",
                         MST_SET(base, base[axis]), MST_SET(number, number[axis]));
    mst_text_put(c->out, width > 1 ? "$end, ring_row + j);\n" : "$end;\n", MST_SET(end, half ? ")" : ""));
}

static void write_value(const mst_stencil_cpu_writer *c, int update, int width) {
    const mst_formula *f = &c->problem->updates[update].formula;
    mst_number_text values[MST_STENCIL_MAX_LEAVES];
    mst_write_column(c->w, f, "column_begin + j", width);
    for (size_t i = 0; i < f->n_leaves; i++)
        if (f->leaves[i].kind == MST_VALUE_FIELD)
            write_leaf(c, &f->leaves[i], width, values[i]);
    mst_write_formula(c->w, f, width, (const mst_number_text *)values, "value");
    write_result(c, width, c->problem->fields[c->problem->updates[update].field].is_half);
}

static bool reads_coefficients(const mst_stencil_cpu_writer *c, const mst_formula *f) {
    for (size_t i = 0; i < f->n_leaves; i++)
        if (f->leaves[i].kind == MST_VALUE_FIELD && c->problem->fields[f->leaves[i].field].coefficient)
            return true;
    return false;
}

static void write_update(const mst_stencil_cpu_writer *c, int update, const mst_stencil_cpu_range *columns) {
    const mst_formula *f = &c->problem->updates[update].formula;
    write_rows_read(c, update);
    mst_write_place(c->w, f, "plane", "row", "step");
    mst_text_put(c->out, "int j = (int)($first - column_begin);\nconst int end = (int)($last - column_begin);\n",
                 MST_SET(first, columns->low), MST_SET(last, columns->high));
    if (!reads_coefficients(c, f)) { // rows of the ring have room for a last vector beyond the end
        mst_text_put(c->out, "for (; j < end; j += $width) {\n", MST_SET(width, c->width));
        write_value(c, update, c->width);
        mst_text_put(c->out, "}\n");
        return;
    }
    mst_text_put(c->out,
                 "const int vectors_begin = min(end, (int)(coefficient_first_column - column_begin + $margin));\n"
                 "const int vectors_end =\n"
                 "min(end, (int)(coefficient_first_column + coefficient_columns - column_begin - $margin));\n"
                 "for (int stop = vectors_begin;; stop = end) { // the same code before and behind the vectors\n"
                 "for (; j < stop; j++) {\n",
                 MST_SET(margin, c->problem->coefficient_reach));
    write_value(c, update, 1);
    mst_text_put(c->out, "}\nif (j >= end)\nbreak;\nfor (; j + $width <= vectors_end; j += $width) {\n",
                 MST_SET(width, c->width));
    write_value(c, update, c->width);
    mst_text_put(c->out, "}\n}\n");
}

void mst_stencil_cpu_write_rows(const mst_stencil_cpu_writer *c) {
    const mst_problem *p = c->problem;
    const mst_stencil_cpu_range rows = mst_stencil_cpu_range_of(c, ROWS, false),
                                columns = mst_stencil_cpu_range_of(c, COLUMNS, false);
    mst_text_put(c->out, "for (long row = $low, rows_end = $high;\nrow < rows_end; row++) {\n", MST_SET(low, rows.low),
                 MST_SET(high, rows.high));
    mst_stencil_cpu_write_row(c);
    mst_text_put(c->out, "if (operation < $n_arrays) { // load an input\n", MST_SET(n_arrays, p->n_arrays));
    mst_stencil_cpu_write_kinds(c, write_load);
    for (int u = 0; u < p->n_updates; u++) {
        mst_text_put(c->out, "} else if (operation == $operation) { // update $field\n", MST_SET(operation, p->n_arrays + u),
                     MST_SET(field, p->fields[p->updates[u].field].name));
        write_update(c, u, &columns);
    }
    mst_text_put(c->out, "}\n}\n");
}
