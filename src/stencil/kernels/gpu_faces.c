// What GPU-shaped kernels do at faces, in sponges, and where there are sources and receivers.
#include "boundary.h"
#include "write_gpu.h"
#include "write_region.h"

#include <stdio.h>

void mst_stencil_gpu_write_masks(const mst_stencil_gpu_writer *g) {
    mst_text_put(
        g->out,
        "\n// Whether some of the work-item's nodes lie beyond faces or the seam of a periodic axis, and which columns do.\n"
        "const bool is_beyond =\n"
        "first_row < 0 || first_row + $deep > n_rows || first_column < 0 || first_column + $width > n_columns;\n"
        "typedef $type$width vmask;\n"
        "const vlong columns = (vlong)(first_column) + LANES;\n"
        "const vmask before_columns = convert_$type$width(columns < 0);\n"
        "const vmask behind_columns = convert_$type$width(columns >= n_columns);\n",
        MST_SET(deep, g->deep), MST_SET(width, g->width), MST_SET(type, g->w->problem->is_double ? "long" : "int"));
}

static void write_face(const mst_stencil_gpu_writer *g, const mst_field_version *v, int axis, int side) {
    static const char *const where[N_AXES][2] = {
        {"plane < 0", "plane >= n_planes"}, {"row < 0", "row >= n_rows"}, {"before_columns", "behind_columns"}};
    const mst_problem *p = g->w->problem;
    const int set = p->fields[v->field].faces;
    const mst_problem_boundary *face = mst_problem_face(p, set, axis, side);
    mst_number_text row, time;
    if (!mst_boundary_is_valued(face) || (axis == ROWS && p->rank < 3) || (axis == PLANES && p->rank < 2))
        return;
    mst_map_text(p, set, ROWS, "row", row);
    snprintf(time, sizeof time, "%d", v->step + 1);
    mst_text_put(g->out, axis == COLUMNS ? "{\n" : "if ($where) {\n", MST_SET(where, where[axis][side]));
    if (face->value.expr) {
        mst_write_place(g->w, &face->value, "plane", axis == ROWS ? "row" : row, time);
        mst_write_column(g->w, &face->value, "first_column", g->width);
        mst_write_formula(g->w, &face->value, g->width, NULL, "outer");
    } else {
        mst_text_put(g->out, "const vreal outer = 0;\n");
    }
    mst_text_put(g->out, axis == COLUMNS ? "value = $where ? outer : value;\n}\n" : "value = outer;\n}\n",
                 MST_SET(where, where[axis][side]));
}

// The slowest axis counts where nodes lie beyond several faces.
void mst_stencil_gpu_write_faces(const mst_stencil_gpu_writer *g, const mst_field_version *v) {
    const mst_problem *p = g->w->problem;
    bool any = false;
    mst_text_put(g->out, "// Beyond faces that have values the value is theirs.\nif (is_beyond) {\n");
    for (int axis = COLUMNS; axis >= PLANES; axis--) {
        if (axis == PLANES)
            mst_text_put(g->out, "}\n");
        for (int side = 0; side < 2; side++) {
            write_face(g, v, axis, side);
            any = any || mst_problem_face(p, p->fields[v->field].faces, axis, side)->value.expr;
        }
    }
    if (any && p->fields[v->field].is_half)
        mst_text_put(g->out, "value = vround_to_half(value);\n");
}

void mst_stencil_gpu_write_damping(const mst_stencil_gpu_writer *g) {
    const mst_problem *p = g->w->problem;
    mst_component_name component;
    if (mst_problem_is_damped(p, PLANES))
        mst_text_put(g->out, "value *= damping[clamp(plane, (long)0, n_planes - 1)];\n");
    if (mst_problem_is_damped(p, ROWS))
        mst_text_put(g->out, "value *= damping[n_planes + clamp(row, (long)0, n_rows - 1)];\n");
    for (int k = 0; k < g->width && mst_problem_is_damped(p, COLUMNS); k++) {
        mst_stencil_gpu_name_component(k, component);
        mst_text_put(g->out, "value.$component *= damping[n_planes + n_rows + clamp($column, (long)0, n_columns - 1)];\n",
                     MST_SET(component, component), MST_SET(column, MST_SUM("first_column", k)));
    }
}

static void write_sources(const mst_stencil_gpu_writer *g, const mst_field_version *v, const size_t range[2]) {
    mst_component_name component;
    mst_text_put(g->out,
                 "// Sources.\n"
                 "const long plane_inside = wrap(plane, n_planes);\n"
                 "for (long k = first_point(points, $first, $end, plane_inside); k < $end && points[k].s0 == plane_inside; k++)\n"
                 "if (wrap(row, n_rows) == points[k].s1) {\n"
                 "const real added = table[(first_step + $step) * $stride + 1 + points[k].s3];\n",
                 MST_SET(first, range[0]), MST_SET(end, range[1]), MST_SET(step, v->step + 1),
                 MST_SET(stride, g->w->problem->n_feeds + 1));
    for (int k = 0; k < g->width; k++) {
        mst_stencil_gpu_name_component(k, component);
        mst_text_put(g->out,
                     g->w->problem->fields[v->field].is_half
                         ? "if (wrap($column, n_columns) == points[k].s2)\n"
                           "value.$component = round_to_half(value.$component + added);\n"
                         : "if (wrap($column, n_columns) == points[k].s2)\nvalue.$component += added;\n",
                     MST_SET(column, MST_SUM("first_column", k)), MST_SET(component, component));
    }
    mst_text_put(g->out, "}\n");
}

static void write_receivers(const mst_stencil_gpu_writer *g, const mst_field_version *v, const size_t range[2]) {
    mst_component_name component;
    mst_text_put(g->out,
                 "// Receivers.\n"
                 "if (plane >= part_begin && plane < part_end && row >= row_begin && row < row_end"
                 " && first_column >= column_begin)\n"
                 "for (long k = first_point(points, $first, $end, plane); k < $end && points[k].s0 == plane; k++)\n"
                 "if (row == points[k].s1) {\n"
                 "__global real *record = records + (first_step + $step) * $stride + points[k].s3;\n",
                 MST_SET(first, range[0]), MST_SET(end, range[1]), MST_SET(step, v->step),
                 MST_SET(stride, g->w->problem->n_records));
    for (int k = 0; k < g->width; k++) {
        mst_stencil_gpu_name_component(k, component);
        mst_text_put(g->out,
                     "if ($column == points[k].s2 && $column < column_end)\n"
                     "*record = value.$component;\n",
                     MST_SET(column, MST_SUM("first_column", k)), MST_SET(component, component));
    }
    mst_text_put(g->out, "}\n");
}

void mst_stencil_gpu_write_points(const mst_stencil_gpu_writer *g, const mst_field_version *v) {
    const size_t *sources = &g->w->sources.first[v->field], *receivers = &g->w->receivers.first[v->field];
    mst_number_text step;
    if (sources[1] > sources[0])
        write_sources(g, v, sources);
    snprintf(step, sizeof step, "%d", v->step);
    mst_write_regions_gpu(g->w, v->field, g->width, step);
    if (receivers[1] > receivers[0])
        write_receivers(g, v, receivers);
}
