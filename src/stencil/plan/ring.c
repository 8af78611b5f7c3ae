#include "ring.h"

#include "runtime/numbers.h"

// While slab j is computed, the next one comes up and the one before goes down.
static int64_t planes_of(const mst_plane_ring *r) {
    const int64_t live = 3 * r->block + r->most * r->lag + r->before + r->behind;
    return mst_larger(live, 2 * (r->before + r->behind) + 1); // else there may be no first plane
}

mst_plane_ring mst_ring_make(const mst_sweeps *s, uint64_t depth, uint64_t block) {
    mst_plane_ring r = {.n = (int64_t)s->problem->grid[PLANES],
                        .periodic = mst_problem_periodic(s->problem, PLANES),
                        .block = (int64_t)block,
                        .lag = mst_sweeps_lag(s),
                        .before = s->padded.before[PLANES],
                        .behind = s->padded.behind[PLANES],
                        .most = (int64_t)depth * s->n};
    r.planes = planes_of(&r);
    return r;
}

// Planes beyond a periodic face with which a trip begins and ends.
static int64_t beyond(const mst_plane_ring *r, int64_t sweeps) { return r->periodic ? sweeps * r->lag : 0; }

// Slab j's planes when sweeps have moved them back so often, as far as there are such.
static mst_plane_range shifted(const mst_plane_ring *r, int64_t sweeps, int64_t j, int64_t lags, int64_t margin) {
    const int64_t from = j * r->block - beyond(r, sweeps) - lags * r->lag;
    return (mst_plane_range){mst_larger(from, -margin), mst_smaller(from + r->block, r->n + margin)};
}

int64_t mst_ring_slabs(const mst_plane_ring *r, int64_t sweeps) {
    const int64_t last = r->n + beyond(r, sweeps) + sweeps * r->lag;
    return mst_divide_up(last, r->block);
}

mst_plane_range mst_ring_up(const mst_plane_ring *r, int64_t sweeps, int64_t j) {
    return shifted(r, sweeps, j, 0, beyond(r, sweeps));
}

mst_plane_range mst_ring_sweep(const mst_plane_ring *r, int64_t sweeps, int64_t j, int64_t k) {
    return shifted(r, sweeps, j, k + 1, beyond(r, sweeps - 1 - k));
}

mst_plane_range mst_ring_down(const mst_plane_ring *r, int64_t sweeps, int64_t j) { return shifted(r, sweeps, j, sweeps, 0); }

static int64_t modulo(int64_t i, int64_t n) { return (i % n + n) % n; }

int64_t mst_ring_slot(const mst_plane_ring *r, int64_t first, int64_t plane) { return modulo(plane - first, r->planes); }

int64_t mst_ring_plane(const mst_plane_ring *r, int64_t plane) { return modulo(plane, r->n); }

// Whether planes lie one behind the other in a ring that begins with some plane.
static bool is_whole(const mst_plane_ring *r, int64_t first, int64_t from, int64_t to) {
    return mst_ring_slot(r, first, from) + to - from <= r->planes;
}

int64_t mst_ring_first(const mst_plane_ring *r, int64_t sweeps) {
    const int64_t low = mst_smaller(r->n, r->before + 1), high = mst_smaller(r->n, r->behind + 1);
    int64_t first = -beyond(r, sweeps) - r->before;
    while (!r->periodic && !(is_whole(r, first, -r->before, low) && is_whole(r, first, r->n - high, r->n + r->behind)))
        first--;
    return first;
}
