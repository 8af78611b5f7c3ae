// formula-rates: what byte code costs formulas that are long in use.
//
// Maps and integrals of formulas that were never seen, on some 10^9 points, in three ways by turns, each in a process of its own:
// compiled before the first point, by byte code until compiling is repaid (what plans do by themselves), by byte code alone. A
// time begins with making the plan; `after` is the same once more, by the same plan. The arrays of maps take 8 bytes a point.
#include "core/cli.h"
#include "json.h"
#include "say.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_ROUNDS = 99, N_WAYS = 3, FORMULA_TEXT = 128 };

typedef struct settings {
    char *json;
    long long points;
    int rounds, processor;
} settings;

typedef struct formula {
    const char *text; // with a number that is another one in every plan
    bool is_map, reduces;
} formula;

static const formula formulas[] = {
    {"x + y*%.9g", true, false},
    {"(x*y + x)*(x - y)/(x + %.9g) + x*x*y", true, false},
    {"sin(x*%.9g)*exp(-y*y)", true, false},
    {"sum(x*y*%.9g)", true, true},
    {"x^3 - %.9g*x + 1", false, false},
    {"sqrt(x) + abs(x - %.9g)", false, false},
    {"sin(%.9g*x)", false, false},
    {"exp(-x^2)*cos(%.9g*x) + 1/(1 + x^2)", false, false},
};
enum { N_FORMULAS = CLI_COUNT(formulas) };

static const char *const names[N_WAYS] = {"compiled first", "by rule", "byte code"};
static const uint64_t compile_from[N_WAYS] = {1, 0, UINT64_MAX};

typedef struct times {
    double all[MOST_ROUNDS], after[MOST_ROUNDS];
} times;

typedef struct bench {
    const settings *settings;
    const cli_options *options;
    mst_context *context; // of a process that measures, later of the one that reports
    float *x, *y;
    int n_plans;
    json_t *rows;
} bench;

// On the clock, or of the processor, for machines that are not quiet.
static double now(const bench *b) {
    struct timespec t;
    if (!b->settings->processor)
        return cli_now();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Makes a plan of a map and takes all points through it, in place; then once more.
static bool run_map(const bench *b, const formula *f, const char *text, int way, double seconds[2]) {
    const size_t n = (size_t)b->settings->points;
    const mst_layout layout = mst_layout_dense(MST_FLOAT32, 1, &n);
    const mst_map_input inputs[] = {{"x", layout}, {"y", layout}};
    const mst_location places[] = {mst_at_host(b->x), mst_at_host(b->y)};
    mst_map_desc desc = MST_MAP_DESC_INIT;
    mst_map *plan;
    mst_error e;
    desc.expression = text;
    desc.inputs = inputs;
    desc.n_inputs = CLI_COUNT(inputs);
    desc.compile_from = compile_from[way];
    double start = now(b);
    bool done = mst_map_create(b->context, &desc, &plan, &e) == MST_OK;
    for (int pass = 0; pass < 2 && done; pass++) {
        if (pass == 1)
            start = now(b);
        done = mst_map_execute(plan, places, mst_at_host(f->reduces ? (void *)&(double){0} : b->x), NULL, &e) == MST_OK;
        seconds[pass] = now(b) - start;
    }
    mst_map_destroy(plan);
    return done || bench_say(text, &e);
}

static bool run_integral(const bench *b, const char *text, int way, double seconds[2]) {
    const mst_integral_range range = {"x", "0", "1"};
    mst_integral_desc desc = MST_INTEGRAL_DESC_INIT;
    mst_integral_result result;
    mst_integral *plan;
    mst_error e;
    desc.integrand = text;
    desc.ranges = &range;
    desc.rule = MST_INTEGRAL_MIDPOINT;
    desc.points = (uint64_t)b->settings->points;
    desc.compile_from = compile_from[way];
    double start = now(b);
    bool done = mst_integral_create(b->context, &desc, &plan, &e) == MST_OK;
    for (int pass = 0; pass < 2 && done; pass++) {
        if (pass == 1)
            start = now(b);
        done = mst_integral_execute(plan, NULL, 1, &result, NULL, &e) == MST_OK;
        seconds[pass] = now(b) - start;
    }
    mst_integral_destroy(plan);
    return done || bench_say(text, &e);
}

// What a process of its own does, as a command would: its first compilation reads the driver's library of built-ins, too.
static bool run_alone(bench *b, const formula *f, int way, int n_plans, double seconds[2]) {
    char text[FORMULA_TEXT];
    snprintf(text, sizeof text, f->text, 2 + 1e-4 * n_plans + 1e-9 * (double)(time(NULL) % 100000));
    if (cli_context(NULL, b->options, false, &b->context) != CLI_DONE)
        return false;
    const bool done = f->is_map ? run_map(b, f, text, way, seconds) : run_integral(b, text, way, seconds);
    mst_context_destroy(b->context);
    return done;
}

static bool run(bench *b, const formula *f, int way, double seconds[2]) {
    int ends[2], status = 0;
    const int n_plans = b->n_plans++;
    if (pipe(ends) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        const ssize_t size = 2 * sizeof *seconds;
        _exit(run_alone(b, f, way, n_plans, seconds) && write(ends[1], seconds, (size_t)size) == size ? 0 : 1);
    }
    close(ends[1]);
    const bool done = child > 0 && read(ends[0], seconds, 2 * sizeof *seconds) == 2 * sizeof *seconds;
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 && done;
}

// Whether the device is there, which a child asks: drivers do not stand a fork after they were opened.
static int find_device(bench *b) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        _exit(cli_context(NULL, b->options, false, &b->context));
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : CLI_FAILED;
}

// The first round is not counted: what byte code needs is compiled in it, if it is not in the cache.
static bool measure(bench *b, const formula *f, times ways[N_WAYS]) {
    for (int round = -1; round < b->settings->rounds; round++)
        for (int way = 0; way < N_WAYS; way++) {
            double seconds[2];
            if (!run(b, f, way, seconds))
                return false;
            if (round >= 0) {
                ways[way].all[round] = seconds[0];
                ways[way].after[round] = seconds[1];
            }
        }
    return true;
}

static double median_ratio(const double *a, const double *b, int n) {
    double ratios[MOST_ROUNDS];
    for (int i = 0; i < n; i++)
        ratios[i] = a[i] / b[i];
    return cli_median(ratios, n);
}

static void report(bench *b, const formula *f, times ways[N_WAYS]) {
    const int n = b->settings->rounds;
    // Rates by rule: over those of what is compiled first, round by round.
    const double all = median_ratio(ways[0].all, ways[1].all, n), after = median_ratio(ways[0].after, ways[1].after, n);
    char text[FORMULA_TEXT];
    snprintf(text, sizeof text, f->text, 2.0);
    json_t *seconds = json_object(), *again = json_object();
    printf("%-36s", text);
    for (int way = 0; way < N_WAYS; way++) {
        const double whole = cli_median(ways[way].all, n), pass = cli_median(ways[way].after, n);
        printf(" %7.2f %6.3f", whole, pass);
        json_object_set_new(seconds, names[way], json_real(whole));
        json_object_set_new(again, names[way], json_real(pass));
    }
    printf(" %8.2f %6.2f\n", all, after);
    fflush(stdout);
    json_array_append_new(b->rows,
                          json_pack("{s:s, s:s, s:o, s:o, s:f, s:f}", "what", f->is_map ? "map" : "integral", "formula", text,
                                    "seconds", seconds, "seconds_after", again, "rate_ratio", all, "rate_ratio_after", after));
}

static bool make_arrays(bench *b) {
    const size_t n = (size_t)b->settings->points;
    float **arrays[] = {&b->x, &b->y};
    for (size_t k = 0; k < CLI_COUNT(arrays); k++) {
        void *shared = mmap(NULL, n * sizeof(float), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
            return cli_out_of_memory(NULL, NULL), false;
        *arrays[k] = shared;
        for (size_t i = 0; i < n; i++)
            (*arrays[k])[i] = (float)((i * (2 * k + 1)) % 1021) / 1021;
    }
    return true;
}

static bool measure_all(bench *b) {
    static times ways[N_WAYS];
    if (!b->rows || !make_arrays(b))
        return false;
    printf("Seconds of %lld points, and after; medians of %d\n%-36s", b->settings->points, b->settings->rounds, "");
    for (int way = 0; way < N_WAYS; way++)
        printf(" %14s", names[way]);
    printf(" %15s\n", "by rule/compiled");
    for (size_t k = 0; k < N_FORMULAS; k++) {
        if (!measure(b, &formulas[k], ways))
            return false;
        report(b, &formulas[k], ways);
    }
    return true;
}

static int run_command(const cli_arguments *arguments, void *values) {
    const settings *s = values;
    if (s->rounds < 1 || s->rounds > MOST_ROUNDS || s->points < 1 || s->points > 1ll << 40) {
        cli_error(NULL, "--rounds %d, --points %lld: 1 to %d, 1 to 2^40", s->rounds, s->points, MOST_ROUNDS);
        return CLI_USAGE;
    }
    bench b = {.settings = s, .options = &arguments->common, .rows = json_array()};
    int code = find_device(&b);
    if (code == CLI_DONE)
        code = measure_all(&b) ? CLI_DONE : CLI_FAILED;
    if (code == CLI_DONE && s->json)
        code = cli_context(NULL, b.options, false, &b.context);
    if (code == CLI_DONE && s->json &&
        !bench_write_json(b.context, "formula-rates",
                          json_pack("{s:b, s:I, s:i, s:O}", "processor", s->processor, "points", (json_int_t)s->points, "rounds",
                                    s->rounds, "rows", b.rows),
                          s->json))
        code = CLI_FAILED;
    json_decref(b.rows);
    mst_context_destroy(b.context);
    return code;
}

static const cli_option options[] = {
    {"points", 'n', CLI_LONG, offsetof(settings, points), "of a formula in all (default: 1000000000)", "N"},
    {"rounds", 'r', CLI_INT, offsetof(settings, rounds), "measured rounds, 1 to 99 (default: 7)", "N"},
    {"processor", 0, CLI_FLAG, offsetof(settings, processor), "the processor's time instead of the clock's", NULL},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the results there too", "FILE"},
};
static const settings defaults = {.points = 1000000000, .rounds = 7};
static const cli_command command = {
    .title = "Maps and integrals of formulas that were never seen: by byte code until compiling is repaid, and compiled.",
    .synopsis = "[options]",
    .details = "Maps of float32 arrays in memory, integrals by the midpoint rule in float64.\n",
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run_command,
};

int main(int argc, const char **argv) {
    cli_set_program("formula-rates");
    return cli_run_command(&command, argc, argv);
}
