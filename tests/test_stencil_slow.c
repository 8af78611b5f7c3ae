// Every problem in every way.
#include "support_stencil.h"

static void test_all(void **state) {
    static const char *const names[] = {"heat 2-D",
                                        "wave 2-D",
                                        "Gray-Scott",
                                        "Yee 2-D",
                                        "wide 2-D",
                                        "heat 3-D",
                                        "large 2-D",
                                        "advection 1-D",
                                        "large 3-D",
                                        "seam 1-D",
                                        "seam and points 1-D",
                                        "seam 2-D",
                                        "seam 3-D",
                                        "seam and points 3-D",
                                        "outward 3-D",
                                        "open 2-D",
                                        "open 3-D",
                                        "mirrors 2-D",
                                        "mirrors 3-D",
                                        "far 2-D"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        test_scheme_check_ways(*state, names[k], true, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
