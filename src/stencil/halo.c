#include "halo.h"

#include "runtime/description.h"
#include "runtime/numbers.h"
#include "schedules/nonfinite.h"
#include "schedules/resident.h"
#include "scheme/layers.h"
#include "scheme/problem_points.h"

#include <math.h>
#include <stdlib.h>

static uint64_t halos_of(const mst_stencil *s, bool taken) {
    uint64_t bytes = 0;
    for (int k = 0; k < s->n_links; k++)
        bytes += taken ? s->links[k].taken_bytes : s->links[k].given_bytes;
    return bytes;
}

uint64_t mst_halos_given(const mst_stencil *s) { return halos_of(s, false); }
uint64_t mst_halos_taken(const mst_stencil *s) { return halos_of(s, true); }
uint64_t mst_edge_bytes(const mst_stencil *s, int side) { return side < s->n_links ? s->links[side].given_bytes : 0; }
uint64_t mst_halo_bytes(const mst_stencil *s, int side) { return side < s->n_links ? s->links[side].taken_bytes : 0; }

static mst_cuts_axis cuts_along(const mst_stencil *s, int axis) {
    const mst_part *p = &s->part[axis];
    const int64_t begin = p->first - p->held_first, end = begin + p->count, beside = s->halos[axis].beside;
    mst_cuts_axis cuts = {.nodes = p->held_count, .high = p->held_count, .to = p->held_count};
    for (int k = 0; k < s->n_links; k++) {
        const mst_link *link = &s->links[k];
        const bool is_cut = link->given_bytes + link->taken_bytes > 0; // what is taken may not be computed meanwhile
        if (is_cut && link->side[axis] < 0) {
            cuts.from = begin - beside;
            cuts.low = link->given.to[axis] - p->held_first;
        } else if (is_cut && link->side[axis] > 0) {
            cuts.high = link->given.from[axis] - p->held_first;
            cuts.to = end + beside;
        }
    }
    return cuts;
}

mst_cuts mst_part_cuts(const mst_stencil *s) {
    mst_cuts cuts;
    for (int axis = 0; axis < N_AXES; axis++)
        cuts.axes[axis] = cuts_along(s, axis);
    return cuts;
}

// As mst_schedule_kind.see has it, without a schedule.
static bool is_in_host(const mst_stencil *s, int array) {
    const mst_stencil_schedule schedule = s->plan.schedule;
    return !mst_plan_in_core(schedule) && s->plan.footprint.parts[MST_FOOTPRINT_STORE].memory != MST_MEMORY_FILE &&
           !(schedule == MST_STENCIL_SKEWED_SWEEPS && mst_is_resident(&s->problem, array));
}

// ---- Pieces

// The elements of a box of nodes; none, if some axis has none.
static mst_halo_piece piece_of(const mst_problem *p, int array, const mst_link_box *box) {
    mst_halo_piece piece = {.array = array};
    for (int axis = 0; axis < N_AXES; axis++) {
        const mst_part_range range = mst_part_along(p, array, axis, box->from[axis], box->to[axis]);
        piece.from[axis] = range.first;
        piece.count[axis] = range.count;
    }
    return piece;
}

static uint64_t elements_of(const mst_halo_piece *piece) {
    return piece->count[PLANES] * piece->count[ROWS] * piece->count[COLUMNS];
}

uint64_t mst_piece_first(const mst_stencil *s, const mst_halo_piece *piece) {
    uint64_t grid[N_AXES];
    mst_layers_grid(&s->problem, piece->array, grid);
    return (piece->from[PLANES] * grid[ROWS] + piece->from[ROWS]) * grid[COLUMNS] + piece->from[COLUMNS];
}

static mst_status move_run(mst_stencil *s, int array, uint64_t first, uint64_t count, bool up, void *host, mst_error *error) {
    const mst_schedule_kind *kind = s->schedule->kind;
    return up ? kind->put(s->schedule, array, first, count, host, error)
              : kind->get(s->schedule, array, first, count, host, error);
}

// In runs of elements that lie one behind the other: a part of a row, of a plane, or of the array.
static mst_status move_runs(mst_stencil *s, const mst_halo_piece *piece, bool up, unsigned char *host, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t grid[N_AXES];
    mst_layers_grid(&s->problem, piece->array, grid);
    const uint64_t *count = piece->count, first = mst_piece_first(s, piece);
    const bool rows = count[COLUMNS] == grid[COLUMNS], planes = rows && count[ROWS] == grid[ROWS];
    const uint64_t run = count[COLUMNS] * (rows ? count[ROWS] : 1) * (planes ? count[PLANES] : 1);
    for (uint64_t i = 0; i < (planes ? 1 : count[PLANES]); i++)
        for (uint64_t j = 0; j < (rows ? 1 : count[ROWS]); j++) {
            MST_TRY(move_run(s, piece->array, first + (i * grid[ROWS] + j) * grid[COLUMNS], run, up, host, error));
            host += run * s->problem.elements[piece->array];
        }
fail:
    return status;
}

mst_status mst_piece_move(mst_stencil *s, mst_queue *queue, const mst_halo_piece *piece, bool up, void *host, mst_error *error) {
    mst_schedule *schedule = s->schedule;
    if (!schedule->kind->move)
        return move_runs(s, piece, up, host, error);
    return schedule->kind->move(schedule, queue, piece->array, piece->from, piece->count, up, host, error);
}

// Of an array, from byte `at` on. Fills in the pieces unless they are NULL, and counts them.
static size_t cut_array(const mst_problem *p, int array, const mst_link_box *box, uint64_t bytes, uint64_t *at,
                        mst_halo_piece *pieces) {
    size_t n = 0;
    const mst_halo_piece all = piece_of(p, array, box);
    const uint64_t plane = all.count[ROWS] * all.count[COLUMNS] * p->elements[array];
    const uint64_t step = plane > 0 ? mst_larger(bytes / plane, (uint64_t)1) : 1;
    for (uint64_t i = 0; i < all.count[PLANES] && plane > 0; i += step, n++) {
        const uint64_t planes = mst_smaller(step, all.count[PLANES] - i);
        if (pieces) {
            pieces[n] = all;
            pieces[n].from[PLANES] += i;
            pieces[n].count[PLANES] = planes;
            pieces[n].at = *at;
        }
        *at += planes * plane;
    }
    return n;
}

static size_t cut_box(const mst_problem *p, const mst_link_box *box, uint64_t bytes, mst_halo_piece *pieces) {
    size_t n = 0;
    uint64_t at = 0;
    for (int a = 0; a < p->n_arrays; a++)
        n += cut_array(p, a, box, bytes, &at, pieces ? pieces + n : NULL);
    return n;
}

mst_status mst_halo_cut(const mst_stencil *s, int side, bool gives, uint64_t bytes, mst_halo_piece **pieces, size_t *n,
                        mst_error *error) {
    mst_status status = MST_OK;
    const mst_link_box *box = gives ? &s->links[side].given : &s->links[side].taken;
    *n = cut_box(&s->problem, box, bytes, NULL);
    MST_REQUIRE(*pieces = calloc(*n + 1, sizeof **pieces), MST_ERROR_HOST_MEMORY, "out of memory for halos");
    cut_box(&s->problem, box, bytes, *pieces);
fail:
    return status;
}

uint64_t mst_edge_down_bytes(const mst_stencil *s, int side) {
    uint64_t bytes = 0;
    for (int a = 0; a < s->problem.n_arrays && side < s->n_links; a++) {
        const mst_halo_piece piece = piece_of(&s->problem, a, &s->links[side].given);
        if (!is_in_host(s, a))
            bytes += elements_of(&piece) * s->problem.elements[a];
    }
    return bytes;
}

// Blocks, by the queue of the schedule.
static mst_status move_box(mst_stencil *s, const mst_link_box *box, bool up, unsigned char *host, mst_error *error) {
    mst_status status = MST_OK;
    mst_queue *queue = &s->schedule->queue;
    for (int a = 0; a < s->problem.n_arrays; a++) {
        const mst_halo_piece piece = piece_of(&s->problem, a, box);
        if (elements_of(&piece) > 0)
            MST_TRY(mst_piece_move(s, queue, &piece, up, host, error));
        host += elements_of(&piece) * s->problem.elements[a];
    }
    MST_TRY(mst_queue_finish(queue, error));
    return MST_OK;
fail:
    mst_queue_abandon(queue);
    return status;
}

mst_status mst_edge_get(mst_stencil *s, int side, void *to, mst_error *error) {
    return move_box(s, &s->links[side].given, false, to, error);
}

mst_status mst_halo_put(mst_stencil *s, int side, const void *from, mst_error *error) {
    return move_box(s, &s->links[side].taken, true, (void *)from, error);
}

// ---- Values that are infinite or NaN

// Of what is held beside the part's own nodes: the layers on both sides of one axis after the other, each within the own nodes of
// the axes before.
static mst_status count_box(mst_stencil *s, int array, const mst_link_box *box, uint64_t *count, mst_error *error) {
    mst_status status = MST_OK;
    const mst_halo_piece piece = piece_of(&s->problem, array, box);
    const uint64_t n = elements_of(&piece);
    const size_t element = s->problem.elements[array];
    mst_queue *queue = &s->schedule->queue;
    void *values = NULL;
    if (n == 0)
        return MST_OK;
    MST_REQUIRE(values = malloc((size_t)n * element), MST_ERROR_HOST_MEMORY, "out of memory looking at a field");
    MST_TRY(mst_piece_move(s, queue, &piece, false, values, error));
    MST_TRY(mst_queue_finish(queue, error));
    *count += mst_nonfinite_count(values, n, element);
    free(values);
    return MST_OK;
fail:
    mst_queue_abandon(queue);
    free(values);
    return status;
}

static mst_status count_halos(mst_stencil *s, int array, uint64_t *count, mst_error *error) {
    mst_status status = MST_OK;
    mst_link_box box;
    for (int axis = 0; axis < N_AXES; axis++) {
        box.from[axis] = s->part[axis].held_first;
        box.to[axis] = box.from[axis] + s->part[axis].held_count;
    }
    for (int axis = 0; axis < N_AXES; axis++) {
        const int64_t to = box.to[axis], first = s->part[axis].first, end = first + s->part[axis].count;
        box.to[axis] = first;
        MST_TRY(count_box(s, array, &box, count, error));
        box.from[axis] = end;
        box.to[axis] = to;
        MST_TRY(count_box(s, array, &box, count, error));
        box.from[axis] = first;
        box.to[axis] = end;
    }
fail:
    return status;
}

mst_status mst_solver_count(mst_stencil *s, int array, uint64_t *count, mst_error *error) {
    mst_status status = MST_OK;
    uint64_t halos = 0;
    *count = 0;
    if (mst_layers_array_nodes(&s->problem, array) > 0)
        MST_TRY(s->schedule->kind->count_nonfinite(s->schedule, array, count, error));
    if (s->halo_steps > 0)
        MST_TRY(count_halos(s, array, &halos, error));
    *count -= halos;
fail:
    return status;
}

// ---- The public functions

static mst_status begin(mst_stencil *s, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(s, MST_ERROR_ARGUMENT, "solver must not be NULL");
    MST_REQUIRE(s->halo_steps > 0, MST_ERROR_ARGUMENT, "the solver has the whole grid; desc->part makes one of a part");
    MST_TRY(mst_turn_take(s->turn, error));
fail:
    return status;
}

#define NEIGHBOUR MST_DESCRIPTION(mst_stencil_neighbour, MST_STENCIL_NEIGHBOUR_INIT, taken_bytes)

mst_status mst_stencil_describe_neighbour(mst_stencil *s, size_t index, mst_stencil_neighbour *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_neighbour full = MST_STENCIL_NEIGHBOUR_INIT;
    MST_REQUIRE(out, MST_ERROR_ARGUMENT, "neighbour must not be NULL");
    MST_TRY(mst_description_check(NEIGHBOUR, out, error));
    MST_TRY(begin(s, error));
    full.n = (size_t)s->n_links;
    if (index < full.n) {
        const mst_link *link = &s->links[index];
        for (int k = 0; k < s->problem.rank; k++)
            full.side[k] = link->side[mst_problem_axis(s->problem.rank, k)];
        full.given_at = link->given_at;
        full.given_bytes = link->given_bytes;
        full.taken_at = link->taken_at;
        full.taken_bytes = link->taken_bytes;
    }
    mst_description_write(NEIGHBOUR, &full, out);
    return mst_turn_give(s->turn, MST_OK);
fail:
    return status;
}

#define HALO MST_DESCRIPTION(mst_stencil_halo, MST_STENCIL_HALO_INIT, steps_left)

static mst_status begin_side(mst_stencil *s, int side, mst_error *error) {
    mst_status status = begin(s, error);
    if (status != MST_OK || (side >= 0 && side < s->n_links))
        return status;
    status = s->is_brick ? mst_fail(error, MST_ERROR_ARGUMENT, "there is no neighbour %d; there are %d", side, s->n_links)
                         : mst_fail(error, MST_ERROR_ARGUMENT, "side %d is none; 0 is below, 1 above", side);
    return mst_turn_give(s->turn, status);
}

mst_status mst_stencil_describe_halo(mst_stencil *s, mst_stencil_halo *halo, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_halo full = MST_STENCIL_HALO_INIT;
    MST_REQUIRE(halo, MST_ERROR_ARGUMENT, "halo must not be NULL");
    MST_TRY(mst_description_check(HALO, halo, error));
    MST_TRY(begin(s, error));
    const mst_part *slowest = &s->part[s->problem.rank == 1 ? COLUMNS : PLANES];
    full.planes[0] = (size_t)(slowest->first - slowest->held_first);
    full.planes[1] = (size_t)(slowest->held_count - slowest->count) - full.planes[0];
    for (int side = 0; side < 2; side++) {
        full.given_bytes[side] = !s->is_brick ? mst_edge_bytes(s, side) : side == 0 ? mst_halos_given(s) : 0;
        full.taken_bytes[side] = !s->is_brick ? mst_halo_bytes(s, side) : side == 0 ? mst_halos_taken(s) : 0;
    }
    full.steps_left = s->steps_left;
    mst_description_write(HALO, &full, halo);
    return mst_turn_give(s->turn, MST_OK);
fail:
    return status;
}

mst_status mst_stencil_read_halo(mst_stencil *s, int side, void *to, mst_error *error) {
    mst_status status = begin_side(s, side, error);
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
    mst_status status = begin_side(s, side, error);
    if (status != MST_OK)
        return status;
    status = from ? mst_halo_put(s, side, from, error) : mst_fail(error, MST_ERROR_ARGUMENT, "from must not be NULL");
    if (status == MST_OK) {
        s->filled |= (uint64_t)1 << side;
        bool all = true;
        for (int k = 0; k < s->n_links; k++)
            all = all && ((s->filled >> k & 1) || mst_halo_bytes(s, k) == 0);
        s->steps_left = all ? s->halo_steps : s->steps_left;
    }
    return mst_turn_give(s->turn, status);
}
