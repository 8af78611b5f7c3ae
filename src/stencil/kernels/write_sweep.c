// Kernels of sweeps. A GPU's work-item goes along the planes with a vector of columns: it keeps the values of the planes around
// in registers, so that each is loaded once, and reads neighbours in its plane straight from memory, which the first cache holds.
// On a CPU a work-item goes along rows, with vectors from any column on. Neither uses local memory, and nothing is computed
// twice.
#include "write_sweep.h"

#include "runtime/program.h"
#include "stencil/scheme/layers.h"
#include "sweep_around.h"
#include "write_region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sweep_writer {
    const mst_writer *w;
    const mst_sweeps *s;
    mst_text *out;
    int first, end; // updates
    mst_sweep_of part;
    mst_sweep_vectors vectors; // of a GPU
} sweep_writer;

static bool is_gpu(const sweep_writer *g) { return g->s->shape == MST_STENCIL_SHAPE_GPU; }

// ---- Updates

static void write_leaf_cpu(const sweep_writer *g, const mst_leaf *leaf, const char *array, const char *name) {
    static const char *const pitches[] = {" * plane_pitch", " * pitch", ""};
    mst_text_put(g->out, "const vreal $name = LOAD_GLOBAL$half($array + i", MST_SET(name, name),
                 MST_SET(half, mst_element_suffix(g->s->problem->fields[leaf->field].is_half)), MST_SET(array, array));
    for (int axis = 0; axis < N_AXES; axis++)
        if (leaf->offsets[axis] != 0)
            mst_text_put(g->out, leaf->offsets[axis] < 0 ? " - $offset$pitch" : " + $offset$pitch",
                         MST_SET(offset, abs(leaf->offsets[axis])), MST_SET(pitch, pitches[axis]));
    mst_text_put(g->out, ");\n");
}

static bool is_memory(const sweep_writer *g, const mst_leaf *leaf) {
    return leaf->kind == MST_VALUE_FIELD && g->s->problem->fields[leaf->field].is_memory;
}

static void write_leaf(const sweep_writer *g, int k, const mst_leaf *leaf, const char *name) {
    mst_name array;
    mst_sweep_name_argument(g->s, k, leaf->field, leaf->level, array);
    if (is_gpu(g))
        mst_sweep_vectors_write_leaf(&g->vectors, leaf, name);
    else
        write_leaf_cpu(g, leaf, array, name);
}

static void write_damping(const sweep_writer *g) {
    const mst_problem *p = g->s->problem;
    if (mst_problem_is_damped(p, PLANES))
        mst_text_put(g->out, "value *= damping[plane];\n");
    if (mst_problem_is_damped(p, ROWS))
        mst_text_put(g->out, "value *= damping[n_planes + row];\n");
    if (mst_problem_is_damped(p, COLUMNS))
        mst_text_put(g->out, "value *= LOAD_GLOBAL(damping + n_planes + n_rows + column);\n");
}

static void write_update(const sweep_writer *g, int k, int update, const mst_formula *f) {
    const mst_problem *p = g->s->problem;
    mst_number_text values[MST_STENCIL_MAX_LEAVES];
    mst_name name;
    const char *field = p->fields[p->updates[update].field].name;
    mst_text_put(g->out, "vreal new_value$n; // of $field\n{\n", MST_SET(n, update), MST_SET(field, field));
    mst_write_place(g->w, f, "plane", "row", "0");
    mst_write_column(g->w, f, "column", g->s->width);
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        mst_name_leaf(p, leaf, name);
        snprintf(values[i], sizeof values[i], "%s", name);
        if (!is_memory(g, leaf))
            write_leaf(g, k, leaf, name);
    }
    mst_write_formula(g->w, f, g->s->width, (const mst_number_text *)values, "result");
    mst_text_put(g->out, "vreal value = result;\n");
    write_damping(g);
    mst_text_put(g->out, "new_value$n = value;\n}\n", MST_SET(n, update)); // that of float16 is rounded as it is stored
}

static const mst_formula *formula_of(const mst_problem_update *update, unsigned axes) {
    const mst_formula *part = &update->formula;
    for (int axis = 0; axis < N_AXES; axis++)
        part = axes == 1u << axis ? &update->alone[axis] : part;
    if (axes == 0)
        part = &update->outside;
    return part->expr ? part : &update->formula;
}

// Whether an update before this one, or this one before its leaf i, reads the same.
static bool is_read_before(const sweep_writer *g, unsigned axes, int update, size_t leaf) {
    const mst_leaf *l = &formula_of(&g->s->problem->updates[update], axes)->leaves[leaf];
    for (int u = g->first; u <= update; u++) {
        const mst_formula *f = formula_of(&g->s->problem->updates[u], axes);
        for (size_t i = 0; mst_sweep_computes(g->s, u, axes) && i < (u < update ? f->n_leaves : leaf); i++) {
            const mst_leaf *o = &f->leaves[i];
            if (o->kind == l->kind && o->field == l->field && o->level == l->level &&
                memcmp(o->offsets, l->offsets, sizeof l->offsets) == 0)
                return true;
        }
    }
    return false;
}

// How a memory variable is read: where it is used; or declared before a GPU's loop over the planes, loaded while the plane before
// is computed, and taken then.
typedef enum memory_load { LOAD, DECLARE, LOAD_AHEAD, TAKE } memory_load;

// In layers a GPU's work-items have many registers, so there are few, and much to compute between what they load.
static bool loads_ahead(const sweep_writer *g) { return g->part == MST_SWEEP_FACES || g->part == MST_SWEEP_EDGES; }

// Compilers don't join loads that depend on conditions, so every memory variable is loaded once for all updates.
static void write_memories(const sweep_writer *g, int k, unsigned axes, memory_load load) {
    static const char *const texts[] = {[LOAD] = "vreal ",
                                        [DECLARE] = "vreal ${name}_ahead;\n",
                                        [LOAD_AHEAD] = "",
                                        [TAKE] = "const vreal $name = ${name}_ahead;\n"};
    mst_name array, name;
    char to[sizeof name + sizeof "_ahead"];
    for (int u = g->first; u < g->end; u++) {
        const mst_formula *f = formula_of(&g->s->problem->updates[u], axes);
        for (size_t i = 0; mst_sweep_computes(g->s, u, axes) && i < f->n_leaves; i++) {
            const mst_leaf *leaf = &f->leaves[i];
            if (!is_memory(g, leaf) || is_read_before(g, axes, u, i))
                continue;
            mst_sweep_name_argument(g->s, k, leaf->field, leaf->level, array);
            mst_name_leaf(g->s->problem, leaf, name);
            mst_text_put(g->out, texts[load], MST_SET(name, name));
            snprintf(to, sizeof to, load == LOAD_AHEAD ? "%s_ahead" : "%s", name);
            if (load == LOAD || load == LOAD_AHEAD)
                mst_sweep_write_memory(g->w, g->s, leaf, array, to);
        }
    }
}

// What is read of the next plane, in a block where that is the plane.
static void write_ahead(const sweep_writer *g, int k, unsigned axes, const char *plane) {
    mst_text_put(g->out, "{\nconst long plane_ahead = $plane;\n{\nconst long plane = plane_ahead;\n", MST_SET(plane, plane));
    mst_sweep_write_places(g->w, g->s, k, axes);
    write_memories(g, k, axes, LOAD_AHEAD);
    mst_text_put(g->out, "}\n}\n");
}

// Of nodes that may be in the layers of some axes, a bit each, and are in those of no other.
static void write_updates(const sweep_writer *g, int k, unsigned axes) {
    mst_sweep_write_places(g->w, g->s, k, axes);
    write_memories(g, k, axes, loads_ahead(g) ? TAKE : LOAD);
    if (loads_ahead(g)) {
        mst_text_put(g->out, "if (plane + 1 < plane_end)\n");
        write_ahead(g, k, axes, "plane + 1");
    }
    for (int u = g->first; u < g->end; u++)
        if (mst_sweep_computes(g->s, u, axes))
            write_update(g, k, u, formula_of(&g->s->problem->updates[u], axes));
    mst_sweep_write_stores(g->w, g->s, k, axes);
}

static void write_planes(const sweep_writer *g, int k, unsigned axes) {
    mst_text_put(g->out, "long i = grid.s5 + plane_begin * plane_pitch + row * pitch + column;\n");
    mst_sweep_vectors_write_kept(&g->vectors);
    if (loads_ahead(g)) {
        write_memories(g, k, axes, DECLARE);
        write_ahead(g, k, axes, "plane_begin");
    }
    mst_text_put(g->out, "for (long plane = plane_begin; plane < plane_end; plane++, i += plane_pitch) {\n");
    mst_sweep_vectors_write_loads(&g->vectors);
    mst_text_put(g->out, "{\n");
    write_updates(g, k, axes);
    mst_text_put(g->out, "}\n");
    mst_sweep_vectors_write_shifts(&g->vectors);
    mst_text_put(g->out, "}\n");
}

// Waves of order 8 take a sixth longer on an H100 with the text for parts of the planes.
static void write_all_gpu(const sweep_writer *g, int k) {
    const int items = mst_sweep_items(g->s, MST_SWEEP_ALL, false), in_parts = g->s->in_parts;
    mst_text_put(g->out,
                 "long tile = get_group_id(0);\n"
                 "const long group_column = tile % work.s1 * $items * WIDTH;\n"
                 "const long column = group_column + get_local_id(0) % $items * WIDTH;\n"
                 "tile /= work.s1;\n"
                 "const long group_row = tile % work.s2 * $rows, row = group_row + get_local_id(0) / $items;\n"
                 "tile /= work.s2;\n"
                 "const long plane_begin = ${first}tile * work.s0, plane_end = min(plane_begin + work.s0, $end);\n"
                 "if (column >= n_columns || row >= n_rows)\nreturn;\n",
                 MST_SET(items, items), MST_SET(rows, mst_sweep_group(MST_SWEEP_ALL) / items),
                 MST_SET(first, in_parts ? "grid.s6 + " : ""), MST_SET(end, in_parts ? "grid.s6 + grid.s7" : "n_planes"));
    write_planes(g, k, mst_sweeps_layer_axes(g->s, k));
}

// The layers of one axis each have a code of their own; where they meet, there are few nodes.
static void write_faces(const sweep_writer *g, int k) {
    for (int region = 0; region < N_AXES; region++) {
        const unsigned axes = mst_sweep_region(MST_SWEEP_FACES, region);
        const char *in[N_AXES];
        char first[8] = "0";
        if ((mst_sweeps_layer_axes(g->s, k) & axes) == 0)
            continue;
        for (int axis = 0; axis < N_AXES; axis++)
            in[axis] = axes >> axis & 1 ? "true" : "false";
        if (region > 0)
            snprintf(first, sizeof first, "work.s%d", 3 + region);
        mst_text_put(g->out, "if (get_group_id(0) >= $first && get_group_id(0) < work.s$end) {\n", MST_SET(first, first),
                     MST_SET(end, 4 + region));
        mst_sweep_write_tile(g->w, g->s, g->part, first, in);
        write_planes(g, k, axes);
        mst_text_put(g->out, "}\n");
    }
}

static void write_gpu(const sweep_writer *g, int k) {
    static const char *const outside[] = {"false", "false", "false"}, *const met[] = {"in_planes", "in_rows", "in_columns"};
    if (g->part == MST_SWEEP_ALL) {
        write_all_gpu(g, k);
        return;
    }
    mst_sweep_write_axes(g->w, g->s, k);
    if (g->part == MST_SWEEP_FACES) {
        write_faces(g, k);
    } else if (g->part == MST_SWEEP_EDGES) {
        mst_text_put(g->out,
                     "const long group = get_group_id(0);\n"
                     "const int region = (group >= work.s4) + (group >= work.s5) + (group >= work.s6);\n"
                     "const long region_begin = region == 0 ? 0 : region == 1 ? work.s4 : region == 2 ? work.s5 : work.s6;\n"
                     "const bool in_planes = region != 2, in_rows = region != 1, in_columns = region != 0;\n");
        mst_sweep_write_tile(g->w, g->s, g->part, "region_begin", met);
        write_planes(g, k, MST_LAYERS_ALL_AXES);
    } else {
        mst_sweep_write_first(g->w, g->s);
        mst_sweep_write_tile(g->w, g->s, g->part, g->s->around ? "around.s7" : "0", outside);
        write_planes(g, k, 0);
        mst_text_put(g->out, g->s->around ? "}\n" : "");
    }
}

// A CPU's vectors outside all layers, and those in the layers of one axis alone, before what does the others.
static void write_layer_cases(const sweep_writer *g, int k) {
    const unsigned all = mst_sweeps_layer_axes(g->s, k);
    unsigned cases[1 + N_AXES] = {0};
    int n = all != 0;
    for (int axis = 0; axis < N_AXES && mst_layers_meet(g->s->problem) && (all & (all - 1)); axis++)
        if (all >> axis & 1)
            cases[n++] = 1u << axis;
    for (int i = 0; i < n; i++) {
        mst_text_put(g->out, "if (");
        mst_sweep_write_outside(g->w, g->s, k, all & ~cases[i]);
        mst_text_put(g->out, ") {\n");
        write_updates(g, k, cases[i]);
        mst_text_put(g->out, "} else ");
    }
}

static void write_parameters(const sweep_writer *g, const mst_signature *signature, bool with_types) {
    for (size_t n = 0; n < signature->n_parameters; n++)
        mst_text_put(g->out, with_types ? "$type $name, " : "$name, ", MST_SET(type, signature->parameters[n].type),
                     MST_SET(name, signature->parameters[n].name));
}

// Whether lines are done as a whole, and their columns are numbers.
static bool is_line_whole(const sweep_writer *g) {
    return g->s->has_fixed_lines && g->s->problem->grid[COLUMNS] <= MST_SWEEPS_PART_COLUMNS;
}

// The nodes of the line (plane, row) from column_begin to column_end, which are numbers where lines are.
static void write_line(const sweep_writer *g, int k) {
    const bool whole = is_line_whole(g);
    mst_text_put(g->out,
                 "const long line_at = grid.s5 + plane * plane_pitch + row * pitch;\n"
                 "for (long column = $begin; column < $end; column += WIDTH) {\nconst long i = line_at + column;\n",
                 MST_SET(begin, whole ? "0" : "column_begin"), MST_SET(end, whole ? "n_columns" : "column_end"));
    write_layer_cases(g, k);
    mst_text_put(g->out, "{\n");
    write_updates(g, k, MST_LAYERS_ALL_AXES);
    mst_text_put(g->out, "}\n}\n");
}

// A CPU's kernels call a function for several lines, as a call takes about as long as some thirty nodes. Of planes that are done
// together each line, or each part of it, comes in all of them before the next. Rows before the first one are behind the last.
// One grid of two axes has long lines, and a call for each: PoCL's compiler makes a loop over nodes that is about a tenth slower
// of one that stands within others.
static void write_lines(const sweep_writer *g, int k, const mst_signature *signature) {
    const bool each = g->s->problem->rank == 2 && mst_sweeps_lag(g->s) > 0; // an ensemble's lines do not read one another
    if (each) {
        mst_text_put(g->out, "__attribute__((noinline)) void line_of_sweep$k(", MST_SET(k, k));
        write_parameters(g, signature, true);
        mst_text_put(g->out, "long plane, long row, long column_begin, long column_end) {\n");
        mst_sweep_write_pitches(g->w, g->s);
        write_line(g, k);
        mst_text_put(g->out, "}\n\n");
    }
    mst_text_put(g->out, each ? "void lines_of_sweep$k(" : "__attribute__((noinline)) void lines_of_sweep$k(", MST_SET(k, k));
    write_parameters(g, signature, true);
    mst_text_put(g->out, "long plane_begin, long plane_end, long row_begin, long row_end, long columns_begin, long columns_end, "
                         "long part) {\n");
    mst_sweep_write_pitches(g->w, g->s);
    mst_text_put(g->out, "for (long r = row_begin; r < row_end; r++)\n");
    if (!is_line_whole(g))
        mst_text_put(g->out, "for (long column_begin = columns_begin; column_begin < columns_end; column_begin += part)\n");
    mst_text_put(g->out, "for (long p = plane_begin; p < plane_end; p++) {\n"
                         "const long plane = p < 0 ? p + n_planes : p, row = r < 0 ? r + n_rows : r;\n");
    if (!is_line_whole(g))
        mst_text_put(g->out, "const long column_end = min(column_begin + part, columns_end);\n");
    if (each) {
        mst_text_put(g->out, "line_of_sweep$k(", MST_SET(k, k));
        write_parameters(g, signature, false);
        mst_text_put(g->out, "plane, row, column_begin, column_end);\n");
    } else {
        write_line(g, k);
    }
    mst_text_put(g->out, "}\n}\n\n");
}

// In two axes the planes are the lines.
static void write_cpu(const sweep_writer *g, int k, const mst_signature *signature) {
    mst_text_put(
        g->out,
        "// Parts of lines, of work.s1 nodes but for the last of a line; all lines of a plane at once, or a part of one.\n"
        "const long part_begin = get_global_id(0) * work.s0, part_end = min(part_begin + work.s0, work.s2);\n"
        "const long parts_of_line = (n_columns + work.s1 - 1) / work.s1;\n"
        "for (long part = part_begin, n; part < part_end; part += n) {\n"
        "const long line = part / parts_of_line, first_plane = grid.s6 + line / n_rows, first_row = line % n_rows;\n"
        "n = parts_of_line > 1 ? 1 : n_rows > 1 ? min(part_end - part, n_rows - first_row) : part_end - part;\n"
        "const long plane_end = first_plane + (n_rows > 1 ? 1 : n), row_end = first_row + (n_rows > 1 ? n : 1);\n"
        "const long column_begin = part % parts_of_line * work.s1;\n"
        "const long column_end = min(column_begin + work.s1, n_columns);\n"
        "lines_of_sweep$k(",
        MST_SET(k, k));
    write_parameters(g, signature, false);
    mst_text_put(g->out, "first_plane, plane_end, first_row, row_end, column_begin, column_end, work.s1);\n");
    if (mst_sweep_copies(g->s, k)) {
        mst_text_put(g->out, "for (long plane = first_plane; plane < plane_end; plane++)\n"
                             "for (long row = first_row; row < row_end; row++) {\n");
        mst_write_copies_of_line(g->w, g->s, k);
        mst_text_put(g->out, "}\n");
    }
    mst_text_put(g->out, "}\n");
}

static mst_status write_sweep(const mst_writer *w, const mst_sweeps *s, int k, mst_sweep_of part, mst_error *error) {
    mst_status status = MST_OK;
    sweep_writer g = {.w = w,
                      .s = s,
                      .out = w->out,
                      .first = s->first[k],
                      .end = s->first[k + 1],
                      .part = part,
                      .vectors = {.sweeps = s, .out = w->out, .k = k}};
    mst_signature signature;
    char attributes[80];
    snprintf(attributes, sizeof attributes, "__attribute__((reqd_work_group_size(%d, 1, 1)))",
             is_gpu(&g) ? mst_sweep_group(part) : 1);
    mst_text_put(g.out, "\n// Sub-step $substep of the step.\n", MST_SET(substep, s->problem->updates[g.first].substep));
    mst_sweep_describe(s, k, part, &signature);
    if (!is_gpu(&g))
        write_lines(&g, k, &signature);
    mst_signature_write(&signature, attributes, g.out);
    mst_sweep_write_run(w, s, &signature);
    mst_sweep_write_pitches(w, s);
    if (is_gpu(&g)) {
        MST_TRY(mst_sweep_vectors_find(&g.vectors, error));
        write_gpu(&g, k);
    } else {
        write_cpu(&g, k, &signature);
    }
    mst_text_put(g.out, "}\n");
fail:
    mst_signature_release(&signature);
    mst_sweep_vectors_release(&g.vectors);
    return status;
}

mst_status mst_write_sweeps(const mst_writer *w, const mst_sweeps *s, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_write_helpers(w, s->width, error));
    if (mst_sweeps_has_points(s))
        MST_TRY(mst_program_add_file(w->context, "stencil_sweep.cl", w->out, error));
    if (mst_sweeps_has_points(s) && mst_sweeps_has(s, true, false))
        MST_TRY(mst_program_add_file(w->context, "stencil_sweep_half.cl", w->out, error));
    if (s->problem->n_layers > 0)
        MST_TRY(mst_program_add_file(w->context, "stencil_sweep_layers.cl", w->out, error));
    if (s->copies_margins)
        mst_write_copies(w, s);
    for (int k = 0; k < s->n; k++)
        for (int part = 0; part < MST_SWEEP_PARTS; part++)
            if (mst_sweep_has_part(s, k, (mst_sweep_of)part))
                MST_TRY(write_sweep(w, s, k, (mst_sweep_of)part, error));
    if (s->in_tiles)
        mst_write_time_tiles(w, s);
    if (s->around)
        mst_sweep_write_copies_around(w, s);
    mst_write_margins(w, s);
    mst_write_regions_sweep(w);
fail:
    return status;
}
