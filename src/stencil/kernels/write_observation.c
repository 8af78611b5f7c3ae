#include "write_observation.h"

#include "beyond.h"
#include "names.h"
#include "runtime/context.h"
#include "runtime/numbers.h"
#include "runtime/program.h"
#include "text/signature.h"

#include <stdio.h>

uint64_t mst_observation_line(const mst_region *r) { return mst_divide_up(r->count[COLUMNS], (uint64_t)MST_OBSERVATION_UNIT); }

uint64_t mst_observation_units(const mst_region *r) { return r->count[PLANES] * r->count[ROWS] * mst_observation_line(r); }

uint64_t mst_observation_share(const mst_region *r) {
    return mst_divide_up(mst_observation_units(r), (uint64_t)MST_OBSERVATION_GROUPS);
}

uint64_t mst_observation_groups(const mst_region *r) { return mst_divide_up(mst_observation_units(r), mst_observation_share(r)); }

uint64_t mst_observation_runs(const mst_region *r, uint64_t n_runs) {
    return mst_smaller(n_runs, MST_OBSERVATION_ALL_GROUPS / mst_observation_groups(r));
}

bool mst_observation_in_double(const mst_context *context) { return context->device.fp64; }

static bool is_coefficient(const mst_writer *w, const mst_array_read *r) { return w->problem->fields[r->field].coefficient; }

static void name_argument(const mst_writer *w, const mst_array_read *r, mst_name out) {
    mst_name array;
    mst_name_array(w->problem, r->field, r->level, array);
    snprintf(out, MST_NAME_SIZE, is_coefficient(w, r) ? "%.*s_coefficient" : "%.*s_in", MST_NAME_SIZE - 20, array);
}

static bool has_numbers(const mst_writer *w) { return w->problem->observations->n_varying > 0; }

// Where arrays have the grids of several runs: the run and how many there are, as they are found for a work-item.
static void name_run(const mst_writer *w) {
    if (w->problem->has_grids)
        mst_text_put(w->out, "const long2 runs = (long2)(held.s4, held.s5);\n");
}

// ---- The value of a field at any node

static void write_reader(const mst_writer *w, int field) {
    mst_writer of_value = *w;
    const bool half = w->problem->fields[field].is_half;
    of_value.time = "time";
    mst_text_put(w->out,
                 "\nreal ${field}_value(__global const $type *array, long8 grid, long8 held, long plane, long row, long column, "
                 "real time$numbers) {\n"
                 "const long n_planes = grid.s0, n_rows = grid.s1, n_columns = grid.s2;\n",
                 MST_SET(field, w->problem->fields[field].name), MST_SET(type, mst_element_type(half)),
                 MST_SET(numbers, has_numbers(w) ? ", __global const real *numbers" : ""));
    name_run(w);
    const int set = w->problem->fields[field].faces;
    const char *sign = mst_begin_beyond(&of_value, set);
    for (int axis = 0; axis < N_AXES; axis++)
        mst_write_beyond(&of_value, set, axis, half ? "return round_to_half(" : "return ", half ? ");\n" : ";\n");
    mst_text_put(w->out,
                 half ? "return ${sign}vload_half(line_of(plane, row, grid, held) + column, array);\n}\n"
                      : "return ${sign}array[line_of(plane, row, grid, held) + column];\n}\n",
                 MST_SET(sign, sign));
}

static bool reads_neighbours(const mst_observation *o, int field) {
    for (size_t k = 0; k < o->n_reads; k++)
        if (o->reads[k].field == field && o->reads[k].at_neighbours)
            return true;
    return false;
}

static void write_readers(const mst_writer *w, const mst_observations *all) {
    for (int f = 0; f < w->problem->n_fields; f++) {
        bool any = false;
        for (size_t k = 0; k < all->n_monitors; k++)
            any = any || reads_neighbours(&all->monitors[k].what, f);
        for (size_t k = 0; k < all->n_spectra; k++)
            any = any || reads_neighbours(&all->spectra[k].what, f);
        if (any)
            write_reader(w, f);
    }
}

// ---- The value of the expression at node (plane, row, column), whose line begins at element `line`

static const mst_array_read *read_of(const mst_observation *o, const mst_leaf *leaf) {
    size_t k = 0;
    while (o->reads[k].field != leaf->field || o->reads[k].level != leaf->level)
        k++;
    return &o->reads[k];
}

static void write_value(const mst_writer *w, const mst_observation *o) {
    mst_number_text values[MST_STENCIL_MAX_LEAVES];
    mst_write_place(w, &o->formula, "plane", "row", "0");
    mst_write_column(w, &o->formula, "column", 1);
    for (size_t i = 0; i < o->formula.n_leaves; i++) {
        const mst_leaf *leaf = &o->formula.leaves[i];
        mst_name name, array;
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        mst_name_leaf(w->problem, leaf, name);
        name_argument(w, read_of(o, leaf), array);
        snprintf(values[i], sizeof values[i], "%s", name);
        if (leaf->offsets[PLANES] == 0 && leaf->offsets[ROWS] == 0 && leaf->offsets[COLUMNS] == 0)
            mst_text_put(w->out,
                         w->problem->fields[leaf->field].is_half ? "const real $name = vload_half(line + column, $array);\n"
                                                                 : "const real $name = $array[line + column];\n",
                         MST_SET(name, name), MST_SET(array, array));
        else
            mst_text_put(w->out, "const real $name = ${field}_value($array, grid, held, $plane, $row, $column, $time$numbers);\n",
                         MST_SET(name, name), MST_SET(field, w->problem->fields[leaf->field].name), MST_SET(array, array),
                         MST_SET(plane, MST_SUM("plane", leaf->offsets[PLANES])),
                         MST_SET(row, MST_SUM("row", leaf->offsets[ROWS])),
                         MST_SET(column, MST_SUM("column", leaf->offsets[COLUMNS])),
                         MST_SET(time, leaf->level ? "before" : "now"), MST_SET(numbers, has_numbers(w) ? ", numbers" : ""));
    }
    mst_write_formula(w, &o->formula, 1, (const mst_number_text *)values, "result");
}

// ---- Kernels

static void begin(const mst_writer *w, const mst_observation *o, const char *kernel, bool is_spectrum) {
    mst_signature s;
    mst_name name;
    mst_signature_begin(&s, kernel);
    for (size_t k = 0; k < o->n_reads; k++) {
        name_argument(w, &o->reads[k], name);
        mst_signature_add(&s, w->problem->fields[o->reads[k].field].is_half ? "__global const half *" : "__global const real *",
                          "%s", name);
    }
    mst_signature_add(&s, is_spectrum ? "__global real2 *" : "__global SUM *", is_spectrum ? "sums" : "partials");
    if (is_spectrum)
        mst_signature_add(&s, "__global const real2 *", "phases");
    if (has_numbers(w))
        mst_signature_add(&s, "__global const real *", "numbers");
    mst_signature_add(&s, "long8", "grid");
    mst_signature_add(&s, "long8", "held");
    mst_signature_add(&s, "long16", "region");
    mst_signature_add(&s, "long4", "range");
    mst_signature_add(&s, "real", "now");
    mst_signature_add(&s, "real", "before");
    mst_signature_write(&s, "", w->out);
    mst_signature_release(&s);
    mst_text_put(w->out, "const long n_planes = grid.s0, n_rows = grid.s1, n_columns = grid.s2;\n");
}

static void write_monitor(const mst_writer *w, const mst_problem_monitor *m, const char *kernel) {
    static const char *const starts[] = {"0", "-INFINITY", "INFINITY", "0", "0"};
    static const char *const joins[] = {"add_to(&sum, &rest, result);\n", "sum = larger_of(sum, result);\n",
                                        "sum = smaller_of(sum, result);\n", "add_to(&sum, &rest, result);\n",
                                        "add_to(&sum, &rest, (SUM)result * result);\n"};
    mst_text_put(w->out, "\n// $name\n", MST_SET(name, m->name));
    begin(w, &m->what, kernel, false);
    mst_text_put(
        w->out,
        "const long item = get_global_id(0), lane = item % $lanes, groups = range.s2;\n"
        "const long run = item / $lanes / groups, group = item / $lanes % groups;\n"
        "const long units_of_line = (region.s8 + $unit - 1) / $unit;\n"
        "const long share = (region.s6 * region.s7 * units_of_line + $most - 1) / $most, begin = group * share;\n"
        "const long first = max(begin, range.s0), end = min(begin + share, range.s1);\n"
        "if (run >= range.s3 || first >= end)\nreturn;\n"
        "${own_run}"
        "SUM sum = begin < first ? partials[2 * item] : $start, rest = begin < first ? partials[2 * item + 1] : 0;\n"
        "for (long unit = first; unit < end; unit++) {\n"
        "const long k = unit / units_of_line, from = unit % units_of_line * $unit;\n"
        "const long plane = region.s0 + ${first}k / region.s7 * region.s3, row = region.s1 + k % region.s7 * region.s4;\n"
        "const long line = line_of(plane, row, grid, held), to = min(from + $unit, region.s8);\n"
        "for (long i = from + lane; i < to; i += $lanes) {\n"
        "const long column = region.s2 + i * region.s5;\n",
        MST_SET(lanes, MST_OBSERVATION_LANES), MST_SET(unit, MST_OBSERVATION_UNIT), MST_SET(most, MST_OBSERVATION_GROUPS),
        MST_SET(start, starts[m->reduction]), MST_SET(first, w->problem->has_grids ? "" : "run + "),
        MST_SET(own_run, w->problem->has_grids ? "held.s4 = held.s7 + run;\n"
                                                 "grid.s5 += held.s4 * held.s6;\n"
                                               : ""));
    name_run(w);
    write_value(w, &m->what);
    mst_text_put(w->out, "$join}\n}\npartials[2 * item] = sum;\npartials[2 * item + 1] = rest;\n}\n",
                 MST_SET(join, joins[m->reduction]));
}

// The node whose number in the region is the work-item's, from range.s0 on.
static void write_node(const mst_writer *w) {
    mst_text_put(w->out,
                 "const long node = range.s0 + get_global_id(0), nodes = region.s6 * region.s7 * region.s8;\n"
                 "const long k = node / region.s8, column = region.s2 + node % region.s8 * region.s5;\n"
                 "${plane}"
                 "const long plane = region.s0 + number * region.s3, row = region.s1 + k % region.s7 * region.s4;\n"
                 "const long line = line_of(plane, row, grid, held);\n"
                 "if (node >= min(range.s1, nodes))\nreturn;\n",
                 MST_SET(plane, w->problem->has_grids
                                    ? "const long of_run = region.s6 / held.s5, number = k / region.s7 % of_run;\n"
                                      "held.s4 = k / region.s7 / of_run;\ngrid.s5 += held.s4 * held.s6;\n"
                                    : "const long number = k / region.s7;\n"));
    name_run(w);
}

// The values themselves, of a part of a grid whose lines are cut.
static void write_values(const mst_writer *w, const mst_problem_monitor *m, const char *kernel) {
    mst_text_put(w->out, "\n// The values of $name.\n", MST_SET(name, m->name));
    begin(w, &m->what, kernel, false);
    write_node(w);
    write_value(w, &m->what);
    mst_text_put(w->out, "partials[node - range.s2] = result;\n}\n");
}

static void write_spectrum(const mst_writer *w, const mst_problem_spectrum *s, const char *kernel) {
    mst_text_put(w->out, "\n");
    begin(w, &s->what, kernel, true);
    write_node(w);
    write_value(w, &s->what);
    mst_text_put(w->out,
                 "for (int f = 0; f < $n; f++)\n"
                 "sums[$first + f * nodes + node] += result * phases[f];\n}\n",
                 MST_SET(n, s->n_frequencies), MST_SET(first, s->first));
}

mst_status mst_write_observations(const mst_writer *w, const mst_observations *all, mst_error *error) {
    mst_status status = MST_OK;
    mst_writer of_now = *w;
    char kernel[30];
    of_now.time = "now";
    of_now.numbers = "numbers[";
    MST_TRY(mst_write_helpers(w, 2, error));
    mst_text_put(w->out, mst_observation_in_double(w->context)
                             ? "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n#define SUM double\n"
                             : "#define SUM float\n");
    MST_TRY(mst_program_add_file(w->context, "observation.cl", w->out, error));
    write_readers(&of_now, all);
    for (size_t k = 0; k < all->n_monitors; k++) {
        snprintf(kernel, sizeof kernel, "monitor%zu", k);
        if (mst_problem_is_cut(w->problem, ROWS) || mst_problem_is_cut(w->problem, COLUMNS))
            write_values(&of_now, &all->monitors[k], kernel);
        else
            write_monitor(&of_now, &all->monitors[k], kernel);
    }
    for (size_t k = 0; k < all->n_spectra; k++) {
        snprintf(kernel, sizeof kernel, "spectrum%zu", k);
        write_spectrum(&of_now, &all->spectra[k], kernel);
    }
fail:
    return status;
}
