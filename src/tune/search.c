// The search: the safe values, which give the reference, those that a plan would have without it, and then the candidates in the
// order of a cost model. Each is built, checked, and timed unless its first run shows that it is not worth it. The fastest then
// has to beat what there was, in turns.
#include "tune.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { MOST_CANDIDATES = 4096, SAMPLES = 7, LEAST_SAMPLES = 3, DUEL_ROUNDS = 9 };
#define LEAST_SECONDS 1e-3 // of a sample: launching must not count
#define MOST_SECONDS 1.5   // of a candidate's samples
#define HOPELESS 2.0       // times the best: the first run decides
#define UNLIKELY 4.0       // times the lowest cost: not tried
#define LEAST_GAIN 0.97    // of the time before: less is noise

typedef struct candidate {
    int64_t values[MST_TUNING_MAX_VALUES];
    double cost;
    uint64_t tie; // decides between equal costs
} candidate;

// Those that meet in the end.
enum { SAFE, BEFORE, BEST, N_ENTRANTS };

typedef struct entrant {
    int64_t values[MST_TUNING_MAX_VALUES];
    void *built; // NULL: none
    double seconds;
} entrant;

typedef struct search {
    const mst_tune_problem *problem;
    const mst_tuning *how;
    candidate *list;
    unsigned n;
    double start;
    entrant entrants[N_ENTRANTS]; // SAFE first, then the others, which may be the same
    mst_tune_found *found;
} search;

static bool same_values(const mst_tune_problem *p, const int64_t *a, const int64_t *b) {
    return memcmp(a, b, (size_t)p->n_parameters * sizeof *a) == 0;
}

static int by_cost(const void *left, const void *right) {
    const candidate *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->tie > b->tie) - (a->tie < b->tie);
}

static int by_value(const void *left, const void *right) {
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *samples, int n) {
    qsort(samples, (size_t)n, sizeof *samples, by_value);
    return samples[n / 2];
}

static bool is_entrant(const search *s, const int64_t *values) {
    return same_values(s->problem, values, s->entrants[SAFE].values) ||
           same_values(s->problem, values, s->entrants[BEFORE].values);
}

// All combinations of legal values but those that are tried anyway, the most promising first.
static mst_status list_candidates(search *s, mst_error *error) {
    const mst_tune_problem *p = s->problem;
    size_t all = 1, bytes = (size_t)p->n_parameters * sizeof(int64_t);
    double least = INFINITY;
    for (int k = 0; k < p->n_parameters; k++)
        if (!mst_multiply(all, (size_t)p->parameters[k].n, &all) || all > MOST_CANDIDATES)
            return mst_fail(error, MST_ERROR_ARGUMENT, "%s has too many combinations of values", p->capability);
    if (!(s->list = calloc(all + 1, sizeof *s->list)))
        return mst_fail(error, MST_ERROR_HOST_MEMORY, "out of memory tuning %s", p->capability);
    for (size_t i = 0; i < all; i++) {
        candidate *c = &s->list[s->n];
        size_t rest = i;
        for (int k = 0; k < p->n_parameters; k++) {
            c->values[k] = p->parameters[k].values[rest % (size_t)p->parameters[k].n];
            rest /= (size_t)p->parameters[k].n;
        }
        c->cost = p->cost ? p->cost(p->user, c->values) : 1;
        c->tie = XXH64(c->values, bytes, s->how->seed);
        if (isinf(c->cost) || is_entrant(s, c->values))
            continue;
        least = c->cost < least ? c->cost : least;
        s->n++;
    }
    qsort(s->list, s->n, sizeof *s->list, by_cost);
    while (s->n > 0 && s->list[s->n - 1].cost > UNLIKELY * least)
        s->n--;
    return MST_OK;
}

static mst_status time_once(search *s, void *built, int times, double *seconds, mst_error *error) {
    double start = mst_now();
    mst_status status = s->problem->work->run(s->problem->user, built, times, error);
    *seconds = (mst_now() - start) / times;
    return status;
}

static int times_of(double once) { return once < LEAST_SECONDS ? 1 + (int)(LEAST_SECONDS / (once + 1e-7)) : 1; }

// The median of some samples, or the first one that is hopeless beside `best`. `once` is a run's time after the first.
static mst_status time_candidate(search *s, void *built, double best, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    double once, samples[SAMPLES], total = 0;
    int n = 0;
    MST_TRY(time_once(s, built, 1, &once, error));
    *seconds = once;
    if (once > HOPELESS * best && once > LEAST_SECONDS)
        return MST_OK;
    for (; n < SAMPLES && (n < LEAST_SAMPLES || total < MOST_SECONDS); n++) {
        MST_TRY(time_once(s, built, times_of(once), &samples[n], error));
        *seconds = samples[n];
        total += samples[n] * times_of(once);
        if (samples[n] > HOPELESS * best)
            return MST_OK;
    }
    *seconds = median(samples, n);
fail:
    return status;
}

// Builds, checks and times one candidate.
static mst_status make_and_time(search *s, entrant *c, double best, bool *right, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tune_work *w = s->problem->work;
    void *user = s->problem->user;
    MST_TRY(w->build(user, c->values, &c->built, error));
    MST_TRY(w->run(user, c->built, 1, error)); // the first run may have to move pages or compile
    MST_TRY(w->check(user, c->built, right, error));
    if (!*right)
        return MST_OK;
    MST_TRY(time_candidate(s, c->built, best, &c->seconds, error));
    if (w->timed)
        w->timed(user, c->values, c->seconds);
fail:
    return status;
}

// c->built stays NULL where the candidate does not count: the device refuses it, or its results are wrong. The first one has to
// work.
static mst_status try_values(search *s, entrant *c, double best, mst_error *error) {
    bool right = false, first = s->found->tried == 0;
    mst_error why = {MST_OK, 0, "", ""};
    c->built = NULL;
    if (s->how->progress && !s->how->progress(s->found->tried, s->found->candidates, s->how->user))
        return mst_fail(error, MST_ERROR_CANCELLED, "tuning was interrupted");
    s->found->tried++;
    mst_status status = make_and_time(s, c, best, &right, &why);
    s->found->wrong += status == MST_OK && !right;
    if (status == MST_OK && right)
        return MST_OK;
    s->problem->work->discard(s->problem->user, c->built);
    c->built = NULL;
    if (status != MST_OK && (first || status == MST_ERROR_HOST_MEMORY || status == MST_ERROR_CANCELLED)) {
        if (error)
            *error = why;
        return status;
    }
    if (first)
        return mst_fail(error, MST_ERROR_OPENCL, "%s cannot be tuned: a check refuses the safe values", s->problem->capability);
    return MST_OK;
}

static void forget(search *s, int which) {
    void *built = s->entrants[which].built;
    s->entrants[which].built = NULL;
    for (int k = 0; k < N_ENTRANTS; k++)
        if (built && s->entrants[k].built == built)
            return; // it is another entrant too
    s->problem->work->discard(s->problem->user, built);
}

static void consider(search *s, const entrant *c) {
    if (!c->built)
        return;
    if (s->entrants[BEST].built && c->seconds >= s->entrants[BEST].seconds) {
        if (c->built != s->entrants[SAFE].built && c->built != s->entrants[BEFORE].built)
            s->problem->work->discard(s->problem->user, c->built);
        return;
    }
    forget(s, BEST);
    s->entrants[BEST] = *c;
}

static mst_status try_all(search *s, mst_error *error) {
    mst_status status = MST_OK;
    entrant *safe = &s->entrants[SAFE], *before = &s->entrants[BEFORE];
    MST_TRY(try_values(s, safe, INFINITY, error));
    if (same_values(s->problem, safe->values, before->values))
        *before = *safe;
    else
        MST_TRY(try_values(s, before, INFINITY, error));
    if (!before->built)
        *before = *safe;
    consider(s, safe);
    consider(s, before);
    for (unsigned i = 0; i < s->n && mst_now() - s->start < s->how->seconds; i++) {
        entrant c = {.built = NULL};
        memcpy(c.values, s->list[i].values, sizeof c.values);
        MST_TRY(try_values(s, &c, s->entrants[BEST].seconds, error));
        consider(s, &c);
    }
fail:
    return status;
}

static int first_such(const entrant *e, int k) {
    int first = 0;
    while (e[first].built != e[k].built)
        first++;
    return first;
}

// The entrants in turns, so that all meet the same machine. The best has to be better than what there was by more than noise.
static mst_status duel(search *s, mst_error *error) {
    mst_status status = MST_OK;
    double samples[N_ENTRANTS][DUEL_ROUNDS], total = 0;
    entrant *e = s->entrants;
    int n = 0, times = times_of(e[BEST].seconds);
    for (; n < DUEL_ROUNDS && (n < LEAST_SAMPLES || total < 2 * MOST_SECONDS); n++)
        for (int turn = 0; turn < N_ENTRANTS; turn++) {
            int k = n % 2 ? N_ENTRANTS - 1 - turn : turn; // nobody is always the first
            if (first_such(e, k) != k)
                continue;
            MST_TRY(time_once(s, e[k].built, times, &samples[k][n], error));
            total += samples[k][n] * times;
        }
    for (int k = 0; k < N_ENTRANTS; k++)
        e[k].seconds = first_such(e, k) == k ? median(samples[k], n) : e[first_such(e, k)].seconds;
    if (e[BEST].seconds > LEAST_GAIN * e[BEFORE].seconds) {
        forget(s, BEST);
        e[BEST] = e[BEFORE];
    }
fail:
    return status;
}

mst_status mst_tune_search(const mst_tune_problem *problem, const mst_tuning *how, const int64_t *before, mst_tune_found *found,
                           mst_error *error) {
    mst_status status = MST_OK;
    search s = {.problem = problem, .how = how, .start = mst_now(), .found = found};
    memset(found, 0, sizeof *found);
    for (int k = 0; k < problem->n_parameters; k++) {
        s.entrants[SAFE].values[k] = problem->parameters[k].safe;
        s.entrants[BEFORE].values[k] = before[k];
    }
    MST_TRY(list_candidates(&s, error));
    found->candidates = s.n + (same_values(problem, s.entrants[SAFE].values, before) ? 1 : 2);
    MST_TRY(problem->work->prepare(problem->user, how->seed, error));
    MST_TRY(try_all(&s, error));
    if (s.entrants[BEST].built != s.entrants[BEFORE].built)
        MST_TRY(duel(&s, error));
    memcpy(found->values, s.entrants[BEST].values, sizeof found->values);
    found->seconds = s.entrants[BEST].seconds;
    found->before_seconds = s.entrants[BEFORE].seconds;
    found->safe_seconds = s.entrants[SAFE].seconds;
    found->search_seconds = mst_now() - s.start;
fail:
    for (int k = N_ENTRANTS - 1; k >= 0; k--)
        forget(&s, k);
    problem->work->finish(problem->user);
    free(s.list);
    return status;
}
