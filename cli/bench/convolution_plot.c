// The comparison as a picture, by gnuplot through a pipe: for every length the speed-up of the batch that suits a variant best.
#include "convolution.h"

#include <math.h>
#include <string.h>

// For every length the highest speed-up of each variant over the batches; 0 where there is none.
typedef struct curves {
    int n_lengths;
    size_t lengths[PAPER_N_CELLS];
    double speedups[PAPER_N_CELLS][PAPER_N_VARIANTS];
} curves;

static void add_cell(curves *c, size_t n, const double speedups[PAPER_N_VARIANTS]) { // cells come by length
    if (c->n_lengths == 0 || c->lengths[c->n_lengths - 1] != n)
        c->lengths[c->n_lengths++] = n;
    for (int v = 0; v < PAPER_N_VARIANTS; v++)
        c->speedups[c->n_lengths - 1][v] = fmax(c->speedups[c->n_lengths - 1][v], speedups[v]);
}

static curves curves_here(const bench_run *run) {
    curves c = {0};
    for (int i = 0; i < run->n_cells; i++)
        add_cell(&c, run->cells[i].paper->n, run->cells[i].speedups);
    return c;
}

static curves curves_paper(int platform) {
    curves c = {0};
    for (int i = 0; i < PAPER_N_CELLS; i++)
        add_cell(&c, paper_cells[i].n, paper_cells[i].speedups[platform]);
    return c;
}

// A datablock with a line "N A B C D E" a length.
static void write_curves(FILE *gnuplot, const char *name, const curves *c) {
    fprintf(gnuplot, "$%s << EOD\n", name);
    for (int i = 0; i < c->n_lengths; i++) {
        fprintf(gnuplot, "%zu", c->lengths[i]);
        for (int v = 0; v < PAPER_N_VARIANTS; v++)
            fprintf(gnuplot, c->speedups[i][v] > 0 ? " %.9g" : " NaN", c->speedups[i][v]);
        fputc('\n', gnuplot);
    }
    fputs("EOD\n", gnuplot);
}

static const char style[] = "set logscale x 2\n"
                            "set xrange [24:90000]\nset xtics 32,4 format '%.0f'\n"
                            "names = 'A B C D E'\n";

static void write_data(FILE *gnuplot, const void *user) {
    curves here = curves_here(user);
    write_curves(gnuplot, "here", &here);
    for (int p = 0; p < PAPER_N_PLATFORMS; p++) {
        curves paper = curves_paper(p);
        write_curves(gnuplot, paper_platforms[p], &paper);
    }
    fputs(style, gnuplot);
    cli_plot_decades(gnuplot, 1, 1000, here.speedups[0], (size_t)here.n_lengths * PAPER_N_VARIANTS); // the paper's
}

static void write_picture(FILE *gnuplot, const void *user) {
    const bench_run *run = user;
    const curves c = curves_here(run);
    fputs("set multiplot layout 1,3 margins 0.06,0.93,0.14,0.86 spacing 0.02 "
          "title 'Speed-up of batched convolution over one CPU core, best batch size'\n",
          gnuplot);
    char here[CLI_PLOT_NAME];
    cli_plot_name(run->device->name, here);
    cli_plot_string(gnuplot, "set title ", here, " noenhanced offset 0,-0.4");
    fputs("set ylabel 'K = T_{reference} / T_{variant}'\nset xlabel 'vector length N'\nset format y '%g'\nunset key\n"
          "plot 1 ls 10 notitle",
          gnuplot);
    for (int v = 0; v < PAPER_N_VARIANTS; v++) {
        bool any = false;
        for (int i = 0; i < c.n_lengths; i++)
            any = any || c.speedups[i][v] > 0;
        if (any) // gnuplot warns of curves without a value
            fprintf(gnuplot, ", $here using 1:%d with linespoints ls %d", v + 2, v + 1);
    }
    fputs("\nunset ylabel\nset format y ''\n", gnuplot);
    for (int p = 0; p < PAPER_N_PLATFORMS; p++) {
        char title[128];
        snprintf(title, sizeof title, "paper: %s", paper_machines[p]);
        cli_plot_string(gnuplot, "set title ", title, "");
        if (p == PAPER_N_PLATFORMS - 1) // one key for all, outside
            fputs("set key at screen 0.99, screen 0.86 right top Left reverse samplen 2 spacing 1.4 title 'variant'\n", gnuplot);
        fprintf(gnuplot, "plot 1 ls 10 notitle, for [v=1:5] $%s using 1:v+1 with linespoints ls v title word(names, v)\n",
                paper_platforms[p]);
    }
    fputs("unset multiplot\n", gnuplot);
}

cli_plot bench_plot(const bench_run *run) {
    return (cli_plot){.name = "convolution-speedup",
                      .width = 1200,
                      .height = 480,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = run};
}
