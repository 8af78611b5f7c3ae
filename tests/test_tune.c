// Searching, on candidates that move a clock instead of computing.
#include "support_tune.h"

#include <math.h>

static void wrong_and_refused_candidates_lose(void **state) {
    test_fake f = {TEST_FAKE, .fast = 4, .wrong = 8, .refused = 1};
    mst_tune_problem p = test_fake_problem(&f, "wrong", 100);
    int64_t values[2];
    assert_int_equal(test_fake_choose(*state, &p, 20, values), MST_TUNING_SEARCHED);
    assert_int_equal(f.n_built, 4);
    assert_int_equal(f.built[0][0], 2); // the safe one first
    assert_int_equal(values[0], 4);
    assert_int_equal(values[1], 3);
    assert_true(f.alive == 0 && f.prepared == 0);
}

// One that was fast while it was alone has to be so again in turns with what there was.
static void luck_does_not_replace_what_there_was(void **state) {
    test_fake f = {TEST_FAKE, .lucky = 8, .lucky_runs = 20};
    mst_tune_problem p = test_fake_problem(&f, "lucky", 100);
    int64_t values[2];
    assert_int_equal(test_fake_choose(*state, &p, 20, values), MST_TUNING_SEARCHED);
    assert_true(f.lucky_runs < 0);
    assert_int_equal(values[0], 2);
    assert_int_equal(f.alive, 0);
}

// What was found beside what there is untuned: nothing but these is built, and nothing is kept.
static void comparing_searches_nothing(void **state) {
    test_fake f = {TEST_FAKE, .fast = 4};
    mst_tune_problem p = test_fake_problem(&f, "compared", 100);
    mst_error e;
    int64_t values[2];
    test_told t = {.n = 0};
    mst_tuning how = MST_TUNING_INIT;
    test_fake_choose(*state, &p, 20, values);
    f.n_built = 0;
    how.report = test_note, how.user = &t;
    how.compare = true, how.seconds = 0.1;
    OK(mst_tuning_begin(*state, &how, &e));
    OK(mst_tune_choose(*state, &p, false, values, &e));
    assert_int_equal(f.n_built, 2);
    assert_true(f.alive == 0 && f.prepared == 0 && values[0] == 4);
    assert_int_equal(t.result.source, MST_TUNING_EXACT);
    assert_true(t.result.seconds > 0 && t.result.before_seconds > t.result.seconds);
    assert_true(t.result.safe_seconds == t.result.before_seconds); // nothing is shipped for it
    f.wrong = 4;
    REFUSED(MST_ERROR_UNSUPPORTED, "that were found", mst_tune_choose(*state, &p, false, values, &e));
    f.wrong = 0;
    int64_t untuned[] = {8, 3};
    mst_tune_found found;
    f.refused = 8;
    REFUSED(MST_ERROR_UNSUPPORTED, "untuned", mst_tune_compare(&p, &how, untuned, values, &found, &e));
    f.refused = 0;
    p = test_fake_problem(&f, "never found", 100);
    OK(mst_tune_choose(*state, &p, false, values, &e));
    assert_int_equal(t.result.source, MST_TUNING_SAFE);
    mst_tuning_end(*state);
    test_fake_finds(*state, &f, "never found", 100, 7, 2);
    assert_int_equal(f.alive, 0);
}

static void second_time_finds_without_searching(void **state) {
    test_fake f = {TEST_FAKE, .fast = 8};
    mst_tune_problem p = test_fake_problem(&f, "again", 100);
    int64_t values[2];
    test_fake_choose(*state, &p, 20, values);
    f.n_built = 0;
    assert_int_equal(test_fake_choose(*state, &p, 20, values), MST_TUNING_EXACT);
    mst_context *other = test_context_cached(); // which reads the file
    assert_int_equal(test_fake_choose(other, &p, 20, values), MST_TUNING_EXACT);
    assert_int_equal(f.n_built, 0);
    assert_int_equal(values[0], 8);
    mst_context_destroy(other);
}

static void safe_values_have_to_work(void **state) {
    test_fake f = {TEST_FAKE, .refused = 2};
    mst_tune_problem p = test_fake_problem(&f, "refused", 100);
    mst_error e;
    int64_t values[2];
    mst_tuning how = MST_TUNING_INIT;
    OK(mst_tuning_begin(*state, &how, &e));
    REFUSED(MST_ERROR_BUILD, "refused", mst_tune_choose(*state, &p, false, values, &e));
    f.refused = 0, f.wrong = 2;
    REFUSED(MST_ERROR_OPENCL, "safe values", mst_tune_choose(*state, &p, false, values, &e));
    mst_tuning_end(*state);
    assert_true(f.alive == 0 && f.prepared == 0);
    test_fake_finds(*state, &f, "refused", 100, 7, 2); // nothing was kept
}

static bool stop_after_two(uint64_t done, uint64_t total, void *user) {
    (void)total, (void)user;
    return done < 2;
}

static bool stop_at_the_fourth_question(uint64_t done, uint64_t total, void *user) {
    (void)done, (void)total;
    return ++*(int *)user < 4;
}

static void test_runs_can_be_cancelled(void **state) {
    test_fake f = {TEST_FAKE, .asks = true};
    mst_tune_problem p = test_fake_problem(&f, "asks", 100);
    mst_error e;
    int64_t values[2];
    int questions = 0;
    mst_tuning how = MST_TUNING_INIT;
    how.progress = stop_at_the_fourth_question, how.user = &questions;
    OK(mst_tuning_begin(*state, &how, &e));
    REFUSED(MST_ERROR_CANCELLED, "cancelled", mst_tune_choose(*state, &p, false, values, &e));
    mst_tuning_end(*state);
    assert_true(f.n_built == 1 && f.alive == 0 && f.prepared == 0);
}

static void search_can_be_cancelled(void **state) {
    test_fake f = {TEST_FAKE, .fast = 4};
    mst_tune_problem p = test_fake_problem(&f, "cancelled", 100);
    mst_error e;
    int64_t values[2];
    mst_tuning how = MST_TUNING_INIT;
    how.progress = stop_after_two, how.threads = 1;
    OK(mst_tuning_begin(*state, &how, &e));
    REFUSED(MST_ERROR_CANCELLED, "interrupted", mst_tune_choose(*state, &p, false, values, &e));
    mst_tuning_end(*state);
    assert_int_equal(f.n_built, 2);
    assert_true(f.alive == 0 && f.prepared == 0);
    test_fake_finds(*state, &f, "cancelled", 100, 7, 2);
}

static mst_tune_found search(const mst_tune_problem *p, int64_t width_before, const mst_tuning *how) {
    const int64_t before[2] = {width_before, 3};
    mst_tune_found found;
    mst_error e;
    OK(mst_tune_search(p, how, before, before, &found, &e));
    return found;
}

// No cost model: the seed decides.
static void order_is_the_seeds(void **state) {
    int64_t first[TEST_FAKE_BUILDS][2];
    bool differs = false;
    for (int seed = 0; seed < 6; seed++)
        for (int again = 0; again < 2; again++) {
            test_fake f = {TEST_FAKE, .fast = 2};
            mst_tune_problem p = test_fake_problem(&f, "seed", 100);
            mst_tuning how = MST_TUNING_INIT;
            how.seed = (uint64_t)seed;
            search(&p, 2, &how);
            assert_int_equal(f.n_built, 4);
            if (again)
                assert_memory_equal(f.built, first, sizeof first[0] * 4);
            differs = differs || (seed > 0 && memcmp(f.built, first, sizeof first[0] * 4) != 0);
            memcpy(first, f.built, sizeof first[0] * 4);
        }
    assert_true(differs);
    (void)state;
}

static double prefers_eight(const void *user, const int64_t *values) {
    (void)user;
    return values[0] == 4 ? INFINITY : values[0] == 8 ? 1 : 2;
}

static void cost_model_orders_and_excludes(void **state) {
    test_fake f = {TEST_FAKE, .fast = 2};
    mst_tune_problem p = test_fake_problem(&f, "cost", 100);
    mst_tuning how = MST_TUNING_INIT;
    p.cost = prefers_eight;
    mst_tune_found found = search(&p, 1, &how);
    assert_int_equal(f.n_built, 3);
    assert_int_equal(f.built[0][0], 2); // safe
    assert_int_equal(f.built[1][0], 1); // what there was
    assert_int_equal(f.built[2][0], 8);
    assert_int_equal(found.values[0], 2);
    f = (test_fake){TEST_FAKE, .fast = 2};
    how.seconds = 0; // no time: what there was, and the reference
    search(&p, 1, &how);
    assert_int_equal(f.n_built, 2);
    (void)state;
}

// Several are built at once, nothing runs meanwhile, and the order is the one without threads; where room is for no more than
// three, all are tried none the less.
static void candidates_are_built_at_once(void **state) {
    int64_t order[TEST_FAKE_BUILDS] = {0};
    for (unsigned threads = 1; threads <= 3; threads += 2)
        for (int room = 0; room <= 3; room += 3) {
            test_fake f = {TEST_FAKE, .fast = 8, .together = (int)threads, .room = room};
            mst_tune_problem p = test_fake_problem(&f, "at once", 100);
            mst_tuning how = MST_TUNING_INIT;
            how.threads = threads;
            assert_int_equal(search(&p, 2, &how).tried, 4);
            assert_int_equal(f.most_building, threads);
            assert_int_equal(f.n_ran, 4);
            assert_true(!f.disturbed && !f.uncleared && f.alive == 0 && f.prepared == 0 && f.building == 0);
            if (room == 0) {
                CHECK(threads == 1 || memcmp(f.ran, order, sizeof order) == 0, "%u threads: another order", threads);
                memcpy(order, f.ran, sizeof order);
            }
        }
    (void)state;
}

// What was built and not tried goes too.
static void cancelling_discards_what_waits(void **state) {
    test_fake f = {TEST_FAKE, .together = 3};
    mst_tune_problem p = test_fake_problem(&f, "waiting", 100);
    mst_error e;
    mst_tune_found found;
    int64_t before[2] = {2, 3};
    mst_tuning how = MST_TUNING_INIT;
    how.threads = 3;
    how.progress = stop_after_two;
    REFUSED(MST_ERROR_CANCELLED, "interrupted", mst_tune_search(&p, &how, before, before, &found, &e));
    assert_true(f.n_built == 4 && f.n_ran == 2 && f.alive == 0 && f.prepared == 0);
    (void)state;
}

// What is shipped is tried, and beats what was found for another size, however little time there is.
static void untuned_values_are_tried(void **state) {
    test_fake f = {TEST_FAKE, .fast = 8};
    mst_tune_problem p = test_fake_problem(&f, "untuned", 100);
    mst_error e;
    mst_tune_found found;
    int64_t before[2] = {4, 3}, untuned[2] = {8, 3};
    mst_tuning how = MST_TUNING_INIT;
    how.seconds = 0;
    OK(mst_tune_search(&p, &how, before, untuned, &found, &e));
    assert_true(f.n_built == 3 && found.tried == 3 && found.candidates == 4 && f.alive == 0);
    assert_int_equal(found.values[0], 8);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_and_refused_candidates_lose), cmocka_unit_test(luck_does_not_replace_what_there_was),
        cmocka_unit_test(comparing_searches_nothing),        cmocka_unit_test(second_time_finds_without_searching),
        cmocka_unit_test(safe_values_have_to_work),          cmocka_unit_test(test_runs_can_be_cancelled),
        cmocka_unit_test(search_can_be_cancelled),           cmocka_unit_test(order_is_the_seeds),
        cmocka_unit_test(cost_model_orders_and_excludes),    cmocka_unit_test(untuned_values_are_tried),
        cmocka_unit_test(candidates_are_built_at_once),      cmocka_unit_test(cancelling_discards_what_waits),
    };
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
