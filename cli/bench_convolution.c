// mastaba bench convolution: the cells that the paper published, measured here.
#include "bench_convolution.h"

#include "bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

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

static bool is_quick(const paper_cell *cell) {
    bool length = cell->n == 32 || cell->n == 256 || cell->n == 2048 || cell->n == 16384;
    return length && (cell->side == 5 || cell->side == 20);
}

static void find_processor(char *text, size_t bytes) {
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, bytes, "the host's processor");
    while (file && fgets(line, sizeof line, file)) {
        char *name = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !name)
            continue;
        name += 1 + strspn(name + 1, " ");
        name[strcspn(name, "\n")] = '\0';
        snprintf(text, bytes, "%s", name);
        break;
    }
    if (file)
        fclose(file);
}

static int measure_all(mst_context *context, bool quick, bool print, bench_run *run) {
    cli_progress progress = cli_progress_start(command, 0);
    uint64_t done = 0;
    size_t last = 0;
    int exit_code = CLI_DONE;

    progress.visible &= !print;
    for (size_t c = 0; c < PAPER_N_CELLS && exit_code == CLI_DONE; c++) {
        mst_error error;
        bench_cell *cell = &run->cells[run->n_cells];
        if (quick && !is_quick(&paper_cells[c]))
            continue;
        mst_status status = bench_measure(context, &paper_cells[c], run->cell_seconds, cell, &error);
        if (cli_interrupted() || status == MST_ERROR_CANCELLED) {
            run->interrupted = true;
            cli_error(command, "interrupted after %d cells", run->n_cells);
            break;
        }
        if (status != MST_OK) {
            exit_code = cli_fail(command, "the reference", &error);
            break;
        }
        run->n_cells++;
        if (print) {
            bench_print_cell(cell, cell->paper->n != last);
            exit_code = cli_flush(command); // whoever reads may have gone
        }
        last = cell->paper->n;
        cli_progress_update(++done, quick ? 8 : PAPER_N_CELLS, &progress);
    }
    cli_progress_end(&progress);
    return exit_code;
}

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
    time_t now = time(NULL);
    struct tm utc;
    int exit_code = plot ? bench_plot_check(command, plot, options->force) : CLI_DONE;

    if (exit_code == CLI_DONE)
        exit_code = cli_context(command, options, false, &context);
    if (exit_code != CLI_DONE)
        return exit_code;
    run->device = mst_context_device(context);
    run->cell_seconds = seconds;
    find_processor(run->processor, sizeof run->processor);
    strftime(run->date, sizeof run->date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    if (!options->json)
        bench_print_heading(run);
    exit_code = measure_all(context, quick, !options->json, run);
    if (exit_code == CLI_DONE) {
        if (options->json)
            exit_code = cli_print_json(command, bench_json(run));
        else
            bench_print_summary(run);
    }
    if (exit_code == CLI_DONE && plot && !run->interrupted)
        exit_code = bench_plot(command, plot, run);
    mst_context_destroy(context);
    if (exit_code == CLI_DONE)
        exit_code = cli_flush(command);
    return exit_code == CLI_DONE ? verdict(run) : exit_code;
}

int bench_convolution(int argc, const char **argv) {
    int quick = 0, exit_code;
    double seconds = 6;
    char *plot = NULL;
    const struct poptOption options[] = {
        {"quick", 0, POPT_ARG_NONE, &quick, 0, "only N = 32, 256, 2048, 16384 with 5x5 and 20x20 vectors", NULL},
        {"cell-seconds", 0, POPT_ARG_DOUBLE, &seconds, 0, "time for one cell (default: 6)", "S"},
        {"plot", 0, POPT_ARG_STRING, &plot, 0, "draw the speed-ups into this directory", "DIR"},
        POPT_TABLEEND};
    const cli_usage usage = {.command = command,
                             .synopsis = "[options]",
                             .summary = "Compare the published convolution algorithms with the sequential reference.",
                             .details = details,
                             .options = options};
    cli_arguments arguments;
    bench_run *run = calloc(1, sizeof *run);

    if (cli_parse(&usage, argc, argv, &arguments, &exit_code)) {
        exit_code = CLI_USAGE;
        if (!run)
            cli_error(command, "out of memory");
        else if (!(seconds > 0 && seconds <= 3600))
            cli_error(command, "--cell-seconds %g: not a time; give up to 3600 seconds", seconds);
        else {
            cli_catch_interrupts();
            exit_code = run_benchmark(&arguments.common, quick, seconds, plot, run);
        }
    }
    cli_free(&arguments);
    free(plot);
    free(run);
    return exit_code;
}
