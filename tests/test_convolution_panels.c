// One long operand in panels: every mode, both operands as the longer one, correlations, types, batches, axes and strides, under
// budgets from generous ones down to the least that a message names; against direct sums and FFTW, and where the whole goes by
// the same blocks, bit for bit against the whole. All by the shape of kernels for CPUs, which compiles once a precision.
// Long: signals of several times the budgets; `convolution_blocks` has budgets, too.
#include "support_convolution.h"
#include <math.h>

static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};
static const mst_place file[3] = {MST_PLACE_FILE, MST_PLACE_FILE, MST_PLACE_FILE};
static const mst_place device[3] = {MST_PLACE_DEVICE, MST_PLACE_DEVICE, MST_PLACE_DEVICE};

typedef struct panel_case {
    mst_type tx, ty;
    size_t bx, n, by, m;
    mst_convolution_mode mode;
    bool correlate;
    uint64_t device_memory;
} panel_case;

#define FULL MST_CONVOLUTION_FULL
#define SAME MST_CONVOLUTION_SAME
#define VALID MST_CONVOLUTION_VALID

static mst_convolution_desc describe(const panel_case *c) {
    mst_convolution_desc desc = test_convolution_desc(c->tx, c->bx, c->n, c->ty, c->by, c->m);
    desc.mode = c->mode, desc.correlate = c->correlate, desc.shape = MST_FFT_SHAPE_CPU;
    desc.algorithm = MST_CONVOLUTION_FUSED;
    return desc;
}

static void of_every_kind(void **state) {
    static const panel_case cases[] = {
        {MST_FLOAT32, MST_FLOAT32, 1, 50021, 1, 211, FULL, false, 150000},
        {MST_FLOAT32, MST_FLOAT32, 1, 50021, 1, 211, SAME, true, 150000},
        {MST_FLOAT32, MST_FLOAT32, 1, 211, 1, 50021, SAME, false, 150000}, // the result is as long as x, in one panel
        {MST_FLOAT32, MST_FLOAT32, 1, 499, 1, 40013, FULL, true, 150000},
        {MST_FLOAT32, MST_FLOAT32, 1, 499, 1, 40013, VALID, true, 150000},
        {MST_FLOAT32, MST_FLOAT32, 1, 30011, 1, 15013, FULL, false, 700000}, // both long
        {MST_FLOAT32, MST_COMPLEX64, 3, 20011, 1, 500, VALID, false, 150000},
        {MST_COMPLEX64, MST_FLOAT32, 1, 20011, 4, 77, FULL, true, 250000}, // one signal, four kernels
        {MST_COMPLEX64, MST_COMPLEX64, 1, 301, 3, 20011, SAME, true, 250000},
        {MST_FLOAT32, MST_FLOAT32, 2, 30011, 2, 90, SAME, false, 150000}, // a kernel each
        {MST_INT16, MST_FLOAT32, 1, 20011, 1, 100, FULL, false, 250000},  // in double
        {MST_FLOAT64, MST_COMPLEX128, 2, 9001, 1, 640, FULL, true, 500000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const panel_case *c = &cases[i];
        mst_convolution_desc desc = describe(c);
        mst_context *small = test_context_with_budget(c->device_memory, 0);
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
        test_convolution_check(small, &desc, &x, &y, i % 2 ? file : host);
        test_array_free(&x);
        test_array_free(&y);
        mst_context_destroy(small);
    }
}

// Along the first axis, and of arrays with gaps, negative and zero strides.
static void of_any_layout(void **state) {
    (void)state;
    mst_context *small = test_context_with_budget(0, 200000);
    for (int k = 0; k < test_many(6); k++) {
        const size_t long_shape[] = {2, 1, 6007, 3}, short_shape[] = {k % 2 ? 2 : 1, 1, 60, k % 2 ? 3 : 1};
        mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
        bool swap = k % 3 == 2;
        desc.algorithm = MST_CONVOLUTION_FUSED, desc.shape = MST_FFT_SHAPE_CPU;
        do // the gate is for operands that are not constant along the axis
            desc.x = test_layout_random(MST_FLOAT32, 4, swap ? short_shape : long_shape, true);
        while (desc.x.strides[2] == 0);
        do
            desc.y = test_layout_random(MST_FLOAT32, 4, swap ? long_shape : short_shape, true);
        while (desc.y.strides[2] == 0);
        desc.axes[0] = 2;
        desc.correlate = k % 4 > 1;
        desc.mode = (mst_convolution_mode)(k % 3);
        mst_layout z;
        mst_error e;
        OK(mst_convolution_result(&desc, &z, &e));
        desc.z = test_layout_random(z.type, z.rank, z.shape, false);
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
        test_convolution_check(small, &desc, &x, &y, k % 2 ? file : host);
        test_array_free(&x);
        test_array_free(&y);
    }
    mst_context_destroy(small);
}

// Whatever the budget, and where the data lie, as long as the blocks of the whole fit.
static void give_the_same_bits(void **state) {
    static const mst_convolution_algorithm algorithms[] = {MST_CONVOLUTION_FUSED, MST_CONVOLUTION_DIRECT};
    for (int a = 0; a < 2; a++) {
        panel_case c = {MST_FLOAT32, MST_FLOAT32, 1, 1500017, 1, 40, a ? SAME : FULL, a == 1, 0};
        mst_convolution_desc desc = describe(&c);
        desc.algorithm = algorithms[a];
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
        test_array whole = test_convolution_run(*state, &desc, &x, &y, device, NULL);
        for (int b = 0; b < 3; b++) {
            static const uint64_t budgets[] = {0, (uint64_t)2 << 20, (uint64_t)300 << 10};
            mst_report report = MST_REPORT_INIT;
            mst_execution how = MST_EXECUTION_INIT;
            how.report = &report;
            mst_context *small = test_context_with_budget(budgets[b], b == 1 ? budgets[b] : 0);
            test_array parts = test_convolution_run(small, &desc, &x, &y, b == 1 ? file : host, &how);
            CHECK(test_array_same(&whole, &parts), "%s: panels under budget %d differ from the whole",
                  mst_convolution_algorithm_name(desc.algorithm), b);
            CHECK(report.blocks > 3, "it went in %llu blocks", (unsigned long long)report.blocks);
            test_array_free(&parts);
            mst_context_destroy(small);
        }
        test_array_free(&whole);
        test_array_free(&x);
        test_array_free(&y);
    }
}

// A budget that is too small is refused with the least that works, for the device and for the host.
static void down_to_the_least(void **state) {
    static char data[1000000];
    (void)state;
    for (int on_host = 0; on_host < 2; on_host++)
        for (int direct = 0; direct < 2; direct++) {
            const panel_case c = {MST_FLOAT32, MST_FLOAT32, 1, 100000, 1, 501, FULL, false, 0};
            mst_convolution_desc desc = describe(&c);
            desc.algorithm = direct ? MST_CONVOLUTION_DIRECT : MST_CONVOLUTION_FUSED;
            mst_error e, ignored;
            bool found = false;
            uint64_t least;
#define TRY(bytes, error) test_convolution_attempt(on_host ? 0 : (bytes), on_host ? (bytes) : 0, &desc, data, 400000, error)
            REFUSED(MST_ERROR_BUDGET, "", TRY(1, &e));
            for (const char *text = e.message; !found && test_next_number(&text, &least);)
                found = least > 1 && TRY(least, &ignored) == MST_OK && TRY(least - 1, &ignored) == MST_ERROR_BUDGET;
            CHECK(found && least < 60000, "'%s' does not name the least %s that works, or it is large", e.message,
                  on_host ? "host_memory" : "device_memory");
            for (uint64_t more = least + 1; more < 3000000; more = more * 3 / 2 + 4321)
                OK(TRY(more, &e));
#undef TRY
        }
}

// A plan serves arrays on the device and on the host in turn, where both have room, and says what has not.
static void from_any_place(void **state) {
    const panel_case c = {MST_FLOAT32, MST_FLOAT32, 1, 50021, 1, 211, SAME, false, 0};
    mst_convolution_desc desc = describe(&c);
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    test_array first = test_convolution_run(*state, &desc, &x, &y, device, NULL);
    static const mst_place mixed[3] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
    test_array second = test_convolution_run(*state, &desc, &x, &y, mixed, NULL);
    CHECK(test_array_same(&first, &second), "a mix of places gives other bits");
    mst_error e;
    mst_convolution *plan = NULL;
    mst_context *small = test_context_with_budget(150000, 0);
    test_placed dx = test_place(small, MST_PLACE_DEVICE, &x), hx = test_place(small, MST_PLACE_HOST, &x);
    test_placed dy = test_place(small, MST_PLACE_DEVICE, &y), hy = test_place(small, MST_PLACE_HOST, &y);
    test_placed dz = test_place(small, MST_PLACE_DEVICE, &second), hz = test_place(small, MST_PLACE_HOST, &second);
    OK(mst_convolution_create(small, &desc, &plan, &e));
    for (int k = 0; k < 2; k++) {
        OK(mst_convolution_execute(plan, hx.at, hy.at, hz.at, NULL, &e));
        mst_status status = mst_convolution_execute(plan, dx.at, dy.at, dz.at, NULL, &e);
        CHECK(status == MST_OK || status == MST_ERROR_BUDGET, "on the device: %s", e.message);
        REFUSED(MST_ERROR_BUDGET, "", mst_convolution_execute(plan, hx.at, dy.at, hz.at, NULL, &e));
    }
    mst_convolution_destroy(plan);
    CHECK(mst_context_device_memory_used(small) == 0, "memory is still held");
    test_collect_input(&dx, &x), test_collect_input(&hx, &x);
    test_collect_input(&dy, &y), test_collect_input(&hy, &y);
    test_collect_output(&dz, &second), test_collect_output(&hz, &second);
    mst_context_destroy(small);
    test_array_free(&first);
    test_array_free(&second);
    test_array_free(&x);
    test_array_free(&y);
}

// Blocks that are shorter than those of the whole are taken only as long as there is no room for these.
static void after_a_shortage(void **state) {
    const panel_case c = {MST_FLOAT32, MST_FLOAT32, 1, 50021, 1, 211, FULL, false, 0};
    mst_convolution_desc desc = describe(&c);
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    test_array whole = test_convolution_run(*state, &desc, &x, &y, host, NULL);
    float *result = malloc(50231 * sizeof *result);
    CHECK(result, "no memory");
    mst_error e;
    mst_context *small = test_context_with_budget(300 << 10, 0);
    mst_convolution *plan = NULL;
    OK(mst_convolution_create(small, &desc, &plan, &e));
    for (size_t taps = 6400; taps < 20000; taps += 1600) {
        mst_convolver *other = NULL;
        mst_convolver_desc more = MST_CONVOLVER_DESC_INIT;
        more.kernel = test_array_at(&x, 0), more.taps = taps;
        mst_status status = mst_convolver_create(small, &more, &other, &e);
        CHECK(status == MST_OK || status == MST_ERROR_BUDGET, "%s", e.message);
        status = mst_convolution_execute(plan, mst_at_host(test_array_at(&x, 0)), mst_at_host(test_array_at(&y, 0)),
                                         mst_at_host(result), NULL, &e);
        CHECK(status == MST_OK || status == MST_ERROR_BUDGET, "%s", e.message);
        mst_convolver_destroy(other);
        OK(mst_convolution_execute(plan, mst_at_host(test_array_at(&x, 0)), mst_at_host(test_array_at(&y, 0)),
                                   mst_at_host(result), NULL, &e));
        for (size_t k = 0; k < 50231; k++)
            CHECK(memcmp(&result[k], test_array_at(&whole, k), sizeof *result) == 0,
                  "result %zu has other bits after a shortage beside %zu taps", k, taps);
    }
    mst_convolution_destroy(plan);
    mst_context_destroy(small);
    free(result);
    test_array_free(&whole), test_array_free(&x), test_array_free(&y);
}

// Panels take one axis more: what has none left goes as a whole.
static void of_most_axes(void **state) {
    const size_t long_shape[8] = {9000, 2, 2, 2, 2, 2, 2, 2}, short_shape[8] = {3, 2, 2, 2, 2, 2, 2, 2};
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.x = mst_layout_dense(MST_FLOAT32, 8, long_shape), desc.y = mst_layout_dense(MST_FLOAT32, 8, short_shape);
    desc.axes[0] = 0, desc.algorithm = MST_CONVOLUTION_DIRECT;
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    test_convolution_check(*state, &desc, &x, &y, host);
    test_array_free(&x), test_array_free(&y);
}

// The forecast counts a signal that goes with several kernels as often as its panels are read.
static void are_forecast(void **state) {
    const panel_case c = {MST_FLOAT32, MST_FLOAT32, 1, 50021, 4, 77, FULL, false, 0};
    mst_convolution_desc desc = describe(&c);
    mst_convolution_forecast f = MST_CONVOLUTION_FORECAST_INIT;
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    mst_convolution *plan = NULL;
    mst_error e;
    (void)state;
    mst_context *small = test_context_with_budget(150000, 0);
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    how.report = &report;
    OK(mst_convolution_create(small, &desc, &plan, &e));
    OK(mst_convolution_predict(plan, &f, &e));
    mst_convolution_destroy(plan);
    test_array z = test_convolution_run(small, &desc, &x, &y, host, &how);
    CHECK(f.panels > 4 && fabs((double)f.read_bytes / (double)report.upload_bytes - 1) < 0.15,
          "%llu bytes are forecast, not %llu", (unsigned long long)f.read_bytes, (unsigned long long)report.upload_bytes);
    test_array_free(&x), test_array_free(&y), test_array_free(&z);
    mst_context_destroy(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_every_kind),     cmocka_unit_test(of_any_layout),  cmocka_unit_test(give_the_same_bits),
        cmocka_unit_test(down_to_the_least), cmocka_unit_test(from_any_place), cmocka_unit_test(after_a_shortage),
        cmocka_unit_test(of_most_axes),      cmocka_unit_test(are_forecast),
    };
    return cmocka_run_group_tests_name("convolution panels", tests, test_setup_on_cpu, test_teardown);
}
