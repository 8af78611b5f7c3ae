// mastaba bench pyramid: grids that pass through a small part of the device, as the pyramid method's paper measured them.
#include "published/pyramid.h"
#include "pyramid.h"

#include <math.h>
#include <string.h>

static const char details[] = "Solves the heat equation on a grid of which an eighth fits the device, with\n"
                              "slabs and tiles of every depth n and the trivial way, as the paper ran them (one\n"
                              "step a kernel, no overlap), then every schedule as `mastaba solve` runs it; the same\n"
                              "in three dimensions with a quarter. Prints the time a node-step beside what the model\n"
                              "predicts, and the speed-ups over the trivial way beside the paper's. Before that: the\n"
                              "paper's table of theory, from its formulas.\n"
                              "\n"
                              "--plot DIR draws pyramid.svg and .png there, by gnuplot: the paper's figures 4 and 5.\n"
                              "\n"
                              "Example: a first look\n"
                              "  mastaba bench pyramid --quick\n";

// ---- Cases

typedef struct request {
    bench_request shared;
    int quick;
    double seconds; // for a point
} request;

static const request defaults = {.seconds = 0.4};

static const cli_option option_table[] = {
    {"quick", 0, CLI_FLAG, offsetof(request, quick), "fewer depths", NULL},
    {"point-seconds", 0, CLI_REAL, offsetof(request, seconds), "time for one point (default: 0.4)", "S"},
    {"plot", 0, CLI_TEXT, offsetof(bench_request, plot), "draw time against n into this directory", "DIR"},
};

// ---- Text and JSON

static void print_row(const pyramid_row *row, const char *label, double share, double slower) {
    printf("%-38s", label);
    for (int k = 0; k < PYRAMID_N_RATIOS; k++)
        printf(" %6.2f", pyramid_speedup(share, row->axes, pyramid_ratios[k], slower));
    putchar('\n');
}

static void print_theory(const void *results) {
    (void)results; // theory does not depend on them
    printf("Theory: speed-up over the trivial way, grid 32768 x 32768 float32, at the best depth\n%-38s", "t_c / t_a");
    for (int k = 0; k < PYRAMID_N_RATIOS; k++)
        printf(" %6.0f", pyramid_ratios[k]);
    putchar('\n');
    for (int i = 0; i < PYRAMID_N_ROWS; i++) {
        const pyramid_row *row = &pyramid_rows[i];
        char label[64];
        snprintf(label, sizeof label, "%s, %s%s, published", row->memory, row->axes == 1 ? "slabs" : "tiles",
                 row->slower > 1 ? ", slower copies" : "");
        printf("%-38s", label);
        for (int k = 0; k < PYRAMID_N_RATIOS; k++)
            printf(" %6.2f", row->published[k]);
        putchar('\n');
        print_row(row, "    formulas", row->share, row->slower);
        if (row->fitted_share > row->share || row->fitted_slower > row->slower) {
            snprintf(label, sizeof label, "    1/%.0f of the grid, copies x %.1f", 1 / row->fitted_share, row->fitted_slower);
            print_row(row, label, row->fitted_share, row->fitted_slower);
        }
    }
}

static void print_point(const pyramid_point *p) {
    if (pyramid_lack(p)[0]) {
        printf("%-7s %-14s %6zu  %s\n", p->problem, mst_stencil_schedule_name(p->schedule), p->depth, pyramid_lack(p));
        return;
    }
    printf("%-7s %-14s %6zu %4u %7zu %10.4f %10.4f %+7.1f%% %8.1f%%\n", p->problem, mst_stencil_schedule_name(p->schedule),
           p->plan.depth, p->plan.fuse, p->plan.block, 1e9 * p->measured, 1e9 * p->predicted,
           100 * (p->predicted / p->measured - 1), 100 * fmax(p->plan.duplicated, 0));
}

static void print_points(const pyramid_bench *bench, bool published) {
    printf("\n%s\n%-7s %-14s %6s %4s %7s %10s %10s %8s %9s\n",
           published ? "As published: one step a kernel, transfers and kernels one after the other; ns a node-step"
                     : "As this program runs: steps fused, transfers overlapped, depth by the model; ns a node-step",
           "", "schedule", "n", "m", "block", "measured", "predicted", "error", "twice");
    for (int i = 0; i < bench->n_points; i++)
        if (bench->points[i].published == published)
            print_point(&bench->points[i]);
}

static void print_factor(double factor) {
    if (factor > 0)
        printf(" %15.2f", factor);
    else
        printf(" %15s", "-");
}

static void print_table(const void *results) {
    const pyramid_bench *bench = results;
    double rms, worst;
    print_points(bench, true);
    print_points(bench, false);
    printf("\nSpeed-up over the trivial way\n%-22s %15s %15s %15s\n", "", "the paper", "as published", "as run here");
    for (int i = 0; i < PYRAMID_N_SPEEDUPS; i++) {
        pyramid_speedups row = pyramid_compare(bench, i);
        printf("%-7s %-14s", row.problem, mst_stencil_schedule_name(row.schedule));
        print_factor(row.paper);
        print_factor(row.published);
        print_factor(row.own);
        putchar('\n');
    }
    pyramid_errors(bench, &rms, &worst);
    printf("\nModel against measurement: RMS relative error %.1f%%, worst %+.1f%%\n", 100 * rms, 100 * worst);
}

static json_t *point_json(const pyramid_point *p) {
    return json_pack("{s:s, s:s, s:b, s:I, s:I, s:I, s:o, s:o, s:o, s:s}", "problem", p->problem, "schedule",
                     mst_stencil_schedule_name(p->schedule), "as_published", (int)p->published, "depth",
                     (json_int_t)p->plan.depth, "fuse", (json_int_t)p->plan.fuse, "block", (json_int_t)p->plan.block,
                     "seconds_per_node_step", cli_json_real(p->measured), "predicted_seconds_per_node_step",
                     cli_json_real(p->predicted), "duplicated", cli_json_real(p->plan.duplicated), "failed", pyramid_lack(p));
}

static json_t *json(const void *results) {
    const pyramid_bench *bench = results;
    double rms, worst;
    json_t *points = json_array();
    int failed = !points;
    pyramid_errors(bench, &rms, &worst);
    for (int i = 0; i < bench->n_points; i++)
        failed |= json_array_append_new(points, point_json(&bench->points[i]));
    if (failed) {
        json_decref(points);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:I, s:I, s:o, s:o, s:o}", "device", bench->device, "date", bench->run.date, "side_2d",
                     (json_int_t)bench->sides[0], "side_3d", (json_int_t)bench->sides[1], "points", points, "rms_relative_error",
                     cli_json_real(rms), "worst_relative_error", cli_json_real(worst));
}

// ---- The picture: time against the depth n, for slabs and for tiles: the paper's figures 4 and 5

static bool is_drawn(const pyramid_point *p, mst_stencil_schedule schedule) {
    return p->published && p->schedule == schedule && strcmp(p->problem, "heat2d") == 0 && p->measured > 0;
}

static void write_series(FILE *gnuplot, const pyramid_bench *bench, const char *name, mst_stencil_schedule schedule) {
    fprintf(gnuplot, "$%s << EOD\n", name);
    for (int i = 0; i < bench->n_points; i++) {
        const pyramid_point *p = &bench->points[i];
        if (is_drawn(p, schedule))
            fprintf(gnuplot, "%zu %.9g %.9g\n", p->plan.depth, 1e9 * p->measured, 1e9 * p->predicted);
    }
    fputs("EOD\n", gnuplot);
}

// One axis for both panels, with marks at 1, 2 and 5 of every power of ten, since the times may span less than one.
static void write_range(FILE *gnuplot, const pyramid_bench *bench, double trivial) {
    double low = trivial, high = trivial;
    for (int i = 0; i < bench->n_points; i++) {
        const pyramid_point *p = &bench->points[i];
        if (!is_drawn(p, MST_STENCIL_PYRAMID_SLABS) && !is_drawn(p, MST_STENCIL_PYRAMID_TILES))
            continue;
        low = fmin(low, 1e9 * fmin(p->measured, p->predicted));
        high = fmax(high, 1e9 * fmax(p->measured, p->predicted));
    }
    fprintf(gnuplot, "set yrange [%.4g:%.4g]\nset ytics (", low / 1.3, high * 1.3);
    for (int decade = -4; decade <= 4; decade++)
        fprintf(gnuplot, "%s%g, %g, %g", decade == -4 ? "" : ", ", pow(10, decade), 2 * pow(10, decade), 5 * pow(10, decade));
    fputs(")\n", gnuplot);
}

static void write_data(FILE *gnuplot, const void *user) {
    const pyramid_bench *bench = user;
    const pyramid_point *trivial = pyramid_best(bench, "heat2d", MST_STENCIL_TRIVIAL, true);
    write_series(gnuplot, bench, "slabs", MST_STENCIL_PYRAMID_SLABS);
    write_series(gnuplot, bench, "tiles", MST_STENCIL_PYRAMID_TILES);
    fprintf(gnuplot,
            "trivial = %.9g\nset logscale x 2\nset logscale y 10\nset xtics 1,2 format '%%.0f'\nset format y '%%g'\n"
            "set xrange [0.8:160]\n",
            trivial ? 1e9 * trivial->measured : NAN);
    write_range(gnuplot, bench, trivial ? 1e9 * trivial->measured : 1);
}

static bool any_drawn(const pyramid_bench *bench, mst_stencil_schedule schedule) {
    bool any = false;
    for (int i = 0; i < bench->n_points; i++)
        any = any || is_drawn(&bench->points[i], schedule);
    return any;
}

static void write_picture(FILE *gnuplot, const void *user) {
    const pyramid_bench *bench = user;
    char title[400], budget[32];
    snprintf(title, sizeof title, "Heat, %zu x %zu nodes through %s of device memory: %.60s", bench->sides[0], bench->sides[0],
             cli_size_text(pyramid_budget(bench, "heat2d"), budget), bench->device);
    cli_plot_string(gnuplot, "set multiplot layout 1,2 margins 0.07,0.84,0.14,0.82 spacing 0.06 title ", title, " noenhanced");
    fputs("set ylabel 'ns a node-step'\nset xlabel 'steps a trip, n'\nunset key\n", gnuplot);
    static const char *const panels[] = {"slabs", "tiles"};
    for (int i = 0; i < 2; i++) {
        if (i == 1)
            fputs("unset ylabel\nset key at screen 0.99, screen 0.82 right top Left reverse samplen 2.5 spacing 1.6\n", gnuplot);
        // The key's lines are of functions without values, so that it is whole whatever was measured.
        fprintf(gnuplot,
                "set title '%s'\nplot trivial ls 10 lw 2 title 'trivial way', NaN with lines ls 1 title 'model', "
                "NaN with points ls 5 ps 1.3 title 'measured'",
                panels[i]);
        if (any_drawn(bench, i == 0 ? MST_STENCIL_PYRAMID_SLABS : MST_STENCIL_PYRAMID_TILES))
            fprintf(gnuplot, ", $%s using 1:3 with lines ls 1 notitle, $%s using 1:2 with points ls 5 ps 1.3 notitle", panels[i],
                    panels[i]);
        fputc('\n', gnuplot);
    }
    fputs("unset multiplot\n", gnuplot);
}

static cli_plot plot(const void *results) {
    return (cli_plot){.name = "pyramid",
                      .width = 1200,
                      .height = 460,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = results};
}

// ---- The part of the page

static void put_theory(const page *p) {
    page_table(p,
               "Theory: speed-up over the trivial way on 32768 x 32768 nodes at the best depth, published and from the formulas",
               "||t_c / t_a = 1*2|5*2|10*2|15*2",
               "<device memory|<blocks|published|formulas|published|formulas|published|formulas|published|formulas");
    for (int i = 0; i < PYRAMID_N_ROWS; i++) {
        const pyramid_row *row = &pyramid_rows[i];
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "%s", row->memory);
        page_put(p, "td class=\"t\"", "%s%s", row->axes == 1 ? "slabs" : "tiles", row->slower > 1 ? ", slower copies" : "");
        for (int k = 0; k < PYRAMID_N_RATIOS; k++) {
            page_number(p, "p", row->published[k], false);
            page_number(p, "m", pyramid_speedup(row->share, row->axes, pyramid_ratios[k], row->slower), false);
        }
        page_close(p, "tr");
    }
    page_table_end(p);
    page_put(p, "p class=\"note\"",
             "t_c / t_a is the time to move a value over that to update it. The published rows of 1024 MB are "
             "what the formulas give for half of the grid rather than a quarter, and those of slower copies for copies 2.2 times "
             "as slow rather than 1.2.");
}

static void put_speedups(const page *p, const pyramid_bench *bench) {
    page_table(p, "Speed-up over the trivial way", NULL,
               "<problem|<schedule|published|here, as published|here, as this library runs");
    for (int i = 0; i < PYRAMID_N_SPEEDUPS; i++) {
        pyramid_speedups row = pyramid_compare(bench, i);
        page_open(p, "tr");
        page_put(p, "td class=\"t\"", "%s", row.problem);
        page_put(p, "td class=\"t\"", "%s", mst_stencil_schedule_name(row.schedule));
        page_number(p, "p", row.paper, false);
        page_number(p, "m", row.published, false);
        page_number(p, "m", row.own, false);
        page_close(p, "tr");
    }
    page_table_end(p);
}

static void put_point(const page *p, const pyramid_point *point) {
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", point->problem);
    page_put(p, "td class=\"t\"", "%s", mst_stencil_schedule_name(point->schedule));
    page_put(p, "td class=\"t\"", "%s", point->published ? "as published" : "as run");
    if (pyramid_lack(point)[0]) {
        if (point->depth)
            page_put(p, "td", "%zu", point->depth);
        else // the model's choice
            page_put(p, "td", "%s", "");
        page_put(p, "td class=\"t w\" colspan=\"6\"", "%s", pyramid_lack(point));
    } else {
        page_put(p, "td", "%zu", point->plan.depth);
        page_put(p, "td", "%u", point->plan.fuse);
        page_put(p, "td", "%zu", point->plan.block);
        page_number(p, "m", 1e9 * point->measured, false);
        page_number(p, "m", 1e9 * point->predicted, false);
        page_put(p, "td class=\"m\"", "%+.1f %%", 100 * (point->predicted / point->measured - 1));
        page_put(p, "td class=\"m\"", "%.1f %%", 100 * fmax(point->plan.duplicated, 0));
    }
    page_close(p, "tr");
}

static void put_points(const page *p, const pyramid_bench *bench) {
    double rms, worst;
    pyramid_errors(bench, &rms, &worst);
    page_open(p, "details");
    page_put(p, "summary", "Every run: time a node-step, measured and predicted");
    page_table(p, "Runs; n steps a trip, m steps a kernel, nanoseconds a node-step", NULL,
               "<problem|<schedule|<manner|n|m|block|measured|predicted|error|computed twice");
    for (int i = 0; i < bench->n_points; i++)
        put_point(p, &bench->points[i]);
    page_table_end(p);
    page_close(p, "details");
    if (!isnan(rms))
        page_put(p, "p",
                 "Model against measurement: RMS relative error %.1f %%, worst %+.1f %%. Published: RMS 4 %% with slabs and 6 %% "
                 "with tiles, worst 13 %% and 17 %%.",
                 100 * rms, 100 * worst);
}

static void put_page(const page *p, const void *results) {
    const pyramid_bench *bench = results;
    char budgets[2][32];
    cli_plot picture = plot(bench);
    page_put(
        p, "p",
        "The heat equation on grids larger than the memory that they are given on the device. "
        "The trivial way moves every block in and out at every step; the pyramid method takes n "
        "steps a trip, in slabs or tiles with overlapping halos; skewed slabs compute nothing twice between slabs. As "
        "published: one step a kernel, transfers and kernels one after the other. As this library runs: steps fused, "
        "transfers overlapped, n by its model. Published, on a GeForce GT 330M over PCIe 1: 5.44 ns a node-step the trivial way, "
        "0.64 with slabs and 0.71 with tiles on 16384 x 16384 nodes, 5.74 and 1.62 with slabs on 640 x 640 x 640.");
    if (bench->sides[0] > 0)
        page_put(p, "p", "Here %zu x %zu nodes go through %s of device memory, and %zu x %zu x %zu through %s.", bench->sides[0],
                 bench->sides[0], cli_size_text(pyramid_budget(bench, "heat2d"), budgets[0]), bench->sides[1], bench->sides[1],
                 bench->sides[1], cli_size_text(pyramid_budget(bench, "heat3d"), budgets[1]));
    put_speedups(p, bench);
    if (pyramid_best(bench, "heat2d", MST_STENCIL_TRIVIAL, true))
        page_plot(p, &picture, "Time a node-step by the steps a trip, as published; both axes are logarithmic.");
    put_theory(p);
    put_points(p, bench);
}

static void headline(const void *results, char published[200], char here[200]) {
    double best = 0;
    pyramid_speedups fastest = {.problem = NULL};
    for (int i = 0; i < PYRAMID_N_SPEEDUPS; i++) {
        pyramid_speedups row = pyramid_compare(results, i);
        double factor = fmax(row.own, row.published);
        fastest = factor > best ? row : fastest;
        best = fmax(best, factor);
    }
    snprintf(published, 200, "8.03 times the trivial way (heat2d, slabs, GeForce GT 330M)");
    if (best > 0)
        snprintf(here, 200, "%.3g times the trivial way (%s, %s)", best, fastest.problem,
                 mst_stencil_schedule_name(fastest.schedule));
}

// ---- The description

static void count(const void *results, int *done, int *wanted) {
    const pyramid_bench *bench = results;
    *done = 0;
    *wanted = bench->n_points;
    for (int i = 0; i < bench->n_points; i++)
        *done += bench->points[i].failed[0] || bench->points[i].measured > 0;
}

static int choose(const void *request_, void *results) {
    const request *r = request_;
    pyramid_bench *bench = results;
    bench->seconds = r->seconds;
    bench->quick = r->quick != 0;
    pyramid_list(bench);
    return bench_is_time(&bench->run, "point-seconds", r->seconds) ? CLI_DONE : CLI_USAGE;
}

static void choose_within(bool quick, void *results) {
    pyramid_bench *bench = results;
    bench->quick = quick;
    pyramid_list(bench);
    bench->seconds = bench_between(0.05, (bench->run.until - cli_now()) / PYRAMID_MOST_POINTS, 0.4);
}

static int run(const cli_arguments *arguments, void *values) { return bench_run_alone(&bench_pyramid, arguments, values); }

const benchmark bench_pyramid = {
    .command = {.name = "bench pyramid",
                .summary = "slabs, tiles and skewed slabs against the trivial way",
                .title = "Compare the ways of a large grid through a small device with the paper and the model.",
                .synopsis = "[options]",
                .details = details,
                .leave_out = CLI_KERNELS,
                .options = option_table,
                .n_options = CLI_COUNT(option_table),
                .values_bytes = sizeof(request),
                .defaults = &defaults,
                .run = run},
    .name = "pyramid",
    .part = "Difference schemes beyond device memory",
    .weight = 4,
    .result_bytes = sizeof(pyramid_bench),
    .choose = choose,
    .choose_within = choose_within,
    .measure = pyramid_measure,
    .count = count,
    .heading = print_theory,
    .table = print_table,
    .json = json,
    .plot = plot,
    .page = put_page,
    .headline = headline,
};
