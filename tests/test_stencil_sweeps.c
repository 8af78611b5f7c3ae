// Sweeps of several steps, staggered by launches of a few planes or by tiles of planes, which solvers do by themselves only with
// states larger than a CPU's cache: levels, spare arrays, sub-steps, coefficient fields, sources and receivers, steps that are no
// multiple of those that are staggered, planes that do not divide the grid, margins that sweeps fill. (Sweeps one after the
// other: in test_stencil, stencil_blocks, stencil_seams.)
// Long: two ways of staggering with all that schemes may have; `stencil_blocks` has sweeps, too.
#include "runtime/cache.h"
#include "stencil/history.h"
#include "stencil/solver.h"
#include "support_stencil.h"

#include <string.h>
#include <time.h>

enum { STEPS = 10, MOST = MST_SWEEPS_TRIP };

// Steps of two runs, neither a multiple of those that are staggered; of most, so many and less.
static const size_t usual[] = {STEPS - 2, 2}, long_ones[] = {MOST + 1, 2 * MOST - 1};

static void check(mst_context *context, const mst_stencil_desc *given, mst_stagger stagger) {
    mst_stencil_desc d = *given;
    mst_stencil *s;
    mst_error e;
    const size_t *runs = stagger.steps == MOST ? long_ones : usual, steps = runs[0] + runs[1];
    const test_scheme reference = test_scheme_run(&d, steps);
    float *got = calloc(reference.nodes, sizeof *got);
    double *recorded = calloc(steps * reference.n_points + 1, sizeof *recorded);
    d.schedule = MST_STENCIL_SWEEPS;
    d.shape = MST_STENCIL_SHAPE_CPU;
    OK(mst_stencil_create(context, &d, &s, &e));
    stagger.lag = s->sweeper.sweeps.padded.before[PLANES] > s->sweeper.sweeps.padded.behind[PLANES]
                      ? s->sweeper.sweeps.padded.before[PLANES]
                      : s->sweeper.sweeps.padded.behind[PLANES];
    assert_true(stagger.lag > 0 && s->sweeper.sweeps.margins_change == s->sweeper.sweeps.copies_margins);
    if (stagger.tiles > 0) {
        mst_sweeper_release(&s->sweeper);
        OK(mst_sweeper_create(context, &s->problem, &s->points, &s->tables.buffers, MST_STENCIL_SHAPE_CPU, MST_SWEEPER_TILES, 0,
                              &s->sweeper, &e));
        assert_true(s->sweeper.time_tiles);
    }
    s->sweeper.stagger = stagger;
    for (int k = 0; k < 2; k++)
        OK(mst_stencil_run(s, runs[k], NULL, NULL, &e));
    for (size_t f = 0; f < d.n_fields; f++)
        for (int level = 0; level < (d.fields[f].levels ? d.fields[f].levels : 1) && !d.fields[f].coefficient; level++) {
            OK(mst_stencil_read(s, d.fields[f].name, level, NULL, mst_at_host(got), &e));
            for (size_t i = 0; i < reference.nodes; i++)
                if (got[i] != (float)reference.levels[f][level][i])
                    fail_msg("%s, level %d, node %zu: %.9g, not %.9g", d.fields[f].name, level, i, (double)got[i],
                             reference.levels[f][level][i]);
        }
    if (d.n_receivers > 0) {
        OK(mst_stencil_read_receiver(s, 0, 1, steps, recorded, &e));
        assert_memory_equal(recorded, reference.recorded, steps * reference.n_points * sizeof *recorded);
    }
    mst_stencil_destroy(s);
    test_scheme_free((test_scheme *)&reference);
    free(got);
    free(recorded);
}

static const mst_stagger staggers[] = {
    {.steps = 2, .planes = 1}, {.steps = 3, .planes = 4}, {.steps = 8, .planes = 50}, {.steps = MOST, .planes = 3}};

// Of so many planes, which the narrowest tiles divide unevenly; most steps need more. The first is for reaches of two in two
// sub-steps.
enum { TILED_PLANES = 67, MOST_TILED_PLANES = 131 };
static const mst_stagger tiled[] = {{.steps = 2, .planes = 4, .tiles = 4, .rows = 4, .columns = 16},
                                    {.steps = 3, .planes = 2, .tiles = 2, .rows = 100, .columns = 1024},
                                    {.steps = 8, .planes = 1, .tiles = 1, .rows = 1, .columns = 32},
                                    {.steps = MOST, .planes = 2, .tiles = 1, .rows = 3, .columns = 64}};

static void check_tiled(mst_context *context, const mst_stencil_desc *given) {
    mst_stencil_desc d = *given;
    for (size_t k = 0; k < sizeof tiled / sizeof tiled[0]; k++) {
        d.grid[0] = tiled[k].steps == MOST ? MOST_TILED_PLANES : TILED_PLANES;
        check(context, &d, tiled[k]);
    }
}

static void test_levels(void **state) {
    static const mst_stencil_field fields[] = {{.name = "u", .levels = 2, .initial = {.expression = "sin(x + 2 * y)"}},
                                               {.name = "c", .coefficient = true, .initial = {.expression = "0.1 + 0.001 * x"}}};
    static const mst_stencil_update updates[] = {{"u", "2 * u - u.prev + c * (u[-2,0] + u[2,0] + u[0,-1] + u[0,1] - 4 * u)", 0}};
    static const mst_stencil_boundary ends[] = {{.kind = MST_BOUNDARY_DIRICHLET, .value = "0.5"},
                                                {.kind = MST_BOUNDARY_SPONGE, .width = 5},
                                                {.kind = MST_BOUNDARY_DIRICHLET},
                                                {.kind = MST_BOUNDARY_DIRICHLET}};
    static const mst_stencil_source sources[] = {{.field = "u", .point = {7, 3}, .series = "sin(t)"},
                                                 {.field = "u", .point = {7, 3}, .series = "cos(3 * t)"},
                                                 {.field = "u", .point = {22, 9}, .series = "t"}};
    static const size_t points[][MST_MAX_AXES] = {{8, 3}, {0, 0}, {22, 12}};
    static const mst_stencil_receiver receiver = {.field = "u", .n_points = 3, .points = points};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 2;
    d.grid[0] = 23;
    d.grid[1] = 13;
    d.time_step = 0.25;
    d.fields = fields;
    d.n_fields = 2;
    d.updates = updates;
    d.n_updates = 1;
    d.boundaries = ends;
    d.sources = sources;
    d.n_sources = 3;
    d.receivers = &receiver;
    d.n_receivers = 1;
    for (size_t k = 0; k < sizeof staggers / sizeof staggers[0]; k++)
        check(*state, &d, staggers[k]);
    check_tiled(*state, &d);
}

// In the second sub-step nothing replaces what it reads; in the first v needs a spare array.
static void test_sub_steps(void **state) {
    static const mst_stencil_field fields[] = {{.name = "u", .initial = {.expression = "cos(x) * z"}},
                                               {.name = "v", .initial = {.expression = "sin(y + z)"}}};
    static const mst_stencil_update updates[] = {{"v", "v + 0.1 * (v[1,0,0] + v[-1,0,0] - 2 * v) + 0.1 * (u[1,0,0] - u)", 0},
                                                 {"u", "u + 0.2 * (v - v[-1,0,0] + v[0,0,1] - v[0,1,0])", 1}};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 3;
    d.grid[0] = 11;
    d.grid[1] = 6;
    d.grid[2] = 9;
    d.fields = fields;
    d.n_fields = 2;
    d.updates = updates;
    d.n_updates = 2;
    for (size_t k = 0; k < sizeof staggers / sizeof staggers[0]; k++)
        check(*state, &d, staggers[k]);
}

static const mst_stencil_field two_fields[] = {{.name = "u", .initial = {.expression = "cos(x) * z"}},
                                               {.name = "v", .initial = {.expression = "sin(y + z)"}}};
static const mst_stencil_update far_updates[] = {
    {"v", "v + 0.1 * (v[2,0,0] + v[-2,0,0] + v[0,-2,-2] + v[0,2,2] - 4 * v) + 0.1 * (u[1,0,0] - u)", 0},
    {"u", "u + 0.2 * (v - v[-1,0,1] + v[0,0,1] - v[0,1,0])", 1}};

// At the faces, two of them at one node, of both fields.
static const mst_stencil_source far_sources[] = {{.field = "v", .point = {0, 1, 8}, .series = "sin(t)"},
                                                 {.field = "u", .point = {10, 0, 0}, .series = "cos(3 * t)"},
                                                 {.field = "v", .point = {0, 1, 8}, .series = "cos(t)"},
                                                 {.field = "v", .point = {6, 5, 4}, .series = "t"}};
static const size_t far_points[][MST_MAX_AXES] = {{10, 0, 0}, {0, 1, 8}, {5, 5, 3}, {0, 1, 7}, {0, 1, 8}};
static const mst_stencil_receiver far_receiver = {.field = "u", .n_points = 5, .points = far_points};

static mst_stencil_desc far_scheme(const mst_stencil_boundary *boundaries) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 3;
    d.grid[0] = 11;
    d.grid[1] = 6;
    d.grid[2] = 9;
    d.fields = two_fields;
    d.n_fields = 2;
    d.updates = far_updates;
    d.n_updates = 2;
    d.boundaries = boundaries;
    d.sources = far_sources;
    d.n_sources = 4;
    d.receivers = &far_receiver;
    d.n_receivers = 1;
    return d;
}

// Margins that sweeps fill as they go: beyond mirroring faces, also where others have values or are periodic.
static void test_mirrors(void **state) {
    static const mst_stencil_boundary boundaries[] = {
        {.kind = MST_BOUNDARY_NEUMANN}, {.kind = MST_BOUNDARY_NEUMANN},  {.kind = MST_BOUNDARY_NEUMANN},
        {.value = "0.1 * x"},           {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC},
    };
    const mst_stencil_desc d = far_scheme(boundaries);
    for (size_t k = 0; k < sizeof staggers / sizeof staggers[0]; k++)
        check(*state, &d, staggers[k]);
}

// Fields with other mirrors than others'.
static void test_mirrors_by_field(void **state) {
    static const mst_stencil_boundary of_u[] = {
        {.kind = MST_BOUNDARY_ANTIMIRROR},      {.kind = MST_BOUNDARY_MIRROR_NODE},
        {.kind = MST_BOUNDARY_ANTIMIRROR_NODE}, {.value = "0.1 * x"},
        {.kind = MST_BOUNDARY_ANTIMIRROR_NODE}, {.kind = MST_BOUNDARY_NEUMANN},
    };
    static const mst_stencil_boundary of_v[] = {
        {.kind = MST_BOUNDARY_ANTIMIRROR_NODE}, {.kind = MST_BOUNDARY_ANTIMIRROR},
        {.kind = MST_BOUNDARY_NEUMANN},         {.value = "0.1 * x"},
        {.kind = MST_BOUNDARY_MIRROR_NODE},     {.kind = MST_BOUNDARY_ANTIMIRROR},
    };
    mst_stencil_field fields[] = {two_fields[0], two_fields[1]};
    mst_stencil_desc d = far_scheme(of_v);
    fields[0].boundaries = of_u;
    d.fields = fields;
    for (size_t k = 0; k < sizeof staggers / sizeof staggers[0]; k++)
        check(*state, &d, staggers[k]);
    check_tiled(*state, &d);
}

// Planes beyond periodic faces wait for the last ones, so no launches are staggered; tiles have a gap around the faces.
static void test_periodic(void **state) {
    static const mst_stencil_boundary boundaries[] = {
        {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC},           {.kind = MST_BOUNDARY_PERIODIC},
        {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_SPONGE, .width = 2}, {.kind = MST_BOUNDARY_NEUMANN},
    };
    mst_stencil_field fields[] = {two_fields[0], two_fields[1]};
    mst_stencil_desc d = far_scheme(boundaries);
    fields[1].storage_bytes = 2;
    d.fields = fields;
    check(*state, &d, (mst_stagger){.steps = 1, .planes = (int64_t)d.grid[0] + 4});
    check_tiled(*state, &d);
}

// Rows beyond periodic faces wait for the last ones, too: blocks of rows have a gap around the faces. So many steps as are last,
// of two sub-steps that reach over two rows, need more rows than there are, and do them all at once.
static void test_periodic_rows(void **state) {
    static const mst_stencil_boundary boundaries[] = {
        {.kind = MST_BOUNDARY_NEUMANN},  {.value = "0.1 * x"},
        {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC},
        {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC},
    };
    static const mst_stagger ways[] = {{.steps = 2, .planes = 3, .tiles = 4, .rows = 4, .columns = 16},
                                       {.steps = 3, .planes = 2, .tiles = 2, .rows = 7, .columns = 1024},
                                       {.steps = 4, .planes = 2, .tiles = 2, .rows = 7, .columns = 1024}};
    mst_stencil_desc d = far_scheme(boundaries);
    d.grid[0] = TILED_PLANES;
    d.grid[1] = 25;
    d.grid[2] = 35;
    d.n_sources = d.n_receivers = 0;
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++)
        check(*state, &d, ways[k]);
}

// A grid so large that a GPU's kernels have its pitch as a number, one field of float16: against the kernels of a CPU.
static void test_fixed_pitch(void **state) {
    enum { N = 128 * 128 * 65 };
    static const mst_stencil_field fields[] = {{.name = "u", .storage_bytes = 2, .initial = {.expression = "cos(x) * z * 0.01"}},
                                               {.name = "v", .initial = {.expression = "sin(y + z)"}}};
    float *values[2];
    mst_stencil_desc d = far_scheme(NULL);
    mst_stencil *s;
    mst_error e;
    d.fields = fields;
    d.grid[0] = d.grid[1] = 128;
    d.grid[2] = 65;
    d.schedule = MST_STENCIL_SWEEPS;
    for (int gpu = 0; gpu < 2; gpu++) {
        values[gpu] = malloc(2 * N * sizeof *values[gpu]);
        d.shape = gpu ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
        OK(mst_stencil_create(*state, &d, &s, &e));
        assert_true(s->sweeper.sweeps.has_fixed_pitch == (gpu == 1));
        assert_true(s->sweeper.sweeps.has_fixed_lines == (gpu == 0));
        mst_sweeps sweeps = s->sweeper.sweeps;
        mst_sweeps_fix_lines(&sweeps, 1000); // so few steps do not repay it
        assert_false(sweeps.has_fixed_lines);
        mst_sweeps_fix_lines(&sweeps, 10000);
        assert_true(sweeps.has_fixed_lines == (gpu == 0));
        OK(mst_stencil_run(s, 3, NULL, NULL, &e));
        for (size_t f = 0; f < 2; f++)
            OK(mst_stencil_read(s, fields[f].name, 0, NULL, mst_at_host(values[gpu] + f * N), &e));
        mst_stencil_destroy(s);
    }
    for (size_t i = 0; i < 2 * N; i++)
        CHECK(values[0][i] == values[1][i], "value %zu: %.9g, not %.9g", i, (double)values[1][i], (double)values[0][i]);
    free(values[0]);
    free(values[1]);
}

// What the cache says of a scheme: damaged, of another size, of a later day or an earlier one, it says nothing.
static void test_kept_history(void **state) {
    static const uint64_t scheme = 0x1234567890abcdefU;
    static const char text[] = "steps of scheme 1234567890abcdef";
    const int64_t now = (int64_t)time(NULL);
    const struct {
        int64_t when;
        size_t size;
        uint64_t steps;
    } cases[] = {{now, 16, STEPS},
                 {now - 3600, 16, STEPS},
                 {now - 24 * 3600, 16, 0},
                 {now + 3600, 16, 0},
                 {INT64_MIN, 16, 0},
                 {INT64_MAX, 16, 0},
                 {now, 15, 0},
                 {now, 8, 0}};
    mst_cache_key key;
    assert_true(mst_cache_make_key(*state, text, sizeof text - 1, "history", &key));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int64_t kept[] = {STEPS, cases[i].when};
        mst_cache_store(*state, key, (const unsigned char *)kept, cases[i].size);
        assert_int_equal(mst_history_steps(*state, scheme), cases[i].steps);
    }
    mst_history_add(*state, scheme, 0);
    assert_int_equal(mst_history_steps(*state, scheme), 0);
    mst_history_add(*state, scheme, STEPS);
    assert_int_equal(mst_history_steps(*state, scheme), STEPS);
}

// Fused kernels are built for runs that are short, too, once earlier ones would have repaid them, and for no plan alone.
static void test_history(void **state) {
    enum { RUNS = 3 };
    static const uint64_t longer = UINT64_MAX - 2 * STEPS;
    mst_stencil_desc d = far_scheme(NULL);
    mst_stencil *s;
    mst_error e;
    uint64_t scheme = 0;
    d.grid[0] = 64; // like no other's
    d.expected_steps = STEPS;
    for (uint64_t k = 0; k < RUNS; k++) {
        OK(mst_solver_plan(*state, &d, STEPS, &s, &e));
        assert_int_equal(mst_history_steps(*state, s->scheme), k * STEPS);
        mst_stencil_destroy(s);
        OK(mst_stencil_create(*state, &d, &s, &e));
        assert_int_equal(s->plan.schedule, MST_STENCIL_SWEEPS);
        assert_null(s->steppers[0].context);
        scheme = s->scheme;
        mst_stencil_destroy(s);
    }
    mst_history_add(*state, scheme, longer);
    mst_history_add(*state, scheme, longer);
    assert_true(mst_history_steps(*state, scheme) == UINT64_MAX && mst_history_steps(*state, scheme + 1) == 0);
    OK(mst_stencil_create(*state, &d, &s, &e));
    assert_non_null(s->steppers[0].context);
    mst_stencil_destroy(s);
}

// ---- Ensembles of grids of one and two axes, whose runs are planes that do not read one another

enum { TILED_RUNS = 3, TILED_ROWS = 14, TILED_COLUMNS = 19, TILED_POINTS = 2, TILED_STEPS = MOST + 5 };

typedef struct tiled_case {
    int rank;
    bool has_points;
    int way; // of the sweeper's, the last if there are fewer
    mst_stencil_boundary boundaries[4];
} tiled_case;

static const size_t tiled_points[TILED_POINTS][MST_MAX_AXES] = {{3, 4}, {10, 0}};
static const mst_stencil_update tiled_plane[] = {{"u", "u + a*(u[0,-1] + u[0,1] + u[-1,0] + u[1,0] - 4*u) + 0.1*v", 0},
                                                 {"v", "v + 0.1*(u[0,2] - u[-1,0]) - a*v.prev", 1}};
static const mst_stencil_update tiled_line[] = {{"u", "u + a*(u[-1] + u[1] - 2*u) + 0.1*v", 0},
                                                {"v", "v + 0.1*(u[2] - u[-1]) - a*v.prev", 1}};

static mst_stencil_desc describe_tiled(const tiled_case *c) {
    static const mst_stencil_field fields[] = {{.name = "u", .initial = {.expression = "sin(a*x)"}},
                                               {.name = "v", .levels = 2, .initial = {.expression = "cos(x)"}}};
    static const mst_stencil_source at_nodes[] = {{.field = "u", .point = {5, 6}, .series = "a*sin(t)"},
                                                  {.field = "v", .point = {0, 1}, .series = "cos(t)"}};
    static const mst_stencil_receiver receiver = {.field = "v", .n_points = TILED_POINTS, .points = tiled_points};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = c->rank;
    d.grid[0] = c->rank == 2 ? TILED_ROWS : TILED_COLUMNS;
    d.grid[1] = TILED_COLUMNS;
    d.fields = fields;
    d.updates = c->rank == 2 ? tiled_plane : tiled_line;
    d.n_fields = d.n_updates = 2;
    d.boundaries = c->boundaries;
    d.sources = at_nodes;
    d.receivers = &receiver;
    d.n_sources = c->has_points ? 2 : 0;
    d.n_receivers = c->has_points ? 1 : 0;
    d.schedule = MST_STENCIL_SWEEPS;
    d.shape = MST_STENCIL_SHAPE_CPU;
    return d;
}

static void take_tiles(mst_context *context, mst_stencil *s, int way) {
    mst_error e;
    mst_sweeper *sweeper = &s->sweeper;
    mst_sweeper_release(sweeper);
    OK(mst_sweeper_create(context, &s->problem, &s->points, &s->tables.buffers, MST_STENCIL_SHAPE_CPU, MST_SWEEPER_TILES, 0,
                          sweeper, &e));
    assert_true(sweeper->time_tiles && sweeper->n_ways > 1);
    sweeper->stagger = sweeper->ways[way < sweeper->n_ways ? way : sweeper->n_ways - 1];
    assert_true(sweeper->stagger.lag == 0 && sweeper->stagger.tiles > 0);
    sweeper->stagger.tiles = 2; // which do not divide the runs
    sweeper->stagger.planes = 2;
    sweeper->stagger.rows = 4;
    sweeper->stagger.columns = 16;
}

static void run_runs(mst_context *context, const mst_stencil_desc *d, int way, float *u, double *trace) {
    mst_stencil *s;
    mst_error e;
    OK(mst_stencil_create(context, d, &s, &e));
    if (d->n_runs > 0)
        take_tiles(context, s, way);
    OK(mst_stencil_run(s, TILED_STEPS, NULL, NULL, &e));
    OK(mst_stencil_read(s, "u", 0, NULL, mst_at_host(u), &e));
    if (d->n_receivers > 0)
        OK(mst_stencil_read_receiver(s, 0, 1, TILED_STEPS, trace, &e));
    mst_stencil_destroy(s);
}

static void check_runs(mst_context *context, const tiled_case *c) {
    static const char *const a[] = {"a"};
    static float all[TILED_RUNS * TILED_ROWS * TILED_COLUMNS], own[TILED_ROWS * TILED_COLUMNS];
    static double traces[TILED_STEPS][TILED_RUNS][TILED_POINTS], trace[TILED_STEPS][TILED_POINTS];
    double of_runs[TILED_RUNS];
    mst_stencil_desc d = describe_tiled(c);
    const size_t nodes = c->rank == 2 ? TILED_ROWS * TILED_COLUMNS : TILED_COLUMNS;
    for (int r = 0; r < TILED_RUNS; r++)
        of_runs[r] = 0.05 + 0.02 * r;
    d.n_runs = TILED_RUNS;
    d.n_run_parameters = 1;
    d.run_parameters = a;
    d.run_values = of_runs;
    run_runs(context, &d, c->way, all, traces[0][0]);
    d.n_runs = d.n_run_parameters = 0;
    for (int r = 0; r < TILED_RUNS; r++) {
        const mst_stencil_parameter parameter = {"a", of_runs[r]};
        d.parameters = &parameter;
        d.n_parameters = 1;
        run_runs(context, &d, 0, own, trace[0]);
        CHECK(memcmp(own, all + (size_t)r * nodes, nodes * sizeof *own) == 0, "%d axes, way %d: run %d differs", c->rank, c->way,
              r);
        for (int k = 0; k < TILED_STEPS && c->has_points; k++)
            CHECK(memcmp(traces[k][r], trace[k], sizeof trace[k]) == 0, "receivers of run %d differ in step %d", r, k);
    }
}

static void test_runs(void **state) {
    static const tiled_case cases[] = {
        {2,
         true,
         9,
         {{.kind = MST_BOUNDARY_NEUMANN}, {.value = "a*x"}, {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC}}},
        {2,
         false,
         1,
         {{.kind = MST_BOUNDARY_PERIODIC},
          {.kind = MST_BOUNDARY_PERIODIC},
          {.kind = MST_BOUNDARY_MIRROR_NODE},
          {.kind = MST_BOUNDARY_SPONGE, .width = 3}}},
        {1, false, 9, {{.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC}}}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        check_runs(*state, &cases[k]);
}

// An ensemble so large that a CPU's kernels have its lines as numbers, against two of its runs alone.
static void check_large_ensemble(mst_context *context, const mst_stencil_desc *single, size_t runs) {
    static const char *const a[] = {"a"};
    const size_t nodes = single->grid[0] * single->grid[1] * (single->rank == 3 ? single->grid[2] : 1);
    double *of_runs = malloc(runs * sizeof *of_runs);
    float *all = malloc(runs * nodes * sizeof *all), *own = malloc(nodes * sizeof *own);
    mst_stencil_desc d = *single;
    mst_stencil *s;
    mst_error e;
    for (size_t r = 0; r < runs; r++)
        of_runs[r] = 0.05 + 0.1 * (double)r / (double)runs;
    d.n_runs = runs;
    d.n_run_parameters = 1;
    d.run_parameters = a;
    d.run_values = of_runs;
    OK(mst_stencil_create(context, &d, &s, &e));
    assert_true(s->sweeper.sweeps.has_fixed_lines && s->sweeper.n_ways > 1);
    s->sweeper.stagger = s->sweeper.ways[1];
    OK(mst_stencil_run(s, STEPS, NULL, NULL, &e));
    OK(mst_stencil_read(s, "u", 0, NULL, mst_at_host(all), &e));
    mst_stencil_destroy(s);
    for (size_t r = 1; r < runs; r += runs - 2) {
        const mst_stencil_parameter parameter = {"a", of_runs[r]};
        d = *single;
        d.parameters = &parameter;
        d.n_parameters = 1;
        OK(mst_stencil_create(context, &d, &s, &e));
        assert_false(s->sweeper.sweeps.has_fixed_lines);
        OK(mst_stencil_run(s, STEPS, NULL, NULL, &e));
        OK(mst_stencil_read(s, "u", 0, NULL, mst_at_host(own), &e));
        mst_stencil_destroy(s);
        CHECK(memcmp(own, all + r * nodes, nodes * sizeof *own) == 0, "%d axes: run %zu differs", single->rank, r);
    }
    free(of_runs);
    free(all);
    free(own);
}

static void test_fixed_lines(void **state) {
    static const mst_stencil_boundary boundaries[] = {
        {.value = "a*x"}, {.kind = MST_BOUNDARY_NEUMANN}, {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC}};
    static const mst_stencil_field fields[] = {{.name = "u", .initial = {.expression = "sin(a*x) + cos(y)"}}};
    static const mst_stencil_update plane = {"u", "u + a*(u[0,-2] + u[0,1] + u[-1,0] + u[1,0] - 4*u)", 0};
    static const mst_stencil_update volume = {"u", "u + a*(u[0,0,-2] + u[0,1,0] + u[-1,0,0] + u[1,0,0] - 4*u)", 0};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    if (mst_context_device(*state)->type & CL_DEVICE_TYPE_GPU)
        skip(); // its kernels know none
    d.rank = 2;
    d.grid[0] = 33;
    d.grid[1] = 40; // whole vectors
    d.fields = fields;
    d.updates = &plane;
    d.n_fields = d.n_updates = 1;
    d.boundaries = boundaries;
    d.schedule = MST_STENCIL_SWEEPS;
    d.shape = MST_STENCIL_SHAPE_CPU;
    check_large_ensemble(*state, &d, 800);
    d.rank = 3;
    d.grid[2] = 21;
    d.updates = &volume;
    d.boundaries = NULL;
    check_large_ensemble(*state, &d, 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fixed_lines), cmocka_unit_test(test_runs),          cmocka_unit_test(test_levels),
        cmocka_unit_test(test_sub_steps),   cmocka_unit_test(test_mirrors),       cmocka_unit_test(test_mirrors_by_field),
        cmocka_unit_test(test_periodic),    cmocka_unit_test(test_periodic_rows), cmocka_unit_test(test_fixed_pitch),
        cmocka_unit_test(test_history),     cmocka_unit_test(test_kept_history)};
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
