// Images and volumes of which one does not fit the device's memory: every mask, edge rule, output and type, in single and double
// precision, against noise, channels with and without alpha, strides and places, by panels, against FFTW in double precision; the
// budget is kept, and what has no room is refused.
// Long: images of several times the budgets, each filtered whole and in parts; `filter` has the filters.
#include "support_filter.h"

#include <math.h>
#include <string.h>

static const mst_filter_notch notches[] = {{0.2, -0.1, 0.08, 0}, {0.45, 0.5, 0.1, 0}, {0, 0, 0.02, 0}};
static const mst_type types[] = {MST_UINT8, MST_UINT16, MST_FLOAT32};

static float own[30];

static mst_filter_desc random_filter(int k) {
    const size_t shape[] = {test_between(1, 2), test_between(280, 330), test_between(280, 330), test_between(1, 2)};
    const int t = k % 3;
    mst_filter_desc d = test_filter_desc(types[t], 4, shape);
    d.kind = (mst_filter_kind)(MST_FILTER_HIGH_PASS + (k + (int)test_between(0, 1) * 4) % (int)MST_FILTER_STRIPES);
    d.rolloff = (mst_filter_rolloff)test_between(d.kind == MST_FILTER_SHARPEN ? 1 : 0, 2);
    d.order = 3;
    d.notches = notches, d.n_notches = 3;
    d.mask = own, d.mask_height = 5, d.mask_width = 6;
    d.edges = (mst_filter_edges)(k / 3 % 3);
    d.alpha = shape[3] > 1 && k % 2;
    d.output_as = (mst_filter_output)test_between(0, 4);
    d.input = test_layout_random(d.input.type, 4, shape, false);
    d.output = test_layout_random(d.output_as == MST_FILTER_RAW ? MST_FLOAT32 : d.input.type, 4, shape, false);
    return d;
}

static void of_every_kind(void **state) {
    (void)state;
    for (int i = 0; i < 30; i++)
        own[i] = (float)test_uniform();
    for (int k = 0; k < test_many(6); k++) {
        if (!test_turn((size_t)k, 3))
            continue;
        const mst_filter_desc d = random_filter(k);
        mst_context *small = test_context_with_budget(420000, k % 2 ? 500000 : 0);
        setenv("MASTABA_SCRATCH", k % 3 == 1 ? "." : "", 1); // planes in a file, or in RAM
        test_filter_check(small, &d, k % 4 == 1 ? MST_PLACE_FILE : MST_PLACE_HOST, k % 4 == 2 ? MST_PLACE_FILE : MST_PLACE_HOST);
        CHECK(mst_context_device_memory_used(small) == 0, "memory is still held");
        mst_context_destroy(small);
    }
    unsetenv("MASTABA_SCRATCH");
}

// Volumes and images in double precision and against noise.
static mst_filter_desc random_general(int k, bool has_double) {
    const bool volume = k % 3 != 2;
    const size_t deep[] = {test_between(1, 2), test_between(16, 17), 33, 34, test_between(1, 2)},
                 flat[] = {test_between(1, 2), 190, 221, test_between(1, 2)}; // few lengths: each takes kernels
    const mst_type type = has_double && k % 4 == 3 ? MST_FLOAT64 : types[test_between(0, 2)];
    mst_filter_desc d = test_filter_desc(type, volume ? 5 : 4, volume ? deep : flat);
    d.volume = volume;
    d.type = type == MST_FLOAT64 || (has_double && k % 4 == 2) ? MST_FLOAT64 : (mst_type)0;
    do
        d.kind = k % 2 == 0 ? MST_FILTER_WIENER : (mst_filter_kind)test_between(MST_FILTER_HIGH_PASS, MST_FILTER_LAPLACIAN);
    while (d.kind == MST_FILTER_STRIPES);
    d.rolloff = (mst_filter_rolloff)test_between(0, 2);
    d.order = 3;
    d.notches = notches, d.n_notches = 3;
    d.mask = own, d.mask_depth = volume ? 2 : 1, d.mask_height = 3, d.mask_width = 5;
    d.noise = 0.05 * (type == MST_UINT8 ? 255 : type == MST_UINT16 ? 65535 : 1);
    d.edges = (mst_filter_edges)test_between(0, 2);
    d.output_as = (mst_filter_output)test_between(0, 4);
    d.alpha = d.input.shape[d.input.rank - 1] > 1 && k % 2;
    d.input = test_layout_random(type, d.input.rank, d.input.shape, false);
    return d;
}

static void volumes_precisions_and_noise(void **state) {
    for (int i = 0; i < 30; i++)
        own[i] = (float)test_uniform();
    const int first = (int)test_between(0, 11);
    for (int k = first; k < first + test_many(3); k++) {
        if (!test_turn((size_t)k, 3))
            continue;
        const mst_filter_desc d = random_general(k, mst_context_device(*state)->fp64);
        mst_context *small = test_context_with_budget(d.volume ? 150000 : 420000, k % 2 ? 500000 : 0);
        setenv("MASTABA_SCRATCH", k % 3 == 1 ? "." : "", 1);
        test_filter_check(small, &d, k % 4 == 1 ? MST_PLACE_FILE : MST_PLACE_HOST, k % 4 == 2 ? MST_PLACE_FILE : MST_PLACE_HOST);
        CHECK(mst_context_device_memory_used(small) == 0, "memory is still held");
        mst_context_destroy(small);
    }
    unsetenv("MASTABA_SCRATCH");
}

// Noise that is estimated is what it is of an image that fits, in each channel.
static void estimated_noise(void **state) {
    for (int volume = 0; volume < 2; volume++) {
        if (!test_turn((size_t)volume, 2))
            continue;
        const size_t flat[] = {290, 301, 2}, deep[] = {11, 91, 88, 2};
        mst_filter_desc d = test_filter_desc(MST_FLOAT32, volume ? 4 : 3, volume ? deep : flat);
        d.volume = volume != 0;
        d.kind = MST_FILTER_WIENER;
        d.output_as = MST_FILTER_RAW;
        d.edges = (mst_filter_edges)test_between(0, 2);
        mst_context *small = test_context_with_budget(330000, 0);
        test_array image = test_filter_images(&d.input);
        for (size_t i = 0; i < image.elements; i++) // less of it in the second
            test_array_set(&image, i, sinl((long double)(i / 2)) / 3 + (i % 2 ? 0.02L : 0.2L) * test_array_get(&image, i));
        test_array wanted = test_filter_run(*state, &d, &image, MST_PLACE_HOST, MST_PLACE_HOST),
                   result = test_filter_run(small, &d, &image, MST_PLACE_HOST, MST_PLACE_HOST);
        for (size_t i = 0; i < image.elements; i++)
            CHECK(fabsl(creall(test_array_get(&result, i) - test_array_get(&wanted, i))) < 1e-5L,
                  "volume %d, edges %d: element %zu is %.9Lg, not %.9Lg", volume, (int)d.edges, i,
                  creall(test_array_get(&result, i)), creall(test_array_get(&wanted, i)));
        test_array_free(&image), test_array_free(&wanted), test_array_free(&result);
        mst_context_destroy(small);
    }
}

// One plan serves images on the host, which go by panels; one on the device is refused where there is no room for its spectrum.
// An interrupted run leaves nothing behind.
static bool stop(uint64_t done, uint64_t total, void *user) {
    (void)user;
    return done * 2 < total;
}

static void from_any_place(void **state) {
    const size_t shape[] = {300, 310, 1};
    mst_filter_desc d = test_filter_desc(MST_UINT8, 3, shape);
    mst_error e;
    mst_filter *plan;
    (void)state;
    mst_context *small = test_context_with_budget(330000, 0);
    test_array image = test_filter_images(&d.input), result = test_array_new(&d.input);
    test_placed on_host = test_place(small, MST_PLACE_HOST, &image), there = test_place(small, MST_PLACE_HOST, &result);
    test_placed on_device = test_place(small, MST_PLACE_DEVICE, &image);
    mst_execution how = MST_EXECUTION_INIT;
    mst_report report = MST_REPORT_INIT;
    OK(mst_filter_create(small, &d, &plan, &e));
    how.progress = stop;
    REFUSED(MST_ERROR_CANCELLED, "", mst_filter_execute(plan, on_host.at, there.at, &how, &e));
    setenv("MASTABA_SCRATCH", "./nowhere", 1);
    REFUSED(MST_ERROR_IO, "MASTABA_SCRATCH", mst_filter_execute(plan, on_host.at, there.at, NULL, &e));
    unsetenv("MASTABA_SCRATCH");
    how.progress = NULL, how.report = &report;
    OK(mst_filter_execute(plan, on_host.at, there.at, &how, &e));
    CHECK(report.blocks > 3 && report.upload_bytes > 300 * 310 * 4 * 2, "%llu blocks", (unsigned long long)report.blocks);
    REFUSED(MST_ERROR_BUDGET, "it takes at least", mst_filter_execute(plan, on_device.at, there.at, NULL, &e));
    REFUSED(MST_ERROR_ARGUMENT, "overlaps", mst_filter_execute(plan, on_host.at, on_host.at, NULL, &e));
    mst_filter_destroy(plan);
    CHECK(mst_context_device_memory_used(small) == 0, "memory is still held");
    test_collect_input(&on_host, &image), test_collect_input(&on_device, &image), test_collect_output(&there, &result);
    test_array_free(&image), test_array_free(&result);
    mst_context_destroy(small);
    small = test_context_with_budget(200, 0);
    REFUSED(MST_ERROR_BUDGET, "", mst_filter_create(small, &d, &plan, &e));
    CHECK(mst_context_device_memory_used(small) == 0, "memory is still held");
    mst_context_destroy(small);
}

// By how much results of tiles differ from those of the whole, and by how much they may.
static void compare_tiles(mst_context *whole, mst_context *small, const mst_filter_desc *given, double bound,
                          const test_array *image, mst_place from, mst_place to) {
    mst_filter_desc d = *given;
    test_array tiled = test_filter_run(small, &d, image, from, to);
    d.tiles = 0;
    test_array wanted = test_filter_run(whole, &d, image, MST_PLACE_HOST, MST_PLACE_HOST);
    const long double largest = d.input.type == MST_UINT8 ? 255 : d.input.type == MST_UINT16 ? 65535 : 1;
    const long double rounding = tiled.layout.type == MST_FLOAT32   ? 1e-5L * largest
                                 : tiled.layout.type == MST_FLOAT64 ? 1e-12L
                                                                    : 1;
    for (size_t i = 0; i < wanted.elements; i++)
        CHECK(fabsl(creall(test_array_get(&tiled, i) - test_array_get(&wanted, i))) <= bound * largest + rounding,
              "kind %d, edges %d, output %d, %s: element %zu is %.9Lg, not %.9Lg, and %g of %Lg is allowed", (int)d.kind,
              (int)d.edges, (int)d.output_as, test_layout_text(&d.input), i, creall(test_array_get(&tiled, i)),
              creall(test_array_get(&wanted, i)), bound, largest);
    test_array_free(&tiled), test_array_free(&wanted);
}

static void check_tiles(mst_context *whole, const mst_filter_desc *d, uint64_t budget, mst_place from, mst_place to) {
    mst_filter_forecast f = MST_FILTER_FORECAST_INIT;
    mst_error e;
    mst_filter *plan;
    mst_context *small = test_context_with_budget(budget, 0);
    OK(mst_filter_create(small, d, &plan, &e));
    OK(mst_filter_predict(plan, &f, &e));
    mst_filter_destroy(plan);
    CHECK(f.tiles > 1 && f.bound <= d->tiles, "kind %d: %llu tiles within %g", (int)d->kind, (unsigned long long)f.tiles,
          f.bound);
    test_array image = test_filter_images(&d->input);
    compare_tiles(whole, small, d, f.bound, &image, from, to);
    test_array_free(&image);
    CHECK(mst_context_device_memory_used(small) == 0, "memory is still held");
    mst_context_destroy(small);
}

// Tiles are within the bound that is told, a coarse or a fine one: masks of short and longer responses, edges, types, volumes,
// alpha, strides and places.
static void tiles(void **state) {
    static const mst_filter_notch notch = {0.25, 0.1, 0.12, 0.2};
    for (int k = 0; k < test_many(6); k++) {
        if (!test_turn((size_t)k, 3))
            continue;
        const bool volume = k % 3 == 2;
        const size_t flat[] = {test_between(1, 2), 300, test_between(280, 330), test_between(1, 2)},
                     deep[] = {1, test_between(40, 44), 48, 57, 1};
        mst_filter_desc d = test_filter_desc(types[test_between(0, 2)], volume ? 5 : 4, volume ? deep : flat);
        d.volume = volume;
        d.kind = (mst_filter_kind[]){MST_FILTER_LOW_PASS, MST_FILTER_NOTCH,     MST_FILTER_HIGH_PASS,
                                     MST_FILTER_SHARPEN,  MST_FILTER_BAND_PASS, MST_FILTER_LAPLACIAN}[k % 6];
        d.radius = 0.08, d.radius2 = 0.11;
        d.notches = &notch, d.n_notches = 1;
        d.tiles = volume || d.kind == MST_FILTER_NOTCH || test_between(0, 1) ? 0.02 : 1e-3;
        d.edges = (mst_filter_edges)test_between(0, 2);
        d.alpha = d.input.shape[d.input.rank - 1] > 1 && k % 2;
        d.output_as = k % 2 ? MST_FILTER_RAW : MST_FILTER_CLIP;
        const mst_type out = k % 2 ? MST_FLOAT32 : d.input.type;
        d.input = test_layout_random(d.input.type, d.input.rank, d.input.shape, false);
        d.output = test_layout_random(out, d.input.rank, d.input.shape, false);
        check_tiles(*state, &d, volume ? 1200000 : 420000, k % 2 ? MST_PLACE_FILE : MST_PLACE_HOST,
                    k % 4 < 2 ? MST_PLACE_FILE : MST_PLACE_HOST);
    }
}

enum { FINE = 256, FINE_X = 37, FINE_Y = 101 };

// Where there is room for the whole's mask, but for no image beside it, tiles have the room.
static void tiles_without_the_whole(void **state) {
    const size_t shape[] = {FINE, FINE, 1};
    const uint64_t table = (uint64_t)FINE * (FINE / 2 + 1) * sizeof(float);
    mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, shape);
    (void)state;
    d.kind = MST_FILTER_SHARPEN;
    d.edges = MST_FILTER_WRAP;
    d.tiles = 0.01;
    for (uint64_t budget = 2 * table; budget < 10 * table; budget += table) {
        mst_filter_forecast f = MST_FILTER_FORECAST_INIT;
        mst_error e;
        mst_filter *plan;
        mst_context *small = test_context_with_budget(budget, 0);
        OK(mst_filter_create(small, &d, &plan, &e));
        OK(mst_filter_predict(plan, &f, &e));
        const uint64_t used = mst_context_device_memory_used(small);
        CHECK(f.tiles == 0 || used < table, "tiles of %llu bytes hold %llu", (unsigned long long)budget,
              (unsigned long long)used);
        mst_filter_destroy(plan);
        mst_context_destroy(small);
    }
}

// What a mask has at frequencies of the whole alone, and an image there: no bound is claimed that leaves it out. The frequency is
// (FINE_X, FINE_Y) / FINE, which no smaller power of two has.
static void check_fine(mst_context *whole, mst_context *small, const mst_filter_desc *d, const test_array *image) {
    mst_filter_forecast f = MST_FILTER_FORECAST_INIT;
    mst_error e;
    mst_filter *plan;
    const mst_status status = mst_filter_create(small, d, &plan, &e);
    if (status == MST_OK) {
        OK(mst_filter_predict(plan, &f, &e));
        mst_filter_destroy(plan);
        CHECK(f.tiles > 1, "kind %d: %llu tiles", (int)d->kind, (unsigned long long)f.tiles);
        compare_tiles(whole, small, d, f.bound, image, MST_PLACE_HOST, MST_PLACE_HOST);
    } else
        CHECK(status == MST_ERROR_BUDGET && strstr(e.message, "is allowed"), "kind %d: %s", (int)d->kind, e.message);
    CHECK(mst_context_device_memory_used(small) == 0, "memory is still held");
}

static void fine_masks(void **state) {
    const size_t shape[] = {FINE, FINE, 1};
    const double turn = 2 * acos(-1) / FINE, distance = hypot(FINE_X, FINE_Y) / FINE;
    const mst_filter_notch notch = {(double)FINE_X / FINE, (double)FINE_Y / FINE, 1e-4, 0};
    float *mask = malloc(sizeof(float) * FINE * FINE);
    mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, shape);
    test_array image = test_array_new(&d.input);
    mst_context *small = test_context_with_budget(150000, 0);
    for (int i = 0; i < FINE * FINE; i++) {
        mask[i] = 1;
        test_array_set(&image, (size_t)i, (long double)(0.5 + 0.4 * cos(turn * (FINE_X * (i % FINE) + FINE_Y * (i / FINE)))));
    }
    mask[(FINE / 2 + FINE_Y) * FINE + FINE / 2 + FINE_X] = mask[(FINE / 2 - FINE_Y) * FINE + FINE / 2 - FINE_X] = 0;
    d.mask = mask, d.mask_height = d.mask_width = FINE;
    d.notches = &notch, d.n_notches = 1;
    d.edges = MST_FILTER_WRAP;
    d.output_as = MST_FILTER_RAW;
    d.angle = atan2(-FINE_Y, FINE_X) * 180 / acos(-1) - 90, d.angle_width = 1e-4; // a stripe through it
    for (int k = 0; k < 8; k++) {
        d.kind = (mst_filter_kind[]){MST_FILTER_NOTCH, MST_FILTER_MASK, MST_FILTER_STRIPES, MST_FILTER_BAND_STOP}[k % 4];
        d.radius = d.kind == MST_FILTER_STRIPES ? 1e-3 : distance - 1e-6, d.radius2 = distance + 1e-6;
        d.rolloff = d.kind == MST_FILTER_BAND_STOP ? MST_FILTER_IDEAL : MST_FILTER_GAUSSIAN;
        d.tiles = k < 4 ? 1e-3 : 1e3; // refused, or far from useful, but true
        check_fine(*state, small, &d, &image);
    }
    test_array_free(&image);
    free(mask);
    mst_context_destroy(small);
}

// The least memory that a refusal names does, and a byte less does not.
static mst_status run_within(const mst_filter_desc *d, uint64_t budget, mst_error *e) {
    mst_filter *plan = NULL;
    mst_context *context = test_context_with_budget(budget, 0);
    test_array image = test_filter_images(&d->input), result;
    mst_status status = mst_filter_create(context, d, &plan, e);
    if (status == MST_OK) {
        const mst_layout layout = mst_filter_result(plan);
        result = test_array_new(&layout);
        status = mst_filter_execute(plan, mst_at_host(image.image), mst_at_host(result.image), NULL, e);
        test_array_free(&result);
    }
    mst_filter_destroy(plan);
    assert_int_equal(mst_context_device_memory_used(context), 0);
    mst_context_destroy(context);
    test_array_free(&image);
    return status;
}

static void least_is_named(void **state) {
    (void)state;
    static const char before[] = "it takes at least ";
    static const struct {
        mst_type type;
        size_t shape[4];
        mst_filter_kind kind;
        mst_filter_edges edges;
        mst_filter_rolloff rolloff;
    } cases[] = {{MST_FLOAT32, {1, 300, 260, 1}, MST_FILTER_LOW_PASS, MST_FILTER_REFLECT, MST_FILTER_GAUSSIAN},
                 {MST_UINT8, {1, 211, 260, 1}, MST_FILTER_HIGH_PASS, MST_FILTER_WRAP, MST_FILTER_IDEAL},
                 {MST_FLOAT32, {1, 300, 260, 1}, MST_FILTER_LOW_PASS, MST_FILTER_ZERO, MST_FILTER_BUTTERWORTH},
                 {MST_FLOAT64, {1, 150, 160, 1}, MST_FILTER_LOW_PASS, MST_FILTER_REFLECT, MST_FILTER_GAUSSIAN},
                 {MST_FLOAT32, {30, 31, 32, 1}, MST_FILTER_LOW_PASS, MST_FILTER_REFLECT, MST_FILTER_GAUSSIAN}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        mst_error e;
        const bool volume = cases[k].shape[0] > 1;
        mst_filter_desc d = test_filter_desc(cases[k].type, volume ? 4 : 3, cases[k].shape + !volume);
        d.kind = cases[k].kind, d.edges = cases[k].edges, d.rolloff = cases[k].rolloff;
        d.radius = 0.1;
        d.volume = volume;
        assert_int_equal(run_within(&d, 500, &e), MST_ERROR_BUDGET);
        const char *text = strstr(e.message, before);
        CHECK(text, "case %zu: %s", k, e.message);
        const uint64_t least = strtoull(text + strlen(before), NULL, 10);
        OK(run_within(&d, least, &e));
        CHECK(run_within(&d, least - 1, &e) == MST_ERROR_BUDGET, "case %zu: %llu bytes, and less, do", k,
              (unsigned long long)least);
    }
}

// What is scaled by the range of the whole is, in tiles too; no bound is claimed that tiles do not keep.
static void tiles_of_a_range_and_refusals(void **state) {
    const size_t shape[] = {300, 310, 1};
    mst_filter_desc d = test_filter_desc(MST_FLOAT32, 3, shape);
    mst_error e;
    mst_filter *plan;
    mst_filter_forecast f = MST_FILTER_FORECAST_INIT;
    d.tiles = 1e-3;
    d.output_as = MST_FILTER_STRETCH;
    d.output = d.input;
    check_tiles(*state, &d, 420000, MST_PLACE_HOST, MST_PLACE_FILE);
    OK(mst_filter_create(*state, &d, &plan, &e)); // what fits is whole
    OK(mst_filter_predict(plan, &f, &e));
    assert_true(f.tiles == 0 && f.bound == 0);
    mst_filter_destroy(plan);
    mst_context *small = test_context_with_budget(420000, 0);
    test_array image = test_filter_images(&d.input), result = test_array_new(&d.output);
    test_placed on_device = test_place(small, MST_PLACE_DEVICE, &image), there = test_place(small, MST_PLACE_HOST, &result);
    OK(mst_filter_create(small, &d, &plan, &e));
    REFUSED(MST_ERROR_BUDGET, "", mst_filter_execute(plan, on_device.at, there.at, NULL, &e));
    mst_filter_destroy(plan);
    test_collect_input(&on_device, &image), test_collect_output(&there, &result);
    test_array_free(&image), test_array_free(&result);
    d.rolloff = MST_FILTER_IDEAL; // whose response is long
    REFUSED(MST_ERROR_BUDGET, "and 0.001 is allowed", mst_filter_create(small, &d, &plan, &e));
    d.rolloff = MST_FILTER_GAUSSIAN;
    d.tiles = NAN;
    REFUSED(MST_ERROR_ARGUMENT, "tiles is nan", mst_filter_create(small, &d, &plan, &e));
    d.tiles = 0.1;
    d.kind = MST_FILTER_WIENER;
    REFUSED(MST_ERROR_ARGUMENT, "leave them out", mst_filter_create(small, &d, &plan, &e));
    CHECK(mst_context_device_memory_used(small) == 0, "memory is still held");
    mst_context_destroy(small);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(of_every_kind),
                                       cmocka_unit_test(volumes_precisions_and_noise),
                                       cmocka_unit_test(estimated_noise),
                                       cmocka_unit_test(from_any_place),
                                       cmocka_unit_test(tiles),
                                       cmocka_unit_test(fine_masks),
                                       cmocka_unit_test(tiles_without_the_whole),
                                       cmocka_unit_test(least_is_named),
                                       cmocka_unit_test(tiles_of_a_range_and_refusals)};
    return cmocka_run_group_tests_name("filter panels", tests, test_setup, test_teardown);
}
