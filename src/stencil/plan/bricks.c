#include "bricks.h"

#include "runtime/numbers.h"
#include "stencil/scheme/observations.h"

#include <math.h>
#include <string.h>

enum { MOST_STEPS = 256, LEAST_NODES = 1 << 12 }; // between exchanges; of a brick that is not a slab
enum { GROUP_COLUMNS = 64 };                      // that a GPU's work-group goes through, however few are wanted

// Nothing held beside a brick's own nodes is more than this part of them, as all of it is computed twice.
static const double MOST_HALO = 0.5;

// Seconds of a message beside the latency of the exchange.
static const double MESSAGE = 5e-6;

// What a brick in the middle has.
typedef struct brick_size {
    double own, held;  // nodes
    double rest, thin; // what exchanges go on beside, and what kernels go through beside the nodes that they do first
    double messages, bytes;
} brick_size;

static bool is_ring(const mst_problem *p, int axis) { return p->is_ring[axis] || mst_problem_periodic(p, axis); }

static brick_size size_of(const mst_problem *p, const mst_halo halos[N_AXES], const mst_parts_rates *rates,
                          const size_t bricks[N_AXES], uint64_t steps) {
    brick_size s = {.own = 1, .held = 1, .rest = 1, .messages = 1};
    const uint64_t unit = mst_smaller(rates->unit, steps);
    double rows = 1, by_rows = 1; // what lies beside it along the slowest axis comes in long runs
    for (int axis = 0; axis < N_AXES; axis++) {
        const double own = ceil((double)p->whole[axis] / (double)bricks[axis]);
        const int64_t low = mst_halo_depth(&halos[axis], 0, steps), high = mst_halo_depth(&halos[axis], 1, steps);
        const int sides = bricks[axis] == 1 ? 0 : bricks[axis] == 2 && !is_ring(p, axis) ? 1 : 2;
        const double beside = sides == 2 ? (double)(low + high) : sides == 1 ? (double)mst_larger(low, high) : 0;
        s.own *= own;
        s.held *= own + beside;
        s.rest *= fmax(own - beside, 0);
        const int64_t thin = mst_halo_depth(&halos[axis], 0, unit) + mst_halo_depth(&halos[axis], 1, unit);
        s.thin += sides * (double)mst_larger(thin, (int64_t)(axis == COLUMNS ? GROUP_COLUMNS : 0)) / own;
        s.messages *= sides + 1;
        rows *= axis == PLANES ? own : own + beside;
        by_rows *= own;
    }
    s.messages -= 1;
    s.thin *= s.own;
    // Faces of other axes are gathered from short runs, which takes about as long as sending them.
    s.bytes = ((s.held - s.own) + (rows - by_rows)) * (double)p->state_node_bytes;
    return s;
}

double mst_bricks_seconds(const mst_problem *p, const mst_halo halos[N_AXES], const mst_parts_rates *rates,
                          const size_t bricks[N_AXES], uint64_t steps) {
    const brick_size s = size_of(p, halos, rates, bricks, steps);
    const double exchange = rates->latency + MESSAGE * s.messages + s.bytes / rates->exchange;
    const double hidden = rates->beside ? s.rest * (double)steps / rates->updates : 0;
    const double first = rates->beside ? s.thin / rates->updates + MST_PARTS_LAUNCHES / (double)steps : 0;
    return s.held / rates->updates + first + fmax(exchange - hidden, 0) / (double)steps;
}

bool mst_bricks_fit(const mst_problem *p, const mst_halo halos[N_AXES], const size_t bricks[N_AXES], uint64_t steps, int *axis,
                    int64_t *least) {
    for (*axis = 0; *axis < N_AXES; (*axis)++) {
        *least = mst_halo_least(&halos[*axis], is_ring(p, *axis), steps);
        if (bricks[*axis] > 1 && p->whole[*axis] / bricks[*axis] < (uint64_t)*least)
            return false;
    }
    return true;
}

static bool reads_nothing(const mst_halo halos[N_AXES], const size_t bricks[N_AXES]) {
    int64_t sum = 0;
    for (int axis = 0; axis < N_AXES; axis++)
        sum += bricks[axis] > 1 ? mst_halo_depth(&halos[axis], 0, 1) + mst_halo_depth(&halos[axis], 1, 1) : 0;
    return sum == 0;
}

uint64_t mst_bricks_steps(const mst_problem *p, const mst_halo halos[N_AXES], const mst_parts_rates *rates,
                          const size_t bricks[N_AXES]) {
    uint64_t best = 0;
    double fastest = 0;
    int axis;
    int64_t least;
    if (!mst_bricks_fit(p, halos, bricks, 1, &axis, &least))
        return 0;
    if (reads_nothing(halos, bricks))
        return UINT32_MAX;
    for (uint64_t steps = 1; steps <= MOST_STEPS && mst_bricks_fit(p, halos, bricks, steps, &axis, &least); steps++) {
        const brick_size s = size_of(p, halos, rates, bricks, steps);
        const double seconds = mst_bricks_seconds(p, halos, rates, bricks, steps);
        if (best > 0 && (s.held > (1 + MOST_HALO) * s.own || seconds >= fastest))
            continue;
        best = steps;
        fastest = seconds;
    }
    return best;
}

// By as many steps as are wanted, or as suit them; INFINITY: they do not fit.
static double seconds_of(const mst_problem *p, const mst_halo halos[N_AXES], const mst_parts_rates *rates,
                         const size_t bricks[N_AXES], uint64_t steps) {
    int axis;
    int64_t least;
    const uint64_t taken = steps > 0 ? steps : mst_bricks_steps(p, halos, rates, bricks);
    return taken > 0 && mst_bricks_fit(p, halos, bricks, taken, &axis, &least)
               ? mst_bricks_seconds(p, halos, rates, bricks, taken)
               : INFINITY;
}

void mst_bricks_choose(const mst_problem *p, const mst_halo halos[N_AXES], const mst_parts_rates *rates, size_t n, uint64_t steps,
                       size_t bricks[N_AXES]) {
    const size_t slabs[N_AXES] = {n, 1, 1};
    double fastest = seconds_of(p, halos, rates, slabs, steps);
    memcpy(bricks, slabs, sizeof slabs);
    if (p->n_runs > 0 || p->rank < 2 || p->nodes / n < LEAST_NODES || (p->observations && p->observations->n_monitors > 0))
        return;
    for (size_t planes = n; planes >= 1; planes--)
        for (size_t rows = 1; rows <= n / planes && n % planes == 0; rows++) {
            const size_t tried[N_AXES] = {planes, rows, n / planes / rows};
            const double seconds = n / planes % rows == 0 ? seconds_of(p, halos, rates, tried, steps) : INFINITY;
            if (seconds < fastest) {
                memcpy(bricks, tried, sizeof tried);
                fastest = seconds;
            }
        }
}
