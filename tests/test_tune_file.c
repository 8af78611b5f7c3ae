// The file of results: several processes, dying ones, damage, imports.
#include "support_tune.h"

#include <glob.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// A context of nothing but what the database needs: children may have one.
static mst_context bare_context(char *directory, const char *device) {
    mst_context context = {.cache_directory = directory};
    snprintf(context.device.name, sizeof context.device.name, "%s", device);
    return context;
}

static bool store_one(mst_context *context, const char *variant, uint64_t size) {
    test_fake f = {TEST_FAKE};
    json_t *database = test_fake_database(&context->device, &f, variant, size, 4, "driver");
    bool good = mst_tuning_store(context, database, MST_TUNING_ADD, NULL) == MST_OK;
    json_decref(database);
    return good;
}

static size_t count_entries(mst_context *context) {
    json_t *database = mst_tuning_load(context);
    size_t n = json_array_size(json_object_get(database, "entries"));
    json_decref(database);
    return n;
}

static void processes_lose_no_entry(void **state) {
    enum { CHILDREN = 4, ENTRIES = 20 };
    char directory[300];
    snprintf(directory, sizeof directory, "%s/together", test_directory());
    mst_context context = bare_context(directory, "shared");
    pid_t children[CHILDREN];
    (void)state;
    for (int c = 0; c < CHILDREN; c++)
        if ((children[c] = fork()) == 0) {
            bool good = true;
            char variant[20];
            snprintf(variant, sizeof variant, "child %d", c);
            for (uint64_t k = 0; k < ENTRIES && good; k++)
                good = store_one(&context, variant, k);
            _exit(good ? 0 : 1);
        }
    for (int c = 0; c < CHILDREN; c++) {
        int status;
        assert_true(children[c] > 0 && waitpid(children[c], &status, 0) == children[c] && status == 0);
    }
    assert_int_equal(count_entries(&context), CHILDREN * ENTRIES);
}

// Whenever a writer dies, the file is one that some writer wrote whole, and nobody is locked out.
static void killed_writers_leave_a_valid_file(void **state) {
    char directory[300], path[400];
    snprintf(directory, sizeof directory, "%s/killed", test_directory());
    mst_context context = bare_context(directory, "killed");
    size_t before = 0;
    (void)state;
    for (int k = 0; k < 25; k++) {
        pid_t child = fork();
        if (child == 0)
            for (uint64_t n = 0;; n++)
                store_one(&context, "killed", n % 500);
        nanosleep(&(struct timespec){0, (long)test_between(0, 8000000)}, NULL);
        assert_true(child > 0 && kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
        size_t now = count_entries(&context);
        assert_true(now >= before);
        before = now;
    }
    assert_true(store_one(&context, "last", 1));
    assert_int_equal(count_entries(&context), before + 1);
    glob_t found;
    snprintf(path, sizeof path, "%s/*.bad", directory);
    assert_int_equal(glob(path, 0, NULL, &found), GLOB_NOMATCH);
    snprintf(path, sizeof path, "%s/*", directory); // the file and its lock
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    assert_int_equal(found.gl_pathc, 2);
    globfree(&found);
}

static void count_warnings(mst_log_level level, const char *line, void *user) {
    (void)line;
    *(int *)user += level == MST_LOG_WARNING;
}

static void damaged_file_is_set_aside_once(void **state) {
    static const char *const texts[] = {
        "", "{", "[]", "{\"schema\": 2}", "\xff\xfe", "{\"schema\": 1, \"device\": {}, \"entries\": []}"};
    char directory[300], path[400];
    (void)state;
    snprintf(directory, sizeof directory, "%s/damaged", test_directory());
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        mst_context context = bare_context(directory, "damaged");
        int warnings = 0;
        glob_t found;
        context.log = count_warnings;
        context.log_user = &warnings;
        context.lead = &context;
        pthread_mutex_init(&context.log_mutex, NULL);
        assert_true(store_one(&context, "x", 1));
        snprintf(path, sizeof path, "%s/tuning-*.json", directory);
        assert_int_equal(glob(path, 0, NULL, &found), 0);
        assert_int_equal(found.gl_pathc, 1);
        FILE *file = fopen(found.gl_pathv[0], "w");
        assert_true(file && fputs(texts[k], file) >= 0 && fclose(file) == 0);
        globfree(&found);
        assert_int_equal(count_entries(&context), 0);
        assert_int_equal(count_entries(&context), 0);
        assert_int_equal(warnings, 1);
        snprintf(path, sizeof path, "%s/tuning-*.json.bad", directory);
        assert_int_equal(glob(path, 0, NULL, &found), 0);
        globfree(&found);
        assert_true(store_one(&context, "x", 1));
        assert_int_equal(count_entries(&context), 1);
        assert_int_equal(warnings, 1);
        pthread_mutex_destroy(&context.log_mutex);
        test_remove_tree(directory);
    }
}

static void imports_of_other_devices_are_kept_apart(void **state) {
    mst_context *context = *state;
    test_fake f = {TEST_FAKE};
    mst_error e;
    char path[400];
    size_t count = 0;
    mst_device_info other = context->device;
    snprintf(other.name, sizeof other.name, "Another device \xff");
    json_t *database = test_fake_database(&other, &f, "imported", 100, 8, context->device.driver_version);
    snprintf(path, sizeof path, "%s/export.json", test_directory());
    OK(mst_tuning_write(path, database, MST_TUNING_ADD, &e));
    OK(mst_tuning_import(context, path, &count, &e));
    assert_int_equal(count, 1);
    test_fake_finds(context, &f, "imported", 100, 7, 2);
    mst_context there = bare_context(context->cache_directory, "");
    there.device = other;
    assert_int_equal(count_entries(&there), 1);
    json_decref(database);

    // This one's own is taken.
    database = test_fake_database(&context->device, &f, "imported", 100, 8, context->device.driver_version);
    OK(mst_tuning_write(path, database, MST_TUNING_ADD, &e));
    OK(mst_tuning_import(context, path, &count, &e));
    test_fake_finds(context, &f, "imported", 100, 7, 8);
    json_decref(database);
    OK(mst_tuning_export(context, path, &e));
    OK(mst_tuning_reset(context, &e));
    test_fake_finds(context, &f, "imported", 100, 7, 2);
    assert_int_equal(count_entries(&there), 1);
    OK(mst_tuning_import(context, path, NULL, &e));
    test_fake_finds(context, &f, "imported", 100, 7, 8);
}

static json_t *dated(test_fake *f, int64_t width, const char *date) {
    json_t *entry = test_fake_entry(f, "dated", 100, width, "driver");
    json_object_set_new(entry, "date", json_string(date));
    return entry;
}

// The newer one stays, whichever comes first; what says that it is from the future is no newer than what comes now.
static void newer_results_stay(void **state) {
    mst_context *context = *state;
    test_fake f = {TEST_FAKE};
    static const struct {
        const char *first, *second;
        int64_t width;
    } cases[] = {{"2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z", 8},
                 {"2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", 4},
                 {"2999-01-01T00:00:00Z", NULL, 8},
                 {"2999-01-01T00:00:00Z", "2026-01-01T00:00:00Z", 4}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        json_t *database = mst_tuning_new(&context->device), *entries = json_object_get(database, "entries"),
               *news = json_array();
        json_array_append_new(entries, dated(&f, 4, cases[k].first));
        json_array_append_new(news,
                              cases[k].second ? dated(&f, 8, cases[k].second) : test_fake_entry(&f, "dated", 100, 8, "driver"));
        assert_true(mst_tuning_merge(database, news, !cases[k].second));
        assert_int_equal(json_array_size(entries), 1);
        mst_tuning_result r = mst_tuning_describe(json_array_get(entries, 0), "driver");
        CHECK(r.values[0].value == cases[k].width, "case %d: width %d", (int)k, (int)r.values[0].value);
        json_decref(news);
        json_decref(database);
    }
}

static void hostile_files_are_refused(void **state) {
    static const char *const texts[] = {
        "",
        "{}",
        "{\"schema\": 1, \"device\": {\"name\": \"a\", \"vendor\": \"b\", \"platform\": \"c\", \"kind\": \"d\"}, \"entries\": "
        "[]}",
        "{\"schema\": 1, \"device\": {\"name\": \"a\", \"vendor\": \"b\", \"platform\": \"c\", \"kind\": \"d\", "
        "\"compute_units\": 1}, "
        "\"entries\": [{\"capability\": \"map\"}]}",
        "{\"schema\": 1, \"device\": {\"name\": \"a\\u001b[2J\", \"vendor\": \"b\", \"platform\": \"c\", \"kind\": \"d\", "
        "\"compute_units\": 1}, \"entries\": []}",
        "{\"schema\": 1, \"device\": {\"name\": 1, \"vendor\": \"b\", \"platform\": \"c\", \"kind\": \"d\", \"compute_units\": "
        "1}, "
        "\"entries\": []}",
    };
    char path[400];
    mst_error e;
    snprintf(path, sizeof path, "%s/hostile.json", test_directory());
    for (size_t k = 0; k <= sizeof texts / sizeof texts[0]; k++) {
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        for (int depth = 0; depth < 100000 && k == sizeof texts / sizeof texts[0]; depth++)
            fputc('[', file);
        assert_true(fputs(k < sizeof texts / sizeof texts[0] ? texts[k] : "", file) >= 0 && fclose(file) == 0);
        REFUSED(MST_ERROR_FORMAT, "not a file of tuning results", mst_tuning_import(*state, path, NULL, &e));
    }
    REFUSED(MST_ERROR_IO, "No such file", mst_tuning_import(*state, "/nowhere/x.json", NULL, &e));
    REFUSED(MST_ERROR_IO, "cannot write", mst_tuning_export(*state, "/nowhere/x.json", &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_tuning_begin(*state, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_tuning_list(*state, NULL, NULL, &e));
    mst_tuning how = MST_TUNING_INIT;
    how.seconds = -1;
    REFUSED(MST_ERROR_ARGUMENT, "seconds", mst_tuning_begin(*state, &how, &e));
}

// Without a cache directory plans still work, and what they find lasts as long as the context.
static void without_a_cache(void **state) {
    mst_error e;
    (void)state;
    mst_context *context = test_context(NULL);
    test_fake f = {TEST_FAKE, .fast = 8};
    int64_t values[2];
    mst_tune_problem p = test_fake_problem(&f, "no cache", 100);
    test_fake_choose(context, &p, 20, values);
    test_fake_finds(context, &f, "no cache", 100, 7, 8);
    REFUSED(MST_ERROR_ARGUMENT, "no cache directory", mst_tuning_reset(context, &e));
    mst_context_destroy(context);
}

// What others could have written is not believed, and set aside by the next one who writes; no link is followed.
static void only_private_files_are_trusted(void **state) {
    char directory[300], path[400], victim[400];
    snprintf(directory, sizeof directory, "%s/private", test_directory());
    snprintf(victim, sizeof victim, "%s/victim", test_directory());
    mst_context context = bare_context(directory, "private");
    glob_t found;
    (void)state;
    assert_true(store_one(&context, "first", 1));
    snprintf(path, sizeof path, "%s/*.json", directory);
    assert_int_equal(glob(path, 0, NULL, &found), 0);
    assert_int_equal(chmod(found.gl_pathv[0], 0620), 0);
    assert_int_equal(count_entries(&context), 0);
    assert_int_equal(chmod(found.gl_pathv[0], 0600), 0);
    assert_int_equal(count_entries(&context), 1);
    assert_int_equal(chmod(found.gl_pathv[0], 0602), 0);
    assert_true(store_one(&context, "second", 1));
    assert_int_equal(count_entries(&context), 1);
    snprintf(path, sizeof path, "%s.bad", found.gl_pathv[0]);
    assert_int_equal(access(path, F_OK), 0);
    snprintf(path, sizeof path, "%s.lock", found.gl_pathv[0]);
    assert_true(unlink(path) == 0 && symlink(victim, path) == 0);
    assert_false(store_one(&context, "third", 1));
    assert_int_equal(access(victim, F_OK), -1);
    globfree(&found);
}

int main(void) {
    // Before a driver has threads, one of which may hold a lock of the allocator when a child begins, which then never goes on.
    const struct CMUnitTest forking[] = {
        cmocka_unit_test(processes_lose_no_entry),
        cmocka_unit_test(killed_writers_leave_a_valid_file),
        cmocka_unit_test(only_private_files_are_trusted),
    };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_file_is_set_aside_once),
        cmocka_unit_test(imports_of_other_devices_are_kept_apart),
        cmocka_unit_test(newer_results_stay),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(without_a_cache),
    };
    int failed = cmocka_run_group_tests(forking, NULL, NULL);
    return failed + cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
