// A grid that is shared out: among devices, which are parts of the CPU, or by the caller, in parts. State, memory variables,
// receivers, monitors and spectra have the bits of one device.
// Long: the same schemes by one device, by two, and by solvers side by side.
#include "stencil/solver.h"
#include "support_launch.h"
#include "support_stencil.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { STEPS = 23, MOST_PARTS = 4, MOST_POINTS = 25, MOST_RUNS = 4 };

static mst_context *alone, *two, *three;

// Threads that can still be started; negative: all.
static atomic_int threads = -1;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*work)(void *), void *argument) {
    const int left = atomic_load(&threads);
    if (left >= 0)
        atomic_store(&threads, left > 0 ? left - 1 : 0);
    return left == 0 ? EAGAIN : __real_pthread_create(thread, how, work, argument);
}

static mst_context *context_of(const char *devices) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.device = devices;
    desc.cache_directory = test_directory(); // members have the same kernels
    return test_context(&desc);
}

static int setup(void **state) {
    const int code = test_setup_on_cpu(state);
    alone = context_of(NULL);
    two = context_of(test_in_parts(alone, 2));
    three = context_of(test_in_parts(alone, 3));
    return code;
}

static int teardown(void **state) {
    mst_context_destroy(alone);
    mst_context_destroy(two);
    mst_context_destroy(three);
    return test_teardown(state);
}

// Yee's scheme with absorbing layers, a second level, a mask that depends on the place and a coefficient that is read beside the
// node; sources at a node, between nodes and in a region; receivers likewise.
static const size_t points[][MST_MAX_AXES] = {{0, 3}, {37, 20}, {52, 31}};
static const double positions[][MST_MAX_AXES] = {{26.3, 12.5}, {35.5, 3}}, at[] = {17.5, 20.25};
static const mst_stencil_region box = {{10, 4}, {1, 1}, {30, 9}}, some = {{3, 1}, {5, 2}, {9, 15}};
static const double frequencies[] = {0.1, 0.37};
static const mst_stencil_field fields[] = {
    {.name = "e", .levels = 2, .initial = {.expression = "exp(-((x - 14)^2 + (y - 25)^2) / 30)"}},
    {.name = "hx"},
    {.name = "hy"},
    {.name = "k", .coefficient = true, .initial = {.expression = "0.4 + 0.001 * y + 0.002 * x"}}};
static const mst_stencil_update updates[] = {
    {"hx", "hx - k[1,0] * stretch_y(e[1,0] - e)", 0},
    {"hy", "hy + k * stretch_x(e[0,1] - e)", 0},
    {"e", "y > 30 && x > 28 ? 0.9 * e : e + 0.01 * (e - e.prev) + k * (stretch_x(hy - hy[0,-1]) - stretch_y(hx - hx[-1,0]))", 1}};
static const mst_stencil_source sources[] = {{.field = "e", .point = {30, 9}, .series = "sin(t)"},
                                             {.field = "e", .position = at, .series = "cos(t)"},
                                             {.field = "hx", .region = &box, .series = "t", .amplitude = "0.01 * (x + y)"}};
static const mst_stencil_receiver receivers[] = {{.field = "e", .n_points = 3, .points = points},
                                                 {.field = "hy", .n_points = 2, .positions = positions}};
static const mst_stencil_monitor monitors[] = {
    {.name = "energy", .expression = "e * e + hx[-1,0] ^ 2", .every = 5},
    {.name = "most", .expression = "hy", .reduction = MST_STENCIL_MAX, .every = 4, .region = {{3, 1}, {5, 2}, {9, 15}}}};
static mst_stencil_boundary faces[4];

static mst_stencil_desc describe(void) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    for (int k = 0; k < 4; k++)
        faces[k] = (mst_stencil_boundary){.kind = MST_BOUNDARY_ABSORB, .width = 5 + (size_t)k};
    d.rank = 2;
    d.grid[0] = 53;
    d.grid[1] = 34;
    d.time_step = 0.4;
    d.precision = MST_FLOAT32;
    d.expected_steps = STEPS; // so that little is measured
    d.fields = fields;
    d.n_fields = 4;
    d.updates = updates;
    d.n_updates = 3;
    d.boundaries = faces;
    d.sources = sources;
    d.n_sources = 3;
    d.receivers = receivers;
    d.n_receivers = 2;
    return d;
}

// ---- what a solver ends with

typedef struct outcome {
    double values[200000];
    size_t n;
} outcome;

static void add(outcome *o, const void *values, size_t bytes) {
    CHECK(o->n * 8 + bytes <= sizeof o->values, "too much to compare");
    memcpy(o->values + o->n, values, bytes);
    o->n += bytes / 8 + 1;
}

static void add_array(outcome *o, mst_stencil *solver, const char *name, int level, size_t bytes) {
    mst_error e;
    void *values = calloc(1, bytes);
    OK(mst_stencil_read(solver, name, level, NULL, mst_at_host(values), &e));
    add(o, values, bytes);
    free(values);
}

static void add_state(outcome *o, const mst_stencil_desc *d, mst_stencil *solver) {
    mst_error e;
    mst_stencil_memory memory = MST_STENCIL_MEMORY_INIT;
    const size_t bytes = d->grid[0] * d->grid[1] * sizeof(float);
    add_array(o, solver, "e", 0, bytes);
    add_array(o, solver, "e", 1, bytes);
    add_array(o, solver, "hx", 0, bytes);
    add_array(o, solver, "k", 0, bytes);
    OK(mst_stencil_find_memory(d, 0, &memory, &e));
    for (size_t k = 0; k < memory.n; k++) {
        OK(mst_stencil_find_memory(d, k, &memory, &e));
        add_array(o, solver, memory.name, 0, memory.shape[0] * memory.shape[1] * sizeof(float));
    }
}

static void add_records(outcome *o, const mst_stencil_desc *d, const mst_stencil *solver, uint64_t first, uint64_t steps) {
    mst_error e;
    double values[STEPS * MOST_POINTS];
    for (size_t k = 0; k < d->n_receivers; k++) {
        OK(mst_stencil_read_receiver(solver, k, first, steps, values, &e));
        add(o, values, (d->n_runs > 0 ? d->n_runs : 1) * steps * d->receivers[k].n_points * sizeof *values);
    }
}

static void check_same(const outcome *a, const outcome *b, const char *what) {
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++)
        CHECK(memcmp(&a->values[i], &b->values[i], sizeof(double)) == 0, "%s: what was read differs from number %zu of %zu on",
              what, i, a->n);
}

// In portions, with monitors, a spectrum, and a state that is written back.
static outcome *run(mst_context *context, mst_stencil_desc d, size_t parts) {
    mst_error e;
    mst_stencil *solver;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    const mst_stencil_spectrum spectrum = {
        .expression = "e[0,1] - e", .n_frequencies = 2, .frequencies = frequencies, .every = 3, .region = some};
    outcome *o = calloc(1, sizeof *o);
    double values[4];
    float sums[2 * 2 * 9 * 15];
    d.monitors = monitors;
    d.n_monitors = 2;
    d.spectra = &spectrum;
    d.n_spectra = 1;
    d.check_every = 6;
    OK(mst_stencil_create(context, &d, &solver, &e));
    OK(mst_stencil_describe(solver, STEPS, &plan, &e));
    if (d.n_shares > 0)
        CHECK(plan.part_planes[0] + 6 < plan.part_planes[1], "shares of 2 and 3 are %zu and %zu planes", plan.part_planes[0],
              plan.part_planes[1]);
    CHECK(plan.n_parts == (parts > 1 ? parts : 0), "the grid is in %zu parts, not %zu", plan.n_parts, parts);
    assert_int_equal(plan.part_beside, d.exchange == MST_STENCIL_EXCHANGE_BESIDE);
    if (d.exchange_every > 0)
        assert_int_equal(plan.part_steps, d.exchange_every);
    OK(mst_stencil_run(solver, 9, NULL, NULL, &e));
    OK(mst_stencil_run(solver, STEPS - 9, NULL, NULL, &e));
    add_state(o, &d, solver);
    add_records(o, &d, solver, 1, STEPS);
    OK(mst_stencil_read_monitor(solver, 0, 1, 4, values, &e));
    add(o, values, sizeof values);
    OK(mst_stencil_read_monitor(solver, 1, 2, 4, values, &e));
    add(o, values, sizeof values);
    OK(mst_stencil_read_spectrum(solver, 0, mst_at_host(sums), &e));
    add(o, sums, sizeof sums);
    float *e_values = calloc(d.grid[0] * d.grid[1], sizeof *e_values);
    OK(mst_stencil_read(solver, "hx", 0, NULL, mst_at_host(e_values), &e));
    OK(mst_stencil_write(solver, "e", 0, mst_at_host(e_values), &e));
    OK(mst_stencil_set_step(solver, 100, &e));
    OK(mst_stencil_run(solver, 7, NULL, NULL, &e));
    add_state(o, &d, solver);
    add_records(o, &d, solver, 101, 7);
    free(e_values);
    mst_stencil_destroy(solver);
    return o;
}

// Exchanges that go on beside the interior, every so many steps; with points and layers at cuts, a ring, and parts that are too
// thin for it.
static void test_beside(void **state) {
    (void)state;
    static const struct {
        mst_stencil_schedule schedule;
        mst_stencil_shape shape;
        unsigned fuse;
        uint32_t every;
        int parts;
    } ways[] = {{MST_STENCIL_SWEEPS, MST_STENCIL_SHAPE_CPU, 0, 1, 2},  {MST_STENCIL_SWEEPS, MST_STENCIL_SHAPE_GPU, 0, 2, 3},
                {MST_STENCIL_IN_CORE, MST_STENCIL_SHAPE_CPU, 2, 2, 2}, {MST_STENCIL_IN_CORE, MST_STENCIL_SHAPE_GPU, 1, 3, 2},
                {MST_STENCIL_IN_CORE, MST_STENCIL_SHAPE_CPU, 2, 5, 2}, {MST_STENCIL_SWEEPS, MST_STENCIL_SHAPE_CPU, 0, 4, 3}};
    mst_stencil_desc d = describe();
    d.schedule = MST_STENCIL_SWEEPS;
    outcome *expected = run(alone, d, 1);
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        char text[80];
        if (k != 2 && !test_turn(k, 3)) // fused kernels, to which sweeps' layers are compared, always
            continue;
        d.schedule = ways[k].schedule;
        d.shape = ways[k].shape;
        d.fuse = ways[k].fuse;
        d.exchange = MST_STENCIL_EXCHANGE_BESIDE;
        d.exchange_every = ways[k].every;
        outcome *got = run(ways[k].parts == 2 ? two : three, d, (size_t)ways[k].parts);
        snprintf(text, sizeof text, "%s, every %u steps beside the interior, on %d devices",
                 mst_stencil_schedule_name(d.schedule), (unsigned)ways[k].every, ways[k].parts);
        check_same(expected, got, text);
        free(got);
    }
    free(expected);
}

// Of a scheme that reads to one side, the last part gives nothing and takes.
static void test_beside_upwind(void **state) {
    static const mst_stencil_update upwind[] = {{"hx", "hx + k * (e[-1,0] - hx)", 0},
                                                {"hy", "hy + k * (e[-1,-1] - hy)", 0},
                                                {"e", "e + k * (hx - e) + 0.1 * (hy[-2,0] - e)", 1}};
    mst_stencil_desc d = describe();
    (void)state;
    d.updates = upwind;
    d.boundaries = NULL;
    for (size_t k = 0; k < 2; k++) {
        d.schedule = k ? MST_STENCIL_IN_CORE : MST_STENCIL_SWEEPS;
        d.exchange = MST_STENCIL_EXCHANGE_AUTO;
        d.exchange_every = 0;
        if (!test_turn(k, 2))
            continue;
        outcome *expected = run(alone, d, 1);
        d.exchange = MST_STENCIL_EXCHANGE_BESIDE;
        d.exchange_every = 2;
        outcome *got = run(k ? two : three, d, k ? 2 : 3);
        check_same(expected, got, "upwind, beside the interior");
        free(expected);
        free(got);
    }
}

static void test_groups(void **state) {
    (void)state;
    static const struct {
        mst_stencil_schedule schedule;
        size_t depth, block;
    } ways[] = {{MST_STENCIL_SWEEPS, 0, 0},       {MST_STENCIL_SKEWED_SWEEPS, 3, 4}, {MST_STENCIL_IN_CORE, 0, 0},
                {MST_STENCIL_SKEWED, 4, 5},       {MST_STENCIL_PYRAMID_SLABS, 2, 6}, {MST_STENCIL_SKEWED, 4, 5},
                {MST_STENCIL_SKEWED_SWEEPS, 3, 4}};
    mst_stencil_desc d = describe();
    d.schedule = ways[0].schedule;
    outcome *expected = run(alone, d, 1);
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        char text[80];
        if (!test_turn(k, 5)) // each run takes one or two of them
            continue;
        const size_t parts = k == 1 || k == 3 ? 2 : 3; // of three, one has no layer across the cuts
        d.store = k > 3 ? MST_STENCIL_STORE_PINNED : d.store;
        d.schedule = ways[k].schedule;
        d.depth = ways[k].depth;
        d.block = ways[k].block;
        d.fuse = d.schedule == MST_STENCIL_SWEEPS || d.schedule == MST_STENCIL_SKEWED_SWEEPS ? 0 : 2;
        const double shares[] = {2, 3};
        d.n_shares = k == 1 ? 2 : 0;
        d.shares = k == 1 ? shares : NULL;
        outcome *got = run(parts == 2 ? two : three, d, parts);
        snprintf(text, sizeof text, "%s on %zu devices", mst_stencil_schedule_name(d.schedule), parts);
        check_same(expected, got, text);
        free(got);
    }
    free(expected);
}

// ---- parts that share launches on the whole grid

// A wave with layers along all axes, large enough to be shared.
static mst_stencil_desc describe_volume(void) {
    static const mst_stencil_field of_volume[] = {
        {.name = "e", .levels = 2, .initial = {.expression = "exp(-((x - 9)^2 + (y - 14)^2 + (z - 20)^2) / 30)"}},
        {.name = "v"},
        {.name = "k", .coefficient = true, .initial = {.expression = "0.2 + 0.001 * y + 0.002 * x"}}};
    static const mst_stencil_update of_wave[] = {
        {"v", "v + k * stretch_x(e[0,0,1] - e)", 0},
        {"e", "2 * e - e.prev + k * (e[1,0,0] - 2 * e + e[-1,0,0] + e[0,1,0] - 2 * e + e[0,-1,0] + stretch_x(v - v[0,0,-1]))",
         0}};
    static const size_t places[][MST_MAX_AXES] = {{1, 3, 5}, {16, 20, 31}};
    static const mst_stencil_receiver of_places = {.field = "e", .n_points = 2, .points = places};
    static const mst_stencil_parameter loud = {"loud", 1};
    static const mst_stencil_source of_place = {.field = "e", .point = {9, 9, 9}, .series = "loud * sin(t)"};
    static const mst_stencil_monitor largest = {
        .name = "largest", .expression = "abs(e)", .reduction = MST_STENCIL_MAX, .every = 5};
    static mst_stencil_boundary sides[6];
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    for (int k = 0; k < 6; k++)
        sides[k] = k < 4 ? (mst_stencil_boundary){.kind = MST_BOUNDARY_NEUMANN}
                         : (mst_stencil_boundary){.kind = MST_BOUNDARY_ABSORB, .width = 5};
    d.rank = 3;
    d.grid[0] = 18, d.grid[1] = 29, d.grid[2] = 40;
    d.time_step = 0.4;
    d.precision = MST_FLOAT32;
    d.expected_steps = STEPS;
    d.parameters = &loud;
    d.n_parameters = 1;
    d.fields = of_volume;
    d.n_fields = 3;
    d.updates = of_wave;
    d.n_updates = 2;
    d.boundaries = sides;
    d.sources = &of_place;
    d.receivers = &of_places;
    d.monitors = &largest;
    d.n_sources = d.n_receivers = d.n_monitors = 1;
    d.check_every = 6;
    return d;
}

static outcome *run_volume(mst_context *context, const mst_stencil_desc *d) {
    mst_error e;
    mst_stencil *solver;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    outcome *o = calloc(1, sizeof *o);
    const size_t runs = d->n_runs > 0 ? d->n_runs : 1, bytes = runs * d->grid[0] * d->grid[1] * d->grid[2] * sizeof(float);
    double found[4 * MOST_RUNS];
    OK(mst_stencil_create(context, d, &solver, &e));
    OK(mst_stencil_describe(solver, STEPS, &plan, &e));
    CHECK(plan.n_parts == 0, "the grid is in %zu parts", plan.n_parts);
    OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
    add_array(o, solver, "e", 0, bytes);
    add_array(o, solver, "e", 1, bytes);
    add_array(o, solver, "v", 0, bytes);
    add_records(o, d, solver, 1, STEPS);
    OK(mst_stencil_read_monitor(solver, 0, 1, 4, found, &e));
    add(o, found, runs * 4 * sizeof *found);
    mst_stencil_destroy(solver);
    return o;
}

// All of the processor computes: a launch of its that fails ends the run.
static void check_all_compute(const mst_stencil_desc *d) {
    mst_error e;
    mst_stencil *solver;
    OK(mst_stencil_create(three, d, &solver, &e));
    test_broken.other = test_whole_of(three);
    atomic_store(&test_broken.left, 3);
    const mst_status status = mst_stencil_run(solver, STEPS, NULL, NULL, &e);
    test_broken.other = NULL;
    CHECK(status == MST_ERROR_OPENCL, "a shared launch failed, which gave %s", mst_status_name(status));
    mst_stencil_destroy(solver);
    CHECK(mst_context_device_memory_used(three) == 0, "memory is still held");
}

static void test_joint(void **state) {
    (void)state;
    static const struct {
        mst_stencil_schedule schedule;
        mst_stencil_shape shape;
        unsigned fuse;
    } ways[] = {{MST_STENCIL_IN_CORE, MST_STENCIL_SHAPE_CPU, 2},
                {MST_STENCIL_SWEEPS, MST_STENCIL_SHAPE_CPU, 0},
                {MST_STENCIL_AUTO, MST_STENCIL_SHAPE_AUTO, 0},
                {MST_STENCIL_IN_CORE, MST_STENCIL_SHAPE_GPU, 2}}; // its launches are not shared
    mst_stencil_desc d = describe_volume();
    d.schedule = MST_STENCIL_SWEEPS;
    outcome *expected = run_volume(alone, &d);
    for (size_t k = 0; k < sizeof ways / sizeof ways[0]; k++) {
        if (!test_turn(k, 2))
            continue;
        d.schedule = ways[k].schedule;
        d.shape = ways[k].shape;
        d.fuse = ways[k].fuse;
        outcome *got = run_volume(k % 2 ? three : two, &d);
        check_same(expected, got, mst_stencil_schedule_name(d.schedule));
        free(got);
        if (k < 2)
            check_all_compute(&d);
    }
    free(expected);
}

// Of an ensemble of such grids they share the runs, be there fewer than parts.
static void test_joint_runs(void **state) {
    (void)state;
    static const char *const loud[] = {"loud"};
    static const double values[MOST_RUNS] = {1, 0.5, -2, 3};
    mst_stencil_desc d = describe_volume();
    d.run_parameters = loud;
    d.n_run_parameters = 1;
    d.run_values = values;
    for (d.n_runs = 2; d.n_runs <= MOST_RUNS; d.n_runs += 2) {
        outcome *expected = run_volume(alone, &d), *got = run_volume(three, &d);
        check_same(expected, got, "runs");
        free(expected);
        free(got);
    }
    d.n_runs = MOST_RUNS;
    d.check_every = d.n_monitors = 0; // whose launches would do
    check_all_compute(&d);
}

// Sweeps are measured by all parts that will compute them, where little memory leaves only a part of the grid for that, too.
static void test_measured_together(void **state) {
    (void)state;
    enum { MANY = 1 << 20 };
    static const mst_stencil_field u = {.name = "u", .initial = {.expression = "x"}};
    static const mst_stencil_update heat = {"u", "u + 0.1 * laplace(u)", 0};
    mst_error e;
    mst_stencil *solver;
    mst_stencil_desc d = describe_volume();
    mst_context_desc limited = MST_CONTEXT_DESC_INIT;
    d.grid[0] = 60, d.grid[1] = 40, d.grid[2] = 64;
    d.fields = &u;
    d.updates = &heat;
    d.n_fields = d.n_updates = 1;
    d.boundaries = NULL;
    d.n_sources = d.n_receivers = d.n_monitors = 0;
    d.schedule = MST_STENCIL_SWEEPS;
    OK(mst_stencil_create(two, &d, &solver, &e));
    limited.device = test_in_parts(alone, 2);
    limited.device_memory = mst_context_device_memory_used(two) * 5 / 4;
    mst_stencil_destroy(solver);
    mst_context *context = test_context(&limited);
    test_broken.other = test_whole_of(context);
    atomic_store(&test_broken.left, MANY);
    OK(mst_stencil_create(context, &d, &solver, &e));
    test_broken.other = NULL;
    const long launches = MANY - (long)atomic_load(&test_broken.left);
    CHECK(launches > 10, "all of the processor took %ld launches of a measurement", launches);
    mst_stencil_destroy(solver);
    mst_context_destroy(context);
}

// ---- parts of the caller's

static void exchange(mst_stencil *const *solvers, size_t n, bool is_ring) {
    mst_error e;
    void *edges[MOST_PARTS][2];
    mst_stencil_halo halos[MOST_PARTS];
    for (size_t k = 0; k < n; k++) {
        halos[k] = (mst_stencil_halo)MST_STENCIL_HALO_INIT;
        OK(mst_stencil_describe_halo(solvers[k], &halos[k], &e));
        for (int side = 0; side < 2; side++) {
            edges[k][side] = calloc(1, (size_t)halos[k].given_bytes[side] + 1);
            OK(mst_stencil_read_halo(solvers[k], side, edges[k][side], &e));
        }
    }
    for (size_t k = 0; k < n; k++)
        for (int side = 0; side < 2; side++) {
            const size_t other = side ? (k + 1) % n : (k + n - 1) % n;
            const bool has = is_ring || (side ? k + 1 < n : k > 0);
            assert_int_equal(halos[k].taken_bytes[side], has ? halos[other].given_bytes[!side] : 0);
            OK(mst_stencil_write_halo(solvers[k], side, edges[other][!side], &e));
        }
    for (size_t k = 0; k < n; k++)
        for (int side = 0; side < 2; side++)
            free(edges[k][side]);
}

// Every point of receivers is of one part, wherever the cuts lie, and has the bits of the whole grid's there.
static void check_received(const mst_stencil_desc *d, const mst_stencil *expected, mst_stencil *const *solvers, size_t n) {
    mst_error e;
    double want[STEPS * MOST_POINTS], got[MOST_PARTS][STEPS * MOST_POINTS];
    for (size_t r = 0; r < d->n_receivers; r++) {
        OK(mst_stencil_read_receiver(expected, r, 1, STEPS, want, &e));
        for (size_t k = 0; k < n; k++)
            OK(mst_stencil_read_receiver(solvers[k], r, 1, STEPS, got[k], &e));
        for (size_t i = 0; i < STEPS * d->receivers[r].n_points; i++) {
            size_t owners = 0;
            for (size_t k = 0; k < n; k++)
                if (!isnan(got[k][i])) {
                    owners++;
                    CHECK(memcmp(&got[k][i], &want[i], sizeof want[i]) == 0,
                          "receiver %zu, value %zu in part %zu of %zu: %.17g, not %.17g", r, i, k, n, got[k][i], want[i]);
                }
            CHECK(owners == 1, "receiver %zu, value %zu is that of %zu of %zu parts", r, i, owners, n);
        }
    }
}

static void check_parts(const mst_stencil_desc *whole, mst_stencil *expected, size_t n, uint64_t steps, const char *field) {
    mst_error e;
    mst_stencil_part parts[MOST_PARTS];
    mst_stencil *solvers[MOST_PARTS];
    const double shares[MOST_PARTS] = {1, 2, 1, 1.5};
    const bool is_ring = whole->boundaries[0].kind == MST_BOUNDARY_PERIODIC;
    const size_t nodes = whole->grid[0] * whole->grid[1], element = mst_type_bytes(whole->precision);
    unsigned char *values = calloc(nodes, element), *want = calloc(nodes, element), *at_plane = values;
    OK(mst_stencil_divide(whole, shares, n, steps, parts, &e));
    for (size_t k = 0; k < n; k++) {
        mst_stencil_desc d = *whole;
        d.part = &parts[k];
        OK(mst_stencil_create(alone, &d, &solvers[k], &e));
    }
    for (uint64_t done = 0, m; done < STEPS; done += m) {
        m = STEPS - done < steps ? STEPS - done : steps;
        if (done > 0)
            exchange(solvers, n, is_ring);
        for (size_t k = 0; k < n; k++)
            OK(mst_stencil_run(solvers[k], m, NULL, NULL, &e));
    }
    if (n > 1)
        REFUSED(MST_ERROR_ARGUMENT, "halos", mst_stencil_run(solvers[0], steps + 1, NULL, NULL, &e));
    check_received(whole, expected, solvers, n);
    for (size_t k = 0; k < n; k++) {
        OK(mst_stencil_read(solvers[k], field, 0, NULL, mst_at_host(at_plane), &e));
        at_plane += parts[k].planes * whole->grid[1] * element;
        mst_stencil_destroy(solvers[k]);
    }
    OK(mst_stencil_read(expected, field, 0, NULL, mst_at_host(want), &e));
    CHECK(memcmp(values, want, nodes * element) == 0, "%s in %zu parts, %llu steps at a time, differs", field, n,
          (unsigned long long)steps);
    free(values);
    free(want);
}

static void check_cuts(const mst_stencil_desc *d, const size_t *n, const uint64_t *steps, const char *field, size_t first) {
    mst_error e;
    mst_stencil *solver;
    if (!test_turn(first, 4) && !test_turn(first + 1, 4))
        return;
    OK(mst_stencil_create(alone, d, &solver, &e));
    OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
    for (size_t k = 0; k < 2; k++)
        if (test_turn(first + k, 4)) // a part's kernels know where it lies, if the scheme asks for places, so each is compiled
            check_parts(d, solver, n[k], steps[k], field);
    mst_stencil_destroy(solver);
}

static void test_parts(void **state) {
    (void)state;
    mst_stencil_desc d = describe();
    double places[MOST_POINTS][MST_MAX_AXES];
    mst_stencil_receiver across[] = {receivers[0], {.field = "e", .n_points = MOST_POINTS, .positions = (const void *)places}};
    for (int k = 0; k < MOST_POINTS; k++) {
        places[k][0] = 2.1 * k + 0.3;
        places[k][1] = 7.5 + 0.5 * k;
    }
    d.schedule = MST_STENCIL_SWEEPS;
    d.receivers = across;
    check_cuts(&d, (const size_t[]){2, 3}, (const uint64_t[]){3, 5}, "e", 0);
    // Around a ring, and without layers.
    const mst_stencil_update plain = {"e", "e + k * (e[-2,0] - e.prev[1,1])", 0};
    const mst_stencil_field plain_fields[] = {fields[0], fields[3]};
    d.fields = plain_fields;
    d.n_fields = 2;
    d.updates = &plain;
    d.n_updates = 1;
    d.n_sources = 2;
    across[1].radius = 3;
    for (int k = 0; k < 4; k++)
        faces[k] = (mst_stencil_boundary){.kind = k < 2 ? MST_BOUNDARY_PERIODIC : MST_BOUNDARY_NEUMANN};
    check_cuts(&d, (const size_t[]){2, 4}, (const uint64_t[]){4, 2}, "e", 2);
}

// ---- runs of an ensemble

static void test_runs(void **state) {
    (void)state;
    mst_error e;
    static const char *const names[] = {"a"};
    double runs[7];
    float values[2][7][200];
    const mst_stencil_field u = {.name = "u", .initial = {.expression = "sin(a * x)"}};
    const mst_stencil_update update = {"u", "u + a * (u[-1] - 2 * u + u[1])", 0};
    const mst_stencil_source source = {.field = "u", .point = {50}, .series = "a * t"};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    for (int k = 0; k < 7; k++)
        runs[k] = 0.05 + 0.04 * k;
    d.rank = 1;
    d.grid[0] = 200;
    d.time_step = 1;
    d.precision = MST_FLOAT32;
    d.fields = &u;
    d.n_fields = d.n_updates = d.n_sources = d.n_run_parameters = 1;
    d.updates = &update;
    d.sources = &source;
    d.n_runs = 7;
    d.run_parameters = names;
    d.run_values = runs;
    for (int k = 0; k < 2; k++) {
        mst_stencil *solver;
        mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
        OK(mst_stencil_create(k ? three : alone, &d, &solver, &e));
        OK(mst_stencil_describe(solver, 100, &plan, &e));
        assert_int_equal(plan.n_parts, k ? 3 : 0);
        OK(mst_stencil_run(solver, 100, NULL, NULL, &e));
        OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(values[k]), &e));
        mst_stencil_destroy(solver);
    }
    assert_memory_equal(values[0], values[1], sizeof values[0]);
}

// ---- failures

static bool stop(uint64_t done, uint64_t total, void *user) {
    (void)done;
    (void)total;
    (void)user;
    return false;
}

// Heat on a grid whose parts have the same kernels.
static mst_stencil_desc describe_heat(void) {
    static const mst_stencil_field u = {.name = "u", .initial = {.expression = "sin(x)"}};
    static const mst_stencil_update update = {"u", "u + 0.2 * (u[-1,0] - 2 * u + u[1,0])", 0};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 2;
    d.grid[0] = 30;
    d.grid[1] = 16;
    d.time_step = 1;
    d.precision = MST_FLOAT32;
    d.expected_steps = STEPS;
    d.fields = &u;
    d.updates = &update;
    d.n_fields = d.n_updates = 1;
    d.schedule = MST_STENCIL_PYRAMID_SLABS;
    d.depth = 1;
    d.block = 5;
    d.check_every = 0;
    return d;
}

// Halos that lie in memory of the host are copied once, from one backing store to the other: none comes down.
static void test_traffic(void **state) {
    (void)state;
    mst_error e;
    mst_stencil *solver;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_stencil_report report = {.struct_size = sizeof report};
    mst_stencil_desc d = describe_heat();
    d.exchange_every = 4;
    OK(mst_stencil_create(three, &d, &solver, &e));
    OK(mst_stencil_describe(solver, 9, &plan, &e));
    OK(mst_stencil_run(solver, 9, NULL, &report, &e));
    const size_t held = d.grid[0] + 4 * 4; // planes, with those of the halos at the four sides of two cuts: a block's come down
    assert_int_equal(report.download_bytes, 9 * held * d.grid[1] * sizeof(float));
    assert_int_equal(plan.download_bytes, report.download_bytes);
    mst_stencil_destroy(solver);
}

// A single row of nodes is for the first part that has a share.
static void test_shares(void **state) {
    (void)state;
    mst_error e;
    mst_stencil_part parts[3];
    mst_stencil_desc d = describe_heat();
    REFUSED(MST_ERROR_ARGUMENT, "all shares are 0", mst_stencil_divide(&d, (const double[]){0, 0, 0}, 3, 1, parts, &e));
    d.rank = 1;
    d.updates = &(mst_stencil_update){"u", "u + 0.2 * (u[-1] - 2 * u + u[1])", 0};
    REFUSED(MST_ERROR_ARGUMENT, "all shares are 0", mst_stencil_divide(&d, (const double[]){0, 0, 0}, 3, 1, parts, &e));
    OK(mst_stencil_divide(&d, (const double[]){0, 2, 1}, 3, 1, parts, &e));
    assert_int_equal(parts[1].planes, d.grid[0]);
    assert_int_equal(parts[0].planes + parts[2].planes, 0);
}

static void check_lost(const mst_stencil_desc *d, mst_status expected, const char *why) {
    mst_error e;
    mst_stencil *solver;
    OK(mst_stencil_create(three, d, &solver, &e));
    OK(mst_stencil_run(solver, 4, NULL, NULL, &e));
    test_broken.other = expected == MST_ERROR_OPENCL ? mst_context_device_at(three, 1)->device : NULL;
    atomic_store(&test_broken.left, 12);
    atomic_store(&threads, expected == MST_ERROR_OPENCL ? -1 : 1);
    const mst_status status = mst_stencil_run(solver, 60, NULL, NULL, &e);
    test_broken.other = NULL;
    atomic_store(&threads, -1);
    assert_int_equal(status, expected);
    CHECK(strstr(e.message, why), "%s", e.message);
    REFUSED(MST_ERROR_ARGUMENT, "lost", mst_stencil_run(solver, 1, NULL, NULL, &e));
    mst_stencil_destroy(solver);
    CHECK(mst_context_device_memory_used(three) == 0, "memory is still held");
}

static void test_failures(void **state) {
    (void)state;
    mst_stencil_desc d = describe_heat();
    check_lost(&d, MST_ERROR_OPENCL, "CL_OUT_OF_RESOURCES");
    check_lost(&d, MST_ERROR_HOST_MEMORY, "threads"); // one of two is started, and must not wait for the other
    d.schedule = MST_STENCIL_SWEEPS;
    d.depth = d.block = 0;
    d.exchange = MST_STENCIL_EXCHANGE_BESIDE;
    d.exchange_every = 2;
    check_lost(&d, MST_ERROR_OPENCL, "CL_OUT_OF_RESOURCES");
}

// Writes the halos of a part in the middle as they are, in pieces of so many planes, and tells how many nodes of margins the next
// step fills.
static unsigned long filled_after(mst_stencil *s, int64_t planes, bool all) {
    mst_error e;
    mst_schedule *schedule = s->schedule;
    const int64_t begin = s->part[PLANES].first - s->part[PLANES].held_first, end = begin + s->part[PLANES].count,
                  plane = (int64_t)s->problem.plane;
    float *values = malloc((size_t)(s->part[PLANES].held_count * plane) * sizeof *values);
    for (int side = 0; side < 2; side++)
        for (int64_t from = side ? end : 0, to = all    ? s->part[PLANES].held_count
                                                 : side ? s->part[PLANES].held_count
                                                        : begin;
             from < to; from += planes) {
            const uint64_t count = (uint64_t)((from + planes < to ? planes : to - from) * plane);
            OK(schedule->kind->get(schedule, 0, (uint64_t)(from * plane), count, values, &e));
            OK(schedule->kind->put(schedule, 0, (uint64_t)(from * plane), count, values, &e));
        }
    free(values);
    test_counted.kernels = "margin";
    atomic_store(&test_counted.count, 0);
    OK(mst_stencil_run(s, 1, NULL, NULL, &e));
    test_counted.kernels = NULL;
    return atomic_load(&test_counted.count);
}

// Halos come in pieces: margins are filled beside the halos alone, whatever the pieces.
static void test_margins(void **state) {
    (void)state;
    mst_error e;
    mst_stencil *s;
    static const mst_stencil_update across = {"u", "u + 0.2 * (u[-1,0] - 2 * u + u[1,0] + u[0,1] - u[0,-1])", 0};
    mst_stencil_desc d = describe_heat();
    d.schedule = MST_STENCIL_SWEEPS;
    d.depth = d.block = 0;
    d.grid[0] = 50;
    d.updates = &across;
    d.part = &(mst_stencil_part){20, 12, 6};
    OK(mst_stencil_create(alone, &d, &s, &e));
    assert_true(s->part[PLANES].held_count == 24);
    const unsigned long whole = filled_after(s, 100, true), halos = filled_after(s, 6, false);
    CHECK(halos > 0 && halos < whole, "%lu nodes of margins beside halos, %lu beside all", halos, whole);
    for (int64_t planes = 1; planes < 5; planes++) { // with the two before, the steps that halos hold for
        const unsigned long got = filled_after(s, planes, false);
        CHECK(got == halos, "%lu nodes of margins beside halos in pieces of %lld planes, not %lu", got, (long long)planes, halos);
    }
    mst_stencil_destroy(s);
}

static void test_cancelled(void **state) {
    (void)state;
    mst_error e;
    mst_stencil *solver;
    mst_stencil_halo halo = MST_STENCIL_HALO_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    mst_stencil_desc d = describe_heat();
    how.progress = stop;
    static const mst_stencil_schedule schedules[] = {MST_STENCIL_SKEWED, MST_STENCIL_PYRAMID_SLABS};
    for (int k = 0; k < 2; k++) { // a run of more steps than go between two reports
        d.schedule = schedules[k];
        OK(mst_stencil_create(three, &d, &solver, &e));
        REFUSED(MST_ERROR_CANCELLED, "cancelled", mst_stencil_run(solver, 100000, &how, NULL, &e));
        mst_stencil_destroy(solver);
    }
    // Steps before it count for the halos of a part.
    d.part = &(mst_stencil_part){0, 10, 4};
    OK(mst_stencil_create(three, &d, &solver, &e));
    REFUSED(MST_ERROR_CANCELLED, "cancelled", mst_stencil_run(solver, 4, &how, NULL, &e));
    OK(mst_stencil_describe_halo(solver, &halo, &e));
    assert_int_equal(halo.steps_left + mst_stencil_step(solver), 4);
    mst_stencil_destroy(solver);
    // It cannot give its neighbours what they need.
    d.part = &(mst_stencil_part){1, 1, 5};
    REFUSED(MST_ERROR_ARGUMENT, "it needs 6", mst_stencil_create(alone, &d, &solver, &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_groups),     cmocka_unit_test(test_joint),
                                       cmocka_unit_test(test_joint_runs), cmocka_unit_test(test_measured_together),
                                       cmocka_unit_test(test_beside),     cmocka_unit_test(test_beside_upwind),
                                       cmocka_unit_test(test_parts),      cmocka_unit_test(test_runs),
                                       cmocka_unit_test(test_failures),   cmocka_unit_test(test_cancelled),
                                       cmocka_unit_test(test_margins),    cmocka_unit_test(test_traffic),
                                       cmocka_unit_test(test_shares)};
    setenv("POCL_MAX_PTHREAD_COUNT", "7", 1); // whatever the machine has
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, setup, teardown);
}
