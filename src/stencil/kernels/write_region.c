#include "write_region.h"

#include <stdio.h>

void mst_write_region_box(const mst_writer *w, size_t region) {
    mst_text_put(w->out, "const long4 low = points[$low], high = points[$high];\n", MST_SET(low, w->first_region + 2 * region),
                 MST_SET(high, w->first_region + 2 * region + 1));
}

static void write_type(const mst_writer *w, int width) { mst_text_put(w->out, width > 1 ? "vreal " : "real "); }

// The value of an expression of coordinates at the place, under a name.
static void write_at(const mst_writer *w, const mst_formula *f, const mst_region_place *at, const char *name) {
    mst_write_place(w, f, at->plane, at->row, at->step);
    mst_write_column(w, f, at->column, at->width);
    mst_write_formula(w, f, at->width, NULL, name);
}

// The series at a time that differs from node to node.
static void write_delayed(const mst_writer *w, const mst_problem_source *s, const mst_region_place *at) {
    mst_text_put(w->out, "{\n");
    write_at(w, &s->delay, at, "delay");
    mst_text_put(w->out, "const ");
    write_type(w, at->width);
    mst_text_put(w->out, "t = table[(first_step + $step + 1) * $stride] - delay;\n", MST_SET(step, at->step),
                 MST_SET(stride, w->problem->n_feeds + 1));
    mst_write_formula(w, &s->series, at->width, NULL, "signal");
    mst_text_put(w->out, "added = signal;\n}\n");
}

void mst_write_region_value(const mst_writer *w, const mst_problem_source *s, const mst_region_place *at) {
    write_type(w, at->width);
    mst_text_put(w->out, "added = table[(first_step + $step + 1) * $stride + $column];\n", MST_SET(step, at->step),
                 MST_SET(stride, w->problem->n_feeds + 1), MST_SET(column, 1 + s->first));
    if (s->delay.expr)
        write_delayed(w, s, at);
    if (!s->amplitude.expr)
        return;
    mst_text_put(w->out, "{\n");
    write_at(w, &s->amplitude, at, "amplitude");
    mst_text_put(w->out, "added *= amplitude;\n}\n");
}

// ---- Tiles of GPUs

void mst_write_regions_gpu(const mst_writer *w, int field, int width, const char *step) {
    const mst_problem *p = w->problem;
    const mst_region_place at = {"plane", "row", "first_column", step, width};
    for (size_t k = 0; k < p->n_regions; k++) {
        const mst_problem_source *s = mst_points_region(p, k);
        if (s->field != field)
            continue;
        mst_text_put(w->out, "{ // The source of a region.\n");
        mst_write_region_box(w, k);
        mst_text_put(w->out,
                     "const long plane_inside = wrap(plane, n_planes), row_inside = wrap(row, n_rows);\n"
                     "if (plane_inside >= low.s0 && plane_inside < high.s0 && row_inside >= low.s1 && row_inside < high.s1) {\n");
        mst_text_put(w->out, mst_problem_periodic(p, COLUMNS)
                                 ? "const vlong columns_inside = (columns % n_columns + n_columns) % n_columns;\n"
                                 : "const vlong columns_inside = columns;\n");
        mst_text_put(w->out,
                     "const vmask inside =\n"
                     "convert_$type$width((columns_inside >= low.s2) & (columns_inside < high.s2));\n",
                     MST_SET(type, p->is_double ? "long" : "int"), MST_SET(width, width));
        mst_write_region_value(w, s, &at);
        mst_text_put(w->out, p->fields[field].is_half ? "value = inside ? vround_to_half(value + added) : value;\n}\n}\n"
                                                      : "value = inside ? value + added : value;\n}\n}\n");
    }
}

void mst_write_regions_gpu_choice(const mst_writer *w) {
    const mst_tile *t = w->tile;
    for (size_t k = 0; k < w->problem->n_regions; k++) {
        mst_text_put(w->out, "{ // no source of a region may, either\n");
        mst_write_region_box(w, k);
        mst_text_put(w->out, "const long first_plane = plane_begin - $before, planes = plane_end + $behind - first_plane;\n",
                     MST_SET(before, t->low[PLANES]), MST_SET(behind, t->high[PLANES]));
        mst_text_put(w->out, mst_problem_periodic(w->problem, PLANES)
                                 ? "is_interior &= !((wrap(low.s0 - first_plane, n_planes) < planes\n"
                                   "|| wrap(first_plane - low.s0, n_planes) < high.s0 - low.s0)\n"
                                 : "is_interior &= !(high.s0 > first_plane && low.s0 < first_plane + planes\n");
        mst_text_put(w->out,
                     "&& high.s1 > halo_row_begin && low.s1 < halo_row_begin + $rows\n"
                     "&& high.s2 > halo_column_begin && low.s2 < halo_column_begin + $columns);\n}\n",
                     MST_SET(rows, t->whole[ROWS]), MST_SET(columns, t->whole[COLUMNS]));
    }
}

// ---- Tiles of CPUs

// The columns of the box and, on a periodic axis, of its images that the tile has.
static void write_columns(const mst_writer *w, mst_region_range columns) {
    if (mst_problem_periodic(w->problem, COLUMNS))
        mst_text_put(
            w->out,
            "const long columns_begin = $low, columns_end = $high;\n"
            "for (long image = -n_columns * max((high.s2 - columns_begin) / n_columns + 1, (long)0);\n"
            "low.s2 + image < columns_end; image += n_columns)\n"
            "for (long column = max(columns_begin, low.s2 + image); column < min(columns_end, high.s2 + image); column++) {\n",
            MST_SET(low, columns.low), MST_SET(high, columns.high));
    else
        mst_text_put(w->out, "for (long column = max($low, low.s2); column < min($high, high.s2); column++) {\n",
                     MST_SET(low, columns.low), MST_SET(high, columns.high));
}

void mst_write_regions_cpu(const mst_writer *w, mst_region_range rows, mst_region_range columns, const char *element) {
    const mst_problem *p = w->problem;
    const mst_region_place at = {"plane", "row", "column", "step", 1};
    for (size_t k = 0; k < p->n_regions; k++) {
        const mst_problem_source *s = mst_points_region(p, k);
        mst_text_put(w->out, "if (version[1] == $field) { // the source of a region\n", MST_SET(field, s->field));
        mst_write_region_box(w, k);
        mst_text_put(w->out,
                     "const long plane_inside = wrap(plane, n_planes);\n"
                     "if (plane_inside >= low.s0 && plane_inside < high.s0)\n"
                     "for (long row = $low; row < $high; row++) {\n"
                     "const long row_inside = wrap(row, n_rows);\n"
                     "if (row_inside < low.s1 || row_inside >= high.s1)\ncontinue;\n",
                     MST_SET(low, rows.low), MST_SET(high, rows.high));
        write_columns(w, columns);
        mst_write_region_value(w, s, &at);
        mst_text_put(w->out,
                     p->fields[s->field].is_half ? "$element = round_to_half($element + added);\n}\n}\n}\n"
                                                 : "$element += added;\n}\n}\n}\n",
                     MST_SET(element, element));
    }
}

// ---- Sweeps

void mst_write_regions_sweep(const mst_writer *w) {
    const mst_region_place at = {"plane", "row", "column", "0", 1};
    for (size_t k = 0; k < w->problem->n_regions; k++) {
        const bool half = w->problem->fields[mst_points_region(w->problem, k)->field].is_half;
        mst_text_put(
            w->out,
            "\n// The source of a region.\n"
            "__kernel void add_region$k(__global $type *array, __global const real *table, __global const long4 *points,\n"
            "long8 grid, long4 work) {\n"
            "const long n_planes = grid.s0, n_rows = grid.s1, n_columns = grid.s2, first_step = work.s3;\n"
            "const long4 low = points[work.s2], high = points[work.s2 + 1];\n"
            "const long i = get_global_id(0), rows = high.s1 - low.s1, columns = high.s2 - low.s2;\n"
            "const long column = low.s2 + i % columns, row = low.s1 + i / columns % rows;\n"
            "const long plane = work.s0 + i / columns / rows;\n"
            "if (plane >= work.s1)\nreturn;\n",
            MST_SET(k, k), MST_SET(type, mst_element_type(half)));
        mst_write_region_value(w, mst_points_region(w->problem, k), &at);
        mst_text_put(w->out, half ? "const long element = element_of((long4)(plane, row, column, 0), grid);\n"
                                    "vstore_half_rte(vload_half(element, array) + added, element, array);\n}\n"
                                  : "array[element_of((long4)(plane, row, column, 0), grid)] += added;\n}\n");
    }
}
