// Several steps of a part of the planes by one work-group, so that what a processor has just written is read by the same one,
// from its caches. Tiles of planes shrink by `lag` at both ends from sweep to sweep; a second launch fills the gaps between them,
// which grow as fast, around the face of periodic planes too (split tiling: Grosser and others, Split tiling for GPUs, GPGPU-6,
// 2013). Within a tile each sweep lies `lag` planes behind the one before (time skewing), which finds what it reads, and replaces
// nothing that is still to be read. Blocks of rows are skewed as planes are. Where rows are periodic they lie as tiles of planes
// do: all of them, one after the other, as a tile that shrinks at both ends, and then the gap around the face. Planes that do not
// read one another, as those of an ensemble's runs, have a lag of 0 and no gaps.
#include "write_sweep.h"

#include <stdio.h>

void mst_time_tiles_describe(const mst_sweeps *s, mst_signature *out) {
    mst_signature_begin(out, "time_tiles");
    for (int slot = 0; slot < mst_sweeps_n_slots(s); slot++)
        mst_signature_add(out, mst_sweeps_is_half_slot(s, slot) ? "__global half *" : "__global real *", "array%d", slot);
    mst_signature_add(out, "__global const real *", "damping");
    mst_signature_add(out, "__global const real *", "table");
    for (int axis = 0; axis < N_AXES; axis++)
        for (int k = 0; k < s->n; k++)
            if (mst_sweeps_layer_reach(s, k, axis, (int[2]){0})) {
                mst_signature_add(out, "long8", "%s", mst_sweep_layers_name(axis));
                break;
            }
    mst_signature_add(out, "long8", "grid");
    mst_signature_add(out, "long8", "tiles");
    mst_sweep_describe_runs(s, out);
    for (int f = 0, n = 0; f < s->problem->n_fields; f++) {
        if (!s->points_of[f])
            continue;
        if (n++ == 0) {
            mst_signature_add(out, "__global const long4 *", "points");
            mst_signature_add(out, "__global real *", "records");
            mst_signature_add(out, "long4", "strides");
        }
        mst_signature_add(out, "long4", "points_of_%s", s->problem->fields[f].name);
    }
}

// For each sweep of a tile the slots, as they are before the first, of its parameters.
static void write_slots(const mst_writer *w, const mst_sweeps *s) {
    int arrays[MST_SWEEPS_SLOTS], slots[MST_SWEEPS_SLOTS];
    for (int slot = 0; slot < mst_sweeps_n_slots(s); slot++)
        arrays[slot] = slot;
    mst_text_put(w->out, "\n__constant const uchar slots[][$n] = {\n", MST_SET(n, mst_sweeps_n_slots(s)));
    for (int k = 0; k < MST_SWEEPS_TRIP * s->n; k++) {
        const int n = mst_sweep_slots(s, k % s->n, slots);
        mst_text_put(w->out, "{");
        for (int i = 0; i < n; i++)
            mst_text_put(w->out, i > 0 ? ", $slot" : "$slot", MST_SET(slot, arrays[slots[i]]));
        mst_text_put(w->out, "},\n");
        mst_sweeps_rotate(s, k % s->n, arrays);
    }
    mst_text_put(w->out, "};\n");
}

// The plane as points know it.
static const char *plane_of_points(const mst_sweeps *s) { return s->problem->has_grids ? "runs.s0 * n_planes + plane" : "plane"; }

// Whether sweep k updates a field with points.
static bool has_points(const mst_sweeps *s, int k) {
    bool any = false;
    for (int u = s->first[k]; u < s->first[k + 1]; u++)
        any = any || s->points_of[s->problem->updates[u].field];
    return any;
}

// Before the rows of some planes, which are done in order: the first points in them of what sweep k updates.
static void write_first_points(const mst_writer *w, const mst_sweeps *s, int k) {
    bool any = false;
    for (int u = s->first[k]; u < s->first[k + 1]; u++) {
        const int field = w->problem->updates[u].field;
        if (!s->points_of[field])
            continue;
        if (!any)
            mst_text_put(w->out, "const long step = tiles.s3 + sweep / $n;\n", MST_SET(n, s->n));
        any = true;
        mst_text_put(w->out,
                     "long source_$name[$planes], receiver_$name[$planes];\n"
                     "for (long p = plane_begin; p < plane_end; p++) {\n"
                     "const long plane = p < 0 ? p + n_planes : p;\n"
                     "source_$name[p - plane_begin] = "
                     "first_point_of_row(points, points_of_$name.s0, points_of_$name.s1, $plane, row_begin);\n"
                     "receiver_$name[p - plane_begin] = "
                     "first_point_of_row(points, points_of_$name.s2, points_of_$name.s3, $plane, row_begin);\n}\n",
                     MST_SET(name, w->problem->fields[field].name), MST_SET(planes, MST_TIME_TILE_PLANES),
                     MST_SET(plane, plane_of_points(s)));
    }
}

// Of a row of a plane that is computed.
static void write_points(const mst_writer *w, const mst_sweeps *s, int k) {
    for (int u = s->first[k]; u < s->first[k + 1]; u++) {
        const mst_problem_field *field = &w->problem->fields[w->problem->updates[u].field];
        mst_name target;
        mst_sweep_name_target(s, k, u, target);
        if (s->points_of[w->problem->updates[u].field])
            mst_text_put(w->out,
                         "source_$name[p - plane_begin] = add_sources_of_row$half($target, table + (step + 1) * strides.s0 + 1, "
                         "points, $grid, source_$name[p - plane_begin], points_of_$name.s1, $plane, row);\n"
                         "receiver_$name[p - plane_begin] = record_row$half($target, records + step * strides.s1, points, $grid, "
                         "receiver_$name[p - plane_begin], points_of_$name.s3, $plane, row);\n",
                         MST_SET(name, field->name), MST_SET(half, field->is_half ? "_half" : ""), MST_SET(target, target),
                         MST_SET(plane, plane_of_points(s)), MST_SET(grid, s->problem->has_grids ? "of_points" : "grid"));
    }
}

static void write_calls(const mst_writer *w, const mst_sweeps *s, int k) {
    mst_signature signature;
    mst_sweep_describe(s, k, MST_SWEEP_ALL, &signature);
    int slots[MST_SWEEPS_SLOTS];
    const int n = mst_sweep_slots(s, k, slots);
    mst_text_put(w->out, "case $k:\n{\n", MST_SET(k, k));
    for (int i = 0; i < n; i++)
        mst_text_put(w->out,
                     mst_sweeps_is_half_slot(s, slots[i]) ? "__global half *$name = (__global half *)arrays[slot[$i]];\n"
                                                          : "__global real *$name = arrays[slot[$i]];\n",
                     MST_SET(name, signature.parameters[i].name), MST_SET(i, i));
    write_first_points(w, s, k);
    mst_text_put(w->out, "lines_of_sweep$k(", MST_SET(k, k));
    for (size_t i = 0; i < signature.n_parameters; i++)
        mst_text_put(w->out, "$name, ", MST_SET(name, signature.parameters[i].name));
    mst_text_put(w->out, "plane_begin, plane_end, row_begin, row_end, 0, n_columns, tiles.s7);\n");
    if (has_points(s, k) || mst_sweep_copies(s, k)) {
        mst_text_put(w->out, "for (long r = row_begin; r < row_end; r++)\n"
                             "for (long p = plane_begin; p < plane_end; p++) {\n"
                             "const long plane = p < 0 ? p + n_planes : p, row = r < 0 ? r + n_rows : r;\n");
        write_points(w, s, k);
        mst_write_copies_of_line(w, s, k);
        mst_text_put(w->out, "}\n");
    }
    mst_text_put(w->out, "}\nbreak;\n");
    mst_signature_release(&signature);
}

// The rows and the planes that a sweep does in a wave. Tiles at the faces of planes that are not periodic do not shrink there.
static void write_place(const mst_writer *w, const mst_sweeps *s) {
    mst_text_put(w->out,
                 "const long at = wave - sweep * $lag, shrunk = sweep * $lag;\n"
                 "const long from = is_gap ? begin - shrunk : $first_gap && tile == 0 ? 0 : begin + shrunk;\n"
                 "const long to = is_gap ? begin + shrunk : $first_gap && tile == tiles.s0 - 1 ? n_planes : end - shrunk;\n"
                 "const long plane_begin = max(at, from), plane_end = min(at + tiles.s6, to);\n"
                 "if (plane_begin >= plane_end)\ncontinue;\n",
                 MST_SET(lag, mst_sweeps_lag(s)), MST_SET(first_gap, mst_problem_periodic(s->problem, PLANES) ? 0 : 1));
    mst_text_put(w->out,
                 mst_sweeps_split_rows(s)
                     ? "const bool is_row_gap = block >= n_rows;\n"
                       "const long rows_shrunk = tiles.s4 < n_rows ? sweep * $row_lag : 0;\n"
                       "const long row_begin = is_row_gap ? -rows_shrunk : max(block - sweep * $row_lag, rows_shrunk);\n"
                       "const long row_end = "
                       "is_row_gap ? rows_shrunk : min(block + tiles.s4 - sweep * $row_lag, n_rows - rows_shrunk);\n"
                     : "const long row_begin = max(block - sweep * $row_lag, 0L);\n"
                       "const long row_end = min(block + tiles.s4 - sweep * $row_lag, n_rows);\n",
                 MST_SET(row_lag, mst_sweeps_row_lag(s)));
}

static void write_loops(const mst_writer *w, const mst_sweeps *s) {
    char behind[60] = "tiles.s4"; // a block for the gap
    if (!mst_sweeps_split_rows(s))
        snprintf(behind, sizeof behind, "(tiles.s1 - 1) * %lld", (long long)mst_sweeps_row_lag(s));
    mst_text_put(
        w->out,
        "const long n_planes = grid.s0, n_rows = grid.s1, n_columns = grid.s2;\n"
        "const bool is_gap = tiles.s2;\n"
        "if (get_global_id(0) % tiles.s5 != tiles.s5 - 1)\nreturn;\n"
        "const long tile = get_global_id(0) / tiles.s5, begin = n_planes * (tile + (is_gap ? $first_gap : 0)) / tiles.s0;\n"
        "const long end = n_planes * (tile + 1) / tiles.s0, last = (tiles.s1 - 1) * $lag;\n"
        "for (long block = 0; block < n_rows + $behind; block += tiles.s4)\n"
        "for (long wave = begin; wave < (is_gap ? begin + last : end) + last; wave += tiles.s6)\n"
        "for (int sweep = 0; sweep < tiles.s1; sweep++) {\n",
        MST_SET(lag, mst_sweeps_lag(s)), MST_SET(behind, (const char *)behind),
        MST_SET(first_gap, mst_problem_periodic(s->problem, PLANES) ? 0 : 1));
    write_place(w, s);
    mst_text_put(w->out,
                 "__constant const uchar *slot = slots[sweep];\n"
                 "const long8 work = (long8)(0, 0, 0, tiles.s3 + sweep / $n, 0, 0, 0, 0);\n"
                 "switch (sweep % $n) {\n",
                 MST_SET(n, s->n));
    for (int k = 0; k < s->n; k++)
        write_calls(w, s, k);
    mst_text_put(w->out, "}\n}\n");
}

void mst_write_time_tiles(const mst_writer *w, const mst_sweeps *s) {
    mst_signature signature;
    write_slots(w, s);
    mst_time_tiles_describe(s, &signature);
    mst_signature_write(&signature, "__attribute__((reqd_work_group_size(1, 1, 1)))", w->out);
    if (s->problem->has_grids) // points lie in the array of all runs
        mst_text_put(w->out, "long8 of_points = grid;\nof_points.s6 = grid.s0;\nof_points.s7 = runs.s6;\n");
    mst_sweep_write_run(w, s, &signature);
    mst_signature_release(&signature);
    mst_text_put(w->out, "__global real *arrays[] = {");
    for (int slot = 0; slot < mst_sweeps_n_slots(s); slot++)
        mst_text_put(w->out, slot > 0 ? ", (__global real *)array$slot" : "(__global real *)array$slot", MST_SET(slot, slot));
    mst_text_put(w->out, "};\n");
    write_loops(w, s);
    mst_text_put(w->out, "}\n");
}
