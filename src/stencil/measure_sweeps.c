// The rate of sweeps, and whether it is better to stagger them.
#include "measure_parts.h"
#include "runtime/numbers.h"
#include "schedules/schedule.h"
#include "stencil/scheme/layers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PART_BYTES = 64 << 20, KEPT_SECONDS = 24 * 3600, REVISION = 8, SAMPLES = 5, MOST_STEPS = 4096 };

static const double SAMPLE_SECONDS = 1e-2, MOST_SECONDS = 1;

typedef struct kept_rate {
    double rate, computing;
    mst_stagger stagger; // with which it was measured
    int64_t when;
} kept_rate;

static bool key_of(const mst_sweeper *s, const mst_problem *part, mst_cache_key *key) {
    char text[300];
    uint64_t in_layers[N_AXES];
    for (int axis = 0; axis < N_AXES; axis++) {
        const mst_layer_nodes nodes = mst_layers_nodes(part, axis);
        in_layers[axis] = part->grid[axis] - (uint64_t)(nodes.high - nodes.low);
    }
    const int length =
        snprintf(text, sizeof text,
                 "rate of sweeps, revision %d, of %016llx%016llx by %lld units on %llu times %llu x %llu x %llu, %llu x %llu x "
                 "%llu in layers",
                 REVISION, (unsigned long long)s->key.high, (unsigned long long)s->key.low, (long long)mst_sweeper_units(s),
                 (unsigned long long)part->grids, (unsigned long long)part->grid[PLANES], (unsigned long long)part->grid[ROWS],
                 (unsigned long long)part->grid[COLUMNS], (unsigned long long)in_layers[PLANES],
                 (unsigned long long)in_layers[ROWS], (unsigned long long)in_layers[COLUMNS]);
    return s->has_key && mst_cache_make_key(s->context, text, (size_t)length, "rate", key);
}

static bool load(mst_sweeper *s, mst_cache_key key, mst_rates *rates) {
    size_t size = 0;
    kept_rate kept = {.rate = 0};
    unsigned char *payload = mst_cache_load(s->context, key, &size);
    if (payload && size == sizeof kept)
        memcpy(&kept, payload, sizeof kept);
    free(payload);
    const int64_t age = (int64_t)time(NULL) - kept.when;
    if (!(kept.rate > 0) || age < 0 || age >= KEPT_SECONDS)
        return false;
    rates->sweep = kept.rate;
    rates->computing = kept.computing;
    mst_sweeper_take_way(s, &kept.stagger);
    return true;
}

static void keep(const mst_sweeper *s, mst_cache_key key, const mst_rates *rates) {
    kept_rate kept;
    memset(&kept, 0, sizeof kept);
    kept.rate = rates->sweep;
    kept.computing = rates->computing;
    kept.stagger = s->stagger;
    kept.when = (int64_t)time(NULL);
    mst_cache_store(s->context, key, (const unsigned char *)&kept, sizeof kept);
}

// As many planes of the grid as a part of the memory holds. False: not even one.
static bool find_part(const mst_sweeper *s, mst_problem *part) {
    const mst_problem *p = s->sweeps.problem;
    const int axis = p->rank == 1 ? COLUMNS : PLANES;
    const uint64_t arrays = (uint64_t)(p->n_arrays + s->sweeps.n_spares + p->n_coefficients);
    const uint64_t of_array =
        mst_smaller(s->context->device.max_allocation_bytes, mst_budget_left(s->context, &s->context->device_memory) / arrays);
    const uint64_t most =
        mst_smaller((uint64_t)PART_BYTES * (s->context->device.type & CL_DEVICE_TYPE_GPU ? 4 : 1), of_array / 2);
    *part = *p;
    uint64_t *length = p->has_grids ? &part->grids : &part->grid[axis];
    const uint64_t slice = p->nodes / *length;
    *length = mst_smaller(*length, mst_larger(most / p->element / slice, (uint64_t)1));
    part->nodes = slice * *length;
    part->n_sources = part->n_feeds = part->n_regions = part->n_points = part->n_records = 0;
    return mst_sweeps_make(part, s->sweeps.shape, s->sweeps.vector_bytes).padded.elements <= of_array / p->element;
}

static mst_status time_steps(const mst_sweeper *s, mst_sweep_state *state, int n, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    mst_queue queue = MST_QUEUE(s->context, s->context->compute);
    queue.shares = s->shares;
    const double start = mst_now();
    for (int k = 0; k < n; k += (int)s->stagger.steps) // the tables hold one trip
        MST_TRY(mst_sweeper_steps(s, &queue, state, mst_smaller((uint64_t)(n - k), (uint64_t)s->stagger.steps), 0, error));
    MST_TRY(mst_queue_finish(&queue, error));
    *seconds = (mst_now() - start) / n;
fail:
    mst_queue_release(&queue);
    return status;
}

// Steps of a sample of a way: whole trips, about as many as SAMPLE_SECONDS take.
static mst_status find_steps(const mst_sweeper *s, mst_sweep_state *state, int *steps, mst_error *error) {
    mst_status status = MST_OK;
    double each = 0, start;
    const int trip = (int)s->stagger.steps;
    int n = trip;
    mst_queue queue = MST_QUEUE(s->context, s->context->compute);
    const mst_sweep_part all = mst_sweeps_whole(&s->sweeps);
    MST_TRY(mst_sweeper_fill_margins(s, &queue, state, 0, &all, error));
    MST_TRY(mst_queue_finish(&queue, error));
    MST_TRY(time_steps(s, state, 1, &each, error)); // drivers compile at the first launch
    start = mst_now();
    do {
        MST_TRY(time_steps(s, state, n, &each, error));
        n = (int)fmin(MOST_STEPS, ceil(SAMPLE_SECONDS / each / trip) * trip);
    } while (each * n < SAMPLE_SECONDS / 2 && n < MOST_STEPS && mst_now() - start < MOST_SECONDS);
    *steps = n;
fail:
    mst_queue_release(&queue);
    return status;
}

static void say(const mst_sweeper *s, double rate) {
    mst_log(s->context, MST_LOG_DEBUG, "measured: sweeps, %lld step%s a pass%s, on %llu nodes: %.3g node-steps/s",
            (long long)s->stagger.steps, s->stagger.steps == 1 ? "" : "s",
            s->stagger.tiles       ? " in tiles"
            : s->stagger.steps > 1 ? " by launches"
                                   : "",
            (unsigned long long)s->sweeps.problem->nodes, rate);
}

// What the best rate would be if memory took no time, by those of the plain way and of one with k steps a pass, whose seconds a
// step are C + M and C + M / k: up to twice as much. 0: there is no such way.
static double computing_rate(double best, double plain, double several, int64_t k) {
    const double seconds = k > 1 ? ((double)k / several - 1 / plain) / (double)(k - 1) : 0;
    return k > 1 ? 1 / fmin(fmax(seconds, 0.5 / best), 1 / best) : 0;
}

// The rates of all ways, which take turns: what other programs take of the machine for a while is taken of all of them.
static mst_status measure_in_turns(mst_sweeper *s, mst_sweep_state *state, double rates[MST_SWEEPER_WAYS], mst_error *error) {
    mst_status status = MST_OK;
    double seconds[MST_SWEEPER_WAYS][SAMPLES];
    int steps[MST_SWEEPER_WAYS], n = 0;
    for (int k = 0; k < s->n_ways; k++) {
        s->stagger = s->ways[k];
        MST_TRY(find_steps(s, state, &steps[k], error));
    }
    for (const double start = mst_now(); n < SAMPLES && (n == 0 || mst_now() - start < MOST_SECONDS * s->n_ways); n++)
        for (int k = 0; k < s->n_ways; k++) {
            s->stagger = s->ways[k];
            MST_TRY(time_steps(s, state, steps[k], &seconds[k][n], error));
        }
    for (int k = 0; k < s->n_ways; k++)
        rates[k] = (double)s->sweeps.problem->nodes / mst_measure_usual(seconds[k], n);
fail:
    return status;
}

// All ways, of which the fastest is taken.
static mst_status measure_ways(mst_sweeper *s, mst_sweep_state *state, mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    double measured[MST_SWEEPER_WAYS] = {0};
    int best = 0;
    s->ways[0] = mst_sweeper_plain(s);
    MST_TRY(measure_in_turns(s, state, measured, error));
    for (int k = 0; k < s->n_ways; k++) {
        s->stagger = s->ways[k];
        say(s, measured[k]);
        best = measured[k] > measured[best] ? k : best;
    }
    rates->sweep = measured[best];
    rates->computing = computing_rate(measured[best], measured[0], measured[s->n_ways - 1], s->ways[s->n_ways - 1].steps);
    s->stagger = s->ways[best];
fail:
    return status;
}

mst_status mst_sweeps_measure(mst_sweeper *sweeper, mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    static const mst_point_list no_points = {.n = 0};
    mst_problem part;
    mst_sweep_state state = {.arrays = {NULL}};
    mst_cache_key key;
    if (!find_part(sweeper, &part))
        return MST_OK;
    const bool keeps = key_of(sweeper, &part, &key);
    if (keeps && load(sweeper, key, rates))
        return MST_OK;
    mst_sweeper s = *sweeper;
    s.points = &no_points;
    s.sweeps = mst_sweeps_make(&part, sweeper->sweeps.shape, sweeper->sweeps.vector_bytes);
    s.sweeps.copies_margins = sweeper->sweeps.copies_margins;
    s.sweeps.in_tiles = sweeper->sweeps.in_tiles;
    memcpy(s.sweeps.points_of, sweeper->sweeps.points_of, sizeof s.sweeps.points_of);
    if (s.sweeps.in_tiles && s.n_ways > 1)
        MST_TRY(mst_sweeper_find_ways(&s, error));
    MST_TRY(mst_sweeping_take(s.context, &s.sweeps, "the measurement of rates", true, &state, error));
    MST_TRY(measure_ways(&s, &state, rates, error));
    mst_sweeper_take_way(sweeper, &s.stagger);
    if (keeps)
        keep(sweeper, key, rates);
fail:
    mst_sweeping_give(sweeper->context, &s.sweeps, &state);
    return status;
}
