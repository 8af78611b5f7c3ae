// GPU-shaped kernels where tiles lie on the seam of a periodic axis, touch neither faces nor points or reach beyond faces, and
// where versions are needed further out than any input: the bits of the reference.
#include "support_stencil.h"

static void test_one_axis(void **state) { test_scheme_check_ways(*state, "seam 1-D", false, true); }
static void test_two_axes(void **state) { test_scheme_check_ways(*state, "seam 2-D", false, true); }
static void test_three_axes(void **state) { test_scheme_check_ways(*state, "seam 3-D", false, true); }
static void test_outward(void **state) { test_scheme_check_ways(*state, "outward 3-D", false, true); }
static void test_open_columns(void **state) { test_scheme_check_ways(*state, "open 2-D", false, true); }
static void test_open_rows(void **state) { test_scheme_check_ways(*state, "open 3-D", false, true); }

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_axis),     cmocka_unit_test(test_two_axes),
                                       cmocka_unit_test(test_three_axes),   cmocka_unit_test(test_outward),
                                       cmocka_unit_test(test_open_columns), cmocka_unit_test(test_open_rows)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
