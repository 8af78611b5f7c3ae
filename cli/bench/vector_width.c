// mastaba bench vector-width: the experiment of the templates paper, A[i] = (B[i] - C[i]) * D[i] in every type and vector width.
#include "vector_width.h"

#include <math.h>

static const char details[] = "Computes A[i] = (B[i] - C[i]) * D[i] for char, short, int, long, float and double\n"
                              "on vectors of 1, 2, 4, 8 and 16 elements, arrays on the device, and prints the\n"
                              "rate at which the four arrays are moved, beside the width that the device claims\n"
                              "to prefer (`claims`, 0: the type is not supported), the one that wins, and its\n"
                              "time. The second line of a type has one element less, which no width divides.\n"
                              "Times are medians, all of them with --json; every result is checked.\n"
                              "\n"
                              "--plot DIR draws vector-width.svg and .png there, by gnuplot.\n";

// ---- Cases

static const bench_arrays_request defaults = {.mebibytes = 64, .rounds = 11};

static const cli_option option_table[] = {
    {"mebibytes", 0, CLI_INT, offsetof(bench_arrays_request, mebibytes), "of each array, in MiB (default: 64)", "M"},
    {"rounds", 0, CLI_INT, offsetof(bench_arrays_request, rounds), "measured runs, 1 to 99 (default: 11)", "N"},
    {"plot", 0, CLI_TEXT, offsetof(bench_request, plot), "draw the rates into this directory", "DIR"},
};

// ---- Text and JSON

void width_print(const width_bench *bench, int t, int length) {
    char claims[16] = "";
    if (length == 0)
        snprintf(claims, sizeof claims, "%u", (unsigned)bench->run.device->preferred_width[width_types[t].claim]);
    printf("%-7s %6s %5s", length == 0 ? width_types[t].name : "", claims, length == 0 ? "n" : "n - 1");
    for (int w = 0; w < MST_MAP_N_WIDTHS; w++)
        printf(" %8.1f", 1e-9 * width_rate(bench, t, length, w));
    double least = bench->seconds[t][length][0];
    for (int w = 1; w < MST_MAP_N_WIDTHS; w++)
        least = fmin(least, bench->seconds[t][length][w]);
    printf(" %5d %8.3f\n", width_best(bench, t, length), 1e3 * least);
}

static bool is_supported(const width_bench *bench, int type) {
    return bench->run.device->preferred_width[width_types[type].claim] > 0;
}

static json_t *json(const void *results) {
    const width_bench *bench = results;
    json_t *types = json_array();
    for (int t = 0; t < N_WIDTH_TYPES; t++) {
        int claims = (int)bench->run.device->preferred_width[width_types[t].claim];
        json_t *object = json_pack("{s:s, s:i, s:b, s:b}", "type", width_types[t].name, "claims", claims, "supported", claims > 0,
                                   "measured", bench->measured[t]);
        for (int length = 0; length < N_WIDTH_LENGTHS && bench->measured[t]; length++) {
            json_t *rates = json_object();
            char width[8];
            for (int w = 0; w < MST_MAP_N_WIDTHS; w++) {
                snprintf(width, sizeof width, "%d", 1 << w);
                json_object_set_new(rates, width,
                                    json_pack("{s:o, s:o}", "seconds", cli_json_real(bench->seconds[t][length][w]),
                                              "bytes_per_second", cli_json_real(width_rate(bench, t, length, w))));
            }
            json_object_set_new(object, length == 0 ? "n" : "n_less_one",
                                json_pack("{s:i, s:o}", "best", width_best(bench, t, length), "widths", rates));
        }
        json_array_append_new(types, object);
    }
    return json_pack("{s:s, s:o, s:s, s:o, s:I, s:i, s:o}", "benchmark", bench->run.command, "device",
                     cli_json_text(bench->run.device->name), "date", bench->run.date, "driver",
                     cli_json_text(bench->run.device->driver_version), "array_bytes", (json_int_t)bench->arrays.bytes, "rounds",
                     bench->arrays.rounds, "types", types);
}

// ---- The picture: a group of bars for each type

static void write_data(FILE *gnuplot, const void *user) {
    const width_bench *bench = user;
    fputs("$rates << EOD\n", gnuplot);
    for (int t = 0; t < N_WIDTH_TYPES; t++) {
        if (!bench->measured[t])
            continue;
        fprintf(gnuplot, "%s", width_types[t].name);
        for (int w = 0; w < MST_MAP_N_WIDTHS; w++)
            fprintf(gnuplot, " %.9g", 1e-9 * width_rate(bench, t, 0, w));
        fputc('\n', gnuplot);
    }
    fputs("EOD\n", gnuplot);
}

static void write_picture(FILE *gnuplot, const void *user) {
    const width_bench *bench = user;
    char title[400];
    snprintf(title, sizeof title, "A = (B - C) * D, %.100s", bench->run.device->name);
    cli_plot_string(gnuplot, "set title ", title, " noenhanced");
    fputs("set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.9 noborder\n"
          "unset logscale\nset grid noxtics\nset yrange [0:*]\nset xrange [*:*]\nset xtics auto\nset ylabel 'GB/s, four arrays'\n"
          "set key outside right top Left reverse samplen 1.5 title 'vector width'\n"
          "plot for [w=1:5] $rates using w+1:xtic(1) ls w title sprintf('%d', 2**(w-1))\n",
          gnuplot);
}

static cli_plot plot(const void *results) {
    return (cli_plot){.name = "vector-width",
                      .width = 1000,
                      .height = 420,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = results};
}

// ---- The part of the page

static void put_type(const page *p, const width_bench *bench, int t, int length) {
    const width_type *type = &width_types[t];
    int best = width_best(bench, t, length);
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", type->name);
    page_put(p, "td", "%s", length == 0 ? "n" : "n - 1");
    for (int w = 0; w < MST_MAP_N_WIDTHS; w++)
        page_number(p, "m", 1e-9 * width_rate(bench, t, length, w), best == 1 << w);
    page_put(p, "td class=\"m best\"", "%d", best);
    page_put(p, "td class=\"m\"", "%u", (unsigned)bench->run.device->preferred_width[type->claim]);
    if (type->paper)
        page_put(p, "td class=\"p\"", "%d", type->paper);
    else
        page_put(p, "td class=\"p\"", "not said");
    page_put(p, "td class=\"p\"", "1");
    page_close(p, "tr");
}

static void put_page(const page *p, const void *results) {
    const width_bench *bench = results;
    cli_plot picture = plot(bench);
    bool any = false;
    page_put(
        p, "p",
        "One kernel source, A[i] = (B[i] - C[i]) * D[i], compiled for vectors of 1 to 16 elements in every type; arrays of "
        "%.4g MiB on the device, medians of %d runs, every result checked. The second line of a type has one element less, "
        "which no width divides. The paper (on int, short and float) found ATI GPUs best just at the widths that they report as "
        "native, and NVIDIA GPUs to report 1 for everything, some of them no slower or even faster at wider ones; CPUs gained "
        "from every widening.",
        (double)bench->arrays.bytes / 0x1p20, bench->arrays.rounds);
    page_table(p, "GB/s of the four arrays by vector width", "||vector width*5|this device*2|published*2",
               "<type|elements|1|2|4|8|16|best|claims|ATI, best and native|NVIDIA claims");
    for (int t = 0; t < N_WIDTH_TYPES; t++)
        for (int length = 0; length < N_WIDTH_LENGTHS && bench->measured[t]; length++) {
            put_type(p, bench, t, length);
            any = true;
        }
    page_table_end(p);
    for (int t = 0; t < N_WIDTH_TYPES; t++)
        if (!bench->measured[t])
            page_put(p, "p class=\"note\"", "%s: %s.", width_types[t].name,
                     is_supported(bench, t) ? "not measured" : "the device does not support it");
    if (any)
        page_plot(p, &picture, "The rate of every type by vector width; the longer of the two lengths.");
}

static void headline(const void *results, char published[200], char here[200]) {
    enum { FLOAT = 4 };
    const width_bench *w = results;
    int t = FLOAT; // the paper's, or what there was time for
    for (int k = N_WIDTH_TYPES - 1; k >= 0 && !w->measured[FLOAT]; k--)
        t = w->measured[k] ? k : t;
    snprintf(published, 200, "float: 4 wins on ATI GPUs, every widening on CPUs");
    if (w->measured[t])
        snprintf(here, 200, "%s: width %d wins, at %.3g GB/s", width_types[t].name, width_best(w, t, 0),
                 1e-9 * width_rate(w, t, 0, (int)log2(width_best(w, t, 0))));
}

// ---- The description

static void print_heading(const void *results) {
    const width_bench *bench = results;
    printf("%s, driver %s: A = (B - C) * D, GB/s by vector width, arrays of %zu bytes\n\n%-7s %6s %5s %8d %8d %8d %8d %8d "
           "%5s %8s\n",
           bench->run.device->name, bench->run.device->driver_version, bench->arrays.bytes, "type", "claims", "", 1, 2, 4, 8, 16,
           "best", "in ms");
}

static void count(const void *results, int *done, int *wanted) {
    *done = *wanted = 0;
    for (int t = 0; t < N_WIDTH_TYPES; t++) {
        *wanted += is_supported(results, t);
        *done += ((const width_bench *)results)->measured[t] && is_supported(results, t);
    }
}

static int choose(const void *request, void *results) {
    width_bench *bench = results;
    return bench_choose_arrays(&bench->run, request, &bench->arrays);
}

static void choose_within(bool quick, void *results) {
    width_bench *bench = results;
    bench_choose_arrays_within(&bench->run, quick, 4, &bench->arrays);
}

static int run(const cli_arguments *arguments, void *values) { return bench_run_alone(&bench_vector_width, arguments, values); }

const benchmark bench_vector_width = {
    .command = {.name = "bench vector-width",
                .summary = "one kernel on vectors of 1 to 16 elements, in every type",
                .title = "Compare vector widths of one kernel in every type.",
                .synopsis = "[options]",
                .details = details,
                .leave_out = CLI_MEMORY | CLI_VERBOSE | CLI_KERNELS,
                .options = option_table,
                .n_options = CLI_COUNT(option_table),
                .values_bytes = sizeof(bench_arrays_request),
                .defaults = &defaults,
                .run = run},
    .name = "vector-width",
    .part = "Vector widths of one kernel source",
    .weight = 2,
    .contexts = 1 << BENCH_PLAIN,
    .result_bytes = sizeof(width_bench),
    .choose = choose,
    .choose_within = choose_within,
    .measure = width_measure,
    .count = count,
    .heading = print_heading,
    .json = json,
    .plot = plot,
    .page = put_page,
    .headline = headline,
};
