// Time against the height n, measured and by the model, for slabs and for tiles: the paper's figures 4 and 5.
#include "pyramid.h"

#include <math.h>
#include <string.h>

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

cli_plot pyramid_plot(const pyramid_bench *bench) {
    return (cli_plot){
        .name = "pyramid", .width = 1200, .height = 460, .write_data = write_data, .write_picture = write_picture, .user = bench};
}
