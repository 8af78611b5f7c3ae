// Ensembles: every run has the bits of a solver of its own, by every schedule and in both shapes of kernels; what they refuse.
#include "support.h"

#include <mastaba/stencil.h>
#include <math.h>

enum { RUNS = 3, ROWS = 14, COLUMNS = 19, STEPS = 7, POINTS = 2 };

static const char *const names[] = {"feed", "kill"};
static const double values[RUNS][2] = {{0.035, 0.06}, {0.06, 0.06}, {0.025, 0.0525}};

static const mst_stencil_field on_line[] = {{.name = "u", .initial = {.expression = "1 - feed*exp(-(x - 7)^2/9)"}},
                                            {.name = "v", .levels = 2, .initial = {.expression = "2*kill*x/(x + 1)"}},
                                            {.name = "c", .coefficient = true, .initial = {.expression = "1 + 0.1*feed*x"}}};
static const mst_stencil_field on_plane[] = {{.name = "u", .initial = {.expression = "1 - feed*exp(-(x - 7)^2/9)"}},
                                             {.name = "v", .levels = 2, .initial = {.expression = "2*kill*x/(x + y + 1)"}},
                                             {.name = "c", .coefficient = true, .initial = {.expression = "1 + 0.1*feed*y"}}};
// Parts of parameters alone, a division by one, and one that is a factor.
static const mst_stencil_update plane[] = {
    {"u", "u + dt*(c*rate*(u[0,-1] + u[0,1] + u[-1,0] + u[1,0] - 4*u) - u*v^2 + feed*(1 - u))", 0},
    {"v", "v + dt*(0.08*(v[0,-2] + v[0,1] + v[-1,0] + v[1,0] - 4*v) + u*v.prev^2 - (feed + kill)^2*v/(3*kill))", 1}};
static const mst_stencil_update line[] = {
    {"u", "u + dt*(c*rate*(u[-1] + u[1] - 2*u) - u*v^2 + feed*(1 - u))", 0},
    {"v", "v + dt*(0.08*(v[-2] + v[1] - 2*v) + u*v.prev^2 - (feed + kill)^2*v/(3*kill))", 1}};
static const mst_stencil_boundary boundaries[] = {{.kind = MST_BOUNDARY_DIRICHLET, .value = "kill*t"},
                                                  {.kind = MST_BOUNDARY_SPONGE, .width = 3},
                                                  {.kind = MST_BOUNDARY_PERIODIC},
                                                  {.kind = MST_BOUNDARY_PERIODIC}};
static const size_t points[POINTS][MST_MAX_AXES] = {{3, 4}, {10, 0}};
static const mst_stencil_receiver receiver = {.field = "v", .n_points = POINTS, .points = points};
static const mst_stencil_source source = {.field = "u", .point = {5, 6}, .series = "sin(9*t)*kill"};

static mst_stencil_desc make(int rank, const mst_stencil_parameter parameters[3]) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = rank;
    d.grid[0] = rank == 2 ? ROWS : COLUMNS;
    d.grid[1] = COLUMNS;
    d.time_step = 0.1;
    d.parameters = parameters;
    d.n_parameters = 3;
    d.fields = rank == 2 ? on_plane : on_line;
    d.n_fields = 3;
    d.updates = rank == 2 ? plane : line;
    d.n_updates = 2;
    d.boundaries = boundaries + (rank == 2 ? 0 : 2);
    d.sources = &source;
    d.receivers = &receiver;
    d.n_sources = d.n_receivers = rank == 2 ? 1 : 0;
    d.schedule = MST_STENCIL_SWEEPS;
    return d;
}

typedef struct result {
    float u[RUNS][ROWS][COLUMNS], v[RUNS][ROWS][COLUMNS];
    double traces[STEPS][RUNS][POINTS];
} result;

static result alone, together;

static void run(mst_context *context, const mst_stencil_desc *d, void *u, void *v, double *trace) {
    mst_stencil *solver;
    mst_error e;
    OK(mst_stencil_create(context, d, &solver, &e));
    OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(u), &e));
    OK(mst_stencil_read(solver, "v", 1, NULL, mst_at_host(v), &e));
    if (d->n_receivers > 0)
        OK(mst_stencil_read_receiver(solver, 0, 1, STEPS, trace, &e));
    mst_stencil_destroy(solver);
}

static void run_alone(mst_context *context, int rank) {
    for (int r = 0; r < RUNS; r++) {
        const mst_stencil_parameter parameters[] = {{"feed", values[r][0]}, {"kill", values[r][1]}, {"rate", 0.16}};
        const mst_stencil_desc d = make(rank, parameters);
        double trace[STEPS][POINTS];
        run(context, &d, alone.u[r], alone.v[r], trace[0]);
        for (int k = 0; k < STEPS; k++)
            memcpy(alone.traces[k][r], trace[k], sizeof trace[k]);
    }
}

static void check(const char *how, int rank) {
    for (int r = 0; r < RUNS; r++) {
        const size_t bytes = (rank == 2 ? ROWS * COLUMNS : COLUMNS) * sizeof(float);
        const float *u = (const float *)together.u + (size_t)r * bytes / sizeof *u,
                    *v = (const float *)together.v + (size_t)r * bytes / sizeof *v;
        CHECK(memcmp(alone.u[r], u, bytes) == 0 && memcmp(alone.v[r], v, bytes) == 0, "%s, %d axes: run %d differs", how, rank,
              r);
        for (int k = 0; k < STEPS && rank == 2; k++)
            CHECK(memcmp(alone.traces[k][r], together.traces[k][r], sizeof alone.traces[k][r]) == 0,
                  "%s: what receivers got in run %d after step %d differs", how, r, k + 1);
    }
    CHECK(memcmp(alone.u[0], alone.u[1], sizeof alone.u[0]) != 0, "the parameters do nothing");
}

static void test_bits(void **state) {
    static const struct {
        mst_stencil_schedule schedule;
        mst_stencil_shape shape;
    } ways[] = {{MST_STENCIL_SWEEPS, MST_STENCIL_SHAPE_CPU},        {MST_STENCIL_IN_CORE, MST_STENCIL_SHAPE_CPU},
                {MST_STENCIL_IN_CORE, MST_STENCIL_SHAPE_GPU},       {MST_STENCIL_SWEEPS, MST_STENCIL_SHAPE_GPU},
                {MST_STENCIL_SKEWED, MST_STENCIL_SHAPE_CPU},        {MST_STENCIL_PYRAMID_SLABS, MST_STENCIL_SHAPE_GPU},
                {MST_STENCIL_PYRAMID_TILES, MST_STENCIL_SHAPE_CPU}, {MST_STENCIL_TRIVIAL, MST_STENCIL_SHAPE_CPU}};
    const mst_stencil_parameter parameters[] = {{"feed", 1e9}, {"rate", 0.16}, {"unused", 1}};
    for (int rank = 1; rank <= 2; rank++) {
        run_alone(*state, rank);
        for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
            mst_stencil_desc d = make(rank, parameters);
            if (k > 0 && !test_turn(k, 3))
                continue;
            d.n_runs = RUNS;
            d.n_run_parameters = 2;
            d.run_parameters = names;
            d.run_values = values[0];
            d.schedule = ways[k].schedule;
            d.shape = ways[k].shape;
            d.fuse = 2;
            d.depth = d.schedule == MST_STENCIL_TRIVIAL || d.schedule == MST_STENCIL_IN_CORE ? 0 : 4;
            d.block = d.schedule == MST_STENCIL_IN_CORE ? 0 : 1 + (size_t)rank;
            if (d.schedule == MST_STENCIL_SWEEPS)
                d.depth = d.fuse = 0, d.block = 0;
            if (d.schedule == MST_STENCIL_TRIVIAL)
                d.fuse = 1;
            memset(&together, 0, sizeof together);
            run(*state, &d, together.u, together.v, together.traces[0][0]);
            check(mst_stencil_schedule_name(d.schedule), rank);
        }
    }
}

// Data of the grid's shape begin every run; data with an axis in front each its own. Regions begin with the run.
static void test_data(void **state) {
    static float each[4][COLUMNS], first[COLUMNS], part[2][3];
    const mst_stencil_field field[] = {{.name = "u"}, {.name = "w", .coefficient = true}};
    const mst_stencil_update update = {"u", "u + a*w", 0};
    const char *const a[] = {"a"};
    const double two_to[] = {1, 2, 4, 8};
    mst_stencil_field with[2];
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    const size_t shape[] = {4, COLUMNS};
    mst_stencil *solver;
    mst_error e;
    for (int i = 0; i < COLUMNS; i++) {
        first[i] = (float)i;
        for (int r = 0; r < 4; r++)
            each[r][i] = (float)(100 * r);
    }
    memcpy(with, field, sizeof with);
    with[0].initial = (mst_stencil_initial){.layout = mst_layout_dense(MST_FLOAT32, 2, shape), .data = mst_at_host(each)};
    with[1].initial = (mst_stencil_initial){.layout = mst_layout_dense(MST_FLOAT32, 1, shape + 1), .data = mst_at_host(first)};
    d.rank = 1;
    d.grid[0] = COLUMNS;
    d.fields = with;
    d.n_fields = 2;
    d.updates = &update;
    d.n_updates = 1;
    d.schedule = MST_STENCIL_SWEEPS;
    d.n_runs = 4;
    d.n_run_parameters = 1;
    d.run_parameters = a;
    d.run_values = two_to;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, 3, NULL, NULL, &e));
    const mst_stencil_region region = {{1, 5}, {2, 4}, {2, 3}};
    OK(mst_stencil_read(solver, "u", 0, &region, mst_at_host(part), &e));
    for (int r = 0; r < 2; r++)
        for (int i = 0; i < 3; i++) {
            const double want = 100 * (1 + 2 * r) + 3 * two_to[1 + 2 * r] * (5 + 4 * i);
            CHECK(part[r][i] == (float)want, "run %d, node %d: %g, not %g", 1 + 2 * r, 5 + 4 * i, (double)part[r][i], want);
        }
    mst_stencil_destroy(solver);
}

static void test_limits(void **state) {
    const mst_stencil_field field = {.name = "u"};
    mst_stencil_update update = {"u", "u + a*dt*(u[1] - 2*u + u[-1])", 0};
    const char *const a[] = {"a"};
    const double some[] = {1, 5, 2};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil_stability found = MST_STENCIL_STABILITY_INIT;
    mst_stencil *solver;
    mst_error e;
    d.rank = 1;
    d.grid[0] = 9;
    d.fields = &field;
    d.updates = &update;
    d.n_fields = d.n_updates = 1;
    d.n_runs = 3;
    d.n_run_parameters = 1;
    d.run_parameters = a;
    d.run_values = some;
    OK(mst_stencil_time_step_limit(&d, &found, &e)); // of the run with the least
    CHECK(fabs(found.time_step_limit - 0.1) < 1e-9, "the limit is %.12g", found.time_step_limit);
    update.expression = "u + u^a";
    REFUSED(MST_ERROR_ARGUMENT, "in run 1 than in run 0", mst_stencil_create(*state, &d, &solver, &e));
    d.run_values = NULL;
    REFUSED(MST_ERROR_ARGUMENT, "run_values", mst_stencil_create(*state, &d, &solver, &e));
    d.run_values = some;
    d.rank = 3;
    REFUSED(MST_ERROR_ARGUMENT, "3 axes; 1 or 2", mst_stencil_create(*state, &d, &solver, &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_data), cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
