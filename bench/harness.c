#include "harness.h"

#include "opencl_peer.h"

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

static cl_mem make_buffer(const comparison *c, size_t bytes) {
    cl_int code;
    cl_mem buffer = clCreateBuffer(mst_context_opencl(c->context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    return code == CL_SUCCESS ? buffer : NULL;
}

// Large enough for every case; each uses the first part.
static bool make_arrays(const comparison *c, bench_arrays *a) {
    const bench_options *o = c->options;
    size_t bytes = 0, output_bytes = 0;
    bool pairs = c->bench->operation == OPERATION_CONVOLUTION;

    for (int k = 0; k < o->n_cases; k++) {
        size_t in = case_bytes(&o->cases[k], false), out = case_bytes(&o->cases[k], true);
        bytes = in > bytes ? in : bytes;
        output_bytes = out > output_bytes ? out : output_bytes;
    }
    a->host_x = malloc(bytes);
    a->host_y = pairs ? malloc(bytes) : NULL;
    a->x = make_buffer(c, bytes);
    a->y = pairs ? make_buffer(c, bytes) : NULL;
    a->output = make_buffer(c, output_bytes);
    return a->host_x && a->x && a->output && ((a->host_y && a->y) || !pairs);
}

// The row, of those along the last axis, whose frequencies are minus those of a row.
static size_t opposite(const bench_case *w, size_t row) {
    size_t at = 0, stride = 1;
    for (int k = w->rank - 2; k >= 0; k--) {
        const size_t n = w->shape[k];
        at += (n - row % n) % n * stride;
        stride *= n;
        row /= n;
    }
    return at;
}

static void conjugate_into(const bench_case *w, void *data, size_t to, size_t from) {
    if (w->is_double) {
        double *numbers = data;
        numbers[2 * to] = numbers[2 * from], numbers[2 * to + 1] = to == from ? 0 : -numbers[2 * from + 1];
    } else {
        float *numbers = data;
        numbers[2 * to] = numbers[2 * from], numbers[2 * to + 1] = to == from ? 0 : -numbers[2 * from + 1];
    }
}

// Of the spectrum of real numbers only what lies between k = 0 and k = n/2 of the last axis is free: there the opposite
// frequencies are among those that are given.
static void mirror_edges(const bench_case *w, void *data) {
    const size_t last = w->shape[w->rank - 1], half = last / 2 + 1, rows = case_half(w) / half;
    for (size_t v = 0; v < w->n_vectors; v++)
        for (size_t row = 0; row < rows; row++)
            for (size_t k = 0; k < half; k += last % 2 == 0 ? last / 2 : half) {
                const size_t other = opposite(w, row), first = v * rows * half + k;
                if (other >= row)
                    conjugate_into(w, data, first + other * half, first + row * half);
            }
}

// The input of a case, unless what the one before left is the same and long enough.
static bool load_input(const comparison *c, const bench_arrays *a, int number) {
    const bench_case *w = &c->options->cases[number], *before = number > 0 ? w - 1 : NULL;
    size_t bytes = case_bytes(w, false);
    cl_command_queue queue = mst_context_queue(c->context);

    if (before && before->is_double == w->is_double && !case_real_out(before) && !case_real_out(w) &&
        case_bytes(before, false) >= bytes)
        return true;
    fill_random(a->host_x, bytes, w->is_double, 1);
    if (case_real_out(w))
        mirror_edges(w, a->host_x);
    if (a->y) {
        fill_random(a->host_y, bytes, w->is_double, 2);
        if (clEnqueueWriteBuffer(queue, a->y, CL_TRUE, 0, bytes, a->host_y, 0, NULL, NULL) != CL_SUCCESS)
            return false;
    }
    return clEnqueueWriteBuffer(queue, a->x, CL_TRUE, 0, bytes, a->host_x, 0, NULL, NULL) == CL_SUCCESS;
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

    while (in_memory && written && c->n_done < c->options->n_cases) {
        in_memory = load_input(c, &arrays, c->n_done) && measure_case(c, &arrays, c->n_done);
        if (!in_memory)
            break;
        report_case(c, c->n_done++);
        if (c->options->json) // after each case, should this run be cut short
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
    options_cases(o, c.is_gpu); // has been checked
    c.launch_seconds = opencl_launch_seconds(c.context);
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
    enum { OF_TRANSFORMS = 6 }; // options
    const size_t n_left_out = bench->operation == OPERATION_FFT ? 0 : OF_TRANSFORMS;
    char names[256] = "those that take part, of";
    const cli_option options[] = {
        // the first ones are for transforms only
        {"out-of-place", 0, CLI_FLAG, offsetof(bench_options, out_of_place), "from one array to another (default: in place)",
         NULL},
        {"shape", 0, CLI_TEXT, offsetof(bench_options, shape), "of arrays with one to three axes, as 512,512", "LIST"},
        {"real", 0, CLI_FLAG, offsetof(bench_options, is_real), "from real numbers, or with --inverse to them", NULL},
        {"inverse", 0, CLI_FLAG, offsetof(bench_options, inverse), "the inverse transform (default: forward)", NULL},
        {"columns", 0, CLI_FLAG, offsetof(bench_options, columns), "vectors side by side, not one after the other", NULL},
        {"single", 0, CLI_FLAG, offsetof(bench_options, single), "one array a call", NULL},
        {"lengths", 0, CLI_TEXT, offsetof(bench_options, lengths), "as 16,1000,2^5..2^20 (each twice the last), or mixed",
         "LIST"},
        {"points", 0, CLI_TEXT, offsetof(bench_options, points), "in all vectors (default: 2^26 on a GPU, 2^22 on a CPU)", "N"},
        {"double", 0, CLI_FLAG, offsetof(bench_options, is_double), "complex128 (default: complex64)", NULL},
        {"peers", 0, CLI_TEXT, offsetof(bench_options, peers), names, "LIST"},
        {"rounds", 0, CLI_INT, offsetof(bench_options, rounds), "samples of each peer (default: 7)", "N"},
        {"sample-ms", 0, CLI_INT, offsetof(bench_options, sample_ms), "least time of a sample (default: 20)", "MS"},
        {"fftw-threads", 0, CLI_INT, offsetof(bench_options, n_threads), "of FFTW (default: as many as cores)", "N"},
        {"json", 0, CLI_TEXT, offsetof(bench_options, json), "write all numbers there as well", "FILE"},
    };
    const bench_options defaults = {
        .bench = bench, .rounds = 7, .sample_ms = 20, .n_threads = (int)sysconf(_SC_NPROCESSORS_ONLN)};
    const cli_command command = {
        .title = bench->what,
        .synopsis = "[options]",
        .details = "By Mastaba and by other libraries on the same data, in turns; every result is checked.\n",
        .leave_out = ~(unsigned)CLI_DEVICE,
        .options = options + n_left_out,
        .n_options = CLI_COUNT(options) - n_left_out,
        .values_bytes = sizeof defaults,
        .defaults = &defaults,
        .run = run,
    };
    for (const peer_entry *e = bench->entries; e->name; e++)
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", e->name);
    cli_set_program(bench->name);
    return cli_run_command(&command, argc, argv);
}
