// The rates of representative work of every kind, each result checked.
#include "rates.h"

#include "solve/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const rates_case rates_cases[RATES_N_CASES] = {
    {RATES_TRANSFORM, "1-D", NULL, 1, {256}, 0, MST_COMPLEX64, false},
    {RATES_TRANSFORM, "1-D", NULL, 1, {4096}, 0, MST_COMPLEX64, true},
    {RATES_TRANSFORM, "1-D", NULL, 1, {65536}, 0, MST_COMPLEX64, false},
    {RATES_TRANSFORM, "1-D, double", NULL, 1, {4096}, 0, MST_COMPLEX128, false},
    {RATES_TRANSFORM, "1-D, real", NULL, 1, {4096}, 0, MST_FLOAT32, false},
    {RATES_TRANSFORM, "planes", NULL, 2, {512, 512}, 0, MST_COMPLEX64, false},
    {RATES_TRANSFORM, "volumes", NULL, 3, {64, 64, 64}, 0, MST_COMPLEX64, false},
    {RATES_CONVOLUTION, "signals", NULL, 1, {4096}, 257, MST_FLOAT32, true},
    {RATES_CONVOLUTION, "signals", NULL, 1, {4096}, 9, MST_FLOAT32, false},
    {RATES_CONVOLUTION, "images", NULL, 2, {512, 512}, 9, MST_FLOAT32, false},
    {RATES_SCHEME, "heat", "heat2d", 2, {0}, 0, MST_FLOAT32, true},
    {RATES_SCHEME, "sound", "wave2d", 2, {0}, 0, MST_FLOAT32, false},
    {RATES_SCHEME, "light", "yee2d", 2, {0}, 0, MST_FLOAT32, false},
    {RATES_SCHEME, "reaction", "gray-scott", 2, {0}, 0, MST_FLOAT32, false},
    {RATES_SCHEME, "heat in a block", "heat3d", 3, {0}, 0, MST_FLOAT32, false},
};

enum { LEAST_MS = 5, CHECKED_STEPS = 8 };

double rates_rate(const rates_bench *bench, int row) {
    const rates_result *r = &bench->results[row];
    return r->device > 0 ? r->bytes / r->device : 0;
}

double rates_share(const rates_bench *bench, int row) {
    return bench->copy_rate > 0 ? rates_rate(bench, row) / bench->copy_rate : 0;
}

// ---- Transforms and convolutions

// A case's arrays, in host memory and, if it is to be so, on the device.
typedef struct arrays {
    const rates_case *c;
    mst_context *context;
    mst_layout x, y, z; // y: of a convolution
    char *host[3];
    cl_mem buffers[3];
    mst_fft *fft;
    mst_convolution *convolution;
} arrays;

static size_t bytes_of(const mst_layout *l) {
    size_t n = l->rank > 0 ? mst_type_bytes(l->type) : 0;
    for (int k = 0; k < l->rank; k++)
        n *= l->shape[k];
    return n;
}

static mst_status describe(arrays *a, size_t bytes, mst_error *error) {
    const rates_case *c = a->c;
    size_t shape[1 + MST_MAX_AXES] = {1}, kernel[1 + MST_MAX_AXES] = {1}, item = mst_type_bytes(c->type);
    for (int k = 0; k < c->n_axes; k++) {
        shape[1 + k] = c->shape[k];
        kernel[1 + k] = c->kernel;
        item *= c->shape[k];
    }
    shape[0] = bytes > item ? bytes / item : 1;
    a->x = mst_layout_dense(c->type, 1 + c->n_axes, shape);
    if (c->kind == RATES_CONVOLUTION) {
        mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
        desc.x = a->x;
        desc.y = a->y = mst_layout_dense(c->type, 1 + c->n_axes, kernel);
        desc.n_axes = c->n_axes;
        for (int k = 0; k < c->n_axes; k++)
            desc.axes[k] = k - c->n_axes;
        desc.mode = MST_CONVOLUTION_SAME;
        mst_status status = mst_convolution_result(&desc, &a->z, error);
        return status == MST_OK ? mst_convolution_create(a->context, &desc, &a->convolution, error) : status;
    }
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    desc.input = a->x;
    desc.n_axes = c->n_axes;
    for (int k = 0; k < c->n_axes; k++)
        desc.axes[k] = k - c->n_axes;
    bool real = c->type == MST_FLOAT32;
    if (real)
        shape[c->n_axes] = shape[c->n_axes] / 2 + 1;
    desc.output = a->z = mst_layout_dense(real ? MST_COMPLEX64 : c->type, 1 + c->n_axes, shape);
    return mst_fft_create(a->context, &desc, &a->fft, error);
}

// The element at 1 along every axis of every item of x, or of the middle of y, is 1, and all others are 0. So a transform is
// exp(-2 pi i (sum of k / n)), and a convolution leaves x as it is.
static void put_ones(char *data, const mst_layout *l, bool middle) {
    size_t items = bytes_of(l) / mst_type_bytes(l->type), place = 0;
    for (int k = 1; k < l->rank; k++) {
        place = place * l->shape[k] + (middle ? l->shape[k] / 2 : 1);
        items = k == 1 ? l->shape[0] : items;
    }
    size_t step = bytes_of(l) / items, at = place * mst_type_bytes(l->type);
    memset(data, 0, bytes_of(l));
    for (size_t i = 0; i < items; i++)
        if (l->type == MST_COMPLEX128)
            memcpy(data + i * step + at, &(double){1}, sizeof(double));
        else
            memcpy(data + i * step + at, &(float){1}, sizeof(float));
}

static bool as_expected(const arrays *a) {
    if (a->c->kind == RATES_CONVOLUTION) {
        const float *x = (const float *)a->host[0], *z = (const float *)a->host[2];
        double worst = 0;
        for (size_t i = 0; i < bytes_of(&a->x) / sizeof(float); i++)
            worst = fmax(worst, fabs((double)x[i] - (double)z[i]));
        return worst < 1e-5;
    }
    const double turn = 8 * atan(1);
    const bool wide = a->z.type == MST_COMPLEX128;
    double worst = 0;
    for (size_t i = 0; i < bytes_of(&a->z) / mst_type_bytes(a->z.type); i++) {
        double angle = 0, re, im;
        size_t rest = i;
        for (int k = a->z.rank - 1; k > 0; k--) {
            angle -= turn * (double)(rest % a->z.shape[k]) / (double)a->x.shape[k];
            rest /= a->z.shape[k];
        }
        re = wide ? ((const double *)a->host[2])[2 * i] : (double)((const float *)a->host[2])[2 * i];
        im = wide ? ((const double *)a->host[2])[2 * i + 1] : (double)((const float *)a->host[2])[2 * i + 1];
        worst = fmax(worst, hypot(re - cos(angle), im - sin(angle)));
    }
    return worst < (wide ? 1e-12 : 1e-5);
}

static mst_location at(const arrays *a, int which) {
    return a->buffers[2] ? mst_at_device(a->buffers[which], 0) : mst_at_host(a->host[which]);
}

// So many executions; on the device without waiting between them.
static mst_status execute(const arrays *a, int times, double *seconds, mst_error *error) {
    double start = cli_now();
    mst_status status = MST_OK;
    for (int k = 0; k < times && status == MST_OK; k++) {
        cl_event done = NULL;
        mst_execution how = MST_EXECUTION_INIT;
        if (a->buffers[2])
            how.event = &done;
        status = a->fft ? mst_fft_execute(a->fft, at(a, 0), at(a, 2), &how, error)
                        : mst_convolution_execute(a->convolution, at(a, 0), at(a, 1), at(a, 2), &how, error);
        if (status == MST_OK && done && k + 1 == times && clWaitForEvents(1, &done) != CL_SUCCESS) {
            snprintf(error->message, sizeof error->message, "waiting for an execution failed");
            status = MST_ERROR_OPENCL;
        }
        if (done)
            clReleaseEvent(done);
    }
    *seconds = (cli_now() - start) / times;
    return status;
}

static mst_status time_arrays(const arrays *a, int rounds, double *median, mst_error *error) {
    double samples[BENCH_MOST_ROUNDS], once;
    mst_status status = execute(a, 1, &once, error); // some kernels are made by the first
    if (status == MST_OK)
        status = execute(a, 1, &once, error);
    int times = 1 + (int)(LEAST_MS * 1e-3 / (once + 1e-7));
    for (int k = 0; k < rounds && status == MST_OK; k++)
        status = execute(a, times, &samples[k], error);
    *median = status == MST_OK ? cli_median(samples, rounds) : 0;
    return status;
}

static void close_arrays(arrays *a) {
    mst_fft_destroy(a->fft);
    mst_convolution_destroy(a->convolution);
    for (int k = 0; k < 3; k++) {
        free(a->host[k]);
        if (a->buffers[k])
            clReleaseMemObject(a->buffers[k]);
    }
}

// The arrays, filled; in buffers as well if `on_device`.
static mst_status make_arrays(arrays *a, bool on_device, mst_error *error) {
    const mst_layout *layouts[] = {&a->x, &a->y, &a->z};
    cl_int code = CL_SUCCESS;
    for (int k = 0; k < 3 && code == CL_SUCCESS; k++) {
        size_t bytes = bytes_of(layouts[k]);
        if (bytes == 0)
            continue;
        if (!(a->host[k] = malloc(bytes))) {
            snprintf(error->message, sizeof error->message, "no memory for an array of %zu bytes", bytes);
            return MST_ERROR_HOST_MEMORY;
        }
        if (k < 2)
            put_ones(a->host[k], layouts[k], k == 1);
        if (on_device)
            a->buffers[k] = clCreateBuffer(mst_context_opencl(a->context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, bytes,
                                           a->host[k], &code);
    }
    if (code == CL_SUCCESS)
        return MST_OK;
    snprintf(error->message, sizeof error->message, "making buffers: OpenCL error %d", (int)code);
    return MST_ERROR_OPENCL;
}

static mst_status measure_arrays(rates_bench *bench, const rates_case *c, mst_context *context, bool on_device, rates_result *r,
                                 double *seconds, mst_error *error) {
    arrays a = {.c = c, .context = context};
    mst_status status = describe(&a, bench->arrays.bytes, error);
    if (status == MST_OK)
        status = make_arrays(&a, on_device, error);
    r->bytes = (double)(bytes_of(&a.x) + bytes_of(&a.y) + bytes_of(&a.z));
    if (status == MST_OK)
        status = time_arrays(&a, bench->arrays.rounds, seconds, error);
    if (status == MST_OK && on_device &&
        clEnqueueReadBuffer(mst_context_queue(context), a.buffers[2], CL_TRUE, 0, bytes_of(&a.z), a.host[2], 0, NULL, NULL)) {
        snprintf(error->message, sizeof error->message, "the result cannot be read from the device");
        status = MST_ERROR_OPENCL;
    }
    if (status == MST_OK && !as_expected(&a)) {
        snprintf(error->message, sizeof error->message, "the result is wrong");
        r->wrong = true;
        status = MST_ERROR_FORMAT;
    }
    close_arrays(&a);
    return status;
}

// ---- Schemes

// Bytes that a step has to move at least: every field and level that it reads or writes, once.
static double least_bytes(const mst_stencil_desc *d, double nodes) {
    double values = 0;
    for (size_t k = 0; k < d->n_fields; k++)
        values += d->fields[k].coefficient ? 1 : d->fields[k].levels > 1 ? 3 : 2;
    return values * nodes * (double)mst_type_bytes(d->precision);
}

static mst_status time_solver(mst_stencil *solver, int rounds, double *median, mst_error *error) {
    double samples[BENCH_MOST_ROUNDS];
    mst_stencil_report report = MST_STENCIL_REPORT_INIT;
    mst_status status = mst_stencil_run(solver, CHECKED_STEPS, NULL, &report, error);
    uint64_t steps = CHECKED_STEPS * (1 + (uint64_t)(4 * LEAST_MS * 1e-3 / (report.seconds + 1e-6)));
    for (int k = 0; k < rounds && status == MST_OK; k++) {
        status = mst_stencil_run(solver, steps, NULL, &report, error);
        samples[k] = report.seconds / (double)steps;
    }
    *median = status == MST_OK ? cli_median(samples, rounds) : 0;
    return status;
}

// `state`: the first field after a few steps, which is kept where it is not there yet, and else has to be the same in every bit.
static mst_status measure_scheme(rates_bench *bench, const problem *p, mst_context *context, float **state, rates_result *r,
                                 double *seconds, mst_error *error) {
    mst_stencil *solver = NULL;
    mst_stencil_desc desc = p->desc;
    r->nodes = 1;
    for (int k = 0; k < desc.rank; k++)
        r->nodes *= (double)desc.grid[k];
    r->bytes = least_bytes(&desc, r->nodes);
    size_t bytes = (size_t)r->nodes * sizeof(float);
    float *now = malloc(bytes);
    if (!now) {
        snprintf(error->message, sizeof error->message, "no memory for a grid of %zu bytes", bytes);
        return MST_ERROR_HOST_MEMORY;
    }
    mst_status status = mst_stencil_create(context, &desc, &solver, error);
    if (status == MST_OK)
        status = mst_stencil_run(solver, CHECKED_STEPS, NULL, NULL, error);
    if (status == MST_OK)
        status = mst_stencil_read(solver, desc.fields[0].name, 0, NULL, mst_at_host(now), error);
    if (status == MST_OK && *state && memcmp(*state, now, bytes) != 0) {
        snprintf(error->message, sizeof error->message, "the state differs from that of the whole grid on one device");
        r->wrong = true;
        status = MST_ERROR_FORMAT;
    }
    if (status == MST_OK)
        status = time_solver(solver, bench->arrays.rounds, seconds, error);
    mst_stencil_destroy(solver);
    if (*state || status != MST_OK)
        free(now);
    else
        *state = now;
    return status;
}

// ---- Cases

// What a case needs of the device; a quarter of it is its small budget.
static uint64_t need(const rates_bench *bench, const rates_case *c, const rates_result *r) {
    return c->kind == RATES_SCHEME ? (uint64_t)(2 * r->nodes * sizeof(float)) : 2 * (uint64_t)bench->arrays.bytes;
}

// Where a case is measured: the context of all, one with a quarter of the memory, one of all devices.
enum { HERE, QUARTER, ALL, N_PLACES };

static int open_place(rates_bench *bench, int place, uint64_t bytes, mst_context **context) {
    cli_options options = *bench->run.options;
    if (place == QUARTER)
        options.device_memory = bytes / 4;
    if (place == ALL)
        options.device = "all";
    return cli_context(bench->run.command, &options, false, context);
}

static mst_status measure_at(rates_bench *bench, const rates_case *c, const problem *p, mst_context *context, int place,
                             float **state, rates_result *r, mst_error *error) {
    double *seconds = place == QUARTER ? &r->quarter : place == ALL ? &r->all : &r->device;
    if (c->kind == RATES_SCHEME)
        return measure_scheme(bench, p, context, state, r, seconds, error);
    mst_status status = measure_arrays(bench, c, context, place == HERE, r, seconds, error);
    if (status == MST_OK && place == HERE && c->larger)
        status = measure_arrays(bench, c, context, false, r, &r->whole, error);
    return status;
}

static int measure_case(rates_bench *bench, int row) {
    const rates_case *c = &rates_cases[row];
    rates_result *r = &bench->results[row];
    problem_overrides overrides = {.rank = c->n_axes, .steps = -1, .precision = MST_FLOAT32};
    problem p = {0};
    float *state = NULL;
    mst_error error = {0};
    double side = pow((double)bench->arrays.bytes / sizeof(float), 1.0 / c->n_axes);
    for (int k = 0; k < c->n_axes; k++)
        overrides.grid[k] = (size_t)(side + 0.5);
    int code = c->kind == RATES_SCHEME ? problem_open(bench->run.command, c->problem, &overrides, &p) : CLI_DONE;
    for (int place = HERE; place < (c->larger ? N_PLACES : 1) && code == CLI_DONE && !r->failed[0]; place++) {
        mst_context *context = bench->run.contexts[BENCH_PLAIN];
        if (place == ALL && bench->n_devices < 2)
            continue;
        if (place != HERE)
            code = open_place(bench, place, need(bench, c, r), &context);
        if (code == CLI_DONE && measure_at(bench, c, &p, context, place, &state, r, &error) != MST_OK)
            snprintf(r->failed, sizeof r->failed, "%.290s", error.message);
        if (place != HERE)
            mst_context_destroy(context);
    }
    if (c->kind == RATES_SCHEME)
        r->whole = r->device;
    free(state);
    if (c->kind == RATES_SCHEME)
        problem_free(&p);
    return code == CLI_DONE && cli_interrupted() ? cli_fail_interrupted(bench->run.command) : code;
}

int rates_measure(void *results) {
    rates_bench *bench = results;
    mst_device_info **devices = NULL;
    mst_error error;
    if (mst_context_copy_rate(bench->run.contexts[BENCH_PLAIN], &bench->copy_rate, &error) != MST_OK ||
        mst_devices_list(&devices, &bench->n_devices, &error) != MST_OK)
        return cli_fail(bench->run.command, NULL, &error);
    mst_devices_free(devices);
    int code = CLI_DONE;
    for (int row = 0; row < RATES_N_CASES && code == CLI_DONE; row++) {
        bench->run.cut_short = row > 0 && cli_now() > bench->run.until;
        if (bench->run.cut_short)
            break;
        code = measure_case(bench, row);
        if (code == CLI_DONE && bench->run.print)
            rates_print(bench, row);
    }
    return code;
}
