// Sweeps around a middle, in which fused kernels do several steps outside absorbing layers: the bits of sweeps alone (which
// stencil_layers holds against schemes that are written out), whatever lies in the middle, around it or in both: sources,
// receivers, fields of float16, coefficients at neighbours, faces of all kinds; over portions of steps, states that are read and
// written between them, and budgets; a state that is written after a run that failed; what is refused; and by faked rates, how
// many steps a solver fuses by itself.
// Long: kernels of several steps for all layers of all faces, which take longest to compile.
#include "stencil/measure.h"
#include "stencil/solver.h"
#include "support.h"

#include <CL/cl.h>
#include <string.h>

enum { N_ROWS = 47, N_COLUMNS = 131, NODES = N_ROWS * N_COLUMNS, MOST_NODES = 40 * 44 * 80, STEPS = 17, N_POINTS = 6 };

static int launches_left = -1; // before one fails; -1: none does

cl_int __real_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n, const cl_event *wait, cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n, const cl_event *wait, cl_event *event);
cl_int __wrap_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dim, const size_t *offset,
                                     const size_t *global, const size_t *local, cl_uint n, const cl_event *wait,
                                     cl_event *event) {
    if (launches_left >= 0 && launches_left-- == 0)
        return CL_OUT_OF_RESOURCES;
    return __real_clEnqueueNDRangeKernel(queue, kernel, dim, offset, global, local, n, wait, event);
}

typedef struct result {
    float fields[3][MOST_NODES];
    double recorded[STEPS][N_POINTS];
} result;

static const mst_stencil_boundary four[] = {{.kind = MST_BOUNDARY_ANTIMIRROR},
                                            {.kind = MST_BOUNDARY_ABSORB, .width = 5},
                                            {.kind = MST_BOUNDARY_ABSORB, .width = 6, .kappa = 3},
                                            {.kind = MST_BOUNDARY_MIRROR_NODE}};
static const mst_stencil_boundary rows_periodic[] = {
    {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_PERIODIC}, {.kind = MST_BOUNDARY_ABSORB, .width = 4}, {.width = 0}};

static const mst_stencil_field fields[] = {
    {.name = "p", .initial = {.expression = "exp(-((x - 70)^2 + (y - 20)^2) / 30)"}},
    {.name = "v"},
    {.name = "w"},
    {.name = "c", .coefficient = true, .initial = {.expression = "0.5 + 0.01 * y + 0.001 * x"}}};
static const mst_stencil_update updates[] = {{"v", "v - 0.5 * stretch_x(p[0,1] - p, 0.5)", 0},
                                             {"w", "w - 0.5 * (p[1,0] - p)", 0},
                                             {"p", "p - 0.25 * (c + c[0,1]) * (stretch_x(v - v[0,-1]) + (w - w[-1,0]))", 1}};
static const mst_stencil_update updates_both[] = {
    {"v", "v - 0.5 * stretch_x(p[0,1] - p, 0.5)", 0},
    {"w", "w - 0.5 * stretch_y(p[1,0] - p, 0.5)", 0},
    {"p", "p - 0.25 * (c + c[0,1]) * (stretch_x(v - v[0,-1]) + stretch_y(w - w[-1,0]))", 1}};

// In the middle, in a layer and where one becomes the other; whole lines, too.
static const double between[] = {20.3, 60.7};
static const mst_stencil_region line = {.start = {24, 0}, .step = {1, 1}, .count = {1, N_COLUMNS}};
static const mst_stencil_source sources[] = {{.field = "p", .series = "sin(t)", .position = between},
                                             {.field = "p", .series = "0.1 * cos(t)", .region = &line, .amplitude = "x / 100"},
                                             {.field = "v", .series = "0.2", .point = {30, 3}},
                                             {.field = "w", .series = "-0.1", .point = {9, 14}}};
static const size_t points[N_POINTS][MST_MAX_AXES] = {{0, 0}, {9, 14}, {10, 15}, {23, 70}, {40, 120}, {46, 130}};
static const mst_stencil_receiver receiver = {.field = "p", .n_points = N_POINTS, .points = points};

static mst_stencil_desc describe(void) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 2;
    d.grid[0] = N_ROWS;
    d.grid[1] = N_COLUMNS;
    d.time_step = 0.6;
    d.boundaries = four;
    d.fields = fields;
    d.n_fields = 4;
    d.updates = updates_both;
    d.n_updates = 3;
    d.sources = sources;
    d.n_sources = 4;
    d.receivers = &receiver;
    d.n_receivers = 1;
    d.shape = MST_STENCIL_SHAPE_GPU;
    d.schedule = MST_STENCIL_SWEEPS;
    return d;
}

// In portions, between which the state is read and, of one field, written back.
static void run(mst_context *context, const mst_stencil_desc *d, unsigned fuse, result *out) {
    static const size_t portions[] = {1, 9, 7};
    static float state[MOST_NODES];
    mst_stencil_desc desc = *d;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_stencil *s;
    mst_error e;
    memset(out, 0xff, sizeof *out);
    desc.fuse = fuse;
    OK(mst_stencil_create(context, &desc, &s, &e));
    OK(mst_stencil_describe(s, STEPS, &plan, &e));
    assert_int_equal(plan.schedule, MST_STENCIL_SWEEPS);
    assert_int_equal(plan.fuse, fuse > 0 ? fuse : 1);
    for (int k = 0; k < 3; k++) {
        OK(mst_stencil_run(s, portions[k], NULL, NULL, &e));
        OK(mst_stencil_read(s, desc.fields[0].name, 0, NULL, mst_at_host(state), &e));
        if (k == 1)
            OK(mst_stencil_write(s, desc.fields[0].name, 0, mst_at_host(state), &e));
    }
    for (size_t f = 0; f < desc.n_fields && f < 3; f++)
        if (!desc.fields[f].coefficient)
            OK(mst_stencil_read(s, desc.fields[f].name, 0, NULL, mst_at_host(out->fields[f]), &e));
    if (desc.n_receivers > 0)
        OK(mst_stencil_read_receiver(s, 0, 1, STEPS, out->recorded[0], &e));
    mst_stencil_destroy(s);
}

static void check(mst_context *context, const char *name, const mst_stencil_desc *d, unsigned most) {
    static result expected, got;
    run(context, d, 0, &expected);
    for (unsigned m = 2; m <= most; m++) {
        run(context, d, m, &got);
        CHECK(memcmp(&got, &expected, sizeof got) == 0, "%s: %u fused steps have other bits", name, m);
    }
}

static void test_all_layers(void **state) {
    mst_stencil_desc d = describe();
    check(*state, "two layers", &d, 3);
}

static void test_half(void **state) {
    mst_stencil_field half[4];
    mst_stencil_desc d = describe();
    memcpy(half, fields, sizeof half);
    half[0].storage_bytes = half[3].storage_bytes = 2;
    d.fields = half;
    if (test_turn(0, 2))
        check(*state, "float16", &d, 2);
}

static void test_rows(void **state) {
    mst_stencil_desc d = describe();
    d.boundaries = rows_periodic;
    d.updates = updates;
    if (test_turn(1, 2))
        check(*state, "a layer along the columns, periodic rows", &d, 2);
}

static const mst_stencil_boundary six[] = {{.kind = MST_BOUNDARY_ABSORB, .width = 5}, {.kind = MST_BOUNDARY_NEUMANN},
                                           {.kind = MST_BOUNDARY_ABSORB, .width = 4}, {.width = 0},
                                           {.kind = MST_BOUNDARY_ABSORB, .width = 6}, {.kind = MST_BOUNDARY_ABSORB, .width = 3}};
static const mst_stencil_field one[] = {
    {.name = "u", .levels = 2, .initial = {.expression = "exp(-((x - 40)^2 + (y - 20)^2 + (z - 22)^2) / 30)"}}};
static const mst_stencil_update wave[] = {
    {"u",
     "2 * u - u.prev + 0.2 * (stretch_x(u[0,0,1] - 2 * u + u[0,0,-1]) + stretch_y(u[0,1,0] - 2 * u + u[0,-1,0])"
     " + stretch_z(u[1,0,0] - 2 * u + u[-1,0,0]))",
     0}};

static mst_stencil_desc describe_space(void) {
    mst_stencil_desc d = describe();
    d.rank = 3;
    d.grid[0] = 40;
    d.grid[1] = 44;
    d.grid[2] = 80;
    d.boundaries = six;
    d.fields = one;
    d.n_fields = d.n_updates = 1;
    d.updates = wave;
    d.n_sources = d.n_receivers = 0;
    return d;
}

static void test_space(void **state) {
    const mst_stencil_desc d = describe_space();
    check(*state, "three axes", &d, 2);
}

// Every array of the state from where all is 0 but p, which is one value: then a step, which is done without the middle.
static void restart(mst_stencil *s, const mst_stencil_desc *d, float *out) {
    static float values[NODES];
    mst_stencil_memory memory = MST_STENCIL_MEMORY_INIT;
    mst_error e;
    memset(values, 0, sizeof values);
    OK(mst_stencil_find_memory(d, 0, &memory, &e));
    for (size_t k = 0, n = memory.n; k < n; k++) {
        OK(mst_stencil_find_memory(d, k, &memory, &e));
        OK(mst_stencil_write(s, memory.name, 0, mst_at_host(values), &e));
    }
    OK(mst_stencil_write(s, "v", 0, mst_at_host(values), &e));
    OK(mst_stencil_write(s, "w", 0, mst_at_host(values), &e));
    for (int k = 0; k < NODES; k++)
        values[k] = 0.5f;
    OK(mst_stencil_write(s, "p", 0, mst_at_host(values), &e));
    OK(mst_stencil_set_step(s, 0, &e));
    OK(mst_stencil_run(s, 1, NULL, NULL, &e));
    OK(mst_stencil_read(s, "p", 0, NULL, mst_at_host(out), &e));
}

// Whichever launch of a run fails, what is written after it is the state.
static void test_after_failure(void **state) {
    static float expected[NODES], got[NODES];
    mst_stencil_desc d = describe();
    mst_stencil *s;
    mst_error e;
    mst_status status = MST_ERROR_OPENCL;
    d.fuse = 2;
    OK(mst_stencil_create(*state, &d, &s, &e));
    restart(s, &d, expected);
    for (int n = 0; status != MST_OK; n++) {
        launches_left = n;
        status = mst_stencil_run(s, 6, NULL, NULL, &e);
        launches_left = -1;
        CHECK(status != MST_OK || n > 20, "only %d launches", n);
        restart(s, &d, got);
        CHECK(memcmp(got, expected, sizeof got) == 0, "after launch %d failed, another state than was written", n);
    }
    mst_stencil_destroy(s);
}

static void refused(mst_context *context, const mst_stencil_desc *d, mst_status expected, const char *message) {
    mst_stencil *s;
    mst_error e;
    assert_int_equal(mst_stencil_create(context, d, &s, &e), expected);
    CHECK(strstr(e.message, message) != NULL, "'%s' is not in '%s'", message, e.message);
}

static void test_refused(void **state) {
    static const mst_stencil_update plain[] = {{"p", "p[0,1]", 0}, {"v", "v", 0}, {"w", "w", 0}};
    mst_stencil_desc d = describe();
    d.fuse = 2;
    d.shape = MST_STENCIL_SHAPE_CPU;
    refused(*state, &d, MST_ERROR_ARGUMENT, "on a GPU outside absorbing layers; 2 are to be fused");
    d = describe();
    d.fuse = 2;
    d.schedule = MST_STENCIL_SKEWED_SWEEPS;
    refused(*state, &d, MST_ERROR_ARGUMENT, "sweeps do one step each; 2 are to be fused");
    d = describe();
    d.fuse = 3;
    d.depth = 2;
    refused(*state, &d, MST_ERROR_ARGUMENT, "the depth is 2 steps, less than the 3 that are fused");
    d = describe();
    d.fuse = 65;
    refused(*state, &d, MST_ERROR_ARGUMENT, "65 steps are to be fused; at most 64");
    d = describe();
    d.fuse = 2;
    d.boundaries = NULL;
    d.updates = plain;
    refused(*state, &d, MST_ERROR_ARGUMENT, "on a GPU outside absorbing layers");
    d = describe();
    d.fuse = 8;
    d.grid[0] = 20;
    d.n_sources = d.n_receivers = 0;
    refused(*state, &d, MST_ERROR_UNSUPPORTED, "8 steps cannot be fused outside the absorbing layers");
}

// ---- the automatic choice ----

enum { RULE = 3, NOT_MADE = 1, NOT_MEASURED = 2 }; // the steps first tried in space; what befalls others

// Rates of sweeps alone, and around so many fused steps; and those whose rates were asked for, as digits.
static struct {
    double sweep, around[RULE + 1];
    int fails[RULE + 1];
    unsigned asked;
} fake;

mst_status __real_mst_sweeps_measure(mst_sweeper *sweeper, mst_rates *rates, mst_error *error);
mst_status __wrap_mst_sweeps_measure(mst_sweeper *sweeper, mst_rates *rates, mst_error *error);
mst_status __real_mst_rates_measure(const mst_measurement *measurement, mst_rates *rates, mst_error *error);
mst_status __wrap_mst_rates_measure(const mst_measurement *measurement, mst_rates *rates, mst_error *error);
mst_status __wrap_mst_middle_measure(const mst_schedule_desc *with, double *rate, mst_error *error);
bool __real_mst_middle_make(const mst_plan_inputs *in, const mst_sweeps *sweeps, const mst_kernel_pair *outside, mst_middle *out);
bool __wrap_mst_middle_make(const mst_plan_inputs *in, const mst_sweeps *sweeps, const mst_kernel_pair *outside, mst_middle *out);

mst_status __wrap_mst_sweeps_measure(mst_sweeper *sweeper, mst_rates *rates, mst_error *error) {
    if (!(fake.sweep > 0))
        return __real_mst_sweeps_measure(sweeper, rates, error);
    rates->sweep = fake.sweep;
    return MST_OK;
}

// The more steps are fused, the slower, so that none are added.
mst_status __wrap_mst_rates_measure(const mst_measurement *measurement, mst_rates *rates, mst_error *error) {
    if (!(fake.sweep > 0) || !measurement->steppers)
        return __real_mst_rates_measure(measurement, rates, error);
    rates->update[0] = measurement->steppers[0].pipeline.m > RULE ? 1e6 : 1e9;
    rates->update[1] = 1e8;
    return MST_OK;
}

mst_status __wrap_mst_middle_measure(const mst_schedule_desc *with, double *rate, mst_error *error) {
    const unsigned m = (unsigned)with->plan->fuse;
    CHECK(m >= 1 && m <= RULE, "%u steps", m);
    fake.asked = 10 * fake.asked + m;
    if (fake.fails[m] == NOT_MEASURED)
        return mst_fail(error, MST_ERROR_DEVICE_MEMORY, "no memory");
    *rate = fake.around[m];
    return MST_OK;
}

bool __wrap_mst_middle_make(const mst_plan_inputs *in, const mst_sweeps *sweeps, const mst_kernel_pair *outside,
                            mst_middle *out) {
    if (fake.sweep > 0 && outside->m <= RULE && fake.fails[outside->m] == NOT_MADE)
        return false;
    return __real_mst_middle_make(in, sweeps, outside, out);
}

// A solver that chooses by itself asks for the rates of these numbers of steps, and fuses `m` around which it sweeps; 0: sweeps
// alone.
static void chooses(mst_context *context, const mst_stencil_desc *d, const char *name, unsigned asked, unsigned m) {
    mst_stencil *s;
    mst_error e;
    fake.asked = 0;
    OK(mst_stencil_create(context, d, &s, &e));
    CHECK(fake.asked == asked, "%s: asked for the rates of %u, not %u", name, fake.asked, asked);
    CHECK(s->plan.schedule == MST_STENCIL_SWEEPS && s->inputs.middle.m == m && (s->outside != NULL) == (m > 0) &&
              s->plan.fuse == (m > 0 ? m : 1),
          "%s: schedule %d, %u fused around %u", name, (int)s->plan.schedule, (unsigned)s->plan.fuse,
          (unsigned)s->inputs.middle.m);
    mst_stencil_destroy(s);
}

// A grid that nothing is known of, and rates of 1, 2 and 3 steps.
static mst_stencil_desc begin(double one_step, double two, double three) {
    static size_t columns = 80;
    mst_stencil_desc d = describe_space();
    d.schedule = MST_STENCIL_AUTO;
    d.grid[2] = ++columns;
    memset(&fake, 0, sizeof fake);
    fake.sweep = 1e8;
    fake.around[1] = one_step;
    fake.around[2] = two;
    fake.around[3] = three;
    return d;
}

static void test_choice(void **state) {
    mst_stencil_desc d = begin(4e8, 3e8, 2e8);
    chooses(*state, &d, "fewer are faster", 321, 1);
    chooses(*state, &d, "fewer are faster, known", 0, 1);
    d = begin(4e8, 2e8, 3e8);
    chooses(*state, &d, "fewer are slower", 32, 3);
    chooses(*state, &d, "fewer are slower, known", 0, 3);
    d = begin(0.2e8, 0.5e8, 0.4e8);
    chooses(*state, &d, "sweeps alone are faster", 321, 0);
    chooses(*state, &d, "sweeps alone are faster, known", 0, 0);
}

// What could not be made or measured is tried again, what was measured is not.
static void test_choice_after_failure(void **state) {
    mst_stencil_desc d = begin(4e8, 3e8, 2e8);
    fake.fails[2] = NOT_MEASURED;
    chooses(*state, &d, "two are not measured", 32, 3);
    fake.fails[2] = NOT_MADE;
    chooses(*state, &d, "two are not made", 0, 3);
    fake.fails[2] = 0;
    fake.fails[1] = NOT_MADE;
    chooses(*state, &d, "one is not made", 2, 2);
    fake.fails[1] = 0;
    chooses(*state, &d, "all are there", 1, 1);
    chooses(*state, &d, "all are there, known", 0, 1);
}

// Runs that end before building kernels would be worth it try no more, and leave that to longer ones.
static void test_choice_of_short_runs(void **state) {
    mst_stencil_desc d = begin(1, 3e12, 2e12);
    d.expected_steps = 1000000;
    chooses(*state, &d, "a short run", 3, 3);
    d.expected_steps = 0;
    chooses(*state, &d, "a long run", 21, 2);
}

// On a small grid a launch costs more than what sweeps gain, so kernels that know the layers are built.
static void test_choice_of_small_grids(void **state) {
    mst_stencil_desc d = begin(1, 1, 1);
    mst_stencil *s;
    mst_error e;
    fake.sweep = 1e12;
    OK(mst_stencil_create(*state, &d, &s, &e));
    assert_int_equal(fake.asked, 32);
    assert_null(s->outside);
    assert_non_null(s->steppers[0].context);
    mst_stencil_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_layers),
                                       cmocka_unit_test(test_half),
                                       cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_space),
                                       cmocka_unit_test(test_after_failure),
                                       cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_choice),
                                       cmocka_unit_test(test_choice_after_failure),
                                       cmocka_unit_test(test_choice_of_short_runs),
                                       cmocka_unit_test(test_choice_of_small_grids)};
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
