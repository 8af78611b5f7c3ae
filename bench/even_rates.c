// even-rates: cosine transforms of types I to IV beside the library's own transform of real numbers of the same shape and, with
// two threads, FFTW's r2r. By turns, float32, arrays on the device; the least times of all rounds and their medians, and the
// largest difference to FFTW. Rates are those of the least times: beside other work these are what a machine can do.
#include "core/cli.h"
#include "json.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>

enum { MOST_ROUNDS = 99, TYPES = 4, WAYS = 1 + 2 * TYPES, PLANNING_SECONDS = 2 }; // R2C, the library's types, FFTW's

typedef struct even_case {
    int n_axes; // the last ones
    size_t shape[3];
} even_case;

static const even_case cases[] = {
    {1, {1, 8192, 256}},  {1, {1, 2048, 1024}}, {1, {1, 512, 4096}},  {1, {1, 64, 32768}},  {1, {1, 2, 1 << 20}},
    {1, {1, 2000, 1000}}, {1, {1, 2001, 1001}}, {2, {1, 1024, 1024}}, {3, {128, 128, 128}},
};
enum { CASES = sizeof cases / sizeof cases[0] };

typedef struct settings {
    char *json;
    int rounds, repeats;
} settings;

typedef struct rates {
    mst_context *context;
    const settings *settings;
    const even_case *now;
    size_t elements;
    mst_fft *plans[1 + TYPES];
    fftwf_plan peers[TYPES];
    float *input, *output; // FFTW's
    cl_mem x, y;           // y has room for the complex numbers of R2C
    double seconds[WAYS][MOST_ROUNDS], off[TYPES];
} rates;

static bool said(const char *what) {
    cli_error(NULL, "%s", what);
    return false;
}

static bool make_plans(rates *r) {
    static const fftwf_r2r_kind kinds[] = {FFTW_REDFT00, FFTW_REDFT10, FFTW_REDFT01, FFTW_REDFT11};
    mst_error error;
    const int n_axes = r->now->n_axes;
    int lengths[3], howmany = 1;
    for (int k = 0; k < n_axes; k++)
        lengths[k] = (int)r->now->shape[3 - n_axes + k];
    for (int k = 0; k < 3 - n_axes; k++)
        howmany *= (int)r->now->shape[k];
    for (int t = 0; t <= TYPES; t++) {
        mst_fft_desc d = MST_FFT_DESC_INIT;
        d.input = mst_layout_dense(MST_FLOAT32, 3, r->now->shape);
        d.n_axes = n_axes;
        for (int k = 0; k < n_axes; k++)
            d.axes[k] = 3 - n_axes + k;
        if (t > 0) {
            d.output = d.input;
            d.kind = (mst_fft_kind)(MST_FFT_DCT1 + t - 1);
        }
        if (mst_fft_create(r->context, &d, &r->plans[t], &error) != MST_OK)
            return said(error.message);
    }
    for (int t = 0; t < TYPES; t++) {
        const fftwf_r2r_kind each[] = {kinds[t], kinds[t], kinds[t]};
        const int dist = (int)r->elements / howmany;
        r->peers[t] = fftwf_plan_many_r2r(n_axes, lengths, howmany, r->input, NULL, 1, dist, r->output, NULL, 1, dist, each,
                                          FFTW_MEASURE | FFTW_PRESERVE_INPUT);
        if (!r->peers[t])
            return said("FFTW makes no plan");
    }
    return true;
}

static bool make_arrays(rates *r) {
    cl_int code;
    cl_context opencl = mst_context_opencl(r->context);
    const size_t bytes = r->elements * sizeof(float);
    r->input = fftwf_alloc_real(r->elements);
    r->output = fftwf_alloc_real(r->elements);
    r->x = clCreateBuffer(opencl, CL_MEM_READ_WRITE, bytes, NULL, &code);
    r->y = code == CL_SUCCESS ? clCreateBuffer(opencl, CL_MEM_READ_WRITE, 2 * bytes, NULL, &code) : NULL;
    return (code == CL_SUCCESS && r->input && r->output) || said("no memory for the arrays");
}

static bool fill(rates *r, cl_command_queue queue) {
    for (size_t i = 0; i < r->elements; i++) // not before FFTW has planned, which overwrites it
        r->input[i] = (float)(i * 2654435761u % 65536) / 65536 - 0.5f;
    return clEnqueueWriteBuffer(queue, r->x, CL_TRUE, 0, r->elements * sizeof(float), r->input, 0, NULL, NULL) == CL_SUCCESS;
}

static bool run(rates *r, int way, double *seconds) {
    mst_error error;
    const double start = cli_now();
    for (int k = 0; k < r->settings->repeats; k++) {
        if (way > TYPES)
            fftwf_execute(r->peers[way - TYPES - 1]);
        else if (mst_fft_execute(r->plans[way], mst_at_device(r->x, 0), mst_at_device(r->y, 0), NULL, &error) != MST_OK)
            return said(error.message);
    }
    *seconds = (cli_now() - start) / r->settings->repeats;
    return true;
}

// What a type differs by from FFTW's, beside its largest result.
static bool compare(rates *r, cl_command_queue queue, int type) {
    double seconds, most = 0, size = 0;
    float *own = malloc(r->elements * sizeof *own);
    const bool done = own && run(r, 1 + type, &seconds) && run(r, 1 + TYPES + type, &seconds) &&
                      clEnqueueReadBuffer(queue, r->y, CL_TRUE, 0, r->elements * sizeof *own, own, 0, NULL, NULL) == CL_SUCCESS;
    for (size_t i = 0; i < r->elements && done; i++) {
        most = fmax(most, fabs((double)own[i] - (double)r->output[i]));
        size = fmax(size, fabs((double)r->output[i]));
    }
    free(own);
    r->off[type] = most / size;
    return done && (r->off[type] < 1e-4 || said("other results than FFTW's"));
}

static int by_value(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void release(rates *r) {
    for (int t = 0; t <= TYPES; t++)
        mst_fft_destroy(r->plans[t]);
    for (int t = 0; t < TYPES; t++)
        if (r->peers[t])
            fftwf_destroy_plan(r->peers[t]);
    if (r->x)
        clReleaseMemObject(r->x);
    if (r->y)
        clReleaseMemObject(r->y);
    fftwf_free(r->input);
    fftwf_free(r->output);
}

static void report(const rates *r, json_t *rows) {
    const int middle = r->settings->rounds / 2;
    const double real = r->seconds[0][0];
    json_t *row =
        json_pack("{s:[i, i, i], s:i, s:f, s:f}", "shape", (int)r->now->shape[0], (int)r->now->shape[1], (int)r->now->shape[2],
                  "axes", r->now->n_axes, "r2c_ms", 1e3 * real, "r2c_median_ms", 1e3 * r->seconds[0][middle]);
    printf("%4zu x %5zu x %7zu, %d: R2C %8.3f ms; of its rate, and of FFTW's:", r->now->shape[0], r->now->shape[1],
           r->now->shape[2], r->now->n_axes, 1e3 * real);
    for (int t = 0; t < TYPES; t++) {
        static const char *const names[] = {"dct1", "dct2", "dct3", "dct4"};
        const double *all = r->seconds[1 + t], own = all[0], peer = r->seconds[1 + TYPES + t][0];
        printf("  %s %.2f %.2f", names[t], real / own, peer / own);
        json_object_set_new(row, names[t],
                            json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "ms", 1e3 * own, "median_ms", 1e3 * all[middle],
                                      "fftw_ms", 1e3 * peer, "of_r2c", real / own, "of_fftw", peer / own, "off", r->off[t]));
    }
    printf("\n");
    fflush(stdout);
    json_array_append_new(rows, row);
}

static bool measure(rates *r, cl_command_queue queue, json_t *rows) {
    r->elements = r->now->shape[0] * r->now->shape[1] * r->now->shape[2];
    if (!make_arrays(r) || !make_plans(r) || !fill(r, queue))
        return false;
    for (int t = 0; t < TYPES; t++)
        if (!compare(r, queue, t))
            return false;
    for (int round = -1; round < r->settings->rounds; round++) // one to warm up
        for (int way = 0; way < WAYS; way++) {
            double seconds;
            if (!run(r, way, &seconds))
                return false;
            r->seconds[way][round < 0 ? 0 : round] = seconds;
        }
    for (int way = 0; way < WAYS; way++)
        qsort(r->seconds[way], (size_t)r->settings->rounds, sizeof(double), by_value);
    report(r, rows);
    return true;
}

static int run_command(const cli_arguments *arguments, void *values) {
    const settings *s = values;
    static rates r;
    cl_int opened;
    mst_context *context;
    if (s->rounds < 1 || s->rounds > MOST_ROUNDS || s->repeats < 1) {
        cli_error(NULL, "--rounds %d, --repeats %d: 1 to %d rounds are taken, and 1 repeat at least", s->rounds, s->repeats,
                  MOST_ROUNDS);
        return CLI_USAGE;
    }
    int code = cli_context(NULL, &arguments->common, false, &context);
    if (code != CLI_DONE)
        return code;
    json_t *rows = json_array();
    cl_command_queue queue = clCreateCommandQueue(mst_context_opencl(context), mst_context_device(context)->device, 0, &opened);
    fftwf_init_threads();
    fftwf_plan_with_nthreads(2);
    fftwf_set_timelimit(PLANNING_SECONDS);
    printf("%s\n", mst_context_device(context)->name);
    for (int k = 0; k < CASES && code == CLI_DONE; k++) {
        r = (rates){.context = context, .settings = s, .now = &cases[k]};
        code = opened == CL_SUCCESS && measure(&r, queue, rows) ? CLI_DONE : CLI_FAILED;
        release(&r);
    }
    if (code == CLI_DONE && s->json &&
        !bench_write_json(
            context, "even-rates",
            json_pack("{s:i, s:i, s:s, s:O}", "rounds", s->rounds, "repeats", s->repeats, "fftw", fftwf_version, "rows", rows),
            s->json))
        code = CLI_INPUT_OUTPUT;
    json_decref(rows);
    if (opened == CL_SUCCESS)
        clReleaseCommandQueue(queue);
    mst_context_destroy(context);
    return code;
}

static const settings defaults = {.rounds = 15, .repeats = 1};
static const cli_option options[] = {
    {"rounds", 'r', CLI_INT, offsetof(settings, rounds), "measured rounds, 1 to 99 (default: 15)", "N"},
    {"repeats", 0, CLI_INT, offsetof(settings, repeats), "executions a round (default: 1)", "N"},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the results there too", "FILE"},
};
static const cli_command command = {
    .title = "Cosine transforms beside transforms of real numbers and FFTW's r2r.",
    .synopsis = "[options]",
    .details =
        "Types I to IV of nine shapes, float32, arrays on the device; FFTW takes two threads and up to 2 seconds to plan.\n",
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run_command,
};

int main(int argc, const char **argv) {
    cli_set_program("even-rates");
    return cli_run_command(&command, argc, argv);
}
