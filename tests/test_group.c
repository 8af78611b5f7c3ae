// Several devices behind one context: parts of the CPU, as PoCL makes them. Results have to have the bits of one device's.
#include "runtime/context.h"
#include "support_filter.h"
#include "support_integral.h"
#include "support_launch.h"

#include <math.h>

#define TRIES 50

static mst_context *alone, *two, *three;

static mst_context *group_of(const char *devices, uint64_t device_memory) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.device = devices;
    desc.device_memory = device_memory;
    return test_context(&desc);
}

static int setup(void **state) {
    int code = test_setup_on_cpu(state);
    alone = *state;
    two = group_of(test_in_parts(alone, 2), 0);
    three = group_of("kind:cpu/3", 0);
    return code;
}

static int teardown(void **state) {
    mst_context_destroy(two);
    mst_context_destroy(three);
    return test_teardown(state);
}

// ---- which devices ----

static void devices_are_chosen(void **state) {
    (void)state;
    mst_error e;
    mst_context *context = NULL;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    const uint32_t units = mst_context_device(alone)->compute_units;
    assert_int_equal(mst_context_n_devices(alone), 1);
    assert_int_equal(mst_context_n_devices(three), 3);
    assert_ptr_equal(mst_context_device_at(three, 0), mst_context_device(three));
    assert_null(mst_context_device_at(three, 3));
    uint32_t sum = 0;
    for (size_t k = 0; k < 3; k++) {
        const mst_device_info *part = mst_context_device_at(three, k);
        assert_string_equal(part->name, mst_context_device(alone)->name);
        assert_true(part->compute_units >= units / 3 && part->compute_units <= units / 3 + 1);
        for (size_t i = 0; i < k; i++)
            assert_ptr_not_equal(part->device, mst_context_device_at(three, i)->device);
        sum += part->compute_units;
    }
    assert_int_equal(sum, units);
    assert_true(mst_context_device_memory_budget(three) <= mst_context_device_memory_budget(alone) / 3);
    static const struct {
        const char *devices;
        mst_status status;
        const char *part;
    } refused[] = {{"0,0", MST_ERROR_ARGUMENT, "twice"},
                   {"kind:cpu/2,kind:cpu", MST_ERROR_ARGUMENT, "twice"},
                   {"all,0", MST_ERROR_ARGUMENT, "twice"},
                   {"0/100000", MST_ERROR_ARGUMENT, "compute units"},
                   {"0/0", MST_ERROR_ARGUMENT, "0 parts"},
                   {"77", MST_ERROR_NO_DEVICE, "no device 77"},
                   {"0,", MST_ERROR_ARGUMENT, "empty"},
                   {"kind:accelerator", MST_ERROR_NO_DEVICE, "kind:accelerator"},
                   {"0,no such thing", MST_ERROR_NO_DEVICE, "no such thing"}};
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        desc.device = refused[i].devices;
        REFUSED(refused[i].status, refused[i].part, mst_context_create(&desc, &context, &e));
    }
    const char *const list[] = {"kind:cpu/2"};
    desc.devices = list, desc.n_devices = 1;
    REFUSED(MST_ERROR_ARGUMENT, "one of them", mst_context_create(&desc, &context, &e));
    desc.device = NULL;
    const char *const defaults[] = {NULL, ""};
    desc.devices = defaults, desc.n_devices = 2;
    REFUSED(MST_ERROR_ARGUMENT, "twice", mst_context_create(&desc, &context, &e));
    desc.devices = list, desc.n_devices = 1;
    OK(mst_context_create(&desc, &context, &e));
    assert_int_equal(mst_context_n_devices(context), 2);
    mst_context_destroy(context);
}

// ---- the same bits ----

static mst_place host_or_file(void) { return test_random() % 2 ? MST_PLACE_HOST : MST_PLACE_FILE; }

static void transforms(void **state) {
    (void)state;
    for (int k = 0; k < test_many(3); k++) {
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        size_t shape[] = {k ? test_between(1, 3000) : 1, test_between(1, 300)};
        mst_layout layouts[] = {test_layout_random(MST_COMPLEX64, 2, shape, false), mst_layout_dense(MST_COMPLEX64, 2, shape)};
        desc.input = layouts[k % 2];
        test_array input = test_array_random(&desc.input);
        test_array expected = test_fft_run(alone, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
        mst_context *const contexts[] = {two, three, group_of(test_in_parts(alone, 3), 1000000)}; // the last one: small blocks
        for (size_t i = 0; i < 3; i++) {
            test_array output = test_fft_run(contexts[i], &desc, &input, host_or_file(), host_or_file(), NULL);
            CHECK(test_array_same(&expected, &output), "%zu x %zu differ in group %zu", shape[0], shape[1], i);
            test_array_free(&output);
        }
        CHECK(mst_context_device_memory_used(contexts[2]) == 0, "memory is still held");
        mst_context_destroy(contexts[2]);
        test_array_free(&expected);
        test_array_free(&input);
    }
}

// Arrays of which one item exceeds the budgets: panels of every pass are shared out, those of mirrors and folds, too, and a
// device that fails ends a pass with one message.
static void transforms_in_panels(void **state) {
    (void)state;
    mst_error e;
    mst_fft *plan = NULL;
    static const struct {
        mst_type type;
        int n_axes, axes[2];
        size_t shape[2];
    } cases[] = {{MST_COMPLEX64, 1, {1}, {1, 65536}}, {MST_COMPLEX64, 2, {0, 1}, {360, 300}}, {MST_FLOAT32, 1, {1}, {1, 131072}}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.input = mst_layout_dense(cases[k].type, 2, cases[k].shape);
        desc.n_axes = cases[k].n_axes;
        memcpy(desc.axes, cases[k].axes, sizeof cases[k].axes);
        desc.output = test_fft_output(&desc);
        mst_context *one = test_context_with_budget(200000, 0), *group = group_of(test_in_parts(alone, k % 2 ? 2 : 3), 200000);
        test_array input = test_array_random(&desc.input), output = test_array_new(&desc.output);
        test_array expected = test_fft_run(one, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
        OK(mst_fft_create(group, &desc, &plan, &e));
        for (int again = 0; again < 3; again++) {
            const mst_place from = host_or_file(), to = host_or_file();
            test_placed in = test_place(group, from, &input), out = test_place(group, to, &output);
            test_broken.other = again == 1 ? mst_context_device_at(group, 1)->device : NULL;
            test_broken.left = 0;
            mst_status status = MST_OK; // a device that gets no panel, on a machine with much other work, cannot fail
            for (int tries = 0; status == MST_OK && tries < (again == 1 ? TRIES : 1); tries++)
                status = mst_fft_execute(plan, in.at, out.at, NULL, &e);
            test_broken.other = NULL;
            CHECK(status == (again == 1 ? MST_ERROR_OPENCL : MST_OK), "case %zu, run %d: %s", k, again, e.message);
            test_collect(&in, &input), test_collect(&out, &output);
            CHECK(again == 1 || test_array_same(&expected, &output), "case %zu, run %d: panels of a group differ", k, again);
        }
        mst_fft_destroy(plan);
        CHECK(mst_context_device_memory_used(group) == 0, "memory is still held");
        mst_context_destroy(one), mst_context_destroy(group);
        test_array_free(&expected), test_array_free(&input), test_array_free(&output);
    }
}

// A device that allows less in one piece than a panel, as the first one's budgets shaped it, takes no part.
static void pieces_too_large_for_one_device(void **state) {
    (void)state;
    const size_t shape[] = {1, 65536};
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    mst_context *one = test_context_with_budget(200000, 0), *group = group_of(test_in_parts(alone, 2), 200000);
    ((mst_device_info *)mst_context_device_at(group, 1))->max_allocation_bytes = 10000;
    test_array input = test_array_random(&desc.input);
    test_array expected = test_fft_run(one, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    test_array output = test_fft_run(group, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    CHECK(test_array_same(&expected, &output), "panels of a group differ");
    mst_context_destroy(one), mst_context_destroy(group);
    test_array_free(&expected), test_array_free(&input), test_array_free(&output);
}

// Buffers of a context that can still be made, if it is not NULL.
static struct {
    cl_context context;
    atomic_int left;
} refusing;

cl_mem __real_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code);
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code);
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *code) {
    if (!refusing.context || context != refusing.context || atomic_fetch_sub(&refusing.left, 1) > 0)
        return __real_clCreateBuffer(context, flags, bytes, host, code);
    *code = CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return NULL;
}

// A second device that has no memory left, for slots or for the work memory of the first pass or the second, takes no part.
static void memory_that_one_device_lacks(void **state) {
    (void)state;
    enum { MOST_BUFFERS = 20 };
    const size_t shape[] = {16384, 64};
    mst_error e;
    mst_fft *plan;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    desc.output = desc.input;
    desc.n_axes = 2;
    desc.axes[0] = 0;
    desc.axes[1] = 1;
    mst_context *one = test_context_with_budget(8000000, 0), *group = group_of(test_in_parts(alone, 2), 8000000);
    test_array input = test_array_random(&desc.input), output = test_array_new(&desc.input);
    test_array expected = test_fft_run(one, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    int left = 0;
    for (int k = 0; k < MOST_BUFFERS && left <= 0; k++) {
        OK(mst_fft_create(group, &desc, &plan, &e));
        test_placed in = test_place(group, MST_PLACE_HOST, &input), out = test_place(group, MST_PLACE_HOST, &output);
        atomic_store(&refusing.left, k);
        refusing.context = group->peers[0]->opencl;
        const mst_status status = mst_fft_execute(plan, in.at, out.at, NULL, &e);
        refusing.context = NULL;
        left = atomic_load(&refusing.left);
        CHECK(status == MST_OK, "a second device with memory for %d buffers: %s", k, e.message);
        test_collect(&in, &input), test_collect(&out, &output);
        CHECK(test_array_same(&expected, &output), "a second device with memory for %d buffers: panels differ", k);
        mst_fft_destroy(plan);
    }
    CHECK(left > 0, "more buffers than expected");
    CHECK(mst_context_device_memory_used(group) == 0, "memory is still held");
    mst_context_destroy(one), mst_context_destroy(group);
    test_array_free(&expected), test_array_free(&input), test_array_free(&output);
}

// A kernel for all of the signals, or one for each; both methods.
static void convolutions(void **state) {
    (void)state;
    static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};
    for (int k = 0; k < 4; k++) {
        const size_t rows = test_between(300, 500);
        mst_convolution_desc desc =
            test_convolution_desc(MST_FLOAT32, rows, 1000, MST_FLOAT32, k % 2 ? 1 : rows, test_between(2, 300));
        desc.algorithm = k < 2 ? MST_CONVOLUTION_FUSED : MST_CONVOLUTION_DIRECT;
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
        const mst_place places[3] = {host_or_file(), host_or_file(), host_or_file()};
        test_array expected = test_convolution_run(alone, &desc, &x, &y, host, NULL);
        test_array output = test_convolution_run(k % 2 ? two : three, &desc, &x, &y, places, NULL);
        CHECK(test_array_same(&expected, &output), "case %d: results of a group differ", k);
        test_array_free(&expected);
        test_array_free(&output);
        test_array_free(&x);
        test_array_free(&y);
    }
}

// One long signal, in panels, and one image, in tiles.
static void convolutions_in_panels(void **state) {
    (void)state;
    static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};
    for (int k = 0; k < 4; k++) {
        const size_t n = test_between(150000, 200000), sides[] = {test_between(300, 400), 500}, small[] = {9, 7};
        mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, 1, n, MST_FLOAT32, 1, k % 2 ? 700 : 40);
        if (k >= 2) {
            desc.x = mst_layout_dense(MST_FLOAT32, 2, sides);
            desc.y = mst_layout_dense(MST_FLOAT32, 2, small);
            desc.n_axes = 2, desc.axes[0] = 0, desc.axes[1] = 1;
        }
        mst_context *one = test_context_with_budget(200000, 0), *group = group_of(test_in_parts(alone, 2), 200000);
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
        const mst_place places[3] = {host_or_file(), host_or_file(), host_or_file()};
        test_array expected = test_convolution_run(one, &desc, &x, &y, host, NULL);
        test_array output = test_convolution_run(group, &desc, &x, &y, places, NULL);
        CHECK(test_array_same(&expected, &output), "case %d: panels of a group differ", k);
        mst_context_destroy(one), mst_context_destroy(group);
        test_array_free(&expected), test_array_free(&output);
        test_array_free(&x), test_array_free(&y);
    }
}

static void filters_of_images(void **state) {
    (void)state;
    const size_t shape[] = {test_between(150, 200), 60, 50, 1};
    mst_filter_desc desc = test_filter_desc(MST_UINT8, 4, shape);
    test_array images = test_filter_images(&desc.input);
    test_array expected = test_filter_run(alone, &desc, &images, MST_PLACE_HOST, MST_PLACE_HOST);
    test_array output = test_filter_run(two, &desc, &images, host_or_file(), host_or_file());
    CHECK(test_array_same(&expected, &output), "filtered images of a group differ");
    test_array_free(&expected);
    test_array_free(&output);
    test_array_free(&images);
}

// ended: what it ended with, which has to be MST_OK where that is NULL.
static test_array map_of(mst_context *context, const mst_map_desc *desc, const test_array *input, const mst_execution *how,
                         mst_status *ended) {
    mst_error e;
    mst_map *plan = NULL;
    OK(mst_map_create(context, desc, &plan, &e));
    test_array output = test_array_new(mst_map_output(plan));
    test_placed in = test_place(context, MST_PLACE_HOST, input), out = test_place(context, MST_PLACE_HOST, &output);
    mst_status status = mst_map_execute(plan, &in.at, out.at, how, &e);
    CHECK(status == MST_OK || ended, "a map gave %s (%s)", mst_status_name(status), e.message);
    if (ended)
        *ended = status;
    test_collect_input(&in, input);
    test_collect_output(&out, &output);
    mst_map_destroy(plan);
    return output;
}

static void maps_with_reports(void **state) {
    (void)state;
    const size_t n = test_between(1400000, 1700000);
    const mst_map_input input = {"x", mst_layout_dense(MST_FLOAT32, 1, &n)};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    desc.expression = "sin(x) + 1/(x + 2)";
    desc.inputs = &input, desc.n_inputs = 1;
    mst_report report = MST_REPORT_INIT;
    test_watch watch = {0};
    mst_execution how = MST_EXECUTION_INIT;
    how.progress = test_watching, how.progress_user = &watch, how.report = &report;
    test_array x = test_array_random(&input.layout);
    test_array expected = map_of(alone, &desc, &x, NULL, NULL), output = map_of(two, &desc, &x, &how, NULL);
    CHECK(test_array_same(&expected, &output), "a map of a group differs");
    CHECK(!watch.wrong && watch.last == n && watch.total == n, "progress ended with %llu of %llu", (unsigned long long)watch.last,
          (unsigned long long)watch.total);
    assert_int_equal(report.upload_bytes, n * sizeof(float));
    assert_int_equal(report.download_bytes, n * sizeof(float));
    assert_true(report.blocks >= 2);
    test_array_free(&output);

    watch = (test_watch){.stop_at = 2};
    mst_status status;
    output = map_of(three, &desc, &x, &how, &status);
    CHECK(status == MST_ERROR_CANCELLED, "a map that was to stop gave %s", mst_status_name(status));
    test_array_free(&output);

    // A kernel of the second device fails: one message, and the plan's devices are free for the next execution.
    test_broken.other = mst_context_device_at(two, 1)->device;
    test_broken.left = 0; // the first one: it may not come to a second block
    status = MST_OK;
    for (int tries = 0; status == MST_OK && tries < TRIES; tries++) {
        output = map_of(two, &desc, &x, NULL, &status);
        test_array_free(&output);
    }
    CHECK(status == MST_ERROR_OPENCL, "a map whose second device fails gave %s", mst_status_name(status));
    test_broken.other = NULL;
    output = map_of(two, &desc, &x, NULL, NULL);
    CHECK(test_array_same(&expected, &output), "a map of a group differs after a failure");
    test_array_free(&output);
    test_array_free(&expected);
    test_array_free(&x);
}

// Arrays on the device are the lead's.
static void on_the_device(void **state) {
    (void)state;
    const size_t n = 1100000;
    const mst_map_input input = {"x", mst_layout_dense(MST_FLOAT32, 1, &n)};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_error e;
    mst_map *plan = NULL;
    desc.expression = "sin(x) + 1/(x + 2)";
    desc.inputs = &input, desc.n_inputs = 1;
    OK(mst_map_create(two, &desc, &plan, &e));
    test_array x = test_array_random(&input.layout), expected = map_of(alone, &desc, &x, NULL, NULL);
    for (int k = 0; k < 3; k++) {
        test_array output = test_array_new(mst_map_output(plan));
        test_placed in = test_place(two, k < 2 ? MST_PLACE_DEVICE : MST_PLACE_HOST, &x);
        test_placed out = test_place(two, k > 0 ? MST_PLACE_DEVICE : MST_PLACE_HOST, &output);
        OK(mst_map_execute(plan, &in.at, out.at, NULL, &e));
        test_collect_input(&in, &x);
        test_collect_output(&out, &output);
        CHECK(test_array_same(&expected, &output), "case %d differs", k);
        test_array_free(&output);
    }
    mst_map_destroy(plan);
    test_array_free(&expected);
    test_array_free(&x);
}

static void integrals(void **state) {
    (void)state;
    enum { MOST = 3000 };
    static const char *const parameters[] = {"a"};
    const mst_integral_range range = {"x", "0", "1"};
    double a[MOST];
    mst_error e;
    for (int k = 0; k < 2; k++) {
        mst_integral_desc desc = test_integral_desc("1/(a*a + (x - 0.3)^2)", &range, 1, parameters);
        desc.rule = k ? MST_INTEGRAL_GAUSS : MST_INTEGRAL_ADAPTIVE;
        desc.points = k ? 4096 : 0;
        static mst_integral_result expected[MOST], results[MOST];
        const size_t n = test_between(2, MOST);
        for (size_t i = 0; i < n; i++)
            a[i] = 0.002 + 0.001 * (double)i;
        test_integral_run(alone, &desc, a, n, expected);
        test_integral_run(k ? two : three, &desc, a, n, results);
        for (size_t i = 0; i < n; i++)
            CHECK(memcmp(&results[i].value, &expected[i].value, sizeof(double)) == 0 &&
                      memcmp(&results[i].error, &expected[i].error, sizeof(double)) == 0 &&
                      results[i].evaluations == expected[i].evaluations && results[i].status == expected[i].status,
                  "integral %zu of %zu is %.17g in a group, and %.17g alone", i, n, results[i].value, expected[i].value);
        if (k)
            continue;
        mst_integral *plan = NULL;
        mst_execution how = MST_EXECUTION_INIT;
        how.progress = test_watching;
        OK(mst_integral_create(two, &desc, &plan, &e));
        // Where there is much other work, the other device may do all before the caller's thread comes to ask, or the other way
        // round.
        mst_status status = MST_OK;
        for (int tries = 0; status == MST_OK && tries < TRIES; tries++) {
            test_watch watch = {.stop_at = 2};
            how.progress_user = &watch;
            status = mst_integral_execute(plan, a, n, results, &how, &e);
        }
        CHECK(status == MST_ERROR_CANCELLED, "integrals that were to stop gave %s", mst_status_name(status));
        test_broken.other = mst_context_device_at(two, 1)->device;
        test_broken.left = 0; // few integrals take few launches
        status = MST_OK;
        for (int tries = 0; status == MST_OK && tries < TRIES; tries++)
            status = mst_integral_execute(plan, a, n, results, NULL, &e);
        test_broken.other = NULL;
        CHECK(status == MST_ERROR_OPENCL && strstr(e.message, "launch"), "integrals whose second device fails gave %s: %s",
              mst_status_name(status), e.message);
        OK(mst_integral_execute(plan, a, n, results, NULL, &e));
        assert_true(results[n - 1].value == expected[n - 1].value);
        mst_integral_destroy(plan);
    }
}

// A bound that is none, of the last integral: found while others are computed, it leaves all results as they were.
static void integrals_whole_or_not_at_all(void **state) {
    (void)state;
    enum { N = 3000 };
    static const char *const parameters[] = {"b"};
    static mst_integral_result results[N];
    static double b[N];
    const mst_integral_range range = {"x", "0", "b"};
    mst_integral_desc desc = test_integral_desc("exp(-x)", &range, 1, parameters);
    mst_integral *plan = NULL;
    mst_error e;
    for (size_t i = 0; i < N; i++)
        b[i] = 1 + (double)i / N;
    for (int n = 1; n <= 3; n++) {
        OK(mst_integral_create(n == 1 ? alone : n == 2 ? two : three, &desc, &plan, &e));
        b[N - 1] = NAN;
        memset(results, 0x55, sizeof results);
        REFUSED(MST_ERROR_ARGUMENT, "set 2999", mst_integral_execute(plan, b, N, results, NULL, &e));
        for (size_t i = 0; i < sizeof results; i++)
            CHECK(((unsigned char *)results)[i] == 0x55, "%d devices: byte %zu of the results was written", n, i);
        b[N - 1] = 2;
        OK(mst_integral_execute(plan, b, N, results, NULL, &e));
        for (size_t i = 0; i < N; i++)
            CHECK(fabs(results[i].value + expm1(-b[i])) < 1e-10 && results[i].status == MST_INTEGRAL_CONVERGED,
                  "%d devices: integral %zu is %.17g", n, i, results[i].value);
        mst_integral_destroy(plan);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_are_chosen),
        cmocka_unit_test(transforms),
        cmocka_unit_test(transforms_in_panels),
        cmocka_unit_test(pieces_too_large_for_one_device),
        cmocka_unit_test(convolutions),
        cmocka_unit_test(convolutions_in_panels),
        cmocka_unit_test(filters_of_images),
        cmocka_unit_test(maps_with_reports),
        cmocka_unit_test(on_the_device),
        cmocka_unit_test(integrals),
        cmocka_unit_test(integrals_whole_or_not_at_all),
        cmocka_unit_test(memory_that_one_device_lacks),
    };
    setenv("POCL_MAX_PTHREAD_COUNT", "7", 1); // whatever the machine has
    setenv("MASTABA_HOST_ARRAYS", "copy", 1); // test_group_launches has arrays that stay where they are
    return cmocka_run_group_tests(tests, setup, teardown);
}
