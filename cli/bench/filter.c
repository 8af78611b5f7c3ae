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

static int run_benchmark(const cli_options *options, const char *plot, filter_bench *bench) {
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

typedef struct request {
    char *sizes;    // NULL: the default
    double seconds; // for a work-group size
    char *plot;     // NULL: no picture
} request;

static const request defaults = {.seconds = 1};

static const cli_option option_table[] = {
    {"sizes", 0, CLI_TEXT, offsetof(request, sizes), "sides, powers of two (default: 512,4096)", "N,..."},
    {"cell-seconds", 0, CLI_REAL, offsetof(request, seconds), "time for one work-group size (default: 1)", "S"},
    {"plot", 0, CLI_TEXT, offsetof(request, plot), "draw the stages of the first size into this directory", "DIR"},
};

static int run(const cli_arguments *arguments, void *values) {
    const request *r = values;
    filter_bench bench = {.seconds = r->seconds, .print = !arguments->common.json, .until = INFINITY};
    bench.n_sizes = read_sizes(r->sizes ? r->sizes : "512,4096", bench.sizes);
    if (bench.n_sizes == 0) {
        cli_error(command, "--sizes %s: give up to %d powers of two from 2 to 32768", r->sizes, FILTER_MOST_SIZES);
        return CLI_USAGE;
    }
    if (!(r->seconds > 0 && r->seconds <= 3600)) {
        cli_error(command, "--cell-seconds %g: not a time; give up to 3600 seconds", r->seconds);
        return CLI_USAGE;
    }
    cli_catch_interrupts();
    return run_benchmark(&arguments->common, r->plot, &bench);
}

const cli_command bench_filter = {
    .name = command,
    .summary = "the published image filter's stages, and the fused filter",
    .title = "Measure the stages of the published image filter, and the fused one.",
    .synopsis = "[options]",
    .details = details,
    .leave_out = CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
