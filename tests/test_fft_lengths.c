// FFT: lengths of every kind, real data, and both shapes of kernels. A kernel is written for each length: a run takes a third
// of the short ones and of the longer ones a ninth in either shape, and other ones each time. Powers of two are in fft, too.
#include "support.h"

#include "fft/any.h"

#include <math.h>

static const mst_place all_places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};

// Every radix, products of them, primes for Bluestein, and lengths that take several passes.
static const size_t lengths[] = {1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,  15,   16,
                                 17,   19,   22,   26,   30,   32,   37,   49,   55,   64,   77,   91,   97,   100, 105,  121,
                                 143,  166,  169,  196,  210,  225,  243,  251,  256,  289,  360,  625,  677,  694, 1000, 1009,
                                 1331, 1711, 2003, 2048, 2187, 3125, 3303, 3346, 4099, 4096, 5040, 8192, 10000};
enum { N_LENGTHS = sizeof lengths / sizeof lengths[0] };

// Where kernels of that shape run.
static mst_context *context_for(void **state, int shape) { return shape == MST_FFT_SHAPE_CPU ? test_cpu(state) : *state; }

static void complex_lengths(void **state) {
    for (size_t i = 0; i < N_LENGTHS; i++)
        for (int shape = MST_FFT_SHAPE_GPU; shape <= MST_FFT_SHAPE_CPU; shape++) {
            size_t extents[] = {lengths[i] <= 32 ? 70 : lengths[i] < 64 ? 20 : 3, lengths[i]};
            if (!test_turn(i + (size_t)shape, lengths[i] <= 17 ? 3 : 9))
                continue;
            mst_fft_desc desc = MST_FFT_DESC_INIT;
            desc.input = mst_layout_dense(test_between(0, 1) ? MST_COMPLEX64 : MST_COMPLEX128, 2, extents);
            desc.direction = test_between(0, 1) ? MST_FFT_FORWARD : MST_FFT_INVERSE;
            desc.shape = (mst_fft_shape)shape;
            test_fft_check(context_for(state, shape), &desc, all_places[test_between(0, 2)], all_places[test_between(0, 2)]);
        }
}

// GPU-shaped passes between rows and columns hand lines over at the first exchange, which may be of all real parts or of half.
static void between_rows_and_columns(void **state) {
    static const size_t table[] = {18, 60, 256, 1024, 5040};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int way = 0; way < 2; way++) {
            if (!test_turn(i + (size_t)way, 2))
                continue;
            size_t n = table[i], lines = 5, extents[] = {lines, n};
            mst_fft_desc desc = MST_FFT_DESC_INIT;
            desc.input = desc.output = mst_layout_dense(i % 2 ? MST_COMPLEX64 : MST_COMPLEX128, 2, extents);
            mst_layout *across = way ? &desc.input : &desc.output;
            across->strides[0] = 1, across->strides[1] = (int64_t)lines;
            desc.shape = MST_FFT_SHAPE_GPU;
            test_fft_check(*state, &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
        }
}

// GPU-shaped passes that convolve: Rader's primes (the first has the fewest elements) and Bluestein's lengths; rows and columns,
// more lines than a work-group has, both ways.
static void convolving_passes(void **state) {
    static const size_t table[] = {37, 211, 1009, 74, 167, 1034};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        size_t n = table[i], lines = n < 100 ? 21 : 5, extents[] = {lines, n};
        if (!test_turn(i, 3)) // a prime's way and a composite's are three apart
            continue;
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.input = desc.output = mst_layout_dense(test_between(0, 1) ? MST_COMPLEX64 : MST_COMPLEX128, 2, extents);
        mst_layout *across = test_between(0, 1) ? &desc.input : &desc.output;
        across->strides[0] = 1, across->strides[1] = (int64_t)lines;
        desc.shape = MST_FFT_SHAPE_GPU;
        desc.direction = test_between(0, 1) ? MST_FFT_FORWARD : MST_FFT_INVERSE;
        desc.scale = 0.5;
        test_fft_check(*state, &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
        mst_fft *plan;
        mst_error e;
        OK(mst_fft_create(*state, &desc, &plan, &e));
        CHECK(mst_fft_n_passes(plan) == 1, "length %zu takes %d passes, not one", n, mst_fft_n_passes(plan));
        mst_fft_destroy(plan);
    }
}

// GPU-shaped transforms of one pass, where half a line of reals fits local memory, and of two; 8191 by way of the first.
static void long_lengths(void **state) {
    static const struct {
        size_t n;
        mst_type type;
        int least; // passes, where 16384, or 8192 in double, takes one
    } table[] = {{16384, MST_COMPLEX64, 1},
                 {24576, MST_COMPLEX128, 2},
                 {46080, MST_COMPLEX64, 2},
                 {8191, MST_COMPLEX64, 2},
                 {8192, MST_COMPLEX128, 1}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        size_t extents[] = {3, table[i].n};
        if (!test_turn(i, 2))
            continue;
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.input = mst_layout_dense(table[i].type, 2, extents);
        desc.shape = MST_FFT_SHAPE_GPU;
        test_fft_check(*state, &desc, MST_PLACE_HOST, MST_PLACE_DEVICE);
        const mst_device_info *device = mst_context_device(*state);
        mst_fft *plan;
        mst_error e;
        OK(mst_fft_create(*state, &desc, &plan, &e));
        bool fits = device->local_memory_bytes >= (4096 + 256 + 1) * sizeof(double) && device->max_work_group_size >= 1024;
        int passes = mst_fft_n_passes(plan);
        CHECK(fits ? passes == table[i].least : passes > 1, "length %zu takes %d passes", table[i].n, passes);
        mst_fft_destroy(plan);
    }
}

// GPU-shaped columns of which local memory holds too few side by side take two passes, rows of that length one.
static void long_columns(void **state) {
    size_t extents[] = {3000, 3}, turned[] = {3, 3000};
    mst_fft_desc desc = MST_FFT_DESC_INIT, rows = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, extents);
    desc.axes[0] = 0;
    desc.direction = test_between(0, 1) ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    desc.shape = MST_FFT_SHAPE_GPU;
    test_fft_check(*state, &desc, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
    rows.input = mst_layout_dense(MST_COMPLEX64, 2, turned);
    rows.shape = MST_FFT_SHAPE_GPU;
    mst_fft *plans[2];
    mst_error e;
    OK(mst_fft_create(*state, &desc, &plans[0], &e));
    OK(mst_fft_create(*state, &rows, &plans[1], &e));
    CHECK(mst_fft_n_passes(plans[0]) == 2 && mst_fft_n_passes(plans[1]) == 1, "columns take %d passes, rows %d",
          mst_fft_n_passes(plans[0]), mst_fft_n_passes(plans[1]));
    mst_fft_destroy(plans[0]);
    mst_fft_destroy(plans[1]);
}

// Forward from real, inverse to real: extents are those of the real side.
static void check_real(void **state, int rank, const size_t *extents, int n_axes, const int *axes, bool inverse, int shape) {
    bool wide = test_between(0, 1);
    size_t half[MST_MAX_RANK];
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_layout *real = inverse ? &desc.output : &desc.input, *spectrum = inverse ? &desc.input : &desc.output;
    desc.n_axes = n_axes;
    memcpy(desc.axes, axes, (size_t)n_axes * sizeof *axes);
    int last = (axes[n_axes - 1] + rank) % rank;
    memcpy(half, extents, (size_t)rank * sizeof *half);
    half[last] = half[last] / 2 + 1;
    *real = test_layout_random(wide ? MST_FLOAT64 : MST_FLOAT32, rank, extents, !inverse && test_between(0, 1));
    *spectrum = test_layout_random(wide ? MST_COMPLEX128 : MST_COMPLEX64, rank, half, false);
    if (real->strides[last] == 0) // a constant has zeros in its spectrum, which have no relative error
        real->strides[last] = mst_layout_dense(real->type, rank, extents).strides[last];
    desc.direction = inverse ? MST_FFT_INVERSE : MST_FFT_FORWARD;
    desc.shape = (mst_fft_shape)shape;
    desc.scale = test_between(0, 1) ? 1 : 0.25;
    test_fft_check(context_for(state, shape), &desc, all_places[test_between(0, 2)], all_places[test_between(0, 2)]);
}

// GPU-shaped: half the length in one pass, whose paired step has an odd number of butterflies, is the only step, has an odd
// radix, or exchanges half a line at a time; half of the spectrum through two passes and three, odd and even; columns.
static void real_passes(void **state) {
    static const struct {
        size_t extents[3];
        int axis;
    } table[] = {{{3, 1, 150}, 2},   {{3, 1, 62}, 2},    {{9, 1, 34}, 2},     {{2, 450, 3}, 1},
                 {{2, 1, 4096}, 2},  {{2, 4096, 5}, 1},  {{2, 1, 65536}, 2},  {{1, 30000, 3}, 1},
                 {{2, 1, 59049}, 2}, {{1, 1, 32768}, 2}, {{1, 1, 1050624}, 2}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int inverse = 0; inverse < 2; inverse++)
            if (test_turn(2 * i + (size_t)inverse, 5))
                check_real(state, 3, table[i].extents, 1, &table[i].axis, inverse, MST_FFT_SHAPE_GPU);
}

// GPU-shaped, of long columns: work memory whose rows are longer than the caller's, which have 4 k + 1 numbers.
static void rows_of_whole_sectors(void **state) {
    static const struct {
        size_t extents[3];
        int n_axes, axes[3];
    } table[] = {{{2, 600, 136}, 2, {1, 2}}, {{520, 3, 137}, 3, {1, 0, 2}}, {{2, 521, 128}, 2, {1, 2}}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (test_turn(i, 3))
            check_real(state, 3, table[i].extents, table[i].n_axes, table[i].axes, true, MST_FFT_SHAPE_GPU);
}

static void real_lengths(void **state) {
    static const int last_axis = -1;
    for (size_t i = 0; i < N_LENGTHS; i++) {
        if (!test_turn(i, 9))
            continue;
        size_t extents[] = {lengths[i] < 64 ? 20 : 3, lengths[i]};
        check_real(state, 2, extents, 1, &last_axis, test_between(0, 1), (int)test_between(1, 2));
    }
}

static void real_axes(void **state) {
    static const struct {
        int rank;
        size_t extents[4];
        int n_axes, axes[3];
    } table[] = {
        {2, {12, 7}, 1, {0}},       {2, {6, 10}, 2, {0, 1}},       {2, {6, 9}, 2, {1, 0}},  {3, {4, 5, 6}, 3, {0, 1, 2}},
        {3, {4, 15, 6}, 2, {2, 1}}, {4, {2, 8, 3, 16}, 2, {1, 3}}, {3, {5, 64, 3}, 1, {1}}, {2, {17, 19}, 2, {0, 1}},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int inverse = 0; inverse < 2; inverse++)
            if (test_turn(i + (size_t)inverse, 4))
                check_real(state, table[i].rank, table[i].extents, table[i].n_axes, table[i].axes, inverse,
                           (int)test_between(1, 2));
}

// Complex transforms of several axes and random layouts, of any length.
static void random_layouts(void **state) {
    for (int i = 0; i < test_many(2); i++) {
        int rank = (int)test_between(1, 4);
        size_t extents[4];
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        for (int k = 0; k < rank; k++)
            extents[k] = test_between(1, 20);
        desc.n_axes = (int)test_between(1, (size_t)(rank < 3 ? rank : 3));
        int first = (int)test_between(0, (size_t)(rank - desc.n_axes));
        for (int a = 0; a < desc.n_axes; a++)
            desc.axes[a] = first + (desc.n_axes - 1 - a);
        mst_type type = test_between(0, 1) ? MST_COMPLEX64 : MST_COMPLEX128;
        desc.input = test_layout_random(type, rank, extents, false);
        desc.output = test_layout_random(type, rank, extents, false);
        desc.shape = (mst_fft_shape)test_between(0, 2);
        test_fft_check(context_for(state, (int)desc.shape), &desc, all_places[test_between(0, 2)],
                       all_places[test_between(0, 2)]);
    }
}

// Many lines that take several passes each on a CPU, some of which a work-item takes together: from 8 lines a compute unit on.
static void many_long_lines(void **state) {
    static const size_t table[] = {8450, 12288, 13442, 16384};
    const size_t least = 8 * (size_t)mst_context_device(test_cpu(state))->compute_units;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int inverse = 0; inverse < 2; inverse++) {
            size_t extents[] = {test_between(least, least + 48), table[i]};
            const int last_axis = -1;
            if (test_turn(i, 2))
                check_real(state, 2, extents, 1, &last_axis, inverse, MST_FFT_SHAPE_CPU);
        }
}

// Real numbers whose halves have prime factors that no tile of a CPU holds: chirps of several passes, between pairs of numbers
// and what combines or splits. Rows, columns, the last of two axes.
static void real_chirps(void **state) {
    static const struct {
        size_t extents[2];
        int n_axes, axes[2];
    } table[] = {
        {{1, 8222}, 1, {1}}, {{21, 14206}, 1, {1}}, {{10006, 11}, 1, {0}}, {{6, 8222}, 2, {0, 1}}, {{8222, 9}, 2, {1, 0}}};
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (int inverse = 0; inverse < 2; inverse++)
            if (test_turn(i + (size_t)inverse, 2))
                check_real(state, 2, table[i].extents, table[i].n_axes, table[i].axes, inverse, MST_FFT_SHAPE_CPU);
}

// How many launches take the passes of a few long arrays: one, where a unit's cache has room for the columns that it reads again.
static void launches_of_long_arrays(void **state) {
    static const struct {
        size_t shape[3];
        int launches;
    } table[] = {{{4, 8192, 64}, 2}, {{4, 5000, 80}, 2}, {{4, 8192, 16}, 1}, {{4, 524288, 1}, 1}, {{16, 8192, 64}, 1}};
    mst_error e;
    if (mst_context_device(*state)->type & CL_DEVICE_TYPE_GPU)
        skip();
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        mst_fft *plan = NULL;
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.input = mst_layout_dense(MST_COMPLEX64, 3, table[i].shape);
        desc.axes[0] = 1;
        desc.shape = MST_FFT_SHAPE_CPU;
        OK(mst_fft_create(*state, &desc, &plan, &e));
        if (plan->any && plan->context->units == 2)
            CHECK(plan->any->n_groups == table[i].launches, "%s takes %d launches, not %d", test_layout_text(&desc.input),
                  plan->any->n_groups, table[i].launches);
        mst_fft_destroy(plan);
    }
}

// Forward and inverse, real and complex, give the data back.
static void round_trip(void **state) {
    static const size_t table[] = {15, 64, 101, 1000};
    for (size_t i = 0; i < 4; i++) {
        size_t n = table[i], extents[] = {4, n};
        if (!test_turn(i, 2))
            continue;
        mst_fft_desc forward = MST_FFT_DESC_INIT, inverse = MST_FFT_DESC_INIT;
        forward.input = mst_layout_dense(MST_FLOAT64, 2, extents);
        test_array x = test_array_random(&forward.input);
        test_array f = test_fft_run(*state, &forward, &x, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
        inverse.input = f.layout, inverse.output = forward.input;
        inverse.direction = MST_FFT_INVERSE, inverse.scale = 1 / (double)n;
        test_array y = test_fft_run(*state, &inverse, &f, MST_PLACE_HOST, MST_PLACE_HOST, NULL);
        for (size_t k = 0; k < x.elements; k++)
            CHECK(fabsl(creall(test_array_get(&x, k) - test_array_get(&y, k))) < 1e-14L, "n = %zu: value %zu does not come back",
                  n, k);
        test_array_free(&x), test_array_free(&f), test_array_free(&y);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(complex_lengths),
        cmocka_unit_test(between_rows_and_columns),
        cmocka_unit_test(convolving_passes),
        cmocka_unit_test(long_lengths),
        cmocka_unit_test(long_columns),
        cmocka_unit_test(real_lengths),
        cmocka_unit_test(real_axes),
        cmocka_unit_test(many_long_lines),
        cmocka_unit_test(launches_of_long_arrays),
        cmocka_unit_test(real_chirps),
        cmocka_unit_test(real_passes),
        cmocka_unit_test(rows_of_whole_sectors),
        cmocka_unit_test(random_layouts),
        cmocka_unit_test(round_trip),
    };
    setenv("POCL_MAX_PTHREAD_COUNT", "2", 1); // so that many lines for each unit are few, whatever the machine has
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
