// Speed-ups over one core by the number of points, here and published.
#include "bench_integration.h"

static void write_data(FILE *gnuplot, const void *user) {
    const integration_bench *bench = user;
    double values[2 * INTEGRATION_N_INTEGRALS * INTEGRATION_N_CELLS];
    size_t n = 0;
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++) {
        fprintf(gnuplot, "$here%d << EOD\n", which);
        for (int k = 0; k < bench->n_cells[which]; k++) {
            const integration_cell *c = &bench->cells[which][k];
            values[n++] = c->core / c->published;
            values[n++] = c->core / c->own;
            fprintf(gnuplot, "%d %.9g %.9g\n", c->log_n, values[n - 2], values[n - 1]);
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

static void write_picture(FILE *gnuplot, const void *user) {
    const integration_bench *bench = user;
    fputs("set multiplot layout 1,2 margins 0.07,0.76,0.14,0.9 spacing 0.06\nset xlabel 'points N'\n"
          "set ylabel 'speed-up over one core'\nunset key\n",
          gnuplot);
    for (int which = 0; which < INTEGRATION_N_INTEGRALS; which++) {
        fprintf(gnuplot, "set title '%s over [-5, 5], float32' noenhanced\n", integration_names[which]);
        if (which == 1)
            fputs("unset ylabel\nset key at screen 0.99, screen 0.9 right top Left reverse samplen 2 spacing 1.6\n", gnuplot);
        fputs("plot 1 ls 10 notitle, NaN with linespoints ls 5 title \"K_1 here, this library's\", "
              "NaN with linespoints ls 2 title 'K_1 here, as published'",
              gnuplot);
        if (bench->n_cells[which] > 0)
            fprintf(gnuplot, ", $here%d using 1:3 with linespoints ls 5 notitle, $here%d using 1:2 with linespoints ls 2 notitle",
                    which, which);
        fprintf(gnuplot,
                ", $paper%d using 1:2 with linespoints ls 1 title 'K_1 published',"
                " $paper%d using 1:3 with linespoints ls 6 title 'K_2 published, kernels'\n",
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
