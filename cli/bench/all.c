// mastaba bench all: every benchmark within a total time, and one page that shows them beside what was published.
#include "all.h"

#include "array/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char command[] = "bench all";
static const char page_name[] = "mastaba-bench.html";

static const char details[] = "Measures the five systems that the library grew from: the convolution variants, the\n"
                              "image filter's stages, the pyramid method, the rectangle rule and vector widths, each\n"
                              "as `mastaba bench NAME` does, in a share of the time. Writes DIR/mastaba-bench.html:\n"
                              "tables and figures beside the published ones, in one file that needs no other.\n"
                              "\n"
                              "A part that fails, or that the time is not enough for, is named in the page, which is\n"
                              "written nevertheless; the exit code is 1 if one failed. The time may be exceeded by a\n"
                              "measurement that had begun. The pictures are drawn by gnuplot; without it, the page\n"
                              "has the tables only.\n"
                              "\n"
                              "Example: a page in two minutes\n"
                              "  mastaba bench all --quick --plot .\n";

static double between(double low, double value, double high) { return fmin(fmax(value, low), high); }

static int measure_convolution(all_bench *bench, double until, bool *cut_short) {
    bench_run *run = &bench->convolution;
    run->until = until;
    run->cell_seconds = between(0.1, (until - cli_now()) / (bench->quick ? 8 : PAPER_N_CELLS), 6);
    int code = bench_measure_all(command, bench->contexts[0], bench->quick, false, run);
    for (int c = 0; c < run->n_cells && code == CLI_DONE; c++)
        for (int v = 0; v < PAPER_N_VARIANTS && code == CLI_DONE; v++)
            if (run->cells[c].variants[v].outcome == BENCH_WRONG) {
                cli_error(command, "variant %c gives a wrong result at N = %zu", 'A' + v, run->cells[c].paper->n);
                code = CLI_FAILED;
            }
    *cut_short = run->cut_short;
    return run->interrupted ? CLI_INTERRUPTED : code;
}

static int measure_filter(all_bench *bench, double until, bool *cut_short) {
    filter_bench *f = &bench->filter;
    f->until = until;
    f->n_sizes = bench->quick ? 1 : 2;
    f->sizes[0] = 512;
    f->sizes[1] = 4096;
    f->seconds = between(0.05, (until - cli_now()) / (f->n_sizes * (PAPER_N_GROUPS + 1)), 1);
    int code = filter_measure(command, bench->contexts[1], f);
    *cut_short = f->cut_short;
    return code;
}

static int measure_pyramid(all_bench *bench, double until, bool *cut_short) {
    pyramid_bench *p = &bench->pyramid;
    p->until = until;
    p->quick = bench->quick;
    p->seconds = between(0.05, (until - cli_now()) / PYRAMID_MOST_POINTS, 0.4);
    int code = pyramid_measure(command, p);
    *cut_short = p->cut_short;
    return code;
}

static int measure_integration(all_bench *bench, double until, bool *cut_short) {
    integration_bench *i = &bench->integration;
    i->until = until;
    i->largest = bench->quick ? 20 : 24;
    int code = integration_measure(command, bench->contexts, i);
    *cut_short = i->cut_short;
    return code;
}

static int measure_width(all_bench *bench, double until, bool *cut_short) {
    width_bench *w = &bench->width;
    w->until = until;
    w->bytes = (size_t)(bench->quick ? 16 : 64) << 20;
    while (w->bytes > 1 << 16 && bench->options->device_memory && 4 * w->bytes > bench->options->device_memory)
        w->bytes /= 2;
    w->rounds = bench->quick ? 3 : 11;
    int code = width_measure(bench->contexts[0], false, w);
    *cut_short = w->cut_short;
    return code;
}

static void write_convolution(const page *p, const all_bench *bench) { bench_page(p, &bench->convolution); }
static void write_filter(const page *p, const all_bench *bench) { filter_page(p, &bench->filter); }
static void write_pyramid(const page *p, const all_bench *bench) { pyramid_page(p, &bench->pyramid); }
static void write_integration(const page *p, const all_bench *bench) { integration_page(p, &bench->integration); }
static void write_width(const page *p, const all_bench *bench) { width_page(p, &bench->width); }

static json_t *convolution_object(const all_bench *bench) { return bench_json(&bench->convolution); }
static json_t *filter_object(const all_bench *bench) { return filter_json(&bench->filter); }
static json_t *pyramid_object(const all_bench *bench) { return pyramid_json(&bench->pyramid); }
static json_t *integration_object(const all_bench *bench) { return integration_json(&bench->integration); }
static json_t *width_object(const all_bench *bench) { return width_json(&bench->width); }

const all_kind all_kinds[ALL_N_PARTS] = {
    {"convolution", "Batched convolution", 3, measure_convolution, all_convolution_headline, write_convolution,
     convolution_object},
    {"filter", "Image filter by FFT", 2, measure_filter, all_filter_headline, write_filter, filter_object},
    {"pyramid", "Difference schemes beyond device memory", 4, measure_pyramid, all_pyramid_headline, write_pyramid,
     pyramid_object},
    {"integration", "Integration", 2, measure_integration, all_integration_headline, write_integration, integration_object},
    {"vector-width", "Vector widths of one kernel source", 2, measure_width, all_width_headline, write_width, width_object},
};

// Every part gets its share of what is left; what one leaves over is the others'. Stops only if the program is interrupted.
static int measure_all(all_bench *bench) {
    double start = cli_now(), weights = 0;
    for (int k = 0; k < ALL_N_PARTS; k++)
        weights += all_kinds[k].weight;
    for (int k = 0; k < ALL_N_PARTS; k++) {
        all_part *part = &bench->parts[k];
        double now = cli_now(), left = fmax(bench->budget - (now - start), 0);
        part->code = all_kinds[k].measure(bench, now + left * all_kinds[k].weight / weights, &part->cut_short);
        weights -= all_kinds[k].weight;
        part->seconds = cli_now() - now;
        if (part->code == CLI_INTERRUPTED || cli_interrupted())
            return CLI_INTERRUPTED;
        if (part->code)
            snprintf(part->message, sizeof part->message, "%s", cli_last_error());
        if (!bench->options->json)
            printf("%-13s %6.1f s%s\n", all_kinds[k].name, part->seconds,
                   part->code        ? ", failed"
                   : part->cut_short ? ", all its time"
                                     : "");
        fflush(stdout);
    }
    bench->seconds = cli_now() - start;
    return CLI_DONE;
}

static int write_page(const all_bench *bench, const char *directory, const char *path) {
    cli_whole_file file = {0};
    int code = cli_whole_open(command, path, bench->options->force, &file);
    if (code == CLI_DONE) {
        const page p = {.out = file.file, .directory = directory, .pictures = cli_plot_available()};
        all_page(&p, bench);
        code = cli_interrupted() ? cli_fail_interrupted(command) : cli_whole_commit(&file, false);
    }
    cli_whole_close(&file);
    return code;
}

static int print_json(const all_bench *bench, const char *path) {
    json_t *parts = json_object();
    for (int k = 0; k < ALL_N_PARTS; k++) {
        const all_part *part = &bench->parts[k];
        json_object_set_new(parts, all_kinds[k].name,
                            json_pack("{s:s, s:o, s:s, s:o}", "outcome",
                                      part->code        ? "failed"
                                      : part->cut_short ? "cut short"
                                                        : "done",
                                      "seconds", cli_json_real(part->seconds), "message", part->message, "result",
                                      all_kinds[k].json(bench)));
    }
    return cli_print_json(command, json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o}", "benchmark", "all", "version",
                                             mst_version(), "device", cli_json_text(bench->device->name), "driver",
                                             cli_json_text(bench->device->driver_version), "date", bench->date, "seconds",
                                             cli_json_real(bench->seconds), "page", cli_json_text(path), "parts", parts));
}

static int open_contexts(all_bench *bench) {
    int code = cli_context(command, bench->options, false, &bench->contexts[0]);
    if (code == CLI_DONE)
        code = cli_context(command, bench->options, true, &bench->contexts[1]);
    if (code != CLI_DONE)
        return code;
    bench->device = mst_context_device(bench->contexts[0]);
    bench->convolution.device = bench->filter.device = bench->integration.device = bench->width.device = bench->device;
    bench->pyramid.options = bench->options;
    bench_processor(bench->processor);
    memcpy(bench->convolution.processor, bench->processor, sizeof bench->processor);
    bench_date(bench->date);
    memcpy(bench->convolution.date, bench->date, sizeof bench->date);
    return CLI_DONE;
}

// Says, before anything is measured, what would stand in the way of the page.
static int check(const all_bench *bench, const char *directory, const char *path) {
    int code = cli_plot_directory(command, directory);
    if (code == CLI_DONE && !bench->options->force && access(path, F_OK) == 0) {
        cli_error(command, "%s exists; --force replaces it", path);
        return CLI_INPUT_OUTPUT;
    }
    if (code == CLI_DONE && !cli_plot_available())
        cli_error(command, "no pictures: gnuplot, which draws them, cannot be run (package gnuplot-nox)");
    return code;
}

static int run_benchmark(all_bench *bench, const char *directory, const char *path) {
    int failed = 0, code = check(bench, directory, path);
    if (code == CLI_DONE)
        code = open_contexts(bench);
    if (code == CLI_DONE)
        code = measure_all(bench);
    if (code == CLI_DONE)
        code = write_page(bench, directory, path);
    for (int k = 0; k < ALL_N_PARTS; k++)
        failed += bench->parts[k].code != 0;
    if (code == CLI_DONE && bench->options->json)
        code = print_json(bench, path);
    else if (code == CLI_DONE)
        printf("%s: %d of %d parts in %.0f s\n", path, ALL_N_PARTS - failed, ALL_N_PARTS, bench->seconds);
    if (code == CLI_DONE)
        code = cli_flush(command);
    return code == CLI_DONE && failed ? CLI_FAILED : code;
}

static int run_in(all_bench *bench, const char *directory) {
    size_t length = strlen(directory) + sizeof page_name + 1;
    char *path = malloc(length);
    if (!path) {
        cli_error(command, "out of memory");
        return CLI_FAILED;
    }
    snprintf(path, length, "%s/%s", directory, page_name);
    int code = run_benchmark(bench, directory, path);
    for (int k = 0; k < 2; k++)
        mst_context_destroy(bench->contexts[k]);
    free(path);
    return code;
}

typedef struct request {
    char *directory;
    int quick;
    double budget; // NAN: not given
} request;

static const request defaults = {.budget = NAN};

static const cli_option option_table[] = {
    {"plot", 0, CLI_TEXT, offsetof(request, directory), "where the page goes", "DIR"},
    {"quick", 0, CLI_FLAG, offsetof(request, quick), "fewer points of each", NULL},
    {"budget", 0, CLI_REAL, offsetof(request, budget), "seconds for everything (default: 900, 120 with --quick)", "S"},
};

static int run(const cli_arguments *arguments, void *values) {
    const request *r = values;
    double budget = isnan(r->budget) ? (r->quick ? 120 : 900) : r->budget;
    if (!r->directory) {
        cli_error(command, "no directory given; add --plot DIR");
        return CLI_USAGE;
    }
    if (!(budget > 0 && budget <= 86400)) {
        cli_error(command, "--budget %g: not a time; give up to 86400 seconds", budget);
        return CLI_USAGE;
    }
    all_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return cli_out_of_memory(command, NULL);
    cli_catch_interrupts();
    bench->options = &arguments->common;
    bench->quick = r->quick != 0;
    bench->budget = budget;
    int code = run_in(bench, r->directory);
    free(bench);
    return code;
}

const cli_command bench_all = {
    .name = command,
    .summary = "all of these, in one page of tables and figures beside the published ones",
    .title = "Measure everything that was published and show it in one page.",
    .synopsis = "--plot DIR [options]",
    .details = details,
    .leave_out = CLI_KERNELS,
    .options = option_table,
    .n_options = CLI_COUNT(option_table),
    .values_bytes = sizeof(request),
    .defaults = &defaults,
    .run = run,
};
