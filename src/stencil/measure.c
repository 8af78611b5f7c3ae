// The rates that the model goes by, measured on the device. Medians: where others share the machine, the least of some times is
// what a run does not reach.
#include "runtime/cache.h"
#include "runtime/program.h"
#include "solver.h"
#include "stream/transfer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    CALIBRATION_BYTES = 64 << 20,
    HOST_BYTES = 160 << 20, // so that three arrays of them fit few caches
    SAMPLES = 11,
    MOST_SAMPLES = 99,
    COMMANDS = 16,
    LEAST_BYTES = 1 << 20, // whatever the budget
    KEPT_SECONDS = 24 * 3600
};

static const double SAMPLE_SECONDS = 5e-3; // about, of launches that are short
static const double LEAST_SECONDS = 5e-2;  // of short samples together
static const double WARM_SECONDS = 0.1;    // until a device that was idle runs at its clock

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

static mst_status take(mst_stencil *s, uint64_t bytes, int n, mst_window *w, mst_error *error) {
    mst_status status = MST_OK;
    const cl_float zero = 0;
    for (int a = 0; a < n; a++) {
        MST_TRY(mst_device_allocate(s->context, CL_MEM_READ_WRITE, bytes, "the measurement of rates", &w->buffers[a], error));
        // Memory never written may not be backed by memory of its own yet.
        MST_TRY_CL(clEnqueueFillBuffer(s->context->compute, w->buffers[a], &zero, sizeof zero, 0, (size_t)bytes, 0, NULL, NULL),
                   "cannot measure rates");
    }
fail:
    return status;
}

// A part of the grid that the device holds twice, for the measurement: planes fewer, away from faces, then columns.
static mst_box part_of(const mst_stencil *s) {
    mst_box box = mst_solver_grid(s);
    const mst_problem *p = &s->problem;
    uint64_t arrays = (uint64_t)(2 * p->n_arrays + p->n_constants);
    uint64_t left = mst_budget_left(s->context, &s->context->device_memory) / 2 / arrays / p->element;
    uint64_t most = CALIBRATION_BYTES / p->element * (s->context->device.type & CL_DEVICE_TYPE_GPU ? 4 : 1);
    left = left < most ? left : most;
    while ((uint64_t)(box.to[0] * box.to[1] * box.to[2]) > left && box.to[PLANES] > 1)
        box.to[PLANES] = (box.to[PLANES] + 1) / 2;
    while ((uint64_t)(box.to[0] * box.to[1] * box.to[2]) > left && box.to[COLUMNS] > 1)
        box.to[COLUMNS] = (box.to[COLUMNS] + 1) / 2;
    box.from[PLANES] = ((int64_t)p->grid[PLANES] - box.to[PLANES]) / 2;
    box.to[PLANES] += box.from[PLANES];
    return box;
}

// The window's own edges stand for the grid's: what lies beyond wraps around in it.
static void fit(mst_window *w, const mst_box *box) {
    w->planes = box->to[PLANES] - box->from[PLANES];
    w->rows = box->to[ROWS];
    w->columns = box->to[COLUMNS];
}

static mst_status warm_up(mst_stencil *s, const mst_window w[3], const mst_box *box, mst_error *error) {
    mst_status status = MST_OK;
    double start = mst_now();
    do {
        for (int l = 0; l < COMMANDS; l++)
            MST_TRY(mst_stepper_enqueue(&s->steppers[0], s->context->compute, &w[l % 2], &w[1 - l % 2], &w[2], box, 1, 0, error));
        MST_TRY_CL(clFinish(s->context->compute), "cannot measure rates");
    } while (mst_now() - start < WARM_SECONDS);
fail:
    return status;
}

// The seconds of a launch, one behind the other, and the work of it, with what leaves the device idle.
static mst_status time_updates(mst_stencil *s, const mst_stepper *stepper, const mst_window w[3], const mst_box *box,
                               double *median, double *work, mst_error *error) {
    mst_status status = MST_OK;
    double seconds[SAMPLES], idle;
    int launches = 1;
    for (int k = -2; k < SAMPLES; k++) {
        double start = mst_now();
        for (int l = 0; l < launches; l++)
            MST_TRY(mst_stepper_enqueue(stepper, s->context->compute, &w[l % 2], &w[1 - l % 2], &w[2], box, 1, 0, error));
        MST_TRY_CL(clFinish(s->context->compute), "cannot measure rates");
        double each = (mst_now() - start) / launches;
        if (k >= 0)
            seconds[k] = each;
        else if (k == -1) // the first call may do work that none does after it
            launches = (int)fmin(2 * COMMANDS, ceil(SAMPLE_SECONDS / each));
    }
    *work = mst_stepper_work(stepper, box, 1, &idle);
    *work *= idle;
    *median = mst_median(seconds, SAMPLES);
fail:
    return status;
}

// On a GPU a launch takes some time at its beginning and end whatever its size, which half of the box tells.
static mst_status measure_updates(mst_stencil *s, const mst_window w[3], const mst_box *box, mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    double single, single_work, whole, work, half, half_work;
    mst_box part = *box;
    MST_TRY(time_updates(s, &s->steppers[1], w, box, &single, &single_work, error));
    rates->single = single_work / single;
    MST_TRY(time_updates(s, &s->steppers[0], w, box, &whole, &work, error));
    rates->fused = work / whole;
    part.to[PLANES] = (box->from[PLANES] + box->to[PLANES] + 1) / 2;
    if (s->plan.shape == MST_STENCIL_SHAPE_CPU || part.to[PLANES] == box->to[PLANES])
        return MST_OK;
    MST_TRY(time_updates(s, &s->steppers[0], w, &part, &half, &half_work, error));
    double rate = (work - half_work) / (whole - half), launch = whole - work / rate;
    if (launch > rates->launch && launch < whole / 2) { // else the times vary too much
        rates->fused = rate;
        rates->single = single_work / fmax(single - launch, single / 2);
        rates->launch = launch;
    }
fail:
    return status;
}

// Memory for the measurement of copies: pinned, for uploads and downloads, and ordinary. Pieces of it are copied by turns, as a
// run goes through its home, so that caches hold no more of them than they do then.
typedef struct copies {
    uint64_t bytes, piece, pieces; // bytes of each memory and of a copy
    unsigned char *up, *down, *ordinary;
} copies;

static mst_status finish_copies(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    MST_TRY_CL(clFinish(s->context->upload), "cannot measure rates");
    MST_TRY_CL(clFinish(s->context->download), "cannot measure rates");
fail:
    return status;
}

static mst_status enqueue_piece(mst_stencil *s, bool up, const mst_window w[2], const copies *c, uint64_t k, uint64_t bytes,
                                mst_error *error) {
    mst_status status = MST_OK;
    size_t first = (size_t)(k % c->pieces * c->piece);
    if (up)
        MST_TRY_CL(clEnqueueWriteBuffer(s->context->upload, w[0].buffers[0], CL_FALSE, 0, (size_t)bytes, c->up + first, 0, NULL,
                                        NULL),
                   "cannot measure rates");
    else
        MST_TRY_CL(clEnqueueReadBuffer(s->context->download, w[1].buffers[0], CL_FALSE, 0, (size_t)bytes, c->down + first, 0,
                                       NULL, NULL),
                   "cannot measure rates");
    MST_TRY_CL(clFlush(up ? s->context->upload : s->context->download), "cannot measure rates");
fail:
    return status;
}

// What a tile of that size is in the home: so many rows, in three dimensions of a plane's rows, at a distance.
typedef struct tile {
    size_t row, rows, pitch;
} tile;

static tile tile_of(const mst_problem *p, const copies *c) {
    double unit = (double)(p->rank == 3 ? p->grid[COLUMNS] : 1) * (double)p->element;
    tile t = {.rows = (size_t)fmax(1, floor(sqrt((double)c->piece / unit)))};
    t.row = (size_t)(c->piece / t.rows / p->element * p->element);
    size_t grid = (size_t)(p->plane * p->element), room = (size_t)c->bytes / t.rows / p->element * p->element;
    t.pitch = grid < room ? grid : room;
    t.pitch = t.pitch > t.row ? t.pitch : t.row;
    return t;
}

static mst_status enqueue_tile(mst_stencil *s, bool up, const mst_window w[2], const copies *c, uint64_t k, mst_error *error) {
    mst_status status = MST_OK;
    const tile t = tile_of(&s->problem, c);
    const size_t zero[] = {0, 0, 0}, at[] = {(size_t)k % (t.pitch / t.row) * t.row, 0, 0}, region[] = {t.row, t.rows, 1};
    if (up)
        MST_TRY_CL(clEnqueueWriteBufferRect(s->context->upload, w[0].buffers[0], CL_FALSE, zero, at, region, t.row, 0, t.pitch, 0,
                                            c->up, 0, NULL, NULL),
                   "cannot measure rates");
    else
        MST_TRY_CL(clEnqueueReadBufferRect(s->context->download, w[1].buffers[0], CL_FALSE, zero, at, region, t.row, 0, t.pitch, 0,
                                           c->down, 0, NULL, NULL),
                   "cannot measure rates");
fail:
    return status;
}

// Seconds of a piece, and of a tile of that size, one direction at a time.
static mst_status time_copies(mst_stencil *s, const mst_window w[2], const copies *c, bool tiles, double median[2],
                              mst_error *error) {
    mst_status status = MST_OK;
    double seconds[2][MOST_SAMPLES], begin = mst_now();
    int n = -1;
    for (; n < SAMPLES || (n < MOST_SAMPLES && mst_now() - begin < LEAST_SECONDS); n++)
        for (int down = 0; down < 2; down++) {
            double start = mst_now();
            MST_TRY(tiles ? enqueue_tile(s, !down, w, c, (uint64_t)(n + 1), error)
                          : enqueue_piece(s, !down, w, c, (uint64_t)(n + 1), c->piece, error));
            MST_TRY(finish_copies(s, error));
            if (n >= 0) // the first calls may do work that none does after them
                seconds[down][n] = mst_now() - start;
        }
    for (int down = 0; down < 2; down++)
        median[down] = mst_median(seconds[down], n);
    return MST_OK;
fail:
    finish_copies(s, NULL); // the queues may still work on what is to be released
    return status;
}

// From staging to a home that is not direct and back, while the device copies both ways.
static mst_status time_host(mst_stencil *s, const mst_window w[2], const copies *c, double *rate, mst_error *error) {
    mst_status status = MST_OK;
    double seconds[SAMPLES];
    size_t bytes = (size_t)c->bytes / 2; // the device has the first halves, the host the others
    const size_t shape[] = {bytes};
    const mst_transfer t = {mst_layout_dense(MST_UINT8, 1, shape), mst_at_host(c->ordinary), "the measurement of rates"};
    for (int n = -1; n < SAMPLES; n++) {
        for (int k = 0; k < 4; k++)
            for (int up = 0; up < 2; up++)
                MST_TRY(enqueue_piece(s, up, w, c, 0, smaller(c->piece, bytes), error));
        double start = mst_now();
        MST_TRY(mst_transfer_write(s->context->pool, &t, 0, bytes, c->down + bytes, error));
        MST_TRY(mst_transfer_read(s->context->pool, &t, 0, bytes, c->up + bytes, error));
        if (n >= 0)
            seconds[n] = mst_now() - start;
        MST_TRY(finish_copies(s, error));
    }
    *rate = 2 * (double)bytes / mst_median(seconds, SAMPLES);
    return MST_OK;
fail:
    finish_copies(s, NULL);
    return status;
}

static mst_status measure_copies(mst_stencil *s, const mst_window w[2], uint64_t bytes, mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    bool direct = mst_home_is_direct(s->context, s->plan.home);
    uint64_t most = direct || s->context->device.unified_memory ? CALIBRATION_BYTES : HOST_BYTES;
    most = smaller(most, smaller(s->context->device.max_allocation_bytes / 2,
                                 mst_budget_left(s->context, &s->context->host_memory) / 3 + LEAST_BYTES));
    double seconds[2], tiles[2];
    copies c = {.piece = smaller(bytes, most)};
    c.pieces = most / c.piece;
    c.bytes = c.pieces * c.piece;
    void *pinned = NULL;
    rates->host = 0;
    MST_REQUIRE(c.ordinary = malloc((size_t)c.bytes), MST_ERROR_HOST_MEMORY, "out of memory measuring rates");
    memset(c.ordinary, 0, (size_t)c.bytes);
    MST_TRY(mst_pinned_create(s->context, 2 * c.bytes, &pinned, error));
    memset(pinned, 1, 2 * (size_t)c.bytes); // memory never written may be read from one page
    c.up = pinned;
    c.down = c.up + c.bytes;
    MST_TRY(time_copies(s, w, &c, false, seconds, error));
    MST_TRY(time_copies(s, w, &c, true, tiles, error));
    const tile t = tile_of(&s->problem, &c);
    double share = (double)t.row * (double)t.rows / (double)c.piece;
    for (int down = 0; down < 2; down++)
        rates->row[down] = fmax(0, tiles[down] - share * seconds[down]) / (double)t.rows;
    rates->upload = (double)c.piece / seconds[0];
    rates->download = (double)c.piece / seconds[1];
    if (!direct)
        MST_TRY(time_host(s, w, &c, &rates->host, error));
fail:
    free(c.ordinary);
    mst_pinned_destroy(s->context, pinned);
    return status;
}

static mst_status measure_commands(mst_stencil *s, const mst_window w[3], mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    const mst_box node = {{0, 0, 0}, {1, 1, 1}};
    const double nothing = 0;
    rates->launch = rates->copy = INFINITY;
    for (int sample = 0; sample < SAMPLES; sample++) {
        double start = mst_now();
        for (int k = 0; k < COMMANDS; k++)
            MST_TRY(mst_stepper_enqueue(&s->steppers[1], s->context->compute, &w[0], &w[1], &w[2], &node, 1, 0, error));
        MST_TRY_CL(clFinish(s->context->compute), "cannot measure rates");
        double middle = mst_now();
        for (int k = 0; k < COMMANDS; k++)
            MST_TRY_CL(clEnqueueWriteBuffer(s->context->upload, w[0].buffers[0], CL_FALSE, 0, s->problem.element, &nothing, 0,
                                            NULL, NULL),
                       "cannot measure rates");
        MST_TRY_CL(clFinish(s->context->upload), "cannot measure rates");
        rates->launch = fmin(rates->launch, (middle - start) / COMMANDS);
        rates->copy = fmin(rates->copy, (mst_now() - middle) / COMMANDS);
    }
fail:
    return status;
}

// What the cache keeps of a measurement.
typedef struct kept_rates {
    mst_rates rates;
    int64_t when;
} kept_rates;

static bool key_of(const mst_stencil *s, const mst_box *box, mst_cache_key *key) {
    const mst_stepper *stepper = &s->steppers[0];
    char text[200];
    int length = snprintf(text, sizeof text,
                          "rates of %016llx%016llx on %lld to %lld of %lld x %lld x %lld of %lld, strips of %d, home %d",
                          (unsigned long long)stepper->key.high, (unsigned long long)stepper->key.low, (long long)box->from[0],
                          (long long)box->to[0], (long long)s->problem.grid[0], (long long)box->to[1], (long long)box->to[2],
                          (long long)s->problem.grid[2], stepper->choice.planes, (int)s->plan.home);
    return stepper->has_key && mst_cache_make_key(s->context, text, (size_t)length, "rates", key);
}

static bool load_rates(mst_stencil *s, mst_cache_key key, mst_rates *rates) {
    size_t size = 0;
    kept_rates kept;
    unsigned char *payload = mst_cache_load(s->context, key, &size);
    bool good = payload && size == sizeof kept;
    if (good)
        memcpy(&kept, payload, sizeof kept);
    free(payload);
    int64_t age = good ? (int64_t)time(NULL) - kept.when : 0;
    good = good && age >= 0 && age < KEPT_SECONDS;
    if (good)
        *rates = kept.rates;
    return good;
}

mst_status mst_rates_measure(mst_stencil *s, mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    const mst_box box = part_of(s);
    mst_cache_key key;
    bool keep = key_of(s, &box, &key);
    if (keep && load_rates(s, key, rates))
        return MST_OK;
    uint64_t bytes = (uint64_t)((box.to[0] - box.from[0]) * box.to[1] * box.to[2]) * p->element;
    mst_window windows[3] = {{.planes = 0}};
    MST_TRY(mst_tables_take(&s->tables, (uint64_t)s->plan.fuse, error));
    for (int k = 0; k < 3; k++) {
        fit(&windows[k], &box);
        MST_TRY(take(s, bytes, k < 2 ? p->n_arrays : p->n_constants, &windows[k], error));
    }
    MST_TRY(warm_up(s, windows, &box, error));
    MST_TRY(measure_commands(s, windows, rates, error));
    MST_TRY(measure_updates(s, windows, &box, rates, error));
    MST_TRY(measure_copies(s, windows, bytes, rates, error));
    const kept_rates kept = {*rates, (int64_t)time(NULL)};
    if (keep)
        mst_cache_store(s->context, key, (const unsigned char *)&kept, sizeof kept);
fail:
    for (int k = 0; k < 3; k++)
        for (int a = 0; a < MST_STENCIL_MAX_ARRAYS; a++)
            mst_device_release(s->context, windows[k].buffers[a], bytes);
    return status;
}
