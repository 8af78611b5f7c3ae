// Convolution: results, plans, events, refusals.
#include "support.h"

#include <math.h>
#include <unistd.h>

static const mst_place all_places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};

// ---- what a plan says ----

static void result_types(void **state) {
    (void)state;
    for (int a = MST_FLOAT32; a <= MST_BOOL; a++)
        for (int b = MST_FLOAT32; b <= MST_BOOL; b++) {
            mst_convolution_desc desc = test_convolution_desc((mst_type)a, 2, 5, (mst_type)b, 2, 3);
            mst_layout z;
            mst_error e;
            OK(mst_convolution_result(&desc, &z, &e));
            bool is_complex = a == MST_COMPLEX64 || a == MST_COMPLEX128 || b == MST_COMPLEX64 || b == MST_COMPLEX128;
            bool single = (a == MST_FLOAT32 || a == MST_COMPLEX64) && (b == MST_FLOAT32 || b == MST_COMPLEX64);
            mst_type expected = is_complex ? single ? MST_COMPLEX64 : MST_COMPLEX128 : single ? MST_FLOAT32 : MST_FLOAT64;
            CHECK(z.type == expected, "%s and %s give %s", mst_type_name((mst_type)a), mst_type_name((mst_type)b),
                  mst_type_name(z.type));
        }
}

static void result_shapes(void **state) {
    static const struct {
        size_t n, m, length[3]; // full, same, valid
    } table[] = {{1, 1, {1, 1, 1}}, {5, 3, {7, 5, 3}}, {3, 5, {7, 3, 3}}, {8, 8, {15, 8, 1}},
                 {0, 4, {0, 0, 0}}, {4, 0, {0, 0, 0}}, {0, 0, {0, 0, 0}}, {1, 9, {9, 1, 9}}};
    mst_error e;
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int mode = 0; mode < 3; mode++)
            for (int axis = 0; axis < 3; axis++) {
                size_t x[] = {2, 4, 3}, y[] = {2, 4, 3};
                mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
                mst_layout z;
                x[axis] = table[i].n, y[axis] = table[i].m;
                for (int k = 0; k < 3; k++)
                    y[k] = k != axis && i % 2 ? 1 : y[k];
                desc.x = mst_layout_dense(MST_FLOAT32, 3, x), desc.y = mst_layout_dense(MST_FLOAT32, 3, y);
                desc.axes[0] = axis - 3, desc.mode = (mst_convolution_mode)mode;
                OK(mst_convolution_result(&desc, &z, &e));
                assert_int_equal(z.rank, 3);
                for (int k = 0; k < 3; k++)
                    assert_int_equal(z.shape[k], k == axis ? table[i].length[mode] : x[k]);
                mst_layout dense = mst_layout_dense(z.type, 3, z.shape);
                assert_memory_equal(dense.strides, z.strides, sizeof dense.strides);
            }
}

static void empty_operands(void **state) {
    static const size_t table[][4] = {{3, 0, 3, 4}, {3, 4, 3, 0}, {3, 0, 3, 0}, {0, 5, 0, 4}, {0, 5, 1, 4}, {1, 5, 0, 4}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int p = 0; p < 27; p++)
            for (int a = MST_CONVOLUTION_AUTO; a <= (p ? MST_CONVOLUTION_AUTO : MST_CONVOLUTION_PAPER_E); a++) {
                mst_convolution_desc desc =
                    test_convolution_desc(MST_FLOAT32, table[i][0], table[i][1], MST_COMPLEX64, table[i][2], table[i][3]);
                const mst_place places[3] = {all_places[p % 3], all_places[p / 3 % 3], all_places[p / 9]};
                mst_convolution *plan = NULL;
                mst_error e;
                desc.algorithm = (mst_convolution_algorithm)a;
                test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
                test_array z = test_convolution_run(*state, &desc, &x, &y, places, NULL);
                assert_int_equal(z.elements, 0);
                OK(mst_convolution_create(*state, &desc, &plan, &e));
                assert_int_equal(mst_convolution_padded_length(plan), 0);
                mst_convolution_destroy(plan);
                test_array_free(&x);
                test_array_free(&y);
                test_array_free(&z);
            }
}

static size_t power_of_two(size_t least) {
    size_t n = 1;
    while (n < least)
        n *= 2;
    return n;
}

static void padded_lengths(void **state) {
    for (int i = 0; i < 60; i++) {
        size_t n = test_between(1, 200), m = test_between(1, 200);
        for (int mode = 0; mode < 4; mode++) {
            mst_convolution_desc desc =
                test_convolution_desc(MST_FLOAT32, 1, n, MST_FLOAT32, 1, mode == MST_CONVOLUTION_CIRCULAR ? n : m);
            mst_convolution *plan = NULL;
            mst_error e;
            desc.mode = (mst_convolution_mode)mode, desc.algorithm = MST_CONVOLUTION_REFERENCE;
            OK(mst_convolution_create(*state, &desc, &plan, &e));
            size_t got = mst_convolution_padded_length(plan), most = n > m ? n : m;
            // the wanted values begin..end-1 of the full length must not meet the wrapped ones
            size_t needed = mode == MST_CONVOLUTION_FULL    ? n + m - 1
                            : mode == MST_CONVOLUTION_SAME  ? n + m / 2
                            : mode == MST_CONVOLUTION_VALID ? most
                                                            : n;
            if (mode == MST_CONVOLUTION_CIRCULAR)
                CHECK(got == n || got == power_of_two(2 * n - 1), "circular %zu: N = %zu", n, got);
            else
                CHECK(got == power_of_two(needed) || got == power_of_two(needed > most ? needed : most),
                      "mode %d, %zu and %zu: N = %zu, not %zu", mode, n, m, got, power_of_two(needed));
            mst_convolution_destroy(plan);
        }
    }
}

static void names_and_choice(void **state) {
    static const char *const names[] = {"auto",    "reference", "paper-a", "paper-b", "paper-c",
                                        "paper-d", "paper-e",   "fused",   "direct",  "overlap-save"};
    assert_string_equal(mst_convolution_algorithm_name(MST_CONVOLUTION_OVERLAP_SAVE), names[9]);
    for (int a = 0; a <= MST_CONVOLUTION_DIRECT; a++) {
        mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, 2, 8, MST_FLOAT32, 2, 8);
        mst_convolution *plan = NULL;
        mst_error e;
        assert_string_equal(mst_convolution_algorithm_name((mst_convolution_algorithm)a), names[a]);
        desc.algorithm = (mst_convolution_algorithm)a;
        OK(mst_convolution_create(*state, &desc, &plan, &e));
        int used = (int)mst_convolution_algorithm_used(plan);
        assert_true(a ? used == a : used > 0 && used <= MST_CONVOLUTION_DIRECT);
        mst_convolution_destroy(plan);
    }
    assert_non_null(mst_convolution_algorithm_name((mst_convolution_algorithm)10));
}

// ---- events ----

static void events(void **state) {
    for (int a = MST_CONVOLUTION_AUTO; a <= MST_CONVOLUTION_PAPER_E; a++) {
        mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, 4, 100, MST_FLOAT32, 4, 29);
        desc.algorithm = (mst_convolution_algorithm)a;
        mst_error e;
        cl_event marker, done = NULL;
        mst_convolution *plan = NULL;
        mst_layout layout;
        mst_execution how = MST_EXECUTION_INIT;
        OK(mst_convolution_result(&desc, &layout, &e));
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y), z = test_array_new(&layout);
        test_array expected = test_convolution_run(*state, &desc, &x, &y, host, NULL);
        test_placed px = test_place(*state, MST_PLACE_DEVICE, &x), py = test_place(*state, MST_PLACE_DEVICE, &y);
        test_placed pz = test_place(*state, MST_PLACE_DEVICE, &z);
        assert_int_equal(clEnqueueMarkerWithWaitList(mst_context_queue(*state), 0, NULL, &marker), CL_SUCCESS);
        how.n_wait = 1, how.wait_list = &marker, how.event = &done;
        OK(mst_convolution_create(*state, &desc, &plan, &e));
        OK(mst_convolution_execute(plan, px.at, py.at, pz.at, &how, &e));
        assert_non_null(done);
        cl_command_type type; // of the last kernel: with auto, direct for so few values, nothing is enqueued behind it
        assert_int_equal(clGetEventInfo(done, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL), CL_SUCCESS);
        CHECK(a != MST_CONVOLUTION_AUTO || type == CL_COMMAND_NDRANGE_KERNEL, "the event is that of a command of type 0x%x",
              (unsigned)type);
        assert_int_equal(clWaitForEvents(1, &done), CL_SUCCESS);
        test_collect(&pz, &z);
        CHECK(test_array_same(&z, &expected), "%s with an event differs", mst_convolution_algorithm_name(desc.algorithm));
        mst_convolution_destroy(plan);
        clReleaseEvent(marker), clReleaseEvent(done);
        clReleaseMemObject(px.at.buffer), clReleaseMemObject(py.at.buffer);
        test_array_free(&x), test_array_free(&y), test_array_free(&z), test_array_free(&expected);
    }
}

// ---- refusals ----

static void refuse(mst_context *context, const mst_convolution_desc *desc, const char *part) {
    mst_error e;
    mst_layout z;
    mst_convolution *plan = (mst_convolution *)&e;
    REFUSED(MST_ERROR_ARGUMENT, part, mst_convolution_create(context, desc, &plan, &e));
    assert_null(plan);
    if (desc && desc->z.rank == 0 && (unsigned)desc->algorithm <= MST_CONVOLUTION_DIRECT)
        REFUSED(MST_ERROR_ARGUMENT, part, mst_convolution_result(desc, &z, &e));
}

static void bad_descriptions(void **state) {
    mst_context *c = *state;
    const mst_convolution_desc good = test_convolution_desc(MST_FLOAT32, 4, 10, MST_FLOAT32, 4, 5);
    mst_convolution_desc d;
    mst_convolution *plan;
    mst_error e;
    refuse(c, NULL, "");
    REFUSED(MST_ERROR_ARGUMENT, "", mst_convolution_create(NULL, &good, &plan, &e));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_convolution_create(c, &good, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_convolution_result(&good, NULL, &e));
    mst_convolution_destroy(NULL);
    d = good, d.struct_size--;
    refuse(c, &d, "struct_size");
    d = good, d.x.rank = 0;
    refuse(c, &d, "rank");
    d = good, d.y.rank = 9;
    refuse(c, &d, "rank");
    d = good, d.y.rank = 1;
    refuse(c, &d, "rank");
    d = good, d.x.type = (mst_type)0;
    refuse(c, &d, "type");
    d = good, d.y.type = (mst_type)15;
    refuse(c, &d, "type");
    d = good, d.x.type = MST_FLOAT16;
    refuse(c, &d, "x is float16; float32, ");
    d = good, d.axes[0] = 2;
    refuse(c, &d, "axis");
    d = good, d.axes[0] = -3;
    refuse(c, &d, "axis");
    d = good, d.mode = (mst_convolution_mode)4;
    refuse(c, &d, "mode");
    d = good, d.mode = (mst_convolution_mode)-1;
    refuse(c, &d, "mode");
    d = good, d.algorithm = (mst_convolution_algorithm)10;
    refuse(c, &d, "algorithm");
    d = test_convolution_desc(MST_FLOAT32, 4, 10, MST_FLOAT32, 3, 5);
    refuse(c, &d, "3");
    d = test_convolution_desc(MST_FLOAT32, 4, 10, MST_FLOAT32, 2, 5);
    refuse(c, &d, "4");
    d = test_convolution_desc(MST_FLOAT32, 4, 10, MST_FLOAT32, 4, 5), d.mode = MST_CONVOLUTION_CIRCULAR;
    refuse(c, &d, "circular");
    d = good, d.axes[0] = 0, d.axes[1] = -2, d.n_axes = 2;
    refuse(c, &d, "twice");
    d = good, d.n_axes = 0;
    refuse(c, &d, "n_axes");
    d = good, d.n_axes = 4;
    refuse(c, &d, "n_axes");
    d = good, d.n_axes = 2, d.axes[0] = 0, d.axes[1] = 1, d.algorithm = MST_CONVOLUTION_PAPER_B;
    refuse(c, &d, "paper-b");
    d = good, d.shape = (mst_fft_shape)3;
    refuse(c, &d, "shape");
    d = test_convolution_desc(MST_FLOAT32, 4, 10, MST_FLOAT32, 5, 5), d.mode = MST_CONVOLUTION_VALID;
    d.n_axes = 2, d.axes[0] = 0, d.axes[1] = 1;
    refuse(c, &d, "both axes");
    d = test_convolution_desc(MST_FLOAT32, 1, ((size_t)1 << 24), MST_FLOAT32, 1, 2); // padded to 2^25
    d.algorithm = MST_CONVOLUTION_PAPER_E;
    REFUSED(MST_ERROR_ARGUMENT, "16777216", mst_convolution_create(c, &d, &plan, &e));
    d = test_convolution_desc(MST_FLOAT32, (size_t)1 << 50, (size_t)1 << 20, MST_FLOAT32, 1, 2);
    refuse(c, &d, "too large");
    d = test_convolution_desc(MST_FLOAT32, 1, (size_t)1 << 61, MST_FLOAT32, 1, (size_t)1 << 61);
    refuse(c, &d, "");
    // shapes that broadcast per axis in NumPy, but where neither operand is all ones
    size_t a[] = {4, 1, 10}, b[] = {1, 3, 5};
    d = good, d.x = mst_layout_dense(MST_FLOAT32, 3, a), d.y = mst_layout_dense(MST_FLOAT32, 3, b);
    refuse(c, &d, "");
}

static void bad_results(void **state) {
    const mst_convolution_desc good = test_convolution_desc(MST_FLOAT32, 4, 10, MST_FLOAT32, 4, 5);
    mst_convolution_desc d = good;
    mst_layout z;
    mst_error e;
    OK(mst_convolution_result(&good, &z, &e));
    d.z = z, d.z.type = MST_FLOAT64;
    refuse(*state, &d, "float32");
    d.z = z, d.z.type = MST_COMPLEX64;
    refuse(*state, &d, "float32");
    d.z = z, d.z.shape[1] = 13;
    refuse(*state, &d, "14");
    d.z = z, d.z.shape[0] = 1;
    refuse(*state, &d, "4");
    d.z = z, d.z.rank = 1;
    refuse(*state, &d, "(4,14)");
    d.z = z, d.z.strides[0] = 0;
    refuse(*state, &d, "stride");
    d.z = z, d.z.strides[0] = 13;
    refuse(*state, &d, "stride");
}

static void overlaps_and_bad_places(void **state) {
    static float data[1000];
    mst_error e;
    cl_int code;
    mst_convolution *plan = NULL;
    const mst_convolution_desc desc = test_convolution_desc(MST_FLOAT32, 4, 10, MST_FLOAT32, 4, 5); // 160, 80 and 224 bytes
    cl_mem buffer = clCreateBuffer(mst_context_opencl(*state), CL_MEM_READ_WRITE, 1000, NULL, &code);
    int file = test_file(1000);
    OK(mst_convolution_create(*state, &desc, &plan, &e));
#define AT(place, x, y, z) place(x), place(y), place(z), NULL, &e
#define ON_HOST(at) mst_at_host((char *)data + (at))
#define ON_DEVICE(at) mst_at_device(buffer, at)
#define IN_FILE(at) mst_at_file(file, at)
#define TRY_ALL(check, x, y, z)                                                                                                  \
    check(mst_convolution_execute(plan, AT(ON_HOST, x, y, z)));                                                                  \
    check(mst_convolution_execute(plan, AT(ON_DEVICE, x, y, z)));                                                                \
    check(mst_convolution_execute(plan, AT(IN_FILE, x, y, z)))
#define OVERLAPS(call) REFUSED(MST_ERROR_ARGUMENT, "overlap", call)
    TRY_ALL(OVERLAPS, 0, 160, 0);
    TRY_ALL(OVERLAPS, 0, 160, 156);
    TRY_ALL(OVERLAPS, 0, 160, 236);
    TRY_ALL(OVERLAPS, 220, 500, 0);
    TRY_ALL(OK, 0, 160, 240);
    TRY_ALL(OK, 240, 400, 0);
    TRY_ALL(OK, 0, 0, 160); // inputs may share memory
    REFUSED(MST_ERROR_ARGUMENT, "", mst_convolution_execute(NULL, AT(ON_HOST, 0, 160, 240)));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_convolution_execute(plan, mst_at_host(NULL), ON_HOST(160), ON_HOST(240), NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_convolution_execute(plan, ON_HOST(0), mst_at_host(NULL), ON_HOST(240), NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_convolution_execute(plan, ON_HOST(0), ON_HOST(160), mst_at_host(NULL), NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_convolution_execute(plan, AT(ON_DEVICE, 0, 160, 780)));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_convolution_execute(plan, AT(ON_DEVICE, 844, 160, 240)));
    REFUSED(MST_ERROR_ARGUMENT, "", mst_convolution_execute(plan, AT(ON_DEVICE, 0, 924, 240)));
    REFUSED(MST_ERROR_IO, "", mst_convolution_execute(plan, AT(IN_FILE, 0, 924, 240)));
    mst_convolution_destroy(plan);
    clReleaseMemObject(buffer);
    close(file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(result_types),     cmocka_unit_test(result_shapes),    cmocka_unit_test(empty_operands),
        cmocka_unit_test(padded_lengths),   cmocka_unit_test(names_and_choice), cmocka_unit_test(events),
        cmocka_unit_test(bad_descriptions), cmocka_unit_test(bad_results),      cmocka_unit_test(overlaps_and_bad_places),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
