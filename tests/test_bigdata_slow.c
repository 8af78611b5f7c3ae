// A pair of 2 GiB files through 256 MiB of device memory, with less than 1 GiB of RAM; needs 8 GiB of disk.
#include "support.h"

static void pair_of_2_gib_files(void **state) {
    (void)state;
    test_bigdata((size_t)1 << 19, 1024, (uint64_t)256 << 20, (uint64_t)1 << 30);
}

int main(int argc, char **argv) {
    int result;
    if (test_bigdata_child(argc, argv, &result))
        return result;
    const struct CMUnitTest tests[] = {cmocka_unit_test(pair_of_2_gib_files)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
