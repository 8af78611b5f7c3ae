// Every schedule, shape, fusing and block gives the bits of the reference.
#include "support_stencil.h"

#include <unistd.h>

// Problems that between them have every feature. Grids and faces are set by the tests.
typedef struct problem {
    const char *name;
    int rank;
    mst_type precision;
    size_t grid[MST_MAX_AXES];
    mst_stencil_face faces[MST_MAX_AXES][2];
    mst_stencil_field fields[4];
    mst_stencil_update updates[4];
    mst_stencil_source sources[3];
    mst_stencil_receiver receivers[2];
} problem;

#define DIRICHLET(value)                                                                                                         \
    { MST_BOUNDARY_DIRICHLET, value, 0 }
#define NEUMANN                                                                                                                  \
    { MST_BOUNDARY_NEUMANN, NULL, 0 }
#define PERIODIC                                                                                                                 \
    { MST_BOUNDARY_PERIODIC, NULL, 0 }
#define SPONGE(width)                                                                                                            \
    { MST_BOUNDARY_SPONGE, NULL, width }
#define INITIAL(text)                                                                                                            \
    { .expression = text }

static const mst_stencil_parameter parameters[] = {{"a", 0.1875}, {"c", 0.37}};
static const size_t points_2d[][MST_MAX_AXES] = {{0, 0}, {5, 7}, {30, 40}, {17, 20}, {17, 3}};
static const double samples[] = {0.5, -0.25, 0.125, 0.3};

static const problem heat_2d = {
    .name = "heat 2-D",
    .rank = 2,
    .precision = MST_FLOAT32,
    .grid = {53, 71},
    .faces = {{DIRICHLET(NULL), DIRICHLET("0.5 + 0.01 * x")}, {NEUMANN, DIRICHLET("sin(3 * t) > 0 ? y : 0.25")}},
    .fields = {{.name = "u", .initial = INITIAL("sin(0.3 * x) * cos(0.2 * y + 1) + x * y / 1000")}},
    .updates = {{"u", "u + a * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0}},
};

static const problem wave_2d = {
    .name = "wave 2-D",
    .rank = 2,
    .precision = MST_FLOAT64,
    .grid = {37, 50},
    .faces = {{PERIODIC, PERIODIC}, {SPONGE(9), SPONGE(5)}},
    .fields = {{.name = "u", .levels = 2, .initial = INITIAL("exp(-((x - 20)^2 + (y - 11)^2) / 20)")},
               {.name = "speed", .constant = true, .initial = INITIAL("1 + 0.01 * x + 0.02 * y")}},
    .updates = {{"u",
                 "2*u - u.prev + (c * speed * dt / dx)^2 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)"
                 " + 0.01 * (speed[0,1] - speed[1,0])",
                 0}},
    .sources = {{.field = "u", .point = {5, 7}, .series = "sin(t) * a"},
                {.field = "u", .point = {5, 7}, .samples = samples, .n_samples = 4},
                {.field = "u", .point = {36, 49}, .samples = samples, .n_samples = 4}},
    .receivers = {{"u", 5, points_2d}},
};

static mst_stencil_desc describe(const problem *p) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = p->rank;
    d.precision = p->precision;
    d.time_step = 0.3;
    for (int k = 0; k < p->rank; k++) {
        d.grid[k] = p->grid[k];
        d.spacing[k] = 1 + 0.25 * k;
        memcpy(d.faces[k], p->faces[k], sizeof d.faces[k]);
    }
    d.parameters = parameters;
    d.n_parameters = sizeof parameters / sizeof parameters[0];
    d.fields = p->fields;
    d.updates = p->updates;
    d.sources = p->sources;
    d.receivers = p->receivers;
    while (d.n_fields < 4 && p->fields[d.n_fields].name)
        d.n_fields++;
    while (d.n_updates < 4 && p->updates[d.n_updates].field)
        d.n_updates++;
    while (d.n_sources < 3 && p->sources[d.n_sources].field)
        d.n_sources++;
    while (d.n_receivers < 2 && p->receivers[d.n_receivers].field)
        d.n_receivers++;
    return d;
}

static void check_in_core(mst_context *context, const problem *p, mst_stencil_shape shape) {
    const size_t portions[] = {1, 5, 4};
    mst_stencil_desc d = describe(p);
    test_scheme reference = test_scheme_run(&d, 10);
    for (unsigned m = 1; m <= 5; m += 2) {
        char text[200];
        snprintf(text, sizeof text, "%s, shape %d, m = %u", p->name, (int)shape, m);
        d.shape = shape;
        d.schedule = MST_STENCIL_IN_CORE;
        d.fuse = m;
        test_scheme_check(context, &d, portions, 3, &reference, text);
    }
    test_scheme_free(&reference);
}

// Schedules with blocks that divide nothing, in portions that are no multiples of the height.
static void check_schedules(mst_context *context, const problem *p) {
    static const struct {
        mst_stencil_schedule schedule;
        size_t height;
        unsigned fuse;
        size_t block;
        bool no_overlap;
    } cases[] = {
        {MST_STENCIL_SKEWED, 6, 3, 5, false},         {MST_STENCIL_SKEWED, 1, 1, 7, true},
        {MST_STENCIL_SKEWED, 9, 3, 100, false},       {MST_STENCIL_SKEWED, 3, 3, 4, false},
        {MST_STENCIL_TRIVIAL, 1, 1, 9, false},        {MST_STENCIL_PYRAMID_SLABS, 6, 3, 11, false},
        {MST_STENCIL_PYRAMID_SLABS, 4, 3, 3, true},   {MST_STENCIL_PYRAMID_TILES, 6, 3, 13, false},
        {MST_STENCIL_PYRAMID_TILES, 3, 3, 64, false},
    };
    const size_t portions[] = {7, 1, 12};
    mst_stencil_desc d = describe(p);
    test_scheme reference = test_scheme_run(&d, 20);
    bool no_skew = p->faces[0][0].kind == MST_BOUNDARY_PERIODIC || p->rank == 1;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (int home = MST_STENCIL_HOME_PINNED; home <= MST_STENCIL_HOME_FILE; home++) {
            char text[200];
            if ((cases[i].schedule == MST_STENCIL_SKEWED && no_skew) || (int)(i + test_random() % 3) % 3 + 1 != home)
                continue;
            snprintf(text, sizeof text, "%s, %s, n = %zu, m = %u, b = %zu, home %d", p->name,
                     mst_stencil_schedule_name(cases[i].schedule), cases[i].height, cases[i].fuse, cases[i].block, home);
            d.schedule = cases[i].schedule;
            d.height = cases[i].height;
            d.fuse = cases[i].fuse;
            d.block = cases[i].block;
            d.no_overlap = cases[i].no_overlap;
            d.home = (mst_stencil_home)home;
            d.file_offset = 40;
            d.file = home == MST_STENCIL_HOME_FILE ? test_file(1) : -1;
            test_scheme_check(context, &d, portions, 3, &reference, text);
            if (d.file >= 0)
                close(d.file);
        }
    test_scheme_free(&reference);
}

static void test_schedules(void **state) {
    check_schedules(*state, &heat_2d);
    check_schedules(*state, &wave_2d);
}

static void test_in_core(void **state) {
    for (int shape = MST_STENCIL_SHAPE_GPU; shape <= MST_STENCIL_SHAPE_CPU; shape++) {
        check_in_core(*state, &heat_2d, (mst_stencil_shape)shape);
        check_in_core(*state, &wave_2d, (mst_stencil_shape)shape);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_in_core), cmocka_unit_test(test_schedules)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
