// FFT: blocks under a budget, progress and cancelling, reports. Blocks are cut alike whatever the strides: one of the two a run.
#include "support.h"

static mst_fft_desc describe(mst_type type, size_t rows, size_t n) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    size_t shape[] = {rows, n};
    desc.input = mst_layout_dense(type, 2, shape);
    return desc;
}

static void blocks_give_the_same_bits(void **state) {
    static const struct {
        size_t rows, n;
        uint64_t device_memory, host_memory;
    } table[] = {
        {100, 1024, 200000, 0},    {100, 1024, 0, 100000}, {1000, 64, 20000, 20000},
        {7, 8192, 400000, 300000}, {1, 65536, 8000000, 0}, {5000, 2, 8192, 0},
    };
    static const mst_place mixes[][2] = {{MST_PLACE_HOST, MST_PLACE_HOST},
                                         {MST_PLACE_FILE, MST_PLACE_FILE},
                                         {MST_PLACE_DEVICE, MST_PLACE_HOST},
                                         {MST_PLACE_FILE, MST_PLACE_DEVICE}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int strided = 0; strided < 2; strided++) {
            mst_fft_desc desc = describe(MST_COMPLEX64, table[i].rows, table[i].n);
            if (!test_turn(i + (size_t)strided, 2))
                continue;
            if (strided) {
                desc.input.strides[0] = -(ptrdiff_t)table[i].n - 3;
                desc.output = desc.input;
                desc.output.strides[0] = 2 * (ptrdiff_t)table[i].n + 1, desc.output.strides[1] = 2;
            }
            test_array input = test_array_random(&desc.input);
            test_array whole = test_fft_run(*state, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
            mst_context *small = test_context_with_budget(table[i].device_memory, table[i].host_memory);
            for (size_t m = 0; m < 4; m++) {
                mst_report report = MST_REPORT_INIT;
                mst_execution how = MST_EXECUTION_INIT;
                how.report = &report;
                test_array parts = test_fft_run(small, &desc, &input, mixes[m][0], mixes[m][1], &how);
                CHECK(test_array_same(&whole, &parts), "%zu x %zu in blocks (%s to %s) differs", table[i].rows, table[i].n,
                      test_place_name(mixes[m][0]), test_place_name(mixes[m][1]));
                CHECK(m >= 2 || table[i].rows == 1 || report.blocks > 1, "%zu x %zu went in %llu block", table[i].rows,
                      table[i].n, (unsigned long long)report.blocks);
                test_array_free(&parts);
            }
            assert_int_equal(mst_context_device_memory_used(small), 0);
            mst_context_destroy(small);
            test_array_free(&whole);
            test_array_free(&input);
        }
}

static mst_status attempt(uint64_t device_memory, uint64_t host_memory, const mst_fft_desc *desc, void *x, void *y,
                          mst_error *e) {
    mst_context *context = test_context_with_budget(device_memory, host_memory);
    mst_fft *plan = NULL;
    mst_status status = mst_fft_create(context, desc, &plan, e);
    if (status == MST_OK)
        status = mst_fft_execute(plan, mst_at_host(x), mst_at_host(y), NULL, e);
    mst_fft_destroy(plan);
    CHECK(mst_context_device_memory_used(context) == 0, "memory is still held after a budget error");
    mst_context_destroy(context);
    return status;
}

// The message names the least budget that works: some number in it works, and one byte less does not.
static void budgets_too_small(void **state) {
    (void)state;
    static const struct {
        size_t rows, n;
        bool host;
    } table[] = {{3, 4096, false}, {3, 4096, true}, {1, 65536, false}, {1, 65536, true}, {50, 2, false}, {50, 2, true}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mst_fft_desc desc = describe(MST_COMPLEX64, table[i].rows, table[i].n);
        size_t count = table[i].rows * table[i].n;
        float *x = calloc(4 * count, sizeof *x);
        assert_non_null(x);
        mst_error e, ignored;
        bool found = false;
        uint64_t least;
#define TRY(bytes, error) attempt(table[i].host ? 0 : (bytes), table[i].host ? (bytes) : 0, &desc, x, x + 2 * count, error)
        REFUSED(MST_ERROR_BUDGET, "", TRY(1, &e));
        for (const char *text = e.message; !found && test_next_number(&text, &least);)
            found = least > 1 && TRY(least, &ignored) == MST_OK && TRY(least - 1, &ignored) == MST_ERROR_BUDGET;
#undef TRY
        CHECK(found, "%zu x %zu, %s: '%s' does not name the least budget that works", table[i].rows, table[i].n,
              table[i].host ? "host_memory" : "device_memory", e.message);
        free(x);
    }
}

// ---- progress and reports ----

static void progress_and_report(void **state) {
    (void)state;
    mst_fft_desc desc = describe(MST_COMPLEX64, 64, 1024);
    mst_context *small = test_context_with_budget(400000, 0);
    test_watch w = {0};
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    how.progress = test_watching, how.progress_user = &w, how.report = &report;
    memset(&report, 0xff, sizeof report);
    report.struct_size = sizeof report;
    test_array input = test_array_random(&desc.input);
    test_array output = test_fft_run(small, &desc, &input, MST_PLACE_HOST, MST_PLACE_FILE, &how);
    CHECK(w.calls > 1 && !w.wrong && w.last == 64 && w.total == 64, "%llu calls, last %llu of %llu", (unsigned long long)w.calls,
          (unsigned long long)w.last, (unsigned long long)w.total);
    assert_int_equal(report.upload_bytes, 64 * 1024 * 8);
    assert_int_equal(report.download_bytes, 64 * 1024 * 8);
    assert_true(report.seconds > 0 && report.seconds < 60 && report.blocks > 1);
    assert_true(report.upload_seconds == 0 && report.compute_seconds == 0 && report.download_seconds == 0); // no profile
    test_array_free(&output);
    test_array_free(&input);
    mst_context_destroy(small);
}

static void profiled_times(void **state) {
    (void)state;
    mst_context_desc wanted = MST_CONTEXT_DESC_INIT;
    wanted.profile = true;
    mst_context *context = test_context(&wanted);
    mst_fft_desc desc = describe(MST_COMPLEX64, 64, 1024);
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    how.report = &report;
    test_array input = test_array_random(&desc.input);
    test_array output = test_fft_run(context, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, &how);
    CHECK(report.compute_seconds > 0 && report.compute_seconds < report.seconds, "kernels took %g of %g s",
          report.compute_seconds, report.seconds);
    test_array_free(&output);
    output = test_fft_run(context, &desc, &input, MST_PLACE_DEVICE, MST_PLACE_DEVICE, &how);
    CHECK(report.compute_seconds > 0 && report.upload_bytes == 0 && report.download_bytes == 0,
          "device data: kernels took %g s, %llu bytes went up", report.compute_seconds, (unsigned long long)report.upload_bytes);
    test_array_free(&output);
    test_array_free(&input);
    mst_context_destroy(context);
}

static void cancelling(void **state) {
    (void)state;
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = describe(MST_COMPLEX64, 64, 1024);
    mst_context *small = test_context_with_budget(400000, 0);
    test_array input = test_array_random(&desc.input), output = test_array_new(&desc.input);
    OK(mst_fft_create(small, &desc, &plan, &e));
    for (uint64_t stop = 1; stop <= 3; stop++) {
        test_watch w = {.stop_at = stop};
        mst_execution how = MST_EXECUTION_INIT;
        how.progress = test_watching, how.progress_user = &w;
        test_placed in = test_place(small, MST_PLACE_FILE, &input), out = test_place(small, MST_PLACE_FILE, &output);
        REFUSED(MST_ERROR_CANCELLED, "", mst_fft_execute(plan, in.at, out.at, &how, &e));
        CHECK(w.calls == stop, "progress was called %llu times after it said stop at %llu", (unsigned long long)w.calls,
              (unsigned long long)stop);
        test_array after = test_array_new(&desc.input), junk = test_array_new(&desc.input);
        test_collect(&in, &after);
        test_collect(&out, &junk);
        assert_memory_equal(input.image, after.image, input.bytes);
        test_array_free(&after);
        test_array_free(&junk);
    }
    OK(mst_fft_execute(plan, mst_at_host(input.image + input.origin), mst_at_host(output.image + output.origin), NULL, &e));
    test_wide *reference = test_fft_reference(&desc, &input);
    assert_true(test_fft_error(&desc, &output, reference) <= test_gate(&desc.input, 1024));
    mst_fft_destroy(plan);
    assert_int_equal(mst_context_device_memory_used(small), 0);
    free(reference);
    test_array_free(&input);
    test_array_free(&output);
    mst_context_destroy(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_give_the_same_bits),
        cmocka_unit_test(budgets_too_small),
        cmocka_unit_test(progress_and_report),
        cmocka_unit_test(profiled_times),
        cmocka_unit_test(cancelling),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
