// Ensembles of grids of three axes: every run has the bits of a solver of its own, whose kernels are fused ones, in all that is
// read; by sweeps one after the other and by tiles, in both shapes; what they refuse.
// Long: six schemes, each of them alone and together in three ways.
#include "runtime/numbers.h"
#include "stencil/solver.h"
#include "support_stencil.h"

#include <math.h>
#include <stdio.h>

enum { RUNS = 3, POINTS = 2, STEPS = 7, LOOKS = STEPS / 2, FREQUENCIES = 2 };

static const char *const names[] = {"feed", "kill"};
static const double values[RUNS][2] = {{0.035, 0.06}, {0.06, 0.06}, {0.025, 0.0525}};
static const double frequencies[FREQUENCIES] = {0.3, 1.1};

static const mst_stencil_monitor monitors[] = {
    {.name = "a", .expression = "feed*u[0,-1,0] + kill*u[1,0,0] + t + x*y/feed + z", .reduction = MST_STENCIL_SUM, .every = 2},
    {.name = "b",
     .expression = "(feed + kill)*u",
     .reduction = MST_STENCIL_MAX,
     .every = 2,
     .region = {{1, 2, 1}, {2, 1, 3}, {2, 3, 1}}}};
static const mst_stencil_spectrum spectra[] = {
    {.expression = "u - kill*z",
     .n_frequencies = FREQUENCIES,
     .frequencies = frequencies,
     .every = 1,
     .region = {{1, 0, 2}, {2, 1, 1}, {2, 3, 2}}},
    {.expression = "u[1,0,0] + feed", .n_frequencies = 1, .frequencies = frequencies, .every = 3}};
static const size_t points[POINTS][MST_MAX_AXES] = {{2, 3, 4}, {0, 0, 0}};
static const double places[POINTS][MST_MAX_AXES] = {{2.5, 3.25, 4.5}, {3, 0.75, 2}}, place[] = {3.5, 2.25, 5.75};
static const mst_stencil_receiver receivers[] = {{.field = "u", .n_points = POINTS, .points = points},
                                                 {.field = "u", .n_points = POINTS, .positions = places, .radius = 2}};
static const double samples[] = {0.1, 0.2, 0.3};
static const mst_stencil_source sources[] = {{.field = "u", .point = {2, 3, 1}, .series = "0.01*sin(9*t)*kill"},
                                             {.field = "u", .position = place, .series = "0.01*sin(7*t)*feed"},
                                             {.field = "u", .point = {2, 3, 1}, .samples = samples, .n_samples = 3}};

#define FACE(k, ...)                                                                                                             \
    { .kind = MST_BOUNDARY_##k, __VA_ARGS__ }

// Two levels, a coefficient field, faces with values and times, sponges along the planes, faces of one field's own.
static const mst_stencil_boundary mixed[] = {FACE(SPONGE, .width = 3),
                                             FACE(DIRICHLET, .value = "0.01*kill*t + 0.001*z"),
                                             FACE(NEUMANN),
                                             FACE(MIRROR_NODE),
                                             FACE(ANTIMIRROR),
                                             FACE(DIRICHLET)};
static const mst_stencil_boundary own[] = {FACE(SPONGE, .width = 3),         FACE(DIRICHLET), FACE(NEUMANN), FACE(NEUMANN),
                                           FACE(DIRICHLET, .value = "feed"), FACE(NEUMANN)};
static const mst_stencil_field mixed_fields[] = {
    {.name = "u", .initial = {.expression = "1 - feed*exp(-(x - 7)^2/9 - z)"}},
    {.name = "v", .levels = 2, .initial = {.expression = "2*kill*x/(x + y + z + 1)"}, .boundaries = own},
    {.name = "c", .coefficient = true, .initial = {.expression = "1 + 0.1*feed*z"}}};
static const mst_stencil_update mixed_updates[] = {
    {"u", "u + dt*(c*0.16*(u[0,0,-1] + u[0,0,1] + u[0,-1,0] + u[0,1,0] + u[1,0,0] + u[-1,0,0] - 6*u) - u*v^2 + feed*(1 - u))", 0},
    {"v", "v + dt*(0.08*(v[0,0,-2] + v[0,0,1] + v[-1,0,0] + v[1,0,0] - 4*v) + u*v.prev^2 - (feed + kill)^2*v/(3*kill))", 1}};

// Periodic along all axes; and mirrors alone, which sweeps fill as they go.
static const mst_stencil_boundary ring[] = {FACE(PERIODIC), FACE(PERIODIC), FACE(PERIODIC),
                                            FACE(PERIODIC), FACE(PERIODIC), FACE(PERIODIC)};
static const mst_stencil_boundary mirrors[] = {FACE(NEUMANN), FACE(ANTIMIRROR), FACE(MIRROR_NODE),
                                               FACE(NEUMANN), FACE(ANTIMIRROR), FACE(NEUMANN)};
static const mst_stencil_field two[] = {{.name = "u", .initial = {.expression = "cos(feed*x) * z"}},
                                        {.name = "v", .initial = {.expression = "sin(y + 9*kill*z)"}}};
static const mst_stencil_field halves[] = {{.name = "u", .initial = {.expression = "cos(feed*x) * z"}, .storage_bytes = 2},
                                           {.name = "v", .initial = {.expression = "sin(y + 9*kill*z)"}}};
static const mst_stencil_update two_updates[] = {
    {"v", "v + feed*(v[2,0,0] + v[-2,0,0] + v[0,-2,-2] + v[0,2,2] - 4*v) + 0.1*kill*(u[1,0,0] - u)", 0},
    {"u", "u + 0.2*(v - v[-1,0,1] + v[0,0,1] - v[0,1,0])", 1}};

// Layers on five of the six faces, whose memory variables hold what differs.
static const mst_stencil_boundary layers[] = {FACE(ABSORB, .width = 3),
                                              FACE(ABSORB, .width = 4),
                                              FACE(ABSORB, .width = 5),
                                              FACE(NEUMANN),
                                              FACE(ABSORB, .width = 6, .kappa = 2),
                                              FACE(ABSORB, .width = 5)};
static const mst_stencil_field waves[] = {{.name = "u", .levels = 2, .initial = {.expression = "exp(-(x - 9)^2 - z*feed)"}},
                                          {.name = "q"}};
static const mst_stencil_update wave_updates[] = {
    {"u",
     "2*u - u.prev + 0.1*feed*(stretch_x(dx_minus(stretch_x(dx_plus(u), 0.5))) + stretch_y(dyy(u)) + kill*stretch_z(dzz(u)))", 0},
    {"q", "q + kill*stretch_x(feed*dx(u)) - 0.1*stretch_z(kill*dz(u))", 0}};

typedef struct scheme {
    const char *what;
    size_t grid[MST_MAX_AXES];
    const mst_stencil_field *fields;
    const mst_stencil_update *updates;
    const mst_stencil_boundary *boundaries;
    size_t n_fields, n_updates;
    bool has_sources, is_double, is_tiled;
} scheme;

static const scheme schemes[] = {{"mixed faces", {7, 5, 11}, mixed_fields, mixed_updates, mixed, 3, 2, true, false, false},
                                 {"periodic, float64", {13, 6, 9}, two, two_updates, ring, 2, 2, false, true, false},
                                 {"periodic planes in tiles", {17, 6, 9}, two, two_updates, ring, 2, 2, false, false, true},
                                 {"mirrors", {5, 6, 19}, two, two_updates, mirrors, 2, 2, true, false, true},
                                 {"float16", {4, 9, 8}, halves, two_updates, mirrors, 2, 2, false, false, true},
                                 {"layers", {17, 19, 31}, waves, wave_updates, layers, 2, 2, true, false, false}};

static mst_stencil_desc make(const scheme *of, const mst_stencil_parameter parameters[2]) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 3;
    memcpy(d.grid, of->grid, sizeof d.grid);
    d.time_step = 0.1;
    d.precision = of->is_double ? MST_FLOAT64 : MST_FLOAT32;
    d.parameters = parameters;
    d.n_parameters = 2;
    d.fields = of->fields;
    d.n_fields = of->n_fields;
    d.updates = of->updates;
    d.n_updates = of->n_updates;
    d.boundaries = of->boundaries;
    d.sources = sources;
    d.n_sources = of->has_sources ? 3 : 0;
    d.receivers = receivers;
    d.n_receivers = 2;
    d.monitors = monitors;
    d.n_monitors = 2;
    d.spectra = spectra;
    d.n_spectra = 2;
    d.check_every = 3;
    return d;
}

// What is read, one thing after the other: so many rows of `bytes` bytes, each of which an ensemble has once a run.
typedef struct result {
    size_t n, n_things, rows[40], bytes[40];
    unsigned char *all;
} result;

static void *room(result *r, size_t rows, size_t runs, size_t bytes) {
    const size_t taken = rows * runs * bytes;
    r->all = realloc(r->all, r->n + taken);
    assert_non_null(r->all);
    assert_true(r->n_things < 40);
    r->rows[r->n_things] = rows;
    r->bytes[r->n_things++] = bytes;
    memset(r->all + r->n, 0xa5, taken);
    r->n += taken;
    return r->all + r->n - taken;
}

static size_t runs_of(const mst_stencil_desc *d) { return d->n_runs > 0 ? d->n_runs : 1; }

static void read_state(mst_stencil *s, const mst_stencil_desc *d, result *r) {
    const size_t element = mst_type_bytes(d->precision), nodes = d->grid[0] * d->grid[1] * d->grid[2];
    mst_stencil_memory memory = MST_STENCIL_MEMORY_INIT;
    mst_error e;
    for (size_t f = 0; f < d->n_fields; f++)
        for (int level = 0; level < (d->fields[f].levels ? d->fields[f].levels : 1); level++)
            OK(mst_stencil_read(s, d->fields[f].name, level, NULL, mst_at_host(room(r, 1, runs_of(d), nodes * element)), &e));
    OK(mst_stencil_find_memory(d, 0, &memory, &e));
    for (size_t k = 0; k < memory.n; k++) {
        OK(mst_stencil_find_memory(d, k, &memory, &e));
        const size_t all = memory.shape[0] * memory.shape[1] * memory.shape[2] / runs_of(d);
        OK(mst_stencil_read(s, memory.name, 0, NULL, mst_at_host(room(r, 1, runs_of(d), all * element)), &e));
    }
}

static void read_findings(mst_stencil *s, const mst_stencil_desc *d, result *r) {
    const size_t runs = runs_of(d), pair = 2 * mst_type_bytes(d->precision);
    mst_error e;
    for (size_t k = 0; k < d->n_receivers; k++)
        OK(mst_stencil_read_receiver(s, k, 1, STEPS, room(r, STEPS, runs, POINTS * sizeof(double)), &e));
    for (size_t k = 0; k < d->n_monitors; k++) {
        OK(mst_stencil_read_monitor(s, k, 1, LOOKS, room(r, LOOKS, runs, sizeof(double)), &e));
        OK(mst_stencil_measure(s, k, room(r, 1, runs, sizeof(double)), &e));
    }
    OK(mst_stencil_read_spectrum(s, 0, mst_at_host(room(r, FREQUENCIES, runs, 2 * 3 * 2 * pair)), &e));
    OK(mst_stencil_read_spectrum(s, 1, mst_at_host(room(r, 1, runs, d->grid[0] * d->grid[1] * d->grid[2] * pair)), &e));
}

// Tiles are for larger states by themselves, and where they are measured to be faster; a GPU has none.
static void take_tiles(mst_stencil *s, mst_context *context) {
    mst_error e;
    if (mst_context_device(context)->type & CL_DEVICE_TYPE_GPU)
        return;
    const mst_sweeps *sweeps = &s->sweeper.sweeps;
    mst_sweeper_release(&s->sweeper);
    OK(mst_sweeper_create(context, &s->problem, &s->points, &s->tables.buffers, MST_STENCIL_SHAPE_CPU, MST_SWEEPER_TILES, 0,
                          &s->sweeper, &e));
    assert_true(s->sweeper.n_ways > 1 && s->sweeper.ways[1].tiles == 1);
    s->sweeper.stagger = s->sweeper.ways[1];
    s->sweeper.stagger.rows = 4;
    s->sweeper.stagger.columns = 16;
    assert_true(mst_sweeps_lag(sweeps) == s->sweeper.stagger.lag);
}

// In the order in which it was read.
static void write_state(mst_stencil *s, const mst_stencil_desc *d, const result *r) {
    mst_stencil_memory memory = MST_STENCIL_MEMORY_INIT;
    mst_error e;
    size_t at = 0, k = 0;
    for (size_t f = 0; f < d->n_fields; f++)
        for (int level = 0; level < (d->fields[f].levels ? d->fields[f].levels : 1); level++) {
            OK(mst_stencil_write(s, d->fields[f].name, level, mst_at_host(r->all + at), &e));
            at += runs_of(d) * r->bytes[k++];
        }
    OK(mst_stencil_find_memory(d, 0, &memory, &e));
    for (size_t m = 0; m < memory.n; m++) {
        OK(mst_stencil_find_memory(d, m, &memory, &e));
        OK(mst_stencil_write(s, memory.name, 0, mst_at_host(r->all + at), &e));
        at += runs_of(d) * r->bytes[k++];
    }
}

// All of it is written back behind the third step, from what was read of another one.
static void run(mst_context *context, const mst_stencil_desc *d, bool in_tiles, result *r) {
    mst_stencil *s, *half;
    mst_error e;
    result at_half = {.n = 0};
    OK(mst_stencil_create(context, d, &s, &e));
    if (in_tiles)
        take_tiles(s, context);
    OK(mst_stencil_run(s, 3, NULL, NULL, &e));
    if (d->n_runs > 0) {
        read_state(s, d, &at_half);
        OK(mst_stencil_create(context, d, &half, &e));
        OK(mst_stencil_run(half, 1, NULL, NULL, &e));
        write_state(half, d, &at_half);
        OK(mst_stencil_set_step(half, 3, &e));
        OK(mst_stencil_run(half, STEPS - 3, NULL, NULL, &e));
    }
    OK(mst_stencil_run(s, STEPS - 3, NULL, NULL, &e));
    read_state(s, d, r);
    if (d->n_runs > 0) {
        result resumed = {.n = 0};
        read_state(half, d, &resumed);
        assert_int_equal(resumed.n, r->n);
        CHECK(memcmp(resumed.all, r->all, r->n) == 0, "an ensemble that was written and resumed differs");
        free(resumed.all);
        free(at_half.all);
        mst_stencil_destroy(half);
    }
    read_findings(s, d, r);
    mst_stencil_destroy(s);
}

static void compare(const scheme *of, const char *how, const result alone[RUNS], const result *together) {
    size_t at = 0, at_one = 0;
    for (size_t k = 0; k < together->n_things; k++) {
        const size_t bytes = together->bytes[k], rows = together->rows[k];
        assert_true(alone[0].bytes[k] == bytes && alone[0].rows[k] == rows);
        for (size_t i = 0; i < rows * RUNS; i++)
            CHECK(memcmp(together->all + at + i * bytes, alone[i % RUNS].all + at_one + i / RUNS * bytes, bytes) == 0,
                  "%s, %s: of thing %zu row %zu of run %zu differs", of->what, how, k, i / RUNS, i % RUNS);
        at += rows * RUNS * bytes;
        at_one += rows * bytes;
    }
    CHECK(memcmp(alone[0].all, alone[1].all, alone[0].bytes[0]) != 0, "%s: the parameters do nothing", of->what);
}

static void check(mst_context *context, const scheme *of) {
    static const char *const ways[] = {"sweeps", "tiles", "a GPU's sweeps"};
    result alone[RUNS] = {{.n = 0}};
    const mst_stencil_parameter wrong[] = {{"feed", 1e9}, {"unused", 1}};
    for (size_t r = 0; r < RUNS; r++) {
        const mst_stencil_parameter parameters[] = {{"feed", values[r][0]}, {"kill", values[r][1]}};
        mst_stencil_desc d = make(of, parameters);
        d.schedule = MST_STENCIL_IN_CORE;
        d.fuse = 2;
        run(context, &d, false, &alone[r]);
    }
    for (int way = 0; way < 3; way++) {
        mst_stencil_desc d = make(of, wrong);
        result together = {.n = 0};
        if (way == 1 && !of->is_tiled)
            continue;
        d.n_runs = RUNS;
        d.n_run_parameters = 2;
        d.run_parameters = names;
        d.run_values = values[0];
        d.shape = way == 2 ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
        run(context, &d, way == 1, &together);
        compare(of, ways[way], alone, &together);
        free(together.all);
    }
    for (size_t r = 0; r < RUNS; r++)
        free(alone[r].all);
}

static void test_bits(void **state) {
    for (size_t k = 0; k < MST_COUNT(schemes); k++)
        if (test_turn(k, 2))
            check(*state, &schemes[k]);
}

// u is 0 but for what it begins with, data of all runs or of each; planes of regions are those of one run behind another.
static void test_data(void **state) {
    enum { RUNS_OF_DATA = 5, PLANES_OF_ONE = 3, NODES = PLANES_OF_ONE * 4 * 7 };
    static float each[RUNS_OF_DATA][NODES], first[NODES], part[4][2];
    const mst_stencil_update update = {"u", "u + a*w", 0};
    const char *const a[] = {"a"};
    const double two_to[] = {1, 2, 4, 8, 16};
    const size_t shape[] = {RUNS_OF_DATA, PLANES_OF_ONE, 4, 7};
    mst_stencil_field with[] = {{.name = "u"}, {.name = "w", .coefficient = true}};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil *solver;
    mst_error e;
    for (int i = 0; i < NODES; i++)
        first[i] = (float)i;
    for (int i = 0; i < RUNS_OF_DATA * NODES; i++)
        each[i / NODES][i % NODES] = (float)(1000 * (i / NODES));
    with[0].initial = (mst_stencil_initial){.layout = mst_layout_dense(MST_FLOAT32, 4, shape), .data = mst_at_host(each)};
    with[1].initial = (mst_stencil_initial){.layout = mst_layout_dense(MST_FLOAT32, 3, shape + 1), .data = mst_at_host(first)};
    d.rank = 3;
    memcpy(d.grid, shape + 1, 3 * sizeof *shape);
    d.fields = with;
    d.n_fields = 2;
    d.updates = &update;
    d.n_updates = 1;
    d.n_runs = RUNS_OF_DATA;
    d.n_run_parameters = 1;
    d.run_parameters = a;
    d.run_values = two_to;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, 3, NULL, NULL, &e));
    const mst_stencil_region region = {{4, 1, 2}, {3, 1, 4}, {4, 1, 2}}; // plane 1 of runs 1 to 4
    OK(mst_stencil_read(solver, "u", 0, &region, mst_at_host(part), &e));
    for (int r = 0; r < 4; r++)
        for (int i = 0; i < 2; i++) {
            const double want = 1000 * (1 + r) + 3 * two_to[1 + r] * (28 + 7 + 2 + 4 * i);
            CHECK(part[r][i] == (float)want, "run %d, node %d: %g, not %g", 1 + r, i, (double)part[r][i], want);
        }
    mst_stencil_destroy(solver);
    with[0].initial.layout = mst_layout_dense(MST_FLOAT32, 4, (const size_t[]){RUNS_OF_DATA - 1, PLANES_OF_ONE, 4, 7});
    REFUSED(MST_ERROR_ARGUMENT, "has 4 nodes along axis 0, the grid has 5", mst_stencil_create(*state, &d, &solver, &e));
}

// Values that are not finite are found in whatever run, and not in what lies between.
static void test_diverged(void **state) {
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "1 + x"}};
    const mst_stencil_update update = {"u", "u*a + 0*u[1,0,0]", 0};
    double some[] = {1, 1, 1, 1e30};
    mst_stencil_desc d = test_ensemble(&field, &update, some, 4);
    mst_stencil *solver;
    mst_error e;
    d.rank = 3;
    d.grid[0] = 3, d.grid[1] = 4, d.grid[2] = 5;
    d.check_every = 1;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    REFUSED(MST_ERROR_DIVERGED, "60", mst_stencil_run(solver, 4, NULL, NULL, &e));
    mst_stencil_destroy(solver);
    some[3] = 1;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, 4, NULL, NULL, &e));
    mst_stencil_destroy(solver);
}

static void test_limits(void **state) {
    const mst_stencil_field field = {.name = "u"};
    const mst_stencil_update update = {"u", "u + a*dt*(u[1,0,0] - 2*u + u[-1,0,0])", 0};
    const double some[] = {1, 5, 2};
    const mst_stencil_region region = {.step = {1, 1, 1}, .count = {1, 1, 1}};
    const mst_stencil_source source = {.field = "u", .series = "1", .region = &region};
    mst_stencil_desc d = test_ensemble(&field, &update, some, 3);
    mst_stencil_stability found = MST_STENCIL_STABILITY_INIT;
    mst_stencil_part part = {0, 1, 1}, parts[2];
    mst_stencil_brick brick = MST_STENCIL_BRICK_INIT;
    mst_stencil *solver;
    mst_error e;
    d.rank = 3;
    d.grid[0] = 9, d.grid[1] = 3, d.grid[2] = 4;
    OK(mst_stencil_time_step_limit(&d, &found, &e)); // of the run with the least
    CHECK(fabs(found.time_step_limit - 0.1) < 1e-9, "the limit is %.12g", found.time_step_limit);
    CHECK(fabs(fabs(found.wave[0]) - acos(-1)) < 1e-6, "the wave has %.12g along the slowest axis", found.wave[0]);
    d.time_step = 0.01;
    d.schedule = MST_STENCIL_SKEWED;
    REFUSED(MST_ERROR_ARGUMENT, "by sweeps, not by skewed", mst_stencil_create(*state, &d, &solver, &e));
    d.schedule = MST_STENCIL_AUTO;
    d.part = &part;
    REFUSED(MST_ERROR_UNSUPPORTED, "not cut into parts", mst_stencil_create(*state, &d, &solver, &e));
    d.part = NULL;
    REFUSED(MST_ERROR_UNSUPPORTED, "not cut into parts", mst_stencil_divide(&d, NULL, 2, 0, parts, &e));
    REFUSED(MST_ERROR_UNSUPPORTED, "not cut into parts", mst_stencil_brick_of(&d, NULL, 2, 0, 0, &brick, &e));
    d.sources = &source;
    d.n_sources = 1;
    REFUSED(MST_ERROR_ARGUMENT, "is a region", mst_stencil_create(*state, &d, &solver, &e));
    d.n_sources = 0;
    d.n_runs = 1 << 16;
    REFUSED(MST_ERROR_ARGUMENT, "at most 65535", mst_stencil_create(*state, &d, &solver, &e));
    d.n_runs = 0;
    d.rank = 4;
    REFUSED(MST_ERROR_ARGUMENT, "4 axes; 1 to 3", mst_stencil_create(*state, &d, &solver, &e));
    d.n_runs = 3;
    REFUSED(MST_ERROR_ARGUMENT, "4 axes; 1 to 3", mst_stencil_create(*state, &d, &solver, &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits), cmocka_unit_test(test_data), cmocka_unit_test(test_diverged),
                                       cmocka_unit_test(test_limits)};
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
