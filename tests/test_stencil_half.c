// Fields that are stored as float16: the bits of the reference, which rounds by its own means, by every schedule and shape;
// conversions of all values and of ties between them, and their bits in and out; what takes half the memory; what is refused.
// Long: the schedules again, with fields of half the width.
#include "support_stencil.h"

#include "stencil/half.h"

#include <math.h>

// Beside the schedules of one kind of kernels, always, one of the three others.
static void test_some(void **state) {
    test_scheme_check_ways(*state, "float16 2-D", true, false);
    if (test_turn(0, 3))
        test_scheme_check_ways(*state, "float16 2-D", false, true);
}
static void test_all(void **state) {
    if (test_turn(1, 3))
        test_scheme_check_ways(*state, "float16 3-D", true, false);
    if (test_turn(2, 3))
        test_scheme_check_ways(*state, "float16 3-D", false, true);
}

// Every number of float16, the ties between neighbours, and what lies next to those on either side.
static float *all_cases(size_t *n) {
    float *values = malloc(65536 * 4 * sizeof *values);
    *n = 0;
    for (uint32_t bits = 0; bits < 65536; bits++) {
        const uint16_t here = (uint16_t)bits, next = (uint16_t)(bits + 1);
        float value, above;
        mst_floats_of_halves(&here, 1, &value);
        if ((bits & 0x7c00) == 0x7c00)
            continue;
        mst_floats_of_halves(&next, 1, &above);
        const float tie = (bits & 0x7fff) == 0x7bff ? copysignf(65520, value) : (value + above) / 2;
        values[(*n)++] = value;
        values[(*n)++] = tie;
        values[(*n)++] = nextafterf(tie, -INFINITY);
        values[(*n)++] = nextafterf(tie, INFINITY);
    }
    return values;
}

// What the bits of a number mean, by IEEE 754.
static double half_of_bits(uint16_t bits) {
    const int exponent = bits >> 10 & 31, digits = bits & 0x3ff;
    const double size = exponent == 31 ? INFINITY : exponent ? ldexp(1024 + digits, exponent - 25) : ldexp(digits, -24);
    return bits & 0x8000 ? -size : size;
}

static void test_host(void **state) {
    size_t n;
    float *values = all_cases(&n);
    uint16_t *halves = malloc(n * sizeof *halves);
    float *back = malloc(n * sizeof *back), special[] = {INFINITY, -INFINITY, NAN};
    (void)state;
    for (uint32_t bits = 0; bits < 0x7c00; bits++) {
        const uint16_t here = (uint16_t)bits;
        float value;
        mst_floats_of_halves(&here, 1, &value);
        assert_true((double)value == half_of_bits(here));
    }
    mst_halves_of_floats(values, n, halves);
    mst_floats_of_halves(halves, n, back);
    for (size_t i = 0; i < n; i++)
        CHECK((double)back[i] == test_half(values[i]) && !signbit(back[i]) == !signbit(values[i]), "%a becomes %a, not %a",
              (double)values[i], (double)back[i], test_half(values[i]));
    mst_halves_of_floats(special, 3, halves);
    mst_floats_of_halves(halves, 3, back);
    assert_true(back[0] == INFINITY && back[1] == -INFINITY && isnan(back[2]));
    free(values);
    free(halves);
    free(back);
}

// The same by kernels: a field of float16 takes the values of one of float32.
static void test_device(void **state) {
    static const mst_stencil_schedule schedules[] = {MST_STENCIL_SWEEPS, MST_STENCIL_IN_CORE};
    size_t n;
    float *values = all_cases(&n), *got = malloc(n * sizeof *got);
    const mst_stencil_field fields[] = {
        {.name = "h", .storage_bytes = 2},
        {.name = "f",
         .coefficient = true,
         .initial = {.layout = mst_layout_dense(MST_FLOAT32, 1, &n), .data = mst_at_host(values)}}};
    const mst_stencil_update update = {"h", "f", 0};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_error e;
    d.rank = 1;
    d.grid[0] = n;
    d.fields = fields;
    d.n_fields = 2;
    d.updates = &update;
    d.n_updates = 1;
    d.fuse = 1;
    d.shape = MST_STENCIL_SHAPE_CPU;
    for (size_t k = 0; k < 2; k++) {
        mst_stencil *solver;
        d.schedule = schedules[k];
        OK(mst_stencil_create(*state, &d, &solver, &e));
        OK(mst_stencil_run(solver, 1, NULL, NULL, &e));
        OK(mst_stencil_read(solver, "h", 0, NULL, mst_at_host(got), &e));
        for (size_t i = 0; i < n; i++)
            CHECK((double)got[i] == test_half(values[i]), "%a becomes %a, not %a", (double)values[i], (double)got[i],
                  test_half(values[i]));
        mst_stencil_destroy(solver);
    }
    free(values);
    free(got);
}

// All bits there are, given, read, written and read again, as float16 and as float32.
static void test_bits(void **state) {
    enum { N = 65536 };
    const size_t n = N;
    uint16_t *bits = malloc(N * sizeof *bits), *got = malloc(N * sizeof *got);
    float *values = malloc(N * sizeof *values);
    const int16_t whole[] = {-3, 0, 2049};
    const mst_stencil_region some = {.start = {5}, .count = {1000}, .step = {64}};
    const mst_stencil_field fields[] = {
        {.name = "h", .storage_bytes = 2, .initial = {.layout = mst_layout_dense(MST_FLOAT16, 1, &n), .data = mst_at_host(bits)}},
        {.name = "f", .initial = {.layout = mst_layout_dense(MST_FLOAT16, 1, &n), .data = mst_at_host(bits)}}};
    const mst_stencil_update updates[] = {{"h", "h", 0}, {"f", "f", 0}};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil *solver;
    mst_error e;
    for (uint32_t k = 0; k < N; k++) // of NaN one alone, which is quiet: what the others become is not promised
        bits[k] = (uint16_t)((k & 0x7fff) > 0x7c00 ? 0x7e00 : k);
    d.rank = 1;
    d.grid[0] = N;
    d.fields = fields;
    d.n_fields = 2;
    d.updates = updates;
    d.n_updates = 2;
    d.schedule = MST_STENCIL_SWEEPS;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    for (int round = 0; round < 2; round++) {
        OK(mst_stencil_read_as(solver, "h", 0, NULL, MST_FLOAT16, mst_at_host(got), &e));
        assert_memory_equal(got, bits, N * sizeof *bits);
        OK(mst_stencil_read(solver, "f", 0, NULL, mst_at_host(values), &e));
        for (size_t k = 0; k < N; k++)
            CHECK(isnan(values[k]) ? bits[k] == 0x7e00 : (double)values[k] == half_of_bits(bits[k]), "%#x is %a", bits[k],
                  (double)values[k]);
        for (size_t k = 0; k < N; k++)
            bits[k] = (uint16_t)(k % 3 ? bits[k] : 0x3c00 + k % 7);
        OK(mst_stencil_write_as(solver, "h", 0, MST_FLOAT16, mst_at_host(bits), &e));
        OK(mst_stencil_write_as(solver, "f", 0, MST_FLOAT16, mst_at_host(bits), &e));
    }
    OK(mst_stencil_read_as(solver, "h", 0, &some, MST_FLOAT16, mst_at_host(got), &e));
    for (size_t k = 0; k < 1000; k++)
        CHECK(got[k] == bits[5 + 64 * k], "%#x, not %#x", got[k], bits[5 + 64 * k]);
    REFUSED(MST_ERROR_ARGUMENT, "f is read as float16; it is stored as float32",
            mst_stencil_read_as(solver, "f", 0, NULL, MST_FLOAT16, mst_at_host(got), &e));
    REFUSED(MST_ERROR_ARGUMENT, "h is read as float64; it is stored as float16",
            mst_stencil_read_as(solver, "h", 0, NULL, MST_FLOAT64, mst_at_host(got), &e));
    REFUSED(MST_ERROR_ARGUMENT, "the values are complex64",
            mst_stencil_write_as(solver, "h", 0, MST_COMPLEX64, mst_at_host(got), &e));
    mst_stencil_destroy(solver);
    d.grid[0] = 3;
    const mst_stencil_field small = {.name = "h", .storage_bytes = 2};
    d.fields = &small;
    d.n_fields = d.n_updates = 1;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_write_as(solver, "h", 0, MST_INT16, mst_at_host(whole), &e));
    OK(mst_stencil_read(solver, "h", 0, NULL, mst_at_host(values), &e));
    assert_true(values[0] == -3 && values[1] == 0 && values[2] == 2048);
    mst_stencil_destroy(solver);
    free(bits);
    free(got);
    free(values);
}

static void test_refusals(void **state) {
    mst_stencil_field field = {.name = "u", .storage_bytes = 2, .initial = {.expression = "x < 3 ? 65519 : 65520"}};
    const mst_stencil_update update = {"u", "u", 0};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_stencil *solver;
    mst_error e;
    d.rank = 1;
    d.grid[0] = 1000;
    d.fields = &field;
    d.n_fields = 1;
    d.updates = &update;
    d.n_updates = 1;
    d.schedule = MST_STENCIL_SWEEPS;
    REFUSED(MST_ERROR_ARGUMENT, "u is 65520 at node number 3; float16", mst_stencil_create(*state, &d, &solver, &e));
    d.grid[0] = 3;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    OK(mst_stencil_describe(solver, 1, &plan, &e));
    assert_int_equal(plan.state_bytes, 3 * 2);
    const double far[] = {1, -1e39, INFINITY}, ends[] = {65504, -INFINITY, NAN};
    REFUSED(MST_ERROR_ARGUMENT, "-1e+39 at node number 1; float32",
            mst_stencil_write_as(solver, "u", 0, MST_FLOAT64, mst_at_host(far), &e));
    OK(mst_stencil_write_as(solver, "u", 0, MST_FLOAT64, mst_at_host(ends), &e));
    mst_stencil_destroy(solver);
    d.precision = MST_FLOAT64;
    REFUSED(MST_ERROR_ARGUMENT, "it must be float32", mst_stencil_create(*state, &d, &solver, &e));
    d.precision = MST_FLOAT32;
    field.storage_bytes = 1;
    REFUSED(MST_ERROR_ARGUMENT, "stored in 1 bytes; 0, 2 and 4", mst_stencil_create(*state, &d, &solver, &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_host), cmocka_unit_test(test_device),
                                       cmocka_unit_test(test_bits), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_some), cmocka_unit_test(test_all)};
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
