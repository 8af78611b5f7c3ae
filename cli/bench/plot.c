#include "plot.h"

#include <errno.h>
#include <math.h>
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
                            "set style line 6 lc rgb '#D55E00' lw 2 pt 4 ps 0.9\n"
                            "set style line 7 lc rgb '#404040' lw 2 pt 6 ps 0.9\n"
                            "set style line 8 lc rgb '#B8A800' lw 2 pt 8 ps 1.1\n"
                            "set style line 9 lc rgb '#D0D0D0' lw 1\n"
                            "set style line 10 lc rgb '#808080' lw 1 dt 2\n"
                            "set datafile missing 'NaN'\n"
                            "set grid xtics ytics ls 9\nset border 3 lc rgb '#404040'\nset tics nomirror\n";

// "DIR/NAME.svg", or with `temporary` a hidden name beside it.
static void picture_path(const char *directory, const cli_plot *plot, int picture, bool temporary, char path[PATH_BYTES]) {
    snprintf(path, PATH_BYTES, "%s/%s%s.%s", directory, temporary ? ".new-" : "", plot->name, extensions[picture]);
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

int cli_plot_directory(const char *command, const char *directory) {
    int code = prepare_directory(directory);
    if (code == 0)
        return CLI_DONE;
    cli_error(command, "--plot %s: %s", directory, strerror(code));
    return CLI_INPUT_OUTPUT;
}

bool cli_plot_available(void) { return system("gnuplot --version >/dev/null 2>&1") == 0; }

int cli_plot_check(const char *command, const char *directory, const cli_plot *plot, bool overwrite) {
    char path[PATH_BYTES];
    if (!cli_plot_available()) {
        cli_error(command, "--plot: the pictures are drawn by gnuplot, which cannot be run; install it (package gnuplot-nox)");
        return CLI_FAILED;
    }
    int code = cli_plot_directory(command, directory);
    for (int i = 0; i < N_PICTURES && !overwrite && code == CLI_DONE; i++) {
        picture_path(directory, plot, i, false, path);
        if (access(path, F_OK) == 0) {
            cli_error(command, "%s exists; --force replaces it", path);
            code = CLI_INPUT_OUTPUT;
        }
    }
    return code;
}

void cli_plot_name(const char *name, char out[CLI_PLOT_NAME]) {
    snprintf(out, CLI_PLOT_NAME, "%.44s%s", name, strlen(name) > 44 ? "..." : "");
}

void cli_plot_string(FILE *gnuplot, const char *before, const char *value, const char *after) {
    fprintf(gnuplot, "%s'", before);
    for (size_t length; *value; value += length ? length : 1) {
        length = cli_utf8_length(value);
        if (*value == '\'')
            fputs("''", gnuplot);
        else if (length == 0 || (unsigned char)*value < ' ')
            fputc('?', gnuplot); // what no picture could hold
        else
            fwrite(value, 1, length, gnuplot);
    }
    fprintf(gnuplot, "'%s\n", after);
}

void cli_plot_decades(FILE *gnuplot, double low, double high, const double *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (values[i] > 0 && isfinite(values[i])) {
            low = fmin(low, pow(10, floor(log10(values[i]))));
            high = fmax(high, pow(10, ceil(log10(values[i]))));
        }
    fprintf(gnuplot, "set logscale y 10\nset format y '%%g'\nset yrange [%g:%g]\n", low, high);
}

static void set_terminal(FILE *gnuplot, const char *directory, const cli_plot *plot, int picture) {
    char path[PATH_BYTES];
    if (picture == 0)
        fprintf(gnuplot,
                "set terminal svg size %d,%d dynamic background rgb 'white' font 'DejaVu Sans,Helvetica,Arial,sans-serif,13'\n",
                plot->width, plot->height);
    else
        fprintf(gnuplot, "set terminal png size %d,%d font 'DejaVu Sans,15' truecolor\n", plot->width * 3 / 2,
                plot->height * 3 / 2);
    picture_path(directory, plot, picture, true, path);
    cli_plot_string(gnuplot, "set output ", path, "");
}

// Draws the first so many pictures under temporary names. 0, or why not: an errno value of starting gnuplot, -1 if it failed.
static int draw(const char *directory, const cli_plot *plot, int n_pictures) {
    FILE *gnuplot = popen("gnuplot", "w");
    if (!gnuplot)
        return errno;
    fputs(style, gnuplot);
    plot->write_data(gnuplot, plot->user);
    for (int i = 0; i < n_pictures; i++) {
        set_terminal(gnuplot, directory, plot, i);
        plot->write_picture(gnuplot, plot->user);
        fputs("unset output\n", gnuplot);
    }
    return pclose(gnuplot) == 0 ? 0 : -1;
}

int cli_plot_draw(const char *command, const char *directory, const cli_plot *plot) {
    char path[PATH_BYTES], temporary[PATH_BYTES];
    int failed = draw(directory, plot, N_PICTURES);
    if (failed) {
        if (failed > 0)
            cli_error(command, "--plot: gnuplot cannot be started: %s", strerror(failed));
        else
            cli_error(command, "--plot: gnuplot failed; what it says stands above");
        return CLI_FAILED;
    }
    for (int i = 0; i < N_PICTURES; i++) {
        picture_path(directory, plot, i, true, temporary);
        picture_path(directory, plot, i, false, path);
        if (rename(temporary, path) != 0) {
            cli_error(command, "%s: %s", path, strerror(errno));
            return CLI_INPUT_OUTPUT;
        }
    }
    return CLI_DONE;
}

// Copies a line of gnuplot's SVG; ids, and what refers to them, get the picture's name before them.
static void copy_line(const char *line, const char *name, FILE *out) {
    static const char *const marks[] = {"id='", "id=\"", "href='#", "url(#"};
    while (*line) {
        size_t length = 1;
        for (size_t i = 0; i < sizeof marks / sizeof marks[0] && length == 1; i++)
            if (strncmp(line, marks[i], strlen(marks[i])) == 0)
                length = strlen(marks[i]);
        fwrite(line, 1, length, out);
        if (length > 1)
            fprintf(out, "%s-", name);
        line += length;
    }
}

bool cli_plot_embed(const cli_plot *plot, const char *directory, FILE *out) {
    char path[PATH_BYTES], *line = NULL, *text = NULL;
    size_t room = 0, bytes = 0;
    bool begun = false, ended = false;
    picture_path(directory, plot, 0, true, path);
    FILE *svg = draw(directory, plot, 1) == 0 ? fopen(path, "r") : NULL;
    FILE *copy = svg ? open_memstream(&text, &bytes) : NULL;
    while (copy && getline(&line, &room, svg) >= 0) {
        begun = begun || strncmp(line, "<svg", 4) == 0; // before it, there is a declaration that belongs to a file
        ended = ended || strstr(line, "</svg>");
        if (begun && strncmp(line, "<title>", 7) != 0)
            copy_line(line, plot->name, copy);
    }
    ended = copy && fclose(copy) == 0 && ended;
    if (ended)
        fwrite(text, 1, bytes, out);
    free(text);
    free(line);
    if (svg)
        fclose(svg);
    (void)unlink(path);
    return ended;
}
