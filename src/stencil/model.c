// The model of a run's time: rates measured on the device, and how a schedule adds them up.
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
    SAMPLES = 3,
    COMMANDS = 16,
    LEAST_BYTES = 1 << 20, // whatever the budget
    KEPT_SECONDS = 24 * 3600
};

static const double SAMPLE_SECONDS = 5e-3; // about, of launches that are short

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

// The seconds of a launch, one behind the other, and the work of it, with what leaves the device idle.
static mst_status time_updates(mst_stencil *s, const mst_stepper *stepper, const mst_window w[3], const mst_box *box,
                               double *least, double *work, mst_error *error) {
    mst_status status = MST_OK;
    double best = INFINITY;
    int launches = 1;
    for (int k = -2; k < SAMPLES; k++) {
        double start = mst_now();
        for (int l = 0; l < launches; l++)
            MST_TRY(mst_stepper_enqueue(stepper, s->context->compute, &w[l % 2], &w[1 - l % 2], &w[2], box, 1, 0, error));
        MST_TRY_CL(clFinish(s->context->compute), "cannot measure rates");
        double seconds = (mst_now() - start) / launches;
        best = k >= 0 && seconds < best ? seconds : best;
        if (k == -1) // the first call may do work that none does after it
            launches = (int)fmin(COMMANDS, ceil(SAMPLE_SECONDS / seconds));
    }
    double idle;
    *work = mst_stepper_work(stepper, box, 1, &idle);
    *work *= idle;
    *least = best;
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

// Memory for the measurement of copies: pinned, for an upload and a download, and ordinary.
typedef struct copies {
    uint64_t bytes; // of each
    unsigned char *up, *down;
    void *pinned, *ordinary;
} copies;

static mst_status time_copy(mst_stencil *s, bool up, cl_mem buffer, const copies *c, double *rate, mst_error *error) {
    mst_status status = MST_OK;
    size_t bytes = (size_t)c->bytes;
    double start = mst_now();
    if (up)
        MST_TRY_CL(clEnqueueWriteBuffer(s->context->upload, buffer, CL_TRUE, 0, bytes, c->up, 0, NULL, NULL),
                   "cannot measure rates");
    else
        MST_TRY_CL(clEnqueueReadBuffer(s->context->download, buffer, CL_TRUE, 0, bytes, c->down, 0, NULL, NULL),
                   "cannot measure rates");
    *rate = fmax(*rate, (double)bytes / (mst_now() - start));
fail:
    return status;
}

// From staging to a home that is not direct and back, while the device copies both ways.
static mst_status time_host(mst_stencil *s, const mst_window w[2], const copies *c, double *rate, mst_error *error) {
    mst_status status = MST_OK;
    size_t bytes = (size_t)c->bytes / 2; // the device has the first halves, the host the others
    const size_t shape[] = {bytes};
    const mst_transfer t = {mst_layout_dense(MST_UINT8, 1, shape), mst_at_host(c->ordinary), "the measurement of rates"};
    for (int k = 0; k < 4; k++) {
        MST_TRY_CL(clEnqueueWriteBuffer(s->context->upload, w[0].buffers[0], CL_FALSE, 0, bytes, c->up, 0, NULL, NULL),
                   "cannot measure rates");
        MST_TRY_CL(clEnqueueReadBuffer(s->context->download, w[1].buffers[0], CL_FALSE, 0, bytes, c->down, 0, NULL, NULL),
                   "cannot measure rates");
    }
    MST_TRY_CL(clFlush(s->context->upload), "cannot measure rates");
    MST_TRY_CL(clFlush(s->context->download), "cannot measure rates");
    double start = mst_now();
    MST_TRY(mst_transfer_write(s->context->pool, &t, 0, bytes, c->down + bytes, error));
    MST_TRY(mst_transfer_read(s->context->pool, &t, 0, bytes, c->up + bytes, error));
    *rate = fmax(*rate, 2 * (double)bytes / (mst_now() - start));
    MST_TRY_CL(clFinish(s->context->upload), "cannot measure rates");
    MST_TRY_CL(clFinish(s->context->download), "cannot measure rates");
    return MST_OK;
fail:
    // The queues may still work on what is to be released.
    clFinish(s->context->upload);
    clFinish(s->context->download);
    return status;
}

static mst_status measure_copies(mst_stencil *s, const mst_window w[2], uint64_t bytes, mst_rates *rates, mst_error *error) {
    mst_status status = MST_OK;
    bool direct = mst_home_is_direct(s->context, s->plan.home);
    uint64_t most = direct || s->context->device.unified_memory ? CALIBRATION_BYTES : HOST_BYTES;
    most = smaller(most, smaller(s->context->device.max_allocation_bytes / 2,
                                 mst_budget_left(s->context, &s->context->host_memory) / 3 + LEAST_BYTES));
    copies c = {.bytes = smaller(bytes, most)};
    rates->upload = rates->download = rates->host = 0;
    MST_REQUIRE(c.ordinary = malloc((size_t)c.bytes), MST_ERROR_HOST_MEMORY, "out of memory measuring rates");
    memset(c.ordinary, 0, (size_t)c.bytes);
    MST_TRY(mst_pinned_create(s->context, 2 * c.bytes, &c.pinned, error));
    memset(c.pinned, 1, 2 * (size_t)c.bytes); // memory never written may be read from one page
    c.up = c.pinned;
    c.down = c.up + c.bytes;
    for (int k = 0; k <= SAMPLES; k++) {
        if (k == 1) // the first calls may do work that none does after them
            rates->upload = rates->download = rates->host = 0;
        MST_TRY(time_copy(s, true, w[0].buffers[0], &c, &rates->upload, error));
        MST_TRY(time_copy(s, false, w[1].buffers[0], &c, &rates->download, error));
        if (!direct)
            MST_TRY(time_host(s, w, &c, &rates->host, error));
    }
fail:
    free(c.ordinary);
    mst_pinned_destroy(s->context, c.pinned);
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

mst_status mst_model_measure(mst_stencil *s, mst_rates *rates, mst_error *error) {
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

// What one trip of n steps moves and computes.
typedef struct trip {
    double upload, download; // bytes
    double seconds_computing, work;
    double blocks;
} trip;

static double box_nodes(const mst_box *box) {
    double n = 1;
    for (int axis = 0; axis < N_AXES; axis++)
        n *= (double)(box->to[axis] - box->from[axis]);
    return n;
}

// n steps of a box that may shrink from step to step, `shrink` times: the fused ones first.
static void add_steps(const mst_stencil *s, uint64_t n, const mst_box *box, const bool cut[N_AXES], int lanes, double times,
                      trip *t) {
    uint64_t full = n / s->plan.fuse, single = n % s->plan.fuse;
    while (full + single > 0) {
        int which = full > 0 ? 0 : 1;
        full -= which == 0;
        single -= which == 1;
        mst_box grown = *box;
        for (int axis = 0; axis < N_AXES; axis++) {
            const mst_pipeline *m = &s->steppers[0].pipeline, *one = &s->steppers[1].pipeline;
            int64_t more = (int64_t)full * (m->low[axis] + m->high[axis]) + (int64_t)single * (one->low[axis] + one->high[axis]);
            int64_t whole = (int64_t)s->problem.grid[axis];
            if (cut[axis])
                grown.to[axis] += more;
            if (!mst_problem_periodic(&s->problem, axis) && grown.to[axis] - grown.from[axis] > whole)
                grown.to[axis] = grown.from[axis] + whole;
        }
        double idle, work = mst_stepper_work(&s->steppers[which], &grown, lanes, &idle) * times;
        t->work += work;
        t->seconds_computing +=
            work * idle / (which == 0 ? s->rates.fused : s->rates.single) + (lanes > 1 ? 0 : s->rates.launch * times);
    }
}

static trip trip_of(const mst_stencil *s, const mst_stencil_plan *plan, uint64_t n) {
    trip t = {.blocks = 1};
    const mst_problem *p = &s->problem;
    const bool none[N_AXES] = {false, false, false};
    bool cut[N_AXES] = {false, false, false};
    double arrays = p->n_arrays, constants = p->n_constants, element = (double)p->element;
    mst_box box = mst_solver_grid(s);
    if (plan->schedule == MST_STENCIL_IN_CORE) {
        add_steps(s, n, &box, none, 1, 1, &t);
        return t;
    }
    for (int k = 0; k < (plan->schedule == MST_STENCIL_PYRAMID_TILES ? 2 : 1) && k < p->rank; k++) {
        int axis = mst_problem_axis(p->rank, k);
        if (plan->block < p->grid[axis]) {
            t.blocks *= (double)p->grid[axis] / (double)plan->block;
            box.to[axis] = (int64_t)plan->block;
            cut[axis] = true;
        }
    }
    t.download = arrays * (double)p->nodes * element;
    t.upload = (arrays + constants) * (double)p->nodes * element;
    if (plan->schedule == MST_STENCIL_SKEWED) {
        add_steps(s, n, &box, none, s->lanes, t.blocks, &t);
        return t;
    }
    mst_box big = box;
    uint64_t full = n / s->plan.fuse, single = n % s->plan.fuse;
    for (int axis = 0; axis < N_AXES; axis++)
        if (cut[axis])
            for (int which = 0; which < 2; which++)
                big.to[axis] += (int64_t)(which ? single : full) *
                                (s->steppers[which].pipeline.low[axis] + s->steppers[which].pipeline.high[axis]);
    t.upload *= box_nodes(&big) / box_nodes(&box);
    add_steps(s, n, &box, cut, 1, t.blocks, &t);
    return t;
}

// The seconds of `trips` trips one behind the other. On a device that works in the host's memory, copies and kernels share the
// cores; a home that is not direct is copied by the host as well.
static double trip_seconds(const mst_stencil *s, const mst_stencil_plan *plan, const trip *t, double trips) {
    double arrays = s->problem.n_arrays, constants = s->problem.n_constants, compute = t->seconds_computing;
    double up = t->upload / s->rates.upload + t->blocks * (arrays + constants) * s->rates.copy;
    double down = t->download / s->rates.download + t->blocks * arrays * s->rates.copy;
    bool shared = s->context->device.unified_memory;
    double host = mst_home_is_direct(s->context, plan->home) ? 0 : (t->upload + t->download) / s->rates.host;
    if (plan->schedule == MST_STENCIL_IN_CORE)
        return trips * compute;
    if (!s->overlap)
        return trips * (up + down + compute + host);
    double units = (double)s->context->device.compute_units;
    // Both directions at once are a little slower than each alone, and who copies for the host waits for events, too.
    double steady = shared ? compute + (up + down + host) / fmin(2, units) : fmax(1.1 * fmax(fmax(up, down), host), compute);
    double lanes = plan->schedule == MST_STENCIL_SKEWED ? s->lanes : 1; // a slab takes as many times as long
    double fill = (up + lanes * compute + down + host - steady) / t->blocks;
    return trips * steady + fmax(0, fill);
}

void mst_model_predict(const mst_stencil *s, uint64_t steps, mst_stencil_plan *plan) {
    const mst_problem *p = &s->problem;
    uint64_t n = mst_plan_trip(plan, steps), trips = n > 0 ? steps / n : 0, rest = steps - trips * n;
    const trip whole = trip_of(s, plan, n), last = trip_of(s, plan, rest);
    bool moves = plan->schedule != MST_STENCIL_IN_CORE;
    plan->seconds =
        (trips > 0 ? trip_seconds(s, plan, &whole, (double)trips) : 0) + (rest > 0 ? trip_seconds(s, plan, &last, 1) : 0);
    plan->upload_bytes = (uint64_t)((double)trips * whole.upload + (rest > 0 ? last.upload : 0));
    plan->download_bytes = (uint64_t)((double)trips * whole.download + (rest > 0 ? last.download : 0));
    double work = (double)trips * whole.work + last.work, needed = (double)p->nodes * (double)steps;
    plan->duplicated = needed > 0 ? work / needed - 1 : 0;
    plan->device_bytes = mst_plan_device_bytes(s, plan);
    plan->state_bytes = moves ? mst_home_bytes(p, mst_plan_copies(plan->schedule)) : mst_home_bytes(p, 1);
    plan->host_bytes = moves && plan->home != MST_STENCIL_HOME_FILE ? plan->state_bytes : 0;
}
