// plan-times: how long plans take to make.
//
// Each in three ways: cold (no kernel is in a cache, after the driver's first compilation), warm (a new context, the kernels are
// in the program cache), and again in the same context (its programs are there: what is left is planning and tables). The
// driver's own cache has to be off for the first: POCL_KERNEL_CACHE=0, CUDA_CACHE_DISABLE=1.
#include "json.h"

#include "core/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

enum { COLD, WARM, AGAIN, N_WAYS };

typedef struct plan {
    mst_fft *fft;
    mst_convolution *convolution;
    mst_filter *filter;
} plan;

typedef struct plan_case {
    const char *what;
    mst_type type;
    size_t n, m; // an array (4, n); two axes: (4, m, n); a convolution: of 4 pairs of length n / 2, mode full
    bool is_real, is_convolution, is_strided;
    size_t taps;    // a convolution: of n numbers with as many
    bool is_filter; // a low pass of an image (m, n) of a byte a pixel
} plan_case;

static const plan_case cases[] = {
    {"C2C 2^4", MST_COMPLEX64, 16, 0, false, false, false, 0, false},
    {"C2C 2^8", MST_COMPLEX64, 256, 0, false, false, false, 0, false},
    {"C2C 2^12", MST_COMPLEX64, 4096, 0, false, false, false, 0, false},
    {"C2C 2^16", MST_COMPLEX64, 65536, 0, false, false, false, 0, false},
    {"C2C 2^20", MST_COMPLEX64, 1 << 20, 0, false, false, false, 0, false},
    {"C2C 2^24", MST_COMPLEX64, 1 << 24, 0, false, false, false, 0, false},
    {"C2C 2^20, double", MST_COMPLEX128, 1 << 20, 0, false, false, false, 0, false},
    {"C2C 2310", MST_COMPLEX64, 2310, 0, false, false, false, 0, false},
    {"C2C 100000", MST_COMPLEX64, 100000, 0, false, false, false, 0, false},
    {"C2C 1009, prime", MST_COMPLEX64, 1009, 0, false, false, false, 0, false},
    {"C2C 65537, prime", MST_COMPLEX64, 65537, 0, false, false, false, 0, false},
    {"C2C 1000003, prime", MST_COMPLEX64, 1000003, 0, false, false, false, 0, false},
    {"C2C 65537, prime, double", MST_COMPLEX128, 65537, 0, false, false, false, 0, false},
    {"R2C 4096", MST_FLOAT32, 4096, 0, true, false, false, 0, false},
    {"C2C 512 x 480", MST_COMPLEX64, 480, 512, false, false, false, 0, false},
    {"C2C 512 x 480, strided", MST_COMPLEX64, 480, 512, false, false, true, 0, false},
    {"R2C 512 x 480", MST_FLOAT32, 480, 512, true, false, false, 0, false},
    {"convolution 2^5", MST_COMPLEX64, 32, 0, false, true, false, 0, false},
    {"convolution 2^10", MST_COMPLEX64, 1024, 0, false, true, false, 0, false},
    {"convolution 2^14", MST_COMPLEX64, 1 << 14, 0, false, true, false, 0, false},
    {"convolution 2^17", MST_COMPLEX64, 1 << 17, 0, false, true, false, 0, false},
    {"convolution 2^20", MST_COMPLEX64, 1 << 20, 0, false, true, false, 0, false},
    {"convolution 2^20, double", MST_COMPLEX128, 1 << 20, 0, false, true, false, 0, false},
};

static double used(int who) {
    struct rusage u;
    getrusage(who, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

static double now(bool processor) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return processor ? used(RUSAGE_SELF) + used(RUSAGE_CHILDREN) : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct settings {
    mst_context_desc context;
    mst_fft_shape shape;
    char *shape_name, *only, *json;
    int processor, random;
    long long seed;
    json_t *rows;
} settings;

static mst_status make_convolution(mst_context *context, const plan_case *c, mst_fft_shape shape, mst_convolution **out,
                                   mst_error *error) {
    mst_convolution_desc desc = MST_CONVOLUTION_DESC_INIT;
    if (c->taps) { // as the program has it, of two files
        desc.x = mst_layout_dense(c->type, 1, (const size_t[]){c->n});
        desc.y = mst_layout_dense(c->type, 1, (const size_t[]){c->taps});
    } else {
        desc.x = desc.y = mst_layout_dense(c->type, 2, (const size_t[]){4, c->n / 2});
        desc.algorithm = MST_CONVOLUTION_FUSED;
    }
    desc.shape = shape;
    return mst_convolution_create(context, &desc, out, error);
}

static mst_status make_filter(mst_context *context, const plan_case *c, mst_fft_shape shape, mst_filter **out, mst_error *error) {
    mst_filter_desc desc = MST_FILTER_DESC_INIT;
    desc.input = mst_layout_dense(MST_UINT8, 3, (const size_t[]){c->m, c->n, 1});
    desc.kind = MST_FILTER_LOW_PASS;
    desc.radius = 0.125;
    desc.shape = shape;
    return mst_filter_create(context, &desc, out, error);
}

static mst_status make_fft(mst_context *context, const plan_case *c, mst_fft_shape shape, mst_fft **out, mst_error *error) {
    mst_fft_desc desc = MST_FFT_DESC_INIT;
    const size_t line[] = {4, c->n}, plane[] = {4, c->m, c->n};
    desc.input = mst_layout_dense(c->type, c->m ? 3 : 2, c->m ? plane : line);
    if (c->is_strided) {
        desc.input.strides[1] += 32;
        desc.input.strides[0] = desc.input.strides[1] * (ptrdiff_t)c->m;
        desc.output = desc.input;
    }
    if (c->m) {
        desc.n_axes = 2;
        desc.axes[0] = -2, desc.axes[1] = -1;
    }
    desc.shape = shape;
    return mst_fft_create(context, &desc, out, error);
}

static bool make(mst_context *context, const plan_case *c, const settings *set, plan *out, double *seconds) {
    mst_error error;
    double start = now(set->processor);
    mst_status status = c->is_filter        ? make_filter(context, c, set->shape, &out->filter, &error)
                        : c->is_convolution ? make_convolution(context, c, set->shape, &out->convolution, &error)
                                            : make_fft(context, c, set->shape, &out->fft, &error);
    *seconds = now(set->processor) - start;
    if (status != MST_OK)
        cli_error(NULL, "%s: %s", c->what, error.message);
    return status == MST_OK;
}

// Returns an exit code.
static int measure(const settings *set, const plan_case *c, double *seconds, int *passes) {
    static const int first_way[] = {COLD, WARM, N_WAYS}; // of each context
    bool done = true;
    for (int k = 0; k < 2 && done; k++) {
        mst_context *context;
        mst_error error;
        if (mst_context_create(&set->context, &context, &error) != MST_OK)
            return cli_fail(NULL, NULL, &error);
        for (int way = first_way[k]; way < first_way[k + 1] && done; way++) {
            plan p = {0};
            done = make(context, c, set, &p, &seconds[way]);
            *passes = p.fft ? mst_fft_n_passes(p.fft) : 0;
            mst_fft_destroy(p.fft);
            mst_convolution_destroy(p.convolution);
            mst_filter_destroy(p.filter);
        }
        mst_context_destroy(context);
    }
    return done ? CLI_DONE : CLI_FAILED;
}

static int print_row(const settings *set, const plan_case *c) {
    double seconds[N_WAYS];
    int passes, code = measure(set, c, seconds, &passes);
    char each[2][20] = {"", ""};
    if (code != CLI_DONE)
        return code;
    if (passes) {
        snprintf(each[0], sizeof each[0], "%d", passes);
        snprintf(each[1], sizeof each[1], "%.0f", 1e3 * seconds[COLD] / passes);
    }
    printf("| %s | %s | %.0f | %s | %.1f | %.1f |\n", c->what, each[0], 1e3 * seconds[COLD], each[1], 1e3 * seconds[WARM],
           1e3 * seconds[AGAIN]);
    fflush(stdout);
    json_array_append_new(set->rows, json_pack("{s:s, s:i, s:f, s:f, s:f}", "what", c->what, "passes", passes, "cold",
                                               seconds[COLD], "warm", seconds[WARM], "again", seconds[AGAIN]));
    return CLI_DONE;
}

static size_t draw(unsigned long long *state, size_t low, size_t high) {
    *state = *state * 6364136223846793005u + 1442695040888963407u; // Knuth's generator, its upper half
    return low + (size_t)(*state >> 33) % (high - low);
}

static int print_random(const settings *set) {
    int code = CLI_DONE;
    unsigned long long state = (unsigned long long)set->seed;
    for (int k = 0; k < 3 * set->random; k++) {
        char what[60];
        plan_case c = {what, MST_FLOAT32, 0, 0, true, k % 3 == 1, false, 0, k % 3 == 2};
        if (k % 3 == 0) {
            c.n = draw(&state, 100, 20000);
            snprintf(what, sizeof what, "R2C %zu", c.n);
        } else if (k % 3 == 1) {
            c.n = draw(&state, 1000, 50000);
            c.taps = draw(&state, 100, 1000);
            snprintf(what, sizeof what, "convolution %zu by %zu", c.n, c.taps);
        } else {
            c.n = draw(&state, 50, 800);
            c.m = draw(&state, 50, 600);
            snprintf(what, sizeof what, "filter %zu x %zu", c.n, c.m);
        }
        int failed = !set->only || strstr(what, set->only) ? print_row(set, &c) : CLI_DONE;
        code = failed ? failed : code;
    }
    return code;
}

static int print_table(const settings *set) {
    static const plan_case first = {"the driver's start", MST_COMPLEX64, 2, 0, false, false, false, 0, false};
    double seconds[N_WAYS];
    int passes, code = measure(set, &first, seconds, &passes);
    if (code != CLI_DONE)
        return code;
    printf("| plan | passes | cold, ms | a pass | warm, ms | again, ms |\n|---|---|---|---|---|---|\n");
    if (set->random)
        return print_random(set);
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        int failed = !set->only || strstr(cases[k].what, set->only) ? print_row(set, &cases[k]) : CLI_DONE;
        code = failed ? failed : code;
    }
    return code;
}

static bool write_json(const settings *set) {
    mst_context *context;
    mst_error error;
    if (mst_context_create(&set->context, &context, &error) != MST_OK)
        return cli_fail(NULL, NULL, &error) == CLI_DONE;
    bool done = bench_write_json(context, "plan-times",
                                 json_pack("{s:s, s:i, s:I, s:O}", "clock", set->processor ? "processor" : "wall", "random",
                                           set->random, "seed", (json_int_t)set->seed, "seconds", set->rows),
                                 set->json);
    mst_context_destroy(context);
    return done;
}

static int run(const cli_arguments *arguments, void *values) {
    settings *set = values;
    char directory[] = "/tmp/plan-times-XXXXXX", command[80];
    static const cli_choice shapes[] = {{"gpu", MST_FFT_SHAPE_GPU}, {"cpu", MST_FFT_SHAPE_CPU}};
    int shape = MST_FFT_SHAPE_AUTO;
    if (set->shape_name &&
        cli_choose(NULL, "--shape", set->shape_name, shapes, CLI_COUNT(shapes), "gpu or cpu", &shape) != CLI_DONE)
        return CLI_USAGE;
    if (set->random < 0 || set->random > 1000)
        return cli_error(NULL, "--random %d: not between 0 and 1000", set->random), CLI_USAGE;
    set->shape = (mst_fft_shape)shape;
    set->context = (mst_context_desc)MST_CONTEXT_DESC_INIT;
    set->context.device = arguments->common.device;
    set->context.cache_directory = directory;
    if (!mkdtemp(directory)) {
        cli_error(NULL, "cannot make %s: %s", directory, strerror(errno));
        return CLI_FAILED;
    }
    set->rows = json_array();
    int code = print_table(set);
    if (set->json && code == CLI_DONE && !write_json(set))
        code = CLI_FAILED;
    json_decref(set->rows);
    snprintf(command, sizeof command, "rm -r %s", directory);
    return system(command) == 0 ? code : CLI_FAILED;
}

static const cli_option options[] = {
    {"shape", 0, CLI_TEXT, offsetof(settings, shape_name), "gpu or cpu (default: the device's)", "SHAPE"},
    {"only", 0, CLI_TEXT, offsetof(settings, only), "cases with this in their names", "TEXT"},
    {"processor", 0, CLI_FLAG, offsetof(settings, processor), "the processor's time instead of the clock's", NULL},
    {"random", 0, CLI_INT, offsetof(settings, random), "N transforms, convolutions and filters of random sizes instead", "N"},
    {"seed", 0, CLI_LONG, offsetof(settings, seed), "of these sizes (default 0)", "SEED"},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the table there too", "FILE"},
};
static const cli_command command_line = {
    .title = "How long plans take to make.",
    .synopsis = "[options]",
    .details = "Cold, with their kernels in the program cache, and again in the same context. Turn the driver's own\n"
               "cache off: POCL_KERNEL_CACHE=0, CUDA_CACHE_DISABLE=1.\n",
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .run = run,
};

int main(int argc, const char **argv) {
    cli_set_program("plan-times");
    return cli_run_command(&command_line, argc, argv);
}
