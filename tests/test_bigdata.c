// A pair of 64 MiB files through 8 MiB of device memory.
#include "support.h"

static void pair_of_files(void **state) {
    (void)state;
    test_bigdata(16384, 1024, (uint64_t)8 << 20, (uint64_t)256 << 20);
}

int main(int argc, char **argv) {
    int result;
    if (test_bigdata_child(argc, argv, &result))
        return result;
    const struct CMUnitTest tests[] = {cmocka_unit_test(pair_of_files)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
