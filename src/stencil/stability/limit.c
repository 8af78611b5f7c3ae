// The limit of a wave is where its amplification leaves the unit circle, found by bisection. It is made smaller and smaller: a
// wave that does not grow at the limit so far costs one matrix. A grid of wave numbers comes first, corners included, then the
// neighbourhood of the worst.
#include "limit.h"

#include "amplification.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Growth a step that counts: of matrices rounding shows more, as eigenvalues that lie close together are not well determined.
// Half the limit may show a hundredth: where a wave grows at any time step, growth vanishes like a power of it, and a limit only
// says where it gets lost.
static const double TOLERANCE = 1e-8, TOLERANCE_OF_ONE = 1e-12, SOFT = 0.01;

// So much more than the rate of the equation's own growth is allowed.
static const double MARGIN = 1.05;

static const double pi = 3.14159265358979323846;

enum { BINARY_ORDERS = 200, BISECTIONS = 48, MOST_WAVES = 4096 };

typedef struct limit_search {
    const mst_open_scheme *scheme;
    mst_frozen_list list;
    mst_amplification amplification;
    bool reads[N_AXES];    // some field, at an offset
    bool mirrored[N_AXES]; // waves to the left grow like waves to the right
    double tolerance;      // of growth
    double rate;           // growth that is allowed, a unit of time
    size_t n_waves;
    double waves[MOST_WAVES][N_AXES];
    double spacing; // of the grid of waves
    double limit;
    double worst[N_AXES]; // wave and case with this limit
    const mst_frozen *worst_case;
} limit_search;

// The logarithm of a wave's growth in a step, beyond what is allowed.
static double growth(limit_search *s, const mst_frozen *at, double dt, const double wave[N_AXES]) {
    double complex largest;
    if (!mst_amplification_largest(&s->amplification, at, dt, wave, &largest))
        return INFINITY;
    return log(cabs(largest)) - s->rate * dt;
}

static bool grows(limit_search *s, const mst_frozen *at, double dt, const double wave[N_AXES]) {
    return growth(s, at, dt, wave) > s->tolerance;
}

// Makes the limit smaller if the wave grows at it.
static bool lower(limit_search *s, const mst_frozen *at, const double wave[N_AXES]) {
    double high = s->limit * (1 - 1e-9), low;
    if (s->limit == 0 || !grows(s, at, high, wave))
        return false;
    int halvings = 0;
    for (low = high / 2; halvings < BINARY_ORDERS && grows(s, at, low, wave); low /= 2, halvings++)
        high = low;
    for (int k = 0; k < BISECTIONS && halvings < BINARY_ORDERS; k++) {
        const double middle = (low + high) / 2;
        *(grows(s, at, middle, wave) ? &high : &low) = middle;
    }
    s->limit = halvings < BINARY_ORDERS ? low : 0;
    memcpy(s->worst, wave, sizeof s->worst);
    s->worst_case = at;
    return true;
}

// Waves number 0 .. n^3 - 1 of a grid of n an axis, between `first` and `last` radians.
static void wave_of(const limit_search *s, size_t number, size_t n, double first, double last, double wave[N_AXES]) {
    for (int axis = N_AXES - 1; axis >= 0; axis--) {
        const double part = n > 1 ? (double)(number % n) / (double)(n - 1) : 0;
        wave[axis] = s->reads[axis] ? first + (last - first) * part : 0;
        number /= s->reads[axis] ? n : 1;
    }
}

static size_t count_waves(const limit_search *s, size_t n) {
    return (s->reads[0] ? n : 1) * (s->reads[1] ? n : 1) * (s->reads[2] ? n : 1);
}

// ---- Where to begin

static bool any_grows(limit_search *s, double dt) {
    const size_t n = count_waves(s, 3), stride = 1 + s->list.n / 8;
    for (size_t c = 0; c < s->list.n; c += stride)
        for (size_t k = 0; k < n; k++) {
            double wave[N_AXES];
            wave_of(s, n - 1 - k, 3, 0.1, pi, wave);
            if (grows(s, &s->list.cases[c], dt, wave))
                return true;
        }
    return false;
}

// A power of 4 times dt at which something grows, while nothing was seen to grow at a quarter of it.
static double bracket(limit_search *s, double dt) {
    const bool up = !any_grows(s, dt);
    for (int k = 0; k < BINARY_ORDERS / 2; k++) {
        dt = up ? dt * 4 : dt / 4;
        if (any_grows(s, dt) == up)
            return up ? dt : dt * 4;
    }
    return up ? INFINITY : 0;
}

// ---- The grid of waves

static bool is_mirrored(limit_search *s, int flipped) {
    static const double some[][N_AXES] = {{0.7, 1.9, 2.6}, {2.8, 0.4, 1.3}, {1.5, 2.9, 0.6}};
    const size_t stride = 1 + s->list.n / 16;
    for (size_t c = 0; c < s->list.n; c += stride)
        for (size_t k = 0; k < 3; k++) {
            double wave[N_AXES], other[N_AXES];
            for (int axis = 0; axis < N_AXES; axis++) {
                wave[axis] = s->reads[axis] ? some[k][axis] : 0;
                other[axis] = axis == flipped ? -wave[axis] : wave[axis];
            }
            const double one = growth(s, &s->list.cases[c], 1.5 * s->limit, wave),
                         two = growth(s, &s->list.cases[c], 1.5 * s->limit, other);
            if (!(fabs(one - two) <= 1e-9 * (1 + fabs(one))))
                return false;
        }
    return true;
}

// As coefficients are real, -k grows like k, so that one axis needs no negative wave numbers.
static void make_waves(limit_search *s) {
    const int order = s->scheme->problem.n_arrays, n_axes = s->reads[0] + s->reads[1] + s->reads[2];
    const size_t n = n_axes == 1 ? 65 : n_axes == 2 ? 17 : order <= 4 ? 9 : 5;
    bool halved = false;
    s->spacing = pi / (double)(n - 1);
    for (int axis = 0; axis < N_AXES; axis++) {
        s->mirrored[axis] = s->reads[axis] && (!halved || is_mirrored(s, axis));
        halved = halved || s->mirrored[axis];
    }
    s->n_waves = 0;
    for (size_t k = count_waves(s, n); k-- > 0;) // corners of the highest frequency first
        for (unsigned signs = 0; signs < 1u << N_AXES && s->n_waves < MOST_WAVES; signs++) {
            double *wave = s->waves[s->n_waves];
            bool is_new = true;
            wave_of(s, k, n, 0, pi, wave);
            for (int axis = 0; axis < N_AXES; axis++) {
                const bool flip = signs >> axis & 1;
                is_new = is_new && !(flip && (s->mirrored[axis] || !s->reads[axis] || wave[axis] == 0 || wave[axis] == pi));
                wave[axis] *= flip ? -1 : 1;
            }
            s->n_waves += is_new;
        }
}

// ---- The neighbourhood of the worst

static bool lower_around(limit_search *s, double distance) {
    double centre[N_AXES], wave[N_AXES];
    memcpy(centre, s->worst, sizeof centre);
    for (size_t k = 0; k < count_waves(s, 3); k++) {
        wave_of(s, k, 3, -distance, distance, wave);
        for (int axis = 0; axis < N_AXES; axis++)
            wave[axis] += centre[axis];
        if (lower(s, s->worst_case, wave))
            return true;
    }
    return false;
}

static void refine(limit_search *s) {
    for (double distance = s->spacing / 2; distance > 1e-5 && s->limit > 0 && s->worst_case; distance /= 2)
        for (int k = 0; k < 64 && lower_around(s, distance); k++)
            continue;
}

// The nodes all over the grid are looked at with the data and for the wave that are worst so far.
static bool lower_everywhere(limit_search *s) {
    const mst_frozen worst_case = *s->worst_case;
    bool found = false;
    double wave[N_AXES];
    memcpy(wave, s->worst, sizeof wave);
    for (size_t c = s->list.n; c < s->list.n_all; c++)
        memcpy(s->list.cases[c].data, worst_case.data, sizeof worst_case.data);
    s->amplification.frozen = NULL; // data have changed
    for (size_t c = 0; c < s->list.n_all; c++)
        found |= lower(s, &s->list.cases[c], wave);
    return found;
}

static void descend(limit_search *s) {
    for (size_t c = 0; c < s->list.n; c++)
        for (size_t k = 0; k < s->n_waves; k++)
            lower(s, &s->list.cases[c], s->waves[k]);
    do
        refine(s);
    while (s->worst_case && lower_everywhere(s));
}

// The limit from a bracket on.
static void find(limit_search *s, double dt) {
    s->worst_case = NULL;
    s->limit = bracket(s, dt);
    if (s->limit == 0 || isinf(s->limit))
        return;
    make_waves(s);
    descend(s);
}

static bool is_soft(limit_search *s) {
    return s->limit > 0 && s->worst_case && growth(s, s->worst_case, s->limit / 2, s->worst) > SOFT * s->tolerance;
}

// ---- Growth that belongs to the equation, not to the scheme: waves of eight nodes and more that grow by exp(rate t) however
// small the time step is. As von Neumann has it, a scheme is stable where nothing grows faster.

static double rate_at(limit_search *s, const mst_frozen *at, double dt, const double wave[N_AXES]) {
    double complex largest;
    if (!mst_amplification_largest(&s->amplification, at, dt, wave, &largest) || creal(largest) < 0.5)
        return 0; // of neighbouring steps, opposite signs: no solution of the equation
    return log(cabs(largest)) / dt;
}

static double resolved_rate(limit_search *s, double dt) {
    const size_t n = count_waves(s, 5);
    double most = 0, most_there = 0;
    for (size_t c = 0; c < s->list.n; c++)
        for (size_t k = 0; k < n; k++) {
            double wave[N_AXES];
            wave_of(s, k, 5, -pi / 4, pi / 4, wave);
            const double there = rate_at(s, &s->list.cases[c], dt, wave), half = rate_at(s, &s->list.cases[c], dt / 2, wave);
            most = fmax(most, 2 * half - there); // to dt = 0, up to terms of second order
            most_there = fmax(most_there, there);
        }
    return most > 0.01 * most_there ? most : 0;
}

static void search_all(limit_search *s, double dt) {
    find(s, dt);
    if (is_soft(s)) {
        const double small = 64 * s->limit; // where growth is well above rounding
        s->rate = MARGIN * resolved_rate(s, small);
        if (s->rate > 0)
            find(s, small);
        if (s->rate == 0 || is_soft(s))
            s->limit = 0;
    }
}

static void find_reads(limit_search *s) {
    const mst_problem *p = &s->scheme->problem;
    for (int u = 0; u < p->n_updates; u++)
        for (size_t i = 0; i < p->updates[u].formula.n_leaves; i++)
            for (int axis = 0; axis < N_AXES; axis++) {
                const mst_leaf *leaf = &p->updates[u].formula.leaves[i];
                s->reads[axis] = s->reads[axis] || (leaf->kind == MST_VALUE_FIELD && leaf->offsets[axis] != 0 &&
                                                    !p->fields[leaf->field].coefficient);
            }
}

mst_status mst_step_limit_find(const mst_open_scheme *scheme, double time_step, mst_step_limit *out, mst_error *error) {
    mst_status status = MST_OK;
    limit_search *s = calloc(1, sizeof *s);
    MST_REQUIRE(s, MST_ERROR_HOST_MEMORY, "out of memory for the largest stable time step");
    s->scheme = s->amplification.scheme = scheme;
    s->tolerance = scheme->problem.n_arrays == 1 ? TOLERANCE_OF_ONE : TOLERANCE;
    find_reads(s);
    MST_TRY(mst_open_check(scheme, error));
    MST_TRY(mst_frozen_make(scheme, time_step, &s->list, error));
    search_all(s, time_step);
    *out = (mst_step_limit){.time_step = s->limit, .rate = s->rate / MARGIN};
    for (int axis = 0; axis < N_AXES; axis++)
        out->wave[axis] = remainder(s->worst[axis], 2 * pi);
fail:
    if (s)
        mst_frozen_release(&s->list);
    free(s);
    return status;
}
