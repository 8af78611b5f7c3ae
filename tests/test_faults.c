// Every allocation, OpenCL call and file operation of the library fails once, in turn: the call that needed it must return a
// proper error, or do without; nothing may be left allocated, and what is reported as done must be right.
// A run takes one call in ten, but each while a context is made, which all scenarios begin with; faults_nightly takes every
// call.
#include "support_faults.h"

#include "support.h"

#include "stencil/scheme/problem.h"

#include <unistd.h>

// All of it is prepared beforehand, so that a scenario itself allocates nothing.
typedef struct scenario {
    const char *name;
    mst_context_desc context;
    mst_fft_desc fft;
    mst_convolution_desc convolution;
    bool is_fft, is_convolution, on_device, pinned, cold, spread;
    test_array x, y, z;
    int files[3];
} scenario;

typedef struct placed {
    mst_location x, y, z;
    cl_mem buffers[3];
} placed;

// Buffers of the caller's, made and filled while no failures are due.
static void make_buffers(scenario *s, mst_context *context, placed *p) {
    bool on = faults.on;
    const test_array *arrays[3] = {&s->x, &s->y, &s->z};
    mst_location *at[3] = {&p->x, &p->y, &p->z};
    faults.on = false;
    for (int k = 0; k < 3; k++) {
        cl_int code = CL_SUCCESS;
        if (arrays[k]->image)
            p->buffers[k] = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                           arrays[k]->bytes, arrays[k]->image, &code);
        CHECK(code == CL_SUCCESS, "cannot make a buffer");
        *at[k] = mst_at_device(p->buffers[k], arrays[k]->origin);
    }
    faults.on = on;
}

// The result's elements, from memory laid out as s->z is.
static void put_elements(scenario *s, const unsigned char *image) {
    size_t bytes = s->z.elements * mst_type_bytes(s->z.layout.type);
    memcpy(s->z.image + s->z.origin, image + s->z.origin, bytes);
}

static void drop_buffers(scenario *s, mst_context *context, placed *p, bool read) {
    bool on = faults.on;
    faults.on = false;
    if (read && p->buffers[2])
        assert_int_equal(
            clEnqueueReadBuffer(mst_context_queue(context), p->buffers[2], CL_TRUE, 0, s->z.bytes, s->z.image, 0, NULL, NULL),
            CL_SUCCESS);
    for (int k = 0; k < 3; k++)
        if (p->buffers[k])
            clReleaseMemObject(p->buffers[k]);
    faults.on = on;
}

static mst_status run_plan(scenario *s, mst_context *context, const placed *p, mst_error *e) {
    mst_fft *fft = NULL;
    mst_convolution *convolution = NULL;
    mst_status status = MST_OK;
    cl_event done = NULL;
    mst_execution how = MST_EXECUTION_INIT;
    how.event = &done;
    if (s->is_fft) {
        status = mst_fft_create(context, &s->fft, &fft, e);
        CHECK((status == MST_OK) == (fft != NULL), "%s: a failed create gave a plan", s->name);
        if (status == MST_OK)
            status = mst_fft_execute(fft, p->x, p->z, &how, e);
    } else if (s->is_convolution) {
        status = mst_convolution_create(context, &s->convolution, &convolution, e);
        CHECK((status == MST_OK) == (convolution != NULL), "%s: a failed create gave a plan", s->name);
        if (status == MST_OK)
            status = mst_convolution_execute(convolution, p->x, p->y, p->z, &how, e);
    }
    CHECK(status == MST_OK || !done, "%s: %s failed, yet there is an event", s->name, faults.failed);
    if (done) {
        cl_int code = clWaitForEvents(1, &done);
        clReleaseEvent(done);
        if (code != CL_SUCCESS && status == MST_OK) { // ours to fail, not the library's
            status = e->status = MST_ERROR_OPENCL;
            snprintf(e->message, sizeof e->message, "the caller's own wait failed");
        }
    }
    mst_fft_destroy(fft);
    mst_convolution_destroy(convolution);
    return status;
}

// The transform from one pinned array to another.
static mst_status run_pinned(scenario *s, mst_context *context, mst_error *e) {
    void *x = NULL, *z = NULL;
    mst_status status = mst_pinned_create(context, s->x.bytes, &x, e);
    if (status == MST_OK)
        status = mst_pinned_create(context, s->z.bytes, &z, e);
    if (status == MST_OK) {
        memcpy(x, s->x.image, s->x.bytes);
        const placed p = {.x = mst_at_host((char *)x + s->x.origin), .z = mst_at_host((char *)z + s->z.origin)};
        status = run_plan(s, context, &p, e);
    }
    if (status == MST_OK)
        put_elements(s, (const unsigned char *)z);
    mst_pinned_destroy(context, x);
    mst_pinned_destroy(context, z);
    return status;
}

// The transform of an array that is spread over the context's devices.
static mst_status run_spread(scenario *s, mst_context *context, mst_error *e) {
    mst_spread_desc d = {sizeof d, s->fft.input.type, 2, {s->fft.input.shape[0], s->fft.input.shape[1]}};
    mst_spread_fft_desc of = {sizeof of, d.type, 2, {d.shape[0], d.shape[1]}, s->fft.direction, s->fft.scale, 0, 0};
    mst_spread *array = NULL;
    mst_spread_fft *plan = NULL;
    mst_status status = mst_spread_create(context, &d, &array, e);
    if (status == MST_OK)
        status = mst_spread_upload(array, s->x.image + s->x.origin, e);
    if (status == MST_OK)
        status = mst_spread_fft_create(context, &of, &plan, e);
    if (status == MST_OK)
        status = mst_spread_fft_execute(plan, array, NULL, e);
    if (status == MST_OK)
        status = mst_spread_download(array, s->z.image + s->z.origin, e);
    mst_spread_fft_destroy(plan);
    mst_spread_destroy(array);
    return status;
}

static mst_status run(scenario *s, mst_error *e) {
    mst_context *context = NULL;
    mst_status status = mst_context_create(&s->context, &context, e);
    CHECK((status == MST_OK) == (context != NULL), "%s: a failed create gave a context", s->name);
    if (status == MST_OK && (s->is_fft || s->is_convolution)) {
        placed p = {mst_at_file(s->files[0], s->x.origin),
                    mst_at_host(s->y.image + s->y.origin),
                    mst_at_file(s->files[2], s->z.origin),
                    {NULL, NULL, NULL}};
        if (s->on_device)
            make_buffers(s, context, &p);
        status = s->pinned ? run_pinned(s, context, e) : s->spread ? run_spread(s, context, e) : run_plan(s, context, &p, e);
        drop_buffers(s, context, &p, status == MST_OK);
        CHECK(mst_context_device_memory_used(context) == 0, "%s: after %s failed, device memory is still held", s->name,
              faults.failed);
    }
    mst_context_destroy(context);
    return status;
}

static void put(int file, const test_array *array) {
    assert_int_equal(pwrite(file, array->image, array->bytes, 0), array->bytes);
}

static void prepare(scenario *s) {
    mst_error e;
    mst_layout none = {.type = MST_FLOAT32, .rank = 1}, x = none, y = none, z = none;
    if (s->is_fft) {
        x = s->fft.input, z = test_fft_output(&s->fft);
    } else if (s->is_convolution) {
        x = s->convolution.x, y = s->convolution.y;
        OK(mst_convolution_result(&s->convolution, &z, &e));
    }
    s->x = test_array_random(&x), s->y = test_array_random(&y), s->z = test_array_new(&z);
    for (int k = 0; k < 3; k++)
        s->files[k] = test_file(0);
    put(s->files[0], &s->x);
    if (!s->context.device)
        s->context.device = getenv("MASTABA_TEST_DEVICE");
    if (!s->context.cache_directory)
        s->context.cache_directory = test_directory();
}

static void one_round(scenario *s, int n, mst_error *e, mst_status *status) {
    memset(s->z.image, 0xff, s->z.bytes);
    put(s->files[2], &s->z);
    if (s->cold)
        test_remove_tree(s->context.cache_directory);
    memset(e, 0, sizeof *e);
    faults.calls = faults.objects = faults.blocks = faults.maps = 0;
    faults.failed = NULL;
    faults.left = n;
    faults.on = true;
    *status = run(s, e);
    faults.on = false;
    if (!s->on_device && !s->pinned && !s->spread)
        assert_int_equal(pread(s->files[2], s->z.image, s->z.bytes, 0), s->z.bytes);
    CHECK(faults.objects == 0, "%s: after %s failed (call %d, %s: %s), %d OpenCL objects are left", s->name, faults.failed, n,
          mst_status_name(*status), e->message, faults.objects);
    CHECK(faults.blocks == 0, "%s: after %s failed (call %d, %s: %s), %d blocks of memory are left", s->name, faults.failed, n,
          mst_status_name(*status), e->message, faults.blocks);
    CHECK(faults.maps == 0, "%s: after %s failed (call %d, %s: %s), %d buffers are still mapped", s->name, faults.failed, n,
          mst_status_name(*status), e->message, faults.maps);
}

static void fail_everything(scenario *s) {
    mst_error e;
    mst_status status;
    int failures = 0, tolerated = 0;
    faults.on = false; // a test before may have crashed
    prepare(s);
    one_round(s, -1, &e, &status);
    CHECK(status == MST_OK, "%s: %s without any failure", s->name, e.message);
    unsigned char *expected = malloc(s->z.bytes);
    assert_non_null(expected);
    memcpy(expected, s->z.image, s->z.bytes);
    for (int n = 0;; n++) {
        bool alone = !s->is_fft && !s->is_convolution;
        if (!alone && !test_turn((size_t)n, 10))
            continue;
        one_round(s, n, &e, &status);
        if (!faults.failed)
            break;
        if (status == MST_OK) {
            CHECK(memcmp(expected, s->z.image, s->z.bytes) == 0, "%s: %s failed (call %d), and the result is wrong", s->name,
                  faults.failed, n);
            tolerated++;
        } else {
            CHECK(e.status == status && strlen(e.message) > 10 && !strchr(e.message, '\n'),
                  "%s: %s failed (call %d): status %s, message '%s'", s->name, faults.failed, n, mst_status_name(status),
                  e.message);
            failures++;
        }
    }
    CHECK(status == MST_OK, "%s: %s although nothing failed", s->name, e.message);
    print_message("%s: %d calls failed, %d could be done without\n", s->name, failures, tolerated);
    for (int k = 0; k < 3; k++)
        close(s->files[k]);
    free(expected);
    test_array_free(&s->x), test_array_free(&s->y), test_array_free(&s->z);
}

static scenario named(const char *name) {
    const mst_context_desc context = MST_CONTEXT_DESC_INIT;
    const mst_fft_desc fft = MST_FFT_DESC_INIT;
    const mst_convolution_desc convolution = MST_CONVOLUTION_DESC_INIT;
    scenario s = {.name = name, .context = context, .fft = fft, .convolution = convolution};
    s.context.copy_threads = 2;
    return s;
}

static scenario fft_of(const char *name, size_t rows, size_t n) {
    scenario s = named(name);
    size_t shape[] = {rows, n};
    s.fft.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    s.is_fft = true;
    return s;
}

static scenario convolution_of(const char *name, mst_convolution_algorithm algorithm, size_t by) {
    scenario s = named(name);
    size_t x[] = {6, 100}, y[] = {by, 29};
    s.convolution.x = mst_layout_dense(MST_FLOAT32, 2, x);
    s.convolution.y = mst_layout_dense(MST_FLOAT32, 2, y);
    s.convolution.algorithm = algorithm;
    s.is_convolution = true;
    return s;
}

static void context(void **state) {
    (void)state;
    scenario s = named("context");
    fail_everything(&s);
}

static void fft_of_files_in_blocks(void **state) {
    (void)state;
    scenario s = fft_of("FFT of files", 8, 4096);
    s.context.device_memory = 200000, s.context.profile = true;
    fail_everything(&s);
}

static void fft_of_files_on_a_card(void **state) {
    (void)state;
    scenario s = fft_of("FFT of files on a card with memory of its own", 8, 1024);
    s.context.device_memory = 90000;
    faults.discrete = true;
    fail_everything(&s);
    faults.discrete = false;
}

static void fft_of_pinned_arrays(void **state) {
    (void)state;
    scenario s = fft_of("FFT of pinned arrays on a card with memory of its own", 8, 64);
    s.pinned = true;
    s.context.device_memory = 9000;
    faults.discrete = true;
    fail_everything(&s);
    faults.discrete = false;
}

static void fft_of_pinned_columns(void **state) {
    (void)state;
    scenario s = fft_of("FFT of columns of pinned arrays in panels", 60, 64);
    s.fft.axes[0] = 0;
    s.pinned = true;
    s.context.device_memory = 40000;
    faults.discrete = true;
    fail_everything(&s);
    faults.discrete = false;
}

static void fft_of_a_spread_array(void **state) {
    scenario s = fft_of("FFT of a spread array", 60, 500);
    s.fft.n_axes = 2, s.fft.axes[0] = 0, s.fft.axes[1] = 1;
    s.spread = true;
    s.context.device = test_in_parts(test_cpu(state), 2);
    fail_everything(&s);
}

static void fft_on_the_device(void **state) {
    (void)state;
    scenario s = fft_of("FFT on the device", 3, 64);
    s.on_device = true;
    fail_everything(&s);
}

static void fft_with_a_cold_cache(void **state) {
    char directory[400];
    (void)state;
    snprintf(directory, sizeof directory, "%s/cold", test_directory());
    scenario s = fft_of("FFT with a cold cache", 3, 8);
    s.cold = true, s.context.cache_directory = directory;
    fail_everything(&s);
}

static void fft_of_a_real_image_with_a_prime_side(void **state) {
    (void)state;
    scenario s = fft_of("FFT of a real image, 12 x 101", 12, 101);
    s.fft.input.type = MST_FLOAT32;
    s.fft.n_axes = 2;
    s.fft.axes[0] = 1, s.fft.axes[1] = 0;
    fail_everything(&s);
}

static void convolutions(void **state) {
    (void)state;
    for (int a = MST_CONVOLUTION_AUTO; a <= MST_CONVOLUTION_PAPER_E; a++) {
        scenario s = convolution_of(mst_convolution_algorithm_name((mst_convolution_algorithm)a), (mst_convolution_algorithm)a,
                                    a % 2 ? 6 : 1);
        s.on_device = a == MST_CONVOLUTION_PAPER_B;
        fail_everything(&s);
    }
}

// A scheme with absorbing layers, a face's expression, sub-steps, a source and a receiver is read, which takes no device: every
// call, always.
static void scheme(void **state) {
    static const mst_stencil_field fields[] = {{.name = "p", .levels = 2}, {.name = "v"}, {.name = "c", .coefficient = true}};
    static const mst_stencil_update updates[] = {{"v", "v + dt * stretch_x((p[0,1] - p)/dx, 0.5) * sin(t)", 0},
                                                 {"p", "p + k * c[1,0] * stretch_x((v - v[0,-1])/dx) * (1 + y / 7)", 1}};
    static const mst_stencil_boundary faces[4] = {
        {.value = "sin(t) + x"}, {.kind = MST_BOUNDARY_NEUMANN}, {.kind = MST_BOUNDARY_ABSORB, .width = 5}};
    static const mst_stencil_parameter k = {"k", 0.25};
    static const double place[MST_MAX_AXES] = {4.5, 20.25};
    static const mst_stencil_source source = {
        .field = "p", .series = "exp(-t^2)", .position = place, .interpolation = MST_STENCIL_INTERPOLATION_SINC};
    static const mst_stencil_receiver receiver = {.field = "v", .n_points = 1, .positions = &place};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_status status;
    (void)state;
    d.rank = 2;
    d.grid[0] = 12, d.grid[1] = 40;
    d.time_step = 0.5;
    d.fields = fields, d.n_fields = 3;
    d.updates = updates, d.n_updates = 2;
    d.boundaries = faces;
    d.parameters = &k, d.n_parameters = 1;
    d.sources = &source, d.n_sources = 1;
    d.receivers = &receiver, d.n_receivers = 1;
    int n = 0;
    do {
        mst_problem problem;
        mst_error e = {0};
        faults.blocks = 0;
        faults.failed = NULL;
        faults.left = n++;
        faults.on = true;
        status = mst_problem_read(&d, &problem, &e);
        mst_problem_release(&problem);
        faults.on = false;
        CHECK(faults.blocks == 0, "a scheme: after %s failed (call %d), %d blocks of memory are left", faults.failed, n,
              faults.blocks);
        CHECK(faults.failed ? status == MST_ERROR_HOST_MEMORY && strlen(e.message) > 10 : status == MST_OK,
              "a scheme: %s failed (call %d): status %s, message '%s'", faults.failed, n, mst_status_name(status), e.message);
    } while (faults.failed);
    CHECK(n > 50, "only %d calls", n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scheme),
        cmocka_unit_test(context),
        cmocka_unit_test(fft_of_files_in_blocks),
        cmocka_unit_test(fft_of_files_on_a_card),
        cmocka_unit_test(fft_of_pinned_arrays),
        cmocka_unit_test(fft_of_pinned_columns),
        cmocka_unit_test(fft_on_the_device),
        cmocka_unit_test(fft_of_a_spread_array),
        cmocka_unit_test(fft_with_a_cold_cache),
        cmocka_unit_test(fft_of_a_real_image_with_a_prime_side),
        cmocka_unit_test(convolutions),
    };
    setenv("POCL_MAX_PTHREAD_COUNT", "2", 1); // at least two parts, whatever the machine has
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
