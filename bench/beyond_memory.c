// beyond-memory: transforms and convolutions of arrays larger than the device memory allowed, beside what they cannot go below:
// the bytes that a plan moves, over the rate of the link, both ways at once.
//
// For arrays in pinned memory the link's rate is that of plain OpenCL copies of the same two arrays in pieces, and for ordinary
// ones that of the library's own stream: a batch of short transforms over the same two arrays, which go through once. Input is
// one block repeated, so that results are known: spectra are zero but for every q-th row, which holds that of the block times q,
// and convolutions begin as that of the block alone.
#include "core/cli.h"
#include "json.h"
#include "say.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST_ROUNDS = 9, SHORT = 4096 };
#define PIECE ((size_t)32 << 20)
#define BLOCK ((size_t)1 << 21) // bytes that are repeated

typedef struct settings {
    char *json, *only;
    long long points, side, signal;
    int taps, rounds;
} settings;

// An array that is transformed along all its axes, or convolved along its last.
typedef struct work {
    const char *name;
    mst_type type;
    int n_axes;
    size_t shape[2];
    bool convolves, pinned;
} work;

typedef struct bench {
    const settings *settings;
    mst_context *context;
    const work *work;
    size_t bytes[2]; // of input and output
    void *arrays[2];
    float *taps;
    mst_fft *fft;
    mst_convolution *convolution;
    mst_report report; // of the last execution
    double error;
    json_t *rows;
} bench;

// ---- Arrays

static bool make_arrays(bench *b) {
    mst_error e;
    size_t n = b->work->n_axes == 2 ? b->work->shape[0] * b->work->shape[1] : b->work->shape[0];
    b->bytes[0] = n * mst_type_bytes(b->work->type);
    b->bytes[1] = b->work->convolves ? b->bytes[0] + (size_t)(b->settings->taps - 1) * sizeof(float) : b->bytes[0];
    for (int k = 0; k < 2; k++) {
        if (b->work->pinned && mst_pinned_create(b->context, b->bytes[k], &b->arrays[k], &e) != MST_OK)
            return bench_say(b->work->name, &e);
        if (!b->work->pinned && !(b->arrays[k] = aligned_alloc(1 << 21, (b->bytes[k] + (1 << 21) - 1) >> 21 << 21)))
            return bench_say(b->work->name, &(mst_error){.message = "out of memory"});
        memset(b->arrays[k], 0xff, b->bytes[k]);
    }
    float *x = b->arrays[0];
    for (size_t i = 0; i < BLOCK / sizeof *x; i++)
        x[i] = (float)(i * 2654435761u % 4294967291u) / 4294967296.0f - 0.5f;
    for (size_t at = BLOCK; at < b->bytes[0]; at += BLOCK)
        memcpy((char *)x + at, x, b->bytes[0] - at < BLOCK ? b->bytes[0] - at : BLOCK);
    return true;
}

static void release(bench *b) {
    mst_fft_destroy(b->fft);
    mst_convolution_destroy(b->convolution);
    b->fft = NULL, b->convolution = NULL;
    for (int k = 0; k < 2; k++) {
        if (b->work->pinned)
            mst_pinned_destroy(b->context, b->arrays[k]);
        else
            free(b->arrays[k]);
        b->arrays[k] = NULL;
    }
    b->work = NULL;
}

// ---- Rates

// Seconds that plain copies of the input up and the output down take, both at once.
static bool copy_both_ways(bench *b, double *seconds) {
    cl_context opencl = mst_context_opencl(b->context);
    cl_device_id device = mst_context_device(b->context)->device;
    cl_command_queue queues[2] = {NULL, NULL};
    cl_mem pieces[2] = {NULL, NULL};
    cl_int code = CL_SUCCESS;
    for (int k = 0; k < 2 && code == CL_SUCCESS; k++) {
        queues[k] = clCreateCommandQueue(opencl, device, 0, &code);
        if (code == CL_SUCCESS)
            pieces[k] = clCreateBuffer(opencl, CL_MEM_READ_WRITE, PIECE, NULL, &code);
    }
    double start = cli_now();
    for (size_t at = 0; at < b->bytes[0] && code == CL_SUCCESS; at += PIECE) {
        size_t n = b->bytes[0] - at < PIECE ? b->bytes[0] - at : PIECE;
        code = clEnqueueWriteBuffer(queues[0], pieces[0], CL_FALSE, 0, n, (char *)b->arrays[0] + at, 0, NULL, NULL);
        if (code == CL_SUCCESS)
            code = clEnqueueReadBuffer(queues[1], pieces[1], CL_FALSE, 0, n, (char *)b->arrays[1] + at, 0, NULL, NULL);
        clFlush(queues[0]);
        clFlush(queues[1]);
    }
    for (int k = 0; k < 2; k++) {
        if (queues[k] && clFinish(queues[k]) != CL_SUCCESS)
            code = CL_OUT_OF_RESOURCES;
        *seconds = cli_now() - start;
        if (queues[k])
            clReleaseCommandQueue(queues[k]);
        if (pieces[k])
            clReleaseMemObject(pieces[k]);
    }
    if (code != CL_SUCCESS)
        fprintf(stderr, "beyond-memory: copying: OpenCL error %d\n", (int)code);
    return code == CL_SUCCESS;
}

static bool describe_transform(bench *b, int rank, const size_t *shape, int n_axes, mst_fft **out) {
    mst_error e;
    mst_fft_desc d = MST_FFT_DESC_INIT;
    d.input = mst_layout_dense(MST_COMPLEX64, rank, shape);
    d.n_axes = n_axes;
    for (int a = 0; a < n_axes; a++)
        d.axes[a] = rank - n_axes + a;
    return mst_fft_create(b->context, &d, out, &e) == MST_OK || bench_say(b->work->name, &e);
}

// Seconds of trips through the device, of all rounds, after one to warm up: those of the stream, for ordinary memory. It is gone
// before the work is planned, which has the budgets to itself.
static bool time_trips(bench *b, double *seconds) {
    mst_error e;
    mst_fft *stream = NULL;
    const size_t vectors[] = {b->bytes[0] / sizeof(float[2]) / SHORT, SHORT};
    bool done = b->work->pinned || describe_transform(b, 2, vectors, 1, &stream);
    for (int k = -1; k < b->settings->rounds && done; k++) {
        double *to = &seconds[k < 0 ? 0 : k], start = cli_now();
        if (b->work->pinned) {
            done = copy_both_ways(b, to);
            continue;
        }
        done = mst_fft_execute(stream, mst_at_host(b->arrays[0]), mst_at_host(b->arrays[1]), NULL, &e) == MST_OK ||
               bench_say("one trip", &e);
        *to = cli_now() - start;
    }
    mst_fft_destroy(stream);
    return done;
}

// ---- The work

static bool make_plan(bench *b) {
    mst_error e;
    const work *w = b->work;
    if (!w->convolves)
        return describe_transform(b, w->n_axes, w->shape, w->n_axes, &b->fft);
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    size_t taps = (size_t)b->settings->taps;
    d.x = mst_layout_dense(w->type, 1, w->shape);
    d.y = mst_layout_dense(w->type, 1, &taps);
    return mst_convolution_create(b->context, &d, &b->convolution, &e) == MST_OK || bench_say(w->name, &e);
}

static bool execute(bench *b, double *seconds) {
    mst_error e;
    const mst_location x = mst_at_host(b->arrays[0]), z = mst_at_host(b->arrays[1]);
    mst_execution how = MST_EXECUTION_INIT;
    b->report = (mst_report)MST_REPORT_INIT;
    how.report = &b->report;
    double start = cli_now();
    mst_status status = b->work->convolves ? mst_convolution_execute(b->convolution, x, mst_at_host(b->taps), z, &how, &e)
                                           : mst_fft_execute(b->fft, x, z, &how, &e);
    *seconds = cli_now() - start;
    return status == MST_OK || bench_say(b->work->name, &e);
}

// How often the input crosses the link.
static bool trips_of(bench *b, double *trips) {
    mst_error e;
    mst_fft_needs needs = MST_FFT_NEEDS_INIT;
    *trips = 1;
    if (b->work->convolves)
        return true;
    if (mst_fft_plan_needs(b->fft, &needs, &e) != MST_OK)
        return bench_say(b->work->name, &e);
    *trips = (double)needs.passes;
    return true;
}

// The largest difference to what the block alone gives, over the largest value.
static bool check(bench *b) {
    mst_error e;
    const work *w = b->work;
    size_t element = mst_type_bytes(w->type), rest = w->n_axes == 2 ? w->shape[1] : 1, rows = BLOCK / element / rest;
    size_t q = w->convolves ? 1 : w->shape[0] / rows, n = rows * rest * element / sizeof(float);
    size_t few[] = {rows, rest}, taps = (size_t)b->settings->taps;
    float *expected = malloc(n * sizeof *expected + taps * sizeof(float)), *got = b->arrays[1];
    mst_fft *fft = NULL;
    mst_convolution *convolution = NULL;
    mst_status status = MST_ERROR_HOST_MEMORY;
    const mst_location x = mst_at_host(b->arrays[0]), z = mst_at_host(expected);
    if (expected && w->convolves) {
        mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
        d.x = mst_layout_dense(w->type, 1, few);
        d.y = mst_layout_dense(w->type, 1, &taps);
        status = mst_convolution_create(b->context, &d, &convolution, &e);
        if (status == MST_OK)
            status = mst_convolution_execute(convolution, x, mst_at_host(b->taps), z, NULL, &e);
    } else if (expected && describe_transform(b, w->n_axes, few, w->n_axes, &fft)) {
        status = mst_fft_execute(fft, x, z, NULL, &e);
    }
    double most = 0, largest = 0;
    size_t row = n / rows; // floats
    for (size_t r = 0; r < rows * q && status == MST_OK; r++)
        for (size_t i = 0; i < row; i++) {
            double wanted = r % q == 0 ? (double)q * expected[r / q * row + i] : 0, off = fabs(got[r * row + i] - wanted);
            most = off > most || isnan(off) ? off : most;
            largest = fabs(wanted) > largest ? fabs(wanted) : largest;
        }
    b->error = most / largest;
    mst_fft_destroy(fft);
    mst_convolution_destroy(convolution);
    free(expected);
    return status == MST_OK;
}

// ---- Reports

static void report(bench *b, double trips, double trip, double seconds, double least) {
    double gb = 1e-9 * (double)b->bytes[0];
    printf("%-18s %8.2f %6.0f %10.4f %10.4f %8.2f %8.3f %8.3f %8.3f %8.3f %9.1e\n", b->work->name, gb, trips, trips * trip,
           seconds, trips * gb / seconds, trips * trip / seconds, b->report.upload_seconds, b->report.compute_seconds,
           b->report.download_seconds, b->error);
    fflush(stdout);
    json_array_append_new(
        b->rows, json_pack("{s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "what", b->work->name, "input_bytes",
                           (double)b->bytes[0], "trips", trips, "trip_seconds", trip, "seconds", seconds, "least_seconds", least,
                           "of_floor", trips * trip / seconds, "upload_seconds", b->report.upload_seconds, "compute_seconds",
                           b->report.compute_seconds, "download_seconds", b->report.download_seconds, "error", b->error));
}

static bool measure(bench *b) {
    double trip[MOST_ROUNDS], seconds[MOST_ROUNDS], trips = 0;
    int rounds = b->settings->rounds;
    bool done = time_trips(b, trip) && make_plan(b) && trips_of(b, &trips);
    for (int k = -1; k < rounds && done; k++) { // one to warm up
        memset(b->arrays[1], 0xff, BLOCK);      // results of before must not pass
        done = execute(b, &seconds[k < 0 ? 0 : k]);
    }
    if (!done || !check(b))
        return false;
    const double trip_median = cli_median(trip, rounds), median = cli_median(seconds, rounds);
    report(b, trips, trip_median, median, seconds[0]);
    return true;
}

static bool wanted(const char *only, const char *name) {
    for (size_t n; only && *only; only += n + (only[n] == ',')) {
        n = strcspn(only, ",");
        if (strncmp(only, name, n) == 0)
            return true;
    }
    return !only;
}

static bool run_all(bench *b) {
    const size_t sizes[] = {(size_t)b->settings->points, (size_t)b->settings->side, (size_t)b->settings->signal};
    const work all[] = {{"fft pinned", MST_COMPLEX64, 1, {sizes[0]}, false, true},
                        {"fft ordinary", MST_COMPLEX64, 1, {sizes[0]}, false, false},
                        {"fft2 pinned", MST_COMPLEX64, 2, {sizes[1], sizes[1]}, false, true},
                        {"fft2 ordinary", MST_COMPLEX64, 2, {sizes[1], sizes[1]}, false, false},
                        {"convolve pinned", MST_FLOAT32, 1, {sizes[2]}, true, true},
                        {"convolve ordinary", MST_FLOAT32, 1, {sizes[2]}, true, false}};
    bool done = true;
    printf("%-18s %8s %6s %10s %10s %8s %8s %8s %8s %8s %9s\n", "what", "GB", "trips", "floor, s", "s", "GB/s", "of floor",
           "up, s", "compute", "down", "error");
    for (size_t k = 0; k < CLI_COUNT(all) && done; k++)
        if (wanted(b->settings->only, all[k].name)) {
            b->work = &all[k];
            done = make_arrays(b) && measure(b);
            release(b);
        }
    return done;
}

// Arrays have to hold whole blocks.
static int check_settings(const settings *s) {
    const long long sizes[] = {s->points, s->side, s->signal}, least[] = {BLOCK / 8, 1024, BLOCK / 4};
    static const char *const names[] = {"points", "side", "signal"};
    for (int k = 0; k < 3; k++)
        if (sizes[k] < least[k] || sizes[k] & (sizes[k] - 1) || (k == 1 && sizes[k] > (long long)(BLOCK / 8))) {
            cli_error(NULL, "--%s %lld: a power of two from %lld on is taken", names[k], sizes[k], least[k]);
            return CLI_USAGE;
        }
    if (s->rounds >= 1 && s->rounds <= MOST_ROUNDS && s->taps >= 1)
        return CLI_DONE;
    cli_error(NULL, "--rounds %d, --taps %d: 1 to %d, and 1 or more", s->rounds, s->taps, MOST_ROUNDS);
    return CLI_USAGE;
}

static int run_command(const cli_arguments *arguments, void *values) {
    settings *s = values;
    bench b = {.settings = s, .rows = json_array()};
    int code = check_settings(s);
    if (code == CLI_DONE)
        code = cli_context(NULL, &arguments->common, true, &b.context);
    if (code == CLI_DONE && !(b.taps = malloc((size_t)s->taps * sizeof *b.taps)))
        code = CLI_FAILED;
    for (int i = 0; code == CLI_DONE && i < s->taps; i++)
        b.taps[i] = (float)((unsigned)i * 2246822519u % 1021) / 1021 - 0.5f;
    if (code == CLI_DONE && !(run_all(&b) && (!s->json || bench_write_json(b.context, "beyond-memory",
                                                                           json_pack("{s:i, s:i, s:O}", "rounds", s->rounds,
                                                                                     "taps", s->taps, "rows", b.rows),
                                                                           s->json))))
        code = CLI_FAILED;
    free(b.taps);
    json_decref(b.rows);
    mst_context_destroy(b.context);
    return code;
}

static const cli_option options[] = {
    {"points", 0, CLI_LONG, offsetof(settings, points), "of the long transform (default: 67108864)", "N"},
    {"side", 0, CLI_LONG, offsetof(settings, side), "of the square one (default: 8192)", "N"},
    {"signal", 0, CLI_LONG, offsetof(settings, signal), "numbers of the long signal (default: 67108864)", "N"},
    {"taps", 0, CLI_INT, offsetof(settings, taps), "numbers of its kernel (default: 4096)", "N"},
    {"only", 0, CLI_TEXT, offsetof(settings, only), "rows whose names begin so, with commas", "NAMES"},
    {"rounds", 'r', CLI_INT, offsetof(settings, rounds), "measured rounds, 1 to 9 (default: 3)", "N"},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the results there too", "FILE"},
};
static const settings defaults = {.points = 1 << 26, .side = 1 << 13, .signal = 1 << 26, .taps = 4096, .rounds = 3};
static const cli_command command = {
    .title = "Transforms and convolutions of arrays larger than the device memory allowed, beside the link's rate.",
    .synopsis = "[options]",
    .details =
        "Give --device-memory less than an array takes. A trip is the whole input up and the output down, both ways\nat once.\n",
    .leave_out = ~(unsigned)(CLI_DEVICE | CLI_MEMORY),
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run_command,
};

int main(int argc, const char **argv) {
    cli_set_program("beyond-memory");
    return cli_run_command(&command, argc, argv);
}
