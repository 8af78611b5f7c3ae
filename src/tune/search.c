// The search: the safe values, which give the reference, those that a plan would have without it, and then the candidates in the
// order of a cost model. A few are built at once, each by a thread; when all of these are there, one after the other is checked,
// and timed unless its first run shows that it is not worth it, so that nothing is compiled beside what is timed. The fastest
// then has to beat the others, in turns.
#include "candidates.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_AHEAD = 8, SAMPLES = 7, LEAST_SAMPLES = 3, DUEL_ROUNDS = 15, COMPARE_ROUNDS = 41 };
#define LEAST_SECONDS 1e-3 // of a sample: launching must not count
#define MOST_SECONDS 1.5   // of a candidate's samples
#define HOPELESS 2.0       // times the best: the first run decides
#define LEAST_GAIN 0.97    // of the other's time, and in
#define LEAST_WINS 0.8     // of all rounds: less is noise

// What is kept of those that were tried: the safe one, the one that a plan would have, and the fastest, which may be the same.
enum { SAFE, BEFORE, BEST, N_ROLES };

typedef struct test_run {
    const mst_tune_problem *problem;
    int64_t values[MST_TUNING_MAX_VALUES];
    bool ahead;    // what was built waits for its turn
    void *built;   // NULL if it could not be built,
    mst_error why; // and why
    double seconds;
} test_run;

typedef struct search {
    const mst_tune_problem *problem;
    const mst_tuning *how;
    mst_candidate *list;
    unsigned n;
    double start;
    test_run runs[N_ROLES + MOST_AHEAD]; // room for those that have no role yet
    test_run *roles[N_ROLES];            // NULL: nobody's yet
    mst_tune_found *found;
} search;

// Progress within a run of a candidate: it reports the candidates before this one as done.
static bool go_on(uint64_t done, uint64_t total, void *user) {
    const search *s = user;
    (void)done, (void)total;
    return !s->how->progress || s->how->progress(s->found->tried - 1, s->found->candidates, s->how->user);
}

static mst_status run_built(search *s, void *built, int times, mst_error *error) {
    mst_execution how = MST_EXECUTION_INIT;
    how.progress = go_on;
    how.progress_user = s;
    return s->problem->work->run(s->problem->user, built, times, &how, error);
}

static double clock_of(const search *s) {
    const mst_tune_work *w = s->problem->work;
    return w->clock ? w->clock(s->problem->user) : mst_now();
}

static mst_status time_once(search *s, void *built, int times, double *seconds, mst_error *error) {
    double start = clock_of(s);
    mst_status status = run_built(s, built, times, error);
    *seconds = (clock_of(s) - start) / times;
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
    *seconds = mst_median(samples, n);
fail:
    return status;
}

// Checks and times one candidate.
static mst_status check_and_time(search *s, test_run *t, double best, bool *right, mst_error *error) {
    mst_status status = MST_OK;
    const mst_tune_work *w = s->problem->work;
    void *user = s->problem->user;
    if (w->clear)
        MST_TRY(w->clear(user, error));
    MST_TRY(run_built(s, t->built, 1, error)); // the first run may have to move pages or compile
    MST_TRY(w->check(user, t->built, right, error));
    if (!*right)
        return MST_OK;
    MST_TRY(time_candidate(s, t->built, best, &t->seconds, error));
    if (w->timed)
        w->timed(user, t->values, t->seconds);
fail:
    return status;
}

// Discards whatever was built and neither has a role nor waits for its turn; nothing is discarded anywhere else. Returns a place
// that is free then.
static test_run *discard_others(search *s) {
    test_run *room = NULL;
    for (int k = 0; k < N_ROLES + MOST_AHEAD; k++) {
        test_run *t = &s->runs[k];
        bool has_role = t->built && (t == s->roles[SAFE] || t == s->roles[BEFORE] || t == s->roles[BEST]);
        if (has_role || t->ahead)
            continue;
        if (t->built)
            s->problem->work->discard(s->problem->user, t->built);
        t->built = NULL;
        room = t;
    }
    return room;
}

static mst_status ask_whether_to_go_on(const search *s, mst_error *error) {
    if (s->how->progress && !s->how->progress(s->found->tried, s->found->candidates, s->how->user))
        return mst_fail(error, MST_ERROR_CANCELLED, "tuning was interrupted");
    return MST_OK;
}

static void *build(void *user) {
    test_run *t = user;
    t->why = (mst_error){MST_OK, 0, "", ""};
    t->why.status = t->problem->work->build(t->problem->user, t->values, &t->built, &t->why);
    return NULL;
}

// Builds n candidates at once, if there are threads to be had.
static mst_status build_ahead(search *s, const mst_candidate *list, unsigned n, test_run **ahead, mst_error *error) {
    pthread_t threads[MOST_AHEAD];
    bool running[MOST_AHEAD] = {false};
    mst_status status = ask_whether_to_go_on(s, error);
    if (status != MST_OK)
        return status;
    for (unsigned k = 0; k < n; k++) {
        ahead[k] = discard_others(s);
        ahead[k]->problem = s->problem;
        ahead[k]->ahead = true;
        memcpy(ahead[k]->values, list[k].values, sizeof ahead[k]->values);
    }
    for (unsigned k = 1; k < n; k++)
        running[k] = pthread_create(&threads[k], NULL, build, ahead[k]) == 0;
    for (unsigned k = 0; k < n; k++)
        if (!running[k])
            build(ahead[k]);
    for (unsigned k = 1; k < n; k++)
        if (running[k])
            pthread_join(threads[k], NULL);
    return MST_OK;
}

// Tries what was built. *out is NULL if it does not count, because the device refuses it or its results are wrong. The first one
// has to work.
static mst_status try_built(search *s, test_run *t, test_run **out, mst_error *error) {
    bool right = false, first = s->found->tried == 0;
    double best = s->roles[BEST] ? s->roles[BEST]->seconds : INFINITY;
    *out = NULL;
    s->found->tried++;
    t->ahead = false;
    mst_status status = t->built ? check_and_time(s, t, best, &right, &t->why) : t->why.status;
    s->found->wrong += status == MST_OK && !right;
    if (status == MST_OK && right) {
        if (t->seconds < best)
            s->roles[BEST] = t;
        *out = t;
    } else if (status != MST_OK && (first || status == MST_ERROR_HOST_MEMORY || status == MST_ERROR_CANCELLED)) {
        if (error)
            *error = t->why;
        return status;
    } else if (first)
        return mst_fail(error, MST_ERROR_OPENCL, "%s cannot be tuned: a check refuses the safe values", s->problem->capability);
    return MST_OK;
}

static mst_status try_values(search *s, const int64_t *values, test_run **out, mst_error *error) {
    mst_candidate one = {.cost = 0};
    test_run *t;
    memcpy(one.values, values, (size_t)s->problem->n_parameters * sizeof *values);
    mst_status status = build_ahead(s, &one, 1, &t, error);
    return status == MST_OK ? try_built(s, t, out, error) : status;
}

// roles[BEFORE] stays NULL where those do not work.
static mst_status try_known(search *s, const int64_t *safe, const int64_t *before, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY(try_values(s, safe, &s->roles[SAFE], error));
    if (mst_tune_same_values(s->problem, safe, before))
        s->roles[BEFORE] = s->roles[SAFE];
    else
        MST_TRY(try_values(s, before, &s->roles[BEFORE], error));
fail:
    return status;
}

static bool is_memory(mst_status status) {
    return status == MST_ERROR_HOST_MEMORY || status == MST_ERROR_DEVICE_MEMORY || status == MST_ERROR_BUDGET;
}

static double time_left(const search *s) { return s->how->seconds - (mst_now() - s->start); }

// How many to build at once: no more than the time that is left allows, judging by those tried so far.
static unsigned how_many(const search *s, unsigned left) {
    unsigned n = s->how->threads < 1 ? 1 : s->how->threads < MOST_AHEAD ? s->how->threads : MOST_AHEAD;
    double each = (mst_now() - s->start) / s->found->tried, fit = time_left(s) / each + 1;
    n = n < left ? n : left;
    return fit < n ? (unsigned)fit : n;
}

// Some candidates built at once. One that found no memory beside the others is built again after them.
static mst_status try_some(search *s, const mst_candidate *list, unsigned n, mst_error *error) {
    mst_status status = MST_OK;
    test_run *ahead[MOST_AHEAD], *unused;
    bool later[MOST_AHEAD] = {false};
    MST_TRY(build_ahead(s, list, n, ahead, error));
    for (unsigned k = 0; k < n; k++) {
        later[k] = n > 1 && !ahead[k]->built && is_memory(ahead[k]->why.status);
        ahead[k]->ahead = !later[k];
    }
    for (unsigned k = 0; k < n; k++) {
        if (later[k])
            continue;
        if (k > 0)
            MST_TRY(ask_whether_to_go_on(s, error));
        MST_TRY(try_built(s, ahead[k], &unused, error));
        discard_others(s);
    }
    for (unsigned k = 0; k < n; k++)
        if (later[k])
            MST_TRY(try_values(s, list[k].values, &unused, error));
fail:
    return status;
}

static mst_status try_candidates(search *s, mst_error *error) {
    mst_status status = MST_OK;
    for (unsigned i = 0, n; i < s->n && time_left(s) > 0; i += n) {
        n = how_many(s, s->n - i);
        MST_TRY(try_some(s, &s->list[i], n, error));
    }
fail:
    return status;
}

// Whether one is faster than another by more than noise, round for round.
static bool beats(const double *samples, const double *others, int n, double seconds, double other_seconds) {
    int wins = 0;
    for (int k = 0; k < n; k++)
        wins += samples[k] < others[k];
    return seconds <= LEAST_GAIN * other_seconds && wins >= LEAST_WINS * n;
}

// Runs all that have a role in turns, so that they meet the same machine, for so many rounds as the time allows. roles[BEST]
// becomes the one that has beaten both what a plan would have had and the safe one.
static mst_status duel(search *s, int rounds, double most_seconds, mst_error *error) {
    mst_status status = MST_OK;
    double samples[N_ROLES][COMPARE_ROUNDS], sorted[COMPARE_ROUNDS], total = 0;
    test_run **r = s->roles;
    int n = 0, times = times_of(r[BEST]->seconds), source[N_ROLES];
    for (int k = 0; k < N_ROLES; k++)
        for (source[k] = 0; r[source[k]] != r[k];)
            source[k]++;
    for (; n < rounds && (n < LEAST_SAMPLES || total < most_seconds); n++)
        for (int turn = 0; turn < N_ROLES; turn++) {
            int k = n % 2 ? N_ROLES - 1 - turn : turn; // nobody is always the first
            if (source[k] != k)
                continue;
            MST_TRY(time_once(s, r[k]->built, times, &samples[k][n], error));
            total += samples[k][n] * times;
        }
    for (int k = 0; k < N_ROLES; k++) {
        memcpy(samples[k], samples[source[k]], sizeof samples[k]);
        memcpy(sorted, samples[k], sizeof sorted);
        r[k]->seconds = mst_median(sorted, n);
    }
    int winner = beats(samples[BEST], samples[BEFORE], n, r[BEST]->seconds, r[BEFORE]->seconds) ? BEST : BEFORE;
    if (beats(samples[SAFE], samples[winner], n, r[SAFE]->seconds, r[winner]->seconds))
        winner = SAFE;
    r[BEST] = r[winner];
fail:
    return status;
}

static void describe(const search *s, const test_run *chosen, mst_tune_found *found) {
    memcpy(found->values, chosen->values, sizeof found->values);
    found->seconds = chosen->seconds;
    found->before_seconds = s->roles[BEFORE]->seconds;
    found->safe_seconds = s->roles[SAFE]->seconds;
    found->search_seconds = mst_now() - s->start;
}

static void end(search *s) {
    memset(s->roles, 0, sizeof s->roles);
    for (int k = 0; k < N_ROLES + MOST_AHEAD; k++)
        s->runs[k].ahead = false;
    discard_others(s);
    s->problem->work->finish(s->problem->user);
    free(s->list);
}

mst_status mst_tune_search(const mst_tune_problem *problem, const mst_tuning *how, const int64_t *before, const int64_t *untuned,
                           mst_tune_found *found, mst_error *error) {
    mst_status status = MST_OK;
    search s = {.problem = problem, .how = how, .start = mst_now(), .found = found};
    int64_t safe[MST_TUNING_MAX_VALUES];
    test_run *unused;
    memset(found, 0, sizeof *found);
    for (int k = 0; k < problem->n_parameters; k++)
        safe[k] = problem->parameters[k].safe;
    bool third = !mst_tune_same_values(problem, untuned, safe) && !mst_tune_same_values(problem, untuned, before);
    MST_TRY(mst_tune_list(problem, how->seed, safe, before, untuned, &s.list, &s.n, error));
    found->candidates = s.n + (mst_tune_same_values(problem, safe, before) ? 1 : 2) + third;
    MST_TRY(problem->work->prepare(problem->user, how->seed, error));
    MST_TRY(try_known(&s, safe, before, error));
    if (!s.roles[BEFORE])
        s.roles[BEFORE] = s.roles[SAFE];
    if (third) // what was found for another size may be slower
        MST_TRY(try_values(&s, untuned, &unused, error));
    MST_TRY(try_candidates(&s, error));
    if (s.roles[BEST] != s.roles[BEFORE])
        MST_TRY(duel(&s, DUEL_ROUNDS, 2 * MOST_SECONDS, error));
    describe(&s, s.roles[BEST], found);
fail:
    end(&s);
    return status;
}

mst_status mst_tune_compare(const mst_tune_problem *problem, const mst_tuning *how, const int64_t *untuned, const int64_t *values,
                            mst_tune_found *found, mst_error *error) {
    mst_status status = MST_OK;
    search s = {.problem = problem, .how = how, .start = mst_now(), .found = found};
    int64_t safe[MST_TUNING_MAX_VALUES];
    test_run *tuned = NULL;
    memset(found, 0, sizeof *found);
    for (int k = 0; k < problem->n_parameters; k++)
        safe[k] = problem->parameters[k].safe;
    MST_TRY(problem->work->prepare(problem->user, how->seed, error));
    MST_TRY(try_known(&s, safe, untuned, error));
    if (mst_tune_same_values(problem, values, safe))
        tuned = s.roles[SAFE];
    else if (mst_tune_same_values(problem, values, untuned))
        tuned = s.roles[BEFORE];
    else
        MST_TRY(try_values(&s, values, &tuned, error));
    MST_REQUIRE(tuned, MST_ERROR_UNSUPPORTED, "the values that were found for %s do not work any more; tune it again",
                problem->variant);
    MST_REQUIRE(s.roles[BEFORE], MST_ERROR_UNSUPPORTED, "the values of an untuned device do not work for %s", problem->variant);
    s.roles[BEST] = tuned;
    MST_TRY(duel(&s, COMPARE_ROUNDS, how->seconds, error));
    describe(&s, tuned, found);
fail:
    end(&s);
    return status;
}
