// Devices that this machine does not have: without float64, with small allocations, missing, broken.
#include "support.h"

// What the wrappers make OpenCL say.
static struct {
    bool no_fp64, unavailable, no_compiler, no_platforms, no_platform_error, broken_platform, no_devices, not_unified, is_gpu;
    cl_ulong max_allocation;
    size_t name_length;
} fake;

cl_int __real_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed);
cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed);
cl_int __real_clGetPlatformIDs(cl_uint n, cl_platform_id *platforms, cl_uint *count);
cl_int __wrap_clGetPlatformIDs(cl_uint n, cl_platform_id *platforms, cl_uint *count);
cl_int __real_clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *devices, cl_uint *count);
cl_int __wrap_clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *devices, cl_uint *count);

cl_int __wrap_clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed) {
    cl_int code = __real_clGetDeviceInfo(device, what, size, value, needed);
    if (code != CL_SUCCESS || !value)
        return what == CL_DEVICE_NAME && needed && fake.name_length ? (*needed = fake.name_length + 1, CL_SUCCESS) : code;
    if (what == CL_DEVICE_DOUBLE_FP_CONFIG && fake.no_fp64)
        memset(value, 0, sizeof(cl_device_fp_config));
    if ((what == CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE || what == CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE) && fake.no_fp64)
        memset(value, 0, sizeof(cl_uint));
    if ((what == CL_DEVICE_AVAILABLE && fake.unavailable) || (what == CL_DEVICE_COMPILER_AVAILABLE && fake.no_compiler) ||
        (what == CL_DEVICE_HOST_UNIFIED_MEMORY && fake.not_unified))
        memset(value, 0, sizeof(cl_bool));
    if (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE && fake.max_allocation)
        memcpy(value, &fake.max_allocation, sizeof fake.max_allocation);
    if (what == CL_DEVICE_TYPE && fake.is_gpu)
        memcpy(value, &(cl_device_type){CL_DEVICE_TYPE_GPU}, sizeof(cl_device_type));
    if (what == CL_DEVICE_NAME && fake.name_length) {
        memset(value, 'n', size);
        ((char *)value)[size - 1] = '\0';
    }
    return CL_SUCCESS;
}

// Rectangles that moved.
static int rectangles;

#define RECTANGLES(name, pointer)                                                                                                \
    cl_int __real_##name(cl_command_queue q, cl_mem b, cl_bool blocks, const size_t *at, const size_t *from, const size_t *size, \
                         size_t row, size_t slice, size_t host_row, size_t host_slice, pointer host, cl_uint n,                  \
                         const cl_event *wait, cl_event *event);                                                                 \
    cl_int __wrap_##name(cl_command_queue q, cl_mem b, cl_bool blocks, const size_t *at, const size_t *from, const size_t *size, \
                         size_t row, size_t slice, size_t host_row, size_t host_slice, pointer host, cl_uint n,                  \
                         const cl_event *wait, cl_event *event);                                                                 \
    cl_int __wrap_##name(cl_command_queue q, cl_mem b, cl_bool blocks, const size_t *at, const size_t *from, const size_t *size, \
                         size_t row, size_t slice, size_t host_row, size_t host_slice, pointer host, cl_uint n,                  \
                         const cl_event *wait, cl_event *event) {                                                                \
        rectangles++;                                                                                                            \
        return __real_##name(q, b, blocks, at, from, size, row, slice, host_row, host_slice, host, n, wait, event);              \
    }
RECTANGLES(clEnqueueReadBufferRect, void *)
RECTANGLES(clEnqueueWriteBufferRect, const void *)

cl_int __wrap_clGetPlatformIDs(cl_uint n, cl_platform_id *platforms, cl_uint *count) {
    if (fake.no_platform_error)
        return -1001;
    cl_int code = __real_clGetPlatformIDs(n, platforms, count);
    if (fake.no_platforms)
        *count = 0;
    if (fake.broken_platform && code == CL_SUCCESS) { // the same one twice, the first of which fails
        platforms[1] = platforms[0];
        *count = 2;
    }
    return code;
}

cl_int __wrap_clGetDeviceIDs(cl_platform_id p, cl_device_type type, cl_uint n, cl_device_id *devices, cl_uint *count) {
    static int turn;
    if (fake.no_devices)
        return CL_DEVICE_NOT_FOUND;
    if (fake.broken_platform && turn++ % 2 == 0)
        return CL_OUT_OF_HOST_MEMORY;
    return __real_clGetDeviceIDs(p, type, n, devices, count);
}

static int real_again(void **state) {
    (void)state;
    memset(&fake, 0, sizeof fake);
    return 0;
}

static mst_status open_context(mst_error *e) {
    mst_context *context = NULL;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.cache_directory = test_directory();
    mst_status status = mst_context_create(&desc, &context, e);
    mst_context_destroy(context);
    return status;
}

static mst_fft_desc fft_of(mst_type type, size_t rows, size_t n) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    size_t shape[] = {rows, n};
    desc.input = mst_layout_dense(type, 2, shape);
    return desc;
}

static mst_convolution_desc convolution_of(mst_type x, mst_type y) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    size_t shape[] = {20, 50};
    desc.x = mst_layout_dense(x, 2, shape), desc.y = mst_layout_dense(y, 2, shape);
    return desc;
}

static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};

static void without_float64(void **state) {
    (void)state;
    mst_error e;
    mst_fft *plan = NULL;
    mst_convolution *convolution = NULL;
    fake.no_fp64 = true;
    mst_context *context = test_context(NULL);
    assert_false(mst_context_device(context)->fp64);
    mst_fft_desc fft = fft_of(MST_COMPLEX128, 2, 64);
    REFUSED(MST_ERROR_UNSUPPORTED, "float64", mst_fft_create(context, &fft, &plan, &e));
    assert_null(plan);
    fft = fft_of(MST_COMPLEX64, 20, 64);
    test_fft_check(context, &fft, MST_PLACE_HOST, MST_PLACE_FILE);
    static const mst_type types[] = {MST_FLOAT64, MST_COMPLEX128, MST_INT16, MST_BOOL};
    for (int t = 0; t < 4; t++)
        for (int a = MST_CONVOLUTION_PAPER_A; a <= MST_CONVOLUTION_PAPER_E; a++) {
            mst_convolution_desc d = convolution_of(t % 2 ? MST_FLOAT32 : types[t], t % 2 ? types[t] : MST_FLOAT32);
            d.algorithm = (mst_convolution_algorithm)a;
            REFUSED(MST_ERROR_UNSUPPORTED, "float64", mst_convolution_create(context, &d, &convolution, &e));
            assert_null(convolution);
        }
    mst_convolution_desc d = convolution_of(MST_FLOAT32, MST_COMPLEX64);
    test_array x = test_array_random(&d.x), y = test_array_random(&d.y);
    test_convolution_check(context, &d, &x, &y, host);
    test_array_free(&x), test_array_free(&y);
    mst_context_destroy(context);
}

static double double_of(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// Values around every border of the conversion to float32, and random ones: bits of any kind, and exponents that float32 has.
static double to_narrow(size_t i) {
    static const double borders[] = {0x1p-126,  0x1p-127, 0x1p-149, 0x1p-150, 0x1p-151, 0x1p-1022,
                                     0x1p-1074, 0x1p127,  0x1p128,  1,        0};
    enum { N = sizeof borders / sizeof borders[0] };
    static const int64_t steps[] = {0, 1, -1, 0x10000000, 0x0fffffff, 0x10000001, 0x30000000, -0x10000000, 0x1fffffff};
    enum { STEPS = sizeof steps / sizeof steps[0] };
    uint64_t bits = test_random();
    if (i < 2 * N * STEPS) {
        memcpy(&bits, &borders[i / 2 % N], sizeof bits);
        bits += (uint64_t)steps[i / 2 / N];
        return i % 2 ? -double_of(bits) : double_of(bits);
    }
    uint64_t exponent = 860 + (bits >> 52 & 0x7ff) % 300;
    return double_of(i % 4 == 0 ? bits : (bits & 0x800fffffffffffffu) | exponent << 52);
}

// The device reads float64 by its bits; what comes out is C's conversion, NaN for NaN.
static void map_narrowed(mst_context *context, mst_map_desc *desc, const double *x, size_t n) {
    mst_error e;
    mst_map *plan = NULL;
    float *z = malloc(n * sizeof *z);
    assert_non_null(z);
    memset(z, 0x55, n * sizeof *z);
    OK(mst_map_create(context, desc, &plan, &e));
    assert_int_equal(mst_map_output(plan)->type, MST_FLOAT32);
    assert_int_equal(mst_map_wanted(plan), desc->type ? desc->type : MST_FLOAT64);
    assert_null(strstr(mst_map_kernel(plan), "double"));
    OK(mst_map_execute(plan, (const mst_location[]){mst_at_host(x)}, mst_at_host(z), NULL, &e));
    for (size_t i = 0; i < n; i++) {
        float expected = (float)x[i];
        bool nan = expected != expected;
        CHECK(nan ? z[i] != z[i] : memcmp(&z[i], &expected, sizeof expected) == 0, "width %u: %a became %a, not %a",
              desc->vector_width, x[i], (double)z[i], (double)expected);
    }
    mst_map_destroy(plan);
    free(z);
}

static void map_without_float64(void **state) {
    (void)state;
    enum { N = 4099 };
    static double x[N];
    mst_error e;
    mst_map *plan = NULL;
    const size_t n = N;
    const mst_map_input input = {"x", mst_layout_dense(MST_FLOAT64, 1, &n)};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    desc.expression = "x", desc.inputs = &input, desc.n_inputs = 1;
    for (size_t i = 0; i < n; i++)
        x[i] = to_narrow(i);
    fake.no_fp64 = true;
    mst_context *context = test_context(NULL);
    REFUSED(MST_ERROR_UNSUPPORTED, "has no float64", mst_map_create(context, &desc, &plan, &e));
    assert_null(plan);
    desc.fallback = MST_FLOAT64;
    REFUSED(MST_ERROR_ARGUMENT, "fallback is float64", mst_map_create(context, &desc, &plan, &e));
    desc.fallback = MST_FLOAT32;
    for (desc.vector_width = 1; desc.vector_width <= 16; desc.vector_width *= 4)
        map_narrowed(context, &desc, x, n);
    desc.vector_width = 0;
    desc.fallback = (mst_type)0, desc.type = MST_FLOAT32; // no fallback: it is what was asked for
    map_narrowed(context, &desc, x, n);
    mst_context_destroy(context);
}

// A GPU would take private memory for every work-item that it can hold, most of its memory: kernels that want much are refused.
static void private_memory(void **state) {
    (void)state;
    mst_error e;
    mst_fft *transform = NULL;
    mst_convolution *convolution = NULL;
    mst_map *map = NULL;
    mst_map_desc sum = MST_MAP_DESC_INIT;
    mst_fft_desc fft = fft_of(MST_COMPLEX64, 20, 64);
    mst_convolution_desc product = convolution_of(MST_FLOAT32, MST_FLOAT32);
    const mst_map_input input = {"x", fft.input};
    fake.is_gpu = true;
    mst_context *context = test_context(NULL);
    fft.shape = product.shape = MST_FFT_SHAPE_CPU;
    product.algorithm = MST_CONVOLUTION_FUSED;
    sum.expression = "x + 1", sum.inputs = &input, sum.n_inputs = 1;
    sum.compile_from = UINT64_MAX;
    REFUSED(MST_ERROR_UNSUPPORTED, "private memory", mst_fft_create(context, &fft, &transform, &e));
    REFUSED(MST_ERROR_UNSUPPORTED, "private memory", mst_convolution_create(context, &product, &convolution, &e));
    REFUSED(MST_ERROR_UNSUPPORTED, "private memory", mst_map_create(context, &sum, &map, &e));
    assert_true(!transform && !convolution && !map);
    fft.kind = MST_FFT_DCT2, fft.input = mst_layout_dense(MST_FLOAT32, 2, fft.input.shape);
    REFUSED(MST_ERROR_UNSUPPORTED, "private memory", mst_fft_create(context, &fft, &transform, &e));
    assert_null(transform);
    assert_int_equal(mst_context_device_memory_used(context), 0);
    mst_context_destroy(context);
}

// Blocks stay below the largest allocation, and data on the device are not limited by it.
static void small_allocations(void **state) {
    mst_fft_desc fft = fft_of(MST_COMPLEX64, 40, 4096);
    test_array x = test_array_random(&fft.input);
    test_array whole = test_fft_run(*state, &fft, &x, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    fake.max_allocation = 100000; // three vectors
    mst_context *context = test_context(NULL);
    mst_report report = MST_REPORT_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    how.report = &report;
    for (int device = 0; device < 2; device++) {
        mst_place place = device ? MST_PLACE_DEVICE : MST_PLACE_HOST;
        test_array parts = test_fft_run(context, &fft, &x, place, place, &how);
        CHECK(device || report.blocks >= 14, "%llu blocks", (unsigned long long)report.blocks);
        assert_true(test_array_same(&whole, &parts));
        test_array_free(&parts);
    }
    fft = fft_of(MST_COMPLEX64, 1, 65536); // one vector is larger than that: panels
    test_array_free(&whole);
    test_fft_check(context, &fft, MST_PLACE_HOST, MST_PLACE_FILE);
    fft = fft_of(MST_COMPLEX64, 1, 65537); // a prime: lines, by transforms of a longer one in panels
    test_fft_check(context, &fft, MST_PLACE_HOST, MST_PLACE_FILE);
    assert_int_equal(mst_context_device_memory_used(context), 0);
    test_array_free(&x);
    mst_context_destroy(context);
}

// A card with memory of its own takes other paths: pinned memory beside device memory, explicit copies.
static void memory_of_its_own(void **state) {
    mst_fft_desc fft = fft_of(MST_COMPLEX64, 200, 1024);
    mst_convolution_desc d = convolution_of(MST_FLOAT32, MST_FLOAT32);
    static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
    test_array x = test_array_random(&fft.input), u = test_array_random(&d.x), v = test_array_random(&d.y);
    test_array expected = test_fft_run(*state, &fft, &x, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    fake.not_unified = true;
    mst_context_desc wanted = MST_CONTEXT_DESC_INIT;
    for (int small = 0; small < 2; small++) {
        wanted.device_memory = small ? 400000 : 0, wanted.profile = small;
        mst_context *context = test_context(&wanted);
        assert_false(mst_context_device(context)->unified_memory);
        for (int p = 0; p < 9; p++) {
            test_array got = test_fft_run(context, &fft, &x, places[p % 3], places[p / 3], NULL);
            assert_true(test_array_same(&expected, &got));
            test_array_free(&got);
        }
        for (int p = 0; p < 27; p++) {
            const mst_place three[3] = {places[p % 3], places[p / 3 % 3], places[p / 9]};
            test_convolution_check(context, &d, &u, &v, three);
        }
        assert_int_equal(mst_context_device_memory_used(context), 0);
        mst_context_destroy(context);
    }
    test_array_free(&x), test_array_free(&u), test_array_free(&v), test_array_free(&expected);
}

// There, a long vector takes its panels only where it has no room, and the forecast says so.
static void forecast_of_panels(void **state) {
    (void)state;
    const size_t n[] = {1000003, 9};
    mst_error e;
    mst_convolution *plan = NULL;
    mst_convolution_forecast f = MST_CONVOLUTION_FORECAST_INIT;
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    d.algorithm = MST_CONVOLUTION_DIRECT;
    d.x = mst_layout_dense(MST_FLOAT32, 1, &n[0]), d.y = mst_layout_dense(MST_FLOAT32, 1, &n[1]);
    fake.not_unified = true;
    for (int small = 0; small < 2; small++) {
        mst_context *context = test_context_with_budget(small ? 1 << 20 : 100 << 20, 0);
        OK(mst_convolution_create(context, &d, &plan, &e));
        OK(mst_convolution_predict(plan, &f, &e));
        CHECK(small ? f.panels > 7 && f.device_bytes <= 1 << 20 : f.panels == 0, "%llu panels of %llu bytes",
              (unsigned long long)f.panels, (unsigned long long)f.device_bytes);
        mst_convolution_destroy(plan);
        mst_context_destroy(context);
    }
}

// One transform between arrays at x and z: `refusal` is what it must say, NULL: it must give `expected`.
static void transform(mst_context *context, const mst_fft_desc *fft, void *x, void *z, const test_array *expected,
                      const char *refusal) {
    mst_error e;
    mst_fft *plan = NULL;
    size_t bytes = expected->elements * mst_type_bytes(expected->layout.type);
    OK(mst_fft_create(context, fft, &plan, &e));
    if (refusal) {
        REFUSED(MST_ERROR_BUDGET, refusal, mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), NULL, &e));
    } else {
        OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), NULL, &e));
        assert_memory_equal(z, test_array_at(expected, 0), bytes);
    }
    mst_fft_destroy(plan);
}

// Pinned arrays need no staging memory; anything else does.
static void pinned_arrays(void **state) {
    mst_error e;
    void *x = NULL, *z = NULL, *none = &e;
    mst_fft_desc fft = fft_of(MST_COMPLEX64, 40, 128);
    test_array from = test_array_random(&fft.input);
    test_array expected = test_fft_run(*state, &fft, &from, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
    size_t bytes = from.elements * sizeof(float[2]);
    mst_context_desc wanted = MST_CONTEXT_DESC_INIT;
    wanted.host_memory = 100;
    fake.not_unified = true;
    mst_context *context = test_context(&wanted);
    OK(mst_pinned_create(context, bytes, &x, &e));
    OK(mst_pinned_create(context, bytes + 8, &z, &e));
    void *ordinary = malloc(bytes);
    assert_non_null(ordinary);
    memcpy(x, test_array_at(&from, 0), bytes), memcpy(ordinary, x, bytes), memset(z, 0xff, bytes + 8);
    transform(context, &fft, x, z, &expected, NULL);
    transform(context, &fft, x, (char *)z + 8, &expected, NULL);
    transform(context, &fft, ordinary, z, &expected, "host memory budget");
    transform(context, &fft, x, ordinary, &expected, "host memory budget");
    transform(context, &fft, x, x, &expected, NULL);
    fft.input.strides[0] = 0; // not contiguous
    fft.output = mst_layout_dense(MST_COMPLEX64, 2, fft.input.shape);
    transform(context, &fft, x, z, &expected, "host memory budget");
    mst_pinned_destroy(context, z);
    mst_pinned_destroy(context, x);
    mst_pinned_destroy(context, NULL);
    REFUSED(MST_ERROR_ARGUMENT, "0 bytes", mst_pinned_create(context, 0, &none, &e));
    assert_null(none);
    REFUSED(MST_ERROR_ARGUMENT, "in one piece", mst_pinned_create(context, UINT64_MAX, &none, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_pinned_create(NULL, 1, &none, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_pinned_create(context, 1, NULL, &e));
    mst_context_destroy(context);
    free(ordinary);
    real_again(NULL);
    OK(mst_pinned_create(*state, 5000, &x, &e)); // ordinary memory
    assert_int_equal((uintptr_t)x % 4096, 0);
    memset(x, 1, 5000);
    mst_pinned_destroy(*state, x);
    test_array_free(&from), test_array_free(&expected);
}

// Panels and tiles of pinned arrays cross as rectangles, with the bits that they have by way of staging memory.
static void rectangles_of_pinned_arrays(void **state) {
    (void)state;
    static const struct {
        mst_type type;
        size_t shape[3];
        int rank, n_axes;
        uint64_t device, host; // budgets; that of the host counts for ordinary arrays only
    } cases[] = {{MST_COMPLEX64, {250000}, 1, 1, 2500000, 0},      {MST_FLOAT32, {1048576}, 1, 1, 6000000, 0},
                 {MST_COMPLEX64, {50, 30, 40}, 3, 3, 300000, 0},   {MST_FLOAT32, {90, 1100}, 2, 1, 600000, 0},
                 {MST_COMPLEX64, {250000}, 1, 1, 2500000, 200000}, {MST_COMPLEX64, {50, 30, 40}, 3, 3, 300000, 60000},
                 {MST_COMPLEX64, {250000}, 1, 1, 200000, 40000}}; // rows are too short to cross
    fake.not_unified = true;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        mst_error e;
        mst_fft *plan = NULL;
        void *x = NULL, *z = NULL;
        mst_fft_desc fft = MST_FFT_DESC_INIT;
        fft.input = mst_layout_dense(cases[c].type, cases[c].rank, cases[c].shape);
        fft.n_axes = cases[c].n_axes;
        for (int a = 0; a < fft.n_axes; a++)
            fft.axes[a] = a;
        mst_layout layout = test_fft_output(&fft);
        test_array from = test_array_random(&fft.input), expected = test_array_new(&layout);
        size_t bytes = from.elements * mst_type_bytes(from.layout.type),
               z_bytes = expected.elements * mst_type_bytes(layout.type);
        mst_context *context = test_context_with_budget(cases[c].device, cases[c].host);
        OK(mst_fft_create(context, &fft, &plan, &e));
        OK(mst_pinned_create(context, bytes, &x, &e));
        OK(mst_pinned_create(context, z_bytes, &z, &e));
        for (int again = 0; again < 2; again++) { // each way gives back what the other takes
            mst_report staged = MST_REPORT_INIT, crossed = MST_REPORT_INIT;
            mst_execution how = MST_EXECUTION_INIT;
            memcpy(x, test_array_at(&from, 0), bytes), memset(z, 0xff, z_bytes);
            how.report = &staged;
            OK(mst_fft_execute(plan, mst_at_host(test_array_at(&from, 0)), mst_at_host(test_array_at(&expected, 0)), &how, &e));
            rectangles = 0;
            how.report = &crossed;
            OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), &how, &e));
            const bool crosses = cases[c].device != 200000;
            CHECK(crosses ? rectangles > 4 : rectangles == 0, "case %zu: %d rectangles", c, rectangles);
            assert_memory_equal(z, test_array_at(&expected, 0), z_bytes);
            CHECK(cases[c].host && crosses ? crossed.blocks < staged.blocks : crossed.blocks == staged.blocks,
                  "case %zu: %llu blocks of pinned arrays, %llu of others", c, (unsigned long long)crossed.blocks,
                  (unsigned long long)staged.blocks);
        }
        if (bytes == z_bytes) { // what is between the passes of a long axis is not pinned
            OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(x), NULL, &e));
            assert_memory_equal(x, test_array_at(&expected, 0), z_bytes);
        }
        mst_fft_destroy(plan);
        mst_pinned_destroy(context, x), mst_pinned_destroy(context, z);
        mst_context_destroy(context);
        test_array_free(&from), test_array_free(&expected);
    }
}

static void nothing_to_work_on(void **state) {
    (void)state;
    mst_error e;
    mst_device_info **list = NULL;
    size_t count = 5;
    fake.no_platform_error = true;
    REFUSED(MST_ERROR_NO_DEVICE, "no OpenCL platform", open_context(&e));
    REFUSED(MST_ERROR_NO_DEVICE, "install", mst_devices_list(&list, &count, &e));
    assert_true(list == NULL && count == 0);
    real_again(NULL);
    fake.no_platforms = true;
    REFUSED(MST_ERROR_NO_DEVICE, "no OpenCL platform", open_context(&e));
    real_again(NULL);
    fake.no_devices = true;
    REFUSED(MST_ERROR_NO_DEVICE, "no OpenCL device", open_context(&e));
}

static void broken_platforms_are_passed_over(void **state) {
    (void)state;
    mst_error e;
    fake.broken_platform = true;
    OK(open_context(&e));
}

static void unavailable_devices(void **state) {
    (void)state;
    mst_error e;
    mst_device_info **list = NULL;
    size_t count = 0;
    for (int k = 0; k < 2; k++) {
        fake.unavailable = k == 0, fake.no_compiler = k == 1;
        REFUSED(MST_ERROR_NO_DEVICE, "available", open_context(&e));
        OK(mst_devices_list(&list, &count, &e)); // listed nevertheless
        for (size_t i = 0; i < count; i++)
            assert_true(!list[i]->available && !list[i]->is_default);
        mst_devices_free(list);
    }
}

static void names_of_any_length(void **state) {
    (void)state;
    mst_error e;
    const char *device = getenv("MASTABA_DEVICE"); // whose name this would be no more
    char *before = device ? strdup(device) : NULL;
    unsetenv("MASTABA_DEVICE");
    for (size_t length = 1; length < 100000; length *= 3) {
        fake.name_length = length;
        OK(open_context(&e));
        setenv("MASTABA_DEVICE", "no such device", 1);
        REFUSED(MST_ERROR_NO_DEVICE, "no such device", open_context(&e));
        unsetenv("MASTABA_DEVICE");
    }
    if (before)
        setenv("MASTABA_DEVICE", before, 1);
    free(before);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(without_float64, real_again),
        cmocka_unit_test_teardown(map_without_float64, real_again),
        cmocka_unit_test_teardown(private_memory, real_again),
        cmocka_unit_test_teardown(small_allocations, real_again),
        cmocka_unit_test_teardown(memory_of_its_own, real_again),
        cmocka_unit_test_teardown(forecast_of_panels, real_again),
        cmocka_unit_test_teardown(pinned_arrays, real_again),
        cmocka_unit_test_teardown(rectangles_of_pinned_arrays, real_again),
        cmocka_unit_test_teardown(nothing_to_work_on, real_again),
        cmocka_unit_test_teardown(broken_platforms_are_passed_over, real_again),
        cmocka_unit_test_teardown(unavailable_devices, real_again),
        cmocka_unit_test_teardown(names_of_any_length, real_again),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
