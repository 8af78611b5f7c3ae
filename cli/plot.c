#include "plot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const extensions[] = {"svg", "png"};
enum { N_PICTURES = 2, PATH_BYTES = 4200 };

// Okabe and Ito's colours, which differ for every kind of colour vision, and a mark of its own for each.
static const char style[] = "set style line 1 lc rgb '#E69F00' lw 2 pt 5 ps 0.9\n"
                            "set style line 2 lc rgb '#56B4E9' lw 2 pt 7 ps 0.9\n"
                            "set style line 3 lc rgb '#009E73' lw 2 pt 9 ps 1.1\n"
                            "set style line 4 lc rgb '#CC79A7' lw 2 pt 13 ps 1.1\n"
                            "set style line 5 lc rgb '#0072B2' lw 2 pt 11 ps 1.1\n"
                            "set style line 9 lc rgb '#D0D0D0' lw 1\n"
                            "set style line 10 lc rgb '#808080' lw 1 dt 2\n"
                            "set datafile missing 'NaN'\n"
                            "set grid xtics ytics ls 9\nset border 3 lc rgb '#404040'\nset tics nomirror\n";

// "DIR/NAME.svg", or with `temporary` a hidden name beside it.
static void picture_path(const cli_plot *plot, int picture, bool temporary, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%s/%s%s.%s", plot->directory, temporary ? ".new-" : "", plot->name, extensions[picture]);
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

int cli_plot_check(const cli_plot *plot, bool overwrite) {
    char path[PATH_BYTES];
    if (system("gnuplot --version >/dev/null 2>&1") != 0) {
        cli_error(plot->command,
                  "--plot: the pictures are drawn by gnuplot, which cannot be run; install it (package gnuplot-nox)");
        return CLI_FAILED;
    }
    int code = prepare_directory(plot->directory);
    if (code != 0) {
        cli_error(plot->command, "--plot %s: %s", plot->directory, strerror(code));
        return CLI_INPUT_OUTPUT;
    }
    for (int i = 0; i < N_PICTURES && !overwrite; i++) {
        picture_path(plot, i, false, path);
        if (access(path, F_OK) == 0) {
            cli_error(plot->command, "%s exists; --force replaces it", path);
            return CLI_INPUT_OUTPUT;
        }
    }
    return CLI_DONE;
}

void cli_plot_string(FILE *gnuplot, const char *before, const char *value, const char *after) {
    fprintf(gnuplot, "%s'", before);
    for (; *value; value++)
        fputs(*value == '\'' ? "''" : (unsigned char)*value < ' ' ? "?" : (const char[]){*value, '\0'}, gnuplot);
    fprintf(gnuplot, "'%s\n", after);
}

static void set_terminal(FILE *gnuplot, const cli_plot *plot, int picture) {
    char path[PATH_BYTES];
    if (picture == 0)
        fprintf(gnuplot,
                "set terminal svg size %d,%d dynamic background rgb 'white' font 'DejaVu Sans,Helvetica,Arial,sans-serif,13'\n",
                plot->width, plot->height);
    else
        fprintf(gnuplot, "set terminal png size %d,%d font 'DejaVu Sans,15' truecolor\n", plot->width * 3 / 2,
                plot->height * 3 / 2);
    picture_path(plot, picture, true, path);
    cli_plot_string(gnuplot, "set output ", path, "");
}

int cli_plot_draw(const cli_plot *plot) {
    char path[PATH_BYTES], temporary[PATH_BYTES];
    FILE *gnuplot = popen("gnuplot", "w");
    if (!gnuplot) {
        cli_error(plot->command, "--plot: gnuplot cannot be started: %s", strerror(errno));
        return CLI_FAILED;
    }
    fputs(style, gnuplot);
    plot->write_data(gnuplot, plot->user);
    for (int i = 0; i < N_PICTURES; i++) {
        set_terminal(gnuplot, plot, i);
        plot->write_picture(gnuplot, plot->user);
        fputs("unset output\n", gnuplot);
    }
    if (pclose(gnuplot) != 0) {
        cli_error(plot->command, "--plot: gnuplot failed; what it says stands above");
        return CLI_FAILED;
    }
    for (int i = 0; i < N_PICTURES; i++) {
        picture_path(plot, i, true, temporary);
        picture_path(plot, i, false, path);
        if (rename(temporary, path) != 0) {
            cli_error(plot->command, "%s: %s", path, strerror(errno));
            return CLI_INPUT_OUTPUT;
        }
    }
    return CLI_DONE;
}
