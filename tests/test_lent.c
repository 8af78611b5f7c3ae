// Host arrays that a CPU works on where they lie: any address and memory that is not written to, neighbours in a page, strides,
// threads, wait lists and events, in place, reports, and the same by way of staging memory.
#include "runtime/context.h"
#include "support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROWS = 6, LENGTH = 60, BYTES = ROWS * LENGTH * 16 };

static struct {
    atomic_int left;           // buffers on host memory until they are refused; negative: none is
    atomic_bool filled, early; // the input; a buffer was made before
    atomic_bool watches, meet; // buffers of one thread; two of them have memory in common
    atomic_int made;           // all buffers
    uintptr_t begin[64], end[64];
    size_t n;
} host_buffers = {.left = -1, .filled = true};

cl_mem __real_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code);
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code);
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code) {
    if (flags & CL_MEM_USE_HOST_PTR) {
        if (!host_buffers.filled)
            host_buffers.early = true;
        if (host_buffers.left == 0) {
            *code = CL_INVALID_HOST_PTR;
            return NULL;
        }
        host_buffers.left -= host_buffers.left > 0;
        for (size_t k = 0; host_buffers.watches && k < host_buffers.n; k++)
            if ((uintptr_t)host < host_buffers.end[k] && host_buffers.begin[k] < (uintptr_t)host + size)
                host_buffers.meet = true;
        if (host_buffers.watches && host_buffers.n < 64) {
            host_buffers.begin[host_buffers.n] = (uintptr_t)host;
            host_buffers.end[host_buffers.n++] = (uintptr_t)host + size;
        }
    }
    host_buffers.made++;
    return __real_clCreateBuffer(context, flags, size, host, code);
}

static mst_fft *plan_of(mst_context *context) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    const size_t shape[] = {ROWS, LENGTH};
    mst_error e;
    mst_fft *plan = NULL;
    desc.input = mst_layout_dense(MST_COMPLEX128, 2, shape);
    OK(mst_fft_create(context, &desc, &plan, &e));
    return plan;
}

static void fill(double *numbers) {
    for (size_t k = 0; k < BYTES / sizeof *numbers; k++)
        numbers[k] = (double)test_between(0, 1000) / 500 - 1;
}

static bool is_cpu(mst_context *context) { return mst_context_device(context)->type & CL_DEVICE_TYPE_CPU; }

static void ask(bool copies) { setenv("MASTABA_HOST_ARRAYS", copies ? "copy" : "", 1); }

// Addresses that are multiples of 8 bytes only, half of an element, go through staging memory.
static void every_address_and_memory(void **state) {
    static _Alignas(16) double room[2][BYTES / sizeof(double) + 16], wanted[BYTES / sizeof(double)];
    mst_error e;
    mst_fft *plan = plan_of(*state);
    double *sealed = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(sealed != MAP_FAILED);
    fill(sealed);
    assert_int_equal(mprotect(sealed, BYTES, PROT_READ), 0);
    ask(true);
    OK(mst_fft_execute(plan, mst_at_host(sealed), mst_at_host(wanted), NULL, &e));
    ask(false);
    const uint64_t used = mst_context_device_memory_used(*state);
    for (size_t from = 0; from < 4; from++)
        for (size_t to = 0; to < 4; to++) {
            memcpy(room[0] + from, sealed, BYTES);
            memset(room[1], 0xff, sizeof room[1]);
            OK(mst_fft_execute(plan, mst_at_host(from ? room[0] + from : sealed), mst_at_host(room[1] + to), NULL, &e));
            CHECK(memcmp(room[1] + to, wanted, BYTES) == 0, "%zu doubles from a page to %zu from one: other bits", from, to);
            OK(mst_fft_execute(plan, mst_at_host(room[0] + from), mst_at_host(room[0] + from), NULL, &e)); // in place
            CHECK(memcmp(room[0] + from, wanted, BYTES) == 0, "in place at %zu doubles: other bits", from);
        }
    assert_true(mst_context_device_memory_used(*state) <= used + 1024); // twiddles of the first call
    mst_fft_destroy(plan);
    munmap(sealed, BYTES);
}

// What several buffers on the same memory hold is not defined, so arrays that share a page share a buffer.
static void neighbours_in_pages(void **state) {
    static _Alignas(4096) double room[3 * BYTES / sizeof(double)], wanted[BYTES / sizeof(double)];
    mst_error e;
    for (int k = 0; k < 6; k++) {
        mst_fft *plan = plan_of(*state);
        double *x = room + 2 * (size_t)k, *z = x + BYTES / sizeof *x;
        double *first = k < 3 ? x : z, *second = k < 3 ? z : x; // the input before or behind the output
        for (size_t i = 0; i < sizeof room / sizeof *room; i++)
            room[i] = (double)test_between(0, 1000) / 500 - 1;
        ask(true);
        OK(mst_fft_execute(plan, mst_at_host(first), mst_at_host(wanted), NULL, &e));
        ask(false);
        host_buffers.n = 0;
        host_buffers.meet = false;
        host_buffers.watches = true;
        OK(mst_fft_execute(plan, mst_at_host(first), mst_at_host(second), NULL, &e));
        host_buffers.watches = false;
        CHECK(!host_buffers.meet, "case %d: two buffers on the same memory", k);
        CHECK(host_buffers.n == (is_cpu(*state) ? 1 : 0), "case %d: %zu buffers", k, host_buffers.n);
        CHECK(memcmp(second, wanted, BYTES) == 0, "case %d: other bits", k);
        mst_fft_destroy(plan);
    }
}

// Gaps of the output keep what they held, and each row lies anywhere: strides of all kinds, one of them backwards.
static void strides_and_gaps(void **state) {
    static _Alignas(4096) double room[2][6 * BYTES / sizeof(double)], wanted[6 * BYTES / sizeof(double)];
    static const int64_t strides[][2] = {{LENGTH + 3, 1}, {2 * LENGTH, 2}, {1, ROWS}, {-LENGTH, 1}, {LENGTH, -1}};
    mst_error e;
    for (size_t k = 0; k < sizeof strides / sizeof *strides; k++) {
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        const size_t shape[] = {ROWS, LENGTH};
        const int64_t *s = strides[k], start = (s[0] < 0 ? -s[0] * (ROWS - 1) : 0) + (s[1] < 0 ? LENGTH - 1 : 0);
        mst_fft *plan = NULL;
        desc.input = desc.output = mst_layout_dense(MST_COMPLEX128, 2, shape);
        for (int a = 0; a < 2; a++)
            desc.input.strides[a] = strides[(k + 1) % 5][a], desc.output.strides[a] = s[a];
        const int64_t *t = desc.input.strides, from = (t[0] < 0 ? -t[0] * (ROWS - 1) : 0) + (t[1] < 0 ? LENGTH - 1 : 0);
        OK(mst_fft_create(*state, &desc, &plan, &e));
        fill(room[0]), memset(room[1], 0x55, sizeof room[1]), memset(wanted, 0x55, sizeof wanted);
        ask(true);
        OK(mst_fft_execute(plan, mst_at_host(room[0] + 2 * from), mst_at_host(wanted + 2 * start), NULL, &e));
        ask(false);
        OK(mst_fft_execute(plan, mst_at_host(room[0] + 2 * from), mst_at_host(room[1] + 2 * start), NULL, &e));
        CHECK(memcmp(room[1], wanted, sizeof wanted) == 0, "strides %lld, %lld: other bytes in or between the elements",
              (long long)s[0], (long long)s[1]);
        mst_fft_destroy(plan);
    }
}

// Threads with plans, and one plan for all, on one context.
typedef struct worker {
    mst_fft *plan;
    double x[BYTES / sizeof(double)], z[BYTES / sizeof(double)], wanted[BYTES / sizeof(double)];
    int wrong;
} worker;

static void *work(void *user) {
    worker *w = user;
    mst_error e;
    for (int k = 0; k < 20; k++) {
        memset(w->z, 0xff, sizeof w->z);
        w->wrong += mst_fft_execute(w->plan, mst_at_host(w->x), mst_at_host(w->z), NULL, &e) != MST_OK ||
                    memcmp(w->z, w->wanted, sizeof w->z) != 0;
    }
    return NULL;
}

static void threads(void **state) {
    enum { N = 4 };
    mst_error e;
    mst_fft *plans[2] = {plan_of(*state), plan_of(*state)};
    worker *workers = calloc(N, sizeof *workers);
    pthread_t ids[N];
    assert_non_null(workers);
    for (int k = 0; k < N; k++) {
        workers[k].plan = plans[k % 2];
        fill(workers[k].x);
        ask(true);
        OK(mst_fft_execute(workers[k].plan, mst_at_host(workers[k].x), mst_at_host(workers[k].wanted), NULL, &e));
        ask(false);
    }
    for (int k = 0; k < N; k++)
        assert_int_equal(pthread_create(&ids[k], NULL, work, &workers[k]), 0);
    for (int k = 0; k < N; k++)
        pthread_join(ids[k], NULL);
    for (int k = 0; k < N; k++)
        CHECK(workers[k].wrong == 0, "thread %d: %d of 20 results are wrong", k, workers[k].wrong);
    free(workers);
    mst_fft_destroy(plans[0]);
    mst_fft_destroy(plans[1]);
}

// What the plan's own staging memory takes does not keep arrays from being lent.
static void own_memory_is_free(void **state) {
    static _Alignas(4096) double x[BYTES / sizeof(double)], z[BYTES / sizeof(double)];
    mst_error e;
    mst_fft *plan = plan_of(*state);
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    mst_context *context = *state;
    const uint64_t limit = context->device_memory.limit;
    how.report = &report;
    fill(x);
    ask(false);
    OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), NULL, &e)); // its work memory
    const uint64_t needed = mst_context_device_memory_used(context) + 2 * (BYTES + 4096);
    ask(true);
    OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), NULL, &e)); // and staging beside it
    ask(false);
    context->device_memory.limit = needed;
    const mst_status status = mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), &how, &e);
    context->device_memory.limit = limit;
    OK(status);
    CHECK(!is_cpu(context) || report.upload_bytes == 0, "%llu bytes were copied", (unsigned long long)report.upload_bytes);
    mst_fft_destroy(plan);
}

// Nor is it given back, to be made again by each run, where arrays have no room beside nothing.
static void own_memory_stays(void **state) {
    static _Alignas(4096) double x[BYTES / sizeof(double)], z[BYTES / sizeof(double)];
    mst_error e;
    mst_fft *plan = plan_of(*state);
    mst_context *context = *state;
    const uint64_t limit = context->device_memory.limit;
    fill(x);
    context->device_memory.limit = mst_context_device_memory_used(context) + BYTES;
    for (int k = 0; k < 3; k++) {
        const int before = host_buffers.made;
        const mst_status status = mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), NULL, &e);
        if (status != MST_OK)
            context->device_memory.limit = limit;
        OK(status);
        CHECK((host_buffers.made > before) == (k == 0), "run %d makes %d buffers", k, host_buffers.made - before);
    }
    context->device_memory.limit = limit;
    mst_fft_destroy(plan);
}

static void reports(void **state) {
    static _Alignas(16) double x[BYTES / sizeof(double)], z[BYTES / sizeof(double)];
    mst_error e;
    mst_fft *plan = plan_of(*state);
    for (int copies = 0; copies < 2; copies++) {
        mst_report report = MST_REPORT_INIT;
        mst_execution how = MST_EXECUTION_INIT;
        how.report = &report;
        ask(copies);
        fill(x);
        OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), &how, &e));
        const bool lent = is_cpu(*state) && !copies;
        CHECK(report.upload_bytes == (lent ? 0 : BYTES) && report.download_bytes == (lent ? 0 : BYTES) && report.blocks == 1,
              "%d: %llu bytes up, %llu down, in %llu blocks", copies, (unsigned long long)report.upload_bytes,
              (unsigned long long)report.download_bytes, (unsigned long long)report.blocks);
    }
    ask(false);
    mst_fft_destroy(plan);
}

// The call blocks, gives an event that is complete, and fails where what it waits for has failed.
static void wait_lists_and_events(void **state) {
    static _Alignas(16) double x[BYTES / sizeof(double)], z[BYTES / sizeof(double)], wanted[BYTES / sizeof(double)];
    mst_fft *plan = plan_of(*state);
    mst_error e;
    fill(x);
    OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(wanted), NULL, &e));
    for (int copies = 0; copies < 2; copies++)
        for (int fails = 0; fails < 2; fails++) {
            cl_int code, reached;
            cl_event start = clCreateUserEvent(mst_context_opencl(*state), &code), done = NULL;
            assert_int_equal(code, CL_SUCCESS);
            assert_int_equal(clSetUserEventStatus(start, fails ? CL_OUT_OF_RESOURCES : CL_COMPLETE), CL_SUCCESS);
            mst_execution how = MST_EXECUTION_INIT;
            how.n_wait = 1, how.wait_list = &start, how.event = &done;
            ask(copies);
            memset(z, 0, sizeof z);
            const mst_status status = mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), &how, &e);
            CHECK((status == MST_OK) == !fails && (done != NULL) == !fails, "%s, %s", mst_status_name(status),
                  fails ? "though what it waits for failed" : e.message);
            if (done) {
                assert_int_equal(clGetEventInfo(done, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof reached, &reached, NULL),
                                 CL_SUCCESS);
                CHECK(reached == CL_COMPLETE && memcmp(z, wanted, sizeof z) == 0, "the call did not wait for its result");
                clReleaseEvent(done);
            }
            clReleaseEvent(start);
        }
    ask(false);
    mst_fft_destroy(plan);
}

typedef struct filling {
    cl_event event;
    double *to;
    const double *from;
} filling;

static void *fill_late(void *user) {
    const filling *f = user;
    usleep(20000);
    memcpy(f->to, f->from, BYTES);
    host_buffers.filled = true;
    clSetUserEventStatus(f->event, CL_COMPLETE);
    return NULL;
}

// A device may read memory when a buffer is made on it.
static void input_that_is_written_meanwhile(void **state) {
    static _Alignas(16) double from[BYTES / sizeof(double)], x[BYTES / sizeof(double)], z[BYTES / sizeof(double)],
        wanted[BYTES / sizeof(double)];
    mst_fft *plan = plan_of(*state);
    mst_error e;
    cl_int code;
    pthread_t thread;
    fill(from);
    OK(mst_fft_execute(plan, mst_at_host(from), mst_at_host(wanted), NULL, &e));
    filling f = {clCreateUserEvent(mst_context_opencl(*state), &code), x, from};
    assert_int_equal(code, CL_SUCCESS);
    host_buffers.filled = false;
    assert_int_equal(pthread_create(&thread, NULL, fill_late, &f), 0);
    mst_execution how = MST_EXECUTION_INIT;
    how.n_wait = 1, how.wait_list = &f.event;
    OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), &how, &e));
    pthread_join(thread, NULL);
    assert_memory_equal(z, wanted, sizeof z);
    CHECK(!host_buffers.early, "a buffer was made on memory that is still written");
    clReleaseEvent(f.event);
    mst_fft_destroy(plan);
}

// What cannot be a buffer is copied.
static void memory_that_is_refused(void **state) {
    static _Alignas(16) double x[BYTES / sizeof(double)], z[BYTES / sizeof(double)], wanted[BYTES / sizeof(double)];
    mst_fft *plan = plan_of(*state);
    mst_error e;
    fill(x);
    OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(wanted), NULL, &e));
    const uint64_t used = mst_context_device_memory_used(*state);
    for (int left = 0; left < 2; left++) {
        mst_report report = MST_REPORT_INIT;
        mst_execution how = MST_EXECUTION_INIT;
        how.report = &report;
        host_buffers.left = left;
        memset(z, 0xff, sizeof z);
        OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), &how, &e));
        host_buffers.left = -1;
        assert_memory_equal(z, wanted, sizeof z);
        CHECK(report.upload_bytes == BYTES, "%llu bytes up", (unsigned long long)report.upload_bytes);
        OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), NULL, &e));
    }
    mst_fft_destroy(plan);
    CHECK(mst_context_device_memory_used(*state) <= used, "memory is left");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_address_and_memory), cmocka_unit_test(reports),
        cmocka_unit_test(wait_lists_and_events),    cmocka_unit_test(input_that_is_written_meanwhile),
        cmocka_unit_test(memory_that_is_refused),   cmocka_unit_test(neighbours_in_pages),
        cmocka_unit_test(strides_and_gaps),         cmocka_unit_test(threads),
        cmocka_unit_test(own_memory_is_free),       cmocka_unit_test(own_memory_stays),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
