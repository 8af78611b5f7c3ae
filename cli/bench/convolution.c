// mastaba bench convolution: the cells that the paper published, measured here.
#include "convolution.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "bench convolution";

static const char details[] = "Measures the published algorithms A to E against the sequential reference, one\n"
                              "thread of the host, on M x J pairs of complex64 vectors of length N, and prints\n"
                              "the speed-ups beside those of the paper. Every result is checked; a wrong one is\n"
                              "marked, and the exit code is 1.\n"
                              "\n"
                              "A time is the median of whole calls on host arrays, transfers included, after\n"
                              "one call to warm up; making the plan is not counted. A sixth of --cell-seconds is\n"
                              "for the reference (on fewer vectors where not all fit, scaled in proportion), and\n"
                              "a sixth for each variant: one that is predicted to take longer is not run.\n"
                              "\n"
                              "--plot DIR draws convolution-speedup.svg and .png there, by gnuplot.\n"
                              "\n"
                              "Example: a first look in under a minute\n"
                              "  mastaba bench convolution --quick\n";

static int verdict(const bench_run *run) {
    if (run->interrupted)
        return CLI_INTERRUPTED;
    for (int c = 0; c < run->n_cells; c++)
        for (int v = 0; v < PAPER_N_VARIANTS; v++) {
            bench_outcome outcome = run->cells[c].variants[v].outcome;
            if (outcome == BENCH_WRONG || outcome == BENCH_FAILED)
                return CLI_FAILED;
        }
    return CLI_DONE;
}

static int run_benchmark(const cli_options *options, bool quick, double seconds, const char *plot, bench_run *run) {
    mst_context *context = NULL;
    cli_plot picture = bench_plot(run);
    int exit_code = plot ? cli_plot_check(command, plot, &picture, options->force) : CLI_DONE;

    if (exit_code == CLI_DONE)
        exit_code = cli_context(command, options, false, &context);
    if (exit_code != CLI_DONE)
        return exit_code;
    run->device = mst_context_device(context);
    run->cell_seconds = seconds;
    run->until = INFINITY;
    bench_processor(run->processor);
    bench_date(run->date);
    if (!options->json)
        bench_print_heading(run);
    exit_code = bench_measure_all(command, context, quick, !options->json, run);
    if (exit_code == CLI_DONE) {
        if (options->json)
            exit_code = cli_print_json(command, bench_json(run));
        else
            bench_print_summary(run);
    }
    if (exit_code == CLI_DONE && plot && !run->interrupted)
        exit_code = cli_plot_draw(command, plot, &picture);
    mst_context_destroy(context);
    if (exit_code == CLI_DONE)
        exit_code = cli_flush(command);
    return exit_code == CLI_DONE ? verdict(run) : exit_code;
}

typedef struct request {
    int quick;
    double seconds; // for a cell
    char *plot;     // NULL: no picture
} request;

static const request defaults = {.seconds = 6};

static const cli_option option_table[] = {
    {"quick", 0, CLI_FLAG, offsetof(request, quick), "only N = 32, 256, 2048, 16384 with 5x5 and 20x20 vectors", NULL},
    {"cell-seconds", 0, CLI_REAL, offsetof(request, seconds), "time for one cell (default: 6)", "S"},
    {"plot", 0, CLI_TEXT, offsetof(request, plot), "draw the speed-ups into this directory", "DIR"},
};

static int run(const cli_arguments *arguments, void *values) {
    const request *r = values;
    if (!(r->seconds > 0 && r->seconds <= 3600)) {
        cli_error(command, "--cell-seconds %g: not a time; give up to 3600 seconds", r->seconds);
        return CLI_USAGE;
    }
    bench_run *results = calloc(1, sizeof *results);
    if (!results)
        return cli_out_of_memory(command, NULL);
    cli_catch_interrupts();
    int code = run_benchmark(&arguments->common, r->quick, r->seconds, r->plot, results);
    free(results);
    return code;
}

const cli_command bench_convolution = {
    .name = command,
    .summary = "the paper's variants A to E against its sequential reference",
    .title = "Compare the published convolution algorithms with the sequential reference.",
    .synopsis = "[options]",
    .details = details,
    .leave_out = CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
