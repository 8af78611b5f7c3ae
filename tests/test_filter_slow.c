// Filters of every size with every edge rule.
#include "support_filter.h"

static void every_size(void **state) {
    static const mst_type types[] = {MST_UINT8, MST_UINT16, MST_FLOAT32};
    static const size_t sizes[][2] = {{1, 1}, {1, 7}, {7, 1}, {2, 1}, {3, 2}, {16, 16}, {31, 18}, {41, 37}, {15, 128}, {50, 9}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int edges = 0; edges < 3; edges++) {
            size_t shape[] = {sizes[i][0], sizes[i][1], 1};
            mst_filter_desc d = test_filter_desc(types[test_between(0, 2)], 3, shape);
            d.kind = (mst_filter_kind)test_between(MST_FILTER_HIGH_PASS, MST_FILTER_BAND_STOP);
            d.rolloff = (mst_filter_rolloff)test_between(0, 2);
            d.edges = (mst_filter_edges)edges;
            d.output_as = test_between(0, 1) ? MST_FILTER_RAW : MST_FILTER_STRETCH;
            test_filter_check(*state, &d, MST_PLACE_HOST, MST_PLACE_HOST);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_size)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
