// mastaba bench integration: the published tables, larger N, and rates of the rules on this machine.
#include "integration.h"

#include <math.h>
#include <stdlib.h>

static const char command[] = "bench integration";

static const char details[] =
    "For sin(x^2) and exp(-x^2) over [-5, 5] in float32: one core running the plain loop\n"
    "with sinf and expf, the published kernel (2048 work-items in groups of 128), and the\n"
    "rectangle rule in as many work-items as fill the device. K1 is the ratio of the times\n"
    "of whole calls, plans made beforehand, K2 that of the core to the kernels alone, beside\n"
    "the best that were published. Loops longer than 2^24 are scaled from there. A time is the\n"
    "least of several calls.\n"
    "Then the rates at 2^30 points (2^26 on a CPU) and the time of adaptive integrals, one and 100,000.\n"
    "\n"
    "--plot DIR draws integration-speedup.svg and .png there, by gnuplot.\n"
    "\n"
    "Example\n"
    "  mastaba bench integration --largest 32\n";

static int run_benchmark(const cli_options *options, const char *plot, integration_bench *bench) {
    mst_context *contexts[2] = {NULL, NULL};
    cli_plot picture = integration_plot(bench);
    int code = plot ? cli_plot_check(command, plot, &picture, options->force) : CLI_DONE;
    for (int k = 0; k < 2 && code == CLI_DONE; k++)
        code = cli_context(command, options, k == 1, &contexts[k]);
    if (code == CLI_DONE && bench->print)
        printf("device %s\n", mst_context_device(contexts[0])->name);
    if (code == CLI_DONE)
        code = integration_measure(command, contexts, bench);
    if (code == CLI_DONE && options->json)
        code = cli_print_json(command, integration_json(bench));
    if (code == CLI_DONE && plot)
        code = cli_plot_draw(command, plot, &picture);
    for (int k = 0; k < 2; k++)
        mst_context_destroy(contexts[k]);
    return code;
}

typedef struct request {
    int largest;
    char *plot; // NULL: no picture
} request;

static const request defaults = {.largest = 24};

static const cli_option option_table[] = {
    {"largest", 0, CLI_INT, offsetof(request, largest), "the tables go to 2^L points, 10 to 32 (default: 24)", "L"},
    {"plot", 0, CLI_TEXT, offsetof(request, plot), "draw the speed-ups into this directory", "DIR"},
};

static int run(const cli_arguments *arguments, void *values) {
    const request *r = values;
    integration_bench bench = {.largest = r->largest, .print = !arguments->common.json, .until = INFINITY};
    if (r->largest < INTEGRATION_FIRST || r->largest > INTEGRATION_LAST) {
        cli_error(command, "--largest %d: not from %d to %d", r->largest, INTEGRATION_FIRST, INTEGRATION_LAST);
        return CLI_USAGE;
    }
    cli_catch_interrupts();
    return run_benchmark(&arguments->common, r->plot, &bench);
}

const cli_command bench_integration = {
    .name = command,
    .summary = "the published rectangle rule against one core and the library's rules",
    .title = "Compare the rectangle rule as published with one core and with the library's own.",
    .synopsis = "[options]",
    .details = details,
    .leave_out = CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
