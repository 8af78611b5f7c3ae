// Which of the two GPU-shaped kernels does a tile. The interior kernel does those that touch no point, layer and face, or reach
// beyond faces whose value is a number, where these lie between work-items. What work-items beyond such a face compute is lost;
// others, who would read it, read the face's value instead. Work-items that compute nothing the tile needs may lie beyond the
// window.
#include "boundary.h"
#include "cutting.h"
#include "stencil/scheme/layers.h"
#include "write_gpu.h"
#include "write_region.h"

#include <stdio.h>

// The condition under which a tile may reach beyond a face: the window ends there, too, and work-items lie on either side.
static void open_text(const mst_stencil_gpu_writer *g, int axis, int side, const char *window_ends, const char *distance,
                      mst_number_text out) {
    out[0] = '\0';
    if (mst_boundary_is_open(g->w->problem, axis, side))
        snprintf(out, sizeof(mst_number_text), " | ((%s) & (%s %% %d == 0))", window_ends, distance, g->tile->item[axis]);
}

static void write_extent(const mst_stencil_gpu_writer *g) {
    const mst_tile *t = g->tile;
    mst_text_put(g->out,
                 "\n// The rows and columns that the tile needs with its halo, in whole work-items.\n"
                 "const long halo_row_begin = row_begin - $above, halo_column_begin = column_begin - $left;\n"
                 "const long halo_row_end = halo_row_begin + (row_end - halo_row_begin + $rows_more) / $deep * $deep;\n"
                 "const long halo_column_end =\n"
                 "halo_column_begin + (column_end - halo_column_begin + $columns_more) / $width * $width;\n",
                 MST_SET(above, t->before[ROWS]), MST_SET(left, t->before[COLUMNS]), MST_SET(deep, g->deep),
                 MST_SET(width, g->width), MST_SET(rows_more, t->high[ROWS] + g->deep - 1),
                 MST_SET(columns_more, t->high[COLUMNS] + g->width - 1));
}

// A window holds the nodes that the tile needs, and so many along and across around them, as far as these are not beyond open
// faces.
static void write_window_condition(const mst_stencil_gpu_writer *g, const char *window, int along, int across) {
    char ends[4][96];
    mst_number_text open[4];
    snprintf(ends[0], sizeof ends[0], "%s_first_row == 0", window);
    snprintf(ends[1], sizeof ends[1], "%s_first_row + %s_rows == n_rows", window, window);
    snprintf(ends[2], sizeof ends[2], "%s_first_column == 0", window);
    snprintf(ends[3], sizeof ends[3], "%s_first_column + %s_columns == n_columns", window, window);
    open_text(g, ROWS, 0, ends[0], "halo_row_begin", open[0]);
    open_text(g, ROWS, 1, ends[1], "(n_rows - halo_row_begin)", open[1]);
    open_text(g, COLUMNS, 0, ends[2], "halo_column_begin", open[2]);
    open_text(g, COLUMNS, 1, ends[3], "(n_columns - halo_column_begin)", open[3]);
    mst_text_put(g->out,
                 "(($row_begin >= max(${window}_first_row, (long)0))$open_above)\n"
                 "& (($row_end <= min(${window}_first_row + ${window}_rows, n_rows))$open_below)\n"
                 "& (($column_begin >= max(${window}_first_column, (long)0))$open_left)\n"
                 "& (($column_end <= min(${window}_first_column + ${window}_columns, n_columns))$open_right)",
                 MST_SET(window, window), MST_SET(row_begin, MST_SUM("halo_row_begin", -along)),
                 MST_SET(row_end, MST_SUM("halo_row_end", along)), MST_SET(column_begin, MST_SUM("halo_column_begin", -across)),
                 MST_SET(column_end, MST_SUM("halo_column_end", across)), MST_SET(open_above, open[0]),
                 MST_SET(open_below, open[1]), MST_SET(open_left, open[2]), MST_SET(open_right, open[3]));
}

// No node that the tile needs is in a layer.
static void write_layers_condition(const mst_stencil_gpu_writer *g, int axis, const char *name) {
    const mst_problem *p = g->tile->problem;
    const mst_layer_nodes clear = mst_layers_clear(p, axis);
    if (clear.low > 0 || clear.high < (int64_t)p->grid[axis])
        mst_text_put(g->out, "\n& (halo_${name}_begin >= $low) & (halo_${name}_end <= n_${name}s - $high)", MST_SET(name, name),
                     MST_SET(low, clear.low), MST_SET(high, (int64_t)p->grid[axis] - clear.high));
}

// Without branches: with them, the loop takes 20 registers more.
static void write_condition(const mst_stencil_gpu_writer *g) {
    const mst_problem *p = g->tile->problem;
    mst_text_put(g->out,
                 "// Whether the tile is an interior one: all of these nodes are there, and none is beyond a face with cases.\n"
                 "bool is_interior = ");
    write_window_condition(g, "from", 0, 0);
    if (!mst_problem_periodic(p, PLANES))
        mst_text_put(g->out, "\n& (plane_begin - $before >= 0) & (plane_end + $behind <= n_planes)",
                     MST_SET(before, mst_cutting_edge(g->tile, 0)), MST_SET(behind, mst_cutting_edge(g->tile, 1)));
    write_layers_condition(g, ROWS, "row");
    write_layers_condition(g, COLUMNS, "column");
    if (p->n_coefficients > 0) {
        mst_text_put(g->out, "\n& ");
        write_window_condition(g, "coefficient", mst_boundary_margin(p, ROWS), mst_boundary_margin(p, COLUMNS));
    }
    mst_text_put(g->out, ";\n");
}

static void write_points_inside(const mst_stencil_gpu_writer *g) {
    const mst_problem *p = g->w->problem;
    mst_number_text planes = "";
    if (g->w->n_points == 0)
        return;
    if (!mst_problem_periodic(p, PLANES))
        snprintf(planes, sizeof planes, "high.s0 <= plane_begin - %d || low.s0 >= plane_end + %d || ", g->tile->low[PLANES],
                 g->tile->high[PLANES]);
    if (g->w->n_points <= MST_POINTS_GROUP)
        mst_text_put(g->out, "for (long k = 0; k < $n && is_interior; k++) // no source or receiver may lie there\n",
                     MST_SET(n, g->w->n_points));
    else // those whose boxes reach there
        mst_text_put(g->out,
                     "for (long group = 0; group < $n && is_interior; group += $size) {\n"
                     "const long4 low = points[$n + group / $size * 2], high = points[$n + group / $size * 2 + 1];\n"
                     "if (${planes}"
                     "high.s1 <= halo_row_begin || low.s1 >= halo_row_begin + $rows || high.s2 <= halo_column_begin\n"
                     "|| low.s2 >= halo_column_begin + $columns)\ncontinue;\n"
                     "for (long k = group; k < min(group + $size, (long)$n) && is_interior; k++) // no source or receiver\n",
                     MST_SET(n, g->w->n_points), MST_SET(size, MST_POINTS_GROUP), MST_SET(planes, planes),
                     MST_SET(rows, g->tile->whole[ROWS]), MST_SET(columns, g->tile->whole[COLUMNS]));
    if (mst_problem_periodic(p, PLANES))
        mst_text_put(g->out, "is_interior = !(");
    else
        mst_text_put(g->out, "is_interior = !(points[k].s0 >= plane_begin - $before && points[k].s0 < plane_end + $behind\n&& ",
                     MST_SET(before, g->tile->low[PLANES]), MST_SET(behind, g->tile->high[PLANES]));
    mst_text_put(g->out,
                 "points[k].s1 >= halo_row_begin && points[k].s1 < halo_row_begin + $rows\n"
                 "&& points[k].s2 >= halo_column_begin && points[k].s2 < halo_column_begin + $columns);\n",
                 MST_SET(rows, g->tile->whole[ROWS]), MST_SET(columns, g->tile->whole[COLUMNS]));
    if (g->w->n_points > MST_POINTS_GROUP)
        mst_text_put(g->out, "}\n");
}

static void write_part(const mst_stencil_gpu_writer *g) {
    if (g->is_boundary)
        mst_text_put(g->out, "\n// Work-groups share a strip in parts, but for those of the shorter strips at faces.\n"
                             "const long edge_groups = ((edge_planes > 0) + sides.s4) * rows_of_tiles * columns_of_tiles;\n"
                             "const long group = get_group_id(0), n_parts = group < edge_groups ? 1 : launch.s3;\n"
                             "const long part = group < edge_groups ? 0 : (group - edge_groups) % n_parts;\n"
                             "const long part_begin = plane_begin + part * (plane_end - plane_begin) / n_parts;\n"
                             "const long part_end = plane_begin + (part + 1) * (plane_end - plane_begin) / n_parts;\n");
    else
        mst_text_put(g->out, "const long part_begin = plane_begin, part_end = plane_end;\n");
    mst_text_put(g->out, "const int part_planes = (int)(part_end - part_begin);\n");
}

void mst_stencil_gpu_write_choice(const mst_stencil_gpu_writer *g) {
    write_extent(g);
    write_condition(g);
    write_points_inside(g);
    mst_write_regions_gpu_choice(g->w);
    mst_text_put(g->out, g->is_boundary ? "if (is_interior)\nreturn;\n" : "if (!is_interior)\nreturn;\n");
    write_part(g);
}
