#include "model.h"

#include "runtime/numbers.h"
#include "stencil/kernels/cutting.h"
#include "stencil/scheme/layers.h"

#include <math.h>
#include <string.h>

// By which the threads of a CPU begin and end a launch of sweeps apart, in seconds. What is measured of launches of next to
// nothing is less.
static const double CPU_LAUNCH = 25e-6;

// What one trip moves and computes.
typedef struct trip {
    double upload, download;           // bytes
    double upload_rows, download_rows; // of rectangular copies
    double seconds_computing, work;
    double blocks;
} trip;

typedef struct model {
    const mst_plan_inputs *in;
    const mst_kernel_pair *pair;
    const mst_plan *plan;
    mst_forecast_boxes *boxes;
    double inside[N_AXES]; // of the sides of the blocks of overlapped tiling, the part that lies within the grid
} model;

mst_rates mst_rates_assumed(const mst_plan_inputs *in) {
    const double update = in->limits.is_gpu ? 5e8 * (double)in->tile_limits.units : 2e8 * (double)in->tile_limits.units;
    return (mst_rates){.upload = 1e10,
                       .download = 1e10,
                       .host = 5e9,
                       .row = {1e-8, 1e-8},
                       .beside = {0.1, 0.1},
                       .copy = 1e-5,
                       .update = {update, update},
                       .launch = {1e-5, 1e-5},
                       .wait = 1e-5};
}

uint64_t mst_plan_trip(const mst_plan *plan, uint64_t steps) {
    if (steps <= plan->depth || (plan->schedule != MST_STENCIL_SKEWED && plan->schedule != MST_STENCIL_SKEWED_SWEEPS))
        return mst_smaller(steps, plan->depth);
    uint64_t n = mst_divide_up(steps, mst_divide_up(steps, plan->depth));
    return mst_smaller(mst_round_up(n, (uint64_t)plan->fuse), plan->depth);
}

static double box_nodes(const mst_box *box) {
    return (double)mst_box_side(box, PLANES) * (double)mst_box_side(box, ROWS) * (double)mst_box_side(box, COLUMNS);
}

// Gives a box its side along an axis. It lies in the middle of the grid, as most blocks touch no face.
static void set_side(const model *m, int axis, int64_t side, mst_box *box) {
    int64_t whole = (int64_t)m->in->problem->grid[axis];
    if (!mst_problem_periodic(m->in->problem, axis))
        side = mst_smaller(side, whole);
    box->from[axis] = side > whole ? 0 : (whole - side) / 2;
    box->to[axis] = box->from[axis] + side;
}

// What is computed of a block when so many launches of m steps and so many of one step are still to come: the block, and around
// it what those reach, as far as the grid has it beside an average block.
static mst_box widened(const model *m, uint64_t full, uint64_t single, const mst_box *block) {
    const mst_pipeline *many = &m->pair->pipelines[0], *one = &m->pair->pipelines[1];
    mst_box box = *block;
    for (int axis = 0; axis < N_AXES; axis++) {
        int64_t more =
            (int64_t)full * (many->low[axis] + many->high[axis]) + (int64_t)single * (one->low[axis] + one->high[axis]);
        set_side(m, axis, mst_box_side(block, axis) + (int64_t)(m->inside[axis] * (double)more), &box);
    }
    return box;
}

// What a kernel computes for a box. The sides of a box tell where it lies (set_side), so they are the key.
static double work_of(const model *m, int kernel, const mst_box *box, int queues, double *longer) {
    const int64_t key[] = {1 + kernel + 2 * queues, mst_box_side(box, PLANES), mst_box_side(box, ROWS),
                           mst_box_side(box, COLUMNS)};
    uint64_t hash = 0;
    for (int k = 0; k <= N_AXES; k++)
        hash = (hash ^ (uint64_t)key[k]) * 0x9E3779B97F4A7C15U;
    const size_t i = (size_t)(hash >> 32) % MST_FORECAST_BOXES;
    if (memcmp(m->boxes->boxes[i].key, key, sizeof key) != 0) {
        memcpy(m->boxes->boxes[i].key, key, sizeof key);
        m->boxes->boxes[i].work =
            mst_cutting_work(&m->pair->tiles[kernel], &m->pair->pipelines[kernel], box, queues, &m->boxes->boxes[i].longer);
    }
    *longer = m->boxes->boxes[i].longer;
    return m->boxes->boxes[i].work;
}

static bool can_widen(const model *m, const mst_box *box) {
    for (int axis = 0; axis < N_AXES; axis++)
        if (m->inside[axis] > 0 &&
            (mst_problem_periodic(m->in->problem, axis) || mst_box_side(box, axis) < (int64_t)m->in->problem->grid[axis]))
            return true;
    return false;
}

// Adds n steps of `times` blocks, from the last launch to the first: launches of one step come after those of m steps.
static void add_steps(const model *m, uint64_t n, const mst_box *block, int queues, double times, trip *t) {
    const uint64_t counts[] = {n / m->pair->m, n % m->pair->m};
    for (int kernel = 1; kernel >= 0; kernel--)
        for (uint64_t k = 0, same; k < counts[kernel]; k += same) {
            const mst_box box = widened(m, kernel ? 0 : k, kernel ? k : counts[1], block);
            double longer, work = work_of(m, kernel, &box, queues, &longer) * times;
            same = can_widen(m, &box) ? 1 : counts[kernel] - k;
            t->work += work * (double)same;
            t->seconds_computing +=
                (work * longer / m->in->rates.update[kernel] + (queues > 1 ? 0 : m->in->rates.launch[kernel] * times)) *
                (double)same;
        }
}

// Cuts the grid into blocks. The slabs of time skewing go on from one trip to the next, so none of them is shorter than the
// others.
static void cut(model *m, mst_box *block, trip *t) {
    const mst_problem *p = m->in->problem;
    const bool skewed = m->plan->schedule == MST_STENCIL_SKEWED;
    for (int k = 0; k < (m->plan->schedule == MST_STENCIL_PYRAMID_TILES ? 2 : 1) && k < p->rank; k++) {
        int axis = mst_problem_axis(p->rank, k);
        uint64_t nodes = p->grid[axis], count = mst_divide_up(nodes, m->plan->block);
        if (count == 1)
            continue;
        t->blocks *= skewed ? (double)nodes / (double)m->plan->block : (double)count;
        set_side(m, axis, (int64_t)(skewed ? m->plan->block : mst_divide_up(nodes, count)), block);
        if (!skewed)
            m->inside[axis] = mst_problem_periodic(p, axis) ? 1 : (double)(count - 1) / (double)count;
    }
}

static void add_copies(const model *m, uint64_t n, const mst_box *block, trip *t) {
    const mst_problem *p = m->in->problem;
    const double state = p->n_arrays, all = state + p->n_coefficients, nodes = (double)p->nodes;
    const mst_box big = widened(m, n / m->pair->m, n % m->pair->m, block);
    t->download = (double)mst_layers_state_bytes(p);
    t->upload = (t->download + (double)p->coefficient_node_bytes * nodes) * (box_nodes(&big) / box_nodes(block));
    if (m->inside[p->rank == 2 ? COLUMNS : ROWS] > 0) {
        t->upload_rows = t->blocks * all * (double)mst_box_side(&big, PLANES);
        t->download_rows = t->blocks * state * (double)mst_box_side(block, PLANES);
    }
}

static trip trip_of(model *m, uint64_t n) {
    trip t = {.blocks = 1};
    mst_box block = mst_plan_grid(m->in->problem);
    memset(m->inside, 0, sizeof m->inside);
    if (m->plan->schedule != MST_STENCIL_IN_CORE) {
        cut(m, &block, &t);
        add_copies(m, n, &block, &t);
    }
    add_steps(m, n, &block, m->plan->schedule == MST_STENCIL_SKEWED ? m->plan->queues : 1, t.blocks, &t);
    return t;
}

// The seconds of so many trips, one behind the other.
static double trip_seconds(const model *m, const trip *t, double trips) {
    const mst_rates *r = &m->in->rates;
    double state = m->in->problem->n_arrays, all = state + m->in->problem->n_coefficients, compute = t->seconds_computing;
    if (m->plan->schedule == MST_STENCIL_IN_CORE)
        return trips * compute;
    double up = t->upload / r->upload + t->blocks * all * r->copy + t->upload_rows * r->row[0];
    double down = t->download / r->download + t->blocks * state * r->copy + t->download_rows * r->row[1];
    double host = m->plan->is_direct ? 0 : (t->upload + t->download) / r->host; // by which the host copies as well
    if (!m->plan->overlap) // the host waits for each block's upload, kernels and download
        return trips * (up + down + compute + 3 * t->blocks * r->wait + host);
    // The thread that copies for the host also waits for events.
    double copies = fmax(fmax(up, down) + r->beside[t->upload_rows > 0] * fmin(up, down), 1.1 * host);
    double steady = fmax(copies, compute);
    if (m->in->limits.unified_memory) // copies and kernels share the cores
        steady = compute + (up + down + host) / fmin(2, (double)m->in->tile_limits.units);
    double queues = m->plan->schedule == MST_STENCIL_SKEWED ? m->plan->queues : 1; // a slab takes as many times as long
    double fill = (up + queues * compute + down + host - steady) / t->blocks;
    return trips * steady + fmax(0, fill);
}

// A trip of skewed sweeps is over before the next one begins, and for a part of it nothing comes up, or goes down.
static double ring_seconds(const model *m, uint64_t n, trip *t) {
    const mst_plane_ring *ring = &m->plan->ring;
    const mst_rates *r = &m->in->rates;
    const mst_problem *p = m->in->problem;
    const int64_t sweeps = (int64_t)n * m->pair->sweeps.n;
    const double planes = (double)p->grid[PLANES], lag = (double)(sweeps * ring->lag),
                 slabs = (double)mst_ring_slabs(ring, sweeps);
    const double more = ring->periodic ? lag / planes : 0; // of what is computed, on average; twice as much comes up
    const double arrays = p->n_arrays - p->n_memories, nodes = (double)p->nodes, rate = r->sweep > 0 ? r->sweep : r->update[1];
    const uint64_t moved = mst_ring_node_bytes(p);
    t->upload = (double)(moved + p->coefficient_node_bytes) * nodes * (1 + 2 * more);
    t->download = (double)moved * nodes;
    t->work = nodes * (double)n * (1 + more);
    const double up = t->upload / r->upload + slabs * (arrays + p->n_coefficients) * r->copy;
    const double down = t->download / r->download + slabs * arrays * r->copy;
    const double host = m->plan->is_direct ? 0 : (t->upload + t->download) / r->host;
    const double launches = planes / (double)ring->block * (double)sweeps + slabs * (arrays + p->n_coefficients); // and margins
    const double launch = m->in->limits.is_gpu ? r->launch[1] : fmax(r->launch[1], CPU_LAUNCH);
    const double compute = t->work / rate + launches * launch;
    if (!m->plan->overlap)
        return up + down + compute + 3 * slabs * r->wait + host;
    if (m->in->limits.unified_memory)
        return compute + (up + down + host) / fmin(2, (double)m->in->tile_limits.units);
    const double alone = fmin(1, lag / planes), copies = fmax(up, down) + (alone + (1 - alone) * r->beside[0]) * fmin(up, down);
    const double steady = fmax(fmax(copies, 1.1 * host), compute);
    return steady + (up + compute + down + host - steady) / slabs;
}

static mst_forecast forecast_ring(const model *m, uint64_t steps) {
    const uint64_t n = mst_plan_trip(m->plan, steps), rest = n > 0 ? steps % n : 0;
    const double trips = n > 0 ? (double)(steps / n) : 0, needed = (double)m->in->problem->nodes * (double)steps;
    trip whole = {.blocks = 1}, last = whole;
    mst_forecast f = {.seconds = trips > 0 ? trips * ring_seconds(m, n, &whole) : 0};
    f.seconds += rest > 0 ? ring_seconds(m, rest, &last) : 0;
    f.upload_bytes = trips * whole.upload + last.upload;
    f.download_bytes = trips * whole.download + last.download;
    f.duplicated = needed > 0 ? (trips * whole.work + last.work) / needed - 1 : 0;
    return f;
}

static mst_forecast forecast_sweeps(const mst_plan_inputs *in, uint64_t steps) {
    const double rate = in->rates.sweep > 0 ? in->rates.sweep : in->rates.update[1];
    return (mst_forecast){.seconds = (double)in->problem->nodes * (double)steps / rate};
}

// Steps from one look to the next, whose trips none goes on beyond.
static mst_forecast forecast_trips(model *m, uint64_t steps) {
    const mst_plan *plan = m->plan;
    if (plan->schedule == MST_STENCIL_SKEWED_SWEEPS)
        return forecast_ring(m, steps);
    const uint64_t n = mst_plan_trip(plan, steps), rest = n > 0 ? steps % n : 0;
    const double trips = n > 0 ? (double)(steps / n) : 0, needed = (double)m->in->problem->nodes * (double)steps;
    const trip whole = trip_of(m, n), last = trip_of(m, rest);
    mst_forecast f = {.seconds = trips > 0 ? trip_seconds(m, &whole, trips) : 0};
    f.seconds += rest > 0 ? trip_seconds(m, &last, 1) : 0;
    f.upload_bytes = trips * whole.upload + (rest > 0 ? last.upload : 0);
    f.download_bytes = trips * whole.download + (rest > 0 ? last.download : 0);
    f.duplicated = needed > 0 ? (trips * whole.work + last.work) / needed - 1 : 0;
    return f;
}

mst_forecast mst_model_forecast(const mst_plan_inputs *in, const mst_kernel_pair *pair, const mst_plan *plan, uint64_t steps,
                                mst_forecast_boxes *boxes) {
    model m = {.in = in, .pair = pair, .plan = plan, .boxes = boxes};
    const uint64_t interval = mst_plan_interval(in), rest = steps % interval;
    if (plan->schedule == MST_STENCIL_SWEEPS)
        return forecast_sweeps(in, steps);
    if (steps <= interval)
        return forecast_trips(&m, steps);
    const mst_forecast between = forecast_trips(&m, interval), last = forecast_trips(&m, rest);
    const double looks = (double)(steps / interval), part = (double)rest / (double)steps;
    return (mst_forecast){.seconds = looks * between.seconds + last.seconds,
                          .upload_bytes = looks * between.upload_bytes + last.upload_bytes,
                          .download_bytes = looks * between.download_bytes + last.download_bytes,
                          .duplicated = (1 - part) * between.duplicated + part * last.duplicated};
}
