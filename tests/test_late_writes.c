// A driver whose blocking writes end when the data are only copied aside, as OpenCL 1.2 allows: commands of the same queue see
// them, those of another must wait for the write's event. Plans whose tables are made this way give the same first results.
#include "support_filter.h"
#include "support_stencil.h"

#include <pthread.h>
#include <time.h>

#define DELAY_NANOSECONDS 20000000

static bool late;

cl_int __real_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                                   const void *data, cl_uint n_wait, const cl_event *wait, cl_event *event);
cl_int __wrap_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                                   const void *data, cl_uint n_wait, const cl_event *wait, cl_event *event);

static void *open_gate(void *gate) {
    nanosleep(&(struct timespec){.tv_nsec = DELAY_NANOSECONDS}, NULL);
    clSetUserEventStatus(gate, CL_COMPLETE);
    clReleaseEvent(gate);
    return NULL;
}

static void CL_CALLBACK release(cl_event event, cl_int code, void *copy) {
    (void)event, (void)code;
    free(copy);
}

// Zeros are written at once, so that who does not wait finds those, and the data behind an event that comes later.
cl_int __wrap_clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                                   const void *data, cl_uint n_wait, const cl_event *wait, cl_event *event) {
    cl_context context;
    cl_int code;
    cl_event written;
    pthread_t thread;
    if (!late || !blocking)
        return __real_clEnqueueWriteBuffer(queue, buffer, blocking, offset, bytes, data, n_wait, wait, event);
    void *copy = calloc(1, bytes);
    assert_non_null(copy);
    assert_int_equal(__real_clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset, bytes, copy, n_wait, wait, NULL), CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
    memcpy(copy, data, bytes);
    assert_int_equal(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, &context, NULL), CL_SUCCESS);
    cl_event gate = clCreateUserEvent(context, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(__real_clEnqueueWriteBuffer(queue, buffer, CL_FALSE, offset, bytes, copy, 1, &gate, &written), CL_SUCCESS);
    assert_int_equal(clSetEventCallback(written, CL_COMPLETE, release, copy), CL_SUCCESS);
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    assert_int_equal(pthread_create(&thread, NULL, open_gate, gate), 0);
    pthread_detach(thread);
    if (event)
        *event = written;
    else
        clReleaseEvent(written);
    return CL_SUCCESS;
}

// The first run builds the kernels, which takes longer than the delay.
static void check(void **state, void (*run)(mst_context *context)) {
    late = false;
    run(*state);
    late = true;
    run(*state);
}

static void run_transform(mst_context *context) {
    const size_t shape[] = {3, 60};
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    test_fft_check(context, &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
}

static void convolve(mst_context *context, mst_convolution_algorithm algorithm) {
    const mst_place places[] = {MST_PLACE_DEVICE, MST_PLACE_DEVICE, MST_PLACE_DEVICE};
    mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, 3, 700, MST_FLOAT32, 3, 350);
    desc.algorithm = algorithm;
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
    test_convolution_check(context, &desc, &x, &y, places);
    test_array_free(&x), test_array_free(&y);
}

static void run_convolution(mst_context *context) { convolve(context, MST_CONVOLUTION_AUTO); }
static void run_published_convolution(mst_context *context) { convolve(context, MST_CONVOLUTION_PAPER_C); }

static void run_filter(mst_context *context) {
    const size_t shape[] = {13, 10, 1};
    const mst_filter_desc desc = test_filter_desc(MST_FLOAT32, 3, shape);
    test_filter_check(context, &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
}

// In several queues, whose kernels read where points lie, what sources emit, and the factors of the sponge.
static void run_time_steps(mst_context *context) {
    const mst_stencil_boundary boundaries[][2] = {
        {{.kind = MST_BOUNDARY_SPONGE, .width = 6}, {.kind = MST_BOUNDARY_SPONGE, .width = 6}},
        {{.kind = MST_BOUNDARY_DIRICHLET}, {.kind = MST_BOUNDARY_DIRICHLET}}};
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "sin(x + y)"}};
    const mst_stencil_update update = {"u", "u + 0.1 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0};
    const mst_stencil_source source = {.field = "u", .point = {1, 5}, .series = "1 + t"};
    const size_t portions[] = {3, 3, 3, 3};
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    desc.rank = 2;
    desc.precision = MST_FLOAT32;
    desc.grid[0] = 61, desc.grid[1] = 11;
    desc.boundaries = boundaries[0];
    desc.fields = &field, desc.n_fields = 1;
    desc.updates = &update, desc.n_updates = 1;
    desc.sources = &source, desc.n_sources = 1;
    desc.shape = MST_STENCIL_SHAPE_GPU;
    desc.schedule = MST_STENCIL_SKEWED;
    desc.depth = 3, desc.fuse = 1, desc.block = 6;
    test_scheme reference = test_scheme_run(&desc, 12);
    test_scheme_check(context, &desc, portions, 4, &reference, "in several queues");
    test_scheme_free(&reference);
}

static void transform(void **state) { check(state, run_transform); }
static void convolution(void **state) { check(state, run_convolution); }
static void published_convolution(void **state) { check(state, run_published_convolution); }
static void filter(void **state) { check(state, run_filter); }
static void time_steps(void **state) { check(state, run_time_steps); }

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(transform), cmocka_unit_test(convolution),
                                       cmocka_unit_test(published_convolution), cmocka_unit_test(filter),
                                       cmocka_unit_test(time_steps)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
