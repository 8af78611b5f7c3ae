// A capability of two parameters, "width" and "depth", whose candidates move a clock of their own instead of computing, and say
// what was done to them.
#ifndef MST_TESTS_SUPPORT_TUNE_H
#define MST_TESTS_SUPPORT_TUNE_H

#include "support.h"

#include "runtime/context.h"
#include "tune/database.h"

enum { TEST_FAKE_BUILDS = 64 };

typedef struct test_fake {
    // Widths that are so; 0: none.
    int64_t fast, wrong, refused;
    int64_t lucky; // fast in the first runs, and slow after them
    int lucky_runs;
    bool asks;    // whether to go on, in each run
    int together; // builds after the first one wait for so many others to be under way
    int room;     // for so many candidates, no more; 0: any number
    // What was done.
    int64_t built[TEST_FAKE_BUILDS][2], ran[TEST_FAKE_BUILDS]; // each width once
    int n_built, n_ran, alive, prepared, building, most_building;
    bool disturbed; // a run was beside a build
    bool uncleared; // a candidate's first run came without `clear`
    bool is_clear;
    double clock;          // seconds
    pthread_mutex_t mutex; // of builds
    pthread_cond_t changed;
} test_fake;

#define TEST_FAKE .mutex = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER

// Widths 1, 2 (safe), 4, 8; depth 3; no model of costs.
mst_tune_problem test_fake_problem(test_fake *f, const char *variant, uint64_t size);

// On a context that tunes.
mst_tuning_source test_fake_choose(mst_context *context, const mst_tune_problem *p, double seconds, int64_t *values);

// As plans do that nobody asked to tune: that width, and no build.
void test_fake_finds(mst_context *context, test_fake *f, const char *variant, uint64_t size, uint64_t kernel, int64_t width);

// A result for it, and a database of a device with this result.
json_t *test_fake_entry(test_fake *f, const char *variant, uint64_t size, int64_t width, const char *driver);
json_t *test_fake_database(const mst_device_info *device, test_fake *f, const char *variant, uint64_t size, int64_t width,
                           const char *driver);

#endif
