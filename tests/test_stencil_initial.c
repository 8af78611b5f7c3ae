// Initial values and coefficient fields of a grid that is large enough for the device to make them: those of the formula, to the
// last bit or its neighbour, the same in every schedule and in a brick, counted where they are NaN. (Small grids, by the
// interpreter: stencil_api.) Coefficients that are rows of a table, by integers of each type, and which integers are refused.
// Long: kernels for each kind of expression that a state may begin with.
#include "stencil/solver.h"
#include "support_stencil.h"

#include <math.h>
#include <string.h>

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

static mst_stencil *make(mst_context *context, mst_stencil_schedule schedule, mst_type precision,
                         const mst_stencil_brick *brick) {
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
    d.precision = precision;
    d.brick = brick;
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
    mst_stencil *sweeps = make(*state, MST_STENCIL_SWEEPS, MST_FLOAT32, NULL),
                *slabs = make(*state, MST_STENCIL_TRIVIAL, MST_FLOAT32, NULL);
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

// A brick of the grid, which alone is not large, has the bits of the whole.
static void test_brick(void **state) {
    enum { FIRST = 1400, OWN = COLUMNS_OF_GRID - FIRST };
    double *got = malloc((size_t)ROWS_OF_GRID * OWN * sizeof *got), *whole = malloc(N * sizeof *whole);
    mst_stencil_brick brick = MST_STENCIL_BRICK_INIT;
    mst_stencil *one = make(*state, MST_STENCIL_SWEEPS, MST_FLOAT64, NULL);
    mst_error e;
    brick.first[1] = FIRST;
    brick.count[0] = ROWS_OF_GRID;
    brick.count[1] = OWN;
    brick.steps = 1;
    mst_stencil *part = make(*state, MST_STENCIL_SWEEPS, MST_FLOAT64, &brick);
    assert_true(got && whole);
    OK(mst_stencil_read(one, "u", 0, NULL, mst_at_host(whole), &e));
    OK(mst_stencil_read(part, "u", 0, NULL, mst_at_host(got), &e));
    for (size_t i = 0; i < ROWS_OF_GRID; i++)
        CHECK(memcmp(got + i * OWN, whole + i * COLUMNS_OF_GRID + FIRST, OWN * sizeof *got) == 0, "row %zu has other bits", i);
    mst_stencil_destroy(one);
    mst_stencil_destroy(part);
    free(got);
    free(whole);
}

// ---- Rows of a table by integers of each type

enum { SMALL = 24 };

static mst_stencil_field table_field(const void *numbers, mst_type type, const double *table, size_t n) {
    mst_stencil_field f = {.name = "c", .coefficient = true, .table = table, .n_table = n};
    f.initial.layout = mst_layout_dense(type, 2, (size_t[]){4, 6});
    f.initial.data = mst_at_host(numbers);
    return f;
}

static mst_status create_with(mst_context *context, const mst_stencil_field *c, mst_stencil **s, mst_error *e) {
    const mst_stencil_field both[] = {{.name = "u"}, *c};
    const mst_stencil_update update = {"u", "u + c", 0};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 2;
    d.grid[0] = 4;
    d.grid[1] = 6;
    d.fields = both;
    d.n_fields = 2;
    d.updates = &update;
    d.n_updates = 1;
    d.schedule = MST_STENCIL_SWEEPS;
    return mst_stencil_create(context, &d, s, e);
}

static void put_number(mst_type type, void *numbers, size_t i, unsigned k) {
    const size_t bytes = mst_type_bytes(type);
    const uint64_t wide = k;
    memcpy((char *)numbers + i * bytes, &wide, bytes); // little-endian, as OpenCL devices here are
}

static void test_rows(void **state) {
    static const double table[] = {1500, NAN, -0.25, 7};
    static const unsigned rows[] = {0, 2, 3};
    static const mst_type types[] = {MST_INT8, MST_UINT8, MST_INT16, MST_UINT16, MST_INT32, MST_UINT32, MST_INT64, MST_UINT64};
    uint64_t numbers[SMALL];
    float got[SMALL];
    mst_stencil *s;
    mst_error e;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        const mst_stencil_field c = table_field(numbers, types[t], table, 4);
        for (size_t i = 0; i < SMALL; i++)
            put_number(types[t], numbers, i, rows[i % 3]);
        OK(create_with(*state, &c, &s, &e));
        OK(mst_stencil_read(s, "c", 0, NULL, mst_at_host(got), &e));
        for (size_t i = 0; i < SMALL; i++)
            CHECK((double)got[i] == table[rows[i % 3]], "%s: %g at node %zu", mst_type_name(types[t]), (double)got[i], i);
        mst_stencil_destroy(s);
        for (unsigned bad = 1; bad <= 4; bad += 3) { // one that is none, and one behind the last
            put_number(types[t], numbers, 17, bad);
            REFUSED(MST_ERROR_ARGUMENT, "at node number 17, and the table has no such row", create_with(*state, &c, &s, &e));
        }
    }
    mst_stencil_field c = table_field(numbers, MST_FLOAT32, table, 4);
    REFUSED(MST_ERROR_ARGUMENT, "is float32; the rows of a table are given as integers", create_with(*state, &c, &s, &e));
    c.initial.layout.rank = 0;
    REFUSED(MST_ERROR_ARGUMENT, "a coefficient field whose data are its rows", create_with(*state, &c, &s, &e));
    memset(numbers, 0xff, sizeof numbers);
    c = table_field(numbers, MST_INT8, table, 4);
    REFUSED(MST_ERROR_ARGUMENT, "is row -1 of its table at node number 0", create_with(*state, &c, &s, &e));
    c.n_table = 0; // integers as they are
    OK(create_with(*state, &c, &s, &e));
    OK(mst_stencil_read(s, "c", 0, NULL, mst_at_host(got), &e));
    CHECK(got[0] == -1 && got[SMALL - 1] == -1, "int8 without a table: %g", (double)got[0]);
    mst_stencil_destroy(s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_schedules), cmocka_unit_test(test_brick),
                                       cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
