// Runtime: devices, contexts, the caller's OpenCL objects, budgets, logs, threads.
#include "support.h"

#include <math.h>
#include <pthread.h>
#include <time.h>

// Runs a small transform and holds it against FFTW.
static void works(mst_context *context) {
    size_t shape[] = {3, 64};
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    test_fft_check(context, &desc, MST_PLACE_HOST, MST_PLACE_HOST);
    test_fft_check(context, &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
}

// ---- status and version ----

static void names(void **state) {
    static const char *const expected[] = {"MST_OK",
                                           "MST_ERROR_ARGUMENT",
                                           "MST_ERROR_NO_DEVICE",
                                           "MST_ERROR_UNSUPPORTED",
                                           "MST_ERROR_HOST_MEMORY",
                                           "MST_ERROR_DEVICE_MEMORY",
                                           "MST_ERROR_BUDGET",
                                           "MST_ERROR_OPENCL",
                                           "MST_ERROR_BUILD",
                                           "MST_ERROR_IO",
                                           "MST_ERROR_FORMAT",
                                           "MST_ERROR_CANCELLED",
                                           "MST_ERROR_DIVERGED"};
    (void)state;
    for (int s = 0; s < 13; s++)
        assert_string_equal(mst_status_name((mst_status)s), expected[s]);
    assert_string_equal(mst_status_name((mst_status)13), "unknown status");
    assert_string_equal(mst_status_name((mst_status)-1), "unknown status");
    assert_string_equal(mst_version(), MST_VERSION_STRING);
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", MST_VERSION_MAJOR, MST_VERSION_MINOR, MST_VERSION_PATCH);
    assert_string_equal(version, MST_VERSION_STRING);
}

static void types(void **state) {
    static const struct {
        const char *name;
        size_t bytes;
    } expected[] = {{"unknown type", 0}, {"float32", 4}, {"float64", 8}, {"complex64", 8},   {"complex128", 16}, {"int8", 1},
                    {"uint8", 1},        {"int16", 2},   {"uint16", 2},  {"int32", 4},       {"uint32", 4},      {"int64", 8},
                    {"uint64", 8},       {"bool", 1},    {"float16", 2}, {"unknown type", 0}};
    (void)state;
    for (int t = 0; t <= 15; t++) {
        assert_string_equal(mst_type_name((mst_type)t), expected[t].name);
        assert_int_equal(mst_type_bytes((mst_type)t), expected[t].bytes);
    }
    assert_int_equal(mst_type_bytes((mst_type)-1), 0);
}

static void dense_layouts(void **state) {
    size_t shape[] = {2, 3, 4};
    (void)state;
    mst_layout l = mst_layout_dense(MST_INT16, 3, shape);
    assert_true(l.type == MST_INT16 && l.rank == 3 && l.shape[0] == 2 && l.shape[1] == 3 && l.shape[2] == 4);
    assert_true(l.strides[0] == 12 && l.strides[1] == 4 && l.strides[2] == 1);
    assert_int_equal(mst_layout_dense(MST_INT16, -1, shape).rank, -1);
}

// ---- devices ----

static void listing(void **state) {
    mst_device_info **list = NULL;
    size_t count = 0, defaults = 0;
    mst_error e;
    (void)state;
    OK(mst_devices_list(&list, &count, &e));
    assert_true(count >= 1);
    for (size_t i = 0; i < count; i++) {
        const mst_device_info *d = list[i];
        assert_int_equal(d->index, i);
        assert_true(d->name[0] && d->platform_name[0] && d->driver_version[0] && d->device_version[0] && d->device);
        assert_true(d->memory_bytes > 0 && d->max_allocation_bytes > 0 && d->compute_units > 0 && d->max_work_group_size > 0);
        assert_true(strncmp(d->c_version, "OpenCL C ", 9) == 0 && d->max_work_item_sizes[0] > 0);
        assert_true(d->fp64 == (d->native_width[MST_WIDTH_DOUBLE] > 0) && d->preferred_width[MST_WIDTH_FLOAT] > 0);
        defaults += d->is_default;
    }
    assert_int_equal(defaults, 1);
    mst_devices_free(list);
    mst_devices_free(NULL);
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_devices_list(NULL, &count, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_devices_list(&list, NULL, &e));
}

static void choice(void **state) {
    mst_device_info **list = NULL;
    size_t count = 0, wanted = 0;
    mst_error e;
    mst_context *c = NULL;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    const char *saved = getenv("MASTABA_DEVICE");
    char *kept = saved ? strdup(saved) : NULL, text[300];
    (void)state;
    unsetenv("MASTABA_DEVICE");
    desc.cache_directory = test_directory();
    OK(mst_devices_list(&list, &count, &e));
    while (!list[wanted]->is_default)
        wanted++;
    OK(mst_context_create(&desc, &c, &e)); // the default
    assert_true(mst_context_device(c)->device == list[wanted]->device);
    mst_context_destroy(c);
    for (size_t i = 0; i < count; i++) { // by index, from the description and from the environment
        if (!list[i]->available)
            continue;
        snprintf(text, sizeof text, "%zu", i);
        for (int by_environment = 0; by_environment < 2; by_environment++) {
            desc.device = by_environment ? NULL : text;
            setenv("MASTABA_DEVICE", by_environment ? text : "no such device", 1);
            OK(mst_context_create(&desc, &c, &e));
            assert_true(mst_context_device(c)->device == list[i]->device);
            assert_int_equal(mst_context_device(c)->index, i);
            mst_context_destroy(c);
        }
    }
    unsetenv("MASTABA_DEVICE");
    snprintf(text, sizeof text, "%s", list[wanted]->name); // by name, in the other case
    for (char *p = text; *p; p++)
        *p = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
    desc.device = text + 1;
    OK(mst_context_create(&desc, &c, &e));
    assert_string_equal(mst_context_device(c)->name, list[wanted]->name);
    mst_context_destroy(c);
    static const char *const unknown[] = {"no such device",          "999", "18446744073709551616",
                                          "99999999999999999999999", "-1",  "0x0"};
    for (size_t i = 0; i < 6; i++) {
        desc.device = unknown[i], c = (mst_context *)&e;
        REFUSED(MST_ERROR_NO_DEVICE, unknown[i], mst_context_create(&desc, &c, &e));
        CHECK(strstr(e.message, list[0]->name) || strlen(list[0]->name) > 200, "'%s' does not list the devices", e.message);
        assert_null(c);
    }
    setenv("MASTABA_DEVICE", "nowhere", 1);
    desc.device = NULL;
    REFUSED(MST_ERROR_NO_DEVICE, "nowhere", mst_context_create(&desc, &c, &e));
    if (kept)
        setenv("MASTABA_DEVICE", kept, 1);
    else
        unsetenv("MASTABA_DEVICE");
    free(kept);
    mst_devices_free(list);
}

// ---- contexts ----

static void bad_contexts(void **state) {
    mst_error e;
    mst_context *c = NULL;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_context_create(&desc, NULL, &e));
    desc.struct_size = 1;
    REFUSED(MST_ERROR_ARGUMENT, "struct_size", mst_context_create(&desc, &c, &e));
    assert_int_equal(mst_context_create(&desc, &c, NULL), MST_ERROR_ARGUMENT);
    desc.struct_size = sizeof desc, desc.opencl_context = mst_context_opencl(*state);
    REFUSED(MST_ERROR_ARGUMENT, "opencl_device", mst_context_create(&desc, &c, &e));
    desc.opencl_context = NULL, desc.opencl_device = mst_context_device(*state)->device;
    REFUSED(MST_ERROR_ARGUMENT, "opencl_context", mst_context_create(&desc, &c, &e));
    desc.opencl_device = NULL, desc.opencl_queue = mst_context_queue(*state);
    REFUSED(MST_ERROR_ARGUMENT, "opencl_context", mst_context_create(&desc, &c, &e));
    mst_context_destroy(NULL);
}

static cl_uint references(cl_context context) {
    cl_uint count = 0;
    assert_int_equal(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
    return count;
}

static cl_uint queue_references(cl_command_queue queue) {
    cl_uint count = 0;
    assert_int_equal(clGetCommandQueueInfo(queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL), CL_SUCCESS);
    return count;
}

// A driver lets go of a finished command's references when it comes to it: PoCL from a thread of its own, after clFinish.
static void references_settle(cl_context context, cl_uint context_wanted, cl_command_queue queue, cl_uint queue_wanted) {
    for (int wait = 0; wait < 1000; wait++) {
        if (references(context) == context_wanted && queue_references(queue) == queue_wanted)
            return;
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(queue_references(queue), queue_wanted);
    assert_int_equal(references(context), context_wanted);
}

static void callers_objects(void **state) {
    cl_device_id device = mst_context_device(*state)->device;
    cl_int code;
    cl_context mine = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_command_queue queue = clCreateCommandQueue(mine, device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_uint before = references(mine), queue_before = queue_references(queue);
    for (int with_queue = 0; with_queue < 2; with_queue++) {
        mst_context_desc desc = MST_CONTEXT_DESC_INIT;
        desc.opencl_context = mine, desc.opencl_device = device, desc.opencl_queue = with_queue ? queue : NULL;
        mst_context *c = test_context(&desc);
        assert_true(mst_context_opencl(c) == mine && mst_context_device(c)->device == device);
        assert_true(mst_context_queue(c) && (mst_context_queue(c) == queue) == with_queue);
        works(c);
        mst_context_destroy(c);
        references_settle(mine, before, queue, queue_before);
    }
    clReleaseCommandQueue(queue);
    clReleaseContext(mine);
}

// A context that cannot be made leaves the caller's objects as they were.
static void callers_objects_after_a_failure(void **state) {
    cl_device_id device = mst_context_device(*state)->device;
    cl_int code;
    cl_context mine = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    cl_command_queue foreign = mst_context_queue(*state);
    cl_command_queue unordered = clCreateCommandQueue(mine, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    cl_uint before = references(mine), foreign_before = queue_references(foreign);
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *c = NULL;
    mst_error e;
    desc.opencl_context = mine, desc.opencl_device = device, desc.opencl_queue = foreign;
    REFUSED(MST_ERROR_ARGUMENT, "opencl_queue", mst_context_create(&desc, &c, &e)); // of another context
    assert_int_equal(queue_references(foreign), foreign_before);
    desc.opencl_queue = unordered;
    if (unordered) { // not every device has such queues
        REFUSED(MST_ERROR_ARGUMENT, "order", mst_context_create(&desc, &c, &e));
        assert_int_equal(queue_references(unordered), 1);
    }
    assert_int_equal(references(mine), before);
    if (unordered)
        clReleaseCommandQueue(unordered);
    clReleaseContext(mine);
}

// ---- budgets and rates ----

static void budget_is_given_back(void **state) {
    mst_context_desc wanted = MST_CONTEXT_DESC_INIT;
    mst_error e;
    mst_fft *plan = NULL;
    size_t shape[] = {8, 65536};
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    const mst_device_info *device = mst_context_device(*state);
    assert_true(mst_context_device_memory_budget(*state) <= device->memory_bytes);
    assert_true(mst_context_device_memory_budget(*state) >= device->memory_bytes / 2);
    wanted.device_memory = 64 << 20;
    mst_context *c = test_context(&wanted);
    assert_int_equal(mst_context_device_memory_budget(c), 64 << 20);
    assert_int_equal(mst_context_device_memory_used(c), 0);
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    test_array x = test_array_random(&desc.input), y = test_array_new(&desc.input);
    OK(mst_fft_create(c, &desc, &plan, &e));
    OK(mst_fft_execute(plan, mst_at_host(x.image + x.origin), mst_at_host(y.image + y.origin), NULL, &e));
    uint64_t used = mst_context_device_memory_used(c);
    CHECK(used > 0 && used <= 64 << 20, "%llu bytes used", (unsigned long long)used);
    mst_fft_destroy(plan);
    assert_int_equal(mst_context_device_memory_used(c), 0);
    mst_context_destroy(c);
    test_array_free(&x);
    test_array_free(&y);
}

static void copy_rate(void **state) {
    mst_error e;
    double rate = 0;
    OK(mst_context_copy_rate(*state, &rate, &e));
    CHECK(rate > 1e8 && rate < 1e14, "%g bytes per second", rate);
    assert_int_equal(mst_context_device_memory_used(*state), 0);
    mst_context_desc wanted = MST_CONTEXT_DESC_INIT;
    wanted.device_memory = 1 << 20;
    mst_context *small = test_context(&wanted);
    OK(mst_context_copy_rate(small, &rate, &e));
    assert_true(rate > 0);
    mst_context_destroy(small);
    REFUSED(MST_ERROR_ARGUMENT, "", mst_context_copy_rate(*state, NULL, &e));
}

// ---- log ----

typedef struct lines {
    pthread_mutex_t mutex;
    int count, levels[3], inside;
    bool wrong;
} lines;

static void keep_line(mst_log_level level, const char *line, void *user) {
    lines *l = user;
    if (pthread_mutex_trylock(&l->mutex) != 0) { // calls come one at a time
        l->wrong = true;
        return;
    }
    l->wrong = l->wrong || !*line || strchr(line, '\n') || (unsigned)level > 2;
    l->count++;
    l->levels[level]++;
    pthread_mutex_unlock(&l->mutex);
}

static void logging(void **state) {
    (void)state;
    lines l = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.log = keep_line, desc.log_user = &l;
    mst_context *c = test_context(&desc);
    works(c);
    mst_context_destroy(c);
    CHECK(l.count >= 2 && l.levels[MST_LOG_INFO] >= 1 && l.levels[MST_LOG_DEBUG] >= 1 && !l.wrong, "%d lines", l.count);
}

// ---- threads ----

typedef struct worker {
    pthread_t thread;
    mst_context *context;
    mst_fft_desc desc;
    test_array input, expected;
    mst_place place;
    int rounds;
    char trouble[600];
} worker;

// No CHECK in here: cmocka's jumps belong to the main thread.
static void *work(void *argument) {
    worker *w = argument;
    mst_error e;
    unsigned char *out = malloc(w->expected.bytes);
    for (int i = 0; i < w->rounds && out && !w->trouble[0]; i++) {
        mst_fft *plan = NULL;
        memset(out, 0xff, w->expected.bytes);
        if (mst_fft_create(w->context, &w->desc, &plan, &e) != MST_OK ||
            mst_fft_execute(plan, mst_at_host(w->input.image + w->input.origin), mst_at_host(out + w->expected.origin), NULL,
                            &e) != MST_OK)
            snprintf(w->trouble, sizeof w->trouble, "round %d: %s", i, e.message);
        else if (memcmp(out, w->expected.image, w->expected.bytes) != 0)
            snprintf(w->trouble, sizeof w->trouble, "round %d: the result differs", i);
        mst_fft_destroy(plan);
    }
    free(out);
    return NULL;
}

static void run_threads(mst_context *reference, mst_context *const *contexts, size_t n_contexts) {
    enum { THREADS = 4 };
    static const size_t lengths[THREADS] = {64, 1024, 8192, 64}; // two make the same program
    worker w[THREADS];
    memset(w, 0, sizeof w);
    for (size_t i = 0; i < THREADS; i++) {
        size_t shape[] = {20, lengths[i]};
        const mst_fft_desc desc = MST_FFT_DESC_INIT;
        w[i].desc = desc;
        w[i].desc.input = mst_layout_dense(i == 1 ? MST_COMPLEX128 : MST_COMPLEX64, 2, shape);
        w[i].input = test_array_random(&w[i].desc.input);
        w[i].expected = test_fft_run(reference, &w[i].desc, &w[i].input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
        w[i].context = contexts[i % n_contexts];
        w[i].rounds = 8;
    }
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(w[i].thread, NULL);
    for (size_t i = 0; i < THREADS; i++) {
        CHECK(!w[i].trouble[0], "thread %zu: %s", i, w[i].trouble);
        test_array_free(&w[i].input);
        test_array_free(&w[i].expected);
    }
}

static void threads_on_one_context(void **state) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.host_memory = 0;
    mst_context *shared = test_context(&desc);
    run_threads(*state, &shared, 1);
    assert_int_equal(mst_context_device_memory_used(shared), 0);
    mst_context_destroy(shared);
}

static void threads_on_their_own_contexts(void **state) {
    mst_context *own[2] = {test_context(NULL), test_context(NULL)};
    run_threads(*state, own, 2);
    mst_context_destroy(own[0]);
    mst_context_destroy(own[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names),
        cmocka_unit_test(types),
        cmocka_unit_test(dense_layouts),
        cmocka_unit_test(listing),
        cmocka_unit_test(choice),
        cmocka_unit_test(bad_contexts),
        cmocka_unit_test(callers_objects),
        cmocka_unit_test(callers_objects_after_a_failure),
        cmocka_unit_test(budget_is_given_back),
        cmocka_unit_test(copy_rate),
        cmocka_unit_test(logging),
        cmocka_unit_test(threads_on_one_context),
        cmocka_unit_test(threads_on_their_own_contexts),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
