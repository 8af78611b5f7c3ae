// Runs every kernel of the library on tiny data, for Oclgrind to watch, and checks the results against direct sums.
#include <mastaba/mastaba.h>

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef double complex number;

enum { BATCH = 3, MAX_LENGTH = 64, MAX_VALUES = BATCH * 2 * MAX_LENGTH };

static const double tau = 6.283185307179586;

static void check(mst_status status, const mst_error *error) {
    if (status != MST_OK) {
        fprintf(stderr, "%s: %s\n", mst_status_name(status), error->message);
        exit(1);
    }
}

// Writes value i of an array of any of the four types that results have, and reads it.
static void put(void *data, mst_type type, size_t i, number value) {
    switch (type) {
    case MST_FLOAT32:
        ((float *)data)[i] = (float)creal(value);
        break;
    case MST_FLOAT64:
        ((double *)data)[i] = creal(value);
        break;
    case MST_COMPLEX64:
        ((float complex *)data)[i] = (float complex)value;
        break;
    default:
        ((double complex *)data)[i] = value;
    }
}

static number get(const void *data, mst_type type, size_t i) {
    switch (type) {
    case MST_FLOAT32:
        return ((const float *)data)[i];
    case MST_FLOAT64:
        return ((const double *)data)[i];
    case MST_COMPLEX64:
        return ((const float complex *)data)[i];
    default:
        return ((const double complex *)data)[i];
    }
}

static void fill(void *data, mst_type type, size_t n, double phase) {
    for (size_t i = 0; i < n; i++)
        put(data, type, i, cos((double)(i * i) + phase) + I * sin(3.0 * (double)i + phase));
}

static void expect(const char *what, mst_type type, number got, number want) {
    double tolerance = type == MST_FLOAT32 || type == MST_COMPLEX64 ? 1e-4 : 1e-12;
    if (!(cabs(got - want) <= tolerance)) {
        fprintf(stderr, "%s: got %g%+gi, expected %g%+gi\n", what, creal(got), cimag(got), creal(want), cimag(want));
        exit(1);
    }
}

// Transforms along axis 1 of an array [BATCH][n], or along axis 0 of [n][BATCH].
static void test_fft(mst_context *context, mst_type type, size_t n, int axis, mst_fft_direction direction,
                     mst_fft_shape kernel_shape) {
    static double complex in[MAX_VALUES], out[MAX_VALUES];
    mst_error error;
    mst_fft *plan;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    const size_t shape[] = {axis == 0 ? n : BATCH, axis == 0 ? BATCH : n};
    desc.input = mst_layout_dense(type, 2, shape);
    desc.axes[0] = axis;
    desc.direction = direction;
    desc.scale = 0.5;
    desc.shape = kernel_shape;
    fill(in, type, n * BATCH, 0.1);
    check(mst_fft_create(context, &desc, &plan, &error), &error);
    check(mst_fft_execute(plan, mst_at_host(in), mst_at_host(out), NULL, &error), &error);
    mst_fft_destroy(plan);

    const size_t along = axis == 0 ? BATCH : 1, across = axis == 0 ? 1 : n;
    const double sign = direction == MST_FFT_FORWARD ? -1.0 : 1.0;
    for (size_t b = 0; b < BATCH; b++)
        for (size_t k = 0; k < n; k++) {
            number sum = 0.0;
            for (size_t j = 0; j < n; j++)
                sum += get(in, type, b * across + j * along) * cexp(I * sign * tau * (double)(j * k % n) / (double)n);
            expect("fft", type, get(out, type, b * across + k * along), 0.5 * sum);
        }
}

// From rows to columns and back: lines are handed over at the first exchange, of whole numbers where they are short.
static void test_turned_fft(mst_context *context, int c) {
    enum { LONGEST = 1000 };
    static const size_t lengths[] = {60, 60, LONGEST};
    static double complex in[BATCH * LONGEST], out[BATCH * LONGEST];
    const mst_type type = c == 0 ? MST_COMPLEX128 : MST_COMPLEX64;
    const size_t n = lengths[c], shape[] = {BATCH, n};
    mst_error error;
    mst_fft *there = NULL, *back = NULL;
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    cl_int code;
    cl_mem columns = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE, sizeof in, NULL, &code);
    fill(in, type, n * BATCH, 0.1);
    desc.input = desc.output = mst_layout_dense(type, 2, shape);
    desc.output.strides[0] = 1, desc.output.strides[1] = BATCH;
    desc.shape = MST_FFT_SHAPE_GPU;
    check(code == CL_SUCCESS ? mst_fft_create(context, &desc, &there, &error) : MST_ERROR_OPENCL, &error);
    desc.input = desc.output, desc.output = mst_layout_dense(type, 2, shape);
    desc.direction = MST_FFT_INVERSE, desc.scale = 1.0 / (double)n;
    check(mst_fft_create(context, &desc, &back, &error), &error);
    check(mst_fft_execute(there, mst_at_host(in), mst_at_device(columns, 0), NULL, &error), &error);
    check(mst_fft_execute(back, mst_at_device(columns, 0), mst_at_host(out), NULL, &error), &error);
    for (size_t i = 0; i < n * BATCH; i++)
        expect("fft there and back", type, get(out, type, i), get(in, type, i));
    mst_fft_destroy(there);
    mst_fft_destroy(back);
    clReleaseMemObject(columns);
}

// Element k of the full convolution or correlation of x[n] with y[m], as convolution.h defines them.
static number direct(const mst_convolution_desc *desc, const void *x, size_t n, const void *y, size_t m, size_t k) {
    number sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        const size_t j = desc->correlate ? i + m - 1 - k : k - i; // wraps to a huge number where negative
        if (j < m) {
            const number v = get(y, desc->y.type, j);
            sum += get(x, desc->x.type, i) * (desc->correlate ? conj(v) : v);
        }
    }
    return sum;
}

static number direct_circular(const mst_convolution_desc *desc, const void *x, const void *y, size_t n, size_t k) {
    number sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += desc->correlate ? get(x, desc->x.type, (i + k) % n) * conj(get(y, desc->y.type, i))
                               : get(x, desc->x.type, i) * get(y, desc->y.type, (k + n - i) % n);
    return sum;
}

static void test_convolution(mst_context *context, const mst_convolution_desc *desc) {
    static double complex x[MAX_VALUES], y[MAX_VALUES], z[MAX_VALUES];
    mst_error error;
    mst_convolution *plan;
    mst_layout result;
    const size_t n = desc->x.shape[1], m = desc->y.shape[1], batch = desc->x.shape[0];
    fill(x, desc->x.type, batch * n, 0.2);
    fill(y, desc->y.type, desc->y.shape[0] * m, 0.3);
    check(mst_convolution_result(desc, &result, &error), &error);
    check(mst_convolution_create(context, desc, &plan, &error), &error);
    check(mst_convolution_execute(plan, mst_at_host(x), mst_at_host(y), mst_at_host(z), NULL, &error), &error);
    mst_convolution_destroy(plan);

    size_t first = 0;
    if (desc->mode == MST_CONVOLUTION_SAME)
        first = (m - 1) / 2;
    else if (desc->mode == MST_CONVOLUTION_VALID)
        first = (n < m ? n : m) - 1;
    for (size_t b = 0; b < batch; b++) {
        const char *xb = (const char *)x + b * n * mst_type_bytes(desc->x.type);
        const char *yb = (const char *)y + (desc->y.shape[0] == 1 ? 0 : b * m * mst_type_bytes(desc->y.type));
        for (size_t k = 0; k < result.shape[1]; k++)
            expect(mst_convolution_algorithm_name(desc->algorithm), result.type, get(z, result.type, b * result.shape[1] + k),
                   desc->mode == MST_CONVOLUTION_CIRCULAR ? direct_circular(desc, xb, yb, n, k)
                                                          : direct(desc, xb, n, yb, m, first + k));
    }
}

// c * (a - b) in each width, with a tail, and with strides on the device. False if there is no such case.
static bool test_map(mst_context *context, int c) {
    enum { N = 37, N_WIDTHS = 5 };
    static float a[3][N], z[N];
    mst_error error;
    mst_map *plan;
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map_input inputs[3] = {{.name = "a"}, {.name = "b"}, {.name = "c"}};
    cl_int code = CL_SUCCESS;
    cl_mem buffer = NULL;
    if (c > N_WIDTHS)
        return false;
    const size_t shape[] = {N};
    for (int k = 0; k < 3; k++) {
        inputs[k].layout = mst_layout_dense(MST_FLOAT32, 1, shape);
        fill(a[k], MST_FLOAT32, N, k);
    }
    desc.expression = "(a - b) * c";
    desc.n_inputs = 3;
    desc.inputs = inputs;
    desc.vector_width = c < N_WIDTHS ? 1u << c : 4;
    mst_location at[] = {mst_at_host(a[0]), mst_at_host(a[1]), mst_at_host(a[2])};
    if (c == N_WIDTHS) { // the first array backwards
        buffer = clCreateBuffer(mst_context_opencl(context), CL_MEM_COPY_HOST_PTR, sizeof a[0], a[0], &code);
        inputs[0].layout.strides[0] = -1;
        at[0] = mst_at_device(buffer, (N - 1) * sizeof(float));
    }
    check(code == CL_SUCCESS ? MST_OK : MST_ERROR_OPENCL, &error);
    check(mst_map_create(context, &desc, &plan, &error), &error);
    check(mst_map_execute(plan, at, mst_at_host(z), NULL, &error), &error);
    for (size_t i = 0; i < N; i++)
        expect("map", MST_FLOAT32, z[i], (a[0][buffer ? N - 1 - i : i] - a[1][i]) * a[2][i]);
    mst_map_destroy(plan);
    if (buffer)
        clReleaseMemObject(buffer);
    return true;
}

// Images [2][5][4] with one kernel [3][2] for both, or, circular, one [5][4] each.
static void test_images(mst_context *context, mst_convolution_desc *desc, mst_type type) {
    static double complex x[MAX_VALUES], y[MAX_VALUES], z[MAX_VALUES];
    const bool circular = desc->mode == MST_CONVOLUTION_CIRCULAR;
    const size_t n[] = {5, 4}, m[] = {circular ? 5 : 3, circular ? 4 : 2}, n_kernels = circular ? 2 : 1;
    mst_error error;
    mst_convolution *plan;
    mst_layout result;
    desc->x = mst_layout_dense(type, 3, (const size_t[]){2, n[0], n[1]});
    desc->y = mst_layout_dense(type, 3, (const size_t[]){n_kernels, m[0], m[1]});
    desc->n_axes = 2, desc->axes[0] = 1, desc->axes[1] = 2;
    fill(x, type, 2 * n[0] * n[1], 0.2);
    fill(y, type, n_kernels * m[0] * m[1], 0.3);
    check(mst_convolution_result(desc, &result, &error), &error);
    check(mst_convolution_create(context, desc, &plan, &error), &error);
    check(mst_convolution_execute(plan, mst_at_host(x), mst_at_host(y), mst_at_host(z), NULL, &error), &error);
    mst_convolution_destroy(plan);
    for (size_t i = 0; i < result.shape[0] * result.shape[1] * result.shape[2]; i++) {
        size_t at[] = {i / result.shape[2] % result.shape[1], i % result.shape[2]}, image = i / result.shape[2] / result.shape[1];
        number sum = 0.0;
        for (size_t p = 0; p < n[0] * n[1]; p++) {
            const size_t from[] = {p / n[1], p % n[1]};
            size_t q[2];
            for (int a = 0; a < 2; a++) {
                const size_t first = desc->mode == MST_CONVOLUTION_SAME    ? (m[a] - 1) / 2
                                     : desc->mode == MST_CONVOLUTION_VALID ? m[a] - 1
                                                                           : 0;
                if (circular)
                    q[a] = (desc->correlate ? from[a] + n[a] - at[a] : at[a] + n[a] - from[a]) % n[a];
                else
                    q[a] = desc->correlate ? from[a] + m[a] - 1 - first - at[a] : at[a] + first - from[a];
            }
            if (q[0] >= m[0] || q[1] >= m[1]) // also what wrapped below 0
                continue;
            const number v = get(y, type, (n_kernels == 1 ? 0 : image) * m[0] * m[1] + q[0] * m[1] + q[1]);
            sum += get(x, type, image * n[0] * n[1] + p) * (desc->correlate ? conj(v) : v);
        }
        expect("images", result.type, get(z, result.type, i), sum);
    }
}

// A scheme with a source and a receiver on a mirrored, periodic grid, whose sum stays, by kernels of either shape; of rank 3 on
// one plane, with the longest reach along the rows.
static void test_stencil(mst_context *context, int rank, mst_stencil_shape shape, mst_stencil_schedule schedule) {
    enum { ROWS = 8, COLUMNS = 12, NODES = ROWS * COLUMNS };
    static float first[NODES], later[NODES];
    const mst_stencil_field field = {.name = "u", .initial = {.expression = "x + 3 * (y > 5)"}};
    const mst_stencil_update updates[] = {{"u", "u + 0.2 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0},
                                          {"u", "u + 0.2 * (u[0,-4,0] + u[0,4,0] + u[0,0,-1] + u[0,0,1] - 4 * u)", 0}};
    const size_t point[][MST_MAX_AXES] = {{rank == 3 ? 0 : 3, rank == 3 ? 3 : 4, rank == 3 ? 4 : 0}};
    const double nothing[] = {0};
    mst_stencil_source source = {.field = "u", .samples = nothing, .n_samples = 1};
    const mst_stencil_receiver receiver = {"u", 1, point};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil *solver;
    mst_error error;
    double got, sums[2] = {0, 0};
    d.rank = rank;
    d.grid[0] = 1;
    d.grid[rank - 2] = ROWS;
    d.grid[rank - 1] = COLUMNS;
    memcpy(source.point, point[0], sizeof source.point);
    for (int axis = 0; axis < rank; axis++)
        d.faces[axis][0].kind = d.faces[axis][1].kind = axis < rank - 1 ? MST_BOUNDARY_NEUMANN : MST_BOUNDARY_PERIODIC;
    d.fields = &field;
    d.updates = &updates[rank - 2];
    d.sources = &source;
    d.receivers = &receiver;
    d.n_fields = d.n_updates = d.n_sources = d.n_receivers = 1;
    d.fuse = 2;
    d.shape = shape;
    d.schedule = schedule;
    d.block = schedule == MST_STENCIL_IN_CORE ? 0 : 3;
    check(mst_stencil_create(context, &d, &solver, &error), &error);
    check(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(first), &error), &error);
    check(mst_stencil_run(solver, 3, NULL, NULL, &error), &error);
    check(mst_stencil_read(solver, "u", 0, NULL, mst_at_host(later), &error), &error);
    check(mst_stencil_read_receiver(solver, 0, 3, 1, &got, &error), &error);
    expect("stencil receiver", MST_FLOAT32, got, later[3 * COLUMNS + 4]);
    for (int i = 0; i < NODES; i++) {
        sums[0] += first[i];
        sums[1] += later[i];
    }
    expect("stencil sum", MST_FLOAT32, sums[1] / sums[0], 1);
    mst_stencil_destroy(solver);
}

enum { N_FILTERS = 6 };

// An ideal low pass that keeps frequency 0 only: every result is the mean. Fused in both shapes, one step and several; composed
// (an odd height); as published; with the range of the results.
static void test_filter(mst_context *context, int c) {
    static const struct {
        size_t n, m;
        mst_fft_shape shape;
        mst_filter_algorithm algorithm;
        mst_filter_output output;
    } cases[N_FILTERS] = {{4, 8, MST_FFT_SHAPE_GPU, MST_FILTER_AUTO, MST_FILTER_RAW},
                          {64, 6, MST_FFT_SHAPE_GPU, MST_FILTER_AUTO, MST_FILTER_RAW},
                          {6, 60, MST_FFT_SHAPE_GPU, MST_FILTER_AUTO, MST_FILTER_STRETCH},
                          {12, 20, MST_FFT_SHAPE_CPU, MST_FILTER_AUTO, MST_FILTER_RAW},
                          {5, 6, MST_FFT_SHAPE_GPU, MST_FILTER_AUTO, MST_FILTER_MAGNITUDE},
                          {8, 8, MST_FFT_SHAPE_GPU, MST_FILTER_PAPER, MST_FILTER_RAW}};
    static float in[MAX_VALUES], out[MAX_VALUES];
    mst_error error;
    mst_filter *plan;
    mst_filter_desc desc = MST_FILTER_DESC_INIT;
    const size_t n = cases[c].n * cases[c].m;
    desc.input = mst_layout_dense(MST_FLOAT32, 3, (const size_t[]){cases[c].n, cases[c].m, 1});
    desc.rolloff = MST_FILTER_IDEAL;
    desc.radius = 0.01;
    desc.edges = MST_FILTER_WRAP;
    desc.output_as = cases[c].output;
    desc.algorithm = cases[c].algorithm;
    desc.shape = cases[c].shape;
    double mean = 0;
    for (size_t i = 0; i < n; i++) {
        in[i] = (float)(1 + cos((double)i));
        mean += (double)in[i] / (double)n;
    }
    check(mst_filter_create(context, &desc, &plan, &error), &error);
    check(mst_filter_execute(plan, mst_at_host(in), mst_at_host(out), NULL, &error), &error);
    mst_filter_destroy(plan);
    for (size_t i = 0; i < n; i++)
        expect("filter", MST_FLOAT32, (number)out[i], cases[c].output == MST_FILTER_RAW ? mean : 1);
}

enum { N_METHODS = 6 };

// x^2 + a over [0, a] for a = 1, 2, 3 by every method, and x y over [0, 1]^n.
static void test_integral(mst_context *context, int method, mst_integral_shape shape) {
    static const struct {
        mst_integral_rule rule;
        size_t work_items;
        int n_variables;
    } methods[N_METHODS] = {{MST_INTEGRAL_SIMPSON, 0, 1},   {MST_INTEGRAL_RECTANGLE, 8, 1}, {MST_INTEGRAL_ADAPTIVE, 0, 1},
                            {MST_INTEGRAL_TANH_SINH, 0, 1}, {MST_INTEGRAL_ADAPTIVE, 0, 2},  {MST_INTEGRAL_ADAPTIVE, 0, 8}};
    static const char *const names[] = {"a"}, *const variables[] = {"x", "y", "c", "d", "e", "f", "g", "h"};
    const double sets[] = {1, 2, 3};
    mst_integral_range ranges[8] = {{"x", "0", "a"}};
    mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    mst_integral_result results[3];
    mst_integral *plan;
    mst_error error;
    const int n = methods[method].n_variables;
    for (int k = 0; k < n && n > 1; k++)
        ranges[k] = (mst_integral_range){variables[k], "0", "1"};
    desc.integrand = n == 1 ? "abs(x - 0.7) < 0 ? 0 : x^2 + a" : "abs(x - 0.3)*y*a";
    desc.ranges = ranges;
    desc.n_variables = n;
    desc.n_parameters = 1;
    desc.parameters = names;
    desc.rule = methods[method].rule;
    desc.work_items = methods[method].work_items;
    desc.group_size = desc.work_items / 2;
    desc.points = method < 2 ? 500 : 0;
    desc.shape = shape;
    desc.absolute_tolerance = desc.work_items > 0 ? 0 : n == 1 ? 1e-6 : 3e-3;
    desc.max_evaluations = method < 2 ? 0 : 16 << 10;
    check(mst_integral_create(context, &desc, &plan, &error), &error);
    check(mst_integral_execute(plan, sets, 3, results, NULL, &error), &error);
    mst_integral_destroy(plan);
    for (int i = 0; i < 3; i++) {
        const double a = sets[i], want = n == 1 ? a * a * a / 3 + a * a : 0.29 * a / 2, off = fabs(results[i].value - want);
        if (!(off <= (methods[method].work_items ? 0.1 : 1e-2))) {
            fprintf(stderr, "integral, method %d: %.9g, expected %.9g\n", method, results[i].value, want);
            exit(1);
        }
    }
}

// The cases are numbered: first the stencils, then the filters, the integrals, the FFTs, the convolutions, the maps. False if
// there is no such case.
static bool run_case(mst_context *context, int c) {
    // One step and several, every small radix, padding by Bluestein, lines that share a work-group and that do not.
    static const size_t lengths[] = {2, 4, 9, 16, 22, 26, 35, 37, 58, 60, 64};
    enum {
        N_LENGTHS = sizeof lengths / sizeof lengths[0],
        N_STENCILS = 5,
        N_TURNED = 3,
        N_FFTS = N_LENGTHS * 2 * 3 * 2,
        N_MODES = 4,
        N_TYPES = 4,
        N_ALGORITHMS = 7, // the published ones, and fused in either shape
        N_CONVOLUTIONS = N_ALGORITHMS * N_MODES * N_TYPES,
        N_IMAGES = 2 * N_MODES * 2
    };
    static const mst_type types[] = {MST_FLOAT32, MST_FLOAT64, MST_COMPLEX64, MST_COMPLEX128};
    if (c < N_STENCILS) {
        test_stencil(context, c < 4 ? 2 : 3, c % 2 ? MST_STENCIL_SHAPE_CPU : MST_STENCIL_SHAPE_GPU,
                     c == 2 || c == 3 ? MST_STENCIL_SKEWED : MST_STENCIL_IN_CORE);
        return true;
    }
    c -= N_STENCILS;
    if (c < N_FILTERS) {
        test_filter(context, c);
        return true;
    }
    c -= N_FILTERS;
    if (c < 2 * N_METHODS) {
        test_integral(context, c % N_METHODS, c < N_METHODS ? MST_INTEGRAL_SHAPE_GPU : MST_INTEGRAL_SHAPE_CPU);
        return true;
    }
    c -= 2 * N_METHODS;
    if (c < N_TURNED) {
        test_turned_fft(context, c);
        return true;
    }
    c -= N_TURNED;
    if (c < N_FFTS) {
        const int kind = c / N_LENGTHS % 3;
        test_fft(context, kind == 2 ? MST_COMPLEX128 : MST_COMPLEX64, lengths[c % N_LENGTHS], c / N_LENGTHS / 3 % 2,
                 kind == 1 ? MST_FFT_INVERSE : MST_FFT_FORWARD, c < N_FFTS / 2 ? MST_FFT_SHAPE_GPU : MST_FFT_SHAPE_CPU);
        return true;
    }
    c -= N_FFTS;
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    if (c >= N_CONVOLUTIONS && c < N_CONVOLUTIONS + N_IMAGES) {
        c -= N_CONVOLUTIONS;
        desc.mode = (mst_convolution_mode)(c % N_MODES);
        desc.shape = c / N_MODES % 2 ? MST_FFT_SHAPE_CPU : MST_FFT_SHAPE_GPU;
        desc.correlate = c % 2;
        test_images(context, &desc, c < N_IMAGES / 2 ? MST_FLOAT32 : MST_COMPLEX64);
        return true;
    }
    if (c >= N_CONVOLUTIONS)
        return test_map(context, c - N_CONVOLUTIONS - N_IMAGES);
    const int t = c % N_TYPES, a = c / N_TYPES / N_MODES;
    desc.algorithm = (mst_convolution_algorithm)(MST_CONVOLUTION_PAPER_A + (a < N_ALGORITHMS - 1 ? a : a - 1));
    desc.shape = a < N_ALGORITHMS - 1 ? MST_FFT_SHAPE_GPU : MST_FFT_SHAPE_CPU;
    desc.mode = (mst_convolution_mode)(c / N_TYPES % N_MODES);
    desc.correlate = t == 1 || t == 2;
    const size_t n = 5, m = desc.mode == MST_CONVOLUTION_CIRCULAR ? 5 : 4, n_kernels = t % 2 ? 1 : 2;
    desc.x = mst_layout_dense(types[t], 2, (const size_t[]){2, n});
    desc.y = mst_layout_dense(types[t], 2, (const size_t[]){n_kernels, m});
    test_convolution(context, &desc);
    return true;
}

// race_main CASE: exits 0 when the case passed, 1 when it failed, 77 when there is no such case.
int main(int argc, char **argv) {
    mst_error error;
    mst_context *context;
    mst_context_desc desc = MST_CONTEXT_DESC_INIT;
    desc.no_cache = true; // Oclgrind can abort on a binary that it did not make
    if (argc != 2)
        return 2;
    check(mst_context_create(&desc, &context, &error), &error);
    const bool found = run_case(context, atoi(argv[1]));
    mst_context_destroy(context);
    return found ? 0 : 77;
}
