// Measures the peers in one case, in turns: A, B, C, A, B, C, so that what changes with time changes for all.
#include "harness.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Of one execution, of `times` back to back; below zero if one fails.
static double sample(const bench_peer *peer, void *state, int times) {
    if (!peer->load(state))
        return -1;
    double start = now();
    bool done = peer->run(state, times);
    return done ? (now() - start) / times : -1;
}

static bench_result failed(const char *why) {
    bench_result r = {0};
    snprintf(r.why, sizeof r.why, "%s", why);
    return r;
}

// How many executions make a sample. The first was the warm-up.
static int calibrate(const bench_peer *peer, void *state, double least) {
    int times = 1;
    double seconds;
    while ((seconds = sample(peer, state, times)) >= 0 && seconds * times < least && times < 1 << 20) {
        double more = seconds > 0 ? 1.1 * least / seconds : 2.0 * times;
        times = more > 16.0 * times ? 16 * times : more > times + 1 ? (int)more : times + 1;
    }
    return times;
}

static void *prepare(const bench_peer *peer, const bench_job *job, const bench_reference *reference, bench_result *r) {
    double start = now();
    void *state = peer->create(job, r->why);
    double error;

    if (!state)
        return NULL;
    r->create_seconds = now() - start;
    if (sample(peer, state, 1) < 0) {
        *r = failed("the transform fails");
    } else if (isnan(error = reference_error(reference, peer, state))) {
        *r = failed("the result holds what is not a number");
    } else {
        r->done = true;
        r->error = error;
        r->wrong = error > (job->what.is_double ? 1e-9 : 1e-2);
        return state;
    }
    peer->destroy(state);
    return NULL;
}

static void summarize(bench_result *r, double *samples, int n) {
    r->seconds = cli_median(samples, n);
    r->least = samples[0];
    r->most = samples[n - 1];
    if (r->least < 0)
        *r = failed("an execution fails");
}

static void run_rounds(comparison *c, const bench_job *job, const bench_reference *reference, bench_result *results) {
    static double samples[MOST_PEERS][MOST_ROUNDS];
    void *states[MOST_PEERS];
    int times[MOST_PEERS];

    for (int p = 0; p < c->n_peers; p++) {
        states[p] = prepare(c->peers[p], job, reference, &results[p]);
        times[p] = states[p] ? calibrate(c->peers[p], states[p], c->options->sample_ms * 1e-3) : 0;
    }
    for (int round = 0; round < c->options->rounds; round++)
        for (int p = 0; p < c->n_peers; p++)
            if (states[p])
                samples[p][round] = sample(c->peers[p], states[p], times[p]);
    for (int p = 0; p < c->n_peers; p++)
        if (states[p]) {
            summarize(&results[p], samples[p], c->options->rounds);
            c->peers[p]->destroy(states[p]);
        }
}

bool measure_case(comparison *c, const bench_arrays *arrays, int number) {
    const bench_options *o = c->options;
    const bench_case *w = &o->cases[number];
    bench_job job = {
        c->bench->operation, *w,        case_bytes(w, false), case_bytes(w, true), (unsigned)o->n_threads, c->context,
        arrays->x,           arrays->y, arrays->output,       arrays->host_x,      arrays->host_y};
    bench_reference *reference = reference_create(&job);

    if (!reference)
        return false;
    run_rounds(c, &job, reference, c->results[number]);
    reference_destroy(reference);
    return true;
}
