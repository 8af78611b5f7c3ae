// What monitors and spectra found, for the caller.
#include "solver.h"
#include "stream/transfer.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BYTES = 1 << 23 };

static mst_status measure(mst_stencil *s, size_t monitor, double *value, mst_error *error) {
    mst_status status = MST_OK;
    const size_t n = s->problem.observations->n_monitors;
    const double *found;
    MST_REQUIRE(value, MST_ERROR_ARGUMENT, "value must not be NULL");
    MST_REQUIRE(monitor < n, MST_ERROR_ARGUMENT, "there is no monitor %zu; there are %zu", monitor, n);
    MST_REQUIRE(!s->missing, MST_ERROR_ARGUMENT, "the state was lost in a run that failed; write every field again");
    MST_TRY(mst_observer_measure(&s->observer, monitor, s->step, &found, error));
    memcpy(value, found, mst_observer_runs(&s->observer) * sizeof *value);
fail:
    return status;
}

mst_status mst_stencil_measure(mst_stencil *s, size_t monitor, double *value, mst_error *error) {
    if (!s)
        return mst_fail(error, MST_ERROR_ARGUMENT, "solver must not be NULL");
    mst_status status = mst_turn_take(s->turn, error);
    if (status != MST_OK)
        return status;
    return mst_turn_give(s->turn, measure(s, monitor, value, error));
}

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

static mst_status move(mst_stencil *s, size_t spectrum, mst_location place, bool write, mst_error *error) {
    mst_status status = MST_OK;
    const mst_observations *all = s->problem.observations;
    mst_observer *o = &s->observer;
    void *part = NULL;
    MST_REQUIRE(spectrum < all->n_spectra, MST_ERROR_ARGUMENT, "there is no spectrum %zu; there are %zu", spectrum,
                all->n_spectra);
    MST_REQUIRE(place.place == MST_PLACE_HOST || place.place == MST_PLACE_FILE, MST_ERROR_ARGUMENT,
                "the sums of a spectrum must lie in host memory or a file");
    const mst_problem_spectrum *k = &all->spectra[spectrum];
    const size_t numbers[] = {2 * k->n_frequencies * (size_t)k->what.region.nodes}, bytes = numbers[0] * s->problem.element;
    const size_t at = (size_t)(2 * k->first) * s->problem.element;
    const mst_transfer t = {mst_layout_dense(s->problem.is_double ? MST_FLOAT64 : MST_FLOAT32, 1, numbers), place,
                            "the sums of a spectrum", NULL};
    MST_REQUIRE(part = malloc(bytes < CHUNK_BYTES ? bytes : CHUNK_BYTES), MST_ERROR_HOST_MEMORY, "out of memory for a spectrum");
    for (size_t done = 0, n; done < bytes; done += n) {
        n = bytes - done < CHUNK_BYTES ? bytes - done : CHUNK_BYTES;
        if (write) {
            MST_TRY(mst_transfer_read(s->context->pool, &t, done, done + n, part, error));
            MST_TRY(mst_queue_write(&o->queue, CL_TRUE, o->sums, at + done, n, part, t.name, error));
        } else {
            MST_TRY(mst_queue_read(&o->queue, o->sums, at + done, n, part, t.name, error));
            MST_TRY(mst_transfer_write(s->context->pool, &t, done, done + n, part, error));
        }
    }
    MST_TRY(mst_queue_finish(&o->queue, error));
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
