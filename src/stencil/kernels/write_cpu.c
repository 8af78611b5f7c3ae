// CPU-shaped kernels: one work-item takes a tile of rows and columns through a strip of planes. The planes of each version that
// are still needed lie in a ring of local memory, which is the cache there; a plane is computed with vectors along the columns.
// Compilers take long for the same code again and again, so there is one loop over all versions, with tables of what differs
// between them; only the updates' expressions are written out. The same kernel does m steps and one: it has the tables of both.
#include "write_cpu.h"

// A row to an output array of one kind of elements.
static void write_output_row(const mst_stencil_cpu_writer *c, bool half) {
    mst_text_put(c->out,
                 "__global $type *to_row = $outputs[output]\n"
                 "+ (wrap(plane - to_first_plane, to_planes) * to_rows + row - to_first_row) * to_columns\n"
                 "+ column_begin - to_first_column;\n"
                 "int j = 0;\n"
                 "const int end = (int)(column_end - column_begin);\n"
                 "for (; j + $width <= end; j += $width)\n"
                 "STORE_GLOBAL$half(LOAD_LOCAL(ring_row + j), to_row + j);\n"
                 "for (; j < end; j++)\n",
                 MST_SET(type, mst_element_type(half)), MST_SET(outputs, half ? "half_outputs" : "outputs"),
                 MST_SET(half, mst_element_suffix(half)), MST_SET(width, c->width));
    mst_text_put(c->out, half ? "vstore_half_rte(ring_row[j], j, to_row);\n" : "to_row[j] = ring_row[j];\n");
}

// The part of the plane that ends in an output array, copied from the ring.
static void write_output(const mst_stencil_cpu_writer *c) {
    mst_text_put(c->out, "// A result goes to its array.\n"
                         "if (output >= 0 && plane >= plane_begin && plane < plane_end)\n"
                         "for (long row = row_begin; row < row_end; row++) {\n");
    mst_stencil_cpu_write_row(c);
    mst_stencil_cpu_write_kinds(c, write_output_row);
    mst_text_put(c->out, "}\n");
}

// Everything of a version in a plane.
static void write_version(const mst_stencil_cpu_writer *c) {
    const mst_stencil_cpu_range planes = mst_stencil_cpu_range_of(c, PLANES, false);
    mst_text_put(c->out, "if (plane >= $low && plane < $high) {\n", MST_SET(low, planes.low), MST_SET(high, planes.high));
    mst_stencil_cpu_write_rows(c);
    mst_stencil_cpu_write_points(c);
    mst_stencil_cpu_write_side_columns(c);
    mst_stencil_cpu_write_side_rows(c);
    write_output(c);
    mst_text_put(c->out, "}\n");
    mst_stencil_cpu_write_side_planes(c);
}

void mst_stencil_cpu_write_kinds(const mst_stencil_cpu_writer *c, void (*write)(const mst_stencil_cpu_writer *c, bool half)) {
    if (c->n_half == 0 || c->n_half == c->problem->n_arrays) {
        write(c, c->n_half > 0);
        return;
    }
    mst_text_put(c->out, "if (is_half) {\n");
    write(c, true);
    mst_text_put(c->out, "} else {\n");
    write(c, false);
    mst_text_put(c->out, "}\n");
}

// Tables of the arrays of one kind of elements by their numbers; 0 stands for the others.
static void write_arrays(const mst_stencil_cpu_writer *c, bool half) {
    mst_name name;
    for (int output = 0; output < 2; output++) {
        mst_text_put(c->out, output ? "__global $type *${half}outputs[] = {" : "__global const $type *${half}inputs[] = {",
                     MST_SET(type, mst_element_type(half)), MST_SET(half, half ? "half_" : ""));
        for (int a = 0; a < c->problem->n_arrays; a++) {
            mst_name_state(c->problem, a, name);
            mst_text_put(c->out, a > 0 ? ", " : "");
            if (mst_problem_is_half(c->problem, a) != half)
                mst_text_put(c->out, "0");
            else
                mst_text_put(c->out, output ? "${name}_out" : "${name}_in", MST_SET(name, name));
        }
        mst_text_put(c->out, "};\n");
    }
}

static void write_loop(const mst_stencil_cpu_writer *c, const int n_versions[2]) {
    int first[2], last[2];
    mst_tile_iterations(c->w->pipeline, &first[0], &last[0]);
    mst_tile_iterations(c->w->single, &first[1], &last[1]);
    mst_text_put(
        c->out,
        "\n// Iteration i loads plane i of the state and computes a plane further back of each version.\n"
        "const int single = (int)launch.s3, versions_begin = single ? $n_fused : 0, versions_end = single ? $n_all : $n_fused;\n"
        "const long first = plane_begin + (single ? $first_single : $first), last = plane_end + (single ? $last_single : "
        "$last);\n"
        "for (long i = first; i < last; i++)\n"
        "for (int v = versions_begin; v < versions_end; v++) {\n"
        "__constant const int *version = versions + 11 * v, *field = fields + 9 * version[1];\n"
        "const int operation = version[0], step = version[2], output = version[3];\n"
        "const int low_planes = version[5], high_planes = version[6], low_rows = version[7], high_rows = version[8];\n"
        "const int low_columns = version[9], high_columns = version[10];\n"
        "const int before_planes = field[3], behind_planes = field[4], before_rows = field[5], behind_rows = field[6];\n"
        "const int before_columns = field[7], behind_columns = field[8];\n"
        "const long plane = i - version[4];\n"
        "__local real *ring_plane =\n"
        "ring + field[0] + ((step + field[1]) * field[2] + (int)(plane - first_ring_plane) % field[2]) * $plane;\n",
        MST_SET(n_fused, n_versions[0]), MST_SET(n_all, n_versions[0] + n_versions[1]), MST_SET(first_single, first[1]),
        MST_SET(first, first[0]), MST_SET(last_single, last[1]), MST_SET(last, last[0]), MST_SET(plane, c->rings.plane));
    if (c->n_half > 0)
        mst_text_put(c->out, "const int is_half = halves[version[1]];\n");
    write_version(c);
    mst_text_put(c->out, "}\n");
}

mst_status mst_write_cpu(const mst_writer *w, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tile *t = w->tile;
    mst_stencil_cpu_writer c = {.w = w,
                                .problem = w->problem,
                                .out = w->out,
                                .width = t->width,
                                .rings = mst_rings_make(w->pipeline, t->own[ROWS], t->own[COLUMNS], t->width)};
    int n_versions[2];
    for (int a = 0; a < w->problem->n_arrays; a++)
        c.n_half += mst_problem_is_half(w->problem, a);
    MST_TRY(mst_write_helpers(w, t->width, error));
    mst_stencil_cpu_write_tables(&c, n_versions);
    mst_write_head(w, "advance", "get_global_id(0)"); // the number of its work-group, of one item, in all parts of a launch
    mst_text_put(c.out,
                 "\n// Rings of planes, $plane elements each, of $pitch a row; column column_begin is number $left in it.\n"
                 "__local real ring[$elements] __attribute__((aligned(64)));\n"
                 "const long first_ring_plane = plane_begin - $before;\n",
                 MST_SET(plane, c.rings.plane), MST_SET(pitch, c.rings.pitch), MST_SET(left, c.rings.left),
                 MST_SET(elements, c.rings.elements), MST_SET(before, w->pipeline->low[PLANES] + MST_STENCIL_MAX_RADIUS));
    for (int half = 0; half < 2; half++)
        if (half ? c.n_half > 0 : c.n_half < w->problem->n_arrays)
            write_arrays(&c, half);
    write_loop(&c, n_versions);
    mst_text_put(c.out, "}\n");
fail:
    return status;
}
