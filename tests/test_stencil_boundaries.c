// Boundaries by field, and all kinds of mirrors: the bits of the reference in every way. A run takes one shape of kernels in two
// dimensions, and in three one of them every fourth time; stencil_slow has them all.
#include "support_stencil.h"

static void check(mst_context *context, size_t k, size_t period, const char *problem, bool cpu) {
    if (test_turn(k, period))
        test_scheme_check_ways(context, problem, cpu, !cpu);
}

static void test_cpu_2d(void **state) { check(*state, 0, 2, "mirrors 2-D", true); }
static void test_cpu_3d(void **state) { check(*state, 0, 8, "mirrors 3-D", true); }
static void test_gpu_2d(void **state) { check(*state, 1, 2, "mirrors 2-D", false); }
static void test_gpu_3d(void **state) { check(*state, 5, 8, "mirrors 3-D", false); }

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cpu_2d), cmocka_unit_test(test_cpu_3d),
                                       cmocka_unit_test(test_gpu_2d), cmocka_unit_test(test_gpu_3d)};
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
