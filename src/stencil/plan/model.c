// The model of a run's time: how a schedule adds up the rates that were measured.
#include "stencil/kernels/cutting.h"
#include "stencil/solver.h"

#include <math.h>

// What one trip of n steps moves and computes.
typedef struct trip {
    double upload, download;           // bytes
    double upload_rows, download_rows; // of rectangular copies
    double seconds_computing, work;
    double blocks;
} trip;

static double box_nodes(const mst_box *box) {
    double n = 1;
    for (int axis = 0; axis < N_AXES; axis++)
        n *= (double)(box->to[axis] - box->from[axis]);
    return n;
}

// In the middle of the grid, as most blocks touch no face.
static void set_side(const mst_stencil *s, int axis, int64_t side, mst_box *box) {
    int64_t whole = (int64_t)s->problem.grid[axis];
    if (!mst_problem_periodic(&s->problem, axis) && side > whole)
        side = whole;
    box->from[axis] = side > whole ? 0 : (whole - side) / 2;
    box->to[axis] = box->from[axis] + side;
}

// By how much a box is wider at first for n steps: as much of what they reach as there is of it for a block of the grid, on
// average.
static void widen(const mst_stencil *s, uint64_t full, uint64_t single, const double inside[N_AXES], mst_box *box) {
    const mst_pipeline *m = &s->steppers[0].pipeline, *one = &s->steppers[1].pipeline;
    for (int axis = 0; axis < N_AXES; axis++) {
        int64_t more = (int64_t)full * (m->low[axis] + m->high[axis]) + (int64_t)single * (one->low[axis] + one->high[axis]);
        set_side(s, axis, box->to[axis] - box->from[axis] + (int64_t)(inside[axis] * (double)more), box);
    }
}

// n steps of a box that shrinks from step to step to that size, so many times: the fused ones first.
static void add_steps(const mst_stencil *s, uint64_t n, const mst_box *box, const double inside[N_AXES], int lanes, double times,
                      trip *t) {
    uint64_t full = n / s->plan.fuse, single = n % s->plan.fuse;
    while (full + single > 0) {
        int which = full > 0 ? 0 : 1;
        full -= which == 0;
        single -= which == 1;
        mst_box grown = *box;
        widen(s, full, single, inside, &grown);
        const mst_stepper *stepper = &s->steppers[which];
        double longer, work = mst_cutting_work(&stepper->tile, &stepper->pipeline, &grown, lanes, &longer) * times;
        t->work += work;
        t->seconds_computing += work * longer / s->rates.update[which] + (lanes > 1 ? 0 : s->rates.launch[which] * times);
    }
}

static trip trip_of(const mst_stencil *s, const mst_stencil_plan *plan, uint64_t n) {
    trip t = {.blocks = 1};
    const mst_problem *p = &s->problem;
    const double none[N_AXES] = {0, 0, 0};
    double inside[N_AXES] = {0, 0, 0}; // of the blocks' sides, the part that lies in the grid
    double arrays = p->n_arrays, constants = p->n_coefficients, element = (double)p->element;
    mst_box box = mst_solver_grid(s);
    if (plan->schedule == MST_STENCIL_IN_CORE) {
        add_steps(s, n, &box, none, 1, 1, &t);
        return t;
    }
    for (int k = 0; k < (plan->schedule == MST_STENCIL_PYRAMID_TILES ? 2 : 1) && k < p->rank; k++) {
        int axis = mst_problem_axis(p->rank, k);
        if (plan->block < p->grid[axis]) {
            uint64_t count = (p->grid[axis] + plan->block - 1) / plan->block;
            bool skewed = plan->schedule == MST_STENCIL_SKEWED; // whose slabs go on from trip to trip
            t.blocks *= skewed ? (double)p->grid[axis] / (double)plan->block : (double)count;
            set_side(s, axis, (int64_t)(skewed ? plan->block : (p->grid[axis] + count - 1) / count), &box);
            inside[axis] = mst_problem_periodic(p, axis) ? 1 : (double)(count - 1) / (double)count;
        }
    }
    t.download = arrays * (double)p->nodes * element;
    t.upload = (arrays + constants) * (double)p->nodes * element;
    if (plan->schedule == MST_STENCIL_SKEWED) {
        add_steps(s, n, &box, none, s->lanes, t.blocks, &t);
        return t;
    }
    mst_box big = box;
    widen(s, n / s->plan.fuse, n % s->plan.fuse, inside, &big);
    t.upload *= box_nodes(&big) / box_nodes(&box);
    if (inside[p->rank == 2 ? COLUMNS : ROWS] > 0) {
        t.upload_rows = t.blocks * (arrays + constants) * (double)(big.to[PLANES] - big.from[PLANES]);
        t.download_rows = t.blocks * arrays * (double)(box.to[PLANES] - box.from[PLANES]);
    }
    add_steps(s, n, &box, inside, 1, t.blocks, &t);
    return t;
}

// The seconds of `trips` trips one behind the other. On a device that works in the host's memory, copies and kernels share the
// cores; a store that is not direct is copied by the host as well.
static double trip_seconds(const mst_stencil *s, const mst_stencil_plan *plan, const trip *t, double trips) {
    double arrays = s->problem.n_arrays, constants = s->problem.n_coefficients, compute = t->seconds_computing;
    double up = t->upload / s->rates.upload + t->blocks * (arrays + constants) * s->rates.copy + t->upload_rows * s->rates.row[0];
    double down = t->download / s->rates.download + t->blocks * arrays * s->rates.copy + t->download_rows * s->rates.row[1];
    bool shared = s->context->device.unified_memory;
    double host = mst_store_is_direct(s->context, plan->store) ? 0 : (t->upload + t->download) / s->rates.host;
    if (plan->schedule == MST_STENCIL_IN_CORE)
        return trips * compute;
    if (!s->overlap) // the host waits for each block's upload, kernels and download
        return trips * (up + down + compute + 3 * t->blocks * s->rates.wait + host);
    double units = (double)s->context->device.compute_units;
    // Who copies for the host waits for events, too.
    double copies = fmax(fmax(up, down) + s->rates.beside[t->upload_rows > 0] * fmin(up, down), 1.1 * host);
    double steady = shared ? compute + (up + down + host) / fmin(2, units) : fmax(copies, compute);
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
    plan->state_bytes = moves ? mst_store_bytes(p, mst_plan_copies(plan->schedule)) : mst_store_bytes(p, 1);
    plan->host_bytes = moves && plan->store != MST_STENCIL_STORE_FILE ? plan->state_bytes : 0;
}
