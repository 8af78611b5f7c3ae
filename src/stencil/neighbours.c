#include "neighbours.h"

#include "packing.h"
#include "runtime/description.h"
#include "runtime/numbers.h"
#include "schedules/memory.h"

#include <stdlib.h>

#define NEIGHBOURS MST_DESCRIPTION(mst_stencil_neighbours, MST_STENCIL_NEIGHBOURS_INIT, user)

static mst_status check(const mst_stencil *s, const mst_stencil_neighbours *with, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(s->halo_steps > 0, MST_ERROR_ARGUMENT, "the solver has the whole grid; desc->part makes one of a part");
    MST_REQUIRE(with->exchange, MST_ERROR_ARGUMENT, "neighbours->exchange must not be NULL");
    for (int side = 0; side < (s->is_brick ? 1 : 2); side++) {
        const uint64_t given = s->is_brick ? mst_halos_given(s) : mst_edge_bytes(s, side);
        const uint64_t taken = s->is_brick ? mst_halos_taken(s) : mst_halo_bytes(s, side);
        MST_REQUIRE(with->given[side] || given == 0, MST_ERROR_ARGUMENT,
                    "neighbours->given[%d] is NULL; it is to have room for %llu bytes", side, (unsigned long long)given);
        MST_REQUIRE(with->taken[side] || taken == 0, MST_ERROR_ARGUMENT,
                    "neighbours->taken[%d] is NULL; it is to have room for %llu bytes", side, (unsigned long long)taken);
    }
fail:
    return status;
}

mst_status mst_part_run_begin(mst_stencil *s, const mst_stencil_neighbours *with, mst_part_run *out, mst_error *error) {
    mst_status status = MST_OK;
    *out = (mst_part_run){.solver = s};
    MST_TRY(mst_description_read(NEIGHBOURS, with, &out->with, error));
    MST_TRY(check(s, &out->with, error));
    out->left = out->with.first;
    out->beside = s->inputs.wishes.beside && s->schedule->kind->advance_cuts;
    out->cuts = mst_part_cuts(s);
    out->down = (mst_queue)MST_QUEUE(s->context, s->context->download);
    out->up = (mst_queue)MST_QUEUE(s->context, s->context->upload);
    for (int side = 0; side < s->n_links && !s->packing; side++) {
        MST_TRY(mst_halo_cut(s, side, true, MST_HALO_PIECE, &out->gives[side], &out->n_gives[side], error));
        MST_TRY(mst_halo_cut(s, side, false, MST_HALO_PIECE, &out->takes[side], &out->n_takes[side], error));
    }
fail:
    return status;
}

void mst_part_run_release(mst_part_run *run) {
    for (int side = 0; side < MST_MOST_LINKS; side++) {
        free(run->gives[side]);
        free(run->takes[side]);
    }
    mst_queue_release(&run->down);
    mst_queue_release(&run->up);
}

mst_status mst_part_run_settle(mst_part_run *run, mst_error *error) { return mst_queue_finish(&run->up, error); }

void mst_part_run_abandon(mst_part_run *run) {
    mst_queue_abandon(&run->down);
    mst_queue_abandon(&run->up);
}

// ---- An exchange

// What one neighbour is given, or gives.
static mst_status move_pieces(mst_part_run *run, int side, bool up, mst_error *error) {
    mst_status status = MST_OK;
    const mst_stencil *s = run->solver;
    const mst_link *link = &s->links[side];
    const mst_halo_piece *pieces = up ? run->takes[side] : run->gives[side];
    unsigned char *host = s->is_brick ? (unsigned char *)(up ? run->with.taken : run->with.given)[0]
                                      : (unsigned char *)(up ? run->with.taken : run->with.given)[side];
    host += !s->is_brick || !host ? 0 : up ? link->taken_at : link->given_at;
    for (size_t i = 0; i < (up ? run->n_takes : run->n_gives)[side]; i++)
        MST_TRY(mst_piece_move(run->solver, up ? &run->up : &run->down, &pieces[i], up, host + pieces[i].at, error));
fail:
    return status;
}

// What all neighbours are given, to the host.
static mst_status download(mst_part_run *run, mst_error *error) {
    mst_status status = MST_OK;
    if (run->solver->packing)
        return mst_packing_download(run->solver->packing, &run->down, run->with.given[0], error);
    for (int side = 0; side < run->solver->n_links; side++)
        MST_TRY(move_pieces(run, side, false, error));
    MST_TRY(mst_queue_finish(&run->down, error));
fail:
    return status;
}

static mst_status upload(mst_part_run *run, mst_error *error) {
    mst_status status = MST_OK;
    if (run->solver->packing)
        return mst_packing_upload(run->solver->packing, &run->up, run->with.taken[0], error);
    for (int side = 0; side < run->solver->n_links; side++)
        MST_TRY(move_pieces(run, side, true, error));
fail:
    return status;
}

// With `behind`, kernels that are queued later wait for what is on its way up; else it is there.
static mst_status exchange(mst_part_run *run, bool behind, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    cl_event halos = NULL;
    MST_TRY(download(run, error));
    MST_TRY(run->with.exchange(run->with.user, error));
    MST_TRY(upload(run, error));
    MST_TRY_CL(clFlush(run->up.opencl), "cannot upload halos");
    if (behind && mst_halos_taken(run->solver) > 0) {
        MST_TRY(mst_event_mark(&run->up, &halos, error));
        MST_TRY(mst_queue_barrier(&run->solver->schedule->queue, 1, &halos, "halos", error));
    } else {
        MST_TRY(mst_queue_finish(&run->up, error));
    }
    if (run->solver->packing)
        MST_TRY(mst_packing_spread(run->solver->packing, error));
    traffic->download_bytes += mst_halos_given(run->solver);
    traffic->upload_bytes += mst_halos_taken(run->solver);
    run->left = run->solver->steps_left = run->solver->halo_steps;
fail:
    mst_event_drop(&halos);
    return status;
}

// Behind which what neighbours are given may be downloaded.
typedef struct given_halos {
    mst_stencil *solver;
    cl_event event;
} given_halos;

static mst_status mark_given(void *user, mst_error *error) {
    given_halos *halos = user;
    const mst_status status = halos->solver->packing ? mst_packing_gather(halos->solver->packing, error) : MST_OK;
    return status == MST_OK ? mst_event_mark(&halos->solver->schedule->queue, &halos->event, error) : status;
}

// Queues n steps, what neighbours are given first, and exchanges that while the rest goes on.
static mst_status advance_and_exchange(mst_part_run *run, uint64_t n, uint64_t row, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    mst_schedule *schedule = run->solver->schedule;
    given_halos given = {run->solver, NULL};
    MST_TRY(schedule->kind->advance_cuts(schedule, n, row, &run->cuts, mark_given, &given, error));
    MST_TRY_CL(clFlush(schedule->queue.opencl), "cannot queue steps"); // or a driver may leave the rest until later
    MST_TRY_CL(mst_wait_for_events(1, &given.event), "cannot compute edges");
    MST_TRY(exchange(run, true, traffic, error));
fail:
    mst_event_drop(&given.event);
    return status;
}

static mst_status settle_and_exchange(mst_part_run *run, mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    mst_schedule *schedule = run->solver->schedule;
    MST_TRY(schedule->kind->settle(schedule, traffic, error));
    if (run->solver->packing) {
        MST_TRY(mst_packing_gather(run->solver->packing, error));
        MST_TRY(mst_queue_finish(&schedule->queue, error));
    }
    MST_TRY(exchange(run, false, traffic, error));
fail:
    return status;
}

mst_status mst_part_run_advance(mst_part_run *run, uint64_t row, uint64_t most, uint64_t to_come, uint64_t *n,
                                mst_traffic *traffic, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil *s = run->solver;
    mst_schedule *schedule = s->schedule;
    if (run->left == 0)
        MST_TRY(settle_and_exchange(run, traffic, error));
    *n = mst_smaller(run->left, most);
    if (run->beside && *n == run->left && (*n < to_come || run->with.goes_on))
        return advance_and_exchange(run, *n, row, traffic, error);
    *n = mst_plan_trip(&s->plan, *n);
    MST_TRY(schedule->kind->advance(schedule, *n, row, traffic, error));
    run->left -= *n;
    s->steps_left -= mst_smaller(*n, s->steps_left);          // none where nothing is read across the cuts
    if (run->left == 0 && *n == to_come && run->with.goes_on) // as parts do that exchange beside their steps
        MST_TRY(settle_and_exchange(run, traffic, error));
fail:
    return status;
}
