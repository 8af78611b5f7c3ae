// Every capability in a program whose locale writes a comma before decimals: kernels are built from nothing, results are right,
// and files are those of any other program. scripts/setup --test makes the locale.
// Long: all capabilities from source, without caches.
#include "support.h"
#include "support_jobs.h"

#include <locale.h>

static void check_locale(void) {
    char half[8];
    snprintf(half, sizeof half, "%.1f", 0.5);
    assert_string_equal(half, "0,5");
}

static void test_capabilities(void **state) {
    static const int kinds[] = {JOB_FFT, JOB_CONVOLUTION, JOB_FILTER, JOB_MAP, JOB_INTEGRAL, JOB_SOLVER};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        const int kind = kinds[k];
        mst_error e;
        job *j = NULL;
        CHECK(job_new(*state, kind, &j, &e), "%s: %s", job_name(kind), e.message);
        CHECK(job_run(j, 1, &e), "%s: %s", job_name(kind), e.message);
        job_free(j);
    }
    check_locale(); // as the library left it
}

static char *text_of(const char *path) {
    static char text[20000];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    text[fread(text, 1, sizeof text - 1, f)] = '\0';
    fclose(f);
    return text;
}

static void test_tuning_file(void **state) {
    (void)state;
    mst_context *context = test_context_cached();
    const mst_device_info *device = mst_context_device(context);
    mst_error e;
    size_t count = 0;
    test_told told = {.n = 0};
    FILE *f = fopen("in.json", "w");
    assert_non_null(f);
    OK(mst_tuning_export(context, "empty.json", &e));
    char *text = text_of("empty.json"), *entries = strstr(text, "[]");
    assert_non_null(entries);
    fprintf(
        f,
        "%.*s[{\"capability\": \"map\", \"variant\": \"float32\", \"size\": 64, \"kernel\": \"0123456789abcdef\", \"driver\": "
        "\"%s\", \"values\": {\"width\": 4}, \"seconds\": 1.25e-3, \"safe_seconds\": 2.5, \"tried\": 3, \"wrong\": 0, "
        "\"date\": \"2024-01-01T00:00:00Z\"}]%s",
        (int)(entries - text), text, device->driver_version, entries + 2);
    fclose(f);
    OK(mst_tuning_import(context, "in.json", &count, &e));
    assert_int_equal(count, 1);
    OK(mst_tuning_list(context, test_note, &told, &e));
    assert_true(told.n == 1 && told.result.seconds == 1.25e-3 && told.result.safe_seconds == 2.5);
    OK(mst_tuning_export(context, "out.json", &e));
    text = text_of("out.json");
    CHECK(strstr(text, "0.00125") && strstr(text, "2.5") && !strstr(text, "2,5"), "%s", text);
    mst_context_destroy(context);
}

static void test_npy_file(void **state) {
    const mst_layout layout = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){3000, 2});
    mst_error e;
    mst_npy *file;
    (void)state;
    OK(mst_npy_create("a.npy", &layout, false, &file, &e));
    OK(mst_npy_commit(file, &e));
    mst_npy_close(file);
    assert_non_null(strstr(text_of("a.npy") + 10, "'shape': (3000, 2)"));
    OK(mst_npy_open("a.npy", &file, &e));
    assert_int_equal(mst_npy_layout(file)->shape[0], 3000);
    mst_npy_close(file);
}

static void test_messages(void **state) {
    mst_error e;
    mst_map *map;
    mst_stencil *solver;
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    mst_map_desc wrong = MST_MAP_DESC_INIT;
    const mst_map_input input = {"a", mst_layout_dense(MST_FLOAT32, 1, (const size_t[]){8})};
    desc.rank = 1;
    desc.grid[0] = 8;
    desc.time_step = -0.125;
    REFUSED(MST_ERROR_ARGUMENT, "-0.125", mst_stencil_create(*state, &desc, &solver, &e));
    wrong.inputs = &input;
    wrong.n_inputs = 1;
    wrong.expression = "a + 0,5"; // not in any locale
    REFUSED(MST_ERROR_ARGUMENT, "column 6", mst_map_create(*state, &wrong, &map, &e));
    check_locale();
}

static int set_up(void **state) {
    if (test_enter_directory(state) != 0)
        return -1;
    setenv("POCL_CACHE_DIR", test_directory(), 1); // before the first call of OpenCL
    if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
        print_error("there is no locale de_DE.UTF-8: scripts/setup --test makes it\n");
        return -1;
    }
    check_locale();
    *state = test_context(NULL);
    return 0;
}

static int tear_down(void **state) {
    mst_context_destroy(*state);
    return test_leave_directory(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capabilities),
        cmocka_unit_test(test_tuning_file),
        cmocka_unit_test(test_npy_file),
        cmocka_unit_test(test_messages),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
