// Ensembles: every run has the bits of a solver of its own, by every schedule and in both shapes of kernels; what they refuse.
// Long: ensembles beside each of their runs alone.
#include "support_stencil.h"

#include <mastaba/stencil.h>
#include <math.h>

enum { RUNS = 3, ROWS = 14, COLUMNS = 19, STEPS = 7, POINTS = 2, LOOKS = STEPS / 2, MONITORS = 2, SUMS = 2 * 2 * 4 };

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
static const double places[POINTS][MST_MAX_AXES] = {{3.5, 4.25}, {10, 0.75}}, place[] = {5.5, 6.25};
// At nodes, and between them.
static const mst_stencil_receiver receivers[] = {{.field = "v", .n_points = POINTS, .points = points},
                                                 {.field = "u", .n_points = POINTS, .positions = places, .radius = 2}};
static const mst_stencil_source sources[] = {{.field = "u", .point = {5, 6}, .series = "sin(9*t)*kill"},
                                             {.field = "v", .position = place, .series = "0.1*sin(7*t)*feed"}};

// Monitors of all of a run's grid and of some nodes, and a spectrum at 2 nodes of each axis.
static const mst_stencil_monitor on_plane_monitors[MONITORS] = {
    {.name = "a", .expression = "feed*u[0,-1] + kill*v.prev[1,0] + t + x*y/feed", .reduction = MST_STENCIL_SUM, .every = 2},
    {.name = "b",
     .expression = "(feed + kill)*c*u",
     .reduction = MST_STENCIL_MAX,
     .every = 2,
     .region = {{2, 1}, {3, 2}, {4, 9}}}};
static const mst_stencil_monitor on_line_monitors[MONITORS] = {
    {.name = "a", .expression = "feed*u[-1] + kill*v.prev[1] + t + x/feed", .reduction = MST_STENCIL_SUM, .every = 2},
    {.name = "b", .expression = "(feed + kill)*c*u", .reduction = MST_STENCIL_NORM, .every = 2, .region = {{2}, {3}, {4}}}};
static const double frequencies[] = {0.3, 1.1};
static const mst_stencil_spectrum on_plane_spectrum = {
    .expression = "u - kill*v", .n_frequencies = 2, .frequencies = frequencies, .every = 1, .region = {{3, 4}, {5, 7}, {2, 2}}};
static const mst_stencil_spectrum on_line_spectrum = {
    .expression = "u - kill*v", .n_frequencies = 2, .frequencies = frequencies, .every = 1, .region = {{3}, {5}, {4 - 1}}};

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
    d.sources = sources;
    d.receivers = receivers;
    d.n_sources = d.n_receivers = rank == 2 ? 2 : 0;
    d.monitors = rank == 2 ? on_plane_monitors : on_line_monitors;
    d.n_monitors = MONITORS;
    d.spectra = rank == 2 ? &on_plane_spectrum : &on_line_spectrum;
    d.n_spectra = 1;
    d.schedule = MST_STENCIL_SWEEPS;
    return d;
}

typedef struct result {
    float u[RUNS][ROWS][COLUMNS], v[RUNS][ROWS][COLUMNS];
    double traces[2][STEPS][RUNS][POINTS];
    double monitored[MONITORS][LOOKS + 1][RUNS]; // the last: of the state at the end
    float sums[2][RUNS][SUMS / 2];
} result;

static result alone, together, one;

// What a solver of so many runs finds, one behind the other where there is one alone.
static void run(mst_context *context, const mst_stencil_desc *d, result *r) {
    const size_t runs = d->n_runs > 0 ? d->n_runs : 1;
    mst_stencil *solver;
    mst_error e;
    OK(mst_stencil_create(context, d, &solver, &e));
    OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(r->u), &e));
    OK(mst_stencil_read(solver, "v", 1, NULL, mst_at_host(r->v), &e));
    for (size_t k = 0; k < d->n_receivers; k++)
        OK(mst_stencil_read_receiver(solver, k, 1, STEPS, r->traces[k][0][0], &e));
    for (size_t k = 0; k < MONITORS; k++) {
        OK(mst_stencil_read_monitor(solver, k, 1, LOOKS, r->monitored[k][0], &e));
        OK(mst_stencil_measure(solver, k, r->monitored[k][0] + LOOKS * runs, &e));
    }
    OK(mst_stencil_read_spectrum(solver, 0, mst_at_host(r->sums), &e));
    mst_stencil_destroy(solver);
}

// Number `row` of rows of one run's numbers in the array of one run alone, and of run r in that of all.
static void put(void *all, const void *of_one, size_t row, size_t r, size_t bytes) {
    memcpy((char *)all + (row * RUNS + r) * bytes, (const char *)of_one + row * bytes, bytes);
}

static void run_alone(mst_context *context, int rank) {
    memset(&alone, 0, sizeof alone);
    for (size_t r = 0; r < RUNS; r++) {
        const mst_stencil_parameter parameters[] = {{"feed", values[r][0]}, {"kill", values[r][1]}, {"rate", 0.16}};
        const mst_stencil_desc d = make(rank, parameters);
        memset(&one, 0, sizeof one);
        run(context, &d, &one);
        memcpy(alone.u[r], one.u, sizeof one.u[0]);
        memcpy(alone.v[r], one.v, sizeof one.v[0]);
        const size_t nodes = rank == 2 ? 4 : 3; // of the spectrum
        for (size_t k = 0; k < 2; k++) {
            for (size_t i = 0; i < STEPS; i++)
                put(alone.traces[k], one.traces[k], i, r, sizeof one.traces[k][0][0]);
            put(alone.sums, one.sums, k, r, nodes * 2 * sizeof(float));
        }
        for (size_t k = 0; k < MONITORS; k++)
            for (size_t i = 0; i <= LOOKS; i++)
                put(alone.monitored[k], one.monitored[k], i, r, sizeof(double));
    }
}

static void check(const char *how, int rank) {
    for (int r = 0; r < RUNS; r++) {
        const size_t bytes = (rank == 2 ? ROWS * COLUMNS : COLUMNS) * sizeof(float);
        const float *u = (const float *)together.u + (size_t)r * bytes / sizeof *u,
                    *v = (const float *)together.v + (size_t)r * bytes / sizeof *v;
        CHECK(memcmp(alone.u[r], u, bytes) == 0 && memcmp(alone.v[r], v, bytes) == 0, "%s, %d axes: run %d differs", how, rank,
              r);
    }
    CHECK(memcmp(alone.traces, together.traces, sizeof alone.traces) == 0, "%s, %d axes: what receivers got differs", how, rank);
    for (int k = 0; k < MONITORS; k++)
        for (int i = 0; i <= LOOKS; i++)
            for (int r = 0; r < RUNS; r++)
                CHECK(alone.monitored[k][i][r] == together.monitored[k][i][r],
                      "%s, %d axes: monitor %d finds %.17g in run %d at look %d, not %.17g", how, rank, k,
                      together.monitored[k][i][r], r, i, alone.monitored[k][i][r]);
    CHECK(alone.monitored[0][0][0] != alone.monitored[0][0][1], "the monitor does not see the parameters");
    CHECK(memcmp(alone.sums, together.sums, sizeof alone.sums) == 0, "%s, %d axes: sums of a spectrum differ", how, rank);
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
            run(*state, &d, &together);
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

// The condition holds when it does in the slowest run: u = (1 - a)^k is below 0.3 a.
static void test_until(void **state) {
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "1"}};
    const mst_stencil_update update = {"u", "u - a*u", 0};
    const mst_stencil_monitor monitor = {.name = "most", .expression = "u", .reduction = MST_STENCIL_MAX};
    const char *const a[] = {"a"};
    const double some[] = {0.5, 0.2, 0.4};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil_report report = MST_STENCIL_REPORT_INIT;
    mst_stencil *solver;
    mst_error e;
    uint64_t last = 0;
    d.rank = 1;
    d.grid[0] = 1500;
    d.fields = &field;
    d.updates = &update;
    d.n_fields = d.n_updates = 1;
    d.monitors = &monitor;
    d.n_monitors = 1;
    d.until = "most < 0.3*a && t > 2";
    d.n_runs = 3;
    d.n_run_parameters = 1;
    d.run_parameters = a;
    d.run_values = some;
    d.schedule = MST_STENCIL_SWEEPS;
    for (int r = 0; r < 3; r++) {
        uint64_t k = 0;
        for (double u = 1; u >= 0.3 * some[r]; k++)
            u *= 1 - some[r];
        last = k > last ? k : last;
    }
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, 100, NULL, &report, &e));
    CHECK(report.ended && report.steps == last, "the run ended after %llu steps, not %llu", (unsigned long long)report.steps,
          (unsigned long long)last);
    mst_stencil_destroy(solver);
}

static void test_limits(void **state) {
    const mst_stencil_field field = {.name = "u"};
    mst_stencil_update update = {"u", "u + a*dt*(u[1] - 2*u + u[-1])", 0};
    const double some[] = {1, 5, 2};
    mst_stencil_desc d = test_ensemble(&field, &update, some, 3);
    mst_stencil_stability found = MST_STENCIL_STABILITY_INIT;
    mst_stencil *solver;
    mst_error e;
    d.rank = 1;
    d.grid[0] = 9;
    OK(mst_stencil_time_step_limit(&d, &found, &e)); // of the run with the least
    CHECK(fabs(found.time_step_limit - 0.1) < 1e-9, "the limit is %.12g", found.time_step_limit);
    update.expression = "u + u^a";
    REFUSED(MST_ERROR_ARGUMENT, "in run 1 than in run 0", mst_stencil_create(*state, &d, &solver, &e));
    d.run_values = NULL;
    REFUSED(MST_ERROR_ARGUMENT, "run_values", mst_stencil_create(*state, &d, &solver, &e));
    d.run_values = some;
    d.rank = 4;
    REFUSED(MST_ERROR_ARGUMENT, "4 axes; 1 to 3", mst_stencil_create(*state, &d, &solver, &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_data), cmocka_unit_test(test_until),
                                       cmocka_unit_test(test_limits)};
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
