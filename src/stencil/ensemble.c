// Ensembles: many problems that differ in parameters become one, of a grid with one axis more. What grids of three axes are read
// for is repeated in every run when they are read.
#include "description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1 << 20, MOST_GRIDS = (1 << 16) - 1 }; // the latter that all devices launch at once

static mst_status check(const mst_stencil_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->n_runs <= MOST_RUNS, MST_ERROR_ARGUMENT, "there are %zu runs; at most %d", d->n_runs, MOST_RUNS);
    MST_REQUIRE(d->rank >= 1 && d->rank <= MST_MAX_AXES, MST_ERROR_ARGUMENT, "the grid has %d axes; 1 to 3 are supported",
                d->rank);
    MST_REQUIRE(d->rank < MST_MAX_AXES || d->n_runs <= MOST_GRIDS, MST_ERROR_ARGUMENT,
                "there are %zu runs of grids of three axes; at most %d", d->n_runs, MOST_GRIDS);
    MST_REQUIRE(d->n_run_parameters == 0 || (d->run_parameters && d->run_values), MST_ERROR_ARGUMENT,
                "run_parameters and run_values must not be NULL");
    for (size_t k = 0; k < d->n_sources; k++)
        MST_REQUIRE(!d->sources[k].region, MST_ERROR_ARGUMENT,
                    "source %zu is a region; those of an ensemble of runs are at places", k);
    for (size_t k = 0; k < d->n_run_parameters; k++)
        MST_REQUIRE(d->run_parameters[k], MST_ERROR_ARGUMENT, "parameter %zu of the runs has no name", k);
fail:
    return status;
}

static void expand_boundaries(int rank, mst_stencil_boundary *boundaries) {
    memmove(boundaries + 2, boundaries, 2 * (size_t)(rank - 1) * sizeof boundaries[0]);
    memset(boundaries, 0, 2 * sizeof boundaries[0]);
}

static void expand_grid(mst_scheme_description *out) {
    mst_stencil_desc *d = &out->desc;
    for (int k = d->rank; k > 0; k--) {
        d->grid[k] = d->grid[k - 1];
        d->spacing[k] = d->spacing[k - 1];
    }
    d->grid[0] = d->n_runs;
    d->spacing[0] = 1;
    d->rank++;
    if (d->boundaries)
        expand_boundaries(d->rank, out->boundaries);
}

// Data of the grid's shape are those of every run.
static void expand_initial(int rank, size_t n_runs, mst_stencil_initial *initial) {
    mst_layout *l = &initial->layout;
    if (l->rank != rank - 1)
        return;
    for (int k = l->rank; k > 0; k--) {
        l->shape[k] = l->shape[k - 1];
        l->strides[k] = l->strides[k - 1];
    }
    l->shape[0] = n_runs;
    l->strides[0] = 0;
    l->rank = rank;
}

static void expand_point(const size_t from[MST_MAX_AXES], size_t run, size_t to[MST_MAX_AXES]) {
    to[0] = run;
    for (int k = 1; k < MST_MAX_AXES; k++)
        to[k] = from[k - 1];
}

// A place, which is that of a run where the number of nodes along the slowest axis is whole.
static void expand_position(const double *from, int rank, size_t run, double to[MST_MAX_AXES]) {
    to[0] = (double)run;
    for (int k = 1; k < MST_MAX_AXES; k++)
        to[k] = k < rank ? from[k - 1] : 0;
}

// Every source in every run.
static mst_status expand_sources(mst_scheme_description *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_desc *d = &out->desc;
    mst_stencil_source *all = NULL;
    double(*positions)[MST_MAX_AXES];
    size_t n, bytes;
    if (d->n_sources == 0)
        return MST_OK;
    MST_REQUIRE(mst_multiply(d->n_sources, d->n_runs, &n) && mst_multiply(n, sizeof *all + sizeof *positions, &bytes) &&
                    (all = malloc(bytes)),
                MST_ERROR_HOST_MEMORY, "out of memory for the sources of %zu runs", d->n_runs);
    positions = (void *)(all + n);
    for (size_t i = 0; i < n; i++) {
        const mst_stencil_source *from = &d->sources[i / d->n_runs];
        all[i] = *from;
        expand_point(from->point, i % d->n_runs, all[i].point);
        if (from->position) {
            expand_position(from->position, d->rank, i % d->n_runs, positions[i]);
            all[i].position = positions[i];
        }
    }
    free(out->arrays[3]);
    d->sources = out->arrays[3] = all;
    d->n_sources = n;
fail:
    return status;
}

// A point of a receiver, by its node or its position.
typedef union place {
    size_t point[MST_MAX_AXES];
    double position[MST_MAX_AXES];
} place;

// Every receiver's points in every run, run by run.
static mst_status expand_receivers(mst_scheme_description *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_desc *d = &out->desc;
    mst_stencil_receiver *receivers = out->arrays[4];
    size_t n = 0, bytes, at = 0;
    for (size_t k = 0; k < d->n_receivers; k++) {
        const mst_stencil_receiver *r = &receivers[k];
        MST_REQUIRE(r->n_points == 0 || r->points || r->positions, MST_ERROR_ARGUMENT, "receiver %zu has no points", k);
        MST_REQUIRE(mst_add(n, r->n_points, &n), MST_ERROR_ARGUMENT, "the receivers have too many points");
    }
    place *places = NULL;
    if (n == 0)
        return MST_OK;
    MST_REQUIRE(mst_multiply(n, d->n_runs * sizeof *places, &bytes) && (places = malloc(bytes)), MST_ERROR_HOST_MEMORY,
                "out of memory for the receivers of %zu runs", d->n_runs);
    out->arrays[7] = places;
    for (size_t k = 0; k < d->n_receivers; k++) {
        mst_stencil_receiver *r = &receivers[k];
        const size_t m = r->n_points, first = at;
        for (size_t i = 0; i < m * d->n_runs; i++, at++) {
            if (r->points)
                expand_point(r->points[i % m], i / m, places[at].point);
            else
                expand_position(r->positions[i % m], d->rank, i / m, places[at].position);
        }
        r->n_points = m * d->n_runs;
        r->points = r->points ? (const void *)(places + first) : NULL;
        r->positions = r->positions ? (const void *)(places + first) : NULL;
    }
fail:
    return status;
}

// A region of each run's grid, of one run or of all of them; all 0 is all of it here, too.
static void expand_region(const mst_stencil_desc *d, size_t n_runs, mst_stencil_region *region) {
    static const mst_stencil_region whole;
    const bool all = memcmp(region, &whole, sizeof whole) == 0;
    for (int k = d->rank - 1; k > 0; k--) {
        region->start[k] = region->start[k - 1];
        region->step[k] = all ? 1 : region->step[k - 1];
        region->count[k] = all ? d->grid[k] : region->count[k - 1];
    }
    region->start[0] = 0;
    region->step[0] = 1;
    region->count[0] = n_runs;
}

// A monitor has the region of run 0, from which the others' follow; a spectrum that of all runs.
static void expand_observations(mst_scheme_description *out) {
    mst_stencil_desc *d = &out->desc;
    mst_stencil_monitor *monitors = out->arrays[5];
    mst_stencil_spectrum *spectra = out->arrays[6];
    for (size_t k = 0; monitors && k < d->n_monitors; k++)
        expand_region(d, 1, &monitors[k].region);
    for (size_t k = 0; spectra && k < d->n_spectra; k++)
        expand_region(d, d->n_runs, &spectra[k].region);
}

mst_status mst_ensemble_expand(mst_scheme_description *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_desc *d = &out->desc;
    mst_stencil_field *fields = out->arrays[1];
    MST_TRY(check(d, error));
    const bool has_grids = d->rank == MST_MAX_AXES;
    if (has_grids)
        d->rank++;
    else
        expand_grid(out);
    for (size_t k = 0; k < d->n_fields && d->n_fields <= MST_STENCIL_MAX_FIELDS; k++) {
        expand_initial(d->rank, d->n_runs, &fields[k].initial);
        expand_initial(d->rank, d->n_runs, &fields[k].previous);
        if (fields[k].boundaries && !has_grids)
            expand_boundaries(d->rank, out->field_boundaries[k]);
    }
    if (has_grids)
        return MST_OK;
    MST_TRY(expand_sources(out, error));
    MST_TRY(expand_receivers(out, error));
    expand_observations(out);
fail:
    return status;
}
