// Which of the results that there are a plan takes.
#include "support_tune.h"

#include "tune/defaults.h"

static void nearest_size_then_safe_values(void **state) {
    test_fake f = {TEST_FAKE, .fast = 4};
    int64_t values[2];
    mst_tune_problem small = test_fake_problem(&f, "sizes", 1000), large = test_fake_problem(&f, "sizes", 100000);
    test_fake_choose(*state, &small, 20, values);
    f.fast = 8;
    test_fake_choose(*state, &large, 20, values);
    f.n_built = 0;
    test_fake_finds(*state, &f, "sizes", 1000, 7, 4);
    test_fake_finds(*state, &f, "sizes", 3000, 7, 4);
    test_fake_finds(*state, &f, "sizes", 30000, 7, 8);
    test_fake_finds(*state, &f, "sizes", 1000, 99, 4); // other kernels
    test_fake_finds(*state, &f, "other sizes", 1000, 7, 2);
    large.parameters[0].n = 3; // 8 is not legal here
    mst_error e;
    OK(mst_tune_choose(*state, &large, false, values, &e));
    assert_int_equal(values[0], 4);
    large.parameters[0] = (mst_tune_parameter){"breadth", 2, {1, 2}, 1}; // nor is another name
    OK(mst_tune_choose(*state, &large, false, values, &e));
    assert_int_equal(values[0], 1);
    mst_tune_problem far = test_fake_problem(&f, "sizes", 30000);
    for (far.most_times = 3; far.most_times <= 4; far.most_times++) { // 100000 is 3.33 times as much
        OK(mst_tune_choose(*state, &far, false, values, &e));
        assert_int_equal(values[0], far.most_times == 3 ? 2 : 8);
    }
}

// What a plan had of another size is replaced by what beats it, and by nothing else.
static void search_starts_from_the_nearest_size(void **state) {
    test_fake f = {TEST_FAKE, .fast = 8};
    int64_t values[2];
    mst_tune_problem small = test_fake_problem(&f, "starts", 1000), large = test_fake_problem(&f, "starts", 100000);
    test_fake_choose(*state, &small, 20, values);
    f.n_built = 0;
    assert_int_equal(test_fake_choose(*state, &large, 0, values), MST_TUNING_SEARCHED); // no time for candidates
    assert_int_equal(f.n_built, 2);
    assert_int_equal(f.built[1][0], 8);
    assert_int_equal(values[0], 8);
    test_fake_finds(*state, &f, "starts", 100000, 7, 8);
    assert_int_equal(f.alive, 0);
}

static void other_driver_is_flagged(void **state) {
    mst_context *context = *state;
    test_fake f = {TEST_FAKE};
    mst_error e;
    int64_t values[2];
    json_t *database = test_fake_database(&context->device, &f, "driver", 100, 8, "old");
    OK(mst_tuning_store(context, database, MST_TUNING_ADD, &e));
    mst_context *fresh = test_context_cached();
    mst_tune_problem p = test_fake_problem(&f, "driver", 100);
    test_told t = {.n = 0};
    test_fake_finds(fresh, &f, "driver", 100, 7, 8);
    f.fast = 8; // a context that tunes searches again, and the new driver's result comes first
    assert_int_equal(test_fake_choose(fresh, &p, 20, values), MST_TUNING_SEARCHED);
    OK(mst_tuning_list(fresh, test_note, &t, &e));
    assert_true(t.n >= 2);
    assert_int_equal(test_fake_choose(fresh, &p, 20, values), MST_TUNING_EXACT);
    mst_context_destroy(fresh);
    json_decref(database);
}

static mst_status make(mst_context *context, const mst_tune_problem *problem, int64_t bad, mst_status how, mst_tune_chain *chain,
                       int64_t *values) {
    mst_status status = mst_tune_choose(context, problem, false, values, &chain->why);
    assert_int_equal(status, MST_OK);
    return values[0] == bad || bad < 0 ? mst_fail(&chain->why, how, "does not work") : MST_OK;
}

static void count_warnings(mst_log_level level, const char *line, void *user) {
    *(int *)user += level == MST_LOG_WARNING && strstr(line, "does not work") != NULL;
}

// What was looked up and does not work is passed over, place by place; safe values that do not work are an error, and so is
// what values cannot be to blame for.
static void what_does_not_work_is_passed_over(void **state) {
    mst_context *own = *state;
    test_fake f = {TEST_FAKE};
    mst_error e;
    int64_t values[2];
    int warnings = 0;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.cache_directory = test_directory();
    desc.log = count_warnings, desc.log_user = &warnings;
    json_t *database = test_fake_database(&own->device, &f, "chain", 100, 8, own->device.driver_version);
    json_t *entries = json_object_get(database, "entries");
    json_array_append_new(entries, test_fake_entry(&f, "chain", 100, 4, "old"));
    json_array_append_new(entries, test_fake_entry(&f, "chain", 1000, 1, own->device.driver_version));
    OK(mst_tuning_store(own, database, MST_TUNING_ADD, &e));
    json_decref(database);
    mst_context *context = test_context(&desc);
    mst_tune_chain chain = {.used = 0};
    mst_tune_problem p = test_fake_problem(&f, "chain", 100);
    p.chain = &chain;
    static const int64_t order[] = {8, 4, 1, 2};
    memset(&e, 0x55, sizeof e);
    mst_error untouched = e;
    for (int k = 0; k < 4; k++) {
        mst_status status = make(context, &p, k < 3 ? order[k] : 0, MST_ERROR_BUILD, &chain, values);
        assert_int_equal(values[0], order[k]);
        assert_int_equal(mst_tune_goes_on(context, &chain, status, &e), k < 3);
    }
    assert_memory_equal(&e, &untouched, sizeof e);
    assert_int_equal(warnings, 2); // of another size, values need not work
    mst_tune_chain all = {.used = 0};
    p.chain = &all;
    for (int k = 0; k < 4; k++)
        assert_int_equal(mst_tune_goes_on(context, &all, make(context, &p, -1, MST_ERROR_BUILD, &all, values), &e), k < 3);
    assert_true(e.status == MST_ERROR_BUILD && strstr(e.message, "does not work"));
    mst_tune_chain memory = {.used = 0};
    p.chain = &memory;
    assert_false(mst_tune_goes_on(context, &memory, make(context, &p, -1, MST_ERROR_HOST_MEMORY, &memory, values), &e));
    assert_int_equal(e.status, MST_ERROR_HOST_MEMORY);
    mst_context_destroy(context);
}

// A context that tunes searches once where what it had found does not work.
static void what_does_not_work_is_searched_again(void **state) {
    test_fake f = {TEST_FAKE, .fast = 8};
    mst_error e;
    int64_t values[2];
    mst_tune_problem p = test_fake_problem(&f, "search again", 100);
    test_fake_choose(*state, &p, 20, values);
    assert_int_equal(values[0], 8);
    mst_tune_chain chain = {.used = 0};
    mst_tuning how = MST_TUNING_INIT;
    p.chain = &chain;
    f.refused = 8, f.fast = 4;
    OK(mst_tuning_begin(*state, &how, &e));
    assert_true(mst_tune_goes_on(*state, &chain, make(*state, &p, 8, MST_ERROR_BUILD, &chain, values), &e));
    assert_true(mst_tune_goes_on(*state, &chain, make(*state, &p, 4, MST_ERROR_BUILD, &chain, values), &e));
    assert_int_equal(values[0], 4); // which is said not to work either
    f.n_built = 0;
    assert_int_equal(make(*state, &p, 4, MST_ERROR_BUILD, &chain, values), MST_OK);
    assert_int_equal(values[0], 2);
    assert_int_equal(f.n_built, 0);
    mst_tuning_end(*state);
}

static void defaults_are_good(void **state) {
    (void)state;
    for (size_t i = 0; i < mst_n_tuning_defaults; i++) {
        json_error_t why;
        json_t *database = json_loads(mst_tuning_defaults[i].text, JSON_REJECT_DUPLICATES, &why);
        CHECK(database && mst_tuning_is_valid(database), "%s is not valid", mst_tuning_defaults[i].name);
        const json_t *entries = json_object_get(database, "entries");
        assert_true(json_array_size(entries) > 0);
        for (size_t k = 0; k < json_array_size(entries); k++) // something was searched
            assert_true(json_integer_value(json_object_get(json_array_get(entries, k), "tried")) > 1);
        json_decref(database);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_size_then_safe_values),
        cmocka_unit_test(search_starts_from_the_nearest_size),
        cmocka_unit_test(other_driver_is_flagged),
        cmocka_unit_test(what_does_not_work_is_passed_over),
        cmocka_unit_test(what_does_not_work_is_searched_again),
        cmocka_unit_test(defaults_are_good),
    };
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
