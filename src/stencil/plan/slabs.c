#include "slabs.h"

#include "runtime/numbers.h"

enum { MANY_LEVELS = 8 }; // of a trip

static int64_t radius_of(const mst_pipeline *p) { return mst_larger(p->low[PLANES], p->high[PLANES]); }

mst_slabs mst_slabs_make(const mst_kernel_pair *f, uint64_t depth, uint64_t block, int queues) {
    const mst_pipeline *p = &f->pipelines[0];
    mst_slabs s = {.planes = (int64_t)p->problem->grid[PLANES],
                   .block = (int64_t)block,
                   .depth = depth,
                   .m = f->m,
                   .queues = queues,
                   .radius = {radius_of(p), radius_of(&f->pipelines[1])},
                   .behind = p->fixed_low[PLANES]};
    s.ahead = mst_larger(0, p->fixed_high[PLANES] - p->high[PLANES]) + p->problem->coefficient_reach;
    return s;
}

int mst_slabs_levels(const mst_slabs *s, uint64_t n) { return (int)(n / s->m + n % s->m); }

int mst_slabs_kernel(const mst_slabs *s, uint64_t n, int level) { return (uint64_t)level < n / s->m ? 0 : 1; }

// A level lies behind the level before it by the radius of that one, so the first level of one step by the radius of m steps.
int64_t mst_slabs_shift(const mst_slabs *s, uint64_t n, int level) {
    int64_t single = mst_larger((int64_t)0, level - (int64_t)(n / s->m));
    return (level + 1 - single) * s->radius[0] + single * s->radius[1];
}

static int64_t last_shift(const mst_slabs *s, uint64_t n) { return mst_slabs_shift(s, n, mst_slabs_levels(s, n) - 1); }

// The largest shift of a last level: that of the deepest trip, or of the shorter one that has the most levels of one step.
static int64_t most_shift(const mst_slabs *s) {
    uint64_t shorter = s->depth < s->m ? s->depth : s->depth - s->depth % s->m - 1;
    return mst_larger(last_shift(s, s->depth), last_shift(s, shorter));
}

uint64_t mst_slabs_most_levels(const mst_slabs *s) { return s->depth / s->m + s->m; }

int64_t mst_slabs_most(const mst_slabs *s) { return (s->planes + most_shift(s)) / s->block + 2; }

uint64_t mst_slabs_slots(const mst_slabs *s) { return (uint64_t)s->queues + 3; }

// Room for one slab is enough where a trip of the plan's depth has many levels: the slab goes down while the levels of the next
// one are computed.
uint64_t mst_slabs_room(const mst_slabs *s) { return mst_slabs_levels(s, s->depth) < MANY_LEVELS ? 2 : 1; }

uint64_t mst_slabs_ring_planes(const mst_slabs *s, int ring) {
    return (uint64_t)((s->queues + (ring == 0)) * s->block + most_shift(s) + s->radius[0]);
}

uint64_t mst_slabs_down_planes(const mst_slabs *s) { return mst_slabs_room(s) * (uint64_t)s->block; }

uint64_t mst_slabs_coefficient_planes(const mst_slabs *s) {
    return (uint64_t)((s->queues + 1) * s->block + most_shift(s) + s->behind + s->ahead);
}
