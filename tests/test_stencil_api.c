// What a solver computes, by closed forms; what it reads, writes, records, predicts and refuses.
#include "support_stencil.h"

#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

static const double pi = 3.14159265358979323846;

static const mst_stencil_field heat_field = {
    .name = "u", .initial = {.expression = "sin(3 * pi * (x + 1) / 41) * sin(2 * pi * (y + 1) / 31)"}};
static const mst_stencil_update heat_update = {"u", "u + 0.2 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0};

static mst_stencil_desc heat(mst_type precision) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 2;
    d.grid[0] = 30;
    d.grid[1] = 40;
    d.precision = precision;
    d.fields = &heat_field;
    d.updates = &heat_update;
    d.n_fields = d.n_updates = 1;
    d.shape = MST_STENCIL_SHAPE_CPU;
    d.fuse = 3;
    return d;
}

// The eigenmode of the discrete operator with zero boundaries decays by an exact factor a step.
static void test_eigenmode(void **state) {
    enum { STEPS = 100 };
    static double got[30][40];
    mst_stencil_desc d = heat(MST_FLOAT64);
    mst_stencil *solver;
    mst_error e;
    double factor = 1 - 0.8 * (pow(sin(3 * pi / 82), 2) + pow(sin(2 * pi / 62), 2));
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got), &e));
    for (int i = 0; i < 30; i++)
        for (int j = 0; j < 40; j++) {
            double want = pow(factor, STEPS) * sin(3 * pi * (j + 1) / 41) * sin(2 * pi * (i + 1) / 31);
            CHECK(fabs(got[i][j] - want) < 1e-13, "u[%d][%d] is %.17g, not %.17g", i, j, got[i][j], want);
        }
    CHECK(pow(factor, STEPS) > 0.1, "the mode has decayed to nothing");
    mst_stencil_destroy(solver);
}

// Upwind differences with a Courant number of 1 shift by one node a step, so a period later all is back; mirrored faces keep the
// sum.
static void test_advection_and_sum(void **state) {
    static double first[60], later[60];
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "exp(-(x - 20)^2 / 30)"}};
    const mst_stencil_update shift = {"u", "u - 1 * (u - u[-1])", 0}, spread = {"u", "u + 0.25 * (u[-1] + u[1] - 2*u)", 0};
    mst_stencil_desc d = heat(MST_FLOAT64);
    mst_stencil *solver;
    mst_error e;
    d.rank = 1;
    d.grid[0] = 60;
    d.fields = &field;
    for (int k = 0; k < 2; k++) {
        double before = 0, after = 0, moved = 0;
        mst_stencil_boundary ends[2] = {{.kind = k ? MST_BOUNDARY_NEUMANN : MST_BOUNDARY_PERIODIC}};
        ends[1] = ends[0];
        d.boundaries = ends;
        d.updates = k ? &spread : &shift;
        OK(mst_stencil_create(*state, &d, &solver, &e));
        OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(first), &e));
        OK(mst_stencil_run(solver, 60, NULL, NULL, &e));
        OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(later), &e));
        for (int i = 0; i < 60; i++) {
            before += first[i];
            after += later[i];
            moved = fmax(moved, fabs(first[i] - later[i]));
        }
        CHECK(k ? fabs(before - after) < 1e-12 * before && moved > 0.1 : moved < 1e-15, "sum %.17g, then %.17g, moved %g", before,
              after, moved);
        mst_stencil_destroy(solver);
    }
}

// A part of a field is what the whole field has there; a state that was written goes on from its step to the same bits.
static void test_parts_and_resume(void **state) {
    static float whole[30][40], part[4][6], later[30][40], resumed[30][40];
    const mst_stencil_region region = {{3, 5}, {7, 6}, {4, 6}}, outside = {{3, 5}, {7, 6}, {4, 7}};
    const size_t point[][MST_MAX_AXES] = {{3, 4}};
    const mst_stencil_receiver receiver = {.field = "u", .n_points = 1, .points = point};
    mst_stencil_desc d = heat(MST_FLOAT32);
    const mst_stencil_update forced = {"u", "u + 0.2 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u) + 0.01 * t", 0};
    mst_stencil *solver, *second;
    mst_error e;
    double values[8];
    d.updates = &forced;
    d.receivers = &receiver;
    d.n_receivers = 1;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_run(solver, 7, NULL, NULL, &e));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(whole), &e));
    OK(mst_stencil_read(solver, "u", 0, &region, mst_at_host(part), &e));
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 6; j++)
            assert_true(part[i][j] == whole[3 + 7 * i][5 + 6 * j]);
    REFUSED(MST_ERROR_ARGUMENT, "axis 1", mst_stencil_read(solver, "u", 0, &outside, mst_at_host(part), &e));
    REFUSED(MST_ERROR_ARGUMENT, "level 1", mst_stencil_read(solver, "u", 1, NULL, mst_at_host(whole), &e));
    OK(mst_stencil_run(solver, 8, NULL, NULL, &e));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(later), &e));
    OK(mst_stencil_create(*state, &d, &second, &e));
    OK(mst_stencil_write(second, "u", 0, mst_at_host(whole), &e));
    OK(mst_stencil_set_step(second, 7, &e));
    OK(mst_stencil_run(second, 8, NULL, NULL, &e));
    OK(mst_stencil_read(second, "u", 0, NULL, mst_at_host(resumed), &e));
    assert_memory_equal(later, resumed, sizeof later);
    OK(mst_stencil_read_receiver(second, 0, 8, 8, values, &e));
    assert_true((float)values[7] == later[3][4]);
    REFUSED(MST_ERROR_ARGUMENT, "recorded", mst_stencil_read_receiver(second, 0, 7, 8, values, &e));
    mst_stencil_destroy(solver);
    mst_stencil_destroy(second);
}

static bool stop_at_nine(uint64_t done, uint64_t total, void *user) {
    *(uint64_t *)user = done;
    return total == 30 && done < 9;
}

// A run that is cancelled leaves the state of the step it says.
static void test_cancel(void **state) {
    static float cancelled[30][40], straight[30][40];
    mst_stencil_desc d = heat(MST_FLOAT32);
    mst_stencil *solver, *second;
    mst_error e;
    uint64_t seen = 0;
    mst_execution how = MST_EXECUTION_INIT;
    how.progress = stop_at_nine;
    how.progress_user = &seen;
    d.schedule = MST_STENCIL_SKEWED;
    d.depth = 3;
    d.block = 7;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    REFUSED(MST_ERROR_CANCELLED, "9 of 30", mst_stencil_run(solver, 30, &how, NULL, &e));
    assert_int_equal(mst_stencil_step(solver), 9);
    assert_int_equal(seen, 9);
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(cancelled), &e));
    d.schedule = MST_STENCIL_IN_CORE;
    d.block = d.depth = 0;
    OK(mst_stencil_create(*state, &d, &second, &e));
    OK(mst_stencil_run(second, 9, NULL, NULL, &e));
    OK(mst_stencil_read(second, "u", 0, NULL, mst_at_host(straight), &e));
    assert_memory_equal(cancelled, straight, sizeof straight);
    mst_stencil_destroy(solver);
    mst_stencil_destroy(second);
}

// u doubles every step and v is a mask of NaN that keeps to its nodes, or spreads. In core, where the device looks, and in
// blocks, where the host does.
static void diverge(mst_context *context, mst_stencil_schedule schedule, mst_type precision) {
    const mst_stencil_field fields[] = {{.name = "v", .initial = {.expression = "x < 5 ? 0/0 : 1"}},
                                        {.name = "u", .initial = {.expression = "x == 7 && y == 20 ? 1 : 0"}}};
    const mst_stencil_update updates[] = {{"v", "v", 0}, {"u", "x == 7 && y == 20 ? 4*u : u", 0}}, spread = {"v", "v*v[0,-1]", 0};
    const uint64_t most = precision == MST_FLOAT64 ? 512 : 64; // steps after which 4^step is too large
    float *values = malloc(30 * 40 * sizeof(double));
    mst_stencil_desc d = heat(precision);
    mst_stencil *solver;
    mst_error e;
    d.fields = fields;
    d.updates = updates;
    d.n_fields = d.n_updates = 2;
    d.schedule = schedule;
    d.block = schedule == MST_STENCIL_IN_CORE ? 0 : 7;
    d.check_every = 16;
    OK(mst_stencil_create(context, &d, &solver, &e));
    OK(mst_stencil_run(solver, most - 3, NULL, NULL, &e));
    REFUSED(MST_ERROR_DIVERGED, "u diverged between", mst_stencil_run(solver, 100, NULL, NULL, &e));
    CHECK(strstr(e.message, "1 of its 1200 values") && strstr(e.message, "0 when it began"), "the message is %s", e.message);
    CHECK(mst_stencil_step(solver) == most + 13, "seen after step %d", (int)mst_stencil_step(solver));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(values), &e));
    REFUSED(MST_ERROR_DIVERGED, "u diverged", mst_stencil_run(solver, 1, NULL, NULL, &e));
    OK(mst_stencil_write(solver, "u", 0, mst_at_host(values), &e)); // with the value that is infinite
    OK(mst_stencil_run(solver, 1, NULL, NULL, &e));
    mst_stencil_destroy(solver);
    d.updates = &spread;
    d.n_updates = 1;
    d.n_fields = 1;
    d.check_every = UINT64_MAX;
    OK(mst_stencil_create(context, &d, &solver, &e));
    REFUSED(MST_ERROR_DIVERGED, "v diverged between steps 0 and 30: 1050", mst_stencil_run(solver, 30, NULL, NULL, &e));
    CHECK(strstr(e.message, "150 when it began"), "the message is %s", e.message);
    mst_stencil_destroy(solver);
    free(values);
}

static void test_diverged(void **state) {
    static const mst_stencil_schedule schedules[] = {MST_STENCIL_IN_CORE, MST_STENCIL_SKEWED, MST_STENCIL_PYRAMID_TILES};
    for (size_t i = 0; i < sizeof schedules / sizeof schedules[0]; i++)
        diverge(*state, schedules[i], i == 1 ? MST_FLOAT64 : MST_FLOAT32);
    diverge(*state, MST_STENCIL_IN_CORE, MST_FLOAT64);
}

// A budget that holds a part of the state only: a schedule is chosen and moves what it said; one byte less than the least is
// refused.
static void test_budget(void **state) {
    mst_context_desc cd = MST_CONTEXT_DESC_INIT;
    mst_stencil_desc d = heat(MST_FLOAT32);
    mst_stencil_report report = MST_STENCIL_REPORT_INIT;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT, done = MST_STENCIL_PLAN_INIT;
    mst_stencil *solver;
    mst_error e;
    unsigned long long least = 0;
    (void)state;
    d.grid[0] = 400;
    cd.device_memory = 48 << 10; // the state has 64000 bytes
    mst_context *small = test_context(&cd);
    OK(mst_stencil_predict(small, &d, 100, &plan, &e));
    assert_true(plan.schedule != MST_STENCIL_IN_CORE && plan.seconds > 0 && plan.device_bytes <= cd.device_memory);
    OK(mst_stencil_create(small, &d, &solver, &e));
    OK(mst_stencil_describe(solver, 1, &plan, &e)); // with rates of its own, perhaps another depth
    OK(mst_stencil_run(solver, 2 * plan.depth, NULL, &report, &e));
    OK(mst_stencil_describe(solver, 2 * plan.depth, &done, &e));
    assert_int_equal(mst_context_device_memory_used(small), plan.device_bytes);
    assert_int_equal(done.schedule, plan.schedule);
    assert_int_equal(report.upload_bytes, done.upload_bytes);
    assert_int_equal(report.upload_bytes, 2 * 64000);
    assert_int_equal(report.download_bytes, 2 * 64000);
    mst_stencil_destroy(solver);
    mst_context_destroy(small);
    d.schedule = MST_STENCIL_SKEWED;
    cd.device_memory = 1000;
    small = test_context(&cd);
    REFUSED(MST_ERROR_BUDGET, "would do", mst_stencil_create(small, &d, &solver, &e));
    CHECK(sscanf(strstr(e.message, "; ") + 2, "%llu", &least) == 1, "no number in: %s", e.message);
    mst_context_destroy(small);
    cd.device_memory = least;
    small = test_context(&cd);
    OK(mst_stencil_create(small, &d, &solver, &e));
    OK(mst_stencil_run(solver, 5, NULL, NULL, &e));
    mst_stencil_destroy(solver);
    mst_context_destroy(small);
}

// Where the halo of the usual number of fused steps is more than the budget, fewer are fused; the table of times takes a part of
// what there is.
static void test_small_budget(void **state) {
    static float got[400][40], want[400][40];
    const mst_stencil_update timed = {"u", "u + 0.2 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u) + 0.001 * t", 0};
    mst_context_desc cd = MST_CONTEXT_DESC_INIT;
    mst_stencil_desc d = heat(MST_FLOAT32);
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_stencil *solver, *whole;
    mst_error e;
    d.grid[0] = 400;
    d.updates = &timed;
    OK(mst_stencil_create(*state, &d, &whole, &e));
    OK(mst_stencil_run(whole, 9, NULL, NULL, &e));
    OK(mst_stencil_read(whole, "u", 0, NULL, mst_at_host(want), &e));
    mst_stencil_destroy(whole);
    d.schedule = MST_STENCIL_PYRAMID_SLABS;
    d.fuse = 0;
    cd.device_memory = 8000; // 16 fused steps need 3 x 33 rows of 160 bytes
    mst_context *small = test_context(&cd);
    CHECK(mst_stencil_create(small, &d, &solver, &e) == MST_OK, "%s", e.message);
    OK(mst_stencil_describe(solver, 1, &plan, &e));
    assert_in_range(plan.fuse, 1, 7);
    OK(mst_stencil_run(solver, 9, NULL, NULL, &e));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got), &e));
    assert_memory_equal(got, want, sizeof got);
    mst_stencil_destroy(solver);
    assert_true(mst_context_device_memory_used(small) == 0);
    mst_context_destroy(small);
}

// What a run that failed had under way to a file does not come over the state that is written after it.
static void test_failed_run(void **state) {
    enum { ROWS = 300, COLUMNS = 40 };
    static float got[ROWS][COLUMNS], want[ROWS][COLUMNS], first[ROWS][COLUMNS];
    static const mst_stencil_schedule schedules[] = {MST_STENCIL_SKEWED, MST_STENCIL_PYRAMID_SLABS};
    mst_stencil_desc d = heat(MST_FLOAT32);
    mst_stencil *solver, *whole;
    mst_error e;
    struct rlimit old, small;
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){4 * ROWS * COLUMNS / 2, old.rlim_max};
    d.grid[0] = ROWS;
    OK(mst_stencil_create(*state, &d, &whole, &e));
    OK(mst_stencil_read(whole, "u", 0, NULL, mst_at_host(first), &e));
    OK(mst_stencil_run(whole, 6, NULL, NULL, &e));
    OK(mst_stencil_read(whole, "u", 0, NULL, mst_at_host(want), &e));
    for (size_t k = 0; k < 2; k++) {
        d.schedule = schedules[k];
        d.depth = 3;
        d.block = 20;
        d.store = MST_STENCIL_STORE_FILE;
        d.file = test_file(1);
        OK(mst_stencil_create(*state, &d, &solver, &e));
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0); // the second half of the file cannot be written
        mst_status status = mst_stencil_run(solver, 6, NULL, NULL, &e);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
        assert_int_equal(status, MST_ERROR_IO);
        OK(mst_stencil_write(solver, "u", 0, mst_at_host(first), &e));
        OK(mst_stencil_run(solver, 6, NULL, NULL, &e));
        OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got), &e));
        assert_memory_equal(got, want, sizeof got);
        mst_stencil_destroy(solver);
        close(d.file);
    }
    mst_stencil_destroy(whole);
    signal(SIGXFSZ, before);
}

// Sub-steps that together reach over more planes than kernels of a GPU's shape keep: sweeps where they may be chosen, a clear
// refusal where other kernels are asked for.
static void test_too_many_planes(void **state) {
    enum { NODES = 200 * 40, N = 6 };
    static float got[2][NODES];
    static const char *const names[N] = {"u", "v", "w", "p", "q", "r"};
    mst_stencil_field fields[N];
    mst_stencil_update updates[N];
    char texts[N][60];
    mst_stencil_desc d = heat(MST_FLOAT32);
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_stencil *solver;
    mst_error e;
    for (size_t k = 0; k < N; k++) {
        const char *from = names[k], *to = names[(k + 1) % N];
        fields[k] = (mst_stencil_field){.name = names[k], .initial.expression = k ? NULL : "sin(x + y/3)"};
        snprintf(texts[k], sizeof texts[k], "0.5*%s[8,0] - 0.25*%s[-8,1] + 0.125*u", from, from);
        updates[k] = (mst_stencil_update){to, texts[k], k};
    }
    d.grid[0] = 200;
    d.fields = fields;
    d.updates = updates;
    d.n_fields = d.n_updates = N;
    for (int k = 0; k < 2; k++) {
        d.shape = k ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
        d.schedule = k ? MST_STENCIL_AUTO : MST_STENCIL_PYRAMID_SLABS;
        d.fuse = k ? 0 : 1;
        OK(mst_stencil_create(*state, &d, &solver, &e));
        OK(mst_stencil_run(solver, 3, NULL, NULL, &e));
        OK(mst_stencil_describe(solver, 3, &plan, &e));
        OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got[k]), &e));
        mst_stencil_destroy(solver);
    }
    assert_true(plan.schedule == MST_STENCIL_SWEEPS && plan.shape == MST_STENCIL_SHAPE_GPU);
    assert_true(got[0][NODES / 2] != 0);
    assert_memory_equal(got[0], got[1], sizeof got[0]);
    d.schedule = MST_STENCIL_PYRAMID_SLABS;
    REFUSED(MST_ERROR_UNSUPPORTED, "keep at most 47, so use sweeps", mst_stencil_create(*state, &d, &solver, &e));
}

// Sub-steps that together reach 24 rows to each side, more than half of the rows of a GPU's usual work-group.
static void test_far_sub_steps(void **state) {
    enum { NODES = 3 * 40 * 30 };
    static float got[2][NODES];
    const mst_stencil_field fields[] = {
        {.name = "u", .initial = {.expression = "sin(x + y / 3) * cos(z / 5)"}}, {.name = "v"}, {.name = "w"}};
    const mst_stencil_update updates[] = {{"v", "u[0,-8,0] + 0.5 * u[0,8,1]", 0},
                                          {"w", "v[0,-8,0] + 0.5 * v[0,8,-1]", 1},
                                          {"u", "u + 0.1 * (w[0,-8,0] - w[0,8,0])", 2}};
    mst_stencil_desc d = heat(MST_FLOAT32);
    mst_stencil *solver;
    mst_error e;
    d.rank = 3;
    d.grid[0] = 3;
    d.grid[1] = 40;
    d.grid[2] = 30;
    d.fields = fields;
    d.updates = updates;
    d.n_fields = d.n_updates = 3;
    for (int k = 0; k < 2; k++) {
        d.shape = k ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
        d.fuse = 1;
        mst_status made = mst_stencil_create(*state, &d, &solver, &e);
        if (made == MST_ERROR_UNSUPPORTED && strstr(e.message, "local memory")) { // less than such a work-group has: by sweeps
            d.fuse = 0;
            made = mst_stencil_create(*state, &d, &solver, &e);
        }
        CHECK(made == MST_OK, "shape %d: %s", (int)d.shape, e.message);
        OK(mst_stencil_run(solver, 3, NULL, NULL, &e));
        OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got[k]), &e));
        mst_stencil_destroy(solver);
    }
    assert_true(got[0][NODES / 2] != 0);
    assert_memory_equal(got[0], got[1], sizeof got[0]);
}

static void test_refusals(void **state) {
    const mst_stencil_update unknown = {"u", "u + w", 0}, far = {"u", "u[-9,0]", 0}, two[] = {{"u", "u", 1}, {"u", "u", 1}};
    const mst_stencil_update wide = {"u", "dy(dy(u, 8), 10)", 0}, calls = {"u", "twice(u, 2)", 0};
    const mst_stencil_definition twice = {"twice(f)", "2*f"}, unnamed = {NULL, "1"}, untold = {"half", NULL},
                                 taken = {"dt(f)", "f"}, mistaken = {"half(f)", "f[0] + 1"};
    const mst_stencil_field coefficient = {.name = "u", .coefficient = true};
    const mst_stencil_source source = {.field = "u", .point = {30, 0}, .series = "1"};
    mst_stencil_boundary ends[4];
    mst_stencil_desc d = heat(MST_FLOAT32);
    mst_stencil *solver;
    mst_error e;
    mst_context *c = *state;
#define WITH(change, status, part)                                                                                               \
    do {                                                                                                                         \
        d = heat(MST_FLOAT32);                                                                                                   \
        memset(ends, 0, sizeof ends);                                                                                            \
        d.boundaries = ends;                                                                                                     \
        change;                                                                                                                  \
        REFUSED(status, part, mst_stencil_create(c, &d, &solver, &e));                                                           \
        assert_null(solver);                                                                                                     \
    } while (0)
    WITH(d.struct_size = 1, MST_ERROR_ARGUMENT, "MST_STENCIL_DESC_INIT");
    WITH(d.rank = 4, MST_ERROR_ARGUMENT, "4 axes");
    WITH(d.grid[1] = 0, MST_ERROR_ARGUMENT, "axis 1");
    WITH((d.grid[0] = SIZE_MAX, d.grid[1] = 3), MST_ERROR_ARGUMENT, "too many");
    WITH(d.precision = MST_INT32, MST_ERROR_ARGUMENT, "int32");
    WITH(d.time_step = -1, MST_ERROR_ARGUMENT, "-1");
    WITH(d.spacing[0] = 0, MST_ERROR_ARGUMENT, "axis 0");
    WITH(d.n_fields = 0, MST_ERROR_ARGUMENT, "0 fields");
    WITH(d.n_updates = 0, MST_ERROR_ARGUMENT, "no updates");
    WITH(d.updates = &unknown, MST_ERROR_ARGUMENT, "the update of u");
    WITH(d.updates = &far, MST_ERROR_ARGUMENT, "-9");
    WITH(d.updates = &wide, MST_ERROR_ARGUMENT, "the update of u reads u at an offset of 9; at most 8");
    WITH((d.updates = &calls, d.definitions = &twice, d.n_definitions = 1), MST_ERROR_ARGUMENT,
         "the update of u, column 8: expected ')': twice(f) takes 1 argument");
    WITH((d.definitions = &twice, d.n_definitions = 65), MST_ERROR_ARGUMENT, "65 definitions; 64 are supported");
    WITH((d.definitions = &unnamed, d.n_definitions = 1), MST_ERROR_ARGUMENT, "definition 0 has no name");
    WITH((d.definitions = &untold, d.n_definitions = 1), MST_ERROR_ARGUMENT, "definition 0 has no expression");
    WITH((d.definitions = &taken, d.n_definitions = 1), MST_ERROR_ARGUMENT, "'dt' has a meaning already");
    WITH((d.definitions = &mistaken, d.n_definitions = 1), MST_ERROR_ARGUMENT, "the definition of half, column 4: expected ','");
    WITH(d.n_definitions = 1, MST_ERROR_ARGUMENT, "definitions must not be NULL");
    WITH((d.definitions = &twice, d.n_definitions = 1, d.definition_size = 3), MST_ERROR_ARGUMENT, "definition_size");
    WITH((d.updates = two, d.n_updates = 2), MST_ERROR_ARGUMENT, "two updates");
    WITH(d.fields = &coefficient, MST_ERROR_ARGUMENT, "coefficient field");
    WITH((d.sources = &source, d.n_sources = 1), MST_ERROR_ARGUMENT, "node 30");
    WITH(ends[2].kind = MST_BOUNDARY_PERIODIC, MST_ERROR_ARGUMENT, "one end");
    WITH(ends[1].value = "u", MST_ERROR_ARGUMENT, "axis 0");
    WITH((ends[1].kind = MST_BOUNDARY_SPONGE, ends[1].width = 31), MST_ERROR_ARGUMENT, "31");
    WITH(d.fuse = 65, MST_ERROR_ARGUMENT, "65");
    WITH(d.depth = 2, MST_ERROR_ARGUMENT, "2 steps");
    WITH((d.schedule = MST_STENCIL_SKEWED, d.depth = (size_t)1 << 32, d.block = 5), MST_ERROR_ARGUMENT, "at most 1048576");
    WITH((d.schedule = MST_STENCIL_SKEWED, ends[0].kind = ends[1].kind = MST_BOUNDARY_PERIODIC), MST_ERROR_ARGUMENT, "periodic");
#undef WITH
    assert_string_equal(mst_stencil_schedule_name(MST_STENCIL_PYRAMID_TILES), "pyramid-tiles");
    assert_string_equal(mst_stencil_schedule_name((mst_stencil_schedule)99), "unknown schedule");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_eigenmode),        cmocka_unit_test(test_advection_and_sum),
        cmocka_unit_test(test_parts_and_resume), cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_budget),           cmocka_unit_test(test_small_budget),
        cmocka_unit_test(test_far_sub_steps),    cmocka_unit_test(test_too_many_planes),
        cmocka_unit_test(test_failed_run),       cmocka_unit_test(test_diverged),
        cmocka_unit_test(test_refusals),
    };
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
