// mastaba bench all: every benchmark within a total time, and one page that shows them beside what was published.
#include "all.h"

#include "array/files.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char command[] = "bench all";
static const char page_name[] = "mastaba-bench.html";

static const char details[] = "Measures the five systems that the library grew from: the convolution variants, the\n"
                              "image filter's stages, the pyramid method, the rectangle rule and vector widths; and\n"
                              "what the library reaches today. Each is measured as by `mastaba bench NAME`, in a\n"
                              "share of the time. Writes DIR/mastaba-bench.html:\n"
                              "tables and figures beside the published ones, in one file that needs no other.\n"
                              "\n"
                              "A part that fails, or that the time is not enough for, is named in the page, which is\n"
                              "written nevertheless; the exit code is 1 if one failed. What is being measured when\n"
                              "its part's time is up is stopped and left out; the page says of each part how many\n"
                              "of its measurements there are. The pictures are drawn by gnuplot; without it, the\n"
                              "page has the tables only.\n"
                              "\n"
                              "Example: a page in two minutes\n"
                              "  mastaba bench all --quick --plot .\n";

const benchmark *const all_benchmarks[ALL_N_PARTS] = {
    &bench_convolution, &bench_filter, &bench_pyramid, &bench_integration, &bench_vector_width, &bench_rates,
};

static int write_page(all_bench *bench) {
    const page p = {.out = bench->file.file, .file = &bench->file, .pictures = cli_plot_available()};
    all_page(&p, bench);
    return cli_interrupted() ? cli_fail_interrupted(command) : cli_whole_commit(&bench->file, false);
}

static int print_json(const all_bench *bench, const char *path) {
    json_t *parts = json_object();
    for (int k = 0; k < ALL_N_PARTS; k++) {
        const all_part *part = &bench->parts[k];
        int done, wanted;
        all_benchmarks[k]->count(part->run, &done, &wanted);
        json_object_set_new(parts, all_benchmarks[k]->name,
                            json_pack("{s:s, s:i, s:i, s:o, s:s, s:o}", "outcome",
                                      part->code             ? "failed"
                                      : part->run->cut_short ? "cut short"
                                                             : "done",
                                      "measured", done, "wanted", wanted, "seconds", cli_json_real(part->seconds), "message",
                                      part->message, "result", all_benchmarks[k]->json(part->run)));
    }
    return cli_print_json(command, json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o}", "benchmark", "all", "version",
                                             mst_version(), "device", cli_json_text(bench->run.device->name), "driver",
                                             cli_json_text(bench->run.device->driver_version), "date", bench->run.date, "seconds",
                                             cli_json_real(bench->seconds), "page", cli_json_text(path), "parts", parts));
}

// What was done; returns an exit code.
static int tell(const all_bench *bench, const char *path) {
    int failed = 0, done = 0, wanted = 0, code = CLI_DONE;
    for (int k = 0; k < ALL_N_PARTS; k++) {
        int part_done, part_wanted;
        all_benchmarks[k]->count(bench->parts[k].run, &part_done, &part_wanted);
        done += part_done;
        wanted += part_wanted;
        failed += bench->parts[k].code != 0;
    }
    if (bench->run.options->json)
        code = print_json(bench, path);
    else
        printf("%s: %d of %d measurements in %.0f s\n", path, done, wanted, bench->seconds);
    if (code == CLI_DONE)
        code = cli_flush(command);
    return code == CLI_DONE && failed ? CLI_FAILED : code;
}

static int run_benchmark(all_bench *bench, const char *directory, const char *path) {
    int code = cli_plot_file(command, directory, path, bench->run.options->force, &bench->file);
    if (code == CLI_DONE && !cli_plot_available())
        cli_error(command, "no pictures: gnuplot, which draws them, cannot be run (package gnuplot-nox)");
    if (code == CLI_DONE)
        code = all_measure(bench);
    if (code == CLI_DONE)
        code = write_page(bench);
    return code == CLI_DONE ? tell(bench, path) : code;
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
    cli_whole_close(&bench->file);
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
    all_bench *bench = all_open();
    if (!bench)
        return cli_out_of_memory(command, NULL);
    bench->run.command = command;
    bench->run.options = &arguments->common;
    bench->quick = r->quick != 0;
    bench->budget = budget;
    int code = run_in(bench, r->directory);
    all_close(bench);
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
