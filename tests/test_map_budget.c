// What maps, reductions and running sums of files allocate, beside the budgets for it: buffers are counted as they are made and
// released, and memory of the host as it is asked for. Refusals name budgets that suffice, of the device and of the host.
#include "support.h"

#include "runtime/context.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST_BUFFERS = 4096, SMALL = 64 << 10 }; // the second: memory of the host that is for no data

static struct {
    pthread_mutex_t mutex;
    cl_mem buffers[MOST_BUFFERS];
    size_t bytes[MOST_BUFFERS], n, now, most;
    atomic_size_t largest; // of what was asked of the host
    size_t refused;        // so many bytes at once, and more; 0: none are
    bool is_staged;        // the device has memory of its own, and blocks go to it through memory of the host
} taken = {.mutex = PTHREAD_MUTEX_INITIALIZER};

cl_mem __real_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code);
cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code);
cl_int __real_clReleaseMemObject(cl_mem buffer);
cl_int __wrap_clReleaseMemObject(cl_mem buffer);
void *__real_malloc(size_t bytes);
void *__wrap_malloc(size_t bytes);

cl_mem __wrap_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host, cl_int *code) {
    cl_mem buffer = __real_clCreateBuffer(context, flags, size, host, code);
    pthread_mutex_lock(&taken.mutex);
    if (buffer && taken.n < MOST_BUFFERS && !(taken.is_staged && flags & CL_MEM_ALLOC_HOST_PTR)) {
        taken.buffers[taken.n] = buffer;
        taken.bytes[taken.n++] = size;
        taken.now += size;
        taken.most = taken.now > taken.most ? taken.now : taken.most;
    }
    pthread_mutex_unlock(&taken.mutex);
    return buffer;
}

cl_int __wrap_clReleaseMemObject(cl_mem buffer) {
    pthread_mutex_lock(&taken.mutex);
    for (size_t k = 0; k < taken.n; k++)
        if (taken.buffers[k] == buffer) {
            taken.now -= taken.bytes[k];
            taken.n--;
            taken.buffers[k] = taken.buffers[taken.n];
            taken.bytes[k] = taken.bytes[taken.n];
            break;
        }
    pthread_mutex_unlock(&taken.mutex);
    return __real_clReleaseMemObject(buffer);
}

void *__wrap_malloc(size_t bytes) {
    size_t largest = taken.largest;
    while (bytes > largest && !atomic_compare_exchange_weak(&taken.largest, &largest, bytes))
        ;
    return taken.refused && bytes >= taken.refused ? NULL : __real_malloc(bytes);
}

typedef struct job {
    mst_map_desc desc;
    mst_map_input inputs[2];
    int axes[MST_MAX_RANK];
    test_array arrays[2], output;
} job;

static const char *const texts[] = {"x * y + 1",       "sum(x * y)",    "var(x) + mean(y)", "max(x) - min(y)",
                                    "x - 2 * y + x*x", "cumsum(x + y)", "sum(x) / max(y)",  "cumsum(x * y)"};

static void begin(job *j, int number) {
    static const char *const names[] = {"x", "y"};
    const mst_map_desc desc = MST_MAP_DESC_INIT;
    const size_t shape[3] = {test_between(1, 20), test_between(1, 20), test_between(1, 90)};
    const int rank = (int)test_between(1, 3);
    *j = (job){.desc = desc};
    for (int k = 0; k < 2; k++) {
        j->inputs[k] = (mst_map_input){names[k], mst_layout_dense(number % 2 ? MST_FLOAT64 : MST_FLOAT32, rank, shape)};
        j->arrays[k] = test_array_random(&j->inputs[k].layout);
    }
    j->desc.expression = texts[number % 8];
    const bool sums = strstr(j->desc.expression, "cumsum") != NULL;
    for (int axis = 0; axis < rank && strchr(j->desc.expression, '('); axis++)
        if (sums ? j->desc.n_axes == 0 && (axis == rank - 1 || test_between(0, 1)) : test_between(0, 1))
            j->axes[j->desc.n_axes++] = axis;
    j->desc.n_inputs = 2;
    j->desc.inputs = j->inputs;
    j->desc.axes = j->axes;
    j->desc.compile_from = test_between(0, 1); // by byte code, where there is one, or compiled
}

// From file to file; the results are those of *output if it holds any.
static mst_status run(job *j, uint64_t device, uint64_t host, test_array *output, mst_error *e) {
    mst_map *plan = NULL;
    mst_context *context = test_context_with_budget(device, host);
    const size_t before = taken.now;
    taken.is_staged = !mst_context_device(context)->unified_memory;
    taken.most = taken.now, taken.largest = 0;
    mst_status status = mst_map_create(context, &j->desc, &plan, e);
    size_t largest = taken.largest;
    if (status == MST_OK) {
        *output = test_array_new(mst_map_output(plan));
        test_placed in[2] = {test_place(context, MST_PLACE_FILE, &j->arrays[0]),
                             test_place(context, MST_PLACE_FILE, &j->arrays[1])},
                    out = test_place(context, MST_PLACE_FILE, output);
        taken.largest = 0;
        status = mst_map_execute(plan, (mst_location[]){in[0].at, in[1].at}, out.at, NULL, e);
        largest = taken.largest > largest ? taken.largest : largest;
        test_collect_input(&in[0], &j->arrays[0]), test_collect_input(&in[1], &j->arrays[1]);
        test_collect_output(&out, output);
        if (status != MST_OK)
            test_array_free(output);
    }
    CHECK(taken.most - before <= device, "%s of %s: buffers of %zu bytes, the budget is %llu", j->desc.expression,
          test_layout_text(&j->inputs[0].layout), taken.most - before, (unsigned long long)device);
    CHECK(largest <= host + SMALL, "%s of %s: %zu bytes of the host in one piece, the budget is %llu", j->desc.expression,
          test_layout_text(&j->inputs[0].layout), largest, (unsigned long long)host);
    mst_map_destroy(plan);
    mst_context_destroy(context);
    CHECK(taken.now == before, "%s: buffers of %zu bytes are left", j->desc.expression, taken.now - before);
    return status;
}

static void within_the_budgets(void **state) {
    (void)state;
    const int n = test_many(16);
    for (int k = 0; k < n; k++) {
        job j;
        mst_error e = {.status = MST_OK};
        test_array wide = {0}, narrow = {0};
        begin(&j, k);
        OK(run(&j, (uint64_t)1 << 28, (uint64_t)1 << 28, &wide, &e));
        uint64_t device = k % 3 == 0 ? (uint64_t)1 << 28 : test_between(1, 40000), named, number;
        uint64_t host = k % 3 == 1 ? (uint64_t)1 << 28 : test_between(1, 40000);
        mst_status status = MST_ERROR_BUDGET;
        bool refused[2] = {false, false};
        while (status == MST_ERROR_BUDGET) {
            status = run(&j, device, host, &narrow, &e);
            const bool of_host = strstr(e.message, "host memory") != NULL;
            if (status == MST_OK)
                break;
            CHECK(status == MST_ERROR_BUDGET && !refused[of_host], "%s of %s, %llu and %llu bytes: %s, after that was named",
                  j.desc.expression, test_layout_text(&j.inputs[0].layout), (unsigned long long)device, (unsigned long long)host,
                  e.message);
            refused[of_host] = true;
            named = 0;
            for (const char *text = e.message; test_next_number(&text, &number);)
                named = number;
            *(of_host ? &host : &device) = named;
        }
        CHECK(memcmp(test_array_at(&wide, 0), test_array_at(&narrow, 0), wide.elements * mst_type_bytes(wide.layout.type)) == 0,
              "%s of %s: other bits", j.desc.expression, test_layout_text(&j.inputs[0].layout));
        test_array_free(&wide), test_array_free(&narrow);
        test_array_free(&j.arrays[0]), test_array_free(&j.arrays[1]);
    }
}

// Inputs of two axes in place of those that the job has begun with.
static void reshape(job *j, mst_type type, const size_t shape[2]) {
    for (int k = 0; k < 2; k++) {
        test_array_free(&j->arrays[k]);
        j->inputs[k].layout = mst_layout_dense(type, 2, shape);
        j->arrays[k] = test_array_random(&j->inputs[k].layout);
    }
}

// Results of a reduction that are many more than the host has room for.
static void many_results(void **state) {
    (void)state;
    job j;
    mst_error e;
    test_array wide = {0}, narrow = {0};
    begin(&j, 0);
    const size_t shape[] = {300000, 2};
    reshape(&j, MST_FLOAT64, shape);
    j.desc.expression = "sum(x * y)";
    j.desc.n_axes = 1, j.axes[0] = 1;
    OK(run(&j, (uint64_t)1 << 28, (uint64_t)1 << 28, &wide, &e));
    OK(run(&j, (uint64_t)1 << 28, 256 << 10, &narrow, &e));
    CHECK(memcmp(test_array_at(&wide, 0), test_array_at(&narrow, 0), shape[0] * 8) == 0, "other bits");
    test_array_free(&wide), test_array_free(&narrow);
    test_array_free(&j.arrays[0]), test_array_free(&j.arrays[1]);
}

// What a failure gives back to the host's budget, it gives once: a second execution finds no more than a first one.
static void none_for_partial_results(void **state) {
    mst_error e;
    mst_map *plan = NULL;
    job j;
    if (mst_context_device(*state)->type & CL_DEVICE_TYPE_GPU)
        skip(); // the parts of a group that the results come from are a CPU's
    begin(&j, 0);
    const size_t shape[] = {400, 20000};
    mst_context_desc group = MST_CONTEXT_DESC_INIT;
    group.device = test_in_parts(*state, 2);
    group.host_memory = (uint64_t)1 << 28;
    group.device_memory = 16 << 20; // several blocks, for both
    mst_context *context = test_context(&group);
    reshape(&j, MST_FLOAT32, shape);
    j.desc.expression = "sum(x * y)";
    j.desc.n_axes = 1, j.axes[0] = 0;
    OK(mst_map_create(context, &j.desc, &plan, &e));
    test_array output = test_array_new(mst_map_output(plan));
    const mst_location in[] = {mst_at_host(test_array_at(&j.arrays[0], 0)), mst_at_host(test_array_at(&j.arrays[1], 0))};
    const mst_location out = mst_at_host(test_array_at(&output, 0));
    OK(mst_map_execute(plan, in, out, NULL, &e));
    const uint64_t left = mst_budget_left(context, &context->host_memory);
    taken.refused = 5000; // partial results of a box are more
    const mst_status status = mst_map_execute(plan, in, out, NULL, &e);
    taken.refused = 0;
    CHECK(status == MST_ERROR_HOST_MEMORY, "without memory for results: %s", mst_status_name(status));
    const uint64_t after = mst_budget_left(context, &context->host_memory);
    CHECK(after == left, "%llu bytes of the host's budget were left, %llu are", (unsigned long long)left,
          (unsigned long long)after);
    mst_map_destroy(plan);
    mst_context_destroy(context);
    test_array_free(&output), test_array_free(&j.arrays[0]), test_array_free(&j.arrays[1]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(many_results), cmocka_unit_test(within_the_budgets),
                                       cmocka_unit_test(none_for_partial_results)};
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
