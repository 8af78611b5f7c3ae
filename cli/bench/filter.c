// mastaba bench filter: the published stage table, measured here, and the whole filter on the device.
#include "filter.h"

#include <math.h>
#include <stdlib.h>

static const char command[] = "bench filter";

static const char details[] = "A high pass of radius n/8 on n x n grey pixels (8 bits, wrapped edges, ideal), in\n"
                              "host memory, by the published algorithm (--algorithm paper): milliseconds of each\n"
                              "stage on the device, from events, for work-groups of 1 to 512, beside those of the\n"
                              "paper (512 x 512). The least of up to five runs after one to warm up.\n"
                              "\n"
                              "Then the fused filter on n x n float32 pixels that lie on the device, with a\n"
                              "Gaussian low pass: time, and the rate at 24 bytes a point (every value read and\n"
                              "written three times) beside that of a plain copy on the device. bench/filter-peers\n"
                              "sets it beside other libraries.\n"
                              "\n"
                              "--plot DIR draws filter-stages.svg and .png there, by gnuplot.\n"
                              "\n"
                              "Example: the paper's size only\n"
                              "  mastaba bench filter --sizes 512\n";

static int run(const cli_options *options, const char *plot, filter_bench *bench) {
    mst_context *context = NULL;
    cli_plot picture = filter_plot(bench);
    int code = plot ? cli_plot_check(command, plot, &picture, options->force) : CLI_DONE;
    if (code == CLI_DONE)
        code = cli_context(command, options, true, &context);
    if (code == CLI_DONE)
        code = filter_measure(command, context, bench);
    if (code == CLI_DONE && options->json)
        code = cli_print_json(command, filter_json(bench));
    if (code == CLI_DONE && plot) // some group size fits every device
        code = cli_plot_draw(command, plot, &picture);
    mst_context_destroy(context);
    return code;
}

// "512,4096"
static int read_sizes(const char *text, size_t *sizes) {
    int count = 0;
    for (char *end; count < FILTER_MOST_SIZES; text = end + 1) {
        unsigned long n = strtoul(text, &end, 10);
        if (end == text || n < 2 || n > 32768 || (n & (n - 1)) != 0 || (*end != ',' && *end != '\0'))
            return 0;
        sizes[count++] = n;
        if (*end == '\0')
            return count;
    }
    return 0;
}

int bench_filter(int argc, const char **argv) {
    char *sizes_text = NULL;
    double seconds = 1;
    char *plot = NULL;
    filter_bench bench = {.until = INFINITY};
    int code;
    const struct poptOption options[] = {
        {"sizes", 0, POPT_ARG_STRING, &sizes_text, 0, "sides, powers of two (default: 512,4096)", "N,..."},
        {"cell-seconds", 0, POPT_ARG_DOUBLE, &seconds, 0, "time for one work-group size (default: 1)", "S"},
        {"plot", 0, POPT_ARG_STRING, &plot, 0, "draw the stages of the first size into this directory", "DIR"},
        POPT_TABLEEND};
    const cli_usage usage = {.command = command,
                             .synopsis = "[options]",
                             .summary = "Measure the stages of the published image filter, and the fused one.",
                             .details = details,
                             .options = options};
    cli_arguments arguments;
    if (cli_parse(&usage, argc, argv, &arguments, &code)) {
        bench.n_sizes = read_sizes(sizes_text ? sizes_text : "512,4096", bench.sizes);
        code = CLI_USAGE;
        if (bench.n_sizes == 0)
            cli_error(command, "--sizes %s: give up to %d powers of two from 2 to 32768", sizes_text, FILTER_MOST_SIZES);
        else if (!(seconds > 0 && seconds <= 3600))
            cli_error(command, "--cell-seconds %g: not a time; give up to 3600 seconds", seconds);
        else {
            cli_catch_interrupts();
            bench.seconds = seconds;
            bench.print = !arguments.common.json;
            code = run(&arguments.common, plot, &bench);
        }
    }
    cli_free(&arguments);
    free(sizes_text);
    free(plot);
    return code;
}
