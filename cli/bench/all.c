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
                              "written nevertheless; the exit code is 1 if one failed. The time may be exceeded by a\n"
                              "measurement that had begun. The pictures are drawn by gnuplot; without it, the page\n"
                              "has the tables only.\n"
                              "\n"
                              "Example: a page in two minutes\n"
                              "  mastaba bench all --quick --plot .\n";

const benchmark *const all_benchmarks[ALL_N_PARTS] = {
    &bench_convolution, &bench_filter, &bench_pyramid, &bench_integration, &bench_vector_width, &bench_rates,
};

// Every part gets its share of what is left; what one leaves over is the others'. Stops only if the program is interrupted.
static int measure_all(all_bench *bench) {
    double start = cli_now(), weights = 0;
    for (int k = 0; k < ALL_N_PARTS; k++)
        weights += all_benchmarks[k]->weight;
    for (int k = 0; k < ALL_N_PARTS; k++) {
        all_part *part = &bench->parts[k];
        const benchmark *b = all_benchmarks[k];
        double now = cli_now(), left = fmax(bench->budget - (now - start), 0);
        part->run->until = now + left * b->weight / weights;
        b->choose_within(bench->quick, part->run);
        part->code = b->measure(part->run);
        if (part->code == CLI_DONE && b->check && !part->run->interrupted && !cli_interrupted())
            part->code = b->check(part->run);
        weights -= b->weight;
        part->seconds = cli_now() - now;
        if (part->code == CLI_INTERRUPTED || part->run->interrupted || cli_interrupted())
            return CLI_INTERRUPTED;
        if (part->code)
            snprintf(part->message, sizeof part->message, "%s", cli_last_error());
        if (!bench->run.options->json)
            printf("%-13s %6.1f s%s\n", all_benchmarks[k]->name, part->seconds,
                   part->code             ? ", failed"
                   : part->run->cut_short ? ", all its time"
                                          : "");
        fflush(stdout);
    }
    bench->seconds = cli_now() - start;
    return CLI_DONE;
}

static int write_page(all_bench *bench) {
    const page p = {.out = bench->file.file, .file = &bench->file, .pictures = cli_plot_available()};
    all_page(&p, bench);
    return cli_interrupted() ? cli_fail_interrupted(command) : cli_whole_commit(&bench->file, false);
}

static int print_json(const all_bench *bench, const char *path) {
    json_t *parts = json_object();
    for (int k = 0; k < ALL_N_PARTS; k++) {
        const all_part *part = &bench->parts[k];
        json_object_set_new(parts, all_benchmarks[k]->name,
                            json_pack("{s:s, s:o, s:s, s:o}", "outcome",
                                      part->code             ? "failed"
                                      : part->run->cut_short ? "cut short"
                                                             : "done",
                                      "seconds", cli_json_real(part->seconds), "message", part->message, "result",
                                      all_benchmarks[k]->json(part->run)));
    }
    return cli_print_json(command, json_pack("{s:s, s:s, s:o, s:o, s:s, s:o, s:o, s:o}", "benchmark", "all", "version",
                                             mst_version(), "device", cli_json_text(bench->run.device->name), "driver",
                                             cli_json_text(bench->run.device->driver_version), "date", bench->run.date, "seconds",
                                             cli_json_real(bench->seconds), "page", cli_json_text(path), "parts", parts));
}

// Zeroed results for every benchmark, which share the contexts and what is said of the machine.
static int open_parts(all_bench *bench) {
    int code = bench_open(1 << BENCH_PLAIN | 1 << BENCH_PROFILED, &bench->run);
    for (int k = 0; k < ALL_N_PARTS && code == CLI_DONE; k++) {
        bench->parts[k].run = calloc(1, all_benchmarks[k]->result_bytes);
        if (!bench->parts[k].run)
            return cli_out_of_memory(command, NULL);
        *bench->parts[k].run = bench->run;
    }
    return code;
}

static void close_parts(all_bench *bench) {
    for (int k = 0; k < ALL_N_PARTS; k++)
        free(bench->parts[k].run);
    bench_close(&bench->run);
}

static int run_benchmark(all_bench *bench, const char *directory, const char *path) {
    int failed = 0, code = cli_plot_file(command, directory, path, bench->run.options->force, &bench->file);
    if (code == CLI_DONE && !cli_plot_available())
        cli_error(command, "no pictures: gnuplot, which draws them, cannot be run (package gnuplot-nox)");
    if (code == CLI_DONE)
        code = open_parts(bench);
    if (code == CLI_DONE)
        code = measure_all(bench);
    if (code == CLI_DONE)
        code = write_page(bench);
    for (int k = 0; k < ALL_N_PARTS; k++)
        failed += bench->parts[k].code != 0;
    if (code == CLI_DONE && bench->run.options->json)
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
    close_parts(bench);
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
    all_bench *bench = calloc(1, sizeof *bench);
    if (!bench)
        return cli_out_of_memory(command, NULL);
    bench->run.command = command;
    bench->run.options = &arguments->common;
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
