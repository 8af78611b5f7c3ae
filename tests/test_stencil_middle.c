// Sweeps around a middle, in which fused kernels do several steps outside absorbing layers: the bits of sweeps alone (which
// stencil_layers holds against schemes that are written out), whatever lies in the middle, around it or in both: sources,
// receivers, fields of float16, coefficients at neighbours, faces of all kinds; over portions of steps, states that are read and
// written between them, and budgets; a state that is written after a run that failed; and what is refused.
#include "support.h"

#include <CL/cl.h>
#include <string.h>

enum { ROWS = 47, COLUMNS = 131, NODES = ROWS * COLUMNS, MOST_NODES = 40 * 44 * 80, STEPS = 17, N_POINTS = 6 };

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
static const mst_stencil_region line = {.start = {24, 0}, .step = {1, 1}, .count = {1, COLUMNS}};
static const mst_stencil_source sources[] = {{.field = "p", .series = "sin(t)", .position = between},
                                             {.field = "p", .series = "0.1 * cos(t)", .region = &line, .amplitude = "x / 100"},
                                             {.field = "v", .series = "0.2", .point = {30, 3}},
                                             {.field = "w", .series = "-0.1", .point = {9, 14}}};
static const size_t points[N_POINTS][MST_MAX_AXES] = {{0, 0}, {9, 14}, {10, 15}, {23, 70}, {40, 120}, {46, 130}};
static const mst_stencil_receiver receiver = {.field = "p", .n_points = N_POINTS, .points = points};

static mst_stencil_desc describe(void) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 2;
    d.grid[0] = ROWS;
    d.grid[1] = COLUMNS;
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

static void test_space(void **state) {
    static const mst_stencil_boundary six[] = {
        {.kind = MST_BOUNDARY_ABSORB, .width = 5}, {.kind = MST_BOUNDARY_NEUMANN},
        {.kind = MST_BOUNDARY_ABSORB, .width = 4}, {.width = 0},
        {.kind = MST_BOUNDARY_ABSORB, .width = 6}, {.kind = MST_BOUNDARY_ABSORB, .width = 3}};
    static const mst_stencil_field one[] = {
        {.name = "u", .levels = 2, .initial = {.expression = "exp(-((x - 40)^2 + (y - 20)^2 + (z - 22)^2) / 30)"}}};
    static const mst_stencil_update wave[] = {
        {"u",
         "2 * u - u.prev + 0.2 * (stretch_x(u[0,0,1] - 2 * u + u[0,0,-1]) + stretch_y(u[0,1,0] - 2 * u + u[0,-1,0])"
         " + stretch_z(u[1,0,0] - 2 * u + u[-1,0,0]))",
         0}};
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_layers),    cmocka_unit_test(test_half),
                                       cmocka_unit_test(test_rows),          cmocka_unit_test(test_space),
                                       cmocka_unit_test(test_after_failure), cmocka_unit_test(test_refused)};
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
