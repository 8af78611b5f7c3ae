// Every schedule, shape, fusing and block gives the bits of the reference. All problems and ways are in stencil_slow; a run takes
// a third of them, and of ways with GPU-shaped kernels one a schedule, and seams of GPU-shaped kernels are in stencil_seams.
#include "support_stencil.h"

static void check_on_cpus(mst_context *context, size_t k, const char *problem) {
    if (test_turn(k, 3))
        test_scheme_check_ways(context, problem, true, false);
}
static void check_on_gpus(mst_context *context, size_t k, const char *problem) {
    if (test_turn(k, 3))
        test_scheme_check_ways(context, problem, false, true);
}

static void test_wide_reach(void **state) { check_on_cpus(*state, 0, "wide 2-D"); }
static void test_yee(void **state) { check_on_cpus(*state, 1, "Yee 2-D"); }
static void test_heat_3d(void **state) { check_on_cpus(*state, 2, "heat 3-D"); }
static void test_far(void **state) { // the longest kernels
    for (size_t gpu = 0; gpu < 2; gpu++)
        if (test_turn(3 * gpu, 6))
            test_scheme_check_ways(*state, "far 2-D", !gpu, gpu);
}
static void test_wave(void **state) { check_on_gpus(*state, 0, "wave 2-D"); }
static void test_large(void **state) { check_on_gpus(*state, 1, "large 2-D"); }
static void test_advection(void **state) { test_scheme_check_ways(*state, "advection 1-D", true, true); }

// Trips of any lengths in slabs of any size, with a reach that is longer on either side, a coefficient field, and an upper face
// that mirrors.
static void check_trips(mst_context *context, const char *update) {
    const mst_stencil_field fields[] = {{.name = "u", .initial = {.expression = "sin(x + 7 * y) + 0.1 * y"}},
                                        {.name = "c", .initial = {.expression = "0.1 + 0.001 * y"}, .coefficient = true}};
    const mst_stencil_update updates[] = {{"u", update, 0}};
    const mst_stencil_boundary mirror_above[4] = {[1] = {.kind = MST_BOUNDARY_NEUMANN}};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    char text[200];
    d.rank = 2;
    d.grid[0] = 150;
    d.grid[1] = 12;
    d.precision = MST_FLOAT32;
    d.fields = fields;
    d.n_fields = 2;
    d.updates = updates;
    d.n_updates = 1;
    d.boundaries = mirror_above;
    d.shape = MST_STENCIL_SHAPE_CPU;
    d.schedule = MST_STENCIL_SKEWED;
    d.fuse = 3;
    for (int k = 0; k < test_many(12); k++) {
        const size_t portions[] = {test_between(1, 40), test_between(1, 40)};
        test_scheme reference = test_scheme_run(&d, portions[0] + portions[1]);
        d.depth = test_between(3, 24);
        d.block = test_between(1, 60);
        d.store = (mst_stencil_store)test_between(MST_STENCIL_STORE_PINNED, MST_STENCIL_STORE_MEMORY);
        snprintf(text, sizeof text, "%s, n = %zu, b = %zu, store %d, %zu and %zu steps", update, d.depth, d.block, (int)d.store,
                 portions[0], portions[1]);
        test_scheme_check(context, &d, portions, 2, &reference, text);
        test_scheme_free(&reference);
    }
}

static void test_trips(void **state) {
    check_trips(*state, "u + c[1,0] * (u[-3,0] - u) + c[-2,1] * (u[1,-1] - u)");
    check_trips(*state, "u + c[0,0] * (u[2,0] - u)");
}

// A device may compute a function of a vector in another way than of a number: where a node is computed must not show.
static void test_functions(void **state) {
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "sin(x) + 0.1 * y"}};
    const mst_stencil_update update = {"u", "0.5*u + 0.1*exp(sin(u[0,1]) - 2) - 0.1*sin(3*u[1,0]) + 0.05*atan(u[0,-1])", 0};
    static const mst_stencil_schedule schedules[] = {MST_STENCIL_TRIVIAL, MST_STENCIL_SWEEPS, MST_STENCIL_IN_CORE};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    static float values[3][20 * 515];
    mst_error e;
    d.rank = 2;
    d.grid[0] = 20;
    d.grid[1] = 515;
    d.fields = &field;
    d.n_fields = 1;
    d.updates = &update;
    d.n_updates = 1;
    for (int k = 0; k < 3; k++) {
        mst_stencil *solver;
        d.schedule = schedules[k];
        d.shape = k < 2 ? MST_STENCIL_SHAPE_GPU : MST_STENCIL_SHAPE_CPU;
        d.fuse = 1;
        OK(mst_stencil_create(*state, &d, &solver, &e));
        OK(mst_stencil_run(solver, 5, NULL, NULL, &e));
        OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(values[k]), &e));
        mst_stencil_destroy(solver);
        CHECK(memcmp(values[k], values[0], sizeof values[0]) == 0, "%s gives other bits", mst_stencil_schedule_name(d.schedule));
    }
}

// Slabs thinner than their reach, whose planes share places with those of the trip before: again and again, as what would go
// wrong depends on when copies take place.
static void test_thin_slabs(void **state) {
    const mst_stencil_field field = {
        .name = "u", .levels = 2, .initial = {.expression = "x * y / 500"}, .previous = {.expression = "sin(x + y)"}};
    const mst_stencil_update update = {"u", "0.2*u + 0.1*u.prev[1,-1] + 0.1*(u[-4,0] - u[0,4] + u[1,-1]) + 0.01*u[3,2]", 0};
    const size_t portions[] = {7, 11};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    char text[80];
    d.rank = 2;
    d.grid[0] = 33;
    d.grid[1] = 39;
    d.precision = MST_FLOAT32;
    d.fields = &field;
    d.n_fields = 1;
    d.updates = &update;
    d.n_updates = 1;
    d.fuse = 3;
    d.depth = 3;
    d.schedule = MST_STENCIL_SKEWED;
    test_scheme reference = test_scheme_run(&d, 18);
    for (int k = 0; k < test_many(20); k++) { // 20 are all of these blocks, shapes and stores
        if (!test_turn((size_t)k, 3))
            continue;
        d.shape = k % 2 ? MST_STENCIL_SHAPE_CPU : MST_STENCIL_SHAPE_GPU;
        d.block = (size_t)(1 + k / 2 % 5);
        d.store = k / 10 % 2 ? MST_STENCIL_STORE_MEMORY : MST_STENCIL_STORE_PINNED;
        snprintf(text, sizeof text, "shape %d, b = %zu, store %d", (int)d.shape, d.block, (int)d.store);
        test_scheme_check(*state, &d, portions, 2, &reference, text);
    }
    test_scheme_free(&reference);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wave),       cmocka_unit_test(test_wide_reach), cmocka_unit_test(test_yee),
        cmocka_unit_test(test_far),        cmocka_unit_test(test_heat_3d),    cmocka_unit_test(test_advection),
        cmocka_unit_test(test_large),      cmocka_unit_test(test_functions),  cmocka_unit_test(test_trips),
        cmocka_unit_test(test_thin_slabs),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
