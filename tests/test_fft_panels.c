// FFT: arrays of which one item exceeds the budgets, by passes over panels: random shapes, types, strides, directions, places and
// budgets down to the least that is promised, against FFTW.
#include "support.h"

#include <fcntl.h>
#include <unistd.h>

enum { LITTLE = 1000 }; // bytes of device memory, with which most transforms are refused

// The least device memory that the message of a refusal names; 0: nothing is refused, or no number works.
static uint64_t least_memory(const mst_fft_desc *desc, bool *refused) {
    mst_error e = {.status = MST_OK};
    mst_fft *plan = NULL;
    uint64_t number, least = 0;
    mst_layout layout = test_fft_output(desc);
    test_array input = test_array_new(&desc->input), output = test_array_new(&layout);
    test_placed in, out;
    mst_context *context = test_context_with_budget(LITTLE, 0);
    in = test_place(context, MST_PLACE_HOST, &input), out = test_place(context, MST_PLACE_HOST, &output);
    mst_status status = mst_fft_create(context, desc, &plan, &e);
    if (status == MST_OK)
        status = mst_fft_execute(plan, in.at, out.at, NULL, &e);
    *refused = status != MST_OK;
    CHECK(status == MST_OK || status == MST_ERROR_BUDGET, "%s: %s", test_layout_text(&desc->input), e.message);
    for (const char *text = e.message; *refused && test_next_number(&text, &number);)
        least = number;
    mst_fft_destroy(plan);
    test_collect(&in, &input);
    test_collect(&out, &output);
    test_array_free(&input);
    test_array_free(&output);
    mst_context_destroy(context);
    return least;
}

static mst_fft_desc random_transform(void) {
    static const size_t few[] = {3, 5, 7, 8, 16, 24, 30, 36, 37, 48, 49};
    static const size_t many[] = {256, 360, 529, 600, 1024, 2025, 4096, 6006};
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    int rank = (int)test_between(1, 4), n_axes = (int)test_between(1, rank < 3 ? (size_t)rank : 3);
    size_t shape[MST_MAX_RANK];
    for (int k = 0; k < rank; k++)
        shape[k] = few[test_between(0, rank < 4 ? 10 : 5)];
    if (rank < 3)
        shape[test_between(0, (size_t)rank - 1)] = many[test_between(0, rank == 1 ? 7 : 3)];
    mst_type type = test_between(0, 1) ? MST_COMPLEX128 : MST_COMPLEX64;
    bool real = test_between(0, 2) == 0;
    desc.direction = test_between(0, 1) ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    if (real && desc.direction == MST_FFT_FORWARD)
        type = type == MST_COMPLEX64 ? MST_FLOAT32 : MST_FLOAT64;
    desc.input = test_between(0, 2) ? mst_layout_dense(type, rank, shape) : test_layout_random(type, rank, shape, false);
    desc.n_axes = n_axes;
    for (int a = 0; a < n_axes; a++) {
        bool again = true;
        while (again) {
            desc.axes[a] = (int)test_between(0, (size_t)rank - 1);
            again = false;
            for (int b = 0; b < a; b++)
                again = again || desc.axes[b] == desc.axes[a];
        }
    }
    desc.output = test_fft_output(&desc);
    if (real && desc.direction == MST_FFT_INVERSE) {
        desc.output.type = type == MST_COMPLEX64 ? MST_FLOAT32 : MST_FLOAT64;
        shape[desc.axes[n_axes - 1]] = 2 * (shape[desc.axes[n_axes - 1]] - 1);
        desc.output = mst_layout_dense(desc.output.type, rank, shape);
    } else if (test_between(0, 2) == 0) {
        memcpy(shape, desc.output.shape, sizeof shape);
        desc.output = test_layout_random(desc.output.type, rank, shape, false);
    }
    desc.scale = test_between(0, 1) ? 1 : -0.25;
    return desc;
}

static void random_panels(void **state) {
    (void)state;
    static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_FILE};
    for (int t = 0; t < test_many(6); t++) {
        const mst_fft_desc desc = random_transform();
        bool refused;
        uint64_t least = least_memory(&desc, &refused);
        CHECK(!refused || least > 0, "%s: no least budget", test_layout_text(&desc.input));
        uint64_t budget = t % 3 == 0 ? least : least * test_between(1, 8) + test_between(0, 4096);
        mst_context *context = test_context_with_budget(refused ? budget : 1000, 0);
        test_fft_check(context, &desc, places[test_between(0, 1)], places[test_between(0, 1)]);
        assert_int_equal(mst_context_device_memory_used(context), 0);
        mst_context_destroy(context);
    }
}

// Cosine and sine transforms and their inverses, which are those of another type; on the device by the same plan as a whole.
static void even_and_odd(void **state) {
    (void)state;
    for (int k = 0; k < test_many(4); k++) {
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        const size_t shape[] = {60, 70};
        mst_error e;
        mst_fft *plan = NULL;
        desc.input = mst_layout_dense(MST_FLOAT32, 2, shape);
        desc.n_axes = 2, desc.axes[0] = 0, desc.axes[1] = 1;
        desc.kind = (mst_fft_kind[]){MST_FFT_DCT2, MST_FFT_DCT3, MST_FFT_DST2, MST_FFT_DST3}[test_between(0, 3)];
        desc.direction = k % 2 ? MST_FFT_FORWARD : MST_FFT_INVERSE;
        mst_context *context = test_context_with_budget(25000, 0);
        test_fft_check(context, &desc, MST_PLACE_HOST, MST_PLACE_HOST);
        mst_context_destroy(context);
        context = test_context_with_budget(60000, 0); // of which arrays of the caller's take nothing
        test_array input = test_array_random(&desc.input), whole = test_array_new(&desc.input),
                   panels = test_array_new(&desc.input);
        OK(mst_fft_create(context, &desc, &plan, &e));
        for (int place = 0; place < 2; place++) {
            test_array *output = place ? &whole : &panels;
            test_placed in = test_place(context, place ? MST_PLACE_DEVICE : MST_PLACE_HOST, &input),
                        out = test_place(context, place ? MST_PLACE_DEVICE : MST_PLACE_HOST, output);
            OK(mst_fft_execute(plan, in.at, out.at, NULL, &e));
            test_collect(&in, &input), test_collect(&out, output);
        }
        for (size_t i = 0; i < whole.elements; i++) {
            long double difference = cabsl(test_array_get(&whole, i) - test_array_get(&panels, i));
            CHECK(difference < 1e-2L, "kind %d, element %zu: %Lg off", (int)desc.kind, i, difference);
        }
        mst_fft_destroy(plan);
        mst_context_destroy(context);
        test_array_free(&input), test_array_free(&whole), test_array_free(&panels);
    }
}

// Real data along several axes: half a spectrum folded into the array of results, and a long real axis before others.
static void several_real_axes(void **state) {
    (void)state;
    static const struct {
        bool inverse;
        int rank, n_axes, axes[3];
        size_t shape[3]; // of the real numbers
        uint64_t passes;
    } cases[] = {{true, 2, 2, {0, 1}, {90, 140}, 2},        {true, 3, 3, {0, 1, 2}, {12, 10, 226}, 2},
                 {true, 3, 2, {0, 2}, {50, 7, 64}, 2},      {true, 3, 2, {1, 2}, {3, 81, 100}, 2},
                 {true, 3, 3, {1, 0, 2}, {14, 15, 120}, 2}, {false, 2, 2, {0, 1}, {5, 9000}, 3}};
    static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_FILE};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_error e;
        mst_fft *plan = NULL;
        mst_fft_needs n = MST_FFT_NEEDS_INIT;
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        const bool wide = test_between(0, 1);
        size_t half[3];
        memcpy(half, cases[k].shape, sizeof half);
        half[cases[k].rank - 1] = half[cases[k].rank - 1] / 2 + 1;
        desc.input = mst_layout_dense(wide ? MST_FLOAT64 : MST_FLOAT32, cases[k].rank, cases[k].shape);
        desc.n_axes = cases[k].n_axes;
        memcpy(desc.axes, cases[k].axes, sizeof cases[k].axes);
        desc.scale = 0.5;
        if (cases[k].inverse) {
            desc.direction = MST_FFT_INVERSE;
            desc.output = desc.input;
            desc.input = mst_layout_dense(wide ? MST_COMPLEX128 : MST_COMPLEX64, cases[k].rank, half);
        }
        bool refused;
        uint64_t least = least_memory(&desc, &refused);
        least = refused ? least : LITTLE; // as of kernels for GPUs, whose tables are small
        CHECK(least > 0, "case %zu: no number works", k);
        for (bool by_lines = true; by_lines; least += least / (refused ? 8 : 2)) { // smaller budgets take memory for lines
            mst_context *context = test_context_with_budget(least, 0);
            OK(mst_fft_create(context, &desc, &plan, &e));
            OK(mst_fft_plan_needs(plan, &n, &e));
            by_lines = n.scratch_bytes > 0;
            CHECK(by_lines || n.passes == cases[k].passes, "case %zu: %llu passes", k, (unsigned long long)n.passes);
            mst_fft_destroy(plan);
            if (!by_lines)
                test_fft_check(context, &desc, places[test_between(0, 1)], places[test_between(0, 1)]);
            mst_context_destroy(context);
        }
    }
}

// What a plan says that it takes is what it takes.
static void needs(void **state) {
    (void)state;
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_fft_needs n = MST_FFT_NEEDS_INIT;
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    const size_t shape[] = {65536};
    desc.input = mst_layout_dense(MST_COMPLEX64, 1, shape);
    how.report = &report;
    test_array input = test_array_random(&desc.input), output = test_array_new(&desc.input);
    mst_context *context = test_context_with_budget(200000, 0);
    OK(mst_fft_create(context, &desc, &plan, &e));
    OK(mst_fft_plan_needs(plan, &n, &e));
    OK(mst_fft_execute(plan, mst_at_host(test_array_at(&input, 0)), mst_at_host(test_array_at(&output, 0)), &how, &e));
    assert_true(n.passes == 2 && n.panels == report.blocks && n.panels > 4 && n.in_place && n.in_place_bytes == 65536 * 8);
    assert_true(n.upload_bytes == 2 * 65536 * 8 && report.upload_bytes == n.upload_bytes);
    assert_true(n.download_bytes == n.upload_bytes && report.download_bytes == n.download_bytes);
    assert_true(n.device_bytes <= 200000 && mst_context_device_memory_used(context) <= n.device_bytes);
    REFUSED(MST_ERROR_ARGUMENT, "overlaps",
            mst_fft_execute(plan, mst_at_host(test_array_at(&output, 1)), mst_at_host(test_array_at(&output, 0)), NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_fft_plan_needs(plan, NULL, &e));
    mst_fft_destroy(plan);
    mst_context_destroy(context);
    test_array_free(&input);
    test_array_free(&output);
}

// Lengths that only panels transform: a budget that is too small for them is refused as such, with the least that works.
static void only_panels(void **state) {
    (void)state;
    static const size_t lengths[] = {2003 * 2011, (size_t)1 << 31};
    for (size_t k = 0; k < 2; k++) {
        mst_error e;
        mst_fft *plan = NULL;
        uint64_t budget = 10000;
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.input = mst_layout_dense(MST_COMPLEX64, 1, &lengths[k]);
        for (int again = 0; again < 2; again++) { // then with one byte less
            mst_context *context = test_context_with_budget(budget, 0);
            REFUSED(MST_ERROR_BUDGET, "it takes at least", mst_fft_create(context, &desc, &plan, &e));
            assert_null(plan);
            for (const char *text = e.message; test_next_number(&text, &budget);)
                continue;
            budget--;
            mst_context_destroy(context);
        }
    }
}

// After panels, arrays on the device find the memory that these took, and the other way round.
static void turns(void **state) {
    (void)state;
    static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_HOST};
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    const size_t shape[] = {65536};
    desc.input = mst_layout_dense(MST_COMPLEX64, 1, shape);
    desc.shape = MST_FFT_SHAPE_GPU; // with work memory
    test_array input = test_array_random(&desc.input), output = test_array_new(&desc.input);
    mst_context *context = test_context_with_budget(800000, 0);
    OK(mst_fft_create(context, &desc, &plan, &e));
    for (int k = 0; k < 3; k++) {
        test_placed in = test_place(context, places[k], &input), out = test_place(context, places[k], &output);
        OK(mst_fft_execute(plan, in.at, out.at, NULL, &e));
        test_collect(&in, &input);
        test_collect(&out, &output);
    }
    mst_fft_destroy(plan);
    mst_context_destroy(context);
    test_array_free(&input);
    test_array_free(&output);
}

// An output that is open for writing only is refused before anything is written to it.
static void outputs_that_cannot_be_read(void **state) {
    (void)state;
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    const size_t shape[] = {60, 70};
    char path[] = "output-XXXXXX", byte = 1;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    desc.n_axes = 2, desc.axes[0] = 0, desc.axes[1] = 1;
    mst_context *context = test_context_with_budget(20000, 0);
    test_array input = test_array_random(&desc.input);
    test_placed in = test_place(context, MST_PLACE_HOST, &input);
    int made = mkstemp(path), file = open(path, O_WRONLY);
    CHECK(made >= 0 && file >= 0 && ftruncate(made, 60 * 70 * 8) == 0, "no file");
    OK(mst_fft_create(context, &desc, &plan, &e));
    REFUSED(MST_ERROR_ARGUMENT, "not open for reading", mst_fft_execute(plan, in.at, mst_at_file(file, 0), NULL, &e));
    for (off_t at = 0; at < 60 * 70 * 8; at++)
        CHECK(pread(made, &byte, 1, at) == 1 && byte == 0, "byte %lld was written", (long long)at);
    close(made), close(file), unlink(path);
    mst_fft_destroy(plan);
    test_collect_input(&in, &input);
    mst_context_destroy(context);
    test_array_free(&input);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_panels),
                                       cmocka_unit_test(even_and_odd),
                                       cmocka_unit_test(several_real_axes),
                                       cmocka_unit_test(needs),
                                       cmocka_unit_test(only_panels),
                                       cmocka_unit_test(turns),
                                       cmocka_unit_test(outputs_that_cannot_be_read)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
