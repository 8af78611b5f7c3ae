// stencil-rates: the stencil solver beside its ceilings, in one table: in core against the copy rate, schedules beyond the
// device's memory against in core, and on a CPU against a plain C loop.
#include "core/cli.h"
#include "json.h"

#include <pthread.h>
#include <stdlib.h>

// What the options say, set once by run().
static int side, side3, steps, fuse, fuse3, fraction, fraction3;
static const char *device;

static json_t *rows; // of the table
static bool failed;  // one of them

static const mst_stencil_update updates[] = {
    {"u", "u + 0.2 * (u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4 * u)", 0},
    {"u", "u + 0.15 * (u[-1,0,0] + u[1,0,0] + u[0,-1,0] + u[0,1,0] + u[0,0,-1] + u[0,0,1] - 6 * u)", 0}};

static void fail(const mst_error *error) {
    cli_fail(NULL, NULL, error);
    failed = true;
}

// The heat equation on a cube or square, zero at first, as its rate does not depend on values; NULL and a message on failure.
static mst_stencil *make(mst_context *context, int rank, mst_stencil_schedule schedule, mst_stencil_store store) {
    mst_stencil_field field = {.name = "u"};
    mst_stencil_desc d = MST_STENCIL_DESC_INIT;
    mst_stencil *solver = NULL;
    mst_error e;
    d.rank = rank;
    for (int k = 0; k < rank; k++)
        d.grid[k] = (size_t)(rank == 3 ? side3 : side);
    d.fields = &field;
    d.n_fields = 1;
    d.updates = &updates[rank - 2];
    d.n_updates = 1;
    d.schedule = schedule;
    d.fuse = (unsigned)(rank == 3 ? fuse3 : fuse);
    d.store = store;
    if (mst_stencil_create(context, &d, &solver, &e) != MST_OK)
        fail(&e);
    return solver;
}

// Node-steps a second of the best of some runs; 0 on failure.
static double rate(mst_context *context, const char *what, int rank, mst_stencil_schedule schedule, mst_stencil_store store,
                   int n_steps, int runs, double ceiling, const char *of) {
    double start = cli_now(), best = 0, predicted = 0, measured = 0;
    mst_stencil *solver = make(context, rank, schedule, store);
    mst_stencil_report report = MST_STENCIL_REPORT_INIT;
    mst_stencil_plan plan = MST_STENCIL_PLAN_INIT;
    mst_error e;
    double made = cli_now() - start;
    for (int k = 0; solver && k < runs; k++) {
        if (mst_stencil_run(solver, (uint64_t)n_steps, NULL, &report, &e) != MST_OK ||
            mst_stencil_describe(solver, (uint64_t)n_steps, &plan, &e) != MST_OK) {
            fail(&e);
            break;
        }
        if (report.node_steps_a_second > best) {
            best = report.node_steps_a_second;
            predicted = plan.seconds;
            measured = report.seconds;
        }
    }
    const mst_stencil_plan *p = &plan;
    if (best > 0)
        printf("%-26s %8.2f Gnode-steps/s  %6.2f of %s  [%s n %zu m %u b %zu, twice %.0f %%; model %.3f s, run %.3f s; made in "
               "%.1f s]\n",
               what, best / 1e9, best / ceiling, of, mst_stencil_schedule_name(p->schedule), p->depth, p->fuse, p->block,
               100 * p->duplicated, predicted, measured, made);
    if (best > 0)
        json_array_append_new(rows, json_pack("{s:s, s:f, s:s, s:f, s:s, s:I, s:I, s:I, s:f, s:f, s:f}", "what", what,
                                              "node_steps_a_second", best, "of", of, "ratio", best / ceiling, "schedule",
                                              mst_stencil_schedule_name(p->schedule), "n", (json_int_t)p->depth, "m",
                                              (json_int_t)p->fuse, "block", (json_int_t)p->block, "duplicated", p->duplicated,
                                              "predicted_seconds", predicted, "seconds", measured));
    fflush(stdout);
    mst_stencil_destroy(solver);
    return best;
}

static int make_context(uint64_t device_memory, mst_context **context) {
    mst_context_desc d = MST_CONTEXT_DESC_INIT;
    mst_error e;
    d.device = device;
    d.device_memory = device_memory;
    d.host_memory = (uint64_t)64 << 30;
    failed = mst_context_create(&d, context, &e) != MST_OK || failed;
    return *context ? CLI_DONE : cli_fail(NULL, NULL, &e);
}

// Rows from..to-1 of one step, one half of the grid a thread.
typedef struct half {
    const float *from;
    float *to;
    size_t n, begin, end;
} half;

static void *sweep(void *argument) {
    const half *h = argument;
    size_t n = h->n;
    for (size_t i = h->begin; i < h->end; i++) {
        const float *restrict u = h->from + i * n;
        float *restrict v = h->to + i * n;
        for (size_t j = 1; j + 1 < n; j++)
            v[j] = u[j] + 0.2f * (u[j - n] + u[j + n] + u[j - 1] + u[j + 1] - 4.0f * u[j]);
    }
    return NULL;
}

static double plain_loop(int n_steps) {
    size_t n = (size_t)side;
    float *a = calloc(n * n, sizeof *a), *b = calloc(n * n, sizeof *b);
    double best = 0;
    for (int k = 0; a && b && k < 3; k++) {
        double start = cli_now();
        for (int step = 0; step < n_steps; step++) {
            half low = {step & 1 ? b : a, step & 1 ? a : b, n, 1, n / 2}, high = {low.from, low.to, n, n / 2, n - 1};
            pthread_t thread;
            if (pthread_create(&thread, NULL, sweep, &high) != 0)
                return 0;
            sweep(&low);
            pthread_join(thread, NULL);
        }
        double got = (double)n * (double)n * n_steps / (cli_now() - start);
        best = got > best ? got : best;
    }
    free(a);
    free(b);
    return best;
}

static void on_cpu(mst_context *context, uint64_t bytes) {
    double loop = plain_loop(4);
    printf("%-26s %8.2f Gnode-steps/s\n", "plain C, 2 threads", loop / 1e9);
    double core = rate(context, "heat2d in core", 2, MST_STENCIL_IN_CORE, MST_STENCIL_STORE_AUTO, steps, 3, loop, "plain C");
    mst_context *small;
    if (make_context(bytes / (uint64_t)fraction, &small) == CLI_DONE && core > 0)
        rate(small, "heat2d, small budget", 2, MST_STENCIL_AUTO, MST_STENCIL_STORE_AUTO, steps, 2, core, "in core");
    mst_context_destroy(small);
}

static void on_gpu(mst_context *context, double copy, uint64_t bytes, uint64_t bytes3, int pageable, int trivial) {
    double core = rate(context, "heat2d in core", 2, MST_STENCIL_IN_CORE, 0, steps, 2, copy / 8, "naive");
    double core3 = rate(context, "heat3d in core", 3, MST_STENCIL_IN_CORE, 0, steps, 2, copy / 8, "naive");
    mst_context *small, *small3;
    if (make_context(bytes / (uint64_t)fraction, &small) != CLI_DONE)
        return;
    double pinned =
        rate(small, "heat2d beyond, pinned", 2, MST_STENCIL_AUTO, MST_STENCIL_STORE_PINNED, steps, 1, core, "in core");
    if (pageable)
        rate(small, "heat2d beyond, malloc", 2, MST_STENCIL_AUTO, MST_STENCIL_STORE_MEMORY, steps, 1, core, "in core");
    if (trivial) {
        double slow =
            rate(small, "heat2d trivial, pinned", 2, MST_STENCIL_TRIVIAL, MST_STENCIL_STORE_PINNED, 10, 1, core, "in core");
        printf("%-26s %8.2f times\n", "pinned over trivial", slow > 0 ? pinned / slow : 0);
    }
    mst_context_destroy(small);
    if (make_context(bytes3 / (uint64_t)fraction3, &small3) == CLI_DONE)
        rate(small3, "heat3d beyond, pinned", 3, MST_STENCIL_AUTO, MST_STENCIL_STORE_PINNED, steps, 1, core3, "in core");
    mst_context_destroy(small3);
}

typedef struct settings {
    int side, side3, steps, fuse, fuse3, fraction, fraction3, pageable, trivial;
    char *json;
} settings;

static int check_settings(const settings *s) {
    static const char *const names[] = {"--side", "--side3", "--steps", "--fuse", "--fuse3", "--part", "--part3"};
    static const int least[] = {0, 0, 1, 0, 0, 1, 1};
    const int given[] = {s->side, s->side3, s->steps, s->fuse, s->fuse3, s->fraction, s->fraction3};
    for (size_t i = 0; i < CLI_COUNT(names); i++)
        if (given[i] < least[i]) {
            cli_error(NULL, "%s %d: at least %d", names[i], given[i], least[i]);
            return CLI_USAGE;
        }
    return CLI_DONE;
}

static int measure(const settings *s, mst_context *context) {
    double copy = 0;
    mst_error e;
    if (mst_context_copy_rate(context, &copy, &e) != MST_OK)
        return cli_fail(NULL, NULL, &e);
    bool gpu = mst_context_device(context)->type & CL_DEVICE_TYPE_GPU;
    side = s->side ? s->side : gpu ? 46336 : 11584;
    side3 = s->side3 ? s->side3 : 1280;
    printf("%s, %d^2 and %d^3 float32, %d steps\n", mst_context_device(context)->name, side, side3, steps);
    printf("%-26s %8.2f GB/s\n", "copy rate", copy / 1e9);
    uint64_t bytes = (uint64_t)side * (uint64_t)side * 4, bytes3 = (uint64_t)side3 * (uint64_t)side3 * (uint64_t)side3 * 4;
    if (gpu)
        on_gpu(context, copy, bytes, bytes3, s->pageable, s->trivial);
    else
        on_cpu(context, bytes);
    bool written = !s->json || bench_write_json(context, "stencil-rates",
                                                json_pack("{s:f, s:i, s:i, s:i, s:O}", "copy_bytes_a_second", copy, "side", side,
                                                          "side3", side3, "steps", steps, "rows", rows),
                                                s->json);
    return written && !failed ? CLI_DONE : CLI_FAILED;
}

static int run(const cli_arguments *arguments, void *values) {
    const settings *s = values;
    int code = check_settings(s);
    if (code != CLI_DONE)
        return code;
    device = arguments->common.device;
    steps = s->steps;
    fuse = s->fuse;
    fuse3 = s->fuse3;
    fraction = s->fraction;
    fraction3 = s->fraction3;
    rows = json_array();
    mst_context *context;
    code = rows ? make_context(0, &context) : cli_out_of_memory(NULL, NULL);
    if (code == CLI_DONE) {
        code = measure(s, context);
        mst_context_destroy(context);
    }
    json_decref(rows);
    return code;
}

static const cli_option options[] = {
    {"side", 0, CLI_INT, offsetof(settings, side), "side of the square (default: 46336, on a CPU 11584)", "N"},
    {"side3", 0, CLI_INT, offsetof(settings, side3), "side of the cube (default: 1280)", "N"},
    {"steps", 0, CLI_INT, offsetof(settings, steps), "steps of a run (default: 3000)", "K"},
    {"fuse", 0, CLI_INT, offsetof(settings, fuse), "fused steps in two dimensions (default: the planner's)", "M"},
    {"fuse3", 0, CLI_INT, offsetof(settings, fuse3), "fused steps in three dimensions (default: the planner's)", "M"},
    {"part", 0, CLI_INT, offsetof(settings, fraction), "budget: one part of the square in so many (default: 8)", "P"},
    {"part3", 0, CLI_INT, offsetof(settings, fraction3), "budget: one part of the cube in so many (default: 4)", "P"},
    {"pageable", 0, CLI_FLAG, offsetof(settings, pageable), "also with ordinary memory, on a GPU", NULL},
    {"trivial", 0, CLI_FLAG, offsetof(settings, trivial), "also the trivial schedule, on a GPU", NULL},
    {"json", 0, CLI_TEXT, offsetof(settings, json), "write the table there too", "FILE"},
};
static const settings defaults = {.steps = 3000, .fraction = 8, .fraction3 = 4};
static const cli_command command = {
    .title = "The stencil solver beside its ceilings.",
    .synopsis = "[options]",
    .details = "In core against the copy rate (GPU) or a plain C loop on two threads (CPU), then grids beyond the\n"
               "device's memory against the same in core.\n",
    .leave_out = ~(unsigned)CLI_DEVICE,
    .options = options,
    .n_options = CLI_COUNT(options),
    .values_bytes = sizeof(settings),
    .defaults = &defaults,
    .run = run,
};

int main(int argc, const char **argv) {
    cli_set_program("stencil-rates");
    return cli_run_command(&command, argc, argv);
}
