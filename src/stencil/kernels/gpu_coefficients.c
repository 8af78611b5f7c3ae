// How the work-items of a GPU-shaped kernel read coefficient fields. The interior kernel reads what its updates need an iteration
// ahead, as it does the planes of the state, as far as there are registers; what several updates read is read once.
#include "boundary.h"
#include "runtime/numbers.h"
#include "write_gpu.h"

#include <stdio.h>
#include <string.h>

enum { AHEAD_REGISTERS = 24 }; // of a work-item, for what is read ahead

static mst_coefficient_read read_of(const mst_leaf *leaf, int lag) {
    return (mst_coefficient_read){leaf->field, {leaf->offsets[PLANES] - lag, leaf->offsets[ROWS], leaf->offsets[COLUMNS]}};
}

// The number of a read among those that are done ahead, or how many these are.
static int find_ahead(const mst_stencil_gpu_writer *g, mst_coefficient_read read) {
    int k = 0;
    while (k < g->n_ahead &&
           (g->ahead[k].field != read.field || memcmp(g->ahead[k].offsets, read.offsets, sizeof read.offsets) != 0))
        k++;
    return k;
}

void mst_stencil_gpu_choose_ahead(mst_stencil_gpu_writer *g) {
    const mst_pipeline *p = g->w->pipeline;
    const int registers = g->width * g->deep * (int)p->problem->element / 4;
    const int most = mst_smaller(AHEAD_REGISTERS / registers, MST_STENCIL_MOST_AHEAD);
    for (int k = p->problem->n_arrays; k < p->n_versions && !g->is_boundary; k++) {
        const mst_formula *f = &p->problem->updates[p->versions[k].update].formula;
        for (size_t i = 0; i < f->n_leaves; i++) {
            const mst_coefficient_read read = read_of(&f->leaves[i], p->versions[k].lag);
            if (f->leaves[i].kind == MST_VALUE_FIELD && p->problem->fields[read.field].coefficient && g->n_ahead < most &&
                find_ahead(g, read) == g->n_ahead)
                g->ahead[g->n_ahead++] = read;
        }
    }
}

// Sets the vector `name` to what a row of the work-item reads, by the number of a plane. Vectors are aligned ones where they may
// be; the mask changes nothing, as in gpu_memory.c.
static void write_read(const mst_stencil_gpu_writer *g, mst_coefficient_read read, const char *plane, int row, const char *name) {
    const mst_problem *p = g->w->problem;
    const bool half = p->fields[read.field].is_half;
    mst_number_text mapped;
    mst_map_text(p, MST_COEFFICIENT_FACES, PLANES, MST_SUM(plane, read.offsets[PLANES]), mapped);
    mst_text_put(g->out,
                 "const long ${name}_at =\n"
                 "(wrap($plane - coefficient_first_plane, coefficient_planes) * coefficient_rows + $row) * coefficient_columns\n"
                 "+ $column;\n",
                 MST_SET(name, name), MST_SET(plane, mapped), MST_SET(row, MST_SUM("coefficient_row", row + read.offsets[ROWS])),
                 MST_SET(column, MST_SUM("coefficient_column", read.offsets[COLUMNS])));
    if (read.offsets[COLUMNS] % g->width == 0)
        mst_text_put(g->out,
                     half ? "if (coefficient_aligned)\n$name = LOAD_VECTOR_HALF(${field}_coefficient + (${name}_at & -$width));\n"
                            "else\n"
                          : "if (coefficient_aligned)\n"
                            "$name = *(__global const vreal *)(${field}_coefficient + (${name}_at & -$width));\nelse\n",
                     MST_SET(name, name), MST_SET(field, p->fields[read.field].name), MST_SET(width, g->width));
    mst_text_put(g->out, "$name = LOAD_GLOBAL$half(${field}_coefficient + ${name}_at);\n", MST_SET(name, name),
                 MST_SET(half, mst_element_suffix(half)), MST_SET(field, p->fields[read.field].name));
}

static void name_ahead(int k, int row, mst_number_text out) { snprintf(out, sizeof(mst_number_text), "ahead%d_row%d", k, row); }

static void write_ahead(const mst_stencil_gpu_writer *g) {
    mst_number_text name;
    for (int k = 0; k < g->n_ahead; k++)
        for (int row = 0; row < g->deep; row++) {
            name_ahead(k, row, name);
            write_read(g, g->ahead[k], "ahead_plane", row, name);
        }
}

void mst_stencil_gpu_write_first_coefficients(const mst_stencil_gpu_writer *g) {
    const mst_problem *p = g->w->problem;
    mst_number_text name;
    if (g->is_boundary || p->n_coefficients == 0)
        return;
    mst_text_put(g->out,
                 "// The work-item's first row and column in the windows of coefficient fields.\n"
                 "const long coefficient_row =\n"
                 "clamp(first_row - coefficient_first_row, (long)$rows, coefficient_rows - $rows_end);\n"
                 "const long coefficient_column =\n"
                 "clamp(first_column - coefficient_first_column, (long)$columns, coefficient_columns - $columns_end);\n"
                 "const bool coefficient_aligned = coefficient_columns % $width == 0 && coefficient_column % $width == 0;\n",
                 MST_SET(rows, mst_boundary_margin(p, ROWS)), MST_SET(rows_end, mst_boundary_margin(p, ROWS) + g->deep),
                 MST_SET(columns, mst_boundary_margin(p, COLUMNS)),
                 MST_SET(columns_end, mst_boundary_margin(p, COLUMNS) + g->width), MST_SET(width, g->width));
    for (int k = 0; k < g->n_ahead; k++)
        for (int row = 0; row < g->deep; row++) {
            name_ahead(k, row, name);
            mst_text_put(g->out, "vreal $name;\n", MST_SET(name, name));
        }
    if (g->n_ahead == 0)
        return;
    mst_text_put(g->out, "{\nconst long ahead_plane = $plane;\n", MST_SET(plane, MST_SUM("part_begin", g->first)));
    write_ahead(g);
    mst_text_put(g->out, "}\n");
}

void mst_stencil_gpu_write_next_coefficients(const mst_stencil_gpu_writer *g) {
    if (g->n_ahead == 0)
        return;
    mst_text_put(g->out,
                 "// What the next iteration reads of coefficient fields.\n"
                 "if (i + 1 < $end) {\n"
                 "const long ahead_plane = part_begin + i + 1;\n",
                 MST_SET(end, MST_SUM("part_planes", g->last)));
    write_ahead(g);
    mst_text_put(g->out, "}\n");
}

// Nodes beyond what the update computes are read somewhere.
static void write_edge_read(const mst_stencil_gpu_writer *g, const mst_leaf *leaf, const char *name) {
    const mst_problem *p = g->w->problem;
    const bool half = p->fields[leaf->field].is_half;
    mst_number_text plane, row, column;
    mst_component_name component;
    mst_map_text(p, MST_COEFFICIENT_FACES, PLANES, MST_SUM("plane", leaf->offsets[PLANES]), plane);
    mst_map_text(p, MST_COEFFICIENT_FACES, ROWS, MST_SUM("row", leaf->offsets[ROWS]), row);
    mst_text_put(g->out,
                 "__global const $type *${name}_row = ${field}_coefficient\n"
                 "+ (wrap($plane - coefficient_first_plane, coefficient_planes) * coefficient_rows\n"
                 "+ within($row, coefficient_first_row, coefficient_rows)) * coefficient_columns;\n"
                 "vreal $name;\n",
                 MST_SET(type, mst_element_type(half)), MST_SET(name, name), MST_SET(field, p->fields[leaf->field].name),
                 MST_SET(plane, plane), MST_SET(row, row));
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

void mst_stencil_gpu_write_coefficient(const mst_stencil_gpu_writer *g, const mst_field_version *v, const mst_leaf *leaf,
                                       int row) {
    const int k = find_ahead(g, read_of(leaf, v->lag));
    mst_number_text ahead;
    mst_name name;
    mst_name_leaf(g->w->problem, leaf, name);
    name_ahead(k, row, ahead);
    if (g->is_boundary) {
        write_edge_read(g, leaf, name);
    } else if (k < g->n_ahead) {
        mst_text_put(g->out, "const vreal $name = $ahead;\n", MST_SET(name, name), MST_SET(ahead, ahead));
    } else {
        mst_text_put(g->out, "vreal $name;\n", MST_SET(name, name));
        write_read(g, read_of(leaf, 0), "plane", row, name);
    }
}
