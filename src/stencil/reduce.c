// What monitors find: the device adds up in groups, the host the rest. The parts of a grid do it together: a group that a cut
// goes through is begun by the part below, which gives what it has to the part above; and all get the groups of all.
#include "kernels/write_observation.h"
#include "look.h"
#include "runtime/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { OF_GROUP = 2 * MST_OBSERVATION_LANES }; // numbers: of each work-item a sum and what it lacks

// ---- On the host

static void add(double *sum, double *rest, double value) {
    const double total = *sum + value, part = total - *sum;
    *rest += (*sum - (total - part)) + (value - part);
    *sum = total;
}

static double sum_of(const double *found, size_t n) {
    double sum = 0, rest = 0;
    for (size_t i = 0; i < n; i += 2) {
        add(&sum, &rest, found[i]);
        rest += isfinite(sum) ? found[i + 1] : 0;
    }
    return isfinite(sum) ? sum + rest : sum;
}

static double extreme_of(const double *found, size_t n, double sign) {
    double most = -INFINITY;
    for (size_t i = 0; i < n; i += 2) {
        const double value = sign * found[i];
        most = value > most || isnan(value) ? value : most;
    }
    return sign * most;
}

static double reduce(const mst_problem_monitor *m, const double *found, size_t n) {
    switch (m->reduction) {
    case MST_STENCIL_MAX:
        return extreme_of(found, n, 1);
    case MST_STENCIL_MIN:
        return extreme_of(found, n, -1);
    case MST_STENCIL_MEAN:
        return sum_of(found, n) / (double)m->what.region.nodes;
    case MST_STENCIL_NORM:
        return sqrt(sum_of(found, n));
    default:
        return sum_of(found, n);
    }
}

// ---- From the device and to it

static size_t number_bytes(const mst_observer *o) {
    return mst_observation_in_double(o->context) ? sizeof(double) : sizeof(float);
}

static mst_status fetch(mst_observer *o, size_t n, size_t first, double *to, mst_error *error) {
    mst_status status = MST_OK;
    const size_t bytes = number_bytes(o);
    MST_TRY(mst_queue_read(&o->queue, o->partials, first * bytes, n * bytes, o->staging, "what a monitor found", error));
    for (size_t i = 0; i < n; i++)
        to[i] = bytes == sizeof(double) ? ((double *)o->staging)[i] : (double)((float *)o->staging)[i];
fail:
    return status;
}

static mst_status put(mst_observer *o, size_t n, size_t first, const double *from, mst_error *error) {
    const size_t bytes = number_bytes(o);
    for (size_t i = 0; i < n; i++)
        if (bytes == sizeof(double))
            ((double *)o->staging)[i] = from[i];
        else
            ((float *)o->staging)[i] = (float)from[i];
    return mst_queue_write(&o->queue, CL_TRUE, o->partials, first * bytes, n * bytes, o->staging, "what another part found",
                           error);
}

static mst_look look_of(mst_observer *o, size_t monitor, uint64_t step) {
    const mst_observation *what = &o->problem->observations->monitors[monitor].what;
    mst_look l = {.o = o,
                  .what = what,
                  .kernel = o->monitors[monitor],
                  .result = &o->partials,
                  .region = what->region,
                  .to = mst_observation_units(&what->region),
                  .runs = 1,
                  .of_line = mst_observation_line(&what->region),
                  .step = step};
    if (o->problem->n_runs == 0)
        l.region.start[PLANES] -= (uint64_t)o->problem->first[PLANES];
    return l;
}

// The values of so many of its runs at once.
static mst_status measure(mst_observer *o, size_t monitor, uint64_t step, size_t first, size_t runs, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem_monitor *m = &o->problem->observations->monitors[monitor];
    const size_t n = (size_t)mst_observation_groups(&m->what.region) * OF_GROUP;
    double *latest = o->records[monitor].latest + o->problem->first[PLANES] + first;
    mst_look l = look_of(o, monitor, step);
    l.runs = runs;
    if (o->problem->has_run_planes)
        l.region.start[PLANES] += first;
    else
        l.first_run = first;
    MST_TRY(mst_look_at(&l, error));
    MST_TRY(fetch(o, runs * n, 0, o->found, error));
    for (size_t k = 0; k < runs; k++)
        latest[k] = reduce(m, o->found + k * n, n);
fail:
    return status;
}

static mst_status measure_runs(mst_observer *o, size_t monitor, uint64_t step, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = o->problem;
    const size_t all = (size_t)mst_problem_runs(p);
    const mst_region *r = &p->observations->monitors[monitor].what.region;
    const size_t at_once = o->schedule->kind->view ? (size_t)mst_observation_runs(r, all) : 1;
    for (size_t first = 0; first < all; first += at_once)
        MST_TRY(measure(o, monitor, step, first, mst_smaller(at_once, all - first), error));
fail:
    return status;
}

// ---- The parts of a grid together

typedef struct shared_look {
    mst_look look;
    uint64_t from, border, to; // units of the part; the first group that begins in it does at the border
    uint64_t share, units;
} shared_look;

static void look_at(shared_look *s, uint64_t from, uint64_t to, mst_error *error) {
    s->look.from = from;
    s->look.to = to;
    if (s->look.o->own == MST_OK)
        mst_observer_keep(s->look.o, mst_look_at(&s->look, error));
}

static mst_status give(shared_look *s, mst_error *error) {
    mst_observer *o = s->look.o;
    double lanes[OF_GROUP] = {0};
    if (o->own == MST_OK)
        mst_observer_keep(o, fetch(o, OF_GROUP, s->to / s->share * OF_GROUP, lanes, error));
    return o->with->give(o->with->user, lanes, sizeof lanes, mst_observer_error(o, error));
}

static mst_status take(shared_look *s, mst_error *error) {
    mst_observer *o = s->look.o;
    double lanes[OF_GROUP] = {0};
    const mst_status met = o->with->take(o->with->user, lanes, sizeof lanes, mst_observer_error(o, error));
    if (met == MST_OK && o->own == MST_OK)
        mst_observer_keep(o, put(o, OF_GROUP, s->from / s->share * OF_GROUP, lanes, error));
    return met;
}

// Of the groups those that end in this part.
static void fetch_own(shared_look *s, size_t n, mst_error *error) {
    mst_observer *o = s->look.o;
    double *found = o->found;
    if (o->own == MST_OK)
        mst_observer_keep(o, fetch(o, n, 0, found, error));
    for (size_t group = 0; group < n / OF_GROUP; group++) {
        const uint64_t end = mst_smaller((group + 1) * s->share, s->units);
        if (o->own != MST_OK || end <= s->from || end > s->to)
            memset(found + group * OF_GROUP, 0, OF_GROUP * sizeof *found);
    }
}

static mst_status measure_part(mst_observer *o, size_t monitor, uint64_t step, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem_monitor *m = &o->problem->observations->monitors[monitor];
    const mst_region *r = &m->what.region;
    const uint64_t plane = r->count[ROWS] * mst_observation_line(r);
    const size_t n = (size_t)mst_observation_groups(r) * OF_GROUP;
    shared_look s = {.look = look_of(o, monitor, step),
                     .from = m->what.from[PLANES] * plane,
                     .to = m->what.to[PLANES] * plane,
                     .share = mst_observation_share(r),
                     .units = mst_observation_units(r)};
    s.border = mst_smaller(mst_divide_up(s.from, s.share) * s.share, s.to);
    const bool takes = s.from < s.units && s.from % s.share > 0, gives = s.to < s.units && s.to % s.share > 0;
    look_at(&s, s.border, s.to, error); // what needs no other part first, so that all work at once
    if (gives && s.border < s.to)
        MST_TRY(give(&s, error));
    if (takes)
        MST_TRY(take(&s, error));
    look_at(&s, s.from, s.border, error);
    if (gives && s.border == s.to)
        MST_TRY(give(&s, error));
    fetch_own(&s, n, error);
    MST_TRY(o->with->join(o->with->user, o->found, n, mst_observer_error(o, error)));
    o->records[monitor].latest[0] = reduce(m, o->found, n);
fail:
    return status;
}

// ---- Of parts whose lines are cut, the values go to all, which add them up on the host in the order and with the rounding of
// the device's groups

enum { AT_ONCE = 1 << 17 }; // numbers of a join

typedef struct shared_values {
    mst_look look;
    const mst_problem_monitor *monitor;
    bool in_double;
    uint64_t own, next; // own nodes of the region, and the first that is not there yet
    double *values;     // from node `first` of the whole region on
    uint64_t first, n;
} shared_values;

static double rounded(const shared_values *v, double value) { return v->in_double ? value : (double)(float)value; }

// As add_to of observation.cl.
static void add_rounded(const shared_values *v, double *sum, double *rest, double value) {
    const double total = rounded(v, *sum + value), part = rounded(v, total - *sum);
    const double lost = rounded(v, rounded(v, *sum - rounded(v, total - part)) + rounded(v, value - part));
    *rest = rounded(v, *rest + lost);
    *sum = total;
}

static void join_value(const shared_values *v, double *sum, double *rest, double value) {
    switch (v->monitor->reduction) {
    case MST_STENCIL_MAX:
        *sum = value > *sum || isnan(value) ? value : *sum;
        break;
    case MST_STENCIL_MIN:
        *sum = value < *sum || isnan(value) ? value : *sum;
        break;
    case MST_STENCIL_NORM:
        add_rounded(v, sum, rest, rounded(v, value * value));
        break;
    default:
        add_rounded(v, sum, rest, value);
    }
}

// Where one of the own nodes lies in the whole region.
static uint64_t place_of(const shared_values *v, uint64_t own) {
    const mst_observation *o = &v->monitor->what;
    uint64_t place = 0, stride = 1;
    for (int axis = N_AXES - 1; axis >= 0; axis--) {
        const uint64_t count = mst_observation_own(o, axis);
        place += (o->from[axis] + own % count) * stride;
        stride *= o->region.count[axis];
        own /= count;
    }
    return place;
}

// Puts those of the own values that are wanted to their places, as many at once as partial results have room for.
static mst_status put_values(shared_values *v, uint64_t room, double *fetched, mst_error *error) {
    mst_status status = MST_OK;
    mst_observer *o = v->look.o;
    while (v->next < v->own && place_of(v, v->next) < v->first + v->n) {
        v->look.from = v->look.to = v->next;
        while (v->look.to < v->own && v->look.to - v->next < room && place_of(v, v->look.to) < v->first + v->n)
            v->look.to++;
        MST_TRY(mst_look_at(&v->look, error));
        MST_TRY(fetch(o, (size_t)(v->look.to - v->next), 0, fetched, error));
        for (uint64_t k = v->next; k < v->look.to; k++)
            v->values[place_of(v, k) - v->first] = fetched[k - v->next];
        v->next = v->look.to;
    }
fail:
    return status;
}

static void add_values(const shared_values *v, double *found) {
    const mst_region *r = &v->monitor->what.region;
    const uint64_t columns = r->count[COLUMNS], of_line = mst_observation_line(r), share = mst_observation_share(r);
    for (uint64_t k = 0; k < v->n; k++) {
        const uint64_t node = v->first + k, column = node % columns;
        const uint64_t unit = node / columns * of_line + column / MST_OBSERVATION_UNIT;
        const uint64_t lane = column % MST_OBSERVATION_UNIT % MST_OBSERVATION_LANES;
        double *partial = found + unit / share * OF_GROUP + 2 * lane;
        join_value(v, &partial[0], &partial[1], v->values[k]);
    }
}

static void begin_partials(const mst_problem_monitor *m, double *found, size_t n) {
    for (size_t i = 0; i < n; i += 2) {
        found[i] = m->reduction == MST_STENCIL_MAX ? -INFINITY : m->reduction == MST_STENCIL_MIN ? INFINITY : 0;
        found[i + 1] = 0;
    }
}

static shared_values values_of(mst_observer *o, size_t monitor, uint64_t step) {
    const mst_problem_monitor *m = &o->problem->observations->monitors[monitor];
    shared_values v = {.look = look_of(o, monitor, step), .monitor = m, .own = 1};
    v.in_double = mst_observation_in_double(o->context);
    v.look.is_values = true;
    v.look.of_line = mst_observation_own(&m->what, COLUMNS);
    for (int axis = 0; axis < N_AXES; axis++) {
        const uint64_t own = mst_observation_own(&m->what, axis);
        v.look.region.start[axis] =
            m->what.region.start[axis] + m->what.from[axis] * m->what.region.step[axis] - (uint64_t)o->problem->first[axis];
        v.look.region.count[axis] = own;
        v.own *= own;
    }
    return v;
}

static mst_status measure_values(mst_observer *o, size_t monitor, uint64_t step, mst_error *error) {
    mst_status status = MST_OK;
    shared_values v = values_of(o, monitor, step);
    const mst_region *r = &v.monitor->what.region;
    const size_t groups = (size_t)mst_observation_groups(r) * OF_GROUP;
    double *fetched = malloc(groups * sizeof *fetched);
    v.values = malloc(AT_ONCE * sizeof *v.values);
    if (!fetched || !v.values) // and it has nothing to put in its place where all meet
        status = mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for a monitor");
    MST_TRY(status);
    begin_partials(v.monitor, o->found, groups);
    for (v.first = 0; v.first < r->nodes; v.first += v.n) {
        v.n = mst_smaller(r->nodes - v.first, (uint64_t)AT_ONCE);
        memset(v.values, 0, (size_t)v.n * sizeof *v.values);
        if (o->own == MST_OK)
            mst_observer_keep(o, put_values(&v, groups, fetched, mst_observer_error(o, error)));
        MST_TRY(o->with->join(o->with->user, v.values, (size_t)v.n, mst_observer_error(o, error)));
        add_values(&v, o->found);
    }
    o->records[monitor].latest[0] = reduce(v.monitor, o->found, groups);
fail:
    free(fetched);
    free(v.values);
    return status;
}

static mst_status measure_own_runs(mst_observer *o, size_t monitor, uint64_t step, mst_error *error) {
    const size_t n = mst_observer_runs(o);
    double *latest = o->records[monitor].latest;
    memset(latest, 0, n * sizeof *latest);
    if (o->own == MST_OK)
        mst_observer_keep(o, measure_runs(o, monitor, step, error));
    return o->with->join(o->with->user, latest, n, mst_observer_error(o, error));
}

static bool is_cut_sideways(const mst_observer *o) {
    return mst_problem_is_cut(o->problem, ROWS) || mst_problem_is_cut(o->problem, COLUMNS);
}

mst_status mst_observer_measure(mst_observer *o, size_t monitor, uint64_t step, const double **values, mst_error *error) {
    mst_status status = MST_OK;
    mst_record *record = &o->records[monitor];
    *values = record->latest;
    if (record->measured == step)
        return MST_OK;
    MST_TRY(!o->with                 ? measure_runs(o, monitor, step, error)
            : o->problem->n_runs > 0 ? measure_own_runs(o, monitor, step, error)
            : is_cut_sideways(o)     ? measure_values(o, monitor, step, error)
                                     : measure_part(o, monitor, step, error));
    record->measured = step;
fail:
    return status;
}
