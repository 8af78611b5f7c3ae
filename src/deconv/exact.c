// Bricks that go through each iteration together. Between two of them the object lies in the host's memory, which does there what
// depends on all of it: steps of acceleration, how much an iteration changes, and what it misses of the image.
#include "bricks.h"

#include "runtime/numbers.h"
#include "stream/transfer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK ((size_t)1 << 16) // points that a thread takes at a time; sums are added in their order

// Sums over all points, as update_x in richardson_lucy.cl has them.
enum { SUM_CHANGE, SUM_ALL, SUM_PRODUCTS, SUM_SQUARES, N_SUMS };
typedef double sums[N_SUMS];

// Objects: before an iteration, after it, what it begins from where it is not the first (accelerated), and what it added to that.
enum { NOW, NEXT, BEGUN, STEP, N_OBJECTS };

typedef struct exact_run {
    mst_brick_run *run;
    bool is_double, accelerates, judges;
    double change;       // of the last iteration
    mst_location result; // the caller's
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

typedef struct given_start {
    const exact_run *run;
    mst_location where; // of the image at hand
} given_start;

// A value that is no number, or below 0, is no object's.
static mst_status check_start(const exact_run *e, size_t row, size_t x, double value, mst_error *error) {
    const mst_deconvolution *plan = e->run->plan;
    const size_t place[] = {row / plan->whole[Y], row % plan->whole[Y], x};
    const bool finite = isfinite(value);
    char text[80];
    int n = 0;
    if (finite && value >= 0)
        return MST_OK;
    for (int side = N_SIDES - plan->desc.n_axes; side < N_SIDES; side++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%zu", n > 0 ? ", " : "", place[side]);
    return mst_fail(error, MST_ERROR_ARGUMENT, "start %s at [%s] of item %zu%s",
                    finite ? "is below 0" : "has a value that is not finite:", text, plan->bricks->image,
                    finite ? "; an object has no negative light" : "");
}

// A row of the start, in NOW, which is flat beyond it.
static mst_status start_row(size_t row, void *user, mst_error *error) {
    mst_status status = MST_OK;
    const given_start *g = user;
    const mst_deconvolution *plan = g->run->run->plan, *inner = plan->bricks->inner;
    const mst_layout *own = &plan->desc.start;
    const size_t z = row / plan->whole[Y], y = row % plan->whole[Y], n = plan->whole[X], bytes = n * mst_type_bytes(own->type),
                 last = (size_t)own->rank - 1;
    const int64_t at = (plan->desc.n_axes > 2 ? (int64_t)z * own->strides[last - 2] : 0) +
                       (plan->desc.n_axes > 1 ? (int64_t)y * own->strides[last - 1] : 0);
    mst_transfer t = {{own->type, 1, {n}, {own->strides[last]}}, g->where, "start", NULL};
    const size_t to = ((z + inner->cut.pad[Z]) * mst_brick_object(plan, Y) + y + inner->cut.pad[Y]) * mst_brick_object(plan, X) +
                      inner->cut.pad[X];
    if (t.where.place == MST_PLACE_HOST)
        t.where.host = (unsigned char *)t.where.host + at * (int64_t)mst_type_bytes(own->type);
    else
        t.where.offset = (uint64_t)((int64_t)t.where.offset + at * (int64_t)mst_type_bytes(own->type));
    void *values = malloc(bytes);
    MST_REQUIRE(values, MST_ERROR_HOST_MEMORY, "out of memory for a row of the start");
    MST_TRY(mst_transfer_read(plan->context->pool, &t, 0, bytes, values, error));
    for (size_t x = 0; x < n; x++) {
        const double value = mst_type_number(own->type, values, x);
        MST_TRY(check_start(g->run, row, x, value, error));
        put(g->run, NOW, to + x, value);
    }
fail:
    free(values);
    return status;
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
    e->change = all[SUM_ALL] > 0 ? sqrt(all[SUM_CHANGE] / all[SUM_ALL]) : 0;
    *done = e->change < e->run->plan->desc.tolerance;
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
    b->missed[0] = b->missed[1] = 0;
    mst_status status = mst_bricks_run_stream(e->run, b->inner->stream, b->inner->ports, error);
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
    if (e->run->plan->desc.start.rank > 0) {
        given_start given = {e, e->run->given[ARRAY_START]};
        MST_TRY(
            mst_pool_run(e->run->plan->context->pool, e->run->plan->whole[Z] * e->run->plan->whole[Y], start_row, &given, error));
    }
    MST_TRY(step(e, NOW, 0, error)); // where nothing is seen, there is no object: halos and sums are to know that
    exchange(e);
fail:
    return status;
}

static mst_status tell(const exact_run *e, int iteration, mst_error *error) {
    const mst_deconvolution_desc *d = &e->run->plan->desc;
    const struct mst_bricks *b = e->run->plan->bricks;
    const mst_deconvolution_state state = {.struct_size = sizeof state,
                                           .item = b->image,
                                           .iteration = iteration,
                                           .iterations = d->iterations,
                                           .residual = b->missed[1] > 0 ? sqrt(b->missed[0] / b->missed[1]) : 0,
                                           .change = e->change};
    if (!d->watch || d->watch(&state, d->watch_user))
        return MST_OK;
    return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
}

// The part of NEXT that is the image's, to the caller's array.
static mst_status write_result(exact_run *e, mst_error *error) {
    mst_status status = MST_OK;
    const mst_deconvolution *plan = e->run->plan;
    const mst_layout *own = &plan->desc.result;
    const size_t *pad = plan->bricks->inner->cut.pad, *whole = plan->whole, last = (size_t)own->rank - 1;
    const size_t real = mst_deconvolution_real_bytes(plan), pitch = mst_brick_object(plan, X), rows = mst_brick_object(plan, Y);
    mst_layout slice = {own->type, 1, {whole[X]}, {own->strides[last]}};
    if (plan->desc.n_axes > 1)
        slice = (mst_layout){own->type, 2, {whole[Y], whole[X]}, {own->strides[last - 1], own->strides[last]}};
    for (size_t z = 0; z < whole[Z]; z++) {
        const int64_t at = plan->desc.n_axes > 2 ? (int64_t)(z * real) * own->strides[last - 2] : 0;
        mst_transfer t = {slice, e->result, "result", NULL};
        if (t.where.place == MST_PLACE_HOST)
            t.where.host = (unsigned char *)t.where.host + at;
        else
            t.where.offset = (uint64_t)((int64_t)t.where.offset + at);
        MST_TRY(mst_transfer_write_rows(plan->context->pool, &t, whole[X] * real, pitch * real,
                                        (char *)e->objects[NEXT] + (((z + pad[Z]) * rows + pad[Y]) * pitch + pad[X]) * real,
                                        error));
    }
fail:
    return status;
}

mst_status mst_bricks_run_exact(mst_brick_run *r, mst_error *error) {
    mst_status status = MST_OK;
    mst_deconvolution *plan = r->plan, *inner = plan->bricks->inner;
    exact_run e = {.run = r, .is_double = plan->is_double, .accelerates = plan->desc.accelerate != 0};
    const int from = e.accelerates ? BEGUN : NOW, last = plan->desc.iterations;
    bool done = false;
    e.result = r->given[ARRAY_RESULT];
    e.judges = mst_deconvolution_judges(plan);
    plan->bricks->measures = plan->desc.watch != NULL;
    MST_TRY(begin(&e, error));
    for (int k = 1; k <= last && !done; k++) {
        if (k > 1)
            exchange(&e);
        if (e.accelerates)
            MST_TRY(each_chunk(&e, predict_chunk, error));
        MST_TRY(step(&e, from, 1, error));
        if (e.judges)
            MST_TRY(judge(&e, &done, error));
        MST_TRY(tell(&e, k, error));
        if (done)
            inner->done += (uint64_t)(last - k) * inner->n_items;
    }
    MST_TRY(write_result(&e, error));
fail:
    free(e.of_chunks);
    return status;
}
