// short-kernels: convolutions of signals and images with one short kernel for all, mode same, float32, data on the device: what
// the library's algorithms reach of the rate of a plain copy, beside a plain direct kernel, one work-item a value.
#include "core/cli.h"
#include "json.h"
#include "short_peers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_ROUNDS = 99, N_PEERS = 2, FIRST_PEER = MST_CONVOLUTION_OVERLAP_SAVE + 1, PLAIN = FIRST_PEER + N_PEERS, MOST_WAYS };

static const short_peer *const peers[N_PEERS] = {&short_peer_fftw, SHORT_CUFFT};

typedef struct settings {
    char *suite, *algorithms, *json;
    int rounds, sample_ms;
} settings;

static const char default_suite[] = "1024x16384:5,1024x16384:31,1024x16384:63,1024x16384:127,2x2048x2048:3x3,2x2048x2048:5x5,"
                                    "2x2048x2048:7x7,2x2048x2048:15x15,2x2048x2048:31x31";

typedef struct bench {
    const settings *settings;
    mst_context *context;
    double copy_rate;
    json_t *rows;
} bench;

// One way to compute a case; without a plan, a kernel and a peer's state it takes no part.
typedef struct way {
    mst_convolution *plan;
    cl_kernel kernel;
    const short_peer *peer;
    void *state; // the peer's
    double seconds[MOST_ROUNDS], median, difference;
} way;

static bool takes_part(const way *w) { return w->plan || w->kernel || w->state; }

typedef struct arrays {
    cl_mem x, y, z;
    size_t n, n_taps;
    float *host_x, *taps, *expected, *got;
} arrays;

static const char plain_source[] =
    "__kernel void plain(__global const float *x, __constant float *y, __global float *z, int height, int width) {\n"
    "    const int c = get_global_id(0), r = get_global_id(1);\n"
    "    const long image = get_global_id(2) * (long)height * width;\n"
    "    float sum = 0;\n"
    "    if (c >= width)\n"
    "        return;\n"
    "    for (int i = 0; i < ROWS; i++)\n"
    "        for (int j = 0; j < COLUMNS; j++) {\n"
    "            const int u = r + (ROWS - 1) / 2 - i, v = c + (COLUMNS - 1) / 2 - j;\n"
    "            if (u >= 0 && u < height && v >= 0 && v < width)\n"
    "                sum += y[i * COLUMNS + j] * x[image + (long)u * width + v];\n"
    "        }\n"
    "    z[image + (long)r * width + c] = sum;\n"
    "}\n";

static cl_kernel plain_kernel(mst_context *context, const short_case *c) {
    const char *source = plain_source;
    char options[80];
    cl_int code;
    cl_device_id device = mst_context_device(context)->device;
    cl_program program = clCreateProgramWithSource(mst_context_opencl(context), 1, &source, NULL, &code);
    snprintf(options, sizeof options, "-D ROWS=%zu -D COLUMNS=%zu", c->tap_rows, c->tap_columns);
    if (!program || clBuildProgram(program, 1, &device, options, NULL, NULL) != CL_SUCCESS)
        return NULL;
    cl_kernel kernel = clCreateKernel(program, "plain", &code);
    clReleaseProgram(program);
    return kernel;
}

static bool run_plain(const bench *b, const short_case *c, const arrays *a, cl_kernel kernel) {
    cl_int height = c->height ? (cl_int)c->height : 1, width = (cl_int)c->width;
    size_t local[] = {128, 1, 1}, global[] = {(c->width + 127) / 128 * 128, (size_t)height, c->batch};
    return clSetKernelArg(kernel, 0, sizeof a->x, &a->x) == CL_SUCCESS &&
           clSetKernelArg(kernel, 1, sizeof a->y, &a->y) == CL_SUCCESS &&
           clSetKernelArg(kernel, 2, sizeof a->z, &a->z) == CL_SUCCESS &&
           clSetKernelArg(kernel, 3, sizeof height, &height) == CL_SUCCESS &&
           clSetKernelArg(kernel, 4, sizeof width, &width) == CL_SUCCESS &&
           clEnqueueNDRangeKernel(mst_context_queue(b->context), kernel, 3, NULL, global, local, 0, NULL, NULL) == CL_SUCCESS;
}

static bool run(const bench *b, const short_case *c, const arrays *a, const way *w, int times) {
    cl_event event;
    mst_execution how = MST_EXECUTION_INIT;
    how.event = &event;
    if (w->state)
        return w->peer->run(w->state, times);
    for (int k = 0; k < times; k++) {
        if (w->kernel) {
            if (!run_plain(b, c, a, w->kernel))
                return false;
            continue;
        }
        if (mst_convolution_execute(w->plan, mst_at_device(a->x, 0), mst_at_device(a->y, 0), mst_at_device(a->z, 0), &how,
                                    NULL) != MST_OK)
            return false;
        clReleaseEvent(event);
    }
    return clFinish(mst_context_queue(b->context)) == CL_SUCCESS;
}

static float random_number(size_t i, uint32_t factor) { return (float)((uint32_t)i * factor % 65536) / 65536 - 0.5f; }

static bool make_arrays(const bench *b, const short_case *c, arrays *a) {
    cl_context context = mst_context_opencl(b->context);
    cl_command_queue queue = mst_context_queue(b->context);
    a->n = c->batch * (c->height ? c->height : 1) * c->width;
    a->n_taps = c->tap_rows * c->tap_columns;
    a->host_x = malloc(a->n * sizeof(float));
    a->taps = malloc(a->n_taps * sizeof(float));
    a->expected = malloc(a->n * sizeof(float));
    a->got = malloc(a->n * sizeof(float));
    a->x = clCreateBuffer(context, CL_MEM_READ_WRITE, a->n * sizeof(float), NULL, NULL);
    a->y = clCreateBuffer(context, CL_MEM_READ_WRITE, a->n_taps * sizeof(float), NULL, NULL);
    a->z = clCreateBuffer(context, CL_MEM_READ_WRITE, a->n * sizeof(float), NULL, NULL);
    if (!a->host_x || !a->taps || !a->expected || !a->got || !a->x || !a->y || !a->z)
        return false;
    for (size_t i = 0; i < a->n; i++)
        a->host_x[i] = random_number(i + 1, 2654435761u);
    for (size_t i = 0; i < a->n_taps; i++)
        a->taps[i] =
            c->product ? random_number(i / c->tap_columns + 7, 2246822519u) * random_number(i % c->tap_columns + 77, 2246822519u)
                       : random_number(i + 7, 2246822519u);
    return clEnqueueWriteBuffer(queue, a->x, CL_TRUE, 0, a->n * sizeof(float), a->host_x, 0, NULL, NULL) == CL_SUCCESS &&
           clEnqueueWriteBuffer(queue, a->y, CL_TRUE, 0, a->n_taps * sizeof(float), a->taps, 0, NULL, NULL) == CL_SUCCESS;
}

static void release(arrays *a, way *ways) {
    for (int k = 0; k < MOST_WAYS; k++) {
        mst_convolution_destroy(ways[k].plan);
        if (ways[k].kernel)
            clReleaseKernel(ways[k].kernel);
        if (ways[k].state)
            ways[k].peer->destroy(ways[k].state);
    }
    if (a->x)
        clReleaseMemObject(a->x);
    if (a->y)
        clReleaseMemObject(a->y);
    if (a->z)
        clReleaseMemObject(a->z);
    free(a->host_x);
    free(a->taps);
    free(a->expected);
    free(a->got);
}

static bool listed(const char *list, const char *name) {
    size_t n = strlen(name);
    for (const char *at = list; (at = strstr(at, name)); at += n)
        if ((at == list || at[-1] == ',') && (at[n] == 0 || at[n] == ','))
            return true;
    return false;
}

static bool make_ways(const bench *b, const short_case *c, const arrays *a, way *ways) {
    mst_convolution_desc d = MST_CONVOLUTION_DESC_INIT;
    mst_error e;
    int rank = c->height ? 3 : 2;
    size_t x[] = {c->batch, c->height ? c->height : c->width, c->width},
           y[] = {1, c->height ? c->tap_rows : c->tap_columns, c->tap_columns};
    d.x = mst_layout_dense(MST_FLOAT32, rank, x);
    d.y = mst_layout_dense(MST_FLOAT32, rank, y);
    d.mode = MST_CONVOLUTION_SAME;
    const char *list = b->settings->algorithms ? b->settings->algorithms : "auto,direct,overlap-save,fused,plain,fftw,cufft";
    d.n_axes = rank - 1;
    for (int k = 0; k < d.n_axes; k++)
        d.axes[k] = k + 1;
    for (int k = MST_CONVOLUTION_AUTO; k <= MST_CONVOLUTION_OVERLAP_SAVE; k++) {
        d.algorithm = (mst_convolution_algorithm)k;
        bool fits = k != MST_CONVOLUTION_OVERLAP_SAVE || (c->height && c->tap_rows < 64 && c->tap_columns < 64);
        if (fits && listed(list, mst_convolution_algorithm_name(d.algorithm)) &&
            mst_convolution_create(b->context, &d, &ways[k].plan, &e) != MST_OK) {
            cli_fail(NULL, NULL, &e);
            return false;
        }
    }
    if (listed(list, "plain") && !(ways[PLAIN].kernel = plain_kernel(b->context, c)))
        return false;
    for (int k = 0; k < N_PEERS; k++) {
        way *w = &ways[FIRST_PEER + k];
        if (peers[k] && listed(list, peers[k]->name) && peers[k]->applies(b->context)) {
            w->peer = peers[k];
            w->state = peers[k]->create(c, a->host_x, a->taps, (unsigned)sysconf(_SC_NPROCESSORS_ONLN));
        }
    }
    return true;
}

static bool read_result(const bench *b, const arrays *a, const way *w, float *to) {
    return w->state ? w->peer->read(w->state, to)
                    : clEnqueueReadBuffer(mst_context_queue(b->context), a->z, CL_TRUE, 0, a->n * sizeof(float), to, 0, NULL,
                                          NULL) == CL_SUCCESS;
}

// How far a way's results are from the first one's, in the L2 norm.
static bool compare(const bench *b, const short_case *c, arrays *a, way *w, bool first) {
    double difference = 0, norm = 0;
    float *to = first ? a->expected : a->got;
    if (!run(b, c, a, w, 1) || !read_result(b, a, w, to))
        return false;
    for (size_t i = 0; i < a->n; i++) {
        difference += ((double)to[i] - a->expected[i]) * ((double)to[i] - a->expected[i]);
        norm += (double)a->expected[i] * a->expected[i];
    }
    w->difference = sqrt(difference / norm);
    return true;
}

// All in turns.
static bool measure(const bench *b, const short_case *c, const arrays *a, way *ways) {
    int times[MOST_WAYS], rounds = b->settings->rounds;
    for (int k = 0; k < MOST_WAYS; k++)
        if (takes_part(&ways[k])) {
            double start = cli_now();
            if (!run(b, c, a, &ways[k], 2))
                return false;
            double each = (cli_now() - start) / 2;
            times[k] = 1 + (int)(b->settings->sample_ms * 1e-3 / each);
        }
    for (int round = 0; round < rounds; round++)
        for (int k = 0; k < MOST_WAYS; k++)
            if (takes_part(&ways[k])) {
                double start = cli_now();
                if (!run(b, c, a, &ways[k], times[k]))
                    return false;
                ways[k].seconds[round] = (cli_now() - start) / times[k];
            }
    for (int k = 0; k < MOST_WAYS; k++)
        ways[k].median = cli_median(ways[k].seconds, rounds);
    return true;
}

static void report(bench *b, const short_case *c, const arrays *a, const way *ways) {
    char name[80];
    if (c->height)
        snprintf(name, sizeof name, "%zux%zux%zu:%zux%zu%s", c->batch, c->height, c->width, c->tap_rows, c->tap_columns,
                 c->product ? "p" : "");
    else
        snprintf(name, sizeof name, "%zux%zu:%zu", c->batch, c->width, c->tap_columns);
    printf("%-24s", name);
    for (int k = 0; k < MOST_WAYS; k++) {
        const way *w = &ways[k];
        if (!takes_part(w))
            continue;
        const char *algorithm = w->kernel  ? "plain"
                                : w->state ? w->peer->name
                                           : mst_convolution_algorithm_name((mst_convolution_algorithm)k);
        double rate = 2 * sizeof(float) * (double)a->n / w->median;
        printf("  %s %8.1f (%.2f)%s", algorithm, rate * 1e-9, rate / b->copy_rate, w->difference > 1e-5 ? " WRONG" : "");
        json_array_append_new(b->rows, json_pack("{s:s, s:s, s:f, s:f, s:f, s:f}", "case", name, "algorithm", algorithm,
                                                 "seconds", w->median, "bytes_a_second", rate, "of_copy", rate / b->copy_rate,
                                                 "difference", w->difference));
    }
    printf("\n");
    fflush(stdout);
}

static bool run_case(bench *b, const short_case *c) {
    arrays a = {0};
    way ways[MOST_WAYS] = {{0}};
    bool done = make_arrays(b, c, &a) && make_ways(b, c, &a, ways), first = true;
    for (int k = MOST_WAYS - 1; k >= 0 && done; k--)
        if (takes_part(&ways[k])) {
            done = compare(b, c, &a, &ways[k], first);
            first = false;
        }
    done = done && measure(b, c, &a, ways);
    if (done)
        report(b, c, &a, ways);
    release(&a, ways);
    return done;
}

// "4096x16384:5", signals of a batch, or "4x4096x4096:3x3", images; 3x3p: a kernel that is a product.
static const char *read_case(const char *text, short_case *c) {
    int n = 0;
    *c = (short_case){.tap_rows = 1};
    if (sscanf(text, "%zux%zux%zu:%zux%zu%n", &c->batch, &c->height, &c->width, &c->tap_rows, &c->tap_columns, &n) == 5) {
        c->product = text[n] == 'p';
        return text + n + c->product;
    }
    *c = (short_case){.tap_rows = 1};
    return sscanf(text, "%zux%zu:%zu%n", &c->batch, &c->width, &c->tap_columns, &n) == 3 ? text + n : NULL;
}

static bool run_suite(bench *b) {
    const char *at = b->settings->suite ? b->settings->suite : default_suite;
    while (at && *at) {
        short_case c;
        const char *next = read_case(at, &c);
        if (!next || (*next && *next != ',')) {
            cli_error(NULL, "--suite %s: cases are like 4096x16384:5 or 4x4096x4096:3x3", at);
            return false;
        }
        if (!run_case(b, &c)) {
            cli_error(NULL, "--suite %s: failed", at);
            return false;
        }
        at = *next ? next + 1 : next;
    }
    return true;
}

static int run_command(const cli_arguments *arguments, void *values) {
    const settings *s = values;
    bench b = {.settings = s, .rows = json_array()};
    mst_error e;
    if (s->rounds < 1 || s->rounds > MOST_ROUNDS || s->sample_ms < 1) {
        cli_error(NULL, "--rounds takes 1 to %d, --sample-ms at least 1", MOST_ROUNDS);
        return CLI_USAGE;
    }
    int code = cli_context(NULL, &arguments->common, false, &b.context);
    if (code == CLI_DONE && mst_context_copy_rate(b.context, &b.copy_rate, &e) != MST_OK)
        code = cli_fail(NULL, NULL, &e);
    if (code == CLI_DONE) {
        printf("%s, copy rate %.1f GB/s; GB/s of x and z (of the copy rate)\n", mst_context_device(b.context)->name,
               b.copy_rate * 1e-9);
        if (!run_suite(&b) || (s->json && !bench_write_json(b.context, "short-kernels",
                                                            json_pack("{s:f, s:i, s:O}", "copy_bytes_a_second", b.copy_rate,
                                                                      "rounds", s->rounds, "rows", b.rows),
                                                            s->json)))
            code = CLI_USAGE;
    }
    json_decref(b.rows);
    mst_context_destroy(b.context);
    return code;
}

static const cli_option options[] = {
    {"suite", 0, CLI_TEXT, offsetof(settings, suite), "cases, as 4096x16384:5 or 4x4096x4096:3x3 (default: nine of them)",
     "LIST"},
    {"algorithms", 'a', CLI_TEXT, offsetof(settings, algorithms),
     "those that take part (default: auto,direct,overlap-save,fused,plain,fftw,cufft)", "LIST"},
    {"rounds", 'r', CLI_INT, offsetof(settings, rounds), "measured rounds, 1 to 99 (default: 7)", "N"},
    {"sample-ms", 0, CLI_INT, offsetof(settings, sample_ms), "milliseconds of a round of each (default: 20)", "MS"},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the results there too", "FILE"},
};
static const settings defaults = {.rounds = 7, .sample_ms = 20};
static const cli_command command = {
    .title = "Convolutions with one short kernel for all, on the device, beside a plain direct kernel and the copy rate.",
    .synopsis = "[options]",
    .details = "",
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run_command,
};

int main(int argc, const char **argv) {
    cli_set_program("short-kernels");
    return cli_run_command(&command, argc, argv);
}
