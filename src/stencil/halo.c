#include "halo.h"

#include "runtime/description.h"
#include "runtime/numbers.h"
#include "schedules/nonfinite.h"
#include "schedules/resident.h"
#include "scheme/layers.h"
#include "scheme/problem_points.h"

#include <math.h>
#include <stdlib.h>

typedef struct planes {
    int64_t from, to;
} planes;

// The planes of the whole grid that lie in the halo at a side, none at a face.
static planes halo_of(const mst_stencil *s, int side) {
    const mst_part *p = &s->part;
    return side ? (planes){p->first + p->planes, p->held_first + p->held_planes} : (planes){p->held_first, p->first};
}

static bool has_neighbour(const mst_stencil *s, int side) {
    const int64_t n = (int64_t)s->problem.all_planes, end = s->part.first + s->part.planes;
    return s->part.planes < n && (s->problem.is_ring || (side ? end < n : s->part.first > 0));
}

// Those of its own that lie in the neighbour's halo.
static planes edge_of(const mst_stencil *s, int side) {
    if (!has_neighbour(s, side))
        return (planes){0, 0};
    const int64_t depth = mst_halo_depth(&s->halo, !side, s->halo_steps), end = s->part.first + s->part.planes;
    return side ? (planes){end - depth, end} : (planes){s->part.first, s->part.first + depth};
}

mst_cuts mst_part_cuts(const mst_stencil *s) {
    const mst_part *p = &s->part;
    const int64_t begin = p->first - p->held_first, end = begin + p->planes, beside = s->halo.beside;
    const planes low = edge_of(s, 0), high = edge_of(s, 1);
    mst_cuts cuts = {.planes = p->held_planes, .high = p->held_planes, .to = p->held_planes};
    if (low.to > low.from) {
        cuts.from = begin - beside;
        cuts.low = low.to - p->held_first;
    }
    if (high.to > high.from) {
        cuts.high = high.from - p->held_first;
        cuts.to = end + beside;
    }
    return cuts;
}

static uint64_t bytes_of(const mst_problem *p, planes of) {
    uint64_t bytes = 0;
    for (int a = 0; a < p->n_arrays; a++)
        bytes += mst_part_elements(p, a, of.from, of.to).count * p->elements[a];
    return bytes;
}

uint64_t mst_edge_bytes(const mst_stencil *s, int side) { return bytes_of(&s->problem, edge_of(s, side)); }
// As mst_schedule_kind.see has it, without a schedule.
static bool is_in_host(const mst_stencil *s, int array) {
    const mst_stencil_schedule schedule = s->plan.schedule;
    return !mst_plan_in_core(schedule) && s->plan.footprint.parts[MST_FOOTPRINT_STORE].memory != MST_MEMORY_FILE &&
           !(schedule == MST_STENCIL_SKEWED_SWEEPS && mst_is_resident(&s->problem, array));
}

uint64_t mst_edge_down_bytes(const mst_stencil *s, int side) {
    uint64_t bytes = 0;
    const planes edge = edge_of(s, side);
    for (int a = 0; a < s->problem.n_arrays; a++)
        if (!is_in_host(s, a))
            bytes += mst_part_elements(&s->problem, a, edge.from, edge.to).count * s->problem.elements[a];
    return bytes;
}

uint64_t mst_halo_bytes(const mst_stencil *s, int side) { return bytes_of(&s->problem, halo_of(s, side)); }

mst_status mst_edge_get(mst_stencil *s, int side, void *to, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    const planes edge = edge_of(s, side);
    unsigned char *at = to;
    for (int a = 0; a < p->n_arrays; a++) {
        const mst_part_range range = mst_part_elements(p, a, edge.from, edge.to);
        if (range.count > 0)
            MST_TRY(s->schedule->kind->get(s->schedule, a, range.first, range.count, at, error));
        at += range.count * p->elements[a];
    }
fail:
    return status;
}

mst_status mst_halo_put(mst_stencil *s, int side, const void *from, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    const planes halo = halo_of(s, side);
    const unsigned char *at = from;
    for (int a = 0; a < p->n_arrays; a++) {
        const mst_part_range range = mst_part_elements(p, a, halo.from, halo.to);
        if (range.count > 0)
            MST_TRY(s->schedule->kind->put(s->schedule, a, range.first, range.count, at, error));
        at += range.count * p->elements[a];
    }
fail:
    return status;
}

// Fills in the pieces unless they are NULL, and counts them.
static size_t cut_planes(const mst_problem *p, planes of, uint64_t bytes, mst_halo_piece *pieces) {
    size_t n = 0;
    uint64_t at = 0;
    for (int a = 0; a < p->n_arrays; a++) {
        const int64_t step = mst_larger((int64_t)(bytes / (p->plane * p->elements[a])), (int64_t)1);
        for (int64_t from = of.from; from < of.to; from += step) {
            const mst_part_range range = mst_part_elements(p, a, from, mst_smaller(from + step, of.to));
            if (range.count == 0)
                continue;
            if (pieces)
                pieces[n] = (mst_halo_piece){a, range.first, range.count, at};
            at += range.count * p->elements[a];
            n++;
        }
    }
    return n;
}

mst_status mst_halo_cut(const mst_stencil *s, int side, bool gives, uint64_t bytes, mst_halo_piece **pieces, size_t *n,
                        mst_error *error) {
    mst_status status = MST_OK;
    const planes of = gives ? edge_of(s, side) : halo_of(s, side);
    *n = cut_planes(&s->problem, of, bytes, NULL);
    MST_REQUIRE(*pieces = calloc(*n + 1, sizeof **pieces), MST_ERROR_HOST_MEMORY, "out of memory for halos");
    cut_planes(&s->problem, of, bytes, *pieces);
fail:
    return status;
}

// ---- Making one

mst_status mst_part_take(mst_stencil *s, const mst_stencil_desc *desc, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil_part *part = desc->part;
    mst_problem *p = &s->problem;
    const int64_t n = (int64_t)p->grid[PLANES];
    if (!part)
        return MST_OK;
    MST_REQUIRE(part->planes > 0 && part->first < (size_t)n && part->planes <= (size_t)n - part->first, MST_ERROR_ARGUMENT,
                "the part has %zu planes from %zu on; the grid has %lld", part->planes, part->first, (long long)n);
    MST_REQUIRE(part->steps > 0, MST_ERROR_ARGUMENT, "the part is to run 0 steps between exchanges; at least 1");
    MST_TRY(mst_halo_find(p, &s->halo, error));
    s->halo_steps = part->steps;
    const int64_t low = mst_halo_depth(&s->halo, 0, part->steps), high = mst_halo_depth(&s->halo, 1, part->steps);
    const bool is_ring = mst_problem_periodic(p, PLANES) && part->planes < (size_t)n;
    const int64_t least = mst_halo_least(&s->halo, is_ring, part->steps);
    MST_REQUIRE(part->planes == (size_t)n || (int64_t)part->planes >= least, MST_ERROR_ARGUMENT,
                "the part has %zu planes; for halos of %llu steps it needs %lld, or fewer steps between exchanges", part->planes,
                (unsigned long long)part->steps, (long long)least);
    int64_t from = (int64_t)part->first - low, to = (int64_t)(part->first + part->planes) + high;
    if (!is_ring) {
        from = mst_larger(from, (int64_t)0);
        to = mst_smaller(to, n);
    }
    MST_REQUIRE(to - from <= n, MST_ERROR_ARGUMENT,
                "a part of %zu planes and its halos of %lld and %lld are more than the %lld that the periodic grid has",
                part->planes, (long long)low, (long long)high, (long long)n);
    s->part = (mst_part){(int64_t)part->first, (int64_t)part->planes, from, to - from};
    if (part->planes < (size_t)n)
        MST_TRY(mst_problem_cut(p, &s->part, error));
    mst_observations_cut(p->observations, p->n_runs > 0, s->part.first, s->part.planes);
fail:
    return status;
}

mst_status mst_part_region(const mst_stencil *s, int array, const mst_stencil_region *region, mst_region *out, mst_error *error) {
    mst_status status = MST_OK;
    const mst_problem *p = &s->problem;
    const mst_part *part = &s->part;
    const mst_part_range own = mst_part_elements(p, array, part->first, part->first + part->planes);
    const bool has_planes = array >= p->n_arrays || p->layer_axes[array] != PLANES;
    uint64_t grid[N_AXES];
    mst_layers_grid(p, array, grid);
    const uint64_t plane = grid[ROWS] * grid[COLUMNS];
    MST_REQUIRE(has_planes || !region, MST_ERROR_ARGUMENT, "of a memory variable of a part, all of its own planes are read");
    grid[PLANES] = has_planes && region ? p->all_planes : own.count / plane;
    MST_TRY(mst_region_read(p->rank, grid, region, out, error));
    if (!region) {
        out->start[PLANES] = own.first / plane;
        return MST_OK;
    }
    const uint64_t first = (uint64_t)part->first, end = first + (uint64_t)part->planes, start = out->start[PLANES];
    MST_REQUIRE(start >= first && start + (out->count[PLANES] - 1) * out->step[PLANES] < end, MST_ERROR_ARGUMENT,
                "the region is not in planes %llu to %llu, which are the part", (unsigned long long)first,
                (unsigned long long)end - 1);
    out->start[PLANES] = (uint64_t)((int64_t)start - part->held_first);
fail:
    return status;
}

bool mst_part_may_run(const mst_stencil *s, uint64_t steps) {
    return s->halo_steps == 0 || steps <= s->steps_left || mst_halo_bytes(s, 0) + mst_halo_bytes(s, 1) == 0;
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
    const int64_t plane =
        (int64_t)s->problem.records[mst_problem_home(&s->problem, point)].node[PLANES] - (s->part.first - s->part.held_first);
    return plane >= 0 && plane < s->part.planes;
}

double mst_part_received(const mst_stencil *s, const double *records, size_t point) {
    return mst_part_has_point(s, point) ? mst_tables_received(&s->problem, records, point) : NAN;
}

// ---- Values that are infinite or NaN

static mst_status count_halo(mst_stencil *s, int array, planes halo, uint64_t *count, mst_error *error) {
    mst_status status = MST_OK;
    const mst_part_range range = mst_part_elements(&s->problem, array, halo.from, halo.to);
    const size_t element = s->problem.elements[array];
    void *values = NULL;
    if (range.count == 0)
        return MST_OK;
    MST_REQUIRE(values = malloc((size_t)range.count * element), MST_ERROR_HOST_MEMORY, "out of memory looking at a field");
    MST_TRY(s->schedule->kind->get(s->schedule, array, range.first, range.count, values, error));
    *count += mst_nonfinite_count(values, range.count, element);
fail:
    free(values);
    return status;
}

mst_status mst_solver_count(mst_stencil *s, int array, uint64_t *count, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t halos = 0;
    *count = 0;
    if (mst_layers_array_nodes(&s->problem, array) > 0)
        MST_TRY(s->schedule->kind->count_nonfinite(s->schedule, array, count, error));
    for (int side = 0; side < 2 && s->halo_steps > 0; side++)
        MST_TRY(count_halo(s, array, halo_of(s, side), &halos, error));
    *count -= halos;
fail:
    return status;
}

// ---- The public functions

#define HALO MST_DESCRIPTION(mst_stencil_halo, MST_STENCIL_HALO_INIT, steps_left)

static mst_status begin(mst_stencil *s, int side, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(s, MST_ERROR_ARGUMENT, "solver must not be NULL");
    MST_REQUIRE(s->halo_steps > 0, MST_ERROR_ARGUMENT, "the solver has the whole grid; desc->part makes one of a part");
    MST_REQUIRE(side == 0 || side == 1, MST_ERROR_ARGUMENT, "side %d is none; 0 is below, 1 above", side);
    MST_TRY(mst_turn_take(s->turn, error));
fail:
    return status;
}

mst_status mst_stencil_describe_halo(mst_stencil *s, mst_stencil_halo *halo, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_halo full = MST_STENCIL_HALO_INIT;
    MST_REQUIRE(halo, MST_ERROR_ARGUMENT, "halo must not be NULL");
    MST_TRY(mst_description_check(HALO, halo, error));
    MST_TRY(begin(s, 0, error));
    for (int side = 0; side < 2; side++) {
        const planes held = halo_of(s, side);
        full.planes[side] = (size_t)(held.to - held.from);
        full.given_bytes[side] = mst_edge_bytes(s, side);
        full.taken_bytes[side] = mst_halo_bytes(s, side);
    }
    full.steps_left = s->steps_left;
    mst_description_write(HALO, &full, halo);
    return mst_turn_give(s->turn, MST_OK);
fail:
    return status;
}

mst_status mst_stencil_read_halo(mst_stencil *s, int side, void *to, mst_error *error) {
    mst_status status = begin(s, side, error);
    if (status != MST_OK)
        return status;
    if (s->missing || !to)
        status = mst_fail(error, MST_ERROR_ARGUMENT,
                          to ? "the state was lost in a run that failed; write every field again" : "to must not be NULL");
    else
        status = mst_edge_get(s, side, to, error);
    return mst_turn_give(s->turn, status);
}

mst_status mst_stencil_write_halo(mst_stencil *s, int side, const void *from, mst_error *error) {
    mst_status status = begin(s, side, error);
    if (status != MST_OK)
        return status;
    status = from ? mst_halo_put(s, side, from, error) : mst_fail(error, MST_ERROR_ARGUMENT, "from must not be NULL");
    if (status == MST_OK) {
        s->filled |= (uint64_t)1 << side;
        bool all = true;
        for (int k = 0; k < 2; k++)
            all = all && ((s->filled >> k & 1) || mst_halo_bytes(s, k) == 0);
        s->steps_left = all ? s->halo_steps : s->steps_left;
    }
    return mst_turn_give(s->turn, status);
}
