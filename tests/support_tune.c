#include "support_tune.h"

#include <time.h>

static const double slow = 6e-3, fast = 3e-4, wrong = 1e-5;

static mst_status prepare(void *user, uint64_t seed, mst_error *error) {
    (void)seed, (void)error;
    ((test_fake *)user)->prepared++;
    return MST_OK;
}

static void finish(void *user) { ((test_fake *)user)->prepared--; }

// Under the mutex: until there were enough at once, or so long that there will not be.
static void wait_for_others(test_fake *f) {
    struct timespec end;
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 20;
    while (f->n_built > 1 && f->most_building < f->together)
        if (pthread_cond_timedwait(&f->changed, &f->mutex, &end) != 0)
            break;
}

static mst_status build(void *user, const int64_t *values, void **candidate, mst_error *error) {
    test_fake *f = user;
    mst_status status = MST_OK;
    pthread_mutex_lock(&f->mutex);
    if (f->n_built < TEST_FAKE_BUILDS)
        memcpy(f->built[f->n_built++], values, 2 * sizeof *values);
    f->building++;
    f->most_building = f->building > f->most_building ? f->building : f->most_building;
    pthread_cond_broadcast(&f->changed);
    wait_for_others(f);
    if (values[0] == f->refused)
        status = mst_fail(error, MST_ERROR_BUILD, "refused");
    else if (f->room > 0 && f->alive >= f->room)
        status = mst_fail(error, MST_ERROR_DEVICE_MEMORY, "no room");
    else {
        f->alive++;
        *candidate = malloc(sizeof *values);
        *(int64_t *)*candidate = values[0];
    }
    f->building--;
    pthread_mutex_unlock(&f->mutex);
    return status;
}

static mst_status clear(void *user, mst_error *error) {
    (void)error;
    ((test_fake *)user)->is_clear = true;
    return MST_OK;
}

static void discard(void *user, void *candidate) {
    ((test_fake *)user)->alive -= candidate != NULL;
    free(candidate);
}

static void note_run(test_fake *f, int64_t value) {
    for (int k = 0; k < f->n_ran; k++)
        if (f->ran[k] == value)
            return;
    f->ran[f->n_ran++] = value;
    f->uncleared = f->uncleared || !f->is_clear;
    f->is_clear = false;
}

static mst_status run(void *user, void *candidate, int times, const mst_execution *how, mst_error *error) {
    test_fake *f = user;
    int64_t value = *(int64_t *)candidate;
    if (f->asks && !how->progress(0, 1, how->progress_user))
        return mst_fail(error, MST_ERROR_CANCELLED, "cancelled");
    note_run(f, value);
    f->disturbed = f->disturbed || f->building > 0;
    double each = value == f->wrong ? wrong : value == f->fast ? fast : slow;
    if (value == f->lucky)
        each = f->lucky_runs-- > 0 ? fast : 2 * slow;
    f->clock += each * times;
    return MST_OK;
}

static double clock_of(void *user) { return ((test_fake *)user)->clock; }

static mst_status check(void *user, void *candidate, bool *right, mst_error *error) {
    (void)error;
    *right = *(int64_t *)candidate != ((test_fake *)user)->wrong;
    return MST_OK;
}

static const mst_tune_work work = {prepare, finish, build, clear, discard, run, check, NULL, clock_of};

mst_tune_problem test_fake_problem(test_fake *f, const char *variant, uint64_t size) {
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

mst_tuning_source test_fake_choose(mst_context *context, const mst_tune_problem *p, double seconds, int64_t *values) {
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

void test_fake_finds(mst_context *context, test_fake *f, const char *variant, uint64_t size, uint64_t kernel, int64_t width) {
    mst_error e;
    int64_t values[2];
    mst_tune_problem p = test_fake_problem(f, variant, size);
    p.kernel = kernel;
    int before = f->n_built;
    OK(mst_tune_choose(context, &p, false, values, &e));
    CHECK(values[0] == width && values[1] == 3, "%s %d: width %d, not %d", variant, (int)size, (int)values[0], (int)width);
    assert_int_equal(f->n_built, before);
}

json_t *test_fake_entry(test_fake *f, const char *variant, uint64_t size, int64_t width, const char *driver) {
    mst_tune_problem p = test_fake_problem(f, variant, size);
    mst_tune_found found = {.values = {width, 3}, .seconds = 1, .safe_seconds = 2};
    return mst_tuning_entry(&p, &found, driver);
}

json_t *test_fake_database(const mst_device_info *device, test_fake *f, const char *variant, uint64_t size, int64_t width,
                           const char *driver) {
    json_t *database = mst_tuning_new(device);
    json_array_append_new(json_object_get(database, "entries"), test_fake_entry(f, variant, size, width, driver));
    return database;
}
