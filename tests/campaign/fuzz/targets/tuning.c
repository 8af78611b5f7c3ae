// Files of tuning results: one that is accepted can be searched, described and merged, and is the same when it was written and
// read again.
#include "fuzz.h"

#include "tune/database.h"

#include <stdlib.h>
#include <string.h>

enum { FLAGS = JSON_INDENT(2) | JSON_REAL_PRECISION(6) }; // of mst_tuning_write

static void write_and_read(const json_t *database) {
    char *first = json_dumps(database, FLAGS);
    json_t *again = first ? json_loads(first, JSON_REJECT_DUPLICATES, NULL) : NULL;
    FUZZ_CHECK(again && mst_tuning_is_valid(again));
    char *second = json_dumps(again, FLAGS);
    FUZZ_CHECK(second && strcmp(first, second) == 0);
    json_decref(again);
    free(first);
    free(second);
}

static void describe(const json_t *database) {
    const json_t *entries = json_object_get(database, "entries");
    for (size_t i = 0; i < json_array_size(entries); i++) {
        mst_tuning_result r = mst_tuning_describe(json_array_get(entries, i), "driver");
        FUZZ_CHECK(fuzz_is_message(r.capability) || !r.capability[0]);
        FUZZ_CHECK(r.n_values <= MST_TUNING_MAX_VALUES && r.seconds >= 0);
        for (int k = 0; k < r.n_values; k++)
            FUZZ_CHECK(fuzz_is_message(r.values[k].name) || !r.values[k].name[0]);
    }
}

static void search(const json_t *database) {
    mst_tune_problem problem = {.capability = "fft", .variant = "lines", .size = 64};
    const int64_t legal[] = {1, 2, 4};
    int64_t values[MST_TUNING_MAX_VALUES] = {0};
    mst_tuning_source source;
    mst_tune_add(&problem, "radix", 2, 3, legal);
    if (mst_tuning_find(database, &problem, "driver", (mst_tuning_source)0, values, &source))
        FUZZ_CHECK(values[0] == 1 || values[0] == 2 || values[0] == 4);
}

static void merge(const json_t *database) {
    const mst_device_info device = {.name = "a", .vendor = "b", .platform_name = "c", .compute_units = 1};
    json_t *whole = mst_tuning_new(&device);
    FUZZ_CHECK(mst_tuning_is_valid(whole) && mst_tuning_merge(whole, json_object_get(database, "entries"), false));
    size_t n = json_array_size(json_object_get(whole, "entries"));
    FUZZ_CHECK(mst_tuning_is_valid(whole) && n <= json_array_size(json_object_get(database, "entries")));
    FUZZ_CHECK(mst_tuning_merge(whole, json_object_get(database, "entries"), true));
    FUZZ_CHECK(json_array_size(json_object_get(whole, "entries")) == n);
    (void)mst_tuning_same_kind(database, &device);
    json_decref(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    json_t *database;
    mst_error error;
    if (mst_tuning_read(fuzz_file(data, size), &database, &error) != MST_OK) {
        FUZZ_CHECK(error.status == MST_ERROR_FORMAT && fuzz_is_message(error.message) && !database);
        return 0;
    }
    write_and_read(database);
    describe(database);
    search(database);
    merge(database);
    json_decref(database);
    return 0;
}
