// mastaba bench filter: the published stage table, measured here, and the whole filter on the device.
#include "filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

// ---- Cases

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
    bench_request shared;
    char *sizes;    // NULL: the default
    double seconds; // for a work-group size
} request;

static const request defaults = {.seconds = 1};

static const cli_option option_table[] = {
    {"sizes", 0, CLI_TEXT, offsetof(request, sizes), "sides, powers of two (default: 512,4096)", "N,..."},
    {"cell-seconds", 0, CLI_REAL, offsetof(request, seconds), "time for one work-group size (default: 1)", "S"},
    {"plot", 0, CLI_TEXT, offsetof(bench_request, plot), "draw the stages of the first size into this directory", "DIR"},
};

// ---- Text and JSON

static const char *row_name(int row) {
    return row < PAPER_N_STAGES ? paper_stages[row].name : row == PAPER_N_STAGES ? "(to complex)" : "(from complex)";
}

static void print_row(const char *name, const double *seconds, const bool *missing, double factor) {
    printf("%-18s", name);
    for (int g = 0; g < PAPER_N_GROUPS; g++) {
        if (missing && missing[g])
            printf("%9s", "-");
        else
            printf("%9.3f", seconds[g] * factor);
    }
    putchar('\n');
}

static void print_table(const filter_table *t) {
    printf("\n%zu x %zu, ms by work-group size\n%-18s", t->n, t->n, "");
    for (int g = 0; g < PAPER_N_GROUPS; g++)
        printf("%9zu", paper_groups[g]);
    putchar('\n');
    for (int s = 0; s < PAPER_N_STAGES; s++) {
        print_row(paper_stages[s].name, t->paper[s], t->missing, 1e3);
        if (t->n == 512)
            print_row("  paper", paper_stages[s].milliseconds, NULL, 1);
    }
    for (int s = PAPER_N_STAGES; s < FILTER_N_ROWS; s++)
        print_row(row_name(s), t->paper[s], t->missing, 1e3);
}

static void print_fused(const filter_table *t, double copy_rate) {
    double rate = filter_rate(t);
    printf("fused, on the device: %.3f ms, %.1f GB/s at 24 bytes a point, %.2f of a copy (%.1f GB/s)\n", 1e3 * t->fused,
           1e-9 * rate, rate / copy_rate, 1e-9 * copy_rate);
}

void filter_print(const filter_table *t, double copy_rate) {
    print_table(t);
    print_fused(t, copy_rate);
}

static json_t *table_json(const filter_table *t, double copy_rate) {
    json_t *object = json_pack("{s:I, s:o, s:f}", "n", (json_int_t)t->n, "fused_seconds", cli_json_real(t->fused),
                               "copy_bytes_per_second", copy_rate);
    json_t *groups = json_array();
    int failed = !object || !groups;
    for (int g = 0; g < PAPER_N_GROUPS && !failed; g++) {
        json_t *column = json_pack("{s:I}", "work_group", (json_int_t)paper_groups[g]);
        for (int s = 0; s < PAPER_N_STAGES && !t->missing[g]; s++)
            failed |= json_object_set_new(column, paper_stages[s].name, cli_json_real(t->paper[s][g]));
        failed |= json_array_append_new(groups, column);
    }
    failed |= json_object_set_new(object, "paper_algorithm", groups);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *json(const void *results) {
    const filter_bench *bench = results;
    json_t *list = json_array();
    int failed = !list;
    for (int i = 0; i < bench->n_tables; i++)
        failed |= json_array_append_new(list, table_json(&bench->tables[i], bench->copy_rate));
    if (!failed)
        return json_pack("{s:s, s:o, s:o}", "benchmark", "filter", "device", cli_json_text(bench->run.device->name), "sizes",
                         list);
    json_decref(list);
    return NULL;
}

// ---- The picture: milliseconds of the stages by work-group size, here and in the book

static const int drawn[] = {2, 3, 4, 5, 6};
enum { N_DRAWN = sizeof drawn / sizeof drawn[0] };

static void write_data(FILE *gnuplot, const void *user) {
    const filter_bench *bench = user;
    const filter_table *t = &bench->tables[0];
    double values[N_DRAWN * PAPER_N_GROUPS];
    for (int paper = 0; paper < 2; paper++) {
        fprintf(gnuplot, "$%s << EOD\n", paper ? "paper" : "here");
        for (int g = 0; g < PAPER_N_GROUPS; g++) {
            if (!paper && (bench->n_tables == 0 || t->missing[g]))
                continue;
            fprintf(gnuplot, "%zu", paper_groups[g]);
            for (int k = 0; k < N_DRAWN; k++)
                fprintf(gnuplot, " %.9g", paper ? paper_stages[drawn[k]].milliseconds[g] : 1e3 * t->paper[drawn[k]][g]);
            fputc('\n', gnuplot);
        }
        fputs("EOD\n", gnuplot);
    }
    fputs("names = '\"bit reverse\" butterfly normalise transpose high-pass'\n"
          "set logscale x 2\nset xrange [0.8:700]\nset xtics 1,2 format '%.0f'\n",
          gnuplot);
    for (int k = 0; k < N_DRAWN; k++)
        for (int g = 0; g < PAPER_N_GROUPS; g++)
            values[k * PAPER_N_GROUPS + g] = t->missing[g] ? 0 : 1e3 * t->paper[drawn[k]][g];
    cli_plot_decades(gnuplot, 0.01, 100, values, N_DRAWN * PAPER_N_GROUPS); // the paper's
}

static void write_picture(FILE *gnuplot, const void *user) {
    const filter_bench *bench = user;
    char here[120], name[CLI_PLOT_NAME];
    cli_plot_name(bench->run.device->name, name);
    snprintf(here, sizeof here, "%s, %zu x %zu", name, bench->tables[0].n, bench->tables[0].n);
    fputs("set multiplot layout 1,2 margins 0.07,0.84,0.14,0.9 spacing 0.07\nunset key\n", gnuplot);
    fputs("set xlabel 'work-items a group'\nset ylabel 'ms'\n", gnuplot);
    cli_plot_string(gnuplot, "set title ", here, " noenhanced");
    fputs("plot for [k=1:5] $here using 1:k+1 with linespoints ls k title word(names, k)\n"
          "set title 'published: an NVIDIA GPU of 2009, 512 x 512'\nunset ylabel\n"
          "set key at screen 0.99, screen 0.9 right top Left reverse samplen 2 spacing 1.4 title 'stage'\n"
          "plot for [k=1:5] $paper using 1:k+1 with linespoints ls k title word(names, k)\nunset multiplot\n",
          gnuplot);
}

static cli_plot plot(const void *results) {
    return (cli_plot){.name = "filter-stages",
                      .width = 1200,
                      .height = 460,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = results};
}

// ---- The part of the page

static void put_row(const page *p, const char *name, const char *kind, const double *values, const bool *missing, double factor) {
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", name);
    for (int g = 0; g < PAPER_N_GROUPS; g++)
        page_number(p, kind, missing && missing[g] ? 0 : values[g] * factor, false);
    page_close(p, "tr");
}

static void put_table(const page *p, const filter_table *t) {
    char caption[120], columns[120] = "<stage", name[64];
    size_t used = strlen(columns);
    for (int g = 0; g < PAPER_N_GROUPS && used < sizeof columns; g++)
        used += (size_t)snprintf(columns + used, sizeof columns - used, "|%zu", paper_groups[g]);
    snprintf(caption, sizeof caption, "Milliseconds of the stages, %zu x %zu pixels", t->n, t->n);
    page_table(p, caption, "|work-items a group*7", columns);
    for (int s = 0; s < FILTER_N_ROWS; s++) {
        bool published = s < PAPER_N_STAGES && t->n == 512;
        snprintf(name, sizeof name, "%s%s", row_name(s), published ? ", here" : "");
        put_row(p, name, "m", t->paper[s], t->missing, 1e3);
        if (published)
            put_row(p, "published", "p", paper_stages[s].milliseconds, NULL, 1);
    }
    page_table_end(p);
}

static void put_page(const page *p, const void *results) {
    const filter_bench *bench = results;
    cli_plot picture = plot(bench);
    page_put(
        p, "p",
        "A high pass of radius n/8 on n x n grey pixels by the algorithm of the OpenCL Programming Book, section 6.1: rows of "
        "radix-2 butterflies, transposed, twice each way. Milliseconds of each stage on the device, from events, for "
        "work-groups of 1 to 512 work-items; the least of up to five runs. The published table is of an NVIDIA GPU of 2009 "
        "that is not named. Conversions to and from complex numbers are part of the stages there.");
    for (int i = 0; i < bench->n_tables; i++)
        put_table(p, &bench->tables[i]);
    if (bench->n_tables > 0 && filter_any(&bench->tables[0]))
        page_plot(p, &picture, "The stages that take time, by work-items a group; both axes are logarithmic.");
    if (bench->n_tables == 0)
        return;
    page_table(p, "This library's fused filter, float32 pixels on the device, Gaussian low pass", NULL,
               "n|ms|GB/s at 24 bytes a point|share of a copy's rate");
    for (int i = 0; i < bench->n_tables; i++) {
        const filter_table *t = &bench->tables[i];
        page_open(p, "tr");
        page_put(p, "td", "%zu", t->n);
        page_number(p, "m", 1e3 * t->fused, false);
        page_number(p, "m", 1e-9 * filter_rate(t), false);
        page_number(p, "m", filter_rate(t) / bench->copy_rate, false);
        page_close(p, "tr");
    }
    page_table_end(p);
}

// The least sum of the stages over the work-group sizes, in ms.
static double least_sum(const filter_table *t) {
    double least = INFINITY;
    for (int g = 0; g < PAPER_N_GROUPS; g++) {
        double sum = 0;
        for (int s = 0; s < (t ? FILTER_N_ROWS : PAPER_N_STAGES); s++)
            sum += t ? 1e3 * t->paper[s][g] : paper_stages[s].milliseconds[g];
        least = t && t->missing[g] ? least : fmin(least, sum);
    }
    return least;
}

static void headline(const void *results, char published[200], char here[200]) {
    const filter_bench *bench = results;
    const filter_table *t = &bench->tables[0];
    char paper[32], fused[32];
    snprintf(published, 200, "%s for 512 x 512 pixels, best work-group", cli_time_text(1e-3 * least_sum(NULL), paper));
    if (bench->n_tables == 0 || !isfinite(least_sum(t)))
        return;
    const int used = snprintf(here, 200, "%s", cli_time_text(1e-3 * least_sum(t), paper));
    if (isfinite(t->fused))
        snprintf(here + used, 200 - (size_t)used, "; fused, on the device, %s", cli_time_text(t->fused, fused));
}

// ---- The description

static void print_heading(const void *results) { printf("%s\n", ((const filter_bench *)results)->run.device->name); }

static void count(const void *results, int *done, int *wanted) {
    const filter_bench *bench = results;
    *wanted = bench->n_sizes * PAPER_N_GROUPS;
    *done = bench->n_tables * PAPER_N_GROUPS;
    for (int i = 0; i < bench->n_tables; i++)
        *done -= bench->tables[i].left_out;
}

static int choose(const void *request_, void *results) {
    const request *r = request_;
    filter_bench *bench = results;
    bench->seconds = r->seconds;
    bench->n_sizes = read_sizes(r->sizes ? r->sizes : "512,4096", bench->sizes);
    if (bench->n_sizes == 0) {
        cli_error(bench->run.command, "--sizes %s: give up to %d powers of two from 2 to 32768", r->sizes, FILTER_MOST_SIZES);
        return CLI_USAGE;
    }
    return bench_is_time(&bench->run, "cell-seconds", r->seconds) ? CLI_DONE : CLI_USAGE;
}

static void choose_within(bool quick, void *results) {
    filter_bench *bench = results;
    bench->n_sizes = quick ? 1 : 2;
    bench->sizes[0] = 512;
    bench->sizes[1] = 4096;
    bench->seconds = bench_between(0.05, (bench->run.until - cli_now()) / (bench->n_sizes * (PAPER_N_GROUPS + 1)), 1);
}

static int run(const cli_arguments *arguments, void *values) { return bench_run_alone(&bench_filter, arguments, values); }

const benchmark bench_filter = {
    .command = {.name = "bench filter",
                .summary = "the published image filter's stages, and the fused filter",
                .title = "Measure the stages of the published image filter, and the fused one.",
                .synopsis = "[options]",
                .details = details,
                .leave_out = CLI_KERNELS,
                .options = option_table,
                .n_options = CLI_COUNT(option_table),
                .values_bytes = sizeof(request),
                .defaults = &defaults,
                .run = run},
    .name = "filter",
    .part = "Image filter by FFT",
    .weight = 2,
    .contexts = 1 << BENCH_PROFILED,
    .result_bytes = sizeof(filter_bench),
    .choose = choose,
    .choose_within = choose_within,
    .measure = filter_measure,
    .count = count,
    .heading = print_heading,
    .json = json,
    .plot = plot,
    .page = put_page,
    .headline = headline,
};
