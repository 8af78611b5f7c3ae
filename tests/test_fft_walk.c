// FFT: a random walk over what a description can say, mostly with many rows: kinds, types, directions, one to three axes in any
// order, lengths of every sort, strides, scales, places, in place, budgets, and both shapes of kernels. What fixed lists leave
// out meets here by chance, and a failure's seed repeats it. X_nightly goes 25 times as far.
#include "support.h"

#include <math.h>

static const mst_place places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};

// What is wrong is far off; how far a few numbers may scatter (test_fft_error) is not looked at here.
static void check(mst_context *context, const mst_fft_desc *desc, mst_place from, mst_place to) {
    test_array input = test_array_random(&desc->input);
    test_array output = test_fft_run(context, desc, &input, from, to, NULL);
    test_wide *reference = test_fft_reference(desc, &input);
    const double error = test_fft_error(desc, &output, reference);
    CHECK(error <= 4 * test_fft_gate(desc), "%s in %s -> %s in %s, kind %d, %d axes (%d %d %d), %s, shape %d: error %.3g",
          test_layout_text(&desc->input), test_place_name(from), test_layout_text(&output.layout), test_place_name(to),
          (int)desc->kind, desc->n_axes, desc->axes[0], desc->axes[1], desc->axes[2],
          desc->direction == MST_FFT_FORWARD ? "forward" : "inverse", (int)desc->shape, error);
    free(reference);
    test_array_free(&input);
    test_array_free(&output);
}

// From 1 to `most`, as likely in each octave; what people choose, any number, or just beside a power of two.
static size_t length(size_t most) {
    static const size_t factors[] = {2, 2, 2, 3, 3, 5, 7, 11, 13};
    const size_t octave = (size_t)exp2(test_uniform() * 0.5 * log2((double)most) + 0.5 * log2((double)most));
    size_t n = 1;
    switch (test_between(0, 3)) {
    case 0:
        return test_between(1, octave);
    case 1:
        n = (size_t)exp2(floor(log2((double)octave))) + test_between(0, 2);
        return n > 2 ? n - 1 : n;
    default:
        for (int tries = 0; tries < 40; tries++) {
            const size_t factor = factors[test_between(0, 8)];
            n *= n * factor <= octave ? factor : 1;
        }
        return n;
    }
}

// The elements behind and before an axis are rows of it: of few axes, up to `points` elements in all.
static void draw_shape(mst_fft_desc *desc, size_t *shape, int *rank, size_t points) {
    int order[MST_MAX_RANK] = {0};
    *rank = (int)test_between(1, 5);
    desc->n_axes = (int)test_between(1, test_between(0, 1) ? 1 : (size_t)(*rank < 3 ? *rank : 3));
    for (int k = 0; k < *rank; k++) {
        const int at = (int)test_between(0, (size_t)k);
        order[k] = order[at];
        order[at] = k;
    }
    for (int k = 0; k < *rank; k++) { // the transformed ones come first
        const bool transformed = k < desc->n_axes;
        const size_t room = points > 1 ? points : 1;
        shape[order[k]] = !transformed        ? test_between(1, test_between(0, 1) ? room : (size_t)sqrt((double)room))
                                 : desc->n_axes == 1 ? length(test_between(0, 3) ? (size_t)sqrt((double)room) * 2 : room)
                                              : length((size_t)pow((double)room, 0.7));
        points /= shape[order[k]];
    }
    for (int a = 0; a < desc->n_axes; a++)
        desc->axes[a] = order[a] - (test_between(0, 1) ? *rank : 0);
}

static mst_layout draw_layout(mst_type type, int rank, const size_t *shape, bool broadcast) {
    return test_between(0, 2) ? mst_layout_dense(type, rank, shape) : test_layout_random(type, rank, shape, broadcast);
}

static void draw_types(mst_fft_desc *desc, int rank, size_t *shape, bool fp64) {
    const bool is_double = fp64 && test_between(0, 2) == 0;
    const mst_type real = is_double ? MST_FLOAT64 : MST_FLOAT32, whole = is_double ? MST_COMPLEX128 : MST_COMPLEX64;
    const size_t sort = test_between(0, 4); // complex, of real numbers, to real numbers, or even and odd data
    size_t half[MST_MAX_RANK];
    memcpy(half, shape, sizeof half);
    const int last = (desc->axes[desc->n_axes - 1] + rank) % rank;
    half[last] = shape[last] / 2 + 1;
    desc->direction = test_between(0, 1) ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    if (sort == 4) {
        desc->kind = (mst_fft_kind)test_between(MST_FFT_DCT1, MST_FFT_DST4);
        desc->orthogonal = (int)test_between(0, 1);
        for (int a = 0; a < desc->n_axes && desc->kind == MST_FFT_DCT1; a++) // which has no length of one
            shape[(desc->axes[a] + rank) % rank] += shape[(desc->axes[a] + rank) % rank] == 1;
    } else if (sort > 0) {
        desc->direction = sort == 1 ? MST_FFT_FORWARD : MST_FFT_INVERSE;
    }
    const bool complex_in = sort == 0 || sort == 2 || sort == 3, complex_out = sort == 0 || sort == 1;
    desc->input = draw_layout(complex_in ? whole : real, rank, sort == 2 || sort == 3 ? half : shape, true);
    desc->output = draw_layout(complex_out ? whole : real, rank, sort == 1 ? half : shape, false);
}

// In place gives the bits that out of place gives.
static void check_in_place(mst_context *context, const mst_fft_desc *desc, mst_place place) {
    mst_error e;
    mst_fft *plan = NULL;
    test_array input = test_array_random(&desc->input), same = input;
    test_array apart = test_fft_run(context, desc, &input, place, place, NULL);
    same.image = malloc(input.bytes);
    assert_non_null(same.image);
    test_placed both = test_place(context, place, &input);
    OK(mst_fft_create(context, desc, &plan, &e));
    OK(mst_fft_execute(plan, both.at, both.at, NULL, &e));
    mst_fft_destroy(plan);
    test_collect(&both, &same);
    CHECK(test_array_same(&apart, &same) && test_array_gaps_intact(&same),
          "%s, kind %d, %d axes (%d %d %d), in place in %s differs", test_layout_text(&desc->input), (int)desc->kind,
          desc->n_axes, desc->axes[0], desc->axes[1], desc->axes[2], test_place_name(place));
    test_array_free(&same);
    test_array_free(&apart);
    test_array_free(&input);
}

static mst_fft_desc draw(mst_context *context, size_t points, mst_fft_shape form) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    size_t shape[MST_MAX_RANK] = {0};
    int rank;
    draw_shape(&desc, shape, &rank, points);
    draw_types(&desc, rank, shape, mst_context_device(context)->fp64);
    desc.shape = form;
    desc.scale = ldexp(test_between(0, 1) ? 1 : -1, (int)test_between(0, 8) - 4);
    return desc;
}

static void walk(void **state) {
    for (int i = 0; i < test_many(60); i++) {
        mst_fft_desc desc = draw(*state, (size_t)1 << test_between(4, 18), MST_FFT_SHAPE_AUTO);
        check(*state, &desc, places[test_between(0, 2)], places[test_between(0, 2)]);
        if (desc.input.type != desc.output.type || test_between(0, 2))
            continue;
        desc.input = desc.output;
        check_in_place(*state, &desc, places[test_between(0, 2)]);
    }
}

// Blocks, panels and lines, where an item or all of them exceed the budgets.
static void walk_under_budgets(void **state) {
    for (int i = 0; i < test_many(8); i++) {
        mst_error e;
        mst_context *context = test_context_with_budget((uint64_t)1 << test_between(19, 22), (uint64_t)1 << test_between(21, 24));
        for (int k = 0; k < 3; k++) {
            mst_fft *plan = NULL;
            const mst_fft_desc desc = draw(context, (size_t)1 << test_between(12, 18), MST_FFT_SHAPE_AUTO);
            mst_status status = mst_fft_create(context, &desc, &plan, &e);
            mst_fft_destroy(plan);
            if (status == MST_OK)
                check(context, &desc, places[2 * test_between(0, 1)], places[2 * test_between(0, 1)]);
            else
                CHECK(status == MST_ERROR_BUDGET, "%s: %s", test_layout_text(&desc.input), e.message);
        }
        mst_context_destroy(context);
    }
    (void)state;
}

// The kernels are written for each case: few.
static void walk_in_the_shape_of_gpus(void **state) {
    for (int i = 0; i < test_many(3); i++) {
        const mst_fft_desc desc = draw(*state, (size_t)1 << test_between(4, 14), MST_FFT_SHAPE_GPU);
        check(*state, &desc, places[test_between(0, 2)], places[test_between(0, 2)]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(walk), cmocka_unit_test(walk_under_budgets),
                                       cmocka_unit_test(walk_in_the_shape_of_gpus)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
