// Time against the height n, measured and by the model, for slabs and for tiles: the paper's figures 4 and 5.
#include "bench_pyramid.h"
#include "plot.h"

#include <string.h>

static void write_series(FILE *gnuplot, const pyramid_bench *bench, const char *name, mst_stencil_schedule schedule) {
    fprintf(gnuplot, "$%s << EOD\n", name);
    for (int i = 0; i < bench->n_points; i++) {
        const pyramid_point *p = &bench->points[i];
        if (p->published && p->schedule == schedule && strcmp(p->problem, "heat2d") == 0 && p->measured > 0)
            fprintf(gnuplot, "%zu %.9g %.9g\n", p->plan.height, 1e9 * p->measured, 1e9 * p->predicted);
    }
    fputs("EOD\n", gnuplot);
}

static void write_data(FILE *gnuplot, const void *user) {
    const pyramid_bench *bench = user;
    const pyramid_point *trivial = pyramid_best(bench, "heat2d", MST_STENCIL_TRIVIAL, true);
    write_series(gnuplot, bench, "slabs", MST_STENCIL_PYRAMID_SLABS);
    write_series(gnuplot, bench, "tiles", MST_STENCIL_PYRAMID_TILES);
    fprintf(gnuplot,
            "trivial = %.9g\nset logscale x 2\nset logscale y 10\nset xtics format '%%.0f'\nset format y '%%g'\n"
            "set xrange [0.8:160]\n",
            trivial ? 1e9 * trivial->measured : 1);
}

static void write_picture(FILE *gnuplot, const void *user) {
    const pyramid_bench *bench = user;
    char title[400];
    snprintf(title, sizeof title, "Heat on a grid of %zu x %zu through an eighth of its memory, %.100s", bench->sides[0],
             bench->sides[0], bench->device);
    cli_plot_string(gnuplot, "set multiplot layout 1,2 title ", title, " noenhanced");
    fputs("set ylabel 'ns a node-step'\nset xlabel 'steps a trip, n'\nset key top right\n", gnuplot);
    static const char *const panels[][2] = {{"slabs", "1"}, {"tiles", "5"}};
    for (size_t i = 0; i < 2; i++)
        fprintf(gnuplot,
                "set title '%s'\nplot trivial ls 10 title 'trivial way', $%s using 1:3 with lines ls %s title 'model', "
                "$%s using 1:2 with points ls %s title 'measured'\n",
                panels[i][0], panels[i][0], panels[i][1], panels[i][0], panels[i][1]);
    fputs("unset multiplot\n", gnuplot);
}

static cli_plot describe(const char *command, const char *directory, const pyramid_bench *bench) {
    return (cli_plot){.command = command,
                      .directory = directory,
                      .name = "pyramid",
                      .width = 1000,
                      .height = 460,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = bench};
}

int pyramid_plot_check(const char *command, const char *directory, bool overwrite) {
    cli_plot plot = describe(command, directory, NULL);
    return cli_plot_check(&plot, overwrite);
}

int pyramid_plot(const char *command, const char *directory, const pyramid_bench *bench) {
    cli_plot plot = describe(command, directory, bench);
    return cli_plot_draw(&plot);
}
