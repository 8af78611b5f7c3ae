// Convolution: places, blocks under a budget, progress and cancelling.
#include "support.h"

static const mst_place all_places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};

static void every_mix_of_places(void **state) {
    for (int a = MST_CONVOLUTION_AUTO; a <= MST_CONVOLUTION_PAPER_E; a++)
        for (int by = 1; by <= 5; by += 4) {
            mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, 5, 60, MST_COMPLEX64, (size_t)by, 21);
            desc.algorithm = (mst_convolution_algorithm)a;
            test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
            test_array first = test_convolution_run(*state, &desc, &x, &y, host, NULL);
            for (int p = 1; p < 27; p++) {
                const mst_place places[3] = {all_places[p % 3], all_places[p / 3 % 3], all_places[p / 9]};
                test_array z = test_convolution_run(*state, &desc, &x, &y, places, NULL);
                CHECK(test_array_same(&first, &z), "%s: %s and %s to %s differs from host",
                      mst_convolution_algorithm_name(desc.algorithm), test_place_name(places[0]), test_place_name(places[1]),
                      test_place_name(places[2]));
                test_array_free(&z);
            }
            test_array_free(&x);
            test_array_free(&y);
            test_array_free(&first);
        }
}

static void blocks_give_the_same_bits(void **state) {
    static const struct {
        size_t bx, n, by, m;
        uint64_t device_memory, host_memory;
    } table[] = {{60, 500, 60, 120, 200000, 0},
                 {60, 500, 1, 120, 0, 60000},
                 {1, 500, 60, 120, 200000, 60000},
                 {3000, 9, 3000, 4, 20000, 20000}};
    static const mst_place file[3] = {MST_PLACE_FILE, MST_PLACE_FILE, MST_PLACE_FILE};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int a = MST_CONVOLUTION_AUTO; a <= MST_CONVOLUTION_PAPER_E; a++) {
            mst_convolution_desc desc =
                test_convolution_desc(MST_FLOAT32, table[i].bx, table[i].n, MST_FLOAT32, table[i].by, table[i].m);
            desc.algorithm = (mst_convolution_algorithm)a;
            mst_context *small = test_context_with_budget(table[i].device_memory, table[i].host_memory);
            mst_report report = MST_REPORT_INIT;
            mst_execution how = MST_EXECUTION_INIT;
            how.report = &report;
            test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
            test_array whole = test_convolution_run(*state, &desc, &x, &y, host, NULL);
            for (int f = 0; f < 2; f++) {
                test_array parts = test_convolution_run(small, &desc, &x, &y, f ? file : host, &how);
                CHECK(test_array_same(&whole, &parts), "case %zu, %s: %llu blocks differ from one", i,
                      mst_convolution_algorithm_name(desc.algorithm), (unsigned long long)report.blocks);
                CHECK(report.blocks > 1, "case %zu, %s went in one block", i, mst_convolution_algorithm_name(desc.algorithm));
                test_array_free(&parts);
            }
            assert_int_equal(mst_context_device_memory_used(small), 0);
            mst_context_destroy(small);
            test_array_free(&whole);
            test_array_free(&x);
            test_array_free(&y);
        }
}

// The message names the least budget that works: some number in it works, and one byte less does not.
static void budgets_too_small(void **state) {
    static char data[200000];
    (void)state;
    for (int a = MST_CONVOLUTION_AUTO; a <= MST_CONVOLUTION_PAPER_E; a++)
        for (int broadcast = 0; broadcast < 2; broadcast++)
            for (int on_host = 0; on_host < 2; on_host++) {
                mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, 5, 4000, MST_FLOAT32, broadcast ? 1 : 5, 1000);
                mst_error e, ignored;
                bool found = false;
                uint64_t least;
                desc.algorithm = (mst_convolution_algorithm)a;
#define TRY(bytes, error) test_convolution_attempt(on_host ? 0 : (bytes), on_host ? (bytes) : 0, &desc, data, 80000, error)
                if (a == MST_CONVOLUTION_REFERENCE) { // takes nothing of the device and stages nothing
                    OK(TRY(1, &e));
                    continue;
                }
                REFUSED(MST_ERROR_BUDGET, "", TRY(1, &e));
                for (const char *text = e.message; !found && test_next_number(&text, &least);)
                    found = least > 1 && TRY(least, &ignored) == MST_OK && TRY(least - 1, &ignored) == MST_ERROR_BUDGET;
#undef TRY
                CHECK(found, "%s: '%s' does not name the least %s that works", mst_convolution_algorithm_name(desc.algorithm),
                      e.message, on_host ? "host_memory" : "device_memory");
            }
}

static void progress_and_cancelling(void **state) {
    (void)state;
    for (int a = MST_CONVOLUTION_AUTO; a <= MST_CONVOLUTION_PAPER_E; a++) {
        mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, 40, 500, MST_FLOAT32, 1, 120);
        desc.algorithm = (mst_convolution_algorithm)a;
        mst_context *small = test_context_with_budget(150000, 100000);
        mst_error e;
        mst_convolution *plan = NULL;
        mst_layout layout;
        OK(mst_convolution_result(&desc, &layout, &e));
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y), z = test_array_new(&layout);
        test_placed px = test_place(small, MST_PLACE_HOST, &x), py = test_place(small, MST_PLACE_FILE, &y);
        test_watch w = {0}, stopping = {.stop_at = 2};
        mst_execution how = MST_EXECUTION_INIT;
        how.progress = test_watching, how.progress_user = &w;
        OK(mst_convolution_create(small, &desc, &plan, &e));
        OK(mst_convolution_execute(plan, px.at, py.at, mst_at_host(z.image + z.origin), &how, &e));
        CHECK(w.calls >= 2 && !w.wrong && w.last == 40 && w.total == 40, "%s: %llu calls, last %llu of %llu",
              mst_convolution_algorithm_name(desc.algorithm), (unsigned long long)w.calls, (unsigned long long)w.last,
              (unsigned long long)w.total);
        how.progress_user = &stopping;
        REFUSED(MST_ERROR_CANCELLED, "", mst_convolution_execute(plan, px.at, py.at, mst_at_host(z.image + z.origin), &how, &e));
        assert_int_equal(stopping.calls, 2);
        mst_convolution_destroy(plan);
        test_array ax = test_array_new(&desc.x), ay = test_array_new(&desc.y);
        test_collect(&px, &ax);
        test_collect(&py, &ay);
        assert_memory_equal(x.image, ax.image, x.bytes);
        assert_memory_equal(y.image, ay.image, y.bytes);
        test_array_free(&x), test_array_free(&y), test_array_free(&z), test_array_free(&ax), test_array_free(&ay);
        assert_int_equal(mst_context_device_memory_used(small), 0);
        mst_context_destroy(small);
    }
}

// Direct sums of a single item, by each kernel: somebody is asked between its beginning and its end, too, where it has more
// products than the first launch takes, can end it there, and results are those of one launch, bit by bit. The last item is for
// GPUs, whose first launch takes the others whole.
static void one_long_item(void **state) {
    static const struct {
        size_t n[2], m[2];
    } sizes[] = {{{1, 1 << 20}, {1, 41}},
                 {{1, 1 << 16}, {1, 700}},
                 {{1000, 1000}, {5, 7}},
                 {{600, 600}, {12, 11}},
                 {{1, 1 << 21}, {1, 1 << 13}}};
    const bool is_cpu = mst_context_device(*state)->type & CL_DEVICE_TYPE_CPU;
    for (int k = 0; k < 10; k++) {
        if (k / 2 == 4 ? is_cpu || k % 2 == 0 : k % 2 && !test_turn((size_t)k / 2, 4))
            continue;
        const size_t *n = sizes[k / 2].n, *m = sizes[k / 2].m;
        const bool is_cut = (double)n[0] * (double)n[1] * (double)m[0] * (double)m[1] > (is_cpu ? 2e7 : 1e10);
        mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, n[0], n[1], MST_FLOAT32, m[0], m[1]);
        desc.algorithm = MST_CONVOLUTION_DIRECT;
        desc.shape = k % 2 ? MST_FFT_SHAPE_GPU : MST_FFT_SHAPE_CPU;
        desc.n_axes = 2, desc.axes[0] = 0, desc.axes[1] = 1;
        if (n[0] == 1)
            desc.n_axes = 1, desc.axes[0] = 1;
        mst_error e;
        mst_convolution *plan = NULL;
        mst_layout layout;
        OK(mst_convolution_result(&desc, &layout, &e));
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y),
                   z[] = {test_array_new(&layout), test_array_new(&layout)};
        test_placed px = test_place(*state, MST_PLACE_DEVICE, &x), py = test_place(*state, MST_PLACE_DEVICE, &y),
                    pz[] = {test_place(*state, MST_PLACE_DEVICE, &z[0]), test_place(*state, MST_PLACE_DEVICE, &z[1])};
        test_watch w = {0}, stopping = {.stop_at = is_cut ? 2 : 1};
        mst_execution how = MST_EXECUTION_INIT;
        OK(mst_convolution_create(*state, &desc, &plan, &e));
        OK(mst_convolution_execute(plan, px.at, py.at, pz[0].at, &how, &e));
        how.progress = test_watching, how.progress_user = &w;
        OK(mst_convolution_execute(plan, px.at, py.at, pz[1].at, &how, &e));
        CHECK((w.calls > 2) == is_cut && !w.wrong && w.last == 1 && w.total == 1, "case %d: %llu calls, last %llu of %llu", k,
              (unsigned long long)w.calls, (unsigned long long)w.last, (unsigned long long)w.total);
        how.progress_user = &stopping;
        REFUSED(MST_ERROR_CANCELLED, "", mst_convolution_execute(plan, px.at, py.at, pz[1].at, &how, &e));
        assert_int_equal(stopping.calls, stopping.stop_at);
        mst_convolution_destroy(plan);
        test_collect(&px, &x), test_collect(&py, &y), test_collect(&pz[0], &z[0]), test_collect(&pz[1], &z[1]);
        assert_memory_equal(z[0].image, z[1].image, z[0].bytes);
        test_array_free(&x), test_array_free(&y), test_array_free(&z[0]), test_array_free(&z[1]);
    }
}

// The library's clock: it stands still where the test moves it.
static struct {
    bool stands;
    double now, asking; // seconds; those that progress takes
} fake;

double __real_mst_now(void);
double __wrap_mst_now(void);
double __wrap_mst_now(void) { return fake.stands ? fake.now : __real_mst_now(); }

static bool asked_slowly(uint64_t done, uint64_t total, void *watch) {
    fake.now += fake.asking;
    return test_watching(done, total, watch);
}

// A caller who takes his time in saying whether to go on does not make launches shorter.
static void slow_progress(void **state) {
    mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, 1, 1 << 17, MST_FLOAT32, 1, 700);
    desc.algorithm = MST_CONVOLUTION_DIRECT;
    mst_error e;
    mst_convolution *plan = NULL;
    mst_layout layout;
    OK(mst_convolution_result(&desc, &layout, &e));
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y), z = test_array_new(&layout);
    test_placed px = test_place(*state, MST_PLACE_DEVICE, &x), py = test_place(*state, MST_PLACE_DEVICE, &y),
                pz = test_place(*state, MST_PLACE_DEVICE, &z);
    OK(mst_convolution_create(*state, &desc, &plan, &e));
    uint64_t calls = 0;
    for (int slow = 0; slow < 2; slow++) {
        test_watch w = {.stop_at = slow ? calls + 1 : 0};
        mst_execution how = MST_EXECUTION_INIT;
        how.progress = asked_slowly, how.progress_user = &w;
        fake.asking = slow ? 10 : 0, fake.stands = true;
        mst_status status = mst_convolution_execute(plan, px.at, py.at, pz.at, &how, &e);
        fake.stands = false;
        CHECK(status == MST_OK && (!slow || w.calls == calls), "%s progress: %s after %llu calls, %llu where it is quick",
              slow ? "slow" : "quick", mst_status_name(status), (unsigned long long)w.calls, (unsigned long long)calls);
        calls = w.calls;
    }
    mst_convolution_destroy(plan);
    test_collect(&px, &x), test_collect(&py, &y), test_collect(&pz, &z);
    test_array_free(&x), test_array_free(&y), test_array_free(&z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mix_of_places), cmocka_unit_test(blocks_give_the_same_bits),
        cmocka_unit_test(budgets_too_small),   cmocka_unit_test(progress_and_cancelling),
        cmocka_unit_test(one_long_item),       cmocka_unit_test(slow_progress),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
