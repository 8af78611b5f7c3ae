// Making a solver that of a part, and what it has of regions and points.
#include "halo.h"
#include "runtime/numbers.h"
#include "scheme/layers.h"
#include "scheme/problem_points.h"

#include <math.h>

// Of an axis: its nodes and halos.
static mst_status take_axis(mst_stencil *s, int axis, uint64_t first, uint64_t count, mst_error *error) {
    static const char *const names[] = {"planes", "rows", "columns"};
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    const int64_t n = mst_problem_length(p, axis);
    MST_REQUIRE(count > 0 && first < (uint64_t)n && count <= (uint64_t)n - first, MST_ERROR_ARGUMENT,
                "the part has %llu %s from %llu on; the grid has %lld", (unsigned long long)count, names[axis],
                (unsigned long long)first, (long long)n);
    const int64_t low = mst_halo_depth(&s->halos[axis], 0, s->halo_steps),
                  high = mst_halo_depth(&s->halos[axis], 1, s->halo_steps);
    const bool is_whole = count == (uint64_t)n, is_ring = mst_problem_periodic(p, axis) && !is_whole;
    const int64_t least = mst_halo_least(&s->halos[axis], is_ring, s->halo_steps);
    MST_REQUIRE(is_whole || (int64_t)count >= least, MST_ERROR_ARGUMENT,
                "the part has %llu %s; for halos of %llu steps it needs %lld, or fewer steps between exchanges",
                (unsigned long long)count, names[axis], (unsigned long long)s->halo_steps, (long long)least);
    int64_t from = (int64_t)first - low, to = (int64_t)(first + count) + high;
    if (!is_ring) {
        from = mst_larger(from, (int64_t)0);
        to = mst_smaller(to, n);
    }
    MST_REQUIRE(to - from <= n, MST_ERROR_ARGUMENT,
                "a part of %llu %s and its halos of %lld and %lld are more than the %lld that the periodic grid has",
                (unsigned long long)count, names[axis], (long long)low, (long long)high, (long long)n);
    s->part[axis] = (mst_part){(int64_t)first, (int64_t)count, from, to - from};
fail:
    return status;
}

static mst_status take_axes(mst_stencil *s, const mst_stencil_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    const mst_stencil_brick *brick = desc->brick;
    for (int axis = 0; axis < N_AXES && !brick; axis++)
        MST_TRY(take_axis(s, axis, axis == PLANES ? desc->part->first : 0, axis == PLANES ? desc->part->planes : p->whole[axis],
                          error));
    for (int axis = 0; axis < N_AXES && brick; axis++)
        s->part[axis] = (mst_part){0, 1, 0, 1};
    for (int k = 0; k < p->rank && brick; k++)
        MST_TRY(take_axis(s, mst_problem_axis(p->rank, k), brick->first[k], brick->count[k], error));
fail:
    return status;
}

mst_status mst_part_take(mst_stencil *s, const mst_stencil_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    mst_problem *p = &s->problem;
    bool is_cut = false;
    if (!desc->part && !desc->brick)
        return MST_OK;
    MST_REQUIRE(!p->has_grids, MST_ERROR_UNSUPPORTED, "an ensemble of grids of three axes is not cut into parts");
    s->is_brick = desc->brick != NULL;
    s->halo_steps = s->is_brick ? desc->brick->steps : desc->part->steps;
    MST_REQUIRE(!desc->part || !desc->brick, MST_ERROR_ARGUMENT, "a part and a brick are wanted; a solver has one of them");
    MST_REQUIRE(s->halo_steps > 0, MST_ERROR_ARGUMENT, "the part is to run 0 steps between exchanges; at least 1");
    MST_TRY(mst_halo_find(p, s->halos, error));
    MST_TRY(take_axes(s, desc, error));
    for (int axis = 0; axis < N_AXES; axis++)
        is_cut = is_cut || s->part[axis].count < mst_problem_length(p, axis);
    MST_REQUIRE(p->n_runs == 0 ||
                    (s->part[ROWS].count == (int64_t)p->grid[ROWS] && s->part[COLUMNS].count == (int64_t)p->grid[COLUMNS]),
                MST_ERROR_UNSUPPORTED, "an ensemble is cut into parts with some of its runs each, not into bricks");
    MST_REQUIRE(!is_cut || s->is_brick || p->rank > 1, MST_ERROR_UNSUPPORTED, "a grid of one axis is not cut into parts");
    if (is_cut)
        MST_TRY(mst_problem_cut(p, s->part, error));
    s->n_links = mst_links_find(p, s->part, s->halos, s->halo_steps, !s->is_brick, s->links);
    mst_observations_cut(p->observations, p->n_runs > 0, s->part);
fail:
    return status;
}

mst_status mst_part_region(const mst_stencil *s, int array, const mst_stencil_region *region, mst_region *out, mst_error *error) {
    static const char *const names[] = {"planes", "rows", "columns"};
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    const bool is_memory = array < p->n_arrays && p->layer_axes[array] >= 0;
    MST_REQUIRE(!region || !is_memory || p->grid[p->layer_axes[array]] == p->whole[p->layer_axes[array]], MST_ERROR_ARGUMENT,
                "of a memory variable of a part, all of its own nodes are read");
    if (!region) {
        out->nodes = 1;
        for (int axis = 0; axis < N_AXES; axis++) {
            const mst_part *part = &s->part[axis];
            const mst_part_range own = mst_part_along(p, array, axis, part->first, part->first + part->count);
            out->start[axis] = own.first;
            out->step[axis] = 1;
            out->count[axis] = own.count;
            out->nodes *= own.count;
        }
        return MST_OK;
    }
    uint64_t grid[N_AXES];
    mst_layers_grid(p, array, grid);
    for (int axis = 0; axis < N_AXES; axis++)
        grid[axis] = is_memory && p->layer_axes[array] == axis ? grid[axis] : p->whole[axis];
    MST_TRY(mst_region_read(p->rank, grid, region, out, error));
    for (int axis = 0; axis < N_AXES; axis++) {
        const mst_part *part = &s->part[axis];
        const uint64_t first = (uint64_t)part->first, end = first + (uint64_t)part->count, start = out->start[axis];
        if (p->grid[axis] == p->whole[axis] && !p->is_ring[axis])
            continue;
        MST_REQUIRE(start >= first && start + (out->count[axis] - 1) * out->step[axis] < end, MST_ERROR_ARGUMENT,
                    "the region is not in %s %llu to %llu, which are the part", names[axis], (unsigned long long)first,
                    (unsigned long long)end - 1);
        out->start[axis] = (uint64_t)((int64_t)start - part->held_first);
    }
fail:
    return status;
}

bool mst_part_may_run(const mst_stencil *s, uint64_t steps) {
    return s->halo_steps == 0 || steps <= s->steps_left || mst_halos_taken(s) == 0;
}

mst_status mst_part_written(mst_stencil *s, int array, mst_error *error) {
    mst_status status = MST_OK;
    if (s->halo_steps == 0)
        return MST_OK;
    s->written |= (uint64_t)1 << array;
    if (s->check_every)
        MST_TRY(mst_solver_count(s, array, &s->nonfinite[array], error));
    if (s->written == mst_solver_all_arrays(s))
        s->steps_left = s->halo_steps;
fail:
    return status;
}

bool mst_part_has_point(const mst_stencil *s, size_t point) {
    const mst_problem_record *home = &s->problem.records[mst_problem_home(&s->problem, point)];
    bool has = true;
    for (int axis = 0; axis < N_AXES; axis++) {
        const mst_part *part = &s->part[axis];
        const int64_t node = (int64_t)home->node[axis] - (part->first - part->held_first);
        has = has && node >= 0 && node < part->count;
    }
    return has;
}

double mst_part_received(const mst_stencil *s, const double *records, size_t point) {
    return mst_part_has_point(s, point) ? mst_tables_received(&s->problem, records, point) : NAN;
}
