// Milliseconds of the stages by work-group size, here and in the book.
#include "filter.h"

// Transfers and what takes next to no time are left out, for the sake of the lines that matter.
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
    cli_plot_name(bench->device->name, name);
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

cli_plot filter_plot(const filter_bench *bench) {
    return (cli_plot){.name = "filter-stages",
                      .width = 1200,
                      .height = 460,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = bench};
}
