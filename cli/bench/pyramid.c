// mastaba bench pyramid: grids that pass through a small part of the device, as the pyramid method's paper measured them.
#include "pyramid.h"

#include <math.h>
#include <stdlib.h>

static const char command[] = "bench pyramid";

static const char details[] = "Solves the heat equation on a grid of which an eighth fits the device, with\n"
                              "slabs and tiles of every height n and the trivial way, as the paper ran them (one\n"
                              "step a kernel, no overlap), then every schedule as `mastaba solve` runs it; the same\n"
                              "in three dimensions with a quarter. Prints the time a node-step beside what the model\n"
                              "predicts, and the speed-ups over the trivial way beside the paper's. Before that: the\n"
                              "paper's table of theory, from its formulas.\n"
                              "\n"
                              "--plot DIR draws pyramid.svg and .png there, by gnuplot: the paper's figures 4 and 5.\n"
                              "\n"
                              "Example: a first look\n"
                              "  mastaba bench pyramid --quick\n";

static int run_benchmark(pyramid_bench *bench, const char *plot) {
    const cli_options *options = bench->options;
    cli_plot picture = pyramid_plot(bench);
    int code = plot ? cli_plot_check(command, plot, &picture, options->force) : CLI_DONE;
    if (code == CLI_DONE && !options->json) {
        pyramid_print_theory();
        code = cli_flush(command);
    }
    if (code == CLI_DONE)
        code = pyramid_measure(command, bench);
    if (code != CLI_DONE)
        return code;
    if (options->json)
        code = cli_print_json(command, pyramid_json(bench));
    else
        pyramid_print(bench);
    if (code == CLI_DONE && plot)
        code = cli_plot_draw(command, plot, &picture);
    return code == CLI_DONE ? cli_flush(command) : code;
}

typedef struct request {
    int quick;
    double seconds; // for a point
    char *plot;     // NULL: no picture
} request;

static const request defaults = {.seconds = 0.4};

static const cli_option option_table[] = {
    {"quick", 0, CLI_FLAG, offsetof(request, quick), "fewer heights", NULL},
    {"point-seconds", 0, CLI_REAL, offsetof(request, seconds), "time for one point (default: 0.4)", "S"},
    {"plot", 0, CLI_TEXT, offsetof(request, plot), "draw time against n into this directory", "DIR"},
};

static int run(const cli_arguments *arguments, void *values) {
    const request *r = values;
    if (!(r->seconds > 0 && r->seconds <= 3600)) {
        cli_error(command, "--point-seconds %g: not a time; give up to 3600 seconds", r->seconds);
        return CLI_USAGE;
    }
    pyramid_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return cli_out_of_memory(command, NULL);
    cli_catch_interrupts();
    *bench = (pyramid_bench){.options = &arguments->common, .seconds = r->seconds, .quick = r->quick != 0, .until = INFINITY};
    int code = run_benchmark(bench, r->plot);
    free(bench);
    return code;
}

const cli_command bench_pyramid = {
    .name = command,
    .summary = "slabs, tiles and skewed slabs against the trivial way",
    .title = "Compare the ways of a large grid through a small device with the paper and the model.",
    .synopsis = "[options]",
    .details = details,
    .leave_out = CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
