// Bricks that go through each iteration together. Between two of them the object lies in the host's memory, which does there what
// depends on all of it: steps of acceleration, and how much an iteration changes.
#include "bricks.h"

#include "runtime/numbers.h"
#include "runtime/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)1 << 16) // points that a thread takes at a time; sums are added in their order

// Sums over all points, as update_x in deconv.cl has them.
enum { SUM_CHANGE, SUM_ALL, SUM_PRODUCTS, SUM_SQUARES, N_SUMS };
typedef double sums[N_SUMS];

// Objects: before an iteration, after it, what it begins from where it is not the first (accelerated), and what it added to that.
enum { NOW, NEXT, BEGUN, STEP, N_OBJECTS };

typedef struct exact_run {
    mst_brick_run *run;
    bool is_double, accelerates, judges;
    size_t points;
    void *objects[N_OBJECTS];
    double alpha, unit;
    sums *of_chunks;
} exact_run;

static inline double get(const exact_run *e, int object, size_t i) {
    return e->is_double ? ((const double *)e->objects[object])[i] : (double)((const float *)e->objects[object])[i];
}

static inline void put(const exact_run *e, int object, size_t i, double value) {
    if (e->is_double)
        ((double *)e->objects[object])[i] = value;
    else
        ((float *)e->objects[object])[i] = (float)value;
}

static void exchange(exact_run *e) {
    void *now = e->objects[NOW];
    e->objects[NOW] = e->objects[NEXT];
    e->objects[NEXT] = now;
}

// ---- On the host

static mst_status fill_chunk(size_t chunk, void *user, mst_error *error) {
    const exact_run *e = user;
    const struct mst_bricks *b = e->run->plan->bricks;
    const double flat = e->run->plan->desc.start_value > 0 ? e->run->plan->desc.start_value : b->mean;
    const size_t end = mst_smaller((chunk + 1) * CHUNK, e->points);
    (void)error;
    for (size_t i = chunk * CHUNK; i < end; i++) {
        put(e, NOW, i, flat);
        if (e->accelerates)
            put(e, STEP, i, 0);
    }
    return MST_OK;
}

// NEXT is the object before NOW.
static mst_status predict_chunk(size_t chunk, void *user, mst_error *error) {
    const exact_run *e = user;
    const size_t end = mst_smaller((chunk + 1) * CHUNK, e->points);
    (void)error;
    for (size_t i = chunk * CHUNK; i < end; i++) {
        const double now = get(e, NOW, i);
        put(e, BEGUN, i, fmax(now + e->alpha * (now - get(e, NEXT, i)), 0));
    }
    return MST_OK;
}

static mst_status judge_chunk(size_t chunk, void *user, mst_error *error) {
    const exact_run *e = user;
    const size_t end = mst_smaller((chunk + 1) * CHUNK, e->points);
    sums all = {0};
    (void)error;
    for (size_t i = chunk * CHUNK; i < end; i++) {
        const double next = get(e, NEXT, i), change = (next - get(e, NOW, i)) * e->unit;
        all[SUM_CHANGE] += change * change;
        all[SUM_ALL] += next * e->unit * next * e->unit;
        if (e->accelerates) {
            const double step = next - get(e, BEGUN, i), last = get(e, STEP, i) * e->unit;
            all[SUM_PRODUCTS] += step * e->unit * last;
            all[SUM_SQUARES] += last * last;
            put(e, STEP, i, step);
        }
    }
    memcpy(e->of_chunks[chunk], all, sizeof all);
    return MST_OK;
}

static mst_status each_chunk(exact_run *e, mst_pool_fn body, mst_error *error) {
    return mst_pool_run(e->run->plan->context->pool, mst_divide_up(e->points, CHUNK), body, e, error);
}

// Whether the iteration changed less than is worth another.
static mst_status judge(exact_run *e, bool *done, mst_error *error) {
    mst_status status = MST_OK;
    sums all = {0};
    MST_TRY(each_chunk(e, judge_chunk, error));
    for (size_t chunk = 0; chunk < mst_divide_up(e->points, CHUNK); chunk++)
        for (int k = 0; k < N_SUMS; k++)
            all[k] += e->of_chunks[chunk][k];
    e->alpha = all[SUM_SQUARES] > 0 ? fmin(fmax(all[SUM_PRODUCTS] / all[SUM_SQUARES], 0), 1) : 0;
    *done = (all[SUM_ALL] > 0 ? sqrt(all[SUM_CHANGE] / all[SUM_ALL]) : 0) < e->run->plan->desc.tolerance;
fail:
    return status;
}

// ---- Over all bricks

// From one object to NEXT, by so many iterations.
static mst_status step(exact_run *e, int from, int iterations, mst_error *error) {
    struct mst_bricks *b = e->run->plan->bricks;
    e->run->given[ARRAY_START] = mst_at_host(e->objects[from]);
    e->run->given[ARRAY_RESULT] = mst_at_host(e->objects[NEXT]);
    mst_seams_forget(b->inner, b);
    b->inner->desc.iterations = iterations;
    mst_status status = mst_bricks_run_stream(e->run, b->inner->step, b->inner->ports, error);
    b->inner->desc.iterations = 1;
    return status;
}

static mst_status begin(exact_run *e, mst_error *error) {
    mst_status status = MST_OK;
    struct mst_bricks *b = e->run->plan->bricks;
    uint64_t bytes = mst_deconvolution_real_bytes(e->run->plan);
    e->points = 1;
    for (int side = 0; side < N_SIDES; side++)
        e->points *= mst_brick_object(e->run->plan, side); // padded, it was found to have a number
    bytes *= e->points;
    const int n = e->accelerates ? N_OBJECTS : 2;
    if (!b->objects.memory)
        MST_TRY(mst_scratch_take((uint64_t)n * bytes, "objects between iterations", &b->objects, error));
    for (int k = 0; k < n; k++)
        e->objects[k] = (char *)b->objects.memory + (uint64_t)k * bytes;
    e->unit = b->unit;
    if (e->judges)
        MST_REQUIRE(e->of_chunks = calloc(mst_divide_up(e->points, CHUNK), sizeof *e->of_chunks), MST_ERROR_HOST_MEMORY,
                    "out of memory for sums over %zu points", e->points);
    MST_TRY(each_chunk(e, fill_chunk, error));
    if (e->judges) { // where nothing is seen, there is no object: sums are to know that
        MST_TRY(step(e, NOW, 0, error));
        exchange(e);
    }
fail:
    return status;
}

mst_status mst_bricks_run_exact(mst_brick_run *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_deconvolution *plan = r->plan, *inner = plan->bricks->inner;
    const mst_location result = r->given[ARRAY_RESULT];
    exact_run e = {.run = r, .is_double = plan->is_double, .accelerates = plan->desc.accelerate != 0};
    e.judges = e.accelerates || plan->desc.tolerance > 0;
    const int from = e.accelerates ? BEGUN : NOW;
    bool done = false;
    MST_TRY(begin(&e, error));
    for (int k = 1;; k++) {
        if (e.accelerates)
            MST_TRY(each_chunk(&e, predict_chunk, error));
        if (k == plan->desc.iterations)
            break;
        MST_TRY(step(&e, from, 1, error));
        if (e.judges)
            MST_TRY(judge(&e, &done, error));
        if (done) { // it is the last one, again
            inner->done += (uint64_t)(plan->desc.iterations - k - 1) * inner->n_items;
            break;
        }
        exchange(&e);
    }
    mst_seams_forget(inner, plan->bricks);
    r->given[ARRAY_START] = mst_at_host(e.objects[from]);
    r->given[ARRAY_RESULT] = result;
fail:
    free(e.of_chunks);
    return status;
}
