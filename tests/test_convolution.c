// Convolution: every algorithm and mode against direct sums, FFTW and SciPy. The published algorithms have few kernels and take
// cases of every type, shape and length, but not of all their combinations (PoCL compiles them anew for every size of
// work-groups); fused writes one for each case, and a run takes a part of them. In time it is each one's turn.
#include "support.h"

#include <math.h>

static const mst_place all_places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
static const mst_place host[3] = {MST_PLACE_HOST, MST_PLACE_HOST, MST_PLACE_HOST};

static void check(mst_context *context, const mst_convolution_desc *desc, const mst_place places[3]) {
    test_array x = test_array_random(&desc->x), y = test_array_random(&desc->y);
    test_convolution_check(context, desc, &x, &y, places);
    test_array_free(&x);
    test_array_free(&y);
}

// ---- what SciPy computes: exact integers ----

static const struct fixture {
    const char *name;
    mst_convolution_mode mode;
    bool correlate, is_complex;
    size_t n, m, length;
    int x[16], y[16], z[32];
} fixtures[] = {
#include "scipy_fixtures.h"
};

static void fill(test_array *array, const int *values) {
    for (size_t i = 0; i < array->elements; i++)
        test_array_set(array, i, test_complex(values[2 * i], values[2 * i + 1]));
}

static void run_fixture(mst_context *context, const struct fixture *f, mst_convolution_algorithm algorithm, bool wide) {
    mst_type type = f->is_complex ? wide ? MST_COMPLEX128 : MST_COMPLEX64 : wide ? MST_FLOAT64 : MST_FLOAT32;
    mst_convolution_desc desc = test_convolution_desc(type, 1, f->n, type, 1, f->m);
    desc.mode = f->mode, desc.correlate = f->correlate, desc.algorithm = algorithm;
    test_array x = test_array_new(&desc.x), y = test_array_new(&desc.y);
    fill(&x, f->x);
    fill(&y, f->y);
    test_array z = test_convolution_run(context, &desc, &x, &y, host, NULL);
    assert_int_equal(z.elements, f->length);
    test_wide *reference = test_convolution_reference(&desc, &x, &y, &z.layout, NULL);
    for (size_t k = 0; k < f->length; k++) {
        test_wide expected = test_complex(f->z[2 * k], f->z[2 * k + 1]), got = test_array_get(&z, k);
        CHECK(reference[k] == expected, "the reference itself is wrong about %s", f->name);
        CHECK(roundl(creall(got)) == creall(expected) && roundl(cimagl(got)) == cimagl(expected), "%s%s, %s, %s: element %zu",
              f->name, f->correlate ? " correlate" : "", mst_convolution_algorithm_name(algorithm), mst_type_name(type), k);
    }
    free(reference);
    test_array_free(&x);
    test_array_free(&y);
    test_array_free(&z);
}

static void scipy(void **state) {
    for (size_t i = 0; i < sizeof fixtures / sizeof fixtures[0]; i++)
        for (int a = MST_CONVOLUTION_REFERENCE; a <= (i % 7 == 1 ? MST_CONVOLUTION_FUSED : MST_CONVOLUTION_PAPER_E); a++)
            if (test_turn(i + (size_t)a, a == MST_CONVOLUTION_FUSED ? 4 : 2)) // fused: the reference is held against all of them
                run_fixture(*state, &fixtures[i], (mst_convolution_algorithm)a, a % 2 == 0);
}

// ---- random cases ----

static size_t random_length(void) {
    static const size_t special[] = {1, 2, 3, 5, 7, 8, 13, 16, 17, 31, 32, 61, 64, 97, 127, 128, 251, 256, 509};
    return test_between(0, 1) ? special[test_between(0, sizeof special / sizeof special[0] - 1)] : test_between(1, 300);
}

static mst_type random_type(bool integer) {
    return (mst_type)(integer ? test_between(MST_INT8, MST_BOOL) : test_between(MST_FLOAT32, MST_COMPLEX128));
}

// The gate is for data that are not all of one sign on both sides (constants have a test of their own), and for the mean over
// short vectors: so integers only on one side, no operand constant along the axis, and many vectors when they are short.
static mst_convolution_desc random_case(mst_convolution_algorithm algorithm, mst_convolution_mode mode) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    int rank = (int)test_between(1, 3), axis = (int)test_between(0, (size_t)rank - 1);
    size_t x[3], y[3], which = test_between(0, 3), integer = test_between(0, 5);
    size_t n = random_length(), m = mode == MST_CONVOLUTION_CIRCULAR ? n : random_length();
    if (n + m < 64) {
        rank = rank == 1 ? 2 : rank;
        axis = (int)test_between(0, (size_t)rank - 1);
    }
    for (int k = 0; k < rank; k++) {
        size_t batch = n + m < 64 ? test_between(8, 12) : test_between(1, 4);
        x[k] = k != axis && which == 0 ? 1 : batch;
        y[k] = k != axis && which == 1 ? 1 : batch;
    }
    x[axis] = n, y[axis] = m;
    do
        desc.x = test_layout_random(random_type(integer == 0), rank, x, true);
    while (desc.x.strides[axis] == 0);
    do
        desc.y = test_layout_random(random_type(integer == 1), rank, y, true);
    while (desc.y.strides[axis] == 0);
    desc.axes[0] = test_between(0, 1) ? axis : axis - rank;
    desc.mode = mode, desc.correlate = test_between(0, 1) == 1, desc.algorithm = algorithm;
    if (test_between(0, 1)) {
        mst_error e;
        OK(mst_convolution_result(&desc, &desc.z, &e));
        desc.z = test_layout_random(desc.z.type, rank, desc.z.shape, false);
    }
    return desc;
}

static void random_cases(void **state) {
    for (int a = MST_CONVOLUTION_REFERENCE; a <= MST_CONVOLUTION_FUSED; a++)
        for (int mode = MST_CONVOLUTION_FULL; mode <= MST_CONVOLUTION_CIRCULAR; mode++)
            for (int i = 0; i < test_many(1); i++) {
                mst_convolution_desc desc = random_case((mst_convolution_algorithm)a, (mst_convolution_mode)mode);
                mst_place places[3];
                for (int p = 0; p < 3; p++)
                    places[p] = all_places[test_between(0, 2)];
                check(*state, &desc, places);
            }
}

// Every element type on either side, of every kind of partner, a quarter of the pairs a run; fused, which writes a kernel for
// each, of one of them.
static void types(void **state) {
    static const mst_type partners[] = {MST_FLOAT32, MST_FLOAT64, MST_COMPLEX64, MST_COMPLEX128, MST_INT16};
    for (int t = MST_FLOAT32; t <= MST_BOOL; t++)
        for (size_t p = 0; p < 5; p++) {
            if (!test_turn((size_t)t + p, 4))
                continue;
            mst_convolution_desc desc = test_convolution_desc((mst_type)t, 9, 21, partners[p], 9, 8);
            bool turn = test_turn((size_t)t, 3); // extreme_integers loads each of them, too
            desc.algorithm = turn && p == (size_t)t % 5 ? MST_CONVOLUTION_FUSED : MST_CONVOLUTION_PAPER_C;
            check(*state, &desc, host);
            desc = test_convolution_desc(partners[p], 9, 21, (mst_type)t, 1, 8);
            desc.correlate = true, desc.algorithm = (mst_convolution_algorithm)test_between(1, 6);
            if (turn && p == (size_t)t % 4 + 1)
                desc.algorithm = MST_CONVOLUTION_FUSED;
            check(*state, &desc, host);
        }
}

// The largest integers are converted as NumPy does, rounded to double and not cut to 32 bits or to a sign. A third of the types a
// run, as each has a program of its own.
static void extreme_integers(void **state) {
    static const struct {
        mst_type type;
        uint64_t bits[2];
        double values[2];
    } table[] = {
        {MST_INT8, {0x80, 0x7f}, {-128, 127}},
        {MST_UINT8, {0x80, 0xff}, {128, 255}},
        {MST_INT16, {0x8000, 0x7fff}, {-32768, 32767}},
        {MST_UINT16, {0x8000, 0xffff}, {32768, 65535}},
        {MST_INT32, {0x80000000, 0x7fffffff}, {-2147483648.0, 2147483647.0}},
        {MST_UINT32, {0x80000000, 0xffffffff}, {2147483648.0, 4294967295.0}},
        {MST_INT64, {0x8000000000000000, 0x7fffffffffffffff}, {-0x1p63, 0x1p63}},
        {MST_UINT64, {0x8000000000000000, 0xffffffffffffffff}, {0x1p63, 0x1p64}},
        {MST_BOOL, {0, 1}, {0, 1}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (!test_turn(i, 3))
            continue;
        mst_convolution_desc desc = test_convolution_desc(table[i].type, 2, 1, MST_FLOAT64, 1, 1);
        test_array x = test_array_new(&desc.x), y = test_array_new(&desc.y);
        for (size_t k = 0; k < 2; k++)
            memcpy(test_array_at(&x, k), &table[i].bits[k], mst_type_bytes(table[i].type));
        test_array_set(&y, 0, 1);
        test_array z = test_convolution_run(*state, &desc, &x, &y, host, NULL);
        for (size_t k = 0; k < 2; k++)
            CHECK(z.layout.type == MST_FLOAT64 && test_array_get(&z, k) == table[i].values[k], "%s: %.17g became %.17Lg",
                  mst_type_name(table[i].type), table[i].values[k], creall(test_array_get(&z, k)));
        test_array_free(&x);
        test_array_free(&y);
        test_array_free(&z);
    }
}

// Constants, also by stride 0: the result is sqrt(length) larger than ||x||*||y||, and the error is held against it.
static void constants(void **state) {
    for (int a = MST_CONVOLUTION_REFERENCE; a <= MST_CONVOLUTION_FUSED; a++)
        for (int t = MST_FLOAT32; t <= MST_COMPLEX128; t++) {
            mst_convolution_desc desc = test_convolution_desc((mst_type)t, 12, 300, MST_BOOL, 1, 150);
            if (!test_turn((size_t)(t + a), 4))
                continue;
            desc.algorithm = (mst_convolution_algorithm)a;
            desc.x.strides[1] = 0;
            test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
            test_array z = test_convolution_run(*state, &desc, &x, &y, host, NULL);
            long double norms[12] = {0};
            test_wide *reference = test_convolution_reference(&desc, &x, &y, &z.layout, NULL);
            size_t worst;
            for (size_t i = 0; i < z.elements; i++)
                norms[i / 449] = hypotl(norms[i / 449], cabsl(reference[i]));
            double error = test_convolution_error(&z, -1, reference, norms, &worst), gate = 2 * test_gate(&z.layout, 512);
            CHECK(error <= gate, "%s, constants of %s: %.3g is above %.3g", mst_convolution_algorithm_name(desc.algorithm),
                  mst_type_name((mst_type)t), error, gate);
            free(reference);
            test_array_free(&x);
            test_array_free(&y);
            test_array_free(&z);
        }
}

// ---- shapes ----

static void shapes(void **state) {
    static const struct {
        size_t bx, n, by, m;
    } table[] = {
        {1, 1, 1, 1},       {1, 1, 1, 1000},   {1, 1000, 1, 1},   {2000, 16, 2000, 9}, {3000, 5, 1, 3},     {1, 5, 3000, 3},
        {1, 4096, 1, 4096}, {3, 4093, 3, 101}, {3, 101, 3, 4093}, {2, 65536, 1, 1},    {1, 30011, 2, 3001},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        for (int mode = MST_CONVOLUTION_FULL; mode <= MST_CONVOLUTION_VALID; mode++)
            for (int t = 0; t < 4; t++) {
                mst_type type = (mst_type)(MST_FLOAT32 + t);
                mst_convolution_desc desc = test_convolution_desc(type, table[i].bx, table[i].n, type, table[i].by, table[i].m);
                desc.mode = (mst_convolution_mode)mode, desc.correlate = t % 2 == mode % 2;
                bool fused = (int)(i + (size_t)t) % 3 == mode && (int)i % 4 == t && test_turn(i, 2);
                if (!fused && !test_turn(i + (size_t)(t + mode), 6)) // every second type of every shape, in one of the modes
                    continue;
                desc.algorithm = fused ? MST_CONVOLUTION_FUSED : MST_CONVOLUTION_PAPER_C;
                check(*state, &desc, host);
            }
    }
}

// The published algorithms change their ways with N (private memory, then global memory).
static void every_padded_length(void **state) {
    for (int a = MST_CONVOLUTION_REFERENCE; a <= MST_CONVOLUTION_FUSED; a++)
        for (size_t n = 1; n <= 65536; n *= a == MST_CONVOLUTION_FUSED ? 8 : n < 1024 ? 2 : 8) {
            mst_type type = (mst_type)test_between(MST_FLOAT32, MST_COMPLEX128);
            if (a != MST_CONVOLUTION_FUSED && !test_turn((size_t)(a + __builtin_ctzll(n)), 3))
                continue;
            mst_convolution_desc desc = test_convolution_desc(type, n < 64 ? 16 : 3, n, type, n < 64 ? 16 : 3, n);
            desc.algorithm = (mst_convolution_algorithm)a, desc.mode = MST_CONVOLUTION_CIRCULAR;
            desc.correlate = test_between(0, 1) == 1;
            check(*state, &desc, host);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scipy),
        cmocka_unit_test(random_cases),
        cmocka_unit_test(types),
        cmocka_unit_test(extreme_integers),
        cmocka_unit_test(constants),
        cmocka_unit_test(shapes),
        cmocka_unit_test(every_padded_length),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
