#include "harness.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void choose_peers(comparison *c) {
    const char *list = c->options->peers;
    for (const peer_entry *e = c->bench->entries; e->name && c->n_peers < MOST_PEERS; e++) {
        bool first = e == c->bench->entries; // Mastaba is what all are compared with
        bool wanted = first || (list ? options_has(list, e->name) : c->is_gpu ? e->on_gpu : e->on_cpu);
        if (!e->peer || !wanted)
            continue;
        if (!e->peer->applies || e->peer->applies(c->context))
            c->peers[c->n_peers++] = e->peer;
        else
            fprintf(stderr, "%s: %s does not know this device\n", c->bench->name, e->name);
    }
}

static void fill_random(char *data, size_t bytes, bool is_double, uint64_t state) { // splitmix64, to [-0.5, 0.5)
    size_t width = is_double ? sizeof(double) : sizeof(float);
    for (size_t i = 0; i < bytes / width; i++) {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        z ^= z >> 31;
        if (is_double)
            ((double *)(void *)data)[i] = (double)(int64_t)z * 0x1p-64;
        else
            ((float *)(void *)data)[i] = (float)((int32_t)(z >> 32) >> 8) * 0x1p-24f;
    }
}

static cl_mem upload(const comparison *c, void *data, size_t bytes) {
    cl_int code;
    cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
    cl_mem buffer = clCreateBuffer(mst_context_opencl(c->context), flags, bytes, data, &code);
    return code == CL_SUCCESS ? buffer : NULL;
}

// Large enough for every length; each uses the first part.
static bool make_arrays(const comparison *c, bench_arrays *a) {
    const bench_options *o = c->options;
    size_t most = o->n_points, bytes;
    bool pairs = c->bench->operation == OPERATION_CONVOLUTION;

    for (int l = 0; l < o->n_lengths; l++)
        if (o->n[l] > most)
            most = o->n[l];
    bytes = most * (o->is_double ? 16 : 8);
    a->host_x = malloc(bytes);
    a->host_y = pairs ? malloc(bytes) : NULL;
    if (!a->host_x || (pairs && !a->host_y))
        return false;
    fill_random(a->host_x, bytes, o->is_double, 1);
    if (pairs)
        fill_random(a->host_y, bytes, o->is_double, 2);
    a->x = upload(c, a->host_x, bytes);
    a->y = pairs ? upload(c, a->host_y, bytes) : NULL;
    a->output = upload(c, NULL, bytes);
    return a->x && a->output && (a->y || !pairs);
}

static void free_arrays(bench_arrays *a) {
    cl_mem buffers[] = {a->x, a->y, a->output};
    for (int i = 0; i < 3; i++)
        if (buffers[i])
            clReleaseMemObject(buffers[i]);
    free(a->host_x);
    free(a->host_y);
}

static bool compare(comparison *c) {
    bench_arrays arrays = {0};
    bool in_memory = make_arrays(c, &arrays), written = true;

    while (in_memory && written && c->n_done < c->options->n_lengths) {
        in_memory = measure_length(c, &arrays, c->n_done);
        if (!in_memory)
            break;
        report_length(c, c->n_done++);
        if (c->options->json) // at each length, should this run be cut short
            written = report_json(c, c->options->json);
    }
    free_arrays(&arrays);
    if (!in_memory)
        fprintf(stderr, "%s: out of memory; --points takes less\n", c->bench->name);
    return in_memory && written;
}

static void find_processor(char *name, size_t size) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(name, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && value) {
            snprintf(name, size, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

// PoCL keeps what a work-group of VkFFT's holds on a thread's stack, and 8 MiB are too little for some lengths.
static void enlarge_stacks(void) {
#ifdef __GLIBC__
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_setstacksize(&attributes, (size_t)256 << 20) == 0)
            pthread_setattr_default_np(&attributes);
        pthread_attr_destroy(&attributes);
    }
#endif
}

static int run(const cli_arguments *arguments, void *values) {
    bench_options *o = values;
    const bench_program *bench = o->bench;
    mst_error error;
    static comparison c; // large
    time_t now = time(NULL);
    int code = options_check(o, bench);

    enlarge_stacks();
    c.bench = bench;
    c.options = o;
    if (code == CLI_DONE)
        code = cli_context(NULL, &arguments->common, false, &c.context);
    if (code != CLI_DONE)
        return code;
    if (mst_context_copy_rate(c.context, &c.copy_rate, &error) != MST_OK) {
        mst_context_destroy(c.context);
        return cli_fail(NULL, NULL, &error);
    }
    c.is_gpu = (mst_context_device(c.context)->type & CL_DEVICE_TYPE_CPU) == 0;
    if (o->n_points == 0)
        o->n_points = c.is_gpu ? (size_t)1 << 26 : (size_t)1 << 22;
    if (o->n_lengths == 0)
        options_lengths(o, c.is_gpu ? bench->lengths_gpu : bench->lengths_cpu);
    strftime(c.date, sizeof c.date, "%Y-%m-%d %H:%M UTC", gmtime(&now));
    find_processor(c.processor, sizeof c.processor);
    choose_peers(&c);
    report_heading(&c);
    bool done = compare(&c);
    if (done)
        report_summary(&c);
    mst_context_destroy(c.context);
    return done ? CLI_DONE : CLI_FAILED;
}

int bench_main(const bench_program *bench, int argc, const char **argv) {
    char names[256] = "those that take part, of";
    const cli_option options[] = {
        {"lengths", 0, CLI_TEXT, offsetof(bench_options, lengths), "as 16,1000,2^5..2^20 (each twice the last), or mixed",
         "LIST"},
        {"points", 0, CLI_TEXT, offsetof(bench_options, points), "in all vectors (default: 2^26 on a GPU, 2^22 on a CPU)", "N"},
        {"double", 0, CLI_FLAG, offsetof(bench_options, is_double), "complex128 (default: complex64)", NULL},
        {"peers", 0, CLI_TEXT, offsetof(bench_options, peers), names, "LIST"},
        {"rounds", 0, CLI_INT, offsetof(bench_options, rounds), "samples of each peer (default: 7)", "N"},
        {"sample-ms", 0, CLI_INT, offsetof(bench_options, sample_ms), "least time of a sample (default: 20)", "MS"},
        {"fftw-threads", 0, CLI_INT, offsetof(bench_options, n_threads), "of FFTW (default: as many as cores)", "N"},
        {"json", 0, CLI_TEXT, offsetof(bench_options, json), "write all numbers there as well", "FILE"},
        {"out-of-place", 0, CLI_FLAG, offsetof(bench_options, out_of_place), "from one array to another (default: in place)",
         NULL},
    };
    const bench_options defaults = {
        .bench = bench, .rounds = 7, .sample_ms = 20, .n_threads = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    const cli_command command = {
        .title = bench->what,
        .synopsis = "[options]",
        .details = "By Mastaba and by other libraries on the same data, in turns; every result is checked.\n",
        .leave_out = ~(unsigned)CLI_DEVICE,
        .options = options,
        .n_options = CLI_COUNT(options) - (bench->operation == OPERATION_FFT ? 0 : 1), // convolutions have another array
        .values_bytes = sizeof defaults,
        .defaults = &defaults,
        .run = run,
    };
    for (const peer_entry *e = bench->entries; e->name; e++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", e->name);
    cli_set_program(bench->name);
    return cli_run_command(&command, argc, argv);
}
