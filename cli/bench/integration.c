// mastaba bench integration: the published tables, larger N, and rates of the rules on this machine.
#include "integration.h"

#include <math.h>

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

// ---- Cases

typedef struct request {
    bench_request shared;
    int largest;
} request;

static const request defaults = {.largest = 24};

static const cli_option option_table[] = {
    {"largest", 0, CLI_INT, offsetof(request, largest), "the tables go to 2^L points, 10 to 32 (default: 24)", "L"},
    {"plot", 0, CLI_TEXT, offsetof(bench_request, plot), "draw the speed-ups into this directory", "DIR"},
};

// ---- Text and JSON

void integration_print_heading(int which) {
    printf("\n%s over [-5, 5], float32\n%5s %11s %11s %9s %9s %11s %9s %9s %9s %9s\n", integration_names[which], "N", "one core",
           "published", "K1", "K2", "own", "K1", "K2", "paper K1", "paper K2");
}

void integration_print_cell(int which, const integration_cell *cell) {
    const paper_integration *p = integration_paper(which, cell->log_n);
    char texts[3][32];
    printf("2^%-3d %11s %11s %9.4g %9.4g %11s %9.4g %9.4g", cell->log_n, cli_time_text(cell->core, texts[0]),
           cli_time_text(cell->published, texts[1]), cell->core / cell->published, cell->core / cell->kernels[0],
           cli_time_text(cell->own, texts[2]), cell->core / cell->own, cell->core / cell->kernels[1]);
    if (p)
        printf(" %9.4g %9.4g", p->k1, p->k2);
    puts(cell->right ? "" : "   WRONG");
    fflush(stdout);
}

void integration_print_rate(const integration_bench *bench, const integration_rate *r) {
    printf("  %-8s %-10s %8.4g   error %.2g, reported %.2g\n", mst_type_name(r->type), mst_integral_rule_name(r->rule),
           (double)((uint64_t)1 << bench->log_points) / r->seconds * 1e-9, r->error, r->reported);
    fflush(stdout);
}

void integration_print_adaptive(const integration_adaptive *a) {
    char text[32];
    if (a->n > 1)
        printf("  %zu x %s: %s, %.3g integrals a second\n", a->n, a->integrand, cli_time_text(a->seconds, text),
               (double)a->n / a->seconds);
    else
        printf("  %s: %s, %llu evaluations, %s\n", a->integrand, cli_time_text(a->seconds, text),
               (unsigned long long)a->result.evaluations, mst_integral_status_name(a->result.status));
}

static json_t *call_json(const integration_cell *c, double call, double kernels) {
    return json_pack("{s:o, s:o, s:o, s:o}", "seconds", cli_json_real(call), "k1", cli_json_real(c->core / call),
                     "kernel_seconds", cli_json_real(kernels), "k2", cli_json_real(c->core / kernels));
}

static json_t *cell_json(int which, const integration_cell *c) {
    const paper_integration *p = integration_paper(which, c->log_n);
    return json_pack("{s:i, s:o, s:b, s:o, s:o, s:b, s:o}", "log2_points", c->log_n, "core_seconds", cli_json_real(c->core),
                     "core_scaled", (int)(c->log_n > 24), "published", call_json(c, c->published, c->kernels[0]), "own",
                     call_json(c, c->own, c->kernels[1]), "right", (int)c->right, "paper",
                     p ? json_pack("{s:f, s:f}", "k1", p->k1, "k2", p->k2) : json_null());
}

static json_t *rate_json(const integration_bench *bench, const integration_rate *r) {
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "type", mst_type_name(r->type), "rule", mst_integral_rule_name(r->rule),
                     "seconds", cli_json_real(r->seconds), "points_per_second",
                     cli_json_real((double)((uint64_t)1 << bench->log_points) / r->seconds), "error", cli_json_real(r->error),
                     "reported_error", cli_json_real(r->reported));
}

static json_t *adaptive_json(const integration_adaptive *a) {
    return json_pack("{s:s, s:I, s:o, s:o, s:I, s:s}", "integrand", a->integrand, "integrals", (json_int_t)a->n, "seconds",
                     cli_json_real(a->seconds), "integrals_per_second", cli_json_real((double)a->n / a->seconds), "evaluations",
                     (json_int_t)a->result.evaluations, "status", mst_integral_status_name(a->result.status));
}

static json_t *json(const void *results) {
    const integration_bench *bench = results;
    json_t *integrals = json_array(), *rates = json_array(), *adaptive = json_array();
    int failed = 0;
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++) {
        json_t *cells = json_array();
        for (int k = 0; k < bench->n_cells[which]; k++)
            failed |= json_array_append_new(cells, cell_json(which, &bench->cells[which][k]));
        failed |=
            json_array_append_new(integrals, json_pack("{s:s, s:o}", "integrand", integration_names[which], "cells", cells));
    }
    for (int k = 0; k < bench->n_rates; k++)
        failed |= json_array_append_new(rates, rate_json(bench, &bench->rates[k]));
    for (int k = 0; k < bench->n_adaptive; k++)
        failed |= json_array_append_new(adaptive, adaptive_json(&bench->adaptive[k]));
    json_t *object = json_pack("{s:s, s:o, s:o, s:s, s:o, s:o, s:i, s:o, s:o}", "benchmark", "integration", "device",
                               cli_json_text(bench->run.device->name), "driver", cli_json_text(bench->run.device->driver_version),
                               "date", bench->run.date, "reference_processor", cli_json_text(bench->run.processor), "integrals",
                               integrals, "rates_log2_points", bench->log_points, "rates", rates, "adaptive", adaptive);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

// ---- The picture: speed-ups over one core by the number of points, here and published

static void write_data(FILE *gnuplot, const void *user) {
    const integration_bench *bench = user;
    double values[4 * INTEGRATION_N_INTEGRALS * INTEGRATION_N_CELLS];
    size_t n = 0;
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++) {
        fprintf(gnuplot, "$here%d << EOD\n", which);
        for (int k = 0; k < bench->n_cells[which]; k++) {
            const integration_cell *c = &bench->cells[which][k];
            const double four[] = {c->core / c->published, c->core / c->kernels[0], c->core / c->own, c->core / c->kernels[1]};
            fprintf(gnuplot, "%d %.9g %.9g %.9g %.9g\n", c->log_n, four[0], four[1], four[2], four[3]);
            for (int i = 0; i < 4; i++)
                values[n++] = four[i];
        }
        fprintf(gnuplot, "EOD\n$paper%d << EOD\n", which);
        for (int k = 0; k < PAPER_N_SIZES; k++)
            fprintf(gnuplot, "%d %.9g %.9g\n", INTEGRATION_FIRST + k, paper_integrations[which][k].k1,
                    paper_integrations[which][k].k2);
        fputs("EOD\n", gnuplot);
    }
    cli_plot_decades(gnuplot, 0.1, 10000, values, n); // the paper's
    fprintf(gnuplot, "set xrange [%d:%d]\nset xtics %d,2 format '2^{%%.0f}'\n", INTEGRATION_FIRST - 1,
            (bench->largest > 24 ? bench->largest : 24) + 1, INTEGRATION_FIRST);
}

// In the order of the columns.
static const struct {
    int style;
    const char *title;
} curves[4] = {
    {2, "K_1 here, their kernel"}, {5, "K_2 here, their kernel"}, {3, "K_1 here, this library"}, {4, "K_2 here, this library"}};

static void write_picture(FILE *gnuplot, const void *user) {
    const integration_bench *bench = user;
    fputs("set multiplot layout 1,2 margins 0.07,0.76,0.14,0.9 spacing 0.06\nset xlabel 'points N'\n"
          "set ylabel 'speed-up over one core'\nunset key\n",
          gnuplot);
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++) {
        fprintf(gnuplot, "set title '%s over [-5, 5], float32' noenhanced\n", integration_names[which]);
        if (which == 1)
            fputs("unset ylabel\nset key at screen 0.99, screen 0.9 right top Left reverse samplen 2 spacing 1.6\n", gnuplot);
        fputs("plot 1 ls 10 notitle", gnuplot);
        for (int k = 0; k < 4; k++) { // the key's lines are of functions without values: it is whole whatever was measured
            fprintf(gnuplot, ", NaN with linespoints ls %d title '%s'", curves[k].style, curves[k].title);
            if (bench->n_cells[which] > 0)
                fprintf(gnuplot, ", $here%d using 1:%d with linespoints ls %d notitle", which, k + 2, curves[k].style);
        }
        fprintf(gnuplot,
                ", $paper%d using 1:2 with linespoints ls 1 title 'K_1 published',"
                " $paper%d using 1:3 with linespoints ls 6 title 'K_2 published'\n",
                which, which);
    }
    fputs("unset multiplot\n", gnuplot);
}

static cli_plot plot(const void *results) {
    return (cli_plot){.name = "integration-speedup",
                      .width = 1200,
                      .height = 460,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = results};
}

// ---- The part of the page

static void put_cells(const page *p, const integration_bench *bench, int which) {
    char caption[120], text[32];
    if (bench->n_cells[which] == 0)
        return;
    snprintf(caption, sizeof caption, "%s over [-5, 5], float32: times, and speed-ups over one core", integration_names[which]);
    page_table(p, caption, "|time here*3|published kernel, here*2|this library, here*2|published*2",
               "<N|one core|published kernel|this library|K1|K2|K1|K2|K1|K2");
    for (int k = 0; k < bench->n_cells[which]; k++) {
        const integration_cell *c = &bench->cells[which][k];
        const paper_integration *paper = integration_paper(which, c->log_n);
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "2^%d%s", c->log_n, c->right ? "" : " (WRONG)");
        page_put(p, "td class=\"m\"", "%s", cli_time_text(c->core, text));
        page_put(p, "td class=\"m\"", "%s", cli_time_text(c->published, text));
        page_put(p, "td class=\"m\"", "%s", cli_time_text(c->own, text));
        page_number(p, "m", c->core / c->published, false);
        page_number(p, "m", c->core / c->kernels[0], false);
        page_number(p, "m", c->core / c->own, false);
        page_number(p, "m", c->core / c->kernels[1], false);
        page_number(p, "p", paper ? paper->k1 : 0, false);
        page_number(p, "p", paper ? paper->k2 : 0, false);
        page_close(p, "tr");
    }
    page_table_end(p);
}

static void put_rates(const page *p, const integration_bench *bench) {
    char caption[120];
    if (bench->n_rates == 0)
        return;
    snprintf(caption, sizeof caption, "The library's rules on sin(x^2) at 2^%d points", bench->log_points);
    page_table(p, caption, NULL, "<rule|<type|billion points a second|error|reported error");
    for (int k = 0; k < bench->n_rates; k++) {
        const integration_rate *r = &bench->rates[k];
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "%s", mst_integral_rule_name(r->rule));
        page_put(p, "td class=\"t\"", "%s", mst_type_name(r->type));
        page_number(p, "m", (double)((uint64_t)1 << bench->log_points) / r->seconds * 1e-9, false);
        page_put(p, "td class=\"m\"", "%.2g", r->error);
        page_put(p, "td class=\"m\"", "%.2g", r->reported);
        page_close(p, "tr");
    }
    page_table_end(p);
}

static void put_adaptive(const page *p, const integration_bench *bench) {
    char text[32];
    if (bench->n_adaptive == 0)
        return;
    page_table(p, "Adaptive integrals", NULL, "<integrand|integrals|time|evaluations of the first|status");
    for (int k = 0; k < bench->n_adaptive; k++) {
        const integration_adaptive *a = &bench->adaptive[k];
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "%s", a->integrand);
        page_put(p, "td class=\"m\"", "%zu", a->n);
        page_put(p, "td class=\"m\"", "%s", cli_time_text(a->seconds, text));
        page_put(p, "td class=\"m\"", "%llu", (unsigned long long)a->result.evaluations);
        page_put(p, "td class=\"m\"", "%s", mst_integral_status_name(a->result.status));
        page_close(p, "tr");
    }
    page_table_end(p);
}

static void put_page(const page *p, const void *results) {
    const integration_bench *bench = results;
    cli_plot picture = plot(bench);
    page_put(
        p, "p",
        "The left rectangle rule in single precision, in the published kernel (2048 work-items in groups of 128) and in this "
        "library's, which fills the device. K1 is the time of a plain loop on one core over that of a whole call, plans made "
        "beforehand; K2 counts the kernels only. Published: GTX 1050 Ti against one core of an "
        "i3-2100; the core here: %s.",
        bench->run.processor);
    if (bench->n_cells[0] > 0)
        page_plot(p, &picture, "Speed-ups over one core by the number of points; the dashed line is the core itself.");
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++)
        put_cells(p, bench, which);
    put_rates(p, bench);
    put_adaptive(p, bench);
}

static void headline(const void *results, char published[200], char here[200]) {
    const integration_bench *bench = results;
    double paper = 0, best = 0;
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++) {
        for (int k = 0; k < PAPER_N_SIZES; k++)
            paper = fmax(paper, paper_integrations[which][k].k1);
        for (int k = 0; k < bench->n_cells[which]; k++) {
            const integration_cell *c = &bench->cells[which][k];
            best = fmax(best, c->core / fmin(c->published, c->own));
        }
    }
    snprintf(published, 200, "%.4g times one core (K1, GTX 1050 Ti)", paper);
    if (best > 0)
        snprintf(here, 200, "%.3g times one core (K1)", best);
}

// ---- The description

static void print_heading(const void *results) { printf("device %s\n", ((const integration_bench *)results)->run.device->name); }

static void count(const void *results, int *done, int *wanted) {
    const integration_bench *bench = results;
    *done = bench->n_rates + bench->n_adaptive;
    *wanted = (bench->run.device->fp64 ? 2 : 1) * (MST_INTEGRAL_GAUSS - MST_INTEGRAL_RECTANGLE + 1) + INTEGRATION_N_ADAPTIVE;
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++) {
        *done += bench->n_cells[which];
        for (int log_n = INTEGRATION_FIRST; log_n <= bench->largest; log_n = integration_next(log_n))
            ++*wanted;
    }
}

static int choose(const void *request_, void *results) {
    const request *r = request_;
    integration_bench *bench = results;
    bench->largest = r->largest;
    if (r->largest >= INTEGRATION_FIRST && r->largest <= INTEGRATION_LAST)
        return CLI_DONE;
    cli_error(bench->run.command, "--largest %d: not from %d to %d", r->largest, INTEGRATION_FIRST, INTEGRATION_LAST);
    return CLI_USAGE;
}

static void choose_within(bool quick, void *results) { ((integration_bench *)results)->largest = quick ? 20 : 24; }

static int run(const cli_arguments *arguments, void *values) { return bench_run_alone(&bench_integration, arguments, values); }

const benchmark bench_integration = {
    .command = {.name = "bench integration",
                .summary = "the published rectangle rule against one core and the library's rules",
                .title = "Compare the rectangle rule as published with one core and with the library's own.",
                .synopsis = "[options]",
                .details = details,
                .leave_out = CLI_KERNELS,
                .options = option_table,
                .n_options = CLI_COUNT(option_table),
                .values_bytes = sizeof(request),
                .defaults = &defaults,
                .run = run},
    .name = "integration",
    .part = "Integration",
    .weight = 2,
    .contexts = 1 << BENCH_PLAIN | 1 << BENCH_PROFILED,
    .result_bytes = sizeof(integration_bench),
    .choose = choose,
    .choose_within = choose_within,
    .measure = integration_measure,
    .count = count,
    .heading = print_heading,
    .json = json,
    .plot = plot,
    .page = put_page,
    .headline = headline,
};
