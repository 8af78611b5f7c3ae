#include "frozen.h"

#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FACTORS = 512, MOST_POINTS = 1024, MOST_CASES = 4096, MOST_SAMPLES = 1000 };

// What multiplies a field in an update.
typedef struct factor {
    int update;
    unsigned node; // of the update's expression
    unsigned axes; // whose coordinates it depends on, a bit each
    uint32_t data; // coefficient fields that are given as data, a bit each
    double low, high;
} factor;

// Axes that factors tie together, and nodes at which these factors are as large or small as they get.
typedef struct component {
    unsigned axes;
    size_t n_points;
    int64_t (*points)[N_AXES];
} component;

typedef struct freezing {
    const mst_open_scheme *scheme;
    double time_step;
    size_t n_factors;
    factor factors[MOST_FACTORS];
    mst_frozen at; // where they are looked at
} freezing;

void mst_open_varying(const mst_open_scheme *s, const mst_formula *f, bool varying[MST_STENCIL_MAX_LEAVES]) {
    for (size_t i = 0; i < f->n_leaves; i++)
        varying[i] = f->leaves[i].kind == MST_VALUE_FIELD && !s->problem.fields[f->leaves[i].field].coefficient;
}

void mst_open_leaves(const mst_open_scheme *s, const mst_formula *f, const mst_frozen *frozen, double time_step,
                     double leaves[MST_STENCIL_MAX_LEAVES]) {
    for (size_t i = 0; i < f->n_leaves; i++) {
        const mst_leaf *leaf = &f->leaves[i];
        const mst_formula *coefficient = leaf->kind == MST_VALUE_FIELD ? &s->coefficients[leaf->field] : NULL;
        double inner[MST_STENCIL_MAX_LEAVES];
        leaves[i] = 0;
        if (leaf->kind == MST_VALUE_STEP) {
            leaves[i] = time_step;
        } else if (leaf->kind == MST_VALUE_RUN) {
            leaves[i] =
                mst_formula_varying(&s->problem, f, leaf->column, s->problem.has_run_planes ? frozen->at[PLANES] : s->run);
        } else if (leaf->kind == MST_VALUE_COORDINATE) {
            leaves[i] = (double)frozen->at[leaf->axis] * s->problem.spacing[leaf->axis];
        } else if (coefficient && coefficient->expr) {
            mst_open_leaves(s, coefficient, frozen, time_step, inner);
            leaves[i] = mst_expr_evaluate(coefficient->expr, inner);
        } else if (coefficient && s->problem.fields[leaf->field].coefficient) {
            leaves[i] = frozen->data[leaf->field];
        }
    }
}

static const char *leaf_name(const mst_problem *p, const mst_formula *f, size_t leaf) {
    return p->fields[f->leaves[leaf].field].name;
}

static mst_status refuse(const mst_problem *p, const mst_problem_update *u, const mst_expr_obstacle *o, mst_error *error) {
    const char *field = p->fields[u->field].name, *first = leaf_name(p, &u->formula, o->leaves[0]),
               *second = leaf_name(p, &u->formula, o->leaves[1]);
    if (strcmp(o->operation, "*") == 0)
        return mst_fail(error, MST_ERROR_UNSUPPORTED,
                        "the largest stable time step is not known: the update of %s is not linear, it multiplies %s by %s",
                        field, first, second);
    const char *what = strcmp(o->operation, "/") == 0    ? "divides by what depends on"
                       : strcmp(o->operation, "?:") == 0 ? "chooses by what depends on"
                       : strcmp(o->operation, "<") == 0  ? "compares what depends on"
                                                         : o->operation;
    return mst_fail(error, MST_ERROR_UNSUPPORTED,
                    "the largest stable time step is not known: the update of %s is not linear, it %s%s%s %s", field,
                    what == o->operation ? "takes " : "", what, what == o->operation ? " of" : "", first);
}

mst_status mst_open_check(const mst_open_scheme *s, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    bool varying[MST_STENCIL_MAX_LEAVES];
    unsigned nodes[MST_EXPR_MAX_NODES];
    mst_expr_obstacle obstacle;
    for (int u = 0; u < p->n_updates; u++) {
        const mst_formula *f = &p->updates[u].formula;
        mst_open_varying(s, f, varying);
        if (!mst_expr_is_affine(f->expr, varying, &obstacle))
            return refuse(p, &p->updates[u], &obstacle, error);
        const size_t n = mst_expr_factors(f->expr, varying, nodes);
        for (size_t k = 0; k < n; k++)
            for (size_t i = 0; i < f->n_leaves; i++)
                MST_REQUIRE(f->leaves[i].kind != MST_VALUE_TIME || !mst_expr_node_reads(f->expr, nodes[k], i),
                            MST_ERROR_UNSUPPORTED,
                            "the largest stable time step is not known: in the update of %s what multiplies a field depends on t",
                            p->fields[p->updates[u].field].name);
    }
fail:
    return status;
}

// ---- Factors and what they depend on

static void add_dependence(const mst_open_scheme *s, const mst_leaf *leaf, factor *out) {
    if (leaf->kind == MST_VALUE_COORDINATE)
        out->axes |= 1u << leaf->axis;
    if (leaf->kind == MST_VALUE_RUN && s->problem.has_run_planes)
        out->axes |= 1u << PLANES;
    if (leaf->kind != MST_VALUE_FIELD)
        return;
    const mst_formula *coefficient = &s->coefficients[leaf->field];
    out->data |= coefficient->expr ? 0 : (uint32_t)1 << leaf->field;
    for (size_t i = 0; i < coefficient->n_leaves; i++)
        add_dependence(s, &coefficient->leaves[i], out);
}

static mst_status list_factors(freezing *z, mst_error *error) {
    mst_status status = MST_OK;
    bool varying[MST_STENCIL_MAX_LEAVES];
    unsigned nodes[MST_EXPR_MAX_NODES];
    for (int u = 0; u < z->scheme->problem.n_updates; u++) {
        const mst_formula *f = &z->scheme->problem.updates[u].formula;
        mst_open_varying(z->scheme, f, varying);
        const size_t n = mst_expr_factors(f->expr, varying, nodes);
        for (size_t k = 0; k < n; k++) {
            factor one = {.update = u, .node = nodes[k], .low = INFINITY, .high = -INFINITY};
            for (size_t i = 0; i < f->n_leaves; i++)
                if (mst_expr_node_reads(f->expr, nodes[k], i))
                    add_dependence(z->scheme, &f->leaves[i], &one);
            if (one.axes == 0 && one.data == 0)
                continue;
            MST_REQUIRE(z->n_factors < MOST_FACTORS, MST_ERROR_UNSUPPORTED,
                        "the largest stable time step is not known: the scheme has more than %d factors", MOST_FACTORS);
            z->factors[z->n_factors++] = one;
        }
    }
fail:
    return status;
}

// The values of the factors that depend on some of the axes, at z->at; 0 of the others.
static void take_factors(const freezing *z, unsigned axes, double *out) {
    double leaves[MST_STENCIL_MAX_LEAVES], values[MST_EXPR_MAX_NODES];
    for (size_t k = 0, update = SIZE_MAX; k < z->n_factors; k++) {
        const factor *f = &z->factors[k];
        const mst_formula *formula = &z->scheme->problem.updates[f->update].formula;
        out[k] = 0;
        if (!(f->axes & axes))
            continue;
        if (update != (size_t)f->update) {
            mst_open_leaves(z->scheme, formula, &z->at, z->time_step, leaves);
            mst_expr_evaluate_nodes(formula->expr, leaves, values);
            update = (size_t)f->update;
        }
        out[k] = values[f->node];
    }
}

// ---- Extremes

static void move_to(const freezing *z, unsigned axes, size_t sample, const size_t counts[N_AXES], int64_t at[N_AXES]) {
    for (int axis = N_AXES - 1; axis >= 0; axis--) {
        at[axis] = 0;
        if (!(axes >> axis & 1))
            continue;
        const uint64_t last = z->scheme->problem.grid[axis] - 1, k = sample % counts[axis];
        at[axis] = counts[axis] > 1 ? (int64_t)(last * k / (counts[axis] - 1)) : 0;
        sample /= counts[axis];
    }
}

static size_t count_samples(const freezing *z, const component *c, size_t counts[N_AXES]) {
    const int n_axes = (int)(c->axes & 1) + (int)(c->axes >> 1 & 1) + (int)(c->axes >> 2 & 1);
    const uint64_t most = n_axes == 1 ? 1 << 14 : n_axes == 2 ? 1 << 7 : 25;
    size_t n = 1;
    for (int axis = 0; axis < N_AXES; axis++) {
        counts[axis] = c->axes >> axis & 1 ? (size_t)mst_smaller(z->scheme->problem.grid[axis], most) : 1;
        n *= counts[axis];
    }
    return n;
}

typedef struct extremes {
    double values[MOST_FACTORS];
    int64_t places[4][MOST_FACTORS][N_AXES];         // the first and the last node with the least value, then with the largest
    signed char ends[MOST_POINTS + 1][MOST_FACTORS]; // of a point: -1 where a factor is least, 1 where it is largest
} extremes;

static void note_extremes(freezing *z, unsigned axes, extremes *e) {
    take_factors(z, axes, e->values);
    for (size_t k = 0; k < z->n_factors; k++) {
        factor *f = &z->factors[k];
        if (!(f->axes & axes))
            continue;
        for (int high = 0; high < 2; high++) {
            double *best = high ? &f->high : &f->low;
            const bool better = high ? e->values[k] > *best : e->values[k] < *best;
            if (better)
                memcpy(e->places[2 * high][k], z->at.at, sizeof z->at.at);
            if (better || e->values[k] == *best)
                memcpy(e->places[2 * high + 1][k], z->at.at, sizeof z->at.at);
            *best = better ? e->values[k] : *best;
        }
    }
}

// Adds the point at which z stands, unless the same factors are at the same ends at another one; `all` are to be at an end.
static void add_point(const freezing *z, component *c, extremes *e, bool all) {
    signed char *ends = e->ends[c->n_points];
    bool is_new = c->n_points < MOST_POINTS;
    take_factors(z, c->axes, e->values);
    for (size_t k = 0; k < z->n_factors; k++) {
        const factor *f = &z->factors[k];
        const double close = 1e-3 * (f->high - f->low);
        const bool counts = f->axes & c->axes, low = e->values[k] <= f->low + close, high = e->values[k] >= f->high - close;
        ends[k] = (signed char)(!counts ? 0 : low ? -1 : high ? 1 : 0);
        is_new = is_new && !(all && counts && !low && !high);
    }
    for (size_t i = 0; i < c->n_points && is_new; i++)
        is_new = memcmp(e->ends[i], ends, z->n_factors) != 0;
    if (is_new)
        memcpy(c->points[c->n_points++], z->at.at, sizeof z->at.at);
}

// Nodes where a factor is least or largest, and such where all are one or the other, which others may be between.
static mst_status find_points(freezing *z, component *c, mst_error *error) {
    mst_status status = MST_OK;
    size_t counts[N_AXES];
    const size_t n = count_samples(z, c, counts);
    extremes *e = malloc(sizeof *e);
    c->points = malloc(MOST_POINTS * sizeof *c->points);
    MST_REQUIRE(e && c->points, MST_ERROR_HOST_MEMORY, "out of memory for extremes of coefficients");
    for (size_t k = 0; k < n; k++) {
        move_to(z, c->axes, k, counts, z->at.at);
        note_extremes(z, c->axes, e);
    }
    for (size_t k = 0; k < z->n_factors; k++)
        for (int which = 0; which < 4 && z->factors[k].axes & c->axes && z->factors[k].low <= z->factors[k].high; which++) {
            memcpy(z->at.at, e->places[which][k], sizeof z->at.at);
            add_point(z, c, e, false);
        }
    for (size_t k = 0; k < n; k++) {
        move_to(z, c->axes, k, counts, z->at.at);
        add_point(z, c, e, true);
    }
    if (c->n_points == 0) // factors that are no numbers anywhere
        memcpy(c->points[c->n_points++], z->at.at, sizeof z->at.at);
fail:
    free(e);
    return status;
}

static int find_components(const freezing *z, component components[N_AXES]) {
    unsigned tied[N_AXES] = {0}, done = 0;
    int n = 0;
    for (int again = 0; again < N_AXES; again++)
        for (size_t k = 0; k < z->n_factors; k++)
            for (int axis = 0; axis < N_AXES; axis++)
                for (int other = 0; other < N_AXES; other++)
                    if (z->factors[k].axes >> axis & 1 && z->factors[k].axes >> other & 1)
                        tied[axis] |= tied[other] | 1u << other;
    for (int axis = 0; axis < N_AXES; axis++) {
        if (tied[axis] && !(done >> axis & 1))
            components[n++] = (component){.axes = tied[axis]};
        done |= tied[axis];
    }
    return n;
}

// ---- Cases: every combination of the components' points with the extremes of the data, or with the rows of tables

// How many values of a coefficient field that is given as data are looked at, and those that it shares a group with.
static size_t count_values(const mst_open_scheme *s, uint32_t data, int f) {
    for (int other = 0; other < f && s->group[f]; other++)
        if (data >> other & 1 && s->group[other] == s->group[f])
            return 1; // they are counted there
    return s->group[f] ? s->n_rows[s->group[f]] : s->range[f][0] < s->range[f][1] ? 2 : 1;
}

// Sets the data of a case by its number.
static void choose_data(const mst_open_scheme *s, uint32_t data, size_t number, mst_frozen *one) {
    size_t row[MST_STENCIL_MAX_FIELDS + 1] = {0};
    for (int f = 0; f < MST_STENCIL_MAX_FIELDS; f++) {
        const size_t n = data >> f & 1 ? count_values(s, data, f) : 1;
        if (n > 1 && s->group[f])
            row[s->group[f]] = number % n;
        one->data[f] = s->group[f] ? s->rows[f][row[s->group[f]]] : s->range[f][n == 2 ? number % 2 : 1];
        number /= n;
    }
}

static mst_status combine(const freezing *z, const component *components, int n_components, mst_frozen_list *out,
                          mst_error *error) {
    mst_status status = MST_OK;
    uint32_t data = 0;
    size_t n = 1;
    for (size_t k = 0; k < z->n_factors; k++)
        data |= z->factors[k].data;
    for (int c = 0; c < n_components; c++)
        n *= components[c].n_points;
    for (int f = 0; f < MST_STENCIL_MAX_FIELDS; f++)
        n *= n <= MOST_CASES && data >> f & 1 ? count_values(z->scheme, data, f) : 1;
    MST_REQUIRE(n <= MOST_CASES, MST_ERROR_UNSUPPORTED,
                "the largest stable time step is not known: the extremes of the coefficients have more than %d combinations",
                MOST_CASES);
    MST_REQUIRE(out->cases = calloc(n + MOST_SAMPLES, sizeof *out->cases), MST_ERROR_HOST_MEMORY,
                "out of memory for extremes of coefficients");
    for (out->n = 0; out->n < n; out->n++) {
        mst_frozen *one = &out->cases[out->n];
        size_t rest = out->n;
        for (int c = 0; c < n_components; c++) {
            for (int axis = 0; axis < N_AXES; axis++)
                if (components[c].axes >> axis & 1)
                    one->at[axis] = components[c].points[rest % components[c].n_points][axis];
            rest /= components[c].n_points;
        }
        choose_data(z->scheme, data, rest, one);
    }
fail:
    return status;
}

// Nodes all over the grid, for what is worst between extremes.
static void add_samples(const freezing *z, const component *components, int n_components, mst_frozen_list *out) {
    component all = {0};
    size_t counts[N_AXES], n;
    for (int c = 0; c < n_components; c++)
        all.axes |= components[c].axes;
    n = count_samples(z, &all, counts);
    for (int axis = 0; axis < N_AXES; axis++)
        while (n > MOST_SAMPLES && counts[axis] > 10) {
            n /= counts[axis];
            counts[axis] = mst_larger(counts[axis] / 2, (size_t)10);
            n *= counts[axis];
        }
    for (out->n_all = out->n; out->n_all < out->n + mst_smaller(n, (size_t)MOST_SAMPLES); out->n_all++)
        move_to(z, all.axes, out->n_all - out->n, counts, out->cases[out->n_all].at);
}

mst_status mst_frozen_make(const mst_open_scheme *scheme, double time_step, mst_frozen_list *out, mst_error *error) {
    mst_status status = MST_OK;
    component components[N_AXES] = {{0}};
    int n = 0;
    freezing *z = calloc(1, sizeof *z);
    *out = (mst_frozen_list){0};
    MST_REQUIRE(z, MST_ERROR_HOST_MEMORY, "out of memory for extremes of coefficients");
    z->scheme = scheme;
    z->time_step = time_step;
    for (int f = 0; f < MST_STENCIL_MAX_FIELDS; f++)
        z->at.data[f] = scheme->group[f] ? scheme->rows[f][0] : scheme->range[f][1];
    MST_TRY(list_factors(z, error));
    n = find_components(z, components);
    for (int c = 0; c < n; c++)
        MST_TRY(find_points(z, &components[c], error));
    MST_TRY(combine(z, components, n, out, error));
    add_samples(z, components, n, out);
fail:
    for (int c = 0; c < n; c++)
        free(components[c].points);
    free(z);
    return status;
}

void mst_frozen_release(mst_frozen_list *list) {
    free(list->cases);
    *list = (mst_frozen_list){0};
}

void mst_open_release(mst_open_scheme *scheme) {
    for (int f = 0; f < MST_STENCIL_MAX_FIELDS; f++) {
        mst_formula_release(&scheme->coefficients[f]);
        free(scheme->rows[f]);
    }
    mst_problem_release(&scheme->problem);
}
