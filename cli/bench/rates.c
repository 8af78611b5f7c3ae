// mastaba bench rates: what the library reaches on this machine, work of every kind beside a plain copy.
#include "rates.h"

#include <math.h>
#include <string.h>

static const char details[] = "Measures transforms and convolutions of arrays on the device, and steps of the\n"
                              "built-in schemes, in GB/s of the data that each has to read and to write, beside\n"
                              "the rate of a plain copy on the device (`of copy`; a scheme may be faster than one\n"
                              "pass through memory a step: several steps share one). Of each kind one case is\n"
                              "measured again with a quarter of the memory that it needs, and on all devices of\n"
                              "this machine if there are several (`quarter` and `all`: times the rate of the\n"
                              "same with all the memory on one device). Every result is checked. The exit code is\n"
                              "1 if one is wrong, or no case could be measured.\n"
                              "\n"
                              "--plot DIR draws rates.svg and .png there, by gnuplot.\n";

// ---- Cases

static const bench_arrays_request defaults = {.mebibytes = 64, .rounds = 11};

static const cli_option option_table[] = {
    {"mebibytes", 0, CLI_INT, offsetof(bench_arrays_request, mebibytes), "of an operand or a field, in MiB (default: 64)", "M"},
    {"rounds", 0, CLI_INT, offsetof(bench_arrays_request, rounds), "measured runs, 1 to 99 (default: 11)", "N"},
    {"plot", 0, CLI_TEXT, offsetof(bench_request, plot), "draw the rates into this directory", "DIR"},
};

// "4096", "512 x 512", "4096 by 257"; of a scheme its grid.
static const char *size_text(const rates_bench *bench, int row, char text[64]) {
    const rates_case *c = &rates_cases[row];
    double side = pow((double)bench->arrays.bytes / sizeof(float), 1.0 / c->n_axes);
    size_t used = 0;
    for (int k = 0; k < c->n_axes; k++)
        used += (size_t)snprintf(text + used, 64 - used, "%s%zu", k > 0 ? " x " : "",
                                 c->kind == RATES_SCHEME ? (size_t)(side + 0.5) : c->shape[k]);
    if (c->kind == RATES_CONVOLUTION)
        snprintf(text + used, 64 - used, c->n_axes > 1 ? " by %zu x %zu" : " by %zu", c->kernel, c->kernel);
    return text;
}

static const char *const kinds[] = {"transform", "convolution", "scheme"};

// Times the rate of the whole on one device; 0: not measured.
static double ratio(const rates_result *r, double seconds) { return seconds > 0 ? r->whole / seconds : 0; }

// ---- Text and JSON

static void print_ratio(double value) {
    if (value > 0)
        printf(" %8.2f", value);
    else
        printf(" %8s", "");
}

void rates_print(const rates_bench *bench, int row) {
    const rates_case *c = &rates_cases[row];
    const rates_result *r = &bench->results[row];
    char size[64];
    printf("%-12s %-16s %-20s %8.1f %8.2f", kinds[c->kind], c->name, size_text(bench, row, size), 1e-9 * rates_rate(bench, row),
           rates_share(bench, row));
    print_ratio(ratio(r, r->quarter));
    print_ratio(ratio(r, r->all));
    printf("%s%s\n", r->failed[0] ? "  " : "", r->failed);
}

static void print_heading(const void *results) {
    const rates_bench *bench = results;
    printf("%s, driver %s: operands and fields of %zu bytes\n\n%-12s %-16s %-20s %8s %8s %8s %8s\n", bench->run.device->name,
           bench->run.device->driver_version, bench->arrays.bytes, "", "", "size", "GB/s", "of copy", "quarter", "all");
}

static json_t *json(const void *results) {
    const rates_bench *bench = results;
    json_t *cases = json_array();
    for (int row = 0; row < RATES_N_CASES; row++) {
        const rates_case *c = &rates_cases[row];
        const rates_result *r = &bench->results[row];
        char size[64];
        if (r->device > 0 || r->failed[0])
            json_array_append_new(cases, json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s}", "kind",
                                                   kinds[c->kind], "name", c->name, "size", size_text(bench, row, size), "type",
                                                   mst_type_name(c->type), "seconds", cli_json_real(r->device), "bytes",
                                                   cli_json_real(r->bytes), "nodes", cli_json_real(r->nodes), "of_copy",
                                                   cli_json_real(rates_share(bench, row)), "whole_seconds",
                                                   cli_json_real(r->whole), "quarter_seconds", cli_json_real(r->quarter),
                                                   "all_seconds", cli_json_real(r->all), "problem", r->failed));
    }
    return json_pack("{s:s, s:o, s:s, s:o, s:I, s:i, s:I, s:o, s:o}", "benchmark", bench->run.command, "device",
                     cli_json_text(bench->run.device->name), "date", bench->run.date, "driver",
                     cli_json_text(bench->run.device->driver_version), "operand_bytes", (json_int_t)bench->arrays.bytes, "rounds",
                     bench->arrays.rounds, "devices", (json_int_t)bench->n_devices, "copy_bytes_per_second",
                     cli_json_real(bench->copy_rate), "cases", cases);
}

// ---- The picture: a bar for each case

static void write_data(FILE *gnuplot, const void *user) {
    const rates_bench *bench = user;
    char size[64];
    fputs("$rates << EOD\n", gnuplot);
    for (int row = 0; row < RATES_N_CASES; row++)
        if (bench->results[row].device > 0)
            fprintf(gnuplot, "\"%s %s\" %.9g\n", rates_cases[row].name, size_text(bench, row, size), rates_share(bench, row));
    fputs("EOD\n", gnuplot);
}

static void write_picture(FILE *gnuplot, const void *user) {
    const rates_bench *bench = user;
    char title[400];
    snprintf(title, sizeof title, "Rate over that of a plain copy, %.100s", bench->run.device->name);
    cli_plot_string(gnuplot, "set title ", title, " noenhanced");
    fputs("set style data histogram\nset style fill solid 0.9 noborder\nunset logscale\nset grid noxtics\nset yrange [0:*]\n"
          "set xrange [*:*]\nset xtics auto rotate by -40 noenhanced\nunset key\nset ylabel 'of a copy'\nplot $rates using "
          "2:xtic(1) ls 1\n",
          gnuplot);
}

static cli_plot plot(const void *results) {
    return (cli_plot){
        .name = "rates", .width = 1000, .height = 480, .write_data = write_data, .write_picture = write_picture, .user = results};
}

// ---- The part of the page

static void put_case(const page *p, const rates_bench *bench, int row) {
    const rates_result *r = &bench->results[row];
    char size[64];
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", rates_cases[row].name);
    page_put(p, "td class=\"t\"", "%s", size_text(bench, row, size));
    page_number(p, "m", 1e-9 * rates_rate(bench, row), false);
    if (rates_cases[row].kind == RATES_SCHEME)
        page_number(p, "m", r->device > 0 ? 1e-9 * r->nodes / r->device : 0, false);
    page_number(p, "m", rates_share(bench, row), false);
    page_close(p, "tr");
}

static void put_kind(const page *p, const rates_bench *bench, rates_kind kind, const char *caption) {
    page_table(p, caption, NULL,
               kind == RATES_SCHEME ? "<scheme|<grid|GB/s|billion nodes a second|of a copy" : "<what|<size|GB/s|of a copy");
    for (int row = 0; row < RATES_N_CASES; row++)
        if (rates_cases[row].kind == kind)
            put_case(p, bench, row);
    page_table_end(p);
}

static void put_larger(const page *p, const rates_bench *bench) {
    page_table(p, "Larger than the memory, and on several devices", "||times the rate of one device with all its memory*2",
               "<what|<size|in a quarter of the memory|on all devices");
    for (int row = 0; row < RATES_N_CASES; row++) {
        const rates_result *r = &bench->results[row];
        char size[64];
        if (!rates_cases[row].larger)
            continue;
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "%s, %s", kinds[rates_cases[row].kind], rates_cases[row].name);
        page_put(p, "td class=\"t\"", "%s", size_text(bench, row, size));
        page_number(p, "m", ratio(r, r->quarter), false);
        page_number(p, "m", ratio(r, r->all), false);
        page_close(p, "tr");
    }
    page_table_end(p);
    if (bench->n_devices == 1)
        page_put(p, "p class=\"note\"", "This machine has one device.");
}

static void put_page(const page *p, const void *results) {
    const rates_bench *bench = results;
    cli_plot picture = plot(bench);
    page_put(
        p, "p",
        "What the library reaches today, operands and fields of %.4g MiB, medians of %d runs, every result checked. The rate is "
        "of the bytes that the work has to read and to write at least. A scheme may be faster than one pass through memory a "
        "step, since several steps share one.",
        (double)bench->arrays.bytes / 0x1p20, bench->arrays.rounds);
    if (bench->copy_rate > 0)
        page_put(p, "p", "A plain copy on this device reaches %.3g GB/s.", 1e-9 * bench->copy_rate);
    put_kind(p, bench, RATES_TRANSFORM, "Fourier transforms");
    put_kind(p, bench, RATES_CONVOLUTION, "Convolutions");
    put_kind(p, bench, RATES_SCHEME, "Finite differences");
    put_larger(p, bench);
    for (int row = 0; row < RATES_N_CASES; row++)
        if (bench->results[row].failed[0])
            page_put(p, "p class=\"note\"", "%s, %s: %s.", kinds[rates_cases[row].kind], rates_cases[row].name,
                     bench->results[row].failed);
    if (bench->results[0].device > 0)
        page_plot(p, &picture, "Rates over that of a plain copy.");
}

static void headline(const void *results, char published[200], char here[200]) {
    const rates_bench *bench = results;
    double sum = 0;
    int n = 0;
    for (int row = 0; row < RATES_N_CASES; row++)
        if (rates_cases[row].kind == RATES_TRANSFORM && rates_share(bench, row) > 0) {
            sum += log(rates_share(bench, row));
            n++;
        }
    snprintf(published, 200, "nothing: this is the library's own");
    if (n > 0)
        snprintf(here, 200, "transforms: %.2f of a copy (geometric mean of %d)", exp(sum / n), n);
}

// ---- The description

static void count(const void *results, int *done, int *wanted) {
    *done = 0;
    *wanted = RATES_N_CASES;
    for (int row = 0; row < RATES_N_CASES; row++) {
        const rates_result *r = &((const rates_bench *)results)->results[row];
        *done += r->device > 0 || r->failed[0];
    }
}

static int choose(const void *request, void *results) {
    rates_bench *bench = results;
    return bench_choose_arrays(&bench->run, request, &bench->arrays);
}

static void choose_within(bool quick, void *results) {
    rates_bench *bench = results;
    bench_choose_arrays_within(&bench->run, quick, 8, &bench->arrays);
}

// A case may fail where the device or its memory does not suffice for it, but not all.
static int check(const void *results) {
    const rates_bench *bench = results;
    int measured = 0, named = -1; // the first case with a wrong result, else the first that failed
    for (int row = 0; row < RATES_N_CASES; row++) {
        const rates_result *r = &bench->results[row];
        measured += r->device > 0;
        if (r->failed[0] && (named < 0 || (r->wrong && !bench->results[named].wrong)))
            named = row;
    }
    if (named < 0 || (measured > 0 && !bench->results[named].wrong))
        return CLI_DONE;
    cli_error(bench->run.command, "%s, %s: %s", kinds[rates_cases[named].kind], rates_cases[named].name,
              bench->results[named].failed);
    return CLI_FAILED;
}

static int run(const cli_arguments *arguments, void *values) { return bench_run_alone(&bench_rates, arguments, values); }

const benchmark bench_rates = {
    .command = {.name = "bench rates",
                .summary = "transforms, convolutions and schemes beside a plain copy",
                .title = "Measure work of every kind beside a plain copy on the device.",
                .synopsis = "[options]",
                .details = details,
                .leave_out = CLI_VERBOSE | CLI_KERNELS,
                .options = option_table,
                .n_options = CLI_COUNT(option_table),
                .values_bytes = sizeof(bench_arrays_request),
                .defaults = &defaults,
                .run = run},
    .name = "rates",
    .part = "What the library reaches today",
    .weight = 3,
    .contexts = 1 << BENCH_PLAIN,
    .result_bytes = sizeof(rates_bench),
    .choose = choose,
    .choose_within = choose_within,
    .measure = rates_measure,
    .count = count,
    .check = check,
    .heading = print_heading,
    .json = json,
    .plot = plot,
    .page = put_page,
    .headline = headline,
};
