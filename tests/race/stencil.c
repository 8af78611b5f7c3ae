#include "race.h"

#include <math.h>
#include <string.h>

// A scheme with a source and a receiver on a mirrored, periodic grid, whose sum stays, by kernels of either shape; of rank 3 on
// one plane, with the longest reach along the rows.
static void conserve(mst_context *context, int rank, mst_stencil_shape shape, mst_stencil_schedule schedule) {
    enum { ROWS = 8, COLUMNS = 12, NODES = ROWS * COLUMNS };
    static float first[NODES], later[NODES];
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "x + 3 * (y > 5)"}};
    const mst_stencil_update updates[] = {{"u", "u + 0.2 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0},
                                          {"u", "u + 0.2 * (u[0,-4,0] + u[0,4,0] + u[0,0,-1] + u[0,0,1] - 4 * u)", 0}};
    const size_t point[][MST_MAX_AXES] = {{rank == 3 ? 0 : 3, rank == 3 ? 3 : 4, rank == 3 ? 4 : 0}};
    const double nothing[] = {0};
    mst_stencil_source source = {.field = "u", .samples = nothing, .n_samples = 1};
    const mst_stencil_receiver receiver = {.field = "u", .n_points = 1, .points = point};
    mst_stencil_boundary ends[2 * MST_MAX_AXES] = {{.kind = MST_BOUNDARY_DIRICHLET}};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil *solver;
    mst_error error;
    double got, sums[2] = {0, 0};
    d.rank = rank;
    d.grid[0] = 1;
    d.grid[rank - 2] = ROWS;
    d.grid[rank - 1] = COLUMNS;
    memcpy(source.point, point[0], sizeof source.point);
    for (int axis = 0; axis < rank; axis++)
        ends[2 * axis].kind = ends[2 * axis + 1].kind = axis < rank - 1 ? MST_BOUNDARY_NEUMANN : MST_BOUNDARY_PERIODIC;
    d.boundaries = ends;
    d.fields = &field;
    d.updates = &updates[rank - 2];
    d.sources = &source;
    d.receivers = &receiver;
    d.n_fields = d.n_updates = d.n_sources = d.n_receivers = 1;
    d.fuse = schedule == MST_STENCIL_SWEEPS ? 1 : 2;
    d.shape = shape;
    d.schedule = schedule;
    d.block = schedule == MST_STENCIL_SKEWED ? 3 : 0;
    check(mst_stencil_create(context, &d, &solver, &error), &error);
    check(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(first), &error), &error);
    check(mst_stencil_run(solver, 3, NULL, NULL, &error), &error);
    check(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(later), &error), &error);
    check(mst_stencil_read_receiver(solver, 0, 3, 1, &got, &error), &error);
    expect("stencil receiver", MST_FLOAT32, got, later[3 * COLUMNS + 4]);
    for (int i = 0; i < NODES; i++) {
        sums[0] += first[i];
        sums[1] += later[i];
    }
    expect("stencil sum", MST_FLOAT32, sums[1] / sums[0], 1);
    mst_stencil_destroy(solver);
}

// The first eigenmode of heat between faces of 0, by GPU-shaped kernels whose tiles reach beyond faces; steps of three at once,
// planes enough that strips between those at faces are there too.
static void decay(mst_context *context, int rank) {
    enum { PLANES = 22, ROWS = 9, COLUMNS = 8, STEPS = 3 };
    static const mst_stencil_field fields[] = {
        {.name = "u", .initial = {.expression = "sin(pi * (x + 1) / 9) * sin(pi * (y + 1) / 23)"}},
        {.name = "u", .initial = {.expression = "sin(pi * (x + 1) / 9) * sin(pi * (y + 1) / 10) * sin(pi * (z + 1) / 23)"}}};
    static const mst_stencil_update updates[] = {
        {"u", "u + 0.1 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0},
        {"u", "u + 0.1 * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6 * u)", 0}};
    static const mst_stencil_boundary ends[] = {{.value = NULL},    {.value = NULL},    {.value = "1 - 1"},
                                                {.value = "1 - 1"}, {.value = "1 - 1"}, {.value = "1 - 1"}};
    static float got[PLANES * ROWS * COLUMNS];
    const double pi = 3.14159265358979323846, sizes[] = {COLUMNS, PLANES, ROWS};
    const size_t plane = (size_t)(rank == 3 ? ROWS : 1) * COLUMNS, at = 10 * plane;
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil *solver;
    mst_error error;
    double factor = 1, value = sin(pi / 9) * sin(11 * pi / 23) * (rank == 3 ? sin(pi / 10) : 1);
    for (int k = 0; k < rank; k++)
        factor -= 0.4 * pow(sin(pi / (2 * (sizes[k] + 1))), 2);
    d.rank = rank;
    d.grid[0] = PLANES;
    d.grid[1] = rank == 3 ? ROWS : COLUMNS;
    d.grid[2] = rank == 3 ? COLUMNS : 0;
    d.boundaries = ends;
    d.fields = &fields[rank - 2];
    d.updates = &updates[rank - 2];
    d.n_fields = d.n_updates = 1;
    d.fuse = 3;
    d.shape = MST_STENCIL_SHAPE_GPU;
    d.schedule = MST_STENCIL_IN_CORE;
    check(mst_stencil_create(context, &d, &solver, &error), &error);
    check(mst_stencil_run(solver, STEPS, NULL, NULL, &error), &error);
    check(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got), &error), &error);
    expect("stencil decay", MST_FLOAT32, got[at], value * pow(factor, STEPS));
    mst_stencil_destroy(solver);
}

enum { N_CASES = 11 };

static void run(mst_context *context, int c) {
    if (c >= 7)
        conserve(context, c < 9 ? 2 : 3, c % 2 ? MST_STENCIL_SHAPE_CPU : MST_STENCIL_SHAPE_GPU, MST_STENCIL_SWEEPS);
    else if (c >= 5)
        decay(context, c - 3);
    else
        conserve(context, c < 4 ? 2 : 3, c % 2 ? MST_STENCIL_SHAPE_CPU : MST_STENCIL_SHAPE_GPU,
                 c == 2 || c == 3 ? MST_STENCIL_SKEWED : MST_STENCIL_IN_CORE);
}

const race_cases race_stencil = {N_CASES, run};
