#include "elements.h"
#include "expressions.h"
#include "faces.h"
#include "layers.h"
#include "part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// In the order of mst_problem_formula.
static void count_varying(mst_problem *p, mst_formula *f) {
    f->first_varying = p->n_varying;
    p->n_varying += f->n_varying;
}

static bool reads_time(const mst_formula *f) {
    for (size_t i = 0; i < f->n_leaves; i++)
        if (f->leaves[i].kind == MST_VALUE_TIME)
            return true;
    return false;
}

static mst_status read_grid(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    const bool has_grids = mst_ensemble_has_grids(desc);
    MST_REQUIRE(desc->rank >= 1 && (desc->rank <= MST_MAX_AXES || has_grids), MST_ERROR_ARGUMENT,
                "the grid has %d axes; 1 to 3 are supported", desc->rank);
    MST_REQUIRE(desc->precision == MST_FLOAT32 || desc->precision == MST_FLOAT64, MST_ERROR_ARGUMENT,
                "the precision is %s; float32 and float64 are supported", mst_type_name(desc->precision));
    MST_REQUIRE(isfinite(desc->time_step) && desc->time_step > 0, MST_ERROR_ARGUMENT, "the time step is %g; it must be positive",
                desc->time_step);
    p->rank = has_grids ? MST_MAX_AXES : desc->rank;
    p->is_double = desc->precision == MST_FLOAT64;
    p->element = mst_type_bytes(desc->precision);
    p->time_step = desc->time_step;
    MST_REQUIRE(desc->subnormals <= MST_STENCIL_SUBNORMALS_FLUSH, MST_ERROR_ARGUMENT,
                "subnormals is %llu; they are kept (0) or flushed (1)", (unsigned long long)desc->subnormals);
    p->is_flushed = desc->subnormals == MST_STENCIL_SUBNORMALS_FLUSH && !p->is_open;
    p->n_runs = desc->n_runs;
    p->has_grids = has_grids;
    p->has_run_planes = p->n_runs > 0 && !has_grids;
    p->grids = has_grids ? p->n_runs : 1;
    size_t nodes = p->grids;
    for (int axis = 0; axis < N_AXES; axis++)
        p->grid[axis] = 1;
    for (int k = 0; k < p->rank; k++) {
        int axis = mst_problem_axis(p->rank, k);
        MST_REQUIRE(desc->grid[k] >= 1, MST_ERROR_ARGUMENT, "the grid has no nodes along axis %d", k);
        MST_REQUIRE(isfinite(desc->spacing[k]) && desc->spacing[k] > 0, MST_ERROR_ARGUMENT,
                    "the spacing along axis %d is %g; it must be positive", k, desc->spacing[k]);
        MST_REQUIRE(mst_multiply(nodes, desc->grid[k], &nodes) && nodes <= (size_t)1 << 56, MST_ERROR_ARGUMENT,
                    "the grid has too many nodes");
        p->grid[axis] = desc->grid[k];
        p->spacing[axis] = desc->spacing[k];
    }
    p->nodes = nodes;
    memcpy(p->whole, p->grid, sizeof p->whole);
    p->plane = p->grid[ROWS] * p->grid[COLUMNS];
fail:
    return status;
}

static mst_status read_fields(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(desc->n_fields >= 1 && desc->n_fields <= MST_STENCIL_MAX_FIELDS, MST_ERROR_ARGUMENT,
                "there are %zu fields; 1 to %d are supported", desc->n_fields, MST_STENCIL_MAX_FIELDS);
    const size_t n_parameters = desc->n_parameters + desc->n_run_parameters;
    MST_REQUIRE(n_parameters <= MST_STENCIL_MAX_PARAMETERS, MST_ERROR_ARGUMENT, "there are %zu parameters; %d are supported",
                n_parameters, MST_STENCIL_MAX_PARAMETERS);
    for (size_t k = 0; k < desc->n_fields; k++) {
        const mst_stencil_field *from = &desc->fields[k];
        mst_problem_field *to = &p->fields[p->n_fields++];
        MST_REQUIRE(from->name && *from->name && strlen(from->name) < sizeof to->name, MST_ERROR_ARGUMENT,
                    "field %zu needs a name of at most %zu characters", k, sizeof to->name - 1);
        MST_REQUIRE(from->levels >= 0 && from->levels <= 2 && !(from->coefficient && from->levels == 2), MST_ERROR_ARGUMENT,
                    "field %s has %d levels; 1 or 2 are supported, 1 for a coefficient field", from->name, from->levels);
        snprintf(to->name, sizeof to->name, "%s", from->name);
        to->levels = from->levels ? from->levels : 1;
        to->coefficient = from->coefficient;
        to->array = to->coefficient ? p->n_coefficients++ : p->n_arrays;
        p->n_arrays += to->coefficient ? 0 : to->levels;
    }
fail:
    return status;
}

static void find_coefficient_reach(mst_problem *p, const mst_formula *f) {
    for (size_t i = 0; i < f->n_leaves; i++)
        for (int axis = 0; axis < N_AXES && f->leaves[i].kind == MST_VALUE_FIELD; axis++) {
            int offset = abs(f->leaves[i].offsets[axis]);
            if (p->fields[f->leaves[i].field].coefficient && offset > p->coefficient_reach)
                p->coefficient_reach = offset;
        }
}

// Takes the expression over.
static mst_status add_update(mst_problem *p, const mst_names *n, int field, size_t substep, mst_expr *expr, double *varying,
                             const char *what, mst_error *error) {
    mst_problem_update *to = &p->updates[p->n_updates++];
    to->field = field;
    to->substep = substep;
    mst_status status = mst_formula_make(p, n, expr, varying, what, &to->formula, error);
    if (status == MST_OK && p->is_flushed)
        status = mst_formula_flush(p, &to->formula, what, error);
    if (status != MST_OK)
        return status;
    count_varying(p, &to->formula);
    p->uses_time = p->uses_time || reads_time(&to->formula);
    find_coefficient_reach(p, &to->formula);
    return MST_OK;
}

static mst_status copy_varying(const mst_problem *p, const mst_formula *of, double **out, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = of->n_varying * p->n_runs;
    if (n == 0)
        return MST_OK;
    MST_REQUIRE(*out = malloc(n * sizeof **out), MST_ERROR_HOST_MEMORY, "out of memory reading an expression");
    memcpy(*out, of->varying, n * sizeof **out);
fail:
    return status;
}

// A formula of the update that was added last for a part of the nodes. Takes the expression over.
static mst_status add_part(mst_problem *p, const mst_names *n, mst_expr *expr, const char *what, mst_formula *part,
                           mst_error *error) {
    const mst_formula *whole = &p->updates[p->n_updates - 1].formula;
    mst_status status = mst_formula_make(p, n, expr, NULL, what, part, error);
    if (status == MST_OK && p->is_flushed)
        status = mst_formula_flush(p, part, what, error);
    part->n_varying = whole->n_varying;
    part->first_varying = whole->first_varying;
    return status;
}

// The updates of the memory variables that a sub-step's updates use, behind these.
static mst_status add_memories(mst_problem *p, const mst_names *n, mst_layer_reading *layers, mst_error *error) {
    mst_status status = MST_OK;
    for (; layers->n_updated < layers->n; layers->n_updated++) {
        const mst_layer_memory *m = &layers->memories[layers->n_updated];
        const mst_formula *of = &p->updates[mst_layers_update(layers, m)].formula;
        mst_expr *expr;
        double *varying = NULL;
        MST_TRY(copy_varying(p, of, &varying, error));
        status = mst_layers_memory(layers, MST_LAYERS_ALL_AXES, m, &expr, error);
        if (status != MST_OK)
            free(varying);
        MST_TRY(status);
        MST_TRY(add_update(p, n, m->field, m->substep, expr, varying, p->fields[m->field].name, error));
        if (!mst_layers_meet(p))
            continue;
        const int axis = p->fields[m->field].layer_axis;
        MST_TRY(mst_layers_memory(layers, 1u << axis, m, &expr, error));
        MST_TRY(add_part(p, n, expr, p->fields[m->field].name, &p->updates[p->n_updates - 1].alone[axis], error));
    }
fail:
    return status;
}

// Those of the update that was added last, which is number k of the description.
static mst_status add_parts(mst_problem *p, const mst_names *n, mst_layer_reading *layers, size_t k, const char *what,
                            mst_error *error) {
    mst_status status = MST_OK;
    mst_problem_update *update = &p->updates[p->n_updates - 1];
    mst_expr *expr;
    MST_TRY(mst_layers_expand_along(layers, 0, k, what, &expr, error));
    if (expr)
        MST_TRY(add_part(p, n, expr, what, &update->outside, error));
    for (int axis = 0; axis < N_AXES && mst_layers_meet(p); axis++) {
        MST_TRY(mst_layers_expand_along(layers, 1u << axis, k, what, &expr, error));
        if (expr)
            MST_TRY(add_part(p, n, expr, what, &update->alone[axis], error));
    }
fail:
    return status;
}

static mst_status read_updates(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    mst_names n;
    mst_layer_reading layers = {.problem = p};
    mst_expr *expr;
    bool updated[MST_STENCIL_MAX_FIELDS] = {false};
    char what[MST_EXPR_MAX_NAME + 20];
    mst_names_list(p, desc, MST_STENCIL_READS_ALL, &n);
    layers.first_symbol = n.count;
    MST_REQUIRE(desc->n_updates >= 1, MST_ERROR_ARGUMENT, "there are no updates");
    MST_REQUIRE(desc->n_updates <= MST_STENCIL_MAX_FIELDS, MST_ERROR_ARGUMENT, "there are %zu updates; %d are supported",
                desc->n_updates, MST_STENCIL_MAX_FIELDS);
    for (size_t k = 0; k < desc->n_updates; k++) {
        const mst_stencil_update *from = &desc->updates[k];
        int f = mst_problem_find(p, from->field);
        MST_REQUIRE(f >= 0, MST_ERROR_ARGUMENT, "update %zu is of %s, which is no field", k,
                    from->field ? from->field : "(NULL)");
        MST_REQUIRE(!p->fields[f].coefficient, MST_ERROR_ARGUMENT, "coefficient field %s has an update", from->field);
        MST_REQUIRE(!updated[f], MST_ERROR_ARGUMENT, "field %s has two updates", from->field);
        MST_REQUIRE(k == 0 || from->substep >= desc->updates[k - 1].substep, MST_ERROR_ARGUMENT,
                    "the update of %s is of sub-step %zu, after one of sub-step %zu", from->field, from->substep,
                    desc->updates[k - 1].substep);
        MST_REQUIRE(from->expression, MST_ERROR_ARGUMENT, "the update of %s has no expression", from->field);
        updated[f] = true;
        snprintf(what, sizeof what, "the update of %s", from->field);
        double *varying;
        MST_TRY(mst_formula_tree(p, &n, from->expression, what, &layers.parsed[k], &varying, error));
        layers.updates[k] = p->n_updates;
        status = mst_layers_expand(&layers, k, from->substep, what, &expr, error);
        if (status != MST_OK)
            free(varying);
        MST_TRY(status);
        MST_TRY(add_update(p, &n, f, from->substep, expr, varying, what, error));
        MST_TRY(add_parts(p, &n, &layers, k, what, error));
        if (k + 1 == desc->n_updates || desc->updates[k + 1].substep != from->substep)
            MST_TRY(add_memories(p, &n, &layers, error));
    }
    for (int f = 0; f < p->n_fields; f++)
        MST_REQUIRE(p->fields[f].coefficient || p->fields[f].is_memory || updated[f], MST_ERROR_ARGUMENT,
                    "field %s has no update and is no coefficient field", p->fields[f].name);
    MST_TRY(mst_layers_check(p, error));
fail:
    mst_layers_release(&layers);
    return status;
}

// What is beyond faces may depend on the place and the time.
static mst_status read_face_value(mst_problem *problem, const mst_stencil_desc *desc, const char *text, const char *what,
                                  mst_formula *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_names n;
    mst_names_list(problem, desc, MST_STENCIL_READS_PLACES | MST_STENCIL_READS_TIME, &n);
    MST_TRY(mst_formula_parse(problem, &n, text, what, out, error));
    count_varying(problem, out);
    problem->uses_time = problem->uses_time || reads_time(out);
fail:
    return status;
}

// Their texts are checked when there are names for them.
static mst_status check_definitions(const mst_stencil_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(desc->n_definitions <= MST_STENCIL_MAX_DEFINITIONS, MST_ERROR_ARGUMENT,
                "there are %zu definitions; %d are supported", desc->n_definitions, MST_STENCIL_MAX_DEFINITIONS);
    for (size_t k = 0; k < desc->n_definitions; k++)
        MST_REQUIRE(desc->definitions[k].name && desc->definitions[k].expression, MST_ERROR_ARGUMENT, "definition %zu has no %s",
                    k, desc->definitions[k].name ? "expression" : "name");
fail:
    return status;
}

mst_status mst_problem_begin(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(read_grid(desc, p, error));
    MST_TRY(read_fields(desc, p, error));
    MST_TRY(check_definitions(desc, error));
fail:
    return status;
}

mst_status mst_problem_read_scheme(const mst_stencil_desc *desc, mst_problem *p, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(mst_problem_begin(desc, p, error));
    MST_TRY(mst_problem_check_definitions(p, desc, 0, desc->n_definitions, error));
    MST_TRY(mst_layers_read(desc, p, error));
    MST_TRY(read_updates(desc, p, error));
    MST_TRY(mst_problem_read_elements(desc, p, error));
    MST_TRY(mst_problem_read_faces(desc, p, read_face_value, error));
fail:
    return status;
}

static void release_faces(mst_problem *p) {
    for (int i = 0; i < 2 * N_AXES; i++)
        mst_formula_release(&p->boundaries[i / 2][i % 2].value);
    for (int i = 0; i < 2 * N_AXES * (p->n_sets - 1); i++)
        mst_formula_release(&p->own_sets[i / (2 * N_AXES)][i / 2 % N_AXES][i % 2].value);
    free(p->own_sets);
}

void mst_problem_release_scheme(mst_problem *p) {
    for (int k = 0; k < p->n_updates; k++) {
        mst_formula_release(&p->updates[k].formula);
        mst_formula_release(&p->updates[k].outside);
        for (int axis = 0; axis < N_AXES; axis++)
            mst_formula_release(&p->updates[k].alone[axis]);
    }
    release_faces(p);
}

const char *mst_stencil_schedule_name(mst_stencil_schedule schedule) {
    static const char *const all[] = {"auto",          "in-core", "trivial", "pyramid-slabs",
                                      "pyramid-tiles", "skewed",  "sweeps",  "skewed-sweeps"};
    return (unsigned)schedule < sizeof all / sizeof all[0] ? all[schedule] : "unknown schedule";
}
