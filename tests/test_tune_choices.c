// Whatever tuning chooses, results are right.
// Long: all values that tuning may choose, of which each is a kernel.
#include "support.h"

#include "conv/plan.h"
#include "fft/plan.h"
#include "filter/plan.h"
#include "integrate/plan.h"
#include "stencil/solver.h"

#include <math.h>

static int builds_to_fail;

cl_int __real_clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                             void (*notify)(cl_program, void *), void *user);
cl_int __wrap_clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                             void (*notify)(cl_program, void *), void *user);
cl_int __wrap_clBuildProgram(cl_program program, cl_uint n, const cl_device_id *devices, const char *options,
                             void (*notify)(cl_program, void *), void *user) {
    if (builds_to_fail > 0 && builds_to_fail--)
        return CL_BUILD_PROGRAM_FAILURE;
    return __real_clBuildProgram(program, n, devices, options, notify, user);
}

static void fft_of(mst_context *context, mst_type type, size_t batch, size_t n, mst_fft_choice choice) {
    mst_error e;
    mst_fft *plan = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = mst_layout_dense(type, 2, (const size_t[]){batch, n});
    mst_layout result = test_fft_output(&desc);
    test_array input = test_array_random(&desc.input), output = test_array_new(&result);
    test_wide *reference = test_fft_reference(&desc, &input);
    OK(mst_fft_create_as(context, &desc, &choice, &plan, &e));
    OK(mst_fft_execute(plan, mst_at_host(test_array_at(&input, 0)), mst_at_host(test_array_at(&output, 0)), NULL, &e));
    double error = test_fft_error(&desc, &output, reference);
    CHECK(error <= test_gate(&desc.input, n), "%s %zu, shape %s, radix %u, lanes %u, group %u: error %g", mst_type_name(type), n,
          choice.cpu ? "cpu" : "gpu", choice.pass.radix, choice.pass.lanes, choice.pass.group, error);
    mst_fft_destroy(plan);
    free(reference);
    test_array_free(&input), test_array_free(&output);
}

static void transforms(void **state) {
    const bool cpu = true, gpu = false;
    fft_of(*state, MST_COMPLEX64, 13, 128, (mst_fft_choice){cpu, {4, 4, 64}, MST_FFT_KERNELS_BY_RULE});
    fft_of(*state, MST_COMPLEX64, 13, 512, (mst_fft_choice){cpu, {16, 8, 64}, MST_FFT_KERNELS_BY_RULE});
    fft_of(*state, MST_FLOAT32, 11, 1000, (mst_fft_choice){cpu, {8, 4, 64}, MST_FFT_KERNELS_BY_RULE});
    fft_of(*state, MST_COMPLEX64, 37, 16, (mst_fft_choice){gpu, {8, 8, 256}, MST_FFT_KERNELS_BY_RULE});
    if (!mst_context_device(*state)->fp64)
        return;
    fft_of(*state, MST_COMPLEX128, 9, 64, (mst_fft_choice){cpu, {16, 8, 64}, MST_FFT_KERNELS_BY_RULE});
    fft_of(*state, MST_COMPLEX128, 9, 64, (mst_fft_choice){gpu, {8, 4, 32}, MST_FFT_KERNELS_BY_RULE});
}

static test_array result_of(mst_context *context, const mst_fft_desc *desc, const test_array *input, mst_fft_kernels kernels) {
    mst_error e;
    mst_fft *plan = NULL;
    const mst_fft_choice choice = {true, {0, 0, 0}, kernels};
    mst_layout result = test_fft_output(desc);
    test_array output = test_array_new(&result);
    OK(mst_fft_create_as(context, desc, &choice, &plan, &e));
    OK(mst_fft_execute(plan, mst_at_host(test_array_at(input, 0)), mst_at_host(test_array_at(&output, 0)), NULL, &e));
    mst_fft_destroy(plan);
    return output;
}

// Kernels that are written for a length give the bits of those that know none: steps of every radix, primes, columns, several
// passes, Bluestein's convolutions of lengths that no tile holds, odd real lengths, boxes (axes in the order in which those take
// them).
static void specialised(void **state) {
    static const struct {
        mst_type type;
        size_t shape[3];
        int axis, n_axes;
    } table[] = {{MST_COMPLEX64, {1, 13, 1001}, 2, 1}, {MST_COMPLEX128, {1, 9, 30240}, 2, 1}, {MST_COMPLEX64, {3, 961, 20}, 1, 1},
                 {MST_COMPLEX64, {1, 3, 16384}, 2, 1}, {MST_FLOAT32, {1, 11, 255}, 2, 1},     {MST_COMPLEX64, {1, 9, 4099}, 2, 1},
                 {MST_COMPLEX64, {1, 3, 5003}, 2, 1},  {MST_COMPLEX128, {2, 18, 21}, 1, 1},   {MST_COMPLEX64, {19, 12, 10}, 1, 2},
                 {MST_FLOAT32, {17, 8, 9}, 1, 2}};
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (!test_turn(k, 6) || (table[k].type == MST_COMPLEX128 && !mst_context_device(*state)->fp64))
            continue;
        mst_fft_desc desc = MST_FFT_DESC_INIT;
        desc.input = mst_layout_dense(table[k].type, 3, table[k].shape);
        desc.n_axes = table[k].n_axes;
        for (int a = 0; a < desc.n_axes; a++)
            desc.axes[a] = table[k].axis + (table[k].type == MST_FLOAT32 ? a : table[k].n_axes - 1 - a);
        desc.direction = table[k].type == MST_FLOAT32 || k % 2 ? MST_FFT_FORWARD : MST_FFT_INVERSE;
        test_array input = test_array_random(&desc.input);
        test_array any = result_of(test_cpu(state), &desc, &input, MST_FFT_KERNELS_BY_RULE),
                   own = result_of(test_cpu(state), &desc, &input, MST_FFT_KERNELS_SPECIALISED);
        CHECK(test_array_same(&any, &own), "%s of %zu x %zu x %zu along %d axes from %d: other bits for any length",
              mst_type_name(table[k].type), table[k].shape[0], table[k].shape[1], table[k].shape[2], table[k].n_axes,
              table[k].axis);
        test_array_free(&input), test_array_free(&any), test_array_free(&own);
    }
}

static void convolution_of(mst_context *context, mst_convolution_desc desc, mst_convolution_choice choice) {
    mst_error e;
    mst_convolution *plan = NULL;
    mst_layout result;
    OK(mst_convolution_result(&desc, &result, &e));
    test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y), z = test_array_new(&result);
    size_t vectors = test_lines_of(&result, -1).count;
    long double *norms = malloc(vectors * sizeof *norms);
    test_wide *reference = test_convolution_reference(&desc, &x, &y, &result, norms);
    OK(mst_convolution_create_as(context, &desc, &choice, &plan, &e));
    OK(mst_convolution_execute(plan, mst_at_host(test_array_at(&x, 0)), mst_at_host(test_array_at(&y, 0)),
                               mst_at_host(test_array_at(&z, 0)), NULL, &e));
    size_t worst, n = mst_convolution_padded_length(plan);
    double error = test_convolution_error(&z, -1, reference, norms, &worst);
    CHECK(error <= 2 * test_gate(&result, n), "radix %u, lanes %u, %d axes: error %g", choice.pass.radix, choice.pass.lanes,
          desc.n_axes, error);
    mst_convolution_destroy(plan);
    free(reference), free(norms);
    test_array_free(&x), test_array_free(&y), test_array_free(&z);
}

static void convolutions(void **state) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    desc.algorithm = MST_CONVOLUTION_FUSED;
    desc.x = desc.y = mst_layout_dense(MST_COMPLEX64, 2, (const size_t[]){11, 100});
    convolution_of(*state, desc, (mst_convolution_choice){MST_FFT_SHAPE_CPU, {16, 4, 64}, 0, false});
    desc.x = desc.y = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){5, 9000}); // several stages
    convolution_of(*state, desc, (mst_convolution_choice){MST_FFT_SHAPE_CPU, {4, 4, 64}, 1 << 16, false});
}

static test_array product_of(mst_context *context, const mst_convolution_desc *desc, const test_array *x, const test_array *y,
                             bool specialised) {
    mst_error e;
    mst_convolution *plan = NULL;
    mst_layout result;
    const mst_convolution_choice choice = {MST_FFT_SHAPE_CPU, {0, 0, 0}, 0, specialised};
    OK(mst_convolution_result(desc, &result, &e));
    test_array z = test_array_new(&result);
    OK(mst_convolution_create_as(context, desc, &choice, &plan, &e));
    OK(mst_convolution_execute(plan, mst_at_host(test_array_at(x, 0)), mst_at_host(test_array_at(y, 0)),
                               mst_at_host(test_array_at(&z, 0)), NULL, &e));
    mst_convolution_destroy(plan);
    return z;
}

// Kernels that are written for the lengths of a convolution give the bits of those that know none: real and complex operands,
// one for all, overlapping blocks, several digits, steps of large primes, two axes.
static void specialised_convolutions(void **state) {
    static const struct {
        mst_type x, y;
        size_t shape[2][3];
        int n_axes;
        mst_convolution_mode mode;
        bool correlate;
    } table[] = {
        {MST_FLOAT32, MST_FLOAT32, {{1, 11, 150}, {1, 11, 70}}, 1, MST_CONVOLUTION_FULL, false},
        {MST_FLOAT32, MST_FLOAT32, {{1, 3, 20011}, {1, 3, 15000}}, 1, MST_CONVOLUTION_SAME, true},
        {MST_FLOAT32, MST_FLOAT32, {{1, 2, 40009}, {1, 1, 50}}, 1, MST_CONVOLUTION_VALID, false},
        {MST_COMPLEX64, MST_FLOAT32, {{1, 9, 143}, {1, 1, 143}}, 1, MST_CONVOLUTION_CIRCULAR, true},
        {MST_FLOAT32, MST_FLOAT32, {{3, 41, 33}, {1, 5, 7}}, 2, MST_CONVOLUTION_SAME, true},
        {MST_COMPLEX128, MST_INT16, {{2, 18, 21}, {2, 7, 5}}, 2, MST_CONVOLUTION_FULL, false},
    };
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        if (!test_turn(k, 6) || (table[k].x == MST_COMPLEX128 && !mst_context_device(*state)->fp64))
            continue;
        mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
        desc.algorithm = MST_CONVOLUTION_FUSED;
        desc.x = mst_layout_dense(table[k].x, 3, table[k].shape[0]);
        desc.y = mst_layout_dense(table[k].y, 3, table[k].shape[1]);
        desc.n_axes = table[k].n_axes;
        desc.axes[0] = 3 - table[k].n_axes;
        desc.axes[1] = 2;
        desc.mode = table[k].mode;
        desc.correlate = table[k].correlate;
        test_array x = test_array_random(&desc.x), y = test_array_random(&desc.y);
        test_array any = product_of(test_cpu(state), &desc, &x, &y, false),
                   own = product_of(test_cpu(state), &desc, &x, &y, true);
        CHECK(test_array_same(&any, &own), "case %zu: other bits for any lengths", k);
        test_array_free(&x), test_array_free(&y), test_array_free(&any), test_array_free(&own);
    }
}

static void integral_of(mst_context *context, mst_integral_desc desc, mst_integral_choice choice, double exact) {
    mst_error e;
    mst_integral *plan = NULL;
    mst_integral_result result;
    OK(mst_integral_create_as(context, &desc, &choice, &plan, &e));
    OK(mst_integral_execute(plan, NULL, 1, &result, NULL, &e));
    CHECK(fabs(result.value - exact) <= 1e-6 * exact, "%s, width %u, group %zu, items %d: %.9g, not %.9g",
          mst_integral_rule_name(desc.rule), choice.width, choice.group, (int)choice.items, result.value, exact);
    mst_integral_destroy(plan);
}

static void integrals(void **state) {
    const mst_integral_range range = {"x", "0", "1"},
                             ranges[] = {{"x", "0", "1"}, {"b", "0", "1"}, {"c", "0", "1"}, {"d", "0", "1"},
                                         {"f", "0", "1"}, {"g", "0", "1"}, {"h", "0", "1"}, {"i", "0", "1"}};
    mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    double exact = sqrt(acos(-1.0)) / 2 * erf(1);
    desc.ranges = &range;
    desc.integrand = "exp(-x * x)";
    desc.type = MST_FLOAT32;
    desc.rule = MST_INTEGRAL_GAUSS;
    desc.points = 8 * 10007;
    desc.compile_from = 1;
    integral_of(*state, desc, (mst_integral_choice){4, 1, 3}, exact);
    desc.shape = MST_INTEGRAL_SHAPE_GPU;
    integral_of(*state, desc, (mst_integral_choice){1, 8, 40}, exact);
    desc.rule = MST_INTEGRAL_ADAPTIVE; // by lattices: steps of so few points that a group has less than 16 for an item
    desc.points = 0;
    desc.n_variables = 8;
    desc.ranges = ranges;
    desc.relative_tolerance = 1e-6;
    integral_of(*state, desc, (mst_integral_choice){1, 128, 1}, exact);
}

static float *filter_of(mst_context *context, const mst_filter_desc *desc, mst_filter_choice choice, const test_array *image) {
    mst_error e;
    mst_filter *plan = NULL;
    float *out = malloc(mst_layout_count(&desc->input) * sizeof *out);
    memset(out, 0xff, mst_layout_count(&desc->input) * sizeof *out);
    OK(mst_filter_create_as(context, desc, &choice, &plan, &e));
    OK(mst_filter_execute(plan, mst_at_host(test_array_at(image, 0)), mst_at_host(out), NULL, &e));
    mst_filter_destroy(plan);
    return out;
}

static void filters(void **state) {
    mst_filter_desc desc = MST_FILTER_DESC_INIT;
    desc.input = mst_layout_dense(MST_FLOAT32, 4, (const size_t[]){3, 16, 32, 1});
    desc.radius = 0.1;
    desc.output_as = MST_FILTER_RAW;
    test_array image = test_array_random(&desc.input);
    float *one = filter_of(test_cpu(state), &desc, (mst_filter_choice){true, {.group = 64}}, &image);
    float *other = filter_of(*state, &desc, (mst_filter_choice){false, {.group = 32}}, &image);
    for (size_t i = 0; i < mst_layout_count(&desc.input); i++)
        CHECK(fabsf(one[i] - other[i]) <= 1e-5f, "element %d: %g and %g", (int)i, (double)one[i], (double)other[i]);
    free(one);
    free(other);
    test_array_free(&image);
}

static void stencil_of(mst_context *context, const mst_stencil_desc *desc, mst_stencil_choice choice, float *u) {
    mst_error e;
    mst_stencil *solver = NULL;
    memset(u, 0xff, desc->grid[0] * desc->grid[1] * sizeof *u);
    OK(mst_stencil_create_as(context, desc, &choice, &solver, &e));
    OK(mst_stencil_run(solver, 12, NULL, NULL, &e));
    OK(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(u), &e));
    mst_stencil_destroy(solver);
}

// Tiles and strips that divide nothing: the same bits.
static void stencils(void **state) {
    enum { ROWS_OF_GRID = 53, COLUMNS_OF_GRID = 131 };
    static float expected[ROWS_OF_GRID * COLUMNS_OF_GRID], got[ROWS_OF_GRID * COLUMNS_OF_GRID];
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "sin(3 * x) * cos(y)"}};
    const mst_stencil_update update = {.field = "u", .expression = "u + 0.1 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)"};
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    desc.rank = 2, desc.grid[0] = ROWS_OF_GRID, desc.grid[1] = COLUMNS_OF_GRID;
    desc.precision = MST_FLOAT32;
    desc.n_fields = desc.n_updates = 1;
    desc.fields = &field, desc.updates = &update;
    desc.shape = MST_STENCIL_SHAPE_CPU;
    stencil_of(*state, &desc, (mst_stencil_choice){1, {1024, 1, 0}}, expected);
    stencil_of(*state, &desc, (mst_stencil_choice){2, {40, 1, 7}}, got);
    assert_memory_equal(got, expected, sizeof got);
    desc.shape = MST_STENCIL_SHAPE_GPU;
    stencil_of(*state, &desc, (mst_stencil_choice){1, {16, 1, 7}}, got);
    assert_memory_equal(got, expected, sizeof got);
}

// A search over real kernels, and the look-up after it.
static void searches(void **state) {
    mst_error e;
    test_told t = {.n = 0};
    mst_fft *plan = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_tuning how = MST_TUNING_INIT;
    how.report = test_note, how.user = &t, how.seconds = 0.01;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, (const size_t[]){20, 12});
    for (int again = 0; again < 2; again++) {
        OK(mst_tuning_begin(*state, &how, &e));
        OK(mst_fft_create(*state, &desc, &plan, &e));
        mst_tuning_end(*state);
        mst_fft_destroy(plan);
        assert_int_equal(t.n, 1 + again);
        assert_int_equal(t.result.source, again ? MST_TUNING_EXACT : MST_TUNING_SEARCHED);
        assert_string_equal(t.result.capability, "fft");
        assert_int_equal(t.result.size, 12);
    }
    test_fft_check(*state, &desc, MST_PLACE_HOST, MST_PLACE_DEVICE);
}

// Integrals with parameters, of which test runs take random ones: also such as have no integral.
static void searches_for_integrals(void **state) {
    static const char *const names[] = {"p"};
    const mst_integral_range ranges[] = {{"x", "0", "sqrt(p - 0.5)"}, {"x", "0", "sqrt(p)"}};
    mst_error e;
    test_told t = {.n = 0};
    mst_integral *plan = NULL;
    mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    mst_tuning how = MST_TUNING_INIT;
    how.report = test_note, how.user = &t, how.seconds = 0.01;
    desc.integrand = "p * x";
    desc.rule = MST_INTEGRAL_MIDPOINT, desc.points = 100;
    desc.n_parameters = 1, desc.parameters = names;
    OK(mst_tuning_begin(*state, &how, &e));
    for (int bounds = 0; bounds < 2; bounds++) {
        desc.ranges = &ranges[bounds];
        OK(mst_integral_create(*state, &desc, &plan, &e));
        mst_integral_destroy(plan);
        assert_int_equal(t.n, 1 + bounds);
        assert_string_equal(t.result.capability, "integral");
        assert_int_equal(t.result.source, bounds ? MST_TUNING_SEARCHED : MST_TUNING_SAFE);
        assert_int_equal(t.result.size, 100);
    }
    mst_tuning_end(*state);
}

static mst_tuning_result tuned_integral(mst_context *context, const mst_integral_desc *desc, double seconds) {
    mst_error e;
    test_told t = {.n = 0};
    mst_integral *plan = NULL;
    mst_tuning how = MST_TUNING_INIT;
    how.report = test_note, how.user = &t, how.seconds = seconds;
    OK(mst_tuning_begin(context, &how, &e));
    OK(mst_integral_create(context, desc, &plan, &e));
    mst_tuning_end(context);
    mst_integral_destroy(plan);
    assert_int_equal(t.n, 1);
    return t.result;
}

// Too many points are not run; rounding of what cancels is not wrong; other kinds of ranges have other kernels.
static void integrals_are_told_apart(void **state) {
    const mst_integral_range around = {"x", "-1", "1"}, above = {"x", "0", "inf"};
    mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    desc.ranges = &around;
    desc.integrand = "x * x * x";
    desc.rule = MST_INTEGRAL_MIDPOINT;
    desc.points = (uint64_t)1 << 40;
    assert_true(tuned_integral(*state, &desc, 0).source >= MST_TUNING_SHIPPED);
    desc.points = 100003;
    mst_tuning_result found = tuned_integral(*state, &desc, 3);
    assert_int_equal(found.source, MST_TUNING_SEARCHED);
    assert_int_equal(found.wrong, 0);
    desc.integrand = "exp(-x * x)";
    desc.rule = MST_INTEGRAL_ADAPTIVE;
    desc.points = 0;
    assert_int_equal(tuned_integral(*state, &desc, 0).source, MST_TUNING_SEARCHED);
    assert_int_equal(tuned_integral(*state, &desc, 0).source, MST_TUNING_EXACT);
    desc.ranges = &above;
    assert_int_equal(tuned_integral(*state, &desc, 0).source, MST_TUNING_SEARCHED);
}

// Stencils are searched in core, and take what was found.
static void searches_for_fused_steps(void **state) {
    mst_error e;
    test_told t = {.n = 0};
    mst_tuning how = MST_TUNING_INIT;
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "sin(x)"}};
    const mst_stencil_update update = {.field = "u", .expression = "u + 0.1 * (u[-1] - 2 * u + u[1])"};
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    desc.rank = 1, desc.grid[0] = 1000;
    desc.n_fields = desc.n_updates = 1;
    desc.fields = &field, desc.updates = &update;
    how.report = test_note, how.user = &t, how.seconds = 0.01;
    for (int again = 0; again < 2; again++) {
        mst_stencil *solver = NULL;
        mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
        OK(mst_tuning_begin(*state, &how, &e));
        OK(mst_stencil_create(*state, &desc, &solver, &e));
        mst_tuning_end(*state);
        OK(mst_stencil_describe(solver, 1, &plan, &e));
        assert_int_equal(t.result.source, again ? MST_TUNING_EXACT : MST_TUNING_SEARCHED);
        assert_string_equal(t.result.capability, "stencil");
        assert_int_equal(t.result.wrong, 0);
        assert_int_equal(plan.fuse, t.result.values[0].value);
        mst_stencil_destroy(solver);
    }
}

// With the first warning builds succeed again: how many were tried before, with a binary and with the source, is the device's.
static void count_warnings(mst_log_level level, const char *line, void *user) {
    int *warnings = user;
    if (level == MST_LOG_WARNING && strstr(line, "do not work") && ++*warnings == 1)
        builds_to_fail = 0;
}

// Plans whose values were found once, but do not build any more, take the next ones; where nothing builds, they say so.
static void found_values_that_do_not_build(void **state) {
    (void)state;
    mst_error e;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_fft *plan = NULL;
    mst_tuning how = MST_TUNING_INIT;
    int warnings = 0;
    mst_context_desc logs = MST_CONTEXT_DESC_INIT;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, (const size_t[]){3, 22});
    how.seconds = 0.01;
    logs.cache_directory = test_directory();
    logs.log = count_warnings, logs.log_user = &warnings;
    mst_context *context = test_context(&logs);
    OK(mst_tuning_begin(context, &how, &e));
    OK(mst_fft_create(context, &desc, &plan, &e));
    mst_tuning_end(context);
    mst_fft_destroy(plan);
    mst_context_destroy(context);
    context = test_context(&logs);
    builds_to_fail = 1000;
    test_fft_check(context, &desc, MST_PLACE_HOST, MST_PLACE_HOST);
    assert_int_equal(builds_to_fail, 0);
    assert_int_equal(warnings, 1);
    mst_context_destroy(context);
    context = test_context(&logs);
    builds_to_fail = 1000;
    REFUSED(MST_ERROR_BUILD, "does not build", mst_fft_create(context, &desc, &plan, &e));
    builds_to_fail = 0;
    assert_null(plan);
    mst_context_destroy(context);
}

// Kernels that three threads build at once.
static void searches_with_threads(void **state) {
    const size_t n = 5000;
    const mst_map_input input = {"b", mst_layout_dense(MST_INT16, 1, &n)};
    mst_error e;
    test_told t = {.n = 0};
    mst_map *plan = NULL;
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_tuning how = MST_TUNING_INIT;
    how.report = test_note, how.user = &t, how.seconds = 1000, how.threads = 3;
    desc.expression = "b * b + 1";
    desc.n_inputs = 1, desc.inputs = &input;
    OK(mst_tuning_begin(*state, &how, &e));
    OK(mst_map_create(*state, &desc, &plan, &e));
    mst_tuning_end(*state);
    mst_map_destroy(plan);
    CHECK(t.result.source == MST_TUNING_SEARCHED && t.result.tried == 5 && t.result.wrong == 0, "%u of %u tried, %u wrong",
          t.result.tried, t.result.candidates, t.result.wrong);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transforms),
        cmocka_unit_test(specialised),
        cmocka_unit_test(specialised_convolutions),
        cmocka_unit_test(convolutions),
        cmocka_unit_test(integrals),
        cmocka_unit_test(filters),
        cmocka_unit_test(stencils),
        cmocka_unit_test(searches),
        cmocka_unit_test(searches_for_integrals),
        cmocka_unit_test(integrals_are_told_apart),
        cmocka_unit_test(searches_for_fused_steps),
        cmocka_unit_test(found_values_that_do_not_build),
        cmocka_unit_test(searches_with_threads),
    };
    test_all_quick_builds = true;
    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
