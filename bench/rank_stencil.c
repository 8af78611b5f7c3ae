// Grids over ranks; and turns: the steps of a part between two exchanges, its halos to the device and back, and a word.
#include "rank_rates.h"

#include "solve/problem.h"

#include <stdlib.h>
#include <string.h>

typedef struct part {
    rank_run *run;
    mst_stencil *solver;
    mst_stencil_part planes;
    mst_stencil_halo halo;
    char *given[2], *taken[2];
} part;

// Halos hold for as many steps as one run takes: they are written without being timed.
static mst_status take_halos(void *user, mst_error *error) {
    part *p = user;
    mst_status status = MST_OK;
    for (int side = 0; side < 2 && status == MST_OK; side++)
        if (p->halo.given_bytes[side])
            status = mst_stencil_read_halo(p->solver, side, p->given[side], error);
    for (int side = 0; side < 2 && status == MST_OK; side++)
        if (p->halo.taken_bytes[side])
            status = mst_stencil_write_halo(p->solver, side, p->taken[side], error);
    return status;
}

// The steps between two exchanges, and what the ranks around them do for their halos, which they have then.
static mst_status run_part(void *user, mst_error *error) {
    part *p = user;
    mst_status status = mst_stencil_run(p->solver, p->planes.steps, NULL, NULL, error);
    if (status == MST_OK)
        status = take_halos(p, error);
    return status == MST_OK ? rank_tell_neighbours(p->run, error) : status;
}

static mst_status make_part(rank_run *run, const mst_stencil_desc *whole, part *p, mst_error *error) {
    mst_stencil_desc desc = *whole;
    mst_stencil_part *parts = calloc((size_t)run->count, sizeof *parts);
    if (!parts)
        return rank_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for parts");
    mst_status status = mst_stencil_divide(whole, NULL, (size_t)run->count, 0, parts, error);
    p->planes = parts[run->number];
    p->halo = (mst_stencil_halo)MST_STENCIL_HALO_INIT;
    free(parts);
    desc.part = run->count > 1 ? &p->planes : NULL;
    if (status == MST_OK)
        status = mst_stencil_create(run->context, &desc, &p->solver, error);
    if (status == MST_OK && desc.part)
        status = mst_stencil_describe_halo(p->solver, &p->halo, error);
    for (int side = 0; side < 2 && status == MST_OK; side++) {
        p->given[side] = calloc(1, (size_t)p->halo.given_bytes[side] + 1);
        p->taken[side] = calloc(1, (size_t)p->halo.taken_bytes[side] + 1);
        if (!p->given[side] || !p->taken[side])
            status = rank_fail(error, MST_ERROR_HOST_MEMORY, "out of memory for halos");
    }
    return status;
}

static void destroy_part(part *p) {
    mst_stencil_destroy(p->solver);
    for (int side = 0; side < 2; side++) {
        free(p->given[side]);
        free(p->taken[side]);
    }
}

typedef struct whole {
    mst_mpi_stencil *solver;
    uint64_t steps;
} whole;

static mst_status run_whole(void *user, mst_error *error) {
    whole *w = user;
    return mst_mpi_stencil_run(w->solver, w->steps, error);
}

static mst_status measure(rank_run *run, part *p, whole *w, json_t *to, mst_error *error) {
    mst_status status = MST_OK;
    rank_timing steps = {.n = 0}, all = {.n = 0};
    if (run->count == 1)
        p->planes.steps = w->steps;
    for (int round = 0; round < run->rounds && status == MST_OK; round++) {
        status = rank_time(MPI_COMM_WORLD, run_part, p, &steps, error);
        if (status == MST_OK)
            status = rank_time(MPI_COMM_WORLD, run_whole, w, &all, error);
    }
    if (status != MST_OK)
        return status;
    json_object_set_new(to, "steps", json_integer((json_int_t)w->steps));
    json_object_set_new(to, "steps_between_exchanges", json_integer((json_int_t)p->planes.steps));
    json_object_set_new(to, "planes", json_integer((json_int_t)p->planes.planes));
    json_object_set_new(to, "sent_bytes",
                        json_pack("[I, I]", (json_int_t)p->halo.given_bytes[0], (json_int_t)p->halo.given_bytes[1]));
    json_object_set_new(to, "turn_seconds", rank_seconds(&steps));
    json_object_set_new(to, "seconds", rank_seconds(&all));
    return MST_OK;
}

static mst_status run_case(rank_run *run, const problem *opened, json_t *to, mst_error *error) {
    part p = {.run = run};
    whole w = {.steps = opened->steps};
    mst_stencil_desc desc = opened->desc;
    desc.check_every = 0;
    desc.expected_steps = opened->steps;
    mst_status status = make_part(run, &desc, &p, error);
    if (status == MST_OK)
        status = mst_mpi_stencil_create(MPI_COMM_WORLD, run->context, &desc, 0, 600, &w.solver, error);
    if (status == MST_OK && run->count > 1)
        status = run_part(&p, error); // what was not compiled before is now
    if (status == MST_OK)
        status = run_whole(&w, error);
    if (status == MST_OK)
        status = measure(run, &p, &w, to, error);
    mst_mpi_stencil_destroy(w.solver);
    destroy_part(&p);
    return status;
}

mst_status rank_measure_stencil(rank_run *run, const char *text, json_t *to, mst_error *error) {
    problem opened = {0};
    problem_overrides overrides = {.steps = -1};
    char name[32] = "";
    const char *shape = strchr(text, ':'), *steps = shape ? strchr(shape + 1, ':') : NULL;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    overrides.rank = shape ? rank_parse_shape(shape + 1, overrides.grid) : 0;
    overrides.steps = steps ? strtoll(steps + 1, NULL, 10) : -1;
    if (overrides.rank < 2 || overrides.steps < 1)
        return rank_fail(error, MST_ERROR_ARGUMENT, "a grid is given as solve:heat2d:2048x2048:200");
    mst_status status = problem_open(NULL, name, &overrides, &opened) == CLI_DONE
                            ? run_case(run, &opened, to, error)
                            : rank_fail(error, MST_ERROR_ARGUMENT, "no such problem");
    problem_free(&opened);
    return status;
}
