#include "write.h"

#include "arguments.h"
#include "expr/elementary.h"
#include "runtime/program.h"

#include <stdio.h>
#include <stdlib.h>

static const char *const lengths[] = {"n_planes", "n_rows", "n_columns"};

const char *mst_sum_text(const char *base, int offset, mst_number_text out) {
    if (offset == 0)
        snprintf(out, sizeof(mst_number_text), "%s", base);
    else
        snprintf(out, sizeof(mst_number_text), "%s %c %d", base, offset < 0 ? '-' : '+', abs(offset));
    return out;
}

void mst_map_text(const mst_problem *problem, int set, int axis, const char *number, mst_number_text out) {
    static const char *const lower_names[] = {"mirror_lower_node", "mirror_lower"}, *const upper_names[] = {"mirror_upper_node",
                                                                                                            "mirror_upper"};
    const mst_problem_boundary *lower = mst_problem_face(problem, set, axis, 0), *upper = mst_problem_face(problem, set, axis, 1);
    const char *of_lower = lower_names[lower->shift], *of_upper = upper_names[upper->shift], *n = lengths[axis];
    if (lower->mirrors && upper->mirrors && lower->shift && upper->shift)
        snprintf(out, sizeof(mst_number_text), "mirror(%s, %s)", number, n);
    else if (lower->mirrors && upper->mirrors)
        snprintf(out, sizeof(mst_number_text), "%s(%s(%s, %s), %s)", of_lower, of_upper, number, n, n);
    else if (lower->mirrors || upper->mirrors)
        snprintf(out, sizeof(mst_number_text), "%s(%s, %s)", lower->mirrors ? of_lower : of_upper, number, n);
    else
        snprintf(out, sizeof(mst_number_text), "%s", number);
}

void mst_sign_text(const mst_problem *problem, int set, int axis, const char *number, mst_number_text out) {
    const bool lower = mst_problem_face(problem, set, axis, 0)->negates, upper = mst_problem_face(problem, set, axis, 1)->negates;
    if (lower && upper)
        snprintf(out, sizeof(mst_number_text), "(%s < 0 || %s >= %s ? -1 : 1) * ", number, number, lengths[axis]);
    else if (lower)
        snprintf(out, sizeof(mst_number_text), "(%s < 0 ? -1 : 1) * ", number);
    else if (upper)
        snprintf(out, sizeof(mst_number_text), "(%s >= %s ? -1 : 1) * ", number, lengths[axis]);
    else
        out[0] = '\0';
}

mst_status mst_write_helpers(const mst_writer *w, int width, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = w->problem;
    bool half = false;
    for (int f = 0; f < p->n_fields; f++)
        half = half || p->fields[f].is_half;
    mst_text_put(w->out, "#define WIDTH $width\n", MST_SET(width, width));
    MST_TRY(mst_program_add_file(w->context, "stencil.cl", w->out, error));
    if (half)
        MST_TRY(mst_program_add_file(w->context, "stencil_half.cl", w->out, error));
fail:
    return status;
}

void mst_write_head(const mst_writer *w, const char *kernel, const char *tile) {
    char attributes[80];
    mst_signature signature;
    snprintf(attributes, sizeof attributes, "__attribute__((reqd_work_group_size(%d, 1, 1)))", w->tile->group);
    mst_arguments_describe(w->tile->problem, w->tile->shape, kernel, &signature); // the same of all kernels
    mst_signature_write(&signature, attributes, w->out);
    mst_signature_release(&signature);
    mst_text_put(w->out,
                 "// What the arguments hold.\n"
                 "const long from_planes = from.s0, from_first_plane = from.s5, from_first_row = from.s1, from_rows = from.s2;\n"
                 "const long from_first_column = from.s3, from_columns = from.s4;\n"
                 "const long to_planes = to.s0, to_first_plane = to.s5, to_first_row = to.s1, to_rows = to.s2;\n"
                 "const long to_first_column = to.s3, to_columns = to.s4;\n"
                 "const long strip_planes = box.s6, edge_planes = box.s7, inner_planes = launch.s0;\n"
                 "const long rows_of_tiles = launch.s1, columns_of_tiles = launch.s2, first_step = launch.s7;\n"
                 "const long n_planes = launch.s4, n_rows = launch.s5, n_columns = launch.s6;\n");
    if (w->problem->n_coefficients > 0)
        mst_text_put(w->out, "const long coefficient_planes = coefficients.s0, coefficient_first_plane = coefficients.s5;\n"
                             "const long coefficient_first_row = coefficients.s1, coefficient_rows = coefficients.s2;\n"
                             "const long coefficient_first_column = coefficients.s3, coefficient_columns = coefficients.s4;\n");
    mst_text_put(w->out,
                 "\n// The part of the box that this work-group owns: a tile of rows and columns, and a strip of planes.\n"
                 "long tile = $tile;\n"
                 "const long column_begin = box.s4 + tile % columns_of_tiles * $columns;\n"
                 "const long column_end = min(column_begin + $columns, box.s5);\n"
                 "tile /= columns_of_tiles;\n"
                 "const long row_begin = box.s2 + tile % rows_of_tiles * $rows, row_end = min(row_begin + $rows, box.s3);\n"
                 "const long strip = tile / rows_of_tiles - (edge_planes > 0); // -1: the shorter one at a face\n"
                 "const long plane_begin = box.s0 + (strip < 0 ? 0 : edge_planes + min(strip * strip_planes, inner_planes));\n"
                 "const long plane_end = strip * strip_planes < inner_planes\n"
                 "? box.s0 + edge_planes + min((strip + 1) * strip_planes, inner_planes)\n"
                 ": box.s1;\n",
                 MST_SET(tile, tile), MST_SET(columns, w->tile->own[COLUMNS]), MST_SET(rows, w->tile->own[ROWS]));
}

// x is the coordinate along the columns, whatever the grid's rank.
static const char *coordinate_name(const mst_problem *problem, int axis) {
    return axis == COLUMNS ? "x" : axis == ROWS || problem->rank == 2 ? "y" : "z";
}

static bool uses(const mst_formula *formula, mst_value_kind kind, int axis) {
    for (size_t i = 0; i < formula->n_leaves; i++)
        if (formula->leaves[i].kind == kind && (kind != MST_VALUE_COORDINATE || formula->leaves[i].axis == axis))
            return true;
    return false;
}

void mst_write_formula(const mst_writer *w, const mst_formula *formula, int width, const mst_number_text *values,
                       const char *name) {
    char texts[MST_STENCIL_MAX_LEAVES][32];
    const char *leaves[MST_STENCIL_MAX_LEAVES];
    for (size_t i = 0; i < formula->n_leaves; i++) {
        const mst_leaf *leaf = &formula->leaves[i];
        const char *variable = leaf->kind == MST_VALUE_TIME ? "t" : coordinate_name(w->problem, leaf->axis);
        if (leaf->kind == MST_VALUE_LAYER)
            mst_name_layer(leaf, texts[i]);
        else if (leaf->kind == MST_VALUE_RUN)
            snprintf(texts[i], sizeof texts[i], width > 1 ? "((vreal)(run_%zu))" : "run_%zu", leaf->column);
        else
            snprintf(texts[i], sizeof texts[i], width > 1 ? "((vreal)(%s))" : "((real)(%s))", variable);
        leaves[i] = leaf->kind == MST_VALUE_FIELD ? values[i] : texts[i];
    }
    mst_expr_write(formula->expr, mst_elementary_of(&w->context->device), w->problem->is_double, (unsigned)width, leaves, name,
                   w->out);
}

static void end_coordinate(const mst_writer *w, int axis) {
    mst_expr_write_number(w->problem->spacing[axis], w->problem->is_double, w->out);
    mst_text_put(w->out, ";\n");
}

static void write_coordinate(const mst_writer *w, int axis, const char *number) {
    const mst_problem *p = w->problem;
    const bool cut = p->first[axis] != 0 || p->is_ring[axis];
    mst_number_text node, length;
    if (cut) { // to a part of the grid
        snprintf(node, sizeof node, "(%s) + %lld", number, (long long)p->first[axis]);
        snprintf(length, sizeof length, "%lldL", (long long)p->whole[axis]);
    }
    mst_text_put(w->out,
                 mst_problem_periodic(p, axis) || p->is_ring[axis] ? "const real $name = (real)wrap($number, $length) * "
                                                                   : "const real $name = (real)($number) * ",
                 MST_SET(name, coordinate_name(p, axis)), MST_SET(number, cut ? node : number),
                 MST_SET(length, cut ? length : lengths[axis]));
    end_coordinate(w, axis);
}

// Where the plane is a run, kernels may load planes before and behind the grid, too. Else `runs` is there.
static void write_varying(const mst_writer *w, const mst_formula *formula, const char *plane) {
    const char *text = w->problem->has_run_planes
                           ? "const real run_$k = $numbers$column * n_planes + clamp((long)($plane), (long)0, n_planes - 1)];\n"
                           : "const real run_$k = $numbers$column * runs.s1 + runs.s0];\n";
    for (size_t k = 0; k < formula->n_varying; k++)
        mst_text_put(w->out, text, MST_SET(numbers, w->numbers ? w->numbers : "damping[n_planes + n_rows + n_columns + "),
                     MST_SET(k, (uint64_t)k), MST_SET(column, (uint64_t)(formula->first_varying + k)), MST_SET(plane, plane));
}

void mst_write_place(const mst_writer *w, const mst_formula *formula, const char *plane, const char *row, const char *step) {
    write_varying(w, formula, plane);
    if (uses(formula, MST_VALUE_COORDINATE, PLANES))
        write_coordinate(w, PLANES, plane);
    if (uses(formula, MST_VALUE_COORDINATE, ROWS))
        write_coordinate(w, ROWS, row);
    mst_write_layers(w, formula, PLANES, plane, 1);
    mst_write_layers(w, formula, ROWS, row, 1);
    if (uses(formula, MST_VALUE_TIME, 0) && w->time)
        mst_text_put(w->out, "const real t = $time;\n", MST_SET(time, w->time));
    else if (uses(formula, MST_VALUE_TIME, 0))
        mst_text_put(w->out, "const real t = table[(first_step + $step + 1) * $stride];\n", MST_SET(step, step),
                     MST_SET(stride, w->problem->n_feeds + 1));
}

void mst_write_column(const mst_writer *w, const mst_formula *formula, const char *column, int width) {
    mst_write_layers(w, formula, COLUMNS, column, width);
    if (!uses(formula, MST_VALUE_COORDINATE, COLUMNS))
        return;
    if (width == 1) {
        write_coordinate(w, COLUMNS, column);
        return;
    }
    const mst_problem *p = w->problem;
    mst_number_text length = "n_columns", first;
    snprintf(first, sizeof first, p->first[COLUMNS] == 0 ? "%s" : "%s + %lld", column, (long long)p->first[COLUMNS]);
    if (p->is_ring[COLUMNS])
        snprintf(length, sizeof length, "%lldL", (long long)p->whole[COLUMNS]);
    mst_text_put(w->out,
                 mst_problem_periodic(p, COLUMNS) || p->is_ring[COLUMNS]
                     ? "const vreal x = TO_VREAL((((vlong)($column) + LANES) % $length + $length) % $length) * "
                     : "const vreal x = TO_VREAL((vlong)($column) + LANES) * ",
                 MST_SET(column, first), MST_SET(length, length));
    end_coordinate(w, COLUMNS);
}
