// GPU-shaped kernels where tiles lie on the seam of a periodic axis, touch neither faces nor points or reach beyond faces, and
// where versions are needed further out than any input: the bits of the reference. Two of the six a run, since kernels of this
// kind compile for seconds; stencil_slow has them all.
// Long: kernels for GPUs of several steps, whose loops PoCL takes long to compile.
#include "support_stencil.h"

static void check(mst_context *context, size_t k, const char *problem) {
    if (test_turn(k, 3))
        test_scheme_check_ways(context, problem, false, true);
}

static void test_one_axis(void **state) { check(*state, 0, "seam 1-D"); }
static void test_two_axes(void **state) { check(*state, 1, "seam 2-D"); }
static void test_three_axes(void **state) { check(*state, 2, "seam 3-D"); }
static void test_outward(void **state) { check(*state, 3, "outward 3-D"); }
static void test_open_columns(void **state) { check(*state, 4, "open 2-D"); }
static void test_open_rows(void **state) { check(*state, 5, "open 3-D"); }

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_axis),     cmocka_unit_test(test_two_axes),
                                       cmocka_unit_test(test_three_axes),   cmocka_unit_test(test_outward),
                                       cmocka_unit_test(test_open_columns), cmocka_unit_test(test_open_rows)};
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
