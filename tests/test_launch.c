// Kernels are launched with arguments that are checked against the parameters in the kernel's text. What a kernel got is read
// back; what does not fit is refused by name.
#include "support.h"

#include "runtime/kernel.h"
#include "runtime/numbers.h"

static const char text[] = "// void report(int a) is not it\n"
                           "__kernel /* SIZED */ void report(__global const int *from, // read\n"
                           "    uint n, const real x, long8 many, __local int *scratch, __global float *to) {\n"
                           "    scratch[get_local_id(0)] = from[0];\n"
                           "    to[0] = (float)scratch[get_local_id(0)];\n"
                           "    to[1] = (float)n;\n"
                           "    to[2] = (float)x;\n"
                           "    to[3] = (float)many.s7;\n"
                           "}\n";

static mst_kernel *make(mst_context *context, const char *options) {
    mst_error e;
    mst_text t = {0};
    const mst_program *program;
    mst_kernel *kernel;
    mst_text_add(&t, "%s", text);
    OK(mst_program_of_text(context, "test: report", &t, options, &program, &e));
    mst_text_release(&t);
    OK(mst_kernel_create(program, "report", &kernel, &e));
    return kernel;
}

// Doubles go to `real` of either precision, floats to that of float programs.
static void test_values_arrive(void **state) {
    mst_context *context = *state;
    mst_queue queue = MST_QUEUE(context, mst_context_queue(context));
    mst_error e;
    cl_mem from, to;
    const cl_int seven = 7;
    OK(mst_device_allocate(context, CL_MEM_READ_WRITE, sizeof seven, "from", &from, &e));
    OK(mst_device_allocate(context, CL_MEM_READ_WRITE, 4 * sizeof(cl_float), "to", &to, &e));
    OK(mst_queue_write(&queue, CL_TRUE, from, 0, sizeof seven, &seven, "from", &e));
    for (int is_double = 0; is_double <= (mst_context_device(context)->fp64 ? 1 : 0); is_double++) {
        mst_kernel *kernel = make(context, is_double ? "-D PRECISION=64" : "-D PRECISION=32");
        const cl_uint n = 3;
        const cl_double x = 0.5;
        const cl_float narrow = 0.25;
        const cl_long8 many = {.s = {0, 0, 0, 0, 0, 0, 0, 11}};
        cl_float got[4];
        mst_argument arguments[] = {MST_BIND(from, from),        MST_BIND(n, n),  MST_BIND(x, x), MST_BIND(many, many),
                                    MST_BIND_LOCAL(scratch, 64), MST_BIND(to, to)};
        OK(mst_kernel_launch(&queue, kernel, arguments, 6, 1, 1, NULL, &e));
        OK(mst_queue_read(&queue, to, 0, sizeof got, got, "to", &e));
        assert_true(got[0] == 7 && got[1] == 3 && got[2] == 0.5f && got[3] == 11);
        arguments[2] = MST_BIND(x, narrow);
        if (is_double)
            REFUSED(MST_ERROR_BUILD, "report: parameter x is of type const real, the argument is float",
                    mst_kernel_launch(&queue, kernel, arguments, 6, 1, 1, NULL, &e));
        else
            OK(mst_kernel_launch(&queue, kernel, arguments, 6, 1, 1, NULL, &e));
        mst_kernel_destroy(kernel);
    }
    mst_queue_release(&queue);
    mst_device_release(context, from, sizeof seven);
    mst_device_release(context, to, 4 * sizeof(cl_float));
}

static int n_told; // arguments

cl_int __real_clSetKernelArg(cl_kernel kernel, cl_uint k, size_t bytes, const void *value);
cl_int __wrap_clSetKernelArg(cl_kernel kernel, cl_uint k, size_t bytes, const void *value);
cl_int __wrap_clSetKernelArg(cl_kernel kernel, cl_uint k, size_t bytes, const void *value) {
    n_told++;
    return __real_clSetKernelArg(kernel, k, bytes, value);
}

// The driver is told of numbers and local memory when they change, of memory each time.
static void test_the_driver_is_told_of_changes(void **state) {
    static const struct {
        cl_uint n;
        double x;
        size_t local;
        int told;
    } launches[] = {{3, 0.5, 64, 6}, {3, 0.5, 64, 2}, {4, 0.5, 64, 3}, {3, 0.25, 64, 4}, {3, 0.25, 128, 3}, {3, 0.25, 128, 2}};
    mst_context *context = *state;
    mst_queue queue = MST_QUEUE(context, mst_context_queue(context));
    mst_error e;
    cl_mem from, to;
    const cl_int seven = 7;
    const cl_long8 many = {.s = {0, 0, 0, 0, 0, 0, 0, 11}};
    mst_kernel *kernel = make(context, "-D PRECISION=32");
    OK(mst_device_allocate(context, CL_MEM_READ_WRITE, sizeof seven, "from", &from, &e));
    OK(mst_device_allocate(context, CL_MEM_READ_WRITE, 4 * sizeof(cl_float), "to", &to, &e));
    OK(mst_queue_write(&queue, CL_TRUE, from, 0, sizeof seven, &seven, "from", &e));
    for (size_t k = 0; k < MST_COUNT(launches); k++) {
        const mst_argument arguments[] = {MST_BIND(from, from),
                                          MST_BIND(n, launches[k].n),
                                          MST_BIND(x, launches[k].x),
                                          MST_BIND(many, many),
                                          MST_BIND_LOCAL(scratch, launches[k].local),
                                          MST_BIND(to, to)};
        cl_float got[4] = {-1, -1, -1, -1};
        n_told = 0;
        OK(mst_queue_write(&queue, CL_TRUE, to, 0, sizeof got, got, "to", &e));
        OK(mst_kernel_launch(&queue, kernel, arguments, MST_COUNT(arguments), 1, 1, NULL, &e));
        OK(mst_queue_read(&queue, to, 0, sizeof got, got, "to", &e));
        assert_int_equal(n_told, launches[k].told);
        assert_true(got[0] == 7 && got[1] == (float)launches[k].n && got[2] == (float)launches[k].x && got[3] == 11);
    }
    mst_kernel_destroy(kernel);
    mst_queue_release(&queue);
    mst_device_release(context, from, sizeof seven);
    mst_device_release(context, to, 4 * sizeof(cl_float));
}

// Nothing of these is launched, so that no memory is needed.
static void test_misfits_are_refused(void **state) {
    mst_context *context = *state;
    mst_queue queue = MST_QUEUE(context, mst_context_queue(context));
    mst_error e;
    cl_mem buffer = NULL;
    mst_kernel *kernel = make(context, "-D PRECISION=32");
    const cl_uint n = 3;
    const cl_int sign = 3;
    const cl_float x = 0.5;
    const cl_long8 many = {{0}};
    const mst_argument good[] = {MST_BIND(from, buffer),      MST_BIND(n, n),       MST_BIND(x, x),    MST_BIND(many, many),
                                 MST_BIND_LOCAL(scratch, 64), MST_BIND(to, buffer), MST_BIND(extra, n)};
    mst_argument a[MST_COUNT(good)];
#define LAUNCH(n_arguments) mst_kernel_launch(&queue, kernel, a, n_arguments, 1, 1, NULL, &e)
    memcpy(a, good, sizeof a);
    REFUSED(MST_ERROR_BUILD, "kernel report has 6 parameters: none for the argument extra", LAUNCH(7));
    REFUSED(MST_ERROR_BUILD, "kernel report: no argument for its parameter to", LAUNCH(5));
    a[1] = good[2], a[2] = good[1];
    REFUSED(MST_ERROR_BUILD, "kernel report: argument 1 is x, where the parameter is n", LAUNCH(6));
    memcpy(a, good, sizeof a);
    a[1] = MST_BIND(n, sign);
    REFUSED(MST_ERROR_BUILD, "kernel report: parameter n is of type uint, the argument is int", LAUNCH(6));
    a[1] = MST_BIND(n, buffer);
    REFUSED(MST_ERROR_BUILD, "the argument is device memory", LAUNCH(6));
    memcpy(a, good, sizeof a);
    a[4] = MST_BIND(scratch, buffer);
    REFUSED(MST_ERROR_BUILD, "parameter scratch is of type __local int *, the argument is device memory", LAUNCH(6));
    a[4] = good[4];
    a[3] = MST_BIND(many, e);
    REFUSED(MST_ERROR_BUILD, "parameter many is of type long8, the argument is a struct", LAUNCH(6));
#undef LAUNCH
    mst_kernel_destroy(kernel);
}

static void test_programs_that_fail(void **state) {
    mst_context *context = *state;
    mst_error e;
    mst_kernel *kernel;
    const mst_program *program;
    mst_text t = {0};
    mst_text_put(&t, "$type x;\n", MST_SET(name, 1));
    REFUSED(MST_ERROR_BUILD, "\"test: x\" has no value for $type",
            mst_program_of_text(context, "test: x", &t, "-D PRECISION=32", &program, &e));
    mst_text_release(&t);
    mst_text_add(&t, "__kernel void other(uint n) {}\n");
    OK(mst_program_of_text(context, "test: other", &t, "-D PRECISION=32", &program, &e));
    mst_text_release(&t);
    REFUSED(MST_ERROR_BUILD, "\"test: other\" has no kernel othe", mst_kernel_create(program, "othe", &kernel, &e));
    assert_null(kernel);
}

typedef struct given {
    int n;
    char names[4][80], texts[4][400];
} given;

static void take_program(const char *name, const char *its_text, void *user) {
    given *g = user;
    assert_true(g->n < 4);
    snprintf(g->names[g->n], sizeof g->names[0], "%s", name);
    snprintf(g->texts[g->n++], sizeof g->texts[0], "%s", its_text);
}

// The prelude once, then each program once, whether it is built (the first context) or taken from the cache on disk.
static void test_programs_are_given(void **state) {
    (void)state;
    for (int round = 0; round < 2; round++) {
        given g = {0};
        mst_context_desc desc = MST_CONTEXT_DESC_INIT;
        desc.on_program = take_program;
        desc.on_program_user = &g;
        desc.cache_directory = test_directory();
        mst_context *context = test_context(&desc);
        for (int again = 0; again < 2; again++) {
            mst_kernel_destroy(make(context, "-D PRECISION=32"));
            mst_kernel_destroy(make(context, "-D PRECISION=32 -D N=2"));
        }
        assert_int_equal(g.n, 3);
        assert_string_equal(g.names[0], "prelude");
        assert_non_null(strstr(g.texts[0], "PRECISION == 64"));
        assert_string_equal(g.names[1], "test: report [-D PRECISION=32]");
        assert_string_equal(g.names[2], "test: report [-D PRECISION=32 -D N=2]");
        assert_non_null(strstr(g.texts[1], "__kernel"));
        assert_string_equal(g.texts[1], g.texts[2]);
        mst_context_destroy(context);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values_arrive),       cmocka_unit_test(test_the_driver_is_told_of_changes),
        cmocka_unit_test(test_misfits_are_refused), cmocka_unit_test(test_programs_that_fail),
        cmocka_unit_test(test_programs_are_given),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
