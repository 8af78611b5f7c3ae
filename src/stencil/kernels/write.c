#include "write.h"

#include <stdio.h>

static const char *const lengths[] = {"n_planes", "n_rows", "n_columns"};

bool mst_formula_uses(const mst_formula *formula, mst_value_kind kind, int axis) {
    for (size_t i = 0; i < formula->n_leaves; i++)
        if (formula->leaves[i].kind == kind && (kind != MST_VALUE_COORDINATE || formula->leaves[i].axis == axis))
            return true;
    return false;
}

void mst_map_text(const mst_problem *problem, int axis, bool constant, const char *number, char *out, size_t size) {
    const mst_problem_boundary *face = problem->boundaries[axis];
    bool lower = constant || face[0].kind == MST_BOUNDARY_NEUMANN, upper = constant || face[1].kind == MST_BOUNDARY_NEUMANN;
    if (mst_problem_periodic(problem, axis))
        snprintf(out, size, "(%s)", number);
    else if (lower || upper)
        snprintf(out, size, "%s(%s, %s)",
                 lower && upper ? "mirror"
                 : lower        ? "mirror_lower"
                                : "mirror_upper",
                 number, lengths[axis]);
    else
        snprintf(out, size, "(%s)", number);
}

void mst_write_helpers(const mst_writer *w) {
    const char *type = w->problem->is_double ? "double" : "float";
    mst_text_add(w->out,
                 "#pragma OPENCL FP_CONTRACT OFF\n"
                 "long wrap(long i, long n) {\n    if (i >= 0 && i < n)\n        return i;\n    i %%= n;\n    return i < 0 ? i + "
                 "n : i;\n}\n"
                 "long mirror_lower(long i, long n) { return i < 0 ? -1 - i : i; }\n"
                 "long mirror_upper(long i, long n) { return i >= n ? 2 * n - 1 - i : i; }\n"
                 "long mirror(long i, long n) { return mirror_lower(mirror_upper(i, n), n); }\n"
                 "// Position in a window of n from `first`; beyond it, the window is the whole periodic axis.\n"
                 "long within(long i, long first, long n) { i -= first; return i >= 0 && i < n ? i : wrap(i, n); }\n"
                 "// The first of the points begin..end-1, which are in order, that does not lie before plane p.\n"
                 "long first_point(__global const long4 *points, long begin, long end, long p) {\n"
                 "    while (begin < end) {\n        long middle = (begin + end) / 2;\n"
                 "        if (points[middle].s0 < p)\n            begin = middle + 1;\n        else\n            end = middle;\n"
                 "    }\n    return begin;\n}\n");
    if (w->tile->width > 1) {
        // Not by vload and vstore, which some compilers make of loads of pairs.
        mst_text_add(w->out,
                     "typedef %s%d vreal;\ntypedef struct __attribute__((packed, aligned(%zu))) { vreal value; } unaligned;\n"
                     "#define LOAD_GLOBAL(p) (((__global const unaligned *)(p))->value)\n"
                     "#define STORE_GLOBAL(v, p) (((__global unaligned *)(p))->value = (v))\n"
                     "#define LOAD_LOCAL(p) (((const __local unaligned *)(p))->value)\n"
                     "#define STORE_LOCAL(v, p) (((__local unaligned *)(p))->value = (v))\n",
                     type, w->tile->width, w->problem->element);
        mst_text_add(w->out, "#define TO_VREAL(v) convert_%s%d(v)\ntypedef long%d vlong;\n#define LANES ((vlong)(", type,
                     w->tile->width, w->tile->width);
        for (int k = 0; k < w->tile->width; k++)
            mst_text_add(w->out, k ? ", %d" : "%d", k);
        mst_text_add(w->out, "))\n");
    } else {
        mst_text_add(w->out, "typedef real vreal;\n#define LOAD_GLOBAL(p) (*(p))\n#define STORE_GLOBAL(v, p) (*(p) = (v))\n"
                             "#define TO_VREAL(v) ((real)(v))\ntypedef long vlong;\n#define LANES 0\n");
    }
}

void mst_write_start(const mst_writer *w, const char *name, int group, const char *tile) {
    const mst_problem *p = w->problem;
    mst_text_add(w->out, "__kernel __attribute__((reqd_work_group_size(%d, 1, 1))) void %s(", group, name);
    for (int a = 0; a < p->n_arrays; a++)
        mst_text_add(w->out, "__global const real *restrict in_%d, ", a);
    for (int a = 0; a < p->n_arrays; a++)
        mst_text_add(w->out, "__global real *restrict out_%d, ", a);
    for (int a = 0; a < p->n_coefficients; a++)
        mst_text_add(w->out, "__global const real *restrict fixed_%d, ", a);
    mst_text_add(w->out,
                 "__global const real *damping, __global const real *table, __global real *records,\n"
                 "    __global const long4 *points, long8 from, long8 to, long8 held, long8 box, long8 more%s) {\n"
                 "const long n_planes = more.s4, n_rows = more.s5, n_columns = more.s6;\n"
                 "long tile = %s;\n"
                 "const long c0 = box.s4 + tile %% more.s2 * %d, c1 = min(c0 + %d, box.s5);\ntile /= more.s2;\n"
                 "const long r0 = box.s2 + tile %% more.s1 * %d, r1 = min(r0 + %d, box.s3);\n"
                 "tile = tile / more.s1 - (box.s7 > 0);\n"
                 "const long p0 = box.s0 + (tile < 0 ? 0 : box.s7 + min(tile * box.s6, more.s0));\n"
                 "const long p1 = tile * box.s6 < more.s0 ? box.s0 + box.s7 + min((tile + 1) * box.s6, more.s0) : box.s1;\n",
                 w->tile->shape == MST_STENCIL_SHAPE_GPU ? ", long8 sides" : "", tile, w->tile->own[COLUMNS],
                 w->tile->own[COLUMNS], w->tile->own[ROWS], w->tile->own[ROWS]);
}

void mst_write_formula(const mst_writer *w, const mst_formula *formula, int width, char (*fields)[96], const char *name) {
    char texts[MST_STENCIL_MAX_LEAVES][96];
    const char *leaves[MST_STENCIL_MAX_LEAVES];
    const char *type = width > 1 ? "vreal" : "real";
    for (size_t i = 0; i < formula->n_leaves; i++) {
        const mst_leaf *leaf = &formula->leaves[i];
        leaves[i] = texts[i];
        switch (leaf->kind) {
        case MST_VALUE_FIELD:
            leaves[i] = fields[i];
            break;
        case MST_VALUE_COORDINATE:
            snprintf(texts[i], sizeof texts[i], "((%s)(at_%d))", type, leaf->axis);
            break;
        case MST_VALUE_TIME:
            snprintf(texts[i], sizeof texts[i], "((%s)(time))", type);
            break;
        }
    }
    mst_expr_write(formula->expr, w->problem->is_double, (unsigned)width, leaves, name, w->out);
}

static void write_coordinate(const mst_writer *w, int axis, const char *number) {
    bool periodic = mst_problem_periodic(w->problem, axis);
    mst_text_add(w->out, periodic ? "const real at_%d = (real)wrap(%s, %s) * " : "const real at_%d = (real)(%s) * ", axis, number,
                 lengths[axis]);
    mst_expr_write_number(w->problem->spacing[axis], w->problem->is_double, w->out);
    mst_text_add(w->out, ";\n");
}

void mst_write_place(const mst_writer *w, const mst_formula *formula, const char *plane, const char *row, const char *step) {
    if (mst_formula_uses(formula, MST_VALUE_COORDINATE, PLANES))
        write_coordinate(w, PLANES, plane);
    if (mst_formula_uses(formula, MST_VALUE_COORDINATE, ROWS))
        write_coordinate(w, ROWS, row);
    if (mst_formula_uses(formula, MST_VALUE_TIME, 0))
        mst_text_add(w->out, "const real time = table[(more.s7 + %s + 1) * %zu];\n", step, w->problem->n_sources + 1);
}

void mst_write_column(const mst_writer *w, const mst_formula *formula, const char *column, int width) {
    if (!mst_formula_uses(formula, MST_VALUE_COORDINATE, COLUMNS))
        return;
    if (width == 1) {
        write_coordinate(w, COLUMNS, column);
        return;
    }
    bool periodic = mst_problem_periodic(w->problem, COLUMNS);
    mst_text_add(w->out,
                 periodic ? "const vreal at_2 = TO_VREAL((((vlong)(%s) + LANES) %% n_columns + n_columns) %% n_columns) * "
                          : "const vreal at_2 = TO_VREAL((vlong)(%s) + LANES) * ",
                 column);
    mst_expr_write_number(w->problem->spacing[COLUMNS], w->problem->is_double, w->out);
    mst_text_add(w->out, ";\n");
}
