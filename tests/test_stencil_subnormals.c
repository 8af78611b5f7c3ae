// Subnormal numbers that are flushed: no array has any, results are the same by every schedule and near those with them, and they
// are the interpreter's on a processor that is told to flush them, too.
#include "support_stencil.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

enum { ROWS = 21, COLUMNS = 97, NODES = ROWS * COLUMNS, STEPS = 20 };

// The foot of the pulse has subnormal numbers, and what a step makes of the nodes beyond.
#define PULSE "exp(-((x - 9)^2 + (y - 8)^2)/3)"

static const mst_stencil_field transport_fields[] = {{.name = "u", .initial = {.expression = PULSE}}};
static const mst_stencil_update transport[] = {
    {"u", "u - 0.2*(u[0,1] - u[0,-1]) - 0.1*(u[1,0] - u[-1,0]) + 0.08*(u[0,1] - 2*u + u[0,-1])", 0}};

// A wave as three fields on a staggered grid, with a source, and maybe with layers, of which the memory variables fade.
static const mst_stencil_field wave_fields[] = {{.name = "p", .initial = {.expression = PULSE}},
                                                {.name = "v", .initial = {.expression = "1e-3*" PULSE}},
                                                {.name = "w", .levels = 2}};
static const mst_stencil_update wave[] = {{"v", "v - 0.4*stretch_x(dx_plus(p), 0.5)", 0},
                                          {"w", "w.prev - 0.4*stretch_y(dy_plus(p), 0.5)", 0},
                                          {"p", "p - 0.4*(stretch_x(dx_minus(v)) + stretch_y(dy_minus(w)))", 1}};
static const mst_stencil_boundary layers[] = {{.kind = MST_BOUNDARY_ABSORB, .width = 3},
                                              {.kind = MST_BOUNDARY_ABSORB, .width = 3},
                                              {.kind = MST_BOUNDARY_ABSORB, .width = 5},
                                              {.kind = MST_BOUNDARY_NEUMANN}};
static const mst_stencil_boundary still[] = {{.kind = MST_BOUNDARY_DIRICHLET},
                                             {.kind = MST_BOUNDARY_NEUMANN},
                                             {.kind = MST_BOUNDARY_NEUMANN},
                                             {.kind = MST_BOUNDARY_DIRICHLET}};
static const mst_stencil_source source = {.field = "p", .point = {12, 60}, .series = "ricker(t, 0.1)*1e-3"};

static mst_stencil_desc describe(bool is_wave, mst_type precision) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 2;
    d.grid[0] = ROWS;
    d.grid[1] = COLUMNS;
    d.precision = precision;
    d.fields = is_wave ? wave_fields : transport_fields;
    d.n_fields = is_wave ? 3 : 1;
    d.updates = is_wave ? wave : transport;
    d.n_updates = is_wave ? 3 : 1;
    d.boundaries = still;
    d.sources = is_wave ? &source : NULL;
    d.n_sources = is_wave;
    d.subnormals = MST_STENCIL_SUBNORMALS_FLUSH;
    return d;
}

static size_t count_subnormals(const double *values, size_t n, mst_type precision) {
    const double least = precision == MST_FLOAT64 ? DBL_MIN : (double)FLT_MIN;
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        count += values[i] != 0 && fabs(values[i]) < least;
    return count;
}

// The interpreter's own steps, by a processor that flushes what it computes and what it reads.
static test_scheme run_flushed(const mst_stencil_desc *d) {
#ifdef __SSE2__
    const unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040);
    const test_scheme scheme = test_scheme_run(d, STEPS);
    _mm_setcsr(before);
    return scheme;
#else
    (void)d;
    skip();
    return (test_scheme){0};
#endif
}

static void check_values(const mst_stencil_desc *d, const test_scheme *kept, const test_scheme *flushed) {
    size_t subnormal = 0, left = 0;
    const double gate = d->precision == MST_FLOAT64 ? 1e-304 : 1e-34;
    for (size_t f = 0; f < d->n_fields; f++)
        for (int level = 0; level < (d->fields[f].levels == 2 ? 2 : 1); level++) {
            const double *a = kept->levels[f][level], *b = flushed->levels[f][level];
            subnormal += count_subnormals(a, NODES, d->precision);
            left += count_subnormals(b, NODES, d->precision);
            for (size_t i = 0; i < NODES; i++)
                CHECK(fabs(a[i] - b[i]) <= gate + 1e-6 * fabs(a[i]), "%s is %g with them and %g without at %zu",
                      d->fields[f].name, a[i], b[i], i);
        }
    CHECK(subnormal > 10, "there are but %zu subnormal numbers, so nothing is tested", subnormal);
    CHECK(left == 0, "%zu are left", left);
}

static void test_ways_of(mst_context *context, bool is_wave, mst_type precision) {
    const mst_stencil_desc d = describe(is_wave, precision);
    test_scheme kept = test_scheme_run(&d, STEPS), flushed = run_flushed(&d);
    check_values(&d, &kept, &flushed);
    test_scheme_check_all_ways(context, is_wave ? "wave" : "transport", d, &flushed, true, precision == MST_FLOAT32);
    test_scheme_free(&kept);
    test_scheme_free(&flushed);
}

// Of each two that share kernels' parts the short form takes one.
static void test_transport(void **state) {
    if (!test_spared(0, 2))
        test_ways_of(*state, false, MST_FLOAT32);
}
// GPUs flush float32 alone.
static void test_double(void **state) {
    if (mst_context_device(*state)->type & CL_DEVICE_TYPE_GPU)
        skip();
    if (!test_spared(1, 2))
        test_ways_of(*state, false, MST_FLOAT64);
}
static void test_wave(void **state) {
    if (!test_spared(0, 2))
        test_ways_of(*state, true, MST_FLOAT32);
}

// What sweeps make of it, as a reference: the interpreter knows no layers.
static test_scheme run_sweeps(mst_context *context, const mst_stencil_desc *desc) {
    mst_stencil_desc d = *desc;
    test_scheme scheme = {.nodes = NODES};
    mst_stencil *solver;
    mst_error e;
    float values[NODES];
    d.schedule = MST_STENCIL_SWEEPS;
    OK(mst_stencil_create(context, &d, &solver, &e));
    OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
    for (size_t f = 0; f < d.n_fields; f++)
        for (int level = 0; level < (d.fields[f].levels == 2 ? 2 : 1); level++) {
            OK(mst_stencil_read(solver, d.fields[f].name, level, NULL, mst_at_host(values), &e));
            scheme.levels[f][level] = malloc(NODES * sizeof(double));
            assert_non_null(scheme.levels[f][level]);
            for (size_t i = 0; i < NODES; i++)
                scheme.levels[f][level][i] = (double)values[i];
        }
    mst_stencil_destroy(solver);
    return scheme;
}

static void test_layers(void **state) {
    if (test_spared(1, 2))
        return;
    mst_stencil_desc d = describe(true, MST_FLOAT32);
    d.boundaries = layers;
    d.subnormals = MST_STENCIL_SUBNORMALS_KEEP;
    test_scheme kept = run_sweeps(*state, &d);
    d.subnormals = MST_STENCIL_SUBNORMALS_FLUSH;
    test_scheme flushed = run_sweeps(*state, &d);
    check_values(&d, &kept, &flushed);
    test_scheme_check_all_ways(*state, "layers", d, &flushed, true, true);
    test_scheme_free(&kept);
    test_scheme_free(&flushed);
}

static const float given[] = {1e-40f, -1e-40f, FLT_MIN, -FLT_MIN, 0.5f, 0, INFINITY, NAN};
enum { GIVEN = sizeof given / sizeof given[0] };

static void check_given(mst_stencil *solver, bool is_flushed) {
    float got[GIVEN];
    mst_error e;
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got), &e));
    for (size_t i = 0; i < GIVEN; i++) {
        const float wanted = is_flushed && fabsf(given[i]) < FLT_MIN ? 0 : given[i];
        CHECK(isnan(wanted) ? isnan(got[i]) : got[i] == wanted, "%g is %g", (double)given[i], (double)got[i]);
    }
}

static mst_stencil_desc of_one_field(size_t n, const mst_stencil_field *field, const mst_stencil_update *update) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 1;
    d.grid[0] = n;
    d.fields = field;
    d.n_fields = 1;
    d.updates = update;
    d.n_updates = 1;
    return d;
}

// Initial values, and those that are written; an update that only moves them; a constant.
static void test_given(void **state) {
    const size_t n = GIVEN;
    mst_stencil_field field = {.name = "u",
                               .initial = {.layout = mst_layout_dense(MST_FLOAT32, 1, &n), .data = mst_at_host(given)}};
    mst_stencil_update update = {"u", "u", 0};
    mst_stencil_desc d = of_one_field(n, &field, &update);
    mst_stencil *solver;
    mst_error e;
    for (int flush = 0; flush < 2; flush++) {
        d.subnormals = (uint64_t)flush;
        OK(mst_stencil_create(*state, &d, &solver, &e));
        check_given(solver, flush);
        OK(mst_stencil_write(solver, "u", 0, mst_at_host(given), &e));
        check_given(solver, flush);
        OK(mst_stencil_run(solver, 3, NULL, NULL, &e));
        check_given(solver, flush);
        mst_stencil_destroy(solver);
    }
    float got[GIVEN];
    update.expression = "1e-40 + 0*x";
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, 1, NULL, NULL, &e));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got), &e));
    for (size_t i = 0; i < GIVEN; i++)
        CHECK(got[i] == 0, "an update of 1e-40 makes %g", (double)got[i]);
    mst_stencil_destroy(solver);
    d.subnormals = 2;
    REFUSED(MST_ERROR_ARGUMENT, "subnormals is 2; they are kept (0) or flushed (1)", mst_stencil_create(*state, &d, &solver, &e));
}

// Initial values of a grid so large that the device makes them, and the limit of the time step, which is that of the scheme.
static void test_large(void **state) {
    enum { N = 1 << 23 };
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "1.5^(-x/20000)"}};
    const mst_stencil_update update = {"u", "u + 0.3*dt*(u[1] - 2*u + u[-1])", 0};
    mst_stencil_desc d = of_one_field(N, &field, &update);
    mst_stencil_stability kept = MST_STENCIL_STABILITY_INIT, flushed = kept;
    mst_stencil *solver;
    mst_error e;
    float *got = malloc(N * sizeof *got);
    assert_non_null(got);
    for (int flush = 0; flush < 2; flush++) {
        size_t subnormal = 0;
        d.subnormals = (uint64_t)flush;
        OK(mst_stencil_create(*state, &d, &solver, &e));
        OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got), &e));
        for (size_t i = 0; i < N; i++)
            subnormal += got[i] != 0 && fabsf(got[i]) < FLT_MIN;
        CHECK(flush ? subnormal == 0 : subnormal > 1000, "%zu subnormal numbers", subnormal);
        mst_stencil_destroy(solver);
        OK(mst_stencil_time_step_limit(&d, flush ? &flushed : &kept, &e));
    }
    assert_true(kept.time_step_limit == flushed.time_step_limit);
    free(got);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_given),  cmocka_unit_test(test_transport),
                                       cmocka_unit_test(test_wave),   cmocka_unit_test(test_double),
                                       cmocka_unit_test(test_layers), cmocka_unit_test(test_large)};
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
