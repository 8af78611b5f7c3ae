// Filters: results against FFTW in double precision, and properties that need no reference. A filter is three kernels; of masks,
// sizes and outputs, whose kernels differ in little, a run takes one in two or three.
#include "support_filter.h"

#include <math.h>

static const mst_place all_places[] = {MST_PLACE_HOST, MST_PLACE_DEVICE, MST_PLACE_FILE};
static const mst_type types[] = {MST_UINT8, MST_UINT16, MST_FLOAT32};
static const mst_filter_notch notches[] = {{0.2, -0.1, 0.08, 0}, {0.45, 0.5, 0.1, 0}, {0, 0, 0.02, 0}};

static void choose_mask(mst_filter_desc *d, int kind, int rolloff, const float *own) {
    d->kind = (mst_filter_kind)kind;
    d->rolloff = (mst_filter_rolloff)rolloff;
    d->order = 3;
    if (kind == MST_FILTER_NOTCH) {
        d->notches = notches;
        d->n_notches = 3;
    }
    if (kind == MST_FILTER_MASK) {
        d->mask = own;
        d->mask_height = 5;
        d->mask_width = 6;
    }
}

// Fused filters of the shape for CPUs are for devices with their memory.
static bool is_refused(mst_context *context, mst_fft_shape shape) {
    return shape == MST_FFT_SHAPE_CPU && mst_context_device(context)->type & CL_DEVICE_TYPE_GPU;
}

static void every_mask(void **state) {
    float own[30];
    size_t shape[] = {8, 16, 1};
    for (int i = 0; i < 30; i++)
        own[i] = (float)test_uniform();
    for (int kind = MST_FILTER_HIGH_PASS; kind <= MST_FILTER_STRIPES; kind++)
        for (int rolloff = 0; rolloff < 3; rolloff++) {
            bool all = kind == MST_FILTER_LOW_PASS || kind == MST_FILTER_NOTCH; // others have one each
            if (!test_turn((size_t)(kind + rolloff), 2) || (!all && rolloff != kind % 3))
                continue;
            mst_filter_desc d = test_filter_desc(MST_UINT8, 3, shape);
            choose_mask(&d, kind, rolloff, own);
            d.amount = 0.8;
            d.angle = kind + rolloff == 10 ? 90 : 27;
            d.angle_width = 20;
            d.edges = (kind + rolloff) % 2 ? MST_FILTER_WRAP : MST_FILTER_REFLECT;
            test_filter_check(*state, &d, MST_PLACE_HOST, MST_PLACE_HOST);
        }
}

// Tiny, odd, prime and oblong ones; every edge rule with every size is in filter_slow.
static void sizes_and_edges(void **state) {
    static const struct {
        size_t height, width;
        mst_filter_edges edges;
        mst_fft_shape shape;
    } cases[] = {{5000, 3, MST_FILTER_ZERO, MST_FFT_SHAPE_CPU},   {4, 16384, MST_FILTER_REFLECT, MST_FFT_SHAPE_CPU},
                 {4100, 6, MST_FILTER_WRAP, MST_FFT_SHAPE_CPU},   {1, 1, MST_FILTER_WRAP, MST_FFT_SHAPE_GPU},
                 {1, 7, MST_FILTER_REFLECT, MST_FFT_SHAPE_CPU},   {7, 1, MST_FILTER_ZERO, MST_FFT_SHAPE_GPU},
                 {2, 3, MST_FILTER_WRAP, MST_FFT_SHAPE_GPU},      {41, 6, MST_FILTER_WRAP, MST_FFT_SHAPE_CPU},
                 {15, 31, MST_FILTER_REFLECT, MST_FFT_SHAPE_GPU}, {31, 18, MST_FILTER_WRAP, MST_FFT_SHAPE_AUTO},
                 {64, 32, MST_FILTER_WRAP, MST_FFT_SHAPE_GPU},    {34, 54, MST_FILTER_WRAP, MST_FFT_SHAPE_CPU},
                 {2048, 6, MST_FILTER_WRAP, MST_FFT_SHAPE_GPU}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (!test_turn(i, 5) || is_refused(*state, cases[i].shape))
            continue;
        size_t shape[] = {cases[i].height, cases[i].width, 1};
        mst_filter_desc d = test_filter_desc(types[i % 3], 3, shape);
        choose_mask(&d, (int)test_between(MST_FILTER_HIGH_PASS, MST_FILTER_NOTCH), (int)test_between(0, 2), NULL);
        d.edges = cases[i].edges;
        d.shape = cases[i].shape;
        d.output_as = i % 2 ? MST_FILTER_RAW : MST_FILTER_STRETCH;
        test_filter_check(*state, &d, MST_PLACE_HOST, MST_PLACE_HOST);
    }
}

// Where a mask's response is short, lengths are chosen beyond it (53, 41 and 74 are slow), and mirrored images are not doubled if
// the mask is even along both axes: the definition, which doubles all, is the reference. A reach that is too short by a third
// shows.
static void extents_are_not_seen(void **state) {
    static const mst_filter_notch even[] = {{0.2, -0.1, 0.08, 0}, {-0.2, -0.1, 0.08, 0}, {0.5, 0.3, 0.1, 0}, {0, 0, 0.02, 0}};
    static const mst_filter_notch twice[] = {{0.2, -0.1, 0.08, 0}, {-0.2, 0.1, 0.08, 0}};
    static const struct {
        size_t height, width;
        mst_filter_edges edges;
        mst_filter_kind kind;
        const mst_filter_notch *notches;
    } cases[] = {{53, 41, MST_FILTER_REFLECT, MST_FILTER_LOW_PASS, NULL},  {53, 74, MST_FILTER_ZERO, MST_FILTER_BAND_PASS, NULL},
                 {41, 16, MST_FILTER_REFLECT, MST_FILTER_HIGH_PASS, NULL}, {9, 14, MST_FILTER_REFLECT, MST_FILTER_NOTCH, even},
                 {53, 41, MST_FILTER_ZERO, MST_FILTER_HIGH_PASS, NULL},    {9, 14, MST_FILTER_REFLECT, MST_FILTER_NOTCH, twice}};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        size_t shape[] = {cases[c].height, cases[c].width, 1};
        mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, shape);
        d.kind = cases[c].kind;
        d.radius = 0.07;
        d.radius2 = 0.075;
        d.edges = cases[c].edges;
        d.output_as = MST_FILTER_RAW;
        d.notches = cases[c].notches;
        d.n_notches = cases[c].notches == even ? 4 : 2;
        d.shape = test_turn(c, 6) || is_refused(*state, MST_FFT_SHAPE_CPU) ? MST_FFT_SHAPE_GPU : MST_FFT_SHAPE_CPU;
        test_filter_check(*state, &d, MST_PLACE_HOST, MST_PLACE_HOST);
    }
}

// Kernels for GPUs take cosine transforms of columns of even length: one butterfly a column, pairs of them of which one is its
// own mirror or two are, large primes, work-items with fewer than others, columns that share a work-group and that do not.
static void mirrored_columns(void **state) {
    static const size_t sizes[][2] = {{2, 1},  {2, 2},  {4, 9},   {6, 5},   {10, 31}, {16, 4},  {62, 7},   {26, 8},
                                      {34, 3}, {48, 6}, {50, 30}, {64, 20}, {98, 5},  {128, 7}, {1000, 6}, {2048, 6}};
    float own[35];
    for (int y = 0; y < 5; y++)
        for (int x = 0; x < 7; x++)
            own[y * 7 + x] = 1 / (1 + (float)abs(y - 2) + 2 * (float)abs(x - 3));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (!test_turn(i, 4))
            continue;
        size_t shape[] = {sizes[i][0], sizes[i][1], 1};
        mst_filter_desc d = test_filter_desc(types[test_between(0, 2)], 3, shape);
        static const mst_filter_kind kinds[] = {MST_FILTER_HIGH_PASS, MST_FILTER_LOW_PASS, MST_FILTER_BAND_STOP, MST_FILTER_MASK};
        choose_mask(&d, (int)kinds[i % 4], (int)test_between(0, 2), own);
        d.mask_height = 5;
        d.mask_width = 7;
        d.shape = MST_FFT_SHAPE_GPU;
        d.output_as = i % 2 ? MST_FILTER_RAW : MST_FILTER_STRETCH;
        test_filter_check(*state, &d, MST_PLACE_HOST, MST_PLACE_HOST);
    }
}

// A mask of one's own that is even along both axes, on a mirrored image, and one that is so only by the mean with its opposite.
static void own_masks_that_are_even(void **state) {
    float own[35];
    size_t shape[] = {11, 13, 1};
    for (int variant = 0; variant < 2; variant++) {
        for (int y = 0; y < 5; y++)
            for (int x = 0; x < 7; x++)
                own[y * 7 + x] =
                    1 / (1 + (float)abs(y - 2) + 2 * (float)abs(x - 3)) + (variant ? 0.25F * (float)((x > 3) - (x < 3)) : 0);
        mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, shape);
        d.kind = MST_FILTER_MASK;
        d.mask = own;
        d.mask_height = 5;
        d.mask_width = 7;
        d.output_as = MST_FILTER_RAW;
        test_filter_check(*state, &d, MST_PLACE_HOST, MST_PLACE_HOST);
    }
}

static void every_output(void **state) {
    static const struct {
        mst_type type;
        mst_filter_output output;
        mst_filter_kind kind;
        double white;
    } cases[] = {{MST_UINT8, MST_FILTER_AUTO_OUTPUT, MST_FILTER_LOW_PASS, 0},
                 {MST_UINT8, MST_FILTER_AUTO_OUTPUT, MST_FILTER_HIGH_PASS, 100},
                 {MST_UINT8, MST_FILTER_STRETCH, MST_FILTER_HIGH_PASS, 0},
                 {MST_UINT16, MST_FILTER_CLIP, MST_FILTER_LOW_PASS, 4095},
                 {MST_UINT16, MST_FILTER_MAGNITUDE, MST_FILTER_HIGH_PASS, 0},
                 {MST_UINT16, MST_FILTER_RAW, MST_FILTER_HIGH_PASS, 0},
                 {MST_FLOAT32, MST_FILTER_CLIP, MST_FILTER_HIGH_PASS, 0},
                 {MST_FLOAT32, MST_FILTER_CLIP, MST_FILTER_HIGH_PASS, 0.25},
                 {MST_FLOAT32, MST_FILTER_STRETCH, MST_FILTER_LOW_PASS, 0.5}};
    size_t shape[] = {2, 4, 8, 3};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        if (!test_turn(c, 4))
            continue;
        mst_filter_desc d = test_filter_desc(cases[c].type, 4, shape);
        d.kind = cases[c].kind;
        d.output_as = cases[c].output;
        d.white = cases[c].white;
        test_filter_check(*state, &d, MST_PLACE_DEVICE, MST_PLACE_DEVICE);
    }
}

// Any strides, an alpha channel, several batch axes, any places.
static void layouts_and_places(void **state) {
    static const size_t shapes[][5] = {{3, 4, 8, 4, 0}, {2, 2, 3, 4, 3}, {8, 2, 2, 0, 0}};
    static const int ranks[] = {4, 5, 3};
    for (int s = 0; s < 3; s++) {
        int turn = (int)test_between(0, 2), t = (s + turn) % 3;
        mst_filter_desc d = test_filter_desc(types[t], ranks[s], shapes[s]);
        d.alpha = s != 1;
        d.output_as = s == 1 ? MST_FILTER_RAW : s == 2 ? MST_FILTER_STRETCH : MST_FILTER_CLIP;
        d.input = test_layout_random(types[t], ranks[s], shapes[s], true);
        d.output = test_layout_random(s == 1 ? MST_FLOAT32 : types[t], ranks[s], shapes[s], false);
        for (int i = 0; i < 3; i++)
            test_filter_check(*state, &d, all_places[(s + i) % 3], all_places[(s + 2 * i + turn) % 3]);
    }
}

// With just the device memory that a plan asks for when there is too little.
static mst_context *least_context(const mst_filter_desc *d) {
    static const char before[] = "it takes at least ";
    mst_error e;
    mst_filter *plan;
    mst_context_desc tight = MST_CONTEXT_DESC_INIT;
    tight.device_memory = 1500;
    mst_context *context = test_context(&tight);
    REFUSED(MST_ERROR_BUDGET, before, mst_filter_create(context, d, &plan, &e));
    mst_context_destroy(context);
    tight.device_memory = strtoull(strstr(e.message, before) + strlen(before), NULL, 10);
    return test_context(&tight);
}

static void batch_equals_one_by_one(void **state, mst_fft_shape kernels) {
    size_t shape[] = {5, 4, 6, 3}, one[] = {1, 4, 6, 3};
    mst_filter_desc d = test_filter_desc(MST_FLOAT32, 4, shape);
    d.output_as = MST_FILTER_MAGNITUDE;
    d.shape = kernels;
    mst_context *small = least_context(&d); // one image a block
    test_array images = test_filter_images(&d.input);
    test_array_set(&images, 2 * 4 * 6 * 3 + 7, test_complex(NAN, 0));
    test_array together = test_filter_run(*state, &d, &images, MST_PLACE_HOST, MST_PLACE_HOST);
    test_array apart = test_filter_run(small, &d, &images, MST_PLACE_HOST, MST_PLACE_FILE);
    CHECK(test_array_same(&together, &apart), "blocks of one image differ from one block");
    for (size_t i = 0; i < 5; i++) {
        mst_filter_desc single = d;
        single.input = mst_layout_dense(MST_FLOAT32, 4, one);
        test_array image = test_array_new(&single.input);
        for (size_t k = 0; k < image.elements; k++)
            test_array_set(&image, k, test_array_get(&images, i * image.elements + k));
        test_array alone = test_filter_run(*state, &single, &image, MST_PLACE_HOST, MST_PLACE_HOST);
        for (size_t k = 0; k < image.elements; k++) {
            float *a = test_array_at(&alone, k), *b = test_array_at(&together, i * image.elements + k);
            CHECK(memcmp(a, b, sizeof *a) == 0, "image %zu, element %zu: %.9g alone, %.9g in a batch", i, k, (double)*a,
                  (double)*b);
            CHECK(isnan(*a) == 0 || i == 2, "a NaN of image 2 is in image %zu", i);
        }
        test_array_free(&alone);
        test_array_free(&image);
    }
    test_array_free(&together);
    test_array_free(&apart);
    test_array_free(&images);
    mst_context_destroy(small);
}

static void batch_equals_one_by_one_gpu_shape(void **state) { batch_equals_one_by_one(state, MST_FFT_SHAPE_GPU); }
static void batch_equals_one_by_one_cpu_shape(void **state) {
    if (!is_refused(*state, MST_FFT_SHAPE_CPU))
        batch_equals_one_by_one(state, MST_FFT_SHAPE_CPU);
}

static void low_and_high_pass_make_the_image(void **state) {
    size_t shape[] = {8, 12, 1};
    for (int rolloff = 1; rolloff < 3; rolloff++) {
        mst_filter_desc d = test_filter_desc(MST_UINT8, 3, shape);
        d.output_as = MST_FILTER_RAW;
        d.rolloff = (mst_filter_rolloff)rolloff;
        test_array image = test_filter_images(&d.input), parts[2];
        for (int k = 0; k < 2; k++) {
            d.kind = k ? MST_FILTER_HIGH_PASS : MST_FILTER_LOW_PASS;
            parts[k] = test_filter_run(*state, &d, &image, MST_PLACE_HOST, MST_PLACE_HOST);
        }
        for (size_t i = 0; i < image.elements; i++) {
            long double sum = creall(test_array_get(&parts[0], i) + test_array_get(&parts[1], i));
            CHECK(fabsl(sum - creall(test_array_get(&image, i))) < 1e-3L, "roll-off %d: element %zu", rolloff, i);
        }
        test_array_free(&image);
        test_array_free(&parts[0]);
        test_array_free(&parts[1]);
    }
}

// Of a sinusoid of (3, 4) cycles in 20 x 20, at 5 cycles from 0: what lies on the circle is outside.
static void sinusoid_survives_or_vanishes(void **state) {
    static const struct {
        double low, high, notch;
        int kind;
        bool survives;
    } cases[] = {{5, 0, 0, MST_FILTER_LOW_PASS, false},    {5.01, 0, 0, MST_FILTER_LOW_PASS, true},
                 {5, 0, 0, MST_FILTER_HIGH_PASS, true},    {5.01, 0, 0, MST_FILTER_HIGH_PASS, false},
                 {5, 5.2, 0, MST_FILTER_BAND_PASS, true},  {4.8, 5, 0, MST_FILTER_BAND_PASS, false},
                 {5, 5.2, 0, MST_FILTER_BAND_STOP, false}, {4.8, 5, 0, MST_FILTER_BAND_STOP, true},
                 {1, 0, 3, MST_FILTER_NOTCH, false},       {1, 0, 2, MST_FILTER_NOTCH, true}};
    size_t shape[] = {20, 20, 1};
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        if (!test_turn(c / 2 + c, 2)) // of each pair one
            continue;
        mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, shape);
        mst_filter_notch notch = {cases[c].notch / 20, 4.0 / 20, cases[c].low / 20, 0};
        d.kind = (mst_filter_kind)cases[c].kind;
        d.rolloff = MST_FILTER_IDEAL;
        d.radius = cases[c].low / 20;
        d.radius2 = cases[c].high / 20;
        d.notches = &notch;
        d.n_notches = 1;
        d.edges = MST_FILTER_WRAP;
        d.output_as = MST_FILTER_RAW;
        test_array image = test_array_new(&d.input);
        for (size_t i = 0; i < image.elements; i++)
            test_array_set(&image, i, test_complex(sinl(2 * 3.14159265358979323846L * (4 * (i / 20) + 3 * (i % 20)) / 20), 0));
        test_array result = test_filter_run(*state, &d, &image, MST_PLACE_HOST, MST_PLACE_HOST);
        for (size_t i = 0; i < image.elements; i++) {
            long double wanted = cases[c].survives ? creall(test_array_get(&image, i)) : 0;
            CHECK(fabsl(creall(test_array_get(&result, i)) - wanted) < 2e-6L, "case %zu: element %zu is %.9Lg, not %.9Lg", c, i,
                  creall(test_array_get(&result, i)), wanted);
        }
        test_array_free(&image);
        test_array_free(&result);
    }
}

// A high pass of a frame that is all of one brightness is black, whatever rounding leaves of it, and what stands out by a level
// is seen as exactly as in a dark frame.
static void flat_images_have_no_edges(void **state) {
    static const struct {
        size_t side;
        mst_filter_edges edges;
        mst_fft_shape shape;
    } cases[] = {{15, MST_FILTER_REFLECT, MST_FFT_SHAPE_CPU},
                 {14, MST_FILTER_WRAP, MST_FFT_SHAPE_GPU},
                 {7, MST_FILTER_WRAP, MST_FFT_SHAPE_AUTO}}; // by real transforms
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        size_t side = cases[c].side, shape[] = {2, side, side, 2}, flat = side * side * 2;
        if (!test_turn(c, 2) || is_refused(*state, cases[c].shape))
            continue;
        mst_filter_desc d = test_filter_desc(MST_UINT16, 4, shape);
        d.kind = MST_FILTER_HIGH_PASS;
        d.edges = cases[c].edges;
        d.shape = cases[c].shape;
        test_array images = test_array_new(&d.input);
        for (size_t i = 0; i < images.elements; i++) // the channels differ
            *(uint16_t *)test_array_at(&images, i) = (uint16_t)((i % 2 ? 60000 : 30000) + (i == flat + 5 || i == flat + 12));
        test_array results = test_filter_run(*state, &d, &images, MST_PLACE_HOST, MST_PLACE_HOST);
        double *reference = test_filter_reference(&d, &images);
        for (size_t i = 0; i < flat; i++) // the reference's own rounding, stretched
            reference[i] = 0;
        test_filter_compare(&d, &results, reference);
        free(reference);
        test_array_free(&results);
        test_array_free(&images);
    }
}

// Rows go by twos, and of an odd number of them the last one alone: to the precision of all.
static void a_row_alone_is_as_precise(void **state) {
    static const size_t sizes[][2] = {{33, 64}, {7, 256}, {1, 100}, {35, 41}, {129, 512}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        size_t shape[] = {sizes[i][0], sizes[i][1], 1};
        mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, shape);
        d.kind = MST_FILTER_LOW_PASS;
        d.radius = 0.1;
        d.output_as = MST_FILTER_RAW;
        for (int edges = MST_FILTER_REFLECT; edges <= MST_FILTER_ZERO; edges++) {
            d.edges = (mst_filter_edges)edges;
            test_array image = test_filter_images(&d.input);
            test_array result = test_filter_run(*state, &d, &image, MST_PLACE_HOST, MST_PLACE_HOST);
            double *reference = test_filter_reference(&d, &image), most = 0;
            for (size_t k = 0; k < image.elements; k++)
                most = fmax(most, fabs(*(float *)test_array_at(&result, k) - reference[k]));
            CHECK(most < 1.5e-6, "%zu x %zu, edges %d: off by %g", shape[0], shape[1], edges, most);
            free(reference);
            test_array_free(&result);
            test_array_free(&image);
        }
    }
}

// One pixel far off, the first, costs the others no more precision than anywhere else: what is taken off is a usual value.
static void a_first_pixel_may_be_dead(void **state) {
    for (int shape = MST_FFT_SHAPE_AUTO; shape <= MST_FFT_SHAPE_CPU; shape++) {
        size_t sides[] = {128, 126, 1};
        if (!test_turn((size_t)shape, 3) || is_refused(*state, (mst_fft_shape)shape))
            continue;
        mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, sides);
        d.kind = MST_FILTER_HIGH_PASS;
        d.edges = MST_FILTER_WRAP;
        d.output_as = MST_FILTER_RAW;
        d.shape = (mst_fft_shape)shape;
        test_array image = test_array_new(&d.input);
        for (size_t i = 0; i < image.elements; i++)
            *(float *)test_array_at(&image, i) = i == 0 ? 1e4F : (float)test_uniform();
        test_array result = test_filter_run(*state, &d, &image, MST_PLACE_HOST, MST_PLACE_HOST);
        double *reference = test_filter_reference(&d, &image), squares = 0;
        for (size_t i = 1; i < image.elements; i++)
            squares += pow(*(float *)test_array_at(&result, i) - reference[i], 2);
        CHECK(sqrt(squares / (double)image.elements) < 1e-4, "shape %d: off by %g", shape,
              sqrt(squares / (double)image.elements));
        free(reference);
        test_array_free(&result);
        test_array_free(&image);
    }
}

static void papers_algorithm(void **state) {
    static const struct {
        size_t side, group;
        int kind;
        mst_filter_edges edges;
    } cases[] = {{1, 1, MST_FILTER_BAND_STOP, MST_FILTER_WRAP},
                 {16, 0, MST_FILTER_HIGH_PASS, MST_FILTER_REFLECT},
                 {32, 512, MST_FILTER_NOTCH, MST_FILTER_WRAP}};
    for (int c = 0; c < 3; c++) {
        size_t shape[] = {2, cases[c].side, cases[c].side, 2};
        mst_filter_desc d = test_filter_desc(MST_UINT8, 4, shape);
        choose_mask(&d, cases[c].kind, MST_FILTER_IDEAL, NULL);
        d.algorithm = MST_FILTER_PAPER;
        d.edges = cases[c].edges;
        d.work_group = cases[c].group;
        test_filter_check(*state, &d, MST_PLACE_HOST, MST_PLACE_HOST);
    }
}

static void stages_have_times(void **state) {
    static const char *const papers[] = {"load",      "spin factors", "bit reverse", "butterfly",
                                         "normalise", "transpose",    "mask",        "store"};
    static const uint64_t launches[] = {2, 1, 4, 4 * 4, 2, 2, 1, 2};
    static const char *const fused[] = {"forward transform", "mask", "inverse transform"};
    (void)state;
    mst_error e;
    mst_context_desc profiled = MST_CONTEXT_DESC_INIT;
    profiled.profile = true;
    mst_context *context = test_context(&profiled);
    for (int algorithm = MST_FILTER_AUTO; algorithm <= MST_FILTER_PAPER; algorithm++) {
        bool paper = algorithm == MST_FILTER_PAPER;
        size_t shape[] = {16, 16, 1};
        mst_filter_stage stages[MST_FILTER_MAX_STAGES];
        mst_filter *plan;
        uint8_t image[256] = {0}, result[256];
        size_t count = 9;
        double sum = 0;
        mst_filter_desc d = test_filter_desc(MST_UINT8, 3, shape);
        d.algorithm = (mst_filter_algorithm)algorithm;
        d.edges = MST_FILTER_WRAP;
        for (int timed = 0; timed < 2; timed++) {
            d.time_stages = timed;
            OK(mst_filter_create(context, &d, &plan, &e));
            for (int i = 0; i < 2; i++) // only the last execution counts
                OK(mst_filter_execute(plan, mst_at_host(image), mst_at_host(result), NULL, &e));
            OK(mst_filter_stages(plan, stages, MST_FILTER_MAX_STAGES, &count, &e));
            mst_filter_destroy(plan);
            CHECK(timed || count == 0, "%zu stages without time_stages", count);
        }
        CHECK(count == (paper ? 8 : 3), "%zu stages", count);
        for (size_t i = 0; i < count; i++) {
            CHECK(strcmp(stages[i].name, paper ? papers[i] : fused[i]) == 0, "stage %zu is %s", i, stages[i].name);
            CHECK(stages[i].launches == (paper ? launches[i] : 1), "%s: %llu launches", stages[i].name,
                  (unsigned long long)stages[i].launches);
            CHECK(stages[i].seconds >= 0 && stages[i].seconds < 1, "%s: %g s", stages[i].name, stages[i].seconds);
            sum += stages[i].seconds; // one may be shorter than the device's clock tells
        }
        CHECK(sum > 0, "%zu stages took no time", count);
    }
    mst_context_destroy(context);
}

static void refusals(void **state) {
    mst_error e;
    mst_filter *plan = (mst_filter *)&e;
    size_t shape[] = {4, 4, 2};
    mst_filter_notch notch = {0.1, NAN, 0.1, 0};
    const float hole[] = {1, NAN}, huge[] = {1, 1e37f};
    const mst_filter_desc good = test_filter_desc(MST_UINT8, 3, shape);
    mst_filter_desc d;
#define REFUSE(part, ...)                                                                                                        \
    do {                                                                                                                         \
        d = good;                                                                                                                \
        __VA_ARGS__;                                                                                                             \
        REFUSED(MST_ERROR_ARGUMENT, part, mst_filter_create(*state, &d, &plan, &e));                                             \
        assert_null(plan);                                                                                                       \
    } while (0)
    REFUSE("struct_size", d.struct_size = 8);
    REFUSE("rank 2", d.input.rank = 2);
    REFUSE("int8", d.input = mst_layout_dense(MST_INT8, 3, shape));
    REFUSE("65 channels", d.input.shape[2] = 65);
    REFUSE("2^23", d.input.shape[0] = 9000000);
    REFUSE("alpha", d.input.shape[2] = 1; d.alpha = true);
    REFUSE("kind 0", d.kind = (mst_filter_kind)0);
    REFUSE("roll-off 3", d.rolloff = (mst_filter_rolloff)3);
    REFUSE("order is 0", d.rolloff = MST_FILTER_BUTTERWORTH; d.order = 0);
    REFUSE("order is 101", d.rolloff = MST_FILTER_BUTTERWORTH; d.order = 101);
    REFUSE("radius is 0", d.radius = 0);
    REFUSE("radius is nan", d.radius = NAN);
    REFUSE("radius is inf", d.radius = INFINITY);
    REFUSE("not above radius", d.kind = MST_FILTER_BAND_PASS; d.radius2 = d.radius);
    REFUSE("n_notches is 0", d.kind = MST_FILTER_NOTCH);
    REFUSE("notch 0 is not finite", d.kind = MST_FILTER_NOTCH; d.notches = &notch; d.n_notches = 1);
    REFUSE("no elements", d.kind = MST_FILTER_MASK);
    REFUSE("no filter kind 11", d.kind = (mst_filter_kind)11);
    REFUSE("amount is -1", d.kind = MST_FILTER_SHARPEN; d.amount = -1);
    REFUSE("up to 1e+06", d.kind = MST_FILTER_SHARPEN; d.amount = 2e6);
    REFUSE("angle is not finite", d.kind = MST_FILTER_STRIPES; d.angle = NAN);
    REFUSE("angle_width is 91", d.kind = MST_FILTER_STRIPES; d.angle_width = 91);
    REFUSE("mask[1][0] is not finite", d.kind = MST_FILTER_MASK; d.mask = hole; d.mask_height = 2; d.mask_width = 1);
    REFUSE("mask[0][1] is 1e+37; up to", d.kind = MST_FILTER_MASK; d.mask = huge; d.mask_height = 1; d.mask_width = 2);
    REFUSE("edge rule 3", d.edges = (mst_filter_edges)3);
    REFUSE("output rule 5", d.output_as = (mst_filter_output)5);
    REFUSE("white is -1", d.white = -1);
    REFUSE("white is 256; uint8 holds up to 255", d.white = 256);
    REFUSE("algorithm 2", d.algorithm = (mst_filter_algorithm)2);
    REFUSE("shape 3", d.shape = (mst_fft_shape)3);
    REFUSE("work_group", d.work_group = 8);
    REFUSE("power of two", d.algorithm = MST_FILTER_PAPER; d.input.shape[0] = 5);
    REFUSE("output is uint8; it is to be float32", d.output = d.input; d.output_as = MST_FILTER_RAW);
    REFUSE("input has shape", d.output = d.input; d.output.shape[0] = 3);
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_filter_create(*state, NULL, &plan, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_filter_execute(NULL, mst_at_host(shape), mst_at_host(shape), NULL, &e));
    d = good;
    d.algorithm = MST_FILTER_PAPER;
    d.work_group = 1 << 20;
    REFUSED(MST_ERROR_UNSUPPORTED, "work_group is 1048576", mst_filter_create(*state, &d, &plan, &e));
    mst_filter_destroy(NULL);
}

static void images_without_pixels(void **state) {
    size_t shapes[][4] = {{0, 4, 4, 1}, {1, 0, 4, 1}, {1, 4, 0, 1}};
    for (int k = 0; k < 3; k++) {
        mst_filter_desc d = test_filter_desc(MST_UINT8, 4, shapes[k]);
        test_filter_check(*state, &d, MST_PLACE_HOST, MST_PLACE_HOST);
    }
}

// What a description says without a device: an image of 3 x 4, transformed as it is, repeated, or continued by zeros; and masks
// by their formulas.
static void frames(void **state) {
    size_t shape[] = {3, 4, 1};
    static const size_t periods[][3] = {{2, 6, 8}, {1, 3, 4}, {1, 6, 8}}, first[] = {0, 1, 2}, count[] = {1, 2, 3};
    mst_filter_desc d = test_filter_desc(MST_UINT16, 3, shape);
    mst_filter_frame frame = MST_FILTER_FRAME_INIT;
    mst_error e;
    float mask[2][3];
    (void)state;
    d.kind = MST_FILTER_HIGH_PASS;
    d.rolloff = MST_FILTER_GAUSSIAN;
    d.radius = 0.2;
    for (int edges = MST_FILTER_REFLECT; edges <= MST_FILTER_ZERO; edges++) {
        d.edges = (mst_filter_edges)edges;
        OK(mst_filter_describe(&d, &frame, &e));
        assert_int_equal(frame.cosine, edges == MST_FILTER_REFLECT);
        assert_memory_equal(frame.periods, periods[edges], sizeof frame.periods);
        assert_int_equal(frame.points[1], edges == MST_FILTER_ZERO ? 6 : 3);
        assert_int_equal(frame.output_as, MST_FILTER_MAGNITUDE);
        assert_int_equal(frame.output, MST_UINT16);
        assert_true(frame.white == 65535 && frame.is_levelled == (edges != MST_FILTER_ZERO));
        OK(mst_filter_mask_values(&d, first, count, mask, &e));
        for (size_t k = 0; k < 2; k++)
            for (size_t l = 0; l < 3; l++) {
                const double y = (double)(k + 1) / (double)frame.periods[1], x = (double)(l + 2) / (double)frame.periods[2];
                const double square = pow(y - rint(y), 2) + pow(x - rint(x), 2);
                assert_true(fabs((double)mask[k][l] - (1 - exp(-square / (2 * d.radius * d.radius)))) < 1e-7);
            }
    }
    d.kind = MST_FILTER_WIENER;
    REFUSED(MST_ERROR_UNSUPPORTED, "before there is an image", mst_filter_mask_values(&d, first, count, mask, &e));
    d.kind = MST_FILTER_LOW_PASS;
    d.radius = 0;
    REFUSED(MST_ERROR_ARGUMENT, "radius is 0", mst_filter_describe(&d, &frame, &e));
    REFUSED(MST_ERROR_ARGUMENT, "NULL", mst_filter_describe(NULL, &frame, &e));
    frame.struct_size = 8;
    REFUSED(MST_ERROR_ARGUMENT, "MST_FILTER_FRAME_INIT", mst_filter_describe(&d, &frame, &e));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mask),
        cmocka_unit_test(sizes_and_edges),
        cmocka_unit_test(extents_are_not_seen),
        cmocka_unit_test(mirrored_columns),
        cmocka_unit_test(own_masks_that_are_even),
        cmocka_unit_test(every_output),
        cmocka_unit_test(layouts_and_places),
        cmocka_unit_test(batch_equals_one_by_one_gpu_shape),
        cmocka_unit_test(batch_equals_one_by_one_cpu_shape),
        cmocka_unit_test(low_and_high_pass_make_the_image),
        cmocka_unit_test(sinusoid_survives_or_vanishes),
        cmocka_unit_test(flat_images_have_no_edges),
        cmocka_unit_test(a_row_alone_is_as_precise),
        cmocka_unit_test(a_first_pixel_may_be_dead),
        cmocka_unit_test(papers_algorithm),
        cmocka_unit_test(stages_have_times),
        cmocka_unit_test(refusals),
        cmocka_unit_test(images_without_pixels),
        cmocka_unit_test(frames),
    };
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
