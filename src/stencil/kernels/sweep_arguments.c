#include "sweep_around.h"

#include <stdio.h>
#include <string.h>

bool mst_sweep_has_part(const mst_sweeps *s, int k, mst_sweep_of part) {
    const unsigned axes = s->shape == MST_STENCIL_SHAPE_GPU && !s->undivided ? mst_sweeps_layer_axes(s, k) : 0;
    const bool several = (axes & (axes - 1)) != 0, is_divided = axes != 0 || s->around;
    switch (part) {
    case MST_SWEEP_ALL:
        return !is_divided;
    case MST_SWEEP_OUTSIDE:
        return is_divided;
    case MST_SWEEP_FACES:
        return axes != 0;
    default:
        return several;
    }
}

void mst_sweep_name(int k, mst_sweep_of part, char name[30]) {
    static const char *const ends[] = {"", "_outside", "_faces", "_edges"};
    snprintf(name, 30, "sweep%d%s", k, ends[part]);
}

static bool is_replaced(const mst_sweeps *s, int k, int array) {
    for (int u = s->first[k]; u < s->first[k + 1]; u++)
        if (s->in_place[u] && mst_sweeps_replaced(s->problem, u) == array)
            return true;
    return false;
}

// Whether an update reads it, and it is not replaced, either.
bool mst_sweep_reads(const mst_sweeps *s, int k, int field, int level) {
    const mst_problem_field *read = &s->problem->fields[field];
    if (!read->coefficient && is_replaced(s, k, read->array + level))
        return false;
    for (int u = s->first[k]; u < s->first[k + 1]; u++) {
        const mst_formula *f = &s->problem->updates[u].formula;
        for (size_t i = 0; i < f->n_leaves; i++)
            if (f->leaves[i].kind == MST_VALUE_FIELD && f->leaves[i].field == field && f->leaves[i].level == level)
                return true;
    }
    return false;
}

void mst_sweep_name_argument(const mst_sweeps *s, int k, int field, int level, mst_name out) {
    const mst_problem_field *f = &s->problem->fields[field];
    mst_name array;
    mst_name_array(s->problem, field, level, array);
    snprintf(out, MST_NAME_SIZE, "%.*s_%s", MST_NAME_SIZE - 16, array,
             f->coefficient                        ? "coefficient"
             : is_replaced(s, k, f->array + level) ? "in_out"
                                                   : "in");
}

void mst_sweep_name_target(const mst_sweeps *s, int k, int update, mst_name out) {
    const int field = s->problem->updates[update].field;
    mst_name array;
    mst_name_array(s->problem, field, 0, array);
    if (s->in_place[update])
        mst_sweep_name_argument(s, k, field, s->problem->fields[field].levels - 1, out);
    else
        snprintf(out, MST_NAME_SIZE, "%.*s_out", MST_NAME_SIZE - 16, array);
}

void mst_sweep_describe(const mst_sweeps *s, int k, mst_sweep_of part, mst_signature *out) {
    const mst_problem *p = s->problem;
    mst_name name;
    char kernel[30];
    mst_sweep_name(k, part, kernel);
    mst_signature_begin(out, kernel);
    for (int f = 0; f < p->n_fields; f++)
        for (int level = 0; level < p->fields[f].levels; level++)
            if (mst_sweep_reads(s, k, f, level)) {
                mst_sweep_name_argument(s, k, f, level, name);
                mst_signature_add(out, p->fields[f].is_half ? "__global const half *restrict" : "__global const real *restrict",
                                  "%s", name);
            }
    for (int u = s->first[k]; u < s->first[k + 1]; u++) {
        mst_sweep_name_target(s, k, u, name);
        mst_signature_add(out, p->fields[p->updates[u].field].is_half ? "__global half *restrict" : "__global real *restrict",
                          "%s", name);
    }
    mst_signature_add(out, "__global const real *", "damping");
    mst_signature_add(out, "__global const real *", "table");
    for (int axis = 0; axis < N_AXES; axis++)
        if (mst_sweeps_layer_reach(s, k, axis, (int[2]){0}))
            mst_signature_add(out, "long8", "%s", mst_sweep_layers_name(axis));
    mst_signature_add(out, "long8", "grid");
    mst_signature_add(out, "long8", "work");
    mst_sweep_describe_runs(s, out);
    if (s->around && part == MST_SWEEP_OUTSIDE)
        mst_sweep_describe_boxes(out);
}

void mst_sweep_describe_runs(const mst_sweeps *s, mst_signature *out) {
    if (s->problem->has_grids)
        mst_signature_add(out, "long8", "runs");
}

void mst_sweep_write_run(const mst_writer *w, const mst_sweeps *s, const mst_signature *signature) {
    if (!s->problem->has_grids)
        return;
    mst_text_put(w->out, "runs.s0 = get_global_id(1);\ngrid.s5 += runs.s0 * runs.s2;\n");
    for (int axis = 0; axis < N_AXES; axis++)
        for (size_t k = 0; k < signature->n_parameters; k++)
            if (strcmp(signature->parameters[k].name, mst_sweep_layers_name(axis)) == 0)
                mst_text_put(w->out, "$layers.s5 += runs.s0 * runs.s$of_run;\n", MST_SET(layers, mst_sweep_layers_name(axis)),
                             MST_SET(of_run, 3 + axis));
}

void mst_sweep_write_pitches(const mst_writer *w, const mst_sweeps *s) {
    mst_number_text columns = "grid.s2", pitch = "grid.s3", plane_pitch = "grid.s4";
    if (s->has_fixed_pitch || s->has_fixed_lines)
        snprintf(pitch, sizeof pitch, "%lld", (long long)s->padded.pitch);
    if (s->has_fixed_lines) {
        snprintf(columns, sizeof columns, "%lld", (long long)s->problem->grid[COLUMNS]);
        snprintf(plane_pitch, sizeof plane_pitch, "%lld", (long long)s->padded.plane_pitch);
    }
    mst_text_put(w->out,
                 "const long n_planes = grid.s0, n_rows = grid.s1, n_columns = $columns, pitch = $pitch;\n"
                 "const long plane_pitch = $plane_pitch, first_step = work.s3;\n",
                 MST_SET(columns, columns), MST_SET(pitch, pitch), MST_SET(plane_pitch, plane_pitch));
}
