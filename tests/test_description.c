// Programs built with older and newer headers: descriptions that are smaller or larger than this library's, elements of arrays
// with other sizes, and structs that the library fills no further than they reach. The ABI itself: tests/package, scripts/abi.
#include "support.h"

#include <assert.h>
#include <math.h>

#define NODES 16

// A description in memory that ends where it ends, so that a sanitizer sees what is read beyond.
static void *resized(const void *desc, size_t known, size_t size, unsigned char last) {
    unsigned char *copy = calloc(1, size);
    assert_non_null(copy);
    memcpy(copy, desc, size < known ? size : known);
    memcpy(copy, &size, sizeof size);
    if (size > known)
        copy[size - 1] = last;
    return copy;
}

typedef mst_status (*use_fn)(mst_context *context, const void *desc, mst_error *error);

static mst_status use_resized(mst_context *context, use_fn use, const void *desc, size_t known, size_t size, unsigned char last,
                              mst_error *error) {
    void *copy = resized(desc, known, size, last);
    mst_status status = use(context, copy, error);
    free(copy);
    return status;
}

// `least` is the least size that is taken; `init` the macro that messages name.
static void check_sizes(mst_context *context, const char *init, use_fn use, const void *desc, size_t known, size_t least) {
    const size_t taken[] = {least, known - 8 > least ? known - 8 : least, known, known + 8, known + 64};
    const size_t refused[] = {0, least - 8, least + 4, known - 1, known + 3, (size_t)1 << 20, SIZE_MAX - 7};
    size_t size;
    mst_error e;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++)
        CHECK(use_resized(context, use, desc, known, taken[i], 0, &e) == MST_OK, "%s with %zu bytes: %s", init, taken[i],
              e.message);
    REFUSED(MST_ERROR_ARGUMENT, init, use_resized(context, use, desc, known, known + 8, 1, &e));
    assert_non_null(strstr(e.message, "use a newer library"));
    REFUSED(MST_ERROR_ARGUMENT, "struct_size", use_resized(context, use, desc, known, known + 64, 0x80, &e));
    unsigned char *copy = resized(desc, known, known, 0);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        size = refused[i];
        memcpy(copy, &size, sizeof size);
        REFUSED(MST_ERROR_ARGUMENT, init, use(context, copy, &e));
    }
    free(copy);
}

#define SIZES(context, init, use, desc, optional)                                                                                \
    check_sizes(context, init, use, &(desc), sizeof(desc), (size_t)((const char *)&(desc).optional - (const char *)&(desc)))

// ---- descriptions, with what can be left out left out

static mst_status use_context(mst_context *unused, const void *desc, mst_error *error) {
    mst_context *context = NULL;
    mst_status status = mst_context_create(desc, &context, error);
    (void)unused;
    mst_context_destroy(context);
    return status;
}

static mst_status use_fft(mst_context *context, const void *desc, mst_error *error) {
    mst_fft *plan = NULL;
    mst_status status = mst_fft_create(context, desc, &plan, error);
    mst_fft_destroy(plan);
    return status;
}

static mst_status use_convolution(mst_context *context, const void *desc, mst_error *error) {
    mst_convolution *plan = NULL;
    mst_layout z;
    mst_status status = mst_convolution_create(context, desc, &plan, error);
    assert_int_equal(mst_convolution_result(desc, &z, NULL), status);
    mst_convolution_destroy(plan);
    return status;
}

static mst_status use_filter(mst_context *context, const void *desc, mst_error *error) {
    mst_filter *plan = NULL;
    mst_status status = mst_filter_create(context, desc, &plan, error);
    mst_filter_destroy(plan);
    return status;
}

static mst_status use_integral(mst_context *context, const void *desc, mst_error *error) {
    mst_integral *plan = NULL;
    mst_status status = mst_integral_create(context, desc, &plan, error);
    mst_integral_destroy(plan);
    return status;
}

static mst_status use_map(mst_context *context, const void *desc, mst_error *error) {
    mst_map *plan = NULL;
    mst_status status = mst_map_create(context, desc, &plan, error);
    mst_map_destroy(plan);
    return status;
}

static mst_status use_stencil(mst_context *context, const void *desc, mst_error *error) {
    mst_stencil *solver = NULL;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_status status = mst_stencil_create(context, desc, &solver, error);
    assert_int_equal(mst_stencil_predict(context, desc, 1, &plan, NULL), status);
    mst_stencil_destroy(solver);
    return status;
}

static mst_status use_tuning(mst_context *context, const void *how, mst_error *error) {
    mst_status status = mst_tuning_begin(context, how, error);
    mst_tuning_end(context);
    return status;
}

static const size_t shape[] = {2, NODES, 1};

static mst_stencil_desc heat(void) {
    static const mst_stencil_field field = {.name = "u", .initial = {.expression = "exp(-(x - 4)^2)"}};
    static const mst_stencil_update update = {"u", "u + 0.25 * (u[-1] - 2 * u + u[1])", 0};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    d.rank = 1;
    d.grid[0] = NODES;
    d.fields = &field;
    d.updates = &update;
    d.n_fields = d.n_updates = 1;
    return d;
}

static void descriptions(void **state) {
    const mst_integral_range range = {"x", "0", "1"};
    const mst_map_input input = {"a", mst_layout_dense(MST_FLOAT32, 1, shape)};
    mst_context_desc context = MST_CONTEXT_DESC_INIT;
    mst_fft_desc fft = MST_FFT_DESC_INIT;
    mst_convolution_desc convolution = MST_CONVOLUTION_DESC_INIT;
    mst_filter_desc filter = MST_FILTER_DESC_INIT;
    mst_integral_desc integral = MST_INTEGRAL_DESC_INIT;
    mst_map_desc map = MST_MAP_DESC_INIT;
    mst_stencil_desc stencil = heat();
    mst_tuning tuning = MST_TUNING_INIT;
    SIZES(NULL, "MST_CONTEXT_DESC_INIT", use_context, context, device);
    fft.input = mst_layout_dense(MST_COMPLEX64, 2, shape);
    SIZES(*state, "MST_FFT_DESC_INIT", use_fft, fft, direction);
    convolution.x = convolution.y = mst_layout_dense(MST_FLOAT32, 2, shape);
    SIZES(*state, "MST_CONVOLUTION_DESC_INIT", use_convolution, convolution, z);
    filter.input = mst_layout_dense(MST_UINT8, 3, shape);
    filter.radius = 0.1;
    SIZES(*state, "MST_FILTER_DESC_INIT", use_filter, filter, notches);
    integral.integrand = "x";
    integral.ranges = &range;
    SIZES(*state, "MST_INTEGRAL_DESC_INIT", use_integral, integral, n_parameters);
    map.expression = "a";
    map.inputs = &input;
    map.n_inputs = 1;
    SIZES(*state, "MST_MAP_DESC_INIT", use_map, map, n_numbers);
    SIZES(*state, "MST_STENCIL_DESC_INIT", use_stencil, stencil, schedule);
    SIZES(*state, "MST_TUNING_INIT", use_tuning, tuning, seconds);
}

// ---- mst_execution, and missing members that have other defaults than 0

static mst_fft *plan; // of a transform of NODES numbers

static mst_status use_execution(mst_context *unused, const void *how, mst_error *error) {
    static float x[2 * NODES], z[2 * NODES];
    (void)unused;
    return mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), how, error);
}

static void executions(void **state) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    float x[2 * NODES] = {1}, z[2 * NODES] = {0};
    mst_error e;
    desc.input = mst_layout_dense(MST_COMPLEX64, 1, &shape[1]);
    desc.scale = 3; // beyond the size below, so it is 1
    void *old = resized(&desc, sizeof desc, offsetof(mst_fft_desc, scale), 0);
    OK(mst_fft_create(*state, old, &plan, &e));
    free(old);
    OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), NULL, &e));
    assert_true(z[0] == 1 && z[2 * NODES - 2] == 1);
    SIZES(NULL, "MST_EXECUTION_INIT", use_execution, how, n_wait);
    mst_fft_destroy(plan);
}

// ---- elements

// The elements, `stride` bytes apart, and the byte behind the last member of the second one, if there is room.
static void *spread(const void *elements, size_t n, size_t known, size_t stride, unsigned char last) {
    unsigned char *copy = calloc(n, stride);
    assert_non_null(copy);
    for (size_t i = 0; i < n; i++)
        memcpy(copy + i * stride, (const unsigned char *)elements + i * known, stride < known ? stride : known);
    if (stride > known)
        copy[n * stride - 1] = last;
    return copy;
}

// `array` and `size` are members of a description that is used with elements of other sizes.
#define ELEMENTS(use, desc, array, n, size, least)                                                                               \
    do {                                                                                                                         \
        const void *given_ = (desc).array;                                                                                       \
        const size_t known_ = sizeof *(desc).array, sizes_[] = {least, known_ + 8, known_ + 40},                                 \
                     wrong_[] = {0, (least)-8, known_ + 4, SIZE_MAX - 7};                                                        \
        for (size_t i_ = 0; i_ < 3; i_++) {                                                                                      \
            void *copy_ = spread(given_, n, known_, sizes_[i_], 0);                                                              \
            (desc).array = copy_;                                                                                                \
            (desc).size = sizes_[i_];                                                                                            \
            CHECK(use(*state, &(desc), &e) == MST_OK, #size " %zu: %s", sizes_[i_], e.message);                                  \
            free(copy_);                                                                                                         \
        }                                                                                                                        \
        void *newer_ = spread(given_, n, known_, known_ + 16, 1);                                                                \
        (desc).array = newer_;                                                                                                   \
        (desc).size = known_ + 16;                                                                                               \
        REFUSED(MST_ERROR_ARGUMENT, #size, use(*state, &(desc), &e));                                                            \
        free(newer_);                                                                                                            \
        (desc).array = given_;                                                                                                   \
        for (size_t i_ = 0; i_ < sizeof wrong_ / sizeof wrong_[0]; i_++) {                                                       \
            (desc).size = wrong_[i_];                                                                                            \
            REFUSED(MST_ERROR_ARGUMENT, #size, use(*state, &(desc), &e));                                                        \
        }                                                                                                                        \
        (desc).size = known_;                                                                                                    \
    } while (0)

static void elements(void **state) {
    const mst_map_input inputs[] = {{"a", mst_layout_dense(MST_FLOAT32, 1, shape)}, {"b", inputs[0].layout}};
    const mst_map_number numbers[] = {{.name = "c", .value = 1}, {.name = "d", .value = 2}};
    const mst_integral_range ranges[] = {{"x", "0", "1"}, {"y", "0", "1"}};
    const mst_filter_notch notches[] = {{0.1, 0, 0.05, 0}, {0, 0.1, 0.05, 0}};
    mst_map_desc map = MST_MAP_DESC_INIT;
    mst_integral_desc integral = MST_INTEGRAL_DESC_INIT;
    mst_filter_desc filter = MST_FILTER_DESC_INIT;
    mst_error e;
    map.expression = "a + b * c + d";
    map.inputs = inputs;
    map.numbers = numbers;
    map.n_inputs = map.n_numbers = 2;
    ELEMENTS(use_map, map, inputs, 2, input_size, sizeof inputs[0]);
    ELEMENTS(use_map, map, numbers, 2, number_size, offsetof(mst_map_number, imaginary));
    integral.integrand = "x * y";
    integral.n_variables = 2;
    integral.ranges = ranges;
    ELEMENTS(use_integral, integral, ranges, 2, range_size, sizeof ranges[0]);
    filter.input = mst_layout_dense(MST_UINT8, 3, shape);
    filter.kind = MST_FILTER_NOTCH;
    filter.notches = notches;
    filter.n_notches = 2;
    ELEMENTS(use_filter, filter, notches, 2, notch_size, offsetof(mst_filter_notch, z));
}

static void stencil_elements(void **state) {
    const size_t points[][MST_MAX_AXES] = {{3}};
    const mst_stencil_parameter parameters[] = {{"c", 0.25}, {"d", 2}};
    const mst_stencil_field fields[] = {{.name = "u"}, {.name = "v"}};
    const mst_stencil_update updates[] = {{"u", "u + c * (u[-1] - d * u + u[1])", 0}, {"v", "u", 0}};
    const mst_stencil_source sources[] = {{.field = "u", .series = "t"}, {.field = "v", .series = "t"}};
    const mst_stencil_receiver receivers[] = {{.field = "u", .n_points = 1, .points = points},
                                              {.field = "v", .n_points = 1, .points = points}};
    const mst_stencil_boundary boundaries[] = {{.kind = MST_BOUNDARY_NEUMANN}, {.kind = MST_BOUNDARY_NEUMANN}};
    mst_stencil_desc d = heat();
    mst_error e;
    d.parameters = parameters;
    d.fields = fields;
    d.updates = updates;
    d.sources = sources;
    d.receivers = receivers;
    d.boundaries = boundaries;
    d.n_parameters = d.n_fields = d.n_updates = d.n_sources = d.n_receivers = 2;
    ELEMENTS(use_stencil, d, parameters, 2, parameter_size, sizeof parameters[0]);
    ELEMENTS(use_stencil, d, fields, 2, field_size, offsetof(mst_stencil_field, levels));
    ELEMENTS(use_stencil, d, updates, 2, update_size, offsetof(mst_stencil_update, substep));
    ELEMENTS(use_stencil, d, sources, 2, source_size, offsetof(mst_stencil_source, samples));
    ELEMENTS(use_stencil, d, receivers, 2, receiver_size, offsetof(mst_stencil_receiver, positions));
    ELEMENTS(use_stencil, d, boundaries, 2, boundary_size, offsetof(mst_stencil_boundary, value));
}

// ---- what the library writes

// A struct of `size` bytes that the library fills as far as it reaches, between guards.
static unsigned char *asked(size_t size) {
    unsigned char *memory = malloc(size);
    assert_non_null(memory);
    memset(memory, 0x5a, size);
    memcpy(memory, &size, sizeof size);
    return memory;
}

static void check_written(const unsigned char *memory, size_t size, size_t known) {
    size_t kept;
    memcpy(&kept, memory, sizeof kept);
    assert_int_equal(kept, size);
    for (size_t i = known; i < size; i++)
        assert_int_equal(memory[i], 0x5a);
}

static void reports(void **state) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_execution how = MST_EXECUTION_INIT;
    float x[2 * NODES] = {1}, z[2 * NODES];
    mst_error e;
    desc.input = mst_layout_dense(MST_COMPLEX64, 1, &shape[1]);
    OK(mst_fft_create(*state, &desc, &plan, &e));
    const size_t sizes[] = {offsetof(mst_report, upload_seconds), sizeof(mst_report), sizeof(mst_report) + 24};
    for (size_t i = 0; i < 3; i++) {
        unsigned char *memory = asked(sizes[i]);
        how.report = (mst_report *)memory;
        OK(mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), &how, &e));
        check_written(memory, sizes[i], sizeof(mst_report));
        assert_true(how.report->seconds > 0 && how.report->seconds < 1000);
        free(memory);
    }
    mst_report none = {0};
    how.report = &none;
    REFUSED(MST_ERROR_ARGUMENT, "MST_REPORT_INIT", mst_fft_execute(plan, mst_at_host(x), mst_at_host(z), &how, &e));
    mst_fft_destroy(plan);
}

static void sums_of_reports(void **state) {
    (void)state;
    mst_report sum = MST_REPORT_INIT, part = {sizeof part, 1, 2, 3, 4, 5, 6, 7};
    mst_report_add(&sum, &part);
    mst_report_add(&sum, &part);
    assert_true(sum.struct_size == sizeof sum && sum.seconds == 2 && sum.upload_seconds == 4 && sum.compute_seconds == 6);
    assert_true(sum.download_seconds == 8 && sum.upload_bytes == 10 && sum.download_bytes == 12 && sum.blocks == 14);
}

static void stencil_reports(void **state) {
    mst_stencil_desc d = heat();
    mst_stencil *solver;
    mst_error e;
    d.schedule = MST_STENCIL_IN_CORE;
    OK(mst_stencil_create(*state, &d, &solver, &e));
    const size_t plans[] = {offsetof(mst_stencil_plan, shape) / 8 * 8 + 8, sizeof(mst_stencil_plan),
                            sizeof(mst_stencil_plan) + 16};
    for (size_t i = 0; i < 3; i++) {
        unsigned char *memory = asked(plans[i]);
        OK(mst_stencil_describe(solver, 4, (mst_stencil_plan *)memory, &e));
        check_written(memory, plans[i], sizeof(mst_stencil_plan));
        assert_int_equal(((const mst_stencil_plan *)memory)->schedule, MST_STENCIL_IN_CORE);
        OK(mst_stencil_predict(*state, &d, 4, (mst_stencil_plan *)memory, &e));
        check_written(memory, plans[i], sizeof(mst_stencil_plan));
        free(memory);
    }
    const size_t done[] = {offsetof(mst_stencil_report, seconds), sizeof(mst_stencil_report), sizeof(mst_stencil_report) + 16};
    for (size_t i = 0; i < 3; i++) {
        unsigned char *memory = asked(done[i]);
        OK(mst_stencil_run(solver, 4, NULL, (mst_stencil_report *)memory, &e));
        check_written(memory, done[i], sizeof(mst_stencil_report));
        assert_int_equal(((const mst_stencil_report *)memory)->steps, 4);
        free(memory);
    }
    mst_stencil_plan no_plan = {0};
    mst_stencil_report no_report = {0};
    REFUSED(MST_ERROR_ARGUMENT, "MST_STENCIL_PLAN_INIT", mst_stencil_describe(solver, 1, &no_plan, &e));
    REFUSED(MST_ERROR_ARGUMENT, "MST_STENCIL_PLAN_INIT", mst_stencil_predict(*state, &d, 1, &no_plan, &e));
    REFUSED(MST_ERROR_ARGUMENT, "MST_STENCIL_REPORT_INIT", mst_stencil_run(solver, 1, NULL, &no_report, &e));
    assert_int_equal(mst_stencil_step(solver), 12);
    mst_stencil_destroy(solver);
}

// Results of an integral and stages of a filter lie as far apart as the description says.
static void written_elements(void **state) {
    const mst_integral_range range = {"x", "0", "p"};
    const char *const name = "p";
    const double ends[] = {1, 2};
    mst_integral_desc integral = MST_INTEGRAL_DESC_INIT;
    mst_integral *made;
    mst_error e;
    integral.integrand = "x";
    integral.ranges = &range;
    integral.parameters = &name;
    integral.n_parameters = 1;
    const size_t sizes[] = {offsetof(mst_integral_result, evaluations), sizeof(mst_integral_result),
                            sizeof(mst_integral_result) + 8};
    for (size_t i = 0; i < 3; i++) {
        unsigned char *memory = malloc(2 * sizes[i]);
        memset(memory, 0x5a, 2 * sizes[i]);
        integral.result_size = sizes[i];
        OK(mst_integral_create(*state, &integral, &made, &e));
        OK(mst_integral_execute(made, ends, 2, (mst_integral_result *)memory, NULL, &e));
        for (size_t k = 0; k < 2; k++) {
            double value;
            memcpy(&value, memory + k * sizes[i], sizeof value);
            CHECK(fabs(value - ends[k] * ends[k] / 2) < 1e-6, "the integral to %g is %g", ends[k], value);
            for (size_t b = sizeof(mst_integral_result); b < sizes[i]; b++)
                assert_int_equal(memory[k * sizes[i] + b], 0x5a);
        }
        mst_integral_destroy(made);
        free(memory);
    }
    integral.result_size = 0;
    REFUSED(MST_ERROR_ARGUMENT, "result_size", mst_integral_create(*state, &integral, &made, &e));
}

static void written_stages(void **state) {
    (void)state;
    mst_context_desc profiling = MST_CONTEXT_DESC_INIT;
    mst_filter_desc d = MST_FILTER_DESC_INIT;
    const uint8_t image[2 * NODES] = {9};
    uint8_t result[2 * NODES];
    mst_filter *made;
    size_t count;
    mst_error e;
    profiling.profile = true;
    mst_context *context = test_context(&profiling);
    d.input = mst_layout_dense(MST_UINT8, 3, shape);
    d.radius = 0.1;
    d.time_stages = true;
    const size_t sizes[] = {offsetof(mst_filter_stage, seconds), sizeof(mst_filter_stage), sizeof(mst_filter_stage) + 16};
    for (size_t i = 0; i < 3; i++) {
        unsigned char *memory = malloc(2 * sizes[i]);
        memset(memory, 0x5a, 2 * sizes[i]);
        d.stage_size = sizes[i];
        OK(mst_filter_create(context, &d, &made, &e));
        OK(mst_filter_execute(made, mst_at_host(image), mst_at_host(result), NULL, &e));
        OK(mst_filter_stages(made, (mst_filter_stage *)memory, 2, &count, &e)); // there are more
        assert_int_equal(count, 2);
        for (size_t k = 0; k < 2; k++) {
            const char *name;
            memcpy(&name, memory + k * sizes[i], sizeof name);
            assert_true(strlen(name) > 3);
            for (size_t b = sizeof(mst_filter_stage); b < sizes[i]; b++)
                assert_int_equal(memory[k * sizes[i] + b], 0x5a);
        }
        mst_filter_destroy(made);
        free(memory);
    }
    d.stage_size = 12;
    REFUSED(MST_ERROR_ARGUMENT, "stage_size", mst_filter_create(context, &d, &made, &e));
    mst_context_destroy(context);
}

// ---- a member that is added makes its struct larger, so none ends with padding, which old programs leave unset

#define ENDS_WITH(type, member)                                                                                                  \
    static_assert(offsetof(type, member) + sizeof(((type *)0)->member) == sizeof(type), #type " ends with padding")

ENDS_WITH(mst_context_desc, n_devices);
ENDS_WITH(mst_execution, queued);
ENDS_WITH(mst_report, blocks);
ENDS_WITH(mst_fft_desc, orthogonal);
ENDS_WITH(mst_fft_needs, in_place_bytes);
ENDS_WITH(mst_spread_desc, shape);
ENDS_WITH(mst_spread_part, start);
ENDS_WITH(mst_spread_fft_desc, output);
ENDS_WITH(mst_spread_fft_needs, upload_bytes);
ENDS_WITH(mst_convolution_desc, shape);
ENDS_WITH(mst_convolution_forecast, spectra_bytes);
ENDS_WITH(mst_convolver_desc, kernel_double);
ENDS_WITH(mst_born_wolf, step);
ENDS_WITH(mst_deconvolution_arrays, weights);
ENDS_WITH(mst_deconvolution_desc, exact);
ENDS_WITH(mst_deconvolution_forecast, device_bytes);
ENDS_WITH(mst_filter_desc, tiles);
ENDS_WITH(mst_filter_notch, z);
ENDS_WITH(mst_filter_frame, white);
ENDS_WITH(mst_integral_desc, breakpoint_variables);
ENDS_WITH(mst_integral_range, to);
ENDS_WITH(mst_map_desc, compile_from);
ENDS_WITH(mst_map_more, out_type);
ENDS_WITH(mst_map_input, layout);
ENDS_WITH(mst_map_number, type);
ENDS_WITH(mst_stencil_desc, subnormals);
ENDS_WITH(mst_stencil_plan, part_beside);
ENDS_WITH(mst_stencil_halo, steps_left);
ENDS_WITH(mst_stencil_brick, bytes);
ENDS_WITH(mst_stencil_neighbour, taken_bytes);
ENDS_WITH(mst_stencil_neighbours, goes_on);
ENDS_WITH(mst_stencil_meeting, user);
ENDS_WITH(mst_stencil_monitor, region);
ENDS_WITH(mst_stencil_spectrum, region);
ENDS_WITH(mst_stencil_parameter, value);
ENDS_WITH(mst_stencil_field, n_table);
ENDS_WITH(mst_stencil_update, substep);
ENDS_WITH(mst_stencil_source, delay);
ENDS_WITH(mst_stencil_receiver, radius);
ENDS_WITH(mst_stencil_boundary, alpha);
ENDS_WITH(mst_tuning, user);

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptions),     cmocka_unit_test(executions),     cmocka_unit_test(elements),
        cmocka_unit_test(stencil_elements), cmocka_unit_test(reports),        cmocka_unit_test(stencil_reports),
        cmocka_unit_test(written_elements), cmocka_unit_test(written_stages), cmocka_unit_test(sums_of_reports),
    };
    return cmocka_run_group_tests(tests, test_setup_cached, test_teardown);
}
