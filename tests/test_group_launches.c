// Parts of the CPU that take launches of one item together, and blocks of arrays that lie in the host's memory: a plane, an
// image, many small images, and arrays on the device. Results have the bits of one device's, and a part that fails ends all with
// an error.
#include "support_filter.h"
#include "support_launch.h"

#include "runtime/kernel.h"

static mst_context *alone, *two, *three;

static mst_context *group_of(const char *devices) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.device = devices;
    return test_context(&desc);
}

static int setup(void **state) {
    int code = test_setup_on_cpu(state);
    alone = *state;
    two = group_of(test_in_parts(alone, 2));
    three = group_of("kind:cpu/3");
    return code;
}

static int teardown(void **state) {
    mst_context_destroy(two);
    mst_context_destroy(three);
    return test_teardown(state);
}

static mst_place anywhere(void) { return (mst_place[]){MST_PLACE_HOST, MST_PLACE_FILE, MST_PLACE_DEVICE}[test_random() % 3]; }

static mst_fft_desc plane(void) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    const size_t shape[] = {test_between(300, 400), test_between(500, 600)};
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    desc.n_axes = 2;
    desc.axes[0] = 0, desc.axes[1] = 1;
    return desc;
}

// How an execution of a plane's transform ends.
static mst_status end_of(mst_context *context, const mst_fft_desc *desc, const test_array *input) {
    mst_error e;
    mst_fft *plan = NULL;
    OK(mst_fft_create(context, desc, &plan, &e));
    const mst_layout layout = test_fft_output(desc);
    test_array output = test_array_new(&layout);
    test_placed in = test_place(context, MST_PLACE_HOST, input), out = test_place(context, MST_PLACE_HOST, &output);
    const mst_status status = mst_fft_execute(plan, in.at, out.at, NULL, &e);
    test_collect_input(&in, input);
    test_collect_output(&out, &output);
    mst_fft_destroy(plan);
    test_array_free(&output);
    return status;
}

static void planes(void **state) {
    (void)state;
    const mst_fft_desc desc = plane();
    test_array input = test_array_random(&desc.input);
    test_array expected = test_fft_run(alone, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    mst_context *const contexts[] = {two, three};
    for (int k = 0; k < 2; k++)
        for (int last = 0; last < 2; last++) {
            test_array output = test_fft_run(contexts[k], &desc, &input, anywhere(), anywhere(), NULL);
            CHECK(test_array_same(&expected, &output), "a plane by %d parts differs", k + 2);
            test_array_free(&output);
            test_broken.other = test_whole_of(contexts[k]);
            test_broken.left = last;
            const mst_status status = end_of(contexts[k], &desc, &input);
            test_broken.other = NULL;
            CHECK(status == MST_ERROR_OPENCL, "launch %d by %d parts failed, which gave %s", last, k + 2,
                  mst_status_name(status));
        }
    CHECK(end_of(two, &desc, &input) == MST_OK, "a plane after a failure");
    CHECK(mst_context_device_memory_used(two) == 0, "memory is still held");
    test_array_free(&expected);
    test_array_free(&input);
}

static void images(void **state) {
    (void)state;
    const size_t large[] = {1, test_between(800, 900), test_between(700, 800), 1}, many[] = {test_between(40, 60), 150, 160, 1};
    for (int k = 0; k < 2; k++) {
        mst_filter_desc desc = test_filter_desc(MST_FLOAT32, 4, k ? many : large);
        test_array input = test_filter_images(&desc.input);
        test_array expected = test_filter_run(alone, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST);
        mst_context *const contexts[] = {two, three};
        for (int i = 0; i < 2; i++) {
            test_array output = test_filter_run(contexts[i], &desc, &input, anywhere(), anywhere());
            test_array lent = test_filter_run(contexts[i], &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST);
            CHECK(test_array_same(&expected, &output), "%s by %d parts differ", k ? "images" : "rows of an image", i + 2);
            CHECK(test_array_same(&expected, &lent), "%s by %d parts differ", k ? "images" : "rows of an image", i + 2);
            test_array_free(&output);
            test_array_free(&lent);
        }
        test_array_free(&expected);
        test_array_free(&input);
    }
    CHECK(mst_context_device_memory_used(three) == 0, "memory is still held");
}

// A buffer of the lead's, which kernels of other contexts are not to get: OpenCL leaves open what they would do with it.
static cl_mem watched;
static atomic_int strangers;

cl_int __real_clSetKernelArg(cl_kernel kernel, cl_uint number, size_t bytes, const void *value);
cl_int __wrap_clSetKernelArg(cl_kernel kernel, cl_uint number, size_t bytes, const void *value);
cl_int __wrap_clSetKernelArg(cl_kernel kernel, cl_uint number, size_t bytes, const void *value) {
    cl_context context = NULL;
    if (watched && value && bytes == sizeof watched && memcmp(value, &watched, bytes) == 0) {
        clGetKernelInfo(kernel, CL_KERNEL_CONTEXT, sizeof context, &context, NULL);
        strangers += context != mst_context_opencl(two);
    }
    return __real_clSetKernelArg(kernel, number, bytes, value);
}

// In many blocks, for spectra.
static void images_on_the_device(void **state) {
    (void)state;
    const size_t many[] = {test_between(120, 160), 150, 160, 1};
    mst_error e;
    mst_filter *plan = NULL;
    mst_filter_desc desc = test_filter_desc(MST_FLOAT32, 4, many);
    desc.kind = MST_FILTER_WIENER;
    test_array input = test_filter_images(&desc.input), output = test_array_new(&desc.input);
    test_array expected = test_filter_run(alone, &desc, &input, MST_PLACE_HOST, MST_PLACE_HOST);
    test_placed in = test_place(two, MST_PLACE_DEVICE, &input), out = test_place(two, MST_PLACE_HOST, &output);
    OK(mst_filter_create(two, &desc, &plan, &e));
    watched = in.at.buffer;
    OK(mst_filter_execute(plan, in.at, out.at, NULL, &e));
    watched = NULL;
    mst_filter_destroy(plan);
    test_collect_input(&in, &input);
    test_collect_output(&out, &output);
    CHECK(strangers == 0, "%d kernels of another context had a buffer of the lead's", (int)strangers);
    CHECK(test_array_same(&expected, &output), "images on the device by two parts differ");
    test_array_free(&expected);
    test_array_free(&output);
    test_array_free(&input);
}

// Executions of two plans in turns, each of what the other one left, none waited for.
static test_array taken_in_turns(mst_context *context, const mst_fft_desc *desc, const test_array *input) {
    mst_error e;
    mst_fft *plans[2];
    mst_execution how = MST_EXECUTION_INIT;
    how.queued = 1;
    mst_fft_desc other = *desc;
    other.direction = MST_FFT_INVERSE;
    test_array output = test_array_new(&desc->input);
    test_placed in = test_place(context, MST_PLACE_DEVICE, input), out = test_place(context, MST_PLACE_DEVICE, &output);
    OK(mst_fft_create(context, desc, &plans[0], &e));
    OK(mst_fft_create(context, &other, &plans[1], &e));
    for (int k = 0; k < 9; k++)
        OK(mst_fft_execute(plans[k % 2], k % 2 ? out.at : in.at, k % 2 ? in.at : out.at, &how, &e));
    assert_int_equal(clFinish(mst_context_queue(context)), CL_SUCCESS);
    mst_fft_destroy(plans[0]);
    mst_fft_destroy(plans[1]);
    test_array rest = test_array_new(&desc->input);
    test_collect(&in, &rest);
    test_array_free(&rest);
    test_collect_output(&out, &output);
    return output;
}

static void plans_in_turns(void **state) {
    (void)state;
    mst_fft_desc desc = plane();
    test_array input = test_array_random(&desc.input);
    test_array expected = taken_in_turns(alone, &desc, &input);
    mst_context *const contexts[] = {two, three};
    for (int k = 0; k < 8; k++) {
        test_array output = taken_in_turns(contexts[k % 2], &desc, &input);
        CHECK(test_array_same(&expected, &output), "planes in turns by %d parts differ", k % 2 + 2);
        test_array_free(&output);
    }
    test_array_free(&expected);
    test_array_free(&input);
}

// Launches of kernels that the driver has not had before, while it makes their code: PoCL before 6 counts who uses it without
// regard to offsets and widths, and stops the program where parts have unlike ones.
static void new_kernels(void **state) {
    (void)state;
    enum { PARTS = 7, GROUP = 16, N = GROUP * (4 * PARTS + 3), ROUNDS = 24 };
    static cl_uint got[N];
    mst_context *context = group_of("kind:cpu/7");
    mst_error e;
    cl_mem to;
    mst_queue queue = MST_QUEUE(context, mst_context_queue(context));
    queue.shares = true;
    OK(mst_device_allocate(context, CL_MEM_READ_WRITE, sizeof got, "a test", &to, &e));
    for (unsigned round = 0; round < ROUNDS; round++) {
        mst_text text = {0};
        const mst_program *program;
        mst_kernel *kernel;
        const cl_uint salt = (cl_uint)test_random();
        mst_text_add(&text,
                     "__kernel void new_kernel(__global uint *to) {\n"
                     "    uint x = get_global_id(0);\n"
                     "    for (int k = 0; k < 3000; k++)\n"
                     "        x = x * 1664525u + %uu;\n"
                     "    to[get_global_id(0)] = x;\n"
                     "}\n",
                     (unsigned)salt);
        OK(mst_program_of_text(context, "test: new", &text, "-D PRECISION=32", &program, &e));
        mst_text_release(&text);
        OK(mst_kernel_create(program, "new_kernel", &kernel, &e));
        OK(mst_kernel_launch(&queue, kernel, (const mst_argument[]){MST_BIND(to, to)}, 1, N, GROUP, NULL, &e));
        OK(mst_queue_read(&queue, to, 0, sizeof got, got, "a test", &e));
        for (cl_uint i = 0; i < N; i++) {
            cl_uint x = i;
            for (int k = 0; k < 3000; k++)
                x = x * 1664525u + salt;
            CHECK(got[i] == x, "kernel %u: item %u", round, (unsigned)i);
        }
        mst_kernel_destroy(kernel);
    }
    mst_queue_release(&queue);
    mst_device_release(context, to, sizeof got);
    mst_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(planes), cmocka_unit_test(images), cmocka_unit_test(images_on_the_device),
                                       cmocka_unit_test(plans_in_turns), cmocka_unit_test(new_kernels)};
    setenv("POCL_MAX_PTHREAD_COUNT", "7", 1); // whatever the machine has
    return cmocka_run_group_tests(tests, setup, teardown);
}
