// Initial values and coefficient fields of a grid that is large enough for the device to make them: those of the formula, to the
// last bit or its neighbour, the same in every schedule, counted where they are NaN. (Small grids, by the interpreter:
// stencil_api.)
#include "stencil/solver.h"
#include "support_stencil.h"

#include <math.h>

enum { ROWS_OF_GRID = 2900, COLUMNS_OF_GRID = 2897, N = ROWS_OF_GRID * COLUMNS_OF_GRID };

static const mst_stencil_field fields[] = {
    {.name = "u",
     .levels = 2,
     .initial = {.expression = "sin(3 * x) * exp(-y) + sqrt(x - 0.01)"},
     .previous = {.expression = "x + y"}},
    {.name = "c", .coefficient = true, .initial = {.expression = "0.1 + 0.01 * cos(40 * x * y)"}},
    {.name = "w", .initial = {.expression = "0.25"}}};
static const mst_stencil_update updates[] = {{"u", "2 * u - u.prev + c * (u[0,1] + u[1,0] + u[0,-1] + u[-1,0] - 4 * u)", 0},
                                             {"w", "w + c", 1}};

static mst_stencil *make(mst_context *context, mst_stencil_schedule schedule) {
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil *s;
    mst_error e;
    d.rank = 2;
    d.grid[0] = ROWS_OF_GRID;
    d.grid[1] = COLUMNS_OF_GRID;
    d.spacing[0] = d.spacing[1] = 0.001;
    d.fields = fields;
    d.n_fields = 3;
    d.updates = updates;
    d.n_updates = 2;
    d.schedule = schedule;
    d.check_every = 100;
    OK(mst_stencil_create(context, &d, &s, &e));
    return s;
}

// The neighbours of a number in single precision are as good as the number.
static void check_value(const char *name, size_t i, float got, double expected) {
    const float nearest = (float)expected;
    CHECK((isnan(got) && isnan(nearest)) || got == nearest || got == nextafterf(nearest, INFINITY) ||
              got == nextafterf(nearest, -INFINITY),
          "%s at node %zu: %.9g, not %.9g", name, i, (double)got, expected);
}

static void check_values(mst_stencil *s, float *got, uint64_t *nans) {
    mst_error e;
    OK(mst_stencil_read(s, "u", 0, NULL, mst_at_host(got), &e));
    for (size_t i = 0; i < N; i++) {
        const double x = (double)(i % COLUMNS_OF_GRID) * 0.001, y = (double)(i / COLUMNS_OF_GRID) * 0.001;
        check_value("u", i, got[i], sin(3 * x) * exp(-y) + sqrt(x - 0.01));
        *nans += isnan(got[i]) != 0;
    }
    OK(mst_stencil_read(s, "w", 0, NULL, mst_at_host(got), &e));
    for (size_t i = 0; i < N; i++)
        check_value("w", i, got[i], 0.25);
    OK(mst_stencil_read(s, "u", 1, NULL, mst_at_host(got), &e));
    for (size_t i = 0; i < N; i++)
        check_value("u.prev", i, got[i], (double)(i % COLUMNS_OF_GRID) * 0.001 + (double)(i / COLUMNS_OF_GRID) * 0.001);
}

static void test_schedules(void **state) {
    float *got = malloc(N * sizeof *got), *other = malloc(N * sizeof *other);
    mst_stencil *sweeps = make(*state, MST_STENCIL_SWEEPS), *slabs = make(*state, MST_STENCIL_TRIVIAL);
    uint64_t nans = 0;
    mst_error e;
    assert_true(got && other);
    check_values(sweeps, got, &nans);
    assert_true(nans == 10 * ROWS_OF_GRID && sweeps->nonfinite[0] == nans && slabs->nonfinite[0] == nans);
    OK(mst_stencil_read(sweeps, "u", 0, NULL, mst_at_host(got), &e));
    OK(mst_stencil_read(slabs, "u", 0, NULL, mst_at_host(other), &e));
    assert_memory_equal(got, other, N * sizeof *got);
    mst_stencil_destroy(sweeps);
    mst_stencil_destroy(slabs);
    free(got);
    free(other);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_schedules)};
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
