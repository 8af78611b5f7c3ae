// Sweeps of several steps, a few planes at a time, while these are in the cache: by tiles of planes, or where points lie between
// the steps by launches.
#include "runtime/numbers.h"
#include "sweeper.h"

enum {
    // Nodes of a launch, at least: two processors begin and end one some 25 us apart, in which they do 30000.
    LAUNCH_NODES = 1 << 18,
    MOST_TILES = 4, // of a compute unit: the larger tiles are, the less is read twice
    TILE_ROWS = 16, // so that the rows of the planes that updates reach are in a processor's own cache
    // Of planes that a sweep does together each line but the first finds most of what it reads in the first cache, which holds
    // parts of so many columns of them. In two axes, where a plane is a line, of few arrays.
    TILE_PLANES = 2,
    MOST_WIDE_ARRAYS = 8,
    TILE_COLUMNS = MST_SWEEPS_PART_COLUMNS,
    APART_NODES = 1 << 13 // of a tile of planes that do not read one another, about: with fewer a work-group does little else
};

mst_stagger mst_sweeper_plain(const mst_sweeper *s) {
    return (mst_stagger){.steps = 1, .planes = (int64_t)s->sweeps.problem->grid[PLANES], .lag = 0};
}

// Whether planes wait for nothing but those around them.
static bool may_stagger(const mst_sweeps *s) {
    return s->shape == MST_STENCIL_SHAPE_CPU && !mst_problem_periodic(s->problem, PLANES) && !s->problem->has_grids;
}

// With so many planes as many steps as two thirds of the cache hold the planes of.
static void add_launches(mst_sweeper *s, uint64_t planes, uint64_t cache) {
    const uint64_t plane = mst_sweeps_all_bytes(&s->sweeps) / s->sweeps.problem->grid[PLANES];
    const int64_t lag = mst_sweeps_lag(&s->sweeps), held = (int64_t)(cache / 3 * 2 / plane);
    const int64_t room = (held - (int64_t)planes) / mst_larger(s->sweeps.n * lag, (int64_t)1);
    const int64_t most = mst_smaller((int64_t)MST_SWEEPS_TRIP, (int64_t)MST_SWEEPER_MOST_SWEEPS / s->sweeps.n);
    const mst_stagger way = {.steps = mst_smaller(room, most), .planes = (int64_t)planes, .lag = lag};
    if (way.steps >= 2 && planes < s->sweeps.problem->grid[PLANES] / 2)
        s->ways[s->n_ways++] = way;
}

// Of planes that read one another at most so many, of which the units have a few each. Where there are enough runs a tile has all
// planes of one, and nothing is left between tiles unless the planes are periodic.
static int64_t tiles_of(const mst_problem *p, int64_t most, int64_t units) {
    if ((int64_t)p->grids >= units && p->grids > 1)
        return mst_problem_periodic(p, PLANES) ? most > 0 : 1;
    return most >= MOST_TILES * units ? MOST_TILES * units : most / units * units;
}

// Tiles of so many steps, some a compute unit, each at least as wide as the gaps beside it become.
static mst_stagger tiles_between_gaps(const mst_sweeper *s, int64_t steps) {
    const int64_t lag = mst_sweeps_lag(&s->sweeps);
    const mst_problem *p = s->sweeps.problem;
    const bool is_wide = p->rank == 2 && p->n_arrays + p->n_coefficients <= MOST_WIDE_ARRAYS;
    const int64_t most = (int64_t)p->grid[PLANES] / (2 * steps * s->sweeps.n * lag);
    return (mst_stagger){
        .lag = lag, .tiles = tiles_of(p, most, mst_sweeper_units(s)), .planes = is_wide ? MST_TIME_TILE_PLANES : TILE_PLANES};
}

// Tiles of whole planes, which do not read one another: those of runs, mostly, each of which stays in a processor's cache.
static mst_stagger tiles_apart(const mst_sweeper *s) {
    const mst_problem *p = s->sweeps.problem;
    const int64_t planes = (int64_t)p->grid[PLANES], together = mst_larger(APART_NODES / (int64_t)p->plane, (int64_t)1);
    return (mst_stagger){.tiles = mst_larger(planes / together, mst_smaller(planes, mst_sweeper_units(s))),
                         .planes = mst_smaller(together, (int64_t)MST_TIME_TILE_PLANES)};
}

static void add_tiles(mst_sweeper *s, int64_t steps) {
    mst_stagger way = mst_sweeps_lag(&s->sweeps) > 0 ? tiles_between_gaps(s, steps) : tiles_apart(s);
    way.steps = steps;
    way.rows = TILE_ROWS;
    way.columns = TILE_COLUMNS;
    if (way.tiles > 0 && steps * s->sweeps.n <= MST_SWEEPER_MOST_SWEEPS)
        s->ways[s->n_ways++] = way;
}

mst_status mst_sweeper_find_ways(mst_sweeper *s, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = s->sweeps.problem;
    cl_ulong cache = 0;
    MST_TRY_CL(clGetDeviceInfo(s->context->device.device, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, sizeof cache, &cache, NULL),
               "cannot read how large the cache of %s is", s->context->device.name);
    s->ways[0] = s->stagger = mst_sweeper_plain(s);
    s->n_ways = 1;
    if (s->sweeps.in_tiles) {
        for (int64_t steps = 2; steps <= MST_SWEEPS_TRIP; steps *= 2)
            add_tiles(s, steps);
    } else if (may_stagger(&s->sweeps) && mst_sweeps_all_bytes(&s->sweeps) > cache) {
        for (uint64_t nodes = LAUNCH_NODES; nodes <= 2 * LAUNCH_NODES; nodes *= 2)
            add_launches(s, mst_divide_up(nodes, p->plane), cache);
    }
    s->stagger = s->ways[s->n_ways - 1];
fail:
    return status;
}

void mst_sweeper_take_way(mst_sweeper *s, const mst_stagger *measured) {
    s->stagger = measured->steps == 1 || measured->tiles ? mst_sweeper_plain(s) : *measured;
    for (int k = 0; k < s->n_ways; k++)
        if (measured->tiles && s->ways[k].tiles && s->ways[k].steps == measured->steps)
            s->stagger = s->ways[k];
}

// A few planes at a time go through all sweeps of several steps while they are in the cache. Each sweep lies behind the one
// before by as many planes as updates reach, so it finds what it reads, and what it replaces nothing before it reads any more
// (time skewing).
static mst_status staggered(const mst_sweeper *s, mst_queue *queue, mst_sweep_state *states, int n_states, uint64_t row,
                            mst_error *error) {
    mst_status status = MST_OK;
    const int64_t n_planes = (int64_t)s->sweeps.problem->grid[PLANES], lag = s->stagger.lag, planes = s->stagger.planes;
    for (int64_t base = 0; base < n_planes + (n_states - 1) * lag; base += planes)
        for (int k = 0; k < n_states; k++) {
            mst_sweep_part part = mst_sweeps_whole(&s->sweeps);
            part.from = mst_larger(base - k * lag, (int64_t)0);
            part.to = mst_smaller(base - k * lag + planes, n_planes);
            if (part.from < part.to)
                MST_TRY(mst_sweeper_sweep(s, queue, k % s->sweeps.n, &states[k], &states[k + 1],
                                          row + (uint64_t)(k / s->sweeps.n), &part, error));
        }
fail:
    return status;
}

mst_status mst_sweeper_steps(const mst_sweeper *s, mst_queue *queue, mst_sweep_state *state, uint64_t n, uint64_t row,
                             mst_error *error) {
    mst_status status = MST_OK;
    mst_sweep_state states[MST_SWEEPER_MOST_SWEEPS + 1];
    const uint64_t most = (uint64_t)s->stagger.steps, even = n > 0 ? mst_divide_up(n, mst_divide_up(n, most)) : 0;
    for (uint64_t done = 0, steps; done < n; done += steps) {
        steps = mst_smaller(n - done, even);
        const int n_states = (int)steps * s->sweeps.n;
        if (s->stagger.tiles) {
            MST_TRY(mst_sweeper_time_tiles(s, queue, state, n_states, row + done, error));
            continue;
        }
        states[0] = *state;
        for (int k = 0; k < n_states; k++) {
            states[k + 1] = states[k];
            mst_sweeper_rotate(s, k % s->sweeps.n, &states[k + 1]);
        }
        MST_TRY(staggered(s, queue, states, n_states, row + done, error));
        *state = states[n_states];
    }
fail:
    return status;
}
