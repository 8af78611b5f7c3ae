// Cosine and sine transforms against FFTW's in higher precision: all kinds, both ways, both shapes of kernels, lengths of every
// sort, axes, layouts, places; descriptions that are refused. On CPUs one kernel takes all lengths.
#include "support.h"

#include <math.h>

static const mst_place all_places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};

static const size_t lengths[] = {1,    2,    3,    4,    5,    6,    7,    8,     9,     10,    11,    12,    13,    14,    15,
                                 16,   17,   18,   20,   24,   27,   30,   31,    32,    37,    48,    64,    67,    74,    96,
                                 100,  101,  125,  128,  134,  255,  256,  257,   360,   500,   512,   1000,  1009,  1024,  2018,
                                 2048, 3000, 4096, 4097, 5000, 5005, 8192, 10000, 15015, 16384, 16398, 20011, 65536, 200000};

static mst_fft_desc describe(mst_type type, int kind, int rank, const size_t *shape) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(type, rank, shape);
    desc.kind = (mst_fft_kind)kind;
    desc.direction = test_between(0, 1) ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    desc.orthogonal = (int)test_between(0, 1);
    return desc;
}

static void every_kind(void **state) {
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        for (int kind = MST_FFT_DCT1; kind <= MST_FFT_DST4; kind++) {
            size_t n = lengths[i], shape[] = {n < 40 ? 37 : n < 600 ? 11 : 2, n};
            if ((kind == MST_FFT_DCT1 && n == 1) || !test_turn(i * 8 + (size_t)kind, n < 1000 ? 3 : 6))
                continue;
            mst_fft_desc desc = describe(test_between(0, 1) ? MST_FLOAT32 : MST_FLOAT64, kind, 2, shape);
            desc.shape = MST_FFT_SHAPE_CPU;
            desc.scale = test_between(0, 1) ? 1 : 0.25;
            test_fft_check(test_cpu(state), &desc, all_places[test_between(0, 2)], all_places[test_between(0, 2)]);
        }
}

// A kernel is written for each: few.
static void gpu_shape(void **state) {
    static const size_t table[] = {2, 12, 15, 37, 64, 100, 257, 360, 1009, 4096, 46080};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int kind = MST_FFT_DCT1; kind <= MST_FFT_DST4; kind++) {
            size_t many = table[i] < 100 ? 21 : 3, rows[] = {many, table[i]}, columns[] = {table[i], many};
            if (!test_turn(i * 8 + (size_t)kind, 44))
                continue;
            bool turned = test_between(0, 1);
            mst_fft_desc desc = describe(test_between(0, 1) ? MST_FLOAT32 : MST_FLOAT64, kind, 2, turned ? columns : rows);
            desc.axes[0] = turned ? 0 : -1;
            desc.shape = MST_FFT_SHAPE_GPU;
            test_fft_check(*state, &desc, all_places[test_between(0, 2)], all_places[test_between(0, 2)]);
        }
}

static void axes_and_layouts(void **state) {
    static const struct {
        int rank;
        size_t shape[4];
        int n_axes, axes[3];
    } table[] = {
        {1, {64}, 1, {0}},
        {2, {40, 7}, 1, {0}},
        {2, {24, 36}, 2, {0, 1}},
        {2, {35, 36}, 2, {0, 1}},
        {2, {36, 37}, 2, {1, 0}},
        {3, {3, 16, 50}, 1, {1}},
        {3, {16, 3, 8}, 2, {0, 2}},
        {3, {8, 9, 16}, 3, {0, 1, 2}},
        {3, {2, 200, 240}, 2, {-1, -2}},
        {4, {2, 8, 3, 32}, 2, {1, 3}},
        {3, {2, 9000, 3}, 1, {1}},
        {3, {600, 1, 520}, 2, {0, 2}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int round = 0; round < 4; round++) {
            mst_type type = test_between(0, 1) ? MST_FLOAT32 : MST_FLOAT64;
            int kind = (int)test_between(MST_FFT_DCT1, MST_FFT_DST4);
            mst_fft_desc desc = describe(type, kind, table[i].rank, table[i].shape);
            desc.n_axes = table[i].n_axes;
            memcpy(desc.axes, table[i].axes, sizeof desc.axes);
            desc.shape = MST_FFT_SHAPE_CPU;
            desc.scale = -0.5;
            if (round % 2) {
                desc.input = test_layout_random(type, table[i].rank, table[i].shape, false);
                desc.output = test_layout_random(type, table[i].rank, table[i].shape, false);
            }
            test_fft_check(test_cpu(state), &desc, all_places[test_between(0, 2)], all_places[test_between(0, 2)]);
        }
}

static void refusals(void **state) {
    mst_fft *plan;
    mst_error e;
    const size_t one[] = {4, 1}, shape[] = {4, 6}, other[] = {4, 4};
    mst_fft_desc good = describe(MST_FLOAT32, MST_FFT_DCT2, 2, shape), d = good;
    struct {
        mst_fft_desc desc;
        const char *says;
    } table[6];
    for (int i = 0; i < 6; i++)
        table[i].desc = good;
    table[0].desc.kind = (mst_fft_kind)9, table[0].says = "kind 9";
    table[1].desc.orthogonal = 2, table[1].says = "orthogonal is 2";
    table[2].desc.input = mst_layout_dense(MST_COMPLEX64, 2, shape), table[2].says = "complex64";
    table[3].desc.output = mst_layout_dense(MST_FLOAT64, 2, shape), table[3].says = "one type";
    table[4].desc.output = mst_layout_dense(MST_FLOAT32, 2, other), table[4].says = "same shape";
    table[5].desc = describe(MST_FLOAT32, MST_FFT_DCT1, 2, one), table[5].says = "length 1";
    for (int i = 0; i < 6; i++) {
        mst_status made = mst_fft_create(*state, &table[i].desc, &plan, &e);
        CHECK(made == MST_ERROR_ARGUMENT && strstr(e.message, table[i].says), "case %d: status %d, '%s'", i, (int)made,
              e.message);
    }
    d.kind = MST_FFT_FOURIER;
    d.orthogonal = 1;
    CHECK(mst_fft_create(*state, &d, &plan, &e) == MST_ERROR_ARGUMENT, "orthogonal Fourier transforms are not refused");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(gpu_shape),
        cmocka_unit_test(axes_and_layouts),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
