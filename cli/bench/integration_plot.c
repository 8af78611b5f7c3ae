// Speed-ups over one core by the number of points, here and published.
#include "integration.h"

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

cli_plot integration_plot(const integration_bench *bench) {
    return (cli_plot){.name = "integration-speedup",
                      .width = 1200,
                      .height = 460,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = bench};
}
