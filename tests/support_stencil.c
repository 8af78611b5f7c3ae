#include "support_stencil.h"

#include "expr/expr.h"

#include <math.h>

double test_half(double v) {
    if (v == 0 || !isfinite(v))
        return v;
    int exponent = ilogb(v) < -14 ? -14 : ilogb(v); // subnormal numbers have the steps of the least normal ones
    double rounded_v = ldexp(nearbyint(ldexp(v, 10 - exponent)), exponent - 10);
    return fabs(rounded_v) > 65504 ? copysign(INFINITY, v) : rounded_v;
}

enum { MAX_NAMES = 64, MAX_VALUES = 512 };

typedef struct names {
    mst_expr_symbol symbols[MAX_NAMES];
    double numbers[MAX_NAMES];
    size_t n_numbers, count; // numbers first, then fields
} names;

static const char *const coordinates[] = {"x", "y", "z"}, *const steps_of[] = {"dx", "dy", "dz"};

// x, y, z, t, then the constants, then the fields.
static names names_of(const mst_stencil_desc *d) {
    names n = {.count = 0};
    for (int k = 0; k < d->rank; k++)
        n.symbols[n.count++] = (mst_expr_symbol){coordinates[k], 0, 1};
    n.symbols[n.count++] = (mst_expr_symbol){"t", 0, 1};
    n.numbers[n.count] = d->time_step;
    n.symbols[n.count++] = (mst_expr_symbol){"dt", 0, 1};
    for (int k = 0; k < d->rank; k++) {
        n.numbers[n.count] = d->spacing[d->rank - 1 - k];
        n.symbols[n.count++] = (mst_expr_symbol){steps_of[k], 0, 1};
    }
    for (size_t k = 0; k < d->n_parameters; k++) {
        n.numbers[n.count] = d->parameters[k].value;
        n.symbols[n.count++] = (mst_expr_symbol){d->parameters[k].name, 0, 1};
    }
    n.n_numbers = n.count;
    for (size_t k = 0; k < d->n_fields; k++)
        n.symbols[n.count++] = (mst_expr_symbol){d->fields[k].name, d->rank, d->fields[k].levels == 2 ? 2 : 1};
    return n;
}

typedef struct state {
    const mst_stencil_desc *d;
    test_scheme scheme;
    names names;
    mst_expr *updates[MST_STENCIL_MAX_FIELDS], *boundaries[MST_STENCIL_MAX_FIELDS][MST_MAX_AXES][2];
    double step;                            // the number of the step under way
    double reached[MST_STENCIL_MAX_FIELDS]; // the step that each field is at: a later sub-step finds some at the next one
} state;

static double rounded(const mst_stencil_desc *d, double v) { return d->precision == MST_FLOAT32 ? (double)(float)v : v; }

// As the field stores it.
static double stored(const mst_stencil_desc *d, size_t field, double v) {
    return d->fields[field].storage_bytes == 2 ? test_half(rounded(d, v)) : rounded(d, v);
}

static mst_expr *parse(const state *s, const char *text) {
    mst_expr *out;
    mst_error e;
    const double *numbers[MAX_NAMES] = {NULL};
    mst_expr_definition definitions[MST_STENCIL_MAX_DEFINITIONS];
    mst_expr_scheme scheme = {.numbers = numbers, .n_axes = s->d->rank, .definitions = definitions};
    for (size_t k = (size_t)s->d->rank + 1; k < s->names.n_numbers; k++)
        numbers[k] = &s->names.numbers[k];
    for (size_t k = 0; k < (size_t)s->d->rank; k++) {
        scheme.coordinates[k] = k;
        scheme.spacings[k] = s->d->spacing[(size_t)s->d->rank - 1 - k];
    }
    for (; scheme.n_definitions < s->d->n_definitions; scheme.n_definitions++) {
        const mst_stencil_definition *from = &s->d->definitions[scheme.n_definitions];
        definitions[scheme.n_definitions] = (mst_expr_definition){from->name, from->expression};
    }
    OK(mst_expr_parse_scheme(text, "the reference's expression", s->names.symbols, s->names.count, &scheme, &out, &e));
    return out;
}

static double value(const state *s, const mst_expr *expr, const ptrdiff_t *at, double step, bool exact);

static size_t index_of(const mst_stencil_desc *d, const ptrdiff_t *at) {
    size_t index = 0;
    for (int k = 0; k < d->rank; k++)
        index = index * d->grid[k] + (size_t)at[k];
    return index;
}

// The value at a node that may lie outside the grid.
static const mst_stencil_boundary *boundary_of(const mst_stencil_desc *d, size_t field, int axis, int side) {
    static const mst_stencil_boundary zero = {.kind = MST_BOUNDARY_DIRICHLET};
    const mst_stencil_boundary *all = d->fields[field].boundaries ? d->fields[field].boundaries : d->boundaries;
    return all ? &all[2 * axis + side] : &zero;
}

static double node(const state *s, size_t field, int level, const ptrdiff_t *wanted) {
    const mst_stencil_desc *d = s->d;
    ptrdiff_t at[MST_MAX_AXES];
    int valued = -1, side_of = 0, sign = 1;
    for (int k = 0; k < d->rank; k++) {
        ptrdiff_t n = (ptrdiff_t)d->grid[k], i = wanted[k];
        int side = i < 0 ? 0 : 1;
        mst_boundary_kind kind = boundary_of(d, field, k, side)->kind;
        if (kind == MST_BOUNDARY_PERIODIC)
            i = (i % n + n) % n;
        else if (i < 0 || i >= n) {
            if (kind == MST_BOUNDARY_NEUMANN || d->fields[field].coefficient)
                i = i < 0 ? -1 - i : 2 * n - 1 - i;
            else if (kind == MST_BOUNDARY_ANTIMIRROR || kind == MST_BOUNDARY_MIRROR_NODE ||
                     kind == MST_BOUNDARY_ANTIMIRROR_NODE) {
                ptrdiff_t outside = i < 0 ? -i : i - (n - 1), inside = kind == MST_BOUNDARY_ANTIMIRROR ? outside - 1 : outside;
                sign = kind == MST_BOUNDARY_MIRROR_NODE ? sign : -sign;
                i = i < 0 ? inside : n - 1 - inside;
            } else if (valued < 0) {
                valued = k;
                side_of = side;
            }
        }
        at[k] = i;
    }
    if (valued < 0)
        return sign * s->scheme.levels[field][level][index_of(d, at)];
    const mst_expr *face = s->boundaries[field][valued][side_of];
    return face ? sign * stored(d, field, value(s, face, at, s->reached[field] - level, false)) : 0;
}

// In the scheme's precision, or in double (series and initial values).
static double value_at(const state *s, const mst_expr *expr, const ptrdiff_t *at, double time, bool exact) {
    const mst_stencil_desc *d = s->d;
    const mst_expr_leaf *leaves = mst_expr_leaves(expr);
    double values[MAX_VALUES];
    float singles[MAX_VALUES];
    bool is_float = d->precision == MST_FLOAT32 && !exact;
    for (size_t i = 0; i < mst_expr_n_leaves(expr); i++) {
        size_t symbol = leaves[i].symbol;
        if (symbol < (size_t)d->rank) {
            int axis = d->rank - 1 - (int)symbol;
            values[i] = is_float ? (double)((float)at[axis] * (float)d->spacing[axis]) : (double)at[axis] * d->spacing[axis];
        } else if (symbol == (size_t)d->rank) {
            values[i] = time;
        } else {
            ptrdiff_t there[MST_MAX_AXES];
            for (int k = 0; k < d->rank; k++)
                there[k] = at[k] + leaves[i].offsets[k];
            values[i] = node(s, symbol - s->names.n_numbers, leaves[i].level, there);
        }
        singles[i] = (float)values[i];
    }
    return is_float ? (double)mst_expr_evaluate_float(expr, singles) : mst_expr_evaluate(expr, values);
}

static double value(const state *s, const mst_expr *expr, const ptrdiff_t *at, double step, bool exact) {
    return value_at(s, expr, at, step * s->d->time_step, exact);
}

static void coordinates_of(const mst_stencil_desc *d, size_t index, ptrdiff_t *at) {
    for (int k = d->rank - 1; k >= 0; k--) {
        at[k] = (ptrdiff_t)(index % d->grid[k]);
        index /= d->grid[k];
    }
}

static double *initial(const state *s, size_t field, const mst_stencil_initial *from) {
    const mst_stencil_desc *d = s->d;
    double *values = calloc(s->scheme.nodes, sizeof *values);
    mst_expr *expr = from->expression ? parse(s, from->expression) : NULL;
    for (size_t i = 0; i < s->scheme.nodes; i++) {
        ptrdiff_t at[MST_MAX_AXES], offset = 0;
        coordinates_of(d, i, at);
        for (int k = 0; k < from->layout.rank; k++)
            offset += at[k] * from->layout.strides[k];
        if (expr)
            values[i] = value(s, expr, at, 0, true);
        else if (d->fields[field].n_table)
            values[i] = d->fields[field].table[((const uint8_t *)from->data.host)[offset]];
        else if (from->layout.rank && from->layout.type == MST_FLOAT32)
            values[i] = ((const float *)from->data.host)[offset];
        else if (from->layout.rank)
            values[i] = ((const double *)from->data.host)[offset];
        values[i] = stored(d, field, values[i]);
    }
    mst_expr_destroy(expr);
    return values;
}

static double damped(const state *s, double v, const ptrdiff_t *at) {
    const mst_stencil_desc *d = s->d;
    for (int k = 0; k < d->rank; k++) {
        double factor = 1;
        bool any = false;
        for (int side = 0; side < 2; side++) {
            const mst_stencil_boundary *face = boundary_of(d, 0, k, side);
            double distance = side ? (double)d->grid[k] - 1 - (double)at[k] : (double)at[k], width = (double)face->width;
            any = any || face->kind == MST_BOUNDARY_SPONGE;
            if (face->kind == MST_BOUNDARY_SPONGE && distance < width)
                factor *= exp(-(0.3 * (width - distance) / width) * (0.3 * (width - distance) / width));
        }
        if (any)
            v = rounded(d, v * rounded(d, factor));
    }
    return v;
}

static size_t find(const mst_stencil_desc *d, const char *name) {
    size_t f = 0;
    while (strcmp(d->fields[f].name, name) != 0)
        f++;
    return f;
}

// ---- Places between nodes

static bool face_is_zero(const state *s, size_t field, int axis, int side) {
    const double none[MAX_VALUES] = {0};
    const mst_expr *face = s->boundaries[field][axis][side];
    return boundary_of(s->d, field, axis, side)->kind == MST_BOUNDARY_DIRICHLET &&
           (!face || (mst_expr_n_leaves(face) == 0 && mst_expr_evaluate(face, none) == 0));
}

static double bessel(double x) {
    double term = 1, sum = 1;
    for (int k = 1; term > 1e-18 * sum; k++)
        sum += term *= x * x / (4.0 * k * k);
    return sum;
}

// Hicks' table 1, for wave numbers up to pi / 2.
double test_kaiser_sinc(double distance, int radius) {
    static const double b[] = {0, 1.24, 2.94, 4.53, 6.31, 7.91, 9.42, 10.95, 12.53, 14.09, 14.18};
    const double ratio = distance / radius, angle = 3.14159265358979323846 * distance;
    return bessel(b[radius] * sqrt(1 - ratio * ratio)) / bessel(b[radius]) * sin(angle) / angle;
}

// The weights of all nodes of an axis, where[i]: whether node i has one. Images at the faces follow one by one.
static void weigh_axis(const state *s, size_t field, int axis, double position, bool linear, int radius, double *weights,
                       bool *where) {
    const ptrdiff_t n = (ptrdiff_t)s->d->grid[axis], first = (ptrdiff_t)floor(position);
    const bool whole = (double)first == position;
    memset(weights, 0, (size_t)n * sizeof *weights);
    memset(where, 0, (size_t)n * sizeof *where);
    radius = linear ? 1 : radius ? radius : 4;
    for (ptrdiff_t i = whole ? first : first - radius + 1; i <= (whole ? first : first + radius); i++) {
        const double d = (double)i - position;
        double weight = whole ? 1 : linear ? 1 - fabs(d) : test_kaiser_sinc(d, radius);
        ptrdiff_t at = i;
        bool lost = false;
        while (!lost && (at < 0 || at >= n)) {
            const int side = at >= n;
            const mst_boundary_kind kind = boundary_of(s->d, field, axis, side)->kind;
            if (kind == MST_BOUNDARY_PERIODIC) {
                at += side ? -n : n;
            } else if (kind == MST_BOUNDARY_NEUMANN) { // the mirror lies at -1/2 or n - 1/2
                at = (side ? 2 * n : 0) - 1 - at;
            } else if (kind == MST_BOUNDARY_ANTIMIRROR) {
                at = (side ? 2 * n : 0) - 1 - at;
                weight = -weight;
            } else if (kind == MST_BOUNDARY_MIRROR_NODE || kind == MST_BOUNDARY_ANTIMIRROR_NODE) {
                at = (side ? 2 * n - 2 : 0) - at;
                weight = kind == MST_BOUNDARY_MIRROR_NODE ? weight : -weight;
            } else if (face_is_zero(s, field, axis, side)) { // the zero lies at -1 or n
                lost = at == (side ? n : -1);
                at = (side ? 2 * n : -2) - at;
                weight = -weight;
            } else {
                lost = true;
            }
        }
        if (!lost) {
            weights[at] = where[at] ? weights[at] + weight : weight;
            where[at] = true;
        }
    }
}

typedef struct weights_of_axes {
    double *weights[MST_MAX_AXES];
    bool *where[MST_MAX_AXES];
} weights_of_axes;

static weights_of_axes spread_of(const state *s, size_t field, const double *position, const size_t *point,
                                 mst_stencil_interpolation how, unsigned radius) {
    weights_of_axes out;
    for (int k = 0; k < s->d->rank; k++) {
        out.weights[k] = calloc(s->d->grid[k], sizeof(double));
        out.where[k] = calloc(s->d->grid[k], sizeof(bool));
        weigh_axis(s, field, k, position ? position[k] : (double)point[k], how == MST_STENCIL_INTERPOLATION_LINEAR, (int)radius,
                   out.weights[k], out.where[k]);
    }
    return out;
}

static void free_spread(const state *s, weights_of_axes *spread) {
    for (int k = 0; k < s->d->rank; k++) {
        free(spread->weights[k]);
        free(spread->where[k]);
    }
}

// False: the node is none of them.
static bool weight_at(const state *s, const weights_of_axes *spread, size_t index, double *weight) {
    ptrdiff_t at[MST_MAX_AXES];
    coordinates_of(s->d, index, at);
    *weight = 1;
    for (int k = 0; k < s->d->rank; k++) {
        if (!spread->where[k][at[k]])
            return false;
        *weight *= spread->weights[k][at[k]];
    }
    return true;
}

static double receive(const state *s, const mst_stencil_receiver *r, size_t point) {
    const double *values = s->scheme.levels[find(s->d, r->field)][0];
    weights_of_axes nodes = spread_of(s, find(s->d, r->field), r->positions ? r->positions[point] : NULL,
                                      r->points ? r->points[point] : NULL, r->interpolation, r->radius);
    double sum = 0, weight;
    bool any = false;
    for (size_t i = 0; i < s->scheme.nodes; i++)
        if (weight_at(s, &nodes, i, &weight)) {
            sum = any ? sum + weight * values[i] : weight * values[i];
            any = true;
        }
    free_spread(s, &nodes);
    return sum;
}

// ---- Sources

static void feed_place(const state *s, const mst_stencil_source *source, double v, double *values) {
    weights_of_axes nodes =
        spread_of(s, find(s->d, source->field), source->position, source->point, source->interpolation, source->radius);
    double weight;
    for (size_t i = 0; i < s->scheme.nodes; i++)
        if (weight_at(s, &nodes, i, &weight))
            values[i] = stored(s->d, find(s->d, source->field), values[i] + rounded(s->d, weight * v));
    free_spread(s, &nodes);
}

static bool is_in(const mst_stencil_desc *d, const mst_stencil_region *region, const ptrdiff_t *at) {
    for (int k = 0; k < d->rank; k++)
        if ((size_t)at[k] < region->start[k] || (size_t)at[k] >= region->start[k] + region->count[k])
            return false;
    return true;
}

// The series with a delay, its amplitude and their product are computed in the scheme's precision.
static void feed_region(const state *s, const mst_stencil_source *source, const mst_expr *series, double v, double *values) {
    const mst_stencil_desc *d = s->d;
    mst_expr *amplitude = source->amplitude ? parse(s, source->amplitude) : NULL;
    mst_expr *delay = source->delay ? parse(s, source->delay) : NULL;
    for (size_t i = 0; i < s->scheme.nodes; i++) {
        ptrdiff_t at[MST_MAX_AXES];
        coordinates_of(d, i, at);
        if (!is_in(d, source->region, at))
            continue;
        double added = rounded(d, v);
        if (delay) {
            const double t = rounded(d, rounded(d, s->step * d->time_step) - value(s, delay, at, 0, false));
            added = value_at(s, series, at, t, false);
        }
        if (amplitude)
            added = rounded(d, added * value(s, amplitude, at, 0, false));
        values[i] = stored(d, find(d, source->field), values[i] + added);
    }
    mst_expr_destroy(amplitude);
    mst_expr_destroy(delay);
}

// At places first, then in regions, each in the order of the list.
static void feed(const state *s, size_t field, double *values, const mst_expr *const *series) {
    const mst_stencil_desc *d = s->d;
    const ptrdiff_t nowhere[MST_MAX_AXES] = {0};
    for (int regions = 0; regions < 2; regions++)
        for (size_t k = 0; k < d->n_sources; k++) {
            const mst_stencil_source *source = &d->sources[k];
            const size_t step = (size_t)s->step;
            if (find(d, source->field) != field || (source->region != NULL) != regions)
                continue;
            const double v = series[k]                  ? value(s, series[k], nowhere, s->step, true)
                             : step < source->n_samples ? source->samples[step]
                                                        : 0;
            if (regions)
                feed_region(s, source, series[k], v, values);
            else
                feed_place(s, source, v, values);
        }
}

static void advance(state *s, const mst_expr *const *series) {
    const mst_stencil_desc *d = s->d;
    double *next[MST_STENCIL_MAX_FIELDS];
    for (size_t u = 0; u < d->n_updates;) {
        size_t first = u;
        for (; u < d->n_updates && d->updates[u].substep == d->updates[first].substep; u++) {
            next[u] = calloc(s->scheme.nodes, sizeof(double));
            for (size_t i = 0; i < s->scheme.nodes; i++) {
                ptrdiff_t at[MST_MAX_AXES];
                coordinates_of(d, i, at);
                next[u][i] = stored(d, find(d, d->updates[u].field), damped(s, value(s, s->updates[u], at, s->step, false), at));
            }
            feed(s, find(d, d->updates[u].field), next[u], series);
        }
        for (u = first; u < d->n_updates && d->updates[u].substep == d->updates[first].substep; u++) {
            size_t field = find(d, d->updates[u].field);
            double **levels = s->scheme.levels[field];
            s->reached[field] += 1;
            if (levels[1]) {
                free(levels[1]);
                levels[1] = levels[0];
            } else {
                free(levels[0]);
            }
            levels[0] = next[u];
        }
    }
}

test_scheme test_scheme_run(const mst_stencil_desc *d, size_t n_steps) {
    state s = {.d = d, .names = names_of(d)};
    mst_expr *series[MAX_NAMES] = {NULL};
    s.scheme.nodes = 1;
    for (int k = 0; k < d->rank; k++)
        s.scheme.nodes *= d->grid[k];
    for (size_t f = 0; f < d->n_fields; f++) {
        const mst_stencil_field *field = &d->fields[f];
        bool own = field->previous.expression || field->previous.layout.rank;
        s.scheme.levels[f][0] = initial(&s, f, &field->initial);
        s.scheme.levels[f][1] = field->levels == 2 ? initial(&s, f, own ? &field->previous : &field->initial) : NULL;
    }
    for (size_t u = 0; u < d->n_updates; u++)
        s.updates[u] = parse(&s, d->updates[u].expression);
    for (size_t i = 0; i < d->n_fields * 2 * (size_t)d->rank; i++) {
        const size_t f = i / 2 / (size_t)d->rank;
        const int k = (int)(i / 2 % (size_t)d->rank), side = (int)(i % 2);
        if (boundary_of(d, f, k, side)->value)
            s.boundaries[f][k][side] = parse(&s, boundary_of(d, f, k, side)->value);
    }
    for (size_t k = 0; k < d->n_sources; k++)
        series[k] = d->sources[k].series ? parse(&s, d->sources[k].series) : NULL;
    for (size_t k = 0; k < d->n_receivers; k++)
        s.scheme.n_points += d->receivers[k].n_points;
    s.scheme.recorded = calloc(s.scheme.n_points * n_steps + 1, sizeof(double));
    for (size_t step = 0; step < n_steps; step++) {
        double *row = s.scheme.recorded + step * s.scheme.n_points;
        s.step = (double)step;
        advance(&s, (const mst_expr *const *)series);
        for (size_t k = 0; k < d->n_receivers; k++)
            for (size_t i = 0; i < d->receivers[k].n_points; i++)
                *row++ = receive(&s, &d->receivers[k], i);
    }
    for (size_t u = 0; u < d->n_updates; u++)
        mst_expr_destroy(s.updates[u]);
    for (int i = 0; i < 2 * MST_MAX_AXES * MST_STENCIL_MAX_FIELDS; i++)
        mst_expr_destroy(s.boundaries[i / 2 / MST_MAX_AXES][i / 2 % MST_MAX_AXES][i % 2]);
    for (size_t k = 0; k < MAX_NAMES; k++)
        mst_expr_destroy(series[k]);
    return s.scheme;
}

void test_scheme_free(test_scheme *scheme) {
    for (int f = 0; f < MST_STENCIL_MAX_FIELDS; f++)
        for (int level = 0; level < 2; level++)
            free(scheme->levels[f][level]);
    free(scheme->recorded);
}

static void compare_field(mst_stencil *solver, const mst_stencil_desc *d, const test_scheme *reference, size_t f, int level,
                          const char *text) {
    size_t bytes = mst_type_bytes(d->precision);
    void *got = malloc(reference->nodes * bytes);
    mst_error e;
    memset(got, 0xff, reference->nodes * bytes);
    OK(mst_stencil_read(solver, d->fields[f].name, level, NULL, mst_at_host(got), &e));
    for (size_t i = 0; i < reference->nodes; i++) {
        double v = bytes == 4 ? (double)((float *)got)[i] : ((double *)got)[i], want = reference->levels[f][level][i];
        ptrdiff_t at[MST_MAX_AXES] = {0};
        coordinates_of(d, i, at);
        CHECK(memcmp(&v, &want, sizeof v) == 0 || (v == 0 && want == 0), "%s: %s level %d at [%td,%td,%td] is %.17g, not %.17g",
              text, d->fields[f].name, level, at[0], at[1], at[2], v, want);
    }
    free(got);
}

void test_scheme_check(mst_context *context, const mst_stencil_desc *d, const size_t *portions, size_t n_portions,
                       const test_scheme *reference, const char *text) {
    mst_stencil *solver;
    mst_error e;
    size_t steps = 0, before = 0;
    CHECK(mst_stencil_create(context, d, &solver, &e) == MST_OK, "%s: %s", text, e.message);
    for (size_t k = 0; k < n_portions; k++) {
        mst_stencil_report report = MST_STENCIL_REPORT_INIT;
        CHECK(mst_stencil_run(solver, portions[k], NULL, &report, &e) == MST_OK, "%s: %s", text, e.message);
        steps += portions[k];
        assert_int_equal(report.steps, portions[k]);
        assert_int_equal(mst_stencil_step(solver), steps);
    }
    for (size_t f = 0; f < d->n_fields; f++)
        for (int level = 0; level < (d->fields[f].levels == 2 ? 2 : 1); level++)
            compare_field(solver, d, reference, f, level, text);
    for (size_t k = 0; k < d->n_receivers; k++) {
        size_t n = d->receivers[k].n_points;
        double *values = malloc(n * steps * sizeof *values + 1);
        OK(mst_stencil_read_receiver(solver, k, 1, steps, values, &e));
        for (size_t i = 0; i < n * steps; i++) {
            double want = reference->recorded[i / n * reference->n_points + before + i % n];
            CHECK(values[i] == want, "%s: receiver %zu, point %zu, step %zu got %.17g, not %.17g", text, k, i % n, i / n + 1,
                  values[i], want);
        }
        before += n;
        free(values);
    }
    mst_stencil_destroy(solver);
}

mst_stencil_desc test_ensemble(const mst_stencil_field *field, const mst_stencil_update *update, const double *a, size_t n_runs) {
    static const char *const parameters[] = {"a"};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.fields = field;
    d.updates = update;
    d.n_fields = d.n_updates = 1;
    d.n_runs = n_runs;
    d.n_run_parameters = 1;
    d.run_parameters = parameters;
    d.run_values = a;
    return d;
}
