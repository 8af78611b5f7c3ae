#include "self_test.h"

#include "child.h"
#include "core/cli.h"

#include <math.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// Values between -1 and 1 without a pattern (Marsaglia, xorshift).
static void fill(float *values, size_t n, uint32_t seed) {
    for (size_t i = 0; i < n; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 17;
        seed ^= seed << 5;
        values[i] = (float)(int32_t)seed * 0x1p-31f;
    }
}

// NaN is the largest of all errors.
static double larger(double largest, double off) { return fabs(off) <= largest ? largest : isfinite(off) ? fabs(off) : INFINITY; }

// A length that takes radices 2, 3, 5 and 7, against the sum that defines the transform.
static mst_status transform(mst_context *context, double *largest, mst_error *error) {
    enum { N = 210, BATCH = 5 };
    static float x[BATCH][N][2], y[BATCH][N][2];
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_fft *plan = NULL;
    desc.input = mst_layout_dense(MST_COMPLEX64, 2, (const size_t[]){BATCH, N});
    fill(&x[0][0][0], sizeof x / sizeof(float), 1);
    mst_status status = mst_fft_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_fft_execute(plan, mst_at_host(x), mst_at_host(y), NULL, error);
    mst_fft_destroy(plan);
    for (int b = 0; b < BATCH && status == MST_OK; b++)
        for (int k = 0; k < N; k++) {
            double sum[2] = {0, 0};
            for (int j = 0; j < N; j++) {
                double angle = -2 * pi * (k * j % N) / N, re = x[b][j][0], im = x[b][j][1];
                sum[0] += re * cos(angle) - im * sin(angle);
                sum[1] += re * sin(angle) + im * cos(angle);
            }
            for (int part = 0; part < 2; part++)
                *largest = larger(*largest, (y[b][k][part] - sum[part]) / sqrt(N));
        }
    return status;
}

// A cosine transform of an odd length, against the sum that defines it.
static mst_status cosine(mst_context *context, double *largest, mst_error *error) {
    enum { N = 105, BATCH = 5 };
    static float x[BATCH][N], y[BATCH][N];
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    mst_fft *plan = NULL;
    desc.input = desc.output = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){BATCH, N});
    desc.kind = MST_FFT_DCT2;
    fill(&x[0][0], sizeof x / sizeof(float), 5);
    mst_status status = mst_fft_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_fft_execute(plan, mst_at_host(x), mst_at_host(y), NULL, error);
    mst_fft_destroy(plan);
    for (int b = 0; b < BATCH && status == MST_OK; b++)
        for (int k = 0; k < N; k++) {
            double sum = 0;
            for (int j = 0; j < N; j++)
                sum += 2 * x[b][j] * cos(pi * k * (2 * j + 1) / (2 * N));
            *largest = larger(*largest, (y[b][k] - sum) / (2 * sqrt(N)));
        }
    return status;
}

static mst_status convolve(mst_context *context, double *largest, mst_error *error) {
    enum { N = 300, KERNEL = 17, FULL = N + KERNEL - 1 };
    static float x[N], y[KERNEL], z[FULL];
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    mst_convolution *plan = NULL;
    desc.x = mst_layout_dense(MST_FLOAT32, 1, (const size_t[]){N});
    desc.y = mst_layout_dense(MST_FLOAT32, 1, (const size_t[]){KERNEL});
    fill(x, N, 2);
    fill(y, KERNEL, 3);
    mst_status status = mst_convolution_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_convolution_execute(plan, mst_at_host(x), mst_at_host(y), mst_at_host(z), NULL, error);
    mst_convolution_destroy(plan);
    for (int k = 0; k < FULL && status == MST_OK; k++) {
        double sum = 0;
        for (int i = k < KERNEL ? 0 : k - KERNEL + 1; i <= k && i < N; i++)
            sum += (double)x[i] * y[k - i];
        *largest = larger(*largest, z[k] - sum);
    }
    return status;
}

static mst_status map(mst_context *context, double *largest, mst_error *error) {
    enum { N = 1000 };
    static float x[N], y[N];
    const mst_map_input input = {.name = "x", .layout = mst_layout_dense(MST_FLOAT32, 1, (const size_t[]){N})};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *plan = NULL;
    const mst_location from = mst_at_host(x);
    desc.expression = "x < 0 ? sin(3 * x) : sqrt(x) - x * x";
    desc.inputs = &input;
    desc.n_inputs = 1;
    fill(x, N, 4);
    mst_status status = mst_map_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_map_execute(plan, &from, mst_at_host(y), NULL, error);
    mst_map_destroy(plan);
    for (int i = 0; i < N && status == MST_OK; i++)
        *largest = larger(*largest, y[i] - (x[i] < 0 ? sin(3.0 * x[i]) : sqrt(x[i]) - (double)x[i] * x[i]));
    return status;
}

// Means of rows, which take more than one work-group each.
static mst_status reduce(mst_context *context, double *largest, mst_error *error) {
    enum { ROWS = 6, COLUMNS = 3000 };
    static float x[ROWS][COLUMNS], means[ROWS];
    const mst_map_input input = {.name = "x", .layout = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){ROWS, COLUMNS})};
    const mst_location from = mst_at_host(x);
    const int axis = -1;
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *plan = NULL;
    desc.expression = "mean(3 * x * x)";
    desc.inputs = &input;
    desc.n_inputs = 1;
    desc.axes = &axis;
    desc.n_axes = 1;
    fill(&x[0][0], ROWS * COLUMNS, 6);
    mst_status status = mst_map_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_map_execute(plan, &from, mst_at_host(means), NULL, error);
    mst_map_destroy(plan);
    for (int i = 0; i < ROWS && status == MST_OK; i++) {
        double sum = 0;
        for (int j = 0; j < COLUMNS; j++)
            sum += 3.0 * x[i][j] * x[i][j];
        *largest = larger(*largest, means[i] - sum / COLUMNS);
    }
    return status;
}

// A cosine of one frequency comes out of a Gaussian low pass multiplied by the mask at that frequency.
static mst_status filter(mst_context *context, double *largest, mst_error *error) {
    enum { HEIGHT = 36, WIDTH = 40, ROWS = 3, COLUMNS = 5 }; // periods along either
    static float image[HEIGHT][WIDTH], filtered[HEIGHT][WIDTH];
    const double fx = (double)COLUMNS / WIDTH, fy = (double)ROWS / HEIGHT, radius = 0.2;
    mst_filter_desc desc = MST_FILTER_DESC_INIT;
    mst_filter *plan = NULL;
    desc.input = mst_layout_dense(MST_FLOAT32, 3, (const size_t[]){HEIGHT, WIDTH, 1});
    desc.kind = MST_FILTER_LOW_PASS;
    desc.rolloff = MST_FILTER_GAUSSIAN;
    desc.radius = radius;
    desc.edges = MST_FILTER_WRAP;
    desc.output_as = MST_FILTER_RAW;
    for (int i = 0; i < HEIGHT; i++)
        for (int j = 0; j < WIDTH; j++)
            image[i][j] = (float)cos(2 * pi * (fy * i + fx * j));
    mst_status status = mst_filter_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_filter_execute(plan, mst_at_host(image), mst_at_host(filtered), NULL, error);
    mst_filter_destroy(plan);
    const double mask = exp(-(fx * fx + fy * fy) / (2 * radius * radius));
    for (int i = 0; i < HEIGHT && status == MST_OK; i++)
        for (int j = 0; j < WIDTH; j++)
            *largest = larger(*largest, filtered[i][j] - mask * cos(2 * pi * (fy * i + fx * j)));
    return status;
}

// The first step of Richardson and Lucy from a flat start is the image blurred once more: by (1 + cos(2 pi f)) / 2 along either
// axis for a point that is seen as 1, 2, 1.
static mst_status deconvolve(mst_context *context, double *largest, mst_error *error) {
    enum { HEIGHT = 36, WIDTH = 40, ROWS = 3, COLUMNS = 5 }; // periods along either
    static const double psf[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    static float image[HEIGHT][WIDTH], result[HEIGHT][WIDTH];
    const double fx = (double)COLUMNS / WIDTH, fy = (double)ROWS / HEIGHT;
    mst_deconvolution_desc desc = MST_DECONVOLUTION_DESC_INIT;
    mst_deconvolution_arrays arrays = MST_DECONVOLUTION_ARRAYS_INIT;
    mst_deconvolution *plan = NULL;
    desc.image = mst_layout_dense(MST_FLOAT32, 2, (const size_t[]){HEIGHT, WIDTH});
    desc.psf = &psf[0][0];
    desc.psf_shape[0] = desc.psf_shape[1] = 3;
    desc.edges = MST_DECONVOLUTION_CIRCULAR;
    desc.iterations = 1;
    arrays.image = mst_at_host(image);
    arrays.result = mst_at_host(result);
    for (int i = 0; i < HEIGHT; i++)
        for (int j = 0; j < WIDTH; j++)
            image[i][j] = (float)(1 + 0.9 * cos(2 * pi * (fy * i + fx * j)));
    mst_status status = mst_deconvolution_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_deconvolution_execute(plan, &arrays, NULL, error);
    mst_deconvolution_destroy(plan);
    const double factor = 0.9 * (1 + cos(2 * pi * fx)) / 2 * (1 + cos(2 * pi * fy)) / 2;
    for (int i = 0; i < HEIGHT && status == MST_OK; i++)
        for (int j = 0; j < WIDTH; j++)
            *largest = larger(*largest, result[i][j] - 1 - factor * cos(2 * pi * (fy * i + fx * j)));
    return status;
}

// The integral of 1 / (1 + a x^2) from 0 to 1 is atan(sqrt(a)) / sqrt(a); the estimate of its error has to hold as well.
static mst_status integrate(mst_context *context, double *largest, mst_error *error) {
    enum { SETS = 20 };
    double a[SETS];
    mst_integral_result results[SETS];
    const mst_integral_range range = {"x", "0", "1"};
    const char *parameter = "a";
    mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    mst_integral *plan = NULL;
    desc.integrand = "1 / (1 + a * x^2)";
    desc.n_variables = 1;
    desc.ranges = &range;
    desc.n_parameters = 1;
    desc.parameters = &parameter;
    desc.relative_tolerance = 1e-5;
    for (int k = 0; k < SETS; k++)
        a[k] = pow(2, k);
    mst_status status = mst_integral_create(context, &desc, &plan, error);
    if (status == MST_OK)
        status = mst_integral_execute(plan, a, SETS, results, NULL, error);
    mst_integral_destroy(plan);
    for (int k = 0; k < SETS && status == MST_OK; k++)
        *largest = larger(*largest, results[k].value / (atan(sqrt(a[k])) / sqrt(a[k])) - 1);
    return status;
}

// An eigenmode of the five-point operator with zeros around the grid decays by an exact factor a step.
static mst_status solve(mst_context *context, double *largest, mst_error *error) {
    enum { HEIGHT = 30, WIDTH = 40, STEPS = 50 };
    static float got[HEIGHT][WIDTH];
    const mst_stencil_field field = {.name = "u",
                                     .initial = {.expression = "sin(3 * pi * (x + 1) / 41) * sin(2 * pi * (y + 1) / 31)"}};
    const mst_stencil_update update = {"u", "u + 0.2 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0};
    mst_stencil_desc desc = MST_STENCIL_DESC_INIT;
    mst_stencil *solver = NULL;
    desc.rank = 2;
    desc.grid[0] = HEIGHT;
    desc.grid[1] = WIDTH;
    desc.precision = MST_FLOAT32;
    desc.fields = &field;
    desc.updates = &update;
    desc.n_fields = desc.n_updates = 1;
    mst_status status = mst_stencil_create(context, &desc, &solver, error);
    if (status == MST_OK)
        status = mst_stencil_run(solver, STEPS, NULL, NULL, error);
    if (status == MST_OK)
        status = mst_stencil_read(solver, "u", 0, NULL, mst_at_host(got), error);
    mst_stencil_destroy(solver);
    const double factor = 1 - 0.8 * (pow(sin(3 * pi / 82), 2) + pow(sin(2 * pi / 62), 2));
    for (int i = 0; i < HEIGHT && status == MST_OK; i++)
        for (int j = 0; j < WIDTH; j++)
            *largest = larger(*largest, got[i][j] - pow(factor, STEPS) * sin(3 * pi * (j + 1) / 41) * sin(2 * pi * (i + 1) / 31));
    return status;
}

static const self_test tests[] = {
    {"fft", 2e-6, transform}, {"dct", 2e-6, cosine},    {"convolve", 5e-6, convolve},     {"map", 5e-7, map},
    {"reduce", 1e-6, reduce}, {"filter", 2e-6, filter}, {"deconvolve", 5e-6, deconvolve}, {"integrate", 1e-5, integrate},
    {"solve", 1e-5, solve},
};

const self_test *self_test_at(size_t number) { return number < CLI_COUNT(tests) ? &tests[number] : NULL; }

int self_test_child(const char *name, const char *device) {
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    mst_context *context = NULL;
    mst_error error;
    char answer[sizeof error.message + 64];
    double largest = 0, start = cli_now();
    const self_test *t = NULL;
    child_begin();
    for (size_t i = 0; (t = self_test_at(i)) && strcmp(t->name, name) != 0; i++)
        ;
    if (!t)
        return child_end(false, "there is no such self-test");
    desc.device = device;
    if (mst_context_create(&desc, &context, &error) != MST_OK) {
        int code = child_end(false, error.message);
        return code == CLI_DONE ? CLI_NO_DEVICE : code;
    }
    mst_status status = t->run(context, &largest, &error);
    mst_context_destroy(context);
    if (status != MST_OK)
        return child_end(false, error.message);
    if (largest <= t->tolerance)
        snprintf(answer, sizeof answer, "%.9g %.9g", cli_now() - start, largest);
    else
        snprintf(answer, sizeof answer, "wrong results: off by %.2g, and %g is allowed", largest, t->tolerance);
    return child_end(largest <= t->tolerance, answer);
}
