// Fields that are stored as float16: the bits of the reference, which rounds by its own means, by every schedule and shape;
// conversions of all values and of ties between them; what takes half the memory; and what is refused.
#include "support_stencil.h"

#include "stencil/half.h"

#include <math.h>

static void test_some(void **state) {
    test_scheme_check_ways(*state, "float16 2-D", true, false);
    if (test_turn(0, 2))
        test_scheme_check_ways(*state, "float16 2-D", false, true);
}
static void test_all(void **state) {
    if (test_turn(1, 2))
        test_scheme_check_ways(*state, "float16 3-D", true, false);
    if (test_turn(0, 2))
        test_scheme_check_ways(*state, "float16 3-D", false, true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_some), cmocka_unit_test(test_all)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
