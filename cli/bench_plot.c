// The comparison as a picture, by gnuplot through a pipe: for every length the speed-up of the batch that suits a variant best.
#include "bench_convolution.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const extensions[] = {"svg", "png"};
static const char *const terminals[] = {
    "svg size 1200,480 dynamic background rgb 'white' font 'DejaVu Sans,Helvetica,Arial,sans-serif,13'",
    "png size 1800,720 font 'DejaVu Sans,15' truecolor"};
enum { N_PICTURES = 2, PATH_BYTES = 4200 };

// "DIR/convolution-speedup.svg", or with `temporary` a hidden name beside it.
static void picture_path(const char *directory, int picture, bool temporary, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%s/%sconvolution-speedup.%s", directory, temporary ? ".new-" : "", extensions[picture]);
}

// Makes the directory if need be; 0, or the errno value that says why nothing can be written there.
static int prepare_directory(const char *directory) {
    struct stat info;
    if (strlen(directory) > PATH_BYTES - 100)
        return ENAMETOOLONG;
    if ((mkdir(directory, 0777) != 0 && errno != EEXIST) || stat(directory, &info) != 0)
        return errno;
    if (!S_ISDIR(info.st_mode))
        return ENOTDIR;
    return access(directory, W_OK | X_OK) == 0 ? 0 : errno;
}

int bench_plot_check(const char *command, const char *directory, bool overwrite) {
    char path[PATH_BYTES];
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        cli_error(command, "--plot: the pictures are drawn by gnuplot, which cannot be run; install it (package gnuplot-nox)");
        return CLI_FAILED;
    }
    int code = prepare_directory(directory);
    if (code != 0) {
        cli_error(command, "--plot %s: %s", directory, strerror(code));
        return CLI_INPUT_OUTPUT;
    }
    for (int i = 0; i < N_PICTURES && !overwrite; i++) {
        picture_path(directory, i, false, path);
        if (access(path, F_OK) == 0) {
            cli_error(command, "%s exists; --force replaces it", path);
            return CLI_INPUT_OUTPUT;
        }
    }
    return CLI_DONE;
}

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

// A string for gnuplot, in single quotes, of which none may be inside.
static void write_string(FILE *gnuplot, const char *before, const char *value, const char *after) {
    fprintf(gnuplot, "%s'", before);
    for (; *value; value++)
        fputs(*value == '\'' ? "''" : (unsigned char)*value < ' ' ? "?" : (const char[]){*value, '\0'}, gnuplot);
    fprintf(gnuplot, "'%s\n", after);
}

// One axis for the three panels: powers of ten that hold every value here; the paper's lie between 1 and 1000.
static void write_range(FILE *gnuplot, const curves *here) {
    double low = 1, high = 1000;
    for (int i = 0; i < here->n_lengths; i++)
        for (int v = 0; v < PAPER_N_VARIANTS; v++)
            if (here->speedups[i][v] > 0) {
                low = fmin(low, pow(10, floor(log10(here->speedups[i][v]))));
                high = fmax(high, pow(10, ceil(log10(here->speedups[i][v]))));
            }
    fprintf(gnuplot, "set yrange [%g:%g]\n", low, high);
}

// Okabe and Ito's colours, which differ for every kind of colour vision, and a mark of its own for each variant.
static const char style[] = "set style line 1 lc rgb '#E69F00' lw 2 pt 5 ps 0.9\n"
                            "set style line 2 lc rgb '#56B4E9' lw 2 pt 7 ps 0.9\n"
                            "set style line 3 lc rgb '#009E73' lw 2 pt 9 ps 1.1\n"
                            "set style line 4 lc rgb '#CC79A7' lw 2 pt 13 ps 1.1\n"
                            "set style line 5 lc rgb '#0072B2' lw 2 pt 11 ps 1.1\n"
                            "set style line 9 lc rgb '#D0D0D0' lw 1\n"
                            "set style line 10 lc rgb '#808080' lw 1 dt 2\n"
                            "set datafile missing 'NaN'\n"
                            "set logscale x 2\nset logscale y 10\n"
                            "set xrange [24:90000]\nset xtics 32,4 format '%.0f'\n"
                            "set grid xtics ytics ls 9\nset border 3 lc rgb '#404040'\nset tics nomirror\n"
                            "names = 'A B C D E'\n";

static void write_picture(FILE *gnuplot, const bench_run *run, const char *path, const char *terminal) {
    fprintf(gnuplot, "set terminal %s\n", terminal);
    write_string(gnuplot, "set output ", path, "");
    fputs("set multiplot layout 1,3 margins 0.06,0.93,0.14,0.86 spacing 0.02 "
          "title 'Speed-up of batched convolution over one CPU core, best batch size'\n",
          gnuplot);
    char here[48]; // as much of a long name as fits the panel
    snprintf(here, sizeof here, "%.44s%s", run->device->name, strlen(run->device->name) > 44 ? "..." : "");
    write_string(gnuplot, "set title ", here, " noenhanced offset 0,-0.4");
    fputs("set ylabel 'K = T_{reference} / T_{variant}'\nset format y '%g'\nset xlabel 'vector length N'\nunset key\n"
          "plot 1 ls 10 notitle, for [v=1:5] $here using 1:v+1 with linespoints ls v title word(names, v)\n"
          "unset ylabel\nset format y ''\n",
          gnuplot);
    for (int p = 0; p < PAPER_N_PLATFORMS; p++) {
        char title[128];
        snprintf(title, sizeof title, "paper: %s", paper_machines[p]);
        write_string(gnuplot, "set title ", title, "");
        if (p == PAPER_N_PLATFORMS - 1) // one key for all, outside
            fputs("set key at screen 0.99, screen 0.86 right top Left reverse samplen 2 spacing 1.4 title 'variant'\n", gnuplot);
        fprintf(gnuplot, "plot 1 ls 10 notitle, for [v=1:5] $%s using 1:v+1 with linespoints ls v title word(names, v)\n",
                paper_platforms[p]);
    }
    fputs("unset multiplot\nunset output\n", gnuplot);
}

int bench_plot(const char *command, const char *directory, const bench_run *run) {
    char path[PATH_BYTES], temporary[PATH_BYTES];
    FILE *gnuplot = popen("gnuplot", "w");
    if (!gnuplot) {
        cli_error(command, "--plot: gnuplot cannot be started: %s", strerror(errno));
        return CLI_FAILED;
    }
    curves here = curves_here(run);
    write_curves(gnuplot, "here", &here);
    for (int p = 0; p < PAPER_N_PLATFORMS; p++) {
        curves paper = curves_paper(p);
        write_curves(gnuplot, paper_platforms[p], &paper);
    }
    fputs(style, gnuplot);
    write_range(gnuplot, &here);
    for (int i = 0; i < N_PICTURES; i++) {
        picture_path(directory, i, true, temporary);
        write_picture(gnuplot, run, temporary, terminals[i]);
    }
    if (pclose(gnuplot) != 0) {
        cli_error(command, "--plot: gnuplot failed; what it says stands above");
        return CLI_FAILED;
    }
    for (int i = 0; i < N_PICTURES; i++) {
        picture_path(directory, i, true, temporary);
        picture_path(directory, i, false, path);
        if (rename(temporary, path) != 0) {
            cli_error(command, "%s: %s", path, strerror(errno));
            return CLI_INPUT_OUTPUT;
        }
    }
    return CLI_DONE;
}
