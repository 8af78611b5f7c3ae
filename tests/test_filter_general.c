// Filters of volumes, in double precision, and against noise: results against FFTW in double precision, and closed forms.
// Long: all masks in all types of pixels and numbers; `filter` has the filters.
#include "support_filter.h"

#include <math.h>

static const mst_filter_notch even[] = {{0.2, -0.1, 0.08, 0.3},  {-0.2, -0.1, 0.08, 0.3}, {0.2, 0.1, 0.08, 0.3},
                                        {0.2, -0.1, 0.08, -0.3}, {0.5, 0, 0.1, 0.25},     {0, 0, 0.02, 0}};

static bool has_double(mst_context *context) { return mst_context_device(context)->fp64; }

static void choose_mask(mst_filter_desc *d, int kind, const float *own) {
    d->kind = (mst_filter_kind)kind;
    d->rolloff = (mst_filter_rolloff)test_between(0, 2);
    d->order = 3;
    d->amount = 0.8;
    d->angle = 27;
    d->angle_width = 20;
    d->notches = even;
    d->n_notches = test_turn(1, 2) ? 6 : 1;
    d->mask = own;
    d->mask_depth = d->volume ? 4 : 1;
    d->mask_height = 5;
    d->mask_width = 6;
    d->noise = 0.05 * (d->input.type == MST_UINT8 ? 255 : d->input.type == MST_UINT16 ? 65535 : 1);
}

// Every mask in three axes; odd, even and prime sides, one slice, several volumes, channels and an opacity.
static void volumes(void **state) {
    static const size_t shapes[][5] = {{5, 6, 8, 1, 0}, {4, 7, 9, 1, 0}, {2, 3, 10, 6, 2}, {1, 8, 12, 1, 0}, {12, 1, 11, 3, 0}};
    float own[120];
    for (int i = 0; i < 120; i++)
        own[i] = (float)test_uniform();
    for (int kind = MST_FILTER_HIGH_PASS; kind <= MST_FILTER_WIENER; kind++)
        for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
            static const mst_type types[] = {MST_UINT8, MST_UINT16, MST_FLOAT32};
            const int rank = shapes[s][4] ? 5 : 4;
            if (kind == MST_FILTER_STRIPES || !test_turn(s + (size_t)kind, 3))
                continue;
            mst_filter_desc d = test_filter_desc(types[test_between(0, 2)], rank, shapes[s]);
            d.volume = true;
            choose_mask(&d, kind, own);
            d.edges = (mst_filter_edges)test_between(0, 2);
            d.alpha = s == 4;
            d.output_as = (mst_filter_output)test_between(MST_FILTER_AUTO_OUTPUT, MST_FILTER_RAW);
            test_filter_check(*state, &d, MST_PLACE_HOST, MST_PLACE_HOST);
        }
}

// A slab that is the same at all depths, filtered as a volume, is what each image is alone.
static void volumes_of_equal_slices(void **state) {
    size_t flat[] = {9, 14, 1}, thick[] = {4, 9, 14, 1};
    mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, flat), v = test_filter_desc(MST_FLOAT32, 4, thick);
    d.output_as = v.output_as = MST_FILTER_RAW;
    v.volume = true;
    test_array image = test_filter_images(&d.input), volume = test_array_new(&v.input);
    for (size_t i = 0; i < volume.elements; i++)
        test_array_set(&volume, i, test_array_get(&image, i % image.elements));
    test_array one = test_filter_run(*state, &d, &image, MST_PLACE_HOST, MST_PLACE_HOST),
               all = test_filter_run(*state, &v, &volume, MST_PLACE_DEVICE, MST_PLACE_FILE);
    for (size_t i = 0; i < all.elements; i++)
        CHECK(fabsl(creall(test_array_get(&all, i) - test_array_get(&one, i % one.elements))) < 4e-6L,
              "element %zu: %.9Lg, not %.9Lg", i, creall(test_array_get(&all, i)),
              creall(test_array_get(&one, i % one.elements)));
    test_array_free(&image);
    test_array_free(&volume);
    test_array_free(&one);
    test_array_free(&all);
}

static void double_precision(void **state) {
    static const mst_type types[] = {MST_UINT8, MST_UINT16, MST_FLOAT32, MST_FLOAT64};
    float own[120];
    if (!has_double(*state))
        skip();
    for (int i = 0; i < 120; i++)
        own[i] = (float)test_uniform();
    for (int kind = MST_FILTER_HIGH_PASS; kind <= MST_FILTER_WIENER; kind++)
        for (int t = 0; t < 4; t++) {
            size_t shape[] = {test_between(2, 12), test_between(2, 40), test_between(2, 30), test_between(1, 2)};
            if (!test_turn((size_t)(kind + t), 3))
                continue;
            mst_filter_desc d = test_filter_desc(types[t], 4, shape);
            d.volume = kind != MST_FILTER_STRIPES && test_turn((size_t)t, 3);
            choose_mask(&d, kind, own);
            d.edges = (mst_filter_edges)test_between(0, 2);
            d.type = t < 3 || test_turn(0, 2) ? MST_FLOAT64 : (mst_type)0; // images of doubles ask for it
            d.output_as = t < 2 ? MST_FILTER_RAW : (mst_filter_output)test_between(MST_FILTER_AUTO_OUTPUT, MST_FILTER_RAW);
            test_filter_check(*state, &d, MST_PLACE_HOST, MST_PLACE_HOST);
        }
}

// An image of one sinusoid of amplitude A has its power at one frequency, so that the mean over 81 of them there is known, and
// what is kept of it: 1 - 81 noise^2 4 / (A^2 h w) of waves, 1 - 81 noise^2 4 / (A^2 h w) of a product of cosines of a mirrored
// image.
static void sinusoids_in_noise(void **state) {
    const long double pi = acosl(-1);
    const size_t h = 30, w = 24;
    size_t shape[] = {h, w, 1};
    for (int edges = MST_FILTER_REFLECT; edges <= MST_FILTER_WRAP; edges++)
        for (int part = 0; part < 3; part++) { // of the amplitude that would be lost
            mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, shape);
            const double amplitude = 0.25, kept[] = {0.75, 0.25, 0};
            d.kind = MST_FILTER_WIENER;
            d.edges = (mst_filter_edges)edges;
            d.output_as = MST_FILTER_RAW;
            d.noise = amplitude * sqrt((double)(h * w) / 324 * (part == 2 ? 1.01 : 1 - kept[part]));
            test_array image = test_array_new(&d.input);
            for (size_t i = 0; i < image.elements; i++) {
                long double y = i / w, x = i % w;
                long double wave = edges == MST_FILTER_WRAP ? cosl(2 * pi * (7 * y / h + 6 * x / w) + 0.4L)
                                                            : cosl(pi * 7 * (y + 0.5L) / h) * cosl(pi * 9 * (x + 0.5L) / w);
                test_array_set(&image, i, test_complex(0.5L + amplitude * wave, 0));
            }
            test_array result = test_filter_run(*state, &d, &image, MST_PLACE_HOST, MST_PLACE_HOST);
            for (size_t i = 0; i < image.elements; i++) {
                long double wanted = 0.5L + kept[part] * (creall(test_array_get(&image, i)) - 0.5L);
                CHECK(fabsl(creall(test_array_get(&result, i)) - wanted) < 2e-6L,
                      "edges %d, part %d: element %zu is %.9Lg, not %.9Lg", edges, part, i, creall(test_array_get(&result, i)),
                      wanted);
            }
            test_array_free(&image);
            test_array_free(&result);
        }
}

static double normal(void) { return sqrt(-2 * log(1 - (test_uniform() + 1) / 2 * (1 - 1e-12))) * cos(acos(-1) * test_uniform()); }

static double distance(const test_array *a, const test_array *b) {
    double sum = 0;
    for (size_t i = 0; i < a->elements; i++)
        sum += pow((double)creall(test_array_get(a, i) - test_array_get(b, i)), 2);
    return sqrt(sum / (double)a->elements);
}

// Noise that is estimated is about that which is given: what is left differs little, in each channel with its own noise. A smooth
// image comes back much closer to what it was.
static void noise_is_estimated(void **state) {
    const size_t h = 180, w = 161;
    for (int volume = 0; volume < 2; volume++) {
        size_t flat[] = {h, w, 2}, thick[] = {3, h / 3, w, 2};
        mst_filter_desc d = volume ? test_filter_desc(MST_FLOAT32, 4, thick) : test_filter_desc(MST_FLOAT32, 3, flat), one = d;
        d.volume = volume != 0;
        d.kind = MST_FILTER_WIENER;
        d.output_as = MST_FILTER_RAW;
        one.input.shape[one.input.rank - 1] = 1;
        one.input = mst_layout_dense(MST_FLOAT32, one.input.rank, one.input.shape);
        test_array clean[2], noisy[2], both = test_array_new(&d.input);
        for (int c = 0; c < 2; c++) {
            clean[c] = test_array_new(&one.input);
            noisy[c] = test_array_new(&one.input);
            for (size_t i = 0; i < clean[c].elements; i++) {
                double value = 0.5 + 0.3 * sin(0.05 * (double)(i % w) + c) * cos(0.04 * (double)(i / w % (volume ? h / 3 : h)));
                double more = value + (c ? 0.05 : 0.01) * normal();
                test_array_set(&clean[c], i, test_complex(value, 0));
                test_array_set(&noisy[c], i, test_complex(more, 0));
                test_array_set(&both, 2 * i + (size_t)c, test_complex(more, 0));
            }
        }
        test_array results = test_filter_run(*state, &d, &both, MST_PLACE_HOST, MST_PLACE_HOST);
        for (int c = 0; c < 2; c++) {
            mst_filter_desc given = d;
            given.input = one.input;
            given.noise = c ? 0.05 : 0.01;
            test_array wanted = test_filter_run(*state, &given, &noisy[c], MST_PLACE_HOST, MST_PLACE_HOST), own = wanted;
            own = test_array_new(&one.input);
            for (size_t i = 0; i < own.elements; i++)
                test_array_set(&own, i, test_array_get(&results, 2 * i + (size_t)c));
            CHECK(distance(&own, &wanted) < 0.1 * given.noise, "volume %d, channel %d: %g from what noise given makes", volume, c,
                  distance(&own, &wanted));
            CHECK(distance(&own, &clean[c]) < 0.35 * given.noise, "volume %d, channel %d: %g from the image", volume, c,
                  distance(&own, &clean[c]));
            test_array_free(&wanted);
            test_array_free(&own);
            test_array_free(&clean[c]);
            test_array_free(&noisy[c]);
        }
        test_array_free(&both);
        test_array_free(&results);
    }
}

// Pixels may be of any unit, as far as their type goes: squares of what spectra hold are beyond it long before.
static void units_do_not_matter(void **state) {
    static const int exponents[] = {-80, 70};
    size_t shape[] = {31, 26, 1};
    for (int edges = MST_FILTER_REFLECT; edges <= MST_FILTER_ZERO; edges++)
        for (int estimated = 0; estimated < 2; estimated++)
            for (int e = 0; e < 2; e++) {
                const double unit = ldexp(1, exponents[e]), noise = estimated ? 0 : 0.1;
                mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, shape);
                d.kind = MST_FILTER_WIENER;
                d.edges = (mst_filter_edges)edges;
                d.output_as = MST_FILTER_RAW;
                test_array image = test_filter_images(&d.input), large = test_array_new(&d.input);
                for (size_t i = 0; i < image.elements; i++)
                    test_array_set(&large, i, unit * test_array_get(&image, i));
                d.noise = noise;
                test_array wanted = test_filter_run(*state, &d, &image, MST_PLACE_HOST, MST_PLACE_HOST);
                d.noise = noise * unit;
                test_array result = test_filter_run(*state, &d, &large, MST_PLACE_HOST, MST_PLACE_HOST);
                for (size_t i = 0; i < image.elements; i++) {
                    const double own = (double)creall(test_array_get(&result, i)) / unit,
                                 other = (double)creall(test_array_get(&wanted, i));
                    CHECK(fabs(own - other) < 1e-5, "edges %d, unit 2^%d, noise %g: element %zu is %g, not %g", edges,
                          exponents[e], noise, i, own, other);
                }
                test_array_free(&image);
                test_array_free(&large);
                test_array_free(&wanted);
                test_array_free(&result);
            }
}

static void refused(mst_context *context, mst_filter_desc d, mst_status status, const char *part) {
    mst_error e;
    mst_filter *plan;
    REFUSED(status, part, mst_filter_create(context, &d, &plan, &e));
}

static void refusals(void **state) {
    size_t shape[] = {4, 6, 8, 1}, thin[] = {1, 64, 1};
    float own[6] = {1, 1, 1, 1, 1, 1};
    mst_filter_desc d = test_filter_desc(MST_FLOAT32, 4, shape), bad = d;
    bad.noise = -1;
    bad.kind = MST_FILTER_WIENER;
    refused(*state, bad, MST_ERROR_ARGUMENT, "noise is -1");
    bad.noise = INFINITY;
    refused(*state, bad, MST_ERROR_ARGUMENT, "noise is inf");
    bad.noise = 0;
    bad.input = mst_layout_dense(MST_FLOAT32, 3, thin);
    refused(*state, bad, MST_ERROR_ARGUMENT, "too small for their noise to be estimated");
    bad.volume = true;
    refused(*state, bad, MST_ERROR_ARGUMENT, "depth, height, width");
    bad = d;
    bad.volume = true;
    bad.kind = MST_FILTER_STRIPES;
    bad.angle_width = 5;
    refused(*state, bad, MST_ERROR_ARGUMENT, "not in volumes");
    bad.kind = MST_FILTER_LOW_PASS;
    bad.algorithm = MST_FILTER_PAPER;
    refused(*state, bad, MST_ERROR_ARGUMENT, "the paper's algorithm is for images in float32");
    bad = d;
    bad.type = MST_UINT8;
    refused(*state, bad, MST_ERROR_ARGUMENT, "type is uint8");
    bad.type = MST_FLOAT32;
    bad.input.type = MST_FLOAT64;
    refused(*state, bad, MST_ERROR_ARGUMENT, "input is float64, but type is float32");
    bad = d;
    bad.kind = MST_FILTER_MASK;
    bad.mask = own;
    bad.mask_depth = 3;
    bad.mask_height = 1;
    bad.mask_width = 2;
    refused(*state, bad, MST_ERROR_ARGUMENT, "mask_depth is 3; it is for volumes");
    bad.volume = true;
    bad.input.type = MST_UINT16;
    own[3] = 1e37F;
    refused(*state, bad, MST_ERROR_ARGUMENT, "mask[1][0][1] is 1e+37");
    own[3] = 1;
    own[5] = NAN;
    refused(*state, bad, MST_ERROR_ARGUMENT, "mask[2][0][1] is not finite");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(volumes),
                                       cmocka_unit_test(volumes_of_equal_slices),
                                       cmocka_unit_test(double_precision),
                                       cmocka_unit_test(sinusoids_in_noise),
                                       cmocka_unit_test(noise_is_estimated),
                                       cmocka_unit_test(units_do_not_matter),
                                       cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
