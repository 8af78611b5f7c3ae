// FFT: what is refused, with a message.
#include "support.h"

#include <fcntl.h>
#include <math.h>
#include <unistd.h>

static mst_fft_desc describe(mst_type type, size_t rows, size_t n) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    size_t shape[] = {rows, n};
    desc.input = mst_layout_dense(type, 2, shape);
    return desc;
}

static void refuse(mst_context *context, const mst_fft_desc *desc, const char *part) {
    mst_error e;
    mst_fft *plan = (mst_fft *)&e;
    REFUSED(MST_ERROR_ARGUMENT, part, mst_fft_create(context, desc, &plan, &e));
    assert_null(plan);
}

static void bad_descriptions(void **state) {
    mst_context *c = *state;
    const mst_fft_desc good = describe(MST_COMPLEX64, 4, 16);
    mst_fft_desc d;
    mst_fft *plan = NULL;
    mst_error e;
    REFUSED(MST_ERROR_ARGUMENT, "", mst_fft_create(NULL, &good, &plan, &e));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_fft_create(c, NULL, &plan, &e));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_fft_create(c, &good, NULL, &e));
    assert_int_equal(mst_fft_create(c, NULL, NULL, NULL), MST_ERROR_ARGUMENT);
    mst_fft_destroy(NULL);

    static const size_t sizes[] = {0, 8, sizeof(mst_fft_desc) - 1, (size_t)1 << 40};
    for (size_t i = 0; i < 4; i++) {
        d = good, d.struct_size = sizes[i];
        refuse(c, &d, "struct_size");
    }
    static const int ranks[] = {-1, 0, 9, 1000};
    for (size_t i = 0; i < 4; i++) {
        d = good, d.input.rank = ranks[i];
        refuse(c, &d, "rank");
    }
    static const mst_type types[] = {(mst_type)0, MST_INT8, MST_UINT64, MST_BOOL, MST_FLOAT16, (mst_type)15, (mst_type)-1};
    for (size_t i = 0; i < 6; i++) {
        d = good, d.input.type = types[i];
        refuse(c, &d, "");
    }
    static const size_t lengths[] = {((size_t)1 << 48) + 21, (size_t)1 << 62};
    for (size_t i = 0; i < 2; i++) {
        d = describe(MST_COMPLEX64, 1, lengths[i]);
        refuse(c, &d, "");
        d = describe(MST_COMPLEX64, lengths[i], 1), d.axes[0] = 0;
        refuse(c, &d, "");
    }
    d = describe(MST_COMPLEX128, (size_t)1 << 40, (size_t)1 << 24);
    refuse(c, &d, "too large");
    static const int counts[] = {-1, 0, 4, 100};
    for (size_t i = 0; i < 4; i++) {
        d = good, d.n_axes = counts[i];
        refuse(c, &d, "axes");
    }
    static const int axes[][2] = {{2, 0}, {-3, 0}, {0, 0}, {1, -1}, {-2, 0}, {INT32_MAX, 0}, {INT32_MIN, 0}};
    for (size_t i = 0; i < 7; i++) {
        d = good, d.n_axes = 2, d.axes[0] = axes[i][0], d.axes[1] = axes[i][1];
        refuse(c, &d, "ax");
    }
    d = good, d.direction = (mst_fft_direction)0;
    refuse(c, &d, "direction");
    d = good, d.direction = (mst_fft_direction)3;
    refuse(c, &d, "direction");
    d = good, d.shape = (mst_fft_shape)3;
    refuse(c, &d, "shape");
    static const double scales[] = {NAN, INFINITY, -INFINITY};
    for (size_t i = 0; i < 3; i++) {
        d = good, d.scale = scales[i];
        refuse(c, &d, "scale");
    }
}

static void bad_outputs(void **state) {
    const mst_fft_desc good = describe(MST_COMPLEX64, 4, 16);
    mst_fft_desc d = good;
    size_t other[] = {4, 32};
    d.output = mst_layout_dense(MST_COMPLEX128, 2, good.input.shape);
    refuse(*state, &d, "output");
    d.output = mst_layout_dense(MST_COMPLEX64, 2, other);
    refuse(*state, &d, "output");
    d.output = mst_layout_dense(MST_COMPLEX64, 1, other + 1);
    refuse(*state, &d, "output");
    static const ptrdiff_t strides[][2] = {{0, 1}, {16, 0}, {1, 1}, {15, 1}, {8, 1}, {-3, 1}, {2, 4}};
    for (size_t i = 0; i < 7; i++) {
        d.output = good.input;
        d.output.strides[0] = strides[i][0], d.output.strides[1] = strides[i][1];
        refuse(*state, &d, "stride");
    }
}

// Real data: forward from real to complex, inverse from complex to real, in one precision, n/2 + 1 values for n.
static void bad_real_transforms(void **state) {
    static const struct {
        mst_type in, out;
        mst_fft_direction direction;
        size_t n, m;
    } table[] = {
        {MST_FLOAT32, MST_COMPLEX64, MST_FFT_INVERSE, 16, 9},
        {MST_COMPLEX64, MST_FLOAT32, MST_FFT_FORWARD, 9, 16},
        {MST_FLOAT32, MST_FLOAT32, MST_FFT_FORWARD, 16, 16},
        {MST_FLOAT32, MST_COMPLEX128, MST_FFT_FORWARD, 16, 9},
        {MST_COMPLEX128, MST_FLOAT32, MST_FFT_INVERSE, 9, 16},
        {MST_FLOAT64, MST_COMPLEX128, MST_FFT_FORWARD, 16, 8},
        {MST_FLOAT64, MST_COMPLEX128, MST_FFT_FORWARD, 16, 16},
        {MST_COMPLEX64, MST_FLOAT32, MST_FFT_INVERSE, 9, 15}, // 9 values belong to 16 or 17

        {MST_COMPLEX64, MST_FLOAT32, MST_FFT_INVERSE, 9, 18},
        {MST_COMPLEX64, MST_FLOAT32, MST_FFT_INVERSE, 9, 0},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mst_fft_desc d = MST_FFT_DESC_INIT;
        size_t in[] = {3, table[i].n}, out[] = {3, table[i].m};
        d.input = mst_layout_dense(table[i].in, 2, in), d.output = mst_layout_dense(table[i].out, 2, out);
        d.direction = table[i].direction;
        refuse(*state, &d, "");
    }
}

static cl_mem buffer_of(mst_context *context, size_t bytes) {
    cl_int code;
    cl_mem buffer = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    CHECK(code == CL_SUCCESS, "clCreateBuffer: %d", code);
    return buffer;
}

static void bad_locations(void **state) {
    enum { BYTES = 4 * 16 * 8 };
    static float x[BYTES / 2], y[BYTES / 2];
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = describe(MST_COMPLEX64, 4, 16);
    mst_context *other = test_context(NULL);
    cl_mem exact = buffer_of(*state, BYTES), small = buffer_of(*state, BYTES - 1), foreign = buffer_of(other, BYTES);
    int file = test_file(BYTES), cut = test_file(BYTES - 1), ends[2];
    mst_location ok = mst_at_host(x), to = mst_at_host(y), nowhere = {(mst_place)0, x, exact, file, 0};
    assert_int_equal(pipe(ends), 0);
    OK(mst_fft_create(*state, &desc, &plan, &e));
    const struct {
        mst_location location;
        const char *part;
    } bad[] = {
        {nowhere, "place"},
        {mst_at_host(NULL), "NULL"},
        {mst_at_host((char *)x + 2), "aligned"},
        {mst_at_device(NULL, 0), ""},
        {mst_at_device(small, 0), ""},
        {mst_at_device(exact, 8), ""},
        {mst_at_device(exact, UINT64_MAX - 7), ""},
        {mst_at_device(exact, (uint64_t)1 << 40), ""},
        {mst_at_device(foreign, 0), "context"},
        {mst_at_file(-1, 0), "descriptor"},
        {mst_at_file(ends[0], 0), "regular"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        REFUSED(MST_ERROR_ARGUMENT, bad[i].part, mst_fft_execute(plan, bad[i].location, to, NULL, &e));
        REFUSED(MST_ERROR_ARGUMENT, bad[i].part, mst_fft_execute(plan, ok, bad[i].location, NULL, &e));
    }
    REFUSED(MST_ERROR_IO, "holds", mst_fft_execute(plan, mst_at_file(cut, 0), to, NULL, &e));
    REFUSED(MST_ERROR_IO, "holds", mst_fft_execute(plan, mst_at_file(file, 1), to, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_fft_execute(plan, mst_at_file(file, UINT64_MAX - 3), to, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_fft_execute(NULL, ok, to, NULL, &e));
    OK(mst_fft_execute(plan, mst_at_device(exact, 0), to, NULL, &e));
    OK(mst_fft_execute(plan, ok, mst_at_file(cut, 0), NULL, &e)); // a result may lengthen its file
    mst_fft_destroy(plan);
    clReleaseMemObject(exact), clReleaseMemObject(small), clReleaseMemObject(foreign);
    close(file), close(cut), close(ends[0]), close(ends[1]);
    mst_context_destroy(other);
}

static void unreadable_and_unwritable_files(void **state) {
    static float x[128];
    char path[300];
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = describe(MST_COMPLEX64, 4, 16);
    snprintf(path, sizeof path, "%s/plain", test_directory());
    int write_only = open(path, O_CREAT | O_WRONLY, 0600), read_only = open(path, O_RDONLY);
    assert_true(write_only >= 0 && read_only >= 0 && ftruncate(write_only, 512) == 0);
    OK(mst_fft_create(*state, &desc, &plan, &e));
    REFUSED(MST_ERROR_ARGUMENT, "not open for reading",
            mst_fft_execute(plan, mst_at_file(write_only, 0), mst_at_host(x), NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "not open for writing",
            mst_fft_execute(plan, mst_at_host(x), mst_at_file(read_only, 0), NULL, &e));
    mst_fft_destroy(plan);
    close(write_only), close(read_only);
    unlink(path);
}

// A device array whose strides reach outside its buffer on either side.
static void strides_outside_the_buffer(void **state) {
    static float x[2 * 64];
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = describe(MST_COMPLEX64, 4, 16);
    cl_mem buffer = buffer_of(*state, 64 * 8);
    desc.output = desc.input;
    desc.input.strides[0] = -16; // rows backwards: the last starts at -48
    OK(mst_fft_create(*state, &desc, &plan, &e));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_fft_execute(plan, mst_at_device(buffer, 0), mst_at_host(x), NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_fft_execute(plan, mst_at_device(buffer, 47 * 8), mst_at_host(x), NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_fft_execute(plan, mst_at_device(buffer, 49 * 8), mst_at_host(x), NULL, &e));
    OK(mst_fft_execute(plan, mst_at_device(buffer, 48 * 8), mst_at_host(x), NULL, &e));
    mst_fft_destroy(plan);
    clReleaseMemObject(buffer);
}

static void overlaps(void **state) {
    enum { BYTES = 4 * 16 * 8 };
    static float x[BYTES];
    mst_error e;
    mst_fft *same = NULL, *different = NULL;
    mst_fft_desc desc = describe(MST_COMPLEX64, 4, 16);
    OK(mst_fft_create(*state, &desc, &same, &e));
    desc.output = desc.input;
    desc.output.strides[0] = 17;
    OK(mst_fft_create(*state, &desc, &different, &e));
    cl_mem buffer = buffer_of(*state, 4 * BYTES);
    int file = test_file(4 * BYTES), copy = dup(file);
    for (uint64_t shift = 8; shift < BYTES; shift += 8 * 7) {
        REFUSED(MST_ERROR_ARGUMENT, "overlap", mst_fft_execute(same, mst_at_host(x), mst_at_host((char *)x + shift), NULL, &e));
        REFUSED(MST_ERROR_ARGUMENT, "overlap", mst_fft_execute(same, mst_at_host((char *)x + shift), mst_at_host(x), NULL, &e));
        REFUSED(MST_ERROR_ARGUMENT, "overlap",
                mst_fft_execute(same, mst_at_device(buffer, shift), mst_at_device(buffer, 0), NULL, &e));
        REFUSED(MST_ERROR_ARGUMENT, "overlap", mst_fft_execute(same, mst_at_file(file, 0), mst_at_file(file, shift), NULL, &e));
        REFUSED(MST_ERROR_ARGUMENT, "overlap", mst_fft_execute(same, mst_at_file(file, 0), mst_at_file(copy, shift), NULL, &e));
    }
    REFUSED(MST_ERROR_ARGUMENT, "overlap", mst_fft_execute(different, mst_at_host(x), mst_at_host(x), NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "overlap",
            mst_fft_execute(different, mst_at_device(buffer, 0), mst_at_device(buffer, 0), NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "overlap", mst_fft_execute(different, mst_at_file(file, 0), mst_at_file(copy, 0), NULL, &e));
    OK(mst_fft_execute(same, mst_at_host(x), mst_at_host((char *)x + BYTES), NULL, &e)); // side by side is no overlap
    OK(mst_fft_execute(same, mst_at_device(buffer, BYTES), mst_at_device(buffer, 0), NULL, &e));
    OK(mst_fft_execute(same, mst_at_file(file, 0), mst_at_file(copy, BYTES), NULL, &e));
    mst_fft_destroy(same), mst_fft_destroy(different);
    clReleaseMemObject(buffer);
    close(file), close(copy);
}

static void bad_executions(void **state) {
    static float x[2 * 64], y[2 * 64];
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = describe(MST_COMPLEX64, 4, 16);
    mst_report report = MST_REPORT_INIT;
    cl_event done = NULL;
    const mst_execution good = MST_EXECUTION_INIT;
    mst_execution how = good;
    OK(mst_fft_create(*state, &desc, &plan, &e));
#define BAD(part) REFUSED(MST_ERROR_ARGUMENT, part, mst_fft_execute(plan, mst_at_host(x), mst_at_host(y), &how, &e))
    how.struct_size = 0;
    BAD("struct_size");
    how = good, how.n_wait = 1;
    BAD("wait");
    how = good, how.wait_list = &done;
    BAD("wait");
    how = good, how.event = &done, how.report = &report;
    BAD("event");
#undef BAD
    mst_fft_destroy(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_descriptions),
        cmocka_unit_test(bad_outputs),
        cmocka_unit_test(bad_real_transforms),
        cmocka_unit_test(bad_locations),
        cmocka_unit_test(unreadable_and_unwritable_files),
        cmocka_unit_test(strides_outside_the_buffer),
        cmocka_unit_test(overlaps),
        cmocka_unit_test(bad_executions),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
