// The rates that the model goes by, measured on the device.
#include "runtime/cache.h"
#include "runtime/program.h"
#include "solver.h"
#include "stencil/kernels/cutting.h"
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
    FEW = 4,         // copies
    LEAST_ROWS = 64, // of a tile
    PAGE = 4096,
    LENGTHS = 3, // of rows
    KINDS = 1 + 2 * LENGTHS,
    CONSTANT = 2, // the window of coefficient fields
    WINDOWS = 5,
    LEAST_BYTES = 1 << 20, // whatever the budget
    LEAST_SAMPLES = 4,
    KEPT_SECONDS = 24 * 3600,
    REVISION = 2 // of what rates mean
};

enum { UP, DOWN, BOTH, WAYS };

static const double SAMPLE_SECONDS = 5e-3; // about, of launches and copies that are short
static const double LEAST_SECONDS = 5e-2;  // of short samples together
static const double MOST_SECONDS = 1;      // of long ones
static const double WARM_SECONDS = 0.1;    // until a device that was idle runs at its clock

static uint64_t smaller(uint64_t a, uint64_t b) { return a < b ? a : b; }

// The lower quartile of times, which are sorted: who shares the machine makes some longer, none shorter, and a run never is as
// lucky as the least of them.
static double usual(double *seconds, int n) {
    mst_median(seconds, n);
    return seconds[n / 4];
}

// After n of them, since then: a few whatever they take, more in a second, and as many short ones as a moment holds.
static bool more_samples(int n, double since) {
    double seconds = mst_now() - since;
    return n < LEAST_SAMPLES || (n < SAMPLES && seconds < MOST_SECONDS) || (n < MOST_SAMPLES && seconds < LEAST_SECONDS);
}

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

// A part of the grid as large as the blocks of schedules are, of which the device holds five, since caches may hold less: planes
// fewer, away from faces, then columns.
static mst_box part_of(const mst_stencil *s) {
    mst_box box = mst_solver_grid(s);
    const mst_problem *p = &s->problem;
    uint64_t arrays = (uint64_t)(5 * p->n_arrays + 2 * p->n_coefficients);
    uint64_t most = CALIBRATION_BYTES / p->element * (s->context->device.type & CL_DEVICE_TYPE_GPU ? 4 : 1);
    uint64_t nodes = smaller(most, mst_budget_left(s->context, &s->context->device_memory) / arrays / p->element);
    uint64_t planes = smaller(p->grid[PLANES], nodes / p->plane);
    box.to[PLANES] = planes > 0 ? (int64_t)planes : 1;
    while ((uint64_t)(box.to[0] * box.to[1] * box.to[2]) > nodes && box.to[COLUMNS] > 1)
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

// From one window to another: two such pairs by turns, since some memory is slower than other for where it lies.
static const mst_window *pair_of(const mst_window w[WINDOWS], int sample) { return &w[sample % 2 ? CONSTANT + 1 : 0]; }

// The seconds of a launch, of so many one behind the other.
static mst_status time_launches(mst_stencil *s, const mst_stepper *stepper, const mst_window w[2], const mst_window *held,
                                const mst_box *box, int n, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    double start = mst_now();
    for (int l = 0; l < n; l++)
        MST_TRY(mst_stepper_enqueue(stepper, s->context->compute, &w[l % 2], &w[1 - l % 2], held, box, 1, 0, error));
    MST_TRY_CL(clFinish(s->context->compute), "cannot measure rates");
    *seconds = (mst_now() - start) / n;
fail:
    return status;
}

static mst_status warm_up(mst_stencil *s, const mst_window w[WINDOWS], const mst_box *box, mst_error *error) {
    mst_status status = MST_OK;
    double start = mst_now(), each;
    for (int n = 1; mst_now() - start < WARM_SECONDS; n = n < COMMANDS ? 2 * n : n)
        MST_TRY(time_launches(s, &s->steppers[0], w, &w[CONSTANT], box, n, &each, error));
fail:
    return status;
}

static double work_of(const mst_stepper *stepper, const mst_box *box) {
    double longer, work = mst_cutting_work(&stepper->tile, &stepper->pipeline, box, 1, &longer);
    return work * longer;
}

// A launch takes some time at its beginning and end whatever its size, which half of the box tells; and more where the host waits
// for it.
static mst_status measure_updates(mst_stencil *s, const mst_window w[WINDOWS], const mst_box *box, mst_rates *rates,
                                  mst_error *error) {
    mst_status status = MST_OK;
    mst_box boxes[2] = {*box, *box};
    double seconds[2][2][SAMPLES], waited[SAMPLES], begin = mst_now(); // of both kernels on both boxes
    int launches[2][2] = {{2, 2}, {2, 2}}, n = -1;
    boxes[1].to[PLANES] = (box->from[PLANES] + box->to[PLANES] + 1) / 2;
    bool halves = boxes[1].to[PLANES] < box->to[PLANES];
    for (; more_samples(n, begin) && n < SAMPLES; n++) {
        int sample = n < 0 ? 0 : n;
        const mst_window *pair = pair_of(w, sample), *held = &w[CONSTANT];
        for (int k = 0; k < 2; k++)
            for (int part = 0; part <= halves; part++) {
                double *each = &seconds[k][part][sample];
                MST_TRY(time_launches(s, &s->steppers[k], pair, held, &boxes[part], launches[k][part], each, error));
                launches[k][part] = (int)fmin(2 * COMMANDS, ceil(SAMPLE_SECONDS / *each));
            }
        MST_TRY(time_launches(s, &s->steppers[0], pair, held, box, 1, &waited[sample], error));
    }
    rates->wait = fmax(0, usual(waited, n) - usual(seconds[0][0], n));
    for (int k = 0; k < 2; k++) {
        double whole = usual(seconds[k][0], n), work = work_of(&s->steppers[k], box), launch = rates->launch[k];
        double half_work = halves ? work_of(&s->steppers[k], &boxes[1]) : work;
        if (work > 1.2 * half_work) // else the difference tells nothing
            launch = (usual(seconds[k][1], n) * work - whole * half_work) / (work - half_work);
        rates->launch[k] = fmax(0, fmin(launch, whole / 2)); // caches may hold the half and not the whole
        rates->update[k] = work / (whole - rates->launch[k]);
    }
fail:
    return status;
}

// Memory for the measurement of copies: pinned, for uploads and downloads, and ordinary. Pieces of it are copied by turns, as a
// run goes through its store, so that caches hold no more of them than they do then.
typedef struct copies {
    uint64_t bytes, piece, pieces; // bytes of each memory and of a copy
    unsigned char *up, *down, *ordinary;
} copies;

static mst_status finish_copies(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    cl_int up = clFinish(s->context->upload), down = clFinish(s->context->download);
    MST_TRY_CL(up, "cannot measure rates");
    MST_TRY_CL(down, "cannot measure rates");
fail:
    return status;
}

static mst_status enqueue_piece(mst_stencil *s, bool up, const mst_window w[2], const copies *c, int k, uint64_t bytes,
                                mst_error *error) {
    mst_status status = MST_OK;
    size_t first = (size_t)((uint64_t)k % c->pieces * c->piece);
    if (up)
        MST_TRY_CL(
            clEnqueueWriteBuffer(s->context->upload, w[0].buffers[0], CL_FALSE, 0, (size_t)bytes, c->up + first, 0, NULL, NULL),
            "cannot measure rates");
    else
        MST_TRY_CL(clEnqueueReadBuffer(s->context->download, w[1].buffers[0], CL_FALSE, 0, (size_t)bytes, c->down + first, 0,
                                       NULL, NULL),
                   "cannot measure rates");
    MST_TRY_CL(clFlush(up ? s->context->upload : s->context->download), "cannot measure rates");
fail:
    return status;
}

// A tile of about a piece's size in the store: the bytes of its rows and their distance. In three dimensions a row is what the
// tile has of one plane. Fewer rows where the memory is too small for all.
typedef struct tile {
    size_t row, rows, pitch;
} tile;

static tile tile_of(const mst_problem *p, const copies *c, double wider) {
    double unit = (double)((p->rank == 3 ? p->grid[COLUMNS] : 1) * p->element), side = sqrt((double)c->piece / unit);
    uint64_t pitch = smaller(p->plane * p->element, c->bytes / LEAST_ROWS / p->element * p->element);
    uint64_t row = smaller((uint64_t)(wider * side * unit), smaller(pitch, c->piece)) / p->element * p->element;
    row = row > 0 ? row : p->element;
    return (tile){.row = (size_t)row, .rows = (size_t)smaller(c->piece / row, c->bytes / pitch), .pitch = (size_t)pitch};
}

static mst_status enqueue_tile(mst_stencil *s, bool up, const mst_window w[2], const copies *c, int k, const tile *t,
                               mst_error *error) {
    mst_status status = MST_OK;
    const size_t zero[] = {0, 0, 0}, at[] = {(size_t)k % (t->pitch / t->row) * t->row, 0, 0}, region[] = {t->row, t->rows, 1};
    if (up)
        MST_TRY_CL(clEnqueueWriteBufferRect(s->context->upload, w[0].buffers[0], CL_FALSE, zero, at, region, t->row, 0, t->pitch,
                                            0, c->up, 0, NULL, NULL),
                   "cannot measure rates");
    else
        MST_TRY_CL(clEnqueueReadBufferRect(s->context->download, w[1].buffers[0], CL_FALSE, zero, at, region, t->row, 0, t->pitch,
                                           0, c->down, 0, NULL, NULL),
                   "cannot measure rates");
    MST_TRY_CL(clFlush(up ? s->context->upload : s->context->download), "cannot measure rates");
fail:
    return status;
}

// The seconds of a copy, of a few one behind the other, one way or both at once: of a tile, or of so many bytes in one piece.
static mst_status time_copy(mst_stencil *s, bool up, bool down, const mst_window w[2], const copies *c, int sample, const tile *t,
                            uint64_t bytes, double *seconds, mst_error *error) {
    mst_status status = MST_OK;
    int n = sample < 0 || *seconds > SAMPLE_SECONDS / FEW ? 1 : FEW;
    double start = mst_now();
    for (int k = 0; k < n; k++)
        for (int way = up ? 0 : 1; way < (down ? 2 : 1); way++)
            MST_TRY(t ? enqueue_tile(s, way == 0, w, c, (sample + 1) * n + k, t, error)
                      : enqueue_piece(s, way == 0, w, c, (sample + 1) * n + k, bytes, error));
    MST_TRY(finish_copies(s, error));
    *seconds = (mst_now() - start) / n;
fail:
    return status;
}

// Of the time of the shorter way, what both at once take longer than the longer one.
static double beside(double up, double down, double both) { return fmax(0, fmin(1, (both - fmax(up, down)) / fmin(up, down))); }

// A piece, then tiles and as many bytes as they have in one piece: up, down and both at once. What a row takes depends on its
// length in ways of the driver's own, so three lengths stand for all.
static mst_status time_copies(mst_stencil *s, const mst_window w[WINDOWS], const copies *c, mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    double samples[WAYS][KINDS][MOST_SAMPLES], seconds[WAYS][KINDS], begin = mst_now();
    tile tiles[LENGTHS];
    int n = -1; // the first calls may do work that none does after them
    for (int i = 0; i < LENGTHS; i++)
        tiles[i] = tile_of(&s->problem, c, ldexp(1, i - LENGTHS / 2));
    for (; more_samples(n, begin); n++)
        for (int kind = 0; kind < KINDS; kind++)
            for (int way = 0; way < WAYS; way++) {
                const tile *t = kind == 0 ? NULL : &tiles[(kind - 1) / 2];
                MST_TRY(time_copy(s, way != DOWN, way != UP, pair_of(w, n + 1), c, n, kind % 2 == 0 ? t : NULL,
                                  t ? t->row * t->rows : c->piece, &seconds[way][kind], error));
                if (n >= 0)
                    samples[way][kind][n] = seconds[way][kind];
            }
    for (int way = 0; way < WAYS; way++)
        for (int kind = 0; kind < KINDS; kind++)
            seconds[way][kind] = usual(samples[way][kind], n);
    rates->upload = (double)c->piece / seconds[UP][0];
    rates->download = (double)c->piece / seconds[DOWN][0];
    rates->beside[0] = beside(seconds[UP][0], seconds[DOWN][0], seconds[BOTH][0]);
    rates->row[0] = rates->row[1] = rates->beside[1] = 0;
    for (int i = 0; i < LENGTHS; i++) {
        const int flat = 1 + 2 * i, rows = 2 + 2 * i;
        for (int way = UP; way <= DOWN; way++)
            rates->row[way] += fmax(0, seconds[way][rows] - seconds[way][flat]) / (double)tiles[i].rows / LENGTHS;
        rates->beside[1] += beside(seconds[UP][rows], seconds[DOWN][rows], seconds[BOTH][rows]) / LENGTHS;
    }
    return MST_OK;
fail:
    finish_copies(s, NULL); // the queues may still work on what is to be released
    return status;
}

// From staging to a store that is not direct and back, while the device copies both ways.
static mst_status time_host(mst_stencil *s, const mst_window w[2], const copies *c, double *rate, mst_error *error) {
    mst_status status = MST_OK;
    double seconds[SAMPLES];
    size_t bytes = (size_t)c->bytes / 2; // the device has the first halves, the host the others
    const size_t shape[] = {bytes};
    const mst_transfer t = {mst_layout_dense(MST_UINT8, 1, shape), mst_at_host(c->ordinary), "the measurement of rates"};
    uint64_t piece = smaller(c->piece, bytes), pieces = smaller(COMMANDS, FEW * bytes / piece);
    for (int n = -1; n < SAMPLES; n++) {
        for (uint64_t k = 0; k < pieces; k++)
            for (int up = 0; up < 2; up++)
                MST_TRY(enqueue_piece(s, up, w, c, 0, piece, error));
        double start = mst_now();
        MST_TRY(mst_transfer_write(s->context->pool, &t, 0, bytes, c->down + bytes, error));
        MST_TRY(mst_transfer_read(s->context->pool, &t, 0, bytes, c->up + bytes, error));
        if (n >= 0)
            seconds[n] = mst_now() - start;
        MST_TRY(finish_copies(s, error));
    }
    *rate = 2 * (double)bytes / usual(seconds, SAMPLES);
    return MST_OK;
fail:
    finish_copies(s, NULL);
    return status;
}

static mst_status measure_copies(mst_stencil *s, const mst_window w[WINDOWS], uint64_t bytes, mst_rates *rates,
                                 mst_error *error) {
    mst_status status = MST_OK;
    bool direct = mst_store_is_direct(s->context, s->plan.store);
    uint64_t most = direct || s->context->device.unified_memory ? CALIBRATION_BYTES : HOST_BYTES;
    uint64_t array = s->problem.nodes * s->problem.element;
    most = smaller(most, array > LEAST_BYTES ? array : LEAST_BYTES);
    most = smaller(most, smaller(s->context->device.max_allocation_bytes / 2,
                                 mst_budget_left(s->context, &s->context->host_memory) / 3 + LEAST_BYTES));
    most -= most > PAGE ? most % PAGE : 0;
    copies c = {.bytes = most, .piece = smaller(bytes, most)};
    c.pieces = c.bytes / c.piece;
    void *pinned = NULL;
    rates->host = 0;
    MST_REQUIRE(c.ordinary = malloc((size_t)c.bytes), MST_ERROR_HOST_MEMORY, "out of memory measuring rates");
    memset(c.ordinary, 0, (size_t)c.bytes);
    MST_TRY(mst_pinned_create(s->context, 2 * c.bytes, &pinned, error));
    memset(pinned, 1, 2 * (size_t)c.bytes); // memory never written may be read from one page
    c.up = pinned;
    c.down = c.up + c.bytes;
    MST_TRY(time_copies(s, w, &c, rates, error));
    if (!direct)
        MST_TRY(time_host(s, w, &c, &rates->host, error));
fail:
    free(c.ordinary);
    mst_pinned_destroy(s->context, pinned);
    return status;
}

static mst_status measure_commands(mst_stencil *s, const mst_window w[WINDOWS], mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    const mst_box node = {{0, 0, 0}, {1, 1, 1}};
    static const double nothing = 0;
    double launched[SAMPLES], copied[SAMPLES];
    for (int sample = 0; sample < SAMPLES; sample++) {
        double start = mst_now();
        for (int k = 0; k < COMMANDS; k++)
            MST_TRY(mst_stepper_enqueue(&s->steppers[1], s->context->compute, &w[0], &w[1], &w[CONSTANT], &node, 1, 0, error));
        MST_TRY_CL(clFinish(s->context->compute), "cannot measure rates");
        double middle = mst_now();
        for (int k = 0; k < COMMANDS; k++)
            MST_TRY_CL(clEnqueueWriteBuffer(s->context->upload, w[0].buffers[0], CL_FALSE, 0, s->problem.element, &nothing, 0,
                                            NULL, NULL),
                       "cannot measure rates");
        MST_TRY_CL(clFinish(s->context->upload), "cannot measure rates");
        launched[sample] = (middle - start) / COMMANDS;
        copied[sample] = (mst_now() - middle) / COMMANDS;
    }
    rates->launch[0] = rates->launch[1] = usual(launched, SAMPLES);
    rates->copy = usual(copied, SAMPLES);
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
    char text[250];
    int length =
        snprintf(text, sizeof text,
                 "rates, revision %d, of %016llx%016llx on %lld to %lld of %lld x %lld x %lld of %lld, strips of %d, store %d",
                 REVISION, (unsigned long long)stepper->key.high, (unsigned long long)stepper->key.low, (long long)box->from[0],
                 (long long)box->to[0], (long long)s->problem.grid[0], (long long)box->to[1], (long long)box->to[2],
                 (long long)s->problem.grid[2], stepper->tile.choice.planes, (int)s->plan.store);
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
    mst_window windows[WINDOWS] = {{.planes = 0}};
    MST_TRY(mst_tables_take(&s->tables, (uint64_t)s->plan.fuse, error));
    for (int k = 0; k < WINDOWS; k++) {
        fit(&windows[k], &box);
        MST_TRY(take(s, bytes, k == CONSTANT ? p->n_coefficients : p->n_arrays, &windows[k], error));
    }
    MST_TRY(warm_up(s, windows, &box, error));
    MST_TRY(measure_commands(s, windows, rates, error));
    MST_TRY(measure_updates(s, windows, &box, rates, error));
    if (rates->upload == 0) // the same whatever the kernels
        MST_TRY(measure_copies(s, windows, bytes, rates, error));
    const kept_rates kept = {*rates, (int64_t)time(NULL)};
    if (keep)
        mst_cache_store(s->context, key, (const unsigned char *)&kept, sizeof kept);
fail:
    for (int k = 0; k < WINDOWS; k++)
        for (int a = 0; a < MST_STENCIL_MAX_ARRAYS; a++)
            mst_device_release(s->context, windows[k].buffers[a], bytes);
    return status;
}
