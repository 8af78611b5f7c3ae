#include "plot.h"

#include "array/output.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const extensions[CLI_N_PICTURES] = {"svg", "png"};

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

int cli_plot_file(const char *command, const char *directory, const char *path, bool overwrite, cli_whole_file *file) {
    static const char *const none[] = {NULL};
    if (mkdir(directory, 0777) != 0 && errno != EEXIST) {
        cli_error(command, "--plot %s: %s", directory, strerror(errno));
        return CLI_INPUT_OUTPUT;
    }
    int code = cli_output_available(command, path, overwrite, none);
    return code == CLI_DONE ? cli_whole_open(command, NULL, path, overwrite, file) : code;
}

bool cli_plot_available(void) { return system("gnuplot --version >/dev/null 2>&1") == 0; }

int cli_plot_open(const char *command, const char *directory, const cli_plot *plot, bool overwrite, cli_pictures *pictures) {
    int code = CLI_DONE;
    if (!cli_plot_available()) {
        cli_error(command, "--plot: the pictures are drawn by gnuplot, which cannot be run; install it (package gnuplot-nox)");
        return CLI_FAILED;
    }
    for (int i = 0; i < CLI_N_PICTURES && code == CLI_DONE; i++) {
        if (asprintf(&pictures->paths[i], "%s/%s.%s", directory, plot->name, extensions[i]) < 0) {
            pictures->paths[i] = NULL;
            return cli_out_of_memory(command, NULL);
        }
        code = cli_plot_file(command, directory, pictures->paths[i], overwrite, &pictures->files[i]);
    }
    return code;
}

void cli_plot_close(cli_pictures *pictures) {
    for (int i = 0; i < CLI_N_PICTURES; i++) {
        cli_whole_close(&pictures->files[i]);
        free(pictures->paths[i]);
        pictures->paths[i] = NULL;
    }
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

static void set_terminal(FILE *gnuplot, const char *path, const cli_plot *plot, int picture) {
    if (picture == 0)
        fprintf(gnuplot,
                "set terminal svg size %d,%d dynamic background rgb 'white' font 'DejaVu Sans,Helvetica,Arial,sans-serif,13'\n",
                plot->width, plot->height);
    else
        fprintf(gnuplot, "set terminal png size %d,%d font 'DejaVu Sans,15' truecolor\n", plot->width * 3 / 2,
                plot->height * 3 / 2);
    cli_plot_string(gnuplot, "set output ", path, "");
}

// Draws the first so many pictures into open files. 0, or why not: an errno value of starting gnuplot, -1 if it failed.
static int draw(const cli_whole_file *files, const cli_plot *plot, int n_pictures) {
    FILE *gnuplot = popen("gnuplot", "w");
    int failed = gnuplot ? 0 : errno;
    if (!gnuplot)
        return failed;
    fputs(style, gnuplot);
    plot->write_data(gnuplot, plot->user);
    for (int i = 0; i < n_pictures && !failed; i++) {
        char *path = cli_whole_path(&files[i]);
        failed = path ? 0 : ENOMEM;
        if (path)
            set_terminal(gnuplot, path, plot, i);
        free(path);
        plot->write_picture(gnuplot, plot->user);
        fputs("unset output\n", gnuplot);
    }
    return pclose(gnuplot) == 0 ? failed : -1;
}

int cli_plot_draw(const char *command, cli_pictures *pictures, const cli_plot *plot) {
    int failed = draw(pictures->files, plot, CLI_N_PICTURES), code = CLI_DONE;
    if (failed) {
        if (failed > 0)
            cli_error(command, "--plot: gnuplot cannot be started: %s", strerror(failed));
        else
            cli_error(command, "--plot: gnuplot failed; what it says stands above");
        return CLI_FAILED;
    }
    for (int i = 0; i < CLI_N_PICTURES && code == CLI_DONE; i++)
        code = cli_whole_commit(&pictures->files[i], false);
    return code;
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

bool cli_plot_embed(const cli_plot *plot, const cli_whole_file *page) {
    char *line = NULL, *text = NULL;
    size_t room = 0, bytes = 0;
    bool begun = false, ended = false;
    cli_whole_file svg = {0};
    bool drawn = cli_whole_open(page->command, &page->place, page->path, false, &svg) == CLI_DONE && draw(&svg, plot, 1) == 0;
    FILE *copy = drawn ? open_memstream(&text, &bytes) : NULL;
    while (copy && getline(&line, &room, svg.file) >= 0) {
        begun = begun || strncmp(line, "<svg", 4) == 0; // before it, there is a declaration that belongs to a file
        ended = ended || strstr(line, "</svg>");
        if (begun && strncmp(line, "<title>", 7) != 0)
            copy_line(line, plot->name, copy);
    }
    ended = copy && fclose(copy) == 0 && ended;
    if (ended)
        fwrite(text, 1, bytes, page->file);
    free(text);
    free(line);
    cli_whole_close(&svg);
    return ended;
}
