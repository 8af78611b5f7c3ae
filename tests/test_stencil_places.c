// Sources and receivers between nodes, and sources of regions: the published errors of the weights, reciprocity, plane waves with
// exact discrete solutions, refusals. That every schedule gives the same bits is in stencil, stencil_seams and stencil_slow.
#include "support_stencil.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static mst_stencil *solver_of(void **state, const mst_stencil_desc *desc) {
    mst_stencil_desc d = *desc;
    mst_stencil *solver;
    mst_error e;
    d.schedule = MST_STENCIL_SWEEPS; // compiles soonest
    CHECK(mst_stencil_create(*state, &d, &solver, &e) == MST_OK, "%s", e.message);
    return solver;
}

// ---- Weights: waves of four nodes and more at places between nodes, against Hicks' table 1. Row j has a wave of wave number
// pi / 2 j / 8, whose two components are two fields.

static void test_published_errors(void **state) {
    enum { RADII = 7, PLACES = 19, WAVES = 9, COLUMNS = 64, POINTS = PLACES * WAVES };
    static const double published[RADII] = {1.72e-1, 2.32e-2, 4.79e-3, 1.34e-3, 2.43e-4, 4.88e-5, 9.79e-6};
    static double places[POINTS][MST_MAX_AXES], got[2][POINTS];
    const mst_stencil_field fields[] = {{.name = "u", .initial.expression = "cos(pi / 16 * y * x)"},
                                        {.name = "v", .initial.expression = "sin(pi / 16 * y * x)"}};
    const mst_stencil_update updates[] = {{"u", "u", 0}, {"v", "v", 0}};
    mst_stencil_receiver receivers[2 * RADII];
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_error e;
    for (int k = 0; k < POINTS; k++) {
        places[k][0] = k / PLACES;
        places[k][1] = 30 + (1 + k % PLACES) / (PLACES + 1.0);
    }
    for (unsigned k = 0; k < 2 * RADII; k++)
        receivers[k] = (mst_stencil_receiver){.field = k % 2 ? "v" : "u",
                                              .n_points = POINTS,
                                              .positions = (const double(*)[MST_MAX_AXES])places,
                                              .radius = 1 + k / 2};
    d.rank = 2;
    d.grid[0] = WAVES;
    d.grid[1] = COLUMNS;
    d.precision = MST_FLOAT64;
    d.fields = fields;
    d.updates = updates;
    d.receivers = receivers;
    d.n_fields = d.n_updates = 2;
    d.n_receivers = 2 * RADII;
    mst_stencil *solver = solver_of(state, &d);
    OK(mst_stencil_run(solver, 1, NULL, NULL, &e));
    for (size_t r = 0; r < RADII; r++) {
        double worst = 0;
        for (size_t part = 0; part < 2; part++)
            OK(mst_stencil_read_receiver(solver, 2 * r + part, 1, 1, got[part], &e));
        for (int k = 0; k < POINTS; k++) {
            const double angle = pi / 16 * places[k][0] * places[k][1];
            worst = fmax(worst, hypot(got[0][k] - cos(angle), got[1][k] - sin(angle)));
        }
        CHECK(worst < 1.01 * published[r] && worst > 0.8 * published[r], "radius %zu: the error is %g, published %g", r + 1,
              worst, published[r]);
    }
    mst_stencil_destroy(solver);
}

// ---- Reciprocity: between a mirror and zeros, source and receiver may change places.

static void test_reciprocity(void **state) {
    enum { STEPS = 60 };
    static const double places[2][MST_MAX_AXES] = {{1.3, 8.75}, {14.6, 0.2}};
    static double got[2][STEPS];
    const mst_stencil_field field = {.name = "u", .levels = 2};
    const mst_stencil_update update = {"u", "2*u - u.prev + 0.25*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)", 0};
    const mst_stencil_boundary ends[4] = {{.kind = MST_BOUNDARY_NEUMANN}};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    double largest = 0;
    mst_error e;
    d.rank = 2;
    d.grid[0] = d.grid[1] = 20;
    d.precision = MST_FLOAT64;
    d.boundaries = ends;
    d.fields = &field;
    d.updates = &update;
    d.n_fields = d.n_updates = d.n_sources = d.n_receivers = 1;
    for (int turn = 0; turn < 2; turn++) {
        const mst_stencil_source source = {.field = "u", .position = places[turn], .series = "exp(-(t - 10)^2 / 12)"};
        const mst_stencil_receiver receiver = {.field = "u", .n_points = 1, .positions = &places[1 - turn]};
        d.sources = &source;
        d.receivers = &receiver;
        mst_stencil *solver = solver_of(state, &d);
        OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
        OK(mst_stencil_read_receiver(solver, 0, 1, STEPS, got[turn], &e));
        mst_stencil_destroy(solver);
    }
    for (int k = 0; k < STEPS; k++) {
        largest = fmax(largest, fabs(got[0][k]));
        CHECK(fabs(got[0][k] - got[1][k]) < 1e-13, "step %d: %.17g one way, %.17g the other", k + 1, got[0][k], got[1][k]);
    }
    CHECK(largest > 0.01, "the receivers got no more than %g", largest);
}

// ---- In a homogeneous medium source and receiver may both be shifted: by parts of a node what is recorded changes by no more
// than the weights' errors, an axis at either end.

static void record_shifted(void **state, const double from[2], const double to[2], unsigned radius, size_t steps, double *got) {
    const double source_at[MST_MAX_AXES] = {from[0], from[1]}, receiver_at[1][MST_MAX_AXES] = {{to[0], to[1]}};
    const mst_stencil_field field = {.name = "u", .levels = 2};
    const mst_stencil_update update = {"u", "2*u - u.prev + 0.25*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u)", 0};
    const mst_stencil_boundary ends[4] = {{.kind = MST_BOUNDARY_NEUMANN}};
    const mst_stencil_source source = {.field = "u", .position = source_at, .series = "exp(-(t - 30)^2 / 150)", .radius = radius};
    const mst_stencil_receiver receiver = {.field = "u", .n_points = 1, .positions = receiver_at, .radius = radius};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_error e;
    d.rank = 2;
    d.grid[0] = d.grid[1] = 90;
    d.precision = MST_FLOAT64;
    d.boundaries = ends;
    d.fields = &field;
    d.updates = &update;
    d.sources = &source;
    d.receivers = &receiver;
    d.n_fields = d.n_updates = d.n_sources = d.n_receivers = 1;
    mst_stencil *solver = solver_of(state, &d);
    OK(mst_stencil_run(solver, steps, NULL, NULL, &e));
    OK(mst_stencil_read_receiver(solver, 0, 1, steps, got, &e));
    mst_stencil_destroy(solver);
}

static double difference(const double *a, const double *b, size_t n) {
    double most = 0, largest = 0;
    for (size_t k = 0; k < n; k++) {
        most = fmax(most, fabs(a[k] - b[k]));
        largest = fmax(largest, fabs(a[k]));
    }
    return most / largest;
}

static void test_shifted(void **state) {
    enum { STEPS = 100 };
    static const struct {
        unsigned radius;
        double error; // of waves of four nodes and more (docs/stencils.md)
    } cases[] = {{2, 2.3e-2}, {3, 4.8e-3}, {4, 1.3e-3}};
    static double nodes[STEPS], shifted[STEPS];
    record_shifted(state, (double[]){45, 44}, (double[]){53, 49}, 4, STEPS, nodes);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        record_shifted(state, (double[]){45.37, 44.61}, (double[]){53.37, 49.61}, cases[k].radius, STEPS, shifted);
        const double got = difference(nodes, shifted, STEPS);
        CHECK(got < 4 * cases[k].error, "radius %u: shifted by parts of a node, the trace changes by %g", cases[k].radius, got);
    }
    record_shifted(state, (double[]){45.37, 44.61}, (double[]){53, 49}, 4, STEPS, shifted);
    CHECK(difference(nodes, shifted, STEPS) > 0.02, "a shift of the source alone does nothing");
}

// ---- A plane source with a Courant number of 1: what is added at a step goes either way by a node a step, and is exact
// (d'Alembert). With a delay of a step a row, the plane's rows follow one another.

static void test_plane_wave(void **state) {
    enum { ROWS = 6, N = 41, AT = 20, STEPS = 15 };
    static double got[ROWS][N];
    const mst_stencil_region line = {{0, AT}, {1, 1}, {ROWS, 1}};
    const mst_stencil_source source = {
        .field = "u", .region = &line, .series = "t >= 0 ? t^2 + 1 : 0", .amplitude = "y + 1", .delay = "y"};
    const mst_stencil_field field = {.name = "u", .levels = 2};
    const mst_stencil_update update = {"u", "u[0,-1] + u[0,1] - u.prev", 0};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_error e;
    d.rank = 2;
    d.grid[0] = ROWS;
    d.grid[1] = N;
    d.precision = MST_FLOAT64;
    d.fields = &field;
    d.updates = &update;
    d.sources = &source;
    d.n_fields = d.n_updates = d.n_sources = 1;
    mst_stencil *solver = solver_of(state, &d);
    OK(mst_stencil_run(solver, STEPS, NULL, NULL, &e));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got), &e));
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < N; i++) {
            double want = 0;
            for (int k = row; k < STEPS; k++) { // what was added in the step from t = k has gone STEPS - 1 - k steps
                const int gone = STEPS - 1 - k, away = abs(i - AT);
                if (away <= gone && (gone - away) % 2 == 0)
                    want += (row + 1) * ((k - row) * (k - row) + 1.0);
            }
            CHECK(got[row][i] == want, "row %d, column %d: %g, not %g", row, i, got[row][i], want);
        }
    mst_stencil_destroy(solver);
}

// ---- Refusals

static void refuse(void **state, const mst_stencil_source *source, const mst_stencil_receiver *receiver, const char *message) {
    const mst_stencil_field field = {.name = "u"};
    const mst_stencil_update update = {"u", "u", 0};
    const mst_stencil_boundary ends[4] = {{.kind = MST_BOUNDARY_NEUMANN}, {.value = "1"}};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil *solver;
    mst_error e;
    d.rank = 2;
    d.grid[0] = d.grid[1] = 8;
    d.boundaries = ends;
    d.fields = &field;
    d.updates = &update;
    d.n_fields = d.n_updates = 1;
    d.sources = source;
    d.n_sources = source != NULL;
    d.receivers = receiver;
    d.n_receivers = receiver != NULL;
    assert_int_equal(mst_stencil_create(*state, &d, &solver, &e), MST_ERROR_ARGUMENT);
    CHECK(strstr(e.message, message), "'%s' does not say '%s'", e.message, message);
}

static void test_refusals(void **state) {
    static const double low[] = {-0.75, 1}, high[] = {7.5, 1}, good[] = {-0.5, 1.5}, none[] = {1, NAN};
    static const size_t point[][MST_MAX_AXES] = {{1, 1}};
    static const mst_stencil_region all = {{0, 0}, {1, 1}, {8, 8}}, large = {{0, 1}, {1, 1}, {8, 8}},
                                    coarse = {{0, 0}, {1, 2}, {8, 4}}, empty = {{0, 0}, {1, 1}, {8, 0}};
    const double number[] = {1};
#define SOURCE(...) &(const mst_stencil_source){.field = "u", __VA_ARGS__}, NULL
#define RECEIVER(...) NULL, &(const mst_stencil_receiver){.field = "u", .n_points = 1, __VA_ARGS__}
    refuse(state, SOURCE(.series = "t", .position = low), "source 0 lies at -0.75 of axis 0, whose nodes are 0 to 7");
    refuse(state, SOURCE(.series = "t", .position = high), "source 0 lies at 7.5 of axis 0");
    refuse(state, SOURCE(.series = "t", .position = none), "source 0 lies at ");
    refuse(state, SOURCE(.series = "t", .position = good, .radius = 11), "a sinc of radius 11; 1 to 10");
    refuse(state, SOURCE(.series = "t", .position = good, .interpolation = (mst_stencil_interpolation)7), "interpolation 7");
    refuse(state, SOURCE(.series = "t", .position = good, .region = &all), "a position and a region");
    refuse(state, SOURCE(.series = "t", .position = good, .amplitude = "x"), "but no region");
    refuse(state, SOURCE(.series = "t", .region = &large), "has 8 nodes from 1 on along axis 1, which has 8");
    refuse(state, SOURCE(.series = "t", .region = &empty), "has 0 nodes");
    refuse(state, SOURCE(.series = "t", .region = &coarse), "step 2 along axis 1; only 1");
    refuse(state, SOURCE(.series = "t", .region = &all, .amplitude = "u"), "amplitude of source 0");
    refuse(state, SOURCE(.samples = number, .n_samples = 1, .region = &all, .delay = "x"), "samples, which take no delay");
    refuse(state, RECEIVER(.points = point, .positions = (const double(*)[MST_MAX_AXES])(const void *)good),
           "points and positions");
    refuse(state, RECEIVER(.points = NULL), "receiver 0 has no points");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_published_errors), cmocka_unit_test(test_reciprocity),
                                       cmocka_unit_test(test_shifted), cmocka_unit_test(test_plane_wave),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
