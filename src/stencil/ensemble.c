// Ensembles: many problems that differ in parameters become one, of a grid with one axis more.
#include "description.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 1 << 20 };

static mst_status check(const mst_stencil_desc *d, mst_error *error) {
    mst_status status = MST_OK;
    MST_REQUIRE(d->n_runs <= MOST_RUNS, MST_ERROR_ARGUMENT, "there are %zu runs; at most %d", d->n_runs, MOST_RUNS);
    MST_REQUIRE(d->rank >= 1 && d->rank < MST_MAX_AXES, MST_ERROR_ARGUMENT,
                "the grid of an ensemble of runs has %d axes; 1 or 2 are supported", d->rank);
    MST_REQUIRE(d->n_run_parameters == 0 || (d->run_parameters && d->run_values), MST_ERROR_ARGUMENT,
                "run_parameters and run_values must not be NULL");
    MST_REQUIRE(d->n_monitors == 0 && d->n_spectra == 0 && !d->until, MST_ERROR_ARGUMENT,
                "an ensemble of runs has no monitors, spectra and condition to end; remove them");
    for (size_t k = 0; k < d->n_sources; k++)
        MST_REQUIRE(!d->sources[k].position && !d->sources[k].region, MST_ERROR_ARGUMENT,
                    "source %zu lies between nodes or is a region; those of an ensemble of runs lie at nodes", k);
    for (size_t k = 0; k < d->n_receivers; k++)
        MST_REQUIRE(!d->receivers[k].positions, MST_ERROR_ARGUMENT,
                    "receiver %zu lies between nodes; those of an ensemble of runs lie at nodes", k);
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

// Every source in every run.
static mst_status expand_sources(mst_scheme_description *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_desc *d = &out->desc;
    mst_stencil_source *all = NULL;
    size_t n, bytes;
    if (d->n_sources == 0)
        return MST_OK;
    MST_REQUIRE(mst_multiply(d->n_sources, d->n_runs, &n) && mst_multiply(n, sizeof *all, &bytes) && (all = malloc(bytes)),
                MST_ERROR_HOST_MEMORY, "out of memory for the sources of %zu runs", d->n_runs);
    for (size_t i = 0; i < n; i++) {
        all[i] = d->sources[i / d->n_runs];
        expand_point(d->sources[i / d->n_runs].point, i % d->n_runs, all[i].point);
    }
    free(out->arrays[3]);
    d->sources = out->arrays[3] = all;
    d->n_sources = n;
fail:
    return status;
}

// Every receiver's points in every run, run by run.
static mst_status expand_receivers(mst_scheme_description *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_desc *d = &out->desc;
    mst_stencil_receiver *receivers = out->arrays[4];
    size_t n = 0, bytes, at = 0;
    for (size_t k = 0; k < d->n_receivers; k++) {
        MST_REQUIRE(receivers[k].n_points == 0 || receivers[k].points, MST_ERROR_ARGUMENT, "receiver %zu has no points", k);
        MST_REQUIRE(mst_add(n, receivers[k].n_points, &n), MST_ERROR_ARGUMENT, "the receivers have too many points");
    }
    size_t(*points)[MST_MAX_AXES] = NULL;
    if (n == 0)
        return MST_OK;
    MST_REQUIRE(mst_multiply(n, d->n_runs * sizeof *points, &bytes) && (points = malloc(bytes)), MST_ERROR_HOST_MEMORY,
                "out of memory for the receivers of %zu runs", d->n_runs);
    out->arrays[7] = points;
    for (size_t k = 0; k < d->n_receivers; k++) {
        const size_t m = receivers[k].n_points, first = at;
        for (size_t i = 0; i < m * d->n_runs; i++)
            expand_point(receivers[k].points[i % m], i / m, points[at++]);
        receivers[k].n_points = m * d->n_runs;
        receivers[k].points = (const size_t(*)[MST_MAX_AXES])(points + first);
    }
fail:
    return status;
}

mst_status mst_ensemble_expand(mst_scheme_description *out, mst_error *error) {
    mst_status status = MST_OK;
    mst_stencil_desc *d = &out->desc;
    mst_stencil_field *fields = out->arrays[1];
    MST_TRY(check(d, error));
    expand_grid(out);
    for (size_t k = 0; k < d->n_fields && d->n_fields <= MST_STENCIL_MAX_FIELDS; k++) {
        expand_initial(d->rank, d->n_runs, &fields[k].initial);
        expand_initial(d->rank, d->n_runs, &fields[k].previous);
        if (fields[k].boundaries)
            expand_boundaries(d->rank, out->field_boundaries[k]);
    }
    MST_TRY(expand_sources(out, error));
    MST_TRY(expand_receivers(out, error));
fail:
    return status;
}
