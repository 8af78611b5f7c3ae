// Searching, looking up and the database, on candidates that sleep instead of computing.
#include "support.h"

#include "runtime/context.h"
#include "tune/database.h"
#include "tune/defaults.h"

#include <glob.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// ---- a capability of two parameters, whose candidates say what was done to them

enum { MOST_BUILDS = 64, SLOW = 6000000, FAST = 300000, WRONG = 10000 }; // nanoseconds

typedef struct fake {
    int64_t built[MOST_BUILDS][2];
    int n_built, alive, prepared;
    int64_t fast, wrong, refused; // values of the first parameter; 0: none
    int64_t lucky;                // fast in the first runs, and slow after them
    int lucky_runs;
    bool asks; // whether to go on, in each run
} fake;

static mst_status prepare(void *user, uint64_t seed, mst_error *error) {
    (void)seed, (void)error;
    ((fake *)user)->prepared++;
    return MST_OK;
}

static void finish(void *user) { ((fake *)user)->prepared--; }

static mst_status build(void *user, const int64_t *values, void **candidate, mst_error *error) {
    fake *f = user;
    assert_true(f->n_built < MOST_BUILDS);
    memcpy(f->built[f->n_built++], values, 2 * sizeof *values);
    if (values[0] == f->refused)
        return mst_fail(error, MST_ERROR_BUILD, "refused");
    f->alive++;
    *candidate = malloc(sizeof *values);
    *(int64_t *)*candidate = values[0];
    return MST_OK;
}

static void discard(void *user, void *candidate) {
    ((fake *)user)->alive -= candidate != NULL;
    free(candidate);
}

static mst_status run(void *user, void *candidate, int times, const mst_execution *how, mst_error *error) {
    fake *f = user;
    if (f->asks && !how->progress(0, 1, how->progress_user))
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
    int64_t value = *(int64_t *)candidate;
    long each = value == f->wrong ? WRONG : value == f->fast ? FAST : SLOW;
    if (value == f->lucky)
        each = f->lucky_runs-- > 0 ? FAST : 2 * SLOW;
    (void)error;
    for (int k = 0; k < times; k++)
        nanosleep(&(struct timespec){0, each}, NULL);
    return MST_OK;
}

static mst_status check(void *user, void *candidate, bool *right, mst_error *error) {
    (void)error;
    *right = *(int64_t *)candidate != ((fake *)user)->wrong;
    return MST_OK;
}

static const mst_tune_work work = {prepare, finish, build, discard, run, check, NULL};

static mst_tune_problem problem_of(fake *f, const char *variant, uint64_t size) {
    mst_tune_problem p = {.capability = "test",
                          .size = size,
                          .kernel = 7,
                          .n_parameters = 2,
                          .parameters = {{"width", 4, {1, 2, 4, 8}, 2}, {"depth", 1, {3}, 3}},
                          .work = &work,
                          .user = f};
    snprintf(p.variant, sizeof p.variant, "%s", variant);
    return p;
}

static mst_tuning_source choose(mst_context *context, const mst_tune_problem *p, double seconds, int64_t *values) {
    mst_error e;
    test_told t = {.n = 0};
    mst_tuning how = MST_TUNING_INIT;
    how.report = test_note, how.user = &t;
    how.seconds = seconds;
    OK(mst_tuning_begin(context, &how, &e));
    OK(mst_tune_choose(context, p, false, values, &e));
    mst_tuning_end(context);
    assert_int_equal(t.n, 1);
    return t.result.source;
}

// As plans do that nobody asked to tune: no build.
static void expect_found(mst_context *context, fake *f, const char *variant, uint64_t size, uint64_t kernel, int64_t width) {
    mst_error e;
    int64_t values[2];
    mst_tune_problem p = problem_of(f, variant, size);
    p.kernel = kernel;
    int before = f->n_built;
    OK(mst_tune_choose(context, &p, false, values, &e));
    CHECK(values[0] == width && values[1] == 3, "%s %d: width %d, not %d", variant, (int)size, (int)values[0], (int)width);
    assert_int_equal(f->n_built, before);
}

// ---- searching

static void wrong_and_refused_candidates_lose(void **state) {
    fake f = {.fast = 4, .wrong = 8, .refused = 1};
    mst_tune_problem p = problem_of(&f, "wrong", 100);
    int64_t values[2];
    assert_int_equal(choose(*state, &p, 20, values), MST_TUNING_SEARCHED);
    assert_int_equal(f.n_built, 4);
    assert_int_equal(f.built[0][0], 2); // the safe one first
    assert_int_equal(values[0], 4);
    assert_int_equal(values[1], 3);
    assert_true(f.alive == 0 && f.prepared == 0);
}

// One that was fast while it was alone has to be so again in turns with what there was.
static void luck_does_not_replace_what_there_was(void **state) {
    fake f = {.lucky = 8, .lucky_runs = 20};
    mst_tune_problem p = problem_of(&f, "lucky", 100);
    int64_t values[2];
    assert_int_equal(choose(*state, &p, 20, values), MST_TUNING_SEARCHED);
    assert_true(f.lucky_runs < 0);
    assert_int_equal(values[0], 2);
    assert_int_equal(f.alive, 0);
}

// What was found beside what there is untuned: nothing but these is built, and nothing is kept.
static void comparing_searches_nothing(void **state) {
    fake f = {.fast = 4};
    mst_tune_problem p = problem_of(&f, "compared", 100);
    mst_error e;
    int64_t values[2];
    test_told t = {.n = 0};
    mst_tuning how = MST_TUNING_INIT;
    choose(*state, &p, 20, values);
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
    p = problem_of(&f, "never found", 100);
    OK(mst_tune_choose(*state, &p, false, values, &e));
    assert_int_equal(t.result.source, MST_TUNING_SAFE);
    mst_tuning_end(*state);
    expect_found(*state, &f, "never found", 100, 7, 2);
    assert_int_equal(f.alive, 0);
}

static void second_time_finds_without_searching(void **state) {
    fake f = {.fast = 8};
    mst_tune_problem p = problem_of(&f, "again", 100);
    int64_t values[2];
    choose(*state, &p, 20, values);
    f.n_built = 0;
    assert_int_equal(choose(*state, &p, 20, values), MST_TUNING_EXACT);
    mst_context *other = test_context_cached(); // which reads the file
    assert_int_equal(choose(other, &p, 20, values), MST_TUNING_EXACT);
    assert_int_equal(f.n_built, 0);
    assert_int_equal(values[0], 8);
    mst_context_destroy(other);
}

static void safe_values_have_to_work(void **state) {
    fake f = {.refused = 2};
    mst_tune_problem p = problem_of(&f, "refused", 100);
    mst_error e;
    int64_t values[2];
    mst_tuning how = MST_TUNING_INIT;
    OK(mst_tuning_begin(*state, &how, &e));
    REFUSED(MST_ERROR_BUILD, "refused", mst_tune_choose(*state, &p, false, values, &e));
    f.refused = 0, f.wrong = 2;
    REFUSED(MST_ERROR_OPENCL, "safe values", mst_tune_choose(*state, &p, false, values, &e));
    mst_tuning_end(*state);
    assert_true(f.alive == 0 && f.prepared == 0);
    expect_found(*state, &f, "refused", 100, 7, 2); // nothing was kept
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
    fake f = {.asks = true};
    mst_tune_problem p = problem_of(&f, "asks", 100);
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
    fake f = {.fast = 4};
    mst_tune_problem p = problem_of(&f, "cancelled", 100);
    mst_error e;
    int64_t values[2];
    mst_tuning how = MST_TUNING_INIT;
    how.progress = stop_after_two;
    OK(mst_tuning_begin(*state, &how, &e));
    REFUSED(MST_ERROR_CANCELLED, "interrupted", mst_tune_choose(*state, &p, false, values, &e));
    mst_tuning_end(*state);
    assert_int_equal(f.n_built, 2);
    assert_true(f.alive == 0 && f.prepared == 0);
    expect_found(*state, &f, "cancelled", 100, 7, 2);
}

// No cost model: the seed decides.
static void order_is_the_seeds(void **state) {
    int64_t first[MOST_BUILDS][2];
    bool differs = false;
    for (int seed = 0; seed < 6; seed++)
        for (int again = 0; again < 2; again++) {
            fake f = {.fast = 2};
            mst_tune_problem p = problem_of(&f, "seed", 100);
            mst_error e;
            mst_tune_found found;
            int64_t before[2] = {2, 3};
            mst_tuning how = MST_TUNING_INIT;
            how.seed = (uint64_t)seed;
            OK(mst_tune_search(&p, &how, before, &found, &e));
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
    fake f = {.fast = 2};
    mst_tune_problem p = problem_of(&f, "cost", 100);
    mst_error e;
    mst_tune_found found;
    int64_t before[2] = {1, 3};
    mst_tuning how = MST_TUNING_INIT;
    p.cost = prefers_eight;
    OK(mst_tune_search(&p, &how, before, &found, &e));
    assert_int_equal(f.n_built, 3);
    assert_int_equal(f.built[0][0], 2); // safe
    assert_int_equal(f.built[1][0], 1); // what there was
    assert_int_equal(f.built[2][0], 8);
    assert_int_equal(found.values[0], 2);
    f = (fake){.fast = 2};
    how.seconds = 0; // no time: what there was, and the reference
    OK(mst_tune_search(&p, &how, before, &found, &e));
    assert_int_equal(f.n_built, 2);
    (void)state;
}

// ---- looking up

static void nearest_size_then_safe_values(void **state) {
    fake f = {.fast = 4};
    int64_t values[2];
    mst_tune_problem small = problem_of(&f, "sizes", 1000), large = problem_of(&f, "sizes", 100000);
    choose(*state, &small, 20, values);
    f.fast = 8;
    choose(*state, &large, 20, values);
    f.n_built = 0;
    expect_found(*state, &f, "sizes", 1000, 7, 4);
    expect_found(*state, &f, "sizes", 3000, 7, 4);
    expect_found(*state, &f, "sizes", 30000, 7, 8);
    expect_found(*state, &f, "sizes", 1000, 99, 4); // other kernels
    expect_found(*state, &f, "other sizes", 1000, 7, 2);
    large.parameters[0].n = 3; // 8 is not legal here
    mst_error e;
    OK(mst_tune_choose(*state, &large, false, values, &e));
    assert_int_equal(values[0], 4);
    large.parameters[0] = (mst_tune_parameter){"breadth", 2, {1, 2}, 1}; // nor is another name
    OK(mst_tune_choose(*state, &large, false, values, &e));
    assert_int_equal(values[0], 1);
}

// What a plan had of another size is replaced by what beats it, and by nothing else.
static void search_starts_from_the_nearest_size(void **state) {
    fake f = {.fast = 8};
    int64_t values[2];
    mst_tune_problem small = problem_of(&f, "starts", 1000), large = problem_of(&f, "starts", 100000);
    choose(*state, &small, 20, values);
    f.n_built = 0;
    assert_int_equal(choose(*state, &large, 0, values), MST_TUNING_SEARCHED); // no time for candidates
    assert_int_equal(f.n_built, 2);
    assert_int_equal(f.built[1][0], 8);
    assert_int_equal(values[0], 8);
    expect_found(*state, &f, "starts", 100000, 7, 8);
    assert_int_equal(f.alive, 0);
}

static json_t *entry_of(fake *f, const char *variant, uint64_t size, int64_t width, const char *driver) {
    mst_tune_problem p = problem_of(f, variant, size);
    mst_tune_found found = {.values = {width, 3}, .seconds = 1, .safe_seconds = 2};
    return mst_tuning_entry(&p, &found, driver);
}

static void other_driver_is_flagged(void **state) {
    mst_context *context = *state;
    fake f = {.fast = 0};
    mst_error e;
    int64_t values[2];
    json_t *database = mst_tuning_new(&context->device), *entries = json_object_get(database, "entries");
    json_array_append_new(entries, entry_of(&f, "driver", 100, 8, "old"));
    OK(mst_tuning_store(context, database, false, &e));
    mst_context *fresh = test_context_cached();
    mst_tune_problem p = problem_of(&f, "driver", 100);
    test_told t = {.n = 0};
    expect_found(fresh, &f, "driver", 100, 7, 8);
    f.fast = 8; // a context that tunes searches again, and the new driver's result comes first
    assert_int_equal(choose(fresh, &p, 20, values), MST_TUNING_SEARCHED);
    OK(mst_tuning_list(fresh, test_note, &t, &e));
    assert_true(t.n >= 2);
    assert_int_equal(choose(fresh, &p, 20, values), MST_TUNING_EXACT);
    mst_context_destroy(fresh);
    json_decref(database);
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

// ---- the file

// A context of nothing but what the database needs: children may have one.
static mst_context bare_context(char *directory, const char *device) {
    mst_context context = {.cache_directory = directory};
    snprintf(context.device.name, sizeof context.device.name, "%s", device);
    return context;
}

static bool store_one(mst_context *context, const char *variant, uint64_t size) {
    fake f = {.fast = 0};
    json_t *database = mst_tuning_new(&context->device);
    json_array_append_new(json_object_get(database, "entries"), entry_of(&f, variant, size, 4, "driver"));
    bool good = mst_tuning_store(context, database, false, NULL) == MST_OK;
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
    fake f = {.fast = 0};
    mst_error e;
    char path[400];
    size_t count = 0;
    mst_device_info other = context->device;
    snprintf(other.name, sizeof other.name, "Another device \xff");
    json_t *database = mst_tuning_new(&other);
    json_array_append_new(json_object_get(database, "entries"), entry_of(&f, "imported", 100, 8, context->device.driver_version));
    snprintf(path, sizeof path, "%s/export.json", test_directory());
    OK(mst_tuning_write(path, database, &e));
    OK(mst_tuning_import(context, path, &count, &e));
    assert_int_equal(count, 1);
    expect_found(context, &f, "imported", 100, 7, 2);
    mst_context there = bare_context(context->cache_directory, "");
    there.device = other;
    assert_int_equal(count_entries(&there), 1);
    json_decref(database);

    database = mst_tuning_new(&context->device); // this one's own is taken
    json_array_append_new(json_object_get(database, "entries"), entry_of(&f, "imported", 100, 8, context->device.driver_version));
    OK(mst_tuning_write(path, database, &e));
    OK(mst_tuning_import(context, path, &count, &e));
    expect_found(context, &f, "imported", 100, 7, 8);
    json_decref(database);
    OK(mst_tuning_export(context, path, &e));
    OK(mst_tuning_reset(context, &e));
    expect_found(context, &f, "imported", 100, 7, 2);
    assert_int_equal(count_entries(&there), 1);
    OK(mst_tuning_import(context, path, NULL, &e));
    expect_found(context, &f, "imported", 100, 7, 8);
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
    fake f = {.fast = 8};
    int64_t values[2];
    mst_tune_problem p = problem_of(&f, "no cache", 100);
    choose(context, &p, 20, values);
    expect_found(context, &f, "no cache", 100, 7, 8);
    REFUSED(MST_ERROR_ARGUMENT, "no cache directory", mst_tuning_reset(context, &e));
    mst_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_and_refused_candidates_lose),
        cmocka_unit_test(luck_does_not_replace_what_there_was),
        cmocka_unit_test(comparing_searches_nothing),
        cmocka_unit_test(second_time_finds_without_searching),
        cmocka_unit_test(safe_values_have_to_work),
        cmocka_unit_test(search_can_be_cancelled),
        cmocka_unit_test(test_runs_can_be_cancelled),
        cmocka_unit_test(order_is_the_seeds),
        cmocka_unit_test(cost_model_orders_and_excludes),
        cmocka_unit_test(nearest_size_then_safe_values),
        cmocka_unit_test(search_starts_from_the_nearest_size),
        cmocka_unit_test(other_driver_is_flagged),
        cmocka_unit_test(defaults_are_good),
        cmocka_unit_test(processes_lose_no_entry),
        cmocka_unit_test(killed_writers_leave_a_valid_file),
        cmocka_unit_test(damaged_file_is_set_aside_once),
        cmocka_unit_test(imports_of_other_devices_are_kept_apart),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(without_a_cache),
    };
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
