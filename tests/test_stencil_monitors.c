// Monitors, spectra and the condition at which a run ends: values against what updates with the same expression write, and
// against closed forms; the same bits by every schedule, shape, block and portion of steps.
#include "support_stencil.h"

#include <complex.h>
#include <math.h>

typedef struct way {
    mst_stencil_shape shape;
    mst_stencil_schedule schedule;
    size_t depth;
    unsigned fuse;
    size_t block;
} way;

#define CPU MST_STENCIL_SHAPE_CPU
#define GPU MST_STENCIL_SHAPE_GPU

static const way ways[] = {
    {CPU, MST_STENCIL_IN_CORE, 0, 2, 0},        {GPU, MST_STENCIL_IN_CORE, 0, 2, 0},        {CPU, MST_STENCIL_SWEEPS, 0, 0, 0},
    {CPU, MST_STENCIL_PYRAMID_SLABS, 4, 2, 11}, {CPU, MST_STENCIL_PYRAMID_TILES, 3, 2, 13}, {CPU, MST_STENCIL_SKEWED, 6, 2, 5},
};

enum { N_WAYS = sizeof ways / sizeof ways[0], STEPS = 12, MOST_NODES = 6000 };

// u[..] at neighbours, .prev, a coefficient field, coordinates and the time.
#define EXPRESSION "(u[1,0] - u)*(u.prev[1,0] - u.prev) + speed[0,-2]*u[-2,1] + 0.01*x*u[0,-1] - y*t/50 + sin(u.prev[0,2])"

typedef struct scheme {
    mst_stencil_desc d;
    mst_stencil_boundary boundaries[2 * MST_MAX_AXES];
    mst_stencil_field fields[3];
    mst_stencil_update updates[2];
    mst_stencil_source source;
    mst_stencil_monitor monitors[8];
    mst_stencil_spectrum spectra[3];
} scheme;

static const double frequencies[] = {0, 0.031, 0.25, -1.7};

// A wave, and a field w that each step takes from EXPRESSION at the state it begins with.
static void make_wave(scheme *s, mst_type precision, bool periodic) {
    static const mst_stencil_region part = {{3, 5}, {4, 3}, {8, 11}}, line = {{36, 2}, {1, 1}, {1, 48}};
    *s = (scheme){.d = MST_STENCIL_DESC_INIT};
    mst_stencil_desc *d = &s->d;
    d->rank = 2;
    d->grid[0] = 37;
    d->grid[1] = 50;
    d->precision = precision;
    d->time_step = 0.5;
    s->boundaries[0] = (mst_stencil_boundary){.kind = periodic ? MST_BOUNDARY_PERIODIC : MST_BOUNDARY_DIRICHLET};
    s->boundaries[1] = (mst_stencil_boundary){.kind = periodic ? MST_BOUNDARY_PERIODIC : MST_BOUNDARY_NEUMANN};
    s->boundaries[2] = (mst_stencil_boundary){.kind = MST_BOUNDARY_DIRICHLET, .value = periodic ? NULL : "0.1*sin(t + y)"};
    s->boundaries[3] =
        (mst_stencil_boundary){.kind = periodic ? MST_BOUNDARY_NEUMANN : MST_BOUNDARY_SPONGE, .width = periodic ? 0 : 6};
    s->fields[0] =
        (mst_stencil_field){.name = "u", .levels = 2, .initial = {.expression = "exp(-((x - 20)^2 + (y - 11)^2) / 20)"}};
    s->fields[1] = (mst_stencil_field){.name = "speed", .coefficient = true, .initial = {.expression = "1 + 0.01*x + 0.02*y"}};
    s->fields[2] = (mst_stencil_field){.name = "w"};
    s->updates[0] = (mst_stencil_update){"u", "2*u - u.prev + 0.2*speed*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)", 0};
    s->updates[1] = (mst_stencil_update){"w", EXPRESSION, 0};
    s->source = (mst_stencil_source){.field = "u", .point = {5, 7}, .series = "sin(t)"};
    for (int k = 0; k < 5; k++)
        s->monitors[k] = (mst_stencil_monitor){"all", EXPRESSION, (mst_stencil_reduction)k, 3, {{0}, {0}, {0}}};
    s->monitors[5] = (mst_stencil_monitor){"part", EXPRESSION, MST_STENCIL_SUM, 4, part};
    s->monitors[6] = (mst_stencil_monitor){"line", "u[1,0] + x - t", MST_STENCIL_NORM, 2, line};
    s->monitors[7] = (mst_stencil_monitor){"number", "t + 2", MST_STENCIL_SUM, 5, {{0}, {0}, {0}}};
    s->spectra[0] = (mst_stencil_spectrum){"u", 4, frequencies, 2, {{0}, {0}, {0}}};
    s->spectra[1] = (mst_stencil_spectrum){"u[0,1] - u", 2, frequencies + 1, 3, part};
    s->spectra[2] = (mst_stencil_spectrum){"w", 1, frequencies + 3, 0, line};
    d->boundaries = s->boundaries;
    d->fields = s->fields;
    d->n_fields = 3;
    d->updates = s->updates;
    d->n_updates = 2;
    d->sources = &s->source;
    d->n_sources = 1;
    d->monitors = s->monitors;
    d->n_monitors = 8;
    d->spectra = s->spectra;
    d->n_spectra = 3;
}

static void choose(scheme *s, const way *w) {
    s->d.shape = w->shape;
    s->d.schedule = w->schedule;
    s->d.depth = w->depth;
    s->d.fuse = w->fuse;
    s->d.block = w->block;
    s->d.store = MST_STENCIL_STORE_MEMORY;
}

static double at(const scheme *s, const void *values, size_t i) {
    return s->d.precision == MST_FLOAT64 ? ((const double *)values)[i] : (double)((const float *)values)[i];
}

// ---- Values

static mst_stencil_region whole_or(const mst_stencil_desc *d, mst_stencil_region r) {
    for (int k = 0; k < d->rank && r.count[k] == 0; k++)
        r = (mst_stencil_region){{0, 0, 0}, {1, 1, 1}, {d->grid[0], d->grid[1], d->grid[2]}};
    return r;
}

static double reduce(const scheme *s, const mst_stencil_monitor *m, const void *values) {
    const mst_stencil_region r = whole_or(&s->d, m->region);
    long double sum = 0, squares = 0;
    double most = -INFINITY, least = INFINITY;
    for (size_t i = 0; i < r.count[0]; i++)
        for (size_t j = 0; j < r.count[1]; j++) {
            const double v = at(s, values, (r.start[0] + i * r.step[0]) * s->d.grid[1] + r.start[1] + j * r.step[1]);
            sum += v;
            squares += (long double)v * v;
            most = v > most ? v : most;
            least = v < least ? v : least;
        }
    const double all[] = {(double)sum, most, least, (double)(sum / (r.count[0] * r.count[1])), (double)sqrtl(squares)};
    return all[m->reduction];
}

// What a monitor finds after step k is what the update of w finds in the step that follows.
static void check_values(mst_context *context, mst_type precision, bool periodic, const way *w) {
    static double values[MOST_NODES];
    scheme s;
    mst_stencil *solver;
    mst_error e;
    make_wave(&s, precision, periodic);
    choose(&s, w);
    OK(mst_stencil_create(context, &s.d, &solver, &e));
    for (int k = 0; k < 4; k++) {
        double found[6];
        for (size_t i = 0; i < 6; i++)
            OK(mst_stencil_measure(solver, i, &found[i], &e));
        OK(mst_stencil_run(solver, 1, NULL, NULL, &e));
        OK(mst_stencil_read(solver, "w", 0, NULL, mst_at_host(values), &e));
        for (size_t i = 0; i < 6; i++) { // a sponge damps w, so that it is held against all nodes that it leaves alone
            const double want = reduce(&s, &s.monitors[i], values);
            CHECK(fabs(found[i] - want) <= 1e-15 * fabs(want), "monitor %zu after step %d is %.17g, not %.17g", i, k, found[i],
                  want);
        }
    }
    mst_stencil_destroy(solver);
}

static void test_values(void **state) {
    check_values(*state, MST_FLOAT64, true, &ways[0]);
    check_values(*state, MST_FLOAT32, true, &ways[2]);
    check_values(*state, MST_FLOAT32, true, &ways[4]);
}

// ---- The same bits by every way

typedef struct found {
    double rows[8][STEPS], measured[8];
    float complex sums[3][4 * MOST_NODES];
} found;

static size_t n_sums(const scheme *s, size_t k) {
    const mst_stencil_region r = whole_or(&s->d, s->spectra[k].region);
    return s->spectra[k].n_frequencies * r.count[0] * r.count[1];
}

static void run_in_portions(mst_context *context, scheme *s, const size_t portions[3], found *out) {
    mst_stencil *solver;
    mst_error e;
    memset(out, 0, sizeof *out);
    OK(mst_stencil_create(context, &s->d, &solver, &e));
    for (int k = 0; k < 3; k++)
        OK(mst_stencil_run(solver, portions[k], NULL, NULL, &e));
    for (size_t k = 0; k < 8; k++) {
        OK(mst_stencil_read_monitor(solver, k, 1, STEPS / s->monitors[k].every, out->rows[k], &e));
        OK(mst_stencil_measure(solver, k, &out->measured[k], &e));
    }
    for (size_t k = 0; k < 3; k++)
        OK(mst_stencil_read_spectrum(solver, k, mst_at_host(out->sums[k]), &e));
    mst_stencil_destroy(solver);
}

// sum of value exp(-i 2 pi f t) every dt over the steps every, 2 every, .., in double.
static void check_sums(mst_context *context, const scheme *s, const found *got) {
    static double complex want[4 * MOST_NODES];
    static double size[4 * MOST_NODES];
    static float values[MOST_NODES];
    scheme plain = *s;
    mst_stencil *solver;
    mst_error e;
    plain.d.n_monitors = plain.d.n_spectra = 0;
    memset(want, 0, sizeof want);
    memset(size, 0, sizeof size);
    OK(mst_stencil_create(context, &plain.d, &solver, &e));
    const size_t nodes = s->d.grid[0] * s->d.grid[1];
    for (int step = 2; step <= STEPS; step += 2) {
        OK(mst_stencil_run(solver, 2, NULL, NULL, &e));
        OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(values), &e));
        for (size_t f = 0; f < 4; f++)
            for (size_t i = 0; i < nodes; i++) {
                want[f * nodes + i] +=
                    (double)values[i] * cexp(-2 * M_PI * I * frequencies[f] * (step * s->d.time_step)) * 2 * s->d.time_step;
                size[f * nodes + i] += fabs((double)values[i]) * 2 * s->d.time_step;
            }
    }
    for (size_t i = 0; i < 4 * nodes; i++) {
        const double error = cabs((double complex)got->sums[0][i] - want[i]);
        CHECK(error <= STEPS * 0x1p-24 * size[i], "sum %zu is off by %g, and %g is allowed", i, error, STEPS * 0x1p-24 * size[i]);
    }
    mst_stencil_destroy(solver);
}

static void test_ways(void **state) {
    static const size_t portions[][3] = {{1, 7, 4}, {12, 0, 0}, {6, 3, 3}};
    static found first, other;
    scheme s;
    make_wave(&s, MST_FLOAT32, false);
    for (size_t k = 0; k < N_WAYS; k++) {
        if (k > 0 && !test_turn(k, 2))
            continue;
        choose(&s, &ways[k]);
        run_in_portions(*state, &s, portions[k % 3], k ? &other : &first);
        if (k == 0)
            check_sums(*state, &s, &first);
        for (size_t m = 0; m < 8 && k; m++) {
            CHECK(memcmp(first.rows[m], other.rows[m], sizeof first.rows[m]) == 0, "way %zu records other bits of monitor %zu", k,
                  m);
            CHECK(first.measured[m] == other.measured[m], "way %zu: monitor %zu finds other bits", k, m);
        }
        for (size_t i = 0; i < 3 && k; i++)
            CHECK(memcmp(first.sums[i], other.sums[i], n_sums(&s, i) * sizeof(float complex)) == 0,
                  "way %zu has other bits in spectrum %zu", k, i);
    }
    assert_true(first.measured[7] == 37 * 50 * (12 * 0.5 + 2));
}

static void test_refused(void **state) {
    static const mst_stencil_field field = {.name = "u"};
    static const mst_stencil_update update = {"u", "u", 0};
    static const double endless[] = {0.1, INFINITY};
    mst_stencil_monitor monitor = {"m", NULL, MST_STENCIL_SUM, 0, {{0}, {0}, {0}}};
    mst_stencil_spectrum spectrum = {"u", 0, endless, 1, {{0}, {0}, {0}}};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil *solver;
    mst_error e;
    d.rank = 1;
    d.grid[0] = 10;
    d.fields = &field;
    d.updates = &update;
    d.n_fields = d.n_updates = 1;
    d.monitors = &monitor;
    d.spectra = &spectrum;
    d.n_monitors = 1;
    REFUSED(MST_ERROR_ARGUMENT, "m needs an expression", mst_stencil_create(*state, &d, &solver, &e));
    monitor.expression = "u + v";
    REFUSED(MST_ERROR_ARGUMENT, "v", mst_stencil_create(*state, &d, &solver, &e));
    monitor.expression = "u[3]";
    monitor.reduction = (mst_stencil_reduction)5;
    REFUSED(MST_ERROR_ARGUMENT, "reduction 5", mst_stencil_create(*state, &d, &solver, &e));
    monitor.reduction = MST_STENCIL_MAX;
    monitor.region = (mst_stencil_region){{8}, {1}, {3}};
    REFUSED(MST_ERROR_ARGUMENT, "3 nodes from 8 by 1", mst_stencil_create(*state, &d, &solver, &e));
    monitor.region.count[0] = 2;
    monitor.name = "";
    REFUSED(MST_ERROR_ARGUMENT, "name", mst_stencil_create(*state, &d, &solver, &e));
    monitor.name = "m";
    d.until = "m < u";
    REFUSED(MST_ERROR_ARGUMENT, "u", mst_stencil_create(*state, &d, &solver, &e));
    d.until = NULL;
    d.n_spectra = 1;
    REFUSED(MST_ERROR_ARGUMENT, "0 frequencies", mst_stencil_create(*state, &d, &solver, &e));
    spectrum.n_frequencies = 2;
    REFUSED(MST_ERROR_ARGUMENT, "must be finite", mst_stencil_create(*state, &d, &solver, &e));
    d.n_spectra = 100;
    REFUSED(MST_ERROR_ARGUMENT, "64", mst_stencil_create(*state, &d, &solver, &e));
}

// ---- A state in a backing store, of which the device holds a few rows at a time

static void measure_all(mst_context *context, mst_stencil_desc *d, mst_stencil_schedule schedule, double values[3],
                        float complex *sums) {
    mst_stencil *solver;
    mst_error e;
    d->schedule = schedule;
    d->store = MST_STENCIL_STORE_MEMORY;
    OK(mst_stencil_create(context, d, &solver, &e));
    OK(mst_stencil_run(solver, 4, NULL, NULL, &e));
    for (size_t k = 0; k < 3; k++)
        OK(mst_stencil_measure(solver, k, &values[k], &e));
    OK(mst_stencil_read_spectrum(solver, 0, mst_at_host(sums), &e));
    mst_stencil_destroy(solver);
}

static void check_boxes(mst_context *context, bool periodic) {
    enum { NODES = 13 * 21 * 30 };
    static float complex sums[3][NODES];
    static const mst_stencil_region part = {{2, 1, 3}, {3, 2, 1}, {4, 10, 9}};
    static const double frequency = 0.1;
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "sin(x + 2*y) + 0.1*z*y"}};
    const mst_stencil_update update = {"u", "u + 0.1*(u[-1,0,0] + u[1,0,0] + u[0,0,-1] + u[0,0,1] - 4*u)", 0};
    const mst_stencil_monitor monitors[] = {
        {"a", "u[-2,1,0]*u[1,-2,1] + u", MST_STENCIL_SUM, 0, {{0}, {0}, {0}}},
        {"b", "u[0,0,2] - u[3,0,0]", MST_STENCIL_MAX, 0, part},
        {"c", "u", MST_STENCIL_NORM, 0, part},
    };
    const mst_stencil_spectrum spectrum = {"u[0,3,0] - u", 1, &frequency, 2, {{0}, {0}, {0}}};
    const mst_boundary_kind kind = periodic ? MST_BOUNDARY_PERIODIC : MST_BOUNDARY_NEUMANN;
    const mst_stencil_boundary boundaries[] = {{.kind = kind},
                                               {.kind = kind},
                                               {.kind = kind},
                                               {.kind = kind},
                                               {.kind = MST_BOUNDARY_DIRICHLET, .value = "0.1*y"},
                                               {.kind = MST_BOUNDARY_NEUMANN}};
    static const uint64_t budgets[] = {1100000, 240000};
    double values[3][3];
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 3;
    d.grid[0] = 13;
    d.grid[1] = 21;
    d.grid[2] = 30;
    d.fields = &field;
    d.updates = &update;
    d.n_fields = d.n_updates = 1;
    d.boundaries = boundaries;
    d.monitors = monitors;
    d.n_monitors = 3;
    d.spectra = &spectrum;
    d.n_spectra = 1;
    d.shape = CPU;
    measure_all(context, &d, MST_STENCIL_SWEEPS, values[0], sums[0]);
    d.fuse = 1;
    d.depth = 2;
    d.block = 6;
    for (int k = 1; k < 3; k++) { // a share of planes, and of the rows of a plane
        mst_context_desc small = MST_CONTEXT_DESC_INIT;
        small.device_memory = budgets[k - 1];
        mst_context *other = test_context(&small);
        measure_all(other, &d, MST_STENCIL_PYRAMID_TILES, values[k], sums[k]);
        mst_context_destroy(other);
        CHECK(memcmp(values[k], values[0], sizeof values[0]) == 0,
              "a budget of %llu gives %.17g, %.17g and %.17g, not %.17g, %.17g, %.17g", (unsigned long long)budgets[k - 1],
              values[k][0], values[k][1], values[k][2], values[0][0], values[0][1], values[0][2]);
        CHECK(memcmp(sums[k], sums[0], sizeof sums[0]) == 0, "a budget of %llu gives other sums",
              (unsigned long long)budgets[k - 1]);
    }
}

static void test_boxes(void **state) {
    check_boxes(*state, true);
    check_boxes(*state, false);
}

// ---- The end

static void test_until(void **state) {
    static const mst_stencil_field field = {.name = "u", .initial = {.expression = "1024"}};
    static const mst_stencil_update update = {"u", "u / 2", 0};
    const mst_stencil_monitor monitors[] = {{"most", "abs(u)", MST_STENCIL_MAX, 0, {{0}, {0}, {0}}},
                                            {"all", "u", MST_STENCIL_SUM, 4, {{0}, {0}, {0}}}};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil_report report = MST_STENCIL_REPORT_INIT;
    mst_stencil *solver;
    mst_error e;
    double rows[5];
    d.rank = 1;
    d.grid[0] = 100;
    d.fields = &field;
    d.updates = &update;
    d.n_fields = d.n_updates = 1;
    d.monitors = monitors;
    d.n_monitors = 2;
    d.until = "most < 1 && t >= dt"; // after 11 steps u is 1/2
    d.until_every = 3;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, 7, NULL, &report, &e));
    assert_true(report.steps == 7 && !report.ended);
    OK(mst_stencil_run(solver, 100, NULL, &report, &e));
    assert_true(report.steps == 5 && report.ended && mst_stencil_step(solver) == 12);
    OK(mst_stencil_run(solver, 100, NULL, &report, &e)); // it holds still
    assert_true(report.steps == 0 && report.ended && mst_stencil_step(solver) == 12);
    OK(mst_stencil_read_monitor(solver, 1, 1, 3, rows, &e));
    assert_true(rows[0] == 6400 && rows[1] == 400 && rows[2] == 25);
    REFUSED(MST_ERROR_ARGUMENT, "1 to 3", mst_stencil_read_monitor(solver, 1, 2, 3, rows, &e));
    REFUSED(MST_ERROR_ARGUMENT, "records", mst_stencil_read_monitor(solver, 0, 1, 1, rows, &e));
    REFUSED(MST_ERROR_ARGUMENT, "no monitor 2", mst_stencil_measure(solver, 2, rows, &e));
    REFUSED(MST_ERROR_ARGUMENT, "no spectrum 0", mst_stencil_read_spectrum(solver, 0, mst_at_host(rows), &e));
    OK(mst_stencil_set_step(solver, 8, &e));
    OK(mst_stencil_run(solver, 4, NULL, &report, &e));
    assert_true(report.ended && report.steps == 1); // u was below 1 already
    mst_stencil_destroy(solver);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_ways),    cmocka_unit_test(test_until),
        cmocka_unit_test(test_boxes),  cmocka_unit_test(test_refused),
    };
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
