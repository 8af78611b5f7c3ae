// What monitors and spectra found, for the caller.
#include "runtime/description.h"
#include "runtime/numbers.h"
#include "solver.h"
#include "stream/transfer.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 23 };

#define MEETING MST_DESCRIPTION(mst_stencil_meeting, MST_STENCIL_MEETING_INIT, user)

// How a part meets the others; a solver of the whole grid meets none, with NULL.
static mst_status meet(mst_stencil *s, const mst_stencil_meeting *given, mst_stencil_meeting *with, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(!given || s->halo_steps > 0, MST_ERROR_ARGUMENT, "the solver has the whole grid; desc->part makes one of a part");
    MST_REQUIRE(given || s->halo_steps == 0, MST_ERROR_ARGUMENT,
                "the solver has a part of a grid, whose monitors all parts look at together (mst_stencil_measure_part)");
    MST_REQUIRE(!s->missing, MST_ERROR_ARGUMENT, "the state was lost in a run that failed; write every field again");
    if (given) {
        MST_TRY(mst_description_read(MEETING, given, with, error));
        MST_REQUIRE(with->take && with->give && with->join, MST_ERROR_ARGUMENT, "the functions of a meeting must not be NULL");
        s->observer.with = with;
        mst_observer_forget(&s->observer); // or some parts would look again, and others not
    }
fail:
    return status;
}

// With what became of the part's own work, if that failed.
static mst_status take_leave(mst_stencil *s, mst_status met) {
    const mst_status own = s->observer.own;
    s->observer.with = NULL;
    s->observer.own = MST_OK;
    return own != MST_OK ? own : met;
}

static mst_status measure(mst_stencil *s, size_t monitor, const mst_stencil_meeting *given, double *value, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = s->problem.observations->n_monitors;
    mst_stencil_meeting with;
    const double *found;
    MST_REQUIRE(value, MST_ERROR_ARGUMENT, "value must not be NULL");
    MST_REQUIRE(monitor < n, MST_ERROR_ARGUMENT, "there is no monitor %zu; there are %zu", monitor, n);
    MST_TRY(meet(s, given, &with, error));
    MST_TRY(take_leave(s, mst_observer_measure(&s->observer, monitor, s->step, &found, error)));
    memcpy(value, found, mst_observer_runs(&s->observer) * sizeof *value);
fail:
    return status;
}

static mst_status measure_in_turn(mst_stencil *s, size_t monitor, const mst_stencil_meeting *meeting, double *value,
                                  mst_error *error) {
    if (!s)
        return mst_fail(error, MST_ERROR_ARGUMENT, "solver must not be NULL");
    mst_status status = mst_turn_take(s->turn, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, measure(s, monitor, meeting, value, error));
}

mst_status mst_stencil_measure(mst_stencil *s, size_t monitor, double *value, mst_error *error) {
    return measure_in_turn(s, monitor, NULL, value, error);
}

mst_status mst_stencil_measure_part(mst_stencil *s, size_t monitor, const mst_stencil_meeting *meeting, double *value,
                                    mst_error *error) {
    if (!meeting)
        return mst_fail(error, MST_ERROR_ARGUMENT, "meeting must not be NULL");
    return measure_in_turn(s, monitor, meeting, value, error);
}

static mst_status look(mst_stencil *s, const mst_stencil_meeting *meeting, bool *ended, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_meeting with;
    MST_TRY(meet(s, meeting, &with, error));
    status = take_leave(s, mst_observer_look(&s->observer, s->step, ended, error));
    if (status != MST_OK) // what is recorded would have a gap
        s->missing = mst_solver_all_arrays(s);
    else if (*ended && s->check_every && s->checked_step != s->step) // as where a run ends
        status = mst_solver_check(s, error);
    *ended &= status == MST_OK;
fail:
    return status;
}

mst_status mst_stencil_look_part(mst_stencil *s, const mst_stencil_meeting *meeting, bool *ended, mst_error *error) {
    if (!s || !meeting || !ended)
        return mst_fail(error, MST_ERROR_ARGUMENT, "solver, meeting and ended must not be NULL");
    *ended = false;
    mst_status status = mst_turn_take(s->turn, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, look(s, meeting, ended, error));
}

uint64_t mst_stencil_next_look(const mst_stencil *s) { return s ? mst_observer_next(&s->observer, s->step) : UINT64_MAX; }

mst_status mst_stencil_read_monitor(const mst_stencil *s, size_t monitor, uint64_t first, uint64_t count, double *values,
                                    mst_error *error) {
    mst_status status = MST_OK;
    bool waited = false;
    MST_REQUIRE(s && values, MST_ERROR_ARGUMENT, "solver and values must not be NULL");
    waited = mst_turn_take(s->turn, NULL) == MST_OK; // else a run's progress function asks, which may
    const mst_observations *all = s->problem.observations;
    MST_REQUIRE(monitor < all->n_monitors && all->monitors[monitor].what.every > 0, MST_ERROR_ARGUMENT,
                "there is no monitor %zu that records; there are %zu", monitor, all->n_monitors);
    const mst_record *r = &s->observer.records[monitor];
    const size_t runs = mst_observer_runs(&s->observer);
    const uint64_t before = s->observer.recorded_from / all->monitors[monitor].what.every;
    MST_REQUIRE(count == 0 || (first > before && count <= r->n && first - before - 1 <= r->n - count), MST_ERROR_ARGUMENT,
                "values %llu to %llu are not among those recorded, %llu to %llu", (unsigned long long)first,
                (unsigned long long)(first + count - 1), (unsigned long long)before + 1, (unsigned long long)(before + r->n));
    if (count > 0)
        memcpy(values, r->values + (first - before - 1) * runs, (size_t)count * runs * sizeof *values);
fail:
    return waited ? mst_turn_give(s->turn, status) : status;
}

// ---- Spectra: their sums in parts

// Numbers of the device's sums, and where they are among those of the whole region.
typedef struct spectrum_piece {
    size_t at, n, whole;
} spectrum_piece;

static mst_status move_sums(mst_stencil *s, const mst_transfer *t, const spectrum_piece *numbers, bool write, void *part,
                            mst_error *error) {
    mst_status status = MST_OK;
    mst_observer *o = &s->observer;
    const size_t e = s->problem.element, at = numbers->at * e, whole = numbers->whole * e, bytes = numbers->n * e;
    for (size_t done = 0, n; done < bytes; done += n) {
        n = bytes - done < CHUNK_BYTES ? bytes - done : CHUNK_BYTES;
        if (write) {
            MST_TRY(mst_transfer_read(s->context->pool, t, whole + done, whole + done + n, part, error));
            MST_TRY(mst_queue_write(&o->queue, CL_TRUE, o->sums, at + done, n, part, t->name, error));
        } else {
            MST_TRY(mst_queue_read(&o->queue, o->sums, at + done, n, part, t->name, error));
            MST_TRY(mst_transfer_write(s->context->pool, t, whole + done, whole + done + n, part, error));
        }
    }
fail:
    return status;
}

// The numbers from `first` on of a spectrum's, as many as lie one behind the other in those of the whole region, too.
static spectrum_piece piece_of(const mst_problem_spectrum *k, uint64_t first) {
    const mst_observation *o = &k->what;
    const uint64_t nodes = mst_spectrum_nodes(k), frequency = first / 2 / nodes;
    uint64_t left = first / 2 % nodes, whole = 0, stride = 1, n = 0;
    bool is_whole = true; // all axes so far
    for (int axis = N_AXES - 1; axis >= 0; axis--) {
        const uint64_t count = mst_observation_own(o, axis), i = left % count;
        n = is_whole ? stride * count : n;
        is_whole = is_whole && count == o->region.count[axis];
        whole += (o->from[axis] + i) * stride;
        stride *= o->region.count[axis];
        left /= count;
    }
    n = is_whole ? stride * k->n_frequencies : n;
    return (spectrum_piece){(size_t)(2 * k->first + first), (size_t)(2 * n), (size_t)(2 * (frequency * stride + whole))};
}

static mst_status move(mst_stencil *s, size_t spectrum, mst_location place, bool write, mst_error *error) {
    mst_status status = MST_OK;
    const mst_observations *all = s->problem.observations;
    void *part = NULL;
    MST_REQUIRE(spectrum < all->n_spectra, MST_ERROR_ARGUMENT, "there is no spectrum %zu; there are %zu", spectrum,
                all->n_spectra);
    MST_REQUIRE(place.place == MST_PLACE_HOST || place.place == MST_PLACE_FILE, MST_ERROR_ARGUMENT,
                "the sums of a spectrum must lie in host memory or a file");
    const mst_problem_spectrum *k = &all->spectra[spectrum];
    const size_t numbers[] = {2 * k->n_frequencies * (size_t)k->what.region.nodes};
    const mst_transfer t = {mst_layout_dense(s->problem.is_double ? MST_FLOAT64 : MST_FLOAT32, 1, numbers), place,
                            "the sums of a spectrum", NULL};
    MST_REQUIRE(part = malloc(CHUNK_BYTES), MST_ERROR_HOST_MEMORY, "out of memory for a spectrum");
    const uint64_t own = 2 * mst_spectrum_nodes(k) * k->n_frequencies;
    for (uint64_t first = 0, n; first < own; first += n) {
        const spectrum_piece piece = piece_of(k, first);
        n = piece.n;
        MST_TRY(move_sums(s, &t, &piece, write, part, error));
    }
    MST_TRY(mst_queue_finish(&s->observer.queue, error));
fail:
    free(part);
    return status;
}

static mst_status move_in_turn(mst_stencil *s, size_t spectrum, mst_location place, bool write, mst_error *error) {
    if (!s)
        return mst_fail(error, MST_ERROR_ARGUMENT, "solver must not be NULL");
    mst_status status = mst_turn_take(s->turn, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, move(s, spectrum, place, write, error));
}

mst_status mst_stencil_read_spectrum(mst_stencil *s, size_t spectrum, mst_location to, mst_error *error) {
    return move_in_turn(s, spectrum, to, false, error);
}

mst_status mst_stencil_write_spectrum(mst_stencil *s, size_t spectrum, mst_location from, mst_error *error) {
    return move_in_turn(s, spectrum, from, true, error);
}
