// The comparison of convolutions as a picture, for every length the speed-up of the batch that suits a variant best, and as a
// part of the page.
#include "convolution.h"

#include <math.h>
#include <string.h>

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

static curves curves_here(const convolution_bench *bench) {
    curves c = {0};
    for (int i = 0; i < bench->n_cells; i++)
        add_cell(&c, bench->cells[i].paper->n, bench->cells[i].speedups);
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
    const convolution_bench *bench = user;
    const curves c = curves_here(bench);
    fputs("set multiplot layout 1,3 margins 0.06,0.93,0.14,0.86 spacing 0.02 "
          "title 'Speed-up of batched convolution over one CPU core, best batch size'\n",
          gnuplot);
    char here[CLI_PLOT_NAME];
    cli_plot_name(bench->run.device->name, here);
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

cli_plot convolution_plot(const void *results) {
    return (cli_plot){.name = "convolution-speedup",
                      .width = 1200,
                      .height = 480,
                      .write_data = write_data,
                      .write_picture = write_picture,
                      .user = results};
}

static void put_peak(const page *p, const char *kind, const char *name, convolution_peak peak) {
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", name);
    page_number(p, kind, peak.speedup, true);
    if (peak.cell)
        page_put(p, "td class=\"t\"", "%c, N = %zu, %zu x %zu", 'A' + peak.variant, peak.cell->n, peak.cell->side,
                 peak.cell->side);
    else
        page_put(p, "td class=\"t\"", "none");
    page_close(p, "tr");
}

static void put_count(const page *p, const char *kind, const char *name, convolution_count count) {
    char element[32];
    snprintf(element, sizeof element, "td class=\"%s\"", kind);
    page_open(p, "tr");
    page_put(p, "td class=\"t\"", "%s", name);
    for (int large = 0; large < 2; large++) {
        for (int v = 0; v < PAPER_N_VARIANTS; v++)
            page_put(p, element, "%d", count.best[large][v]);
        page_put(p, element, "%d", count.cells[large]);
    }
    page_close(p, "tr");
}

static void put_variants(const page *p, const char *kind, const double speedups[PAPER_N_VARIANTS]) {
    int best = paper_best(speedups);
    for (int v = 0; v < PAPER_N_VARIANTS; v++)
        page_number(p, kind, speedups[v], v == best);
}

static void put_cells(const page *p, const convolution_bench *bench) {
    char groups[200];
    snprintf(groups, sizeof groups, "||this machine*5|%s*5|%s*5", paper_machines[0], paper_machines[1]);
    page_open(p, "details");
    page_put(p, "summary", "Every cell that was measured, beside the paper's tables 11 and 12");
    page_table(p, "Speed-up K; a dash here: predicted to exceed the cell's time, or too little memory; there: not published",
               groups, "N|M x J|A|B|C|D|E|A|B|C|D|E|A|B|C|D|E");
    for (int c = 0; c < bench->n_cells; c++) {
        const convolution_cell *cell = &bench->cells[c];
        page_open(p, "tr");
        page_put(p, "td", "%zu", cell->paper->n);
        page_put(p, "td", "%zu x %zu%s", cell->paper->side, cell->paper->side,
                 !cell->skipped[0] && cell->reference_vectors < cell->n_vectors ? " ~" : "");
        put_variants(p, "m", cell->speedups);
        for (int k = 0; k < PAPER_N_PLATFORMS; k++)
            put_variants(p, "p", cell->paper->speedups[k]);
        page_close(p, "tr");
    }
    page_table_end(p);
    page_put(p, "p class=\"note\"", "~ the reference was timed on a part of the vectors and scaled in proportion.");
    page_close(p, "details");
}

// What is not right is named.
static void put_wrong(const page *p, const convolution_bench *bench) {
    for (int c = 0; c < bench->n_cells; c++)
        for (int v = 0; v < PAPER_N_VARIANTS; v++) {
            const convolution_timing *t = &bench->cells[c].variants[v];
            if (t->outcome == CELL_WRONG || t->outcome == CELL_FAILED)
                page_put(p, "p class=\"failed\"", "Variant %c at N = %zu, %zu x %zu: %s", 'A' + v, bench->cells[c].paper->n,
                         bench->cells[c].paper->side, bench->cells[c].paper->side,
                         t->outcome == CELL_WRONG ? "the result is wrong" : t->message);
        }
}

void convolution_page(const page *p, const void *results) {
    const convolution_bench *bench = results;
    cli_plot picture = convolution_plot(bench);
    page_put(p, "p",
             "M x J pairs of complex64 vectors of length N are convolved by the published variants A to E (A to C: a work-item a "
             "pair; D, E: a work-item an element; A, D take every intermediate result to the host and back). K is the time of "
             "the sequential reference over that of a whole call on host arrays, transfers included. The reference here runs on "
             "one thread of %s. Every result is checked against it. %d of %d cells were measured, about %.2g s each.",
             bench->run.processor, bench->n_cells, bench->n_wanted, bench->cell_seconds);
    put_wrong(p, bench);
    page_table(p, "Highest speed-up", NULL, "<machine|K|<variant and cell");
    put_peak(p, "m", "this machine", convolution_highest(bench, -1));
    for (int k = 0; k < PAPER_N_PLATFORMS; k++)
        put_peak(p, "p", paper_machines[k], convolution_highest(bench, k));
    page_table_end(p);
    page_table(p, "How often a variant is the best of its cell", "|N < 512*6|N >= 512*6",
               "<machine|A|B|C|D|E|cells|A|B|C|D|E|cells");
    put_count(p, "m", "this machine", convolution_count_best(bench, -1));
    for (int k = 0; k < PAPER_N_PLATFORMS; k++)
        put_count(p, "p", paper_machines[k], convolution_count_best(bench, k));
    page_table_end(p);
    if (bench->n_cells > 0)
        page_plot(p, &picture,
                  "For every length the speed-up at the batch size that suits a variant best; the dashed line is the reference.");
    put_cells(p, bench);
}

void convolution_headline(const void *results, char published[200], char here[200]) {
    convolution_peak best = convolution_highest(results, -1), paper = {0};
    int machine = 0;
    for (int k = 0; k < PAPER_N_PLATFORMS; k++) {
        convolution_peak peak = convolution_highest(results, k);
        machine = peak.speedup > paper.speedup ? k : machine;
        paper = peak.speedup > paper.speedup ? peak : paper;
    }
    snprintf(published, 200, "%.3g times one core (variant %c, N = %zu, %s)", paper.speedup, 'A' + paper.variant, paper.cell->n,
             paper_machines[machine]);
    if (best.cell)
        snprintf(here, 200, "%.3g times one core (variant %c, N = %zu)", best.speedup, 'A' + best.variant, best.cell->n);
}
