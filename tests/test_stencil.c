// Every schedule, shape, fusing and block gives the bits of the reference. All problems and ways are in stencil_slow.
#include "support_stencil.h"

static void test_wave(void **state) { test_scheme_check_ways(*state, "wave 2-D", false, true); }
static void test_wide_reach(void **state) { test_scheme_check_ways(*state, "wide 2-D", true, false); }
static void test_yee(void **state) { test_scheme_check_ways(*state, "Yee 2-D", true, false); }
static void test_heat_3d(void **state) { test_scheme_check_ways(*state, "heat 3-D", true, false); }
static void test_advection(void **state) { test_scheme_check_ways(*state, "advection 1-D", true, true); }
static void test_large(void **state) { test_scheme_check_ways(*state, "large 2-D", false, true); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wave),    cmocka_unit_test(test_wide_reach), cmocka_unit_test(test_yee),
        cmocka_unit_test(test_heat_3d), cmocka_unit_test(test_advection),  cmocka_unit_test(test_large),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
