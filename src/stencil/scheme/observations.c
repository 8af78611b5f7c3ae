#include "observations.h"

#include "expressions.h"
#include "runtime/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- Reading

static mst_array_read *find_read(mst_observation *o, const mst_problem *p, const mst_leaf *leaf) {
    for (size_t k = 0; k < o->n_reads; k++)
        if (o->reads[k].field == leaf->field && o->reads[k].level == leaf->level)
            return &o->reads[k];
    const mst_problem_field *field = &p->fields[leaf->field];
    mst_array_read *r = &o->reads[o->n_reads++];
    *r = (mst_array_read){leaf->field, leaf->level, field->array + (field->coefficient ? p->n_arrays : leaf->level), false};
    return r;
}

static mst_status read_observation(const mst_problem *p, const mst_stencil_desc *desc, const char *text, const char *what,
                                   const mst_stencil_region *region, uint64_t every, mst_observations *all, mst_observation *o,
                                   mst_error *error) {
    static const mst_stencil_region whole;
    mst_status status = MST_OK;
    MST_REQUIRE(text, MST_ERROR_ARGUMENT, "%s needs an expression", what);
    MST_TRY(mst_problem_reading(p, desc, text, what, &o->formula, error));
    MST_TRY(mst_region_read(p->rank, p->grid, memcmp(region, &whole, sizeof whole) == 0 ? NULL : region, &o->region, error));
    o->every = every;
    memcpy(o->to, o->region.count, sizeof o->to);
    o->formula.first_varying = all->n_varying;
    all->n_varying += o->formula.n_varying;
    for (size_t i = 0; i < o->formula.n_leaves; i++) {
        const mst_leaf *leaf = &o->formula.leaves[i];
        if (leaf->kind != MST_VALUE_FIELD)
            continue;
        mst_array_read *r = find_read(o, p, leaf);
        for (int axis = 0; axis < N_AXES; axis++) {
            o->reach[axis] = mst_larger(o->reach[axis], abs(leaf->offsets[axis]));
            r->at_neighbours = r->at_neighbours || leaf->offsets[axis] != 0;
        }
    }
fail:
    return status;
}

static mst_status read_monitor(const mst_problem *p, const mst_stencil_desc *desc, mst_observations *all, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil_monitor *from = &desc->monitors[all->n_monitors];
    mst_problem_monitor *to = &all->monitors[all->n_monitors++];
    char what[MST_EXPR_MAX_NAME + 30];
    MST_REQUIRE(from->name && *from->name && strlen(from->name) < sizeof to->name, MST_ERROR_ARGUMENT,
                "monitor %zu needs a name of at most %zu characters", all->n_monitors - 1, sizeof to->name - 1);
    MST_REQUIRE((unsigned)from->reduction <= MST_STENCIL_NORM, MST_ERROR_ARGUMENT, "monitor %s has reduction %d, which is none",
                from->name, (int)from->reduction);
    strcpy(to->name, from->name);
    to->reduction = from->reduction;
    snprintf(what, sizeof what, "the monitor %s", from->name);
    MST_TRY(read_observation(p, desc, from->expression, what, &from->region, from->every, all, &to->what, error));
fail:
    return status;
}

// Of several grids the region's planes in each, one run behind the other.
static void repeat_in_runs(const mst_problem *p, mst_observation *o) {
    o->region.count[PLANES] *= p->grids;
    o->to[PLANES] *= p->grids;
    o->region.nodes *= p->grids;
}

static mst_status read_spectrum(const mst_problem *p, const mst_stencil_desc *desc, mst_observations *all, mst_error *error) {
    mst_status status = MST_OK;
    const size_t number = all->n_spectra;
    const mst_stencil_spectrum *from = &desc->spectra[number];
    mst_problem_spectrum *to = &all->spectra[all->n_spectra++];
    size_t sums;
    char what[60];
    snprintf(what, sizeof what, "spectrum %zu", number);
    MST_REQUIRE(from->n_frequencies >= 1 && from->n_frequencies <= MST_STENCIL_MAX_FREQUENCIES && from->frequencies,
                MST_ERROR_ARGUMENT, "spectrum %zu has %zu frequencies; 1 to %d are supported", number, from->n_frequencies,
                MST_STENCIL_MAX_FREQUENCIES);
    MST_TRY(read_observation(p, desc, from->expression, what, &from->region, mst_larger(from->every, (uint64_t)1), all, &to->what,
                             error));
    repeat_in_runs(p, &to->what);
    MST_REQUIRE(to->frequencies = malloc(from->n_frequencies * sizeof(double)), MST_ERROR_HOST_MEMORY,
                "out of memory for a spectrum");
    memcpy(to->frequencies, from->frequencies, from->n_frequencies * sizeof(double));
    to->n_frequencies = from->n_frequencies;
    for (size_t k = 0; k < to->n_frequencies; k++)
        MST_REQUIRE(isfinite(to->frequencies[k]), MST_ERROR_ARGUMENT, "frequency %zu of spectrum %zu is %g; it must be finite", k,
                    number, to->frequencies[k]);
    to->first = all->n_sums;
    MST_REQUIRE(mst_multiply(to->n_frequencies, (size_t)to->what.region.nodes, &sums) && sums <= (size_t)1 << 56,
                MST_ERROR_ARGUMENT, "spectrum %zu has too many sums", number);
    all->n_sums += sums;
fail:
    return status;
}

// The names: those of monitors, then t, dt and the parameters, which are numbers but for t.
static mst_status read_until(const mst_problem *p, const mst_stencil_desc *desc, mst_observations *all, mst_error *error) {
    enum { MOST = MST_STENCIL_MAX_MONITORS + MST_STENCIL_MAX_PARAMETERS + 2 };
    static const char what[] = "the condition `until`";
    mst_status status = MST_OK;
    mst_expr_symbol symbols[MOST];
    const double *numbers[MOST] = {NULL};
    size_t strides[MOST] = {0}, n = 0;
    all->until_every = mst_larger(desc->until_every, (uint64_t)1);
    for (; n < all->n_monitors; n++)
        symbols[n] = (mst_expr_symbol){all->monitors[n].name, 0, 1};
    symbols[n++] = (mst_expr_symbol){"t", 0, 1};
    numbers[n] = &p->time_step;
    symbols[n++] = (mst_expr_symbol){"dt", 0, 1};
    for (size_t k = 0; k < desc->n_parameters; k++)
        if (!mst_parameter_varies(desc, desc->parameters[k].name)) {
            numbers[n] = &desc->parameters[k].value;
            symbols[n++] = (mst_expr_symbol){desc->parameters[k].name, 0, 1};
        }
    for (size_t k = 0; k < desc->n_run_parameters; k++) {
        numbers[n] = &desc->run_values[k];
        strides[n] = desc->n_run_parameters;
        symbols[n++] = (mst_expr_symbol){desc->run_parameters[k], 0, 1};
    }
    const mst_expr_scheme scheme = {.numbers = numbers};
    MST_TRY(p->n_runs > 0 ? mst_expr_parse_runs(desc->until, what, symbols, n, &scheme, strides, p->n_runs, &all->until,
                                                &all->until_varying, error)
                          : mst_expr_parse_scheme(desc->until, what, symbols, n, &scheme, &all->until, error));
    n = mst_expr_n_leaves(all->until);
    MST_REQUIRE(all->until_reads = calloc(n + 1, sizeof *all->until_reads), MST_ERROR_HOST_MEMORY,
                "out of memory for a condition");
    for (size_t i = 0; i < n; i++) {
        const mst_expr_leaf *leaf = &mst_expr_leaves(all->until)[i];
        all->until_reads[i] = leaf->symbol == MST_EXPR_VARYING ? -2 - leaf->level
                              : leaf->symbol < all->n_monitors ? (int)leaf->symbol
                                                               : -1;
    }
fail:
    return status;
}

mst_status mst_observations_read(const mst_problem *p, const mst_stencil_desc *desc, mst_observations **out, mst_error *error) {
    mst_status status = MST_OK;
    mst_observations *all = calloc(1, sizeof *all);
    *out = all;
    MST_REQUIRE(all, MST_ERROR_HOST_MEMORY, "out of memory for monitors");
    all->n_varying = p->n_varying;
    MST_REQUIRE(desc->n_monitors <= MST_STENCIL_MAX_MONITORS && desc->n_spectra <= MST_STENCIL_MAX_SPECTRA, MST_ERROR_ARGUMENT,
                "there are %zu monitors and %zu spectra; %d and %d are supported", desc->n_monitors, desc->n_spectra,
                MST_STENCIL_MAX_MONITORS, MST_STENCIL_MAX_SPECTRA);
    all->monitors = calloc(desc->n_monitors + 1, sizeof *all->monitors);
    all->spectra = calloc(desc->n_spectra + 1, sizeof *all->spectra);
    MST_REQUIRE(all->monitors && all->spectra, MST_ERROR_HOST_MEMORY, "out of memory for monitors");
    while (all->n_monitors < desc->n_monitors)
        MST_TRY(read_monitor(p, desc, all, error));
    while (all->n_spectra < desc->n_spectra)
        MST_TRY(read_spectrum(p, desc, all, error));
    if (desc->until)
        MST_TRY(read_until(p, desc, all, error));
fail:
    return status;
}

void mst_observations_release(mst_observations *all) {
    if (!all)
        return;
    for (size_t k = 0; k < all->n_monitors; k++)
        mst_formula_release(&all->monitors[k].what.formula);
    for (size_t k = 0; k < all->n_spectra; k++) {
        mst_formula_release(&all->spectra[k].what.formula);
        free(all->spectra[k].frequencies);
    }
    mst_expr_destroy(all->until);
    free(all->until_reads);
    free(all->until_varying);
    free(all->monitors);
    free(all->spectra);
    free(all);
}

// The first node of a region along an axis from that one of the grid on.
static uint64_t nodes_before(const mst_region *r, int axis, int64_t node) {
    const int64_t before = node - (int64_t)r->start[axis];
    return before <= 0 ? 0 : mst_smaller(mst_divide_up((uint64_t)before, r->step[axis]), r->count[axis]);
}

static void cut(mst_observation *o, const mst_part part[N_AXES]) {
    for (int axis = 0; axis < N_AXES; axis++) {
        o->from[axis] = nodes_before(&o->region, axis, part[axis].first);
        o->to[axis] = nodes_before(&o->region, axis, part[axis].first + part[axis].count);
    }
}

void mst_observations_cut(mst_observations *all, bool of_runs, const mst_part part[N_AXES]) {
    for (size_t k = 0; k < all->n_monitors && !of_runs; k++)
        cut(&all->monitors[k].what, part);
    all->n_sums = 0;
    for (size_t k = 0; k < all->n_spectra; k++) {
        mst_problem_spectrum *s = &all->spectra[k];
        cut(&s->what, part);
        s->first = all->n_sums;
        all->n_sums += s->n_frequencies * mst_spectrum_nodes(s);
    }
}

// ---- When

typedef uint64_t (*join_fn)(uint64_t so_far, uint64_t every, uint64_t step);

static uint64_t join(const mst_observations *all, uint64_t so_far, uint64_t step, join_fn with) {
    for (size_t k = 0; k < all->n_monitors; k++)
        if (all->monitors[k].what.every > 0)
            so_far = with(so_far, all->monitors[k].what.every, step);
    for (size_t k = 0; k < all->n_spectra; k++)
        so_far = with(so_far, all->spectra[k].what.every, step);
    return all->until ? with(so_far, all->until_every, step) : so_far;
}

static uint64_t sooner(uint64_t so_far, uint64_t every, uint64_t step) {
    return every <= UINT64_MAX - step ? mst_smaller(so_far, (step / every + 1) * every) : so_far;
}

static uint64_t shorter(uint64_t so_far, uint64_t every, uint64_t step) {
    (void)step;
    return mst_smaller(so_far, every);
}

bool mst_observations_due(const mst_observations *all, uint64_t step) {
    return step > 0 && mst_observations_next(all, step - 1) == step;
}

uint64_t mst_observations_next(const mst_observations *all, uint64_t step) { return join(all, UINT64_MAX, step, sooner); }

uint64_t mst_observations_interval(const mst_observations *all) { return join(all, UINT64_MAX, 0, shorter); }

// ---- The condition

bool mst_observations_until_reads(const mst_observations *all, size_t monitor) {
    for (size_t i = 0; all->until && i < mst_expr_n_leaves(all->until); i++)
        if (all->until_reads[i] == (int)monitor)
            return true;
    return false;
}

bool mst_observations_until_holds(const mst_observations *all, const double *values, double time, size_t run, size_t n_runs) {
    double leaves[MST_EXPR_MAX_NODES];
    for (size_t i = 0; i < mst_expr_n_leaves(all->until); i++) {
        const int reads = all->until_reads[i];
        leaves[i] = reads >= 0 ? values[reads] : reads == -1 ? time : all->until_varying[(size_t)(-2 - reads) * n_runs + run];
    }
    const double holds = mst_expr_evaluate(all->until, leaves);
    return holds != 0 && !isnan(holds);
}
