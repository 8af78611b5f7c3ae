// filter-peers: the whole image filter beside the same made of other libraries' transforms: forward, a mask, inverse. n x n
// float32 pixels that stay where they are (FFTW: in the host's memory), wrapped edges, a Gaussian low pass. Mastaba takes part
// with its other edges, too.
#include "filter_peers.h"

#include "core/cli.h"
#include "json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 7, LEAST_MS = 50, MOST_SIZES = 16 };

// ---- Mastaba

typedef struct mastaba {
    mst_filter *plan;
    const filter_peer_job *job;
} mastaba;

static void mastaba_destroy(void *state) {
    mst_filter_destroy(((mastaba *)state)->plan);
    free(state);
}

static void *create_with(mst_filter_edges edges, const filter_peer_job *job, char why[PEER_TEXT]) {
    mst_filter_desc d = MST_FILTER_DESC_INIT;
    mst_error error;
    mastaba *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    d.input = mst_layout_dense(MST_FLOAT32, 3, (const size_t[]){job->n, job->n, 1});
    d.radius = FILTER_PEER_RADIUS;
    d.edges = edges;
    d.output_as = MST_FILTER_RAW;
    m->job = job;
    if (mst_filter_create(job->context, &d, &m->plan, &error) == MST_OK)
        return m;
    snprintf(why, PEER_TEXT, "%.*s", PEER_TEXT - 1, error.message);
    mastaba_destroy(m);
    return NULL;
}

static void *wrap_create(const filter_peer_job *job, char why[PEER_TEXT]) { return create_with(MST_FILTER_WRAP, job, why); }
static void *reflect_create(const filter_peer_job *job, char why[PEER_TEXT]) { return create_with(MST_FILTER_REFLECT, job, why); }
static void *zero_create(const filter_peer_job *job, char why[PEER_TEXT]) { return create_with(MST_FILTER_ZERO, job, why); }

static bool mastaba_run(void *state, int times) {
    mastaba *m = state;
    cl_event last = NULL;
    mst_execution how = MST_EXECUTION_INIT;
    mst_error error;
    how.event = &last;
    for (int i = 0; i < times; i++) {
        if (last)
            clReleaseEvent(last);
        last = NULL;
        if (mst_filter_execute(m->plan, mst_at_device(m->job->image, 0), mst_at_device(m->job->result, 0), &how, &error) !=
            MST_OK) {
            fprintf(stderr, "filter-peers: %s\n", error.message);
            return false;
        }
    }
    bool done = clWaitForEvents(1, &last) == CL_SUCCESS;
    clReleaseEvent(last);
    return done;
}

// Others with the same buffer for results have run since.
static bool device_read(void *state, float *to) {
    const filter_peer_job *job = ((mastaba *)state)->job;
    return mastaba_run(state, 1) && clEnqueueReadBuffer(mst_context_queue(job->context), job->result, CL_TRUE, 0,
                                                        job->n * job->n * sizeof *to, to, 0, NULL, NULL) == CL_SUCCESS;
}

static const filter_peer peer_mastaba = {"mastaba", wrap_create, mastaba_run, device_read, mastaba_destroy};
static const filter_peer peer_reflect = {"reflect", reflect_create, mastaba_run, NULL, mastaba_destroy}; // results of their own
static const filter_peer peer_zero = {"zero", zero_create, mastaba_run, NULL, mastaba_destroy};

static const filter_peer *const peers[] = {&peer_mastaba, &peer_fftw_filter, &peer_reflect, &peer_zero,
#ifdef BENCH_VKFFT
                                           &peer_vkfft_filter
#endif
};
enum { N_PEERS = sizeof peers / sizeof peers[0] };

// ---- rounds

static int calibrate(const filter_peer *peer, void *state) {
    int times = 1;
    for (;;) {
        double start = cli_now();
        if (!peer->run(state, times))
            return 0;
        if (cli_now() - start > LEAST_MS * 1e-3 || times > 1 << 16)
            return times;
        times *= 2;
    }
}

// The largest difference from FFTW's result, which is float32 too.
static double difference(const float *a, const float *b, size_t count) {
    double worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs((double)a[i] - (double)b[i]));
    return worst;
}

static double rate(size_t n, double seconds) { return 24 * (double)n * (double)n / seconds; }

static void report(json_t *cases, size_t n, const char *peer, double seconds, double ours, double error) {
    printf("%6zu  %-8s %10.4f ms %8.1f GB/s at 24 bytes a point   %5.2f of mastaba   differs by %.1e\n", n, peer, 1e3 * seconds,
           1e-9 * rate(n, seconds), ours / seconds, error);
    json_array_append_new(cases, json_pack("{s:I, s:s, s:f, s:f, s:o}", "n", (json_int_t)n, "peer", peer, "seconds", seconds,
                                           "bytes_per_second", rate(n, seconds), "differs_by",
                                           isfinite(error) ? json_real(error) : json_null()));
}

static bool compare(const filter_peer_job *job, json_t *cases) {
    void *states[N_PEERS];
    int times[N_PEERS];
    double least[N_PEERS];
    size_t count = job->n * job->n;
    char why[PEER_TEXT] = "out of memory";
    float *results[2] = {malloc(count * sizeof(float)), malloc(count * sizeof(float))};
    bool done = results[0] && results[1];
    for (int p = 0; p < N_PEERS; p++) {
        states[p] = done ? peers[p]->create(job, why) : NULL;
        times[p] = states[p] ? calibrate(peers[p], states[p]) : 0;
        least[p] = INFINITY;
        if (times[p] == 0)
            fprintf(stderr, "filter-peers: %s at %zu: %s\n", peers[p]->name, job->n, why);
    }
    for (int round = 0; round < ROUNDS; round++) // in turns, so that what changes with time changes for all
        for (int p = 0; p < N_PEERS; p++) {
            double start = cli_now();
            if (times[p] > 0 && peers[p]->run(states[p], times[p]))
                least[p] = fmin(least[p], (cli_now() - start) / times[p]);
        }
    bool has_reference = times[1] > 0 && peers[1]->read(states[1], results[1]);
    for (int p = 0; p < N_PEERS; p++) {
        if (times[p] == 0)
            continue;
        double error = has_reference && peers[p]->read && peers[p]->read(states[p], results[0])
                           ? difference(results[0], results[1], count)
                           : NAN;
        report(cases, job->n, peers[p]->name, least[p], least[0], error);
        peers[p]->destroy(states[p]);
    }
    fflush(stdout);
    free(results[0]);
    free(results[1]);
    return done;
}

static bool run_size(mst_context *context, size_t n, json_t *cases) {
    filter_peer_job job = {.n = n, .context = context, .host = malloc(n * n * sizeof(float))};
    size_t bytes = n * n * sizeof(float);
    cl_int code = CL_OUT_OF_HOST_MEMORY;
    uint32_t random = 1;
    for (size_t i = 0; job.host && i < n * n; i++)
        job.host[i] = (float)((random = random * 1664525u + 1013904223u) >> 8) / 16777216.0f;
    if (job.host)
        job.image = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code == CL_SUCCESS)
        job.result = clCreateBuffer(mst_context_opencl(context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    if (code == CL_SUCCESS)
        code = clEnqueueWriteBuffer(mst_context_queue(context), job.image, CL_TRUE, 0, bytes, job.host, 0, NULL, NULL);
    bool done = code == CL_SUCCESS && compare(&job, cases);
    if (code != CL_SUCCESS)
        fprintf(stderr, "filter-peers: %zu x %zu pixels do not fit (OpenCL code %d)\n", n, n, (int)code);
    if (job.image)
        clReleaseMemObject(job.image);
    if (job.result)
        clReleaseMemObject(job.result);
    free(job.host);
    return done;
}

// The sides that are asked for. Returns an exit code.
static int read_sizes(const cli_arguments *arguments, size_t sizes[MOST_SIZES]) {
    for (int i = 0; i < arguments->n_operands; i++) {
        const char *text = arguments->operands[i];
        char *end;
        unsigned long n = strtoul(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || *end || n < 2 || n > 16384) {
            cli_error(NULL, "%s: a side is a number from 2 to 16384", text);
            return CLI_USAGE;
        }
        sizes[i] = n;
    }
    return CLI_DONE;
}

typedef struct settings {
    char *json;
} settings;

static int run(const cli_arguments *arguments, void *values) {
    const settings *s = values;
    size_t sizes[MOST_SIZES] = {512, 1024, 2048, 4096}, n_sizes = arguments->n_operands ? (size_t)arguments->n_operands : 4;
    mst_context *context = NULL;
    int code = read_sizes(arguments, sizes);
    if (code == CLI_DONE)
        code = cli_context(NULL, &arguments->common, false, &context);
    if (code != CLI_DONE)
        return code;
    json_t *cases = json_array();
    bool done = cases != NULL;
    printf("%s\n", mst_context_device(context)->name);
    for (size_t i = 0; i < n_sizes && done; i++)
        done = run_size(context, sizes[i], cases);
    if (done && s->json)
        done = bench_write_json(context, "filter-peers", json_pack("{s:i, s:O}", "rounds", ROUNDS, "cases", cases), s->json);
    mst_context_destroy(context);
    json_decref(cases);
    return done ? CLI_DONE : CLI_FAILED;
}

static const cli_option options[] = {
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the results there too", "FILE"},
};
static const cli_command command = {
    .title = "The image filter beside the same made of other libraries' transforms.",
    .synopsis = "[N...] [options]",
    .details = "N: sides of images, 2 to 16384 (default: 512 1024 2048 4096).\n",
    .max_operands = MOST_SIZES,
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .run = run,
};

int main(int argc, const char **argv) {
    cli_set_program("filter-peers");
    return cli_run_command(&command, argc, argv);
}
